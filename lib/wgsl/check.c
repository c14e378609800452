/*
 * check.c - declarations at module scope, entry points, and the call graph.
 *
 * All declarations but function bodies are resolved first, on demand in any order; so no local
 * name is in scope while a module-scope one is resolved.
 */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "wgsl/check_int.h"

/* ---- overrides --------------------------------------------------------------------------- */

/* "The base-10 representation of the pipeline constant ID if specified, and otherwise the declared
 * name" (WGSL 7.2.2). */
static const char *override_key(const struct wgsl_comp *c, const struct wgsl_decl *d)
{
	return d->has_id ? arena_printf(c->arena, "%u", d->id) : d->name->text;
}

static const struct wgsl_constant *find_constant(const struct wgsl_comp *c,
						 const struct wgsl_decl *d)
{
	const char *key = override_key(c, d);

	for (size_t i = 0; i < c->src->n_constants; i++)
		if (strcmp(c->src->constants[i].name, key) == 0)
			return &c->src->constants[i];
	return NULL;
}

static const struct wgsl_value *constant_value(struct wgsl_comp *c, const struct wgsl_decl *d,
					       double x)
{
	struct wgsl_value *v = wgsl_new_value(c, d->type);
	enum wgsl_kind kind = d->type->kind;
	double low = kind == WGSL_I32 ? -2147483648.0 : 0.0;
	double high = kind == WGSL_I32 ? 2147483647.0 : 4294967295.0;

	if (kind == WGSL_BOOL) {
		v->v[0].i = x != 0.0;
		return v;
	}
	if (kind == WGSL_F32 || kind == WGSL_F16 || kind == WGSL_F64) {
		v->v[0].f = kind == WGSL_F32   ? (double)(float)x
			    : kind == WGSL_F16 ? wgsl_half(x)
					       : x;
		if (isfinite(v->v[0].f))
			return v;
	} else if (x >= low && x <= high && floor(x) == x) {
		v->v[0].i = (int64_t)x;
		return v;
	}
	wgsl_error(c, d->at, "the given value of override '%s' does not fit into %s", d->name->text,
		   wgsl_type_text(c, d->type));
	return NULL;
}

static bool override_id(struct wgsl_comp *c, struct wgsl_decl *d)
{
	int64_t id;

	if (!wgsl_check_attrs(c, d->attrs, WGSL_ON_OVERRIDE, "an override"))
		return false;
	if (d->attrs == NULL)
		return true;
	if (!wgsl_attr_int(c, d->attrs, 0, 65535, &id))
		return false;
	d->has_id = true;
	d->id = (uint32_t)id;
	if (c->override_ids == NULL)
		c->override_ids = arena_new_array(c->arena, const struct wgsl_decl *, 65536);
	if (c->override_ids[id] != NULL) {
		wgsl_error(c, d->attrs->at, "@id(%u) stands at two overrides", d->id);
		wgsl_note(c, c->override_ids[id]->at, "first here");
		return false;
	}
	c->override_ids[id] = d;
	return true;
}

static bool check_override(struct wgsl_comp *c, struct wgsl_decl *d)
{
	const struct wgsl_constant *given;

	if (!override_id(c, d) || !wgsl_check_variable(c, d))
		return false;
	if (!wgsl_type_is_scalar(d->type) || d->type->kind == WGSL_I64 ||
	    d->type->kind == WGSL_U64) {
		wgsl_error(c, d->at, "an override is bool, i32, u32, f16, f32 or f64, not %s",
			   wgsl_type_text(c, d->type));
		return false;
	}
	ASSERT(d->init == NULL || d->init->stage != STAGE_RUNTIME);
	d->stage = STAGE_OVERRIDE;
	given = find_constant(c, d);
	if (given != NULL)
		d->value = constant_value(c, d, given->value);
	/* Without a value it must not be used: check_expr.c. */
	return d->value != NULL || (given == NULL && d->init == NULL);
}

/* ---- variables --------------------------------------------------------------------------- */

static bool binding_attrs(struct wgsl_comp *c, struct wgsl_decl *d)
{
	bool has_group = false;
	bool has_binding = false;

	if (!wgsl_check_attrs(c, d->attrs, WGSL_ON_VAR, "a variable"))
		return false;
	for (const struct wgsl_attr *a = d->attrs; a != NULL; a = a->next) {
		bool is_group = strcmp(a->name->text, "group") == 0;
		int64_t n;

		if (!wgsl_attr_int(c, a, 0, is_group ? 31 : 65535, &n))
			return false;
		if (is_group)
			d->group = (uint32_t)n;
		else
			d->binding = (uint32_t)n;
		has_group = has_group || is_group;
		has_binding = has_binding || !is_group;
	}
	d->has_binding = has_group && has_binding;
	if (d->has_space && d->space != WGSL_SPACE_UNIFORM && d->space != WGSL_SPACE_STORAGE &&
	    d->attrs != NULL) {
		wgsl_error(c, d->at, "only uniform and storage variables have a binding");
		return false;
	}
	return true;
}

static bool check_resource(struct wgsl_comp *c, struct wgsl_decl *d)
{
	const struct wgsl_type *t = d->type;

	if (!d->has_binding) {
		wgsl_error(c, d->at, "a %s variable needs @group(...) and @binding(...)",
			   wgsl_space_name(d->space));
		return false;
	}
	if (t->sized_by != NULL) {
		wgsl_error(c, d->type_expr->whole,
			   "an array sized by an override can only be a workgroup variable");
		return false;
	}
	if (!t->is_host_shareable) {
		wgsl_error(c, d->type_expr->whole,
			   "%s cannot be shared with the host (bool has no layout)",
			   wgsl_type_text(c, t));
		return false;
	}
	if (d->space == WGSL_SPACE_UNIFORM && !t->is_constructible) {
		wgsl_error(
		    c, d->type_expr->whole, "%s cannot be in uniform%s", wgsl_type_text(c, t),
		    t->has_runtime_array ? "; an array without a size is of storage only" : "");
		return false;
	}
	if (t->has_atomic && d->access != WGSL_ACCESS_READ_WRITE) {
		wgsl_error(c, d->type_expr->whole, "atomics need var<storage, read_write>");
		return false;
	}
	return true;
}

static bool check_space(struct wgsl_comp *c, struct wgsl_decl *d)
{
	bool is_resource = d->space == WGSL_SPACE_UNIFORM || d->space == WGSL_SPACE_STORAGE;

	if (!d->has_space || d->space == WGSL_SPACE_FUNCTION) {
		wgsl_error(c, d->at,
			   "a module variable needs an address space: var<private>, "
			   "var<workgroup>, var<uniform> or var<storage, ...>");
		return false;
	}
	if (!wgsl_is_enumerant(c, d->at, wgsl_space_name(d->space)))
		return false;
	if (d->has_access && d->space != WGSL_SPACE_STORAGE) {
		wgsl_error(c, d->at, "only storage variables take an access mode");
		return false;
	}
	if (d->access == WGSL_ACCESS_WRITE && d->has_access) {
		wgsl_error(c, d->at, "a storage variable is read or read_write");
		return false;
	}
	if (d->has_access &&
	    !wgsl_is_enumerant(c, d->at, d->access == WGSL_ACCESS_READ ? "read" : "read_write"))
		return false;
	if (!d->has_access)
		d->access = is_resource ? WGSL_ACCESS_READ : WGSL_ACCESS_READ_WRITE;
	if (d->init != NULL && d->space != WGSL_SPACE_PRIVATE) {
		wgsl_error(c, d->init->whole, "a %s variable cannot have an initial value",
			   wgsl_space_name(d->space));
		return false;
	}
	if (d->type_expr == NULL && d->init == NULL) {
		wgsl_error(c, d->at, "'%s' needs a type", d->name->text);
		return false;
	}
	return true;
}

static bool check_module_var(struct wgsl_comp *c, struct wgsl_decl *d)
{
	/* Textures and samplers have none: their types are refused by name. */
	if (!d->has_space && d->type_expr != NULL && wgsl_check_type(c, d->type_expr) == NULL)
		return false;
	if (!binding_attrs(c, d) || !check_space(c, d) || !wgsl_check_variable(c, d))
		return false;
	d->value = NULL;
	if (d->space == WGSL_SPACE_UNIFORM || d->space == WGSL_SPACE_STORAGE)
		return check_resource(c, d);
	if (d->type->has_runtime_array) {
		wgsl_error(c, d->at, "a runtime-sized array lives in storage only");
		return false;
	}
	if (d->space == WGSL_SPACE_PRIVATE && !d->type->is_constructible) {
		wgsl_error(c, d->at, "%s cannot be private", wgsl_type_text(c, d->type));
		return false;
	}
	return true;
}

/* ---- functions --------------------------------------------------------------------------- */

static const char *const input_names[] = {
	[WGSL_BUILTIN_GLOBAL_ID] = "global_invocation_id",
	[WGSL_BUILTIN_LOCAL_ID] = "local_invocation_id",
	[WGSL_BUILTIN_LOCAL_INDEX] = "local_invocation_index",
	[WGSL_BUILTIN_WORKGROUP_ID] = "workgroup_id",
	[WGSL_BUILTIN_NUM_WORKGROUPS] = "num_workgroups",
	[WGSL_BUILTIN_SUBGROUP_INVOCATION_ID] = "subgroup_invocation_id",
	[WGSL_BUILTIN_SUBGROUP_SIZE] = "subgroup_size",
	[WGSL_BUILTIN_SUBGROUP_ID] = "subgroup_id",
	[WGSL_BUILTIN_NUM_SUBGROUPS] = "num_subgroups",
};

static int linear_input(const char *text)
{
	if (strcmp(text, "global_invocation_index") == 0)
		return WGSL_INPUT_GLOBAL_INDEX;
	return strcmp(text, "workgroup_index") == 0 ? WGSL_INPUT_WORKGROUP_INDEX : -1;
}

/* The input meant, "" if none is near; "global_id" stands for "global_invocation_id". */
static const char *near_input(struct wgsl_comp *c, const char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(input_names); i++)
		if (text_is_near(text, input_names[i]))
			return arena_printf(c->arena, "; did you mean '%s'?", input_names[i]);
	if (strcmp(text, "global_id") == 0 || strcmp(text, "thread_id") == 0)
		return "; did you mean 'global_invocation_id'?";
	return strcmp(text, "local_id") == 0 ? "; did you mean 'local_invocation_id'?" : "";
}

/* Values of other stages that a structure may name. */
static const char *const other_builtins[] = { "vertex_index", "instance_index", "position",
					      "front_facing", "frag_depth",     "sample_index",
					      "sample_mask",  "clip_distances", "primitive_index" };

bool wgsl_check_builtin_name(struct wgsl_comp *c, const struct wgsl_attr *a)
{
	const struct wgsl_expr *e = a->args.list[0];
	const char *text = e->kind == EX_IDENT && !e->has_targs ? e->name->text : "";
	bool ok = linear_input(text) >= 0;

	for (size_t i = 0; i < ARRAY_LEN(input_names) && !ok; i++)
		ok = strcmp(text, input_names[i]) == 0;
	for (size_t i = 0; i < ARRAY_LEN(other_builtins) && !ok; i++)
		ok = strcmp(text, other_builtins[i]) == 0;
	if (!ok)
		wgsl_error(c, e->whole, "there is no built-in value '%s'%s", text,
			   near_input(c, text));
	return ok;
}

/* The input that @builtin(...) among the attributes names, -1 if none or wrong (reported). */
static int input_of(struct wgsl_comp *c, const struct wgsl_attr *a, const struct wgsl_type *t)
{
	struct wgsl_span at;
	const char *text;
	int linear;

	while (a != NULL && strcmp(a->name->text, "builtin") != 0)
		a = a->next;
	if (a == NULL)
		return -1;
	at = a->args.n == 1 ? a->args.list[0]->whole : a->at;
	text =
	    a->args.n == 1 && a->args.list[0]->kind == EX_IDENT ? a->args.list[0]->name->text : "";
	linear = linear_input(text);
	if (linear >= 0) {
		if (t != c->basic[WGSL_U32])
			wgsl_error(c, a->at, "@builtin(%s) is u32, not %s", text,
				   wgsl_type_text(c, t));
		return linear;
	}
	for (int i = 0; i < (int)ARRAY_LEN(input_names); i++) {
		const struct wgsl_type *want = c->basic[WGSL_U32];

		if (strcmp(text, input_names[i]) != 0)
			continue;
		if (i != WGSL_BUILTIN_LOCAL_INDEX && i < WGSL_BUILTIN_SUBGROUP_INVOCATION_ID)
			want = wgsl_vec(c, want, 3);
		if (i >= WGSL_BUILTIN_SUBGROUP_INVOCATION_ID &&
		    (c->features & FEATURE_SUBGROUPS) == 0)
			wgsl_error(c, a->at, "@builtin(%s) needs 'enable subgroups;' at the top",
				   text);
		if (t != want)
			wgsl_error(c, a->at, "@builtin(%s) is %s, not %s", text,
				   wgsl_type_text(c, want), wgsl_type_text(c, t));
		return i;
	}
	wgsl_error(c, at, "'%s' is no input of a compute shader%s", text, near_input(c, text));
	return -1;
}

static bool check_input_struct(struct wgsl_comp *c, struct wgsl_decl *p)
{
	const struct wgsl_decl *d = c->decls;
	uint32_t i = 0;

	while (d != NULL && d->type != p->type)
		d = d->next;
	if (d == NULL || !d->is_struct)
		return false;
	p->member_inputs = arena_new_array(c->arena, int, p->type->n_members);
	for (const struct wgsl_field *f = d->fields; f != NULL; f = f->next, i++) {
		size_t before = c->diags->n_errors;

		p->member_inputs[i] = input_of(c, f->attrs, p->type->members[i].type);
		if (p->member_inputs[i] < 0 && before == c->diags->n_errors)
			wgsl_error(c, f->at,
				   "'%s' needs @builtin(...): it is an input of an entry point",
				   f->name->text);
	}
	return true;
}

static void check_input(struct wgsl_comp *c, struct wgsl_decl *p)
{
	size_t before = c->diags->n_errors;

	if (p->type == NULL)
		return;
	if (p->type->kind == WGSL_STRUCT && p->attrs == NULL && check_input_struct(c, p))
		return;
	p->input = input_of(c, p->attrs, p->type);
	if (p->input < 0 && before == c->diags->n_errors)
		wgsl_error(c, p->at, "the parameter '%s' of an entry point needs @builtin(...)",
			   p->name->text);
}

static void check_param(struct wgsl_comp *c, const struct wgsl_decl *fn, struct wgsl_decl *p)
{
	p->type = wgsl_check_type(c, p->type_expr);
	p->state = DECL_DONE;
	if (!wgsl_check_attrs(c, p->attrs, WGSL_ON_PARAM, "a parameter") || p->type == NULL)
		return;
	if (p->type->kind != WGSL_PTR && !p->type->is_constructible) {
		wgsl_error(c, p->type_expr->whole, "%s cannot be a parameter; pass a pointer",
			   wgsl_type_text(c, p->type));
		p->type = NULL;
		return;
	}
	if (p->type->kind == WGSL_PTR)
		c->has_pointer_params = true;
	if (fn->fn->is_entry)
		check_input(c, p);
	else if (p->attrs != NULL)
		wgsl_error(c, p->attrs->at, "@%s applies to entry points only, which have @compute",
			   p->attrs->name->text);
}

/* @workgroup_size and @subgroup_size; NULL: it has none. */
static bool size_attrs(struct wgsl_comp *c, struct wgsl_decl *d, const struct wgsl_attr *size,
		       const struct wgsl_attr *subgroup)
{
	struct wgsl_func *fn = d->fn;
	const struct wgsl_attr *any = size != NULL ? size : subgroup;

	if (!fn->is_entry && any != NULL) {
		wgsl_error(c, any->at, "@%s stands at @compute functions only", any->name->text);
		return false;
	}
	if (fn->is_entry && size == NULL) {
		wgsl_error(c, d->at, "the entry point '%s' needs @workgroup_size(...)",
			   d->name->text);
		return false;
	}
	if (subgroup != NULL && (c->features & FEATURE_SUBGROUP_SIZE) == 0) {
		wgsl_error(c, subgroup->at, "@subgroup_size needs '%s' at the top",
			   wgsl_feature_text(FEATURE_SUBGROUP_SIZE));
		return false;
	}
	fn->subgroup_size = subgroup != NULL ? subgroup->args.list[0] : NULL;
	fn->n_workgroup_size = size != NULL ? size->args.n : 0;
	for (uint32_t i = 0; i < fn->n_workgroup_size; i++)
		fn->workgroup_size[i] = size->args.list[i];
	return true;
}

static bool fn_attrs(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_func *fn = d->fn;
	const struct wgsl_attr *size = NULL;
	const struct wgsl_attr *subgroup = NULL;
	const struct wgsl_attr *must_use = NULL;

	if (!wgsl_check_attrs(c, d->attrs, WGSL_ON_FN, "a function"))
		return false;
	for (const struct wgsl_attr *a = d->attrs; a != NULL; a = a->next) {
		const char *text = a->name->text;

		if (strcmp(text, "compute") == 0) {
			fn->is_entry = true;
		} else if (strcmp(text, "workgroup_size") == 0) {
			size = a;
		} else if (strcmp(text, "subgroup_size") == 0) {
			subgroup = a;
		} else if (strcmp(text, "must_use") == 0) {
			fn->is_must_use = true;
			must_use = a;
		}
	}
	if (must_use != NULL && d->fn->return_expr == NULL) {
		wgsl_error(c, must_use->at, "@must_use: '%s' returns nothing", d->name->text);
		return false;
	}
	return size_attrs(c, d, size, subgroup);
}

/* Each input once, over all parameters. */
static void check_doubles(struct wgsl_comp *c, const struct wgsl_func *fn)
{
	bool seen[WGSL_INPUT_WORKGROUP_INDEX + 1] = { false };

	for (uint32_t i = 0; i < fn->n_params; i++) {
		const struct wgsl_decl *p = fn->params[i];
		bool is_struct = p->type != NULL && p->member_inputs != NULL;
		uint32_t n = is_struct ? p->type->n_members : 1;

		for (uint32_t k = 0; k < n; k++) {
			int input = is_struct ? p->member_inputs[k] : p->input;

			if (input < 0)
				continue;
			if (seen[input])
				wgsl_error(c, p->at, "'%s' has an input that was taken before",
					   p->name->text);
			seen[input] = true;
		}
	}
}

static bool check_signature(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_func *fn = d->fn;
	bool ok = fn_attrs(c, d);

	for (uint32_t i = 0; i < fn->n_params; i++)
		check_param(c, d, fn->params[i]);
	if (fn->is_entry)
		check_doubles(c, fn);
	fn->return_type = c->basic[WGSL_VOID];
	if (wgsl_check_attrs(c, fn->return_attrs, WGSL_ON_RETURN, "a result") &&
	    fn->return_attrs != NULL && !fn->is_entry)
		wgsl_error(c, fn->return_attrs->at,
			   "@%s applies to entry points only, which have @compute",
			   fn->return_attrs->name->text);
	if (fn->return_expr != NULL) {
		fn->return_type = wgsl_check_type(c, fn->return_expr);
		if (fn->return_type != NULL && !fn->return_type->is_constructible) {
			wgsl_error(c, fn->return_expr->whole, "%s cannot be returned",
				   wgsl_type_text(c, fn->return_type));
			fn->return_type = NULL;
		}
		if (fn->is_entry)
			wgsl_error(c, fn->return_expr->whole,
				   "a compute entry point returns nothing");
	}
	fn->is_signature_done = ok;
	return ok;
}

/* ---- resolution -------------------------------------------------------------------------- */

static bool check_module_const(struct wgsl_comp *c, struct wgsl_decl *d)
{
	return wgsl_check_variable(c, d);
}

static bool check_alias(struct wgsl_comp *c, struct wgsl_decl *d)
{
	d->type = wgsl_check_type(c, d->type_expr);
	return d->type != NULL;
}

static void check_module_assert(struct wgsl_comp *c, struct wgsl_decl *d)
{
	if (wgsl_check_value(c, d->init) == NULL)
		return;
	if (d->init->type->kind != WGSL_BOOL || d->init->stage != STAGE_CONST)
		wgsl_error(c, d->init->whole, "const_assert needs a constant bool");
	else if (d->init->value->v[0].i == 0)
		wgsl_error(c, d->at, "const_assert failed");
}

static bool resolve_kind(struct wgsl_comp *c, struct wgsl_decl *d)
{
	switch ((int)d->kind) {
	case DECL_TYPE:
		return d->is_struct ? wgsl_check_struct(c, d) : check_alias(c, d);
	case DECL_CONST:
		return check_module_const(c, d);
	case DECL_OVERRIDE:
		return check_override(c, d);
	case DECL_VAR:
		return check_module_var(c, d);
	case DECL_FN:
		return check_signature(c, d);
	default:
		check_module_assert(c, d);
		return true;
	}
}

bool wgsl_resolve(struct wgsl_comp *c, struct wgsl_decl *d)
{
	bool ok;

	if (d->state == DECL_DONE)
		return d->type != NULL || d->kind == DECL_FN;
	if (d->state == DECL_ACTIVE) {
		wgsl_error(c, d->at, "'%s' depends on itself", d->name->text);
		return false;
	}
	d->state = DECL_ACTIVE;
	ok = resolve_kind(c, d);
	d->state = DECL_DONE;
	if (!ok)
		d->type = NULL;
	return ok;
}

static void declare_all(struct wgsl_comp *c)
{
	uint32_t n_vars = 0;

	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		struct wgsl_decl *before;

		if (d->name == NULL)
			continue;
		before = d->name->decl;
		if (before != NULL && before->is_module) {
			wgsl_error(c, d->at, "'%s' is declared twice", d->name->text);
			wgsl_note(c, before->at, "declared here before");
			continue;
		}
		d->name->decl = d;
		if (d->kind == DECL_VAR)
			d->order = n_vars++;
	}
	c->access_words = (n_vars + 63) / 64;
}

/* ---- the call graph ---------------------------------------------------------------------- */

enum { COST_MAX = 1 << 30 };

static void link_callers(struct wgsl_comp *c)
{
	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		for (struct wgsl_call *k = d->fn != NULL ? d->fn->calls : NULL; k != NULL;
		     k = k->next) {
			struct wgsl_call *back = arena_new(c->arena, struct wgsl_call);

			back->callee = d;
			back->at = k->at;
			back->next = k->callee->fn->callers;
			k->callee->fn->callers = back;
			d->fn->pending++;
		}
	}
}

static void finish_cost(struct wgsl_func *fn)
{
	fn->cost = fn->own_cost;
	for (const struct wgsl_call *k = fn->calls; k != NULL; k = k->next) {
		fn->cost += k->callee->fn->cost;
		if (fn->cost > COST_MAX)
			fn->cost = COST_MAX;
		if (k->callee->fn->call_depth + 1 > fn->call_depth)
			fn->call_depth = k->callee->fn->call_depth + 1;
	}
}

/* Some function on a cycle: follow calls among what could not be ordered until one repeats. */
static void report_cycle(struct wgsl_comp *c, struct wgsl_decl *d)
{
	const struct wgsl_call *k = NULL;

	while (d->fn->call_depth != UINT32_MAX) {
		d->fn->call_depth = UINT32_MAX;
		for (k = d->fn->calls; k != NULL && k->callee->fn->pending == 0; k = k->next)
			;
		if (k == NULL)
			return;
		d = k->callee;
	}
	wgsl_error(c, d->at, "'%s' calls itself (directly or through others), which WGSL forbids",
		   d->name->text);
	if (k != NULL)
		wgsl_note(c, k->at, "called here");
}

/* Costs from the leaves up; false if there is recursion. */
static bool order_calls(struct wgsl_comp *c)
{
	AUTO(mem_freep) struct wgsl_decl **queue = NULL;
	size_t cap = 0;
	size_t n = 0;

	link_callers(c);
	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		if (d->fn == NULL || d->fn->pending > 0)
			continue;
		mem_reserve(&queue, &cap, n, sizeof(struct wgsl_decl *));
		queue[n++] = d;
	}
	for (size_t i = 0; i < n; i++) {
		finish_cost(queue[i]->fn);
		if (!wgsl_check_aliases(c, queue[i]->fn))
			return false;
		for (const struct wgsl_call *k = queue[i]->fn->callers; k != NULL; k = k->next) {
			if (--k->callee->fn->pending > 0)
				continue;
			mem_reserve(&queue, &cap, n, sizeof(struct wgsl_decl *));
			queue[n++] = k->callee;
		}
	}
	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		if (d->fn != NULL && d->fn->pending > 0) {
			report_cycle(c, d);
			return false;
		}
	}
	return true;
}

/* ---- constants from outside ---------------------------------------------------------------- */

/* What was meant: also of one that is meant by its name, but has an @id. */
static const struct wgsl_decl *near_override(const struct wgsl_comp *c, const char *name)
{
	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next)
		if (d->kind == DECL_OVERRIDE &&
		    (strcmp(name, d->name->text) == 0 || text_is_near(name, d->name->text)))
			return d;
	return NULL;
}

static void no_such_override(struct wgsl_comp *c, const char *name)
{
	const struct wgsl_span nowhere = { 0, 0 };
	const struct wgsl_decl *near = near_override(c, name);

	if (near == NULL)
		wgsl_error(c, nowhere, "kernel.constants names '%s', but there is no such override",
			   name);
	else if (near->has_id)
		wgsl_error(c, nowhere,
			   "kernel.constants names '%s', but there is no such override; did you "
			   "mean '%u', the @id of '%s'?",
			   name, near->id, near->name->text);
	else
		wgsl_error(c, nowhere,
			   "kernel.constants names '%s', but there is no such override; did you "
			   "mean '%s'?",
			   name, near->name->text);
}

static void check_constants(struct wgsl_comp *c)
{
	for (size_t i = 0; i < c->src->n_constants; i++) {
		const char *name = c->src->constants[i].name;
		const struct wgsl_decl *d = c->decls;

		while (d != NULL &&
		       !(d->kind == DECL_OVERRIDE && find_constant(c, d) == &c->src->constants[i]))
			d = d->next;
		if (d != NULL)
			continue;
		no_such_override(c, name);
	}
}

bool wgsl_check_module(struct wgsl_comp *c)
{
	declare_all(c);
	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next)
		(void)wgsl_resolve(c, d);
	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next)
		if (d->fn != NULL)
			wgsl_check_body(c, d);
	check_constants(c);
	if (c->diags->n_errors > 0)
		return false;
	return order_calls(c) && wgsl_check_entry(c);
}
