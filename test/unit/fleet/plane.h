/*
 * plane.h - a data plane and an agent on one loop, for tests: what the owner heard stands in
 * struct fleet.
 */
#ifndef TEST_FLEET_PLANE_H
#define TEST_FLEET_PLANE_H

#include <stdint.h>

#include "agent/agent.h"
#include "controller/serve/serve.h"
#include "tls/cert.h"

struct loop;

extern const char fleet_uid[];
/* r[0] = 10 (x + the chunk's number); an endless loop for x = 99. */
extern const char fleet_kernel[];

enum { MAX_HEARD = 64 };

struct fleet {
	struct loop *loop;
	struct tls_pair ca, cert;
	struct serve *serve;
	char address[64];
	struct options options;
	struct agent *agent;
	char dir[32];
	const char *kernel; /* what the owner serves as the kernel's text */
	enum serve_take take;
	/* heard by the owner */
	uint32_t alive[MAX_HEARD]; /* first chunks of what the last registration listed */
	int n_alive;
	int registered, offered, disconnected, n_results, n_held, n_running;
	struct {
		uint32_t chunk;
		enum wire_outcome outcome;
		uint32_t value;
	} results[MAX_HEARD];
};

void fleet_make(struct fleet *f);
void fleet_done(struct fleet *f);
/* At any time: the plane's certificate is for 127.0.0.1. */
void fleet_start_plane(struct fleet *f, const char *address, uint64_t epoch);
/* address: where the agent connects to. */
void fleet_start_agent(struct fleet *f, const char *address, const char *credential);
void fleet_end_agent(struct fleet *f);
void fleet_send_order(struct fleet *f, uint32_t first, uint32_t n, uint32_t x, uint32_t timeout_ms);
/* Turn the loop until *counter is at least value (at most 30 s), or for a while. */
void fleet_until(struct fleet *f, const int *counter, int value);
void fleet_for(struct fleet *f, int64_t ms);
/* kwarp-runner lies beside the programs of this build; logs only with VERBOSE. Once, first. */
void fleet_setup(void);

#endif
