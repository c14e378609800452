/*
 * act.h - the controller around the pure core: watches, decides, carries out.
 *
 *     watch -> stores -> facts for each job -> job_decide -> plan -> API server and data plane
 *
 * One per leadership: it is made once the Lease is held, lists everything by quorum reads, makes
 * one job of each WarpJob, opens the data plane, and goes on until it is freed. The data plane is
 * known only through struct act_plane; what it hears comes in through act_on_*.
 *
 * Everything belongs to the loop's thread. Calls of struct act_plane come from timers and answers,
 * never from inside act_on_*, so the data plane need not expect to be called while it calls.
 */
#ifndef ACT_ACT_H
#define ACT_ACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ranges.h"
#include "controller/decide/job.h"
#include "hash/hash.h"
#include "wire/agent.h"

struct act;
struct act_blob;
struct kube_client;
struct loop;
struct run_host;
struct store;
struct store_op;

/* How orders leave. Every member is required. */
struct act_plane {
	/* The first complete lists are there: sessions may begin. */
	void (*open)(void *arg);
	/* As serve_send: fills in the ticket. */
	int (*send)(void *arg, const char *node, struct wire_order *order, struct err *err);
	void (*cancel)(void *arg, const char *node, const struct wire_dispatch *d, size_t n);
	/* As serve_decided. */
	void (*decided)(void *arg, const char *uid, const struct range *ranges, size_t n, bool all);
};

struct act_options {
	struct loop *loop; /* borrowed, like all of these */
	struct kube_client *kube;
	struct run_host *host;
	struct store *store;  /* for what is too large for a status; NULL: none */
	const char *ns;       /* of the controller's own objects; copied */
	const char *identity; /* for events; copied */
	uint64_t epoch;
	/* Someone else leads: nothing more is written. The owner ends the program. */
	void (*on_deposed)(void *arg, const char *why);
	/* A WarpJob carries an epoch that is not lower than ours: nothing was done yet. The owner
	 * frees act and makes another one with a higher epoch. */
	void (*on_low_epoch)(void *arg, uint64_t highest);
	void *owner_arg;
	const struct act_plane *plane;
	void *plane_arg;
};

struct act *act_new(const struct act_options *options); /* owned; begins to list */
void act_free(struct act *a); /* accepts NULL; writes in flight are dropped */

/* ---- what the data plane hears ----------------------------------------------------------- */

void act_on_register(struct act *a, const char *node, const struct wire_register *said);
void act_on_offered(struct act *a, const char *node, const struct wire_dispatch *running, size_t n);
enum job_take act_on_result(struct act *a, const char *node, const struct wire_dispatch *d,
			    const struct wire_result *r, const char **why);
void act_on_state(struct act *a, const char *name, bool full, bool draining);
void act_on_disconnect(struct act *a, const char *name);
void act_on_lost(struct act *a, const char *node);

/* Bytes for an agent; as act_blobs_hold (blob.h). */
struct act_blob *act_open_blob(struct act *a, const struct hash_digest *digest,
			       const void **ret_bytes, size_t *ret_len);

/* ---- results for people (result.c) -------------------------------------------------------- */

/* The uid of the WarpJob that has this name now, or NULL. Borrowed until the next turn. */
const char *act_job_uid(const struct act *a, const char *ns, const char *name);
/* False: no large results are kept. */
bool act_has_store(const struct act *a);

/* len bytes from `first` of the blob with this digest. */
struct act_part {
	const char *job_uid;
	struct hash_digest digest;
	uint64_t first;
	size_t len;
};
/* As store_read_fn. */
typedef void (*act_read_fn)(void *arg, const void *bytes, size_t len, uint64_t size,
			    const struct err *err);
/* As store_read, if the status of that job names it as a result; else NULL. The store must outlive
 * the read. */
struct store_op *act_read_result(const struct act *a, const struct act_part *part, act_read_fn fn,
				 void *arg);
void act_cancel_read(struct store_op *read);

#endif
