/*
 * codec.h - kernels, orders and results as bytes and back.
 *
 * Encoders append to out (bounded by out->max as well as by the message's own limit) and leave it
 * as it was when they fail. Decoders take exactly one message; what *ret points to lives in the
 * arena, which is bounded by the size of the message. They check everything that the headers
 * promise (docs/wire.md section 3): a decoded value can be used without looking again.
 * ERR_PROTOCOL and ERR_TOO_BIG name the field: "decode order: chunks[3]: grid: ...".
 */
#ifndef WIRE_CODEC_H
#define WIRE_CODEC_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "wire/kernel.h"
#include "wire/order.h"

enum {
	WIRE_MAX_KERNEL = 16 << 20, /* bytes of an encoded reflection */
	WIRE_MAX_RESULTS = 2 << 20, /* bytes of an encoded struct wire_results */
	WIRE_MAX_PAGE_RESULTS = 65536,
};

MUST_CHECK int wire_kernel_encode(const struct wire_kernel *k, struct buf *out, struct err *err);
MUST_CHECK int wire_kernel_decode(const void *bytes, size_t len, struct arena *a,
				  struct wire_kernel *ret, struct err *err);

MUST_CHECK int wire_order_encode(const struct wire_order *o, struct buf *out, struct err *err);
MUST_CHECK int wire_order_decode(const void *bytes, size_t len, struct arena *a,
				 struct wire_order *ret, struct err *err);

MUST_CHECK int wire_results_encode(const struct wire_results *r, struct buf *out, struct err *err);
MUST_CHECK int wire_results_decode(const void *bytes, size_t len, struct arena *a,
				   struct wire_results *ret, struct err *err);

/* Longest output of wire_ticket_bytes. */
enum { WIRE_TICKET_BYTES = 512 };

/* The bytes that a ticket authenticates (docs/wire.md section 6): the dispatch and the name of the
 * node that was asked, in one fixed, unambiguous form. Returns how many bytes were written to
 * `out`. node: 1 to 253 bytes. */
size_t wire_ticket_bytes(const struct wire_dispatch *d, const char *node,
			 unsigned char out[WIRE_TICKET_BYTES]);

#endif
