/* shelf.h - a store in memory, for tests of decide: blobs by digest. */
#ifndef TEST_DECIDE_SHELF_H
#define TEST_DECIDE_SHELF_H

#include "base/map.h"
#include "controller/decide/decide.h"

struct shelf {
	struct map blobs; /* hexadecimal digest -> struct buf, owned */
};

/* The blobs of a plan; their digests are checked (asserted). */
void shelf_put(struct shelf *s, const struct job_blob *blobs, size_t n);
/* NULL: not there. Borrowed. */
const struct buf *shelf_get(const struct shelf *s, const struct hash_digest *digest);
/* One of others. False: a part is not there. */
bool shelf_join(struct shelf *s, const struct job_join *join, struct job_blob *ret);
void shelf_remove(struct shelf *s, const struct hash_digest *digest);
void shelf_done(struct shelf *s);

#endif
