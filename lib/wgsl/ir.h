/*
 * ir.h - the typed intermediate representation that every back end builds from.
 *
 * A module holds ONE function: the entry point with every user function already
 * inlined (its size was checked before). Back ends see neither calls nor pointers
 * nor abstract types nor overrides.
 *
 * Values are in SSA form: an instruction is its own value, defined before its
 * use in the same block or in a block that encloses it. Values are scalars or
 * vectors of bool, i32, u32, f32, i64, u64, f64 only; whole structs and arrays exist in
 * memory alone (the front end turns their copies into loads and stores, in loops where
 * they are large). What WGSL lets a program change is memory: mutable variables
 * are wgsl_var with loads and stores (for LLVM: allocas and mem2reg).
 *
 * f16 exists in memory only, and only in uniform and storage variables: a LOAD from a place
 * of f16 (or a vector of it) gives u32 (or a vector of it) with the 16 bits, zero-extended; a
 * STORE to one takes u32 and writes its low 16 bits. Arithmetic on f16 is f32 arithmetic
 * with rounding made of integer operations, so no back end needs to know it. A back end that
 * cannot store 16 bits must write its half of the 32-bit word by atomics: other invocations
 * may write the other half at the same time.
 *
 * Control flow is structured: IF, SWITCH, LOOP and SCOPE own blocks; BREAK,
 * CONTINUE and RETURN leave them. Each ends its block. There are no phis. Blocks nest at
 * most WGSL_IR_DEPTH deep, so walking them recursively is safe.
 *
 * Every operation has fixed meaning for all operands (see enum wgsl_op): no
 * undefined behaviour is left to a back end. Everything is arena-allocated and
 * read-only for back ends.
 */
#ifndef WGSL_IR_H
#define WGSL_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wgsl/type.h"

struct buf;
struct wgsl_inst;

enum {
	WGSL_IR_DEPTH = 512, /* most nested blocks */
	WGSL_IR_ARGS = 4,    /* most operands */
};

enum wgsl_op {
	/* --- free values: in wgsl_fn.values, not in a block; they dominate everything --- */
	WGSL_OP_CONST,   /* bits[i] = component i (bool 0/1, floats as their bits, i32
			  * and u32 in the low 32 bits) */
	WGSL_OP_BUILTIN, /* builtin: an input of the invocation */

	/* --- values; unary and binary work component by component on vectors; both
	 * operands and the result have equal types unless said otherwise --- */
	WGSL_OP_NEG, /* integers wrap; floats flip the sign bit */
	WGSL_OP_NOT, /* integers: complement; bool: logical not */
	WGSL_OP_ADD, /* integers wrap; floats round to nearest even, never contracted */
	WGSL_OP_SUB,
	WGSL_OP_MUL,
	/* Integers: x / 0 = x, MIN / -1 = MIN. Floats: correctly rounded where possible;
	 * division by a constant power of two is already a multiplication. See is_strict. */
	WGSL_OP_DIV,
	WGSL_OP_REM, /* integers only: x - (x / y) * y, x % 0 = 0, MIN % -1 = 0 */
	WGSL_OP_AND, /* integers, bool */
	WGSL_OP_OR,
	WGSL_OP_XOR,
	WGSL_OP_SHL, /* amount (u32 or vector of it) is taken mod 32, of 64-bit values mod 64 */
	WGSL_OP_SHR, /* signed: arithmetic; unsigned: logical; amount as for SHL */
	WGSL_OP_EQ,  /* comparisons: result is bool or a vector of bool; floats: ordered, */
	WGSL_OP_NE,  /* except NE, which is true for NaN */
	WGSL_OP_LT,
	WGSL_OP_LE,
	WGSL_OP_GT,
	WGSL_OP_GE,
	WGSL_OP_MIN,      /* arg1 < arg0 ? arg1 : arg0, also for NaN and zeros */
	WGSL_OP_MAX,      /* arg0 < arg1 ? arg1 : arg0 */
	WGSL_OP_ABS,      /* signed: abs(MIN) = MIN; floats: clears the sign bit */
	WGSL_OP_POPCOUNT, /* integers */
	WGSL_OP_CLZ,      /* 32 (of 64 bits: 64) for 0 */
	WGSL_OP_CTZ,      /* 32 (of 64 bits: 64) for 0 */
	WGSL_OP_REVERSE,  /* bits */
	WGSL_OP_FLOOR,    /* floats, exact */
	WGSL_OP_CEIL,
	WGSL_OP_TRUNC,
	WGSL_OP_ROUND, /* to nearest, ties to even */
	WGSL_OP_SQRT, /* floats: correctly rounded where possible; class Tolerance; see is_strict */
	WGSL_OP_MATH, /* f32: enum wgsl_math, one or two operands; class Tolerance */
	WGSL_OP_CANON, /* floats: any NaN becomes 7fc00000, 7ff8000000000000, the rest is unchanged
			*/

	/* arg0 converted to `type` (same width). bool from numbers: != 0. To numbers from
	 * bool: 0 or 1. Integers to each other: cut to the low bits, or extended as the operand is
	 * signed. To a narrower float and integers to floats: nearest even; f32 to f64: exact.
	 * Floats to integers: truncated and clamped to the numbers that both types have (f32 to
	 * u32 [0, 4294967040], to i32 [-2147483648, 2147483520]; f64 to i64 [-2^63, 2^63 - 1024],
	 * to u32 [0, 4294967295]); NaN gives 0. */
	WGSL_OP_CONVERT,
	/* Same bits (both types have components of one size); of a float the operand is already
	 * canonical, unless what follows does not depend on the bits of a NaN. */
	WGSL_OP_BITCAST,
	WGSL_OP_SELECT,      /* arg2 ? arg1 : arg0; arg2: bool, or a vector of bool per component */
	WGSL_OP_SPLAT,       /* vector with every component arg0 */
	WGSL_OP_COMPOSE,     /* vector of n_args scalars */
	WGSL_OP_EXTRACT,     /* component `lanes[0]` of the vector arg0 */
	WGSL_OP_EXTRACT_DYN, /* component arg1 (u32 or i32, taken as u32, clamped) of arg0 */
	WGSL_OP_SWIZZLE,     /* vector of components lanes[0..width-1] of the vector arg0 */

	/* --- memory: `path` says where --- */
	WGSL_OP_LOAD,  /* a scalar or vector */
	WGSL_OP_STORE, /* arg0; `is_init`: see below */
	/* All of the path becomes zero (function or private space, any type without atomics);
	 * always `is_init`. */
	WGSL_OP_ZERO,
	WGSL_OP_ARRAY_LENGTH, /* u32: elements of the runtime-sized array that path names */
	WGSL_OP_ATOMIC,       /* atomic operation: enum wgsl_atomic; result = the old value */
	WGSL_OP_BARRIER, /* barrier_workgroup and/or barrier_storage; control flow is uniform */

	/* Exchange within a subgroup, between the lanes that execute it together: enum
	 * wgsl_subgroup. A back end may refuse it by name. */
	WGSL_OP_SUBGROUP,

	/* --- control --- */
	WGSL_OP_IF, /* arg0: bool; blocks[0] then, blocks[1] else (may be empty) */
	/* arg0: i32 or u32; cases; exactly one is the default; no fall-through. BREAK leaves. */
	WGSL_OP_SWITCH,
	/* blocks[0] body, then blocks[1] continuing, then again, until a BREAK; at the end of
	 * continuing, arg0 (may be NULL; defined in the body or continuing) true also leaves. */
	WGSL_OP_LOOP,
	WGSL_OP_SCOPE, /* blocks[0], once; a BREAK to it (from any depth, also out of loops) leaves
			*/
	WGSL_OP_BREAK, /* leave `target`: the innermost SWITCH or LOOP, or any enclosing SCOPE */
	WGSL_OP_CONTINUE, /* go to continuing of `target`: the innermost LOOP (also from a SWITCH)
			   */
	WGSL_OP_RETURN,   /* the invocation ends */
	WGSL_OP_COUNT_,
};

/* f32 functions without fixed bits. */
enum wgsl_math {
	WGSL_MATH_INVERSE_SQRT,
	WGSL_MATH_EXP,
	WGSL_MATH_EXP2,
	WGSL_MATH_LOG,
	WGSL_MATH_LOG2,
	WGSL_MATH_SIN,
	WGSL_MATH_COS,
	WGSL_MATH_TAN,
	WGSL_MATH_ASIN,
	WGSL_MATH_ACOS,
	WGSL_MATH_ATAN,
	WGSL_MATH_SINH,
	WGSL_MATH_COSH,
	WGSL_MATH_TANH,
	WGSL_MATH_ASINH,
	WGSL_MATH_ACOSH,
	WGSL_MATH_ATANH,
	WGSL_MATH_POW,   /* two operands */
	WGSL_MATH_ATAN2, /* two operands: y, x */
	WGSL_MATH_COUNT_,
};

/* Relaxed; scope: the work-group for workgroup space, the device for storage. */
enum wgsl_atomic {
	WGSL_ATOMIC_LOAD,  /* no operand */
	WGSL_ATOMIC_STORE, /* arg0; no result */
	WGSL_ATOMIC_ADD,
	WGSL_ATOMIC_SUB,
	WGSL_ATOMIC_MAX, /* signed for atomic<i32> */
	WGSL_ATOMIC_MIN,
	WGSL_ATOMIC_AND,
	WGSL_ATOMIC_OR,
	WGSL_ATOMIC_XOR,
	WGSL_ATOMIC_EXCHANGE,
	/* arg0: expected, arg1: new. Strong (never fails by chance); result = the old value. The
	 * front end computes `exchanged` as old == expected. */
	WGSL_ATOMIC_COMPARE_EXCHANGE,
	WGSL_ATOMIC_COUNT_,
};

/*
 * arg0: the invocation's value; arg1, where there is one: u32, a constant where it says so. As
 * the specification's functions of the same name; floats are folded in any order.
 *
 * A subgroup is a part of a work-group of at most subgroup_size invocations, a power of two from 4
 * to 128; native code takes runs of local_invocation_index, a GPU what it likes. What names an
 * invocation is taken modulo subgroup_size: id, subgroup_invocation_id + or - delta,
 * subgroup_invocation_id ^ mask. The value of an inactive one is indeterminate.
 */
enum wgsl_subgroup {
	WGSL_SUBGROUP_ELECT,           /* bool, no operand */
	WGSL_SUBGROUP_ALL,             /* bool */
	WGSL_SUBGROUP_ANY,             /* bool */
	WGSL_SUBGROUP_BALLOT,          /* bool -> vec4<u32> */
	WGSL_SUBGROUP_BROADCAST,       /* arg1: constant id */
	WGSL_SUBGROUP_BROADCAST_FIRST, /* all below: the type of arg0 */
	WGSL_SUBGROUP_SHUFFLE,         /* arg1: id */
	WGSL_SUBGROUP_SHUFFLE_DOWN,    /* arg1: delta, uniform */
	WGSL_SUBGROUP_SHUFFLE_UP,      /* arg1: delta, uniform */
	WGSL_SUBGROUP_SHUFFLE_XOR,     /* arg1: mask, uniform */
	WGSL_SUBGROUP_ADD,
	WGSL_SUBGROUP_EXCLUSIVE_ADD,
	WGSL_SUBGROUP_INCLUSIVE_ADD,
	WGSL_SUBGROUP_MUL,
	WGSL_SUBGROUP_EXCLUSIVE_MUL,
	WGSL_SUBGROUP_INCLUSIVE_MUL,
	WGSL_SUBGROUP_MIN,
	WGSL_SUBGROUP_MAX,
	WGSL_SUBGROUP_AND,
	WGSL_SUBGROUP_OR,
	WGSL_SUBGROUP_XOR,
	WGSL_SUBGROUP_QUAD_BROADCAST, /* arg1: constant 0 to 3 */
	WGSL_SUBGROUP_QUAD_SWAP_DIAGONAL,
	WGSL_SUBGROUP_QUAD_SWAP_X,
	WGSL_SUBGROUP_QUAD_SWAP_Y,
	WGSL_SUBGROUP_COUNT_,
};

/* Logical values, however a dispatch was split. */
enum wgsl_builtin {
	WGSL_BUILTIN_GLOBAL_ID,              /* vec3<u32> */
	WGSL_BUILTIN_LOCAL_ID,               /* vec3<u32> */
	WGSL_BUILTIN_LOCAL_INDEX,            /* u32 */
	WGSL_BUILTIN_WORKGROUP_ID,           /* vec3<u32> */
	WGSL_BUILTIN_NUM_WORKGROUPS,         /* vec3<u32> */
	WGSL_BUILTIN_SUBGROUP_INVOCATION_ID, /* u32, as all below */
	WGSL_BUILTIN_SUBGROUP_SIZE,
	WGSL_BUILTIN_SUBGROUP_ID, /* which of the work-group */
	WGSL_BUILTIN_NUM_SUBGROUPS,
	WGSL_BUILTIN_COUNT_,
};

/* A variable. Function space: one per invocation and declaration (a declaration in a
 * loop is re-initialised by a STORE or ZERO with is_init on each pass). */
struct wgsl_var {
	const char *name;
	uint32_t id; /* dense: its place in wgsl_module.vars */
	enum wgsl_space space;
	enum wgsl_access access;
	const struct wgsl_type *type; /* store type */
	uint32_t group, binding;      /* uniform and storage */
	/* Private: initial components if it is a scalar or vector with a constant
	 * initialiser (n_init = its width), else 0 and a STORE at the start of the function. All
	 * memory starts as zero. */
	uint64_t init[4];
	uint32_t n_init;
	/* Function and private space: at each access all active lanes hold the same contents,
	 * so one scalar copy per work-group (or lane group) is enough. */
	bool is_uniform;
	bool is_read;    /* some instruction loads it, or uses an atomic's result */
	bool is_written; /* some instruction stores to it or has an atomic on it */
	uint32_t line, column;
};

enum wgsl_step_kind {
	WGSL_STEP_MEMBER,  /* struct member `index` */
	WGSL_STEP_CONST,   /* element, column or component `index`, in range for fixed sizes */
	WGSL_STEP_DYNAMIC, /* element, column or component `value` (i32 or u32), see in_range */
};

/* One step from a type to a part of it: struct member, array element, vector component. */
struct wgsl_step {
	enum wgsl_step_kind kind;
	uint32_t index;          /* MEMBER, CONST */
	struct wgsl_inst *value; /* DYNAMIC */
	/* Proved to be within bounds. Otherwise the back end takes the value as u32 and
	 * clamps it to the last element (a CONST step into a runtime-sized array too). */
	bool in_range;
	const struct wgsl_type *type; /* what this step arrives at */
};

/* A place in memory: a variable, then steps into it. */
struct wgsl_path {
	struct wgsl_var *var;
	struct wgsl_step *steps;
	uint32_t n_steps;
	const struct wgsl_type *type; /* of the place: var->type after all steps */
};

struct wgsl_block {
	struct wgsl_inst *first;
	struct wgsl_inst *last;
};

struct wgsl_case {
	const uint32_t *values; /* bits of the selectors; none for a pure default */
	uint32_t n_values;
	bool is_default;
	struct wgsl_block block;
};

/*
 * is_uniform, for a value: whenever lanes of a work-group execute this instruction together
 * (in lockstep, under a mask), all of them get the same value. For IF and SWITCH: all
 * active lanes take the same branch. For LOOP: all lanes that are active at its start leave
 * together, and none is masked off by CONTINUE or an outer BREAK or RETURN inside. For SCOPE: the
 * same for its exits. For BREAK, CONTINUE, RETURN: every lane that is active in the enclosing
 * `target` (RETURN: in the function) gets here together, so no mask is needed.
 */
struct wgsl_inst {
	enum wgsl_op op;
	uint32_t id; /* dense over the function: free values first, then in block order */
	const struct wgsl_type *type; /* of the value; void type if it has none */
	struct wgsl_inst *args[WGSL_IR_ARGS];
	uint32_t n_args;
	bool is_uniform;
	bool is_strict; /* DIV, SQRT of floats: must be correctly rounded; class Deterministic */
	bool is_used;   /* ATOMIC: the result is used; values: some instruction uses it */
	/* STORE, ZERO: the declaration of a variable; what lanes outside the current mask hold
	 * there is dead, so the write may be unmasked. */
	bool is_init;
	/* STORE, ZERO: all of the variable is written; of a struct, array or matrix that is written
	 * in parts: the first of them. */
	bool is_whole;
	/* LOOP: its number of passes has no small constant bound: count them.
	 * Each pass (a start of the body) of such a loop by an active lane costs one of the
	 * invocation's iterations; having none left is the error IterationLimit. */
	bool needs_counter;
	bool barrier_workgroup, barrier_storage; /* BARRIER */
	/* BARRIER, and control that holds one: back ends split the work-group here. */
	bool has_barrier;
	/* SUBGROUP: severity of what is not uniform: error, warning, info, off (wgsl_int.h). */
	uint8_t filter;
	uint8_t lanes[4]; /* EXTRACT, SWIZZLE */
	union {
		uint64_t bits[4]; /* CONST */
		enum wgsl_builtin builtin;
		enum wgsl_math math;
		enum wgsl_atomic atomic;
		enum wgsl_subgroup subgroup;
		uint64_t max_passes; /* LOOP: proved bound, 0 = unknown */
	} u;
	struct wgsl_path *path;      /* memory operations */
	struct wgsl_block blocks[2]; /* IF, LOOP, SCOPE */
	struct wgsl_case *cases;     /* SWITCH */
	uint32_t n_cases;
	struct wgsl_inst *target; /* BREAK, CONTINUE: the construct */
	struct wgsl_inst *next;   /* in its block, or in wgsl_fn.values */
	uint32_t line, column;    /* where in the source, from 1; 0 = nowhere */
};

struct wgsl_fn {
	struct wgsl_block values; /* free values: constants and builtins */
	struct wgsl_block body;
	uint32_t n_insts; /* ids are below this */
};

/* Walk a block:  for (i = block->first; i != NULL; i = i->next) */

const char *wgsl_op_name(enum wgsl_op op);
const char *wgsl_math_name(enum wgsl_math fn);
const char *wgsl_atomic_name(enum wgsl_atomic op);
const char *wgsl_subgroup_name(enum wgsl_subgroup op);
const char *wgsl_builtin_name(enum wgsl_builtin b);

struct wgsl_module;

/* Append the module as text, one instruction per line; for golden tests and debugging. */
void wgsl_ir_print(const struct wgsl_module *m, struct buf *out);

/* Check every rule stated in this file. ERR_INVALID names the first broken one (a fault of
 * the compiler, never of the kernel). */
MUST_CHECK int wgsl_ir_verify(const struct wgsl_module *m, struct err *err);

#endif
