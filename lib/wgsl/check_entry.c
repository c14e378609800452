/*
 * check_entry.c - the entry point that is compiled, and the sizes that entry points ask for.
 */
#include <string.h>

#include "base/text.h"
#include "wgsl/check_int.h"

enum { MIN_SUBGROUP = 4, MAX_SUBGROUP = 128 };

/* The entry point meant: the first, unless another one's name is near. */
static const char *near_entry(struct wgsl_comp *c, const char *want)
{
	const char *near = NULL;

	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next)
		if (d->fn != NULL && d->fn->is_entry &&
		    (near == NULL || text_is_near(want, d->name->text)))
			near = d->name->text;
	return near != NULL ? arena_printf(c->arena, "; did you mean '%s'?", near) : "";
}

static bool find_entry(struct wgsl_comp *c)
{
	const char *want = c->src->entry_point;
	uint32_t n = 0;

	for (struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		if (d->fn == NULL || !d->fn->is_entry)
			continue;
		if (want != NULL && strcmp(want, d->name->text) != 0)
			continue;
		n++;
		if (n == 1)
			c->entry = d;
		else
			wgsl_error(c, d->at, "a second entry point: name one in kernel.entryPoint");
		if (n == 2)
			wgsl_note(c, c->entry->at, "first here");
	}
	if (n == 0 && want != NULL)
		wgsl_error(c, (struct wgsl_span){ 0, 0 }, "there is no entry point '%s'%s", want,
			   near_entry(c, want));
	else if (n == 0)
		wgsl_error(c, (struct wgsl_span){ 0, 0 },
			   "there is no entry point: mark a function with @compute");
	return n == 1;
}

/* ---- overrides without a value ------------------------------------------------------------- */

void wgsl_error_unset(struct wgsl_comp *c, const struct wgsl_expr *use)
{
	const struct wgsl_decl *d = use->decl;

	if (d->has_id)
		wgsl_error(c, use->at,
			   "override '%s' has no value: set it in kernel.constants as '%u', its "
			   "@id",
			   d->name->text, d->id);
	else
		wgsl_error(c, use->at, "override '%s' has no value: set it in kernel.constants",
			   d->name->text);
}

static bool check_unset(struct wgsl_comp *c)
{
	struct wgsl_decl *last = c->entry;

	last->fn->is_reached = true;
	for (struct wgsl_decl *d = c->entry; d != NULL; d = d->fn->next_reached) {
		if (d->fn->unset != NULL)
			wgsl_error_unset(c, d->fn->unset);
		for (const struct wgsl_call *k = d->fn->calls; k != NULL; k = k->next) {
			if (k->callee->fn->is_reached)
				continue;
			k->callee->fn->is_reached = true;
			last->fn->next_reached = k->callee;
			last = k->callee;
		}
	}
	return c->diags->n_errors == 0;
}

/* ---- sizes --------------------------------------------------------------------------------- */

/* i32 or u32, the same for all; abstract numbers go with both. */
static bool check_size_types(struct wgsl_comp *c, const struct wgsl_func *fn)
{
	const struct wgsl_type *first = NULL;

	for (uint32_t i = 0; i < fn->n_workgroup_size; i++) {
		const struct wgsl_type *t = wgsl_check_value(c, fn->workgroup_size[i]);

		if (c->diags->n_errors > 0)
			return false;
		if (t == NULL || wgsl_is_abstract(t)) /* NULL: an override that is not set */
			continue;
		if (first != NULL && t != first) {
			wgsl_error(c, fn->workgroup_size[i]->whole,
				   "the numbers of @workgroup_size have different types: %s and %s",
				   wgsl_type_text(c, first), wgsl_type_text(c, t));
			return false;
		}
		first = t;
	}
	return true;
}

static bool check_invocations(struct wgsl_comp *c, const struct wgsl_expr *e, int64_t n)
{
	if (n >= 1 && n <= WGSL_MAX_INVOCATIONS)
		return true;
	wgsl_error(c, e->whole, "a work-group has 1 to %d invocations", WGSL_MAX_INVOCATIONS);
	return false;
}

static bool check_workgroup_size(struct wgsl_comp *c)
{
	const struct wgsl_func *fn = c->entry->fn;
	uint64_t total = 1;

	for (uint32_t i = 0; i < 3; i++)
		c->module->workgroup_size[i] = 1;
	if (!check_size_types(c, fn))
		return false;
	for (uint32_t i = 0; i < fn->n_workgroup_size; i++) {
		int64_t n;

		if (!wgsl_check_const_int(c, fn->workgroup_size[i], true, &n) ||
		    !check_invocations(c, fn->workgroup_size[i], n))
			return false;
		c->module->workgroup_size[i] = (uint32_t)n;
		total *= (uint64_t)n;
	}
	if (total > WGSL_MAX_INVOCATIONS) {
		wgsl_error(c, fn->workgroup_size[0]->whole,
			   "a work-group of %llu invocations is too large (limit %d)",
			   (unsigned long long)total, WGSL_MAX_INVOCATIONS);
		return false;
	}
	return true;
}

static bool check_power(struct wgsl_comp *c, const struct wgsl_expr *e, int64_t n)
{
	if (n >= MIN_SUBGROUP && n <= MAX_SUBGROUP && (n & (n - 1)) == 0)
		return true;
	wgsl_error(c, e->whole, "subgroups have a power of two from %d to %d invocations",
		   MIN_SUBGROUP, MAX_SUBGROUP);
	return false;
}

static bool check_subgroup_size(struct wgsl_comp *c)
{
	struct wgsl_expr *e = c->entry->fn->subgroup_size;
	int64_t n;

	if (e == NULL)
		return true;
	if (!wgsl_check_const_int(c, e, true, &n) || !check_power(c, e, n))
		return false;
	if (c->module->workgroup_size[0] % n != 0) {
		wgsl_error(c, e->whole,
			   "the size of subgroups must divide the first number of @workgroup_size, "
			   "%u",
			   c->module->workgroup_size[0]);
		return false;
	}
	c->module->subgroup_size = (uint32_t)n;
	return true;
}

/* ---- the others --------------------------------------------------------------------------- */

/* Of an entry point that is not compiled: what must hold of a constant, whatever the device. */
static void check_other_size(struct wgsl_comp *c, struct wgsl_expr *e, bool is_subgroup)
{
	const struct wgsl_decl *unset = e->kind == EX_IDENT && e->type == NULL ? e->decl : NULL;
	int64_t n;

	if (unset != NULL && unset->type != NULL && !wgsl_is_word(unset->type))
		wgsl_error(c, e->whole, "this must be an integer, not %s",
			   wgsl_type_text(c, unset->type));
	if (e->type == NULL || !wgsl_check_const_int(c, e, true, &n) || e->stage != STAGE_CONST)
		return;
	if (is_subgroup && (n < 1 || (n & (n - 1)) != 0))
		(void)check_power(c, e, n);
	else if (n < 1)
		(void)check_invocations(c, e, n);
}

static bool check_others(struct wgsl_comp *c)
{
	c->allows_unset = true;
	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		const struct wgsl_func *fn = d->fn;

		if (fn == NULL || !fn->is_entry || d == c->entry)
			continue;
		(void)check_size_types(c, fn);
		for (uint32_t i = 0; i < fn->n_workgroup_size; i++)
			check_other_size(c, fn->workgroup_size[i], false);
		if (fn->subgroup_size == NULL)
			continue;
		(void)wgsl_check_value(c, fn->subgroup_size);
		check_other_size(c, fn->subgroup_size, true);
	}
	c->allows_unset = false;
	return c->diags->n_errors == 0;
}

bool wgsl_check_entry(struct wgsl_comp *c)
{
	const struct wgsl_func *fn;

	if (!find_entry(c) || !check_unset(c) || !check_workgroup_size(c) ||
	    !check_subgroup_size(c) || !check_others(c))
		return false;
	fn = c->entry->fn;
	if (fn->call_depth > WGSL_MAX_CALL_DEPTH) {
		wgsl_error(c, c->entry->at, "calls nest %u deep (limit %d)", fn->call_depth,
			   WGSL_MAX_CALL_DEPTH);
		return false;
	}
	if (fn->cost > WGSL_MAX_INSTRUCTIONS) {
		wgsl_error(c, c->entry->at,
			   "the kernel is too large: more than %d instructions with all calls "
			   "expanded",
			   WGSL_MAX_INSTRUCTIONS);
		return false;
	}
	return true;
}
