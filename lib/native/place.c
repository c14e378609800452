/*
 * place.c - loads and stores of places shared by lanes; see gen_int.h.
 *
 * Neighbours are one vector access (with shuffles for elements of several words) where all
 * lanes are in bounds, which a scalar comparison finds out; otherwise each
 * active lane in its turn, so that the highest lane wins a race.
 */
#include "native/gen_int.h"

#include "base/mem.h"

enum { MAX_WIDE = 1024 }; /* words of one access with gaps */

LLVMValueRef word_from(struct gen *g, LLVMValueRef v, enum wgsl_kind kind)
{
	bool vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;

	if (kind == WGSL_F16)
		return LLVMBuildTrunc(g->b, v, gen_type(g, kind, vector), "");
	return kind == WGSL_BOOL ? LLVMBuildZExt(g->b, v, gen_type(g, WGSL_U32, vector), "") : v;
}

LLVMValueRef word_to(struct gen *g, LLVMValueRef word, enum wgsl_kind kind)
{
	bool vector = LLVMGetTypeKind(LLVMTypeOf(word)) == LLVMVectorTypeKind;

	if (kind == WGSL_F16)
		return LLVMBuildIntCast2(g->b, word, gen_type(g, WGSL_U32, vector), false, "");
	if (kind != WGSL_BOOL)
		return word;
	return LLVMBuildICmp(g->b, LLVMIntNE, word, LLVMConstNull(LLVMTypeOf(word)), "");
}

static enum wgsl_kind word_kind(enum wgsl_kind kind)
{
	return kind == WGSL_BOOL ? WGSL_U32 : kind;
}

uint32_t kind_words(enum wgsl_kind kind)
{
	return kind == WGSL_I64 || kind == WGSL_U64 || kind == WGSL_F64 ? 2 : 1;
}

struct comp comp_join(struct gen *g, enum wgsl_kind kind, struct comp low, struct comp high)
{
	bool vector = comp_pair(g, &low, &high);
	LLVMTypeRef t = gen_type(g, WGSL_U64, vector);
	LLVMValueRef v =
	    LLVMBuildShl(g->b, LLVMBuildZExt(g->b, high.v, t, ""), gen_const(t, 32), "");

	v = LLVMBuildOr(g->b, v, LLVMBuildZExt(g->b, low.v, t, ""), "");
	return comp_like(LLVMBuildBitCast(g->b, v, gen_type(g, kind, vector), ""));
}

void comp_split(struct gen *g, struct comp c, struct comp halves[2])
{
	bool vector = c.shape == VARYING;
	LLVMTypeRef wide = gen_type(g, WGSL_U64, vector);
	LLVMTypeRef word = gen_type(g, WGSL_U32, vector);
	LLVMValueRef v = LLVMBuildBitCast(g->b, c.v, wide, "");

	halves[0] = comp_like(LLVMBuildTrunc(g->b, v, word, ""));
	v = LLVMBuildLShr(g->b, v, gen_const(wide, 32), "");
	halves[1] = comp_like(LLVMBuildTrunc(g->b, v, word, ""));
}

static LLVMValueRef load_word(struct gen *g, const struct place *p, LLVMTypeRef t, LLVMValueRef at)
{
	LLVMValueRef v = gen_load(g, t, at);
	LLVMMetadataRef none;

	if (!p->is_constant)
		return v;
	none = LLVMMDNodeInContext2(g->ctx, NULL, 0);
	LLVMSetMetadata(v, LLVMGetMDKindIDInContext(g->ctx, "invariant.load", 14),
			LLVMMetadataAsValue(g->ctx, none));
	return v;
}

static bool is_wide(struct gen *g, const struct place *p, uint32_t n)
{
	return p->kind == PLACE_NEAR && (p->stride == 1 ? n == 1 : p->stride * g->L <= MAX_WIDE) &&
	       p->inner + p->first + n <= p->stride;
}

/* ---- loads -------------------------------------------------------------------------------- */

static void load_one(struct gen *g, const struct place *p, enum wgsl_kind kind, struct val *ret)
{
	LLVMTypeRef t = gen_type(g, word_kind(kind), false);

	for (uint32_t c = 0; c < ret->n; c++) {
		LLVMValueRef v = load_word(g, p, t, place_at(g, p, p->near, c));

		ret->c[c] = comp_uniform(word_to(g, v, kind));
	}
}

/* Every stride-th word of the wide vector, from `first`. */
static LLVMValueRef pick(struct gen *g, LLVMValueRef wide, uint32_t first, uint32_t stride)
{
	LLVMValueRef index[NATIVE_MAX_LANES];

	for (uint32_t l = 0; l < g->L; l++)
		index[l] = gen_i32(g, first + l * stride);
	return LLVMBuildShuffleVector(g->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
				      LLVMConstVector(index, g->L), "");
}

static void load_near(struct gen *g, const struct place *p, enum wgsl_kind kind, struct val *ret)
{
	LLVMTypeRef t = LLVMVectorType(gen_type(g, word_kind(kind), false), g->L * p->stride);
	LLVMValueRef start = LLVMBuildSub(g->b, p->near, gen_i32(g, p->inner), "");
	struct place whole = *p;
	LLVMValueRef wide;

	whole.first = 0;
	wide = load_word(g, p, t, place_at(g, &whole, start, 0));
	for (uint32_t c = 0; c < ret->n; c++) {
		LLVMValueRef v =
		    p->stride == 1 ? wide : pick(g, wide, p->inner + p->first + c, p->stride);

		ret->c[c] = comp_varying(kind == WGSL_F16 ? word_to(g, v, kind) : v);
	}
}

static void load_far(struct gen *g, const struct place *p, enum wgsl_kind kind, struct val *ret)
{
	LLVMTypeRef t = gen_type(g, word_kind(kind), false);
	LLVMValueRef words = tmp_put(g, 0, place_words(g, p));
	LLVMValueRef word;
	struct lane_loop loop;
	struct mask m = g->mask;

	/* Clamped, so that lanes that are not active may be loaded as well. */
	if (m.id == g->entry_mask.id)
		m.v = NULL;
	lanes_begin(g, m, &loop);
	word = tmp_lane(g, g->i32, words, loop.lane);
	for (uint32_t c = 0; c < ret->n; c++) {
		LLVMValueRef v = load_word(g, p, t, place_at(g, p, word, c));

		/* Temporary memory has 4 bytes for each lane. */
		v = kind == WGSL_F16 ? word_to(g, v, kind) : v;
		tmp_set(g, v, tmp_ptr(g, 1 + c), loop.lane);
	}
	lanes_end(g, &loop);
	t = kind == WGSL_F16 ? g->i32 : t;
	for (uint32_t c = 0; c < ret->n; c++)
		ret->c[c] = comp_varying(gen_load(g, gen_vec_type(g, t), tmp_ptr(g, 1 + c)));
}

static void load_words(struct gen *g, const struct place *p, enum wgsl_kind kind, struct val *ret)
{
	LLVMBasicBlockRef near, far, join, from[2];
	struct val a = *ret, b = *ret;

	if (p->kind == PLACE_ONE) {
		load_one(g, p, kind, ret);
		return;
	}
	if (!is_wide(g, p, ret->n)) {
		load_far(g, p, kind, &a);
	} else if (p->fits == NULL) {
		load_near(g, p, kind, &a);
	} else {
		near = gen_block(g, "near");
		far = gen_block(g, "far");
		join = gen_block(g, "loaded");
		gen_if(g, p->fits, near, far);
		gen_at_end(g, near);
		load_near(g, p, kind, &a);
		from[0] = LLVMGetInsertBlock(g->b);
		gen_br(g, join);
		gen_at_end(g, far);
		load_far(g, p, kind, &b);
		from[1] = LLVMGetInsertBlock(g->b);
		gen_br(g, join);
		gen_at_end(g, join);
		for (uint32_t c = 0; c < ret->n; c++) {
			LLVMValueRef phi = LLVMBuildPhi(g->b, LLVMTypeOf(a.c[c].v), "");
			LLVMValueRef in[2] = { a.c[c].v, b.c[c].v };

			LLVMAddIncoming(phi, in, from, 2);
			a.c[c].v = phi;
		}
	}
	for (uint32_t c = 0; c < ret->n; c++)
		ret->c[c] = comp_varying(word_to(g, a.c[c].v, kind));
}

void place_load(struct gen *g, const struct place *p, enum wgsl_kind kind, struct val *ret)
{
	if (kind_words(kind) == 1) {
		load_words(g, p, kind, ret);
		return;
	}
	for (uint32_t c = 0; c < ret->n; c++) {
		struct place half = *p;
		struct val two = { .n = 2 };

		half.first = 2 * c;
		load_words(g, &half, WGSL_U32, &two);
		ret->c[c] = comp_join(g, kind, two.c[0], two.c[1]);
	}
}

/* ---- stores ------------------------------------------------------------------------------- */

static void store_one(struct gen *g, const struct place *p, enum wgsl_kind kind,
		      const struct val *v)
{
	LLVMValueRef last = NULL;

	for (uint32_t c = 0; c < v->n; c++) {
		LLVMValueRef word = v->c[c].v;

		if (v->c[c].shape != UNIFORM) {
			last = last ? last : mask_last(g, g->mask);
			word = LLVMBuildExtractElement(g->b, comp_vec(g, v->c[c]), last, "");
		}
		gen_store(g, word_from(g, word, kind), place_at(g, p, p->near, c));
	}
}

/* Words of all lanes in the order of memory: lane 0's n words, lane 1's, ... */
static LLVMValueRef interleave(struct gen *g, LLVMValueRef *v, uint32_t n)
{
	LLVMValueRef index[NATIVE_MAX_LANES * 4], wide = v[0];

	for (uint32_t c = 1; c < n; c *= 2) {
		/* n is 2 or 4: double the vectors until one is left. */
		for (uint32_t k = 0; k < g->L * c * 2; k++)
			index[k] = gen_i32(g, k);
		for (uint32_t k = 0; k + c < n; k += 2 * c)
			v[k] = LLVMBuildShuffleVector(g->b, v[k], v[k + c],
						      LLVMConstVector(index, g->L * c * 2), "");
		wide = v[0];
	}
	for (uint32_t k = 0; k < g->L * n; k++)
		index[k] = gen_i32(g, (k % n) * g->L + k / n);
	return LLVMBuildShuffleVector(g->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
				      LLVMConstVector(index, g->L * n), "");
}

static void store_far(struct gen *g, const struct place *p, LLVMValueRef *v, uint32_t n)
{
	LLVMTypeRef wide = gen_vec_type(g, g->i32);
	LLVMValueRef words = tmp_put(g, 0, place_words(g, p)), word;
	LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(v[0]));
	struct lane_loop loop;

	/* Temporary memory has 4 bytes for each lane. */
	for (uint32_t c = 0; c < n; c++)
		tmp_put(g, 1 + c, p->unit == 2 ? LLVMBuildZExt(g->b, v[c], wide, "") : v[c]);
	lanes_begin(g, g->mask, &loop);
	word = tmp_lane(g, g->i32, words, loop.lane);
	for (uint32_t c = 0; c < n; c++)
		gen_store(g, tmp_lane(g, t, tmp_ptr(g, 1 + c), loop.lane), place_at(g, p, word, c));
	lanes_end(g, &loop);
}

static void store_near(struct gen *g, const struct place *p, LLVMValueRef *v, uint32_t n,
		       bool masked)
{
	LLVMValueRef at = place_at(g, p, p->near, 0);
	LLVMValueRef args[4] = { v[0], at, gen_i32(g, p->unit), NULL };

	if (masked) {
		args[3] = mask_vec(g, g->mask);
		gen_call(g, "llvm.masked.store", LLVMTypeOf(v[0]), args, 4);
		return;
	}
	gen_store(g, n == 1 ? v[0] : interleave(g, v, n), at);
}

static void store_words(struct gen *g, const struct place *p, enum wgsl_kind kind,
			const struct val *v)
{
	bool scatter = !is_wide(g, p, v->n) || p->stride != v->n || v->n == 3;
	/* The first mask is almost always full: look, and do without masked stores. */
	bool masked = v->n == 1 && g->mask.v != NULL && g->mask.id != g->entry_mask.id;
	LLVMBasicBlockRef near, far, join;
	LLVMValueRef cond, words[4] = { NULL };

	if (p->kind == PLACE_ONE) {
		store_one(g, p, kind, v);
		return;
	}
	for (uint32_t c = 0; c < v->n; c++)
		words[c] = word_from(g, comp_vec(g, v->c[c]), kind);
	if (scatter) {
		store_far(g, p, words, v->n);
		return;
	}
	cond = p->fits ? p->fits : LLVMConstInt(g->i1, 1, false);
	if (!masked)
		cond = LLVMBuildAnd(g->b, cond, mask_all(g, g->mask), "");
	if (LLVMIsConstant(cond) && !LLVMIsNull(cond)) {
		store_near(g, p, words, v->n, masked);
		return;
	}
	near = gen_block(g, "near");
	far = gen_block(g, "far");
	join = gen_block(g, "stored");
	gen_if(g, cond, near, far);
	gen_at_end(g, far);
	store_far(g, p, words, v->n);
	gen_br(g, join);
	gen_at_end(g, near);
	store_near(g, p, words, v->n, masked);
	gen_br(g, join);
	gen_at_end(g, join);
}

void place_store(struct gen *g, const struct place *p, enum wgsl_kind kind, const struct val *v)
{
	if (kind_words(kind) == 1) {
		store_words(g, p, kind, v);
		return;
	}
	for (uint32_t c = 0; c < v->n; c++) {
		struct place half = *p;
		struct val two = { .n = 2 };

		half.first = 2 * c;
		comp_split(g, v->c[c], two.c);
		store_words(g, &half, WGSL_U32, &two);
	}
}
