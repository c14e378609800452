/*
 * reduce.h - from chunk results to the results of a job.
 *
 *     struct vote_reduction *r = vote_reduce_new(outputs, n_outputs);
 *     vote_reduce_add(r, 0, chunk, first, bytes, len, err);      any order of chunks
 *     vote_reduce_save(r, &partial, err);                        status.partial
 *     vote_reduce_finish(r, 0, &result, err);
 *
 * A reduction holds the state of all outputs of a job for a set of chunks. Adding chunks in any
 * order, and merging reductions of disjoint sets in any order, gives the same state and the same
 * results, bit by bit; what depends on order (Concat, Product of floats, ties of ArgMin, ArgMax
 * and TopK) follows chunk order, never completion order. That each chunk is added once is the
 * caller's duty: status.acceptedIndexes is the record of it.
 *
 * What the results are:
 *   Sum      i64 / u64, exact; f64: the exact sum rounded once; NaN if a NaN or both infinities
 *            were added; a zero is +0
 *   Product  i64 / u64, exact, 0 if any factor is 0; f64: ((1 * v0) * v1) * ... in chunk order
 *   Min Max  of the output's type; NaN if a NaN was added; -0 is less than +0
 *   ArgMin ArgMax TopK   best elements over all chunks with their indexes; ties: lowest index; NaN
 *            after all numbers; TopK: the k largest, best first
 *   Count    u64: how often the element was not 0 (NaN is not 0)
 *   Concat   all accepted chunks' bytes in chunk order; by digest: see struct vote_part
 *   None Discard   no state, no result here
 * All but ArgMin, ArgMax, TopK and Concat work element by element: every chunk must have as many
 * scalars as the first one added. Overflow is judged on the true result at the end only.
 */
#ifndef VOTE_REDUCE_H
#define VOTE_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "hash/hash.h"
#include "vote/value.h"

/* The numbers are part of the partial state's format. */
enum vote_reducer {
	VOTE_SUM = 1,
	VOTE_PRODUCT = 2,
	VOTE_MIN = 3,
	VOTE_MAX = 4,
	VOTE_ARG_MIN = 5,
	VOTE_ARG_MAX = 6,
	VOTE_TOP_K = 7,
	VOTE_COUNT = 8,
	VOTE_CONCAT = 9,
	VOTE_NONE = 10,
	VOTE_DISCARD = 11,
};

enum {
	VOTE_MAX_OUTPUTS = 64,
	VOTE_MAX_K = 1000,
	VOTE_MAX_PARTIAL = 16384, /* characters */
	VOTE_MAX_VALUE = 1024,    /* characters of a value that is shown inline */
	VOTE_PARTIAL_VERSION = 1,
};

const char *vote_reducer_name(enum vote_reducer r); /* "ArgMax" */
/* ERR_INVALID for an unknown name; `Kernel` is refused as not supported yet. */
MUST_CHECK int vote_reducer_parse(const char *s, enum vote_reducer *ret, struct err *err);

struct vote_output {
	const char *name; /* borrowed while the call lasts */
	enum vote_reducer reduce;
	uint32_t k; /* TopK: 1 to VOTE_MAX_K */
	const struct vote_shape
	    *shape; /* borrowed while the call lasts; unused for Discard, None */
	/* Concat only (asserted): keep size and digest of each chunk's bytes instead of the bytes;
	 * the bytes are the caller's to keep. */
	bool by_digest;
};

/* What a Concat by digest keeps of a chunk. The result is the bytes of all parts, in order. */
struct vote_part {
	uint64_t chunk;
	uint64_t len;
	struct hash_digest sha256; /* of its bytes as they were added */
};

/* True if a reducer can work on this shape; else ERR_INVALID says why (several scalar types). */
MUST_CHECK int vote_reduce_check(const struct vote_output *output, struct err *err);

struct vote_reduction;

/* Outputs must pass vote_reduce_check (asserted), n <= VOTE_MAX_OUTPUTS. Owned by the caller. */
struct vote_reduction *vote_reduce_new(const struct vote_output *outputs, size_t n);
void vote_reduce_free(struct vote_reduction *r); /* accepts NULL */
void vote_reduce_freep(struct vote_reduction **r);

/*
 * Add the result of one chunk for one output: canonical bytes. `first` is the index of its first
 * scalar among those of all chunks (the sum of the scalars of all lower chunks, accepted or not);
 * ArgMin, ArgMax and TopK report it. ERR_INVALID: the size does not fit the shape or the other
 * chunks; ERR_EXISTS: Concat or a float Product has this chunk already. Then nothing changed.
 * By digest, chunks of elements with padding must end in it (ERR_INVALID), so that they can be
 * joined as they are.
 */
MUST_CHECK int vote_reduce_add(struct vote_reduction *r, size_t output, uint64_t chunk,
			       uint64_t first, const void *bytes, size_t len, struct err *err);

/* Add everything in `from` (of the same outputs, of other chunks) to `into`. On failure `into`
 * is not usable any more, only vote_reduce_free. */
MUST_CHECK int vote_reduce_merge(struct vote_reduction *into, const struct vote_reduction *from,
				 struct err *err);
struct vote_reduction *vote_reduce_copy(const struct vote_reduction *r);

/* Append the state as base64: format version, then each output. ERR_TOO_BIG above out->max. Equal
 * states give equal texts. */
MUST_CHECK int vote_reduce_save(const struct vote_reduction *r, struct buf *out, struct err *err);

/* Back from text, for the same outputs. Hostile texts are safe. ERR_UNAVAILABLE: another format
 * version, written by a newer controller: leave the job alone. ERR_INVALID: anything else. */
MUST_CHECK int vote_reduce_load(const struct vote_output *outputs, size_t n, const char *text,
				size_t len, struct vote_reduction **ret, struct err *err);

/* How large an output can get. */
struct vote_extent {
	uint64_t scalars; /* of the largest chunk */
	uint64_t total;   /* of all chunks */
	uint64_t bytes;   /* of all chunks, with padding */
};

/* The most characters vote_reduce_save can ever give for a job with this many chunks; saturates.
 * Above VOTE_MAX_PARTIAL a job on a cluster is refused at start. extents: one per output. */
uint64_t vote_reduce_largest(const struct vote_output *outputs, const struct vote_extent *extents,
			     size_t n, uint64_t chunks);

/* One entry of status.results. Zero is empty. */
struct vote_result {
	enum vote_type type;       /* 0 for a Concat of several types */
	uint64_t length;           /* scalars */
	struct hash_digest sha256; /* of all bytes */
	char *value;               /* owned: text; NULL if it would be above VOTE_MAX_VALUE */
	char *index;               /* owned: ArgMin, ArgMax only; else NULL */
	char *indexes;             /* owned: TopK only, "[1,3,2]"; NULL as value */
	unsigned char *bytes;      /* owned: all of it */
	size_t len;
	/* Of a Concat by digest there are type, length and len; value and bytes are NULL and sha256
	 * is zero: the caller joins the parts. */
};
void vote_result_done(struct vote_result *r);

/* False for None and Discard. */
bool vote_reduce_has_result(const struct vote_reduction *r, size_t output);

/* The result of one output for the chunks added so far. ERR_TOO_BIG: integer overflow, the text
 * says of which element ("output hits: the sum does not fit i64"). A value of one scalar is a
 * number ("42"), else a JSON array ("[1,2]"); those of Concat and TopK are always arrays. */
MUST_CHECK int vote_reduce_finish(const struct vote_reduction *r, size_t output,
				  struct vote_result *ret, struct err *err);

/* The parts of an output that is reduced by digest, in chunk order, borrowed until the next
 * change; NULL and 0 for any other output and while there are none. */
const struct vote_part *vote_reduce_parts(const struct vote_reduction *r, size_t output,
					  size_t *ret_n);

#endif
