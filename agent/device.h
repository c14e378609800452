/*
 * device.h - what this machine is, and what its device can do.
 */
#ifndef AGENT_DEVICE_H
#define AGENT_DEVICE_H

#include <stdint.h>

#include "base/arena.h"
#include "wire/agent.h"

struct run_host;

/* CPUs that this process may use; at least 1. */
uint32_t device_cpus(void);

/* The machine's CPU as a device; texts in the arena. Reads /proc: for start-up. */
void device_describe(struct arena *a, struct wire_device *ret);

/* Run the self-test kernel and fill in abilities, self_test and self_test_reason. Drives the loop:
 * for start-up. A device that cannot run it at all has failed. */
void device_test(struct run_host *host, struct arena *a, struct wire_device *ret);

#endif
