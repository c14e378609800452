/*
 * strict_pow.c - pow; see strict_int.h.
 *
 * 2^(b log2 a), the logarithm as a pair with some 36 bits: its error times b is what the result
 * sees. With s = f / (2 + f) and z = s^2, log2(1 + f) = s (2 / ln 2 + z (2 / (3 ln 2) + z p(z))).
 * Zeros, infinities, NaN and negative bases are as in C's pow.
 */
#include "wgsl/strict_int.h"

/* 2 / ln 2; 2 / (3 ln 2) in 12 bits and the rest. */
static const float TWO_LOG2_E = 0x1.715476p+1f;
static const float TWO_LOG2_E_LOW = 0x1.4ae0cp-25f;
static const float THIRD_TOP = 0x1.ec6p-1f;
static const float THIRD_REST = 0x1.09dc3ap-13f;

/* f / (2 + f) */
static struct fx_pair quotient(const struct fx *x, struct wgsl_inst *f)
{
	struct fx_pair d = fx_quick_sum(x, fx_f(x, 2.0f), f);
	struct wgsl_inst *q = fx_div(x, f, d.hi);
	struct fx_pair p = fx_product(x, q, d.hi);
	struct wgsl_inst *rest = fx_sub(x, fx_sub(x, f, p.hi), p.lo);

	rest = fx_sub(x, rest, fx_mul(x, q, d.lo));
	return (struct fx_pair){ q, fx_div(x, rest, d.hi) };
}

/* log2(1 + f) / s for z = s^2 */
static struct fx_pair slope(const struct fx *x, struct fx_pair s)
{
	struct fx_pair z = fx_product(x, s.hi, s.hi);
	struct wgsl_inst *top = fx_top(x, z.hi);
	struct wgsl_inst *twice = fx_add(x, s.hi, s.hi);
	struct wgsl_inst *low;
	struct fx_pair r;

	z.lo = fx_add(x, z.lo, fx_mul(x, twice, s.lo));
	low = fx_add(x, fx_sub(x, z.hi, top), z.lo);
	low = fx_add(x, fx_mulc(x, low, THIRD_TOP), fx_mulc(x, z.hi, THIRD_REST));
	low = fx_add(
	    x, low,
	    fx_mul(x, fx_mul(x, z.hi, z.hi), fx_poly(x, z.hi, strict_log2_long, STRICT_LOG2_LONG)));
	r = fx_quick_sum(x, fx_f(x, TWO_LOG2_E), fx_mulc(x, top, THIRD_TOP));
	r.lo = fx_add(x, r.lo, fx_addc(x, low, TWO_LOG2_E_LOW));
	return r;
}

/* log2(a) for a >= 0; infinite for what is. */
static struct fx_pair log2_pair(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *k;
	struct wgsl_inst *f;
	struct wgsl_inst *low;
	struct fx_pair s;
	struct fx_pair m;
	struct fx_pair p;

	strict_split_log(x, a, &k, &f);
	s = quotient(x, f);
	m = slope(x, s);
	p = fx_product(x, s.hi, m.hi);
	low = fx_add(x, fx_mul(x, s.hi, m.lo), fx_mul(x, s.lo, m.hi));
	low = fx_add(x, p.lo, low);
	p = fx_quick_sum(x, k, p.hi);
	p = fx_quick_sum(x, p.hi, fx_add(x, p.lo, low));
	p.hi = fx_select(x, fx_eq(x, a, 0.0f), fx_neg(x, fx_inf(x)), p.hi);
	p.hi = fx_select(x, fx_op(x, WGSL_OP_EQ, a, fx_inf(x)), a, p.hi);
	return p;
}

/* b l, cut to where the power of two is 0 or infinite. */
static struct fx_pair exponent(const struct fx *x, struct wgsl_inst *b, struct fx_pair l)
{
	struct wgsl_inst *v = fx_clamp(x, b, -0x1p40f, 0x1p40f);
	struct fx_pair e = fx_product(x, v, l.hi);
	struct wgsl_inst *is_inside = fx_lt(x, fx_abs(x, e.hi), 155.0f);

	e.lo = fx_add(x, e.lo, fx_mul(x, v, l.lo));
	e.lo = fx_select(x, is_inside, e.lo, fx_f(x, 0.0f));
	e.hi = fx_clamp(x, e.hi, -160.0f, 140.0f);
	return e;
}

static struct wgsl_inst *is_whole(const struct fx *x, struct wgsl_inst *b)
{
	return fx_op(x, WGSL_OP_EQ, wgsl_emit1(x->l, WGSL_OP_TRUNC, x->f, b), b);
}

struct wgsl_inst *strict_pow_of(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *y = strict_exp2_pair(x, exponent(x, b, log2_pair(x, abs)));
	struct wgsl_inst *whole = is_whole(x, b);
	struct wgsl_inst *half = is_whole(x, fx_mulc(x, b, 0.5f));
	struct wgsl_inst *odd =
	    fx_op(x, WGSL_OP_AND, whole, wgsl_emit1(x->l, WGSL_OP_NOT, x->b, half));
	struct wgsl_inst *bad;
	struct wgsl_inst *one = fx_f(x, 1.0f);

	y = fx_select(x, odd, fx_sign_of(x, y, a), y);
	bad = fx_op(x, WGSL_OP_AND, fx_lt(x, a, 0.0f), fx_op(x, WGSL_OP_LT, abs, fx_inf(x)));
	bad = fx_op(x, WGSL_OP_AND, bad, wgsl_emit1(x->l, WGSL_OP_NOT, x->b, whole));
	bad = fx_op(x, WGSL_OP_OR, bad, fx_is_nan(x, a));
	bad = fx_op(x, WGSL_OP_OR, bad, fx_is_nan(x, b));
	y = fx_select(x, bad, fx_nan(x), y);
	y = fx_select(x, fx_eq(x, a, 1.0f), one, y);
	return fx_select(x, fx_eq(x, b, 0.0f), one, y);
}
