/*
 * check_fn.c - the typing rules of the predeclared functions.
 */
#include "base/mem.h"
#include "wgsl/check_int.h"
#include "wgsl/fn_int.h"

static struct wgsl_expr *arg(const struct wgsl_expr *e, uint32_t i)
{
	return e->args.list[i];
}

static bool wrong_arg(struct wgsl_comp *c, const struct wgsl_expr *e, uint32_t i, const char *want)
{
	wgsl_error(c, arg(e, i)->whole, "%s needs %s here, not %s", wgsl_fns[e->builtin].name, want,
		   wgsl_type_text(c, arg(e, i)->type));
	return false;
}

/* All arguments to their common type; NULL (reported) if there is none. */
static const struct wgsl_type *unify_args(struct wgsl_comp *c, struct wgsl_expr *e, uint32_t n)
{
	const struct wgsl_type *t = arg(e, 0)->type;

	for (uint32_t i = 1; i < n; i++) {
		const struct wgsl_type *next = wgsl_common(c, t, arg(e, i)->type);

		if (next == NULL) {
			wgsl_error(c, arg(e, i)->whole,
				   "the arguments of %s have different types: %s and %s",
				   wgsl_fns[e->builtin].name, wgsl_type_text(c, t),
				   wgsl_type_text(c, arg(e, i)->type));
			return NULL;
		}
		t = next;
	}
	return t;
}

static bool coerce_args(struct wgsl_comp *c, struct wgsl_expr *e, uint32_t n,
			const struct wgsl_type *t)
{
	for (uint32_t i = 0; i < n; i++)
		if (!wgsl_coerce(c, arg(e, i), t, "the argument"))
			return false;
	return true;
}

/* Abstract arguments stay abstract only if all is constant. */
static const struct wgsl_type *settle(struct wgsl_comp *c, const struct wgsl_expr *e,
				      const struct wgsl_type *t)
{
	for (uint32_t i = 0; i < e->args.n; i++)
		if (arg(e, i)->stage != STAGE_CONST)
			return wgsl_concrete(c, t);
	return t;
}

static const struct wgsl_type *to_float(struct wgsl_comp *c, const struct wgsl_type *t)
{
	if (wgsl_type_base(t) != WGSL_ABSTRACT_INT)
		return t;
	return wgsl_with_base(c, t, c->basic[WGSL_ABSTRACT_FLOAT]);
}

/* Built from nothing but + - * / sqrt: what f64 has. */
static bool is_transcendental(int f)
{
	return f >= FN_ACOS && f <= FN_TANH && f != FN_DISTANCE && f != FN_INVERSE_SQRT &&
	       f != FN_LENGTH && f != FN_NORMALIZE && f != FN_SMOOTHSTEP && f != FN_SQRT;
}

/* Is the type of all arguments one that the function takes? */
static bool check_equal_type(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t,
			     bool is_float)
{
	const struct wgsl_fn_info *f = &wgsl_fns[e->builtin];

	if (is_float && !wgsl_type_is_float(t))
		return wrong_arg(c, e, 0, "a float or a vector of floats");
	if (f->shape == SHAPE_INTEGER && !wgsl_type_is_integer(t))
		return wrong_arg(c, e, 0, "an integer or a vector of integers");
	if (!wgsl_is_numeric(t))
		return wrong_arg(c, e, 0, "a number or a vector of numbers");
	if ((f->shape == SHAPE_VEC_FLOAT || f->shape == SHAPE_VEC_TO_SCALAR) && !wgsl_is_vec(t))
		return wrong_arg(c, e, 0, "a vector");
	if (e->builtin == FN_CROSS && t->count != 3)
		return wrong_arg(c, e, 0, "a vector of 3 components");
	if (e->builtin == FN_SIGN &&
	    (wgsl_type_base(t) == WGSL_U32 || wgsl_type_base(t) == WGSL_U64))
		return wrong_arg(c, e, 0, "a signed number");
	return true;
}

/* Shapes whose arguments all have one type. */
static bool check_equal_args(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_fn_info *f = &wgsl_fns[e->builtin];
	bool is_float = f->shape != SHAPE_NUMBER && f->shape != SHAPE_INTEGER;
	const struct wgsl_type *t = unify_args(c, e, f->n_args);

	if (t == NULL)
		return false;
	if (f->shape == SHAPE_INTEGER)
		t = wgsl_concrete(c, t);
	if (is_float)
		t = to_float(c, t);
	if (!check_equal_type(c, e, t, is_float))
		return false;
	t = settle(c, e, t);
	if (wgsl_type_base(t) == WGSL_F64 && is_transcendental(e->builtin)) {
		wgsl_error(c, e->at, "%s of f64 is not supported yet", f->name);
		return false;
	}
	if (!coerce_args(c, e, f->n_args, t))
		return false;
	e->type = f->shape == SHAPE_VEC_TO_SCALAR || f->shape == SHAPE_FLOAT_TO_SCALAR
		      ? wgsl_type_scalar(t)
		      : t;
	return true;
}

/* ---- memory ------------------------------------------------------------------------------ */

static bool check_atomic(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *p = arg(e, 0)->type;
	const struct wgsl_type *t;

	if (p->kind != WGSL_PTR || p->elem->kind != WGSL_ATOMIC)
		return wrong_arg(c, e, 0, "a pointer to an atomic (&...)");
	/* Neither a variable nor a pointer type has read-only atomics. */
	ASSERT(p->access == WGSL_ACCESS_READ_WRITE);
	wgsl_note_access(c, arg(e, 0), true, e->builtin != FN_ATOMIC_LOAD);
	t = p->elem->elem;
	for (uint32_t i = 1; i < e->args.n; i++)
		if (!wgsl_coerce(c, arg(e, i), t, "the value"))
			return false;
	e->type = e->builtin == FN_ATOMIC_STORE ? c->basic[WGSL_VOID] : t;
	if (e->builtin == FN_ATOMIC_COMPARE_EXCHANGE)
		e->type = wgsl_exchange_type(c, t);
	return true;
}

static bool check_array_length(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *p = arg(e, 0)->type;

	if (p->kind != WGSL_PTR || p->elem->kind != WGSL_ARRAY || p->elem->count != 0)
		return wrong_arg(c, e, 0, "a pointer to a runtime-sized array (&...)");
	e->type = c->basic[WGSL_U32];
	return true;
}

static bool check_uniform_load(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *p = arg(e, 0)->type;

	if (p->kind != WGSL_PTR || p->space != WGSL_SPACE_WORKGROUP)
		return wrong_arg(c, e, 0, "a pointer to workgroup memory (&...)");
	wgsl_note_access(c, arg(e, 0), true, false);
	e->type = p->elem->kind == WGSL_ATOMIC ? p->elem->elem : p->elem;
	if (!e->type->is_constructible)
		return wrong_arg(c, e, 0, "a pointer to a type without atomics");
	return true;
}

/* ---- others with rules of their own ------------------------------------------------------ */

static bool check_select(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = unify_args(c, e, 2);
	const struct wgsl_type *cond = arg(e, 2)->type;

	if (t == NULL)
		return false;
	if (!wgsl_is_numeric(t) && wgsl_type_base(t) != WGSL_BOOL)
		return wrong_arg(c, e, 0, "a scalar or a vector");
	if (wgsl_type_base(cond) != WGSL_BOOL ||
	    (wgsl_is_vec(cond) && wgsl_type_width(cond) != wgsl_type_width(t)))
		return wrong_arg(c, e, 2, "a bool or a vector of bool as wide as the values");
	t = settle(c, e, t);
	e->type = t;
	return coerce_args(c, e, 2, t);
}

static bool check_reduce(struct wgsl_comp *c, struct wgsl_expr *e)
{
	if (wgsl_type_base(arg(e, 0)->type) != WGSL_BOOL)
		return wrong_arg(c, e, 0, "a bool or a vector of bool");
	e->type = c->basic[WGSL_BOOL];
	return true;
}

static bool check_dot(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = unify_args(c, e, 2);

	if (t == NULL)
		return false;
	if (!wgsl_is_vec(t) || !wgsl_is_numeric(t))
		return wrong_arg(c, e, 0, "a vector of numbers");
	t = settle(c, e, t);
	e->type = t->elem;
	return coerce_args(c, e, 2, t);
}

/* mix(e1, e2, e3): e3 may be a scalar beside vectors. */
static bool check_mix(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = unify_args(c, e, 2);
	const struct wgsl_type *k = arg(e, 2)->type;
	const struct wgsl_type *base;

	if (t == NULL)
		return false;
	if (!wgsl_is_numeric(k) || (wgsl_is_vec(k) && wgsl_type_width(k) != wgsl_type_width(t)) ||
	    (wgsl_is_vec(k) && !wgsl_is_vec(t)))
		return wrong_arg(c, e, 2, "a float");
	base = wgsl_common(c, wgsl_type_scalar(to_float(c, t)), wgsl_type_scalar(k));
	if (base == NULL || !wgsl_type_is_float(base))
		return wrong_arg(c, e, 0, "floats");
	base = settle(c, e, base);
	e->type = wgsl_with_base(c, t, base);
	return coerce_args(c, e, 2, e->type) &&
	       wgsl_coerce(c, arg(e, 2), wgsl_with_base(c, k, base), "the argument");
}

/* refract(e1, e2, e3): e3 is a scalar. */
static bool check_refract(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = unify_args(c, e, 2);
	const struct wgsl_type *k = arg(e, 2)->type;
	const struct wgsl_type *base;

	if (t == NULL)
		return false;
	if (!wgsl_is_vec(t) || !wgsl_is_numeric(t))
		return wrong_arg(c, e, 0, "a vector of floats");
	base = wgsl_common(c, wgsl_type_scalar(to_float(c, t)), k);
	if (base == NULL || !wgsl_type_is_float(base) || wgsl_is_vec(base))
		return wrong_arg(c, e, 2, "a float");
	base = settle(c, e, base);
	e->type = wgsl_with_base(c, t, base);
	return coerce_args(c, e, 2, e->type) && wgsl_coerce(c, arg(e, 2), base, "the argument");
}

/* extractBits(e, offset, count), insertBits(e, newbits, offset, count). */
static bool check_bits(struct wgsl_comp *c, struct wgsl_expr *e)
{
	uint32_t n = e->builtin == FN_INSERT_BITS ? 2 : 1;
	const struct wgsl_type *t = unify_args(c, e, n);

	if (t == NULL)
		return false;
	t = wgsl_concrete(c, t);
	if (!wgsl_type_is_integer(t))
		return wrong_arg(c, e, 0, "an integer or a vector of integers");
	e->type = t;
	return coerce_args(c, e, n, t) &&
	       wgsl_coerce(c, arg(e, n), c->basic[WGSL_U32], "the offset") &&
	       wgsl_coerce(c, arg(e, n + 1), c->basic[WGSL_U32], "the count");
}

static bool is_bitcast(const struct wgsl_type *from, const struct wgsl_type *to)
{
	const struct wgsl_type *a = wgsl_type_scalar(from);
	const struct wgsl_type *b = wgsl_type_scalar(to);

	return wgsl_is_numeric(from) &&
	       a->size * wgsl_type_width(from) == b->size * wgsl_type_width(to) &&
	       (a->size != b->size || wgsl_is_vec(from) == wgsl_is_vec(to));
}

/* An abstract value becomes f16 (or what the extensions add) only if i32 or f32 do not fit. */
static const struct wgsl_type *bitcast_source(struct wgsl_comp *c, const struct wgsl_type *t,
					      const struct wgsl_type *to)
{
	const struct wgsl_type *half = wgsl_with_base(c, t, c->basic[WGSL_F16]);
	const struct wgsl_type *usual = wgsl_concrete(c, t);

	if (!wgsl_is_abstract(t) || !wgsl_is_numeric(t) || is_bitcast(usual, to))
		return usual;
	if (is_bitcast(half, to))
		return half;
	return wgsl_can_convert(t, to) ? to : usual;
}

static bool check_bitcast(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *from;
	const struct wgsl_type *to;

	if (e->a->targs.n != 1) {
		wgsl_error(c, e->at, "write bitcast<type>(value)");
		return false;
	}
	to = wgsl_check_type(c, e->a->targs.list[0]);
	if (to == NULL)
		return false;
	from = bitcast_source(c, arg(e, 0)->type, to);
	if (!wgsl_coerce(c, arg(e, 0), from, "the value"))
		return false;
	if (!wgsl_is_numeric(to) || wgsl_is_abstract(to)) {
		wgsl_error(c, e->a->targs.list[0]->whole, "bitcast to %s is not possible",
			   wgsl_type_text(c, to));
		return false;
	}
	if (!is_bitcast(from, to))
		return wrong_arg(c, e, 0, "a value of as many bits");
	e->type = to;
	return true;
}

static bool check_pack(struct wgsl_comp *c, struct wgsl_expr *e)
{
	bool is_signed = e->builtin == FN_PACK4X_I8 || e->builtin == FN_PACK4X_I8_CLAMP;
	enum wgsl_kind base = is_signed ? WGSL_I32 : WGSL_U32;

	e->type = c->basic[WGSL_U32];
	return wgsl_coerce(c, arg(e, 0), wgsl_vec(c, c->basic[base], 4), "the argument");
}

static bool check_unpack(struct wgsl_comp *c, struct wgsl_expr *e)
{
	enum wgsl_kind base = e->builtin == FN_UNPACK4X_I8 ? WGSL_I32 : WGSL_U32;

	e->type = wgsl_vec(c, c->basic[base], 4);
	return wgsl_coerce(c, arg(e, 0), c->basic[WGSL_U32], "the argument");
}

static bool check_dot4(struct wgsl_comp *c, struct wgsl_expr *e)
{
	e->type = c->basic[e->builtin == FN_DOT4_I8 ? WGSL_I32 : WGSL_U32];
	return coerce_args(c, e, 2, c->basic[WGSL_U32]);
}

static bool check_own(struct wgsl_comp *c, struct wgsl_expr *e)
{
	if (e->builtin >= FN_MODF && e->builtin <= FN_UNPACK2X16_FLOAT)
		return wgsl_check_pack(c, e);
	switch (e->builtin) {
	case FN_BITCAST:
		return check_bitcast(c, e);
	case FN_ALL:
	case FN_ANY:
		return check_reduce(c, e);
	case FN_SELECT:
		return check_select(c, e);
	case FN_ARRAY_LENGTH:
		return check_array_length(c, e);
	case FN_DOT:
		return check_dot(c, e);
	case FN_MIX:
		return check_mix(c, e);
	case FN_REFRACT:
		return check_refract(c, e);
	case FN_EXTRACT_BITS:
	case FN_INSERT_BITS:
		return check_bits(c, e);
	case FN_TRANSPOSE:
	case FN_DETERMINANT:
		return wgsl_check_matrix_fn(c, e);
	case FN_DOT4_U8:
	case FN_DOT4_I8:
		return check_dot4(c, e);
	case FN_UNPACK4X_I8:
	case FN_UNPACK4X_U8:
		return check_unpack(c, e);
	case FN_WORKGROUP_UNIFORM_LOAD:
		return check_uniform_load(c, e);
	default:
		return check_pack(c, e);
	}
}

static bool check_shape(struct wgsl_comp *c, struct wgsl_expr *e)
{
	switch (wgsl_fns[e->builtin].shape) {
	case SHAPE_OWN:
		return check_own(c, e);
	case SHAPE_ATOMIC:
		return check_atomic(c, e);
	case SHAPE_BARRIER:
		e->type = c->basic[WGSL_VOID];
		return true;
	case SHAPE_SUBGROUP:
		return wgsl_check_subgroup(c, e);
	case SHAPE_NUMBER:
	case SHAPE_FLOAT:
	case SHAPE_INTEGER:
	case SHAPE_VEC_FLOAT:
	case SHAPE_VEC_TO_SCALAR:
	case SHAPE_FLOAT_TO_SCALAR:
		return check_equal_args(c, e);
	}
	return false;
}

/* Is component i of arguments a and b, both known, wrong together? */
static bool is_bad_pair(const struct wgsl_expr *e, uint32_t a, uint32_t b, uint32_t i)
{
	const struct wgsl_value *x = arg(e, a)->value;
	const struct wgsl_value *y = arg(e, b)->value;
	union wgsl_scalar p = wgsl_comp_of(x, i);
	union wgsl_scalar q = wgsl_comp_of(y, i);

	if (e->builtin == FN_CLAMP)
		return wgsl_type_is_float(x->type) ? p.f > q.f
						   : wgsl_less(wgsl_type_base(x->type), q.i, p.i);
	if (e->builtin == FN_SMOOTHSTEP)
		return p.f == q.f;
	return (uint64_t)p.i + (uint64_t)q.i > (wgsl_is_wide(e->type) ? 64 : 32);
}

static bool check_pair(struct wgsl_comp *c, const struct wgsl_expr *e, uint32_t a, uint32_t b,
		       const char *needs)
{
	if (arg(e, a)->value == NULL || arg(e, b)->value == NULL)
		return true;
	for (uint32_t i = 0; i < wgsl_type_width(arg(e, a)->type); i++) {
		if (!is_bad_pair(e, a, b, i))
			continue;
		wgsl_eval_error(c, e->whole, "%s needs %s", wgsl_fns[e->builtin].name, needs);
		return c->no_eval > 0;
	}
	return true;
}

static bool check_exponent(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_value *v = arg(e, 1)->value;
	enum wgsl_kind kind = wgsl_type_base(e->type);
	int most = kind == WGSL_F16 ? 16 : kind == WGSL_ABSTRACT_FLOAT ? 1024 : 128;

	for (uint32_t i = 0; v != NULL && i < wgsl_type_width(v->type); i++) {
		if (wgsl_comp_of(v, i).i <= most)
			continue;
		wgsl_eval_error(c, e->whole, "ldexp needs an exponent of at most %d", most);
		return c->no_eval > 0;
	}
	return true;
}

bool wgsl_check_partial(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const char *fit =
	    wgsl_is_wide(e->type) ? "offset + count of at most 64" : "offset + count of at most 32";

	switch (e->builtin) {
	case FN_CLAMP:
		return check_pair(c, e, 1, 2, "low <= high");
	case FN_SMOOTHSTEP:
		return check_pair(c, e, 0, 1, "different edges");
	case FN_EXTRACT_BITS:
		return check_pair(c, e, 1, 2, fit);
	case FN_INSERT_BITS:
		return check_pair(c, e, 2, 3, fit);
	case FN_LDEXP:
		return check_exponent(c, e);
	default:
		return true;
	}
}

/* Memory and synchronisation have no value at compile time. */
static bool is_pure(int builtin)
{
	return builtin != FN_ARRAY_LENGTH && builtin < FN_ATOMIC_LOAD;
}

bool wgsl_check_builtin(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_fn_info *f = &wgsl_fns[e->builtin];

	if (e->args.n != f->n_args) {
		wgsl_error(c, e->at, "%s takes %u argument%s, not %u%s", f->name, f->n_args,
			   f->n_args == 1 ? "" : "s", e->args.n,
			   e->builtin == FN_ATAN && e->args.n == 2 ? "; did you mean 'atan2'?"
								   : "");
		return false;
	}
	if (e->a->has_targs && e->builtin != FN_BITCAST) {
		wgsl_error(c, e->at, "%s takes no template list", f->name);
		return false;
	}
	if (!is_pure(e->builtin) && c->fn == NULL) {
		wgsl_error(c, e->at, "%s is no constant function", f->name);
		return false;
	}
	if (!check_shape(c, e))
		return false;
	e->stage = STAGE_RUNTIME;
	if (!is_pure(e->builtin))
		return true;
	e->stage = STAGE_CONST;
	for (uint32_t i = 0; i < e->args.n; i++) {
		e->stage = wgsl_later(e->stage, arg(e, i)->stage);
		if (arg(e, i)->value == NULL)
			e->stage = STAGE_RUNTIME;
	}
	if (e->stage == STAGE_RUNTIME)
		return wgsl_check_partial(c, e) && wgsl_coerce_concrete(c, e);
	e->value = wgsl_eval_builtin(c, e, e->type);
	return e->value != NULL;
}
