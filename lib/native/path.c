/* path.c - where in memory a path leads: offsets, clamps, runs of neighbours; see gen_int.h. */
#include "native/gen_int.h"

#include "base/mem.h"

struct walk {
	LLVMValueRef near, fits;
	uint32_t unit;     /* bytes of a word */
	uint32_t constant; /* words */
	uint32_t inner;    /* constant words since the step that varies */
	uint32_t stride;   /* words per lane of the step that varies; 0: none yet */
	bool is_far;
};

static uint32_t unit_of(const struct wgsl_path *p)
{
	return wgsl_type_base(p->type) == WGSL_F16 ? 2 : 4;
}

/* Elements of what a step goes into; NULL: constant in *count. */
static LLVMValueRef length_of(struct gen *g, const struct wgsl_path *p, const struct wgsl_type *in,
			      uint32_t *count)
{
	*count = in->count;
	if (in->kind != WGSL_ARRAY || in->count != 0)
		return NULL;
	for (uint32_t n = 0; n < g->m->n_bindings; n++) {
		const struct wgsl_binding *b = &g->m->bindings[n];

		if (b->group == p->var->group && b->binding == p->var->binding)
			return g->f.length[n];
	}
	gen_fail(g, ERR_INVALID, "a runtime-sized array outside of bindings");
	return gen_i32(g, 1);
}

static LLVMValueRef length_value(struct gen *g, const struct wgsl_path *p,
				 const struct wgsl_type *in)
{
	uint32_t count;
	LLVMValueRef n = length_of(g, p, in, &count);

	return n ? n : gen_i32(g, count);
}

struct comp memory_length(struct gen *g, const struct wgsl_path *p)
{
	return comp_uniform(length_value(g, p, p->type));
}

static uint32_t stride_of(const struct wgsl_type *in)
{
	return in->kind == WGSL_VEC ? in->elem->size : in->stride;
}

/* The index taken as u32, at most n - 1. */
static struct comp clamped(struct gen *g, struct comp index, LLVMValueRef n)
{
	LLVMValueRef last = LLVMBuildSub(g->b, n, gen_i32(g, 1), ""), over;
	struct comp l = comp_uniform(last);

	comp_pair(g, &index, &l);
	over = LLVMBuildICmp(g->b, LLVMIntULT, index.v, l.v, "");
	return comp_like(LLVMBuildSelect(g->b, over, index.v, l.v, ""));
}

static struct comp step_index(struct gen *g, const struct wgsl_path *p, const struct wgsl_step *s,
			      const struct wgsl_type *in)
{
	struct comp index;
	bool safe;

	if (s->kind == WGSL_STEP_CONST)
		index = comp_uniform(gen_i32(g, s->index));
	else
		index = gen_use(g, s->value)->c[0];
	/* What is proved holds for active lanes only. */
	safe = s->in_range && (index.shape == UNIFORM || g->mask.v == NULL);
	if (s->kind == WGSL_STEP_CONST)
		safe = in->kind != WGSL_ARRAY || in->count != 0;
	if (safe || g->o->no_clamps)
		return index;
	if (in->kind == WGSL_VEC && s->kind == WGSL_STEP_CONST)
		return index;
	return clamped(g, index, length_value(g, p, in));
}

struct comp path_words(struct gen *g, const struct wgsl_path *p)
{
	const struct wgsl_type *in = p->var->type;
	struct comp at = comp_uniform(gen_i32(g, 0));
	uint32_t unit = unit_of(p);
	struct comp part;

	for (uint32_t n = 0; n < p->n_steps; n++) {
		const struct wgsl_step *s = &p->steps[n];

		if (s->kind == WGSL_STEP_MEMBER) {
			part = comp_uniform(gen_i32(g, in->members[s->index].offset / unit));
		} else {
			part = step_index(g, p, s, in);
			part = comp_mul(g, part, comp_uniform(gen_i32(g, stride_of(in) / unit)));
		}
		at = comp_add(g, at, part);
		in = s->type;
	}
	return at;
}

/* A step with a known index. */
static void walk_constant(struct gen *g, struct walk *w, uint32_t words)
{
	(void)g;
	w->constant += words;
	if (w->stride != 0)
		w->inner += words;
}

static void walk_uniform(struct gen *g, struct walk *w, struct comp index, uint32_t stride)
{
	LLVMValueRef part = LLVMBuildMul(g->b, index.v, gen_i32(g, stride), "");

	w->near = LLVMBuildAdd(g->b, w->near, part, "");
	if (w->stride != 0)
		w->is_far = true;
}

/* A step whose index is base + stride * lane: do all lanes stay inside? */
static void walk_affine(struct gen *g, struct walk *w, struct comp index, LLVMValueRef n,
			bool proved)
{
	uint64_t reach = (uint64_t)(uint32_t)index.stride * (g->L - 1);
	LLVMValueRef end, fits;

	if (proved)
		return;
	end = LLVMBuildZExt(g->b, index.v, g->i64, "");
	end = LLVMBuildAdd(g->b, end, gen_i64(g, reach), "");
	n = LLVMBuildZExt(g->b, n, g->i64, "");
	fits = LLVMBuildICmp(g->b, LLVMIntULT, end, n, "fits");
	w->fits = w->fits ? LLVMBuildAnd(g->b, w->fits, fits, "") : fits;
}

static void walk_dynamic(struct gen *g, struct walk *w, const struct wgsl_path *p,
			 const struct wgsl_step *s, const struct wgsl_type *in)
{
	struct comp index = gen_use(g, s->value)->c[0];
	uint32_t stride = stride_of(in) / w->unit;
	bool proved = (s->in_range && g->mask.v == NULL) || g->o->no_clamps;

	if (index.shape == UNIFORM) {
		walk_uniform(g, w, step_index(g, p, s, in), stride);
		return;
	}
	if (index.shape == VARYING || index.stride < 0 || w->stride != 0) {
		w->is_far = true;
		w->stride = 1;
		return;
	}
	walk_affine(g, w, index, length_value(g, p, in), proved);
	w->stride = stride * (uint32_t)index.stride;
	w->near =
	    LLVMBuildAdd(g->b, w->near, LLVMBuildMul(g->b, index.v, gen_i32(g, stride), ""), "");
}

static LLVMValueRef base_of(struct gen *g, const struct wgsl_var *v, struct place *ret)
{
	if (v->space == WGSL_SPACE_WORKGROUP) {
		ret->is_private = true;
		return gen_at(g, g->f.scratch, g->workgroup[v->id]);
	}
	if (var_is_lane(v)) {
		ret->is_private = true;
		return g->homes[v->id].words;
	}
	ret->is_constant = v->space == WGSL_SPACE_UNIFORM || v->access == WGSL_ACCESS_READ;
	for (uint32_t n = 0; n < g->m->n_bindings; n++)
		if (g->m->bindings[n].group == v->group && g->m->bindings[n].binding == v->binding)
			return g->f.data[n];
	gen_fail(g, ERR_INVALID, "a resource that is no binding");
	return g->f.scratch;
}

static bool step_is_known(const struct wgsl_step *s, const struct wgsl_type *in)
{
	return s->kind == WGSL_STEP_CONST && !(in->kind == WGSL_ARRAY && in->count == 0);
}

void place_of(struct gen *g, const struct wgsl_path *p, struct place *ret)
{
	const struct wgsl_type *in = p->var->type;
	struct walk w = { .near = gen_i32(g, 0), .unit = unit_of(p) };

	*ret = (struct place){ .path = p, .unit = w.unit };
	ret->base = base_of(g, p->var, ret);
	for (uint32_t n = 0; n < p->n_steps; n++) {
		const struct wgsl_step *s = &p->steps[n];

		if (s->kind == WGSL_STEP_MEMBER)
			walk_constant(g, &w, in->members[s->index].offset / w.unit);
		else if (step_is_known(s, in))
			walk_constant(g, &w, s->index * (stride_of(in) / w.unit));
		else if (s->kind == WGSL_STEP_CONST)
			walk_uniform(g, &w, step_index(g, p, s, in), stride_of(in) / w.unit);
		else
			walk_dynamic(g, &w, p, s, in);
		in = s->type;
	}
	ret->near = LLVMBuildAdd(g->b, w.near, gen_i32(g, w.constant), "");
	ret->kind = w.is_far ? PLACE_FAR : w.stride ? PLACE_NEAR : PLACE_ONE;
	ret->fits = w.fits;
	ret->stride = w.stride;
	ret->inner = w.inner;
}

LLVMValueRef place_words(struct gen *g, const struct place *p)
{
	return comp_vec(g, path_words(g, p->path));
}

LLVMValueRef place_at(struct gen *g, const struct place *p, LLVMValueRef word, uint32_t plus)
{
	LLVMValueRef at = LLVMBuildZExt(g->b, word, g->i64, "");

	at = LLVMBuildAdd(g->b, at, gen_i64(g, p->first + plus), "");
	return gen_at(g, p->base, LLVMBuildShl(g->b, at, gen_i64(g, p->unit / 2), ""));
}
