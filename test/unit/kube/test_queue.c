/* test_queue.c - each key once, never twice at a time, back-off, two priorities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kube/queue.h"

static void expect(struct kube_queue *q, int64_t now_ms, const char *want)
{
	const char *key = kube_queue_take(q, now_ms);

	if (want == NULL) {
		assert_null(key);
		return;
	}
	assert_non_null(key);
	assert_string_equal(key, want);
}

static void a_key_is_queued_once(void **state)
{
	struct kube_queue *q = kube_queue_new(0);

	(void)state;
	kube_queue_add(q, "a", KUBE_QUEUE_LIVE);
	kube_queue_add(q, "b", KUBE_QUEUE_LIVE);
	kube_queue_add(q, "a", KUBE_QUEUE_LIVE);
	assert_int_equal(kube_queue_depth(q), 2);
	expect(q, 0, "a");
	expect(q, 0, "b");
	expect(q, 0, NULL);
	kube_queue_free(q);
}

static void a_key_added_while_active_comes_again_after_done(void **state)
{
	struct kube_queue *q = kube_queue_new(0);

	(void)state;
	kube_queue_add(q, "a", KUBE_QUEUE_LIVE);
	expect(q, 0, "a");
	kube_queue_add(q, "a", KUBE_QUEUE_LIVE);
	kube_queue_add(q, "a", KUBE_QUEUE_LIVE);
	expect(q, 0, NULL);
	assert_int_equal(kube_queue_active(q), 1);
	kube_queue_done(q, "a");
	expect(q, 0, "a");
	kube_queue_done(q, "a");
	expect(q, 0, NULL);
	assert_int_equal(kube_queue_active(q), 0);
	kube_queue_free(q);
}

static void failures_wait_twice_as_long_each_time_up_to_the_limit(void **state)
{
	struct kube_queue *q = kube_queue_new(30000);
	int64_t want = 5;
	int64_t now = 1000000;

	(void)state;
	for (int i = 0; i < 60; i++) {
		kube_queue_add_failed(q, "a", now);
		assert_int_equal(kube_queue_due_ms(q), now + want);
		expect(q, now + want - 1, NULL);
		now += want;
		expect(q, now, "a");
		kube_queue_done(q, "a");
		want = want * 2 < 30000 ? want * 2 : 30000;
		now += 1000;
	}
	assert_int_equal(kube_queue_failures(q, "a"), 60);
	kube_queue_forget(q, "a");
	kube_queue_add_failed(q, "a", now);
	assert_int_equal(kube_queue_due_ms(q), now + 5);
	kube_queue_free(q);
}

static void all_failed_keys_together_come_back_slowly(void **state)
{
	struct kube_queue *q = kube_queue_new(0);
	char key[16];
	int ready = 0;

	(void)state;
	for (int i = 0; i < 150; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		kube_queue_add_failed(q, key, 1000000);
	}
	while (kube_queue_take(q, 1000010) != NULL)
		ready++;
	assert_int_equal(ready, 100);
	while (kube_queue_take(q, 1001000) != NULL)
		ready++;
	assert_int_equal(ready, 110);
	kube_queue_free(q);
}

static void the_earliest_of_several_delays_counts(void **state)
{
	struct kube_queue *q = kube_queue_new(0);

	(void)state;
	kube_queue_add_after(q, "a", 500);
	kube_queue_add_after(q, "b", 300);
	kube_queue_add_after(q, "c", 400);
	kube_queue_add_after(q, "a", 200);
	kube_queue_add_after(q, "a", 900);
	expect(q, 199, NULL);
	expect(q, 200, "a");
	kube_queue_done(q, "a");
	expect(q, 400, "b");
	expect(q, 400, "c");
	expect(q, 1000, NULL);
	assert_true(kube_queue_due_ms(q) == INT64_MAX);
	kube_queue_free(q);
}

static void live_changes_go_first_but_idle_ones_are_not_starved(void **state)
{
	struct kube_queue *q = kube_queue_new(0);
	char key[16];
	int idle = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "idle%d", i);
		kube_queue_add(q, key, KUBE_QUEUE_IDLE);
	}
	for (int i = 0; i < 16; i++) {
		snprintf(key, sizeof(key), "live%d", i);
		kube_queue_add(q, key, KUBE_QUEUE_LIVE);
	}
	expect(q, 0, "live0");
	for (int i = 0; i < 15; i++)
		idle += kube_queue_take(q, 0)[0] == 'i';
	assert_int_equal(idle, 2);
	kube_queue_free(q);
}

static void a_waiting_key_moves_up_when_it_becomes_urgent(void **state)
{
	struct kube_queue *q = kube_queue_new(0);

	(void)state;
	kube_queue_add(q, "a", KUBE_QUEUE_IDLE);
	kube_queue_add(q, "b", KUBE_QUEUE_IDLE);
	kube_queue_add(q, "b", KUBE_QUEUE_LIVE);
	kube_queue_add(q, "b", KUBE_QUEUE_IDLE);
	expect(q, 0, "b");
	expect(q, 0, "a");
	kube_queue_free(q);
}

static void a_delay_that_ends_while_the_key_is_active_is_not_lost(void **state)
{
	struct kube_queue *q = kube_queue_new(0);

	(void)state;
	kube_queue_add(q, "a", KUBE_QUEUE_LIVE);
	expect(q, 0, "a");
	kube_queue_add_after(q, "a", 10);
	expect(q, 20, NULL);
	kube_queue_done(q, "a");
	expect(q, 20, "a");
	kube_queue_free(q);
}

static void waits_as_long_as_the_server_says(void **state)
{
	struct kube_queue *q = kube_queue_new(0);

	(void)state;
	kube_queue_add_failed_until(q, "a", 7000);
	assert_int_equal(kube_queue_due_ms(q), 7000);
	assert_int_equal(kube_queue_failures(q, "a"), 1);
	kube_queue_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_queued_once),
		cmocka_unit_test(a_key_added_while_active_comes_again_after_done),
		cmocka_unit_test(failures_wait_twice_as_long_each_time_up_to_the_limit),
		cmocka_unit_test(all_failed_keys_together_come_back_slowly),
		cmocka_unit_test(the_earliest_of_several_delays_counts),
		cmocka_unit_test(live_changes_go_first_but_idle_ones_are_not_starved),
		cmocka_unit_test(a_waiting_key_moves_up_when_it_becomes_urgent),
		cmocka_unit_test(a_delay_that_ends_while_the_key_is_active_is_not_lost),
		cmocka_unit_test(waits_as_long_as_the_server_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
