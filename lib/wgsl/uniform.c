/*
 * uniform.c - which values, variables and branches are the same for all lanes.
 *
 * For back ends: lanes run in lockstep under a mask, so what counts is that the lanes that execute
 * an instruction together agree. A variable is varying once it is written while some lanes that
 * will read it later are masked off. The walk is repeated until nothing changes any more. What
 * all invocations of a work-group were proved to agree in (uniform_graph.c) is uniform as well.
 *
 * A mark says why lanes are missing: a divergent branch, or a divergent exit to `target` that they
 * wait behind. It matters to a variable that was declared before it, unless the
 * exit leaves the variable's scope, where it is dead.
 */
#include "base/mem.h"
#include "wgsl/analyse_int.h"

enum { MAX_ROUNDS = 24 };

struct mark {
	const struct wgsl_inst *target; /* NULL: a branch */
	uint32_t serial;
	uint32_t n_hidden; /* sides and cases being walked that these lanes are not in */
	bool is_return;
	bool is_continue;
};

/* The constructs around what is being walked, innermost first. */
struct around {
	struct around *outer;
	const struct wgsl_inst *inst;
};

struct walker {
	struct around *around;
	struct wgsl_comp *c;
	const bool *proved; /* by instruction id: see wgsl_prove_uniform; NULL: nothing is */
	bool give_up;       /* every variable is varying */
	bool changed;
	bool *var_varying; /* by variable id */
	uint32_t *var_serial;
	bool *varying;      /* by instruction id: values; control: see is_uniform */
	bool *exits;        /* by instruction id: loops and scopes that lanes leave apart */
	uint32_t *entered;  /* by instruction id: serial when walked into */
	struct mark *marks; /* owned */
	size_t n_marks, cap_marks;
	uint32_t serial;
};

static void walker_done(struct walker *w)
{
	mem_free(w->marks);
}

static void set(struct walker *w, bool *flag)
{
	if (*flag)
		return;
	*flag = true;
	w->changed = true;
}

static void add_mark(struct walker *w, const struct wgsl_inst *target, uint32_t serial)
{
	mem_reserve(&w->marks, &w->cap_marks, w->n_marks, sizeof(*w->marks));
	w->marks[w->n_marks++] = (struct mark){ .target = target, .serial = serial };
}

/* ---- memory ------------------------------------------------------------------------------ */

static bool has_varying_step(const struct walker *w, const struct wgsl_path *p)
{
	for (uint32_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].kind == WGSL_STEP_DYNAMIC && w->varying[p->steps[i].value->id])
			return true;
	return false;
}

static bool matters(const struct walker *w, const struct mark *m, uint32_t declared)
{
	if (m->serial <= declared || m->n_hidden > 0)
		return false;
	if (m->is_return)
		return false;
	if (m->target == NULL)
		return true;
	/* Lanes that left the loop or scope in which it is declared never see it again. */
	return m->is_continue || w->entered[m->target->id] > declared;
}

static bool is_masked(const struct walker *w, uint32_t declared)
{
	for (size_t i = 0; i < w->n_marks; i++)
		if (matters(w, &w->marks[i], declared))
			return true;
	return false;
}

static bool is_own(const struct wgsl_var *v)
{
	return v->space == WGSL_SPACE_FUNCTION || v->space == WGSL_SPACE_PRIVATE;
}

static void visit_store(struct walker *w, const struct wgsl_inst *i)
{
	const struct wgsl_var *v = i->path->var;

	if (!is_own(v))
		return;
	if (i->is_init)
		w->var_serial[v->id] = ++w->serial;
	if (w->give_up || (i->n_args > 0 && w->varying[i->args[0]->id]) ||
	    has_varying_step(w, i->path) || is_masked(w, w->var_serial[v->id]))
		set(w, &w->var_varying[v->id]);
}

static bool load_varies(const struct walker *w, const struct wgsl_inst *i)
{
	const struct wgsl_var *v = i->path->var;

	if (has_varying_step(w, i->path))
		return true;
	return !i->is_uniform /* workgroupUniformLoad */ && is_own(v) && w->var_varying[v->id];
}

/* ---- values ------------------------------------------------------------------------------ */

bool wgsl_builtin_varies(const struct wgsl_module *m, enum wgsl_builtin b, int lane)
{
	const uint32_t *size = m->workgroup_size;

	if (b == WGSL_BUILTIN_WORKGROUP_ID || b == WGSL_BUILTIN_NUM_WORKGROUPS ||
	    b == WGSL_BUILTIN_SUBGROUP_SIZE || b == WGSL_BUILTIN_NUM_SUBGROUPS)
		return false;
	/* Invocations that run side by side may be of several work-groups: along x the global id
	 * differs even if a work-group holds one invocation (and the specification says so of any
	 * size). */
	if (b == WGSL_BUILTIN_GLOBAL_ID && lane <= 0)
		return true;
	if (b == WGSL_BUILTIN_LOCAL_INDEX || lane < 0)
		return size[0] * size[1] * size[2] > 1;
	return size[lane] > 1;
}

static bool value_varies(const struct walker *w, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_CONST || i->op == WGSL_OP_ARRAY_LENGTH)
		return false;
	if (w->proved != NULL && w->proved[i->id])
		return false;
	if (i->op == WGSL_OP_BUILTIN)
		return wgsl_builtin_varies(w->c->module, i->u.builtin, -1);
	if (i->op == WGSL_OP_EXTRACT && i->args[0]->op == WGSL_OP_BUILTIN)
		return wgsl_builtin_varies(w->c->module, i->args[0]->u.builtin, i->lanes[0]);
	if (i->op == WGSL_OP_LOAD)
		return load_varies(w, i);
	if (i->op == WGSL_OP_ATOMIC)
		return !i->is_uniform;
	if (i->op == WGSL_OP_SUBGROUP)
		return true;
	for (uint32_t k = 0; k < i->n_args; k++)
		if (w->varying[i->args[k]->id])
			return true;
	return false;
}

/* ---- control ----------------------------------------------------------------------------- */

static void walk_block(struct walker *w, const struct wgsl_block *b);

/* Forget the branch mark at `from` and keep exits made since. */
static void drop_branch(struct walker *w, size_t from)
{
	for (size_t i = from + 1; i < w->n_marks; i++)
		w->marks[i - 1] = w->marks[i];
	w->n_marks--;
}

/* Another side or case of a construct whose marks begin at `before`. If all lanes take the same,
 * none left by those walked before. */
static void walk_branch(struct walker *w, const struct wgsl_block *b, bool varies, size_t before)
{
	size_t at = w->n_marks;

	for (size_t i = before; i < at && !varies; i++)
		w->marks[i].n_hidden++;
	if (varies)
		add_mark(w, NULL, ++w->serial);
	walk_block(w, b);
	if (varies)
		drop_branch(w, at);
	for (size_t i = before; i < at && !varies; i++)
		w->marks[i].n_hidden--;
}

static void walk_if(struct walker *w, const struct wgsl_inst *i)
{
	bool varies = w->varying[i->args[0]->id];
	size_t before = w->n_marks;

	if (varies)
		set(w, &w->varying[i->id]);
	w->entered[i->id] = ++w->serial;
	walk_branch(w, &i->blocks[0], varies, before);
	walk_branch(w, &i->blocks[1], varies, before);
}

/* Lanes that wait behind the construct come back; those marked as continued at its
 * continuing block. */
static void drop_exits(struct walker *w, const struct wgsl_inst *target, bool continues_only)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_marks; i++) {
		const struct mark *m = &w->marks[i];

		if (m->target == target && (!continues_only || m->is_continue))
			continue;
		w->marks[n++] = *m;
	}
	w->n_marks = n;
}

static void walk_switch(struct walker *w, const struct wgsl_inst *i)
{
	bool varies = w->varying[i->args[0]->id];
	size_t before = w->n_marks;

	if (varies)
		set(w, &w->varying[i->id]);
	w->entered[i->id] = ++w->serial;
	for (uint32_t k = 0; k < i->n_cases; k++) {
		/* Lanes that broke out of another case were not in this one. */
		drop_exits(w, i, false);
		walk_branch(w, &i->cases[k].block, varies, before);
	}
	drop_exits(w, i, false);
}

static void walk_loop(struct walker *w, const struct wgsl_inst *i)
{
	w->entered[i->id] = ++w->serial;
	/* Lanes that left in an earlier pass. */
	if (w->exits[i->id])
		add_mark(w, i, ++w->serial);
	walk_block(w, &i->blocks[0]);
	drop_exits(w, i, true);
	walk_block(w, &i->blocks[1]);
	if (i->n_args > 0 && w->varying[i->args[0]->id])
		set(w, &w->exits[i->id]);
	if (w->exits[i->id])
		set(w, &w->varying[i->id]);
	drop_exits(w, i, false);
}

static void walk_scope(struct walker *w, const struct wgsl_inst *i)
{
	w->entered[i->id] = ++w->serial;
	walk_block(w, &i->blocks[0]);
	if (w->exits[i->id])
		set(w, &w->varying[i->id]);
	drop_exits(w, i, false);
}

/* All constructs around an exit up to its target are left apart. */
static void visit_exit(struct walker *w, const struct wgsl_inst *i)
{
	const struct around *around = w->around;
	const struct wgsl_inst *target = i->target;
	uint32_t since = target != NULL ? w->entered[target->id] : 0;
	bool apart = false;

	for (size_t k = 0; k < w->n_marks; k++)
		apart = apart || (w->marks[k].serial > since && w->marks[k].n_hidden == 0);
	if (!apart)
		return;
	set(w, &w->varying[i->id]);
	for (; around != NULL && around->inst != NULL; around = around->outer) {
		bool is_through = i->op == WGSL_OP_CONTINUE && around->inst == target;

		if (around->inst->op == WGSL_OP_LOOP || around->inst->op == WGSL_OP_SCOPE)
			set(w, is_through ? &w->varying[around->inst->id]
					  : &w->exits[around->inst->id]);
		if (around->inst == target)
			break;
	}
	add_mark(w, target, ++w->serial);
	w->marks[w->n_marks - 1].is_return = i->op == WGSL_OP_RETURN;
	w->marks[w->n_marks - 1].is_continue = i->op == WGSL_OP_CONTINUE;
}

static void visit_value(struct walker *w, const struct wgsl_inst *i)
{
	if (value_varies(w, i))
		set(w, &w->varying[i->id]);
}

static void walk_control(struct walker *w, const struct wgsl_inst *i)
{
	struct around here = { .outer = w->around, .inst = i };

	w->around = &here;
	if (i->op == WGSL_OP_IF)
		walk_if(w, i);
	else if (i->op == WGSL_OP_SWITCH)
		walk_switch(w, i);
	else if (i->op == WGSL_OP_LOOP)
		walk_loop(w, i);
	else
		walk_scope(w, i);
	w->around = here.outer;
}

static void walk_inst(struct walker *w, const struct wgsl_inst *i)
{
	if (i->op >= WGSL_OP_IF && i->op <= WGSL_OP_SCOPE)
		walk_control(w, i);
	else if (i->op >= WGSL_OP_BREAK)
		visit_exit(w, i);
	else if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO)
		visit_store(w, i);
	else
		visit_value(w, i);
}

static void walk_block(struct walker *w, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		walk_inst(w, i);
}

/* ---- the result --------------------------------------------------------------------------- */

static void walk_round(struct walker *w)
{
	const struct wgsl_fn *fn = &w->c->module->fn;

	w->changed = false;
	w->serial = 0;
	w->n_marks = 0;
	walk_block(w, &fn->values);
	walk_block(w, &fn->body);
}

static void find(struct walker *w)
{
	const struct wgsl_module *m = w->c->module;
	int rounds = 0;

	w->var_varying = arena_new_array(w->c->arena, bool, m->n_vars + 1);
	w->var_serial = arena_new_array(w->c->arena, uint32_t, m->n_vars + 1);
	w->varying = arena_new_array(w->c->arena, bool, m->fn.n_insts);
	w->exits = arena_new_array(w->c->arena, bool, m->fn.n_insts);
	w->entered = arena_new_array(w->c->arena, uint32_t, m->fn.n_insts);
	do {
		/* Long chains of dependent variables are not worth more rounds. */
		w->give_up = ++rounds > MAX_ROUNDS;
		walk_round(w);
	} while (w->changed && rounds < 2 * MAX_ROUNDS);
	if (!w->changed)
		return;
	/* Not settled: nothing is known. */
	for (uint32_t i = 0; i < m->n_vars; i++)
		w->var_varying[i] = true;
	for (uint32_t i = 0; i < m->fn.n_insts; i++)
		w->varying[i] = true;
}

static void apply_block(const struct walker *w, struct wgsl_block *b)
{
	for (struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		i->is_uniform = !w->varying[i->id];
		apply_block(w, &i->blocks[0]);
		apply_block(w, &i->blocks[1]);
		for (uint32_t k = 0; k < i->n_cases; k++)
			apply_block(w, &i->cases[k].block);
	}
}

bool wgsl_find_uniform(struct wgsl_comp *c)
{
	struct wgsl_module *m = c->module;
	AUTO(mem_freep) bool *proved = NULL;
	AUTO(walker_done) struct walker w = { .c = c };

	if (m->uses_subgroups && !wgsl_check_subgroups(c))
		return false;
	if (m->uses_barriers) {
		proved = NEW_ARRAY(bool, m->fn.n_insts + 1);
		if (!wgsl_prove_uniform(c, proved))
			return false;
		w.proved = proved;
	}
	find(&w);
	apply_block(&w, &m->fn.values);
	apply_block(&w, &m->fn.body);
	for (uint32_t i = 0; i < m->n_vars; i++)
		m->vars[i]->is_uniform = is_own(m->vars[i]) && !w.var_varying[i];
	return true;
}
