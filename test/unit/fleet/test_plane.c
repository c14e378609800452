/* test_plane.c - a data plane and an agent with a real runner, joined by TLS on loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "test/unit/fleet/plane.h"

static void chunks_are_computed_and_answered(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	fleet_send_order(&f, 5, 3, 1000, 10000);
	fleet_until(&f, &f.n_results, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(f.results[i].chunk, 5 + i);
		assert_int_equal(f.results[i].outcome, WIRE_OK);
		assert_int_equal(f.results[i].value, 10 * (1000 + 5 + i));
	}
}

static void undecided_results_are_offered_to_the_next_controller(void **state)
{
	AUTO(fleet_done) struct fleet f;
	const struct range decided = { 6, 6 };

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	assert_int_equal(f.n_held, 0);
	fleet_send_order(&f, 5, 3, 1, 10000);
	fleet_until(&f, &f.n_results, 3);
	serve_decided(f.serve, fleet_uid, &decided, 1, false);
	fleet_for(&f, 50);
	serve_free(f.serve);
	f.n_results = 0;
	fleet_start_plane(&f, f.address, 1001);
	fleet_until(&f, &f.offered, 2);
	assert_int_equal(f.n_held, 1);
	assert_int_equal(f.n_results, 2);
	assert_int_equal(f.results[0].chunk, 5);
	assert_int_equal(f.results[1].chunk, 7);
	assert_int_equal(f.results[1].value, 80);
}

static void a_restarted_agent_finds_its_undecided_results(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	fleet_send_order(&f, 5, 3, 1, 10000);
	fleet_until(&f, &f.n_results, 3);
	fleet_for(&f, 50);
	fleet_end_agent(&f);
	f.n_results = 0;
	f.take = SERVE_DECIDED;
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 2);
	assert_int_equal(f.n_held, 1);
	assert_int_equal(f.n_results, 3);
	fleet_for(&f, 50);
	fleet_end_agent(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 3);
	assert_int_equal(f.n_held, 0);
}

static void a_wrong_credential_gets_nothing(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "wrong");
	fleet_for(&f, 700);
	assert_int_equal(f.registered, 0);
	assert_false(serve_is_ready(f.serve, "node-a"));
}

static void a_controller_of_an_earlier_epoch_is_refused(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	serve_free(f.serve);
	fleet_start_plane(&f, f.address, 999);
	fleet_until(&f, &f.registered, 3);
	assert_int_equal(f.offered, 1);
}

static void every_way_to_fail_has_its_outcome(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	fleet_send_order(&f, 1, 1, 99, 300);
	fleet_until(&f, &f.n_results, 1);
	assert_int_equal(f.results[0].outcome, WIRE_TIMED_OUT);
	f.kernel = "no kernel at all";
	fleet_send_order(&f, 2, 2, 1, 10000);
	fleet_until(&f, &f.n_results, 3);
	assert_int_equal(f.results[1].outcome, WIRE_BAD_KERNEL);
	assert_int_equal(f.results[2].chunk, 3);
	f.kernel = "another text";
	fleet_send_order(&f, 4, 1, 1, 10000);
	f.kernel = NULL;
	fleet_until(&f, &f.n_results, 4);
	assert_int_equal(f.results[3].outcome, WIRE_REFUSED);
	f.kernel = fleet_kernel;
	fleet_send_order(&f, 5, 1, 7, 10000);
	fleet_until(&f, &f.n_results, 5);
	assert_int_equal(f.results[4].value, 120);
}

static void a_cancelled_order_stops_at_once(void **state)
{
	AUTO(fleet_done) struct fleet f;
	struct wire_dispatch d = { .first_chunk = 1, .n_chunks = 2, .epoch = 1000 };

	(void)state;
	fleet_make(&f);
	memcpy(d.job_uid, fleet_uid, WIRE_UID);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	fleet_send_order(&f, 1, 2, 99, 60000);
	fleet_for(&f, 300);
	assert_int_equal(f.n_results, 0);
	serve_cancel(f.serve, "node-a", &d, 1);
	fleet_until(&f, &f.n_results, 2);
	assert_int_equal(f.results[0].outcome, WIRE_CANCELLED);
	assert_int_equal(f.results[1].outcome, WIRE_CANCELLED);
	fleet_send_order(&f, 5, 1, 7, 10000);
	fleet_until(&f, &f.n_results, 3);
	assert_int_equal(f.results[2].value, 120);
}

static void a_running_order_survives_a_new_controller(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	fleet_send_order(&f, 1, 2, 99, 1500);
	fleet_for(&f, 300);
	serve_free(f.serve);
	fleet_start_plane(&f, f.address, 1001);
	fleet_until(&f, &f.offered, 2);
	assert_int_equal(f.n_running, 1);
	fleet_until(&f, &f.n_results, 2);
	assert_int_equal(f.results[0].outcome, WIRE_TIMED_OUT);
}

static void a_stopped_agent_cancels_what_runs(void **state)
{
	AUTO(fleet_done) struct fleet f;
	int64_t before;

	(void)state;
	fleet_make(&f);
	fleet_start_agent(&f, f.address, "secret");
	fleet_until(&f, &f.offered, 1);
	fleet_send_order(&f, 1, 2, 99, 60000);
	fleet_for(&f, 200);
	before = clock_boot_ms();
	agent_stop(f.agent);
	loop_run(f.loop);
	assert_true(clock_boot_ms() - before < 2000);
	assert_int_equal(f.n_results, 2);
	assert_int_equal(f.results[0].outcome, WIRE_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_computed_and_answered),
		cmocka_unit_test(undecided_results_are_offered_to_the_next_controller),
		cmocka_unit_test(a_restarted_agent_finds_its_undecided_results),
		cmocka_unit_test(a_wrong_credential_gets_nothing),
		cmocka_unit_test(a_controller_of_an_earlier_epoch_is_refused),
		cmocka_unit_test(every_way_to_fail_has_its_outcome),
		cmocka_unit_test(a_cancelled_order_stops_at_once),
		cmocka_unit_test(a_running_order_survives_a_new_controller),
		cmocka_unit_test(a_stopped_agent_cancels_what_runs),
	};

	fleet_setup();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
