/* test_session.c - epochs and delays; docs/wire.md 2.8 and 7.2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/session.h"

static enum session_verdict welcome(struct session *s, uint64_t epoch, int64_t now)
{
	struct wire_welcome w = { .epoch = epoch, .session = 1 };

	return session_on_welcome(s, &w, now);
}

static void a_lower_epoch_is_refused_for_a_minute(void **state)
{
	struct session s = { 0 };

	(void)state;
	assert_int_equal(welcome(&s, 10, 1000), SESSION_ACCEPT);
	session_on_heard(&s, 5000);
	session_on_end(&s, 0);
	assert_int_equal(welcome(&s, 9, 64999), SESSION_REFUSE);
	assert_int_equal(session_highest_epoch(&s, 64999), 10);
	assert_int_equal(session_highest_epoch(&s, 65000), 0);
	assert_int_equal(welcome(&s, 9, 65000), SESSION_ACCEPT_LOWER);
	assert_int_equal(welcome(&s, 10, 65001), SESSION_ACCEPT);
	assert_int_equal(welcome(&s, 11, 65002), SESSION_ACCEPT);
	assert_int_equal(welcome(&s, 11, 65003), SESSION_ACCEPT);
}

static void a_refused_session_does_not_count_as_heard(void **state)
{
	struct session s = { 0 };

	(void)state;
	welcome(&s, 10, 0);
	session_on_end(&s, 0);
	assert_int_equal(welcome(&s, 9, 30000), SESSION_REFUSE);
	session_on_heard(&s, 30001);
	session_on_end(&s, 0);
	assert_int_equal(welcome(&s, 9, 60000), SESSION_ACCEPT_LOWER);
}

static void an_agent_that_cannot_speak_tries_late_however_often_it_is_welcome(void **state)
{
	struct session s = { 0 };

	(void)state;
	for (int64_t i = 0; i < 3; i++) {
		assert_int_equal(welcome(&s, 1, i), SESSION_ACCEPT);
		session_on_mute(&s);
		assert_int_equal(session_on_end(&s, 0), SESSION_LAST_MS / 2);
	}
	assert_int_equal(welcome(&s, 1, 9), SESSION_ACCEPT);
	assert_int_equal(session_on_end(&s, 0), SESSION_FIRST_MS / 2);
}

static void delays_double_up_to_five_seconds_and_are_cut_at_random(void **state)
{
	static const int64_t want[] = { 100, 200, 400, 800, 1600, 3200, 5000, 5000 };
	struct session s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(session_on_end(&s, (uint32_t)(want[i] / 2)), want[i]);
	assert_int_equal(session_on_end(&s, 0), 2500);
	welcome(&s, 1, 0);
	assert_int_equal(session_on_end(&s, 0), 50);
	assert_int_equal(session_on_end(&s, 0), 100);
}

static void a_replaced_session_waits_longest(void **state)
{
	struct session s = { 0 };
	struct wire_close replaced = { WIRE_CLOSE_REPLACED, "" };
	struct wire_close leaving = { WIRE_CLOSE_LEAVING, "" };

	(void)state;
	welcome(&s, 1, 0);
	session_on_close(&s, &replaced);
	assert_int_equal(session_on_end(&s, 2500), 5000);
	welcome(&s, 1, 0);
	session_on_close(&s, &leaving);
	assert_int_equal(session_on_end(&s, 50), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lower_epoch_is_refused_for_a_minute),
		cmocka_unit_test(a_refused_session_does_not_count_as_heard),
		cmocka_unit_test(an_agent_that_cannot_speak_tries_late_however_often_it_is_welcome),
		cmocka_unit_test(delays_double_up_to_five_seconds_and_are_cut_at_random),
		cmocka_unit_test(a_replaced_session_waits_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
