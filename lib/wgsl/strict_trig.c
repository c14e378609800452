/*
 * strict_trig.c - sin, cos, tan; see strict_int.h.
 *
 * |a| = q pi/2 + r with |r| <= pi/4, r a pair. Up to LIMIT, q is below 2^10 and pi/2 is cut into
 * three parts of at most 14 bits, whose products with q are exact, and a rest (Cody and Waite);
 * above, 96 bits of 2/pi around the position that matters are multiplied by the mantissa in
 * integers (Payne and Hanek), in a branch that invocations take only if one of them needs it.
 */
#include "wgsl/strict_int.h"

static const float LIMIT = 1600.0f;
static const float MAGIC = 12582912.0f; /* 1.5 * 2^23 */
static const uint32_t MAGIC_BITS = 0x4b400000;
static const float TWO_OVER_PI = 0x1.45f306p-1f;
/* pi / 2 */
static const float PART1 = 0x1.9218p+0f, PART2 = 0x1.ed5p-14f, PART3 = 0x1.10ap-30f,
		   PART4 = 0x1.4611a6p-42f;
static const float HALF_PI = 0x1.921fb6p+0f, HALF_PI_LOW = -0x1.777a5cp-25f;

/* The bits of 2 / pi after the point, and 32 zeros before them. */
static const uint32_t digits[] = { 0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
				   0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab };

struct angle {
	struct wgsl_inst *q; /* u32; its low two bits count */
	struct fx_pair r;
};

static struct angle reduce_small(const struct fx *x, struct wgsl_inst *abs)
{
	struct wgsl_inst *v = fx_op(x, WGSL_OP_MIN, abs, fx_f(x, LIMIT));
	struct wgsl_inst *moved = fx_addc(x, fx_mulc(x, v, TWO_OVER_PI), MAGIC);
	struct wgsl_inst *k = fx_addc(x, moved, -MAGIC);
	struct wgsl_inst *r = fx_sub(x, v, fx_mulc(x, k, PART1));
	struct fx_pair a = fx_sum(x, r, fx_mulc(x, k, -PART2));
	struct fx_pair b = fx_sum(x, a.hi, fx_mulc(x, k, -PART3));
	struct wgsl_inst *lo = fx_add(x, fx_add(x, a.lo, b.lo), fx_mulc(x, k, -PART4));

	return (struct angle){ fx_opc(x, WGSL_OP_SUB, fx_bits(x, moved), MAGIC_BITS),
			       fx_quick_sum(x, b.hi, lo) };
}

/* ---- large arguments --------------------------------------------------------------------- */

/* The upper 32 bits of m w, m below 2^24. */
static struct wgsl_inst *high(const struct fx *x, struct wgsl_inst *m, struct wgsl_inst *w)
{
	struct wgsl_inst *mh = fx_opc(x, WGSL_OP_SHR, m, 16);
	struct wgsl_inst *ml = fx_opc(x, WGSL_OP_AND, m, 0xffff);
	struct wgsl_inst *wh = fx_opc(x, WGSL_OP_SHR, w, 16);
	struct wgsl_inst *wl = fx_opc(x, WGSL_OP_AND, w, 0xffff);
	struct wgsl_inst *t = fx_opc(x, WGSL_OP_SHR, fx_op(x, WGSL_OP_MUL, ml, wl), 16);
	struct wgsl_inst *u;

	t = fx_op(x, WGSL_OP_ADD, t, fx_op(x, WGSL_OP_MUL, ml, wh));
	u = fx_op(x, WGSL_OP_ADD, fx_opc(x, WGSL_OP_AND, t, 0xffff), fx_op(x, WGSL_OP_MUL, mh, wl));
	t = fx_op(x, WGSL_OP_ADD, fx_opc(x, WGSL_OP_SHR, t, 16), fx_opc(x, WGSL_OP_SHR, u, 16));
	return fx_op(x, WGSL_OP_ADD, t, fx_op(x, WGSL_OP_MUL, mh, wh));
}

/* 96 bits of 2 / pi from bit `at` of the digits on: words[0] first. at is below 160. */
static void window(const struct fx *x, struct wgsl_inst *at, struct wgsl_inst *words[3])
{
	struct wgsl_inst *shift = fx_opc(x, WGSL_OP_AND, at, 31);
	struct wgsl_inst *back = fx_op(x, WGSL_OP_SUB, fx_u(x, 31), shift);
	struct wgsl_inst *from[4];

	for (uint32_t i = 0; i < 4; i++) {
		from[i] = fx_u(x, digits[i]);
		for (uint32_t n = 1; n < 5; n++)
			from[i] = fx_select(x, fx_opc(x, WGSL_OP_GE, at, 32 * n),
					    fx_u(x, digits[n + i]), from[i]);
	}
	for (uint32_t i = 0; i < 3; i++) {
		struct wgsl_inst *low = fx_opc(x, WGSL_OP_SHR, from[i + 1], 1);

		words[i] = fx_op(x, WGSL_OP_OR, fx_op(x, WGSL_OP_SHL, from[i], shift),
				 fx_op(x, WGSL_OP_SHR, low, back));
	}
}

/* n * 2^by as f32; n is below 2^24. */
static struct wgsl_inst *piece(const struct fx *x, struct wgsl_inst *n, float by)
{
	return fx_mulc(x, fx_convert(x, n, x->f), by);
}

/* The 62 bits below the quadrant, in [-1/2, 1/2) as a sum of three exact pieces, times pi / 2. */
static struct fx_pair angle_of(const struct fx *x, struct wgsl_inst *hi, struct wgsl_inst *lo)
{
	struct wgsl_inst *sign = fx_op(x, WGSL_OP_SUB, fx_u(x, 0), fx_opc(x, WGSL_OP_SHR, hi, 31));
	struct wgsl_inst *mid;
	struct fx_pair a;
	struct fx_pair p;

	hi = fx_op(x, WGSL_OP_XOR, hi, sign);
	lo = fx_op(x, WGSL_OP_XOR, lo, sign);
	mid = fx_op(x, WGSL_OP_OR, fx_opc(x, WGSL_OP_SHL, fx_opc(x, WGSL_OP_AND, hi, 255), 16),
		    fx_opc(x, WGSL_OP_SHR, lo, 16));
	a = fx_quick_sum(x, piece(x, fx_opc(x, WGSL_OP_SHR, hi, 8), 0x1p-24f),
			 piece(x, mid, 0x1p-48f));
	a.lo = fx_add(x, a.lo, piece(x, fx_opc(x, WGSL_OP_AND, lo, 0xffff), 0x1p-64f));
	a = fx_quick_sum(x, a.hi, a.lo);
	p = fx_product(x, a.hi, fx_f(x, HALF_PI));
	p.lo = fx_add(x, p.lo, fx_add(x, fx_mulc(x, a.hi, HALF_PI_LOW), fx_mulc(x, a.lo, HALF_PI)));
	sign = fx_opc(x, WGSL_OP_AND, sign, 0x80000000);
	p.hi = fx_float(x, fx_op(x, WGSL_OP_XOR, fx_bits(x, p.hi), sign));
	p.lo = fx_float(x, fx_op(x, WGSL_OP_XOR, fx_bits(x, p.lo), sign));
	return p;
}

/*
 * abs = m 2^(e - 150). With the window at bit e - 120 of the digits (their point stands behind the
 * first 32), m times it is abs 2 / pi in units of 2^-94 modulo 2^96: the quadrant is
 * in the top two bits. e is at least 137 here.
 */
static struct angle reduce_large(const struct fx *x, struct wgsl_inst *abs)
{
	struct wgsl_inst *bits = fx_bits(x, abs);
	struct wgsl_inst *at = fx_opc(x, WGSL_OP_SUB, fx_opc(x, WGSL_OP_SHR, bits, 23), 120);
	struct wgsl_inst *m =
	    fx_opc(x, WGSL_OP_OR, fx_opc(x, WGSL_OP_AND, bits, 0x007fffff), 0x00800000);
	struct wgsl_inst *words[3];
	struct wgsl_inst *hi;
	struct wgsl_inst *mid;
	struct wgsl_inst *low;
	struct wgsl_inst *carry;
	struct wgsl_inst *q;

	window(x, at, words);
	low = fx_op(x, WGSL_OP_MUL, m, words[1]);
	mid = fx_op(x, WGSL_OP_ADD, low, high(x, m, words[2]));
	carry = fx_convert(x, fx_op(x, WGSL_OP_LT, mid, low), x->u);
	hi = fx_op(x, WGSL_OP_ADD, fx_op(x, WGSL_OP_MUL, m, words[0]), high(x, m, words[1]));
	hi = fx_op(x, WGSL_OP_ADD, hi, carry);
	/* Half a quadrant more, so that the rest is around zero. */
	q = fx_opc(x, WGSL_OP_SHR, fx_opc(x, WGSL_OP_ADD, hi, 0x20000000), 30);
	hi = fx_op(x, WGSL_OP_OR, fx_opc(x, WGSL_OP_SHL, hi, 2), fx_opc(x, WGSL_OP_SHR, mid, 30));
	return (struct angle){ q, angle_of(x, hi, fx_opc(x, WGSL_OP_SHL, mid, 2)) };
}

/* ---- both -------------------------------------------------------------------------------- */

static struct wgsl_inst *any(const struct fx *x, struct wgsl_inst *v)
{
	struct wgsl_inst *is_some = wgsl_extract(x->l, v, 0);

	for (uint32_t i = 1; i < wgsl_type_width(v->type); i++)
		is_some = fx_op(x, WGSL_OP_OR, is_some, wgsl_extract(x->l, v, i));
	return is_some;
}

/* Results of a branch go through variables. */
static struct angle reduce(const struct fx *x, struct wgsl_inst *abs)
{
	struct angle a = reduce_small(x, abs);
	struct wgsl_inst *is_large = fx_gt(x, abs, LIMIT);
	struct wgsl_path *q = wgsl_temp(x->l, x->u, "quadrant");
	struct wgsl_path *hi = wgsl_temp(x->l, x->f, "angle");
	struct wgsl_path *lo = wgsl_temp(x->l, x->f, "angle_low");
	struct wgsl_inst *branch;
	struct wgsl_block *old;
	struct angle b;

	wgsl_store(x->l, q, a.q, true);
	wgsl_store(x->l, hi, a.r.hi, true);
	wgsl_store(x->l, lo, a.r.lo, true);
	branch = wgsl_emit1(x->l, WGSL_OP_IF, x->l->c->basic[WGSL_VOID], any(x, is_large));
	old = wgsl_open(x->l, &branch->blocks[0]);
	b = reduce_large(x, abs);
	wgsl_store(x->l, q, fx_select(x, is_large, b.q, a.q), false);
	wgsl_store(x->l, hi, fx_select(x, is_large, b.r.hi, a.r.hi), false);
	wgsl_store(x->l, lo, fx_select(x, is_large, b.r.lo, a.r.lo), false);
	wgsl_close(x->l, old);
	return (struct angle){ wgsl_load(x->l, q), { wgsl_load(x->l, hi), wgsl_load(x->l, lo) } };
}

/* r + r^3 p(r^2) + lo (1 - r^2 / 2) */
static struct wgsl_inst *sine(const struct fx *x, struct fx_pair r, struct wgsl_inst *z)
{
	struct wgsl_inst *y = fx_mul(x, fx_mul(x, r.hi, z), fx_poly(x, z, strict_sin, STRICT_SIN));
	struct wgsl_inst *slope = fx_sub(x, fx_f(x, 1.0f), fx_mulc(x, z, 0.5f));

	return fx_add(x, r.hi, fx_add(x, y, fx_mul(x, r.lo, slope)));
}

/* 1 - r^2 / 2 + r^4 p(r^2) - r lo; the square is cut so that its large part is exact. */
static struct wgsl_inst *cosine(const struct fx *x, struct fx_pair r, struct wgsl_inst *z)
{
	struct wgsl_inst *top = fx_top(x, r.hi);
	struct wgsl_inst *half = fx_mulc(x, fx_mul(x, top, top), -0.5f);
	struct wgsl_inst *rest =
	    fx_mul(x, fx_mulc(x, fx_sub(x, r.hi, top), 0.5f), fx_add(x, r.hi, top));
	struct wgsl_inst *y = fx_mul(x, fx_mul(x, z, z), fx_poly(x, z, strict_cos, STRICT_COS));
	struct fx_pair s = fx_quick_sum(x, fx_f(x, 1.0f), half);

	y = fx_sub(x, fx_sub(x, y, rest), fx_mul(x, r.hi, r.lo));
	return fx_add(x, s.hi, fx_add(x, s.lo, y));
}

/* t + t^3 p(t^2), or its negative inverse in odd quadrants. */
static struct wgsl_inst *tangent(const struct fx *x, struct fx_pair r, struct wgsl_inst *is_odd)
{
	struct fx_pair s = fx_odd_pair(x, r.hi, strict_tan, STRICT_TAN);
	struct wgsl_inst *one = fx_f(x, 1.0f);
	struct wgsl_inst *slope = fx_add(x, one, fx_mul(x, s.hi, s.hi));
	struct wgsl_inst *q;
	struct wgsl_inst *e;
	struct fx_pair p;

	s = fx_quick_sum(x, s.hi, fx_add(x, s.lo, fx_mul(x, r.lo, slope)));
	q = fx_div(x, fx_f(x, -1.0f), s.hi);
	p = fx_product(x, q, s.hi);
	e = fx_add(x, fx_add(x, fx_add(x, one, p.hi), p.lo), fx_mul(x, q, s.lo));
	return fx_select(x, is_odd, fx_add(x, q, fx_mul(x, q, e)), s.hi);
}

struct wgsl_inst *strict_trig_of(const struct fx *x, enum wgsl_math fn, struct wgsl_inst *a)
{
	struct wgsl_inst *abs = fx_abs(x, a);
	struct angle n = reduce(x, abs);
	struct wgsl_inst *z = fx_mul(x, n.r.hi, n.r.hi);
	struct wgsl_inst *q = fn == WGSL_MATH_COS ? fx_opc(x, WGSL_OP_ADD, n.q, 1) : n.q;
	struct wgsl_inst *is_odd = fx_opc(x, WGSL_OP_NE, fx_opc(x, WGSL_OP_AND, q, 1), 0);
	struct wgsl_inst *sign = fx_u(x, 0);
	struct wgsl_inst *y;

	if (fn != WGSL_MATH_COS)
		sign = fx_opc(x, WGSL_OP_AND, fx_bits(x, a), 0x80000000);
	if (fn == WGSL_MATH_TAN) {
		y = tangent(x, n.r, is_odd);
	} else {
		y = fx_select(x, is_odd, cosine(x, n.r, z), sine(x, n.r, z));
		q = fx_opc(x, WGSL_OP_SHL, fx_opc(x, WGSL_OP_AND, q, 2), 30);
		sign = fx_op(x, WGSL_OP_XOR, sign, q);
	}
	y = fx_float(x, fx_op(x, WGSL_OP_XOR, fx_bits(x, y), sign));
	return fx_select(x, fx_op(x, WGSL_OP_LT, abs, fx_inf(x)), y, fx_nan(x));
}
