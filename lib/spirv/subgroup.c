/*
 * subgroup.c - exchange within a subgroup; see gen_int.h.
 *
 * What names an invocation is brought into the subgroup's size first: a driver must not get a
 * number outside of it from the kernel. So all shuffles are OpGroupNonUniformShuffle.
 */
#include "base/mem.h"
#include "spirv/gen_int.h"

/* Every subgroup has so many: WGSL asks for it, and the host for that. */
enum { LEAST_SUBGROUP = 4 };

static uint32_t operation(struct gen *g, enum spirv_op op, enum spirv_number capability,
			  const struct wgsl_inst *i, const uint32_t *args, uint32_t n)
{
	uint32_t all[4] = { spirv_const_u32(g, SCOPE_SUBGROUP) };

	ASSERT(n < ARRAY_LEN(all));
	for (uint32_t k = 0; k < n; k++)
		all[k + 1] = args[k];
	g->subgroup_uses |= 1U << (capability - CAPABILITY_SUBGROUP);
	return spirv_value(g, op, spirv_type_value(g, i->type), all, n + 1);
}

/* ---- folds --------------------------------------------------------------------------------- */

static enum spirv_op fold_op(enum wgsl_subgroup op, enum wgsl_kind kind)
{
	bool is_float = kind == WGSL_F32, is_signed = kind == WGSL_I32;

	switch ((int)op) {
	case WGSL_SUBGROUP_MUL:
	case WGSL_SUBGROUP_EXCLUSIVE_MUL:
	case WGSL_SUBGROUP_INCLUSIVE_MUL:
		return is_float ? OP_GROUP_F_MUL : OP_GROUP_I_MUL;
	case WGSL_SUBGROUP_MIN:
		return is_float ? OP_GROUP_F_MIN : is_signed ? OP_GROUP_S_MIN : OP_GROUP_U_MIN;
	case WGSL_SUBGROUP_MAX:
		return is_float ? OP_GROUP_F_MAX : is_signed ? OP_GROUP_S_MAX : OP_GROUP_U_MAX;
	case WGSL_SUBGROUP_AND:
		return OP_GROUP_AND;
	case WGSL_SUBGROUP_OR:
		return OP_GROUP_OR;
	case WGSL_SUBGROUP_XOR:
		return OP_GROUP_XOR;
	default:
		return is_float ? OP_GROUP_F_ADD : OP_GROUP_I_ADD;
	}
}

static uint32_t fold(struct gen *g, const struct wgsl_inst *i)
{
	enum wgsl_subgroup op = i->u.subgroup;
	uint32_t how = GROUP_REDUCE;

	if (op == WGSL_SUBGROUP_INCLUSIVE_ADD || op == WGSL_SUBGROUP_INCLUSIVE_MUL)
		how = GROUP_INCLUSIVE_SCAN;
	if (op == WGSL_SUBGROUP_EXCLUSIVE_ADD || op == WGSL_SUBGROUP_EXCLUSIVE_MUL)
		how = GROUP_EXCLUSIVE_SCAN;
	return operation(g, fold_op(op, wgsl_type_base(i->type)), CAPABILITY_SUBGROUP_ARITHMETIC, i,
			 ARGS(how, spirv_value_arg(g, i, 0)));
}

/* ---- exchange ------------------------------------------------------------------------------ */

/* The invocation that is asked, in the size. */
static uint32_t source(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t type = spirv_type_of(g, WGSL_U32, 1), k = spirv_value_arg(g, i, 1);
	uint32_t own = g->builtins[WGSL_BUILTIN_SUBGROUP_INVOCATION_ID];
	uint32_t most =
	    spirv_value(g, OP_I_SUB, type,
			ARGS(g->builtins[WGSL_BUILTIN_SUBGROUP_SIZE], spirv_const_u32(g, 1)));

	if (i->u.subgroup == WGSL_SUBGROUP_SHUFFLE_DOWN)
		k = spirv_value(g, OP_I_ADD, type, ARGS(own, k));
	else if (i->u.subgroup == WGSL_SUBGROUP_SHUFFLE_UP)
		k = spirv_value(g, OP_I_SUB, type, ARGS(own, k));
	else if (i->u.subgroup == WGSL_SUBGROUP_SHUFFLE_XOR)
		k = spirv_value(g, OP_BITWISE_XOR, type, ARGS(own, k));
	return spirv_value(g, OP_BITWISE_AND, type, ARGS(k, most));
}

static uint32_t broadcast(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t v = spirv_value_arg(g, i, 0);

	/* The same for all and cheap, where the number is surely in the size. */
	if (i->args[1]->op == WGSL_OP_CONST && i->args[1]->u.bits[0] < LEAST_SUBGROUP)
		return operation(g, OP_GROUP_BROADCAST, CAPABILITY_SUBGROUP_BALLOT, i,
				 ARGS(v, spirv_const_u32(g, (uint32_t)i->args[1]->u.bits[0])));
	return operation(g, OP_GROUP_SHUFFLE, CAPABILITY_SUBGROUP_SHUFFLE, i,
			 ARGS(v, source(g, i)));
}

/* Floats by a shuffle: LLVM 15 ends the process of Mesa's software driver over the other operation,
 * where the float is computed just before ("Cannot select ... VBROADCAST"). */
static uint32_t broadcast_first(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t v = spirv_value_arg(g, i, 0), scope = spirv_const_u32(g, SCOPE_SUBGROUP), first;

	if (wgsl_type_base(i->type) != WGSL_F32)
		return operation(g, OP_GROUP_BROADCAST_FIRST, CAPABILITY_SUBGROUP_BALLOT, i,
				 ARGS(v));
	g->subgroup_uses |= 1U << (CAPABILITY_SUBGROUP_BALLOT - CAPABILITY_SUBGROUP);
	first = spirv_value(g, OP_GROUP_BALLOT, spirv_type_of(g, WGSL_U32, 4),
			    ARGS(scope, spirv_const_of(g, WGSL_BOOL, 1)));
	first = spirv_value(g, OP_GROUP_BALLOT_FIND_LSB, spirv_type_of(g, WGSL_U32, 1),
			    ARGS(scope, first));
	return operation(g, OP_GROUP_SHUFFLE, CAPABILITY_SUBGROUP_SHUFFLE, i, ARGS(v, first));
}

static uint32_t quad(struct gen *g, const struct wgsl_inst *i, enum spirv_op op, uint32_t k)
{
	return operation(g, op, CAPABILITY_SUBGROUP_QUAD, i,
			 ARGS(spirv_value_arg(g, i, 0), spirv_const_u32(g, k)));
}

uint32_t spirv_subgroup(struct gen *g, const struct wgsl_inst *i)
{
	switch ((int)i->u.subgroup) {
	case WGSL_SUBGROUP_ELECT:
		return operation(g, OP_GROUP_ELECT, CAPABILITY_SUBGROUP, i, NULL, 0);
	case WGSL_SUBGROUP_ALL:
		return operation(g, OP_GROUP_ALL, CAPABILITY_SUBGROUP_VOTE, i,
				 ARGS(spirv_value_arg(g, i, 0)));
	case WGSL_SUBGROUP_ANY:
		return operation(g, OP_GROUP_ANY, CAPABILITY_SUBGROUP_VOTE, i,
				 ARGS(spirv_value_arg(g, i, 0)));
	case WGSL_SUBGROUP_BALLOT:
		return operation(g, OP_GROUP_BALLOT, CAPABILITY_SUBGROUP_BALLOT, i,
				 ARGS(spirv_value_arg(g, i, 0)));
	case WGSL_SUBGROUP_BROADCAST:
		return broadcast(g, i);
	case WGSL_SUBGROUP_BROADCAST_FIRST:
		return broadcast_first(g, i);
	case WGSL_SUBGROUP_SHUFFLE:
	case WGSL_SUBGROUP_SHUFFLE_DOWN:
	case WGSL_SUBGROUP_SHUFFLE_UP:
	case WGSL_SUBGROUP_SHUFFLE_XOR:
		return operation(g, OP_GROUP_SHUFFLE, CAPABILITY_SUBGROUP_SHUFFLE, i,
				 ARGS(spirv_value_arg(g, i, 0), source(g, i)));
	case WGSL_SUBGROUP_QUAD_BROADCAST:
		return quad(g, i, OP_GROUP_QUAD_BROADCAST, (uint32_t)i->args[1]->u.bits[0]);
	case WGSL_SUBGROUP_QUAD_SWAP_X:
		return quad(g, i, OP_GROUP_QUAD_SWAP, 0);
	case WGSL_SUBGROUP_QUAD_SWAP_Y:
		return quad(g, i, OP_GROUP_QUAD_SWAP, 1);
	case WGSL_SUBGROUP_QUAD_SWAP_DIAGONAL:
		return quad(g, i, OP_GROUP_QUAD_SWAP, 2);
	default:
		return fold(g, i);
	}
}
