/*
 * check_stmt.c - statements, scopes, and how control leaves them (behaviours).
 */
#include "wgsl/check_int.h"
#include "wgsl/fn_int.h"

/* How a statement may end. */
enum { BE_NEXT = 1, BE_BREAK = 2, BE_CONTINUE = 4, BE_RETURN = 8 };

static unsigned check_block(struct wgsl_comp *c, struct wgsl_stmt *block);
static unsigned check_stmt(struct wgsl_comp *c, struct wgsl_stmt *s);

/* ---- scopes ------------------------------------------------------------------------------ */

static size_t open_scope(struct wgsl_comp *c)
{
	c->scope_depth++;
	return c->n_scope;
}

static void close_scope(struct wgsl_comp *c, size_t mark)
{
	while (c->n_scope > mark) {
		struct wgsl_decl *d = c->scope[--c->n_scope];

		d->name->decl = d->outer;
	}
	c->scope_depth--;
}

static void declare(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_decl *before = d->name->decl;

	if (before != NULL && before->scope == c->scope_depth && !before->is_module &&
	    (before->kind == DECL_CONST || before->kind == DECL_LET || before->kind == DECL_VAR ||
	     before->kind == DECL_PARAM)) {
		wgsl_error(c, d->at, "'%s' is declared twice", d->name->text);
		wgsl_note(c, before->at, "declared here before");
	}
	d->scope = c->scope_depth;
	d->outer = before;
	d->state = DECL_DONE;
	arena_reserve(c->arena, &c->scope, &c->cap_scope, c->n_scope, sizeof(struct wgsl_decl *));
	d->order = (uint32_t)c->n_scope;
	c->scope[c->n_scope++] = d;
	d->name->decl = d;
}

/* ---- declarations ------------------------------------------------------------------------ */

static bool check_store_type(struct wgsl_comp *c, struct wgsl_decl *d)
{
	if (d->type->is_constructible)
		return true;
	wgsl_error(c, d->type_expr != NULL ? d->type_expr->whole : d->at,
		   "a variable of type %s cannot live here%s", wgsl_type_text(c, d->type),
		   d->type->has_runtime_array ? "; an array without a size is of storage only"
					      : "");
	return false;
}

/* Constants keep abstract types; what exists at run time has concrete ones. */
static bool check_initial(struct wgsl_comp *c, struct wgsl_decl *d)
{
	if (wgsl_check_value(c, d->init) == NULL)
		return false;
	if (d->type != NULL && !wgsl_coerce(c, d->init, d->type, "the initial value"))
		return false;
	if (d->kind == DECL_CONST && d->init->stage != STAGE_CONST) {
		wgsl_error(c, d->init->whole, "the value of a const must be constant");
		return false;
	}
	if (d->kind != DECL_CONST && !wgsl_coerce_concrete(c, d->init))
		return false;
	d->type = d->init->type;
	d->value = d->init->value;
	d->stage = d->init->stage;
	return true;
}

bool wgsl_check_variable(struct wgsl_comp *c, struct wgsl_decl *d)
{
	if (d->type_expr != NULL) {
		d->type = wgsl_check_type(c, d->type_expr);
		if (d->type == NULL) {
			if (d->init != NULL)
				wgsl_check_expr(c, d->init);
			return false;
		}
	}
	if (d->init != NULL && !check_initial(c, d))
		return false;
	if (d->type == NULL) {
		wgsl_error(c, d->at, "'%s' needs a type or an initial value", d->name->text);
		return false;
	}
	if (d->kind == DECL_LET && d->type->kind == WGSL_PTR && d->init != NULL) {
		d->origin = d->init->root;
		return true;
	}
	if (d->type->kind == WGSL_PTR) {
		wgsl_error(c, d->at, "a pointer cannot be stored; use let");
		return false;
	}
	return d->is_module || check_store_type(c, d);
}

static void check_local(struct wgsl_comp *c, struct wgsl_decl *d)
{
	if (d->kind == DECL_VAR && d->has_space && d->space != WGSL_SPACE_FUNCTION)
		wgsl_error(c, d->at, "a variable in a function cannot be in %s",
			   wgsl_space_name(d->space));
	if (d->has_access)
		wgsl_error(c, d->at, "a variable in a function takes no access mode");
	if (d->has_space)
		(void)wgsl_is_enumerant(c, d->at, wgsl_space_name(d->space));
	d->space = WGSL_SPACE_FUNCTION;
	d->access = WGSL_ACCESS_READ_WRITE;
	if (!wgsl_check_variable(c, d))
		d->type = NULL;
	declare(c, d);
}

/* ---- simple statements ------------------------------------------------------------------- */

/* No component twice in the swizzle on the left. */
static bool check_lanes(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	for (uint32_t i = 0; i < e->n_lanes; i++)
		for (uint32_t k = 0; k < i; k++)
			if (e->lanes[i] == e->lanes[k]) {
				wgsl_error(c, e->at, "'%s' assigns a component twice",
					   e->name->text);
				return false;
			}
	return true;
}

/* Not a place, or one that can only be read. */
static void report_fixed(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_decl *d = e->root;
	bool is_place = e->is_ref || wgsl_is_swizzle_place(e);

	if (is_place && e->space == WGSL_SPACE_STORAGE)
		wgsl_error(c, e->whole,
			   "this storage variable can only be read; declare it "
			   "var<storage, read_write>");
	else if (is_place)
		wgsl_error(c, e->whole, "a %s variable can only be read",
			   wgsl_space_name(e->space));
	else if (d != NULL && (d->kind == DECL_LET || d->kind == DECL_CONST))
		wgsl_error(c, e->whole, "'%s' is a %s and cannot change; use var", d->name->text,
			   d->kind == DECL_LET ? "let" : "const");
	else if (d != NULL && d->kind == DECL_PARAM)
		wgsl_error(c, e->whole, "the parameter '%s' cannot change; copy it into a var",
			   d->name->text);
	else
		wgsl_error(c, e->whole, "this cannot be assigned to");
	if (d != NULL)
		wgsl_note_decl(c, d);
}

static bool check_target(struct wgsl_comp *c, struct wgsl_expr *e)
{
	wgsl_check_expr(c, e);
	if (e->type == NULL)
		return false;
	if (wgsl_is_swizzle_place(e) && !check_lanes(c, e))
		return false;
	if ((!e->is_ref && !wgsl_is_swizzle_place(e)) || e->access == WGSL_ACCESS_READ) {
		report_fixed(c, e);
		return false;
	}
	if (e->type->kind == WGSL_ATOMIC) {
		wgsl_error(c, e->whole, "an atomic is written with atomicStore(&..., value)");
		return false;
	}
	if (!e->type->is_constructible) {
		wgsl_error(c, e->whole, "%s cannot be assigned", wgsl_type_text(c, e->type));
		return false;
	}
	wgsl_note_access(c, e, false, true);
	return true;
}

static enum wgsl_tok_kind plain_op(enum wgsl_tok_kind op)
{
	static const enum wgsl_tok_kind ops[] = { TOK_PLUS,    TOK_MINUS, TOK_STAR, TOK_SLASH,
						  TOK_PERCENT, TOK_AND,   TOK_OR,   TOK_XOR,
						  TOK_SHL,     TOK_SHR };

	return ops[op - TOK_PLUS_ASSIGN];
}

/* a op= b is checked as a = a op b; lowering evaluates the place of a once. */
static void check_assign(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct wgsl_expr *e;

	if (!check_target(c, s->a)) {
		wgsl_check_value(c, s->b);
		return;
	}
	if (s->op == TOK_ASSIGN) {
		if (wgsl_check_value(c, s->b) != NULL)
			(void)wgsl_coerce(c, s->b, s->a->type, "the value");
		return;
	}
	e = arena_new(c->arena, struct wgsl_expr);
	e->kind = EX_BINARY;
	e->op = plain_op(s->op);
	e->a = s->a;
	e->b = s->b;
	e->at = s->at;
	e->whole = wgsl_span_join(s->a->whole, s->b->whole);
	s->b = e;
	if (wgsl_check_value(c, e) != NULL)
		(void)wgsl_coerce(c, e, s->a->type, "the value");
}

static void check_increment(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	if (!check_target(c, s->a))
		return;
	wgsl_note_access(c, s->a, true, true);
	if (!wgsl_type_is_scalar(s->a->type) || !wgsl_type_is_integer(s->a->type))
		wgsl_error(c, s->at, "%s needs an integer variable, not %s", wgsl_tok_text(s->op),
			   wgsl_type_text(c, s->a->type));
}

static void check_call_stmt(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct wgsl_expr *e = s->a;

	wgsl_check_expr(c, e);
	if (e->type == NULL)
		return;
	if (e->call == CALL_BUILTIN && !wgsl_fns[e->builtin].is_effect)
		wgsl_error(c, e->at, "the result of %s must be used", wgsl_fns[e->builtin].name);
	else if (e->call != CALL_BUILTIN && e->call != CALL_USER)
		wgsl_error(c, e->at, "this value is not used");
	else if (e->call == CALL_USER && e->decl->fn->is_must_use)
		wgsl_error(c, e->at, "the result of '%s' must be used", e->decl->name->text);
}

static void check_condition(struct wgsl_comp *c, struct wgsl_expr *e, const char *what)
{
	const struct wgsl_type *t = wgsl_check_value(c, e);

	if (t != NULL && t->kind != WGSL_BOOL)
		wgsl_error(c, e->whole, "the condition of %s is %s, but must be bool%s", what,
			   wgsl_type_text(c, t),
			   wgsl_type_base(t) == WGSL_BOOL ? "; write all(...) or any(...)"
			   : wgsl_type_is_integer(t)      ? "; write ... != 0"
							  : "");
}

static void check_assertion(struct wgsl_comp *c, struct wgsl_span at, struct wgsl_expr *e)
{
	const struct wgsl_type *t = wgsl_check_value(c, e);

	if (t == NULL)
		return;
	if (t->kind != WGSL_BOOL || e->stage != STAGE_CONST)
		wgsl_error(c, e->whole, "const_assert needs a constant bool");
	else if (e->value->v[0].i == 0)
		wgsl_error(c, at, "const_assert failed");
}

static unsigned check_return(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct wgsl_func *fn = c->fn->fn;

	fn->n_returns++;
	for (const struct wgsl_flow *f = c->flow; f != NULL; f = f->outer) {
		if (f->is_continuing) {
			wgsl_error(c, s->at, "return cannot leave a continuing block");
			break;
		}
	}
	if (s->a == NULL) {
		if (fn->return_expr != NULL)
			wgsl_error(c, s->at, "'%s' returns %s: return needs a value",
				   c->fn->name->text,
				   fn->return_type != NULL ? wgsl_type_text(c, fn->return_type)
							   : "a value");
		return BE_RETURN;
	}
	if (wgsl_check_value(c, s->a) == NULL)
		return BE_RETURN;
	if (fn->return_expr == NULL)
		wgsl_error(c, s->a->whole, "'%s' returns nothing", c->fn->name->text);
	else
		(void)wgsl_coerce(c, s->a, fn->return_type, "the returned value");
	return BE_RETURN;
}

/* ---- control ----------------------------------------------------------------------------- */

static unsigned check_if(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	unsigned be = 0;

	for (; s != NULL && s->kind == ST_IF; s = s->other) {
		c->fn->fn->own_cost++;
		check_condition(c, s->a, "if");
		be |= check_block(c, s->body);
	}
	return be | (s != NULL ? check_block(c, s) : BE_NEXT);
}

static bool check_selector(struct wgsl_comp *c, const struct wgsl_type *t, struct wgsl_expr *e)
{
	if (wgsl_check_value(c, e) == NULL)
		return false;
	if (e->stage != STAGE_CONST) {
		wgsl_error(c, e->whole, "a case selector must be constant");
		return false;
	}
	return wgsl_coerce(c, e, t, "the selector");
}

/* Equal selectors are found by sorting nothing: a table over their low bits, chained. */
struct selector {
	struct selector *next;
	const struct wgsl_expr *e;
};

enum { SELECTOR_BUCKETS = 1024 };

static bool is_new_selector(struct wgsl_comp *c, struct selector **table, const struct wgsl_expr *e)
{
	int64_t v = e->value->v[0].i;
	struct selector **slot = &table[((uint64_t)v * 0x9e3779b97f4a7c15u) >> 54];
	struct selector *s;

	for (s = *slot; s != NULL; s = s->next) {
		if (s->e->value->v[0].i != v)
			continue;
		wgsl_error(c, e->whole, "the selector %lld stands twice in this switch",
			   (long long)v);
		wgsl_note(c, s->e->whole, "first here");
		return false;
	}
	s = arena_new(c->arena, struct selector);
	s->e = e;
	s->next = *slot;
	*slot = s;
	return true;
}

static const struct wgsl_type *switch_type(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	const struct wgsl_type *t = wgsl_check_value(c, s->a);

	if (t == NULL)
		return NULL;
	/* A constant selector takes the type of the first case that has one. */
	for (struct wgsl_clause *k = s->clauses; k != NULL && wgsl_is_abstract(t); k = k->next)
		for (uint32_t i = 0; i < k->selectors.n && wgsl_is_abstract(t); i++) {
			const struct wgsl_type *n = wgsl_check_value(c, k->selectors.list[i]);

			if (n != NULL && wgsl_can_convert(t, n))
				t = n;
		}
	t = wgsl_concrete(c, t);
	if (!wgsl_coerce(c, s->a, t, "the selector"))
		return NULL;
	if (t->kind == WGSL_I32 || t->kind == WGSL_U32)
		return t;
	wgsl_error(c, s->a->whole, "the selector of switch is %s, but must be i32 or u32",
		   wgsl_type_text(c, t));
	return NULL;
}

static unsigned check_switch(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct selector **table = arena_new_array(c->arena, struct selector *, SELECTOR_BUCKETS);
	const struct wgsl_type *t = switch_type(c, s);
	struct wgsl_flow flow = { .outer = c->flow, .is_switch = true };
	const struct wgsl_clause *fallback = NULL;
	unsigned be = 0;

	c->flow = &flow;
	for (struct wgsl_clause *k = s->clauses; k != NULL; k = k->next) {
		for (uint32_t i = 0; i < k->selectors.n && t != NULL; i++)
			if (check_selector(c, t, k->selectors.list[i]))
				is_new_selector(c, table, k->selectors.list[i]);
		if (k->is_default && fallback != NULL)
			wgsl_error(c, k->at, "this switch has two defaults");
		if (k->is_default)
			fallback = k;
		be |= check_block(c, k->body);
	}
	c->flow = flow.outer;
	if (fallback == NULL)
		wgsl_error(c, s->at, "this switch has no default");
	if ((be & BE_BREAK) != 0)
		be = (be & ~(unsigned)BE_BREAK) | BE_NEXT;
	return be;
}

static void check_exit(struct wgsl_comp *c, const struct wgsl_stmt *s, unsigned be)
{
	if ((be & (BE_BREAK | BE_RETURN)) == 0)
		wgsl_error(c, s->at, "this loop has no way out: no break, no return");
}

static unsigned loop_end(unsigned be)
{
	unsigned out = be & BE_RETURN;

	return (be & BE_BREAK) != 0 ? out | BE_NEXT : out;
}

/* The body's scope stays open for the continuing block. */
static unsigned check_loop(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct wgsl_flow flow = { .outer = c->flow };
	struct wgsl_flow inner;
	size_t mark = open_scope(c);
	unsigned be = BE_NEXT;

	c->flow = &flow;
	for (struct wgsl_stmt *b = s->body->body; b != NULL; b = b->next) {
		unsigned next = check_stmt(c, b);

		if ((be & BE_NEXT) != 0)
			be = (be & ~(unsigned)BE_NEXT) | next;
	}
	inner = flow;
	inner.is_continuing = true;
	inner.body_end = (uint32_t)c->n_scope;
	c->flow = &inner;
	if (s->other != NULL) {
		size_t mark2 = open_scope(c);

		for (struct wgsl_stmt *b = s->other->body; b != NULL; b = b->next)
			(void)check_stmt(c, b);
		if (s->break_if != NULL) {
			check_condition(c, s->break_if, "break if");
			be |= BE_BREAK;
		}
		close_scope(c, mark2);
	}
	c->flow = flow.outer;
	close_scope(c, mark);
	check_exit(c, s, be);
	return loop_end(be);
}

static unsigned check_for(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct wgsl_flow flow = { .outer = c->flow };
	struct wgsl_flow inner = { .outer = c->flow, .is_continuing = true };
	size_t mark = open_scope(c);
	unsigned be = s->a != NULL ? BE_BREAK : 0;

	if (s->init != NULL)
		(void)check_stmt(c, s->init);
	if (s->a != NULL)
		check_condition(c, s->a, s->kind == ST_FOR ? "for" : "while");
	c->flow = &inner;
	if (s->other != NULL)
		(void)check_stmt(c, s->other);
	c->flow = &flow;
	be |= check_block(c, s->body);
	c->flow = flow.outer;
	close_scope(c, mark);
	check_exit(c, s, be);
	return loop_end(be);
}

static unsigned check_break(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	if (c->flow == NULL)
		wgsl_error(c, s->at, "break must be inside of a loop or switch");
	else if (c->flow->is_continuing)
		wgsl_error(c, s->at, "a continuing block is left with break if at its end");
	return BE_BREAK;
}

static unsigned check_continue(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	struct wgsl_flow *f = c->flow;

	while (f != NULL && f->is_switch)
		f = f->outer;
	if (f == NULL) {
		wgsl_error(c, s->at, "continue must be inside of a loop");
	} else if (f->is_continuing) {
		wgsl_error(c, s->at, "continue cannot stand in a continuing block");
	} else if (!f->has_continue) {
		f->has_continue = true;
		f->first_continue = (uint32_t)c->n_scope;
	}
	return BE_CONTINUE;
}

static unsigned check_stmt(struct wgsl_comp *c, struct wgsl_stmt *s)
{
	c->fn->fn->own_cost++;
	switch (s->kind) {
	case ST_BLOCK:
		return check_block(c, s);
	case ST_IF:
		return check_if(c, s);
	case ST_SWITCH:
		return check_switch(c, s);
	case ST_LOOP:
		return check_loop(c, s);
	case ST_FOR:
	case ST_WHILE:
		return check_for(c, s);
	case ST_BREAK:
		return check_break(c, s);
	case ST_BREAK_IF:
		wgsl_error(c, s->at, "break if belongs at the end of a continuing block");
		return BE_NEXT;
	case ST_CONTINUE:
		return check_continue(c, s);
	case ST_RETURN:
		return check_return(c, s);
	case ST_DECL:
		check_local(c, s->decl);
		return BE_NEXT;
	case ST_ASSIGN:
		check_assign(c, s);
		return BE_NEXT;
	case ST_INCREMENT:
		check_increment(c, s);
		return BE_NEXT;
	case ST_PHONY:
		(void)wgsl_check_value(c, s->a); /* it may stay abstract */
		return BE_NEXT;
	case ST_CALL:
		check_call_stmt(c, s);
		return BE_NEXT;
	case ST_ASSERT:
		check_assertion(c, s->at, s->a);
		return BE_NEXT;
	}
	return BE_NEXT;
}

/* The statements of a block in the scope that is open. */
static unsigned check_statements(struct wgsl_comp *c, struct wgsl_stmt *block)
{
	unsigned be = BE_NEXT;

	for (struct wgsl_stmt *s = block->body; s != NULL; s = s->next) {
		unsigned next = check_stmt(c, s);

		if ((be & BE_NEXT) != 0)
			be = (be & ~(unsigned)BE_NEXT) | next;
	}
	return be;
}

static unsigned check_block(struct wgsl_comp *c, struct wgsl_stmt *block)
{
	size_t mark = open_scope(c);
	unsigned be = check_statements(c, block);

	close_scope(c, mark);
	return be;
}

/* Parameters and the body share one scope. */
void wgsl_check_body(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_func *fn = d->fn;
	size_t mark = open_scope(c);
	unsigned be;

	c->fn = d;
	for (uint32_t i = 0; i < fn->n_params; i++)
		declare(c, fn->params[i]);
	be = check_statements(c, fn->body);
	if ((be & BE_NEXT) != 0 && fn->return_type != NULL && fn->return_type->kind != WGSL_VOID)
		wgsl_error(c, d->at, "'%s' does not return a value on every path", d->name->text);
	close_scope(c, mark);
	c->fn = NULL;
}
