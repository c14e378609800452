/*
 * params.h - the named values of one chunk: expressions that may use each other.
 *
 *     struct expr_params *p = expr_params_new(EXPR_VAR_CHUNK);
 *     expr_params_add(p, "n", "100 * chunk", 11, EXPR_INT, err);
 *     expr_params_add(p, "half", "n / 2", 5, EXPR_INT, err);
 *     expr_params_link(p, err);                                  any order, no cycles
 *     expr_compile("half + 1", 8, EXPR_INT, expr_params_scope(p), &length, err);
 *     values = NEW_ARRAY(struct expr_value, expr_params_slots(p));
 *     for each chunk:
 *             expr_params_eval(p, &(struct expr_vars){ .chunk = c }, values, err);
 *             values[expr_params_slot(p, 0)]                     the value of "n"
 *             expr_eval(length, values, &v, err);
 */
#ifndef EXPR_PARAMS_H
#define EXPR_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "expr/expr.h"

enum { EXPR_MAX_PARAMS = 16384 };

/* The names that are not params (bits). */
enum expr_var { EXPR_VAR_CHUNK = 1, EXPR_VAR_RANGE = 2 /* lo and hi */ };

struct expr_vars {
	int64_t chunk;
	int64_t lo;
	int64_t hi;
};

struct expr_params;

struct expr_params *expr_params_new(int vars); /* owned by the caller */
void expr_params_free(struct expr_params *p);  /* accepts NULL */
void expr_params_freep(struct expr_params **p);

/* Add a param; text and name are copied. text NULL: the caller puts the value into its slot before
 * each expr_params_eval (manifests). Param i is the i-th one added. ERR_EXISTS: the name is there
 * already (a param may not hide chunk, lo, hi); ERR_INVALID: not a name; ERR_TOO_BIG: too many. */
MUST_CHECK int expr_params_add(struct expr_params *p, const char *name, const char *text,
			       size_t len, enum expr_type type, struct err *err);

/* Compile all, once, after the last add. ERR_INVALID names the param and the column, or the
 * cycle: "param a: cycle a -> b -> a". */
MUST_CHECK int expr_params_link(struct expr_params *p, struct err *err);

size_t expr_params_count(const struct expr_params *p);
const char *expr_params_name(const struct expr_params *p, size_t i);
/* Slots in all, and the slot of param i. */
size_t expr_params_slots(const struct expr_params *p);
int expr_params_slot(const struct expr_params *p, size_t i);

/* The names of this chunk, for expressions beside the params. Borrowed; lives as long as p. */
const struct expr_scope *expr_params_scope(const struct expr_params *p);

/* Evaluate all params of one chunk. On failure the text begins with "param NAME: ". */
MUST_CHECK int expr_params_eval(const struct expr_params *p, const struct expr_vars *vars,
				struct expr_value *values, struct err *err);

#endif
