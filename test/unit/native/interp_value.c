/* interp_value.c - see interp_value.h. */
#include "interp_value.h"

#include <math.h>
#include <string.h>

static bool is_wide(enum wgsl_kind k)
{
	return k == WGSL_I64 || k == WGSL_U64 || k == WGSL_F64;
}

static bool is_signed(enum wgsl_kind k)
{
	return k == WGSL_I32 || k == WGSL_I64;
}

static bool is_float(enum wgsl_kind k)
{
	return k == WGSL_F32 || k == WGSL_F64;
}

/* f32 is exact in double. */
static double as_double(enum wgsl_kind kind, uint64_t v)
{
	uint32_t word = (uint32_t)v;
	double d;
	float f;

	memcpy(&d, &v, sizeof(d));
	memcpy(&f, &word, sizeof(f));
	return kind == WGSL_F64 ? d : (double)f;
}

static uint64_t float_bits(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static uint64_t double_bits(double f)
{
	uint64_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static uint64_t as_bits(enum wgsl_kind kind, double f)
{
	return kind == WGSL_F64 ? double_bits(f) : float_bits((float)f);
}

/* Sign-extended if the kind has a sign. */
static int64_t as_int(enum wgsl_kind kind, uint64_t v)
{
	return kind == WGSL_I32 ? (int32_t)(uint32_t)v : (int64_t)v;
}

static uint64_t cut(enum wgsl_kind kind, uint64_t v)
{
	return is_wide(kind) ? v : (uint32_t)v;
}

static uint64_t divide(enum wgsl_kind kind, uint64_t a, uint64_t b, bool rem)
{
	int64_t x = as_int(kind, a), y = as_int(kind, b);

	if (b == 0)
		return rem ? 0 : a;
	if (!is_signed(kind))
		return rem ? a % b : a / b;
	if (y == -1)
		return rem ? 0 : 0 - a;
	return (uint64_t)(rem ? x % y : x / y);
}

static bool less(enum wgsl_kind kind, uint64_t a, uint64_t b)
{
	if (is_float(kind))
		return as_double(kind, a) < as_double(kind, b);
	return is_signed(kind) ? as_int(kind, a) < as_int(kind, b) : a < b;
}

static bool equal(enum wgsl_kind kind, uint64_t a, uint64_t b)
{
	return is_float(kind) ? as_double(kind, a) == as_double(kind, b) : a == b;
}

static bool compare(enum wgsl_op op, enum wgsl_kind kind, uint64_t a, uint64_t b)
{
	switch ((int)op) {
	case WGSL_OP_EQ:
		return equal(kind, a, b);
	case WGSL_OP_NE:
		return !equal(kind, a, b);
	case WGSL_OP_LT:
		return less(kind, a, b);
	case WGSL_OP_LE:
		return less(kind, a, b) || equal(kind, a, b);
	case WGSL_OP_GT:
		return less(kind, b, a);
	default:
		return less(kind, b, a) || equal(kind, a, b);
	}
}

/* One rounding in the type itself. */
static uint64_t float_op(enum wgsl_op op, enum wgsl_kind kind, uint64_t a, uint64_t b)
{
	double x = as_double(kind, a), y = as_double(kind, b);
	volatile float f = 0;
	volatile double d = 0;

	switch ((int)op) {
	case WGSL_OP_ADD:
		d = x + y;
		f = (float)x + (float)y;
		break;
	case WGSL_OP_SUB:
		d = x - y;
		f = (float)x - (float)y;
		break;
	case WGSL_OP_MUL:
		d = x * y;
		f = (float)x * (float)y;
		break;
	case WGSL_OP_MIN:
		return y < x ? b : a;
	case WGSL_OP_MAX:
		return x < y ? b : a;
	default:
		d = x / y;
		f = (float)x / (float)y;
		break;
	}
	return kind == WGSL_F64 ? double_bits(d) : float_bits(f);
}

uint64_t interp_integer(enum wgsl_op op, enum wgsl_kind kind, uint64_t a, uint64_t b)
{
	uint32_t by = (uint32_t)b & (is_wide(kind) ? 63 : 31);

	switch ((int)op) {
	case WGSL_OP_ADD:
		return cut(kind, a + b);
	case WGSL_OP_SUB:
		return cut(kind, a - b);
	case WGSL_OP_MUL:
		return cut(kind, a * b);
	case WGSL_OP_DIV:
		return cut(kind, divide(kind, a, b, false));
	case WGSL_OP_REM:
		return cut(kind, divide(kind, a, b, true));
	case WGSL_OP_AND:
		return a & b;
	case WGSL_OP_OR:
		return a | b;
	case WGSL_OP_XOR:
		return a ^ b;
	case WGSL_OP_SHL:
		return cut(kind, a << by);
	case WGSL_OP_SHR:
		return cut(kind, is_signed(kind) ? (uint64_t)(as_int(kind, a) >> by) : a >> by);
	case WGSL_OP_MIN:
		return less(kind, b, a) ? b : a;
	default:
		return less(kind, a, b) ? b : a;
	}
}

static uint64_t round_op(enum wgsl_op op, enum wgsl_kind kind, uint64_t v)
{
	double x = as_double(kind, v);

	switch ((int)op) {
	case WGSL_OP_FLOOR:
		return as_bits(kind, floor(x));
	case WGSL_OP_CEIL:
		return as_bits(kind, ceil(x));
	case WGSL_OP_TRUNC:
		return as_bits(kind, trunc(x));
	case WGSL_OP_ROUND:
		return as_bits(kind, rint(x));
	case WGSL_OP_SQRT:
		return kind == WGSL_F64 ? double_bits(sqrt(x)) : float_bits(sqrtf((float)x));
	default:
		if (!isnan(x))
			return v;
		return kind == WGSL_F64 ? 0x7ff8000000000000 : 0x7fc00000;
	}
}

static uint64_t reverse_bits(uint64_t v, uint32_t width)
{
	uint64_t r = 0;

	for (uint32_t n = 0; n < width; n++)
		r |= (v >> n & 1) << (width - 1 - n);
	return r;
}

static uint64_t unary_op(enum wgsl_op op, enum wgsl_kind kind, uint64_t x)
{
	uint64_t sign = is_wide(kind) ? (uint64_t)1 << 63 : 0x80000000;
	uint32_t width = is_wide(kind) ? 64 : 32;

	switch ((int)op) {
	case WGSL_OP_NEG:
		return is_float(kind) ? x ^ sign : cut(kind, 0 - x);
	case WGSL_OP_NOT:
		return kind == WGSL_BOOL ? !x : cut(kind, ~x);
	case WGSL_OP_ABS:
		if (is_float(kind))
			return x & ~sign;
		return as_int(kind, x) < 0 && is_signed(kind) ? cut(kind, 0 - x) : x;
	case WGSL_OP_POPCOUNT:
		return (uint64_t)__builtin_popcountll(x);
	case WGSL_OP_CLZ:
		return x ? (uint64_t)__builtin_clzll(x) - (64 - width) : width;
	case WGSL_OP_CTZ:
		return x ? (uint64_t)__builtin_ctzll(x) : width;
	case WGSL_OP_REVERSE:
		return reverse_bits(x, width);
	default:
		return round_op(op, kind, x);
	}
}

/* The largest value of `from` that `to` holds. */
static double highest(enum wgsl_kind from, enum wgsl_kind to)
{
	if (from == WGSL_F64)
		return to == WGSL_I32   ? 2147483647.0
		       : to == WGSL_U32 ? 4294967295.0
		       : to == WGSL_I64 ? 9223372036854774784.0
					: 18446744073709549568.0;
	return to == WGSL_I32   ? 2147483520.0
	       : to == WGSL_U32 ? 4294967040.0
	       : to == WGSL_I64 ? 9223371487098961920.0
				: 18446742974197923840.0;
}

static uint64_t float_to_int(enum wgsl_kind from, enum wgsl_kind to, double x)
{
	double low = !is_signed(to) ? 0.0 : to == WGSL_I32 ? -0x1p31 : -0x1p63;

	if (isnan(x))
		return 0;
	if (x <= low)
		return cut(to, (uint64_t)(int64_t)low);
	x = x > highest(from, to) ? highest(from, to) : x;
	return cut(to, to == WGSL_U64 ? (uint64_t)x : (uint64_t)(int64_t)x);
}

static uint64_t convert_op(enum wgsl_kind from, enum wgsl_kind to, uint64_t x)
{
	double f = as_double(from, x);

	if (to == WGSL_BOOL)
		return is_float(from) ? f != 0 : x != 0;
	if (is_float(from) && is_float(to))
		return as_bits(to, f);
	if (is_float(from))
		return float_to_int(from, to, f);
	if (!is_float(to))
		return cut(to, (uint64_t)as_int(from, x));
	if (is_signed(from))
		return to == WGSL_F64 ? double_bits((double)as_int(from, x))
				      : float_bits((float)as_int(from, x));
	return to == WGSL_F64 ? double_bits((double)x) : float_bits((float)x);
}

uint64_t interp_value(const struct wgsl_inst *i, uint64_t a, uint64_t b)
{
	enum wgsl_kind of = wgsl_type_base(i->args[0]->type);

	if (i->op == WGSL_OP_CONVERT)
		return convert_op(of, wgsl_type_base(i->type), a);
	if (i->op == WGSL_OP_BITCAST)
		return a;
	if (i->n_args == 1)
		return unary_op(i->op, of, a);
	if (i->op >= WGSL_OP_EQ && i->op <= WGSL_OP_GE)
		return compare(i->op, of, a, b);
	return is_float(of) ? float_op(i->op, of, a, b) : interp_integer(i->op, of, a, b);
}
