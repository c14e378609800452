/*
 * valid.h - SPIR-V in the eyes of Khronos' validator (libSPIRV-Tools, what spirv-val is made of),
 * with the rules of Vulkan 1.1.
 */
#ifndef TEST_VALID_VALID_H
#define TEST_VALID_VALID_H

#include <stdbool.h>
#include <stddef.h>

/* words: len bytes, aligned to 4. false: why says what is wrong with them, cut to size bytes. */
bool valid_module(const void *words, size_t len, char *why, size_t size);

#endif
