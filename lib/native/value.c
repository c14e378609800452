/* value.c - instructions that compute values; see gen_int.h. */
#include "native/gen_int.h"

#include "base/arena.h"

static bool is_signed(const struct wgsl_type *t)
{
	return wgsl_type_base(t) == WGSL_I32 || wgsl_type_base(t) == WGSL_I64;
}

static bool is_float(enum wgsl_kind kind)
{
	return kind == WGSL_F32 || kind == WGSL_F64;
}

/* Integers as wide as the kind. */
static enum wgsl_kind bits_kind(enum wgsl_kind kind)
{
	return kind_words(kind) == 2 ? WGSL_U64 : WGSL_U32;
}

static struct comp canon(struct gen *g, enum wgsl_kind kind, struct comp x)
{
	LLVMTypeRef bits = gen_type(g, bits_kind(kind), x.shape == VARYING);
	uint64_t quiet = kind == WGSL_F64 ? 0x7ff8000000000000 : 0x7fc00000;
	LLVMValueRef nan = LLVMBuildFCmp(g->b, LLVMRealUNO, x.v, x.v, "");
	LLVMValueRef v = LLVMBuildBitCast(g->b, x.v, bits, "");

	v = LLVMBuildSelect(g->b, nan, gen_const(bits, quiet), v, "");
	return comp_like(LLVMBuildBitCast(g->b, v, LLVMTypeOf(x.v), ""));
}

static struct comp abs_of(struct gen *g, enum wgsl_kind kind, struct comp x)
{
	LLVMTypeRef bits = gen_type(g, bits_kind(kind), x.shape == VARYING);
	LLVMValueRef v, neg;

	if (kind == WGSL_U32 || kind == WGSL_U64)
		return x;
	if (is_float(kind)) {
		v = LLVMBuildBitCast(g->b, x.v, bits, "");
		v = LLVMBuildAnd(g->b, v, gen_const(bits, kind == WGSL_F64 ? INT64_MAX : INT32_MAX),
				 "");
		return comp_like(LLVMBuildBitCast(g->b, v, LLVMTypeOf(x.v), ""));
	}
	neg = LLVMBuildICmp(g->b, LLVMIntSLT, x.v, LLVMConstNull(bits), "");
	v = LLVMBuildSub(g->b, LLVMConstNull(bits), x.v, "");
	return comp_like(LLVMBuildSelect(g->b, neg, v, x.v, ""));
}

static LLVMValueRef call1(struct gen *g, const char *name, LLVMValueRef x)
{
	return gen_call(g, name, LLVMTypeOf(x), &x, 1);
}

/* Count leading or trailing zeros: 32 for 0. */
static LLVMValueRef count_zeros(struct gen *g, const char *name, LLVMValueRef x)
{
	LLVMValueRef args[2] = { x, LLVMConstInt(g->i1, 0, false) };

	return gen_call(g, name, LLVMTypeOf(x), args, 2);
}

static struct comp unary(struct gen *g, const struct wgsl_inst *i, struct comp x)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);

	if (i->op == WGSL_OP_NEG && !is_float(kind))
		return comp_sub(g, comp_uniform(LLVMConstNull(gen_type(g, kind, false))), x);
	if (x.shape == AFFINE)
		x = comp_varying(comp_vec(g, x));
	switch ((int)i->op) {
	case WGSL_OP_NEG:
		return comp_like(LLVMBuildFNeg(g->b, x.v, ""));
	case WGSL_OP_NOT:
		return comp_like(LLVMBuildNot(g->b, x.v, ""));
	case WGSL_OP_ABS:
		return abs_of(g, kind, x);
	case WGSL_OP_POPCOUNT:
		return comp_like(call1(g, "llvm.ctpop", x.v));
	case WGSL_OP_CLZ:
		return comp_like(count_zeros(g, "llvm.ctlz", x.v));
	case WGSL_OP_CTZ:
		return comp_like(count_zeros(g, "llvm.cttz", x.v));
	case WGSL_OP_REVERSE:
		return comp_like(call1(g, "llvm.bitreverse", x.v));
	case WGSL_OP_FLOOR:
		return comp_like(call1(g, "llvm.floor", x.v));
	case WGSL_OP_CEIL:
		return comp_like(call1(g, "llvm.ceil", x.v));
	case WGSL_OP_TRUNC:
		return comp_like(call1(g, "llvm.trunc", x.v));
	case WGSL_OP_ROUND:
		return comp_like(call1(g, "llvm.roundeven", x.v));
	case WGSL_OP_SQRT:
		return comp_like(call1(g, "llvm.sqrt", x.v));
	default:
		return canon(g, kind, x);
	}
}

static struct comp shift(struct gen *g, const struct wgsl_inst *i, struct comp a, struct comp b)
{
	bool is_wide = kind_words(wgsl_type_base(i->type)) == 2;
	LLVMValueRef by;

	if (i->op == WGSL_OP_SHL && a.shape == AFFINE && b.shape == UNIFORM &&
	    LLVMIsAConstantInt(b.v)) {
		int64_t stride = (int64_t)1 << (LLVMConstIntGetZExtValue(b.v) & 31);

		if (stride <= 65536)
			return comp_mul(g, a, comp_uniform(gen_i32(g, (uint32_t)stride)));
	}
	comp_pair(g, &a, &b);
	by = LLVMBuildAnd(g->b, b.v, gen_const(LLVMTypeOf(b.v), is_wide ? 63 : 31), "");
	if (is_wide)
		by = LLVMBuildZExt(g->b, by, LLVMTypeOf(a.v), "");
	if (i->op == WGSL_OP_SHL)
		return comp_like(LLVMBuildShl(g->b, a.v, by, ""));
	if (is_signed(i->type))
		return comp_like(LLVMBuildAShr(g->b, a.v, by, ""));
	return comp_like(LLVMBuildLShr(g->b, a.v, by, ""));
}

static struct comp bitwise(struct gen *g, enum wgsl_op op, struct comp a, struct comp b)
{
	comp_pair(g, &a, &b);
	if (op == WGSL_OP_AND)
		return comp_like(LLVMBuildAnd(g->b, a.v, b.v, ""));
	if (op == WGSL_OP_OR)
		return comp_like(LLVMBuildOr(g->b, a.v, b.v, ""));
	return comp_like(LLVMBuildXor(g->b, a.v, b.v, ""));
}

static LLVMValueRef compare_as(struct gen *g, enum wgsl_op op, enum wgsl_kind kind, LLVMValueRef a,
			       LLVMValueRef b)
{
	static const LLVMRealPredicate real[] = { LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
						  LLVMRealOLE, LLVMRealOGT, LLVMRealOGE };
	static const LLVMIntPredicate sign[] = { LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
						 LLVMIntSLE, LLVMIntSGT, LLVMIntSGE };
	static const LLVMIntPredicate unsign[] = { LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
						   LLVMIntULE, LLVMIntUGT, LLVMIntUGE };
	unsigned n = (unsigned)op - (unsigned)WGSL_OP_EQ;

	if (is_float(kind))
		return LLVMBuildFCmp(g->b, real[n], a, b, "");
	return LLVMBuildICmp(g->b, kind == WGSL_I32 || kind == WGSL_I64 ? sign[n] : unsign[n], a, b,
			     "");
}

/* MIN: b < a ? b : a; MAX: a < b ? b : a. */
static struct comp min_max(struct gen *g, const struct wgsl_inst *i, struct comp a, struct comp b)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	LLVMValueRef less;

	comp_pair(g, &a, &b);
	if (i->op == WGSL_OP_MIN)
		less = compare_as(g, WGSL_OP_LT, kind, b.v, a.v);
	else
		less = compare_as(g, WGSL_OP_LT, kind, a.v, b.v);
	return comp_like(LLVMBuildSelect(g->b, less, b.v, a.v, ""));
}

static struct comp float_binary(struct gen *g, const struct wgsl_inst *i, struct comp a,
				struct comp b)
{
	comp_pair(g, &a, &b);
	switch ((int)i->op) {
	case WGSL_OP_ADD:
		return comp_like(LLVMBuildFAdd(g->b, a.v, b.v, ""));
	case WGSL_OP_SUB:
		return comp_like(LLVMBuildFSub(g->b, a.v, b.v, ""));
	case WGSL_OP_MUL:
		return comp_like(LLVMBuildFMul(g->b, a.v, b.v, ""));
	default:
		return comp_like(LLVMBuildFDiv(g->b, a.v, b.v, ""));
	}
}

static struct comp divide(struct gen *g, const struct wgsl_inst *i, struct comp a, struct comp b)
{
	if (i->op == WGSL_OP_DIV)
		return arith_div(g, a, b, is_signed(i->type));
	return arith_rem(g, a, b, is_signed(i->type));
}

static struct comp binary(struct gen *g, const struct wgsl_inst *i, struct comp a, struct comp b)
{
	bool floats = wgsl_type_is_float(i->args[0]->type);

	switch ((int)i->op) {
	case WGSL_OP_ADD:
		return floats ? float_binary(g, i, a, b) : comp_add(g, a, b);
	case WGSL_OP_SUB:
		return floats ? float_binary(g, i, a, b) : comp_sub(g, a, b);
	case WGSL_OP_MUL:
		return floats ? float_binary(g, i, a, b) : comp_mul(g, a, b);
	case WGSL_OP_DIV:
	case WGSL_OP_REM:
		return floats ? float_binary(g, i, a, b) : divide(g, i, a, b);
	case WGSL_OP_AND:
	case WGSL_OP_OR:
	case WGSL_OP_XOR:
		return bitwise(g, i->op, a, b);
	case WGSL_OP_SHL:
	case WGSL_OP_SHR:
		return shift(g, i, a, b);
	case WGSL_OP_MIN:
	case WGSL_OP_MAX:
		return min_max(g, i, a, b);
	default:
		comp_pair(g, &a, &b);
		return comp_like(compare_as(g, i->op, wgsl_type_base(i->args[0]->type), a.v, b.v));
	}
}

static struct comp convert(struct gen *g, const struct wgsl_inst *i, struct comp x)
{
	enum wgsl_kind from = wgsl_type_base(i->args[0]->type);
	enum wgsl_kind to = wgsl_type_base(i->type);
	bool is_int = !is_float(from) && !is_float(to) && from != WGSL_BOOL && to != WGSL_BOOL;
	LLVMTypeRef t;

	if (from == to || (is_int && kind_words(from) == kind_words(to)))
		return x;
	if (x.shape == AFFINE)
		x = comp_varying(comp_vec(g, x));
	if (i->op == WGSL_OP_BITCAST) {
		t = gen_type(g, to, x.shape == VARYING);
		return comp_like(LLVMBuildBitCast(g->b, x.v, t, ""));
	}
	return comp_like(arith_convert(g, x.v, from, to));
}

static struct comp select_comp(struct gen *g, struct comp no, struct comp yes, struct comp cond)
{
	if (cond.shape == UNIFORM && no.shape != VARYING && yes.shape != VARYING &&
	    no.stride == yes.stride)
		return comp_affine(LLVMBuildSelect(g->b, cond.v, yes.v, no.v, ""), no.stride);
	if (comp_pair(g, &no, &yes) && cond.shape == UNIFORM)
		return comp_varying(LLVMBuildSelect(g->b, cond.v, yes.v, no.v, ""));
	if (cond.shape != UNIFORM)
		return comp_varying(LLVMBuildSelect(g->b, comp_vec(g, cond), comp_vec(g, yes),
						    comp_vec(g, no), ""));
	return comp_like(LLVMBuildSelect(g->b, cond.v, yes.v, no.v, ""));
}

static struct comp extract_dyn(struct gen *g, const struct val *v, struct comp index)
{
	struct comp ret = v->c[v->n - 1];

	for (uint32_t n = v->n - 1; n-- > 0;) {
		struct comp at = comp_uniform(gen_i32(g, n)), cond = index;

		comp_pair(g, &cond, &at);
		cond = comp_like(LLVMBuildICmp(g->b, LLVMIntEQ, cond.v, at.v, ""));
		ret = select_comp(g, ret, v->c[n], cond);
	}
	return ret;
}

static void constant(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	LLVMTypeRef type = gen_type(g, kind, false);
	LLVMTypeRef bits = is_float(kind) ? gen_type(g, bits_kind(kind), false) : type;

	for (uint32_t c = 0; c < ret->n; c++) {
		LLVMValueRef v = gen_const(bits, i->u.bits[c]);

		ret->c[c] = comp_uniform(is_float(kind) ? LLVMConstBitCast(v, type) : v);
	}
}

static void per_component(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	const struct val *a = gen_arg(g, i, 0);
	const struct val *b = i->n_args > 1 ? gen_arg(g, i, 1) : a;

	for (uint32_t c = 0; c < ret->n; c++) {
		struct comp x = a->c[c < a->n ? c : 0], y = b->c[c < b->n ? c : 0];

		if (i->op == WGSL_OP_MATH)
			ret->c[c] = arith_math(g, i->u.math, x, y);
		else if (i->op == WGSL_OP_CONVERT || i->op == WGSL_OP_BITCAST)
			ret->c[c] = convert(g, i, x);
		else if (i->n_args == 1)
			ret->c[c] = unary(g, i, x);
		else
			ret->c[c] = binary(g, i, x, y);
	}
}

static void rearrange(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	const struct val *a = gen_arg(g, i, 0);

	for (uint32_t c = 0; c < ret->n; c++) {
		if (i->op == WGSL_OP_SPLAT)
			ret->c[c] = a->c[0];
		else if (i->op == WGSL_OP_COMPOSE)
			ret->c[c] = gen_arg(g, i, c)->c[0];
		else
			ret->c[c] = a->c[i->lanes[c]];
	}
}

static void select_inst(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	const struct val *no = gen_arg(g, i, 0), *yes = gen_arg(g, i, 1);
	const struct val *cond = gen_arg(g, i, 2);

	for (uint32_t c = 0; c < ret->n; c++)
		ret->c[c] = select_comp(g, no->c[c], yes->c[c], cond->c[c < cond->n ? c : 0]);
}

void gen_inst(struct gen *g, const struct wgsl_inst *i)
{
	struct val ret = { .n = i->type->kind == WGSL_VOID ? 0 : wgsl_type_width(i->type) };

	switch ((int)i->op) {
	case WGSL_OP_CONST:
		constant(g, i, &ret);
		break;
	case WGSL_OP_BUILTIN:
	case WGSL_OP_BARRIER:
		break;
	case WGSL_OP_SELECT:
		select_inst(g, i, &ret);
		break;
	case WGSL_OP_SPLAT:
	case WGSL_OP_COMPOSE:
	case WGSL_OP_EXTRACT:
	case WGSL_OP_SWIZZLE:
		rearrange(g, i, &ret);
		break;
	case WGSL_OP_EXTRACT_DYN:
		ret.c[0] = extract_dyn(g, gen_arg(g, i, 0), gen_arg(g, i, 1)->c[0]);
		break;
	case WGSL_OP_LOAD:
		memory_load(g, i, &ret);
		break;
	case WGSL_OP_STORE:
		memory_store(g, i);
		break;
	case WGSL_OP_ZERO:
		memory_zero(g, i);
		break;
	case WGSL_OP_ARRAY_LENGTH:
		ret.c[0] = memory_length(g, i->path);
		break;
	case WGSL_OP_ATOMIC:
		atomic_build(g, i, &ret);
		break;
	case WGSL_OP_SUBGROUP:
		subgroup_build(g, i, &ret);
		break;
	default:
		per_component(g, i, &ret);
		break;
	}
	g->vals[i->id] = ret;
}
