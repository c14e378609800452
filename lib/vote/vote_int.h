/*
 * vote_int.h - how the reducers share their work; for lib/vote only.
 *
 * A kind of reducer is a vtable over the state of one output. Most reducers work element by
 * element: for them a second, smaller vtable describes one cell (cells.c); the others are best.c
 * (ArgMin, ArgMax, TopK), runs.c (Concat, Product of floats) and parts.c (Concat by digest).
 */
#ifndef VOTE_VOTE_INT_H
#define VOTE_VOTE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vote/reduce.h"

enum { VOTE_NO_LIMIT = 1 << 30 }; /* bytes of a state in memory; warp run has no other limit */

/* Far above any job, and far from overflow. */
static const uint64_t VOTE_MAX_CHUNK = (uint64_t)1 << 40;

/* The result of one chunk for one output. */
struct vote_piece {
	uint64_t chunk;
	uint64_t first;             /* index of its first scalar */
	const unsigned char *bytes; /* borrowed: canonical, with padding */
	size_t len;
	const unsigned char *scalars; /* borrowed: packed */
	uint64_t count;               /* of scalars */
};

/* Bytes of a saved state. */
struct vote_reader {
	const unsigned char *at; /* borrowed */
	size_t left;
};

struct vote_cell_kind;

/* A sorted list of runs of consecutive chunks with their bytes. */
struct vote_run {
	uint64_t first;
	uint64_t last;
	struct buf bytes;
};

/* The parts of a Concat by digest: a long list and a short one behind it, each in chunk order.
 * Where a part stands is no part of the state: who only reads may bring all into one order. */
struct vote_parts {
	struct vote_part *all; /* owned */
	size_t n;
	size_t cap;
	size_t in_order; /* length of the first list */
};

struct vote_best {
	uint64_t bits; /* the scalar, zero-extended */
	uint64_t index;
};

struct vote_state {
	char *name; /* owned */
	enum vote_reducer reduce;
	enum vote_type type; /* of the scalars; 0: several */
	uint32_t k;
	struct vote_shape *shape; /* owned; NULL for None and Discard */
	const struct vote_kind *kind;
	const struct vote_cell_kind *cell; /* cells.c only */
	bool started;                      /* a chunk was added */
	uint64_t count;                    /* scalars per chunk, once started (element-wise) */
	void *cells;                       /* owned: cells.c; the folded products of runs.c */
	struct vote_best *best;            /* owned: best.c, best first */
	size_t n_best;
	struct vote_run *runs; /* owned: runs.c */
	size_t n_runs;
	size_t runs_cap;
	uint64_t folded;          /* runs.c: chunks 0 to folded - 1 are in cells */
	uint64_t scalars;         /* runs.c, parts.c: of all chunks */
	uint64_t bytes;           /* parts.c: of all chunks */
	struct vote_parts *parts; /* owned: parts.c only */
};

struct vote_kind {
	int (*add)(struct vote_state *s, const struct vote_piece *p, struct err *err);
	int (*merge)(struct vote_state *into, const struct vote_state *from, struct err *err);
	int (*save)(const struct vote_state *s, struct buf *b, struct err *err);
	int (*load)(struct vote_state *s, struct vote_reader *r, struct err *err);
	int (*finish)(const struct vote_state *s, struct vote_result *ret, struct err *err);
	/* Upper bound of what save writes. */
	uint64_t (*largest)(const struct vote_state *s, const struct vote_extent *e,
			    uint64_t chunks);
};

extern const struct vote_kind vote_kind_cells;
extern const struct vote_kind vote_kind_best;
extern const struct vote_kind vote_kind_concat;
extern const struct vote_kind vote_kind_fold;
extern const struct vote_kind vote_kind_parts;

/* All in chunk order, borrowed until the next change; NULL if there are none. */
const struct vote_part *vote_parts_get(const struct vote_state *s, size_t *ret_n);
void vote_parts_free(struct vote_parts *p); /* accepts NULL */

/* One cell: zero bytes are the state before the first chunk. */
struct vote_cell_kind {
	size_t (*size)(enum vote_type t);
	enum vote_type (*result)(enum vote_type t);
	int (*add)(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err);
	int (*merge)(enum vote_type t, void *cell, const void *from, struct err *err);
	int (*save)(enum vote_type t, const void *cell, struct buf *b, struct err *err);
	int (*load)(enum vote_type t, void *cell, struct vote_reader *r, struct err *err);
	/* The result as 4 or 8 little-endian bytes. ERR_TOO_BIG: it does not fit. */
	int (*value)(enum vote_type t, const void *cell, unsigned char *out, struct err *err);
	uint64_t (*largest)(enum vote_type t, uint64_t chunks);
};

extern const struct vote_cell_kind vote_cell_sum;
extern const struct vote_cell_kind vote_cell_exact; /* Sum of floats, exact.c */
extern const struct vote_cell_kind vote_cell_product;
extern const struct vote_cell_kind vote_cell_min;
extern const struct vote_cell_kind vote_cell_max;
extern const struct vote_cell_kind vote_cell_count;

/* Scalars of any type as bits and in order (vote/order.c). */
uint64_t vote_bits(enum vote_type t, const unsigned char *scalar);
void vote_put_bits(enum vote_type t, uint64_t bits, unsigned char *out);
bool vote_is_nan(enum vote_type t, uint64_t bits);
/* A number that orders as the values do; -0 before +0. Not for NaN. */
uint64_t vote_order(enum vote_type t, uint64_t bits);
double vote_double(enum vote_type t, uint64_t bits);

/* Whole numbers as varints (7 bits per byte, lowest first). */
int vote_put_varint(struct buf *b, unsigned __int128 v, struct err *err);
int vote_get_varint(struct vote_reader *r, uint64_t max, uint64_t *ret, struct err *err);
int vote_get_wide(struct vote_reader *r, unsigned __int128 *ret, struct err *err);
int vote_get_bytes(struct vote_reader *r, size_t n, const unsigned char **ret, struct err *err);
uint64_t vote_varint_size(uint64_t v);
int vote_bits_needed(uint64_t v); /* smallest n with v < 2^n */

uint64_t vote_sat_add(uint64_t a, uint64_t b);
uint64_t vote_sat_mul(uint64_t a, uint64_t b);

/* Give bytes (taken) to the result with type, length and digest, and print its value if it is small
 * enough: as an array of the type, or as one number. */
int vote_result_fill(struct vote_result *ret, enum vote_type type, struct buf *bytes,
		     bool always_array, struct err *err);

/* value.c: append ",a,b,c" (without the first comma if *first, which is cleared). */
int vote_print_more(const struct vote_shape *s, const void *bytes, size_t len, bool *first,
		    struct buf *b, struct err *err);
/* Bytes of the fixed part and of an element; where the array begins. */
uint32_t vote_shape_fixed(const struct vote_shape *s);
uint32_t vote_shape_stride(const struct vote_shape *s);

#endif
