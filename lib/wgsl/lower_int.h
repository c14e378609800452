/*
 * lower_int.h - what the files that turn the checked tree into IR share.
 *
 * Lowering walks a function's tree once per call (everything is inlined), so declarations
 * hold what they are in the call that is being expanded; recursion was refused before. Scalars
 * and vectors become instructions; structs and arrays are always places in memory.
 * When a limit is hit, `failed` is set and reported, and lowering runs out quickly.
 */
#ifndef WGSL_LOWER_INT_H
#define WGSL_LOWER_INT_H

#include "wgsl/wgsl_int.h"

enum {
	LOWER_MAX_INSTS = 4 * WGSL_MAX_INSTRUCTIONS,
	LOWER_CONST_BUCKETS = 1024,
	LOWER_UNROLL = 16,      /* leaves of a copy before it becomes a loop */
	LOWER_NESTED_ELSE = 16, /* longest chain of `else if` that nests */
};

/* The call being expanded. */
struct wgsl_frame {
	struct wgsl_frame *outer;
	const struct wgsl_func *fn;
	struct wgsl_inst *scope;  /* left by return; NULL: the return is the last statement */
	struct wgsl_path *result; /* where the returned value goes, if it goes to memory */
	struct wgsl_inst *value;  /* the returned value otherwise */
	bool is_entry;
};

/* Where break and continue go. */
struct wgsl_target {
	struct wgsl_target *outer;
	struct wgsl_inst *inst;
	bool is_loop;
};

struct wgsl_const_link {
	struct wgsl_const_link *next;
	struct wgsl_inst *inst;
};

/* A constant array or struct that is indexed at run time: filled once, at the start. */
struct wgsl_table {
	struct wgsl_table *next;
	const struct wgsl_value *value;
	struct wgsl_path *path;
};

struct wgsl_lower {
	struct wgsl_comp *c; /* borrowed */
	struct wgsl_module *m;
	struct wgsl_block *block; /* where instructions go */
	struct wgsl_block prologue;
	struct wgsl_frame *frame;
	struct wgsl_target *target;
	struct wgsl_const_link *consts[LOWER_CONST_BUCKETS];
	struct wgsl_inst *builtins[WGSL_BUILTIN_COUNT_];
	struct wgsl_table *tables;
	size_t cap_vars;
	struct wgsl_path **whole; /* by variable: the place without steps, shared; NULL: not yet */
	size_t cap_whole;
	bool *begins; /* by variable: all of it is about to be written, part by part */
	size_t cap_begins;
	/* By type id: the type that a variable outside of uniform and storage has instead. */
	const struct wgsl_type **shadows;
	uint32_t n_shadows;
	/* Aggregates of open blocks, then those that may be used again. */
	struct wgsl_var **live;
	size_t n_live, cap_live;
	struct wgsl_var **idle;
	size_t n_idle, cap_idle;
	uint32_t private_bytes; /* see WGSL_MAX_EXPANDED_BYTES */
	uint32_t module_bytes;  /* of private variables */
	uint32_t n_insts;
	uint32_t nesting;    /* of blocks */
	uint32_t depth;      /* of recursion over expressions */
	struct wgsl_span at; /* source of what is being lowered */
	uint32_t line, column;
	bool uniform_loads; /* loads are those of workgroupUniformLoad */
	bool failed;
};

/* ---- ir_build.c: instructions ------------------------------------------------------------- */

void wgsl_lower_fail(struct wgsl_lower *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
void wgsl_lower_at(struct wgsl_lower *l, struct wgsl_span at);
struct wgsl_inst *wgsl_emit(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type);
struct wgsl_inst *wgsl_emit1(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type,
			     struct wgsl_inst *a);
struct wgsl_inst *wgsl_emit2(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type,
			     struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *wgsl_emit3(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type,
			     struct wgsl_inst *const args[3]);
/* An operator on two values of one type; comparisons give bool. */
struct wgsl_inst *wgsl_binary(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			      struct wgsl_inst *b);
struct wgsl_inst *wgsl_select(struct wgsl_lower *l, struct wgsl_inst *if_false,
			      struct wgsl_inst *if_true, struct wgsl_inst *cond);
struct wgsl_inst *wgsl_extract(struct wgsl_lower *l, struct wgsl_inst *v, uint32_t i);
/* The components of v that the member expression e names, which are several. */
struct wgsl_inst *wgsl_swizzle(struct wgsl_lower *l, const struct wgsl_expr *e,
			       struct wgsl_inst *v);
/* A scalar as wide as `type`. */
struct wgsl_inst *wgsl_spread(struct wgsl_lower *l, struct wgsl_inst *v,
			      const struct wgsl_type *type);
/* Constants: every component the same bits; a value of the checker. */
struct wgsl_inst *wgsl_const_bits(struct wgsl_lower *l, const struct wgsl_type *type,
				  uint64_t bits);
struct wgsl_inst *wgsl_const_float(struct wgsl_lower *l, const struct wgsl_type *type, double f);
struct wgsl_inst *wgsl_const_value(struct wgsl_lower *l, const struct wgsl_value *v);
struct wgsl_inst *wgsl_builtin_value(struct wgsl_lower *l, enum wgsl_builtin b);
/* Blocks: instructions go to `block` until the old one, which is returned, is put back. */
struct wgsl_block *wgsl_open(struct wgsl_lower *l, struct wgsl_block *block);
void wgsl_close(struct wgsl_lower *l, struct wgsl_block *old);
/* True if nothing after this point of the block can run. */
bool wgsl_is_ended(const struct wgsl_lower *l);

/* ---- lower_half.c: f16 and bits ------------------------------------------------------------ */

/* The type of a value of t in the IR: f32 for f16. Instructions and constants that are made with a
 * type of f16 get it by themselves. */
const struct wgsl_type *wgsl_value_type(struct wgsl_comp *c, const struct wgsl_type *t);
/* t with f32 for f16 everywhere inside. */
const struct wgsl_type *wgsl_shadow_type(struct wgsl_lower *l, const struct wgsl_type *t);
/* f32 (or a vector of it) rounded to a value of f16. */
struct wgsl_inst *wgsl_round_half(struct wgsl_lower *l, struct wgsl_inst *x);
struct wgsl_inst *wgsl_to_half(struct wgsl_lower *l, struct wgsl_inst *x);
struct wgsl_inst *wgsl_from_half(struct wgsl_lower *l, struct wgsl_inst *h);
/* The value v of type `from` (of the language) as the type `to` of as many bits. */
struct wgsl_inst *wgsl_lower_bitcast(struct wgsl_lower *l, struct wgsl_inst *v,
				     const struct wgsl_type *from, const struct wgsl_type *to);

/* ---- lower_place.c: variables, paths, copies ---------------------------------------------- */

struct wgsl_var *wgsl_new_var(struct wgsl_lower *l, const struct wgsl_decl *d);
/* A function variable for the compiler's own use. */
struct wgsl_path *wgsl_temp(struct wgsl_lower *l, const struct wgsl_type *t, const char *name);
struct wgsl_path *wgsl_var_path(struct wgsl_lower *l, struct wgsl_var *v);
struct wgsl_path *wgsl_step_const(struct wgsl_lower *l, struct wgsl_path *p, uint32_t i);
struct wgsl_path *wgsl_step_dyn(struct wgsl_lower *l, struct wgsl_path *p, struct wgsl_inst *i);
struct wgsl_inst *wgsl_load(struct wgsl_lower *l, struct wgsl_path *p);
struct wgsl_inst *wgsl_store(struct wgsl_lower *l, struct wgsl_path *p, struct wgsl_inst *v,
			     bool is_init);
/* All parts of `to` are about to be written; nothing reads it before. */
void wgsl_begin(struct wgsl_lower *l, const struct wgsl_path *to);
void wgsl_copy(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_path *from, bool is_init);
/* The place of a reference, of a pointer's target, or of a temporary that holds the value. */
struct wgsl_path *wgsl_lower_place(struct wgsl_lower *l, struct wgsl_expr *e);
/* Evaluate any expression into memory. `is_init`: a fresh variable that `e` cannot read. */
void wgsl_lower_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e, bool is_init);
/* Aggregates created after the mark may be used again. */
size_t wgsl_mark(const struct wgsl_lower *l);
void wgsl_release(struct wgsl_lower *l, size_t mark);

/* ---- lower_expr.c, lower_fn.c, lower_stmt.c ------------------------------------------------ */

bool wgsl_is_aggregate(const struct wgsl_type *t);
struct wgsl_inst *wgsl_lower_value(struct wgsl_lower *l, struct wgsl_expr *e);
/* a op b on values, as WGSL defines it. */
struct wgsl_inst *wgsl_lower_operator(struct wgsl_lower *l, enum wgsl_tok_kind op,
				      struct wgsl_inst *a, struct wgsl_inst *b,
				      const struct wgsl_type *type);
/* A predeclared function; NULL if it has no value. */
struct wgsl_inst *wgsl_lower_builtin(struct wgsl_lower *l, struct wgsl_expr *e);
/* The same for functions that return a struct or array. */
void wgsl_lower_builtin_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e);
/* A user function; the value, or NULL if it has none or it went into `result`. */
struct wgsl_inst *wgsl_lower_call(struct wgsl_lower *l, struct wgsl_expr *e,
				  struct wgsl_path *result);
/* Parts and packing of floats (lower_pack.c): those with a struct, and the others. */
void wgsl_lower_parts_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e);
struct wgsl_inst *wgsl_lower_pack(struct wgsl_lower *l, struct wgsl_expr *e);
/* Matrices (lower_matrix.c): expressions that make one; scalars and vectors made from one;
 * to = to op e->b, with e the operation. */
bool wgsl_makes_matrix(const struct wgsl_expr *e);
void wgsl_lower_matrix_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e,
			    bool is_init);
bool wgsl_uses_matrix(const struct wgsl_expr *e);
struct wgsl_inst *wgsl_lower_matrix_value(struct wgsl_lower *l, struct wgsl_expr *e);
void wgsl_lower_matrix_assign(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e);
/* Strict numerics (strict.c), functions of f32 only: fn(a) or fn(a, b); a / b; and in any numerics
 * sqrt(a). */
struct wgsl_inst *wgsl_strict_math(struct wgsl_lower *l, enum wgsl_math fn, struct wgsl_inst *a,
				   struct wgsl_inst *b);
struct wgsl_inst *wgsl_strict_div(struct wgsl_lower *l, struct wgsl_inst *a, struct wgsl_inst *b);
struct wgsl_inst *wgsl_sqrt(struct wgsl_lower *l, struct wgsl_inst *a);
void wgsl_lower_block(struct wgsl_lower *l, struct wgsl_stmt *block);
bool wgsl_lower_module(struct wgsl_comp *c);

#endif
