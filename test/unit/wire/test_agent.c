/* test_agent.c - registration, frames, pages and answers; docs/wire.md sections 2 to 5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/agent.h"

static const char UID[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
static const struct wire_run RUNS[] = { { 0, 25 }, { 999999, 1 } };

static struct wire_job_runs job_runs(void)
{
	struct wire_job_runs j = { .runs = RUNS, .n_runs = 2 };

	memcpy(j.job_uid, UID, sizeof(UID));
	return j;
}

static void a_registration_comes_back_as_it_was(void **state)
{
	static const char *const tokens[] = { "wgsl", "native" };
	static const struct wire_attribute attribute = { "region", "us-east" };
	static const struct wire_number number = { "memoryMiB", 24564 };
	static const struct wire_device device = { .id = "cpu",
						   .backend = "Native",
						   .vendor = "",
						   .name = "x86-64",
						   .driver = "llvm",
						   .abilities = 31,
						   .self_test = WIRE_TEST_PASSED,
						   .self_test_reason = "" };
	AUTO(buf_done) struct buf b = { .max = 65536 };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_dispatch held = { .slice = 3, .first_chunk = 999999, .n_chunks = 1 };
	struct wire_register r = { .version = 1,
				   .oldest = 1,
				   .agent_version = "0.1.0",
				   .tokens = tokens,
				   .n_tokens = 2,
				   .attributes = &attribute,
				   .n_attributes = 1,
				   .numbers = &number,
				   .n_numbers = 1,
				   .devices = &device,
				   .n_devices = 1,
				   .slots = 2,
				   .abilities = 31,
				   .held = &held,
				   .n_held = 1,
				   .highest_epoch = 1790000000,
				   .full = true };
	struct wire_register got;
	struct err err = { 0 };

	(void)state;
	memcpy(held.job_uid, UID, sizeof(UID));
	assert_int_equal(wire_register_encode(&r, &b, &err), 0);
	assert_int_equal(wire_register_decode(b.data, b.len, &a, &got, &err), 0);
	assert_string_equal(got.tokens[1], "native");
	assert_string_equal(got.attributes[0].value, "us-east");
	assert_int_equal(got.numbers[0].value, 24564);
	assert_string_equal(got.devices[0].name, "x86-64");
	assert_int_equal(got.held[0].first_chunk, 999999);
	assert_string_equal(got.held[0].job_uid, UID);
	assert_int_equal(got.highest_epoch, 1790000000);
	assert_true(got.full);
	assert_false(got.draining);
}

static void versions_without_overlap_are_refused(void **state)
{
	struct err err = { 0 };
	uint32_t v = 0;

	(void)state;
	assert_int_equal(
	    wire_choose_version(&(struct wire_register){ .version = 9, .oldest = 1 }, &v, &err), 0);
	assert_int_equal(v, 1);
	assert_int_equal(
	    wire_choose_version(&(struct wire_register){ .version = 9, .oldest = 2 }, &v, &err),
	    ERR_INVALID);
	assert_string_equal(err.text, "protocol versions 2 to 9 where 1 to 1 are spoken");
	err_clear(&err);
	assert_int_equal(
	    wire_choose_version(&(struct wire_register){ .version = 1, .oldest = 2 }, &v, &err),
	    ERR_INVALID);
}

static void add_frames(struct buf *b)
{
	struct wire_job_runs jobs = job_runs();
	struct wire_dispatch d = { .first_chunk = 1, .n_chunks = 2 };
	struct err err = { 0 };
	const struct wire_frame frames[] = {
		{ .type = WIRE_FRAME_WELCOME,
		  .welcome = { .version = 1,
			       .epoch = 5,
			       .session = 7,
			       .node = "gpu-7",
			       .ping_ms = 5000,
			       .session_lost_ms = 15000,
			       .node_lost_ms = 15000 } },
		{ .type = WIRE_FRAME_CANCEL, .cancel = { &d, 1 } },
		{ .type = WIRE_FRAME_DECIDED, .decided = { &jobs, 1 } },
		{ .type = WIRE_FRAME_CLOSE, .close = { WIRE_CLOSE_REPLACED, "elsewhere" } },
	};

	memcpy(d.job_uid, UID, sizeof(UID));
	for (size_t i = 0; i < ARRAY_LEN(frames); i++)
		assert_int_equal(wire_frame_encode(&frames[i], b, &err), 0);
}

static void frames_are_found_at_every_split(void **state)
{
	static const enum wire_frame_type types[] = { WIRE_FRAME_WELCOME, WIRE_FRAME_CANCEL,
						      WIRE_FRAME_DECIDED, WIRE_FRAME_CLOSE };
	AUTO(buf_done) struct buf b = { .max = 65536 };

	(void)state;
	add_frames(&b);
	for (size_t cut = 0; cut <= b.len; cut++) {
		AUTO(buf_done) struct buf got = { .max = 65536 };
		struct err err = { 0 };
		size_t frames = 0;

		for (int half = 0; half < 2; half++) {
			size_t size = 0;

			assert_int_equal(buf_add(&got, b.data + (half ? cut : 0),
						 half ? b.len - cut : cut, &err),
					 0);
			while (wire_frame_size(got.data, got.len, &size, &err) == 0 && size != 0 &&
			       size <= got.len) {
				AUTO(arena_done) struct arena a = { 0 };
				struct wire_frame f;

				assert_int_equal(wire_frame_decode(got.data, size, &a, &f, &err),
						 0);
				assert_int_equal(f.type, types[frames++]);
				buf_drop(&got, size);
			}
			assert_int_equal(err.code, 0);
		}
		assert_int_equal(frames, 4);
		assert_int_equal(got.len, 0);
	}
}

static void unknown_frames_and_long_ones_are_refused(void **state)
{
	struct err err = { 0 };
	size_t size;

	(void)state;
	assert_int_equal(wire_frame_size("\x06", 1, &size, &err), ERR_PROTOCOL);
	assert_string_equal(err.text, "frame: unknown type 6");
	err_clear(&err);
	assert_int_equal(wire_frame_size("\0", 1, &size, &err), ERR_PROTOCOL);
	err_clear(&err);
	assert_int_equal(wire_frame_size("\x01\x01\x00\x01\x00", 5, &size, &err), ERR_PROTOCOL);
	assert_string_equal(err.text, "frame: 65537 bytes of welcome, at most 65536");
}

static void pages_and_answers_come_back_as_they_were(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 65536 };
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_result result = { .chunk = 3, .outcome = WIRE_TIMED_OUT, .message = "" };
	struct wire_results part = { .results = &result, .n_results = 1 };
	struct wire_page page = { .session = 7, .parts = &part, .n_parts = 1, .draining = true };
	struct wire_job_runs jobs = job_runs();
	struct wire_answer answer = { .epoch = 9,
				      .decided = &jobs,
				      .n_decided = 1,
				      .refused = &jobs,
				      .n_refused = 1,
				      .reason = "ticket" };
	struct wire_page got_page;
	struct wire_answer got_answer;
	struct err err = { 0 };

	(void)state;
	part.dispatch = (struct wire_dispatch){ .first_chunk = 3, .n_chunks = 1 };
	memcpy(part.dispatch.job_uid, UID, sizeof(UID));
	memset(part.ticket, 1, WIRE_DIGEST);
	assert_int_equal(wire_page_encode(&page, &b, &err), 0);
	assert_int_equal(wire_page_decode(b.data, b.len, &a, &got_page, &err), 0);
	assert_int_equal(got_page.parts[0].results[0].outcome, WIRE_TIMED_OUT);
	assert_true(got_page.draining);
	buf_reset(&b);
	assert_int_equal(wire_answer_encode(&answer, &b, &err), 0);
	assert_int_equal(wire_answer_decode(b.data, b.len, &a, &got_answer, &err), 0);
	assert_int_equal(got_answer.refused[0].runs[0].count, 25);
	assert_string_equal(got_answer.reason, "ticket");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_registration_comes_back_as_it_was),
		cmocka_unit_test(versions_without_overlap_are_refused),
		cmocka_unit_test(frames_are_found_at_every_split),
		cmocka_unit_test(unknown_frames_and_long_ones_are_refused),
		cmocka_unit_test(pages_and_answers_come_back_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
