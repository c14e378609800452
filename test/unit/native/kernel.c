/* kernel.c - see kernel.h. */
#include "kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "interp.h"
#include "wgsl/wgsl.h"

static struct wgsl_module *compile_source(const struct wgsl_source *src, struct arena *arena)
{
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct err err = { 0 };

	if (wgsl_compile(src, arena, &m, &diags, &err) < 0)
		fail_msg("%s", err.text);
	if (wgsl_ir_verify(m, &err) < 0)
		fail_msg("%s", err.text);
	return m;
}

static struct wgsl_module *compile(const char *text, struct arena *arena)
{
	const struct wgsl_source src = { .text = text, .len = strlen(text) };

	return compile_source(&src, arena);
}

static struct wgsl_module *compile_kernel(const struct kernel *k, struct arena *arena)
{
	const struct wgsl_source src = { .text = k->text,
					 .len = strlen(k->text),
					 .strict = k->numerics != KERNEL_NATIVE,
					 .strict_division = k->numerics == KERNEL_STRICT_DIVISION };

	return compile_source(&src, arena);
}

static struct native_code *code_of(const struct wgsl_module *m, const struct native_options *o)
{
	AUTO(buf_done) struct buf object = { .max = NATIVE_MAX_OBJECT };
	struct native_code *code = NULL;
	struct err err = { 0 };

	if (native_compile(m, o, &object, &err) < 0 ||
	    native_load(object.data, object.len, &code, &err) < 0)
		fail_msg("%s", err.text);
	return code;
}

static enum native_status run_code(const struct native_code *code, const struct native_chunk *chunk,
				   uint64_t *used)
{
	struct native_run *run = NULL;
	struct err err = { 0 };
	enum native_status status = NATIVE_DONE;
	size_t scratch_bytes = native_scratch_bytes(code);
	char *memory = mem_alloc(scratch_bytes + 64);
	char *scratch = memory + (64 - (uintptr_t)memory % 64);
	uint64_t all;

	/* Scratch memory starts dirty, as it does in a runner. */
	memset(memory, 0xa5, scratch_bytes + 64);
	if (native_run_new(code, chunk, &run, &err) < 0)
		fail_msg("%s", err.text);
	all = native_run_units(run);
	for (uint64_t first = 0; first < all && status == NATIVE_DONE; first += 7)
		status = native_run_part(run, first, 7, scratch, used);
	native_run_free(run);
	mem_free(memory);
	return status;
}

enum native_status kernel_run(const char *text, const struct native_options *o,
			      const struct native_chunk *chunk, uint64_t *used)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(native_code_freep)
	struct native_code *code = code_of(compile(text, &arena), o);

	return run_code(code, chunk, used);
}

struct native_code *kernel_code(const struct wgsl_source *src)
{
	AUTO(arena_done) struct arena arena = { 0 };

	return code_of(compile_source(src, &arena), &(struct native_options){ 0 });
}

struct memory {
	struct native_buffer buffers[KERNEL_BUFFERS];
	char *raw[KERNEL_BUFFERS];
};

enum { GUARD = 64 };

static void memory_init(struct memory *mem, const struct kernel *k, uint32_t n)
{
	uint32_t state = k->seed;

	for (uint32_t b = 0; b < n; b++) {
		uint32_t size = k->sizes[b];
		char *at;

		mem->raw[b] = mem_alloc(size + 3 * GUARD);
		memset(mem->raw[b], 0x5a, size + 3 * GUARD);
		at = mem->raw[b] + GUARD + (GUARD - (uintptr_t)mem->raw[b] % GUARD) % GUARD;
		mem->buffers[b] = (struct native_buffer){ .data = at, .size = size };
		for (uint32_t w = 0; w < size / 4; w++) {
			uint32_t v = k->words[b] ? k->words[b][w] : kernel_word(&state);

			v = k->only_small && !k->words[b] ? v & 1023 : v;
			memcpy(at + 4 * w, &v, 4);
		}
	}
}

static void memory_done(struct memory *mem, uint32_t n)
{
	for (uint32_t b = 0; b < n; b++)
		mem_free(mem->raw[b]);
}

static void compare(const struct memory *got, const struct memory *want, uint32_t n,
		    const struct native_options *o)
{
	for (uint32_t b = 0; b < n; b++) {
		const char *x = got->buffers[b].data, *y = want->buffers[b].data;

		for (uint64_t w = 0; w < got->buffers[b].size / 4; w++)
			if (memcmp(x + 4 * w, y + 4 * w, 4) != 0)
				fail_msg("lanes %u%s %s: buffer %u word %llu: got %08x, want %08x",
					 o->lanes, o->reverse_lanes ? " reversed" : "",
					 o->cpu ? o->cpu : "host", b, (unsigned long long)w,
					 *(const uint32_t *)(const void *)(x + 4 * w),
					 *(const uint32_t *)(const void *)(y + 4 * w));
		for (int g = 0; g < GUARD; g++)
			if (x[-1 - g] != 0x5a || x[(int)got->buffers[b].size + g] != 0x5a)
				fail_msg("wrote outside of buffer %u", b);
	}
}

static uint32_t subgroup_size(const struct wgsl_module *m, const struct native_options *o)
{
	if (m->subgroup_size > 0)
		return m->subgroup_size;
	return o->reverse_lanes ? NATIVE_SUBGROUP_REVERSED : NATIVE_SUBGROUP;
}

static void check_module(const struct kernel *k, const struct wgsl_module *m,
			 const struct native_options *o)
{
	struct memory got = { 0 }, want = { 0 };
	struct native_chunk chunk = { .n_buffers = m->n_bindings, .iteration_limit = k->limit };
	uint64_t used_got = 0, used_want = 0;
	enum native_status s, t;
	AUTO(native_code_freep) struct native_code *code = code_of(m, o);

	for (int d = 0; d < 3; d++)
		chunk.invocations[d] = k->invocations[d] ? k->invocations[d] : 1;
	memory_init(&got, k, m->n_bindings);
	memory_init(&want, k, m->n_bindings);
	chunk.buffers = got.buffers;
	s = run_code(code, &chunk, &used_got);
	chunk.buffers = want.buffers;
	t = interp_run(m, &chunk, subgroup_size(m, o), &used_want);
	if (s != t)
		fail_msg("lanes %u %s: status %d, want %d", o->lanes, o->cpu ? o->cpu : "host", s,
			 t);
	if (s == NATIVE_DONE) {
		compare(&got, &want, m->n_bindings, o);
		if (used_got != used_want)
			fail_msg("lanes %u: %llu passes, want %llu", o->lanes,
				 (unsigned long long)used_got, (unsigned long long)used_want);
	}
	memory_done(&got, m->n_bindings);
	memory_done(&want, m->n_bindings);
}

void kernel_check(const struct kernel *k, const struct native_options *o)
{
	AUTO(arena_done) struct arena arena = { 0 };

	check_module(k, compile_kernel(k, &arena), o);
}

void kernel_check_all(const struct kernel *k)
{
	static const struct native_options all[] = {
		{ 0 },
		{ .lanes = 4 },
		{ .lanes = 8, .cpu = "x86-64-v3" },
		{ .lanes = 16 },
		{ .lanes = 32, .reverse_lanes = true },
		{ .lanes = 64, .cpu = "x86-64-v3" },
		{ .lanes = 128 },
		{ .cpu = "x86-64" },
	};
	AUTO(arena_done) struct arena arena = { 0 };
	const struct wgsl_module *m = compile_kernel(k, &arena);

	for (size_t n = 0; n < ARRAY_LEN(all); n++)
		check_module(k, m, &all[n]);
}
