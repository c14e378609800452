/* device.c - see device.h. */
#include "device.h"

#include "base/buf.h"
#include "base/mem.h"
#include "spirv/spirv.h"
#include "test/unit/spirv/vulkan.h"

const char *device_name(void)
{
	struct spirv_options options;

	return vulkan_device(&options);
}

bool device_takes(const struct wgsl_module *m)
{
	struct spirv_options options;

	return vulkan_device(&options) != NULL && (m->subgroup_size & ~options.subgroup_sizes) == 0;
}

int device_run(const struct kernel *k, struct ours *o, struct arena *arena, struct err *err)
{
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	struct spirv_options options = { 0 };
	struct spirv_layout layout;
	struct native_buffer buffers[WGSL_MAX_BINDINGS] = { 0 };
	struct native_chunk chunk = { .buffers = buffers, .n_buffers = o->m->n_bindings };
	uint64_t used = 0;

	if (vulkan_device(&options) == NULL)
		return err_set(err, ERR_UNAVAILABLE, "no Vulkan device");
	if (ours_chunk(k, o, arena, buffers, &chunk, err) < 0 ||
	    spirv_compile(o->m, &options, &words, &layout, err) < 0)
		return err->code;
	if (vulkan_run(words.data, words.len, &layout, &chunk, &used) != NATIVE_DONE)
		return err_set(err, ERR_INVALID, "the run ran out of iterations");
	return 0;
}
