/* vulkan_memory.c - the chunk's memory as the device sees it; see vulkan_int.h. */
#include <string.h>

#include "base/mem.h"
#include "gpu/vulkan_int.h"

enum {
	VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
	CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
	LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
	LEAST_BYTES = 64 << 10,
};

/* ---- buffers and the memory behind them --------------------------------------------------- */

static const uint32_t NO_TYPE = UINT32_MAX;

/* The first type that has all these properties and whose heap is not filled by it. */
static uint32_t find_type(const struct gpu *g, uint32_t allowed, VkMemoryPropertyFlags wanted,
			  uint64_t size)
{
	const VkPhysicalDeviceMemoryProperties *m = &g->facts.memory;

	for (uint32_t i = 0; i < m->memoryTypeCount; i++) {
		const VkMemoryType *t = &m->memoryTypes[i];

		if ((allowed & 1u << i) != 0 && (t->propertyFlags & wanted) == wanted &&
		    size <= m->memoryHeaps[t->heapIndex].size / 2)
			return i;
	}
	return NO_TYPE;
}

static int make_buffer(struct gpu *g, uint64_t size, const void *next, VkBuffer *ret,
		       struct err *err)
{
	const VkBufferCreateInfo spec = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = next,
		.size = size,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
			 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkResult r = g->vulkan.call.CreateBuffer(g->device, &spec, NULL, ret);

	return r == VK_SUCCESS ? 0 : vulkan_error(err, r, "create a buffer");
}

/* The types to try, best first; a list ends in 0. */
static int allocate(struct gpu *g, VkBuffer buffer, const VkMemoryPropertyFlags *tries,
		    VkDeviceMemory *ret, uint8_t **ret_mapped, struct err *err)
{
	VkMemoryAllocateInfo spec = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .memoryTypeIndex = NO_TYPE };
	VkMemoryRequirements need;
	void *at = NULL;
	VkResult r;

	g->vulkan.call.GetBufferMemoryRequirements(g->device, buffer, &need);
	for (; spec.memoryTypeIndex == NO_TYPE && *tries != 0; tries++)
		spec.memoryTypeIndex = find_type(g, need.memoryTypeBits, *tries, need.size);
	if (spec.memoryTypeIndex == NO_TYPE)
		return err_set(err, ERR_TOO_BIG, "the device has no memory for %llu bytes",
			       (unsigned long long)need.size);
	spec.allocationSize = need.size;
	r = g->vulkan.call.AllocateMemory(g->device, &spec, NULL, ret);
	if (r != VK_SUCCESS)
		return vulkan_error(err, r, "allocate memory");
	r = g->vulkan.call.BindBufferMemory(g->device, buffer, *ret, 0);
	if (r != VK_SUCCESS)
		return vulkan_error(err, r, "bind memory");
	if ((g->facts.memory.memoryTypes[spec.memoryTypeIndex].propertyFlags & VISIBLE) != VISIBLE)
		return 0;
	r = g->vulkan.call.MapMemory(g->device, *ret, 0, VK_WHOLE_SIZE, 0, &at);
	if (r != VK_SUCCESS)
		return vulkan_error(err, r, "map memory");
	*ret_mapped = at;
	return 0;
}

void vulkan_region_done(struct gpu *g, struct vulkan_region *r)
{
	const struct vulkan_calls *c = &g->vulkan.call;

	if (r->buffer != VK_NULL_HANDLE)
		c->DestroyBuffer(g->device, r->buffer, NULL);
	if (r->memory != VK_NULL_HANDLE)
		c->FreeMemory(g->device, r->memory, NULL); /* unmaps it */
	if (r->staging != VK_NULL_HANDLE)
		c->DestroyBuffer(g->device, r->staging, NULL);
	if (r->staging_memory != VK_NULL_HANDLE)
		c->FreeMemory(g->device, r->staging_memory, NULL);
	*r = (struct vulkan_region){ .use = r->use, .host = r->host };
}

/* ---- sharing ------------------------------------------------------------------------------ */

static int import(struct gpu *g, struct vulkan_region *r, uint64_t size, struct err *err)
{
	const struct vulkan_calls *c = &g->vulkan.call;
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	const VkImportMemoryHostPointerInfoEXT from = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = r->host,
	};
	VkMemoryHostPointerPropertiesEXT types = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT
	};
	VkMemoryAllocateInfo spec = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .pNext = &from,
				      .allocationSize = size };
	VkMemoryRequirements need;
	VkResult rc;

	if (make_buffer(g, size, &external, &r->buffer, err) < 0)
		return err->code;
	g->vulkan.call.GetBufferMemoryRequirements(g->device, r->buffer, &need);
	rc = c->GetMemoryHostPointerPropertiesEXT(
	    g->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, r->host, &types);
	if (rc != VK_SUCCESS)
		return vulkan_error(err, rc, "share memory");
	spec.memoryTypeIndex = find_type(g, types.memoryTypeBits & need.memoryTypeBits, VISIBLE, 0);
	if (spec.memoryTypeIndex == NO_TYPE || need.size > size)
		return err_set(err, ERR_UNAVAILABLE, "memory of the host cannot be shared");
	rc = c->AllocateMemory(g->device, &spec, NULL, &r->memory);
	if (rc == VK_SUCCESS)
		rc = c->BindBufferMemory(g->device, r->buffer, r->memory, 0);
	return rc == VK_SUCCESS ? 0 : vulkan_error(err, rc, "share memory");
}

void vulkan_region_share(struct gpu *g, struct vulkan_region *r, uint64_t size)
{
	uint64_t align = g->facts.host_alignment;
	struct err why_not = { 0 };

	/* A real GPU would have to pin all of it, and reach it through the bus. */
	if (!g->facts.device.is_software || align == 0 || size % align != 0 ||
	    (uintptr_t)r->host % align != 0 ||
	    g->vulkan.call.GetMemoryHostPointerPropertiesEXT == NULL)
		return;
	if (import(g, r, size, &why_not) < 0) {
		vulkan_region_done(g, r); /* then it is copied */
		return;
	}
	r->size = size;
	r->is_shared = true;
}

/* ---- copies ------------------------------------------------------------------------------- */

static int make_copy(struct gpu *g, struct vulkan_region *r, uint64_t size, struct err *err)
{
	/* What the host reads must be cached, or reading takes for ever. */
	static const VkMemoryPropertyFlags types[][4] = {
		[VULKAN_INPUTS] = { LOCAL | VISIBLE, LOCAL, VISIBLE, 0 },
		[VULKAN_OUTPUTS] = { LOCAL | VISIBLE | CACHED, LOCAL, VISIBLE, 0 },
		[VULKAN_OWN] = { VISIBLE | CACHED, VISIBLE, 0 },
	};
	static const VkMemoryPropertyFlags staging[] = { VISIBLE | CACHED, VISIBLE, 0 };

	if (make_buffer(g, size, NULL, &r->buffer, err) < 0 ||
	    allocate(g, r->buffer, types[r->use], &r->memory, &r->mapped, err) < 0)
		return err->code;
	if (g->hides_memory && r->use != VULKAN_OWN)
		r->mapped = NULL;
	if (r->mapped != NULL)
		return 0;
	if (make_buffer(g, size, NULL, &r->staging, err) < 0)
		return err->code;
	return allocate(g, r->staging, staging, &r->staging_memory, &r->staging_mapped, err);
}

int vulkan_region_need(struct gpu *g, struct vulkan_region *r, uint64_t size, struct err *err)
{
	uint64_t rounded = LEAST_BYTES;

	if (size <= r->size)
		return 0;
	if (r->is_shared)
		return err_set(err, ERR_TOO_BIG, "%llu bytes of memory, at most %llu",
			       (unsigned long long)size, (unsigned long long)r->size);
	while (rounded < size)
		rounded *= 2;
	vulkan_region_done(g, r);
	if (make_copy(g, r, rounded, err) < 0) {
		vulkan_region_done(g, r);
		return err->code;
	}
	r->size = rounded;
	return 0;
}

static int copy(struct gpu *g, VkBuffer from, VkBuffer to, uint64_t size, struct err *err)
{
	const VkBufferCopy part = { .size = size };

	if (vulkan_begin(g, err) < 0)
		return err->code;
	g->vulkan.call.CmdCopyBuffer(g->commands, from, to, 1, &part);
	return vulkan_end(g, VULKAN_WAIT_MS, err);
}

int vulkan_region_write(struct gpu *g, struct vulkan_region *r, uint64_t size, struct err *err)
{
	if (size == 0 || r->is_shared)
		return 0;
	memcpy(r->mapped != NULL ? r->mapped : r->staging_mapped, r->host, size);
	return r->mapped != NULL ? 0 : copy(g, r->staging, r->buffer, size, err);
}

int vulkan_region_read(struct gpu *g, struct vulkan_region *r, uint64_t size, struct err *err)
{
	if (size == 0 || r->is_shared)
		return 0;
	if (r->mapped == NULL && copy(g, r->buffer, r->staging, size, err) < 0)
		return err->code;
	memcpy(r->host, r->mapped != NULL ? r->mapped : r->staging_mapped, size);
	return 0;
}

int vulkan_region_zero(struct gpu *g, struct vulkan_region *r, uint64_t size, struct err *err)
{
	if (size == 0)
		return 0;
	if (r->is_shared || r->mapped != NULL) {
		memset(r->is_shared ? r->host : r->mapped, 0, size);
		return 0;
	}
	if (vulkan_begin(g, err) < 0)
		return err->code;
	g->vulkan.call.CmdFillBuffer(g->commands, r->buffer, 0, (size + 3) & ~(uint64_t)3, 0);
	return vulkan_end(g, VULKAN_WAIT_MS, err);
}
