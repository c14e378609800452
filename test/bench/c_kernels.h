/*
 * c_kernels.h - the kernels of native.c as hand-written C, for comparison: built once by gcc and
 * once by clang as a shared object that native.c loads.
 *
 * Each function does the part [first, end) of the work on one thread: elements, rows, bodies.
 */
#ifndef BENCH_C_KERNELS_H
#define BENCH_C_KERNELS_H

#include <stdint.h>

enum {
	SAXPY_N = 4 << 20,
	MATRIX_N = 512,
	HISTOGRAM_N = 16 << 20,
	HISTOGRAM_PER_THREAD = 64,
	BINS = 256,
	PICTURE_WIDTH = 1024,
	PICTURE_HEIGHT = 768,
	PICTURE_LIMIT = 500,
	BODIES = 4096,
	PI_INVOCATIONS = 65536,
	PI_SAMPLES = 256,
};

/* buffers: as the kernel's bindings in order, uniforms left out. */
typedef void c_kernel_fn(void *const *buffers, uint32_t first, uint32_t end);

extern c_kernel_fn c_pi, c_saxpy, c_matrix, c_matrix_tiled, c_histogram, c_mandelbrot, c_bodies;

#endif
