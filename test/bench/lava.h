/*
 * lava.h - a kernel on the first Vulkan device by our own SPIR-V and lib/gpu, for native.c.
 *
 * A benchmark's tool: it stops at the first thing that goes wrong. LP_NUM_THREADS says how many
 * threads lavapipe has, VK_ICD_FILENAMES that it is the only driver.
 */
#ifndef BENCH_LAVA_H
#define BENCH_LAVA_H

#include <stdint.h>

struct lava;

/* Buffers as the kernel's bindings in order; the last one is the output, which starts as zero. */
struct lava *lava_new(const char *wgsl, const uint64_t *sizes, uint32_t n);
void lava_free(struct lava *l);

/* Compiles at the first run. Milliseconds of one run, outputs zeroed in it. */
double lava_run(struct lava *l, void *const *buffers, const uint32_t invocations[3]);
const void *lava_output(const struct lava *l);

#endif
