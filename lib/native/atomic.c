/*
 * atomic.c - atomic operations; see gen_int.h.
 *
 * Where all lanes hit one place and nobody looks at the result, lanes are combined first and one
 * operation goes to memory; integer operations commute, so the outcome is the same.
 * Otherwise lane after lane. Work-group memory belongs to one thread: no locked instructions.
 */
#include "base/mem.h"
#include "native/gen_int.h"

enum { ROW = 16 }; /* operations in a row */

struct operation {
	enum wgsl_atomic op;
	bool is_signed;
	const struct place *place;
};

static LLVMAtomicRMWBinOp rmw_of(const struct operation *o)
{
	switch ((int)o->op) {
	case WGSL_ATOMIC_ADD:
		return LLVMAtomicRMWBinOpAdd;
	case WGSL_ATOMIC_SUB:
		return LLVMAtomicRMWBinOpSub;
	case WGSL_ATOMIC_MAX:
		return o->is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
	case WGSL_ATOMIC_MIN:
		return o->is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
	case WGSL_ATOMIC_AND:
		return LLVMAtomicRMWBinOpAnd;
	case WGSL_ATOMIC_OR:
		return LLVMAtomicRMWBinOpOr;
	case WGSL_ATOMIC_XOR:
		return LLVMAtomicRMWBinOpXor;
	default:
		return LLVMAtomicRMWBinOpXchg;
	}
}

static LLVMValueRef pick(struct gen *g, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, p, a, b, ""), a, b, "");
}

/* What the place holds afterwards. */
static LLVMValueRef combine(struct gen *g, const struct operation *o, LLVMValueRef old,
			    LLVMValueRef v)
{
	switch ((int)o->op) {
	case WGSL_ATOMIC_ADD:
		return LLVMBuildAdd(g->b, old, v, "");
	case WGSL_ATOMIC_SUB:
		return LLVMBuildSub(g->b, old, v, "");
	case WGSL_ATOMIC_MAX:
		return pick(g, o->is_signed ? LLVMIntSGT : LLVMIntUGT, old, v);
	case WGSL_ATOMIC_MIN:
		return pick(g, o->is_signed ? LLVMIntSLT : LLVMIntULT, old, v);
	case WGSL_ATOMIC_AND:
		return LLVMBuildAnd(g->b, old, v, "");
	case WGSL_ATOMIC_OR:
		return LLVMBuildOr(g->b, old, v, "");
	case WGSL_ATOMIC_XOR:
		return LLVMBuildXor(g->b, old, v, "");
	default:
		return v;
	}
}

static LLVMValueRef compare_exchange(struct gen *g, const struct operation *o, LLVMValueRef at,
				     LLVMValueRef expected, LLVMValueRef v)
{
	LLVMValueRef pair, old, same;

	if (!o->place->is_private) {
		pair = LLVMBuildAtomicCmpXchg(g->b, at, expected, v, LLVMAtomicOrderingMonotonic,
					      LLVMAtomicOrderingMonotonic, false);
		return LLVMBuildExtractValue(g->b, pair, 0, "");
	}
	old = gen_load(g, g->i32, at);
	same = LLVMBuildICmp(g->b, LLVMIntEQ, old, expected, "");
	gen_store(g, LLVMBuildSelect(g->b, same, v, old, ""), at);
	return old;
}

/* One operation on one place; returns the old value. */
static LLVMValueRef apply(struct gen *g, const struct operation *o, LLVMValueRef at, LLVMValueRef a,
			  LLVMValueRef b)
{
	LLVMValueRef v;

	if (o->op == WGSL_ATOMIC_COMPARE_EXCHANGE)
		return compare_exchange(g, o, at, a, b);
	if (o->op == WGSL_ATOMIC_LOAD || (o->op != WGSL_ATOMIC_STORE && o->place->is_private)) {
		v = gen_load(g, g->i32, at);
		if (!o->place->is_private)
			LLVMSetOrdering(v, LLVMAtomicOrderingMonotonic);
		if (o->op != WGSL_ATOMIC_LOAD)
			gen_store(g, combine(g, o, v, a), at);
		return v;
	}
	if (o->op == WGSL_ATOMIC_STORE) {
		v = LLVMBuildStore(g->b, a, at);
		LLVMSetAlignment(v, 4);
		if (!o->place->is_private)
			LLVMSetOrdering(v, LLVMAtomicOrderingMonotonic);
		return a;
	}
	return LLVMBuildAtomicRMW(g->b, rmw_of(o), at, a, LLVMAtomicOrderingMonotonic, false);
}

/* ---- lanes combined ----------------------------------------------------------------------- */

static LLVMValueRef count_active(struct gen *g)
{
	LLVMTypeRef t = LLVMIntTypeInContext(g->ctx, g->L);
	LLVMValueRef bits;

	if (g->mask.v == NULL)
		return gen_i32(g, g->L);
	bits = LLVMBuildBitCast(g->b, mask_vec(g, g->mask), t, "");
	bits = gen_call(g, "llvm.ctpop", t, &bits, 1);
	return LLVMBuildIntCast2(g->b, bits, g->i32, false, "");
}

static LLVMValueRef combine_equal(struct gen *g, enum wgsl_atomic op, LLVMValueRef v)
{
	LLVMValueRef odd;

	if (op == WGSL_ATOMIC_ADD || op == WGSL_ATOMIC_SUB)
		return LLVMBuildMul(g->b, v, count_active(g), "");
	if (op != WGSL_ATOMIC_XOR)
		return v;
	odd = LLVMBuildAnd(g->b, count_active(g), gen_i32(g, 1), "");
	return LLVMBuildMul(g->b, v, odd, "");
}

static uint32_t neutral(const struct operation *o)
{
	switch ((int)o->op) {
	case WGSL_ATOMIC_MAX:
		return o->is_signed ? 0x80000000U : 0;
	case WGSL_ATOMIC_MIN:
		return o->is_signed ? 0x7fffffffU : UINT32_MAX;
	case WGSL_ATOMIC_AND:
		return UINT32_MAX;
	default:
		return 0;
	}
}

static const char *reduction(const struct operation *o)
{
	switch ((int)o->op) {
	case WGSL_ATOMIC_MAX:
		return o->is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
	case WGSL_ATOMIC_MIN:
		return o->is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
	case WGSL_ATOMIC_AND:
		return "llvm.vector.reduce.and";
	case WGSL_ATOMIC_OR:
		return "llvm.vector.reduce.or";
	case WGSL_ATOMIC_XOR:
		return "llvm.vector.reduce.xor";
	default:
		return "llvm.vector.reduce.add";
	}
}

static LLVMValueRef combine_lanes(struct gen *g, const struct operation *o, struct comp c)
{
	LLVMTypeRef t = gen_vec_type(g, g->i32);
	LLVMValueRef v;

	if (c.shape == UNIFORM)
		return combine_equal(g, o->op, c.v);
	v = comp_vec(g, c);
	if (g->mask.v != NULL)
		v = LLVMBuildSelect(g->b, mask_vec(g, g->mask), v, gen_const(t, neutral(o)), "");
	return gen_call(g, reduction(o), t, &v, 1);
}

static LLVMValueRef last_lane(struct gen *g, struct comp c)
{
	if (c.shape == UNIFORM)
		return c.v;
	return LLVMBuildExtractElement(g->b, comp_vec(g, c), mask_last(g, g->mask), "");
}

/* ---- lane after lane ---------------------------------------------------------------------- */

static LLVMValueRef lane_operand(struct gen *g, const struct wgsl_inst *i, uint32_t n,
				 LLVMValueRef lane)
{
	struct comp c;

	if (n >= i->n_args)
		return gen_i32(g, 0);
	c = gen_use(g, i->args[n])->c[0];
	return c.shape == UNIFORM ? c.v : tmp_lane(g, g->i32, tmp_ptr(g, 1 + n), lane);
}

/* words: in temporary memory; NULL: one place for all. */
static void lane_apply(struct gen *g, const struct wgsl_inst *i, const struct operation *o,
		       LLVMValueRef words, LLVMValueRef lane)
{
	LLVMValueRef word = words ? tmp_lane(g, g->i32, words, lane) : o->place->near;
	LLVMValueRef v = apply(g, o, place_at(g, o->place, word, 0), lane_operand(g, i, 0, lane),
			       lane_operand(g, i, 1, lane));

	if (i->is_used)
		tmp_set(g, v, tmp_ptr(g, 3), lane);
}

/* All lanes, some at a time in a row: finding the next active one costs more than a sum in
 * memory that nobody else sees. */
static void each_lane(struct gen *g, const struct wgsl_inst *i, const struct operation *o,
		      LLVMValueRef words)
{
	LLVMBasicBlockRef head = gen_block(g, "row"), done = gen_block(g, "rows.end");
	uint32_t row = ROW;
	LLVMValueRef at = gen_borrow(g, g->i64), first, more;

	if (row > g->L)
		row = g->L;
	ASSERT(g->L % row == 0);
	gen_store(g, gen_i64(g, 0), at);
	gen_br(g, head);
	gen_at_end(g, head);
	first = gen_load(g, g->i64, at);
	for (uint32_t l = 0; l < row; l++)
		lane_apply(g, i, o, words, LLVMBuildAdd(g->b, first, gen_i64(g, l), ""));
	first = LLVMBuildAdd(g->b, first, gen_i64(g, row), "");
	gen_store(g, first, at);
	more = LLVMBuildICmp(g->b, LLVMIntULT, first, gen_i64(g, g->L), "");
	gen_if(g, more, head, done);
	gen_at_end(g, done);
	gen_give_back(g, at);
}

static void active_lanes(struct gen *g, const struct wgsl_inst *i, const struct operation *o,
			 LLVMValueRef words)
{
	struct lane_loop loop;

	lanes_begin(g, g->mask, &loop);
	lane_apply(g, i, o, words, loop.lane);
	lanes_end(g, &loop);
}

static void one_by_one(struct gen *g, const struct wgsl_inst *i, const struct operation *o,
		       struct val *ret)
{
	LLVMTypeRef t = gen_vec_type(g, g->i32);
	LLVMValueRef words = NULL, all = mask_all(g, g->mask);
	LLVMBasicBlockRef full, part, join;

	if (o->place->kind != PLACE_ONE)
		words = tmp_put(g, 0, place_words(g, o->place));
	for (uint32_t n = 0; n < i->n_args; n++)
		if (gen_arg(g, i, n)->c[0].shape != UNIFORM)
			tmp_put(g, 1 + n, comp_vec(g, gen_arg(g, i, n)->c[0]));
	if (ret->n > 0)
		tmp_put(g, 3, LLVMConstNull(t));
	if (!o->place->is_private) {
		active_lanes(g, i, o, words);
	} else if (LLVMIsConstant(all)) {
		each_lane(g, i, o, words);
	} else {
		full = gen_block(g, "full");
		part = gen_block(g, "part");
		join = gen_block(g, "applied");
		gen_if(g, all, full, part);
		gen_at_end(g, full);
		each_lane(g, i, o, words);
		gen_br(g, join);
		gen_at_end(g, part);
		active_lanes(g, i, o, words);
		gen_br(g, join);
		gen_at_end(g, join);
	}
	if (ret->n > 0)
		ret->c[0] = comp_varying(gen_load(g, t, tmp_ptr(g, 3)));
}

/* Additions to one place whose results are used: one operation for all, and what the lanes
 * before it have added for each. */
static void add_in_turn(struct gen *g, const struct wgsl_inst *i, const struct operation *o,
			struct val *ret)
{
	LLVMTypeRef t = gen_vec_type(g, g->i32);
	LLVMValueRef sum = gen_borrow(g, g->i32), v;
	struct lane_loop loop;

	gen_store(g, gen_i32(g, 0), sum);
	tmp_put(g, 1, comp_vec(g, gen_arg(g, i, 0)->c[0]));
	tmp_put(g, 3, LLVMConstNull(t));
	lanes_begin(g, g->mask, &loop);
	v = gen_load(g, g->i32, sum);
	tmp_set(g, v, tmp_ptr(g, 3), loop.lane);
	v = LLVMBuildAdd(g->b, v, tmp_lane(g, g->i32, tmp_ptr(g, 1), loop.lane), "");
	gen_store(g, v, sum);
	lanes_end(g, &loop);
	v = apply(g, o, place_at(g, o->place, o->place->near, 0), gen_load(g, g->i32, sum), NULL);
	v = LLVMBuildAdd(g->b, gen_load(g, t, tmp_ptr(g, 3)), gen_splat(g, v), "");
	ret->c[0] = comp_varying(v);
	gen_give_back(g, sum);
}

static enum wgsl_kind atomic_kind(const struct wgsl_type *t)
{
	return t->kind == WGSL_ATOMIC ? t->elem->kind : t->kind;
}

void atomic_build(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	struct place p;
	struct operation o = { .op = i->u.atomic, .place = &p };
	bool commutes = o.op >= WGSL_ATOMIC_ADD && o.op <= WGSL_ATOMIC_XOR;
	LLVMValueRef at, v = NULL;

	place_of(g, i->path, &p);
	o.is_signed = atomic_kind(i->path->type) == WGSL_I32;
	if (!i->is_used && o.op != WGSL_ATOMIC_LOAD)
		ret->n = 0;
	if (p.kind != PLACE_ONE ||
	    !(o.op == WGSL_ATOMIC_LOAD || o.op == WGSL_ATOMIC_STORE || (commutes && !i->is_used))) {
		if (p.kind == PLACE_ONE && o.op == WGSL_ATOMIC_ADD)
			add_in_turn(g, i, &o, ret);
		else
			one_by_one(g, i, &o, ret);
		return;
	}
	if (o.op == WGSL_ATOMIC_STORE)
		v = last_lane(g, gen_arg(g, i, 0)->c[0]);
	else if (o.op != WGSL_ATOMIC_LOAD)
		v = combine_lanes(g, &o, gen_arg(g, i, 0)->c[0]);
	at = place_at(g, &p, p.near, 0);
	v = apply(g, &o, at, v, NULL);
	if (ret->n > 0)
		ret->c[0] = comp_uniform(v);
}
