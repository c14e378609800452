/*
 * test_subgroup.c - kernels with subgroups whose results do not depend on how large subgroups are,
 * nor on who is in which, on Vulkan devices; expected values are worked out here, invocation by
 * invocation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "drivers.h"
#include "exec.h"
#include "gpu/object.h"
#include "spirv/spirv.h"

enum {
	N = 1000, /* the last work-group is not whole */
	WORDS = N + 16,
	LARGER = 40000000, /* than any input */
};

#define HEAD                                                                                       \
	"enable subgroups;\n"                                                                      \
	"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"                                \
	"@group(0) @binding(1) var<storage, read_write> r: array<atomic<u32>>;\n"
#define MAIN                                                                                       \
	"@compute @workgroup_size(64)\n"                                                           \
	"fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) n: u32,\n"  \
	"        @builtin(local_invocation_index) l: u32,\n"                                       \
	"        @builtin(workgroup_id) w: vec3<u32>,\n"                                           \
	"        @builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_id) g: u32,\n"         \
	"        @builtin(num_subgroups) many: u32) {\n"                                           \
	"  let x = a[id.x];\n"

static uint32_t input(uint32_t i)
{
	return i * 2654435761u >> 7;
}

/* One run of N invocations; ret has WORDS words, zeros where the kernel left them. */
static void run(void **state, const char *text, uint32_t n, uint32_t *ret)
{
	struct exec *x = exec_or_skip(state);
	uint32_t given[N];
	const struct exec_buffer buffers[] = {
		{ .where = GPU_IN, .bytes = given, .size = sizeof(given) },
		{ .where = GPU_OUT, .size = WORDS * 4 },
	};
	const struct exec_chunk chunk = { .buffers = buffers,
					  .n_buffers = 2,
					  .invocations = { n, 1, 1 } };
	struct gpu_answer answer;
	const void *out[2];
	struct err err = { 0 };

	for (uint32_t i = 0; i < N; i++)
		given[i] = input(i);
	exec_load(x, text);
	if (exec_run(x, &chunk, out, &answer, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(answer.status, GPU_DONE);
	memcpy(ret, out[1], (size_t)WORDS * 4);
}

static void folds_are_combined_by_atomics(void **state)
{
	static const char text[] = HEAD MAIN
	    "  let sum = subgroupAdd(x); let least = subgroupMin(~x); let most = subgroupMax(x);\n"
	    "  let any = subgroupOr(x); let odd = subgroupXor(x); let both = subgroupAnd(~x);\n"
	    "  let f = subgroupAdd(f32(x & 63u)); let low = subgroupMin(i32(x) - 40000000);\n"
	    "  if subgroupElect() {\n"
	    "    atomicAdd(&r[0], sum); atomicMax(&r[1], ~least); atomicMax(&r[2], most);\n"
	    "    atomicOr(&r[3], any); atomicXor(&r[4], odd); atomicOr(&r[5], ~both);\n"
	    "    atomicAdd(&r[6], u32(f)); atomicMax(&r[7], u32(-low)); atomicAdd(&r[8], 1u);\n"
	    "  }\n"
	    "  if s == 0u { atomicAdd(&r[9], 1u); }\n"
	    "}\n";
	uint32_t got[WORDS], want[10] = { 0 };

	run(state, text, N, got);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = input(i);

		want[0] += x;
		want[1] = x > want[1] ? x : want[1];
		want[3] |= x;
		want[4] ^= x;
		want[6] += x & 63;
		want[7] = LARGER - x > want[7] ? LARGER - x : want[7];
	}
	want[2] = want[1];
	want[5] = want[3];
	assert_memory_equal(got, want, sizeof(want) - 8);
	/* One in each subgroup, and each has some invocations. */
	assert_int_equal(got[8], got[9]);
	assert_in_range(got[8], N / 128, N);
}

/* Who is kept gets a place by ballot, scan and broadcast: nothing is lost, nothing is there twice.
 */
static void ballots_and_scans_pack_what_is_kept(void **state)
{
	static const char text[] = HEAD MAIN
	    "  let is_kept = (x & 3u) == 1u;\n"
	    "  let ballot = countOneBits(subgroupBallot(is_kept));\n"
	    "  let all = ballot.x + ballot.y + ballot.z + ballot.w;\n"
	    "  let before = subgroupExclusiveAdd(u32(is_kept));\n"
	    "  var at = 0u;\n"
	    "  if subgroupElect() { at = atomicAdd(&r[0], all); }\n"
	    "  at = subgroupBroadcastFirst(at) + before;\n"
	    "  if is_kept { atomicAdd(&r[1u + at], id.x + 1u); }\n"
	    "  if subgroupAny(is_kept) != (all > 0u) { atomicAdd(&r[1010], 1u); }\n"
	    "  if subgroupAll(is_kept) != (all == subgroupAdd(1u)) { atomicAdd(&r[1011], 1u); }\n"
	    "  if subgroupInclusiveAdd(u32(is_kept)) != before + u32(is_kept) {\n"
	    "    atomicAdd(&r[1012], 1u);\n"
	    "  }\n"
	    "}\n";
	uint32_t got[WORDS], kept = 0;
	bool seen[N] = { false };

	run(state, text, N, got);
	for (uint32_t i = 0; i < N; i++)
		kept += (input(i) & 3) == 1;
	assert_int_equal(got[0], kept);
	for (uint32_t k = 0; k < kept; k++) {
		uint32_t i = got[1 + k] - 1;

		assert_true(i < N && (input(i) & 3) == 1 && !seen[i]);
		seen[i] = true;
	}
	for (uint32_t k = 1 + kept; k < WORDS; k++)
		assert_int_equal(got[k], 0);
}

/* Sums of whole work-groups: exchanges in a subgroup, then work-group memory between them. */
static void shuffles_and_barriers_add_up_work_groups(void **state)
{
	enum { GROUPS = N / 64 };
	static const char text[] = HEAD
	    "var<workgroup> part: array<u32, 64>;\n" MAIN "  var sum = x;\n"
	    "  for (var k = 1u; k < n; k <<= 1u) { sum += subgroupShuffleXor(sum, k); }\n"
	    "  if s == n - 1u { part[g] = sum; }\n"
	    "  workgroupBarrier();\n"
	    "  var all = 0u;\n"
	    "  for (var k = 0u; k < many; k++) { all += part[k]; }\n"
	    "  if l == 17u { atomicStore(&r[w.x], all); }\n"
	    "  if subgroupShuffle(s, n - 1u - s) != n - 1u - s { atomicAdd(&r[1000], 1u); }\n"
	    "  if quadSwapX(s) != (s ^ 1u) { atomicAdd(&r[1001], 1u); }\n"
	    "  if quadSwapDiagonal(quadSwapY(quadSwapX(x))) != x { atomicAdd(&r[1002], 1u); }\n"
	    "  if quadBroadcast(s, 2u) != (s & ~3u) + 2u { atomicAdd(&r[1003], 1u); }\n"
	    "  let up = subgroupShuffleUp(s, 1u);\n"
	    "  if s > 0u && up + 1u != s { atomicAdd(&r[1004], 1u); }\n"
	    "}\n";
	uint32_t got[WORDS], want[WORDS] = { 0 };

	for (uint32_t i = 0; i < GROUPS * 64; i++)
		want[i / 64] += input(i);
	run(state, text, GROUPS * 64, got);
	assert_memory_equal(got, want, sizeof(want));
}

/* Only those inside a branch or a loop answer there. */
static void who_left_takes_no_part(void **state)
{
	static const char text[] =
	    "enable subgroups; diagnostic(off, subgroup_uniformity);\n"
	    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> r: array<atomic<u32>>;\n" MAIN
	    "  if (x & 1u) == 0u {\n"
	    "    let sum = subgroupAdd(x);\n"
	    "    if subgroupElect() { atomicAdd(&r[0], sum); }\n"
	    "  } else {\n"
	    "    let count = subgroupAdd(1u);\n"
	    "    if subgroupElect() { atomicAdd(&r[1], count); }\n"
	    "  }\n"
	    "  for (var k = 0u; k < x % 9u; k++) {\n"
	    "    let sum = subgroupAdd(k);\n"
	    "    if subgroupElect() { atomicAdd(&r[2], sum); }\n"
	    "  }\n"
	    "  if x % 5u == 0u { return; }\n"
	    "  let rest = subgroupAdd(1u);\n"
	    "  if subgroupElect() { atomicAdd(&r[3], rest); }\n"
	    "}\n";
	uint32_t got[WORDS], want[WORDS] = { 0 };

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = input(i), passes = x % 9;

		want[0] += x % 2 == 0 ? x : 0;
		want[1] += x % 2;
		want[2] += passes > 0 ? passes * (passes - 1) / 2 : 0;
		want[3] += x % 5 != 0;
	}
	run(state, text, N, got);
	assert_memory_equal(got, want, sizeof(want));
}

/* What was just computed ends the process of a driver that compiles the plain operation wrongly. */
static void computed_floats_are_broadcast(void **state)
{
	static const char text[] = HEAD MAIN
	    "  let f = f32(x & 255u) * 0.5 + 0.25;\n"
	    "  let first = subgroupBroadcastFirst(vec2(1.5, f));\n"
	    "  let least = subgroupMin(select(vec2(2.0, 1000.0), vec2(1.5, f), s == 0u));\n"
	    "  if any(first != least) { atomicAdd(&r[0], 1u); }\n"
	    "}\n";
	uint32_t got[WORDS];

	run(state, text, N, got);
	assert_int_equal(got[0], 0);
}

/* The device runs in subgroups of the size that a kernel asks for, or is not asked. */
static void kernels_choose_the_size_where_the_device_can(void **state)
{
	uint32_t sizes = gpu_subgroup_sizes(gpu_device_of(exec_or_skip(state)->gpu)->modes);
	uint32_t got[WORDS];

	assert_true(sizes != 0);
	for (uint32_t n = GPU_MIN_SUBGROUP; n <= GPU_MAX_SUBGROUP; n *= 2) {
		char text[1024];

		if ((sizes & n) == 0)
			continue;
		(void)snprintf(
		    text, sizeof(text),
		    "enable subgroups, subgroup_size_control;\n"
		    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"
		    "@compute @workgroup_size(128) @subgroup_size(%u)\n"
		    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
		    "  let all = countOneBits(subgroupBallot(a[0] == a[0]));\n"
		    "  r[id.x] = all.x + all.y + all.z + all.w + 1000u * subgroupAdd(1u);\n"
		    "}\n",
		    n);
		run(state, text, 896, got);
		for (uint32_t i = 0; i < 896; i++)
			assert_int_equal(got[i], n * 1001);
	}
}

/* Though an object says so. */
static void a_size_that_the_device_lacks_is_refused(void **state)
{
	static const uint32_t words[] = { 0x07230203, 0x00010300, 0, 1, 0 };
	struct exec *x = exec_or_skip(state);
	AUTO(buf_done) struct buf object = { .max = GPU_MAX_OBJECT };
	const struct spirv_layout l = { .control_bytes = 16,
					.push_bytes = 64,
					.workgroup_size = { 128, 1, 1 },
					.subgroup_size = 64 };
	struct err err = { 0 };

	assert_true((gpu_subgroup_sizes(gpu_device_of(x->gpu)->modes) & 64) == 0);
	assert_int_equal(gpu_object_encode(&l, words, sizeof(words), &object, &err), 0);
	assert_int_equal(gpu_load(x->gpu, object.data, object.len, &err), ERR_UNAVAILABLE);
	assert_string_equal(err.text, "load the kernel: the device has no subgroups of 64");
}

#define ON_BOTH(test)                                                                              \
	{ #test " (lavapipe)", test, exec_open_lavapipe, exec_close_any, NULL },                   \
	{                                                                                          \
#test " (SwiftShader)", test, exec_open_swiftshader, exec_close_any, NULL          \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_BOTH(folds_are_combined_by_atomics),
		ON_BOTH(ballots_and_scans_pack_what_is_kept),
		ON_BOTH(shuffles_and_barriers_add_up_work_groups),
		ON_BOTH(who_left_takes_no_part),
		ON_BOTH(computed_floats_are_broadcast),
		ON_BOTH(kernels_choose_the_size_where_the_device_can),
		ON_BOTH(a_size_that_the_device_lacks_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
