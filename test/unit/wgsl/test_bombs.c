/*
 * test_bombs.c - text made to crash, hang or fill memory: refused, or compiled, quickly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

static const char out[] = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n";
static const char entry[] = "@compute @workgroup_size(1) fn main() {";

static void repeat(struct buf *b, const char *text, int n)
{
	for (int i = 0; i < n; i++)
		buf_note(b, "%s", text);
}

static void calls_twice(struct buf *b)
{
	buf_note(b, "%sfn f0(x: u32) -> u32 { return x + 1u; }\n", out);
	for (int i = 1; i < 32; i++)
		buf_note(b, "fn f%d(x: u32) -> u32 { return f%d(x) + f%d(x); }\n", i, i - 1, i - 1);
	buf_note(b, "%s o[0] = f31(1u); }", entry);
}

static void parentheses(struct buf *b)
{
	buf_note(b, "%s%s o[0] = ", out, entry);
	repeat(b, "(", 10000);
	buf_note(b, "1u");
	repeat(b, ")", 10000);
	buf_note(b, "; }");
}

static void unary_operators(struct buf *b)
{
	buf_note(b, "%s%s o[0] = ", out, entry);
	repeat(b, "~", 100000);
	buf_note(b, "1u; }");
}

static void long_sum(struct buf *b)
{
	buf_note(b, "%s%s o[0] = 1", out, entry);
	repeat(b, "+1", 100000);
	buf_note(b, "; }");
}

static void many_cases(struct buf *b)
{
	buf_note(b, "%s%s switch o[0] {", out, entry);
	for (int i = 0; i < 14000; i++)
		buf_note(b, "case %du:{}", i);
	buf_note(b, "default:{} } }");
}

static void many_selectors(struct buf *b)
{
	buf_note(b, "%s%s switch o[0] { case 0", out, entry);
	for (int i = 1; i < 40000; i++)
		buf_note(b, ",%d", i);
	buf_note(b, ":{} default:{} } }");
}

static void huge_workgroup_array(struct buf *b)
{
	buf_note(b, "%svar<workgroup> w: array<u32, 1000000000>;%s o[0] = w[1]; }", out, entry);
}

static void gigabyte_of_workgroup(struct buf *b)
{
	buf_note(b, "%svar<workgroup> w: array<u32, 268435456>;%s o[0] = w[1]; }", out, entry);
}

static void deep_call_chain(struct buf *b)
{
	buf_note(b, "%sfn f0(x:u32)->u32{return x;}\n", out);
	for (int i = 1; i < 5000; i++)
		buf_note(b, "fn f%d(x:u32)->u32{return f%d(x);}\n", i, i - 1);
	buf_note(b, "%s o[0] = f4999(1u); }", entry);
}

static void deep_blocks(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	repeat(b, "{", 10000);
	repeat(b, "}", 10000);
	buf_note(b, "}");
}

static void long_else_chain(struct buf *b)
{
	buf_note(b, "%s%s if o[0] == 1 {}", out, entry);
	repeat(b, " else if o[0] == 2 {}", 10000);
	buf_note(b, "}");
}

static void deep_types(struct buf *b)
{
	buf_note(b, "%s%s let a = array", out, entry);
	repeat(b, "<array", 5000);
	buf_note(b, "<u32, 1>");
	repeat(b, ", 1>", 5000);
	buf_note(b, "(); }");
}

static void alias_chain(struct buf *b)
{
	buf_note(b, "%salias a0 = u32;\n", out);
	for (int i = 1; i < 5000; i++)
		buf_note(b, "alias a%d = array<a%d, 1>;\n", i, i - 1);
	buf_note(b, "%s}", entry);
}

static void backward_constants(struct buf *b)
{
	buf_note(b, "%s", out);
	for (int i = 5000; i > 0; i--)
		buf_note(b, "const c%d = c%d + 1;\n", i, i - 1);
	buf_note(b, "const c0 = 1; %s o[0] = c5000; }", entry);
}

static void doubling_structs(struct buf *b)
{
	buf_note(b, "%sstruct S0 { a: vec4u, b: vec4u }\n", out);
	for (int i = 1; i < 26; i++)
		buf_note(b, "struct S%d { a: S%d, b: S%d }\n", i, i - 1, i - 1);
	buf_note(b, "@group(0) @binding(1) var<uniform> u: S25; %s var s = u; }", entry);
}

static void big_copies(struct buf *b)
{
	buf_note(b, "%sstruct S {", out);
	for (int i = 0; i < 900; i++)
		buf_note(b, "m%d: u32,", i);
	buf_note(b, "}%s var s: S; var t: S;", entry);
	repeat(b, "s=t;t=s;", 2000);
	buf_note(b, "}");
}

static void huge_constant(struct buf *b)
{
	buf_note(b, "%sconst A = array<u32, 100000000>(); %s o[0] = A[o[1]]; }", out, entry);
}

static void open_comments(struct buf *b)
{
	repeat(b, "/*", 100000);
}

static void open_templates(struct buf *b)
{
	buf_note(b, "%s%s let a = ", out, entry);
	repeat(b, "a<", 100000);
	buf_note(b, "1; }");
}

static void many_errors(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	repeat(b, "x=1;", 50000);
	buf_note(b, "}");
}

static void member_chain(struct buf *b)
{
	buf_note(b, "%s%s o[0] = o", out, entry);
	repeat(b, ".a", 100000);
	buf_note(b, "; }");
}

static void nested_calls_inlined(struct buf *b)
{
	buf_note(b, "%sfn f0(x: u32) -> u32 { return x; }\n", out);
	for (int i = 1; i < 60; i++) {
		buf_note(b, "fn f%d(x: u32) -> u32 { ", i);
		repeat(b, "if x > 1u { ", 12);
		buf_note(b, "return f%d(x); ", i - 1);
		repeat(b, "} ", 12);
		buf_note(b, "return x; }\n");
	}
	buf_note(b, "%s o[0] = f59(o[1]); }", entry);
}

static void chained_variables(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	for (int i = 0; i < 4000; i++)
		buf_note(b, "var a%d=0u;", i);
	buf_note(b, "loop { if a0 == 5u { break; }");
	for (int i = 0; i < 3999; i++)
		buf_note(b, "a%d=a%d;", i, i + 1);
	buf_note(b, "a3999 = o[0]; } }");
}

static void doubling_values(struct buf *b)
{
	buf_note(b, "%s%s let a0 = o[0];", out, entry);
	for (int i = 1; i < 5000; i++)
		buf_note(b, "let a%d=a%d+a%d;", i, i - 1, i - 1);
	buf_note(b, "o[a4999] = 1u; }");
}

static void recursion(struct buf *b)
{
	buf_note(b, "fn a() { b(); } fn b() { c(); } fn c() { b(); }%s a(); }", entry);
}

static void endless_loop(struct buf *b)
{
	buf_note(b, "%s%s loop { o[0] += 1u; if o[0] == 5u { break; } } }", out, entry);
}

static void too_much_private(struct buf *b)
{
	buf_note(b, "%svar<private> p: array<u32, 2049>;%s o[0] = p[o[1]]; }", out, entry);
}

struct bomb {
	void (*make)(struct buf *b);
	const char *want; /* part of the error; NULL: it compiles */
};

static const struct bomb bombs[] = {
	{ calls_twice, "more than 65536 instructions with all calls expanded" },
	{ parentheses, "nests too deeply (limit 512)" },
	{ unary_operators, "nests too deeply (limit 512)" },
	{ long_sum, "more than 512 operators deep" },
	{ many_cases, NULL },
	{ many_selectors, NULL },
	{ huge_workgroup_array, "larger than 2 GiB" },
	{ gigabyte_of_workgroup, "more than the limit of 32768" },
	{ deep_call_chain, "calls nest 5000 deep (limit 64)" },
	{ deep_blocks, "statements nest too deeply (limit 128)" },
	{ long_else_chain, NULL },
	{ deep_types, "nests too deeply (limit 512)" },
	{ alias_chain, "the type nests too deeply (limit 64)" },
	{ backward_constants, "depend on each other too deeply" },
	{ doubling_structs, "more than 8192 bytes per invocation" },
	{ big_copies, "too large with all calls expanded" },
	{ huge_constant, "more than 8192 bytes per invocation" },
	{ open_comments, "the comment has no end" },
	{ open_templates, "comparisons do not chain" },
	{ many_errors, "unknown name 'x'" },
	{ member_chain, "operators deep" },
	{ nested_calls_inlined, "nests too deeply with all calls expanded" },
	{ chained_variables, NULL },
	{ doubling_values, NULL },
	{ recursion, "calls itself" },
	{ endless_loop, NULL },
	{ too_much_private, "more than 8192 bytes per invocation" },
};

static void every_bomb_is_answered_quickly(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bombs); i++) {
		AUTO(buf_done) struct buf text = { .max = WGSL_MAX_SOURCE };
		AUTO(compiled_done) struct compiled c;
		struct wgsl_source src = { 0 };
		clock_t before = clock(); /* of this process: a busy machine changes nothing */

		bombs[i].make(&text);
		src.text = buf_str(&text);
		src.len = text.len;
		compile_source(&c, &src);
		if (bombs[i].want == NULL ? c.m == NULL
					  : strstr(first_error(&c), bombs[i].want) == NULL)
			fail_msg("bomb %zu: got \"%s\"", i, first_error(&c));
		if (clock() - before > 2 * CLOCKS_PER_SEC)
			fail_msg("bomb %zu took %ld ms", i,
				 (long)((clock() - before) * 1000 / CLOCKS_PER_SEC));
		if (arena_used(&c.arena) > 256u * 1024 * 1024)
			fail_msg("bomb %zu took %zu bytes", i, arena_used(&c.arena));
	}
}

static void a_source_above_the_limit_is_refused_unread(void **state)
{
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	AUTO(compiled_done) struct compiled c;
	struct wgsl_source src = { 0 };

	(void)state;
	repeat(&text, " ", WGSL_MAX_SOURCE + 1);
	src.text = buf_str(&text);
	src.len = text.len;
	compile_source(&c, &src);
	assert_int_equal(c.err.code, ERR_TOO_BIG);
	assert_string_equal(c.err.text, "the kernel has 262145 bytes, the limit is 262144");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bomb_is_answered_quickly),
		cmocka_unit_test(a_source_above_the_limit_is_refused_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
