/*
 * region.c - all lane blocks of a work-group, also over barriers; see gen_int.h.
 *
 * A work-group that does not fit into one lane block runs in one thread as a loop over
 * blocks. Barriers cut it: each stretch of code without a barrier (a region) is a loop of
 * its own, and control flow that holds barriers, which is the same for all invocations, stands
 * outside of these loops and looks at the first block. Values and variables that several
 * regions use are kept per block in the scratch memory.
 */
#include "native/gen_int.h"

#include "base/arena.h"

static void split_block(struct gen *g, const struct wgsl_block *b);

/* For each block:  begin; ... g->block ...; end. */
struct block_loop {
	LLVMBasicBlockRef head, done;
	LLVMValueRef at; /* memory */
};

static void blocks_begin(struct gen *g, struct block_loop *loop)
{
	LLVMBasicBlockRef body = gen_block(g, "block");
	LLVMValueRef n;

	loop->head = gen_block(g, "blocks");
	loop->done = gen_block(g, "blocks.end");
	loop->at = gen_borrow(g, g->i32);
	gen_store(g, gen_i32(g, 0), loop->at);
	gen_br(g, loop->head);
	gen_at_end(g, loop->head);
	n = gen_load(g, g->i32, loop->at);
	gen_if(g, LLVMBuildICmp(g->b, LLVMIntULT, n, gen_i32(g, g->plan->n_blocks), ""), body,
	       loop->done);
	gen_at_end(g, body);
	g->block = n;
	if (g->o->reverse_lanes)
		g->block = LLVMBuildSub(g->b, gen_i32(g, g->plan->n_blocks - 1), n, "");
}

static void blocks_end(struct gen *g, struct block_loop *loop)
{
	LLVMValueRef n;

	if (!g->is_dead) {
		n = gen_load(g, g->i32, loop->at);
		gen_store(g, LLVMBuildAdd(g->b, n, gen_i32(g, 1), ""), loop->at);
	}
	gen_br(g, loop->head);
	gen_at_end(g, loop->done);
	gen_give_back(g, loop->at);
}

/* ---- what a region uses ------------------------------------------------------------------- */

static void note_var(struct gen *g, const struct wgsl_inst *i, uint8_t *use)
{
	const struct wgsl_var *v = i->path->var;

	if (!var_is_lane(v))
		return;
	use[v->id] |= VAR_USED;
	if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO)
		use[v->id] |= VAR_WRITTEN;
	(void)g;
}

static void note_uses(struct gen *g, const struct wgsl_inst *from, const struct wgsl_inst *to,
		      uint8_t *use)
{
	for (const struct wgsl_inst *i = from; i != to; i = i->next) {
		if (i->path != NULL)
			note_var(g, i, use);
		for (uint32_t c = 0; c < i->n_cases; c++)
			note_uses(g, i->cases[c].block.first, NULL, use);
		note_uses(g, i->blocks[0].first, NULL, use);
		note_uses(g, i->blocks[1].first, NULL, use);
	}
}

/* Layout: per block, per component, one vector of words (see load_spill). */
void region_spill(struct gen *g, const struct wgsl_inst *i)
{
	const struct val *v = &g->vals[i->id];
	uint64_t size = g->L * 4ULL * kind_words(wgsl_type_base(i->type));
	LLVMValueRef off;

	if (v->n == 0)
		return;
	if (g->spills[i->id] == 0)
		g->spills[i->id] = 1 + gen_scratch(g, (uint64_t)g->plan->n_blocks * v->n * size);
	off = LLVMBuildZExt(g->b, g->block, g->i64, "");
	off = LLVMBuildMul(g->b, off, gen_i64(g, v->n * size), "");
	off = LLVMBuildAdd(g->b, off, gen_i64(g, g->spills[i->id] - 1), "");
	for (uint32_t c = 0; c < v->n; c++) {
		LLVMValueRef at =
		    gen_at(g, g->f.scratch, LLVMBuildAdd(g->b, off, gen_i64(g, c * size), ""));

		gen_store(g, word_from(g, v->c[c].v, wgsl_type_base(i->type)), at);
	}
}

/* ---- lanes that wait: no region runs for them until their target ends --------------------- */

static LLVMValueRef waits_at(struct gen *g)
{
	LLVMValueRef off = LLVMBuildZExt(g->b, g->block, g->i64, "");

	off = LLVMBuildMul(g->b, off, gen_i64(g, g->L * 4ULL), "");
	return gen_at(g, g->f.scratch, LLVMBuildAdd(g->b, off, gen_i64(g, g->waits - 1), ""));
}

static LLVMValueRef waits_load(struct gen *g)
{
	return gen_load(g, gen_type(g, WGSL_U32, true), waits_at(g));
}

static LLVMValueRef depths(struct gen *g, uint32_t depth)
{
	return gen_splat(g, gen_i32(g, depth));
}

void region_wait(struct gen *g, uint32_t depth)
{
	LLVMValueRef words;

	if (g->waits == 0 || g->is_dead)
		return;
	words = LLVMBuildSelect(g->b, mask_vec(g, g->mask), depths(g, depth), waits_load(g), "");
	gen_store(g, words, waits_at(g));
}

/* Only lanes that wait for nothing at this depth or further out run. */
static void drop_waiting(struct gen *g, uint32_t depth)
{
	LLVMValueRef runs;

	if (g->waits == 0)
		return;
	runs = LLVMBuildICmp(g->b, LLVMIntUGT, waits_load(g), depths(g, depth), "");
	g->mask = mask_and(g, g->mask, comp_varying(runs));
}

/* The target at `depth` has ended: those that wait for that go on. */
static void end_waiting(struct gen *g, uint32_t depth)
{
	struct block_loop loop;
	LLVMValueRef words, here;

	blocks_begin(g, &loop);
	words = waits_load(g);
	here = LLVMBuildICmp(g->b, LLVMIntEQ, words, depths(g, depth), "");
	words = LLVMBuildSelect(g->b, here, depths(g, UINT32_MAX), words, "");
	gen_store(g, words, waits_at(g));
	blocks_end(g, &loop);
	g->block = gen_i32(g, 0);
}

static void build_region(struct gen *g, const struct wgsl_inst *from, const struct wgsl_inst *to)
{
	uint8_t *use = arena_alloc(g->arena, g->m->n_vars);
	struct target *targets = g->targets;
	struct block_loop loop;

	note_uses(g, from, to, use);
	g->region = g->plan->insts[from->id].region;
	g->targets = NULL;
	counter_before_region(g);
	blocks_begin(g, &loop);
	unit_lanes(g);
	drop_waiting(g, targets != NULL ? targets->depth : 0);
	counter_enter_region(g);
	var_enter_region(g, use);
	control_range(g, from, to);
	if (!g->is_dead) {
		var_leave_region(g, use);
		counter_leave_region(g);
	}
	blocks_end(g, &loop);
	g->targets = targets;
	g->region = 0;
	g->block = gen_i32(g, 0);
	g->mask = (struct mask){ 0 };
}

/* ---- control flow around barriers ---------------------------------------------------------- */

/* What the first invocation has; all have the same. */
static LLVMValueRef first_lane(struct gen *g, const struct wgsl_inst *i)
{
	struct comp c = gen_arg(g, i, 0)->c[0];

	if (c.shape != VARYING)
		return c.v;
	return LLVMBuildExtractElement(g->b, c.v, gen_i32(g, 0), "");
}

static void split_if(struct gen *g, const struct wgsl_inst *i)
{
	LLVMBasicBlockRef yes = gen_block(g, "then"), no = gen_block(g, "else");
	LLVMBasicBlockRef join = gen_block(g, "join");

	gen_if(g, first_lane(g, i), yes, no);
	gen_at_end(g, yes);
	split_block(g, &i->blocks[0]);
	gen_br(g, join);
	gen_at_end(g, no);
	split_block(g, &i->blocks[1]);
	gen_br(g, join);
	gen_at_end(g, join);
}

static void split_loop(struct gen *g, const struct wgsl_inst *i)
{
	LLVMBasicBlockRef head = gen_block(g, "loop");
	struct target t;

	target_push(g, &t, i);
	t.next = gen_block(g, "continuing");
	gen_br(g, head);
	gen_at_end(g, head);
	counter_pass(g, &t);
	split_block(g, &i->blocks[0]);
	/* Nobody gets to the end of the body: all have left, or wait for the others to. */
	gen_br(g, g->plan->insts[i->id].is_left ? t.exit : t.next);
	gen_at_end(g, t.next);
	split_block(g, &i->blocks[1]);
	if (i->n_args > 0 && !g->is_dead)
		gen_if(g, first_lane(g, i), t.exit, head);
	gen_br(g, head);
	target_pop(g, &t);
}

static void split_switch(struct gen *g, const struct wgsl_inst *i)
{
	LLVMBasicBlockRef *to = arena_new_array(g->arena, LLVMBasicBlockRef, i->n_cases);
	LLVMBasicBlockRef def = NULL;
	LLVMValueRef selector = first_lane(g, i), sw;
	struct target t;

	target_push(g, &t, i);
	for (uint32_t c = 0; c < i->n_cases; c++) {
		to[c] = gen_block(g, "case");
		if (i->cases[c].is_default)
			def = to[c];
	}
	sw = LLVMBuildSwitch(g->b, selector, def ? def : t.exit, i->n_cases);
	for (uint32_t c = 0; c < i->n_cases; c++) {
		for (uint32_t n = 0; n < i->cases[c].n_values; n++)
			LLVMAddCase(sw, gen_i32(g, i->cases[c].values[n]), to[c]);
		gen_at_end(g, to[c]);
		split_block(g, &i->cases[c].block);
		gen_br(g, t.exit);
	}
	target_pop(g, &t);
}

static void split_exit(struct gen *g, const struct wgsl_inst *i)
{
	struct target *t;

	if (i->op == WGSL_OP_RETURN) {
		gen_br(g, g->end);
		return;
	}
	t = target_of(g, i);
	if (t != NULL)
		gen_br(g, i->op == WGSL_OP_BREAK ? t->exit : t->next);
}

static void split_construct(struct gen *g, const struct wgsl_inst *i)
{
	const struct plan_inst *pi = &g->plan->insts[i->id];
	struct target t;

	if (i->op == WGSL_OP_LOOP) {
		split_loop(g, i);
	} else if (i->op == WGSL_OP_SWITCH) {
		split_switch(g, i);
	} else {
		target_push(g, &t, i);
		split_block(g, &i->blocks[0]);
		target_pop(g, &t);
	}
	if (pi->is_left)
		end_waiting(g, pi->depth);
}

static void split_inst(struct gen *g, const struct wgsl_inst *i)
{
	switch ((int)i->op) {
	case WGSL_OP_IF:
		split_if(g, i);
		break;
	case WGSL_OP_LOOP:
	case WGSL_OP_SWITCH:
	case WGSL_OP_SCOPE:
		split_construct(g, i);
		break;
	case WGSL_OP_BARRIER:
		break;
	default:
		split_exit(g, i);
		break;
	}
}

static void split_block(struct gen *g, const struct wgsl_block *b)
{
	const struct wgsl_inst *i = b->first, *to;

	while (i != NULL && !g->is_dead && g->err->code == 0) {
		if (g->plan->insts[i->id].region == 0) {
			split_inst(g, i);
			i = i->next;
			continue;
		}
		for (to = i; to != NULL && g->plan->insts[to->id].region != 0;)
			to = to->next;
		build_region(g, i, to);
		i = to;
	}
}

/* Private variables start as they should in every block. */
static void start_blocks(struct gen *g)
{
	uint8_t *use = arena_alloc(g->arena, g->m->n_vars);
	struct block_loop loop;
	bool any = g->waits != 0;

	for (uint32_t n = 0; n < g->m->n_vars; n++)
		if (g->m->vars[n]->space == WGSL_SPACE_PRIVATE) {
			use[n] = VAR_USED | VAR_WRITTEN;
			any = true;
		}
	if (!any)
		return;
	blocks_begin(g, &loop);
	if (g->waits != 0)
		gen_store(g, depths(g, UINT32_MAX), waits_at(g));
	var_enter_region(g, use);
	var_start(g);
	var_leave_region(g, use);
	blocks_end(g, &loop);
}

void region_body(struct gen *g)
{
	LLVMBasicBlockRef end = g->end;
	struct block_loop loop;

	if (g->plan->is_split) {
		if (g->plan->loses_lanes)
			g->waits = 1 + gen_scratch(g, (uint64_t)g->plan->n_blocks * g->L * 4);
		counter_start(g);
		start_blocks(g);
		g->block = gen_i32(g, 0);
		split_block(g, &g->m->fn.body);
		gen_br(g, end);
		gen_at_end(g, end);
		counter_end(g);
		return;
	}
	blocks_begin(g, &loop);
	g->end = gen_block(g, "block.end");
	unit_lanes(g);
	counter_start(g);
	var_start(g);
	control_range(g, g->m->fn.body.first, NULL);
	gen_br(g, g->end);
	gen_at_end(g, g->end);
	counter_end(g);
	blocks_end(g, &loop);
	g->end = end;
	gen_br(g, end);
	gen_at_end(g, end);
}
