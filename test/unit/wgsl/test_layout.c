/*
 * test_layout.c - sizes, alignments, offsets and strides of types in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

struct row {
	const char *structs;
	const char *type;
	uint32_t size, align;
	uint32_t offsets[6]; /* of members; of arrays: the stride first */
};

/* The examples of the specification's "Structure layout rules" among them. */
static const struct row rows[] = {
	{ "", "u32", 4, 4, { 0 } },
	{ "", "vec2f", 8, 8, { 0 } },
	{ "", "vec3f", 12, 16, { 0 } },
	{ "", "vec4<i32>", 16, 16, { 0 } },
	{ "", "array<u32, 5>", 20, 4, { 4 } },
	{ "", "array<vec3f, 3>", 48, 16, { 16 } },
	{ "", "array<array<vec2u, 3>, 2>", 48, 8, { 24 } },
	{ "", "mat2x2f", 16, 8, { 0 } },
	{ "", "mat3x2<f32>", 24, 8, { 0 } },
	{ "", "mat2x3f", 32, 16, { 0 } },
	{ "", "mat4x4f", 64, 16, { 0 } },
	{ "struct A { a: f32, m: mat2x3f, b: f32 }", "A", 64, 16, { 0, 16, 48 } },
	{ "", "atomic<u32>", 4, 4, { 0 } },
	{ "struct A { u: f32, v: f32, w: vec2f, x: f32 }", "A", 24, 8, { 0, 4, 8, 16 } },
	{ "struct A { u: f32, v: f32, w: vec2f, x: f32 }\n"
	  "struct B { a: vec2f, b: vec3f, c: f32, d: f32, e: A }",
	  "B",
	  64,
	  16,
	  { 0, 16, 28, 32, 40 } },
	{ "struct A { u: f32, v: f32, w: vec2f, @size(16) x: f32 }", "A", 32, 8, { 0, 4, 8, 16 } },
	{ "struct A { a: f32, @align(16) b: f32, c: f32 }", "A", 32, 16, { 0, 16, 20 } },
	{ "struct A { a: vec3f, b: f32 }", "A", 16, 16, { 0, 12 } },
	{ "struct A { a: vec3f, b: vec3f }", "A", 32, 16, { 0, 16 } },
	{ "struct I { a: u32, b: vec3u } struct A { a: u32, b: array<I, 2> }",
	  "A",
	  80,
	  16,
	  { 0, 16 } },
	{ "struct A { n: u32, a: array<vec2u> }", "A", 16, 8, { 0, 8 } },
};

static void check_row(const struct row *r)
{
	AUTO(buf_done) struct buf text = { .max = 4096 };
	AUTO(compiled_done) struct compiled c;
	const struct wgsl_type *t;

	buf_note(&text,
		 "%s\n@group(0) @binding(0) var<storage, read_write> x: %s;\n"
		 "@compute @workgroup_size(1) fn main() { let p = &x; }",
		 r->structs, r->type);
	compile(&c, buf_str(&text));
	assert_string_equal(first_error(&c), "");
	t = c.m->bindings[0].type;
	if (t->size != r->size || t->align != r->align)
		fail_msg("%s: size %u align %u, want %u and %u", r->type, t->size, t->align,
			 r->size, r->align);
	if (t->kind == WGSL_ARRAY)
		assert_int_equal(t->stride, r->offsets[0]);
	for (uint32_t i = 0; t->kind == WGSL_STRUCT && i < t->n_members; i++)
		if (t->members[i].offset != r->offsets[i])
			fail_msg("%s.%s: offset %u, want %u", r->type, t->members[i].name,
				 t->members[i].offset, r->offsets[i]);
}

static void types_have_the_layout_of_the_specification(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(&rows[i]);
}

static void a_struct_with_a_runtime_sized_array_says_where_it_begins(void **state)
{
	AUTO(compiled_done) struct compiled c;
	const struct wgsl_binding *b;

	(void)state;
	compile(&c, "struct A { n: u32, a: array<vec3f> }\n"
		    "@group(1) @binding(2) var<storage, read_write> x: A;\n"
		    "@group(1) @binding(1) var<storage> y: array<u32>;\n"
		    "@group(0) @binding(9) var<uniform> u: vec4u;\n"
		    "@compute @workgroup_size(1) fn main() { x.n = y[0]; }");
	assert_string_equal(first_error(&c), "");
	assert_int_equal(c.m->n_bindings, 3);
	assert_string_equal(c.m->bindings[0].name, "u");
	assert_false(c.m->bindings[0].is_used);
	assert_string_equal(c.m->bindings[1].name, "y");
	b = &c.m->bindings[2];
	assert_string_equal(b->name, "x");
	assert_true(b->is_used);
	assert_int_equal(b->array_offset, 16);
	assert_int_equal(b->array_stride, 16);
	assert_int_equal(b->min_size, 32);
	assert_ptr_equal(wgsl_find_binding(c.m, "x"), b);
	assert_null(wgsl_find_binding(c.m, "z"));
}

static void overrides_take_given_values(void **state)
{
	static const char text[] =
	    "override n: u32; @id(7) override k = 2.5; override wide = n * 2u;\n"
	    "var<workgroup> w: array<u32, wide>;\n"
	    "@compute @workgroup_size(n) fn main() { w[0] = u32(k); }";
	static const struct wgsl_constant given[] = { { "n", 16 }, { "7", 0.5 } };
	static const struct wgsl_constant wrong[] = { { "n", 1.5 }, { "wyde", 1 } };
	struct wgsl_source src = { .text = text, .len = sizeof(text) - 1 };
	AUTO(compiled_done) struct compiled c;
	AUTO(compiled_done) struct compiled d;
	AUTO(compiled_done) struct compiled e;

	(void)state;
	src.constants = given;
	src.n_constants = 2;
	compile_source(&c, &src);
	assert_string_equal(first_error(&c), "");
	assert_int_equal(c.m->workgroup_size[0], 16);
	assert_int_equal(c.m->workgroup_bytes, 128);
	assert_int_equal(c.m->n_overrides, 3);
	assert_true(c.m->overrides[1].has_id && c.m->overrides[1].value == 0.5);
	assert_true(c.m->overrides[2].value == 32);
	src.constants = wrong;
	src.n_constants = 1;
	compile_source(&d, &src);
	assert_string_equal(first_error(&d),
			    "1:10: the given value of override 'n' does not fit into u32");
	src.constants = &wrong[1];
	compile_source(&e, &src);
	assert_non_null(
	    strstr(e.diags.list[e.diags.n - 1].message, "no such override; did you mean 'wide'?"));
}

static void the_entry_point_is_chosen_by_name(void **state)
{
	static const char text[] = "@compute @workgroup_size(2) fn a() {}\n"
				   "@compute @workgroup_size(3) fn b() {}";
	struct wgsl_source src = { .text = text, .len = sizeof(text) - 1, .entry_point = "b" };
	AUTO(compiled_done) struct compiled c;
	AUTO(compiled_done) struct compiled d;

	(void)state;
	compile_source(&c, &src);
	assert_string_equal(first_error(&c), "");
	assert_string_equal(c.m->entry_point, "b");
	assert_int_equal(c.m->workgroup_size[0], 3);
	src.entry_point = "c";
	compile_source(&d, &src);
	assert_string_equal(first_error(&d), "1:1: there is no entry point 'c'; did you mean 'a'?");
}

/* Of what is not compiled: what a constant says, but not what an override or a device would. */
static void the_sizes_of_other_entry_points_are_checked(void **state)
{
	static const struct compiled_row texts[] = {
		{ "override k: u32; @compute @workgroup_size(k, 2) fn a() {}", "" },
		{ "override k: u32 = 0; @compute @workgroup_size(k) fn a() {}", "" },
		{ "@compute @workgroup_size(4000) fn a() {}", "" },
		{ "enable subgroups, subgroup_size_control; override k: u32;\n"
		  "@compute @workgroup_size(12) @subgroup_size(256) fn a() {}\n"
		  "@compute @workgroup_size(12) @subgroup_size(k) fn c() {}",
		  "" },
		{ "override k: u32; @compute @workgroup_size(k, 0) fn a() {}",
		  "1:46: a work-group has 1 to 1024 invocations" },
		{ "@compute @workgroup_size(4, 0) fn a() {}",
		  "1:29: a work-group has 1 to 1024 invocations" },
		{ "@compute @workgroup_size(k) fn a() {}", "1:26: unknown name 'k'" },
		{ "override k: f32; @compute @workgroup_size(k) fn a() {}",
		  "1:43: this must be an integer, not f32" },
		{ "@compute @workgroup_size(1.5) fn a() {}",
		  "1:26: this must be an integer, not abstract float" },
		{ "var<private> k: u32; @compute @workgroup_size(k) fn a() {}",
		  "1:47: 'k' is a variable; only constants can be used here" },
		{ "enable subgroups, subgroup_size_control;\n"
		  "@compute @workgroup_size(12) @subgroup_size(3) fn a() {}",
		  "2:45: subgroups have a power of two from 4 to 128 invocations" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(compiled_done) struct compiled c;
		AUTO(buf_done) struct buf text = { .max = 1024 };
		struct wgsl_source src = { .entry_point = "b" };

		buf_note(&text, "%s @compute @workgroup_size(3) fn b() {}", texts[i].text);
		src.text = buf_str(&text);
		src.len = text.len;
		compile_source(&c, &src);
		if (strcmp(first_error(&c), texts[i].want) != 0)
			fail_msg("%s\n got  %s\n want %s", src.text, first_error(&c),
				 texts[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_have_the_layout_of_the_specification),
		cmocka_unit_test(a_struct_with_a_runtime_sized_array_says_where_it_begins),
		cmocka_unit_test(overrides_take_given_values),
		cmocka_unit_test(the_entry_point_is_chosen_by_name),
		cmocka_unit_test(the_sizes_of_other_entry_points_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
