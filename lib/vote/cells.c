/* cells.c - reducers that work element by element: Sum, Product, Min, Max, Count. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "vote/vote_int.h"

static enum vote_type widened(enum vote_type t)
{
	return t == VOTE_U32 || t == VOTE_U64 ? VOTE_U64 : VOTE_I64;
}

static enum vote_type same(enum vote_type t)
{
	return t;
}

static enum vote_type as_u64(enum vote_type t)
{
	(void)t;
	return VOTE_U64;
}

/* An integer scalar with its sign. */
static __int128 whole(enum vote_type t, const unsigned char *scalar)
{
	uint64_t bits = vote_bits(t, scalar);

	if (t == VOTE_I32)
		return (int32_t)(uint32_t)bits;
	return t == VOTE_I64 ? (__int128)(int64_t)bits : (__int128)bits;
}

/* Sum of integers: exact in 128 bits, which 2^63 chunks cannot fill. */

static size_t sum_size(enum vote_type t)
{
	(void)t;
	return sizeof(__int128);
}

static int sum_plus(void *cell, __int128 v, struct err *err)
{
	__int128 *sum = cell;

	if (__builtin_add_overflow(*sum, v, sum))
		return err_set(err, ERR_INVALID, "partial: a sum is out of range");
	return 0;
}

static int sum_add(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err)
{
	return sum_plus(cell, whole(t, scalar), err);
}

static int sum_merge(enum vote_type t, void *cell, const void *from, struct err *err)
{
	(void)t;
	return sum_plus(cell, *(const __int128 *)from, err);
}

static int sum_save(enum vote_type t, const void *cell, struct buf *b, struct err *err)
{
	__int128 v = *(const __int128 *)cell;

	(void)t;
	/* Zigzag: small numbers of both signs stay short. */
	return vote_put_varint(b, (unsigned __int128)v << 1 ^ (unsigned __int128)(v >> 127), err);
}

static int sum_load(enum vote_type t, void *cell, struct vote_reader *r, struct err *err)
{
	unsigned __int128 v;

	(void)t;
	if (vote_get_wide(r, &v, err) < 0)
		return err->code;
	*(__int128 *)cell = (__int128)(v >> 1 ^ (0 - (v & 1)));
	return 0;
}

static int sum_value(enum vote_type t, const void *cell, unsigned char *out, struct err *err)
{
	__int128 v = *(const __int128 *)cell;
	bool is_unsigned = widened(t) == VOTE_U64;

	if (is_unsigned ? v < 0 || v > UINT64_MAX : v < INT64_MIN || v > INT64_MAX)
		return err_set(err, ERR_TOO_BIG, "the sum does not fit %s",
			       vote_type_name(widened(t)));
	num_put_u64(out, (uint64_t)v);
	return 0;
}

static uint64_t sum_largest(enum vote_type t, uint64_t chunks)
{
	int bits = (int)vote_type_size(t) * 8 + vote_bits_needed(chunks) + 1;

	return (uint64_t)(bits + 6) / 7;
}

const struct vote_cell_kind vote_cell_sum = {
	.size = sum_size,
	.result = widened,
	.add = sum_add,
	.merge = sum_merge,
	.save = sum_save,
	.load = sum_load,
	.value = sum_value,
	.largest = sum_largest,
};

/* Product of integers: the magnitude of the factors that are not zero can only grow, so once it is
 * too large it stays so, in whatever order they come; a zero makes the product zero all the same.
 */

enum { PRODUCT_ZERO = 1, PRODUCT_NEGATIVE = 2, PRODUCT_OVERFLOW = 4 };

struct product {
	uint64_t magnitude; /* 0 = 1: no factor yet, or overflow */
	uint8_t flags;
};

static size_t product_size(enum vote_type t)
{
	(void)t;
	return sizeof(struct product);
}

static void product_times(struct product *p, uint64_t magnitude, uint8_t flags)
{
	uint64_t a = p->magnitude != 0 ? p->magnitude : 1;
	uint64_t b = magnitude != 0 ? magnitude : 1;
	uint8_t sign = (p->flags ^ flags) & PRODUCT_NEGATIVE;

	if (!num_mul_u64(a, b, &a))
		flags |= PRODUCT_OVERFLOW;
	p->flags = (uint8_t)(((p->flags | flags) & ~PRODUCT_NEGATIVE) | sign);
	p->magnitude = p->flags & PRODUCT_OVERFLOW || a == 1 ? 0 : a;
}

static int product_add(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err)
{
	__int128 v = whole(t, scalar);

	(void)err;
	product_times(cell, (uint64_t)(v < 0 ? -v : v),
		      (uint8_t)((v == 0 ? PRODUCT_ZERO : 0) | (v < 0 ? PRODUCT_NEGATIVE : 0)));
	return 0;
}

static int product_merge(enum vote_type t, void *cell, const void *from, struct err *err)
{
	const struct product *p = from;

	(void)t;
	(void)err;
	product_times(cell, p->magnitude, p->flags);
	return 0;
}

static int product_save(enum vote_type t, const void *cell, struct buf *b, struct err *err)
{
	const struct product *p = cell;

	(void)t;
	if (buf_add(b, &p->flags, 1, err) < 0)
		return err->code;
	return vote_put_varint(b, p->magnitude, err);
}

static int product_load(enum vote_type t, void *cell, struct vote_reader *r, struct err *err)
{
	struct product *p = cell;
	const unsigned char *flags;

	(void)t;
	if (vote_get_bytes(r, 1, &flags, err) < 0)
		return err->code;
	if (vote_get_varint(r, UINT64_MAX, &p->magnitude, err) < 0)
		return err->code;
	p->flags = *flags;
	if (p->flags > 7 || p->magnitude == 1 ||
	    ((p->flags & PRODUCT_OVERFLOW) != 0 && p->magnitude != 0))
		return err_set(err, ERR_INVALID, "partial: not a product");
	return 0;
}

static int product_value(enum vote_type t, const void *cell, unsigned char *out, struct err *err)
{
	const struct product *p = cell;
	uint64_t m = p->magnitude != 0 ? p->magnitude : 1;
	bool negative = (p->flags & PRODUCT_NEGATIVE) != 0;
	uint64_t limit = UINT64_MAX;

	if (p->flags & PRODUCT_ZERO) {
		num_put_u64(out, 0);
		return 0;
	}
	if (widened(t) == VOTE_I64)
		limit = (uint64_t)INT64_MAX + negative;
	if ((p->flags & PRODUCT_OVERFLOW) != 0 || m > limit)
		return err_set(err, ERR_TOO_BIG, "the product does not fit %s",
			       vote_type_name(widened(t)));
	num_put_u64(out, negative ? 0 - m : m);
	return 0;
}

static uint64_t product_largest(enum vote_type t, uint64_t chunks)
{
	(void)t;
	(void)chunks;
	return 11;
}

const struct vote_cell_kind vote_cell_product = {
	.size = product_size,
	.result = widened,
	.add = product_add,
	.merge = product_merge,
	.save = product_save,
	.load = product_load,
	.value = product_value,
	.largest = product_largest,
};

/* Min and Max: NaN wins over everything. */

struct extreme {
	uint64_t bits;
	bool seen;
};

static size_t extreme_size(enum vote_type t)
{
	(void)t;
	return sizeof(struct extreme);
}

static void extreme_take(enum vote_type t, struct extreme *e, uint64_t bits, bool want_max)
{
	uint64_t old;
	uint64_t new;

	if (e->seen && vote_is_nan(t, e->bits))
		return;
	if (!e->seen || vote_is_nan(t, bits)) {
		*e = (struct extreme){ .bits = bits, .seen = true };
		return;
	}
	old = vote_order(t, e->bits);
	new = vote_order(t, bits);
	if (want_max ? new > old : new < old)
		e->bits = bits;
}

static int min_add(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err)
{
	(void)err;
	extreme_take(t, cell, vote_bits(t, scalar), false);
	return 0;
}

static int max_add(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err)
{
	(void)err;
	extreme_take(t, cell, vote_bits(t, scalar), true);
	return 0;
}

static int min_merge(enum vote_type t, void *cell, const void *from, struct err *err)
{
	(void)err;
	extreme_take(t, cell, ((const struct extreme *)from)->bits, false);
	return 0;
}

static int max_merge(enum vote_type t, void *cell, const void *from, struct err *err)
{
	(void)err;
	extreme_take(t, cell, ((const struct extreme *)from)->bits, true);
	return 0;
}

static int extreme_value(enum vote_type t, const void *cell, unsigned char *out, struct err *err)
{
	(void)err;
	vote_put_bits(t, ((const struct extreme *)cell)->bits, out);
	return 0;
}

static int extreme_save(enum vote_type t, const void *cell, struct buf *b, struct err *err)
{
	unsigned char bytes[8];

	vote_put_bits(t, ((const struct extreme *)cell)->bits, bytes);
	return buf_add(b, bytes, vote_type_size(t), err);
}

static int extreme_load(enum vote_type t, void *cell, struct vote_reader *r, struct err *err)
{
	const unsigned char *bytes;

	if (vote_get_bytes(r, vote_type_size(t), &bytes, err) < 0)
		return err->code;
	*(struct extreme *)cell = (struct extreme){ .bits = vote_bits(t, bytes), .seen = true };
	return 0;
}

static uint64_t extreme_largest(enum vote_type t, uint64_t chunks)
{
	(void)chunks;
	return vote_type_size(t);
}

const struct vote_cell_kind vote_cell_min = {
	.size = extreme_size,
	.result = same,
	.add = min_add,
	.merge = min_merge,
	.save = extreme_save,
	.load = extreme_load,
	.value = extreme_value,
	.largest = extreme_largest,
};

const struct vote_cell_kind vote_cell_max = {
	.size = extreme_size,
	.result = same,
	.add = max_add,
	.merge = max_merge,
	.save = extreme_save,
	.load = extreme_load,
	.value = extreme_value,
	.largest = extreme_largest,
};

/* Count of elements that are not zero. */

static size_t count_size(enum vote_type t)
{
	(void)t;
	return sizeof(uint64_t);
}

static int count_add(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err)
{
	uint64_t bits = vote_bits(t, scalar);
	/* -0 is zero. */
	uint64_t sign = t == VOTE_F32 ? 0x80000000u : t == VOTE_F64 ? 0x8000000000000000u : 0;

	(void)err;
	*(uint64_t *)cell += (bits & ~sign) != 0;
	return 0;
}

static int count_merge(enum vote_type t, void *cell, const void *from, struct err *err)
{
	(void)t;
	if (!num_add_u64(*(uint64_t *)cell, *(const uint64_t *)from, cell))
		return err_set(err, ERR_INVALID, "partial: a count is out of range");
	return 0;
}

static int count_save(enum vote_type t, const void *cell, struct buf *b, struct err *err)
{
	(void)t;
	return vote_put_varint(b, *(const uint64_t *)cell, err);
}

static int count_load(enum vote_type t, void *cell, struct vote_reader *r, struct err *err)
{
	(void)t;
	return vote_get_varint(r, UINT64_MAX >> 1, cell, err);
}

static int count_value(enum vote_type t, const void *cell, unsigned char *out, struct err *err)
{
	(void)t;
	(void)err;
	num_put_u64(out, *(const uint64_t *)cell);
	return 0;
}

static uint64_t count_largest(enum vote_type t, uint64_t chunks)
{
	(void)t;
	return vote_varint_size(chunks);
}

const struct vote_cell_kind vote_cell_count = {
	.size = count_size,
	.result = as_u64,
	.add = count_add,
	.merge = count_merge,
	.save = count_save,
	.load = count_load,
	.value = count_value,
	.largest = count_largest,
};

/* All of them, over an array of cells. */

static unsigned char *cell_at(const struct vote_state *s, uint64_t i)
{
	return (unsigned char *)s->cells + i * s->cell->size(s->type);
}

static void cells_start(struct vote_state *s, uint64_t count)
{
	s->started = true;
	s->count = count;
	s->cells = mem_alloc_array(count, s->cell->size(s->type));
}

static int cells_add(struct vote_state *s, const struct vote_piece *p, struct err *err)
{
	size_t size = vote_type_size(s->type);

	if (!s->started)
		cells_start(s, p->count);
	if (p->count != s->count)
		return err_set(err, ERR_INVALID, "chunk %llu has %llu elements, others have %llu",
			       (unsigned long long)p->chunk, (unsigned long long)p->count,
			       (unsigned long long)s->count);
	for (uint64_t i = 0; i < p->count; i++)
		if (s->cell->add(s->type, cell_at(s, i), p->scalars + i * size, err) < 0)
			return err->code;
	return 0;
}

static int cells_merge(struct vote_state *into, const struct vote_state *from, struct err *err)
{
	if (!from->started)
		return 0;
	if (!into->started)
		cells_start(into, from->count);
	if (into->count != from->count)
		return err_set(err, ERR_INVALID, "some chunks have %llu elements, others %llu",
			       (unsigned long long)from->count, (unsigned long long)into->count);
	for (uint64_t i = 0; i < into->count; i++)
		if (into->cell->merge(into->type, cell_at(into, i), cell_at(from, i), err) < 0)
			return err->code;
	return 0;
}

static int cells_save(const struct vote_state *s, struct buf *b, struct err *err)
{
	if (vote_put_varint(b, s->started ? s->count + 1 : 0, err) < 0)
		return err->code;
	for (uint64_t i = 0; i < s->count; i++)
		if (s->cell->save(s->type, cell_at(s, i), b, err) < 0)
			return err->code;
	return 0;
}

static int cells_load(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	uint64_t count;

	/* Every cell takes at least a byte, so the text bounds the memory. */
	if (vote_get_varint(r, r->left, &count, err) < 0)
		return err->code;
	if (count == 0)
		return 0;
	if (!vote_shape_has_array(s->shape) && count - 1 != vote_shape_scalars(s->shape, 0))
		return err_set(err, ERR_INVALID, "partial: another number of elements");
	cells_start(s, count - 1);
	for (uint64_t i = 0; i < s->count; i++)
		if (s->cell->load(s->type, cell_at(s, i), r, err) < 0)
			return err->code;
	return 0;
}

static int cells_finish(const struct vote_state *s, struct vote_result *ret, struct err *err)
{
	enum vote_type type = s->cell->result(s->type);
	AUTO(buf_done) struct buf b = { .max = VOTE_NO_LIMIT };
	size_t size = vote_type_size(type);
	unsigned char out[8];

	for (uint64_t i = 0; i < s->count; i++) {
		if (s->cell->value(s->type, cell_at(s, i), out, err) < 0)
			return s->count == 1 ? err->code
					     : err_wrap(err, "element %llu", (unsigned long long)i);
		if (buf_add(&b, out, size, err) < 0)
			return err->code;
	}
	return vote_result_fill(ret, type, &b, false, err);
}

static uint64_t cells_largest(const struct vote_state *s, const struct vote_extent *e,
			      uint64_t chunks)
{
	return vote_sat_add(vote_varint_size(vote_sat_add(e->scalars, 1)),
			    vote_sat_mul(e->scalars, s->cell->largest(s->type, chunks)));
}

const struct vote_kind vote_kind_cells = {
	.add = cells_add,
	.merge = cells_merge,
	.save = cells_save,
	.load = cells_load,
	.finish = cells_finish,
	.largest = cells_largest,
};
