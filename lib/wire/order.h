/*
 * order.h - what a node is asked to do (an order) and what it answers (results).
 *
 * A *dispatch* is one slice x one replica x one attempt: one order on the wire, one chunk pod in
 * the API. It runs the chunks first_chunk .. first_chunk + n_chunks - 1. Expressions are evaluated
 * by the controller: an order carries only packed bytes, sizes and digests.
 *
 * Decoded values live in the arena they were decoded into.
 */
#ifndef WIRE_ORDER_H
#define WIRE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_UID = 37,             /* a Kubernetes uid with its NUL */
	WIRE_DIGEST = 32,          /* SHA-256 */
	WIRE_MAX_CHUNKS = 1000000, /* of a job */
	WIRE_MAX_SLICE = 65536,    /* chunks of one order */
	WIRE_MAX_ORDER = 16 << 20, /* bytes of an encoded order */
	WIRE_MAX_CONSTANTS = 64,
	/* Bytes of a chunk's outputs that travel inline: 1 MiB, and the lengths of 64 outputs. */
	WIRE_MAX_VALUES = (1 << 20) + 64 * 8,
	WIRE_MAX_MESSAGE = 1024,
	WIRE_MAX_UNIFORM = 64 << 10, /* bytes of all uniforms of a chunk */
};

struct wire_dispatch {
	char job_uid[WIRE_UID];
	uint32_t slice;
	uint32_t replica;
	uint32_t attempt;
	uint32_t first_chunk;
	uint32_t n_chunks;
	uint64_t epoch; /* of the controller that gave the order */
};

/* A pipeline-overridable constant; key = name or decimal @id. */
struct wire_constant {
	const char *key;
	double value;
};

struct wire_range {
	uint64_t offset; /* bytes into the input */
	uint64_t length;
};

struct wire_chunk {
	uint32_t index;
	uint64_t grid[3]; /* logical invocations in x, y, z; each at least 1 */
	/* The bytes of all uniform bindings, concatenated in binding order. */
	const void *uniforms;
	uint32_t uniforms_size;
	/* Elements of the runtime-sized array of each output, in binding order (0 if it has none).
	 */
	const uint64_t *output_elements;
	uint32_t n_outputs;
	/* The part of each input that the chunk sees, in binding order. */
	const struct wire_range *inputs;
	uint32_t n_inputs;
};

struct wire_input {
	uint8_t digest[WIRE_DIGEST]; /* of the whole input: GET /v1/blobs/<digest> */
	uint64_t size;
};

enum wire_order_kind {
	WIRE_ORDER_RUN = 1,
	/* Run the one chunk forward and in reverse order of lanes and work-groups, first 64
	 * work-groups only; the outcome says whether the digests were equal. */
	WIRE_ORDER_PROBE = 2,
};

struct wire_order {
	enum wire_order_kind kind;
	struct wire_dispatch dispatch;
	uint8_t ticket[WIRE_DIGEST]; /* opaque to the agent; comes back with the results */
	const char *job;             /* "namespace/name", for logs */
	uint8_t kernel[WIRE_DIGEST]; /* SHA-256 of the text: GET /v1/blobs/<digest> */
	uint64_t kernel_size;
	const char *entry_point; /* "" = the only one */
	const struct wire_constant *constants;
	uint32_t n_constants;
	const struct wire_input *inputs; /* in binding order of the kernel's inputs */
	uint32_t n_inputs;
	uint64_t discard; /* bit i: output i (binding order) is scratch, not part of the result */
	uint64_t iterations; /* per invocation */
	bool strict;         /* numerics: Strict */
	uint32_t chunk_timeout_ms;
	uint32_t memory_mib; /* 0 = no limit of its own */
	const struct wire_chunk *chunks;
	uint32_t n_chunks;
};

/* How a chunk ended. OK, ITERATION_LIMIT and BAD_KERNEL are deterministic: they are votes. The
 * others are losses: they never vote. */
enum wire_outcome {
	WIRE_OK = 1,
	WIRE_ITERATION_LIMIT = 2, /* a loop ran longer than the order allows */
	WIRE_BAD_KERNEL = 3, /* does not compile here, although the controller's front end did */
	WIRE_CRASHED = 4,    /* the runner died: counts for backoffLimitPerChunk */
	WIRE_TIMED_OUT = 5,  /* longer than chunk_timeout_ms: counts for backoffLimitPerChunk */
	WIRE_DEVICE_LOST = 6,
	WIRE_CANCELLED = 7,  /* drain, SIGTERM, cancel: not the kernel's fault */
	WIRE_REFUSED = 8,    /* the agent cannot run it (memory, blob missing, full) */
	WIRE_ORDER_SEEN = 9, /* probe: forward and reverse order gave different digests */
};

static inline bool wire_outcome_is_vote(enum wire_outcome o)
{
	return o >= WIRE_OK && o <= WIRE_BAD_KERNEL;
}

struct wire_result {
	uint32_t chunk;
	enum wire_outcome outcome;
	/* WIRE_OK: SHA-256 over the canonical bytes of all outputs that are not scratch, in binding
	 * order, each preceded by its length in bytes as u64 little-endian. */
	uint8_t digest[WIRE_DIGEST];
	/* The canonical bytes themselves (same framing) if they are at most WIRE_MAX_VALUES; else
	 * empty and values_size says how many there are. */
	const void *values;
	uint64_t values_size;
	uint64_t iterations; /* largest number used by an invocation; 0 if not counted */
	uint64_t elapsed_us;
	const char *message; /* for people; "" if there is nothing to say */
};

/* A page of results of one dispatch, as an agent sends and keeps them. */
struct wire_results {
	struct wire_dispatch dispatch;
	uint8_t ticket[WIRE_DIGEST];
	const struct wire_result *results;
	uint32_t n_results;
};

const char *wire_outcome_name(enum wire_outcome o); /* "TimedOut" */

#endif
