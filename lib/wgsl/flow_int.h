/*
 * flow_int.h - how a property of values spreads through an IR, by data and by control.
 *
 * A level (0: does not have it) comes into being at sources and goes from operands to results,
 * from what is stored to what is loaded, and from conditions to everything whose execution they
 * decide, also behind a break, continue or return that they decide. `why` is the source.
 */
#ifndef WGSL_FLOW_INT_H
#define WGSL_FLOW_INT_H

#include "wgsl/wgsl_int.h"

struct wgsl_taint {
	uint8_t level;
	bool by_control; /* came through a condition */
	const struct wgsl_inst *why;
};

struct wgsl_flow_rules {
	/* The level that an instruction has of itself; `in` is what comes with its operands. */
	uint8_t (*source)(const void *rules_of, const struct wgsl_inst *i, uint8_t in);
	const void *rules_of; /* borrowed, for source */
};

struct wgsl_flow_result {
	struct wgsl_taint *insts; /* by instruction id */
	struct wgsl_taint *vars;  /* by variable id */
};

/* Borrowed from the compilation's arena. */
struct wgsl_flow_result wgsl_flow_find(struct wgsl_comp *c, const struct wgsl_flow_rules *rules);

#endif
