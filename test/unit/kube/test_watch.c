/* test_watch.c - the reflector's rules, fed with answers and bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kube/object.h"
#include "kube/store.h"
#include "kube/watch.h"

struct fix {
	struct kube_store *store;
	struct kube_watch *w;
	struct kube_watch_step step;
	int64_t now;
	struct buf notes;
};

static void on_change(void *arg, const struct kube_change *c)
{
	struct fix *f = arg;

	buf_note(&f->notes, "%s%s:%s>%s ", c->from_list ? "list " : "", c->key,
		 c->old ? kube_rv(c->old) : "", c->new ? kube_rv(c->new) : "");
}

static void setup(struct fix *f, struct kube_watch_spec spec)
{
	*f = (struct fix){ .now = 1000000, .notes = { .max = 100000 } };
	f->store = kube_store_new(&(struct kube_store_spec){ .on_change = on_change, .arg = f });
	spec.kind = "Pod";
	spec.seed = 42;
	f->w = kube_watch_new(&spec, f->store);
}

static void teardown(struct fix *f)
{
	kube_watch_free(f->w);
	kube_store_free(f->store);
	buf_done(&f->notes);
}

static void expect_notes(struct fix *f, const char *want)
{
	assert_string_equal(buf_str(&f->notes), want);
	buf_reset(&f->notes);
}

/* The next step without waiting, of this kind. */
static void expect_step(struct fix *f, enum kube_watch_op op)
{
	f->step = kube_watch_next(f->w, f->now);
	assert_int_equal(f->step.op, op);
}

/* A wait of min to max ms; afterwards it is over. */
static void expect_wait(struct fix *f, int64_t min_ms, int64_t max_ms)
{
	expect_step(f, KUBE_WATCH_WAIT);
	assert_in_range((uint64_t)(f->step.at_ms - f->now), (uint64_t)min_ms, (uint64_t)max_ms);
	f->now = f->step.at_ms;
}

static bool has_param(const struct fix *f, const char *param)
{
	char with_ends[2000];
	char want[200];

	snprintf(with_ends, sizeof(with_ends), "&%s&", f->step.query);
	snprintf(want, sizeof(want), "&%s&", param);
	return strstr(with_ends, want) != NULL;
}

static bool mentions(const struct fix *f, const char *name)
{
	return strstr(f->step.query, name) != NULL;
}

static bool bytes(struct fix *f, const char *text)
{
	return kube_watch_on_bytes(f->w, text, strlen(text), f->now);
}

static void list(struct fix *f, int status, const char *body)
{
	struct kube_watch_answer a = { status, body, strlen(body), -1 };

	kube_watch_on_list(f->w, &a, f->now);
}

static void ends(struct fix *f, int status, const char *body)
{
	struct kube_watch_answer a = { status, body, strlen(body), -1 };

	kube_watch_on_end(f->w, &a, f->now);
}

static void fails(struct fix *f, enum err_code code)
{
	struct err err = { 0 };

	err_set(&err, code, "no answer");
	kube_watch_on_failure(f->w, &err, f->now);
}

#define POD(name, rv)                                                                              \
	"{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"n\",\"name\":\"" name                     \
	"\",\"uid\":\"u-" name "\",\"resourceVersion\":\"" rv "\"}}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(rv)                                                                               \
	EVENT("BOOKMARK", "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"" rv "\"}}")
#define END_MARK(rv)                                                                               \
	EVENT("BOOKMARK", "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"" rv              \
			  "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define LIST(rv, token, items)                                                                     \
	"{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"" rv "\",\"continue\":\"" token \
	"\"},\"items\":[" items "]}"
#define STATUS(code, reason)                                                                       \
	"{\"kind\":\"Status\",\"code\":" code ",\"reason\":\"" reason "\",\"message\":\"m\"}"

static const struct kube_watch_spec plain = { .no_watchlist = true };

/* Listed at 10 with pod a; a stream is open. */
static void start_plain(struct fix *f)
{
	setup(f, plain);
	expect_step(f, KUBE_WATCH_LIST);
	list(f, 200, LIST("10", "", POD("a", "5")));
	expect_notes(f, "list n/a:>5 ");
	expect_step(f, KUBE_WATCH_STREAM);
}

static void lists_in_pages_then_watches_from_that_version(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ .no_watchlist = true, .label_selector = "a=b,c" });
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "labelSelector=a%3Db%2Cc&limit=500");
	list(&f, 200, LIST("10", "t/1=", POD("a", "5") "," POD("b", "6")));
	expect_notes(&f, "");
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "labelSelector=a%3Db%2Cc&limit=500&continue=t%2F1%3D");
	list(&f, 200, LIST("10", "", POD("c", "7")));
	expect_notes(&f, "list n/a:>5 list n/b:>6 list n/c:>7 ");
	assert_true(kube_store_is_synced(f.store));
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "watch=true"));
	assert_true(has_param(&f, "allowWatchBookmarks=true"));
	assert_true(has_param(&f, "resourceVersion=10"));
	assert_true(has_param(&f, "labelSelector=a%3Db%2Cc"));
	assert_in_range(f.step.timeout_ms, 330000, 630000);
	teardown(&f);
}

static void a_first_list_of_any_version_is_asked_for_without_pages(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ .no_watchlist = true, .any_version = true });
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "resourceVersion=0");
	teardown(&f);
}

static const char stream_text[] = EVENT("ADDED", POD("b", "11")) EVENT("MODIFIED", POD("a", "12"))
    BOOKMARK("15") EVENT("DELETED", POD("b", "16")) "\n" EVENT("FANCY", POD("z", "17"))
	EVENT("ADDED", "{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"18\"}}")
	    EVENT("ADDED", POD("c", "19"));
static const char stream_notes[] = "n/b:>11 n/a:5>12 n/b:11> n/c:>19 ";

static void follows_events_wherever_the_bytes_are_split(void **state)
{
	size_t len = strlen(stream_text);

	(void)state;
	for (size_t cut = 0; cut <= len; cut++) {
		AUTO(mem_freep) char *first = mem_dup(stream_text, cut);
		AUTO(mem_freep) char *rest = mem_dup(stream_text + cut, len - cut);
		struct fix f;

		start_plain(&f);
		assert_true(kube_watch_on_bytes(f.w, first, cut, f.now));
		assert_true(kube_watch_on_bytes(f.w, rest, len - cut, f.now));
		expect_notes(&f, stream_notes);
		assert_string_equal(kube_store_rv(f.store), "19");
		assert_int_equal(kube_watch_counts(f.w)->unknown, 2);
		assert_int_equal(kube_watch_counts(f.w)->events, 7);
		teardown(&f);
	}
}

static void follows_events_that_come_byte_by_byte(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	for (const char *s = stream_text; *s != '\0'; s++)
		assert_true(kube_watch_on_bytes(f.w, s, 1, f.now));
	expect_notes(&f, stream_notes);
	teardown(&f);
}

static void a_stream_that_ends_goes_on_from_the_last_version_at_once(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	f.now += 300000;
	bytes(&f, BOOKMARK("77") "{\"type\":\"ADD");
	ends(&f, 200, "");
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "resourceVersion=77"));
	bytes(&f, EVENT("ADDED", POD("n", "78"))); /* the half line is forgotten */
	expect_notes(&f, "n/n:>78 ");
	fails(&f, ERR_TIMEOUT);
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "resourceVersion=78"));
	teardown(&f);
}

static void a_very_short_watch_without_an_event_waits(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	f.now += 10;
	ends(&f, 200, "");
	expect_wait(&f, 800, 1600);
	expect_step(&f, KUBE_WATCH_STREAM);
	ends(&f, 200, "");
	expect_wait(&f, 1600, 3200);
	expect_step(&f, KUBE_WATCH_STREAM);
	ends(&f, 200, "");
	expect_wait(&f, 3200, 6400);
	expect_step(&f, KUBE_WATCH_LIST); /* the third time it lists */
	assert_true(has_param(&f, "resourceVersion=10"));
	teardown(&f);
}

static void gone_as_event_lists_at_the_last_version_then_without(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	bytes(&f, BOOKMARK("20"));
	assert_false(bytes(&f, EVENT("ERROR", STATUS("410", "Expired"))));
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "resourceVersion=20");
	list(&f, 410, STATUS("410", "Expired"));
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "limit=500");
	list(&f, 410, STATUS("410", "Expired"));
	expect_wait(&f, 800, 1600); /* at once only once */
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, LIST("30", "", POD("b", "25")));
	expect_notes(&f, "list n/a:5> list n/b:>25 ");
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "resourceVersion=30"));
	assert_int_equal(kube_watch_counts(f.w)->gone, 3);
	teardown(&f);
}

static void gone_as_status_of_a_watch_lists_and_does_not_spin(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	ends(&f, 410, STATUS("410", "Gone"));
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, LIST("11", "", POD("a", "5")));
	expect_step(&f, KUBE_WATCH_STREAM);
	ends(&f, 410, STATUS("410", "Gone"));
	expect_wait(&f, 800, 1600);
	expect_step(&f, KUBE_WATCH_LIST);
	teardown(&f);
}

static void a_version_that_is_too_large_is_asked_for_no_more(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	ends(&f, 410, STATUS("410", "Gone"));
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 504,
	     "{\"kind\":\"Status\",\"code\":504,\"reason\":\"Timeout\",\"message\":"
	     "\"Too large resource version: 20, current: 7\"}");
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "limit=500");
	teardown(&f);
}

static void pages_that_expire_start_over_and_at_last_come_in_one_piece(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, plain);
	for (int i = 0; i < 2; i++) {
		expect_step(&f, KUBE_WATCH_LIST);
		assert_string_equal(f.step.query, "limit=500");
		list(&f, 200, LIST("10", "t", POD("a", "5")));
		expect_step(&f, KUBE_WATCH_LIST);
		assert_true(has_param(&f, "continue=t"));
		list(&f, 410, STATUS("410", "Expired"));
	}
	expect_step(&f, KUBE_WATCH_LIST);
	assert_string_equal(f.step.query, "");
	list(&f, 200, LIST("12", "", POD("b", "6")));
	expect_notes(&f, "list n/b:>6 ");
	teardown(&f);
}

static void a_refused_connection_waits_and_watches_the_same_version(void **state)
{
	struct fix f;
	int64_t min = 800;

	(void)state;
	start_plain(&f);
	for (int i = 0; i < 8; i++) {
		fails(&f, ERR_UNAVAILABLE);
		expect_wait(&f, min, 2 * min);
		expect_step(&f, KUBE_WATCH_STREAM);
		assert_true(has_param(&f, "resourceVersion=10"));
		min = min * 2 < 30000 ? min * 2 : 30000;
	}
	f.now += 120000; /* healthy for long enough: small again */
	fails(&f, ERR_UNAVAILABLE);
	expect_wait(&f, 800, 1600);
	teardown(&f);
}

static void too_many_requests_waits_as_long_as_told(void **state)
{
	struct kube_watch_answer a = { 429, "slow", 4, 7000 };
	struct fix f;

	(void)state;
	start_plain(&f);
	kube_watch_on_end(f.w, &a, f.now);
	expect_wait(&f, 7000, 7000);
	expect_step(&f, KUBE_WATCH_STREAM);
	teardown(&f);
}

static void errors_of_the_server_back_off_without_a_storm_of_lists(void **state)
{
	struct fix f;
	int lists = 0;
	int64_t start;

	(void)state;
	start_plain(&f);
	start = f.now;
	for (int i = 0; i < 40; i++) {
		if (f.step.op == KUBE_WATCH_WAIT)
			f.now = f.step.at_ms;
		else if (f.step.op == KUBE_WATCH_LIST)
			list(&f, 500, STATUS("500", "InternalError"));
		else
			ends(&f, 500, STATUS("500", "InternalError"));
		f.step = kube_watch_next(f.w, f.now);
		lists += f.step.op == KUBE_WATCH_LIST;
	}
	assert_true(f.now - start > 10 * 30000);
	assert_in_range(lists, 1, 20);
	assert_int_equal(kube_watch_trouble(f.w)->code, ERR_TIMEOUT);
	teardown(&f);
}

static void a_silent_watch_is_closed_and_opened_again(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	assert_int_equal(kube_watch_deadline_ms(f.w), f.now + 150000);
	f.now += 100000;
	bytes(&f, BOOKMARK("20"));
	assert_int_equal(kube_watch_deadline_ms(f.w), f.now + 150000);
	f.now += 149999;
	assert_true(kube_watch_on_deadline(f.w, f.now));
	f.now += 1;
	assert_false(kube_watch_on_deadline(f.w, f.now));
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "resourceVersion=20"));
	assert_int_equal(kube_watch_counts(f.w)->silent, 1);
	teardown(&f);
}

static void broken_json_opens_the_stream_again_then_lists(void **state)
{
	struct fix f;

	(void)state;
	start_plain(&f);
	for (int i = 0; i < 3; i++) {
		assert_false(bytes(&f, "{\"type\":\n"));
		expect_wait(&f, 800, 60000);
		expect_step(&f, i < 2 ? KUBE_WATCH_STREAM : KUBE_WATCH_LIST);
	}
	teardown(&f);
}

static void a_line_above_the_limit_breaks_the_stream(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ .no_watchlist = true, .max_line = 100 });
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, LIST("10", "", ""));
	expect_step(&f, KUBE_WATCH_STREAM);
	for (int i = 0; i < 9; i++)
		assert_true(bytes(&f, "0123456789"));
	assert_true(bytes(&f, "0123456789"));
	assert_false(bytes(&f, "x"));
	assert_int_equal(kube_watch_trouble(f.w)->code, ERR_TOO_BIG);
	expect_wait(&f, 800, 1600);
	teardown(&f);
}

static void another_kind_than_asked_for_is_not_taken_as_a_list(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, plain);
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, "{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"1\"},\"rows\":[]}");
	assert_int_equal(kube_watch_trouble(f.w)->code, ERR_PROTOCOL);
	expect_wait(&f, 800, 1600);
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, "<html>");
	expect_wait(&f, 1600, 3200);
	assert_false(kube_store_is_synced(f.store));
	teardown(&f);
}

/* ---- WatchList ---- */

static void streams_the_initial_list_and_swaps_it_in_at_the_end_mark(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ 0 });
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "sendInitialEvents=true"));
	assert_true(has_param(&f, "resourceVersionMatch=NotOlderThan"));
	assert_true(has_param(&f, "allowWatchBookmarks=true"));
	assert_false(mentions(&f, "resourceVersion="));
	bytes(&f, EVENT("ADDED", POD("a", "9")) EVENT("ADDED", POD("b", "3")));
	bytes(&f, BOOKMARK("4") EVENT("ADDED", POD("c", "5")) EVENT("DELETED", POD("b", "9")));
	expect_notes(&f, "");
	assert_string_equal(kube_store_rv(f.store), "");
	bytes(&f, END_MARK("12") EVENT("ADDED", POD("d", "13")));
	expect_notes(&f, "list n/a:>9 list n/c:>5 n/d:>13 ");
	assert_string_equal(kube_store_rv(f.store), "13");
	f.now += 300000;
	ends(&f, 200, "");
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_false(mentions(&f, "sendInitialEvents"));
	assert_true(has_param(&f, "resourceVersion=13"));
	assert_false(bytes(&f, EVENT("ERROR", STATUS("410", "Expired"))));
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "sendInitialEvents=true"));
	assert_true(has_param(&f, "resourceVersion=13"));
	assert_false(bytes(&f, EVENT("ERROR", STATUS("410", "Expired"))));
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_false(mentions(&f, "resourceVersion="));
	teardown(&f);
}

static void a_server_that_refuses_watchlist_is_listed_from_then_on(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ 0 });
	expect_step(&f, KUBE_WATCH_STREAM);
	ends(&f, 422, STATUS("422", "Invalid"));
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, LIST("10", "", POD("a", "5")));
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_false(mentions(&f, "sendInitialEvents"));
	assert_false(bytes(&f, EVENT("ERROR", STATUS("410", "Expired"))));
	expect_step(&f, KUBE_WATCH_LIST);
	teardown(&f);
}

static void a_server_that_never_ends_the_initial_list_is_listed(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ 0 });
	expect_step(&f, KUBE_WATCH_STREAM);
	bytes(&f, EVENT("ADDED", POD("a", "9")));
	f.now += 10000;
	assert_false(kube_watch_on_deadline(f.w, f.now));
	expect_step(&f, KUBE_WATCH_LIST);
	expect_notes(&f, "");
	list(&f, 200, LIST("10", "", POD("a", "9")));
	expect_notes(&f, "list n/a:>9 ");
	expect_step(&f, KUBE_WATCH_STREAM);
	bytes(&f, EVENT("ERROR", STATUS("410", "Expired")));
	expect_step(&f, KUBE_WATCH_LIST); /* remembered */
	teardown(&f);
}

static void even_a_busy_initial_list_has_a_limit(void **state)
{
	struct fix f;
	int64_t start;

	(void)state;
	setup(&f, (struct kube_watch_spec){ 0 });
	expect_step(&f, KUBE_WATCH_STREAM);
	start = f.now;
	while (kube_watch_on_deadline(f.w, f.now)) {
		bytes(&f, EVENT("ADDED", POD("a", "9")));
		f.now += 5000;
		assert_true(f.now - start <= 120000);
	}
	expect_step(&f, KUBE_WATCH_LIST);
	teardown(&f);
}

static void a_watchlist_that_breaks_is_a_list_this_time_only(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ 0 });
	expect_step(&f, KUBE_WATCH_STREAM);
	bytes(&f, EVENT("ADDED", POD("a", "9")));
	fails(&f, ERR_TIMEOUT);
	expect_wait(&f, 800, 1600);
	expect_step(&f, KUBE_WATCH_LIST);
	list(&f, 200, LIST("10", "", POD("b", "9")));
	expect_notes(&f, "list n/b:>9 ");
	expect_step(&f, KUBE_WATCH_STREAM);
	bytes(&f, EVENT("ERROR", STATUS("410", "Expired")));
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "sendInitialEvents=true"));
	teardown(&f);
}

static void a_refused_connection_does_not_give_up_watchlist(void **state)
{
	struct fix f;

	(void)state;
	setup(&f, (struct kube_watch_spec){ 0 });
	expect_step(&f, KUBE_WATCH_STREAM);
	fails(&f, ERR_UNAVAILABLE);
	expect_wait(&f, 800, 1600);
	expect_step(&f, KUBE_WATCH_STREAM);
	assert_true(has_param(&f, "sendInitialEvents=true"));
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_in_pages_then_watches_from_that_version),
		cmocka_unit_test(a_first_list_of_any_version_is_asked_for_without_pages),
		cmocka_unit_test(follows_events_wherever_the_bytes_are_split),
		cmocka_unit_test(follows_events_that_come_byte_by_byte),
		cmocka_unit_test(a_stream_that_ends_goes_on_from_the_last_version_at_once),
		cmocka_unit_test(a_very_short_watch_without_an_event_waits),
		cmocka_unit_test(gone_as_event_lists_at_the_last_version_then_without),
		cmocka_unit_test(gone_as_status_of_a_watch_lists_and_does_not_spin),
		cmocka_unit_test(a_version_that_is_too_large_is_asked_for_no_more),
		cmocka_unit_test(pages_that_expire_start_over_and_at_last_come_in_one_piece),
		cmocka_unit_test(a_refused_connection_waits_and_watches_the_same_version),
		cmocka_unit_test(too_many_requests_waits_as_long_as_told),
		cmocka_unit_test(errors_of_the_server_back_off_without_a_storm_of_lists),
		cmocka_unit_test(a_silent_watch_is_closed_and_opened_again),
		cmocka_unit_test(broken_json_opens_the_stream_again_then_lists),
		cmocka_unit_test(a_line_above_the_limit_breaks_the_stream),
		cmocka_unit_test(another_kind_than_asked_for_is_not_taken_as_a_list),
		cmocka_unit_test(streams_the_initial_list_and_swaps_it_in_at_the_end_mark),
		cmocka_unit_test(a_server_that_refuses_watchlist_is_listed_from_then_on),
		cmocka_unit_test(a_server_that_never_ends_the_initial_list_is_listed),
		cmocka_unit_test(even_a_busy_initial_list_has_a_limit),
		cmocka_unit_test(a_watchlist_that_breaks_is_a_list_this_time_only),
		cmocka_unit_test(a_refused_connection_does_not_give_up_watchlist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
