/* job_plan.c - job_decide: what follows from everything that is known. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "controller/decide/job_int.h"

enum {
	NEEDS_MS = 1000, /* what a start needs is asked for again after this time */
	TEND_MS = 50,    /* finished pods are looked at as often */
};

struct making {
	struct job *j;
	int64_t now_ms;
	int64_t wall_ms;
	struct arena *arena;
	struct job_plan *plan;
	struct job_action *actions;
	size_t cap;
};

static void look_again(struct making *m, int64_t at_ms)
{
	if (at_ms < m->plan->look_again_ms)
		m->plan->look_again_ms = at_ms;
}

/* ---- what changes by itself ------------------------------------------------------------- */

static void suspend_or_resume(struct job *j, int64_t wall_ms)
{
	if (j->spec.suspend == j->suspended || j->phase >= PHASE_ENDING)
		return;
	j->suspended = j->spec.suspend;
	j->dirty = true;
	if (j->suspended) {
		job_event(j, false, "Suspended", "running slices are stopped");
		job_stop_all(j, "Suspended");
		job_probe_drop(j);
		job_purge(j);
		job_early_done(j);
		return;
	}
	job_event(j, false, "Resumed", "%lld of %lld chunks are accepted",
		  (long long)j->counts.accepted, (long long)j->total);
	if (j->start_wall_ms > 0)
		j->start_wall_ms = wall_ms;
	j->run_since_ms = j->now_ms;
	j->run_since_count = j->counts.accepted;
}

/* With every known node heard, or the time over, no old vote can still be missing. */
static void end_recovery(struct making *m)
{
	struct job *j = m->j;
	bool all = true;

	if (!j->recovering || j->phase != PHASE_RUNNING)
		return;
	for (size_t i = 0; i < j->n_seats && m->now_ms < j->recover_until_ms; i++)
		if (j->seats[i]->node->exists && !j->seats[i]->offered)
			all = false;
	if (!all) {
		look_again(m, j->recover_until_ms);
		return;
	}
	j->recovering = false;
	job_judge_all(j);
}

static void check_deadline(struct making *m)
{
	struct job *j = m->j;
	int64_t at = j->start_wall_ms + j->spec.deadline_s * 1000;

	if (j->spec.deadline_s == 0 || j->start_wall_ms == 0 || j->suspended ||
	    j->phase >= PHASE_ENDING)
		return;
	if (m->wall_ms >= at)
		job_end(j, true, "DeadlineExceeded", "not done within activeDeadlineSeconds: %lld",
			(long long)j->spec.deadline_s);
	else
		look_again(m, m->now_ms + at - m->wall_ms);
}

/* A sum that does not fit is found when it is complete: what went before can still cancel out. */
static bool overflows(struct job *j)
{
	for (size_t i = 0; i < j->spec.n_outputs; i++) {
		struct vote_result r = { 0 };
		struct err err = { 0 };

		if (!vote_reduce_has_result(j->reduction, i))
			continue;
		if (vote_reduce_finish(j->reduction, i, &r, &err) < 0) {
			job_end(j, true, err.code == ERR_TOO_BIG ? "Overflow" : "ResultInvalid",
				"%s", err.text);
			return true;
		}
		vote_result_done(&r);
	}
	return false;
}

static void check_end(struct job *j)
{
	bool enough = j->spec.success > 0 && j->counts.accepted >= j->spec.success;

	if (j->phase != PHASE_RUNNING || j->suspended)
		return;
	if (j->held.count > 0 && (int64_t)j->held.count == job_undecided(j)) {
		job_end(j, true, "ChunkFailed",
			"the failed chunks leave more than %d ranges of accepted ones, which a "
			"status cannot hold",
			RANGES_MAX);
		return;
	}
	if (!enough && job_undecided(j) > 0)
		return;
	if (overflows(j))
		return;
	job_end(j, false, enough && job_undecided(j) > 0 ? "SuccessPolicy" : "AllChunksDecided",
		"%lld chunks accepted, %lld failed", (long long)j->counts.accepted,
		(long long)j->counts.failed);
}

/* ---- actions ---------------------------------------------------------------------------- */

static struct job_action *add_action(struct making *m, enum job_action_kind kind,
				     const struct dispatch *d)
{
	struct job_action *a;

	arena_reserve(m->arena, &m->actions, &m->cap, m->plan->n_actions, sizeof(*m->actions));
	a = &m->actions[m->plan->n_actions++];
	*a = (struct job_action){ .kind = kind, .dispatch = &d->pub };
	return a;
}

static void send(struct making *m, struct dispatch *d)
{
	struct err err = { 0 };
	const struct wire_order *order = job_order_build(m->j, &d->pub.key, m->arena, &err);

	if (order == NULL) {
		job_end(m->j, true, "ManifestInvalid", "%s", err.text);
		return;
	}
	add_action(m, JOB_SEND, d)->order = order;
}

static void add_probe(struct making *m, const struct wire_order *order)
{
	struct job_action *a;

	arena_reserve(m->arena, &m->actions, &m->cap, m->plan->n_actions, sizeof(*m->actions));
	a = &m->actions[m->plan->n_actions++];
	*a = (struct job_action){ .kind = JOB_SEND, .dispatch = &m->j->probe.pub, .order = order };
}

static void create(struct making *m, struct dispatch *d)
{
	struct job *j = m->j;

	if (m->now_ms < j->pod_wait_ms) {
		look_again(m, j->pod_wait_ms);
		return;
	}
	if (j->pods_creating >= j->pod_window)
		return;
	d->todo &= ~(unsigned)TODO_CREATE;
	d->pod_creating = true;
	j->pods_creating++;
	add_action(m, JOB_POD_CREATE, d);
}

static void drain_one(struct making *m, struct dispatch *d)
{
	unsigned todo = d->todo;

	if (todo & TODO_CREATE)
		create(m, d);
	if (todo & TODO_SEND) {
		d->todo &= ~(unsigned)TODO_SEND;
		send(m, d);
	}
	if (todo & TODO_CANCEL)
		add_action(m, JOB_CANCEL, d);
	if ((todo & TODO_RUNNING) && d->pod_exists)
		add_action(m, JOB_POD_RUNNING, d);
	if ((todo & TODO_FINISHED) && d->pod_exists && !d->pod_finished_written) {
		d->pod_finished_written = true;
		add_action(m, JOB_POD_FINISHED, d);
	}
	if ((todo & TODO_DELETE) && d->pod_exists) {
		d->pod_deleting = true;
		d->todo &= ~(unsigned)TODO_DELETE;
		add_action(m, JOB_POD_DELETE, d);
	}
	d->todo &= TODO_CREATE | (d->pod_creating ? TODO_DELETE : 0u);
	if (d->todo == 0)
		list_remove(&d->in_todo);
}

static void drain(struct making *m)
{
	LIST_EACH (struct dispatch, d, &m->j->todo, in_todo) {
		drain_one(m, d);
	}
	m->plan->actions = m->actions;
}

/* ---- the rest of the plan --------------------------------------------------------------- */

static void tell(struct making *m)
{
	struct job *j = m->j;
	size_t n = 0;
	struct job_trust *trust;

	m->plan->decided =
	    arena_dup(m->arena, j->decided.list, j->decided.count * sizeof(*j->decided.list));
	m->plan->n_decided = j->decided.count;
	ranges_done(&j->decided);
	m->plan->decided_all = j->tell_all;
	j->tell_all = false;
	for (size_t i = 0; i < j->n_seats; i++)
		n += j->seats[i]->tell;
	trust = arena_new_array(m->arena, struct job_trust, n);
	for (size_t i = 0; i < j->n_seats && n > 0; i++) {
		struct seat *s = j->seats[i];

		if (!s->tell)
			continue;
		s->tell = false;
		if (s->w_agreed == 0 && s->w_mismatched == 0 && s->w_lost == 0)
			continue;
		trust[m->plan->n_trust++] = (struct job_trust){
			.node = s->node->name,
			.agreed = s->w_agreed,
			.mismatched = s->w_mismatched,
			.lost = s->w_lost,
		};
		s->w_agreed = s->w_mismatched = s->w_lost = 0;
	}
	m->plan->trust = trust;
}

static void give_events(struct making *m)
{
	struct job *j = m->j;
	struct job_event *events = arena_dup(m->arena, j->events, sizeof(j->events));

	for (size_t i = 0; i < j->n_events; i++) {
		events[i].message = arena_strdup(m->arena, j->event_texts[i]);
		mem_free(j->event_texts[i]);
		j->event_texts[i] = NULL;
	}
	m->plan->events = events;
	m->plan->n_events = j->n_events;
	j->n_events = 0;
}

static void ask_needs(struct making *m)
{
	struct job *j = m->j;
	uint32_t needs = job_start_needs(j);

	if (needs == 0)
		return;
	if (needs == j->asked_needs && m->now_ms < j->asked_needs_ms + NEEDS_MS) {
		look_again(m, j->asked_needs_ms + NEEDS_MS);
		return;
	}
	j->asked_needs = needs;
	j->asked_needs_ms = m->now_ms;
	m->plan->needs = needs;
	look_again(m, m->now_ms + NEEDS_MS);
}

static void check_ttl(struct making *m)
{
	struct job *j = m->j;
	int64_t at = j->end_wall_ms + j->spec.ttl_s * 1000;

	if (j->phase != PHASE_ENDED || j->spec.ttl_s < 0 || j->end_wall_ms == 0)
		return;
	if (m->wall_ms >= at)
		m->plan->remove = true;
	else
		look_again(m, m->now_ms + at - m->wall_ms);
}

/* The next time at which a pod has to be looked at although nothing happens to it. */
static int64_t next_tending(const struct job *j, int64_t now_ms)
{
	int64_t at = INT64_MAX;

	if (j->short_runs.count > 0)
		at = now_ms + JOB_POD_RUNNING_MS;
	LIST_EACH (const struct dispatch, d, &j->history, in_all) {
		if (d->pod_exists && !d->pod_deleting && !d->pod_finished_written &&
		    now_ms + JOB_WRITE_MS < at)
			at = now_ms + JOB_WRITE_MS;
	}
	return at;
}

static void tend(struct making *m)
{
	struct job *j = m->j;
	int64_t at = j->tend_soon ? j->tended_ms + TEND_MS : j->tend_at_ms;

	if (m->now_ms >= at) {
		job_tend_pods(j, m->now_ms);
		j->tended_ms = m->now_ms;
		j->tend_soon = false;
		j->tend_at_ms = next_tending(j, m->now_ms);
		at = j->tend_at_ms;
	}
	if (at < INT64_MAX)
		look_again(m, at);
}

/* Times at which something may be placed that cannot be now. */
static void look_for_seats(struct making *m)
{
	struct job *j = m->j;

	if (j->phase != PHASE_RUNNING || j->suspended)
		return;
	for (size_t i = 0; i < j->n_seats; i++)
		if (j->seats[i]->avoid_ms > m->now_ms)
			look_again(m, j->seats[i]->avoid_ms);
	if (j->pod_wait_ms > m->now_ms)
		look_again(m, j->pod_wait_ms);
	/* An explanation that may hold no longer, and a queue longer than one scan, are looked at
	 * now and then. */
	if (j->dispatches.count == 0 || j->n_asks > 0 || j->why[0] != '\0')
		look_again(m, m->now_ms + NEEDS_MS);
}

static void clear_grave(struct job *j)
{
	LIST_EACH (struct dispatch, d, &j->grave, in_all) {
		if (!list_has(&d->in_todo) && !d->pod_creating)
			job_dispatch_free(j, d);
	}
}

static void probe(struct making *m)
{
	const struct wire_order *order = NULL;
	int64_t at = INT64_MAX;

	if (m->j->phase != PHASE_PROBING || m->j->suspended)
		return;
	job_probe_step(m->j, m->now_ms, m->wall_ms, m->arena, &order);
	if (order != NULL)
		add_probe(m, order);
	if (m->j->phase == PHASE_PROBING)
		at = m->j->probe.deadline_ms > 0 ? m->j->probe.deadline_ms : m->now_ms + NEEDS_MS;
	if (at < INT64_MAX)
		look_again(m, at);
}

static void work(struct making *m)
{
	struct job *j = m->j;

	suspend_or_resume(j, m->wall_ms);
	if (j->phase < PHASE_RUNNING)
		job_start_step(j, m->now_ms, m->wall_ms);
	if (j->phase == PHASE_CHECKING && !j->suspended)
		look_again(m, m->now_ms);
	probe(m);
	(void)job_late_check(j, m->now_ms);
	end_recovery(m);
	check_end(j);
	check_deadline(m);
	if (j->phase == PHASE_RUNNING && !j->suspended)
		job_place(j, m->now_ms, m->wall_ms);
	if (j->dispatches.count > 0)
		look_again(m, j->next_late_ms);
	ask_needs(m);
}

void job_decide(struct job *j, int64_t now_ms, int64_t wall_ms, struct arena *arena,
		struct job_plan *ret)
{
	struct making m = {
		.j = j, .now_ms = now_ms, .wall_ms = wall_ms, .arena = arena, .plan = ret
	};

	*ret = (struct job_plan){ .look_again_ms = INT64_MAX };
	j->now_ms = now_ms;
	j->wall_offset_ms = wall_ms - now_ms;
	clear_grave(j);
	if (j->spec.managed_by != NULL)
		return;
	if (j->deleted) {
		job_stop_all(j, "JobDeleted");
		j->tell_all = true;
	} else if (j->phase < PHASE_ENDED && !j->left_alone) {
		work(&m);
	}
	tend(&m);
	drain(&m);
	if (!j->deleted) {
		job_explain(j, now_ms);
		job_status_due(j, now_ms, wall_ms, arena, ret);
		check_ttl(&m);
		job_keep_forget(j, now_ms, wall_ms, ret);
		look_for_seats(&m);
	}
	tell(&m);
	give_events(&m);
}
