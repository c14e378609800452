/* plan.c - decide on one job and carry out the plan. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "controller/act/act_int.h"

/* What became of one order; the job is told when nothing of the plan is read any more. */
struct sent {
	struct wire_dispatch key;
	bool ok;
};

static bool send_order(struct act_job *j, const struct job_action *action)
{
	const struct act_options *o = &j->act->options;
	struct wire_order order = *action->order;
	struct err err = { 0 };

	if (o->plane->send(o->plane_arg, action->dispatch->node, &order, &err) >= 0)
		return true;
	if (err.code != ERR_UNAVAILABLE)
		log_error("order not sent", kv_str("job", j->key),
			  kv_str("node", action->dispatch->node), kv_err(&err));
	return false;
}

static const struct doc *pod_of(const struct act_job *j, const struct job_dispatch *d)
{
	char key[KUBE_KEY];

	return kube_key_of(j->ns, d->pod, key) ? kube_store_get(j->act->pods, key) : NULL;
}

static void run_action(struct act_job *j, const struct job_action *action)
{
	const struct act_options *o = &j->act->options;
	const struct job_dispatch *d = action->dispatch;
	const char *image = j->act->image;

	switch (action->kind) {
	case JOB_POD_CREATE:
		act_pod_create(j, d, pod_build(j->job, d, image));
		break;
	case JOB_POD_RUNNING:
	case JOB_POD_FINISHED:
		act_pod_status(j, d, pod_status(d, pod_of(j, d), image, clock_wall_ms()));
		break;
	case JOB_POD_DELETE:
		/* What becomes of the pods of a deleted job its deleter said: the garbage
		 * collector removes or orphans them. */
		if (!j->is_gone)
			act_pod_delete(j, d);
		break;
	case JOB_CANCEL:
		o->plane->cancel(o->plane_arg, d->node, &d->key, 1);
		break;
	case JOB_SEND:
		break;
	}
}

/* Actions in the order listed, then the answers of those that have one at once. */
static void run_actions(struct act_job *j, const struct job_plan *plan)
{
	struct sent *sent = arena_new_array(&j->act->arena, struct sent, plan->n_actions);
	size_t n_sent = 0;

	for (size_t i = 0; i < plan->n_actions; i++) {
		const struct job_action *action = &plan->actions[i];

		act_node_touch(j->act, action->dispatch->node);
		if (action->kind != JOB_SEND) {
			run_action(j, action);
			continue;
		}
		sent[n_sent].key = action->dispatch->key;
		sent[n_sent++].ok = send_order(j, action);
	}
	for (size_t i = 0; i < n_sent; i++)
		job_on_sent(j->job, &sent[i].key, sent[i].ok, clock_boot_ms(), clock_wall_ms());
	if (n_sent > 0)
		act_touch(j);
}

static void pass_on(struct act_job *j, const struct job_plan *plan)
{
	struct act *a = j->act;

	for (size_t i = 0; i < plan->n_trust; i++) {
		const struct job_trust *t = &plan->trust[i];

		fleet_on_trust(a->fleet, t->node, t->agreed, t->mismatched, t->lost);
		act_node_touch(a, t->node);
	}
	if (plan->n_decided > 0 || plan->decided_all)
		a->options.plane->decided(a->options.plane_arg, j->uid, plan->decided,
					  plan->n_decided, plan->decided_all);
	for (size_t i = 0; i < plan->n_events; i++)
		act_job_event(j, plan->events[i].warning, plan->events[i].reason,
			      plan->events[i].message);
}

void act_decide(struct act_job *j)
{
	struct act *a = j->act;
	struct job_plan plan = { 0 };

	/* Another controller's, as spec.managedBy says. */
	if (job_spec(j->job)->managed_by != NULL) {
		j->look_again_ms = INT64_MAX;
		return;
	}
	job_decide(j->job, clock_boot_ms(), clock_wall_ms(), &a->arena, &plan);
	j->look_again_ms = plan.look_again_ms;
	pass_on(j, &plan);
	if (plan.n_blobs > 0 || plan.keep)
		act_keep(j, &plan);
	else if (plan.status != NULL)
		act_status_write(j, plan.status, plan.urgent || plan.final);
	if (plan.forget)
		act_keep_forget(j);
	if (plan.remove)
		act_job_remove(j);
	run_actions(j, &plan);
	if (plan.needs != 0)
		act_needs_ask(j, plan.needs);
	if (job_is_finished(j->job) && j->uses_blobs) {
		act_blobs_end_use(a->blobs, j->uid);
		j->uses_blobs = false;
	}
	if (arena_used(&a->arena) > ACT_ARENA_KEEP)
		arena_done(&a->arena);
	else
		arena_reset(&a->arena);
}
