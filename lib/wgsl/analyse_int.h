/*
 * analyse_int.h - what is found out about a finished IR.
 */
#ifndef WGSL_ANALYSE_INT_H
#define WGSL_ANALYSE_INT_H

#include "wgsl/wgsl_int.h"

/* Number the instructions; set is_used, is_read, is_written, has_barrier, and the module's
 * facts that follow from them (number.c). */
void wgsl_number(struct wgsl_module *m);

/* is_uniform of values, variables and control; false (reported) if a barrier is not in uniform
 * control flow (uniform.c). */
bool wgsl_find_uniform(struct wgsl_comp *c);

/* The specification's analysis: proved[id] of each instruction whose value all invocations of a
 * work-group agree in. False (reported) if some may miss a barrier (uniform_graph.c). */
bool wgsl_prove_uniform(struct wgsl_comp *c, bool *proved);

/* The same within subgroups, for their functions, as loudly as the filters at the calls say: false
 * after an error. */
bool wgsl_check_subgroups(struct wgsl_comp *c);

/* May a built-in value, or component `lane` of it (-1: any), differ in a work-group? */
bool wgsl_builtin_varies(const struct wgsl_module *m, enum wgsl_builtin b, int lane);

/* Ranges: in_range of steps; max_passes and needs_counter of loops (range.c). */
void wgsl_find_ranges(struct wgsl_comp *c);

/* Numeric class and needs of each output (class.c), its order (order.c). */
void wgsl_find_classes(struct wgsl_comp *c);
void wgsl_find_orders(struct wgsl_comp *c);

/* ---- ids that conditions fix (pin.c) ------------------------------------------------------ */

enum wgsl_id { WGSL_ID_GLOBAL, WGSL_ID_LOCAL, WGSL_ID_GROUP, WGSL_ID_COUNT_ };

struct wgsl_ids {
	const uint32_t *size; /* of the work-group; borrowed, like the other */
	/* By variable id: the one value that it ever holds, or NULL. */
	const struct wgsl_inst *const *value_of;
};

/* Zero: nothing is known. */
struct wgsl_pins {
	bool has[WGSL_ID_COUNT_][3];
	uint32_t value[WGSL_ID_COUNT_][3];
};

/* Is the value an id? On axis 0, 1, 2, or 3: the local index of a work-group that is no line. */
bool wgsl_find_id(const struct wgsl_ids *ids, const struct wgsl_inst *i, enum wgsl_id *ret,
		  uint32_t *ret_axis);

/* Add what follows from the condition's being true, or false. */
void wgsl_pin(const struct wgsl_ids *ids, const struct wgsl_inst *condition, bool truth,
	      struct wgsl_pins *p);
/* Add what holds behind the instruction, in its block: of an IF, if a branch never gets there. */
void wgsl_pin_behind(const struct wgsl_ids *ids, const struct wgsl_inst *i, struct wgsl_pins *p);
/* What holds at both places. */
void wgsl_pins_join(struct wgsl_pins *to, const struct wgsl_pins *from);

/* Of all invocations that differ on this axis only, there is one: in each work-group, or at all. */
bool wgsl_is_one_in_group(const struct wgsl_ids *ids, const struct wgsl_pins *p, uint32_t axis);
bool wgsl_is_one(const struct wgsl_ids *ids, const struct wgsl_pins *p, uint32_t axis);

/* An index as sum of terms: base + coefficients times ids, one id per axis. */
struct wgsl_affine {
	struct wgsl_term axis[3]; /* factor 0: does not depend on it */
	enum wgsl_id id[3];       /* which id of the axis */
	struct wgsl_term base[2];
	uint32_t n_base;
};

/* False: the value is no such sum. The parts of one axis become the global id where they make it
 * up (affine.c). */
bool wgsl_find_affine(const struct wgsl_ids *ids, const struct wgsl_inst *i,
		      struct wgsl_affine *ret);
/* No id is in it. */
bool wgsl_affine_is_constant(const struct wgsl_affine *a);

/* Work-group variables without races, by variable id (race.c). value_of: by variable id, the one
 * value a variable ever holds, or NULL. */
void wgsl_find_race_free(struct wgsl_comp *c, const struct wgsl_inst *const *value_of,
			 bool *race_free);

/* Atomics that commute with each other (add and sub; each other kind alone) and whose result is
 * not used have the same number; -1: none of these. */
int wgsl_atomic_family(const struct wgsl_inst *i);

#endif
