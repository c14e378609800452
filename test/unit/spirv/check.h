/*
 * check.h - SPIR-V in the eyes of Khronos' validator.
 */
#ifndef TEST_SPIRV_CHECK_H
#define TEST_SPIRV_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Fails the test with what the validator (test/valid) says of the module. */
void check_valid(const void *words, size_t len, const char *text);

/* All kernels are run, not only some (see kernel.c). */
extern bool kernel_always;

#endif
