/*
 * test_bombs.c - text made to crash, hang or fill memory: refused, or compiled, quickly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

static const char out[] = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n";
static const char entry_w[] =
    "var<workgroup> w: u32; @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) "
    "l: u32) {";
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

static void many_else_ifs(struct buf *b)
{
	buf_note(b, "%s%s if o[0] == 1 { o[1] = 1; }", out, entry);
	for (int i = 0; i < 3000; i++)
		buf_note(b, " else if o[0] == %du { o[2] = %du; }", i, i);
	buf_note(b, "}");
}

static void varying_else_ifs(struct buf *b)
{
	buf_note(b,
		 "%s@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) "
		 "{ var v = 0u; if i == 1 { v = 1; }",
		 out);
	for (int n = 0; n < 4000; n++)
		buf_note(b, " else if i == %du { v = %du; }", n, n);
	buf_note(b, "o[i] = v; }");
}

static void nested_else_ifs(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	for (int i = 0; i < 100; i++)
		buf_note(b, "if o[0] == 1 {} else if o[0] == 2 {} else if o[0] == 3 {} else {");
	repeat(b, "}", 100);
	buf_note(b, "}");
}

static void many_attributes(struct buf *b)
{
	repeat(b, "@compute ", 20000);
	buf_note(b, "fn main() {}");
}

static void many_filters(struct buf *b)
{
	repeat(b, "diagnostic(off,a);", 12000);
	buf_note(b, "%s%s}", out, entry);
}

static void filters_of_many_rules(struct buf *b)
{
	for (int i = 0; i < 10500; i++)
		buf_note(b, "@diagnostic(off,a%x)", i);
	buf_note(b, "fn f(){} %s%s}", out, entry);
}

static void many_braces(struct buf *b)
{
	repeat(b, "{}", 100000);
}

static void long_name(struct buf *b)
{
	buf_note(b, "%sconst ", out);
	repeat(b, "abcdefgh", 15000);
	buf_note(b, " = 1; %s o[0] = ", entry);
	repeat(b, "abcdefgh", 15000);
	buf_note(b, "; }");
}

static void unknown_long_names(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	for (int i = 0; i < 6000; i++)
		buf_note(b, "o[0] = unknown_name_with_number_%d;", i);
	buf_note(b, "}");
}

static void long_number(struct buf *b)
{
	buf_note(b, "%s%s o[0] = ", out, entry);
	repeat(b, "1", 200000);
	buf_note(b, "; }");
}

static void long_fraction(struct buf *b)
{
	buf_note(b, "%s%s o[0] = u32(0.", out, entry);
	repeat(b, "1", 200000);
	buf_note(b, "); }");
}

static void shift_chain(struct buf *b)
{
	buf_note(b, "%s%s o[0] = 1", out, entry);
	repeat(b, "<<(1", 20000);
	repeat(b, ")", 20000);
	buf_note(b, "; }");
}

static void index_chain(struct buf *b)
{
	buf_note(b, "%s%s o[0] = o", out, entry);
	repeat(b, "[o", 20000);
	repeat(b, "[0]]", 20000);
	buf_note(b, "; }");
}

static void deref_chain(struct buf *b)
{
	buf_note(b, "%s%s ", out, entry);
	repeat(b, "*&", 60000);
	buf_note(b, "o[0] = 1; }");
}

static void many_params(struct buf *b)
{
	buf_note(b, "fn f(");
	for (int i = 0; i < 20000; i++)
		buf_note(b, "a%d:u32,", i);
	buf_note(b, ") {} %s}", entry);
}

static void many_arguments(struct buf *b)
{
	buf_note(b, "%s%s o[0] = min(", out, entry);
	repeat(b, "1,", 100000);
	buf_note(b, "1); }");
}

static void long_array_value(struct buf *b)
{
	buf_note(b, "%sconst a = array(", out);
	repeat(b, "1,", 60000);
	buf_note(b, "1); %s o[0] = u32(a[5]); }", entry);
}

static void array_of_arrays(struct buf *b)
{
	buf_note(b, "%s%s var a: array<array<array<array<u32, 1000>, 1000>, 1000>, 1000>; }", out,
		 entry);
}

static void many_structs(struct buf *b)
{
	buf_note(b, "%s", out);
	for (int i = 0; i < 8000; i++)
		buf_note(b, "struct S%d { a: u32 }", i);
	buf_note(b, "%s}", entry);
}

static void many_members(struct buf *b)
{
	buf_note(b, "%sstruct S {", out);
	for (int i = 0; i < 15000; i++)
		buf_note(b, "m%d: u32,", i);
	buf_note(b, "} @group(0) @binding(1) var<storage> s: S; %s o[0] = s.m14999; }", entry);
}

static void many_bad_members(struct buf *b)
{
	buf_note(b, "%sstruct S {", out);
	for (int i = 0; i < 5000; i++)
		buf_note(b, "m%d: u32,", i);
	buf_note(b, "} @group(0) @binding(1) var<storage> s: S; %s", entry);
	repeat(b, "o[0] = s.nm;", 12000);
	buf_note(b, "}");
}

static void many_overrides(struct buf *b)
{
	buf_note(b, "%s", out);
	for (int i = 0; i < 6000; i++)
		buf_note(b, "@id(%d) override c%d = %d;", i, i, i);
	buf_note(b, "%s}", entry);
}

static void many_functions(struct buf *b)
{
	buf_note(b, "%s", out);
	for (int i = 0; i < 8000; i++)
		buf_note(b, "fn f%d(p:ptr<private,u32>){}", i);
	buf_note(b, "%s}", entry);
}

static void many_aliases(struct buf *b)
{
	buf_note(b,
		 "%svar<private> x: u32; fn f(p: ptr<private, u32>, q: ptr<private, u32>) -> u32 "
		 "{ return *p + *q; } %s var s = 0u;",
		 out, entry);
	repeat(b, "s+=f(&x,&x);", 4000);
	buf_note(b, "o[0] = s; }");
}

static void wide_calls(struct buf *b)
{
	buf_note(b, "%svar<private> x: u32; fn f(", out);
	for (int i = 0; i < 255; i++)
		buf_note(b, "p%d: ptr<private, u32>,", i);
	buf_note(b, ") { _ = *p0; } fn g() {");
	for (int i = 0; i < 190; i++) {
		buf_note(b, "f(");
		repeat(b, "&x,", 255);
		buf_note(b, ");");
	}
	buf_note(b, "} %s g(); }", entry);
}

static void accesses_of_many(struct buf *b)
{
	buf_note(b, "%sfn f0(p: ptr<private, u32>) { *p = 1; }", out);
	for (int i = 0; i < 2000; i++)
		buf_note(b, "var<private> v%d: u32;", i);
	for (int i = 1; i < 2000; i++)
		buf_note(b, "fn f%d(){f0(&v%d);v%d=1;}", i, i, i);
	buf_note(b, "%s}", entry);
}

static void pointer_lets(struct buf *b)
{
	buf_note(b, "%s%s let p0 = &o;", out, entry);
	for (int i = 1; i < 8000; i++)
		buf_note(b, "let p%d=p%d;", i, i - 1);
	buf_note(b, "p7999[0] = 1; }");
}

static void nested_loops(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	for (int i = 0; i < 100; i++)
		buf_note(b, "for(var i%d=0u;i%d<o[%d];i%d++){", i, i, i, i);
	buf_note(b, "o[0]+=1u;");
	repeat(b, "}", 100);
	buf_note(b, "}");
}

static void many_loops(struct buf *b)
{
	buf_note(b, "%s%s", out, entry);
	repeat(b, "for(var i=0u;i<o[0];i++){o[1]+=i;}", 2000);
	buf_note(b, "}");
}

static void many_barriers(struct buf *b)
{
	buf_note(b,
		 "%s@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {",
		 out);
	for (int n = 0; n < 3000; n++)
		buf_note(b, "if i == %du { o[i] = 1; } workgroupBarrier();", n);
	buf_note(b, "}");
}

static void failing_asserts(struct buf *b)
{
	repeat(b, "const_assert false;", 12000);
	buf_note(b, "%s%s}", out, entry);
}

static void deep_const(struct buf *b)
{
	buf_note(b, "%sconst a0 = vec4(1.0);", out);
	for (int i = 1; i < 5000; i++)
		buf_note(b, "const a%d=a%d*0.5+a%d*0.5;", i, i - 1, i - 1);
	buf_note(b, "%s}", entry);
}

static void doubling_constants(struct buf *b)
{
	buf_note(b, "%sconst a0 = array(1, 2);", out);
	for (int i = 1; i < 40; i++)
		buf_note(b, "const a%d = array(a%d, a%d);", i, i - 1, i - 1);
	buf_note(b, "%s}", entry);
}

static void doubling_conversions(struct buf *b)
{
	buf_note(b, "%sconst a0 = array(1, 2);", out);
	for (int i = 1; i < 30; i++)
		buf_note(b, "const a%d = array(a%d, a%d);", i, i - 1, i - 1);
	buf_note(b, "%s let x = a29; }", entry);
}

static void table_conversions(struct buf *b)
{
	buf_note(b, "%sconst t = array(", out);
	repeat(b, "1,", 1500);
	buf_note(b, "1); %s var s = 0;", entry);
	repeat(b, "s+=t[s];", 10000);
	buf_note(b, "o[0] = u32(s); }");
}

static void shadowing(struct buf *b)
{
	buf_note(b, "%s%s let a = o[0];", out, entry);
	for (int i = 0; i < 120; i++)
		buf_note(b, "{ let a = a + 1u; let b = a;");
	repeat(b, "}", 120);
	buf_note(b, "}");
}

static void not_utf8(struct buf *b)
{
	repeat(b, "\xc3\x28", 100000);
}

static void code_points(struct buf *b)
{
	for (int i = 0; i < 40000; i++)
		buf_note(b, "\xf0\x90\xb0\x93 ");
}

static void semicolons(struct buf *b)
{
	repeat(b, ";", 262000);
}

/* Assignments to many variables, as deep as statements nest, around a barrier. */
static void assignments_in_depth(struct buf *b)
{
	static const char *const opens[] = { "if u>5{", "loop{", "switch u{default{" };
	static const char *const closes[] = { "}", "break;}", "}}" };

	buf_note(b, "%s%slet u=workgroupUniformLoad(&w);", out, entry_w);
	for (int i = 0; i < 7000; i++)
		buf_note(b, "var v%d=u;", i);
	for (int i = 0; i < 60; i++)
		buf_note(b, "%s", opens[i % 3]);
	for (int i = 0; i < 7000; i++)
		buf_note(b, "v%d=v%d;", i, i + 1 < 7000 ? i + 1 : 0);
	buf_note(b, "if v3==1{workgroupBarrier();}");
	for (int i = 60; i-- > 0;)
		buf_note(b, "%s", closes[i % 3]);
	buf_note(b, "}");
}

/* Many ways out of a loop, each with other values of many variables. */
static void many_ways_out(struct buf *b)
{
	buf_note(b, "%s%slet u=workgroupUniformLoad(&w);", out, entry_w);
	for (int i = 0; i < 4000; i++)
		buf_note(b, "var v%d=u;", i);
	buf_note(b, "loop{");
	for (int i = 0; i < 4000; i++)
		buf_note(b, "v%d+=1;if u==%d{break;}", i, i);
	buf_note(b, "}if v3==1{workgroupBarrier();}}");
}

/* A chain through loops: each pass makes one more variable differ. */
/* Each variable is of 8 KiB in structs in structs in arrays in arrays. */
static void large_zeros(struct buf *b)
{
	buf_note(b, "%salias T = ", out);
	repeat(b, "array<", 50);
	buf_note(b, "array<u32, 33>");
	repeat(b, ", 1>", 50);
	buf_note(b, "; struct A0 { a: T }\n");
	for (int i = 1; i < 6; i++)
		buf_note(b, "struct A%d { a: A%d, b: A%d }\n", i, i - 1, i - 1);
	buf_note(b, "%s", entry);
	repeat(b, "{ var x: A5; }\n", 15000);
	buf_note(b, "}");
}

static void chain_over_passes(struct buf *b)
{
	buf_note(b, "%s%slet u=workgroupUniformLoad(&w);", out, entry_w);
	for (int i = 0; i < 3000; i++)
		buf_note(b, "var v%d=u;", i);
	for (int i = 0; i < 100; i++)
		buf_note(b, "loop{if u==%d{break;}", i);
	for (int i = 0; i < 2999; i++)
		buf_note(b, "v%d=v%d;", i, i + 1);
	buf_note(b, "v2999=l;if v0==1{workgroupBarrier();}");
	repeat(b, "}", 100);
	buf_note(b, "}");
}

/* Calls in deep expressions. */
static void nested_expressions(struct buf *b)
{
	buf_note(b, "%sfn f0(x: u32) -> u32 { return x; }", out);
	for (int i = 1; i < 8; i++) {
		buf_note(b, "fn f%d(x: u32) -> u32 { return ", i);
		repeat(b, "(1u+", 400);
		buf_note(b, "f%d(x)", i - 1);
		repeat(b, ")", 400);
		buf_note(b, "; }");
	}
	buf_note(b, "%s o[0] = f7(o[1]); }", entry);
}

static void struct_chain(struct buf *b)
{
	buf_note(b, "struct S0 { a: u32 }");
	for (int i = 1; i < 70; i++)
		buf_note(b, "struct S%d { a: S%d }", i, i - 1);
}

static void many_bindings(struct buf *b)
{
	for (int i = 0; i < 65; i++)
		buf_note(b, "@group(0) @binding(%d) var<storage, read_write> b%d: u32;\n", i, i);
	buf_note(b, "%s", entry);
	for (int i = 0; i < 65; i++)
		buf_note(b, "b%d = 1;", i);
	buf_note(b, "}");
}

/* More tables than are remembered with what they were converted to. */
static void conversions_in_turn(struct buf *b)
{
	for (int i = 0; i < 100; i++) {
		buf_note(b, "const t%d = array(%d", i, i);
		repeat(b, ",1", 300);
		buf_note(b, ");");
	}
	buf_note(b, "%s var s = 0;\n", entry);
	for (int i = 0; i < 5000; i++)
		buf_note(b, "s+=t%d[s];", i % 100);
	buf_note(b, "}");
}

/* Each loop has a value of each variable at its start and at its end. */
static void variables_of_nested_loops(struct buf *b)
{
	buf_note(b, "%slet u=workgroupUniformLoad(&w);", entry_w);
	for (int i = 0; i < 5500; i++)
		buf_note(b, "var v%d=u;", i);
	repeat(b, "loop{if u==1{break;}", 120);
	for (int i = 0; i < 5499; i++)
		buf_note(b, "v%d=v%d;", i, i + 1);
	buf_note(b, "v5499=l;if v0==1{workgroupBarrier();}");
	repeat(b, "if u==2{break;}}", 120);
	buf_note(b, "}");
}

struct bomb {
	void (*make)(struct buf *b);
	const char *want; /* the first error; NULL: it compiles */
};

static const struct bomb bombs[] = {
	{ calls_twice,
	  "34:32: the kernel is too large: more than 65536 instructions with all calls expanded" },
	{ parentheses, "2:560: the expression nests too deeply (limit 512)" },
	{ unary_operators, "2:559: the expression nests too deeply (limit 512)" },
	{ long_sum, "2:1073: the expression is more than 512 operators deep" },
	{ many_cases, NULL },
	{ many_selectors, NULL },
	{ huge_workgroup_array, "2:30: the array is larger than 2 GiB" },
	{ gigabyte_of_workgroup,
	  "2:16: workgroup variables take 1073741824 bytes, more than the limit of 32768" },
	{ deep_call_chain, "5002:32: calls nest 5000 deep (limit 64)" },
	{ deep_blocks, "2:168: statements nest too deeply (limit 128)" },
	{ long_else_chain, NULL },
	{ deep_types, "2:3121: the expression nests too deeply (limit 512)" },
	{ alias_chain, "67:24: the type nests too deeply (limit 64)" },
	{ backward_constants, "1002:21: declarations depend on each other too deeply" },
	{ doubling_structs, "28:84: private and function variables take more than 32768 bytes per "
			    "invocation with all calls expanded" },
	{ big_copies, "2:9542: the kernel is too large with all calls expanded" },
	{ huge_constant, "2:81: private and function variables take more than 32768 bytes per "
			 "invocation with all calls expanded" },
	{ open_comments, "1:1: the comment has no end" },
	{ open_templates, "2:52: comparisons do not chain: write a < b && b < c" },
	{ many_errors, "2:40: unknown name 'x'" },
	{ member_chain, "2:1074: the expression is more than 512 operators deep" },
	{ nested_calls_inlined, "23:133: control flow nests too deeply with all calls expanded" },
	{ chained_variables, NULL },
	{ doubling_values, NULL },
	{ recursion, "1:20: 'b' calls itself (directly or through others), which WGSL forbids" },
	{ endless_loop, NULL },
	{ too_much_private, "2:79: private variables take more than 8192 bytes per invocation" },
	{ many_else_ifs, NULL },
	{ varying_else_ifs, NULL },
	{ nested_else_ifs, NULL },
	{ many_attributes, "1:11: @compute stands twice" },
	{ many_filters, NULL },
	{ filters_of_many_rules, NULL },
	{ many_braces,
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found '{'" },
	{ long_name, NULL },
	{ unknown_long_names, "2:47: unknown name 'unknown_name_with_number_0'" },
	{ long_number, "2:48: the value does not fit into 64 bits" },
	{ long_fraction, "2:52: not a number that f64 can hold" },
	{ shift_chain, "2:2096: the expression nests too deeply (limit 512)" },
	{ index_chain, "2:1072: the expression nests too deeply (limit 512)" },
	{ deref_chain, "2:553: the expression nests too deeply (limit 512)" },
	{ many_params, "1:2191: a function has at most 255 parameters" },
	{ many_arguments, "2:48: min takes 2 arguments, not 100001" },
	{ long_array_value, NULL },
	{ array_of_arrays, "2:91: the array is larger than 2 GiB" },
	{ many_structs, NULL },
	{ many_members, NULL },
	{ many_bad_members, "2:53992: struct S has no member 'nm'" },
	{ many_overrides, NULL },
	{ many_functions, NULL },
	{ many_aliases, NULL },
	{ wide_calls, "2:152203: the kernel is too large: more than 65536 instructions with all "
		      "calls expanded" },
	{ accesses_of_many, NULL },
	{ pointer_lets, NULL },
	{ nested_loops, NULL },
	{ many_loops, NULL },
	{ many_barriers, NULL },
	{ failing_asserts, "1:1: const_assert failed" },
	{ deep_const, NULL },
	{ doubling_constants, "2:735: the array is larger than 2 GiB" },
	{ doubling_conversions, "2:735: the array is larger than 2 GiB" },
	{ table_conversions, NULL },
	{ shadowing, NULL },
	{ not_utf8, "1:1: the text is not UTF-8, or holds a NUL character" },
	{ code_points,
	  "1:1: expected a declaration (fn, var, const, override, struct, alias), found '𐰓'" },
	{ semicolons, "1:1: there is no entry point: mark a function with @compute" },
	{ assignments_in_depth, NULL },
	{ many_ways_out, NULL },
	{ large_zeros, NULL },
	{ chain_over_passes, "2:70902: a barrier must be reached by all invocations of a "
			     "work-group, but control flow here may differ between them" },
	{ nested_expressions, "2:2096: expressions nest too deeply with all calls expanded" },
	{ struct_chain, "1:1338: the type nests too deeply (limit 64)" },
	{ many_bindings, "65:49: more than 64 bindings" },
	{ conversions_in_turn,
	  "2:32884: constant arrays of abstract numbers become too large (limit 1000000)" },
	{ variables_of_nested_loops,
	  "1:109: the kernel is too large to see whether all invocations get here" },
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
					  : strcmp(first_error(&c), bombs[i].want) != 0)
			fail_msg("bomb %zu: got \"%s\"", i, first_error(&c));
		if (getenv("KWARP_SLOW") != NULL)
			print_message("bomb %zu: %ld ms, %zu KiB\n", i,
				      (long)((clock() - before) * 1000 / CLOCKS_PER_SEC),
				      arena_used(&c.arena) / 1024);
		if (clock() - before > 2 * CLOCKS_PER_SEC)
			fail_msg("bomb %zu took %ld ms", i,
				 (long)((clock() - before) * 1000 / CLOCKS_PER_SEC));
		if (arena_used(&c.arena) > 256u * 1024 * 1024)
			fail_msg("bomb %zu took %zu bytes", i, arena_used(&c.arena));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bomb_is_answered_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
