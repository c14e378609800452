/*
 * blobs.h - kernel texts and inputs by digest: fetched once, checked, cached.
 *
 * A blob that someone wants is asked for as long as it takes, over reconnects; it fails only when
 * the controller does not have it, or it is not what its digest says. Blobs that nobody wants any
 * more stay until BLOBS_IDLE_BYTES of them are there.
 */
#ifndef AGENT_BLOBS_H
#define AGENT_BLOBS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/order.h"

struct blobs;
struct blob_want;
struct link;

enum {
	BLOBS_MAX_BYTES = 512 << 20, /* of one blob */
	BLOBS_IDLE_BYTES = 8 << 20,
	BLOBS_AT_ONCE = 8,
};

struct blobs *blobs_new(struct link *link); /* link is borrowed */
void blobs_free(struct blobs *b);           /* nothing may be wanted any more; accepts NULL */

/* The bytes are there and stay until the want is dropped; or err->code < 0. */
typedef void (*blobs_fn)(void *arg, const struct err *err);

/* Want a blob of exactly this size. fn comes later or, if it is there, from within. */
struct blob_want *blobs_want(struct blobs *b, const uint8_t digest[WIRE_DIGEST], uint64_t size,
			     blobs_fn fn, void *arg);
/* Accepts NULL; fn will not come any more. */
void blobs_drop(struct blob_want *w);
/* Borrowed from the want; NULL while it is not there. */
const void *blobs_bytes(const struct blob_want *w, size_t *ret_len);

/* A session began: ask for what is wanted. */
void blobs_on_up(struct blobs *b);

#endif
