/*
 * order.c - can the order of invocations be seen in an output?
 *
 * Not if every element is written by at most one invocation, or only by atomics of one
 * commutative kind whose result nobody uses, and nothing whose value depends on the order decides
 * what is written. An element belongs to one invocation when its index is
 * x, or y * width + x, or the like, and the chunk's shape keeps those numbers apart: that
 * becomes a condition. Everything else is Assumed.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "wgsl/analyse_int.h"
#include "wgsl/flow_int.h"

enum { MAX_ACCESSES = 4096, MAX_PAIRED = 512 };

struct order {
	struct wgsl_comp *c;
	struct wgsl_ids ids;
	const struct wgsl_inst **value_of; /* by variable id: the one value it ever holds */
	struct wgsl_flow_result flow;
	const bool *own;       /* by variable id: every access is to the invocation's own element */
	const bool *race_free; /* by variable id: work-group variables */
	const struct wgsl_inst **list; /* accesses of one variable; owned */
	struct wgsl_pins *pins;        /* what is known of ids there; owned */
	size_t n, cap, cap_pins;
};

static void order_done(struct order *o)
{
	mem_free(o->list);
	mem_free(o->pins);
}

static bool term_is_one(const struct wgsl_term *t)
{
	return t->factor == 1 && !t->has_uniform;
}

static bool same_term(const struct wgsl_term *a, const struct wgsl_term *b)
{
	return a->factor == b->factor && a->has_uniform == b->has_uniform &&
	       (!a->has_uniform ||
		(a->group == b->group && a->binding == b->binding && a->offset == b->offset));
}

/* ---- conditions -------------------------------------------------------------------------- */

struct conditions {
	struct wgsl_comp *c;
	struct wgsl_binding *b;
	bool overflow;
};

static const char *field_name(const struct conditions *s, const struct wgsl_term *t)
{
	const struct wgsl_module *m = s->c->module;

	for (uint32_t i = 0; i < m->n_bindings; i++) {
		const struct wgsl_binding *b = &m->bindings[i];

		if (b->group != t->group || b->binding != t->binding)
			continue;
		if (b->type->kind != WGSL_STRUCT)
			return b->name;
		for (uint32_t k = 0; k < b->type->n_members; k++)
			if (b->type->members[k].offset == t->offset)
				return arena_printf(s->c->arena, "%s.%s", b->name,
						    b->type->members[k].name);
		return arena_printf(s->c->arena, "%s at byte %u", b->name, t->offset);
	}
	return "a uniform";
}

static struct wgsl_condition *new_condition(struct conditions *s)
{
	if (s->b->n_conditions == WGSL_MAX_CONDITIONS) {
		s->overflow = true;
		return &s->b->conditions[0];
	}
	return &s->b->conditions[s->b->n_conditions++];
}

/* What a condition on an axis counts. */
static uint32_t groups_of(const struct wgsl_affine *a, uint32_t axis)
{
	return a->id[axis] == WGSL_ID_GROUP ? 1u << axis : 0;
}

static const char *counted(uint32_t groups)
{
	return groups != 0 ? "work-groups" : "invocations";
}

static void need_at_most(struct conditions *s, uint32_t axis, uint32_t groups, uint32_t n)
{
	struct wgsl_condition k = { .axis = axis, .at_most = n, .groups = groups };

	for (uint32_t i = 0; i < s->b->n_conditions; i++) {
		const struct wgsl_condition *o = &s->b->conditions[i];

		if (!o->is_fit && !o->has_uniform && o->axis == axis && o->groups == groups &&
		    o->at_most <= n)
			return;
	}
	k.text = arena_printf(s->c->arena, "%s in %c <= %u", counted(groups), "xyz"[axis], n);
	*new_condition(s) = k;
}

static void need_uniform(struct conditions *s, uint32_t axis, uint32_t groups,
			 const struct wgsl_term *t)
{
	struct wgsl_condition k = { .has_uniform = true,
				    .group = t->group,
				    .binding = t->binding,
				    .uniform_offset = t->offset,
				    .axis = axis,
				    .groups = groups };

	k.text = arena_printf(s->c->arena, "%s in %c <= %s", counted(groups), "xyz"[axis],
			      field_name(s, t));
	*new_condition(s) = k;
}

static void need_fit(struct conditions *s, const struct wgsl_affine *a)
{
	struct wgsl_condition k = { .is_fit = true, .at_most = UINT32_MAX };

	memcpy(k.stride, a->axis, sizeof(k.stride));
	memcpy(k.base, a->base, sizeof(k.base));
	k.groups = groups_of(a, 0) | groups_of(a, 1) | groups_of(a, 2);
	k.text = arena_printf(s->c->arena, "all indices lie inside of %s", s->b->name);
	*new_condition(s) = k;
}

/* With two axes: one has stride 1, the other's stride is the width of the first. */
static bool separate_two(struct conditions *s, const struct wgsl_affine *a, int first, int second)
{
	const struct wgsl_term *t = &a->axis[second];

	if (!term_is_one(&a->axis[first]) || (t->has_uniform && t->factor != 1))
		return false;
	if (t->has_uniform)
		need_uniform(s, (uint32_t)first, groups_of(a, (uint32_t)first), t);
	else
		need_at_most(s, (uint32_t)first, groups_of(a, (uint32_t)first), t->factor);
	return true;
}

/* The ids in the index tell the invocations apart that the pins leave. */
static bool is_usable(const struct order *o, const struct wgsl_affine *a,
		      const struct wgsl_pins *pins)
{
	for (uint32_t k = 0; k < 3; k++) {
		if (a->axis[k].factor == 0 || a->id[k] == WGSL_ID_GLOBAL)
			continue;
		if (a->id[k] == WGSL_ID_LOCAL || !wgsl_is_one_in_group(&o->ids, pins, k))
			return false;
	}
	return true;
}

/* The index does not tell of this axis: there must be one invocation only. */
static void need_one(const struct order *o, struct conditions *s, const struct wgsl_pins *pins,
		     uint32_t axis)
{
	bool in_groups = o->ids.size[axis] > 1 && wgsl_is_one_in_group(&o->ids, pins, axis);

	if (!wgsl_is_one(&o->ids, pins, axis))
		need_at_most(s, axis, in_groups ? 1u << axis : 0, 1);
}

/* Different invocations have different indices, under conditions. */
static bool separate(const struct order *o, struct conditions *s, const struct wgsl_affine *a,
		     const struct wgsl_pins *pins)
{
	int used[3];
	int n = 0;

	if (!is_usable(o, a, pins))
		return false;
	for (int k = 0; k < 3; k++) {
		if (a->axis[k].factor == 0)
			need_one(o, s, pins, (uint32_t)k);
		else
			used[n++] = k;
	}
	/* One axis: any constant stride but zero; a uniform one might be zero. */
	if (n < 2)
		return n == 0 || !a->axis[used[0]].has_uniform;
	if (n > 2)
		return false;
	if (term_is_one(&a->axis[used[0]]))
		return separate_two(s, a, used[0], used[1]);
	return separate_two(s, a, used[1], used[0]);
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void add_access(struct order *o, const struct wgsl_inst *i, const struct wgsl_pins *pins)
{
	mem_reserve(&o->list, &o->cap, o->n, sizeof(struct wgsl_inst *));
	mem_reserve(&o->pins, &o->cap_pins, o->n, sizeof(struct wgsl_pins));
	o->pins[o->n] = *pins;
	o->list[o->n++] = i;
}

static void collect(struct order *o, const struct wgsl_block *b, const struct wgsl_var *v,
		    struct wgsl_pins pins)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		bool is_access =
		    i->path != NULL && i->path->var == v && i->op != WGSL_OP_ARRAY_LENGTH;
		struct wgsl_pins in[2] = { pins, pins };

		if (is_access && o->n <= MAX_ACCESSES)
			add_access(o, i, &pins);
		for (int k = 0; k < 2; k++) {
			if (i->op == WGSL_OP_IF)
				wgsl_pin(&o->ids, i->args[0], k == 0, &in[k]);
			collect(o, &i->blocks[k], v, in[k]);
		}
		for (uint32_t k = 0; k < i->n_cases; k++)
			collect(o, &i->cases[k].block, v, pins);
		wgsl_pin_behind(&o->ids, i, &pins);
	}
}

static void collect_all(struct order *o, const struct wgsl_var *v)
{
	o->n = 0;
	collect(o, &o->c->module->fn.body, v, (struct wgsl_pins){ 0 });
}

/* Places that no run can make equal: they part at a constant step. */
static bool are_apart(const struct wgsl_path *a, const struct wgsl_path *b)
{
	for (uint32_t k = 0; k < a->n_steps && k < b->n_steps; k++) {
		const struct wgsl_step *s = &a->steps[k];
		const struct wgsl_step *t = &b->steps[k];

		if (s->kind != t->kind)
			return false;
		if (s->kind == WGSL_STEP_DYNAMIC)
			continue;
		if (s->index != t->index && s->in_range && t->in_range)
			return true;
	}
	return false;
}

/* Where an access tells invocations apart: at step `depth`, by an index that is a sum of terms.
 * Without axes there is no such step. */
struct parted {
	struct wgsl_affine index;
	uint32_t depth;
};

/* Different indices at one step part two places whatever the other steps are. */
static bool find_parted(const struct order *o, const struct wgsl_path *p,
			const struct wgsl_pins *pins, struct parted *ret)
{
	bool is_affine = true;

	*ret = (struct parted){ 0 };
	for (uint32_t k = 0; k < p->n_steps; k++) {
		struct wgsl_affine a;

		if (p->steps[k].kind != WGSL_STEP_DYNAMIC)
			continue;
		if (!wgsl_find_affine(&o->ids, p->steps[k].value, &a) || !is_usable(o, &a, pins)) {
			is_affine = false;
		} else if (!wgsl_affine_is_constant(&a)) {
			*ret = (struct parted){ .index = a, .depth = k };
			return true;
		}
	}
	return is_affine;
}

static bool same_affine(const struct wgsl_affine *a, const struct wgsl_affine *b)
{
	for (int k = 0; k < 3; k++)
		if (!same_term(&a->axis[k], &b->axis[k]) ||
		    (a->axis[k].factor != 0 && a->id[k] != b->id[k]))
			return false;
	if (a->n_base != b->n_base)
		return false;
	for (uint32_t k = 0; k < a->n_base; k++)
		if (!same_term(&a->base[k], &b->base[k]))
			return false;
	return true;
}

/* The number of elements that the step chooses from; 0: the chunk decides. */
static uint32_t step_count(const struct wgsl_path *p, uint32_t depth)
{
	const struct wgsl_type *t = depth == 0 ? p->var->type : p->steps[depth - 1].type;

	return t->count;
}

/* Where all accesses tell invocations apart, and what keeps their indices from being clamped. */
struct parting {
	struct parted at;
	struct wgsl_pins pins; /* what all of them know of ids */
	bool needs_fit;        /* the runtime-sized array's number of elements */
	uint32_t count;        /* the smallest other array's; 0: there is none */
};

/* Every access names its element at the same step with the same index. */
static bool find_parting(const struct order *o, struct parting *ret)
{
	*ret = (struct parting){ 0 };
	for (size_t i = 0; i < o->n; i++) {
		const struct wgsl_path *p = o->list[i]->path;
		struct parted one;
		uint32_t count;

		if (i == 0)
			ret->pins = o->pins[i];
		wgsl_pins_join(&ret->pins, &o->pins[i]);
		if (!find_parted(o, p, &o->pins[i], &one))
			return false;
		if (i == 0)
			ret->at = one;
		else if (ret->at.depth != one.depth || !same_affine(&ret->at.index, &one.index))
			return false;
		if (wgsl_affine_is_constant(&one.index) || p->steps[one.depth].in_range)
			continue;
		count = step_count(p, one.depth);
		ret->needs_fit = ret->needs_fit || count == 0;
		if (count > 0 && (ret->count == 0 || count < ret->count))
			ret->count = count;
	}
	return true;
}

/* Whatever the indices are, if one invocation makes all accesses. */
static bool find_few(const struct order *o, struct parting *ret)
{
	bool has_any = false;

	*ret = (struct parting){ .pins = o->pins[0] };
	for (size_t i = 1; i < o->n; i++)
		wgsl_pins_join(&ret->pins, &o->pins[i]);
	for (int id = 0; id < WGSL_ID_COUNT_; id++)
		for (int k = 0; k < 3; k++)
			has_any |= ret->pins.has[id][k];
	return has_any;
}

/* The index stays below ret->count: conditions on the axes alone, so all terms are constants. */
static bool stay_below(struct conditions *s, const struct wgsl_affine *a, uint32_t count)
{
	uint64_t base = (uint64_t)a->base[0].factor + a->base[1].factor;
	uint64_t left = count - 1;
	int axis = -1; /* the one with the larger stride */

	if (a->base[0].has_uniform || a->base[1].has_uniform || base >= count)
		return false;
	left -= base;
	for (int k = 0; k < 3; k++) {
		if (a->axis[k].has_uniform)
			return false;
		if (axis < 0 || a->axis[k].factor >= a->axis[axis].factor)
			axis = k;
	}
	ASSERT(a->axis[axis].factor > 0); /* a constant index is not asked about: find_parting */
	/* The other axis, with stride 1, has at most as many invocations as this stride. */
	for (int k = 0; k < 3; k++) {
		uint64_t most = (uint64_t)a->axis[axis].factor - 1;

		if (k == axis || a->axis[k].factor == 0)
			continue;
		if (left < most) {
			need_at_most(s, (uint32_t)k, groups_of(a, (uint32_t)k), (uint32_t)left + 1);
			most = left;
		}
		left -= most;
	}
	need_at_most(s, (uint32_t)axis, groups_of(a, (uint32_t)axis),
		     (uint32_t)(left / a->axis[axis].factor) + 1);
	return true;
}

/* Different invocations touch different elements, under conditions. */
static bool part_all(const struct order *o, struct conditions *s)
{
	struct parting p;

	if (!find_parting(o, &p) && !find_few(o, &p))
		return false;
	if (!separate(o, s, &p.at.index, &p.pins) ||
	    (p.count > 0 && !stay_below(s, &p.at.index, p.count)))
		return false;
	if (p.needs_fit)
		need_fit(s, &p.at.index);
	return true;
}

static bool have_one_family(const struct order *o)
{
	for (size_t i = 1; i < o->n; i++)
		if (wgsl_atomic_family(o->list[i]) != wgsl_atomic_family(o->list[0]))
			return false;
	return true;
}

/* One commutative kind of atomic per place, results unused. */
static bool is_commutative(const struct order *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (wgsl_atomic_family(o->list[i]) < 0)
			return false;
	if (o->n == 0 || have_one_family(o))
		return o->n > 0;
	/* Different kinds must not meet: every pair is looked at. */
	if (o->n > MAX_PAIRED)
		return false;
	for (size_t i = 1; i < o->n; i++)
		for (size_t k = 0; k < i; k++)
			if (wgsl_atomic_family(o->list[k]) != wgsl_atomic_family(o->list[i]) &&
			    !are_apart(o->list[i]->path, o->list[k]->path))
				return false;
	return true;
}

/* ---- what depends on the order ----------------------------------------------------------- */

static uint8_t order_source(const void *rules_of, const struct wgsl_inst *i, uint8_t in)
{
	const struct order *o = rules_of;
	const struct wgsl_var *v = i->path != NULL ? i->path->var : NULL;

	if (i->op == WGSL_OP_SUBGROUP ||
	    (i->op == WGSL_OP_BUILTIN && i->u.builtin >= WGSL_BUILTIN_SUBGROUP_INVOCATION_ID))
		return 1;
	/* Read in other phases than written; or nobody looks at what comes back. */
	if (v != NULL && v->space == WGSL_SPACE_WORKGROUP && o->race_free[v->id])
		return in;
	if (i->op == WGSL_OP_ATOMIC)
		return i->is_used || i->u.atomic == WGSL_ATOMIC_STORE ||
			       i->u.atomic == WGSL_ATOMIC_EXCHANGE
			   ? 1
			   : in;
	if (i->op != WGSL_OP_LOAD || v == NULL || !v->is_written)
		return in;
	if (v->space == WGSL_SPACE_WORKGROUP)
		return 1;
	if (v->space == WGSL_SPACE_STORAGE && !o->own[v->id])
		return 1;
	return in;
}

/* Variables that hold one value for ever: initialised once, at one place. */
static void find_single_values(struct order *o, const struct wgsl_block *b, uint8_t *writes)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		if (i->op == WGSL_OP_STORE || i->op == WGSL_OP_ZERO) {
			uint32_t id = i->path->var->id;

			writes[id] = writes[id] < 2 ? writes[id] + 1 : 2;
			o->value_of[id] = writes[id] == 1 && i->n_args == 1 && i->path->n_steps == 0
					      ? i->args[0]
					      : NULL;
		}
		find_single_values(o, &i->blocks[0], writes);
		find_single_values(o, &i->blocks[1], writes);
		for (uint32_t k = 0; k < i->n_cases; k++)
			find_single_values(o, &i->cases[k].block, writes);
	}
}

/* ---- verdicts ---------------------------------------------------------------------------- */

/* Where the kernel says how large subgroups are, a device still chooses who is in which. */
static const char *subgroup_reason(struct wgsl_comp *c, const struct wgsl_inst *w)
{
	bool is_sized = c->module->subgroup_size > 0;

	if (w->op == WGSL_OP_BUILTIN)
		return arena_printf(c->arena, "%s is used, and devices choose %s",
				    wgsl_builtin_name(w->u.builtin),
				    is_sized ? "who is in a subgroup" : "how large subgroups are");
	return arena_printf(c->arena, "%s depends on %s, which devices choose",
			    wgsl_subgroup_name(w->u.subgroup),
			    is_sized ? "who is in a subgroup" : "the subgroup size");
}

static const char *tainted_reason(struct wgsl_comp *c, struct wgsl_taint t)
{
	const struct wgsl_inst *w = t.why;
	const char *what = "an atomic's old value is used";

	if (w->op == WGSL_OP_SUBGROUP || w->op == WGSL_OP_BUILTIN)
		what = subgroup_reason(c, w);
	else if (w->op == WGSL_OP_LOAD)
		what = w->path->var->space == WGSL_SPACE_WORKGROUP
			   ? "values come from workgroup memory"
			   : "memory is read that other invocations write";
	else if (!w->is_used)
		what = "an atomic stores or exchanges a value";
	return arena_printf(c->arena, "%s (line %u)", what, w->line);
}

/* Nothing but a minimum, or a conjunction, of what begins as zero: a mistake that nothing shows. */
static void warn_of_zeros(const struct order *o)
{
	const struct wgsl_inst *i = o->list[0];
	uint32_t column = i->column > 0 ? i->column - 1 : 0;
	bool is_min = i->u.atomic == WGSL_ATOMIC_MIN && i->type->kind == WGSL_U32;

	if (!have_one_family(o) || (!is_min && i->u.atomic != WGSL_ATOMIC_AND) || i->line == 0)
		return;
	wgsl_warn(o->c, (struct wgsl_span){ o->c->lines[i->line - 1] + column, 1 },
		  "outputs begin as zeros, which %s never changes; %s",
		  is_min ? "a minimum of u32" : "an 'and'",
		  is_min ? "keep the maximum of ~x instead" : "keep the 'or' of ~x instead");
}

static void prove(struct order *o, struct wgsl_binding *b, const struct wgsl_var *v)
{
	struct conditions s = { .c = o->c, .b = b };
	struct wgsl_taint t = o->flow.vars[v->id];

	b->order = WGSL_ORDER_ASSUMED;
	collect_all(o, v);
	if (t.level > 0) {
		b->order_reason = tainted_reason(o->c, t);
	} else if (o->n > MAX_ACCESSES) {
		b->order_reason = "too many accesses to examine";
	} else if (is_commutative(o)) {
		b->order = WGSL_ORDER_PROVED;
		warn_of_zeros(o);
		b->order_reason = arena_printf(o->c->arena, "atomic %s, result unused",
					       wgsl_atomic_name(o->list[0]->u.atomic));
	} else if (!part_all(o, &s)) {
		b->order_reason = "its indices may be equal in different invocations";
		b->n_conditions = 0;
	} else {
		b->order = s.overflow ? WGSL_ORDER_ASSUMED : WGSL_ORDER_PROVED;
		b->order_reason = "each element is written by at most one invocation";
	}
}

/* Storage variables that each invocation reads and writes at its own element only. */
static void find_own(struct order *o, bool *own)
{
	const struct wgsl_module *m = o->c->module;

	for (uint32_t i = 0; i < m->n_vars; i++) {
		const struct wgsl_var *v = m->vars[i];
		struct wgsl_binding scratch = { .name = v->name };
		struct conditions s = { .c = o->c, .b = &scratch };

		if (v->space != WGSL_SPACE_STORAGE || !v->is_written || !v->is_read)
			continue;
		collect_all(o, v);
		own[i] = o->n <= MAX_ACCESSES && part_all(o, &s) && !s.overflow;
	}
}

static bool has_condition(const struct wgsl_binding *b, const struct wgsl_condition *k)
{
	for (uint32_t i = 0; i < b->n_conditions; i++)
		if (strcmp(b->conditions[i].text, k->text) == 0)
			return true;
	return false;
}

/* An output may be computed from what an invocation reads back of another: then the other's
 * conditions are its own. */
static void share_conditions(struct wgsl_module *m, const struct wgsl_binding *from)
{
	for (uint32_t i = 0; i < m->n_bindings; i++) {
		struct wgsl_binding *b = &m->bindings[i];

		for (uint32_t k = 0; b->is_output && k < from->n_conditions; k++) {
			if (has_condition(b, &from->conditions[k]))
				continue;
			if (b->n_conditions == WGSL_MAX_CONDITIONS)
				b->order = WGSL_ORDER_ASSUMED;
			else
				b->conditions[b->n_conditions++] = from->conditions[k];
		}
	}
}

void wgsl_find_orders(struct wgsl_comp *c)
{
	struct wgsl_module *m = c->module;
	AUTO(order_done) struct order o = { .c = c };
	uint8_t *writes = arena_new_array(c->arena, uint8_t, m->n_vars + 1);
	bool *own = arena_new_array(c->arena, bool, m->n_vars + 1);
	bool *race_free = arena_new_array(c->arena, bool, m->n_vars + 1);
	struct wgsl_flow_rules rules = { .source = order_source, .rules_of = &o };

	o.own = own;
	o.race_free = race_free;
	o.value_of = arena_new_array(c->arena, const struct wgsl_inst *, m->n_vars + 1);
	o.ids = (struct wgsl_ids){ .size = m->workgroup_size, .value_of = o.value_of };
	find_single_values(&o, &m->fn.body, writes);
	find_own(&o, own);
	wgsl_find_race_free(c, o.value_of, race_free);
	o.flow = wgsl_flow_find(c, &rules);
	for (uint32_t i = 0; i < m->n_bindings; i++) {
		struct wgsl_binding *b = &m->bindings[i];
		const struct wgsl_var *v = NULL;

		if (!b->is_output)
			continue;
		for (uint32_t k = 0; k < m->n_vars && v == NULL; k++)
			if (m->vars[k]->space == WGSL_SPACE_STORAGE &&
			    m->vars[k]->group == b->group && m->vars[k]->binding == b->binding)
				v = m->vars[k];
		b->order_reason = "never written";
		if (v != NULL && v->is_written)
			prove(&o, b, v);
	}
	for (uint32_t i = 0; i < m->n_vars; i++) {
		const struct wgsl_binding *b =
		    own[i] ? wgsl_find_binding(m, m->vars[i]->name) : NULL;

		if (b != NULL)
			share_conditions(m, b);
	}
}
