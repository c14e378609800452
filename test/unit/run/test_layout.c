/* test_layout.c - how a chunk lies in shared memory, and the cache of compiled kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "run/slot_int.h"

/* params (16 bytes), table (input, u32 array), counts (output, 4 bytes), pixels (output, array) */
static const struct wire_binding BINDINGS[] = {
	{ .name = "params", .role = WIRE_UNIFORM, .fixed_size = 16 },
	{ .name = "table", .role = WIRE_INPUT, .array_stride = 4 },
	{ .name = "counts", .role = WIRE_OUTPUT, .fixed_size = 4 },
	{ .name = "pixels",
	  .role = WIRE_OUTPUT,
	  .array_offset = 8,
	  .fixed_size = 8,
	  .array_stride = 4 },
};

struct sample {
	struct run_kernel kernel;
	struct wire_chunk chunk;
	struct run_work work;
	struct run_input input;
	struct wire_range range;
	uint64_t elements[2];
	char uniforms[16];
};

static void make_sample(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	s->kernel.kernel.bindings = BINDINGS;
	s->kernel.kernel.n_bindings = ARRAY_LEN(BINDINGS);
	for (uint32_t i = 0; i < ARRAY_LEN(BINDINGS); i++)
		s->kernel.places[i] = i + 1;
	s->kernel.n_buffers = 5;
	s->input = (struct run_input){ .bytes = "0123456789abcdef", .size = 16 };
	s->range = (struct wire_range){ .offset = 4, .length = 8 };
	s->elements[1] = 100;
	s->chunk = (struct wire_chunk){ .grid = { 64, 1, 1 },
					.uniforms = s->uniforms,
					.uniforms_size = 16,
					.output_elements = s->elements,
					.n_outputs = 2,
					.inputs = &s->range,
					.n_inputs = 1 };
	s->work = (struct run_work){ .kernel = &s->kernel,
				     .chunk = &s->chunk,
				     .inputs = &s->input,
				     .n_inputs = 1,
				     .discard = 1 };
}

static void places_every_binding(void **state)
{
	struct sample s;
	struct run_layout l;
	struct err err = { 0 };

	(void)state;
	make_sample(&s);
	assert_int_equal(run_layout_chunk(&s.work, &l, &err), 0);
	assert_int_equal(l.request.n_buffers, 4);
	assert_int_equal(l.request.n_code_buffers, 5);
	assert_int_equal(l.request.buffers[0].where, RUN_IN_MESSAGE);
	assert_int_equal(l.request.buffers[0].place, 1);
	assert_int_equal(l.request.buffers[1].where, RUN_IN_INPUTS);
	assert_int_equal(l.request.buffers[1].size, 8);
	assert_int_equal(l.in_bytes, 8);
	assert_int_equal(l.request.buffers[3].offset, RUN_ALIGN);
	assert_int_equal(l.request.buffers[3].size, 8 + 400);
	assert_int_equal(l.out_bytes, RUN_ALIGN + 408);
	assert_true(l.outputs[0].is_scratch);
	assert_false(l.outputs[1].is_scratch);
}

static void expect_invalid(const struct sample *s, const char *part)
{
	struct run_layout l;
	struct err err = { 0 };

	assert_true(run_layout_chunk(&s->work, &l, &err) < 0);
	if (strstr(err.text, part) == NULL)
		fail_msg("'%s' does not say '%s'", err.text, part);
}

static void refuses_what_does_not_fit_the_kernel(void **state)
{
	struct sample s;

	(void)state;
	make_sample(&s);
	s.chunk.uniforms_size = 12;
	expect_invalid(&s, "uniform params");
	make_sample(&s);
	s.chunk.uniforms_size = 20;
	expect_invalid(&s, "uniforms");
	make_sample(&s);
	s.chunk.n_inputs = 0;
	expect_invalid(&s, "input table");
	make_sample(&s);
	s.range.length = 13;
	expect_invalid(&s, "input table: the range");
	make_sample(&s);
	s.range.offset = UINT64_MAX;
	expect_invalid(&s, "input table: the range");
	make_sample(&s);
	s.range.length = 3;
	expect_invalid(&s, "input table: 3 bytes");
	make_sample(&s);
	s.chunk.n_outputs = 1;
	expect_invalid(&s, "output pixels");
	make_sample(&s);
	s.elements[1] = 0;
	expect_invalid(&s, "output pixels");
	make_sample(&s);
	s.elements[1] = UINT64_MAX;
	expect_invalid(&s, "output pixels");
	make_sample(&s);
	s.chunk.grid[1] = 0;
	expect_invalid(&s, "in y");
	make_sample(&s);
	s.chunk.grid[2] = (uint64_t)1 << 32;
	expect_invalid(&s, "in z");
}

static void cuts_a_probe_to_64_work_groups(void **state)
{
	static const struct {
		uint32_t workgroup[3];
		uint32_t grid[3];
		uint32_t expected[3];
	} rows[] = {
		{ { 64, 1, 1 }, { 1000000, 1, 1 }, { 4096, 1, 1 } },
		{ { 64, 1, 1 }, { 100, 1, 1 }, { 100, 1, 1 } },
		{ { 8, 8, 1 }, { 80, 800, 5 }, { 80, 48, 1 } },
		{ { 1, 1, 1 }, { 8, 8, 8 }, { 8, 8, 1 } },
		{ { 1, 1, 1 }, { 4, 4, 4 }, { 4, 4, 4 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t grid[3];

		memcpy(grid, rows[i].grid, sizeof(grid));
		run_probe_grid(rows[i].workgroup, grid);
		assert_memory_equal(grid, rows[i].expected, sizeof(grid));
	}
}

static struct run_kernel *code_of(uint32_t name, uint32_t size)
{
	struct run_kernel *k = NEW(struct run_kernel);

	k->refs = 1;
	hash_bytes(&name, sizeof(name), &k->key);
	k->text = mem_strdup("");
	k->object[0] = mem_alloc(size);
	k->object_size[0] = size;
	return k;
}

static void keeps_the_code_that_was_used_last(void **state)
{
	struct run_cache cache = { .max_bytes = 350000 };
	struct run_kernel *k[4];

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		k[i] = code_of(i, 100000);
	for (uint32_t i = 0; i < 3; i++)
		run_cache_add(&cache, k[i]);
	assert_ptr_equal(run_cache_find(&cache, &k[0]->key), k[0]);
	run_cache_add(&cache, k[3]);
	assert_null(run_cache_find(&cache, &k[1]->key));
	assert_non_null(run_cache_find(&cache, &k[0]->key));
	assert_non_null(run_cache_find(&cache, &k[2]->key));
	assert_true(cache.bytes <= cache.max_bytes);
	assert_int_equal(k[1]->refs, 1);
	for (uint32_t i = 0; i < 4; i++)
		run_kernel_unref(k[i]);
	run_cache_done(&cache);
}

static void does_not_keep_what_is_larger_than_the_cache(void **state)
{
	struct run_cache cache = { .max_bytes = 1000 };
	struct run_kernel *k = code_of(1, 2000);

	(void)state;
	run_cache_add(&cache, k);
	assert_null(run_cache_find(&cache, &k->key));
	assert_int_equal(k->refs, 1);
	run_kernel_unref(k);
	run_cache_done(&cache);
}

static void tells_sources_apart(void **state)
{
	static const struct wire_constant constants[] = { { "a", 1 }, { "a", 2 }, { "b", 1 } };
	const struct run_source sources[] = {
		{ .text = "ab", .len = 2 },
		{ .text = "ab", .len = 1 },
		{ .text = "ab", .len = 2, .entry_point = "m" },
		{ .text = "abm", .len = 3 },
		{ .text = "ab", .len = 2, .reverse = true },
		{ .text = "ab", .len = 2, .strict = true },
		{ .text = "ab", .len = 2, .constants = &constants[0], .n_constants = 1 },
		{ .text = "ab", .len = 2, .constants = &constants[1], .n_constants = 1 },
		{ .text = "ab", .len = 2, .constants = &constants[2], .n_constants = 1 },
		{ .text = "ab", .len = 2, .constants = &constants[0], .n_constants = 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		for (size_t j = 0; j < ARRAY_LEN(sources); j++) {
			struct hash_digest a = run_source_key(&sources[i]);
			struct hash_digest b = run_source_key(&sources[j]);

			assert_int_equal(hash_equal(&a, &b), i == j);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_every_binding),
		cmocka_unit_test(refuses_what_does_not_fit_the_kernel),
		cmocka_unit_test(cuts_a_probe_to_64_work_groups),
		cmocka_unit_test(keeps_the_code_that_was_used_last),
		cmocka_unit_test(does_not_keep_what_is_larger_than_the_cache),
		cmocka_unit_test(tells_sources_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
