/* test_held.c - what an agent keeps, offers and drops; docs/wire.md section 5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/held.h"
#include "base/mem.h"

static const uint8_t TICKET[WIRE_DIGEST] = { 1 };

static struct wire_dispatch dispatch(const char *uid, uint32_t first, uint32_t n)
{
	struct wire_dispatch d = { .first_chunk = first, .n_chunks = n };

	memcpy(d.job_uid, uid, strlen(uid));
	return d;
}

static void add(struct held *h, const char *uid, uint32_t first, uint32_t n, uint32_t chunk,
		enum wire_outcome outcome)
{
	struct wire_dispatch d = dispatch(uid, first, n);
	struct wire_result r = { .chunk = chunk,
				 .outcome = outcome,
				 .values = "1234",
				 .values_size = 4,
				 .message = "m" };

	assert_true(held_add(h, &d, TICKET, &r));
}

static struct wire_job_runs runs(const char *uid, const struct wire_run *r, uint32_t n)
{
	struct wire_job_runs j = { .runs = r, .n_runs = n };

	memcpy(j.job_uid, uid, strlen(uid));
	return j;
}

/* "a:0,1 b:5" of the next page. */
static const char *page(struct held *h, char *text, size_t size)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct wire_results *parts;
	uint32_t n;
	size_t at = 0;

	text[0] = '\0';
	held_take_page(h, &a, &parts, &n);
	for (uint32_t i = 0; i < n; i++) {
		at += (size_t)snprintf(text + at, size - at, "%s%s:", i > 0 ? " " : "",
				       parts[i].dispatch.job_uid);
		assert_memory_equal(parts[i].ticket, TICKET, WIRE_DIGEST);
		for (uint32_t k = 0; k < parts[i].n_results; k++) {
			assert_memory_equal(parts[i].results[k].values, "1234", 4);
			at += (size_t)snprintf(text + at, size - at, "%s%u", k > 0 ? "," : "",
					       parts[i].results[k].chunk);
		}
	}
	return text;
}

static void results_are_offered_once_and_kept_until_decided(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	const struct wire_run run = { 0, 1 };
	struct wire_job_runs a0 = runs("a", &run, 1);
	struct wire_answer answer = { 0 };
	char text[200];

	(void)state;
	add(h, "a", 0, 4, 0, WIRE_OK);
	add(h, "a", 0, 4, 1, WIRE_ITERATION_LIMIT);
	add(h, "b", 5, 1, 5, WIRE_CRASHED);
	assert_string_equal(page(h, text, sizeof(text)), "a:0,1 b:5");
	assert_false(held_has_new(h));
	assert_int_equal(held_on_answer(h, &answer), 0);
	assert_int_equal(held_count(h), 3);
	assert_int_equal(held_drop(h, &a0, 1), 1);
	assert_int_equal(held_drop(h, &a0, 1), 0);
	assert_int_equal(held_count(h), 2);
	held_offer_all(h);
	assert_string_equal(page(h, text, sizeof(text)), "a:1 b:5");
}

static void an_answer_drops_what_is_decided_or_refused(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	const struct wire_run first = { 0, 2 };
	const struct wire_run last = { 3, 9 };
	struct wire_job_runs decided = runs("a", &first, 1);
	struct wire_job_runs refused = runs("a", &last, 1);
	struct wire_answer answer = { .decided = &decided,
				      .n_decided = 1,
				      .refused = &refused,
				      .n_refused = 1,
				      .reason = "" };
	char text[200];

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		add(h, "a", 0, 9, i, WIRE_OK);
	page(h, text, sizeof(text));
	/* Not part of the page: a refusal does not concern it. */
	add(h, "a", 0, 9, 5, WIRE_OK);
	assert_int_equal(held_on_answer(h, &answer), 2);
	held_offer_all(h);
	assert_string_equal(page(h, text, sizeof(text)), "a:5,2");
}

static void what_is_not_a_result_is_told_once(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	struct wire_answer answer = { 0 };
	char text[200];

	(void)state;
	add(h, "a", 0, 3, 0, WIRE_CANCELLED);
	add(h, "a", 0, 3, 1, WIRE_REFUSED);
	page(h, text, sizeof(text));
	/* The page was lost with the session. */
	held_offer_all(h);
	assert_string_equal(page(h, text, sizeof(text)), "a:0,1");
	held_on_answer(h, &answer);
	assert_int_equal(held_count(h), 0);
	assert_int_equal(held_bytes(h), 0);
}

static void it_knows_when_everything_was_offered(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	struct wire_answer answer = { 0 };
	const struct wire_run all = { 0, 1000000 };
	struct wire_job_runs b = runs("b", &all, 1);
	char *text = mem_alloc(100000);

	(void)state;
	held_offer_all(h);
	assert_true(held_is_offered(h));
	for (uint32_t i = 0; i < HELD_PAGE_PARTS + 10; i++)
		add(h, "a", i, 1, i, WIRE_OK);
	add(h, "b", 0, 1, 0, WIRE_OK);
	assert_true(held_is_offered(h));
	held_offer_all(h);
	assert_false(held_is_offered(h));
	add(h, "c", 0, 1, 0, WIRE_OK);
	for (int pages = 1; !held_is_offered(h); pages++) {
		assert_true(pages < 10);
		page(h, text, 100000);
		held_on_answer(h, &answer);
		if (pages == 1)
			assert_int_equal(held_drop(h, &b, 1), 1);
	}
	assert_string_equal(text + strlen(text) - 10, "a:4105 c:0");
	assert_int_equal(held_count(h), HELD_PAGE_PARTS + 11);
	mem_free(text);
}

static void the_same_result_is_held_once(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	struct wire_dispatch d = dispatch("a", 0, 4);
	struct wire_result r = { .chunk = 2, .outcome = WIRE_OK, .message = "" };

	(void)state;
	assert_true(held_add(h, &d, TICKET, &r));
	assert_false(held_add(h, &d, TICKET, &r));
	d.attempt = 1;
	assert_true(held_add(h, &d, TICKET, &r));
	assert_int_equal(held_count(h), 2);
}

static void a_message_is_always_text_that_can_be_sent(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_dispatch d = dispatch("a", 0, 4);
	char cut[WIRE_MAX_MESSAGE + 10];
	struct wire_result r = { .chunk = 0, .outcome = WIRE_CRASHED, .message = cut };
	const struct wire_results *parts;
	uint32_t n;

	(void)state;
	memset(cut, 'x', sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	memcpy(cut + WIRE_MAX_MESSAGE - 2, "\xe2\x82\xac", 3);
	assert_true(held_add(h, &d, TICKET, &r));
	r.chunk = 1;
	r.message = "a\xff\xfe b";
	assert_true(held_add(h, &d, TICKET, &r));
	held_take_page(h, &a, &parts, &n);
	assert_int_equal(strlen(parts[0].results[0].message), WIRE_MAX_MESSAGE - 2);
	assert_string_equal(parts[0].results[1].message, "a?? b");
}

static void too_many_results_make_it_full(void **state)
{
	AUTO(held_freep) struct held *h = held_new();
	AUTO(arena_done) struct arena a = { 0 };
	const struct wire_run half = { 0, 1000 };
	struct wire_job_runs drop = runs("a", &half, 1);
	uint32_t n;

	(void)state;
	for (uint32_t i = 0; i < HELD_MAX_RESULTS; i++) {
		assert_false(held_is_full(h));
		add(h, "a", i, 1, i, WIRE_OK);
	}
	assert_true(held_is_full(h));
	held_dispatches(h, &a, &n);
	assert_int_equal(n, HELD_MAX_RESULTS);
	held_drop(h, &drop, 1);
	assert_false(held_is_full(h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_offered_once_and_kept_until_decided),
		cmocka_unit_test(an_answer_drops_what_is_decided_or_refused),
		cmocka_unit_test(what_is_not_a_result_is_told_once),
		cmocka_unit_test(it_knows_when_everything_was_offered),
		cmocka_unit_test(the_same_result_is_held_once),
		cmocka_unit_test(a_message_is_always_text_that_can_be_sent),
		cmocka_unit_test(too_many_results_make_it_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
