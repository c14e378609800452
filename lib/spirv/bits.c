/*
 * bits.c - counts and orders of bits; see gen_int.h. The instructions for them are of 32 bits only:
 * wider values are two halves.
 */
#include "spirv/gen_int.h"

static uint32_t word(struct gen *g, uint32_t width, uint32_t v)
{
	return spirv_const_splat(g, WGSL_U32, width, v);
}

/* x == 0 ? zero : other, of u32 or vectors of it. */
static uint32_t if_zero(struct gen *g, uint32_t width, uint32_t x, uint32_t zero, uint32_t other)
{
	uint32_t is_zero = spirv_value(g, OP_I_EQUAL, spirv_type_of(g, WGSL_BOOL, width),
				       ARGS(x, word(g, width, 0)));

	return spirv_value_select(g, spirv_type_of(g, WGSL_U32, width), is_zero, zero, other);
}

static uint32_t of_word(struct gen *g, enum wgsl_op op, uint32_t width, uint32_t x)
{
	uint32_t u = spirv_type_of(g, WGSL_U32, width), at;

	switch ((int)op) {
	case WGSL_OP_POPCOUNT:
		return spirv_value(g, OP_BIT_COUNT, u, ARGS(x));
	case WGSL_OP_REVERSE:
		return spirv_value(g, OP_BIT_REVERSE, u, ARGS(x));
	case WGSL_OP_CLZ:
		/* 31 minus the place of the highest bit, which is -1 for 0. */
		at = spirv_glsl(g, GLSL_FIND_U_MSB, u, x, 0);
		return spirv_value(g, OP_I_SUB, u, ARGS(word(g, width, 31), at));
	default:
		at = spirv_glsl(g, GLSL_FIND_I_LSB, u, x, 0);
		return if_zero(g, width, x, word(g, width, 32), at);
	}
}

static uint32_t more(struct gen *g, uint32_t width, uint32_t n, uint32_t by)
{
	return spirv_value(g, OP_I_ADD, spirv_type_of(g, WGSL_U32, width), ARGS(n, by));
}

static uint32_t of_halves(struct gen *g, enum wgsl_op op, uint32_t width, uint32_t x)
{
	uint32_t u32 = spirv_type_of(g, WGSL_U32, width), u64 = spirv_type_of(g, WGSL_U64, width);
	uint32_t half = word(g, width, 32), low, high, l, h;

	low = spirv_value(g, OP_U_CONVERT, u32, ARGS(x));
	high = spirv_value(g, OP_SHIFT_RIGHT_LOGICAL, u64, ARGS(x, half));
	high = spirv_value(g, OP_U_CONVERT, u32, ARGS(high));
	l = of_word(g, op, width, low);
	h = of_word(g, op, width, high);
	if (op == WGSL_OP_REVERSE) {
		l = spirv_value(g, OP_U_CONVERT, u64, ARGS(l));
		h = spirv_value(g, OP_U_CONVERT, u64, ARGS(h));
		l = spirv_value(g, OP_SHIFT_LEFT_LOGICAL, u64, ARGS(l, half));
		return spirv_value(g, OP_BITWISE_OR, u64, ARGS(l, h));
	}
	if (op == WGSL_OP_POPCOUNT)
		l = more(g, width, l, h);
	else if (op == WGSL_OP_CLZ)
		l = if_zero(g, width, high, more(g, width, l, half), h);
	else
		l = if_zero(g, width, low, more(g, width, h, half), l);
	return spirv_value(g, OP_U_CONVERT, u64, ARGS(l));
}

uint32_t spirv_bits(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	uint32_t width = wgsl_type_width(i->type);

	x = spirv_value_unsigned(g, i->type, x);
	if (spirv_type_is_wide(kind))
		x = of_halves(g, i->op, width, x);
	else
		x = of_word(g, i->op, width, x);
	if (kind == spirv_type_bits(kind))
		return x;
	return spirv_value(g, OP_BITCAST, spirv_type_value(g, i->type), ARGS(x));
}
