/* job_status.c - the complete status document, and when it is written. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "controller/decide/job_int.h"
#include "doc/doc.h"

enum {
	SUMMARY = 200, /* characters of resultSummary */
	CALM_MS = 150, /* a start is written only if it lasts */
};

static void set_time(struct doc *map, const char *key, int64_t wall_ms)
{
	if (wall_ms > 0) {
		char text[CLOCK_TEXT];

		doc_set_str(map, key, clock_print(wall_ms, text));
	}
}

static void set_ranges(struct doc *map, const char *key, const struct ranges *r)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 20 };
	struct err err = { 0 };

	/* Bounded by RANGES_MAX and maxFailedChunks, so it fits. */
	ASSERT(ranges_print(r, &b, &err) == 0);
	doc_set_str(map, key, buf_str(&b));
}

static void set_counts(struct job *j, struct doc *status, bool final)
{
	struct job_counts c = job_counts(j);
	struct doc *chunks = doc_new_map();
	struct doc *replicas = doc_new_map();
	struct doc *verify = doc_new_map();

	doc_set_int(chunks, "total", c.total);
	doc_set_int(chunks, "accepted", c.accepted);
	doc_set_int(chunks, "running", final ? 0 : c.running);
	doc_set_int(chunks, "failed", c.failed);
	doc_set_int(chunks, "disputed", final ? 0 : c.disputed);
	doc_set_int(chunks, "unverified", c.unverified);
	doc_set(status, "chunks", chunks);
	set_ranges(status, "acceptedIndexes", &j->accepted);
	set_ranges(status, "failedIndexes", &j->failed);
	doc_set_int(verify, "replicas", j->rule.replicas);
	doc_set_int(verify, "agree", j->rule.agree);
	doc_set_int(verify, "maxReplicas", j->rule.max_replicas);
	doc_set(status, "verify", verify);
	doc_set_int(replicas, "asked", c.asked);
	doc_set_int(replicas, "agreed", c.agreed);
	doc_set_int(replicas, "mismatched", c.mismatched);
	doc_set_int(replicas, "lost", c.lost);
	doc_set(status, "replicas", replicas);
}

/* Of the outputs that are part of the result. */
static const char *weakest_class(const struct job *j)
{
	enum wire_class c = WIRE_EXACT;

	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		const struct wire_binding *b = job_params_output_binding(j->params, i);

		if (j->outputs[job_params_output(j->params, i)].reduce != VOTE_DISCARD &&
		    b->numeric_class > c)
			c = b->numeric_class;
	}
	return wire_class_name(c);
}

static void set_kernel(const struct job *j, struct doc *status)
{
	struct doc *kernel;
	char hex[HASH_HEX];
	bool proved;

	if (j->kernel == NULL || j->params == NULL) {
		/* What an earlier life recorded stays. */
		if (doc_has(j->base, "kernel"))
			doc_set(status, "kernel", doc_copy(doc_get(j->base, "kernel")));
		return;
	}
	kernel = doc_new_map();
	proved = j->kernel->order == WIRE_PROVED && job_params_order_holds(j->params);
	doc_set_str(kernel, "sha256", hash_hex(&j->kernel_sha256, hex));
	doc_set_str(kernel, "numericClass", weakest_class(j));
	doc_set_str(kernel, "order", wire_order_name(proved ? WIRE_PROVED : WIRE_ASSUMED));
	doc_set_bool(kernel, "usesBarriers", j->kernel->uses_barriers);
	doc_set(status, "kernel", kernel);
}

static void set_inputs(const struct job *j, struct doc *status)
{
	struct doc *list;

	if (j->spec.n_inputs == 0)
		return;
	if (j->phase < PHASE_RUNNING || j->params == NULL) {
		if (doc_has(j->base, "inputs"))
			doc_set(status, "inputs", doc_copy(doc_get(j->base, "inputs")));
		return;
	}
	list = doc_new_list();
	for (size_t i = 0; i < j->spec.n_inputs; i++) {
		struct doc *in = doc_new_map();
		char hex[HASH_HEX];

		doc_set_str(in, "name", j->spec.inputs[i].name);
		doc_set_str(in, "sha256", hash_hex(&j->input_sha256[i], hex));
		doc_set_int(in, "size", (int64_t)j->input_size[i]);
		doc_add(list, in);
	}
	doc_set(status, "inputs", list);
}

static const char *class_of(const struct job *j, size_t entry)
{
	for (size_t i = 0; i < job_params_outputs(j->params); i++)
		if (job_params_output(j->params, i) == entry)
			return wire_class_name(
			    job_params_output_binding(j->params, i)->numeric_class);
	return "";
}

/* The digest of a result that does not stand in the status, or of a Concat; one by digest has none
 * before its parts are one. */
static void set_digest(const struct job *j, size_t entry, const struct vote_result *r,
		       struct doc *result)
{
	const struct vote_output *o = &j->outputs[entry];
	char hex[HASH_HEX];

	if (o->by_digest) {
		if (j->kept)
			doc_set_str(result, "sha256", hash_hex(&j->wholes[entry], hex));
	} else if (r->value == NULL || o->reduce == VOTE_CONCAT) {
		doc_set_str(result, "sha256", hash_hex(&r->sha256, hex));
	}
}

static void add_result(const struct job *j, size_t entry, struct doc *list, struct buf *summary)
{
	const struct job_output *o = &j->spec.outputs[entry];
	AUTO(buf_done) struct buf types = { .max = 256 };
	struct vote_result r = { 0 };
	struct err err = { 0 };
	struct doc *d;

	if (!vote_reduce_has_result(j->reduction, entry) ||
	    vote_reduce_finish(j->reduction, entry, &r, &err) < 0)
		return;
	d = doc_new_map();
	doc_set_str(d, "name", o->name);
	if (r.type != 0)
		doc_set_str(d, "type", vote_type_name(r.type));
	else if (vote_shape_types(j->shapes[entry], &types))
		doc_set_str(d, "type", buf_str(&types));
	doc_set_int(d, "length", (int64_t)r.length);
	doc_set_str(d, "class", class_of(j, entry));
	doc_set_str(d, "value", r.value);
	doc_set_str(d, "index", r.index);
	doc_set_str(d, "indexes", r.indexes);
	set_digest(j, entry, &r, d);
	doc_add(list, d);
	if (r.value != NULL)
		buf_note(summary, "%s%s=%s", summary->len > 0 ? " " : "", o->name, r.value);
	else
		buf_note(summary, "%s%s=%llu elements", summary->len > 0 ? " " : "", o->name,
			 (unsigned long long)r.length);
	vote_result_done(&r);
}

static void set_results(const struct job *j, struct doc *status)
{
	AUTO(buf_done) struct buf summary = { .max = SUMMARY };
	struct doc *list;

	if (j->reduction == NULL || j->counts.accepted == 0)
		return;
	list = doc_new_list();
	for (size_t i = 0; i < j->spec.n_outputs; i++)
		add_result(j, i, list, &summary);
	doc_set(status, "results", list);
	doc_set_str(status, "resultSummary", buf_str(&summary));
}

static void set_partial(struct job *j, struct doc *status)
{
	if (!j->config.cluster || j->counts.accepted == 0)
		return;
	if (j->reduction != NULL)
		job_keep_state(j, status);
	else if (j->first_partial != NULL)
		doc_set_str(status, "partial", j->first_partial);
}

static void condition(struct job *j, const char *type, const char *status, const char *reason,
		      const char *message, int64_t wall_ms)
{
	(void)doc_condition_set(j->conditions, &(struct doc_condition){
						   .type = type,
						   .status = status,
						   .reason = reason,
						   .message = message,
						   .observed_generation = j->spec.generation,
						   .now_ms = wall_ms,
					       });
}

static void set_verified(struct job *j, bool final, int64_t wall_ms)
{
	char text[160];

	if (j->counts.unverified > 0 || j->rule.agree <= 1) {
		snprintf(text, sizeof(text),
			 "%lld chunks were accepted on the word of one node (verify.agree: %d)",
			 (long long)j->counts.unverified, j->rule.agree);
		condition(j, "Verified", "False", "Unverified", text, wall_ms);
	} else if (final && !j->end_failed) {
		snprintf(text, sizeof(text), "every accepted chunk has %d equal results",
			 j->rule.agree);
		condition(j, "Verified", "True", "Agreed", text, wall_ms);
	}
}

static void set_conditions(struct job *j, bool final, int64_t wall_ms)
{
	bool suspended = job_state(j) == JOB_SUSPENDED;

	if (final) {
		condition(j, j->end_failed ? "FailureTarget" : "SuccessCriteriaMet", "True",
			  j->end_reason, j->end_message, wall_ms);
		condition(j, j->end_failed ? "Failed" : "Complete", "True", j->end_reason,
			  j->end_message, wall_ms);
	} else if (j->phase == PHASE_RUNNING && !suspended) {
		if (j->schedulable != NULL)
			condition(j, "Schedulable", "False", j->schedulable, j->why, wall_ms);
		else
			condition(j, "Schedulable", "True", "NodesMatch", "", wall_ms);
	}
	if (suspended)
		condition(j, "Suspended", "True", "JobSuspended", "spec.suspend is true", wall_ms);
	else if (doc_condition(j->conditions, "Suspended") != NULL)
		condition(j, "Suspended", "False", "JobResumed", "spec.suspend is false", wall_ms);
	if (j->phase >= PHASE_RUNNING && j->params != NULL)
		set_verified(j, final, wall_ms);
}

/* Seconds that the rest takes at the pace of this life; -1: unknown. */
static int64_t estimate(const struct job *j, int64_t now_ms)
{
	int64_t done = j->counts.accepted - j->run_since_count;
	int64_t ms = now_ms - j->run_since_ms;

	if (done <= 0 || ms <= 0 || j->phase != PHASE_RUNNING || j->suspended)
		return -1;
	/* What waits for a node does not end by going on as before. */
	if (j->why[0] != '\0' && j->dispatches.count == 0)
		return -1;
	return (int64_t)((double)job_undecided(j) * (double)ms / (double)done / 1000.0 + 0.5);
}

struct doc *job_status_build(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	bool final = j->phase >= PHASE_ENDING;
	struct doc *s = doc_new_map();

	if (final && j->end_wall_ms == 0)
		j->end_wall_ms = wall_ms;
	doc_set_int(s, "observedGeneration", j->spec.generation);
	doc_set_str(s, "state", job_state_name(job_state(j)));
	doc_set(s, "progress",
		doc_new_strf("%lld/%lld", (long long)j->counts.accepted, (long long)j->total));
	doc_set_str(s, "why", j->why);
	set_counts(j, s, final);
	set_kernel(j, s);
	set_inputs(j, s);
	if (final)
		doc_set_int(s, "estimatedSeconds", 0);
	else if (estimate(j, now_ms) >= 0)
		doc_set_int(s, "estimatedSeconds", estimate(j, now_ms));
	set_time(s, "startTime", j->start_wall_ms);
	set_time(s, "completionTime", final ? j->end_wall_ms : 0);
	if (j->params != NULL)
		set_results(j, s);
	if (!final)
		set_partial(j, s);
	doc_set_int(s, "controllerEpoch", (int64_t)j->config.epoch);
	set_conditions(j, final, wall_ms);
	doc_set(s, "conditions", doc_copy(j->conditions));
	return s;
}

struct doc *job_status(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	return job_status_build(j, now_ms, wall_ms);
}

/* ---- writing ---------------------------------------------------------------------------- */

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The earliest time for the next write: never for what people wait for. */
static int64_t due_at(struct job *j, int64_t now_ms, bool *urgent)
{
	enum job_state state = job_state(j);

	*urgent = j->phase == PHASE_ENDING || state != j->written_state;
	if (state != j->state_seen) {
		j->state_seen = state;
		j->state_since_ms = now_ms;
	}
	if (j->phase == PHASE_ENDING || state == JOB_SUSPENDED ||
	    (j->phase == PHASE_RUNNING && !doc_has(j->base, "startTime")))
		return j->write_not_before_ms;
	if (*urgent)
		return max64(j->write_not_before_ms, j->state_since_ms + CALM_MS);
	return max64(j->write_not_before_ms,
		     j->write_at_ms - (JOB_WRITE_BURST - 1) * (int64_t)JOB_WRITE_MS);
}

/* What the status takes of the job's own bucket. kept: bytes for the store. */
static void pay(struct job *j, int64_t now_ms, uint64_t kept)
{
	int64_t bytes = (int64_t)(doc_size(j->doc) + doc_size(j->writing));
	int64_t cost = max64(JOB_WRITE_MS, bytes * 1000 / JOB_WRITE_BYTES_S);

	cost = max64(cost, (int64_t)kept * 1000 / JOB_KEEP_BYTES_S);

	j->write_at_ms = max64(j->write_at_ms, now_ms) + cost;
}

static void end_for_good(struct job *j)
{
	j->phase = PHASE_ENDED;
	j->tell_all = true;
	job_event(j, j->end_failed, j->end_failed ? "Failed" : "Completed", "%s%s%s",
		  j->end_failed ? j->end_reason : "", j->end_failed ? ": " : "", j->end_message);
	job_stop_all(j, "JobFinished");
	j->tend_soon = true;
}

static void close_unwritten(struct job *j, bool all)
{
	LIST_EACH (struct open, o, &j->unwritten, link) {
		if (all || o->writing)
			job_open_close(j, o,
				       j->states[o->chunk] == CHUNK_READY ? CHUNK_ACCEPTED
									  : CHUNK_FAILED);
	}
}

/* `warp run` has no object: what is decided is as good as written. */
static void write_nowhere(struct job *j)
{
	close_unwritten(j, true);
	if (j->phase == PHASE_ENDING)
		end_for_good(j);
}

/* The status of a newer controller stays as it is, but for the line that says so. */
static struct doc *only_why(const struct job *j)
{
	struct doc *s = j->base != NULL ? doc_copy(j->base) : doc_new_map();

	doc_set_str(s, "why", j->why);
	doc_set_int(s, "controllerEpoch", (int64_t)j->config.epoch);
	return s;
}

/* What is decided now is part of this write. */
static void mark_written(struct job *j)
{
	LIST_EACH (struct open, o, &j->unwritten, link) {
		o->writing = true;
	}
	for (size_t i = 0; i < j->n_seats; i++) {
		struct seat *s = j->seats[i];

		s->w_agreed += s->agreed;
		s->w_mismatched += s->mismatched;
		s->w_lost += s->lost;
		s->agreed = s->mismatched = s->lost = 0;
	}
}

void job_status_due(struct job *j, int64_t now_ms, int64_t wall_ms, struct arena *arena,
		    struct job_plan *plan)
{
	uint64_t kept = 0;
	struct doc *next;
	int64_t at;

	if (!j->config.cluster) {
		write_nowhere(j);
		return;
	}
	if (j->writing != NULL || !j->dirty || j->phase == PHASE_ENDED)
		return;
	at = due_at(j, now_ms, &plan->urgent);
	if (now_ms < at) {
		if (at < plan->look_again_ms)
			plan->look_again_ms = at;
		return;
	}
	if (j->phase == PHASE_ENDING && job_keep_results(j, now_ms, arena, plan))
		return;
	next = doc_freeze(j->left_alone ? only_why(j) : job_status_build(j, now_ms, wall_ms));
	j->dirty = false;
	if (doc_equal(next, j->base)) {
		doc_unref(next);
		return;
	}
	mark_written(j);
	j->writing = next;
	j->writing_final = j->phase == PHASE_ENDING;
	j->writing_suspended = job_state(j) == JOB_SUSPENDED;
	if (!j->writing_final)
		kept = job_keep_write(j, arena, plan);
	pay(j, now_ms, kept);
	plan->status = j->writing;
	plan->final = j->writing_final;
}

void job_on_status_written(struct job *j, int64_t now_ms)
{
	j->now_ms = now_ms;
	if (j->writing == NULL)
		return;
	doc_unref(j->base);
	j->base = MOVE(j->writing);
	j->tend_soon = j->history.count > 0;
	j->written_state = job_state_number(doc_str(j->base, "state", ""));
	LIST_EACH (struct open, o, &j->unwritten, link) {
		if (o->writing)
			job_open_close(j, o,
				       j->states[o->chunk] == CHUNK_READY ? CHUNK_ACCEPTED
									  : CHUNK_FAILED);
	}
	for (size_t i = 0; i < j->n_seats; i++)
		j->seats[i]->tell = true;
	if (j->writing_suspended)
		j->tell_all = true;
	if (j->writing_final)
		end_for_good(j);
	j->writing_final = false;
	j->writing_suspended = false;
}

/* Our write is not in the API: everything in it is to be written again. */
static void take_back(struct job *j)
{
	doc_unref(j->writing);
	j->writing = NULL;
	j->writing_final = false;
	j->writing_suspended = false;
	j->dirty = true;
	LIST_EACH (struct open, o, &j->unwritten, link) {
		o->writing = false;
	}
	for (size_t i = 0; i < j->n_seats; i++) {
		struct seat *s = j->seats[i];

		s->agreed += s->w_agreed;
		s->mismatched += s->w_mismatched;
		s->lost += s->w_lost;
		s->w_agreed = s->w_mismatched = s->w_lost = 0;
	}
}

void job_on_status_refused(struct job *j, int64_t retry_ms)
{
	take_back(j);
	j->write_not_before_ms = retry_ms;
}

/* What the reducers and the agents depend on. */
static bool same_truth(const struct doc *a, const struct doc *b)
{
	static const char *const keys[] = { "acceptedIndexes", "failedIndexes", "partial" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(doc_str(a, keys[i], ""), doc_str(b, keys[i], "")) != 0)
			return false;
	return true;
}

bool job_knows_status(const struct job *j, const struct doc *warpjob)
{
	return same_truth(doc_get(warpjob, "status"), j->base);
}

/* Forget that these are in the status; they are as new. */
static void reopen_missing(struct job *j, const struct ranges *accepted,
			   const struct ranges *failed)
{
	ASSERT(j->states != NULL || j->total == 0);
	for (int64_t c = 0; c < j->total; c++) {
		bool in = ranges_has(accepted, (uint64_t)c) || ranges_has(failed, (uint64_t)c);

		if (in || j->states[c] < CHUNK_ACCEPTED)
			continue;
		if (j->opens[c] != NULL)
			job_open_free(j, j->opens[c]);
		j->states[c] = CHUNK_NEW;
		if ((uint32_t)c < j->cut_from)
			j->cut_from = (uint32_t)c;
	}
}

/* What somebody else decided is decided. */
static void close_decided(struct job *j, const struct ranges *set, enum chunk_state state)
{
	ASSERT(j->states != NULL || set->count == 0);
	RANGES_EACH(set, r)
	{
		for (uint64_t c = r->first; c <= r->last && (int64_t)c < j->total; c++) {
			struct open *o = j->opens[c];

			if (o != NULL && j->states[c] <= CHUNK_BAD)
				job_open_close(j, o, state);
			j->states[c] = (uint8_t)state;
		}
	}
}

static int reload_state(struct job *j, const struct job_record *r, struct err *err)
{
	struct vote_reduction *next = NULL;

	/* That state has to be read from the store first. */
	if (r->accepted.count > 0 && job_partial_is_blob(r->partial) && j->phase > PHASE_PREPARING)
		return err_set(err, ERR_CONFLICT, "status.partial: %s is somebody else's",
			       r->partial);
	if (j->reduction == NULL)
		job_first_partial(j, r->partial);
	else if (r->accepted.count == 0)
		next = vote_reduce_new(j->outputs, j->spec.n_outputs);
	else if (vote_reduce_load(j->outputs, j->spec.n_outputs, r->partial, strlen(r->partial),
				  &next, err) < 0)
		return err->code;
	vote_reduce_free(j->reduction);
	j->reduction = next;
	j->kept = false;
	return 0;
}

/* The status is neither ours nor the one before: continue from it. What is decided here and not in
 * it is added again; what it has and we had not is taken over. */
static int reload(struct job *j, const struct doc *warpjob, struct err *err)
{
	AUTO(job_record_done) struct job_record r = { 0 };

	if (job_view_status(warpjob, &r, err) < 0)
		return err->code;
	if (j->states == NULL && r.total > 0 && job_start_chunks(j, r.total, err) < 0)
		return err->code;
	if (reload_state(j, &r, err) < 0)
		return err->code;
	if (j->start_wall_ms == 0)
		j->start_wall_ms = r.start_wall_ms;
	reopen_missing(j, &r.accepted, &r.failed);
	close_decided(j, &r.accepted, CHUNK_ACCEPTED);
	close_decided(j, &r.failed, CHUNK_FAILED);
	ranges_copy(&j->accepted, &r.accepted);
	ranges_copy(&j->failed, &r.failed);
	LIST_EACH (struct open, o, &j->unwritten, link) {
		if (j->states[o->chunk] == CHUNK_BAD) {
			ranges_add_one(&j->failed, o->chunk);
			continue;
		}
		if (job_fold(j, o, err) < 0)
			return err->code;
		ranges_add_one(&j->accepted, o->chunk);
	}
	j->counts.accepted = (int64_t)ranges_total(&j->accepted);
	j->counts.failed = (int64_t)ranges_total(&j->failed);
	return 0;
}

bool job_status_is_final(const struct doc *status)
{
	const struct doc *conditions = doc_get(status, "conditions");

	return doc_condition_true(conditions, "Complete") ||
	       doc_condition_true(conditions, "Failed");
}

/* A leader before us has ended the job while we began to lead: it is over. */
static int end_by_others(struct job *j, const struct doc *warpjob, struct err *err)
{
	AUTO(job_record_done) struct job_record r = { 0 };

	if (job_view_status(warpjob, &r, err) < 0)
		return err->code;
	j->end_failed = r.failed_job;
	j->end_wall_ms = r.end_wall_ms;
	j->phase = PHASE_ENDED;
	j->tell_all = true;
	doc_unref(j->base);
	j->base = doc_ref(doc_get(warpjob, "status"));
	job_stop_all(j, "JobFinished");
	ranges_copy(&j->accepted, &r.accepted);
	ranges_copy(&j->failed, &r.failed);
	j->counts.accepted = (int64_t)ranges_total(&r.accepted);
	j->counts.failed = (int64_t)ranges_total(&r.failed);
	return 0;
}

int job_on_status_read(struct job *j, const struct doc *warpjob, int64_t now_ms, struct err *err)
{
	const struct doc *status = doc_get(warpjob, "status");
	uint64_t epoch = (uint64_t)doc_int(status, "controllerEpoch", 0);

	j->now_ms = now_ms;
	if (strcmp(doc_str(warpjob, "metadata.uid", ""), j->spec.uid) != 0)
		return err_set(err, ERR_NOT_FOUND, "WarpJob %s/%s: another uid", j->spec.ns,
			       j->spec.name);
	if (epoch > j->config.epoch)
		return err_set(err, ERR_DENIED,
			       "WarpJob %s/%s: written by epoch %llu, ours is %llu", j->spec.ns,
			       j->spec.name, (unsigned long long)epoch,
			       (unsigned long long)j->config.epoch);
	j->dirty = true;
	if (j->writing != NULL && same_truth(status, j->writing) &&
	    strcmp(doc_str(status, "state", ""), doc_str(j->writing, "state", "")) == 0) {
		job_on_status_written(j, now_ms);
		doc_unref(j->base);
		j->base = doc_ref(status);
		return 0;
	}
	if (j->writing != NULL)
		take_back(j);
	if (job_status_is_final(status))
		return end_by_others(j, warpjob, err);
	if (!same_truth(status, j->base) && reload(j, warpjob, err) < 0)
		return err_wrap(err, "WarpJob %s/%s", j->spec.ns, j->spec.name);
	doc_unref(j->base);
	j->base = doc_ref(status);
	return 0;
}
