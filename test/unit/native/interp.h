/*
 * interp.h - runs the IR one invocation at a time, as slowly and as plainly as possible: the
 * reference that compiled code is compared with. It shares no code with the compiler.
 */
#ifndef TEST_NATIVE_INTERP_H
#define TEST_NATIVE_INTERP_H

#include "native/native.h"
#include "wgsl/wgsl.h"

/* Returns the status; *used as native_run_part does. Barriers work: invocations of a work-group
 * take turns; that all of them stop at the same one is asserted. `subgroup`: subgroup_size. */
enum native_status interp_run(const struct wgsl_module *m, const struct native_chunk *chunk,
			      uint32_t subgroup, uint64_t *used);

/* The same, but invocations of all work-groups take turns in an order of the seed, also between
 * one access of what they share and the next. Not for kernels with subgroup operations. */
enum native_status interp_run_mixed(const struct wgsl_module *m, const struct native_chunk *chunk,
				    uint32_t subgroup, uint32_t seed, uint64_t *used);

#endif
