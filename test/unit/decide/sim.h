/*
 * sim.h - random histories of one job: controllers that crash and overlap, an API server that loses
 * answers, nodes that vanish, return, crash and lie. Everything is pure code on a virtual clock:
 * the same seed gives the same history.
 *
 * What must hold (DESIGN 2, 4, 7, 8) is checked at every status write, at every result that an
 * agent is told to drop, and at the end; after the disturbances the job must come to its end.
 */
#ifndef TEST_DECIDE_SIM_H
#define TEST_DECIDE_SIM_H

#include <stdbool.h>
#include <stdint.h>

struct sim_options {
	uint64_t seed;
	bool calm;    /* nothing goes wrong: for what must always work */
	bool verbose; /* print every step */
};

struct sim_result {
	char failure[512]; /* "" = all invariants held */
	char end[64];      /* "Complete", or the reason of Failed */
	int64_t virtual_ms;
	unsigned steps;
	unsigned lives;  /* of controllers */
	unsigned writes; /* of the status */
	unsigned lies;
};

struct sim_result sim_run(const struct sim_options *options);

#endif
