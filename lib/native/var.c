/*
 * var.c - where function and private variables live; see gen_int.h.
 *
 * Copies that outlive a region of split code, and arrays, are in the scratch memory, so that the
 * stack stays small.
 */
#include "native/gen_int.h"

#include <string.h>

#include "base/arena.h"

enum { STACK_WORDS = 32 }; /* largest array of lanes on the stack, where LLVM can dissolve it */

bool var_is_lane(const struct wgsl_var *v)
{
	return v->space == WGSL_SPACE_FUNCTION || v->space == WGSL_SPACE_PRIVATE;
}

uint64_t gen_scratch(struct gen *g, uint64_t bytes)
{
	uint64_t at = g->scratch_bytes;

	g->scratch_bytes += (bytes + 63) / 64 * 64;
	return at;
}

static void plain_home(struct gen *g, const struct wgsl_var *v, struct home *h)
{
	uint32_t n = wgsl_type_width(v->type) * kind_words(wgsl_type_base(v->type));

	if (g->plan->is_split && g->plan->vars[v->id].is_shared) {
		h->block_bytes = (uint64_t)n * (h->is_scalar ? 16 : g->L * 4ULL);
		h->block_bytes = (h->block_bytes + 63) / 64 * 64;
		h->scratch = gen_scratch(g, h->block_bytes * g->plan->n_blocks);
	}
}

void var_declared(struct gen *g, uint32_t id)
{
	arena_reserve(g->arena, &g->declared, &g->cap_declared, g->n_declared,
		      sizeof(g->declared[0]));
	g->declared[g->n_declared++] = id;
}

/* A temporary begins with the instruction of its block that is being built. */
static void start_temporary(struct gen *g, uint32_t id)
{
	const struct wgsl_block *block = g->plan->vars[id].block;

	for (const struct range *r = g->ranges; r != NULL; r = r->outer) {
		if (r->first != block->first)
			continue;
		g->homes[id].mask_id = r->mask_id;
		g->homes[id].depth = r->depth;
		var_declared(g, id);
		return;
	}
}

LLVMValueRef *var_comps(struct gen *g, const struct wgsl_var *v)
{
	const struct plan_var *pv = &g->plan->vars[v->id];
	struct home *h = &g->homes[v->id];
	LLVMTypeRef t;
	bool is_scoped = !pv->is_loose && !pv->is_shared && v->space == WGSL_SPACE_FUNCTION;
	bool is_declared = is_scoped && !pv->is_temporary;

	if (h->comps[0] != NULL)
		return h->comps;
	if (is_scoped && pv->is_temporary)
		start_temporary(g, v->id);
	t = gen_type(g, wgsl_type_base(v->type), !h->is_scalar);
	for (uint32_t c = 0; c < wgsl_type_width(v->type); c++)
		/* What has no declaration may be stored first in a loop and be read after it: what
		 * was built before, in the same loop, must not write there in later passes. */
		h->comps[c] = is_declared ? gen_borrow(g, t) : gen_borrow_new(g, t);
	return h->comps;
}

void var_release(struct gen *g, uint32_t id)
{
	struct home *h = &g->homes[id];

	for (uint32_t c = 0; c < 4; c++)
		gen_give_back(g, h->comps[c]);
	gen_give_back(g, h->base);
	memset(h->comps, 0, sizeof(h->comps));
	h->base = NULL;
}

static void words_home(struct gen *g, const struct wgsl_var *v, struct home *h)
{
	uint64_t words = (v->type->size + 3) / 4;
	uint64_t bytes = words * 4 * (h->is_scalar ? 1 : g->L);
	bool copies = g->plan->is_split && g->plan->vars[v->id].is_shared;

	if (!copies && words <= STACK_WORDS) {
		LLVMTypeRef t = h->is_scalar ? g->i32 : gen_vec_type(g, g->i32);

		h->words = gen_alloca(g, LLVMArrayType2(t, words), v->name ? v->name : "");
		return;
	}
	h->in_scratch = true;
	h->block_bytes = copies ? (bytes + 63) / 64 * 64 : 0;
	h->scratch = gen_scratch(g, copies ? h->block_bytes * g->plan->n_blocks : bytes);
	h->words = gen_at(g, g->f.scratch, gen_i64(g, h->scratch));
}

void var_homes(struct gen *g)
{
	g->homes = arena_new_array(g->arena, struct home, g->m->n_vars);
	g->workgroup = arena_new_array(g->arena, LLVMValueRef, g->m->n_vars);
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		const struct wgsl_var *v = g->m->vars[n];
		struct home *h = &g->homes[n];

		if (v->space == WGSL_SPACE_WORKGROUP)
			g->workgroup[n] = gen_i64(g, gen_scratch(g, v->type->size));
		if (!var_is_lane(v))
			continue;
		h->is_scalar = v->is_uniform;
		if (g->plan->vars[n].is_plain)
			plain_home(g, v, h);
		else
			words_home(g, v, h);
	}
}

static void start_plain(struct gen *g, const struct wgsl_var *v, struct home *h)
{
	enum wgsl_kind kind = wgsl_type_base(v->type);

	for (uint32_t c = 0; c < wgsl_type_width(v->type); c++) {
		LLVMTypeRef t = gen_type(g, kind, false);
		LLVMValueRef value = LLVMConstNull(t);

		if (v->n_init > 0 && kind == WGSL_F64)
			value = LLVMConstBitCast(gen_i64(g, v->init[c]), t);
		else if (v->n_init > 0 && kind == WGSL_F32)
			value = LLVMConstBitCast(gen_i32(g, (uint32_t)v->init[c]), t);
		else if (v->n_init > 0)
			value = gen_const(t, v->init[c]);
		if (!h->is_scalar)
			value = gen_splat(g, value);
		LLVMBuildStore(g->b, value, var_comps(g, v)[c]);
	}
}

void var_start(struct gen *g)
{
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		const struct wgsl_var *v = g->m->vars[n];
		struct home *h = &g->homes[n];
		uint64_t lanes = h->is_scalar ? 1 : g->L;

		if (v->space != WGSL_SPACE_PRIVATE)
			continue;
		h->mask_id = g->entry_mask.id;
		h->depth = 0;
		if (g->plan->vars[n].is_plain)
			start_plain(g, v, h);
		else
			LLVMBuildMemSet(g->b, h->words, LLVMConstInt(g->i8, 0, false),
					gen_i64(g, (v->type->size + 3) / 4 * 4 * lanes), 4);
	}
}

/* ---- regions ------------------------------------------------------------------------------ */

static LLVMValueRef copy_at(struct gen *g, const struct home *h, uint32_t c)
{
	uint64_t each = h->is_scalar ? 4 : g->L * 4ULL;
	LLVMValueRef off = LLVMBuildZExt(g->b, g->block, g->i64, "");

	off = LLVMBuildMul(g->b, off, gen_i64(g, h->block_bytes), "");
	off = LLVMBuildAdd(g->b, off, gen_i64(g, h->scratch + c * each), "");
	return gen_at(g, g->f.scratch, off);
}

static void copy_plain(struct gen *g, const struct wgsl_var *v, struct home *h, bool out)
{
	enum wgsl_kind kind = wgsl_type_base(v->type);
	LLVMTypeRef t = gen_type(g, kind, !h->is_scalar);
	LLVMTypeRef w = gen_type(g, kind == WGSL_BOOL ? WGSL_U32 : kind, !h->is_scalar);

	for (uint32_t c = 0; c < wgsl_type_width(v->type); c++) {
		LLVMValueRef at = copy_at(g, h, c * kind_words(kind)), value;

		if (out) {
			value = LLVMBuildLoad2(g->b, t, var_comps(g, v)[c], "");
			gen_store(g, word_from(g, value, kind), at);
		} else {
			value = word_to(g, gen_load(g, w, at), kind);
			LLVMBuildStore(g->b, value, var_comps(g, v)[c]);
		}
	}
}

void var_enter_region(struct gen *g, const uint8_t *use)
{
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		struct home *h = &g->homes[n];

		if (use[n] == 0 || !g->plan->vars[n].is_shared)
			continue;
		if (g->plan->vars[n].is_plain)
			copy_plain(g, g->m->vars[n], h, false);
		else
			h->words = copy_at(g, h, 0);
	}
}

void var_leave_region(struct gen *g, const uint8_t *use)
{
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		if (use[n] == 0 || !g->plan->vars[n].is_shared || !g->plan->vars[n].is_plain)
			continue;
		if (use[n] & VAR_WRITTEN)
			copy_plain(g, g->m->vars[n], &g->homes[n], true);
		var_release(g, n);
	}
}
