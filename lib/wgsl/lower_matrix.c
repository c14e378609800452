/*
 * lower_matrix.c - matrices: in memory as columns, in between as one vector per column.
 *
 * Products are sums from left to right: a matrix times a vector adds up its columns, a vector
 * times a matrix is one dot product per column.
 */
#include <string.h>

#include "base/mem.h"
#include "wgsl/check_int.h"
#include "wgsl/const_int.h"
#include "wgsl/fn_int.h"
#include "wgsl/lower_int.h"

/* A scalar or vector (`value`), or the columns of a matrix. */
struct operand {
	const struct wgsl_type *type;
	struct wgsl_inst *value;
	struct wgsl_inst *columns[4];
};

static struct operand lower_operand(struct wgsl_lower *l, struct wgsl_expr *e);

static struct wgsl_inst *bin(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			     struct wgsl_inst *b)
{
	ASSERT(a != NULL && b != NULL);
	return wgsl_binary(l, op, wgsl_spread(l, a, b->type), wgsl_spread(l, b, a->type));
}

static struct operand load_place(struct wgsl_lower *l, struct wgsl_path *p)
{
	struct operand o = { .type = p->type };

	if (!wgsl_is_matrix(p->type)) {
		o.value = wgsl_load(l, p);
		return o;
	}
	for (uint32_t i = 0; i < p->type->count; i++)
		o.columns[i] = wgsl_load(l, wgsl_step_const(l, p, i));
	return o;
}

static void store_place(struct wgsl_lower *l, struct wgsl_path *p, const struct operand *o,
			bool is_init)
{
	if (l->failed)
		return;
	if (!wgsl_is_matrix(o->type)) {
		wgsl_store(l, p, o->value, is_init);
		return;
	}
	wgsl_begin(l, p);
	for (uint32_t i = 0; i < o->type->count; i++)
		wgsl_store(l, wgsl_step_const(l, p, i), o->columns[i], is_init);
}

static struct wgsl_inst *compose(struct wgsl_lower *l, const struct wgsl_type *t,
				 struct wgsl_inst *const parts[4])
{
	struct wgsl_inst *v = wgsl_emit(l, WGSL_OP_COMPOSE, t);

	memcpy(v->args, parts, sizeof(v->args));
	v->n_args = t->count;
	return v;
}

/* ---- products ---------------------------------------------------------------------------- */

/* Sum of columns, each times a component of v. */
static struct wgsl_inst *matrix_vector(struct wgsl_lower *l, const struct operand *m,
				       struct wgsl_inst *v)
{
	struct wgsl_inst *sum = NULL;

	for (uint32_t i = 0; i < m->type->count; i++) {
		struct wgsl_inst *p = bin(l, WGSL_OP_MUL, m->columns[i], wgsl_extract(l, v, i));

		sum = sum == NULL ? p : wgsl_binary(l, WGSL_OP_ADD, sum, p);
	}
	return sum;
}

static struct wgsl_inst *dot(struct wgsl_lower *l, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *p;
	struct wgsl_inst *sum;

	ASSERT(a != NULL && b != NULL);
	p = wgsl_binary(l, WGSL_OP_MUL, a, b);
	sum = wgsl_extract(l, p, 0);
	for (uint32_t i = 1; i < wgsl_type_width(a->type); i++)
		sum = wgsl_binary(l, WGSL_OP_ADD, sum, wgsl_extract(l, p, i));
	return sum;
}

static struct operand product(struct wgsl_lower *l, const struct operand *a,
			      const struct operand *b, const struct wgsl_type *type)
{
	struct operand r = { .type = type };
	struct wgsl_inst *parts[4] = { NULL };

	if (!wgsl_is_matrix(type) && wgsl_is_matrix(a->type)) {
		r.value = matrix_vector(l, a, b->value);
	} else if (!wgsl_is_matrix(type)) {
		for (uint32_t i = 0; i < type->count; i++)
			parts[i] = dot(l, a->value, b->columns[i]);
		r.value = compose(l, type, parts);
	} else {
		for (uint32_t i = 0; i < type->count; i++) {
			if (!wgsl_is_matrix(a->type))
				r.columns[i] = bin(l, WGSL_OP_MUL, a->value, b->columns[i]);
			else if (!wgsl_is_matrix(b->type))
				r.columns[i] = bin(l, WGSL_OP_MUL, a->columns[i], b->value);
			else
				r.columns[i] = matrix_vector(l, a, b->columns[i]);
		}
	}
	return r;
}

static struct operand operate(struct wgsl_lower *l, enum wgsl_tok_kind op, const struct operand *a,
			      const struct operand *b, const struct wgsl_type *type)
{
	enum wgsl_op plain = op == TOK_PLUS ? WGSL_OP_ADD : WGSL_OP_SUB;
	struct operand r = { .type = type };

	if (l->failed)
		return *a;
	if (op == TOK_STAR)
		return product(l, a, b, type);
	for (uint32_t i = 0; i < type->count; i++)
		r.columns[i] = wgsl_binary(l, plain, a->columns[i], b->columns[i]);
	return r;
}

/* Of f16 the result is rounded, not each step. */
static void round_halves(struct wgsl_lower *l, struct operand *o)
{
	bool is_matrix = wgsl_is_matrix(o->type);

	if (l->failed || wgsl_type_base(is_matrix ? o->type->elem : o->type) != WGSL_F16)
		return;
	if (!is_matrix)
		o->value = wgsl_round_half(l, o->value);
	for (uint32_t i = 0; is_matrix && i < o->type->count; i++)
		o->columns[i] = wgsl_round_half(l, o->columns[i]);
}

/* ---- operands ---------------------------------------------------------------------------- */

static struct operand constant(struct wgsl_lower *l, const struct wgsl_value *v)
{
	struct operand o = { .type = v->type };

	for (uint32_t i = 0; i < v->type->count; i++)
		o.columns[i] = wgsl_const_value(l, wgsl_elem_of(l->c, v, i));
	return o;
}

static struct operand constructed(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct operand o = { .type = e->type };
	uint32_t rows = e->type->elem->count;

	for (uint32_t i = 0; i < e->type->count && !l->failed; i++) {
		struct wgsl_inst *parts[4] = { NULL };

		if (e->args.n == e->type->count) {
			o.columns[i] = wgsl_lower_value(l, e->args.list[i]);
			continue;
		}
		for (uint32_t k = 0; k < rows; k++)
			parts[k] = wgsl_lower_value(l, e->args.list[i * rows + k]);
		o.columns[i] = compose(l, e->type->elem, parts);
	}
	return o;
}

static struct operand transposed(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct operand m = lower_operand(l, e->args.list[0]);
	struct operand o = { .type = e->type };

	for (uint32_t i = 0; i < e->type->count && !l->failed; i++) {
		struct wgsl_inst *parts[4] = { NULL };

		for (uint32_t k = 0; k < e->type->elem->count; k++)
			parts[k] = wgsl_extract(l, m.columns[k], i);
		o.columns[i] = compose(l, e->type->elem, parts);
	}
	return o;
}

static struct operand lower_product(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct operand a = lower_operand(l, e->a);
	struct operand b = lower_operand(l, e->b);
	struct operand r;

	wgsl_lower_at(l, e->at);
	r = operate(l, e->op, &a, &b, e->type);
	round_halves(l, &r);
	return r;
}

/* Columns of other components. */
static struct operand converted(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct operand o = lower_operand(l, e->args.list[0]);
	bool is_copy = e->args.list[0]->type == e->type;

	o.type = e->type;
	for (uint32_t i = 0; i < e->type->count && !l->failed; i++) {
		ASSERT(o.columns[i] != NULL);
		if (o.columns[i]->type != wgsl_value_type(l->c, e->type->elem))
			o.columns[i] = wgsl_emit1(l, WGSL_OP_CONVERT, e->type->elem, o.columns[i]);
	}
	if (!is_copy)
		round_halves(l, &o);
	return o;
}

static struct operand lower_kind(struct wgsl_lower *l, struct wgsl_expr *e)
{
	if (!wgsl_is_matrix(e->type))
		return (struct operand){ .type = e->type, .value = wgsl_lower_value(l, e) };
	if (e->value != NULL)
		return constant(l, e->value);
	if (e->kind == EX_BINARY)
		return lower_product(l, e);
	if (e->kind == EX_CALL && e->call == CALL_CONSTRUCT)
		return constructed(l, e);
	if (e->kind == EX_CALL && e->call == CALL_CONVERT)
		return converted(l, e);
	if (e->kind == EX_CALL && e->call == CALL_BUILTIN)
		return transposed(l, e);
	return load_place(l, wgsl_lower_place(l, e));
}

static struct operand lower_operand(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct operand o = { .type = e->type };

	if (++l->depth > WGSL_MAX_EXPR_DEPTH * 4)
		wgsl_lower_fail(l, "expressions nest too deeply with all calls expanded");
	if (!l->failed)
		o = lower_kind(l, e);
	l->depth--;
	return o;
}

/* ---- determinant ------------------------------------------------------------------------- */

static struct wgsl_inst *cell(struct wgsl_lower *l, const struct operand *m, uint32_t i, uint32_t k)
{
	return wgsl_extract(l, m->columns[i], k);
}

static struct wgsl_inst *det2(struct wgsl_lower *l, const struct operand *m, const uint32_t cols[2],
			      const uint32_t rows[2])
{
	struct wgsl_inst *p =
	    wgsl_binary(l, WGSL_OP_MUL, cell(l, m, cols[0], rows[0]), cell(l, m, cols[1], rows[1]));
	struct wgsl_inst *q =
	    wgsl_binary(l, WGSL_OP_MUL, cell(l, m, cols[1], rows[0]), cell(l, m, cols[0], rows[1]));

	return wgsl_binary(l, WGSL_OP_SUB, p, q);
}

static struct wgsl_inst *det3(struct wgsl_lower *l, const struct operand *m, const uint32_t cols[3],
			      const uint32_t rows[3])
{
	struct wgsl_inst *a[3];

	for (int n = 0; n < 3; n++) {
		const uint32_t rest[2] = { cols[n == 0 ? 1 : 0], cols[n == 2 ? 1 : 2] };

		a[n] = wgsl_binary(l, WGSL_OP_MUL, cell(l, m, cols[n], rows[0]),
				   det2(l, m, rest, rows + 1));
	}
	return wgsl_binary(l, WGSL_OP_ADD, wgsl_binary(l, WGSL_OP_SUB, a[0], a[1]), a[2]);
}

static struct wgsl_inst *det4(struct wgsl_lower *l, const struct operand *m)
{
	static const uint32_t rows[3] = { 1, 2, 3 };
	static const uint32_t cols[4][3] = { { 1, 2, 3 }, { 0, 2, 3 }, { 0, 1, 3 }, { 0, 1, 2 } };
	struct wgsl_inst *sum = NULL;

	for (uint32_t n = 0; n < 4; n++) {
		struct wgsl_inst *p =
		    wgsl_binary(l, WGSL_OP_MUL, cell(l, m, n, 0), det3(l, m, cols[n], rows));

		if (sum == NULL)
			sum = p;
		else
			sum = wgsl_binary(l, n % 2 == 1 ? WGSL_OP_SUB : WGSL_OP_ADD, sum, p);
	}
	return sum;
}

static struct wgsl_inst *determinant(struct wgsl_lower *l, struct wgsl_expr *e)
{
	static const uint32_t all[3] = { 0, 1, 2 };
	struct operand m = lower_operand(l, e->args.list[0]);
	struct wgsl_inst *v;

	if (l->failed)
		return NULL;
	if (m.type->count == 2)
		v = det2(l, &m, all, all);
	else
		v = m.type->count == 3 ? det3(l, &m, all, all) : det4(l, &m);
	return wgsl_type_base(e->type) == WGSL_F16 ? wgsl_round_half(l, v) : v;
}

/* ---- from outside ------------------------------------------------------------------------ */

bool wgsl_makes_matrix(const struct wgsl_expr *e)
{
	return wgsl_is_matrix(e->type) && (e->value != NULL || e->kind == EX_BINARY ||
					   (e->kind == EX_CALL && e->call != CALL_USER));
}

void wgsl_lower_matrix_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e,
			    bool is_init)
{
	struct operand o = lower_operand(l, e);

	store_place(l, to, &o, is_init);
}

bool wgsl_uses_matrix(const struct wgsl_expr *e)
{
	if (e->kind == EX_CALL)
		return e->call == CALL_BUILTIN && e->builtin == FN_DETERMINANT;
	return e->kind == EX_BINARY && (wgsl_is_matrix(e->a->type) || wgsl_is_matrix(e->b->type));
}

struct wgsl_inst *wgsl_lower_matrix_value(struct wgsl_lower *l, struct wgsl_expr *e)
{
	if (e->kind == EX_CALL)
		return determinant(l, e);
	return lower_product(l, e).value;
}

void wgsl_lower_matrix_assign(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e)
{
	struct operand a = load_place(l, to);
	struct operand b = lower_operand(l, e->b);
	struct operand r;

	wgsl_lower_at(l, e->at);
	r = operate(l, e->op, &a, &b, e->type);
	round_halves(l, &r);
	store_place(l, to, &r, false);
}
