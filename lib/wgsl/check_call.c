/*
 * check_call.c - calls: user functions, constructors and conversions.
 */
#include "wgsl/check_int.h"
#include "wgsl/fn_int.h"

/* ---- values of constructors -------------------------------------------------------------- */

static enum wgsl_stage args_stage(const struct wgsl_expr *e)
{
	enum wgsl_stage stage = STAGE_CONST;

	for (uint32_t i = 0; i < e->args.n; i++)
		stage = wgsl_later(stage, e->args.list[i]->stage);
	return stage;
}

static void vector_value(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_value *v = wgsl_new_value(c, e->type);
	uint32_t width = wgsl_type_width(e->type);
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->args.n; i++) {
		const struct wgsl_value *a = e->args.list[i]->value;

		for (uint32_t k = 0; k < wgsl_type_width(a->type) && n < width; k++)
			v->v[n++] = wgsl_comp_of(a, k);
	}
	/* One scalar fills the vector. */
	for (; n < width; n++)
		v->v[n] = v->v[0];
	e->value = v;
}

static void composite_value(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_value *v = wgsl_new_value(c, e->type);

	v->elems = arena_new_array(c->arena, const struct wgsl_value *, e->args.n);
	for (uint32_t i = 0; i < e->args.n; i++)
		v->elems[i] = e->args.list[i]->value;
	e->value = v;
}

/* Columns, or components column by column. */
static void matrix_value(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_value *v = wgsl_new_value(c, e->type);
	uint32_t rows = e->type->elem->count;

	v->elems = arena_new_array(c->arena, const struct wgsl_value *, e->type->count);
	for (uint32_t i = 0; i < e->type->count; i++) {
		struct wgsl_value *column = wgsl_new_value(c, e->type->elem);

		v->elems[i] = column;
		if (e->args.n == e->type->count)
			v->elems[i] = e->args.list[i]->value;
		else
			for (uint32_t k = 0; k < rows; k++)
				column->v[k] = e->args.list[i * rows + k]->value->v[0];
	}
	e->value = v;
}

static void construct_value(struct wgsl_comp *c, struct wgsl_expr *e)
{
	e->stage = args_stage(e);
	if (e->stage == STAGE_RUNTIME)
		return;
	for (uint32_t i = 0; i < e->args.n; i++)
		if (e->args.list[i]->value == NULL)
			return;
	if (e->call == CALL_CONVERT) {
		e->value = wgsl_cast_value(c, e->whole, e->args.list[0]->value, e->type);
		if (e->value == NULL)
			e->type = NULL;
	} else if (e->type->kind == WGSL_VEC) {
		vector_value(c, e);
	} else if (e->type->kind == WGSL_MAT) {
		matrix_value(c, e);
	} else {
		composite_value(c, e);
	}
}

/* ---- constructors ------------------------------------------------------------------------ */

static void wrong_count(struct wgsl_comp *c, const struct wgsl_expr *e, const char *what,
			uint32_t want)
{
	wgsl_error(c, e->at, "%s takes %u value%s, not %u", what, want, want == 1 ? "" : "s",
		   e->args.n);
}

static bool convert(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	const struct wgsl_type *from = e->args.list[0]->type;

	if ((!wgsl_is_numeric(from) && wgsl_type_base(from) != WGSL_BOOL) ||
	    wgsl_is_vec(from) != wgsl_is_vec(t) || wgsl_type_width(from) != wgsl_type_width(t)) {
		wgsl_error(c, e->whole, "%s cannot be converted to %s", wgsl_type_text(c, from),
			   wgsl_type_text(c, t));
		return false;
	}
	/* An abstract constant stays so until here: i32(16777217.0) never is an f32. */
	e->call = CALL_CONVERT;
	e->type = t;
	return true;
}

/* vecN(...) without a component type: the common one of all arguments. */
static const struct wgsl_type *infer_component(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_type *base = NULL;

	for (uint32_t i = 0; i < e->args.n; i++) {
		const struct wgsl_type *t = e->args.list[i]->type;

		if (!wgsl_is_numeric(t) && wgsl_type_base(t) != WGSL_BOOL)
			return NULL;
		t = wgsl_type_scalar(t);
		base = base == NULL ? t : wgsl_common(c, base, t);
		if (base == NULL)
			return NULL;
	}
	return base;
}

static bool construct_vec(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	uint32_t width = 0;

	if (e->args.n == 1 && wgsl_is_vec(e->args.list[0]->type))
		return convert(c, e, t);
	for (uint32_t i = 0; i < e->args.n; i++) {
		struct wgsl_expr *a = e->args.list[i];

		width += wgsl_type_width(a->type);
		if (!wgsl_coerce(c, a, wgsl_with_base(c, a->type, t->elem), "this component"))
			return false;
	}
	if (width != t->count && !(width == 1 && e->args.n == 1)) {
		wgsl_error(c, e->whole, "%s needs %u components, not %u", wgsl_type_text(c, t),
			   t->count, width);
		return false;
	}
	e->call = CALL_CONSTRUCT;
	e->type = t;
	return true;
}

static bool construct_array(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	if (e->args.n != t->count) {
		wrong_count(c, e, wgsl_type_text(c, t), t->count);
		return false;
	}
	for (uint32_t i = 0; i < e->args.n; i++)
		if (!wgsl_coerce(c, e->args.list[i], t->elem, "this element"))
			return false;
	e->call = CALL_CONSTRUCT;
	e->type = t;
	return true;
}

static bool infer_array(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *elem = NULL;
	const struct wgsl_type *t;

	for (uint32_t i = 0; i < e->args.n; i++) {
		const struct wgsl_type *a = e->args.list[i]->type;

		elem = elem == NULL ? a : wgsl_common(c, elem, a);
		if (elem == NULL) {
			wgsl_error(c, e->args.list[i]->whole,
				   "the elements of this array have different types: %s here",
				   wgsl_type_text(c, a));
			return false;
		}
	}
	if (elem == NULL) {
		wgsl_error(c, e->at, "array() needs its type: array<type, count>()");
		return false;
	}
	if (!elem->is_constructible) {
		wgsl_error(c, e->at, "%s cannot be the element of an array value",
			   wgsl_type_text(c, elem));
		return false;
	}
	t = wgsl_make_array(c, e->at, elem, e->args.n);
	return t != NULL && construct_array(c, e, t);
}

static bool construct_struct(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	if (e->args.n != t->n_members) {
		wrong_count(c, e, t->name, t->n_members);
		return false;
	}
	for (uint32_t i = 0; i < e->args.n; i++) {
		const char *what = "the value";

		if (wgsl_can_convert(e->args.list[i]->type, t->members[i].type) == false)
			what = arena_printf(c->arena, "member '%s'", t->members[i].name);
		if (!wgsl_coerce(c, e->args.list[i], t->members[i].type, what))
			return false;
	}
	e->call = CALL_CONSTRUCT;
	e->type = t;
	return true;
}

static bool construct(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t)
{
	if (!t->is_constructible) {
		wgsl_error(c, e->whole, "%s cannot be constructed", wgsl_type_text(c, t));
		return false;
	}
	if (e->args.n == 0) {
		e->call = CALL_ZERO;
		e->type = t;
		e->stage = STAGE_CONST;
		e->value = wgsl_zero(c, t);
		return true;
	}
	if (t->kind == WGSL_VEC)
		return construct_vec(c, e, t);
	if (t->kind == WGSL_ARRAY)
		return construct_array(c, e, t);
	if (t->kind == WGSL_MAT)
		return wgsl_construct_matrix(c, e, t);
	if (t->kind == WGSL_STRUCT)
		return construct_struct(c, e, t);
	if (e->args.n != 1) {
		wrong_count(c, e, wgsl_type_text(c, t), 1);
		return false;
	}
	return convert(c, e, t);
}

static void check_construct(struct wgsl_comp *c, struct wgsl_expr *e, struct wgsl_decl *d)
{
	const struct wgsl_type *t;
	bool ok;

	if (d->kind == DECL_TYPEGEN && !e->a->has_targs && d->builtin == GEN_ARRAY) {
		ok = infer_array(c, e);
	} else if (d->kind == DECL_TYPEGEN && !e->a->has_targs && d->builtin <= GEN_VEC4) {
		const struct wgsl_type *base =
		    e->args.n == 0 ? c->basic[WGSL_ABSTRACT_INT] : infer_component(c, e);

		if (base == NULL)
			wgsl_error(c, e->whole, "the components of %s(...) have no common type",
				   d->name->text);
		ok = base != NULL &&
		     construct(c, e, wgsl_vec(c, base, (uint32_t)(d->builtin - GEN_VEC2) + 2));
	} else if (d->kind == DECL_TYPEGEN && !e->a->has_targs && d->builtin >= GEN_MAT) {
		uint32_t shape = (uint32_t)(d->builtin - GEN_MAT);
		const struct wgsl_type *f = c->basic[WGSL_ABSTRACT_FLOAT];

		ok = e->args.n > 0;
		if (!ok)
			wgsl_error(c, e->at, "%s() needs its type: %s<type>()", d->name->text,
				   d->name->text);
		ok = ok &&
		     construct(c, e, wgsl_mat(c, wgsl_vec(c, f, shape % 3 + 2), shape / 3 + 2));
	} else {
		t = wgsl_make_type(c, d, e->a);
		ok = t != NULL && construct(c, e, t);
	}
	if (!ok)
		e->type = NULL;
	else if (e->call != CALL_ZERO)
		construct_value(c, e);
}

/* ---- user functions ---------------------------------------------------------------------- */

static void note_call(struct wgsl_comp *c, struct wgsl_decl *callee, struct wgsl_expr *e)
{
	struct wgsl_call *k = arena_new(c->arena, struct wgsl_call);

	k->callee = callee;
	k->at = e->at;
	k->expr = e;
	k->next = c->fn->fn->calls;
	c->fn->fn->calls = k;
}

static void check_user(struct wgsl_comp *c, struct wgsl_expr *e, struct wgsl_decl *d)
{
	const struct wgsl_func *fn = d->fn;
	bool ok = true;

	if (c->fn == NULL) {
		wgsl_error(c, e->at, "'%s' is no constant function", d->name->text);
		return;
	}
	if (fn->is_entry) {
		wgsl_error(c, e->at, "the entry point '%s' cannot be called", d->name->text);
		return;
	}
	if (d->state != DECL_DONE || !fn->is_signature_done)
		return;
	if (e->args.n != fn->n_params) {
		wgsl_error(c, e->at, "'%s' takes %u argument%s, not %u", d->name->text,
			   fn->n_params, fn->n_params == 1 ? "" : "s", e->args.n);
		wgsl_note_decl(c, d);
		return;
	}
	for (uint32_t i = 0; i < fn->n_params; i++) {
		const char *what = "the argument";
		bool fits = fn->params[i]->type == NULL ||
			    wgsl_can_convert(e->args.list[i]->type, fn->params[i]->type);

		if (!fits)
			what = arena_printf(c->arena, "argument %u ('%s')", i + 1,
					    fn->params[i]->name->text);
		ok = wgsl_coerce(c, e->args.list[i], fn->params[i]->type, what) && ok;
		if (!fits)
			wgsl_note_decl(c, fn->params[i]);
	}
	e->call = CALL_USER;
	e->decl = d;
	e->stage = STAGE_RUNTIME;
	note_call(c, d, e);
	if (ok)
		e->type = fn->return_type;
}

void wgsl_check_call(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_decl *d = wgsl_lookup(c, e->a->name, e->a->at);
	bool ok = d != NULL;

	for (uint32_t i = 0; i < e->args.n; i++)
		ok = wgsl_check_value(c, e->args.list[i]) != NULL && ok;
	if (!ok)
		return;
	if (d->kind == DECL_TYPE || d->kind == DECL_TYPEGEN) {
		check_construct(c, e, d);
	} else if (d->kind == DECL_BUILTIN) {
		e->call = CALL_BUILTIN;
		e->builtin = d->builtin;
		if (!wgsl_check_builtin(c, e))
			e->type = NULL;
	} else if (d->kind != DECL_FN) {
		wgsl_error(c, e->at, "'%s' is not a function", d->name->text);
		if (e->a->has_targs)
			wgsl_note_comparison(c, e);
		else
			wgsl_note_decl(c, d);
	} else if (e->a->has_targs) {
		wgsl_error(c, e->at, "'%s' takes no template list", d->name->text);
	} else {
		check_user(c, e, d);
	}
}
