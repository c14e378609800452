/*
 * sink.h - where bytes of a result go: a file that appears when they are complete, or a stream.
 *
 *     sink_open("image.bin", &s, err);
 *     sink_add(s, bytes, len, err);         as often as needed
 *     sink_commit(s, err);                  without it nothing is left
 *
 * "-" is standard output. Something that is there and no regular file (a pipe, /dev/null) is
 * written to as it is.
 */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include <stddef.h>

#include "base/err.h"
#include "hash/hash.h"

struct sink;

MUST_CHECK int sink_open(const char *path, struct sink **ret, struct err *err);
MUST_CHECK int sink_add(struct sink *s, const void *bytes, size_t len, struct err *err);
/* SHA-256 of all that was added. Once. */
void sink_digest(struct sink *s, struct hash_digest *ret);
/* Synced, and under its name. */
MUST_CHECK int sink_commit(struct sink *s, struct err *err);
void sink_free(struct sink *s); /* accepts NULL; removes what was not committed */
void sink_freep(struct sink **s);

#endif
