/*
 * race.c - work-group variables that are free of races: what they hold does not depend on the
 * order of invocations.
 *
 * Barriers cut the kernel into phases. In each phase a variable may be read, or written by each
 * invocation at its own element, or changed by atomics of one commutative kind whose
 * result nobody uses: but only one of the three. States (what happened since the last
 * barrier) are joined where control joins; loops are walked until nothing changes.
 */
#include <string.h>

#include "wgsl/analyse_int.h"

enum { MAX_VARS = 64, MAX_ROUNDS = 24 };

/* One bit per work-group variable. */
struct phase {
	uint64_t read, written, changed;
};

struct open {
	struct open *outer;
	const struct wgsl_inst *inst;
	struct phase left; /* at its breaks */
	struct phase continued;
};

struct racer {
	struct wgsl_module *m;
	const struct wgsl_inst *const *value_of; /* by variable id */
	uint64_t bit[MAX_VARS];
	const struct wgsl_var *vars[MAX_VARS];
	const struct wgsl_path *own[MAX_VARS]; /* the index of every write */
	int family[MAX_VARS];
	uint32_t n;
	uint64_t racing;
	struct phase now;
	struct phase *again; /* by instruction id: at the end of a loop's pass */
	struct open *open;
	bool changed;
};

int wgsl_atomic_family(const struct wgsl_inst *i)
{
	if (i->op != WGSL_OP_ATOMIC || i->is_used)
		return -1;
	switch (i->u.atomic) {
	case WGSL_ATOMIC_ADD:
	case WGSL_ATOMIC_SUB:
		return WGSL_ATOMIC_ADD;
	case WGSL_ATOMIC_MAX:
	case WGSL_ATOMIC_MIN:
	case WGSL_ATOMIC_AND:
	case WGSL_ATOMIC_OR:
	case WGSL_ATOMIC_XOR:
		return (int)i->u.atomic;
	case WGSL_ATOMIC_LOAD:
	case WGSL_ATOMIC_STORE:
	case WGSL_ATOMIC_EXCHANGE:
	case WGSL_ATOMIC_COMPARE_EXCHANGE:
	case WGSL_ATOMIC_COUNT_:
		break;
	}
	return -1;
}

static int find_var(const struct racer *r, const struct wgsl_var *v)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->vars[i] == v)
			return (int)i;
	return -1;
}

static void join(struct phase *to, const struct phase *from)
{
	to->read |= from->read;
	to->written |= from->written;
	to->changed |= from->changed;
}

/* ---- own elements ------------------------------------------------------------------------ */

/* The dimension whose local id the value is; 3: the local index; -1: neither. */
static int local_axis(const struct racer *r, const struct wgsl_inst *i)
{
	for (int hops = 0; hops < 8 && i->op == WGSL_OP_LOAD; hops++) {
		if (i->path->n_steps > 0 || r->value_of[i->path->var->id] == NULL)
			return -1;
		i = r->value_of[i->path->var->id];
	}
	if (i->op == WGSL_OP_BUILTIN && i->u.builtin == WGSL_BUILTIN_LOCAL_INDEX)
		return 3;
	if (i->op == WGSL_OP_EXTRACT && i->args[0]->op == WGSL_OP_BUILTIN &&
	    i->args[0]->u.builtin == WGSL_BUILTIN_LOCAL_ID)
		return i->lanes[0];
	return -1;
}

/* Each invocation of the work-group names another place. */
static bool is_own(const struct racer *r, const struct wgsl_path *p)
{
	const uint32_t *size = r->m->workgroup_size;
	bool has[4] = { size[0] == 1, size[1] == 1, size[2] == 1, false };

	for (uint32_t k = 0; k < p->n_steps; k++) {
		int axis;

		if (p->steps[k].kind != WGSL_STEP_DYNAMIC)
			continue;
		axis = local_axis(r, p->steps[k].value);
		if (axis < 0 || !p->steps[k].in_range)
			return false;
		has[axis] = true;
	}
	return has[3] || (has[0] && has[1] && has[2]);
}

static bool same_place(const struct racer *r, const struct wgsl_path *a, const struct wgsl_path *b)
{
	if (a->n_steps != b->n_steps)
		return false;
	for (uint32_t k = 0; k < a->n_steps; k++) {
		const struct wgsl_step *s = &a->steps[k];
		const struct wgsl_step *t = &b->steps[k];

		if (s->kind != t->kind)
			return false;
		if (s->kind == WGSL_STEP_DYNAMIC
			? local_axis(r, s->value) < 0 ||
			      local_axis(r, s->value) != local_axis(r, t->value)
			: s->index != t->index)
			return false;
	}
	return true;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void visit_write(struct racer *r, int v, const struct wgsl_inst *i)
{
	if (r->own[v] == NULL && is_own(r, i->path))
		r->own[v] = i->path;
	if (r->own[v] == NULL || !same_place(r, r->own[v], i->path) ||
	    ((r->now.read | r->now.changed) & r->bit[v]) != 0)
		r->racing |= r->bit[v];
	r->now.written |= r->bit[v];
}

static void visit_read(struct racer *r, int v, const struct wgsl_inst *i)
{
	bool is_mine = r->own[v] != NULL && same_place(r, r->own[v], i->path);

	if (is_mine) {
		visit_write(r, v, i);
		return;
	}
	if (((r->now.written | r->now.changed) & r->bit[v]) != 0)
		r->racing |= r->bit[v];
	r->now.read |= r->bit[v];
}

static void visit_change(struct racer *r, int v, const struct wgsl_inst *i)
{
	int family = wgsl_atomic_family(i);

	if (r->family[v] < 0)
		r->family[v] = family;
	if (family < 0 || family != r->family[v] ||
	    ((r->now.read | r->now.written) & r->bit[v]) != 0)
		r->racing |= r->bit[v];
	r->now.changed |= r->bit[v];
}

static void visit(struct racer *r, const struct wgsl_inst *i)
{
	int v;

	if (i->op == WGSL_OP_BARRIER && i->barrier_workgroup)
		r->now = (struct phase){ 0 };
	if (i->path == NULL || i->path->var->space != WGSL_SPACE_WORKGROUP)
		return;
	v = find_var(r, i->path->var);
	if (v < 0)
		return;
	if (i->op == WGSL_OP_LOAD || (i->op == WGSL_OP_ATOMIC && i->u.atomic == WGSL_ATOMIC_LOAD))
		visit_read(r, v, i);
	else if (i->op == WGSL_OP_STORE ||
		 (i->op == WGSL_OP_ATOMIC && i->u.atomic == WGSL_ATOMIC_STORE))
		visit_write(r, v, i);
	else
		visit_change(r, v, i);
}

/* ---- control ----------------------------------------------------------------------------- */

static void walk_block(struct racer *r, const struct wgsl_block *b);

static void walk_branches(struct racer *r, const struct wgsl_inst *i, struct open *here)
{
	struct phase before = r->now;
	struct phase after = before; /* a case may be missing, a branch empty */

	for (int k = 0; k < 2; k++) {
		r->now = before;
		walk_block(r, &i->blocks[k]);
		join(&after, &r->now);
	}
	for (uint32_t k = 0; k < i->n_cases; k++) {
		r->now = before;
		walk_block(r, &i->cases[k].block);
		join(&after, &r->now);
	}
	join(&after, &here->left);
	r->now = after;
}

static void walk_loop(struct racer *r, const struct wgsl_inst *i, struct open *here)
{
	struct phase *again = &r->again[i->id];
	struct phase before = *again;

	join(&r->now, again);
	walk_block(r, &i->blocks[0]);
	join(&r->now, &here->continued);
	walk_block(r, &i->blocks[1]);
	join(again, &r->now);
	if (memcmp(again, &before, sizeof(before)) != 0)
		r->changed = true;
	if (i->n_args == 0)
		r->now = here->left;
	else
		join(&r->now, &here->left);
}

static void walk_control(struct racer *r, const struct wgsl_inst *i)
{
	struct open here = { .outer = r->open, .inst = i };

	r->open = &here;
	if (i->op == WGSL_OP_LOOP) {
		walk_loop(r, i, &here);
	} else if (i->op == WGSL_OP_SCOPE) {
		walk_block(r, &i->blocks[0]);
		join(&r->now, &here.left);
	} else {
		walk_branches(r, i, &here);
	}
	r->open = here.outer;
}

static void walk_exit(struct racer *r, const struct wgsl_inst *i)
{
	for (struct open *o = r->open; o != NULL && i->target != NULL; o = o->outer)
		if (o->inst == i->target)
			join(i->op == WGSL_OP_CONTINUE ? &o->continued : &o->left, &r->now);
}

static void walk_block(struct racer *r, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (i->op >= WGSL_OP_BREAK)
			walk_exit(r, i);
		else if (i->op >= WGSL_OP_IF)
			walk_control(r, i);
		else
			visit(r, i);
	}
}

void wgsl_find_race_free(struct wgsl_comp *c, const struct wgsl_inst *const *value_of,
			 bool *race_free)
{
	struct racer r = { .m = c->module, .value_of = value_of };
	int rounds = 0;

	for (uint32_t i = 0; i < r.m->n_vars; i++) {
		if (r.m->vars[i]->space != WGSL_SPACE_WORKGROUP || r.n == MAX_VARS)
			continue;
		r.vars[r.n] = r.m->vars[i];
		r.bit[r.n] = (uint64_t)1 << r.n;
		r.family[r.n++] = -1;
	}
	if (r.n == 0)
		return;
	r.again = arena_new_array(c->arena, struct phase, r.m->fn.n_insts);
	do {
		r.changed = false;
		r.now = (struct phase){ 0 };
		walk_block(&r, &r.m->fn.body);
	} while (r.changed && ++rounds < MAX_ROUNDS);
	for (uint32_t i = 0; i < r.n; i++)
		race_free[r.vars[i]->id] = !r.changed && (r.racing & r.bit[i]) == 0;
}
