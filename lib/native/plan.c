/*
 * plan.c - what is decided before any code is built: lanes, layout of work-groups, which
 * constructs mask lanes off for what is outside, regions between barriers, counters.
 */
#include "native/gen_int.h"

#include "base/arena.h"
#include "wgsl/ir_walk.h"

enum {
	SIMPLE_WEIGHT = 24,    /* longest IF that is run without a branch */
	SPARE_REGISTERS = 2,   /* values that live besides variables */
	WEIGHT_TWO = 1500,     /* more instructions than this: at most two registers a value */
	WEIGHT_ONE = 5000,     /* at most one */
	PRIVATE_BYTES = 65536, /* of private arrays of all lanes */
	MAX_EACH = 4,          /* registers a value: more costs more to compile than it gains */
	SCATTER_LANES = 128,   /* of sums at places that differ by lane */
	SCATTER_WEIGHT = 256,  /* most instructions of a kernel that gets so many */
	MIN_ROW = 8,           /* shortest row of a work-group that is worth its own block */
};

/* An enclosing construct. */
struct above {
	const struct above *up;
	const struct wgsl_inst *inst;
	const struct wgsl_block *in; /* the block that holds inst */
	uint32_t level;              /* constructs around it */
};

struct planner {
	struct arena *arena;
	const struct wgsl_module *m;
	struct plan *plan;
	uint32_t live, most_live; /* varying components of variables in scope */
	uint32_t n_counted, n_counted_nested, n_counted_masked;
	uint32_t n_loops_above;
	bool uses_group_id;
	bool scatters; /* in a loop: atomics on work-group memory, each lane at its own place */
};

static bool is_target(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_SWITCH || i->op == WGSL_OP_LOOP || i->op == WGSL_OP_SCOPE;
}

static bool is_exit(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_BREAK || i->op == WGSL_OP_CONTINUE || i->op == WGSL_OP_RETURN;
}

static bool is_free(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_CONST || i->op == WGSL_OP_BUILTIN;
}

static struct plan_inst *info(struct planner *p, const struct wgsl_inst *i)
{
	return &p->plan->insts[i->id];
}

/* Does every construct between the exit and its target branch uniformly? */
static bool exit_is_direct(const struct wgsl_inst *i, const struct above *above)
{
	if (!i->is_uniform)
		return false;
	for (; above != NULL && above->inst != i->target; above = above->up)
		if (!above->inst->is_uniform)
			return false;
	return true;
}

static void plan_exit(struct planner *p, const struct wgsl_inst *i, const struct above *above)
{
	bool direct = exit_is_direct(i, above);
	bool leaves_barrier = i->op == WGSL_OP_RETURN || i->target->has_barrier;
	uint32_t depth = i->op == WGSL_OP_RETURN ? 0 : info(p, i->target)->depth;
	if (i->op == WGSL_OP_CONTINUE)
		info(p, i->target)->has_continue = true;
	/* Lanes that CONTINUE still need the variables of the loop's body. */
	uint32_t mark = i->op == WGSL_OP_CONTINUE ? UINT32_MAX : 1 + depth;

	info(p, i)->is_control = direct && leaves_barrier;
	info(p, i)->is_direct = direct;
	if (i->target != NULL && !direct)
		info(p, i->target)->is_masked = true;
	if (!direct && i->op == WGSL_OP_BREAK && leaves_barrier)
		info(p, i->target)->is_left = true;
	if (!direct && i->op != WGSL_OP_CONTINUE && leaves_barrier)
		p->plan->loses_lanes = true;
	for (; above != NULL && above->inst != i->target; above = above->up) {
		struct plan_inst *a = info(p, above->inst);

		if (!direct && a->escapes < mark)
			a->escapes = mark;
		if (direct && leaves_barrier)
			a->is_control = true;
	}
}

/* ---- variables that step alike in all lanes ---------------------------------------------- */

static bool surely_uniform(const struct wgsl_inst *i, int depth);

static bool load_is_uniform(const struct wgsl_inst *i, int depth)
{
	const struct wgsl_var *v = i->path->var;

	if (v->space != WGSL_SPACE_UNIFORM && !(var_is_lane(v) && v->is_uniform))
		return false;
	for (uint32_t s = 0; s < i->path->n_steps; s++)
		if (i->path->steps[s].value != NULL &&
		    !surely_uniform(i->path->steps[s].value, depth - 1))
			return false;
	return true;
}

/* Will its value be one scalar, whatever lanes do? */
static bool surely_uniform(const struct wgsl_inst *i, int depth)
{
	if (i->op == WGSL_OP_CONST)
		return true;
	if (i->op == WGSL_OP_BUILTIN)
		return i->u.builtin == WGSL_BUILTIN_NUM_WORKGROUPS ||
		       i->u.builtin == WGSL_BUILTIN_WORKGROUP_ID;
	if (depth == 0)
		return false;
	if (i->op == WGSL_OP_LOAD)
		return load_is_uniform(i, depth);
	if (i->op >= WGSL_OP_LOAD)
		return false;
	for (uint32_t a = 0; a < i->n_args; a++)
		if (!surely_uniform(i->args[a], depth - 1))
			return false;
	return true;
}

const struct wgsl_inst *plan_step(const struct wgsl_inst *store)
{
	const struct wgsl_inst *v = store->args[0];
	const struct wgsl_inst *a, *b;

	if (v->op != WGSL_OP_ADD && v->op != WGSL_OP_SUB)
		return NULL;
	a = v->args[0];
	b = v->args[1];
	if (v->op == WGSL_OP_ADD && b->op == WGSL_OP_LOAD && b->path->var == store->path->var) {
		a = v->args[1];
		b = v->args[0];
	}
	return a->op == WGSL_OP_LOAD && a->path->var == store->path->var ? b : NULL;
}

/* v = v + x or v - x, x the same for all? */
static bool is_step(const struct wgsl_inst *store)
{
	const struct wgsl_inst *by = plan_step(store);

	return by != NULL && surely_uniform(by, 8);
}

/* Is the store in the body or the continuing part of a loop, with nothing in between that could
 * mask lanes which stay in the loop? */
static bool step_is_alike(struct planner *p, const struct wgsl_block *b, const struct above *above)
{
	if (above == NULL || above->inst->op != WGSL_OP_LOOP)
		return false;
	return b == &above->inst->blocks[1] || !info(p, above->inst)->has_continue;
}

static bool is_inside(const struct above *above, const struct wgsl_inst *loop)
{
	while (above != NULL && above->inst != loop)
		above = above->up;
	return above != NULL;
}

/*
 * A variable that is declared before a loop and changed by equal steps at the loop's end only is
 * the same for all lanes in the loop but for what it started from: one scalar holds it there.
 * Behind the loop lanes differ by the pass in which they left.
 */
static void plan_steady(struct planner *p, const struct wgsl_inst *i, const struct wgsl_block *b,
			const struct above *above)
{
	const struct wgsl_var *v = i->path->var;
	struct plan_var *pv = &p->plan->vars[v->id];
	const struct wgsl_inst *outer = above ? above->inst : NULL;

	bool ok = v->space == WGSL_SPACE_FUNCTION && !v->is_uniform && i->path->n_steps == 0 &&
		  (v->type->kind == WGSL_U32 || v->type->kind == WGSL_I32);

	if (ok && i->is_init) {
		ok = !pv->is_declared;
		pv->is_declared = true;
		pv->declared_in = outer;
	} else if (ok && i->op == WGSL_OP_LOAD) {
		info(p, i)->is_after = pv->loop != NULL && !is_inside(above, pv->loop);
		pv->is_used_after = pv->is_used_after || info(p, i)->is_after;
	} else if (ok) {
		ok = i->op == WGSL_OP_STORE && is_step(i) && step_is_alike(p, b, above) &&
		     (pv->loop == NULL || pv->loop == outer) &&
		     (above->up ? above->up->inst : NULL) == pv->declared_in;
		pv->loop = outer;
	}
	pv->is_unsteady = pv->is_unsteady || !ok;
}

/*
 * Memory of a variable is reused after its last use in the block of its declaration, if every use
 * is in there.
 * One that is never declared (the result of a function: stored before it is loaded, each time)
 * counts as declared in the innermost block around all uses.
 */
static void find_scope(struct planner *p, const struct wgsl_inst *i, const struct wgsl_block *b,
		       const struct above *above)
{
	struct plan_var *v = &p->plan->vars[i->path->var->id];
	const struct wgsl_block *to = v->block;
	const struct above *up = v->above;

	v->last = i;
	if (to == NULL) {
		v->block = b;
		v->above = above;
		v->is_temporary = !i->is_init;
		return;
	}
	while (b != to) {
		uint32_t level = above ? above->level : 0, up_level = up ? up->level : 0;

		if (level >= up_level && above != NULL) {
			v->last = above->inst;
			b = above->in;
			above = above->up;
		}
		if (up_level >= level && up != NULL && b != to) {
			to = up->in;
			up = up->up;
		}
		if (above == NULL && up == NULL && b != to)
			return;
	}
	if (to != v->block && !v->is_temporary)
		v->is_loose = true;
	v->is_loose = v->is_loose || (v->is_temporary && i->is_init);
	v->block = to;
	v->above = up;
}

static void plan_scope(struct planner *p, const struct wgsl_inst *i, const struct wgsl_block *b,
		       const struct above *above)
{
	struct plan_var *v = &p->plan->vars[i->path->var->id];

	find_scope(p, i, b, above);
	if (i->is_init)
		return;
	v->has_users = v->has_users || (v->user != NULL && v->user != v->last);
	v->user = v->last;
}

static void plan_path(struct planner *p, const struct wgsl_inst *i)
{
	const struct wgsl_path *path = i->path;
	const struct wgsl_var *v = path->var;
	struct plan_var *pv = &p->plan->vars[v->id];

	for (uint32_t s = 0; s < path->n_steps; s++)
		if (path->steps[s].kind == WGSL_STEP_DYNAMIC)
			pv->is_plain = false;
	if (i->is_init && pv->is_plain && !v->is_uniform)
		p->live += wgsl_type_width(v->type);
	if (p->live > p->most_live)
		p->most_live = p->live;
	if (i->op == WGSL_OP_ATOMIC && v->space == WGSL_SPACE_WORKGROUP && p->n_loops_above > 0)
		for (uint32_t s = 0; s < path->n_steps; s++)
			if (path->steps[s].kind == WGSL_STEP_DYNAMIC &&
			    !path->steps[s].value->is_uniform)
				p->scatters = true;
}

static uint32_t weight_of(const struct wgsl_inst *i)
{
	switch ((int)i->op) {
	case WGSL_OP_DIV:
	case WGSL_OP_REM:
	case WGSL_OP_SQRT:
		return 12;
	case WGSL_OP_MATH:
	case WGSL_OP_ATOMIC:
	case WGSL_OP_SUBGROUP:
		return 32;
	default:
		return wgsl_type_width(i->type);
	}
}

/* May it run under a mask without a look whether any lane is active? */
static bool is_simple(struct planner *p, const struct wgsl_inst *i)
{
	switch ((int)i->op) {
	case WGSL_OP_LOAD:
	case WGSL_OP_STORE:
	case WGSL_OP_ZERO:
		return i->path != NULL && var_is_lane(i->path->var) &&
		       p->plan->vars[i->path->var->id].is_plain;
	case WGSL_OP_IF:
	case WGSL_OP_SCOPE:
		return info(p, i)->is_simple;
	case WGSL_OP_BREAK:
		return i->target->op == WGSL_OP_SCOPE && !info(p, i)->is_direct;
	case WGSL_OP_ARRAY_LENGTH:
		return true;
	default:
		return i->op < WGSL_OP_LOAD;
	}
}

static uint32_t plan_block(struct planner *p, const struct wgsl_block *b, uint32_t depth,
			   const struct above *above, bool *simple);

/* Does everything that starts the block leave it? Says no where that is not seen at once. */
static bool always_leaves(const struct wgsl_block *b)
{
	const struct wgsl_inst *last = b->last;

	if (last == NULL)
		return false;
	if (last->op == WGSL_OP_IF)
		return always_leaves(&last->blocks[0]) && always_leaves(&last->blocks[1]);
	return is_exit(last);
}

static void plan_loop(struct planner *p, const struct wgsl_inst *i, const struct above *above)
{
	bool uniform = i->is_uniform;

	for (; above != NULL; above = above->up)
		uniform = uniform && above->inst->is_uniform;
	if (!i->needs_counter)
		return;
	p->n_counted++;
	if (p->n_loops_above > 0)
		p->n_counted_nested++;
	if (!uniform)
		p->n_counted_masked++;
}

static void plan_construct(struct planner *p, const struct wgsl_inst *i,
			   const struct wgsl_block *in, uint32_t depth, const struct above *above)
{
	struct above *here = arena_new(p->arena, struct above);
	struct plan_inst *pi = info(p, i);
	uint32_t inner = is_target(i) ? depth + 1 : depth;
	uint32_t counted = p->n_counted;
	bool simple = (i->op == WGSL_OP_IF && !i->is_uniform) || i->op == WGSL_OP_SCOPE;

	*here = (struct above){ above, i, in, above ? above->level + 1 : 1 };
	pi->depth = is_target(i) ? inner : 0;
	pi->is_control = i->has_barrier;
	if (i->op == WGSL_OP_LOOP) {
		plan_loop(p, i, above);
		counted = p->n_counted;
		p->n_loops_above++;
	}
	for (uint32_t n = 0; n < wgsl_n_blocks(i); n++)
		pi->weight += plan_block(p, wgsl_block_at(i, n), inner, here, &simple);
	if (i->op == WGSL_OP_LOOP) {
		pi->is_once = !pi->has_continue && always_leaves(&i->blocks[0]);
		p->n_loops_above--;
	}
	pi->counts_inside = p->n_counted > counted;
	pi->is_simple = simple && pi->weight <= SIMPLE_WEIGHT;
	if (i->op == WGSL_OP_SCOPE)
		pi->is_simple = pi->is_simple && pi->is_masked && pi->escapes == 0;
}

/* Adds up what is in the block; clears *simple if something in it is not. */
static uint32_t plan_block(struct planner *p, const struct wgsl_block *b, uint32_t depth,
			   const struct above *above, bool *simple)
{
	uint32_t weight = 0;
	uint32_t live = p->live;

	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (wgsl_n_blocks(i) > 0)
			plan_construct(p, i, b, depth, above);
		else if (is_exit(i))
			plan_exit(p, i, above);
		else
			info(p, i)->weight = weight_of(i);
		if (i->path != NULL) {
			plan_path(p, i);
			plan_steady(p, i, b, above);
			plan_scope(p, i, b, above);
		}
		if (!is_simple(p, i))
			*simple = false;
		weight += info(p, i)->weight + 1;
	}
	p->live = live;
	return weight;
}

/* ---- regions of split work-group code ---------------------------------------------------- */

/* An exit out of a construct that became control, by what leaves it further, is control too, and
 * what is around it in there. True if there was one. */
static bool raise_exits(struct planner *p, const struct wgsl_block *b, const struct above *up)
{
	bool changed = false;

	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		struct above here = { .up = up, .inst = i };

		for (uint32_t n = 0; n < wgsl_n_blocks(i); n++)
			changed = raise_exits(p, wgsl_block_at(i, n), &here) || changed;
		if (!is_exit(i) || i->target == NULL || info(p, i)->is_control ||
		    !info(p, i)->is_direct || !info(p, i->target)->is_control)
			continue;
		info(p, i)->is_control = true;
		for (const struct above *a = up; a->inst != i->target; a = a->up)
			info(p, a->inst)->is_control = true;
		changed = true;
	}
	return changed;
}

static void use_var(struct planner *p, const struct wgsl_path *path, uint32_t region)
{
	struct plan_var *v = &p->plan->vars[path->var->id];

	if (path->var->space == WGSL_SPACE_PRIVATE || (v->region != 0 && v->region != region))
		v->is_shared = true;
	v->region = region;
}

static void use_inst(struct planner *p, const struct wgsl_inst *i, uint32_t region)
{
	if (i != NULL && !is_free(i) && info(p, i)->region != region)
		info(p, i)->is_spilled = true;
}

static void region_uses(struct planner *p, const struct wgsl_inst *i, uint32_t region)
{
	if (i->op == WGSL_OP_LOOP)
		return; /* its operand is defined inside: see regions_of */
	for (uint32_t a = 0; a < i->n_args; a++)
		use_inst(p, i->args[a], region);
	if (i->path == NULL)
		return;
	use_var(p, i->path, region);
	for (uint32_t s = 0; s < i->path->n_steps; s++)
		use_inst(p, i->path->steps[s].value, region);
}

/* region: of the whole block, 0: it is cut up itself. */
static void regions_of(struct planner *p, const struct wgsl_block *b, uint32_t region)
{
	uint32_t now = region;

	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		bool control = region == 0 && (info(p, i)->is_control || i->op == WGSL_OP_BARRIER);

		if (control)
			now = 0;
		else if (now == 0)
			now = ++p->plan->n_regions;
		info(p, i)->region = now;
		region_uses(p, i, now);
		for (uint32_t n = 0; n < wgsl_n_blocks(i); n++)
			regions_of(p, wgsl_block_at(i, n), now);
		if (i->op == WGSL_OP_LOOP && i->n_args > 0)
			use_inst(p, i->args[0], now);
	}
}

/* ---- lanes -------------------------------------------------------------------------------- */

static uint32_t power_below(uint32_t v)
{
	uint32_t p = 1;

	while (p * 2 <= v)
		p *= 2;
	return p;
}

static uint32_t lanes_wanted(const struct planner *p, const struct native_options *o,
			     struct cpu_shape cpu, uint32_t weight)
{
	uint32_t width = cpu.vector_bytes / 4;
	uint32_t each = cpu.registers / (p->most_live + SPARE_REGISTERS);
	uint32_t lanes;

	if (o->lanes != 0)
		return o->lanes;
	/* Lanes go to memory one by one, so registers do not matter; but what the loop reads
	 * should be long rows, or it waits for memory. */
	if (p->scatters && p->most_live == 0 && weight <= SCATTER_WEIGHT)
		return SCATTER_LANES;
	if (each < 1 || weight > WEIGHT_ONE)
		each = 1;
	if (each > 2 && weight > WEIGHT_TWO)
		each = 2;
	if (each > MAX_EACH)
		each = MAX_EACH;
	lanes = width * power_below(each);
	while (lanes > 4 && (uint64_t)lanes * p->m->private_bytes > PRIVATE_BYTES)
		lanes /= 2;
	return lanes;
}

/* A subgroup does not reach over blocks. */
static uint32_t least_lanes(const struct wgsl_module *m)
{
	if (!m->uses_subgroups)
		return 4;
	return m->subgroup_size > 0 ? m->subgroup_size : NATIVE_SUBGROUP;
}

static void lay_group(struct planner *p, uint32_t wanted)
{
	const uint32_t *size = p->m->workgroup_size;
	uint32_t all = size[0] * size[1] * size[2];
	uint32_t row = size[0] & (~size[0] + 1); /* largest power of two in it */
	struct plan *plan = p->plan;
	uint32_t least = least_lanes(p->m);

	plan->mode = NATIVE_GROUP;
	plan->is_rows = (row >= MIN_ROW || (row == size[0] && all > wanted)) && row >= least;
	if (plan->is_rows) {
		plan->lanes = row < wanted ? row : wanted;
		plan->n_blocks = all / plan->lanes;
		return;
	}
	while (wanted > least && wanted / 2 >= all)
		wanted /= 2;
	plan->lanes = wanted;
	plan->n_blocks = (all + wanted - 1) / wanted;
	plan->last_partial = all % wanted != 0;
}

static void choose_counter(struct planner *p, const struct native_options *o)
{
	struct plan *plan = p->plan;

	if (p->n_counted == 0 || o->no_counters)
		plan->counter = COUNTER_NONE;
	else if (p->n_counted_masked == 0)
		plan->counter = COUNTER_SCALAR;
	else if (p->n_counted == 1 && p->n_counted_nested == 0)
		plan->counter = COUNTER_LOOP;
	else
		plan->counter = COUNTER_LANES;
}

void plan_make(const struct wgsl_module *m, const struct native_options *o, struct cpu_shape cpu,
	       struct arena *arena, struct plan *ret)
{
	struct planner p = { .arena = arena, .m = m, .plan = ret };
	bool simple = true;
	uint32_t weight, wanted;

	*ret = (struct plan){ 0 };
	ret->insts = arena_new_array(arena, struct plan_inst, m->fn.n_insts);
	ret->vars = arena_new_array(arena, struct plan_var, m->n_vars);
	for (uint32_t v = 0; v < m->n_vars; v++)
		ret->vars[v].is_plain =
		    wgsl_type_is_scalar(m->vars[v]->type) || m->vars[v]->type->kind == WGSL_VEC;
	for (const struct wgsl_inst *i = m->fn.values.first; i != NULL; i = i->next)
		if (i->op == WGSL_OP_BUILTIN && i->u.builtin == WGSL_BUILTIN_WORKGROUP_ID)
			p.uses_group_id = true;
	weight = plan_block(&p, &m->fn.body, 0, NULL, &simple);
	wanted = lanes_wanted(&p, o, cpu, weight);
	choose_counter(&p, o);
	if (wanted < least_lanes(m))
		wanted = least_lanes(m);
	if (m->uses_subgroups)
		ret->subgroup = m->subgroup_size > 0 ? m->subgroup_size
				: o->reverse_lanes   ? NATIVE_SUBGROUP_REVERSED
						     : NATIVE_SUBGROUP;
	if (m->uses_barriers || m->uses_workgroup_memory || m->uses_subgroups || p.uses_group_id) {
		lay_group(&p, wanted);
	} else {
		ret->mode = NATIVE_FLAT;
		ret->lanes = wanted;
		ret->n_blocks = 1;
	}
	ret->is_split = ret->n_blocks > 1 && m->uses_barriers;
	if (!ret->is_split)
		return;
	while (raise_exits(&p, &m->fn.body, NULL))
		;
	regions_of(&p, &m->fn.body, 0);
}
