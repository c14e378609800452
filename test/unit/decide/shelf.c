/* shelf.c - see shelf.h. */
#include "shelf.h"

#include "base/buf.h"
#include "base/mem.h"

static void add(struct shelf *s, const void *bytes, size_t len, struct hash_digest *ret)
{
	struct buf *b;
	struct err err = { 0 };
	char hex[HASH_HEX];

	hash_bytes(bytes, len, ret);
	if (map_has(&s->blobs, hash_hex(ret, hex)))
		return;
	b = NEW(struct buf);
	b->max = len + 1;
	ASSERT(buf_add(b, bytes, len, &err) == 0);
	map_set(&s->blobs, hex, b);
}

static void free_blob(void *blob)
{
	buf_done(blob);
	mem_free(blob);
}

void shelf_put(struct shelf *s, const struct job_blob *blobs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct hash_digest digest;

		add(s, blobs[i].bytes, (size_t)blobs[i].len, &digest);
		ASSERT(hash_equal(&digest, &blobs[i].digest));
	}
}

const struct buf *shelf_get(const struct shelf *s, const struct hash_digest *digest)
{
	char hex[HASH_HEX];

	return map_get(&s->blobs, hash_hex(digest, hex));
}

bool shelf_join(struct shelf *s, const struct job_join *join, struct job_blob *ret)
{
	AUTO(buf_done) struct buf whole = { .max = 1 << 20 };
	struct err err = { 0 };

	for (size_t i = 0; i < join->n_parts; i++) {
		const struct buf *part = shelf_get(s, &join->parts[i].sha256);

		if (part == NULL || part->len != join->parts[i].len)
			return false;
		ASSERT(buf_add(&whole, part->data, part->len, &err) == 0);
	}
	add(s, buf_str(&whole), whole.len, &ret->digest);
	ret->len = whole.len;
	return true;
}

void shelf_remove(struct shelf *s, const struct hash_digest *digest)
{
	char hex[HASH_HEX];
	struct buf *b = map_remove(&s->blobs, hash_hex(digest, hex));

	if (b != NULL)
		free_blob(b);
}

void shelf_done(struct shelf *s)
{
	map_done(&s->blobs, free_blob);
}
