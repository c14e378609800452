/* control.c - structured control flow; see gen_int.h and plan.c. */
#include "base/arena.h"
#include "spirv/gen_int.h"

static const struct plan_inst *info(struct gen *g, const struct wgsl_inst *i)
{
	return &g->plan.insts[i->id];
}

/* ---- exits ---------------------------------------------------------------------------------- */

/* The variable that says that something on the way out is bound for (target, kind). */
static uint32_t flag_of(struct gen *g, const struct wgsl_inst *target, enum frame_kind kind)
{
	uint32_t *flag, pointer;

	if (g->flags[kind] == NULL)
		g->flags[kind] = arena_new_array(g->arena, uint32_t, g->m->fn.n_insts);
	flag = &g->flags[kind][target->id];
	pointer = spirv_type_pointer(g, CLASS_FUNCTION, WGSL_BOOL, 1);
	if (*flag == 0)
		*flag = spirv_memory_local(g, pointer, spirv_const_of(g, WGSL_BOOL, 0));
	return *flag;
}

static void set_flag(struct gen *g, const struct wgsl_inst *target, enum frame_kind kind, bool v)
{
	uint32_t flag = flag_of(g, target, kind);

	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(flag, spirv_const_of(g, WGSL_BOOL, v)));
}

static void leave(struct gen *g, const struct wgsl_inst *target, enum frame_kind kind, bool to_next)
{
	struct frame *f = spirv_frame_route(g->frames, target, kind, to_next);

	if (f == NULL) {
		spirv_fail(g, ERR_INVALID, "an exit to a construct that is not open");
		return;
	}
	if (f->inst == target && f->kind == kind && to_next) {
		f->n_next++;
		spirv_branch(g, f->next);
		return;
	}
	if (f->inst != target || f->kind != kind)
		set_flag(g, target, kind, true);
	f->n_merge++;
	spirv_branch(g, f->merge);
}

void spirv_control_exit(struct gen *g, const struct wgsl_inst *target, enum frame_kind kind)
{
	leave(g, target, kind, false);
}

static void exit_inst(struct gen *g, const struct wgsl_inst *i)
{
	if (info(g, i)->is_fall)
		return;
	if (i->op == WGSL_OP_RETURN)
		spirv_return(g);
	else if (i->op == WGSL_OP_CONTINUE && spirv_plan_has_body_frame(info(g, i->target)))
		leave(g, i->target, FRAME_BODY, false);
	else
		leave(g, i->target, FRAME_MAIN, i->op == WGSL_OP_CONTINUE);
}

/* ---- frames --------------------------------------------------------------------------------- */

static void frame_open(struct gen *g, struct frame *f, const struct wgsl_inst *i,
		       enum frame_kind kind)
{
	*f = (struct frame){ .outer = g->frames, .inst = i, .kind = kind, .merge = spirv_id(g) };
	g->frames = f;
}

/* A frame that is left by branches to its merge only. */
static void frame_open_switch(struct gen *g, struct frame *f, const struct wgsl_inst *i,
			      enum frame_kind kind)
{
	uint32_t only = spirv_id(g);

	frame_open(g, f, i, kind);
	spirv_put(g, SECTION_BODY, OP_SELECTION_MERGE, ARGS(f->merge, 0));
	spirv_put(g, SECTION_BODY, OP_SWITCH, ARGS(spirv_const_u32(g, 0), only));
	spirv_label(g, only);
}

/* The end of the block that falls out of the frame. */
static void frame_fall(struct gen *g, struct frame *f)
{
	f->n_merge += !g->is_dead;
	spirv_branch(g, f->merge);
}

/* The merge; then those who only passed it on their way out go on. */
static void frame_close(struct gen *g, struct frame *f)
{
	const struct plan_inst *pi = info(g, f->inst);
	g->frames = f->outer;
	spirv_label(g, f->merge);
	if (f->n_merge == 0) {
		spirv_put(g, SECTION_BODY, OP_UNREACHABLE, NULL, 0);
		g->is_dead = true;
		return;
	}
	if (pi->has_flag[f->kind])
		set_flag(g, f->inst, f->kind, false);
	for (const struct plan_check *c = pi->checks[f->kind]; c != NULL; c = c->next) {
		uint32_t flag = flag_of(g, c->target, c->kind), merge;

		flag = spirv_value(g, OP_LOAD, spirv_type_of(g, WGSL_BOOL, 1), ARGS(flag));
		merge = spirv_if(g, flag);
		spirv_control_exit(g, c->target, c->kind);
		spirv_if_end(g, merge);
	}
}

/* ---- constructs ----------------------------------------------------------------------------- */

static void build_if(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t yes = spirv_id(g), no = spirv_id(g), merge = spirv_id(g),
		 cond = spirv_value_arg(g, i, 0);
	bool has_else = i->blocks[1].first != NULL, is_dead;

	spirv_put(g, SECTION_BODY, OP_SELECTION_MERGE, ARGS(merge, 0));
	spirv_put(g, SECTION_BODY, OP_BRANCH_CONDITIONAL, ARGS(cond, yes, has_else ? no : merge));
	spirv_label(g, yes);
	spirv_control_block(g, &i->blocks[0]);
	is_dead = g->is_dead && has_else;
	spirv_branch(g, merge);
	if (has_else) {
		spirv_label(g, no);
		spirv_control_block(g, &i->blocks[1]);
		is_dead = is_dead && g->is_dead;
		spirv_branch(g, merge);
	}
	spirv_label(g, merge);
	if (is_dead)
		spirv_put(g, SECTION_BODY, OP_UNREACHABLE, NULL, 0);
	g->is_dead = is_dead;
}

static void build_switch(struct gen *g, const struct wgsl_inst *i)
{
	struct frame f;
	uint32_t n = 2, n_values = 0, *all, *labels;

	for (uint32_t c = 0; c < i->n_cases; c++)
		n_values += i->cases[c].n_values;
	if (n_values > SPIRV_MAX_SELECTORS) {
		spirv_fail(g, ERR_TOO_BIG, "a switch with more than 16383 selectors");
		return;
	}
	frame_open(g, &f, i, FRAME_MAIN);
	all = arena_new_array(g->arena, uint32_t, 2 + 2 * (size_t)n_values);
	labels = arena_new_array(g->arena, uint32_t, (size_t)i->n_cases + 1);
	all[0] = spirv_value_arg(g, i, 0);
	for (uint32_t c = 0; c < i->n_cases; c++) {
		labels[c] = spirv_id(g);
		if (i->cases[c].is_default)
			all[1] = labels[c];
		for (uint32_t k = 0; k < i->cases[c].n_values; k++) {
			all[n++] = i->cases[c].values[k];
			all[n++] = labels[c];
		}
	}
	spirv_put(g, SECTION_BODY, OP_SELECTION_MERGE, ARGS(f.merge, 0));
	spirv_put(g, SECTION_BODY, OP_SWITCH, all, n);
	for (uint32_t c = 0; c < i->n_cases; c++) {
		/* A case that nothing selects: no branch leads to its block. */
		if (i->cases[c].n_values == 0 && !i->cases[c].is_default)
			continue;
		spirv_label(g, labels[c]);
		spirv_control_block(g, &i->cases[c].block);
		frame_fall(g, &f);
	}
	frame_close(g, &f);
}

static void build_scope(struct gen *g, const struct wgsl_inst *i)
{
	struct frame f;

	if (!info(g, i)->is_left) {
		spirv_control_block(g, &i->blocks[0]);
		return;
	}
	frame_open_switch(g, &f, i, FRAME_MAIN);
	spirv_control_block(g, &i->blocks[0]);
	frame_fall(g, &f);
	frame_close(g, &f);
}

/* The continuing part in SPIR-V's own, which suits code without control flow only. */
static void loop_simple(struct gen *g, const struct wgsl_inst *i, struct frame *f, uint32_t header)
{
	spirv_control_block(g, &i->blocks[0]);
	f->n_next += !g->is_dead;
	spirv_branch(g, f->next);
	spirv_label(g, f->next);
	if (f->n_next > 0) {
		spirv_control_block(g, &i->blocks[1]);
		if (i->n_args > 0) {
			f->n_merge++;
			spirv_put(g, SECTION_BODY, OP_BRANCH_CONDITIONAL,
				  ARGS(spirv_value_arg(g, i, 0), f->merge, header));
			g->is_dead = true;
		}
	}
	spirv_branch(g, header);
}

/* The continuing part at the end of SPIR-V's body. */
static void loop_parts(struct gen *g, const struct wgsl_inst *i, struct frame *f, uint32_t header)
{
	struct frame body;

	if (info(g, i)->is_left) {
		frame_open_switch(g, &body, i, FRAME_BODY);
		spirv_control_block(g, &i->blocks[0]);
		frame_fall(g, &body);
		frame_close(g, &body);
	} else {
		spirv_control_block(g, &i->blocks[0]);
	}
	if (!g->is_dead)
		spirv_control_block(g, &i->blocks[1]);
	if (!g->is_dead && i->n_args > 0) {
		uint32_t merge = spirv_if(g, spirv_value_arg(g, i, 0));

		f->n_merge++;
		spirv_branch(g, f->merge);
		spirv_if_end(g, merge);
	}
	spirv_branch(g, f->next);
	spirv_label(g, f->next);
	spirv_branch(g, header);
}

static void build_loop(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t header = spirv_id(g), body = spirv_id(g);
	struct frame f;

	frame_open(g, &f, i, FRAME_MAIN);
	f.next = spirv_id(g);
	spirv_branch(g, header);
	spirv_label(g, header);
	spirv_put(g, SECTION_BODY, OP_LOOP_MERGE, ARGS(f.merge, f.next, 0));
	spirv_branch(g, body);
	spirv_label(g, body);
	spirv_counter_pass(g, i);
	if (info(g, i)->has_parts)
		loop_parts(g, i, &f, header);
	else
		loop_simple(g, i, &f, header);
	frame_close(g, &f);
}

static void build_construct(struct gen *g, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_IF)
		build_if(g, i);
	else if (i->op == WGSL_OP_SWITCH)
		build_switch(g, i);
	else if (i->op == WGSL_OP_LOOP)
		build_loop(g, i);
	else
		build_scope(g, i);
}

static void guarded(struct gen *g, const struct wgsl_inst *i)
{
	const struct wgsl_inst *around = g->guarded;
	enum plan_guard guard = g->guard;
	struct frame f;

	g->guard = info(g, i)->guard;
	if (g->guard != GUARD_LEAVE || g->plan.is_together) {
		build_construct(g, i);
	} else {
		g->guarded = i;
		frame_open_switch(g, &f, i, FRAME_GUARD);
		build_construct(g, i);
		frame_fall(g, &f);
		frame_close(g, &f);
		if (!g->is_dead)
			spirv_counter_meet(g);
	}
	g->guard = guard;
	g->guarded = around;
}

static void build_inst(struct gen *g, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_BREAK || i->op == WGSL_OP_CONTINUE || i->op == WGSL_OP_RETURN)
		exit_inst(g, i);
	else if (i->op >= WGSL_OP_IF && info(g, i)->guard != GUARD_NONE)
		guarded(g, i);
	else if (i->op >= WGSL_OP_IF)
		build_construct(g, i);
	else if (i->op == WGSL_OP_BARRIER)
		spirv_memory_barrier(g, i->barrier_workgroup, i->barrier_storage);
	else if (i->path != NULL)
		spirv_memory_inst(g, i);
	else
		spirv_value_inst(g, i);
}

void spirv_control_block(struct gen *g, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL && g->err->code == 0; i = i->next) {
		build_inst(g, i);
		/* What follows is never reached. */
		if (g->is_dead)
			return;
	}
}
