/*
 * keep.c - the store: what a status refers to is there before it is written, results before the
 * last write, and what nothing refers to any more goes.
 *
 * Without a store decide gives nothing to keep, and a job whose state is in one waits.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/act_int.h"
#include "store/store.h"

/* What one plan gave to keep. The operations of a store answer in their order, so that the last
 * answer is the end. */
struct act_keep {
	struct act_job *job;  /* borrowed */
	struct doc *status;   /* owned: to be written then; NULL: the results of a job that ends */
	bool first;           /* ... urgently */
	struct store_op *put; /* under way, or NULL */
	struct keep_join {
		struct act_keep *keep; /* borrowed */
		struct store_op *op;   /* under way, or NULL */
		struct job_blob whole;
	} * joins; /* owned */
	size_t n_joins;
	size_t left;
	struct err err; /* the first failure */
};

static struct store *store_of(const struct act_job *j)
{
	return j->act->options.store;
}

static void keep_free(struct act_keep *k)
{
	if (k == NULL)
		return;
	store_op_cancel(k->put);
	for (size_t i = 0; i < k->n_joins; i++)
		store_op_cancel(k->joins[i].op);
	doc_unref(k->status);
	mem_free(k->joins);
	mem_free(k);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void tell_trouble(struct act_job *j, const struct err *err)
{
	struct err why = *err;

	log_error("store", kv_str("job", j->key), kv_err(err));
	act_job_event(j, true, "StoreTrouble", err->text);
	err_wrap(&why, "the store");
	act_status_say(j, why.text);
}

static void write_or_wait(struct act_job *j, struct act_keep *k)
{
	if (k->err.code == 0) {
		act_status_write(j, k->status, k->first);
		return;
	}
	tell_trouble(j, &k->err);
	job_on_status_refused(j->job, clock_boot_ms() + ACT_KEEP_RETRY_MS);
}

static void end_or_wait(struct act_job *j, struct act_keep *k)
{
	AUTO(mem_freep) struct job_blob *wholes = NEW_ARRAY(struct job_blob, k->n_joins);

	for (size_t i = 0; i < k->n_joins; i++)
		wholes[i] = k->joins[i].whole;
	if (k->err.code == 0) {
		job_on_kept(j->job, wholes, k->n_joins, clock_boot_ms());
		return;
	}
	tell_trouble(j, &k->err);
	job_on_keep_failed(j->job, clock_boot_ms() + ACT_KEEP_RETRY_MS);
}

static void answered(struct act_keep *k, const struct err *err)
{
	struct act_job *j = k->job;

	if (err->code != 0 && k->err.code == 0)
		k->err = *err;
	if (--k->left > 0)
		return;
	j->keep = NULL;
	if (k->status != NULL)
		write_or_wait(j, k);
	else
		end_or_wait(j, k);
	keep_free(k);
	act_touch(j);
}

static void on_put(void *arg, const struct err *err)
{
	struct act_keep *k = arg;

	k->put = NULL;
	answered(k, err);
}

static void on_joined(void *arg, const struct store_part *whole, const struct err *err)
{
	struct keep_join *join = arg;

	join->op = NULL;
	if (err->code == 0)
		join->whole = (struct job_blob){ .digest = whole->digest, .len = whole->len };
	answered(join->keep, err);
}

/* ---- keeping ---------------------------------------------------------------------------- */

static void put(struct act_keep *k, const struct job_plan *plan)
{
	struct act_job *j = k->job;
	struct store_blob *blobs =
	    arena_new_array(&j->act->arena, struct store_blob, plan->n_blobs);

	for (size_t i = 0; i < plan->n_blobs; i++)
		blobs[i] = (struct store_blob){ .digest = plan->blobs[i].digest,
						.bytes = plan->blobs[i].bytes,
						.len = (size_t)plan->blobs[i].len };
	k->left++;
	k->put = store_put(store_of(j), j->uid, blobs, plan->n_blobs, on_put, k);
}

static void join_one(struct act_keep *k, struct keep_join *to, const struct job_join *from)
{
	struct act_job *j = k->job;
	struct store_part *parts =
	    arena_new_array(&j->act->arena, struct store_part, from->n_parts);

	for (size_t i = 0; i < from->n_parts; i++)
		parts[i] = (struct store_part){ .digest = from->parts[i].sha256,
						.len = from->parts[i].len };
	to->keep = k;
	k->left++;
	to->op = store_join(store_of(j), j->uid, parts, from->n_parts, on_joined, to);
}

void act_keep(struct act_job *j, const struct job_plan *plan)
{
	struct act_keep *k = NEW(struct act_keep);

	ASSERT(j->keep == NULL && store_of(j) != NULL);
	j->keep = k;
	k->job = j;
	k->status = plan->status != NULL ? doc_ref(plan->status) : NULL;
	k->first = plan->urgent || plan->final;
	k->joins = NEW_ARRAY(struct keep_join, plan->n_joins);
	k->n_joins = plan->n_joins;
	if (plan->n_blobs > 0)
		put(k, plan);
	for (size_t i = 0; i < plan->n_joins; i++)
		join_one(k, &k->joins[i], &plan->joins[i]);
}

void act_keep_drop(struct act_job *j)
{
	keep_free(MOVE(j->keep));
	store_op_cancel(MOVE(j->state_read));
}

/* ---- the state of a job that goes on ----------------------------------------------------- */

static void on_state(void *arg, const void *bytes, size_t len, uint64_t size, const struct err *err)
{
	struct act_job *j = arg;
	struct err why = *err;

	(void)size;
	j->state_read = NULL;
	if (err->code == 0) {
		job_on_partial(j->job, &j->state_digest, bytes, len);
	} else {
		err_wrap(&why, "status.partial: the store");
		job_on_missing(j->job, why.text);
	}
	act_touch(j);
}

void act_keep_read_state(struct act_job *j)
{
	const struct hash_digest *digest = job_partial_needed(j->job);

	if (digest == NULL || j->state_read != NULL)
		return;
	if (store_of(j) == NULL) {
		job_on_missing(j->job, "what was accepted is in a store: start the controller "
				       "with --store");
		return;
	}
	j->state_digest = *digest;
	j->state_read = store_get(store_of(j), j->uid, digest, JOB_MAX_STATE, on_state, j);
}

/* ---- what nothing refers to -------------------------------------------------------------- */

static const char *state_of(const struct doc *job)
{
	return doc_str(job, "status.partial", "");
}

/* Of a job that is over only its results stay. */
static void keep_results(struct store *s, const char *uid, const struct doc *job)
{
	const struct doc *results = doc_get(job, "status.results");
	AUTO(mem_freep)
	struct hash_digest *kept = NEW_ARRAY(struct hash_digest, doc_count(results));
	size_t n = 0;

	DOC_EACH(results, r)
	{
		const char *hex = doc_str(r, "sha256", "");
		struct err err = { 0 };

		if (*hex != '\0' && hash_parse(hex, strlen(hex), &kept[n], &err) >= 0)
			n++;
	}
	store_keep(s, uid, kept, n);
}

void act_keep_written(struct act_job *j, const char *was, const struct doc *now)
{
	struct hash_digest old;
	struct err err = { 0 };

	if (store_of(j) == NULL)
		return;
	if (job_status_is_final(doc_get(now, "status")))
		keep_results(store_of(j), j->uid, now);
	else if (strchr(was, ':') != NULL && strcmp(was, state_of(now)) != 0 &&
		 hash_parse(was, strlen(was), &old, &err) >= 0)
		store_remove(store_of(j), j->uid, &old);
}

void act_keep_forget(struct act_job *j)
{
	if (store_of(j) != NULL)
		store_keep(store_of(j), j->uid, NULL, 0);
}

/* The first lists are complete: what an earlier leader left of jobs that are gone, or over. */
static void on_list(void *arg, const char *const *uids, size_t n, const struct err *err)
{
	struct act *a = arg;

	a->list_store = NULL;
	if (err->code != 0)
		log_warn("store not tidied", kv_err(err));
	for (size_t i = 0; i < n; i++) {
		const struct act_job *j = act_job_by_uid(a, uids[i]);
		const struct doc *seen = j != NULL ? kube_store_get(a->jobs, j->key) : NULL;

		if (j == NULL)
			store_keep(a->options.store, uids[i], NULL, 0);
		else if (seen != NULL && job_status_is_final(doc_get(seen, "status")))
			keep_results(a->options.store, uids[i], seen);
	}
}

void act_keep_start(struct act *a)
{
	if (a->options.store != NULL)
		a->list_store = store_list(a->options.store, on_list, a);
}

void act_keep_done(struct act *a)
{
	store_op_cancel(MOVE(a->list_store));
}
