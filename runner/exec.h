/*
 * exec.h - the executing child: one loaded kernel, one chunk at a time, over a team of threads.
 */
#ifndef RUNNER_EXEC_H
#define RUNNER_EXEC_H

#include <stdint.h>

#include "base/err.h"
#include "run/protocol.h"

struct exec;

/* The shared memory. Borrowed. */
struct exec_memory {
	uint8_t *in; /* mapped read-only: writing to it is a crash */
	uint64_t in_size;
	uint8_t *out;
	uint64_t out_size;
};

/* Starts the threads. */
MUST_CHECK int exec_new(uint32_t threads, const struct exec_memory *memory, struct exec **ret,
			struct err *err);

/* Replace the loaded code. On failure nothing is loaded. */
MUST_CHECK int exec_load(struct exec *e, const struct run_load_request *request, struct err *err);

/* Outputs are zeroed first. The answer's message lives in `text`. */
struct run_chunk_answer exec_chunk(struct exec *e, const struct run_chunk_request *request,
				   struct err *text);

#endif
