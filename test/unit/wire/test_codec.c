/* test_codec.c - kernels, orders and results as bytes; docs/wire.md sections 1 and 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/codec.h"

static const char UID[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

static const struct wire_lane LANE = { 0, 1, 4, WIRE_U32 };
static const struct wire_lane PAIR = { 4, 3, 8, WIRE_F32 };
static const struct wire_leaf LEAVES[] = { { "seed", 0, WIRE_U32 }, { "v[1].x", 8, WIRE_I32 } };

static void make_kernel(struct wire_binding b[2], struct wire_kernel *k)
{
	b[0] = (struct wire_binding){ .binding = 0,
				      .name = "params",
				      .role = WIRE_UNIFORM,
				      .fixed_size = 16,
				      .leaves = LEAVES,
				      .n_leaves = 2 };
	b[1] = (struct wire_binding){ .binding = 1,
				      .name = "out",
				      .role = WIRE_OUTPUT,
				      .fixed_size = 4,
				      .lanes = &LANE,
				      .n_lanes = 1,
				      .array_offset = 8,
				      .array_stride = 24,
				      .array_lanes = &PAIR,
				      .n_array_lanes = 1,
				      .numeric_class = WIRE_EXACT,
				      .class_reason = "no float",
				      .order = WIRE_PROVED,
				      .order_reason = "atomics",
				      .n_conditions = 1 };
	b[1].conditions[0] =
	    (struct wire_condition){ .axis = 2, .at_most = 7, .groups = 4, .text = "z <= 7" };
	*k = (struct wire_kernel){ .entry_point = "main",
				   .workgroup_size = { 256, 1, 1 },
				   .needs_counter = true,
				   .dimensions = 1,
				   .needs = 9,
				   .numeric_class = WIRE_EXACT,
				   .order = WIRE_PROVED,
				   .bindings = b,
				   .n_bindings = 2,
				   .warnings = "" };
}

static void a_kernel_comes_back_as_it_was(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_binding bindings[2];
	struct wire_kernel k;
	struct wire_kernel got;
	struct err err = { 0 };
	const struct wire_binding *out;

	(void)state;
	make_kernel(bindings, &k);
	assert_int_equal(wire_kernel_encode(&k, &b, &err), 0);
	assert_int_equal(wire_kernel_decode(b.data, b.len, &a, &got, &err), 0);
	assert_string_equal(got.entry_point, "main");
	assert_int_equal(got.workgroup_size[0], 256);
	assert_int_equal(got.n_bindings, 2);
	assert_true(got.needs_counter);
	assert_string_equal(got.warnings, "");
	assert_string_equal(got.bindings[0].leaves[1].path, "v[1].x");
	out = wire_find_binding(&got, "out");
	assert_non_null(out);
	assert_null(wire_find_binding(&got, "nothing"));
	assert_string_equal(out->conditions[0].text, "z <= 7");
	assert_int_equal(out->conditions[0].groups, 4);
	assert_string_equal(out->class_reason, "no float");
	assert_int_equal(wire_binding_scalars(out, 5), 16);
	assert_int_equal(wire_binding_bytes(out, 5), 8 + 5 * 24);
	assert_true(wire_binding_bytes(out, UINT64_MAX) == UINT64_MAX);
	assert_int_equal(wire_binding_type(out), 0);
	assert_int_equal(wire_binding_bytes(&got.bindings[0], 5), 16);
}

static void refuse_kernel(const struct wire_kernel *k, const char *why)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	struct err err = { 0 };

	assert_int_equal(wire_kernel_encode(k, &b, &err), ERR_PROTOCOL);
	assert_string_equal(err.text, why);
	assert_int_equal(b.len, 0);
}

static void a_layout_outside_its_binding_is_refused(void **state)
{
	struct wire_binding b[2];
	struct wire_kernel k;
	struct wire_lane lane = { 4, 3, 9, WIRE_F32 };

	(void)state;
	make_kernel(b, &k);
	b[1].array_lanes = &lane;
	refuse_kernel(&k, "encode kernel: bindings[1]: array_lanes[0]: outside its 24 bytes");
	make_kernel(b, &k);
	b[0].fixed_size = 11;
	refuse_kernel(&k, "encode kernel: bindings[0]: leaves[1]: outside the 11 bytes");
	make_kernel(b, &k);
	b[1].binding = 0;
	refuse_kernel(&k, "encode kernel: bindings[1]: not in order");
	make_kernel(b, &k);
	k.workgroup_size[2] = 0;
	refuse_kernel(&k, "encode kernel: workgroup_size: 0");
}

static const uint64_t ELEMENTS[] = { 0, 1u << 30 };
static const struct wire_range RANGE = { 16, 48 };

struct order_case {
	struct wire_chunk chunks[2];
	struct wire_input input;
	struct wire_constant constant;
	struct wire_order order;
};

static void make_order(struct order_case *c)
{
	memset(c, 0, sizeof(*c));
	for (uint32_t i = 0; i < 2; i++)
		c->chunks[i] = (struct wire_chunk){ .index = 7 + i,
						    .grid = { 100, 1, 1 },
						    .uniforms = "abcd",
						    .uniforms_size = 4,
						    .output_elements = ELEMENTS,
						    .n_outputs = 2,
						    .inputs = &RANGE,
						    .n_inputs = 1 };
	c->input.size = 64;
	memset(c->input.digest, 3, WIRE_DIGEST);
	c->constant = (struct wire_constant){ "scale", -0.5 };
	c->order = (struct wire_order){ .kind = WIRE_ORDER_RUN,
					.job = "default/pi",
					.kernel_size = 10,
					.entry_point = "",
					.constants = &c->constant,
					.n_constants = 1,
					.inputs = &c->input,
					.n_inputs = 1,
					.discard = 2,
					.iterations = 1000,
					.strict = true,
					.chunk_timeout_ms = 60000,
					.chunks = c->chunks,
					.n_chunks = 2 };
	c->order.dispatch = (struct wire_dispatch){
		.slice = 3, .replica = 1, .attempt = 2, .first_chunk = 7, .n_chunks = 2, .epoch = 99
	};
	memcpy(c->order.dispatch.job_uid, UID, sizeof(UID));
	memset(c->order.ticket, 1, WIRE_DIGEST);
	memset(c->order.kernel, 2, WIRE_DIGEST);
}

static void an_order_comes_back_as_it_was(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	AUTO(arena_done) struct arena a = { 0 };
	struct order_case c;
	struct wire_order got;
	struct err err = { 0 };

	(void)state;
	make_order(&c);
	assert_int_equal(wire_order_encode(&c.order, &b, &err), 0);
	assert_int_equal(wire_order_decode(b.data, b.len, &a, &got, &err), 0);
	assert_memory_equal(&got.dispatch, &c.order.dispatch, sizeof(got.dispatch));
	assert_memory_equal(got.ticket, c.order.ticket, WIRE_DIGEST);
	assert_string_equal(got.job, "default/pi");
	assert_string_equal(got.entry_point, "");
	assert_true(got.constants[0].value == -0.5);
	assert_true(got.strict);
	assert_int_equal(got.n_chunks, 2);
	assert_int_equal(got.chunks[1].index, 8);
	assert_int_equal(got.chunks[1].uniforms_size, 4);
	assert_memory_equal(got.chunks[1].uniforms, "abcd", 4);
	assert_int_equal(got.chunks[1].output_elements[1], 1u << 30);
	assert_int_equal(got.chunks[1].inputs[0].length, 48);
	assert_int_equal(got.discard, 2);
}

static void an_order_cut_anywhere_is_refused_or_incomplete(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	struct order_case c;
	struct err err = { 0 };

	(void)state;
	make_order(&c);
	assert_int_equal(wire_order_encode(&c.order, &b, &err), 0);
	for (size_t n = 0; n < b.len; n++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(mem_freep) void *exact = mem_dup(b.data, n);
		struct wire_order got;

		assert_int_equal(wire_order_decode(exact, n, &a, &got, &err), ERR_PROTOCOL);
		err_clear(&err);
	}
}

static void refuse_order(const struct order_case *c, const char *why)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	struct err err = { 0 };

	assert_int_equal(wire_order_encode(&c->order, &b, &err), ERR_PROTOCOL);
	assert_string_equal(err.text, why);
}

static void an_order_that_contradicts_itself_is_refused(void **state)
{
	struct order_case c;
	struct wire_range outside = { 60, 5 };

	(void)state;
	make_order(&c);
	c.order.n_chunks = 1;
	refuse_order(&c, "encode order: chunks: 1 instead of 2");
	make_order(&c);
	c.chunks[1].index = 9;
	refuse_order(&c, "encode order: chunks[1]: index 9 instead of 8");
	make_order(&c);
	c.chunks[1].inputs = &outside;
	refuse_order(&c, "encode order: chunks[1]: inputs[0]: outside its 64 bytes");
	make_order(&c);
	c.chunks[0].grid[1] = 0;
	refuse_order(&c, "encode order: chunks[0]: grid: a dimension is 0");
	make_order(&c);
	c.order.kind = WIRE_ORDER_PROBE;
	refuse_order(&c, "encode order: chunks: a probe has 1, not 2");
	make_order(&c);
	memset(c.order.ticket, 0, WIRE_DIGEST);
	refuse_order(&c, "encode order: ticket: missing");
	make_order(&c);
	c.order.dispatch.job_uid[3] = '/';
	refuse_order(&c, "encode order: dispatch: job_uid: not a uid");
	make_order(&c);
	c.constant.value = __builtin_inf();
	refuse_order(&c, "encode order: constants[0]: value: not a finite number");
}

static void make_results(struct wire_result r[3], struct wire_results *ret)
{
	memset(r, 0, 3 * sizeof(*r));
	r[0] = (struct wire_result){ .chunk = 7,
				     .outcome = WIRE_OK,
				     .values = "12345678",
				     .values_size = 8,
				     .elapsed_us = 12,
				     .message = "" };
	memset(r[0].digest, 9, WIRE_DIGEST);
	r[1] = (struct wire_result){ .chunk = 8, .outcome = WIRE_CRASHED, .message = "signal 11" };
	r[2] = r[0];
	r[2].values = NULL;
	r[2].values_size = 1u << 20;
	*ret = (struct wire_results){ .results = r, .n_results = 3 };
	ret->dispatch = (struct wire_dispatch){ .first_chunk = 7, .n_chunks = 2 };
	memcpy(ret->dispatch.job_uid, UID, sizeof(UID));
	memset(ret->ticket, 1, WIRE_DIGEST);
}

static void results_come_back_as_they_were(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_result r[3];
	struct wire_results all;
	struct wire_results got;
	struct err err = { 0 };

	(void)state;
	make_results(r, &all);
	assert_int_equal(wire_results_encode(&all, &b, &err), 0);
	assert_int_equal(wire_results_decode(b.data, b.len, &a, &got, &err), 0);
	assert_int_equal(got.n_results, 3);
	assert_int_equal(got.results[0].values_size, 8);
	assert_memory_equal(got.results[0].values, "12345678", 8);
	assert_int_equal(got.results[1].outcome, WIRE_CRASHED);
	assert_string_equal(got.results[1].message, "signal 11");
	assert_null(got.results[2].values);
	assert_int_equal(got.results[2].values_size, 1u << 20);
}

static void a_result_of_a_chunk_that_was_not_asked_is_refused(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	struct wire_result r[3];
	struct wire_results all;
	struct err err = { 0 };

	(void)state;
	make_results(r, &all);
	r[1].chunk = 9;
	assert_int_equal(wire_results_encode(&all, &b, &err), ERR_PROTOCOL);
	assert_string_equal(err.text, "encode results: results[1]: chunk 9 was not asked");
}

static int decode_bytes(const void *bytes, size_t len, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_results got;

	return wire_results_decode(bytes, len, &a, &got, err);
}

static void unknown_fields_are_ignored_and_broken_ones_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *why;
	} rows[] = {
		{ "\xf8\x01\x05", 3, NULL }, /* field 31, varint */
		{ "\xf9\x01"
		  "12345678",
		  10, NULL },
		{ "\xfa\x01\x02zz", 5, NULL },
		{ "\xfd\x01zzzz", 6, NULL },
		{ "\xfb\x01", 2, "decode results: field 31 has wire type 3" },
		{ "\x02\x00", 2, "decode results: field number 0" },
		{ "\xfa\x01\x05zz", 5, "decode results: cut off" },
		{ "\x18\x05", 2, "decode results: results: wire type 0 instead of 2" },
		{ "\x12\x01z", 3, "decode results: ticket: given twice" },
		{ "\xf8\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 12,
		  "decode results: a number above 64 bits" },
	};
	struct wire_result r[3];
	struct wire_results all;
	struct err err = { 0 };

	(void)state;
	make_results(r, &all);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf b = { .max = 65536 };

		assert_int_equal(wire_results_encode(&all, &b, &err), 0);
		assert_int_equal(buf_add(&b, rows[i].bytes, rows[i].len, &err), 0);
		if (rows[i].why == NULL) {
			assert_int_equal(decode_bytes(b.data, b.len, &err), 0);
			continue;
		}
		assert_int_equal(decode_bytes(b.data, b.len, &err), ERR_PROTOCOL);
		assert_string_equal(err.text, rows[i].why);
		err_clear(&err);
	}
}

static void tickets_differ_when_anything_differs(void **state)
{
	struct wire_dispatch d[8];
	unsigned char bytes[9][WIRE_TICKET_BYTES];
	size_t len[9];

	(void)state;
	for (int i = 0; i < 8; i++) {
		memset(&d[i], 0, sizeof(d[i]));
		memcpy(d[i].job_uid, UID, sizeof(UID));
	}
	d[1].slice = 1;
	d[2].replica = 1;
	d[3].attempt = 1;
	d[4].first_chunk = 1;
	d[5].n_chunks = 1;
	d[6].epoch = 1;
	d[7].job_uid[35] = '1';
	for (int i = 0; i < 8; i++)
		len[i] = wire_ticket_bytes(&d[i], "node-a", bytes[i]);
	len[8] = wire_ticket_bytes(&d[0], "node-b", bytes[8]);
	for (int i = 0; i < 9; i++) {
		for (int j = 0; j < i; j++)
			assert_false(len[i] == len[j] && memcmp(bytes[i], bytes[j], len[i]) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_comes_back_as_it_was),
		cmocka_unit_test(a_layout_outside_its_binding_is_refused),
		cmocka_unit_test(an_order_comes_back_as_it_was),
		cmocka_unit_test(an_order_cut_anywhere_is_refused_or_incomplete),
		cmocka_unit_test(an_order_that_contradicts_itself_is_refused),
		cmocka_unit_test(results_come_back_as_they_were),
		cmocka_unit_test(a_result_of_a_chunk_that_was_not_asked_is_refused),
		cmocka_unit_test(unknown_fields_are_ignored_and_broken_ones_refused),
		cmocka_unit_test(tickets_differ_when_anything_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
