/* test_keep.c - results that are too large for a status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "rig.h"

#define CONCAT(rest) "spec: {outputs: [{name: total, reduce: Concat}], " rest "}"

static struct rig r;
static char text[600];

#define STATUS(path) rig_status(&r, path, text, sizeof(text))
#define REASON(type) rig_reason(&r, type, text, sizeof(text))

static int tear_down(void **state)
{
	(void)state;
	rig_done(&r);
	return 0;
}

static void answer(size_t from, size_t to)
{
	for (size_t i = from; i < to && i < r.n_sent; i++) {
		rig_answer(&r, rig_sent(&r, i), r.sent_to[i], 10);
		rig_run(&r, 2000);
	}
}

static const struct buf *stored(const char *hex)
{
	struct hash_digest digest;
	struct err err = { 0 };

	if (hash_parse(hex, strlen(hex), &digest, &err) < 0)
		return NULL;
	return shelf_get(&r.shelf, &digest);
}

static bool has_value(uint32_t value)
{
	struct hash_digest digest;
	unsigned char bytes[4];

	num_put_u32(bytes, value);
	hash_bytes(bytes, sizeof(bytes), &digest);
	return shelf_get(&r.shelf, &digest) != NULL;
}

/* The whole result, as the status names it. */
static void expect_result(uint32_t first, uint32_t n)
{
	const struct buf *whole = stored(STATUS("results[0].sha256"));

	assert_non_null(whole);
	assert_int_equal(whole->len, 4 * n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(num_get_u32(whole->data + (size_t)4 * i), first + i);
	assert_string_equal(STATUS("results[0].value"), "");
}

static void refuses_large_results_without_a_store(void **state)
{
	(void)state;
	rig_start(&r, CONCAT("chunks: {count: 9000}"), 2);
	assert_non_null(strstr(REASON("Failed"), "True ManifestInvalid: the reducers' state"));
	assert_non_null(strstr(REASON("Failed"), "--store"));
}

static void keeps_chunks_before_the_status_and_the_result_before_the_end(void **state)
{
	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1"), 3, 1);
	answer(0, 2);
	assert_string_equal(STATUS("progress"), "1/2");
	assert_true(has_value(10));
	assert_false(has_value(11));
	assert_string_equal(STATUS("results[0].length"), "1");
	assert_string_equal(STATUS("results[0].sha256"), "");
	assert_true(strlen(doc_str(r.doc, "status.partial", "")) > 32);
	assert_null(strchr(doc_str(r.doc, "status.partial", ""), ':'));
	answer(2, 4);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_true(job_is_finished(r.job));
	expect_result(10, 2);
}

static void goes_on_from_digests_after_a_restart(void **state)
{
	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1"), 3, 1);
	answer(0, 2);
	rig_restart(&r);
	rig_run(&r, 40000);
	answer(0, 4);
	assert_true(job_is_finished(r.job));
	expect_result(10, 2);
}

static void goes_on_from_a_state_in_the_store_after_a_restart(void **state)
{
	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1"), 3, 2);
	answer(0, 2);
	assert_non_null(stored(doc_str(r.doc, "status.partial", "")));
	rig_restart(&r);
	rig_run(&r, 40000);
	assert_string_equal(STATUS("progress"), "1/2");
	answer(0, 4);
	assert_true(job_is_finished(r.job));
	expect_result(10, 2);
}

/* The last write of the leader before arrives while its state of before is being read. */
static void takes_no_state_but_that_of_the_status(void **state)
{
	AUTO(doc_unrefp) struct doc *before = NULL;
	AUTO(doc_unrefp) struct doc *now = NULL;
	struct hash_digest old;
	struct err err = { 0 };
	const struct buf *blob;
	const char *partial;

	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 3}, chunksPerSlice: 1"), 3, 2);
	answer(0, 2);
	before = doc_ref(r.doc);
	answer(2, 4);
	now = doc_ref(r.doc);
	partial = doc_str(before, "status.partial", "");
	assert_int_equal(hash_parse(partial, strlen(partial), &old, &err), 0);
	blob = shelf_get(&r.shelf, &old);
	assert_non_null(blob);

	doc_unref(r.doc);
	r.doc = doc_ref(before);
	rig_restart(&r);
	assert_true(hash_equal(job_partial_needed(r.job), &old));
	doc_unref(r.doc);
	r.doc = doc_ref(now);
	assert_int_equal(job_on_status_read(r.job, now, r.now_ms, &err), 0);
	job_on_partial(r.job, &old, blob->data, blob->len);
	assert_non_null(job_partial_needed(r.job));
	rig_run(&r, 40000);
	answer(0, 6);
	assert_true(job_is_finished(r.job));
	expect_result(10, 3);
}

static void waits_for_a_state_that_is_not_there(void **state)
{
	struct hash_digest digest;
	struct err err = { 0 };
	const char *partial;

	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1"), 3, 2);
	answer(0, 2);
	partial = doc_str(r.doc, "status.partial", "");
	assert_int_equal(hash_parse(partial, strlen(partial), &digest, &err), 0);
	shelf_remove(&r.shelf, &digest);
	rig_restart(&r);
	rig_run(&r, 5000);
	assert_string_equal(STATUS("state"), "Running");
	assert_non_null(strstr(job_why(r.job), "the store does not have it"));
	assert_string_equal(doc_str(r.doc, "status.acceptedIndexes", ""), "0");
	assert_non_null(strchr(doc_str(r.doc, "status.partial", ""), ':'));
}

static void waits_for_a_controller_with_a_store(void **state)
{
	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 4500}, chunksPerSlice: 1"), 3, 1);
	answer(0, 2);
	r.store = 0;
	rig_restart(&r);
	rig_run(&r, 5000);
	assert_int_equal(job_state(r.job), JOB_RUNNING);
	assert_non_null(strstr(job_why(r.job), "--store"));
	assert_string_not_equal(doc_str(r.doc, "status.partial", ""), "");
}

static void writes_nothing_that_is_not_kept(void **state)
{
	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1"), 3, 2);
	r.keep_fails = true;
	answer(0, 4);
	rig_run(&r, 60000);
	assert_string_equal(doc_str(r.doc, "status.acceptedIndexes", ""), "");
	assert_true(ranges_total(&r.decided) == 0);
	assert_false(job_is_finished(r.job));
	assert_true(r.n_keeps < 20);
	r.keep_fails = false;
	rig_run(&r, 6000);
	assert_true(job_is_finished(r.job));
	expect_result(10, 2);
}

static void a_job_that_fails_keeps_what_it_has(void **state)
{
	(void)state;
	rig_start_stored(
	    &r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1, backoffLimitPerChunk: 0"), 3, 1);
	answer(0, 2);
	(void)rig_result(&r, rig_sent(&r, 2), r.sent_to[2], 1, WIRE_CRASHED, 0);
	rig_run(&r, 2000);
	assert_int_equal(job_state(r.job), JOB_FAILED);
	assert_true(job_is_finished(r.job));
	expect_result(10, 1);
}

static void begins_anew_from_somebody_elses_state(void **state)
{
	AUTO(doc_unrefp) struct doc *other = NULL;
	struct err err = { 0 };

	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 2}, chunksPerSlice: 1"), 3, 2);
	answer(0, 2);
	other = doc_copy(r.doc);
	doc_set_path(
	    other, "status.partial",
	    doc_new_str("sha256:00000000000000000000000000000000000000000000000000000000000"
			"0abcd"));
	assert_int_equal(job_on_status_read(r.job, other, r.now_ms, &err), ERR_CONFLICT);
}

static void forgets_results_after_their_time(void **state)
{
	(void)state;
	rig_start_stored(&r,
			 CONCAT("chunks: {count: 1}, blobTTLSecondsAfterFinished: 100, "
				"ttlSecondsAfterFinished: 1000"),
			 3, 1);
	answer(0, 2);
	assert_true(job_is_finished(r.job));
	rig_run(&r, 90000);
	assert_false(r.forgotten);
	rig_run(&r, 20000);
	assert_true(r.forgotten);
	r.forgotten = false;
	rig_run(&r, 20000);
	assert_false(r.forgotten);
}

static void the_time_of_results_may_change(void **state)
{
	AUTO(doc_unrefp) struct doc *next = NULL;
	struct err err = { 0 };

	(void)state;
	rig_start_stored(&r, CONCAT("chunks: {count: 1}, blobTTLSecondsAfterFinished: 100"), 3, 1);
	answer(0, 2);
	next = doc_copy(r.doc);
	doc_set_path(next, "metadata.generation", doc_new_int(2));
	doc_set_path(next, "spec.blobTTLSecondsAfterFinished", doc_new_int(10));
	assert_int_equal(job_on_spec(r.job, next, &err), 0);
	rig_run(&r, 20000);
	assert_true(r.forgotten);
}

static void small_results_need_no_store(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 2}}", 3, true);
	r.store = 1;
	rig_restart(&r);
	rig_run(&r, 0);
	answer(0, 4);
	assert_true(job_is_finished(r.job));
	assert_int_equal(r.n_keeps, 0);
	assert_string_equal(STATUS("results[0].value"), "21");
}

/* How many orders go out for a job of forty chunks of half a MiB. */
static size_t sent_while(uint64_t held)
{
	rig_new(&r,
		"spec: {outputs: [{name: total, reduce: None}], chunks: {count: 40}, "
		"chunksPerSlice: 1, verify: {replicas: 1}}",
		0, true);
	r.lanes = 128 * 1024;
	rig_node(&r, "wide", NULL, 64);
	fleet_hold(r.fleet, held);
	rig_run(&r, 0);
	rig_run(&r, 2000);
	rig_run(&r, 2000);
	return r.n_sent;
}

static void all_jobs_share_one_memory_for_results(void **state)
{
	(void)state;
	assert_int_equal(sent_while(0), 40);
	rig_done(&r);
	/* Half a MiB each and the frames: 31 are below a slice's 16 MiB, which each job may have.
	 */
	assert_int_equal(sent_while(FLEET_HELD_BYTES), 31);
	assert_string_equal(job_why(r.job),
			    "31 chunks with large results are open; the first of them must be "
			    "accepted");
}

static void a_slice_is_no_more_than_an_agent_should_hold(void **state)
{
	(void)state;
	rig_new(&r,
		"spec: {outputs: [{name: total, reduce: None}], chunks: {count: 200}, "
		"chunksPerSlice: 200, verify: {replicas: 1}}",
		1, true);
	r.lanes = 64 * 1024;
	rig_run(&r, 0);
	assert_int_equal(r.n_sent, 1);
	assert_int_equal(rig_sent(&r, 0)->n_chunks, 63);
}

/* Exactly: the lengths that frame outputs come on top. */
static void a_chunk_returns_up_to_a_mebibyte(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: None}]}", 2, true);
	r.lanes = 256 * 1024;
	rig_run(&r, 0);
	assert_int_equal(r.n_sent, 2);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refuses_large_results_without_a_store),
		TEST(keeps_chunks_before_the_status_and_the_result_before_the_end),
		TEST(goes_on_from_digests_after_a_restart),
		TEST(goes_on_from_a_state_in_the_store_after_a_restart),
		TEST(takes_no_state_but_that_of_the_status),
		TEST(waits_for_a_state_that_is_not_there),
		TEST(waits_for_a_controller_with_a_store),
		TEST(writes_nothing_that_is_not_kept),
		TEST(a_job_that_fails_keeps_what_it_has),
		TEST(begins_anew_from_somebody_elses_state),
		TEST(forgets_results_after_their_time),
		TEST(the_time_of_results_may_change),
		TEST(small_results_need_no_store),
		TEST(all_jobs_share_one_memory_for_results),
		TEST(a_slice_is_no_more_than_an_agent_should_hold),
		TEST(a_chunk_returns_up_to_a_mebibyte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
