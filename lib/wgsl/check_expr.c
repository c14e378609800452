/*
 * check_expr.c - names, types and constant values of expressions.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "wgsl/check_int.h"
#include "wgsl/hint_int.h"

enum wgsl_stage wgsl_later(enum wgsl_stage a, enum wgsl_stage b)
{
	return a > b ? a : b;
}

/* ---- names ------------------------------------------------------------------------------- */

/* What other languages' name is here, else a name that differs in case only, else the first that is
 * near. */
static const char *suggest(struct wgsl_comp *c, const struct wgsl_name *name)
{
	const char *hint = wgsl_hint_name(c, name->text);
	const char *near = NULL;

	if (*hint != '\0' || c->diags->n_errors >= WGSL_MAX_ERRORS)
		return hint;
	for (size_t i = 0; i < WGSL_NAME_BUCKETS; i++)
		for (const struct wgsl_name *n = c->names[i]; n != NULL; n = n->next)
			if (n->decl != NULL && n->decl->kind != DECL_REFUSED &&
			    text_is_near(name->text, n->text) &&
			    (near == NULL || strcasecmp(name->text, n->text) == 0))
				near = n->text;
	return near != NULL ? arena_printf(c->arena, "; did you mean '%s'?", near) : "";
}

struct wgsl_decl *wgsl_lookup(struct wgsl_comp *c, struct wgsl_name *name, struct wgsl_span at)
{
	struct wgsl_decl *d = name->decl;
	if (d == NULL) {
		wgsl_error(c, at, "unknown name '%s'%s", name->text, suggest(c, name));
		return NULL;
	}
	if (d->kind == DECL_REFUSED) {
		wgsl_error(c, at, "%s not supported ('%s')%s", d->note, name->text,
			   text_starts(d->note, "textures")
			       ? "; a picture can be a var<storage, read> array"
			       : "");
		return NULL;
	}
	if ((d->feature & ~c->features) != 0) {
		wgsl_error(c, at, "'%s' needs '%s' at the top", name->text,
			   wgsl_feature_text(d->feature));
		return NULL;
	}
	d->is_used = true;
	return d;
}

/* ---- conversions ------------------------------------------------------------------------- */

static bool materialize(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *type)
{
	if (e->type == type)
		return true;
	if (e->value != NULL) {
		e->value = wgsl_convert_value(c, e->whole, e->value, type);
		if (e->value == NULL) {
			e->type = NULL;
			return false;
		}
	}
	e->type = type;
	return true;
}

bool wgsl_coerce(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *type,
		 const char *what)
{
	if (e->type == NULL || type == NULL)
		return false;
	if (!wgsl_can_convert(e->type, type)) {
		wgsl_error(c, e->whole, "%s is %s, but must be %s", what,
			   wgsl_type_text(c, e->type), wgsl_type_text(c, type));
		return false;
	}
	return materialize(c, e, type);
}

bool wgsl_coerce_concrete(struct wgsl_comp *c, struct wgsl_expr *e)
{
	return e->type != NULL && materialize(c, e, wgsl_concrete(c, e->type));
}

const struct wgsl_type *wgsl_load_rule(struct wgsl_comp *c, struct wgsl_expr *e)
{
	if (e->type == NULL)
		return NULL;
	if (e->type->kind == WGSL_VOID) {
		wgsl_error(c, e->whole, "this function returns nothing");
		return NULL;
	}
	if (!e->is_ref)
		return e->type;
	if (e->type->kind == WGSL_ATOMIC) {
		wgsl_error(
		    c, e->whole,
		    "an atomic is used by its address: atomicLoad(&...), atomicAdd(&..., value)");
		return NULL;
	}
	if (!e->type->is_constructible) {
		wgsl_error(c, e->whole, "%s cannot be used as a value%s",
			   wgsl_type_text(c, e->type),
			   e->type->has_runtime_array ? "; its pointer can (&...)" : "");
		return NULL;
	}
	wgsl_note_access(c, e, true, false);
	return e->type;
}

const struct wgsl_type *wgsl_check_value(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t;

	wgsl_check_expr(c, e);
	t = wgsl_load_rule(c, e);
	if (t == NULL)
		e->type = NULL;
	return t;
}

bool wgsl_check_const_int(struct wgsl_comp *c, struct wgsl_expr *e, bool allow_override,
			  int64_t *ret)
{
	if (wgsl_check_value(c, e) == NULL)
		return false;
	if (e->stage == STAGE_RUNTIME || (e->stage == STAGE_OVERRIDE && !allow_override)) {
		wgsl_error(c, e->whole, "this must be a constant");
		return false;
	}
	if (!wgsl_type_is_scalar(e->type) || !wgsl_type_is_integer(e->type) ||
	    wgsl_is_wide(e->type)) {
		wgsl_error(c, e->whole, "this must be an integer, not %s",
			   wgsl_type_text(c, e->type));
		return false;
	}
	*ret = e->value->v[0].i;
	return true;
}

/* ---- identifiers ------------------------------------------------------------------------- */

/* A declaration of the loop's body that some continue jumps over must not be used in its
 * continuing block. */
static void check_continuing(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_decl *d)
{
	for (const struct wgsl_flow *f = c->flow; f != NULL; f = f->outer) {
		if (!f->is_continuing || !f->has_continue || d->is_module)
			continue;
		if (d->order < f->first_continue || d->order >= f->body_end)
			continue;
		wgsl_error(c, e->at,
			   "continuing uses '%s', but a continue jumps over its declaration",
			   d->name->text);
		wgsl_note_decl(c, d);
		return;
	}
}

/* In a body it matters only if the entry point gets there (WebGPU, GPUProgrammableStage:
 * "statically used"). Elsewhere the value is needed now. */
static void check_unset_use(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_func *fn = c->fn != NULL ? c->fn->fn : NULL;

	if (e->decl->kind != DECL_OVERRIDE || e->type == NULL) {
		e->type = NULL;
	} else if (fn != NULL) {
		e->stage = STAGE_RUNTIME;
		if (fn->unset == NULL)
			fn->unset = e;
	} else {
		if (!c->allows_unset)
			wgsl_error_unset(c, e);
		e->type = NULL;
	}
}

static void check_variable_use(struct wgsl_comp *c, struct wgsl_expr *e, struct wgsl_decl *d)
{
	e->decl = d;
	e->root = d->origin != NULL ? d->origin : d;
	e->type = d->type;
	e->stage = STAGE_RUNTIME;
	if (d->kind == DECL_VAR) {
		e->is_ref = true;
		e->space = d->space;
		e->access = d->access;
		if (c->fn == NULL) {
			wgsl_error(c, e->at, "'%s' is a variable; only constants can be used here",
				   d->name->text);
			e->type = NULL;
		}
	} else if (d->kind == DECL_CONST || d->kind == DECL_OVERRIDE) {
		e->stage = d->stage;
		e->value = d->value;
		if (d->value == NULL)
			check_unset_use(c, e);
	}
	check_continuing(c, e, d);
}

void wgsl_note_comparison(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	wgsl_note(c, e->at,
		  "'<' with a '>' behind it opens a template list: put what is compared in (...)");
}

static void check_ident(struct wgsl_comp *c, struct wgsl_expr *e)
{
	struct wgsl_decl *d = wgsl_lookup(c, e->name, e->at);

	if (d == NULL)
		return;
	if (d->kind == DECL_FN || d->kind == DECL_BUILTIN) {
		wgsl_error(c, e->at, "'%s' is a function: call it with (...)", e->name->text);
	} else if (d->kind == DECL_TYPE || d->kind == DECL_TYPEGEN) {
		wgsl_error(c, e->at, "'%s' is a type, not a value", e->name->text);
	} else if (d->kind == DECL_ENUMERANT) {
		wgsl_error(c, e->at, "'%s' is not a value", e->name->text);
	} else if (e->has_targs) {
		wgsl_error(c, e->at, "'%s' takes no template list", e->name->text);
		wgsl_note_comparison(c, e);
	} else if (d->state != DECL_DONE && !wgsl_resolve(c, d)) {
		e->type = NULL;
	} else {
		check_variable_use(c, e, d);
	}
}

/* ---- unary ------------------------------------------------------------------------------- */

static bool unary_fits(enum wgsl_tok_kind op, const struct wgsl_type *t)
{
	enum wgsl_kind k = wgsl_type_base(t);

	if (op == TOK_NOT)
		return k == WGSL_BOOL;
	if (op == TOK_TILDE)
		return wgsl_type_is_integer(t);
	return wgsl_is_numeric(t) && k != WGSL_U32 && k != WGSL_U64;
}

static void check_unary(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = wgsl_check_value(c, e->a);

	if (t == NULL)
		return;
	if (!unary_fits(e->op, t)) {
		wgsl_error(c, e->at, "%s does not apply to %s", wgsl_tok_text(e->op),
			   wgsl_type_text(c, t));
		return;
	}
	e->stage = e->a->stage;
	e->type = t;
	if (e->a->value != NULL) {
		e->value = wgsl_eval_unary(c, e->op, e->a->value);
	}
}

/* ---- binary ------------------------------------------------------------------------------ */

static bool is_arithmetic(enum wgsl_tok_kind op)
{
	return op == TOK_PLUS || op == TOK_MINUS || op == TOK_STAR || op == TOK_SLASH ||
	       op == TOK_PERCENT;
}

static bool is_comparison(enum wgsl_tok_kind op)
{
	return op >= TOK_LT && op <= TOK_NE;
}

static bool is_shift(enum wgsl_tok_kind op)
{
	return op == TOK_SHL || op == TOK_SHR;
}

static bool operand_fits(enum wgsl_tok_kind op, const struct wgsl_type *t)
{
	bool is_bool = wgsl_type_base(t) == WGSL_BOOL;

	if (is_arithmetic(op))
		return wgsl_is_numeric(t);
	if (op == TOK_EQ || op == TOK_NE)
		return wgsl_is_numeric(t) || is_bool;
	if (is_comparison(op))
		return wgsl_is_numeric(t);
	if (op == TOK_ANDAND || op == TOK_OROR)
		return t->kind == WGSL_BOOL;
	if (op == TOK_AND || op == TOK_OR)
		return wgsl_type_is_integer(t) || is_bool;
	return wgsl_type_is_integer(t);
}

static void note_write(struct wgsl_comp *c, const struct wgsl_expr *e, const struct wgsl_type *want)
{
	if (wgsl_is_vec(e->type))
		want = wgsl_vec(c, want, e->type->count);
	wgsl_note(c, e->whole, "WGSL converts only where asked: write %s(...)",
		  wgsl_type_text(c, want));
}

/* An integer next to a number with a fraction, which is no integer. */
static bool note_fraction(struct wgsl_comp *c, const struct wgsl_expr *i, const struct wgsl_expr *f)
{
	if (!wgsl_type_is_integer(i->type) || wgsl_is_abstract(i->type) ||
	    wgsl_type_base(f->type) != WGSL_ABSTRACT_FLOAT)
		return false;
	note_write(c, i, c->basic[WGSL_F32]);
	return true;
}

/* The right operand in the left one's components; a shift counts in u32. */
static void note_conversion(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_type *a = e->a->type;
	const struct wgsl_type *b = e->b->type;
	const struct wgsl_type *want = c->basic[wgsl_type_base(a)];

	if (is_shift(e->op) && wgsl_type_is_integer(a) && wgsl_type_is_integer(b))
		want = c->basic[WGSL_U32];
	if (!wgsl_is_numeric(a) || !wgsl_is_numeric(b) || wgsl_is_abstract(a) ||
	    wgsl_is_abstract(b) || wgsl_type_base(b) == want->kind)
		return;
	note_write(c, e->b, want);
}

static void report_operands(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	wgsl_error(c, e->at, "%s does not apply to %s and %s", wgsl_tok_text(e->op),
		   wgsl_type_text(c, e->a->type), wgsl_type_text(c, e->b->type));
	if (is_shift(e->op) || (!note_fraction(c, e->a, e->b) && !note_fraction(c, e->b, e->a)))
		note_conversion(c, e);
}

/* The operands' common component, then each keeps its own shape if one may be a scalar. */
static bool unify(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *a = e->a->type;
	const struct wgsl_type *b = e->b->type;
	const struct wgsl_type *base;
	bool may_mix = is_arithmetic(e->op) && wgsl_is_vec(a) != wgsl_is_vec(b);

	if (!operand_fits(e->op, a) || !operand_fits(e->op, b))
		return false;
	if (!may_mix && wgsl_type_width(a) != wgsl_type_width(b))
		return false;
	if (!may_mix && wgsl_is_vec(a) != wgsl_is_vec(b))
		return false;
	base = wgsl_common(c, wgsl_type_scalar(a), wgsl_type_scalar(b));
	if (base == NULL)
		return false;
	return materialize(c, e->a, wgsl_with_base(c, a, base)) &&
	       materialize(c, e->b, wgsl_with_base(c, b, base));
}

static bool unify_shift(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *a = e->a->type;
	const struct wgsl_type *want = wgsl_with_base(c, a, c->basic[WGSL_U32]);

	if (!operand_fits(e->op, a) || !wgsl_can_convert(e->b->type, want))
		return false;
	/* An abstract value shifted by a run-time amount becomes i32. */
	if (wgsl_is_abstract(a) && e->b->stage != STAGE_CONST && !wgsl_coerce_concrete(c, e->a))
		return false;
	return materialize(c, e->b, want);
}

/* What is wrong whatever the left operand will be. */
static bool check_right(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_value *v = e->b->value;
	uint32_t width = wgsl_type_width(e->b->type);

	if (v == NULL || c->no_eval > 0)
		return true;
	for (uint32_t i = 0; i < width; i++) {
		if ((e->op == TOK_SLASH || e->op == TOK_PERCENT) &&
		    wgsl_type_is_integer(e->b->type) && v->v[i].i == 0) {
			wgsl_error(c, e->b->whole, "division by the constant zero");
			return false;
		}
		if (is_shift(e->op) && v->v[i].i >= (wgsl_is_wide(e->a->type) ? 64 : 32) &&
		    !wgsl_is_abstract(e->a->type)) {
			wgsl_error(c, e->b->whole,
				   "a shift by %lld is at least the width of the value",
				   (long long)v->v[i].i);
			return false;
		}
	}
	return true;
}

static const struct wgsl_type *result_type(struct wgsl_comp *c, const struct wgsl_expr *e)
{
	const struct wgsl_type *wide = wgsl_is_vec(e->b->type) ? e->b->type : e->a->type;

	if (is_shift(e->op))
		return e->a->type;
	if (is_comparison(e->op))
		return wgsl_with_base(c, wide, c->basic[WGSL_BOOL]);
	return wide;
}

/* The right side of && and || is not evaluated when the left side decides. */
static bool check_operands(struct wgsl_comp *c, struct wgsl_expr *e)
{
	bool is_logic = e->op == TOK_ANDAND || e->op == TOK_OROR;
	bool is_decided = false;
	const struct wgsl_type *a = wgsl_check_value(c, e->a);
	const struct wgsl_type *b;

	if (is_logic && e->a->value != NULL && a->kind == WGSL_BOOL)
		is_decided = (e->a->value->v[0].i != 0) == (e->op == TOK_OROR);
	c->no_eval += is_decided;
	b = wgsl_check_value(c, e->b);
	c->no_eval -= is_decided;
	if (a == NULL || b == NULL)
		return false;
	if (wgsl_is_matrix(a) || wgsl_is_matrix(b)) {
		if (wgsl_unify_matrix(c, e))
			return true;
	} else if (is_shift(e->op) ? unify_shift(c, e) : unify(c, e)) {
		return true;
	}
	if (e->a->type != NULL && e->b->type != NULL)
		report_operands(c, e);
	return false;
}

static void check_binary(struct wgsl_comp *c, struct wgsl_expr *e)
{
	if (!check_operands(c, e))
		return;
	if (wgsl_is_matrix(e->a->type) || wgsl_is_matrix(e->b->type)) {
		wgsl_check_matrix(c, e);
		return;
	}
	if (!check_right(c, e))
		return;
	e->stage = wgsl_later(e->a->stage, e->b->stage);
	e->type = result_type(c, e);
	if ((e->op == TOK_ANDAND || e->op == TOK_OROR) && e->a->value != NULL &&
	    (e->a->value->v[0].i != 0) == (e->op == TOK_OROR)) {
		/* Decided by the left side, whatever the right side is. */
		e->stage = wgsl_later(e->a->stage, e->b->stage);
		e->value = e->stage == STAGE_RUNTIME ? NULL : e->a->value;
		return;
	}
	if (e->a->value == NULL || e->b->value == NULL || e->stage == STAGE_RUNTIME)
		return;
	e->value = wgsl_eval_binary(c, e->whole, e->op, e->a->value, e->b->value, e->type);
	if (e->value == NULL)
		e->type = NULL;
}

/* ---- parts: index, member, address, dereference ------------------------------------------ */

bool wgsl_is_swizzle_place(const struct wgsl_expr *e)
{
	return e->kind == EX_MEMBER && e->n_lanes > 1 &&
	       (e->a->is_ref || e->a->type->kind == WGSL_PTR);
}

/* A pointer stands for what it points to before [...] and .name. */
static void through_pointer(struct wgsl_expr *e, const struct wgsl_expr *base)
{
	e->is_ref = base->is_ref;
	e->space = base->space;
	e->access = base->access;
	e->root = base->root;
	if (base->type->kind == WGSL_PTR) {
		e->is_ref = true;
		e->space = base->type->space;
		e->access = base->type->access;
	}
}

static const struct wgsl_type *base_type(const struct wgsl_expr *base)
{
	return base->type->kind == WGSL_PTR ? base->type->elem : base->type;
}

static bool check_index_range(struct wgsl_comp *c, struct wgsl_expr *e,
			      const struct wgsl_type *base)
{
	int64_t i;

	if (e->b->value == NULL)
		return true;
	i = e->b->value->v[0].i;
	if (i >= 0 && (base->count == 0 || i < base->count))
		return true;
	if (c->no_eval > 0 && e->a->value != NULL)
		return true;
	if (base->count == 0)
		wgsl_error(c, e->b->whole, "the index %lld is negative", (long long)i);
	else
		wgsl_error(c, e->b->whole, "the index %lld is outside of %s (0 to %u)",
			   (long long)i, wgsl_type_text(c, base), base->count - 1);
	return false;
}

/* Beyond the end in what is not evaluated: check_index_range lets that pass. */
static const struct wgsl_value *const_elem(struct wgsl_comp *c, const struct wgsl_expr *e,
					   const struct wgsl_type *base)
{
	int64_t i = e->b->value->v[0].i;

	return i < 0 || i >= base->count ? wgsl_zero(c, base->elem)
					 : wgsl_elem_of(c, e->a->value, (uint32_t)i);
}

static void check_index(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *base;

	wgsl_check_expr(c, e->a);
	if (wgsl_check_value(c, e->b) == NULL || e->a->type == NULL)
		return;
	base = base_type(e->a);
	if (base->kind != WGSL_VEC && base->kind != WGSL_ARRAY && base->kind != WGSL_MAT) {
		wgsl_error(c, e->a->whole, "%s cannot be indexed", wgsl_type_text(c, base));
		return;
	}
	if (!wgsl_is_word(e->b->type) && e->b->type->kind != WGSL_ABSTRACT_INT) {
		wgsl_error(c, e->b->whole, "an index is i32 or u32, not %s",
			   wgsl_type_text(c, e->b->type));
		return;
	}
	if (!wgsl_coerce_concrete(c, e->b) || !check_index_range(c, e, base))
		return;
	e->stage = wgsl_later(e->a->stage, e->b->stage);
	if (e->b->value == NULL) {
		if (!wgsl_coerce_concrete(c, e->a))
			return;
		base = base_type(e->a);
	}
	through_pointer(e, e->a);
	e->is_ref = e->is_ref || wgsl_is_swizzle_place(e->a);
	e->type = base->elem;
	if (e->a->value != NULL && e->b->value != NULL)
		e->value = const_elem(c, e, base);
}

static bool parse_swizzle(const char *text, uint32_t len, uint32_t width, uint8_t *lanes)
{
	static const char *const sets[] = { "xyzw", "rgba" };
	const char *set = strchr(sets[0], text[0]) != NULL ? sets[0] : sets[1];

	if (len > 4)
		return false;
	for (uint32_t i = 0; i < len; i++) {
		const char *at = strchr(set, text[i]);

		if (at == NULL || (uint32_t)(at - set) >= width)
			return false;
		lanes[i] = (uint8_t)(at - set);
	}
	return true;
}

static void check_swizzle(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *base)
{
	if (!parse_swizzle(e->name->text, e->name->len, base->count, e->lanes)) {
		wgsl_error(c, e->at, "%s has no components '%s'", wgsl_type_text(c, base),
			   e->name->text);
		return;
	}
	e->n_lanes = (uint8_t)e->name->len;
	/* Components of components of a variable are components of it. */
	if (wgsl_is_swizzle_place(e->a)) {
		for (uint32_t i = 0; i < e->n_lanes; i++)
			e->lanes[i] = e->a->lanes[e->lanes[i]];
		e->a = e->a->a;
	}
	through_pointer(e, e->a);
	e->type = e->n_lanes == 1 ? base->elem : wgsl_vec(c, base->elem, e->n_lanes);
	if (e->n_lanes > 1 && e->is_ref) {
		wgsl_note_access(c, e, true, false);
		e->is_ref = false;
	}
	if (e->a->value != NULL) {
		struct wgsl_value *v = wgsl_new_value(c, e->type);

		for (uint32_t i = 0; i < e->n_lanes; i++)
			v->v[i] = e->a->value->v[e->lanes[i]];
		e->value = v;
	}
}

/* ": it has a, b"; "" when they are many. */
static const char *member_list(struct wgsl_comp *c, const struct wgsl_type *s)
{
	enum { MANY = 8 };
	const char *text = ": it has ";

	if (s->n_members > MANY || c->diags->n_errors >= WGSL_MAX_ERRORS)
		return "";
	for (uint32_t i = 0; i < s->n_members; i++)
		text = arena_printf(c->arena, "%s%s%.60s", text, i > 0 ? ", " : "",
				    s->members[i].name);
	return text;
}

static void report_member(struct wgsl_comp *c, const struct wgsl_expr *e, const struct wgsl_type *s)
{
	for (uint32_t i = 0; i < s->n_members && c->diags->n_errors < WGSL_MAX_ERRORS; i++) {
		const struct wgsl_member *m = &s->members[i];

		if (!text_is_near(e->name->text, m->name))
			continue;
		wgsl_error(c, e->at, "struct %s has no member '%s'; did you mean '%s'?", s->name,
			   e->name->text, m->name);
		if (m->line > 0)
			wgsl_note(c,
				  (struct wgsl_span){ c->lines[m->line - 1] + m->column - 1,
						      (uint32_t)strlen(m->name) },
				  "declared here");
		return;
	}
	wgsl_error(c, e->at, "struct %s has no member '%s'%s", s->name, e->name->text,
		   member_list(c, s));
}

static void check_member(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *base;

	wgsl_check_expr(c, e->a);
	if (e->a->type == NULL)
		return;
	base = base_type(e->a);
	e->stage = e->a->stage;
	if (base->kind == WGSL_VEC) {
		check_swizzle(c, e, base);
		return;
	}
	if (base->kind != WGSL_STRUCT) {
		wgsl_error(c, e->at, "%s has no members", wgsl_type_text(c, base));
		return;
	}
	for (e->member = 0; e->member < base->n_members; e->member++)
		if (strcmp(base->members[e->member].name, e->name->text) == 0)
			break;
	if (e->member == base->n_members) {
		report_member(c, e, base);
		return;
	}
	through_pointer(e, e->a);
	e->type = base->members[e->member].type;
	if (e->a->value != NULL)
		e->value = wgsl_elem_of(c, e->a->value, e->member);
}

static bool names_component(const struct wgsl_expr *e)
{
	const struct wgsl_type *base;

	if (e->kind != EX_INDEX && e->kind != EX_MEMBER)
		return false;
	base = base_type(e->a);
	return base->kind == WGSL_VEC;
}

static void check_address(struct wgsl_comp *c, struct wgsl_expr *e)
{
	wgsl_check_expr(c, e->a);
	if (e->a->type == NULL)
		return;
	if (!e->a->is_ref) {
		wgsl_error(c, e->whole, "'&' needs a variable or a part of one");
		return;
	}
	if (names_component(e->a)) {
		wgsl_error(c, e->whole, "the address of a vector's component cannot be taken");
		return;
	}
	e->type = wgsl_ptr(c, e->a->space, e->a->type, e->a->access);
	e->root = e->a->root;
	e->stage = STAGE_RUNTIME;
}

/* As in a ** b. */
static bool follows_star(const struct wgsl_comp *c, const struct wgsl_expr *e)
{
	return e->whole.offset > 0 && c->src->text[e->whole.offset - 1] == '*';
}

static void check_deref(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t = wgsl_check_value(c, e->a);

	if (t == NULL)
		return;
	if (t->kind != WGSL_PTR) {
		wgsl_error(c, e->whole, "'*' needs a pointer, not %s%s", wgsl_type_text(c, t),
			   follows_star(c, e) ? "; a power is written pow(a, b)" : "");
		return;
	}
	through_pointer(e, e->a);
	e->type = t->elem;
	e->stage = STAGE_RUNTIME;
}

/* ---- all --------------------------------------------------------------------------------- */

static void check_kind(struct wgsl_comp *c, struct wgsl_expr *e)
{
	switch (e->kind) {
	case EX_IDENT:
		check_ident(c, e);
		break;
	case EX_LITERAL:
		e->type = e->value->type;
		e->stage = STAGE_CONST;
		break;
	case EX_UNARY:
		check_unary(c, e);
		break;
	case EX_BINARY:
		check_binary(c, e);
		break;
	case EX_INDEX:
		check_index(c, e);
		break;
	case EX_MEMBER:
		check_member(c, e);
		break;
	case EX_CALL:
		wgsl_check_call(c, e);
		break;
	case EX_ADDRESS:
		check_address(c, e);
		break;
	case EX_DEREF:
		check_deref(c, e);
		break;
	}
}

void wgsl_check_expr(struct wgsl_comp *c, struct wgsl_expr *e)
{
	if (e->is_checked)
		return;
	e->is_checked = true;
	e->stage = STAGE_RUNTIME;
	if (c->fn != NULL)
		c->fn->fn->own_cost++;
	if (++c->depth > WGSL_MAX_RECURSION)
		wgsl_error(c, e->at, "declarations depend on each other too deeply");
	else
		check_kind(c, e);
	c->depth--;
}
