/* lex.c - see lex_int.h. */
#include <string.h>

#include "expr/lex_int.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The character i places ahead, NUL behind the end. */
static char peek(const struct expr_lexer *l, size_t i)
{
	return (char)(i < l->len - l->at ? l->text[l->at + i] : '\0');
}

static size_t digits_from(const struct expr_lexer *l, size_t n)
{
	while (is_digit(peek(l, n)))
		n++;
	return n;
}

/* 12, 1.5, .5, 1e-3. */
static size_t number_len(const struct expr_lexer *l)
{
	size_t n = digits_from(l, 0);

	if (peek(l, n) == '.')
		n = digits_from(l, n + 1);
	if (peek(l, n) == 'e' || peek(l, n) == 'E') {
		size_t e = n + 1 + (peek(l, n + 1) == '+' || peek(l, n + 1) == '-');

		if (is_digit(peek(l, e)))
			n = digits_from(l, e);
	}
	return n;
}

/* name, name.part, name[3][0].part */
static size_t name_len(const struct expr_lexer *l)
{
	size_t n = 0;

	for (;;) {
		size_t index;

		while (is_letter(peek(l, n)) || is_digit(peek(l, n)))
			n++;
		index = digits_from(l, n + 1);
		while (peek(l, n) == '[' && index > n + 1 && peek(l, index) == ']') {
			n = index + 1;
			index = digits_from(l, n + 1);
		}
		if (peek(l, n) != '.' || !is_letter(peek(l, n + 1)))
			return n;
		n++;
	}
}

/* Both quotes included; 0 if it does not end. */
static size_t string_len(const struct expr_lexer *l)
{
	size_t n = 1;

	while (l->at + n < l->len && peek(l, n) != '"' && peek(l, n) != '\n')
		n += peek(l, n) == '\\' ? 2 : 1;
	return peek(l, n) == '"' ? n + 1 : 0;
}

static int operator_kind(const struct expr_lexer *l, size_t *ret_len)
{
	static const struct {
		char text[3];
		int kind;
	} pairs[] = { { "==", TOKEN_EQ }, { "!=", TOKEN_NE },  { "<=", TOKEN_LE },
		      { ">=", TOKEN_GE }, { "&&", TOKEN_AND }, { "||", TOKEN_OR } };
	char c = peek(l, 0);

	*ret_len = 2;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (c == pairs[i].text[0] && peek(l, 1) == pairs[i].text[1])
			return pairs[i].kind;
	*ret_len = 1;
	return c != '\0' && strchr("+-*/%&|<>?:(),!", c) != NULL ? c : -1;
}

static int fail_at(const struct expr_lexer *l, const char *what, struct err *err)
{
	unsigned char c = (unsigned char)peek(l, 0);

	if (c > ' ' && c < 127)
		return err_set(err, ERR_INVALID, "column %zu: %s '%c'", l->at + 1, what, c);
	return err_set(err, ERR_INVALID, "column %zu: %s 0x%02x", l->at + 1, what, c);
}

int expr_lex_next(struct expr_lexer *l, struct err *err)
{
	struct expr_token t = { .kind = TOKEN_END };
	char c;

	while (l->at < l->len && strchr(" \t\r\n", l->text[l->at]) != NULL &&
	       l->text[l->at] != '\0')
		l->at++;
	t.at = l->at;
	t.text = l->text + l->at;
	c = peek(l, 0);
	if (l->at == l->len) {
		l->token = t;
		return 0;
	}
	if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
		t.kind = TOKEN_NUMBER;
		t.len = number_len(l);
	} else if (is_letter(c)) {
		t.kind = TOKEN_NAME;
		t.len = name_len(l);
	} else if (c == '"') {
		t.kind = TOKEN_STRING;
		t.len = string_len(l);
		if (t.len == 0)
			return err_set(err, ERR_INVALID, "column %zu: the string does not end",
				       l->at + 1);
	} else {
		t.kind = operator_kind(l, &t.len);
		if (t.kind < 0)
			return fail_at(l, "unexpected character", err);
	}
	l->at += t.len;
	l->token = t;
	return 0;
}

int expr_lex_start(struct expr_lexer *l, const char *text, size_t len, struct err *err)
{
	*l = (struct expr_lexer){ .text = text, .len = len };
	return expr_lex_next(l, err);
}

int expr_lex_accept(struct expr_lexer *l, int kind, bool *ret, struct err *err)
{
	*ret = l->token.kind == kind;
	return *ret ? expr_lex_next(l, err) : 0;
}

int expr_lex_fail(const struct expr_lexer *l, const char *what, struct err *err)
{
	const struct expr_token *t = &l->token;

	if (t->kind == TOKEN_END)
		return err_set(err, ERR_INVALID, "column %zu: expected %s, got the end", t->at + 1,
			       what);
	return err_set(err, ERR_INVALID, "column %zu: expected %s, got %.*s%s", t->at + 1, what,
		       (int)(t->len < 40 ? t->len : 40), t->text, t->len < 40 ? "" : "...");
}

int expr_lex_expect(struct expr_lexer *l, int kind, const char *what, struct err *err)
{
	if (l->token.kind != kind)
		return expr_lex_fail(l, what, err);
	return expr_lex_next(l, err);
}

bool expr_token_is(const struct expr_token *t, const char *word)
{
	return t->kind == TOKEN_NAME && strlen(word) == t->len &&
	       memcmp(t->text, word, t->len) == 0;
}
