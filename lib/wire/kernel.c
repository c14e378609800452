/* kernel.c - the table of struct wire_kernel and small questions about it; see kernel.h. */
#include "wire/kernel.h"

#include <string.h>

#include "base/num.h"
#include "wire/codec.h"
#include "wire/codec_int.h"

enum {
	MAX_BINDING_NUMBER = 65535,
	MAX_WARNINGS = 256 << 10,
	MAX_WORKGROUP = 65535,
	ALL_NEEDS = WIRE_NEEDS_ALL,
};

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_leaf, m, ##__VA_ARGS__)
static const struct wire_field leaf_fields[] = {
	F(1, STR, path, .max = WIRE_MAX_PATH),
	F(2, U32, offset),
	F(3, U32, type, .max = WIRE_F16, .required = true),
};
#undef F
static const struct wire_type leaf_type = WIRE_TYPE("leaf", struct wire_leaf, leaf_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_lane, m, ##__VA_ARGS__)
static const struct wire_field lane_fields[] = {
	F(1, U32, offset),
	F(2, U32, count, .required = true),
	F(3, U32, stride),
	F(4, U32, type, .max = WIRE_F16, .required = true),
};
#undef F
static const struct wire_type lane_type = WIRE_TYPE("lane", struct wire_lane, lane_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_term, m, ##__VA_ARGS__)
static const struct wire_field term_fields[] = {
	F(1, U32, factor),
	F(2, BOOL, has_uniform),
	F(3, U32, group, .max = MAX_BINDING_NUMBER),
	F(4, U32, binding, .max = MAX_BINDING_NUMBER),
	F(5, U32, offset),
};
#undef F
static const struct wire_type term_type = WIRE_TYPE("term", struct wire_term, term_fields, NULL);

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_condition, m, ##__VA_ARGS__)
static const struct wire_field condition_fields[] = {
	F(1, BOOL, has_uniform),
	F(2, U32, group, .max = MAX_BINDING_NUMBER),
	F(3, U32, binding, .max = MAX_BINDING_NUMBER),
	F(4, U32, uniform_offset),
	F(5, U32, axis, .max = 2),
	F(6, U32, at_most),
	F(7, STR, text, .max = WIRE_MAX_REASON),
	F(8, U32, kind, .max = WIRE_COND_FITS),
	F(9, MSG, base[0], .sub = &term_type),
	F(10, MSG, base[1], .sub = &term_type),
	F(11, MSG, stride[0], .sub = &term_type),
	F(12, MSG, stride[1], .sub = &term_type),
	F(13, MSG, stride[2], .sub = &term_type),
	F(14, U32, groups, .max = 7),
};
#undef F
static const struct wire_type condition_type =
    WIRE_TYPE("condition", struct wire_condition, condition_fields, NULL);

/* wire 3.2: every lane lies within `size` bytes. */
static int check_lanes(const char *what, const struct wire_lane *lanes, uint32_t n, uint32_t size,
		       struct err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct wire_lane *l = &lanes[i];
		uint64_t width = wire_scalar_size(l->type);
		uint64_t end = l->offset + (uint64_t)(l->count - 1) * l->stride + width;

		if (end > size || (l->count > 1 && l->stride < width))
			return err_set(err, ERR_PROTOCOL, "%s[%u]: outside its %u bytes", what, i,
				       size);
	}
	return 0;
}

static int check_leaves(const struct wire_binding *b, struct err *err)
{
	for (uint32_t i = 0; i < b->n_leaves; i++) {
		const struct wire_leaf *l = &b->leaves[i];

		if ((uint64_t)l->offset + wire_scalar_size(l->type) > b->fixed_size)
			return err_set(err, ERR_PROTOCOL, "leaves[%u]: outside the %u bytes", i,
				       b->fixed_size);
	}
	return 0;
}

static bool has_f16(const struct wire_lane *lanes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (lanes[i].type == WIRE_F16)
			return true;
	return false;
}

static int check_binding(const void *value, struct err *err)
{
	const struct wire_binding *b = value;

	if (check_lanes("lanes", b->lanes, b->n_lanes, b->fixed_size, err) < 0 ||
	    check_lanes("array_lanes", b->array_lanes, b->n_array_lanes, b->array_stride, err) <
		0 ||
	    check_leaves(b, err) < 0)
		return err->code;
	if (b->role == WIRE_UNIFORM &&
	    (b->array_stride != 0 || b->fixed_size == 0 || b->fixed_size > WIRE_MAX_UNIFORM))
		return err_set(err, ERR_PROTOCOL, "%s: size of a uniform", b->name);
	if (b->role != WIRE_UNIFORM && b->n_leaves > 0)
		return err_set(err, ERR_PROTOCOL, "%s: leaves, but no uniform", b->name);
	if (b->role == WIRE_OUTPUT && (b->numeric_class == 0 || b->order == 0))
		return err_set(err, ERR_PROTOCOL, "%s: an output without class or order", b->name);
	if (b->role == WIRE_OUTPUT &&
	    (has_f16(b->lanes, b->n_lanes) || has_f16(b->array_lanes, b->n_array_lanes)))
		return err_set(err, ERR_PROTOCOL, "%s: an output of f16", b->name);
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_binding, m, ##__VA_ARGS__)
#define C(m) WIRE_COUNT(struct wire_binding, m)
static const struct wire_field binding_fields[] = {
	F(1, U32, group, .max = MAX_BINDING_NUMBER),
	F(2, U32, binding, .max = MAX_BINDING_NUMBER),
	F(3, STR, name, .max = WIRE_MAX_NAME, .required = true),
	F(4, U32, role, .max = WIRE_OUTPUT, .required = true),
	F(5, U32, fixed_size),
	F(6, U32, array_offset),
	F(7, U32, array_stride),
	F(8, MSGS, lanes, C(n_lanes), .max = WIRE_MAX_LANES, .sub = &lane_type),
	F(9, MSGS, array_lanes, C(n_array_lanes), .max = WIRE_MAX_LANES, .sub = &lane_type),
	F(10, MSGS, leaves, C(n_leaves), .max = WIRE_MAX_LEAVES, .sub = &leaf_type),
	F(11, U32, numeric_class, .max = WIRE_TOLERANCE),
	F(12, STR, class_reason, .max = WIRE_MAX_REASON),
	F(13, U32, order, .max = WIRE_ASSUMED),
	F(14, STR, order_reason, .max = WIRE_MAX_REASON),
	F(15, MSGS_HERE, conditions, C(n_conditions), .max = WIRE_MAX_CONDITIONS,
	  .sub = &condition_type),
};
#undef F
#undef C
static const struct wire_type binding_type =
    WIRE_TYPE("binding", struct wire_binding, binding_fields, check_binding);

/* wire 3.3 */
static int check_kernel(const void *value, struct err *err)
{
	const struct wire_kernel *k = value;
	uint64_t leaves = 0;

	for (int i = 0; i < 3; i++) {
		if (k->workgroup_size[i] == 0 || k->workgroup_size[i] > MAX_WORKGROUP)
			return err_set(err, ERR_PROTOCOL, "workgroup_size: %u",
				       k->workgroup_size[i]);
	}
	for (uint32_t i = 0; i < k->n_bindings; i++) {
		const struct wire_binding *b = &k->bindings[i];

		leaves += b->n_leaves;
		if (i > 0 && (b->group < b[-1].group ||
			      (b->group == b[-1].group && b->binding <= b[-1].binding)))
			return err_set(err, ERR_PROTOCOL, "bindings[%u]: not in order", i);
		if (b->role == WIRE_OUTPUT && (k->numeric_class == 0 || k->order == 0))
			return err_set(err, ERR_PROTOCOL, "numeric_class: missing");
	}
	if (leaves > WIRE_MAX_LEAVES)
		return err_set(err, ERR_PROTOCOL, "leaves: more than %d", WIRE_MAX_LEAVES);
	return 0;
}

#define F(n, k, m, ...) WIRE_FIELD(n, WIRE_K_##k, struct wire_kernel, m, ##__VA_ARGS__)
static const struct wire_field kernel_fields[] = {
	F(1, STR, entry_point, .max = WIRE_MAX_NAME, .required = true),
	F(2, U32X3, workgroup_size, .required = true),
	F(3, BOOL, uses_barriers),
	F(4, BOOL, uses_workgroup_memory),
	F(5, BOOL, needs_counter),
	F(6, U32, dimensions, .max = 3),
	F(7, U32, needs, .max = ALL_NEEDS),
	F(8, U32, numeric_class, .max = WIRE_TOLERANCE),
	F(9, U32, order, .max = WIRE_ASSUMED),
	F(10, MSGS, bindings, WIRE_COUNT(struct wire_kernel, n_bindings), .max = WIRE_MAX_BINDINGS,
	  .sub = &binding_type),
	F(11, STR, warnings, .max = MAX_WARNINGS),
	F(12, U32, bounded_passes),
	F(13, U32, passes_factor),
};
#undef F
static const struct wire_type kernel_type = WIRE_TYPE("kernel", struct wire_kernel, kernel_fields,
						      check_kernel, .max_bytes = WIRE_MAX_KERNEL);

int wire_kernel_encode(const struct wire_kernel *k, struct buf *out, struct err *err)
{
	return wire_encode(&kernel_type, k, out, err);
}

int wire_kernel_decode(const void *bytes, size_t len, struct arena *a, struct wire_kernel *ret,
		       struct err *err)
{
	return wire_decode(&kernel_type, bytes, len, a, ret, err);
}

uint32_t wire_counted_passes(const struct wire_kernel *k, uint32_t most)
{
	uint32_t factor = k->passes_factor > 0 ? k->passes_factor : 1;

	return k->bounded_passes >= most ? 0 : (most - k->bounded_passes) / factor;
}

uint32_t wire_kernel_needs(const struct wire_kernel *k, uint64_t iterations)
{
	uint32_t counted = wire_counted_passes(k, WIRE_SHORT_LOOPS);

	if (counted == 0 || (k->needs_counter && (iterations == 0 || iterations > counted)))
		return k->needs;
	return k->needs & ~(uint32_t)WIRE_NEED_LOOPS64K;
}

const struct wire_binding *wire_find_binding(const struct wire_kernel *k, const char *name)
{
	for (uint32_t i = 0; i < k->n_bindings; i++) {
		if (strcmp(k->bindings[i].name, name) == 0)
			return &k->bindings[i];
	}
	return NULL;
}

static uint64_t count_lanes(const struct wire_lane *lanes, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += lanes[i].count;
	return sum;
}

/* Sizes of a peer's making saturate instead of wrapping: every limit refuses UINT64_MAX. */
static uint64_t scale_and_add(uint64_t n, uint64_t each, uint64_t fixed)
{
	uint64_t v;

	if (!num_mul_u64(n, each, &v) || !num_add_u64(v, fixed, &v))
		return UINT64_MAX;
	return v;
}

uint64_t wire_binding_scalars(const struct wire_binding *b, uint64_t n)
{
	uint64_t fixed = count_lanes(b->lanes, b->n_lanes);

	if (b->array_stride == 0)
		return fixed;
	return scale_and_add(n, count_lanes(b->array_lanes, b->n_array_lanes), fixed);
}

uint64_t wire_binding_bytes(const struct wire_binding *b, uint64_t n)
{
	if (b->array_stride == 0)
		return b->fixed_size;
	return scale_and_add(n, b->array_stride, b->array_offset);
}

enum wire_scalar wire_binding_type(const struct wire_binding *b)
{
	uint32_t type = 0;

	for (uint32_t i = 0; i < b->n_lanes + b->n_array_lanes; i++) {
		const struct wire_lane *l =
		    i < b->n_lanes ? &b->lanes[i] : &b->array_lanes[i - b->n_lanes];

		if (type != 0 && type != l->type)
			return 0;
		type = l->type;
	}
	return type;
}

uint32_t wire_scalar_size(enum wire_scalar t)
{
	if (t == WIRE_F16)
		return 2;
	return t == WIRE_I64 || t == WIRE_U64 || t == WIRE_F64 ? 8 : 4;
}

const char *wire_scalar_name(enum wire_scalar t)
{
	static const char *const names[] = { "", "i32", "u32", "f32", "i64", "u64", "f64", "f16" };

	return t <= WIRE_F16 ? names[t] : "";
}

enum wire_need wire_need_of_size(uint32_t size)
{
	return (enum wire_need)(size / 4 * WIRE_NEED_SUBGROUP_4);
}

const char *wire_need_name(enum wire_need need)
{
	switch (need) {
	case WIRE_NEED_RTE:
		return "rte32";
	case WIRE_NEED_DENORM:
		return "denorm32";
	case WIRE_NEED_INFNAN:
		return "infnan32";
	case WIRE_NEED_NOCONTRACT:
		return "nocontract";
	case WIRE_NEED_LOOPS64K:
		return "loops64k";
	case WIRE_NEED_F16:
		return "f16";
	case WIRE_NEED_I64:
		return "i64";
	case WIRE_NEED_F64:
		return "f64";
	case WIRE_NEED_SUBGROUP:
		return "subgroup";
	case WIRE_NEED_SUBGROUP_4:
		return "subgroup4";
	case WIRE_NEED_SUBGROUP_8:
		return "subgroup8";
	case WIRE_NEED_SUBGROUP_16:
		return "subgroup16";
	case WIRE_NEED_SUBGROUP_32:
		return "subgroup32";
	case WIRE_NEED_SUBGROUP_64:
		return "subgroup64";
	case WIRE_NEED_SUBGROUP_128:
		return "subgroup128";
	case WIRE_NEEDS_SIZES:
	case WIRE_NEEDS_TO_RUN:
	case WIRE_NEEDS_ALL:
	default:
		return "";
	}
}

const char *wire_class_name(enum wire_class c)
{
	static const char *const names[] = { "", "Exact", "Deterministic", "Tolerance" };

	return c <= WIRE_TOLERANCE ? names[c] : "";
}

const char *wire_order_name(enum wire_order_proof o)
{
	static const char *const names[] = { "", "Proved", "Assumed" };

	return o <= WIRE_ASSUMED ? names[o] : "";
}
