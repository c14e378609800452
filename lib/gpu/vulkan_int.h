/*
 * vulkan_int.h - what the files of the Vulkan back end share: libvulkan by dlopen, a device,
 * memory.
 *
 *   vulkan_load.c    the library, its functions, an instance
 *   vulkan_list.c    which devices there are
 *   vulkan_open.c    one device with a queue
 *   vulkan_memory.c  the chunk's memory as the device sees it
 *   vulkan_kernel.c  pipelines, a bounded cache of them (gpu_load)
 *   vulkan_run.c     a chunk as dispatches (gpu_run)
 */
#ifndef GPU_VULKAN_INT_H
#define GPU_VULKAN_INT_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "gpu/gpu.h"
#include "gpu/object.h"

/* ---- the library ------------------------------------------------------------------------- */

#define VULKAN_GLOBAL_CALLS(X)                                                                     \
	X(CreateInstance)                                                                          \
	X(EnumerateInstanceVersion)

#define VULKAN_INSTANCE_CALLS(X)                                                                   \
	X(DestroyInstance)                                                                         \
	X(EnumeratePhysicalDevices)                                                                \
	X(GetPhysicalDeviceProperties)                                                             \
	X(GetPhysicalDeviceProperties2)                                                            \
	X(GetPhysicalDeviceFeatures)                                                               \
	X(GetPhysicalDeviceFeatures2)                                                              \
	X(GetPhysicalDeviceMemoryProperties)                                                       \
	X(GetPhysicalDeviceQueueFamilyProperties)                                                  \
	X(EnumerateDeviceExtensionProperties)                                                      \
	X(CreateDevice)                                                                            \
	X(GetDeviceProcAddr)

#define VULKAN_DEVICE_CALLS(X)                                                                     \
	X(DestroyDevice)                                                                           \
	X(GetDeviceQueue)                                                                          \
	X(CreateBuffer)                                                                            \
	X(DestroyBuffer)                                                                           \
	X(GetBufferMemoryRequirements)                                                             \
	X(AllocateMemory)                                                                          \
	X(FreeMemory)                                                                              \
	X(BindBufferMemory)                                                                        \
	X(MapMemory)                                                                               \
	X(CreateShaderModule)                                                                      \
	X(DestroyShaderModule)                                                                     \
	X(CreateDescriptorSetLayout)                                                               \
	X(DestroyDescriptorSetLayout)                                                              \
	X(CreatePipelineLayout)                                                                    \
	X(DestroyPipelineLayout)                                                                   \
	X(CreateComputePipelines)                                                                  \
	X(DestroyPipeline)                                                                         \
	X(CreateDescriptorPool)                                                                    \
	X(DestroyDescriptorPool)                                                                   \
	X(ResetDescriptorPool)                                                                     \
	X(AllocateDescriptorSets)                                                                  \
	X(UpdateDescriptorSets)                                                                    \
	X(CreateCommandPool)                                                                       \
	X(DestroyCommandPool)                                                                      \
	X(AllocateCommandBuffers)                                                                  \
	X(BeginCommandBuffer)                                                                      \
	X(EndCommandBuffer)                                                                        \
	X(CmdBindPipeline)                                                                         \
	X(CmdBindDescriptorSets)                                                                   \
	X(CmdPushConstants)                                                                        \
	X(CmdDispatch)                                                                             \
	X(CmdPipelineBarrier)                                                                      \
	X(CmdCopyBuffer)                                                                           \
	X(CmdFillBuffer)                                                                           \
	X(CreateFence)                                                                             \
	X(DestroyFence)                                                                            \
	X(ResetFences)                                                                             \
	X(WaitForFences)                                                                           \
	X(QueueSubmit)

#define VULKAN_MEMBER(name) PFN_vk##name name;

/* Tests put their own functions here. */
struct vulkan_calls {
	PFN_vkGetInstanceProcAddr get;
	VULKAN_GLOBAL_CALLS(VULKAN_MEMBER)
	VULKAN_INSTANCE_CALLS(VULKAN_MEMBER)
	VULKAN_DEVICE_CALLS(VULKAN_MEMBER)
	/* Of VK_EXT_external_memory_host; NULL without it. */
	PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT;
};

#undef VULKAN_MEMBER

struct gpu;

struct vulkan {
	void *library; /* owned, but never closed: drivers leave threads behind */
	VkInstance instance;
	struct vulkan_calls call;
};

/* ERR_UNAVAILABLE: there is no Vulkan here; the text says what is missing. */
MUST_CHECK int vulkan_start(struct vulkan *v, struct err *err);
void vulkan_stop(struct vulkan *v);

/* The functions of a device. */
MUST_CHECK int vulkan_load_device(struct vulkan_calls *c, VkDevice device, struct err *err);

/* Record a failed call. ERR_GONE: the device is lost, a new process may have more luck.
 * ERR_TOO_BIG: out of memory. */
int vulkan_error(struct err *err, VkResult r, const char *what);

/* ---- devices ----------------------------------------------------------------------------- */

enum { VULKAN_MAX_DEVICES = 16, VULKAN_MAX_EXTENSIONS = 1024, VULKAN_MAX_FAMILIES = 32 };

/* What one physical device offers. */
struct vulkan_facts {
	VkPhysicalDevice physical;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceFeatures features;
	VkPhysicalDeviceMemoryProperties memory;
	uint64_t host_alignment; /* of imported host memory; 0: it cannot be imported */
	bool has_float_controls; /* the extension that SPIR-V's modes need */
	bool has_size_control;   /* VK_EXT_subgroup_size_control, with full subgroups */
	uint32_t max_subgroups;  /* of a work-group whose size of subgroups is asked for */
	uint32_t family;         /* of queues, with compute */
	struct gpu_device device;
};

/* At most VULKAN_MAX_DEVICES; those without Vulkan 1.1 or compute are left out. Texts in the arena.
 */
MUST_CHECK int vulkan_list(const struct vulkan *v, struct arena *a, struct vulkan_facts *ret,
			   uint32_t *ret_n, struct err *err);

/* ---- memory ------------------------------------------------------------------------------ */

enum vulkan_use { VULKAN_INPUTS, VULKAN_OUTPUTS, VULKAN_OWN };

/* Bytes of the host that the device works on: the same memory, or a copy. Zero is empty. */
struct vulkan_region {
	enum vulkan_use use;
	uint8_t *host;  /* borrowed; NULL for VULKAN_OWN: then mapped is */
	bool is_shared; /* the device sees the host's memory itself: nothing is copied */
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint8_t *mapped; /* of memory; NULL: it cannot be seen from here, staging is used */
	VkBuffer staging;
	VkDeviceMemory staging_memory;
	uint8_t *staging_mapped;
	uint64_t size; /* of buffer (and staging) */
};

/* Share the host's memory as it is where that is cheap: on devices that work in it anyway. Where
 * not, vulkan_region_need makes a copy. */
void vulkan_region_share(struct gpu *g, struct vulkan_region *r, uint64_t size);
/* The region can hold `size` bytes; what it held is lost. */
MUST_CHECK int vulkan_region_need(struct gpu *g, struct vulkan_region *r, uint64_t size,
				  struct err *err);
void vulkan_region_done(struct gpu *g, struct vulkan_region *r);

/* The first `size` bytes of the host to where the device sees them; zeros there; the device's bytes
 * back to the host. Synchronous. Errors as vulkan_end. */
MUST_CHECK int vulkan_region_write(struct gpu *g, struct vulkan_region *r, uint64_t size,
				   struct err *err);
MUST_CHECK int vulkan_region_zero(struct gpu *g, struct vulkan_region *r, uint64_t size,
				  struct err *err);
MUST_CHECK int vulkan_region_read(struct gpu *g, struct vulkan_region *r, uint64_t size,
				  struct err *err);

/* ---- kernels ----------------------------------------------------------------------------- */

enum { VULKAN_MAX_KERNELS = 16 };

struct vulkan_kernel {
	uint8_t *object; /* owned: what it was made from */
	size_t object_size;
	struct gpu_object layout; /* borrows from object */
	VkDescriptorSetLayout set;
	VkPipelineLayout pipeline_layout;
	VkPipeline pipeline;
	double us_per_group; /* as measured; 0: not yet */
	uint64_t last_used;
};

void vulkan_kernels_done(struct gpu *g);

/* Dispatch nothing with g->kernel: some drivers compile only then. Errors as vulkan_end. */
MUST_CHECK int vulkan_run_nothing(struct gpu *g, struct err *err);

/* ---- a device in use --------------------------------------------------------------------- */

enum { VULKAN_WAIT_MS = 60000 }; /* for what has no time-out of its own */

struct gpu {
	struct vulkan vulkan;
	struct arena texts; /* of facts */
	struct vulkan_facts facts;
	VkDevice device;
	VkQueue queue;
	VkCommandPool command_pool;
	VkCommandBuffer commands;
	VkFence fence;
	VkDescriptorPool descriptors;
	struct vulkan_region in, out, own; /* own: the control buffer and uniforms */
	uint64_t in_size, out_size;        /* of the host's memory */
	struct vulkan_kernel kernels[VULKAN_MAX_KERNELS];
	struct vulkan_kernel *kernel; /* borrowed from kernels: what is loaded */
	uint64_t uses;
	bool hides_memory; /* tests: as if the host could not see the device's memory */
};

/* Record commands between these two; end submits them and waits. ERR_GONE: lost. ERR_TIMEOUT: the
 * device did not finish in time. */
MUST_CHECK int vulkan_begin(struct gpu *g, struct err *err);
MUST_CHECK int vulkan_end(struct gpu *g, uint32_t timeout_ms, struct err *err);

#endif
