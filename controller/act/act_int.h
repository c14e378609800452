/*
 * act_int.h - the inside of struct act, shared by its files.
 *
 *   act.c     life, lists and watches
 *   jobs.c    one struct act_job per WarpJob; when they are decided; facts from the data plane
 *   plan.c    carries out one plan
 *   needs.c   what a start needs: compilation, ConfigMaps, inputs
 *   pods.c    writes of pods, in order for each pod
 *   status.c  writes of WarpJobs
 *   keep.c    the store
 *   nodes.c   WarpNodes in and out
 *   vnode.c   the virtual Node, its Lease, and what else lies on it
 *   result.c  results for people
 */
#ifndef ACT_ACT_INT_H
#define ACT_ACT_INT_H

#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "controller/act/act.h"
#include "controller/act/blob.h"
#include "controller/act/call.h"
#include "controller/act/limits.h"
#include "controller/decide/decide.h"
#include "doc/doc.h"
#include "kube/client.h"
#include "kube/event.h"
#include "kube/object.h"
#include "kube/reflector.h"
#include "kube/store.h"

struct act_keep;
struct act_nodes;
struct act_pods;
struct act_statuses;
struct act_vnode;
struct store_op;

struct act_job {
	struct act *act; /* borrowed */
	char uid[WIRE_UID];
	char key[KUBE_KEY]; /* namespace/name */
	char ns[KUBE_KEY];
	char name[KUBE_KEY];
	struct job *job; /* owned; NULL: it cannot be read and is left alone */
	int64_t priority;
	int64_t created_ms;    /* wall clock */
	bool is_gone;          /* being taken leave of */
	bool is_active;        /* in act.active */
	bool is_due;           /* a fact came */
	int64_t look_again_ms; /* INT64_MAX: never */
	uint64_t seen_free;    /* act.free_seq when it was last decided */
	bool uses_blobs;

	/* needs.c */
	struct run_call *compile;  /* borrowed: in flight */
	struct run_kernel *kernel; /* shared; reflection that the job borrows */
	struct list reads;         /* owned: struct need, being read */

	/* keep.c */
	struct act_keep *keep;           /* owned: what goes into the store; NULL: nothing now */
	struct store_op *state_read;     /* the state of the reducers; NULL: not under way */
	struct hash_digest state_digest; /* ... of this digest */

	/* status.c */
	struct list_link status_link;
	struct doc *status; /* shared: to be written; NULL: nothing */
	bool status_first;  /* it ends the job or changes its state */
	enum act_status_state { ACT_STATUS_IDLE, ACT_STATUS_QUEUED, ACT_STATUS_BUSY } status_state;
	int64_t status_not_before_ms;
	bool status_unread;           /* the outcome of the last write is unknown: read first */
	struct act_call *status_call; /* owned */
	struct act_call *say_call;    /* owned: of `why` alone; NULL: not under way */

	struct list pod_ops;          /* of pods.c, borrowed: all that are not done */
	struct act_call *remove_call; /* owned: its deletion */
};

struct act {
	struct loop *loop; /* borrowed, as everything from the options */
	struct kube_client *kube;
	struct run_host *host;
	struct act_options options;
	char image[64]; /* what chunk pods name */

	struct fleet *fleet; /* owned, as all that follow */
	struct act_blobs *blobs;
	struct kube_recorder *events;
	struct kube_store *jobs;
	struct kube_store *pods; /* on the virtual node; by job uid */
	struct kube_store *warpnodes;
	struct kube_store *namespaces;
	struct kube_store *node;
	struct kube_reflector *reflectors[5];
	struct timer *trouble;
	bool is_started; /* the first lists were complete */
	bool is_deposed;

	struct map by_uid;       /* uid -> struct act_job, owned */
	struct act_job **active; /* owned list: unfinished or with something to do */
	size_t n_active;
	size_t active_cap;
	bool is_unsorted;
	struct timer *round;
	int64_t round_at_ms;
	struct arena arena; /* of one decision */
	uint64_t free_seq;  /* grows when slots became free or the fleet changed */
	uint64_t free_last; /* free slots at the end of the last round */
	uint64_t fleet_last;

	struct store_op *list_store; /* NULL: not under way */

	struct act_pods *pod_writes;
	struct act_statuses *statuses;
	struct act_nodes *nodes;
	struct act_vnode *vnode;
};

/* ---- act.c */
/* Read your writes: what an answer says goes into the store. */
void act_store_put(struct kube_store *s, const struct doc *object);
/* What a PUT of the status needs of an object: names, uid, resourceVersion; status is taken. The
 * server takes nothing else from it. Owned by the caller. */
struct doc *act_with_status(const struct kube_resource *r, const struct doc *seen,
			    struct doc *status);
void act_depose(struct act *a, const char *why);

/* ---- jobs.c */
void act_jobs_start(struct act *a);
void act_jobs_done(struct act *a);
void act_jobs_on_change(void *arg, const struct kube_change *change);
void act_jobs_on_namespace(void *arg, const struct kube_change *change);
struct act_job *act_job_by_uid(const struct act *a, const char *uid);
/* A fact came: decide soon. */
void act_touch(struct act_job *j);
void act_touch_all(struct act *a);
/* The WarpJob is gone, or can no longer be read (why != NULL: leave it alone and say so). */
void act_job_gone(struct act_job *j);
void act_job_leave(struct act_job *j, const struct err *why);
/* Somebody else's status: begin anew from the object. j is freed. */
void act_job_again(struct act_job *j, const struct doc *object);
void act_job_on_pod(struct act *a, const struct doc *old, const struct doc *new);
void act_job_event(struct act_job *j, bool warning, const char *reason, const char *message);

/* ---- plan.c */
/* Decide and carry out. */
void act_decide(struct act_job *j);

/* ---- needs.c */
void act_needs_ask(struct act_job *j, uint32_t needs);
void act_needs_drop(struct act_job *j); /* the job goes */

/* ---- keep.c */
/* plan.blobs, then plan.status or plan.keep. */
void act_keep(struct act_job *j, const struct job_plan *plan);
void act_keep_read_state(struct act_job *j);
/* A write succeeded: status.partial before, and the object now. Before: as the job knew it, since
 * the watch may have brought the new object first. */
void act_keep_written(struct act_job *j, const char *was, const struct doc *now);
void act_keep_forget(struct act_job *j); /* nothing of the job stays */
void act_keep_drop(struct act_job *j);   /* the job goes; what it has in the store stays */
void act_keep_start(struct act *a);
void act_keep_done(struct act *a);

/* ---- pods.c */
struct act_pods *act_pods_new(struct act *a);
void act_pods_free(struct act_pods *p);
/* Bodies are taken. */
void act_pod_create(struct act_job *j, const struct job_dispatch *d, struct doc *pod);
void act_pod_status(struct act_job *j, const struct job_dispatch *d, struct doc *patch);
void act_pod_delete(struct act_job *j, const struct job_dispatch *d);
/* For pods that are no job's. patch is taken, a merge patch of the status. */
void act_pod_patch(struct act *a, const struct doc *pod, struct doc *patch);
void act_pod_confirm(struct act *a, const struct doc *pod); /* its deletion */
void act_pods_drop(struct act_job *j);                      /* the job goes */

/* ---- status.c */
struct act_statuses *act_statuses_new(struct act *a);
void act_statuses_free(struct act_statuses *s);
void act_status_write(struct act_job *j, const struct doc *status, bool first);
void act_status_drop(struct act_job *j); /* the job goes */
/* For a job that cannot be read, or whose status waits for the store: only `why`. */
void act_status_say(struct act_job *j, const char *why);
/* Delete the WarpJob. */
void act_job_remove(struct act_job *j);

/* ---- nodes.c */
struct act_nodes *act_nodes_new(struct act *a);
void act_nodes_free(struct act_nodes *n);
void act_nodes_on_change(void *arg, const struct kube_change *change);
/* Something of this node changed: its status is written soon. */
void act_node_touch(struct act *a, const char *name);
void act_node_registered(struct act *a, const char *name, const struct wire_register *said);
uint32_t act_nodes_slots(const struct act *a, uint32_t *ret_free); /* of usable nodes */

/* ---- vnode.c */
struct act_vnode *act_vnode_new(struct act *a);
void act_vnode_free(struct act_vnode *v);
void act_vnode_start(struct act_vnode *v);
void act_vnode_on_change(void *arg, const struct kube_change *change);
/* A pod on the virtual node that belongs to no job that we know. */
void act_vnode_on_pod(struct act_vnode *v, const struct doc *pod);
bool act_vnode_is_there(const struct act_vnode *v);

#endif
