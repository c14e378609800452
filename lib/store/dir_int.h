/*
 * dir_int.h - the store's work in its directory: blocking, for its workers. Each function stands
 * for itself; `dir` is the descriptor of DIR.
 */
#ifndef STORE_DIR_INT_H
#define STORE_DIR_INT_H

#include "store/store.h"

enum { STORE_UID = 37 }; /* room for a uid */

/* 1 to 36 of 0-9 a-z and '-': never "." or "..", no '/'. */
bool store_dir_is_uid(const char *s);

/* Create path if it is missing and try to write there. ret: a descriptor, owned by the caller. */
MUST_CHECK int store_dir_open(const char *path, int *ret, struct err *err);

/* Before each operation: *dir is open and still in a file system. -1, removed, or of a server that
 * forgot it: path is opened again. It is not created: a file system may only be away. */
MUST_CHECK int store_dir_again(const char *path, int *dir, struct err *err);

MUST_CHECK int store_dir_put(int dir, const char *uid, const struct store_blob *blobs, size_t n,
			     struct err *err);
MUST_CHECK int store_dir_join(int dir, const char *uid, const struct store_part *parts, size_t n,
			      struct store_part *ret, struct err *err);

struct store_range {
	struct hash_digest digest; /* of the blob */
	uint64_t first;
	size_t len; /* get: the largest allowed */
};

struct store_bytes {
	char *bytes; /* owned */
	size_t len;
	uint64_t size; /* of the blob */
};

/* The whole blob, checked; and a part of it, not checked. */
MUST_CHECK int store_dir_get(int dir, const char *uid, const struct store_range *range,
			     struct store_bytes *ret, struct err *err);
MUST_CHECK int store_dir_read(int dir, const char *uid, const struct store_range *range,
			      struct store_bytes *ret, struct err *err);

/* Sorts digests. Logs what it cannot do. */
void store_dir_keep(int dir, const char *uid, struct hash_digest *digests, size_t n);

/* Logs what it cannot do. */
void store_dir_remove(int dir, const char *uid, const struct hash_digest *digest);

struct store_names {
	char **list; /* owned, each owned, ascending */
	size_t count;
	size_t cap;
};

void store_names_done(struct store_names *n);
MUST_CHECK int store_dir_list(int dir, struct store_names *ret, struct err *err);

#endif
