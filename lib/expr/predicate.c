/* predicate.c - see predicate.h: parsing and matching. */
#include "expr/predicate.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "expr/lex_int.h"
#include "expr/predicate_int.h"

enum { MAX_NESTING = 64 };

struct parser {
	struct expr_lexer lex;
	int nesting;
	struct err *err;
};

static struct expr_test *parse_or(struct parser *p);

static void test_free(struct expr_test *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n_parts; i++)
		test_free(t->parts[i]);
	mem_free(t->parts);
	mem_free(t->key);
	mem_free(t->value);
	mem_free(t);
}

static void test_freep(struct expr_test **t)
{
	test_free(MOVE(*t));
}

static struct expr_test *test_new(enum expr_test_kind kind)
{
	struct expr_test *t = NEW(struct expr_test);

	t->kind = kind;
	return t;
}

/* part is taken. */
static void add_part(struct expr_test *t, struct expr_test *part)
{
	mem_reserve(&t->parts, &t->cap, t->n_parts, sizeof(struct expr_test *));
	t->parts[t->n_parts++] = part;
}

static bool is_word(const struct parser *p, int kind, const char *word)
{
	return p->lex.token.kind == kind || expr_token_is(&p->lex.token, word);
}

/* The text between the quotes. Owned, NULL on failure. */
static char *string(struct parser *p)
{
	const struct expr_token t = p->lex.token;
	AUTO(mem_freep) char *s = NULL;
	size_t n = 0;

	if (t.kind != TOKEN_STRING) {
		expr_lex_fail(&p->lex, "a string in double quotes", p->err);
		return NULL;
	}
	s = mem_alloc(t.len);
	for (size_t i = 1; i + 1 < t.len; i++) {
		bool escape = t.text[i] == '\\';

		i += escape;
		if (escape && t.text[i] != '"' && t.text[i] != '\\') {
			err_set(p->err, ERR_INVALID,
				"column %zu: unknown escape, expected \\\" or \\\\", t.at + i);
			return NULL;
		}
		s[n++] = t.text[i];
	}
	if (strlen(s) != n) {
		err_set(p->err, ERR_INVALID, "column %zu: a NUL character", t.at + 1);
		return NULL;
	}
	return expr_lex_next(&p->lex, p->err) == 0 ? MOVE(s) : NULL;
}

static bool comparison(struct parser *p, struct expr_test *t)
{
	static const int kinds[] = { TOKEN_EQ, TOKEN_NE, '<', TOKEN_LE, '>', TOKEN_GE };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (p->lex.token.kind == kinds[i]) {
			t->compare = (enum expr_compare)i;
			return expr_lex_next(&p->lex, p->err) == 0;
		}
	}
	expr_lex_fail(&p->lex, "==, !=, <, <=, > or >=", p->err);
	return false;
}

/* `>= 8192` behind num("..."). */
static bool number_test(struct parser *p, struct expr_test *t)
{
	struct err bad = { 0 };
	struct expr_token n;
	bool negative;

	if (!comparison(p, t) || expr_lex_accept(&p->lex, '-', &negative, p->err) < 0)
		return false;
	n = p->lex.token;
	if (n.kind != TOKEN_NUMBER) {
		expr_lex_fail(&p->lex, "a number", p->err);
		return false;
	}
	if (num_parse_f64(n.text, n.len, &t->number, &bad) < 0) {
		err_set(p->err, ERR_INVALID, "column %zu: the number does not fit f64", n.at + 1);
		return false;
	}
	t->number = negative ? -t->number : t->number;
	t->value = mem_alloc(n.len + 2);
	t->value[0] = '-';
	memcpy(t->value + negative, n.text, n.len);
	return expr_lex_next(&p->lex, p->err) == 0;
}

/* has("x"), attr("k", "v"), num("k") >= 5 */
static struct expr_test *parse_test(struct parser *p, enum expr_test_kind kind)
{
	AUTO(test_freep) struct expr_test *t = test_new(kind);

	if (expr_lex_next(&p->lex, p->err) < 0 || expr_lex_expect(&p->lex, '(', "'('", p->err) < 0)
		return NULL;
	t->key = string(p);
	if (t->key == NULL)
		return NULL;
	if (kind == TEST_ATTR) {
		if (expr_lex_expect(&p->lex, ',', "','", p->err) < 0)
			return NULL;
		t->value = string(p);
		if (t->value == NULL)
			return NULL;
	}
	if (expr_lex_expect(&p->lex, ')', "')'", p->err) < 0)
		return NULL;
	if (kind == TEST_NUM && !number_test(p, t))
		return NULL;
	return MOVE(t);
}

static struct expr_test *parse_primary(struct parser *p)
{
	AUTO(test_freep) struct expr_test *t = NULL;

	if (p->lex.token.kind == '(') {
		if (expr_lex_next(&p->lex, p->err) < 0)
			return NULL;
		t = parse_or(p);
		if (t == NULL || expr_lex_expect(&p->lex, ')', "')'", p->err) < 0)
			return NULL;
		return MOVE(t);
	}
	if (expr_token_is(&p->lex.token, "has"))
		return parse_test(p, TEST_HAS);
	if (expr_token_is(&p->lex.token, "attr"))
		return parse_test(p, TEST_ATTR);
	if (expr_token_is(&p->lex.token, "num"))
		return parse_test(p, TEST_NUM);
	if (!expr_token_is(&p->lex.token, "any")) {
		expr_lex_fail(&p->lex, "has(...), attr(...), num(...), any, not or '('", p->err);
		return NULL;
	}
	return expr_lex_next(&p->lex, p->err) == 0 ? test_new(TEST_ANY) : NULL;
}

static struct expr_test *parse_not(struct parser *p)
{
	bool negate = false;
	struct expr_test *t;
	struct expr_test *inner;

	while (is_word(p, '!', "not")) {
		negate = !negate;
		if (expr_lex_next(&p->lex, p->err) < 0)
			return NULL;
	}
	inner = parse_primary(p);
	if (inner == NULL || !negate)
		return inner;
	t = test_new(TEST_NOT);
	add_part(t, inner);
	return t;
}

static struct expr_test *parse_and(struct parser *p)
{
	AUTO(test_freep) struct expr_test *t = test_new(TEST_AND);

	for (;;) {
		struct expr_test *part = parse_not(p);

		if (part == NULL)
			return NULL;
		add_part(t, part);
		if (!is_word(p, TOKEN_AND, "and"))
			return MOVE(t);
		if (expr_lex_next(&p->lex, p->err) < 0)
			return NULL;
	}
}

static struct expr_test *parse_or(struct parser *p)
{
	AUTO(test_freep) struct expr_test *t = test_new(TEST_OR);

	if (p->nesting++ == MAX_NESTING) {
		err_set(p->err, ERR_INVALID, "column %zu: nested deeper than %d",
			p->lex.token.at + 1, MAX_NESTING);
		return NULL;
	}
	for (;;) {
		struct expr_test *part = parse_and(p);

		if (part == NULL)
			return NULL;
		add_part(t, part);
		if (!is_word(p, TOKEN_OR, "or"))
			break;
		if (expr_lex_next(&p->lex, p->err) < 0)
			return NULL;
	}
	p->nesting--;
	return MOVE(t);
}

int expr_predicate_compile(const char *text, size_t len, struct expr_predicate **ret,
			   struct err *err)
{
	AUTO(expr_predicate_freep) struct expr_predicate *pred = NEW(struct expr_predicate);
	struct parser p = { .err = err };

	if (len > EXPR_MAX_PREDICATE)
		return err_set(err, ERR_INVALID, "%zu bytes, at most %d", len, EXPR_MAX_PREDICATE);
	if (expr_lex_start(&p.lex, text, len, err) < 0)
		return err->code;
	if (p.lex.token.kind == TOKEN_END)
		pred->root = test_new(TEST_ANY);
	else
		pred->root = parse_or(&p);
	if (pred->root == NULL)
		return err->code;
	if (p.lex.token.kind != TOKEN_END)
		return expr_lex_fail(&p.lex, "and, or or the end", err);
	*ret = MOVE(pred);
	return 0;
}

void expr_predicate_free(struct expr_predicate *p)
{
	if (p == NULL)
		return;
	test_free(p->root);
	mem_free(p);
}

void expr_predicate_freep(struct expr_predicate **p)
{
	expr_predicate_free(MOVE(*p));
}

static bool compare(enum expr_compare op, double a, double b)
{
	switch (op) {
	case COMPARE_EQ:
		return a == b;
	case COMPARE_NE:
		return a != b;
	case COMPARE_LT:
		return a < b;
	case COMPARE_LE:
		return a <= b;
	case COMPARE_GT:
		return a > b;
	case COMPARE_GE:
		break;
	}
	return a >= b;
}

static bool any_part(const struct expr_test *t, const struct expr_caps *caps, const void *node,
		     bool want)
{
	for (size_t i = 0; i < t->n_parts; i++)
		if (expr_test_match(t->parts[i], caps, node) == want)
			return true;
	return false;
}

bool expr_test_match(const struct expr_test *t, const struct expr_caps *caps, const void *node)
{
	const char *value;
	double number;

	switch (t->kind) {
	case TEST_ANY:
		return true;
	case TEST_HAS:
		return caps->has(node, t->key);
	case TEST_ATTR:
		value = caps->attr(node, t->key);
		return value != NULL && strcmp(value, t->value) == 0;
	case TEST_NUM:
		return caps->num(node, t->key, &number) && compare(t->compare, number, t->number);
	case TEST_NOT:
		return !expr_test_match(t->parts[0], caps, node);
	case TEST_AND:
		return !any_part(t, caps, node, false);
	case TEST_OR:
		break;
	}
	return any_part(t, caps, node, true);
}

bool expr_predicate_match(const struct expr_predicate *p, const struct expr_caps *caps,
			  const void *node)
{
	return expr_test_match(p->root, caps, node);
}
