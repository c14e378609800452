/*
 * elector.h - leader election by a Lease as a state machine; lease.h acts on it.
 *
 *     step = kube_elector_next(e, &now)     what to do: wait, read, create, update, or it is over
 *     kube_elector_on_read / _on_written / _on_error     what came of it
 *
 * Rules. Times written in the record by others are never trusted: a record counts as alive until
 * its own duration has passed on our clock since we last saw it change. We take over only a record
 * without a holder or one that is not alive. While we lead, the record is written every retry_ms
 * with the version last seen, after a failure it is read first. Success counts from when the
 * request was sent. After renew_ms without success, or when the record is gone or someone else's,
 * leadership is over for good: the process has to end. Whoever creates the record waits one
 * lease_ms before acting, because an older record (and its holder) may have been deleted.
 *
 * Acquiring writes the annotation kwarp.dev/controller-epoch = max(what it was + 1, the caller's
 * floor, the server's clock in seconds); it never falls while we lead.
 */
#ifndef KUBE_ELECTOR_H
#define KUBE_ELECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "doc/doc.h"

struct kube_elector;

struct kube_elector_spec {
	const char *ns; /* copied, like all */
	const char *name;
	const char *identity; /* unique: host name and random */
	int64_t lease_ms;     /* 0 = 15,000 */
	int64_t renew_ms;     /* 0 = 10,000; less than lease_ms */
	int64_t retry_ms;     /* 0 = 2,000; 1.2 times that is less than renew_ms */
	uint64_t seed;
};

struct kube_elector_now {
	int64_t boot_ms;
	int64_t wall_ms;        /* for the record */
	int64_t server_wall_ms; /* the API server's clock, -1 = not known */
	int64_t epoch_floor;    /* highest epoch known elsewhere + 1, 0 = none */
};

enum kube_elector_op {
	KUBE_ELECTOR_WAIT,
	KUBE_ELECTOR_READ,
	KUBE_ELECTOR_CREATE,
	KUBE_ELECTOR_UPDATE, /* PUT with resourceVersion */
	KUBE_ELECTOR_OVER,   /* see kube_elector_why */
};

struct kube_elector_step {
	enum kube_elector_op op;
	int64_t at_ms;          /* WAIT: call again then */
	const struct doc *body; /* CREATE, UPDATE: borrowed until the next call */
};

struct kube_elector *kube_elector_new(const struct kube_elector_spec *spec);
void kube_elector_free(struct kube_elector *e); /* accepts NULL */

/* One request at a time: after READ, CREATE or UPDATE, exactly one of the following must be called
 * before the next call. */
struct kube_elector_step kube_elector_next(struct kube_elector *e,
					   const struct kube_elector_now *now);
/* The Lease as read or as the answer to a write has it; taken. */
void kube_elector_on_read(struct kube_elector *e, struct doc *lease, int64_t now_ms);
void kube_elector_on_written(struct kube_elector *e, struct doc *lease, int64_t now_ms);
void kube_elector_on_error(struct kube_elector *e, int err_code, int64_t now_ms);

/* We hold the record. */
bool kube_elector_is_holder(const struct kube_elector *e);
/* We hold it and may act. */
bool kube_elector_may_act(const struct kube_elector *e, int64_t now_ms);
/* From when on we may act, once we hold it. */
int64_t kube_elector_acts_from_ms(const struct kube_elector *e);
/* Until when leadership is certain; INT64_MIN while we do not hold it. */
int64_t kube_elector_deadline_ms(const struct kube_elector *e);
int64_t kube_elector_epoch(const struct kube_elector *e); /* 0 while we do not hold it */
/* The epoch must be at least this: written with the next renewal, now. */
void kube_elector_raise_epoch(struct kube_elector *e, int64_t at_least);
/* Who holds it as far as we know; "" = nobody. */
const char *kube_elector_holder(const struct kube_elector *e);
/* Why it is over. */
const char *kube_elector_why(const struct kube_elector *e);

/* Give it up: the body that says so, owned; NULL if we do not hold it. Only when all work has
 * stopped; the elector is over afterwards. */
struct doc *kube_elector_release(struct kube_elector *e, int64_t wall_ms);

#endif
