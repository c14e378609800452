/*
 * vulkan.h - runs SPIR-V on a Vulkan device of this machine: as little as tests need,
 * everything made anew for each run.
 */
#ifndef TEST_SPIRV_VULKAN_H
#define TEST_SPIRV_VULKAN_H

#include <stddef.h>

#include "native/native.h"
#include "spirv/spirv.h"

/* How many devices there are (0 is said once), and which one runs use: at first number 0. */
uint32_t vulkan_devices(void);
void vulkan_use(uint32_t n);

/* The device that runs use; options: what it offers. NULL: there is none (said once). */
const char *vulkan_device(struct spirv_options *options);

/*
 * Run a chunk as native_run does: buffers in place, in several dispatches. Fails the test on any
 * error of Vulkan.
 */
enum native_status vulkan_run(const void *words, size_t len, const struct spirv_layout *layout,
			      const struct native_chunk *chunk, uint64_t *used);

#endif
