/*
 * test_strict_lanes.c - functions of numerics: Strict on vectors and in masked lanes, beside the
 * interpreter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel.h"

/* As the interpreter has it; large arguments beside small ones. */
static void is_the_same_for_vectors_and_lanes(void **state)
{
	static const char *const calls[] = {
		"h(sin(a)) ^ h(cos(a)) ^ h(tan(a))",
		"h(pow(a, a.wzyx)) ^ h(exp(a)) ^ h(exp2(a)) ^ h(log(a)) ^ h(log2(a))",
		"h(normalize(a)) ^ h(vec4(length(a.xyz))) ^ h(smoothstep(a, a.yzwx, a.zwxy))",
		"h(asin(a)) ^ h(acos(a)) ^ h(atan(a)) ^ h(atan2(a, a.yyzz)) ^ h(a % a.yxwz)",
		"h(sinh(a)) ^ h(cosh(a)) ^ h(tanh(a)) ^ h(asinh(a)) ^ h(acosh(a)) ^ h(atanh(a))",
		"h(inverseSqrt(a)) ^ h(sqrt(a)) ^ h(unpack4x8unorm(bitcast<u32>(a.y))) ^ h(a / "
		"a.wxyz)",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		char text[900];
		const struct kernel k = { .text = text,
					  .invocations = { 130, 1, 1 },
					  .sizes = { 16 * 130, 4 * 130 },
					  .seed = (uint32_t)i,
					  .numerics =
					      i % 2 == 0 ? KERNEL_STRICT : KERNEL_STRICT_DIVISION };

		snprintf(text, sizeof(text),
			 "@group(0) @binding(0) var<storage> v: array<vec4f>;\n"
			 "@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n"
			 "fn h(v: vec4f) -> u32 {\n"
			 "  return dot(bitcast<vec4u>(v), vec4u(1, 31, 961, 29791));\n"
			 "}\n"
			 "@compute @workgroup_size(64)\n"
			 "fn main(@builtin(global_invocation_id) i: vec3u) {\n"
			 "  let a = v[i.x];\n"
			 "  if (a.x < a.y) { o[i.x] = %s; }\n"
			 "}\n",
			 calls[i]);
		kernel_check(&k, &(struct native_options){ .lanes = i % 2 == 0 ? 4 : 16 });
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_for_vectors_and_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
