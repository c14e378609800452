/*
 * native.h - wgsl_module to vector machine code, and running it on CPU threads.
 *
 *     native_compile(module, &(struct native_options){ 0 }, &object, err)   needs LLVM
 *     native_load(object.data, object.len, &code, err)                      does not
 *     native_run_new(code, &chunk, &run, err)       checks sizes, once per chunk
 *     native_run_part(run, first, count, scratch)   from any number of threads
 *     native_run_free(run)
 *
 * The object is position-independent bytes: keep it under the kernel's digest and
 * native_cpu_key(), load it later in a process without LLVM. It comes from our own compiler and
 * is bounds-checked when loaded, but it IS machine code: load only what a trusted compiler wrote.
 *
 * One value of the IR is a vector of L invocations ("lanes"). A unit of work is L invocations
 * along x for kernels without work-group state, one work-group otherwise; units are independent
 * and may run in any order on any thread (storage atomics are real atomics).
 *
 * What the code does with memory: loads and stores only inside the given buffers, its own stack
 * (below 256 KiB) and the scratch; no allocation, no system calls, no calls but to
 * libm functions from a fixed table.
 */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct buf;
struct wgsl_module;
struct native_code;
struct native_run;

/* ---- compiling -------------------------------------------------------------------------- */

/*
 * The size of a subgroup where the kernel does not say it: that of most GPUs, so that kernels
 * written for them see what they expect. With reverse_lanes it is another one, so that the order
 * probe also finds what depends on it.
 */
enum { NATIVE_SUBGROUP = 32, NATIVE_SUBGROUP_REVERSED = 8 };

struct native_options {
	/* NULL: the machine this runs on; else a name that LLVM knows with its default
	 * features ("x86-64-v3": the same bytes on every machine, for golden tests). */
	const char *cpu;
	/* 0: chosen by register pressure; else a power of two, 4 to 256. Kernels with subgroups
	 * have at least a subgroup. */
	uint32_t lanes;
	bool reverse_lanes; /* lane 0 is the last invocation of a unit: for the order probe */
	bool no_counters;   /* tests and benchmarks only: no iteration limits */
	bool no_clamps;     /* tests and benchmarks only: indices are not clamped */
};

/*
 * Load LLVM's library, which needs files, so: before a sandbox closes. Otherwise native_compile
 * does it. Loading and running code needs no LLVM. ERR_UNAVAILABLE: it is not on this machine.
 */
MUST_CHECK int native_start(struct err *err);

/*
 * Compile to an object, appended to `object` (whose max should be at least NATIVE_MAX_OBJECT).
 * ERR_INVALID: the module uses what this back end does not support (named); ERR_TOO_BIG: too much
 * code. The module must have passed wgsl_ir_verify.
 */
enum {
	NATIVE_MAX_OBJECT = 16 * 1024 * 1024,
	NATIVE_MAX_SCRATCH = 64 * 1024 * 1024, /* per thread; more: ERR_TOO_BIG */
};
MUST_CHECK int native_compile(const struct wgsl_module *m, const struct native_options *o,
			      struct buf *object, struct err *err);

/* Append the LLVM IR before and after optimisation as text: for people and golden tests. */
MUST_CHECK int native_compile_text(const struct wgsl_module *m, const struct native_options *o,
				   bool optimised, struct buf *text, struct err *err);

/*
 * What code compiled here without options.cpu depends on besides the kernel: the CPU and the
 * version of this compiler, as text fit for a cache key. Writes at most
 * NATIVE_KEY bytes with NUL, returns `key`.
 */
enum { NATIVE_KEY = 64 };
const char *native_cpu_key(char key[NATIVE_KEY]);

/* ---- loading ---------------------------------------------------------------------------- */

/*
 * Map an object into memory (one mmap, made read-only or read-execute by mprotect before
 * this returns) and link it to the table of libm functions. The bytes are not kept.
 * ERR_INVALID: not a whole object; ERR_CONFLICT: made for another CPU or version, compile again.
 */
MUST_CHECK int native_load(const void *object, size_t len, struct native_code **ret,
			   struct err *err);
void native_code_free(struct native_code *c);
void native_code_freep(struct native_code **c);

/* Bytes of scratch memory each thread needs: work-group memory, values kept over
 * barriers, private arrays. May be 0. */
size_t native_scratch_bytes(const struct native_code *c);

uint32_t native_lanes(const struct native_code *c);

/* ---- running ---------------------------------------------------------------------------- */

struct native_buffer {
	void *data; /* borrowed; aligned to 16; bytes need no padding behind */
	uint64_t size;
};

/* One chunk. */
struct native_chunk {
	/* One per wgsl_module.bindings, in that order; unused bindings may be empty. */
	const struct native_buffer *buffers;
	uint32_t n_buffers;
	uint32_t invocations[3]; /* logical grid; 0 in any dimension: nothing runs */
	/* Counted loop passes an invocation may make; 1 to 2^32. 0 means 2^32. */
	uint64_t iteration_limit;
	/* Borrowed, may be NULL: looked at (relaxed) between units; non-zero stops. */
	const uint32_t *stop;
};

enum native_status {
	NATIVE_DONE,
	NATIVE_STOPPED,         /* *stop was set */
	NATIVE_ITERATION_LIMIT, /* some invocation ran out; the outputs are worthless */
};

/*
 * Check a chunk against what the code was compiled for and prepare it. ERR_INVALID names the
 * binding that is missing, misaligned or too small (below wgsl_binding.min_size), or the dimension
 * that is no multiple of the work-group size in a kernel with barriers or work-group
 * memory; ERR_TOO_BIG: a buffer above 16 GiB, too many invocations. The buffers must outlive
 * the run; their contents are not touched here (the caller zeroes outputs).
 */
MUST_CHECK int native_run_new(const struct native_code *c, const struct native_chunk *chunk,
			      struct native_run **ret, struct err *err);
void native_run_free(struct native_run *r);
void native_run_freep(struct native_run **r);

/* Units of work in all. Parts of a few hundred units make the cost of a call vanish for
 * any kernel; for balance make more parts than threads. */
uint64_t native_run_units(const struct native_run *r);

/*
 * Run units [first, first + count). Re-entrant; each thread at a time needs its own scratch of
 * native_scratch_bytes(), aligned to 64 (NULL if that is 0; contents do not matter).
 * *used becomes the largest number of counted passes of one invocation among these
 * units if that is larger than what it was.
 */
enum native_status native_run_part(const struct native_run *r, uint64_t first, uint64_t count,
				   void *scratch, uint64_t *used);

#endif
