/*
 * interp_subgroup.h - operations of a subgroup, written down plainly.
 */
#ifndef TEST_NATIVE_INTERP_SUBGROUP_H
#define TEST_NATIVE_INTERP_SUBGROUP_H

#include <stdbool.h>

#include "wgsl/ir.h"

enum { INTERP_MAX_SUBGROUP = 128 };

/* One position of a subgroup. */
struct interp_lane {
	bool is_active;
	uint64_t a[4]; /* the first operand */
	uint32_t k;    /* the second */
	uint64_t ret[4];
};

/* The results of all active lanes of n, a power of two. Where the specification leaves a value open
 * because it would come from an inactive lane, it is 0. Floats are folded as lib/native folds
 * them. */
void interp_subgroup(const struct wgsl_inst *i, struct interp_lane *lanes, uint32_t n);

#endif
