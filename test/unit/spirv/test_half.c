/* test_half.c - the kernels of lib/native's test of this name, as SPIR-V on a Vulkan device. */
#include "check.h"

int native_main(void);

#define main native_main
#include "../native/test_half.c"
#undef main

int main(void)
{
	kernel_always = true;
	return native_main();
}
