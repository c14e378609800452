/* drivers.h - the software Vulkan drivers that tests run on. */
#ifndef TEST_GPU_DRIVERS_H
#define TEST_GPU_DRIVERS_H

#include <stdbool.h>

struct test_driver {
	const char *name;
	/* The manifest, or a command that prints its path. */
	const char *file;
	const char *const *command;
};

extern const struct test_driver TEST_LAVAPIPE;
extern const struct test_driver TEST_SWIFTSHADER;

/* Have this process and its children use it alone. False: it is not to be had here, and it was said
 * why: skip the test. */
bool test_use_driver(const struct test_driver *d);

#endif
