/* test_event.c - what is written of many events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "kube/event_cache.h"

static struct kube_event_decision decide(struct kube_event_cache *c, const char *object,
					 const char *message, const char *name, int64_t now_ms)
{
	struct kube_event_fact f = { object, "Normal", "Started", message };

	return kube_event_decide(c, &f, name, now_ms);
}

static void an_equal_event_is_counted_and_patched(void **state)
{
	struct kube_event_cache *c = kube_event_cache_new();
	struct kube_event_decision d;

	(void)state;
	d = decide(c, "a", "m", "n1", 0);
	assert_int_equal(d.op, KUBE_EVENT_POST);
	assert_string_equal(d.name, "n1");
	assert_int_equal(d.count, 1);
	d = decide(c, "a", "m", "n2", 1000);
	assert_int_equal(d.op, KUBE_EVENT_PATCH);
	assert_string_equal(d.name, "n1");
	assert_int_equal(d.count, 2);
	d = decide(c, "b", "m", "n3", 1000);
	assert_int_equal(d.op, KUBE_EVENT_POST);
	kube_event_forget(c, "n1");
	d = decide(c, "a", "m", "n4", 1000);
	assert_int_equal(d.op, KUBE_EVENT_POST);
	assert_string_equal(d.name, "n4");
	kube_event_cache_free(c);
}

static void many_different_messages_become_one_event(void **state)
{
	struct kube_event_cache *c = kube_event_cache_new();
	struct kube_event_decision d;
	char message[20];
	int posts = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(message, sizeof(message), "m%d", i);
		d = decide(c, "a", message, message, i * 1000);
		posts += d.op == KUBE_EVENT_POST;
	}
	assert_int_equal(posts, 10);
	assert_int_equal(d.op, KUBE_EVENT_PATCH);
	assert_string_equal(d.name, "m9");
	assert_int_equal(d.count, 11);
	assert_string_equal(d.message, "(combined from similar events): m19");
	d = decide(c, "a", "later", "later", 20000 + 600001); /* quiet for long enough */
	assert_string_equal(d.message, "later");
	kube_event_cache_free(c);
}

static void an_object_has_25_writes_and_gets_one_more_every_300_s(void **state)
{
	struct kube_event_cache *c = kube_event_cache_new();
	int64_t now = 0;
	int written = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		written += decide(c, "a", "m", "n", now).op != KUBE_EVENT_DROP;
	assert_int_equal(written, 25);
	assert_int_equal(decide(c, "b", "m", "n", now).op, KUBE_EVENT_POST);
	now += 299999;
	assert_int_equal(decide(c, "a", "m", "n", now).op, KUBE_EVENT_DROP);
	now += 1;
	assert_int_equal(decide(c, "a", "m", "n", now).op, KUBE_EVENT_PATCH);
	assert_int_equal(decide(c, "a", "m", "n", now).op, KUBE_EVENT_DROP);
	kube_event_cache_free(c);
}

static void a_long_message_is_cut_at_a_character(void **state)
{
	struct kube_event_cache *c = kube_event_cache_new();
	struct kube_event_decision d;
	char message[3000] = "x";

	(void)state;
	for (int i = 0; i < 1000; i++)
		memcpy(message + 1 + 2 * i, "\xc3\xa4", 3);
	d = decide(c, "a", message, "n", 0);
	assert_int_equal(strlen(d.message), 1023);
	assert_true(text_is_utf8(d.message, 1023));
	kube_event_cache_free(c);
}

static void remembers_a_bounded_number(void **state)
{
	struct kube_event_cache *c = kube_event_cache_new();
	char object[20];

	(void)state;
	for (int i = 0; i < KUBE_EVENT_CACHE + 100; i++) {
		snprintf(object, sizeof(object), "o%d", i);
		assert_int_equal(decide(c, object, "m", object, 0).op, KUBE_EVENT_POST);
	}
	assert_int_equal(decide(c, "o4000", "m", "x", 0).op, KUBE_EVENT_PATCH);
	assert_int_equal(decide(c, "o5", "m", "x", 0).op, KUBE_EVENT_POST);
	kube_event_cache_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_equal_event_is_counted_and_patched),
		cmocka_unit_test(many_different_messages_become_one_event),
		cmocka_unit_test(an_object_has_25_writes_and_gets_one_more_every_300_s),
		cmocka_unit_test(a_long_message_is_cut_at_a_character),
		cmocka_unit_test(remembers_a_bounded_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
