/*
 * object.h - a compiled kernel for GPUs as bytes: what travels from the compiler child to the one
 * that runs it, and is kept in caches. Pure.
 */
#ifndef GPU_OBJECT_H
#define GPU_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "spirv/spirv.h"

struct buf;

enum { GPU_MAX_OBJECT = SPIRV_MAX_BYTES + 8192 };

struct gpu_object {
	struct spirv_layout layout;
	const uint32_t *words; /* of SPIR-V; borrowed from the bytes */
	size_t words_bytes;
};

/* What the compiler may use for devices of these modes (enum gpu_mode). */
struct spirv_options gpu_object_options(uint32_t modes);

/* Append to `out` (max at least GPU_MAX_OBJECT). */
MUST_CHECK int gpu_object_encode(const struct spirv_layout *l, const void *words,
				 size_t words_bytes, struct buf *out, struct err *err);

/* bytes: aligned to 4. Every number is checked; ERR_INVALID: not an object. The words are not
 * looked at, beyond that they begin like SPIR-V. */
MUST_CHECK int gpu_object_decode(const void *bytes, size_t size, struct gpu_object *ret,
				 struct err *err);

#endif
