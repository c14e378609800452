/* test_elector.c - leader election with a virtual clock and a virtual API server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kube/elector.h"
#include "kube/object.h"

/* The server: one lease with a version. */
struct server {
	struct doc *lease; /* NULL = none */
	int version;
};

struct fix {
	struct server *server;
	struct kube_elector *e;
	int64_t now_ms;
	int64_t server_wall_ms;
	int64_t floor;
	struct kube_elector_step step;
};

static struct fix make(struct server *s, const char *identity)
{
	return (struct fix){ .server = s,
			     .now_ms = 1000000,
			     .server_wall_ms = 1800000000000,
			     .e = kube_elector_new(&(struct kube_elector_spec){
				 .ns = "ns", .name = "l", .identity = identity, .seed = 7 }) };
}

static void next(struct fix *f)
{
	struct kube_elector_now now = { f->now_ms, 1800000000000 + f->now_ms, f->server_wall_ms,
					f->floor };

	f->step = kube_elector_next(f->e, &now);
}

static void expect(struct fix *f, enum kube_elector_op op)
{
	next(f);
	assert_int_equal(f->step.op, op);
}

static void store(struct server *s, const struct doc *body)
{
	struct doc *copy = doc_copy(body);
	char rv[16];

	snprintf(rv, sizeof(rv), "%d", ++s->version);
	doc_unref(s->lease);
	s->lease = copy;
	doc_set_path(copy, "metadata.resourceVersion", doc_new_str(rv));
}

/* What the server does with the step; answers it. */
static void serve(struct fix *f)
{
	struct server *s = f->server;

	if (f->step.op == KUBE_ELECTOR_READ && s->lease != NULL)
		kube_elector_on_read(f->e, doc_copy(s->lease), f->now_ms);
	else if (f->step.op == KUBE_ELECTOR_READ ||
		 (f->step.op == KUBE_ELECTOR_UPDATE && !s->lease))
		kube_elector_on_error(f->e, ERR_NOT_FOUND, f->now_ms);
	else if (f->step.op == KUBE_ELECTOR_CREATE && s->lease != NULL)
		kube_elector_on_error(f->e, ERR_EXISTS, f->now_ms);
	else if (f->step.op == KUBE_ELECTOR_UPDATE &&
		 strcmp(kube_rv(f->step.body), kube_rv(s->lease)) != 0)
		kube_elector_on_error(f->e, ERR_CONFLICT, f->now_ms);
	else {
		store(s, f->step.body);
		kube_elector_on_written(f->e, doc_copy(s->lease), f->now_ms);
	}
}

/* Run until it waits (or is over); returns how many requests that took. */
static int run(struct fix *f)
{
	int n = 0;

	for (next(f); f->step.op != KUBE_ELECTOR_WAIT && f->step.op != KUBE_ELECTOR_OVER; next(f)) {
		serve(f);
		assert_true(++n < 10);
	}
	return n;
}

static void run_for(struct fix *f, int64_t ms)
{
	int64_t end_ms = f->now_ms + ms;

	while (run(f), f->step.op == KUBE_ELECTOR_WAIT && f->step.at_ms <= end_ms)
		f->now_ms = f->step.at_ms;
	f->now_ms = end_ms;
}

static void put(struct server *s, const char *holder, int64_t duration_s, const char *renewed)
{
	AUTO(doc_unrefp) struct doc *lease = kube_new_object(&kube_leases, "ns", "l");

	doc_set_path(lease, "spec.holderIdentity", doc_new_str(holder));
	doc_set_path(lease, "spec.leaseDurationSeconds", doc_new_int(duration_s));
	doc_set_path(lease, "spec.renewTime", doc_new_str(renewed));
	doc_set_path(lease, "spec.leaseTransitions", doc_new_int(4));
	doc_set_path(lease, "metadata.annotations['kwarp.dev/controller-epoch']",
		     doc_new_str("1900000000"));
	store(s, lease);
}

static void done(struct fix *f)
{
	kube_elector_free(f->e);
}

static void whoever_creates_the_lease_waits_before_acting(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");

	(void)state;
	run(&f);
	assert_true(kube_elector_is_holder(f.e));
	assert_false(kube_elector_may_act(f.e, f.now_ms));
	assert_int_equal(kube_elector_acts_from_ms(f.e), f.now_ms + 15000);
	assert_int_equal(kube_elector_epoch(f.e), 1800000000);
	assert_string_equal(doc_str(s.lease, "spec.holderIdentity", ""), "a");
	assert_string_equal(kube_annotation(s.lease, "kwarp.dev/controller-epoch"), "1800000000");
	run_for(&f, 15000);
	assert_true(kube_elector_may_act(f.e, f.now_ms));
	done(&f);
	doc_unref(s.lease);
}

static void renews_every_two_seconds_without_reading(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");
	int version;

	(void)state;
	run(&f);
	version = s.version;
	for (int i = 1; i <= 10; i++) {
		assert_int_equal(f.step.op, KUBE_ELECTOR_WAIT);
		assert_int_equal(f.step.at_ms, f.now_ms + 2000);
		f.now_ms = f.step.at_ms;
		assert_int_equal(run(&f), 1);
		assert_int_equal(s.version, version + i);
		assert_int_equal(kube_elector_deadline_ms(f.e), f.now_ms + 10000);
	}
	assert_int_equal(doc_int(s.lease, "spec.leaseTransitions", -1), 0);
	done(&f);
	doc_unref(s.lease);
}

static void takes_over_only_what_did_not_change_for_its_duration_on_our_clock(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");
	int64_t start;

	(void)state;
	put(&s, "other", 30, "1999-01-01T00:00:00.000000Z"); /* its times are not trusted */
	start = f.now_ms;
	run_for(&f, 20000);
	put(&s, "other", 30, "1999-01-01T00:00:01.000000Z"); /* alive */
	run_for(&f, 29000);
	assert_false(kube_elector_is_holder(f.e));
	assert_string_equal(kube_elector_holder(f.e), "other");
	run_for(&f, 10000);
	assert_true(kube_elector_is_holder(f.e));
	assert_true(f.now_ms - start >= 50000);
	assert_true(kube_elector_may_act(f.e, f.now_ms)); /* no wait after a take-over */
	assert_int_equal(doc_int(s.lease, "spec.leaseTransitions", -1), 5);
	assert_int_equal(kube_elector_epoch(f.e), 1900000001);
	done(&f);
	doc_unref(s.lease);
}

static void looks_every_two_to_four_and_a_half_seconds(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");

	(void)state;
	put(&s, "other", 1000, "x");
	for (int i = 0; i < 50; i++) {
		assert_int_equal(run(&f), 1);
		assert_in_range((uint64_t)(f.step.at_ms - f.now_ms), 2000, 4400);
		f.now_ms = f.step.at_ms;
	}
	done(&f);
	doc_unref(s.lease);
}

static void a_released_lease_is_taken_at_once(void **state)
{
	AUTO(doc_unrefp) struct doc *released = NULL;
	struct server s = { 0 };
	struct fix a = make(&s, "a");
	struct fix b = make(&s, "b");

	(void)state;
	run_for(&a, 20000);
	released = kube_elector_release(a.e, 1800000000000);
	assert_non_null(released);
	store(&s, released);
	expect(&a, KUBE_ELECTOR_OVER);
	assert_false(kube_elector_may_act(a.e, a.now_ms));
	assert_int_equal(doc_int(s.lease, "spec.leaseDurationSeconds", 0), 1);
	run(&b);
	assert_true(kube_elector_may_act(b.e, b.now_ms));
	assert_int_equal(kube_elector_epoch(b.e), 1800000001);
	done(&a);
	done(&b);
	doc_unref(s.lease);
}

static void gives_up_when_it_cannot_renew_in_time(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");
	int64_t renewed;

	(void)state;
	run_for(&f, 20000);
	run(&f);
	renewed = kube_elector_deadline_ms(f.e) - 10000;
	for (next(&f); f.step.op != KUBE_ELECTOR_OVER; next(&f)) {
		if (f.step.op == KUBE_ELECTOR_WAIT) {
			f.now_ms = f.step.at_ms;
			continue;
		}
		f.now_ms += 500;
		kube_elector_on_error(f.e, ERR_TIMEOUT, f.now_ms);
	}
	assert_in_range((uint64_t)(f.now_ms - renewed), 10000, 10500);
	assert_false(kube_elector_is_holder(f.e));
	assert_string_equal(kube_elector_why(f.e), "the lease was not renewed in time");
	done(&f);
	doc_unref(s.lease);
}

static void a_time_out_leaves_time_for_a_second_attempt(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");
	int64_t deadline;

	(void)state;
	run_for(&f, 20000);
	run(&f);
	deadline = kube_elector_deadline_ms(f.e);
	f.now_ms = f.step.at_ms;
	expect(&f, KUBE_ELECTOR_UPDATE);
	f.now_ms += 5000; /* the connection is dead */
	kube_elector_on_error(f.e, ERR_TIMEOUT, f.now_ms);
	assert_int_equal(run(&f), 2); /* read, update: at once */
	assert_true(kube_elector_deadline_ms(f.e) > deadline);
	done(&f);
	doc_unref(s.lease);
}

static void a_missing_or_foreign_lease_ends_leadership(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct server s = { 0 };
		struct fix f = make(&s, "a");

		(void)state;
		run_for(&f, 20000);
		if (i == 0) {
			doc_unref(s.lease);
			s.lease = NULL;
		} else {
			put(&s, "other", 15, "x");
		}
		run_for(&f, 2100);
		expect(&f, KUBE_ELECTOR_OVER);
		assert_string_equal(kube_elector_why(f.e),
				    i == 0 ? "the lease is gone" : "the lease has another holder");
		done(&f);
		doc_unref(s.lease);
	}
}

static void a_foreign_change_of_the_lease_is_read_and_renewed_at_once(void **state)
{
	AUTO(doc_unrefp) struct doc *touched = NULL;
	struct server s = { 0 };
	struct fix f = make(&s, "a");

	(void)state;
	run_for(&f, 20000);
	touched = doc_copy(s.lease);
	doc_set_path(touched, "metadata.labels.x", doc_new_str("y"));
	store(&s, touched);
	f.now_ms = f.step.at_ms;
	assert_int_equal(run(&f), 3); /* update: conflict, read, update */
	assert_true(kube_elector_is_holder(f.e));
	assert_int_equal(kube_elector_deadline_ms(f.e), f.now_ms + 10000);
	assert_string_equal(kube_label(s.lease, "x"), "y");
	done(&f);
	doc_unref(s.lease);
}

static void a_write_whose_answer_was_lost_counts_from_when_it_was_sent(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");
	int64_t sent;

	(void)state;
	run_for(&f, 20000);
	f.now_ms = f.step.at_ms;
	expect(&f, KUBE_ELECTOR_UPDATE);
	sent = f.now_ms;
	store(&s, f.step.body); /* it arrived */
	f.now_ms += 5000;
	kube_elector_on_error(f.e, ERR_TIMEOUT, f.now_ms);
	f.now_ms += 2000;
	expect(&f, KUBE_ELECTOR_READ);
	serve(&f);
	assert_int_equal(kube_elector_deadline_ms(f.e), sent + 10000);
	done(&f);
	doc_unref(s.lease);
}

static void a_create_whose_answer_was_lost_waits_like_any_create(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");
	int64_t sent;

	(void)state;
	expect(&f, KUBE_ELECTOR_READ);
	serve(&f);
	expect(&f, KUBE_ELECTOR_CREATE);
	sent = f.now_ms;
	store(&s, f.step.body);
	f.now_ms += 3000;
	kube_elector_on_error(f.e, ERR_TIMEOUT, f.now_ms);
	run_for(&f, 5000);
	assert_true(kube_elector_is_holder(f.e));
	assert_int_equal(kube_elector_acts_from_ms(f.e), sent + 15000);
	assert_int_equal(kube_elector_epoch(f.e), 1800000000);
	done(&f);
	doc_unref(s.lease);
}

static void the_epoch_is_the_highest_of_all_and_can_be_raised(void **state)
{
	struct server s = { 0 };
	struct fix f = make(&s, "a");

	(void)state;
	put(&s, "", 15, "x");
	f.floor = 1950000000;
	run(&f);
	assert_int_equal(kube_elector_epoch(f.e), 1950000000);
	kube_elector_raise_epoch(f.e, 1960000000);
	assert_int_equal(run(&f), 1);
	assert_int_equal(kube_elector_epoch(f.e), 1960000000);
	assert_string_equal(kube_annotation(s.lease, "kwarp.dev/controller-epoch"), "1960000000");
	kube_elector_raise_epoch(f.e, 5);
	run_for(&f, 10000);
	assert_int_equal(kube_elector_epoch(f.e), 1960000000);
	done(&f);
	doc_unref(s.lease);
}

static uint64_t rnd = 88172645463325252u;

static uint64_t dice(uint64_t n)
{
	rnd ^= rnd << 13;
	rnd ^= rnd >> 7;
	rnd ^= rnd << 17;
	return rnd % n;
}

/* One elector makes one step at a random moment, with lost requests and lost answers. */
static void stumble(struct fix *f)
{
	next(f);
	if (f->step.op == KUBE_ELECTOR_WAIT || f->step.op == KUBE_ELECTOR_OVER)
		return;
	if (dice(10) == 0) { /* the request is lost */
		kube_elector_on_error(f->e, ERR_TIMEOUT, f->now_ms);
	} else if (dice(10) == 0 && f->step.op == KUBE_ELECTOR_UPDATE && f->server->lease != NULL &&
		   strcmp(kube_rv(f->step.body), kube_rv(f->server->lease)) == 0) {
		store(f->server, f->step.body); /* the answer is lost */
		kube_elector_on_error(f->e, ERR_TIMEOUT, f->now_ms);
	} else {
		serve(f);
	}
}

static void two_never_act_at_the_same_time_whatever_is_lost(void **state)
{
	int changes = 0;

	(void)state;
	for (int history = 0; history < 300; history++) {
		struct server s = { 0 };
		struct fix f[3] = { make(&s, "a"), make(&s, "b"), make(&s, "c") };
		int64_t epoch = 0;

		for (int t = 0; t < 400; t++) {
			int acting = 0;

			for (int i = 0; i < 3; i++) {
				f[i].now_ms += 250; /* all clocks run alike */
				if (dice(40) != 0 || t < 100)
					stumble(&f[i]);
			}
			if (dice(300) == 0) { /* someone deletes the lease */
				doc_unref(s.lease);
				s.lease = NULL;
			}
			for (int i = 0; i < 3; i++) {
				if (!kube_elector_may_act(f[i].e, f[i].now_ms))
					continue;
				acting++;
				assert_true(kube_elector_epoch(f[i].e) >= epoch);
				changes += kube_elector_epoch(f[i].e) > epoch;
				epoch = kube_elector_epoch(f[i].e);
			}
			assert_true(acting <= 1);
		}
		for (int i = 0; i < 3; i++)
			done(&f[i]);
		doc_unref(s.lease);
	}
	assert_true(changes > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_creates_the_lease_waits_before_acting),
		cmocka_unit_test(renews_every_two_seconds_without_reading),
		cmocka_unit_test(takes_over_only_what_did_not_change_for_its_duration_on_our_clock),
		cmocka_unit_test(looks_every_two_to_four_and_a_half_seconds),
		cmocka_unit_test(a_released_lease_is_taken_at_once),
		cmocka_unit_test(gives_up_when_it_cannot_renew_in_time),
		cmocka_unit_test(a_time_out_leaves_time_for_a_second_attempt),
		cmocka_unit_test(a_missing_or_foreign_lease_ends_leadership),
		cmocka_unit_test(a_foreign_change_of_the_lease_is_read_and_renewed_at_once),
		cmocka_unit_test(a_write_whose_answer_was_lost_counts_from_when_it_was_sent),
		cmocka_unit_test(a_create_whose_answer_was_lost_waits_like_any_create),
		cmocka_unit_test(the_epoch_is_the_highest_of_all_and_can_be_raised),
		cmocka_unit_test(two_never_act_at_the_same_time_whatever_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
