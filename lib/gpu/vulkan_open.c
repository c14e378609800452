/* vulkan_open.c - one device with a queue; see vulkan_int.h and gpu.h. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "gpu/vulkan_int.h"

/* ---- opening ------------------------------------------------------------------------------ */

static int choose(struct gpu *g, const char *which, struct err *err)
{
	AUTO(mem_freep)
	struct vulkan_facts *list = NEW_ARRAY(struct vulkan_facts, VULKAN_MAX_DEVICES);
	uint32_t n;

	if (vulkan_list(&g->vulkan, &g->texts, list, &n, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < n; i++) {
		char index[NUM_TEXT];

		num_print_f64(i, index);
		if (text_equal(which, index) || text_equal(which, list[i].device.id)) {
			g->facts = list[i];
			return 0;
		}
	}
	return err_set(err, ERR_NOT_FOUND, "there is no Vulkan device %s (%u are here)", which, n);
}

static int make_device(struct gpu *g, struct err *err)
{
	static const float priority = 1.0F;
	const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						.queueFamilyIndex = g->facts.family,
						.queueCount = 1,
						.pQueuePriorities = &priority };
	const VkPhysicalDeviceFeatures features = {
		.robustBufferAccess = g->facts.features.robustBufferAccess,
		.shaderInt64 = g->facts.features.shaderInt64,
		.shaderFloat64 = g->facts.features.shaderFloat64,
	};
	VkPhysicalDeviceSubgroupSizeControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
		.subgroupSizeControl = VK_TRUE,
		.computeFullSubgroups = VK_TRUE,
	};
	const char *extensions[3];
	VkDeviceCreateInfo spec = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				    .queueCreateInfoCount = 1,
				    .pQueueCreateInfos = &queue,
				    .ppEnabledExtensionNames = extensions,
				    .pEnabledFeatures = &features };
	VkResult r;

	if (g->facts.host_alignment > 0)
		extensions[spec.enabledExtensionCount++] =
		    VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
	if (g->facts.has_float_controls)
		extensions[spec.enabledExtensionCount++] =
		    VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME;
	if (g->facts.has_size_control) {
		extensions[spec.enabledExtensionCount++] =
		    VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME;
		spec.pNext = &control;
	}
	r = g->vulkan.call.CreateDevice(g->facts.physical, &spec, NULL, &g->device);
	if (r != VK_SUCCESS) {
		g->device = NULL;
		return vulkan_error(err, r, "open the device");
	}
	if (vulkan_load_device(&g->vulkan.call, g->device, err) < 0)
		return err->code;
	g->vulkan.call.GetDeviceQueue(g->device, g->facts.family, 0, &g->queue);
	return 0;
}

static int make_commands(struct gpu *g, struct err *err)
{
	const struct vulkan_calls *c = &g->vulkan.call;
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
		.queueFamilyIndex = g->facts.family,
	};
	const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, GPU_MAX_BINDINGS + 1 },
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, GPU_MAX_BINDINGS },
	};
	const VkDescriptorPoolCreateInfo descriptors = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = ARRAY_LEN(sizes),
		.pPoolSizes = sizes,
	};
	VkCommandBufferAllocateInfo buffer = { .sType =
						   VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					       .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
					       .commandBufferCount = 1 };
	VkResult r = c->CreateCommandPool(g->device, &pool, NULL, &g->command_pool);

	buffer.commandPool = g->command_pool;
	if (r == VK_SUCCESS)
		r = c->AllocateCommandBuffers(g->device, &buffer, &g->commands);
	if (r == VK_SUCCESS)
		r = c->CreateFence(g->device, &fence, NULL, &g->fence);
	if (r == VK_SUCCESS)
		r = c->CreateDescriptorPool(g->device, &descriptors, NULL, &g->descriptors);
	return r == VK_SUCCESS ? 0 : vulkan_error(err, r, "make a queue of commands");
}

int gpu_open(const char *which, const struct gpu_memory *memory, struct gpu **ret, struct err *err)
{
	AUTO(gpu_freep) struct gpu *g = NEW(struct gpu);

	if (vulkan_start(&g->vulkan, err) < 0 || choose(g, which, err) < 0 ||
	    make_device(g, err) < 0 || make_commands(g, err) < 0)
		return err->code;
	g->in = (struct vulkan_region){ .use = VULKAN_INPUTS, .host = memory->in };
	g->out = (struct vulkan_region){ .use = VULKAN_OUTPUTS, .host = memory->out };
	g->own.use = VULKAN_OWN;
	g->in_size = memory->in_size;
	g->out_size = memory->out_size;
	vulkan_region_share(g, &g->in, memory->in_size);
	vulkan_region_share(g, &g->out, memory->out_size);
	if (vulkan_region_need(g, &g->own, GPU_MAX_UNIFORMS, err) < 0)
		return err->code;
	*ret = MOVE(g);
	return 0;
}

static void free_device(struct gpu *g)
{
	const struct vulkan_calls *c = &g->vulkan.call;

	vulkan_kernels_done(g);
	vulkan_region_done(g, &g->in);
	vulkan_region_done(g, &g->out);
	vulkan_region_done(g, &g->own);
	if (g->descriptors != VK_NULL_HANDLE)
		c->DestroyDescriptorPool(g->device, g->descriptors, NULL);
	if (g->fence != VK_NULL_HANDLE)
		c->DestroyFence(g->device, g->fence, NULL);
	if (g->command_pool != VK_NULL_HANDLE)
		c->DestroyCommandPool(g->device, g->command_pool, NULL);
	c->DestroyDevice(g->device, NULL);
}

void gpu_free(struct gpu *g)
{
	if (g == NULL)
		return;
	/* One whose functions could not be loaded cannot be closed either. */
	if (g->device != NULL && g->vulkan.call.QueueSubmit != NULL)
		free_device(g);
	vulkan_stop(&g->vulkan);
	arena_done(&g->texts);
	mem_free(g);
}

void gpu_freep(struct gpu **g)
{
	gpu_free(*g);
}

const struct gpu_device *gpu_device_of(const struct gpu *g)
{
	return &g->facts.device;
}

/* ---- warming up --------------------------------------------------------------------------- */

/* A kernel that does nothing, by hand. */
static const uint32_t NOTHING[] = {
	0x07230203,
	0x00010300,
	0,
	5,
	0, /* version 1.3, ids below 5 */
	2u << 16 | 17,
	1, /* OpCapability Shader */
	3u << 16 | 14,
	0,
	1, /* OpMemoryModel Logical GLSL450 */
	5u << 16 | 15,
	5,
	1,
	0x6e69616d,
	0, /* OpEntryPoint GLCompute %1 "main" */
	6u << 16 | 16,
	1,
	17,
	1,
	1,
	1, /* OpExecutionMode %1 LocalSize 1 1 1 */
	2u << 16 | 19,
	2, /* %2 = OpTypeVoid */
	3u << 16 | 33,
	3,
	2, /* %3 = OpTypeFunction %2 */
	5u << 16 | 54,
	2,
	1,
	0,
	3, /* %1 = OpFunction %2 None %3 */
	2u << 16 | 248,
	4,
	1u << 16 | 253,
	1u << 16 | 56,
};

int gpu_warm(struct gpu *g, struct err *err)
{
	AUTO(buf_done) struct buf object = { .max = GPU_MAX_OBJECT };
	const struct spirv_layout layout = { .control_bytes = SPIRV_CONTROL_LENGTHS * 4,
					     .workgroup_size = { 1, 1, 1 } };
	const struct gpu_chunk chunk = { .invocations = { 1, 1, 1 } };
	struct gpu_answer answer;

	if (gpu_object_encode(&layout, NOTHING, sizeof(NOTHING), &object, err) < 0 ||
	    gpu_load(g, object.data, object.len, err) < 0)
		return err->code;
	return gpu_run(g, &chunk, &answer, err);
}
