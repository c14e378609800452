/* exec.c - see exec.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "drivers.h"
#include "exec.h"
#include "gpu/object.h"
#include "spirv/spirv.h"
#include "wgsl/wgsl.h"

static uint8_t *map(void)
{
	void *at =
	    mmap(NULL, EXEC_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	return at;
}

void exec_open(struct exec *x)
{
	struct err err = { 0 };

	*x = (struct exec){ .memory = { map(), EXEC_BYTES, map(), EXEC_BYTES } };
	if (gpu_open("0", &x->memory, &x->gpu, &err) < 0)
		fail_msg("%s", err.text);
}

void exec_close(struct exec *x)
{
	gpu_free(x->gpu);
	arena_done(&x->arena);
	if (x->memory.in != NULL)
		munmap(x->memory.in, EXEC_BYTES);
	if (x->memory.out != NULL)
		munmap(x->memory.out, EXEC_BYTES);
}

void exec_load(struct exec *x, const char *wgsl)
{
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	AUTO(buf_done) struct buf object = { .max = GPU_MAX_OBJECT };
	const struct wgsl_source source = { .text = wgsl, .len = strlen(wgsl) };
	const struct spirv_options options = gpu_object_options(gpu_device_of(x->gpu)->modes);
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m;
	struct spirv_layout layout;
	struct err err = { 0 };

	if (wgsl_compile(&source, &x->arena, &m, &diags, &err) < 0 ||
	    spirv_compile(m, &options, &words, &layout, &err) < 0 ||
	    gpu_object_encode(&layout, words.data, words.len, &object, &err) < 0 ||
	    gpu_load(x->gpu, object.data, object.len, &err) < 0)
		fail_msg("%s", err.text);
}

int exec_run(struct exec *x, const struct exec_chunk *chunk, const void **outputs,
	     struct gpu_answer *ret, struct err *err)
{
	uint8_t uniforms[65536];
	struct gpu_buffer buffers[GPU_MAX_BINDINGS];
	uint64_t used[GPU_OUT + 1] = { 0 };
	uint8_t *const to[] = {
		[GPU_UNIFORM] = uniforms, [GPU_IN] = x->memory.in, [GPU_OUT] = x->memory.out
	};

	for (uint32_t i = 0; i < chunk->n_buffers; i++) {
		const struct exec_buffer *b = &chunk->buffers[i];
		uint64_t at = used[b->where];

		buffers[i] = (struct gpu_buffer){ b->where, at, b->size };
		used[b->where] = (at + b->size + GPU_ALIGN - 1) / GPU_ALIGN * GPU_ALIGN;
		assert_true(used[b->where] <=
			    (b->where == GPU_UNIFORM ? sizeof(uniforms) : EXEC_BYTES));
		if (b->where != GPU_OUT)
			memcpy(to[b->where] + at, b->bytes, b->size);
		outputs[i] = to[b->where] + at;
	}
	const struct gpu_chunk c = {
		.buffers = buffers,
		.n_buffers = chunk->n_buffers,
		.uniforms = uniforms,
		.uniforms_size = (uint32_t)used[GPU_UNIFORM],
		.invocations = { chunk->invocations[0], chunk->invocations[1],
				 chunk->invocations[2] },
		.iteration_limit = chunk->iteration_limit,
		.stop = chunk->stop,
	};

	return gpu_run(x->gpu, &c, ret, err);
}

static int open_on(void **state, const struct test_driver *driver)
{
	struct exec *x = NEW(struct exec);

	*state = x;
	if (test_use_driver(driver))
		exec_open(x);
	return 0;
}

int exec_open_lavapipe(void **state)
{
	return open_on(state, &TEST_LAVAPIPE);
}

int exec_open_swiftshader(void **state)
{
	return open_on(state, &TEST_SWIFTSHADER);
}

int exec_close_any(void **state)
{
	exec_close(*state);
	mem_free(*state);
	return 0;
}

struct exec *exec_or_skip(void **state)
{
	struct exec *x = *state;

	if (x->gpu == NULL)
		skip();
	return x;
}
