/*
 * lower_place.c - variables, access paths, and copies of structs and arrays.
 */
#include "base/mem.h"
#include "wgsl/const_int.h"
#include "wgsl/lower_int.h"

bool wgsl_is_aggregate(const struct wgsl_type *t)
{
	return t->kind == WGSL_STRUCT || t->kind == WGSL_ARRAY || t->kind == WGSL_MAT;
}

/* ---- variables --------------------------------------------------------------------------- */

static struct wgsl_var *add_var(struct wgsl_lower *l, const struct wgsl_type *t,
				enum wgsl_space space, const char *name)
{
	struct wgsl_var *v = arena_new(l->c->arena, struct wgsl_var);
	bool is_shared = space == WGSL_SPACE_UNIFORM || space == WGSL_SPACE_STORAGE;

	v->name = name;
	v->id = l->m->n_vars;
	v->space = space;
	v->access = WGSL_ACCESS_READ_WRITE;
	v->type = is_shared ? t : wgsl_shadow_type(l, t);
	v->line = l->line;
	v->column = l->column;
	arena_reserve(l->c->arena, &l->m->vars, &l->cap_vars, l->m->n_vars,
		      sizeof(struct wgsl_var *));
	l->m->vars[l->m->n_vars++] = v;
	return v;
}

static void count_bytes(struct wgsl_lower *l, uint32_t size)
{
	l->private_bytes += size > WGSL_MAX_EXPANDED_BYTES ? WGSL_MAX_EXPANDED_BYTES + 1 : size;
	if (l->private_bytes > WGSL_MAX_EXPANDED_BYTES)
		wgsl_lower_fail(l,
				"private and function variables take more than %d bytes per "
				"invocation with all calls expanded",
				WGSL_MAX_EXPANDED_BYTES);
}

static void count_private(struct wgsl_lower *l, uint32_t size)
{
	l->module_bytes += size > WGSL_MAX_PRIVATE_BYTES ? WGSL_MAX_PRIVATE_BYTES + 1 : size;
	if (l->module_bytes > WGSL_MAX_PRIVATE_BYTES)
		wgsl_lower_fail(l, "private variables take more than %d bytes per invocation",
				WGSL_MAX_PRIVATE_BYTES);
	count_bytes(l, size);
}

static struct wgsl_var *take_idle(struct wgsl_lower *l, const struct wgsl_type *t)
{
	for (size_t i = l->n_idle; i-- > 0;) {
		struct wgsl_var *v = l->idle[i];

		if (v->type != t)
			continue;
		l->idle[i] = l->idle[--l->n_idle];
		return v;
	}
	return NULL;
}

/* Function space. Aggregates whose block has ended are used again. */
static struct wgsl_var *function_var(struct wgsl_lower *l, const struct wgsl_type *t,
				     const char *name)
{
	struct wgsl_var *v;

	t = wgsl_shadow_type(l, t);
	if (!wgsl_is_aggregate(t))
		return add_var(l, t, WGSL_SPACE_FUNCTION, name);
	v = take_idle(l, t);
	if (v == NULL) {
		v = add_var(l, t, WGSL_SPACE_FUNCTION, name);
		count_bytes(l, t->size);
	}
	arena_reserve(l->c->arena, &l->live, &l->cap_live, l->n_live, sizeof(struct wgsl_var *));
	l->live[l->n_live++] = v;
	return v;
}

size_t wgsl_mark(const struct wgsl_lower *l)
{
	return l->n_live;
}

void wgsl_release(struct wgsl_lower *l, size_t mark)
{
	while (l->n_live > mark) {
		arena_reserve(l->c->arena, &l->idle, &l->cap_idle, l->n_idle,
			      sizeof(struct wgsl_var *));
		l->idle[l->n_idle++] = l->live[--l->n_live];
	}
}

struct wgsl_var *wgsl_new_var(struct wgsl_lower *l, const struct wgsl_decl *d)
{
	struct wgsl_var *v;

	if (!d->is_module)
		return function_var(l, d->type, d->name->text);
	v = add_var(l, d->type, d->space, d->name->text);
	v->access = d->access;
	v->group = d->group;
	v->binding = d->binding;
	v->line = wgsl_line_of(l->c, d->at.offset, &v->column);
	if (d->space == WGSL_SPACE_PRIVATE)
		count_private(l, v->type->size);
	return v;
}

struct wgsl_path *wgsl_var_path(struct wgsl_lower *l, struct wgsl_var *v)
{
	struct wgsl_path **slot;

	arena_reserve(l->c->arena, &l->whole, &l->cap_whole, v->id, sizeof(struct wgsl_path *));
	slot = &l->whole[v->id];
	if (*slot == NULL) {
		*slot = arena_new(l->c->arena, struct wgsl_path);
		(*slot)->var = v;
		(*slot)->type = v->type;
	}
	return *slot;
}

struct wgsl_path *wgsl_temp(struct wgsl_lower *l, const struct wgsl_type *t, const char *name)
{
	return wgsl_var_path(l, function_var(l, t, name));
}

/* ---- paths ------------------------------------------------------------------------------- */

static struct wgsl_path *add_step(struct wgsl_lower *l, const struct wgsl_path *p,
				  struct wgsl_step step)
{
	struct wgsl_path *n = arena_new(l->c->arena, struct wgsl_path);

	n->var = p->var;
	n->n_steps = p->n_steps + 1;
	n->steps = arena_new_array(l->c->arena, struct wgsl_step, n->n_steps);
	for (uint32_t i = 0; i < p->n_steps; i++)
		n->steps[i] = p->steps[i];
	n->steps[p->n_steps] = step;
	n->type = step.type;
	return n;
}

struct wgsl_path *wgsl_step_const(struct wgsl_lower *l, struct wgsl_path *p, uint32_t i)
{
	bool is_member = p->type->kind == WGSL_STRUCT;
	struct wgsl_step step = { .index = i };

	step.kind = is_member ? WGSL_STEP_MEMBER : WGSL_STEP_CONST;
	step.type = is_member ? p->type->members[i].type : p->type->elem;
	step.in_range = p->type->kind != WGSL_ARRAY || p->type->count > 0 || i == 0;
	return add_step(l, p, step);
}

struct wgsl_path *wgsl_step_dyn(struct wgsl_lower *l, struct wgsl_path *p, struct wgsl_inst *i)
{
	struct wgsl_step step = { .kind = WGSL_STEP_DYNAMIC, .value = i, .type = p->type->elem };

	if (i->op == WGSL_OP_CONST && (p->type->count == 0 || i->u.bits[0] < p->type->count))
		return wgsl_step_const(l, p, (uint32_t)i->u.bits[0]);
	return add_step(l, p, step);
}

struct wgsl_inst *wgsl_load(struct wgsl_lower *l, struct wgsl_path *p)
{
	bool is_half = wgsl_type_base(p->type) == WGSL_F16;
	const struct wgsl_type *u32 = l->c->basic[WGSL_U32];
	const struct wgsl_type *t = is_half ? wgsl_with_base(l->c, p->type, u32) : p->type;
	struct wgsl_inst *i = wgsl_emit(l, WGSL_OP_LOAD, t);

	i->path = p;
	i->is_uniform = l->uniform_loads;
	return is_half ? wgsl_from_half(l, i) : i;
}

/* Is the write to p the one that ends what the variable held before? */
static bool is_whole(struct wgsl_lower *l, const struct wgsl_path *p)
{
	bool *begins;
	bool is;

	arena_reserve(l->c->arena, &l->begins, &l->cap_begins, p->var->id, sizeof(bool));
	begins = &l->begins[p->var->id];
	is = p->n_steps == 0 || *begins;
	*begins = false;
	return is;
}

void wgsl_begin(struct wgsl_lower *l, const struct wgsl_path *to)
{
	arena_reserve(l->c->arena, &l->begins, &l->cap_begins, to->var->id, sizeof(bool));
	if (to->n_steps == 0)
		l->begins[to->var->id] = true;
}

struct wgsl_inst *wgsl_store(struct wgsl_lower *l, struct wgsl_path *p, struct wgsl_inst *v,
			     bool is_init)
{
	struct wgsl_inst *i;

	if (wgsl_type_base(p->type) == WGSL_F16)
		v = wgsl_to_half(l, v);
	else if (p->var->space == WGSL_SPACE_STORAGE && wgsl_type_is_float(v->type))
		v = wgsl_emit1(l, WGSL_OP_CANON, v->type, v);
	i = wgsl_emit1(l, WGSL_OP_STORE, l->c->basic[WGSL_VOID], v);
	i->path = p;
	i->is_init = is_init;
	i->is_whole = is_whole(l, p);
	return i;
}

/* ---- copies ------------------------------------------------------------------------------ */

/* Scalars and vectors inside, saturated. */
static uint32_t leaves(const struct wgsl_type *t)
{
	uint64_t n = 0;

	if (t->kind == WGSL_ARRAY)
		n = (uint64_t)t->count * leaves(t->elem);
	else if (t->kind == WGSL_STRUCT)
		for (uint32_t i = 0; i < t->n_members && n < 1000000; i++)
			n += leaves(t->members[i].type);
	else
		n = 1;
	return n > 1000000 ? 1000000 : (uint32_t)n;
}

static void copy_loop(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_path *from,
		      bool is_init)
{
	const struct wgsl_type *u32 = l->c->basic[WGSL_U32];
	struct wgsl_path *at = wgsl_temp(l, u32, "copy");
	struct wgsl_path *to_i;
	struct wgsl_path *from_i;
	struct wgsl_inst *loop;
	struct wgsl_inst *i;
	struct wgsl_block *old;

	wgsl_store(l, at, wgsl_const_bits(l, u32, 0), true);
	loop = wgsl_emit(l, WGSL_OP_LOOP, l->c->basic[WGSL_VOID]);
	old = wgsl_open(l, &loop->blocks[0]);
	i = wgsl_load(l, at);
	to_i = wgsl_step_dyn(l, to, i);
	from_i = wgsl_step_dyn(l, from, i);
	to_i->steps[to_i->n_steps - 1].in_range = true;
	from_i->steps[from_i->n_steps - 1].in_range = true;
	wgsl_copy(l, to_i, from_i, is_init);
	wgsl_close(l, old);
	old = wgsl_open(l, &loop->blocks[1]);
	i = wgsl_binary(l, WGSL_OP_ADD, wgsl_load(l, at), wgsl_const_bits(l, u32, 1));
	wgsl_store(l, at, i, false);
	loop->args[0] = wgsl_binary(l, WGSL_OP_GE, i, wgsl_const_bits(l, u32, to->type->count));
	loop->n_args = 1;
	wgsl_close(l, old);
}

void wgsl_copy(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_path *from, bool is_init)
{
	const struct wgsl_type *t = to->type;

	if (l->failed)
		return;
	wgsl_begin(l, to);
	if (t->kind == WGSL_ARRAY && t->count > 1 && leaves(t) > LOWER_UNROLL) {
		copy_loop(l, to, from, is_init);
	} else if (wgsl_is_aggregate(t)) {
		uint32_t n = t->kind == WGSL_STRUCT ? t->n_members : t->count;

		for (uint32_t i = 0; i < n && !l->failed; i++)
			wgsl_copy(l, wgsl_step_const(l, to, i), wgsl_step_const(l, from, i),
				  is_init);
	} else {
		wgsl_store(l, to, wgsl_load(l, from), is_init);
	}
}

static bool is_zero(const struct wgsl_value *v)
{
	return wgsl_is_aggregate(v->type) && v->elems == NULL;
}

static void emit_zero(struct wgsl_lower *l, struct wgsl_path *p)
{
	struct wgsl_inst *i = wgsl_emit(l, WGSL_OP_ZERO, l->c->basic[WGSL_VOID]);

	i->path = p;
	i->is_init = true;
	i->is_whole = is_whole(l, p);
}

/* A constant into a fresh variable. */
static void store_value(struct wgsl_lower *l, struct wgsl_path *to, const struct wgsl_value *v)
{
	uint32_t n;

	if (l->failed)
		return;
	if (is_zero(v)) {
		emit_zero(l, to);
		return;
	}
	if (!wgsl_is_aggregate(v->type)) {
		wgsl_store(l, to, wgsl_const_value(l, v), true);
		return;
	}
	n = v->type->kind == WGSL_STRUCT ? v->type->n_members : v->type->count;
	for (uint32_t i = 0; i < n && !l->failed; i++)
		store_value(l, wgsl_step_const(l, to, i), v->elems[i]);
}

/* Constant arrays and structs that are used as places: filled once, at the start. */
static struct wgsl_path *const_table(struct wgsl_lower *l, const struct wgsl_value *v)
{
	struct wgsl_block *old = l->block;
	struct wgsl_table *t;

	for (t = l->tables; t != NULL; t = t->next)
		if (t->value == v)
			return t->path;
	t = arena_new(l->c->arena, struct wgsl_table);
	t->value = v;
	t->path = wgsl_var_path(l, add_var(l, v->type, WGSL_SPACE_FUNCTION, "table"));
	count_bytes(l, t->path->type->size);
	t->next = l->tables;
	l->tables = t;
	l->block = &l->prologue;
	store_value(l, t->path, v);
	l->block = old;
	return t->path;
}

/* ---- expressions as places --------------------------------------------------------------- */

static struct wgsl_path *decl_place(struct wgsl_lower *l, struct wgsl_decl *d)
{
	if (d->kind == DECL_VAR) {
		if (d->var == NULL)
			d->var = wgsl_new_var(l, d);
		return wgsl_var_path(l, d->var);
	}
	return d->path;
}

/* A value that is no place yet, in a variable of its own. */
static struct wgsl_path *temporary(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_path *p;

	if (e->value != NULL && wgsl_is_aggregate(e->type))
		return const_table(l, e->value);
	p = wgsl_temp(l, e->type, "temp");
	wgsl_lower_into(l, p, e, true);
	return p;
}

/* v.zyx[i]: component 2 - i of v. */
static struct wgsl_path *swizzle_place(struct wgsl_lower *l, const struct wgsl_expr *e)
{
	const struct wgsl_expr *s = e->a;
	const struct wgsl_type *u32 = l->c->basic[WGSL_U32];
	struct wgsl_value *lanes = wgsl_new_value(l->c, wgsl_vec(l->c, u32, s->n_lanes));
	struct wgsl_path *base = wgsl_lower_place(l, s->a);
	struct wgsl_inst *i;

	for (uint32_t k = 0; k < s->n_lanes; k++)
		lanes->v[k].i = s->lanes[k];
	if (l->failed)
		return base;
	if (e->b->value != NULL)
		return wgsl_step_const(l, base, s->lanes[e->b->value->v[0].i]);
	i = wgsl_lower_value(l, e->b);
	if (l->failed)
		return base;
	return wgsl_step_dyn(
	    l, base, wgsl_emit2(l, WGSL_OP_EXTRACT_DYN, u32, wgsl_const_value(l, lanes), i));
}

static struct wgsl_path *index_place(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_path *base;

	if (wgsl_is_swizzle_place(e->a))
		return swizzle_place(l, e);
	base = wgsl_lower_place(l, e->a);

	if (l->failed)
		return base;
	if (e->b->value != NULL)
		return wgsl_step_const(l, base, (uint32_t)e->b->value->v[0].i);
	return wgsl_step_dyn(l, base, wgsl_lower_value(l, e->b));
}

/* A pointer and what it points to are the same place here. */
static bool is_through(const struct wgsl_expr *e)
{
	return e->kind == EX_ADDRESS || e->kind == EX_DEREF;
}

static bool is_member_place(const struct wgsl_expr *e)
{
	return e->kind == EX_MEMBER && e->value == NULL && e->n_lanes <= 1;
}

struct wgsl_path *wgsl_lower_place(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_path *p = NULL;

	if (++l->depth > WGSL_MAX_EXPR_DEPTH * 4)
		wgsl_lower_fail(l, "expressions nest too deeply with all calls expanded");
	if (!l->failed && (is_through(e) || is_member_place(e)))
		p = wgsl_lower_place(l, e->a);
	else if (!l->failed && e->kind == EX_IDENT && e->value == NULL && e->decl != NULL &&
		 (e->decl->kind == DECL_VAR || e->decl->path != NULL))
		p = decl_place(l, e->decl);
	else if (!l->failed && e->kind == EX_INDEX && e->value == NULL)
		p = index_place(l, e);
	else if (!l->failed)
		p = temporary(l, e);
	if (!l->failed && is_member_place(e))
		p = wgsl_step_const(l, p, e->n_lanes == 1 ? e->lanes[0] : e->member);
	l->depth--;
	/* After a failure any place will do: nothing of it is used. */
	return p != NULL ? p
			 : wgsl_var_path(
			       l, add_var(l, l->c->basic[WGSL_U32], WGSL_SPACE_FUNCTION, "failed"));
}

static void construct_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e)
{
	for (uint32_t i = 0; i < e->args.n && !l->failed; i++)
		wgsl_lower_into(l, wgsl_step_const(l, to, i), e->args.list[i], true);
}

/* An aggregate that may overlap what it is made from is made in a temporary first. */
static void aggregate_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e,
			   bool is_init)
{
	if (wgsl_makes_matrix(e)) {
		wgsl_lower_matrix_into(l, to, e, is_init);
	} else if (!is_init && !e->is_ref) {
		wgsl_copy(l, to, wgsl_lower_place(l, e), false);
	} else if (e->value != NULL) {
		store_value(l, to, e->value);
	} else if (e->kind == EX_CALL && e->call == CALL_CONSTRUCT) {
		construct_into(l, to, e);
	} else if (e->kind == EX_CALL && e->call == CALL_USER) {
		wgsl_lower_call(l, e, to);
	} else if (e->kind == EX_CALL) {
		wgsl_lower_builtin_into(l, to, e);
	} else {
		struct wgsl_path *from = wgsl_lower_place(l, e);
		bool may_overlap = !is_init && from->var == to->var;

		if (may_overlap) {
			struct wgsl_path *temp = wgsl_temp(l, e->type, "temp");

			wgsl_copy(l, temp, from, true);
			from = temp;
		}
		wgsl_copy(l, to, from, is_init);
	}
}

void wgsl_lower_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e, bool is_init)
{
	struct wgsl_inst *v;

	if (l->failed)
		return;
	if (wgsl_is_aggregate(e->type)) {
		/* Until e is there, what it reads of another one still counts. */
		if (is_init)
			wgsl_begin(l, to);
		aggregate_into(l, to, e, is_init);
		return;
	}
	v = wgsl_lower_value(l, e);
	if (!l->failed)
		wgsl_store(l, to, v, is_init);
}
