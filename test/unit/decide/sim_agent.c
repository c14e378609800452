/* sim_agent.c - nodes: they run orders one chunk after the other, keep every result until it is
 * decided, and offer it again to whoever leads. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "hash/hash.h"
#include "sim_int.h"

static void work(struct sim *s, int node);

static void connect(struct sim *s, struct sim_event *e);

void sim_agent_connect_later(struct sim *s, int node)
{
	sim_after(s, 100 + sim_random(s, 900), connect, node, s->nodes[node].life);
}

void sim_agent_start(struct sim *s, int node)
{
	struct sim_node *n = &s->nodes[node];

	n->up = true;
	n->life++;
	n->controller = -1;
	n->busy = false;
	sim_say(s, "%s starts with %zu results", n->name, n->n_held);
	sim_agent_connect_later(s, node);
}

void sim_agent_cut(struct sim *s, int node)
{
	struct sim_node *n = &s->nodes[node];

	if (n->controller < 0)
		return;
	sim_say(s, "%s loses its session", n->name);
	sim_control_disconnect(s, n->controller, node);
	n->controller = -1;
	n->session = 0;
	if (n->up)
		sim_agent_connect_later(s, node);
}

void sim_agent_kill(struct sim *s, int node, bool forgets)
{
	struct sim_node *n = &s->nodes[node];

	sim_say(s, "%s vanishes", n->name);
	n->up = false;
	n->n_orders = 0;
	if (forgets)
		n->n_held = 0;
	sim_agent_cut(s, node);
	n->life++;
}

/* ---- results ---------------------------------------------------------------------------- */

static void send(struct sim *s, int node, const struct sim_held *h)
{
	struct sim_node *n = &s->nodes[node];
	struct sim_event *e;

	if (n->controller < 0)
		return;
	e = sim_after(s, sim_delay(s), sim_control_result, n->controller,
		      s->controllers[n->controller].life);
	e->session = n->session;
	e->dispatch = h->dispatch;
	e->result = h->result;
	memcpy(e->values, h->values, sizeof(e->values));
	snprintf(e->name, sizeof(e->name), "%s", n->name);
}

static uint32_t answer_of(struct sim *s, const struct sim_node *n, uint32_t chunk)
{
	uint32_t truth = sim_truth(chunk);

	/* Once a liar, always the same lie about a chunk, or another one each time. */
	if (n->lies == 0 || sim_random(s, 100) >= n->lies)
		return truth;
	s->result.lies++;
	return n->colludes ? truth + 1 : truth + 2 + (uint32_t)(n - s->nodes);
}

static void make_result(struct sim *s, struct sim_node *n, const struct sim_order *o,
			struct sim_held *h)
{
	uint32_t value = answer_of(s, n, o->dispatch.first_chunk + o->at);
	struct hash_digest digest;

	*h = (struct sim_held){ .dispatch = o->dispatch };
	h->result.chunk = o->dispatch.first_chunk + o->at;
	h->result.message = "";
	h->result.elapsed_us = (uint64_t)n->speed_ms * 1000;
	if (n->crashes > 0 && sim_chance(s, n->crashes)) {
		h->result.outcome = sim_random(s, 2) ? WIRE_CRASHED : WIRE_DEVICE_LOST;
		return;
	}
	num_put_u64(h->values, 4);
	num_put_u32(h->values + 8, value);
	num_put_u64(h->values + 12, 4);
	num_put_u32(h->values + 20, value);
	h->result.outcome = WIRE_OK;
	h->result.values_size = VALUE_BYTES;
	hash_bytes(h->values, VALUE_BYTES, &digest);
	memcpy(h->result.digest, digest.bytes, WIRE_DIGEST);
}

static void finished(struct sim *s, struct sim_event *e)
{
	struct sim_node *n = &s->nodes[e->who];
	struct sim_order *o = &n->orders[0];
	struct sim_held h;

	if (e->life != n->life)
		return;
	n->busy = false;
	if (n->n_orders == 0)
		return;
	make_result(s, n, o, &h);
	sim_check_answer(s, e->who, &h.result, h.values);
	if (n->n_held < SIM_HELD)
		n->held[n->n_held++] = h;
	send(s, e->who, &h);
	if (sim_chance(s, 5))
		send(s, e->who, &h);
	if (++o->at == o->dispatch.n_chunks) {
		n->n_orders--;
		memmove(&n->orders[0], &n->orders[1], n->n_orders * sizeof(*o));
	}
	work(s, e->who);
}

static void work(struct sim *s, int node)
{
	struct sim_node *n = &s->nodes[node];

	if (!n->up || n->busy || n->n_orders == 0)
		return;
	n->busy = true;
	sim_after(s, n->speed_ms, finished, node, n->life);
}

/* ---- from the controller ---------------------------------------------------------------- */

void sim_agent_order(struct sim *s, struct sim_event *e)
{
	struct sim_node *n = &s->nodes[e->who];

	if (e->life != n->life || e->session != n->session || n->n_orders == SIM_ORDERS)
		return;
	n->orders[n->n_orders++] = (struct sim_order){ .dispatch = e->dispatch };
	work(s, e->who);
}

static bool same(const struct wire_dispatch *a, const struct wire_dispatch *b)
{
	return a->epoch == b->epoch && a->slice == b->slice && a->replica == b->replica &&
	       a->attempt == b->attempt;
}

void sim_agent_cancel(struct sim *s, struct sim_event *e)
{
	struct sim_node *n = &s->nodes[e->who];
	size_t kept = 0;

	if (e->life != n->life || e->session != n->session)
		return;
	for (size_t i = 0; i < n->n_orders; i++)
		if (!same(&n->orders[i].dispatch, &e->dispatch))
			n->orders[kept++] = n->orders[i];
	n->n_orders = kept;
}

void sim_agent_decided(struct sim *s, struct sim_event *e)
{
	struct sim_node *n = &s->nodes[e->who];
	size_t kept = 0;

	if (e->life != n->life || e->session != n->session)
		return;
	for (size_t i = 0; i < n->n_held; i++) {
		uint32_t chunk = n->held[i].result.chunk;

		if (e->flag || ranges_has(&e->ranges, chunk))
			sim_check_drop(s, chunk);
		else
			n->held[kept++] = n->held[i];
	}
	n->n_held = kept;
}

static void connect(struct sim *s, struct sim_event *e)
{
	struct sim_node *n = &s->nodes[e->who];
	int leader = sim_leader(s);
	uint32_t session = ++s->sessions_made;
	struct sim_event *last;

	if (e->life != n->life || !n->up || n->controller >= 0)
		return;
	/* Now and then it still finds the one that does not lead any more. */
	if (sim_chance(s, 10))
		for (int i = 0; i < SIM_CONTROLLERS; i++)
			if (s->controllers[i].up)
				leader = i;
	if (leader < 0 || !sim_control_connect(s, leader, e->who, session)) {
		sim_agent_connect_later(s, e->who);
		return;
	}
	n->controller = leader;
	n->session = session;
	for (size_t i = 0; i < n->n_held; i++)
		send(s, e->who, &n->held[i]);
	/* Sent behind the results; on a connection nothing overtakes. */
	last = sim_after(s, 4000, sim_control_offered, leader, s->controllers[leader].life);
	last->session = session;
	snprintf(last->name, sizeof(last->name), "%s", n->name);
	work(s, e->who);
}
