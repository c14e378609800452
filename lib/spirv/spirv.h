/*
 * spirv.h - wgsl_module to SPIR-V 1.3 for Vulkan 1.1 compute.
 *
 *     AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
 *     struct spirv_layout layout;
 *
 *     spirv_compile(module, &(struct spirv_options){ 0 }, &words, &layout, err)
 *
 * The result is one entry point "main" that means the same as native code of the module, bit by
 * bit, on a device with the abilities that the module needs. What the host binds is
 * all in the layout: descriptor set 0 with one buffer per binding and a hidden control
 * buffer, and a block of push constants (struct spirv_push).
 *
 * A dispatch may be split: run boxes of work-groups with vkCmdDispatch and say in push.base_group
 * where the box begins. Invocations outside of the logical grid do nothing.
 *
 * Enable robustBufferAccess nevertheless: the code clamps every index to the logical sizes that the
 * host states, so a host that states wrong ones must not reach other memory.
 *
 * Pure: no I/O, no globals; several threads may compile at once.
 */
#ifndef SPIRV_SPIRV_H
#define SPIRV_SPIRV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct buf;
struct wgsl_module;

enum {
	SPIRV_MAX_BYTES = 16 * 1024 * 1024, /* what `words` should be able to hold */
	SPIRV_MAX_BINDINGS = 64,            /* WGSL_MAX_BINDINGS */
	SPIRV_PUSH_LENGTHS = 20,            /* lengths in push constants; more are in control */
	SPIRV_CONTROL_LENGTHS = 4,          /* first word of lengths in the control buffer */
};

/* What the device offers. VkPhysicalDeviceFloatControlsProperties: each one set becomes an
 * execution mode of SPV_KHR_float_controls, which the device's extension
 * VK_KHR_shader_float_controls or Vulkan 1.2 must then be there for. */
struct spirv_options {
	bool rte32;                 /* shaderRoundingModeRTEFloat32 */
	bool denorm_preserve32;     /* shaderDenormPreserveFloat32 */
	bool signed_zero_inf_nan32; /* shaderSignedZeroInfNanPreserveFloat32 */
	/* The same of Float64, in kernels that have such values. Only for a device that lets the
	 * modes differ by width: denormBehaviorIndependence and roundingModeIndependence ALL. */
	bool rte64, denorm_preserve64, signed_zero_inf_nan64;
	/* Features shaderInt64 and shaderFloat64: without them kernels with i64, u64 or f64 are
	 * refused. The code for f64 needs both. */
	bool int64, float64;
	/* VkPhysicalDeviceSubgroupProperties: compute shaders have basic, vote, arithmetic, ballot,
	 * shuffle and quad operations on subgroups of 4 to 128. Without it kernels with subgroups
	 * are refused. */
	bool subgroups;
	/* The sizes, ORed, that a pipeline can ask for with
	 * VkPipelineShaderStageRequiredSubgroupSizeCreateInfo and full subgroups: kernels that want
	 * another are refused. */
	uint32_t subgroup_sizes;
	bool no_counters; /* tests and benchmarks only: no iteration limits */
	bool no_clamps;   /* tests and benchmarks only: indices are not clamped */
};

/* One of wgsl_module.bindings, in that order. */
struct spirv_binding {
	uint32_t binding; /* descriptor binding in set 0: its place in wgsl_module.bindings */
	/* VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER; otherwise VK_DESCRIPTOR_TYPE_STORAGE_BUFFER. False for
	 * a uniform variable whose layout Vulkan's uniform buffers do not allow. */
	bool is_uniform_buffer;
	bool is_used;      /* otherwise the shader does not declare it; need not be bound */
	bool is_read_only; /* the shader never writes it */
	/* Ends in a runtime-sized array: where it begins and how far elements are apart
	 * (bytes); stride 0: it does not. */
	uint32_t array_offset, array_stride;
	uint32_t length_slot; /* place among the lengths if array_stride > 0 */
};

/*
 * The push constants, offset 0, stage compute: push_bytes of it (at most 128). The host fills in
 * all; lengths with spirv_set_length.
 */
struct spirv_push {
	uint32_t groups[3]; /* logical num_workgroups: ceil(invocations / workgroup_size) */
	/* Counted loop passes an invocation may make; 0: 2^32 - 1. */
	uint32_t iteration_limit;
	uint32_t base_group[3];  /* added to the work-group ids of this dispatch */
	uint32_t reserved;       /* 0 */
	uint32_t invocations[3]; /* the logical grid */
	uint32_t lengths[SPIRV_PUSH_LENGTHS];
	uint32_t end; /* of the lengths: not read, keeps the size a multiple of 16 */
};

/*
 * The control buffer: a storage buffer of layout.control_bytes, all zero before the first
 * dispatch of a chunk but for lengths beyond SPIRV_PUSH_LENGTHS. After the last dispatch:
 * word 0: not 0 if an invocation ran out of iterations (the outputs are worthless then);
 * word 1: the largest number of counted passes that one invocation made. Words 2 and 3: unused.
 */
enum spirv_control {
	SPIRV_CONTROL_LIMIT, /* IterationLimit */
	SPIRV_CONTROL_USED,
};

struct spirv_layout {
	struct spirv_binding bindings[SPIRV_MAX_BINDINGS];
	uint32_t n_bindings;
	uint32_t control_binding; /* n_bindings; descriptor type storage buffer */
	uint32_t control_bytes;   /* at least 16 */
	bool has_control;         /* otherwise the shader does not declare it */
	uint32_t push_bytes;      /* of struct spirv_push, a multiple of 4 */
	uint32_t n_lengths;
	uint32_t workgroup_size[3];
	uint32_t workgroup_bytes; /* of shared memory that the shader declares, at most */
	/* The pipeline must have this size of subgroups, all full; 0: any. */
	uint32_t subgroup_size;
	/* The kernel has barriers or work-group memory: the host must refuse grids that are no
	 * multiple of workgroup_size in every dimension (as native_run_new does). */
	bool whole_groups;
};

/*
 * Compile to SPIR-V, appended to `words` as bytes of 32-bit words in this machine's order. The
 * module must have passed wgsl_ir_verify. ERR_INVALID: the module uses what this back end does not
 * support (named); ERR_TOO_BIG: more code than `words` or Vulkan's limits for modules allow.
 */
MUST_CHECK int spirv_compile(const struct wgsl_module *m, const struct spirv_options *o,
			     struct buf *words, struct spirv_layout *ret, struct err *err);

/*
 * Put the length of binding n's runtime-sized array, from its logical size in bytes, where the
 * shader reads it: push, or control (layout.control_bytes / 4 words). No effect on bindings without
 * one. `size` is at least wgsl_binding.min_size.
 */
void spirv_set_length(const struct spirv_layout *l, uint32_t n, uint64_t size,
		      struct spirv_push *push, uint32_t *control);

#endif
