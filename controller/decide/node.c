/* node.c - see node.h. */
#include "controller/decide/node.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "controller/decide/pod.h"
#include "doc/doc.h"
#include "wire/kernel.h"

enum {
	HEARTBEAT_MS = 5 * 60 * 1000, /* of the Node's conditions, as a kubelet does */
	SLOW_MS = 10 * 1000,          /* of a WarpNode's running and lastHeard */
	MAX_SUMMARY = 1000,           /* bytes of deviceSummary */
	MAX_FAILED = 800,
};

#define SLOTS "kwarp.dev/slots"
#define TAINT "kwarp.dev/virtual-node"

static struct doc *labels(void)
{
	struct doc *l = doc_new_map();

	doc_set_str(l, "type", "virtual-kubelet");
	doc_set_str(l, "node.kubernetes.io/exclude-from-external-load-balancers", "true");
	/* A region of its own: its health never counts with that of real nodes. The old name is one
	 * that topology spread does not look at. */
	doc_set_str(l, "failure-domain.beta.kubernetes.io/region", "kwarp");
	return l;
}

static struct doc *taint(void)
{
	struct doc *t = doc_new_map();

	doc_set_str(t, "key", TAINT);
	doc_set_str(t, "value", "true");
	doc_set_str(t, "effect", "NoSchedule");
	return t;
}

struct doc *node_build(void)
{
	struct doc *n = doc_new_map();
	struct doc *taints = doc_new_list();

	doc_set_str(n, "apiVersion", "v1");
	doc_set_str(n, "kind", "Node");
	doc_set_path(n, "metadata.name", doc_new_str(POD_NODE));
	doc_set_path(n, "metadata.labels", labels());
	doc_add(taints, taint());
	doc_set_path(n, "spec.taints", taints);
	return n;
}

static bool has_taint(const struct doc *node)
{
	DOC_EACH(doc_get(node, "spec.taints"), t)
	{
		if (strcmp(doc_str(t, "key", ""), TAINT) == 0 &&
		    strcmp(doc_str(t, "effect", ""), "NoSchedule") == 0)
			return true;
	}
	return false;
}

/* Labels that must not be there: they disturb topology spread and zone health. */
static const char *const unwanted[] = {
	"kubernetes.io/hostname",
	"kubernetes.io/os",
	"kubernetes.io/arch",
	"topology.kubernetes.io/zone",
	"topology.kubernetes.io/region",
	"failure-domain.beta.kubernetes.io/zone",
};

struct doc *node_repair(const struct doc *node)
{
	struct doc *wanted = labels();
	struct doc *patch = doc_new_map();
	struct doc *set = doc_new_map();
	const struct doc *have = doc_get(node, "metadata.labels");

	DOC_EACH_MEMBER(wanted, l)
	{
		if (!doc_equal(doc_member(have, l.key), l.value))
			doc_set(set, l.key, doc_copy(l.value));
	}
	for (size_t i = 0; i < ARRAY_LEN(unwanted); i++)
		if (doc_member(have, unwanted[i]) != NULL)
			doc_set(set, unwanted[i], doc_new_null());
	doc_unref(wanted);
	if (doc_count(set) > 0)
		doc_set_path(patch, "metadata.labels", doc_ref(set));
	doc_unref(set);
	if (!has_taint(node)) {
		const struct doc *old = doc_get(node, "spec.taints");
		struct doc *taints = doc_is(old, DOC_LIST) ? doc_copy(old) : doc_new_list();

		doc_add(taints, taint());
		doc_set_path(patch, "spec.taints", taints);
	}
	if (doc_count(patch) > 0)
		return patch;
	doc_unref(patch);
	return NULL;
}

/* ---- status ----------------------------------------------------------------------------- */

static void set_time(struct doc *map, const char *key, int64_t wall_ms)
{
	char text[CLOCK_TEXT];

	doc_set_str(map, key, clock_print(wall_ms, text));
}

static int64_t read_time(const struct doc *d, const char *path)
{
	struct err err = { 0 };
	int64_t ms = 0;

	return clock_parse(doc_str(d, path, ""), &ms, &err) < 0 ? 0 : ms;
}

static void add_condition(struct doc *list, const struct doc *node, const char *type, bool good,
			  int64_t wall_ms)
{
	bool ready = strcmp(type, "Ready") == 0;
	const char *status = good == ready ? "True" : "False";
	const struct doc *old = doc_condition(doc_get(node, "status.conditions"), type);
	bool same = old != NULL && strcmp(doc_str(old, "status", ""), status) == 0;
	struct doc *c = doc_new_map();

	doc_set_str(c, "type", type);
	doc_set_str(c, "status", status);
	doc_set_str(c, "reason", "KwarpController");
	doc_set_str(c, "message", "kept by kwarp-controller");
	set_time(c, "lastHeartbeatTime", wall_ms);
	set_time(c, "lastTransitionTime", same ? read_time(old, "lastTransitionTime") : wall_ms);
	doc_add(list, c);
}

/* True if the status says what it should and was refreshed lately. */
static bool is_current(const struct doc *node, uint32_t slots, int64_t wall_ms)
{
	const struct doc *conditions = doc_get(node, "status.conditions");
	const struct doc *ready = doc_condition(conditions, "Ready");
	char text[16];

	snprintf(text, sizeof(text), "%u", slots);
	return doc_condition_true(conditions, "Ready") &&
	       strcmp(doc_str(node, "status.capacity['" SLOTS "']", ""), text) == 0 &&
	       wall_ms - read_time(ready, "lastHeartbeatTime") < HEARTBEAT_MS;
}

static struct doc *capacity(uint32_t slots)
{
	struct doc *c = doc_new_map();

	doc_set(c, SLOTS, doc_new_strf("%u", slots));
	doc_set_str(c, "cpu", "1k");
	doc_set_str(c, "memory", "1Ti");
	doc_set_str(c, "pods", "1M");
	return c;
}

struct doc *node_status(const struct doc *node, uint32_t slots, int64_t wall_ms)
{
	static const char *const types[] = { "Ready", "MemoryPressure", "DiskPressure",
					     "PIDPressure", "NetworkUnavailable" };
	struct doc *patch;
	struct doc *list;

	if (node != NULL && is_current(node, slots, wall_ms))
		return NULL;
	patch = doc_new_map();
	list = doc_new_list();
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		add_condition(list, node, types[i], true, wall_ms);
	doc_set_path(patch, "status.conditions", list);
	doc_set_path(patch, "status.capacity", capacity(slots));
	doc_set_path(patch, "status.allocatable", capacity(slots));
	doc_set_path(patch, "status.nodeInfo.kubeletVersion",
		     doc_new_str("v1.35.0-kwarp-" KWARP_VERSION));
	doc_set_path(patch, "status.nodeInfo.operatingSystem", doc_new_str("linux"));
	return patch;
}

struct doc *node_lease(const struct doc *old, const struct doc *node, int64_t wall_ms)
{
	struct doc *l = old != NULL ? doc_copy(old) : doc_new_map();
	char text[CLOCK_TEXT];

	if (old == NULL) {
		doc_set_str(l, "apiVersion", "coordination.k8s.io/v1");
		doc_set_str(l, "kind", "Lease");
		doc_set_path(l, "metadata.name", doc_new_str(POD_NODE));
		doc_set_path(l, "metadata.namespace", doc_new_str("kube-node-lease"));
	}
	if (doc_has(node, "metadata.uid")) {
		struct doc *owners = doc_new_list();
		struct doc *owner = doc_new_map();

		doc_set_str(owner, "apiVersion", "v1");
		doc_set_str(owner, "kind", "Node");
		doc_set_str(owner, "name", POD_NODE);
		doc_set_str(owner, "uid", doc_str(node, "metadata.uid", ""));
		doc_add(owners, owner);
		doc_set_path(l, "metadata.ownerReferences", owners);
	}
	doc_set_path(l, "spec.holderIdentity", doc_new_str(POD_NODE));
	doc_set_path(l, "spec.leaseDurationSeconds", doc_new_int(NODE_LEASE_S));
	doc_set_path(l, "spec.renewTime", doc_new_str(clock_print_micro(wall_ms, text)));
	return l;
}

bool node_is_cordoned(const struct doc *node)
{
	return doc_bool(node, "spec.unschedulable", false);
}

/* ---- WarpNode --------------------------------------------------------------------------- */

static struct doc *capabilities(const struct fleet_node *n)
{
	const struct fleet_claims *c = n->claims;
	struct doc *caps = doc_new_map();
	struct doc *tokens = doc_new_list();
	struct doc *attributes = doc_new_map();
	struct doc *numbers = doc_new_map();

	for (size_t i = 0; i < c->n_tokens; i++)
		doc_add_str(tokens, c->tokens[i]);
	for (size_t i = 0; i < c->n_attributes; i++)
		doc_set_str(attributes, c->attributes[i].key, c->attributes[i].value);
	for (size_t i = 0; i < n->n_overrides; i++)
		doc_set_str(attributes, n->overrides[i].key, n->overrides[i].value);
	for (size_t i = 0; i < c->n_numbers; i++)
		doc_set_int(numbers, c->numbers[i].key, c->numbers[i].value);
	doc_set(caps, "tokens", tokens);
	doc_set(caps, "attributes", attributes);
	doc_set(caps, "numbers", numbers);
	return caps;
}

static struct doc *profile(uint32_t abilities)
{
	struct doc *list = doc_new_list();

	for (uint32_t bit = 1; bit <= WIRE_NEEDS_ALL; bit <<= 1)
		if (abilities & bit)
			doc_add_str(list, wire_need_name((enum wire_need)bit));
	return list;
}

static struct doc *devices(const struct fleet_claims *c)
{
	struct doc *list = doc_new_list();

	for (size_t i = 0; i < c->n_devices; i++) {
		const struct fleet_device *d = &c->devices[i];
		struct doc *e = doc_new_map();

		doc_set_str(e, "id", d->id);
		doc_set_str(e, "backend", d->backend);
		doc_set_str(e, "vendor", d->vendor);
		doc_set_str(e, "name", d->name);
		doc_set_str(e, "driver", d->driver);
		doc_set_int(e, "memoryMiB", d->memory_mib);
		doc_set(e, "numericProfile", profile(d->abilities));
		doc_set_str(e, "selfTest", d->self_test_passed ? "Passed" : "Failed");
		if (*d->message != '\0')
			doc_set_str(e, "message", d->message);
		doc_add(list, e);
	}
	return list;
}

/* "2x RTX 4090, llvmpipe (self-test failed)": a column shows one value only. */
static struct doc *device_summary(const struct fleet_claims *c)
{
	AUTO(buf_done) struct buf text = { .max = MAX_SUMMARY };

	for (size_t i = 0; i < c->n_devices; i++) {
		const struct fleet_device *d = &c->devices[i];
		size_t same = 0;
		bool first = true;

		for (size_t k = 0; k < c->n_devices; k++) {
			bool is_same = strcmp(c->devices[k].name, d->name) == 0 &&
				       c->devices[k].self_test_passed == d->self_test_passed;

			same += is_same;
			first = first && !(is_same && k < i);
		}
		if (!first)
			continue;
		buf_note(&text, "%s", text.len > 0 ? ", " : "");
		if (same > 1)
			buf_note(&text, "%zux ", same);
		buf_note(&text, "%s%s", *d->name != '\0' ? d->name : d->backend,
			 d->self_test_passed ? "" : " (self-test failed)");
	}
	return doc_new_str(buf_str(&text));
}

/* The first device that failed, and why. */
static const char *failed_device(const struct fleet_node *n, char text[MAX_FAILED])
{
	for (size_t i = 0; n->claims != NULL && i < n->claims->n_devices; i++) {
		const struct fleet_device *d = &n->claims->devices[i];

		if (d->self_test_passed)
			continue;
		snprintf(text, MAX_FAILED, "%.200s: %.500s", *d->name != '\0' ? d->name : d->id,
			 *d->message != '\0' ? d->message : "the self-test failed");
		return text;
	}
	return "the agent has no device";
}

/* Share of accepted results, counted with one of each before the first. */
static struct doc *trust(const struct fleet_trust *t)
{
	double good = (double)t->accepted_in_a_row + 1;
	double bad = (double)t->mismatched * 10 + (double)t->lost * 0.1;
	struct doc *d = doc_new_map();

	doc_set_int(d, "acceptedInARow", t->accepted_in_a_row);
	doc_set_int(d, "mismatched", t->mismatched);
	doc_set_int(d, "lost", t->lost);
	doc_set_int(d, "canariesFailed", t->canaries_failed);
	doc_set(d, "rank", doc_new_strf("%.2f", good / (good + bad)));
	return d;
}

static bool self_tests_passed(const struct fleet_node *n)
{
	for (size_t i = 0; n->claims != NULL && i < n->claims->n_devices; i++)
		if (!n->claims->devices[i].self_test_passed)
			return false;
	return n->claims != NULL && n->claims->n_devices > 0;
}

static void set_conditions(const struct fleet_node *n, struct doc *conditions, int64_t generation,
			   int64_t wall_ms)
{
	char text[MAX_FAILED];
	struct doc_condition c = {
		.type = "Ready",
		.status = n->connected && !n->unfit ? "True" : "False",
		.reason = n->connected ? "Connected" : "NotConnected",
		.message = n->connected ? "the agent has a session" : "the agent has no session",
		.observed_generation = generation,
		.now_ms = wall_ms,
	};

	if (n->connected && n->unfit) {
		c.reason = "SelfTestFailed";
		c.message = failed_device(n, text);
	}
	(void)doc_condition_set(conditions, &c);
	c.type = "Trusted";
	c.status = n->trust.mismatched == 0 ? "True" : "False";
	c.reason = n->trust.mismatched == 0 ? "NoMismatch" : "Mismatched";
	c.message = n->trust.mismatched == 0 ? "no result of it lost a vote"
					     : "results of it lost their votes";
	(void)doc_condition_set(conditions, &c);
	if (n->claims == NULL)
		return;
	c.type = "SelfTestPassed";
	c.status = self_tests_passed(n) ? "True" : "False";
	c.reason = self_tests_passed(n) ? "Passed" : "Failed";
	c.message = self_tests_passed(n) ? "all devices passed" : failed_device(n, text);
	(void)doc_condition_set(conditions, &c);
}

/* The same but for what changes all the time. */
static bool same_but_busy(const struct doc *a, const struct doc *b)
{
	AUTO(doc_unrefp) struct doc *x = doc_copy(a);
	AUTO(doc_unrefp) struct doc *y = b != NULL ? doc_copy(b) : doc_new_map();

	doc_remove(x, "running");
	doc_remove(y, "running");
	doc_remove(x, "trust");
	doc_remove(y, "trust");
	if (doc_edit(x, "agent") != NULL)
		doc_remove(doc_edit(x, "agent"), "lastHeard");
	if (doc_edit(y, "agent") != NULL)
		doc_remove(doc_edit(y, "agent"), "lastHeard");
	return doc_equal(x, y);
}

static struct doc *carry_over(const struct doc *old, const char *path, struct doc *fallback)
{
	const struct doc *was = doc_get(old, path);

	if (was == NULL)
		return fallback;
	doc_unref(fallback);
	return doc_copy(was);
}

static struct doc *agent_of(const struct fleet_node *n, int64_t wall_ms)
{
	struct doc *a = doc_new_map();

	doc_set_str(a, "version", n->claims->version);
	set_time(a, "connectedSince", n->connected_wall_ms);
	set_time(a, "lastHeard", wall_ms);
	return a;
}

struct doc *node_warp_status(const struct fleet_node *n, const struct doc *old, uint64_t epoch,
			     int64_t wall_ms)
{
	const struct doc *was = doc_get(old, "status");
	int64_t generation = doc_int(old, "metadata.generation", 0);
	const struct doc *list = doc_get(was, "conditions");
	struct doc *conditions = doc_is(list, DOC_LIST) ? doc_copy(list) : doc_new_list();
	struct doc *s = doc_new_map();

	doc_set_int(s, "observedGeneration", generation);
	if (n->claims != NULL) {
		doc_set(s, "capabilities", capabilities(n));
		doc_set(s, "devices", devices(n->claims));
		doc_set(s, "deviceSummary", device_summary(n->claims));
	} else {
		doc_set(s, "capabilities", carry_over(was, "capabilities", doc_new_map()));
		doc_set(s, "devices", carry_over(was, "devices", doc_new_list()));
		doc_set(s, "deviceSummary", carry_over(was, "deviceSummary", doc_new_str("")));
	}
	doc_set_int(s, "slots", n->connected ? n->slots : 0);
	doc_set_int(s, "running", n->running);
	if (n->claims != NULL && n->connected)
		doc_set(s, "agent", agent_of(n, wall_ms));
	else
		doc_set(s, "agent", carry_over(was, "agent", doc_new_map()));
	doc_set(s, "trust", trust(&n->trust));
	doc_set_int(s, "controllerEpoch", (int64_t)epoch);
	set_conditions(n, conditions, generation, wall_ms);
	doc_set(s, "conditions", conditions);
	if (doc_equal(s, was) ||
	    (same_but_busy(s, was) && wall_ms - read_time(was, "agent.lastHeard") < SLOW_MS)) {
		doc_unref(s);
		return NULL;
	}
	return s;
}

struct fleet_trust node_read_trust(const struct doc *warpnode)
{
	return (struct fleet_trust){
		.accepted_in_a_row = doc_int(warpnode, "status.trust.acceptedInARow", 0),
		.mismatched = doc_int(warpnode, "status.trust.mismatched", 0),
		.lost = doc_int(warpnode, "status.trust.lost", 0),
		.canaries_failed = doc_int(warpnode, "status.trust.canariesFailed", 0),
	};
}

struct doc *node_warp_build(const char *name, const char *owner, const char *zone, const char *pool)
{
	struct doc *n = doc_new_map();
	struct doc *spec = doc_new_map();

	doc_set_str(n, "apiVersion", "kwarp.dev/v1alpha1");
	doc_set_str(n, "kind", "WarpNode");
	doc_set_path(n, "metadata.name", doc_new_str(name));
	doc_set_str(spec, "owner", owner);
	doc_set_str(spec, "zone", zone);
	doc_set_str(spec, "pool", pool);
	doc_set(n, "spec", spec);
	return n;
}
