/*
 * range.c - upper bounds of integers, from which follow indices that need no clamp and loops
 * that need no counter.
 *
 * One walk in program order: operands are bounded before what uses them. The bound of a value is
 * the largest it can be as u32 bits, so a negative i32 is simply large. A loop variable is one that
 * is written once in each pass of its loop: at the top of the continuing block, or of the body if
 * no CONTINUE gets past that. Behind the loop's `i < n` it is below n until then.
 */
#include "base/mem.h"
#include "wgsl/analyse_int.h"

enum {
	UNCOUNTED_PASSES = 65536, /* of a whole nest of loops */
	LOCKSTEP_LANES = 16,      /* at most, of a device that cuts loops */
};

struct var_facts {
	uint32_t n_stores; /* that are no initialisation */
	uint32_t n_inits;
	const struct wgsl_inst *init;
	const struct wgsl_inst *store;
	const struct wgsl_inst *store_loop; /* each of its passes that ends makes the store */
	const struct wgsl_inst *init_loop;  /* the innermost loop around the initialisation */
	bool is_addressed;                  /* written in parts */
	bool is_declared;                   /* starts with a store of all of it */
	uint32_t max;                       /* of a load at this point */
};

struct ranger {
	struct wgsl_comp *c;
	uint32_t *max;                /* by instruction id */
	bool *is_continued;           /* LOOP, by instruction id: a CONTINUE goes there */
	struct var_facts *vars;       /* by variable id */
	uint64_t passes;              /* product of the bounds of the loops around */
	const struct wgsl_inst *loop; /* the innermost one around */
	/* What loops cost (wgsl.h): without counting, of the block so far; within one counted
	 * pass, at most; and how counted loops stand to each other. */
	uint64_t cost;
	uint64_t counted_cost;
	uint32_t n_counted;
	bool counted_nest;    /* one is in another loop */
	bool counted_diverge; /* lanes leave one at different passes */
};

/* ---- what is written where --------------------------------------------------------------- */

static void collect(struct ranger *r, const struct wgsl_block *b, const struct wgsl_inst *top_of);

static void collect_store(struct ranger *r, const struct wgsl_inst *i,
			  const struct wgsl_inst *top_of)
{
	struct var_facts *f = &r->vars[i->path->var->id];

	if (i->path->n_steps > 0 || i->op == WGSL_OP_ATOMIC)
		f->is_addressed = true;
	if (i->is_init) {
		f->is_declared |= i->path->n_steps == 0;
		f->n_inits++;
		f->init = i;
		f->init_loop = r->loop;
		return;
	}
	f->n_stores++;
	f->store = i;
	f->store_loop = top_of;
}

/* top_of: the loop at the top of whose body or continuing block this is. */
static void collect(struct ranger *r, const struct wgsl_block *b, const struct wgsl_inst *top_of)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		const struct wgsl_inst *around = r->loop;
		bool is_loop = i->op == WGSL_OP_LOOP;

		if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO || i->op == WGSL_OP_ATOMIC)
			collect_store(r, i, top_of);
		if (i->op == WGSL_OP_CONTINUE)
			r->is_continued[i->target->id] = true;
		/* Only the top runs on every pass. */
		if (is_loop)
			r->loop = i;
		collect(r, &i->blocks[0], is_loop ? i : NULL);
		collect(r, &i->blocks[1], is_loop ? i : NULL);
		for (uint32_t k = 0; k < i->n_cases; k++)
			collect(r, &i->cases[k].block, NULL);
		r->loop = around;
	}
}

/* ---- bounds of values -------------------------------------------------------------------- */

/* Without wrapping; i32 must stay non-negative. */
static uint32_t checked(const struct wgsl_inst *i, uint64_t n)
{
	uint32_t limit = i->type->kind == WGSL_I32 ? INT32_MAX : UINT32_MAX;

	return n <= limit ? (uint32_t)n : UINT32_MAX;
}

static bool is_small(const struct wgsl_inst *i, uint32_t a)
{
	return i->type->kind == WGSL_U32 || a <= INT32_MAX;
}

static uint32_t mask_of(uint32_t n)
{
	return n == 0 ? 0 : UINT32_MAX >> __builtin_clz(n);
}

static uint32_t builtin_max(const struct ranger *r, const struct wgsl_inst *b, int lane)
{
	const uint32_t *size = r->c->module->workgroup_size;

	if (b->u.builtin == WGSL_BUILTIN_LOCAL_INDEX)
		return size[0] * size[1] * size[2] - 1;
	if (b->u.builtin == WGSL_BUILTIN_LOCAL_ID && lane >= 0)
		return size[lane] - 1;
	return UINT32_MAX;
}

static uint32_t divide_max(const struct wgsl_inst *i, uint32_t a)
{
	const struct wgsl_inst *k = i->args[1];
	uint32_t d = (uint32_t)k->u.bits[0];

	if (k->op != WGSL_OP_CONST || d == 0 || !is_small(i, d))
		return i->op == WGSL_OP_REM && is_small(i, a) && i->type->kind == WGSL_U32
			   ? a
			   : UINT32_MAX;
	if (!is_small(i, a))
		return UINT32_MAX;
	if (i->op == WGSL_OP_DIV)
		return a / d;
	return a < d - 1 ? a : d - 1;
}

static uint32_t binary_max(const struct wgsl_inst *i, uint32_t a, uint32_t b)
{
	switch ((int)i->op) {
	case WGSL_OP_ADD:
		return checked(i, (uint64_t)a + b);
	case WGSL_OP_MUL:
		return checked(i, (uint64_t)a * b);
	case WGSL_OP_AND:
		return a < b ? a : b;
	case WGSL_OP_OR:
	case WGSL_OP_XOR:
		return mask_of(a) | mask_of(b);
	case WGSL_OP_DIV:
	case WGSL_OP_REM:
		return divide_max(i, a);
	case WGSL_OP_SHR:
		if (i->args[1]->op == WGSL_OP_CONST && is_small(i, a))
			return a >> (i->args[1]->u.bits[0] & 31);
		return is_small(i, a) ? a : UINT32_MAX;
	case WGSL_OP_MIN:
		if (!is_small(i, a) || !is_small(i, b))
			return UINT32_MAX;
		return a < b ? a : b;
	case WGSL_OP_MAX:
		return a > b ? a : b;
	default:
		return UINT32_MAX;
	}
}

static uint32_t value_max(const struct ranger *r, const struct wgsl_inst *i)
{
	uint32_t a = i->n_args > 0 ? r->max[i->args[0]->id] : UINT32_MAX;
	uint32_t b = i->n_args > 1 ? r->max[i->args[1]->id] : UINT32_MAX;

	if (i->type->kind == WGSL_BOOL)
		return 1;
	if (!wgsl_is_word(i->type))
		return UINT32_MAX;
	switch ((int)i->op) {
	case WGSL_OP_CONST:
		return (uint32_t)i->u.bits[0];
	case WGSL_OP_BUILTIN:
		return builtin_max(r, i, -1);
	case WGSL_OP_EXTRACT:
		if (i->args[0]->op == WGSL_OP_BUILTIN)
			return builtin_max(r, i->args[0], i->lanes[0]);
		return UINT32_MAX;
	case WGSL_OP_LOAD:
		return i->path != NULL && i->path->n_steps == 0 ? r->vars[i->path->var->id].max
								: UINT32_MAX;
	case WGSL_OP_SELECT:
		return a > b ? a : b;
	case WGSL_OP_CONVERT:
	case WGSL_OP_BITCAST:
		return wgsl_type_is_float(i->args[0]->type) || wgsl_type_is_float(i->type)
			   ? UINT32_MAX
			   : a;
	case WGSL_OP_POPCOUNT:
	case WGSL_OP_CLZ:
	case WGSL_OP_CTZ:
		return 32;
	default:
		return i->n_args == 2 ? binary_max(i, a, b) : UINT32_MAX;
	}
}

static void bound_steps(const struct ranger *r, struct wgsl_path *p)
{
	const struct wgsl_type *t = p->var->type;

	for (uint32_t k = 0; k < p->n_steps; k++) {
		struct wgsl_step *s = &p->steps[k];

		if (s->kind == WGSL_STEP_DYNAMIC && t->count > 0 && r->max[s->value->id] < t->count)
			s->in_range = true;
		t = s->type;
	}
}

/* ---- loops ------------------------------------------------------------------------------- */

/* What bounds the passes of a loop: `var` goes up by `step` and must stay below `limit`; or it is
 * halved until it is zero, or doubled, or the like. */
struct counter {
	const struct wgsl_var *var;
	uint32_t step;
	uint32_t limit;  /* exclusive; UINT32_MAX: unknown */
	uint32_t passes; /* if not 0: at most so many, and `most` is the largest it can be then */
	uint32_t most;
};

/* Is the store in the continuing block, or does no pass get there without it? */
static bool is_each_pass(const struct ranger *r, const struct wgsl_inst *loop,
			 const struct wgsl_inst *store)
{
	const struct wgsl_inst *first = loop->blocks[1].first;

	return !r->is_continued[loop->id] || (first != NULL && store->id >= first->id);
}

/* What is stored to v once in each pass of the loop, and nowhere else: what v held and a constant,
 * combined. NULL: it is not so. */
static const struct wgsl_inst *next_of(const struct ranger *r, const struct wgsl_inst *loop,
				       const struct wgsl_var *v)
{
	const struct var_facts *f = &r->vars[v->id];
	const struct wgsl_inst *next;

	if (v->space != WGSL_SPACE_FUNCTION || !wgsl_is_word(v->type) || f->is_addressed ||
	    f->n_stores != 1 || f->n_inits != 1 || f->store_loop != loop || f->store->n_args != 1 ||
	    !is_each_pass(r, loop, f->store))
		return NULL;
	next = f->store->args[0];
	if (next->n_args != 2 || next->args[0]->op != WGSL_OP_LOAD ||
	    next->args[0]->path->var != v || next->args[1]->op != WGSL_OP_CONST ||
	    next->args[0]->id < loop->id)
		return NULL;
	return next;
}

/* i + step, stored to i once in each pass of the loop; step 0: it is not so. */
static uint32_t step_of(const struct ranger *r, const struct wgsl_inst *loop,
			const struct wgsl_var *v)
{
	const struct wgsl_inst *add = next_of(r, loop, v);

	if (add == NULL || add->op != WGSL_OP_ADD)
		return 0;
	return add->args[1]->u.bits[0] <= INT32_MAX ? (uint32_t)add->args[1]->u.bits[0] : 0;
}

/* i32 counts from a constant that is not negative. */
static bool starts_well(const struct ranger *r, const struct wgsl_var *v)
{
	const struct wgsl_inst *init = r->vars[v->id].init;

	if (v->type->kind == WGSL_U32)
		return true;
	return init->op == WGSL_OP_ZERO ||
	       (init->args[0]->op == WGSL_OP_CONST && init->args[0]->u.bits[0] <= INT32_MAX);
}

static bool fill_counter(const struct ranger *r, const struct wgsl_inst *loop,
			 const struct wgsl_inst *load, const struct wgsl_inst *bound,
			 struct counter *k)
{
	uint32_t top = UINT32_MAX;

	/* A value loaded before the loop says nothing about its passes. */
	if (load->op != WGSL_OP_LOAD || load->path->n_steps > 0 || load->id < loop->id)
		return false;
	k->var = load->path->var;
	k->step = step_of(r, loop, k->var);
	if (k->step == 0 || !starts_well(r, k->var))
		return false;
	k->limit = r->max[bound->id];
	if (k->var->type->kind == WGSL_I32)
		top = INT32_MAX;
	/* The step must not jump over the end. */
	if (k->step > 1 && k->limit > top - k->step)
		return false;
	if (k->limit > top) {
		k->limit = UINT32_MAX;
		/* A negative or unknown i32 bound: passes end, but where is open. */
		return k->step == 1;
	}
	return true;
}

/* if (!(i < n)) { break; } as the first branch of the body; the IF. */
static const struct wgsl_inst *exit_check(const struct wgsl_inst *loop)
{
	const struct wgsl_inst *i = loop->blocks[0].first;

	while (i != NULL && i->op < WGSL_OP_STORE)
		i = i->next;
	if (i == NULL || i->op != WGSL_OP_IF || i->args[0]->op != WGSL_OP_NOT ||
	    i->blocks[0].first == NULL || i->blocks[0].first->target != loop ||
	    i->blocks[0].first->op != WGSL_OP_BREAK)
		return NULL;
	return i;
}

/* ---- halves and doubles ------------------------------------------------------------------ */

static bool is_number(const struct wgsl_inst *i, uint32_t n)
{
	return i->op == WGSL_OP_CONST && i->u.bits[0] == n;
}

/* s > 0, 0 < s, s >= 1, of u32 also s != 0: the load of s; NULL: something else. */
static const struct wgsl_inst *tested_for_zero(const struct wgsl_inst *cond)
{
	const struct wgsl_inst *a;
	const struct wgsl_inst *b;

	if (cond->n_args != 2)
		return NULL;
	a = cond->args[0];
	b = cond->args[1];
	if (cond->op == WGSL_OP_LT && is_number(a, 0))
		return b;
	if ((cond->op == WGSL_OP_GT && is_number(b, 0)) ||
	    (cond->op == WGSL_OP_GE && is_number(b, 1)) ||
	    (cond->op == WGSL_OP_NE && is_number(b, 0) && a->type->kind == WGSL_U32))
		return a;
	return NULL;
}

/* s >> 1, s / 2, and more; of a positive s. */
static bool is_halved(const struct wgsl_inst *next)
{
	uint64_t by = next->args[1]->u.bits[0];

	return (next->op == WGSL_OP_SHR && (by & 31) > 0) ||
	       (next->op == WGSL_OP_DIV && by > 1 && by <= INT32_MAX);
}

static uint32_t init_max(const struct ranger *r, const struct wgsl_var *v)
{
	const struct wgsl_inst *init = r->vars[v->id].init;

	return init->op == WGSL_OP_ZERO ? 0 : r->max[init->args[0]->id];
}

/* While s > 0, s is halved: it loses a bit in each pass. */
static bool find_halving(const struct ranger *r, const struct wgsl_inst *loop,
			 const struct wgsl_inst *cond, struct counter *k)
{
	const struct wgsl_inst *load = tested_for_zero(cond);
	const struct wgsl_inst *next;

	if (load == NULL || load->op != WGSL_OP_LOAD || load->path->n_steps > 0 ||
	    load->id < loop->id)
		return false;
	k->var = load->path->var;
	next = next_of(r, loop, k->var);
	if (next == NULL || !is_halved(next))
		return false;
	k->most = init_max(r, k->var);
	k->passes = k->most == 0 ? 1 : 32 - (uint32_t)__builtin_clz(k->most);
	return true;
}

/* s << 1, s * 2, and more: by how much; 0: something else. */
static uint64_t factor_of(const struct wgsl_inst *next)
{
	uint64_t by = next->args[1]->u.bits[0];

	if (next->op == WGSL_OP_SHL)
		return (uint64_t)1 << (by & 31);
	return next->op == WGSL_OP_MUL ? by : 0;
}

/* While s < n, s is doubled, from a constant: it does not wrap, as n is small. Nothing doubles it
 * before it is looked at, or it would go on where it once was beyond n. */
static bool find_doubling(const struct ranger *r, const struct wgsl_inst *check,
			  const struct wgsl_inst *loop, const struct wgsl_inst *load,
			  const struct wgsl_inst *bound, struct counter *k)
{
	const struct wgsl_inst *next;
	const struct wgsl_inst *init;
	uint64_t limit = r->max[bound->id];
	uint64_t factor;

	if (load->op != WGSL_OP_LOAD || load->path->n_steps > 0 || load->id < loop->id ||
	    load->path->var->type->kind != WGSL_U32)
		return false;
	k->var = load->path->var;
	next = next_of(r, loop, k->var);
	init = r->vars[k->var->id].init;
	factor = next != NULL ? factor_of(next) : 0;
	if (factor < 2 || limit == 0 || limit * factor > UINT32_MAX ||
	    r->vars[k->var->id].store->id < check->id || init->op != WGSL_OP_STORE ||
	    init->args[0]->op != WGSL_OP_CONST || init->args[0]->u.bits[0] == 0)
		return false;
	for (uint64_t s = init->args[0]->u.bits[0]; s < limit; s *= factor)
		k->passes++;
	k->passes = k->passes > 0 ? k->passes : 1;
	k->most = (uint32_t)limit - 1;
	return true;
}

static bool find_counter(const struct ranger *r, const struct wgsl_inst *loop,
			 const struct wgsl_inst *check, struct counter *k)
{
	const struct wgsl_inst *cond = check->args[0]->args[0];

	if (find_halving(r, loop, cond, k))
		return true;
	if (cond->op == WGSL_OP_LT)
		return fill_counter(r, loop, cond->args[0], cond->args[1], k) ||
		       find_doubling(r, check, loop, cond->args[0], cond->args[1], k);
	if (cond->op == WGSL_OP_GT)
		return fill_counter(r, loop, cond->args[1], cond->args[0], k) ||
		       find_doubling(r, check, loop, cond->args[1], cond->args[0], k);
	return false;
}

/* The variable whose value after its step the condition looks at: i + step itself, or i loaded
 * again behind the store. */
static const struct wgsl_var *stepped_var(const struct ranger *r, const struct wgsl_inst *loop,
					  const struct wgsl_inst *v)
{
	const struct wgsl_inst *load = v->op == WGSL_OP_ADD ? v->args[0] : v;
	const struct wgsl_inst *store;

	if (load->op != WGSL_OP_LOAD || load->path->n_steps > 0 ||
	    step_of(r, loop, load->path->var) == 0)
		return NULL;
	store = r->vars[load->path->var->id].store;
	if (v == load)
		return v->id > store->id ? load->path->var : NULL;
	return store->args[0] == v ? load->path->var : NULL;
}

/* break if i >= n, at the end of continuing, from a start below n. */
static bool find_end_counter(const struct ranger *r, const struct wgsl_inst *loop,
			     struct counter *k)
{
	const struct wgsl_inst *cond = loop->n_args > 0 ? loop->args[0] : NULL;
	const struct var_facts *f;
	uint32_t start = 0;

	if (cond == NULL || cond->op != WGSL_OP_GE || cond->args[1]->op != WGSL_OP_CONST)
		return false;
	k->var = stepped_var(r, loop, cond->args[0]);
	if (k->var == NULL)
		return false;
	k->step = step_of(r, loop, k->var);
	f = &r->vars[k->var->id];
	/* It must start below the end each time the loop is entered. */
	if (f->init_loop != r->loop)
		return false;
	if (f->init->op == WGSL_OP_STORE) {
		if (f->init->args[0]->op != WGSL_OP_CONST)
			return false;
		start = (uint32_t)f->init->args[0]->u.bits[0];
	}
	k->limit = (uint32_t)cond->args[1]->u.bits[0];
	return start < k->limit && k->limit <= (uint32_t)INT32_MAX - k->step;
}

static void walk_block(struct ranger *r, struct wgsl_block *b);
static void walk_from(struct ranger *r, struct wgsl_inst *i);

static void set_passes(struct ranger *r, struct wgsl_inst *loop, const struct counter *k)
{
	if (k->passes > 0)
		loop->u.max_passes = k->passes;
	else if (k->limit != UINT32_MAX)
		loop->u.max_passes = ((uint64_t)k->limit + k->step - 1) / k->step;
	if (loop->u.max_passes == 0 && k->limit == 0)
		loop->u.max_passes = 1;
	if (loop->u.max_passes == 0 || loop->u.max_passes > UNCOUNTED_PASSES)
		return;
	if (r->passes * loop->u.max_passes > UNCOUNTED_PASSES)
		return;
	r->passes *= loop->u.max_passes;
	loop->needs_counter = false;
}

static void bound_var(struct ranger *r, const struct counter *k)
{
	if (k->passes > 0)
		r->vars[k->var->id].max = k->most;
	else if (k->limit != UINT32_MAX && k->limit > 0)
		r->vars[k->var->id].max = k->limit - 1;
}

static uint64_t capped(uint64_t v)
{
	return v < UINT32_MAX ? v : UINT32_MAX;
}

/* A loop was walked; before it, `outer` was the cost. */
static void add_cost(struct ranger *r, const struct wgsl_inst *loop, uint64_t outer)
{
	uint64_t inner = r->cost;

	if (!loop->needs_counter) {
		r->cost = capped(outer + 1 + capped(loop->u.max_passes * (1 + inner)));
		return;
	}
	r->cost = capped(outer + 1);
	r->counted_cost = inner > r->counted_cost ? inner : r->counted_cost;
	r->n_counted++;
	r->counted_nest |= r->loop != NULL;
	r->counted_diverge |= !loop->is_uniform;
}

/* Variables that become zero when the invocation starts. */
static uint64_t start_cost(const struct ranger *r, const struct wgsl_module *m)
{
	const uint32_t *size = m->workgroup_size;
	uint64_t cost = 0;

	for (uint32_t n = 0; n < m->n_vars; n++) {
		const struct wgsl_var *v = m->vars[n];

		if (v->space == WGSL_SPACE_WORKGROUP)
			cost += wgsl_zero_shared_cost(v->type, size[0] * size[1] * size[2]);
		else if (v->space <= WGSL_SPACE_PRIVATE && v->n_init == 0 &&
			 !r->vars[n].is_declared)
			cost += wgsl_zero_cost(v->type);
	}
	return capped(cost);
}

/* In lockstep a loop goes on until its last lane leaves. One loop at a time goes on as long as its
 * slowest lane; inside of another, each lane may be the slowest once. */
static void set_costs(const struct ranger *r, struct wgsl_module *m)
{
	uint64_t lanes = 1;

	if (r->counted_diverge)
		lanes = r->counted_nest || r->n_counted > LOCKSTEP_LANES ? LOCKSTEP_LANES
									 : r->n_counted;
	m->bounded_passes = (uint32_t)r->cost;
	m->passes_factor = (uint32_t)capped(lanes * (1 + r->counted_cost));
}

static void walk_loop(struct ranger *r, struct wgsl_inst *loop)
{
	const struct wgsl_inst *check = exit_check(loop);
	const struct wgsl_inst *around = r->loop;
	uint64_t outer = r->passes;
	uint64_t outer_cost = r->cost;
	struct counter k = { 0 };
	struct wgsl_inst *i = loop->blocks[0].first;
	bool is_found = false;

	loop->needs_counter = true;
	if (check == NULL && find_end_counter(r, loop, &k)) {
		set_passes(r, loop, &k);
		bound_var(r, &k);
		is_found = true;
	}
	for (; check != NULL && i != check; i = i->next)
		r->max[i->id] = value_max(r, i);
	if (check != NULL && find_counter(r, loop, check, &k)) {
		set_passes(r, loop, &k);
		bound_var(r, &k);
		is_found = true;
	}
	if (loop->needs_counter) {
		r->passes = 1;
		r->c->module->needs_counter = true;
	}
	r->loop = loop;
	r->cost = 0;
	walk_from(r, i);
	walk_block(r, &loop->blocks[1]);
	r->loop = around;
	add_cost(r, loop, outer_cost);
	if (is_found)
		r->vars[k.var->id].max = UINT32_MAX;
	r->passes = outer;
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void walk_inst(struct ranger *r, struct wgsl_inst *i)
{
	if (i->path != NULL)
		bound_steps(r, i->path);
	if (i->op == WGSL_OP_LOOP) {
		walk_loop(r, i);
		return;
	}
	walk_block(r, &i->blocks[0]);
	walk_block(r, &i->blocks[1]);
	for (uint32_t k = 0; k < i->n_cases; k++)
		walk_block(r, &i->cases[k].block);
	if (i->path != NULL && (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO))
		r->vars[i->path->var->id].max = UINT32_MAX;
	if (i->path != NULL && i->op == WGSL_OP_ZERO)
		r->cost = capped(r->cost + wgsl_zero_cost(i->path->type));
	r->max[i->id] = value_max(r, i);
}

static void walk_from(struct ranger *r, struct wgsl_inst *i)
{
	for (; i != NULL; i = i->next)
		walk_inst(r, i);
}

static void walk_block(struct ranger *r, struct wgsl_block *b)
{
	walk_from(r, b->first);
}

void wgsl_find_ranges(struct wgsl_comp *c)
{
	struct wgsl_module *m = c->module;
	struct ranger r = { .c = c, .passes = 1 };

	r.max = arena_new_array(c->arena, uint32_t, m->fn.n_insts);
	r.is_continued = arena_new_array(c->arena, bool, m->fn.n_insts);
	r.vars = arena_new_array(c->arena, struct var_facts, m->n_vars + 1);
	for (uint32_t i = 0; i < m->n_vars; i++)
		r.vars[i].max = UINT32_MAX;
	collect(&r, &m->fn.body, NULL);
	r.loop = NULL;
	walk_block(&r, &m->fn.values);
	r.cost = start_cost(&r, m);
	walk_block(&r, &m->fn.body);
	set_costs(&r, m);
}
