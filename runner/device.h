/*
 * device.h - the executing child of a Vulkan device: one loaded kernel, one chunk at a time.
 */
#ifndef RUNNER_DEVICE_H
#define RUNNER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "run/protocol.h"
#include "runner/exec.h"

struct device;

/* Open it and have it run something, so that its driver has all that it needs of the system. */
MUST_CHECK int device_new(const char *id, const struct exec_memory *memory, struct device **ret,
			  struct err *err);

/* A CPU that poses as a GPU: it needs no more than memory and time. */
bool device_is_software(const struct device *d);

/* Load the code. What fails is told again by each chunk, as REFUSED. */
MUST_CHECK int device_load(struct device *d, const struct run_load_request *request,
			   struct err *err);

/* Outputs are zeroed first. The answer's message lives in `text`. After DEVICE_LOST the process
 * must end. */
struct run_chunk_answer device_chunk(struct device *d, const struct run_chunk_request *request,
				     struct err *text);

/* Append the DEVICES frame to out. */
MUST_CHECK int device_list(struct buf *out, struct err *err);

#endif
