/* vulkan.c - see vulkan.h. */
#define VK_NO_PROTOTYPES
#include "vulkan.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <vulkan/vulkan.h>

#include "base/mem.h"

enum { MAX_BUFFERS = SPIRV_MAX_BINDINGS + 1, MAX_DEVICES = 8, MAX_EXTENSIONS = 1024 };

#define INSTANCE_FUNCTIONS(X)                                                                      \
	X(vkEnumeratePhysicalDevices)                                                              \
	X(vkGetPhysicalDeviceProperties2)                                                          \
	X(vkGetPhysicalDeviceFeatures)                                                             \
	X(vkGetPhysicalDeviceFeatures2)                                                            \
	X(vkEnumerateDeviceExtensionProperties)                                                    \
	X(vkGetPhysicalDeviceMemoryProperties)                                                     \
	X(vkCreateDevice)                                                                          \
	X(vkGetDeviceProcAddr)

#define DEVICE_FUNCTIONS(X)                                                                        \
	X(vkGetDeviceQueue)                                                                        \
	X(vkCreateBuffer)                                                                          \
	X(vkDestroyBuffer)                                                                         \
	X(vkGetBufferMemoryRequirements)                                                           \
	X(vkAllocateMemory)                                                                        \
	X(vkFreeMemory)                                                                            \
	X(vkBindBufferMemory)                                                                      \
	X(vkMapMemory)                                                                             \
	X(vkCreateShaderModule)                                                                    \
	X(vkDestroyShaderModule)                                                                   \
	X(vkCreateDescriptorSetLayout)                                                             \
	X(vkDestroyDescriptorSetLayout)                                                            \
	X(vkCreatePipelineLayout)                                                                  \
	X(vkDestroyPipelineLayout)                                                                 \
	X(vkCreateComputePipelines)                                                                \
	X(vkDestroyPipeline)                                                                       \
	X(vkCreateDescriptorPool)                                                                  \
	X(vkDestroyDescriptorPool)                                                                 \
	X(vkAllocateDescriptorSets)                                                                \
	X(vkUpdateDescriptorSets)                                                                  \
	X(vkCreateCommandPool)                                                                     \
	X(vkDestroyCommandPool)                                                                    \
	X(vkAllocateCommandBuffers)                                                                \
	X(vkBeginCommandBuffer)                                                                    \
	X(vkEndCommandBuffer)                                                                      \
	X(vkCmdBindPipeline)                                                                       \
	X(vkCmdBindDescriptorSets)                                                                 \
	X(vkCmdPushConstants)                                                                      \
	X(vkCmdDispatch)                                                                           \
	X(vkCmdPipelineBarrier)                                                                    \
	X(vkQueueSubmit)                                                                           \
	X(vkQueueWaitIdle)

#define DECLARE(name) static PFN_##name name;
INSTANCE_FUNCTIONS(DECLARE)
DEVICE_FUNCTIONS(DECLARE)
static PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;

struct gpu {
	VkDevice device;
	VkQueue queue;
	uint32_t memory_type;
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
	struct spirv_options options;
};

static bool is_tried;
static struct gpu all_gpus[MAX_DEVICES];
static uint32_t n_gpus;
static struct gpu gpu; /* that runs use */

/* What drivers never free; read by LeakSanitizer. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libvulkan\nleak:libLLVM\n";
}

static void need(VkResult r, const char *what)
{
	if (r != VK_SUCCESS)
		fail_msg("%s: %d", what, (int)r);
}

/* ---- the device ----------------------------------------------------------------------------- */

static uint32_t find_devices(VkPhysicalDevice *ret)
{
	const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					.apiVersion = VK_API_VERSION_1_1 };
	const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					    .pApplicationInfo = &app };
	void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	PFN_vkCreateInstance create;
	VkInstance instance;
	uint32_t n = MAX_DEVICES;

	if (library == NULL)
		return 0;
	vkGetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
	create = (PFN_vkCreateInstance)vkGetInstanceProcAddr(NULL, "vkCreateInstance");
	if (create(&info, NULL, &instance) != VK_SUCCESS)
		return 0;
		/* The loader's: they find the driver of each device. */
#define LOAD(name) name = (PFN_##name)vkGetInstanceProcAddr(instance, #name);
	INSTANCE_FUNCTIONS(LOAD)
	DEVICE_FUNCTIONS(LOAD)
	return vkEnumeratePhysicalDevices(instance, &n, ret) < 0 ? 0 : n;
}

static bool has_extension(VkPhysicalDevice d, const char *name)
{
	static VkExtensionProperties list[MAX_EXTENSIONS];
	uint32_t n = MAX_EXTENSIONS;

	if (vkEnumerateDeviceExtensionProperties(d, NULL, &n, list) < 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(list[i].extensionName, name) == 0)
			return true;
	return false;
}

/* The software drivers have all operations in compute shaders. */
static void look_at_subgroups(VkPhysicalDevice d)
{
	VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES
	};
	VkPhysicalDeviceSubgroupProperties subgroups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES
	};
	VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					  .pNext = &subgroups };
	VkPhysicalDeviceSubgroupSizeControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES
	};
	VkPhysicalDeviceFeatures2 features = { .sType =
						   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					       .pNext = &control };

	vkGetPhysicalDeviceProperties2(d, &p);
	gpu.options.subgroups = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
				(subgroups.supportedOperations & VK_SUBGROUP_FEATURE_QUAD_BIT) != 0;
	if (!has_extension(d, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
		return;
	p.pNext = &sizes;
	vkGetPhysicalDeviceProperties2(d, &p);
	vkGetPhysicalDeviceFeatures2(d, &features);
	if (!control.subgroupSizeControl || !control.computeFullSubgroups ||
	    (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0)
		return;
	for (uint32_t n = sizes.minSubgroupSize; n <= sizes.maxSubgroupSize; n *= 2)
		gpu.options.subgroup_sizes |= n;
}

static void look_at(VkPhysicalDevice d)
{
	VkPhysicalDeviceFloatControlsProperties floats = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES
	};
	VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					  .pNext = &floats };
	VkPhysicalDeviceMemoryProperties memory;
	VkPhysicalDeviceFeatures features;
	const VkMemoryPropertyFlags want =
	    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

	vkGetPhysicalDeviceProperties2(d, &p);
	memcpy(gpu.name, p.properties.deviceName, sizeof(gpu.name));
	if (p.properties.apiVersion >= VK_API_VERSION_1_2) {
		gpu.options.rte32 = floats.shaderRoundingModeRTEFloat32;
		gpu.options.denorm_preserve32 = floats.shaderDenormPreserveFloat32;
		gpu.options.signed_zero_inf_nan32 = floats.shaderSignedZeroInfNanPreserveFloat32;
		gpu.options.signed_zero_inf_nan64 = floats.shaderSignedZeroInfNanPreserveFloat64;
		if (floats.roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL)
			gpu.options.rte64 = floats.shaderRoundingModeRTEFloat64;
		if (floats.denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL)
			gpu.options.denorm_preserve64 = floats.shaderDenormPreserveFloat64;
	}
	vkGetPhysicalDeviceFeatures(d, &features);
	gpu.options.int64 = features.shaderInt64;
	gpu.options.float64 = features.shaderFloat64;
	look_at_subgroups(d);
	vkGetPhysicalDeviceMemoryProperties(d, &memory);
	for (uint32_t n = memory.memoryTypeCount; n-- > 0;)
		if ((memory.memoryTypes[n].propertyFlags & want) == want)
			gpu.memory_type = n;
}

static bool open_device(VkPhysicalDevice d)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						.queueCount = 1,
						.pQueuePriorities = &priority };
	VkPhysicalDeviceFeatures features = { .robustBufferAccess = VK_TRUE };
	VkPhysicalDeviceSubgroupSizeControlFeatures control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
		.subgroupSizeControl = VK_TRUE,
		.computeFullSubgroups = VK_TRUE,
	};
	const char *const extensions[] = { VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME };
	VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				    .queueCreateInfoCount = 1,
				    .pQueueCreateInfos = &queue,
				    .ppEnabledExtensionNames = extensions,
				    .pEnabledFeatures = &features };

	gpu = (struct gpu){ 0 };
	look_at(d);
	features.shaderInt64 = gpu.options.int64;
	features.shaderFloat64 = gpu.options.float64;
	if (gpu.options.subgroup_sizes != 0) {
		info.enabledExtensionCount = 1;
		info.pNext = &control;
	}
	if (vkCreateDevice(d, &info, NULL, &gpu.device) != VK_SUCCESS)
		return false;
	vkGetDeviceQueue(gpu.device, 0, 0, &gpu.queue);
	return true;
}

uint32_t vulkan_devices(void)
{
	VkPhysicalDevice all[MAX_DEVICES];
	uint32_t n;

	if (is_tried)
		return n_gpus;
	is_tried = true;
	(void)setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
	(void)setenv("XDG_RUNTIME_DIR", "/tmp", 0);
	n = find_devices(all);
	for (uint32_t i = 0; i < n; i++)
		if (open_device(all[i]))
			all_gpus[n_gpus++] = gpu;
	gpu = all_gpus[0];
	if (n_gpus == 0)
		print_message("no Vulkan device: kernels are not run\n");
	return n_gpus;
}

void vulkan_use(uint32_t n)
{
	assert_true(n < vulkan_devices());
	gpu = all_gpus[n];
}

const char *vulkan_device(struct spirv_options *options)
{
	if (vulkan_devices() == 0)
		return NULL;
	*options = gpu.options;
	return gpu.name;
}

/* ---- one run -------------------------------------------------------------------------------- */

struct buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *at;
	uint32_t size;
};

struct job {
	const struct spirv_layout *l;
	struct buffer buffers[MAX_BUFFERS];
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkShaderModule module;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	VkCommandPool commands;
	VkCommandBuffer command;
};

static VkDescriptorType type_of(const struct spirv_layout *l, uint32_t n)
{
	return n < l->n_bindings && l->bindings[n].is_uniform_buffer
		   ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
		   : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static bool is_bound(const struct spirv_layout *l, uint32_t n)
{
	return n < l->n_bindings ? l->bindings[n].is_used : l->has_control;
}

static void buffer_make(struct buffer *b, const void *data, uint32_t size)
{
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				    .size = size,
				    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					     VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT };
	VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					.memoryTypeIndex = gpu.memory_type };
	VkMemoryRequirements needs;
	void *at;

	b->size = size;
	need(vkCreateBuffer(gpu.device, &info, NULL, &b->buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(gpu.device, b->buffer, &needs);
	memory.allocationSize = needs.size;
	need(vkAllocateMemory(gpu.device, &memory, NULL, &b->memory), "vkAllocateMemory");
	need(vkBindBufferMemory(gpu.device, b->buffer, b->memory, 0), "vkBindBufferMemory");
	need(vkMapMemory(gpu.device, b->memory, 0, VK_WHOLE_SIZE, 0, &at), "vkMapMemory");
	b->at = at;
	if (data != NULL)
		memcpy(at, data, size);
	else
		memset(at, 0, size);
}

static void layouts_make(struct job *j)
{
	VkDescriptorSetLayoutBinding bindings[MAX_BUFFERS];
	VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .pBindings = bindings
	};
	VkPushConstantRange push = { VK_SHADER_STAGE_COMPUTE_BIT, 0, j->l->push_bytes };
	VkPipelineLayoutCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					    .setLayoutCount = 1,
					    .pSetLayouts = &j->set_layout,
					    .pushConstantRangeCount = 1,
					    .pPushConstantRanges = &push };

	for (uint32_t n = 0; n <= j->l->n_bindings; n++)
		if (is_bound(j->l, n))
			bindings[set.bindingCount++] =
			    (VkDescriptorSetLayoutBinding){ .binding = n,
							    .descriptorType = type_of(j->l, n),
							    .descriptorCount = 1,
							    .stageFlags =
								VK_SHADER_STAGE_COMPUTE_BIT };
	need(vkCreateDescriptorSetLayout(gpu.device, &set, NULL, &j->set_layout), "set layout");
	need(vkCreatePipelineLayout(gpu.device, &info, NULL, &j->layout), "pipeline layout");
}

static void pipeline_make(struct job *j, const void *words, size_t len)
{
	VkShaderModuleCreateInfo module = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					    .codeSize = len,
					    .pCode = words };
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = j->l->subgroup_size,
	};
	VkComputePipelineCreateInfo info = { .sType =
						 VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO };

	need(vkCreateShaderModule(gpu.device, &module, NULL, &j->module), "shader module");
	info.stage = (VkPipelineShaderStageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = VK_SHADER_STAGE_COMPUTE_BIT,
		.module = j->module,
		.pName = "main"
	};
	if (size.requiredSubgroupSize > 0) {
		info.stage.pNext = &size;
		info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
	}
	info.layout = j->layout;
	need(vkCreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, NULL, &j->pipeline),
	     "pipeline");
}

static void set_make(struct job *j)
{
	VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MAX_BUFFERS },
					 { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_BUFFERS } };
	VkDescriptorPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					    .maxSets = 1,
					    .poolSizeCount = 2,
					    .pPoolSizes = sizes };
	VkDescriptorSetAllocateInfo info = { .sType =
						 VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
					     .descriptorSetCount = 1,
					     .pSetLayouts = &j->set_layout };

	need(vkCreateDescriptorPool(gpu.device, &pool, NULL, &j->pool), "descriptor pool");
	info.descriptorPool = j->pool;
	need(vkAllocateDescriptorSets(gpu.device, &info, &j->set), "descriptor set");
	for (uint32_t n = 0; n <= j->l->n_bindings; n++) {
		VkDescriptorBufferInfo b = { j->buffers[n].buffer, 0, j->buffers[n].size };
		VkWriteDescriptorSet w = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					   .dstSet = j->set,
					   .dstBinding = n,
					   .descriptorCount = 1,
					   .descriptorType = type_of(j->l, n),
					   .pBufferInfo = &b };

		if (is_bound(j->l, n))
			vkUpdateDescriptorSets(gpu.device, 1, &w, 0, NULL);
	}
}

static void dispatch(struct job *j, struct spirv_push *push, uint32_t from, uint32_t to)
{
	VkMemoryBarrier all = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
				.dstAccessMask =
				    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT };

	if (from == to)
		return;
	push->base_group[0] = from;
	vkCmdPushConstants(j->command, j->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, j->l->push_bytes,
			   push);
	vkCmdDispatch(j->command, to - from, push->groups[1], push->groups[2]);
	vkCmdPipelineBarrier(j->command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static void execute(struct job *j, struct spirv_push *push)
{
	VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	VkCommandBufferAllocateInfo info = { .sType =
						 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					     .commandBufferCount = 1 };
	VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				.commandBufferCount = 1,
				.pCommandBuffers = &j->command };
	uint32_t third = push->groups[0] / 3;

	need(vkCreateCommandPool(gpu.device, &pool, NULL, &j->commands), "command pool");
	info.commandPool = j->commands;
	need(vkAllocateCommandBuffers(gpu.device, &info, &j->command), "command buffer");
	need(vkBeginCommandBuffer(j->command, &begin), "vkBeginCommandBuffer");
	vkCmdBindPipeline(j->command, VK_PIPELINE_BIND_POINT_COMPUTE, j->pipeline);
	vkCmdBindDescriptorSets(j->command, VK_PIPELINE_BIND_POINT_COMPUTE, j->layout, 0, 1,
				&j->set, 0, NULL);
	dispatch(j, push, 0, third);
	dispatch(j, push, third, push->groups[0]);
	need(vkEndCommandBuffer(j->command), "vkEndCommandBuffer");
	need(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
	need(vkQueueWaitIdle(gpu.queue), "vkQueueWaitIdle");
}

static void job_done(struct job *j)
{
	vkDestroyCommandPool(gpu.device, j->commands, NULL);
	vkDestroyDescriptorPool(gpu.device, j->pool, NULL);
	vkDestroyPipeline(gpu.device, j->pipeline, NULL);
	vkDestroyShaderModule(gpu.device, j->module, NULL);
	vkDestroyPipelineLayout(gpu.device, j->layout, NULL);
	vkDestroyDescriptorSetLayout(gpu.device, j->set_layout, NULL);
	for (uint32_t n = 0; n < MAX_BUFFERS; n++) {
		vkDestroyBuffer(gpu.device, j->buffers[n].buffer, NULL);
		vkFreeMemory(gpu.device, j->buffers[n].memory, NULL);
	}
}

enum native_status vulkan_run(const void *words, size_t len, const struct spirv_layout *layout,
			      const struct native_chunk *chunk, uint64_t *used)
{
	struct job j = { .l = layout };
	struct spirv_push push = { .iteration_limit = (uint32_t)chunk->iteration_limit };
	struct buffer *control = &j.buffers[layout->n_bindings];
	uint32_t limit, passes;

	buffer_make(control, NULL, layout->control_bytes);
	for (uint32_t n = 0; n < layout->n_bindings; n++) {
		if (!layout->bindings[n].is_used)
			continue;
		buffer_make(&j.buffers[n], chunk->buffers[n].data,
			    (uint32_t)chunk->buffers[n].size);
		spirv_set_length(layout, n, chunk->buffers[n].size, &push, control->at);
	}
	for (int d = 0; d < 3; d++) {
		uint32_t size = layout->workgroup_size[d];

		push.invocations[d] = chunk->invocations[d];
		push.groups[d] = chunk->invocations[d] / size + (chunk->invocations[d] % size != 0);
	}
	layouts_make(&j);
	pipeline_make(&j, words, len);
	set_make(&j);
	execute(&j, &push);
	for (uint32_t n = 0; n < layout->n_bindings; n++)
		if (layout->bindings[n].is_used)
			memcpy(chunk->buffers[n].data, j.buffers[n].at, chunk->buffers[n].size);
	limit = control->at[SPIRV_CONTROL_LIMIT];
	passes = control->at[SPIRV_CONTROL_USED];
	job_done(&j);
	*used = passes > *used ? passes : *used;
	return limit != 0 ? NATIVE_ITERATION_LIMIT : NATIVE_DONE;
}
