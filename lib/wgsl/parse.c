/*
 * parse.c - directives and declarations at module scope.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "wgsl/check_int.h"
#include "wgsl/hint_int.h"
#include "wgsl/parse_int.h"

struct wgsl_decl *wgsl_new_decl(struct wgsl_comp *c, enum wgsl_decl_kind kind,
				struct wgsl_name *name, struct wgsl_span at)
{
	struct wgsl_decl *d = arena_new(c->arena, struct wgsl_decl);

	d->kind = kind;
	d->name = name;
	d->at = at;
	d->input = -1;
	return d;
}

static bool parse_attr_args(struct wgsl_comp *c, struct wgsl_attr *a)
{
	size_t cap = 0;

	a->has_args = true;
	while (wgsl_peek_kind(c) != TOK_RPAREN) {
		struct wgsl_expr *e = wgsl_parse_expr(c);

		if (e == NULL)
			return false;
		wgsl_push_expr(c, &a->args, &cap, e);
		if (!wgsl_accept(c, TOK_COMMA))
			break;
	}
	return wgsl_expect(c, TOK_RPAREN, "after the attribute's values");
}

struct wgsl_attr *wgsl_parse_attrs(struct wgsl_comp *c)
{
	struct wgsl_attr *first = NULL;
	struct wgsl_attr **last = &first;

	while (wgsl_accept(c, TOK_AT)) {
		const struct wgsl_tok *t = wgsl_next(c);
		struct wgsl_attr *a = arena_new(c->arena, struct wgsl_attr);

		a->at = wgsl_tok_span(t);
		a->name = t->name;
		if (a->name == NULL) {
			wgsl_syntax(c, a->at, "expected an attribute's name after '@'");
			return NULL;
		}
		if (wgsl_accept(c, TOK_LPAREN) && !parse_attr_args(c, a))
			return NULL;
		*last = a;
		last = &a->next;
	}
	return first;
}

/* ---- variables --------------------------------------------------------------------------- */

static bool name_space(const char *text, enum wgsl_space *ret)
{
	for (int s = WGSL_SPACE_FUNCTION; s <= WGSL_SPACE_STORAGE; s++) {
		if (strcmp(text, wgsl_space_name((enum wgsl_space)s)) == 0) {
			*ret = (enum wgsl_space)s;
			return true;
		}
	}
	return false;
}

/* The address space meant, "" if none is near. */
static const char *near_space(struct wgsl_comp *c, const char *text)
{
	if (strcmp(text, "immediate") == 0)
		return "; uniform does the same here";
	for (int s = WGSL_SPACE_FUNCTION; s <= WGSL_SPACE_STORAGE; s++)
		if (text_is_near(text, wgsl_space_name((enum wgsl_space)s)))
			return arena_printf(c->arena, "; did you mean '%s'?",
					    wgsl_space_name((enum wgsl_space)s));
	return "";
}

static bool parse_access(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_span at;
	const struct wgsl_name *n = wgsl_expect_name(c, "an access mode", &at);

	if (n == NULL)
		return false;
	d->has_access = true;
	if (strcmp(n->text, "read") == 0)
		d->access = WGSL_ACCESS_READ;
	else if (strcmp(n->text, "write") == 0)
		d->access = WGSL_ACCESS_WRITE;
	else if (strcmp(n->text, "read_write") == 0)
		d->access = WGSL_ACCESS_READ_WRITE;
	else
		wgsl_syntax(c, at, "'%s' is no access mode: read, write or read_write", n->text);
	return !c->has_failed;
}

static bool parse_var_space(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_span at;
	const struct wgsl_name *n = wgsl_expect_name(c, "an address space after 'var<'", &at);

	if (n == NULL)
		return false;
	if (!name_space(n->text, &d->space)) {
		wgsl_syntax(c, at,
			    "'%s' is no address space: function, private, workgroup, uniform or "
			    "storage%s",
			    n->text, near_space(c, n->text));
		return false;
	}
	d->has_space = true;
	if (wgsl_accept(c, TOK_COMMA) && wgsl_peek_kind(c) != TOK_TEMPLATE_END &&
	    !parse_access(c, d))
		return false;
	wgsl_accept(c, TOK_COMMA);
	return wgsl_expect(c, TOK_TEMPLATE_END, "after the address space");
}

static enum wgsl_decl_kind variable_kind(enum wgsl_tok_kind k)
{
	return k == TOK_CONST      ? DECL_CONST
	       : k == TOK_OVERRIDE ? DECL_OVERRIDE
	       : k == TOK_LET      ? DECL_LET
				   : DECL_VAR;
}

struct wgsl_decl *wgsl_parse_variable(struct wgsl_comp *c, struct wgsl_attr *attrs)
{
	enum wgsl_tok_kind kind = wgsl_next(c)->kind;
	struct wgsl_decl *d = wgsl_new_decl(c, variable_kind(kind), NULL, (struct wgsl_span){ 0 });

	d->attrs = attrs;
	if (kind == TOK_VAR && wgsl_accept(c, TOK_TEMPLATE_START) && !parse_var_space(c, d))
		return NULL;
	if (kind == TOK_VAR && wgsl_peek_kind(c) == TOK_LT)
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)), "this '<' has no '>'");
	d->name = wgsl_expect_name(c, "the name of what is declared", &d->at);
	if (d->name == NULL)
		return NULL;
	if (wgsl_accept(c, TOK_COLON)) {
		d->type_expr = wgsl_parse_type(c);
		if (d->type_expr == NULL)
			return NULL;
	}
	if (wgsl_accept(c, TOK_ASSIGN)) {
		d->init = wgsl_parse_expr(c);
		if (d->init == NULL)
			return NULL;
	} else if (wgsl_peek_kind(c) == TOK_IDENT && d->type_expr == NULL) {
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)),
			    "expected ':' or '=' after '%s', found %s; the type follows the "
			    "name: %s %s: type",
			    d->name->text, wgsl_tok_shown(c, wgsl_peek(c)), wgsl_tok_text(kind),
			    wgsl_peek(c)->name->text);
		return NULL;
	} else if (kind == TOK_CONST || kind == TOK_LET) {
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)), "'%s' needs a value: %s %s = ...",
			    d->name->text, wgsl_tok_text(kind), d->name->text);
		return NULL;
	}
	return d;
}

/* ---- structs, functions ------------------------------------------------------------------ */

static struct wgsl_decl *parse_struct(struct wgsl_comp *c)
{
	struct wgsl_decl *d = wgsl_new_decl(c, DECL_TYPE, NULL, (struct wgsl_span){ 0 });
	struct wgsl_field **last = &d->fields;

	wgsl_next(c);
	d->is_struct = true;
	d->name = wgsl_expect_name(c, "the name of the struct", &d->at);
	if (d->name == NULL || !wgsl_expect(c, TOK_LBRACE, "after the struct's name"))
		return NULL;
	while (wgsl_peek_kind(c) != TOK_RBRACE) {
		struct wgsl_field *f = arena_new(c->arena, struct wgsl_field);

		f->attrs = wgsl_parse_attrs(c);
		f->name = wgsl_expect_name(c, "a member or '}'", &f->at);
		if (f->name == NULL || !wgsl_expect(c, TOK_COLON, "after the member's name"))
			return NULL;
		f->type_expr = wgsl_parse_type(c);
		if (f->type_expr == NULL)
			return NULL;
		*last = f;
		last = &f->next;
		if (!wgsl_accept(c, TOK_COMMA))
			break;
	}
	if (d->fields == NULL)
		wgsl_syntax(c, d->at, "struct '%s' has no members", d->name->text);
	return wgsl_expect(c, TOK_RBRACE, "or ',' after the member") ? d : NULL;
}

static struct wgsl_decl *parse_alias(struct wgsl_comp *c)
{
	struct wgsl_decl *d = wgsl_new_decl(c, DECL_TYPE, NULL, (struct wgsl_span){ 0 });

	wgsl_next(c);
	d->name = wgsl_expect_name(c, "the name of the alias", &d->at);
	if (d->name == NULL || !wgsl_expect(c, TOK_ASSIGN, "after the alias's name"))
		return NULL;
	d->type_expr = wgsl_parse_type(c);
	return d->type_expr != NULL ? d : NULL;
}

static struct wgsl_decl *parse_param(struct wgsl_comp *c)
{
	struct wgsl_decl *p = wgsl_new_decl(c, DECL_PARAM, NULL, (struct wgsl_span){ 0 });

	p->attrs = wgsl_parse_attrs(c);
	p->name = wgsl_expect_name(c, "a parameter or ')'", &p->at);
	if (p->name == NULL || !wgsl_expect(c, TOK_COLON, "after the parameter's name"))
		return NULL;
	p->type_expr = wgsl_parse_type(c);
	return p->type_expr != NULL ? p : NULL;
}

static bool parse_params(struct wgsl_comp *c, struct wgsl_func *fn)
{
	size_t cap = 0;

	if (!wgsl_expect(c, TOK_LPAREN, "after the function's name"))
		return false;
	while (wgsl_peek_kind(c) != TOK_RPAREN) {
		struct wgsl_decl *p = parse_param(c);

		if (p == NULL)
			return false;
		arena_reserve(c->arena, &fn->params, &cap, fn->n_params,
			      sizeof(struct wgsl_decl *));
		fn->params[fn->n_params++] = p;
		if (fn->n_params > 255) {
			wgsl_syntax(c, p->at, "a function has at most 255 parameters");
			return false;
		}
		if (!wgsl_accept(c, TOK_COMMA))
			break;
	}
	return wgsl_expect(c, TOK_RPAREN, "or ',' after the parameter");
}

static struct wgsl_decl *parse_fn(struct wgsl_comp *c, struct wgsl_attr *attrs)
{
	struct wgsl_decl *d = wgsl_new_decl(c, DECL_FN, NULL, (struct wgsl_span){ 0 });
	enum wgsl_filter outer = c->filter;

	wgsl_next(c);
	d->fn = arena_new(c->arena, struct wgsl_func);
	d->attrs = attrs;
	c->filter = wgsl_find_filter(attrs, outer);
	d->name = wgsl_expect_name(c, "the name of the function", &d->at);
	if (d->name == NULL || !parse_params(c, d->fn))
		return NULL;
	if (wgsl_accept(c, TOK_ARROW)) {
		d->fn->return_attrs = wgsl_parse_attrs(c);
		d->fn->return_expr = wgsl_parse_type(c);
		if (d->fn->return_expr == NULL)
			return NULL;
	} else if (wgsl_peek_kind(c) == TOK_COLON) {
		wgsl_syntax(c, wgsl_tok_span(wgsl_peek(c)),
			    "expected '{' or '->' after the parameters, found ':'");
		return NULL;
	}
	d->fn->body = wgsl_parse_block(c, "to begin the function's body");
	c->filter = outer;
	return d->fn->body != NULL ? d : NULL;
}

static struct wgsl_decl *parse_assert(struct wgsl_comp *c)
{
	struct wgsl_decl *d = wgsl_new_decl(c, DECL_ASSERT, NULL, wgsl_tok_span(wgsl_next(c)));

	d->init = wgsl_parse_expr(c);
	return d->init != NULL ? d : NULL;
}

/* ---- the module -------------------------------------------------------------------------- */

static struct wgsl_decl *parse_decl(struct wgsl_comp *c)
{
	struct wgsl_attr *attrs = wgsl_parse_attrs(c);
	const struct wgsl_tok *t = wgsl_peek(c);
	struct wgsl_decl *d;

	if (c->has_failed)
		return NULL;
	if (attrs != NULL && t->kind != TOK_FN && t->kind != TOK_VAR && t->kind != TOK_OVERRIDE) {
		wgsl_syntax(c, attrs->at, "@%s cannot stand before %s%s", attrs->name->text,
			    wgsl_tok_shown(c, t), wgsl_hint_decl(c));
		return NULL;
	}
	switch ((int)t->kind) {
	case TOK_FN:
		return parse_fn(c, attrs);
	case TOK_STRUCT:
		return parse_struct(c);
	case TOK_CONST:
	case TOK_VAR:
	case TOK_OVERRIDE:
		d = wgsl_parse_variable(c, attrs);
		break;
	case TOK_ALIAS:
		d = parse_alias(c);
		break;
	case TOK_CONST_ASSERT:
		d = parse_assert(c);
		break;
	case TOK_LET:
		wgsl_syntax(c, wgsl_tok_span(t), "let belongs into functions; use const here");
		return NULL;
	case TOK_ENABLE:
	case TOK_REQUIRES:
	case TOK_DIAGNOSTIC:
		wgsl_syntax(c, wgsl_tok_span(t), "'%s' must stand before all declarations",
			    wgsl_tok_text(t->kind));
		return NULL;
	default:
		wgsl_syntax(c, wgsl_tok_span(t),
			    "expected a declaration (fn, var, const, override, struct, alias), "
			    "found %s%s",
			    wgsl_tok_shown(c, t), wgsl_hint_decl(c));
		return NULL;
	}
	if (d == NULL || !wgsl_expect(c, TOK_SEMI, "after the declaration"))
		return NULL;
	return d;
}

/* Extensions of the specification; `why` not: NULL where it is part of the language here. */
struct extension {
	const char *name;
	const char *why;
	enum wgsl_tok_kind directive;
	uint32_t feature; /* enum wgsl_feature that it allows */
};

static const struct extension extensions[] = {
	{ "f16", NULL, TOK_ENABLE, FEATURE_F16 },
	{ "subgroups", NULL, TOK_ENABLE, FEATURE_SUBGROUPS },
	{ "kwarp_i64", NULL, TOK_ENABLE, FEATURE_I64 },
	{ "kwarp_f64", NULL, TOK_ENABLE, FEATURE_F64 },
	{ "subgroup_size_control", NULL, TOK_ENABLE, FEATURE_SUBGROUP_SIZE },
	{ "clip_distances", "of vertex shaders", TOK_ENABLE, 0 },
	{ "dual_source_blending", "of fragment shaders", TOK_ENABLE, 0 },
	{ "primitive_index", "of fragment shaders", TOK_ENABLE, 0 },
	{ "atomic_vec2u_min_max", "not supported: atomics have 32 bits", TOK_ENABLE, 0 },
	{ "packed_4x8_integer_dot_product", NULL, TOK_REQUIRES, 0 },
	{ "unrestricted_pointer_parameters", NULL, TOK_REQUIRES, 0 },
	{ "pointer_composite_access", NULL, TOK_REQUIRES, 0 },
	{ "linear_indexing", NULL, TOK_REQUIRES, 0 },
	{ "readonly_and_readwrite_storage_textures", "of textures", TOK_REQUIRES, 0 },
	{ "texture_and_sampler_let", "of textures", TOK_REQUIRES, 0 },
	{ "texture_formats_tier1", "of textures", TOK_REQUIRES, 0 },
	{ "fragment_depth", "of fragment shaders", TOK_REQUIRES, 0 },
	{ "uniform_buffer_standard_layout", NULL, TOK_REQUIRES, 0 },
	{ "swizzle_assignment", NULL, TOK_REQUIRES, 0 },
	{ "subgroup_id", NULL, TOK_REQUIRES, 0 },
	{ "subgroup_uniformity", NULL, TOK_REQUIRES, 0 },
	{ "immediate_address_space", "not supported: use a uniform variable", TOK_REQUIRES, 0 },
	{ "buffer_view", "not supported: every buffer has one type", TOK_REQUIRES, 0 },
};

const char *wgsl_feature_text(uint32_t feature)
{
	switch (feature) {
	case FEATURE_F16:
		return "enable f16;";
	case FEATURE_I64:
		return "enable kwarp_i64;";
	case FEATURE_F64:
		return "enable kwarp_f64;";
	case FEATURE_SUBGROUP_SIZE:
		return "enable subgroup_size_control;";
	default:
		return "enable subgroups;";
	}
}

static void check_extension(struct wgsl_comp *c, enum wgsl_tok_kind directive,
			    const struct wgsl_name *n, struct wgsl_span at)
{
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		const struct extension *x = &extensions[i];

		if (strcmp(n->text, x->name) != 0)
			continue;
		if (x->directive != directive)
			wgsl_syntax(c, at, "write '%s %s;'", wgsl_tok_text(x->directive), x->name);
		else if (x->why != NULL)
			wgsl_syntax(c, at, "%s is %s", n->text, x->why);
		else
			c->features |= x->feature;
		if (x->feature == FEATURE_SUBGROUP_SIZE)
			c->size_control = at;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(extensions); i++) {
		const struct extension *x = &extensions[i];

		if (text_is_near(n->text, x->name) ||
		    (text_starts(x->name, "kwarp_") && strcmp(n->text, x->name + 6) == 0)) {
			wgsl_syntax(c, at, "there is no extension '%s'; did you mean '%s'?",
				    n->text, x->name);
			return;
		}
	}
	wgsl_syntax(c, at, "there is no extension '%s'", n->text);
}

/* Joined with those before: all of them filter the whole module. */
static void parse_filter(struct wgsl_comp *c, struct wgsl_attr **last)
{
	const struct wgsl_tok *t = &c->toks[c->pos - 1];
	struct wgsl_attr *a = arena_new(c->arena, struct wgsl_attr);

	a->at = wgsl_tok_span(t);
	a->name = t->name;
	if (!wgsl_expect(c, TOK_LPAREN, "after diagnostic") || !parse_attr_args(c, a))
		return;
	if (a->args.n != 2)
		wgsl_syntax(c, a->at, "diagnostic takes a severity and a rule");
	else if (wgsl_expect(c, TOK_SEMI, "after the directive"))
		*last = a;
}

static void parse_directive(struct wgsl_comp *c, struct wgsl_attr **last)
{
	enum wgsl_tok_kind kind = wgsl_next(c)->kind;

	if (kind == TOK_DIAGNOSTIC) {
		parse_filter(c, last);
		return;
	}
	do {
		struct wgsl_span at;
		const struct wgsl_name *n = wgsl_expect_name(c, "the name of a feature", &at);

		if (n != NULL)
			check_extension(c, kind, n, at);
	} while (wgsl_accept(c, TOK_COMMA) && wgsl_peek_kind(c) != TOK_SEMI);
	(void)wgsl_expect(c, TOK_SEMI, "after the directive");
}

static bool is_directive(enum wgsl_tok_kind k)
{
	return k == TOK_ENABLE || k == TOK_REQUIRES || k == TOK_DIAGNOSTIC;
}

static void add_decl(struct wgsl_comp *c, struct wgsl_decl *d)
{
	d->is_module = true;
	if (c->last_decl != NULL)
		c->last_decl->next = d;
	else
		c->decls = d;
	c->last_decl = d;
}

static bool parse_directives(struct wgsl_comp *c)
{
	struct wgsl_attr **last = &c->filters;

	while (is_directive(wgsl_peek_kind(c))) {
		parse_directive(c, last);
		while (*last != NULL)
			last = &(*last)->next;
	}
	if ((c->features & FEATURE_SUBGROUP_SIZE) != 0 && (c->features & FEATURE_SUBGROUPS) == 0)
		wgsl_syntax(c, c->size_control, "subgroup_size_control needs '%s' too",
			    wgsl_feature_text(FEATURE_SUBGROUPS));
	if (c->has_failed || !wgsl_check_filters(c, c->filters, true))
		return false;
	c->filter = wgsl_find_filter(c->filters, c->filter);
	return true;
}

bool wgsl_parse(struct wgsl_comp *c)
{
	if (!parse_directives(c))
		return false;
	while (!c->has_failed && wgsl_peek_kind(c) != TOK_END) {
		struct wgsl_decl *d;

		if (wgsl_accept(c, TOK_SEMI))
			continue;
		d = parse_decl(c);
		if (d != NULL)
			add_decl(c, d);
	}
	return !c->has_failed;
}
