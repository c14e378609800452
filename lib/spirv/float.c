/*
 * float.c - operations on f32 and f64 with the same bits on every device; see gen_int.h.
 *
 * Signs, NaN and what is too large for a driver's code are handled as integers, so they do not
 * depend on what a device does with them in floats.
 */
#include "base/mem.h"
#include "spirv/gen_int.h"

/* Bits of some numbers in one of the formats. */
struct format {
	enum wgsl_kind kind;
	uint64_t sign, no_sign, infinite, nan, one;
	uint64_t whole; /* from here on there are no fractions: 2^23, 2^52 */
};

static const struct format single = {
	.kind = WGSL_F32,
	.sign = 0x80000000,
	.no_sign = 0x7fffffff,
	.infinite = 0x7f800000,
	.nan = 0x7fc00000,
	.one = 0x3f800000,
	.whole = 0x4b000000,
};

static const struct format twice = {
	.kind = WGSL_F64,
	.sign = 0x8000000000000000,
	.no_sign = 0x7fffffffffffffff,
	.infinite = 0x7ff0000000000000,
	.nan = 0x7ff8000000000000,
	.one = 0x3ff0000000000000,
	.whole = 0x4330000000000000,
};

/* What an operation works on: floats, and unsigned integers as wide. */
struct shape {
	const struct format *of;
	uint32_t width;
	uint32_t f, u, b; /* types */
};

static struct shape shape_of(struct gen *g, enum wgsl_kind kind, uint32_t width)
{
	struct shape s = { .of = kind == WGSL_F64 ? &twice : &single, .width = width };

	s.f = spirv_type_of(g, s.of->kind, s.width);
	s.u = spirv_type_of(g, spirv_type_bits(s.of->kind), s.width);
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

static uint32_t word(struct gen *g, const struct shape *s, uint64_t bits)
{
	return spirv_const_splat(g, spirv_type_bits(s->of->kind), s->width, bits);
}

static uint32_t real(struct gen *g, const struct shape *s, uint64_t bits)
{
	return spirv_const_splat(g, s->of->kind, s->width, bits);
}

static uint32_t masked(struct gen *g, const struct shape *s, uint32_t bits, uint64_t mask)
{
	return spirv_value(g, OP_BITWISE_AND, s->u, ARGS(bits, word(g, s, mask)));
}

static uint32_t is_nan(struct gen *g, const struct shape *s, uint32_t bits)
{
	uint32_t size = masked(g, s, bits, s->of->no_sign);

	return spirv_value(g, OP_U_GREATER, s->b, ARGS(size, word(g, s, s->of->infinite)));
}

uint32_t spirv_float_exact(struct gen *g, enum spirv_op op, uint32_t type, uint32_t a, uint32_t b)
{
	uint32_t id = spirv_value(g, op, type, ARGS(a, b));

	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(id, DECORATION_NO_CONTRACTION));
	return id;
}

static uint32_t canonical(struct gen *g, const struct shape *s, uint32_t x)
{
	uint32_t bits = as_bits(g, s, x), nan = is_nan(g, s, bits);

	bits = spirv_value_select(g, s->u, nan, word(g, s, s->of->nan), bits);
	return as_float(g, s, bits);
}

/*
 * Beyond 2^23 or 2^52 there are no fractions, and NaN stays what it is: only below it the driver's
 * instruction decides. All four results have the sign of their operand, also those that are zero.
 */
static uint32_t rounded(struct gen *g, const struct shape *s, enum spirv_glsl fn, uint32_t x)
{
	uint32_t bits = as_bits(g, s, x), size = masked(g, s, bits, s->of->no_sign);
	uint32_t small = spirv_value(g, OP_U_LESS, s->b, ARGS(size, word(g, s, s->of->whole)));
	uint32_t y = as_bits(g, s, spirv_glsl(g, fn, s->f, x, 0));
	uint32_t sign = masked(g, s, bits, s->of->sign);

	y = spirv_value(g, OP_BITWISE_OR, s->u, ARGS(masked(g, s, y, s->of->no_sign), sign));
	return as_float(g, s, spirv_value_select(g, s->u, small, y, bits));
}

uint32_t spirv_float_unary(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	struct shape s = shape_of(g, wgsl_type_base(i->type), wgsl_type_width(i->type));
	uint32_t bits;

	switch ((int)i->op) {
	case WGSL_OP_NEG:
		bits = as_bits(g, &s, x);
		bits = spirv_value(g, OP_BITWISE_XOR, s.u, ARGS(bits, word(g, &s, s.of->sign)));
		return as_float(g, &s, bits);
	case WGSL_OP_ABS:
		return as_float(g, &s, masked(g, &s, as_bits(g, &s, x), s.of->no_sign));
	case WGSL_OP_FLOOR:
		return rounded(g, &s, GLSL_FLOOR, x);
	case WGSL_OP_CEIL:
		return rounded(g, &s, GLSL_CEIL, x);
	case WGSL_OP_TRUNC:
		return rounded(g, &s, GLSL_TRUNC, x);
	case WGSL_OP_ROUND:
		return rounded(g, &s, GLSL_ROUND_EVEN, x);
	case WGSL_OP_SQRT:
		if (i->is_strict && s.of->kind == WGSL_F32)
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
	uint32_t bits = as_bits(g, s, x), sign = masked(g, s, bits, s->of->sign), is_neg, neg, f;

	is_neg = spirv_value(g, OP_I_NOT_EQUAL, s->b, ARGS(sign, word(g, s, 0)));
	neg = spirv_value(g, OP_I_SUB, s->u, ARGS(word(g, s, 0), bits));
	f = as_bits(g, s, from_u32(g, s, spirv_value_select(g, s->u, is_neg, neg, bits)));
	return as_float(g, s, spirv_value(g, OP_BITWISE_OR, s->u, ARGS(f, sign)));
}

/* The smallest number of an integer type, and the largest one that is also of the float's. */
static uint64_t lowest(const struct format *f, enum wgsl_kind to)
{
	bool is_twice = f->kind == WGSL_F64;

	if (to == WGSL_I32)
		return is_twice ? 0xc1e0000000000000 : 0xcf000000;
	if (to == WGSL_I64)
		return is_twice ? 0xc3e0000000000000 : 0xdf000000;
	return 0;
}

static uint64_t highest(const struct format *f, enum wgsl_kind to)
{
	bool is_twice = f->kind == WGSL_F64;

	switch ((int)to) {
	case WGSL_I32:
		return is_twice ? 0x41dfffffffc00000 : 0x4effffff;
	case WGSL_U32:
		return is_twice ? 0x41efffffffe00000 : 0x4f7fffff;
	case WGSL_I64:
		return is_twice ? 0x43dfffffffffffff : 0x5effffff;
	default:
		return is_twice ? 0x43efffffffffffff : 0x5f7fffff;
	}
}

/* Clamped before it is converted, which is undefined for what does not fit. */
static uint32_t to_integer(struct gen *g, const struct shape *s, enum wgsl_kind to, uint32_t x)
{
	uint32_t low = real(g, s, lowest(s->of, to)), high = real(g, s, highest(s->of, to));
	uint32_t bits = as_bits(g, s, x), nan = is_nan(g, s, bits), c;
	bool is_signed = to == WGSL_I32 || to == WGSL_I64;

	bits = spirv_value_select(g, s->u, nan, word(g, s, 0), bits);
	x = as_float(g, s, bits);
	c = spirv_float_exact(g, OP_F_ORD_LESS, s->b, x, low);
	x = spirv_value_select(g, s->f, c, low, x);
	c = spirv_float_exact(g, OP_F_ORD_GREATER, s->b, x, high);
	x = spirv_value_select(g, s->f, c, high, x);
	return spirv_value(g, is_signed ? OP_CONVERT_F_TO_S : OP_CONVERT_F_TO_U,
			   spirv_type_of(g, to, s->width), ARGS(x));
}

/* A zero that a compiler knows would be one in floats, too: see spirv_const_inst. */
static uint32_t unknown(struct gen *g, const struct shape *s, enum wgsl_kind kind, uint32_t x)
{
	enum wgsl_kind unsign = spirv_type_bits(kind);

	if (kind != unsign)
		x = spirv_value(g, OP_BITCAST, spirv_type_of(g, unsign, s->width), ARGS(x));
	x = spirv_const_unknown(g, unsign, s->width, x);
	if (kind != unsign)
		x = spirv_value(g, OP_BITCAST, spirv_type_of(g, kind, s->width), ARGS(x));
	return x;
}

static uint32_t from_integer(struct gen *g, const struct shape *s, enum wgsl_kind from, uint32_t x)
{
	x = unknown(g, s, from, x);
	if (s->of->kind == WGSL_F32 && from == WGSL_U32)
		return from_u32(g, s, x);
	if (s->of->kind == WGSL_F32 && from == WGSL_I32)
		return from_i32(g, s, x);
	if (from == WGSL_I32 || from == WGSL_I64)
		return spirv_value(g, OP_CONVERT_S_TO_F, s->f, ARGS(x));
	return spirv_value(g, OP_CONVERT_U_TO_F, s->f, ARGS(x));
}

uint32_t spirv_float_convert(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	const struct wgsl_type *in = i->args[0]->type;
	enum wgsl_kind from = wgsl_type_base(in), to = wgsl_type_base(i->type);
	struct shape s = shape_of(g, wgsl_type_is_float(in) ? from : to, wgsl_type_width(in));

	if (wgsl_type_is_float(in) && wgsl_type_is_float(i->type))
		return spirv_value(g, OP_F_CONVERT, spirv_type_value(g, i->type), ARGS(x));
	/* As bits: a device that flushes subnormals takes them for 0. */
	if (to == WGSL_BOOL)
		return spirv_value(
		    g, OP_I_NOT_EQUAL, s.b,
		    ARGS(masked(g, &s, as_bits(g, &s, x), s.of->no_sign), word(g, &s, 0)));
	if (from == WGSL_BOOL)
		return spirv_value_select(g, s.f, x, real(g, &s, s.of->one),
					  spirv_const_zero(g, i->type));
	if (wgsl_type_is_float(in))
		return to_integer(g, &s, to, x);
	return from_integer(g, &s, from, x);
}

/* As native code has it: two roundings. */
static uint32_t inverse_sqrt(struct gen *g, uint32_t width, uint32_t x)
{
	struct shape s = shape_of(g, WGSL_F64, width);

	x = spirv_glsl(g, GLSL_SQRT, s.f, x, 0);
	return spirv_float_exact(g, OP_F_DIV, s.f, real(g, &s, s.of->one), x);
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
	if (wgsl_type_base(i->type) == WGSL_F64)
		return inverse_sqrt(g, wgsl_type_width(i->type), spirv_value_arg(g, i, 0));
	return spirv_glsl(g, (enum spirv_glsl)fns[i->u.math], spirv_type_value(g, i->type),
			  spirv_value_arg(g, i, 0), b);
}
