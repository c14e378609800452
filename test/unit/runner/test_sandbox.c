/* test_sandbox.c - the real kwarp-runner: what it cannot do, and how its deaths look outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/loop.h"
#include "base/mem.h"
#include "run/run_int.h"
#include "wire/codec.h"

struct bench {
	struct loop *loop;
	struct run_host *host;
	struct run_slot *slot;
	struct run_kernel *kernel;
};

/* A kernel with one output of 16 bytes and code that no runner will load. */
static struct run_kernel *fake_kernel(void)
{
	static const struct wire_lane lane = { .count = 4, .stride = 4, .type = WIRE_U32 };
	const struct wire_binding output = {
		.name = "counts",
		.role = WIRE_OUTPUT,
		.fixed_size = 16,
		.lanes = &lane,
		.n_lanes = 1,
		.class_reason = "",
		.order_reason = "",
		.numeric_class = WIRE_EXACT,
		.order = WIRE_PROVED,
	};
	const struct wire_kernel kernel = {
		.entry_point = "main",
		.workgroup_size = { 1, 1, 1 },
		.dimensions = 1,
		.numeric_class = WIRE_EXACT,
		.order = WIRE_PROVED,
		.bindings = &output,
		.n_bindings = 1,
		.warnings = "",
	};
	AUTO(buf_done) struct buf encoded = { .max = 4096 };
	struct run_compile_answer answer = { .text = "", .n_places = 1, .n_buffers = 1 };
	struct hash_digest key;
	struct run_kernel *k = NULL;
	struct err err = { 0 };

	assert_int_equal(wire_kernel_encode(&kernel, &encoded, &err), 0);
	answer.kernel = (struct run_bytes){ encoded.data, (uint32_t)encoded.len };
	answer.object[0] = (struct run_bytes){ "no code", 7 };
	hash_bytes("x", 1, &key);
	assert_int_equal(run_kernel_new(&key, &answer, true, false, &k, &err), 0);
	return k;
}

static int open_bench(void **state)
{
	struct bench *b = NEW(struct bench);
	struct run_slot_options options = { .threads = 2, .memory_mib = 16 };
	struct err err = { 0 };

	unsetenv("KWARP_RUNNER_HOSTILE");
	assert_int_equal(loop_new(&b->loop, &err), 0);
	assert_int_equal(run_host_new(b->loop, &(struct run_options){ 0 }, &b->host, &err), 0);
	if (run_slot_new(b->host, &options, &b->slot, &err) < 0)
		fail_msg("%s", err.text);
	b->kernel = fake_kernel();
	*state = b;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *b = *state;

	run_slot_free(b->slot);
	run_kernel_unref(b->kernel);
	run_host_free(b->host);
	loop_free(b->loop);
	mem_free(b);
	unsetenv("KWARP_RUNNER_HOSTILE");
	return 0;
}

static struct wire_result run_once(struct bench *b, struct arena *arena, uint32_t timeout_ms)
{
	static const uint64_t elements[1];
	const struct wire_chunk chunk = {
		.index = 7, .grid = { 1, 1, 1 }, .output_elements = elements, .n_outputs = 1
	};
	const struct run_work work = { .kernel = b->kernel,
				       .chunk = &chunk,
				       .timeout_ms = timeout_ms };
	struct wire_result result = { 0 };
	struct err err = { 0 };

	if (run_wait_chunk(b->slot, &work, arena, &result, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(result.chunk, 7);
	return result;
}

/* A runner that tries `name` instead of the first chunk it gets. */
static void make_hostile(struct bench *b, const char *name)
{
	struct run_slot_options options = { .threads = 2, .memory_mib = 16 };
	struct err err = { 0 };

	run_slot_free(MOVE(b->slot));
	setenv("KWARP_RUNNER_HOSTILE", name, 1);
	assert_int_equal(run_slot_new(b->host, &options, &b->slot, &err), 0);
	unsetenv("KWARP_RUNNER_HOSTILE");
}

static void refuses_code_that_is_none(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct wire_result r = run_once(*state, &arena, 5000);

	assert_int_equal(r.outcome, WIRE_REFUSED);
	assert_string_equal(r.message, "the code cannot be loaded here");
}

static void gets_nowhere_from_inside(void **state)
{
	static const char *const attempts[] = {
		"open",
		"create",
		"socket",
		"fork",
		"thread",
		"exec",
		"ptrace",
		"kill",
		"peek",
		"uring",
		"bpf",
		"map-file",
		"executable",
		"write-and-execute",
		"other-descriptor",
		"dump",
		"shrink",
		"memory",
	};

	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		AUTO(arena_done) struct arena arena = { 0 };
		struct wire_result r;

		make_hostile(*state, attempts[i]);
		r = run_once(*state, &arena, 5000);
		print_message("%s: %s %s\n", attempts[i], wire_outcome_name(r.outcome), r.message);
		if (r.outcome == WIRE_REFUSED)
			assert_string_equal(r.message, "refused");
		else
			assert_int_equal(r.outcome, WIRE_CRASHED);
	}
}

static void dies_when_it_writes_outside_of_its_memory(void **state)
{
	static const char *const attempts[] = { "write-past-end", "write-input" };

	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		AUTO(arena_done) struct arena arena = { 0 };
		struct wire_result r;

		make_hostile(*state, attempts[i]);
		r = run_once(*state, &arena, 5000);
		assert_int_equal(r.outcome, WIRE_CRASHED);
		print_message("%s\n", r.message);
	}
}

static void costs_a_crash_its_own_chunk_only(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct wire_result r;

	make_hostile(*state, "crash");
	r = run_once(*state, &arena, 5000);
	assert_int_equal(r.outcome, WIRE_CRASHED);
	assert_non_null(strstr(r.message, "the runner "));
	r = run_once(*state, &arena, 5000);
	assert_int_equal(r.outcome, WIRE_REFUSED);
	assert_string_equal(r.message, "the code cannot be loaded here");
}

static void ends_an_endless_chunk_by_the_parents_clock(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct wire_result r;

	make_hostile(*state, "loop");
	r = run_once(*state, &arena, 100);
	assert_int_equal(r.outcome, WIRE_TIMED_OUT);
	r = run_once(*state, &arena, 5000);
	assert_int_equal(r.outcome, WIRE_REFUSED);
}

static void kills_a_child_that_breaks_the_protocol(void **state)
{
	static const char *const attempts[] = { "garbage", "exit" };

	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		AUTO(arena_done) struct arena arena = { 0 };
		struct wire_result r;

		make_hostile(*state, attempts[i]);
		r = run_once(*state, &arena, 5000);
		assert_int_equal(r.outcome, WIRE_CRASHED);
	}
}

static void count_callback(void *arg, const struct wire_result *result)
{
	(void)result;
	++*(int *)arg;
}

static void calls_nobody_back_after_a_cancel(void **state)
{
	static const uint64_t elements[1];
	struct bench *b = *state;
	const struct wire_chunk chunk = { .grid = { 1, 1, 1 },
					  .output_elements = elements,
					  .n_outputs = 1 };
	const struct run_work work = { .kernel = b->kernel, .chunk = &chunk };
	AUTO(arena_done) struct arena arena = { 0 };
	struct err err = { 0 };
	int calls = 0;

	make_hostile(b, "loop");
	assert_int_equal(run_chunk(b->slot, &work, count_callback, &calls, &err), 0);
	assert_true(run_slot_is_busy(b->slot));
	assert_int_equal(run_chunk(b->slot, &work, count_callback, &calls, &err), ERR_CONFLICT);
	run_slot_cancel(b->slot);
	assert_false(run_slot_is_busy(b->slot));
	assert_int_equal(run_once(b, &arena, 5000).outcome, WIRE_REFUSED);
	assert_int_equal(calls, 0);
}

static void replaces_an_idle_child_that_someone_killed(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct bench *b = *state;
	int before;

	run_once(b, &arena, 5000);
	before = run_slot_pid(b->slot);
	assert_true(before > 0);
	assert_int_equal(kill(before, SIGKILL), 0);
	while (run_slot_pid(b->slot) != 0)
		loop_turn(b->loop, 1000);
	assert_int_equal(run_once(b, &arena, 5000).outcome, WIRE_REFUSED);
	assert_int_not_equal(run_slot_pid(b->slot), before);
}

static void refuses_what_is_larger_than_its_memory(void **state)
{
	static const uint64_t elements[1];
	struct bench *b = *state;
	const struct wire_chunk chunk = { .grid = { 1, 1, 1 },
					  .output_elements = elements,
					  .n_outputs = 1 };
	struct run_work work = { .kernel = b->kernel, .chunk = &chunk };
	AUTO(arena_done) struct arena arena = { 0 };
	struct wire_binding *output = (struct wire_binding *)(uintptr_t)b->kernel->kernel.bindings;
	struct wire_result r;
	struct err err = { 0 };

	output->fixed_size = 1 << 30;
	assert_int_equal(run_wait_chunk(b->slot, &work, &arena, &r, &err), 0);
	assert_int_equal(r.outcome, WIRE_REFUSED);
	output->fixed_size = 2 << 20;
	work.memory_mib = 1;
	assert_int_equal(run_wait_chunk(b->slot, &work, &arena, &r, &err), 0);
	assert_int_equal(r.outcome, WIRE_REFUSED);
	assert_non_null(strstr(r.message, "limits.deviceMemoryMiB"));
}

static void refuses_chunks_while_no_runner_starts(void **state)
{
	struct bench *b = *state;
	struct run_options options = { .runner = "/no/such/runner" };
	struct run_host *host = NULL;
	struct run_slot *slot = NULL;
	struct err err = { 0 };

	assert_int_equal(run_host_new(b->loop, &options, &host, &err), 0);
	assert_int_equal(run_slot_new(host, &(struct run_slot_options){ 0 }, &slot, &err),
			 ERR_NOT_FOUND);
	run_host_free(host);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refuses_code_that_is_none),
		TEST(gets_nowhere_from_inside),
		TEST(dies_when_it_writes_outside_of_its_memory),
		TEST(costs_a_crash_its_own_chunk_only),
		TEST(ends_an_endless_chunk_by_the_parents_clock),
		TEST(kills_a_child_that_breaks_the_protocol),
		TEST(calls_nobody_back_after_a_cancel),
		TEST(replaces_an_idle_child_that_someone_killed),
		TEST(refuses_what_is_larger_than_its_memory),
		TEST(refuses_chunks_while_no_runner_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
