/* test_object.c - compiled kernels as bytes: what was written is read, anything else is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/object.h"

static const uint32_t WORDS[] = { 0x07230203, 0x00010300, 0, 1, 0, 2u << 16 | 17, 1 };

static void make(struct buf *out)
{
	struct spirv_layout l = { .n_bindings = 2,
				  .control_binding = 2,
				  .control_bytes = 32,
				  .has_control = true,
				  .push_bytes = 64,
				  .n_lengths = 1,
				  .workgroup_size = { 8, 4, 2 },
				  .workgroup_bytes = 1024,
				  .subgroup_size = 32,
				  .whole_groups = true };
	struct err err = { 0 };

	l.bindings[0] = (struct spirv_binding){ .is_uniform_buffer = true, .is_used = true };
	l.bindings[1] =
	    (struct spirv_binding){ .binding = 1, .array_offset = 16, .array_stride = 8 };
	assert_int_equal(gpu_object_encode(&l, WORDS, sizeof(WORDS), out, &err), 0);
}

static void reads_back_what_was_written(void **state)
{
	AUTO(buf_done) struct buf b = { .max = GPU_MAX_OBJECT };
	struct gpu_object o;
	struct err err = { 0 };

	(void)state;
	make(&b);
	assert_int_equal(gpu_object_decode(b.data, b.len, &o, &err), 0);
	assert_int_equal(o.words_bytes, sizeof(WORDS));
	assert_memory_equal(o.words, WORDS, sizeof(WORDS));
	assert_int_equal(o.layout.workgroup_size[1], 4);
	assert_int_equal(o.layout.workgroup_bytes, 1024);
	assert_int_equal(o.layout.subgroup_size, 32);
	assert_true(o.layout.has_control && o.layout.whole_groups);
	assert_true(o.layout.bindings[0].is_uniform_buffer && o.layout.bindings[0].is_used);
	assert_int_equal(o.layout.bindings[1].array_stride, 8);
}

static void sizes_of_subgroups_are_modes(void **state)
{
	(void)state;
	for (uint32_t n = GPU_MIN_SUBGROUP; n <= GPU_MAX_SUBGROUP; n *= 2)
		assert_int_equal(gpu_subgroup_sizes(gpu_subgroup_modes(n) | 511), n);
	assert_int_equal(gpu_subgroup_modes(4), GPU_MODE_SUBGROUP_4);
	assert_int_equal(gpu_subgroup_modes(128), GPU_MODE_SUBGROUP_128);
	assert_int_equal(gpu_object_options(gpu_subgroup_modes(8 | 64)).subgroup_sizes, 8 | 64);
}

/* Every cut and every changed byte: an error, or a layout within its bounds. */
static void believes_nothing(void **state)
{
	AUTO(buf_done) struct buf b = { .max = GPU_MAX_OBJECT };
	struct gpu_object o;

	(void)state;
	make(&b);
	for (size_t len = 0; len < b.len; len++) {
		AUTO(mem_freep) void *cut = mem_dup(b.data, len);
		struct err err = { 0 };

		assert_int_equal(gpu_object_decode(cut, len, &o, &err), ERR_INVALID);
	}
	for (size_t i = 0; i < b.len * 3; i++) {
		AUTO(mem_freep) uint8_t *changed = mem_dup(b.data, b.len);
		struct err err = { 0 };

		changed[i / 3] ^= i % 3 == 0 ? 0xff : i % 3 == 1 ? 0x80 : 1;
		if (gpu_object_decode(changed, b.len, &o, &err) < 0)
			continue;
		assert_in_range(o.layout.n_bindings, 0, SPIRV_MAX_BINDINGS);
		assert_in_range(o.layout.control_bytes, 16, 4096);
		assert_in_range(o.layout.subgroup_size, 0, 128);
		assert_int_equal(o.layout.subgroup_size & (o.layout.subgroup_size - 1), 0);
		assert_in_range(o.layout.push_bytes, 0, sizeof(struct spirv_push));
		for (uint32_t n = 0; n < o.layout.n_bindings; n++)
			if (o.layout.bindings[n].array_stride > 0)
				assert_true(o.layout.bindings[n].length_slot < o.layout.n_lengths);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_back_what_was_written),
		cmocka_unit_test(sizes_of_subgroups_are_modes),
		cmocka_unit_test(believes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
