/* gen.c - values of a block of lanes and small pieces of LLVM IR; see gen_int.h. */
#include "native/gen_int.h"

#include <string.h>

#include "base/arena.h"

enum { MAX_STRIDE = 1 << 16 };

void gen_fail(struct gen *g, enum err_code code, const char *what)
{
	if (g->err->code == 0)
		(void)err_set(g->err, code, "native: %s", what);
}

LLVMTypeRef gen_vec_type(struct gen *g, LLVMTypeRef elem)
{
	return LLVMVectorType(elem, g->L);
}

LLVMTypeRef gen_type(struct gen *g, enum wgsl_kind kind, bool varying)
{
	LLVMTypeRef t = g->i32;

	switch ((int)kind) {
	case WGSL_BOOL:
		t = g->i1;
		break;
	case WGSL_F32:
		t = g->f32;
		break;
	case WGSL_I32:
	case WGSL_U32:
		break;
	case WGSL_I64:
	case WGSL_U64:
		t = g->i64;
		break;
	case WGSL_F64:
		t = g->f64;
		break;
	case WGSL_F16: /* in memory */
		t = g->i16;
		break;
	default:
		gen_fail(g, ERR_INVALID, "a type without values");
		break;
	}
	return varying ? gen_vec_type(g, t) : t;
}

LLVMValueRef gen_i32(struct gen *g, uint32_t v)
{
	return LLVMConstInt(g->i32, v, false);
}

LLVMValueRef gen_i64(struct gen *g, uint64_t v)
{
	return LLVMConstInt(g->i64, v, false);
}

static LLVMValueRef const_splat(LLVMTypeRef type, LLVMValueRef one)
{
	LLVMValueRef all[NATIVE_MAX_LANES];
	unsigned n = LLVMGetVectorSize(type);

	for (unsigned l = 0; l < n; l++)
		all[l] = one;
	return LLVMConstVector(all, n);
}

LLVMValueRef gen_const(LLVMTypeRef type, uint64_t v)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return const_splat(type, LLVMConstInt(LLVMGetElementType(type), v, false));
	return LLVMConstInt(type, v, false);
}

LLVMValueRef gen_constf(LLVMTypeRef type, double v)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return const_splat(type, LLVMConstReal(LLVMGetElementType(type), v));
	return LLVMConstReal(type, v);
}

LLVMValueRef gen_splat(struct gen *g, LLVMValueRef scalar)
{
	LLVMTypeRef type = gen_vec_type(g, LLVMTypeOf(scalar));
	LLVMValueRef zero, one;

	if (LLVMIsConstant(scalar))
		return const_splat(type, scalar);
	one = LLVMBuildInsertElement(g->b, LLVMGetPoison(type), scalar, gen_i32(g, 0), "");
	zero = LLVMConstNull(LLVMVectorType(g->i32, g->L));
	return LLVMBuildShuffleVector(g->b, one, LLVMGetPoison(type), zero, "");
}

LLVMValueRef gen_iota(struct gen *g, int32_t stride)
{
	LLVMValueRef all[NATIVE_MAX_LANES];

	for (uint32_t l = 0; l < g->L; l++)
		all[l] = gen_i32(g, l * (uint32_t)stride);
	return LLVMConstVector(all, g->L);
}

struct comp comp_uniform(LLVMValueRef v)
{
	return (struct comp){ .shape = UNIFORM, .v = v };
}

struct comp comp_varying(LLVMValueRef v)
{
	return (struct comp){ .shape = VARYING, .v = v };
}

struct comp comp_affine(LLVMValueRef base, int32_t stride)
{
	if (stride == 0)
		return comp_uniform(base);
	return (struct comp){ .shape = AFFINE, .stride = stride, .v = base };
}

struct comp comp_like(LLVMValueRef v)
{
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
		return comp_varying(v);
	return comp_uniform(v);
}

LLVMValueRef comp_vec(struct gen *g, struct comp c)
{
	if (c.shape == VARYING)
		return c.v;
	if (c.shape == UNIFORM)
		return gen_splat(g, c.v);
	return LLVMBuildAdd(g->b, gen_splat(g, c.v), gen_iota(g, c.stride), "");
}

bool comp_pair(struct gen *g, struct comp *a, struct comp *b)
{
	if (a->shape == UNIFORM && b->shape == UNIFORM)
		return false;
	*a = comp_varying(comp_vec(g, *a));
	*b = comp_varying(comp_vec(g, *b));
	return true;
}

static bool stride_ok(int64_t stride)
{
	return stride >= -MAX_STRIDE && stride <= MAX_STRIDE;
}

struct comp comp_add(struct gen *g, struct comp a, struct comp b)
{
	int64_t stride = (int64_t)a.stride + b.stride;

	if (a.shape != VARYING && b.shape != VARYING && stride_ok(stride))
		return comp_affine(LLVMBuildAdd(g->b, a.v, b.v, ""), (int32_t)stride);
	comp_pair(g, &a, &b);
	return comp_like(LLVMBuildAdd(g->b, a.v, b.v, ""));
}

struct comp comp_sub(struct gen *g, struct comp a, struct comp b)
{
	int64_t stride = (int64_t)a.stride - b.stride;

	if (a.shape != VARYING && b.shape != VARYING && stride_ok(stride))
		return comp_affine(LLVMBuildSub(g->b, a.v, b.v, ""), (int32_t)stride);
	comp_pair(g, &a, &b);
	return comp_like(LLVMBuildSub(g->b, a.v, b.v, ""));
}

/* Is it a constant that keeps the product affine? */
static bool small_factor(struct comp c, int64_t stride, int64_t *ret)
{
	if (c.shape != UNIFORM || !LLVMIsAConstantInt(c.v))
		return false;
	*ret = stride * (int32_t)LLVMConstIntGetZExtValue(c.v);
	return stride_ok(*ret);
}

struct comp comp_mul(struct gen *g, struct comp a, struct comp b)
{
	int64_t stride = 0;

	if ((a.shape == AFFINE && small_factor(b, a.stride, &stride)) ||
	    (b.shape == AFFINE && small_factor(a, b.stride, &stride)))
		return comp_affine(LLVMBuildMul(g->b, a.v, b.v, ""), (int32_t)stride);
	comp_pair(g, &a, &b);
	return comp_like(LLVMBuildMul(g->b, a.v, b.v, ""));
}

static const struct val *load_spill(struct gen *g, const struct wgsl_inst *i)
{
	const struct val *def = &g->vals[i->id];
	struct val *v = arena_new(g->arena, struct val);
	uint64_t place = g->spills[i->id] - 1;
	uint64_t size;
	LLVMValueRef block = LLVMBuildZExt(g->b, g->block, g->i64, "");
	LLVMValueRef at;

	/* Layout: see region_spill(). */
	v->n = def->n;
	size = g->L * 4ULL * kind_words(wgsl_type_base(i->type));
	for (uint32_t c = 0; c < v->n; c++) {
		enum wgsl_kind kind = wgsl_type_base(i->type);
		bool varying = def->c[c].shape == VARYING;
		LLVMTypeRef t = gen_type(g, kind == WGSL_BOOL ? WGSL_U32 : kind, varying);
		LLVMValueRef off = LLVMBuildMul(g->b, block, gen_i64(g, v->n * size), "");

		off = LLVMBuildAdd(g->b, off, gen_i64(g, place + c * size), "");
		at = gen_at(g, g->f.scratch, off);
		v->c[c] = def->c[c];
		v->c[c].v = gen_load(g, t, at);
		if (kind == WGSL_BOOL)
			v->c[c].v = word_to(g, v->c[c].v, kind);
	}
	return v;
}

const struct val *gen_use(struct gen *g, const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_BUILTIN)
		return &g->builtins[i->u.builtin];
	if (g->plan->is_split && i->op != WGSL_OP_CONST &&
	    g->plan->insts[i->id].region != g->region)
		return load_spill(g, i);
	return &g->vals[i->id];
}

const struct val *gen_arg(struct gen *g, const struct wgsl_inst *i, uint32_t n)
{
	return gen_use(g, i->args[n]);
}

LLVMValueRef gen_alloca(struct gen *g, LLVMTypeRef type, const char *name)
{
	return LLVMBuildAlloca(g->entry, type, name);
}

static LLVMValueRef borrow_new(struct gen *g, LLVMTypeRef type, bool is_mask)
{
	struct loan *l;

	arena_reserve(g->arena, &g->loans, &g->cap_loans, g->n_loans, sizeof(g->loans[0]));
	l = &g->loans[g->n_loans++];
	*l = (struct loan){ type, gen_alloca(g, type, ""), is_mask, true };
	return l->memory;
}

static LLVMValueRef borrow(struct gen *g, LLVMTypeRef type, bool is_mask)
{
	for (size_t n = g->n_loans; n-- > 0;) {
		struct loan *l = &g->loans[n];

		if (!l->is_taken && l->type == type && l->is_mask == is_mask) {
			l->is_taken = true;
			return l->memory;
		}
	}
	return borrow_new(g, type, is_mask);
}

LLVMValueRef gen_borrow_new(struct gen *g, LLVMTypeRef type)
{
	return borrow_new(g, type, false);
}

LLVMValueRef gen_borrow(struct gen *g, LLVMTypeRef type)
{
	return borrow(g, type, false);
}

LLVMValueRef gen_borrow_mask(struct gen *g)
{
	return borrow(g, g->mask_type, true);
}

void gen_give_back(struct gen *g, LLVMValueRef memory)
{
	for (size_t n = g->n_loans; n-- > 0 && memory != NULL;)
		if (g->loans[n].memory == memory)
			g->loans[n].is_taken = false;
}

/* Buffers promise no more than 4 bytes of alignment at the place of an element, of f16 2. */
static void set_align(LLVMTypeRef type, LLVMValueRef v, LLVMValueRef p)
{
	bool is_half;

	if (LLVMGetInstructionOpcode(v) != LLVMStore && LLVMGetInstructionOpcode(v) != LLVMLoad)
		return;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	is_half = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 16;
	if (!LLVMIsAAllocaInst(p))
		LLVMSetAlignment(v, is_half ? 2 : 4);
}

LLVMValueRef gen_load(struct gen *g, LLVMTypeRef type, LLVMValueRef p)
{
	LLVMValueRef v = LLVMBuildLoad2(g->b, type, p, "");

	set_align(type, v, p);
	return v;
}

void gen_store(struct gen *g, LLVMValueRef v, LLVMValueRef p)
{
	set_align(LLVMTypeOf(v), LLVMBuildStore(g->b, v, p), p);
}

LLVMValueRef gen_at(struct gen *g, LLVMValueRef base, LLVMValueRef bytes)
{
	return LLVMBuildGEP2(g->b, g->i8, base, &bytes, 1, "");
}

LLVMValueRef gen_call(struct gen *g, const char *intrinsic, LLVMTypeRef overload,
		      LLVMValueRef *args, uint32_t n)
{
	unsigned id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
	LLVMTypeRef overloads[2] = { overload, NULL };
	size_t n_overloads = 1;
	LLVMValueRef fn;

	/* These are overloaded over the pointers' type too. */
	if (strcmp(intrinsic, "llvm.masked.store") == 0)
		overloads[n_overloads++] = g->ptr;
	if (strcmp(intrinsic, "llvm.masked.gather") == 0)
		overloads[n_overloads++] = gen_vec_type(g, g->ptr);
	fn = LLVMGetIntrinsicDeclaration(g->mod, id, overloads, n_overloads);
	return LLVMBuildCall2(g->b, LLVMIntrinsicGetType(g->ctx, id, overloads, n_overloads), fn,
			      args, n, "");
}

LLVMBasicBlockRef gen_block(struct gen *g, const char *name)
{
	g->n_llvm_blocks++;
	return LLVMAppendBasicBlockInContext(g->ctx, g->fn, name);
}

void gen_at_end(struct gen *g, LLVMBasicBlockRef bb)
{
	LLVMPositionBuilderAtEnd(g->b, bb);
	g->is_dead = false;
}

void gen_br(struct gen *g, LLVMBasicBlockRef to)
{
	if (!g->is_dead)
		LLVMBuildBr(g->b, to);
	g->is_dead = true;
}

void gen_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
	if (!g->is_dead)
		LLVMBuildCondBr(g->b, cond, yes, no);
	g->is_dead = true;
}
