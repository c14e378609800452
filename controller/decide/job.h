/*
 * job.h - one WarpJob as a state machine: facts go in, job_decide gives a plan.
 *
 * decide.h has the order of calls. Facts only record; nothing is sent, created or written
 * before job_decide says so, and what it says it has already noted as wanted: a plan is carried out
 * once and answered. Work per call is proportional to what changed.
 *
 * A *dispatch* is one slice x one replica x one attempt (wire/order.h): one order, one pod. Its
 * (slice, replica, attempt) is unique within the job and the epoch.
 *
 * Times: now_ms is CLOCK_BOOTTIME, wall_ms what people and the API server read.
 */
#ifndef DECIDE_JOB_H
#define DECIDE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ranges.h"
#include "controller/decide/job_view.h"
#include "hash/hash.h"
#include "vote/reduce.h"
#include "wire/kernel.h"
#include "wire/order.h"

struct arena;
struct doc;
struct fleet;
struct job;

enum {
	JOB_OPEN_RUNS = 4000, /* runs of chunks dispatched but not in the status */
	JOB_OPEN_CHUNKS = 262144,
	JOB_OPEN_BYTES = 256 << 20, /* of values held for open chunks */
	JOB_SLICE_BYTES = 16 << 20, /* of values that an agent makes in one slice, unless one chunk
				     * has more */
	JOB_SLICE_MS = 5000,        /* what an automatic slice aims at */
	JOB_LATE_MS = 30000,        /* added to the sum of the chunks' time limits */
	JOB_RECOVER_MS = 30000,     /* for nodes to come back to a new leader */
	JOB_POD_RUNNING_MS = 300,   /* shorter dispatches get no status Running */
	JOB_WRITE_MS = 1000,        /* status writes: one in this time, ... */
	JOB_WRITE_BYTES_S = 64 * 1024, /* ... this many bytes a second, ... */
	JOB_WRITE_BURST = 4,           /* ... and so many at once */
	JOB_KEEP_BYTES_S =
	    16 << 20,             /* what goes into the store for them: this many bytes a second */
	JOB_MAX_STATE = 16 << 20, /* characters of the reducers' state as a blob */
	JOB_MAX_EVENTS = 16,      /* of one plan */
};

struct job_config {
	uint64_t epoch;
	/* false: `kubectl warp run`: no pods, no partial, no size limits of the API, results above
	 * WIRE_MAX_VALUES arrive whole. */
	bool cluster;
	/* What is too large for a status can be kept (plan.blobs, plan.keep). Without it a job that
	 * needs that is refused. Cluster only. */
	bool store;
	/* Characters of the reducers' state up to which a Concat stands in it with its bytes, and
	 * up to which the state stands in the status. 0: VOTE_MAX_PARTIAL; smaller in tests. */
	size_t max_plain;
	size_t max_partial;
	/* > 0: replicas = agree = maxReplicas = this, whatever the spec says (warp run). */
	int64_t replicas;
	const char *pools; /* of the namespace, "a.b"; NULL = "default"; copied */
};

/* Only job_* change it. */
struct job_dispatch {
	struct wire_dispatch key;
	const char *node;    /* its WarpNode; owned by the dispatch */
	char pod[64];        /* the pod's name; "" with podPolicy None */
	const char *pod_uid; /* "" until known; owned by the dispatch */
	enum job_dispatch_state {
		JOB_WANTED = 1, /* no pod yet */
		JOB_READY,      /* pod exists, order not out */
		JOB_SENT,
		JOB_RECOVERED, /* recorded by a pod of an earlier life; its node has to say */
		JOB_FINISHED,  /* every chunk has a result or a loss */
	} state;
	bool disputed; /* it is a further opinion, or one of its chunks was disputed */
	bool failed;   /* it ended without a result for each chunk */
	int64_t created_wall_ms;
	int64_t sent_wall_ms;     /* 0: never */
	int64_t finished_wall_ms; /* 0: not yet */
	const char *reason;       /* "Completed", "Crashed", "NodeLost", ...: static */
	char message[128];
};

/* Something for the store, or in it. */
struct job_blob {
	struct hash_digest digest;
	const void *bytes; /* NULL: not needed here */
	uint64_t len;
};

/* The result of an output: these blobs, in this order, are to become one. */
struct job_join {
	size_t output;                 /* entry of spec.outputs */
	const struct vote_part *parts; /* borrowed from the job until its next call */
	size_t n_parts;
};

/* ---- life ------------------------------------------------------------------------------- */

/*
 * From a WarpJob document (a reference is kept), status included: a job that a former leader began
 * continues from its status. A spec that is wrong makes a job that wants to fail: see plan. Fails
 * only for a document without name, namespace or uid, and for a status that cannot be
 * read (ERR_INVALID) or was written by a newer version (ERR_UNAVAILABLE): leave the job alone.
 */
MUST_CHECK int job_new(const struct doc *warpjob, struct fleet *fleet,
		       const struct job_config *config, int64_t now_ms, struct job **ret,
		       struct err *err);
/* Gives slots back. Accepts NULL. */
void job_free(struct job *j);
void job_freep(struct job **j);

/* ---- facts: the object ------------------------------------------------------------------ */

/* The document changed (watch). Takes over what may change (suspend, parallelism, deadlines, where,
 * ...) and the generation; the status in it is ignored: only job_on_status_read looks at it.
 * ERR_INVALID: the new spec is wrong; the job goes on with the old one and says so in `why`. */
MUST_CHECK int job_on_spec(struct job *j, const struct doc *warpjob, struct err *err);
void job_on_pools(struct job *j, const char *pools); /* the namespace's label changed */
void job_on_deleted(struct job *j);

/* The write of plan.status succeeded. */
void job_on_status_written(struct job *j, int64_t now_ms);
/* The write failed without effect and nothing is known to have changed (429, refused
 * connection): the same again, not before retry_ms. */
void job_on_status_refused(struct job *j, int64_t retry_ms);
/* False: the object (watch) carries a status that this job does not know: a late write of a former
 * leader, or somebody's edit. Nothing may be written over it: read it, then job_on_status_read. */
bool job_knows_status(const struct job *j, const struct doc *warpjob);
/* The status of a job that is Complete or Failed. */
bool job_status_is_final(const struct doc *status);
/* Conflict or unknown outcome: the object as a quorum read gave it, same uid. Whatever it says is
 * the truth: our write is in it, or not, or something else is. ERR_UNAVAILABLE, ERR_INVALID: as
 * job_new; the job must then be freed. ERR_DENIED: it carries a higher epoch: we are deposed.
 * ERR_CONFLICT: somebody else's state is in it, and that is in the store: free the job and make it
 * anew from this document. */
MUST_CHECK int job_on_status_read(struct job *j, const struct doc *warpjob, int64_t now_ms,
				  struct err *err);

/* status.partial as far as the job knows: of the last write that is in the API. Borrowed until
 * then. */
const char *job_partial(const struct job *j);

/* The keeping of plan.keep succeeded: joined[i] is what plan.keep->joins[i] became. */
void job_on_kept(struct job *j, const struct job_blob *joined, size_t n, int64_t now_ms);
/* It failed: the same again, not before retry_ms. */
void job_on_keep_failed(struct job *j, int64_t retry_ms);

/* ---- facts: what a start needs ---------------------------------------------------------- */

enum job_need {
	JOB_NEED_KERNEL = 1,   /* compile job_kernel_source */
	JOB_NEED_MANIFEST = 2, /* read the ConfigMap spec.chunks.manifestFrom */
	JOB_NEED_INPUTS = 4,   /* read the inputs that job_input_needed says */
	JOB_NEED_PARTIAL = 8,  /* get the blob that job_partial_needed says from the store */
};

const struct job_spec *job_spec(const struct job *j);

/* Reflection and SHA-256 of the text. kernel is borrowed until job_free: decode it into
 * job_arena. */
void job_on_kernel(struct job *j, const struct wire_kernel *kernel,
		   const struct hash_digest *sha256);
/* It does not compile: reason KernelInvalid (or KernelTooBig, ...), text = diagnostics. */
void job_on_kernel_failed(struct job *j, const char *reason, const char *text);
struct arena *job_arena(struct job *j);

/* The JSON of spec.chunks.manifestFrom. Copied. */
void job_on_manifest(struct job *j, const char *text, size_t len);
bool job_input_needed(const struct job *j, size_t input);
/* Input i was read: its digest and size. */
void job_on_input(struct job *j, size_t input, const struct hash_digest *sha256, uint64_t size);
/* JOB_NEED_PARTIAL: the blob with the state of the reducers. */
const struct hash_digest *job_partial_needed(const struct job *j);
/* The bytes of that blob, at most JOB_MAX_STATE; the digest was checked. Copied. Without effect
 * when it is not needed any more: another status, with another state, may have been read meanwhile.
 */
void job_on_partial(struct job *j, const struct hash_digest *digest, const char *text, size_t len);
/* Something a start needs is not there yet (ConfigMap, key): why says it; ask again later. */
void job_on_missing(struct job *j, const char *what);
/* Something that a start needs can never be had: the job fails. */
void job_on_refused(struct job *j, const char *reason, const char *message);

/* ---- facts: dispatches ------------------------------------------------------------------ */

/* A pod of this job uid that exists although this job object did not create it. Unfinished ones
 * count as outstanding until their node has listed what it has, or JOB_RECOVER_MS have passed.
 * ERR_INVALID: it does not carry what pod.h writes (a person made it): ignore it. */
MUST_CHECK int job_on_pod(struct job *j, const struct doc *pod, int64_t now_ms, struct err *err);

enum job_pod_answer {
	JOB_POD_CREATED, /* or it existed already with our annotations */
	JOB_POD_REFUSED, /* quota, admission, forbidden: back-off, Schedulable=False PodsRefused */
	JOB_POD_RETRY,   /* the API server could not answer: again soon */
	JOB_POD_TAKEN,   /* a pod of this name exists that records another dispatch of this job */
};
void job_on_pod_created(struct job *j, const struct wire_dispatch *key, enum job_pod_answer answer,
			const char *uid, const char *message, int64_t now_ms);
/* The pod is gone (watch, or our own delete). Of an unfinished dispatch: that is stopped, not a
 * loss; its chunks are asked again. */
void job_on_pod_gone(struct job *j, const char *pod, const char *uid);
/* The pod's status write succeeded, or the pod is gone. */
void job_on_pod_written(struct job *j, const struct wire_dispatch *key);

/* The order is with the session (true) or there is no session any more (false: the dispatch is
 * taken back, not a loss). */
void job_on_sent(struct job *j, const struct wire_dispatch *key, bool sent, int64_t now_ms,
		 int64_t wall_ms);

enum job_take {
	JOB_TAKE_KEEP = 1, /* undecided: the agent keeps it, losses too */
	JOB_TAKE_DECIDED,  /* decided, written, finished or suspended: it may drop it */
	JOB_TAKE_WRONG, /* not a result of this dispatch, or values that do not fit their digest */
};
/*
 * One result from this node, whose ticket for exactly d and this node was checked by the
 * caller. New or offered again, in any order, any number of times. *why: static text for WRONG.
 */
enum job_take job_on_result(struct job *j, const char *node, const struct wire_dispatch *d,
			    const struct wire_result *r, int64_t now_ms);

/* A node registered: these dispatches (of any job) are alive there: running, queued, or with
 * results that it still holds. Others of this job that we believed there are lost at once. */
void job_on_node_listed(struct job *j, const char *node, const struct wire_dispatch *alive,
			size_t n, int64_t now_ms);
/* It has offered all results that it held: of this job, what has no result and did not run or
 * wait there (`running`, of any job) when it registered is lost. */
void job_on_node_offered(struct job *j, const char *node, const struct wire_dispatch *running,
			 size_t n, int64_t now_ms);
/* 15 s after its session was lost. */
void job_on_node_lost(struct job *j, const char *node, int64_t now_ms);

/* ---- the plan --------------------------------------------------------------------------- */

enum job_action_kind {
	/* Create the pod pod_build gives; answer: job_on_pod_created. */
	JOB_POD_CREATE = 1,
	/* Send `order` (fill in its ticket); answer: job_on_sent. */
	JOB_SEND,
	/* Tell the agent to stop; no answer. */
	JOB_CANCEL,
	/* Write the pod's status (pod_status gives it); answer: job_on_pod_written. */
	JOB_POD_RUNNING,
	JOB_POD_FINISHED,
	/* Delete it (uid precondition if known); answer: job_on_pod_gone. */
	JOB_POD_DELETE,
};

struct job_action {
	enum job_action_kind kind;
	const struct job_dispatch *dispatch; /* borrowed until the next call on the job */
	const struct wire_order *order;      /* JOB_SEND; in the arena */
};

struct job_event {
	bool warning;
	const char *reason;
	const char *message;
};

/* What one written decision says about a node. */
struct job_trust {
	const char *node;
	int64_t agreed, mismatched, lost;
};

struct job_plan {
	uint32_t needs; /* enum job_need; asked until answered, at most once a second */
	const struct job_action *actions;
	size_t n_actions;
	/* The complete status to write; borrowed from the job until the answer. NULL: none now. The
	 * next one comes only after the answer. */
	const struct doc *status;
	bool urgent; /* it changes `state` */
	bool final;  /* it ends the job */
	/* What has to be in the store for sure before the status is written (or `keep` is
	 * answered). Their bytes are borrowed from the job until its next call. */
	const struct job_blob *blobs;
	size_t n_blobs;
	/* The job ends and has results for the store: keep the blobs, then join; answer:
	 * job_on_kept, job_on_keep_failed. Never together with a status. */
	bool keep;
	const struct job_join *joins;
	size_t n_joins;
	/* Decided since the last plan, in the status for sure. */
	const struct range *decided;
	size_t n_decided;
	bool decided_all; /* finished, suspended or deleted: everything of this uid */
	const struct job_event *events;
	size_t n_events;
	const struct job_trust *trust; /* give them to fleet_on_trust */
	size_t n_trust;
	bool remove; /* spec.ttlSecondsAfterFinished has passed */
	bool forget; /* spec.blobTTLSecondsAfterFinished has passed: nothing of it stays in the
		      * store; once */
	int64_t look_again_ms; /* INT64_MAX: only after a fact */
};

/* Everything in *ret that is not said to be borrowed from the job lives in the arena. */
void job_decide(struct job *j, int64_t now_ms, int64_t wall_ms, struct arena *arena,
		struct job_plan *ret);

/* ---- looking ---------------------------------------------------------------------------- */

enum job_state {
	JOB_PENDING = 1,
	JOB_RUNNING,
	JOB_SUSPENDED,
	JOB_DISPUTED,
	JOB_COMPLETE,
	JOB_FAILED,
};
const char *job_state_name(enum job_state s); /* "Running" */

struct job_counts {
	int64_t total, accepted, running, failed, disputed, unverified;
	int64_t asked, agreed, mismatched, lost;
};

enum job_state job_state(const struct job *j);
struct job_counts job_counts(const struct job *j);
bool job_is_finished(const struct job *j); /* Complete or Failed */
const char *job_why(const struct job *j);  /* "" if there is nothing to say */
/* The status as it would be written now; owned by the caller. For `warp run`. */
struct doc *job_status(struct job *j, int64_t now_ms, int64_t wall_ms);
/* A line of what `warp check` should say of its shape though nothing forbids it, else nothing. */
void job_note(const struct job *j, struct buf *out);
/* Result of output i (order of spec.outputs) of a finished job; as vote_reduce_finish. */
MUST_CHECK int job_result(const struct job *j, size_t output, struct vote_result *ret,
			  struct err *err);
/* Inputs of the kernel in binding order: spec input of each; SIZE_MAX behind the last. */
size_t job_kernel_input(const struct job *j, size_t binding_input);
/* The chunk as an order carries it, in the arena. ERR_INVALID names chunk and field. */
MUST_CHECK int job_chunk(const struct job *j, uint32_t chunk, struct arena *arena,
			 struct wire_chunk *ret, struct err *err);

#endif
