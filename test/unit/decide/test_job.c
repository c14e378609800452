/* test_job.c - one job, from the first pod to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rig.h"

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

/* Answer every order that is out, truthfully, until the job does nothing more. */
static void answer_all(size_t from)
{
	for (size_t i = from; i < r.n_sent; i++) {
		rig_answer(&r, rig_sent(&r, i), r.sent_to[i], 10);
		rig_run(&r, 10);
	}
}

static void asks_two_nodes_and_accepts_two_equal_results(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 2}, chunksPerSlice: 2}", 3);
	assert_int_equal(r.n_sent, 2);
	assert_string_not_equal(r.sent_to[0], r.sent_to[1]);
	rig_answer(&r, rig_sent(&r, 0), r.sent_to[0], 10);
	rig_run(&r, 10);
	assert_string_equal(STATUS("progress"), "0/2");
	rig_answer(&r, rig_sent(&r, 1), r.sent_to[1], 10);
	rig_run(&r, 10);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_true(job_is_finished(r.job));
	assert_string_equal(STATUS("results[0].value"), "21");
	assert_string_equal(REASON("Verified"),
			    "True Agreed: every accepted chunk has 2 equal results");
	assert_string_equal(STATUS("replicas.agreed"), "4");
}

static void puts_nothing_out_before_the_start_is_on_record(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}}", 2, true);
	r.write_nothing = true;
	rig_run(&r, 0);
	rig_run(&r, 1000);
	assert_int_equal(r.n_created, 0);
	r.write_nothing = false;
	job_on_status_refused(r.job, r.now_ms);
	rig_run(&r, 1000);
	assert_int_equal(r.n_sent, 2);
}

static void asks_a_disputed_chunk_again_alone(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 3}, chunksPerSlice: 3}", 3);
	rig_answer(&r, rig_sent(&r, 0), r.sent_to[0], 10);
	(void)rig_result(&r, rig_sent(&r, 1), r.sent_to[1], 0, WIRE_OK, 10);
	(void)rig_result(&r, rig_sent(&r, 1), r.sent_to[1], 1, WIRE_OK, 99);
	(void)rig_result(&r, rig_sent(&r, 1), r.sent_to[1], 2, WIRE_OK, 12);
	rig_run(&r, 1000);
	assert_int_equal(r.n_sent, 3);
	assert_int_equal(rig_sent(&r, 2)->first_chunk, 1);
	assert_int_equal(rig_sent(&r, 2)->n_chunks, 1);
	assert_string_equal(STATUS("chunks.disputed"), "1");
	assert_string_equal(STATUS("state"), "Disputed");
	answer_all(2);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_string_equal(STATUS("results[0].value"), "33");
	assert_string_equal(STATUS("replicas.mismatched"), "1");
}

static void says_that_no_node_is_left_for_a_disputed_chunk(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}}", 2);
	rig_answer(&r, rig_sent(&r, 0), r.sent_to[0], 10);
	rig_answer(&r, rig_sent(&r, 1), r.sent_to[1], 11);
	rig_run(&r, 2000);
	assert_string_equal(job_why(r.job),
			    "chunk 0 is disputed and needs one more node; all 2 that match were "
			    "asked");
	rig_node(&r, "late", NULL, 1);
	rig_run(&r, 2000);
	assert_int_equal(r.n_sent, 3);
	assert_string_equal(r.sent_to[2], "late");
}

/* A node that is cordoned, one whose self-test failed, and one of another pool. */
static void add_nodes_that_do_not_match(void)
{
	AUTO(doc_unrefp) struct doc *paused = node_warp_build("p", NULL, NULL, "default");
	AUTO(doc_unrefp) struct doc *sick = node_warp_build("s", NULL, NULL, "default");
	AUTO(doc_unrefp) struct doc *away = node_warp_build("w", NULL, NULL, "gold");
	const struct fleet_device device = { .id = "d",
					     .backend = "Native",
					     .vendor = "",
					     .name = "",
					     .driver = "",
					     .message = "" };
	struct fleet_claims claims = { .version = "1", .slots = 1 };
	struct err err = { 0 };

	doc_set_path(paused, "spec.paused", doc_new_bool(true));
	assert_int_equal(fleet_on_warpnode(r.fleet, paused, &err), 0);
	assert_int_equal(fleet_on_warpnode(r.fleet, sick, &err), 0);
	assert_int_equal(fleet_on_warpnode(r.fleet, away, &err), 0);
	assert_int_equal(fleet_on_registered(r.fleet, "p", &claims, 1, &err), 0);
	assert_int_equal(fleet_on_registered(r.fleet, "w", &claims, 1, &err), 0);
	claims.devices = &device;
	claims.n_devices = 1;
	assert_int_equal(fleet_on_registered(r.fleet, "s", &claims, 1, &err), 0);
}

static void runs_in_each_pool_that_the_namespace_names(void **state)
{
	AUTO(doc_unrefp) struct doc *gold = node_warp_build("n0", "lab", NULL, "gold");
	AUTO(doc_unrefp) struct doc *tin = node_warp_build("n1", "lab", NULL, "tin");
	struct err err = { 0 };

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, verify: {spread: Owner}}", 2);
	assert_int_equal(fleet_on_warpnode(r.fleet, gold, &err), 0);
	assert_int_equal(fleet_on_warpnode(r.fleet, tin, &err), 0);
	rig_run(&r, 2000);
	assert_string_equal(job_why(r.job), "0/2 nodes: 2 are in another pool");
	job_on_pools(r.job, "gold.go");
	rig_run(&r, 2000);
	assert_string_equal(job_why(r.job), "needs 2 owners, 1 matches; add an owner or set "
					    "verify.replicas: 1; 1/2 nodes: 1 is in another pool");
	job_on_pools(r.job, "silver.gold.tin");
	rig_run(&r, 2000);
	assert_string_equal(job_why(r.job), "needs 2 owners, 1 matches; add an owner or set "
					    "verify.replicas: 1");
}

static void says_what_the_other_nodes_lack(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}}", 1);
	rig_run(&r, 2000);
	assert_string_equal(job_why(r.job),
			    "needs 2 nodes, 1 matches; add a node or set verify.replicas: 1");
	add_nodes_that_do_not_match();
	rig_run(&r, 2000);
	assert_string_equal(job_why(r.job),
			    "needs 2 nodes, 1 matches; add a node or set verify.replicas: 1; "
			    "1/4 nodes: 1 is cordoned, 1 is in another pool, 1 failed its "
			    "self-test");
	rig_reason(&r, "Schedulable", text, sizeof(text));
	assert_memory_equal(text, "False TooFewNodes: needs 2", 26);
}

/* Numbers may differ where nobody compares them; a type must be there. */
static void asks_only_devices_that_have_the_kernels_types(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1, agree: 1}}", 0, true);
	r.needs = WIRE_NEED_I64 | WIRE_NEED_F64 | WIRE_NEED_DENORM;
	rig_node_of(&r, "plain", WIRE_NEED_RTE | WIRE_NEED_I64);
	rig_node_of(&r, "old", 0);
	rig_run(&r, 2000);
	assert_int_equal(r.n_sent, 0);
	assert_string_equal(job_why(r.job), "0/2 nodes: 1 lacks f64, 1 lacks i64");
	rig_node_of(&r, "wide", WIRE_NEED_I64 | WIRE_NEED_F64);
	rig_run(&r, 2000);
	assert_int_equal(r.n_sent, 1);
	assert_string_equal(r.sent_to[0], "wide");
}

static void asks_only_devices_that_have_the_kernels_subgroups(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1, agree: 1}}", 0, true);
	r.needs = WIRE_NEED_SUBGROUP | WIRE_NEED_SUBGROUP_16;
	rig_node_of(&r, "none", WIRE_NEED_RTE);
	rig_node_of(&r, "eight", WIRE_NEED_SUBGROUP | WIRE_NEED_SUBGROUP_8);
	rig_run(&r, 2000);
	assert_int_equal(r.n_sent, 0);
	assert_string_equal(job_why(r.job), "0/2 nodes: 1 lacks subgroup, 1 lacks subgroup16");
	rig_node_of(&r, "many", WIRE_NEED_SUBGROUP | WIRE_NEED_SUBGROUP_8 | WIRE_NEED_SUBGROUP_16);
	rig_run(&r, 2000);
	assert_int_equal(r.n_sent, 1);
	assert_string_equal(r.sent_to[0], "many");
}

static void fails_when_the_most_replicas_do_not_agree(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, verify: {maxReplicas: 3}}", 4);
	for (size_t i = 0; i < 3; i++) {
		rig_answer(&r, rig_sent(&r, i), r.sent_to[i], 10 + (uint32_t)i);
		rig_run(&r, 1000);
	}
	assert_int_equal(r.n_sent, 3);
	assert_string_equal(REASON("Failed"),
			    "True NoAgreement: chunk 0: 3 results and no 2 of them agree "
			    "(verify.maxReplicas: 3)");
}

static void ends_with_one_slice_in_flight_and_two_replicas(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 4}, chunksPerSlice: 1, parallelism: 1}", 2);
	assert_int_equal(r.n_sent, 1);
	answer_all(0);
	assert_int_equal(r.n_sent, 8);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
}

static void refuses_values_that_are_not_what_their_digest_says(void **state)
{
	struct wire_result bad = { .outcome = WIRE_OK,
				   .values = "\4\0\0\0\0\0\0\0abcd",
				   .values_size = 12,
				   .message = "" };

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1}}", 2);
	assert_int_equal(job_on_result(r.job, r.sent_to[0], rig_sent(&r, 0), &bad, r.now_ms),
			 JOB_TAKE_WRONG);
	rig_run(&r, 10);
	assert_int_equal(r.n_sent, 2);
	assert_string_not_equal(r.sent_to[0], r.sent_to[1]);
	assert_string_equal(STATUS("replicas.mismatched"), "1");
}

static void fails_a_chunk_that_crashes_too_often(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, backoffLimitPerChunk: 1, verify: {replicas: 1}}",
		  3);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_CRASHED, 0);
	rig_run(&r, 10);
	assert_int_equal(r.n_sent, 2);
	assert_string_not_equal(r.sent_to[0], r.sent_to[1]);
	(void)rig_result(&r, rig_sent(&r, 1), r.sent_to[1], 0, WIRE_TIMED_OUT, 0);
	rig_run(&r, 10);
	assert_string_equal(REASON("Failed"),
			    "True ChunkFailed: chunk 0: it ran out of time 2 times "
			    "(backoffLimitPerChunk: 1)");
}

/* A refusal is no failure: the chunk waits for another node, or for this one, and says why. */
static void says_why_the_only_node_could_not_run_a_chunk(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1}}", 1);
	r.message = "the driver did not build the kernel in 30000 ms";
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_REFUSED, 0);
	rig_run(&r, 900);
	assert_int_equal(r.n_sent, 1);
	rig_run(&r, 200);
	assert_int_equal(r.n_sent, 2);
	(void)rig_result(&r, rig_sent(&r, 1), r.sent_to[1], 0, WIRE_REFUSED, 0);
	rig_run(&r, 1500);
	assert_string_equal(job_why(r.job),
			    "chunk 0 needs one more node; all 1 that match were asked; n0 "
			    "could not run it: the driver did not build the kernel in 30000 ms");
	rig_run(&r, 1000);
	rig_answer(&r, rig_sent(&r, 2), r.sent_to[2], 10);
	rig_run(&r, 1000);
	assert_string_equal(REASON("Complete"),
			    "True AllChunksDecided: 1 chunks accepted, 0 failed");
}

static void does_not_count_vanished_nodes_before_the_third(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, backoffLimitPerChunk: 0, verify: {replicas: 1}}",
		  4);
	for (size_t i = 0; i < 2; i++) {
		fleet_on_disconnected(r.fleet, r.sent_to[i]);
		job_on_node_lost(r.job, r.sent_to[i], r.now_ms);
		rig_run(&r, 1000);
		assert_int_equal(r.n_sent, i + 2);
	}
	fleet_on_disconnected(r.fleet, r.sent_to[2]);
	job_on_node_lost(r.job, r.sent_to[2], r.now_ms);
	rig_run(&r, 10);
	assert_string_equal(REASON("Failed"),
			    "True ChunkFailed: chunk 0: its node vanished while it ran 3 times "
			    "(backoffLimitPerChunk: 0)");
}

static void fails_when_two_nodes_run_out_of_iterations_alike(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, limits: {iterationsPerInvocation: '9'}}", 2);
	for (size_t i = 0; i < 2; i++)
		(void)rig_result(&r, rig_sent(&r, i), r.sent_to[i], 0, WIRE_ITERATION_LIMIT, 0);
	rig_run(&r, 10);
	assert_string_equal(REASON("Failed"),
			    "True IterationLimit: chunk 0: a loop ran longer than "
			    "limits.iterationsPerInvocation (9) allows");
}

static void asks_again_after_a_deleted_pod_without_a_loss(void **state)
{
	char name[64];

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}}", 2);
	snprintf(name, sizeof(name), "job-0a1b2c3d-s0-r0-0");
	job_on_pod_gone(r.job, name, NULL);
	rig_run(&r, 10);
	assert_int_equal(r.n_cancelled, 1);
	assert_int_equal(r.n_sent, 3);
	assert_string_equal(STATUS("replicas.lost"), "0");
}

static void stops_and_goes_on_with_suspend(void **state)
{
	struct err err = { 0 };
	struct doc *next;

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 2}, chunksPerSlice: 1}", 2);
	rig_answer(&r, rig_sent(&r, 0), r.sent_to[0], 10);
	rig_answer(&r, rig_sent(&r, 1), r.sent_to[1], 10);
	rig_run(&r, 10);
	next = doc_copy(r.doc);
	doc_set_path(next, "spec.suspend", doc_new_bool(true));
	doc_set_path(next, "metadata.generation", doc_new_int(2));
	assert_int_equal(job_on_spec(r.job, next, &err), 0);
	rig_run(&r, 10);
	assert_string_equal(STATUS("state"), "Suspended");
	assert_string_equal(STATUS("acceptedIndexes"), "0");
	assert_true(r.decided_all);
	assert_int_equal(job_counts(r.job).running, 0);
	assert_int_equal(rig_result(&r, rig_sent(&r, 2), r.sent_to[2], 1, WIRE_OK, 11),
			 JOB_TAKE_DECIDED);
	doc_set_path(next, "spec.suspend", doc_new_bool(false));
	doc_set_path(next, "metadata.generation", doc_new_int(3));
	assert_int_equal(job_on_spec(r.job, next, &err), 0);
	doc_unref(next);
	rig_run(&r, 10);
	answer_all(4);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_string_equal(STATUS("results[0].value"), "21");
}

static void fails_at_its_deadline(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, activeDeadlineSeconds: 5}", 2);
	assert_int_equal(r.plan.look_again_ms <= r.now_ms + 5000, 1);
	rig_run(&r, 5000);
	assert_string_equal(REASON("Failed"),
			    "True DeadlineExceeded: not done within activeDeadlineSeconds: 5");
	assert_int_equal(r.n_cancelled, 2);
}

static void completes_early_with_enough_chunks(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 9}, chunksPerSlice: 1, success: {acceptedChunks: 2}}",
		  2);
	answer_all(0);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_string_equal(STATUS("chunks.accepted"), "2");
	assert_string_equal(REASON("SuccessCriteriaMet"),
			    "True SuccessPolicy: 2 chunks accepted, 0 failed");
}

static void is_removed_when_its_time_is_over(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, ttlSecondsAfterFinished: 60}", 2);
	answer_all(0);
	assert_false(r.plan.remove);
	rig_run(&r, 60000);
	assert_true(r.plan.remove);
}

static void fails_a_sum_that_does_not_fit_only_when_it_is_complete(void **state)
{
	(void)state;
	rig_new(&r,
		"spec: {chunks: {count: 3}, chunksPerSlice: 3, verify: {replicas: 1},"
		" outputs: [{name: total, reduce: Product}]}",
		1, true);
	rig_run(&r, 0);
	for (uint32_t c = 0; c < 3; c++)
		(void)rig_result(&r, rig_sent(&r, 0), "n0", c, WIRE_OK, 4294967295u);
	rig_run(&r, 10);
	rig_run(&r, 2000);
	assert_memory_equal(REASON("Failed"), "True Overflow: output total", 27);
}

static void counts_chunks_of_one_opinion_as_unverified(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1}}", 1);
	answer_all(0);
	assert_string_equal(STATUS("chunks.unverified"), "1");
	assert_string_equal(REASON("Verified"),
			    "False Unverified: 1 chunks were accepted on the word of one node "
			    "(verify.agree: 1)");
}

static void tells_agents_only_what_is_written(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 2}, chunksPerSlice: 1}", 2);
	r.write_nothing = true;
	answer_all(0);
	assert_int_equal(r.decided.count, 0);
	for (int i = 0; i < 3; i++) {
		job_on_status_written(r.job, r.now_ms);
		rig_run(&r, 1000);
	}
	assert_true(ranges_has(&r.decided, 0));
}

static void writes_again_what_a_conflict_kept_out(void **state)
{
	struct err err = { 0 };

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}}", 2);
	r.write_nothing = true;
	answer_all(0);
	r.write_nothing = false;
	assert_int_equal(job_on_status_read(r.job, r.doc, r.now_ms, &err), 0);
	assert_false(job_is_finished(r.job));
	rig_run(&r, 10);
	assert_true(job_is_finished(r.job));
	assert_string_equal(doc_str(r.doc, "status.results[0].value", ""), "10");
}

static void stops_for_a_higher_epoch(void **state)
{
	AUTO(doc_unrefp) struct doc *other = NULL;
	struct err err = { 0 };

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}}", 2);
	other = doc_copy(r.doc);
	doc_set_path(other, "status.controllerEpoch", doc_new_int(9));
	assert_int_equal(job_on_status_read(r.job, other, r.now_ms, &err), ERR_DENIED);
}

static void continues_from_its_status(void **state)
{
	(void)state;
	rig_start(&r, "spec: {chunks: {count: 4}, chunksPerSlice: 1}", 2);
	for (size_t i = 0; i < 4; i++) {
		rig_answer(&r, rig_sent(&r, i), r.sent_to[i], 10);
		rig_run(&r, 2000);
	}
	assert_string_equal(doc_str(r.doc, "status.acceptedIndexes", ""), "0-1");
	rig_restart(&r);
	rig_run(&r, 10);
	assert_int_equal(rig_sent(&r, 0)->first_chunk, 2);
	answer_all(0);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_string_equal(STATUS("results[0].value"), "46");
}

static void waits_for_a_recorded_dispatch_of_an_earlier_life(void **state)
{
	AUTO(doc_unrefp) struct doc *pod = NULL;
	struct wire_dispatch old;
	struct err err = { 0 };

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}}", 3);
	old = *rig_sent(&r, 0);
	pod = pod_build(r.job,
			&(struct job_dispatch){
			    .key = old, .node = r.sent_to[0], .pod = "job-0a1b2c3d-s0-r0-0" },
			"kwarp");
	rig_restart(&r);
	assert_int_equal(job_on_pod(r.job, pod, r.now_ms, &err), 0);
	rig_run(&r, 10);
	/* Two are needed and one is under way: one more is asked, and not that node. */
	assert_int_equal(r.n_sent, 1);
	rig_answer(&r, rig_sent(&r, 0), r.sent_to[0], 10);
	rig_run(&r, 10);
	assert_string_equal(STATUS("progress"), "0/1");
	rig_run(&r, JOB_RECOVER_MS);
	assert_string_equal(STATUS("replicas.lost"), "1");
	assert_int_equal(r.n_sent, 2);
}

static void keeps_as_many_finished_pods_as_asked_for(void **state)
{
	(void)state;
	rig_start(&r,
		  "spec: {chunks: {count: 10}, chunksPerSlice: 1, podHistoryLimit: 3,"
		  " verify: {replicas: 1}}",
		  1);
	answer_all(0);
	rig_run(&r, 2000);
	rig_run(&r, 2000);
	assert_int_equal(r.n_created, 10);
	assert_int_equal(r.n_deleted, 7);
}

static void backs_off_when_pods_are_refused(void **state)
{
	struct wire_dispatch key;

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1}}", 0);
	rig_node(&r, "n0", NULL, 1);
	arena_reset(&r.arena);
	job_decide(r.job, r.now_ms, r.now_ms + RIG_WALL_MS, &r.arena, &r.plan);
	assert_int_equal(r.plan.n_actions, 1);
	assert_int_equal(r.plan.actions[0].kind, JOB_POD_CREATE);
	key = r.plan.actions[0].dispatch->key;
	job_on_pod_created(r.job, &key, JOB_POD_REFUSED, NULL, "quota exceeded", r.now_ms);
	rig_run(&r, 10);
	assert_int_equal(r.n_created, 0);
	rig_run(&r, 1000);
	assert_int_equal(r.n_created, 1);
}

static void starts_pods_slowly(void **state)
{
	size_t created;

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 100}, chunksPerSlice: 1, verify: {replicas: 1}}", 0);
	rig_node(&r, "n0", NULL, 64);
	for (size_t wave = 1; wave <= 16; wave *= 2) {
		arena_reset(&r.arena);
		r.now_ms++;
		job_decide(r.job, r.now_ms, r.now_ms + RIG_WALL_MS, &r.arena, &r.plan);
		created = 0;
		for (size_t i = 0; i < r.plan.n_actions; i++) {
			if (r.plan.actions[i].kind != JOB_POD_CREATE)
				continue;
			created++;
			job_on_pod_created(r.job, &r.plan.actions[i].dispatch->key, JOB_POD_CREATED,
					   "u", "", r.now_ms);
		}
		assert_int_equal(created, wave);
	}
}

static void opens_no_more_runs_than_a_status_can_close(void **state)
{
	size_t answered = 0;

	(void)state;
	rig_start(&r,
		  "spec: {chunks: {count: 20000}, chunksPerSlice: 1, podPolicy: None,"
		  " verify: {replicas: 1}, limits: {chunkTimeoutSeconds: 86400}}",
		  0);
	rig_node(&r, "n0", NULL, 1000);
	for (int i = 0; i < 4; i++)
		rig_node(&r, (char[]){ 'm', (char)('a' + i), 0 }, NULL, 1000);
	rig_run(&r, 10);
	/* Every second chunk stays unanswered. */
	for (; answered < r.n_sent; answered++) {
		const struct wire_dispatch *d = rig_sent(&r, answered);

		if (d->first_chunk % 2 == 0)
			rig_answer(&r, d, r.sent_to[answered], 1);
		if (answered % 100 == 99)
			rig_run(&r, 1000);
	}
	rig_run(&r, 5000);
	assert_in_range(r.n_sent, 2 * JOB_OPEN_RUNS, 2 * JOB_OPEN_RUNS + 1200);
	assert_non_null(
	    strstr(job_why(r.job), "accepted chunks wait until a gap between ranges closes"));
	assert_true(ranges_total(&r.decided) <= RANGES_MAX);
}

static void probes_a_kernel_whose_order_is_assumed(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}}", 2, true);
	r.unproved = true;
	rig_run(&r, 0);
	assert_int_equal(r.n_sent, 1);
	assert_int_equal(r.n_created, 0);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_OK, 1);
	rig_run(&r, 10);
	answer_all(1);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_string_equal(STATUS("kernel.order"), "Assumed");
}

/* `warp run`: one result is enough there, but what nodes could not agree on is refused as on a
 * cluster. */
static void a_local_run_probes_what_nodes_would_vote_on(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}}", 1, false);
	r.unproved = true;
	rig_run(&r, 0);
	assert_int_equal(r.n_sent, 1);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_ORDER_SEEN, 0);
	rig_run(&r, 10);
	assert_int_equal(job_state(r.job), JOB_FAILED);
	assert_int_equal(r.n_sent, 1);
}

static void a_local_run_does_not_probe_for_one_replica(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1}}", 1, false);
	r.unproved = true;
	rig_run(&r, 0);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_OK, 7);
	rig_run(&r, 10);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_int_equal(r.n_sent, 1);
}

/* The slices of the leader before hold all slots until their results are taken. */
static void does_not_probe_what_runs_already(void **state)
{
	struct wire_dispatch sent[2];
	char node[2][16];

	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}}", 2, true);
	r.unproved = true;
	rig_run(&r, 0);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_OK, 1);
	rig_run(&r, 10);
	assert_int_equal(r.n_sent, 3);
	for (size_t i = 0; i < 2; i++) {
		sent[i] = *rig_sent(&r, i + 1);
		memcpy(node[i], r.sent_to[i + 1], sizeof(node[i]));
	}
	rig_restart(&r);
	for (size_t i = 0; i < 2; i++) {
		job_on_node_listed(r.job, node[i], &sent[i], 1, r.now_ms);
		assert_int_equal(rig_result(&r, &sent[i], node[i], 0, WIRE_OK, 7), JOB_TAKE_KEEP);
	}
	rig_run(&r, 0);
	assert_int_equal(job_state(r.job), JOB_COMPLETE);
	assert_int_equal(r.n_sent, 0);
}

static void fails_a_kernel_whose_order_matters(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}}", 2, true);
	r.unproved = true;
	rig_run(&r, 0);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_ORDER_SEEN, 0);
	rig_run(&r, 10);
	assert_memory_equal(REASON("Failed"),
			    "True KernelNotComparable: output total: running chunk 0 in another",
			    66);
	assert_int_equal(fleet_get(r.fleet, r.sent_to[0])->running, 0);
}

static void an_order_whose_condition_does_not_hold_is_told_at_the_start(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1, invocations: '2'}, verify: {replicas: 1}}", 1, true);
	r.conditional = true;
	rig_run(&r, 10);
	assert_non_null(
	    strstr(r.events, "OrderAssumed: chunk 0: not invocations in x <= 1: several may"));
}

/* The compiler's proof is not the reason when its condition does not hold. */
static void names_the_condition_that_an_order_needs(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1, invocations: '2'}}", 2, true);
	r.conditional = true;
	rig_run(&r, 0);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_ORDER_SEEN, 0);
	rig_run(&r, 10);
	assert_string_equal(
	    REASON("Failed"),
	    "True KernelNotComparable: output total: running chunk 0 in another order gave another "
	    "result (chunk 0: not invocations in x <= 1: several may write the same element of "
	    "output total): use verify.replicas: 1, or make the order not matter");
}

static void says_of_a_dispute_that_the_order_may_matter(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 2}, chunksPerSlice: 2}", 2, true);
	r.unproved = true;
	rig_run(&r, 0);
	(void)rig_result(&r, rig_sent(&r, 0), r.sent_to[0], 0, WIRE_OK, 1);
	rig_run(&r, 10);
	for (uint32_t i = 1; i < 3; i++) {
		(void)rig_result(&r, rig_sent(&r, i), r.sent_to[i], 0, WIRE_OK, 10);
		(void)rig_result(&r, rig_sent(&r, i), r.sent_to[i], 1, WIRE_OK, 10 + i);
	}
	rig_run(&r, 1000);
	rig_run(&r, 1000);
	assert_string_equal(
	    job_why(r.job),
	    "chunk 1 is disputed and needs one more node; all 2 that match were "
	    "asked; the order of execution may show in output total (atomic exchange)");
	assert_string_equal(STATUS("progress"), "1/2");
	assert_string_equal(STATUS("estimatedSeconds"), "");
}

static void does_not_go_on_saying_what_it_waited_for(void **state)
{
	int64_t end_ms;
	uint32_t id;

	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}, verify: {replicas: 1}}", 1, true);
	id = fleet_get(r.fleet, "n0")->id;
	fleet_take(r.fleet, id);
	rig_run(&r, 0);
	assert_string_equal(job_why(r.job), "all slots are taken by other jobs");
	fleet_give(r.fleet, id);
	rig_run(&r, 10);
	assert_int_equal(r.n_sent, 1);
	end_ms = r.now_ms + 3000;
	while (r.plan.look_again_ms <= end_ms)
		rig_run(&r, r.plan.look_again_ms - r.now_ms);
	assert_string_equal(job_why(r.job), "");
}

static void goes_on_without_an_answer_to_its_probe(void **state)
{
	(void)state;
	rig_new(&r, "spec: {chunks: {count: 1}}", 2, true);
	r.unproved = true;
	rig_run(&r, 0);
	rig_run(&r, 15000);
	assert_int_equal(r.n_sent, 3);
	assert_non_null(strstr(r.events, "OrderAssumed: output total: the probe was not answered"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_teardown(f, tear_down)
		T(asks_two_nodes_and_accepts_two_equal_results),
		T(puts_nothing_out_before_the_start_is_on_record),
		T(asks_a_disputed_chunk_again_alone),
		T(says_that_no_node_is_left_for_a_disputed_chunk),
		T(runs_in_each_pool_that_the_namespace_names),
		T(says_what_the_other_nodes_lack),
		T(asks_only_devices_that_have_the_kernels_types),
		T(asks_only_devices_that_have_the_kernels_subgroups),
		T(fails_when_the_most_replicas_do_not_agree),
		T(ends_with_one_slice_in_flight_and_two_replicas),
		T(refuses_values_that_are_not_what_their_digest_says),
		T(fails_a_chunk_that_crashes_too_often),
		T(says_why_the_only_node_could_not_run_a_chunk),
		T(does_not_count_vanished_nodes_before_the_third),
		T(fails_when_two_nodes_run_out_of_iterations_alike),
		T(asks_again_after_a_deleted_pod_without_a_loss),
		T(stops_and_goes_on_with_suspend),
		T(fails_at_its_deadline),
		T(completes_early_with_enough_chunks),
		T(is_removed_when_its_time_is_over),
		T(fails_a_sum_that_does_not_fit_only_when_it_is_complete),
		T(counts_chunks_of_one_opinion_as_unverified),
		T(tells_agents_only_what_is_written),
		T(writes_again_what_a_conflict_kept_out),
		T(stops_for_a_higher_epoch),
		T(continues_from_its_status),
		T(waits_for_a_recorded_dispatch_of_an_earlier_life),
		T(keeps_as_many_finished_pods_as_asked_for),
		T(backs_off_when_pods_are_refused),
		T(starts_pods_slowly),
		T(probes_a_kernel_whose_order_is_assumed),
		T(a_local_run_probes_what_nodes_would_vote_on),
		T(a_local_run_does_not_probe_for_one_replica),
		T(does_not_probe_what_runs_already),
		T(fails_a_kernel_whose_order_matters),
		T(an_order_whose_condition_does_not_hold_is_told_at_the_start),
		T(names_the_condition_that_an_order_needs),
		T(says_of_a_dispute_that_the_order_may_matter),
		T(does_not_go_on_saying_what_it_waited_for),
		T(goes_on_without_an_answer_to_its_probe),
		T(opens_no_more_runs_than_a_status_can_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
