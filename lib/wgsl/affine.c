/*
 * affine.c - indices that are sums of multiples of ids; see analyse_int.h.
 */
#include "wgsl/analyse_int.h"

/* The byte offset of a constant path into a uniform variable. */
static bool uniform_offset(const struct wgsl_path *p, uint32_t *ret)
{
	const struct wgsl_type *t = p->var->type;
	uint32_t offset = 0;

	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct wgsl_step *s = &p->steps[i];

		if (s->kind == WGSL_STEP_DYNAMIC)
			return false;
		if (t->kind == WGSL_STRUCT)
			offset += t->members[s->index].offset;
		else
			offset += s->index * (t->kind == WGSL_VEC ? 4 : t->stride);
		t = s->type;
	}
	*ret = offset;
	return true;
}

bool wgsl_affine_is_constant(const struct wgsl_affine *a)
{
	return a->axis[0].factor == 0 && a->axis[1].factor == 0 && a->axis[2].factor == 0;
}

static bool find_affine(const struct wgsl_ids *ids, const struct wgsl_inst *i, int depth,
			struct wgsl_affine *ret);

/* group * size + local is the global id; so are multiples. */
static bool add_axis(const struct wgsl_ids *ids, uint32_t k, const struct wgsl_affine *b,
		     struct wgsl_affine *ret)
{
	struct wgsl_term *t = &ret->axis[k];
	const struct wgsl_term *u = &b->axis[k];
	uint64_t group = ret->id[k] == WGSL_ID_GROUP ? t->factor : u->factor;
	uint64_t local = ret->id[k] == WGSL_ID_GROUP ? u->factor : t->factor;

	if (u->factor == 0)
		return true;
	if (t->factor == 0) {
		*t = *u;
		ret->id[k] = b->id[k];
		return true;
	}
	if (t->has_uniform || u->has_uniform ||
	    ret->id[k] + b->id[k] != WGSL_ID_GROUP + WGSL_ID_LOCAL || ret->id[k] == b->id[k] ||
	    group != local * ids->size[k])
		return false;
	t->factor = (uint32_t)local;
	ret->id[k] = WGSL_ID_GLOBAL;
	return true;
}

static bool add_terms(const struct wgsl_ids *ids, const struct wgsl_affine *a,
		      const struct wgsl_affine *b, struct wgsl_affine *ret)
{
	*ret = *a;
	for (uint32_t k = 0; k < 3; k++)
		if (!add_axis(ids, k, b, ret))
			return false;
	for (uint32_t k = 0; k < b->n_base; k++) {
		if (ret->n_base == 2)
			return false;
		ret->base[ret->n_base++] = b->base[k];
	}
	return true;
}

static bool scale_term(const struct wgsl_term *t, const struct wgsl_term *by, struct wgsl_term *ret)
{
	uint64_t factor = (uint64_t)t->factor * by->factor;

	if ((t->has_uniform && by->has_uniform) || factor > UINT32_MAX)
		return false;
	*ret = t->has_uniform ? *t : *by;
	ret->factor = (uint32_t)factor;
	return true;
}

/* a * b where b is one constant term. */
static bool scale(const struct wgsl_affine *a, const struct wgsl_affine *b, struct wgsl_affine *ret)
{
	static const struct wgsl_term zero = { 0 };
	const struct wgsl_term *by = b->n_base == 1 ? &b->base[0] : &zero;

	if (!wgsl_affine_is_constant(b) || b->n_base > 1)
		return false;
	*ret = *a;
	for (int k = 0; k < 3; k++)
		if (a->axis[k].factor != 0 && !scale_term(&a->axis[k], by, &ret->axis[k]))
			return false;
	for (uint32_t k = 0; k < a->n_base; k++)
		if (!scale_term(&a->base[k], by, &ret->base[k]))
			return false;
	return true;
}

static bool affine_load(const struct wgsl_ids *ids, const struct wgsl_inst *i, int depth,
			struct wgsl_affine *ret)
{
	const struct wgsl_var *v = i->path->var;
	struct wgsl_term *t = &ret->base[0];

	if (v->space == WGSL_SPACE_FUNCTION && i->path->n_steps == 0 &&
	    ids->value_of[v->id] != NULL)
		return find_affine(ids, ids->value_of[v->id], depth + 1, ret);
	if (v->space != WGSL_SPACE_UNIFORM || !wgsl_is_word(i->path->type) ||
	    !uniform_offset(i->path, &t->offset))
		return false;
	t->factor = 1;
	t->has_uniform = true;
	t->group = v->group;
	t->binding = v->binding;
	ret->n_base = 1;
	return true;
}

static bool affine_binary(const struct wgsl_ids *ids, const struct wgsl_inst *i, int depth,
			  struct wgsl_affine *ret)
{
	struct wgsl_affine a = { 0 };
	struct wgsl_affine b = { 0 };

	if (!find_affine(ids, i->args[0], depth + 1, &a) ||
	    !find_affine(ids, i->args[1], depth + 1, &b))
		return false;
	if (i->op == WGSL_OP_ADD)
		return add_terms(ids, &a, &b, ret);
	return scale(&a, &b, ret) || scale(&b, &a, ret);
}

/* Where work-groups have one invocation on an axis, its local id is 0 and the others are equal. */
static bool affine_id(const struct wgsl_ids *ids, const struct wgsl_inst *i,
		      struct wgsl_affine *ret)
{
	enum wgsl_id id;
	uint32_t k;

	if (!wgsl_find_id(ids, i, &id, &k) || k > 2)
		return false;
	if (ids->size[k] == 1 && id == WGSL_ID_LOCAL)
		return true;
	ret->axis[k].factor = 1;
	ret->id[k] = ids->size[k] == 1 ? WGSL_ID_GLOBAL : id;
	return true;
}

/* Integers only; false: not of that form. */
static bool find_affine(const struct wgsl_ids *ids, const struct wgsl_inst *i, int depth,
			struct wgsl_affine *ret)
{
	*ret = (struct wgsl_affine){ 0 };
	/* Both operands are followed: 2^8 steps at most. */
	if (depth > 8 || !wgsl_is_word(i->type))
		return false;
	if (affine_id(ids, i, ret))
		return true;
	if (i->op == WGSL_OP_CONST) {
		ret->n_base = i->u.bits[0] != 0;
		ret->base[0].factor = (uint32_t)i->u.bits[0];
		return i->u.bits[0] <= INT32_MAX;
	}
	if (i->op == WGSL_OP_LOAD)
		return affine_load(ids, i, depth, ret);
	if (i->op == WGSL_OP_ADD || i->op == WGSL_OP_MUL)
		return affine_binary(ids, i, depth, ret);
	if ((i->op == WGSL_OP_CONVERT || i->op == WGSL_OP_BITCAST) &&
	    wgsl_is_word(i->args[0]->type))
		return find_affine(ids, i->args[0], depth + 1, ret);
	return false;
}

bool wgsl_find_affine(const struct wgsl_ids *ids, const struct wgsl_inst *i,
		      struct wgsl_affine *ret)
{
	return find_affine(ids, i, 0, ret);
}
