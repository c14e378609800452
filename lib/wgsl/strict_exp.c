/*
 * strict_exp.c - exp, exp2, sinh, cosh, tanh; see strict_int.h.
 *
 * The argument is k ln 2 + r with |r| <= ln(2) / 2, r a pair; ln 2 is cut in two so that k times
 * its first part is exact (Cody and Waite). Then e^r = 1 + r + r^2 p(r): 1 + r is summed with
 * its error, and everything small comes last, so that one rounding counts.
 */
#include "wgsl/strict_int.h"

/* 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits. */
static const float MAGIC = 12582912.0f;
static const uint32_t MAGIC_BITS = 0x4b400000;
/* ln 2 in 16 bits and the rest; in 12 bits and the rest. */
static const float LN2_HIGH = 0x1.62e4p-1f;
static const float LN2_LOW = 0x1.7f7d1cp-20f;
static const float LN2_TOP = 0x1.62ep-1f;
static const float LN2_REST = 0x1.0bfbe8p-15f;
static const float LOG2_E = 0x1.715476p+0f;

/* v rounded to an integer: as f32, and as i32 in *n. */
static struct wgsl_inst *nearest(const struct fx *x, struct wgsl_inst *v, struct wgsl_inst **n)
{
	struct wgsl_inst *moved = fx_addc(x, v, MAGIC);

	*n = fx_opc(x, WGSL_OP_SUB, fx_ints(x, moved), MAGIC_BITS);
	return fx_addc(x, moved, -MAGIC);
}

/* a - k ln 2 with k = *n. */
static struct fx_pair reduced(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst **n)
{
	struct wgsl_inst *k = nearest(x, fx_mulc(x, a, LOG2_E), n);
	struct wgsl_inst *r = fx_sub(x, a, fx_mulc(x, k, LN2_HIGH));

	return fx_quick_sum(x, r, fx_mulc(x, k, -LN2_LOW));
}

/* e^r as a pair. */
static struct fx_pair power_of_e(const struct fx *x, struct fx_pair r)
{
	struct fx_pair s = fx_quick_sum(x, fx_f(x, 1.0f), r.hi);
	struct wgsl_inst *rest = fx_mul(x, r.hi, r.hi);

	rest = fx_mul(x, rest, fx_poly(x, r.hi, strict_exp, STRICT_EXP));
	s.lo = fx_add(x, s.lo, fx_add(x, r.lo, rest));
	return s;
}

static struct wgsl_inst *value(const struct fx *x, struct fx_pair p)
{
	return fx_add(x, p.hi, p.lo);
}

struct wgsl_inst *strict_exp_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *n;
	/* Beyond these the result is 0 or infinite. */
	struct fx_pair r = reduced(x, fx_clamp(x, a, -104.0f, 89.0f), &n);

	return fx_scale(x, value(x, power_of_e(x, r)), n);
}

struct wgsl_inst *strict_exp2_pair(const struct fx *x, struct fx_pair e)
{
	struct wgsl_inst *n;
	struct wgsl_inst *r = fx_sub(x, e.hi, nearest(x, e.hi, &n));
	struct wgsl_inst *top = fx_top(x, r);
	struct wgsl_inst *low = fx_sub(x, r, top);

	/* r ln 2: the product of the tops is exact. */
	if (e.lo != NULL) {
		low = fx_add(x, low, e.lo);
		r = fx_add(x, r, e.lo);
	}
	low = fx_add(x, fx_mulc(x, low, LN2_TOP), fx_mulc(x, r, LN2_REST));
	return fx_scale(x, value(x, power_of_e(x, fx_quick_sum(x, fx_mulc(x, top, LN2_TOP), low))),
			n);
}

struct wgsl_inst *strict_exp2_of(const struct fx *x, struct wgsl_inst *a)
{
	return strict_exp2_pair(x, (struct fx_pair){ fx_clamp(x, a, -151.0f, 129.0f), NULL });
}

/* ---- hyperbolic -------------------------------------------------------------------------- */

/*
 * For a >= 0: (2^k e^r - 2^-k e^-r) / 2 and its sum. With C = cosh r - 1 and S = sinh r,
 * e^r = 1 + C + S and e^-r = 1 + C - S, so both are d (1 + C) + s S or s (1 + C) + d S with
 * s, d = 2^(k-1) +- 2^(-k-1), exact up to k = 11; beyond, what the factor of 1 lacks is kept. One
 * factor of 2^16 is taken out, so that large k do not overflow.
 */
static struct wgsl_inst *hyperbolic(const struct fx *x, struct wgsl_inst *a, bool is_sinh)
{
	struct wgsl_inst *n;
	struct fx_pair r = reduced(x, fx_clamp(x, a, 0.0f, 90.0f), &n);
	struct wgsl_inst *z = fx_mul(x, r.hi, r.hi);
	struct wgsl_inst *c = fx_mul(x, z, fx_poly(x, z, strict_cosh, STRICT_COSH));
	struct wgsl_inst *s3 =
	    fx_mul(x, fx_mul(x, r.hi, z), fx_poly(x, z, strict_sinh, STRICT_SINH));
	struct wgsl_inst *up = fx_power(x, fx_opc(x, WGSL_OP_SUB, n, 17));
	struct wgsl_inst *down = fx_opc(x, WGSL_OP_MIN, n, 40);
	struct wgsl_inst *lo;
	struct fx_pair even;
	struct fx_pair odd;
	struct fx_pair product;

	down = fx_op(x, WGSL_OP_SUB, wgsl_const_bits(x->l, x->i, (uint32_t)-17), down);
	down = fx_power(x, down);
	/* The factors of 1 + C and of S. */
	even = fx_quick_sum(x, up, is_sinh ? fx_neg(x, down) : down);
	odd = fx_quick_sum(x, up, is_sinh ? down : fx_neg(x, down));
	product = fx_product(x, odd.hi, r.hi);
	lo = fx_mul(x, odd.hi, fx_add(x, s3, r.lo));
	lo = fx_add(x, fx_add(x, lo, product.lo), fx_mul(x, even.hi, c));
	lo = fx_add(x, lo, fx_add(x, even.lo, fx_mul(x, odd.lo, r.hi)));
	even = fx_quick_sum(x, even.hi, product.hi);
	lo = fx_add(x, even.lo, lo);
	return fx_mulc(x, fx_add(x, even.hi, lo), 65536.0f);
}

struct wgsl_inst *strict_sinh_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *y = hyperbolic(x, abs, true);

	y = fx_select(x, fx_lt(x, abs, 1.0f), fx_odd(x, abs, strict_sinh, STRICT_SINH), y);
	return fx_sign_of(x, y, a);
}

struct wgsl_inst *strict_cosh_of(const struct fx *x, struct wgsl_inst *a)
{
	return hyperbolic(x, fx_abs(x, a), false);
}

/* 1 - 2 / (e^2a + 1) from 1 on; there the quotient is below 1/4, its error counts little. */
struct wgsl_inst *strict_tanh_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *n;
	struct wgsl_inst *by;
	struct wgsl_inst *q;
	struct fx_pair e = { fx_op(x, WGSL_OP_MIN, abs, fx_f(x, 16.0f)), NULL };
	struct fx_pair d;
	struct fx_pair small;

	e = power_of_e(x, reduced(x, fx_add(x, e.hi, e.hi), &n));
	e = fx_quick_sum(x, e.hi, e.lo);
	by = fx_power(x, n);
	d = fx_quick_sum(x, fx_mul(x, e.hi, by), fx_f(x, 1.0f));
	d.lo = fx_add(x, d.lo, fx_mul(x, e.lo, by));
	q = fx_div(x, fx_f(x, 2.0f), d.hi);
	/* 2 / (hi + lo) = q - q lo / hi = q - q^2 lo / 2 */
	q = fx_sub(x, q, fx_mul(x, fx_mul(x, fx_mul(x, q, q), d.lo), fx_f(x, 0.5f)));
	q = fx_sub(x, fx_f(x, 1.0f), q);
	small = fx_odd_pair(x, abs, strict_tanh, STRICT_TANH);
	q = fx_select(x, fx_op(x, WGSL_OP_GE, abs, fx_f(x, 1.0f)), q, value(x, small));
	return fx_sign_of(x, q, a);
}
