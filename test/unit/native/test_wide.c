/* i64, u64 and f64: every operation against the interpreter, over edge values and random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel.h"

enum { N = 160 };

/* 64-bit patterns of which 32-bit ones say little. */
static const uint64_t edges[] = {
	0,
	1,
	2,
	63,
	64,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
	0xfffffffffffffffe,
	0x3ff0000000000000, /* 1 */
	0xbff0000000000000,
	0x7ff0000000000000, /* infinity */
	0xfff0000000000000,
	0x7ff8000000000000,
	0x7ff0000000000001,
	0xfff123456789abcd,
	0x8000000000000001,
	0x000fffffffffffff,
	0x0010000000000000,
	0x7fefffffffffffff,
	0x43dfffffffffffff, /* just below 2^63 */
	0x43e0000000000000,
	0xc3e0000000000000,
	0x43efffffffffffff,
	0x43f0000000000000,
	0x41dfffffffc00000, /* 2^31 - 1 */
	0x41dfffffffe00000,
	0x41efffffffe00000, /* 2^32 - 1 */
	0x41effffffff00000,
	0xc1e0000000000000, /* -2^31 */
	0xc1e0000000200000,
	0x3fe0000000000000,
	0x4004000000000000, /* 2.5 */
	0x47efffffe0000000, /* the largest f32, and what rounds to more */
	0x47effffff0000000,
	0x3690000000000000, /* around the smallest f32 */
	0x36a0000000000001,
	0x3ca0000000000000,
	0x0020000000000001,
	0x0000008000004001, /* to f32: not twice rounded */
	0x0080000040000001,
	0x8000008000000001,
	0x7fffffbfffffffff,
	0x0040000000000001,
};

static void fill(uint32_t *words, uint32_t n, uint32_t seed)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = edges[kernel_word(&seed) % ARRAY_LEN(edges)];

		if (i % 3 == 2)
			v = kernel_word(&seed) | (uint64_t)kernel_word(&seed) << 32;
		words[2 * i] = (uint32_t)v;
		words[2 * i + 1] = (uint32_t)(v >> 32);
	}
}

static void check(const struct kernel *k)
{
	static const struct native_options some[] = { { 0 },
						      { .lanes = 4, .cpu = "x86-64" },
						      { .lanes = 8, .cpu = "x86-64-v3" },
						      { .lanes = 32, .reverse_lanes = true } };

	for (size_t n = 0; n < ARRAY_LEN(some); n++)
		kernel_check(k, &some[n]);
}

static void check_each(const char *type, const char *result, const char *const *exprs, size_t n)
{
	static const char head[] =
	    "enable kwarp_i64; enable kwarp_f64;\n"
	    "@group(0) @binding(0) var<storage, read> pa: array<%s>;\n"
	    "@group(0) @binding(1) var<storage, read> pb: array<%s>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<%s>;\n"
	    "@compute @workgroup_size(32)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let i = id.x; let a = pa[i]; let b = pb[i];\n";
	static uint32_t words[2][N * 8];
	char text[16384];
	size_t len = (size_t)snprintf(text, sizeof(text), head, type, type, result);

	fill(words[0], N * 4, 11);
	fill(words[1], N * 4, 12);
	for (size_t e = 0; e < n; e++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"  out[i * %zuu + %zuu] = %s;\n", n, e, exprs[e]);
	(void)snprintf(text + len, sizeof(text) - len, "}\n");
	check(&(struct kernel){ .text = text,
				.invocations = { N },
				.words = { words[0], words[1] },
				.sizes = { N * 32, N * 32, (uint32_t)n * N * 8 },
				.seed = 7 });
}

#define CHECK(type, result, ...)                                                                   \
	do {                                                                                       \
		static const char *const e_[] = { __VA_ARGS__ };                                   \
		check_each(type, result, e_, ARRAY_LEN(e_));                                       \
	} while (0)

static void integers_wrap_and_never_trap(void **state)
{
	(void)state;
	CHECK("u64", "u64", "a + b", "a - b", "a * b", "a / b", "a % b", "a & b", "a | b", "a ^ b",
	      "~a", "a << u32(b)", "a >> u32(b)", "min(a, b)", "max(a, b)", "a / 7lu", "a % 10lu",
	      "a / 8lu", "100lu / a", "u64(i) * 3lu + a", "clamp(a, 5lu, 0xfffffffffflu)",
	      "select(a, b, a < b)", "a / u64(i)", "0xfffffffffffffffflu / (a | 1)");
	CHECK("i64", "i64", "a + b", "a - b", "a * b", "a / b", "a % b", "-a", "abs(a)",
	      "a << u32(b)", "a >> u32(b)", "min(a, b)", "max(a, b)", "a / 7li", "a % -10li",
	      "a / -1li", "a % -1li", "a % 8li", "sign(a)", "clamp(a, -5li, 0xffffffffffli)",
	      "a / i64(i)", "-9223372036854775807 / b");
}

static void bits_are_counted_and_moved(void **state)
{
	(void)state;
	CHECK("u64", "u64", "countOneBits(a)", "countLeadingZeros(a)", "countTrailingZeros(a)",
	      "reverseBits(a)", "firstLeadingBit(a)", "firstTrailingBit(a)",
	      "extractBits(a, u32(b), i)", "insertBits(a, b, i, 7u)", "insertBits(a, b, 3u, i)");
	CHECK("i64", "i64", "firstLeadingBit(a)", "firstTrailingBit(a)",
	      "extractBits(a, i % 70u, 9u)", "insertBits(a, b, i % 70u, 70u)");
	CHECK("u64", "u32", "bitcast<vec2<u32>>(a).x", "bitcast<vec2<u32>>(a).y",
	      "bitcast<vec4<u32>>(vec2(a, b)).w", "bitcast<u32>(bitcast<vec2<f32>>(a).y)");
	CHECK("vec4<u32>", "u64", "bitcast<u64>(a.xy)", "bitcast<vec2<u64>>(a).y",
	      "bitcast<u64>(bitcast<f64>(a.zw))", "u64(bitcast<i64>(a.xz))");
}

static void comparisons_know_the_sign(void **state)
{
	(void)state;
	CHECK("u64", "u32", "u32(a < b)", "u32(a <= b)", "u32(a > b)", "u32(a >= b)", "u32(a == b)",
	      "u32(a != b)", "u32(bool(a))", "u32(a)", "u32(i32(a))");
	CHECK("i64", "u32", "u32(a < b)", "u32(a <= b)", "u32(a > b)", "u32(a >= b)", "u32(a == b)",
	      "u32(a != b)", "u32(all(vec2(a, b) < vec2(b, a)))", "u32(a)", "u32(i32(a))");
	CHECK("i32", "u32", "u32(i64(a) < 5li)", "u32(i64(a) >= 0x7fffffffli)",
	      "u32(i64(a) > -3li)", "u32(any(vec2<i64>(vec2(a, b)) <= vec2<i64>(-7li, 9li)))");
	CHECK("f64", "u32", "u32(a < b)", "u32(a <= b)", "u32(a > b)", "u32(a >= b)", "u32(a == b)",
	      "u32(a != b)", "u32(!(a < b))", "u32(bool(a))");
}

static void conversions_round_once_and_clamp(void **state)
{
	(void)state;
	CHECK("f64", "i64", "i64(a)", "i64(u64(a))", "i64(i32(a))", "i64(u32(a))", "i64(f32(a))",
	      "i64(u64(f32(a)))", "bitcast<i64>(a)", "i64(bitcast<u32>(f32(a)))");
	CHECK("i64", "f64", "f64(a)", "f64(f32(a))", "f64(u64(a))", "f64(f32(u64(a)))",
	      "f64(i32(a))", "f64(u32(a))", "f64(a < b)", "bitcast<f64>(a)");
	CHECK("i64", "i64", "i64(i32(a))", "i64(u32(a))", "i64(u64(a))", "i64(bool(a))",
	      "i64(a < b)");
}

static void doubles_have_the_bits_of_ieee(void **state)
{
	(void)state;
	CHECK("f64", "f64", "a + b", "a - b", "a * b", "a / b", "a % b", "-a", "abs(a)",
	      "a * b + a", "a * a - b * b", "a / 4lf", "min(a, b)", "max(a, b)",
	      "clamp(a, -1lf, 1lf)", "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "fract(a)",
	      "sign(a)", "sqrt(a)", "mix(a, b, 0.25lf)", "fma(a, b, a)", "step(a, b)",
	      "saturate(a)", "select(a, b, a < b)", "inverseSqrt(a)", "degrees(a)",
	      "smoothstep(0, 2, a)", "modf(a).fract", "a + 0.1");
	CHECK("vec4<f64>", "f64", "dot(a, b)", "length(a)", "distance(a, b)", "a[i & 3u]",
	      "cross(a.xyz, b.xyz).y", "reflect(a, b).x", "normalize(a).w", "(a * b.x).z",
	      "determinant(mat3x3<f64>(a.xyz, b.xyz, a.yzw))", "(mat2x2<f64>(a.xy, b.xy) * a.zw).y",
	      "f64(dot(vec3<i64>(a.xyz), vec3<i64>(b.xyz)))");
}

/* Division and square root stay instructions, f32 or not f32 around them. */
static void strict_doubles_have_the_same_bits(void **state)
{
	static const char text[] =
	    "enable kwarp_f64;\n"
	    "@group(0) @binding(0) var<storage, read> p: array<vec2<f64>>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<array<f64, 4>>;\n"
	    "@compute @workgroup_size(32)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let a = p[id.x].x; let b = p[id.x].y;\n"
	    "  out[id.x] = array(a / b, sqrt(abs(a)), f64(f32(a) / f32(b)),\n"
	    "                    f64(sqrt(f32(b))) / length(vec2(a, b)));\n"
	    "}\n";
	static uint32_t words[N * 4];

	(void)state;
	fill(words, N * 2, 21);
	check(&(struct kernel){ .text = text,
				.invocations = { N },
				.words = { words },
				.sizes = { N * 16, N * 32 },
				.numerics = KERNEL_STRICT_DIVISION,
				.seed = 7 });
}

/* In all spaces, with whole copies, run-time indices and values that outlive a barrier. */
static void memory_holds_64_bits(void **state)
{
	static const char text[] =
	    "enable kwarp_i64, kwarp_f64;\n"
	    "struct T { a: u32, b: f64, c: vec3<i64>, d: array<u64, 3>, m: mat2x3<f64>, e: u32 }\n"
	    "struct U { a: i64, b: vec2<f64>, c: f32 }\n"
	    "@group(0) @binding(0) var<storage, read> p: array<T>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<T>;\n"
	    "@group(0) @binding(2) var<uniform> u: U;\n"
	    "var<workgroup> w: array<vec2<i64>, 32>;\n"
	    "var<private> q: array<T, 2>;\n"
	    "fn swap(t: T, k: u32) -> T {\n"
	    "  var r = t; r.b = t.m[k & 1u][k % 3u]; r.c[k % 3u] += u.a;\n"
	    "  r.d[k % 3u] = u64(t.c[2]); r.m[1].z = u.b.y * f64(u.c); r.e += 1u;\n"
	    "  for (var n = 0li; n < i64(k & 7u); n++) { r.c.x += n * t.c.y; }\n"
	    "  return r;\n"
	    "}\n"
	    "@compute @workgroup_size(32)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>,\n"
	    "        @builtin(local_invocation_index) l: u32) {\n"
	    "  let keep = p[id.x].b * 2; var kept = p[id.x].d[1] + 5;\n"
	    "  w[l] = vec2(p[id.x].c.x, i64(p[id.x].d[1]));\n"
	    "  workgroupBarrier();\n"
	    "  kept ^= u64(w[31u - l].x);\n"
	    "  workgroupBarrier();\n"
	    "  q[id.x & 1u] = swap(p[id.x], id.x);\n"
	    "  q[id.x & 1u].c.y = w[31u - l].y + i64(kept);\n"
	    "  out[id.x] = q[id.x & 1u];\n"
	    "  out[id.x].m[0][id.x % 3u] = keep;\n"
	    "}\n";
	static uint32_t words[96 * 48];

	(void)state;
	fill(words, 96 * 24, 4);
	check(&(struct kernel){ .text = text,
				.invocations = { 96 },
				.words = { words },
				.sizes = { 96 * 192, 96 * 192, 48 },
				.seed = 3 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_wrap_and_never_trap),
		cmocka_unit_test(bits_are_counted_and_moved),
		cmocka_unit_test(comparisons_know_the_sign),
		cmocka_unit_test(conversions_round_once_and_clamp),
		cmocka_unit_test(doubles_have_the_bits_of_ieee),
		cmocka_unit_test(strict_doubles_have_the_same_bits),
		cmocka_unit_test(memory_holds_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
