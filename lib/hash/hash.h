/*
 * hash.h - SHA-256, HMAC-SHA-256 and random bytes, over OpenSSL.
 *
 *     struct hash_digest d;
 *     hash_bytes(text, len, &d);
 *     if (hash_equal(&d, &expected)) ...
 *
 * Nothing here can fail: OpenSSL's refusals mean no memory or a broken library, which abort.
 */
#ifndef HASH_HASH_H
#define HASH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { HASH_SIZE = 32, HASH_HEX = 2 * HASH_SIZE + 1 };

/* A SHA-256 or an HMAC-SHA-256. A value: copy it, compare it with hash_equal. */
struct hash_digest {
	uint8_t bytes[HASH_SIZE];
};

/* SHA-256 of the bytes. */
void hash_bytes(const void *bytes, size_t len, struct hash_digest *ret);

/* HMAC-SHA-256. */
void hash_hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	       struct hash_digest *ret);

/* SHA-256 of a text that comes in pieces: hash_new, hash_add ..., hash_finish. */
struct hash;
struct hash *hash_new(void);    /* owned by the caller */
void hash_free(struct hash *h); /* accepts NULL */
void hash_freep(struct hash **h);
void hash_add(struct hash *h, const void *bytes, size_t len);
/* The digest of all that was added; h is then as new. */
void hash_finish(struct hash *h, struct hash_digest *ret);

/* In time that does not depend on the bytes: fit for secrets. */
bool hash_equal(const struct hash_digest *a, const struct hash_digest *b);
bool hash_is_zero(const struct hash_digest *d);
/* Order by bytes: < 0, 0, > 0. */
int hash_compare(const struct hash_digest *a, const struct hash_digest *b);

/* 64 lower-case digits. Returns text. */
const char *hash_hex(const struct hash_digest *d, char text[HASH_HEX]);
/* Exactly 64 hexadecimal digits, with or without "sha256:" in front. */
MUST_CHECK int hash_parse(const char *text, size_t len, struct hash_digest *ret, struct err *err);

/* Random bytes from the operating system, fit for keys. */
void hash_random(void *bytes, size_t len);

#endif
