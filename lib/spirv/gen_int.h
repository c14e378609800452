/*
 * gen_int.h - what the files of lib/spirv share.
 *
 *     plan.c      what is decided before words are written: exits, counters
 *     words.c     sections of words, instructions
 *     type.c      types, pointers, constants
 *     memory.c    variables, places, loads and stores, atomics, barriers
 *     half.c      loads and stores in buffers that hold f16
 *     zero.c      variables become zero
 *     value.c     values; float.c: those that floats make long; bits.c: counts of bits
 *     control.c   structured control flow
 *     counter.c   iterations of invocations
 *     compile.c   entry point, interface, assembly
 *
 * Faults are sticky: spirv_fail records the first one, everything goes on with harmless ids,
 * and spirv_compile returns it.
 */
#ifndef SPIRV_GEN_INT_H
#define SPIRV_GEN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "spirv/op_int.h"
#include "spirv/spirv.h"
#include "wgsl/wgsl.h"

struct arena;

/* ---- plan.c --------------------------------------------------------------------------------- */

enum frame_kind {
	FRAME_MAIN,  /* a SWITCH, a LOOP, a SCOPE that is left early */
	FRAME_BODY,  /* around the body of a loop, for its CONTINUEs */
	FRAME_GUARD, /* around a construct that invocations without iterations leave */
	FRAME_COUNT_,
};

/* A construct that is open where code is written. */
struct frame {
	struct frame *outer;
	const struct wgsl_inst *inst;
	enum frame_kind kind;
	uint32_t merge, next;     /* labels; next: LOOP, where CONTINUE goes */
	uint32_t n_merge, n_next; /* branches to them so far */
};

/* After the merge of a frame: leave for here if its flag is set. */
struct plan_check {
	struct plan_check *next;
	const struct wgsl_inst *target;
	enum frame_kind kind;
};

enum plan_guard {
	GUARD_NONE,
	GUARD_RETURN, /* an invocation without iterations ends */
	GUARD_LEAVE,  /* it leaves this construct, after which the work-group ends together */
};

struct plan_inst {
	struct plan_check *checks[FRAME_COUNT_];
	bool has_flag[FRAME_COUNT_]; /* some exit to it takes more than one branch */
	bool is_fall;                /* BREAK, CONTINUE: same as the end of its block */
	bool is_left;                /* SCOPE: has a BREAK that is not; LOOP: such a CONTINUE */
	bool has_parts;              /* LOOP: control in its continuing part */
	bool has_counted;            /* holds or is a counted loop */
	bool is_awaited;             /* some leave it early, others use up iterations meanwhile */
	enum plan_guard guard;       /* of constructs where iterations may end */
	uint32_t escapes;            /* smallest depth that lanes leave it for one by one */
};

struct plan {
	struct plan_inst *insts; /* by id */
	bool has_loop;
	bool has_counter;
	bool is_together; /* all invocations of a work-group run out at once, or none waits */
	bool has_storage_barrier;
	uint64_t *is_declared; /* bits by variable: it starts with a store of all of it */
};

void spirv_plan_make(const struct wgsl_module *m, const struct spirv_options *o,
		     struct arena *arena, struct plan *ret);

/* Has the LOOP a FRAME_BODY? */
bool spirv_plan_has_body_frame(const struct plan_inst *pi);

bool spirv_plan_is_declared(const struct plan *p, const struct wgsl_var *v);

/* Is it a loop with its own OpLoopMerge? */
bool spirv_frame_is_loop(const struct frame *f);

/* Where to branch first on the way out to (target, kind): that frame or one inside of it. `next`:
 * to the LOOP's label of that name. NULL: not open. */
struct frame *spirv_frame_route(struct frame *top, const struct wgsl_inst *target,
				enum frame_kind kind, bool to_next);

/* Members of the push constants' block, as struct spirv_push says. */
enum push_member {
	PUSH_GROUPS,
	PUSH_LIMIT,
	PUSH_BASE,
	PUSH_ZERO,
	PUSH_INVOCATIONS,
	PUSH_LENGTHS,
	PUSH_MEMBERS,
};

/* ---- the state of one compilation ----------------------------------------------------------- */

enum section {
	SECTION_HEAD,
	SECTION_DECORATIONS,
	SECTION_TYPES, /* and constants and variables of the module */
	SECTION_MAIN,  /* the entry point if it only calls the body */
	SECTION_LOCALS,
	SECTION_BODY,
	SECTION_COUNT_,
};

struct words {
	uint32_t *at; /* arena */
	size_t n, cap;
};

/* Kinds and widths of values. */
enum { KINDS = WGSL_F64 + 1, WIDTHS = 5 };

struct const_entry {
	uint32_t id; /* 0: free */
	uint32_t key[6];
};

struct var_home {
	uint32_t id; /* 0: not declared yet */
	enum spirv_class in;
	bool is_wrapped; /* its type is the only member of a block */
	bool is_words;   /* holds f16: declared as an array of words (half.c) */
	uint32_t binding;
};

struct gen {
	const struct wgsl_module *m;
	const struct spirv_options *o;
	struct arena *arena;
	struct err *err;
	struct plan plan;
	struct spirv_layout *layout;
	struct words sections[SECTION_COUNT_];
	size_t max_words;
	uint32_t next_id;
	uint32_t *ids; /* of values, by instruction */
	bool is_dead;  /* the current block of SPIR-V has ended */
	/* types */
	uint32_t values[KINDS][WIDTHS];
	uint32_t pointers[CLASS_COUNT_][KINDS][WIDTHS];
	uint32_t matrices[2][WIDTHS][WIDTHS]; /* of f32, of f64 */
	uint32_t void_type, void_fn, glsl;
	uint32_t words_block;
	uint32_t *types[2]; /* by wgsl_type.id: plain, with a layout */
	size_t cap_types[2];
	struct const_entry *consts;
	size_t n_consts, cap_consts;
	/* memory */
	struct var_home *vars; /* by wgsl_var.id */
	uint32_t lengths[SPIRV_MAX_BINDINGS], lasts[SPIRV_MAX_BINDINGS];
	uint32_t zero;                          /* a word that is 0 and that no compiler knows */
	uint32_t push, control;                 /* variables */
	uint32_t builtins[WGSL_BUILTIN_COUNT_]; /* values */
	uint32_t local_size[3], along;          /* Vulkan's; the dimension of ours that is its x */
	bool is_single;                         /* there is one invocation, and padding */
	uint32_t inputs[8], n_inputs;           /* variables of the interface */
	uint32_t subgroup_uses;                 /* bits: capabilities from CAPABILITY_SUBGROUP on */
	/* control */
	struct frame *frames;
	uint32_t *flags[FRAME_COUNT_]; /* variables by instruction; 0: none yet */
	/* counter */
	uint32_t left;         /* variable: passes that are left */
	uint32_t ended, epoch; /* variables: the work-group ends; which of the two to look at */
	enum plan_guard guard; /* the innermost one where code is written now */
	const struct wgsl_inst *guarded;
};

/* ---- words.c -------------------------------------------------------------------------------- */

#define ARGS(...)                                                                                  \
	(const uint32_t[]){ __VA_ARGS__ },                                                         \
	    (uint32_t)(sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

void spirv_fail(struct gen *g, enum err_code code, const char *what);

uint32_t spirv_id(struct gen *g);

/* Append an instruction to a section: spirv_put(g, SECTION_BODY, OP_STORE, ARGS(pointer, value)).
 */
void spirv_put(struct gen *g, enum section s, enum spirv_op op, const uint32_t *args, uint32_t n);

/* Write a text as words (strlen / 4 + 1), whose number this returns. */
uint32_t spirv_text(const char *text, uint32_t *to);

/* An instruction of the body with a result, whose id this returns. */
uint32_t spirv_value(struct gen *g, enum spirv_op op, uint32_t type, const uint32_t *args,
		     uint32_t n);

/* One of GLSL.std.450 with one or two operands (b 0: one). */
uint32_t spirv_glsl(struct gen *g, enum spirv_glsl fn, uint32_t type, uint32_t a, uint32_t b);

/* Ends of blocks; no effect where the block has ended already. */
void spirv_branch(struct gen *g, uint32_t label);
void spirv_return(struct gen *g);
void spirv_label(struct gen *g, uint32_t label);

/* Begin code that runs if cond (a bool) holds; spirv_if_end after it. Returns the merge's label. */
uint32_t spirv_if(struct gen *g, uint32_t cond);
void spirv_if_end(struct gen *g, uint32_t merge);

/* ---- type.c --------------------------------------------------------------------------------- */

/* Of 64 bits? */
bool spirv_type_is_wide(enum wgsl_kind kind);
/* The unsigned integers of that size. */
enum wgsl_kind spirv_type_bits(enum wgsl_kind kind);

/* A scalar (width 1) or vector. */
uint32_t spirv_type_of(struct gen *g, enum wgsl_kind kind, uint32_t width);
uint32_t spirv_type_value(struct gen *g, const struct wgsl_type *t);

/* Any type in memory; has_layout: with offsets and strides. */
uint32_t spirv_type_memory(struct gen *g, const struct wgsl_type *t, bool has_layout);

/* A block that is `t` (a struct) or has it as its only member. */
uint32_t spirv_type_block(struct gen *g, const struct wgsl_type *t);

uint32_t spirv_type_pointer(struct gen *g, enum spirv_class in, enum wgsl_kind kind,
			    uint32_t width);
uint32_t spirv_type_pointer_to(struct gen *g, enum spirv_class in, uint32_t type);

/* Do uniform buffers allow the layout (no matrix with columns of two f32, nothing denser than in
 * steps of 16 bytes)? Has it f16? */
bool spirv_type_fits_uniform(const struct wgsl_type *t, struct arena *arena);
bool spirv_type_has_half(const struct wgsl_type *t, struct arena *arena);

uint32_t spirv_const_of(struct gen *g, enum wgsl_kind kind, uint64_t bits);
uint32_t spirv_const_u32(struct gen *g, uint32_t v);
uint32_t spirv_const_splat(struct gen *g, enum wgsl_kind kind, uint32_t width, uint64_t bits);
/* The value of a CONST, at the start of the body; zero of a type in memory. */
uint32_t spirv_const_inst(struct gen *g, const struct wgsl_inst *i);
uint32_t spirv_const_zero(struct gen *g, const struct wgsl_type *t);
/* x of u32 or u64, or a vector of these, so that no compiler knows it. */
uint32_t spirv_const_unknown(struct gen *g, enum wgsl_kind unsign, uint32_t width, uint32_t x);
/* Constant initial value of a variable. */
uint32_t spirv_const_initial(struct gen *g, const struct wgsl_var *v);
uint32_t spirv_const_null(struct gen *g, uint32_t type);

/* ---- memory.c ------------------------------------------------------------------------------- */

/* A variable of the function (SECTION_LOCALS); init 0: none. */
uint32_t spirv_memory_local(struct gen *g, uint32_t pointer, uint32_t init);
/* Pointer to a word of the control buffer. */
uint32_t spirv_memory_control(struct gen *g, uint32_t word);
void spirv_memory_inst(struct gen *g, const struct wgsl_inst *i);
/* Where a variable is, declared when it is first asked for. */
const struct var_home *spirv_memory_home(struct gen *g, const struct wgsl_var *v);
/* The index (u32, clamped) of a step that is no member, into a part of v of this type. */
uint32_t spirv_memory_index(struct gen *g, const struct wgsl_var *v, const struct wgsl_type *in,
			    const struct wgsl_step *s);
/* Type of a pointer to that type, or to what is in an atomic. */
uint32_t spirv_memory_pointer(struct gen *g, enum spirv_class in, const struct wgsl_type *t);
void spirv_memory_barrier(struct gen *g, bool workgroup, bool storage);
/* Member n of the push constants, whose type is a u32 or a vector of it; at the start of the body.
 */
uint32_t spirv_memory_push(struct gen *g, enum push_member member, uint32_t width);
/* Lengths of runtime-sized arrays, at the start of the body. */
void spirv_memory_lengths(struct gen *g);

/* ---- zero.c --------------------------------------------------------------------------------- */

/* All of a variable of the function, or of a part of it, becomes zero. at: pointer to it. If the
 * type is large (wgsl.h) this has control flow. */
void spirv_zero(struct gen *g, const struct wgsl_type *t, uint32_t at);
/* Large variables that do not start with a store of all of them; at the start of the body. */
void spirv_zero_start(struct gen *g);
/* Stores zero to all work-group variables, then a barrier. */
void spirv_zero_workgroup(struct gen *g);

/* ---- half.c --------------------------------------------------------------------------------- */

/* The type of a buffer that holds f16. */
uint32_t spirv_half_block(struct gen *g);
/* In such a buffer: LOAD, STORE, and a pointer to the word of an atomic. */
uint32_t spirv_half_load(struct gen *g, const struct wgsl_inst *i);
void spirv_half_store(struct gen *g, const struct wgsl_inst *i);
uint32_t spirv_half_place(struct gen *g, const struct wgsl_path *p);

/* ---- value.c, float.c, bits.c --------------------------------------------------------------- */

void spirv_value_inst(struct gen *g, const struct wgsl_inst *i);

/* One that knows the id of its operands. */
uint32_t spirv_value_arg(struct gen *g, const struct wgsl_inst *i, uint32_t n);
/* The same bits as unsigned integers; of integers of 32 or 64 bits, or vectors of them. */
uint32_t spirv_value_unsigned(struct gen *g, const struct wgsl_type *t, uint32_t x);
uint32_t spirv_value_select(struct gen *g, uint32_t type, uint32_t cond, uint32_t yes, uint32_t no);
uint32_t spirv_float_unary(struct gen *g, const struct wgsl_inst *i, uint32_t x);
uint32_t spirv_float_convert(struct gen *g, const struct wgsl_inst *i, uint32_t x);
uint32_t spirv_float_math(struct gen *g, const struct wgsl_inst *i);
/* POPCOUNT, CLZ, CTZ, REVERSE */
uint32_t spirv_bits(struct gen *g, const struct wgsl_inst *i, uint32_t x);
/* An operation that no driver may combine with others: + - * / and comparisons. */
uint32_t spirv_float_exact(struct gen *g, enum spirv_op op, uint32_t type, uint32_t a, uint32_t b);

/* subgroup.c: the result of a SUBGROUP. */
uint32_t spirv_subgroup(struct gen *g, const struct wgsl_inst *i);

/* ---- control.c, counter.c ------------------------------------------------------------------- */

void spirv_control_block(struct gen *g, const struct wgsl_block *b);
void spirv_control_exit(struct gen *g, const struct wgsl_inst *target, enum frame_kind kind);

/* At the start of the wrapper and of the body; at the start of a pass. */
void spirv_counter_wrapper(struct gen *g, uint32_t body);
void spirv_counter_start(struct gen *g);
void spirv_counter_pass(struct gen *g, const struct wgsl_inst *loop);
/* All invocations of the work-group are here: end if one of them has no iterations left. */
void spirv_counter_meet(struct gen *g);

#endif
