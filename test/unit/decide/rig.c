/* rig.c - see rig.h. */
#include "rig.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "hash/hash.h"

static const struct wire_lane lane = { .count = 1, .stride = 4, .type = WIRE_U32 };

static const struct wire_leaf leaves[] = {
	{ .path = "a", .offset = 0, .type = WIRE_U32 },
	{ .path = "b", .offset = 4, .type = WIRE_F32 },
};

static const struct wire_binding bindings[] = {
	{ .name = "params",
	  .role = WIRE_UNIFORM,
	  .fixed_size = 8,
	  .leaves = leaves,
	  .n_leaves = 2 },
	{ .binding = 1,
	  .name = "total",
	  .role = WIRE_OUTPUT,
	  .fixed_size = 4,
	  .lanes = &lane,
	  .n_lanes = 1,
	  .numeric_class = WIRE_EXACT,
	  .order = WIRE_PROVED },
};

static const struct wire_kernel kernel = {
	.entry_point = "main",
	.workgroup_size = { 1, 1, 1 },
	.dimensions = 1,
	.numeric_class = WIRE_EXACT,
	.order = WIRE_PROVED,
	.bindings = bindings,
	.n_bindings = 2,
	.warnings = "",
};

const struct wire_kernel *rig_kernel(void)
{
	return &kernel;
}

struct doc *rig_job(const char *yaml)
{
	struct err err = { 0 };
	struct doc *job = NULL;

	if (doc_parse_yaml(yaml, strlen(yaml), NULL, &job, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		ASSERT(!"the test's YAML is wrong");
	}
	doc_set_str(job, "apiVersion", "kwarp.dev/v1alpha1");
	doc_set_str(job, "kind", "WarpJob");
	doc_set_path(job, "metadata.name", doc_new_str("job"));
	doc_set_path(job, "metadata.namespace", doc_new_str("default"));
	doc_set_path(job, "metadata.uid", doc_new_str("0a1b2c3d-0000-4000-8000-000000000001"));
	doc_set_path(job, "metadata.generation", doc_new_int(1));
	if (!doc_has(job, "spec.kernel"))
		doc_set_path(job, "spec.kernel.wgsl", doc_new_str("x"));
	if (!doc_has(job, "spec.outputs")) {
		struct doc *list = doc_new_list();
		struct doc *out = doc_new_map();

		doc_set_str(out, "name", "total");
		doc_set_str(out, "reduce", "Sum");
		doc_add(list, out);
		doc_set_path(job, "spec.outputs", list);
	}
	if (!doc_has(job, "spec.chunks.params") && !doc_has(job, "spec.chunks.manifest") &&
	    !doc_has(job, "spec.chunks.manifestFrom")) {
		doc_set_path(job, "spec.chunks.params.a", doc_new_str("chunk"));
		doc_set_path(job, "spec.chunks.params.b", doc_new_str("1.5"));
	}
	if (!doc_has(job, "spec.chunks.invocations"))
		doc_set_path(job, "spec.chunks.invocations", doc_new_str("1"));
	return job;
}

static void add_node(struct rig *r, const char *name, const char *owner, uint32_t slots,
		     uint32_t abilities)
{
	AUTO(doc_unrefp) struct doc *node = node_warp_build(name, owner, NULL, "default");
	const struct fleet_device device = { .id = name,
					     .backend = "Native",
					     .vendor = "cpu",
					     .name = "",
					     .driver = "1",
					     .message = "",
					     .abilities = abilities,
					     .self_test_passed = true };
	struct err err = { 0 };

	ASSERT(fleet_on_warpnode(r->fleet, node, &err) == 0);
	ASSERT(fleet_on_registered(
		   r->fleet, name,
		   &(struct fleet_claims){
		       .version = "1", .slots = slots, .devices = &device, .n_devices = 1 },
		   RIG_WALL_MS, &err) == 0);
}

void rig_node(struct rig *r, const char *name, const char *owner, uint32_t slots)
{
	add_node(r, name, owner, slots, UINT32_MAX);
}

void rig_node_of(struct rig *r, const char *name, uint32_t abilities)
{
	add_node(r, name, NULL, 1, abilities);
}

static void make_job(struct rig *r)
{
	struct err err = { 0 };

	if (job_new(r->doc, r->fleet,
		    &(struct job_config){ .epoch = r->job == NULL ? 1 : 2,
					  .cluster = r->cluster,
					  .store = r->store > 0,
					  .max_plain = r->store > 0,
					  .max_partial = r->store > 1,
					  .replicas = r->cluster ? 0 : 1 },
		    r->now_ms, &r->job, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		ASSERT(!"job_new");
	}
}

void rig_new(struct rig *r, const char *yaml, int nodes, bool cluster)
{
	memset(r, 0, sizeof(*r));
	r->fleet = fleet_new();
	r->cluster = cluster;
	r->now_ms = 1000;
	for (int i = 0; i < nodes; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%d", i);
		rig_node(r, name, NULL, 1);
	}
	r->doc = doc_freeze(rig_job(yaml));
	make_job(r);
}

static void act(struct rig *r, const struct job_action *a)
{
	int64_t wall = r->now_ms + RIG_WALL_MS;

	switch (a->kind) {
	case JOB_POD_CREATE:
		r->n_created++;
		job_on_pod_created(r->job, &a->dispatch->key, JOB_POD_CREATED, "pod-uid", "",
				   r->now_ms);
		break;
	case JOB_SEND:
		if (!r->send_nothing && r->n_sent < ARRAY_LEN(r->sent)) {
			snprintf(r->sent_to[r->n_sent], 16, "%s", a->dispatch->node);
			r->sent[r->n_sent++] = a->dispatch->key;
		}
		job_on_sent(r->job, &a->dispatch->key, !r->send_nothing, r->now_ms, wall);
		break;
	case JOB_CANCEL:
		r->n_cancelled++;
		break;
	case JOB_POD_RUNNING:
		r->n_running++;
		break;
	case JOB_POD_FINISHED:
		r->n_finished++;
		break;
	case JOB_POD_DELETE:
		r->n_deleted++;
		job_on_pod_gone(r->job, a->dispatch->pod, NULL);
		break;
	}
}

static const struct wire_kernel *kernel_of(struct rig *r)
{
	struct wire_kernel *k = arena_dup(job_arena(r->job), &kernel, sizeof(kernel));
	struct wire_binding *b = arena_dup(job_arena(r->job), bindings, sizeof(bindings));

	k->needs = r->needs;
	k->bindings = b;
	if (r->lanes > 0) {
		struct wire_lane *l = arena_dup(job_arena(r->job), &lane, sizeof(lane));

		l->count = r->lanes;
		b[1].lanes = l;
		b[1].fixed_size = 4 * r->lanes;
	}
	if (r->conditional) {
		b[1].n_conditions = 1;
		b[1].order_reason = "each element is written by at most one invocation";
		b[1].conditions[0] =
		    (struct wire_condition){ .at_most = 1, .text = "invocations in x <= 1" };
	}
	if (!r->unproved)
		return k;
	/* The compiler could not prove that order does not matter. */
	b[1].order = WIRE_ASSUMED;
	b[1].order_reason = "atomic exchange";
	k->order = WIRE_ASSUMED;
	return k;
}

static void write_status(struct rig *r)
{
	struct doc *next = doc_copy(r->doc);

	doc_set(next, "status", doc_copy(r->plan.status));
	doc_unref(r->doc);
	r->doc = doc_freeze(next);
	job_on_status_written(r->job, r->now_ms);
}

static void read_state(struct rig *r)
{
	const struct buf *state = shelf_get(&r->shelf, job_partial_needed(r->job));

	if (state != NULL)
		job_on_partial(r->job, job_partial_needed(r->job), state->data, state->len);
	else
		job_on_missing(r->job, "the store does not have it");
}

/* False: there is no status to be written now. */
static bool keep(struct rig *r)
{
	const struct job_plan *p = &r->plan;
	struct job_blob wholes[JOB_MAX_OUTPUTS];

	r->n_keeps++;
	if (r->keep_fails && p->keep)
		job_on_keep_failed(r->job, r->now_ms + 5000);
	else if (r->keep_fails)
		job_on_status_refused(r->job, r->now_ms + 5000);
	if (r->keep_fails)
		return false;
	shelf_put(&r->shelf, p->blobs, p->n_blobs);
	for (size_t i = 0; i < p->n_joins; i++)
		ASSERT(shelf_join(&r->shelf, &p->joins[i], &wholes[i]));
	if (p->keep)
		job_on_kept(r->job, wholes, p->n_joins, r->now_ms);
	return p->status != NULL;
}

static bool carry_out(struct rig *r)
{
	const struct job_plan *p = &r->plan;
	struct hash_digest sha = { .bytes = { 1 } };
	bool more = p->n_actions > 0;
	bool may_write = p->status != NULL;

	for (size_t i = 0; i < p->n_actions; i++)
		act(r, &p->actions[i]);
	for (size_t i = 0; i < p->n_events; i++)
		snprintf(r->events + strlen(r->events), sizeof(r->events) - strlen(r->events),
			 "%s: %s\n", p->events[i].reason, p->events[i].message);
	for (size_t i = 0; i < p->n_decided; i++)
		ranges_add(&r->decided, p->decided[i].first, p->decided[i].last);
	r->decided_all = r->decided_all || p->decided_all;
	if (p->needs & JOB_NEED_KERNEL) {
		job_on_kernel(r->job, kernel_of(r), &sha);
		more = true;
	}
	if ((p->needs & JOB_NEED_PARTIAL) != 0) {
		read_state(r);
		more = true;
	}
	r->forgotten = r->forgotten || p->forget;
	if (p->n_blobs > 0 || p->keep) {
		may_write = keep(r);
		more = true;
	}
	if (may_write && !r->write_nothing) {
		write_status(r);
		more = true;
	}
	return more || p->look_again_ms <= r->now_ms;
}

void rig_run(struct rig *r, int64_t ms)
{
	bool more = true;

	r->now_ms += ms;
	for (int i = 0; i < 100000 && more; i++) {
		arena_reset(&r->arena);
		job_decide(r->job, r->now_ms, r->now_ms + RIG_WALL_MS, &r->arena, &r->plan);
		more = carry_out(r);
	}
}

void rig_start(struct rig *r, const char *yaml, int nodes)
{
	rig_new(r, yaml, nodes, true);
	rig_run(r, 0);
}

void rig_start_stored(struct rig *r, const char *yaml, int nodes, int store)
{
	rig_new(r, yaml, nodes, true);
	r->store = store;
	rig_restart(r);
	rig_run(r, 0);
}

enum job_take rig_result(struct rig *r, const struct wire_dispatch *d, const char *node,
			 uint32_t chunk, enum wire_outcome outcome, uint32_t value)
{
	unsigned char bytes[12];
	struct hash_digest digest;
	struct wire_result result = {
		.chunk = chunk, .outcome = outcome, .message = "", .elapsed_us = 1000
	};

	if (r->message != NULL)
		result.message = r->message;
	num_put_u64(bytes, 4);
	num_put_u32(bytes + 8, value);
	hash_bytes(bytes, sizeof(bytes), &digest);
	if (outcome == WIRE_OK) {
		memcpy(result.digest, digest.bytes, WIRE_DIGEST);
		result.values = bytes;
		result.values_size = sizeof(bytes);
	}
	return job_on_result(r->job, node, d, &result, r->now_ms);
}

void rig_answer(struct rig *r, const struct wire_dispatch *d, const char *node, uint32_t value)
{
	for (uint32_t c = d->first_chunk; c < d->first_chunk + d->n_chunks; c++)
		(void)rig_result(r, d, node, c, WIRE_OK, value + c);
}

const struct wire_dispatch *rig_sent(const struct rig *r, size_t n)
{
	ASSERT(n < r->n_sent);
	return &r->sent[n];
}

const char *rig_status(struct rig *r, const char *path, char *text, size_t size)
{
	AUTO(doc_unrefp)
	struct doc *s = job_status(r->job, r->now_ms, r->now_ms + RIG_WALL_MS);
	const struct doc *v = doc_get(s, path);

	if (doc_is(v, DOC_INT))
		snprintf(text, size, "%lld", (long long)doc_int(v, "", 0));
	else
		snprintf(text, size, "%s", doc_str(v, "", ""));
	return text;
}

const char *rig_reason(struct rig *r, const char *condition, char *text, size_t size)
{
	AUTO(doc_unrefp)
	struct doc *s = job_status(r->job, r->now_ms, r->now_ms + RIG_WALL_MS);
	const struct doc *c = doc_condition(doc_get(s, "conditions"), condition);

	snprintf(text, size, "%s %s: %s", doc_str(c, "status", "-"), doc_str(c, "reason", ""),
		 doc_str(c, "message", ""));
	return text;
}

void rig_restart(struct rig *r)
{
	struct job *old = r->job;

	job_free(old);
	make_job(r);
	r->n_sent = 0;
}

void rig_done(struct rig *r)
{
	job_free(r->job);
	fleet_free(r->fleet);
	doc_unref(r->doc);
	arena_done(&r->arena);
	shelf_done(&r->shelf);
	ranges_done(&r->decided);
}
