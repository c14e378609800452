/*
 * strict_int.h - float functions made of operations with fixed bits (numerics: Strict).
 *
 * Everything here makes IR for f32 values or vectors of them, all of one width. `fx` stands for
 * fixed: an fx_ function makes the operation of its name. A pair is a number as an unevaluated sum
 * of two f32, |lo| at most about half a unit in the last place of hi, so it has some 48 bits.
 *
 * Sums and products are never contracted, so their errors can be computed exactly: fx_sum and
 * fx_product return both. fx_quick_sum needs |a| >= |b| (or a = 0); with a smaller a the error
 * is still right to within a unit in the last place of itself.
 *
 * The bits of a NaN differ between devices, so fx_bits is used only where a NaN is replaced later
 * or ends as a NaN whatever its bits are.
 */
#ifndef WGSL_STRICT_INT_H
#define WGSL_STRICT_INT_H

#include "wgsl/lower_int.h"

/* ---- tables: strict_tables.c ------------------------------------------------------------- */

enum {
	STRICT_EXP = 5,
	STRICT_LOG = 9,
	STRICT_SIN = 4,
	STRICT_COS = 3,
	STRICT_TAN = 7,
	STRICT_ASIN = 7,
	STRICT_ATAN = 6,
	STRICT_SINH = 4,
	STRICT_COSH = 3,
	STRICT_TANH = 8,
	STRICT_ASINH = 7,
	STRICT_ATANH = 8,
	STRICT_ACOSH = 6,
	STRICT_LOG2_LONG = 4,
};
extern const float strict_exp[STRICT_EXP];
extern const float strict_log[STRICT_LOG];
extern const float strict_sin[STRICT_SIN];
extern const float strict_cos[STRICT_COS];
extern const float strict_tan[STRICT_TAN];
extern const float strict_asin[STRICT_ASIN];
extern const float strict_atan[STRICT_ATAN];
extern const float strict_sinh[STRICT_SINH];
extern const float strict_cosh[STRICT_COSH];
extern const float strict_tanh[STRICT_TANH];
extern const float strict_asinh[STRICT_ASINH];
extern const float strict_atanh[STRICT_ATANH];
extern const float strict_acosh[STRICT_ACOSH];
extern const float strict_log2_long[STRICT_LOG2_LONG];

/* ---- making operations: strict.c --------------------------------------------------------- */

struct fx {
	struct wgsl_lower *l;                  /* borrowed */
	const struct wgsl_type *f, *u, *i, *b; /* f32, u32, i32 and bool of the same width */
};

struct fx_pair {
	struct wgsl_inst *hi, *lo;
};

struct wgsl_inst *fx_f(const struct fx *x, float c);
struct wgsl_inst *fx_u(const struct fx *x, uint32_t c);

struct wgsl_inst *fx_add(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *fx_sub(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *fx_mul(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *fx_div(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *fx_sqrt(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *fx_abs(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *fx_neg(const struct fx *x, struct wgsl_inst *a);
/* With a constant: a * c and a + c. */
struct wgsl_inst *fx_mulc(const struct fx *x, struct wgsl_inst *a, float c);
struct wgsl_inst *fx_addc(const struct fx *x, struct wgsl_inst *a, float c);
/* Clamped to [low, high]; a NaN stays one. */
struct wgsl_inst *fx_clamp(const struct fx *x, struct wgsl_inst *a, float low, float high);

/* u32, i32: op with a constant; shifts too. */
struct wgsl_inst *fx_op(const struct fx *x, enum wgsl_op op, struct wgsl_inst *a,
			struct wgsl_inst *b);
struct wgsl_inst *fx_opc(const struct fx *x, enum wgsl_op op, struct wgsl_inst *a, uint32_t c);
struct wgsl_inst *fx_lt(const struct fx *x, struct wgsl_inst *a, float c);
struct wgsl_inst *fx_gt(const struct fx *x, struct wgsl_inst *a, float c);
struct wgsl_inst *fx_eq(const struct fx *x, struct wgsl_inst *a, float c);
struct wgsl_inst *fx_is_nan(const struct fx *x, struct wgsl_inst *a);
/* cond ? yes : no */
struct wgsl_inst *fx_select(const struct fx *x, struct wgsl_inst *cond, struct wgsl_inst *yes,
			    struct wgsl_inst *no);
/* The same bits as another kind. */
struct wgsl_inst *fx_bits(const struct fx *x, struct wgsl_inst *a);  /* u32 */
struct wgsl_inst *fx_ints(const struct fx *x, struct wgsl_inst *a);  /* i32 */
struct wgsl_inst *fx_float(const struct fx *x, struct wgsl_inst *a); /* f32 */
/* The same number as another kind. */
struct wgsl_inst *fx_convert(const struct fx *x, struct wgsl_inst *a, const struct wgsl_type *to);
/* The bits of NaN, and infinity as f32 constants. */
struct wgsl_inst *fx_nan(const struct fx *x);
struct wgsl_inst *fx_inf(const struct fx *x);
/* |a| with the sign of b, where b's sign bit counts; a >= 0. */
struct wgsl_inst *fx_sign_of(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
/* a without its low 12 bits of 24, so that products of two such are exact. */
struct wgsl_inst *fx_top(const struct fx *x, struct wgsl_inst *a);
/* c[0] + c[1] z + ... */
struct wgsl_inst *fx_poly(const struct fx *x, struct wgsl_inst *z, const float *c, int n);
/* v + v^3 (c[0] + c[1] v^2 + ...) for |v| <= 1, as a pair (of v = -0 the pair is +0), and as one
 * number, which is a little less exact. Not for v = -0. */
struct fx_pair fx_odd_pair(const struct fx *x, struct wgsl_inst *v, const float *c, int n);
struct wgsl_inst *fx_odd(const struct fx *x, struct wgsl_inst *v, const float *c, int n);
/* 2^n for an i32 n in [-126, 127]. */
struct wgsl_inst *fx_power(const struct fx *x, struct wgsl_inst *n);
/* a * 2^n for an i32 n in [-252, 254], in two steps: with one rounding if a is normal. */
struct wgsl_inst *fx_scale(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *n);

struct fx_pair fx_sum(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct fx_pair fx_quick_sum(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct fx_pair fx_product(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);

/* ---- functions --------------------------------------------------------------------------- */

/* strict_div.c: correctly rounded, without DIV and SQRT. */
struct wgsl_inst *strict_long_div(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *strict_long_sqrt(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_inverse_sqrt(const struct fx *x, struct wgsl_inst *a);

/* strict_exp.c */
struct wgsl_inst *strict_exp_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_exp2_of(const struct fx *x, struct wgsl_inst *a);
/* 2^(hi + lo), hi in [-160, 160]. */
struct wgsl_inst *strict_exp2_pair(const struct fx *x, struct fx_pair e);
struct wgsl_inst *strict_sinh_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_cosh_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_tanh_of(const struct fx *x, struct wgsl_inst *a);

/* strict_log.c */
struct wgsl_inst *strict_log_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_log2_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_asinh_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_acosh_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_atanh_of(const struct fx *x, struct wgsl_inst *a);
/* a = 2^k (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1); k as f32. a is positive and finite. */
void strict_split_log(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst **k,
		      struct wgsl_inst **f);

/* strict_pow.c */
struct wgsl_inst *strict_pow_of(const struct fx *x, struct wgsl_inst *a, struct wgsl_inst *b);

/* strict_trig.c: fn is SIN, COS or TAN */
struct wgsl_inst *strict_trig_of(const struct fx *x, enum wgsl_math fn, struct wgsl_inst *a);

/* strict_arc.c */
struct wgsl_inst *strict_asin_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_acos_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_atan_of(const struct fx *x, struct wgsl_inst *a);
struct wgsl_inst *strict_atan2_of(const struct fx *x, struct wgsl_inst *y, struct wgsl_inst *a);

#endif
