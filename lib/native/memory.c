/*
 * memory.c - loads and stores of variables; see gen_int.h.
 *
 * Plain variables of lanes are LLVM memory per component, which mem2reg turns into registers.
 * Arrays and structs of lanes are arrays of words, each with all lanes side by side. Everything
 * else is a place shared by lanes.
 */
#include "native/gen_int.h"

#include "base/mem.h"

/* Component that a path of a plain variable names; the first of all if it has no steps. */
static uint32_t first_component(const struct wgsl_path *p)
{
	return p->n_steps > 0 ? p->steps[0].index : 0;
}

static struct home *home_of(struct gen *g, const struct wgsl_path *p)
{
	return &g->homes[p->var->id];
}

static bool is_plain(struct gen *g, const struct wgsl_path *p)
{
	return var_is_lane(p->var) && g->plan->vars[p->var->id].is_plain;
}

static bool is_lane_words(struct gen *g, const struct wgsl_path *p)
{
	return var_is_lane(p->var) && !is_plain(g, p) && !home_of(g, p)->is_scalar;
}

/* Pointer to a word of all lanes; word: scalar. */
static LLVMValueRef lane_words_at(struct gen *g, const struct wgsl_path *p, LLVMValueRef word,
				  uint32_t plus)
{
	LLVMValueRef at = LLVMBuildZExt(g->b, word, g->i64, "");

	at = LLVMBuildAdd(g->b, at, gen_i64(g, plus), "");
	at = LLVMBuildMul(g->b, at, gen_i64(g, g->L * 4ULL), "");
	return gen_at(g, home_of(g, p)->words, at);
}

/* Pointer to the word of one lane. */
static LLVMValueRef lane_word_at(struct gen *g, const struct wgsl_path *p, LLVMValueRef words,
				 LLVMValueRef lane, uint32_t plus)
{
	LLVMValueRef at = lane_words_at(g, p, tmp_lane(g, g->i32, words, lane), plus);

	return gen_at(g, at, LLVMBuildShl(g->b, lane, gen_i64(g, 2), ""));
}

static void load_plain(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	struct home *h = home_of(g, i->path);
	uint32_t first = first_component(i->path);
	LLVMTypeRef t = gen_type(g, wgsl_type_base(i->type), !h->is_scalar);

	if (h->base != NULL && !g->plan->insts[i->id].is_after) {
		ret->c[0] = comp_affine(gen_load(g, g->i32, h->base), h->stride);
		return;
	}
	for (uint32_t c = 0; c < ret->n; c++)
		ret->c[c] =
		    comp_like(LLVMBuildLoad2(g->b, t, var_comps(g, i->path->var)[first + c], ""));
}

static void load_lane_words(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	uint32_t each = kind_words(kind);
	LLVMTypeRef t = kind == WGSL_F32 ? g->f32 : g->i32;
	struct comp word = path_words(g, i->path);
	struct comp parts[8] = { 0 };
	struct lane_loop loop;
	LLVMValueRef words, v;

	if (word.shape != UNIFORM) {
		words = tmp_put(g, 0, comp_vec(g, word));
		lanes_begin(g, (struct mask){ 0 }, &loop);
		for (uint32_t c = 0; c < ret->n * each; c++) {
			v = gen_load(g, t, lane_word_at(g, i->path, words, loop.lane, c));
			tmp_set(g, v, tmp_ptr(g, 1 + c), loop.lane);
		}
		lanes_end(g, &loop);
	}
	for (uint32_t c = 0; c < ret->n * each; c++) {
		LLVMValueRef at = word.shape == UNIFORM ? lane_words_at(g, i->path, word.v, c)
							: tmp_ptr(g, 1 + c);

		parts[c] = comp_varying(word_to(g, gen_load(g, gen_vec_type(g, t), at), kind));
	}
	for (uint32_t c = 0; c < ret->n; c++)
		ret->c[c] =
		    each == 1 ? parts[c] : comp_join(g, kind, parts[2 * c], parts[2 * c + 1]);
}

void memory_load(struct gen *g, const struct wgsl_inst *i, struct val *ret)
{
	struct place p;

	if (is_plain(g, i->path)) {
		load_plain(g, i, ret);
	} else if (is_lane_words(g, i->path)) {
		load_lane_words(g, i, ret);
	} else {
		place_of(g, i->path, &p);
		place_load(g, &p, wgsl_type_base(i->path->type), ret);
	}
}

/* What other lanes hold stays, unless it is dead. */
static LLVMValueRef merged(struct gen *g, const struct home *h, LLVMValueRef v, LLVMTypeRef t,
			   LLVMValueRef at)
{
	if (mask_covers(g, h->mask_id, h->depth))
		return v;
	return LLVMBuildSelect(g->b, mask_since(g, h->mask_id, h->depth), v,
			       LLVMBuildLoad2(g->b, t, at, ""), "");
}

/* The step of a store to a variable with h->base, made by the active lanes. */
static void step_lanes(struct gen *g, const struct wgsl_inst *i)
{
	LLVMValueRef at = var_comps(g, i->path->var)[0];
	LLVMValueRef step = gen_use(g, plan_step(i))->c[0].v;
	LLVMTypeRef t = gen_vec_type(g, g->i32);
	LLVMValueRef old = LLVMBuildLoad2(g->b, t, at, ""), v;

	if (i->args[0]->op == WGSL_OP_SUB)
		step = LLVMBuildNeg(g->b, step, "");
	if (g->mask.v == NULL || g->mask_type != t) {
		v = LLVMBuildAdd(g->b, old, gen_splat(g, step), "");
		if (g->mask.v != NULL)
			v = LLVMBuildSelect(g->b, mask_vec(g, g->mask), v, old, "");
	} else if (LLVMIsAConstantInt(step) && LLVMConstIntGetZExtValue(step) == 1) {
		/* An active lane's mask is -1. */
		v = LLVMBuildSub(g->b, old, g->mask.v, "");
	} else {
		v = LLVMBuildAnd(g->b, g->mask.v, gen_splat(g, step), "");
		v = LLVMBuildAdd(g->b, old, v, "");
	}
	LLVMBuildStore(g->b, v, at);
}

/* The first store decides whether lanes really differ by a stride only. True: that is all. */
static bool store_base(struct gen *g, const struct wgsl_inst *i, struct home *h, struct comp c)
{
	const struct plan_var *pv = &g->plan->vars[i->path->var->id];
	bool is_new = i->is_init && !pv->is_unsteady && !pv->is_shared && c.shape != VARYING;

	if (is_new) {
		h->base = gen_borrow(g, g->i32);
		h->stride = c.stride;
	}
	if (h->base == NULL)
		return false;
	ASSERT(c.shape != VARYING && c.stride == h->stride);
	gen_store(g, c.v, h->base);
	if (is_new)
		return !pv->is_used_after;
	if (pv->is_used_after)
		step_lanes(g, i);
	return true;
}

static void store_plain(struct gen *g, const struct wgsl_inst *i, const struct val *v)
{
	struct home *h = home_of(g, i->path);
	uint32_t first = first_component(i->path);

	if (store_base(g, i, h, v->c[0]))
		return;

	for (uint32_t c = 0; c < v->n; c++) {
		LLVMValueRef at = var_comps(g, i->path->var)[first + c];
		LLVMValueRef word = v->c[c].v;

		if (!h->is_scalar) {
			word = comp_vec(g, v->c[c]);
			word = merged(g, h, word, LLVMTypeOf(word), at);
		} else if (v->c[c].shape != UNIFORM) {
			word = LLVMBuildExtractElement(g->b, comp_vec(g, v->c[c]),
						       mask_last(g, g->mask), "");
		}
		LLVMBuildStore(g->b, word, at);
	}
}

/* The words of a value, as vectors; how many. */
static uint32_t lane_parts(struct gen *g, enum wgsl_kind kind, const struct val *v,
			   LLVMValueRef parts[8])
{
	struct comp halves[2];

	for (uint32_t c = 0; c < v->n; c++) {
		if (kind_words(kind) == 1) {
			parts[c] = word_from(g, comp_vec(g, v->c[c]), kind);
			continue;
		}
		comp_split(g, comp_varying(comp_vec(g, v->c[c])), halves);
		parts[2 * c] = halves[0].v;
		parts[2 * c + 1] = halves[1].v;
	}
	return v->n * kind_words(kind);
}

static void store_lane_words(struct gen *g, const struct wgsl_inst *i, const struct val *v)
{
	struct comp word = path_words(g, i->path);
	struct lane_loop loop;
	LLVMValueRef words, parts[8] = { NULL }, at;
	uint32_t n = lane_parts(g, wgsl_type_base(i->args[0]->type), v, parts);

	if (word.shape == UNIFORM) {
		for (uint32_t c = 0; c < n; c++) {
			at = lane_words_at(g, i->path, word.v, c);
			gen_store(
			    g, merged(g, home_of(g, i->path), parts[c], LLVMTypeOf(parts[c]), at),
			    at);
		}
		return;
	}
	words = tmp_put(g, 0, comp_vec(g, word));
	for (uint32_t c = 0; c < n; c++)
		tmp_put(g, 1 + c, parts[c]);
	lanes_begin(g, g->mask, &loop);
	for (uint32_t c = 0; c < n; c++) {
		LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(parts[c]));

		at = lane_word_at(g, i->path, words, loop.lane, c);
		gen_store(g, tmp_lane(g, t, tmp_ptr(g, 1 + c), loop.lane), at);
	}
	lanes_end(g, &loop);
}

/* Targets around all uses of what is being declared. What is used in a loop only may keep
 * anything in lanes that have left that loop, not just in those that have left the block. */
static uint32_t depth_of(struct gen *g, const struct plan_var *pv, const struct wgsl_var *v)
{
	uint32_t depth = g->targets ? g->targets->depth : 0;

	if (v->space != WGSL_SPACE_FUNCTION || pv->is_loose || pv->is_temporary || pv->has_users ||
	    pv->user == NULL || pv->user->op != WGSL_OP_LOOP)
		return depth;
	return g->plan->insts[pv->user->id].depth;
}

static void declare(struct gen *g, const struct wgsl_inst *i)
{
	struct home *h = home_of(g, i->path);

	const struct plan_var *pv = &g->plan->vars[i->path->var->id];

	if (!i->is_init)
		return;
	if (pv->is_plain && !pv->is_loose && !pv->is_shared &&
	    i->path->var->space == WGSL_SPACE_FUNCTION)
		var_declared(g, i->path->var->id);
	h->mask_id = g->mask.id;
	h->depth = depth_of(g, pv, i->path->var);
}

void memory_store(struct gen *g, const struct wgsl_inst *i)
{
	const struct val *v = gen_arg(g, i, 0);
	struct place p;

	if (var_is_lane(i->path->var))
		declare(g, i);
	if (is_plain(g, i->path)) {
		store_plain(g, i, v);
	} else if (is_lane_words(g, i->path)) {
		store_lane_words(g, i, v);
	} else {
		place_of(g, i->path, &p);
		place_store(g, &p, wgsl_type_base(i->path->type), v);
	}
}

void memory_zero(struct gen *g, const struct wgsl_inst *i)
{
	struct home *h = home_of(g, i->path);
	uint32_t bytes = i->path->type->size;
	struct val zero = { .n = wgsl_type_width(i->path->type) };
	struct comp word;
	LLVMValueRef at;

	declare(g, i);
	if (is_plain(g, i->path)) {
		enum wgsl_kind kind = wgsl_type_base(i->path->type);

		for (uint32_t c = 0; c < zero.n; c++)
			zero.c[c] = comp_uniform(LLVMConstNull(gen_type(g, kind, false)));
		store_plain(g, i, &zero);
		return;
	}
	word = path_words(g, i->path);
	if (word.shape != UNIFORM) {
		gen_fail(g, ERR_INVALID, "zeroing a part that differs between invocations");
		return;
	}
	at = h->is_scalar ? gen_at(g, h->words,
				   LLVMBuildShl(g->b, LLVMBuildZExt(g->b, word.v, g->i64, ""),
						gen_i64(g, 2), ""))
			  : lane_words_at(g, i->path, word.v, 0);
	LLVMBuildMemSet(g->b, at, LLVMConstInt(g->i8, 0, false),
			gen_i64(g, (uint64_t)bytes * (h->is_scalar ? 1 : g->L)), 4);
}
