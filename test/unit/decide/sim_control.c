/* sim_control.c - controllers: they carry out the plans of decide, and die at any moment. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "hash/hash.h"
#include "sim_int.h"

enum { WALL_MS = 1700000000, NODE_LOST_MS = 30000, ANSWER_MS = 4000 };

static int64_t wall(const struct sim *s)
{
	return (int64_t)WALL_MS * 1000 + s->now_ms;
}

static bool is_void(const struct sim *s, const struct sim_event *e)
{
	return !s->controllers[e->who].up || s->controllers[e->who].life != e->life;
}

int sim_leader(const struct sim *s)
{
	int best = -1;

	for (int i = 0; i < SIM_CONTROLLERS; i++)
		if (s->controllers[i].up &&
		    (best < 0 || s->controllers[i].epoch > s->controllers[best].epoch))
			best = i;
	return best;
}

void sim_control_kill(struct sim *s, int who)
{
	struct sim_controller *c = &s->controllers[who];

	if (!c->up)
		return;
	sim_say(s, "controller %d (epoch %llu) dies", who, (unsigned long long)c->epoch);
	c->up = false;
	c->life++;
	job_free(c->job);
	fleet_free(c->fleet);
	arena_done(&c->arena);
	c->job = NULL;
	c->fleet = NULL;
	for (int i = 0; i < s->n_nodes; i++)
		if (c->sessions[i] != 0)
			sim_agent_cut(s, i);
}

/* ---- the job ---------------------------------------------------------------------------- */

static void wake(struct sim *s, struct sim_event *e);

void sim_control_wake(struct sim *s, int who, int64_t after_ms)
{
	struct sim_controller *c = &s->controllers[who];

	if (!c->up || (c->wake_ms != 0 && c->wake_ms <= s->now_ms + after_ms))
		return;
	c->wake_ms = s->now_ms + after_ms;
	sim_after(s, after_ms, wake, who, c->life);
}

static void read_again(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];
	struct err err = { 0 };

	if (is_void(s, e))
		return;
	c->version = s->version;
	if (job_on_status_read(c->job, s->job, s->now_ms, &err) < 0) {
		sim_say(s, "controller %d: %s", e->who, err.text);
		/* The job is to be read anew; the simulator has nothing smaller than a controller.
		 */
		if (err.code != ERR_DENIED && (err.code != ERR_CONFLICT || s->store != 2))
			sim_fail(s, "status read: %s", err.text);
		sim_control_restart(s, e->who, 500);
		return;
	}
	if (job_on_spec(c->job, s->job, &err) < 0)
		sim_fail(s, "spec: %s", err.text);
	sim_control_wake(s, e->who, 0);
}

static const char *state_of(const struct doc *job)
{
	return doc_str(job, "status.partial", "");
}

/* What act removes after a write that changed the object from `before` to `now`. */
static void tidy(struct sim *s, const struct doc *before, const struct doc *now)
{
	const char *was = state_of(before);
	struct hash_digest digest;
	struct err err = { 0 };

	if (strncmp(was, "sha256:", 7) == 0 && strcmp(was, state_of(now)) != 0 &&
	    hash_parse(was, strlen(was), &digest, &err) == 0)
		shelf_remove(&s->shelf, &digest);
}

static void written(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];

	if (is_void(s, e))
		return;
	c->version = e->result.iterations; /* the resourceVersion in the answer */
	tidy(s, e->doc, s->job);
	job_on_status_written(c->job, s->now_ms);
	sim_control_wake(s, e->who, 0);
}

static void refused(struct sim *s, struct sim_event *e)
{
	if (is_void(s, e))
		return;
	job_on_status_refused(s->controllers[e->who].job, s->now_ms + 200);
	sim_control_wake(s, e->who, 0);
}

/* The write reaches the server, unless it is lost; its answer comes back, unless that is. */
static void write_arrives(struct sim *s, struct sim_event *e)
{
	AUTO(doc_unrefp) struct doc *before = doc_ref(s->job);
	struct sim_event *answer;
	int rc;

	if (sim_chance(s, 3)) {
		sim_after(s, sim_delay(s), refused, e->who, e->life);
		return;
	}
	rc = sim_chance(s, 3) ? ERR_CONFLICT
			      : sim_api_write(s, e->doc, e->result.iterations, e->dispatch.epoch);
	if (rc < 0 || sim_chance(s, 5)) {
		sim_after(s, ANSWER_MS, read_again, e->who, e->life);
		return;
	}
	answer = sim_after(s, sim_delay(s), written, e->who, e->life);
	answer->doc = MOVE(before);
	answer->result.iterations = s->version;
}

static void send_status(struct sim *s, int who, const struct doc *status, uint64_t version)
{
	struct sim_event *e =
	    sim_after(s, sim_delay(s), write_arrives, who, s->controllers[who].life);

	e->doc = doc_ref(status);
	e->result.iterations = version;
	e->dispatch.epoch = s->controllers[who].epoch;
}

/* ---- pods ------------------------------------------------------------------------------- */

static void created(struct sim *s, struct sim_event *e)
{
	if (is_void(s, e))
		return;
	job_on_pod_created(s->controllers[e->who].job, &e->dispatch,
			   (enum job_pod_answer)e->result.chunk, e->name, "", s->now_ms);
	sim_control_wake(s, e->who, 0);
}

static void create_arrives(struct sim *s, struct sim_event *e)
{
	struct sim_event *answer;
	bool lost = sim_chance(s, 3);
	const char *uid = lost && sim_random(s, 2) ? "" : sim_api_create(s, e->doc);

	answer = sim_after(s, sim_delay(s), created, e->who, e->life);
	answer->dispatch = e->dispatch;
	answer->result.chunk = lost           ? JOB_POD_RETRY
			       : *uid != '\0' ? JOB_POD_CREATED
					      : JOB_POD_TAKEN;
	snprintf(answer->name, sizeof(answer->name), "%s", uid);
}

static void gone(struct sim *s, struct sim_event *e)
{
	if (is_void(s, e))
		return;
	job_on_pod_gone(s->controllers[e->who].job, e->name, NULL);
	sim_control_wake(s, e->who, 0);
}

void sim_control_pod_gone(struct sim *s, const char *name, const char *uid)
{
	(void)uid;
	for (int i = 0; i < SIM_CONTROLLERS; i++) {
		struct sim_event *e;

		if (!s->controllers[i].up)
			continue;
		e = sim_after(s, sim_delay(s), gone, i, s->controllers[i].life);
		snprintf(e->name, sizeof(e->name), "%s", name);
	}
}

/* The watch tells a controller of a pod that it did not create. */
static void appeared(struct sim *s, struct sim_event *e)
{
	struct err err = { 0 };

	if (is_void(s, e) || !map_has(&s->pods, doc_str(e->doc, "metadata.name", "")))
		return;
	if (job_on_pod(s->controllers[e->who].job, e->doc, s->now_ms, &err) < 0)
		sim_fail(s, "job_on_pod: %s", err.text);
	sim_control_wake(s, e->who, 0);
}

void sim_control_pod_added(struct sim *s, const struct doc *pod)
{
	for (int i = 0; i < SIM_CONTROLLERS; i++) {
		char epoch[32];

		snprintf(epoch, sizeof(epoch), "%llu", (unsigned long long)s->controllers[i].epoch);
		if (!s->controllers[i].up ||
		    strcmp(doc_str(pod, "metadata.annotations['" POD_NOTE_EPOCH "']", ""), epoch) ==
			0)
			continue;
		sim_after(s, sim_delay(s), appeared, i, s->controllers[i].life)->doc = doc_ref(pod);
	}
}

static void delete_arrives(struct sim *s, struct sim_event *e)
{
	sim_api_delete(s, e->name);
	sim_control_pod_gone(s, e->name, "");
}

static void patch_arrives(struct sim *s, struct sim_event *e)
{
	sim_api_patch_pod(s, e->name, e->doc);
}

/* ---- plans ------------------------------------------------------------------------------ */

static struct sim_event *to_api(struct sim *s, int who,
				void (*fn)(struct sim *, struct sim_event *),
				const struct job_dispatch *d)
{
	struct sim_event *e = sim_after(s, sim_delay(s), fn, who, s->controllers[who].life);

	e->dispatch = d->key;
	snprintf(e->name, sizeof(e->name), "%s", d->pod);
	return e;
}

static int node_of(const struct sim *s, const char *name)
{
	for (int i = 0; i < s->n_nodes; i++)
		if (strcmp(s->nodes[i].name, name) == 0)
			return i;
	return -1;
}

static void to_agent(struct sim *s, int who, const struct job_dispatch *d,
		     void (*fn)(struct sim *, struct sim_event *))
{
	struct sim_controller *c = &s->controllers[who];
	int node = node_of(s, d->node);
	struct sim_event *e;

	if (c->sessions[node] == 0)
		return;
	e = sim_after(s, sim_delay(s), fn, node, s->nodes[node].life);
	e->session = c->sessions[node];
	e->dispatch = d->key;
}

static void act(struct sim *s, int who, const struct job_action *a)
{
	struct sim_controller *c = &s->controllers[who];
	int node = node_of(s, a->dispatch->node);

	sim_say(s, "controller %d: action %d %u-%u-%u chunks %u+%u on %s", who, a->kind,
		a->dispatch->key.slice, a->dispatch->key.replica, a->dispatch->key.attempt,
		a->dispatch->key.first_chunk, a->dispatch->key.n_chunks, a->dispatch->node);
	switch (a->kind) {
	case JOB_POD_CREATE:
		to_api(s, who, create_arrives, a->dispatch)->doc =
		    pod_build(c->job, a->dispatch, "kwarp");
		break;
	case JOB_SEND:
		if (a->order->n_chunks != a->dispatch->key.n_chunks)
			sim_fail(s, "an order without all its chunks");
		to_agent(s, who, a->dispatch, sim_agent_order);
		job_on_sent(c->job, &a->dispatch->key, c->sessions[node] != 0, s->now_ms, wall(s));
		break;
	case JOB_CANCEL:
		to_agent(s, who, a->dispatch, sim_agent_cancel);
		break;
	case JOB_POD_RUNNING:
	case JOB_POD_FINISHED:
		to_api(s, who, patch_arrives, a->dispatch)->doc =
		    pod_status(a->dispatch, NULL, "kwarp", wall(s));
		break;
	case JOB_POD_DELETE:
		to_api(s, who, delete_arrives, a->dispatch);
		break;
	}
}

static void tell_agents(struct sim *s, int who, const struct job_plan *p)
{
	const struct sim_controller *c = &s->controllers[who];

	if (p->n_decided == 0 && !p->decided_all)
		return;
	for (int i = 0; i < s->n_nodes; i++) {
		struct sim_event *e;

		if (c->sessions[i] == 0)
			continue;
		e = sim_after(s, sim_delay(s), sim_agent_decided, i, s->nodes[i].life);
		e->session = c->sessions[i];
		e->flag = p->decided_all;
		for (size_t k = 0; k < p->n_decided; k++)
			ranges_add(&e->ranges, p->decided[k].first, p->decided[k].last);
	}
}

/* What former leaders may have started on a node and did not see the end of: pods that are not
 * finished, and what the node has itself. */
static uint32_t left_by_others(struct sim *s, const char *node)
{
	const struct sim_node *n = &s->nodes[node_of(s, node)];
	uint32_t left = (uint32_t)(n->n_orders + n->n_held);

	MAP_EACH (&s->pods, e) {
		const char *phase = doc_str(e->value, "status.phase", "");

		left += strcmp(phase, "Succeeded") != 0 && strcmp(phase, "Failed") != 0 &&
			strcmp(doc_str(e->value, "metadata.labels['" POD_LABEL_NODE "']", ""),
			       node) == 0;
	}
	return left;
}

static void check_slots(struct sim *s, const struct sim_controller *c)
{
	for (size_t i = 0; i < fleet_count(c->fleet); i++) {
		const struct fleet_node *n = fleet_at(c->fleet, i);

		/* The rest: what a leader read before it ended. */
		if (n->running > n->slots + SIM_ORDERS + left_by_others(s, n->name))
			sim_fail(s, "%s runs %u on %u slots", n->name, n->running, n->slots);
	}
}

static void kernel_compiled(struct sim *s, struct sim_event *e)
{
	struct hash_digest sha = { .bytes = { 7 } };

	if (is_void(s, e))
		return;
	job_on_kernel(s->controllers[e->who].job, sim_kernel(), &sha);
	sim_control_wake(s, e->who, 0);
}

/* ---- the store -------------------------------------------------------------------------- */

static void state_read(struct sim *s, struct sim_event *e)
{
	struct job *j = s->controllers[e->who].job;
	const struct hash_digest *digest;
	const struct buf *state;

	if (is_void(s, e))
		return;
	digest = job_partial_needed(j);
	if (digest == NULL)
		return;
	state = shelf_get(&s->shelf, digest);
	if (state != NULL)
		job_on_partial(j, digest, state->data, state->len);
	else if (s->controllers[e->who].version == s->version)
		sim_fail(s, "the state that the status names is not in the store");
	else /* a late write of another leader has replaced it */
		job_on_missing(j, "the state is not in the store");
	sim_control_wake(s, e->who, 0);
}

/* The blobs are on disk, unless the controller died before. */
static void kept(struct sim *s, struct sim_event *e)
{
	struct job *j = s->controllers[e->who].job;
	struct job_blob whole = { .len = 0 };

	if (is_void(s, e))
		return;
	if (sim_chance(s, 5)) {
		if (e->doc != NULL)
			job_on_status_refused(j, s->now_ms + 500);
		else
			job_on_keep_failed(j, s->now_ms + 500);
		sim_control_wake(s, e->who, 500);
		return;
	}
	MAP_EACH (&e->blobs.blobs, b) {
		const struct buf *bytes = b->value;
		struct job_blob blob = { .bytes = buf_str(bytes), .len = bytes->len };

		hash_bytes(buf_str(bytes), bytes->len, &blob.digest);
		shelf_put(&s->shelf, &blob, 1);
	}
	if (e->doc != NULL) {
		send_status(s, e->who, e->doc, e->result.iterations);
		return;
	}
	if (e->join.parts != NULL && !shelf_join(&s->shelf, &e->join, &whole))
		sim_fail(s, "a part of a result is not in the store");
	job_on_kept(j, &whole, e->join.parts != NULL, s->now_ms);
	sim_control_wake(s, e->who, 0);
}

static void keep(struct sim *s, int who, const struct job_plan *p)
{
	struct sim_event *e = sim_after(s, sim_delay(s), kept, who, s->controllers[who].life);

	if (s->store == 0)
		sim_fail(s, "something is to be kept without a store");
	shelf_put(&e->blobs, p->blobs, p->n_blobs);
	if (p->status != NULL)
		e->doc = doc_ref(p->status);
	e->result.iterations = s->controllers[who].version;
	ASSERT(p->n_joins <= 1);
	if (p->n_joins == 0)
		return;
	e->join = p->joins[0];
	e->join.parts = mem_dup(e->join.parts, e->join.n_parts * sizeof(*e->join.parts));
}

static void wake(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];
	struct job_plan p;

	if (is_void(s, e) || e->at_ms != c->wake_ms)
		return;
	c->wake_ms = 0;
	arena_reset(&c->arena);
	job_decide(c->job, s->now_ms, wall(s), &c->arena, &p);
	check_slots(s, c);
	for (size_t i = 0; i < p.n_actions; i++) {
		act(s, e->who, &p.actions[i]);
		/* Dead between two steps. */
		if (sim_random(s, 400) == 0 && sim_chance(s, 50)) {
			sim_control_kill(s, e->who);
			return;
		}
	}
	if (p.needs & JOB_NEED_KERNEL)
		sim_after(s, 20 + sim_delay(s), kernel_compiled, e->who, c->life);
	if (p.needs & JOB_NEED_PARTIAL)
		sim_after(s, sim_delay(s), state_read, e->who, c->life);
	if (p.n_blobs > 0 || p.keep)
		keep(s, e->who, &p);
	else if (p.status != NULL)
		send_status(s, e->who, p.status, c->version);
	tell_agents(s, e->who, &p);
	for (size_t i = 0; i < p.n_trust; i++)
		fleet_on_trust(c->fleet, p.trust[i].node, p.trust[i].agreed, p.trust[i].mismatched,
			       p.trust[i].lost);
	if (job_is_finished(c->job) && s->now_ms >= s->chaos_until_ms && p.n_actions == 0)
		s->done = true;
	if (p.look_again_ms != INT64_MAX)
		sim_control_wake(s, e->who,
				 p.look_again_ms > s->now_ms ? p.look_again_ms - s->now_ms : 1);
}

/* ---- life ------------------------------------------------------------------------------- */

static void node_lost(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];
	int node = node_of(s, e->name);

	if (is_void(s, e) || c->lost_at_ms[node] == 0 || s->now_ms < c->lost_at_ms[node])
		return;
	c->lost_at_ms[node] = 0;
	sim_say(s, "controller %d: %s is lost", e->who, e->name);
	job_on_node_lost(c->job, e->name, s->now_ms);
	sim_control_wake(s, e->who, 0);
}

static void expect_node(struct sim *s, int who, int node)
{
	struct sim_controller *c = &s->controllers[who];
	struct sim_event *e = sim_after(s, NODE_LOST_MS, node_lost, who, c->life);

	c->lost_at_ms[node] = s->now_ms + NODE_LOST_MS;
	snprintf(e->name, sizeof(e->name), "%s", s->nodes[node].name);
}

static void new_fleet(struct sim *s, struct sim_controller *c)
{
	struct err err = { 0 };

	c->fleet = fleet_new();
	for (int i = 0; i < s->n_nodes; i++) {
		AUTO(doc_unrefp)
		struct doc *node = node_warp_build(s->nodes[i].name, NULL, NULL, "default");

		ASSERT(fleet_on_warpnode(c->fleet, node, &err) == 0);
	}
}

static void restart(struct sim *s, struct sim_event *e)
{
	/* The one that leads needs no second one. */
	if (sim_leader(s) < 0)
		sim_control_start(s, e->who);
}

void sim_control_restart(struct sim *s, int who, int64_t after_ms)
{
	sim_control_kill(s, who);
	sim_after(s, after_ms, restart, who, 0);
}

static void deposed(struct sim *s, struct sim_event *e)
{
	if (!is_void(s, e))
		sim_control_restart(s, e->who, 500);
}

void sim_control_start(struct sim *s, int who)
{
	struct sim_controller *c = &s->controllers[who];
	struct err err = { 0 };
	size_t at = 0;

	if (c->up)
		return;
	/* Who led before ends when its Lease does. */
	for (int i = 0; i < SIM_CONTROLLERS; i++)
		if (i != who && s->controllers[i].up)
			sim_after(s, sim_random(s, 15000), deposed, i, s->controllers[i].life);
	c->up = true;
	c->life++;
	c->wake_ms = 0;
	memset(c->sessions, 0, sizeof(c->sessions));
	c->epoch = ++s->highest_epoch;
	c->version = s->version;
	s->result.lives++;
	sim_say(s, "controller %d starts with epoch %llu", who, (unsigned long long)c->epoch);
	new_fleet(s, c);
	if (job_new(s->job, c->fleet,
		    &(struct job_config){ .epoch = c->epoch,
					  .cluster = true,
					  .store = s->store > 0,
					  .max_plain = s->store > 0,
					  .max_partial = s->store > 1 },
		    s->now_ms, &c->job, &err) < 0) {
		sim_fail(s, "job_new: %s", err.text);
		return;
	}
	for (struct map_entry *e; (e = map_next(&s->pods, &at)) != NULL;)
		if (job_on_pod(c->job, e->value, s->now_ms, &err) < 0) {
			sim_fail(s, "job_on_pod: %s", err.text);
			return;
		}
	for (int i = 0; i < s->n_nodes; i++)
		expect_node(s, who, i);
	sim_control_wake(s, who, 0);
}

static void edited(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];
	struct err err = { 0 };

	if (is_void(s, e))
		return;
	/* The watch tells of the newest object; a write with its version is not in conflict. */
	if (job_on_spec(c->job, e->doc, &err) < 0)
		sim_fail(s, "spec: %s", err.text);
	sim_control_wake(s, e->who, 0);
}

void sim_control_edited(struct sim *s)
{
	for (int i = 0; i < SIM_CONTROLLERS; i++)
		if (s->controllers[i].up)
			sim_after(s, sim_delay(s), edited, i, s->controllers[i].life)->doc =
			    doc_ref(s->job);
}

/* ---- sessions --------------------------------------------------------------------------- */

bool sim_control_connect(struct sim *s, int who, int node, uint32_t session)
{
	struct sim_controller *c = &s->controllers[who];
	struct sim_node *n = &s->nodes[node];
	struct wire_dispatch alive[SIM_ORDERS + SIM_HELD];
	const struct fleet_device device = { .id = n->name,
					     .backend = "Native",
					     .vendor = "cpu",
					     .name = "",
					     .driver = "1",
					     .message = "",
					     .abilities = UINT32_MAX,
					     .self_test_passed = true };
	struct err err = { 0 };
	size_t n_alive = 0;

	c->sessions[node] = session;
	c->lost_at_ms[node] = 0;
	for (size_t i = 0; i < n->n_orders; i++)
		alive[n_alive++] = n->orders[i].dispatch;
	memcpy(c->running[node], n->orders, sizeof(n->orders));
	c->n_running[node] = n->n_orders;
	for (size_t i = 0; i < n->n_held; i++)
		alive[n_alive++] = n->held[i].dispatch;
	ASSERT(fleet_on_registered(
		   c->fleet, n->name,
		   &(struct fleet_claims){
		       .version = "1", .slots = n->slots, .devices = &device, .n_devices = 1 },
		   wall(s), &err) == 0);
	sim_say(s, "%s connects to controller %d: %zu orders, %zu results", n->name, who,
		n->n_orders, n->n_held);
	job_on_node_listed(c->job, n->name, alive, n_alive, s->now_ms);
	sim_control_wake(s, who, 0);
	return true;
}

void sim_control_disconnect(struct sim *s, int who, int node)
{
	struct sim_controller *c = &s->controllers[who];

	c->sessions[node] = 0;
	if (!c->up)
		return;
	fleet_on_disconnected(c->fleet, s->nodes[node].name);
	expect_node(s, who, node);
	sim_control_wake(s, who, 0);
}

static void answer_decided(struct sim *s, struct sim_event *e, int node)
{
	struct sim_event *back =
	    sim_after(s, sim_delay(s), sim_agent_decided, node, s->nodes[node].life);

	back->session = e->session;
	ranges_add_one(&back->ranges, e->result.chunk);
}

void sim_control_result(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];
	int node = node_of(s, e->name);
	enum job_take take;

	if (is_void(s, e) || c->sessions[node] != e->session)
		return;
	if (e->result.outcome == WIRE_OK)
		e->result.values = e->values;
	take = job_on_result(c->job, e->name, &e->dispatch, &e->result, s->now_ms);
	if (take == JOB_TAKE_WRONG)
		sim_fail(s, "a result was refused: chunk %u of %s", e->result.chunk, e->name);
	if (take == JOB_TAKE_DECIDED)
		answer_decided(s, e, node);
	sim_control_wake(s, e->who, 0);
}

void sim_control_offered(struct sim *s, struct sim_event *e)
{
	struct sim_controller *c = &s->controllers[e->who];
	int node = node_of(s, e->name);
	struct wire_dispatch running[SIM_ORDERS];

	if (is_void(s, e) || c->sessions[node] != e->session)
		return;
	for (size_t i = 0; i < c->n_running[node]; i++)
		running[i] = c->running[node][i].dispatch;
	job_on_node_offered(c->job, e->name, running, c->n_running[node], s->now_ms);
	sim_control_wake(s, e->who, 0);
}
