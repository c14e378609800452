/*
 * vnode.c - the virtual Node on which chunk pods lie: kept, repaired, re-created; its Lease; and
 * the pods on it that are no job's.
 *
 * Level-triggered: each look compares what is there with what node.h and pod.h want.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "controller/act/act_int.h"

#define LEASE_NAMESPACE "kube-node-lease"

struct act_vnode {
	struct act *act;             /* borrowed */
	struct timer *look;          /* owned */
	struct timer *renew;         /* owned */
	struct act_call *node_call;  /* owned: create, repair or status */
	struct act_call *lease_call; /* owned */
	struct doc *lease;           /* shared: as last seen; NULL: unknown */
	int tries;
	int lease_tries;
	bool is_started;
};

static const struct doc *node_of(const struct act_vnode *v)
{
	return kube_store_get(v->act->node, POD_NODE);
}

bool act_vnode_is_there(const struct act_vnode *v)
{
	return node_of(v) != NULL;
}

/* ---- Node ------------------------------------------------------------------------------- */

static void look_soon(struct act_vnode *v, int64_t delay_ms)
{
	timer_start(v->look, delay_ms);
}

static void on_node(void *arg, const struct act_answer *answer)
{
	struct act_vnode *v = arg;
	int code = answer->err != NULL ? answer->err->code : 0;

	act_call_free(MOVE(v->node_call));
	if (code == 0) {
		v->tries = 0;
		act_store_put(v->act->node, answer->object);
		look_soon(v, ACT_COALESCE_MS);
		return;
	}
	/* The watch brings what it is now. */
	if (code != ERR_EXISTS && code != ERR_NOT_FOUND && code != ERR_CONFLICT)
		log_warn("virtual Node not written", kv_err(answer->err));
	look_soon(v, act_backoff_ms(v->tries++, 100, 10000));
}

static void ask(struct act_vnode *v, enum act_verb verb, const char *sub, const struct doc *body)
{
	v->node_call = act_call(v->act,
				&(struct act_request){ .verb = verb,
						       .resource = &kube_nodes,
						       .name = verb == ACT_CREATE ? NULL : POD_NODE,
						       .sub = sub,
						       .body = body },
				on_node, v);
}

static void look(void *arg)
{
	struct act_vnode *v = arg;
	const struct doc *node = node_of(v);
	AUTO(doc_unrefp) struct doc *body = NULL;
	uint32_t unused;

	if (v->act->is_deposed)
		return;
	/* Conditions that say the same grow old after minutes: look again now and then. */
	timer_start(v->look, NODE_RENEW_MS);
	if (v->node_call != NULL)
		return;
	if (node == NULL) {
		body = node_build();
		ask(v, ACT_CREATE, NULL, body);
		return;
	}
	body = node_repair(node);
	if (body != NULL) {
		ask(v, ACT_MERGE, NULL, body);
		return;
	}
	body = node_status(node, act_nodes_slots(v->act, &unused), clock_wall_ms());
	if (body != NULL)
		ask(v, ACT_MERGE, "status", body);
}

void act_vnode_on_change(void *arg, const struct kube_change *change)
{
	struct act *a = arg;
	bool paused = change->new != NULL &&node_is_cordoned(change->new);

	if (paused != fleet_is_paused(a->fleet)) {
		log_info(paused ? "virtual Node cordoned" : "virtual Node uncordoned");
		fleet_set_paused(a->fleet, paused);
		act_touch_all(a);
	}
	if (a->vnode != NULL && a->vnode->is_started)
		look_soon(a->vnode, ACT_COALESCE_MS);
}

/* ---- Lease ------------------------------------------------------------------------------ */

static void renew_lease(void *arg);

static void on_lease(void *arg, const struct act_answer *answer)
{
	struct act_vnode *v = arg;
	int code = answer->err != NULL ? answer->err->code : 0;
	int64_t wait_ms = NODE_RENEW_MS;

	act_call_free(MOVE(v->lease_call));
	doc_unref(MOVE(v->lease));
	if (code == 0) {
		v->lease = doc_ref(answer->object);
		v->lease_tries = 0;
	} else {
		/* Someone else wrote or removed it: read, then go on. */
		wait_ms = act_backoff_ms(v->lease_tries++, 100, NODE_RENEW_MS);
		if (v->lease_tries > 3)
			log_warn("Lease of the virtual Node not renewed", kv_err(answer->err));
	}
	timer_start(v->renew, wait_ms);
}

static void on_lease_read(void *arg, const struct act_answer *answer)
{
	struct act_vnode *v = arg;

	act_call_free(MOVE(v->lease_call));
	if (answer->err == NULL)
		v->lease = doc_ref(answer->object);
	else if (answer->err->code != ERR_NOT_FOUND) {
		timer_start(v->renew, act_backoff_ms(v->lease_tries++, 100, NODE_RENEW_MS));
		return;
	}
	renew_lease(v);
}

static void renew_lease(void *arg)
{
	struct act_vnode *v = arg;
	const struct doc *node = node_of(v);
	AUTO(doc_unrefp) struct doc *body = NULL;
	struct act_request r = { .resource = &kube_leases, .ns = LEASE_NAMESPACE };

	if (v->act->is_deposed || v->lease_call != NULL)
		return;
	if (node == NULL) {
		timer_start(v->renew, 500);
		return;
	}
	body = node_lease(v->lease, node, clock_wall_ms());
	if (v->lease != NULL) {
		r.verb = ACT_REPLACE;
		r.name = POD_NODE;
	} else {
		r.verb = ACT_CREATE;
	}
	r.body = body;
	v->lease_call = act_call(v->act, &r, on_lease, v);
}

/* At the start, and whenever a write did not succeed, what is there is read first. */
static void renew_due(void *arg)
{
	struct act_vnode *v = arg;

	if (v->lease != NULL) {
		renew_lease(v);
		return;
	}
	if (v->act->is_deposed || v->lease_call != NULL)
		return;
	v->lease_call = act_call(v->act,
				 &(struct act_request){ .verb = ACT_GET,
							.resource = &kube_leases,
							.ns = LEASE_NAMESPACE,
							.name = POD_NODE },
				 on_lease_read, v);
}

/* ---- other pods ------------------------------------------------------------------------- */

void act_vnode_on_pod(struct act_vnode *v, const struct doc *pod)
{
	enum pod_kind kind = pod_kind(pod);
	struct doc *patch;

	if (kube_is_deleting(pod)) {
		act_pod_confirm(v->act, pod);
		return;
	}
	/* Of a job that is gone: the garbage collector is on its way. */
	if (kind == POD_OURS)
		return;
	patch = kind == POD_ORPHAN ? pod_status_orphan(pod, clock_wall_ms())
				   : pod_status_foreign(pod, clock_wall_ms());
	if (patch != NULL)
		act_pod_patch(v->act, pod, patch);
}

/* ---- life ------------------------------------------------------------------------------- */

struct act_vnode *act_vnode_new(struct act *a)
{
	struct act_vnode *v = NEW(struct act_vnode);

	v->act = a;
	v->look = timer_new(a->loop, "look at the virtual Node", look, v);
	v->renew = timer_new(a->loop, "renew the virtual Node", renew_due, v);
	return v;
}

void act_vnode_start(struct act_vnode *v)
{
	v->is_started = true;
	timer_start(v->look, 0);
	timer_start(v->renew, 0);
}

void act_vnode_free(struct act_vnode *v)
{
	if (v == NULL)
		return;
	act_call_free(v->node_call);
	act_call_free(v->lease_call);
	doc_unref(v->lease);
	timer_free(v->look);
	timer_free(v->renew);
	mem_free(v);
}
