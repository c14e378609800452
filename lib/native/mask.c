/* mask.c - sets of active lanes and loops over them; see gen_int.h. */
#include "native/gen_int.h"

#include "base/arena.h"

enum { MAX_CONDITIONS = 3 };

static uint32_t new_id(struct gen *g, struct mask_link link)
{
	arena_reserve(g->arena, &g->links, &g->cap_links, g->n_links, sizeof(g->links[0]));
	g->links[g->n_links] = link;
	return (uint32_t)g->n_links++;
}

LLVMValueRef mask_part(struct gen *g, LLVMValueRef cond)
{
	return LLVMTypeOf(cond) == g->mask_type ? cond
						: LLVMBuildSExt(g->b, cond, g->mask_type, "");
}

LLVMValueRef mask_whole(struct gen *g, struct mask m)
{
	return m.v ? m.v : LLVMConstAllOnes(g->mask_type);
}

LLVMValueRef mask_vec(struct gen *g, struct mask m)
{
	if (m.v == NULL)
		return LLVMConstAllOnes(gen_vec_type(g, g->i1));
	if (g->mask_type == gen_vec_type(g, g->i1))
		return m.v;
	return LLVMBuildICmp(g->b, LLVMIntSLT, m.v, LLVMConstNull(g->mask_type), "");
}

struct mask mask_from(struct gen *g, LLVMValueRef v, uint32_t parent, uint32_t exits)
{
	struct mask_link link = { .parent = parent, .exits = exits };

	return (struct mask){ .v = v, .id = new_id(g, link) };
}

struct mask mask_exits(struct gen *g, struct mask m, uint32_t parent, uint32_t exits)
{
	struct mask_link link = { .parent = parent, .exits = exits };

	if (m.id < g->n_links && g->links[m.id].parent == parent)
		link.cond = g->links[m.id].cond;
	return (struct mask){ .v = m.v, .id = new_id(g, link) };
}

static struct mask narrowed(struct gen *g, struct mask m, LLVMValueRef cond)
{
	struct mask_link link = { .parent = m.id, .cond = cond };

	LLVMValueRef wide = mask_part(g, cond);

	return (struct mask){ .v = m.v ? LLVMBuildAnd(g->b, m.v, wide, "") : wide,
			      .id = new_id(g, link) };
}

struct mask mask_and(struct gen *g, struct mask m, struct comp cond)
{
	return narrowed(g, m, comp_vec(g, cond));
}

struct mask mask_and_not(struct gen *g, struct mask m, struct comp cond)
{
	return narrowed(g, m, LLVMBuildNot(g->b, comp_vec(g, cond), ""));
}

static LLVMValueRef mask_bits(struct gen *g, struct mask m)
{
	return LLVMBuildBitCast(g->b, mask_vec(g, m), LLVMIntTypeInContext(g->ctx, g->L), "");
}

LLVMValueRef mask_any(struct gen *g, struct mask m)
{
	LLVMValueRef bits;

	if (m.v == NULL)
		return LLVMConstInt(g->i1, 1, false);
	if (g->mask_type == gen_vec_type(g, g->i1))
		bits = mask_bits(g, m);
	else
		bits = gen_call(g, "llvm.vector.reduce.or", g->mask_type, &m.v, 1);
	return LLVMBuildICmp(g->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "any");
}

LLVMValueRef mask_all(struct gen *g, struct mask m)
{
	LLVMValueRef bits;

	if (m.v == NULL)
		return LLVMConstInt(g->i1, 1, false);
	if (m.id == g->entry_mask.id && g->entry_all != NULL)
		return g->entry_all;
	bits = mask_bits(g, m);
	return LLVMBuildICmp(g->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "all");
}

LLVMValueRef mask_last(struct gen *g, struct mask m)
{
	LLVMValueRef bits, zeros, args[2];
	LLVMTypeRef t;

	if (m.v == NULL)
		return gen_i32(g, g->L - 1);
	bits = mask_bits(g, m);
	t = LLVMTypeOf(bits);
	args[0] = bits;
	args[1] = LLVMConstInt(g->i1, 0, false);
	zeros = gen_call(g, "llvm.ctlz", t, args, 2);
	zeros = LLVMBuildSub(g->b, gen_const(t, g->L - 1), zeros, "");
	/* Never out of the vector, even for an empty mask. */
	zeros = LLVMBuildAnd(g->b, zeros, gen_const(t, g->L - 1), "");
	return LLVMBuildIntCast2(g->b, zeros, g->i32, false, "last");
}

bool mask_is_none(struct mask m)
{
	return m.v != NULL && LLVMIsNull(m.v);
}

struct mask mask_none(struct gen *g)
{
	return mask_from(g, LLVMConstNull(g->mask_type), 0, 0);
}

bool mask_covers(struct gen *g, uint32_t id, uint32_t depth)
{
	uint32_t at = g->mask.id;

	while (at != id) {
		const struct mask_link *l = &g->links[at];

		if (at == 0 || l->exits == 0 || l->exits > depth + 1)
			return false;
		at = l->parent;
	}
	return true;
}

LLVMValueRef mask_since(struct gen *g, uint32_t id, uint32_t depth)
{
	LLVMValueRef all = NULL;
	uint32_t at = g->mask.id;

	for (int n = 0; at != id; at = g->links[at].parent) {
		const struct mask_link *l = &g->links[at];

		bool dead = l->exits != 0 && l->exits <= depth + 1;

		if (at == 0 || (l->cond == NULL && !dead))
			return mask_vec(g, g->mask);
		if (dead)
			continue;
		if (++n > MAX_CONDITIONS)
			return mask_vec(g, g->mask);
		all = all ? LLVMBuildAnd(g->b, all, l->cond, "") : l->cond;
	}
	return all ? all : mask_vec(g, g->mask);
}

/* ---- loops over lanes --------------------------------------------------------------------- */

static void next_word(struct gen *g, struct lane_loop *loop)
{
	LLVMBasicBlockRef body = gen_block(g, "word");
	LLVMValueRef n, at;

	gen_br(g, loop->outer);
	gen_at_end(g, loop->outer);
	n = gen_load(g, g->i64, loop->word);
	gen_if(g, LLVMBuildICmp(g->b, LLVMIntULT, n, gen_i64(g, g->L / 64), ""), body, loop->done);
	gen_at_end(g, body);
	at = gen_at(g, loop->words, LLVMBuildMul(g->b, n, gen_i64(g, 8), ""));
	gen_store(g, gen_load(g, g->i64, at), loop->bits);
	gen_store(g, LLVMBuildAdd(g->b, n, gen_i64(g, 1), ""), loop->word);
}

void lanes_begin(struct gen *g, struct mask m, struct lane_loop *loop)
{
	LLVMBasicBlockRef body = gen_block(g, "lane");
	LLVMValueRef args[2], bits, rest;

	*loop =
	    (struct lane_loop){ .head = gen_block(g, "lanes"), .done = gen_block(g, "lanes.end") };
	loop->bits = gen_borrow(g, g->i64);
	bits = mask_bits(g, m);
	if (g->L > 64) {
		loop->words = gen_borrow(g, LLVMTypeOf(bits));
		loop->outer = gen_block(g, "words");
		loop->word = gen_borrow(g, g->i64);
		gen_store(g, bits, loop->words);
		gen_store(g, gen_i64(g, 0), loop->word);
		next_word(g, loop);
	} else {
		gen_store(g, LLVMBuildIntCast2(g->b, bits, g->i64, false, ""), loop->bits);
	}
	gen_br(g, loop->head);
	gen_at_end(g, loop->head);
	bits = gen_load(g, g->i64, loop->bits);
	gen_if(g, LLVMBuildICmp(g->b, LLVMIntNE, bits, gen_i64(g, 0), ""), body,
	       loop->outer ? loop->outer : loop->done);
	gen_at_end(g, body);
	args[0] = bits;
	args[1] = LLVMConstInt(g->i1, 1, false);
	loop->lane = gen_call(g, "llvm.cttz", g->i64, args, 2);
	rest = LLVMBuildAnd(g->b, bits, LLVMBuildSub(g->b, bits, gen_i64(g, 1), ""), "");
	gen_store(g, rest, loop->bits);
	if (g->L > 64) {
		LLVMValueRef word =
		    LLVMBuildSub(g->b, gen_load(g, g->i64, loop->word), gen_i64(g, 1), "");

		word = LLVMBuildShl(g->b, word, gen_i64(g, 6), "");
		loop->lane = LLVMBuildAdd(g->b, loop->lane, word, "");
	}
}

void lanes_end(struct gen *g, struct lane_loop *loop)
{
	gen_br(g, loop->head);
	gen_at_end(g, loop->done);
	gen_give_back(g, loop->bits);
	gen_give_back(g, loop->words);
	gen_give_back(g, loop->word);
}

LLVMValueRef tmp_ptr(struct gen *g, uint32_t n)
{
	if (g->tmp[n] == NULL)
		g->tmp[n] = gen_alloca(g, gen_vec_type(g, g->i32), "tmp");
	return g->tmp[n];
}

LLVMValueRef tmp_put(struct gen *g, uint32_t n, LLVMValueRef vector)
{
	LLVMBuildStore(g->b, vector, tmp_ptr(g, n));
	return tmp_ptr(g, n);
}

static LLVMValueRef tmp_at(struct gen *g, LLVMValueRef tmp, LLVMValueRef lane)
{
	return gen_at(g, tmp, LLVMBuildShl(g->b, lane, gen_i64(g, 2), ""));
}

LLVMValueRef tmp_lane(struct gen *g, LLVMTypeRef type, LLVMValueRef tmp, LLVMValueRef lane)
{
	return gen_load(g, type, tmp_at(g, tmp, lane));
}

void tmp_set(struct gen *g, LLVMValueRef v, LLVMValueRef tmp, LLVMValueRef lane)
{
	gen_store(g, v, tmp_at(g, tmp, lane));
}
