/*
 * class.c - the numeric class of each output, with its reason, and what a device must be able to
 * do for it.
 */
#include "base/arena.h"
#include "wgsl/analyse_int.h"
#include "wgsl/flow_int.h"

static bool touches_float(const struct wgsl_inst *i)
{
	if (i->type->kind != WGSL_VOID && wgsl_type_is_float(i->type))
		return true;
	for (uint32_t k = 0; k < i->n_args; k++)
		if (wgsl_type_is_float(i->args[k]->type))
			return true;
	return false;
}

/* Operations whose bits differ between devices. */
static bool is_loose(const struct wgsl_inst *i)
{
	if (i->is_strict)
		return false;
	/* Floats are folded in any order; those of min and max may lose a NaN or a zero's sign. */
	if (i->op == WGSL_OP_SUBGROUP && wgsl_type_is_float(i->type))
		return i->u.subgroup >= WGSL_SUBGROUP_ADD && i->u.subgroup <= WGSL_SUBGROUP_MAX;
	return i->op == WGSL_OP_MATH || i->op == WGSL_OP_SQRT ||
	       (i->op == WGSL_OP_DIV && wgsl_type_is_float(i->type));
}

static uint8_t class_source(const void *unused, const struct wgsl_inst *i, uint8_t in)
{
	(void)unused;
	if (i->op == WGSL_OP_CONST || i->op == WGSL_OP_STORE)
		return in;
	if (is_loose(i))
		return WGSL_CLASS_TOLERANCE;
	return touches_float(i) ? WGSL_CLASS_DETERMINISTIC : WGSL_CLASS_EXACT;
}

/* f16 is computed in f32. */
static const char *float_name(const struct wgsl_inst *i)
{
	const struct wgsl_type *t = i->n_args > 0 ? i->args[i->n_args - 1]->type : i->type;

	return wgsl_type_base(t) == WGSL_F64 || wgsl_type_base(i->type) == WGSL_F64 ? "f64" : "f32";
}

static const char *loose_name(struct arena *arena, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_MATH)
		return wgsl_math_name(i->u.math);
	if (i->op == WGSL_OP_SQRT)
		return "sqrt";
	if (i->op == WGSL_OP_SUBGROUP)
		return arena_printf(arena, "%s of floats", wgsl_subgroup_name(i->u.subgroup));
	return wgsl_type_base(i->type) == WGSL_F64 ? "f64 division" : "f32 division";
}

static const char *class_reason(struct wgsl_comp *c, const struct wgsl_var *v, struct wgsl_taint t)
{
	const char *how = t.by_control ? "decided by" : "computed with";

	if (v == NULL || !v->is_written)
		return "never written";
	if (t.level == WGSL_CLASS_EXACT)
		return "integers only: no float reaches it";
	if (t.level == WGSL_CLASS_TOLERANCE)
		return arena_printf(c->arena, "%s %s (line %u), which has no fixed bits", how,
				    loose_name(c->arena, t.why), t.why->line);
	return arena_printf(c->arena, "%s %s values (line %u), only operations with fixed bits",
			    how, float_name(t.why), t.why->line);
}

static void need_type(struct wgsl_needs *n, const struct wgsl_type *t)
{
	enum wgsl_kind k = wgsl_type_base(t);

	n->i64 = n->i64 || k == WGSL_I64 || k == WGSL_U64;
	n->f64 = n->f64 || k == WGSL_F64;
}

/* What a device must be able to do to run the instruction at all. */
static void find_features(struct wgsl_needs *n, const struct wgsl_inst *i)
{
	need_type(n, i->type);
	for (uint32_t k = 0; k < i->n_args; k++)
		need_type(n, i->args[k]->type);
	if (i->path != NULL && wgsl_type_base(i->path->type) == WGSL_F16)
		n->f16 = true;
}

static void find_needs(struct wgsl_needs *n, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		bool rounds = i->op == WGSL_OP_ADD || i->op == WGSL_OP_SUB ||
			      i->op == WGSL_OP_MUL || i->op == WGSL_OP_DIV ||
			      i->op == WGSL_OP_CONVERT || i->op == WGSL_OP_SQRT ||
			      i->op == WGSL_OP_MATH;

		if (i->op != WGSL_OP_CONST && touches_float(i)) {
			n->denorm = true;
			n->infnan = true;
			n->rte = n->rte || rounds;
			n->nocontract =
			    n->nocontract || i->op == WGSL_OP_ADD || i->op == WGSL_OP_SUB;
		}
		find_features(n, i);
		find_needs(n, &i->blocks[0]);
		find_needs(n, &i->blocks[1]);
		for (uint32_t k = 0; k < i->n_cases; k++)
			find_needs(n, &i->cases[k].block);
	}
}

struct seen {
	bool *types; /* by id: types are a graph */
	size_t cap;
};

/* A variable with a part of a type declares it, also where that part is never touched. */
static void need_parts(struct wgsl_comp *c, struct seen *s, const struct wgsl_type *t)
{
	while (t->kind == WGSL_ARRAY || t->kind == WGSL_MAT)
		t = t->elem;
	need_type(&c->module->needs, t);
	if (t->kind != WGSL_STRUCT)
		return;
	arena_reserve(c->arena, &s->types, &s->cap, t->id, sizeof(bool));
	if (s->types[t->id])
		return;
	s->types[t->id] = true;
	for (uint32_t i = 0; i < t->n_members; i++)
		need_parts(c, s, t->members[i].type);
}

static const struct wgsl_var *var_of(const struct wgsl_module *m, const struct wgsl_binding *b)
{
	for (uint32_t i = 0; i < m->n_vars; i++)
		if ((m->vars[i]->space == WGSL_SPACE_STORAGE ||
		     m->vars[i]->space == WGSL_SPACE_UNIFORM) &&
		    m->vars[i]->group == b->group && m->vars[i]->binding == b->binding)
			return m->vars[i];
	return NULL;
}

void wgsl_find_classes(struct wgsl_comp *c)
{
	static const struct wgsl_flow_rules rules = { .source = class_source };
	struct wgsl_module *m = c->module;
	struct wgsl_flow_result flow = wgsl_flow_find(c, &rules);
	struct seen seen = { 0 };

	for (uint32_t i = 0; i < m->n_bindings; i++) {
		struct wgsl_binding *b = &m->bindings[i];
		const struct wgsl_var *v = var_of(m, b);
		struct wgsl_taint t = { 0 };

		if (!b->is_output)
			continue;
		if (v != NULL)
			t = flow.vars[v->id];
		b->numeric_class = (enum wgsl_class)t.level;
		b->class_reason = class_reason(c, v, t);
	}
	find_needs(&m->needs, &m->fn.body);
	for (uint32_t i = 0; i < m->n_vars; i++)
		need_parts(c, &seen, m->vars[i]->type);
	m->needs.subgroup = m->uses_subgroups;
	m->needs.subgroup_size = m->subgroup_size;
}
