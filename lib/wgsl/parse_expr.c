/*
 * parse_expr.c - the token cursor and expressions.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wgsl/const_int.h"
#include "wgsl/hint_int.h"
#include "wgsl/parse_int.h"

#include "base/num.h"

/* ---- cursor ------------------------------------------------------------------------------ */

struct wgsl_tok *wgsl_peek(struct wgsl_comp *c)
{
	return &c->toks[c->pos];
}

enum wgsl_tok_kind wgsl_peek_kind(struct wgsl_comp *c)
{
	return c->has_failed ? TOK_END : c->toks[c->pos].kind;
}

static bool is_adjacent(struct wgsl_comp *c, size_t i, enum wgsl_tok_kind kind)
{
	const struct wgsl_tok *t;

	if (c->pos + i >= c->n_toks)
		return false;
	t = &c->toks[c->pos + i];
	return t->kind == kind && t[-1].offset + t[-1].len == t->offset;
}

enum wgsl_tok_kind wgsl_peek_op(struct wgsl_comp *c, size_t *n)
{
	*n = 1;
	if (wgsl_peek_kind(c) != TOK_GT)
		return wgsl_peek_kind(c);
	*n = 2;
	if (is_adjacent(c, 1, TOK_ASSIGN))
		return TOK_GE;
	if (!is_adjacent(c, 1, TOK_GT)) {
		*n = 1;
		return TOK_GT;
	}
	if (!is_adjacent(c, 2, TOK_ASSIGN))
		return TOK_SHR;
	*n = 3;
	return TOK_SHR_ASSIGN;
}

struct wgsl_tok *wgsl_next(struct wgsl_comp *c)
{
	struct wgsl_tok *t = &c->toks[c->pos];

	if (t->kind != TOK_END)
		c->pos++;
	return t;
}

bool wgsl_accept(struct wgsl_comp *c, enum wgsl_tok_kind kind)
{
	if (wgsl_peek_kind(c) != kind || c->has_failed)
		return false;
	wgsl_next(c);
	return true;
}

struct wgsl_span wgsl_tok_span(const struct wgsl_tok *t)
{
	return (struct wgsl_span){ .offset = t->offset, .len = t->len };
}

void wgsl_syntax(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...)
{
	char text[400];
	va_list args;

	if (c->has_failed)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	wgsl_error(c, at, "%s", text);
	c->has_failed = true;
}

const char *wgsl_tok_shown(struct wgsl_comp *c, const struct wgsl_tok *t)
{
	int len = t->len > 40 ? 40 : (int)t->len;

	if (t->kind == TOK_END)
		return "the end of the text";
	return arena_printf(c->arena, "'%.*s'", len, c->src->text + t->offset);
}

/* What is missing at the end of a line is not wanted at the next line's begin. */
static bool is_first_in_line(const struct wgsl_comp *c, const struct wgsl_tok *t)
{
	uint32_t column;

	return c->pos > 0 && wgsl_line_of(c, t->offset, &column) !=
				 wgsl_line_of(c, t[-1].offset + t[-1].len - 1, &column);
}

bool wgsl_expect(struct wgsl_comp *c, enum wgsl_tok_kind kind, const char *where)
{
	const struct wgsl_tok *t = wgsl_peek(c);
	struct wgsl_span at;

	if (c->has_failed)
		return false;
	if (wgsl_accept(c, kind))
		return true;
	at = wgsl_tok_span(t);
	if (kind == TOK_SEMI && is_first_in_line(c, t))
		at = (struct wgsl_span){ t[-1].offset + t[-1].len, 1 };
	wgsl_syntax(c, at, "expected %s %s, found %s%s", wgsl_tok_text(kind), where,
		    wgsl_tok_shown(c, t), wgsl_hint_token(c));
	return false;
}

struct wgsl_name *wgsl_expect_name(struct wgsl_comp *c, const char *what, struct wgsl_span *at)
{
	const struct wgsl_tok *t = wgsl_peek(c);

	*at = wgsl_tok_span(t);
	if (wgsl_accept(c, TOK_IDENT))
		return t->name;
	if (t->kind >= TOK_ALIAS)
		wgsl_syntax(c, *at, "expected %s, found the keyword %s", what,
			    wgsl_tok_shown(c, t));
	else
		wgsl_syntax(c, *at, "expected %s, found %s", what, wgsl_tok_shown(c, t));
	return NULL;
}

void wgsl_push_expr(struct wgsl_comp *c, struct wgsl_exprs *list, size_t *cap, struct wgsl_expr *e)
{
	arena_reserve(c->arena, &list->list, cap, list->n, sizeof(struct wgsl_expr *));
	list->list[list->n++] = e;
}

/* ---- expressions ------------------------------------------------------------------------- */

static bool enter(struct wgsl_comp *c)
{
	if (++c->expr_nesting <= WGSL_MAX_EXPR_DEPTH)
		return true;
	wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)), "the expression nests too deeply (limit %d)",
		    WGSL_MAX_EXPR_DEPTH);
	return false;
}

static void leave(struct wgsl_comp *c)
{
	c->expr_nesting--;
}

static struct wgsl_expr *new_expr(struct wgsl_comp *c, enum wgsl_expr_kind kind,
				  struct wgsl_span at)
{
	struct wgsl_expr *e = arena_new(c->arena, struct wgsl_expr);

	e->kind = kind;
	e->at = at;
	e->whole = at;
	return e;
}

static struct wgsl_expr *with_child(struct wgsl_comp *c, struct wgsl_expr *e,
				    const struct wgsl_expr *child)
{
	if (child->depth + 1 > e->depth)
		e->depth = child->depth + 1;
	e->whole = wgsl_span_join(e->whole, child->whole);
	if (e->depth > WGSL_MAX_EXPR_DEPTH) {
		wgsl_syntax(c, e->at, "the expression is more than %d operators deep",
			    WGSL_MAX_EXPR_DEPTH);
		return NULL;
	}
	return e;
}

static struct wgsl_expr *binary(struct wgsl_comp *c, struct wgsl_expr *a, struct wgsl_expr *b,
				enum wgsl_tok_kind op, struct wgsl_span at)
{
	struct wgsl_expr *e;

	if (a == NULL || b == NULL)
		return NULL;
	e = new_expr(c, EX_BINARY, at);
	e->op = op;
	e->a = a;
	e->b = b;
	if (with_child(c, e, a) == NULL)
		return NULL;
	return with_child(c, e, b);
}

/* Rounded to the type; beyond its range infinity. */
static double to_kind(enum wgsl_kind kind, double f)
{
	if (kind == WGSL_F16)
		return wgsl_half(f);
	return kind == WGSL_F32 ? (double)(float)f : f;
}

static bool is_hex(const char *s, size_t len)
{
	return len > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

/* A hexadecimal number with a suffix must be exact: f32 has 24 bits, which seven digits hold. */
static bool is_inexact_hex(const char *s, size_t len, enum wgsl_kind kind, double f)
{
	double r = to_kind(kind, f);
	size_t first = len;
	size_t last = 0;
	size_t n = 0;

	if (kind > WGSL_F16 || !is_hex(s, len))
		return false;
	for (size_t i = 2; i < len && s[i] != 'p' && s[i] != 'P'; i++) {
		if (s[i] == '.')
			continue;
		n++;
		if (s[i] == '0')
			continue;
		first = n < first ? n : first;
		last = n;
	}
	return (last > 0 && last - first >= 7) || (isfinite(r) && r != f) || (last > 0 && f == 0.0);
}

/* Letters behind the digits, as in 1.0f32. */
static bool is_suffixed(const char *s, size_t len)
{
	static const char ours[] = "0123456789.eE+-";

	return s[0] != '\0' && !is_hex(s, len) && strspn(s, ours) < len;
}

static bool parse_float(struct wgsl_comp *c, struct wgsl_expr *e, const char *s, size_t len,
			enum wgsl_kind kind)
{
	struct err ignored = { 0 };
	struct wgsl_value *v = arena_new(c->arena, struct wgsl_value);
	double f = 0;

	/* "1." and "0x1." are numbers here; the dot says nothing then. */
	if (len > 1 && s[len - 1] == '.')
		len--;
	if (num_parse_f64(s, len, &f, &ignored) < 0) {
		wgsl_syntax(c, e->at, "%s",
			    is_suffixed(s, len) ? "not a number; it may end in i, u, f or h"
						: "not a number that f64 can hold");
		return false;
	}
	v->type = c->basic[kind];
	v->v[0].f = to_kind(kind, f);
	if (is_inexact_hex(s, len, kind, f)) {
		wgsl_syntax(c, e->at, "%s cannot hold exactly this value",
			    wgsl_type_text(c, v->type));
		return false;
	}
	if (isinf(v->v[0].f)) {
		wgsl_syntax(c, e->at, "the value does not fit into %s", wgsl_type_text(c, v->type));
		return false;
	}
	e->value = v;
	return true;
}

static bool are_digits(const char *s, size_t len, bool hex)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", s[i]) == NULL)
			return false;
	return len > 0;
}

static uint64_t max_integer(enum wgsl_kind kind)
{
	if (kind == WGSL_I32)
		return INT32_MAX;
	if (kind == WGSL_U32)
		return UINT32_MAX;
	return kind == WGSL_U64 ? UINT64_MAX : INT64_MAX;
}

static bool parse_integer(struct wgsl_comp *c, struct wgsl_expr *e, const char *s, size_t len,
			  enum wgsl_kind kind)
{
	struct err ignored = { 0 };
	struct wgsl_value *v = arena_new(c->arena, struct wgsl_value);
	bool hex = is_hex(s, len);
	uint64_t n = 0;
	int rc = hex ? num_parse_base(s + 2, len - 2, 16, UINT64_MAX, &n, &ignored)
		     : num_parse_base(s, len, 10, UINT64_MAX, &n, &ignored);

	if (!hex && len > 1 && s[0] == '0') {
		wgsl_syntax(c, e->at, "%s",
			    s[1] == 'b' || s[1] == 'B'
				? "WGSL has no binary numbers: write them as 0x..."
				: "a decimal number must not begin with 0");
		return false;
	}
	if (!are_digits(hex ? s + 2 : s, hex ? len - 2 : len, hex)) {
		wgsl_syntax(c, e->at, "not a number; it may end in i, u, f or h");
		return false;
	}
	if (rc < 0 || n > max_integer(kind)) {
		wgsl_syntax(c, e->at, "the value does not fit into %s",
			    kind == WGSL_ABSTRACT_INT ? "64 bits"
						      : wgsl_type_text(c, c->basic[kind]));
		return false;
	}
	v->type = c->basic[kind];
	v->v[0].i = (int64_t)n;
	e->value = v;
	return true;
}

struct number {
	const char *text;
	size_t len; /* without the suffix */
	bool hex, has_exponent, has_dot;
	enum wgsl_kind kind; /* of the suffix; abstract without one */
};

/* i, u, f, h of WGSL; li, lu, lf of 64 bits. */
static enum wgsl_kind suffix_kind(char last, bool is_long)
{
	if (last == 'i')
		return is_long ? WGSL_I64 : WGSL_I32;
	if (last == 'u')
		return is_long ? WGSL_U64 : WGSL_U32;
	if (last == 'f')
		return is_long ? WGSL_F64 : WGSL_F32;
	return WGSL_F16;
}

/* The characters were collected by the lexer; the number parsers refuse what is malformed. */
static struct number split_number(const char *s, size_t len)
{
	struct number n = { .text = s, .len = len };
	char last = s[len - 1];
	bool is_long = len > 1 && s[len - 2] == 'l' && last != 'h';
	bool is_float;

	n.hex = is_hex(s, len);
	n.has_exponent =
	    memchr(s, n.hex ? 'p' : 'e', len) != NULL || memchr(s, n.hex ? 'P' : 'E', len) != NULL;
	n.has_dot = memchr(s, '.', len) != NULL;
	is_float = (last == 'f' || last == 'h') && (!n.hex || n.has_exponent);
	n.kind = n.has_exponent || n.has_dot ? WGSL_ABSTRACT_FLOAT : WGSL_ABSTRACT_INT;
	if (last == 'i' || last == 'u' || is_float) {
		n.kind = suffix_kind(last, is_long);
		n.len -= is_long ? 2 : 1;
	}
	return n;
}

static struct wgsl_expr *parse_number(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_next(c);
	struct number n = split_number(c->src->text + t->offset, t->len);
	struct wgsl_expr *e = new_expr(c, EX_LITERAL, wgsl_tok_span(t));
	bool is_integer = wgsl_type_is_integer(c->basic[n.kind]);
	uint32_t missing = wgsl_feature_of(n.kind) & ~c->features;
	bool ok;

	if (!n.has_exponent && !n.has_dot && !is_integer && n.len > 1 && n.text[0] == '0') {
		wgsl_syntax(c, e->at, "a decimal number must not begin with 0");
		return NULL;
	}
	if ((n.has_exponent || n.has_dot) && is_integer) {
		wgsl_syntax(c, e->at, "a number with a fraction or exponent cannot be an integer");
		return NULL;
	}
	if (missing != 0) {
		wgsl_syntax(c, e->at, "a number of %s needs '%s' at the top",
			    wgsl_type_text(c, c->basic[n.kind]), wgsl_feature_text(missing));
		return NULL;
	}
	if (is_integer)
		ok = parse_integer(c, e, n.text, n.len, n.kind);
	else
		ok = parse_float(c, e, n.text, n.len, n.kind);
	return ok ? e : NULL;
}

static struct wgsl_expr *parse_bool(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_next(c);
	struct wgsl_expr *e = new_expr(c, EX_LITERAL, wgsl_tok_span(t));
	struct wgsl_value *v = arena_new(c->arena, struct wgsl_value);

	v->type = c->basic[WGSL_BOOL];
	v->v[0].i = t->kind == TOK_TRUE;
	e->value = v;
	return e;
}

/* Expressions separated by commas, one of which may trail, up to `end`. */
static bool parse_list(struct wgsl_comp *c, struct wgsl_expr *owner, struct wgsl_exprs *list,
		       enum wgsl_tok_kind end)
{
	size_t cap = 0;

	while (wgsl_peek_kind(c) != end) {
		struct wgsl_expr *e = wgsl_parse_expr(c);

		if (e == NULL || with_child(c, owner, e) == NULL)
			return false;
		wgsl_push_expr(c, list, &cap, e);
		if (!wgsl_accept(c, TOK_COMMA))
			break;
	}
	owner->whole = wgsl_span_join(owner->whole, wgsl_tok_span(wgsl_peek(c)));
	return wgsl_expect(c, end, "or ',' after this");
}

static struct wgsl_expr *parse_ident(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_next(c);
	struct wgsl_expr *e = new_expr(c, EX_IDENT, wgsl_tok_span(t));

	e->name = t->name;
	if (!wgsl_accept(c, TOK_TEMPLATE_START))
		return e;
	e->has_targs = true;
	if (wgsl_peek_kind(c) == TOK_TEMPLATE_END) {
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)), "expected a type or value after '<'");
		return NULL;
	}
	return parse_list(c, e, &e->targs, TOK_TEMPLATE_END) ? e : NULL;
}

static struct wgsl_expr *parse_call(struct wgsl_comp *c, struct wgsl_expr *callee)
{
	struct wgsl_expr *e = new_expr(c, EX_CALL, callee->at);

	e->filter = c->filter;
	e->a = callee;
	if (with_child(c, e, callee) == NULL)
		return NULL;
	return parse_list(c, e, &e->args, TOK_RPAREN) ? e : NULL;
}

static struct wgsl_expr *parse_paren(struct wgsl_comp *c)
{
	struct wgsl_span open = wgsl_tok_span(wgsl_next(c));
	struct wgsl_expr *e = wgsl_parse_expr(c);

	if (e == NULL || !wgsl_expect(c, TOK_RPAREN, "to close the parenthesis"))
		return NULL;
	e->is_parenthesised = true;
	e->whole = wgsl_span_join(open, e->whole);
	return e;
}

static struct wgsl_expr *parse_primary(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_peek(c);
	enum wgsl_tok_kind kind = wgsl_peek_kind(c);
	if (kind == TOK_NUMBER)
		return parse_number(c);
	if (kind == TOK_TRUE || kind == TOK_FALSE)
		return parse_bool(c);
	if (kind == TOK_LPAREN)
		return parse_paren(c);
	if (kind == TOK_IDENT) {
		struct wgsl_expr *e = parse_ident(c);

		if (e != NULL && wgsl_accept(c, TOK_LPAREN))
			return parse_call(c, e);
		return e;
	}
	if (kind == TOK_PLUS || kind == TOK_PLUSPLUS || kind == TOK_MINUSMINUS)
		wgsl_syntax(c, wgsl_tok_span(t), "WGSL has no unary %s in expressions",
			    wgsl_tok_text(kind));
	else
		wgsl_syntax(c, wgsl_tok_span(t), "expected an expression, found %s%s",
			    wgsl_tok_shown(c, t),
			    kind == TOK_LBRACKET || kind == TOK_LBRACE
				? "; an array's value is array(1, 2, 3)"
				: wgsl_hint_token(c));
	return NULL;
}

static struct wgsl_expr *parse_index(struct wgsl_comp *c, struct wgsl_expr *base)
{
	struct wgsl_expr *e = new_expr(c, EX_INDEX, base->at);

	e->a = base;
	e->b = wgsl_parse_expr(c);
	if (e->b == NULL || with_child(c, e, base) == NULL || with_child(c, e, e->b) == NULL)
		return NULL;
	e->at = e->b->whole;
	e->whole = wgsl_span_join(e->whole, wgsl_tok_span(wgsl_peek(c)));
	return wgsl_expect(c, TOK_RBRACKET, "after the index") ? e : NULL;
}

static struct wgsl_expr *parse_member(struct wgsl_comp *c, struct wgsl_expr *base)
{
	struct wgsl_expr *e = new_expr(c, EX_MEMBER, base->at);

	e->a = base;
	e->name = wgsl_expect_name(c, "a member after '.'", &e->at);
	e->whole = e->at;
	return e->name != NULL ? with_child(c, e, base) : NULL;
}

static struct wgsl_expr *parse_postfix(struct wgsl_comp *c)
{
	struct wgsl_expr *e = parse_primary(c);

	while (e != NULL) {
		if (wgsl_accept(c, TOK_LBRACKET))
			e = parse_index(c, e);
		else if (wgsl_accept(c, TOK_DOT))
			e = parse_member(c, e);
		else
			break;
	}
	return e;
}

static struct wgsl_expr *parse_prefix(struct wgsl_comp *c)
{
	const struct wgsl_tok *t = wgsl_next(c);
	bool is_amp = t->kind == TOK_AND;
	struct wgsl_expr *e = new_expr(c,
				       is_amp                ? EX_ADDRESS
				       : t->kind == TOK_STAR ? EX_DEREF
							     : EX_UNARY,
				       wgsl_tok_span(t));

	e->op = t->kind;
	e->a = wgsl_parse_unary(c);
	return e->a != NULL ? with_child(c, e, e->a) : NULL;
}

struct wgsl_expr *wgsl_parse_unary(struct wgsl_comp *c)
{
	enum wgsl_tok_kind kind = wgsl_peek_kind(c);
	struct wgsl_expr *e;

	if (kind != TOK_MINUS && kind != TOK_NOT && kind != TOK_TILDE && kind != TOK_STAR &&
	    kind != TOK_AND)
		return parse_postfix(c);
	if (!enter(c))
		return NULL;
	e = parse_prefix(c);
	leave(c);
	return e;
}

static bool is_multiplicative(enum wgsl_tok_kind k)
{
	return k == TOK_STAR || k == TOK_SLASH || k == TOK_PERCENT;
}

static struct wgsl_expr *parse_product(struct wgsl_comp *c, struct wgsl_expr *left)
{
	while (left != NULL && is_multiplicative(wgsl_peek_kind(c))) {
		const struct wgsl_tok *t = wgsl_next(c);

		left = binary(c, left, wgsl_parse_unary(c), t->kind, wgsl_tok_span(t));
	}
	return left;
}

/* A sum, or one shift of two unary expressions. */
static struct wgsl_expr *parse_shift(struct wgsl_comp *c, struct wgsl_expr *left)
{
	size_t n;
	enum wgsl_tok_kind op = wgsl_peek_op(c, &n);

	if (left != NULL && (op == TOK_SHL || op == TOK_SHR)) {
		struct wgsl_span at = wgsl_tok_span(wgsl_peek(c));

		at.len = 2;
		c->pos += n;
		return binary(c, left, wgsl_parse_unary(c), op, at);
	}
	left = parse_product(c, left);
	while (left != NULL && (wgsl_peek_kind(c) == TOK_PLUS || wgsl_peek_kind(c) == TOK_MINUS)) {
		const struct wgsl_tok *t = wgsl_next(c);
		struct wgsl_expr *right = parse_product(c, wgsl_parse_unary(c));

		left = binary(c, left, right, t->kind, wgsl_tok_span(t));
	}
	return left;
}

static struct wgsl_expr *parse_relation(struct wgsl_comp *c, struct wgsl_expr *left)
{
	size_t n;
	enum wgsl_tok_kind op;
	struct wgsl_span at;

	left = parse_shift(c, left);
	op = wgsl_peek_op(c, &n);
	if (left == NULL || op < TOK_LT || op > TOK_NE)
		return left;
	at = wgsl_tok_span(wgsl_peek(c));
	at.len += (uint32_t)n - 1;
	c->pos += n;
	return binary(c, left, parse_shift(c, wgsl_parse_unary(c)), op, at);
}

static bool is_bit_op(enum wgsl_tok_kind k)
{
	return k == TOK_AND || k == TOK_OR || k == TOK_XOR;
}

static struct wgsl_expr *parse_chain(struct wgsl_comp *c, struct wgsl_expr *left,
				     enum wgsl_tok_kind op)
{
	while (left != NULL && wgsl_peek_kind(c) == op) {
		struct wgsl_span at = wgsl_tok_span(wgsl_next(c));
		struct wgsl_expr *right = wgsl_parse_unary(c);

		if (!is_bit_op(op))
			right = parse_relation(c, right);
		left = binary(c, left, right, op, at);
	}
	return left;
}

/* Operators of different families do not mix without parentheses. */
static struct wgsl_expr *check_end(struct wgsl_comp *c, struct wgsl_expr *e)
{
	size_t n;
	enum wgsl_tok_kind op = wgsl_peek_op(c, &n);

	if (e == NULL || op < TOK_PLUS || op > TOK_SHR || op == TOK_NOT || op == TOK_TILDE)
		return e;
	if (e->kind != EX_BINARY || e->is_parenthesised)
		return e;
	if (op >= TOK_LT && op <= TOK_NE && e->op >= TOK_LT && e->op <= TOK_NE)
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)),
			    "comparisons do not chain: write a < b && b < c");
	else
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)),
			    "%s and %s need parentheses to say which comes first",
			    wgsl_tok_text(e->op), wgsl_tok_text(op));
	return e;
}

struct wgsl_expr *wgsl_parse_expr(struct wgsl_comp *c)
{
	struct wgsl_expr *e;
	enum wgsl_tok_kind op;

	if (!enter(c))
		return NULL;
	e = wgsl_parse_unary(c);
	op = wgsl_peek_kind(c);
	if (e != NULL && is_bit_op(op)) {
		e = parse_chain(c, e, op);
	} else {
		e = parse_relation(c, e);
		op = wgsl_peek_kind(c);
		if (op == TOK_ANDAND || op == TOK_OROR)
			e = parse_chain(c, e, op);
	}
	e = check_end(c, e);
	leave(c);
	return c->has_failed ? NULL : e;
}

struct wgsl_expr *wgsl_parse_type(struct wgsl_comp *c)
{
	struct wgsl_expr *e = NULL;

	if (wgsl_peek_kind(c) != TOK_IDENT) {
		const struct wgsl_tok *t = wgsl_peek(c);

		wgsl_syntax(c, wgsl_tok_span(t), "expected a type, found %s%s",
			    wgsl_tok_shown(c, t),
			    t->kind == TOK_LBRACKET ? "; an array is array<f32, 4>" : "");
		return NULL;
	}
	if (!enter(c))
		return NULL;
	e = parse_ident(c);
	leave(c);
	return e;
}
