/* Buffers, work-group memory, barriers, atomics, limits, grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel.h"

static void indices_clamp_to_the_last_element(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
		    "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: "
		    "vec3<u32>) {\n"
		    "  let i = id.x; let far = a[i + 90u]; let wild = a[a[i] * 4u]; let back = a[i "
		    "- 3u];\n"
		    "  let rev = a[99u - i]; let two = a[i * 2u]; out[i] = far ^ wild ^ back ^ rev "
		    "^ two;\n"
		    "  if (i == 172u) { out[i + 4000000000u] = far; } }",
	    .invocations = { 173 },
	    .sizes = { 100 * 4, 160 * 4 },
	    .seed = 5 });
}

static void negative_indices_are_huge(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "@group(0) @binding(0) var<storage, read> a: array<i32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<i32>;\n"
		    "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: "
		    "vec3<u32>) {\n"
		    "  let i = i32(id.x); var t = array<i32, 5>(1, 2, 3, 4, 5); t[a[i]] = 9;\n"
		    "  out[i] = a[i - 20] + t[a[i] - 1] + t[4] + i32(arrayLength(&a)); }",
	    .invocations = { 77 },
	    .sizes = { 77 * 4, 77 * 4 },
	    .seed = 6 });
}

static void vectors_and_structs_in_buffers(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "struct S { p: vec3<f32>, w: f32, n: vec2<u32>, q: vec2<u32> }\n"
		    "@group(0) @binding(0) var<storage, read> a: array<S>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;\n"
		    "@group(0) @binding(2) var<storage, read_write> other: array<S>;\n"
		    "@group(0) @binding(3) var<storage, read_write> pair: array<vec2<u32>>;\n"
		    "@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: "
		    "vec3<u32>) {\n"
		    "  let i = id.x; out[i] = vec4<f32>(a[i].p, a[i].w) + vec4<f32>(a[i + "
		    "1u].p.zyx, 1.0);\n"
		    "  other[i] = a[i]; other[i].n.y = 5u; other[i].q = a[i].n + a[0].q; pair[i] = "
		    "a[i].n.yx;\n"
		    "  if (i % 3u == 0u) { pair[i] = vec2<u32>(i, 7u); out[i].y = 2.5; other[i].p "
		    "= vec3<f32>(1.0, 2.0, 3.0); } }",
	    .invocations = { 77 },
	    .sizes = { 77 * 32, 77 * 16, 77 * 32, 77 * 8 },
	    .seed = 9 });
}

static void grids_of_three_dimensions(void **state)
{
	(void)state;
	static const char text[] =
	    "struct P { w: u32, h: u32, d: u32, x: u32 }\n"
	    "@group(0) @binding(0) var<uniform> p: P;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;\n"
	    "@compute @workgroup_size(%s)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) "
	    "l: vec3<u32>,\n"
	    "  @builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) k: u32 %s) "
	    "{\n"
	    "  let at = (id.z * p.h + id.y) * p.w + id.x;\n"
	    "  out[at] = vec4<u32>(id.x + 1000u * id.y, l.x + 16u * l.y + 256u * l.z, n.x + 10u * "
	    "n.y + 100u * n.z, k%s); }";
	static const uint32_t params[] = { 13, 5, 3, 0 };
	static const char *const sizes[] = { "4, 2, 1", "8, 4, 2", "5, 3", "16, 16", "1" };
	char full[2048];

	for (size_t n = 0; n < ARRAY_LEN(sizes) * 2; n++) {
		(void)snprintf(full, sizeof(full), text, sizes[n / 2],
			       n % 2 ? ", @builtin(workgroup_id) g: vec3<u32>" : "",
			       n % 2 ? " + g.x * 4096u + g.y * 65536u + g.z" : "");
		kernel_check_all(&(struct kernel){ .text = full,
						   .invocations = { 13, 5, 3 },
						   .sizes = { 16, 13 * 5 * 3 * 16 },
						   .words = { params },
						   .seed = 1 });
	}
}

static void atomics_without_results(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text =
		"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		"struct T { add: atomic<u32>, sub: atomic<u32>, lo: atomic<u32>, hi: atomic<u32>,\n"
		" all: atomic<u32>, some: atomic<u32>, odd: atomic<u32>, slo: atomic<i32>, shi: "
		"atomic<i32> }\n"
		"@group(0) @binding(1) var<storage, read_write> t: T;\n"
		"@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>, 10>;\n"
		"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: "
		"vec3<u32>) {\n"
		"  let v = a[id.x]; atomicAdd(&t.add, v); atomicSub(&t.sub, 3u); atomicMin(&t.lo, "
		"v);\n"
		"  atomicMax(&t.hi, v); atomicMin(&t.slo, i32(v)); atomicMax(&t.shi, i32(v)); "
		"atomicXor(&t.odd, 5u);\n"
		"  if (v > 100u) { atomicAnd(&t.all, v | 0xf0u); atomicOr(&t.some, v); "
		"atomicXor(&t.odd, v); atomicAdd(&t.add, 2u); }\n"
		"  atomicAdd(&bins[v % 10u], 1u); atomicMax(&bins[id.x % 3u], v & 15u); }",
	    .invocations = { 333 },
	    .sizes = { 333 * 4, 36, 40 },
	    .seed = 11 });
}

/* One work-group after the other, whole blocks of lanes and parts of them. */
static void sums_in_work_group_memory(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
		    "var<workgroup> bins: array<atomic<u32>, 16>; var<workgroup> top: "
		    "array<atomic<i32>, 3>;\n"
		    "@compute @workgroup_size(256) fn main(@builtin(workgroup_id) g: vec3u, "
		    "@builtin(local_invocation_index) l: u32) {\n"
		    "  for (var i = 0u; i < 4u; i++) { let v = a[g.x * 1024u + i * 256u + l];\n"
		    "    atomicAdd(&bins[v & 15u], v); if (v % 5u == i) { atomicSub(&bins[v & 7u], "
		    "1u); "
		    "}\n"
		    "    if (l < 200u) { atomicMax(&top[v % 3u], i32(v << 20u)); } }\n"
		    "  workgroupBarrier();\n"
		    "  out[g.x * 256u + l] = atomicLoad(&bins[l & 15u]) ^ u32(atomicLoad(&top[l % "
		    "3u])); "
		    "}",
	    .invocations = { 768 },
	    .sizes = { 768 * 16, 768 * 4 },
	    .seed = 12 });
}

static void results_in_work_group_memory_go_lane_by_lane(void **state)
{
	static const struct native_options o[] = { { .lanes = 16 },
						   { .lanes = 64 },
						   { .lanes = 128 } };
	const struct kernel k = {
		.text =
		    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
		    "var<workgroup> t: array<atomic<u32>, 8>;\n"
		    "@compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: "
		    "vec3u) {\n"
		    "  let v = a[id.x]; out[id.x * 2u] = atomicAdd(&t[v & 7u], v);\n"
		    "  workgroupBarrier();\n"
		    "  if (v % 3u > 0u) { out[id.x * 2u + 1u] = atomicExchange(&t[v & 3u], v); } }",
		.invocations = { 256 },
		.sizes = { 1024, 2048 },
		.seed = 4
	};

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(o); n++)
		kernel_check(&k, &o[n]);
}

static void atomics_with_results_go_lane_by_lane(void **state)
{
	static const struct native_options o[] = { { .lanes = 16 },
						   { .lanes = 64 },
						   { .lanes = 128 } };
	const struct kernel k = {
		.text = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
			"@group(0) @binding(1) var<storage, read_write> n: atomic<u32>;\n"
			"@group(0) @binding(2) var<storage, read_write> out: array<u32>;\n"
			"@group(0) @binding(3) var<storage, read_write> t: array<atomic<u32>, 8>;\n"
			"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: "
			"vec3<u32>) {\n"
			"  let v = a[id.x]; out[id.x * 4u] = atomicAdd(&n, v); out[id.x * 4u + 1u] "
			"= atomicExchange(&t[v & 1u], v);\n"
			"  let r = atomicCompareExchangeWeak(&t[2u + (v & 1u)], id.x & 3u, v & "
			"3u); out[id.x * 4u + 2u] = r.old_value + u32(r.exchanged) * 8u;\n"
			"  if (v > 300u) { atomicStore(&t[7], v); } out[id.x * 4u + 3u] = "
			"atomicLoad(&t[6]) + atomicMax(&t[5], v & 255u); }",
		.invocations = { 200 },
		.sizes = { 800, 4, 3200, 32 },
		.only_small = true,
		.seed = 2
	};

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(o); n++)
		kernel_check(&k, &o[n]);
}

static const char reduce[] =
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
    "var<workgroup> part: array<u32, %u>;\n"
    "@compute @workgroup_size(%u)\n"
    "fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3<u32>, "
    "@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  part[l] = a[id.x] * 3u; var mine = l; workgroupBarrier();\n"
    "  for (var s = %uu; s > 0u; s >>= 1u) { if (l < s) { part[l] += part[l + s]; mine += part[l]; "
    "} workgroupBarrier(); }\n"
    "  out[id.x] = part[0] + mine; if (l == 0u) { out[id.x] = part[0]; } }";

static void barriers_in_loops(void **state)
{
	static const uint32_t sizes[] = { 4, 32, 64, 256, 1024 };
	char text[2048];

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
		(void)snprintf(text, sizeof(text), reduce, sizes[n], sizes[n], sizes[n] / 2);
		kernel_check_all(&(struct kernel){ .text = text,
						   .invocations = { sizes[n] * 3 },
						   .sizes = { sizes[n] * 12, sizes[n] * 12 },
						   .seed = 4 });
	}
}

/* Not variables: they are kept as words too. */
static void truth_values_are_kept_over_barriers(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
		    "@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: "
		    "vec3<u32>) {\n"
		    "  let p = a[id.x] > 100u; let q = vec2(a[id.x], id.x) > vec2(2u, 40u);\n"
		    "  workgroupBarrier(); out[id.x] = u32(p) + u32(q.x) * 2u + u32(q.y) * 4u; "
		    "}",
	    .invocations = { 64 },
	    .sizes = { 64 * 4, 64 * 4 },
	    .seed = 9 });
}

static void returned_invocations_do_nothing_more(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
		    "@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: "
		    "vec3<u32>, @builtin(local_invocation_index) l: u32) {\n"
		    "  if (u.x == 3u) { workgroupBarrier(); if (l > 2u) { return; } out[id.x] = "
		    "1u; }\n"
		    "  if (u.x == 4u) { return; } out[id.x] += 5u; }",
	    .invocations = { 64 },
	    .sizes = { 16, 64 * 4 },
	    .words = { (const uint32_t[]){ 3, 0, 0, 0 } },
	    .seed = 9 });
}

/* Functions, cases and loops that hold barriers and are left early by some invocations: those wait
 * behind them, for barriers too. */
static void some_leave_what_holds_barriers(void **state)
{
	static const char text[] =
	    "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
	    "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<u32>;\n"
	    "const n = %uu; var<workgroup> t: array<u32, n>; var<private> steps: u32;\n"
	    "fn shift(l: u32, v: u32, by: u32) -> u32 {\n"
	    "  t[l] = v; workgroupBarrier(); let r = t[(l + by) %% n]; workgroupBarrier(); return "
	    "r; "
	    "}\n"
	    "fn twice(l: u32, v: u32) -> u32 {\n"
	    "  let odd = (v & 1u) == 1u; let x = shift(l, v, 1u);\n"
	    "  if (odd) { steps += 1u; return x; }\n"
	    "  for (var k = 0u; k < (v & 7u); k++) { steps += k; if (k == 5u) { return k; } }\n"
	    "  return x + 100u; }\n"
	    "fn early(l: u32, v: u32) -> u32 {\n"
	    "  if (u.x == 3u) { t[l] = v; workgroupBarrier(); if (v < 300u) { return t[0]; } steps "
	    "+= "
	    "7u; }\n"
	    "  if ((v & 3u) == 2u) { return 5u; }\n"
	    "  return t[l] ^ 1u; }\n"
	    "@compute @workgroup_size(%u) fn main(@builtin(global_invocation_id) id: vec3<u32>, "
	    "@builtin(local_invocation_index) l: u32) {\n"
	    "  let v = a[id.x]; var r = twice(l, v) + shift(l, twice(l, v >> 3u), 7u) * 1000u;\n"
	    "  for (var k = 0u; k < u.y; k++) { let e = early(l, v + k); workgroupBarrier();\n"
	    "    r ^= e + twice(l, r); }\n"
	    "  switch (u.z) {\n"
	    "    case 1u: { t[l] = r; workgroupBarrier(); if (t[n - 1u - l] > v) { break; } r += "
	    "3u; "
	    "}\n"
	    "    default: { r = 0u; } }\n"
	    "  workgroupBarrier();\n"
	    "  loop { t[l] = r; workgroupBarrier(); if ((t[l] & 1u) == 0u) { r += 11u; break; }\n"
	    "    r += t[(l + 1u) %% n]; break; }\n"
	    "  workgroupBarrier();\n"
	    "  out[id.x] = r + shift(l, r, 3u) + steps * 65536u; }";
	static const uint32_t sizes[] = { 8, 48, 64, 256 };
	char full[4096];

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		(void)snprintf(full, sizeof(full), text, sizes[k], sizes[k]);
		kernel_check_all(&(struct kernel){ .text = full,
						   .invocations = { 2 * sizes[k] },
						   .sizes = { 16, 2048, sizes[k] * 8 },
						   .words = { (const uint32_t[]){ 3, 4, 1, 0 } },
						   .only_small = true,
						   .seed = 21 });
	}
}

/* Private variables and those of each function may take 8 KiB at least. */
static void variables_as_large_as_allowed(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text =
		"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
		"@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
		"var<private> p: array<u32, 2048>; var<workgroup> t: array<u32, 64>;\n"
		"fn g(v: u32) -> u32 { var b: array<u32, 2048>; for (var k = 0u; k < 30u; k++) { "
		"b[(v * k) & 2047u] += k; }\n"
		"  t[v & 63u] = 1u; workgroupBarrier(); return b[(v * 3u) & 2047u] + p[v & "
		"2047u]; }\n"
		"fn f(v: u32) -> u32 { var b: array<u32, 2048>; b[v & 2047u] = 5u; b[7] += 1u;\n"
		"  let r = g(v) + g(v + 1u); return b[7] * 1000u + b[v & 2047u] + r; }\n"
		"@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: "
		"vec3<u32>) {\n"
		"  p[a[id.x] & 2047u] = id.x; out[id.x] = f(a[id.x]); }",
	    .invocations = { 128 },
	    .sizes = { 512, 512 },
	    .only_small = true,
	    .seed = 5 });
}

/* A variable that differed between invocations, and no longer does, decides. */
static void branches_on_variables_that_agree_again(void **state)
{
	static const char text[] =
	    "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
	    "var<workgroup> t: array<u32, %u>;\n"
	    "@compute @workgroup_size(%u) fn main(@builtin(global_invocation_id) id: vec3<u32>, "
	    "@builtin(local_invocation_index) l: u32) {\n"
	    "  var v = l; var r = 0u; var m = array(l, l);\n"
	    "  if (v > 5u) { r = 1u; }\n"
	    "  v = u.x; m = array(u.y, u.x);\n"
	    "  loop { t[l] = r + l; workgroupBarrier(); r += t[l / 2u] + m[0]; "
	    "workgroupBarrier();\n"
	    "    if (v == 0u) { break; } if (m[1] == v + 1u) { v -= 1u; continue; }\n"
	    "    if ((l & v) == 0u) { r += 1u; }\n"
	    "    switch (v) { case 2u: { workgroupBarrier(); t[l] = r; } default: { r += v; } }\n"
	    "    v -= 1u; let w = v; v = l; r += v; v = w; }\n"
	    "  out[id.x] = r + v; }";
	static const uint32_t sizes[] = { 4, 64, 192 };
	char full[2048];

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		(void)snprintf(full, sizeof(full), text, sizes[k], sizes[k]);
		kernel_check_all(&(struct kernel){ .text = full,
						   .invocations = { 2 * sizes[k] },
						   .sizes = { 16, sizes[k] * 8 },
						   .words = { (const uint32_t[]){ 4, 9, 1, 0 } },
						   .seed = 22 });
	}
}

static void barriers_with_control_flow(void **state)
{
	static const char text[] =
	    "struct P { n: u32, m: u32 }\n"
	    "@group(0) @binding(0) var<uniform> p: P;\n"
	    "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<u32>;\n"
	    "var<workgroup> w: array<u32, %u>; var<workgroup> total: atomic<u32>; var<private> "
	    "mine: vec2<u32>;\n"
	    "@compute @workgroup_size(%s)\n"
	    "fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: "
	    "vec3<u32>) {\n"
	    "  let n = %uu; let at = id.y * %uu + id.x; let v = a[at]; var sum = v; var hist: "
	    "array<u32, 4>; var ok = v > 100u;\n"
	    "  if (p.n == 5u) { w[l] = v; workgroupBarrier(); sum += w[(l + 1u) %% n]; hist[l & "
	    "3u] = v; } else { sum = 0u; }\n"
	    "  workgroupBarrier();\n"
	    "  var k = 0u;\n"
	    "  loop { if (k >= p.m) { break; } let other = w[(l + k * 7u) %% n]; "
	    "workgroupBarrier();\n"
	    "    if (k == 2u) { k += 2u; workgroupBarrier(); continue; }\n"
	    "    w[l] = other ^ k; if (v > 300u) { sum += other; hist[v & 3u] += 1u; } "
	    "atomicAdd(&total, 1u);\n"
	    "    for (var q = 0u; q < (v & 7u); q++) { sum = sum * 3u + q; if (sum > 5000u) { "
	    "break; } }\n"
	    "    workgroupBarrier(); mine += vec2<u32>(w[(l + 3u) %% n], k);\n"
	    "    continuing { k += 1u; } }\n"
	    "  workgroupBarrier(); storageBarrier();\n"
	    "  if (ok) { sum += 1u; } let all = atomicLoad(&total);\n"
	    "  switch (p.m) { case 9u: { workgroupBarrier(); sum += 2u; } default: { sum += 3u; } "
	    "}\n"
	    "  if (v == 77u) { return; }\n"
	    "  out[at] = sum + all + mine.x + mine.y * 3u + hist[0] + hist[v & 3u] * 5u; }";
	static const struct {
		uint32_t all, width, x, y;
		const char *size;
	} t[] = { { 64, 16, 16, 8, "8, 8" },   { 256, 32, 32, 16, "16, 16" },
		  { 64, 128, 128, 1, "64" },   { 60, 24, 24, 10, "12, 5" },
		  { 512, 512, 512, 1, "512" }, { 48, 6, 6, 16, "3, 16" } };
	static const uint32_t params[] = { 5, 9 };
	char full[4096];

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(t); n++) {
		(void)snprintf(full, sizeof(full), text, t[n].all, t[n].size, t[n].all, t[n].width);
		kernel_check_all(
		    &(struct kernel){ .text = full,
				      .invocations = { t[n].x, t[n].y },
				      .sizes = { 8, t[n].x * t[n].y * 4, t[n].x * t[n].y * 4 },
				      .words = { params },
				      .only_small = true,
				      .seed = 8 });
	}
}

static void tiled_matrix_products(void **state)
{
	static const char text[] =
	    "struct P { rows: u32, inner: u32, cols: u32, first_row: u32 }\n"
	    "@group(0) @binding(0) var<uniform> params: P;\n"
	    "@group(0) @binding(1) var<storage, read> a: array<f32>;\n"
	    "@group(0) @binding(2) var<storage, read> b: array<f32>;\n"
	    "@group(0) @binding(3) var<storage, read_write> c: array<f32>;\n"
	    "var<workgroup> tile_a: array<array<f32, %u>, %u>; var<workgroup> tile_b: "
	    "array<array<f32, %u>, %u>;\n"
	    "@compute @workgroup_size(%u, %u)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) "
	    "local: vec3<u32>) {\n"
	    "  var sum = 0.0;\n"
	    "  for (var t = 0u; t < params.inner / %uu; t++) {\n"
	    "    tile_a[local.y][local.x] = a[id.y * params.inner + t * %uu + local.x];\n"
	    "    tile_b[local.y][local.x] = b[(t * %uu + local.y) * params.cols + id.x];\n"
	    "    workgroupBarrier();\n"
	    "    for (var k = 0u; k < %uu; k++) { sum += tile_a[local.y][k] * tile_b[k][local.x]; "
	    "}\n"
	    "    workgroupBarrier();\n"
	    "  }\n"
	    "  c[id.y * params.cols + id.x] = sum; }";
	static const uint32_t params[] = { 32, 48, 64, 0 };
	char full[4096];

	(void)state;
	for (uint32_t s = 8; s <= 16; s += 8) {
		(void)snprintf(full, sizeof(full), text, s, s, s, s, s, s, s, s, s, s);
		kernel_check_all(
		    &(struct kernel){ .text = full,
				      .invocations = { 64, 32 },
				      .sizes = { 16, 32 * 48 * 4, 48 * 64 * 4, 32 * 64 * 4 },
				      .words = { params },
				      .seed = 12 });
	}
}

static void iterations_are_limited(void **state)
{
	static const char *const texts[] = {
		/* one number for all */
		"fn f(n: u32, v: u32) -> u32 { var r = v; for (var i = 0u; i < n; i++) { r = r * "
		"3u + 1u; } return r; }",
		/* one loop of lanes */
		"fn f(n: u32, v: u32) -> u32 { var r = v; for (var i = 0u; i < (v & 127u); i++) { "
		"r += i; } return r; }",
		/* loops in loops */
		"fn f(n: u32, v: u32) -> u32 { var r = v; for (var i = 0u; i < (v & 7u); i++) {\n"
		"  for (var j = 0u; j < (v >> 3u) % 13u; j++) { r += i * j; if (r % 31u == 4u) { "
		"break; } }\n"
		"  for (var j = 0u; j < n; j++) { r ^= j; } if (r % 11u == 0u) { return r; } } "
		"return r; }",
	};
	static const char frame[] =
	    "struct P { n: u32, m: u32 }\n"
	    "@group(0) @binding(0) var<uniform> p: P;\n"
	    "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<u32>;\n%s\n"
	    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { "
	    "out[id.x] = f(p.n, a[id.x]); }";
	static const uint32_t params[] = { 9, 0 };
	static const uint64_t limits[] = { 0, 1, 9, 10, 11, 50, 90, 100, 127, 128, 129, 150, 1000 };
	char text[2048];

	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(texts); t++)
		for (size_t n = 0; n < ARRAY_LEN(limits); n++) {
			(void)snprintf(text, sizeof(text), frame, texts[t]);
			kernel_check(&(struct kernel){ .text = text,
						       .invocations = { 150 },
						       .sizes = { 8, 600, 600 },
						       .words = { params },
						       .only_small = true,
						       .limit = limits[n],
						       .seed = 21 },
				     &(struct native_options){ .lanes = 16 });
		}
}

static void endless_loops_end(void **state)
{
	(void)state;
	kernel_check_all(&(struct kernel){
	    .text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
		    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: "
		    "vec3<u32>) {\n"
		    "  var x = id.x; loop { x = x * 3u + 1u; out[id.x] = x; if (x == 0xffffffffu) "
		    "{ break; } } }",
	    .invocations = { 100 },
	    .sizes = { 400 },
	    .limit = 5000,
	    .seed = 1 });
}

static void pi_edge_is_exact(void **state)
{
	static const char text[] =
	    "struct Params { seed_start: u32, num_samples: u32, samples_per_thread: u32 }\n"
	    "@group(0) @binding(0) var<uniform> params: Params;\n"
	    "@group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;\n"
	    "fn pcg(v: u32) -> u32 { let s = v * 747796405u + 2891336453u;\n"
	    "  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u; return (w >> 22u) ^ w; }\n"
	    "@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) "
	    "{\n"
	    "  var state = pcg(pcg(params.seed_start + id.x)); var inside = 0u;\n"
	    "  for (var i = 0u; i < params.samples_per_thread; i++) {\n"
	    "    state = pcg(state); let x = f32(state) / 4294967296.0;\n"
	    "    state = pcg(state); let y = f32(state) / 4294967296.0;\n"
	    "    if (x * x + y * y < 1.0) { inside++; } }\n"
	    "  atomicAdd(&hits, inside); }";
	_Alignas(16) uint32_t params[3] = { 4294967040U, 256000, 256 };
	_Alignas(16) uint32_t hits[1] = { 0 };
	struct native_buffer buffers[] = { { params, 12 }, { hits, 4 } };
	struct native_chunk chunk = { .buffers = buffers,
				      .n_buffers = 2,
				      .invocations = { 1000, 1, 1 } };
	uint64_t used = 0;

	(void)state;
	assert_int_equal(kernel_run(text, &(struct native_options){ 0 }, &chunk, &used),
			 NATIVE_DONE);
	assert_int_equal(hits[0], 200769);
	assert_int_equal(used, 257);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_clamp_to_the_last_element),
		cmocka_unit_test(negative_indices_are_huge),
		cmocka_unit_test(vectors_and_structs_in_buffers),
		cmocka_unit_test(grids_of_three_dimensions),
		cmocka_unit_test(atomics_without_results),
		cmocka_unit_test(sums_in_work_group_memory),
		cmocka_unit_test(results_in_work_group_memory_go_lane_by_lane),
		cmocka_unit_test(atomics_with_results_go_lane_by_lane),
		cmocka_unit_test(barriers_in_loops),
		cmocka_unit_test(truth_values_are_kept_over_barriers),
		cmocka_unit_test(returned_invocations_do_nothing_more),
		cmocka_unit_test(some_leave_what_holds_barriers),
		cmocka_unit_test(variables_as_large_as_allowed),
		cmocka_unit_test(branches_on_variables_that_agree_again),
		cmocka_unit_test(barriers_with_control_flow),
		cmocka_unit_test(tiled_matrix_products),
		cmocka_unit_test(iterations_are_limited),
		cmocka_unit_test(endless_loops_end),
		cmocka_unit_test(pi_edge_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
