/* vulkan_run.c - a chunk as dispatches; see vulkan_int.h and gpu.h. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gpu/split.h"
#include "gpu/vulkan_int.h"

/* ---- commands ----------------------------------------------------------------------------- */

int vulkan_begin(struct gpu *g, struct err *err)
{
	const VkCommandBufferBeginInfo spec = { .sType =
						    VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
						.flags =
						    VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
	VkResult r = g->vulkan.call.BeginCommandBuffer(g->commands, &spec);

	return r == VK_SUCCESS ? 0 : vulkan_error(err, r, "begin commands");
}

/* What these commands wrote is there for those of the next submission, and for the host. */
static void record_barrier(struct gpu *g)
{
	const VkPipelineStageFlags work =
	    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
				 VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
				 VK_ACCESS_HOST_READ_BIT,
	};

	g->vulkan.call.CmdPipelineBarrier(g->commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0,
					  1, &barrier, 0, NULL, 0, NULL);
}

int vulkan_end(struct gpu *g, uint32_t timeout_ms, struct err *err)
{
	const struct vulkan_calls *c = &g->vulkan.call;
	const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				      .commandBufferCount = 1,
				      .pCommandBuffers = &g->commands };
	VkResult r;

	record_barrier(g);
	r = c->EndCommandBuffer(g->commands);
	if (r == VK_SUCCESS)
		r = c->QueueSubmit(g->queue, 1, &submit, g->fence);
	if (r != VK_SUCCESS)
		return vulkan_error(err, r, "submit commands");
	r = c->WaitForFences(g->device, 1, &g->fence, VK_TRUE, (uint64_t)timeout_ms * 1000000);
	if (r == VK_TIMEOUT)
		return err_set(err, ERR_TIMEOUT, "vulkan: the device did not finish in %u ms",
			       timeout_ms);
	if (r == VK_SUCCESS)
		r = c->ResetFences(g->device, 1, &g->fence);
	return r == VK_SUCCESS ? 0 : vulkan_error(err, r, "wait for the device");
}

/* ---- what a chunk must satisfy ------------------------------------------------------------ */

struct run {
	struct gpu *g; /* borrowed, like all of these */
	const struct gpu_chunk *chunk;
	const struct spirv_layout *layout;
	uint64_t in_bytes, out_bytes;      /* in use */
	uint32_t own_at[GPU_MAX_BINDINGS]; /* where uniforms lie in `own` */
	struct spirv_push push;
	VkDescriptorSet set;
};

/* Code reads whole words, also where the last one is half an array of f16. */
static uint64_t whole_words(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

static int check_range(const struct run *r, uint32_t i, uint64_t memory, uint64_t align,
		       uint64_t *end, struct err *err)
{
	const struct gpu_buffer *b = &r->chunk->buffers[i];

	if (b->offset % align != 0 || b->offset > memory || b->size > memory - b->offset)
		return err_set(err, ERR_INVALID, "buffer %u lies outside of its memory", i);
	if (*end < b->offset + whole_words(b->size))
		*end = b->offset + whole_words(b->size);
	return 0;
}

static int check_buffer(struct run *r, uint32_t i, struct err *err)
{
	const struct gpu_buffer *b = &r->chunk->buffers[i];
	const VkPhysicalDeviceLimits *l = &r->g->facts.properties.limits;
	bool is_uniform = r->layout->bindings[i].is_uniform_buffer;
	uint64_t most = is_uniform ? l->maxUniformBufferRange : l->maxStorageBufferRange;
	uint64_t unused = 0;

	if (b->size == 0)
		return err_set(err, ERR_INVALID, "buffer %u is empty", i);
	if (whole_words(b->size) > most)
		return err_set(err, ERR_UNAVAILABLE,
			       "buffer %u has %llu bytes, the device's buffers at most %llu", i,
			       (unsigned long long)b->size, (unsigned long long)most);
	switch (b->where) {
	case GPU_UNIFORM:
		return check_range(r, i, r->chunk->uniforms_size, 1, &unused, err);
	case GPU_IN:
		return check_range(r, i, r->g->in_size, GPU_ALIGN, &r->in_bytes, err);
	case GPU_OUT:
		return check_range(r, i, r->g->out_size, GPU_ALIGN, &r->out_bytes, err);
	}
	return err_set(err, ERR_INVALID, "buffer %u is nowhere", i);
}

static int check_grid(struct run *r, struct err *err)
{
	for (int i = 0; i < 3; i++) {
		uint32_t n = r->chunk->invocations[i];
		uint32_t size = r->layout->workgroup_size[i];

		if (n == 0)
			return err_set(err, ERR_INVALID, "the grid has no invocations in %c",
				       "xyz"[i]);
		if (r->layout->whole_groups && n % size != 0)
			return err_set(err, ERR_INVALID,
				       "%u invocations in %c are no multiple of the work-group "
				       "size %u, which work-group memory and barriers need",
				       n, "xyz"[i], size);
		r->push.invocations[i] = n;
		r->push.groups[i] = n / size + (n % size != 0);
	}
	return 0;
}

static int check(struct run *r, struct err *err)
{
	if (r->chunk->n_buffers != r->layout->n_bindings)
		return err_set(err, ERR_INVALID, "%u buffers, the kernel has %u",
			       r->chunk->n_buffers, r->layout->n_bindings);
	for (uint32_t i = 0; i < r->chunk->n_buffers; i++)
		if (r->layout->bindings[i].is_used && check_buffer(r, i, err) < 0)
			return err->code;
	return check_grid(r, err);
}

/* ---- memory ------------------------------------------------------------------------------- */

/* The control buffer, then each uniform at a place of its own. */
static int fill_own(struct run *r, struct err *err)
{
	uint8_t *own = r->g->own.mapped;
	uint64_t at = (r->layout->control_bytes + GPU_ALIGN - 1) / GPU_ALIGN * GPU_ALIGN;

	memset(own, 0, r->layout->control_bytes);
	for (uint32_t i = 0; i < r->layout->n_bindings; i++) {
		const struct gpu_buffer *b = &r->chunk->buffers[i];

		if (!r->layout->bindings[i].is_used)
			continue;
		spirv_set_length(r->layout, i, b->size, &r->push, (uint32_t *)(void *)own);
		if (b->where != GPU_UNIFORM)
			continue;
		if (b->size > r->g->own.size - at)
			return err_set(err, ERR_INVALID, "more uniforms than %d bytes",
				       GPU_MAX_UNIFORMS);
		memcpy(own + at, (const uint8_t *)r->chunk->uniforms + b->offset, b->size);
		r->own_at[i] = (uint32_t)at;
		at = (at + b->size + GPU_ALIGN - 1) / GPU_ALIGN * GPU_ALIGN;
	}
	return 0;
}

static int fill_memory(struct run *r, struct err *err)
{
	struct gpu *g = r->g;

	if (vulkan_region_need(g, &g->in, r->in_bytes, err) < 0 ||
	    vulkan_region_need(g, &g->out, r->out_bytes, err) < 0 ||
	    vulkan_region_write(g, &g->in, r->in_bytes, err) < 0 ||
	    vulkan_region_zero(g, &g->out, r->out_bytes, err) < 0)
		return err->code;
	return fill_own(r, err);
}

static VkDescriptorBufferInfo find_buffer(const struct run *r, uint32_t i)
{
	const struct gpu_buffer *b = &r->chunk->buffers[i];
	const struct gpu *g = r->g;

	if (b->where == GPU_UNIFORM)
		return (VkDescriptorBufferInfo){ g->own.buffer, r->own_at[i],
						 whole_words(b->size) };
	return (VkDescriptorBufferInfo){ b->where == GPU_IN ? g->in.buffer : g->out.buffer,
					 b->offset, whole_words(b->size) };
}

static int bind(struct run *r, struct err *err)
{
	const struct vulkan_calls *c = &r->g->vulkan.call;
	const VkDescriptorSetAllocateInfo spec = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = r->g->descriptors,
		.descriptorSetCount = 1,
		.pSetLayouts = &r->g->kernel->set,
	};
	VkDescriptorBufferInfo buffers[GPU_MAX_BINDINGS + 1];
	VkWriteDescriptorSet writes[GPU_MAX_BINDINGS + 1];
	uint32_t n = 0;
	VkResult rc = c->ResetDescriptorPool(r->g->device, r->g->descriptors, 0);

	if (rc == VK_SUCCESS)
		rc = c->AllocateDescriptorSets(r->g->device, &spec, &r->set);
	if (rc != VK_SUCCESS)
		return vulkan_error(err, rc, "bind buffers");
	for (uint32_t i = 0; i <= r->layout->n_bindings; i++) {
		bool is_control = i == r->layout->n_bindings;
		const struct spirv_binding *b = &r->layout->bindings[is_control ? 0 : i];

		if (is_control ? !r->layout->has_control : !b->is_used)
			continue;
		buffers[n] = is_control ? (VkDescriptorBufferInfo){ r->g->own.buffer, 0,
								    r->layout->control_bytes }
					: find_buffer(r, i);
		writes[n] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = r->set,
			.dstBinding = is_control ? r->layout->control_binding : b->binding,
			.descriptorCount = 1,
			.descriptorType = !is_control && b->is_uniform_buffer
					      ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
					      : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffers[n],
		};
		n++;
	}
	c->UpdateDescriptorSets(r->g->device, n, writes, 0, NULL);
	return 0;
}

/* ---- dispatches --------------------------------------------------------------------------- */

static int dispatch(struct run *r, const uint32_t base[3], const uint32_t count[3], struct err *err)
{
	const struct gpu *g = r->g;
	const struct vulkan_calls *c = &g->vulkan.call;
	uint32_t timeout_ms = r->chunk->dispatch_timeout_ms;

	memcpy(r->push.base_group, base, sizeof(r->push.base_group));
	if (vulkan_begin(r->g, err) < 0)
		return err->code;
	c->CmdBindPipeline(g->commands, VK_PIPELINE_BIND_POINT_COMPUTE, g->kernel->pipeline);
	c->CmdBindDescriptorSets(g->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
				 g->kernel->pipeline_layout, 0, 1, &r->set, 0, NULL);
	if (r->layout->push_bytes > 0)
		c->CmdPushConstants(g->commands, g->kernel->pipeline_layout,
				    VK_SHADER_STAGE_COMPUTE_BIT, 0, r->layout->push_bytes,
				    &r->push);
	c->CmdDispatch(g->commands, count[0], count[1], count[2]);
	return vulkan_end(r->g, timeout_ms > 0 ? timeout_ms : VULKAN_WAIT_MS, err);
}

int vulkan_run_nothing(struct gpu *g, struct err *err)
{
	static const uint32_t none[3];
	struct gpu_buffer buffers[GPU_MAX_BINDINGS];
	struct gpu_chunk chunk = { 0 };
	struct run r = { .g = g, .chunk = &chunk, .layout = &g->kernel->layout.layout };

	for (int i = 0; i < GPU_MAX_BINDINGS; i++)
		buffers[i] = (struct gpu_buffer){ .where = GPU_UNIFORM, .size = GPU_ALIGN };
	chunk.buffers = buffers;
	return bind(&r, err) < 0 ? err->code : dispatch(&r, none, none, err);
}

static uint32_t control_word(const struct run *r, enum spirv_control word)
{
	return ((const volatile uint32_t *)(const void *)r->g->own.mapped)[word];
}

static bool is_stopped(const struct run *r)
{
	return r->chunk->stop != NULL && __atomic_load_n(r->chunk->stop, __ATOMIC_RELAXED) != 0;
}

/* Half of it is the latest measurement: groups differ. What drivers do once (compile) is done. */
static void measure(struct vulkan_kernel *k, uint64_t groups, int64_t us)
{
	double now = (double)(us > 0 ? us : 1) / (double)groups;

	k->us_per_group = k->us_per_group > 0 ? (k->us_per_group + now) / 2 : now;
}

static int run_all(struct run *r, struct gpu_answer *ret, struct err *err)
{
	const uint32_t *most = r->g->facts.properties.limits.maxComputeWorkGroupCount;
	struct split s = { .groups = { r->push.groups[0], r->push.groups[1], r->push.groups[2] },
			   .most = { most[0], most[1], most[2] } };
	struct vulkan_kernel *k = r->g->kernel;
	uint64_t last = 0;
	uint32_t base[3];
	uint32_t count[3];

	ret->status = GPU_DONE;
	while (ret->status == GPU_DONE &&
	       split_next(&s, split_budget(k->us_per_group, last, GPU_DISPATCH_MS * 1000.0), base,
			  count)) {
		int64_t start_us = clock_boot_us();

		if (is_stopped(r)) {
			ret->status = GPU_STOPPED;
			break;
		}
		if (dispatch(r, base, count, err) < 0)
			return err->code;
		last = (uint64_t)count[0] * count[1] * count[2];
		measure(k, last, clock_boot_us() - start_us);
		ret->dispatches++;
		if (r->layout->has_control && control_word(r, SPIRV_CONTROL_LIMIT) != 0)
			ret->status = GPU_ITERATION_LIMIT;
	}
	ret->iterations = r->layout->has_control ? control_word(r, SPIRV_CONTROL_USED) : 0;
	return 0;
}

int gpu_run(struct gpu *g, const struct gpu_chunk *chunk, struct gpu_answer *ret, struct err *err)
{
	struct run r = { .g = g, .chunk = chunk };

	*ret = (struct gpu_answer){ 0 };
	if (g->kernel == NULL)
		return err_set(err, ERR_INVALID, "no kernel is loaded");
	r.layout = &g->kernel->layout.layout;
	r.push.iteration_limit =
	    chunk->iteration_limit > UINT32_MAX ? 0 : (uint32_t)chunk->iteration_limit;
	if (check(&r, err) < 0 || fill_memory(&r, err) < 0 || bind(&r, err) < 0 ||
	    run_all(&r, ret, err) < 0)
		return err->code;
	return vulkan_region_read(g, &g->out, r.out_bytes, err);
}
