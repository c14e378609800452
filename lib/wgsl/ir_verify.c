/*
 * ir_verify.c - the rules of ir.h, checked.
 */
#include "wgsl/ir.h"

#include "base/arena.h"
#include "base/mem.h"
#include "wgsl/wgsl.h"

struct open {
	const struct open *outer;
	const struct wgsl_inst *inst;
};

struct verifier {
	const struct wgsl_module *m;
	struct err *err; /* borrowed; only the first fault is recorded */
	bool *visible;   /* owned; by id: defined here or in a block around */
	bool *seen;      /* owned; by id */
	const struct open *open;
	uint32_t depth;
	bool failed;
};

static void verifier_done(struct verifier *v)
{
	mem_free(v->visible);
	mem_free(v->seen);
}

static void fault(struct verifier *v, const struct wgsl_inst *i, const char *what)
{
	if (!v->failed)
		err_set(v->err, ERR_INVALID, "%%%u %s: %s", i->id, wgsl_op_name(i->op), what);
	v->failed = true;
}

static bool is_value_type(const struct wgsl_type *t)
{
	enum wgsl_kind k = wgsl_type_base(t);

	return (t->kind == WGSL_VEC || wgsl_type_is_scalar(t)) &&
	       (k == WGSL_BOOL || k == WGSL_I32 || k == WGSL_U32 || k == WGSL_F32 ||
		k == WGSL_I64 || k == WGSL_U64 || k == WGSL_F64);
}

/* ---- operands ---------------------------------------------------------------------------- */

static int subgroup_arity(enum wgsl_subgroup op)
{
	bool has_lane = op == WGSL_SUBGROUP_BROADCAST || op == WGSL_SUBGROUP_QUAD_BROADCAST ||
			(op >= WGSL_SUBGROUP_SHUFFLE && op <= WGSL_SUBGROUP_SHUFFLE_XOR);

	if (op == WGSL_SUBGROUP_ELECT)
		return 0;
	return has_lane ? 2 : 1;
}

/* How many operands; -1: checked elsewhere. */
static int arity(const struct wgsl_inst *i)
{
	switch ((int)i->op) {
	case WGSL_OP_CONST:
	case WGSL_OP_BUILTIN:
	case WGSL_OP_LOAD:
	case WGSL_OP_ZERO:
	case WGSL_OP_ARRAY_LENGTH:
	case WGSL_OP_BARRIER:
	case WGSL_OP_SCOPE:
	case WGSL_OP_BREAK:
	case WGSL_OP_CONTINUE:
	case WGSL_OP_RETURN:
		return 0;
	case WGSL_OP_SELECT:
		return 3;
	case WGSL_OP_EXTRACT_DYN:
		return 2;
	case WGSL_OP_COMPOSE:
		return (int)i->type->count;
	case WGSL_OP_MATH:
		return i->u.math >= WGSL_MATH_POW ? 2 : 1;
	case WGSL_OP_SUBGROUP:
		return subgroup_arity(i->u.subgroup);
	case WGSL_OP_LOOP:
		return i->n_args == 0 ? 0 : 1;
	case WGSL_OP_ATOMIC:
		return i->u.atomic == WGSL_ATOMIC_LOAD               ? 0
		       : i->u.atomic == WGSL_ATOMIC_COMPARE_EXCHANGE ? 2
								     : 1;
	default:
		return (i->op >= WGSL_OP_ADD && i->op <= WGSL_OP_MAX) ? 2 : 1;
	}
}

static bool is_shift(const struct wgsl_inst *i)
{
	return i->op == WGSL_OP_SHL || i->op == WGSL_OP_SHR;
}

static void check_binary(struct verifier *v, const struct wgsl_inst *i)
{
	const struct wgsl_type *a = i->args[0]->type;
	const struct wgsl_type *b = i->args[1]->type;
	bool is_compare = i->op >= WGSL_OP_EQ && i->op <= WGSL_OP_GE;

	if (is_shift(i) && (wgsl_type_base(b) != WGSL_U32 || i->type != a ||
			    wgsl_type_width(a) != wgsl_type_width(b)))
		fault(v, i, "wrong types of a shift");
	if (!is_shift(i) && a != b)
		fault(v, i, "operands of different types");
	if (is_compare && (wgsl_type_base(i->type) != WGSL_BOOL ||
			   wgsl_type_width(i->type) != wgsl_type_width(a)))
		fault(v, i, "a comparison gives bool");
	if (!is_compare && i->type != a)
		fault(v, i, "result and operands differ");
}

static bool is_unary(const struct wgsl_inst *i)
{
	return (i->op >= WGSL_OP_ABS && i->op <= WGSL_OP_CANON) || i->op == WGSL_OP_NEG ||
	       i->op == WGSL_OP_NOT;
}

/* A value of type t can be loaded from and stored to the place. */
static bool is_held(const struct wgsl_type *place, const struct wgsl_type *t)
{
	if (wgsl_type_base(place) != WGSL_F16)
		return place == t;
	return (place->kind == WGSL_VEC) == (t->kind == WGSL_VEC) &&
	       wgsl_type_width(place) == wgsl_type_width(t) && wgsl_type_base(t) == WGSL_U32;
}

static void check_memory(struct verifier *v, const struct wgsl_inst *i)
{
	enum wgsl_space space;

	if (i->path == NULL)
		return;
	space = i->path->var->space;
	if (i->op == WGSL_OP_STORE && !is_held(i->path->type, i->args[0]->type))
		fault(v, i, "stored value and place differ");
	if (i->op == WGSL_OP_LOAD && !is_held(i->path->type, i->type))
		fault(v, i, "loaded value and place differ");
	if (wgsl_type_base(i->path->type) == WGSL_F16 && space != WGSL_SPACE_STORAGE &&
	    space != WGSL_SPACE_UNIFORM)
		fault(v, i, "f16 outside of uniform and storage variables");
}

static bool is_wide(enum wgsl_kind k)
{
	return k == WGSL_I64 || k == WGSL_U64 || k == WGSL_F64;
}

static void check_subgroup(struct verifier *v, const struct wgsl_inst *i)
{
	const struct wgsl_type *a = i->n_args > 0 ? i->args[0]->type : NULL;
	bool is_vote = i->u.subgroup <= WGSL_SUBGROUP_BALLOT;

	if (is_vote && a != NULL && a->kind != WGSL_BOOL)
		fault(v, i, "the operand is no bool");
	if (i->u.subgroup <= WGSL_SUBGROUP_ANY && i->type->kind != WGSL_BOOL)
		fault(v, i, "the result is no bool");
	if (!is_vote && i->type != a)
		fault(v, i, "result and operand differ");
	if (i->n_args > 1 && i->args[1]->type->kind != WGSL_U32)
		fault(v, i, "the second operand is no u32");
}

static void check_conversion(struct verifier *v, const struct wgsl_inst *i)
{
	const struct wgsl_type *a = i->args[0]->type;

	if (wgsl_type_width(i->type) != wgsl_type_width(a))
		fault(v, i, "conversion changes the width");
	else if (i->op == WGSL_OP_BITCAST &&
		 is_wide(wgsl_type_base(i->type)) != is_wide(wgsl_type_base(a)))
		fault(v, i, "a bitcast changes the size");
}

static void check_types(struct verifier *v, const struct wgsl_inst *i)
{
	const struct wgsl_type *a = i->n_args > 0 ? i->args[0]->type : NULL;

	check_memory(v, i);
	if (a == NULL)
		return;
	if (i->op >= WGSL_OP_ADD && i->op <= WGSL_OP_MAX)
		check_binary(v, i);
	if (is_unary(i) && i->type != a)
		fault(v, i, "result and operand differ");
	if (i->op == WGSL_OP_SUBGROUP)
		check_subgroup(v, i);
	if (i->op == WGSL_OP_MATH && wgsl_type_base(a) != WGSL_F32)
		fault(v, i, "the operand is no f32");
	if (i->op == WGSL_OP_BITCAST || i->op == WGSL_OP_CONVERT)
		check_conversion(v, i);
	if (i->op == WGSL_OP_SELECT && (i->type != a || i->args[1]->type != a ||
					wgsl_type_base(i->args[2]->type) != WGSL_BOOL))
		fault(v, i, "wrong types of a select");
	if (i->op == WGSL_OP_EXTRACT &&
	    (a->kind != WGSL_VEC || i->type != a->elem || i->lanes[0] >= a->count))
		fault(v, i, "no such component");
	if (i->op == WGSL_OP_IF && a->kind != WGSL_BOOL)
		fault(v, i, "the condition is no bool");
}

static void check_args(struct verifier *v, const struct wgsl_inst *i)
{
	int n = arity(i);

	if ((int)i->n_args != n) {
		fault(v, i, "wrong number of operands");
		return;
	}
	/* A loop's condition is defined inside of it. */
	for (uint32_t k = 0; k < i->n_args && i->op != WGSL_OP_LOOP; k++) {
		if (i->args[k] == NULL || i->args[k]->id >= v->m->fn.n_insts ||
		    !v->visible[i->args[k]->id]) {
			fault(v, i, "an operand is not defined before its use");
			return;
		}
	}
	if (i->type->kind != WGSL_VOID && !is_value_type(i->type))
		fault(v, i, "not a type of values");
	if (!v->failed && i->op != WGSL_OP_LOOP)
		check_types(v, i);
}

/* ---- places ------------------------------------------------------------------------------ */

static bool check_step(struct verifier *v, const struct wgsl_inst *i, const struct wgsl_type *t,
		       const struct wgsl_step *s)
{
	bool is_fixed = t->kind != WGSL_ARRAY || t->count > 0;

	if (s->kind == WGSL_STEP_MEMBER)
		return t->kind == WGSL_STRUCT && s->index < t->n_members &&
		       s->type == t->members[s->index].type;
	if (t->kind != WGSL_VEC && t->kind != WGSL_ARRAY && t->kind != WGSL_MAT)
		return false;
	if (s->kind == WGSL_STEP_CONST && is_fixed && s->index >= t->count)
		return false;
	if (s->kind == WGSL_STEP_DYNAMIC &&
	    ((s->value->type->kind != WGSL_U32 && s->value->type->kind != WGSL_I32) ||
	     !v->visible[s->value->id])) {
		fault(v, i, "an index is not defined before its use, or no i32 or u32");
		return true;
	}
	return s->type == t->elem;
}

static void check_path(struct verifier *v, const struct wgsl_inst *i)
{
	bool wants = i->op >= WGSL_OP_LOAD && i->op <= WGSL_OP_ATOMIC;
	const struct wgsl_type *t;

	if (wants != (i->path != NULL)) {
		fault(v, i, wants ? "no place" : "a place where none belongs");
		return;
	}
	if (i->path == NULL)
		return;
	if (i->path->var->id >= v->m->n_vars || v->m->vars[i->path->var->id] != i->path->var) {
		fault(v, i, "unknown variable");
		return;
	}
	t = i->path->var->type;
	for (uint32_t k = 0; k < i->path->n_steps; k++) {
		if (!check_step(v, i, t, &i->path->steps[k])) {
			fault(v, i, "a step does not fit its type");
			return;
		}
		t = i->path->steps[k].type;
	}
	if (t != i->path->type)
		fault(v, i, "the place's type is wrong");
	if (i->op == WGSL_OP_ATOMIC && t->kind != WGSL_ATOMIC)
		fault(v, i, "not an atomic");
}

/* ---- control ----------------------------------------------------------------------------- */

static void check_block(struct verifier *v, const struct wgsl_block *b);

static void hide(struct verifier *v, const struct wgsl_block *b)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		v->visible[i->id] = false;
}

static void check_loop(struct verifier *v, const struct wgsl_inst *i)
{
	check_block(v, &i->blocks[0]);
	check_block(v, &i->blocks[1]);
	if (i->n_args > 0 && (!v->visible[i->args[0]->id] || i->args[0]->type->kind != WGSL_BOOL))
		fault(v, i, "its condition is not defined inside");
	hide(v, &i->blocks[0]);
	hide(v, &i->blocks[1]);
}

static void check_switch(struct verifier *v, const struct wgsl_inst *i)
{
	uint32_t n_defaults = 0;

	for (uint32_t k = 0; k < i->n_cases && !v->failed; k++) {
		n_defaults += i->cases[k].is_default;
		check_block(v, &i->cases[k].block);
		hide(v, &i->cases[k].block);
	}
	if (n_defaults != 1)
		fault(v, i, "not exactly one default");
}

static void check_control(struct verifier *v, const struct wgsl_inst *i)
{
	struct open here = { .outer = v->open, .inst = i };

	v->open = &here;
	if (i->op == WGSL_OP_LOOP) {
		check_loop(v, i);
	} else if (i->op == WGSL_OP_SWITCH) {
		check_switch(v, i);
	} else {
		check_block(v, &i->blocks[0]);
		hide(v, &i->blocks[0]);
		check_block(v, &i->blocks[1]);
		hide(v, &i->blocks[1]);
	}
	v->open = here.outer;
}

/* BREAK: the innermost loop or switch, or any scope. CONTINUE: the innermost loop. */
static void check_exit(struct verifier *v, const struct wgsl_inst *i)
{
	const struct open *o = v->open;
	bool skip_switch = i->op == WGSL_OP_CONTINUE;

	if (i->next != NULL)
		fault(v, i, "does not end its block");
	if (i->op == WGSL_OP_RETURN)
		return;
	if (i->target != NULL && i->target->op == WGSL_OP_SCOPE && i->op == WGSL_OP_BREAK) {
		while (o != NULL && o->inst != i->target)
			o = o->outer;
	} else {
		while (o != NULL && o->inst->op != WGSL_OP_LOOP &&
		       !(o->inst->op == WGSL_OP_SWITCH && !skip_switch))
			o = o->outer;
	}
	if (o == NULL || o->inst != i->target)
		fault(v, i, "wrong target");
}

static void check_inst(struct verifier *v, const struct wgsl_inst *i)
{
	if (i->id >= v->m->fn.n_insts || v->seen[i->id]) {
		fault(v, i, "its number is not its own");
		return;
	}
	v->seen[i->id] = true;
	check_args(v, i);
	if (!v->failed)
		check_path(v, i);
	if (v->failed)
		return;
	if (i->op >= WGSL_OP_BREAK)
		check_exit(v, i);
	else if (i->op >= WGSL_OP_IF)
		check_control(v, i);
	v->visible[i->id] = i->type->kind != WGSL_VOID;
}

static void check_block(struct verifier *v, const struct wgsl_block *b)
{
	if (++v->depth > WGSL_IR_DEPTH && !v->failed) {
		v->failed = true;
		err_set(v->err, ERR_INVALID, "blocks nest too deeply");
	}
	for (const struct wgsl_inst *i = b->first; i != NULL && !v->failed; i = i->next) {
		if (i->next == NULL && i != b->last)
			fault(v, i, "not the last of its block");
		check_inst(v, i);
	}
	v->depth--;
}

int wgsl_ir_verify(const struct wgsl_module *m, struct err *err)
{
	AUTO(verifier_done) struct verifier v = { .m = m, .err = err };

	v.visible = NEW_ARRAY(bool, m->fn.n_insts + 1);
	v.seen = NEW_ARRAY(bool, m->fn.n_insts + 1);
	check_block(&v, &m->fn.values);
	if (!v.failed)
		check_block(&v, &m->fn.body);
	return v.failed ? err->code : 0;
}
