/* jobs.c - one struct act_job per WarpJob, when each is decided, facts from the data plane. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/act_int.h"
#include "run/run.h"

#define POOLS_LABEL "kwarp.dev/pools"

/* ---- when ------------------------------------------------------------------------------- */

static void round_at(struct act *a, int64_t at_ms)
{
	if (!a->is_started || a->is_deposed)
		return;
	if (timer_is_running(a->round) && a->round_at_ms <= at_ms)
		return;
	a->round_at_ms = at_ms;
	timer_start_at(a->round, at_ms);
}

static void activate(struct act_job *j)
{
	struct act *a = j->act;

	if (j->is_active)
		return;
	mem_reserve(&a->active, &a->active_cap, a->n_active, sizeof(struct act_job *));
	a->active[a->n_active++] = j;
	a->is_unsorted = true;
	j->is_active = true;
}

static void deactivate(struct act_job *j)
{
	struct act *a = j->act;

	for (size_t i = 0; j->is_active && i < a->n_active; i++) {
		if (a->active[i] != j)
			continue;
		a->n_active--;
		memmove(&a->active[i], &a->active[i + 1],
			(a->n_active - i) * sizeof(struct act_job *));
		j->is_active = false;
	}
}

void act_touch(struct act_job *j)
{
	if (j->job == NULL)
		return;
	j->is_due = true;
	activate(j);
	round_at(j->act, clock_boot_ms() + ACT_COALESCE_MS);
}

void act_touch_all(struct act *a)
{
	MAP_EACH (&a->by_uid, e) {
		struct act_job *j = e->value;

		if (j->job != NULL && !job_is_finished(j->job))
			act_touch(j);
	}
}

/* Higher priority first, then the older one. */
static int compare_jobs(const void *x, const void *y)
{
	const struct act_job *a = *(struct act_job *const *)x;
	const struct act_job *b = *(struct act_job *const *)y;

	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->created_ms != b->created_ms)
		return a->created_ms < b->created_ms ? -1 : 1;
	return strcmp(a->uid, b->uid);
}

static void look_for_slots(struct act *a)
{
	uint32_t free_now;

	act_nodes_slots(a, &free_now);
	if (free_now > a->free_last || fleet_version(a->fleet) != a->fleet_last)
		a->free_seq++;
	a->free_last = free_now;
	a->fleet_last = fleet_version(a->fleet);
}

static bool wants_turn(const struct act *a, const struct act_job *j, int64_t now_ms)
{
	if (j->is_due || j->look_again_ms <= now_ms)
		return true;
	return j->seen_free != a->free_seq && !job_is_finished(j->job);
}

/* Drop the jobs that nothing more will happen to; returns when the next one is due. */
static int64_t settle(struct act *a)
{
	int64_t next_ms = INT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < a->n_active; i++) {
		struct act_job *j = a->active[i];

		if (!j->is_due && j->look_again_ms == INT64_MAX && job_is_finished(j->job)) {
			j->is_active = false;
			continue;
		}
		a->active[kept++] = j;
		if (j->look_again_ms < next_ms)
			next_ms = j->look_again_ms;
	}
	a->n_active = kept;
	return next_ms;
}

static void round_run(void *arg)
{
	struct act *a = arg;
	int64_t begin_us = clock_boot_us();
	int64_t next_ms;
	size_t i;

	if (a->is_deposed)
		return;
	if (a->is_unsorted)
		qsort(a->active, a->n_active, sizeof(struct act_job *), compare_jobs);
	a->is_unsorted = false;
	look_for_slots(a);
	for (i = 0; i < a->n_active; i++) {
		struct act_job *j = a->active[i];

		if (!wants_turn(a, j, clock_boot_ms()))
			continue;
		if (clock_boot_us() - begin_us > ACT_ROUND_US)
			break;
		j->is_due = false;
		j->seen_free = a->free_seq;
		act_decide(j);
		look_for_slots(a);
	}
	if (i < a->n_active) {
		round_at(a, clock_boot_ms());
		return;
	}
	next_ms = settle(a);
	for (i = 0; i < a->n_active; i++)
		if (wants_turn(a, a->active[i], INT64_MIN))
			next_ms = clock_boot_ms() + ACT_COALESCE_MS;
	if (next_ms < clock_boot_ms() + ACT_COALESCE_MS)
		next_ms = clock_boot_ms() + ACT_COALESCE_MS;
	if (next_ms < INT64_MAX)
		round_at(a, next_ms);
}

/* ---- life of a job ---------------------------------------------------------------------- */

struct act_job *act_job_by_uid(const struct act *a, const char *uid)
{
	return map_get(&a->by_uid, uid);
}

static const char *pools_of(const struct act *a, const char *ns)
{
	const char *pools = kube_label(kube_store_get(a->namespaces, ns), POOLS_LABEL);

	return pools != NULL && *pools != '\0' ? pools : NULL;
}

static void job_done(struct act_job *j)
{
	struct act *a = j->act;

	act_needs_drop(j);
	act_keep_drop(j);
	act_status_drop(j);
	act_pods_drop(j);
	act_call_free(j->remove_call);
	deactivate(j);
	job_free(j->job);
	run_kernel_unref(j->kernel);
	if (j->uses_blobs)
		act_blobs_end_use(a->blobs, j->uid);
	mem_free(j);
}

void act_job_gone(struct act_job *j)
{
	struct act *a = j->act;

	j->is_gone = true;
	if (j->job != NULL) {
		job_on_deleted(j->job);
		act_decide(j);
	}
	log_info("job gone", kv_str("job", j->key));
	act_keep_forget(j);
	map_remove(&a->by_uid, j->uid);
	job_done(j);
}

void act_job_leave(struct act_job *j, const struct err *why)
{
	log_warn("job left alone", kv_str("job", j->key), kv_err(why));
	act_job_event(j, true, "LeftAlone", why->text);
	act_needs_drop(j);
	act_keep_drop(j);
	act_pods_drop(j);
	act_status_drop(j);
	deactivate(j);
	job_free(MOVE(j->job));
	act_status_say(j, why->text);
}

/* Pods that an earlier leader made. */
static void recover_pods(struct act_job *j)
{
	struct act *a = j->act;

	KUBE_STORE_EACH_IN(a->pods, j->uid, e)
	{
		struct err err = { 0 };

		if (job_on_pod(j->job, kube_store_object(e), clock_boot_ms(), &err) < 0)
			log_warn("pod ignored", kv_str("pod", kube_name(kube_store_object(e))),
				 kv_err(&err));
	}
}

static void job_add(struct act *a, const struct doc *object)
{
	struct job_config config = { .epoch = a->options.epoch,
				     .cluster = true,
				     .store = a->options.store != NULL };
	struct act_job *j;
	struct err err = { 0 };
	const char *uid = kube_uid(object);

	if (*uid == '\0' || strlen(uid) >= WIRE_UID || kube_is_deleting(object))
		return;
	j = NEW(struct act_job);
	j->act = a;
	memcpy(j->uid, uid, strlen(uid) + 1);
	kube_key(object, j->key);
	kube_key_split(j->key, j->ns, j->name);
	j->look_again_ms = INT64_MAX;
	j->priority = doc_int(object, "spec.priority", 0);
	if (clock_parse(doc_str(object, "metadata.creationTimestamp", ""), &j->created_ms, &err) <
	    0)
		err_clear(&err);
	map_set(&a->by_uid, j->uid, j);
	config.pools = pools_of(a, j->ns);
	if (job_new(object, a->fleet, &config, clock_boot_ms(), &j->job, &err) < 0) {
		act_job_leave(j, &err);
		return;
	}
	recover_pods(j);
	act_touch(j);
}

void act_job_again(struct act_job *j, const struct doc *object)
{
	struct act *a = j->act;

	log_warn("job read anew", kv_str("job", j->key));
	map_remove(&a->by_uid, j->uid);
	job_done(j);
	job_add(a, object);
}

static void job_changed(struct act_job *j, const struct doc *object)
{
	struct err err = { 0 };
	int64_t priority = doc_int(object, "spec.priority", 0);

	if (kube_is_deleting(object)) {
		act_job_gone(j);
		return;
	}
	if (j->job == NULL)
		return;
	if (priority != j->priority)
		j->act->is_unsorted = true;
	j->priority = priority;
	if (job_on_spec(j->job, object, &err) < 0)
		log_warn("spec refused", kv_str("job", j->key), kv_err(&err));
	act_touch(j);
}

void act_jobs_on_change(void *arg, const struct kube_change *change)
{
	struct act *a = arg;
	struct act_job *j;

	if (!a->is_started)
		return;
	j = act_job_by_uid(a, kube_uid(change->new != NULL ? change->new : change->old));
	if (change->new == NULL && j != NULL)
		act_job_gone(j);
	else if (change->new != NULL && j != NULL)
		job_changed(j, change->new);
	else if (change->new != NULL)
		job_add(a, change->new);
}

void act_jobs_on_namespace(void *arg, const struct kube_change *change)
{
	struct act *a = arg;
	const char *name = kube_name(change->new);

	if (!a->is_started || change->new == NULL)
		return;
	if (text_equal(kube_label(change->old, POOLS_LABEL), kube_label(change->new, POOLS_LABEL)))
		return;
	MAP_EACH (&a->by_uid, e) {
		struct act_job *j = e->value;

		if (j->job == NULL || strcmp(j->ns, name) != 0)
			continue;
		job_on_pools(j->job, pools_of(a, name));
		act_touch(j);
	}
}

void act_jobs_start(struct act *a)
{
	a->round = timer_new(a->loop, "decide jobs", round_run, a);
	KUBE_STORE_EACH(a->jobs, object)
	job_add(a, object);
	act_keep_start(a);
}

void act_jobs_done(struct act *a)
{
	MAP_EACH (&a->by_uid, e)
		job_done(e->value);
	map_done(&a->by_uid, NULL);
	mem_free(a->active);
	timer_free(a->round);
}

/* ---- pods ------------------------------------------------------------------------------- */

/* A pod that this leader did not create, for a job that it had read before. */
static bool is_stranger(const struct act *a, const struct doc *pod)
{
	struct pod_record record;
	struct err err = { 0 };

	return pod_read(pod, &record, &err) >= 0 && record.dispatch.epoch != a->options.epoch;
}

void act_job_on_pod(struct act *a, const struct doc *old, const struct doc *new)
{
	const struct doc *pod = new != NULL ? new : old;
	const char *uid = kube_label(pod, POD_LABEL_UID);
	struct act_job *j = uid != NULL ? act_job_by_uid(a, uid) : NULL;
	struct doc *patch;
	struct err err = { 0 };

	if (j == NULL || j->job == NULL || pod_kind(pod) != POD_OURS) {
		if (new != NULL)
			act_vnode_on_pod(a->vnode, new);
		return;
	}
	if (new == NULL || kube_is_deleting(new)) {
		job_on_pod_gone(j->job, kube_name(pod), kube_uid(pod));
		if (new != NULL)
			act_pod_confirm(a, new);
	} else if (old == NULL && is_stranger(a, new)) {
		if (job_on_pod(j->job, new, clock_boot_ms(), &err) < 0)
			log_warn("pod ignored", kv_str("pod", kube_name(new)), kv_err(&err));
	} else {
		/* While the Node was not ready its pods were said not to be. */
		patch = pod_status_ready(new, clock_wall_ms());
		if (patch != NULL)
			act_pod_patch(a, new, patch);
		return;
	}
	act_touch(j);
}

/* ---- the data plane --------------------------------------------------------------------- */

static int compare_dispatch(const void *x, const void *y)
{
	const struct wire_dispatch *a = x;
	const struct wire_dispatch *b = y;

	return strcmp(a->job_uid, b->job_uid);
}

/* Those of this job in a list sorted by job. */
static const struct wire_dispatch *of_job(const struct wire_dispatch *list, size_t n,
					  const char *uid, size_t *ret_n)
{
	size_t low = 0;
	size_t high = n;
	size_t end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(list[middle].job_uid, uid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < n && strcmp(list[end].job_uid, uid) == 0;)
		end++;
	*ret_n = end - low;
	return list + low;
}

static struct wire_dispatch *sorted(struct arena *arena, const struct wire_dispatch *x, size_t n_x,
				    const struct wire_dispatch *y, size_t n_y)
{
	struct wire_dispatch *all = arena_new_array(arena, struct wire_dispatch, n_x + n_y);

	if (n_x > 0)
		memcpy(all, x, n_x * sizeof(*all));
	if (n_y > 0)
		memcpy(all + n_x, y, n_y * sizeof(*all));
	qsort(all, n_x + n_y, sizeof(*all), compare_dispatch);
	return all;
}

typedef void (*node_fact_fn)(struct job *j, const char *node, const struct wire_dispatch *list,
			     size_t n, int64_t now_ms);

/* Tell each unfinished job which of the dispatches are its own. */
static void tell_jobs(struct act *a, const char *node, const struct wire_dispatch *all, size_t n,
		      node_fact_fn fact)
{
	MAP_EACH (&a->by_uid, e) {
		struct act_job *j = e->value;
		const struct wire_dispatch *list;
		size_t n_list;

		if (j->job == NULL || job_is_finished(j->job))
			continue;
		list = of_job(all, n, j->uid, &n_list);
		fact(j->job, node, list, n_list, clock_boot_ms());
		act_touch(j);
	}
}

void act_on_register(struct act *a, const char *node, const struct wire_register *said)
{
	AUTO(arena_done) struct arena arena = { 0 };
	size_t n = (size_t)said->n_running + said->n_held;
	const struct wire_dispatch *all =
	    sorted(&arena, said->running, said->n_running, said->held, said->n_held);

	act_node_registered(a, node, said);
	tell_jobs(a, node, all, n, job_on_node_listed);
}

void act_on_offered(struct act *a, const char *node, const struct wire_dispatch *running, size_t n)
{
	AUTO(arena_done) struct arena arena = { 0 };
	const struct wire_dispatch *all = sorted(&arena, running, n, NULL, 0);

	tell_jobs(a, node, all, n, job_on_node_offered);
}

enum job_take act_on_result(struct act *a, const char *node, const struct wire_dispatch *d,
			    const struct wire_result *r, const char **why)
{
	struct act_job *j = act_job_by_uid(a, d->job_uid);
	enum job_take take;

	/* Before the first lists nothing is known; the data plane is closed then. */
	if (!a->is_started || a->is_deposed)
		return JOB_TAKE_KEEP;
	if (j == NULL)
		return JOB_TAKE_DECIDED;
	if (j->job == NULL)
		return JOB_TAKE_KEEP;
	take = job_on_result(j->job, node, d, r, clock_boot_ms());
	if (take == JOB_TAKE_WRONG)
		*why = "not a result of this dispatch, or its values do not fit its digest";
	act_touch(j);
	return take;
}

void act_on_lost(struct act *a, const char *node)
{
	MAP_EACH (&a->by_uid, e) {
		struct act_job *j = e->value;

		if (j->job == NULL || job_is_finished(j->job))
			continue;
		job_on_node_lost(j->job, node, clock_boot_ms());
		act_touch(j);
	}
}

struct act_blob *act_open_blob(struct act *a, const struct hash_digest *digest,
			       const void **ret_bytes, size_t *ret_len)
{
	return act_blobs_hold(a->blobs, digest, ret_bytes, ret_len);
}
