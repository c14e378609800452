/* test_protocol.c - frames between a program and its runner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/protocol.h"

enum { ROOM = 1 << 16 };

static void put_samples(struct buf *b)
{
	struct run_compile_request compile = { .code = true,
					       .strict = true,
					       .entry_point = "main",
					       .n_constants = 1,
					       .text = "fn",
					       .len = 2 };
	struct run_compile_answer compiled = { .text = "warning",
					       .kernel = { "k", 1 },
					       .object = { { "code", 4 }, { 0 } },
					       .places = { 1, 0 },
					       .n_places = 2,
					       .n_buffers = 3 };
	struct run_chunk_request chunk = { .alone = true,
					   .iterations = 5,
					   .grid = { 1, 2, 3 },
					   .n_code_buffers = 2,
					   .n_buffers = 1,
					   .buffers = { { RUN_IN_OUTPUTS, 1, 64, 8 } },
					   .uniforms = { "uuuu", 4 } };
	struct run_devices devices = {
		.message = "",
		.list = { { "1f", "amd", "card", "driver 1", 4096, false, 7 },
			  { "2", "", "", "" } },
		.n = 2,
	};
	struct err err = { 0 };

	compile.constants[0] = (struct wire_constant){ "samples", 0.5 };
	assert_int_equal(run_put_ready(b, &(struct run_ready){ "0.1" }, &err), 0);
	assert_int_equal(run_put_compile(b, &compile, &err), 0);
	assert_int_equal(run_put_compiled(b, &compiled, &err), 0);
	assert_int_equal(
	    run_put_load(b, &(struct run_load_request){ .object = { { "o", 1 } } }, &err), 0);
	assert_int_equal(run_put_loaded(b, &(struct run_load_answer){ ERR_CONFLICT, "no" }, &err),
			 0);
	assert_int_equal(run_put_chunk(b, &chunk, &err), 0);
	assert_int_equal(run_put_ran(b, &(struct run_chunk_answer){ WIRE_OK, 9, 10, "well" }, &err),
			 0);
	devices.list[1].is_software = true;
	assert_int_equal(run_put_devices(b, &devices, &err), 0);
}

static int get_any(uint32_t type, struct run_bytes body, struct err *err)
{
	static union {
		struct run_ready ready;
		struct run_compile_request compile;
		struct run_compile_answer compiled;
		struct run_load_request load;
		struct run_load_answer loaded;
		struct run_chunk_request chunk;
		struct run_chunk_answer ran;
		struct run_devices devices;
	} m;

	switch (type) {
	case RUN_READY:
		return run_get_ready(body, &m.ready, err);
	case RUN_COMPILE:
		return run_get_compile(body, &m.compile, err);
	case RUN_COMPILED:
		return run_get_compiled(body, &m.compiled, err);
	case RUN_LOAD:
		return run_get_load(body, &m.load, err);
	case RUN_LOADED:
		return run_get_loaded(body, &m.loaded, err);
	case RUN_CHUNK:
		return run_get_chunk(body, &m.chunk, err);
	case RUN_RAN:
		return run_get_ran(body, &m.ran, err);
	case RUN_DEVICES:
		return run_get_devices(body, &m.devices, err);
	default:
		return err_set(err, ERR_PROTOCOL, "unknown");
	}
}

static void finds_frames_at_every_split(void **state)
{
	AUTO(buf_done) struct buf all = { .max = ROOM };
	struct err err = { 0 };

	(void)state;
	put_samples(&all);
	for (size_t split = 0; split <= all.len; split++) {
		AUTO(buf_done) struct buf in = { .max = ROOM };
		struct run_bytes body;
		uint32_t type;
		uint32_t expected = RUN_READY;

		for (int half = 0; half < 2; half++) {
			assert_int_equal(buf_add(&in, all.data + (half ? split : 0),
						 half ? all.len - split : split, &err),
					 0);
			while (run_frame(&in, &type, &body, &err) == 1) {
				assert_int_equal(type, expected++);
				assert_int_equal(get_any(type, body, &err), 0);
				buf_drop(&in, RUN_FRAME_HEAD + body.size);
			}
			assert_int_equal(err.code, 0);
		}
		assert_int_equal(expected, RUN_DEVICES + 1);
		assert_int_equal(in.len, 0);
	}
}

static void reads_back_what_was_written(void **state)
{
	AUTO(buf_done) struct buf b = { .max = ROOM };
	struct run_chunk_request chunk;
	struct run_compile_request compile;
	struct run_bytes body;
	uint32_t type;
	struct err err = { 0 };

	(void)state;
	put_samples(&b);
	while (run_frame(&b, &type, &body, &err) == 1 && type != RUN_COMPILE)
		buf_drop(&b, RUN_FRAME_HEAD + body.size);
	assert_int_equal(run_get_compile(body, &compile, &err), 0);
	assert_true(compile.code && compile.strict && !compile.reverse);
	assert_string_equal(compile.constants[0].key, "samples");
	assert_true(compile.constants[0].value > 0.4 && compile.constants[0].value < 0.6);
	assert_memory_equal(compile.text, "fn", 2);
	while (run_frame(&b, &type, &body, &err) == 1 && type != RUN_CHUNK)
		buf_drop(&b, RUN_FRAME_HEAD + body.size);
	assert_int_equal(run_get_chunk(body, &chunk, &err), 0);
	assert_int_equal(chunk.grid[2], 3);
	assert_int_equal(chunk.buffers[0].where, RUN_IN_OUTPUTS);
	assert_int_equal(chunk.buffers[0].offset, 64);
	assert_int_equal(chunk.uniforms.size, 4);
}

/* Every body cut short, and every byte of every body changed: an error or a value, never more. */
static void survives_cut_and_changed_bytes(void **state)
{
	AUTO(buf_done) struct buf all = { .max = ROOM };
	struct run_bytes body;
	uint32_t type;
	struct err err = { 0 };

	(void)state;
	put_samples(&all);
	while (run_frame(&all, &type, &body, &err) == 1) {
		for (uint32_t len = 0; len < body.size; len++) {
			AUTO(mem_freep) char *copy = mem_dup(body.bytes, len);

			assert_int_equal(get_any(type, (struct run_bytes){ copy, len }, &err),
					 ERR_PROTOCOL);
			err_clear(&err);
		}
		for (uint32_t i = 0; i < body.size; i++) {
			static const uint8_t evil[] = { 0, 1, 0x7f, 0x80, 0xff };

			for (size_t k = 0; k < ARRAY_LEN(evil); k++) {
				AUTO(mem_freep) char *copy = mem_dup(body.bytes, body.size);

				copy[i] = (char)evil[k];
				(void)!get_any(type, (struct run_bytes){ copy, body.size }, &err);
				err_clear(&err);
			}
		}
		buf_drop(&all, RUN_FRAME_HEAD + body.size);
	}
}

static void refuses_a_frame_that_is_too_long(void **state)
{
	AUTO(buf_done) struct buf b = { .max = ROOM };
	struct run_bytes body;
	uint32_t type;
	char head[RUN_FRAME_HEAD] = { 0 };
	struct err err = { 0 };

	(void)state;
	num_put_u32(head, RUN_MAX_BODY + 1);
	assert_int_equal(buf_add(&b, head, sizeof(head), &err), 0);
	assert_int_equal(run_frame(&b, &type, &body, &err), ERR_PROTOCOL);
}

static void refuses_places_outside_of_the_list(void **state)
{
	AUTO(buf_done) struct buf b = { .max = ROOM };
	struct run_compile_answer m = {
		.text = "", .places = { 3 }, .n_places = 1, .n_buffers = 3
	};
	struct run_bytes body;
	uint32_t type;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(run_put_compiled(&b, &m, &err), 0);
	assert_int_equal(run_frame(&b, &type, &body, &err), 1);
	assert_int_equal(run_get_compiled(body, &m, &err), ERR_PROTOCOL);
}

static void refuses_outcomes_that_a_child_cannot_know(void **state)
{
	static const enum wire_outcome wrong[] = { 0,
						   WIRE_CRASHED,
						   WIRE_TIMED_OUT,
						   WIRE_CANCELLED,
						   WIRE_ORDER_SEEN,
						   (enum wire_outcome)99 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		AUTO(buf_done) struct buf b = { .max = ROOM };
		struct run_chunk_answer m = { .outcome = wrong[i], .message = "" };
		struct run_bytes body;
		uint32_t type;
		struct err err = { 0 };

		assert_int_equal(run_put_ran(&b, &m, &err), 0);
		assert_int_equal(run_frame(&b, &type, &body, &err), 1);
		assert_int_equal(run_get_ran(body, &m, &err), ERR_PROTOCOL);
	}
}

static void leaves_a_full_buffer_as_it_was(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 20 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(buf_adds(&b, "abc", &err), 0);
	assert_int_equal(run_put_ready(&b, &(struct run_ready){ "a long version" }, &err),
			 ERR_TOO_BIG);
	assert_int_equal(b.len, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_frames_at_every_split),
		cmocka_unit_test(reads_back_what_was_written),
		cmocka_unit_test(survives_cut_and_changed_bytes),
		cmocka_unit_test(refuses_a_frame_that_is_too_long),
		cmocka_unit_test(refuses_places_outside_of_the_list),
		cmocka_unit_test(refuses_outcomes_that_a_child_cannot_know),
		cmocka_unit_test(leaves_a_full_buffer_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
