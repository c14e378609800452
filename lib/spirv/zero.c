/*
 * zero.c - numbers in variables that become zero as a whole; see gen_int.h and spirv_const_inst: a
 * driver that knows such a float computes x + 0, 0 - x and x * 0 wrongly. SwiftShader's optimizer
 * takes ~0 for 0 where a vector is made of parts of a null constant.
 *
 * So a zero is stored after the null constant, to each part or, in large arrays, to an element that
 * no compiler knows. Of floats it is one that no compiler knows, either.
 */
#include "spirv/gen_int.h"

enum { MAX_STORES = 32, MAX_DEPTH = 80 };

/* The way to a part of a variable. */
struct way {
	uint32_t all[MAX_DEPTH + 1]; /* the variable, indices */
	uint32_t n;
};

static bool is_number(const struct wgsl_type *t)
{
	return (t->kind == WGSL_VEC || wgsl_type_is_scalar(t)) && wgsl_type_base(t) != WGSL_BOOL;
}

/* Parts that are numbers: scalars, vectors, columns. At most MAX_STORES + 1 are counted. */
static uint32_t count(const struct wgsl_type *t)
{
	uint32_t n = 0;

	if (t->kind == WGSL_ARRAY || t->kind == WGSL_MAT) {
		n = count(t->elem);
		return n == 0 || t->count <= MAX_STORES / n ? n * t->count : MAX_STORES + 1;
	}
	if (t->kind != WGSL_STRUCT)
		return is_number(t);
	for (uint32_t k = 0; k < t->n_members && n <= MAX_STORES; k++)
		n += count(t->members[k].type);
	return n <= MAX_STORES ? n : MAX_STORES + 1;
}

static void store(struct gen *g, const struct way *w, const struct wgsl_type *t)
{
	uint32_t at = w->all[0], type, zero = spirv_const_zero(g, t);

	type = spirv_type_pointer(g, CLASS_FUNCTION, wgsl_type_base(t), wgsl_type_width(t));
	if (w->n > 1)
		at = spirv_value(g, OP_ACCESS_CHAIN, type, w->all, w->n);
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(at, zero));
}

static void hide(struct gen *g, struct way *w, const struct wgsl_type *t)
{
	uint32_t n_parts = count(t);
	uint32_t *index = &w->all[w->n];

	if (n_parts == 0)
		return;
	if (is_number(t)) {
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
			*index = spirv_const_u32(g, k);
			hide(g, w, t->members[k].type);
		}
	} else if (n_parts > MAX_STORES) {
		*index = g->zero;
		hide(g, w, t->elem);
	} else {
		for (uint32_t k = 0; k < t->count; k++) {
			*index = spirv_const_u32(g, k);
			hide(g, w, t->elem);
		}
	}
	w->n--;
}

void spirv_zero_hide(struct gen *g, const struct wgsl_type *t, uint32_t at)
{
	struct way w = { .all = { at }, .n = 1 };

	hide(g, &w, t);
}
