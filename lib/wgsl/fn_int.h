/*
 * fn_int.h - the predeclared functions: one table that the checker, the constant evaluator and
 * the lowering share.
 */
#ifndef WGSL_FN_INT_H
#define WGSL_FN_INT_H

#include "wgsl/wgsl_int.h"

enum wgsl_fn_id {
	FN_BITCAST,
	FN_ALL,
	FN_ANY,
	FN_SELECT,
	FN_ARRAY_LENGTH,
	/* numbers */
	FN_ABS,
	FN_CLAMP,
	FN_MAX,
	FN_MIN,
	FN_SIGN,
	FN_DOT,
	/* integers */
	FN_COUNT_LEADING_ZEROS,
	FN_COUNT_ONE_BITS,
	FN_COUNT_TRAILING_ZEROS,
	FN_EXTRACT_BITS,
	FN_FIRST_LEADING_BIT,
	FN_FIRST_TRAILING_BIT,
	FN_INSERT_BITS,
	FN_REVERSE_BITS,
	FN_DOT4_U8,
	FN_DOT4_I8,
	/* floats with fixed bits */
	FN_CEIL,
	FN_CROSS,
	FN_FACE_FORWARD,
	FN_FLOOR,
	FN_FMA,
	FN_FRACT,
	FN_MIX,
	FN_REFLECT,
	FN_ROUND,
	FN_SATURATE,
	FN_STEP,
	FN_TRUNC,
	FN_DEGREES,
	FN_RADIANS,
	/* floats without */
	FN_ACOS,
	FN_ACOSH,
	FN_ASIN,
	FN_ASINH,
	FN_ATAN,
	FN_ATANH,
	FN_ATAN2,
	FN_COS,
	FN_COSH,
	FN_DISTANCE,
	FN_EXP,
	FN_EXP2,
	FN_INVERSE_SQRT,
	FN_LENGTH,
	FN_LOG,
	FN_LOG2,
	FN_NORMALIZE,
	FN_POW,
	FN_REFRACT,
	FN_SIN,
	FN_SINH,
	FN_SMOOTHSTEP,
	FN_SQRT,
	FN_TAN,
	FN_TANH,
	/* matrices */
	FN_TRANSPOSE,
	FN_DETERMINANT,
	/* packing of integers */
	FN_PACK4X_I8,
	FN_PACK4X_U8,
	FN_PACK4X_I8_CLAMP,
	FN_PACK4X_U8_CLAMP,
	FN_UNPACK4X_I8,
	FN_UNPACK4X_U8,
	/* parts of floats and packing of floats (check_pack.c, lower_pack.c) */
	FN_MODF,
	FN_FREXP,
	FN_LDEXP,
	FN_QUANTIZE_F16,
	FN_PACK4X8_SNORM,
	FN_PACK4X8_UNORM,
	FN_PACK2X16_SNORM,
	FN_PACK2X16_UNORM,
	FN_PACK2X16_FLOAT,
	FN_UNPACK4X8_SNORM,
	FN_UNPACK4X8_UNORM,
	FN_UNPACK2X16_SNORM,
	FN_UNPACK2X16_UNORM,
	FN_UNPACK2X16_FLOAT,
	/* memory and synchronisation */
	FN_ATOMIC_LOAD,
	FN_ATOMIC_STORE,
	FN_ATOMIC_ADD,
	FN_ATOMIC_SUB,
	FN_ATOMIC_MAX,
	FN_ATOMIC_MIN,
	FN_ATOMIC_AND,
	FN_ATOMIC_OR,
	FN_ATOMIC_XOR,
	FN_ATOMIC_EXCHANGE,
	FN_ATOMIC_COMPARE_EXCHANGE,
	FN_STORAGE_BARRIER,
	FN_WORKGROUP_BARRIER,
	FN_WORKGROUP_UNIFORM_LOAD,
	/* subgroups (check_subgroup.c), in the order of enum wgsl_subgroup */
	FN_SUBGROUP,
	FN_SUBGROUP_LAST = FN_SUBGROUP + WGSL_SUBGROUP_COUNT_ - 1,
	FN_COUNT_,
};

/* How arguments and result are typed. S: scalar or vector, V: vector. */
enum wgsl_fn_shape {
	SHAPE_OWN,             /* its own rules */
	SHAPE_NUMBER,          /* n times S of number -> the same */
	SHAPE_FLOAT,           /* n times S of float -> the same */
	SHAPE_INTEGER,         /* one S of i32 or u32 -> the same */
	SHAPE_VEC_FLOAT,       /* n times V of float -> the same */
	SHAPE_VEC_TO_SCALAR,   /* n times V of float -> its component */
	SHAPE_FLOAT_TO_SCALAR, /* n times S of float -> its component */
	SHAPE_ATOMIC,          /* pointer to atomic, n - 1 times its type */
	SHAPE_BARRIER,
	SHAPE_SUBGROUP,
};

struct wgsl_fn_info {
	const char *name;
	enum wgsl_fn_shape shape;
	uint32_t n_args;
	bool is_effect; /* has a side effect or no result: may stand alone as a statement */
};

extern const struct wgsl_fn_info wgsl_fns[FN_COUNT_];

/* Arguments whose values are known may be wrong whatever the others will be: bounds of clamp, edges
 * of smoothstep, bit fields, exponents. */
bool wgsl_check_partial(struct wgsl_comp *c, const struct wgsl_expr *e);

/* FN_MODF to FN_UNPACK2X16_FLOAT: types, constant values (components of vectors in one value;
 * structs as composites). */
bool wgsl_check_pack(struct wgsl_comp *c, struct wgsl_expr *e);
const struct wgsl_value *wgsl_eval_pack(struct wgsl_comp *c, struct wgsl_expr *e);

/* The function's arguments and result, if it is one of subgroups. */
bool wgsl_check_subgroup(struct wgsl_comp *c, struct wgsl_expr *e);

/* Type the call e of a predeclared function; arguments are checked already. Sets e->type (void
 * if it has none), e->stage and, where it is constant, e->value; false after an error. */
bool wgsl_check_builtin(struct wgsl_comp *c, struct wgsl_expr *e);

#endif
