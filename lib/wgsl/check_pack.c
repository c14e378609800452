/*
 * check_pack.c - modf, frexp, ldexp, f16 quantisation, packing of floats: types and constant
 * values.
 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "wgsl/check_int.h"
#include "wgsl/fn_int.h"

/* ---- types ------------------------------------------------------------------------------- */

static struct wgsl_expr *arg(const struct wgsl_expr *e, uint32_t i)
{
	return e->args.list[i];
}

/* f16 everywhere but for its own quantisation; f64 where no bits are taken apart. */
static bool takes(int f, enum wgsl_kind kind)
{
	if (kind == WGSL_F16)
		return f != FN_QUANTIZE_F16;
	return kind == WGSL_F32 || (kind == WGSL_F64 && f == FN_MODF);
}

/* Does the function stay with abstract numbers? ldexp does if both arguments are. */
static bool is_all_abstract(const struct wgsl_expr *e)
{
	for (uint32_t i = 0; i < e->args.n; i++) {
		const struct wgsl_type *t = arg(e, i)->type;

		if (!wgsl_is_numeric(t) || !wgsl_is_abstract(t))
			return false;
	}
	return e->builtin != FN_QUANTIZE_F16 &&
	       (e->builtin != FN_LDEXP || wgsl_type_base(arg(e, 1)->type) == WGSL_ABSTRACT_INT);
}

static bool check_float_arg(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = arg(e, 0)->type;

	if (is_all_abstract(e))
		return wgsl_coerce(c, arg(e, 0),
				   wgsl_with_base(c, t, c->basic[WGSL_ABSTRACT_FLOAT]),
				   "the argument");
	if (wgsl_is_numeric(t) && wgsl_is_abstract(t))
		t = wgsl_with_base(c, t, c->basic[WGSL_F32]);
	if (wgsl_is_numeric(t) && takes(e->builtin, wgsl_type_base(t)))
		return wgsl_coerce(c, arg(e, 0), t, "the argument");
	if (wgsl_is_numeric(t) && wgsl_type_base(t) == WGSL_F64) {
		wgsl_error(c, e->at, "%s of f64 is not supported yet", wgsl_fns[e->builtin].name);
		return false;
	}
	wgsl_error(c, arg(e, 0)->whole, "%s needs a float or a vector of floats here, not %s",
		   wgsl_fns[e->builtin].name, wgsl_type_text(c, t));
	return false;
}

bool wgsl_check_pack(struct wgsl_comp *c, struct wgsl_expr *e)
{
	int f = e->builtin;
	bool is_wide = f == FN_PACK4X8_SNORM || f == FN_PACK4X8_UNORM || f == FN_UNPACK4X8_SNORM ||
		       f == FN_UNPACK4X8_UNORM;
	const struct wgsl_type *floats = wgsl_vec(c, c->basic[WGSL_F32], is_wide ? 4 : 2);
	const struct wgsl_type *t;

	if (f >= FN_UNPACK4X8_SNORM) {
		e->type = floats;
		return wgsl_coerce(c, arg(e, 0), c->basic[WGSL_U32], "the argument");
	}
	if (f >= FN_PACK4X8_SNORM) {
		e->type = c->basic[WGSL_U32];
		return wgsl_coerce(c, arg(e, 0), floats, "the argument");
	}
	if (!check_float_arg(c, e))
		return false;
	t = arg(e, 0)->type;
	e->type = t;
	if (f == FN_MODF || f == FN_FREXP)
		e->type = wgsl_parts_type(c, t, f == FN_FREXP);
	if (f == FN_LDEXP)
		return wgsl_coerce(
		    c, arg(e, 1),
		    wgsl_with_base(c, t,
				   c->basic[is_all_abstract(e) ? WGSL_ABSTRACT_INT : WGSL_I32]),
		    "the exponent");
	return true;
}

/* ---- values ------------------------------------------------------------------------------ */

static double clamped(double x, double low, double high)
{
	if (x < low)
		return low;
	return x > high ? high : x;
}

static uint32_t field(int f, double x)
{
	double scale = f == FN_PACK4X8_SNORM    ? 127.0
		       : f == FN_PACK4X8_UNORM  ? 255.0
		       : f == FN_PACK2X16_SNORM ? 32767.0
						: 65535.0;
	bool is_signed = f == FN_PACK4X8_SNORM || f == FN_PACK2X16_SNORM;
	uint32_t mask = f == FN_PACK4X8_SNORM || f == FN_PACK4X8_UNORM ? 0xff : 0xffff;
	float scaled;

	if (f == FN_PACK2X16_FLOAT)
		return num_f16_bits(x);
	scaled = (float)(clamped(x, is_signed ? -1.0 : 0.0, 1.0) * scale);
	return (uint32_t)(int32_t)floorf(scaled + 0.5f) & mask;
}

static double unfield(int f, uint32_t bits)
{
	if (f == FN_UNPACK2X16_FLOAT)
		return wgsl_half_of(bits);
	if (f == FN_UNPACK4X8_UNORM)
		return (double)(float)((float)bits / 255.0f);
	if (f == FN_UNPACK2X16_UNORM)
		return (double)(float)((float)bits / 65535.0f);
	if (f == FN_UNPACK4X8_SNORM)
		return clamped((double)(float)((float)(int8_t)bits / 127.0f), -1.0, 1.0);
	return clamped((double)(float)((float)(int16_t)bits / 32767.0f), -1.0, 1.0);
}

static const struct wgsl_value *eval_packing(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	struct wgsl_value *r = wgsl_new_value(c, e->type);
	const struct wgsl_value *v = arg(e, 0)->value;
	uint32_t n = wgsl_type_width(e->type) * wgsl_type_width(v->type);
	uint32_t step = 32 / n;
	uint32_t word = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t part = (uint32_t)(uint64_t)v->v[0].i >> (i * step);

		if (e->builtin >= FN_UNPACK4X8_SNORM)
			r->v[i].f = unfield(e->builtin, part & (step == 8 ? 0xff : 0xffff));
		else
			word |= field(e->builtin, v->v[i].f) << (i * step);
		if (e->builtin == FN_PACK2X16_FLOAT && isinf(wgsl_half(v->v[i].f))) {
			wgsl_eval_error(c, e->whole, "f16 cannot hold this value");
			return NULL;
		}
		if (e->builtin >= FN_UNPACK4X8_SNORM && !isfinite(r->v[i].f)) {
			wgsl_eval_error(c, e->whole, "the bits are no finite f16");
			return NULL;
		}
	}
	if (e->builtin < FN_UNPACK4X8_SNORM)
		r->v[0].i = word;
	return r;
}

static const struct wgsl_value *eval_parts(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_value *v = arg(e, 0)->value;
	struct wgsl_value *r = wgsl_new_value(c, e->type);
	struct wgsl_value *fract = wgsl_new_value(c, e->type->members[0].type);
	struct wgsl_value *second = wgsl_new_value(c, e->type->members[1].type);

	for (uint32_t i = 0; i < wgsl_type_width(v->type); i++) {
		int exponent = 0;

		if (e->builtin == FN_FREXP) {
			fract->v[i].f = frexp(v->v[i].f, &exponent);
			second->v[i].i = exponent;
		} else {
			second->v[i].f = trunc(v->v[i].f);
			fract->v[i].f = v->v[i].f - second->v[i].f;
		}
	}
	r->elems = arena_new_array(c->arena, const struct wgsl_value *, 2);
	r->elems[0] = fract;
	r->elems[1] = second;
	return r;
}

static double times_power(double x, int64_t e)
{
	int64_t all = e < -252 ? -252 : e > 254 ? 254 : e;
	int64_t half = (all + 252) / 2 - 126; /* rounded down, as a shift does */
	double y = (double)(float)(x * ldexp(1.0, (int)half));

	return (double)(float)(y * ldexp(1.0, (int)(all - half)));
}

/* What is beyond it is 0 or infinite for each x. */
static double ldexp_abstract(double x, int64_t e)
{
	return ldexp(x, e < -3000 ? -3000 : e > 3000 ? 3000 : (int)e);
}

const struct wgsl_value *wgsl_eval_pack(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_value *r;

	if (e->builtin >= FN_PACK4X8_SNORM)
		return eval_packing(c, e);
	if (e->builtin == FN_MODF || e->builtin == FN_FREXP)
		return eval_parts(c, e);
	r = wgsl_new_value(c, e->type);
	for (uint32_t i = 0; i < wgsl_type_width(e->type); i++) {
		double x = arg(e, 0)->value->v[i].f;

		if (!wgsl_check_partial(c, e))
			return NULL;
		if (e->builtin == FN_LDEXP && wgsl_is_abstract(e->type))
			r->v[i].f = ldexp_abstract(x, arg(e, 1)->value->v[i].i);
		else if (e->builtin == FN_LDEXP)
			r->v[i].f = times_power(x, arg(e, 1)->value->v[i].i);
		else
			r->v[i].f = wgsl_half(x);
		if (!wgsl_round(c, e->whole, wgsl_type_base(e->type), &r->v[i].f))
			return c->no_eval > 0 ? wgsl_zero(c, e->type) : NULL;
	}
	return r;
}
