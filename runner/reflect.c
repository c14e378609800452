/* reflect.c - from wgsl_module to wire_kernel; see reflect.h. */
#include "runner/reflect.h"

#include <string.h>

#include "base/mem.h"

/* ---- lanes: runs of equal scalars ------------------------------------------------------------ */

struct lanes {
	struct arena *arena; /* borrowed */
	struct wire_lane *list;
	size_t cap;
	uint32_t n;
	bool is_full;
};

static enum wire_scalar scalar_of(const struct wgsl_type *t)
{
	switch ((int)t->kind) {
	case WGSL_I32:
		return WIRE_I32;
	case WGSL_U32:
		return WIRE_U32;
	case WGSL_F32:
		return WIRE_F32;
	case WGSL_I64:
		return WIRE_I64;
	case WGSL_U64:
		return WIRE_U64;
	case WGSL_F64:
		return WIRE_F64;
	case WGSL_F16:
		return WIRE_F16;
	case WGSL_ATOMIC:
		return scalar_of(t->elem);
	default:
		return 0;
	}
}

/* Longer by the next run, if it goes on at the same pace. */
static bool try_extend(struct wire_lane *last, const struct wire_lane *next)
{
	uint64_t step = next->offset - last->offset;

	if (last->type != next->type || next->offset <= last->offset)
		return false;
	if (last->count == 1 && (next->count == 1 || next->stride == step)) {
		if (step > UINT32_MAX)
			return false;
		last->stride = (uint32_t)step;
	} else if (step != (uint64_t)last->count * last->stride ||
		   (next->count > 1 && next->stride != last->stride)) {
		return false;
	}
	last->count += next->count;
	return true;
}

static void add_lane(struct lanes *l, struct wire_lane lane)
{
	if (l->n > 0 && try_extend(&l->list[l->n - 1], &lane))
		return;
	if (l->n == WIRE_MAX_LANES) {
		l->is_full = true;
		return;
	}
	arena_reserve(l->arena, &l->list, &l->cap, l->n, sizeof(*l->list));
	l->list[l->n++] = lane;
}

static void add_type(struct lanes *l, const struct wgsl_type *t, uint32_t offset);

/* The first element shows the shape; one that is a single even run repeats as one run. */
static void add_array(struct lanes *l, const struct wgsl_type *t, uint32_t offset)
{
	struct lanes one = { .arena = l->arena };

	add_type(&one, t->elem, 0);
	l->is_full |= one.is_full;
	if (one.n == 1 &&
	    (one.list[0].count == 1 || one.list[0].count * one.list[0].stride == t->stride)) {
		struct wire_lane lane = one.list[0];

		if (lane.count == 1)
			lane.stride = t->stride;
		lane.offset += offset;
		lane.count *= t->count;
		add_lane(l, lane);
		return;
	}
	for (uint32_t i = 0; i < t->count && !l->is_full; i++) {
		for (uint32_t k = 0; k < one.n; k++) {
			struct wire_lane lane = one.list[k];

			lane.offset += offset + i * t->stride;
			add_lane(l, lane);
		}
	}
}

/* Types nest at most 64 deep. */
static void add_type(struct lanes *l, const struct wgsl_type *t, uint32_t offset)
{
	switch ((int)t->kind) {
	case WGSL_STRUCT:
		for (uint32_t i = 0; i < t->n_members && !l->is_full; i++)
			if (!t->members[i].type->has_runtime_array)
				add_type(l, t->members[i].type, offset + t->members[i].offset);
		return;
	case WGSL_ARRAY:
		if (t->count > 0)
			add_array(l, t, offset);
		return;
	case WGSL_MAT:
		for (uint32_t i = 0; i < t->count; i++)
			add_type(l, t->elem, offset + i * t->stride);
		return;
	case WGSL_VEC:
		add_lane(l, (struct wire_lane){ .offset = offset,
						.count = t->count,
						.stride = t->elem->size,
						.type = scalar_of(t->elem) });
		return;
	default:
		add_lane(l,
			 (struct wire_lane){ .offset = offset, .count = 1, .type = scalar_of(t) });
	}
}

/* The element of the runtime-sized array at the end; NULL if there is none. */
static const struct wgsl_type *runtime_element(const struct wgsl_type *t)
{
	while (t->kind == WGSL_STRUCT && t->n_members > 0)
		t = t->members[t->n_members - 1].type;
	return t->kind == WGSL_ARRAY && t->count == 0 ? t->elem : NULL;
}

static int add_lanes(const struct wgsl_binding *b, struct arena *a, struct wire_binding *ret,
		     struct err *err)
{
	struct lanes fixed = { .arena = a };
	struct lanes item = { .arena = a };

	add_type(&fixed, b->type, 0);
	if (b->array_stride > 0)
		add_type(&item, runtime_element(b->type), 0);
	if (fixed.is_full || item.is_full)
		return err_set(err, ERR_TOO_BIG, "%s: its type has more than %d different parts",
			       b->name, WIRE_MAX_LANES);
	ret->lanes = fixed.list;
	ret->n_lanes = fixed.n;
	ret->array_lanes = item.list;
	ret->n_array_lanes = item.n;
	return 0;
}

/* ---- leaves: the scalars of a uniform by name -------------------------------------------------
 */

struct leaves {
	struct arena *arena; /* borrowed */
	struct wire_leaf *list;
	size_t cap;
	uint32_t n;
	bool is_full;
};

static void add_leaf(struct leaves *l, const char *path, uint32_t offset, enum wire_scalar type)
{
	if (l->n == WIRE_MAX_LEAVES || strlen(path) > WIRE_MAX_PATH) {
		l->is_full = true;
		return;
	}
	arena_reserve(l->arena, &l->list, &l->cap, l->n, sizeof(*l->list));
	l->list[l->n++] = (struct wire_leaf){ .path = path, .offset = offset, .type = type };
}

static void add_leaves(struct leaves *l, const struct wgsl_type *t, const char *path,
		       uint32_t offset)
{
	const char *dot = path[0] == '\0' ? "" : ".";

	switch ((int)t->kind) {
	case WGSL_STRUCT:
		for (uint32_t i = 0; i < t->n_members && !l->is_full; i++)
			add_leaves(l, t->members[i].type,
				   arena_printf(l->arena, "%s%s%s", path, dot, t->members[i].name),
				   offset + t->members[i].offset);
		return;
	case WGSL_VEC:
		for (uint32_t i = 0; i < t->count; i++)
			add_leaf(l, arena_printf(l->arena, "%s%s%c", path, dot, "xyzw"[i]),
				 offset + i * t->elem->size, scalar_of(t->elem));
		return;
	case WGSL_MAT: /* column, then row */
		for (uint32_t i = 0; i < t->count * t->elem->count; i++)
			add_leaf(l,
				 arena_printf(l->arena, "%s[%u][%u]", path, i / t->elem->count,
					      i % t->elem->count),
				 offset + i / t->elem->count * t->stride +
				     i % t->elem->count * t->elem->elem->size,
				 scalar_of(t->elem->elem));
		return;
	case WGSL_ARRAY:
		for (uint32_t i = 0; i < t->count && !l->is_full; i++)
			add_leaves(l, t->elem, arena_printf(l->arena, "%s[%u]", path, i),
				   offset + i * t->stride);
		return;
	default:
		add_leaf(l, path, offset, scalar_of(t));
	}
}

/* ---- the module ------------------------------------------------------------------------------ */

static bool has_f16(const struct wire_binding *b)
{
	for (uint32_t i = 0; i < b->n_lanes; i++)
		if (b->lanes[i].type == WIRE_F16)
			return true;
	for (uint32_t i = 0; i < b->n_array_lanes; i++)
		if (b->array_lanes[i].type == WIRE_F16)
			return true;
	return false;
}

static const char *reason(struct arena *a, const char *s)
{
	return s == NULL ? "" : arena_strndup(a, s, strnlen(s, WIRE_MAX_REASON));
}

static struct wire_term term_of(const struct wgsl_term *t)
{
	return (struct wire_term){ .factor = t->factor,
				   .has_uniform = t->has_uniform,
				   .group = t->group,
				   .binding = t->binding,
				   .offset = t->offset };
}

static struct wire_condition condition_of(const struct wgsl_condition *c, struct arena *a)
{
	struct wire_condition ret = { .axis = c->axis,
				      .groups = c->groups,
				      .text = reason(a, c->text) };

	if (c->is_fit) {
		ret.kind = WIRE_COND_FITS;
		for (int i = 0; i < 2; i++)
			ret.base[i] = term_of(&c->base[i]);
		for (int i = 0; i < 3; i++)
			ret.stride[i] = term_of(&c->stride[i]);
		return ret;
	}
	ret.has_uniform = c->has_uniform;
	ret.group = c->group;
	ret.binding = c->binding;
	ret.uniform_offset = c->uniform_offset;
	ret.at_most = c->at_most;
	return ret;
}

static void fill_analysis(const struct wgsl_binding *b, struct arena *a, struct wire_binding *ret)
{
	ret->numeric_class = (enum wire_class)(b->numeric_class + 1);
	ret->class_reason = reason(a, b->class_reason);
	ret->order = b->order == WGSL_ORDER_PROVED ? WIRE_PROVED : WIRE_ASSUMED;
	ret->order_reason = reason(a, b->order_reason);
	ret->n_conditions = b->n_conditions;
	for (uint32_t i = 0; i < b->n_conditions; i++)
		ret->conditions[i] = condition_of(&b->conditions[i], a);
}

static int fill_binding(const struct wgsl_binding *b, struct arena *a, struct wire_binding *ret,
			struct err *err)
{
	struct leaves leaves = { .arena = a };
	bool in_parts;

	*ret = (struct wire_binding){
		.group = b->group,
		.binding = b->binding,
		.name = b->name,
		.role = b->space == WGSL_SPACE_UNIFORM ? WIRE_UNIFORM
			: b->is_output                 ? WIRE_OUTPUT
						       : WIRE_INPUT,
		.fixed_size = b->array_stride > 0 ? b->array_offset : b->type->size,
		.array_offset = b->array_offset,
		.array_stride = b->array_stride,
		.class_reason = "",
		.order_reason = "",
	};
	if (add_lanes(b, a, ret, err) < 0)
		return err->code;
	if (ret->role == WIRE_OUTPUT && has_f16(ret))
		return err_set(err, ERR_INVALID,
			       "output %s holds f16, which no reducer takes: store f32(...)",
			       b->name);
	if (ret->role == WIRE_OUTPUT)
		fill_analysis(b, a, ret);
	if (ret->role != WIRE_UNIFORM)
		return 0;
	/* Members have names of their own; x, y and [0] have the variable's. */
	in_parts =
	    b->type->kind == WGSL_VEC || b->type->kind == WGSL_MAT || b->type->kind == WGSL_ARRAY;
	add_leaves(&leaves, b->type, in_parts ? b->name : "", 0);
	if (leaves.is_full)
		return err_set(err, ERR_TOO_BIG, "%s: more than %d fields", b->name,
			       WIRE_MAX_LEAVES);
	ret->leaves = leaves.list;
	ret->n_leaves = leaves.n;
	return 0;
}

static uint32_t needs_of(const struct wgsl_module *m)
{
	return (m->needs.rte ? WIRE_NEED_RTE : 0u) | (m->needs.denorm ? WIRE_NEED_DENORM : 0u) |
	       (m->needs.infnan ? WIRE_NEED_INFNAN : 0u) |
	       (m->needs.nocontract ? WIRE_NEED_NOCONTRACT : 0u) |
	       (m->needs_counter || m->bounded_passes >= WIRE_SHORT_LOOPS ? WIRE_NEED_LOOPS64K
									  : 0u) |
	       (m->needs.f16 ? WIRE_NEED_F16 : 0u) | (m->needs.i64 ? WIRE_NEED_I64 : 0u) |
	       (m->needs.f64 ? WIRE_NEED_F64 : 0u) | (m->needs.subgroup ? WIRE_NEED_SUBGROUP : 0u) |
	       (uint32_t)wire_need_of_size(m->needs.subgroup_size);
}

int reflect_module(const struct wgsl_module *m, const char *warnings, struct arena *a,
		   struct wire_kernel *ret, uint32_t *places, struct err *err)
{
	struct wire_binding *bindings = arena_new_array(a, struct wire_binding, m->n_bindings);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_bindings; i++) {
		if (!m->bindings[i].is_used)
			continue;
		if (n == WIRE_MAX_BINDINGS)
			return err_set(err, ERR_TOO_BIG, "more than %d bindings",
				       WIRE_MAX_BINDINGS);
		if (fill_binding(&m->bindings[i], a, &bindings[n], err) < 0)
			return err->code;
		places[n++] = i;
	}
	*ret = (struct wire_kernel){
		.entry_point = m->entry_point,
		.uses_barriers = m->uses_barriers,
		.uses_workgroup_memory = m->uses_workgroup_memory,
		.needs_counter = m->needs_counter,
		.bounded_passes = m->bounded_passes,
		.passes_factor = m->passes_factor,
		.dimensions = m->dimensions,
		.needs = needs_of(m),
		.numeric_class = (enum wire_class)(m->numeric_class + 1),
		.order = m->order == WGSL_ORDER_PROVED ? WIRE_PROVED : WIRE_ASSUMED,
		.bindings = bindings,
		.n_bindings = n,
		.warnings = warnings,
	};
	memcpy(ret->workgroup_size, m->workgroup_size, sizeof(ret->workgroup_size));
	return 0;
}
