/*
 * job_int.h - the inside of struct job, shared by job*.c.
 *
 *   job.c        life, facts about the object and what a start needs
 *   job_start.c  checks before the first dispatch
 *   job_probe.c  the check of a kernel whose order may matter
 *   job_order.c  orders for the wire
 *   job_run.c    dispatches: made, answered, ended
 *   job_pods.c   chunk pods
 *   job_votes.c  chunks: votes, losses, decisions
 *   job_place.c  which node gets what
 *   job_plan.c   job_decide
 *   job_status.c the status document and its writes
 *   job_keep.c   what goes into the store before a write, and at the end
 *   job_why.c    why a job waits
 *
 * A *chunk* is one byte of state; while it is dispatched but not in the status it has a struct
 * open. Its state goes NEW -> OPEN -> READY or BAD (decided here) -> ACCEPTED or FAILED (in the
 * status for sure).
 */
#ifndef DECIDE_JOB_INT_H
#define DECIDE_JOB_INT_H

#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "base/ranges.h"
#include "controller/decide/fleet.h"
#include "controller/decide/job.h"
#include "controller/decide/job_params.h"
#include "expr/predicate.h"
#include "vote/agree.h"
#include "vote/reduce.h"
#include "vote/value.h"

enum chunk_state {
	CHUNK_NEW,
	CHUNK_OPEN,
	CHUNK_READY,
	CHUNK_BAD,
	CHUNK_ACCEPTED,
	CHUNK_FAILED,
};

enum {
	NO_NODE = -1,
	MAX_VANISHED = 3,  /* different nodes before a vanished one counts */
	MAX_PER_NODE = 4,  /* different answers of one node for one chunk that are kept */
	MAX_EARLY = 65536, /* facts that wait for the start */
	MAX_EARLY_BYTES = 64 << 20,
	CHECK_STEP = 20000, /* chunks checked by one job_decide */
};

/* What came with a vote. */
struct ballot {
	uint32_t node;
	unsigned char *values; /* owned; NULL for a repeated class and for failures */
	size_t len;
};

enum try_state { TRY_OUT = 1, TRY_VOTED, TRY_LOST, TRY_STOPPED };

/* A node that was asked for a chunk, or that voted on it. */
struct
try {
	uint32_t node;
	uint32_t key;
	enum try_state state;
};

struct slice {
	uint32_t number;
	uint32_t first;
	uint32_t n;
	uint32_t replicas_left; /* first dispatches still to be made */
	uint32_t next_attempt;
	uint32_t refs;                   /* opens and dispatches */
	uint32_t keys[JOB_MAX_REPLICAS]; /* of the first dispatches */
	uint32_t nodes[JOB_MAX_REPLICAS];
	uint32_t given;
	struct list_link needy; /* in job.needy while replicas_left > 0 */
};

struct open {
	uint32_t chunk;
	struct slice *slice; /* a reference; NULL until it is asked by this controller */
	struct vote *votes;  /* owned, with ballots in parallel */
	struct ballot *ballots;
	size_t n_votes;
	size_t votes_cap;
	size_t ballots_cap;
	struct try *tries; /* owned */
	size_t n_tries;
	size_t tries_cap;
	uint32_t outstanding;
	uint32_t want; /* attempts to make beyond the slice's first ones */
	uint32_t crashes;
	uint32_t n_vanished;
	uint32_t vanished[MAX_VANISHED];
	bool queued; /* in job.asks */
	bool disputed;
	bool held;             /* accepted but for the number of ranges */
	bool offered;          /* a vote came from a dispatch of an earlier life */
	bool writing;          /* decided and part of the write in flight */
	size_t winner;         /* vote; READY and later */
	const char *reason;    /* BAD: static */
	struct list_link link; /* in job.unwritten, job.held or job.late */
};

struct dispatch {
	struct job_dispatch pub;
	struct slice *slice; /* a reference */
	uint32_t node;
	uint32_t key;
	bool has_slot;
	uint8_t *done; /* owned: one bit per chunk that has a result or loss */
	uint32_t left;
	uint32_t decided_to; /* chunks below this offset are in the status */
	int64_t late_ms;     /* when the controller gives it up; 0: never */
	bool listed;         /* its node said that it has it */
	/* Pod: what exists and what is to be done. */
	bool pod_exists;
	bool pod_creating; /* an answer is awaited */
	bool pod_finished_written;
	bool pod_deleting;
	int64_t finished_ms;
	unsigned todo;            /* enum todo */
	struct list_link in_todo; /* job.todo */
	struct list_link
	    in_all; /* job.dispatches (unfinished) or job.history (finished, with pod) */
	struct list_link in_seat;  /* seat.dispatches, unfinished only */
	struct list_link in_short; /* job.short_runs: sent, pod status Running not written */
};

enum todo {
	TODO_CREATE = 1,
	TODO_SEND = 2,
	TODO_CANCEL = 4,
	TODO_RUNNING = 8,
	TODO_FINISHED = 16,
	TODO_DELETE = 32,
};

/* A node as this job sees it, by the fleet's id. */
struct seat {
	const struct fleet_node *node;
	uint64_t version; /* of the node when eligible was computed */
	bool eligible;
	uint32_t key;
	int64_t avoid_ms; /* nothing new before this time: it refused work */
	int64_t avoid_for_ms;
	uint32_t cursor; /* slices below this number have been given to its key */
	bool listed;     /* it has listed what it has, in this life of the job */
	bool offered;    /* ... and offered what it held */
	struct list dispatches;
	int64_t agreed, mismatched, lost;       /* not written yet */
	int64_t w_agreed, w_mismatched, w_lost; /* part of the write in flight */
	bool tell;                              /* ... which has succeeded */
};

/* A fact that came before the job could judge it. */
struct early {
	enum { EARLY_RESULT = 1, EARLY_OFFERED } kind;
	const char *node; /* owned once it is in the list */
	struct wire_dispatch dispatch;
	struct wire_result result;           /* values owned */
	const struct wire_dispatch *running; /* owned once it is in the list */
	size_t n_running;
};

/* The slice number of probes: no real slice gets that far. */
enum { PROBE_SLICE = 0x7fffffff };

struct probe {
	struct job_dispatch pub;
	uint32_t node;
	bool has_slot;
	bool done;
	int64_t deadline_ms; /* 0: none under way */
};

enum phase {
	PHASE_PREPARING = 1, /* kernel, manifest, inputs are awaited */
	PHASE_CHECKING,      /* chunk after chunk */
	PHASE_PROBING,       /* does the order of execution matter? */
	PHASE_RUNNING,
	PHASE_ENDING, /* the end is decided, not written */
	PHASE_ENDED,  /* Complete or Failed is in the status */
};

struct pod_record;

struct job {
	struct doc *doc;         /* owned reference: what spec borrows from */
	struct arena arena;      /* lives as long as the job */
	struct arena spec_arena; /* of the spec */
	struct job_spec spec;
	struct job_config config;
	char *pools;
	struct fleet *fleet; /* borrowed */

	enum phase phase;
	uint32_t most_measured; /* chunks of the longest slice that was measured */
	int64_t total;

	/* Start. */
	const struct wire_kernel *kernel;
	struct hash_digest kernel_sha256;
	struct doc *manifest;
	bool has_input[JOB_MAX_INPUTS];
	struct hash_digest input_sha256[JOB_MAX_INPUTS];
	uint64_t input_size[JOB_MAX_INPUTS];
	char missing[256];
	int64_t created_ms; /* of this object */
	int64_t asked_needs_ms;
	uint32_t asked_needs;
	struct job_params *params;
	uint32_t checked; /* chunks */
	struct probe probe;
	struct vote_shape *shapes[JOB_MAX_OUTPUTS]; /* by entry of spec.outputs */
	struct vote_output outputs[JOB_MAX_OUTPUTS];
	struct vote_reduction *reduction;
	struct expr_predicate *where;
	struct vote_rule rule;
	char *first_partial;             /* owned: of the status that the job was read from */
	struct hash_digest first_digest; /* ... if that names a blob */
	char *first_state;               /* owned: the blob's text; NULL until it is there */
	struct early *early;
	size_t n_early;
	size_t early_cap;
	size_t early_bytes;

	/* Chunks. */
	uint8_t *states;        /* owned, total */
	struct open **opens;    /* owned, total; NULL without one */
	uint32_t cut_from;      /* no NEW chunk below */
	struct ranges accepted; /* READY and ACCEPTED */
	struct ranges failed;   /* BAD and FAILED */
	uint32_t n_open;        /* OPEN, READY or BAD */
	uint32_t open_runs;
	uint64_t value_bytes;  /* of a chunk, at most */
	struct list unwritten; /* opens that are decided but not in the status */
	struct list held;
	struct list late; /* opens that are in the status, kept for votes under way */
	uint32_t *asks;   /* owned ring of chunks that may want more attempts */
	size_t asks_first;
	size_t n_asks;
	size_t asks_cap;
	int64_t n_disputed;
	int64_t n_ready;
	int64_t n_bad;
	struct ranges decided; /* to be told to the agents */

	/* Slices and dispatches. */
	struct list needy;
	uint32_t next_slice;
	struct map by_key; /* "epoch.slice.replica.attempt" -> struct dispatch */
	struct map by_pod;
	struct list dispatches; /* unfinished */
	struct list history;    /* finished, with a pod */
	struct list todo;
	struct list short_runs;
	int64_t next_late_ms;
	double chunk_us; /* measured time of a chunk; 0: unknown */
	int64_t recover_until_ms;
	uint32_t pods_creating;
	uint32_t pod_window; /* slow start */
	int64_t pod_wait_ms; /* no pod before this time */
	int64_t pod_backoff_ms;
	char pod_refusal[256];

	/* Nodes. */
	struct seat **seats; /* owned, by fleet id */
	size_t n_seats;
	size_t seats_cap;
	uint64_t fleet_seen;
	struct map keys; /* spread key -> its number, owned */
	uint32_t n_eligible;
	uint32_t n_eligible_keys;
	/* The last that could not run a chunk, and its words; NULL: it has run one since. */
	const struct fleet_node *refuser;
	char refusal[160];

	/* The end. */
	const char *end_reason; /* static; NULL while there is none */
	char *end_message;      /* owned */
	int64_t end_ms;
	const char *unhappy_reason; /* of a start that must fail; static */
	char *unhappy;              /* owned: its text */

	/* Status. */
	struct job_counts counts; /* asked, agreed, mismatched, lost, unverified are kept here */
	int64_t start_wall_ms;
	int64_t end_wall_ms;
	int64_t run_since_ms; /* of this life, for estimates */
	int64_t run_since_count;
	struct doc *conditions; /* owned list */
	struct doc *base;       /* status that is in the API for sure; NULL at first */
	struct doc *writing;    /* owned; the write in flight */
	int64_t write_at_ms;    /* pacing: virtual time of the writes so far */
	int64_t write_not_before_ms;
	int64_t keep_not_before_ms;
	char *
	    state_text; /* owned: the state as a blob, of the last status that was built; or NULL */
	struct hash_digest wholes[JOB_MAX_OUTPUTS]; /* of results by digest, once `kept` */
	enum job_state written_state;
	enum job_state state_seen;
	int64_t state_since_ms; /* when a state that is not written was first seen */
	int64_t tended_ms;
	int64_t tend_at_ms;
	int64_t explained_ms;
	uint64_t explained_fleet;
	char why[512];
	const char *schedulable; /* reason of Schedulable=False; NULL: it is True */
	struct job_event events[JOB_MAX_EVENTS];
	char *event_texts[JOB_MAX_EVENTS]; /* owned */
	size_t n_events;
	int64_t now_ms;         /* of the last call that had a time */
	int64_t wall_offset_ms; /* wall clock minus now, as of the last job_decide */
	struct list grave;      /* dispatches that the last plan may still point to */

	/* Switches, together to save room. */
	bool suspended; /* in force, not only asked for */
	bool deleted;
	bool left_alone; /* a newer controller wrote its status */
	bool recovering; /* votes of an earlier life may be missing */
	bool end_failed;
	bool writing_final;     /* ... ends the job */
	bool writing_suspended; /* ... says Suspended */
	bool dirty;
	bool first_is_blob;
	bool state_in_store; /* the reducers' state may not fit the status */
	bool keeping;        /* plan.keep is under way */
	bool kept;           /* the results are in the store */
	bool forgotten;      /* plan.forget was said */
	bool tend_soon;      /* pods have something to be looked at */
	bool tell_all;
};

/* ---- job.c */
void job_event(struct job *j, bool warning, const char *reason, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* The job shall end; the first call wins. reason: static. */
void job_end(struct job *j, bool failed, const char *reason, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
struct seat *job_seat(struct job *j, uint32_t node);
/* NULL for a node that the fleet does not know. */
struct seat *job_seat_of(struct job *j, const char *node);

enum job_state job_state_number(const char *name); /* 0: none */
/* The start must fail; the first call wins. reason: static. */
void job_unhappy(struct job *j, const char *reason, const char *text);

/* ---- job_start.c */
/* Kernel, manifest and inputs are there: check, one step. */
void job_start_step(struct job *j, int64_t now_ms, int64_t wall_ms);
uint32_t job_start_needs(const struct job *j);
/* Chunk states from a record, before anything is open. ERR_INVALID if it does not fit. */
MUST_CHECK int job_start_chunks(struct job *j, int64_t total, struct err *err);
void job_early_add(struct job *j, const struct early *e);
void job_early_done(struct job *j);

void job_start_run(struct job *j, int64_t now_ms, int64_t wall_ms);

/* ---- job_order.c */
/* In the arena; NULL: as job_chunk. */
struct wire_order *job_order_build(struct job *j, const struct wire_dispatch *key,
				   struct arena *arena, struct err *err);

/* ---- job_probe.c */
bool job_probe_wanted(const struct job *j);
bool job_is_probe(const struct wire_dispatch *d);
/* *ret is set when an order is to be sent. */
void job_probe_step(struct job *j, int64_t now_ms, int64_t wall_ms, struct arena *arena,
		    const struct wire_order **ret);
void job_probe_sent(struct job *j, const struct wire_dispatch *d, bool sent);
void job_probe_result(struct job *j, const char *node, const struct wire_dispatch *d,
		      const struct wire_result *r);
void job_probe_drop(struct job *j); /* gives its slot back */
/* Append the output that the order of execution may show in, and why; nothing if there is none. */
void job_probe_doubt(const struct job *j, struct buf *out);

/* ---- job_run.c */
struct dispatch *job_dispatch_new(struct job *j, const struct wire_dispatch *key, uint32_t node);
void job_dispatch_free(struct job *j, struct dispatch *d);
struct dispatch *job_dispatch_find(struct job *j, const struct wire_dispatch *key);
void job_todo(struct job *j, struct dispatch *d, unsigned what);
/* Give up: every chunk without a result is lost, or (not a loss) stopped. reason: static. */
void job_dispatch_stop(struct job *j, struct dispatch *d, bool lost, const char *reason);
void job_dispatch_finish(struct job *j, struct dispatch *d, bool failed, const char *reason);
void job_stop_all(struct job *j, const char *reason);
void job_dispatch_uid(struct dispatch *d, const char *uid);
/* Not looked for any more; freed when no plan can point to it. */
void job_bury(struct job *j, struct dispatch *d);
void job_late_at(struct job *j, struct dispatch *d, int64_t at_ms);
/* Its undecided chunks were asked in an earlier life: they count as outstanding. */
void job_recover(struct job *j, struct dispatch *d, const struct pod_record *r);
bool job_late_check(struct job *j, int64_t now_ms);
struct slice *job_slice_new(struct job *j, uint32_t first, uint32_t n);
void job_slice_unref(struct job *j, struct slice *s);
enum job_take job_take_result(struct job *j, const char *node, const struct wire_dispatch *key,
			      const struct wire_result *r);
void job_take_offered(struct job *j, const char *node, const struct wire_dispatch *running,
		      size_t n);

void job_purge(struct job *j);              /* nothing is asked for any more */
int64_t job_chunks_of(const struct job *j); /* 0: not known yet */

/* ---- job_pods.c */
void job_tend_pods(struct job *j, int64_t now_ms);

/* ---- job_votes.c */
struct open *job_open(struct job *j, uint32_t chunk);
void job_open_free(struct job *j, struct open *o);
void job_open_drop_all(struct job *j); /* undecided ones */
/* The node was asked. */
void job_open_try(struct job *j, struct open *o, uint32_t node, uint32_t key);
/* One attempt ended without a vote. */
void job_open_lose(struct job *j, struct open *o, uint32_t node, enum try_state how);
/* A crash or time-out that counts. */
void job_open_crash(struct job *j, struct open *o, uint32_t n, const char *what);
void job_open_vanish(struct job *j, struct open *o, uint32_t node);
/* A result that was checked. answers: the attempt that was outstanding there is over with it. */
void job_open_vote(struct job *j, struct open *o, uint32_t node, bool answers,
		   const struct wire_result *r);
void job_judge(struct job *j, struct open *o);
void job_judge_all(struct job *j);
/* It is in the status for sure: ACCEPTED or FAILED. */
void job_open_close(struct job *j, struct open *o, enum chunk_state state);
MUST_CHECK int job_fold(struct job *j, const struct open *o, struct err *err);
void job_ask_push(struct job *j, struct open *o);

/* ---- job_place.c */
void job_seats_refresh(struct job *j);
/* What the kernel needs of a node and it is not able to; 0: nothing. */
uint32_t job_lacks(const struct job *j, const struct fleet_node *n);
void job_place(struct job *j, int64_t now_ms, int64_t wall_ms);
/* False: the results that are held for open chunks, or for those of all jobs, are too many. */
bool job_has_room(const struct job *j);

/* ---- job_status.c */
struct doc *job_status_build(struct job *j, int64_t now_ms, int64_t wall_ms);
/* Sets status, urgent, final, keep, blobs, joins. */
void job_status_due(struct job *j, int64_t now_ms, int64_t wall_ms, struct arena *arena,
		    struct job_plan *plan);

/* ---- job_keep.c */
/* Characters: the configured number, or the usual one. */
size_t job_max_partial(size_t configured);
/* A status.partial that names a blob. */
bool job_partial_is_blob(const char *partial);
void job_first_partial(struct job *j, const char *partial); /* copied */
/* The state of the reducers goes into the status: itself, or the name of j->state_text. */
void job_keep_state(struct job *j, struct doc *status);
/* What the write in flight (its opens are marked) refers to. Returns its bytes. */
uint64_t job_keep_write(struct job *j, struct arena *arena, struct job_plan *plan);
/* Before the last write. True: it has to wait for the store. */
bool job_keep_results(struct job *j, int64_t now_ms, struct arena *arena, struct job_plan *plan);
void job_keep_forget(struct job *j, int64_t now_ms, int64_t wall_ms, struct job_plan *plan);

/* ---- job_why.c */
void job_explain(struct job *j, int64_t now_ms);

static inline int64_t job_undecided(const struct job *j)
{
	return j->total - j->counts.accepted - j->counts.failed;
}

#endif
