/* test_subgroup.c - the kernels of lib/native's test of this name, as valid SPIR-V. */
#include "check.h"

int native_main(void);

#define main native_main
#include "../native/test_subgroup.c"
#undef main

int main(void)
{
	return native_main();
}
