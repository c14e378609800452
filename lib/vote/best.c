/* best.c - ArgMin, ArgMax, TopK: a short list of the best elements with their indexes. */
#include <string.h>

#include "base/mem.h"
#include "vote/vote_int.h"

static size_t capacity(const struct vote_state *s)
{
	return s->reduce == VOTE_TOP_K ? s->k : 1;
}

/* True if a comes before b in the list. */
static bool is_before(const struct vote_state *s, const struct vote_best *a,
		      const struct vote_best *b)
{
	bool nan_a = vote_is_nan(s->type, a->bits);
	bool nan_b = vote_is_nan(s->type, b->bits);
	uint64_t zero = vote_type_size(s->type) == 4 ? 0x80000000u : 0x8000000000000000u;
	uint64_t x = a->bits;
	uint64_t y = b->bits;

	if (nan_a != nan_b)
		return nan_b;
	if (vote_type_is_float(s->type)) {
		/* -0 and +0 are equal here. */
		x = x == zero ? 0 : x;
		y = y == zero ? 0 : y;
	}
	if (nan_a || x == y)
		return a->index < b->index;
	x = vote_order(s->type, x);
	y = vote_order(s->type, y);
	return s->reduce == VOTE_ARG_MIN ? x < y : x > y;
}

static void insert(struct vote_state *s, struct vote_best v)
{
	size_t low = 0;
	size_t high = s->n_best;

	if (s->best == NULL)
		s->best = NEW_ARRAY(struct vote_best, capacity(s));
	if (s->n_best == capacity(s) && !is_before(s, &v, &s->best[s->n_best - 1]))
		return;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (is_before(s, &v, &s->best[mid]))
			high = mid;
		else
			low = mid + 1;
	}
	if (s->n_best < capacity(s))
		s->n_best++;
	memmove(&s->best[low + 1], &s->best[low], (s->n_best - low - 1) * sizeof(v));
	s->best[low] = v;
}

static int best_add(struct vote_state *s, const struct vote_piece *p, struct err *err)
{
	size_t size = vote_type_size(s->type);

	(void)err;
	for (uint64_t i = 0; i < p->count; i++)
		insert(s, (struct vote_best){ .bits = vote_bits(s->type, p->scalars + i * size),
					      .index = p->first + i });
	return 0;
}

static int best_merge(struct vote_state *into, const struct vote_state *from, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < from->n_best; i++)
		insert(into, from->best[i]);
	return 0;
}

static int best_save(const struct vote_state *s, struct buf *b, struct err *err)
{
	unsigned char bytes[8];

	if (vote_put_varint(b, s->n_best, err) < 0)
		return err->code;
	for (size_t i = 0; i < s->n_best; i++) {
		vote_put_bits(s->type, s->best[i].bits, bytes);
		if (buf_add(b, bytes, vote_type_size(s->type), err) < 0 ||
		    vote_put_varint(b, s->best[i].index, err) < 0)
			return err->code;
	}
	return 0;
}

static int best_load(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	const unsigned char *bytes;
	struct vote_best v;
	uint64_t n;

	if (vote_get_varint(r, capacity(s), &n, err) < 0)
		return err->code;
	s->best = NEW_ARRAY(struct vote_best, capacity(s));
	for (uint64_t i = 0; i < n; i++) {
		if (vote_get_bytes(r, vote_type_size(s->type), &bytes, err) < 0 ||
		    vote_get_varint(r, UINT64_MAX, &v.index, err) < 0)
			return err->code;
		v.bits = vote_bits(s->type, bytes);
		if (i > 0 && !is_before(s, &s->best[i - 1], &v))
			return err_set(err, ERR_INVALID, "partial: elements are not in order");
		s->best[s->n_best++] = v;
	}
	return 0;
}

/* "[1,3,2]"; NULL if it is too long to show. Owned. */
static char *print_indexes(const struct vote_state *s)
{
	AUTO(buf_done) struct buf b = { .max = VOTE_MAX_VALUE };
	bool fits = buf_addf(&b, "[") == 0;

	for (size_t i = 0; i < s->n_best && fits; i++)
		fits = buf_addf(&b, "%s%llu", i > 0 ? "," : "",
				(unsigned long long)s->best[i].index) == 0;
	return fits && buf_addf(&b, "]") == 0 ? buf_take(&b) : NULL;
}

static int best_finish(const struct vote_state *s, struct vote_result *ret, struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = VOTE_NO_LIMIT };
	AUTO(buf_done) struct buf index = { .max = 32 };
	unsigned char bytes[8];

	for (size_t i = 0; i < s->n_best; i++) {
		vote_put_bits(s->type, s->best[i].bits, bytes);
		if (buf_add(&b, bytes, vote_type_size(s->type), err) < 0)
			return err->code;
	}
	if (vote_result_fill(ret, s->type, &b, s->reduce == VOTE_TOP_K, err) < 0)
		return err->code;
	if (s->reduce == VOTE_TOP_K) {
		ret->indexes = print_indexes(s);
	} else if (s->n_best > 0) {
		if (buf_addfe(&index, err, "%llu", (unsigned long long)s->best[0].index) < 0)
			return err->code;
		ret->index = buf_take(&index);
	}
	return 0;
}

static uint64_t best_largest(const struct vote_state *s, const struct vote_extent *e,
			     uint64_t chunks)
{
	uint64_t each = vote_type_size(s->type) + vote_varint_size(e->total);

	(void)chunks;
	return vote_sat_add(2, vote_sat_mul(capacity(s), each));
}

const struct vote_kind vote_kind_best = {
	.add = best_add,
	.merge = best_merge,
	.save = best_save,
	.load = best_load,
	.finish = best_finish,
	.largest = best_largest,
};
