/* test_shapes.c - what SPIR-V's structure makes hard: exits, barriers with limits, layouts, sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../native/kernel.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "check.h"
#include "spirv/spirv.h"
#include "wgsl/wgsl.h"

#define HEAD                                                                                       \
	"@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"                                       \
	"@group(0) @binding(1) var<storage> a: array<u32>;\n"                                      \
	"@group(0) @binding(2) var<storage, read_write> o: array<u32>;\n"                          \
	"var<workgroup> w: array<u32, 64>;\n"
#define MAIN                                                                                       \
	"@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u,\n"         \
	"  @builtin(local_invocation_index) lane: u32) {\n let i = id.x;\n"

static const uint32_t uniform_words[4] = { 3, 5, 7, 11 };

static void same_for(const char *text, const uint32_t *invocations, uint64_t limit)
{
	kernel_always = true;
	kernel_check(
	    &(struct kernel){ .text = text,
			      .invocations = { invocations[0], invocations[1], invocations[2] },
			      .sizes = { 16, 256, 256 },
			      .words = { uniform_words },
			      .limit = limit,
			      .seed = 3,
			      .only_small = true },
	    &(struct native_options){ 0 });
}

static void same(const char *text, uint64_t limit)
{
	same_for(text, (const uint32_t[3]){ 48 }, limit);
}

static void exits_leave_loops_and_switches(void **state)
{
	(void)state;
	same(HEAD
	     "fn f(p: u32, q: u32) -> u32 {\n"
	     "  var s = 0u;\n"
	     "  for (var i = 0u; i < p; i++) {\n"
	     "    for (var j = i; j < q; j += 1u + (s & 1u)) {\n"
	     "      switch ((i * 3u + j + s) % 7u) {\n"
	     "        case 1, 4: { s += 5u; continue; }\n"
	     "        case 2: { if (s > 40u) { return s * 3u; } break; }\n"
	     "        case 3: { loop { s++; if ((s & 3u) == 0u) { break; }\n"
	     "          if (s > 90u) { return s; } } }\n"
	     "        default: { s += 2u; } }\n"
	     "      if (s % 31u == 30u) { break; }\n"
	     "    }\n"
	     "    if (s > 70u) { return s + i; }\n"
	     "  }\n"
	     "  return s; }\n" MAIN "  var t = 0u;\n"
	     "  for (var k = 0u; k < u.x && f(k, a[i] & 7u) < 60u; k += f(k, 2u) % 3u + 1u) {\n"
	     "    if ((f(a[i] & 15u, k) & 3u) == 1u) { continue; }\n"
	     "    t += f(a[i] & 7u, a[i + 1u] & 15u);\n"
	     "  }\n"
	     "  loop { t += f(t & 7u, 9u) + 1u; if (t % 5u == 0u) { continue; }\n"
	     "    if (t % 11u == 0u) { t += 100u; }\n"
	     "    continuing { t += 1u; break if t > 400u || f(t & 3u, 5u) > 20u; } }\n"
	     "  o[i] = t; }",
	     0);
}

/* Loops of different lengths, then barriers: whoever has no iterations left is waited for. */
static const char uneven[] =
    HEAD MAIN "  var s = 0u; w[lane] = a[i];\n"
	      "  workgroupBarrier();\n"
	      "  for (var r = 0u; r < u.x; r++) {\n"
	      "    var n = w[(lane + r) & 15u] & 63u;\n"
	      "    while (n > 0u) { n--; for (var k = 0u; k < (a[n] & 3u); k++) { s += k ^ n; } }\n"
	      "    workgroupBarrier();\n"
	      "    w[lane] = s;\n"
	      "    workgroupBarrier();\n"
	      "    if (u.y + r == 7u) { break; }\n"
	      "  }\n"
	      "  if (lane > 11u) { o[i] = s; return; }\n"
	      "  for (var k = 0u; k < (w[lane + 4u] & 31u); k++) { s += k; }\n"
	      "  o[i] = s; }";

static void limits_and_barriers(void **state)
{
	static const uint64_t limits[] = { 0, 1, 3, 20, 60, 100, 140, 200, 280 };

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(limits); n++)
		same(uneven, limits[n]);
}

static void limits_of_equal_loops_and_barriers(void **state)
{
	static const uint64_t limits[] = { 0, 2, 3, 9 };

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(limits); n++)
		same(HEAD MAIN "  var s = 0u;\n"
			       "  for (var r = 0u; r < u.x; r++) {\n"
			       "    w[lane] = a[i + r];\n"
			       "    workgroupBarrier();\n"
			       "    for (var k = 0u; k < r; k++) { s += w[(lane + k) & 15u]; }\n"
			       "    workgroupBarrier();\n"
			       "  }\n"
			       "  o[i] = s; }",
		     limits[n]);
}

/*
 * Some leave a function, a case or a loop that holds a barrier and wait behind it for others, who
 * use up their iterations meanwhile, there or further in.
 */
static const char *const parted[] = {
	"fn f(l: u32, v: u32) -> u32 { w[l] = v; workgroupBarrier(); let x = w[15u - l];\n"
	"  if ((v & 3u) == 1u) { return x; }\n"
	"  return x + collatz(v & 63u); }\n",

	"fn f(l: u32, v: u32) -> u32 { var r = collatz(v & 7u);\n"
	"  switch (u.x) { case 3u: { w[l] = v; workgroupBarrier(); r += w[15u - l];\n"
	"    r += collatz(r & 15u); workgroupBarrier(); w[l] = r; workgroupBarrier();\n"
	"    if ((r & 1u) == 1u) { break; }\n"
	"    loop { r += collatz(r & 31u); if ((r & 3u) == 0u || r > 999u) { break; } r++; } }\n"
	"    default: { r = 0u; } }\n"
	"  return r + w[l]; }\n",

	"fn f(l: u32, v: u32) -> u32 { var r = v;\n"
	"  loop { r += collatz(r & 31u); w[l] = r; workgroupBarrier(); r ^= w[l / 2u];\n"
	"    if ((r & 1u) == 0u) { r += 11u; break; }\n"
	"    r += collatz(w[15u - l] & 63u); break; }\n"
	"  return r; }\n",

	"fn g(l: u32, v: u32) -> u32 { w[l] = v; workgroupBarrier();\n"
	"  if (v % 5u == 1u) { return 7u; }\n"
	"  if ((v & 1u) == 1u) { return collatz(v & 15u); }\n"
	"  return w[15u - l]; }\n"
	"fn f(l: u32, v: u32) -> u32 { let r = g(l, v); workgroupBarrier();\n"
	"  if (u.y == 5u) { let s = g(l, r + v); if (s % 7u == 2u) { return s; }\n"
	"    for (var k = 0u; k < (s & 31u); k++) { if (k + s == 37u) { return collatz(k); }\n"
	"      if (((k * s) & 15u) == 9u) { break; } }\n"
	"    return s + collatz(s & 7u); }\n"
	"  return r; }\n",
};

static void limits_behind_exits_of_some_and_barriers(void **state)
{
	static const uint64_t limits[] = { 0, 1, 17, 111, 190, 330 };
	char text[4096];

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(parted); k++) {
		(void)snprintf(
		    text, sizeof(text),
		    HEAD
		    "fn collatz(v: u32) -> u32 { var n = v + 1u; var k = 0u;\n"
		    "  while (n != 1u) { n = select(n / 2u, 3u * n + 1u, (n & 1u) == 1u); k++; }\n"
		    "  return k; }\n"
		    "%s" MAIN "  var s = 0u;\n"
		    "  for (var r = 0u; r < u.x; r++) { s += f(lane, a[i] + r); "
		    "workgroupBarrier();\n"
		    "    w[lane] = s; workgroupBarrier(); s ^= w[(lane + r) & 15u]; "
		    "workgroupBarrier(); }\n"
		    "  o[i] = s; }",
		    parted[k]);
		for (size_t n = 0; n < ARRAY_LEN(limits); n++)
			same(text, limits[n]);
	}
}

static void storage_barriers(void **state)
{
	(void)state;
	same(HEAD MAIN "  o[i] = a[i];\n"
		       "  storageBarrier();\n"
		       "  let v = o[i ^ 5u];\n"
		       "  storageBarrier();\n"
		       "  o[i] += v * 3u; w[lane] = v;\n"
		       "  workgroupBarrier(); storageBarrier();\n"
		       "  let x = o[i ^ 1u] + w[lane ^ 2u] + w[lane + 32u];\n"
		       "  storageBarrier();\n"
		       "  o[i] = x; }",
	     0);
}

/* lavapipe computes them with the others, and they load zeros (compile.c). */
static void neighbours_that_a_work_group_does_not_have_prolong_no_loop(void **state)
{
	static const uint32_t sizes[][3] = {
		{ 31, 1, 1 }, { 24, 1, 1 }, { 16, 1, 1 }, { 12, 2, 1 }, { 11, 1, 2 }, { 3, 5, 1 },
		{ 1, 1, 1 },  { 1, 11, 1 }, { 1, 1, 3 },  { 1, 3, 2 },  { 1, 8, 1 },
	};

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
		const uint32_t *z = sizes[n], all[3] = { 2 * z[0], z[1], z[2] };
		AUTO(buf_done) struct buf start = { .max = 4096 }, text = { .max = 4096 };

		buf_note(&start,
			 HEAD "@compute @workgroup_size(%u, %u, %u) fn main(\n"
			      "  @builtin(global_invocation_id) id: vec3u,\n"
			      "  @builtin(local_invocation_id) l: vec3u,\n"
			      "  @builtin(local_invocation_index) lane: u32,\n"
			      "  @builtin(workgroup_id) g: vec3u) {\n"
			      "  let i = id.x + (id.y + id.z * %uu) * %uu;\n"
			      "  var s = lane + 64u * l.x + 512u * l.y + 4096u * l.z;\n",
			 z[0], z[1], z[2], all[1], all[0]);
		/* One barrier more would lose what is stored behind it. */
		buf_note(&text,
			 "%s for (var k = 0u; k < g.x + u.x; k++) {\n"
			 "  workgroupBarrier(); if (a[k] > 0u) { break; } }\n"
			 " o[i] = s; }",
			 buf_str(&start));
		same_for(buf_str(&text), all, 0);
		/* The first loop would use up all passes that the driver gives. */
		buf_reset(&text);
		buf_note(&text,
			 "%s loop { if (a[s %% 64u] %% 5u > 0u) { break; } s++; }\n"
			 " for (var k = 0u; k < u.z; k++) { s = s * 3u + a[k]; }\n"
			 " o[i] = s; }",
			 buf_str(&start));
		same_for(buf_str(&text), all, 0);
	}
}

static void work_group_memory_of_any_type(void **state)
{
	(void)state;
	kernel_always = true;
	kernel_check(
	    &(struct kernel){
		.text =
		    "struct P { f: bool, v: vec3<f32>, m: mat3x2<f32>, c: atomic<u32> }\n"
		    "struct S { p: array<P, 3>, q: array<array<vec2<i32>, 5>, 7>, n: u32 }\n"
		    "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
		    "var<workgroup> s: S; var<workgroup> t: array<S, 2>; var<workgroup> b: bool;\n"
		    "@compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: "
		    "vec3u, @builtin(local_invocation_index) l: u32) {\n"
		    "  var z = select(0u, 1u, b) + s.n + t[1].n;\n"
		    "  for (var k = 0u; k < 3u; k++) { z += select(0u, 1u, s.p[k].f || "
		    "t[k & 1u].p[2].f);\n"
		    "    z += u32(s.p[k].v.y != 0.0) + u32(t[1].p[k].m[2].y != 0.0) + "
		    "atomicLoad(&t[0].p[k].c); }\n"
		    "  for (var k = 0u; k < 35u; k++) { z += u32(any(s.q[k / 5u][k % 5u] != "
		    "t[1].q[k % 7u][k / 7u])); }\n"
		    "  workgroupBarrier();\n"
		    "  if (l == 3u) { b = true; s.p[1].f = true; s.p[2].m[1] = vec2f(3.0, 4.0); "
		    "s.p[0].v[2] = 5.0; t[1].q[6][4] = vec2i(-1, 7); s.n = 9u; }\n"
		    "  atomicAdd(&t[l & 1u].p[2].c, l);\n"
		    "  workgroupBarrier();\n"
		    "  o[id.x + id.y * 8u] = z * 1000u + select(0u, 100u, b && s.p[1].f) + s.n + "
		    "u32(s.p[2].m[1].y + s.p[0].v.z) + u32(t[1].q[6][l & 7u].y) + "
		    "atomicLoad(&t[1].p[2].c); }",
		.invocations = { 8, 4 },
		.sizes = { 128 },
		.seed = 9 },
	    &(struct native_options){ 0 });
}

/* Mesa's software driver computes x + 0, 0 - x and x * 0 wrongly where it knows the zero. */
static void zeros_that_variables_begin_with_are_zeros_like_others(void **state)
{
	static const char text[] =
	    "enable kwarp_f64, kwarp_i64;\n"
	    "struct P { n: u32, f: f32, v: vec3<f32>, m: mat2x3<f32>, d: array<vec2<f64>, 2> }\n"
	    "@group(0) @binding(0) var<storage> a: array<f32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n"
	    "var<private> p: P; var<private> q: array<P, 9>; var<private> z: f32;\n"
	    "var<private> minus: f32 = -0.0; var<private> one: vec2<f32> = vec2(-1.0, 0.0);\n"
	    "var<private> i0: i32; var<private> w0: u64; var<private> b0: bool; var<private> h: "
	    "u32;\n"
	    "fn put(x: f32) { h = h * 31u + bitcast<u32>(x); }\n"
	    "fn all_of(x: f32, y: f32) { put(x + y); put(y - x); put(x * y); put(x - y); }\n"
	    "fn wide(x: f64, y: f64) { put(f32(x + y)); put(f32(y - x)); put(f32(x * y)); }\n"
	    "@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
	    "  let x = a[id.x];\n"
	    "  all_of(x, p.f); all_of(x, p.v.y); all_of(x, p.m[1].z); all_of(x, q[8].v.x);\n"
	    "  all_of(x, q[3].m[id.x & 1u].x); all_of(x, z); all_of(x, minus); all_of(x, one.x);\n"
	    "  all_of(x, one.y); wide(f64(x), p.d[1].y); wide(f64(x), q[7].d[0].x);\n"
	    "  all_of(x, f32(i0)); all_of(x, f32(w0)); all_of(x, f32(b0)); wide(f64(x), f64(i0));\n"
	    "  for (var k = 0u; k < 3u; k++) { var s: array<f32, 4>; var t: P; all_of(x, f32(k));\n"
	    "    all_of(x, s[k]); all_of(x, t.v[k]); s[k] = x; t.v[k] = x; all_of(x, s[3u - k]); "
	    "}\n"
	    "  o[id.x] = h; }\n";
	static const uint32_t words[16] = { 0,          0x80000000, 0x3f800000, 0xbf800000,
					    0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb,
					    0xc0490fdb, 0x00800000, 0x7f7fffff, 0xff7fffff };

	(void)state;
	kernel_always = true;
	kernel_check(&(struct kernel){ .text = text,
				       .invocations = { 16 },
				       .sizes = { 64, 64 },
				       .words = { words },
				       .seed = 1 },
		     &(struct native_options){ 0 });
}

static void uniform_layouts(void **state)
{
	static const uint32_t words[80] = { 0x3f800000, 0x40000000, 0x40400000, 0x40800000,
					    0x40a00000, 7,          8,          9,
					    0x41000000, 0x41100000, 0x41200000, 0x41300000,
					    1,          2,          3,          4 };

	(void)state;
	kernel_always = true;
	kernel_check(
	    &(struct kernel){
		.text = "struct I { @size(16) x: u32, y: vec3<f32>, z: f32 }\n"
			"struct U { m: mat2x2<f32>, v: vec3<u32>, k: u32, i: I, l: "
			"array<vec4<u32>, 3>, e: mat4x3<f32> }\n"
			"@group(0) @binding(0) var<uniform> u: U;\n"
			"@group(2) @binding(7) var<uniform> p: I;\n"
			"@group(3) @binding(0) var<storage, read_write> o: array<u32>;\n"
			"@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) "
			"id: vec3u) {\n"
			"  let i = id.x; let c = u.m[i & 1u] + vec2f(p.z);\n"
			"  o[i] = u32(c.x * 100.0 + c.y) + u.v[i] * 3u + u.k + u.i.x + "
			"u32(u.i.y[i]) + u.l[i].z + u32(u.e[i][i]) + p.x + u32(p.y.z); }",
		.invocations = { 8 },
		.sizes = { 192, 32, 32 },
		.words = { words, words + 8 },
		.seed = 1 },
	    &(struct native_options){ 0 });
}

/* Denser than Vulkan's uniform buffers allow: uniform_buffer_standard_layout. */
static void dense_uniform_layouts(void **state)
{
	static const uint32_t words[42] = {
		1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
		22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42
	};

	(void)state;
	kernel_always = true;
	kernel_check(
	    &(struct kernel){
		.text =
		    "struct I { x: u32, y: array<vec2u, 3> }\n"
		    "struct U { a: u32, i: I, b: array<u32, 5>, c: I, d: u32, e: array<I, 2> }\n"
		    "@group(0) @binding(0) var<uniform> u: U;\n"
		    "@group(2) @binding(7) var<uniform> p: array<u32, 6>;\n"
		    "@group(3) @binding(0) var<storage, read_write> o: array<u32>;\n"
		    "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) "
		    "id: vec3u) {\n"
		    "  let i = id.x; let c = u.c;\n"
		    "  o[i] = u.a + u.i.y[i].x * 3u + u.b[i] * 5u + c.y[i & 1u].y * 7u + u.d * 11u "
		    "+ "
		    "u.e[i & 1u].x * 13u + u.e[1].y[i].y * 17u + p[i] * 19u; }",
		.invocations = { 8 },
		.sizes = { 168, 24, 32 },
		.words = { words, words + 3 },
		.seed = 1 },
	    &(struct native_options){ 0 });
}

/* ---- what is refused ------------------------------------------------------------------------ */

static int compile_as(const char *text, bool strict, size_t max, struct spirv_layout *layout,
		      struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf words = { .max = max };
	struct wgsl_source src = { .text = text, .len = strlen(text), .strict = strict };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	int rc;

	if (wgsl_compile(&src, &arena, &m, &diags, err) < 0)
		fail_msg("%s", err->text);
	rc = spirv_compile(m, &(struct spirv_options){ 0 }, &words, layout, err);
	if (rc == 0)
		check_valid(words.data, words.len, text);
	else
		assert_int_equal(words.len, 0);
	return rc;
}

static int compile(const char *text, size_t max, struct spirv_layout *layout, struct err *err)
{
	return compile_as(text, false, max, layout, err);
}

/* Whoever compiles for Vulkan asks the front end for strict_division. */
static void strict_division_is_not_left_to_the_driver(void **state)
{
	static const char *const calls[] = { "a / 3.0", "sqrt(a)" };

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(calls); n++) {
		char text[256];
		struct spirv_layout l;
		struct err err = { 0 };

		snprintf(text, sizeof(text),
			 "@group(0) @binding(0) var<storage, read_write> a: f32;\n"
			 "@compute @workgroup_size(1) fn main() { a = %s; }\n",
			 calls[n]);
		assert_int_equal(compile_as(text, true, SPIRV_MAX_BYTES, &l, &err), ERR_INVALID);
		assert_non_null(strstr(err.text, "must be correctly rounded"));
	}
}

static void types_that_the_device_lacks_are_refused(void **state)
{
	static const char *const names[] = { "i64", "f64", "f64", "i64" };
	static const char *const texts[] = {
		"enable kwarp_i64;\n@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
		"@compute @workgroup_size(1) fn main() { a[0] = u32((u64(a[1]) * 5lu) >> 7u); }\n",
		"enable kwarp_f64;\n@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
		"@compute @workgroup_size(1) fn main() { a[0] = u32(f64(a[1]) * 5lf); }\n",
		/* Types of parts that are never touched. */
		"enable kwarp_f64; struct P { n: u32, m: array<mat2x2<f64>, 2> }\n"
		"@group(0) @binding(0) var<storage, read_write> a: array<P>;\n"
		"@compute @workgroup_size(1) fn main() { a[0].n = a[1].n; }\n",
		"enable kwarp_i64; struct P { n: u32, m: vec2<i64> }\n"
		"@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
		"var<workgroup> w: P;\n"
		"@compute @workgroup_size(1) fn main() { a[0] = w.n; }\n",
	};

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(texts); n++) {
		struct spirv_layout l;
		struct err err = { 0 };

		assert_int_equal(compile(texts[n], SPIRV_MAX_BYTES, &l, &err), ERR_INVALID);
		assert_string_equal(strrchr(err.text, ' ') + 1, names[n]);
	}
}

static void code_beyond_the_callers_limit_is_refused(void **state)
{
	struct spirv_layout l;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(compile(uneven, 512, &l, &err), ERR_TOO_BIG);
}

static void subgroups_are_refused_by_name(void **state)
{
	static const char text[] =
	    "enable subgroups;\n"
	    "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
	    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
	    "  o[id.x] = subgroupAdd(id.x);\n"
	    "}\n";
	struct spirv_layout l;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(compile(text, SPIRV_MAX_BYTES, &l, &err), ERR_INVALID);
	assert_string_equal(err.text, "spirv: subgroups, which the device does not have");
}

static void sizes_of_subgroups_are_refused_by_name(void **state)
{
	static const char text[] =
	    "enable subgroups, subgroup_size_control;\n"
	    "@compute @workgroup_size(64) @subgroup_size(16) fn main() { }\n";
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	const struct wgsl_source source = { .text = text, .len = sizeof(text) - 1 };
	struct spirv_options o = { .subgroups = true, .subgroup_sizes = 4 | 8 | 32 };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m;
	struct spirv_layout l;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(wgsl_compile(&source, &arena, &m, &diags, &err), 0);
	assert_int_equal(spirv_compile(m, &o, &words, &l, &err), ERR_INVALID);
	assert_string_equal(err.text,
			    "spirv: subgroups of a size that the device cannot be asked for");
	err_clear(&err);
	o.subgroup_sizes |= 16;
	assert_int_equal(spirv_compile(m, &o, &words, &l, &err), 0);
	assert_int_equal(l.subgroup_size, 16);
}

static void layouts_say_what_to_bind(void **state)
{
	struct spirv_push push = { 0 };
	struct spirv_layout l;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(compile(uneven, SPIRV_MAX_BYTES, &l, &err), 0);
	assert_int_equal(l.n_bindings, 3);
	assert_true(l.has_control && l.whole_groups);
	assert_int_equal(l.control_binding, 3);
	assert_true(l.bindings[0].is_uniform_buffer && l.bindings[1].is_read_only);
	assert_false(l.bindings[2].is_read_only);
	assert_int_equal(l.n_lengths, 2);
	assert_int_equal(l.push_bytes, 44 + 8);
	assert_int_equal(l.workgroup_bytes, 256 + 8);
	spirv_set_length(&l, 0, 16, &push, NULL);
	spirv_set_length(&l, 2, 403, &push, NULL);
	assert_int_equal(push.lengths[0], 0);
	assert_int_equal(push.lengths[1], 100);
}

static void many_runtime_sized_arrays(void **state)
{
	AUTO(buf_done) struct buf text = { .max = 16384 };
	uint32_t control[8] = { 0 };
	struct spirv_push push = { 0 };
	struct spirv_layout l;
	struct err err = { 0 };

	(void)state;
	for (int n = 0; n < 24; n++)
		buf_note(&text,
			 "@group(0) @binding(%d) var<storage, read_write> b%d: array<u32>;\n", n,
			 n);
	buf_note(&text, "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: "
			"vec3u) {\n");
	for (int n = 0; n < 24; n++)
		buf_note(&text, "b%d[id.x + %du] += arrayLength(&b%d);\n", n, n, (n + 1) % 24);
	buf_note(&text, "}\n");
	assert_int_equal(compile(buf_str(&text), SPIRV_MAX_BYTES, &l, &err), 0);
	assert_true(l.has_control);
	assert_int_equal(l.control_bytes, 32);
	assert_int_equal(l.push_bytes, 124);
	spirv_set_length(&l, 23, 40, &push, control);
	assert_int_equal(control[7], 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_leave_loops_and_switches),
		cmocka_unit_test(limits_and_barriers),
		cmocka_unit_test(limits_of_equal_loops_and_barriers),
		cmocka_unit_test(limits_behind_exits_of_some_and_barriers),
		cmocka_unit_test(storage_barriers),
		cmocka_unit_test(neighbours_that_a_work_group_does_not_have_prolong_no_loop),
		cmocka_unit_test(work_group_memory_of_any_type),
		cmocka_unit_test(zeros_that_variables_begin_with_are_zeros_like_others),
		cmocka_unit_test(uniform_layouts),
		cmocka_unit_test(dense_uniform_layouts),
		cmocka_unit_test(types_that_the_device_lacks_are_refused),
		cmocka_unit_test(code_beyond_the_callers_limit_is_refused),
		cmocka_unit_test(subgroups_are_refused_by_name),
		cmocka_unit_test(sizes_of_subgroups_are_refused_by_name),
		cmocka_unit_test(strict_division_is_not_left_to_the_driver),
		cmocka_unit_test(layouts_say_what_to_bind),
		cmocka_unit_test(many_runtime_sized_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
