/*
 * const_int.h - values at compile time: conversions and operators.
 *
 * Results that the specification calls errors (overflow of abstract numbers and of
 * const-expressions, infinities, division by zero) are reported at `at` and give NULL; inside an
 * operand that is not evaluated (c->no_eval) they give zero without a report.
 */
#ifndef WGSL_CONST_INT_H
#define WGSL_CONST_INT_H

#include "wgsl/wgsl_int.h"

const struct wgsl_value *wgsl_zero(struct wgsl_comp *c, const struct wgsl_type *t);
struct wgsl_value *wgsl_new_value(struct wgsl_comp *c, const struct wgsl_type *t);
const struct wgsl_value *wgsl_bool_value(struct wgsl_comp *c, bool b);

/* Automatic conversion of literals and constants; `to` is a type that wgsl_can_convert allows. */
const struct wgsl_value *wgsl_convert_value(struct wgsl_comp *c, struct wgsl_span at,
					    const struct wgsl_value *v, const struct wgsl_type *to);
/* Conversion as by T(x) with scalars or vectors of equal width: wraps and clamps. */
const struct wgsl_value *wgsl_cast_value(struct wgsl_comp *c, struct wgsl_span at,
					 const struct wgsl_value *v, const struct wgsl_type *to);
const struct wgsl_value *wgsl_bitcast_value(struct wgsl_comp *c, struct wgsl_span at,
					    const struct wgsl_value *v, const struct wgsl_type *to);

const struct wgsl_value *wgsl_eval_unary(struct wgsl_comp *c, enum wgsl_tok_kind op,
					 const struct wgsl_value *v);
/* Operands are converted already; a scalar beside a vector is spread. Shifts: b is u32. */
const struct wgsl_value *wgsl_eval_binary(struct wgsl_comp *c, struct wgsl_span at,
					  enum wgsl_tok_kind op, const struct wgsl_value *a,
					  const struct wgsl_value *b, const struct wgsl_type *type);
/* Builtin functions; NULL without a report: cannot be evaluated at compile time. */
const struct wgsl_value *wgsl_eval_builtin(struct wgsl_comp *c, struct wgsl_expr *e,
					   const struct wgsl_type *type);

/* Operations on matrices: as wgsl_eval_binary. */
const struct wgsl_value *wgsl_eval_matrix(struct wgsl_comp *c, struct wgsl_expr *e);
const struct wgsl_value *wgsl_eval_matrix_fn(struct wgsl_comp *c, struct wgsl_expr *e);

/* Component i; a scalar has one for every i. */
union wgsl_scalar wgsl_comp_of(const struct wgsl_value *v, uint32_t i);
/* Element or member i of a composite value (vectors too). */
const struct wgsl_value *wgsl_elem_of(struct wgsl_comp *c, const struct wgsl_value *v, uint32_t i);
/* Rounded to f16, ties to even; beyond its range infinity. */
double wgsl_half(double x);
/* The value of the bits of an f16. */
double wgsl_half_of(uint32_t bits);
/* Round to the type's precision; false (reported) if it is not finite. */
bool wgsl_round(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_kind kind, double *x);
/* Check that an integer fits into its type, report otherwise. */
bool wgsl_fits(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_kind kind, int64_t x);
/* a < b as integers of the kind. */
bool wgsl_less(enum wgsl_kind kind, int64_t a, int64_t b);
void wgsl_eval_error(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* The components' bits as in the IR (f16 as f32). */
void wgsl_value_bits(const struct wgsl_value *v, uint64_t bits[4]);
const char *wgsl_value_text(struct wgsl_comp *c, const struct wgsl_value *v);

#endif
