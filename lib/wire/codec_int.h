/*
 * codec_int.h - the one generic encoder, decoder and validator behind every message.
 *
 * A message type is a table of fields: where the member lies in the C struct, which field number
 * it has on the wire, what kind of value it is and how large it may be. The encoding is
 * Protocol Buffers' (docs/wire.md section 1), so any language can read it; there is no generated
 * code. Zero values are not sent; a required field is one that must not be zero or empty.
 * The encoder checks what the decoder checks: what we send is never refused by ourselves.
 */
#ifndef WIRE_CODEC_INT_H
#define WIRE_CODEC_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum wire_kind {
	WIRE_K_BOOL,    /* bool */
	WIRE_K_U32,     /* uint32_t or an enum; max: largest value, 0 = any */
	WIRE_K_U64,     /* uint64_t; max as above */
	WIRE_K_F64,     /* double, finite */
	WIRE_K_STR,     /* const char *, UTF-8, never NULL when decoded; max: bytes */
	WIRE_K_CHARS,   /* char[max] with its NUL */
	WIRE_K_FIXED,   /* uint8_t[max]; all zero = absent */
	WIRE_K_BYTES,   /* const void * with a uint32_t count; max: bytes */
	WIRE_K_BYTES64, /* const void * with a uint64_t count; max: bytes */
	WIRE_K_SIZE64,  /* that count alone, sent when the pointer is NULL */
	WIRE_K_U32X3,   /* uint32_t[3], packed */
	WIRE_K_U64X3,   /* uint64_t[3], packed */
	WIRE_K_U64S,    /* const uint64_t * with a uint32_t count, packed; max: items */
	WIRE_K_STRS,    /* const char *const * with a uint32_t count; max: items, each name-sized */
	WIRE_K_MSG,     /* a struct of type sub */
	WIRE_K_MSGS,    /* const struct * with a uint32_t count; max: items */
	WIRE_K_MSGS_HERE, /* struct[max] with a uint32_t count */
};

struct wire_type;

struct wire_field {
	const char *name; /* static; named in errors */
	uint32_t number;
	enum wire_kind kind;
	bool required;
	size_t offset;
	size_t count_offset; /* of the count; of the pointer for WIRE_K_SIZE64 */
	uint64_t max;
	const struct wire_type *sub;
};

struct wire_type {
	const char *name; /* static */
	size_t size;
	const struct wire_field *fields;
	size_t n_fields;  /* at most 64 */
	size_t max_bytes; /* of an encoded message; 0: only inside others */
	/* Rules between fields; NULL if there are none. */
	int (*check)(const void *value, struct err *err);
};

#define WIRE_FIELD(n, k, s, m, ...)                                                                \
	{                                                                                          \
		.name = #m, .number = (n), .kind = (k), .offset = offsetof(s, m), ##__VA_ARGS__    \
	}
#define WIRE_COUNT(s, m) .count_offset = offsetof(s, m)
#define WIRE_TYPE(n, s, f, c, ...)                                                                 \
	{                                                                                          \
		.name = (n), .size = sizeof(s), .fields = (f),                                     \
		.n_fields = sizeof(f) / sizeof((f)[0]), .check = (c), ##__VA_ARGS__                \
	}

extern const struct wire_type wire_dispatch_type;
extern const struct wire_type wire_order_type;
extern const struct wire_type wire_results_type;

/* Append the message. A failed call leaves out as it was. */
MUST_CHECK int wire_encode(const struct wire_type *t, const void *value, struct buf *out,
			   struct err *err);

/* Fill *ret (t->size bytes) from exactly len bytes, at most t->max_bytes; everything it points to
 * lives in the arena. ERR_PROTOCOL names the field. */
MUST_CHECK int wire_decode(const struct wire_type *t, const void *bytes, size_t len,
			   struct arena *a, void *ret, struct err *err);

#endif
