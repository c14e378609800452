/* test_values.c - the kernels of lib/native's test of this name, as SPIR-V on a Vulkan device. */
#include "../native/test_values.c"
