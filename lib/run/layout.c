/* layout.c - where the inputs and outputs of a chunk lie in shared memory; see slot_int.h. */
#include <string.h>

#include "base/num.h"
#include "run/slot_int.h"

enum { PROBE_GROUPS = 64 };

static int place(uint64_t size, uint64_t *end, uint64_t *ret_offset, struct err *err)
{
	uint64_t offset;

	if (!num_add_u64(*end, RUN_ALIGN - 1, &offset) ||
	    !num_add_u64(offset & ~(uint64_t)(RUN_ALIGN - 1), size, end))
		return err_set(err, ERR_TOO_BIG, "the sizes of a chunk wrap around");
	*ret_offset = *end - size;
	return 0;
}

/* What every binding must have: WebGPU's minimum, one element of a runtime-sized array. */
static uint64_t least_bytes(const struct wire_binding *b)
{
	return b->array_stride > 0 ? (uint64_t)b->array_offset + b->array_stride : b->fixed_size;
}

static int place_uniform(const struct wire_binding *b, const struct wire_chunk *chunk,
			 struct run_layout *l, struct run_buffer *ret, struct err *err)
{
	if (b->fixed_size > chunk->uniforms_size - l->request.uniforms.size)
		return err_set(err, ERR_INVALID, "uniform %s: %u bytes are missing", b->name,
			       b->fixed_size);
	*ret = (struct run_buffer){ .where = RUN_IN_MESSAGE,
				    .offset = l->request.uniforms.size,
				    .size = b->fixed_size };
	l->request.uniforms.size += b->fixed_size;
	return 0;
}

static int place_input(const struct wire_binding *b, const struct run_work *work,
		       struct run_layout *l, struct run_buffer *ret, struct err *err)
{
	struct run_placed *p = &l->inputs[l->n_inputs];

	if (l->n_inputs >= work->n_inputs || l->n_inputs >= work->chunk->n_inputs)
		return err_set(err, ERR_INVALID, "input %s is missing", b->name);
	p->input = &work->inputs[l->n_inputs];
	p->range = work->chunk->inputs[l->n_inputs];
	l->n_inputs++;
	if (p->range.offset > p->input->size || p->range.length > p->input->size - p->range.offset)
		return err_set(err, ERR_INVALID, "input %s: the range ends outside of it", b->name);
	if (p->range.length < least_bytes(b))
		return err_set(err, ERR_INVALID, "input %s: %llu bytes, at least %llu", b->name,
			       (unsigned long long)p->range.length,
			       (unsigned long long)least_bytes(b));
	*ret = (struct run_buffer){ .where = RUN_IN_INPUTS, .size = p->range.length };
	if (place(ret->size, &l->in_bytes, &ret->offset, err) < 0)
		return err->code;
	p->offset = ret->offset;
	return 0;
}

static int place_output(const struct wire_binding *b, const struct run_work *work,
			struct run_layout *l, struct run_buffer *ret, struct err *err)
{
	struct run_output *o = &l->outputs[l->n_outputs];

	if (l->n_outputs >= work->chunk->n_outputs)
		return err_set(err, ERR_INVALID, "output %s: its length is missing", b->name);
	*o = (struct run_output){ .binding = b,
				  .elements = work->chunk->output_elements[l->n_outputs] };
	o->is_scratch = (work->discard >> l->n_outputs & 1) != 0;
	l->n_outputs++;
	if (b->array_stride == 0)
		o->elements = 0;
	else if (o->elements == 0)
		return err_set(err, ERR_INVALID, "output %s: at least one element", b->name);
	if (o->elements > UINT32_MAX)
		return err_set(err, ERR_TOO_BIG, "output %s: too many elements", b->name);
	o->size = wire_binding_bytes(b, o->elements);
	*ret = (struct run_buffer){ .where = RUN_IN_OUTPUTS, .size = o->size };
	if (place(ret->size, &l->out_bytes, &ret->offset, err) < 0)
		return err->code;
	o->offset = ret->offset;
	return 0;
}

static int place_binding(const struct wire_binding *b, const struct run_work *work,
			 struct run_layout *l, struct run_buffer *ret, struct err *err)
{
	switch (b->role) {
	case WIRE_UNIFORM:
		return place_uniform(b, work->chunk, l, ret, err);
	case WIRE_INPUT:
		return place_input(b, work, l, ret, err);
	case WIRE_OUTPUT:
		return place_output(b, work, l, ret, err);
	}
	return err_set(err, ERR_INVALID, "binding %s has no role", b->name);
}

static int check_counts(const struct run_work *work, const struct run_layout *l, struct err *err)
{
	const struct wire_chunk *c = work->chunk;

	if (l->request.uniforms.size != c->uniforms_size)
		return err_set(err, ERR_INVALID, "%u bytes of uniforms, the kernel has %u",
			       c->uniforms_size, l->request.uniforms.size);
	if (l->n_inputs != c->n_inputs || l->n_inputs != work->n_inputs)
		return err_set(err, ERR_INVALID, "%u inputs, the kernel has %u", work->n_inputs,
			       l->n_inputs);
	if (l->n_outputs != c->n_outputs)
		return err_set(err, ERR_INVALID, "%u outputs, the kernel has %u", c->n_outputs,
			       l->n_outputs);
	return 0;
}

int run_layout_chunk(const struct run_work *work, struct run_layout *ret, struct err *err)
{
	const struct run_kernel *k = work->kernel;

	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < 3; i++) {
		if (work->chunk->grid[i] == 0 || work->chunk->grid[i] > UINT32_MAX)
			return err_set(err, ERR_INVALID, "the grid has %llu invocations in %c",
				       (unsigned long long)work->chunk->grid[i], "xyz"[i]);
		ret->request.grid[i] = (uint32_t)work->chunk->grid[i];
	}
	for (uint32_t i = 0; i < k->kernel.n_bindings; i++) {
		struct run_buffer *b = &ret->request.buffers[i];

		if (place_binding(&k->kernel.bindings[i], work, ret, b, err) < 0)
			return err->code;
		b->place = k->places[i];
	}
	if (check_counts(work, ret, err) < 0)
		return err->code;
	ret->request.n_buffers = k->kernel.n_bindings;
	ret->request.n_code_buffers = k->n_buffers;
	ret->request.uniforms.bytes = work->chunk->uniforms;
	ret->request.iterations = work->iterations;
	return 0;
}

void run_probe_grid(const uint32_t workgroup[3], uint32_t grid[3])
{
	uint64_t left = PROBE_GROUPS;

	for (int i = 0; i < 3; i++) {
		uint64_t size = workgroup[i] > 0 ? workgroup[i] : 1;
		uint64_t groups = (grid[i] + size - 1) / size;

		if (groups > left) {
			groups = left;
			grid[i] = (uint32_t)(groups * size);
		}
		left /= groups > 0 ? groups : 1;
	}
}
