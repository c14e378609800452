/*
 * test_strict_lanes.c - the kernels of lib/native's test of this name, as SPIR-V on a Vulkan
 * device: bits that the driver has no say in.
 */
int native_main(void);

#define main native_main
#include "../native/test_strict_lanes.c"
#undef main

#include "check.h"

int main(void)
{
	kernel_always = true;
	return native_main();
}
