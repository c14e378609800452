/*
 * compile.c - the phases of one compilation, and the module's interface.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "wgsl/analyse_int.h"
#include "wgsl/check_int.h"
#include "wgsl/lower_int.h"

/* ---- interface --------------------------------------------------------------------------- */

static int compare_bindings(const struct wgsl_binding *a, const struct wgsl_binding *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->binding < b->binding ? -1 : a->binding > b->binding;
}

static void fill_binding(const struct wgsl_decl *d, struct wgsl_binding *b)
{
	const struct wgsl_type *t = d->type;

	b->group = d->group;
	b->binding = d->binding;
	b->name = d->name->text;
	b->space = d->space;
	b->access = d->access;
	b->type = t;
	b->min_size = t->size;
	b->is_used = d->var != NULL;
	b->is_output = d->space == WGSL_SPACE_STORAGE && d->access == WGSL_ACCESS_READ_WRITE;
	b->class_reason = "";
	b->order_reason = "";
	if (!t->has_runtime_array)
		return;
	if (t->kind == WGSL_STRUCT) {
		b->array_offset = t->members[t->n_members - 1].offset;
		t = t->members[t->n_members - 1].type;
	}
	b->array_stride = t->stride;
}

static bool is_resource(const struct wgsl_decl *d)
{
	return d->kind == DECL_VAR &&
	       (d->space == WGSL_SPACE_UNIFORM || d->space == WGSL_SPACE_STORAGE);
}

/* Insertion keeps the list sorted; there are at most WGSL_MAX_BINDINGS. */
static bool add_binding(struct wgsl_comp *c, const struct wgsl_decl *d)
{
	struct wgsl_module *m = c->module;
	struct wgsl_binding b = { 0 };
	uint32_t at = m->n_bindings;

	if (m->n_bindings == WGSL_MAX_BINDINGS) {
		wgsl_error(c, d->at, "more than %d bindings", WGSL_MAX_BINDINGS);
		return false;
	}
	fill_binding(d, &b);
	while (at > 0 && compare_bindings(&b, &m->bindings[at - 1]) < 0)
		at--;
	if (at > 0 && compare_bindings(&b, &m->bindings[at - 1]) == 0) {
		/* Those of other entry points may share the place with ours. */
		if (!b.is_used)
			return true;
		if (!m->bindings[at - 1].is_used) {
			m->bindings[at - 1] = b;
			return true;
		}
		wgsl_error(c, d->at, "'%s' and '%s' have the same group %u and binding %u",
			   d->name->text, m->bindings[at - 1].name, d->group, d->binding);
		return false;
	}
	memmove(&m->bindings[at + 1], &m->bindings[at], (m->n_bindings - at) * sizeof(b));
	m->bindings[at] = b;
	m->n_bindings++;
	return true;
}

static bool collect_bindings(struct wgsl_comp *c)
{
	struct wgsl_module *m = c->module;

	m->bindings = arena_new_array(c->arena, struct wgsl_binding, WGSL_MAX_BINDINGS + 1);
	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next)
		if (is_resource(d) && !add_binding(c, d))
			return false;
	return true;
}

static double value_number(const struct wgsl_value *v)
{
	return wgsl_type_is_float(v->type) ? v->v[0].f : (double)v->v[0].i;
}

static void collect_overrides(struct wgsl_comp *c)
{
	struct wgsl_module *m = c->module;
	uint32_t n = 0;

	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next)
		n += d->kind == DECL_OVERRIDE;
	m->overrides = arena_new_array(c->arena, struct wgsl_override, n);
	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		if (d->kind != DECL_OVERRIDE)
			continue;
		m->overrides[m->n_overrides++] =
		    (struct wgsl_override){ .name = d->name->text,
					    .type = d->type,
					    .has_id = d->has_id,
					    .id = d->id,
					    .has_default = d->init != NULL,
					    .value =
						d->value != NULL ? value_number(d->value) : 0.0 };
	}
}

static bool check_memory(struct wgsl_comp *c)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < c->module->n_vars; i++)
		if (c->module->vars[i]->space == WGSL_SPACE_WORKGROUP)
			total += c->module->vars[i]->type->size;
	if (total <= WGSL_MAX_WORKGROUP_BYTES)
		return true;
	for (const struct wgsl_decl *d = c->decls; d != NULL; d = d->next) {
		if (d->kind != DECL_VAR || d->space != WGSL_SPACE_WORKGROUP || d->var == NULL)
			continue;
		wgsl_error(c, d->at,
			   "workgroup variables take %llu bytes, more than the limit of %d",
			   (unsigned long long)total, WGSL_MAX_WORKGROUP_BYTES);
		break;
	}
	return false;
}

static void summarise(struct wgsl_module *m)
{
	for (uint32_t i = 0; i < m->n_bindings; i++) {
		const struct wgsl_binding *b = &m->bindings[i];

		if (!b->is_output)
			continue;
		if (b->numeric_class > m->numeric_class)
			m->numeric_class = b->numeric_class;
		if (b->order > m->order)
			m->order = b->order;
	}
}

const struct wgsl_binding *wgsl_find_binding(const struct wgsl_module *m, const char *name)
{
	for (uint32_t i = 0; i < m->n_bindings; i++)
		if (strcmp(m->bindings[i].name, name) == 0)
			return &m->bindings[i];
	return NULL;
}

/* ---- phases ------------------------------------------------------------------------------ */

/* In dev builds: what the last pass left is an IR by its rules. */
static bool verify(const struct wgsl_comp *c, struct err *err)
{
#ifdef KWARP_DEV
	if (wgsl_ir_verify(c->module, err) < 0)
		(void)err_wrap(err, "fault of the compiler");
#else
	(void)c;
#endif
	return err->code == 0;
}

static bool analyse(struct wgsl_comp *c, struct err *err)
{
	wgsl_number(c->module);
	if (!verify(c, err) || !check_memory(c) || !wgsl_find_uniform(c) || !verify(c, err))
		return false;
	wgsl_find_ranges(c);
	if (!verify(c, err))
		return false;
	wgsl_find_classes(c);
	wgsl_find_orders(c);
	summarise(c->module);
	return verify(c, err);
}

static bool run_phases(struct wgsl_comp *c, struct err *err)
{
	struct wgsl_module *m = c->module;

	if (!wgsl_lex(c))
		return false;
	wgsl_predeclare(c);
	if (!wgsl_parse(c) || !wgsl_check_module(c))
		return false;
	m->entry_point = c->entry->name->text;
	if (!wgsl_lower_module(c) || !collect_bindings(c))
		return false;
	collect_overrides(c);
	return analyse(c, err);
}

static int first_error(const struct wgsl_comp *c, struct err *err)
{
	for (size_t i = 0; i < c->diags->n; i++) {
		const struct wgsl_diag *d = &c->diags->list[i];

		if (d->severity == WGSL_ERROR)
			return err_set(err, ERR_INVALID, "%s:%u:%u: %s",
				       c->src->file != NULL ? c->src->file : "kernel.wgsl", d->line,
				       d->column, d->message);
	}
	return err_set(err, ERR_INVALID, "the kernel is not valid");
}

static void comp_done(struct wgsl_comp **c)
{
	mem_free((*c)->toks);
}

int wgsl_compile(const struct wgsl_source *src, struct arena *arena, struct wgsl_module **ret,
		 struct wgsl_diags *diags, struct err *err)
{
	AUTO(comp_done) struct wgsl_comp *c = arena_new(arena, struct wgsl_comp);

	if (src->len > WGSL_MAX_SOURCE)
		return err_set(err, ERR_TOO_BIG, "the kernel has %zu bytes, the limit is %d",
			       src->len, WGSL_MAX_SOURCE);
	c->src = src;
	c->arena = arena;
	c->diags = diags;
	c->module = arena_new(arena, struct wgsl_module);
	wgsl_find_lines(c);
	wgsl_types_init(c);
	if (!run_phases(c, err) || diags->n_errors > 0)
		return err->code != 0 ? err->code : first_error(c, err);
	*ret = c->module;
	return 0;
}
