/*
 * strict_arc.c - asin, acos, atan, atan2; see strict_int.h.
 *
 * Each is a constant minus or plus an odd polynomial of a reduced argument. Constants are pairs,
 * arguments that had to be rounded carry what they lack; large parts are summed with their
 * error and everything small comes last.
 */
#include "wgsl/strict_int.h"

static const float HALF_PI = 0x1.921fb6p+0f;
static const float HALF_PI_LOW = -0x1.777a5cp-25f;
static const float TAN_PI_8 = 0x1.a82798p-2f; /* sqrt(2) - 1 and a little more */

/* c pi/2 + sign * (u.hi + u.lo) with c = 1 or 2 */
static struct fx_pair from_half_pi(const struct fx *x, float c, struct fx_pair u)
{
	struct fx_pair s = fx_quick_sum(x, fx_f(x, c * HALF_PI), fx_neg(x, u.hi));

	s.lo = fx_add(x, s.lo, fx_sub(x, fx_f(x, c * HALF_PI_LOW), u.lo));
	return s;
}

static struct wgsl_inst *value(const struct fx *x, struct fx_pair p)
{
	return fx_add(x, p.hi, p.lo);
}

static struct fx_pair twice(const struct fx *x, struct fx_pair p)
{
	return (struct fx_pair){ fx_add(x, p.hi, p.hi), fx_add(x, p.lo, p.lo) };
}

static struct fx_pair choose(const struct fx *x, struct wgsl_inst *cond, struct fx_pair yes,
			     struct fx_pair no)
{
	return (struct fx_pair){ fx_select(x, cond, yes.hi, no.hi),
				 fx_select(x, cond, yes.lo, no.lo) };
}

/* asin(abs) up to 1/2; above that asin(sqrt((1 - abs) / 2)), which is half of acos(abs). */
static struct fx_pair small_asin(const struct fx *x, struct wgsl_inst *abs,
				 struct wgsl_inst *is_large)
{
	struct wgsl_inst *z = fx_mulc(x, fx_sub(x, fx_f(x, 1.0f), abs), 0.5f);
	struct wgsl_inst *root = fx_sqrt(x, z);
	struct fx_pair p = fx_product(x, root, root);
	struct wgsl_inst *rest = fx_sub(x, fx_sub(x, z, p.hi), p.lo);
	struct wgsl_inst *u;

	rest = fx_div(x, rest, fx_add(x, root, root));
	rest = fx_select(x, fx_gt(x, root, 0.0f), rest, fx_f(x, 0.0f));
	rest = fx_select(x, is_large, rest, fx_f(x, 0.0f));
	u = fx_select(x, is_large, root, abs);
	z = fx_select(x, is_large, z, fx_mul(x, abs, abs));
	z = fx_mul(x, fx_mul(x, u, z), fx_poly(x, z, strict_asin, STRICT_ASIN));
	return (struct fx_pair){ u, fx_add(x, rest, z) };
}

/* Outside of [-1, 1] the root is one of a negative number: NaN. */
static struct wgsl_inst *inside(const struct fx *x, struct wgsl_inst *abs, struct wgsl_inst *y)
{
	return fx_select(x, fx_op(x, WGSL_OP_LE, abs, fx_f(x, 1.0f)), y, fx_nan(x));
}

struct wgsl_inst *strict_asin_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *is_large = fx_gt(x, abs, 0.5f);
	struct fx_pair u = small_asin(x, abs, is_large);
	struct wgsl_inst *y = value(x, choose(x, is_large, from_half_pi(x, 1.0f, twice(x, u)), u));

	return fx_sign_of(x, inside(x, abs, y), a);
}

struct wgsl_inst *strict_acos_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct wgsl_inst *is_large = fx_gt(x, abs, 0.5f);
	struct wgsl_inst *is_negative = fx_lt(x, a, 0.0f);
	struct fx_pair u = small_asin(x, abs, is_large);
	struct fx_pair large = twice(x, u);
	struct fx_pair small = { fx_sign_of(x, u.hi, a), NULL };

	/* The sign of what is small, also of its low part, which may have either. */
	small.lo = fx_select(x, is_negative, fx_neg(x, u.lo), u.lo);
	small = from_half_pi(x, 1.0f, small);
	large = choose(x, is_negative, from_half_pi(x, 2.0f, large), large);
	return inside(x, abs, value(x, choose(x, is_large, large, small)));
}

/* n / d for 0 <= n <= d: what is divided, and the same times a power of two that brings it near 1.
 */
struct quotient {
	struct wgsl_inst *n, *d;
	struct wgsl_inst *near_n, *near_d;
};

/*
 * atan(n / d). Above tan(pi / 8) it is pi / 4 + atan((n - d) / (n + d)), so that the polynomial
 * ends at sqrt(2) - 1, where its terms become small soon.
 */
static struct fx_pair octant(const struct fx *x, const struct quotient *a)
{
	struct wgsl_inst *zero = fx_f(x, 0.0f);
	struct wgsl_inst *is_mid = fx_op(x, WGSL_OP_GT, a->near_n, fx_mulc(x, a->near_d, TAN_PI_8));
	struct fx_pair less = fx_quick_sum(x, a->near_d, fx_neg(x, a->near_n));
	struct fx_pair sum = fx_quick_sum(x, a->near_d, a->near_n);
	struct wgsl_inst *n = fx_select(x, is_mid, fx_neg(x, less.hi), a->near_n);
	struct wgsl_inst *d = fx_select(x, is_mid, sum.hi, a->near_d);
	struct wgsl_inst *q =
	    fx_div(x, fx_select(x, is_mid, n, a->n), fx_select(x, is_mid, d, a->d));
	struct wgsl_inst *low = fx_neg(x, fx_add(x, less.lo, fx_mul(x, q, sum.lo)));
	struct fx_pair p = fx_product(x, q, d);
	struct wgsl_inst *z = fx_mul(x, q, q);
	struct wgsl_inst *rest = fx_sub(x, fx_sub(x, n, p.hi), p.lo);
	struct fx_pair s = fx_quick_sum(x, fx_f(x, 0.5f * HALF_PI), q);

	/* What q lacks, which counts 1 / (1 + q^2) times; not where it may be too small for an f32.
	 */
	rest = fx_div(x, fx_add(x, rest, fx_select(x, is_mid, low, zero)), d);
	rest = fx_select(x, fx_gt(x, fx_abs(x, q), 0x1p-20f), fx_sub(x, rest, fx_mul(x, rest, z)),
			 zero);
	rest = fx_add(x, rest, fx_mul(x, fx_mul(x, q, z), fx_poly(x, z, strict_atan, STRICT_ATAN)));
	s.lo = fx_add(x, s.lo, fx_addc(x, rest, 0.5f * HALF_PI_LOW));
	return choose(x, is_mid, s, (struct fx_pair){ q, rest });
}

struct wgsl_inst *strict_atan_of(const struct fx *x, struct wgsl_inst *a)
{
	struct wgsl_inst *one = fx_f(x, 1.0f);
	struct wgsl_inst *abs = fx_op(x, WGSL_OP_MIN, fx_abs(x, a), fx_f(x, 0x1p40f));
	struct wgsl_inst *is_large = fx_gt(x, abs, 1.0f);
	struct quotient q = { .n = fx_select(x, is_large, one, abs),
			      .d = fx_select(x, is_large, abs, one) };
	struct fx_pair t;

	q.near_n = q.n;
	q.near_d = q.d;
	t = octant(x, &q);
	t = choose(x, is_large, from_half_pi(x, 1.0f, t), t);
	return fx_sign_of(x, value(x, t), a);
}

/* Also for infinities, inf / inf = 1 and 0 / 0 = 0. */
static struct quotient ratio(const struct fx *x, struct wgsl_inst *n, struct wgsl_inst *d)
{
	struct wgsl_inst *one = fx_f(x, 1.0f);
	struct wgsl_inst *is_same = fx_op(x, WGSL_OP_EQ, n, d);
	struct wgsl_inst *same = fx_select(x, fx_eq(x, d, 0.0f), fx_f(x, 0.0f), one);
	struct quotient q = { .n = fx_select(x, is_same, same, n),
			      .d = fx_select(x, is_same, one, d) };
	struct wgsl_inst *e = fx_opc(x, WGSL_OP_SHR, fx_ints(x, q.d), 23);
	struct wgsl_inst *by;

	e = fx_opc(x, WGSL_OP_MIN, fx_opc(x, WGSL_OP_MAX, e, 32), 222);
	by = fx_power(x, fx_op(x, WGSL_OP_SUB, wgsl_const_bits(x->l, x->i, 127), e));
	q.near_n = fx_mul(x, q.n, by);
	q.near_d = fx_mul(x, q.d, by);
	return q;
}

struct wgsl_inst *strict_atan2_of(const struct fx *x, struct wgsl_inst *y, struct wgsl_inst *a)
{
	struct wgsl_inst *ay = fx_abs(x, y);
	struct wgsl_inst *ax = fx_abs(x, a);
	struct wgsl_inst *is_steep = fx_op(x, WGSL_OP_GT, ay, ax);
	struct wgsl_inst *is_left = fx_opc(x, WGSL_OP_LT, fx_ints(x, a), 0);
	struct wgsl_inst *bad = fx_op(x, WGSL_OP_OR, fx_is_nan(x, y), fx_is_nan(x, a));
	struct quotient q =
	    ratio(x, fx_select(x, is_steep, ax, ay), fx_select(x, is_steep, ay, ax));
	struct fx_pair t = octant(x, &q);
	struct wgsl_inst *v;

	t = choose(x, is_steep, from_half_pi(x, 1.0f, t), t);
	t = choose(x, is_left, from_half_pi(x, 2.0f, t), t);
	v = fx_sign_of(x, value(x, t), y);
	return fx_select(x, bad, fx_nan(x), v);
}
