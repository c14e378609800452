/*
 * buf.h - a growing byte buffer with a ceiling, always NUL-terminated.
 *
 *     AUTO(buf_done) struct buf b = { .max = 64 * 1024 };
 *
 * The ceiling is part of the type on purpose: everything a peer can make us
 * store passes through a buf, so every buf says how much is too much.
 * max = 0 means no bytes may be added. Failed calls leave the buffer as it was.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct buf {
	char *data; /* owned; NULL while empty */
	size_t len; /* bytes in use, without the NUL */
	size_t cap;
	size_t max; /* largest allowed len */
};

void buf_done(struct buf *b);

/* Forget the bytes, keep the memory. */
void buf_reset(struct buf *b);

/* Append. ERR_TOO_BIG leaves the buffer as it was. */
MUST_CHECK int buf_add(struct buf *b, const void *bytes, size_t len, struct err *err);
MUST_CHECK int buf_adds(struct buf *b, const char *s, struct err *err);
MUST_CHECK int buf_addc(struct buf *b, char c, struct err *err);
MUST_CHECK int buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* buf_addf has no err: it returns 0 or ERR_TOO_BIG, for texts whose size the caller has bounded;
 * use buf_addfe where the peer decides on the size. */
MUST_CHECK int buf_addfe(struct buf *b, struct err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Append what fits and end in "..." if something did not: for texts that people read. */
void buf_note(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Make room for len more bytes and return where to write them; buf_commit what was written. */
MUST_CHECK int buf_space(struct buf *b, size_t len, char **ret, struct err *err);
void buf_commit(struct buf *b, size_t len);

/* Remove n bytes from the front (n <= len). */
void buf_drop(struct buf *b, size_t n);

/* Give the bytes to the caller, who frees them with mem_free; b is empty afterwards. Never NULL. */
char *buf_take(struct buf *b);

/* Borrowed, never NULL, valid until the next change to b. */
const char *buf_str(const struct buf *b);

#endif
