/* uses: run */
/*
 * run_pi.c - the pi kernel through lib/run and kwarp-runner: how long compiling takes (new process,
 * warm one, cache), how long a runner takes from its start to its first result (native code that is
 * loaded; the same on the first Vulkan device, where there is one), samples/s.
 *
 *     KWARP_RUNNER=bin/kwarp-runner run_pi            all of it as "name value unit" lines
 *     KWARP_RUNNER=bin/kwarp-runner run_pi chunk      "hits=78543034 best_ms=13.1", as c_pi does
 *
 * Two threads. Exits 1 if the 100 chunks of the small job do not sum up to the right number of
 * hits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/num.h"
#include "run/run.h"
#include "test/bench/pi_kernel.h"

enum {
	REPEATS = 5,
	SMALL_CHUNKS = 100,
	SMALL_HITS = 20590316,
	SAMPLES_PER_THREAD = 256,
	CHUNK_SAMPLES = 100000000,
	THREADS = 2,
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static struct run_kernel *load(struct run_host *host, const char *salt)
{
	AUTO(buf_done) struct buf text = { .max = 65536 };
	AUTO(buf_done) struct buf diagnostics = { .max = 65536 };
	struct run_kernel *kernel = NULL;
	struct err err = { 0 };

	buf_note(&text, "%s// %s\n", PI_KERNEL, salt);
	if (run_wait_load(host, &(struct run_source){ .text = text.data, .len = text.len }, true,
			  &diagnostics, &kernel, &err) < 0)
		fail(buf_str(&diagnostics), err.text);
	return kernel;
}

/* Returns the hits. */
static uint32_t chunk(struct run_slot *slot, struct run_kernel *kernel, uint32_t index,
		      uint32_t samples, struct wire_result *ret)
{
	AUTO(arena_done) struct arena arena = { 0 };
	static const uint64_t elements[1];
	char uniforms[12];
	struct wire_chunk c = { .index = index,
				.grid = { samples / SAMPLES_PER_THREAD, 1, 1 },
				.uniforms = uniforms,
				.uniforms_size = sizeof(uniforms),
				.output_elements = elements,
				.n_outputs = 1 };
	const struct run_work work = { .kernel = kernel, .chunk = &c, .timeout_ms = 60000 };
	struct err err = { 0 };

	c.uniforms_size = run_kernel_reflection(kernel)->bindings[0].fixed_size;
	num_put_u32(uniforms, index * 16777216);
	num_put_u32(uniforms + 4, samples);
	num_put_u32(uniforms + 8, SAMPLES_PER_THREAD);
	if (run_wait_chunk(slot, &work, &arena, ret, &err) < 0)
		fail("chunk", err.text);
	if (ret->outcome != WIRE_OK)
		fail(wire_outcome_name(ret->outcome), ret->message);
	return num_get_u32((const char *)ret->values + 8);
}

static struct run_host *new_host(struct loop *loop)
{
	struct run_host *host;
	struct err err = { 0 };

	if (run_host_new(loop, &(struct run_options){ 0 }, &host, &err) < 0)
		fail("host", err.text);
	return host;
}

/* device: NULL is the CPU. */
static struct run_slot *new_slot(struct run_host *host, const char *device)
{
	const struct run_slot_options options = { .threads = THREADS, .device = device };
	struct run_slot *slot;
	struct err err = { 0 };

	if (run_slot_new(host, &options, &slot, &err) < 0)
		fail("slot", err.text);
	return slot;
}

static void print_ms(const char *name, int64_t us)
{
	printf("%-28s %8.2f ms\n", name, (double)us / 1000);
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void measure_compile(struct loop *loop)
{
	static const char *const salts[REPEATS] = { "a", "b", "c", "d", "e" };
	int64_t cold_us = INT64_MAX;
	int64_t warm_us = INT64_MAX;
	int64_t cached_us = INT64_MAX;

	for (int i = 0; i < REPEATS; i++) {
		struct run_host *host = new_host(loop);
		int64_t start_us = clock_boot_us();

		run_kernel_unref(load(host, "cold"));
		cold_us = smaller(cold_us, clock_boot_us() - start_us);
		start_us = clock_boot_us();
		run_kernel_unref(load(host, salts[i]));
		warm_us = smaller(warm_us, clock_boot_us() - start_us);
		start_us = clock_boot_us();
		run_kernel_unref(load(host, salts[i]));
		cached_us = smaller(cached_us, clock_boot_us() - start_us);
		run_host_free(host);
	}
	print_ms("compile, new process", cold_us);
	print_ms("compile, warm process", warm_us);
	print_ms("compile, cached", cached_us);
}

static void measure_start(struct run_host *host, struct run_kernel *kernel, const char *device)
{
	int64_t best_us = INT64_MAX;
	struct wire_result r;

	for (int i = 0; i < REPEATS; i++) {
		int64_t start_us = clock_boot_us();
		struct run_slot *slot = new_slot(host, device);

		chunk(slot, kernel, 0, SAMPLES_PER_THREAD, &r);
		best_us = smaller(best_us, clock_boot_us() - start_us);
		run_slot_free(slot);
	}
	print_ms(device == NULL ? "start, native" : "start, vulkan", best_us);
}

/* The first Vulkan device, if there is one. */
static void measure_vulkan_start(struct run_host *host)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct run_source source = { .text = PI_KERNEL,
				     .len = sizeof(PI_KERNEL) - 1,
				     .target = RUN_VULKAN };
	struct run_kernel *kernel = NULL;
	const struct run_device *device;
	struct err err = { 0 };
	uint32_t n;

	if (run_wait_devices(host, &arena, &device, &n, &err) < 0 || n == 0)
		return;
	source.modes = device->modes;
	if (run_wait_load(host, &source, true, NULL, &kernel, &err) < 0)
		fail("vulkan", err.text);
	measure_start(host, kernel, device->id);
	run_kernel_unref(kernel);
}

/* The first chunk is a warm-up, as in the programs to compare with. */
static int64_t big_chunk_us(struct run_slot *slot, struct run_kernel *kernel, uint32_t *hits)
{
	int64_t best_us = INT64_MAX;
	struct wire_result r;

	*hits = chunk(slot, kernel, 0, CHUNK_SAMPLES, &r);
	for (int i = 0; i < REPEATS; i++) {
		*hits = chunk(slot, kernel, 0, CHUNK_SAMPLES, &r);
		best_us = smaller(best_us, (int64_t)r.elapsed_us);
	}
	return best_us;
}

static void measure_chunks(struct run_slot *slot, struct run_kernel *kernel)
{
	uint32_t big_hits;
	int64_t big_us = big_chunk_us(slot, kernel, &big_hits);
	int64_t start_us = clock_boot_us();
	struct wire_result r;
	uint64_t hits = 0;

	print_ms("chunk of 1e8 samples", big_us);
	printf("%-28s %8u\n", "its hits", big_hits);
	printf("%-28s %8.2f G/s\n", "samples", CHUNK_SAMPLES / (double)big_us / 1000);
	for (uint32_t i = 0; i < SMALL_CHUNKS; i++)
		hits += chunk(slot, kernel, i, 262144, &r);
	print_ms("100 small chunks", clock_boot_us() - start_us);
	printf("%-28s %8llu\n", "their hits", (unsigned long long)hits);
	if (hits != SMALL_HITS)
		fail("hits", "wrong");
	start_us = clock_boot_us();
	for (uint32_t i = 0; i < 1000; i++)
		chunk(slot, kernel, i, SAMPLES_PER_THREAD, &r);
	print_ms("trivial chunk", (clock_boot_us() - start_us) / 1000);
}

static void measure_big_chunk(struct loop *loop)
{
	struct run_host *host = new_host(loop);
	struct run_kernel *kernel = load(host, "run");
	struct run_slot *slot = new_slot(host, NULL);
	uint32_t hits;
	int64_t us = big_chunk_us(slot, kernel, &hits);

	printf("hits=%u best_ms=%.2f\n", hits, (double)us / 1000);
	run_slot_free(slot);
	run_kernel_unref(kernel);
	run_host_free(host);
}

static void measure_all(struct loop *loop)
{
	struct run_host *host;
	struct run_slot *slot;
	struct run_kernel *kernel;

	measure_compile(loop);
	host = new_host(loop);
	kernel = load(host, "run");
	measure_start(host, kernel, NULL);
	measure_vulkan_start(host);
	slot = new_slot(host, NULL);
	measure_chunks(slot, kernel);
	run_slot_free(slot);
	run_kernel_unref(kernel);
	run_host_free(host);
}

int main(int argc, char **argv)
{
	struct loop *loop;
	struct err err = { 0 };

	if (loop_new(&loop, &err) < 0)
		fail("loop", err.text);
	if (argc > 1 && strcmp(argv[1], "chunk") == 0)
		measure_big_chunk(loop);
	else
		measure_all(loop);
	loop_free(loop);
	return 0;
}
