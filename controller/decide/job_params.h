/*
 * job_params.h - from expressions to the packed chunks of an order.
 *
 *     job_params_new(spec, kernel, manifest, &p, err);          compiled once
 *     job_params_check(p, from, n, inputs, &done, err);         every chunk, before work goes out
 *     job_params_chunk(p, chunk, inputs, arena, &wire, err);    packed
 *
 * Errors name chunk and field ("chunk 3: param seed: 4294967296 does not fit u32") and mean
 * reason ManifestInvalid.
 */
#ifndef DECIDE_JOB_PARAMS_H
#define DECIDE_JOB_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "controller/decide/job_view.h"
#include "wire/kernel.h"
#include "wire/order.h"

struct arena;
struct doc;
struct job_params;

enum {
	JOB_MAX_OUTPUT = 1 << 30,     /* bytes of one output of one chunk */
	JOB_MAX_GRID = 0x7fffffff,    /* invocations in one dimension */
	JOB_MAX_PROBLEMS = 16 * 1024, /* bytes of the lines of job_params_problems */
	JOB_MAX_INVOCATIONS_LOG = 40, /* log2 of the most invocations of a chunk */
};

/* Sizes over all chunks checked so far, per output in binding order. */
struct job_extent {
	uint64_t max_bytes;   /* of one chunk */
	uint64_t min_scalars; /* of one chunk */
	uint64_t max_scalars; /* of one chunk */
	uint64_t total;       /* scalars of all chunks */
	uint64_t total_bytes;
};

/* spec and kernel are borrowed until job_params_free. The error is the first of
 * job_params_problems. manifest: the list of chunks that the spec
 * or its ConfigMap holds, NULL without one (a reference is kept). count: of chunks. */
MUST_CHECK int job_params_new(const struct job_spec *spec, const struct wire_kernel *kernel,
			      const struct doc *manifest, int64_t count, struct job_params **ret,
			      struct err *err);
/* Append a line for each name, expression and length of the spec that does not fit the kernel;
 * their number. What depends on a chunk's values is found by job_params_check. */
size_t job_params_problems(const struct job_spec *spec, const struct wire_kernel *kernel,
			   const struct doc *manifest, int64_t count, struct buf *out);
void job_params_free(struct job_params *p); /* accepts NULL */

/* Kernel inputs and outputs in binding order. */
size_t job_params_inputs(const struct job_params *p);
size_t job_params_outputs(const struct job_params *p);
/* Which entry of spec.inputs, spec.outputs that is; and its binding. */
size_t job_params_input(const struct job_params *p, size_t i);
size_t job_params_output(const struct job_params *p, size_t i);
const struct wire_binding *job_params_output_binding(const struct job_params *p, size_t i);

/* sizes: of the inputs, in the order of spec.inputs. */
MUST_CHECK int job_params_chunk(const struct job_params *p, uint32_t chunk, const uint64_t *sizes,
				struct arena *arena, struct wire_chunk *ret, struct err *err);

/* Check chunks from .. from + n - 1 in turn and add them up; must cover all chunks in order. */
MUST_CHECK int job_params_check(struct job_params *p, uint32_t from, uint32_t n,
				const uint64_t *sizes, struct err *err);
const struct job_extent *job_params_extent(const struct job_params *p, size_t output);
/* False if an order proof of the kernel does not hold for some chunk. */
bool job_params_order_holds(const struct job_params *p);
/* The first that does not, in words; there must be one. */
void job_params_order_reason(const struct job_params *p, struct buf *out);
/* The same as a line of notes; nothing if all hold. */
void job_params_order_note(const struct job_params *p, struct buf *out);

/* Elements of the runtime-sized array of an output in this chunk (0 without one), and the index of
 * the chunk's first scalar among those of all chunks. After the check. */
MUST_CHECK int job_params_elements(const struct job_params *p, uint32_t chunk, size_t output,
				   uint64_t *ret, struct err *err);
uint64_t job_params_first(const struct job_params *p, uint32_t chunk, size_t output);

/* Bytes that one chunk takes in an encoded order, about. */
size_t job_params_order_bytes(const struct job_params *p);

#endif
