/*
 * test_notes.c - the notes behind errors, and warnings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

static void notes_show_the_declaration(void **state)
{
	static const char text[] = "fn f(a: u32) {}\nfn g() { f(); }\n";
	struct wgsl_source src = { .text = text, .len = sizeof(text) - 1 };
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile_source(&c, &src);
	wgsl_diags_print(&c.diags, &src, &c.text);
	assert_string_equal(buf_str(&c.text),
			    "kernel.wgsl:2:10: error: 'f' takes 1 argument, not 0\n"
			    "  fn g() { f(); }\n"
			    "           ^\n"
			    "kernel.wgsl:1:4: note: declared here\n"
			    "  fn f(a: u32) {}\n"
			    "     ^\n");
}

/* The first that is no error. */
static void check_notes(void (*by)(struct compiled *c, const char *text),
			const struct compiled_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_diag *d;
		const char *got = "";

		by(&c, rows[i].text);
		for (size_t k = c.diags.n; k-- > 0;) {
			d = &c.diags.list[k];
			if (d->severity != WGSL_ERROR)
				got = arena_printf(&c.arena, "%u:%u: %s", d->line, d->column,
						   d->message);
		}
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s\n got  %s\n want %s", rows[i].text, got, rows[i].want);
	}
}

static const struct compiled_row in_modules[] = {
	{ "fn f(a: u32, n: u32) { if (a < n >> (2)) {} }",
	  "1:28: '<' with a '>' behind it opens a template list: put what is compared in (...)" },
	{ "fn f(a: u32, b: u32, c: u32) { let v = vec2<bool>(a < b, c > (b)); }",
	  "1:51: '<' with a '>' behind it opens a template list: put what is compared in (...)" },
	{ "fn f(p: ptr<private, u32>, q: ptr<private, u32>) { *p = *q; } var<private> a: u32; fn "
	  "g() { f(&a, &a); } @compute @workgroup_size(1) fn main() {}",
	  "1:95: 'p' is passed here" },
	{ "fn f(p: ptr<private, u32>) { *p = a; } var<private> a: u32; fn g() { f(&a); } @compute "
	  "@workgroup_size(1) fn main() {}",
	  "1:53: declared here" },
	{ "diagnostic(off, nonsense); @compute @workgroup_size(1) fn main() {}",
	  "1:17: unknown diagnostic rule 'nonsense'" },
	{ "@id(1) override a = 1; @id(1) override b = 1;", "1:17: first here" },
	{ "const a = 1; const a = 2;", "1:7: declared here before" },
	{ "fn f() { g(); } fn g() { f(); }", "1:26: called here" },
	{ "fn f() { f(); }", "1:10: called here" },
	{ "fn f(a: u32) {} fn g() { f(); }", "1:4: declared here" },
	{ "fn f(a: u32) {} fn g() { f(1i); }", "1:6: declared here" },
	{ "const a = 1; const b = a(1);", "1:7: declared here" },
	{ "const b = 1; const a: b = 1;", "1:7: declared here" },
	{ "const private = 1; var<private> a: u32;", "1:7: declared here" },
	{ "struct S { value: u32 } fn f() { _ = S(1).valeu; }", "1:12: declared here" },
	{ "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}",
	  "1:32: first here" },
	{ "fn f() {", "1:8: to close this '{'" },
	{ "const a = 1; fn f() { a = 2; }", "1:7: declared here" },
	{ "fn f(p: ptr<storage, u32>) { *p = 1; }", "1:6: declared here" },
};

static const struct compiled_row in_bodies[] = {
	{ "loop { if id.x == 1 { continue; } let z = 1u; if id.x == 2 { break; } continuing { o[0] "
	  "= z; } }",
	  "2:39: declared here" },
	{ "let a = 1; let a = 2;", "2:5: declared here before" },
	{ "let a = 1u; a = 2u;", "2:5: declared here" },
	{ "let a = 1; let b = a(1);", "2:5: declared here" },
	{ "id.x = 1;", "1:438: declared here" },
	{ "in[0] = 1.0;", "1:84: declared here" },
	{ "u.x = 1;", "1:36: declared here" },
	{ "switch id.x { case 1: {} case 1: {} default: {} }", "2:20: first here" },
};

static const struct compiled_row with_subgroups[] = {
	{ "if s == 0u { o[0] = subgroupAdd(1u); }",
	  "2:1: invocations part here: that depends on subgroup_invocation_id" },
	{ "@diagnostic(warning, subgroup_uniformity)if s == 0u { o[0] = subgroupAdd(1u); }",
	  "2:62: subgroupAdd must be reached by all invocations of a subgroup, but control flow "
	  "here may differ between them" },
};

static void notes_and_warnings_have_these_words(void **state)
{
	(void)state;
	check_notes(compile, in_modules, ARRAY_LEN(in_modules));
	check_notes(compile_body, in_bodies, ARRAY_LEN(in_bodies));
	check_notes(compile_subgroup_body, with_subgroups, ARRAY_LEN(with_subgroups));
}

static void a_note_says_what_to_convert_and_how(void **state)
{
	static const struct compiled_row rows[] = {
		{ "let x = 1i + id.x;", "2:14: WGSL converts only where asked: write i32(...)" },
		{ "let x = vec2i() * id.x;",
		  "2:19: WGSL converts only where asked: write i32(...)" },
		{ "let x = 1f * id;",
		  "2:14: WGSL converts only where asked: write vec3<f32>(...)" },
		{ "let x = id.x * 2.0;", "2:9: WGSL converts only where asked: write f32(...)" },
		{ "let x = 0.5 * id;",
		  "2:15: WGSL converts only where asked: write vec3<f32>(...)" },
		{ "let x = 1i << 2i;", "2:15: WGSL converts only where asked: write u32(...)" },
		{ "let x = id << vec3i();",
		  "2:15: WGSL converts only where asked: write vec3<u32>(...)" },
	};

	(void)state;
	check_notes(compile_body, rows, ARRAY_LEN(rows));
}

static void what_stays_zero_is_warned_of(void **state)
{
	static const struct compiled_row rows[] = {
		{ "atomicMin(&at, id.x + 1);",
		  "2:1: outputs begin as zeros, which a minimum of u32 never changes; keep the "
		  "maximum of ~x instead" },
		{ "atomicAnd(&at, id.x);",
		  "2:1: outputs begin as zeros, which an 'and' never changes; keep the 'or' of ~x "
		  "instead" },
		{ "if lane == 0 { atomicStore(&at, 9); }\natomicMin(&at, id.x);", "" },
		{ "atomicMax(&at, id.x);", "" },
	};

	(void)state;
	check_notes(compile_body, rows, ARRAY_LEN(rows));
}

static void a_barrier_that_some_miss_says_where_they_part(void **state)
{
	static const struct compiled_row rows[] = {
		{ "if lane == 1 { workgroupBarrier(); }",
		  "2:1: invocations part here: that depends on local_invocation_index" },
		{ "let a = o[0];\nif a == 1 { workgroupBarrier(); }",
		  "3:1: invocations part here: that depends on 'o', which other invocations may "
		  "change" },
		{ "if id.x == 1 { return; }\nworkgroupBarrier();",
		  "2:16: invocations part before, when some leave here: that depends on "
		  "global_invocation_id" },
		{ "var a = 1u; if lane == 1 { a = 2; }\nif a == 1 { workgroupBarrier(); }",
		  "3:1: invocations part here: that depends on local_invocation_index" },
	};

	(void)state;
	check_notes(compile_body, rows, ARRAY_LEN(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_show_the_declaration),
		cmocka_unit_test(notes_and_warnings_have_these_words),
		cmocka_unit_test(a_note_says_what_to_convert_and_how),
		cmocka_unit_test(what_stays_zero_is_warned_of),
		cmocka_unit_test(a_barrier_that_some_miss_says_where_they_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
