/*
 * expr.h - the expression language of params, invocations, lengths and offsets.
 *
 *     expression = logic [ "?" expression ":" expression ]
 *     logic      = comparison { ( "&" | "|" ) comparison }          left to right, same level
 *     comparison = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum ]
 *     sum        = product { ( "+" | "-" ) product }
 *     product    = unary { ( "*" | "/" | "%" ) unary }
 *     unary      = "-" unary | number | name | "(" expression ")"
 *                | ( "min" | "max" ) "(" expression "," expression ")" | "abs" "(" expression ")"
 *
 * An expression is compiled for one type. EXPR_INT (i64): decimal literals are truncated, / and %
 * truncate toward zero. EXPR_FLOAT (f64): / divides exactly rounded, % is fmod. In both, x / 0 and
 * x % 0 are 0, comparisons and logic give 1 or 0, and whatever does not fit the type (an infinity
 * included) is an error, never a wrap. Only the chosen side of ?: is evaluated, and the right side
 * of & and | only if the left one does not decide. A name of the other type is converted: int to
 * float rounds, float to int truncates and must fit.
 *
 * Names are identifiers, with parts as params have them: origin.x, weights[3], m[2][0].
 * Errors begin with "column N: " (from 1, in bytes) and say what was expected.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	EXPR_MAX_TEXT = 4096, /* bytes */
	EXPR_MAX_DEPTH = 64,  /* parentheses, calls, ?: and minus signs inside each other */
	EXPR_MAX_NAME = 128,
};

enum expr_type { EXPR_INT, EXPR_FLOAT };

struct expr_value {
	enum expr_type type;
	union {
		int64_t i; /* EXPR_INT */
		double f;  /* EXPR_FLOAT, finite */
	};
};

/* Which names there are. resolve gives the slot of a name (an index into the values that
 * expr_eval gets), or -1. `expected` is for the error: "chunk or a param". */
struct expr_scope {
	int (*resolve)(void *arg, const char *name);
	void *arg;
	const char *expected;
};

/* A compiled expression. Immutable; many threads may evaluate it. */
struct expr;

/* scope NULL: no names at all. ERR_INVALID says where and what; *ret is owned. */
MUST_CHECK int expr_compile(const char *text, size_t len, enum expr_type type,
			    const struct expr_scope *scope, struct expr **ret, struct err *err);
void expr_free(struct expr *e); /* accepts NULL */
void expr_freep(struct expr **e);

enum expr_type expr_type_of(const struct expr *e);
/* The slots that it uses, each once, in order of appearance. */
size_t expr_slot_count(const struct expr *e);
int expr_slot_at(const struct expr *e, size_t i);
/* True if it uses no names. */
bool expr_is_constant(const struct expr *e);

/* values: indexed by slot; only the slots in use are read. Never allocates. ERR_INVALID: overflow,
 * with the column of the operator. */
MUST_CHECK int expr_eval(const struct expr *e, const struct expr_value *values,
			 struct expr_value *ret, struct err *err);
/* For EXPR_INT (asserted): also checks the range, "5 is not within 1 to 4". */
MUST_CHECK int expr_eval_int(const struct expr *e, const struct expr_value *values, int64_t min,
			     int64_t max, int64_t *ret, struct err *err);

#endif
