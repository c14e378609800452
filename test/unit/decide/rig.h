/*
 * rig.h - a job, some nodes and a kernel made by hand, for tests of decide.
 *
 *     struct rig r;
 *     rig_start(&r, "spec: {...}", 3);      three nodes, the kernel compiled, the start on record
 *     const struct job_action *a = rig_find(&r, JOB_SEND, 0);
 *     rig_answer(&r, &a->dispatch->key, "n0", 7);  each chunk's result is 7 + chunk
 *     rig_done(&r);
 */
#ifndef TEST_DECIDE_RIG_H
#define TEST_DECIDE_RIG_H

#include "base/arena.h"
#include "controller/decide/decide.h"
#include "doc/doc.h"
#include "shelf.h"

enum { RIG_WALL_MS = 1700000000 };

struct rig {
	struct fleet *fleet;
	struct job *job;
	struct doc *doc; /* the WarpJob as the API server has it */
	struct arena arena;
	struct job_plan plan;
	int64_t now_ms;
	bool cluster;
	struct wire_dispatch sent[65536];
	char sent_to[65536][16];
	size_t n_sent;
	size_t n_created;
	size_t n_cancelled;
	size_t n_deleted;
	size_t n_running;
	size_t n_finished;
	struct ranges decided;
	bool decided_all;
	char events[4096];
	int store;          /* as in sim.h's: 1: a Concat goes by digest, 2: the state as well */
	struct shelf shelf; /* what is in the store */
	unsigned n_keeps;   /* plans that gave something to keep */
	bool keep_fails;    /* the store does not work */
	bool forgotten;
	bool write_nothing;  /* leave status writes unanswered */
	bool send_nothing;   /* leave created pods' orders unsent: no session */
	bool unproved;       /* the kernel's order of execution is assumed */
	bool conditional;    /* it is proved for chunks of one invocation */
	uint32_t needs;      /* of the kernel: enum wire_need */
	uint32_t lanes;      /* of the output; 0: 1 */
	const char *message; /* of results; NULL: "" */
};

/* A WarpJob of this spec: YAML of the whole object without apiVersion, kind and metadata. */
struct doc *rig_job(const char *yaml);
/* One u32 output "total", a uniform with a u32 "a", an f32 "b"; dimensions 1. */
const struct wire_kernel *rig_kernel(void);

void rig_node(struct rig *r, const char *name, const char *owner, uint32_t slots);
/* One whose device can do this only. */
void rig_node_of(struct rig *r, const char *name, uint32_t abilities);
void rig_new(struct rig *r, const char *yaml, int nodes, bool cluster);
/* rig_new and decide until nothing more happens by itself. */
void rig_start(struct rig *r, const char *yaml, int nodes);
/* rig_start with a store; how much goes there: rig.store. */
void rig_start_stored(struct rig *r, const char *yaml, int nodes, int store);
/* Decide and carry out, `ms` later, until the plan has nothing more to do now. */
void rig_run(struct rig *r, int64_t ms);
/* A result for each chunk of a dispatch: value + chunk. */
void rig_answer(struct rig *r, const struct wire_dispatch *d, const char *node, uint32_t value);
enum job_take rig_result(struct rig *r, const struct wire_dispatch *d, const char *node,
			 uint32_t chunk, enum wire_outcome outcome, uint32_t value);
/* The n-th order that was sent and its node. */
const struct wire_dispatch *rig_sent(const struct rig *r, size_t n);
/* status.PATH as it would be written now, as text (integers too). Static buffer of the rig. */
const char *rig_status(struct rig *r, const char *path, char *text, size_t size);
const char *rig_reason(struct rig *r, const char *condition, char *text, size_t size);
/* The job from its document in the API, as a new leader reads it. */
void rig_restart(struct rig *r);
void rig_done(struct rig *r);

#endif
