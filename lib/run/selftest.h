/*
 * selftest.h - what a device computes rightly, found out by having it compute.
 *
 * A driver's claims are not believed: small kernels run as any job's would, through the same
 * compiler and child, and their results are compared with the ones that are right. What every
 * kernel relies on (integers, conversions, clamped indices, work-group memory) must be right, or
 * the device has failed; what only some kernels need is an ability. A type that a device may lack
 * (f16, i64 and u64, f64) is one if all operations on it have the right bits; the CPU is not asked.
 */
#ifndef RUN_SELFTEST_H
#define RUN_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct run_device;
struct run_host;

struct run_self_test {
	bool passed;
	uint32_t abilities;  /* enum wire_need; 0 if it failed */
	uint32_t max_passes; /* run_slot_options: where loops are cut; 0: nowhere */
	char reason[sizeof(((struct err *)0)->text)]; /* why it failed; "" if passed */
};

/* device: NULL is the CPU with native code. Drives the loop; not from callbacks. Tries again when
 * it could not be run at all: the machine may be busy. */
void run_wait_self_test(struct run_host *h, const struct run_device *device,
			struct run_self_test *ret);

#endif
