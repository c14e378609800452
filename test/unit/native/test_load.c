/* Objects: same bytes each time, refused when damaged, checked against chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "native/native.h"
#include "native/object_int.h"
#include "wgsl/wgsl.h"

static const char text[] =
    "struct P { n: u32 }\n"
    "@group(0) @binding(0) var<uniform> p: P;\n"
    "@group(0) @binding(1) var<storage, read_write> out: array<f32>;\n"
    "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  for (var i = 0u; i < p.n; i++) { out[id.x] += exp(f32(id.x)) * 0.5; } }";

static void compile(const char *source, const struct native_options *o, struct buf *object)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct wgsl_source src = { .text = source, .len = strlen(source) };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m;
	struct err err = { 0 };

	object->max = NATIVE_MAX_OBJECT;
	if (wgsl_compile(&src, &arena, &m, &diags, &err) < 0 ||
	    native_compile(m, o, object, &err) < 0)
		fail_msg("%s", err.text);
}

static int load(const void *bytes, size_t len)
{
	struct native_code *code = NULL;
	struct err err = { 0 };
	int ret = native_load(bytes, len, &code, &err);

	native_code_free(code);
	return ret;
}

static void the_same_text_gives_the_same_bytes(void **state)
{
	static const struct native_options o[] = { { 0 }, { .cpu = "x86-64-v3" } };

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(o); n++) {
		AUTO(buf_done) struct buf a = { 0 };
		AUTO(buf_done) struct buf b = { 0 };

		compile(text, &o[n], &a);
		compile(text, &o[n], &b);
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.data, b.data, a.len);
		assert_int_equal(load(a.data, a.len), 0);
	}
}

static void objects_cut_anywhere_are_refused(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };

	(void)state;
	compile(text, &(struct native_options){ .lanes = 4 }, &b);
	for (size_t len = 0; len < b.len; len++) {
		char *copy = mem_dup(b.data, len);

		assert_true(load(copy, len) < 0);
		mem_free(copy);
	}
}

static void damaged_objects_do_no_harm(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

	(void)state;
	compile(text, &(struct native_options){ .lanes = 4 }, &b);
	for (size_t at = 0; at < b.len; at++)
		for (size_t v = 0; v < ARRAY_LEN(values); v++) {
			char old = b.data[at];

			b.data[at] = (char)values[v];
			(void)load(b.data, b.len); /* code bytes may be anything: it is not run */
			b.data[at] = old;
		}
}

static void objects_for_other_machines_are_refused(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };
	struct native_header h;

	(void)state;
	compile(text, &(struct native_options){ .lanes = 4 }, &b);
	memcpy(&h, b.data, sizeof(h));
	h.cpu_key[12] ^= 1;
	memcpy(b.data, &h, sizeof(h));
	assert_int_equal(load(b.data, b.len), ERR_CONFLICT);
	h.version++;
	memcpy(b.data, &h, sizeof(h));
	assert_int_equal(load(b.data, b.len), ERR_CONFLICT);
}

static void expect(const struct native_code *code, struct native_chunk chunk, int want,
		   uint64_t units)
{
	struct native_run *run = NULL;
	struct err err = { 0 };

	assert_int_equal(native_run_new(code, &chunk, &run, &err), want);
	if (want == 0)
		assert_int_equal(native_run_units(run), units);
	native_run_free(run);
}

static void chunks_are_checked(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };
	AUTO(native_code_freep) struct native_code *code = NULL;
	_Alignas(16) float out[64] = { 0 };
	_Alignas(16) uint32_t p[4] = { 0 };
	struct native_buffer good[] = { { p, 4 }, { out, 256 } },
			     small[] = { { p, 4 }, { out, 0 } },
			     off[] = { { p, 4 }, { out + 1, 128 } }, none[] = { { p, 4 }, { 0 } };
	struct err err = { 0 };

	(void)state;
	compile(text, &(struct native_options){ .lanes = 8 }, &b);
	assert_int_equal(native_load(b.data, b.len, &code, &err), 0);
	assert_int_equal(native_lanes(code), 8);
	expect(code, (struct native_chunk){ good, 2, { 64, 1, 1 }, 0, NULL }, 0, 8);
	expect(code, (struct native_chunk){ good, 2, { 65, 3, 2 }, 0, NULL }, 0, 54);
	expect(code, (struct native_chunk){ good, 2, { 0, 1, 1 }, 0, NULL }, 0, 0);
	expect(code, (struct native_chunk){ good, 1, { 64, 1, 1 }, 0, NULL }, ERR_INVALID, 0);
	expect(code, (struct native_chunk){ small, 2, { 64, 1, 1 }, 0, NULL }, ERR_INVALID, 0);
	expect(code, (struct native_chunk){ off, 2, { 64, 1, 1 }, 0, NULL }, ERR_INVALID, 0);
	expect(code, (struct native_chunk){ none, 2, { 64, 1, 1 }, 0, NULL }, ERR_INVALID, 0);
	expect(code, (struct native_chunk){ good, 2, { 64, 1, 1 }, (1ULL << 32) + 1, NULL },
	       ERR_INVALID, 0);
}

static void work_groups_are_whole_where_they_share_memory(void **state)
{
	static const char shared[] =
	    "@group(0) @binding(0) var<storage, read_write> out: array<u32>; var<workgroup> w: "
	    "array<u32, 8>;\n"
	    "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {\n"
	    "  w[l] = l; workgroupBarrier(); out[l] = w[7u - l]; }";
	AUTO(buf_done) struct buf b = { 0 };
	AUTO(native_code_freep) struct native_code *code = NULL;
	_Alignas(16) uint32_t out[8] = { 0 };
	struct native_buffer buffers[] = { { out, 32 } };
	struct err err = { 0 };

	(void)state;
	compile(shared, &(struct native_options){ 0 }, &b);
	assert_int_equal(native_load(b.data, b.len, &code, &err), 0);
	assert_true(native_scratch_bytes(code) >= 32);
	expect(code, (struct native_chunk){ buffers, 1, { 16, 1, 1 }, 0, NULL }, 0, 2);
	expect(code, (struct native_chunk){ buffers, 1, { 17, 1, 1 }, 0, NULL }, ERR_INVALID, 0);
}

static void a_stop_flag_stops(void **state)
{
	AUTO(buf_done) struct buf b = { 0 };
	AUTO(native_code_freep) struct native_code *code = NULL;
	AUTO(native_run_freep) struct native_run *run = NULL;
	_Alignas(16) float out[64] = { 0 };
	_Alignas(16) uint32_t p[4] = { 1 };
	uint32_t stop = 1;
	struct native_buffer buffers[] = { { p, 4 }, { out, 256 } };
	struct native_chunk chunk = { buffers, 2, { 64, 1, 1 }, 0, &stop };
	struct err err = { 0 };
	uint64_t used = 0;

	(void)state;
	compile(text, &(struct native_options){ .lanes = 8 }, &b);
	assert_int_equal(native_load(b.data, b.len, &code, &err), 0);
	assert_int_equal(native_run_new(code, &chunk, &run, &err), 0);
	assert_int_equal(native_run_part(run, 0, 8, NULL, &used), NATIVE_STOPPED);
	assert_true(out[0] == 0);
	stop = 0;
	assert_int_equal(native_run_part(run, 0, 1, NULL, &used), NATIVE_DONE);
	assert_true(out[0] != 0 && out[8] == 0);
}

static void ir_for_a_fixed_cpu_is_what_we_expect(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf ir = { .max = 1 << 20 };
	static const char small[] =
	    "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
	    "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  var r = id.x; if (r > 5u) { r = r * 3u; } out[id.x] = r; }";
	struct wgsl_source src = { .text = small, .len = strlen(small) };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m;
	struct err err = { 0 };
	static const char *const parts[] = {
		"icmp ugt <8 x i32>", /* the condition */
		"select <8 x i1>",    /* no branch for a short IF */
		"store <8 x i32>",    /* neighbours as one vector */
		"\"target-cpu\"=\"x86-64-v3\"",
		"add i64",
	};

	(void)state;
	assert_int_equal(wgsl_compile(&src, &arena, &m, &diags, &err), 0);
	assert_int_equal(
	    native_compile_text(m, &(struct native_options){ .cpu = "x86-64-v3", .lanes = 8 }, true,
				&ir, &err),
	    0);
	for (size_t n = 0; n < ARRAY_LEN(parts); n++)
		if (strstr(buf_str(&ir), parts[n]) == NULL)
			fail_msg("no %s in %s", parts[n], buf_str(&ir));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_text_gives_the_same_bytes),
		cmocka_unit_test(objects_cut_anywhere_are_refused),
		cmocka_unit_test(damaged_objects_do_no_harm),
		cmocka_unit_test(objects_for_other_machines_are_refused),
		cmocka_unit_test(chunks_are_checked),
		cmocka_unit_test(work_groups_are_whole_where_they_share_memory),
		cmocka_unit_test(a_stop_flag_stops),
		cmocka_unit_test(ir_for_a_fixed_cpu_is_what_we_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
