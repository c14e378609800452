/* test_value.c - layouts, canonical bytes, scalars as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "vote/value.h"

/* struct { a: u32, b: vec3<f32>, c: array<struct { x: i32, y: f32 }, 2>, d: array<vec3<u32>> } */
static const struct vote_lane lanes[] = {
	{ 36, 2, 8, VOTE_F32 },
	{ 0, 1, 4, VOTE_U32 },
	{ 16, 3, 4, VOTE_F32 },
	{ 32, 2, 8, VOTE_I32 },
};
static const struct vote_lane element[] = { { 0, 3, 4, VOTE_U32 } };
static const struct vote_layout layout = {
	.fixed_size = 48,
	.array_offset = 48,
	.array_stride = 16,
	.lanes = lanes,
	.n_lanes = ARRAY_LEN(lanes),
	.array_lanes = element,
	.n_array_lanes = 1,
};

static struct vote_shape *shape(void)
{
	struct vote_shape *s = NULL;
	struct err err = { 0 };

	assert_int_equal(vote_shape_new(&layout, &s, &err), 0);
	return s;
}

static void sizes_results(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *s = shape();
	AUTO(vote_shape_freep) struct vote_shape *plain = vote_shape_plain(VOTE_U64, 3);
	struct err err = { 0 };
	uint64_t n = 0;

	(void)state;
	assert_int_equal(vote_shape_bytes(s, 2), 80);
	assert_int_equal(vote_shape_scalars(s, 2), 8 + 6);
	assert_int_equal(vote_shape_type(s), 0);
	assert_int_equal(vote_shape_elements(s, 80, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(vote_shape_elements(s, 76, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(vote_shape_elements(s, 72, &n, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(vote_shape_elements(s, 47, &n, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(vote_shape_type(plain), VOTE_U64);
	assert_int_equal(vote_shape_elements(plain, 24, &n, &err), 0);
	assert_int_equal(vote_shape_elements(plain, 16, &n, &err), ERR_INVALID);
	assert_int_equal(vote_shape_bytes(s, UINT64_MAX), UINT64_MAX);
}

static void names_the_types_of_its_scalars_in_turn(void **state)
{
	static const struct vote_lane pair[] = { { 0, 2, 12, VOTE_U32 },
						 { 4, 2, 12, VOTE_F32 },
						 { 8, 2, 12, VOTE_F32 } };
	const struct vote_layout fixed = { .fixed_size = 24, .lanes = pair, .n_lanes = 3 };
	static const struct vote_lane rest[] = { { 0, 1, 4, VOTE_I32 }, { 4, 1, 4, VOTE_F32 } };
	const struct vote_layout array = { .array_stride = 8,
					   .array_lanes = rest,
					   .n_array_lanes = 2 };
	const struct vote_layout both = { .fixed_size = 4,
					  .lanes = rest,
					  .n_lanes = 1,
					  .array_offset = 4,
					  .array_stride = 8,
					  .array_lanes = rest,
					  .n_array_lanes = 2 };
	const struct {
		const struct vote_layout *layout;
		const char *types; /* NULL: they depend on the length */
	} rows[] = { { &fixed, "u32,f32,f32" }, { &array, "i32,f32" }, { &both, NULL } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(vote_shape_freep) struct vote_shape *s = NULL;
		AUTO(buf_done) struct buf out = { .max = 256 };
		struct err err = { 0 };

		if (vote_shape_new(rows[i].layout, &s, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(vote_shape_types(s, &out), rows[i].types != NULL);
		assert_string_equal(buf_str(&out), rows[i].types != NULL ? rows[i].types : "");
	}
}

static void refuses_layouts_that_overlap(void **state)
{
	static const struct vote_lane twice[] = { { 0, 2, 4, VOTE_U32 }, { 4, 1, 4, VOTE_F32 } };
	static const struct vote_lane outside[] = { { 8, 1, 4, VOTE_F64 } };
	static const struct vote_lane many[] = { { 0, UINT32_MAX, 4, VOTE_U32 } };
	struct vote_layout l = { .fixed_size = 12, .lanes = twice, .n_lanes = 2 };
	struct vote_shape *s = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vote_shape_new(&l, &s, &err), ERR_INVALID);
	err_clear(&err);
	l.lanes = outside;
	l.n_lanes = 1;
	assert_int_equal(vote_shape_new(&l, &s, &err), ERR_INVALID);
	err_clear(&err);
	l.lanes = many;
	assert_int_equal(vote_shape_new(&l, &s, &err), ERR_TOO_BIG);
	assert_null(s);
}

static void clears_padding_and_makes_nan_one(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *s = shape();
	unsigned char bytes[76];
	unsigned char packed[14 * 4];
	static const unsigned char ones[4] = { 0xff, 0xff, 0xff, 0xff };

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_false(vote_is_canonical(s, bytes, sizeof(bytes)));
	vote_canonical(s, bytes, sizeof(bytes));
	assert_true(vote_is_canonical(s, bytes, sizeof(bytes)));
	assert_int_equal(num_get_u32(bytes), 0xffffffff);
	assert_int_equal(num_get_u32(bytes + 4), 0);
	assert_int_equal(num_get_u32(bytes + 16), 0x7fc00000);
	assert_int_equal(num_get_u32(bytes + 28), 0);
	assert_memory_equal(bytes + 32, ones, 4);
	assert_int_equal(num_get_u32(bytes + 36), 0x7fc00000);
	assert_int_equal(num_get_u32(bytes + 60), 0);
	assert_memory_equal(bytes + 72, ones, 4);
	bytes[29] = 1;
	assert_false(vote_is_canonical(s, bytes, sizeof(bytes)));
	assert_int_equal(vote_pack(s, bytes, sizeof(bytes), packed), sizeof(packed));
	assert_int_equal(num_get_u32(packed + 4), 0x7fc00000);
	assert_memory_equal(packed + 16, ones, 4);
	assert_int_equal(num_get_u32(packed + 20), 0x7fc00000);
}

static void keeps_infinities_and_signed_zeros(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *s = vote_shape_plain(VOTE_F64, 0);
	uint64_t v[] = { 0x8000000000000000u, 0x7ff0000000000000u, 0xfff0000000000000u,
			 0xfff0000000000001u };

	(void)state;
	vote_canonical(s, v, sizeof(v));
	assert_true(v[0] == 0x8000000000000000u);
	assert_true(v[1] == 0x7ff0000000000000u);
	assert_true(v[2] == 0xfff0000000000000u);
	assert_true(v[3] == 0x7ff8000000000000u);
}

static void prints_results(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *s = shape();
	AUTO(buf_done) struct buf b = { .max = 200 };
	unsigned char bytes[64] = { 0 };
	struct err err = { 0 };
	float f = 0.1f;
	float inf = -__builtin_inff();

	(void)state;
	memcpy(bytes + 16, &f, 4);
	num_put_u32(bytes + 20, 0x7fc00000);
	memcpy(bytes + 24, &inf, 4);
	num_put_u32(bytes + 32, 0xffffffff);
	num_put_u32(bytes + 48, 0xffffffff);
	assert_int_equal(vote_print_array(s, bytes, sizeof(bytes), &b, &err), 0);
	assert_string_equal(buf_str(&b), "[0,0.1,\"NaN\",\"-Infinity\",-1,0,0,0,4294967295,0,0]");
	buf_reset(&b);
	assert_int_equal(vote_print_scalar(VOTE_F32, bytes + 20, false, &b, &err), 0);
	assert_string_equal(buf_str(&b), "NaN");
	b.max = 5;
	assert_int_equal(vote_print_array(s, bytes, sizeof(bytes), &b, &err), ERR_TOO_BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_results),
		cmocka_unit_test(names_the_types_of_its_scalars_in_turn),
		cmocka_unit_test(refuses_layouts_that_overlap),
		cmocka_unit_test(clears_padding_and_makes_nan_one),
		cmocka_unit_test(keeps_infinities_and_signed_zeros),
		cmocka_unit_test(prints_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
