/* memory.c - variables, places in them, loads, stores, atomics, barriers; see gen_int.h. */
#include "base/mem.h"
#include "spirv/gen_int.h"

enum { MAX_INDICES = 80 }; /* types nest at most 64 deep, then a matrix, a vector, the block */

/* ---- variables ------------------------------------------------------------------------------ */

uint32_t spirv_memory_local(struct gen *g, uint32_t pointer, uint32_t init)
{
	uint32_t id = spirv_id(g);
	const uint32_t all[] = { pointer, id, CLASS_FUNCTION, init };

	spirv_put(g, SECTION_LOCALS, OP_VARIABLE, all, init == 0 ? 3 : 4);
	return id;
}

static uint32_t global(struct gen *g, enum spirv_class in, uint32_t type)
{
	uint32_t pointer = spirv_type_pointer_to(g, in, type), id = spirv_id(g);

	spirv_put(g, SECTION_TYPES, OP_VARIABLE, ARGS(pointer, id, in));
	return id;
}

static void decorate(struct gen *g, uint32_t id, uint32_t what)
{
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(id, what));
}

static void decorate_as(struct gen *g, uint32_t id, uint32_t what, uint32_t value)
{
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(id, what, value));
}

static uint32_t buffer(struct gen *g, enum spirv_class in, uint32_t block, uint32_t binding)
{
	uint32_t id = global(g, in, block);

	decorate_as(g, id, DECORATION_DESCRIPTOR_SET, 0);
	decorate_as(g, id, DECORATION_BINDING, binding);
	return id;
}

static uint32_t binding_of(struct gen *g, const struct wgsl_var *v)
{
	for (uint32_t n = 0; n < g->m->n_bindings; n++)
		if (g->m->bindings[n].group == v->group && g->m->bindings[n].binding == v->binding)
			return n;
	spirv_fail(g, ERR_INVALID, "a resource that is no binding");
	return 0;
}

static void declare_buffer(struct gen *g, const struct wgsl_var *v, struct var_home *h)
{
	const struct spirv_binding *b;

	h->binding = binding_of(g, v);
	b = &g->layout->bindings[h->binding];
	h->in = b->is_uniform_buffer ? CLASS_UNIFORM : CLASS_STORAGE_BUFFER;
	h->is_wrapped = v->type->kind != WGSL_STRUCT;
	h->is_words = spirv_type_has_half(v->type, g->arena);
	h->id = buffer(g, h->in, h->is_words ? spirv_half_block(g) : spirv_type_block(g, v->type),
		       b->binding);
	if (b->is_read_only && !b->is_uniform_buffer)
		decorate(g, h->id, DECORATION_NON_WRITABLE);
	/* What one invocation writes others see after a barrier only if it does not stay in caches
	 * of their own. */
	if (!b->is_read_only && g->plan.has_storage_barrier)
		decorate(g, h->id, DECORATION_COHERENT);
}

static uint32_t initial(struct gen *g, const struct wgsl_var *v, uint32_t type)
{
	if (v->n_init > 0)
		return spirv_const_initial(g, v);
	if (spirv_plan_is_declared(&g->plan, v) || wgsl_zero_is_large(v->type))
		return 0; /* of those spirv_zero_start takes care */
	return spirv_const_null(g, type);
}

const struct var_home *spirv_memory_home(struct gen *g, const struct wgsl_var *v)
{
	struct var_home *h = &g->vars[v->id];
	uint32_t type;

	if (h->id != 0)
		return h;
	if (v->space == WGSL_SPACE_UNIFORM || v->space == WGSL_SPACE_STORAGE) {
		declare_buffer(g, v, h);
		return h;
	}
	type = spirv_type_memory(g, v->type, false);
	if (v->space == WGSL_SPACE_WORKGROUP) {
		h->in = CLASS_WORKGROUP;
		h->id = global(g, h->in, type);
	} else {
		h->in = CLASS_FUNCTION;
		h->id = spirv_memory_local(g, spirv_type_pointer_to(g, h->in, type),
					   initial(g, v, type));
	}
	return h;
}

/* ---- what the host passes ------------------------------------------------------------------- */

static void declare_push(struct gen *g)
{
	static const uint32_t offsets[] = { offsetof(struct spirv_push, groups),
					    offsetof(struct spirv_push, iteration_limit),
					    offsetof(struct spirv_push, base_group),
					    offsetof(struct spirv_push, reserved),
					    offsetof(struct spirv_push, invocations),
					    offsetof(struct spirv_push, lengths) };
	uint32_t three = spirv_type_of(g, WGSL_U32, 3), one = spirv_type_of(g, WGSL_U32, 1);
	uint32_t all[PUSH_MEMBERS + 1], n, n_members = PUSH_LENGTHS;

	n = (g->layout->push_bytes - offsets[PUSH_LENGTHS]) / 4;
	all[1 + PUSH_GROUPS] = all[1 + PUSH_BASE] = all[1 + PUSH_INVOCATIONS] = three;
	all[1 + PUSH_LIMIT] = all[1 + PUSH_ZERO] = one;
	if (n > 0) {
		n_members = PUSH_MEMBERS;
		all[1 + PUSH_LENGTHS] = spirv_id(g);
		spirv_put(g, SECTION_TYPES, OP_TYPE_ARRAY,
			  ARGS(all[1 + PUSH_LENGTHS], one, spirv_const_u32(g, n)));
		decorate_as(g, all[1 + PUSH_LENGTHS], DECORATION_ARRAY_STRIDE, 4);
	}
	all[0] = spirv_id(g);
	spirv_put(g, SECTION_TYPES, OP_TYPE_STRUCT, all, n_members + 1);
	for (uint32_t k = 0; k < n_members; k++)
		spirv_put(g, SECTION_DECORATIONS, OP_MEMBER_DECORATE,
			  ARGS(all[0], k, DECORATION_OFFSET, offsets[k]));
	decorate(g, all[0], DECORATION_BLOCK);
	g->push = global(g, CLASS_PUSH_CONSTANT, all[0]);
}

static uint32_t push_value(struct gen *g, uint32_t width, const uint32_t *path, uint32_t n)
{
	uint32_t pointer = spirv_type_pointer(g, CLASS_PUSH_CONSTANT, WGSL_U32, width), all[3];

	if (g->push == 0)
		declare_push(g);
	all[0] = g->push;
	for (uint32_t k = 0; k < n; k++)
		all[k + 1] = spirv_const_u32(g, path[k]);
	pointer = spirv_value(g, OP_ACCESS_CHAIN, pointer, all, n + 1);
	return spirv_value(g, OP_LOAD, spirv_type_of(g, WGSL_U32, width), ARGS(pointer));
}

uint32_t spirv_memory_push(struct gen *g, enum push_member member, uint32_t width)
{
	return push_value(g, width, ARGS(member));
}

uint32_t spirv_memory_control(struct gen *g, uint32_t word)
{
	uint32_t pointer = spirv_type_pointer(g, CLASS_STORAGE_BUFFER, WGSL_U32, 1);

	if (g->control == 0) {
		uint32_t array = spirv_id(g), block = spirv_id(g);

		spirv_put(g, SECTION_TYPES, OP_TYPE_ARRAY,
			  ARGS(array, spirv_type_of(g, WGSL_U32, 1),
			       spirv_const_u32(g, g->layout->control_bytes / 4)));
		decorate_as(g, array, DECORATION_ARRAY_STRIDE, 4);
		spirv_put(g, SECTION_TYPES, OP_TYPE_STRUCT, ARGS(block, array));
		spirv_put(g, SECTION_DECORATIONS, OP_MEMBER_DECORATE,
			  ARGS(block, 0, DECORATION_OFFSET, 0));
		decorate(g, block, DECORATION_BLOCK);
		g->control = buffer(g, CLASS_STORAGE_BUFFER, block, g->layout->control_binding);
	}
	return spirv_value(g, OP_ACCESS_CHAIN, pointer,
			   ARGS(g->control, spirv_const_u32(g, 0), spirv_const_u32(g, word)));
}

void spirv_memory_lengths(struct gen *g)
{
	uint32_t u = spirv_type_of(g, WGSL_U32, 1), at, n;

	for (uint32_t b = 0; b < g->layout->n_bindings; b++) {
		if (!g->layout->bindings[b].is_used || g->layout->bindings[b].array_stride == 0)
			continue;
		n = g->layout->bindings[b].length_slot;
		if (n < SPIRV_PUSH_LENGTHS) {
			g->lengths[b] = push_value(g, 1, ARGS(PUSH_LENGTHS, n));
		} else {
			at =
			    spirv_memory_control(g, SPIRV_CONTROL_LENGTHS + n - SPIRV_PUSH_LENGTHS);
			g->lengths[b] = spirv_value(g, OP_LOAD, u, ARGS(at));
		}
		g->lasts[b] =
		    spirv_value(g, OP_I_SUB, u, ARGS(g->lengths[b], spirv_const_u32(g, 1)));
	}
}

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t clamped(struct gen *g, const struct wgsl_var *v, const struct wgsl_type *in,
			uint32_t index)
{
	uint32_t last = in->count > 0 ? spirv_const_u32(g, in->count - 1)
				      : g->lasts[spirv_memory_home(g, v)->binding];

	return spirv_glsl(g, GLSL_U_MIN, spirv_type_of(g, WGSL_U32, 1), index, last);
}

uint32_t spirv_memory_index(struct gen *g, const struct wgsl_var *v, const struct wgsl_type *in,
			    const struct wgsl_step *s)
{
	uint32_t index;

	if (s->kind != WGSL_STEP_DYNAMIC) {
		index = spirv_const_u32(g, s->index);
		/* A runtime-sized array has at least one element. */
		if (in->kind == WGSL_ARRAY && in->count == 0 && s->index > 0 && !g->o->no_clamps)
			index = clamped(g, v, in, index);
		return index;
	}
	index = g->ids[s->value->id];
	if (s->in_range || g->o->no_clamps)
		return index;
	if (s->value->type->kind == WGSL_I32)
		index = spirv_value(g, OP_BITCAST, spirv_type_of(g, WGSL_U32, 1), ARGS(index));
	return clamped(g, v, in, index);
}

uint32_t spirv_memory_pointer(struct gen *g, enum spirv_class in, const struct wgsl_type *t)
{
	if (t->kind == WGSL_ATOMIC)
		t = t->elem;
	if (t->kind == WGSL_VEC || wgsl_type_is_scalar(t))
		return spirv_type_pointer(g, in, wgsl_type_base(t), wgsl_type_width(t));
	return spirv_type_pointer_to(g, in, spirv_type_memory(g, t, false));
}

static uint32_t place(struct gen *g, const struct wgsl_path *p)
{
	const struct var_home *h = spirv_memory_home(g, p->var);
	const struct wgsl_type *in = p->var->type;
	uint32_t all[MAX_INDICES + 2] = { h->id }, n = 1;

	if (p->n_steps > MAX_INDICES) {
		spirv_fail(g, ERR_INVALID, "a type nested too deeply");
		return 1;
	}
	if (h->is_wrapped)
		all[n++] = spirv_const_u32(g, 0);
	for (uint32_t k = 0; k < p->n_steps; k++) {
		all[n++] = spirv_memory_index(g, p->var, in, &p->steps[k]);
		in = p->steps[k].type;
	}
	if (n == 1)
		return h->id;
	return spirv_value(g, OP_ACCESS_CHAIN, spirv_memory_pointer(g, h->in, p->type), all, n);
}

/* ---- instructions --------------------------------------------------------------------------- */

static enum spirv_op atomic_op(enum wgsl_atomic op, bool is_signed)
{
	switch (op) {
	case WGSL_ATOMIC_ADD:
		return OP_ATOMIC_I_ADD;
	case WGSL_ATOMIC_SUB:
		return OP_ATOMIC_I_SUB;
	case WGSL_ATOMIC_MAX:
		return is_signed ? OP_ATOMIC_S_MAX : OP_ATOMIC_U_MAX;
	case WGSL_ATOMIC_MIN:
		return is_signed ? OP_ATOMIC_S_MIN : OP_ATOMIC_U_MIN;
	case WGSL_ATOMIC_AND:
		return OP_ATOMIC_AND;
	case WGSL_ATOMIC_OR:
		return OP_ATOMIC_OR;
	case WGSL_ATOMIC_XOR:
		return OP_ATOMIC_XOR;
	case WGSL_ATOMIC_EXCHANGE:
		return OP_ATOMIC_EXCHANGE;
	case WGSL_ATOMIC_COMPARE_EXCHANGE:
		return OP_ATOMIC_COMPARE_EXCHANGE;
	case WGSL_ATOMIC_LOAD:
	case WGSL_ATOMIC_STORE:
	case WGSL_ATOMIC_COUNT_:
	default:
		return OP_ATOMIC_LOAD;
	}
}

static uint32_t atomic_value(struct gen *g, const struct wgsl_inst *i, const struct wgsl_type *t)
{
	uint32_t device = i->path->var->space == WGSL_SPACE_STORAGE;
	uint32_t scope = spirv_const_u32(g, device ? SCOPE_DEVICE : SCOPE_WORKGROUP);
	uint32_t how = spirv_const_u32(g, SEMANTICS_RELAXED), args[2] = { 0 }, type, at;
	bool is_words = spirv_memory_home(g, i->path->var)->is_words;
	enum spirv_op op = atomic_op(i->u.atomic, t->kind == WGSL_I32);

	type = spirv_type_of(g, is_words ? WGSL_U32 : t->kind, 1);
	at = is_words ? spirv_half_place(g, i->path) : place(g, i->path);
	for (uint32_t n = 0; n < i->n_args; n++) {
		args[n] = spirv_value_arg(g, i, n);
		if (is_words)
			args[n] = spirv_value_unsigned(g, t, args[n]);
	}
	if (i->u.atomic == WGSL_ATOMIC_STORE) {
		spirv_put(g, SECTION_BODY, OP_ATOMIC_STORE, ARGS(at, scope, how, args[0]));
		return 0;
	}
	if (op == OP_ATOMIC_LOAD)
		return spirv_value(g, op, type, ARGS(at, scope, how));
	if (op != OP_ATOMIC_COMPARE_EXCHANGE)
		return spirv_value(g, op, type, ARGS(at, scope, how, args[0]));
	return spirv_value(g, op, type, ARGS(at, scope, how, how, args[1], args[0]));
}

static uint32_t atomic(struct gen *g, const struct wgsl_inst *i)
{
	const struct wgsl_type *t = i->path->type->elem;
	uint32_t id = atomic_value(g, i, t);

	if (id == 0 || t->kind == WGSL_U32 || !spirv_memory_home(g, i->path->var)->is_words)
		return id;
	return spirv_value(g, OP_BITCAST, spirv_type_value(g, t), ARGS(id));
}

void spirv_memory_inst(struct gen *g, const struct wgsl_inst *i)
{
	bool is_words = spirv_memory_home(g, i->path->var)->is_words;
	uint32_t at;

	if (is_words && i->op == WGSL_OP_LOAD) {
		g->ids[i->id] = spirv_half_load(g, i);
		return;
	}
	if (is_words && i->op == WGSL_OP_STORE) {
		spirv_half_store(g, i);
		return;
	}
	switch ((int)i->op) {
	case WGSL_OP_LOAD:
		at = place(g, i->path);
		g->ids[i->id] = spirv_value(g, OP_LOAD, spirv_type_value(g, i->type), ARGS(at));
		break;
	case WGSL_OP_STORE:
		at = place(g, i->path);
		spirv_put(g, SECTION_BODY, OP_STORE, ARGS(at, spirv_value_arg(g, i, 0)));
		break;
	case WGSL_OP_ZERO:
		spirv_zero(g, i->path->type, place(g, i->path));
		break;
	case WGSL_OP_ARRAY_LENGTH:
		g->ids[i->id] = g->lengths[binding_of(g, i->path->var)];
		break;
	default:
		g->ids[i->id] = atomic(g, i);
		break;
	}
}

void spirv_memory_barrier(struct gen *g, bool workgroup, bool storage)
{
	uint32_t how = SEMANTICS_ACQUIRE_RELEASE;
	uint32_t scope = spirv_const_u32(g, storage ? SCOPE_DEVICE : SCOPE_WORKGROUP);

	how |= workgroup ? SEMANTICS_WORKGROUP_MEMORY : 0;
	how |= storage ? SEMANTICS_UNIFORM_MEMORY : 0;
	/* The padding of a single invocation has ended. */
	if (g->is_single)
		spirv_put(g, SECTION_BODY, OP_MEMORY_BARRIER, ARGS(scope, spirv_const_u32(g, how)));
	else
		spirv_put(
		    g, SECTION_BODY, OP_CONTROL_BARRIER,
		    ARGS(spirv_const_u32(g, SCOPE_WORKGROUP), scope, spirv_const_u32(g, how)));
}
