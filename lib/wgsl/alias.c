/*
 * alias.c - pointers that may name the same memory in one call.
 *
 * The specification's rule: what a function writes through one pointer, it must not touch through
 * another with the same root, nor by the name of the module variable that is the root. Every
 * function remembers which of its pointer parameters it reads and writes, and which module
 * variables, with everything it calls; so functions are looked at callees first.
 */
#include "wgsl/check_int.h"

static uint64_t *sets_of(struct wgsl_comp *c, struct wgsl_func *fn)
{
	if (fn->accesses == NULL)
		fn->accesses = arena_new_array(c->arena, uint64_t, 2 * (size_t)c->access_words);
	return fn->accesses;
}

static bool touches(const struct wgsl_comp *c, const struct wgsl_func *fn,
		    const struct wgsl_decl *v, bool write)
{
	uint32_t word = v->order / 64 + (write ? c->access_words : 0);

	return fn->accesses != NULL && (fn->accesses[word] >> v->order % 64 & 1) != 0;
}

static void add_access(struct wgsl_comp *c, struct wgsl_func *fn, struct wgsl_decl *root, bool read,
		       bool write)
{
	uint64_t bit;

	if (root == NULL)
		return;
	root->is_read_through = root->is_read_through || read;
	root->is_written_through = root->is_written_through || write;
	if (!root->is_module || root->kind != DECL_VAR)
		return;
	bit = (uint64_t)1 << root->order % 64;
	if (read)
		sets_of(c, fn)[root->order / 64] |= bit;
	if (write)
		sets_of(c, fn)[root->order / 64 + c->access_words] |= bit;
}

void wgsl_note_access(struct wgsl_comp *c, const struct wgsl_expr *e, bool read, bool write)
{
	if (c->fn != NULL && c->has_pointer_params)
		add_access(c, c->fn->fn, e->root, read, write);
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool conflict(const struct wgsl_decl *p, const struct wgsl_decl *q)
{
	return (p->is_written_through && (q->is_read_through || q->is_written_through)) ||
	       (q->is_written_through && p->is_read_through);
}

static void report(struct wgsl_comp *c, const struct wgsl_call *k, uint32_t i, const char *other)
{
	const struct wgsl_decl *f = k->callee;

	wgsl_error(c, k->expr->args.list[i]->whole,
		   "parameter '%s' of '%s' would name the same memory as %s, and one of them is "
		   "written",
		   f->fn->params[i]->name->text, f->name->text, other);
}

static bool check_pairs(struct wgsl_comp *c, const struct wgsl_call *k, uint32_t i)
{
	struct wgsl_decl **params = k->callee->fn->params;
	struct wgsl_expr **args = k->expr->args.list;

	for (uint32_t j = 0; j < i; j++) {
		if (params[j]->type->kind != WGSL_PTR || args[j]->root != args[i]->root ||
		    !conflict(params[i], params[j]))
			continue;
		report(c, k, i, arena_printf(c->arena, "'%s'", params[j]->name->text));
		wgsl_note(c, args[j]->whole, "'%s' is passed here", params[j]->name->text);
		return false;
	}
	return true;
}

static bool check_variable(struct wgsl_comp *c, const struct wgsl_call *k, uint32_t i)
{
	const struct wgsl_decl *p = k->callee->fn->params[i];
	const struct wgsl_decl *root = k->expr->args.list[i]->root;
	const struct wgsl_func *fn = k->callee->fn;
	bool reads;
	bool writes;

	if (root == NULL || !root->is_module || root->kind != DECL_VAR)
		return true;
	reads = touches(c, fn, root, false);
	writes = touches(c, fn, root, true);
	if (!(p->is_written_through && (reads || writes)) && !(p->is_read_through && writes))
		return true;
	report(c, k, i, arena_printf(c->arena, "the variable '%s'", root->name->text));
	wgsl_note_decl(c, root);
	return false;
}

static bool check_call(struct wgsl_comp *c, struct wgsl_func *caller, const struct wgsl_call *k)
{
	const struct wgsl_func *fn = k->callee->fn;

	for (uint32_t i = 0; i < fn->n_params; i++) {
		if (fn->params[i]->type->kind != WGSL_PTR)
			continue;
		if (!check_pairs(c, k, i) || !check_variable(c, k, i))
			return false;
		add_access(c, caller, k->expr->args.list[i]->root, fn->params[i]->is_read_through,
			   fn->params[i]->is_written_through);
	}
	for (uint32_t w = 0; fn->accesses != NULL && w < 2 * c->access_words; w++)
		sets_of(c, caller)[w] |= fn->accesses[w];
	return true;
}

bool wgsl_check_aliases(struct wgsl_comp *c, struct wgsl_func *fn)
{
	if (!c->has_pointer_params)
		return true;
	for (const struct wgsl_call *k = fn->calls; k != NULL; k = k->next)
		if (!check_call(c, fn, k))
			return false;
	return true;
}
