/* Every operation on values, against the interpreter, over edge values and random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel.h"

enum { N = 1000 };

/* out[i] = EXPR of a[i], b[i] (TYPE) and i; one kernel for many expressions. */
static void check_each(const char *type, const char *result, const char *const *exprs, size_t n)
{
	static const char head[] =
	    "@group(0) @binding(0) var<storage, read> pa: array<%s>;\n"
	    "@group(0) @binding(1) var<storage, read> pb: array<%s>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<%s>;\n"
	    "@compute @workgroup_size(64)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let i = id.x; let a = pa[i]; let b = pb[i];\n";
	char text[16384];
	size_t len = (size_t)snprintf(text, sizeof(text), head, type, type, result);

	for (size_t e = 0; e < n; e++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"  out[i * %zuu + %zuu] = %s;\n", n, e, exprs[e]);
	(void)snprintf(text + len, sizeof(text) - len, "}\n");
	kernel_check_all(&(struct kernel){ .text = text,
					   .invocations = { N },
					   .sizes = { N * 4, N * 4, (uint32_t)n * N * 4 },
					   .seed = 7 });
}

#define CHECK(type, result, ...)                                                                   \
	do {                                                                                       \
		static const char *const e_[] = { __VA_ARGS__ };                                   \
		check_each(type, result, e_, ARRAY_LEN(e_));                                       \
	} while (0)

static void unsigned_arithmetic_wraps_and_never_traps(void **state)
{
	(void)state;
	CHECK("u32", "u32", "a + b", "a - b", "a * b", "a / b", "a % b", "a & b", "a | b", "a ^ b",
	      "~a", "a << b", "a >> b", "min(a, b)", "max(a, b)", "a / 7u", "a % 10u", "a % 8u",
	      "i * 3u + a", "a / i", "i / b", "i % 5u", "100u / a");
}

static void signed_arithmetic_wraps_and_never_traps(void **state)
{
	(void)state;
	CHECK("i32", "i32", "a + b", "a - b", "a * b", "a / b", "a % b", "-a", "abs(a)",
	      "a << u32(b)", "a >> u32(b)", "min(a, b)", "max(a, b)", "a / 7", "a % -10", "a / -1",
	      "a % -1", "a % 8", "a / i32(i)", "i32(i) - 500 - a");
}

static void bits_are_counted_and_reversed(void **state)
{
	(void)state;
	CHECK("u32", "u32", "countOneBits(a)", "countLeadingZeros(a)", "countTrailingZeros(a)",
	      "reverseBits(a)");
}

static void comparisons_select(void **state)
{
	(void)state;
	CHECK("u32", "u32", "select(0u, 1u, a < b)", "select(a, b, a == b)",
	      "select(0u, 1u, a != b && a > 3u)", "select(0u, 1u, a >= b || b <= i)",
	      "select(0u, 1u, !(i < 17u))", "select(i, i + 5u, a < b)", "u32(a < b) + u32(a > b)");
	CHECK("i32", "i32", "select(0, 1, a < b)", "select(0, 1, a <= b)", "select(0, 1, a > b)",
	      "select(0, 1, a >= b)");
}

static void float_arithmetic_has_the_bits_of_ieee(void **state)
{
	(void)state;
	CHECK("f32", "f32", "a + b", "a - b", "a * b", "-a", "abs(a)", "a * b + a", "a * a - b * b",
	      "a * 0.25", "min(a, b)", "max(a, b)", "clamp(a, -1.0, 1.0)", "a + b - a");
}

static void float_comparisons_are_ordered(void **state)
{
	(void)state;
	CHECK("f32", "u32", "u32(a < b)", "u32(a <= b)", "u32(a > b)", "u32(a >= b)", "u32(a == b)",
	      "u32(a != b)", "u32(!(a < b))");
}

static void rounding_is_exact(void **state)
{
	(void)state;
	CHECK("f32", "f32", "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "fract(a)", "sign(a)");
}

static void conversions_clamp(void **state)
{
	(void)state;
	CHECK("f32", "u32", "u32(a)", "u32(b * 1000.0)", "bitcast<u32>(a)", "u32(bool(a))");
	CHECK("f32", "i32", "i32(a)", "i32(b * 1000.0)", "bitcast<i32>(a)");
	CHECK("u32", "f32", "f32(a)", "f32(b)", "bitcast<f32>(a)", "f32(a < b)", "f32(i)",
	      "f32(a) / 4294967296.0");
	CHECK("i32", "f32", "f32(a)", "f32(b)", "f32(i32(i) - 500)");
	CHECK("u32", "i32", "i32(a)", "i32(bool(a))", "bitcast<i32>(b)");
}

static void vectors_are_rearranged(void **state)
{
	(void)state;
	CHECK("vec4<u32>", "u32", "a.x", "a.w + b.y", "a[b.x & 7u]", "a.zyx.x", "dot(a, b)",
	      "(a * b).z", "vec4<u32>(a.xy, b.zw).w", "select(a, b, a < b).y",
	      "vec4<u32>(5u).x + i");
	CHECK("vec2<f32>", "f32", "a.x + b.y", "a.yx.x", "(a * b.y).x", "(a + b)[1]");
}

static void division_is_correctly_rounded(void **state)
{
	(void)state;
	CHECK("f32", "f32", "a / b", "sqrt(a)", "1.0 / a");
}

static void one_divisor_for_all_lanes(void **state)
{
	static const char text[] =
	    "struct P { d: u32, x: u32, y: u32, z: u32 }\n"
	    "@group(0) @binding(0) var<uniform> p: P;\n"
	    "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<vec4<u32>>;\n"
	    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let u = a[id.x]; let s = i32(u); let d = p.d; let e = i32(d);\n"
	    "  out[id.x] = vec4<u32>(u / d, u % d, u32(s / e), u32(s % e)); }";
	static const uint32_t divisors[] = { 0,          1,          2,        3,
					     7,          641,        65535,    65537,
					     0x7fffffff, 0x80000000, 80000001, 0xfffffffe,
					     0xffffffff };
	static const struct native_options o[] = { { 0 }, { .cpu = "x86-64-v3" } };

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(divisors); n++) {
		const uint32_t params[] = { divisors[n], 0, 0, 0 };
		const struct kernel k = { .text = text,
					  .invocations = { N },
					  .sizes = { 16, N * 4, N * 16 },
					  .words = { params },
					  .seed = 31 + (uint32_t)n };

		kernel_check(&k, &o[n % 2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned_arithmetic_wraps_and_never_traps),
		cmocka_unit_test(signed_arithmetic_wraps_and_never_traps),
		cmocka_unit_test(bits_are_counted_and_reversed),
		cmocka_unit_test(comparisons_select),
		cmocka_unit_test(float_arithmetic_has_the_bits_of_ieee),
		cmocka_unit_test(float_comparisons_are_ordered),
		cmocka_unit_test(rounding_is_exact),
		cmocka_unit_test(conversions_clamp),
		cmocka_unit_test(vectors_are_rearranged),
		cmocka_unit_test(division_is_correctly_rounded),
		cmocka_unit_test(one_divisor_for_all_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
