/*
 * test_language.c - what programs mean: small kernels with results worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kernel.h"

enum { OUT = 8, LANES = 4 };

struct program {
	const char *what;
	const char *module; /* declarations */
	const char *body;   /* of main; id.x is 0 to 3; o[i] is output i of the invocation */
	uint32_t want[LANES][OUT];
};

#define ALL(...)                                                                                   \
	{                                                                                          \
		{ __VA_ARGS__ }, { __VA_ARGS__ }, { __VA_ARGS__ },                                 \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

static const struct program programs[] = {
	{ "an early return leaves the function from a loop",
	  "fn first(x: u32) -> u32 { for (var i = 0u; i < 10u; i++) { if i * i >= x { return i; } }"
	  " return 99u; }",
	  "r[0] = first(id.x * 4u); r[1] = first(200u);",
	  { { 0, 99 }, { 2, 99 }, { 3, 99 }, { 4, 99 } } },
	{ "a branch on the global id is taken by each invocation for itself",
	  "",
	  "var s = 0u; if id.x > 1u { s = 5u; } r[0] = s; for (var i = 0u; i < id.x; i++) { r[1] "
	  "+= "
	  "i; }",
	  { { 0, 0 }, { 0, 0 }, { 5, 1 }, { 5, 3 } } },
	{ "an early return skips what follows, also after the call",
	  "fn f(x: u32, p: ptr<function, u32>) -> u32 { *p += 1u; if x == 2u { return 7u; } *p += "
	  "10u;"
	  " return 8u; }",
	  "var n = 0u; r[0] = f(id.x, &n); r[1] = n;",
	  { { 8, 11 }, { 8, 11 }, { 7, 1 }, { 8, 11 } } },
	{ "nested calls with returns in switches and loops",
	  "fn g(x: u32) -> u32 { loop { switch x { case 0u { return 5u; } case 1u { break; } "
	  "default "
	  "{ return 6u; } } return 4u; } }\n"
	  "fn f(x: u32) -> u32 { for (var i = 0u; ; i++) { if g(i) == x { return i; } if i > 4u { "
	  "break; }"
	  " } return 50u; }",
	  "r[0] = g(id.x); r[1] = f(id.x + 3u);",
	  { { 5, 50 }, { 4, 1 }, { 6, 0 }, { 6, 2 } } },
	{ "a variable declared in a loop starts anew on each pass", "",
	  "for (var i = 0u; i < 3u; i++) { var x: u32; x += i + 1u; var y = 2u; y *= x; r[i] = y; "
	  "}",
	  ALL(2, 4, 6) },
	{ "arrays are copied by value",
	  "",
	  "var a = array<u32, 4>(1, 2, 3, 4); var b = a; b[id.x] = 9u; let c = a; a[0] = 7u; "
	  "r[0] = a[0]; r[1] = b[0] + b[1] + b[2] + b[3]; r[2] = c[0];",
	  { { 7, 18, 1 }, { 7, 17, 1 }, { 7, 16, 1 }, { 7, 15, 1 } } },
	{ "long arrays are copied too",
	  "struct S { n: u32, a: array<u32, 40>, b: array<vec2u, 3> }",
	  "var s: S; for (var i = 0u; i < 40u; i++) { s.a[i] = i * i; } s.b[1].y = 77u; s.n = 5u; "
	  "var t = s; s.a[7] = 0u; r[0] = t.a[7]; r[1] = t.a[39]; r[2] = t.b[1].y; r[3] = t.n; "
	  "t = S(); r[4] = t.a[39] + t.n;",
	  ALL(49, 1521, 77, 5, 0) },
	{ "a struct is built from its old self", "struct P { x: u32, y: u32 }",
	  "var p = P(1u, 2u); p = P(p.y, p.x); r[0] = p.x; r[1] = p.y; "
	  "var a = array(P(1u, 2u), P(3u, 4u)); a[0] = a[1]; a[1] = P(a[0].y, a[0].x); "
	  "r[2] = a[0].x; r[3] = a[1].x;",
	  ALL(2, 1, 3, 4) },
	{ "parameters are copies, pointers are not",
	  "fn by_value(a: array<u32, 3>, p: ptr<function, array<u32, 3>>) -> u32 { (*p)[1] = 50u; "
	  "return a[1]; }",
	  "var a = array<u32, 3>(1, 2, 3); r[0] = by_value(a, &a); r[1] = a[1];", ALL(2, 50) },
	{ "an argument may call the same function",
	  "struct S { v: array<u32, 2> }\n"
	  "fn f(a: u32, b: u32) -> u32 { return a * 10u + b; }\n"
	  "fn g(s: S, n: u32) -> S { var t = s; t.v[n & 1u] += n; return t; }",
	  "r[0] = f(id.x, f(2u, 3u)); r[1] = f(f(1u, 2u), f(3u, f(4u, 5u))); "
	  "let s = g(g(S(), 3u), g(S(), 4u).v[0]); r[2] = s.v[0]; r[3] = s.v[1];",
	  { { 23, 195, 4, 3 }, { 33, 195, 4, 3 }, { 43, 195, 4, 3 }, { 53, 195, 4, 3 } } },
	{ "a pointer keeps the index it was made with",
	  "fn put(p: ptr<function, u32>) { *p = 8u; }",
	  "var a: array<u32, 4>; var i = id.x; let p = &a[i]; i = 0u; *p = 5u; put(&a[3]); "
	  "r[0] = a[0]; r[1] = a[1]; r[2] = a[2]; r[3] = a[3];",
	  { { 5, 0, 0, 8 }, { 0, 5, 0, 8 }, { 0, 0, 5, 8 }, { 0, 0, 0, 8 } } },
	{ "functions return structs and arrays",
	  "struct S { a: u32, b: vec3u }\n"
	  "fn make(x: u32) -> S { var s: S; if x > 1u { s.b = vec3u(x, 2u, 3u); return s; } s.a = "
	  "4u; "
	  "return s; }\n"
	  "fn pair(x: u32) -> array<u32, 2> { return array<u32, 2>(x, x + 1u); }",
	  "let s = make(id.x); let t = make(3u); r[0] = s.a; r[1] = s.b.x; r[2] = t.b.z; "
	  "r[3] = pair(id.x)[1] + pair(10u)[0];",
	  { { 4, 0, 3, 11 }, { 4, 0, 3, 12 }, { 0, 2, 3, 13 }, { 0, 3, 3, 14 } } },
	{ "continue runs the continuing block", "",
	  "var n = 0u; var i = 0u; loop { if i >= 6u { break; } if (i & 1u) == id.x % 2u { "
	  "continue; } "
	  "n += 10u; continuing { i++; n += 1u; } } r[0] = n; "
	  "var k = 0u; loop { k += 2u; continuing { k++; break if k > 7u; } } r[1] = k;",
	  ALL(36, 9) },
	{ "continue inside of a switch belongs to the loop", "",
	  "var n = 0u; for (var i = 0u; i < 5u; i++) { switch i { case 1u, 3u { continue; } case "
	  "2u { "
	  "break; } default { n += 1u; } } n += 10u; } r[0] = n;",
	  ALL(32) },
	{ "switch takes the right case", "",
	  "for (var i = 0u; i < 5u; i++) { switch i32(i) - 1 { case -1: { r[i] = 1u; } case 0, "
	  "default: { "
	  "r[i] = 2u; } case 1, 2: { r[i] = 3u; } } }",
	  ALL(1, 2, 3, 3, 2) },
	{ "the right side of && and || runs only when needed",
	  "var<private> calls: u32;\n"
	  "fn yes() -> bool { calls++; return true; }",
	  "if id.x > 1u && yes() { r[0] = 1u; } if id.x > 1u || yes() { r[1] = 1u; } r[2] = calls; "
	  "let b = (id.x == 0u && yes()) || (id.x == 1u || yes()); r[3] = calls + u32(b);",
	  { { 0, 1, 1, 3 }, { 0, 1, 1, 2 }, { 1, 1, 1, 3 }, { 1, 1, 1, 3 } } },
	{ "names shadow each other", "const x = 5u;",
	  "r[0] = x; let x = x + 1u; r[1] = x; { let x = x * 2u; r[2] = x; } "
	  "for (var x = 20u; x < 21u; x++) { r[3] = x; } r[4] = x;",
	  ALL(5, 6, 12, 20, 6) },
	{ "user declarations hide predeclared ones",
	  "fn min(a: u32) -> u32 { return a + 100u; } alias vec2f = u32;",
	  "r[0] = min(1u); let y: vec2f = 3u; r[1] = y;", ALL(101, 3) },
	{ "constant tables are indexed at run time",
	  "const T = array<u32, 5>(10, 20, 30, 40, 50); struct S { a: array<vec2u, 2> }\n"
	  "const C = array(S(array(vec2u(1, 2), vec2u(3, 4))), S());",
	  "r[0] = T[id.x]; r[1] = T[id.x + 10u]; r[2] = C[0].a[id.x & 1u].y; r[3] = C[id.x / "
	  "3u].a[1].x; "
	  "r[4] = vec4u(5, 6, 7, 8)[id.x]; r[5] = array(1u, 2u)[id.x & 1u];",
	  { { 10, 50, 2, 3, 5, 1 },
	    { 20, 50, 4, 3, 6, 2 },
	    { 30, 50, 2, 3, 7, 1 },
	    { 40, 50, 4, 0, 8, 2 } } },
	{ "indices clamp to the last element",
	  "",
	  "var a = array<u32, 3>(1, 2, 3); r[0] = a[id.x + 2u]; r[1] = a[i32(id.x) - 5]; "
	  "a[100u + id.x] = 9u; r[2] = a[2]; var v = vec3u(4, 5, 6); r[3] = v[id.x + 1u]; "
	  "v[id.x + 7u] = 8u; r[4] = v.z;",
	  { { 3, 3, 9, 5, 8 }, { 3, 3, 9, 6, 8 }, { 3, 3, 9, 6, 8 }, { 3, 3, 9, 6, 8 } } },
	{ "private variables start with their values in each invocation",
	  "var<private> n = 7u; var<private> a: array<u32, 3> = array<u32, 3>(1, 2, 3); "
	  "var<private> z: u32;\nfn bump() { n += 1u; a[1] += n; z += 1u; }",
	  "bump(); if id.x > 1u { bump(); } r[0] = n; r[1] = a[1]; r[2] = z;",
	  { { 8, 10, 1 }, { 8, 10, 1 }, { 9, 19, 2 }, { 9, 19, 2 } } },
	{ "compound assignment evaluates its place once",
	  "var<private> n: u32;\nfn next() -> u32 { n += 1u; return n; }",
	  "var a: array<u32, 4>; a[next()] += 5u; a[next()] += next(); a[next()]++; "
	  "r[0] = n; r[1] = a[1]; r[2] = a[2]; r[3] = a[3];",
	  ALL(4, 5, 3, 1) },
	{ "integers wrap and division is defined everywhere", "",
	  "var z = 0u; var m = -2147483647i - 1i; var k = -1i; var seven = -7i; var two = 2i; r[0] "
	  "= 5u / z; "
	  "r[1] = 5u % z; r[2] = u32(m / k); r[3] = u32(m % k); r[4] = u32(seven / two); r[5] = "
	  "u32(seven % two); r[6] = 4294967295u + (z + 2u); r[7] = 1u << (z + 33u);",
	  ALL(5, 0, 0x80000000u, 0, (uint32_t)-3, (uint32_t)-1, 1, 2) },
	{ "conversions clamp, wrap and canonicalise", "",
	  "var big = 1e20f; var neg = -1.5f; var zero = 0f; let nan = zero / zero; r[0] = "
	  "u32(big); "
	  "r[1] = u32(neg); r[2] = u32(i32(big)); r[3] = u32(i32(neg)); r[4] = u32(nan); "
	  "r[5] = bitcast<u32>(nan); r[6] = bitcast<u32>(-zero); r[7] = u32(i32(-big));",
	  ALL(4294967040u, 0, 2147483520u, (uint32_t)-1, 0, 0x7fc00000u, 0x80000000u,
	      0x80000000u) },
	{ "vectors: swizzles, components, comparisons, mixed with scalars",
	  "",
	  "var v = vec4u(1, 2, 3, 4); v.y = v.w + v[id.x]; let w = v.wzyx * 2u + vec4u(1); r[0] = "
	  "v.y; "
	  "r[1] = w.x; r[2] = w.z; let c = v > vec4u(2); r[3] = u32(c.x) + u32(c.y) * 2u + "
	  "u32(c.z) * 4u; "
	  "r[4] = select(vec2u(1, 2), vec2u(3, 4), vec2<bool>(true, false)).x; "
	  "r[5] = vec3u(v.xy, 9u).z + vec4u(vec2u(1, 2), vec2u(3)).w;",
	  { { 5, 9, 11, 6, 3, 12 },
	    { 6, 9, 13, 6, 3, 12 },
	    { 7, 9, 15, 6, 3, 12 },
	    { 8, 9, 17, 6, 3, 12 } } },
	{ "overrides have their values",
	  "override N = 3u; override F: f32 = 2.5; @id(9) override B = true;",
	  "r[0] = N * 2u; r[1] = u32(F * 2.0); if B { r[2] = 1u; }", ALL(6, 5, 1) },
	{ "while, nested loops and break",
	  "",
	  "var n = 0u; var i = 0u; while i < 4u { for (var k = 0u; k < 4u; k++) { if k == id.x { "
	  "break; } "
	  "n += 1u; } i += 1u; if i == 3u { break; } } r[0] = n; r[1] = i;",
	  { { 0, 3 }, { 3, 3 }, { 6, 3 }, { 9, 3 } } },
	{ "matrices are columns, in memory and in products",
	  "struct S { m: mat3x2f, n: array<mat2x2f, 2> }\nvar<private> s: S;\n"
	  "fn turn(m: mat2x2f) -> mat2x2f { var t = m; t[0] = m[1]; t[1] = -m[0]; return t; }",
	  "s.m = mat3x2f(1, 2, 3, 4, 5, 6); s.m[id.x % 3u].y += 10.0; r[0] = u32(s.m[2].y); "
	  "let v = s.m * vec3f(1, 10, 100); r[1] = u32(v.x); let w = vec2f(1, 2) * mat2x2f(1, 2, "
	  "3, 4); "
	  "r[2] = u32(w.x) * 100u + u32(w.y); s.n[1] = turn(mat2x2f(1, 2, 3, 4)); r[3] = "
	  "u32(s.n[1][0].x) "
	  "* 10u + u32(-s.n[1][1].y); s.n[1] *= s.n[1]; r[4] = u32(-s.n[1][1][0]); var k = 0u; "
	  "var p = vec2f(1, 2); p *= mat2x2f(1, 1, 0, 1); r[5] = u32(p.x) * 10u + u32(p.y); "
	  "let t = transpose(mat2x3f(1, 2, 3, 4, 5, 6)); r[6] = u32(t[2].x) * 10u + u32(t[0].y); "
	  "r[7] = u32(determinant(mat3x3f(2, 0, 0, 0, 3, 1, 0, 1, 2)));",
	  { { 6, 531, 511, 32, 1, 32, 34, 10 },
	    { 6, 531, 511, 32, 1, 32, 34, 10 },
	    { 16, 531, 511, 32, 1, 32, 34, 10 },
	    { 6, 531, 511, 32, 1, 32, 34, 10 } } },
	{ "several components are assigned at once, the others stay",
	  "var<private> v: vec4u; var<private> n: u32;\n"
	  "fn bump(p: ptr<private, vec4u>) -> vec2u { p.w += 10u; p.x = 77u; return vec2u(5, 6); "
	  "}\n"
	  "fn next() -> u32 { n += 1u; return n & 1u; }\n"
	  "fn show(a: vec4u) -> u32 { return a.x * 1000u + a.y * 100u + a.z * 10u + a.w; }",
	  "v = vec4u(1, 2, 3, 4); v.yx = bump(&v); r[0] = show(v); "
	  "v = vec4u(1, 2, 3, 4); v.xz += bump(&v); r[1] = show(v); "
	  "v = vec4u(1, 2, 3, 4); v.wzyx = v; r[2] = show(v); "
	  "var f = vec3f(1, 2, 3); f.zx *= mat2x2f(1, 2, 3, 4); r[3] = u32(f.x * 100 + f.y * 10 + "
	  "f.z); var a = array(vec2u(1, 2), vec2u(3, 4)); a[next()].yx += vec2u(10, 20); r[4] = "
	  "a[1].x * 100u + a[1].y; r[5] = n; "
	  "var q = vec3u(9); q.zx = vec2u(id.x, id.x + 1u); r[6] = q.x * 100u + q.y * 10u + q.z; "
	  "v = vec4u(1, 2, 3, 4); v.wzy[id.x] = 9u; v.wzyx.wx.y += 1u; r[7] = show(v) + "
	  "v.yw[id.x];",
	  { { 6544, 6304, 4321, 1325, 2314, 1, 190, 1242 },
	    { 6544, 6304, 4321, 1325, 2314, 1, 291, 1300 },
	    { 6544, 6304, 4321, 1325, 2314, 1, 392, 1940 },
	    { 6544, 6304, 4321, 1325, 2314, 1, 493, 1940 } } },
	{ "members of a pointer without a star",
	  "struct S { a: u32, v: array<u32, 3> }\nfn f(p: ptr<private, S>) { p.a = 4u; p.v[1] = "
	  "5u; }\n"
	  "var<private> s: S;",
	  "f(&s); let q = &s.v; r[0] = s.a; r[1] = q[1] + (*q)[1];", ALL(4, 10) },
};

static void run(const struct program *p, int group)
{
	AUTO(buf_done) struct buf text = { .max = 64 * 1024 };
	uint32_t out[LANES * OUT] __attribute__((aligned(16))) = { 0 };
	struct native_buffer buffer = { .data = out, .size = sizeof(out) };
	struct native_chunk chunk = { .buffers = &buffer, .n_buffers = 1 };
	struct native_options options = { 0 };
	uint64_t used = 0;

	buf_note(
	    &text,
	    "@group(0) @binding(0) var<storage, read_write> o: array<array<u32, %d>>;\n%s\n"
	    "@compute @workgroup_size(%d) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
	    "var r: array<u32, %d>;\n{\n%s\n}\no[id.x] = r;\n}\n",
	    OUT, p->module, group, OUT, p->body);
	chunk.invocations[0] = LANES;
	chunk.invocations[1] = chunk.invocations[2] = 1;
	assert_int_equal(kernel_run(buf_str(&text), &options, &chunk, &used), NATIVE_DONE);
	for (int i = 0; i < LANES; i++)
		for (int k = 0; k < OUT; k++)
			if (out[i * OUT + k] != p->want[i][k])
				fail_msg(
				    "%s: work-groups of %d: r[%d] of invocation %d is %u, want %u",
				    p->what, group, k, i, out[i * OUT + k], p->want[i][k]);
}

static void programs_mean_what_they_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		run(&programs[i], LANES);
}

/* Several work-groups side by side: what is the same within one may differ between them. */
static void small_work_groups_do_not_change_the_meaning(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		run(&programs[i], 2);
		run(&programs[i], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_mean_what_they_say),
		cmocka_unit_test(small_work_groups_do_not_change_the_meaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
