/*
 * device.h - what this machine is, and what its device can do.
 */
#ifndef AGENT_DEVICE_H
#define AGENT_DEVICE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "run/selftest.h"
#include "wire/agent.h"

struct run_device;
struct run_host;

/* CPUs that this process may use; at least 1. */
uint32_t device_cpus(void);

struct device {
	struct wire_device wire;      /* texts in the arena */
	const struct run_device *gpu; /* in the arena; NULL: the CPU with native code */
	struct run_self_test test;
};

struct device_list {
	struct device *list; /* in the arena */
	uint32_t n;
};

/*
 * What the command line's kinds mean on this machine, each device once: "auto" (real GPUs and the
 * CPU; also for none), "native" (the CPU), "vulkan" (every Vulkan device), "vulkan:INDEX" or
 * "vulkan:ID" (that one). At least one, in the arena. Drives the loop: for start-up.
 * ERR_NOT_FOUND, ERR_UNAVAILABLE: what was asked for is not there.
 */
MUST_CHECK int device_find(struct run_host *host, const char *const *kinds, uint32_t n_kinds,
			   struct arena *a, struct device_list *ret, struct err *err);

/* Run the self-test and fill in what it showed. Drives the loop: for start-up. A device that cannot
 * run it at all has failed. */
void device_test(struct run_host *host, struct arena *a, struct device *d);

#endif
