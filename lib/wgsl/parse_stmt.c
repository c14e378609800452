/*
 * parse_stmt.c - statements.
 */
#include "base/mem.h"
#include "base/text.h"
#include "wgsl/check_int.h"
#include "wgsl/hint_int.h"
#include "wgsl/parse_int.h"

static struct wgsl_stmt *parse_statement(struct wgsl_comp *c);
static struct wgsl_stmt *parse_continuing(struct wgsl_comp *c);

static struct wgsl_stmt *new_stmt(struct wgsl_comp *c, enum wgsl_stmt_kind kind,
				  struct wgsl_span at)
{
	struct wgsl_stmt *s = arena_new(c->arena, struct wgsl_stmt);

	s->kind = kind;
	s->at = at;
	return s;
}

static bool enter(struct wgsl_comp *c)
{
	if (++c->nesting <= WGSL_MAX_NESTING)
		return true;
	wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)), "statements nest too deeply (limit %d)",
		    WGSL_MAX_NESTING);
	return false;
}

/* Statements up to '}'; `{` is taken already. */
static bool parse_statements(struct wgsl_comp *c, struct wgsl_stmt *block)
{
	struct wgsl_stmt **last = &block->body;
	bool is_loop_body = c->is_loop_body;

	c->is_loop_body = false;
	if (!enter(c))
		return false;
	while (!c->has_failed && wgsl_peek_kind(c) != TOK_RBRACE) {
		if (wgsl_accept(c, TOK_SEMI))
			continue;
		if (wgsl_peek_kind(c) == TOK_END) {
			wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)),
				    "expected '}' before the end of the text");
			wgsl_note(c, block->at, "to close this '{'");
			break;
		}
		*last = is_loop_body && wgsl_peek_kind(c) == TOK_CONTINUING ? parse_continuing(c)
									    : parse_statement(c);
		if (*last == NULL)
			break;
		last = &(*last)->next;
	}
	c->nesting--;
	return wgsl_accept(c, TOK_RBRACE);
}

/* Before a statement, a block, or the body of a switch: diagnostic filters only, which hold
 * until the caller takes them back. */
static void parse_stmt_attrs(struct wgsl_comp *c)
{
	const struct wgsl_attr *a = wgsl_parse_attrs(c);

	if (c->has_failed)
		return;
	c->has_failed = !wgsl_check_attrs(c, a, WGSL_ON_STMT, "a statement");
	if (!c->has_failed)
		c->filter = wgsl_find_filter(a, c->filter);
}

struct wgsl_stmt *wgsl_parse_block(struct wgsl_comp *c, const char *where)
{
	enum wgsl_filter outer = c->filter;
	struct wgsl_stmt *s;
	bool ok;

	parse_stmt_attrs(c);
	if (c->has_failed)
		return NULL;
	s = new_stmt(c, ST_BLOCK, wgsl_tok_span(wgsl_peek(c)));
	ok = wgsl_expect(c, TOK_LBRACE, where) && parse_statements(c, s);
	c->filter = outer;
	return ok ? s : NULL;
}

/* `if`, its condition and body. */
static struct wgsl_stmt *parse_one_if(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_IF, wgsl_tok_span(wgsl_next(c)));

	s->a = wgsl_parse_expr(c);
	if (s->a == NULL)
		return NULL;
	s->body = wgsl_parse_block(c, "after the condition of if");
	return s->body != NULL ? s : NULL;
}

/* A chain of `else if` is a list linked by `other`: it may be long. */
static struct wgsl_stmt *parse_if(struct wgsl_comp *c)
{
	struct wgsl_stmt *first = parse_one_if(c);
	struct wgsl_stmt *s = first;

	while (s != NULL && s->kind == ST_IF && wgsl_accept(c, TOK_ELSE)) {
		if (wgsl_peek_kind(c) == TOK_IF)
			s->other = parse_one_if(c);
		else
			s->other = wgsl_parse_block(c, "or if after else");
		s = s->other;
	}
	return s != NULL ? first : NULL;
}

static bool parse_selectors(struct wgsl_comp *c, struct wgsl_clause *k)
{
	size_t cap = 0;

	do {
		struct wgsl_expr *e;

		if (wgsl_peek_kind(c) == TOK_COLON || wgsl_peek_kind(c) == TOK_LBRACE)
			break;
		if (wgsl_peek_kind(c) == TOK_DEFAULT) {
			const struct wgsl_tok *t = wgsl_next(c);

			if (k->is_default)
				wgsl_syntax(c, wgsl_tok_span(t), "this switch has two defaults");
			k->is_default = true;
			continue;
		}
		e = wgsl_parse_expr(c);
		if (e == NULL)
			return false;
		wgsl_push_expr(c, &k->selectors, &cap, e);
	} while (wgsl_accept(c, TOK_COMMA));
	if (k->selectors.n == 0 && !k->is_default)
		wgsl_syntax(c, k->at, "this case has no selector");
	return !c->has_failed;
}

static struct wgsl_clause *parse_clause(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_peek(c);
	struct wgsl_clause *k = arena_new(c->arena, struct wgsl_clause);

	k->at = wgsl_tok_span(t);
	if (wgsl_accept(c, TOK_DEFAULT)) {
		k->is_default = true;
	} else if (!wgsl_accept(c, TOK_CASE)) {
		wgsl_syntax(c, k->at, "expected case, default or '}' in switch, found %s",
			    wgsl_tok_shown(c, t));
		return NULL;
	} else if (!parse_selectors(c, k)) {
		return NULL;
	}
	wgsl_accept(c, TOK_COLON);
	k->body = wgsl_parse_block(c, "after the selectors of a case");
	return k->body != NULL ? k : NULL;
}

static struct wgsl_stmt *parse_switch(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_SWITCH, wgsl_tok_span(wgsl_next(c)));
	struct wgsl_clause **last = &s->clauses;

	s->a = wgsl_parse_expr(c);
	if (s->a == NULL)
		return NULL;
	parse_stmt_attrs(c);
	if (!wgsl_expect(c, TOK_LBRACE, "after the selector of switch"))
		return NULL;
	while (wgsl_peek_kind(c) != TOK_RBRACE) {
		*last = parse_clause(c);
		if (*last == NULL)
			return NULL;
		last = &(*last)->next;
	}
	return wgsl_accept(c, TOK_RBRACE) ? s : NULL;
}

/* `break if e;` ends a continuing block: it is taken out of it here. */
static bool split_break_if(struct wgsl_comp *c, struct wgsl_stmt *loop)
{
	struct wgsl_stmt **at = &loop->other->body;

	for (; *at != NULL; at = &(*at)->next) {
		struct wgsl_stmt *s = *at;

		if (s->kind != ST_BREAK_IF)
			continue;
		if (s->next != NULL) {
			wgsl_syntax(c, s->at, "break if must be the last statement of continuing");
			return false;
		}
		loop->break_if = s->a;
		*at = NULL;
		return true;
	}
	return true;
}

static struct wgsl_stmt *parse_loop(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_LOOP, wgsl_tok_span(wgsl_next(c)));
	struct wgsl_stmt **at;

	c->is_loop_body = true;
	s->body = wgsl_parse_block(c, "after loop");
	if (s->body == NULL)
		return NULL;
	/* A continuing block was left as a nested LOOP statement without a body. */
	for (at = &s->body->body; *at != NULL; at = &(*at)->next) {
		if ((*at)->kind != ST_LOOP || (*at)->body != NULL)
			continue;
		if ((*at)->next != NULL) {
			wgsl_syntax(c, (*at)->at,
				    "continuing must be the last statement of its loop");
			return NULL;
		}
		s->other = (*at)->other;
		*at = NULL;
		return split_break_if(c, s) ? s : NULL;
	}
	return s;
}

static struct wgsl_stmt *parse_continuing(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_LOOP, wgsl_tok_span(wgsl_next(c)));

	s->other = wgsl_parse_block(c, "after continuing");
	return s->other != NULL ? s : NULL;
}

static struct wgsl_stmt *parse_break(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_BREAK, wgsl_tok_span(wgsl_next(c)));

	if (wgsl_accept(c, TOK_IF)) {
		s->kind = ST_BREAK_IF;
		s->a = wgsl_parse_expr(c);
		if (s->a == NULL)
			return NULL;
	}
	return wgsl_expect(c, TOK_SEMI, "after break") ? s : NULL;
}

static struct wgsl_stmt *parse_return(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_RETURN, wgsl_tok_span(wgsl_next(c)));

	if (wgsl_peek_kind(c) != TOK_SEMI && wgsl_peek_kind(c) != TOK_RBRACE) {
		s->a = wgsl_parse_expr(c);
		if (s->a == NULL)
			return NULL;
	}
	return wgsl_expect(c, TOK_SEMI, "after return") ? s : NULL;
}

static struct wgsl_stmt *parse_phony(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_PHONY, wgsl_tok_span(wgsl_next(c)));

	if (!wgsl_expect(c, TOK_ASSIGN, "after '_'"))
		return NULL;
	s->a = wgsl_parse_expr(c);
	return s->a != NULL ? s : NULL;
}

/* What a name without an assignment was meant to be: a declaration as in C, or a keyword. */
static const char *assignment_hint(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	static const char *const words[] = { "return", "break", "continue", "discard" };

	if (e->kind == EX_CALL && e->a->kind == EX_IDENT && wgsl_peek_kind(c) == TOK_LBRACE)
		return wgsl_hint_name(c, e->a->name->text);
	if (e->kind != EX_IDENT)
		return wgsl_hint_token(c);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (text_is_near(e->name->text, words[i]))
			return arena_printf(c->arena, "; did you mean '%s'?", words[i]);
	return wgsl_peek_kind(c) == TOK_IDENT ? "; a variable is declared by var, let or const"
					      : wgsl_hint_token(c);
}

/* Behind a call: nothing that goes on with it. What else is there misses the ';' before it. */
static bool ends_call(struct wgsl_comp *c, enum wgsl_tok_kind op)
{
	return !(op >= TOK_ASSIGN && op <= TOK_SHR_ASSIGN) && op != TOK_PLUSPLUS &&
	       op != TOK_MINUSMINUS && wgsl_peek_kind(c) != TOK_LBRACE;
}

/* Assignment, increment or call, without its ';'. */
static struct wgsl_stmt *parse_simple(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_peek(c);
	struct wgsl_stmt *s;
	enum wgsl_tok_kind op;
	size_t n;

	if (wgsl_peek_kind(c) == TOK_UNDERSCORE)
		return parse_phony(c);
	if (t->kind != TOK_IDENT && t->kind != TOK_LPAREN && t->kind != TOK_STAR &&
	    t->kind != TOK_AND) {
		wgsl_syntax(c, wgsl_tok_span(t), "expected a statement, found %s%s",
			    wgsl_tok_shown(c, t),
			    t->kind == TOK_PLUSPLUS || t->kind == TOK_MINUSMINUS
				? "; it stands behind the variable: i++"
				: "");
		return NULL;
	}
	s = new_stmt(c, ST_ASSIGN, wgsl_tok_span(t));
	s->a = wgsl_parse_unary(c);
	if (s->a == NULL)
		return NULL;
	op = wgsl_peek_op(c, &n);
	s->op = op;
	if (s->a->kind == EX_CALL && !s->a->is_parenthesised && ends_call(c, op)) {
		s->kind = ST_CALL;
		return s;
	}
	s->at = wgsl_tok_span(wgsl_peek(c));
	s->at.len += (uint32_t)n - 1;
	if (op == TOK_PLUSPLUS || op == TOK_MINUSMINUS) {
		wgsl_next(c);
		s->kind = ST_INCREMENT;
		return s;
	}
	if (op < TOK_ASSIGN || op > TOK_SHR_ASSIGN) {
		wgsl_syntax(c, s->at, "expected '=' or another assignment, found %s%s",
			    wgsl_tok_shown(c, wgsl_peek(c)), assignment_hint(c, s->a));
		return NULL;
	}
	c->pos += n;
	s->b = wgsl_parse_expr(c);
	return s->b != NULL ? s : NULL;
}

static struct wgsl_stmt *parse_local(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_DECL, wgsl_tok_span(wgsl_peek(c)));

	s->decl = wgsl_parse_variable(c, NULL);
	return s->decl != NULL ? s : NULL;
}

static bool is_local(enum wgsl_tok_kind k)
{
	return k == TOK_CONST || k == TOK_LET || k == TOK_VAR;
}

static struct wgsl_stmt *parse_for(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_FOR, wgsl_tok_span(wgsl_next(c)));

	if (!wgsl_expect(c, TOK_LPAREN, "after for"))
		return NULL;
	if (wgsl_peek_kind(c) != TOK_SEMI) {
		s->init = is_local(wgsl_peek_kind(c)) ? parse_local(c) : parse_simple(c);
		if (s->init == NULL)
			return NULL;
	}
	if (!wgsl_expect(c, TOK_SEMI, "after the first part of for"))
		return NULL;
	if (wgsl_peek_kind(c) != TOK_SEMI) {
		s->a = wgsl_parse_expr(c);
		if (s->a == NULL)
			return NULL;
	}
	if (!wgsl_expect(c, TOK_SEMI, "after the condition of for"))
		return NULL;
	if (wgsl_peek_kind(c) != TOK_RPAREN) {
		s->other = parse_simple(c);
		if (s->other == NULL)
			return NULL;
	}
	if (!wgsl_expect(c, TOK_RPAREN, "after the last part of for"))
		return NULL;
	s->body = wgsl_parse_block(c, "after for (...)");
	return s->body != NULL ? s : NULL;
}

static struct wgsl_stmt *parse_while(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_WHILE, wgsl_tok_span(wgsl_next(c)));

	s->a = wgsl_parse_expr(c);
	if (s->a == NULL)
		return NULL;
	s->body = wgsl_parse_block(c, "after the condition of while");
	return s->body != NULL ? s : NULL;
}

static struct wgsl_stmt *parse_assert(struct wgsl_comp *c)
{
	struct wgsl_stmt *s = new_stmt(c, ST_ASSERT, wgsl_tok_span(wgsl_next(c)));

	s->a = wgsl_parse_expr(c);
	return s->a != NULL ? s : NULL;
}

static struct wgsl_stmt *parse_with_semi(struct wgsl_comp *c)
{
	enum wgsl_tok_kind kind = wgsl_peek_kind(c);
	struct wgsl_stmt *s;
	const char *where = "after the statement";

	if (is_local(kind)) {
		s = parse_local(c);
		where = "after the declaration";
	} else if (kind == TOK_CONST_ASSERT) {
		s = parse_assert(c);
	} else {
		s = parse_simple(c);
	}
	if (s == NULL || !wgsl_expect(c, TOK_SEMI, where))
		return NULL;
	return s;
}

static bool takes_filter(enum wgsl_tok_kind k)
{
	return k == TOK_LBRACE || k == TOK_IF || k == TOK_SWITCH || k == TOK_LOOP || k == TOK_FOR ||
	       k == TOK_WHILE;
}

static struct wgsl_stmt *parse_by_keyword(struct wgsl_comp *c)
{
	struct wgsl_span at = wgsl_tok_span(wgsl_peek(c));

	switch ((int)wgsl_peek_kind(c)) {
	case TOK_LBRACE:
		return wgsl_parse_block(c, "");
	case TOK_IF:
		return parse_if(c);
	case TOK_SWITCH:
		return parse_switch(c);
	case TOK_LOOP:
		return parse_loop(c);
	case TOK_FOR:
		return parse_for(c);
	case TOK_WHILE:
		return parse_while(c);
	case TOK_BREAK:
		return parse_break(c);
	case TOK_RETURN:
		return parse_return(c);
	case TOK_CONTINUING:
		wgsl_syntax(c, at, "continuing belongs at the end of the body of a loop { }");
		return NULL;
	case TOK_CONTINUE:
		wgsl_next(c);
		return wgsl_expect(c, TOK_SEMI, "after continue") ? new_stmt(c, ST_CONTINUE, at)
								  : NULL;
	case TOK_DISCARD:
		wgsl_syntax(c, at, "discard belongs to fragment shaders");
		return NULL;
	default:
		return parse_with_semi(c);
	}
}

static struct wgsl_stmt *parse_statement(struct wgsl_comp *c)
{
	struct wgsl_span at = wgsl_tok_span(wgsl_peek(c));
	enum wgsl_filter outer = c->filter;
	struct wgsl_stmt *s;

	if (wgsl_peek_kind(c) == TOK_AT) {
		parse_stmt_attrs(c);
		if (!takes_filter(wgsl_peek_kind(c)))
			wgsl_syntax(c, at, "no attribute can stand before %s",
				    wgsl_tok_shown(c, wgsl_peek(c)));
	}
	s = parse_by_keyword(c);
	c->filter = outer;
	return s;
}
