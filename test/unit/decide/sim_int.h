/* sim_int.h - the inside of the simulator, shared by sim*.c. */
#ifndef TEST_DECIDE_SIM_INT_H
#define TEST_DECIDE_SIM_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/ranges.h"
#include "controller/decide/decide.h"
#include "doc/doc.h"
#include "shelf.h"
#include "sim.h"

enum {
	SIM_NODES = 6,
	SIM_CONTROLLERS = 2,
	SIM_CHUNKS = 24,
	SIM_ORDERS = 32,
	SIM_HELD = 512,
	SIM_ISSUED = 4096,
	SIM_VALUES = 8, /* different answers per chunk */
	SIM_END_MS = 900 * 1000,
	VALUE_BYTES = 24, /* two framed outputs of four bytes */
};

struct sim;

struct sim_event {
	int64_t at_ms;
	uint64_t number; /* ties: first come */
	void (*fn)(struct sim *s, struct sim_event *e);
	int who;          /* controller or node */
	uint32_t life;    /* of it; another one: the event is void */
	uint32_t session; /* 0: any */
	struct wire_dispatch dispatch;
	struct wire_result result;
	unsigned char values[VALUE_BYTES];
	bool flag;
	struct doc *doc; /* owned */
	char name[64];
	struct ranges ranges; /* owned */
	struct shelf blobs;   /* owned: on their way to the store */
	struct job_join join; /* parts owned; none: NULL */
};

/* An order at an agent. */
struct sim_order {
	struct wire_dispatch dispatch;
	uint32_t at; /* next chunk */
};

struct sim_held {
	struct wire_dispatch dispatch;
	struct wire_result result;
	unsigned char values[VALUE_BYTES];
};

struct sim_node {
	char name[32];
	bool up;
	uint32_t life;
	int controller; /* of the session; -1: none */
	uint32_t session;
	struct sim_order orders[SIM_ORDERS];
	size_t n_orders;
	bool busy;
	struct sim_held held[SIM_HELD];
	size_t n_held;
	uint32_t slots;
	int64_t speed_ms;
	unsigned lies;    /* per cent */
	bool colludes;    /* its lies are those of the others that collude */
	unsigned crashes; /* per cent */
};

struct sim_controller {
	bool up;
	uint32_t life;
	uint64_t epoch;
	struct fleet *fleet;
	struct job *job;
	struct arena arena; /* of the plan */
	uint64_t version;   /* resourceVersion that it last saw */
	uint32_t sessions[SIM_NODES];
	int64_t wake_ms;
	int64_t lost_at_ms[SIM_NODES]; /* when the node counts as lost; 0: never */
	struct sim_order running[SIM_NODES][SIM_ORDERS]; /* as its node registered */
	size_t n_running[SIM_NODES];
	bool planning;
};

struct sim {
	struct sim_options options;
	struct sim_result result;
	uint64_t random;
	int64_t now_ms;
	uint64_t events_made;
	struct sim_event **heap; /* owned */
	size_t n_heap;
	size_t heap_cap;

	/* The API server. */
	struct doc *job; /* owned, frozen */
	uint64_t version;
	uint64_t uids;
	struct map pods; /* name -> struct doc, owned */

	/* The store, shared by all controllers. */
	struct shelf shelf;
	int store; /* 0: none, 1: a Concat goes by digest, 2: the state of the reducers as well */
	uint64_t highest_epoch;

	struct sim_controller controllers[SIM_CONTROLLERS];
	struct sim_node nodes[SIM_NODES];
	int n_nodes;
	uint32_t sessions_made;
	int64_t chaos_until_ms;

	/* What the oracle knows. */
	int n_chunks;
	int agree;
	struct {
		uint32_t value;
		uint32_t nodes; /* bits: who sent it */
	} answers[SIM_CHUNKS][SIM_VALUES];
	struct {
		struct wire_dispatch dispatch;
		int node;
	} issued[SIM_ISSUED];
	size_t n_issued;
	struct ranges accepted; /* of the last write */
	struct ranges failed;
	bool any_liar;
	bool any_crash;
	bool was_suspended;
	bool done;
};

/* ---- sim.c */
uint32_t sim_random(struct sim *s, uint32_t below);
bool sim_chance(struct sim *s, unsigned percent); /* never when it is calm */
struct sim_event *sim_after(struct sim *s, int64_t ms, void (*fn)(struct sim *, struct sim_event *),
			    int who, uint32_t life);
void sim_fail(struct sim *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sim_say(struct sim *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
int64_t sim_delay(struct sim *s); /* of a message */
const struct wire_kernel *sim_kernel(void);

/* ---- sim_api.c */
void sim_api_start(struct sim *s);
void sim_api_done(struct sim *s);
/* 0, ERR_CONFLICT, ERR_DENIED (epoch). */
int sim_api_write(struct sim *s, const struct doc *status, uint64_t version, uint64_t epoch);
/* "" = refused because the name exists with other annotations; else its uid. */
const char *sim_api_create(struct sim *s, const struct doc *pod);
void sim_api_delete(struct sim *s, const char *name);
void sim_api_patch_pod(struct sim *s, const char *name, const struct doc *patch);
void sim_api_edit_spec(struct sim *s, const char *path, struct doc *value);

/* ---- sim_control.c */
void sim_control_start(struct sim *s, int who);
void sim_control_kill(struct sim *s, int who);
void sim_control_restart(struct sim *s, int who, int64_t after_ms);
void sim_control_wake(struct sim *s, int who, int64_t after_ms);
void sim_control_result(struct sim *s, struct sim_event *e);  /* a result arrives */
void sim_control_offered(struct sim *s, struct sim_event *e); /* all held ones were offered */
bool sim_control_connect(struct sim *s, int who, int node, uint32_t session);
void sim_control_disconnect(struct sim *s, int who, int node);
void sim_control_pod_gone(struct sim *s, const char *name, const char *uid);
void sim_control_pod_added(struct sim *s, const struct doc *pod);
void sim_control_edited(struct sim *s);
int sim_leader(const struct sim *s); /* -1: none */

/* ---- sim_agent.c */
void sim_agent_start(struct sim *s, int node);
void sim_agent_kill(struct sim *s, int node, bool forgets);
void sim_agent_order(struct sim *s, struct sim_event *e);
void sim_agent_cancel(struct sim *s, struct sim_event *e);
void sim_agent_decided(struct sim *s, struct sim_event *e);
void sim_agent_cut(struct sim *s, int node); /* its session ends */
void sim_agent_connect_later(struct sim *s, int node);

/* ---- sim_check.c */
void sim_check_answer(struct sim *s, int node, const struct wire_result *r,
		      const unsigned char *values);
void sim_check_write(struct sim *s, const struct doc *status);
void sim_check_drop(struct sim *s, uint32_t chunk);
void sim_check_end(struct sim *s);
uint32_t sim_truth(uint32_t chunk);

#endif
