/* nodes.c - WarpNodes: what the administrator wrote goes into the fleet, what the fleet knows goes
 * into their status. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/act_int.h"

struct node {
	struct act *act;       /* borrowed */
	char *name;            /* owned */
	bool is_dirty;         /* its status may say something new */
	bool trust_read;       /* what an earlier leader knew of it is in the fleet */
	int64_t written_ms;    /* when the last write began */
	int64_t not_before_ms; /* of the next write */
	int tries;
	struct act_call *call; /* owned */
};

struct act_nodes {
	struct act *act;     /* borrowed */
	struct map by_name;  /* -> struct node, owned */
	struct timer *write; /* owned */
	struct timer *sweep; /* owned */
	size_t in_flight;
};

static struct node *node_of(struct act_nodes *n, const char *name)
{
	struct node *node = map_get(&n->by_name, name);

	if (node != NULL)
		return node;
	node = NEW(struct node);
	node->act = n->act;
	node->name = mem_strdup(name);
	map_set(&n->by_name, name, node);
	return node;
}

static void node_free(void *value)
{
	struct node *node = value;

	act_call_free(node->call);
	mem_free(node->name);
	mem_free(node);
}

/* ---- status out ------------------------------------------------------------------------- */

static void write_soon(struct act_nodes *n, int64_t delay_ms)
{
	if (!timer_is_running(n->write))
		timer_start(n->write, delay_ms);
}

void act_node_touch(struct act *a, const char *name)
{
	node_of(a->nodes, name)->is_dirty = true;
	write_soon(a->nodes, ACT_COALESCE_MS);
}

/* It comes or goes: what people wait for. */
static void touch_urgently(struct act *a, const char *name)
{
	struct node *node = node_of(a->nodes, name);

	if (node->not_before_ms > node->written_ms + ACT_NODE_URGENT_MS && node->tries == 0)
		node->not_before_ms = node->written_ms + ACT_NODE_URGENT_MS;
	node->is_dirty = true;
	timer_start(a->nodes->write, ACT_COALESCE_MS);
}

static void on_written(void *arg, const struct act_answer *answer)
{
	struct node *node = arg;
	struct act_nodes *n = node->act->nodes;
	int64_t wait_ms;

	act_call_free(MOVE(node->call));
	n->in_flight--;
	if (answer->err == NULL) {
		node->tries = 0;
		act_store_put(node->act->warpnodes, answer->object);
	} else if (answer->err->code == ERR_NOT_FOUND) {
		node->tries = 0;
	} else {
		wait_ms = act_backoff_ms(node->tries++, 500, 30000);
		if (!err_retryable(answer->err->code))
			log_error("status of a WarpNode not written", kv_str("node", node->name),
				  kv_err(answer->err));
		node->not_before_ms = clock_boot_ms() + wait_ms;
		node->is_dirty = true;
	}
	write_soon(n, ACT_COALESCE_MS);
}

/* The whole status: a merge patch would keep what is no longer true. */
static void write_status(struct act_nodes *n, struct node *node)
{
	struct act *a = n->act;
	const struct doc *seen = kube_store_get(a->warpnodes, node->name);
	const struct fleet_node *f = fleet_get(a->fleet, node->name);
	AUTO(doc_unrefp) struct doc *status = NULL;
	AUTO(doc_unrefp) struct doc *body = NULL;

	if (seen == NULL || f == NULL)
		return;
	status = node_warp_status(f, seen, a->options.epoch, clock_wall_ms());
	if (status == NULL)
		return;
	body = act_with_status(&kube_warpnodes, seen, MOVE(status));
	node->written_ms = clock_boot_ms();
	node->not_before_ms = node->written_ms + ACT_NODE_WRITE_MS;
	n->in_flight++;
	node->call = act_call(a,
			      &(struct act_request){ .verb = ACT_REPLACE,
						     .resource = &kube_warpnodes,
						     .name = node->name,
						     .sub = "status",
						     .body = body },
			      on_written, node);
}

static void write_due(void *arg)
{
	struct act_nodes *n = arg;
	int64_t now_ms = clock_boot_ms();
	int64_t next_ms = INT64_MAX;

	if (!n->act->is_started || n->act->is_deposed)
		return;
	MAP_EACH (&n->by_name, e) {
		struct node *node = e->value;

		if (!node->is_dirty || node->call != NULL)
			continue;
		if (n->in_flight >= ACT_NODE_CALLS)
			break;
		if (node->not_before_ms > now_ms) {
			if (node->not_before_ms < next_ms)
				next_ms = node->not_before_ms;
			continue;
		}
		node->is_dirty = false;
		write_status(n, node);
	}
	if (next_ms < INT64_MAX)
		timer_start_at(n->write, next_ms);
}

static void sweep(void *arg)
{
	struct act_nodes *n = arg;

	MAP_EACH (&n->by_name, e)
		((struct node *)e->value)->is_dirty = true;
	write_soon(n, ACT_COALESCE_MS);
	timer_start(n->sweep, ACT_NODE_STATUS_MS);
}

/* ---- facts in --------------------------------------------------------------------------- */

/* Two calls, since a mismatch ends the row of accepted results. */
static void take_trust(struct act *a, const struct doc *warpnode)
{
	struct fleet_trust t = node_read_trust(warpnode);

	fleet_on_trust(a->fleet, kube_name(warpnode), 0, t.mismatched, t.lost);
	fleet_on_trust(a->fleet, kube_name(warpnode), t.accepted_in_a_row, 0, 0);
}

void act_nodes_on_change(void *arg, const struct kube_change *change)
{
	struct act *a = arg;
	struct err err = { 0 };
	struct node *node;

	if (change->new == NULL) {
		fleet_on_warpnode_deleted(a->fleet, kube_name(change->old));
		act_touch_all(a);
		return;
	}
	/* Our own status writes come back as well. */
	if (change->old != NULL &&
	    doc_equal(doc_get(change->old, "spec"), doc_get(change->new, "spec")))
		return;
	if (fleet_on_warpnode(a->fleet, change->new, &err) < 0) {
		log_warn("WarpNode refused", kv_str("node", kube_name(change->new)), kv_err(&err));
		return;
	}
	node = node_of(a->nodes, kube_name(change->new));
	if (!node->trust_read)
		take_trust(a, change->new);
	node->trust_read = true;
	touch_urgently(a, node->name);
	act_touch_all(a);
}

static void claims_of(const struct wire_register *said, struct arena *arena,
		      struct fleet_claims *ret)
{
	struct fleet_pair *pairs = arena_new_array(arena, struct fleet_pair, said->n_attributes);
	struct fleet_number *numbers = arena_new_array(arena, struct fleet_number, said->n_numbers);
	struct fleet_device *devices = arena_new_array(arena, struct fleet_device, said->n_devices);

	for (uint32_t i = 0; i < said->n_attributes; i++) {
		pairs[i].key = said->attributes[i].key;
		pairs[i].value = said->attributes[i].value;
	}
	for (uint32_t i = 0; i < said->n_numbers; i++) {
		numbers[i].key = said->numbers[i].key;
		numbers[i].value = said->numbers[i].value > INT64_MAX
				       ? INT64_MAX
				       : (int64_t)said->numbers[i].value;
	}
	for (uint32_t i = 0; i < said->n_devices; i++) {
		const struct wire_device *d = &said->devices[i];

		devices[i] = (struct fleet_device){
			.id = d->id,
			.backend = d->backend,
			.vendor = d->vendor,
			.name = d->name,
			.driver = d->driver,
			.message = d->self_test_reason,
			.memory_mib = (int64_t)(d->memory_mib & INT64_MAX),
			.abilities = d->abilities,
			.self_test_passed = d->self_test == WIRE_TEST_PASSED,
		};
	}
	*ret = (struct fleet_claims){
		.version = said->agent_version,
		.slots = said->slots,
		.tokens = said->tokens,
		.n_tokens = said->n_tokens,
		.attributes = pairs,
		.n_attributes = said->n_attributes,
		.numbers = numbers,
		.n_numbers = said->n_numbers,
		.devices = devices,
		.n_devices = said->n_devices,
	};
}

void act_node_registered(struct act *a, const char *name, const struct wire_register *said)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct fleet_claims claims;
	struct err err = { 0 };

	claims_of(said, &arena, &claims);
	if (fleet_on_registered(a->fleet, name, &claims, clock_wall_ms(), &err) < 0)
		log_error("node refused", kv_str("node", name), kv_err(&err));
	log_info("node registered", kv_str("node", name), kv_int("slots", said->slots));
	act_on_state(a, name, said->full, said->draining);
	touch_urgently(a, name);
}

void act_on_state(struct act *a, const char *name, bool full, bool draining)
{
	fleet_on_load(a->fleet, name, full, draining);
	touch_urgently(a, name);
	act_touch_all(a);
}

void act_on_disconnect(struct act *a, const char *name)
{
	log_info("node disconnected", kv_str("node", name));
	fleet_on_disconnected(a->fleet, name);
	touch_urgently(a, name);
	act_touch_all(a);
}

uint32_t act_nodes_slots(const struct act *a, uint32_t *ret_free)
{
	uint32_t slots = 0;
	uint32_t taken = 0;

	for (size_t i = 0; i < fleet_count(a->fleet); i++) {
		const struct fleet_node *n = fleet_at(a->fleet, i);

		if (!fleet_is_usable(n))
			continue;
		slots += n->slots;
		taken += n->running < n->slots ? n->running : n->slots;
	}
	*ret_free = slots - taken;
	return slots;
}

/* ---- life ------------------------------------------------------------------------------- */

struct act_nodes *act_nodes_new(struct act *a)
{
	struct act_nodes *n = NEW(struct act_nodes);

	n->act = a;
	n->write = timer_new(a->loop, "write WarpNodes", write_due, n);
	n->sweep = timer_new(a->loop, "look at WarpNodes", sweep, n);
	timer_start(n->sweep, ACT_NODE_STATUS_MS);
	return n;
}

void act_nodes_free(struct act_nodes *n)
{
	if (n == NULL)
		return;
	map_done(&n->by_name, node_free);
	timer_free(n->write);
	timer_free(n->sweep);
	mem_free(n);
}
