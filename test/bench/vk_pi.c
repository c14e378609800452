/*
 * vk_pi.c - the pi kernel on a Vulkan driver, for comparison (docs/benchmarks.md).
 *
 *     vk_pi KERNEL.spv [RUNS]
 *
 * Runs one chunk of 100,000,000 samples RUNS times [3] after one warm-up and prints the hits, the
 * best time from submission to fence, and how long the driver compiles, which is the time to make
 * the pipeline and what the first run takes longer than the best one:
 * "hits=78543034 best_ms=84.10 compile_ms=40.20 device=llvmpipe ...". A benchmark's tool: it stops
 * at the first thing that goes wrong. MESA_SHADER_CACHE_DISABLE=1 makes a driver compile.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vulkan/vulkan.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		VkResult rc_ = (call);                                                             \
		if (rc_ != VK_SUCCESS) {                                                           \
			fprintf(stderr, "%s: VkResult %d\n", #call, (int)rc_);                     \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { SAMPLES = 100000000, PER_THREAD = 256, GROUP = 256 };

struct gpu {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkBuffer buffers[2]; /* uniform, storage */
	uint32_t *mapped[2];
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorSet set;
	VkCommandBuffer commands;
	VkFence fence;
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void open_device(struct gpu *g)
{
	VkApplicationInfo app = { VK_STRUCTURE_TYPE_APPLICATION_INFO,
				  .apiVersion = VK_API_VERSION_1_1 };
	VkInstanceCreateInfo instance = { VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					  .pApplicationInfo = &app };
	float priority = 1;
	VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					  .queueCount = 1, .pQueuePriorities = &priority };
	VkPhysicalDeviceFeatures features = { .robustBufferAccess = VK_TRUE };
	VkDeviceCreateInfo device = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				      .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
				      .pEnabledFeatures = &features };
	VkPhysicalDeviceProperties properties;
	uint32_t one = 1;

	CHECK(vkCreateInstance(&instance, NULL, &g->instance));
	if (vkEnumeratePhysicalDevices(g->instance, &one, &g->physical) < 0 || one == 0) {
		fprintf(stderr, "no Vulkan device\n");
		exit(1);
	}
	vkGetPhysicalDeviceProperties(g->physical, &properties);
	memcpy(g->name, properties.deviceName, sizeof(g->name));
	CHECK(vkCreateDevice(g->physical, &device, NULL, &g->device));
	vkGetDeviceQueue(g->device, 0, 0, &g->queue);
}

static uint32_t host_memory_type(const struct gpu *g, uint32_t bits)
{
	VkPhysicalDeviceMemoryProperties p;
	VkMemoryPropertyFlags want =
	    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

	vkGetPhysicalDeviceMemoryProperties(g->physical, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++)
		if ((bits & 1u << i) && (p.memoryTypes[i].propertyFlags & want) == want)
			return i;
	fprintf(stderr, "no host-visible memory\n");
	exit(1);
}

static void make_buffer(struct gpu *g, int i, VkBufferUsageFlags usage)
{
	VkBufferCreateInfo info = { VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256,
				    .usage = usage };
	VkMemoryRequirements need;
	VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
	VkDeviceMemory m;
	void *at;

	CHECK(vkCreateBuffer(g->device, &info, NULL, &g->buffers[i]));
	vkGetBufferMemoryRequirements(g->device, g->buffers[i], &need);
	memory.allocationSize = need.size;
	memory.memoryTypeIndex = host_memory_type(g, need.memoryTypeBits);
	CHECK(vkAllocateMemory(g->device, &memory, NULL, &m));
	CHECK(vkBindBufferMemory(g->device, g->buffers[i], m, 0));
	CHECK(vkMapMemory(g->device, m, 0, VK_WHOLE_SIZE, 0, &at));
	g->mapped[i] = at;
}

static void make_pipeline(struct gpu *g, const uint32_t *code, size_t size)
{
	VkDescriptorSetLayoutBinding bindings[2] = {
		{ 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	VkDescriptorSetLayoutCreateInfo set = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
						.bindingCount = 2, .pBindings = bindings };
	VkPipelineLayoutCreateInfo layout = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					      .setLayoutCount = 1, .pSetLayouts = &g->set_layout };
	VkShaderModuleCreateInfo module = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					    .codeSize = size, .pCode = code };
	VkComputePipelineCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO
	};
	VkShaderModule m;

	CHECK(vkCreateDescriptorSetLayout(g->device, &set, NULL, &g->set_layout));
	CHECK(vkCreatePipelineLayout(g->device, &layout, NULL, &g->layout));
	CHECK(vkCreateShaderModule(g->device, &module, NULL, &m));
	pipeline.layout = g->layout;
	pipeline.stage = (VkPipelineShaderStageCreateInfo){
		VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = VK_SHADER_STAGE_COMPUTE_BIT,
		.module = m,
		.pName = "main",
	};
	CHECK(vkCreateComputePipelines(g->device, NULL, 1, &pipeline, NULL, &g->pipeline));
}

static void bind_buffers(struct gpu *g)
{
	VkDescriptorPoolSize sizes[2] = { { VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 },
					  { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 } };
	VkDescriptorPoolCreateInfo pool = { VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					    .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes };
	VkDescriptorSetAllocateInfo set = { VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
					    .descriptorSetCount = 1,
					    .pSetLayouts = &g->set_layout };
	VkDescriptorPool p;

	CHECK(vkCreateDescriptorPool(g->device, &pool, NULL, &p));
	set.descriptorPool = p;
	CHECK(vkAllocateDescriptorSets(g->device, &set, &g->set));
	for (uint32_t i = 0; i < 2; i++) {
		VkDescriptorBufferInfo buffer = { g->buffers[i], 0, VK_WHOLE_SIZE };
		VkWriteDescriptorSet write = { VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					       .dstSet = g->set,
					       .dstBinding = i,
					       .descriptorCount = 1,
					       .descriptorType = sizes[i].type,
					       .pBufferInfo = &buffer };

		vkUpdateDescriptorSets(g->device, 1, &write, 0, NULL);
	}
}

static void record(struct gpu *g)
{
	VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	VkCommandBufferAllocateInfo buffer = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					       .commandBufferCount = 1 };
	VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
	VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	uint32_t groups = (SAMPLES / PER_THREAD + GROUP - 1) / GROUP;
	VkCommandPool p;

	CHECK(vkCreateCommandPool(g->device, &pool, NULL, &p));
	buffer.commandPool = p;
	CHECK(vkAllocateCommandBuffers(g->device, &buffer, &g->commands));
	CHECK(vkBeginCommandBuffer(g->commands, &begin));
	vkCmdBindPipeline(g->commands, VK_PIPELINE_BIND_POINT_COMPUTE, g->pipeline);
	vkCmdBindDescriptorSets(g->commands, VK_PIPELINE_BIND_POINT_COMPUTE, g->layout, 0, 1,
				&g->set, 0, NULL);
	vkCmdDispatch(g->commands, groups, 1, 1);
	CHECK(vkEndCommandBuffer(g->commands));
	CHECK(vkCreateFence(g->device, &fence, NULL, &g->fence));
}

static double run_once(struct gpu *g)
{
	VkSubmitInfo submit = { VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
				.pCommandBuffers = &g->commands };
	double start;

	memset(g->mapped[1], 0, 256);
	g->mapped[0][0] = 0;
	g->mapped[0][1] = SAMPLES;
	g->mapped[0][2] = PER_THREAD;
	start = now_ms();
	CHECK(vkQueueSubmit(g->queue, 1, &submit, g->fence));
	CHECK(vkWaitForFences(g->device, 1, &g->fence, VK_TRUE, UINT64_MAX));
	start = now_ms() - start;
	CHECK(vkResetFences(g->device, 1, &g->fence));
	return start;
}

int main(int argc, char **argv)
{
	static uint32_t code[65536];
	struct gpu g = { 0 };
	int runs = argc > 2 ? atoi(argv[2]) : 3;
	double best = 1e30;
	double compile;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t size = f != NULL ? fread(code, 1, sizeof(code), f) : 0;

	if (size == 0) {
		fprintf(stderr, "usage: vk_pi KERNEL.spv [RUNS]\n");
		return 2;
	}
	open_device(&g);
	make_buffer(&g, 0, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
	make_buffer(&g, 1, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
	compile = now_ms();
	make_pipeline(&g, code, size);
	compile = now_ms() - compile;
	bind_buffers(&g);
	record(&g);
	compile += run_once(&g);
	for (int i = 0; i < runs; i++) {
		double ms = run_once(&g);

		best = ms < best ? ms : best;
	}
	printf("hits=%u best_ms=%.2f compile_ms=%.2f device=%s\n", g.mapped[1][0], best,
	       compile - best, g.name);
	return 0;
}
