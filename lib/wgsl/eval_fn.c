/*
 * eval_fn.c - predeclared functions of constants.
 *
 * f32 functions are computed in double and rounded to f32 after each step that the IR would
 * round, so that a constant has the bits of the same expression at run time wherever those are
 * fixed. Those of f16 are the f32 functions, with the result rounded to f16.
 */
#include <math.h>

#include "wgsl/const_int.h"
#include "wgsl/fn_int.h"

/* One component of every argument. */
struct operands {
	struct wgsl_comp *c;
	struct wgsl_expr *e;
	enum wgsl_kind kind; /* of the first argument's component */
	union wgsl_scalar v[4];
};

static bool is_float(enum wgsl_kind k)
{
	return k == WGSL_F32 || k == WGSL_F16 || k == WGSL_F64 || k == WGSL_ABSTRACT_FLOAT;
}

/* The result: f16 is rounded to f32 first, as at run time. */
static bool finish(const struct operands *o, double *x)
{
	if (o->kind == WGSL_F16)
		*x = (double)(float)*x;
	return wgsl_round(o->c, o->e->whole, o->kind, x);
}

static double rounded(const struct operands *o, double x)
{
	return o->kind == WGSL_F32 || o->kind == WGSL_F16 ? (double)(float)x : x;
}

static bool domain(const struct operands *o, bool ok, const char *what)
{
	if (!ok)
		wgsl_eval_error(o->c, o->e->whole, "%s needs %s", wgsl_fns[o->e->builtin].name,
				what);
	return ok;
}

/* ---- integers ---------------------------------------------------------------------------- */

static uint32_t width_of(enum wgsl_kind kind)
{
	return kind == WGSL_I64 || kind == WGSL_U64 ? 64 : 32;
}

static uint64_t reverse(uint64_t x, uint32_t width)
{
	uint64_t r = 0;

	for (uint32_t i = 0; i < width; i++)
		r |= (x >> i & 1) << (width - 1 - i);
	return r;
}

/* The low bits as a number of the kind. */
static int64_t as_kind(enum wgsl_kind kind, uint64_t x)
{
	if (kind == WGSL_I32)
		return (int64_t)(int32_t)(uint32_t)x;
	return width_of(kind) == 64 ? (int64_t)x : (int64_t)(uint32_t)x;
}

static uint64_t bits_of(enum wgsl_kind kind, union wgsl_scalar s)
{
	return width_of(kind) == 64 ? (uint64_t)s.i : (uint32_t)(uint64_t)s.i;
}

static uint32_t leading(uint64_t x, uint32_t width)
{
	return x == 0 ? width : (uint32_t)__builtin_clzll(x) - (64 - width);
}

static uint32_t trailing(uint64_t x, uint32_t width)
{
	return x == 0 ? width : (uint32_t)__builtin_ctzll(x);
}

static uint64_t first_leading(const struct operands *o)
{
	union wgsl_scalar v = o->v[0];
	uint32_t width = width_of(o->kind);

	if ((o->kind == WGSL_I32 || o->kind == WGSL_I64) && v.i < 0)
		v.i = ~v.i;
	return (uint64_t)width - 1 - leading(bits_of(o->kind, v), width);
}

static bool eval_bits(const struct operands *o, union wgsl_scalar *r)
{
	uint64_t x = bits_of(o->kind, o->v[0]);
	uint32_t width = width_of(o->kind);
	uint64_t n;

	switch (o->e->builtin) {
	case FN_COUNT_LEADING_ZEROS:
		n = leading(x, width);
		break;
	case FN_COUNT_TRAILING_ZEROS:
		n = trailing(x, width);
		break;
	case FN_COUNT_ONE_BITS:
		n = (uint64_t)__builtin_popcountll(x);
		break;
	case FN_FIRST_LEADING_BIT:
		n = first_leading(o);
		break;
	case FN_FIRST_TRAILING_BIT:
		n = x == 0 ? UINT64_MAX : trailing(x, width);
		break;
	default:
		n = reverse(x, width);
		break;
	}
	r->i = as_kind(o->kind, n);
	return true;
}

static bool eval_fields(const struct operands *o, union wgsl_scalar *r)
{
	bool insert = o->e->builtin == FN_INSERT_BITS;
	bool is_signed = o->kind == WGSL_I32 || o->kind == WGSL_I64;
	uint64_t offset = (uint64_t)o->v[insert ? 2 : 1].i;
	uint64_t count = (uint64_t)o->v[insert ? 3 : 2].i;
	uint64_t x = bits_of(o->kind, o->v[0]);
	uint64_t mask = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;

	if (!domain(o, offset + count <= width_of(o->kind),
		    width_of(o->kind) == 64 ? "offset + count of at most 64"
					    : "offset + count of at most 32"))
		return false;
	if (insert && count > 0) {
		uint64_t n = bits_of(o->kind, o->v[1]);

		x = (x & ~(mask << offset)) | ((n & mask) << offset);
	} else if (!insert) {
		x = count == 0 ? 0 : (x >> offset) & mask;
		if (is_signed && count > 0 && (x >> (count - 1) & 1) != 0)
			x |= ~mask;
	}
	r->i = as_kind(o->kind, x);
	return true;
}

static int64_t clamp_int(enum wgsl_kind kind, int64_t x, int64_t low, int64_t high)
{
	if (wgsl_less(kind, x, low))
		return low;
	return wgsl_less(kind, high, x) ? high : x;
}

static int64_t sign_int(int64_t x)
{
	if (x == 0)
		return 0;
	return x > 0 ? 1 : -1;
}

/* That of the lowest number is that number. */
static int64_t abs_int(enum wgsl_kind kind, int64_t x)
{
	if (x >= 0 || kind == WGSL_U64)
		return x;
	return as_kind(kind == WGSL_I32 ? WGSL_I32 : WGSL_I64, 0 - (uint64_t)x);
}

static bool eval_int(const struct operands *o, union wgsl_scalar *r)
{
	int64_t a = o->v[0].i;
	int64_t b = o->v[1].i;

	switch (o->e->builtin) {
	case FN_ABS:
		r->i = abs_int(o->kind, a);
		return true;
	case FN_MIN:
		r->i = wgsl_less(o->kind, b, a) ? b : a;
		return true;
	case FN_MAX:
		r->i = wgsl_less(o->kind, a, b) ? b : a;
		return true;
	case FN_SIGN:
		r->i = sign_int(a);
		return true;
	case FN_CLAMP:
		r->i = clamp_int(o->kind, a, b, o->v[2].i);
		return domain(o, !wgsl_less(o->kind, o->v[2].i, b), "low <= high");
	case FN_EXTRACT_BITS:
	case FN_INSERT_BITS:
		return eval_fields(o, r);
	default:
		return eval_bits(o, r);
	}
}

/* ---- floats ------------------------------------------------------------------------------ */

static double smoothstep(const struct operands *o, double low, double high, double x)
{
	double t = rounded(o, rounded(o, x - low) / rounded(o, high - low));

	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	return rounded(o, rounded(o, t * t) * rounded(o, 3.0 - rounded(o, 2.0 * t)));
}

static double clamp_float(double x, double low, double high)
{
	if (x < low)
		return low;
	return x > high ? high : x;
}

static double sign_float(double x)
{
	if (x == 0.0)
		return 0.0;
	return x > 0.0 ? 1.0 : -1.0;
}

static double mix(const struct operands *o, double a, double b, double k)
{
	return rounded(o, a * rounded(o, 1.0 - k)) + rounded(o, b * k);
}

static bool eval_fixed(const struct operands *o, double *r)
{
	double a = o->v[0].f;
	double b = o->v[1].f;
	double k = o->v[2].f;

	switch (o->e->builtin) {
	case FN_ABS:
		*r = fabs(a);
		return true;
	case FN_MIN:
		*r = b < a ? b : a;
		return true;
	case FN_MAX:
		*r = a < b ? b : a;
		return true;
	case FN_CLAMP:
		*r = clamp_float(a, b, k);
		return domain(o, b <= k, "low <= high");
	case FN_SIGN:
		*r = sign_float(a);
		return true;
	case FN_CEIL:
		*r = ceil(a);
		return true;
	case FN_FLOOR:
		*r = floor(a);
		return true;
	case FN_TRUNC:
		*r = trunc(a);
		return true;
	case FN_ROUND:
		*r = rint(a);
		return true;
	case FN_FRACT:
		*r = a - floor(a);
		return true;
	case FN_FMA:
		*r = rounded(o, a * b) + k;
		return true;
	case FN_MIX:
		*r = mix(o, a, b, k);
		return true;
	case FN_SATURATE:
		*r = clamp_float(a, 0.0, 1.0);
		return true;
	case FN_STEP:
		*r = a <= b ? 1.0 : 0.0;
		return true;
	case FN_DEGREES:
		*r = a * rounded(o, 57.295779513082322865);
		return true;
	default:
		*r = a * rounded(o, 0.017453292519943295474);
		return true;
	}
}

static bool eval_math(const struct operands *o, double *r)
{
	static double (*const unary[FN_COUNT_])(double) = {
		[FN_ACOS] = acos, [FN_ACOSH] = acosh, [FN_ASIN] = asin, [FN_ASINH] = asinh,
		[FN_ATAN] = atan, [FN_ATANH] = atanh, [FN_COS] = cos,   [FN_COSH] = cosh,
		[FN_EXP] = exp,   [FN_EXP2] = exp2,   [FN_LOG] = log,   [FN_LOG2] = log2,
		[FN_SIN] = sin,   [FN_SINH] = sinh,   [FN_SQRT] = sqrt, [FN_TAN] = tan,
		[FN_TANH] = tanh,
	};
	double a = o->v[0].f;

	switch (o->e->builtin) {
	case FN_ATAN2:
		*r = atan2(a, o->v[1].f);
		return true;
	case FN_POW:
		*r = pow(a, o->v[1].f);
		/* exp2(y * log2(x)) */
		return domain(o, (a > 0.0 || (a == 0.0 && o->v[1].f > 0.0)) && isfinite(*r),
			      "a positive base (0: a positive power) and a finite result");
	case FN_INVERSE_SQRT:
		*r = 1.0 / sqrt(a);
		return domain(o, a > 0.0, "a positive argument");
	case FN_SMOOTHSTEP:
		*r = smoothstep(o, a, o->v[1].f, o->v[2].f);
		return domain(o, a != o->v[1].f, "different edges");
	default:
		*r = unary[o->e->builtin](a);
		return domain(o, isfinite(*r), "an argument with a finite result");
	}
}

static bool eval_scalar(const struct operands *o, union wgsl_scalar *r)
{
	int f = o->e->builtin;
	bool is_math = f >= FN_ACOS && f <= FN_TANH;

	if (!is_float(o->kind))
		return eval_int(o, r);
	if (is_math ? !eval_math(o, &r->f) : !eval_fixed(o, &r->f))
		return false;
	return finish(o, &r->f);
}

/* ---- functions over whole vectors -------------------------------------------------------- */

static const struct wgsl_value *value_of(const struct wgsl_expr *e, uint32_t i)
{
	return e->args.list[i]->value;
}

static double dot_product(const struct operands *o, const struct wgsl_value *a,
			  const struct wgsl_value *b)
{
	double sum = 0;

	for (uint32_t i = 0; i < wgsl_type_width(a->type); i++) {
		double p = rounded(o, a->v[i].f * b->v[i].f);

		sum = i == 0 ? p : rounded(o, sum + p);
	}
	return sum;
}

static bool dot_ints(const struct operands *o, const struct wgsl_value *a,
		     const struct wgsl_value *b, union wgsl_scalar *r)
{
	__int128 sum = 0;

	for (uint32_t i = 0; i < wgsl_type_width(a->type); i++)
		sum += (__int128)a->v[i].i * b->v[i].i;
	if (o->kind == WGSL_ABSTRACT_INT) {
		r->i = (int64_t)sum;
		return domain(o, sum >= INT64_MIN && sum <= INT64_MAX,
			      "a result that fits into 64 bits");
	}
	r->i = as_kind(o->kind, (uint64_t)(unsigned __int128)sum);
	return true;
}

static bool eval_dot(const struct operands *o, struct wgsl_value *r)
{
	const struct wgsl_value *a = value_of(o->e, 0);
	const struct wgsl_value *b = value_of(o->e, 1);

	if (!is_float(o->kind))
		return dot_ints(o, a, b, &r->v[0]);
	r->v[0].f = dot_product(o, a, b);
	return finish(o, &r->v[0].f);
}

static bool eval_cross(const struct operands *o, struct wgsl_value *r)
{
	const struct wgsl_value *a = value_of(o->e, 0);
	const struct wgsl_value *b = value_of(o->e, 1);

	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3;
		int k = (i + 2) % 3;

		r->v[i].f = rounded(o, a->v[j].f * b->v[k].f) - rounded(o, a->v[k].f * b->v[j].f);
		if (!finish(o, &r->v[i].f))
			return false;
	}
	return true;
}

static bool eval_length(const struct operands *o, struct wgsl_value *r)
{
	const struct wgsl_value *a = value_of(o->e, 0);
	struct wgsl_value d = *a;

	if (o->e->builtin == FN_DISTANCE)
		for (uint32_t i = 0; i < wgsl_type_width(a->type); i++)
			d.v[i].f = rounded(o, a->v[i].f - value_of(o->e, 1)->v[i].f);
	if (wgsl_type_width(a->type) == 1)
		r->v[0].f = fabs(d.v[0].f);
	else
		r->v[0].f = sqrt(dot_product(o, &d, &d));
	return finish(o, &r->v[0].f);
}

static bool eval_normalize(const struct operands *o, struct wgsl_value *r)
{
	const struct wgsl_value *a = value_of(o->e, 0);
	double n = rounded(o, sqrt(dot_product(o, a, a)));

	if (!domain(o, n > 0.0, "a vector of non-zero length"))
		return false;
	for (uint32_t i = 0; i < wgsl_type_width(a->type); i++) {
		r->v[i].f = a->v[i].f / n;
		if (!finish(o, &r->v[i].f))
			return false;
	}
	return true;
}

/* reflect(I, N) = I - 2 dot(N, I) N; faceForward(A, B, C) = dot(B, C) < 0 ? A : -A. */
static bool eval_reflect(const struct operands *o, struct wgsl_value *r)
{
	bool is_reflect = o->e->builtin == FN_REFLECT;
	const struct wgsl_value *a = value_of(o->e, 0);
	const struct wgsl_value *b = value_of(o->e, 1);
	double d = dot_product(o, b, is_reflect ? a : value_of(o->e, 2));
	double twice = rounded(o, 2.0 * d);

	for (uint32_t i = 0; i < wgsl_type_width(a->type); i++) {
		if (is_reflect)
			r->v[i].f = a->v[i].f - rounded(o, twice * b->v[i].f);
		else
			r->v[i].f = d < 0.0 ? a->v[i].f : -a->v[i].f;
		if (!finish(o, &r->v[i].f))
			return false;
	}
	return true;
}

/* k = 1 - e3 * e3 * (1 - d * d), d = dot(e2, e1); k < 0 ? 0 : e3 * e1 - (e3 * d + sqrt(k)) * e2 */
static bool eval_refract(const struct operands *o, struct wgsl_value *r)
{
	const struct wgsl_value *a = value_of(o->e, 0);
	const struct wgsl_value *b = value_of(o->e, 1);
	double ratio = value_of(o->e, 2)->v[0].f;
	double d = dot_product(o, b, a);
	double k = rounded(o, 1.0 - rounded(o, d * d));
	double part;

	k = rounded(o, 1.0 - rounded(o, rounded(o, ratio * ratio) * k));
	part = k < 0.0 ? 0.0 : rounded(o, rounded(o, ratio * d) + rounded(o, sqrt(k)));
	for (uint32_t i = 0; i < wgsl_type_width(a->type); i++) {
		r->v[i].f =
		    k < 0.0 ? 0.0 : rounded(o, ratio * a->v[i].f) - rounded(o, part * b->v[i].f);
		if (!finish(o, &r->v[i].f))
			return false;
	}
	return true;
}

static bool eval_logic(const struct operands *o, struct wgsl_value *r)
{
	const struct wgsl_value *a = value_of(o->e, 0);
	bool all = true;
	bool any = false;

	for (uint32_t i = 0; i < wgsl_type_width(a->type); i++) {
		all = all && a->v[i].i != 0;
		any = any || a->v[i].i != 0;
	}
	r->v[0].i = o->e->builtin == FN_ALL ? all : any;
	return true;
}

static bool eval_select(const struct operands *o, struct wgsl_value *r)
{
	for (uint32_t i = 0; i < wgsl_type_width(r->type); i++) {
		bool cond = wgsl_comp_of(value_of(o->e, 2), i).i != 0;

		r->v[i] = value_of(o->e, cond ? 1 : 0)->v[i];
	}
	return true;
}

static int64_t clamp_byte(int builtin, int64_t x)
{
	if (builtin == FN_PACK4X_I8_CLAMP)
		return x < -128 ? -128 : x > 127 ? 127 : x;
	if (builtin == FN_PACK4X_U8_CLAMP)
		return x > 255 ? 255 : x;
	return x;
}

static bool eval_pack(const struct operands *o, struct wgsl_value *r)
{
	uint64_t bits = 0;

	for (int i = 0; i < 4; i++) {
		int64_t x = clamp_byte(o->e->builtin, value_of(o->e, 0)->v[i].i);

		bits |= ((uint64_t)x & 0xff) << (8 * i);
	}
	r->v[0].i = (int64_t)bits;
	return true;
}

static int64_t byte_of(bool is_signed, int64_t word, int i)
{
	uint8_t b = (uint8_t)((uint64_t)word >> (8 * i));

	return is_signed ? (int8_t)b : b;
}

static bool eval_bytes(const struct operands *o, struct wgsl_value *r)
{
	bool is_signed = o->e->builtin == FN_UNPACK4X_I8 || o->e->builtin == FN_DOT4_I8;

	for (int i = 0; i < 4; i++) {
		int64_t a = byte_of(is_signed, value_of(o->e, 0)->v[0].i, i);

		if (r->type->kind == WGSL_VEC)
			r->v[i].i = a;
		else
			r->v[0].i += a * byte_of(is_signed, value_of(o->e, 1)->v[0].i, i);
	}
	return true;
}

static bool eval_whole(const struct operands *o, struct wgsl_value *r)
{
	switch (o->e->builtin) {
	case FN_ALL:
	case FN_ANY:
		return eval_logic(o, r);
	case FN_SELECT:
		return eval_select(o, r);
	case FN_DOT:
		return eval_dot(o, r);
	case FN_CROSS:
		return eval_cross(o, r);
	case FN_LENGTH:
	case FN_DISTANCE:
		return eval_length(o, r);
	case FN_NORMALIZE:
		return eval_normalize(o, r);
	case FN_REFRACT:
		return eval_refract(o, r);
	case FN_REFLECT:
	case FN_FACE_FORWARD:
		return eval_reflect(o, r);
	case FN_DOT4_U8:
	case FN_DOT4_I8:
	case FN_UNPACK4X_I8:
	case FN_UNPACK4X_U8:
		return eval_bytes(o, r);
	default:
		return eval_pack(o, r);
	}
}

static bool is_whole(int f)
{
	return f == FN_ALL || f == FN_ANY || f == FN_SELECT || f == FN_DOT || f == FN_CROSS ||
	       f == FN_LENGTH || f == FN_DISTANCE || f == FN_NORMALIZE || f == FN_REFLECT ||
	       f == FN_REFRACT || f == FN_FACE_FORWARD || f == FN_DOT4_U8 || f == FN_DOT4_I8 ||
	       (f >= FN_PACK4X_I8 && f <= FN_UNPACK4X_U8);
}

const struct wgsl_value *wgsl_eval_builtin(struct wgsl_comp *c, struct wgsl_expr *e,
					   const struct wgsl_type *type)
{
	struct wgsl_value *r = wgsl_new_value(c, type);
	struct operands o = { .c = c, .e = e };
	bool ok = true;

	o.kind = wgsl_type_base(e->args.list[0]->type);
	if (e->builtin == FN_BITCAST)
		return wgsl_bitcast_value(c, e->whole, value_of(e, 0), type);
	if (e->builtin == FN_TRANSPOSE || e->builtin == FN_DETERMINANT)
		return wgsl_eval_matrix_fn(c, e);
	if (e->builtin >= FN_MODF && e->builtin <= FN_UNPACK2X16_FLOAT)
		return wgsl_eval_pack(c, e);
	if (is_whole(e->builtin)) {
		ok = eval_whole(&o, r);
	} else {
		for (uint32_t i = 0; i < wgsl_type_width(type) && ok; i++) {
			for (uint32_t k = 0; k < e->args.n; k++)
				o.v[k] = wgsl_comp_of(value_of(e, k), i);
			ok = eval_scalar(&o, &r->v[i]);
		}
	}
	if (!ok)
		return c->no_eval > 0 ? wgsl_zero(c, type) : NULL;
	return r;
}
