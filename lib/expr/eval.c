/* eval.c - the stack machine of expr_int.h. */
#include <math.h>

#include "base/mem.h"
#include "base/num.h"
#include "expr/expr.h"
#include "expr/expr_int.h"

void expr_free(struct expr *e)
{
	if (e == NULL)
		return;
	mem_free(e->steps);
	mem_free(e->slots);
	mem_free(e);
}

void expr_freep(struct expr **e)
{
	expr_free(MOVE(*e));
}

enum expr_type expr_type_of(const struct expr *e)
{
	return e->type;
}

size_t expr_slot_count(const struct expr *e)
{
	return e->n_slots;
}

int expr_slot_at(const struct expr *e, size_t i)
{
	ASSERT(i < e->n_slots);
	return e->slots[i];
}

bool expr_is_constant(const struct expr *e)
{
	return e->n_slots == 0;
}

static bool divide(int64_t a, int64_t b, bool want_rest, int64_t *ret)
{
	if (b == 0) {
		*ret = 0;
		return true;
	}
	if (b == -1) {
		*ret = 0;
		return want_rest || num_sub_i64(0, a, ret);
	}
	*ret = want_rest ? a % b : a / b;
	return true;
}

/* Two integers to one; false on overflow. */
static bool combine_i(int op, int64_t a, int64_t b, int64_t *ret)
{
	switch (op) {
	case OP_ADD:
		return num_add_i64(a, b, ret);
	case OP_SUB:
		return num_sub_i64(a, b, ret);
	case OP_MUL:
		return num_mul_i64(a, b, ret);
	case OP_DIV:
		return divide(a, b, false, ret);
	case OP_MOD:
		return divide(a, b, true, ret);
	case OP_MIN:
		*ret = a < b ? a : b;
		return true;
	case OP_MAX:
		*ret = a > b ? a : b;
		return true;
	case OP_EQ:
		*ret = a == b;
		return true;
	case OP_NE:
		*ret = a != b;
		return true;
	case OP_LT:
		*ret = a < b;
		return true;
	case OP_LE:
		*ret = a <= b;
		return true;
	case OP_GT:
		*ret = a > b;
		return true;
	default:
		ASSERT(op == OP_GE);
		*ret = a >= b;
		return true;
	}
}

static double combine_f(int op, double a, double b)
{
	switch (op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		return b == 0 ? 0 : a / b;
	case OP_MOD:
		return b == 0 ? 0 : fmod(a, b);
	case OP_MIN:
		return a < b ? a : b;
	case OP_MAX:
		return a > b ? a : b;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	default:
		ASSERT(op == OP_GE);
		return a >= b;
	}
}

/* A slot's value as an integer; false if it does not fit. */
static bool load_i(const struct expr_value *v, int64_t *ret)
{
	if (v->type == EXPR_INT) {
		*ret = v->i;
		return true;
	}
	if (!(v->f >= -9223372036854775808.0 && v->f < 9223372036854775808.0))
		return false;
	*ret = (int64_t)v->f;
	return true;
}

/* Where to go on after a step that only moves: sets *at and *n (values on the stack). `zero`: the
 * top is 0. Returns what the top becomes, or -1 if it stays. */
static int move(const struct expr_step *s, bool zero, size_t *at, size_t *n)
{
	bool taken = true;
	int top = -1;

	switch (s->op) {
	case OP_BOOL:
		return !zero;
	case OP_JUMP:
		break;
	case OP_JUMP_ZERO:
		taken = zero;
		(*n)--;
		break;
	case OP_AND:
		taken = zero;
		*n -= !zero;
		break;
	default:
		ASSERT(s->op == OP_OR);
		taken = !zero;
		*n -= zero;
		top = zero ? -1 : 1;
		break;
	}
	if (taken)
		*at = (size_t)s->to - 1;
	return top;
}

static bool is_move(const struct expr_step *s)
{
	return s->op >= OP_BOOL;
}

/* NOLINTBEGIN(clang-analyzer-core*): compile.c counts the height of the stack */
static int run_i(const struct expr *e, const struct expr_value *values, int64_t *ret,
		 struct err *err)
{
	int64_t stack[EXPR_STACK];
	size_t n = 0;

	for (size_t at = 0; at < e->n_steps; at++) {
		const struct expr_step *s = &e->steps[at];
		bool fits = true;

		if (s->op == OP_CONST) {
			stack[n++] = s->i;
		} else if (s->op == OP_LOAD) {
			fits = load_i(&values[s->to], &stack[n++]);
		} else if (is_move(s)) {
			int top = move(s, stack[n - 1] == 0, &at, &n);

			if (top >= 0)
				stack[n - 1] = top;
		} else if (s->op == OP_NEG || s->op == OP_ABS) {
			if (s->op == OP_NEG || stack[n - 1] < 0)
				fits = num_sub_i64(0, stack[n - 1], &stack[n - 1]);
		} else {
			n--;
			fits = combine_i(s->op, stack[n - 1], stack[n], &stack[n - 1]);
		}
		if (!fits)
			return err_set(err, ERR_INVALID, "column %u: overflow", s->column);
	}
	ASSERT(n == 1);
	/* cppcheck-suppress uninitvar */
	*ret = stack[0];
	return 0;
}

static int run_f(const struct expr *e, const struct expr_value *values, double *ret,
		 struct err *err)
{
	double stack[EXPR_STACK];
	size_t n = 0;

	for (size_t at = 0; at < e->n_steps; at++) {
		const struct expr_step *s = &e->steps[at];

		if (s->op == OP_CONST) {
			stack[n++] = s->f;
		} else if (s->op == OP_LOAD) {
			const struct expr_value *v = &values[s->to];

			stack[n++] = v->type == EXPR_INT ? (double)v->i : v->f;
		} else if (is_move(s)) {
			int top = move(s, stack[n - 1] == 0, &at, &n);

			if (top >= 0)
				stack[n - 1] = top;
		} else if (s->op == OP_NEG) {
			stack[n - 1] = -stack[n - 1];
		} else if (s->op == OP_ABS) {
			stack[n - 1] = fabs(stack[n - 1]);
		} else {
			n--;
			stack[n - 1] = combine_f(s->op, stack[n - 1], stack[n]);
			if (!isfinite(stack[n - 1]))
				return err_set(err, ERR_INVALID, "column %u: overflow", s->column);
		}
	}
	ASSERT(n == 1);
	/* cppcheck-suppress uninitvar */
	*ret = stack[0];
	return 0;
}
/* NOLINTEND(clang-analyzer-core*) */

int expr_eval(const struct expr *e, const struct expr_value *values, struct expr_value *ret,
	      struct err *err)
{
	struct expr_value v = { .type = e->type };
	int rc = e->type == EXPR_INT ? run_i(e, values, &v.i, err) : run_f(e, values, &v.f, err);

	if (rc < 0)
		return rc;
	*ret = v;
	return 0;
}

int expr_eval_int(const struct expr *e, const struct expr_value *values, int64_t min, int64_t max,
		  int64_t *ret, struct err *err)
{
	int64_t v = 0;

	ASSERT(e->type == EXPR_INT);
	if (run_i(e, values, &v, err) < 0)
		return err->code;
	if (v < min || v > max)
		return err_set(err, ERR_INVALID, "%lld is not within %lld to %lld", (long long)v,
			       (long long)min, (long long)max);
	*ret = v;
	return 0;
}
