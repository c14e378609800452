/*
 * job_probe.c - the check of a kernel whose order of execution may matter (DESIGN 5, Order).
 *
 * What the compiler could not prove is tried: one native node (this machine in `warp run`) runs the
 * beginning of chunk 0 forward and in reverse. Different digests: no two nodes need ever agree, and
 * the job fails with the reason. No answer, or no native node: the order stays assumed, and the
 * votes decide.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "controller/decide/job_int.h"

enum { PROBE_MS = 10000, PROBE_LATE_MS = 5000 };

/* The first output that is part of the result and whose order is not proved, or NULL. */
static const struct wire_binding *unproved(const struct job *j)
{
	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		const struct wire_binding *b = job_params_output_binding(j->params, i);

		if (j->outputs[job_params_output(j->params, i)].reduce == VOTE_DISCARD)
			continue;
		if (b->order != WIRE_PROVED ||
		    (b->n_conditions > 0 && !job_params_order_holds(j->params)))
			return b;
	}
	return NULL;
}

/* A proof that rests on conditions is none where they do not hold: then those are the reason. */
static void note_reason(const struct job *j, const struct wire_binding *b, struct buf *out)
{
	if (b->order == WIRE_PROVED)
		job_params_order_reason(j->params, out);
	else
		buf_note(out, "%s", b->order_reason);
}

void job_probe_doubt(const struct job *j, struct buf *out)
{
	const struct wire_binding *b = unproved(j);

	if (b == NULL)
		return;
	buf_note(out, "; the order of execution may show in output %s (", b->name);
	note_reason(j, b, out);
	buf_note(out, ")");
}

bool job_probe_wanted(const struct job *j)
{
	return j->spec.agree > 1 && unproved(j) != NULL;
}

bool job_is_probe(const struct wire_dispatch *d)
{
	return d->slice == PROBE_SLICE;
}

/* `warp run` has native code at hand whatever its device is. */
static bool can_probe(const struct job *j, const struct seat *s)
{
	return s->eligible && (!j->config.cluster || strstr(s->node->kinds, "Native") != NULL);
}

/* A node with native code and a free slot; NULL with *ret_any: one that is busy. */
static struct seat *find_native(struct job *j, bool *ret_any)
{
	*ret_any = false;
	for (size_t i = 0; i < j->n_seats; i++) {
		struct seat *s = j->seats[i];

		if (!can_probe(j, s))
			continue;
		*ret_any = true;
		if (s->node->running < s->node->slots)
			return s;
	}
	return NULL;
}

static void leave_node(struct job *j)
{
	if (j->probe.has_slot)
		fleet_give(j->fleet, j->probe.node);
	j->probe.has_slot = false;
	j->probe.deadline_ms = 0;
}

void job_probe_drop(struct job *j)
{
	leave_node(j);
	j->probe = (struct probe){ 0 };
}

static void give_up(struct job *j, const char *why)
{
	leave_node(j);
	j->probe.done = true;
	job_event(j, false, "OrderAssumed", "output %s: %s; the order of execution stays assumed",
		  unproved(j)->name, why);
}

static void ask(struct job *j, struct seat *s, int64_t now_ms, int64_t wall_ms)
{
	struct probe *p = &j->probe;

	p->pub = (struct job_dispatch){
		.node = s->node->name,
		.pod_uid = "",
		.state = JOB_SENT,
		.reason = "",
		.created_wall_ms = wall_ms,
		.sent_wall_ms = wall_ms,
		.key = { .slice = PROBE_SLICE, .n_chunks = 1, .epoch = j->config.epoch },
	};
	snprintf(p->pub.key.job_uid, sizeof(p->pub.key.job_uid), "%s", j->spec.uid);
	p->node = s->node->id;
	fleet_take(j->fleet, p->node);
	p->has_slot = true;
	p->deadline_ms = now_ms + PROBE_MS + PROBE_LATE_MS;
}

/* A leader before has probed it: it asked for slices. They may hold every slot until their results
 * are taken, which the probe must not wait for. */
static bool was_probed(const struct job *j)
{
	return j->start_wall_ms > 0 || j->dispatches.count > 0 || j->n_early > 0;
}

void job_probe_step(struct job *j, int64_t now_ms, int64_t wall_ms, struct arena *arena,
		    const struct wire_order **ret)
{
	struct err err = { 0 };
	struct wire_order *order;
	struct seat *s;
	bool any;

	if (j->probe.deadline_ms == 0 && was_probed(j))
		j->probe.done = true;
	if (j->probe.deadline_ms > 0) {
		if (now_ms >= j->probe.deadline_ms)
			give_up(j, "the probe was not answered in time");
	} else if (!j->probe.done) {
		job_seats_refresh(j);
		s = find_native(j, &any);
		if (s == NULL && j->n_eligible > 0 && !any) {
			give_up(j, "no native node can probe it");
		} else if (s != NULL) {
			ask(j, s, now_ms, wall_ms);
			order = job_order_build(j, &j->probe.pub.key, arena, &err);
			ASSERT(order != NULL); /* every chunk was checked */
			order->kind = WIRE_ORDER_PROBE;
			order->chunk_timeout_ms = PROBE_MS;
			*ret = order;
		}
	}
	if (j->probe.done)
		job_start_run(j, now_ms, wall_ms);
}

void job_probe_sent(struct job *j, const struct wire_dispatch *d, bool sent)
{
	if (!sent && j->probe.deadline_ms > 0 && d->epoch == j->probe.pub.key.epoch)
		leave_node(j);
}

void job_probe_result(struct job *j, const char *node, const struct wire_dispatch *d,
		      const struct wire_result *r)
{
	AUTO(buf_done) struct buf reason = { .max = 400 };
	char text[700];

	if (j->probe.deadline_ms == 0 || d->epoch != j->probe.pub.key.epoch ||
	    strcmp(node, j->probe.pub.node) != 0)
		return;
	if (r->outcome == WIRE_OK) {
		leave_node(j);
		j->probe.done = true;
		return;
	}
	if (r->outcome != WIRE_ORDER_SEEN) {
		give_up(j, wire_outcome_name(r->outcome));
		return;
	}
	leave_node(j);
	note_reason(j, unproved(j), &reason);
	snprintf(text, sizeof(text),
		 "output %s: running chunk 0 in another order gave another result (%s%s%s): use "
		 "verify.replicas: 1, or make the order not matter",
		 unproved(j)->name, buf_str(&reason),
		 r->message != NULL && *r->message != '\0' ? "; " : "",
		 r->message != NULL ? r->message : "");
	job_unhappy(j, "KernelNotComparable", text);
}
