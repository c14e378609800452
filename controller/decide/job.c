/* job.c - life of a job object, facts about its document and about what a start needs. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "controller/decide/job_int.h"
#include "doc/doc.h"

void job_event(struct job *j, bool warning, const char *reason, const char *fmt, ...)
{
	struct buf b = { .max = 1000 };
	char text[1024];
	va_list args;

	for (size_t i = 0; i < j->n_events; i++)
		if (strcmp(j->events[i].reason, reason) == 0 && warning)
			return;
	if (j->n_events == JOB_MAX_EVENTS)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_note(&b, "%s", text);
	j->event_texts[j->n_events] = buf_take(&b);
	text_defuse(j->event_texts[j->n_events]);
	j->events[j->n_events] = (struct job_event){
		.warning = warning,
		.reason = reason,
		.message = j->event_texts[j->n_events],
	};
	j->n_events++;
}

void job_end(struct job *j, bool failed, const char *reason, const char *fmt, ...)
{
	struct buf b = { .max = 4000 };
	char text[4096];
	va_list args;

	if (j->end_reason != NULL || j->phase >= PHASE_ENDING)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_note(&b, "%s", text);
	j->end_message = buf_take(&b);
	text_defuse(j->end_message);
	j->end_reason = reason;
	j->end_failed = failed;
	j->phase = PHASE_ENDING;
	j->end_ms = j->now_ms;
	j->dirty = true;
}

void job_unhappy(struct job *j, const char *reason, const char *text)
{
	if (j->unhappy_reason != NULL)
		return;
	j->unhappy_reason = reason;
	j->unhappy = mem_strdup(text);
}

/* ---- life ------------------------------------------------------------------------------- */

static void drop_preparation(struct job *j)
{
	job_probe_drop(j);
	job_params_free(j->params);
	j->params = NULL;
	for (size_t i = 0; i < JOB_MAX_OUTPUTS; i++) {
		vote_shape_free(j->shapes[i]);
		j->shapes[i] = NULL;
	}
	vote_reduce_free(j->reduction);
	j->reduction = NULL;
	doc_unref(j->manifest);
	j->manifest = NULL;
	j->kernel = NULL;
	j->checked = 0;
	memset(j->has_input, 0, sizeof(j->has_input));
	mem_free(j->unhappy);
	j->unhappy = NULL;
	j->unhappy_reason = NULL;
	j->missing[0] = '\0';
	j->phase = PHASE_PREPARING;
}

static void set_rule(struct job *j)
{
	int64_t n = j->config.replicas;

	j->rule = (struct vote_rule){
		.replicas = (int)(n > 0 ? n : j->spec.replicas),
		.agree = (int)(n > 0 ? n : j->spec.agree),
		.max_replicas = (int)(n > 0 ? n : j->spec.max_replicas),
	};
}

/* Inputs that stand in the document itself. */
static void digest_inline(struct job *j)
{
	for (size_t i = 0; i < j->spec.n_inputs; i++) {
		const struct job_input *in = &j->spec.inputs[i];
		AUTO(buf_done) struct buf bytes = { .max = JOB_MAX_OBJECT };
		struct err err = { 0 };

		if (in->source != JOB_INLINE)
			continue;
		if (text_unbase64(in->inline_text, in->inline_len, &bytes, &err) < 0) {
			err_wrap(&err, "spec.inputs[%zu].from.inline", i);
			job_unhappy(j, "ManifestInvalid", err.text);
			return;
		}
		j->has_input[i] = true;
		j->input_size[i] = bytes.len;
		hash_bytes(buf_str(&bytes), bytes.len, &j->input_sha256[i]);
	}
}

static int compile_where(const char *where, struct expr_predicate **ret, struct err *err)
{
	if (where == NULL)
		return 0;
	if (expr_predicate_compile(where, strlen(where), ret, err) < 0)
		return err_wrap(err, "spec.where");
	return 0;
}

/* The spec as it will be run, as far as the document alone can say. */
static void read_spec(struct job *j)
{
	struct err err = { 0 };

	arena_reset(&j->spec_arena);
	if (job_view(j->doc, &j->spec_arena, &j->spec, &err) < 0)
		job_unhappy(j, "ManifestInvalid", err.text);
	else if (j->spec.refused != NULL)
		job_unhappy(j, j->spec.refused_reason, j->spec.refused);
	expr_predicate_free(j->where);
	j->where = NULL;
	if (j->unhappy_reason == NULL && compile_where(j->spec.where, &j->where, &err) < 0)
		job_unhappy(j, "PredicateInvalid", err.text);
	set_rule(j);
	if (j->unhappy_reason == NULL)
		digest_inline(j);
}

/* A list of conditions to continue from. */
static struct doc *conditions_of(const struct doc *status)
{
	const struct doc *old = doc_get(status, "conditions");

	return doc_is(old, DOC_LIST) ? doc_copy(old) : doc_new_list();
}

enum job_state job_state_number(const char *name)
{
	for (enum job_state s = JOB_PENDING; s <= JOB_FAILED; s++)
		if (strcmp(job_state_name(s), name) == 0)
			return s;
	return 0;
}

/* Continue from what the status says. */
static int read_record(struct job *j, const struct doc *warpjob, int64_t now_ms, struct err *err)
{
	AUTO(job_record_done) struct job_record r = { 0 };

	if (job_view_status(warpjob, &r, err) < 0)
		return err->code;
	ranges_copy(&j->accepted, &r.accepted);
	ranges_copy(&j->failed, &r.failed);
	j->counts = (struct job_counts){
		.accepted = (int64_t)ranges_total(&r.accepted),
		.failed = (int64_t)ranges_total(&r.failed),
		.unverified = r.unverified,
		.asked = r.asked,
		.agreed = r.agreed,
		.mismatched = r.mismatched,
		.lost = r.lost,
	};
	j->start_wall_ms = r.start_wall_ms;
	j->end_wall_ms = r.end_wall_ms;
	j->written_state = job_state_number(r.state);
	job_first_partial(j, r.partial);
	doc_unref(j->base);
	j->base = doc_ref(doc_get(warpjob, "status"));
	doc_unref(j->conditions);
	j->conditions = conditions_of(j->base);
	j->recover_until_ms = now_ms + JOB_RECOVER_MS;
	j->recovering = !j->spec.pods && j->config.cluster;
	j->suspended = r.suspended && j->spec.suspend;
	if (r.complete) {
		j->phase = PHASE_ENDED;
		j->end_failed = r.failed_job;
		j->tell_all = true;
		return r.total > 0 ? job_start_chunks(j, r.total, err) : 0;
	}
	if (r.total > 0 && job_start_chunks(j, r.total, err) < 0)
		return err_wrap(err, "status.chunks.total");
	if (r.total == 0 && (r.accepted.count > 0 || r.failed.count > 0))
		return err_set(err, ERR_INVALID, "status: chunks without chunks.total");
	/* Pods may exist although no status was written yet. */
	if (r.total == 0 && j->unhappy_reason == NULL && job_chunks_of(j) > 0)
		return job_start_chunks(j, job_chunks_of(j), err);
	return 0;
}

int job_new(const struct doc *warpjob, struct fleet *fleet, const struct job_config *config,
	    int64_t now_ms, struct job **ret, struct err *err)
{
	AUTO(job_freep) struct job *j = NEW(struct job);

	j->doc = doc_ref(warpjob);
	j->fleet = fleet;
	j->config = *config;
	j->pools = mem_strdup(config->pools != NULL ? config->pools : "default");
	j->config.pools = NULL;
	j->phase = PHASE_PREPARING;
	j->now_ms = now_ms;
	j->created_ms = now_ms;
	j->pod_window = 1;
	j->next_late_ms = INT64_MAX;
	j->tend_at_ms = INT64_MAX;
	j->conditions = doc_new_list();
	read_spec(j);
	if (*j->spec.name == '\0' || strlen(j->spec.name) > 63 || *j->spec.uid == '\0' ||
	    strlen(j->spec.uid) >= WIRE_UID)
		return err_set(err, ERR_INVALID, "a WarpJob without a usable name or uid");
	if (read_record(j, warpjob, now_ms, err) < 0)
		return err_wrap(err, "WarpJob %s/%s", j->spec.ns, j->spec.name);
	j->dirty = true;
	*ret = MOVE(j);
	return 0;
}

static void free_dispatches(struct job *j, struct list *l)
{
	LIST_EACH (struct dispatch, d, l, in_all) {
		job_dispatch_free(j, d);
	}
}

static void free_chunks(struct job *j)
{
	for (int64_t c = 0; c < j->total; c++)
		if (j->opens[c] != NULL)
			job_open_free(j, j->opens[c]);
	mem_free(j->states);
	mem_free(j->opens);
	j->states = NULL;
	j->opens = NULL;
	j->total = 0;
}

void job_free(struct job *j)
{
	if (j == NULL)
		return;
	free_dispatches(j, &j->dispatches);
	free_dispatches(j, &j->history);
	free_dispatches(j, &j->grave);
	free_chunks(j);
	job_early_done(j);
	drop_preparation(j);
	for (size_t i = 0; i < j->n_seats; i++)
		mem_free(j->seats[i]);
	for (size_t i = 0; i < j->n_events; i++)
		mem_free(j->event_texts[i]);
	mem_free(j->seats);
	mem_free(j->asks);
	map_done(&j->keys, mem_free);
	map_done(&j->by_key, NULL);
	map_done(&j->by_pod, NULL);
	ranges_done(&j->accepted);
	ranges_done(&j->failed);
	ranges_done(&j->decided);
	expr_predicate_free(j->where);
	doc_unref(j->conditions);
	doc_unref(j->base);
	doc_unref(j->writing);
	doc_unref(j->doc);
	arena_done(&j->arena);
	arena_done(&j->spec_arena);
	mem_free(j->first_partial);
	mem_free(j->first_state);
	mem_free(j->state_text);
	mem_free(j->end_message);
	mem_free(j->pools);
	mem_free(j);
}

void job_freep(struct job **j)
{
	job_free(*j);
}

/* ---- the object ------------------------------------------------------------------------- */

/* Suspended before the first start, everything may change: begin anew. */
static void replace_spec(struct job *j, const struct doc *warpjob)
{
	struct err err = { 0 };

	drop_preparation(j);
	free_chunks(j);
	job_early_done(j);
	doc_unref(j->doc);
	j->doc = doc_ref(warpjob);
	read_spec(j);
	if (j->unhappy_reason == NULL && job_chunks_of(j) > 0 &&
	    job_start_chunks(j, job_chunks_of(j), &err) < 0)
		job_unhappy(j, "ManifestInvalid", err.text);
}

int job_on_spec(struct job *j, const struct doc *warpjob, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(expr_predicate_freep) struct expr_predicate *where = NULL;
	struct job_spec *next = arena_new(&arena, struct job_spec);
	int64_t generation = doc_int(warpjob, "metadata.generation", 0);

	/* An answer to a read can overtake the watch. */
	if (generation <= j->spec.generation)
		return 0;
	j->dirty = true;
	if (j->start_wall_ms == 0 && j->phase <= PHASE_CHECKING && j->dispatches.count == 0) {
		replace_spec(j, warpjob);
		return 0;
	}
	if (job_view(warpjob, &arena, next, err) < 0 || compile_where(next->where, &where, err) < 0)
		return err->code;
	j->spec.generation = generation;
	j->spec.suspend = next->suspend;
	j->spec.parallelism = next->parallelism;
	j->spec.deadline_s = next->deadline_s;
	j->spec.ttl_s = next->ttl_s;
	j->spec.blob_ttl_s = next->blob_ttl_s;
	j->spec.priority = next->priority;
	j->spec.pod_history = next->pod_history;
	j->tend_soon = true;
	if (!text_equal(next->where, j->spec.where)) {
		j->spec.where = next->where != NULL ? arena_strdup(&j->arena, next->where) : NULL;
		expr_predicate_free(j->where);
		j->where = MOVE(where);
		j->fleet_seen = 0;
	}
	return 0;
}

void job_on_pools(struct job *j, const char *pools)
{
	if (pools == NULL || *pools == '\0')
		pools = "default";
	if (strcmp(pools, j->pools) == 0)
		return;
	mem_free(j->pools);
	j->pools = mem_strdup(pools);
	j->fleet_seen = 0;
	j->dirty = true;
}

void job_on_deleted(struct job *j)
{
	j->deleted = true;
}

/* ---- what a start needs ----------------------------------------------------------------- */

const struct job_spec *job_spec(const struct job *j)
{
	return &j->spec;
}

struct arena *job_arena(struct job *j)
{
	return &j->arena;
}

void job_on_kernel(struct job *j, const struct wire_kernel *kernel,
		   const struct hash_digest *sha256)
{
	if (j->phase != PHASE_PREPARING)
		return;
	j->kernel = kernel;
	j->kernel_sha256 = *sha256;
	j->fleet_seen = 0;
}

void job_on_kernel_failed(struct job *j, const char *reason, const char *text)
{
	if (j->phase == PHASE_PREPARING)
		job_unhappy(j,
			    strcmp(reason, "KernelTooBig") == 0 ? "KernelTooBig" : "KernelInvalid",
			    text);
}

void job_on_manifest(struct job *j, const char *text, size_t len)
{
	AUTO(doc_unrefp) struct doc *doc = NULL;
	const struct doc *chunks = NULL;
	struct err err = { 0 };

	if (j->phase != PHASE_PREPARING || j->manifest != NULL)
		return;
	if (doc_parse_json(text, len, NULL, &doc, &err) < 0 ||
	    doc_read_list(doc, "chunks", JOB_MAX_CHUNKS, &chunks, &err) < 0) {
		err_wrap(&err, "spec.chunks.manifestFrom");
		job_unhappy(j, "ManifestInvalid", err.text);
		return;
	}
	j->manifest = doc_ref(chunks);
}

bool job_input_needed(const struct job *j, size_t input)
{
	return input < j->spec.n_inputs && !j->has_input[input];
}

void job_on_input(struct job *j, size_t input, const struct hash_digest *sha256, uint64_t size)
{
	ASSERT(input < j->spec.n_inputs);
	j->has_input[input] = true;
	j->input_sha256[input] = *sha256;
	j->input_size[input] = size;
}

void job_on_missing(struct job *j, const char *what)
{
	if (j->phase != PHASE_PREPARING)
		return;
	if (strncmp(j->missing, what, sizeof(j->missing) - 1) != 0)
		j->dirty = true;
	snprintf(j->missing, sizeof(j->missing), "%s", what);
}

void job_on_refused(struct job *j, const char *reason, const char *message)
{
	if (j->phase < PHASE_RUNNING)
		job_unhappy(j, arena_strdup(&j->arena, reason), message);
}

/* ---- results ---------------------------------------------------------------------------- */

enum job_take job_on_result(struct job *j, const char *node, const struct wire_dispatch *d,
			    const struct wire_result *r, int64_t now_ms)
{
	j->now_ms = now_ms;
	if (j->deleted || j->phase == PHASE_ENDED || strcmp(d->job_uid, j->spec.uid) != 0)
		return JOB_TAKE_DECIDED;
	if (job_is_probe(d)) {
		job_probe_result(j, node, d, r);
		return JOB_TAKE_DECIDED;
	}
	if (j->phase < PHASE_RUNNING && !j->suspended) {
		if (j->states != NULL && r->chunk < j->total &&
		    j->states[r->chunk] >= CHUNK_ACCEPTED)
			return JOB_TAKE_DECIDED;
		job_early_add(
		    j, &(struct early){
			   .kind = EARLY_RESULT, .node = node, .dispatch = *d, .result = *r });
		return JOB_TAKE_KEEP;
	}
	if (j->states == NULL)
		return JOB_TAKE_DECIDED;
	return job_take_result(j, node, d, r);
}

void job_on_node_offered(struct job *j, const char *node, const struct wire_dispatch *running,
			 size_t n, int64_t now_ms)
{
	j->now_ms = now_ms;
	if (j->phase < PHASE_RUNNING && !j->suspended && j->n_early > 0) {
		job_early_add(j, &(struct early){ .kind = EARLY_OFFERED,
						  .node = node,
						  .running = running,
						  .n_running = n });
		return;
	}
	job_take_offered(j, node, running, n);
}

/* ---- looking ---------------------------------------------------------------------------- */

const char *job_state_name(enum job_state s)
{
	static const char *const names[] = { "",         "Pending",  "Running", "Suspended",
					     "Disputed", "Complete", "Failed" };

	return s >= JOB_PENDING && s <= JOB_FAILED ? names[s] : "";
}

enum job_state job_state(const struct job *j)
{
	if (j->phase == PHASE_ENDED || j->phase == PHASE_ENDING)
		return j->end_failed ? JOB_FAILED : JOB_COMPLETE;
	if (j->suspended || j->spec.suspend)
		return JOB_SUSPENDED;
	/* A new leader that prepares takes nothing back. */
	if (j->phase != PHASE_RUNNING)
		return j->start_wall_ms > 0 ? JOB_RUNNING : JOB_PENDING;
	if (j->n_disputed > 0 && j->n_disputed == job_undecided(j))
		return JOB_DISPUTED;
	if (j->dispatches.count == 0 && j->counts.accepted == 0 && j->schedulable != NULL)
		return JOB_PENDING;
	return JOB_RUNNING;
}

/* Chunks, not attempts: undecided ones with an attempt under way. */
static int64_t running_chunks(const struct job *j)
{
	int64_t n = 0;

	for (int64_t c = 0; j->n_open > 0 && c < j->total; c++)
		n += j->states[c] == CHUNK_OPEN && j->opens[c]->outstanding > 0;
	return n;
}

struct job_counts job_counts(const struct job *j)
{
	struct job_counts c = j->counts;

	c.total = j->total;
	c.disputed = j->n_disputed;
	c.running = running_chunks(j);
	return c;
}

bool job_is_finished(const struct job *j)
{
	return j->phase == PHASE_ENDED;
}

const char *job_why(const struct job *j)
{
	return j->why;
}

void job_note(const struct job *j, struct buf *out)
{
	bool large = j->state_in_store;

	if (j->params != NULL)
		job_params_order_note(j->params, out);
	for (size_t i = 0; i < j->spec.n_outputs; i++)
		large = large || j->outputs[i].by_digest;
	if (large)
		buf_note(out, "note: its results are too large for a status: on a cluster the "
			      "controller needs --store\n");
}

int job_result(const struct job *j, size_t output, struct vote_result *ret, struct err *err)
{
	if (j->reduction == NULL || output >= j->spec.n_outputs)
		return err_set(err, ERR_NOT_FOUND, "no such result");
	if (!vote_reduce_has_result(j->reduction, output))
		return err_set(err, ERR_NOT_FOUND, "output %s: reduce: %s keeps no result",
			       j->spec.outputs[output].name,
			       vote_reducer_name(j->spec.outputs[output].reduce));
	return vote_reduce_finish(j->reduction, output, ret, err);
}

size_t job_kernel_input(const struct job *j, size_t binding_input)
{
	if (j->params == NULL || binding_input >= job_params_inputs(j->params))
		return SIZE_MAX;
	return job_params_input(j->params, binding_input);
}

int job_chunk(const struct job *j, uint32_t chunk, struct arena *arena, struct wire_chunk *ret,
	      struct err *err)
{
	ASSERT(j->params != NULL && chunk < j->total);
	return job_params_chunk(j->params, chunk, j->input_size, arena, ret, err);
}
