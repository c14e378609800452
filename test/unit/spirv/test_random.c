/*
 * test_random.c - random kernels of lib/native's test, as SPIR-V on a Vulkan device.
 *
 * usage: test_random [COUNT [SEED]]
 */
int native_main(int argc, char **argv);

#define main native_main
#include "../native/test_random.c"
#undef main

#include <stdlib.h>

#include "check.h"

int main(int argc, char **argv)
{
	count = getenv("KWARP_SLOW") != NULL ? 60 : 3;
	kernel_always = true;
	return native_main(argc, argv);
}
