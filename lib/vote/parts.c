/*
 * parts.c - Concat by digest: size and SHA-256 of each chunk's bytes, which the caller keeps.
 *
 * Chunks mostly come in ascending order, but many agents work at once. A part that comes late
 * goes into a short list behind the long one and moves there with many others, so that a million
 * parts in any order need seconds, not hours.
 */
#include <string.h>

#include "base/mem.h"
#include "vote/vote_int.h"

enum {
	MAX_LATE = 2048,
	PART_SIZE = HASH_SIZE + 1, /* bytes that a saved part takes at least */
};

/* The first of the parts from low to high - 1 whose chunk is >= chunk; high if there is none. */
static size_t find(const struct vote_parts *p, size_t low, size_t high, uint64_t chunk)
{
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->all[mid].chunk < chunk)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Merge the second list into the first, from behind: what comes before its parts stays. */
static void settle(struct vote_parts *p)
{
	AUTO(mem_freep) struct vote_part *late = NULL;
	size_t n_late = p->n - p->in_order;
	size_t i = p->in_order;

	if (n_late == 0)
		return;
	late = mem_dup(&p->all[i], n_late * sizeof(late[0]));
	for (size_t at = p->n; n_late > 0; at--) {
		if (i > 0 && p->all[i - 1].chunk > late[n_late - 1].chunk)
			p->all[at - 1] = p->all[--i];
		else
			p->all[at - 1] = late[--n_late];
	}
	p->in_order = p->n;
}

static int insert(struct vote_parts *p, const struct vote_part *part, struct err *err)
{
	size_t at;
	size_t late;

	if (p->n - p->in_order == MAX_LATE)
		settle(p);
	at = find(p, 0, p->in_order, part->chunk);
	late = find(p, p->in_order, p->n, part->chunk);
	if ((at < p->in_order && p->all[at].chunk == part->chunk) ||
	    (late < p->n && p->all[late].chunk == part->chunk))
		return err_set(err, ERR_EXISTS, "chunk %llu was added before",
			       (unsigned long long)part->chunk);
	mem_reserve(&p->all, &p->cap, p->n, sizeof(p->all[0]));
	memmove(&p->all[late + 1], &p->all[late], (p->n - late) * sizeof(p->all[0]));
	p->all[late] = *part;
	if (at == p->n)
		p->in_order++;
	p->n++;
	return 0;
}

/* The scalars of a part of len bytes. */
static int measure(const struct vote_state *s, uint64_t len, uint64_t *ret, struct err *err)
{
	uint32_t stride = vote_shape_stride(s->shape);
	uint64_t elements;

	if (len > VOTE_NO_LIMIT)
		return err_set(err, ERR_TOO_BIG, "%llu bytes, at most %d", (unsigned long long)len,
			       VOTE_NO_LIMIT);
	if (vote_shape_elements(s->shape, len, &elements, err) < 0)
		return err->code;
	if (stride > 0 && vote_shape_fixed(s->shape) == 0 && len % stride != 0)
		return err_set(err, ERR_INVALID, "%llu bytes end without their padding",
			       (unsigned long long)len);
	*ret = vote_shape_scalars(s->shape, elements);
	return 0;
}

/* The sums cannot wrap: a part is at most 2^30 bytes, and as many parts as that would take do not
 * fit into any memory. A scalar takes at least a byte. */
static int put(struct vote_state *s, const struct vote_part *part, struct err *err)
{
	uint64_t scalars = 0;

	if (part->chunk > VOTE_MAX_CHUNK)
		return err_set(err, ERR_INVALID, "chunk %llu is out of range",
			       (unsigned long long)part->chunk);
	if (measure(s, part->len, &scalars, err) < 0)
		return err_wrap(err, "chunk %llu", (unsigned long long)part->chunk);
	if (insert(s->parts, part, err) < 0)
		return err->code;
	s->scalars += scalars;
	s->bytes += part->len;
	return 0;
}

static int parts_add(struct vote_state *s, const struct vote_piece *p, struct err *err)
{
	struct vote_part part = { .chunk = p->chunk, .len = p->len };

	hash_bytes(p->bytes, p->len, &part.sha256);
	return put(s, &part, err);
}

static int parts_merge(struct vote_state *into, const struct vote_state *from, struct err *err)
{
	for (size_t i = 0; i < from->parts->n; i++)
		if (put(into, &from->parts->all[i], err) < 0)
			return err->code;
	return 0;
}

/* The length of the run of consecutive chunks that begins at part i. */
static size_t run_at(const struct vote_parts *p, size_t i)
{
	size_t n = 1;

	while (i + n < p->n && p->all[i + n].chunk == p->all[i].chunk + n)
		n++;
	return n;
}

static int save_run(const struct vote_part *parts, size_t n, struct buf *b, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (vote_put_varint(b, parts[i].len, err) < 0 ||
		    buf_add(b, parts[i].sha256.bytes, HASH_SIZE, err) < 0)
			return err->code;
	return 0;
}

/* Number of runs of consecutive chunks; for each the gap before it, its chunks less one, and the
 * size and digest of each. */
static int parts_save(const struct vote_state *s, struct buf *b, struct err *err)
{
	const struct vote_parts *p = s->parts;
	uint64_t next = 0;
	size_t runs = 0;
	size_t n;

	settle(s->parts);
	for (size_t i = 0; i < p->n; i += run_at(p, i))
		runs++;
	if (vote_put_varint(b, runs, err) < 0)
		return err->code;
	for (size_t i = 0; i < p->n; i += n) {
		n = run_at(p, i);
		if (vote_put_varint(b, p->all[i].chunk - next, err) < 0 ||
		    vote_put_varint(b, n - 1, err) < 0 || save_run(&p->all[i], n, b, err) < 0)
			return err->code;
		/* Runs do not touch: at least one chunk is missing before the next. */
		next = p->all[i].chunk + n + 1;
	}
	return 0;
}

static int load_run(struct vote_state *s, uint64_t first, uint64_t n, struct vote_reader *r,
		    struct err *err)
{
	const unsigned char *digest;
	struct vote_part part;

	for (uint64_t i = 0; i < n; i++) {
		part.chunk = first + i;
		if (vote_get_varint(r, VOTE_NO_LIMIT, &part.len, err) < 0 ||
		    vote_get_bytes(r, HASH_SIZE, &digest, err) < 0)
			return err->code;
		memcpy(part.sha256.bytes, digest, HASH_SIZE);
		if (put(s, &part, err) < 0)
			return err_wrap(err, "partial");
	}
	return 0;
}

static int parts_load(struct vote_state *s, struct vote_reader *r, struct err *err)
{
	uint64_t next = 0;
	uint64_t runs;
	uint64_t gap;
	uint64_t more;

	if (vote_get_varint(r, r->left / PART_SIZE, &runs, err) < 0)
		return err->code;
	for (uint64_t i = 0; i < runs; i++) {
		if (vote_get_varint(r, VOTE_MAX_CHUNK, &gap, err) < 0 ||
		    vote_get_varint(r, r->left / PART_SIZE, &more, err) < 0)
			return err->code;
		if (load_run(s, next + gap, more + 1, r, err) < 0)
			return err->code;
		/* Checked by put: not above VOTE_MAX_CHUNK. */
		next += gap + more + 2;
	}
	return 0;
}

static int parts_finish(const struct vote_state *s, struct vote_result *ret, struct err *err)
{
	(void)err;
	ret->type = s->type;
	ret->length = s->scalars;
	ret->len = s->bytes;
	return 0;
}

/* One more run costs two numbers, but is there only if a chunk is missing, which would take
 * PART_SIZE bytes: all chunks in one run take the most. */
static uint64_t parts_largest(const struct vote_state *s, const struct vote_extent *e,
			      uint64_t chunks)
{
	uint64_t each = HASH_SIZE + vote_varint_size(e->bytes);

	(void)s;
	return vote_sat_add(3 * vote_varint_size(chunks), vote_sat_mul(chunks, each));
}

const struct vote_kind vote_kind_parts = {
	.add = parts_add,
	.merge = parts_merge,
	.save = parts_save,
	.load = parts_load,
	.finish = parts_finish,
	.largest = parts_largest,
};

const struct vote_part *vote_parts_get(const struct vote_state *s, size_t *ret_n)
{
	settle(s->parts);
	*ret_n = s->parts->n;
	return s->parts->all;
}

void vote_parts_free(struct vote_parts *p)
{
	if (p == NULL)
		return;
	mem_free(p->all);
	mem_free(p);
}
