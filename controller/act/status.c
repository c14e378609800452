/*
 * status.c - writes of WarpJobs: the status of each, one at a time, and their deletion.
 *
 * All jobs share two buckets, of writes and of bytes, since each write sends the whole object.
 * Writes that end a job or change its state go first.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "controller/act/act_int.h"

struct act_statuses {
	struct act *act;     /* borrowed */
	struct list first;   /* act_jobs that end or change state */
	struct list rest;    /* other act_jobs */
	struct timer *start; /* owned */
	size_t in_flight;
	double writes; /* in the buckets */
	double bytes;
	int64_t filled_ms;
};

static void start_soon(struct act_statuses *s, int64_t delay_ms)
{
	if (!timer_is_running(s->start) || delay_ms == 0)
		timer_start(s->start, delay_ms);
}

static void queue(struct act_job *j)
{
	struct act_statuses *s = j->act->statuses;

	list_remove(&j->status_link);
	list_add(j->status_first ? &s->first : &s->rest, &j->status_link);
	j->status_state = ACT_STATUS_QUEUED;
	start_soon(s, 0);
}

static void done(struct act_job *j)
{
	doc_unref(MOVE(j->status));
	j->status_state = ACT_STATUS_IDLE;
	j->act->statuses->in_flight--;
	start_soon(j->act->statuses, 0);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void refused(struct act_job *j, int64_t wait_ms)
{
	done(j);
	job_on_status_refused(j->job, clock_boot_ms() + wait_ms);
	act_touch(j);
}

static void on_read(void *arg, const struct act_answer *answer);

/* Nobody knows what the object says now: ask. */
static void read_job(struct act_job *j)
{
	j->status_call = act_call(
	    j->act,
	    &(struct act_request){
		.verb = ACT_GET, .resource = &kube_warpjobs, .ns = j->ns, .name = j->name },
	    on_read, j);
}

static void on_read_again(struct act_job *j, int64_t retry_after_ms)
{
	int64_t wait_ms =
	    retry_after_ms > ACT_STATUS_RETRY_MS ? retry_after_ms : ACT_STATUS_RETRY_MS;

	/* The outcome of the write stays unknown until a read succeeds. */
	j->status_unread = true;
	j->status_not_before_ms = clock_boot_ms() + wait_ms;
	j->act->statuses->in_flight--;
	queue(j);
}

/* The answer to the write was lost, or it had no effect. */
static void written_after_all(struct act_job *j, const char *was, const struct doc *now)
{
	act_keep_written(j, was, now);
	act_touch(j);
}

static void on_read(void *arg, const struct act_answer *answer)
{
	struct act_job *j = arg;
	struct act *a = j->act;
	AUTO(mem_freep) char *was = mem_strdup(job_partial(j->job));
	struct err err = { 0 };
	int code = answer->err != NULL ? answer->err->code : 0;

	act_call_free(MOVE(j->status_call));
	if (code == ERR_NOT_FOUND || (code == 0 && strcmp(kube_uid(answer->object), j->uid) != 0)) {
		done(j);
		act_job_gone(j);
		return;
	}
	if (code != 0) {
		on_read_again(j, answer->retry_after_ms);
		return;
	}
	done(j);
	code = job_on_status_read(j->job, answer->object, clock_boot_ms(), &err);
	if (code == ERR_DENIED)
		act_depose(a, err.text);
	else if (code == ERR_CONFLICT)
		act_job_again(j, answer->object);
	else if (code < 0)
		act_job_leave(j, &err);
	else
		written_after_all(j, was, answer->object);
	/* Last: the store may say that the job is gone. */
	act_store_put(a->jobs, answer->object);
}

static void on_written(void *arg, const struct act_answer *answer)
{
	struct act_job *j = arg;
	int code = answer->err != NULL ? answer->err->code : 0;

	act_call_free(MOVE(j->status_call));
	switch (code) {
	case 0:
		done(j);
		act_keep_written(j, job_partial(j->job), answer->object);
		job_on_status_written(j->job, clock_boot_ms());
		act_touch(j);
		/* Last: the store may say that the job is gone. */
		act_store_put(j->act->jobs, answer->object);
		break;
	case ERR_UNAVAILABLE:
		refused(j, answer->retry_after_ms > ACT_STATUS_RETRY_MS ? answer->retry_after_ms
									: ACT_STATUS_RETRY_MS);
		break;
	case ERR_DENIED:
	case ERR_TOO_BIG:
		log_error("status not written", kv_str("job", j->key), kv_err(answer->err));
		refused(j, ACT_STATUS_INVALID_MS);
		break;
	case ERR_INVALID:
		/* The rule on epochs speaks this way as well: the object says which it is. */
		log_error("status refused", kv_str("job", j->key), kv_err(answer->err));
		j->status_not_before_ms = clock_boot_ms() + ACT_STATUS_INVALID_MS;
		read_job(j);
		break;
	default:
		read_job(j);
		break;
	}
}

/* ---- starting --------------------------------------------------------------------------- */

static void fill(struct act_statuses *s)
{
	int64_t now_ms = clock_boot_ms();
	double seconds = (double)(now_ms - s->filled_ms) / 1000;

	s->filled_ms = now_ms;
	s->writes += seconds * ACT_STATUS_WRITES_S;
	s->bytes += seconds * ACT_STATUS_BYTES_S;
	if (s->writes > ACT_STATUS_BURST_WRITES)
		s->writes = ACT_STATUS_BURST_WRITES;
	if (s->bytes > ACT_STATUS_BURST_BYTES)
		s->bytes = ACT_STATUS_BURST_BYTES;
}

/* Milliseconds until a write of this size fits; 0: now. */
static int64_t wait_for_room(const struct act_statuses *s, size_t size)
{
	double for_writes = (1 - s->writes) * 1000 / ACT_STATUS_WRITES_S;
	double for_bytes = ((double)size - s->bytes) * 1000 / ACT_STATUS_BYTES_S;
	double wait = for_writes > for_bytes ? for_writes : for_bytes;

	return wait <= 0 ? 0 : (int64_t)wait + 1;
}

/* NULL: what the object says now has to be read first. */
static struct doc *with_status(struct act_job *j, size_t *ret_size)
{
	const struct doc *seen = kube_store_get(j->act->jobs, j->key);

	if (seen == NULL || strcmp(kube_uid(seen), j->uid) != 0 || !job_knows_status(j->job, seen))
		return NULL;
	/* The server writes the whole object, whatever is sent. */
	*ret_size = doc_size(seen) + doc_size(j->status);
	return act_with_status(&kube_warpjobs, seen, doc_ref(j->status));
}

static void begin(struct act_statuses *s, struct act_job *j, const struct doc *body)
{
	list_remove(&j->status_link);
	j->status_state = ACT_STATUS_BUSY;
	s->in_flight++;
	if (body == NULL) {
		read_job(j);
		return;
	}
	j->status_call = act_call(s->act,
				  &(struct act_request){ .verb = ACT_REPLACE,
							 .resource = &kube_warpjobs,
							 .ns = j->ns,
							 .name = j->name,
							 .sub = "status",
							 .body = body },
				  on_written, j);
}

/* Returns 0 if the write has begun, else how long it has to wait: for its own time, or (*is_full)
 * for the buckets. */
static int64_t start_one(struct act_statuses *s, struct act_job *j, bool *is_full)
{
	AUTO(doc_unrefp) struct doc *body = NULL;
	int64_t wait_ms = j->status_not_before_ms - clock_boot_ms();
	size_t size = 0;

	if (wait_ms > 0)
		return wait_ms;
	if (!j->status_unread)
		body = with_status(j, &size);
	wait_ms = wait_for_room(s, size);
	if (wait_ms > 0) {
		*is_full = true;
		return wait_ms;
	}
	j->status_unread = false;
	s->writes -= 1;
	s->bytes -= (double)size;
	begin(s, j, body);
	return 0;
}

/* Returns how long to wait for the first of the list that has to; 0: none. */
static int64_t start_list(struct act_statuses *s, struct list *l)
{
	int64_t least_ms = 0;
	bool is_full = false;

	LIST_EACH (struct act_job, j, l, status_link) {
		int64_t wait_ms;

		if (s->in_flight >= ACT_STATUS_CALLS)
			return 0;
		wait_ms = start_one(s, j, &is_full);
		if (is_full)
			return wait_ms;
		if (wait_ms > 0 && (least_ms == 0 || wait_ms < least_ms))
			least_ms = wait_ms;
	}
	return least_ms;
}

static void start_due(void *arg)
{
	struct act_statuses *s = arg;
	int64_t wait_ms;
	int64_t rest_ms;

	fill(s);
	wait_ms = start_list(s, &s->first);
	rest_ms = start_list(s, &s->rest);
	if (wait_ms == 0 || (rest_ms > 0 && rest_ms < wait_ms))
		wait_ms = rest_ms;
	if (wait_ms > 0)
		timer_start(s->start, wait_ms);
}

void act_status_write(struct act_job *j, const struct doc *status, bool first)
{
	/* The job gives the next one only after the answer to this one. */
	ASSERT(j->status_state == ACT_STATUS_IDLE);
	j->status = doc_ref(status);
	j->status_first = first;
	queue(j);
}

void act_status_drop(struct act_job *j)
{
	if (j->status_state == ACT_STATUS_BUSY)
		j->act->statuses->in_flight--;
	act_call_free(MOVE(j->status_call));
	act_call_free(MOVE(j->say_call));
	list_remove(&j->status_link);
	doc_unref(MOVE(j->status));
	j->status_state = ACT_STATUS_IDLE;
}

/* ---- other writes ----------------------------------------------------------------------- */

static void on_said(void *arg, const struct act_answer *answer)
{
	struct act_job *j = arg;

	act_call_free(MOVE(j->say_call));
	if (answer->err != NULL && answer->err->code != ERR_NOT_FOUND)
		log_error("why not written", kv_str("job", j->key), kv_err(answer->err));
}

void act_status_say(struct act_job *j, const char *why)
{
	AUTO(doc_unrefp) struct doc *patch = NULL;
	const struct doc *seen = kube_store_get(j->act->jobs, j->key);

	if (j->say_call != NULL || strcmp(doc_str(seen, "status.why", ""), why) == 0)
		return;
	patch = doc_new_map();
	doc_set_path(patch, "metadata.uid", doc_new_str(j->uid));
	doc_set_path(patch, "status.why", doc_new_str(why));
	doc_set_path(patch, "status.controllerEpoch", doc_new_int((int64_t)j->act->options.epoch));
	j->say_call = act_call(j->act,
			       &(struct act_request){ .verb = ACT_MERGE,
						      .resource = &kube_warpjobs,
						      .ns = j->ns,
						      .name = j->name,
						      .sub = "status",
						      .body = patch },
			       on_said, j);
}

static void on_removed(void *arg, const struct act_answer *answer)
{
	struct act_job *j = arg;

	act_call_free(MOVE(j->remove_call));
	if (answer->err == NULL || answer->err->code == ERR_NOT_FOUND ||
	    answer->err->code == ERR_CONFLICT)
		return; /* gone, or changed: the watch says which */
	log_warn("job not removed after its ttl", kv_str("job", j->key), kv_err(answer->err));
	j->look_again_ms = clock_boot_ms() + ACT_STATUS_RETRY_MS;
	act_touch(j);
}

void act_job_remove(struct act_job *j)
{
	AUTO(doc_unrefp) struct doc *options = NULL;
	const struct doc *seen = kube_store_get(j->act->jobs, j->key);

	if (j->remove_call != NULL || seen == NULL)
		return;
	options = act_delete_options(j->uid, kube_rv(seen), "Background", -1);
	j->remove_call = act_call(j->act,
				  &(struct act_request){ .verb = ACT_DELETE,
							 .resource = &kube_warpjobs,
							 .ns = j->ns,
							 .name = j->name,
							 .body = options },
				  on_removed, j);
}

/* ---- life ------------------------------------------------------------------------------- */

struct act_statuses *act_statuses_new(struct act *a)
{
	struct act_statuses *s = NEW(struct act_statuses);

	s->act = a;
	s->start = timer_new(a->loop, "write statuses", start_due, s);
	s->filled_ms = clock_boot_ms();
	s->writes = ACT_STATUS_BURST_WRITES;
	s->bytes = ACT_STATUS_BURST_BYTES;
	return s;
}

void act_statuses_free(struct act_statuses *s)
{
	if (s == NULL)
		return;
	timer_free(s->start);
	mem_free(s);
}
