/*
 * store.h - blobs of jobs in a directory: what is too large for the status of a WarpJob.
 *
 *     DIR/<job uid>/<SHA-256 in hexadecimal>
 *
 * A *blob* never changes and is named by its digest. Each job has a folder of its own, so that
 * nothing is shared between jobs and everything of one can go at once.
 *
 *     store_open("/var/lib/kwarp", loop, &s, err);
 *     op = store_put(s, uid, blobs, n, on_kept, me);      later on_kept(me, err): they are on disk
 *
 * Changes (put, join, keep, remove) happen one after the other in the order of the calls, on one
 * worker; reads (get, read, list) in their order on another, so a read may overtake a change that
 * was not answered yet. Any number may wait; what waits is held in memory, the bytes of a put
 * included. Callbacks come on the loop thread, never from inside a call here, each at most once;
 * they may call everything here, store_free included. What a callback has called done survives the
 * end of the process and of the machine (synced, folder included). A crash in the middle leaves at
 * most temporary files, which the next store_keep of that job removes. Several controllers may
 * share DIR as long as one of them leads.
 *
 * A DIR that was removed is taken again as soon as there is another of its name.
 *
 * Errors name the path in DIR and the errno. What someone else put in the place of a folder or a
 * blob (a link, a FIFO ...) is never followed or waited for: ERR_INVALID. A job without a folder
 * has no blobs: ERR_NOT_FOUND.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "hash/hash.h"

struct loop;
struct store;
struct store_op;

/* Create DIR if it is missing (mode 0700) and see that files can be written there. Blocking: for
 * start-up. The error says which path and why. ret is owned by the caller. */
MUST_CHECK int store_open(const char *dir, struct loop *loop, struct store **ret, struct err *err);
/* Waits for the operations under way and drops those that wait; callbacks do not come any more, and
 * every store_op is gone. Accepts NULL. */
void store_free(struct store *s);
void store_freep(struct store **s);

struct store_blob {
	struct hash_digest digest; /* of bytes: the caller's word */
	const void *bytes;
	size_t len;
};

/* uid everywhere: a job uid, 1 to 36 of 0-9 a-z and - (asserted). */

typedef void (*store_done_fn)(void *arg, const struct err *err); /* err->code 0: done */
/* Keep these blobs; bytes are copied. One that is there already with these bytes is left as it is.
 * After an error some of them may be there: put all again. */
struct store_op *store_put(struct store *s, const char *uid, const struct store_blob *blobs,
			   size_t n, store_done_fn fn, void *arg);

struct store_part {
	struct hash_digest digest;
	uint64_t len;
};

/* The digest and size of the new blob; NULL with an error. */
typedef void (*store_joined_fn)(void *arg, const struct store_part *whole, const struct err *err);
/* Make one blob of others, in this order (n may be 0: the empty blob), in bounded memory. Every
 * part is read and its digest checked. ERR_NOT_FOUND: a part is missing; ERR_INVALID: a part is not
 * what its name says (both name it). parts: copied. */
struct store_op *store_join(struct store *s, const char *uid, const struct store_part *parts,
			    size_t n, store_joined_fn fn, void *arg);

/* bytes: borrowed for the call; len of them from where it was asked, fewer at the end; size: of the
 * whole blob. */
typedef void (*store_read_fn)(void *arg, const void *bytes, size_t len, uint64_t size,
			      const struct err *err);
/* The whole blob, its digest checked. ERR_NOT_FOUND, ERR_TOO_BIG above max, ERR_INVALID: damaged.
 * With an error bytes is NULL. */
struct store_op *store_get(struct store *s, const char *uid, const struct hash_digest *digest,
			   size_t max, store_read_fn fn, void *arg);
/* A part of it, not checked: who reads all parts checks the whole. first behind its end: 0 bytes.
 * len: at most STORE_MAX_READ (asserted). */
enum { STORE_MAX_READ = 16 << 20 };
struct store_op *store_read(struct store *s, const char *uid, const struct hash_digest *digest,
			    uint64_t first, size_t len, store_read_fn fn, void *arg);

/* Its callback does not come any more; a change goes on. op is gone after this, and after its
 * callback. Accepts NULL. */
void store_op_cancel(struct store_op *op);

/* Keep only these blobs of the job and remove all else of it; n = 0: its folder as well. Copied. No
 * answer; what cannot be removed, and whatever is not a regular file, is logged and stays. */
void store_keep(struct store *s, const char *uid, const struct hash_digest *digests, size_t n);

/* Remove one; as store_keep. */
void store_remove(struct store *s, const char *uid, const struct hash_digest *digest);

/* All jobs that have a folder here, in the order of their uids; borrowed for the call. Folders
 * whose names are no UUIDs are somebody else's: DIR may have been something before. */
typedef void (*store_list_fn)(void *arg, const char *const *uids, size_t n, const struct err *err);
struct store_op *store_list(struct store *s, store_list_fn fn, void *arg);

#endif
