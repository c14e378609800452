/*
 * subgroup.c - exchange between the lanes of a subgroup; see gen_int.h.
 *
 * A subgroup is plan->subgroup neighbouring lanes of a block: position `id` counts up with the
 * lane, or down where lanes run backwards. What is inactive takes part with a value that changes
 * nothing (folds) or with zero (exchange), so that no result depends on dead lanes.
 *
 * Folds go in steps of doubling distance. The order is the same for every lane count and on every
 * machine, so floats have the same bits wherever this code runs.
 */
#include "native/gen_int.h"

#include <math.h>

#include "base/mem.h"

/* IDS: more than any subgroup has, and a multiple of all. */
enum { QUAD = 4, IDS = 128, NOBODY = IDS };

/* ---- positions --------------------------------------------------------------------------- */

static uint32_t id_of(const struct gen *g, uint32_t lane)
{
	uint32_t id = lane % g->plan->subgroup;

	return g->o->reverse_lanes ? g->plan->subgroup - 1 - id : id;
}

/* The lane of position `id` in the subgroup of `lane`. */
static uint32_t lane_at(const struct gen *g, uint32_t lane, uint32_t id)
{
	uint32_t first = lane - lane % g->plan->subgroup;

	id %= g->plan->subgroup;
	return first + (g->o->reverse_lanes ? g->plan->subgroup - 1 - id : id);
}

/* A number per lane that its position decides. */
static LLVMValueRef per_lane(struct gen *g, uint32_t (*of)(uint32_t id, uint32_t k), uint32_t k)
{
	LLVMValueRef all[NATIVE_MAX_LANES];

	for (uint32_t l = 0; l < g->L; l++)
		all[l] = gen_i32(g, of(id_of(g, l), k));
	return LLVMConstVector(all, g->L);
}

static uint32_t itself(uint32_t id, uint32_t k)
{
	(void)k;
	return id;
}

/* Of word k of a ballot. */
static uint32_t bit(uint32_t id, uint32_t k)
{
	return id / 32 == k ? 1U << id % 32 : 0;
}

static void set(struct gen *g, enum wgsl_builtin b, struct comp v)
{
	g->builtins[b].n = 1;
	g->builtins[b].c[0] = v;
}

void subgroup_builtins(struct gen *g)
{
	const uint32_t *size = g->m->workgroup_size;
	uint32_t n = g->plan->subgroup, all = size[0] * size[1] * size[2];
	LLVMValueRef which[NATIVE_MAX_LANES];
	LLVMValueRef first = LLVMBuildMul(g->b, g->block, gen_i32(g, g->L / n), "");

	for (uint32_t l = 0; l < g->L; l++)
		which[l] = gen_i32(g, (g->o->reverse_lanes ? g->L - 1 - l : l) / n);
	first = LLVMBuildAdd(g->b, gen_splat(g, first), LLVMConstVector(which, g->L), "");
	set(g, WGSL_BUILTIN_SUBGROUP_INVOCATION_ID, comp_varying(per_lane(g, itself, 0)));
	set(g, WGSL_BUILTIN_SUBGROUP_SIZE, comp_uniform(gen_i32(g, n)));
	set(g, WGSL_BUILTIN_SUBGROUP_ID, comp_varying(first));
	set(g, WGSL_BUILTIN_NUM_SUBGROUPS, comp_uniform(gen_i32(g, (all + n - 1) / n)));
}

/* ---- moving values between lanes ----------------------------------------------------------- */

/* Position id of the result is position of(id, k) of v, or of `other` where that is none. */
static LLVMValueRef permute(struct gen *g, LLVMValueRef v, LLVMValueRef other,
			    uint32_t (*of)(uint32_t id, uint32_t k), uint32_t k)
{
	LLVMValueRef from[NATIVE_MAX_LANES];

	for (uint32_t l = 0; l < g->L; l++) {
		uint32_t id = of(id_of(g, l), k);

		from[l] = gen_i32(g, id == NOBODY ? g->L + l : lane_at(g, l, id));
	}
	return LLVMBuildShuffleVector(g->b, v, other, LLVMConstVector(from, g->L), "");
}

static uint32_t same(uint32_t id, uint32_t k)
{
	(void)id;
	return k;
}

static uint32_t below(uint32_t id, uint32_t k)
{
	return (id + IDS - k) % IDS;
}

static uint32_t above(uint32_t id, uint32_t k)
{
	return (id + k) % IDS;
}

static uint32_t exclusive_or(uint32_t id, uint32_t k)
{
	return id ^ k;
}

static uint32_t below_or_none(uint32_t id, uint32_t k)
{
	return id < k ? (uint32_t)NOBODY : id - k;
}

static uint32_t in_quad(uint32_t id, uint32_t k)
{
	return id - id % QUAD + k;
}

/* What is inactive becomes `rest`, a scalar. */
static LLVMValueRef active_or(struct gen *g, LLVMValueRef v, LLVMValueRef rest)
{
	if (g->mask.v == NULL)
		return v;
	return LLVMBuildSelect(g->b, mask_vec(g, g->mask), v, gen_splat(g, rest), "");
}

/* Of each lane: the value at position ids, modulo the size. */
static LLVMValueRef pick(struct gen *g, LLVMValueRef v, LLVMValueRef ids)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	uint32_t n = g->plan->subgroup;
	LLVMValueRef first[NATIVE_MAX_LANES], args[4], at;

	ids = LLVMBuildAnd(g->b, ids, gen_const(LLVMTypeOf(ids), n - 1), "");
	if (g->o->reverse_lanes)
		ids = LLVMBuildSub(g->b, gen_const(LLVMTypeOf(ids), n - 1), ids, "");
	for (uint32_t l = 0; l < g->L; l++)
		first[l] = gen_i32(g, l - l % n);
	ids = LLVMBuildAdd(g->b, ids, LLVMConstVector(first, g->L), "");
	at = tmp_put(g, 0, v);
	args[0] = LLVMBuildGEP2(g->b, g->i32, at, &ids, 1, "");
	args[1] = gen_i32(g, 4);
	args[2] = LLVMConstAllOnes(gen_vec_type(g, g->i1));
	args[3] = LLVMConstNull(type);
	return gen_call(g, "llvm.masked.gather", type, args, 4);
}

/* ---- folds --------------------------------------------------------------------------------- */

static enum wgsl_op fold_op(enum wgsl_subgroup op)
{
	switch ((int)op) {
	case WGSL_SUBGROUP_ADD:
	case WGSL_SUBGROUP_EXCLUSIVE_ADD:
	case WGSL_SUBGROUP_INCLUSIVE_ADD:
		return WGSL_OP_ADD;
	case WGSL_SUBGROUP_MUL:
	case WGSL_SUBGROUP_EXCLUSIVE_MUL:
	case WGSL_SUBGROUP_INCLUSIVE_MUL:
		return WGSL_OP_MUL;
	case WGSL_SUBGROUP_MIN:
		return WGSL_OP_MIN;
	case WGSL_SUBGROUP_MAX:
		return WGSL_OP_MAX;
	case WGSL_SUBGROUP_AND:
		return WGSL_OP_AND;
	case WGSL_SUBGROUP_OR:
		return WGSL_OP_OR;
	default:
		return WGSL_OP_XOR;
	}
}

/* What changes nothing, as a scalar. */
static LLVMValueRef neutral(struct gen *g, enum wgsl_op op, enum wgsl_kind kind)
{
	LLVMTypeRef type = gen_type(g, kind, false);
	bool is_min = op == WGSL_OP_MIN;

	if (kind == WGSL_F32 && (is_min || op == WGSL_OP_MAX))
		return gen_constf(type, is_min ? (double)INFINITY : -(double)INFINITY);
	if (kind == WGSL_F32)
		return gen_constf(type, op == WGSL_OP_MUL ? 1.0 : 0.0);
	if (op == WGSL_OP_MIN || op == WGSL_OP_MAX) {
		uint32_t low = kind == WGSL_I32 ? 0x80000000U : 0;

		return gen_i32(g, is_min ? low - 1 : low);
	}
	if (op == WGSL_OP_AND)
		return gen_i32(g, UINT32_MAX);
	return gen_i32(g, op == WGSL_OP_MUL ? 1 : 0);
}

static LLVMValueRef float_combine(struct gen *g, enum wgsl_op op, LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef less;

	if (op == WGSL_OP_ADD)
		return LLVMBuildFAdd(g->b, a, b, "");
	if (op == WGSL_OP_MUL)
		return LLVMBuildFMul(g->b, a, b, "");
	less = LLVMBuildFCmp(g->b, op == WGSL_OP_MIN ? LLVMRealOLT : LLVMRealOGT, b, a, "");
	return LLVMBuildSelect(g->b, less, b, a, "");
}

static LLVMValueRef combine(struct gen *g, enum wgsl_op op, enum wgsl_kind kind, LLVMValueRef a,
			    LLVMValueRef b)
{
	LLVMIntPredicate less = kind == WGSL_I32 ? LLVMIntSLT : LLVMIntULT;

	if (kind == WGSL_F32)
		return float_combine(g, op, a, b);
	switch ((int)op) {
	case WGSL_OP_ADD:
		return LLVMBuildAdd(g->b, a, b, "");
	case WGSL_OP_MUL:
		return LLVMBuildMul(g->b, a, b, "");
	case WGSL_OP_AND:
		return LLVMBuildAnd(g->b, a, b, "");
	case WGSL_OP_OR:
		return LLVMBuildOr(g->b, a, b, "");
	case WGSL_OP_XOR:
		return LLVMBuildXor(g->b, a, b, "");
	case WGSL_OP_MIN:
		return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, less, b, a, ""), b, a, "");
	default:
		return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, less, a, b, ""), b, a, "");
	}
}

static LLVMValueRef reduce(struct gen *g, enum wgsl_op op, enum wgsl_kind kind, LLVMValueRef v)
{
	v = active_or(g, v, neutral(g, op, kind));
	for (uint32_t k = 1; k < g->plan->subgroup; k *= 2)
		v = combine(g, op, kind, v, permute(g, v, v, exclusive_or, k));
	/* Minimum and maximum of NaN and zeros depend on which comes first. */
	return kind == WGSL_F32 ? permute(g, v, v, same, 0) : v;
}

static LLVMValueRef scan(struct gen *g, enum wgsl_op op, enum wgsl_kind kind, LLVMValueRef v,
			 bool is_exclusive)
{
	LLVMValueRef none = neutral(g, op, kind);

	v = active_or(g, v, none);
	none = gen_splat(g, none);
	if (is_exclusive)
		v = permute(g, v, none, below_or_none, 1);
	for (uint32_t k = 1; k < g->plan->subgroup; k *= 2)
		v = combine(g, op, kind, permute(g, v, none, below_or_none, k), v);
	return v;
}

/* ---- votes --------------------------------------------------------------------------------- */

/* One word of bits for each subgroup of 32 lanes that run forwards. */
static LLVMValueRef ballot_words(struct gen *g, LLVMValueRef cond)
{
	LLVMTypeRef words = LLVMVectorType(g->i32, g->L / 32);
	LLVMValueRef from[NATIVE_MAX_LANES];

	if (g->mask.v != NULL)
		cond = LLVMBuildAnd(g->b, cond, mask_vec(g, g->mask), "");
	for (uint32_t l = 0; l < g->L; l++)
		from[l] = gen_i32(g, l / 32);
	return LLVMBuildShuffleVector(g->b, LLVMBuildBitCast(g->b, cond, words, ""),
				      LLVMGetPoison(words), LLVMConstVector(from, g->L), "");
}

/* Word k of the bits of the active lanes that fulfil cond, at each lane those of its subgroup. */
static LLVMValueRef ballot(struct gen *g, LLVMValueRef cond, uint32_t k)
{
	LLVMValueRef none = LLVMConstNull(gen_vec_type(g, g->i32));

	if (g->plan->subgroup == 32 && !g->o->reverse_lanes)
		return ballot_words(g, cond);
	return reduce(g, WGSL_OP_OR, WGSL_U32,
		      LLVMBuildSelect(g->b, cond, per_lane(g, bit, k), none, ""));
}

/* Does an active lane of the subgroup fulfil cond? */
static LLVMValueRef is_any(struct gen *g, LLVMValueRef cond)
{
	LLVMValueRef none = LLVMConstNull(gen_vec_type(g, g->i32)), found;

	if (g->plan->subgroup <= 32)
		found = ballot(g, cond, 0);
	else
		found = reduce(g, WGSL_OP_OR, WGSL_U32,
			       LLVMBuildZExt(g->b, cond, LLVMTypeOf(none), ""));
	return LLVMBuildICmp(g->b, LLVMIntNE, found, none, "");
}

static LLVMValueRef everyone(struct gen *g)
{
	return LLVMConstAllOnes(gen_vec_type(g, g->i1));
}

/* The position of the first active lane. */
static LLVMValueRef first_id(struct gen *g)
{
	LLVMValueRef args[2] = { NULL, LLVMConstInt(g->i1, 0, false) };

	if (g->plan->subgroup > 32)
		return reduce(g, WGSL_OP_MIN, WGSL_U32, per_lane(g, itself, 0));
	args[0] = ballot(g, everyone(g), 0);
	return gen_call(g, "llvm.cttz", LLVMTypeOf(args[0]), args, 2);
}

static struct comp vote(struct gen *g, const struct wgsl_inst *i)
{
	LLVMValueRef cond = i->n_args > 0 ? comp_vec(g, gen_arg(g, i, 0)->c[0]) : NULL;

	if (i->u.subgroup == WGSL_SUBGROUP_ELECT)
		return comp_varying(
		    LLVMBuildICmp(g->b, LLVMIntEQ, first_id(g), per_lane(g, itself, 0), ""));
	if (i->u.subgroup == WGSL_SUBGROUP_ALL)
		return comp_varying(
		    LLVMBuildNot(g->b, is_any(g, LLVMBuildNot(g->b, cond, "")), ""));
	return comp_varying(is_any(g, cond));
}

/* ---- exchange ------------------------------------------------------------------------------ */

/* Shuffles by a number that is known only at run time. */
static LLVMValueRef shuffle(struct gen *g, enum wgsl_subgroup op, LLVMValueRef v, LLVMValueRef k)
{
	LLVMValueRef id = per_lane(g, itself, 0);

	if (op == WGSL_SUBGROUP_SHUFFLE_DOWN)
		k = LLVMBuildAdd(g->b, id, k, "");
	else if (op == WGSL_SUBGROUP_SHUFFLE_UP)
		k = LLVMBuildSub(g->b, id, k, "");
	else if (op == WGSL_SUBGROUP_SHUFFLE_XOR)
		k = LLVMBuildXor(g->b, id, k, "");
	return pick(g, v, k);
}

static LLVMValueRef exchange(struct gen *g, const struct wgsl_inst *i, LLVMValueRef v)
{
	bool is_known = i->n_args > 1 && i->args[1]->op == WGSL_OP_CONST;
	uint32_t k = is_known ? (uint32_t)i->args[1]->u.bits[0] : 0;

	v = active_or(g, v, LLVMConstNull(LLVMGetElementType(LLVMTypeOf(v))));
	switch ((int)i->u.subgroup) {
	case WGSL_SUBGROUP_BROADCAST_FIRST:
		return pick(g, v, first_id(g));
	case WGSL_SUBGROUP_QUAD_BROADCAST:
		return permute(g, v, v, in_quad, k);
	case WGSL_SUBGROUP_QUAD_SWAP_X:
		return permute(g, v, v, exclusive_or, 1);
	case WGSL_SUBGROUP_QUAD_SWAP_Y:
		return permute(g, v, v, exclusive_or, 2);
	case WGSL_SUBGROUP_QUAD_SWAP_DIAGONAL:
		return permute(g, v, v, exclusive_or, 3);
	default:
		break;
	}
	if (!is_known)
		return shuffle(g, i->u.subgroup, v, comp_vec(g, gen_arg(g, i, 1)->c[0]));
	switch ((int)i->u.subgroup) {
	case WGSL_SUBGROUP_SHUFFLE_DOWN:
		return permute(g, v, v, above, k);
	case WGSL_SUBGROUP_SHUFFLE_UP:
		return permute(g, v, v, below, k);
	case WGSL_SUBGROUP_SHUFFLE_XOR:
		return permute(g, v, v, exclusive_or, k);
	default:
		return permute(g, v, v, same, k);
	}
}

static LLVMValueRef component(struct gen *g, const struct wgsl_inst *i, LLVMValueRef v)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);

	switch ((int)i->u.subgroup) {
	case WGSL_SUBGROUP_EXCLUSIVE_ADD:
	case WGSL_SUBGROUP_EXCLUSIVE_MUL:
		return scan(g, fold_op(i->u.subgroup), kind, v, true);
	case WGSL_SUBGROUP_INCLUSIVE_ADD:
	case WGSL_SUBGROUP_INCLUSIVE_MUL:
		return scan(g, fold_op(i->u.subgroup), kind, v, false);
	case WGSL_SUBGROUP_ADD:
	case WGSL_SUBGROUP_MUL:
	case WGSL_SUBGROUP_MIN:
	case WGSL_SUBGROUP_MAX:
	case WGSL_SUBGROUP_AND:
	case WGSL_SUBGROUP_OR:
	case WGSL_SUBGROUP_XOR:
		return reduce(g, fold_op(i->u.subgroup), kind, v);
	default:
		return exchange(g, i, v);
	}
}

void subgroup_build(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	const struct val *a;

	if (i->u.subgroup < WGSL_SUBGROUP_BALLOT) {
		ret->c[0] = vote(g, i);
		return;
	}
	a = gen_arg(g, i, 0);
	for (uint32_t c = 0; c < ret->n; c++) {
		if (i->u.subgroup != WGSL_SUBGROUP_BALLOT)
			ret->c[c] = comp_varying(component(g, i, comp_vec(g, a->c[c])));
		else if (c == 0 || c < g->plan->subgroup / 32)
			ret->c[c] = comp_varying(ballot(g, comp_vec(g, a->c[0]), c));
		else
			ret->c[c] = comp_uniform(gen_i32(g, 0));
	}
}
