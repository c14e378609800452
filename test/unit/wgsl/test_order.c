/*
 * test_order.c - outputs of which every element is one invocation's, and those that only look so:
 * nested arrays, several of them, vectors, and atomics of several kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "compile.h"

struct row {
	const char *type; /* of the output o */
	const char *body;
	const char *want; /* the order, then its conditions */
};

#define LINE "Proved; invocations in y <= 1; invocations in z <= 1"
#define ASSUMED "Assumed"

static const struct row rows[] = {
	{ "array<u32>", "o[g.x] = 1;", LINE "; all indices lie inside of o" },
	/* Rows and columns of one table meet. */
	{ "array<array<u32, 64>>", "o[g.x][1] = 1; o[0][g.x] = 2;", ASSUMED },
	{ "array<array<u32, 64>>", "o[u.x][g.x] = 1; o[g.x][u.x] = 2;", ASSUMED },
	{ "array<array<u32, 64>>", "o[g.x][1] = 1; o[g.x][0] = 2;",
	  LINE "; all indices lie inside of o" },
	{ "array<array<u32, 64>>", "o[g.x][1] = 1; o[g.x][g.x] = 2;",
	  LINE "; all indices lie inside of o" },
	/* An index into a small array is clamped there, however long the output is. */
	{ "array<array<u32, 64>>", "o[0][g.x] = 1;", LINE "; invocations in x <= 64" },
	{ "array<array<u32, 64>>", "o[u.x][g.x + 4] = 1;", LINE "; invocations in x <= 60" },
	{ "array<array<u32, 64>>", "o[u.x][g.x * 3] = 1;", LINE "; invocations in x <= 22" },
	{ "array<array<u32, 64>>", "o[u.x][g.x + 64] = 1;", ASSUMED },
	{ "array<array<u32, 64>>", "o[u.x][g.x + u.y] = 1;", ASSUMED },
	{ "array<array<u32, 64>>", "o[0][g.x + 16 * g.y] = 1;",
	  "Proved; invocations in z <= 1; invocations in x <= 16; invocations in y <= 4" },
	{ "array<array<u32, 64>>", "o[0][g.x + 100 * g.y] = 1;",
	  "Proved; invocations in z <= 1; invocations in x <= 100; invocations in x <= 64; "
	  "invocations in y <= 1" },
	{ "array<array<u32, 64>>", "o[0][g.x + g.z] = 1;",
	  "Proved; invocations in y <= 1; invocations in x <= 1; invocations in z <= 64" },
	{ "array<vec4u>", "o[3][g.x] = 1;", LINE "; invocations in x <= 4" },
	{ "array<vec4u>", "o[g.x][g.y] = 1;",
	  "Proved; invocations in y <= 1; invocations in z <= 1; all indices lie inside of o" },
	{ "struct { a: array<u32, 64>, b: array<u32, 4> }", "o.a[g.x] = 1; o.b[g.x] = 2;",
	  LINE "; invocations in x <= 4" },
	{ "struct { a: array<u32, 64>, b: array<u32> }", "o.a[g.x] = 1; o.b[g.x] = 2;",
	  LINE "; invocations in x <= 64; all indices lie inside of o" },
	/* A step that is nobody's own does not matter beside one that is. */
	{ "array<array<u32, 64>>", "o[g.x][words[g.y]] = 1;",
	  LINE "; all indices lie inside of o" },
	{ "array<array<u32, 64>>", "o[words[g.x]][words[g.y]] = 1;", ASSUMED },
	/* Kinds of atomics. */
	{ "struct { x: atomic<u32>, y: atomic<u32> }",
	  "atomicAdd(&o.x, 1); atomicMax(&o.y, g.x); atomicMax(&o.y, 3);", "Proved" },
	{ "struct { x: atomic<u32>, y: atomic<u32> }",
	  "atomicAdd(&o.x, 1); atomicMax(&o.y, g.x); atomicAdd(&o.y, 1);",
	  "Proved; invocations in x <= 1; invocations in y <= 1; invocations in z <= 1" },
	{ "array<atomic<u32>>", "atomicAdd(&o[g.x / 2], 1); atomicSub(&o[7], 1);", "Proved" },
	{ "array<atomic<u32>>", "atomicAdd(&o[g.x / 2], 1); atomicMax(&o[7], 1);", "Assumed" },
};

struct shared_row {
	const char
	    *body; /* work-groups of 64; o is an array<u32>, m one of 64 in workgroup memory */
	bool is_proved;
};

#define FILL "m[index] = words[g.x]; workgroupBarrier(); "
#define TELL "if (index == 0) { o[w.x] = m[0]; }"

static const struct shared_row shared_rows[] = {
	/* A tree of sums. */
	{ FILL "for (var s = 32u; s > 0; s = s / 2) { if (index < s) { m[index] += m[index + s]; } "
	       "workgroupBarrier(); } " TELL,
	  true },
	{ FILL "for (var s = 32u; s > 0; s >>= 1) { if (l.x < s) { let x = m[l.x + s]; "
	       "m[l.x] = max(m[l.x], x); } workgroupBarrier(); } " TELL,
	  true },
	{ FILL "var s = 32u; loop { if (s > index) { m[index] = m[index] + m[s + index]; } "
	       "workgroupBarrier(); s = s >> 1; if (s == 0) { break; } } " TELL,
	  true },
	{ FILL "if (index < 32) { m[index] += m[index + 32]; } workgroupBarrier(); "
	       "if (index < 16) { m[index] += m[index + 16]; } workgroupBarrier(); " TELL,
	  true },
	/* Half trees, and what looks like one. */
	{ FILL "for (var s = 32u; s > 0; s = s / 2) { if (index < s) { m[index] += m[index + s]; } "
	       "} " TELL,
	  false },
	{ FILL "if (index < 32) { m[index] += m[index + 32]; } " TELL, false },
	{ FILL "if (index < 32) { m[index] += m[index + 32]; } "
	       "if (index < 16) { m[index] += m[index + 16]; } workgroupBarrier(); " TELL,
	  false },
	{ FILL "if (index < 32) { m[index] += m[index + 31]; } workgroupBarrier(); " TELL, false },
	{ FILL "if (index < 32) { m[index] += m[index + 32]; } else { m[index] = 0; } "
	       "workgroupBarrier(); " TELL,
	  false },
	{ FILL
	  "m[index] += 1; if (index < 32) { m[index] += m[index + 32]; } workgroupBarrier(); " TELL,
	  false },
	{ FILL "if (index < 64) { m[index] += m[index + 64]; } workgroupBarrier(); " TELL, false },
	{ FILL
	  "var s = u.x; if (index < s) { m[index] += m[index + s]; } workgroupBarrier(); " TELL,
	  false },
	{ FILL "var s = 32u; if (index < s) { s = 1; m[index] += m[index + s]; } "
	       "workgroupBarrier(); " TELL,
	  false },
	{ FILL "var s = 32u; let t = s; s = 1; if (index < t) { m[index] += m[index + s]; } "
	       "workgroupBarrier(); " TELL,
	  false },
	{ FILL "var s = 32u; let t = s; for (var i = 0; i < 2; i++) { if (index < t) { "
	       "m[index] += m[index + s]; } workgroupBarrier(); s = s / 2; } " TELL,
	  false },
	{ FILL "var s = 32u; if (index > 7) { s = 16; } if (index < s) { "
	       "m[index] += m[index + s]; } workgroupBarrier(); " TELL,
	  false },
	{ FILL "var s = 32u; if (u.x > 7) { s = 16; } if (index < s) { "
	       "m[index] += m[index + s]; } workgroupBarrier(); " TELL,
	  true },
	{ FILL
	  "if (u.x > 7) { if (index < 32) { m[index] = 1; } } else { if (index < 16) { m[index] "
	  "= 2; } } if (index < 32) { one = m[index + 32]; } workgroupBarrier(); " TELL,
	  false },
	{ FILL "if (index < 32) { m[index] += m[index + 32]; if (u.x == 1) { m[63] = 1; } } "
	       "workgroupBarrier(); " TELL,
	  false },
	{ FILL "if (index < 32) { one = m[index + 32]; } if (index == 0) { m[40] = 1; } "
	       "workgroupBarrier(); " TELL,
	  false },
	/* Both branches of a condition in which invocations part, at one time. */
	{ "if (index > 7) { o[g.x] = m[5]; } else { m[index] = 1; }", false },
	{ "if (index > 7) { m[index] = 1; } else { o[g.x] = m[9]; }", false },
	{ "switch (index) { case 3 { m[index] = 1; } default { o[g.x] = m[3]; } }", false },
	{ "if (u.x > 7) { o[g.x] = m[5]; } else { m[index] = 1; }", true },
	/* One invocation for all. */
	{ "if (index == 0) { one = words[w.x]; one += 1; } workgroupBarrier(); o[g.x] = one;",
	  true },
	{ "if (index == 3) { m[7] = 1; m[8] = m[7]; } workgroupBarrier(); o[g.x] = m[8] + one;",
	  true },
	{ "if (index == 0) { one = 1; } o[g.x] = one;", false },
	{ "if (index == 0) { one = 1; } if (index == 1) { one = 2; } workgroupBarrier(); "
	  "o[g.x] = one;",
	  false },
	{ "if (index == 0) { one = 1; } workgroupBarrier(); if (index == 1) { one = 2; } "
	  "workgroupBarrier(); o[g.x] = one;",
	  false },
	{ "if (index < 2) { one = index; } workgroupBarrier(); o[g.x] = one;", false },
	{ "m[index] = 1; if (index == 0) { m[5] = 2; } workgroupBarrier(); o[g.x] = m[5];", false },
	{ "if (index == 0) { m[5] = 2; } m[index] = 1; workgroupBarrier(); o[g.x] = m[5];", false },
	{ "o[g.x] = m[5]; if (index == 0) { m[5] = 2; } workgroupBarrier();", false },
	/* An index that another invocation may have stored. */
	{ "one = index; m[one] = 1; workgroupBarrier(); o[g.x] = m[5];", false },
};

struct pinned_row {
	const char *size;
	const char *body; /* o is an array<u32> */
	const char *want;
};

#define GROUPS "; work-groups in y <= 1; work-groups in z <= 1"
#define FIT "; all indices lie inside of o"

static const struct pinned_row pinned_rows[] = {
	/* One invocation of each work-group. */
	{ "64", "if (l.x == 0) { o[w.x] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "if (index == 5) { o[w.x * 2 + 1] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "if (0 == index && u.x > 3) { o[w.x] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "if (l.x > 0) { return; } o[w.x] = o[w.x] + 1;",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "if (l.x != 0 || u.x == 1) { return; } o[w.x] = 1;",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "let first = l.x < 1; var i = w.x; if (!first) { } else { o[i] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "if (i32(l.x) == 0) { o[w.x] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "8, 8", "if (index == 0) { o[w.x] = 1; }",
	  "Proved; work-groups in y <= 1; invocations in z <= 1" FIT },
	{ "8, 8", "if (all(l.xy == vec2u())) { o[w.x + w.y * u.x] = 1; }",
	  "Proved; invocations in z <= 1; work-groups in x <= u" FIT },
	{ "8, 8", "if (l.x == 3 && l.y == 0) { o[w.y] = 1; }",
	  "Proved; work-groups in x <= 1; invocations in z <= 1" FIT },
	{ "8, 8, 2", "if (index == 0) { o[w.x] = 1; }", "Proved" GROUPS FIT },
	/* The others on the other axis are still there. */
	{ "8, 8", "if (l.x == 0) { o[w.x] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "8, 8", "if (l.x == 0) { o[w.x + 100 * g.y] = 1; }",
	  "Proved; invocations in z <= 1; work-groups in x <= 100" FIT },
	/* No one stands for all. */
	{ "64", "o[w.x] = 1;", ASSUMED },
	{ "64", "if (l.x <= 1) { o[w.x] = 1; }", ASSUMED },
	{ "64", "if (l.x != 0) { o[w.x] = 1; }", ASSUMED },
	{ "64", "if (l.x == 0) { } o[w.x] = 1;", ASSUMED },
	{ "64", "if (l.x == u.x) { o[w.x] = 1; }", ASSUMED },
	{ "64", "if (l.x == 0 || u.x == 1) { o[w.x] = 1; }", ASSUMED },
	{ "64", "if (l.x == 0) { o[w.x] = 1; } else { o[w.x] = 2; }", ASSUMED },
	{ "64", "if (l.x == 0) { o[w.x] = 1; } if (l.x == 1) { o[w.x] = 2; }", ASSUMED },
	{ "64", "if (l.x == 0) { if (u.x == 1) { return; } } o[w.x] = 2;", ASSUMED },
	{ "64", "if (i32(l.x) < 1) { o[w.x] = 1; }", ASSUMED },
	{ "64", "var i = l.x; i = 0; if (i == 0) { o[w.x] = 1; }", ASSUMED },
	{ "64", "loop { if (l.x != 0) { break; } break; } o[w.x] = 1;", ASSUMED },
	{ "64", "switch (l.x) { case 0 { o[w.x] = 1; } default { } }", ASSUMED },
	/* One invocation of all. */
	{ "64", "if (g.x == 0) { o[3] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" },
	{ "64", "if (all(g == vec3u())) { o[3] = 1; o[u.x] = 2; }", "Proved" },
	{ "64", "if (w.x == 2 && l.x == 7) { o[u.x] = 1; }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" },
	{ "64", "if (g.x == 0) { for (var i = 0; i < 9; i++) { o[i] = words[i]; } }",
	  "Proved; invocations in y <= 1; invocations in z <= 1" },
	{ "64", "if (index == 0) { for (var i = 0; i < 9; i++) { o[i] = words[i]; } }",
	  "Proved; work-groups in x <= 1; invocations in y <= 1; invocations in z <= 1" },
	{ "64", "if (g.x == 0) { o[3] = 1; } if (g.x == 1) { o[3] = 2; }",
	  "Proved; invocations in x <= 1; invocations in y <= 1; invocations in z <= 1" },
	/* The global id from its parts. */
	{ "64", "o[w.x * 64 + l.x] = 1;",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "64", "let base = w.x * 64; o[index + base] = o[g.x];",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "8, 8", "o[(w.x * 8 + l.x) * 3 + 1] = 1;",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
	{ "8, 8", "o[w.x * 8 + l.x + (w.y * 8 + l.y) * u.x] = 1;",
	  "Proved; invocations in z <= 1; invocations in x <= u" FIT },
	{ "64", "o[w.x * 32 + l.x] = 1;", ASSUMED },
	{ "64", "o[w.x + l.x] = 1;", ASSUMED },
	{ "64", "o[l.x] = 1;", ASSUMED },
	{ "8, 8", "o[w.x * 64 + index] = 1;", ASSUMED },
	{ "1, 64", "o[w.x + l.x] = 1;",
	  "Proved; invocations in y <= 1; invocations in z <= 1" FIT },
};

static void compile_row(struct compiled *c, const char *size, const char *type, const char *body)
{
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	struct wgsl_source src = { 0 };
	struct err err = { 0 };

	if (strncmp(type, "struct", 6) == 0)
		buf_note(&text, "struct O %s\n", type + 6);
	buf_note(&text,
		 "@group(0) @binding(0) var<storage, read_write> o: %s;\n"
		 "@group(0) @binding(1) var<uniform> u: vec4u;\n"
		 "@group(0) @binding(2) var<storage> words: array<u32>;\n"
		 "var<workgroup> m: array<u32, 64>; var<workgroup> one: u32;\n"
		 "@compute @workgroup_size(%s) fn main(@builtin(global_invocation_id) g: vec3u, "
		 "@builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u, "
		 "@builtin(local_invocation_index) index: u32) {\n",
		 strncmp(type, "struct", 6) == 0 ? "O" : type, size);
	assert_int_equal(buf_adds(&text, body, &err), 0);
	buf_note(&text, "\n}\n");
	src.text = buf_str(&text);
	src.len = text.len;
	compile_source(c, &src);
}

static void check_row(const char *size, const char *type, const char *body, const char *want)
{
	AUTO(compiled_done) struct compiled c;
	AUTO(buf_done) struct buf got = { .max = 4096 };
	const struct wgsl_binding *b;

	compile_row(&c, size, type, body);
	assert_string_equal(first_error(&c), "");
	b = wgsl_find_binding(c.m, "o");
	buf_note(&got, "%s", wgsl_order_name(b->order));
	for (uint32_t i = 0; i < b->n_conditions; i++)
		buf_note(&got, "; %s", b->conditions[i].text);
	if (strcmp(buf_str(&got), want) != 0)
		fail_msg("%s: %s: got \"%s\"", type, body, buf_str(&got));
}

static void orders_and_their_conditions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row("64", rows[i].type, rows[i].body, rows[i].want);
}

/* What conditions say of ids. */
static void invocations_that_stand_for_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pinned_rows); i++)
		check_row(pinned_rows[i].size, "array<u32>", pinned_rows[i].body,
			  pinned_rows[i].want);
}

static void work_group_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shared_rows); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_binding *b;

		compile_row(&c, "64", "array<u32>", shared_rows[i].body);
		assert_string_equal(first_error(&c), "");
		b = wgsl_find_binding(c.m, "o");
		if ((b->order == WGSL_ORDER_PROVED) != shared_rows[i].is_proved)
			fail_msg("%s: %s", shared_rows[i].body, b->order_reason);
	}
}

/* More accesses than pairs are looked at: the last one counts, too. */
static void an_atomic_of_another_kind_behind_many(void **state)
{
	AUTO(buf_done) struct buf body = { .max = 64 * 1024 };

	(void)state;
	for (int i = 0; i < 600; i++)
		buf_note(&body, "atomicAdd(&o.x, 1);\n");
	check_row("64", "struct { x: atomic<u32>, y: u32 }", buf_str(&body), "Proved");
	buf_note(&body, "atomicMax(&o.x, g.x);\n");
	check_row("64", "struct { x: atomic<u32>, y: u32 }", buf_str(&body),
		  "Proved; invocations in x <= 1; invocations in y <= 1; invocations in z <= 1");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_and_their_conditions),
		cmocka_unit_test(invocations_that_stand_for_others),
		cmocka_unit_test(work_group_memory),
		cmocka_unit_test(an_atomic_of_another_kind_behind_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
