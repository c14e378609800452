/* Control flow that diverges between lanes, against the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel.h"

enum { N = 333 };

/* A body that reads a = pa[i], b = pb[i] and leaves its result in r. */
static void check_body(const char *functions, const char *body)
{
	static const char frame[] =
	    "struct P { n: u32, m: u32, k: u32, z: u32 }\n"
	    "@group(0) @binding(0) var<uniform> p: P;\n"
	    "@group(0) @binding(1) var<storage, read> pa: array<u32>;\n"
	    "@group(0) @binding(2) var<storage, read> pb: array<u32>;\n"
	    "@group(0) @binding(3) var<storage, read_write> out: array<u32>;\n"
	    "var<private> trace: u32 = 17u;\n"
	    "%s\n"
	    "@compute @workgroup_size(32)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let i = id.x; let a = pa[i]; let b = pb[i]; var r = 1u;\n"
	    "  out[i * 2u + 1u] = 7u;\n"
	    "%s\n"
	    "  out[i * 2u] = r; out[i * 2u + 1u] = trace;\n}\n";
	static const uint32_t params[] = { 5, 11, 3, 0 };
	char text[8192];

	(void)snprintf(text, sizeof(text), frame, functions, body);
	kernel_check_all(&(struct kernel){ .text = text,
					   .invocations = { N },
					   .sizes = { 16, N * 4, N * 4, N * 8 },
					   .words = { params },
					   .only_small = true,
					   .seed = 3 });
}

static void nested_ifs(void **state)
{
	(void)state;
	check_body("",
		   "if (a > 100u) { r = 2u; if (b > 500u) { r += a; } else { r += b; } r *= 3u; }\n"
		   "else if (b < 50u) { r = 9u; } else { r = a ^ b; }");
}

static void if_with_stores_to_buffers(void **state)
{
	(void)state;
	check_body("",
		   "if (a > 512u) { out[i * 2u] = a; if (b > 700u) { out[i * 2u] = b; return; } }\n"
		   "r = out[i * 2u] + 1u;");
}

static void uniform_and_divergent_mixed(void **state)
{
	(void)state;
	check_body(
	    "",
	    "if (p.n > 3u) { if (a > 10u) { r = 4u; } } else { r = 100u; }\n"
	    "if (a < 600u) { if (p.m == 11u) { r += 1u; } else { r += 2u; } }\n"
	    "for (var x = 0u; x < p.k; x++) { if (a > x * 300u) { r += x; } else { r ^= 5u; } }");
}

static void loops_with_lengths_of_their_own(void **state)
{
	(void)state;
	check_body("", "for (var x = 0u; x < (a & 31u); x++) { r = r * 5u + x; }\n"
		       "var y = b & 15u; while (y > 0u) { y -= 1u; r += y; }\n"
		       "loop { if (y >= (a & 7u)) { break; } y += 1u; r ^= y << 3u; }");
}

static void break_and_continue(void **state)
{
	(void)state;
	check_body("", "for (var x = 0u; x < 20u; x++) {\n"
		       "  if ((x ^ a) % 3u == 0u) { continue; }\n"
		       "  if (x * 50u > b) { break; }\n"
		       "  r += x * a;\n"
		       "  if (r % 7u == 3u) { continue; }\n"
		       "  r ^= 0x55u;\n"
		       "}");
}

static void break_if_in_continuing(void **state)
{
	(void)state;
	check_body("", "var x = 0u; loop { if (x == (b & 3u)) { x += 2u; continue; } r += x;\n"
		       "  continuing { x += 1u; break if x > (a & 15u); } }");
}

static void uniform_loops_with_break_if(void **state)
{
	(void)state;
	check_body("",
		   "var x = 0u; loop { r += x * a; continuing { x += 1u; break if x >= p.n; } }\n"
		   "x = 0u; loop { if (x >= p.m) { break; } if (x == p.k) { x += 2u; continue; }\n"
		   "  r += a; continuing { x += 1u; } }");
}

static void returns_from_loops(void **state)
{
	(void)state;
	check_body(
	    "",
	    "for (var x = 0u; x < 10u; x++) { for (var y = 0u; y < 10u; y++) {\n"
	    "  r += x * y + a; trace += 1u; if (r % 97u == b % 97u) { out[i * 2u] = r; return; }\n"
	    "  if (r % 13u == 0u) { break; } } if (r > 100000u) { break; } }");
}

static void functions_with_early_returns(void **state)
{
	(void)state;
	check_body("fn f(x: u32, y: u32) -> u32 { if (x > y) { return x - y; }\n"
		   "  for (var k = 0u; k < y; k++) { trace += 1u; if (k * k > x) { return k; } }\n"
		   "  return 77u; }\n"
		   "fn g(x: u32) -> u32 { if (x % 2u == 0u) { return f(x, 9u); } return f(9u, x & "
		   "31u) + 1u; }",
		   "r = f(a, b & 63u) + g(b); if (g(a) > 5u) { r += g(r); }");
}

/* What a function returns from within a loop outlives what the loop's next passes declare. */
static void results_outlive_what_later_passes_declare(void **state)
{
	(void)state;
	check_body(
	    "fn f(x: u32) -> u32 { for (var i = 0u; i < 9u; i++) {\n"
	    "  var t = x * 5u + i; t ^= i << 2u; if ((t & 3u) == 2u) { return i * 7u + 1u; }\n"
	    "  } return 50u; }",
	    "r = f(a) ^ (f(b) * 100u);");
}

static void switches(void **state)
{
	(void)state;
	check_body("", "switch (a % 7u) { case 0u: { r = 5u; } case 1u, 2u: { if (b > 300u) { "
		       "break; } r = 6u; }\n"
		       " case 3u: { r = b; for (var k = 0u; k < 9u; k++) { if (k == (b & 7u)) { "
		       "break; } r += k; } }\n"
		       " case 4u, default: { r = 8u; trace = a; } }\n"
		       "switch (p.k) { case 3u: { if (a > 3u) { break; } r += 1000u; } default: { "
		       "r = 0u; } }");
}

static void switch_in_loop_with_continue(void **state)
{
	(void)state;
	check_body(
	    "", "for (var x = 0u; x < 12u; x++) { switch ((a + x) & 3u) { case 0u: { continue; }\n"
		" case 1u: { r += 3u; } case 2u: { if (b < 400u) { continue; } r *= 3u; } default: "
		"{ break; } }\n"
		" r += x; if (r > 90000u) { return; } }");
}

static void variables_start_anew_in_each_pass(void **state)
{
	(void)state;
	check_body("",
		   "for (var x = 0u; x < 4u + (a & 3u); x++) { var t: u32; var v: array<u32, 4>;\n"
		   " v[x & 3u] += a; t += v[b & 3u] + 1u; if (t > 100u) { t += 1u; } r += t; }");
}

static void private_variables_and_bools(void **state)
{
	(void)state;
	check_body("var<private> flag: bool; var<private> many: array<vec3<u32>, 5>;",
		   "flag = a > b; many[a % 5u] = vec3<u32>(a, b, 3u); many[b % 5u].y += 1u;\n"
		   "for (var k = 0u; k < 5u; k++) { if (flag) { r += many[k].x; } else { r ^= "
		   "many[k].y; }\n"
		   " flag = flag != (many[k].z == 3u); }");
}

static void structs_and_arrays_of_lanes(void **state)
{
	(void)state;
	check_body(
	    "struct S { x: u32, v: vec2<u32>, a: array<u32, 6> }",
	    "var s: S; var t: array<S, 3>; s.x = a; s.v = vec2<u32>(b, a); s.a[a % 8u] = b;\n"
	    "t[b % 3u] = s; t[1].a[b & 15u] += 5u; t[2].v.y = 9u; t[a % 3u].v[b & 1u] = 4u;\n"
	    "for (var k = 0u; k < 3u; k++) { r = r * 3u + t[k].x + t[k].v.x + t[k].v.y + t[k].a[k] "
	    "+ t[k].a[5]; }");
}

static void pointers_to_variables(void **state)
{
	(void)state;
	check_body("fn bump(q: ptr<function, u32>, by: u32) { if (by > 400u) { *q += by; return; } "
		   "*q ^= by; }",
		   "bump(&r, a); var v = array<u32, 3>(a, b, 1u); bump(&r, b);\n"
		   "if (a > b) { bump(&v[0], 500u); } r += v[0] + v[1] + v[2];");
}

/* In the loop all active lanes have the same; behind it they differ by when they left. */
static void counters_outlive_their_loops(void **state)
{
	(void)state;
	check_body("",
		   "var n = 0u; while (n < 9u) { if (a > n * 120u) { r += a; } else { break; } "
		   "r ^= n; n += 1u; }\n"
		   "r = r * 31u + n; var m = i * 3u + 1u;\n"
		   "loop { if (m > i * 3u + 40u) { break; } if ((m ^ b) % 5u == 0u) { continue; }\n"
		   "  r += m; continuing { m = 7u + m; break if m > b; } }\n"
		   "trace = m * 5u + n;");
	check_body("", "for (var x = 0u; x < 6u; x++) { var n = x; loop { if (n >= 9u) { break; }\n"
		       "  if ((a >> n) % 3u == 1u) { break; } if (r % 11u == 4u) { return; }\n"
		       "  r += n * a; n += p.k; }\n"
		       "  if (b % 5u == x) { continue; } r = r * 7u + n; trace = n; }");
	check_body("",
		   "var n = 100; loop { if (n < -20) { break; } n -= 7; if (n < i32(a & 63u)) { "
		   "break; } r += u32(n); }\n r ^= u32(n * 1001);");
}

/* All active lanes take a branch together, but others wait at the end of the pass. */
static void uniform_ways_out(void **state)
{
	(void)state;
	check_body("",
		   "for (var x = 0u; x < 20u; x++) { if (a % 4u == x % 4u) { continue; } r += 3u;\n"
		   "  if (x == p.m) { break; } r += b; if (x > p.k) { continue; } trace += x; }");
	check_body("",
		   "for (var x = 0u; x < 20u; x++) { if (a % 4u == 1u) { break; } r += x * b;\n"
		   "  if (x == p.n) { if (b > 300u) { r += 9u; break; } return; } else { trace ^= "
		   "r; }\n  r = r << 1u; }");
}

static void everyone_leaves(void **state)
{
	(void)state;
	check_body("", "if (a < 2000u) { out[i * 2u] = a; return; } r = 5u; loop { r += 1u; if "
		       "(p.z == 1u) { break; } }");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_ifs),
		cmocka_unit_test(if_with_stores_to_buffers),
		cmocka_unit_test(uniform_and_divergent_mixed),
		cmocka_unit_test(loops_with_lengths_of_their_own),
		cmocka_unit_test(break_and_continue),
		cmocka_unit_test(break_if_in_continuing),
		cmocka_unit_test(uniform_loops_with_break_if),
		cmocka_unit_test(returns_from_loops),
		cmocka_unit_test(functions_with_early_returns),
		cmocka_unit_test(results_outlive_what_later_passes_declare),
		cmocka_unit_test(switches),
		cmocka_unit_test(switch_in_loop_with_continue),
		cmocka_unit_test(variables_start_anew_in_each_pass),
		cmocka_unit_test(private_variables_and_bools),
		cmocka_unit_test(structs_and_arrays_of_lanes),
		cmocka_unit_test(pointers_to_variables),
		cmocka_unit_test(counters_outlive_their_loops),
		cmocka_unit_test(uniform_ways_out),
		cmocka_unit_test(everyone_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
