/*
 * ir_build.c - making instructions and constants.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "wgsl/const_int.h"
#include "wgsl/lower_int.h"

void wgsl_lower_fail(struct wgsl_lower *l, const char *fmt, ...)
{
	char text[300];
	va_list args;

	if (l->failed)
		return;
	l->failed = true;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	wgsl_error(l->c, l->at, "%s", text);
}

void wgsl_lower_at(struct wgsl_lower *l, struct wgsl_span at)
{
	l->at = at;
	l->line = wgsl_line_of(l->c, at.offset, &l->column);
}

static void append(struct wgsl_block *b, struct wgsl_inst *i)
{
	if (b->last != NULL)
		b->last->next = i;
	else
		b->first = i;
	b->last = i;
}

static struct wgsl_inst *new_inst(struct wgsl_lower *l, enum wgsl_op op,
				  const struct wgsl_type *type)
{
	struct wgsl_inst *i = arena_new(l->c->arena, struct wgsl_inst);

	i->op = op;
	i->type = wgsl_value_type(l->c, type);
	i->line = l->line;
	i->column = l->column;
	if (++l->n_insts > LOWER_MAX_INSTS)
		wgsl_lower_fail(l, "the kernel is too large with all calls expanded");
	return i;
}

struct wgsl_inst *wgsl_emit(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type)
{
	struct wgsl_inst *i = new_inst(l, op, type);

	append(l->block, i);
	return i;
}

struct wgsl_inst *wgsl_emit1(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type,
			     struct wgsl_inst *a)
{
	struct wgsl_inst *i = wgsl_emit(l, op, type);

	i->args[0] = a;
	i->n_args = 1;
	return i;
}

struct wgsl_inst *wgsl_emit2(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type,
			     struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *i = wgsl_emit1(l, op, type, a);

	i->args[1] = b;
	i->n_args = 2;
	return i;
}

struct wgsl_inst *wgsl_emit3(struct wgsl_lower *l, enum wgsl_op op, const struct wgsl_type *type,
			     struct wgsl_inst *const args[3])
{
	struct wgsl_inst *i = wgsl_emit2(l, op, type, args[0], args[1]);

	i->args[2] = args[2];
	i->n_args = 3;
	return i;
}

struct wgsl_inst *wgsl_binary(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			      struct wgsl_inst *b)
{
	const struct wgsl_type *type = a->type;

	if (op == WGSL_OP_DIV && wgsl_type_is_float(type) && l->c->src->strict)
		return wgsl_strict_div(l, a, b);
	if (op >= WGSL_OP_EQ && op <= WGSL_OP_GE)
		type = wgsl_with_base(l->c, type, l->c->basic[WGSL_BOOL]);
	return wgsl_emit2(l, op, type, a, b);
}

struct wgsl_inst *wgsl_select(struct wgsl_lower *l, struct wgsl_inst *if_false,
			      struct wgsl_inst *if_true, struct wgsl_inst *cond)
{
	struct wgsl_inst *const args[3] = { if_false, if_true, cond };

	return wgsl_emit3(l, WGSL_OP_SELECT, if_false->type, args);
}

struct wgsl_inst *wgsl_extract(struct wgsl_lower *l, struct wgsl_inst *v, uint32_t i)
{
	struct wgsl_inst *e;

	if (v->type->kind != WGSL_VEC)
		return v;
	if (v->op == WGSL_OP_COMPOSE)
		return v->args[i];
	if (v->op == WGSL_OP_SPLAT)
		return v->args[0];
	if (v->op == WGSL_OP_CONST)
		return wgsl_const_bits(l, v->type->elem, v->u.bits[i]);
	e = wgsl_emit1(l, WGSL_OP_EXTRACT, v->type->elem, v);
	e->lanes[0] = (uint8_t)i;
	return e;
}

struct wgsl_inst *wgsl_spread(struct wgsl_lower *l, struct wgsl_inst *v,
			      const struct wgsl_type *type)
{
	const struct wgsl_type *want;

	if (type->kind != WGSL_VEC || v->type->kind == WGSL_VEC)
		return v;
	want = wgsl_vec(l->c, v->type, type->count);
	if (v->op == WGSL_OP_CONST)
		return wgsl_const_bits(l, want, v->u.bits[0]);
	return wgsl_emit1(l, WGSL_OP_SPLAT, want, v);
}

/* ---- free values ------------------------------------------------------------------------- */

static struct wgsl_inst *intern_const(struct wgsl_lower *l, const struct wgsl_type *type,
				      const uint64_t bits[4])
{
	uint64_t h = (bits[0] + bits[1] * 3 + bits[2] * 5 + bits[3] * 7 + type->id * 11) *
		     0x9e3779b97f4a7c15u;
	struct wgsl_const_link **slot = &l->consts[h >> 54];
	struct wgsl_const_link *k;

	for (k = *slot; k != NULL; k = k->next)
		if (k->inst->type == type &&
		    memcmp(k->inst->u.bits, bits, sizeof(k->inst->u.bits)) == 0)
			return k->inst;
	k = arena_new(l->c->arena, struct wgsl_const_link);
	k->inst = new_inst(l, WGSL_OP_CONST, type);
	k->inst->line = 0;
	k->inst->column = 0;
	memcpy(k->inst->u.bits, bits, sizeof(k->inst->u.bits));
	k->next = *slot;
	*slot = k;
	append(&l->m->fn.values, k->inst);
	return k->inst;
}

struct wgsl_inst *wgsl_const_bits(struct wgsl_lower *l, const struct wgsl_type *type, uint64_t bits)
{
	uint64_t all[4] = { 0 };

	for (uint32_t i = 0; i < wgsl_type_width(type); i++)
		all[i] = wgsl_is_wide(type) ? bits : (uint32_t)bits;
	return intern_const(l, type, all);
}

struct wgsl_inst *wgsl_const_float(struct wgsl_lower *l, const struct wgsl_type *type, double f)
{
	float narrow = (float)f;
	uint64_t wide_bits;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	memcpy(&wide_bits, &f, sizeof(wide_bits));
	return wgsl_const_bits(l, type, wgsl_is_wide(type) ? wide_bits : bits);
}

struct wgsl_inst *wgsl_const_value(struct wgsl_lower *l, const struct wgsl_value *v)
{
	uint64_t bits[4] = { 0 };

	wgsl_value_bits(v, bits);
	return intern_const(l, wgsl_value_type(l->c, v->type), bits);
}

struct wgsl_inst *wgsl_builtin_value(struct wgsl_lower *l, enum wgsl_builtin b)
{
	const struct wgsl_type *t = l->c->basic[WGSL_U32];

	if (l->builtins[b] != NULL)
		return l->builtins[b];
	if (b != WGSL_BUILTIN_LOCAL_INDEX && b < WGSL_BUILTIN_SUBGROUP_INVOCATION_ID)
		t = wgsl_vec(l->c, t, 3);
	l->builtins[b] = new_inst(l, WGSL_OP_BUILTIN, t);
	l->builtins[b]->u.builtin = b;
	append(&l->m->fn.values, l->builtins[b]);
	return l->builtins[b];
}

/* ---- blocks ------------------------------------------------------------------------------ */

struct wgsl_block *wgsl_open(struct wgsl_lower *l, struct wgsl_block *block)
{
	struct wgsl_block *old = l->block;

	l->block = block;
	if (++l->nesting > WGSL_IR_DEPTH - 8)
		wgsl_lower_fail(l, "control flow nests too deeply with all calls expanded");
	return old;
}

void wgsl_close(struct wgsl_lower *l, struct wgsl_block *old)
{
	l->block = old;
	l->nesting--;
}

bool wgsl_is_ended(const struct wgsl_lower *l)
{
	const struct wgsl_inst *i = l->block->last;

	return l->failed || (i != NULL && (i->op == WGSL_OP_BREAK || i->op == WGSL_OP_CONTINUE ||
					   i->op == WGSL_OP_RETURN));
}
