/*
 * strict_log.c - log, log2, asinh, acosh, atanh; see strict_int.h.
 *
 * a = 2^k (1 + f) and log(1 + f) = f - f^2 / 2 + f^3 p(f). The square is cut so that its large
 * part is exact, and everything small comes last, so that one rounding counts.
 */
#include "wgsl/strict_int.h"

/* ln 2 in 15 bits and the rest: k times the first is exact. 1 / ln 2 in 12 bits and the rest. */
static const float LN2_HIGH = 0x1.62e4p-1f;
static const float LN2_LOW = 0x1.7f7d1cp-20f;
static const float LOG2_E_TOP = 0x1.714p+0f;
static const float LOG2_E_REST = 0x1.47652cp-12f;

void strict_split_log(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst **k,
		      struct wgsl_inst **f)
{
	struct wgsl_inst *is_small = fx_lt(x, a, 0x1p-126f);
	struct wgsl_inst *bits = fx_ints(x, fx_select(x, is_small, fx_mulc(x, a, 0x1p24f), a));
	/* From sqrt(1/2) on; the shift rounds down. */
	struct wgsl_inst *n = fx_opc(x, WGSL_OP_SHR, fx_opc(x, WGSL_OP_SUB, bits, 0x3f3504f3), 23);

	bits = fx_op(x, WGSL_OP_SUB, bits, fx_opc(x, WGSL_OP_SHL, n, 23));
	*f = fx_addc(x, fx_float(x, bits), -1.0f);
	*k = fx_convert(x, n, x->f);
	*k = fx_select(x, is_small, fx_addc(x, *k, -24.0f), *k);
}

/* log(1 + f) is hi + lo. */
static struct fx_pair log_1p(const struct fx *x, struct wgsl_inst *f)
{
	struct wgsl_inst *top = fx_top(x, f);
	struct wgsl_inst *half = fx_mulc(x, fx_mul(x, top, top), 0.5f);
	struct wgsl_inst *rest = fx_mul(x, fx_mulc(x, fx_sub(x, f, top), 0.5f), fx_add(x, f, top));
	struct wgsl_inst *cube = fx_mul(x, fx_mul(x, f, f), f);
	struct fx_pair s = fx_quick_sum(x, f, fx_neg(x, half));

	cube = fx_mul(x, cube, fx_poly(x, f, strict_log, STRICT_LOG));
	s.lo = fx_add(x, s.lo, fx_sub(x, cube, rest));
	return s;
}

/* log(a), or with `tail` log(a (1 + tail)) for a tail of a rounding error, plus extra ln 2. */
static struct wgsl_inst *log_with(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *tail,
				  struct wgsl_inst *extra)
{
	struct wgsl_inst *k;
	struct wgsl_inst *f;
	struct fx_pair l;
	struct fx_pair s;

	strict_split_log(x, a, &k, &f);
	if (extra != NULL)
		k = fx_add(x, k, extra);
	l = log_1p(x, f);
	s = fx_quick_sum(x, fx_mulc(x, k, LN2_HIGH), l.hi);
	if (tail != NULL)
		l.lo = fx_add(x, l.lo, tail);
	l.lo = fx_add(x, fx_mulc(x, k, LN2_LOW), l.lo);
	return fx_add(x, s.hi, fx_add(x, s.lo, l.lo));
}

/* What a logarithm of a is where `y` is not it. */
static struct wgsl_inst *limits(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *y)
{
	y = fx_select(x, fx_op(x, WGSL_OP_LT, a, fx_inf(x)), y, a);
	y = fx_select(x, fx_lt(x, a, 0.0f), fx_nan(x), y);
	return fx_select(x, fx_eq(x, a, 0.0f), fx_neg(x, fx_inf(x)), y);
}

struct wgsl_inst *strict_log_of(const struct fx *x, struct wgsl_inst *a)
{
	return limits(x, a, log_with(x, a, NULL, NULL));
}

struct wgsl_inst *strict_log2_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *k;
	struct wgsl_inst *f;
	struct wgsl_inst *top;
	struct wgsl_inst *low;
	struct fx_pair l;
	struct fx_pair s;

	strict_split_log(x, a, &k, &f);
	l = log_1p(x, f);
	top = fx_top(x, l.hi);
	low = fx_add(x, fx_sub(x, l.hi, top), l.lo);
	s = fx_quick_sum(x, k, fx_mulc(x, top, LOG2_E_TOP));
	low =
	    fx_add(x, fx_mulc(x, low, LOG2_E_TOP), fx_mulc(x, fx_add(x, l.hi, l.lo), LOG2_E_REST));
	return limits(x, a, fx_add(x, s.hi, fx_add(x, s.lo, low)));
}

/* ---- inverse hyperbolic ------------------------------------------------------------------- */

/* log(a + sqrt(a^2 + c)) for a >= 0.5, c = 1 or -1; from 2^20 on that is log(a) + ln 2. */
static struct wgsl_inst *log_of_sum(const struct fx *x, struct wgsl_inst *a, float c)
{
	struct wgsl_inst *is_large = fx_gt(x, a, 0x1p20f);
	struct wgsl_inst *zero = fx_f(x, 0.0f);
	struct wgsl_inst *v = fx_op(x, WGSL_OP_MIN, a, fx_f(x, 0x1p20f));
	struct fx_pair p = fx_product(x, v, v);
	struct fx_pair q = fx_sum(x, p.hi, fx_f(x, c));
	struct fx_pair square;
	struct fx_pair sum;
	struct wgsl_inst *root = fx_sqrt(x, q.hi);
	struct wgsl_inst *rest;
	struct wgsl_inst *tail;

	/* What the root lacks: (q - root^2) / (2 root). */
	square = fx_product(x, root, root);
	rest = fx_sub(x, fx_sub(x, q.hi, square.hi), square.lo);
	rest = fx_add(x, rest, fx_add(x, q.lo, p.lo));
	sum = fx_sum(x, v, root);
	tail = fx_div(x, fx_mulc(x, rest, 0.5f), root);
	tail = fx_div(x, fx_add(x, tail, sum.lo), sum.hi);
	tail = fx_select(x, is_large, zero, tail);
	return log_with(x, fx_select(x, is_large, a, sum.hi), tail,
			fx_select(x, is_large, fx_f(x, 1.0f), zero));
}

struct wgsl_inst *strict_asinh_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *large = log_of_sum(x, abs, 1.0f);

	large = fx_select(x, fx_op(x, WGSL_OP_LT, abs, fx_inf(x)), large, abs);
	large =
	    fx_select(x, fx_lt(x, abs, 0.5f), fx_odd(x, abs, strict_asinh, STRICT_ASINH), large);
	return fx_sign_of(x, large, a);
}

/* Near 1: sqrt(2 t) (1 + t p(t)) with t = a - 1. */
struct wgsl_inst *strict_acosh_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *large = log_of_sum(x, a, -1.0f);
	struct wgsl_inst *t = fx_addc(x, a, -1.0f);
	struct wgsl_inst *twice = fx_add(x, t, t);
	struct wgsl_inst *root = fx_sqrt(x, twice);
	struct fx_pair square = fx_product(x, root, root);
	struct wgsl_inst *rest = fx_sub(x, fx_sub(x, twice, square.hi), square.lo);
	struct wgsl_inst *y =
	    fx_mul(x, fx_mul(x, root, t), fx_poly(x, t, strict_acosh, STRICT_ACOSH));

	rest = fx_div(x, fx_mulc(x, rest, 0.5f), root);
	y = fx_add(x, root, fx_add(x, rest, y));
	y = fx_select(x, fx_lt(x, a, 1.5f), y, large);
	y = fx_select(x, fx_op(x, WGSL_OP_LT, a, fx_inf(x)), y, a);
	y = fx_select(x, fx_lt(x, a, 1.0f), fx_nan(x), y);
	return fx_select(x, fx_eq(x, a, 1.0f), fx_f(x, 0.0f), y);
}

/* log((1 + a) / (1 - a)) / 2 from 0.5 on; 1 - a is exact there. */
struct wgsl_inst *strict_atanh_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *one = fx_f(x, 1.0f);
	struct wgsl_inst *d = fx_sub(x, one, abs);
	struct fx_pair n = fx_quick_sum(x, one, abs);
	struct wgsl_inst *q = fx_div(x, n.hi, d);
	struct fx_pair p = fx_product(x, q, d);
	struct wgsl_inst *tail = fx_sub(x, fx_sub(x, n.hi, p.hi), p.lo);
	struct wgsl_inst *y;

	tail = fx_div(x, fx_add(x, tail, n.lo), n.hi);
	y = fx_mulc(x, log_with(x, q, tail, NULL), 0.5f);
	y = fx_select(x, fx_eq(x, abs, 1.0f), fx_inf(x), y);
	y = fx_select(x, fx_op(x, WGSL_OP_LE, abs, one), y, fx_nan(x));
	y = fx_select(x, fx_lt(x, abs, 0.5f), fx_odd(x, abs, strict_atanh, STRICT_ATANH), y);
	return fx_sign_of(x, y, a);
}
