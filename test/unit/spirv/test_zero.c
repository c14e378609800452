/*
 * test_zero.c - variables of functions, of invocations and of work-groups start as zero, however
 * large they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../native/kernel.h"
#include "check.h"

#define HEAD                                                                                       \
	"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"                                \
	"@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
#define MAIN                                                                                       \
	"@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>, "      \
	"@builtin(local_invocation_index) l: u32) {\n"                                             \
	"  let v = a[id.x];\n"

static void check(const char *text)
{
	kernel_check(&(struct kernel){ .text = text,
				       .invocations = { 64 },
				       .sizes = { 256, 1024 },
				       .only_small = true,
				       .seed = 11 },
		     &(struct native_options){ 0 });
}

/* All of it is added up after a few words were changed. */
static void arrays_of_thousands_of_words(void **state)
{
	(void)state;
	check(HEAD MAIN "  var b: array<u32, 2048>; var s = 0u;\n"
			"  for (var k = 0u; k < 40u; k++) { b[(k * 37u + v) & 2047u] += k; }\n"
			"  for (var k = 0u; k < 2048u; k++) { s += b[k] * (k + 1u); }\n"
			"  out[id.x] = s; }");
	/* Elements after the last whole pass. */
	check(HEAD MAIN "  var b: array<u32, 411>; var s = 0u;\n"
			"  b[v % 411u] = v;\n"
			"  for (var k = 0u; k < 411u; k++) { s = s * 3u + b[k]; }\n"
			"  out[id.x] = s; }");
}

static void arrays_of_all_kinds(void **state)
{
	(void)state;
	/* Vectors, columns and bools inside of structs inside of arrays. */
	check(HEAD "struct S { v: vec3<f32>, n: u32, m: mat2x2<f32>, is: bool }\n" MAIN
		   "  var b: array<S, 90>; var s = 0.0; var n = 0u;\n"
		   "  b[v % 90u].v.y = f32(v); b[(v * 7u) % 90u].is = true;\n"
		   "  b[(v * 3u) % 90u].m[1].x = 2.0; b[v % 89u].n += v;\n"
		   "  for (var k = 0u; k < 90u; k++) { let e = b[k]; s += e.v.x + e.v.y + e.v.z + "
		   "e.m[0].x + e.m[0].y + e.m[1].x + e.m[1].y;\n"
		   "    n += e.n * k + select(0u, k, e.is); }\n"
		   "  out[id.x] = u32(s) + n * 1024u; }");
	/* Nested arrays whose elements are large, too; a struct that is large by one member. */
	check(HEAD
	      "struct S { a: u32, b: array<array<array<u32, 5>, 9>, 7>, c: vec2<i32>, d: bool }\n"
	      "var<private> p: array<array<vec4<u32>, 40>, 3>;\n" MAIN
	      "  var b: S; var s = u32(b.c.x + b.c.y) + select(b.a, 77u, b.d);\n"
	      "  b.b[v % 7u][v % 9u][v % 5u] = v; p[v % 3u][v % 40u][v & 3u] += v;\n"
	      "  for (var i = 0u; i < 7u; i++) { for (var j = 0u; j < 9u; j++) {\n"
	      "    for (var k = 0u; k < 5u; k++) { s = s * 5u + b.b[i][j][k]; } } }\n"
	      "  for (var i = 0u; i < 3u; i++) { for (var j = 0u; j < 40u; j++) {\n"
	      "    let e = p[i][j]; s = s * 5u + e.x + e.y * 2u + e.z * 3u + e.w * 4u; } }\n"
	      "  out[id.x] = s; }");
	check(HEAD MAIN "  var b: array<bool, 300>; b[v % 300u] = true; var s = 0u;\n"
			"  for (var k = 0u; k < 300u; k++) { s = s * 3u + u32(b[k]); }\n"
			"  out[id.x] = s; }");
}

static void each_pass_of_a_loop_starts_anew(void **state)
{
	(void)state;
	check(HEAD MAIN "  var s = 0u;\n"
			"  for (var i = 0u; i < 6u; i++) { var b: array<u32, 500>;\n"
			"    for (var k = 0u; k < 500u; k += 3u) { b[k] += k + i; }\n"
			"    b[v % 500u] += 1u;\n"
			"    for (var k = 0u; k < 500u; k++) { s = s * 3u + b[k]; } }\n"
			"  out[id.x] = s; }");
	/* In a branch, and in the continuing part, with a `continue` past the body. */
	check(HEAD "fn f(v: u32) -> u32 { var b: array<u32, 100>; b[v % 100u] += v;\n"
		   "  b[(v * 3u) % 100u] += 1u; return b[v % 50u] + b[7]; }\n" MAIN
		   "  var s = 0u; var i = 0u;\n"
		   "  loop { if ((v + i) % 3u == 0u) { s += 1u; continue; }\n"
		   "    if (v % 5u != i) { var b: array<u32, 64>; b[v % 64u] += 1u; "
		   "s += b[i] + b[v % 60u]; }\n"
		   "    continuing { s += f(v + i); i++; break if i >= 9u; } }\n"
		   "  out[id.x] = s; }");
}

/* What is filled in parts, not declared as zero: a result and a copy. */
static void large_values_that_are_copied(void **state)
{
	(void)state;
	check(HEAD "fn f(v: u32) -> array<u32, 300> { var b: array<u32, 300>; b[v % 300u] = v;\n"
		   "  if (v > 500u) { return b; } b[3] += 1u; return b; }\n" MAIN
		   "  var s = 0u; let c = f(v); let d = f(v + 1u);\n"
		   "  for (var k = 0u; k < 300u; k++) { s = s * 3u + c[k] + d[299u - k]; }\n"
		   "  out[id.x] = s; }");
}

static void work_group_memory(void **state)
{
	(void)state;
	check(HEAD
	      "struct S { n: u32, b: array<vec2<u32>, 700>, c: array<array<f32, 3>, 11> }\n"
	      "var<workgroup> t: S; var<workgroup> w: array<atomic<u32>, 33>;\n" MAIN
	      "  t.b[l].y = v; atomicAdd(&w[v % 33u], v); workgroupBarrier();\n"
	      "  var s = t.n; for (var k = l; k < 700u; k += 7u) { s += t.b[k].x + t.b[k].y; }\n"
	      "  s += u32(t.c[l % 11u][v % 3u]) + atomicLoad(&w[l]);\n"
	      "  out[id.x] = s; }");
}

/* Times infinity or NaN it is NaN, also where a compiler knows the integer. */
static void zeros_that_become_floats(void **state)
{
	(void)state;
	kernel_check(
	    &(struct kernel){
		.text = "@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
			"@group(0) @binding(1) var<storage, read_write> out: array<f32>;\n"
			"@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: "
			"vec3<u32>) {\n"
			"  var v: u32; var w: vec2i; var s = 0.0;\n"
			"  for (var k = 0u; k < 2u; k++) { let x = a[id.x + k];\n"
			"    out[2u * (id.x + 64u * k)] = bitcast<f32>(v) * x - 3.5;\n"
			"    let y = bitcast<vec2f>(w) * vec2f(x, -x);\n"
			"    out[2u * (id.x + 64u * k) + 1u] = y.x + y.y; } }",
		.invocations = { 64 },
		.sizes = { 260, 1024 },
		.seed = 11 },
	    &(struct native_options){ 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_of_thousands_of_words),
		cmocka_unit_test(arrays_of_all_kinds),
		cmocka_unit_test(each_pass_of_a_loop_starts_anew),
		cmocka_unit_test(large_values_that_are_copied),
		cmocka_unit_test(work_group_memory),
		cmocka_unit_test(zeros_that_become_floats),
	};

	kernel_always = true;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
