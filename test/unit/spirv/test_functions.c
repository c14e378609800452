/*
 * test_functions.c - the kernels of lib/native's test of this name, as SPIR-V on a Vulkan device.
 * All but the functions whose bits are the driver's business.
 */
int native_main(void);

#define main native_main
#include "../native/test_functions.c"
#undef main

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_operations_give_the_bits_of_the_evaluator),
		cmocka_unit_test(i32_operations_give_the_bits_of_the_evaluator),
		cmocka_unit_test(u32_operations_give_the_bits_of_the_evaluator),
		cmocka_unit_test(matrices_give_the_bits_of_the_evaluator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
