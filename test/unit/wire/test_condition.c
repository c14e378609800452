/* test_condition.c - whether an order proof holds for a chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "wire/kernel.h"

/* Two uniforms: group 0 binding 0 with 8 bytes, group 1 binding 3 with 8 bytes. */
static const struct wire_binding BINDINGS[] = {
	{ .role = WIRE_UNIFORM, .fixed_size = 8 },
	{ .binding = 1, .role = WIRE_OUTPUT },
	{ .group = 1, .binding = 3, .role = WIRE_UNIFORM, .fixed_size = 8 },
};

static const struct wire_kernel KERNEL = { .workgroup_size = { 64, 1, 1 },
					   .bindings = BINDINGS,
					   .n_bindings = 3 };

static bool holds(const struct wire_condition *c, uint64_t x, uint64_t y, uint64_t elements)
{
	const uint64_t grid[3] = { x, y, 1 };
	char uniforms[16] = { 0 };

	num_put_u32(uniforms + 4, 100); /* (0, 0) + 4 */
	num_put_u32(uniforms + 8, 640); /* (1, 3) + 0 */
	return wire_condition_holds(&KERNEL, c, grid, uniforms, sizeof(uniforms), elements);
}

static void bounds_invocations_by_a_constant(void **state)
{
	const struct wire_condition c = { .axis = 1, .at_most = 7 };

	(void)state;
	assert_true(holds(&c, 1000, 7, 1));
	assert_false(holds(&c, 1, 8, 1));
}

static void bounds_invocations_by_a_uniform(void **state)
{
	const struct wire_condition first = { .has_uniform = true, .uniform_offset = 4 };
	const struct wire_condition second = { .has_uniform = true, .group = 1, .binding = 3 };

	(void)state;
	assert_true(holds(&first, 100, 1, 1));
	assert_false(holds(&first, 101, 1, 1));
	assert_true(holds(&second, 640, 1, 1));
	assert_false(holds(&second, 641, 1, 1));
}

static void does_not_hold_for_a_uniform_that_is_not_there(void **state)
{
	const struct wire_condition other = { .has_uniform = true, .binding = 9 };
	const struct wire_condition beyond = {
		.has_uniform = true, .group = 1, .binding = 3, .uniform_offset = 5
	};

	(void)state;
	assert_false(holds(&other, 1, 1, 1));
	assert_false(holds(&beyond, 1, 1, 1));
}

/* index = y * width + x */
static void indices_of_an_image_fit_its_pixels(void **state)
{
	const struct wire_condition c = {
		.kind = WIRE_COND_FITS,
		.stride = { { .factor = 1 },
			    { .factor = 1, .has_uniform = true, .group = 1, .binding = 3 } },
	};

	(void)state;
	assert_true(holds(&c, 640, 480, 640 * 480));
	assert_false(holds(&c, 640, 480, 640 * 480 - 1));
	assert_false(holds(&c, 641, 480, 640 * 480));
}

static void indices_with_a_base_fit(void **state)
{
	const struct wire_condition c = {
		.kind = WIRE_COND_FITS,
		.base = { { .factor = 5 }, { .factor = 2, .has_uniform = true, .offset = 4 } },
		.stride = { { .factor = 4 } },
	};

	(void)state;
	assert_true(holds(&c, 10, 1, 5 + 200 + 36 + 1));
	assert_false(holds(&c, 10, 1, 5 + 200 + 36));
}

static void indices_that_wrap_do_not_fit(void **state)
{
	const struct wire_condition c = { .kind = WIRE_COND_FITS,
					  .stride = { { .factor = 0x10000 } } };

	(void)state;
	assert_true(holds(&c, 0x10000, 1, UINT32_MAX));
	assert_false(holds(&c, 0x10001, 1, UINT64_MAX));
	assert_false(holds(&c, (uint64_t)1 << 33, 1, UINT64_MAX));
}

/* Where one invocation of each work-group of 64 x 1 x 1 writes. */
static void work_groups_are_counted_where_it_says_so(void **state)
{
	const struct wire_condition few = { .axis = 0, .at_most = 3, .groups = 1 };
	const struct wire_condition other = { .axis = 0, .at_most = 3, .groups = 2 };
	const struct wire_condition fit = { .kind = WIRE_COND_FITS,
					    .stride = { { .factor = 2 } },
					    .groups = 1 };

	(void)state;
	assert_true(holds(&few, 192, 1, 0));
	assert_false(holds(&few, 193, 1, 0));
	assert_true(holds(&other, 3, 1, 0));
	assert_false(holds(&other, 4, 1, 0));
	assert_true(holds(&fit, 192, 1, 5));
	assert_false(holds(&fit, 193, 1, 5));
	assert_true(holds(&fit, 193, 1, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_invocations_by_a_constant),
		cmocka_unit_test(bounds_invocations_by_a_uniform),
		cmocka_unit_test(does_not_hold_for_a_uniform_that_is_not_there),
		cmocka_unit_test(indices_of_an_image_fit_its_pixels),
		cmocka_unit_test(indices_with_a_base_fit),
		cmocka_unit_test(indices_that_wrap_do_not_fit),
		cmocka_unit_test(work_groups_are_counted_where_it_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
