/*
 * plan.c - what is decided before any words are written; see gen_int.h.
 *
 * SPIR-V lets a branch leave the innermost loop, or the innermost switch inside of it, and no more.
 * A SCOPE becomes a switch with one case. An exit to something further out sets the flag of its
 * target and leaves the construct that it can leave; after that one the flag is looked at. The
 * second walk here finds which flags are looked at where.
 *
 * Iterations, where a work-group has barriers: an invocation that has none left must not miss a
 * barrier that others wait at. It leaves the outermost construct without barriers around it (a
 * guard); right after it, where all invocations of the work-group meet, all end if one did. Where
 * some have left a construct around that early, and wait behind it, no barrier is on the way there:
 * then that one is the guard. Where they do not meet any more because some have returned, no
 * barrier can follow and it just ends. If all make the same number of passes, all end at once.
 */
#include "base/arena.h"
#include "spirv/gen_int.h"
#include "wgsl/ir_walk.h"

static const uint32_t TOGETHER = UINT32_MAX;

/* An enclosing construct. */
struct above {
	const struct above *up;
	const struct wgsl_inst *inst;
	const struct wgsl_block *block; /* the one of its blocks that we are in */
	uint32_t depth;                 /* 1 for constructs of the body */
};

struct planner {
	struct arena *arena;
	struct plan *plan;
	uint32_t
	    apart; /* depth of the construct at whose end all meet again; TOGETHER: they do now */
	bool is_uneven; /* invocations can differ in their number of passes */
	struct frame *frames;
};

static struct plan_inst *info(struct planner *p, const struct wgsl_inst *i)
{
	return &p->plan->insts[i->id];
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool is_exit(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_BREAK || i->op == WGSL_OP_CONTINUE || i->op == WGSL_OP_RETURN;
}

/* ---- first walk: facts about each construct ------------------------------------------------- */

/* Do all invocations that are in the target take this exit together? */
static bool is_together(const struct wgsl_inst *i, const struct above *above)
{
	if (!i->is_uniform)
		return false;
	for (; above != NULL && above->inst != i->target; above = above->up)
		if (!above->inst->is_uniform)
			return false;
	return true;
}

static void scan_exit(struct planner *p, const struct wgsl_inst *i, const struct above *above)
{
	const struct wgsl_inst *loop = i->op == WGSL_OP_CONTINUE ? i->target : NULL;
	bool together = is_together(i, above);
	uint32_t depth = 0;

	if (i->target != NULL && above != NULL && above->inst == i->target) {
		info(p, i)->is_fall =
		    loop != NULL ? above->block == &loop->blocks[0] : i->target->op != WGSL_OP_LOOP;
	}
	if (i->target != NULL && !info(p, i)->is_fall &&
	    (i->target->op == WGSL_OP_SCOPE || loop != NULL))
		info(p, i->target)->is_left = true;
	for (const struct above *a = above; a != NULL; a = a->up)
		if (a->inst == i->target)
			depth = a->depth;
	if (together)
		return;
	for (; above != NULL && above->inst != i->target; above = above->up)
		info(p, above->inst)->escapes = smaller(info(p, above->inst)->escapes, depth);
	p->apart = smaller(p->apart, depth);
}

static void scan_block(struct planner *p, const struct wgsl_block *b, const struct above *above);

/*
 * The outermost construct without barriers that holds a counted loop, or one that is to be the
 * guard of such a construct: what if iterations end? apart: at its start.
 */
static void choose_guard(struct planner *p, const struct wgsl_inst *i, const struct above *above,
			 uint32_t apart)
{
	apart = smaller(apart, info(p, i)->escapes);
	if (apart == TOGETHER) {
		info(p, i)->guard = GUARD_LEAVE;
	} else if (apart == 0) {
		info(p, i)->guard = GUARD_RETURN;
	} else {
		/* Exits lead to a construct around. */
		for (; above != NULL; above = above->up)
			if (above->depth == apart)
				info(p, above->inst)->is_awaited = true;
	}
}

static void scan_parts(struct planner *p, const struct wgsl_inst *loop)
{
	for (const struct wgsl_inst *i = loop->blocks[1].first; i != NULL; i = i->next)
		if (i->op >= WGSL_OP_IF ||
		    (i->op == WGSL_OP_ZERO && wgsl_zero_is_large(i->path->type)))
			info(p, loop)->has_parts = true;
}

static void scan_construct(struct planner *p, const struct wgsl_inst *i, const struct above *above)
{
	struct above here = { .up = above, .inst = i, .depth = above ? above->depth + 1 : 1 };
	uint32_t apart = p->apart, inside = apart;
	struct plan_inst *pi = info(p, i);
	bool is_outermost = !i->has_barrier && (above == NULL || above->inst->has_barrier);

	/* Where it holds a barrier all start together, also if not all leave together. */
	if (!i->is_uniform && !i->has_barrier)
		inside = smaller(apart, here.depth);

	pi->escapes = TOGETHER;
	if (i->op == WGSL_OP_LOOP) {
		p->plan->has_loop = true;
		scan_parts(p, i);
		pi->has_counted = i->needs_counter;
		if (i->needs_counter && (!i->is_uniform || apart != TOGETHER))
			p->is_uneven = true;
	}
	for (uint32_t n = 0; n < wgsl_n_blocks(i); n++) {
		here.block = wgsl_block_at(i, n);
		p->apart = inside;
		scan_block(p, here.block, &here);
	}
	p->apart = smaller(apart, pi->escapes < here.depth ? pi->escapes : TOGETHER);
	if (above != NULL && pi->has_counted)
		info(p, above->inst)->has_counted = true;
	if ((pi->has_counted && is_outermost) || pi->is_awaited)
		choose_guard(p, i, above, apart);
}

static void scan_memory(struct planner *p, const struct wgsl_inst *i)
{
	uint32_t id;

	if (!i->is_init || i->path == NULL || i->path->n_steps != 0)
		return;
	id = i->path->var->id;
	p->plan->is_declared[id / 64] |= (uint64_t)1 << (id % 64);
}

static void scan_block(struct planner *p, const struct wgsl_block *b, const struct above *above)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (is_exit(i))
			scan_exit(p, i, above);
		else if (i->op >= WGSL_OP_IF)
			scan_construct(p, i, above);
		else if (i->op == WGSL_OP_BARRIER && i->barrier_storage)
			p->plan->has_storage_barrier = true;
		else
			scan_memory(p, i);
	}
}

/* ---- second walk: exits that take more than one branch -------------------------------------- */

bool spirv_frame_is_loop(const struct frame *f)
{
	return f->kind == FRAME_MAIN && f->inst->op == WGSL_OP_LOOP;
}

struct frame *spirv_frame_route(struct frame *top, const struct wgsl_inst *target,
				enum frame_kind kind, bool to_next)
{
	struct frame *loop = NULL, *choice = NULL, *f = top;

	for (; f != NULL && (f->inst != target || f->kind != kind); f = f->outer) {
		if (spirv_frame_is_loop(f) && loop == NULL)
			loop = f;
		if (!spirv_frame_is_loop(f) && loop == NULL && choice == NULL)
			choice = f;
	}
	if (f == NULL || loop != NULL)
		return f == NULL ? NULL : loop;
	if (spirv_frame_is_loop(f) || to_next || choice == NULL)
		return f;
	return choice;
}

static bool has_check(const struct plan_check *c, const struct wgsl_inst *target,
		      enum frame_kind kind)
{
	while (c != NULL && (c->target != target || c->kind != kind))
		c = c->next;
	return c != NULL;
}

static void plan_exit(struct planner *p, const struct wgsl_inst *target, enum frame_kind kind,
		      bool to_next)
{
	struct frame *top = p->frames;

	for (;;) {
		struct frame *via = spirv_frame_route(top, target, kind, to_next);
		struct plan_check *c, **list;

		if (via == NULL || (via->inst == target && via->kind == kind))
			return;
		list = &info(p, via->inst)->checks[via->kind];
		info(p, target)->has_flag[kind] = true;
		if (has_check(*list, target, kind))
			return;
		c = arena_new(p->arena, struct plan_check);
		*c = (struct plan_check){ .next = *list, .target = target, .kind = kind };
		*list = c;
		top = via->outer;
	}
}

bool spirv_plan_has_body_frame(const struct plan_inst *pi)
{
	return pi->has_parts && pi->is_left;
}

static void plan_inst_exit(struct planner *p, const struct wgsl_inst *i)
{
	if (i->target == NULL || info(p, i)->is_fall)
		return;
	if (i->op == WGSL_OP_CONTINUE && spirv_plan_has_body_frame(info(p, i->target)))
		plan_exit(p, i->target, FRAME_BODY, false);
	else
		plan_exit(p, i->target, FRAME_MAIN, i->op == WGSL_OP_CONTINUE);
}

static void plan_block(struct planner *p, const struct wgsl_block *b,
		       const struct wgsl_inst *guarded);

static void plan_loop(struct planner *p, const struct wgsl_inst *i, const struct wgsl_inst *guarded)
{
	struct frame f = { .outer = p->frames, .inst = i, .kind = FRAME_BODY };

	if (i->needs_counter && !i->has_barrier && guarded != NULL)
		plan_exit(p, guarded, FRAME_GUARD, false);
	if (spirv_plan_has_body_frame(info(p, i)))
		p->frames = &f;
	plan_block(p, &i->blocks[0], guarded);
	p->frames = f.outer;
	plan_block(p, &i->blocks[1], guarded);
}

static void plan_main(struct planner *p, const struct wgsl_inst *i, const struct wgsl_inst *guarded)
{
	struct frame f = { .outer = p->frames, .inst = i, .kind = FRAME_MAIN };

	if (i->op != WGSL_OP_IF && (i->op != WGSL_OP_SCOPE || info(p, i)->is_left))
		p->frames = &f;
	if (i->op == WGSL_OP_LOOP) {
		plan_loop(p, i, guarded);
	} else {
		for (uint32_t n = 0; n < wgsl_n_blocks(i); n++)
			plan_block(p, wgsl_block_at(i, n), guarded);
	}
	p->frames = f.outer;
}

static void plan_construct(struct planner *p, const struct wgsl_inst *i,
			   const struct wgsl_inst *guarded)
{
	struct frame f = { .outer = p->frames, .inst = i, .kind = FRAME_GUARD };

	if (info(p, i)->guard == GUARD_LEAVE && !p->plan->is_together) {
		p->frames = &f;
		guarded = i;
	}
	plan_main(p, i, guarded);
	p->frames = f.outer;
}

static void plan_block(struct planner *p, const struct wgsl_block *b,
		       const struct wgsl_inst *guarded)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (is_exit(i))
			plan_inst_exit(p, i);
		else if (i->op >= WGSL_OP_IF)
			plan_construct(p, i, guarded);
	}
}

bool spirv_plan_is_declared(const struct plan *p, const struct wgsl_var *v)
{
	return (p->is_declared[v->id / 64] >> (v->id % 64)) & 1;
}

void spirv_plan_make(const struct wgsl_module *m, const struct spirv_options *o,
		     struct arena *arena, struct plan *ret)
{
	struct planner p = { .arena = arena, .plan = ret };

	ret->insts = arena_new_array(arena, struct plan_inst, (size_t)m->fn.n_insts + 1);
	ret->is_declared = arena_new_array(arena, uint64_t, (size_t)m->n_vars / 64 + 1);
	ret->has_counter = m->needs_counter && !o->no_counters;
	p.apart = TOGETHER;
	scan_block(&p, &m->fn.body, NULL);
	ret->is_together = !ret->has_counter || !m->uses_barriers || !p.is_uneven;
	plan_block(&p, &m->fn.body, NULL);
}
