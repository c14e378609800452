/* job_pods.c - chunk pods: what those that exist record, and which of them stay. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "controller/decide/job_int.h"
#include "controller/decide/pod.h"

enum { MAX_POD_WINDOW = 256 };

/* A deposed leader created a pod of this name for something else: that pod is part of the record,
 * this dispatch never began. */
static void withdraw(struct job *j, struct dispatch *d)
{
	if (d->pod_creating)
		j->pods_creating--;
	d->pod_creating = false;
	map_remove(&j->by_pod, d->pub.pod);
	d->pub.pod[0] = '\0';
	if (d->pub.state != JOB_FINISHED)
		job_dispatch_stop(j, d, false, "NameTaken");
	else
		job_bury(j, d);
}

static void attach_pod(struct job *j, struct dispatch *d, const struct pod_record *r)
{
	snprintf(d->pub.pod, sizeof(d->pub.pod), "%s", r->name);
	job_dispatch_uid(d, r->uid);
	map_set(&j->by_pod, d->pub.pod, d);
	d->pub.created_wall_ms = r->created_wall_ms;
	d->pod_exists = true;
	d->pod_finished_written = r->finished;
}

/* The pod records a dispatch of this job's; *ret is NULL if nothing is to be made of it. */
static int place_pod(struct job *j, const struct pod_record *r, struct seat **ret, struct err *err)
{
	struct dispatch *d = map_get(&j->by_pod, r->name);

	*ret = NULL;
	if (strcmp(r->dispatch.job_uid, j->spec.uid) != 0)
		return err_set(err, ERR_INVALID, "pod %s: of another job uid", r->name);
	if (r->dispatch.slice >= j->next_slice)
		j->next_slice = r->dispatch.slice + 1;
	if (d != NULL && (d->pod_exists || job_dispatch_find(j, &r->dispatch) == d))
		return 0;
	if (d != NULL)
		withdraw(j, d);
	if (j->states == NULL || job_seat_of(j, r->node) == NULL)
		return err_set(err, ERR_INVALID, "pod %s: node %s is not known", r->name, r->node);
	if ((int64_t)r->dispatch.first_chunk + r->dispatch.n_chunks > j->total)
		return err_set(err, ERR_INVALID, "pod %s: chunks that the job does not have",
			       r->name);
	/* Its node may have told of the dispatch before. */
	d = job_dispatch_find(j, &r->dispatch);
	if (d == NULL)
		*ret = job_seat_of(j, r->node);
	else if (d->pub.pod[0] == '\0')
		attach_pod(j, d, r);
	return 0;
}

int job_on_pod(struct job *j, const struct doc *pod, int64_t now_ms, struct err *err)
{
	bool live = j->phase < PHASE_ENDED && !j->spec.suspend;
	struct pod_record r;
	struct seat *seat;
	struct dispatch *d;

	j->now_ms = now_ms;
	if (pod_read(pod, &r, err) < 0 || place_pod(j, &r, &seat, err) < 0)
		return err->code;
	if (seat == NULL)
		return 0;
	d = job_dispatch_new(j, &r.dispatch, seat->node->id);
	attach_pod(j, d, &r);
	if (!r.failed && live)
		job_recover(j, d, &r);
	if (d->left == 0 || d->pub.state != JOB_RECOVERED)
		job_dispatch_finish(j, d, r.failed, r.failed ? "Error" : "Completed");
	if (!r.finished && !live)
		job_todo(j, d, TODO_DELETE | TODO_CANCEL);
	return 0;
}

static void pod_failed(struct job *j, enum job_pod_answer answer, const char *message,
		       int64_t now_ms)
{
	int64_t first = answer == JOB_POD_REFUSED ? 1000 : 100;

	j->pod_window = 1;
	if (j->pod_backoff_ms < first)
		j->pod_backoff_ms = first;
	else if (now_ms >= j->pod_wait_ms)
		j->pod_backoff_ms = j->pod_backoff_ms * 2 > 60000 ? 60000 : j->pod_backoff_ms * 2;
	j->pod_wait_ms = now_ms + j->pod_backoff_ms;
	if (answer != JOB_POD_REFUSED)
		return;
	if (j->pod_refusal[0] == '\0')
		job_event(j, true, "PodsRefused", "%s", message);
	snprintf(j->pod_refusal, sizeof(j->pod_refusal), "%s", message);
	j->dirty = true;
}

void job_on_pod_created(struct job *j, const struct wire_dispatch *key, enum job_pod_answer answer,
			const char *uid, const char *message, int64_t now_ms)
{
	struct dispatch *d = job_dispatch_find(j, key);

	j->now_ms = now_ms;
	if (d == NULL || !d->pod_creating)
		return;
	if (answer == JOB_POD_TAKEN) {
		withdraw(j, d);
		return;
	}
	d->pod_creating = false;
	j->pods_creating--;
	if (answer == JOB_POD_CREATED) {
		/* One more for each: 1, 2, 4, ... from round to round. */
		j->pod_window += j->pod_window < MAX_POD_WINDOW;
		j->pod_backoff_ms = 0;
		j->pod_refusal[0] = '\0';
		d->pod_exists = true;
		j->tend_soon = true;
		job_dispatch_uid(d, uid != NULL ? uid : "");
		if (d->pub.state == JOB_WANTED) {
			d->pub.state = JOB_READY;
			job_todo(j, d, TODO_SEND);
		}
		return;
	}
	pod_failed(j, answer, message != NULL ? message : "", now_ms);
	if (d->pub.state == JOB_WANTED)
		job_todo(j, d, TODO_CREATE);
	else if (d->pub.state == JOB_FINISHED)
		job_bury(j, d);
}

void job_on_pod_gone(struct job *j, const char *pod, const char *uid)
{
	struct dispatch *d = map_get(&j->by_pod, pod);

	if (d == NULL || d->pod_creating)
		return;
	if (uid != NULL && *uid != '\0' && *d->pub.pod_uid != '\0' &&
	    strcmp(uid, d->pub.pod_uid) != 0)
		return;
	d->pod_exists = false;
	d->todo &= ~(unsigned)(TODO_RUNNING | TODO_FINISHED | TODO_DELETE);
	if (d->pub.state != JOB_FINISHED)
		job_dispatch_stop(j, d, false, "PodDeleted");
	else
		job_bury(j, d);
}

void job_on_pod_written(struct job *j, const struct wire_dispatch *key)
{
	(void)j;
	(void)key;
}

/* ---- which stay ------------------------------------------------------------------------- */

/* True if every chunk of it is in the status. */
static bool is_written(struct job *j, struct dispatch *d)
{
	if (j->phase == PHASE_ENDED)
		return true;
	while (d->decided_to < d->pub.key.n_chunks &&
	       j->states[d->pub.key.first_chunk + d->decided_to] >= CHUNK_ACCEPTED)
		d->decided_to++;
	return d->decided_to == d->pub.key.n_chunks;
}

static bool is_kept(const struct dispatch *d)
{
	return d->pod_exists && !d->pod_deleting && (d->todo & TODO_DELETE) == 0;
}

/* Delete up to n finished pods, the oldest first. Returns how many. */
static size_t trim(struct job *j, size_t n, bool all)
{
	size_t gone = 0;

	LIST_EACH (struct dispatch, d, &j->history, in_all) {
		bool spared = !all && (d->pub.disputed || d->pub.failed);

		if (gone == n || spared || !is_kept(d) || !is_written(j, d))
			continue;
		d->todo &= ~(unsigned)TODO_FINISHED;
		job_todo(j, d, TODO_DELETE);
		gone++;
	}
	return gone;
}

/* Finished pods beyond the limit go, disputed and failed ones last. */
static void trim_history(struct job *j)
{
	size_t limit = (size_t)j->spec.pod_history;
	size_t kept = 0;

	LIST_EACH (const struct dispatch, d, &j->history, in_all) {
		kept += is_kept(d);
	}
	if (kept > limit)
		kept -= trim(j, kept - limit, false);
	if (kept > limit)
		(void)trim(j, kept - limit, true);
}

/* A pod that will go as soon as the next status is written is not worth two writes. */
static bool may_go_soon(const struct job *j, const struct dispatch *d, int64_t now_ms)
{
	return j->history.count > (size_t)j->spec.pod_history &&
	       now_ms - d->finished_ms < JOB_WRITE_MS && !d->pub.failed && !d->pub.disputed;
}

void job_tend_pods(struct job *j, int64_t now_ms)
{
	while (j->short_runs.count > 0) {
		struct dispatch *d = LIST_FIRST(&j->short_runs, struct dispatch, in_short);

		if (d->pub.sent_wall_ms + JOB_POD_RUNNING_MS > now_ms + j->wall_offset_ms)
			break;
		list_remove(&d->in_short);
		job_todo(j, d, TODO_RUNNING);
	}
	if (j->history.count > (size_t)j->spec.pod_history)
		trim_history(j);
	LIST_EACH (struct dispatch, d, &j->history, in_all) {
		if (is_kept(d) && !d->pod_finished_written && d->todo == 0 &&
		    !may_go_soon(j, d, now_ms))
			job_todo(j, d, TODO_FINISHED);
	}
}
