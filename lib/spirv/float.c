/*
 * float.c - operations on f32 with the same bits on every device; see gen_int.h.
 *
 * Signs, NaN and what is too large for a driver's code are handled as integers, so they do not
 * depend on what a device does with them in floats.
 */
#include "base/mem.h"
#include "spirv/gen_int.h"

static const uint32_t SIGN = 0x80000000U;
static const uint32_t NO_SIGN = 0x7fffffffU;
static const uint32_t INFINITE = 0x7f800000U;
static const uint32_t NAN_BITS = 0x7fc00000U;

struct shape {
	uint32_t width;
	uint32_t f, u, b; /* types */
};

static struct shape shape_of(struct gen *g, const struct wgsl_inst *i)
{
	struct shape s = { .width = wgsl_type_width(i->type) };

	s.f = spirv_type_of(g, WGSL_F32, s.width);
	s.u = spirv_type_of(g, WGSL_U32, s.width);
	s.b = spirv_type_of(g, WGSL_BOOL, s.width);
	return s;
}

static uint32_t as_bits(struct gen *g, const struct shape *s, uint32_t x)
{
	return spirv_value(g, OP_BITCAST, s->u, ARGS(x));
}

static uint32_t as_float(struct gen *g, const struct shape *s, uint32_t bits)
{
	return spirv_value(g, OP_BITCAST, s->f, ARGS(bits));
}

static uint32_t word(struct gen *g, const struct shape *s, uint32_t bits)
{
	return spirv_const_splat(g, WGSL_U32, s->width, bits);
}

static uint32_t real(struct gen *g, const struct shape *s, uint32_t bits)
{
	return spirv_const_splat(g, WGSL_F32, s->width, bits);
}

static uint32_t masked(struct gen *g, const struct shape *s, uint32_t bits, uint32_t mask)
{
	return spirv_value(g, OP_BITWISE_AND, s->u, ARGS(bits, word(g, s, mask)));
}

uint32_t spirv_float_exact(struct gen *g, enum spirv_op op, uint32_t type, uint32_t a, uint32_t b)
{
	uint32_t id = spirv_value(g, op, type, ARGS(a, b));

	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(id, DECORATION_NO_CONTRACTION));
	return id;
}

static uint32_t canonical(struct gen *g, const struct shape *s, uint32_t x)
{
	uint32_t bits = as_bits(g, s, x), size = masked(g, s, bits, NO_SIGN);
	uint32_t nan = spirv_value(g, OP_U_GREATER, s->b, ARGS(size, word(g, s, INFINITE)));

	bits = spirv_value_select(g, s->u, nan, word(g, s, NAN_BITS), bits);
	return as_float(g, s, bits);
}

/*
 * Beyond 2^23 there are no fractions, and NaN stays what it is: only below it the driver's
 * instruction decides. All four results have the sign of their operand, also those that are zero.
 */
static uint32_t rounded(struct gen *g, const struct shape *s, enum spirv_glsl fn, uint32_t x)
{
	uint32_t bits = as_bits(g, s, x), size = masked(g, s, bits, NO_SIGN);
	uint32_t small = spirv_value(g, OP_U_LESS, s->b, ARGS(size, word(g, s, 0x4b000000U)));
	uint32_t y = as_bits(g, s, spirv_glsl(g, fn, s->f, x, 0));
	uint32_t sign = masked(g, s, bits, SIGN);

	y = spirv_value(g, OP_BITWISE_OR, s->u, ARGS(masked(g, s, y, NO_SIGN), sign));
	return as_float(g, s, spirv_value_select(g, s->u, small, y, bits));
}

uint32_t spirv_float_unary(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	struct shape s = shape_of(g, i);
	uint32_t bits;

	switch ((int)i->op) {
	case WGSL_OP_NEG:
		bits = as_bits(g, &s, x);
		bits = spirv_value(g, OP_BITWISE_XOR, s.u, ARGS(bits, word(g, &s, SIGN)));
		return as_float(g, &s, bits);
	case WGSL_OP_ABS:
		return as_float(g, &s, masked(g, &s, as_bits(g, &s, x), NO_SIGN));
	case WGSL_OP_FLOOR:
		return rounded(g, &s, GLSL_FLOOR, x);
	case WGSL_OP_CEIL:
		return rounded(g, &s, GLSL_CEIL, x);
	case WGSL_OP_TRUNC:
		return rounded(g, &s, GLSL_TRUNC, x);
	case WGSL_OP_ROUND:
		return rounded(g, &s, GLSL_ROUND_EVEN, x);
	case WGSL_OP_SQRT:
		if (i->is_strict)
			spirv_fail(g, ERR_INVALID, "a square root that must be correctly rounded");
		return spirv_glsl(g, GLSL_SQRT, s.f, x, 0);
	case WGSL_OP_CANON:
		return canonical(g, &s, x);
	default:
		spirv_fail(g, ERR_INVALID, wgsl_op_name(i->op));
		return x;
	}
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* Two halves, which are exact: some drivers are off by one for the whole. */
static uint32_t from_u32(struct gen *g, const struct shape *s, uint32_t x)
{
	uint32_t high, low;

	high = spirv_value(g, OP_SHIFT_RIGHT_LOGICAL, s->u, ARGS(x, word(g, s, 16)));
	low = masked(g, s, x, 65535);
	high = spirv_value(g, OP_CONVERT_U_TO_F, s->f, ARGS(high));
	low = spirv_value(g, OP_CONVERT_U_TO_F, s->f, ARGS(low));
	high = spirv_float_exact(g, OP_F_MUL, s->f, high, real(g, s, 0x47800000U));
	return spirv_float_exact(g, OP_F_ADD, s->f, high, low);
}

static uint32_t from_i32(struct gen *g, const struct shape *s, uint32_t x)
{
	uint32_t bits = as_bits(g, s, x), sign = masked(g, s, bits, SIGN), is_neg, neg, f;

	is_neg = spirv_value(g, OP_I_NOT_EQUAL, s->b, ARGS(sign, word(g, s, 0)));
	neg = spirv_value(g, OP_I_SUB, s->u, ARGS(word(g, s, 0), bits));
	f = as_bits(g, s, from_u32(g, s, spirv_value_select(g, s->u, is_neg, neg, bits)));
	return as_float(g, s, spirv_value(g, OP_BITWISE_OR, s->u, ARGS(f, sign)));
}

/* Clamped before it is converted, which is undefined for what does not fit. */
static uint32_t to_integer(struct gen *g, const struct shape *s, bool is_signed, uint32_t x)
{
	uint32_t low = real(g, s, is_signed ? 0xcf000000U : 0);
	uint32_t high = real(g, s, is_signed ? 0x4effffffU : 0x4f7fffffU);
	uint32_t bits = as_bits(g, s, x), size = masked(g, s, bits, NO_SIGN), c;
	uint32_t nan = spirv_value(g, OP_U_GREATER, s->b, ARGS(size, word(g, s, INFINITE)));

	bits = spirv_value_select(g, s->u, nan, word(g, s, 0), bits);
	x = as_float(g, s, bits);
	c = spirv_float_exact(g, OP_F_ORD_LESS, s->b, x, low);
	x = spirv_value_select(g, s->f, c, low, x);
	c = spirv_float_exact(g, OP_F_ORD_GREATER, s->b, x, high);
	x = spirv_value_select(g, s->f, c, high, x);
	if (!is_signed)
		return spirv_value(g, OP_CONVERT_F_TO_U, s->u, ARGS(x));
	return spirv_value(g, OP_CONVERT_F_TO_S, spirv_type_of(g, WGSL_I32, s->width), ARGS(x));
}

uint32_t spirv_float_convert(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	struct shape s = shape_of(g, i);
	enum wgsl_kind from = wgsl_type_base(i->args[0]->type), to = wgsl_type_base(i->type);

	if (from == to)
		return x;
	/* As bits: a device that flushes subnormals takes them for 0. */
	if (to == WGSL_BOOL)
		return spirv_value(g, OP_I_NOT_EQUAL, s.b,
				   ARGS(masked(g, &s, as_bits(g, &s, x), NO_SIGN), word(g, &s, 0)));
	if (from == WGSL_BOOL)
		return spirv_value_select(g, s.f, x, real(g, &s, 0x3f800000U), real(g, &s, 0));
	if (from == WGSL_U32)
		return from_u32(g, &s, x);
	if (from == WGSL_I32)
		return from_i32(g, &s, x);
	return to_integer(g, &s, to == WGSL_I32, x);
}

uint32_t spirv_float_math(struct gen *g, const struct wgsl_inst *i)
{
	static const uint8_t fns[WGSL_MATH_COUNT_] = {
		[WGSL_MATH_INVERSE_SQRT] = GLSL_INVERSE_SQRT,
		[WGSL_MATH_EXP] = GLSL_EXP,
		[WGSL_MATH_EXP2] = GLSL_EXP2,
		[WGSL_MATH_LOG] = GLSL_LOG,
		[WGSL_MATH_LOG2] = GLSL_LOG2,
		[WGSL_MATH_SIN] = GLSL_SIN,
		[WGSL_MATH_COS] = GLSL_COS,
		[WGSL_MATH_TAN] = GLSL_TAN,
		[WGSL_MATH_ASIN] = GLSL_ASIN,
		[WGSL_MATH_ACOS] = GLSL_ACOS,
		[WGSL_MATH_ATAN] = GLSL_ATAN,
		[WGSL_MATH_SINH] = GLSL_SINH,
		[WGSL_MATH_COSH] = GLSL_COSH,
		[WGSL_MATH_TANH] = GLSL_TANH,
		[WGSL_MATH_ASINH] = GLSL_ASINH,
		[WGSL_MATH_ACOSH] = GLSL_ACOSH,
		[WGSL_MATH_ATANH] = GLSL_ATANH,
		[WGSL_MATH_POW] = GLSL_POW,
		[WGSL_MATH_ATAN2] = GLSL_ATAN2,
	};
	uint32_t b = i->n_args > 1 ? spirv_value_arg(g, i, 1) : 0;

	if (i->u.math >= WGSL_MATH_COUNT_) {
		spirv_fail(g, ERR_INVALID, "an unknown function");
		return 1;
	}
	return spirv_glsl(g, (enum spirv_glsl)fns[i->u.math], spirv_type_value(g, i->type),
			  spirv_value_arg(g, i, 0), b);
}
