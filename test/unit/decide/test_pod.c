/* test_pod.c - documents of chunk pods, of the virtual Node and of WarpNodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rig.h"

static const struct wire_dispatch key = { .job_uid = "0a1b2c3d-0000-4000-8000-000000000001",
					  .slice = 7,
					  .replica = 1,
					  .attempt = 2,
					  .first_chunk = 175,
					  .n_chunks = 25,
					  .epoch = 1790000000 };

static struct doc *build(struct rig *r, struct job_dispatch *d)
{
	rig_new(r, "spec: {chunks: {count: 200}}", 1, true);
	*d = (struct job_dispatch){ .key = key,
				    .node = "n0",
				    .state = JOB_SENT,
				    .reason = "",
				    .created_wall_ms = 1000,
				    .sent_wall_ms = 2000 };
	pod_name(job_spec(r->job), &key, d->pod);
	return pod_build(r->job, d, "kwarp/agent:0.1.0");
}

static void names_a_pod_after_job_slice_replica_and_attempt(void **state)
{
	struct job_spec spec = { .name = "a-name-that-is-longer-than-thirty-characters",
				 .uid = "0a1b2c3d-0000-4000-8000-000000000001" };
	char name[POD_NAME];

	(void)state;
	pod_name(&spec, &key, name);
	assert_string_equal(name, "a-name-that-is-longer-than-thi-0a1b2c3d-s7-r1-2");
	spec.name = "cut-right-behind-a-hyphen-yes-so";
	pod_name(&spec, &key, name);
	assert_string_equal(name, "cut-right-behind-a-hyphen-yes-0a1b2c3d-s7-r1-2");
}

static void reads_back_what_a_pod_records(void **state)
{
	static struct rig r;
	struct job_dispatch d;
	AUTO(doc_unrefp) struct doc *pod = build(&r, &d);
	struct pod_record record;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pod_read(pod, &record, &err), 0);
	assert_string_equal(record.dispatch.job_uid, key.job_uid);
	assert_int_equal(record.dispatch.slice, 7);
	assert_int_equal(record.dispatch.replica, 1);
	assert_int_equal(record.dispatch.attempt, 2);
	assert_int_equal(record.dispatch.first_chunk, 175);
	assert_int_equal(record.dispatch.n_chunks, 25);
	assert_int_equal(record.dispatch.epoch, 1790000000);
	assert_string_equal(record.node, "n0");
	assert_false(record.finished);
	assert_string_equal(doc_str(pod, "metadata.annotations['kwarp.dev/chunks']", ""),
			    "175-199");
	doc_set_path(pod, "metadata.annotations['kwarp.dev/chunks']", doc_new_str("9-3"));
	assert_int_equal(pod_read(pod, &record, &err), ERR_INVALID);
	rig_done(&r);
}

static void asks_for_nothing_that_restricted_security_refuses(void **state)
{
	static struct rig r;
	struct job_dispatch d;
	AUTO(doc_unrefp) struct doc *pod = build(&r, &d);
	const struct doc *c = doc_get(pod, "spec.containers[0]");

	(void)state;
	assert_true(doc_bool(pod, "spec.securityContext.runAsNonRoot", false));
	assert_string_equal(doc_str(pod, "spec.securityContext.seccompProfile.type", ""),
			    "RuntimeDefault");
	assert_false(doc_bool(c, "securityContext.allowPrivilegeEscalation", true));
	assert_string_equal(doc_str(c, "securityContext.capabilities.drop[0]", ""), "ALL");
	assert_false(doc_bool(pod, "spec.automountServiceAccountToken", true));
	assert_true(doc_equal(doc_get(c, "resources.requests"), doc_get(c, "resources.limits")));
	assert_string_equal(doc_str(pod, "spec.restartPolicy", ""), "Never");
	assert_int_equal(doc_int(pod, "spec.terminationGracePeriodSeconds", -1), 0);
	assert_string_equal(doc_str(pod, "spec.nodeName", ""), "kwarp");
	assert_int_equal(pod_kind(pod), POD_OURS);
	rig_done(&r);
}

static void writes_phases_as_a_kubelet_does(void **state)
{
	static struct rig r;
	struct job_dispatch d;
	AUTO(doc_unrefp) struct doc *pod = build(&r, &d);
	AUTO(doc_unrefp) struct doc *running = pod_status(&d, pod, "i", 3000);
	AUTO(doc_unrefp) struct doc *both = doc_merge_patch(pod, running);
	AUTO(doc_unrefp) struct doc *done = NULL;
	static const char terminated[] = "status.containerStatuses[0].state.terminated.";
	char path[100];

	(void)state;
	assert_string_equal(doc_str(running, "status.phase", ""), "Running");
	assert_true(doc_condition_true(doc_get(running, "status.conditions"), "Ready"));
	d.state = JOB_FINISHED;
	d.reason = "Completed";
	d.finished_wall_ms = 9000;
	done = pod_status(&d, both, "i", 9000);
	assert_string_equal(doc_str(done, "status.phase", ""), "Succeeded");
	assert_false(doc_condition_true(doc_get(done, "status.conditions"), "Ready"));
	/* What did not change keeps its time. */
	assert_string_equal(
	    doc_str(doc_condition(doc_get(done, "status.conditions"), "PodScheduled"),
		    "lastTransitionTime", ""),
	    "1970-01-01T00:00:03Z");
	snprintf(path, sizeof(path), "%sreason", terminated);
	assert_string_equal(doc_str(done, path, ""), "Completed");
	snprintf(path, sizeof(path), "%sfinishedAt", terminated);
	assert_string_equal(doc_str(done, path, ""), "1970-01-01T00:00:09Z");
	snprintf(path, sizeof(path), "%sexitCode", terminated);
	assert_int_equal(doc_int(done, path, -1), 0);
	rig_done(&r);
}

static struct doc *foreign(const char *kind)
{
	struct err err = { 0 };
	struct doc *pod = NULL;
	char yaml[300];

	snprintf(yaml, sizeof(yaml),
		 "metadata: {name: p, ownerReferences: [{kind: %s, controller: true}]}\n"
		 "spec: {containers: [{name: c, image: i}]}\n",
		 kind);
	assert_int_equal(doc_parse_yaml(yaml, strlen(yaml), NULL, &pod, &err), 0);
	return pod;
}

static void says_that_other_pods_are_not_run_here(void **state)
{
	AUTO(doc_unrefp) struct doc *daemon = foreign("DaemonSet");
	AUTO(doc_unrefp) struct doc *other = foreign("ReplicaSet");
	AUTO(doc_unrefp) struct doc *patch = pod_status_foreign(daemon, 5000);
	AUTO(doc_unrefp) struct doc *pending = pod_status_foreign(other, 5000);
	AUTO(doc_unrefp) struct doc *said = NULL;

	(void)state;
	assert_int_equal(pod_kind(daemon), POD_DAEMON);
	assert_int_equal(pod_kind(other), POD_FOREIGN);
	assert_string_equal(doc_str(patch, "status.phase", ""), "Running");
	assert_string_equal(doc_str(patch, "status.reason", ""), "VirtualNode");
	assert_true(doc_condition_true(doc_get(patch, "status.conditions"), "Ready"));
	assert_string_equal(doc_str(pending, "status.phase", ""), "Pending");
	said = doc_merge_patch(daemon, patch);
	assert_null(pod_status_foreign(said, 6000));
}

static void keeps_a_node_that_disturbs_nobody(void **state)
{
	AUTO(doc_unrefp) struct doc *node = node_build();
	AUTO(doc_unrefp) struct doc *spoiled = NULL;
	AUTO(doc_unrefp) struct doc *patch = NULL;
	AUTO(doc_unrefp) struct doc *status = NULL;
	AUTO(doc_unrefp) struct doc *written = NULL;

	(void)state;
	assert_string_equal(doc_str(node, "metadata.labels.type", ""), "virtual-kubelet");
	assert_false(doc_has(node, "metadata.labels['kubernetes.io/hostname']"));
	assert_false(doc_has(node, "spec.providerID"));
	assert_string_equal(doc_str(node, "spec.taints[0].effect", ""), "NoSchedule");
	assert_null(node_repair(node));
	spoiled = doc_copy(node);
	doc_remove(doc_edit(spoiled, "spec"), "taints");
	doc_set_path(spoiled, "metadata.labels['kubernetes.io/hostname']", doc_new_str("kwarp"));
	patch = node_repair(spoiled);
	assert_non_null(patch);
	assert_true(doc_is(doc_get(patch, "metadata.labels['kubernetes.io/hostname']"), DOC_NULL));
	status = node_status(node, 3, 1000000);
	assert_string_equal(doc_str(status, "status.capacity['kwarp.dev/slots']", ""), "3");
	written = doc_merge_patch(node, status);
	assert_null(node_status(written, 3, 1060000));
	assert_true(doc_condition_true(doc_get(written, "status.conditions"), "Ready"));
	assert_false(doc_condition_true(doc_get(written, "status.conditions"), "DiskPressure"));
}

static void writes_a_node_status_only_when_something_is_new(void **state)
{
	struct rig r = { .fleet = fleet_new() };
	AUTO(doc_unrefp) struct doc *old = node_warp_build("n0", "lab", NULL, "default");
	AUTO(doc_unrefp) struct doc *first = NULL;

	(void)state;
	rig_node(&r, "n0", "lab", 2);
	first = node_warp_status(fleet_get(r.fleet, "n0"), old, 5, 100000);
	assert_int_equal(doc_int(first, "slots", 0), 2);
	assert_string_equal(doc_str(first, "devices[0].selfTest", ""), "Passed");
	assert_string_equal(doc_str(first, "devices[0].numericProfile[0]", ""), "rte32");
	doc_set(old, "status", doc_ref(first));
	assert_null(node_warp_status(fleet_get(r.fleet, "n0"), old, 5, 101000));
	fleet_on_disconnected(r.fleet, "n0");
	doc_unref(first);
	first = node_warp_status(fleet_get(r.fleet, "n0"), old, 5, 102000);
	assert_non_null(first);
	assert_false(doc_condition_true(doc_get(first, "conditions"), "Ready"));
	fleet_free(r.fleet);
}

static void tells_devices_and_failed_self_tests_at_a_glance(void **state)
{
	struct rig r = { .fleet = fleet_new() };
	AUTO(doc_unrefp) struct doc *old = node_warp_build("n0", "lab", NULL, "default");
	AUTO(doc_unrefp) struct doc *status = NULL;
	struct fleet_device devices[] = {
		{ .id = "a", .backend = "Vulkan", .name = "RTX 4090", .self_test_passed = true },
		{ .id = "b", .backend = "Vulkan", .name = "llvmpipe", .message = "4\033is not 5" },
		{ .id = "c", .backend = "Vulkan", .name = "RTX 4090", .self_test_passed = true },
	};
	struct fleet_claims claims = { .version = "1", .slots = 1, .devices = devices };
	const struct doc *ready;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(devices); i++) {
		devices[i].vendor = devices[i].driver = "";
		devices[i].message = devices[i].message != NULL ? devices[i].message : "";
	}
	assert_int_equal(fleet_on_warpnode(r.fleet, old, &err), 0);
	claims.n_devices = 3;
	assert_int_equal(fleet_on_registered(r.fleet, "n0", &claims, 1, &err), 0);
	status = node_warp_status(fleet_get(r.fleet, "n0"), old, 5, 100000);
	assert_string_equal(doc_str(status, "deviceSummary", ""),
			    "2x RTX 4090, llvmpipe (self-test failed)");
	assert_true(doc_condition_true(doc_get(status, "conditions"), "Ready"));
	assert_string_equal(
	    doc_str(doc_condition(doc_get(status, "conditions"), "SelfTestPassed"), "message", ""),
	    "llvmpipe: 4?is not 5");
	assert_true(fleet_is_usable(fleet_get(r.fleet, "n0")));
	doc_unref(status);
	claims.devices = &devices[1];
	claims.n_devices = 1;
	assert_int_equal(fleet_on_registered(r.fleet, "n0", &claims, 1, &err), 0);
	status = node_warp_status(fleet_get(r.fleet, "n0"), old, 5, 100000);
	ready = doc_condition(doc_get(status, "conditions"), "Ready");
	assert_string_equal(doc_str(ready, "status", ""), "False");
	assert_string_equal(doc_str(ready, "reason", ""), "SelfTestFailed");
	assert_string_equal(doc_str(ready, "message", ""), "llvmpipe: 4?is not 5");
	assert_false(fleet_is_usable(fleet_get(r.fleet, "n0")));
	fleet_free(r.fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_a_pod_after_job_slice_replica_and_attempt),
		cmocka_unit_test(reads_back_what_a_pod_records),
		cmocka_unit_test(asks_for_nothing_that_restricted_security_refuses),
		cmocka_unit_test(writes_phases_as_a_kubelet_does),
		cmocka_unit_test(says_that_other_pods_are_not_run_here),
		cmocka_unit_test(keeps_a_node_that_disturbs_nobody),
		cmocka_unit_test(writes_a_node_status_only_when_something_is_new),
		cmocka_unit_test(tells_devices_and_failed_self_tests_at_a_glance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
