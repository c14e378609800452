/* compile.c - from text to a program for the stack machine; see expr.h for the grammar. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "expr/expr.h"
#include "expr/expr_int.h"
#include "expr/lex_int.h"

struct compiler {
	struct expr_lexer lex;
	struct expr *e;                 /* owned */
	const struct expr_scope *scope; /* borrowed; NULL: no names */
	int nesting;
	int stack; /* values on the stack at this point */
	struct err *err;
};

static int expression(struct compiler *c);

/* Append a step that changes the height of the stack; its index. */
static size_t emit(struct compiler *c, enum expr_op op, size_t at, int change)
{
	struct expr *e = c->e;

	mem_reserve(&e->steps, &e->cap, e->n_steps, sizeof(*e->steps));
	e->steps[e->n_steps] =
	    (struct expr_step){ .op = (uint16_t)op, .column = (uint16_t)(at + 1) };
	c->stack += change;
	ASSERT(c->stack <= EXPR_STACK);
	return e->n_steps++;
}

/* Let the jump at `step` lead to what comes next. */
static void land(struct compiler *c, size_t step)
{
	c->e->steps[step].to = (int32_t)c->e->n_steps;
}

static int next(struct compiler *c)
{
	return expr_lex_next(&c->lex, c->err);
}

static int fail(struct compiler *c, const char *what)
{
	return expr_lex_fail(&c->lex, what, c->err);
}

static bool has_any(const struct expr_token *t, const char *chars)
{
	for (size_t i = 0; i < t->len; i++)
		if (strchr(chars, t->text[i]) != NULL)
			return true;
	return false;
}

/* Digits alone are read exactly, up to 2^63 for the operand of a minus sign. */
static int int_literal(struct compiler *c, bool negative, int64_t *ret)
{
	const struct expr_token *t = &c->lex.token;
	struct err bad = { 0 };
	uint64_t limit = (uint64_t)INT64_MAX + negative;
	uint64_t u;
	double f;

	if (num_parse_u64(t->text, t->len, limit, &u, &bad) == 0) {
		*ret = negative ? (int64_t)(0 - u) : (int64_t)u;
		return 0;
	}
	err_clear(&bad);
	if (!has_any(t, ".eE") || num_parse_f64(t->text, t->len, &f, &bad) < 0 || f >= 0x1p63)
		return err_set(c->err, ERR_INVALID, "column %zu: the number does not fit 64 bits",
			       t->at + 1);
	*ret = negative ? -(int64_t)f : (int64_t)f;
	return 0;
}

static int literal(struct compiler *c, bool negative)
{
	const struct expr_token t = c->lex.token;
	struct err bad = { 0 };
	size_t at = emit(c, OP_CONST, t.at, 1);
	struct expr_step *s = &c->e->steps[at];
	double f;

	if (c->e->type == EXPR_INT) {
		if (int_literal(c, negative, &s->i) < 0)
			return c->err->code;
		return next(c);
	}
	if (num_parse_f64(t.text, t.len, &f, &bad) < 0)
		return err_set(c->err, ERR_INVALID, "column %zu: the number does not fit f64",
			       t.at + 1);
	s->f = negative ? -f : f;
	return next(c);
}

static void remember_slot(struct expr *e, int slot)
{
	for (size_t i = 0; i < e->n_slots; i++)
		if (e->slots[i] == slot)
			return;
	mem_reserve(&e->slots, &e->slots_cap, e->n_slots, sizeof(*e->slots));
	e->slots[e->n_slots++] = slot;
}

/* The slot of a name, or -1. */
static int resolve(const struct expr_scope *scope, const struct expr_token *t)
{
	char text[EXPR_MAX_NAME + 1] = "";

	if (scope == NULL || t->len > EXPR_MAX_NAME)
		return -1;
	memcpy(text, t->text, t->len);
	return scope->resolve(scope->arg, text);
}

static int name(struct compiler *c, const struct expr_token *t)
{
	const char *expected = c->scope != NULL ? c->scope->expected : "a number";
	int slot = resolve(c->scope, t);
	size_t at;

	if (slot < 0)
		return err_set(c->err, ERR_INVALID, "column %zu: unknown name %.*s, expected %s",
			       t->at + 1, (int)(t->len < 60 ? t->len : 60), t->text, expected);
	at = emit(c, OP_LOAD, t->at, 1);
	c->e->steps[at].to = slot;
	remember_slot(c->e, slot);
	return 0;
}

static int call(struct compiler *c, const struct expr_token *t)
{
	enum expr_op op = OP_ABS;

	if (expr_token_is(t, "min"))
		op = OP_MIN;
	else if (expr_token_is(t, "max"))
		op = OP_MAX;
	else if (!expr_token_is(t, "abs"))
		return err_set(c->err, ERR_INVALID,
			       "column %zu: unknown function %.*s, expected min, max or abs",
			       t->at + 1, (int)(t->len < 60 ? t->len : 60), t->text);
	if (next(c) < 0 || expression(c) < 0)
		return c->err->code;
	if (op != OP_ABS) {
		if (expr_lex_expect(&c->lex, ',', "','", c->err) < 0 || expression(c) < 0)
			return c->err->code;
	}
	emit(c, op, t->at, op == OP_ABS ? 0 : -1);
	return expr_lex_expect(&c->lex, ')', "')'", c->err);
}

static int primary(struct compiler *c)
{
	const struct expr_token t = c->lex.token;

	if (t.kind == TOKEN_NUMBER)
		return literal(c, false);
	if (t.kind == '(') {
		if (next(c) < 0 || expression(c) < 0)
			return c->err->code;
		return expr_lex_expect(&c->lex, ')', "')'", c->err);
	}
	if (t.kind != TOKEN_NAME)
		return fail(c, "a number, a name, '-' or '('");
	if (next(c) < 0)
		return c->err->code;
	return c->lex.token.kind == '(' ? call(c, &t) : name(c, &t);
}

/* Minus signs are counted, not nested: two of them still check for overflow. */
static int unary(struct compiler *c)
{
	size_t at[EXPR_MAX_DEPTH];
	size_t n = 0;

	while (c->lex.token.kind == '-') {
		if (n == EXPR_MAX_DEPTH)
			return err_set(c->err, ERR_INVALID, "column %zu: nested deeper than %d",
				       c->lex.token.at + 1, EXPR_MAX_DEPTH);
		at[n++] = c->lex.token.at;
		if (next(c) < 0)
			return c->err->code;
	}
	if (n > 0 && c->lex.token.kind == TOKEN_NUMBER) {
		if (literal(c, true) < 0)
			return c->err->code;
		n--;
	} else if (primary(c) < 0) {
		return c->err->code;
	}
	while (n > 0)
		emit(c, OP_NEG, at[--n], 0);
	return 0;
}

static int product(struct compiler *c)
{
	if (unary(c) < 0)
		return c->err->code;
	for (;;) {
		const struct expr_token t = c->lex.token;
		enum expr_op op = t.kind == '*' ? OP_MUL : t.kind == '/' ? OP_DIV : OP_MOD;

		if (t.kind != '*' && t.kind != '/' && t.kind != '%')
			return 0;
		if (next(c) < 0 || unary(c) < 0)
			return c->err->code;
		emit(c, op, t.at, -1);
	}
}

static int sum(struct compiler *c)
{
	if (product(c) < 0)
		return c->err->code;
	for (;;) {
		const struct expr_token t = c->lex.token;

		if (t.kind != '+' && t.kind != '-')
			return 0;
		if (next(c) < 0 || product(c) < 0)
			return c->err->code;
		emit(c, t.kind == '+' ? OP_ADD : OP_SUB, t.at, -1);
	}
}

static bool is_comparison(int kind, enum expr_op *ret)
{
	static const struct {
		int kind;
		enum expr_op op;
	} ops[] = { { TOKEN_EQ, OP_EQ }, { TOKEN_NE, OP_NE }, { '<', OP_LT },
		    { TOKEN_LE, OP_LE }, { '>', OP_GT },      { TOKEN_GE, OP_GE } };

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		if (ops[i].kind == kind) {
			*ret = ops[i].op;
			return true;
		}
	}
	return false;
}

static int comparison(struct compiler *c)
{
	size_t at;
	enum expr_op op;

	if (sum(c) < 0)
		return c->err->code;
	if (!is_comparison(c->lex.token.kind, &op))
		return 0;
	at = c->lex.token.at;
	if (next(c) < 0 || sum(c) < 0)
		return c->err->code;
	emit(c, op, at, -1);
	if (is_comparison(c->lex.token.kind, &op))
		return err_set(c->err, ERR_INVALID,
			       "column %zu: comparisons cannot be chained, expected '&', '|' or "
			       "the end",
			       c->lex.token.at + 1);
	return 0;
}

static int logic(struct compiler *c)
{
	if (comparison(c) < 0)
		return c->err->code;
	for (;;) {
		const struct expr_token t = c->lex.token;
		size_t jump;

		if (t.kind == TOKEN_AND || t.kind == TOKEN_OR)
			return fail(c, t.kind == TOKEN_AND ? "a single '&'" : "a single '|'");
		if (t.kind != '&' && t.kind != '|')
			return 0;
		if (next(c) < 0)
			return c->err->code;
		jump = emit(c, t.kind == '&' ? OP_AND : OP_OR, t.at, -1);
		if (comparison(c) < 0)
			return c->err->code;
		emit(c, OP_BOOL, t.at, 0);
		land(c, jump);
	}
}

static int ternary(struct compiler *c)
{
	size_t at = c->lex.token.at;
	size_t to_else = emit(c, OP_JUMP_ZERO, at, -1);
	size_t to_end;

	if (next(c) < 0 || expression(c) < 0)
		return c->err->code;
	if (expr_lex_expect(&c->lex, ':', "':'", c->err) < 0)
		return c->err->code;
	to_end = emit(c, OP_JUMP, at, -1);
	land(c, to_else);
	if (expression(c) < 0)
		return c->err->code;
	land(c, to_end);
	return 0;
}

static int expression(struct compiler *c)
{
	if (c->nesting == EXPR_MAX_DEPTH)
		return err_set(c->err, ERR_INVALID, "column %zu: nested deeper than %d",
			       c->lex.token.at + 1, EXPR_MAX_DEPTH);
	c->nesting++;
	if (logic(c) < 0)
		return c->err->code;
	if (c->lex.token.kind == '?' && ternary(c) < 0)
		return c->err->code;
	c->nesting--;
	return 0;
}

static int compile(struct compiler *c, const char *text, size_t len)
{
	if (len > EXPR_MAX_TEXT)
		return err_set(c->err, ERR_INVALID, "%zu bytes, at most %d", len, EXPR_MAX_TEXT);
	if (expr_lex_start(&c->lex, text, len, c->err) < 0)
		return c->err->code;
	if (c->lex.token.kind == TOKEN_END)
		return fail(c, "an expression");
	if (expression(c) < 0)
		return c->err->code;
	if (c->lex.token.kind != TOKEN_END)
		return fail(c, "an operator or the end");
	ASSERT(c->stack == 1);
	return 0;
}

int expr_compile(const char *text, size_t len, enum expr_type type, const struct expr_scope *scope,
		 struct expr **ret, struct err *err)
{
	AUTO(expr_freep) struct expr *e = NEW(struct expr);
	struct compiler c = { .e = e, .scope = scope, .err = err };

	e->type = type;
	if (compile(&c, text, len) < 0)
		return err->code;
	*ret = MOVE(e);
	return 0;
}
