/* lex_int.h - tokens of both languages; for lib/expr only. */
#ifndef EXPR_LEX_INT_H
#define EXPR_LEX_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* One-character operators are their character. */
enum expr_token_kind {
	TOKEN_END = 256,
	TOKEN_NUMBER,
	TOKEN_NAME,
	TOKEN_STRING, /* at the opening quote, both quotes included */
	TOKEN_EQ,     /* == */
	TOKEN_NE,     /* != */
	TOKEN_LE,     /* <= */
	TOKEN_GE,     /* >= */
	TOKEN_AND,    /* && */
	TOKEN_OR,     /* || */
};

struct expr_token {
	int kind;
	size_t at;        /* offset in the text */
	const char *text; /* borrowed: from the text */
	size_t len;
};

struct expr_lexer {
	const char *text; /* borrowed */
	size_t len;
	size_t at;
	struct expr_token token; /* the current one */
};

/* Read the first token. */
MUST_CHECK int expr_lex_start(struct expr_lexer *l, const char *text, size_t len, struct err *err);
/* Read the next one. */
MUST_CHECK int expr_lex_next(struct expr_lexer *l, struct err *err);
/* Read the next one if the current one is of this kind; *ret says whether. */
MUST_CHECK int expr_lex_accept(struct expr_lexer *l, int kind, bool *ret, struct err *err);
/* The same, and an error if it is not: "column 5: expected ')', got \"x\"". */
MUST_CHECK int expr_lex_expect(struct expr_lexer *l, int kind, const char *what, struct err *err);
/* ERR_INVALID: "column 5: expected WHAT, got ..." about the current token. */
int expr_lex_fail(const struct expr_lexer *l, const char *what, struct err *err);

bool expr_token_is(const struct expr_token *t, const char *word);

#endif
