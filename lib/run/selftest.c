/* selftest.c - see selftest.h. */
#include "run/selftest.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "run/run.h"
#include "run/selftest_int.h"

enum {
	TIMEOUT_MS = 20000,
	TRIES = 3,
	LONG_LOOP = 70000, /* some drivers cut loops at 65,535 passes without saying so */
	SHORT_LOOP = WIRE_SHORT_LOOPS, /* what they must get right then */
	DATA = 16384,                  /* elements that are reduced: 64 KiB */
	GROUPS = 4,
	MAX_RESULTS = 64,
};

/* ---- numbers ------------------------------------------------------------------------------ */

/* Operands come in as data, so that no compiler can compute the results. */
static const char NUMBERS[] =
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"
    "fn f(i: u32) -> f32 { return bitcast<f32>(a[i]); }\n"
    "fn s(i: u32) -> i32 { return bitcast<i32>(a[i]); }\n"
    "fn b(x: f32) -> u32 { return bitcast<u32>(x); }\n"
    "fn w(x: i32) -> u32 { return bitcast<u32>(x); }\n"
    "@compute @workgroup_size(1)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  var n = 0u;\n"
    "  for (var i = 0u; i < a[11u + id.x]; i = i + 1u) { n = n + (i ^ (n >> 3u)); }\n"
    "  r[id.x] = n;\n"
    "  if (id.x > 0u) { return; }\n"
    "  r[2] = b(f(0u) + f(1u));\n"
    "  r[3] = b(f(2u) + f(1u));\n"
    "  r[4] = b(f(3u) * f(4u));\n"
    "  r[5] = b(f(5u) * f(0u));\n"
    "  r[6] = b(f(6u) * f(7u));\n"
    "  r[7] = b(f(8u) * f(0u));\n"
    "  r[8] = b(f(9u) * f(9u) + f(10u));\n"
    "  r[9] = b((f(13u) + f(0u)) - f(13u));\n"
    "  r[10] = b((f(6u) * f(7u)) * f(4u));\n"
    "  r[11] = b(f32(a[14])); r[12] = b(f32(a[15])); r[13] = b(f32(a[16]));\n"
    "  r[14] = b(f32(s(14u)));\n"
    "  r[15] = w(s(17u) / s(14u)); r[16] = w(s(17u) % s(14u));\n"
    "  r[17] = w(s(18u) / s(19u)); r[18] = w(s(18u) % s(19u));\n"
    "  r[19] = w(s(18u) / s(20u)); r[20] = w(s(18u) % s(20u));\n"
    "  r[21] = a[14] / a[20]; r[22] = a[14] % a[20]; r[23] = a[14] / a[21];\n"
    "  r[24] = w(i32(f(22u))); r[25] = w(i32(-f(22u))); r[26] = u32(-f(0u));\n"
    "  r[27] = u32(f(23u)); r[28] = w(i32(f(24u))); r[29] = w(i32(f(25u)));\n"
    "  r[30] = a[a[14]] + a[w(s(18u))];\n"
    "  r[a[14]] = 77u;\n"
    "}\n";

static const uint32_t OPERANDS[] = {
	0x3f800000, /* 0: 1 */
	0x33800000, /* 2^-24: half a unit of 1 */
	0x3f800001, /* 1 + 2^-23 */
	0x00800000, /* the smallest normal number */
	0x3f000000, /* 1/2 */
	0x00000001, /* 5: the smallest number */
	0x7f000000, /* 2^127 */
	0x40000000, /* 2 */
	0x80000000, /* -0 */
	0x3f800800, /* 1 + 2^-12 */
	0xbf801000, /* 10: -(1 + 2^-11) */
	SHORT_LOOP,
	LONG_LOOP,
	0x4cbebc20, /* 10^8 */
	0xffffffff, /* the largest u32; -1 */
	16777217,   /* 15: 2^24 + 1, a tie */
	16777219,   /* 2^24 + 3, a tie */
	0x80000000, /* the smallest i32 */
	(uint32_t)-7,
	2,
	0, /* 20 */
	3,
	0x4f32d05e, /* 3 x 10^9 */
	0x4f9502f9, /* 5 x 10^9 */
	0x7fc00000, /* NaN */
	0xbff33333, /* 25: -1.9 */
	1000,       /* the last: where indices outside end */
};

struct check {
	uint32_t at;
	uint32_t value;
	uint32_t ability; /* 0: all kernels rely on it */
	const char *what;
};

static const struct check NUMBER_CHECKS[] = {
	/* A tie goes to the even neighbour: down from 1 + 2^-24, up from 1 + 3 x 2^-24. */
	{ 2, 0x3f800000, WIRE_NEED_RTE, "" },
	{ 3, 0x3f800002, WIRE_NEED_RTE, "" },
	{ 4, 0x00400000, WIRE_NEED_DENORM, "" },
	{ 5, 0x00000001, WIRE_NEED_DENORM, "" },
	{ 6, 0x7f800000, WIRE_NEED_INFNAN, "" },
	{ 7, 0x80000000, WIRE_NEED_INFNAN, "" },
	/* (1 + 2^-12)^2 rounded, minus the same number: 0; fused it would be 2^-24. */
	{ 8, 0, WIRE_NEED_NOCONTRACT, "" },
	/* In this order the 1 is lost; and 2^128 is infinite. */
	{ 9, 0, WIRE_NEED_NOCONTRACT, "" },
	{ 10, 0x7f800000, WIRE_NEED_NOCONTRACT, "" },
	{ 11, 0x4f800000, 0, "f32 of a u32" },
	{ 12, 0x4b800000, 0, "f32 of a u32" },
	{ 13, 0x4b800002, 0, "f32 of a u32" },
	{ 14, 0xbf800000, 0, "f32 of an i32" },
	{ 15, 0x80000000, 0, "the smallest i32 / -1" },
	{ 16, 0, 0, "the smallest i32 % -1" },
	{ 17, (uint32_t)-3, 0, "-7 / 2" },
	{ 18, (uint32_t)-1, 0, "-7 % 2" },
	{ 19, (uint32_t)-7, 0, "i32 / 0" },
	{ 20, 0, 0, "i32 % 0" },
	{ 21, 0xffffffff, 0, "u32 / 0" },
	{ 22, 0, 0, "u32 % 0" },
	{ 23, 0x55555555, 0, "u32 / 3" },
	{ 24, 2147483520, 0, "i32 of a large f32" },
	{ 25, 0x80000000, 0, "i32 of a small f32" },
	{ 26, 0, 0, "u32 of a negative f32" },
	{ 27, 4294967040, 0, "u32 of a large f32" },
	{ 28, 0, 0, "i32 of NaN" },
	{ 29, (uint32_t)-1, 0, "i32 of -1.9" },
	{ 30, 2000, 0, "loads outside of an array" },
	{ 31, 77, 0, "stores outside of an array" },
};

static uint32_t loop_value(uint32_t passes)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < passes; i++)
		n = n + (i ^ (n >> 3));
	return n;
}

/* ---- work-groups -------------------------------------------------------------------------- */

static const char REDUCE[] =
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"
    "var<workgroup> part: array<u32, 256>;\n"
    "var<workgroup> dirty: array<u32, 256>;\n"
    "@compute @workgroup_size(256)\n"
    "fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>,\n"
    "        @builtin(num_workgroups) n: vec3<u32>) {\n"
    "  var sum = dirty[255u - l];\n"
    "  workgroupBarrier();\n"
    "  dirty[l] = 1u;\n"
    "  for (var i = g.x * 256u + l; i < arrayLength(&a); i = i + n.x * 256u) { sum = sum + a[i]; "
    "}\n"
    "  part[l] = sum;\n"
    "  workgroupBarrier();\n"
    "  for (var s = 128u; s > 0u; s = s >> 1u) {\n"
    "    if (l < s) { part[l] = part[l] + part[l + s]; }\n"
    "    workgroupBarrier();\n"
    "  }\n"
    "  if (l == 0u) { r[g.x] = part[0]; }\n"
    "}\n";

static uint32_t datum(uint32_t i)
{
	return i * 2654435761u;
}

/* ---- running ------------------------------------------------------------------------------ */

struct bench {
	struct run_host *host;           /* borrowed */
	const struct run_device *device; /* borrowed; NULL: the CPU */
	struct run_slot *slot;           /* owned */
	struct arena arena;
};

static void bench_done(struct bench *b)
{
	run_slot_free(b->slot);
	arena_done(&b->arena);
}

struct task {
	const char *text;
	const uint32_t *input;
	uint32_t n_input;
	uint32_t grid;
	uint32_t n_results;
};

static int load_task(struct bench *b, const struct task *t, struct run_kernel **ret,
		     struct err *err)
{
	const struct run_source source = { .text = t->text,
					   .len = strlen(t->text),
					   .target = b->device == NULL ? RUN_NATIVE : RUN_VULKAN,
					   .modes = b->device == NULL ? 0 : b->device->modes };

	return run_wait_load(b->host, &source, true, NULL, ret, err);
}

static int run_loaded(struct bench *b, const struct task *t, struct run_kernel *kernel,
		      uint32_t *results, struct err *err)
{
	const uint64_t elements = t->n_results;
	const struct wire_range range = { 0, 4 * (uint64_t)t->n_input };
	const struct run_input input = { .bytes = t->input, .size = range.length };
	const struct wire_chunk chunk = { .grid = { t->grid, 1, 1 },
					  .output_elements = &elements,
					  .n_outputs = 1,
					  .inputs = &range,
					  .n_inputs = 1 };
	const struct run_work work = { .kernel = kernel,
				       .chunk = &chunk,
				       .inputs = &input,
				       .n_inputs = 1,
				       .iterations = 10 * LONG_LOOP,
				       .timeout_ms = TIMEOUT_MS };
	struct wire_result r;

	if (run_wait_chunk(b->slot, &work, &b->arena, &r, err) < 0)
		return err->code;
	if (r.outcome != WIRE_OK || r.values == NULL || r.values_size != 8 + 4 * elements)
		return err_set(err, ERR_UNAVAILABLE, "%s: %s", wire_outcome_name(r.outcome),
			       r.message);
	for (uint32_t i = 0; i < t->n_results; i++)
		results[i] = num_get_u32((const char *)r.values + 8 + 4 * (size_t)i);
	return 0;
}

static int run_task(struct bench *b, const struct task *t, uint32_t *results, struct err *err)
{
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;

	if (load_task(b, t, &kernel, err) < 0)
		return err->code;
	return run_loaded(b, t, kernel, results, err);
}

static int check_numbers(struct bench *b, struct run_self_test *ret, struct err *err)
{
	const struct task task = { .text = NUMBERS,
				   .input = OPERANDS,
				   .n_input = ARRAY_LEN(OPERANDS),
				   .grid = 2,
				   .n_results = 32 };
	uint32_t got[MAX_RESULTS];

	if (run_task(b, &task, got, err) < 0)
		return err->code;
	ret->abilities = WIRE_NEED_RTE | WIRE_NEED_DENORM | WIRE_NEED_INFNAN |
			 WIRE_NEED_NOCONTRACT | WIRE_NEED_LOOPS64K;
	for (size_t i = 0; i < ARRAY_LEN(NUMBER_CHECKS); i++) {
		const struct check *c = &NUMBER_CHECKS[i];

		if (got[c->at] == c->value)
			continue;
		if (c->ability == 0)
			return err_set(err, ERR_INVALID, "wrong: %s is %#x instead of %#x", c->what,
				       got[c->at], c->value);
		ret->abilities &= ~c->ability;
	}
	if (got[0] != loop_value(SHORT_LOOP))
		return err_set(err, ERR_INVALID, "wrong: a loop of %d passes", SHORT_LOOP);
	ret->max_passes = 0;
	if (got[1] != loop_value(LONG_LOOP)) {
		ret->abilities &= ~(uint32_t)WIRE_NEED_LOOPS64K;
		ret->max_passes = SHORT_LOOP;
	}
	return 0;
}

static int check_groups(struct bench *b, struct err *err)
{
	uint32_t *data = arena_new_array(&b->arena, uint32_t, DATA);
	const struct task task = { .text = REDUCE,
				   .input = data,
				   .n_input = DATA,
				   .grid = GROUPS * 256,
				   .n_results = GROUPS };
	uint32_t expected[GROUPS] = { 0 };
	uint32_t got[GROUPS];

	for (uint32_t i = 0; i < DATA; i++) {
		data[i] = datum(i);
		expected[i / 256 % GROUPS] += data[i];
	}
	if (run_task(b, &task, got, err) < 0)
		return err->code;
	if (memcmp(got, expected, sizeof(got)) != 0)
		return err_set(err, ERR_INVALID,
			       "wrong: a sum over work-group memory with barriers");
	return 0;
}

static bool has_right_results(const struct selftest_type *t, const uint32_t *got)
{
	for (uint32_t i = 0; i < t->n_operands; i++)
		for (uint32_t j = 0; j < t->n_operands; j++)
			if (got[i * t->n_operands + j] != t->result(i, j))
				return false;
	return true;
}

/* A device without the type has no code for the kernel. What cannot be run at all is tried again,
 * as the whole test is. */
static bool has_type(struct bench *b, const struct selftest_type *t)
{
	uint32_t n = t->n_operands * t->n_operands;
	uint32_t *results = arena_new_array(&b->arena, uint32_t, n);
	uint64_t *input = arena_new_array(&b->arena, uint64_t, SELFTEST_MAX_OPERANDS);
	const struct task task = { .text = t->text,
				   .input = (const uint32_t *)(const void *)input,
				   .n_input = t->n_operands * t->operand_bytes / 4,
				   .grid = n,
				   .n_results = n };
	AUTO(run_kernel_unrefp) struct run_kernel *kernel = NULL;
	struct err err = { 0 };

	t->input(input);
	if (load_task(b, &task, &kernel, &err) < 0)
		return false;
	for (int tries = 0; tries < TRIES; tries++) {
		err_clear(&err);
		if (run_loaded(b, &task, kernel, results, &err) == 0)
			return has_right_results(t, results);
	}
	return false;
}

static int test_once(struct run_host *h, const struct run_device *device, struct run_self_test *ret,
		     struct err *err)
{
	AUTO(bench_done) struct bench b = { .host = h, .device = device };
	const struct run_slot_options options = { .device = device == NULL ? NULL : device->id,
						  .threads = 1 };

	if (run_slot_new(h, &options, &b.slot, err) < 0 || check_numbers(&b, ret, err) < 0 ||
	    check_groups(&b, err) < 0)
		return err->code;
	/* Native code has all of them: its own tests see to that. */
	for (size_t i = 0; device != NULL && i < SELFTEST_TYPES; i++)
		if (has_type(&b, &selftest_types[i]))
			ret->abilities |= selftest_types[i].ability;
	return 0;
}

void run_wait_self_test(struct run_host *h, const struct run_device *device,
			struct run_self_test *ret)
{
	struct err err = { 0 };

	for (int tries = 1;; tries++) {
		*ret = (struct run_self_test){ 0 };
		err_clear(&err);
		if (test_once(h, device, ret, &err) == 0) {
			ret->passed = true;
			return;
		}
		/* Wrong results stay wrong; a machine that is busy at start must not be out of
		 * service for good. */
		if (err.code == ERR_INVALID || tries == TRIES)
			break;
	}
	*ret = (struct run_self_test){ 0 };
	memcpy(ret->reason, err.text, sizeof(ret->reason));
}
