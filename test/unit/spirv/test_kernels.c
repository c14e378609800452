/* test_kernels.c - random kernels of lib/native's test, as SPIR-V on a Vulkan device. */
int native_main(void);

#define main native_main
#include "../native/test_kernels.c"
#undef main

#include <stdbool.h>

#include "check.h"

int main(void)
{
	n_kernels = 3;
	kernel_always = true;
	return native_main();
}
