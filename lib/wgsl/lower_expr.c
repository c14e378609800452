/*
 * lower_expr.c - expressions to instructions.
 */
#include <math.h>
#include <string.h>

#include "wgsl/const_int.h"
#include "wgsl/fn_int.h"
#include "wgsl/lower_int.h"

/* ---- operators --------------------------------------------------------------------------- */

static enum wgsl_op plain_op(enum wgsl_tok_kind op)
{
	switch ((int)op) {
	case TOK_PLUS:
		return WGSL_OP_ADD;
	case TOK_MINUS:
		return WGSL_OP_SUB;
	case TOK_STAR:
		return WGSL_OP_MUL;
	case TOK_SLASH:
		return WGSL_OP_DIV;
	case TOK_PERCENT:
		return WGSL_OP_REM;
	case TOK_AND:
	case TOK_ANDAND:
		return WGSL_OP_AND;
	case TOK_OR:
	case TOK_OROR:
		return WGSL_OP_OR;
	case TOK_XOR:
		return WGSL_OP_XOR;
	case TOK_SHL:
		return WGSL_OP_SHL;
	case TOK_SHR:
		return WGSL_OP_SHR;
	case TOK_LT:
		return WGSL_OP_LT;
	case TOK_LE:
		return WGSL_OP_LE;
	case TOK_GT:
		return WGSL_OP_GT;
	case TOK_GE:
		return WGSL_OP_GE;
	case TOK_EQ:
		return WGSL_OP_EQ;
	default:
		return WGSL_OP_NE;
	}
}

/* The bits of 1 / x if x is a power of two whose reciprocal is a normal number, else 0. */
static uint32_t reciprocal(uint64_t bits)
{
	uint32_t b = (uint32_t)bits;
	uint32_t exponent = b >> 23 & 0xff;

	if ((b & 0x7fffff) != 0 || exponent == 0 || exponent >= 254)
		return 0;
	return (b & 0x80000000u) | (254 - exponent) << 23;
}

/* The same for f64. */
static uint64_t wide_reciprocal(uint64_t b)
{
	uint64_t exponent = b >> 52 & 0x7ff;

	if ((b & 0xfffffffffffff) != 0 || exponent == 0 || exponent >= 2046)
		return 0;
	return (b & 1ull << 63) | (2046 - exponent) << 52;
}

/* x / 2^k is x * 2^-k: the same bits, and no division on any device. */
static struct wgsl_inst *divide(struct wgsl_lower *l, struct wgsl_inst *a, struct wgsl_inst *b)
{
	const struct wgsl_inst *k = b->op == WGSL_OP_SPLAT ? b->args[0] : b;
	struct wgsl_value v = { .type = b->type };

	if (k->op != WGSL_OP_CONST)
		return wgsl_binary(l, WGSL_OP_DIV, a, b);
	for (uint32_t i = 0; i < wgsl_type_width(b->type); i++) {
		uint64_t bits = k->u.bits[k->type->kind == WGSL_VEC ? i : 0];
		bool is_wide = wgsl_is_wide(b->type);
		uint64_t r = is_wide ? wide_reciprocal(bits) : reciprocal(bits);
		uint32_t word = (uint32_t)r;
		float f;

		if (r == 0)
			return wgsl_binary(l, WGSL_OP_DIV, a, b);
		memcpy(&f, &word, sizeof(f));
		memcpy(&v.v[i].f, &r, sizeof(v.v[i].f));
		if (!is_wide)
			v.v[i].f = (double)f;
	}
	return wgsl_binary(l, WGSL_OP_MUL, a, wgsl_const_value(l, &v));
}

static struct wgsl_inst *operate(struct wgsl_lower *l, enum wgsl_tok_kind op, struct wgsl_inst *a,
				 struct wgsl_inst *b, const struct wgsl_type *type)
{
	if (op != TOK_SHL && op != TOK_SHR) {
		a = wgsl_spread(l, a, type);
		b = wgsl_spread(l, b, type);
	}
	if (wgsl_type_is_float(a->type) && op == TOK_SLASH)
		return divide(l, a, b);
	if (wgsl_type_is_float(a->type) && op == TOK_PERCENT) {
		struct wgsl_inst *q = divide(l, a, b);

		q = wgsl_emit1(l, WGSL_OP_TRUNC, q->type, q);
		return wgsl_binary(l, WGSL_OP_SUB, a, wgsl_binary(l, WGSL_OP_MUL, q, b));
	}
	return wgsl_binary(l, plain_op(op), a, b);
}

struct wgsl_inst *wgsl_lower_operator(struct wgsl_lower *l, enum wgsl_tok_kind op,
				      struct wgsl_inst *a, struct wgsl_inst *b,
				      const struct wgsl_type *type)
{
	struct wgsl_inst *v = operate(l, op, a, b, type);

	return wgsl_type_base(type) == WGSL_F16 ? wgsl_round_half(l, v) : v;
}

/* Does evaluating the expression do more than give a value? */
static bool has_effects(const struct wgsl_expr *e)
{
	if (e == NULL || e->value != NULL)
		return false;
	if (e->kind == EX_CALL &&
	    (e->call == CALL_USER || (e->call == CALL_BUILTIN && e->builtin >= FN_ATOMIC_LOAD)))
		return true;
	for (uint32_t i = 0; i < e->args.n; i++)
		if (has_effects(e->args.list[i]))
			return true;
	if (e->kind == EX_CALL || e->kind == EX_IDENT)
		return false;
	return has_effects(e->a) || has_effects(e->b);
}

/* a && b where b does something: only if a says so. */
static struct wgsl_inst *lower_branch(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_path *p = wgsl_temp(l, l->c->basic[WGSL_BOOL], "cond");
	struct wgsl_inst *a = wgsl_lower_value(l, e->a);
	struct wgsl_inst *branch;
	struct wgsl_block *old;

	wgsl_store(l, p, a, true);
	branch = wgsl_emit1(l, WGSL_OP_IF, l->c->basic[WGSL_VOID], a);
	old = wgsl_open(l, &branch->blocks[e->op == TOK_ANDAND ? 0 : 1]);
	wgsl_store(l, p, wgsl_lower_value(l, e->b), false);
	wgsl_close(l, old);
	return wgsl_load(l, p);
}

static struct wgsl_inst *lower_binary(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *a;
	struct wgsl_inst *b;

	if ((e->op == TOK_ANDAND || e->op == TOK_OROR) && has_effects(e->b))
		return lower_branch(l, e);
	a = wgsl_lower_value(l, e->a);
	b = wgsl_lower_value(l, e->b);
	wgsl_lower_at(l, e->at);
	return wgsl_lower_operator(l, e->op, a, b, e->type);
}

static struct wgsl_inst *lower_unary(struct wgsl_lower *l, struct wgsl_expr *e)
{
	enum wgsl_op op = e->op == TOK_MINUS ? WGSL_OP_NEG : WGSL_OP_NOT;

	return wgsl_emit1(l, op, e->type, wgsl_lower_value(l, e->a));
}

/* ---- parts of values --------------------------------------------------------------------- */

struct wgsl_inst *wgsl_swizzle(struct wgsl_lower *l, const struct wgsl_expr *e, struct wgsl_inst *v)
{
	struct wgsl_inst *s = wgsl_emit1(l, WGSL_OP_SWIZZLE, e->type, v);

	memcpy(s->lanes, e->lanes, sizeof(s->lanes));
	return s;
}

static struct wgsl_inst *lower_swizzle(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *v = e->a->type->kind == WGSL_PTR ? wgsl_load(l, wgsl_lower_place(l, e->a))
							   : wgsl_lower_value(l, e->a);

	if (l->failed)
		return v;
	return e->n_lanes == 1 ? wgsl_extract(l, v, e->lanes[0]) : wgsl_swizzle(l, e, v);
}

static bool is_vector_value(const struct wgsl_expr *e)
{
	return e->type->kind == WGSL_VEC && !e->is_ref;
}

static struct wgsl_inst *lower_component(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *v;

	/* v.zyx[i] is a place: it is read when i is known. */
	if (wgsl_is_swizzle_place(e->a) && has_effects(e->b))
		return wgsl_load(l, wgsl_lower_place(l, e));
	v = wgsl_lower_value(l, e->a);
	if (l->failed)
		return v;
	if (e->b->value != NULL)
		return wgsl_extract(l, v, (uint32_t)e->b->value->v[0].i);
	return wgsl_emit2(l, WGSL_OP_EXTRACT_DYN, e->type, v, wgsl_lower_value(l, e->b));
}

/* ---- conversions and constructors -------------------------------------------------------- */

static struct wgsl_inst *lower_convert(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *v = wgsl_lower_value(l, e->args.list[0]);
	enum wgsl_kind from = wgsl_type_base(e->args.list[0]->type);
	bool is_exact = from == WGSL_BOOL || from == WGSL_F16;

	wgsl_lower_at(l, e->at);
	if (v->type != wgsl_value_type(l->c, e->type))
		v = wgsl_emit1(l, WGSL_OP_CONVERT, e->type, v);
	return wgsl_type_base(e->type) == WGSL_F16 && !is_exact ? wgsl_round_half(l, v) : v;
}

static struct wgsl_inst *lower_vector(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *parts[4] = { NULL };
	struct wgsl_inst *v;
	uint32_t n = 0;

	if (e->args.n == 1)
		return wgsl_spread(l, wgsl_lower_value(l, e->args.list[0]), e->type);
	for (uint32_t i = 0; i < e->args.n; i++) {
		struct wgsl_inst *a = wgsl_lower_value(l, e->args.list[i]);
		uint32_t width = wgsl_type_width(e->args.list[i]->type);

		if (l->failed)
			return a;
		for (uint32_t k = 0; k < width && n < 4; k++)
			parts[n++] = wgsl_extract(l, a, k);
	}
	v = wgsl_emit(l, WGSL_OP_COMPOSE, e->type);
	memcpy(v->args, parts, sizeof(parts));
	v->n_args = n;
	return v;
}

static struct wgsl_inst *lower_call(struct wgsl_lower *l, struct wgsl_expr *e)
{
	switch ((int)e->call) {
	case CALL_CONVERT:
		return lower_convert(l, e);
	case CALL_CONSTRUCT:
		return lower_vector(l, e);
	case CALL_USER:
		return wgsl_lower_call(l, e, NULL);
	default:
		return wgsl_lower_builtin(l, e);
	}
}

static struct wgsl_inst *lower_kind(struct wgsl_lower *l, struct wgsl_expr *e)
{
	if (e->value != NULL)
		return wgsl_const_value(l, e->value);
	if (wgsl_uses_matrix(e))
		return wgsl_lower_matrix_value(l, e);
	switch (e->kind) {
	case EX_UNARY:
		return lower_unary(l, e);
	case EX_BINARY:
		return lower_binary(l, e);
	case EX_CALL:
		return lower_call(l, e);
	case EX_INDEX:
		if (is_vector_value(e->a))
			return lower_component(l, e);
		return wgsl_load(l, wgsl_lower_place(l, e));
	case EX_MEMBER:
		if (e->n_lanes > 1 || (e->n_lanes == 1 && is_vector_value(e->a)))
			return lower_swizzle(l, e);
		return wgsl_load(l, wgsl_lower_place(l, e));
	case EX_IDENT:
		if (e->decl->kind != DECL_VAR)
			return e->decl->inst;
		return wgsl_load(l, wgsl_lower_place(l, e));
	case EX_DEREF:
	case EX_ADDRESS:
	case EX_LITERAL:
		return wgsl_load(l, wgsl_lower_place(l, e));
	}
	return NULL;
}

/* A scalar or vector; never NULL. */
struct wgsl_inst *wgsl_lower_value(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *v = NULL;

	if (++l->depth > WGSL_MAX_EXPR_DEPTH * 4)
		wgsl_lower_fail(l, "expressions nest too deeply with all calls expanded");
	if (!l->failed)
		v = lower_kind(l, e);
	l->depth--;
	if (v == NULL || l->failed) {
		wgsl_lower_fail(l, "this expression cannot be compiled");
		v = wgsl_const_bits(l,
				    wgsl_is_aggregate(e->type) || e->type->kind == WGSL_VOID
					? l->c->basic[WGSL_U32]
					: e->type,
				    0);
	}
	return v;
}
