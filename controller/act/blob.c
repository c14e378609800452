/* blob.c - see blob.h. */
#include "controller/act/blob.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"

struct act_blob {
	void *bytes; /* owned */
	size_t len;
	struct map uses; /* keys only: the value is the blob */
	size_t refs;     /* holders, and one while it has uses */
};

struct act_blobs {
	struct map by_digest; /* hex -> struct act_blob, one reference each */
	size_t total;
};

struct act_blobs *act_blobs_new(void)
{
	return NEW(struct act_blobs);
}

void act_blob_release(void *blob)
{
	struct act_blob *b = blob;

	if (--b->refs > 0)
		return;
	map_done(&b->uses, NULL);
	mem_free(b->bytes);
	mem_free(b);
}

void act_blobs_free(struct act_blobs *b)
{
	if (b == NULL)
		return;
	map_done(&b->by_digest, act_blob_release);
	mem_free(b);
}

int act_blobs_add(struct act_blobs *b, const char *use, const void *bytes, size_t len,
		  struct hash_digest *ret, struct err *err)
{
	char hex[HASH_HEX];
	struct hash_digest digest;
	struct act_blob *blob;

	hash_bytes(bytes, len, &digest);
	blob = map_get(&b->by_digest, hash_hex(&digest, hex));
	if (blob == NULL) {
		if (len > (size_t)ACT_MAX_BLOB_BYTES - b->total)
			return err_set(err, ERR_TOO_BIG,
				       "more than %d bytes of kernels and inputs in memory",
				       (int)ACT_MAX_BLOB_BYTES);
		blob = NEW(struct act_blob);
		blob->bytes = mem_dup(bytes, len);
		blob->len = len;
		blob->refs = 1;
		b->total += len;
		map_set(&b->by_digest, hex, blob);
	}
	map_set(&blob->uses, use, blob);
	*ret = digest;
	return 0;
}

struct act_blob *act_blobs_hold(const struct act_blobs *b, const struct hash_digest *digest,
				const void **ret_bytes, size_t *ret_len)
{
	char hex[HASH_HEX];
	struct act_blob *blob = map_get(&b->by_digest, hash_hex(digest, hex));

	if (blob == NULL)
		return NULL;
	blob->refs++;
	*ret_bytes = blob->bytes;
	*ret_len = blob->len;
	return blob;
}

void act_blobs_end_use(struct act_blobs *b, const char *use)
{
	MAP_EACH (&b->by_digest, e) {
		struct act_blob *blob = e->value;

		if (map_remove(&blob->uses, use) == NULL || blob->uses.count > 0)
			continue;
		b->total -= blob->len;
		map_remove(&b->by_digest, e->key);
		act_blob_release(blob);
	}
}
