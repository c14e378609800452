/*
 * test_language.c - the kernels of lib/native's test of this name, as SPIR-V on a Vulkan device.
 * Other sizes of work-groups, which are the device's business, only with KWARP_SLOW.
 */
int native_main(void);

#define main native_main
#include "../native/test_language.c"
#undef main

#include <stdlib.h>

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_mean_what_they_say),
	};

	if (getenv("KWARP_SLOW") != NULL)
		return native_main();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
