/*
 * lower.c - statements, calls, and the entry point.
 */
#include "wgsl/lower_int.h"

#include <string.h>

#include "base/mem.h"
#include "wgsl/fn_int.h"

static void lower_stmt(struct wgsl_lower *l, struct wgsl_stmt *s);

static struct wgsl_inst *control(struct wgsl_lower *l, enum wgsl_op op)
{
	return wgsl_emit(l, op, l->c->basic[WGSL_VOID]);
}

/* The statements of a block, up to where control leaves it. */
static void lower_statements(struct wgsl_lower *l, struct wgsl_stmt *block)
{
	for (struct wgsl_stmt *s = block->body; s != NULL && !wgsl_is_ended(l); s = s->next) {
		wgsl_lower_at(l, s->at);
		lower_stmt(l, s);
	}
}

void wgsl_lower_block(struct wgsl_lower *l, struct wgsl_stmt *block)
{
	size_t mark = wgsl_mark(l);

	lower_statements(l, block);
	wgsl_release(l, mark);
}

/* ---- declarations ------------------------------------------------------------------------ */

static void lower_var(struct wgsl_lower *l, struct wgsl_decl *d)
{
	struct wgsl_path *p;

	/* The initial value is computed before the variable exists. */
	if (d->init != NULL && !wgsl_is_aggregate(d->type)) {
		struct wgsl_inst *v = wgsl_lower_value(l, d->init);

		d->var = wgsl_new_var(l, d);
		wgsl_store(l, wgsl_var_path(l, d->var), v, true);
		return;
	}
	d->var = wgsl_new_var(l, d);
	p = wgsl_var_path(l, d->var);
	if (d->init != NULL) {
		wgsl_lower_into(l, p, d->init, true);
	} else {
		struct wgsl_inst *i = control(l, WGSL_OP_ZERO);

		i->path = p;
		i->is_init = true;
		i->is_whole = true;
	}
}

static void lower_let(struct wgsl_lower *l, struct wgsl_decl *d)
{
	d->inst = NULL;
	d->path = NULL;
	/* Pointers, and constants that nothing can change, need no copy. */
	if (d->type->kind == WGSL_PTR || (wgsl_is_aggregate(d->type) && d->init->value != NULL)) {
		d->path = wgsl_lower_place(l, d->init);
	} else if (!wgsl_is_aggregate(d->type)) {
		d->inst = wgsl_lower_value(l, d->init);
	} else {
		d->path = wgsl_temp(l, d->type, d->name->text);
		wgsl_lower_into(l, d->path, d->init, true);
	}
}

static void lower_decl(struct wgsl_lower *l, struct wgsl_decl *d)
{
	if (d->kind == DECL_VAR)
		lower_var(l, d);
	else if (d->kind == DECL_LET)
		lower_let(l, d);
}

/* ---- simple statements ------------------------------------------------------------------- */

/* place = place op value; s->b is that operation. */
static void lower_compound(struct wgsl_lower *l, struct wgsl_stmt *s, struct wgsl_path *p)
{
	struct wgsl_inst *old;
	struct wgsl_inst *v;

	if (l->failed)
		return;
	if (wgsl_uses_matrix(s->b)) {
		wgsl_lower_matrix_assign(l, p, s->b);
		return;
	}
	old = wgsl_load(l, p);
	v = wgsl_lower_value(l, s->b->b);
	wgsl_lower_at(l, s->at);
	v = wgsl_lower_operator(l, s->b->op, old, v, s->a->type);
	if (!l->failed)
		wgsl_store(l, p, v, false);
}

/* v.zx = value: the components apart; what is not named is not touched. */
static void lower_swizzle_assign(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	struct wgsl_path *p = wgsl_lower_place(l, s->a->a);
	struct wgsl_inst *v;

	if (l->failed)
		return;
	if (s->op == TOK_ASSIGN) {
		v = wgsl_lower_value(l, s->b);
	} else {
		struct wgsl_path *temp = wgsl_temp(l, s->a->type, "swizzle");

		v = wgsl_load(l, p);
		wgsl_store(l, temp, wgsl_swizzle(l, s->a, v), true);
		lower_compound(l, s, temp);
		v = l->failed ? v : wgsl_load(l, temp);
	}
	for (uint32_t i = 0; i < s->a->n_lanes && !l->failed; i++)
		wgsl_store(l, wgsl_step_const(l, p, s->a->lanes[i]), wgsl_extract(l, v, i), false);
}

static void lower_assign(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	struct wgsl_path *p;

	if (wgsl_is_swizzle_place(s->a)) {
		lower_swizzle_assign(l, s);
		return;
	}
	p = wgsl_lower_place(l, s->a);
	if (s->op == TOK_ASSIGN)
		wgsl_lower_into(l, p, s->b, false);
	else
		lower_compound(l, s, p);
}

static void lower_increment(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	struct wgsl_path *p = wgsl_lower_place(l, s->a);
	enum wgsl_op op = s->op == TOK_PLUSPLUS ? WGSL_OP_ADD : WGSL_OP_SUB;
	struct wgsl_inst *v;

	if (l->failed)
		return;
	v = wgsl_load(l, p);
	wgsl_store(l, p, wgsl_binary(l, op, v, wgsl_const_bits(l, v->type, 1)), false);
}

static void lower_call_stmt(struct wgsl_lower *l, struct wgsl_expr *e)
{
	if (e->call == CALL_USER) {
		struct wgsl_path *result = NULL;

		if (wgsl_is_aggregate(e->type))
			result = wgsl_temp(l, e->type, "unused");
		(void)wgsl_lower_call(l, e, result);
	} else if (wgsl_is_aggregate(e->type)) {
		wgsl_lower_builtin_into(l, wgsl_temp(l, e->type, "unused"), e);
	} else {
		(void)wgsl_lower_builtin(l, e);
	}
}

static void lower_phony(struct wgsl_lower *l, struct wgsl_expr *e)
{
	if (wgsl_is_abstract(e->type))
		return;
	if (e->type->kind == WGSL_PTR || wgsl_is_aggregate(e->type))
		(void)wgsl_lower_place(l, e);
	else
		(void)wgsl_lower_value(l, e);
}

/* ---- control ----------------------------------------------------------------------------- */

static void emit_break(struct wgsl_lower *l, struct wgsl_inst *target)
{
	control(l, WGSL_OP_BREAK)->target = target;
}

/* A long chain of `else if` must not nest: each body leaves `chain`, if there is one. */
static struct wgsl_inst *lower_condition(struct wgsl_lower *l, struct wgsl_stmt *s,
					 struct wgsl_inst *chain)
{
	struct wgsl_inst *i = wgsl_lower_value(l, s->a);
	struct wgsl_block *old;

	wgsl_lower_at(l, s->at);
	i = wgsl_emit1(l, WGSL_OP_IF, l->c->basic[WGSL_VOID], i);
	old = wgsl_open(l, &i->blocks[0]);
	wgsl_lower_block(l, s->body);
	if (chain != NULL && !wgsl_is_ended(l))
		emit_break(l, chain);
	wgsl_close(l, old);
	return i;
}

/* The statements of a chain from s on, nested or, in `chain`, one after the other. Conditions known
 * now leave out what cannot run. */
static void lower_chain(struct wgsl_lower *l, struct wgsl_stmt *s, struct wgsl_inst *chain)
{
	struct wgsl_block *outer = l->block;
	uint32_t opened = 0;

	for (; s != NULL && !l->failed; s = s->other) {
		struct wgsl_inst *i;

		if (s->kind == ST_IF && s->a->value != NULL && s->a->value->v[0].i == 0)
			continue;
		if (s->kind != ST_IF || s->a->value != NULL) {
			wgsl_lower_block(l, s->kind == ST_IF ? s->body : s);
			break;
		}
		wgsl_lower_at(l, s->at);
		i = lower_condition(l, s, chain);
		if (chain != NULL || s->other == NULL)
			continue;
		(void)wgsl_open(l, &i->blocks[1]);
		opened++;
	}
	while (opened-- > 0)
		wgsl_close(l, outer);
}

static void lower_if(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	uint32_t n = 0;
	struct wgsl_inst *scope;
	struct wgsl_block *old;

	for (const struct wgsl_stmt *i = s; i != NULL; i = i->other)
		n++;
	if (n <= 2 || (n <= LOWER_NESTED_ELSE && l->nesting + n < WGSL_IR_DEPTH / 4)) {
		lower_chain(l, s, NULL);
		return;
	}
	scope = control(l, WGSL_OP_SCOPE);
	old = wgsl_open(l, &scope->blocks[0]);
	lower_chain(l, s, scope);
	wgsl_close(l, old);
}

static void fill_case(struct wgsl_lower *l, const struct wgsl_clause *k, struct wgsl_case *to)
{
	uint32_t *values = arena_new_array(l->c->arena, uint32_t, k->selectors.n);

	for (uint32_t i = 0; i < k->selectors.n; i++)
		values[i] = (uint32_t)(uint64_t)k->selectors.list[i]->value->v[0].i;
	to->values = values;
	to->n_values = k->selectors.n;
	to->is_default = k->is_default;
}

static void lower_switch(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	struct wgsl_inst *v = wgsl_lower_value(l, s->a);
	struct wgsl_inst *i;
	struct wgsl_target target = { .outer = l->target };
	uint32_t n = 0;

	wgsl_lower_at(l, s->at);
	i = wgsl_emit1(l, WGSL_OP_SWITCH, l->c->basic[WGSL_VOID], v);
	for (struct wgsl_clause *k = s->clauses; k != NULL; k = k->next)
		i->n_cases++;
	i->cases = arena_new_array(l->c->arena, struct wgsl_case, i->n_cases);
	target.inst = i;
	l->target = &target;
	for (struct wgsl_clause *k = s->clauses; k != NULL && !l->failed; k = k->next) {
		struct wgsl_block *old;

		fill_case(l, k, &i->cases[n]);
		old = wgsl_open(l, &i->cases[n++].block);
		wgsl_lower_block(l, k->body);
		wgsl_close(l, old);
	}
	l->target = target.outer;
}

/* if (!cond) { break; } */
static void lower_exit(struct wgsl_lower *l, struct wgsl_expr *cond, struct wgsl_inst *loop)
{
	struct wgsl_inst *i;
	struct wgsl_block *old;

	if (cond->value != NULL) {
		if (cond->value->v[0].i == 0)
			emit_break(l, loop);
		return;
	}
	i = wgsl_lower_value(l, cond);
	i = wgsl_emit1(l, WGSL_OP_NOT, i->type, i);
	i = wgsl_emit1(l, WGSL_OP_IF, l->c->basic[WGSL_VOID], i);
	old = wgsl_open(l, &i->blocks[0]);
	emit_break(l, loop);
	wgsl_close(l, old);
}

static void lower_continuing(struct wgsl_lower *l, struct wgsl_stmt *s, struct wgsl_inst *loop)
{
	struct wgsl_block *old = wgsl_open(l, &loop->blocks[1]);

	if (s->other != NULL && s->other->kind == ST_BLOCK)
		wgsl_lower_block(l, s->other);
	else if (s->other != NULL)
		lower_stmt(l, s->other);
	if (s->break_if != NULL) {
		loop->args[0] = wgsl_lower_value(l, s->break_if);
		loop->n_args = 1;
	}
	wgsl_close(l, old);
}

/* loop, for and while. The body's declarations live until the end of continuing. */
static void lower_loop(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	struct wgsl_target target = { .outer = l->target, .is_loop = true };
	size_t mark = wgsl_mark(l);
	struct wgsl_block *old;

	if (s->init != NULL)
		lower_stmt(l, s->init);
	target.inst = control(l, WGSL_OP_LOOP);
	l->target = &target;
	old = wgsl_open(l, &target.inst->blocks[0]);
	if (s->a != NULL)
		lower_exit(l, s->a, target.inst);
	lower_statements(l, s->body);
	wgsl_close(l, old);
	lower_continuing(l, s, target.inst);
	l->target = target.outer;
	wgsl_release(l, mark);
}

static void lower_continue(struct wgsl_lower *l)
{
	struct wgsl_target *t = l->target;

	while (!t->is_loop)
		t = t->outer;
	control(l, WGSL_OP_CONTINUE)->target = t->inst;
}

static void lower_return(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	struct wgsl_frame *f = l->frame;

	if (f->is_entry) {
		control(l, WGSL_OP_RETURN);
		return;
	}
	if (s->a != NULL && f->result != NULL)
		wgsl_lower_into(l, f->result, s->a, f->scope == NULL);
	else if (s->a != NULL)
		f->value = wgsl_lower_value(l, s->a);
	if (f->scope != NULL && !l->failed)
		emit_break(l, f->scope);
}

/* Statements that declare nothing: what they need for themselves is free behind them. */
static void lower_simple(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	size_t mark = wgsl_mark(l);

	if (s->kind == ST_ASSIGN)
		lower_assign(l, s);
	else if (s->kind == ST_INCREMENT)
		lower_increment(l, s);
	else if (s->kind == ST_PHONY)
		lower_phony(l, s->a);
	else
		lower_call_stmt(l, s->a);
	wgsl_release(l, mark);
}

static void lower_stmt(struct wgsl_lower *l, struct wgsl_stmt *s)
{
	switch (s->kind) {
	case ST_BLOCK:
		wgsl_lower_block(l, s);
		break;
	case ST_IF:
		lower_if(l, s);
		break;
	case ST_SWITCH:
		lower_switch(l, s);
		break;
	case ST_LOOP:
	case ST_FOR:
	case ST_WHILE:
		lower_loop(l, s);
		break;
	case ST_BREAK:
		emit_break(l, l->target->inst);
		break;
	case ST_CONTINUE:
		lower_continue(l);
		break;
	case ST_RETURN:
		lower_return(l, s);
		break;
	case ST_DECL:
		lower_decl(l, s->decl);
		break;
	case ST_ASSIGN:
	case ST_INCREMENT:
	case ST_PHONY:
	case ST_CALL:
		lower_simple(l, s);
		break;
	case ST_ASSERT:
	case ST_BREAK_IF:
		break;
	}
}

/* ---- calls ------------------------------------------------------------------------------- */

/* One return, at the very end: no scope is needed to leave. */
static bool ends_simply(const struct wgsl_func *fn)
{
	const struct wgsl_stmt *s = fn->body->body;

	while (s != NULL && s->next != NULL)
		s = s->next;
	return fn->n_returns == 0 || (fn->n_returns == 1 && s != NULL && s->kind == ST_RETURN);
}

/* What a parameter is in one call. */
struct argument {
	struct wgsl_inst *inst;
	struct wgsl_path *path;
};

/* Parameters cannot change, but what a variable holds can: structs and arrays are copied. */
static struct argument lower_argument(struct wgsl_lower *l, const struct wgsl_decl *p,
				      struct wgsl_expr *e)
{
	struct argument a = { 0 };

	if (wgsl_is_aggregate(p->type) && e->is_ref) {
		a.path = wgsl_temp(l, p->type, p->name->text);
		wgsl_lower_into(l, a.path, e, true);
	} else if (wgsl_is_aggregate(p->type) || p->type->kind == WGSL_PTR) {
		a.path = wgsl_lower_place(l, e);
	} else {
		a.inst = wgsl_lower_value(l, e);
	}
	return a;
}

/* All arguments are evaluated before any parameter is bound: one of them may call the same
 * function. */
static void bind_params(struct wgsl_lower *l, const struct wgsl_func *fn, struct wgsl_expr *e)
{
	struct argument *args = arena_new_array(l->c->arena, struct argument, fn->n_params);

	for (uint32_t i = 0; i < fn->n_params && !l->failed; i++)
		args[i] = lower_argument(l, fn->params[i], e->args.list[i]);
	for (uint32_t i = 0; i < fn->n_params; i++) {
		fn->params[i]->inst = args[i].inst;
		fn->params[i]->path = args[i].path;
	}
}

static void lower_body(struct wgsl_lower *l, struct wgsl_frame *f)
{
	struct wgsl_target *target = l->target;

	l->target = NULL;
	l->frame = f;
	if (f->scope != NULL) {
		struct wgsl_block *old = wgsl_open(l, &f->scope->blocks[0]);

		wgsl_lower_block(l, f->fn->body);
		wgsl_close(l, old);
	} else {
		wgsl_lower_block(l, f->fn->body);
	}
	l->frame = f->outer;
	l->target = target;
}

struct wgsl_inst *wgsl_lower_call(struct wgsl_lower *l, struct wgsl_expr *e,
				  struct wgsl_path *result)
{
	const struct wgsl_func *fn = e->decl->fn;
	struct wgsl_frame f = { .outer = l->frame, .fn = fn, .result = result };
	bool is_void = fn->return_type->kind == WGSL_VOID;
	size_t mark;

	/* The result must outlive the callee's variables. */
	if (result == NULL && wgsl_is_aggregate(e->type))
		f.result = wgsl_temp(l, e->type, e->decl->name->text);
	mark = wgsl_mark(l);
	bind_params(l, fn, e);
	if (l->failed)
		return NULL;
	if (!ends_simply(fn)) {
		if (!is_void && f.result == NULL)
			f.result = wgsl_temp(l, e->type, e->decl->name->text);
		f.scope = control(l, WGSL_OP_SCOPE);
	}
	lower_body(l, &f);
	wgsl_release(l, mark);
	if (is_void || wgsl_is_aggregate(e->type) || l->failed)
		return NULL;
	return f.value != NULL ? f.value : wgsl_load(l, f.result);
}

/* ---- the entry point --------------------------------------------------------------------- */

/* x + y * width + z * width * height of an id; width and height are those of the dispatch. */
static struct wgsl_inst *linear_index(struct wgsl_lower *l, bool is_global)
{
	const struct wgsl_type *u32 = l->c->basic[WGSL_U32];
	struct wgsl_inst *id =
	    wgsl_builtin_value(l, is_global ? WGSL_BUILTIN_GLOBAL_ID : WGSL_BUILTIN_WORKGROUP_ID);
	struct wgsl_inst *n = wgsl_builtin_value(l, WGSL_BUILTIN_NUM_WORKGROUPS);
	struct wgsl_inst *index = wgsl_extract(l, id, 2);

	for (uint32_t k = 2; k-- > 0;) {
		struct wgsl_inst *size = wgsl_extract(l, n, k);

		if (is_global)
			size =
			    wgsl_binary(l, WGSL_OP_MUL, size,
					wgsl_const_bits(l, u32, l->c->module->workgroup_size[k]));
		index = wgsl_binary(l, WGSL_OP_ADD, wgsl_binary(l, WGSL_OP_MUL, index, size),
				    wgsl_extract(l, id, k));
	}
	return index;
}

/* Known where the kernel says the size, which divides the work-group. */
static struct wgsl_inst *known_input(struct wgsl_lower *l, int input)
{
	const uint32_t *group = l->c->module->workgroup_size;
	uint32_t size = l->c->module->subgroup_size;

	if (size > 0 && input == WGSL_BUILTIN_SUBGROUP_SIZE)
		return wgsl_const_bits(l, l->c->basic[WGSL_U32], size);
	if (size > 0 && input == WGSL_BUILTIN_NUM_SUBGROUPS)
		return wgsl_const_bits(l, l->c->basic[WGSL_U32],
				       group[0] * group[1] * group[2] / size);
	return NULL;
}

static struct wgsl_inst *input_value(struct wgsl_lower *l, int input)
{
	struct wgsl_inst *known = known_input(l, input);

	if (known != NULL)
		return known;
	if (input >= WGSL_INPUT_GLOBAL_INDEX)
		return linear_index(l, input == WGSL_INPUT_GLOBAL_INDEX);
	return wgsl_builtin_value(l, (enum wgsl_builtin)input);
}

static void bind_inputs(struct wgsl_lower *l, const struct wgsl_func *fn)
{
	for (uint32_t i = 0; i < fn->n_params; i++) {
		struct wgsl_decl *p = fn->params[i];

		if (p->member_inputs == NULL) {
			p->inst = input_value(l, p->input);
			continue;
		}
		p->path = wgsl_temp(l, p->type, p->name->text);
		for (uint32_t k = 0; k < p->type->n_members; k++) {
			wgsl_store(l, wgsl_step_const(l, p->path, k),
				   input_value(l, p->member_inputs[k]), true);
		}
	}
}

/* Private variables that have an initial value get it when the invocation starts. */
static void init_privates(struct wgsl_lower *l)
{
	for (struct wgsl_decl *d = l->c->decls; d != NULL; d = d->next) {
		if (d->kind != DECL_VAR || d->space != WGSL_SPACE_PRIVATE || d->var == NULL)
			continue;
		if (d->init == NULL) {
			struct wgsl_inst *i = control(l, WGSL_OP_ZERO);

			i->path = wgsl_var_path(l, d->var);
			i->is_init = true;
			i->is_whole = true;
		} else {
			wgsl_lower_into(l, wgsl_var_path(l, d->var), d->init, true);
		}
	}
}

static void join(struct wgsl_block *first, struct wgsl_block *second)
{
	if (first->last == NULL) {
		*first = *second;
	} else if (second->first != NULL) {
		first->last->next = second->first;
		first->last = second->last;
	}
}

bool wgsl_lower_module(struct wgsl_comp *c)
{
	struct wgsl_lower *l = arena_new(c->arena, struct wgsl_lower);
	struct wgsl_frame f = { .fn = c->entry->fn, .is_entry = true };
	struct wgsl_block body = { 0 };

	l->c = c;
	l->m = c->module;
	l->block = &body;
	l->n_shadows = c->n_types;
	l->shadows = arena_new_array(c->arena, const struct wgsl_type *, c->n_types);
	wgsl_lower_at(l, c->entry->at);
	bind_inputs(l, f.fn);
	l->frame = &f;
	wgsl_lower_block(l, f.fn->body);
	l->block = &l->prologue;
	wgsl_lower_at(l, c->entry->at);
	init_privates(l);
	join(&l->prologue, &body);
	c->module->fn.body = l->prologue;
	c->module->private_bytes = l->private_bytes;
	return !l->failed;
}
