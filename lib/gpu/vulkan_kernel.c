/* vulkan_kernel.c - pipelines and a bounded cache of them; see vulkan_int.h. */
#include <string.h>

#include "base/mem.h"
#include "gpu/vulkan_int.h"

/* ---- limits ------------------------------------------------------------------------------- */

static int check_limit(uint64_t needed, uint64_t most, const char *what, struct err *err)
{
	if (needed <= most)
		return 0;
	return err_set(err, ERR_UNAVAILABLE, "the kernel needs %llu %s, the device has %llu",
		       (unsigned long long)needed, what, (unsigned long long)most);
}

static int check_descriptors(const VkPhysicalDeviceLimits *l, const struct spirv_layout *k,
			     struct err *err)
{
	uint32_t uniform = 0;
	uint32_t storage = k->has_control ? 1 : 0;

	for (uint32_t i = 0; i < k->n_bindings; i++) {
		if (!k->bindings[i].is_used)
			continue;
		if (k->bindings[i].is_uniform_buffer)
			uniform++;
		else
			storage++;
	}
	if (check_limit(uniform, l->maxPerStageDescriptorUniformBuffers, "uniform buffers", err) <
		0 ||
	    check_limit(storage, l->maxPerStageDescriptorStorageBuffers, "storage buffers", err) <
		0)
		return err->code;
	return check_limit(uniform + storage, l->maxPerStageResources, "buffers", err);
}

static int check_limits(const VkPhysicalDeviceLimits *l, const struct spirv_layout *k,
			struct err *err)
{
	static const char *const sizes[] = { "invocations of a work-group in x",
					     "invocations of a work-group in y",
					     "invocations of a work-group in z" };
	uint64_t all = 1;

	for (int i = 0; i < 3; i++) {
		if (check_limit(k->workgroup_size[i], l->maxComputeWorkGroupSize[i], sizes[i],
				err) < 0)
			return err->code;
		all *= k->workgroup_size[i];
	}
	if (check_limit(all, l->maxComputeWorkGroupInvocations, "invocations of a work-group",
			err) < 0 ||
	    check_limit(k->workgroup_bytes, l->maxComputeSharedMemorySize,
			"bytes of work-group memory", err) < 0 ||
	    check_limit(k->push_bytes, l->maxPushConstantsSize, "bytes of push constants", err) < 0)
		return err->code;
	return check_descriptors(l, k, err);
}

/* The size that the kernel asks for, if it does. */
static int check_subgroups(const struct vulkan_facts *f, const struct spirv_layout *k,
			   struct err *err)
{
	uint64_t all = (uint64_t)k->workgroup_size[0] * k->workgroup_size[1] * k->workgroup_size[2];

	if (k->subgroup_size == 0)
		return 0;
	if ((gpu_subgroup_sizes(f->device.modes) & k->subgroup_size) == 0)
		return err_set(err, ERR_UNAVAILABLE, "the device has no subgroups of %u",
			       k->subgroup_size);
	return check_limit(all / k->subgroup_size, f->max_subgroups, "subgroups of a work-group",
			   err);
}

/* ---- pipelines ---------------------------------------------------------------------------- */

static VkDescriptorSetLayoutBinding describe(uint32_t binding, bool is_uniform_buffer)
{
	return (VkDescriptorSetLayoutBinding){
		.binding = binding,
		.descriptorType = is_uniform_buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
						    : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.descriptorCount = 1,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
	};
}

static VkResult make_set(struct gpu *g, struct vulkan_kernel *k)
{
	const struct spirv_layout *l = &k->layout.layout;
	VkDescriptorSetLayoutBinding list[GPU_MAX_BINDINGS + 1];
	VkDescriptorSetLayoutCreateInfo spec = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO
	};
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n_bindings; i++)
		if (l->bindings[i].is_used)
			list[n++] =
			    describe(l->bindings[i].binding, l->bindings[i].is_uniform_buffer);
	if (l->has_control)
		list[n++] = describe(l->control_binding, false);
	spec.pBindings = list;
	spec.bindingCount = n;
	return g->vulkan.call.CreateDescriptorSetLayout(g->device, &spec, NULL, &k->set);
}

static VkResult make_pipeline_layout(struct gpu *g, struct vulkan_kernel *k)
{
	const VkPushConstantRange push = { .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
					   .size = k->layout.layout.push_bytes };
	const VkPipelineLayoutCreateInfo spec = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &k->set,
		.pushConstantRangeCount = push.size > 0 ? 1 : 0,
		.pPushConstantRanges = &push,
	};

	return g->vulkan.call.CreatePipelineLayout(g->device, &spec, NULL, &k->pipeline_layout);
}

static VkResult make_pipeline(struct gpu *g, struct vulkan_kernel *k)
{
	const struct vulkan_calls *c = &g->vulkan.call;
	const VkShaderModuleCreateInfo code = { .sType =
						    VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
						.codeSize = k->layout.words_bytes,
						.pCode = k->layout.words };
	const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = k->layout.layout.subgroup_size,
	};
	VkComputePipelineCreateInfo spec = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			   .pName = "main" },
		.layout = k->pipeline_layout,
	};
	VkResult r = c->CreateShaderModule(g->device, &code, NULL, &spec.stage.module);

	if (r != VK_SUCCESS)
		return r;
	if (size.requiredSubgroupSize > 0) {
		spec.stage.pNext = &size;
		spec.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
	}
	r = c->CreateComputePipelines(g->device, VK_NULL_HANDLE, 1, &spec, NULL, &k->pipeline);
	c->DestroyShaderModule(g->device, spec.stage.module, NULL);
	return r;
}

static int make(struct gpu *g, struct vulkan_kernel *k, struct err *err)
{
	VkResult r;

	if (gpu_object_decode(k->object, k->object_size, &k->layout, err) < 0 ||
	    check_limits(&g->facts.properties.limits, &k->layout.layout, err) < 0 ||
	    check_subgroups(&g->facts, &k->layout.layout, err) < 0)
		return err->code;
	r = make_set(g, k);
	if (r == VK_SUCCESS)
		r = make_pipeline_layout(g, k);
	if (r == VK_SUCCESS)
		r = make_pipeline(g, k);
	return r == VK_SUCCESS ? 0 : vulkan_error(err, r, "make a pipeline");
}

/* ---- the cache ---------------------------------------------------------------------------- */

static void drop(struct gpu *g, struct vulkan_kernel *k)
{
	const struct vulkan_calls *c = &g->vulkan.call;

	if (k->pipeline != VK_NULL_HANDLE)
		c->DestroyPipeline(g->device, k->pipeline, NULL);
	if (k->pipeline_layout != VK_NULL_HANDLE)
		c->DestroyPipelineLayout(g->device, k->pipeline_layout, NULL);
	if (k->set != VK_NULL_HANDLE)
		c->DestroyDescriptorSetLayout(g->device, k->set, NULL);
	mem_free(k->object);
	*k = (struct vulkan_kernel){ 0 };
}

void vulkan_kernels_done(struct gpu *g)
{
	for (size_t i = 0; i < ARRAY_LEN(g->kernels); i++)
		drop(g, &g->kernels[i]);
}

static struct vulkan_kernel *find(struct gpu *g, const void *object, size_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(g->kernels); i++)
		if (g->kernels[i].object != NULL && g->kernels[i].object_size == size &&
		    memcmp(g->kernels[i].object, object, size) == 0)
			return &g->kernels[i];
	return NULL;
}

static struct vulkan_kernel *find_oldest(struct gpu *g)
{
	struct vulkan_kernel *oldest = &g->kernels[0];

	for (size_t i = 1; i < ARRAY_LEN(g->kernels); i++)
		if (g->kernels[i].last_used < oldest->last_used)
			oldest = &g->kernels[i];
	return oldest;
}

int gpu_load(struct gpu *g, const void *object, size_t size, struct err *err)
{
	struct vulkan_kernel *k = find(g, object, size);

	g->kernel = NULL;
	if (k == NULL) {
		k = find_oldest(g);
		drop(g, k);
		k->object = mem_dup(object, size);
		k->object_size = size;
		g->kernel = k;
		if (make(g, k, err) < 0 || vulkan_run_nothing(g, err) < 0) {
			drop(g, k);
			g->kernel = NULL;
			return err_wrap(err, "load the kernel");
		}
	}
	k->last_used = ++g->uses;
	g->kernel = k;
	return 0;
}
