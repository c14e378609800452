/* test_vulkan.c - kernels from text to results on Vulkan devices through the real kwarp-runner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/num.h"
#include "run/run.h"
#include "run/selftest.h"
#include "test/unit/gpu/drivers.h"

enum {
	ELEMENTS = 1000,
	ALL = WIRE_NEED_RTE | WIRE_NEED_DENORM | WIRE_NEED_INFNAN | WIRE_NEED_NOCONTRACT |
	      WIRE_NEED_LOOPS64K,
	TYPES = WIRE_NEEDS_TO_RUN & ~WIRE_NEEDS_SIZES, /* and subgroups */
};

static const char TRIPLE[] = "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
			     "@compute @workgroup_size(64)\n"
			     "fn main(@builtin(global_invocation_id) id: vec3<u32>,\n"
			     "        @builtin(num_workgroups) n: vec3<u32>) {\n"
			     "  r[id.x] = id.x * 3u + n.x;\n"
			     "}\n";

/* Passes as the input says; counted, because nothing bounds them. */
static const char LOOPS[] = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
			    "@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"
			    "@compute @workgroup_size(64)\n"
			    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			    "  var n = 0u;\n"
			    "  for (var i = 0u; i < a[0]; i++) { n = n * 3u + 1u; }\n"
			    "  r[id.x] = n;\n"
			    "}\n";

/* More memory of work-groups than Vulkan promises, less than we allow. */
static const char SHARED[] = "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
			     "var<workgroup> m: array<u32, 8192>;\n"
			     "@compute @workgroup_size(1024)\n"
			     "fn main(@builtin(local_invocation_index) l: u32) {\n"
			     "  m[l * 8u] = l;\n"
			     "  workgroupBarrier();\n"
			     "  r[l] = m[(1023u - l) * 8u];\n"
			     "}\n";

/* What has no fixed bits unless numerics are strict. */
static const char FLOATS[] = "@group(0) @binding(0) var<storage, read_write> r: array<f32>;\n"
			     "@compute @workgroup_size(64)\n"
			     "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			     "  let x = f32(id.x) * 0.37 + 0.1;\n"
			     "  r[id.x] = sin(x) / exp(x * 0.01) + pow(x, 1.3) * sqrt(x);\n"
			     "}\n";

struct bench {
	struct loop *loop;
	struct run_host *host;
	struct run_slot *slot;
	struct arena arena;
	const struct run_device *device;
};

static int open_bench(struct bench *b)
{
	struct run_slot_options options = { .threads = 2, .memory_mib = 64, .max_passes = 60000 };
	struct err err = { 0 };
	uint32_t n = 0;

	if (loop_new(&b->loop, &err) < 0 ||
	    run_host_new(b->loop, &(struct run_options){ 0 }, &b->host, &err) < 0 ||
	    run_wait_devices(b->host, &b->arena, &b->device, &n, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(n, 1);
	options.device = b->device->id;
	if (run_slot_new(b->host, &options, &b->slot, &err) < 0)
		fail_msg("%s", err.text);
	return 0;
}

static int open_lavapipe(void **state)
{
	*state = NEW(struct bench);
	return test_use_driver(&TEST_LAVAPIPE) ? open_bench(*state) : 0;
}

static int open_swiftshader(void **state)
{
	*state = NEW(struct bench);
	return test_use_driver(&TEST_SWIFTSHADER) ? open_bench(*state) : 0;
}

static int close_bench(void **state)
{
	struct bench *b = *state;

	run_slot_free(b->slot);
	run_host_free(b->host);
	loop_free(b->loop);
	arena_done(&b->arena);
	mem_free(b);
	unsetenv("KWARP_RUNNER_HOSTILE");
	return 0;
}

static struct bench *bench_or_skip(void **state)
{
	struct bench *b = *state;

	if (b->slot == NULL)
		skip();
	return b;
}

static struct run_kernel *load(struct bench *b, const char *text)
{
	const struct run_source source = {
		.text = text, .len = strlen(text), .target = RUN_VULKAN, .modes = b->device->modes
	};
	AUTO(buf_done) struct buf diagnostics = { .max = 4096 };
	struct run_kernel *k = NULL;
	struct err err = { 0 };

	if (run_wait_load(b->host, &source, true, &diagnostics, &k, &err) < 0)
		fail_msg("%s: %s", err.text, buf_str(&diagnostics));
	return k;
}

static struct wire_result run(struct bench *b, struct run_kernel *k, uint64_t elements)
{
	const struct wire_chunk chunk = { .grid = { elements, 1, 1 },
					  .output_elements = &elements,
					  .n_outputs = 1 };
	const struct run_work work = { .kernel = k, .chunk = &chunk, .timeout_ms = 20000 };
	struct wire_result result = { 0 };
	struct err err = { 0 };

	if (run_wait_chunk(b->slot, &work, &b->arena, &result, &err) < 0)
		fail_msg("%s", err.text);
	return result;
}

static void computes_from_text(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, TRIPLE);
	int64_t start_us = clock_boot_us();
	struct wire_result r = run(b, k, ELEMENTS);
	const uint32_t *values;
	uint64_t size = 0;

	print_message("# first chunk after %lld us\n", (long long)(clock_boot_us() - start_us));
	if (r.outcome != WIRE_OK)
		fail_msg("%s: %s", wire_outcome_name(r.outcome), r.message);
	values = run_slot_output(b->slot, 0, &size);
	assert_int_equal(size, ELEMENTS * 4);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		assert_int_equal(values[i], i * 3 + (ELEMENTS + 63) / 64);
}

static void strict_numbers_have_native_bits(void **state)
{
	struct bench *b = bench_or_skip(state);
	const struct run_slot_options options = { .threads = 1, .memory_mib = 64 };
	struct run_source source = { .text = FLOATS, .len = strlen(FLOATS), .strict = true };
	AUTO(run_kernel_unrefp) struct run_kernel *native = NULL;
	AUTO(run_kernel_unrefp) struct run_kernel *vulkan = NULL;
	struct run_slot *of_device = b->slot;
	struct err err = { 0 };
	const void *x, *y;
	uint64_t size = 0;

	assert_int_equal(run_wait_load(b->host, &source, true, NULL, &native, &err), 0);
	source.target = RUN_VULKAN;
	source.modes = b->device->modes;
	if (run_wait_load(b->host, &source, true, NULL, &vulkan, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(run(b, vulkan, ELEMENTS).outcome, WIRE_OK);
	x = run_slot_output(of_device, 0, &size);
	assert_int_equal(run_slot_new(b->host, &options, &b->slot, &err), 0);
	assert_int_equal(run(b, native, ELEMENTS).outcome, WIRE_OK);
	y = run_slot_output(b->slot, 0, &size);
	assert_int_equal(size, ELEMENTS * 4);
	assert_memory_equal(x, y, size);
	run_slot_free(of_device);
}

static struct wire_result run_loops(struct bench *b, struct run_kernel *k, uint32_t passes,
				    uint64_t limit)
{
	const uint64_t elements = 64;
	const struct wire_range range = { 0, 4 };
	const struct run_input input = { .bytes = &passes, .size = 4 };
	const struct wire_chunk chunk = { .grid = { 64, 1, 1 },
					  .output_elements = &elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	const struct run_work work = { .kernel = k,
				       .chunk = &chunk,
				       .inputs = &input,
				       .n_inputs = 1,
				       .iterations = limit,
				       .timeout_ms = 20000 };
	struct wire_result result = { 0 };
	struct err err = { 0 };

	if (run_wait_chunk(b->slot, &work, &b->arena, &result, &err) < 0)
		fail_msg("%s", err.text);
	return result;
}

static void loops_end_by_count_or_are_refused(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, LOOPS);
	struct wire_result r = run_loops(b, k, 50000, 0);

	assert_int_equal(r.outcome, WIRE_OK);
	assert_int_equal(r.iterations, 50001); /* with the one that leaves */
	/* The order's limit is the same everywhere, so running into it is a result. */
	assert_int_equal(run_loops(b, k, 50000, 50000).outcome, WIRE_ITERATION_LIMIT);
	/* The device's is not. */
	r = run_loops(b, k, 70000, 0);
	assert_int_equal(r.outcome, WIRE_REFUSED);
	assert_string_equal(r.message,
			    "the kernel's loops are too long for this device, which runs at most "
			    "60000 passes");
}

static void outputs_begin_as_zero(void **state)
{
	static const char text[] = "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
				   "@compute @workgroup_size(64)\n"
				   "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
				   "  if (id.x % 2u == 0u) { r[id.x] = r[id.x] + 5u; }\n"
				   "}\n";
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, text);

	for (int times = 0; times < 2; times++) {
		const uint32_t *values;
		uint64_t size = 0;

		assert_int_equal(run(b, k, ELEMENTS).outcome, WIRE_OK);
		values = run_slot_output(b->slot, 0, &size);
		for (uint32_t i = 0; i < ELEMENTS; i++)
			assert_int_equal(values[i], i % 2 == 0 ? 5 : 0);
	}
}

static void limits_of_the_device_are_named(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, SHARED);
	struct wire_result r = run(b, k, 1024);

	/* lavapipe has 1,024 invocations in a work-group, SwiftShader 256. */
	if (r.outcome == WIRE_OK)
		return;
	assert_int_equal(r.outcome, WIRE_REFUSED);
	assert_non_null(strstr(r.message, "the kernel needs 1024 invocations of a work-group"));
	/* It is no worse for it. */
	run_kernel_unref(k);
	k = load(b, TRIPLE);
	assert_int_equal(run(b, k, ELEMENTS).outcome, WIRE_OK);
}

/* Something for drivers to compile: each access of work-group memory is a loop over lanes in some.
 */
static struct run_kernel *load_long(struct bench *b, int accesses)
{
	AUTO(buf_done) struct buf text = { .max = 64 * 1024 };

	buf_note(&text, "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
			"var<workgroup> w: atomic<u32>;\n"
			"@compute @workgroup_size(64)\n"
			"fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			"var x = 1u;\n");
	for (int i = 0; i < accesses; i++)
		buf_note(&text, "x = atomicMax(&w, x) + 1u;\n");
	buf_note(&text, "r[id.x] = x;\n}\n");
	return load(b, buf_str(&text));
}

/* Neither the chunk's time nor its crashes: another device may be asked. */
static void a_kernel_that_is_not_built_in_time_is_refused(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load_long(b, 100);
	AUTO(run_kernel_unrefp) struct run_kernel *other = load(b, TRIPLE);
	struct run_slot_options options = { .threads = 2, .memory_mib = 64, .build_ms = 1 };
	struct run_slot *patient = MOVE(b->slot);
	struct wire_result r;
	struct err err = { 0 };
	int pid;

	options.device = b->device->id;
	assert_int_equal(run_slot_new(b->host, &options, &b->slot, &err), 0);
	for (int times = 0; times < 2; times++) {
		pid = run_slot_pid(b->slot);
		r = run(b, k, 64);
		assert_int_equal(r.outcome, WIRE_REFUSED);
		assert_string_equal(r.message, "the driver did not build the kernel in 1 ms");
		assert_true(run_slot_has_failed(b->slot, k));
		assert_false(run_slot_has_failed(b->slot, other));
		/* Once is enough. */
		assert_int_equal(run_slot_pid(b->slot) == pid, times == 1);
	}
	run_slot_free(b->slot);
	b->slot = patient;
	assert_int_equal(run(b, k, 64).outcome, WIRE_OK);
	assert_false(run_slot_has_failed(b->slot, k));
}

static void building_is_not_in_the_chunks_time(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load_long(b, 300);
	const uint64_t elements = 64;
	const struct wire_chunk chunk = { .grid = { 64, 1, 1 },
					  .output_elements = &elements,
					  .n_outputs = 1 };
	const struct run_work work = { .kernel = k, .chunk = &chunk, .timeout_ms = 500 };
	struct wire_result r;
	struct err err = { 0 };
	int64_t start_us = clock_boot_us();

	assert_int_equal(run_wait_chunk(b->slot, &work, &b->arena, &r, &err), 0);
	print_message("# %lld ms, the chunk %lld\n", (long long)(clock_boot_us() - start_us) / 1000,
		      (long long)r.elapsed_us / 1000);
	if (r.outcome != WIRE_OK)
		fail_msg("%s: %s", wire_outcome_name(r.outcome), r.message);
}

/* A device that is lost stays lost for its runner: another one opens it anew. */
static void a_lost_device_gets_a_new_runner(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, TRIPLE);
	const struct run_slot_options options = { .device = b->device->id,
						  .threads = 2,
						  .memory_mib = 64 };
	struct run_slot *lost;
	struct err err = { 0 };
	int pid;

	setenv("KWARP_RUNNER_HOSTILE", "lose", 1);
	assert_int_equal(run_slot_new(b->host, &options, &lost, &err), 0);
	unsetenv("KWARP_RUNNER_HOSTILE");
	run_slot_free(b->slot);
	b->slot = lost;
	pid = run_slot_pid(lost);
	assert_int_equal(run(b, k, ELEMENTS).outcome, WIRE_DEVICE_LOST);
	assert_int_equal(run(b, k, ELEMENTS).outcome, WIRE_OK);
	assert_int_not_equal(run_slot_pid(lost), pid);
}

/* A runner that dies under a chunk is replaced, with its device. */
static void survives_the_end_of_its_runner(void **state)
{
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, TRIPLE);
	int pid = run_slot_pid(b->slot);

	assert_int_equal(run(b, k, ELEMENTS).outcome, WIRE_OK);
	assert_int_equal(run_slot_pid(b->slot), pid);
	kill(pid, SIGKILL);
	assert_int_equal(run(b, k, ELEMENTS).outcome, WIRE_OK);
	assert_int_not_equal(run_slot_pid(b->slot), pid);
}

static void self_test_finds_what_lavapipe_cannot_do(void **state)
{
	struct bench *b = bench_or_skip(state);
	struct run_self_test t;

	run_wait_self_test(b->host, b->device, &t);
	assert_string_equal(t.reason, "");
	assert_true(t.passed);
	assert_int_equal(t.abilities & (ALL | TYPES), (ALL | TYPES) & ~WIRE_NEED_LOOPS64K);
	assert_int_equal(t.abilities & WIRE_NEEDS_SIZES, WIRE_NEED_SUBGROUP_8);
	assert_int_equal(t.max_passes, WIRE_SHORT_LOOPS);
}

static void self_test_finds_what_swiftshader_cannot_do(void **state)
{
	struct bench *b = bench_or_skip(state);
	struct run_self_test t;

	run_wait_self_test(b->host, b->device, &t);
	assert_string_equal(t.reason, "");
	assert_true(t.passed);
	assert_int_equal(t.abilities & (ALL | TYPES),
			 (ALL & ~WIRE_NEED_DENORM) | WIRE_NEED_F16 | WIRE_NEED_SUBGROUP);
	assert_int_equal(t.abilities & WIRE_NEEDS_SIZES, WIRE_NEED_SUBGROUP_4);
	assert_int_equal(t.max_passes, 0);
}

/* Drivers that offer nothing but what Vulkan promises. */
static void self_test_claims_no_type_that_is_not_offered(void **state)
{
	struct bench *b = bench_or_skip(state);
	struct run_device plain = *b->device;
	struct run_self_test t;

	plain.modes = 0;
	run_wait_self_test(b->host, &plain, &t);
	assert_true(t.passed);
	assert_int_equal(t.abilities & WIRE_NEEDS_TO_RUN, WIRE_NEED_F16);
}

static void self_test_passes_natively(void **state)
{
	struct bench *b = bench_or_skip(state);
	struct run_self_test t;

	run_wait_self_test(b->host, NULL, &t);
	assert_string_equal(t.reason, "");
	assert_int_equal(t.abilities & ALL, ALL);
	assert_int_equal(t.max_passes, 0);
}

/* What somebody would try who took over the driver; test_sandbox.c has the meanings. */
static void gets_nowhere_from_inside(void **state)
{
	static const char *const attempts[] = { "open",       "create",
						"socket",     "fork",
						"thread",     "exec",
						"ptrace",     "kill",
						"uring",      "map-file",
						"executable", "write-and-execute",
						"shrink",     "other-descriptor" };
	struct bench *b = bench_or_skip(state);
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, TRIPLE);

	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		struct run_slot_options options = { .device = b->device->id, .memory_mib = 64 };
		struct wire_result r;
		struct err err = { 0 };

		run_slot_free(MOVE(b->slot));
		setenv("KWARP_RUNNER_HOSTILE", attempts[i], 1);
		assert_int_equal(run_slot_new(b->host, &options, &b->slot, &err), 0);
		unsetenv("KWARP_RUNNER_HOSTILE");
		r = run(b, k, ELEMENTS);
		print_message("# %s: %s %s\n", attempts[i], wire_outcome_name(r.outcome),
			      r.message);
		if (r.outcome == WIRE_REFUSED)
			assert_string_equal(r.message, "refused");
		else
			assert_int_equal(r.outcome, WIRE_CRASHED);
	}
}

#define ON_BOTH(test)                                                                              \
	{ #test " (lavapipe)", test, open_lavapipe, close_bench, NULL },                           \
	{                                                                                          \
#test " (SwiftShader)", test, open_swiftshader, close_bench, NULL                  \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_BOTH(computes_from_text),
		cmocka_unit_test_setup_teardown(strict_numbers_have_native_bits, open_lavapipe,
						close_bench),
		ON_BOTH(outputs_begin_as_zero),
		ON_BOTH(loops_end_by_count_or_are_refused),
		ON_BOTH(limits_of_the_device_are_named),
		ON_BOTH(a_kernel_that_is_not_built_in_time_is_refused),
		ON_BOTH(building_is_not_in_the_chunks_time),
		ON_BOTH(survives_the_end_of_its_runner),
		ON_BOTH(a_lost_device_gets_a_new_runner),
		ON_BOTH(gets_nowhere_from_inside),
		cmocka_unit_test_setup_teardown(self_test_finds_what_lavapipe_cannot_do,
						open_lavapipe, close_bench),
		cmocka_unit_test_setup_teardown(self_test_finds_what_swiftshader_cannot_do,
						open_swiftshader, close_bench),
		cmocka_unit_test_setup_teardown(self_test_claims_no_type_that_is_not_offered,
						open_lavapipe, close_bench),
		cmocka_unit_test_setup_teardown(self_test_passes_natively, open_lavapipe,
						close_bench),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
