/*
 * pods.c - writes of pods: in order for each pod, side by side for different ones.
 *
 * A *line* is what is to be done with one pod name. Only its first operation is under way. How many
 * creations a job starts is decided by decide (slow start); here is only the bound for all.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/act_int.h"

enum op_kind { OP_CREATE, OP_STATUS, OP_DELETE };

struct op {
	struct list_link link;     /* in line.ops */
	struct list_link job_link; /* in act_job.pod_ops */
	enum op_kind kind;
	struct line *line;   /* borrowed */
	struct act_job *job; /* borrowed; NULL: nobody waits for the answer */
	struct wire_dispatch key;
	struct doc *body; /* owned: pod or patch */
	char *uid;        /* owned; NULL: unknown */
	int grace_s;      /* OP_DELETE */
	int tries;
};

struct line {
	struct act_pods *pods; /* borrowed */
	struct list_link link; /* in act_pods.ready or .later */
	char key[KUBE_KEY];
	char ns[KUBE_KEY];
	char name[KUBE_KEY];
	struct list ops;
	bool is_busy;          /* the first operation is under way */
	int64_t at_ms;         /* in .later until then */
	struct act_call *call; /* owned: of the first operation */
};

struct act_pods {
	struct act *act;     /* borrowed */
	struct map by_key;   /* -> struct line, owned; none is empty */
	struct list ready;   /* lines whose first operation may start */
	struct list later;   /* lines that wait for a time */
	struct timer *start; /* owned */
	size_t in_flight;
};

static void start_soon(struct act_pods *p, int64_t delay_ms)
{
	if (!timer_is_running(p->start) || delay_ms == 0)
		timer_start(p->start, delay_ms);
}

static void op_free(struct op *op)
{
	list_remove(&op->link);
	list_remove(&op->job_link);
	doc_unref(op->body);
	mem_free(op->uid);
	mem_free(op);
}

static void line_free(void *value)
{
	struct line *line = value;

	LIST_EACH (struct op, op, &line->ops, link)
		op_free(op);
	list_remove(&line->link);
	act_call_free(line->call);
	mem_free(line);
}

static struct line *line_of(struct act_pods *p, const char *ns, const char *name)
{
	char key[KUBE_KEY];
	struct line *line;

	ASSERT(kube_key_of(ns, name, key));
	line = map_get(&p->by_key, key);
	if (line != NULL)
		return line;
	line = NEW(struct line);
	line->pods = p;
	memcpy(line->key, key, sizeof(key));
	kube_key_split(key, line->ns, line->name);
	map_set(&p->by_key, key, line);
	return line;
}

/* Drop operations that another one makes pointless; the first may be under way. */
static void drop_behind(struct line *line, enum op_kind kind)
{
	LIST_EACH (struct op, op, &line->ops, link) {
		if (op->kind != kind || (line->is_busy && &op->link == line->ops.first))
			continue;
		op_free(op);
	}
}

static void add(struct act_pods *p, struct line *line, struct op *op)
{
	op->line = line;
	list_add(&line->ops, &op->link);
	if (op->job != NULL)
		list_add(&op->job->pod_ops, &op->job_link);
	if (line->is_busy || list_has(&line->link))
		return;
	list_add(&p->ready, &line->link);
	start_soon(p, 0);
}

/* ---- answers ---------------------------------------------------------------------------- */

/* The first operation is done; the line goes on with the next. */
static void finish(struct line *line)
{
	struct act_pods *p = line->pods;
	struct op *op = LIST_FIRST(&line->ops, struct op, link);

	op_free(op);
	line->is_busy = false;
	if (line->ops.count > 0) {
		list_add(&p->ready, &line->link);
	} else {
		map_remove(&p->by_key, line->key);
		line_free(line);
	}
	start_soon(p, 0);
}

static void again(struct line *line, struct op *op, const struct act_answer *answer)
{
	int64_t wait_ms = act_backoff_ms(op->tries++, ACT_POD_BACKOFF_MS, ACT_POD_BACKOFF_MAX_MS);

	if (wait_ms < answer->retry_after_ms)
		wait_ms = answer->retry_after_ms;
	line->is_busy = false;
	line->at_ms = clock_boot_ms() + wait_ms;
	list_add(&line->pods->later, &line->link);
	start_soon(line->pods, ACT_COALESCE_MS);
}

static void created(struct op *op, enum job_pod_answer answer, const char *uid, const char *message)
{
	if (op->job == NULL || op->job->job == NULL)
		return;
	job_on_pod_created(op->job->job, &op->key, answer, uid, message, clock_boot_ms());
	act_touch(op->job);
}

/* It exists - unless its deletion was seen before the answer came. */
static void take_pod(struct line *line, struct op *op, const struct doc *pod)
{
	struct kube_store *pods = line->pods->act->pods;

	act_store_put(pods, pod);
	created(op, JOB_POD_CREATED, kube_uid(pod), "");
	if (op->job != NULL && op->job->job != NULL &&
	    !text_equal(kube_uid(kube_store_get(pods, line->key)), kube_uid(pod)))
		job_on_pod_gone(op->job->job, line->name, kube_uid(pod));
}

/* A leader before us may have used the same numbers for something else. */
static bool same_dispatch(const struct wire_dispatch *a, const struct wire_dispatch *b)
{
	return a->epoch == b->epoch && a->slice == b->slice && a->replica == b->replica &&
	       a->attempt == b->attempt && a->first_chunk == b->first_chunk &&
	       a->n_chunks == b->n_chunks;
}

/* The name is taken: is it by the pod that we want? */
static void on_found(void *arg, const struct act_answer *answer)
{
	struct line *line = arg;
	struct act_pods *p = line->pods;
	struct op *op = LIST_FIRST(&line->ops, struct op, link);
	const char *owner = op->job != NULL ? op->job->uid : "";
	struct pod_record record;
	struct err err = { 0 };

	act_call_free(MOVE(line->call));
	p->in_flight--;
	if (answer->err != NULL || kube_is_deleting(answer->object)) {
		created(op, JOB_POD_RETRY, NULL, "");
		finish(line);
		return;
	}
	if (!text_equal(kube_controller_uid(answer->object), owner) ||
	    pod_read(answer->object, &record, &err) < 0) {
		created(op, JOB_POD_REFUSED, NULL,
			"a pod of that name exists and does not belong to this job");
	} else if (!same_dispatch(&record.dispatch, &op->key)) {
		created(op, JOB_POD_TAKEN, NULL, "");
	} else {
		take_pod(line, op, answer->object);
	}
	finish(line);
}

static void read_pod(struct line *line)
{
	struct act_pods *p = line->pods;

	p->in_flight++;
	line->call = act_call(
	    p->act,
	    &(struct act_request){
		.verb = ACT_GET, .resource = &kube_pods, .ns = line->ns, .name = line->name },
	    on_found, line);
}

static void on_create(struct line *line, struct op *op, const struct act_answer *answer)
{
	int code = answer->err != NULL ? answer->err->code : 0;

	if (code == 0) {
		take_pod(line, op, answer->object);
		finish(line);
	} else if (code == ERR_EXISTS || code == ERR_TIMEOUT) {
		read_pod(line);
	} else if (code == ERR_UNAVAILABLE || code == ERR_CONFLICT) {
		created(op, JOB_POD_RETRY, NULL, answer->err->text);
		finish(line);
	} else {
		log_warn("pod refused", kv_str("pod", line->key), kv_err(answer->err));
		created(op, JOB_POD_REFUSED, NULL, answer->err->text);
		finish(line);
	}
}

static void status_written(struct op *op)
{
	if (op->job == NULL || op->job->job == NULL)
		return;
	job_on_pod_written(op->job->job, &op->key);
	act_touch(op->job);
}

static void on_status(struct line *line, struct op *op, const struct act_answer *answer)
{
	int code = answer->err != NULL ? answer->err->code : 0;

	if (code == 0)
		act_store_put(line->pods->act->pods, answer->object);
	else if (code == ERR_UNAVAILABLE || code == ERR_TIMEOUT || code == ERR_DENIED) {
		if (code == ERR_DENIED)
			log_error("status of a pod not written", kv_str("pod", line->key),
				  kv_err(answer->err));
		again(line, op, answer);
		return;
	} else if (code != ERR_NOT_FOUND && code != ERR_CONFLICT) {
		log_error("status of a pod refused", kv_str("pod", line->key), kv_err(answer->err));
	}
	status_written(op);
	finish(line);
}

static void on_delete(struct line *line, struct op *op, const struct act_answer *answer)
{
	int code = answer->err != NULL ? answer->err->code : 0;

	if (code != 0 && code != ERR_NOT_FOUND && code != ERR_CONFLICT) {
		if (!err_retryable(code))
			log_error("pod not deleted", kv_str("pod", line->key), kv_err(answer->err));
		again(line, op, answer);
		return;
	}
	if (op->uid != NULL)
		kube_store_forget(line->pods->act->pods, line->key, op->uid);
	if (op->job != NULL && op->job->job != NULL) {
		job_on_pod_gone(op->job->job, line->name, op->uid != NULL ? op->uid : "");
		act_touch(op->job);
	}
	finish(line);
}

static void on_answer(void *arg, const struct act_answer *answer)
{
	struct line *line = arg;
	struct op *op = LIST_FIRST(&line->ops, struct op, link);

	act_call_free(MOVE(line->call));
	line->pods->in_flight--;
	if (op->kind == OP_CREATE)
		on_create(line, op, answer);
	else if (op->kind == OP_STATUS)
		on_status(line, op, answer);
	else
		on_delete(line, op, answer);
}

/* ---- starting --------------------------------------------------------------------------- */

static void begin(struct act_pods *p, struct line *line)
{
	struct op *op = LIST_FIRST(&line->ops, struct op, link);
	AUTO(doc_unrefp) struct doc *options = NULL;
	struct act_request r = { .resource = &kube_pods, .ns = line->ns, .name = line->name };

	list_remove(&line->link);
	line->is_busy = true;
	if (op->kind == OP_CREATE) {
		r.verb = ACT_CREATE;
		r.name = NULL;
		r.body = op->body;
	} else if (op->kind == OP_STATUS) {
		r.verb = ACT_MERGE;
		r.sub = "status";
		r.body = op->body;
	} else {
		options = act_delete_options(op->uid, NULL, NULL, op->grace_s);
		r.verb = ACT_DELETE;
		r.body = options;
	}
	p->in_flight++;
	line->call = act_call(p->act, &r, on_answer, line);
}

/* Lines whose time has come are ready; returns when the next one is. */
static int64_t wake_lines(struct act_pods *p, int64_t now_ms)
{
	int64_t next_ms = INT64_MAX;

	LIST_EACH (struct line, line, &p->later, link) {
		if (line->at_ms <= now_ms) {
			list_remove(&line->link);
			list_add(&p->ready, &line->link);
		} else if (line->at_ms < next_ms) {
			next_ms = line->at_ms;
		}
	}
	return next_ms;
}

static void start_due(void *arg)
{
	struct act_pods *p = arg;
	int64_t next_ms = wake_lines(p, clock_boot_ms());

	LIST_EACH (struct line, line, &p->ready, link) {
		if (p->in_flight >= ACT_POD_CALLS)
			break;
		begin(p, line);
	}
	if (next_ms < INT64_MAX)
		timer_start_at(p->start, next_ms);
}

/* ---- what is wanted --------------------------------------------------------------------- */

static struct op *op_new(enum op_kind kind, struct act_job *j, const struct job_dispatch *d,
			 struct doc *body)
{
	struct op *op = NEW(struct op);

	op->kind = kind;
	op->job = j;
	op->body = body;
	op->grace_s = 0;
	if (d != NULL) {
		op->key = d->key;
		op->uid = d->pod_uid != NULL && *d->pod_uid != '\0' ? mem_strdup(d->pod_uid) : NULL;
	}
	return op;
}

void act_pod_create(struct act_job *j, const struct job_dispatch *d, struct doc *pod)
{
	struct act_pods *p = j->act->pod_writes;

	add(p, line_of(p, j->ns, d->pod), op_new(OP_CREATE, j, d, pod));
}

/* A patch that carries the uid meets only that pod. */
static struct op *patch_op(struct act_job *j, const struct job_dispatch *d, struct doc *patch,
			   const char *uid)
{
	if (uid != NULL && *uid != '\0')
		doc_set_path(patch, "metadata.uid", doc_new_str(uid));
	return op_new(OP_STATUS, j, d, patch);
}

void act_pod_status(struct act_job *j, const struct job_dispatch *d, struct doc *patch)
{
	struct act_pods *p = j->act->pod_writes;
	struct line *line = line_of(p, j->ns, d->pod);

	drop_behind(line, OP_STATUS);
	add(p, line, patch_op(j, d, patch, d->pod_uid));
}

void act_pod_delete(struct act_job *j, const struct job_dispatch *d)
{
	struct act_pods *p = j->act->pod_writes;
	struct line *line = line_of(p, j->ns, d->pod);

	drop_behind(line, OP_STATUS);
	add(p, line, op_new(OP_DELETE, j, d, NULL));
}

void act_pod_patch(struct act *a, const struct doc *pod, struct doc *patch)
{
	struct act_pods *p = a->pod_writes;
	struct line *line = line_of(p, kube_namespace(pod), kube_name(pod));

	drop_behind(line, OP_STATUS);
	add(p, line, patch_op(NULL, NULL, patch, kube_uid(pod)));
}

void act_pod_confirm(struct act *a, const struct doc *pod)
{
	struct act_pods *p = a->pod_writes;
	struct line *line;
	struct op *op;

	/* Without a grace period nobody waits for a kubelet. */
	if (doc_int(pod, "metadata.deletionGracePeriodSeconds", 0) <= 0)
		return;
	line = line_of(p, kube_namespace(pod), kube_name(pod));
	op = op_new(OP_DELETE, NULL, NULL, NULL);
	op->uid = mem_strdup(kube_uid(pod));
	drop_behind(line, OP_STATUS);
	drop_behind(line, OP_DELETE);
	add(p, line, op);
}

/* What is under way and what deletes goes on without it, the rest is dropped. */
void act_pods_drop(struct act_job *j)
{
	LIST_EACH (struct op, op, &j->pod_ops, job_link) {
		struct line *line = op->line;

		if (op->kind == OP_DELETE || (line->call != NULL && line->ops.first == &op->link)) {
			list_remove(&op->job_link);
			op->job = NULL;
			continue;
		}
		op_free(op);
		if (line->ops.count > 0)
			continue;
		map_remove(&line->pods->by_key, line->key);
		line_free(line);
	}
}

/* ---- life ------------------------------------------------------------------------------- */

struct act_pods *act_pods_new(struct act *a)
{
	struct act_pods *p = NEW(struct act_pods);

	p->act = a;
	p->start = timer_new(a->loop, "write pods", start_due, p);
	return p;
}

void act_pods_free(struct act_pods *p)
{
	if (p == NULL)
		return;
	map_done(&p->by_key, line_free);
	timer_free(p->start);
	mem_free(p);
}
