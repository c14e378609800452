/* value.c - instructions that compute values; see gen_int.h. */
#include "base/mem.h"
#include "spirv/gen_int.h"

static uint32_t width_of(const struct wgsl_inst *i)
{
	return wgsl_type_width(i->type);
}

uint32_t spirv_value_arg(struct gen *g, const struct wgsl_inst *i, uint32_t n)
{
	return g->ids[i->args[n]->id];
}

uint32_t spirv_value_select(struct gen *g, uint32_t type, uint32_t cond, uint32_t yes, uint32_t no)
{
	return spirv_value(g, OP_SELECT, type, ARGS(cond, yes, no));
}

/* ---- one operand ---------------------------------------------------------------------------- */

uint32_t spirv_value_unsigned(struct gen *g, const struct wgsl_type *t, uint32_t x)
{
	enum wgsl_kind kind = wgsl_type_base(t), bits = spirv_type_bits(kind);

	if (kind == bits)
		return x;
	return spirv_value(g, OP_BITCAST, spirv_type_of(g, bits, wgsl_type_width(t)), ARGS(x));
}

static bool is_signed(enum wgsl_kind kind)
{
	return kind == WGSL_I32 || kind == WGSL_I64;
}

static uint32_t int_abs(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	uint32_t n = width_of(i), type = spirv_type_value(g, i->type), is_neg, neg;

	if (!is_signed(kind))
		return x;
	is_neg = spirv_value(g, OP_S_LESS, spirv_type_of(g, WGSL_BOOL, n),
			     ARGS(x, spirv_const_splat(g, kind, n, 0)));
	neg = spirv_value(g, OP_S_NEGATE, type, ARGS(x));
	return spirv_value_select(g, type, is_neg, neg, x);
}

static uint32_t unary(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	uint32_t type = spirv_type_value(g, i->type);

	if (wgsl_type_is_float(i->type))
		return spirv_float_unary(g, i, x);
	switch ((int)i->op) {
	case WGSL_OP_NEG:
		return spirv_value(g, OP_S_NEGATE, type, ARGS(x));
	case WGSL_OP_NOT:
		if (wgsl_type_base(i->type) == WGSL_BOOL)
			return spirv_value(g, OP_LOGICAL_NOT, type, ARGS(x));
		return spirv_value(g, OP_NOT, type, ARGS(x));
	case WGSL_OP_ABS:
		return int_abs(g, i, x);
	case WGSL_OP_POPCOUNT:
	case WGSL_OP_CLZ:
	case WGSL_OP_CTZ:
	case WGSL_OP_REVERSE:
		return spirv_bits(g, i, x);
	default:
		spirv_fail(g, ERR_INVALID, wgsl_op_name(i->op));
		return x;
	}
}

/*
 * Integers to integers: cut, or extended as the operand is signed; by arithmetic, because lavapipe
 * (Mesa 22.3) compares what OpSConvert extends with constants as if it were unsigned.
 */
static uint32_t resize(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	enum wgsl_kind from = wgsl_type_base(i->args[0]->type), to = wgsl_type_base(i->type);
	uint32_t n = width_of(i);
	enum wgsl_kind between = spirv_type_bits(to);

	if (spirv_type_is_wide(from) != spirv_type_is_wide(to)) {
		uint32_t type = spirv_type_of(g, between, n);

		x = spirv_value(g, OP_U_CONVERT, type, ARGS(x));
		if (spirv_type_is_wide(to) && is_signed(from)) {
			uint32_t sign = spirv_const_splat(g, between, n, 0x80000000);

			x = spirv_value(g, OP_BITWISE_XOR, type, ARGS(x, sign));
			x = spirv_value(g, OP_I_SUB, type, ARGS(x, sign));
		}
		if (between == to)
			return x;
	}
	return spirv_value(g, OP_BITCAST, spirv_type_value(g, i->type), ARGS(x));
}

/* A zero that a compiler knows would be one in floats, too: see spirv_const_inst. */
static uint32_t bitcast(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	const struct wgsl_type *from = i->args[0]->type;

	if (wgsl_type_is_float(i->type) && !wgsl_type_is_float(from)) {
		x = spirv_value_unsigned(g, from, x);
		x = spirv_const_unknown(g, spirv_type_bits(wgsl_type_base(from)),
					wgsl_type_width(from), x);
	}
	return spirv_value(g, OP_BITCAST, spirv_type_value(g, i->type), ARGS(x));
}

static uint32_t convert(struct gen *g, const struct wgsl_inst *i, uint32_t x)
{
	enum wgsl_kind from = wgsl_type_base(i->args[0]->type), to = wgsl_type_base(i->type);
	uint32_t type = spirv_type_value(g, i->type), n = width_of(i);

	if (from == to)
		return x;
	if (i->op == WGSL_OP_BITCAST)
		return bitcast(g, i, x);
	if (wgsl_type_is_float(i->args[0]->type) || wgsl_type_is_float(i->type))
		return spirv_float_convert(g, i, x);
	if (to == WGSL_BOOL)
		return spirv_value(g, OP_I_NOT_EQUAL, type,
				   ARGS(x, spirv_const_splat(g, from, n, 0)));
	if (from == WGSL_BOOL)
		return spirv_value_select(g, type, x, spirv_const_splat(g, to, n, 1),
					  spirv_const_splat(g, to, n, 0));
	return resize(g, i, x);
}

/* ---- two operands --------------------------------------------------------------------------- */

/* A divisor for which the division is defined and gives x / 0 = x, MIN / -1 = MIN. */
static uint32_t divisor(struct gen *g, const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	uint32_t n = width_of(i), yes = spirv_type_of(g, WGSL_BOOL, n), bad;

	bad = spirv_value(g, OP_I_EQUAL, yes, ARGS(b, spirv_const_splat(g, kind, n, 0)));
	if (is_signed(kind)) {
		bool is_wide = spirv_type_is_wide(kind);
		uint32_t min =
		    spirv_const_splat(g, kind, n, is_wide ? (uint64_t)INT64_MIN : 0x80000000U);
		uint32_t minus = spirv_const_splat(g, kind, n, UINT64_MAX);

		min = spirv_value(g, OP_I_EQUAL, yes, ARGS(a, min));
		minus = spirv_value(g, OP_I_EQUAL, yes, ARGS(b, minus));
		min = spirv_value(g, OP_LOGICAL_AND, yes, ARGS(min, minus));
		bad = spirv_value(g, OP_LOGICAL_OR, yes, ARGS(bad, min));
	}
	return spirv_value_select(g, spirv_type_value(g, i->type), bad,
				  spirv_const_splat(g, kind, n, 1), b);
}

static uint32_t divide(struct gen *g, const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	uint32_t type = spirv_type_value(g, i->type), q;

	b = divisor(g, i, a, b);
	q = spirv_value(g, is_signed(wgsl_type_base(i->type)) ? OP_S_DIV : OP_U_DIV, type,
			ARGS(a, b));
	if (i->op == WGSL_OP_DIV)
		return q;
	q = spirv_value(g, OP_I_MUL, type, ARGS(q, b));
	return spirv_value(g, OP_I_SUB, type, ARGS(a, q));
}

static uint32_t shift(struct gen *g, const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	enum spirv_op op = OP_SHIFT_LEFT_LOGICAL;
	uint32_t mask =
	    spirv_const_splat(g, WGSL_U32, width_of(i), spirv_type_is_wide(kind) ? 63 : 31);

	if (i->op == WGSL_OP_SHR)
		op = is_signed(kind) ? OP_SHIFT_RIGHT_ARITHMETIC : OP_SHIFT_RIGHT_LOGICAL;
	b = spirv_value(g, OP_BITWISE_AND, spirv_type_of(g, WGSL_U32, width_of(i)), ARGS(b, mask));
	return spirv_value(g, op, spirv_type_value(g, i->type), ARGS(a, b));
}

static uint32_t compare(struct gen *g, enum wgsl_op op, const struct wgsl_type *t, uint32_t a,
			uint32_t b)
{
	static const enum spirv_op floats[] = { OP_F_ORD_EQUAL,   OP_F_UNORD_NOT_EQUAL,
						OP_F_ORD_LESS,    OP_F_ORD_LESS_EQUAL,
						OP_F_ORD_GREATER, OP_F_ORD_GREATER_EQUAL };
	static const enum spirv_op signs[] = {
		OP_I_EQUAL,      OP_I_NOT_EQUAL, OP_S_LESS,
		OP_S_LESS_EQUAL, OP_S_GREATER,   OP_S_GREATER_EQUAL
	};
	static const enum spirv_op unsigns[] = {
		OP_I_EQUAL,      OP_I_NOT_EQUAL, OP_U_LESS,
		OP_U_LESS_EQUAL, OP_U_GREATER,   OP_U_GREATER_EQUAL
	};
	uint32_t type = spirv_type_of(g, WGSL_BOOL, wgsl_type_width(t));
	enum wgsl_kind kind = wgsl_type_base(t);
	unsigned n = (unsigned)op - (unsigned)WGSL_OP_EQ;

	/* Otherwise a driver may take comparison and selection for its own minimum, which
	 * differs for NaN and zeros. */
	if (wgsl_type_is_float(t))
		return spirv_float_exact(g, floats[n], type, a, b);
	if (kind != WGSL_BOOL)
		return spirv_value(g, is_signed(kind) ? signs[n] : unsigns[n], type, ARGS(a, b));
	if (n > 1)
		spirv_fail(g, ERR_INVALID, "a comparison of these types");
	return spirv_value(g, n == 0 ? OP_LOGICAL_EQUAL : OP_LOGICAL_NOT_EQUAL, type, ARGS(a, b));
}

static uint32_t min_max(struct gen *g, const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	uint32_t less = i->op == WGSL_OP_MIN ? compare(g, WGSL_OP_LT, i->type, b, a)
					     : compare(g, WGSL_OP_LT, i->type, a, b);

	return spirv_value_select(g, spirv_type_value(g, i->type), less, b, a);
}

static uint32_t float_binary(struct gen *g, const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	uint32_t type = spirv_type_value(g, i->type);

	if (i->is_strict && wgsl_type_base(i->type) == WGSL_F32)
		spirv_fail(g, ERR_INVALID, "a division that must be correctly rounded");
	switch ((int)i->op) {
	case WGSL_OP_ADD:
		return spirv_float_exact(g, OP_F_ADD, type, a, b);
	case WGSL_OP_SUB:
		return spirv_float_exact(g, OP_F_SUB, type, a, b);
	case WGSL_OP_MUL:
		return spirv_float_exact(g, OP_F_MUL, type, a, b);
	case WGSL_OP_DIV:
		return spirv_float_exact(g, OP_F_DIV, type, a, b);
	default:
		spirv_fail(g, ERR_INVALID, wgsl_op_name(i->op));
		return a;
	}
}

static uint32_t int_binary(struct gen *g, const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	uint32_t type = spirv_type_value(g, i->type);
	bool is_bool = wgsl_type_base(i->type) == WGSL_BOOL;

	switch ((int)i->op) {
	case WGSL_OP_ADD:
		return spirv_value(g, OP_I_ADD, type, ARGS(a, b));
	case WGSL_OP_SUB:
		return spirv_value(g, OP_I_SUB, type, ARGS(a, b));
	case WGSL_OP_MUL:
		return spirv_value(g, OP_I_MUL, type, ARGS(a, b));
	case WGSL_OP_AND:
		return spirv_value(g, is_bool ? OP_LOGICAL_AND : OP_BITWISE_AND, type, ARGS(a, b));
	case WGSL_OP_OR:
		return spirv_value(g, is_bool ? OP_LOGICAL_OR : OP_BITWISE_OR, type, ARGS(a, b));
	case WGSL_OP_XOR:
		return spirv_value(g, is_bool ? OP_LOGICAL_NOT_EQUAL : OP_BITWISE_XOR, type,
				   ARGS(a, b));
	case WGSL_OP_SHL:
	case WGSL_OP_SHR:
		return shift(g, i, a, b);
	default:
		return divide(g, i, a, b);
	}
}

static uint32_t binary(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t a = spirv_value_arg(g, i, 0), b = spirv_value_arg(g, i, 1);

	if (i->op >= WGSL_OP_EQ && i->op <= WGSL_OP_GE)
		return compare(g, i->op, i->args[0]->type, a, b);
	if (i->op == WGSL_OP_MIN || i->op == WGSL_OP_MAX)
		return min_max(g, i, a, b);
	return wgsl_type_is_float(i->type) ? float_binary(g, i, a, b) : int_binary(g, i, a, b);
}

/* ---- vectors -------------------------------------------------------------------------------- */

static uint32_t splat(struct gen *g, uint32_t type, uint32_t n, uint32_t x)
{
	const uint32_t all[4] = { x, x, x, x };

	return spirv_value(g, OP_COMPOSITE_CONSTRUCT, type, all, n);
}

static uint32_t select_inst(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t cond = spirv_value_arg(g, i, 2), n = width_of(i);

	if (n > 1 && wgsl_type_width(i->args[2]->type) == 1)
		cond = splat(g, spirv_type_of(g, WGSL_BOOL, n), n, cond);
	return spirv_value_select(g, spirv_type_value(g, i->type), cond, spirv_value_arg(g, i, 1),
				  spirv_value_arg(g, i, 0));
}

static uint32_t extract_dynamic(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t last = spirv_const_u32(g, wgsl_type_width(i->args[0]->type) - 1);
	uint32_t at = spirv_value_unsigned(g, i->args[1]->type, spirv_value_arg(g, i, 1));

	at = spirv_glsl(g, GLSL_U_MIN, spirv_type_of(g, WGSL_U32, 1), at, last);
	return spirv_value(g, OP_VECTOR_EXTRACT_DYNAMIC, spirv_type_value(g, i->type),
			   ARGS(spirv_value_arg(g, i, 0), at));
}

static uint32_t rearrange(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t type = spirv_type_value(g, i->type), x = spirv_value_arg(g, i, 0),
		 all[6] = { x, x };

	switch ((int)i->op) {
	case WGSL_OP_SPLAT:
		return splat(g, type, width_of(i), x);
	case WGSL_OP_COMPOSE:
		for (uint32_t n = 0; n < i->n_args; n++)
			all[n] = spirv_value_arg(g, i, n);
		return spirv_value(g, OP_COMPOSITE_CONSTRUCT, type, all, i->n_args);
	case WGSL_OP_EXTRACT:
		return spirv_value(g, OP_COMPOSITE_EXTRACT, type, ARGS(x, i->lanes[0]));
	default:
		for (uint32_t n = 0; n < width_of(i); n++)
			all[n + 2] = i->lanes[n];
		return spirv_value(g, OP_VECTOR_SHUFFLE, type, all, width_of(i) + 2);
	}
}

static uint32_t compute(struct gen *g, const struct wgsl_inst *i)
{
	switch ((int)i->op) {
	case WGSL_OP_SUBGROUP:
		return spirv_subgroup(g, i);
	case WGSL_OP_MATH:
		return spirv_float_math(g, i);
	case WGSL_OP_CONVERT:
	case WGSL_OP_BITCAST:
		return convert(g, i, spirv_value_arg(g, i, 0));
	case WGSL_OP_SELECT:
		return select_inst(g, i);
	case WGSL_OP_SPLAT:
	case WGSL_OP_COMPOSE:
	case WGSL_OP_EXTRACT:
	case WGSL_OP_SWIZZLE:
		return rearrange(g, i);
	case WGSL_OP_EXTRACT_DYN:
		return extract_dynamic(g, i);
	default:
		break;
	}
	if (i->op >= WGSL_OP_ADD && i->op <= WGSL_OP_MAX)
		return binary(g, i);
	return unary(g, i, spirv_value_arg(g, i, 0));
}

void spirv_value_inst(struct gen *g, const struct wgsl_inst *i)
{
	g->ids[i->id] = compute(g, i);
}
