/*
 * test_uniform.c - kernels with barriers of lib/native's test, as SPIR-V on a Vulkan device.
 *
 * usage: test_uniform [COUNT [SEED]]
 */
int native_main(int argc, char **argv);

#define main native_main
#include "../native/test_uniform.c"
#undef main

#include <stdlib.h>

#include "check.h"

int main(int argc, char **argv)
{
	count = getenv("KWARP_SLOW") != NULL ? 400 : 10;
	kernel_always = true;
	return native_main(argc, argv);
}
