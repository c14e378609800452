/*
 * test_analysis.c - class and order of outputs, uniform values, ranges and counters of loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

/* ---- classes and orders ------------------------------------------------------------------- */

struct verdict {
	const char *body; /* compile_body */
	const char *output;
	const char *want; /* "Exact Proved: reason" */
};

static const struct verdict verdicts[] = {
	{ "o[id.x] = id.x;", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "o[id.x] = id.x;", "f", "Exact Proved: never written" },
	{ "f[id.x] = in[id.x];", "f",
	  "Deterministic Proved: each element is written by at most one invocation" },
	{ "f[id.x] = in[id.x] / 4.0;", "f",
	  "Deterministic Proved: each element is written by at most one invocation" },
	{ "f[id.x] = in[id.x] / 3.0;", "f",
	  "Tolerance Proved: each element is written by at most one invocation" },
	{ "o[id.x] = u32(sqrt(in[0]));", "o",
	  "Tolerance Proved: each element is written by at most one invocation" },
	{ "if sin(in[id.x]) > 0.5 { o[id.x] = 1u; }", "o",
	  "Tolerance Proved: each element is written by at most one invocation" },
	{ "o[id.x] = 1u; if exp(in[0]) > 1.0 { f[id.x] = 1.0; }", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "if exp(in[0]) > 1.0 { return; } o[id.x] = 1u;", "o",
	  "Tolerance Proved: each element is written by at most one invocation" },
	{ "var n = 0u; loop { n++; if in[n] > 0.0 { break; } } o[id.x] = n;", "o",
	  "Deterministic Proved: each element is written by at most one invocation" },
	{ "var n = 0u; for (var i = 0u; i < 9u; i++) { if log(in[i]) > 0.0 { continue; } n++; } "
	  "o[id.x] = n;",
	  "o", "Tolerance Proved: each element is written by at most one invocation" },
	{ "let x = bitcast<u32>(in[0] * in[1]); o[id.x] = x;", "o",
	  "Deterministic Proved: each element is written by at most one invocation" },
	{ "atomicAdd(&at, 1u);", "at", "Exact Proved: atomic add, result unused" },
	{ "atomicAdd(&at, 1u); atomicSub(&at, 2u);", "at",
	  "Exact Proved: atomic add, result unused" },
	{ "if in[0] > 0.5 { atomicMax(&at, id.x); }", "at",
	  "Deterministic Proved: atomic max, result unused" },
	{ "atomicAdd(&at, 1u); atomicMax(&at, 2u);", "at",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "let x = atomicAdd(&at, 1u); o[x] = id.x;", "o",
	  "Exact Assumed: an atomic's old value is used (line 2)" },
	{ "let x = atomicAdd(&at, 1u); o[x] = id.x;", "at",
	  "Exact Assumed: an atomic's old value is used (line 2)" },
	{ "atomicStore(&at, id.x);", "at",
	  "Exact Assumed: an atomic stores or exchanges a value (line 2)" },
	{ "o[words[id.x]] = id.x;", "o",
	  "Exact Assumed: its indices may be equal in different invocations" },
	{ "o[id.x] = o[id.x] + 1u;", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "o[id.x] = o[id.x + 1u];", "o",
	  "Exact Assumed: memory is read that other invocations write (line 2)" },
	{ "o[id.x * 4u] = 1u;", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "o[id.x / 2u] = 1u;", "o",
	  "Exact Assumed: its indices may be equal in different invocations" },
	{ "let i = id.y * u.x + id.x; o[i] = i;", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "var i = id.x + 16u * id.y; o[i] = i;", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "w[lane] = id.x; workgroupBarrier(); o[id.x] = w[63u - lane];", "o",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "w[lane] = id.x; o[id.x] = w[63u - lane];", "o",
	  "Exact Assumed: values come from workgroup memory (line 2)" },
	{ "w[id.x % 3u] = id.x; workgroupBarrier(); o[id.x] = w[lane];", "o",
	  "Exact Assumed: values come from workgroup memory (line 2)" },
	{ "for (var i = 0u; i < u.x; i++) { w[lane] = i; workgroupBarrier(); o[id.x] = w[0]; }",
	  "o", "Exact Assumed: values come from workgroup memory (line 2)" },
	{ "for (var i = 0u; i < u.x; i++) { w[lane] = i; workgroupBarrier(); o[id.x] = w[0]; "
	  "workgroupBarrier(); }",
	  "o", "Exact Proved: each element is written by at most one invocation" },
	{ "w[lane] = lane; w[lane] += 2u; workgroupBarrier(); o[id.x] = w[0];", "o",
	  "Exact Proved: each element is written by at most one invocation" },
};

static void outputs_get_these_verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_binding *b;
		char got[300];

		compile_body(&c, verdicts[i].body);
		assert_string_equal(first_error(&c), "");
		b = wgsl_find_binding(c.m, verdicts[i].output);
		snprintf(got, sizeof(got), "%s %s: %s", wgsl_class_name(b->numeric_class),
			 wgsl_order_name(b->order), b->order_reason);
		if (strcmp(got, verdicts[i].want) != 0)
			fail_msg("%s: got \"%s\"", verdicts[i].body, got);
	}
}

static void reasons_name_the_operation_and_line(void **state)
{
	AUTO(compiled_done) struct compiled c;
	AUTO(compiled_done) struct compiled d;
	AUTO(compiled_done) struct compiled e;

	(void)state;
	compile_body(&c, "let x = 1u;\nif exp(in[0]) > 1.0 { o[id.x] = x; }");
	assert_string_equal(wgsl_find_binding(c.m, "o")->class_reason,
			    "decided by exp (line 3), which has no fixed bits");
	assert_int_equal(c.m->numeric_class, WGSL_CLASS_TOLERANCE);
	compile_body(&d, "f[id.x] =\nin[0] / in[1];");
	assert_string_equal(wgsl_find_binding(d.m, "f")->class_reason,
			    "computed with f32 division (line 3), which has no fixed bits");
	compile(&e, "enable kwarp_f64; @group(0) @binding(0) var<storage, read_write> a: f64;\n"
		    "@group(0) @binding(1) var<storage, read_write> b: u32;\n"
		    "@compute @workgroup_size(1) fn main() {\n"
		    "let x = a * 0.5lf; a = x; if x < 1 { b = 1; } }");
	assert_string_equal(wgsl_find_binding(e.m, "a")->class_reason,
			    "computed with f64 values (line 4), only operations with fixed bits");
	assert_string_equal(wgsl_find_binding(e.m, "b")->class_reason,
			    "decided by f64 values (line 4), only operations with fixed bits");
}

static void conditions_of_an_order_can_be_checked(void **state)
{
	AUTO(compiled_done) struct compiled c;
	const struct wgsl_binding *b;

	(void)state;
	compile_body(&c, "o[u.y + id.z * u.x * 2u + id.x * 1u] = 1u;");
	b = wgsl_find_binding(c.m, "o");
	assert_int_equal(b->order, WGSL_ORDER_ASSUMED);
	{
		AUTO(compiled_done) struct compiled d;

		compile_body(&d, "o[u.y + id.z * u.x + id.x + 5u] = 1u;");
		b = wgsl_find_binding(d.m, "o");
		assert_int_equal(b->order, WGSL_ORDER_PROVED);
		assert_int_equal(b->n_conditions, 3);
		assert_string_equal(b->conditions[0].text, "invocations in y <= 1");
		assert_int_equal(b->conditions[0].at_most, 1);
		assert_int_equal(b->conditions[0].axis, 1);
		assert_true(b->conditions[1].has_uniform);
		assert_int_equal(b->conditions[1].uniform_offset, 0);
		assert_int_equal(b->conditions[1].axis, 0);
		assert_true(b->conditions[2].is_fit);
		assert_int_equal(b->conditions[2].base[0].offset, 4);
		assert_int_equal(b->conditions[2].base[1].factor, 5);
		assert_int_equal(b->conditions[2].stride[0].factor, 1);
		assert_true(b->conditions[2].stride[2].has_uniform);
	}
}

/* ---- loops -------------------------------------------------------------------------------- */

static const struct wgsl_inst *find(const struct wgsl_block *b, enum wgsl_op op, int *skip)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next) {
		const struct wgsl_inst *in;

		if (i->op == op && (*skip)-- == 0)
			return i;
		for (int k = 0; k < 2; k++) {
			in = find(&i->blocks[k], op, skip);
			if (in != NULL)
				return in;
		}
	}
	return NULL;
}

static const struct wgsl_inst *nth(const struct compiled *c, enum wgsl_op op, int n)
{
	return find(&c->m->fn.body, op, &n);
}

struct loop_row {
	const char *body;
	int which;
	bool needs_counter;
	uint64_t max_passes;
	bool is_uniform;
};

static const struct loop_row loops[] = {
	{ "for (var i = 0u; i < 10u; i++) { o[i] = 1u; }", 0, false, 10, true },
	{ "for (var i = 0; i < 10; i += 3) { o[i] = 1u; }", 0, false, 4, true },
	{ "for (var i = 0u; i < u.x; i++) { o[i] = 1u; }", 0, true, 0, true },
	{ "for (var i = 0u; i < (u.x & 15u); i++) { o[i] = 1u; }", 0, false, 15, true },
	{ "for (var i = 0u; i < id.x; i++) { o[i] = 1u; }", 0, true, 0, false },
	{ "for (var i = 0u; i < 10u; i++) { i += 1u; }", 0, true, 0, true },
	{ "for (var i = 0u; i < 100000u; i++) { }", 0, true, 100000, true },
	{ "for (var i = 0u; i < 300u; i++) { for (var k = 0u; k < 300u; k++) { o[k] = i; } }", 0,
	  false, 300, true },
	{ "for (var i = 0u; i < 300u; i++) { for (var k = 0u; k < 300u; k++) { o[k] = i; } }", 1,
	  true, 300, true },
	{ "for (var i = 0u; i < u.x; i++) { for (var k = 0u; k < 300u; k++) { o[k] = i; } }", 1,
	  false, 300, true },
	{ "var i = 0u; let x = i; for (; x < 10u; i++) { o[0] = i; }", 0, true, 0, true },
	{ "for (var i = 0u; i < 10u; i++) { if in[id.x] > 0.0 { break; } }", 0, false, 10, false },
	{ "for (var i = 0u; i < 10u; i++) { if in[id.x] > 0.0 { continue; } o[0] = i; }", 0, false,
	  10, false },
	{ "for (var i = 0u; i < 10u; i++) { if u.x > i { break; } }", 0, false, 10, true },
	{ "if id.x > 3u { return; } for (var i = 0u; i < 10u; i++) { o[0] = i; }", 0, false, 10,
	  true },
	{ "var i = 0u; loop { o[i] = 1u; continuing { i++; break if i >= 10u; } }", 0, false, 10,
	  true },
	{ "var i = 0u; for (var k = 0u; k < 2u; k++) { loop { o[i] = 1u; continuing { i++; "
	  "break if i >= 10u; } } }",
	  1, true, 0, true },
	{ "var i = 0u; while i < 10u { if in[id.x] > 0.0 { break; } o[i] = 1u; i += 1u; }", 0,
	  false, 10, false },
	{ "var i = 0u; while i < 10u { if in[i] > 0.0 { continue; } i += 1u; }", 0, true, 0, true },
	{ "var i = 0u; while i < 10u { i += 1u; if in[i] > 0.0 { continue; } o[0] = i; }", 0, true,
	  0, true },
	{ "var i = 0u; while i < 10u { if in[0] > 0.0 { i += 1u; } }", 0, true, 0, true },
	{ "var i = 0u; while i < 10u { for (var k = 0u; k < 3u; k++) { i += 1u; } }", 0, true, 0,
	  true },
	{ "var i = 0u; while i < 10u { for (var k = 0u; k < 3u; k++) { continue; } i += 1u; }", 0,
	  false, 10, true },
	{ "var i = 0u; loop { o[i] = 1u; i++; continuing { break if i >= 10u; } }", 0, false, 10,
	  true },
	{ "for (var i = 4294967290u; i < 4294967295u; i += 4u) { o[0] = i; }", 0, true, 0, true },
	{ "for (var i = -5; i < 10; i++) { o[0] = u32(i); }", 0, true, 0, true },
	/* Halved to zero: as many passes as bits. */
	{ "var n = id.x; while n > 0u { n >>= 1u; }", 0, false, 32, false },
	{ "for (var s = 128u; s > 0u; s = s >> 1u) { o[s] = 1u; }", 0, false, 8, true },
	{ "for (var s = 127u; s != 0u; s /= 3u) { o[s] = 1u; }", 0, false, 7, true },
	{ "for (var s = 64; s >= 1; s /= 2) { o[s] = 1u; }", 0, false, 7, true },
	{ "for (var s = i32(u.x); 0 < s; s /= 2) { o[s] = 1u; }", 0, false, 32, true },
	{ "for (var s = 0u; s > 0u; s /= 2u) { }", 0, false, 1, true },
	{ "for (var s = i32(u.x); s != 0; s >>= 1u) { }", 0, true, 0, true },
	{ "for (var s = 64u; s >= 0u; s /= 2u) { if u.x == s { break; } }", 0, true, 0, true },
	{ "for (var s = 64u; s > 1u; s /= 2u) { }", 0, true, 0, true },
	{ "for (var s = 64u; s > 0u; s /= 1u) { }", 0, true, 0, true },
	{ "for (var s = 64u; s > 0u; s >>= 32u & u.y) { }", 0, true, 0, true },
	{ "for (var s = 64u; s > 0u; s >>= u.x) { }", 0, true, 0, true },
	{ "for (var s = 64u; s > 0u; s /= 2u) { if u.x == s { s = 64u; } }", 0, true, 0, true },
	{ "var s = 64u; while s > 0u { if u.x == s { continue; } s /= 2u; }", 0, true, 0, true },
	{ "var s = 64u; while s > 0u { if u.x == s { s /= 2u; } }", 0, true, 0, true },
	{ "var s = 64u; let t = s; while t > 0u { s /= 2u; }", 0, true, 0, true },
	{ "var s = 64u; let t = s; while s > 0u { s = t / 2u; }", 0, true, 0, true },
	/* Doubled up to a bound. */
	{ "for (var s = 1u; s < 256u; s *= 2u) { o[s] = 1u; }", 0, false, 8, true },
	{ "for (var s = 1u; 100u > s; s <<= 1u) { o[s] = 1u; }", 0, false, 7, true },
	{ "for (var s = 3u; s < (u.x & 1023u); s *= 10u) { o[s] = 1u; }", 0, false, 3, true },
	{ "for (var s = 9u; s < 9u; s *= 2u) { }", 0, false, 1, true },
	{ "for (var s = 1u; s < u.x; s *= 2u) { }", 0, true, 0, true },
	{ "for (var s = 1u; s < 2147483648u; s *= 2u) { }", 0, true, 0, true },
	{ "for (var s = 0u; s < 256u; s *= 2u) { }", 0, true, 0, true },
	{ "for (var s = u.x; s < 256u; s *= 2u) { }", 0, true, 0, true },
	{ "for (var s = 1u; s < 256u; s *= 1u) { }", 0, true, 0, true },
	{ "for (var s = 1; s < 256; s *= 2) { }", 0, true, 0, true },
	{ "for (var s = 1u; s < 256u; s *= 2u) { if u.x == s { s = 1u; } }", 0, true, 0, true },
};

static void loops_are_bounded_where_that_can_be_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loops); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct loop_row *r = &loops[i];
		const struct wgsl_inst *loop;

		compile_body(&c, r->body);
		assert_string_equal(first_error(&c), "");
		loop = nth(&c, WGSL_OP_LOOP, r->which);
		assert_non_null(loop);
		if (loop->needs_counter != r->needs_counter ||
		    loop->u.max_passes != r->max_passes || loop->is_uniform != r->is_uniform)
			fail_msg("%s: counter %d, passes %llu, uniform %d", r->body,
				 loop->needs_counter, (unsigned long long)loop->u.max_passes,
				 loop->is_uniform);
	}
}

struct passes_row {
	const char *body;
	uint32_t bounded;
	uint32_t factor;
};

static const struct passes_row passes[] = {
	{ "o[0] = 1u;", 0, 1 },
	{ "var a: array<u32, 32>; o[0] = a[id.x];", 0, 1 },
	{ "var a: array<u32, 2048>; o[0] = a[id.x];", 1 + 2048 / 32, 1 },
	/* Elements after the last whole pass are no pass. */
	{ "var a: array<u32, 33>; o[0] = a[id.x];", 1 + 1, 1 },
	{ "var a: array<u32, 63>; o[0] = a[id.x];", 1 + 1, 1 },
	{ "var a: array<mat3x4<f32>, 40>; o[0] = u32(a[id.x][0].x);", 1 + 40 / 10, 1 },
	/* Loops in loops. */
	{ "var a: array<array<u32, 100>, 5>; o[0] = a[id.x][id.y];", 1 + 5 * (1 + (1 + 3)), 1 },
	/* One for each time that it becomes zero. */
	{ "for (var k = 0u; k < 10u; k++) { var a: array<u32, 64>; a[k + id.x] += 1u; "
	  "o[k] = a[id.x]; }",
	  1 + 10 * (1 + 3), 1 },
	{ "for (var k = 0u; k < u.x; k++) { var a: array<u32, 64>; a[k + id.x] += 1u; "
	  "o[k] = a[id.x]; }",
	  1, 4 },
	/* Filled in parts, it is zero when the invocation starts. */
	{ "var a = array(array<u32, 40>(), array<u32, 40>()); o[0] = a[id.x][id.y];",
	  (1 + 2 * (1 + 2)) + 2 * 2, 1 },
};

static void zeroing_loops_count_as_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct passes_row *r = &passes[i];

		compile_body(&c, r->body);
		assert_string_equal(first_error(&c), "");
		if (c.m->bounded_passes != r->bounded || c.m->passes_factor != r->factor)
			fail_msg("%s: %u + %u", r->body, c.m->bounded_passes, c.m->passes_factor);
	}
}

static void loops_for_work_group_memory_count_as_passes(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile(&c, "struct S { n: u32, a: array<vec2<f32>, 100>, b: array<array<u32, 2>, 9> }\n"
		    "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
		    "var<workgroup> s: S; var<workgroup> n: atomic<u32>;\n"
		    "@compute @workgroup_size(4, 2) fn main() { s.n = 1u; atomicAdd(&n, 1u); "
		    "o[0] = s.n + s.b[0][1]; }");
	assert_string_equal(first_error(&c), "");
	assert_int_equal(c.m->bounded_passes, (1 + 13) + (1 + 3));
}

/* ---- indices ------------------------------------------------------------------------------ */

struct index_row {
	const char *body; /* the last store's first dynamic step is looked at */
	bool in_range;
};

static const struct index_row indices[] = {
	{ "w[lane] = 1u;", true },
	{ "w[lane + 1u] = 1u;", false },
	{ "w[(lane + 1u) % 64u] = 1u;", true },
	{ "w[words[0] & 63u] = 1u;", true },
	{ "w[words[0] & 64u] = 1u;", false },
	{ "w[min(words[0], 63u)] = 1u;", true },
	{ "w[words[0] >> 26u] = 1u;", true },
	{ "w[words[0] / 67108864u] = 1u;", true },
	{ "for (var i = 0u; i < 64u; i++) { w[i] = 1u; }", true },
	{ "for (var i = 0u; i < 65u; i++) { w[i] = 1u; }", false },
	{ "for (var i = 0; i < 64; i++) { w[i] = 1u; }", true },
	{ "for (var i = -1; i < 64; i++) { w[i] = 1u; }", false },
	{ "for (var i = 0u; i < 64u; i++) { if i > 5u { i = 70u; } w[i] = 1u; }", false },
	{ "for (var i = 0u; i < 16u; i++) { for (var k = 0u; k < 4u; k++) { w[i * 4u + k] = 1u; } "
	  "}",
	  true },
	{ "for (var i = 0u; i < 16u; i++) { for (var k = 0u; k < 5u; k++) { w[i * 4u + k] = 1u; } "
	  "}",
	  false },
	{ "var i = 0u; while i < 64u { w[i] = 1u; i++; }", true },
	{ "var i = 0u; while i < 64u { i++; w[i] = 1u; }", false },
	{ "var i = 0u; while i < 64u { i++; } w[i] = 1u;", false },
	{ "w[i32(lane)] = 1u;", true },
	{ "w[i32(lane) - 1] = 1u;", false },
	{ "w[select(3u, lane, u.x > 1u)] = 1u;", true },
	{ "w[u32(lane > 3u)] = 1u;", true },
	{ "o[lane] = 1u;", false },
	{ "let i = lane; var k = i; w[k] = 1u;", false },
};

static void indices_are_proved_in_range_where_possible(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(indices); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_inst *store = NULL;

		compile_body(&c, indices[i].body);
		assert_string_equal(first_error(&c), "");
		for (int n = 0; nth(&c, WGSL_OP_STORE, n) != NULL; n++)
			if (nth(&c, WGSL_OP_STORE, n)->path->n_steps > 0)
				store = nth(&c, WGSL_OP_STORE, n);
		assert_non_null(store);
		if (store->path->steps[0].in_range != indices[i].in_range)
			fail_msg("%s: in_range is %d", indices[i].body,
				 store->path->steps[0].in_range);
	}
}

/* ---- uniform variables -------------------------------------------------------------------- */

struct var_row {
	const char *body; /* with a variable x */
	bool is_uniform;
};

static const struct var_row vars[] = {
	{ "var x = 1u; o[0] = x;", true },
	{ "var x = u.x; x += u.y; o[0] = x;", true },
	{ "var x = id.x; o[0] = x;", false },
	{ "var x = 1u; if u.x > 1u { x = 2u; } o[0] = x;", true },
	{ "var x = 1u; if id.x > 1u { x = 2u; } o[0] = x;", false },
	{ "if id.x > 1u { var x = 1u; x = 2u; o[0] = x; }", true },
	{ "if id.x > 1u { return; } var x = 1u; x = 2u; o[0] = x;", true },
	{ "var x = 1u; if id.x > 1u { return; } x = 2u; o[0] = x;", true },
	{ "var x = 0u; loop { x++; if in[id.x] > f32(x) { break; } } o[id.x] = x;", false },
	{ "loop { var x = 0u; if in[id.x] > 1.0 { break; } x = 1u; o[id.x] = x; }", true },
	{ "for (var i = 0u; i < 9u; i++) { var x = 0u; if in[id.x] > 1.0 { continue; } x = 1u; "
	  "o[id.x] = x; }",
	  false },
	{ "var x = 0u; for (var i = 0u; i < 9u; i++) { x += i; } o[0] = x;", true },
	{ "var x = 0u; for (var i = 0u; i < id.x; i++) { x += 1u; } o[0] = x;", false },
	{ "var x = 0u; for (var i = 0u; i < 9u; i++) { x = words[i]; } o[0] = x;", true },
	{ "var x = array<u32, 4>(); x[lane & 3u] = 1u; o[0] = x[0];", false },
	{ "var x = array<u32, 4>(); x[u.x & 3u] = 1u; o[0] = x[0];", true },
	{ "var x = 0u; switch id.x { case 1u { x = 1u; } default {} } o[0] = x;", false },
	{ "var x = 0u; switch u.x { case 1u { x = 1u; } default {} } o[0] = x;", true },
};

static void variables_are_uniform_where_that_can_be_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(vars); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_var *x = NULL;

		compile_body(&c, vars[i].body);
		assert_string_equal(first_error(&c), "");
		for (uint32_t k = 0; k < c.m->n_vars; k++)
			if (strcmp(c.m->vars[k]->name, "x") == 0)
				x = c.m->vars[k];
		assert_non_null(x);
		if (x->is_uniform != vars[i].is_uniform)
			fail_msg("%s: uniform is %d", vars[i].body, x->is_uniform);
	}
}

/* ---- barriers ----------------------------------------------------------------------------- */

static const char *const good_barriers[] = {
	"workgroupBarrier();",
	"if u.x > 1u { workgroupBarrier(); }",
	"for (var i = 0u; i < u.x; i++) { workgroupBarrier(); }",
	"if id.x > 3u { o[0] = 1u; } workgroupBarrier();",
	"for (var i = 0u; i < id.x; i++) { o[i] = 1u; } workgroupBarrier();",
	"let n = workgroupUniformLoad(&w[0]); if n > 1u { workgroupBarrier(); }",
	"var x = u.x; if id.x > 3u { o[0] = x; } if x > 1u { workgroupBarrier(); }",
	"loop { if u.x > 1u { break; } workgroupBarrier(); }",
};

static const char *const bad_barriers[] = {
	"if w[0] > 1u { workgroupBarrier(); }",
	"if lane > 1u { workgroupBarrier(); }",
	"if lane > 1u { return; } storageBarrier();",
	"loop { if lane > 1u { break; } workgroupBarrier(); }",
	"for (var i = 0u; i < 5u; i++) { if lane > i { continue; } workgroupBarrier(); }",
	"var x = 1u; if lane > 1u { x = 2u; } if x > 1u { workgroupBarrier(); }",
	"let n = workgroupUniformLoad(&w[0]) + lane; if n > 1u { workgroupBarrier(); }",
	"switch lane { case 1u { workgroupBarrier(); } default {} }",
	"var x = 0u; loop { if x > 4u { break; } workgroupBarrier(); x += lane; }",
};

static void barriers_are_judged_by_uniformity(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good_barriers); i++) {
		AUTO(compiled_done) struct compiled c;

		compile_body(&c, good_barriers[i]);
		assert_string_equal(first_error(&c), "");
	}
	for (size_t i = 0; i < ARRAY_LEN(bad_barriers); i++) {
		AUTO(compiled_done) struct compiled c;

		compile_body(&c, bad_barriers[i]);
		if (strstr(first_error(&c), "a barrier must be reached by all") == NULL)
			fail_msg("%s: got \"%s\"", bad_barriers[i], first_error(&c));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outputs_get_these_verdicts),
		cmocka_unit_test(reasons_name_the_operation_and_line),
		cmocka_unit_test(conditions_of_an_order_can_be_checked),
		cmocka_unit_test(loops_are_bounded_where_that_can_be_shown),
		cmocka_unit_test(zeroing_loops_count_as_passes),
		cmocka_unit_test(loops_for_work_group_memory_count_as_passes),
		cmocka_unit_test(indices_are_proved_in_range_where_possible),
		cmocka_unit_test(variables_are_uniform_where_that_can_be_shown),
		cmocka_unit_test(barriers_are_judged_by_uniformity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
