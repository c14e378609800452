/* Subgroups: every operation against the interpreter, with all lanes and with some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel.h"

enum { N = 200 };

static const char head[] =
    "enable subgroups, subgroup_size_control;\n"
    "@group(0) @binding(0) var<storage, read> pa: array<%s>;\n"
    "@group(0) @binding(1) var<storage, read> pb: array<u32>;\n"
    "@group(0) @binding(2) var<storage, read_write> out: array<%s>;\n"
    "@compute @workgroup_size(%s)\n"
    "fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) n: u32,\n"
    "        @builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_id) g: u32,\n"
    "        @builtin(num_subgroups) many: u32) {\n"
    "  let i = id.x + id.y * 40u; let a = pa[i]; let b = pb[i];\n";

/* The expressions, once where all invocations get and once where some do. */
static void check_shape(const char *const types[2], const char *size, uint32_t rows,
			const char *const *exprs, size_t n)
{
	static const struct native_options some[] = { { 0 },
						      { .lanes = 64, .cpu = "x86-64-v3" },
						      { .reverse_lanes = true } };
	struct kernel k = { .invocations = { rows > 1 ? 40 : N, rows },
			    .sizes = { N * 16, N * 4, (uint32_t)n * N * 32 },
			    .seed = 7 };
	char text[16384];
	size_t len = (size_t)snprintf(text, sizeof(text), head, types[0], types[1], size);

	for (size_t e = 0; e < n; e++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"  out[i * %zuu + %zuu] = %s;\n", 2 * n, 2 * e, exprs[e]);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"  @diagnostic(off, subgroup_uniformity) if (b & 3u) != 1u {\n");
	for (size_t e = 0; e < n; e++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"    out[i * %zuu + %zuu] = %s;\n", 2 * n, 2 * e + 1,
					exprs[e]);
	(void)snprintf(text + len, sizeof(text) - len, "  }\n}\n");
	k.text = text;
	for (size_t o = 0; o < ARRAY_LEN(some); o++)
		kernel_check(&k, &some[o]);
}

static void check_each(const char *type, const char *result, const char *const *exprs, size_t n)
{
	const char *const types[2] = { type, result };

	check_shape(types, "64", 1, exprs, n);
}

#define CHECK(type, result, ...)                                                                   \
	do {                                                                                       \
		static const char *const e_[] = { __VA_ARGS__ };                                   \
		check_each(type, result, e_, ARRAY_LEN(e_));                                       \
	} while (0)

/* Work-groups smaller than a subgroup, no multiple of one, with rows, cut off by the grid. */
static void work_groups_may_have_any_shape(void **state)
{
	static const char *const types[2] = { "u32", "u32" };
	static const char *const exprs[] = { "subgroupInclusiveAdd(a)", "subgroupShuffleUp(a, 3)",
					     "subgroupBroadcastFirst(a) + g",
					     "subgroupBallot(b > 5u).x + many" };
	static const struct {
		const char *size;
		uint32_t rows;
	} shapes[] = { { "1", 1 }, { "4", 1 }, { "37", 1 }, { "8, 5", 5 }, { "32, 2", 4 } };

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shapes); s++)
		check_shape(types, shapes[s].size, shapes[s].rows, exprs, ARRAY_LEN(exprs));
}

static void subgroups_have_the_size_that_is_asked_for(void **state)
{
	static const char *const types[2] = { "u32", "vec4<u32>" };
	static const char *const exprs[] = {
		"vec4(n, s, g, many)",
		"subgroupBallot((a & 1u) == 0u)",
		"vec4(u32(subgroupElect()), u32(subgroupAll(a != 5u)), u32(subgroupAny(a == 1u)), "
		"u32(subgroupAny(b > 5u)))",
		"vec4(subgroupAdd(a), subgroupExclusiveAdd(a), subgroupMin(a), subgroupMul(a | "
		"1u))",
		"vec4(subgroupShuffle(a, b), subgroupShuffleUp(a, 3), subgroupBroadcastFirst(a), "
		"subgroupShuffleXor(a, n - 1))",
		"vec4(subgroupBroadcast(a, 70), quadSwapX(a), subgroupShuffleDown(a, 65), 0u)",
	};
	static const char *const shapes[] = {
		"128) @subgroup_size(4",   "128) @subgroup_size(8",  "48) @subgroup_size(16",
		"128) @subgroup_size(32",  "64) @subgroup_size(64",  "128) @subgroup_size(64",
		"128) @subgroup_size(128", "8, 3) @subgroup_size(8", "64, 2) @subgroup_size(64",
	};

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(shapes); s++)
		check_shape(types, shapes[s], s < 7 ? 1 : 4, exprs, ARRAY_LEN(exprs));
}

static void built_in_values_count_lanes(void **state)
{
	(void)state;
	CHECK("u32", "vec4<u32>", "vec4(n, s, g, many)");
}

static void votes_ask_the_active_lanes(void **state)
{
	(void)state;
	CHECK("u32", "vec4<u32>", "vec4(subgroupBallot((a & 1u) == 0u))",
	      "vec4(u32(subgroupAll(a != 5u)), u32(subgroupAll(g == 1u)), "
	      "u32(subgroupAny(a == 1u)), u32(subgroupAny((a & 1u) == 0u)))",
	      "vec4(u32(subgroupElect()))");
}

static void integers_are_folded(void **state)
{
	(void)state;
	CHECK("u32", "u32", "subgroupAdd(a)", "subgroupMul(a | 1u)", "subgroupMin(a)",
	      "subgroupMax(a)", "subgroupAnd(a | 0xffff0000u)", "subgroupOr(a)", "subgroupXor(a)",
	      "subgroupExclusiveAdd(a)", "subgroupInclusiveAdd(a)", "subgroupExclusiveMul(a | 1u)",
	      "subgroupInclusiveMul(a | 1u)");
	CHECK("i32", "i32", "subgroupAdd(a)", "subgroupMul(a | 1)", "subgroupMin(a)",
	      "subgroupMax(a)", "subgroupAnd(a)", "subgroupOr(a)", "subgroupXor(a)",
	      "subgroupExclusiveAdd(a)", "subgroupInclusiveMul(a)");
	CHECK("vec4<i32>", "vec4<i32>", "subgroupAdd(a)", "subgroupMin(a)", "subgroupXor(a)",
	      "subgroupInclusiveAdd(a)");
}

static void floats_are_folded_in_one_order(void **state)
{
	(void)state;
	CHECK("f32", "f32", "subgroupAdd(a)", "subgroupMul(a)", "subgroupMin(a)", "subgroupMax(a)",
	      "subgroupExclusiveAdd(a)", "subgroupInclusiveAdd(a)", "subgroupExclusiveMul(a)",
	      "subgroupInclusiveMul(a)", "subgroupAdd(1 / f32(b))");
	CHECK("vec2<f32>", "vec2<f32>", "subgroupAdd(a)", "subgroupInclusiveAdd(a)");
}

static void values_move_between_lanes(void **state)
{
	(void)state;
	CHECK("u32", "u32", "subgroupBroadcast(a, 0)", "subgroupBroadcast(a, 3u)",
	      "subgroupBroadcast(a, 40)", "subgroupBroadcastFirst(a)", "subgroupShuffle(a, b)",
	      "subgroupShuffle(a, i32(b))", "subgroupShuffle(a, 5)", "subgroupShuffle(a, s + 1)",
	      "subgroupShuffleUp(a, 1)", "subgroupShuffleUp(a, many)", "subgroupShuffleDown(a, 2)",
	      "subgroupShuffleDown(a, n / 2)", "subgroupShuffleXor(a, 1)",
	      "subgroupShuffleXor(a, n - 1)", "quadBroadcast(a, 2)", "quadSwapX(a)", "quadSwapY(a)",
	      "quadSwapDiagonal(a)");
	CHECK("vec3<f32>", "vec3<f32>", "subgroupShuffle(a, b)", "quadSwapX(a)",
	      "subgroupBroadcastFirst(a)", "subgroupShuffleUp(a, 3)");
}

static void loops_and_barriers_keep_subgroups_together(void **state)
{
	static const char text[] =
	    "enable subgroups;\n"
	    "@group(0) @binding(0) var<storage, read> p: array<u32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
	    "var<workgroup> w: array<u32, 96>;\n"
	    "@compute @workgroup_size(96)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_id) g: u32,\n"
	    "        @builtin(local_invocation_index) l: u32, @builtin(num_subgroups) m: u32) {\n"
	    "  var a = p[id.x]; let sum = subgroupAdd(a);\n"
	    "  for (var k = 0u; k < 3u; k++) {\n"
	    "    a += subgroupShuffleXor(a, 1u << k);\n"
	    "    w[l] = a;\n"
	    "    workgroupBarrier();\n"
	    "    a ^= subgroupMax(w[95u - l]) + sum;\n"
	    "    workgroupBarrier();\n"
	    "  }\n"
	    /* Parts at the edge of a subgroup: fine for the subgroup, not for a barrier. */
	    "  if g == 1u { a += subgroupExclusiveAdd(l); }\n"
	    "  if subgroupAny(a % 64u == 3u) { a = subgroupMin(a); }\n"
	    "  out[id.x] = a + subgroupInclusiveAdd(1u) + m;\n"
	    "}\n";

	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = text, .invocations = { 192 }, .sizes = { 768, 768 }, .seed = 5 });
}

static void lanes_that_left_take_no_part(void **state)
{
	static const char text[] =
	    "enable subgroups; diagnostic(off, subgroup_uniformity);\n"
	    "@group(0) @binding(0) var<storage, read> p: array<u32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
	    "@compute @workgroup_size(64)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
	    "  var a = p[id.x];\n"
	    "  if a % 5u == 1u { out[id.x] = 7u; return; }\n"
	    "  var n = 0u;\n"
	    "  loop { n += subgroupAdd(1u); if n > a % 300u { break; } }\n"
	    "  switch a & 3u {\n"
	    "    case 0u: { n += subgroupOr(a); }\n"
	    "    case 1u, 2u: { n += subgroupXor(a) + u32(subgroupElect()); }\n"
	    "    default: { }\n"
	    "  }\n"
	    "  out[id.x] = n + subgroupExclusiveAdd(a);\n"
	    "}\n";

	(void)state;
	/* The last work-group is not whole. */
	kernel_check_all(&(struct kernel){
	    .text = text, .invocations = { 150 }, .sizes = { 600, 600 }, .seed = 5 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_groups_may_have_any_shape),
		cmocka_unit_test(subgroups_have_the_size_that_is_asked_for),
		cmocka_unit_test(built_in_values_count_lanes),
		cmocka_unit_test(votes_ask_the_active_lanes),
		cmocka_unit_test(integers_are_folded),
		cmocka_unit_test(floats_are_folded_in_one_order),
		cmocka_unit_test(values_move_between_lanes),
		cmocka_unit_test(loops_and_barriers_keep_subgroups_together),
		cmocka_unit_test(lanes_that_left_take_no_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
