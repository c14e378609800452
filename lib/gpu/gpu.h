/*
 * gpu.h - kernels on Vulkan devices.
 *
 *     gpu_list(arena, &devices, &n, err)                what there is
 *     gpu_open("0", &memory, &gpu, err)                 one of them, by index or id
 *     gpu_load(gpu, object, size, err)                  a kernel: gpu_object (object.h)
 *     gpu_run(gpu, &chunk, &answer, err)                one chunk, in dispatches
 *     gpu_free(gpu)
 *
 * libvulkan.so.1 is opened when it is first needed, so nothing of Vulkan has to be installed; a
 * machine without it has no devices and says why. Drivers need files, so: open before a sandbox
 * closes. One thread; a driver has threads of its own.
 *
 * The caller's inputs and outputs lie in two pieces of memory. A device that works in the machine's
 * memory anyway (software drivers) uses them as they are; others get copies.
 */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct arena;
struct gpu;

enum {
	GPU_MAX_BINDINGS = 64, /* of a kernel, without the control buffer */
	GPU_ALIGN = 256,       /* of buffers within the memory: no device asks for more */
	GPU_ID = 64,           /* bytes of an id with its NUL */
};

/* ---- devices ----------------------------------------------------------------------------- */

struct gpu_device {
	uint32_t index;
	const char *id;     /* stable: from the driver's UUID; hexadecimal */
	const char *vendor; /* "nvidia", "amd", "intel", "mesa", ...; "" if unknown */
	const char *name;
	const char *driver; /* name and version */
	uint64_t memory_mib;
	bool is_software; /* a CPU that poses as a GPU */
	uint32_t modes;   /* enum gpu_mode */
};

/* What a kernel may ask for (struct spirv_options). The compiler is told, because it writes them
 * into the code. */
enum gpu_mode {
	/* SPIR-V's float controls for f32, for f64. */
	GPU_MODE_RTE = 1,
	GPU_MODE_DENORM = 2,
	GPU_MODE_INFNAN = 4,
	GPU_MODE_RTE64 = 8,
	GPU_MODE_DENORM64 = 16,
	GPU_MODE_INFNAN64 = 32,
	/* Types. */
	GPU_MODE_INT64 = 64,
	GPU_MODE_FLOAT64 = 128,
	/* All operations on subgroups. */
	GPU_MODE_SUBGROUPS = 256,
	/* Sizes of subgroups that a kernel can ask for: one bit each, from 4 to 128. */
	GPU_MODE_SUBGROUP_4 = 512,
	GPU_MODE_SUBGROUP_128 = 16384,
};

enum { GPU_MIN_SUBGROUP = 4, GPU_MAX_SUBGROUP = 128 };

/* The bits of sizes, which are powers of two, ORed; and back. */
static inline uint32_t gpu_subgroup_modes(uint32_t sizes)
{
	return sizes * (GPU_MODE_SUBGROUP_4 / GPU_MIN_SUBGROUP);
}

static inline uint32_t gpu_subgroup_sizes(uint32_t modes)
{
	return modes / (GPU_MODE_SUBGROUP_4 / GPU_MIN_SUBGROUP) &
	       (2 * GPU_MAX_SUBGROUP - GPU_MIN_SUBGROUP);
}

/* Borrowed from the arena. ERR_UNAVAILABLE: no Vulkan here, the text says what is missing; no
 * device at all is an empty list. */
MUST_CHECK int gpu_list(struct arena *a, const struct gpu_device **ret, uint32_t *ret_n,
			struct err *err);

/* ---- one device -------------------------------------------------------------------------- */

/* Borrowed for the device's life; each must be mapped whole pages. */
struct gpu_memory {
	uint8_t *in; /* need not be writable */
	uint64_t in_size;
	uint8_t *out;
	uint64_t out_size;
};

/* which: an index ("0") or an id. ERR_UNAVAILABLE: no Vulkan; ERR_NOT_FOUND: no such device. */
MUST_CHECK int gpu_open(const char *which, const struct gpu_memory *memory, struct gpu **ret,
			struct err *err);
/* Blocks while a dispatch runs: a process whose device hangs must be killed instead. Accepts NULL.
 */
void gpu_free(struct gpu *g);
void gpu_freep(struct gpu **g);

/* Borrowed from g. */
const struct gpu_device *gpu_device_of(const struct gpu *g);

/* Run something trivial, so that what the driver does at first use is done: threads, files, its
 * compiler. */
MUST_CHECK int gpu_warm(struct gpu *g, struct err *err);

/* ---- kernels ----------------------------------------------------------------------------- */

/*
 * Load what gpu_object_encode wrote; the last few kernels stay loaded. The object is checked, the
 * words of SPIR-V are not: drivers believe them. All that a driver compiles, it compiles here.
 * ERR_UNAVAILABLE: a limit of this device is below what the kernel needs; another may run it.
 * ERR_INVALID: not an object. ERR_GONE: the device is lost. On failure nothing is loaded.
 */
MUST_CHECK int gpu_load(struct gpu *g, const void *object, size_t size, struct err *err);

enum gpu_where { GPU_UNIFORM = 1, GPU_IN = 2, GPU_OUT = 3 };

struct gpu_buffer {
	enum gpu_where where;
	uint64_t
	    offset;    /* into the chunk's uniforms, or the memory: then a multiple of GPU_ALIGN */
	uint64_t size; /* at least 1 */
};

struct gpu_chunk {
	/* One per binding of the kernel, in its order (the object's). */
	const struct gpu_buffer *buffers;
	uint32_t n_buffers;
	const void *uniforms;
	uint32_t uniforms_size;
	uint32_t invocations[3];      /* logical grid */
	uint64_t iteration_limit;     /* 0: 2^32 */
	uint32_t dispatch_timeout_ms; /* 0: a minute: beyond, the device counts as hanging */
	const uint32_t *stop;         /* borrowed, may be NULL: non-zero stops between dispatches */
};

enum gpu_status { GPU_DONE, GPU_STOPPED, GPU_ITERATION_LIMIT };

struct gpu_answer {
	enum gpu_status status;
	uint64_t iterations; /* most of one invocation; 0 if not counted */
	uint32_t dispatches;
};

enum {
	GPU_DISPATCH_MS =
	    100, /* what dispatches are cut to; drivers reset hung devices at seconds */
	GPU_MAX_UNIFORMS = 128 << 10,
};

/*
 * Run one chunk with the loaded kernel. Outputs are zeroed first. ERR_INVALID: the chunk does not
 * fit the kernel. ERR_UNAVAILABLE: it does not fit the device (size of a buffer). ERR_TOO_BIG: out
 * of device memory. ERR_GONE, ERR_TIMEOUT: the device is lost, or hangs: the process must end.
 */
MUST_CHECK int gpu_run(struct gpu *g, const struct gpu_chunk *chunk, struct gpu_answer *ret,
		       struct err *err);

#endif
