/*
 * counter.c - the iterations of invocations; see gen_int.h.
 *
 * A lane that is active in some pass of a loop was active in all passes before, so the number of
 * the pass is the number of passes that this lane has made in the loop. Only what loops before
 * and around it cost can differ between lanes, and is looked up when it could matter.
 */
#include "native/gen_int.h"

static bool is_lanes(struct gen *g)
{
	return g->plan->counter == COUNTER_LANES;
}

static LLVMTypeRef wide(struct gen *g)
{
	return gen_vec_type(g, g->i64);
}

static LLVMValueRef larger(struct gen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntUGT, a, b, ""), a, b, "");
}

/* Most passes that an active lane has made on top of the common ones. */
static LLVMValueRef most_used(struct gen *g)
{
	LLVMValueRef used = LLVMBuildLoad2(g->b, wide(g), g->lanes_used, "");

	used = LLVMBuildSelect(g->b, mask_vec(g, g->mask), used, LLVMConstNull(wide(g)), "");
	return gen_call(g, "llvm.vector.reduce.umax", wide(g), &used, 1);
}

void counter_start(struct gen *g)
{
	if (g->counter == NULL) {
		g->counter = gen_alloca(g, g->i64, "passes");
		g->region_counter = gen_alloca(g, g->i64, "");
		g->lanes_most = gen_alloca(g, g->i64, "");
	}
	if (is_lanes(g) && g->lanes_used == NULL) {
		g->lanes_used = gen_alloca(g, wide(g), "used");
		if (g->plan->is_split)
			g->lanes_scratch = gen_scratch(g, g->plan->n_blocks * g->L * 8ULL);
	}
	gen_store(g, gen_i64(g, 0), g->counter);
	gen_store(g, gen_i64(g, 0), g->lanes_most);
	if (!is_lanes(g))
		return;
	LLVMBuildStore(g->b, LLVMConstNull(wide(g)), g->lanes_used);
	if (g->plan->is_split)
		LLVMBuildMemSet(g->b, gen_at(g, g->f.scratch, gen_i64(g, g->lanes_scratch)),
				LLVMConstInt(g->i8, 0, false),
				gen_i64(g, g->plan->n_blocks * g->L * 8ULL), 8);
}

/* Is this loop counted by a number of its own? */
static bool has_passes(struct gen *g, const struct wgsl_inst *loop)
{
	if (!loop->needs_counter || (g->plan->is_split && g->region == 0))
		return false;
	if (g->plan->counter == COUNTER_LOOP)
		return true;
	return is_lanes(g) && !g->plan->insts[loop->id].counts_inside;
}

void counter_enter(struct gen *g, struct target *t)
{
	if (!has_passes(g, t->inst))
		return;
	t->passes = gen_borrow(g, g->i64);
	t->cap = gen_borrow(g, g->i64);
	gen_store(g, gen_i64(g, 0), t->passes);
	/* Looked at closely in the first pass, and then when it may be the last. */
	gen_store(g, is_lanes(g) ? gen_i64(g, 0) : g->f.limit, t->cap);
}

/* What is left for loops in lanes: the limit without the passes of all. */
static LLVMValueRef limit_now(struct gen *g)
{
	return LLVMBuildSub(g->b, g->f.limit, gen_load(g, g->i64, g->counter), "");
}

static void pass_of_loop(struct gen *g, const struct target *t)
{
	LLVMValueRef n = gen_load(g, g->i64, t->passes), used, out;
	LLVMValueRef over = LLVMBuildICmp(g->b, LLVMIntUGE, n, gen_load(g, g->i64, t->cap), "");
	LLVMBasicBlockRef ok = gen_block(g, "pass"), look, more;

	if (!is_lanes(g)) {
		gen_if(g, over, g->out_of_passes, ok);
	} else {
		look = gen_block(g, "look");
		more = gen_block(g, "more");
		gen_if(g, over, look, ok);
		gen_at_end(g, look);
		used = most_used(g);
		out = LLVMBuildICmp(g->b, LLVMIntUGE, LLVMBuildAdd(g->b, n, used, ""), limit_now(g),
				    "");
		gen_if(g, out, g->out_of_passes, more);
		gen_at_end(g, more);
		gen_store(g, LLVMBuildSub(g->b, limit_now(g), used, ""), t->cap);
		gen_br(g, ok);
	}
	gen_at_end(g, ok);
	gen_store(g, LLVMBuildAdd(g->b, n, gen_i64(g, 1), ""), t->passes);
}

static void pass_of_lanes(struct gen *g)
{
	LLVMValueRef used = most_used(g), all, one;
	LLVMValueRef over = LLVMBuildICmp(g->b, LLVMIntUGE, used, limit_now(g), "");
	LLVMBasicBlockRef ok = gen_block(g, "pass");

	gen_if(g, over, g->out_of_passes, ok);
	gen_at_end(g, ok);
	all = LLVMBuildLoad2(g->b, wide(g), g->lanes_used, "");
	one = LLVMBuildZExt(g->b, mask_vec(g, g->mask), wide(g), "");
	LLVMBuildStore(g->b, LLVMBuildAdd(g->b, all, one, ""), g->lanes_used);
}

static void pass_of_all(struct gen *g)
{
	LLVMValueRef n = gen_load(g, g->i64, g->counter), used = n, over;
	LLVMBasicBlockRef ok = gen_block(g, "pass");

	if (is_lanes(g))
		used = LLVMBuildAdd(g->b, n, gen_load(g, g->i64, g->lanes_most), "");
	over = LLVMBuildICmp(g->b, LLVMIntUGE, used, g->f.limit, "");
	gen_if(g, over, g->out_of_passes, ok);
	gen_at_end(g, ok);
	gen_store(g, LLVMBuildAdd(g->b, n, gen_i64(g, 1), ""), g->counter);
}

void counter_pass(struct gen *g, const struct target *t)
{
	if (g->plan->counter == COUNTER_NONE || !t->inst->needs_counter)
		return;
	if (t->passes != NULL)
		pass_of_loop(g, t);
	else if (g->plan->counter == COUNTER_SCALAR || (g->plan->is_split && g->region == 0))
		pass_of_all(g);
	else
		pass_of_lanes(g);
}

static void leave_loop(struct gen *g, const struct target *t)
{
	LLVMValueRef n = gen_load(g, g->i64, t->passes), all, plus;

	all = LLVMBuildLoad2(g->b, wide(g), g->lanes_used, "");
	plus = LLVMBuildSelect(g->b, mask_vec(g, g->mask), gen_splat(g, n), LLVMConstNull(wide(g)),
			       "");
	LLVMBuildStore(g->b, LLVMBuildAdd(g->b, all, plus, ""), g->lanes_used);
}

/* The last lane to leave has made the most passes: only the end of the loop, or a way around it,
 * needs to look. */
static void note_passes(struct gen *g, const struct target *t)
{
	LLVMValueRef n = gen_load(g, g->i64, t->passes);

	gen_store(g, larger(g, n, gen_load(g, g->i64, g->most)), g->most);
}

void counter_end_loop(struct gen *g, const struct target *t)
{
	if (t->passes != NULL && g->plan->counter == COUNTER_LOOP)
		note_passes(g, t);
}

void counter_exit(struct gen *g, const struct target *to, bool with_it, bool is_jump)
{
	if (g->is_dead)
		return;
	for (const struct target *t = g->targets; t != NULL; t = t->outer) {
		if (t == to && !with_it)
			break;
		if (t->passes != NULL && is_lanes(g))
			leave_loop(g, t);
		else if (t->passes != NULL && is_jump && t != to)
			note_passes(g, t);
		if (t == to)
			break;
	}
}

void counter_end(struct gen *g)
{
	LLVMValueRef n = gen_load(g, g->i64, g->counter), used;

	if (g->plan->counter == COUNTER_NONE)
		return;
	if (is_lanes(g) && !g->plan->is_split) {
		used = LLVMBuildLoad2(g->b, wide(g), g->lanes_used, "");
		n = LLVMBuildAdd(g->b, n, gen_call(g, "llvm.vector.reduce.umax", wide(g), &used, 1),
				 "");
	} else {
		n = LLVMBuildAdd(g->b, n, gen_load(g, g->i64, g->lanes_most), "");
	}
	gen_store(g, larger(g, n, gen_load(g, g->i64, g->most)), g->most);
}

static LLVMValueRef lanes_copy(struct gen *g)
{
	LLVMValueRef off = LLVMBuildZExt(g->b, g->block, g->i64, "");

	off = LLVMBuildMul(g->b, off, gen_i64(g, g->L * 8ULL), "");
	off = LLVMBuildAdd(g->b, off, gen_i64(g, g->lanes_scratch), "");
	return gen_at(g, g->f.scratch, off);
}

void counter_before_region(struct gen *g)
{
	gen_store(g, gen_load(g, g->i64, g->counter), g->region_counter);
}

/* Each block starts the region with the passes that the work-group has made so far. */
void counter_enter_region(struct gen *g)
{
	gen_store(g, gen_load(g, g->i64, g->region_counter), g->counter);
	if (is_lanes(g))
		LLVMBuildStore(g->b, gen_load(g, wide(g), lanes_copy(g)), g->lanes_used);
}

void counter_leave_region(struct gen *g)
{
	LLVMValueRef used;

	if (!is_lanes(g))
		return;
	used = LLVMBuildLoad2(g->b, wide(g), g->lanes_used, "");
	gen_store(g, used, lanes_copy(g));
	used = gen_call(g, "llvm.vector.reduce.umax", wide(g), &used, 1);
	gen_store(g, larger(g, used, gen_load(g, g->i64, g->lanes_most)), g->lanes_most);
}
