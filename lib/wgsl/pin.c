/*
 * pin.c - what conditions say of the ids of the invocations that get past them.
 *
 * Behind `if (local_invocation_index == 0)` there is one invocation of each work-group, behind
 * `if (global_invocation_id.x > 0) { return; }` one of each column. Ids do not change, so what a
 * branch says of them holds for all that it encloses, and what a branch that always leaves
 * says, for all behind it in its block.
 */
#include "wgsl/analyse_int.h"

enum { MAX_HOPS = 8, MAX_DEPTH = 16, LOCAL_INDEX = 3 };

static bool is_line(const uint32_t size[3])
{
	return size[1] == 1 && size[2] == 1;
}

/* Through variables that hold one value for ever, and through u32 and i32 of the same bits. */
static const struct wgsl_inst *chase(const struct wgsl_ids *ids, const struct wgsl_inst *i)
{
	for (int hops = 0; hops < MAX_HOPS; hops++) {
		if (i->op == WGSL_OP_LOAD && i->path->var->space == WGSL_SPACE_FUNCTION &&
		    i->path->n_steps == 0 && ids->value_of[i->path->var->id] != NULL)
			i = ids->value_of[i->path->var->id];
		else if ((i->op == WGSL_OP_CONVERT || i->op == WGSL_OP_BITCAST) &&
			 wgsl_is_word(i->type) && wgsl_is_word(i->args[0]->type))
			i = i->args[0];
		else
			break;
	}
	return i;
}

static bool find_kind(enum wgsl_builtin b, enum wgsl_id *ret)
{
	if (b == WGSL_BUILTIN_GLOBAL_ID)
		*ret = WGSL_ID_GLOBAL;
	else if (b == WGSL_BUILTIN_LOCAL_ID)
		*ret = WGSL_ID_LOCAL;
	else if (b == WGSL_BUILTIN_WORKGROUP_ID)
		*ret = WGSL_ID_GROUP;
	else
		return false;
	return true;
}

bool wgsl_find_id(const struct wgsl_ids *ids, const struct wgsl_inst *i, enum wgsl_id *ret,
		  uint32_t *ret_axis)
{
	i = chase(ids, i);
	if (i->op == WGSL_OP_BUILTIN && i->u.builtin == WGSL_BUILTIN_LOCAL_INDEX) {
		*ret = WGSL_ID_LOCAL;
		*ret_axis = is_line(ids->size) ? 0 : LOCAL_INDEX;
		return true;
	}
	if (i->op != WGSL_OP_EXTRACT || i->args[0]->op != WGSL_OP_BUILTIN ||
	    !find_kind(i->args[0]->u.builtin, ret))
		return false;
	*ret_axis = i->lanes[0];
	return true;
}

static void set(struct wgsl_pins *p, enum wgsl_id id, uint32_t axis, uint32_t value)
{
	p->has[id][axis] = true;
	p->value[id][axis] = value;
}

static void pin_id(const struct wgsl_ids *ids, const struct wgsl_inst *i, uint32_t value,
		   struct wgsl_pins *p)
{
	enum wgsl_id id;
	uint32_t axis;

	if (!wgsl_find_id(ids, i, &id, &axis))
		return;
	if (axis < LOCAL_INDEX) {
		set(p, id, axis, value);
		return;
	}
	for (uint32_t k = 0; k < 3; k++) {
		set(p, WGSL_ID_LOCAL, k, value % ids->size[k]);
		value /= ids->size[k];
	}
}

static bool is_const(const struct wgsl_inst *i, uint32_t value)
{
	return i->op == WGSL_OP_CONST && i->u.bits[0] == value;
}

/* a < 1, a <= 0 of u32: a is 0. */
static bool is_below_one(enum wgsl_op op, const struct wgsl_inst *b)
{
	return b->type->kind == WGSL_U32 &&
	       ((op == WGSL_OP_LT && is_const(b, 1)) || (op == WGSL_OP_LE && is_const(b, 0)));
}

static enum wgsl_op negated(enum wgsl_op op)
{
	switch ((int)op) {
	case WGSL_OP_EQ:
		return WGSL_OP_NE;
	case WGSL_OP_NE:
		return WGSL_OP_EQ;
	case WGSL_OP_LT:
		return WGSL_OP_GE;
	case WGSL_OP_LE:
		return WGSL_OP_GT;
	case WGSL_OP_GT:
		return WGSL_OP_LE;
	case WGSL_OP_GE:
		return WGSL_OP_LT;
	default:
		return op;
	}
}

/* b op a says the same as a swapped(op) b. */
static enum wgsl_op swapped(enum wgsl_op op)
{
	switch ((int)op) {
	case WGSL_OP_LT:
		return WGSL_OP_GT;
	case WGSL_OP_LE:
		return WGSL_OP_GE;
	case WGSL_OP_GT:
		return WGSL_OP_LT;
	case WGSL_OP_GE:
		return WGSL_OP_LE;
	default:
		return op;
	}
}

/* A component of a vector's comparison with constants: all(id.xy == vec2u(0)). */
static void pin_lane(const struct wgsl_inst *c, uint8_t lane, struct wgsl_pins *p)
{
	const struct wgsl_inst *a = c->args[0];
	const struct wgsl_inst *b = c->args[1];
	uint8_t axis = a->op == WGSL_OP_SWIZZLE ? a->lanes[lane] : lane;
	enum wgsl_id id;

	if (a->op == WGSL_OP_SWIZZLE)
		a = a->args[0];
	if (a->op == WGSL_OP_BUILTIN && b->op == WGSL_OP_CONST && find_kind(a->u.builtin, &id))
		set(p, id, axis, (uint32_t)b->u.bits[lane]);
}

static void pin_compared(const struct wgsl_ids *ids, const struct wgsl_inst *c, bool truth,
			 struct wgsl_pins *p)
{
	enum wgsl_op op = truth ? c->op : negated(c->op);
	const struct wgsl_inst *a = c->args[0];
	const struct wgsl_inst *b = chase(ids, c->args[1]);

	if (!wgsl_is_word(a->type))
		return;
	if (b->op != WGSL_OP_CONST) {
		op = swapped(op);
		b = chase(ids, a);
		a = c->args[1];
	}
	if (b->op != WGSL_OP_CONST)
		return;
	if (op == WGSL_OP_EQ)
		pin_id(ids, a, (uint32_t)b->u.bits[0], p);
	else if (is_below_one(op, b))
		pin_id(ids, a, 0, p);
}

static void pin(const struct wgsl_ids *ids, const struct wgsl_inst *c, bool truth, int depth,
		struct wgsl_pins *p)
{
	if (depth > MAX_DEPTH)
		return;
	if (c->op == WGSL_OP_LOAD)
		c = chase(ids, c);
	if (c->op == WGSL_OP_NOT) {
		pin(ids, c->args[0], !truth, depth + 1, p);
	} else if (c->op == (truth ? WGSL_OP_AND : WGSL_OP_OR)) {
		pin(ids, c->args[0], truth, depth + 1, p);
		pin(ids, c->args[1], truth, depth + 1, p);
	} else if (c->op == WGSL_OP_EXTRACT) {
		if (c->args[0]->op == (truth ? WGSL_OP_EQ : WGSL_OP_NE))
			pin_lane(c->args[0], c->lanes[0], p);
	} else if (c->op >= WGSL_OP_EQ && c->op <= WGSL_OP_GE) {
		pin_compared(ids, c, truth, p);
	}
}

void wgsl_pin(const struct wgsl_ids *ids, const struct wgsl_inst *condition, bool truth,
	      struct wgsl_pins *p)
{
	if (condition->type->kind == WGSL_BOOL)
		pin(ids, condition, truth, 0, p);
}

static bool always_leaves(const struct wgsl_block *b)
{
	return b->last != NULL && b->last->op >= WGSL_OP_BREAK;
}

void wgsl_pin_behind(const struct wgsl_ids *ids, const struct wgsl_inst *i, struct wgsl_pins *p)
{
	if (i->op != WGSL_OP_IF)
		return;
	if (always_leaves(&i->blocks[0]))
		wgsl_pin(ids, i->args[0], false, p);
	if (always_leaves(&i->blocks[1]))
		wgsl_pin(ids, i->args[0], true, p);
}

void wgsl_pins_join(struct wgsl_pins *to, const struct wgsl_pins *from)
{
	for (int id = 0; id < WGSL_ID_COUNT_; id++)
		for (int k = 0; k < 3; k++)
			to->has[id][k] = to->has[id][k] && from->has[id][k] &&
					 to->value[id][k] == from->value[id][k];
}

bool wgsl_is_one_in_group(const struct wgsl_ids *ids, const struct wgsl_pins *p, uint32_t axis)
{
	return ids->size[axis] == 1 || p->has[WGSL_ID_LOCAL][axis] || p->has[WGSL_ID_GLOBAL][axis];
}

bool wgsl_is_one(const struct wgsl_ids *ids, const struct wgsl_pins *p, uint32_t axis)
{
	return p->has[WGSL_ID_GLOBAL][axis] ||
	       (p->has[WGSL_ID_GROUP][axis] && wgsl_is_one_in_group(ids, p, axis));
}
