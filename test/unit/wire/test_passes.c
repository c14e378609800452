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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_need_a_device_that_does_not_cut_them_unless_they_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
