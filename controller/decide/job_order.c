/* job_order.c - orders: what a node is asked for, as the wire carries it. */
#include <string.h>

#include "controller/decide/job_int.h"

static uint64_t discarded(const struct job *j)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < job_params_outputs(j->params); i++)
		if (j->outputs[job_params_output(j->params, i)].reduce == VOTE_DISCARD)
			bits |= (uint64_t)1 << i;
	return bits;
}

struct wire_order *job_order_build(struct job *j, const struct wire_dispatch *key,
				   struct arena *arena, struct err *err)
{
	struct wire_order *o = arena_new(arena, struct wire_order);
	struct wire_chunk *chunks = arena_new_array(arena, struct wire_chunk, key->n_chunks);
	struct wire_input *inputs =
	    arena_new_array(arena, struct wire_input, job_params_inputs(j->params));

	for (uint32_t i = 0; i < key->n_chunks; i++)
		if (job_chunk(j, key->first_chunk + i, arena, &chunks[i], err) < 0)
			return NULL;
	for (size_t i = 0; i < job_params_inputs(j->params); i++) {
		size_t entry = job_params_input(j->params, i);

		memcpy(inputs[i].digest, j->input_sha256[entry].bytes, WIRE_DIGEST);
		inputs[i].size = j->input_size[entry];
	}
	*o = (struct wire_order){
		.kind = WIRE_ORDER_RUN,
		.dispatch = *key,
		.job = arena_printf(arena, "%s/%s", j->spec.ns, j->spec.name),
		.kernel_size = j->spec.kernel_len,
		.entry_point = j->spec.entry_point,
		.constants = j->spec.constants,
		.n_constants = (uint32_t)j->spec.n_constants,
		.inputs = inputs,
		.n_inputs = (uint32_t)job_params_inputs(j->params),
		.discard = discarded(j),
		.iterations = j->spec.iterations,
		.strict = j->spec.strict,
		.chunk_timeout_ms = (uint32_t)j->spec.chunk_timeout_ms,
		.memory_mib = (uint32_t)j->spec.memory_mib,
		.chunks = chunks,
		.n_chunks = key->n_chunks,
	};
	memcpy(o->kernel, j->kernel_sha256.bytes, WIRE_DIGEST);
	return o;
}
