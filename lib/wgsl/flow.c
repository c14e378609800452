/*
 * flow.c - the spreading of a property; repeated until nothing changes.
 */
#include "wgsl/flow_int.h"

#include "base/mem.h"

enum { MAX_ROUNDS = 24 };

/* A construct that can be left, while it is being walked. */
struct open {
	struct open *outer;
	const struct wgsl_inst *inst;
	struct wgsl_taint left;      /* what decided about lanes that have left it so far */
	struct wgsl_taint continued; /* or wait at its continuing block */
};

struct walker {
	const struct wgsl_flow_rules *rules;
	struct wgsl_flow_result out;
	struct wgsl_taint *exits; /* by instruction id: what decides about leaving a construct */
	struct open *open;
	struct wgsl_taint branch; /* what decided that control came into this branch */
	struct wgsl_taint gone;   /* the highest of all open constructs and of return */
	struct wgsl_taint returned;
	bool changed;
};

static struct wgsl_taint join(struct wgsl_taint a, struct wgsl_taint b)
{
	return b.level > a.level ? b : a;
}

static void raise_to(struct walker *w, struct wgsl_taint *at, struct wgsl_taint t)
{
	if (t.level <= at->level)
		return;
	*at = t;
	w->changed = true;
}

static struct wgsl_taint decides(struct wgsl_taint t)
{
	t.by_control = t.level > 0;
	return t;
}

static struct wgsl_taint operands(const struct walker *w, const struct wgsl_inst *i)
{
	struct wgsl_taint t = { 0 };

	for (uint32_t k = 0; k < i->n_args; k++)
		t = join(t, w->out.insts[i->args[k]->id]);
	for (uint32_t k = 0; i->path != NULL && k < i->path->n_steps; k++)
		if (i->path->steps[k].kind == WGSL_STEP_DYNAMIC)
			t = join(t, w->out.insts[i->path->steps[k].value->id]);
	return t;
}

static bool writes(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO ||
	       (i->op == WGSL_OP_ATOMIC && i->u.atomic != WGSL_ATOMIC_LOAD);
}

static void visit(struct walker *w, const struct wgsl_inst *i)
{
	struct wgsl_taint t = operands(w, i);
	uint8_t own;

	if (i->op == WGSL_OP_LOAD || i->op == WGSL_OP_ATOMIC)
		t = join(t, w->out.vars[i->path->var->id]);
	own = w->rules->source(w->rules->rules_of, i, t.level);
	if (own > t.level)
		t = (struct wgsl_taint){ .level = own, .why = i };
	raise_to(w, &w->out.insts[i->id], t);
	if (writes(i))
		raise_to(w, &w->out.vars[i->path->var->id], join(t, join(w->branch, w->gone)));
}

static void walk_block(struct walker *w, const struct wgsl_block *b);

static void find_gone(struct walker *w)
{
	w->gone = w->returned;
	for (const struct open *o = w->open; o != NULL; o = o->outer)
		w->gone = join(w->gone, join(o->left, o->continued));
}

static void walk_branches(struct walker *w, const struct wgsl_inst *i)
{
	struct wgsl_taint before = w->branch;
	struct open here = { .outer = w->open, .inst = i };

	w->open = &here;
	w->branch = join(before, decides(w->out.insts[i->args[0]->id]));
	walk_block(w, &i->blocks[0]);
	walk_block(w, &i->blocks[1]);
	for (uint32_t k = 0; k < i->n_cases; k++)
		walk_block(w, &i->cases[k].block);
	w->branch = before;
	w->open = here.outer;
	find_gone(w);
}

static void walk_repeated(struct walker *w, const struct wgsl_inst *i)
{
	struct open here = { .outer = w->open, .inst = i };

	/* Some lanes left in earlier passes. */
	if (i->op == WGSL_OP_LOOP)
		here.left = w->exits[i->id];
	/* cppcheck-suppress autoVariables ; taken out again below */
	w->open = &here;
	find_gone(w);
	walk_block(w, &i->blocks[0]);
	/* cppcheck-suppress unreadVariable ; find_gone reads it */
	here.continued = (struct wgsl_taint){ 0 };
	find_gone(w);
	walk_block(w, &i->blocks[1]);
	if (i->n_args > 0)
		raise_to(w, &w->exits[i->id], decides(w->out.insts[i->args[0]->id]));
	w->open = here.outer;
	find_gone(w);
}

/* Leaving an outer construct also ends the passes of the loops in between. */
static void walk_exit(struct walker *w, const struct wgsl_inst *i)
{
	struct wgsl_taint t = decides(join(w->branch, w->gone));

	if (i->op == WGSL_OP_RETURN)
		w->returned = join(w->returned, t);
	for (struct open *o = w->open; o != NULL; o = o->outer) {
		if (i->op == WGSL_OP_CONTINUE && o->inst == i->target)
			o->continued = join(o->continued, t);
		else
			raise_to(w, &w->exits[o->inst->id], t);
		if (i->op != WGSL_OP_CONTINUE && o->inst == i->target)
			o->left = join(o->left, t);
		if (o->inst == i->target)
			break;
	}
	find_gone(w);
}

static void walk_inst(struct walker *w, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_IF || i->op == WGSL_OP_SWITCH) {
		walk_branches(w, i);
	} else if (i->op == WGSL_OP_LOOP || i->op == WGSL_OP_SCOPE) {
		walk_repeated(w, i);
	} else if (i->op >= WGSL_OP_BREAK) {
		walk_exit(w, i);
	} else {
		visit(w, i);
	}
}

static void walk_block(struct walker *w, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		walk_inst(w, i);
}

/* Not settled in time: everything has the highest level that anything has. */
static void give_up(struct walker *w, const struct wgsl_module *m)
{
	struct wgsl_taint top = w->returned;

	for (uint32_t i = 0; i < m->fn.n_insts; i++)
		top = join(top, join(w->out.insts[i], w->exits[i]));
	for (uint32_t i = 0; i < m->fn.n_insts; i++)
		w->out.insts[i] = top;
	for (uint32_t i = 0; i < m->n_vars; i++)
		w->out.vars[i] = top;
}

struct wgsl_flow_result wgsl_flow_find(struct wgsl_comp *c, const struct wgsl_flow_rules *rules)
{
	const struct wgsl_module *m = c->module;
	struct walker w = { .rules = rules };
	int rounds = 0;

	w.out.insts = arena_new_array(c->arena, struct wgsl_taint, m->fn.n_insts);
	w.out.vars = arena_new_array(c->arena, struct wgsl_taint, m->n_vars + 1);
	w.exits = arena_new_array(c->arena, struct wgsl_taint, m->fn.n_insts);
	do {
		w.changed = false;
		w.returned = (struct wgsl_taint){ 0 };
		w.gone = (struct wgsl_taint){ 0 };
		walk_block(&w, &m->fn.values);
		walk_block(&w, &m->fn.body);
	} while (w.changed && ++rounds < MAX_ROUNDS);
	if (w.changed)
		give_up(&w, m);
	return w.out;
}
