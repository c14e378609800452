/*
 * control.c - structured control flow over masks; see gen_int.h.
 *
 * Where all lanes agree there are real branches. Otherwise both sides run, each under its
 * mask, and only if some lane is active. Lanes that leave a construct by an exit are
 * gathered in the memory of its target (`left`, `skipped`) if what comes after needs to know them.
 */
#include "native/gen_int.h"

#include "base/arena.h"

static const struct plan_inst *info(struct gen *g, const struct wgsl_inst *i)
{
	return &g->plan->insts[i->id];
}

static LLVMValueRef mask_memory(struct gen *g, struct mask m)
{
	LLVMValueRef at = gen_borrow_mask(g);

	LLVMBuildStore(g->b, mask_whole(g, m), at);
	return at;
}

static LLVMValueRef mask_read(struct gen *g, LLVMValueRef at)
{
	return LLVMBuildLoad2(g->b, g->mask_type, at, "");
}

/* Add the active lanes. */
static void mask_gather(struct gen *g, LLVMValueRef at)
{
	LLVMValueRef both;

	if (at == NULL || g->is_dead || mask_is_none(g->mask))
		return;
	both = LLVMBuildOr(g->b, mask_read(g, at), mask_whole(g, g->mask), "");
	LLVMBuildStore(g->b, both, at);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* ---- targets ------------------------------------------------------------------------------ */

void target_push(struct gen *g, struct target *t, const struct wgsl_inst *i)
{
	*t = (struct target){ .outer = g->targets, .inst = i, .entry = g->mask };
	t->depth = info(g, i)->depth;
	t->exit = gen_block(g, "exit");
	if (info(g, i)->escapes != 0)
		t->left = mask_memory(g, mask_none(g));
	g->targets = t;
}

/* Go on behind the construct with the lanes that are left. */
void target_pop(struct gen *g, const struct target *t)
{
	uint32_t escapes = info(g, t->inst)->escapes;

	gen_br(g, t->exit);
	gen_at_end(g, t->exit);
	counter_end_loop(g, t);
	g->mask = t->entry;
	if (t->left != NULL)
		g->mask = mask_from(g, mask_read(g, t->left), t->entry.id, escapes);
	gen_give_back(g, t->left);
	gen_give_back(g, t->skipped);
	gen_give_back(g, t->passes);
	gen_give_back(g, t->cap);
	g->targets = t->outer;
}

struct target *target_of(struct gen *g, const struct wgsl_inst *i)
{
	struct target *t = g->targets;

	while (t != NULL && t->inst != i->target)
		t = t->outer;
	return t;
}

/* Out of the region, to the end of a construct that holds barriers, in some lanes only. */
static void leave_region(struct gen *g, const struct wgsl_inst *i)
{
	const struct plan_inst *to = info(g, i->target);

	if (!to->is_left || (i->target->op == WGSL_OP_LOOP && !to->is_once)) {
		gen_fail(g, ERR_INVALID,
			 "going on with a loop that holds a barrier, in some invocations only is "
			 "not supported");
		return;
	}
	counter_exit(g, NULL, true, false);
	region_wait(g, to->depth);
	g->mask = mask_none(g);
}

static void range_build(struct gen *g, struct range *range, const struct wgsl_inst *from,
			const struct wgsl_inst *to);

static void build_exit(struct gen *g, const struct wgsl_inst *i)
{
	bool direct = info(g, i)->is_direct;
	struct target *t = NULL;
	LLVMBasicBlockRef to = g->end;

	if (i->op != WGSL_OP_RETURN) {
		t = target_of(g, i);
		if (t == NULL) {
			leave_region(g, i);
			return;
		}
		to = i->op == WGSL_OP_BREAK ? t->exit : t->next;
	}
	counter_exit(g, t, i->op == WGSL_OP_BREAK, direct);
	if (t != NULL)
		mask_gather(g, i->op == WGSL_OP_BREAK ? t->left : t->skipped);
	else if (!direct)
		region_wait(g, 0);
	if (direct)
		gen_br(g, to);
	else
		g->mask = mask_none(g);
}

/* ---- IF ------------------------------------------------------------------------------------ */

struct branches {
	struct mask entry;
	LLVMValueRef after; /* memory: lanes that got to the end; NULL: all */
	LLVMBasicBlockRef join;
};

static void branch(struct gen *g, const struct branches *br, struct mask m,
		   const struct wgsl_block *block, LLVMBasicBlockRef next)
{
	g->mask = m;
	control_range(g, block->first, NULL);
	mask_gather(g, br->after);
	gen_br(g, next);
}

static void if_uniform(struct gen *g, const struct wgsl_inst *i, const struct branches *br,
		       LLVMValueRef cond)
{
	LLVMBasicBlockRef yes = gen_block(g, "then"), no = gen_block(g, "else");

	gen_if(g, cond, yes, no);
	gen_at_end(g, yes);
	branch(g, br, br->entry, &i->blocks[0], br->join);
	gen_at_end(g, no);
	branch(g, br, br->entry, &i->blocks[1], br->join);
}

static void if_masked(struct gen *g, const struct wgsl_inst *i, const struct branches *br,
		      struct comp cond)
{
	LLVMBasicBlockRef yes = gen_block(g, "then"), no = gen_block(g, "other"), other;
	struct mask m = mask_and(g, br->entry, cond);
	struct mask rest = mask_and_not(g, br->entry, cond);

	gen_if(g, mask_any(g, m), yes, no);
	gen_at_end(g, yes);
	branch(g, br, m, &i->blocks[0], no);
	gen_at_end(g, no);
	g->mask = rest;
	if (i->blocks[1].first == NULL) {
		mask_gather(g, br->after);
		gen_br(g, br->join);
		return;
	}
	other = gen_block(g, "else");
	gen_if(g, mask_any(g, rest), other, br->join);
	gen_at_end(g, other);
	branch(g, br, rest, &i->blocks[1], br->join);
}

/* Both sides without a branch. */
static void if_flat(struct gen *g, const struct wgsl_inst *i, struct mask entry, struct comp cond)
{
	uint32_t escapes = info(g, i)->escapes;
	struct mask m;

	g->mask = mask_and(g, entry, cond);
	control_range(g, i->blocks[0].first, NULL);
	m = g->mask;
	g->mask = mask_and_not(g, entry, cond);
	control_range(g, i->blocks[1].first, NULL);
	if (escapes == 0)
		g->mask = entry;
	else if (mask_is_none(m))
		g->mask = mask_exits(g, g->mask, entry.id, escapes);
	else if (mask_is_none(g->mask))
		g->mask = mask_exits(g, m, entry.id, escapes);
	else
		g->mask = mask_from(g, LLVMBuildOr(g->b, m.v, g->mask.v, ""), entry.id, escapes);
}

/* Nothing gets to the rest of the range that is being built. */
static void leave_range(struct gen *g, uint32_t exits)
{
	struct shortcut *s = &g->ranges->cut;

	if (s->end == NULL) {
		s->end = gen_block(g, "none");
		s->mask = gen_borrow_mask(g);
	}
	s->exits = larger(s->exits, exits);
	LLVMBuildStore(g->b, mask_none(g).v, s->mask);
	gen_br(g, s->end);
}

/* One side of an IF by which lanes may leave, all active ones taking that side. True: some get to
 * its end. */
static bool side(struct gen *g, const struct wgsl_inst *i, const struct branches *br, uint32_t n)
{
	g->mask = br->entry;
	control_range(g, i->blocks[n].first, NULL);
	if (!g->is_dead && mask_is_none(g->mask))
		leave_range(g, info(g, i)->escapes);
	if (g->is_dead)
		return false;
	mask_gather(g, br->after);
	gen_br(g, br->join);
	return true;
}

static void if_leaving(struct gen *g, const struct wgsl_inst *i, const struct branches *br,
		       LLVMValueRef cond)
{
	LLVMBasicBlockRef at[2] = { gen_block(g, "then"), gen_block(g, "else") };
	struct mask m = mask_none(g);
	uint32_t arrive = 0;

	gen_if(g, cond, at[0], at[1]);
	for (uint32_t n = 0; n < 2; n++) {
		gen_at_end(g, at[n]);
		if (!side(g, i, br, n))
			continue;
		m = g->mask;
		arrive++;
	}
	gen_at_end(g, br->join);
	g->mask = m;
	if (arrive == 2)
		g->mask = mask_from(g, mask_read(g, br->after), br->entry.id, info(g, i)->escapes);
	gen_give_back(g, br->after);
}

static void build_if(struct gen *g, const struct wgsl_inst *i)
{
	struct branches br = { .entry = g->mask };
	struct comp cond = gen_arg(g, i, 0)->c[0];
	uint32_t escapes = info(g, i)->escapes;

	if (cond.shape == VARYING && i->is_uniform)
		cond = comp_uniform(mask_any(g, mask_and(g, g->mask, cond)));
	if (info(g, i)->is_simple && cond.shape == VARYING && (escapes == 0 || g->is_flat)) {
		if_flat(g, i, br.entry, cond);
		return;
	}
	br.join = gen_block(g, "join");
	if (escapes != 0)
		br.after = mask_memory(g, mask_none(g));
	if (cond.shape == UNIFORM && escapes != 0 && !g->is_flat) {
		if_leaving(g, i, &br, cond.v);
		return;
	}
	if (cond.shape == UNIFORM)
		if_uniform(g, i, &br, cond.v);
	else
		if_masked(g, i, &br, cond);
	gen_at_end(g, br.join);
	g->mask = br.entry;
	if (escapes != 0)
		g->mask = mask_from(g, mask_read(g, br.after), br.entry.id, escapes);
	gen_give_back(g, br.after);
}

/* ---- SWITCH -------------------------------------------------------------------------------- */

static void switch_uniform(struct gen *g, const struct wgsl_inst *i, const struct target *t,
			   LLVMValueRef selector)
{
	LLVMBasicBlockRef def = t->exit;
	LLVMBasicBlockRef *to = arena_new_array(g->arena, LLVMBasicBlockRef, i->n_cases);
	LLVMValueRef sw;

	for (uint32_t c = 0; c < i->n_cases; c++) {
		to[c] = gen_block(g, "case");
		if (i->cases[c].is_default)
			def = to[c];
	}
	sw = LLVMBuildSwitch(g->b, selector, def, i->n_cases);
	for (uint32_t c = 0; c < i->n_cases; c++)
		for (uint32_t n = 0; n < i->cases[c].n_values; n++)
			LLVMAddCase(sw, gen_i32(g, i->cases[c].values[n]), to[c]);
	for (uint32_t c = 0; c < i->n_cases; c++) {
		gen_at_end(g, to[c]);
		g->mask = t->entry;
		control_range(g, i->cases[c].block.first, NULL);
		mask_gather(g, t->left);
		gen_br(g, t->exit);
	}
	g->is_dead = true;
}

static LLVMValueRef case_matches(struct gen *g, const struct wgsl_case *c, LLVMValueRef selector)
{
	LLVMTypeRef type = LLVMTypeOf(selector);
	LLVMValueRef all = LLVMConstNull(gen_vec_type(g, g->i1)), one;

	for (uint32_t n = 0; n < c->n_values; n++) {
		one = LLVMBuildICmp(g->b, LLVMIntEQ, selector, gen_const(type, c->values[n]), "");
		all = LLVMBuildOr(g->b, all, one, "");
	}
	return all;
}

static void switch_case(struct gen *g, const struct wgsl_case *c, const struct target *t,
			struct mask m)
{
	LLVMBasicBlockRef body = gen_block(g, "case"), next = gen_block(g, "next");

	gen_if(g, mask_any(g, m), body, next);
	gen_at_end(g, body);
	g->mask = m;
	control_range(g, c->block.first, NULL);
	mask_gather(g, t->left);
	gen_br(g, next);
	gen_at_end(g, next);
}

static void switch_masked(struct gen *g, const struct wgsl_inst *i, const struct target *t,
			  LLVMValueRef selector)
{
	LLVMValueRef taken = LLVMConstNull(gen_vec_type(g, g->i1)), match;
	const struct wgsl_case *def = NULL;

	for (uint32_t c = 0; c < i->n_cases; c++) {
		if (i->cases[c].is_default) {
			def = &i->cases[c];
			continue;
		}
		match = case_matches(g, &i->cases[c], selector);
		taken = LLVMBuildOr(g->b, taken, match, "");
		switch_case(g, &i->cases[c], t, mask_and(g, t->entry, comp_varying(match)));
	}
	if (def != NULL)
		switch_case(g, def, t, mask_and_not(g, t->entry, comp_varying(taken)));
}

static void build_switch(struct gen *g, const struct wgsl_inst *i)
{
	struct comp selector = gen_arg(g, i, 0)->c[0];
	struct target t;

	if (selector.shape != UNIFORM && i->is_uniform && g->mask.v == NULL)
		selector = comp_uniform(
		    LLVMBuildExtractElement(g->b, comp_vec(g, selector), gen_i32(g, 0), ""));
	target_push(g, &t, i);
	if (selector.shape == UNIFORM)
		switch_uniform(g, i, &t, selector.v);
	else
		switch_masked(g, i, &t, comp_vec(g, selector));
	target_pop(g, &t);
}

/* ---- LOOP, SCOPE --------------------------------------------------------------------------- */

/* All lanes stay together: the mask is the same in all passes. */
static void loop_plain(struct gen *g, const struct wgsl_inst *i, struct target *t)
{
	LLVMBasicBlockRef head = gen_block(g, "loop");
	struct comp cond;

	gen_br(g, head);
	gen_at_end(g, head);
	counter_pass(g, t);
	control_range(g, i->blocks[0].first, NULL);
	gen_br(g, t->next);
	gen_at_end(g, t->next);
	g->mask = t->entry;
	control_range(g, i->blocks[1].first, NULL);
	if (i->n_args == 0) {
		gen_br(g, head);
		return;
	}
	cond = gen_arg(g, i, 0)->c[0];
	if (cond.shape != UNIFORM)
		cond = comp_uniform(mask_any(g, mask_and(g, g->mask, cond)));
	if (t->passes == NULL) {
		gen_if(g, cond.v, t->exit, head);
		return;
	}
	t->next = gen_block(g, "leave");
	gen_if(g, cond.v, t->next, head);
	gen_at_end(g, t->next);
	counter_exit(g, t, true, true);
	gen_br(g, t->exit);
}

/* break if: takes lanes out of the current mask. */
static void break_if(struct gen *g, const struct wgsl_inst *i, const struct target *t)
{
	struct comp cond;
	struct mask stay;

	if (i->n_args == 0 || g->is_dead)
		return;
	cond = gen_arg(g, i, 0)->c[0];
	stay = mask_and_not(g, g->mask, cond);
	g->mask = mask_and(g, g->mask, cond);
	counter_exit(g, t, true, false);
	mask_gather(g, t->left);
	g->mask = stay;
}

/* The body of a pass. Lanes that got to its end wait in t->skipped with those that went there by
 * CONTINUE; only where there may be none of them it comes to t->next, else to `more`. */
static void masked_body(struct gen *g, const struct wgsl_inst *i, struct target *t,
			LLVMBasicBlockRef more)
{
	struct range range = { 0 };
	bool is_some;

	range_build(g, &range, i->blocks[0].first, NULL);
	is_some = !g->is_dead && range.cut.end != NULL && g->mask.id == range.cut.some;
	mask_gather(g, t->skipped);
	gen_br(g, is_some ? more : t->next);
	if (range.cut.end == NULL)
		return;
	gen_at_end(g, range.cut.end);
	gen_br(g, t->next);
	gen_give_back(g, range.cut.mask);
}

static void loop_masked(struct gen *g, const struct wgsl_inst *i, struct target *t)
{
	LLVMBasicBlockRef head = gen_block(g, "loop"), more = gen_block(g, "more");
	LLVMValueRef active = mask_memory(g, t->entry);
	uint32_t exits = larger(1 + t->depth, info(g, i)->escapes);
	uint32_t head_id;

	t->skipped = gen_borrow_mask(g);
	gen_br(g, head);
	gen_at_end(g, head);
	g->mask = mask_from(g, mask_read(g, active), t->entry.id, exits);
	head_id = g->mask.id;
	LLVMBuildStore(g->b, mask_none(g).v, t->skipped);
	counter_pass(g, t);
	masked_body(g, i, t, more);
	gen_at_end(g, t->next);
	g->mask = mask_from(g, mask_read(g, t->skipped), head_id, exits);
	gen_if(g, mask_any(g, g->mask), more, t->exit);
	gen_at_end(g, more);
	g->mask = mask_from(g, mask_read(g, t->skipped), head_id, exits);
	control_range(g, i->blocks[1].first, NULL);
	break_if(g, i, t);
	LLVMBuildStore(g->b, mask_whole(g, g->mask), active);
	if (i->n_args == 0)
		gen_br(g, head);
	else
		gen_if(g, mask_any(g, g->mask), head, t->exit);
	gen_give_back(g, active);
}

static void build_loop(struct gen *g, const struct wgsl_inst *i)
{
	const struct plan_inst *pi = info(g, i);
	bool plain = !pi->is_masked && pi->escapes == 0 && (i->n_args == 0 || i->is_uniform);
	struct target t;

	target_push(g, &t, i);
	t.next = gen_block(g, "continuing");
	counter_enter(g, &t);
	if (plain)
		loop_plain(g, i, &t);
	else
		loop_masked(g, i, &t);
	target_pop(g, &t);
}

/* A short one whose exits are masks only. */
static void scope_flat(struct gen *g, const struct wgsl_inst *i)
{
	struct target t = { .outer = g->targets, .inst = i, .entry = g->mask };
	bool was_flat = g->is_flat;

	t.depth = info(g, i)->depth;
	g->targets = &t;
	g->is_flat = true;
	control_range(g, i->blocks[0].first, NULL);
	g->is_flat = was_flat;
	g->targets = t.outer;
	g->mask = t.entry;
}

static void build_scope(struct gen *g, const struct wgsl_inst *i)
{
	struct target t;

	if (info(g, i)->is_simple) {
		scope_flat(g, i);
		return;
	}
	target_push(g, &t, i);
	control_range(g, i->blocks[0].first, NULL);
	mask_gather(g, t.left);
	target_pop(g, &t);
}

void control_inst(struct gen *g, const struct wgsl_inst *i)
{
	switch ((int)i->op) {
	case WGSL_OP_IF:
		build_if(g, i);
		break;
	case WGSL_OP_SWITCH:
		build_switch(g, i);
		break;
	case WGSL_OP_LOOP:
		build_loop(g, i);
		break;
	case WGSL_OP_SCOPE:
		build_scope(g, i);
		break;
	case WGSL_OP_BREAK:
	case WGSL_OP_CONTINUE:
	case WGSL_OP_RETURN:
		build_exit(g, i);
		break;
	default:
		gen_inst(g, i);
		if (g->plan->is_split && info(g, i)->is_spilled)
			region_spill(g, i);
		break;
	}
}

/* Look whether any lane is left for the rest of the range. */
static void skip_if_none(struct gen *g, uint32_t exits)
{
	LLVMBasicBlockRef go_on = gen_block(g, "some"), none = gen_block(g, "all.left");

	gen_if(g, mask_any(g, g->mask), go_on, none);
	gen_at_end(g, none);
	leave_range(g, exits);
	gen_at_end(g, go_on);
	g->ranges->cut.some = g->mask.id;
}

/* Variables whose last use in the block was this instruction end. */
static void end_variables(struct gen *g, const struct wgsl_inst *done, size_t declared)
{
	size_t kept = declared;

	for (size_t n = declared; n < g->n_declared; n++) {
		uint32_t id = g->declared[n];

		if (g->plan->vars[id].last == done)
			var_release(g, id);
		else
			g->declared[kept++] = id;
	}
	g->n_declared = kept;
}

/* The range without its end: where its shortcut leads is open. */
static void range_build(struct gen *g, struct range *range, const struct wgsl_inst *from,
			const struct wgsl_inst *to)
{
	size_t declared = g->n_declared;

	*range = (struct range){ .outer = g->ranges, .first = from };
	range->depth = g->targets ? g->targets->depth : 0;
	g->ranges = range;
	for (const struct wgsl_inst *i = from; i != to && g->err->code == 0; i = i->next) {
		range->mask_id = g->mask.id;
		control_inst(g, i);
		end_variables(g, i, declared);
		/* An equal mask: nobody left on the way here. */
		if (info(g, i)->escapes != 0 && i->next != to && !g->is_dead && !g->is_flat &&
		    g->mask.id != range->mask_id)
			skip_if_none(g, info(g, i)->escapes);
		if (g->is_dead)
			break;
	}
	g->ranges = range->outer;
}

void control_range(struct gen *g, const struct wgsl_inst *from, const struct wgsl_inst *to)
{
	struct range range;
	uint32_t entry = g->mask.id;

	range_build(g, &range, from, to);
	if (range.cut.end == NULL)
		return;
	if (!g->is_dead)
		LLVMBuildStore(g->b, mask_whole(g, g->mask), range.cut.mask);
	gen_br(g, range.cut.end);
	gen_at_end(g, range.cut.end);
	g->mask = mask_from(g, mask_read(g, range.cut.mask), entry, range.cut.exits);
	gen_give_back(g, range.cut.mask);
}
