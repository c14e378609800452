/*
 * exec.h - WGSL to SPIR-V to bytes, on a Vulkan driver in this process: for tests of the back end.
 *
 *     if (!test_use_driver(&TEST_LAVAPIPE)) skip();       drivers.h
 *     exec_open(&x);
 *     exec_run(&x, text, &chunk, &out);                   fails the test when something fails
 *     exec_close(&x);
 */
#ifndef TEST_GPU_EXEC_H
#define TEST_GPU_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "gpu/gpu.h"

enum { EXEC_BYTES = 16 << 20 }; /* of inputs, and of outputs */

struct exec {
	struct arena arena;
	struct gpu *gpu;
	struct gpu_memory memory;
};

/* Bytes of one binding, by its place in the compiled module's list (by group and binding). */
struct exec_buffer {
	enum gpu_where where;
	const void *bytes; /* GPU_UNIFORM, GPU_IN: what is there */
	size_t size;       /* GPU_OUT: its size, filled with zeros */
};

struct exec_chunk {
	const struct exec_buffer *buffers;
	uint32_t n_buffers;
	uint32_t invocations[3];
	uint64_t iteration_limit; /* 0: none */
	const uint32_t *stop;
};

/* The first device of the driver in use. */
void exec_open(struct exec *x);
void exec_close(struct exec *x);

/* Fixtures of cmocka: *state is a struct exec, without a device where the driver is not installed.
 */
int exec_open_lavapipe(void **state);
int exec_open_swiftshader(void **state);
int exec_close_any(void **state);

/* Skips the test where there is no device. */
struct exec *exec_or_skip(void **state);

/* Compile and load. */
void exec_load(struct exec *x, const char *wgsl);

/* Run the loaded kernel. outputs[i] points to binding i's bytes, until the next call. Returns
 * gpu_run's code. */
int exec_run(struct exec *x, const struct exec_chunk *chunk, const void **outputs,
	     struct gpu_answer *ret, struct err *err);

#endif
