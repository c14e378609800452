/* device.c - see device.h. */
#include "runner/device.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "gpu/gpu.h"

struct device {
	struct gpu *gpu; /* owned */
	bool is_loaded;
	struct err why_not; /* code 0: nothing was loaded yet */
};

int device_new(const char *id, const struct exec_memory *memory, struct device **ret,
	       struct err *err)
{
	const struct gpu_memory m = { memory->in, memory->in_size, memory->out, memory->out_size };
	struct device *d = NEW(struct device); /* lives as long as the process */

	if (gpu_open(id, &m, &d->gpu, err) < 0 || gpu_warm(d->gpu, err) < 0)
		return err->code;
	*ret = d;
	return 0;
}

bool device_is_software(const struct device *d)
{
	return gpu_device_of(d->gpu)->is_software;
}

int device_load(struct device *d, const struct run_load_request *request, struct err *err)
{
	const struct run_bytes *o = &request->object[0];

	err_clear(&d->why_not);
	d->is_loaded = gpu_load(d->gpu, o->bytes, o->size, &d->why_not) == 0;
	if (d->is_loaded)
		return 0;
	*err = d->why_not;
	return err->code;
}

/* Bindings that the chunk does not name stay empty: gpu_run says which it misses. */
static int run(struct device *d, const struct run_chunk_request *m, struct gpu_answer *ret,
	       struct err *err)
{
	static const enum gpu_where where[] = {
		[RUN_IN_MESSAGE] = GPU_UNIFORM, [RUN_IN_INPUTS] = GPU_IN, [RUN_IN_OUTPUTS] = GPU_OUT
	};
	struct gpu_buffer buffers[WIRE_MAX_BINDINGS] = { 0 };
	struct gpu_chunk chunk = {
		.n_buffers = m->n_code_buffers,
		.uniforms = m->uniforms.bytes,
		.uniforms_size = m->uniforms.size,
		.invocations = { m->grid[0], m->grid[1], m->grid[2] },
		.iteration_limit = m->iterations,
	};

	for (uint32_t i = 0; i < m->n_buffers; i++)
		buffers[m->buffers[i].place] =
		    (struct gpu_buffer){ where[m->buffers[i].where], m->buffers[i].offset,
					 m->buffers[i].size };
	chunk.buffers = buffers;
	return gpu_run(d->gpu, &chunk, ret, err);
}

static enum wire_outcome outcome_of(int code)
{
	switch (code) {
	case 0:
		return WIRE_OK;
	case ERR_INVALID:
		return WIRE_BAD_KERNEL;
	case ERR_GONE:
	case ERR_TIMEOUT:
		return WIRE_DEVICE_LOST;
	default:
		return WIRE_REFUSED;
	}
}

struct run_chunk_answer device_chunk(struct device *d, const struct run_chunk_request *request,
				     struct err *text)
{
	struct run_chunk_answer a = { .message = "" };
	struct gpu_answer answer = { 0 };
	int64_t start_us = clock_boot_us();

	if (!d->is_loaded && d->why_not.code == 0)
		(void)err_set(text, ERR_UNAVAILABLE, "no kernel is loaded");
	else if (!d->is_loaded)
		*text = d->why_not;
	else
		(void)!run(d, request, &answer, text);
	a.outcome = outcome_of(text->code);
	/* A loaded object is our compiler's: what it says of a bad one is not the kernel's fault.
	 */
	if (!d->is_loaded && a.outcome == WIRE_BAD_KERNEL)
		a.outcome = WIRE_REFUSED;
	if (text->code != 0) {
		a.message = text->text;
	} else if (answer.status == GPU_ITERATION_LIMIT) {
		a.outcome = WIRE_ITERATION_LIMIT;
		a.message = "an invocation used up its iterations";
	}
	a.iterations = answer.iterations;
	a.elapsed_us = (uint64_t)(clock_boot_us() - start_us);
	return a;
}

int device_list(struct buf *out, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct run_devices m = { .message = "" };
	const struct gpu_device *list;
	struct err why = { 0 };
	uint32_t n = 0;

	if (gpu_list(&a, &list, &n, &why) < 0) {
		m.code = why.code;
		m.message = why.text;
	}
	for (; m.n < n && m.n < RUN_MAX_DEVICES; m.n++)
		m.list[m.n] = (struct run_device){ .id = list[m.n].id,
						   .vendor = list[m.n].vendor,
						   .name = list[m.n].name,
						   .driver = list[m.n].driver,
						   .memory_mib = list[m.n].memory_mib,
						   .is_software = list[m.n].is_software,
						   .modes = list[m.n].modes };
	return run_put_devices(out, &m, err);
}
