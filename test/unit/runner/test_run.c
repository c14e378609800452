/* test_run.c - kernels from text to results through the real kwarp-runner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/metric.h"
#include "base/num.h"
#include "hash/hash.h"
#include "run/run.h"
#include "run/selftest_int.h"

static const char PI[] =
    "struct Params { seed_start: u32, num_samples: u32, samples_per_thread: u32 }\n"
    "@group(0) @binding(0) var<uniform> params: Params;\n"
    "@group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;\n"
    "fn pcg(v: u32) -> u32 {\n"
    "  let s = v * 747796405u + 2891336453u;\n"
    "  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;\n"
    "  return (w >> 22u) ^ w;\n"
    "}\n"
    "@compute @workgroup_size(256)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  var state = pcg(pcg(params.seed_start + id.x));\n"
    "  var inside = 0u;\n"
    "  for (var i = 0u; i < params.samples_per_thread; i++) {\n"
    "    state = pcg(state);\n"
    "    let x = f32(state) / 4294967296.0;\n"
    "    state = pcg(state);\n"
    "    let y = f32(state) / 4294967296.0;\n"
    "    if (x * x + y * y < 1.0) { inside++; }\n"
    "  }\n"
    "  atomicAdd(&hits, inside);\n"
    "}\n";

/* Adds one to every input. */
static const char PLUS_ONE[] = "@group(0) @binding(0) var<storage, read> given: array<u32>;\n"
			       "@group(0) @binding(1) var<storage, read_write> sums: array<u32>;\n"
			       "@compute @workgroup_size(64)\n"
			       "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			       "  sums[id.x] = given[id.x] + 1u;\n"
			       "}\n";

/* Runs for ever where the input is 0. */
static const char ENDLESS[] = "@group(0) @binding(0) var<storage, read> given: array<u32>;\n"
			      "@group(0) @binding(1) var<storage, read_write> sums: array<u32>;\n"
			      "@compute @workgroup_size(64)\n"
			      "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			      "  var n = given[id.x];\n"
			      "  loop { if (n == 7u) { break; } n = n ^ 8u; }\n"
			      "  sums[id.x] = n;\n"
			      "}\n";

/* The result depends on who comes last. */
static const char RACE[] = "@group(0) @binding(0) var<storage, read_write> last: atomic<u32>;\n"
			   "@compute @workgroup_size(64)\n"
			   "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			   "  atomicStore(&last, id.x);\n"
			   "}\n";

struct bench {
	struct loop *loop;
	struct run_host *host;
	struct run_slot *slot;
	struct arena arena;
};

static int open_bench(void **state)
{
	struct bench *b = NEW(struct bench);
	struct run_slot_options options = { .threads = 2, .memory_mib = 16 };
	struct err err = { 0 };

	if (loop_new(&b->loop, &err) < 0 ||
	    run_host_new(b->loop, &(struct run_options){ 0 }, &b->host, &err) < 0 ||
	    run_slot_new(b->host, &options, &b->slot, &err) < 0)
		fail_msg("%s", err.text);
	*state = b;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *b = *state;

	run_slot_free(b->slot);
	run_host_free(b->host);
	loop_free(b->loop);
	arena_done(&b->arena);
	mem_free(b);
	return 0;
}

static int try_load(struct bench *b, const char *text, size_t len, struct buf *diagnostics,
		    struct run_kernel **ret, struct err *err)
{
	const struct run_source source = { .text = text, .len = len, .reverse = true };

	return run_wait_load(b->host, &source, true, diagnostics, ret, err);
}

static struct run_kernel *load(struct bench *b, const char *text)
{
	AUTO(buf_done) struct buf diagnostics = { .max = 65536 };
	struct run_kernel *k = NULL;
	struct err err = { 0 };

	if (try_load(b, text, strlen(text), &diagnostics, &k, &err) < 0)
		fail_msg("%s\n%s", err.text, buf_str(&diagnostics));
	return k;
}

static struct wire_result finish(struct bench *b, const struct run_work *work)
{
	struct wire_result r = { 0 };
	struct err err = { 0 };

	if (run_wait_chunk(b->slot, work, &b->arena, &r, &err) < 0)
		fail_msg("%s", err.text);
	return r;
}

static struct wire_result run_pi(struct bench *b, struct run_kernel *k, uint32_t index, bool probe)
{
	static const uint64_t elements[1];
	char uniforms[16] = { 0 };
	const struct wire_chunk chunk = {
		.index = index,
		.grid = { 1024, 1, 1 },
		.uniforms = uniforms,
		.uniforms_size = run_kernel_reflection(k)->bindings[0].fixed_size,
		.output_elements = elements,
		.n_outputs = 1,
	};
	const struct run_work work = {
		.kernel = k, .chunk = &chunk, .timeout_ms = 20000, .probe = probe
	};

	num_put_u32(uniforms, index * 16777216);
	num_put_u32(uniforms + 4, 262144);
	num_put_u32(uniforms + 8, 256);
	return finish(b, &work);
}

/* 100 numbers from `input`, which has `n` of them. */
static struct wire_result run_list(struct bench *b, struct run_kernel *k, const uint32_t *input,
				   uint64_t iterations, uint32_t timeout_ms)
{
	static const uint64_t elements[1] = { 100 };
	const struct wire_range range = { .length = 400 };
	const struct wire_chunk chunk = { .grid = { 100, 1, 1 },
					  .output_elements = elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	const struct run_input in = { .bytes = input, .size = 400 };
	const struct run_work work = { .kernel = k,
				       .chunk = &chunk,
				       .inputs = &in,
				       .n_inputs = 1,
				       .iterations = iterations,
				       .timeout_ms = timeout_ms };

	return finish(b, &work);
}

static void computes_pi_small_exactly(void **state)
{
	struct bench *b = *state;
	struct run_kernel *k = load(b, PI);
	uint64_t hits = 0;

	for (uint32_t i = 0; i < 100; i++) {
		struct wire_result r = run_pi(b, k, i, false);
		struct hash_digest d;

		assert_int_equal(r.outcome, WIRE_OK);
		assert_int_equal(r.chunk, i);
		assert_int_equal(r.values_size, 12);
		assert_int_equal(num_get_u64(r.values), 4);
		hash_bytes(r.values, 12, &d);
		assert_memory_equal(r.digest, d.bytes, HASH_SIZE);
		hits += num_get_u32((const char *)r.values + 8);
	}
	assert_int_equal(hits, 20590316);
	run_kernel_unref(k);
}

static void reflects_pi(void **state)
{
	struct run_kernel *k = load(*state, PI);
	const struct wire_kernel *w = run_kernel_reflection(k);

	assert_int_equal(w->n_bindings, 2);
	assert_int_equal(w->workgroup_size[0], 256);
	assert_int_equal(w->dimensions, 1);
	assert_string_equal(w->bindings[0].name, "params");
	assert_int_equal(w->bindings[0].n_leaves, 3);
	assert_string_equal(w->bindings[0].leaves[2].path, "samples_per_thread");
	assert_int_equal(w->bindings[0].leaves[2].offset, 8);
	assert_int_equal(w->bindings[1].role, WIRE_OUTPUT);
	assert_int_equal(w->bindings[1].numeric_class, WIRE_DETERMINISTIC);
	assert_int_equal(w->bindings[1].order, WIRE_PROVED);
	run_kernel_unref(k);
}

static bool all_hold(const struct wire_kernel *w, const struct wire_binding *b,
		     const uint64_t grid[3], uint64_t elements)
{
	for (uint32_t i = 0; i < b->n_conditions; i++)
		if (!wire_condition_holds(w, &b->conditions[i], grid, NULL, 0, elements))
			return false;
	return true;
}

/* Every invocation has an element of its own if no index is clamped and there is one dimension. */
static void carries_the_conditions_of_an_order_proof(void **state)
{
	static const uint64_t line[3] = { 100, 1, 1 };
	static const uint64_t square[3] = { 100, 2, 1 };
	struct run_kernel *k = load(*state, PLUS_ONE);
	const struct wire_kernel *w = run_kernel_reflection(k);
	const struct wire_binding *sums = wire_find_binding(w, "sums");

	assert_non_null(sums);
	assert_int_equal(sums->order, WIRE_PROVED);
	assert_true(all_hold(w, sums, line, 100));
	assert_false(all_hold(w, sums, line, 99));
	assert_false(all_hold(w, sums, square, 1000));
	run_kernel_unref(k);
}

static void reads_inputs_and_keeps_large_outputs_readable(void **state)
{
	struct bench *b = *state;
	struct run_kernel *k = load(b, PLUS_ONE);
	/* More than travels with a result. */
	enum { N = 400000 };
	AUTO(mem_freep) uint32_t *input = NEW_ARRAY(uint32_t, N);
	AUTO(mem_freep) char *framed = mem_alloc(8 + 4 * N);
	const uint64_t elements[1] = { N - 10 };
	const struct wire_range range = { .offset = 40, .length = 4 * N - 40 };
	const struct wire_chunk chunk = { .grid = { N - 10, 1, 1 },
					  .output_elements = elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	const struct run_input in = { .bytes = input, .size = 4 * N };
	const struct run_work work = { .kernel = k, .chunk = &chunk, .inputs = &in, .n_inputs = 1 };
	struct wire_result r;
	struct hash_digest d;
	const uint32_t *out;
	uint64_t size = 0;
	struct err err = { 0 };

	for (uint32_t i = 0; i < N; i++)
		input[i] = i;
	r = finish(b, &work);
	assert_int_equal(r.outcome, WIRE_OK);
	assert_null(r.values);
	assert_int_equal(r.values_size, 8 + 4 * (N - 10));
	out = run_slot_output(b->slot, 0, &size);
	assert_int_equal(size, 4 * (N - 10));
	for (uint32_t i = 0; i < N - 10; i++)
		assert_int_equal(out[i], i + 11);
	assert_int_equal(run_slot_read(b->slot, 0, framed, 5, &err), 0);
	assert_int_equal(run_slot_read(b->slot, 5, framed + 5, r.values_size - 5, &err), 0);
	hash_bytes(framed, r.values_size, &d);
	assert_memory_equal(r.digest, d.bytes, HASH_SIZE);
	assert_int_equal(run_slot_read(b->slot, 8, framed, r.values_size, &err), ERR_INVALID);
	run_kernel_unref(k);
}

static void says_where_a_text_is_wrong(void **state)
{
	static const char text[] = "@compute @workgroup_size(1)\nfn main() { let x = y; }\n";
	AUTO(buf_done) struct buf diagnostics = { .max = 65536 };
	struct run_kernel *k = NULL;
	struct err err = { 0 };

	assert_int_equal(try_load(*state, text, strlen(text), &diagnostics, &k, &err), ERR_INVALID);
	assert_non_null(strstr(buf_str(&diagnostics), ":2:21: error:"));
}

static void reflects_without_code(void **state)
{
	struct bench *b = *state;
	const struct run_options options = { .front_end_only = true };
	const struct run_source source = { .text = PI, .len = strlen(PI) };
	struct run_host *host = NULL;
	struct run_kernel *k = NULL;
	struct err err = { 0 };

	assert_int_equal(run_host_new(b->loop, &options, &host, &err), 0);
	assert_int_equal(run_wait_load(host, &source, false, NULL, &k, &err), 0);
	assert_string_equal(run_kernel_reflection(k)->entry_point, "main");
	run_kernel_unref(k);
	run_host_free(host);
}

static void ends_an_endless_loop_and_goes_on(void **state)
{
	struct bench *b = *state;
	struct run_kernel *endless = load(b, ENDLESS);
	struct run_kernel *plus_one = load(b, PLUS_ONE);
	uint32_t input[100] = { 0 };
	struct wire_result r;

	assert_int_equal(run_list(b, endless, input, 0, 300).outcome, WIRE_TIMED_OUT);
	r = run_list(b, plus_one, input, 0, 20000);
	assert_int_equal(r.outcome, WIRE_OK);
	assert_int_equal(num_get_u32((const char *)r.values + 8), 1);
	run_kernel_unref(endless);
	run_kernel_unref(plus_one);
}

static void reports_a_loop_that_used_up_its_iterations(void **state)
{
	struct bench *b = *state;
	struct run_kernel *k = load(b, ENDLESS);
	uint32_t input[100];
	struct wire_result r;

	for (size_t i = 0; i < 100; i++)
		input[i] = i == 50 ? 15 : 7;
	r = run_list(b, k, input, 1000, 20000);
	assert_int_equal(r.outcome, WIRE_OK);
	assert_int_equal(r.iterations, 2);
	input[99] = 0;
	r = run_list(b, k, input, 1000, 20000);
	assert_int_equal(r.outcome, WIRE_ITERATION_LIMIT);
	run_kernel_unref(k);
}

static void a_probe_sees_the_order_of_invocations(void **state)
{
	struct bench *b = *state;
	static const uint64_t elements[1];
	const struct wire_chunk chunk = { .grid = { 100000, 1, 1 },
					  .output_elements = elements,
					  .n_outputs = 1 };
	struct run_kernel *race = load(b, RACE);
	struct run_kernel *pi = load(b, PI);
	const struct run_work work = { .kernel = race, .chunk = &chunk, .probe = true };
	struct wire_result r;

	r = finish(b, &work);
	assert_int_equal(r.outcome, WIRE_ORDER_SEEN);
	assert_string_equal(r.message, "output last, byte 0, depends on the order");
	/* The wire refuses a digest with any other outcome than OK. */
	assert_memory_equal(r.digest, (uint8_t[WIRE_DIGEST]){ 0 }, WIRE_DIGEST);
	assert_int_equal(r.values_size, 0);
	assert_int_equal(run_pi(b, pi, 0, true).outcome, WIRE_OK);
	run_kernel_unref(race);
	run_kernel_unref(pi);
}

static void loads_cached_code_after_the_runner_was_killed(void **state)
{
	struct bench *b = *state;
	struct run_kernel *k = load(b, PI);
	struct wire_result before = run_pi(b, k, 3, false);
	struct wire_result after;
	struct run_kernel *again;

	assert_int_equal(kill(run_slot_pid(b->slot), SIGKILL), 0);
	while (run_slot_pid(b->slot) != 0)
		loop_turn(b->loop, 1000);
	again = load(b, PI);
	assert_ptr_equal(again, k);
	after = run_pi(b, again, 3, false);
	assert_int_equal(after.outcome, WIRE_OK);
	assert_memory_equal(before.digest, after.digest, sizeof(before.digest));
	run_kernel_unref(k);
	run_kernel_unref(again);
}

static void keep_result(void *arg, const struct wire_result *r)
{
	*(struct wire_result *)arg = *r;
}

/* The endless chunk cannot have ended before it was killed. */
static void tries_again_once_when_someone_kills_the_runner(void **state)
{
	static const uint64_t elements[1] = { 100 };
	static const uint32_t input[100];
	struct bench *b = *state;
	struct run_kernel *k = load(b, ENDLESS);
	const struct wire_range range = { .length = 400 };
	const struct wire_chunk chunk = { .grid = { 100, 1, 1 },
					  .output_elements = elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	const struct run_input in = { .bytes = input, .size = 400 };
	const struct run_work work = { .kernel = k, .chunk = &chunk, .inputs = &in, .n_inputs = 1 };
	AUTO(buf_done) struct buf metrics = { .max = 65536 };
	struct wire_result r = { 0 };
	struct err err = { 0 };
	int first;

	assert_int_equal(run_chunk(b->slot, &work, keep_result, &r, &err), 0);
	first = run_slot_pid(b->slot);
	assert_int_equal(kill(first, SIGKILL), 0);
	while (run_slot_pid(b->slot) == first)
		loop_turn(b->loop, 1000);
	loop_turn(b->loop, 100);
	assert_int_equal(r.outcome, 0);
	assert_true(run_slot_is_busy(b->slot));
	assert_int_equal(kill(run_slot_pid(b->slot), SIGKILL), 0);
	while (r.outcome == 0)
		loop_turn(b->loop, 1000);
	assert_int_equal(r.outcome, WIRE_CRASHED);
	run_kernel_unref(k);
	assert_int_equal(metric_print(&metrics, &err), 0);
	assert_non_null(strstr(buf_str(&metrics), "_killed_total{chunk=\"retried\"} 1\n"));
	assert_non_null(strstr(buf_str(&metrics), "_killed_total{chunk=\"lost\"} 1\n"));
}

static void keep_code(void *arg, struct run_kernel *kernel, const char *text, const struct err *err)
{
	(void)kernel;
	(void)text;
	*(int *)arg = err->code;
}

/* The compiler is killed under a call, and the next one at its start. */
static int code_when_killed_by(struct bench *b, int signal_number)
{
	const struct run_source source = { .text = PI, .len = strlen(PI), .reverse = true };
	struct err err = { 0 };
	int code = 1;
	int first;

	assert_int_equal(run_host_warm(b->host, &err), 0);
	first = run_host_pid(b->host);
	(void)run_load(b->host, &source, keep_code, &code);
	assert_int_equal(kill(first, signal_number), 0);
	while (run_host_pid(b->host) == first)
		loop_turn(b->loop, 1000);
	assert_int_equal(kill(run_host_pid(b->host), signal_number), 0);
	while (code == 1)
		loop_turn(b->loop, 1000);
	return code;
}

static void says_nothing_of_a_text_when_someone_kills_the_compiler(void **state)
{
	struct bench *b = *state;

	assert_int_equal(code_when_killed_by(b, SIGTERM), ERR_UNAVAILABLE);
	assert_int_equal(code_when_killed_by(b, SIGKILL), ERR_UNAVAILABLE);
	assert_int_equal(code_when_killed_by(b, SIGABRT), ERR_TOO_BIG);
	run_kernel_unref(load(b, PI));
}

static void count_kernel(void *arg, struct run_kernel *kernel, const char *text,
			 const struct err *err)
{
	(void)text;
	assert_int_equal(err->code, 0);
	assert_non_null(kernel);
	++*(int *)arg;
}

static void calls_back_only_who_did_not_cancel(void **state)
{
	struct bench *b = *state;
	const struct run_source source = { .text = PI, .len = strlen(PI) };
	struct run_call *calls[3];
	int counts[3] = { 0 };

	for (int i = 0; i < 3; i++)
		calls[i] = run_load(b->host, &source, count_kernel, &counts[i]);
	run_call_cancel(calls[0]);
	run_call_cancel(calls[1]);
	while (counts[2] == 0)
		loop_turn(b->loop, 1000);
	assert_int_equal(counts[0] + counts[1], 0);
	assert_int_equal(counts[2], 1);
}

/* Texts that try to eat the compiler: refused, whatever the reason, and the next one compiles. */
static void survives_hostile_texts(void **state)
{
	struct bench *b = *state;
	AUTO(buf_done) struct buf nested = { .max = 65536 };
	AUTO(buf_done) struct buf calls = { .max = 65536 };
	AUTO(buf_done) struct buf huge = { .max = 65536 };
	const struct buf *texts[] = { &nested, &calls, &huge };

	buf_note(&nested, "@compute @workgroup_size(1) fn main() { let x = ");
	for (int i = 0; i < 10000; i++)
		buf_note(&nested, "(");
	buf_note(&calls, "fn f0(x: u32) -> u32 { return x * 3u; }\n");
	for (int i = 1; i < 31; i++)
		buf_note(&calls, "fn f%d(x: u32) -> u32 { return f%d(x) + f%d(x + 1u); }\n", i,
			 i - 1, i - 1);
	buf_note(&calls, "@group(0) @binding(0) var<storage, read_write> o: u32;\n"
			 "@compute @workgroup_size(1) fn main() { o = f30(o); }\n");
	buf_note(&huge, "var<workgroup> w: array<u32, 268435456>;\n"
			"@group(0) @binding(0) var<storage, read_write> o: u32;\n"
			"@compute @workgroup_size(1) fn main() { w[0] = 1u; o = w[0]; }\n");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(buf_done) struct buf diagnostics = { .max = 65536 };
		struct run_kernel *k = NULL;
		struct err err = { 0 };

		assert_int_equal(try_load(b, texts[i]->data, texts[i]->len, &diagnostics, &k, &err),
				 ERR_INVALID);
	}
	run_kernel_unref(load(b, PLUS_ONE));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)

/* How many words of the self-test for a type are not as computed here. */
static uint32_t wrong_words(struct bench *b, const struct selftest_type *t, const char *text)
{
	AUTO(run_kernel_unrefp) struct run_kernel *k = load(b, text);
	uint64_t input[SELFTEST_MAX_OPERANDS] = { 0 };
	const uint64_t elements = t->n_operands * t->n_operands;
	const struct wire_range range = { 0, (uint64_t)t->n_operands * t->operand_bytes };
	const struct run_input given = { .bytes = input, .size = range.length };
	const struct wire_chunk chunk = { .grid = { (uint32_t)elements, 1, 1 },
					  .output_elements = &elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	const struct run_work work = {
		.kernel = k, .chunk = &chunk, .inputs = &given, .n_inputs = 1, .timeout_ms = 20000
	};
	uint32_t n = 0;

	t->input(input);
	const struct wire_result r = finish(b, &work);

	assert_int_equal(r.outcome, WIRE_OK);
	assert_int_equal(r.values_size, 8 + 4 * elements);
	for (uint32_t i = 0; i < elements; i++)
		n += num_get_u32((const char *)r.values + 8 + 4 * (size_t)i) !=
		     t->result(i / t->n_operands, i % t->n_operands);
	return n;
}

/* Native code computes what the self-test of types expects, and what is a little off is seen. */
static void self_test_of_types_sees_small_errors(void **state)
{
	static const struct {
		size_t type;
		const char *from, *to;
		uint32_t at_least;
	} faults[] = {
		{ 0, "x * y,", "x * y * 1.001h,", 100 },
		{ 1, "u(x / y)", "u(u64(f32(x) / f32(y)))", 100 },
		{ 1, "f32(x)", "f32(x >> 1u) * 2f", 20 },
		{ 2, "f(x / y)", "f(x * (1lf / y))", 100 },
		{ 2, "sqrt(abs(x / y))", "1lf / inverseSqrt(abs(x / y))", 100 },
		{ 2, "f32(x)", "f32(x * 1.0000000000000002lf)", 40 },
	};

	for (size_t i = 0; i < SELFTEST_TYPES; i++)
		assert_int_equal(wrong_words(*state, &selftest_types[i], selftest_types[i].text),
				 0);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		const struct selftest_type *t = &selftest_types[faults[i].type];
		const char *at = strstr(t->text, faults[i].from);
		AUTO(buf_done) struct buf text = { .max = 8192 };
		uint32_t n;

		assert_non_null(at);
		buf_note(&text, "%.*s%s%s", (int)(at - t->text), t->text, faults[i].to,
			 at + strlen(faults[i].from));
		n = wrong_words(*state, t, buf_str(&text));
		print_message("# %s: %u words\n", faults[i].to, n);
		assert_true(n >= faults[i].at_least);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(computes_pi_small_exactly),
		TEST(reflects_pi),
		TEST(carries_the_conditions_of_an_order_proof),
		TEST(reads_inputs_and_keeps_large_outputs_readable),
		TEST(self_test_of_types_sees_small_errors),
		TEST(says_where_a_text_is_wrong),
		TEST(reflects_without_code),
		TEST(ends_an_endless_loop_and_goes_on),
		TEST(reports_a_loop_that_used_up_its_iterations),
		TEST(a_probe_sees_the_order_of_invocations),
		TEST(loads_cached_code_after_the_runner_was_killed),
		TEST(tries_again_once_when_someone_kills_the_runner),
		TEST(says_nothing_of_a_text_when_someone_kills_the_compiler),
		TEST(calls_back_only_who_did_not_cancel),
		TEST(survives_hostile_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
