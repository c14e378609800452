/*
 * strict_div.c - division, square root and its inverse; see strict_int.h.
 *
 * The mantissas are integers of 24 bits. A float estimate of the quotient or root with 25
 * bits is off by a few units; its remainder is exact in u32 arithmetic, because the true remainder
 * is small and everything else cancels modulo 2^32. From the remainder follows the exact floor, and
 * whether anything is left, which is all that rounding needs. Estimates start from the well-known
 * trick that the bits of a float are about its logarithm and get Newton steps.
 */
#include "wgsl/strict_int.h"

/* a = m * 2^(e - 150) with m in [2^23, 2^24), for |a| > 0; `bits` without the sign. */
static void split(const struct fx *x, struct wgsl_inst *bits, struct wgsl_inst **m,
		  struct wgsl_inst **e)
{
	struct wgsl_inst *is_small = fx_opc(x, WGSL_OP_LT, bits, 0x00800000);
	struct wgsl_inst *up = fx_opc(x, WGSL_OP_SUB, wgsl_emit1(x->l, WGSL_OP_CLZ, x->u, bits), 8);
	struct wgsl_inst *normal = fx_opc(x, WGSL_OP_AND, bits, 0x007fffff);

	normal = fx_opc(x, WGSL_OP_OR, normal, 0x00800000);
	*m = fx_select(x, is_small, fx_op(x, WGSL_OP_SHL, bits, up), normal);
	*e = fx_select(x, is_small, fx_op(x, WGSL_OP_SUB, fx_u(x, 1), up),
		       fx_opc(x, WGSL_OP_SHR, bits, 23));
	*e = fx_ints(x, *e);
}

/* m / 2^23 as f32 in [1, 2). */
static struct wgsl_inst *unit(const struct fx *x, struct wgsl_inst *m)
{
	return fx_float(x, fx_opc(x, WGSL_OP_ADD, m, 0x3f000000));
}

/* 1 / b to about 23 bits for b in [1, 2): three steps from 12 % */
static struct wgsl_inst *reciprocal(const struct fx *x, struct wgsl_inst *b)
{
	struct wgsl_inst *r =
	    fx_float(x, fx_op(x, WGSL_OP_SUB, fx_u(x, 0x7ef311c7), fx_bits(x, b)));

	for (int i = 0; i < 3; i++)
		r = fx_mul(x, r, fx_sub(x, fx_f(x, 2.0f), fx_mul(x, b, r)));
	return r;
}

/* 1 / sqrt(a) to about 22 bits: three steps from 3.5 % */
static struct wgsl_inst *inverse_root(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *half = fx_mulc(x, a, 0.5f);
	struct wgsl_inst *y = fx_opc(x, WGSL_OP_SHR, fx_bits(x, a), 1);

	y = fx_float(x, fx_op(x, WGSL_OP_SUB, fx_u(x, 0x5f3759df), y));
	for (int i = 0; i < 3; i++)
		y = fx_mul(x, y, fx_sub(x, fx_f(x, 1.5f), fx_mul(x, fx_mul(x, half, y), y)));
	return y;
}

/* q units of 2^-24, rem left over: rounded to f32 with the biased exponent e, as bits. */
static struct wgsl_inst *rounded(const struct fx *x, struct wgsl_inst *q, struct wgsl_inst *rem,
				 struct wgsl_inst *e)
{
	struct wgsl_inst *least = wgsl_const_bits(x->l, x->i, 1);
	struct wgsl_inst *floor = fx_op(x, WGSL_OP_MAX, e, least);
	struct wgsl_inst *drop = fx_bits(x, fx_op(x, WGSL_OP_SUB, floor, e));
	struct wgsl_inst *kept;
	struct wgsl_inst *half;
	struct wgsl_inst *below;
	struct wgsl_inst *up;

	/* Of a subnormal more than the lowest bit goes: `drop` more. */
	drop = fx_opc(x, WGSL_OP_MIN, drop, 30);
	half = fx_op(x, WGSL_OP_SHR, q, drop);
	below = fx_op(x, WGSL_OP_SUB, q, fx_op(x, WGSL_OP_SHL, half, drop));
	below = fx_op(x, WGSL_OP_OR, below, rem);
	kept = fx_opc(x, WGSL_OP_SHR, half, 1);
	up = fx_opc(x, WGSL_OP_NE, fx_op(x, WGSL_OP_OR, below, fx_opc(x, WGSL_OP_AND, kept, 1)), 0);
	up = fx_select(x, up, fx_opc(x, WGSL_OP_AND, half, 1), fx_u(x, 0));
	floor = fx_opc(x, WGSL_OP_SHL, fx_opc(x, WGSL_OP_SUB, floor, 1), 23);
	return fx_op(x, WGSL_OP_ADD, fx_bits(x, floor), fx_op(x, WGSL_OP_ADD, kept, up));
}

/* a / b for what is neither zero nor infinite nor NaN: bits without the sign. */
static struct wgsl_inst *divide(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *ma;
	struct wgsl_inst *mb;
	struct wgsl_inst *ea;
	struct wgsl_inst *eb;
	struct wgsl_inst *less;
	struct wgsl_inst *r;
	struct wgsl_inst *q;
	struct wgsl_inst *rem;
	struct wgsl_inst *fix;

	split(x, a, &ma, &ea);
	split(x, b, &mb, &eb);
	less = fx_convert(x, fx_op(x, WGSL_OP_LT, ma, mb), x->u);
	r = reciprocal(x, unit(x, mb));
	q = fx_mul(x, unit(x, ma), r);
	/* The quotient, doubled if it is below 1, in units of 2^-24. */
	q = fx_convert(x, fx_mulc(x, q, 16777216.0f), x->u);
	q = fx_op(x, WGSL_OP_SHL, q, less);
	rem = fx_op(x, WGSL_OP_SHL, ma, fx_opc(x, WGSL_OP_ADD, less, 24));
	rem = fx_op(x, WGSL_OP_SUB, rem, fx_op(x, WGSL_OP_MUL, q, mb));
	fix = fx_mul(x, fx_convert(x, fx_ints(x, rem), x->f), fx_mulc(x, r, 0x1p-23f));
	fix = wgsl_emit1(x->l, WGSL_OP_FLOOR, x->f, fix);
	fix = fx_bits(x, fx_convert(x, fix, x->i));
	q = fx_op(x, WGSL_OP_ADD, q, fix);
	rem = fx_op(x, WGSL_OP_SUB, rem, fx_op(x, WGSL_OP_MUL, fix, mb));
	/* At most one off now. */
	fix = fx_convert(x, fx_op(x, WGSL_OP_GE, fx_ints(x, rem), fx_ints(x, mb)), x->u);
	fix = fx_op(x, WGSL_OP_SUB, fix, fx_opc(x, WGSL_OP_SHR, rem, 31));
	q = fx_op(x, WGSL_OP_ADD, q, fix);
	rem = fx_op(x, WGSL_OP_SUB, rem, fx_op(x, WGSL_OP_MUL, fix, mb));
	ea = fx_op(x, WGSL_OP_SUB, fx_opc(x, WGSL_OP_ADD, ea, 127), eb);
	ea = fx_op(x, WGSL_OP_SUB, ea, fx_ints(x, less));
	q = rounded(x, q, rem, ea);
	return fx_select(x, fx_opc(x, WGSL_OP_GT, ea, 254), fx_u(x, 0x7f800000), q);
}

struct wgsl_inst *strict_long_div(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *ba = fx_bits(x, a);
	struct wgsl_inst *bb = fx_bits(x, b);
	struct wgsl_inst *sign = fx_opc(x, WGSL_OP_AND, fx_op(x, WGSL_OP_XOR, ba, bb), 0x80000000);
	struct wgsl_inst *ua = fx_opc(x, WGSL_OP_AND, ba, 0x7fffffff);
	struct wgsl_inst *ub = fx_opc(x, WGSL_OP_AND, bb, 0x7fffffff);
	struct wgsl_inst *q = divide(x, ua, ub);
	struct wgsl_inst *zero = fx_op(x, WGSL_OP_OR, fx_opc(x, WGSL_OP_EQ, ua, 0),
				       fx_opc(x, WGSL_OP_EQ, ub, 0x7f800000));
	struct wgsl_inst *inf = fx_op(x, WGSL_OP_OR, fx_opc(x, WGSL_OP_EQ, ub, 0),
				      fx_opc(x, WGSL_OP_EQ, ua, 0x7f800000));
	struct wgsl_inst *nan = fx_op(x, WGSL_OP_OR, fx_opc(x, WGSL_OP_GT, ua, 0x7f800000),
				      fx_opc(x, WGSL_OP_GT, ub, 0x7f800000));

	q = fx_select(x, zero, fx_u(x, 0), q);
	q = fx_select(x, inf, fx_u(x, 0x7f800000), q);
	q = fx_op(x, WGSL_OP_OR, q, sign);
	nan = fx_op(x, WGSL_OP_OR, nan, fx_op(x, WGSL_OP_AND, zero, inf));
	return fx_float(x, fx_select(x, nan, fx_u(x, 0x7fc00000), q));
}

/* sqrt(a) for a positive finite number. m is shifted by 25 or 26 so that its root has 25
 * bits and the exponent is even. A root of 25 bits is never exact with its last bit set: no ties.
 */
static struct wgsl_inst *root(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *m;
	struct wgsl_inst *e;
	struct wgsl_inst *even;
	struct wgsl_inst *y;
	struct wgsl_inst *r;
	struct wgsl_inst *n;
	struct wgsl_inst *rem;
	struct wgsl_inst *fix;

	split(x, a, &m, &e);
	even = fx_opc(x, WGSL_OP_AND, wgsl_emit1(x->l, WGSL_OP_NOT, x->u, fx_bits(x, e)), 1);
	n = fx_op(x, WGSL_OP_SHL, m, fx_opc(x, WGSL_OP_ADD, even, 25));
	m = fx_bits(x, unit(x, m));
	m = fx_float(x, fx_op(x, WGSL_OP_ADD, m, fx_opc(x, WGSL_OP_SHL, even, 23)));
	y = inverse_root(x, m);
	r = fx_convert(x, fx_mulc(x, fx_mul(x, m, y), 16777216.0f), x->u);
	rem = fx_op(x, WGSL_OP_SUB, n, fx_op(x, WGSL_OP_MUL, r, r));
	fix = fx_mul(x, fx_convert(x, fx_ints(x, rem), x->f), fx_mulc(x, y, 0x1p-25f));
	fix = wgsl_emit1(x->l, WGSL_OP_FLOOR, x->f, fix);
	r = fx_op(x, WGSL_OP_ADD, r, fx_bits(x, fx_convert(x, fix, x->i)));
	rem = fx_op(x, WGSL_OP_SUB, n, fx_op(x, WGSL_OP_MUL, r, r));
	fix = fx_op(x, WGSL_OP_GT, fx_ints(x, rem), fx_ints(x, fx_opc(x, WGSL_OP_SHL, r, 1)));
	fix = fx_convert(x, fix, x->u);
	r = fx_op(x, WGSL_OP_ADD, r, fix);
	r = fx_op(x, WGSL_OP_SUB, r, fx_opc(x, WGSL_OP_SHR, rem, 31));
	/* To nearest; the exponent is 151 + floor((e - 175) / 2), less the hidden bit. */
	r = fx_opc(x, WGSL_OP_SHR, fx_opc(x, WGSL_OP_ADD, r, 1), 1);
	e = fx_opc(x, WGSL_OP_SHR, fx_opc(x, WGSL_OP_SUB, e, 175), 1);
	e = fx_opc(x, WGSL_OP_SHL, fx_opc(x, WGSL_OP_ADD, e, 150), 23);
	return fx_float(x, fx_op(x, WGSL_OP_ADD, r, fx_bits(x, e)));
}

struct wgsl_inst *strict_long_sqrt(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *r = root(x, fx_bits(x, a));
	struct wgsl_inst *same =
	    fx_op(x, WGSL_OP_OR, fx_eq(x, a, 0.0f), fx_op(x, WGSL_OP_EQ, a, fx_inf(x)));

	r = fx_select(x, fx_gt(x, a, 0.0f), r, fx_nan(x));
	return fx_select(x, same, a, r);
}

struct wgsl_inst *strict_inverse_sqrt(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *one = fx_f(x, 1.0f);
	struct wgsl_inst *small = fx_lt(x, a, 0x1p-64f);
	struct wgsl_inst *large = fx_gt(x, a, 0x1p64f);
	struct wgsl_inst *by = fx_select(x, large, fx_f(x, 0x1p-64f), one);
	struct wgsl_inst *back = fx_select(x, large, fx_f(x, 0x1p-32f), one);
	struct wgsl_inst *v;
	struct wgsl_inst *y;
	struct wgsl_inst *e;
	struct fx_pair p;
	struct fx_pair h;

	v = fx_mul(x, a, fx_select(x, small, fx_f(x, 0x1p64f), by));
	y = inverse_root(x, v);
	/* e = 1 - v y y, exactly enough; a last step with it leaves one rounding. */
	p = fx_product(x, y, y);
	h = fx_product(x, v, p.hi);
	e = fx_sub(x, fx_sub(x, fx_sub(x, one, h.hi), h.lo), fx_mul(x, v, p.lo));
	y = fx_add(x, y, fx_mul(x, fx_mulc(x, y, 0.5f), e));
	y = fx_mul(x, y, fx_select(x, small, fx_f(x, 0x1p32f), back));
	y = fx_select(x, fx_gt(x, a, 0.0f), y, fx_nan(x));
	y = fx_select(x, fx_op(x, WGSL_OP_EQ, a, fx_inf(x)), fx_f(x, 0.0f), y);
	return fx_select(x, fx_eq(x, a, 0.0f), fx_sign_of(x, fx_inf(x), a), y);
}
