/*
 * arith.c - division, conversions and functions; see gen_int.h.
 *
 * Vector division of 32-bit integers goes through f64, which is exact: both operands are, and
 * the rounded quotient of a, b < 2^32 cannot reach the next integer, because a / b differs from it
 * by at least 1 / b, more than the rounding error (at most a / b / 2^53).
 */
#include "native/gen_int.h"

#include <stdio.h>

/* y, or 1 where it is 0: the quotient is x then. */
static LLVMValueRef safe_divisor(struct gen *g, LLVMValueRef y)
{
	LLVMTypeRef t = LLVMTypeOf(y);
	LLVMValueRef bad = LLVMBuildICmp(g->b, LLVMIntEQ, y, LLVMConstNull(t), "");

	return LLVMBuildSelect(g->b, bad, gen_const(t, 1), y, "");
}

static LLVMValueRef to_double(struct gen *g, LLVMValueRef x, bool is_signed)
{
	bool vector = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
	LLVMTypeRef t = vector ? gen_vec_type(g, g->f64) : g->f64;

	return is_signed ? LLVMBuildSIToFP(g->b, x, t, "") : LLVMBuildUIToFP(g->b, x, t, "");
}

/* The truncated quotient as an integer: plus 1.5 * 2^52 it stands in the low bits, on every CPU;
 * MIN / -1 wraps by itself. */
static LLVMValueRef quotient_bits(struct gen *g, LLVMValueRef q)
{
	LLVMTypeRef f = gen_vec_type(g, g->f64);

	q = gen_call(g, "llvm.trunc", f, &q, 1);
	q = LLVMBuildFAdd(g->b, q, gen_constf(f, 6755399441055744.0), "");
	q = LLVMBuildBitCast(g->b, q, gen_vec_type(g, g->i64), "");
	return LLVMBuildTrunc(g->b, q, gen_vec_type(g, g->i32), "");
}

/*
 * By one divisor for all lanes: times its reciprocal. x is moved by half a unit away from
 * zero, so that the product stays clear of the next integer by at least 1 / (2 y), while its error
 * is below |x / y| / 2^51 < 1 / (2 y).
 */
static LLVMValueRef divide_by_one(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	LLVMTypeRef f = gen_vec_type(g, g->f64);
	LLVMValueRef half = gen_constf(f, 0.5), inverse, neg;

	if (is_signed) {
		neg = LLVMBuildICmp(g->b, LLVMIntSLT, x, LLVMConstNull(LLVMTypeOf(x)), "");
		half = LLVMBuildSelect(g->b, neg, gen_constf(f, -0.5), half, "");
	}
	inverse = LLVMBuildFDiv(g->b, LLVMConstReal(g->f64, 1.0), to_double(g, y, is_signed), "");
	x = LLVMBuildFAdd(g->b, to_double(g, x, is_signed), half, "");
	return quotient_bits(g, LLVMBuildFMul(g->b, x, gen_splat(g, inverse), ""));
}

static bool is_wide(LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v);

	if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
		t = LLVMGetElementType(t);
	return LLVMGetIntTypeWidth(t) == 64;
}

/* A constant that LLVM divides by with multiplications. */
static bool is_easy(struct comp y)
{
	uint64_t v;

	if (y.shape != UNIFORM || !LLVMIsAConstantInt(y.v))
		return false;
	v = LLVMConstIntGetZExtValue(y.v);
	return v != 0 && v != (is_wide(y.v) ? UINT64_MAX : UINT32_MAX);
}

static LLVMValueRef divide_scalars(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	LLVMTypeRef t = LLVMTypeOf(y);
	LLVMValueRef min, both;

	if (!is_signed)
		return LLVMBuildUDiv(g->b, x, y, "");
	/* MIN / -1 traps. */
	min = LLVMBuildICmp(g->b, LLVMIntEQ, x,
			    gen_const(t, is_wide(x) ? (uint64_t)INT64_MIN : 0x80000000U), "");
	both = LLVMBuildICmp(g->b, LLVMIntEQ, y, LLVMConstAllOnes(t), "");
	both = LLVMBuildAnd(g->b, min, both, "");
	return LLVMBuildSDiv(g->b, x, LLVMBuildSelect(g->b, both, gen_const(t, 1), y, ""), "");
}

/* y is not zero. */
static LLVMValueRef divide(struct gen *g, struct comp x, struct comp y, bool is_signed)
{
	if ((x.shape == UNIFORM && y.shape == UNIFORM) || is_wide(y.v)) {
		comp_pair(g, &x, &y);
		return divide_scalars(g, x.v, y.v, is_signed);
	}
	if (y.shape == UNIFORM)
		return divide_by_one(g, comp_vec(g, x), y.v, is_signed);
	return quotient_bits(g, LLVMBuildFDiv(g->b, to_double(g, comp_vec(g, x), is_signed),
					      to_double(g, comp_vec(g, y), is_signed), ""));
}

struct comp arith_div(struct gen *g, struct comp x, struct comp y, bool is_signed)
{
	if (is_easy(y)) {
		comp_pair(g, &x, &y);
		return comp_like(is_signed ? LLVMBuildSDiv(g->b, x.v, y.v, "")
					   : LLVMBuildUDiv(g->b, x.v, y.v, ""));
	}
	if (y.shape == AFFINE)
		y = comp_varying(comp_vec(g, y));
	y.v = safe_divisor(g, y.v);
	return comp_like(divide(g, x, y, is_signed));
}

struct comp arith_rem(struct gen *g, struct comp x, struct comp y, bool is_signed)
{
	struct comp q;

	if (is_easy(y)) {
		comp_pair(g, &x, &y);
		return comp_like(is_signed ? LLVMBuildSRem(g->b, x.v, y.v, "")
					   : LLVMBuildURem(g->b, x.v, y.v, ""));
	}
	if (y.shape == AFFINE)
		y = comp_varying(comp_vec(g, y));
	y.v = safe_divisor(g, y.v);
	q = comp_like(divide(g, x, y, is_signed));
	return comp_sub(g, x, comp_mul(g, q, y));
}

/* x clamped to [low, high]; NaN gives low. */
static LLVMValueRef clamp(struct gen *g, LLVMValueRef x, double low, double high)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef l = gen_constf(t, low), h = gen_constf(t, high);

	x = LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, LLVMRealOGT, x, l, ""), x, l, "");
	return LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, LLVMRealOLT, x, h, ""), x, h, "");
}

/* The largest number of both types. */
static double highest(enum wgsl_kind from, enum wgsl_kind to)
{
	bool is_f64 = from == WGSL_F64;

	switch ((int)to) {
	case WGSL_I32:
		return is_f64 ? 2147483647.0 : 2147483520.0;
	case WGSL_U32:
		return is_f64 ? 4294967295.0 : 4294967040.0;
	case WGSL_I64:
		return is_f64 ? 0x1.fffffffffffffp62 : 0x1.fffffep62;
	default:
		return is_f64 ? 0x1.fffffffffffffp63 : 0x1.fffffep63;
	}
}

static LLVMValueRef float_to_int(struct gen *g, LLVMValueRef x, LLVMTypeRef t, enum wgsl_kind from,
				 enum wgsl_kind to)
{
	LLVMTypeRef f = LLVMTypeOf(x);
	double high = highest(from, to);
	LLVMValueRef ordered;

	if (to == WGSL_U32 || to == WGSL_U64)
		return LLVMBuildFPToUI(g->b, clamp(g, x, 0.0, high), t, "");
	ordered = LLVMBuildFCmp(g->b, LLVMRealORD, x, x, "");
	x = LLVMBuildSelect(g->b, ordered, x, LLVMConstNull(f), "");
	return LLVMBuildFPToSI(g->b, clamp(g, x, to == WGSL_I32 ? -0x1p31 : -0x1p63, high), t, "");
}

static bool is_real(enum wgsl_kind kind)
{
	return kind == WGSL_F32 || kind == WGSL_F64;
}

static bool is_signed_kind(enum wgsl_kind kind)
{
	return kind == WGSL_I32 || kind == WGSL_I64;
}

/* Between integers of different widths, or floats of them. */
static LLVMValueRef resize(struct gen *g, LLVMValueRef x, LLVMTypeRef t, enum wgsl_kind from,
			   enum wgsl_kind to)
{
	if (is_real(from) && to == WGSL_F64)
		return LLVMBuildFPExt(g->b, x, t, "");
	if (is_real(from))
		return LLVMBuildFPTrunc(g->b, x, t, "");
	if (kind_words(to) == 1)
		return LLVMBuildTrunc(g->b, x, t, "");
	return is_signed_kind(from) ? LLVMBuildSExt(g->b, x, t, "") : LLVMBuildZExt(g->b, x, t, "");
}

LLVMValueRef arith_convert(struct gen *g, LLVMValueRef x, enum wgsl_kind from, enum wgsl_kind to)
{
	bool varying = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
	LLVMTypeRef t = gen_type(g, to, varying);

	if (to == WGSL_BOOL && is_real(from))
		return LLVMBuildFCmp(g->b, LLVMRealUNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	if (to == WGSL_BOOL)
		return LLVMBuildICmp(g->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	if (from == WGSL_BOOL && is_real(to))
		return LLVMBuildSelect(g->b, x, gen_constf(t, 1.0), LLVMConstNull(t), "");
	if (from == WGSL_BOOL)
		return LLVMBuildZExt(g->b, x, t, "");
	if (is_real(from) == is_real(to))
		return resize(g, x, t, from, to);
	if (is_real(from))
		return float_to_int(g, x, t, from, to);
	if (is_signed_kind(from))
		return LLVMBuildSIToFP(g->b, x, t, "");
	return LLVMBuildUIToFP(g->b, x, t, "");
}

static const char *math_symbol(enum wgsl_math fn)
{
	static const char *const names[WGSL_MATH_COUNT_] = {
		[WGSL_MATH_EXP] = "expf",     [WGSL_MATH_EXP2] = "exp2f",
		[WGSL_MATH_LOG] = "logf",     [WGSL_MATH_LOG2] = "log2f",
		[WGSL_MATH_SIN] = "sinf",     [WGSL_MATH_COS] = "cosf",
		[WGSL_MATH_TAN] = "tanf",     [WGSL_MATH_ASIN] = "asinf",
		[WGSL_MATH_ACOS] = "acosf",   [WGSL_MATH_ATAN] = "atanf",
		[WGSL_MATH_SINH] = "sinhf",   [WGSL_MATH_COSH] = "coshf",
		[WGSL_MATH_TANH] = "tanhf",   [WGSL_MATH_ASINH] = "asinhf",
		[WGSL_MATH_ACOSH] = "acoshf", [WGSL_MATH_ATANH] = "atanhf",
		[WGSL_MATH_POW] = "powf",     [WGSL_MATH_ATAN2] = "atan2f",
	};

	return fn < WGSL_MATH_COUNT_ ? names[fn] : NULL;
}

static LLVMValueRef call_math(struct gen *g, enum wgsl_math fn, LLVMValueRef x, LLVMValueRef y)
{
	const char *name = math_symbol(fn);
	unsigned n = fn == WGSL_MATH_POW || fn == WGSL_MATH_ATAN2 ? 2 : 1;
	LLVMTypeRef params[2] = { g->f32, g->f32 };
	LLVMTypeRef type = LLVMFunctionType(g->f32, params, n, false);
	LLVMValueRef args[2] = { x, y };
	LLVMValueRef f;

	if (name == NULL) {
		gen_fail(g, ERR_INVALID, "unknown function");
		return x;
	}
	f = LLVMGetNamedFunction(g->mod, name);
	if (f == NULL)
		f = LLVMAddFunction(g->mod, name, type);
	return LLVMBuildCall2(g->b, type, f, args, n, "");
}

struct comp arith_math(struct gen *g, enum wgsl_math fn, struct comp x, struct comp y)
{
	struct lane_loop loop;
	LLVMValueRef a, b, out, one;

	if (fn == WGSL_MATH_INVERSE_SQRT) {
		one = gen_constf(LLVMTypeOf(x.v), 1.0);
		x.v = gen_call(g, "llvm.sqrt", LLVMTypeOf(x.v), &x.v, 1);
		return comp_like(LLVMBuildFDiv(g->b, one, x.v, ""));
	}
	if (!comp_pair(g, &x, &y))
		return comp_uniform(call_math(g, fn, x.v, y.v));
	a = tmp_put(g, 0, x.v);
	b = tmp_put(g, 1, y.v);
	out = tmp_put(g, 2, LLVMConstNull(gen_vec_type(g, g->f32)));
	lanes_begin(g, g->mask, &loop);
	one =
	    call_math(g, fn, tmp_lane(g, g->f32, a, loop.lane), tmp_lane(g, g->f32, b, loop.lane));
	tmp_set(g, one, out, loop.lane);
	lanes_end(g, &loop);
	return comp_varying(gen_load(g, gen_vec_type(g, g->f32), out));
}
