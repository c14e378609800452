/*
 * strict.c - numerics: Strict: which function is made of what, and the operations they are
 * made of; see strict_int.h.
 */
#include "wgsl/strict_int.h"

#include "base/mem.h"

static struct fx fx_of(struct wgsl_lower *l, const struct wgsl_type *f)
{
	return (struct fx){
		.l = l,
		.f = f,
		.u = wgsl_with_base(l->c, f, l->c->basic[WGSL_U32]),
		.i = wgsl_with_base(l->c, f, l->c->basic[WGSL_I32]),
		.b = wgsl_with_base(l->c, f, l->c->basic[WGSL_BOOL]),
	};
}

/* ---- operations -------------------------------------------------------------------------- */

struct wgsl_inst *fx_f(const struct fx *x, float c)
{
	return wgsl_const_float(x->l, x->f, (double)c);
}

struct wgsl_inst *fx_u(const struct fx *x, uint32_t c)
{
	return wgsl_const_bits(x->l, x->u, c);
}

struct wgsl_inst *fx_op(const struct fx *x, enum wgsl_op op, struct wgsl_inst *a,
			struct wgsl_inst *b)
{
	ASSERT(a != NULL && b != NULL);
	return wgsl_binary(x->l, op, a, b);
}

struct wgsl_inst *fx_opc(const struct fx *x, enum wgsl_op op, struct wgsl_inst *a, uint32_t c)
{
	bool is_shift = op == WGSL_OP_SHL || op == WGSL_OP_SHR;

	ASSERT(a != NULL);
	return fx_op(x, op, a, wgsl_const_bits(x->l, is_shift ? x->u : a->type, c));
}

struct wgsl_inst *fx_add(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	return fx_op(x, WGSL_OP_ADD, a, b);
}

struct wgsl_inst *fx_sub(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	return fx_op(x, WGSL_OP_SUB, a, b);
}

struct wgsl_inst *fx_mul(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	return fx_op(x, WGSL_OP_MUL, a, b);
}

struct wgsl_inst *fx_div(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	return fx_op(x, WGSL_OP_DIV, a, b);
}

struct wgsl_inst *fx_sqrt(const struct fx *x, struct wgsl_inst *a)
{
	return wgsl_sqrt(x->l, a);
}

struct wgsl_inst *fx_abs(const struct fx *x, struct wgsl_inst *a)
{
	return wgsl_emit1(x->l, WGSL_OP_ABS, x->f, a);
}

struct wgsl_inst *fx_neg(const struct fx *x, struct wgsl_inst *a)
{
	return wgsl_emit1(x->l, WGSL_OP_NEG, x->f, a);
}

struct wgsl_inst *fx_mulc(const struct fx *x, struct wgsl_inst *a, float c)
{
	return fx_mul(x, a, fx_f(x, c));
}

struct wgsl_inst *fx_addc(const struct fx *x, struct wgsl_inst *a, float c)
{
	return fx_add(x, a, fx_f(x, c));
}

struct wgsl_inst *fx_clamp(const struct fx *x, struct wgsl_inst *a, float low, float high)
{
	a = fx_op(x, WGSL_OP_MAX, a, fx_f(x, low));
	return fx_op(x, WGSL_OP_MIN, a, fx_f(x, high));
}

struct wgsl_inst *fx_lt(const struct fx *x, struct wgsl_inst *a, float c)
{
	return fx_op(x, WGSL_OP_LT, a, fx_f(x, c));
}

struct wgsl_inst *fx_gt(const struct fx *x, struct wgsl_inst *a, float c)
{
	return fx_op(x, WGSL_OP_GT, a, fx_f(x, c));
}

struct wgsl_inst *fx_eq(const struct fx *x, struct wgsl_inst *a, float c)
{
	return fx_op(x, WGSL_OP_EQ, a, fx_f(x, c));
}

struct wgsl_inst *fx_is_nan(const struct fx *x, struct wgsl_inst *a)
{
	return fx_op(x, WGSL_OP_NE, a, a);
}

struct wgsl_inst *fx_select(const struct fx *x, struct wgsl_inst *cond, struct wgsl_inst *yes,
			    struct wgsl_inst *no)
{
	return wgsl_select(x->l, no, yes, cond);
}

struct wgsl_inst *fx_bits(const struct fx *x, struct wgsl_inst *a)
{
	return wgsl_emit1(x->l, WGSL_OP_BITCAST, x->u, a);
}

struct wgsl_inst *fx_ints(const struct fx *x, struct wgsl_inst *a)
{
	return wgsl_emit1(x->l, WGSL_OP_BITCAST, x->i, a);
}

struct wgsl_inst *fx_float(const struct fx *x, struct wgsl_inst *a)
{
	return wgsl_emit1(x->l, WGSL_OP_BITCAST, x->f, a);
}

struct wgsl_inst *fx_convert(const struct fx *x, struct wgsl_inst *a, const struct wgsl_type *to)
{
	return wgsl_emit1(x->l, WGSL_OP_CONVERT, to, a);
}

struct wgsl_inst *fx_nan(const struct fx *x)
{
	return wgsl_const_bits(x->l, x->f, 0x7fc00000);
}

struct wgsl_inst *fx_inf(const struct fx *x)
{
	return wgsl_const_bits(x->l, x->f, 0x7f800000);
}

struct wgsl_inst *fx_sign_of(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *sign = fx_opc(x, WGSL_OP_AND, fx_bits(x, b), 0x80000000);

	return fx_float(x, fx_op(x, WGSL_OP_OR, fx_bits(x, a), sign));
}

struct wgsl_inst *fx_top(const struct fx *x, struct wgsl_inst *a)
{
	return fx_float(x, fx_opc(x, WGSL_OP_AND, fx_bits(x, a), 0xfffff000));
}

struct wgsl_inst *fx_poly(const struct fx *x, struct wgsl_inst *z, const float *c, int n)
{
	struct wgsl_inst *sum = fx_f(x, c[n - 1]);

	for (int i = n - 1; i-- > 0;)
		sum = fx_addc(x, fx_mul(x, sum, z), c[i]);
	return sum;
}

/* c[0] v^3 is the largest error, so its factors are exact to more bits than one f32 has: v is
 * cut in two and the cube of the first part has few bits. */
struct fx_pair fx_odd_pair(const struct fx *x, struct wgsl_inst *v, const float *c, int n)
{
	struct fx_pair z = fx_product(x, v, v);
	struct fx_pair cube = fx_product(x, v, z.hi);
	struct wgsl_inst *first = fx_f(x, c[0]);
	struct wgsl_inst *rest = fx_poly(x, z.hi, c + 1, n - 1);
	struct fx_pair p = fx_product(x, cube.hi, first);
	struct fx_pair s = fx_quick_sum(x, v, p.hi);

	rest = fx_mul(x, fx_mul(x, cube.hi, z.hi), rest);
	cube.lo = fx_add(x, cube.lo, fx_mul(x, v, z.lo));
	p.lo = fx_add(x, p.lo, fx_mul(x, cube.lo, first));
	s.lo = fx_add(x, s.lo, fx_add(x, p.lo, rest));
	return s;
}

struct wgsl_inst *fx_odd(const struct fx *x, struct wgsl_inst *v, const float *c, int n)
{
	struct wgsl_inst *z = fx_mul(x, v, v);

	return fx_add(x, v, fx_mul(x, fx_mul(x, v, z), fx_poly(x, z, c, n)));
}

struct wgsl_inst *fx_power(const struct fx *x, struct wgsl_inst *n)
{
	return fx_float(x, fx_opc(x, WGSL_OP_SHL, fx_opc(x, WGSL_OP_ADD, n, 127), 23));
}

struct wgsl_inst *fx_scale(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *n)
{
	struct wgsl_inst *half = fx_opc(x, WGSL_OP_SHR, n, 1);

	a = fx_mul(x, a, fx_power(x, half));
	return fx_mul(x, a, fx_power(x, fx_op(x, WGSL_OP_SUB, n, half)));
}

struct fx_pair fx_sum(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *s = fx_add(x, a, b);
	struct wgsl_inst *b1 = fx_sub(x, s, a);
	struct wgsl_inst *a1 = fx_sub(x, s, b1);

	return (struct fx_pair){ s, fx_add(x, fx_sub(x, a, a1), fx_sub(x, b, b1)) };
}

struct fx_pair fx_quick_sum(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *s = fx_add(x, a, b);

	return (struct fx_pair){ s, fx_sub(x, b, fx_sub(x, s, a)) };
}

/* The four products of the halves are exact; each sum below is too, from the largest down. */
struct fx_pair fx_product(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *p = fx_mul(x, a, b);
	struct wgsl_inst *ah = fx_top(x, a);
	struct wgsl_inst *al = fx_sub(x, a, ah);
	struct wgsl_inst *bh = a == b ? ah : fx_top(x, b);
	struct wgsl_inst *bl = a == b ? al : fx_sub(x, b, bh);
	struct wgsl_inst *e = fx_sub(x, fx_mul(x, ah, bh), p);

	e = fx_add(x, e, fx_mul(x, ah, bl));
	e = fx_add(x, e, fx_mul(x, al, bh));
	return (struct fx_pair){ p, fx_add(x, e, fx_mul(x, al, bl)) };
}

/* ---- from outside ------------------------------------------------------------------------ */

struct wgsl_inst *wgsl_strict_math(struct wgsl_lower *l, enum wgsl_math fn, struct wgsl_inst *a,
				   struct wgsl_inst *b)
{
	static struct wgsl_inst *(*const fns[WGSL_MATH_COUNT_])(const struct fx *,
								struct wgsl_inst *) = {
		[WGSL_MATH_INVERSE_SQRT] = strict_inverse_sqrt,
		[WGSL_MATH_EXP] = strict_exp_of,
		[WGSL_MATH_EXP2] = strict_exp2_of,
		[WGSL_MATH_LOG] = strict_log_of,
		[WGSL_MATH_LOG2] = strict_log2_of,
		[WGSL_MATH_ASIN] = strict_asin_of,
		[WGSL_MATH_ACOS] = strict_acos_of,
		[WGSL_MATH_ATAN] = strict_atan_of,
		[WGSL_MATH_SINH] = strict_sinh_of,
		[WGSL_MATH_COSH] = strict_cosh_of,
		[WGSL_MATH_TANH] = strict_tanh_of,
		[WGSL_MATH_ASINH] = strict_asinh_of,
		[WGSL_MATH_ACOSH] = strict_acosh_of,
		[WGSL_MATH_ATANH] = strict_atanh_of,
	};
	const struct fx x = fx_of(l, a->type);

	if (fn == WGSL_MATH_POW)
		return strict_pow_of(&x, a, b);
	if (fn == WGSL_MATH_ATAN2)
		return strict_atan2_of(&x, a, b);
	if (fn == WGSL_MATH_SIN || fn == WGSL_MATH_COS || fn == WGSL_MATH_TAN)
		return strict_trig_of(&x, fn, a);
	return fns[fn](&x, a);
}

struct wgsl_inst *wgsl_strict_div(struct wgsl_lower *l, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *i;

	if (l->c->src->strict_division && wgsl_type_base(a->type) == WGSL_F32) {
		const struct fx x = fx_of(l, a->type);

		return strict_long_div(&x, a, b);
	}
	i = wgsl_emit2(l, WGSL_OP_DIV, a->type, a, b);
	i->is_strict = true;
	return i;
}

struct wgsl_inst *wgsl_sqrt(struct wgsl_lower *l, struct wgsl_inst *a)
{
	struct wgsl_inst *i;

	if (l->c->src->strict && l->c->src->strict_division &&
	    wgsl_type_base(a->type) == WGSL_F32) {
		const struct fx x = fx_of(l, a->type);

		return strict_long_sqrt(&x, a);
	}
	i = wgsl_emit1(l, WGSL_OP_SQRT, a->type, a);
	i->is_strict = l->c->src->strict;
	return i;
}
