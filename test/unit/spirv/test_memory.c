/*
 * test_memory.c - the kernels of lib/native's test of this name, as SPIR-V on a Vulkan device. All
 * but those whose results depend on the order of invocations, which a device chooses.
 */
int native_main(void);

#define main native_main
#include "../native/test_memory.c"
#undef main

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_clamp_to_the_last_element),
		cmocka_unit_test(negative_indices_are_huge),
		cmocka_unit_test(vectors_and_structs_in_buffers),
		cmocka_unit_test(grids_of_three_dimensions),
		cmocka_unit_test(atomics_without_results),
		cmocka_unit_test(barriers_in_loops),
		cmocka_unit_test(some_leave_what_holds_barriers),
		cmocka_unit_test(variables_as_large_as_allowed),
		cmocka_unit_test(branches_on_variables_that_agree_again),
		cmocka_unit_test(barriers_with_control_flow),
		cmocka_unit_test(tiled_matrix_products),
		cmocka_unit_test(iterations_are_limited),
		cmocka_unit_test(endless_loops_end),
		cmocka_unit_test(pi_edge_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
