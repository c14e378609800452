/* lava.c - see lava.h. */
#include "test/bench/lava.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/object.h"
#include "spirv/spirv.h"
#include "wgsl/wgsl.h"

enum { MAX_BUFFERS = 8, BYTES = 80 << 20 };

struct lava {
	struct gpu *gpu;
	struct gpu_memory memory;
	struct gpu_buffer buffers[MAX_BUFFERS];
	uint32_t n;
};

static void fail(const struct err *err)
{
	fprintf(stderr, "lavapipe: %s\n", err->text);
	exit(1);
}

static uint8_t *map(void)
{
	void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static void load(struct lava *l, const char *wgsl)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	AUTO(buf_done) struct buf object = { .max = GPU_MAX_OBJECT };
	const struct wgsl_source source = { .text = wgsl, .len = strlen(wgsl) };
	const struct spirv_options options = gpu_object_options(gpu_device_of(l->gpu)->modes);
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m;
	struct spirv_layout layout;
	struct err err = { 0 };

	if (wgsl_compile(&source, &arena, &m, &diags, &err) < 0 ||
	    spirv_compile(m, &options, &words, &layout, &err) < 0 ||
	    gpu_object_encode(&layout, words.data, words.len, &object, &err) < 0 ||
	    gpu_load(l->gpu, object.data, object.len, &err) < 0)
		fail(&err);
}

struct lava *lava_new(const char *wgsl, const uint64_t *sizes, uint32_t n)
{
	struct lava *l = NEW(struct lava);
	uint64_t at = 0;
	struct err err = { 0 };

	l->memory = (struct gpu_memory){ map(), BYTES, map(), BYTES };
	if (gpu_open("0", &l->memory, &l->gpu, &err) < 0)
		fail(&err);
	load(l, wgsl);
	l->n = n;
	for (uint32_t b = 0; b + 1 < n; b++) {
		l->buffers[b] = (struct gpu_buffer){ GPU_IN, at, sizes[b] };
		at += (sizes[b] + GPU_ALIGN - 1) / GPU_ALIGN * GPU_ALIGN;
	}
	l->buffers[n - 1] = (struct gpu_buffer){ GPU_OUT, 0, sizes[n - 1] };
	if (n > MAX_BUFFERS || at > BYTES || sizes[n - 1] > BYTES)
		exit(1);
	return l;
}

void lava_free(struct lava *l)
{
	gpu_free(l->gpu);
	munmap(l->memory.in, BYTES);
	munmap(l->memory.out, BYTES);
	mem_free(l);
}

double lava_run(struct lava *l, void *const *buffers, const uint32_t invocations[3])
{
	const struct gpu_chunk chunk = { .buffers = l->buffers,
					 .n_buffers = l->n,
					 .invocations = { invocations[0], invocations[1],
							  invocations[2] } };
	struct gpu_answer answer;
	struct err err = { 0 };
	int64_t start_us;

	for (uint32_t b = 0; b + 1 < l->n; b++)
		memcpy(l->memory.in + l->buffers[b].offset, buffers[b], l->buffers[b].size);
	start_us = clock_boot_us();
	if (gpu_run(l->gpu, &chunk, &answer, &err) < 0)
		fail(&err);
	if (answer.status != GPU_DONE)
		exit(1);
	return (double)(clock_boot_us() - start_us) / 1000;
}

const void *lava_output(const struct lava *l)
{
	return l->memory.out;
}
