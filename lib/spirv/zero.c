/*
 * zero.c - variables become zero; see gen_int.h.
 *
 * A driver that knows that a float in a variable is zero computes x + 0, 0 - x and x * 0 wrongly
 * (spirv_const_inst). SwiftShader's optimizer takes ~0 for 0 where a vector is made of parts of a
 * null constant. So after the null constant a zero is stored to each part that is a number; of
 * floats it is one that no compiler knows.
 *
 * Mesa makes a store of a whole array a store per element, and then takes minutes for a few
 * hundred of them if the array has dynamic indices. So large ones become zero in loops (wgsl.h).
 */
#include "spirv/gen_int.h"

enum { MAX_DEPTH = 80 }; /* types nest at most 64 deep, then a matrix, a vector, the block */

/* ---- loops ---------------------------------------------------------------------------------- */

/* for (at = first; at < limit; at += step) */
struct loop {
	uint32_t var; /* of the function; 0: none yet */
	uint32_t at;
	uint32_t header, next, merge; /* labels */
};

static void loop_open(struct gen *g, struct loop *l, uint32_t first, uint32_t limit)
{
	uint32_t test = spirv_id(g), body = spirv_id(g), u = spirv_type_of(g, WGSL_U32, 1), cond;

	l->header = spirv_id(g);
	l->next = spirv_id(g);
	l->merge = spirv_id(g);
	if (l->var == 0)
		l->var =
		    spirv_memory_local(g, spirv_type_pointer(g, CLASS_FUNCTION, WGSL_U32, 1), 0);
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(l->var, first));
	spirv_branch(g, l->header);
	spirv_label(g, l->header);
	spirv_put(g, SECTION_BODY, OP_LOOP_MERGE, ARGS(l->merge, l->next, 0));
	spirv_branch(g, test);
	spirv_label(g, test);
	l->at = spirv_value(g, OP_LOAD, u, ARGS(l->var));
	cond = spirv_value(g, OP_U_LESS, spirv_type_of(g, WGSL_BOOL, 1),
			   ARGS(l->at, spirv_const_u32(g, limit)));
	spirv_put(g, SECTION_BODY, OP_BRANCH_CONDITIONAL, ARGS(cond, body, l->merge));
	spirv_label(g, body);
}

static void loop_close(struct gen *g, const struct loop *l, uint32_t step)
{
	uint32_t at;

	spirv_branch(g, l->next);
	spirv_label(g, l->next);
	at = spirv_value(g, OP_I_ADD, spirv_type_of(g, WGSL_U32, 1),
			 ARGS(l->at, spirv_const_u32(g, step)));
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(l->var, at));
	spirv_branch(g, l->header);
	spirv_label(g, l->merge);
}

/* ---- variables of the function -------------------------------------------------------------- */

/* The way to a part of a variable. */
struct way {
	uint32_t all[MAX_DEPTH + 1]; /* the variable, indices */
	uint32_t n;
	bool all_parts; /* those that are no numbers, too */
};

static bool is_part(const struct wgsl_type *t)
{
	return t->kind == WGSL_VEC || wgsl_type_is_scalar(t);
}

static void store(struct gen *g, const struct way *w, const struct wgsl_type *t)
{
	uint32_t at = w->all[0], null;

	if (wgsl_type_base(t) == WGSL_BOOL && !w->all_parts)
		return;
	null = spirv_const_zero(g, t);
	if (w->n > 1)
		at = spirv_value(g, OP_ACCESS_CHAIN, spirv_memory_pointer(g, CLASS_FUNCTION, t),
				 w->all, w->n);
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(at, null));
}

static void zero(struct gen *g, struct way *w, const struct wgsl_type *t);

static void zero_elements(struct gen *g, struct way *w, const struct wgsl_type *t, uint32_t from,
			  uint32_t to)
{
	for (uint32_t k = from; k < to; k++) {
		w->all[w->n - 1] = spirv_const_u32(g, k);
		zero(g, w, t->elem);
	}
}

static void zero_loop(struct gen *g, struct way *w, const struct wgsl_type *t)
{
	uint32_t step = wgsl_zero_step(t), most = t->count - t->count % step;
	uint32_t u = spirv_type_of(g, WGSL_U32, 1);
	struct loop l = { 0 };

	/* From a 0 that no compiler knows, or Mesa unrolls it. */
	loop_open(g, &l, g->zero, most);
	for (uint32_t k = 0; k < step; k++) {
		w->all[w->n - 1] = l.at;
		if (k > 0)
			w->all[w->n - 1] =
			    spirv_value(g, OP_I_ADD, u, ARGS(l.at, spirv_const_u32(g, k)));
		zero(g, w, t->elem);
	}
	loop_close(g, &l, step);
	zero_elements(g, w, t, most, t->count);
}

static void zero(struct gen *g, struct way *w, const struct wgsl_type *t)
{
	if (is_part(t)) {
		store(g, w, t);
		return;
	}
	if (w->n > MAX_DEPTH) {
		spirv_fail(g, ERR_INVALID, "a type nested too deeply");
		return;
	}
	w->n++;
	if (t->kind == WGSL_STRUCT) {
		for (uint32_t k = 0; k < t->n_members; k++) {
			w->all[w->n - 1] = spirv_const_u32(g, k);
			zero(g, w, t->members[k].type);
		}
	} else if (wgsl_zero_is_large(t)) {
		zero_loop(g, w, t);
	} else {
		zero_elements(g, w, t, 0, t->count);
	}
	w->n--;
}

void spirv_zero(struct gen *g, const struct wgsl_type *t, uint32_t at)
{
	struct way w = { .all = { at }, .n = 1, .all_parts = is_part(t) || wgsl_zero_is_large(t) };

	if (!w.all_parts)
		spirv_put(g, SECTION_BODY, OP_STORE, ARGS(at, spirv_const_zero(g, t)));
	zero(g, &w, t);
}

void spirv_zero_start(struct gen *g)
{
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		const struct wgsl_var *v = g->m->vars[n];

		if (v->space <= WGSL_SPACE_PRIVATE && v->n_init == 0 &&
		    !spirv_plan_is_declared(&g->plan, v) && wgsl_zero_is_large(v->type))
			spirv_zero(g, v->type, spirv_memory_home(g, v)->id);
	}
}

/* ---- work-group memory ---------------------------------------------------------------------- */

/* The way to a part of a variable that is no array or struct. */
struct shared {
	const struct var_home *home;
	struct {
		bool is_array;
		uint32_t n; /* elements, or which member */
	} steps[MAX_DEPTH];
	uint32_t n_steps;
	bool arrays; /* those inside of arrays, or the others */
	struct loop loop;
};

/* Stores to the element that `index` says, counted over all arrays on the way. */
static void shared_store(struct gen *g, const struct shared *z, const struct wgsl_type *t,
			 uint32_t index)
{
	uint32_t all[MAX_DEPTH + 1] = { z->home->id }, u = spirv_type_of(g, WGSL_U32, 1), at;

	for (uint32_t k = z->n_steps; k-- > 0;) {
		uint32_t n = spirv_const_u32(g, z->steps[k].n);

		all[k + 1] = n;
		if (!z->steps[k].is_array)
			continue;
		all[k + 1] = spirv_value(g, OP_U_MOD, u, ARGS(index, n));
		index = spirv_value(g, OP_U_DIV, u, ARGS(index, n));
	}
	at = z->home->id;
	if (z->n_steps > 0)
		at = spirv_value(g, OP_ACCESS_CHAIN, spirv_memory_pointer(g, CLASS_WORKGROUP, t),
				 all, z->n_steps + 1);
	spirv_put(g, SECTION_BODY, OP_STORE,
		  ARGS(at, spirv_const_null(g, spirv_type_memory(g, t, false))));
}

static void shared_type(struct gen *g, struct shared *z, const struct wgsl_type *t, uint32_t total)
{
	const uint32_t *size = g->m->workgroup_size;
	uint32_t n = z->n_steps;

	if (n >= MAX_DEPTH) {
		spirv_fail(g, ERR_INVALID, "a type nested too deeply");
	} else if (t->kind == WGSL_ARRAY) {
		z->steps[n].is_array = true;
		z->steps[n].n = t->count;
		z->n_steps++;
		shared_type(g, z, t->elem, total * t->count);
	} else if (t->kind == WGSL_STRUCT) {
		z->n_steps++;
		for (uint32_t k = 0; k < t->n_members; k++) {
			z->steps[n].is_array = false;
			z->steps[n].n = k;
			shared_type(g, z, t->members[k].type, total);
		}
	} else if (z->arrays && total > 1) {
		loop_open(g, &z->loop, g->builtins[WGSL_BUILTIN_LOCAL_INDEX], total);
		shared_store(g, z, t, z->loop.at);
		loop_close(g, &z->loop, size[0] * size[1] * size[2]);
	} else if (!z->arrays && total == 1) {
		shared_store(g, z, t, spirv_const_u32(g, 0));
	}
	z->n_steps = n;
}

static void shared_all(struct gen *g, bool arrays)
{
	struct shared z = { .arrays = arrays };

	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		const struct wgsl_var *v = g->m->vars[n];

		if (v->space != WGSL_SPACE_WORKGROUP)
			continue;
		z.home = spirv_memory_home(g, v);
		shared_type(g, &z, v->type, 1);
	}
	if (!arrays && g->ended != 0)
		spirv_put(g, SECTION_BODY, OP_STORE,
			  ARGS(g->ended, spirv_const_null(g, spirv_type_of(g, WGSL_U32, 2))));
}

void spirv_zero_workgroup(struct gen *g)
{
	uint32_t first, merge;

	first = spirv_value(g, OP_I_EQUAL, spirv_type_of(g, WGSL_BOOL, 1),
			    ARGS(g->builtins[WGSL_BUILTIN_LOCAL_INDEX], spirv_const_u32(g, 0)));
	merge = spirv_if(g, first);
	shared_all(g, false);
	spirv_if_end(g, merge);
	shared_all(g, true);
	spirv_memory_barrier(g, true, false);
}
