/*
 * value.h - numbers in results: scalar types, layouts, canonical bytes, digests.
 *
 * A result is the bytes of one output variable: *scalars* (i32, u32, ...) at the offsets that its
 * type prescribes, in ascending order, with padding between them. Canonical bytes are
 * little-endian, every NaN is the one positive quiet NaN (7fc00000, 7ff8000000000000) and padding
 * is zero; the digest of a result is the SHA-256 of its canonical bytes.
 */
#ifndef VOTE_VALUE_H
#define VOTE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "hash/hash.h"

/* The numbers are part of the partial state's format and equal those on the wire. */
enum vote_type {
	VOTE_I32 = 1,
	VOTE_U32 = 2,
	VOTE_F32 = 3,
	VOTE_I64 = 4,
	VOTE_U64 = 5,
	VOTE_F64 = 6,
};

size_t vote_type_size(enum vote_type t);      /* 4 or 8 */
const char *vote_type_name(enum vote_type t); /* "i32", ... */
MUST_CHECK int vote_type_parse(const char *s, enum vote_type *ret, struct err *err);
bool vote_type_is_float(enum vote_type t);

/* `count` scalars of one type, `stride` bytes apart, the first at `offset`. */
struct vote_lane {
	uint32_t offset;
	uint32_t count;
	uint32_t stride;
	enum vote_type type;
};

/* The layout of an output: a fixed part and perhaps a runtime-sized array behind it. */
struct vote_layout {
	uint32_t fixed_size;   /* bytes of the fixed part */
	uint32_t array_offset; /* where the runtime-sized array begins */
	uint32_t array_stride; /* bytes from element to element; 0: there is no such array */
	const struct vote_lane *lanes; /* borrowed: of the fixed part, in any order */
	size_t n_lanes;
	const struct vote_lane *array_lanes; /* borrowed: within one element */
	size_t n_array_lanes;
};

/* A layout ready for use. Immutable, may be shared between threads. */
struct vote_shape;

/* ERR_INVALID if lanes overlap or leave their part, ERR_TOO_BIG above 262,144 scalars in the fixed
 * part or 4,096 in an element. The layout is copied. *ret is owned. */
MUST_CHECK int vote_shape_new(const struct vote_layout *layout, struct vote_shape **ret,
			      struct err *err);
/* A plain array of n scalars (n = 0: runtime-sized), without padding. */
struct vote_shape *vote_shape_plain(enum vote_type type, uint32_t n);
struct vote_shape *vote_shape_copy(const struct vote_shape *s);
void vote_shape_free(struct vote_shape *s); /* accepts NULL */
void vote_shape_freep(struct vote_shape **s);

/* The type that all scalars share, or 0. */
enum vote_type vote_shape_type(const struct vote_shape *s);
enum { VOTE_MAX_TYPES = 64 };
/* The types of its scalars in turn, "u32" or "u32,f32", beginning anew with each element and each
 * result: at most VOTE_MAX_TYPES. False, and nothing appended, if there are more, or if a fixed
 * part of other types stands before the array: then they depend on its length. out->max is large
 * enough for all (asserted). */
bool vote_shape_types(const struct vote_shape *s, struct buf *out);
bool vote_shape_has_array(const struct vote_shape *s);
/* Bytes and scalars of a result whose runtime-sized array has n elements (ignored without one).
 * Saturate at UINT64_MAX. */
uint64_t vote_shape_bytes(const struct vote_shape *s, uint64_t n);
uint64_t vote_shape_scalars(const struct vote_shape *s, uint64_t n);
/* The n of a result of len bytes. ERR_INVALID if no n gives len (the end of the last element
 * may be missing by its padding). */
MUST_CHECK int vote_shape_elements(const struct vote_shape *s, uint64_t len, uint64_t *ret,
				   struct err *err);

/* Make the bytes canonical in place: padding zero, NaN canonical. len must fit the shape. */
void vote_canonical(const struct vote_shape *s, void *bytes, size_t len);
/* False if vote_canonical would change something: a result of a peer must be canonical. */
bool vote_is_canonical(const struct vote_shape *s, const void *bytes, size_t len);

/* The scalars of a result without padding, one after the other; `out` has room for them (as many
 * as vote_shape_scalars says, each of its own size). Returns the bytes written. */
size_t vote_pack(const struct vote_shape *s, const void *bytes, size_t len, void *out);

/* Append one scalar as text: the shortest decimal that reads back exactly; "NaN", "Infinity",
 * "-Infinity", with quotes if `json`. */
MUST_CHECK int vote_print_scalar(enum vote_type t, const void *bytes, bool json, struct buf *b,
				 struct err *err);

/* "[1,2,3]" of a whole result. ERR_TOO_BIG if b is too small. */
MUST_CHECK int vote_print_array(const struct vote_shape *s, const void *bytes, size_t len,
				struct buf *b, struct err *err);

#endif
