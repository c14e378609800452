/*
 * check_matrix.c - types and constant values of matrices.
 *
 * A matrix is a list of column vectors; its constant value is a composite of them. Products are
 * sums from left to right, rounded after each step, as the lowering makes them: f16 in steps of
 * f32, and at the end.
 */
#include "wgsl/check_int.h"
#include "wgsl/fn_int.h"

bool wgsl_is_matrix(const struct wgsl_type *t)
{
	return t->kind == WGSL_MAT;
}

static const struct wgsl_type *component(const struct wgsl_type *t)
{
	return wgsl_is_matrix(t) ? t->elem->elem : wgsl_type_scalar(t);
}

static const struct wgsl_type *with_component(struct wgsl_comp *c, const struct wgsl_type *t,
					      const struct wgsl_type *base)
{
	if (!wgsl_is_matrix(t))
		return wgsl_with_base(c, t, base);
	return wgsl_mat(c, wgsl_vec(c, base, t->elem->count), t->count);
}

/* ---- operators --------------------------------------------------------------------------- */

/* The result's type, NULL if the shapes do not fit. */
static const struct wgsl_type *product_type(struct wgsl_comp *c, const struct wgsl_type *a,
					    const struct wgsl_type *b)
{
	if (!wgsl_is_matrix(a) && !wgsl_is_vec(a))
		return b;
	if (!wgsl_is_matrix(b) && !wgsl_is_vec(b))
		return a;
	if (wgsl_is_vec(a))
		return a->count == b->elem->count ? wgsl_vec(c, a->elem, b->count) : NULL;
	if (wgsl_is_vec(b))
		return a->count == b->count ? a->elem : NULL;
	return a->count == b->elem->count ? wgsl_mat(c, a->elem, b->count) : NULL;
}

static const struct wgsl_type *result_type(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_type *a = e->a->type;
	const struct wgsl_type *b = e->b->type;

	if (e->op == TOK_STAR)
		return product_type(c, a, b);
	return (e->op == TOK_PLUS || e->op == TOK_MINUS) && a == b ? a : NULL;
}

bool wgsl_unify_matrix(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *a = e->a->type;
	const struct wgsl_type *b = e->b->type;
	const struct wgsl_type *base;

	if ((!wgsl_is_matrix(a) && !wgsl_is_numeric(a)) ||
	    (!wgsl_is_matrix(b) && !wgsl_is_numeric(b)))
		return false;
	base = wgsl_common(c, component(a), component(b));
	if (base == NULL || !wgsl_type_is_float(base))
		return false;
	return wgsl_coerce(c, e->a, with_component(c, a, base), "the value") &&
	       wgsl_coerce(c, e->b, with_component(c, b, base), "the value") &&
	       result_type(c, e) != NULL;
}

void wgsl_check_matrix(struct wgsl_comp *c, struct wgsl_expr *e)
{
	e->stage = wgsl_later(e->a->stage, e->b->stage);
	e->type = result_type(c, e);
	if (e->a->value == NULL || e->b->value == NULL || e->stage == STAGE_RUNTIME)
		return;
	e->value = wgsl_eval_matrix(c, e);
	if (e->value == NULL)
		e->type = NULL;
}

/* ---- constructors ------------------------------------------------------------------------ */

static bool all_convert(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	for (uint32_t i = 0; i < e->args.n; i++)
		if (!wgsl_coerce(c, e->args.list[i], t, "this value"))
			return false;
	return true;
}

/* The component type that the arguments ask for. */
static const struct wgsl_type *settle(struct wgsl_comp *c, const struct wgsl_expr *e,
				      const struct wgsl_type *t)
{
	for (uint32_t i = 0; i < e->args.n; i++)
		if (!wgsl_is_abstract(e->args.list[i]->type) &&
		    wgsl_type_is_float(component(e->args.list[i]->type)))
			return with_component(c, t, component(e->args.list[i]->type));
	return t;
}

/* A matrix of as many columns and rows, whatever its components are. */
static bool has_shape_of(const struct wgsl_type *a, const struct wgsl_type *b)
{
	return wgsl_is_matrix(a) && a->count == b->count && a->elem->count == b->elem->count;
}

bool wgsl_construct_matrix(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	if (wgsl_is_abstract(t))
		t = settle(c, e, t);
	e->call = CALL_CONSTRUCT;
	e->type = t;
	if (e->args.n == 1 && has_shape_of(e->args.list[0]->type, t)) {
		/* The one argument stands for all columns. */
		e->call = CALL_CONVERT;
		return !wgsl_can_convert(e->args.list[0]->type, t) ||
		       wgsl_coerce(c, e->args.list[0], t, "the value");
	}
	if (e->args.n == t->count)
		return all_convert(c, e, t->elem);
	if (e->args.n == t->count * t->elem->count)
		return all_convert(c, e, t->elem->elem);
	wgsl_error(c, e->whole, "%s is made of %u columns or %u components, not of %u values",
		   wgsl_type_text(c, t), t->count, t->count * t->elem->count, e->args.n);
	return false;
}

/* ---- functions --------------------------------------------------------------------------- */

bool wgsl_check_matrix_fn(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = e->args.list[0]->type;

	if (!wgsl_is_matrix(t) || (e->builtin == FN_DETERMINANT && t->count != t->elem->count)) {
		wgsl_error(c, e->args.list[0]->whole, "%s needs a %smatrix, not %s",
			   wgsl_fns[e->builtin].name, e->builtin == FN_DETERMINANT ? "square " : "",
			   wgsl_type_text(c, t));
		return false;
	}
	e->type = t->elem->elem;
	if (e->builtin == FN_TRANSPOSE)
		e->type = wgsl_mat(c, wgsl_vec(c, t->elem->elem, t->count), t->elem->count);
	return true;
}

/* ---- values ------------------------------------------------------------------------------ */

/* Column i, row k of an operand; scalars have one everywhere, vectors are columns. */
static double at(struct wgsl_comp *c, const struct wgsl_value *v, uint32_t i, uint32_t k)
{
	if (wgsl_is_matrix(v->type))
		return wgsl_elem_of(c, v, i)->v[k].f;
	return wgsl_comp_of(v, k).f;
}

struct rounding {
	struct wgsl_comp *c;
	struct wgsl_span at;
	enum wgsl_kind kind; /* of the result */
	bool ok;
};

static double round_to(struct rounding *r, enum wgsl_kind kind, double x)
{
	if (r->ok)
		r->ok = wgsl_round(r->c, r->at, kind, &x);
	return x;
}

/* After a step. */
static double rounded(struct rounding *r, double x)
{
	return round_to(r, r->kind == WGSL_F16 ? WGSL_F32 : r->kind, x);
}

static double result(struct rounding *r, double x)
{
	return round_to(r, r->kind, x);
}

/* Component (column i, row k) of the product: a row of a times a column of b. */
static double product_at(struct rounding *r, const struct wgsl_expr *e, uint32_t i, uint32_t k)
{
	const struct wgsl_value *a = e->a->value;
	const struct wgsl_value *b = e->b->value;
	bool is_scaled = wgsl_type_is_scalar(a->type) || wgsl_type_is_scalar(b->type);
	double sum = 0;

	if (is_scaled)
		return rounded(r, at(r->c, a, i, k) * at(r->c, b, i, k));
	/* As many columns of a matrix as components of a vector. */
	for (uint32_t m = 0; m < a->type->count; m++) {
		double x = wgsl_is_vec(a->type) ? a->v[m].f : at(r->c, a, m, k);
		double p = rounded(r, x * at(r->c, b, i, m));

		sum = m == 0 ? p : rounded(r, sum + p);
	}
	return sum;
}

static double result_at(struct rounding *r, const struct wgsl_expr *e, uint32_t i, uint32_t k)
{
	double a;
	double b;

	if (e->op == TOK_STAR)
		return product_at(r, e, i, k);
	a = at(r->c, e->a->value, i, k);
	b = at(r->c, e->b->value, i, k);
	return rounded(r, e->op == TOK_PLUS ? a + b : a - b);
}

/* A row vector times a matrix: component i comes from column i. */
static const struct wgsl_value *vector_result(struct rounding *r, struct wgsl_expr *e)
{
	struct wgsl_value *v = wgsl_new_value(r->c, e->type);
	bool is_row = wgsl_is_vec(e->a->type);

	for (uint32_t i = 0; i < e->type->count; i++)
		v->v[i].f = result(r, is_row ? result_at(r, e, i, 0) : result_at(r, e, 0, i));
	return v;
}

const struct wgsl_value *wgsl_eval_matrix(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct rounding r = { .c = c, .at = e->whole, .ok = true };
	struct wgsl_value *v = wgsl_new_value(c, e->type);

	r.kind = component(e->type)->kind;
	if (!wgsl_is_matrix(e->type)) {
		const struct wgsl_value *n = vector_result(&r, e);

		return r.ok ? n : NULL;
	}
	v->elems = arena_new_array(c->arena, const struct wgsl_value *, e->type->count);
	for (uint32_t i = 0; i < e->type->count; i++) {
		struct wgsl_value *column = wgsl_new_value(c, e->type->elem);

		for (uint32_t k = 0; k < e->type->elem->count; k++)
			column->v[k].f = result(&r, result_at(&r, e, i, k));
		v->elems[i] = column;
	}
	return r.ok ? v : NULL;
}

static double det2(struct rounding *r, double a, double b, double c, double d)
{
	return rounded(r, rounded(r, a * d) - rounded(r, b * c));
}

/* Of columns x, y, z and rows i, j, k. */
static double det3(struct rounding *r, const struct wgsl_value *m, const uint32_t cols[3],
		   const uint32_t rows[3])
{
	double a[3];
	double sum;

	for (int n = 0; n < 3; n++) {
		uint32_t y = cols[n == 0 ? 1 : 0];
		uint32_t z = cols[n == 2 ? 1 : 2];
		double d = det2(r, at(r->c, m, y, rows[1]), at(r->c, m, z, rows[1]),
				at(r->c, m, y, rows[2]), at(r->c, m, z, rows[2]));

		a[n] = rounded(r, at(r->c, m, cols[n], rows[0]) * d);
	}
	sum = rounded(r, a[0] - a[1]);
	return rounded(r, sum + a[2]);
}

static double det4(struct rounding *r, const struct wgsl_value *m)
{
	static const uint32_t rows[3] = { 1, 2, 3 };
	static const uint32_t cols[4][3] = { { 1, 2, 3 }, { 0, 2, 3 }, { 0, 1, 3 }, { 0, 1, 2 } };
	double sum = 0;

	for (uint32_t n = 0; n < 4; n++) {
		double p = rounded(r, at(r->c, m, n, 0) * det3(r, m, cols[n], rows));

		if (n == 0)
			sum = p;
		else
			sum = rounded(r, n % 2 == 1 ? sum - p : sum + p);
	}
	return sum;
}

static double determinant(struct rounding *r, const struct wgsl_value *m)
{
	static const uint32_t all[3] = { 0, 1, 2 };

	if (m->type->count == 2)
		return det2(r, at(r->c, m, 0, 0), at(r->c, m, 1, 0), at(r->c, m, 0, 1),
			    at(r->c, m, 1, 1));
	return m->type->count == 3 ? det3(r, m, all, all) : det4(r, m);
}

const struct wgsl_value *wgsl_eval_matrix_fn(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_value *m = e->args.list[0]->value;
	struct rounding r = { .c = c, .at = e->whole, .ok = true };
	struct wgsl_value *v = wgsl_new_value(c, e->type);

	r.kind = component(m->type)->kind;
	if (e->builtin == FN_DETERMINANT) {
		v->v[0].f = result(&r, determinant(&r, m));
		return r.ok ? v : NULL;
	}
	v->elems = arena_new_array(c->arena, const struct wgsl_value *, e->type->count);
	for (uint32_t i = 0; i < e->type->count; i++) {
		struct wgsl_value *column = wgsl_new_value(c, e->type->elem);

		for (uint32_t k = 0; k < e->type->elem->count; k++)
			column->v[k].f = at(c, m, k, i);
		v->elems[i] = column;
	}
	return v;
}
