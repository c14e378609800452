/*
 * kernel.h - compile a WGSL text, run it natively and in the interpreter, compare all buffers.
 */
#ifndef TEST_NATIVE_KERNEL_H
#define TEST_NATIVE_KERNEL_H

#include "native/native.h"

enum { KERNEL_BUFFERS = 8 };

struct kernel {
	const char *text;
	uint32_t invocations[3]; /* 0 counts as 1 */
	/* Sizes in bytes of the bindings in order; filled with words from `seed`: edge values and
	 * random ones. read_write buffers too. */
	uint32_t sizes[KERNEL_BUFFERS];
	/* Instead of the above, for small buffers (uniforms): these words. */
	const uint32_t *words[KERNEL_BUFFERS];
	enum { KERNEL_NATIVE, KERNEL_STRICT, KERNEL_STRICT_DIVISION } numerics;
	uint64_t limit;
	uint32_t seed;
	bool only_small; /* masks words to 0..1023: for kernels that use them as counts */
};

/* Run with these options and compare with the interpreter; fails the test with the first
 * difference. */
void kernel_check(const struct kernel *k, const struct native_options *o);

/* With many lane counts, forwards and backwards, on this CPU and on fixed ones. */
void kernel_check_all(const struct kernel *k);

/* Compile and run once; `buffers` in place. */
enum native_status kernel_run(const char *text, const struct native_options *o,
			      const struct native_chunk *chunk, uint64_t *used);

/* Compile only, for this CPU; the caller frees it. */
struct wgsl_source;
struct native_code *kernel_code(const struct wgsl_source *src);

/* 1, 0, MAX, small and random words. */
uint32_t kernel_word(uint32_t *state);

#endif
