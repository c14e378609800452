/* test_passes.c - which kernels a device that cuts loops is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/kernel.h"

static void loops_need_a_device_that_does_not_cut_them_unless_they_are_short(void **state)
{
	struct wire_kernel k = { .needs = WIRE_NEED_RTE | WIRE_NEED_LOOPS64K,
				 .needs_counter = true,
				 .bounded_passes = 10000,
				 .passes_factor = 5 };

	(void)state;
	assert_int_equal(wire_counted_passes(&k, WIRE_SHORT_LOOPS), 10000);
	assert_int_equal(wire_kernel_needs(&k, 10000), WIRE_NEED_RTE);
	assert_int_equal(wire_kernel_needs(&k, 10001), k.needs);
	assert_int_equal(wire_kernel_needs(&k, 0), k.needs);
	k.bounded_passes = WIRE_SHORT_LOOPS;
	assert_int_equal(wire_counted_passes(&k, WIRE_SHORT_LOOPS), 0);
	assert_int_equal(wire_kernel_needs(&k, 1), k.needs);
	k.needs_counter = false;
	k.bounded_passes = 100;
	assert_int_equal(wire_kernel_needs(&k, 0), WIRE_NEED_RTE);
}

/* A bit each, all with a name of their own. */
static void needs_have_names(void **state)
{
	uint32_t sizes = 0;

	(void)state;
	for (uint32_t a = 1; a <= WIRE_NEEDS_ALL; a <<= 1) {
		assert_string_not_equal(wire_need_name((enum wire_need)a), "");
		for (uint32_t b = 1; b < a; b <<= 1)
			assert_string_not_equal(wire_need_name((enum wire_need)a),
						wire_need_name((enum wire_need)b));
	}
	for (uint32_t n = 4; n <= 128; n *= 2)
		sizes |= (uint32_t)wire_need_of_size(n);
	assert_int_equal(sizes, WIRE_NEEDS_SIZES);
	assert_int_equal(wire_need_of_size(0), 0);
	assert_int_equal(wire_need_of_size(32), WIRE_NEED_SUBGROUP_32);
	assert_string_equal(wire_need_name(WIRE_NEED_SUBGROUP_32), "subgroup32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_have_names),
		cmocka_unit_test(loops_need_a_device_that_does_not_cut_them_unless_they_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
