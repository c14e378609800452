/*
 * race.c - work-group variables that are free of races: what they hold does not depend on the
 * order of invocations.
 *
 * Barriers cut the kernel into phases. In each phase a variable may be read, or written by each
 * invocation at its own element, or changed by atomics of one commutative kind whose
 * result nobody uses, or belong to one invocation alone: but only one of these. States (what
 * happened since the last barrier) are joined where control joins; loops are walked until nothing
 * changes.
 *
 * A tree of sums is known, too: `if (l < s) { m[l] += m[l + s]; }`, with the same s in all
 * invocations, writes the lower half, below s, and reads of others only the upper half, from s on.
 */
#include <string.h>

#include "wgsl/analyse_int.h"

enum { MAX_VARS = 64, MAX_ROUNDS = 24 };

static const uint32_t NOBODY = UINT32_MAX;

/* One bit per work-group variable. */
struct phase {
	uint64_t read, written, changed;
	uint64_t alone_read, alone_written; /* by one invocation, always the same */
	uint64_t half_read, half_written;   /* the upper half, the lower one: of one limit */
};

struct open {
	struct open *outer;
	const struct wgsl_inst *inst;
	struct phase left; /* at its breaks */
	struct phase continued;
};

struct racer {
	struct wgsl_module *m;
	struct wgsl_ids ids;
	struct wgsl_pins pins;         /* of the invocations that are here */
	const struct wgsl_inst *limit; /* these have a local index below it; NULL: not known */
	uint64_t bit[MAX_VARS];
	const struct wgsl_var *vars[MAX_VARS];
	const struct wgsl_path *own[MAX_VARS]; /* the index of every write */
	int family[MAX_VARS];
	uint32_t alone[MAX_VARS];                 /* the one invocation; NOBODY: not seen yet */
	const struct wgsl_inst *halves[MAX_VARS]; /* the limit, while there are half accesses */
	uint32_t n_halves[MAX_VARS];              /* how often it was set */
	uint32_t n;
	uint64_t racing;
	struct phase now;
	struct phase *again; /* by loop, in order: at the end of a pass */
	uint32_t n_loops;    /* walked into so far */
	/* Loads with one stamp find one value: the variable's stores so far, and the loops. */
	uint64_t *stamp;    /* by instruction id */
	uint32_t *n_stores; /* by variable id */
	uint32_t n_passed;  /* starts and ends of loops so far */
	uint32_t *most;     /* by variable id: what it holds at most */
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
	to->alone_read |= from->alone_read;
	to->alone_written |= from->alone_written;
	to->half_read |= from->half_read;
	to->half_written |= from->half_written;
}

/* Halves of which limit is no longer known. */
static void settle(struct phase *p, uint64_t vars)
{
	p->read |= p->half_read & vars;
	p->written |= p->half_written & vars;
	p->half_read &= ~vars;
	p->half_written &= ~vars;
}

/* ---- own elements ------------------------------------------------------------------------ */

/* The dimension whose local id the value is; 3: the local index; -1: neither. */
static int local_axis(const struct racer *r, const struct wgsl_inst *i)
{
	enum wgsl_id id;
	uint32_t axis;

	return wgsl_find_id(&r->ids, i, &id, &axis) && id == WGSL_ID_LOCAL ? (int)axis : -1;
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

/* ---- one invocation ---------------------------------------------------------------------- */

/* The local index of the only invocation of a work-group that is here; NOBODY: there are more. */
static uint32_t find_lane(const struct racer *r)
{
	const uint32_t *size = r->ids.size;
	uint32_t lane = 0;
	uint32_t stride = 1;

	for (uint32_t k = 0; k < 3; k++) {
		if (!wgsl_is_one_in_group(&r->ids, &r->pins, k))
			return NOBODY;
		if (r->pins.has[WGSL_ID_LOCAL][k])
			lane += stride * r->pins.value[WGSL_ID_LOCAL][k];
		else if (size[k] > 1)
			lane += stride * (r->pins.value[WGSL_ID_GLOBAL][k] % size[k]);
		stride *= size[k];
	}
	return lane;
}

static bool is_alone(struct racer *r, int v)
{
	uint32_t lane = find_lane(r);

	if (lane == NOBODY || (r->alone[v] != NOBODY && r->alone[v] != lane))
		return false;
	r->alone[v] = lane;
	return true;
}

/* ---- halves ------------------------------------------------------------------------------ */

static const struct wgsl_var *loaded(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_LOAD && i->path->n_steps == 0 &&
		       i->path->var->space == WGSL_SPACE_FUNCTION
		   ? i->path->var
		   : NULL;
}

static bool same_limit(const struct racer *r, const struct wgsl_inst *a, const struct wgsl_inst *b)
{
	if (a->op == WGSL_OP_CONST && b->op == WGSL_OP_CONST)
		return a->u.bits[0] == b->u.bits[0];
	return loaded(a) != NULL && loaded(a) == loaded(b) && r->stamp[a->id] == r->stamp[b->id];
}

/* u32 constants, and variables that all invocations agree in. */
static bool is_limit(const struct wgsl_inst *i)
{
	if (i->type->kind != WGSL_U32)
		return false;
	return i->op == WGSL_OP_CONST ||
	       (loaded(i) != NULL && i->is_uniform && loaded(i)->is_uniform);
}

static uint32_t most_of(const struct racer *r, const struct wgsl_inst *limit)
{
	return limit->op == WGSL_OP_CONST ? (uint32_t)limit->u.bits[0] : r->most[loaded(limit)->id];
}

/* In a work-group that is a line: an index of a u32 array by the local index, or what is added. */
static bool is_line_index(const struct racer *r, const struct wgsl_inst *i)
{
	return i->type->kind == WGSL_U32 && local_axis(r, i) == 0 && r->ids.size[1] == 1 &&
	       r->ids.size[2] == 1;
}

/* What a condition bounds the local index by; NULL: nothing. */
static const struct wgsl_inst *find_limit(const struct racer *r, const struct wgsl_inst *c)
{
	const struct wgsl_inst *a;
	const struct wgsl_inst *b;

	if (c->n_args != 2)
		return NULL;
	a = c->args[0];
	b = c->args[1];
	if (c->op == WGSL_OP_LT && is_line_index(r, a) && is_limit(b))
		return b;
	if (c->op == WGSL_OP_GT && is_line_index(r, b) && is_limit(a))
		return a;
	return NULL;
}

/* m[l], below the limit. */
static bool is_lower(const struct racer *r, const struct wgsl_path *p)
{
	return r->limit != NULL && p->n_steps == 1 && p->steps[0].kind == WGSL_STEP_DYNAMIC &&
	       is_line_index(r, p->steps[0].value);
}

/* m[l + limit]: not below the limit, also where it is clamped to the last element. */
static bool is_upper(const struct racer *r, const struct wgsl_path *p)
{
	const struct wgsl_inst *i;

	if (r->limit == NULL || p->n_steps != 1 || p->steps[0].kind != WGSL_STEP_DYNAMIC ||
	    most_of(r, r->limit) >= p->var->type->count)
		return false;
	i = p->steps[0].value;
	if (i->op != WGSL_OP_ADD)
		return false;
	return (is_line_index(r, i->args[0]) && same_limit(r, i->args[1], r->limit)) ||
	       (is_line_index(r, i->args[1]) && same_limit(r, i->args[0], r->limit));
}

/* Both halves of a phase are those of one limit. */
static bool keep_limit(struct racer *r, int v)
{
	if (((r->now.half_read | r->now.half_written) & r->bit[v]) != 0)
		return same_limit(r, r->halves[v], r->limit);
	r->halves[v] = r->limit;
	r->n_halves[v]++;
	return true;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void conflict(struct racer *r, int v, uint64_t with)
{
	r->racing |= with & r->bit[v];
}

static void visit_own(struct racer *r, int v, const struct wgsl_inst *i)
{
	const struct phase *n = &r->now;
	bool is_half = is_lower(r, i->path) && keep_limit(r, v);

	conflict(r, v, n->read | n->changed | n->alone_read | n->alone_written);
	if (is_half) {
		r->now.half_written |= r->bit[v];
		return;
	}
	conflict(r, v, n->half_read);
	r->now.written |= r->bit[v];
}

static void visit_write(struct racer *r, int v, const struct wgsl_inst *i)
{
	const struct phase *n = &r->now;

	if (r->own[v] == NULL && is_own(r, i->path))
		r->own[v] = i->path;
	if (r->own[v] != NULL && same_place(r, r->own[v], i->path)) {
		visit_own(r, v, i);
	} else if (is_alone(r, v)) {
		conflict(r, v, n->read | n->written | n->changed | n->half_read | n->half_written);
		r->now.alone_written |= r->bit[v];
	} else {
		r->racing |= r->bit[v];
	}
}

static void visit_read(struct racer *r, int v, const struct wgsl_inst *i)
{
	const struct phase *n = &r->now;

	if (r->own[v] != NULL && same_place(r, r->own[v], i->path)) {
		visit_own(r, v, i);
		return;
	}
	conflict(r, v, n->written | n->changed);
	if (is_upper(r, i->path) && keep_limit(r, v)) {
		conflict(r, v, n->alone_written);
		r->now.half_read |= r->bit[v];
	} else if (is_alone(r, v)) {
		conflict(r, v, n->half_written);
		r->now.alone_read |= r->bit[v];
	} else {
		conflict(r, v, n->alone_written | n->half_written);
		r->now.read |= r->bit[v];
	}
}

static void visit_change(struct racer *r, int v, const struct wgsl_inst *i)
{
	const struct phase *n = &r->now;
	int family = wgsl_atomic_family(i);

	if (r->family[v] < 0)
		r->family[v] = family;
	if (family < 0 || family != r->family[v])
		r->racing |= r->bit[v];
	conflict(r, v,
		 n->read | n->written | n->alone_read | n->alone_written | n->half_read |
		     n->half_written);
	r->now.changed |= r->bit[v];
}

static void visit(struct racer *r, const struct wgsl_inst *i)
{
	int v;

	if (i->op == WGSL_OP_BARRIER && i->barrier_workgroup)
		r->now = (struct phase){ 0 };
	if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO)
		r->n_stores[i->path->var->id]++;
	if (i->op == WGSL_OP_LOAD)
		r->stamp[i->id] = (uint64_t)r->n_passed << 32 | r->n_stores[i->path->var->id];
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

/* Halves of several limits meet behind a branch. */
static void settle_joined(struct racer *r, const struct phase *before, const uint32_t *n_before)
{
	uint64_t live = before->half_read | before->half_written;

	for (uint32_t v = 0; v < r->n; v++)
		if (r->n_halves[v] - n_before[v] + ((live & r->bit[v]) != 0) > 1)
			settle(&r->now, r->bit[v]);
}

/* Where invocations part, those of the other branches are in the same phase. */
static void walk_branches(struct racer *r, const struct wgsl_inst *i, struct open *here)
{
	const struct wgsl_inst *limit = r->limit;
	const struct wgsl_pins pins = r->pins;
	struct phase before = r->now;
	struct phase after = before; /* a case may be missing, a branch empty */
	uint32_t n_halves[MAX_VARS];

	memcpy(n_halves, r->n_halves, sizeof(n_halves));
	for (int k = 0; k < 2; k++) {
		r->now = i->is_uniform ? before : after;
		if (i->op == WGSL_OP_IF) {
			wgsl_pin(&r->ids, i->args[0], k == 0, &r->pins);
			r->limit = k == 0 ? find_limit(r, i->args[0]) : NULL;
		}
		walk_block(r, &i->blocks[k]);
		join(&after, &r->now);
		r->pins = pins;
		r->limit = limit;
	}
	for (uint32_t k = 0; k < i->n_cases; k++) {
		r->now = i->is_uniform ? before : after;
		walk_block(r, &i->cases[k].block);
		join(&after, &r->now);
	}
	join(&after, &here->left);
	r->now = after;
	settle_joined(r, &before, n_halves);
}

static void walk_loop(struct racer *r, const struct wgsl_inst *i, struct open *here)
{
	struct phase *again = &r->again[r->n_loops++];
	struct phase before = *again;

	r->n_passed++;
	join(&r->now, again);
	walk_block(r, &i->blocks[0]);
	join(&r->now, &here->continued);
	walk_block(r, &i->blocks[1]);
	r->n_passed++;
	settle(&r->now, UINT64_MAX);
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
	struct phase now = r->now;

	settle(&now, UINT64_MAX);
	for (struct open *o = r->open; o != NULL && i->target != NULL; o = o->outer)
		if (o->inst == i->target)
			join(i->op == WGSL_OP_CONTINUE ? &o->continued : &o->left, &now);
}

static void walk_block(struct racer *r, const struct wgsl_block *b)
{
	const struct wgsl_pins pins = r->pins;

	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (i->op >= WGSL_OP_BREAK)
			walk_exit(r, i);
		else if (i->op >= WGSL_OP_IF)
			walk_control(r, i);
		else
			visit(r, i);
		wgsl_pin_behind(&r->ids, i, &r->pins);
	}
	r->pins = pins;
}

/* ---- variables --------------------------------------------------------------------------- */

/* What a variable holds at most that starts with constants and then is only halved, or the like. */
static uint32_t most_stored(const struct wgsl_inst *i)
{
	const struct wgsl_inst *a;

	if (i->n_args == 0) /* ZERO */
		return 0;
	a = i->args[0];
	if (i->path->n_steps > 0 || i->path->var->type->kind != WGSL_U32)
		return UINT32_MAX;
	if (a->op == WGSL_OP_CONST)
		return (uint32_t)a->u.bits[0];
	if ((a->op == WGSL_OP_SHR || a->op == WGSL_OP_DIV) && loaded(a->args[0]) == i->path->var)
		return 0;
	return UINT32_MAX;
}

static void look_at_all(struct racer *r, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (i->op == WGSL_OP_LOOP)
			r->n_loops++;
		if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO) {
			uint32_t *most = &r->most[i->path->var->id];

			*most = *most > most_stored(i) ? *most : most_stored(i);
		}
		look_at_all(r, &i->blocks[0]);
		look_at_all(r, &i->blocks[1]);
		for (uint32_t k = 0; k < i->n_cases; k++)
			look_at_all(r, &i->cases[k].block);
	}
}

void wgsl_find_race_free(struct wgsl_comp *c, const struct wgsl_inst *const *value_of,
			 bool *race_free)
{
	struct racer r = { .m = c->module,
			   .ids = { .size = c->module->workgroup_size, .value_of = value_of } };
	int rounds = 0;

	for (uint32_t i = 0; i < r.m->n_vars; i++) {
		if (r.m->vars[i]->space != WGSL_SPACE_WORKGROUP || r.n == MAX_VARS)
			continue;
		r.vars[r.n] = r.m->vars[i];
		r.bit[r.n] = (uint64_t)1 << r.n;
		r.alone[r.n] = NOBODY;
		r.family[r.n++] = -1;
	}
	if (r.n == 0)
		return;
	r.most = arena_new_array(c->arena, uint32_t, r.m->n_vars);
	r.n_stores = arena_new_array(c->arena, uint32_t, r.m->n_vars);
	r.stamp = arena_new_array(c->arena, uint64_t, r.m->fn.n_insts);
	look_at_all(&r, &r.m->fn.body);
	r.again = arena_new_array(c->arena, struct phase, r.n_loops + 1);
	do {
		r.changed = false;
		r.n_loops = 0;
		r.now = (struct phase){ 0 };
		walk_block(&r, &r.m->fn.body);
	} while (r.changed && ++rounds < MAX_ROUNDS);
	for (uint32_t i = 0; i < r.n; i++)
		race_free[r.vars[i]->id] = !r.changed && (r.racing & r.bit[i]) == 0;
}
