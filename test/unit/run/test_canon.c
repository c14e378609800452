/* test_canon.c - canonical bytes of outputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/canon.h"

static const uint32_t NANS[] = { 0x7f800001, 0x7fc00000, 0xffc12345, 0xffffffff };
static const uint32_t NUMBERS[] = { 0, 0x80000000, 0x7f800000, 0xff800000, 0x3f800000, 1 };

static void gives_every_nan_one_form(void **state)
{
	static const struct wire_lane lane = { .count = 1, .type = WIRE_F32 };
	const struct wire_binding b = {
		.name = "out", .array_stride = 4, .array_lanes = &lane, .n_array_lanes = 1
	};
	uint8_t bytes[40];
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(NANS); i++)
		num_put_u32(bytes + 4 * i, NANS[i]);
	for (size_t i = 0; i < ARRAY_LEN(NUMBERS); i++)
		num_put_u32(bytes + 16 + 4 * i, NUMBERS[i]);
	assert_int_equal(run_canon(&b, 10, bytes, sizeof(bytes), &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(NANS); i++)
		assert_int_equal(num_get_u32(bytes + 4 * i), RUN_NAN_F32);
	for (size_t i = 0; i < ARRAY_LEN(NUMBERS); i++)
		assert_int_equal(num_get_u32(bytes + 16 + 4 * i), NUMBERS[i]);
}

static void leaves_integers_that_look_like_nan(void **state)
{
	static const struct wire_lane lane = { .count = 2, .stride = 4, .type = WIRE_U32 };
	const struct wire_binding b = {
		.name = "out", .fixed_size = 8, .lanes = &lane, .n_lanes = 1
	};
	uint8_t bytes[8];
	struct err err = { 0 };

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(run_canon(&b, 0, bytes, sizeof(bytes), &err), 0);
	assert_int_equal(num_get_u64(bytes), UINT64_MAX);
}

static void gives_f64_nan_one_form(void **state)
{
	static const struct wire_lane lane = { .count = 2, .stride = 8, .type = WIRE_F64 };
	const struct wire_binding b = {
		.name = "out", .fixed_size = 16, .lanes = &lane, .n_lanes = 1
	};
	uint8_t bytes[16];
	struct err err = { 0 };

	(void)state;
	num_put_u64(bytes, 0xfff0000000000001);
	num_put_u64(bytes + 8, 0xfff0000000000000);
	assert_int_equal(run_canon(&b, 0, bytes, sizeof(bytes), &err), 0);
	assert_true(num_get_u64(bytes) == 0x7ff8000000000000);
	assert_true(num_get_u64(bytes + 8) == 0xfff0000000000000);
}

/* struct { a: u32, @align(16) v: array<vec3<f32>> }, then struct { v: vec3<f32>, n: u32 }. */
static void zeroes_padding_only(void **state)
{
	static const struct wire_lane head = { .count = 1, .type = WIRE_U32 };
	static const struct wire_lane vec = { .count = 3, .stride = 4, .type = WIRE_F32 };
	const struct wire_binding b = {
		.name = "out",
		.fixed_size = 4,
		.lanes = &head,
		.n_lanes = 1,
		.array_offset = 16,
		.array_stride = 16,
		.array_lanes = &vec,
		.n_array_lanes = 1,
	};
	uint8_t bytes[16 + 2 * 16 + 8];
	struct err err = { 0 };

	(void)state;
	memset(bytes, 0x11, sizeof(bytes));
	assert_int_equal(run_canon(&b, 2, bytes, sizeof(bytes), &err), 0);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bool is_used = i < 4 || (i >= 16 && i < 28) || (i >= 32 && i < 44);

		assert_int_equal(bytes[i], is_used ? 0x11 : 0);
	}
}

static void finds_nan_between_other_types(void **state)
{
	static const struct wire_lane lanes[] = { { .count = 1, .type = WIRE_U32 },
						  { .offset = 4, .count = 1, .type = WIRE_F32 } };
	const struct wire_binding b = {
		.name = "out", .array_stride = 8, .array_lanes = lanes, .n_array_lanes = 2
	};
	uint8_t bytes[24];
	struct err err = { 0 };

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(run_canon(&b, 3, bytes, sizeof(bytes), &err), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(num_get_u32(bytes + 8 * i), UINT32_MAX);
		assert_int_equal(num_get_u32(bytes + 8 * i + 4), RUN_NAN_F32);
	}
}

static void refuses_a_reflection_that_points_outside(void **state)
{
	static const struct wire_lane wild[] = {
		{ .offset = 12, .count = 2, .stride = 4, .type = WIRE_F32 },
		{ .count = UINT32_MAX, .stride = UINT32_MAX, .type = WIRE_F32 },
		{ .offset = UINT32_MAX, .count = 1, .type = WIRE_F64 },
		{ .count = 4, .stride = 0, .type = WIRE_F32 },
	};
	uint8_t bytes[16] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wild); i++) {
		const struct wire_binding fixed = {
			.name = "out", .fixed_size = 16, .lanes = &wild[i], .n_lanes = 1
		};
		const struct wire_binding array = { .name = "out",
						    .array_stride = 16,
						    .array_lanes = &wild[i],
						    .n_array_lanes = 1 };
		struct err err = { 0 };

		assert_int_equal(run_canon(&fixed, 0, bytes, sizeof(bytes), &err), ERR_INVALID);
		err_clear(&err);
		assert_int_equal(run_canon(&array, 1, bytes, sizeof(bytes), &err), ERR_INVALID);
	}
}

static void refuses_more_elements_than_there_are_bytes(void **state)
{
	static const struct wire_lane lane = { .count = 1, .type = WIRE_F32 };
	const struct wire_binding b = { .name = "out",
					.array_offset = 8,
					.array_stride = 4,
					.array_lanes = &lane,
					.n_array_lanes = 1 };
	static const uint64_t wrong[] = { 3, UINT64_MAX, UINT64_MAX / 4 + 1 };
	uint8_t bytes[16] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct err err = { 0 };

		assert_int_equal(run_canon(&b, wrong[i], bytes, sizeof(bytes), &err), ERR_INVALID);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_every_nan_one_form),
		cmocka_unit_test(leaves_integers_that_look_like_nan),
		cmocka_unit_test(gives_f64_nan_one_form),
		cmocka_unit_test(zeroes_padding_only),
		cmocka_unit_test(finds_nan_between_other_types),
		cmocka_unit_test(refuses_a_reflection_that_points_outside),
		cmocka_unit_test(refuses_more_elements_than_there_are_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
