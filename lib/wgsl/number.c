/*
 * number.c - numbering of instructions and facts that one walk over the IR gives.
 */
#include "wgsl/analyse_int.h"

static bool walk_block(struct wgsl_module *m, struct wgsl_block *b);

static void use_dimensions(struct wgsl_module *m, uint32_t n)
{
	m->dimensions = n > m->dimensions ? n : m->dimensions;
}

/* Which components of a built-in id an instruction reads. */
static void use_builtin(struct wgsl_module *m, const struct wgsl_inst *i,
			const struct wgsl_inst *builtin)
{
	uint32_t n = 1;

	if (builtin->u.builtin == WGSL_BUILTIN_LOCAL_INDEX ||
	    builtin->u.builtin >= WGSL_BUILTIN_SUBGROUP_INVOCATION_ID) {
		use_dimensions(m, m->workgroup_size[2] > 1 ? 3 : m->workgroup_size[1] > 1 ? 2 : 1);
		return;
	}
	if (i->op != WGSL_OP_SWIZZLE && i->op != WGSL_OP_EXTRACT) {
		use_dimensions(m, 3);
		return;
	}
	if (i->op == WGSL_OP_SWIZZLE)
		n = wgsl_type_width(i->type);
	for (uint32_t k = 0; k < n; k++)
		use_dimensions(m, i->lanes[k] + 1u);
}

static void use_path(struct wgsl_module *m, struct wgsl_inst *i)
{
	struct wgsl_var *v = i->path->var;
	bool is_rmw = i->op == WGSL_OP_ATOMIC && i->u.atomic != WGSL_ATOMIC_LOAD;

	for (uint32_t k = 0; k < i->path->n_steps; k++)
		if (i->path->steps[k].kind == WGSL_STEP_DYNAMIC) {
			i->path->steps[k].value->is_used = true;
			if (i->path->steps[k].value->op == WGSL_OP_BUILTIN)
				use_builtin(m, i, i->path->steps[k].value);
		}
	if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO || is_rmw)
		v->is_written = true;
	if (i->op == WGSL_OP_LOAD || (i->op == WGSL_OP_ATOMIC && i->u.atomic == WGSL_ATOMIC_LOAD))
		v->is_read = true;
	if (v->space == WGSL_SPACE_WORKGROUP)
		m->uses_workgroup_memory = true;
}

/* True if the instruction is or holds a barrier. */
static bool walk_inst(struct wgsl_module *m, struct wgsl_inst *i)
{
	i->id = m->fn.n_insts++;
	m->uses_subgroups =
	    m->uses_subgroups || i->op == WGSL_OP_SUBGROUP ||
	    (i->op == WGSL_OP_BUILTIN && i->u.builtin >= WGSL_BUILTIN_SUBGROUP_INVOCATION_ID);
	for (uint32_t k = 0; k < i->n_args; k++)
		if (i->args[k] != NULL)
			i->args[k]->is_used = true;
	if (i->path != NULL)
		use_path(m, i);
	i->has_barrier = i->op == WGSL_OP_BARRIER;
	for (uint32_t k = 0; k < i->n_args; k++)
		if (i->args[k] != NULL && i->args[k]->op == WGSL_OP_BUILTIN)
			use_builtin(m, i, i->args[k]);
	for (int k = 0; k < 2; k++)
		i->has_barrier = walk_block(m, &i->blocks[k]) || i->has_barrier;
	for (uint32_t k = 0; k < i->n_cases; k++)
		i->has_barrier = walk_block(m, &i->cases[k].block) || i->has_barrier;
	return i->has_barrier;
}

static bool walk_block(struct wgsl_module *m, struct wgsl_block *b)
{
	bool has_barrier = false;

	for (struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		has_barrier = walk_inst(m, i) || has_barrier;
	return has_barrier;
}

/* An atomic's old value that is used makes its variable read. */
static void mark_used_atomics(struct wgsl_block *b)
{
	for (struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (i->op == WGSL_OP_ATOMIC && i->is_used)
			i->path->var->is_read = true;
		mark_used_atomics(&i->blocks[0]);
		mark_used_atomics(&i->blocks[1]);
		for (uint32_t k = 0; k < i->n_cases; k++)
			mark_used_atomics(&i->cases[k].block);
	}
}

void wgsl_number(struct wgsl_module *m)
{
	m->fn.n_insts = 0;
	m->dimensions = 1;
	m->uses_subgroups = m->subgroup_size > 0;
	(void)walk_block(m, &m->fn.values);
	m->uses_barriers = walk_block(m, &m->fn.body);
	mark_used_atomics(&m->fn.body);
	for (uint32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i]->space == WGSL_SPACE_WORKGROUP)
			m->workgroup_bytes += m->vars[i]->type->size;
}
