/*
 * gen_int.h - state of building one module into LLVM IR, shared by the parts of the compiler.
 *
 * Each component of an IR value is a struct comp: one scalar for all lanes of the block
 * (UNIFORM), base + stride * lane (AFFINE, integers only), or a vector with one element per
 * lane (VARYING). A mask says which lanes are active; code below a construct that masks lanes off
 * runs only while some lane is active.
 *
 * Failures (unsupported, too big) are recorded once by gen_fail(); building goes on with
 * harmless values and the result is dropped.
 */
#ifndef NATIVE_GEN_INT_H
#define NATIVE_GEN_INT_H

#include <llvm-c/Core.h>

#include "base/arena.h"
#include "base/err.h"
#include "native/native.h"
#include "native/object_int.h"
#include "wgsl/wgsl.h"

/* ---- plan.c: what is decided before building -------------------------------------------- */

/* How counted loops count, cheapest first. */
enum plan_counter {
	COUNTER_NONE,
	COUNTER_SCALAR, /* all lanes always make the same passes: one number for the block */
	COUNTER_LOOP,   /* one counted loop, run once per invocation: its pass number */
	COUNTER_LANES,  /* one number per lane */
};

struct plan_inst {
	/* 0: no exit leaves it by mask; else 1 + the largest depth of a target of such exits. */
	uint32_t escapes;
	uint32_t depth;     /* of a target: nesting among targets, from 1; the function is 0 */
	uint32_t region;    /* of work-group code: which barrier-free run it is in; 0: control */
	uint32_t weight;    /* instructions inside */
	bool is_control;    /* holds barriers, or leaves something that does */
	bool is_direct;     /* exit: all lanes of its target get here together: a jump */
	bool is_masked;     /* target: lanes leave it, or skip to its end, one by one */
	bool is_left;       /* target with barriers inside: lanes leave it one by one */
	bool is_once;       /* LOOP: the end of its body is never reached */
	bool is_simple;     /* IF: short, only arithmetic and plain variables: run without branch */
	bool is_spilled;    /* used in another region than the one that defines it */
	bool has_continue;  /* LOOP: some CONTINUE goes there */
	bool counts_inside; /* LOOP: some loop inside it is counted */
	bool is_after;      /* LOAD: behind the loop that steps the variable */
};

struct plan_var {
	bool is_plain;   /* scalar or vector without dynamic steps: one LLVM value per component */
	uint32_t region; /* the only region that uses it, 0: none yet */
	/* One scalar and a stride between lanes may hold it, if it starts so: !is_unsteady, and
	 * changed only in `loop`. is_used_after: behind it each lane needs its own value, too. */
	bool is_unsteady, is_declared, is_used_after;
	const struct wgsl_inst *loop, *declared_in;
	const struct wgsl_block *block; /* where it is declared */
	const struct wgsl_inst *last;   /* in that block, the last that uses it or holds a use */
	const struct above *above;      /* plan.c: the construct around that */
	/* In that block, what uses it or holds its uses besides declarations; has_users: more than
	 * one. */
	const struct wgsl_inst *user;
	bool has_users;
	bool is_loose;     /* used outside of that block */
	bool is_temporary; /* never declared: stored before each use in `block` */
	bool is_shared;    /* used in several regions: has a home in scratch */
};

struct plan {
	uint32_t lanes;
	uint32_t subgroup; /* lanes of a subgroup, which divide `lanes`; 0: there are none */
	enum native_mode mode;
	/* GROUP: */
	uint32_t n_blocks; /* lane blocks of a work-group */
	bool is_rows;      /* a block lies in one row: local y and z are uniform */
	bool is_split;     /* several blocks and barriers: code is cut into regions */
	bool last_partial; /* the last block has fewer invocations than lanes */
	bool loses_lanes;  /* some return, or exit of a block with barriers, is not taken by all */
	enum plan_counter counter;
	struct plan_inst *insts; /* by id */
	struct plan_var *vars;   /* by id */
	uint32_t n_regions;
	uint32_t n_targets;
};

struct cpu_shape {
	uint32_t vector_bytes; /* 16, 32 or 64 */
	uint32_t registers;    /* vector registers */
};

void plan_make(const struct wgsl_module *m, const struct native_options *o, struct cpu_shape cpu,
	       struct arena *arena, struct plan *ret);

/* The x of a store of v + x, x + v or v - x to v itself; NULL: it is something else. */
const struct wgsl_inst *plan_step(const struct wgsl_inst *store);

/* ---- gen.c: values ---------------------------------------------------------------------- */

enum comp_shape { UNIFORM, AFFINE, VARYING };

struct comp {
	enum comp_shape shape;
	int32_t stride; /* AFFINE */
	LLVMValueRef v; /* scalar; VARYING: vector */
};

struct val {
	uint32_t n;
	struct comp c[4];
};

/* v == NULL: every lane of the block. */
struct mask {
	LLVMValueRef v; /* <L x i1> */
	uint32_t id;    /* equal ids: equal masks */
};

/* How a mask came from another: by lanes leaving towards targets at most this deep, or by a
 * condition. */
struct mask_link {
	uint32_t parent;
	uint32_t exits;    /* 1 + depth; 0: a condition */
	LLVMValueRef cond; /* <L x i1>: that condition; also for exits, if it is known */
};

/* An enclosing SWITCH, LOOP or SCOPE. */
struct target {
	struct target *outer;
	const struct wgsl_inst *inst;
	struct mask entry;
	uint32_t depth;
	LLVMBasicBlockRef exit, next; /* next: LOOP, its continuing part */
	LLVMValueRef left;            /* mask in memory of lanes that left by BREAK; may be NULL */
	LLVMValueRef skipped;         /* LOOP: of lanes that wait for continuing; may be NULL */
	LLVMValueRef passes;          /* counted LOOP: i64 in memory; NULL: not counted here */
	LLVMValueRef cap;             /* the same: passes at which to look closely */
};

/* Where a variable lives. */
struct home {
	LLVMValueRef comps[4]; /* plain: memory of each component */
	LLVMValueRef words;    /* else: memory of its words (per lane: words x L) */
	uint64_t scratch;      /* of the copy that outlives regions */
	uint64_t block_bytes;  /* distance between copies of two blocks */
	uint32_t mask_id;      /* mask at its declaration */
	uint32_t depth;        /* targets around its declaration */
	LLVMValueRef base;     /* plain: memory of lane 0's value, if the rest follows from it, for
				* lanes in the loop that steps it */
	int32_t stride;        /* with base: from lane to lane */
	bool is_scalar;        /* one copy for all lanes */
	bool in_scratch;
};

struct frame_values {
	LLVMValueRef limit, stop, scratch, blocks_x;
	LLVMValueRef grid[3], groups[3];
	LLVMValueRef *data, *length; /* per binding */
};

/* The way past the rest of a range for the case that no lane is left. */
struct shortcut {
	LLVMBasicBlockRef end; /* NULL: not needed so far */
	LLVMValueRef mask;     /* memory: lanes that got to the end */
	uint32_t exits;
	uint32_t some; /* id of the last mask that was found not to be empty on the way here */
};

/* A range of instructions being built. */
struct range {
	struct range *outer;
	const struct wgsl_inst *first;
	uint32_t mask_id, depth; /* at the instruction being built */
	struct shortcut cut;
};

/* Memory to borrow. */
struct loan {
	LLVMTypeRef type;
	LLVMValueRef memory;
	bool is_mask; /* never shared with variables, whose lanes outlive what is active */
	bool is_taken;
};

struct gen {
	struct err *err;
	struct loan *loans;
	size_t n_loans, cap_loans;
	uint32_t *declared; /* variables declared in the ranges being built, by id */
	size_t n_declared, cap_declared;
	const struct wgsl_module *m;
	const struct native_options *o;
	struct plan *plan;
	struct arena *arena;
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LLVMBuilderRef entry; /* positioned in the entry block: for allocas */
	LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr;
	/* Vector of i1, or of i32 (0 or -1) for machines that compare into vectors: there i1 would
	 * be packed and unpacked all the time. */
	LLVMTypeRef mask_type;
	uint32_t L;
	LLVMValueRef fn, frame_arg;
	struct frame_values f;
	LLVMValueRef group[3]; /* work-group id; FLAT: [1] and [2] are y and z */
	LLVMValueRef block;    /* i32: which block of the work-group; FLAT: along x */
	struct val builtins[WGSL_BUILTIN_COUNT_];
	struct val *vals; /* by instruction id */
	uint64_t *spills; /* by instruction id: 1 + place in scratch */
	/* Split code that loses lanes: 1 + place of a word per lane: the depth of the target behind
	 * which it waits, 0 if it returned, UINT32_MAX if it is active. */
	uint64_t waits;
	struct home *homes;      /* by variable id */
	LLVMValueRef *workgroup; /* by variable id: i64 offset in scratch of work-group variables */
	struct mask mask;
	struct mask entry_mask;
	LLVMValueRef entry_all; /* i1: entry_mask has all lanes; NULL: always */
	struct mask_link *links;
	size_t n_links, cap_links;
	struct target *targets; /* innermost */
	struct range *ranges;   /* innermost */
	bool is_flat;           /* inside a short SCOPE that is built without branches */
	LLVMBasicBlockRef end;  /* of the invocations of this block */
	LLVMBasicBlockRef out_of_passes;
	LLVMValueRef counter;        /* memory: i64; passes that all lanes have made together */
	LLVMValueRef lanes_used;     /* memory: <L x i64>; COUNTER_LANES: passes of each on top */
	LLVMValueRef lanes_most;     /* memory: i64; the most of them, at the end of a region */
	uint64_t lanes_scratch;      /* of copies of lanes_used over regions */
	LLVMValueRef region_counter; /* memory: i64; split: counter at the start of a region */
	LLVMValueRef most;           /* memory: i64, most passes seen */
	bool is_dead;                /* nothing gets to where the builder stands */
	uint32_t region;             /* being built, 0 outside */
	uint64_t scratch_bytes;
	LLVMValueRef tmp[12];   /* memory of one vector each, for lane loops */
	uint32_t n_llvm_blocks; /* made so far */
};

void gen_fail(struct gen *g, enum err_code code, const char *what);

/* Types: of one component, for one lane or for all. */
LLVMTypeRef gen_type(struct gen *g, enum wgsl_kind kind, bool varying);
LLVMTypeRef gen_vec_type(struct gen *g, LLVMTypeRef elem);

LLVMValueRef gen_i32(struct gen *g, uint32_t v);
LLVMValueRef gen_i64(struct gen *g, uint64_t v);
/* The integer or float constant as a scalar, or splat, of `type`. */
LLVMValueRef gen_const(LLVMTypeRef type, uint64_t v);
LLVMValueRef gen_constf(LLVMTypeRef type, double v);

LLVMValueRef gen_splat(struct gen *g, LLVMValueRef scalar);
LLVMValueRef gen_iota(struct gen *g, int32_t stride);

struct comp comp_uniform(LLVMValueRef v);
struct comp comp_affine(LLVMValueRef base, int32_t stride);
struct comp comp_varying(LLVMValueRef v);
/* The component as a vector, whatever its shape. */
LLVMValueRef comp_vec(struct gen *g, struct comp c);

/* a and b as LLVM values of one type: both scalars if both are uniform. True if vectors. */
bool comp_pair(struct gen *g, struct comp *a, struct comp *b);
struct comp comp_like(LLVMValueRef v); /* UNIFORM or VARYING after its LLVM type */

/* Integer arithmetic that keeps AFFINE where it can. */
struct comp comp_add(struct gen *g, struct comp a, struct comp b);
struct comp comp_sub(struct gen *g, struct comp a, struct comp b);
struct comp comp_mul(struct gen *g, struct comp a, struct comp b);

/* A value by instruction: an operand. */
const struct val *gen_arg(struct gen *g, const struct wgsl_inst *i, uint32_t n);
const struct val *gen_use(struct gen *g, const struct wgsl_inst *i);

LLVMValueRef gen_alloca(struct gen *g, LLVMTypeRef type, const char *name);
/* Memory that is given back when its construct ends: few allocas keep mem2reg fast. */
LLVMValueRef gen_borrow(struct gen *g, LLVMTypeRef type);
/* Memory that nothing built so far uses. */
LLVMValueRef gen_borrow_new(struct gen *g, LLVMTypeRef type);
LLVMValueRef gen_borrow_mask(struct gen *g);
void gen_give_back(struct gen *g, LLVMValueRef memory);
LLVMValueRef gen_load(struct gen *g, LLVMTypeRef type, LLVMValueRef p);
void gen_store(struct gen *g, LLVMValueRef v, LLVMValueRef p);
LLVMValueRef gen_at(struct gen *g, LLVMValueRef base, LLVMValueRef bytes); /* base + i64 */
LLVMValueRef gen_call(struct gen *g, const char *intrinsic, LLVMTypeRef overload,
		      LLVMValueRef *args, uint32_t n);
LLVMBasicBlockRef gen_block(struct gen *g, const char *name);
void gen_at_end(struct gen *g, LLVMBasicBlockRef bb);
void gen_br(struct gen *g, LLVMBasicBlockRef to);
void gen_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no);

/* ---- mask.c ----------------------------------------------------------------------------- */

/* As a condition: a vector of i1. */
LLVMValueRef mask_vec(struct gen *g, struct mask m);
/* A condition (vector of i1) as g->mask_type. */
LLVMValueRef mask_part(struct gen *g, LLVMValueRef cond);
/* As g->mask_type: what masks are kept and combined as. */
LLVMValueRef mask_whole(struct gen *g, struct mask m);
struct mask mask_and(struct gen *g, struct mask m, struct comp cond);
struct mask mask_and_not(struct gen *g, struct mask m, struct comp cond);
/* A mask made elsewhere: `exits` as in mask_link. */
struct mask mask_from(struct gen *g, LLVMValueRef v, uint32_t parent, uint32_t exits);
/* The mask m that came from `parent` by a condition, which stands for exits. */
struct mask mask_exits(struct gen *g, struct mask m, uint32_t parent, uint32_t exits);
LLVMValueRef mask_any(struct gen *g, struct mask m);
LLVMValueRef mask_all(struct gen *g, struct mask m);
LLVMValueRef mask_last(struct gen *g, struct mask m); /* i32: last active lane */
bool mask_is_none(struct mask m);
struct mask mask_none(struct gen *g);
/* True if lanes that are in the mask `id` but not in the current one no longer matter to what
 * was declared `depth` targets deep. */
bool mask_covers(struct gen *g, uint32_t id, uint32_t depth);
/* Lanes of the mask `id` that are active now, as far as it matters in the sense above: at best
 * only the conditions since then. */
LLVMValueRef mask_since(struct gen *g, uint32_t id, uint32_t depth);

/* For each active lane, in order:  begin; ... lane ...; end. */
struct lane_loop {
	LLVMBasicBlockRef head, done, outer;
	LLVMValueRef bits;  /* memory: i64 */
	LLVMValueRef lane;  /* i64: this lane */
	LLVMValueRef word;  /* memory: i64 */
	LLVMValueRef words; /* memory: the whole mask */
};
void lanes_begin(struct gen *g, struct mask m, struct lane_loop *loop);
void lanes_end(struct gen *g, struct lane_loop *loop);

/* Temporary memory of one vector, by number (0 to 11); contents are lost at the next use. */
LLVMValueRef tmp_put(struct gen *g, uint32_t n, LLVMValueRef vector);
LLVMValueRef tmp_ptr(struct gen *g, uint32_t n);
LLVMValueRef tmp_lane(struct gen *g, LLVMTypeRef type, LLVMValueRef tmp, LLVMValueRef lane);
void tmp_set(struct gen *g, LLVMValueRef v, LLVMValueRef tmp, LLVMValueRef lane);

/* ---- value.c, arith.c, memory.c, atomic.c, control.c ------------------------------------ */

/* Build one instruction without control flow; g->vals has its value afterwards. */
void gen_inst(struct gen *g, const struct wgsl_inst *i);

struct comp arith_div(struct gen *g, struct comp x, struct comp y, bool is_signed);
struct comp arith_rem(struct gen *g, struct comp x, struct comp y, bool is_signed);
LLVMValueRef arith_convert(struct gen *g, LLVMValueRef x, enum wgsl_kind from, enum wgsl_kind to);
struct comp arith_math(struct gen *g, enum wgsl_math fn, struct comp x, struct comp y);

void memory_load(struct gen *g, const struct wgsl_inst *i, struct val *ret);
void memory_store(struct gen *g, const struct wgsl_inst *i);
void memory_zero(struct gen *g, const struct wgsl_inst *i);
struct comp memory_length(struct gen *g, const struct wgsl_path *p);

/*
 * A place in memory shared by lanes (buffers, work-group variables, uniform arrays), in
 * words of 4 bytes (of f16: 2 bytes). PLACE_ONE: the same for all lanes, at `near`. PLACE_NEAR:
 * where `fits` holds, no index of any lane needs its clamp and lane l is at near + stride * l.
 * Otherwise each lane is at place_words().
 */
enum place_kind { PLACE_ONE, PLACE_NEAR, PLACE_FAR };

struct place {
	enum place_kind kind;
	const struct wgsl_path *path;
	LLVMValueRef base; /* pointer */
	LLVMValueRef near; /* i32 */
	LLVMValueRef fits; /* i1; NULL: always */
	uint32_t stride;   /* NEAR: words */
	uint32_t inner;    /* NEAR: words from the start of an element to `near` */
	uint32_t first;    /* words from `near` (or place_words()) to what is accessed */
	uint32_t unit;     /* bytes of a word here: 4, or 2 for f16 */
	bool is_constant;  /* never written */
	bool is_private;   /* no other thread sees it */
};
void place_of(struct gen *g, const struct wgsl_path *p, struct place *ret);
LLVMValueRef place_words(struct gen *g, const struct place *p); /* <L x i32> */
/* Pointer to word + first + plus; word: i32. */
LLVMValueRef place_at(struct gen *g, const struct place *p, LLVMValueRef word, uint32_t plus);

/* Offset in words of a path, clamped; a vector if some index varies. */
struct comp path_words(struct gen *g, const struct wgsl_path *p);

/* place.c: values of a place. */
void place_load(struct gen *g, const struct place *p, enum wgsl_kind kind, struct val *ret);
void place_store(struct gen *g, const struct place *p, enum wgsl_kind kind, const struct val *v);
/* bool is kept as a word: 0 or 1. */
/* Words of a component: 2 for 64 bits, which are loaded and stored in halves. */
uint32_t kind_words(enum wgsl_kind kind);
/* A component of 64 bits from its low and high word, and back. */
struct comp comp_join(struct gen *g, enum wgsl_kind kind, struct comp low, struct comp high);
void comp_split(struct gen *g, struct comp c, struct comp halves[2]);
LLVMValueRef word_from(struct gen *g, LLVMValueRef v, enum wgsl_kind kind);
LLVMValueRef word_to(struct gen *g, LLVMValueRef word, enum wgsl_kind kind);

void atomic_build(struct gen *g, const struct wgsl_inst *i, struct val *ret);

/* subgroup.c: the built-in values of a block; an operation between its lanes. */
void subgroup_builtins(struct gen *g);
void subgroup_build(struct gen *g, const struct wgsl_inst *i, struct val *ret);

/* Make the homes of variables; begin a block of lanes (zero private variables). */
void var_homes(struct gen *g);
/* Memory of a plain variable's components, borrowed at its first use. */
LLVMValueRef *var_comps(struct gen *g, const struct wgsl_var *v);
/* Give its memory back at the end of the range that is its block. */
void var_declared(struct gen *g, uint32_t id);
void var_release(struct gen *g, uint32_t id);
void var_start(struct gen *g);
bool var_is_lane(const struct wgsl_var *v); /* function or private space */
/* Split code: bring the variables that a region uses into registers, and back. `use` holds
 * VAR_ flags by variable id (function and private space only). */
enum { VAR_USED = 1, VAR_WRITTEN = 2 };
void var_enter_region(struct gen *g, const uint8_t *use);
void var_leave_region(struct gen *g, const uint8_t *use);
uint64_t gen_scratch(struct gen *g, uint64_t bytes); /* place of so many bytes, aligned to 64 */

/* Build instructions from `from` up to `to` (not included; NULL: to the end of the block).
 * g->mask is afterwards the lanes that got to the end. */
void control_range(struct gen *g, const struct wgsl_inst *from, const struct wgsl_inst *to);
/* One construct, exit or instruction. */
void control_inst(struct gen *g, const struct wgsl_inst *i);
void target_push(struct gen *g, struct target *t, const struct wgsl_inst *i);
void target_pop(struct gen *g, const struct target *t);
/* NULL: it is outside of the region. */
struct target *target_of(struct gen *g, const struct wgsl_inst *i);

/* counter.c: counted loops; see enum plan_counter. */
void counter_start(struct gen *g);                        /* of a lane block or work-group */
void counter_enter(struct gen *g, struct target *t);      /* before a loop */
void counter_pass(struct gen *g, const struct target *t); /* at the start of each pass */
/* Active lanes leave all loops inside `to` (NULL: the function); with_it: that one too. is_jump: by
 * a branch, which does not come by the end of those loops. */
void counter_exit(struct gen *g, const struct target *to, bool with_it, bool is_jump);
void counter_end_loop(struct gen *g, const struct target *t); /* where all lanes have left */
void counter_end(struct gen *g);                              /* notes the most passes */
void counter_before_region(struct gen *g);
void counter_enter_region(struct gen *g); /* for the block g->block */
void counter_leave_region(struct gen *g);

/* region.c: all lane blocks of a work-group. */
void region_body(struct gen *g);
void region_spill(struct gen *g, const struct wgsl_inst *i);
/* The active lanes run no further region until the target at `depth` has ended; 0: never. */
void region_wait(struct gen *g, uint32_t depth);

/* unit.c: built-in values and mask of the lanes of g->block (FLAT: at x, y, z). */
void unit_lanes(struct gen *g);
/* The whole entry function. */
void unit_build(struct gen *g);

#endif
