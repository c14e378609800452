/*
 * call.h - one request to the API server, answered exactly once unless it is freed before.
 *
 * A write that might reach the server after the end of our leadership is not sent (the client's
 * gate): such a call is never answered, since the program is about to end.
 */
#ifndef ACT_CALL_H
#define ACT_CALL_H

#include <stdint.h>

#include "base/err.h"

struct act;
struct act_call;
struct doc;
struct kube_resource;

enum act_verb { ACT_GET, ACT_CREATE, ACT_REPLACE, ACT_MERGE, ACT_DELETE };

struct act_request {
	enum act_verb verb;
	const struct kube_resource *resource;
	const char *ns;   /* NULL for cluster-scoped ones */
	const char *name; /* NULL for ACT_CREATE */
	const char *sub;  /* "status", or NULL */
	/* The object, the merge patch, or (ACT_DELETE) the DeleteOptions; NULL without one. */
	const struct doc *body;
};

struct act_answer {
	const struct doc *object; /* borrowed; NULL on failure */
	const struct err *err;    /* NULL on success */
	int64_t retry_after_ms;   /* as the server asked; -1: it did not */
};

/* Comes from the loop, never from inside act_call. May free its call. */
typedef void (*act_call_fn)(void *arg, const struct act_answer *answer);

/* Owned by the caller, who frees it also after the answer. */
struct act_call *act_call(struct act *a, const struct act_request *r, act_call_fn fn, void *arg);
void act_call_free(struct act_call *c); /* accepts NULL */

/* DeleteOptions with uid and (unless NULL) resourceVersion as preconditions; propagation may be
 * NULL, grace_s < 0 is left out. Owned by the caller. */
struct doc *act_delete_options(const char *uid, const char *rv, const char *propagation,
			       int64_t grace_s);

/* The next wait of a series that doubles from `first` to `most`, with jitter: 0 tries = first. */
int64_t act_backoff_ms(int tries, int64_t first_ms, int64_t most_ms);

#endif
