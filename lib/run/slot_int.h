/*
 * slot_int.h - the two memory files of a slot (memory.c) and how a chunk lies in them (layout.c).
 */
#ifndef RUN_SLOT_INT_H
#define RUN_SLOT_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "hash/hash.h"
#include "run/protocol.h"
#include "run/run.h"
#include "run/run_int.h"

/* ---- memory shared with the child --------------------------------------------------------- */

struct run_memory {
	int fd;         /* owned; -1 after failure: start with run_memory_new */
	int child_fd;   /* owned: what the child gets: read-only for inputs */
	uint8_t *bytes; /* owned: mapped here, writable */
	uint64_t size;
	uint64_t used; /* may hold something up to here */
};

/* Sparse: pages are taken when they are touched. */
MUST_CHECK int run_memory_new(const char *name, uint64_t size, bool child_writes,
			      struct run_memory *ret, struct err *err);
void run_memory_done(struct run_memory *m);

/* Give the pages back; everything reads as zero. */
void run_memory_clear(struct run_memory *m);

/* ---- layout: where the bytes of a chunk lie ------------------------------------------------ */

struct run_output {
	const struct wire_binding *binding; /* borrowed: from the kernel */
	uint64_t elements;
	uint64_t offset;
	uint64_t size;
	bool is_scratch;
};

struct run_placed {
	const struct run_input *input; /* borrowed: from the work, during the call */
	struct wire_range range;
	uint64_t offset; /* in the inputs' memory */
};

struct run_layout {
	struct run_chunk_request request;
	struct run_output outputs[WIRE_MAX_BINDINGS];
	uint32_t n_outputs;
	struct run_placed inputs[WIRE_MAX_BINDINGS];
	uint32_t n_inputs;
	uint64_t in_bytes;
	uint64_t out_bytes;
};

/* Pure. ERR_INVALID: the chunk does not fit the kernel, the text names the binding. ERR_TOO_BIG:
 * sizes beyond any memory. */
MUST_CHECK int run_layout_chunk(const struct run_work *work, struct run_layout *ret,
				struct err *err);

/* The logical grid of a probe: at most the first 64 work-groups. */
void run_probe_grid(const uint32_t workgroup[3], uint32_t grid[3]);

#endif
