/* interp.c - see interp.h. */
#include "interp.h"

#include <string.h>
#include <ucontext.h>

#include "base/mem.h"
#include "interp_subgroup.h"
#include "interp_value.h"

enum { STACK = 256 * 1024 };

enum flow_kind { GO_ON, BREAK, CONTINUE, RETURN, FAIL };

struct flow {
	enum flow_kind kind;
	const struct wgsl_inst *target;
};

struct group;

/* One invocation. */
struct vm {
	struct group *group;
	const struct wgsl_module *m;
	uint64_t (*vals)[4];
	uint8_t **vars; /* function and private */
	uint32_t global[3], local[3], index;
	uint64_t used;
	bool done, failed;
	bool is_waiting; /* mixed runs: for the others, at a barrier or for its subgroup */
	const struct wgsl_inst *at;   /* the barrier where it waits */
	const struct wgsl_inst *asks; /* the subgroup operation it waits at */
	ucontext_t context;
	void *stack;
};

struct group {
	const struct wgsl_module *m;
	const struct native_chunk *chunk;
	uint8_t **shared; /* work-group variables by id */
	uint32_t id[3], groups[3];
	uint64_t limit;
	uint32_t subgroup;
	uint32_t *random; /* of mixed runs; NULL: invocations run from barrier to barrier */
	struct vm *vms;
	uint32_t n;
	ucontext_t scheduler;
};

static uint32_t pick(uint32_t *state, uint32_t n)
{
	*state = *state * 747796405U + 2891336453U;
	return (((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737U >> 8) % n;
}

/* ---- places -------------------------------------------------------------------------------- */

static uint8_t *var_base(struct vm *vm, const struct wgsl_var *v, uint64_t *size)
{
	*size = v->type->size;
	if (v->space == WGSL_SPACE_WORKGROUP)
		return vm->group->shared[v->id];
	if (v->space == WGSL_SPACE_FUNCTION || v->space == WGSL_SPACE_PRIVATE)
		return vm->vars[v->id];
	for (uint32_t n = 0; n < vm->m->n_bindings; n++)
		if (vm->m->bindings[n].group == v->group &&
		    vm->m->bindings[n].binding == v->binding) {
			*size = vm->group->chunk->buffers[n].size;
			return vm->group->chunk->buffers[n].data;
		}
	return NULL;
}

static uint32_t runtime_length(struct vm *vm, const struct wgsl_var *v)
{
	for (uint32_t n = 0; n < vm->m->n_bindings; n++) {
		const struct wgsl_binding *b = &vm->m->bindings[n];

		if (b->group == v->group && b->binding == v->binding && b->array_stride > 0)
			return (uint32_t)((vm->group->chunk->buffers[n].size - b->array_offset) /
					  b->array_stride);
	}
	return 0;
}

static uint8_t *place(struct vm *vm, const struct wgsl_path *p)
{
	uint64_t size;
	uint8_t *at = var_base(vm, p->var, &size);
	const struct wgsl_type *in = p->var->type;

	for (uint32_t n = 0; n < p->n_steps; n++) {
		const struct wgsl_step *s = &p->steps[n];
		uint32_t i =
		    s->kind == WGSL_STEP_DYNAMIC ? (uint32_t)vm->vals[s->value->id][0] : s->index;
		uint32_t count = in->count ? in->count : runtime_length(vm, p->var);

		if (s->kind == WGSL_STEP_MEMBER) {
			at += in->members[s->index].offset;
		} else {
			i = i < count ? i : count - 1;
			at += (uint64_t)i * (in->kind == WGSL_VEC ? in->elem->size : in->stride);
		}
		in = s->type;
	}
	return at;
}

/* ---- values -------------------------------------------------------------------------------- */

static uint64_t component(struct vm *vm, const struct wgsl_inst *i, uint32_t c)
{
	uint64_t a = vm->vals[i->args[0]->id][c];
	uint64_t b = i->n_args > 1 ? vm->vals[i->args[1]->id][c] : 0;

	return interp_value(i, a, b);
}

static void builtin(struct vm *vm, const struct wgsl_inst *i)
{
	const uint32_t *size = vm->m->workgroup_size;
	uint32_t all = size[0] * size[1] * size[2], n = vm->group->subgroup;
	uint32_t id = vm->index % n, which = vm->index / n, many = (all + n - 1) / n;
	const uint32_t *from[] = {
		vm->global, vm->local, &vm->index, vm->group->id, vm->group->groups,
		&id,        &n,        &which,     &many
	};

	for (uint32_t c = 0; c < wgsl_type_width(i->type); c++)
		vm->vals[i->id][c] = from[i->u.builtin][c];
}

static uint32_t atomic_op(enum wgsl_atomic op, uint32_t old, uint32_t a, uint32_t b, bool sign)
{
	switch ((int)op) {
	case WGSL_ATOMIC_LOAD:
		return old;
	case WGSL_ATOMIC_ADD:
		return old + a;
	case WGSL_ATOMIC_SUB:
		return old - a;
	case WGSL_ATOMIC_MAX:
		return (uint32_t)interp_integer(WGSL_OP_MAX, sign ? WGSL_I32 : WGSL_U32, old, a);
	case WGSL_ATOMIC_MIN:
		return (uint32_t)interp_integer(WGSL_OP_MIN, sign ? WGSL_I32 : WGSL_U32, old, a);
	case WGSL_ATOMIC_AND:
		return old & a;
	case WGSL_ATOMIC_OR:
		return old | a;
	case WGSL_ATOMIC_XOR:
		return old ^ a;
	case WGSL_ATOMIC_COMPARE_EXCHANGE:
		return old == a ? b : old;
	default:
		return a;
	}
}

/* Mixed runs: before an access of what is shared, others may run. */
static void give_way(struct vm *vm, const struct wgsl_var *v)
{
	bool is_shared = v->space == WGSL_SPACE_WORKGROUP || v->space == WGSL_SPACE_STORAGE;

	if (vm->group->random != NULL && is_shared && pick(vm->group->random, 2) == 0)
		swapcontext(&vm->context, &vm->group->scheduler);
}

static void memory_op(struct vm *vm, const struct wgsl_inst *i)
{
	uint64_t *v = vm->vals[i->id];
	const struct wgsl_type *t = i->path->type;
	uint32_t size = wgsl_type_scalar(t)->size;
	uint32_t old;
	uint8_t *at;

	if (i->op == WGSL_OP_ARRAY_LENGTH) {
		v[0] = runtime_length(vm, i->path->var);
		return;
	}
	give_way(vm, i->path->var);
	at = place(vm, i->path);
	if (i->op == WGSL_OP_LOAD) {
		for (uint32_t c = 0; c < wgsl_type_width(t); c++) {
			v[c] = 0;
			memcpy(&v[c], at + c * size, size);
		}
	} else if (i->op == WGSL_OP_STORE) {
		for (uint32_t c = 0; c < wgsl_type_width(t); c++)
			memcpy(at + c * size, &vm->vals[i->args[0]->id][c], size);
	} else if (i->op == WGSL_OP_ZERO) {
		memset(at, 0, t->size);
	} else {
		uint32_t a = i->n_args > 0 ? (uint32_t)vm->vals[i->args[0]->id][0] : 0;
		uint32_t b = i->n_args > 1 ? (uint32_t)vm->vals[i->args[1]->id][0] : 0;

		memcpy(&old, at, 4);
		v[0] = old;
		old = atomic_op(i->u.atomic, old, a, b,
				(t->kind == WGSL_ATOMIC ? t->elem : t)->kind == WGSL_I32);
		memcpy(at, &old, 4);
	}
}

static void value_op(struct vm *vm, const struct wgsl_inst *i)
{
	uint64_t *v = vm->vals[i->id];
	uint32_t n = wgsl_type_width(i->type), at;
	uint64_t r[4] = { 0 };
	const uint64_t *a = i->n_args > 0 ? vm->vals[i->args[0]->id] : NULL;

	for (uint32_t c = 0; c < n; c++) {
		switch ((int)i->op) {
		case WGSL_OP_CONST:
			r[c] = i->u.bits[c];
			break;
		case WGSL_OP_SELECT:
			at = wgsl_type_width(i->args[2]->type) > 1 ? c : 0;
			r[c] = vm->vals[i->args[vm->vals[i->args[2]->id][at] ? 1 : 0]->id][c];
			break;
		case WGSL_OP_SPLAT:
			r[c] = a[0];
			break;
		case WGSL_OP_COMPOSE:
			r[c] = vm->vals[i->args[c]->id][0];
			break;
		case WGSL_OP_EXTRACT:
		case WGSL_OP_SWIZZLE:
			r[c] = a[i->lanes[c]];
			break;
		case WGSL_OP_EXTRACT_DYN:
			at = (uint32_t)vm->vals[i->args[1]->id][0];
			n = wgsl_type_width(i->args[0]->type);
			r[c] = a[at < n ? at : n - 1];
			n = 1;
			break;
		default:
			r[c] = component(vm, i, c);
			break;
		}
	}
	memcpy(v, r, sizeof(r));
}

/* ---- control ------------------------------------------------------------------------------- */

static struct flow run_block(struct vm *vm, const struct wgsl_block *b);

static struct flow run_switch(struct vm *vm, const struct wgsl_inst *i)
{
	uint32_t selector = (uint32_t)vm->vals[i->args[0]->id][0];
	const struct wgsl_case *take = NULL;

	for (uint32_t c = 0; c < i->n_cases; c++)
		for (uint32_t n = 0; n < i->cases[c].n_values; n++)
			if (i->cases[c].values[n] == selector)
				take = &i->cases[c];
	for (uint32_t c = 0; c < i->n_cases && take == NULL; c++)
		if (i->cases[c].is_default)
			take = &i->cases[c];
	return take ? run_block(vm, &take->block) : (struct flow){ GO_ON, NULL };
}

static struct flow run_loop(struct vm *vm, const struct wgsl_inst *i)
{
	struct flow f;

	for (;;) {
		if (i->needs_counter && vm->used++ >= vm->group->limit)
			return (struct flow){ FAIL, NULL };
		f = run_block(vm, &i->blocks[0]);
		if (f.kind != GO_ON && !(f.kind == CONTINUE && f.target == i))
			return f;
		f = run_block(vm, &i->blocks[1]);
		if (f.kind != GO_ON)
			return f;
		if (i->n_args > 0 && vm->vals[i->args[0]->id][0])
			return f;
	}
}

static struct flow run_inst(struct vm *vm, const struct wgsl_inst *i)
{
	struct flow f = { GO_ON, NULL };

	switch ((int)i->op) {
	case WGSL_OP_IF:
		return run_block(vm, &i->blocks[vm->vals[i->args[0]->id][0] ? 0 : 1]);
	case WGSL_OP_SWITCH:
		f = run_switch(vm, i);
		break;
	case WGSL_OP_LOOP:
		f = run_loop(vm, i);
		break;
	case WGSL_OP_SCOPE:
		f = run_block(vm, &i->blocks[0]);
		break;
	case WGSL_OP_BREAK:
		return (struct flow){ BREAK, i->target };
	case WGSL_OP_CONTINUE:
		return (struct flow){ CONTINUE, i->target };
	case WGSL_OP_RETURN:
		return (struct flow){ RETURN, NULL };
	case WGSL_OP_SUBGROUP:
		vm->asks = i;
		vm->is_waiting = true;
		swapcontext(&vm->context, &vm->group->scheduler);
		return f;
	case WGSL_OP_BARRIER:
		vm->at = i;
		vm->is_waiting = true;
		swapcontext(&vm->context, &vm->group->scheduler);
		return f;
	case WGSL_OP_BUILTIN:
		builtin(vm, i);
		return f;
	default:
		if (i->path != NULL)
			memory_op(vm, i);
		else
			value_op(vm, i);
		return f;
	}
	if (f.kind == BREAK && f.target == i)
		f = (struct flow){ GO_ON, NULL };
	return f;
}

static struct flow run_block(struct vm *vm, const struct wgsl_block *b)
{
	struct flow f = { GO_ON, NULL };

	for (const struct wgsl_inst *i = b->first; i != NULL && f.kind == GO_ON; i = i->next)
		f = run_inst(vm, i);
	return f;
}

/* ---- invocations --------------------------------------------------------------------------- */

static void invocation(unsigned low, unsigned high)
{
	uintptr_t bits = (uintptr_t)low | ((uintptr_t)high << 32);
	struct vm *vm;

	memcpy(&vm, &bits, sizeof(vm));
	(void)run_block(vm, &vm->m->fn.values);
	vm->failed = run_block(vm, &vm->m->fn.body).kind == FAIL;
	vm->done = true;
	vm->at = NULL;
	setcontext(&vm->group->scheduler);
}

static void vm_init(struct vm *vm, struct group *g)
{
	uintptr_t bits;

	vm->group = g;
	vm->m = g->m;
	vm->vals = mem_alloc_array(g->m->fn.n_insts, sizeof(vm->vals[0]));
	vm->vars = NEW_ARRAY(uint8_t *, g->m->n_vars);
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		const struct wgsl_var *v = g->m->vars[n];

		if (v->space != WGSL_SPACE_FUNCTION && v->space != WGSL_SPACE_PRIVATE)
			continue;
		vm->vars[n] = mem_alloc(v->type->size + 16);
		for (uint32_t c = 0; c < v->n_init; c++) {
			uint32_t size = wgsl_type_scalar(v->type)->size;

			memcpy(vm->vars[n] + size * c, &v->init[c], size);
		}
	}
	vm->stack = mem_alloc(STACK);
	getcontext(&vm->context);
	vm->context.uc_stack.ss_sp = vm->stack;
	vm->context.uc_stack.ss_size = STACK;
	memcpy(&bits, &vm, sizeof(bits));
	makecontext(&vm->context, (void (*)(void))invocation, 2, (unsigned)bits,
		    (unsigned)(bits >> 32));
}

static void vm_done(struct vm *vm)
{
	for (uint32_t n = 0; n < vm->m->n_vars; n++)
		mem_free(vm->vars[n]);
	mem_free(vm->vars);
	mem_free(vm->vals);
	mem_free(vm->stack);
}

static uint32_t make_invocations(struct group *g, struct vm *vms)
{
	const uint32_t *size = g->m->workgroup_size;
	uint32_t all = size[0] * size[1] * size[2], n = 0;

	for (uint32_t k = 0; k < all; k++) {
		struct vm vm = { .index = k };
		bool in = true;

		vm.local[0] = k % size[0];
		vm.local[1] = k / size[0] % size[1];
		vm.local[2] = k / size[0] / size[1];
		for (int d = 0; d < 3; d++) {
			vm.global[d] = g->id[d] * size[d] + vm.local[d];
			in = in && vm.global[d] < g->chunk->invocations[d];
		}
		if (!in)
			continue;
		vms[n] = vm;
		vm_init(&vms[n++], g);
	}
	return n;
}

/* After a turn of all: they wait at one barrier, or have ended (IterationLimit: wherever). */
static void check_together(const struct vm *vms, uint32_t n, bool failed)
{
	for (uint32_t k = 1; k < n && !failed; k++)
		ASSERT(vms[k].at == vms[0].at);
}

/* Answer all invocations of a subgroup that wait at one instruction: those that would execute it
 * together, as long as no loop lets some come to it again before others. */
static void answer(struct vm *vms, uint32_t n, struct vm *first)
{
	uint32_t size = first->group->subgroup;
	const struct wgsl_inst *i = first->asks;
	struct interp_lane lanes[INTERP_MAX_SUBGROUP] = { 0 };

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t k = 0; k < n; k++) {
			struct interp_lane *l = &lanes[vms[k].index % size];

			if (vms[k].asks != i || vms[k].index / size != first->index / size)
				continue;
			l->is_active = true;
			if (i->n_args > 0)
				memcpy(l->a, vms[k].vals[i->args[0]->id], sizeof(l->a));
			if (i->n_args > 1)
				l->k = (uint32_t)vms[k].vals[i->args[1]->id][0];
			if (pass == 0)
				continue;
			memcpy(vms[k].vals[i->id], l->ret, sizeof(l->ret));
			vms[k].asks = NULL;
		}
		if (pass == 0)
			interp_subgroup(i, lanes, size);
	}
}

/* Until the invocation is at a barrier, or waits for its subgroup, or is done. */
static void resume(struct vm *vm)
{
	if (!vm->done)
		swapcontext(&vm->group->scheduler, &vm->context);
}

/* Nobody of its subgroup waits further up: who skips a branch waits for those inside. */
static bool is_next(const struct vm *vms, uint32_t n, const struct vm *vm)
{
	uint32_t size = vm->group->subgroup;

	for (uint32_t k = 0; k < n && vm->asks != NULL; k++)
		if (vms[k].index / size == vm->index / size && vms[k].asks != NULL &&
		    vms[k].asks->id < vm->asks->id)
			return false;
	return vm->asks != NULL;
}

/* All that wait for their subgroups, until nobody does. */
static void run_subgroups(struct vm *vms, uint32_t n)
{
	bool *go_on = NEW_ARRAY(bool, n);
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t k = 0; k < n; k++)
			go_on[k] = is_next(vms, n, &vms[k]);
		for (uint32_t k = 0; k < n; k++)
			if (go_on[k] && vms[k].asks != NULL)
				answer(vms, n, &vms[k]);
		for (uint32_t k = 0; k < n; k++) {
			any = any || go_on[k];
			if (go_on[k])
				resume(&vms[k]);
		}
	}
	mem_free(go_on);
}

/* Frees the invocations. */
static enum native_status end_group(struct group *g, uint64_t *used)
{
	bool failed = false;

	for (uint32_t k = 0; k < g->n; k++) {
		failed = failed || g->vms[k].failed;
		*used = g->vms[k].used > *used ? g->vms[k].used : *used;
		vm_done(&g->vms[k]);
	}
	mem_free(g->vms);
	for (uint32_t n = 0; n < g->m->n_vars; n++)
		mem_free(g->shared[n]);
	mem_free(g->shared);
	return failed ? NATIVE_ITERATION_LIMIT : NATIVE_DONE;
}

/* Those that are left go on together. False: all have ended. */
static bool go_on(struct group *g)
{
	uint32_t done = 0;
	bool failed = false;

	run_subgroups(g->vms, g->n);
	for (uint32_t k = 0; k < g->n; k++) {
		done += g->vms[k].done;
		failed = failed || g->vms[k].failed;
		g->vms[k].is_waiting = false;
	}
	check_together(g->vms, g->n, failed);
	return done < g->n;
}

/* The work-group `n` of all. */
static void begin_group(struct group *g, const struct group *of, uint64_t n)
{
	*g = *of;
	g->id[0] = (uint32_t)(n % g->groups[0]);
	g->id[1] = (uint32_t)(n / g->groups[0] % g->groups[1]);
	g->id[2] = (uint32_t)(n / g->groups[0] / g->groups[1]);
	g->shared = NEW_ARRAY(uint8_t *, g->m->n_vars);
	for (uint32_t k = 0; k < g->m->n_vars; k++)
		if (g->m->vars[k]->space == WGSL_SPACE_WORKGROUP)
			g->shared[k] = mem_alloc(g->m->vars[k]->type->size + 16);
	g->vms = NEW_ARRAY(struct vm, 1024);
	g->n = make_invocations(g, g->vms);
}

/* Returns how many work-groups there are. */
static uint64_t start(struct group *g, const struct wgsl_module *m,
		      const struct native_chunk *chunk, uint32_t subgroup)
{
	uint64_t all = 1;

	*g = (struct group){ .m = m, .chunk = chunk, .subgroup = subgroup };
	g->limit = chunk->iteration_limit ? chunk->iteration_limit : (uint64_t)1 << 32;
	for (int d = 0; d < 3; d++) {
		g->groups[d] =
		    (chunk->invocations[d] + m->workgroup_size[d] - 1) / m->workgroup_size[d];
		all *= g->groups[d];
	}
	return all;
}

enum native_status interp_run(const struct wgsl_module *m, const struct native_chunk *chunk,
			      uint32_t subgroup, uint64_t *used)
{
	struct group *g = NEW_ARRAY(struct group, 2);
	enum native_status status = NATIVE_DONE;
	uint64_t all = start(&g[0], m, chunk, subgroup);

	for (uint64_t n = 0; n < all && status == NATIVE_DONE; n++) {
		begin_group(&g[1], &g[0], n);
		do {
			for (uint32_t k = 0; k < g[1].n; k++)
				resume(&g[1].vms[k]);
		} while (go_on(&g[1]));
		status = end_group(&g[1], used);
	}
	mem_free(g);
	return status;
}

/* Somebody runs up to the next access of what is shared. False: the work-group has ended. */
static bool step(struct group *g)
{
	uint32_t first = pick(g->random, g->n);

	for (uint32_t k = 0; k < g->n; k++) {
		struct vm *vm = &g->vms[(first + k) % g->n];

		if (!vm->done && !vm->is_waiting) {
			resume(vm);
			return true;
		}
	}
	return go_on(g);
}

enum native_status interp_run_mixed(const struct wgsl_module *m, const struct native_chunk *chunk,
				    uint32_t subgroup, uint32_t seed, uint64_t *used)
{
	struct group common;
	uint64_t all = start(&common, m, chunk, subgroup);
	struct group *groups = NEW_ARRAY(struct group, all);
	enum native_status status = NATIVE_DONE;
	uint64_t *open = NEW_ARRAY(uint64_t, all);
	uint32_t random = seed;

	common.random = &random;
	for (uint64_t n = 0; n < all; n++) {
		begin_group(&groups[n], &common, n);
		open[n] = n;
	}
	while (all > 0) {
		uint64_t k = pick(&random, (uint32_t)all);
		struct group *g = &groups[open[k]];

		if (step(g))
			continue;
		open[k] = open[--all];
		if (end_group(g, used) != NATIVE_DONE)
			status = NATIVE_ITERATION_LIMIT;
	}
	mem_free(open);
	mem_free(groups);
	return status;
}
