/* test_reflect.c - types as runs of scalars, uniforms as named fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "runner/reflect.h"

static const struct wgsl_type U32 = { .kind = WGSL_U32, .size = 4, .align = 4 };
static const struct wgsl_type F32 = { .kind = WGSL_F32, .size = 4, .align = 4 };
static const struct wgsl_type ATOMIC_U32 = { .kind = WGSL_ATOMIC, .size = 4, .elem = &U32 };
static const struct wgsl_type VEC3F = { .kind = WGSL_VEC, .size = 12, .elem = &F32, .count = 3 };

static const struct wgsl_type VEC3F_8 = {
	.kind = WGSL_ARRAY, .size = 128, .elem = &VEC3F, .count = 8, .stride = 16
};
static const struct wgsl_type U32_1000 = {
	.kind = WGSL_ARRAY, .size = 4000, .elem = &U32, .count = 1000, .stride = 4
};
static const struct wgsl_type U32_N = {
	.kind = WGSL_ARRAY, .size = 4, .elem = &U32, .stride = 4, .has_runtime_array = true
};

static struct wire_binding reflect_one(struct arena *a, const struct wgsl_type *t, bool is_uniform,
				       uint32_t array_offset, uint32_t array_stride)
{
	struct wgsl_binding b = {
		.name = "b",
		.type = t,
		.space = is_uniform ? WGSL_SPACE_UNIFORM : WGSL_SPACE_STORAGE,
		.is_used = true,
		.is_output = !is_uniform,
		.numeric_class = WGSL_CLASS_DETERMINISTIC,
		.order = WGSL_ORDER_ASSUMED,
		.array_offset = array_offset,
		.array_stride = array_stride,
	};
	const struct wgsl_module m = { .entry_point = "main", .bindings = &b, .n_bindings = 1 };
	struct wire_kernel k;
	uint32_t places[WIRE_MAX_BINDINGS];
	struct err err = { 0 };

	if (reflect_module(&m, "", a, &k, places, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(k.n_bindings, 1);
	assert_int_equal(places[0], 0);
	return k.bindings[0];
}

static void expect_lane(const struct wire_lane *l, uint32_t offset, uint32_t count, uint32_t stride,
			enum wire_scalar type)
{
	assert_int_equal(l->offset, offset);
	assert_int_equal(l->count, count);
	if (count > 1)
		assert_int_equal(l->stride, stride);
	assert_int_equal(l->type, type);
}

static void sees_an_even_array_as_one_run(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &U32_1000, false, 0, 0);

	(void)state;
	assert_int_equal(b.role, WIRE_OUTPUT);
	assert_int_equal(b.numeric_class, WIRE_DETERMINISTIC);
	assert_int_equal(b.order, WIRE_ASSUMED);
	assert_int_equal(b.fixed_size, 4000);
	assert_int_equal(b.n_lanes, 1);
	expect_lane(&b.lanes[0], 0, 1000, 4, WIRE_U32);
}

static void leaves_out_the_padding_of_vectors(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &VEC3F_8, false, 0, 0);

	(void)state;
	assert_int_equal(b.n_lanes, 8);
	expect_lane(&b.lanes[0], 0, 3, 4, WIRE_F32);
	expect_lane(&b.lanes[7], 112, 3, 4, WIRE_F32);
}

static void joins_equal_neighbours_of_a_struct(void **state)
{
	static const struct wgsl_member members[] = {
		{ .name = "a", .type = &U32, .offset = 0 },
		{ .name = "b", .type = &ATOMIC_U32, .offset = 4 },
		{ .name = "c", .type = &U32, .offset = 8 },
		{ .name = "v", .type = &VEC3F, .offset = 16 },
	};
	static const struct wgsl_type s = {
		.kind = WGSL_STRUCT, .size = 32, .members = members, .n_members = 4
	};
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &s, false, 0, 0);

	(void)state;
	assert_int_equal(b.n_lanes, 2);
	expect_lane(&b.lanes[0], 0, 3, 4, WIRE_U32);
	expect_lane(&b.lanes[1], 16, 3, 4, WIRE_F32);
}

static void splits_off_the_runtime_sized_array(void **state)
{
	static const struct wgsl_member members[] = {
		{ .name = "n", .type = &ATOMIC_U32, .offset = 0 },
		{ .name = "list", .type = &U32_N, .offset = 4 },
	};
	static const struct wgsl_type s = { .kind = WGSL_STRUCT,
					    .size = 8,
					    .members = members,
					    .n_members = 2,
					    .has_runtime_array = true };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &s, false, 4, 4);

	(void)state;
	assert_int_equal(b.fixed_size, 4);
	assert_int_equal(b.array_stride, 4);
	assert_int_equal(b.n_lanes, 1);
	assert_int_equal(b.n_array_lanes, 1);
	expect_lane(&b.array_lanes[0], 0, 1, 0, WIRE_U32);
}

static void names_every_field_of_a_uniform(void **state)
{
	static const struct wgsl_type inner_array = {
		.kind = WGSL_ARRAY, .size = 32, .elem = &VEC3F, .count = 2, .stride = 16
	};
	static const struct wgsl_member members[] = {
		{ .name = "samples", .type = &U32, .offset = 0 },
		{ .name = "at", .type = &inner_array, .offset = 16 },
	};
	static const struct wgsl_type s = {
		.kind = WGSL_STRUCT, .size = 48, .members = members, .n_members = 2
	};
	static const char *const paths[] = { "samples", "at[0].x", "at[0].y", "at[0].z",
					     "at[1].x", "at[1].y", "at[1].z" };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &s, true, 0, 0);

	(void)state;
	assert_int_equal(b.role, WIRE_UNIFORM);
	assert_int_equal(b.n_leaves, ARRAY_LEN(paths));
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		assert_string_equal(b.leaves[i].path, paths[i]);
	assert_int_equal(b.leaves[6].offset, 40);
	assert_int_equal(b.leaves[6].type, WIRE_F32);
}

static void gives_a_scalar_uniform_the_empty_name(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &U32, true, 0, 0);

	(void)state;
	assert_int_equal(b.n_leaves, 1);
	assert_string_equal(b.leaves[0].path, "");
}

static void gives_the_parts_of_a_vector_uniform_its_name(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding b = reflect_one(&a, &VEC3F, true, 0, 0);

	(void)state;
	assert_int_equal(b.n_leaves, 3);
	assert_string_equal(b.leaves[0].path, arena_printf(&a, "%s.x", b.name));
	assert_string_equal(b.leaves[2].path, arena_printf(&a, "%s.z", b.name));
	assert_int_equal(b.leaves[2].offset, 8);
}

static void refuses_a_type_with_too_many_parts(void **state)
{
	static const struct wgsl_type huge = {
		.kind = WGSL_ARRAY, .size = 160000, .elem = &VEC3F, .count = 10000, .stride = 16
	};
	struct wgsl_binding b = {
		.name = "points", .type = &huge, .space = WGSL_SPACE_STORAGE, .is_used = true
	};
	const struct wgsl_module m = { .entry_point = "main", .bindings = &b, .n_bindings = 1 };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_kernel k;
	uint32_t places[WIRE_MAX_BINDINGS];
	struct err err = { 0 };

	(void)state;
	assert_int_equal(reflect_module(&m, "", &a, &k, places, &err), ERR_TOO_BIG);
	assert_non_null(strstr(err.text, "points"));
}

static void leaves_out_bindings_that_are_not_used(void **state)
{
	struct wgsl_binding b[2] = {
		{ .name = "unused", .type = &U32, .space = WGSL_SPACE_STORAGE },
		{ .name = "used", .type = &U32, .space = WGSL_SPACE_STORAGE, .is_used = true },
	};
	const struct wgsl_module m = { .entry_point = "main", .bindings = b, .n_bindings = 2 };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_kernel k;
	uint32_t places[WIRE_MAX_BINDINGS];
	struct err err = { 0 };

	(void)state;
	assert_int_equal(reflect_module(&m, "", &a, &k, places, &err), 0);
	assert_int_equal(k.n_bindings, 1);
	assert_string_equal(k.bindings[0].name, "used");
	assert_int_equal(k.bindings[0].role, WIRE_INPUT);
	assert_int_equal(places[0], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_an_even_array_as_one_run),
		cmocka_unit_test(leaves_out_the_padding_of_vectors),
		cmocka_unit_test(joins_equal_neighbours_of_a_struct),
		cmocka_unit_test(splits_off_the_runtime_sized_array),
		cmocka_unit_test(names_every_field_of_a_uniform),
		cmocka_unit_test(gives_a_scalar_uniform_the_empty_name),
		cmocka_unit_test(gives_the_parts_of_a_vector_uniform_its_name),
		cmocka_unit_test(refuses_a_type_with_too_many_parts),
		cmocka_unit_test(leaves_out_bindings_that_are_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
