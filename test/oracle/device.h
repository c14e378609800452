/*
 * device.h - our kernels through the SPIR-V back end on this machine's first Vulkan device
 * (VK_ICD_FILENAMES chooses the driver).
 */
#ifndef TEST_ORACLE_DEVICE_H
#define TEST_ORACLE_DEVICE_H

#include "ours.h"

/* Its name, NULL: there is none. */
const char *device_name(void);

/* False: it asks for subgroups of a size that the device lacks. */
bool device_takes(const struct wgsl_module *m);

/* As ours_run, on the device. An error of Vulkan itself ends the process. */
MUST_CHECK int device_run(const struct kernel *k, struct ours *o, struct arena *arena,
			  struct err *err);

#endif
