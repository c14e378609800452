/*
 * runs.c - reducers that need the chunks themselves, in chunk order: Concat and Product of floats.
 *
 * Bytes wait in runs of consecutive chunks, sorted and never touching. Concat keeps them to the
 * end; the product folds the run that begins where folding ended.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "vote/vote_int.h"

/* The first run whose last chunk is >= chunk; s->n_runs if there is none. */
static size_t find_run(const struct vote_state *s, uint64_t chunk)
{
	size_t low = 0;
	size_t high = s->n_runs;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->runs[mid].last < chunk)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void remove_run(struct vote_state *s, size_t at)
{
	buf_done(&s->runs[at].bytes);
	memmove(&s->runs[at], &s->runs[at + 1], (s->n_runs - at - 1) * sizeof(s->runs[0]));
	s->n_runs--;
}

static int open_run(struct vote_state *s, size_t at, uint64_t first, uint64_t last, struct err *err)
{
	if (last > VOTE_MAX_CHUNK)
		return err_set(err, ERR_INVALID, "chunk %llu is out of range",
			       (unsigned long long)last);
	mem_reserve(&s->runs, &s->runs_cap, s->n_runs, sizeof(s->runs[0]));
	memmove(&s->runs[at + 1], &s->runs[at], (s->n_runs - at) * sizeof(s->runs[0]));
	s->runs[at] = (struct vote_run){ .first = first, .last = last, { .max = VOTE_NO_LIMIT } };
	s->n_runs++;
	return 0;
}

/* Add the bytes of the chunks first to last, joining runs that touch. */
static int add_run(struct vote_state *s, uint64_t first, uint64_t last, const void *bytes,
		   size_t len, struct err *err)
{
	size_t at = find_run(s, first);
	struct vote_run *r;

	if (at < s->n_runs && s->runs[at].first <= last)
		return err_set(err, ERR_EXISTS, "chunk %llu was added before",
			       (unsigned long long)first);
	if (at > 0 && s->runs[at - 1].last + 1 == first)
		at--;
	else if (open_run(s, at, first, last, err) < 0)
		return err->code;
	r = &s->runs[at];
	if (buf_add(&r->bytes, bytes, len, err) < 0)
		return err->code;
	r->last = last;
	if (at + 1 < s->n_runs && s->runs[at + 1].first == last + 1) {
		const struct buf *more = &s->runs[at + 1].bytes;

		if (buf_add(&r->bytes, buf_str(more), more->len, err) < 0)
			return err->code;
		r->last = s->runs[at + 1].last;
		remove_run(s, at + 1);
	}
	return 0;
}

static int merge_runs(struct vote_state *into, const struct vote_state *from, struct err *err)
{
	for (size_t i = 0; i < from->n_runs; i++) {
		const struct vote_run *r = &from->runs[i];

		if (add_run(into, r->first, r->last, buf_str(&r->bytes), r->bytes.len, err) < 0)
			return err->code;
	}
	return 0;
}

/* Number of runs; for each the gap before it, its chunks less one, its bytes. */
static int save_runs(const struct vote_state *s, struct buf *b, struct err *err)
{
	uint64_t next = 0;

	if (vote_put_varint(b, s->n_runs, err) < 0)
		return err->code;
	for (size_t i = 0; i < s->n_runs; i++) {
		const struct vote_run *r = &s->runs[i];

		if (vote_put_varint(b, r->first - next, err) < 0 ||
		    vote_put_varint(b, r->last - r->first, err) < 0 ||
		    vote_put_varint(b, r->bytes.len, err) < 0 ||
		    buf_add(b, buf_str(&r->bytes), r->bytes.len, err) < 0)
			return err->code;
		/* Runs do not touch: at least one chunk is missing before the next. */
		next = r->last + 2;
	}
	return 0;
}

static int load_runs(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	const unsigned char *bytes;
	uint64_t next = s->folded > 0 ? s->folded + 1 : 0;
	uint64_t at = 0;
	uint64_t n;
	uint64_t gap;
	uint64_t more;
	uint64_t len;

	if (vote_get_varint(r, r->left, &n, err) < 0)
		return err->code;
	for (uint64_t i = 0; i < n; i++) {
		if (vote_get_varint(r, VOTE_MAX_CHUNK, &gap, err) < 0 ||
		    vote_get_varint(r, VOTE_MAX_CHUNK, &more, err) < 0 ||
		    vote_get_varint(r, r->left, &len, err) < 0 ||
		    vote_get_bytes(r, len, &bytes, err) < 0)
			return err->code;
		if (at + gap < next)
			return err_set(err, ERR_INVALID, "partial: chunks are there twice");
		if (add_run(s, at + gap, at + gap + more, bytes, len, err) < 0)
			return err->code;
		at += gap + more + 2;
	}
	return 0;
}

/* What save_runs needs besides the bytes themselves. With a fixed size per chunk every gap saves
 * more bytes than another run costs; else half of the chunks may be runs of their own. Numbers
 * above 127 take another byte for at least 64 chunks each. */
static uint64_t runs_overhead(const struct vote_state *s, const struct vote_extent *e,
			      uint64_t chunks)
{
	uint64_t each = 2 + vote_varint_size(e->bytes);
	uint64_t few = 64 + chunks / 64;

	if (!vote_shape_has_array(s->shape))
		return few;
	return vote_sat_add(few, vote_sat_mul(chunks / 2 + 1, each));
}

/* Concat. */

static int concat_add(struct vote_state *s, const struct vote_piece *p, struct err *err)
{
	AUTO(mem_freep) unsigned char *padded = NULL;
	uint32_t stride = vote_shape_stride(s->shape);
	const unsigned char *bytes = p->bytes;
	size_t len = p->len;

	/* The padding behind the last element may be missing; between chunks it must not. */
	if (stride > 0 && vote_shape_fixed(s->shape) == 0 && len % stride != 0) {
		len += stride - len % stride;
		padded = mem_alloc(len);
		memcpy(padded, p->bytes, p->len);
		bytes = padded;
	}
	if (add_run(s, p->chunk, p->chunk, bytes, len, err) < 0)
		return err->code;
	s->scalars += p->count;
	return 0;
}

static int concat_merge(struct vote_state *into, const struct vote_state *from, struct err *err)
{
	into->scalars += from->scalars;
	return merge_runs(into, from, err);
}

static int concat_save(const struct vote_state *s, struct buf *b, struct err *err)
{
	if (vote_put_varint(b, s->scalars, err) < 0)
		return err->code;
	return save_runs(s, b, err);
}

/* The scalars that len bytes of `chunks` chunks hold; false if that cannot be. For a fixed part
 * with an array behind it the bytes alone do not say. */
static bool scalars_in(const struct vote_state *s, uint64_t chunks, uint64_t len, uint64_t *ret)
{
	uint32_t fixed = vote_shape_fixed(s->shape);
	uint32_t stride = vote_shape_stride(s->shape);
	uint64_t whole;

	if (stride == 0) {
		*ret = vote_sat_mul(chunks, vote_shape_scalars(s->shape, 0));
		return num_mul_u64(chunks, fixed, &whole) && whole == len;
	}
	*ret = len / stride * vote_shape_scalars(s->shape, 1);
	return len % stride == 0;
}

static bool is_uniform(const struct vote_state *s)
{
	return vote_shape_stride(s->shape) == 0 || vote_shape_fixed(s->shape) == 0;
}

static int concat_load(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	uint64_t sum = 0;

	if (vote_get_varint(r, UINT64_MAX >> 1, &s->scalars, err) < 0 || load_runs(s, r, err) < 0)
		return err->code;
	if (!is_uniform(s))
		return 0;
	for (size_t i = 0; i < s->n_runs; i++) {
		const struct vote_run *run = &s->runs[i];
		uint64_t n;

		if (!scalars_in(s, run->last - run->first + 1, run->bytes.len, &n))
			return err_set(err, ERR_INVALID, "partial: chunks of another size");
		sum = vote_sat_add(sum, n);
	}
	if (sum != s->scalars)
		return err_set(err, ERR_INVALID, "partial: another number of elements");
	return 0;
}

/* The whole as a JSON array; false if it is too long. */
static bool print_runs(const struct vote_state *s, const struct buf *bytes, struct buf *b)
{
	uint32_t fixed = vote_shape_fixed(s->shape);
	size_t step = vote_shape_stride(s->shape) == 0 ? fixed : bytes->len;
	struct err err = { 0 };
	bool first = true;

	if (!is_uniform(s) || buf_addc(b, '[', &err) < 0)
		return false;
	for (size_t at = 0; at < bytes->len && step > 0; at += step)
		if (vote_print_more(s->shape, bytes->data + at, step, &first, b, &err) < 0)
			return false;
	return buf_addc(b, ']', &err) == 0;
}

static int concat_finish(const struct vote_state *s, struct vote_result *ret, struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = VOTE_NO_LIMIT };
	AUTO(buf_done) struct buf text = { .max = VOTE_MAX_VALUE };

	for (size_t i = 0; i < s->n_runs; i++)
		if (buf_add(&b, buf_str(&s->runs[i].bytes), s->runs[i].bytes.len, err) < 0)
			return err->code;
	ret->type = s->type;
	ret->length = s->scalars;
	hash_bytes(buf_str(&b), b.len, &ret->sha256);
	if (print_runs(s, &b, &text))
		ret->value = buf_take(&text);
	ret->len = b.len;
	ret->bytes = (unsigned char *)buf_take(&b);
	return 0;
}

static uint64_t concat_largest(const struct vote_state *s, const struct vote_extent *e,
			       uint64_t chunks)
{
	return vote_sat_add(vote_varint_size(e->total) + 10,
			    vote_sat_add(e->bytes, runs_overhead(s, e, chunks)));
}

const struct vote_kind vote_kind_concat = {
	.add = concat_add,
	.merge = concat_merge,
	.save = concat_save,
	.load = concat_load,
	.finish = concat_finish,
	.largest = concat_largest,
};

/* Product of floats. Runs hold packed scalars, s->count of them per chunk. */

/* Multiply all chunks of a run into the products, in order. */
static void fold_run(const struct vote_state *s, const struct vote_run *r, double *products)
{
	size_t size = vote_type_size(s->type);
	const unsigned char *at = (const unsigned char *)buf_str(&r->bytes);

	if (s->count == 0)
		return;
	for (uint64_t c = r->first; c <= r->last; c++)
		for (uint64_t i = 0; i < s->count; i++, at += size)
			products[i] *= vote_double(s->type, vote_bits(s->type, at));
}

static double *new_products(const struct vote_state *s)
{
	double *products = NEW_ARRAY(double, s->count);

	for (uint64_t i = 0; i < s->count; i++)
		products[i] = 1;
	return products;
}

static void fold_ready(struct vote_state *s)
{
	if (s->n_runs == 0 || s->runs[0].first != s->folded)
		return;
	if (s->cells == NULL)
		s->cells = new_products(s);
	fold_run(s, &s->runs[0], s->cells);
	s->folded = s->runs[0].last + 1;
	remove_run(s, 0);
}

static int fold_add(struct vote_state *s, const struct vote_piece *p, struct err *err)
{
	if (s->started && p->count != s->count)
		return err_set(err, ERR_INVALID, "chunk %llu has %llu elements, others have %llu",
			       (unsigned long long)p->chunk, (unsigned long long)p->count,
			       (unsigned long long)s->count);
	if (p->chunk < s->folded)
		return err_set(err, ERR_EXISTS, "chunk %llu was added before",
			       (unsigned long long)p->chunk);
	s->started = true;
	s->count = p->count;
	if (add_run(s, p->chunk, p->chunk, p->scalars, p->count * vote_type_size(s->type), err) < 0)
		return err->code;
	fold_ready(s);
	return 0;
}

static int fold_merge(struct vote_state *into, const struct vote_state *from, struct err *err)
{
	if (!from->started)
		return 0;
	if (into->started && into->count != from->count)
		return err_set(err, ERR_INVALID, "some chunks have %llu elements, others %llu",
			       (unsigned long long)from->count, (unsigned long long)into->count);
	into->started = true;
	into->count = from->count;
	if (from->folded > 0) {
		if (into->folded > 0 || (into->n_runs > 0 && into->runs[0].first < from->folded))
			return err_set(err, ERR_EXISTS, "a chunk was added before");
		into->folded = from->folded;
		into->cells = mem_dup(from->cells, from->count * sizeof(double));
		fold_ready(into);
	}
	for (size_t i = 0; i < from->n_runs; i++)
		if (from->runs[i].first < into->folded)
			return err_set(err, ERR_EXISTS, "a chunk was added before");
	if (merge_runs(into, from, err) < 0)
		return err->code;
	fold_ready(into);
	return 0;
}

static void put_double(double v, unsigned char *out)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	num_put_u64(out, isnan(v) ? 0x7ff8000000000000u : bits);
}

static int save_products(const double *products, uint64_t n, struct buf *b, struct err *err)
{
	unsigned char bytes[8];

	for (uint64_t i = 0; i < n; i++) {
		put_double(products[i], bytes);
		if (buf_add(b, bytes, sizeof(bytes), err) < 0)
			return err->code;
	}
	return 0;
}

static int fold_save(const struct vote_state *s, struct buf *b, struct err *err)
{
	if (vote_put_varint(b, s->started ? s->count + 1 : 0, err) < 0)
		return err->code;
	if (!s->started)
		return 0;
	if (vote_put_varint(b, s->folded, err) < 0)
		return err->code;
	if (s->folded > 0 && save_products(s->cells, s->count, b, err) < 0)
		return err->code;
	return save_runs(s, b, err);
}

static int load_products(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	const unsigned char *bytes;
	double *products;

	if (s->folded == 0)
		return 0;
	if (s->count > r->left / 8)
		return err_set(err, ERR_INVALID, "partial: ends too early");
	products = new_products(s);
	s->cells = products;
	for (uint64_t i = 0; i < s->count; i++) {
		if (vote_get_bytes(r, 8, &bytes, err) < 0)
			return err->code;
		products[i] = vote_double(VOTE_F64, num_get_u64(bytes));
	}
	return 0;
}

static int fold_load(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	size_t size = vote_type_size(s->type);
	uint64_t count;
	uint64_t len;

	if (vote_get_varint(r, r->left, &count, err) < 0)
		return err->code;
	if (count == 0)
		return 0;
	s->count = count - 1;
	if (!vote_shape_has_array(s->shape) && s->count != vote_shape_scalars(s->shape, 0))
		return err_set(err, ERR_INVALID, "partial: another number of elements");
	s->started = true;
	if (vote_get_varint(r, VOTE_MAX_CHUNK, &s->folded, err) < 0 ||
	    load_products(s, r, err) < 0 || load_runs(s, r, err) < 0)
		return err->code;
	for (size_t i = 0; i < s->n_runs; i++) {
		const struct vote_run *run = &s->runs[i];

		if (!num_mul_u64(run->last - run->first + 1, s->count * size, &len) ||
		    len != run->bytes.len)
			return err_set(err, ERR_INVALID, "partial: chunks of another size");
	}
	if (s->folded == 0 && (s->n_runs == 0 || s->runs[0].first == 0))
		return err_set(err, ERR_INVALID, "partial: not a product");
	return 0;
}

static int fold_finish(const struct vote_state *s, struct vote_result *ret, struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = VOTE_NO_LIMIT };
	AUTO(mem_freep) double *products = new_products(s);

	if (s->cells != NULL && s->count > 0)
		memcpy(products, s->cells, s->count * sizeof(double));
	for (size_t i = 0; i < s->n_runs; i++)
		fold_run(s, &s->runs[i], products);
	if (save_products(products, s->count, &b, err) < 0)
		return err->code;
	return vote_result_fill(ret, VOTE_F64, &b, false, err);
}

static uint64_t fold_largest(const struct vote_state *s, const struct vote_extent *e,
			     uint64_t chunks)
{
	uint64_t waiting = vote_sat_mul(vote_sat_mul(e->scalars, vote_type_size(s->type)), chunks);

	return vote_sat_add(vote_sat_add(20 + vote_sat_mul(e->scalars, 8), waiting),
			    runs_overhead(s, e, chunks));
}

const struct vote_kind vote_kind_fold = {
	.add = fold_add,
	.merge = fold_merge,
	.save = fold_save,
	.load = fold_load,
	.finish = fold_finish,
	.largest = fold_largest,
};
