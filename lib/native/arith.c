/*
 * arith.c - division, conversions and functions; see gen_int.h.
 *
 * Vector division of 32-bit integers goes through f64, which is exact: both operands are, and
 * the rounded quotient of a, b < 2^32 cannot reach the next integer, because a / b differs from it
 * by at least 1 / b, more than the rounding error (at most a / b / 2^53).
 */
#include "native/gen_int.h"

#include <stdio.h>

/* y, or 1 where the quotient is x by definition: y = 0, and MIN / -1. */
static LLVMValueRef safe_divisor(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	LLVMTypeRef t = LLVMTypeOf(y);
	LLVMValueRef bad = LLVMBuildICmp(g->b, LLVMIntEQ, y, LLVMConstNull(t), "");
	LLVMValueRef min, both;

	if (is_signed) {
		min = LLVMBuildICmp(g->b, LLVMIntEQ, x, gen_const(t, 0x80000000U), "");
		both = LLVMBuildICmp(g->b, LLVMIntEQ, y, LLVMConstAllOnes(t), "");
		bad = LLVMBuildOr(g->b, bad, LLVMBuildAnd(g->b, min, both, ""), "");
	}
	return LLVMBuildSelect(g->b, bad, gen_const(t, 1), y, "");
}

static LLVMValueRef divide_vectors(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	LLVMTypeRef f = gen_vec_type(g, g->f64);
	LLVMTypeRef wide = gen_vec_type(g, g->i64);
	LLVMTypeRef t = gen_vec_type(g, g->i32);
	LLVMValueRef q;

	if (is_signed) {
		q = LLVMBuildFDiv(g->b, LLVMBuildSIToFP(g->b, x, f, ""),
				  LLVMBuildSIToFP(g->b, y, f, ""), "");
		return LLVMBuildFPToSI(g->b, q, t, "");
	}
	q = LLVMBuildFDiv(g->b, LLVMBuildUIToFP(g->b, x, f, ""), LLVMBuildUIToFP(g->b, y, f, ""),
			  "");
	/* Truncated, plus 2^52: the integer stands in the low bits on every CPU. */
	q = gen_call(g, "llvm.trunc", f, &q, 1);
	q = LLVMBuildFAdd(g->b, q, gen_constf(f, 4503599627370496.0), "");
	q = LLVMBuildBitCast(g->b, q, wide, "");
	return LLVMBuildTrunc(g->b, q, t, "");
}

/* A splat of one non-zero constant that LLVM divides by with multiplications. */
static bool is_easy(LLVMValueRef y)
{
	LLVMValueRef one = LLVMIsConstant(y) ? y : NULL;

	if (one != NULL && LLVMGetTypeKind(LLVMTypeOf(y)) == LLVMVectorTypeKind)
		one = LLVMIsNull(y) ? NULL : LLVMGetAggregateElement(y, 0);
	if (one == NULL || !LLVMIsAConstantInt(one))
		return false;
	return LLVMConstIntGetZExtValue(one) != 0 && LLVMConstIntGetZExtValue(one) != UINT32_MAX;
}

LLVMValueRef arith_div(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	bool vector = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
	bool easy = is_easy(y);

	if (!easy)
		y = safe_divisor(g, x, y, is_signed);
	if (vector && !easy)
		return divide_vectors(g, x, y, is_signed);
	if (is_signed)
		return LLVMBuildSDiv(g->b, x, y, "");
	return LLVMBuildUDiv(g->b, x, y, "");
}

LLVMValueRef arith_rem(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	LLVMValueRef q;

	if (is_easy(y))
		return is_signed ? LLVMBuildSRem(g->b, x, y, "") : LLVMBuildURem(g->b, x, y, "");
	y = safe_divisor(g, x, y, is_signed);
	q = arith_div(g, x, y, is_signed);
	return LLVMBuildSub(g->b, x, LLVMBuildMul(g->b, q, y, ""), "");
}

/* x clamped to [low, high]; NaN gives low. */
static LLVMValueRef clamp(struct gen *g, LLVMValueRef x, double low, double high)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef l = gen_constf(t, low), h = gen_constf(t, high);

	x = LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, LLVMRealOGT, x, l, ""), x, l, "");
	return LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, LLVMRealOLT, x, h, ""), x, h, "");
}

static LLVMValueRef float_to_int(struct gen *g, LLVMValueRef x, LLVMTypeRef t, enum wgsl_kind to)
{
	LLVMTypeRef f = LLVMTypeOf(x);
	LLVMValueRef ordered;

	if (to == WGSL_U32)
		return LLVMBuildFPToUI(g->b, clamp(g, x, 0.0, 4294967040.0), t, "");
	ordered = LLVMBuildFCmp(g->b, LLVMRealORD, x, x, "");
	x = LLVMBuildSelect(g->b, ordered, x, LLVMConstNull(f), "");
	return LLVMBuildFPToSI(g->b, clamp(g, x, -2147483648.0, 2147483520.0), t, "");
}

LLVMValueRef arith_convert(struct gen *g, LLVMValueRef x, enum wgsl_kind from, enum wgsl_kind to)
{
	bool varying = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
	LLVMTypeRef t = gen_type(g, to, varying);

	if (to == WGSL_BOOL && from == WGSL_F32)
		return LLVMBuildFCmp(g->b, LLVMRealUNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	if (to == WGSL_BOOL)
		return LLVMBuildICmp(g->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	if (from == WGSL_BOOL && to == WGSL_F32)
		return LLVMBuildSelect(g->b, x, gen_constf(t, 1.0), LLVMConstNull(t), "");
	if (from == WGSL_BOOL)
		return LLVMBuildZExt(g->b, x, t, "");
	if (from == WGSL_F32)
		return float_to_int(g, x, t, to);
	if (from == WGSL_I32)
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
