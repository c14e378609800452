/* test_vulkan.c - kernels on Vulkan devices: splitting, stopping, limits, devices that are lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "drivers.h"
#include "exec.h"
#include "gpu/vulkan_int.h"

/* What each work-group sees of itself, in three dimensions. */
static const char WHO[] =
    "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
    "@compute @workgroup_size(4, 2, 1)\n"
    "fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) g: vec3<u32>,\n"
    "        @builtin(num_workgroups) n: vec3<u32>) {\n"
    "  let at = (id.z * n.y * 2u + id.y) * n.x * 4u + id.x;\n"
    "  r[at] = r[at] + g.x + 100u * g.y + 10000u * g.z + 1000000u;\n"
    "}\n";

static const char ADD[] = "struct P { by: u32 }\n"
			  "@group(0) @binding(0) var<uniform> p: P;\n"
			  "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
			  "@group(0) @binding(2) var<storage, read_write> r: array<u32>;\n"
			  "@compute @workgroup_size(64)\n"
			  "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
			  "  r[id.x] = a[id.x] + p.by;\n"
			  "}\n";

enum { X = 12, Y = 10, Z = 6, ALL = X * Y * Z };

static void run_who(struct exec *x, struct gpu_answer *ret)
{
	const struct exec_buffer buffer = { .where = GPU_OUT, .size = ALL * 4 };
	const struct exec_chunk chunk = { .buffers = &buffer,
					  .n_buffers = 1,
					  .invocations = { X, Y, Z } };
	const void *out;
	struct err err = { 0 };

	if (exec_run(x, &chunk, &out, ret, &err) < 0)
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < ALL; i++) {
		uint32_t gx = i % X / 4;
		uint32_t gy = i / X % Y / 2;
		uint32_t gz = i / X / Y;

		assert_int_equal(((const uint32_t *)out)[i], gx + 100 * gy + 10000 * gz + 1000000);
	}
}

static void splits_without_a_trace(void **state)
{
	struct exec *x = exec_or_skip(state);
	uint32_t *most = x->gpu->facts.properties.limits.maxComputeWorkGroupCount;
	static const uint32_t limits[][3] = {
		{ 65535, 65535, 65535 }, { 2, 2, 2 }, { 1, 1, 1 }, { 3, 2, 65535 }, { 65535, 5, 1 }
	};
	struct gpu_answer answer;

	exec_load(x, WHO);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		memcpy(most, limits[i], sizeof(limits[i]));
		run_who(x, &answer);
		assert_int_equal(answer.status, GPU_DONE);
	}
	memcpy(most, limits[2], sizeof(limits[2]));
	run_who(x, &answer);
	assert_int_equal(answer.dispatches, (X / 4) * (Y / 2) * Z);
	/* A kernel that was slow gets small dispatches. */
	memcpy(most, limits[0], sizeof(limits[0]));
	x->gpu->kernel->us_per_group = GPU_DISPATCH_MS * 1000.0;
	run_who(x, &answer);
	assert_true(answer.dispatches > 1);
}

static int add(struct exec *x, uint32_t by, const uint32_t *stop, struct gpu_answer *ret,
	       struct err *err)
{
	static const uint32_t given[100] = { 7, 8, 9 };
	const struct exec_buffer buffers[] = {
		{ .where = GPU_UNIFORM, .bytes = &by, .size = 4 },
		{ .where = GPU_IN, .bytes = given, .size = sizeof(given) },
		{ .where = GPU_OUT, .size = sizeof(given) },
	};
	const struct exec_chunk chunk = {
		.buffers = buffers, .n_buffers = 3, .invocations = { 100, 1, 1 }, .stop = stop
	};
	const void *out[3];

	if (exec_run(x, &chunk, out, ret, err) < 0)
		return err->code;
	if (ret->status == GPU_DONE)
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(((const uint32_t *)out[2])[i], given[i] + by);
	return 0;
}

static void reads_inputs_and_uniforms(void **state)
{
	struct exec *x = exec_or_skip(state);
	struct gpu_answer answer;
	struct err err = { 0 };

	exec_load(x, ADD);
	assert_int_equal(add(x, 3, NULL, &answer, &err), 0);
	assert_int_equal(add(x, 4, NULL, &answer, &err), 0);
}

/* As on a GPU with memory of its own. */
static void computes_in_copies_of_the_memory(void **state)
{
	struct exec *x = exec_or_skip(state);
	struct gpu *g = x->gpu;
	struct gpu_answer answer;
	struct err err = { 0 };

	exec_load(x, ADD);
	vulkan_region_done(g, &g->in);
	vulkan_region_done(g, &g->out);
	assert_int_equal(add(x, 5, NULL, &answer, &err), 0);
	assert_non_null(g->in.mapped);
	/* No memory that both see: through staging. */
	vulkan_region_done(g, &g->in);
	vulkan_region_done(g, &g->out);
	g->hides_memory = true;
	assert_int_equal(add(x, 6, NULL, &answer, &err), 0);
	assert_null(g->out.mapped);
	exec_load(x, WHO);
	run_who(x, &answer); /* adds to zeros */
	run_who(x, &answer);
}

static void stops_between_dispatches(void **state)
{
	struct exec *x = exec_or_skip(state);
	const uint32_t stop = 1;
	struct gpu_answer answer;
	struct err err = { 0 };

	exec_load(x, ADD);
	assert_int_equal(add(x, 3, &stop, &answer, &err), 0);
	assert_int_equal(answer.status, GPU_STOPPED);
	assert_int_equal(answer.dispatches, 0);
}

static VkResult lose(VkQueue queue, uint32_t n, const VkSubmitInfo *submits, VkFence fence)
{
	(void)queue;
	(void)n;
	(void)submits;
	(void)fence;
	return VK_ERROR_DEVICE_LOST;
}

static VkResult hang(VkDevice device, uint32_t n, const VkFence *fences, VkBool32 all,
		     uint64_t timeout)
{
	(void)device;
	(void)n;
	(void)fences;
	(void)all;
	(void)timeout;
	return VK_TIMEOUT;
}

static void tells_of_a_lost_device(void **state)
{
	struct exec *x = exec_or_skip(state);
	struct vulkan_calls *c = &x->gpu->vulkan.call;
	PFN_vkQueueSubmit submit = c->QueueSubmit;
	PFN_vkWaitForFences wait = c->WaitForFences;
	struct gpu_answer answer;
	struct err err = { 0 };

	exec_load(x, ADD);
	c->QueueSubmit = lose;
	assert_int_equal(add(x, 3, NULL, &answer, &err), ERR_GONE);
	assert_string_equal(err.text, "vulkan: submit commands: the device is lost");
	c->QueueSubmit = submit;
	c->WaitForFences = hang;
	err_clear(&err);
	assert_int_equal(add(x, 3, NULL, &answer, &err), ERR_TIMEOUT);
	c->WaitForFences = wait;
	assert_int_equal(wait(x->gpu->device, 1, &x->gpu->fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
}

static void names_the_limit_of_the_device(void **state)
{
	struct exec *x = exec_or_skip(state);
	VkPhysicalDeviceLimits *l = &x->gpu->facts.properties.limits;
	struct gpu_answer answer;
	struct err err = { 0 };

	exec_load(x, ADD);
	l->maxStorageBufferRange = 399;
	assert_int_equal(add(x, 3, NULL, &answer, &err), ERR_UNAVAILABLE);
	assert_string_equal(err.text, "buffer 1 has 400 bytes, the device's buffers at most 399");
	l->maxStorageBufferRange = 400;
	err_clear(&err);
	assert_int_equal(add(x, 3, NULL, &answer, &err), 0);
}

static void keeps_a_bounded_number_of_kernels(void **state)
{
	struct exec *x = exec_or_skip(state);
	struct gpu_answer answer;
	struct err err = { 0 };
	size_t kept = 0;

	for (int i = 0; i < VULKAN_MAX_KERNELS + 2; i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
			 "@compute @workgroup_size(%d)\n"
			 "fn main() { r[0] = 1u; }\n",
			 i + 1);
		exec_load(x, text);
	}
	exec_load(x, ADD);
	assert_int_equal(add(x, 3, NULL, &answer, &err), 0);
	for (size_t i = 0; i < VULKAN_MAX_KERNELS; i++)
		kept += x->gpu->kernels[i].object != NULL;
	assert_int_equal(kept, VULKAN_MAX_KERNELS);
}

/* An odd number of halves: the last word is half there, in the memory and as a uniform. */
static void reads_all_of_an_odd_array_of_f16(void **state)
{
	static const char text[] = "enable f16;\n"
				   "@group(0) @binding(0) var<storage, read> a: array<f16>;\n"
				   "@group(0) @binding(1) var<uniform> u: f16;\n"
				   "@group(0) @binding(2) var<storage, read_write> r: array<f32>;\n"
				   "@compute @workgroup_size(4)\n"
				   "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
				   "  r[id.x] = f32(a[id.x] + u) + f32(arrayLength(&a));\n"
				   "}\n";
	static const uint16_t halves[] = { 0x3c00, 0x4000, 0x4200 }, half = 0x3800;
	static const float want[] = { 4.5f, 5.5f, 6.5f, 6.5f };
	const struct exec_buffer buffers[] = {
		{ .where = GPU_IN, .bytes = halves, .size = 6 },
		{ .where = GPU_UNIFORM, .bytes = &half, .size = 2 },
		{ .where = GPU_OUT, .size = 16 },
	};
	const struct exec_chunk chunk = { .buffers = buffers,
					  .n_buffers = 3,
					  .invocations = { 4, 1, 1 } };
	struct exec *x = exec_or_skip(state);
	struct gpu_answer answer;
	const void *out[3];
	struct err err = { 0 };

	for (int hidden = 0; hidden < 2; hidden++) {
		exec_load(x, text);
		if (exec_run(x, &chunk, out, &answer, &err) < 0)
			fail_msg("%s", err.text);
		assert_memory_equal(out[2], want, sizeof(want));
		vulkan_region_done(x->gpu, &x->gpu->in);
		x->gpu->hides_memory = true;
	}
}

/* SwiftShader takes the complement of a zero for zero where it knows that it is a null constant. */
static void knows_what_variables_begin_with(void **state)
{
	static const char text[] = "struct P { n: u32, v: vec2<i32> }\n"
				   "var<private> p: P;\n"
				   "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n"
				   "@compute @workgroup_size(1)\n"
				   "fn main() {\n"
				   "  let x = ~vec3<u32>(p.n); r[0] = x.x; r[1] = x.z; r[2] = "
				   "u32((~p.v).y); r[3] = ~p.n;\n"
				   "}\n";
	static const uint32_t want[] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	const struct exec_buffer buffer = { .where = GPU_OUT, .size = sizeof(want) };
	const struct exec_chunk chunk = { .buffers = &buffer,
					  .n_buffers = 1,
					  .invocations = { 1, 1, 1 } };
	struct exec *x = exec_or_skip(state);
	struct gpu_answer answer;
	const void *out;
	struct err err = { 0 };

	exec_load(x, text);
	if (exec_run(x, &chunk, &out, &answer, &err) < 0)
		fail_msg("%s", err.text);
	assert_memory_equal(out, want, sizeof(want));
}

static void says_what_is_missing_without_drivers(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	const struct gpu_device *list;
	struct err err = { 0 };
	uint32_t n = 0;

	(void)state;
	setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
	setenv("VK_ICD_FILENAMES", "/nonexistent.json", 1);
	assert_int_equal(gpu_list(&arena, &list, &n, &err), ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "no Vulkan: "));
}

#define ON_BOTH(test)                                                                              \
	{ #test " (lavapipe)", test, exec_open_lavapipe, exec_close_any, NULL },                   \
	{                                                                                          \
#test " (SwiftShader)", test, exec_open_swiftshader, exec_close_any, NULL          \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_BOTH(splits_without_a_trace),
		ON_BOTH(reads_inputs_and_uniforms),
		ON_BOTH(computes_in_copies_of_the_memory),
		ON_BOTH(stops_between_dispatches),
		ON_BOTH(tells_of_a_lost_device),
		ON_BOTH(names_the_limit_of_the_device),
		ON_BOTH(keeps_a_bounded_number_of_kernels),
		ON_BOTH(reads_all_of_an_odd_array_of_f16),
		ON_BOTH(knows_what_variables_begin_with),
		cmocka_unit_test(says_what_is_missing_without_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
