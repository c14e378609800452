/*
 * blob.h - kernel texts and inputs in memory, by digest: what agents fetch.
 *
 * Until there is a blob store the leader serves them from here and rebuilds them from the API after
 * a restart. Each use (a job uid) holds a reference; a blob goes when its last use ends.
 */
#ifndef ACT_BLOB_H
#define ACT_BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "hash/hash.h"

struct act_blob;
struct act_blobs;

enum { ACT_MAX_BLOB_BYTES = 1 << 30 }; /* of all blobs together */

struct act_blobs *act_blobs_new(void);    /* owned */
void act_blobs_free(struct act_blobs *b); /* accepts NULL */

/* Copy the bytes in for this use. ERR_TOO_BIG above ACT_MAX_BLOB_BYTES. */
MUST_CHECK int act_blobs_add(struct act_blobs *b, const char *use, const void *bytes, size_t len,
			     struct hash_digest *ret, struct err *err);

/* A reference to the blob, for the caller to act_blob_release, or NULL. The bytes are borrowed from
 * it; it may live longer than its uses and than b. */
struct act_blob *act_blobs_hold(const struct act_blobs *b, const struct hash_digest *digest,
				const void **ret_bytes, size_t *ret_len);
void act_blob_release(void *blob);

/* Drop every reference of this use. */
void act_blobs_end_use(struct act_blobs *b, const char *use);

#endif
