/*
 * fleet.h - the nodes that chunks may run on.
 *
 * A node is usable when its WarpNode exists and is not paused, its agent has a session and one of
 * its devices passed the self-test. What
 * the administrator wrote (pool, owner, zone, attributes) wins over what the agent claims.
 * Strings that go in are copied; what comes out is borrowed until the next change to that node.
 */
#ifndef DECIDE_FLEET_H
#define DECIDE_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "expr/predicate.h"

struct doc;
struct fleet;

enum {
	FLEET_MAX_NODES = 65536,
	FLEET_MAX_DEVICES = 64,
	FLEET_MAX_TOKENS = 256,
	FLEET_MAX_PAIRS = 128,
	FLEET_MAX_SLOTS = 1024,
	FLEET_HELD_BYTES = 1 << 30, /* of values that all jobs hold; above it each only a slice's */
};

struct fleet_pair {
	const char *key;
	const char *value;
};

struct fleet_number {
	const char *key;
	int64_t value;
};

struct fleet_device {
	const char *id;
	const char *backend; /* "Native", "Vulkan", "Cuda" */
	const char *vendor;
	const char *name;
	const char *driver;
	const char *message; /* of the self-test, "" if there is nothing to say */
	int64_t memory_mib;
	uint32_t abilities; /* enum wire_need, as the self-test showed them */
	bool self_test_passed;
};

/* What an agent says when it registers. The caller keeps it; the fleet copies. */
struct fleet_claims {
	const char *version;
	uint32_t slots; /* cut to FLEET_MAX_SLOTS */
	const char *const *tokens;
	size_t n_tokens;
	const struct fleet_pair *attributes;
	size_t n_attributes;
	const struct fleet_number *numbers;
	size_t n_numbers;
	const struct fleet_device *devices;
	size_t n_devices;
};

struct fleet_trust {
	int64_t accepted_in_a_row;
	int64_t mismatched;
	int64_t lost;
	int64_t canaries_failed;
};

/* A node to look at; only fleet_* change it. */
struct fleet_node {
	const char *name;
	uint32_t id; /* small, never used for another name while the fleet lives */
	bool exists; /* its WarpNode does */
	bool paused;
	bool connected;
	bool held_back; /* it says that it is full or draining */
	bool unfit;     /* it has devices, and none passed its self-test */
	const char *pool;
	const char *owner;
	const char *zone;
	const char *vendor; /* of its devices, joined */
	const char *device; /* the ids of its devices, joined; the name without any */
	const char *kinds;  /* back ends, drivers and vendors: replicas prefer different ones */
	uint32_t abilities; /* what all its devices can do */
	uint32_t slots;
	uint32_t running; /* slots taken */
	uint64_t version; /* of the fleet when it last changed, running aside */
	int64_t connected_wall_ms;
	struct fleet_trust trust;
	const struct fleet_claims *claims; /* NULL before it registered */
	const struct fleet_pair *overrides;
	size_t n_overrides;
};

struct fleet *fleet_new(void); /* owned by the caller */
void fleet_free(struct fleet *f);
void fleet_freep(struct fleet **f);

/* A WarpNode was added or changed. ERR_INVALID names the field; then nothing changed. */
MUST_CHECK int fleet_on_warpnode(struct fleet *f, const struct doc *warpnode, struct err *err);
void fleet_on_warpnode_deleted(struct fleet *f, const char *name);

/* The agent of this name (from its credential) opened a session. ERR_TOO_BIG above a limit. */
MUST_CHECK int fleet_on_registered(struct fleet *f, const char *name,
				   const struct fleet_claims *claims, int64_t wall_ms,
				   struct err *err);
/* The session ended: nothing new goes there. What runs there is lost only by job_on_node_lost. */
void fleet_on_disconnected(struct fleet *f, const char *name);

/* What a page of results said last. */
void fleet_on_load(struct fleet *f, const char *name, bool full, bool draining);

/* Cordoned virtual Node: no job starts anything new. */
void fleet_set_paused(struct fleet *f, bool paused);
bool fleet_is_paused(const struct fleet *f);

/* Counts of one written decision (job_plan.trust) go into the node's record. */
void fleet_on_trust(struct fleet *f, const char *name, int64_t agreed, int64_t mismatched,
		    int64_t lost);

/* Start from the record of an earlier leader: once, before anything is counted. */
void fleet_set_trust(struct fleet *f, const char *name, const struct fleet_trust *t);

/* NULL if unknown. Borrowed until fleet_free (the pointer), until the next change (its strings). */
const struct fleet_node *fleet_get(const struct fleet *f, const char *name);
size_t fleet_count(const struct fleet *f);
const struct fleet_node *fleet_at(const struct fleet *f, size_t i);

/* Grows with every change that may alter who is eligible for what. */
uint64_t fleet_version(const struct fleet *f);

/* True if new dispatches may go there now, free slots aside. */
bool fleet_is_usable(const struct fleet_node *n);
/* What the node's best device lacks of these needs (enum wire_need); 0: one can do it all. */
uint32_t fleet_node_lacks(const struct fleet_node *n, uint32_t needs);

/* Take or give back a slot; asserted to stay within 0 and FLEET_MAX_SLOTS. */
void fleet_take(struct fleet *f, uint32_t id);
void fleet_give(struct fleet *f, uint32_t id);

/* Bytes of results that jobs hold until they are decided and written: one memory for all. */
void fleet_hold(struct fleet *f, uint64_t bytes);
void fleet_drop(struct fleet *f, uint64_t bytes); /* asserted: not more than is held */
uint64_t fleet_held(const struct fleet *f);

/* How spec.where asks a node (a const struct fleet_node *). */
extern const struct expr_caps fleet_caps;

#endif
