/* job_start.c - what is checked between a complete job description and its first dispatch. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "controller/decide/job_int.h"
#include "doc/doc.h"

enum { RANGE_CHUNKS = 1000 }; /* of a range without count */

uint32_t job_start_needs(const struct job *j)
{
	uint32_t needs = 0;

	if (j->phase != PHASE_PREPARING || j->unhappy_reason != NULL || j->suspended ||
	    j->left_alone || j->deleted)
		return 0;
	if (j->kernel == NULL)
		needs |= JOB_NEED_KERNEL;
	if (j->spec.manifest_map != NULL && j->manifest == NULL)
		needs |= JOB_NEED_MANIFEST;
	for (size_t i = 0; i < j->spec.n_inputs; i++)
		if (!j->has_input[i])
			needs |= JOB_NEED_INPUTS;
	if (job_partial_needed(j) != NULL)
		needs |= JOB_NEED_PARTIAL;
	return needs;
}

int job_start_chunks(struct job *j, int64_t total, struct err *err)
{
	if (j->states != NULL)
		return total == j->total
			   ? 0
			   : err_set(err, ERR_INVALID, "%lld chunks, but the job began with %lld",
				     (long long)total, (long long)j->total);
	if (total < 1 || total > JOB_MAX_CHUNKS)
		return err_set(err, ERR_INVALID, "%lld chunks, a job has 1 to %d", (long long)total,
			       JOB_MAX_CHUNKS);
	j->total = total;
	j->states = NEW_ARRAY(uint8_t, (size_t)total);
	j->opens = NEW_ARRAY(struct open *, (size_t)total);
	RANGES_EACH(&j->accepted, r)
	{
		for (uint64_t c = r->first; c <= r->last && (int64_t)c < total; c++)
			j->states[c] = CHUNK_ACCEPTED;
	}
	RANGES_EACH(&j->failed, r)
	{
		for (uint64_t c = r->first; c <= r->last && (int64_t)c < total; c++)
			j->states[c] = CHUNK_FAILED;
	}
	return 0;
}

int64_t job_chunks_of(const struct job *j)
{
	uint64_t span;

	if (j->spec.count > 0)
		return j->spec.count;
	if (j->manifest != NULL)
		return (int64_t)doc_count(j->manifest);
	if (!j->spec.has_range)
		return 0;
	span = (uint64_t)j->spec.range_hi - (uint64_t)j->spec.range_lo;
	return span < RANGE_CHUNKS ? (int64_t)span : RANGE_CHUNKS;
}

/* ---- outputs ---------------------------------------------------------------------------- */

static struct vote_lane *lanes_of(const struct wire_lane *lanes, uint32_t n)
{
	struct vote_lane *ret = NEW_ARRAY(struct vote_lane, n);

	for (uint32_t i = 0; i < n; i++)
		ret[i] = (struct vote_lane){
			.offset = lanes[i].offset,
			.count = lanes[i].count,
			.stride = lanes[i].stride,
			.type = (enum vote_type)lanes[i].type,
		};
	return ret;
}

static int shape_of(const struct wire_binding *b, struct vote_shape **ret, struct err *err)
{
	AUTO(mem_freep) struct vote_lane *lanes = lanes_of(b->lanes, b->n_lanes);
	AUTO(mem_freep) struct vote_lane *array = lanes_of(b->array_lanes, b->n_array_lanes);

	return vote_shape_new(
	    &(struct vote_layout){
		.fixed_size = b->fixed_size,
		.array_offset = b->array_offset,
		.array_stride = b->array_stride,
		.lanes = lanes,
		.n_lanes = b->n_lanes,
		.array_lanes = array,
		.n_array_lanes = b->n_array_lanes,
	    },
	    ret, err);
}

static int fit_outputs(struct job *j, struct err *err)
{
	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		const struct wire_binding *b = job_params_output_binding(j->params, i);
		size_t entry = job_params_output(j->params, i);
		const struct job_output *o = &j->spec.outputs[entry];

		if (shape_of(b, &j->shapes[entry], err) < 0)
			return err_wrap(err, "output %s", o->name);
		j->outputs[entry] = (struct vote_output){
			.name = o->name,
			.reduce = o->reduce,
			.k = o->k,
			.shape = j->shapes[entry],
		};
		if (vote_reduce_check(&j->outputs[entry], err) < 0)
			return err_wrap(err, "spec.outputs[%zu]", entry);
	}
	return 0;
}

/* The first output that digests cannot compare, or NULL. */
static const struct wire_binding *incomparable(const struct job *j)
{
	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		const struct wire_binding *b = job_params_output_binding(j->params, i);

		if (j->outputs[job_params_output(j->params, i)].reduce != VOTE_DISCARD &&
		    b->numeric_class == WIRE_TOLERANCE)
			return b;
	}
	return NULL;
}

static bool check_comparable(struct job *j)
{
	const struct wire_binding *b = incomparable(j);
	char text[600];

	if (b == NULL || j->rule.agree <= 1 || j->spec.exact)
		return true;
	snprintf(text, sizeof(text),
		 "output %s has the class Tolerance (%s), and this version compares by digest "
		 "only: use verify.numerics: Strict, replicas: 1 or compare: Exact",
		 b->name, b->class_reason != NULL ? b->class_reason : "");
	job_unhappy(j, "KernelNotComparable", text);
	return false;
}

/* ---- inputs ----------------------------------------------------------------------------- */

/* The digest that the status records for an input, or NULL. */
static const char *recorded(const struct job *j, const char *name)
{
	DOC_EACH(doc_get(j->base, "inputs"), in)
	{
		if (strcmp(doc_str(in, "name", ""), name) == 0)
			return doc_str(in, "sha256", NULL);
	}
	return NULL;
}

static bool check_inputs(struct job *j)
{
	for (size_t i = 0; i < j->spec.n_inputs; i++) {
		const char *was = recorded(j, j->spec.inputs[i].name);
		char now[HASH_HEX];
		char text[400];

		if (was == NULL || strcmp(was, hash_hex(&j->input_sha256[i], now)) == 0)
			continue;
		snprintf(text, sizeof(text),
			 "input %s was %.64s when the job started and is %s now",
			 j->spec.inputs[i].name, was, now);
		job_unhappy(j, "InputChanged", text);
		return false;
	}
	return true;
}

/* ---- steps ------------------------------------------------------------------------------ */

static void begin(struct job *j)
{
	struct err err = { 0 };

	if (!check_inputs(j))
		return;
	if (j->manifest == NULL)
		j->manifest = doc_ref(j->spec.manifest);
	if (job_start_chunks(j, job_chunks_of(j), &err) < 0 ||
	    job_params_new(&j->spec, j->kernel, j->manifest, j->total, &j->params, &err) < 0 ||
	    fit_outputs(j, &err) < 0) {
		job_unhappy(j, "ManifestInvalid", err.text);
		return;
	}
	if (!check_comparable(j))
		return;
	j->phase = PHASE_CHECKING;
}

static uint64_t largest_state(const struct job *j)
{
	struct vote_extent extents[JOB_MAX_OUTPUTS] = { 0 };

	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		const struct job_extent *e = job_params_extent(j->params, i);

		extents[job_params_output(j->params, i)] = (struct vote_extent){
			.scalars = e->max_scalars,
			.total = e->total,
			.bytes = e->total_bytes,
		};
	}
	return vote_reduce_largest(j->outputs, extents, j->spec.n_outputs, (uint64_t)j->total);
}

/* What follows from the spec alone: a successor decides the same. */
static int check_partial(struct job *j, struct err *err)
{
	uint64_t most = largest_state(j);

	j->state_in_store = false;
	if (most <= job_max_partial(j->config.max_plain))
		return 0;
	if (!j->config.store && j->counts.accepted > 0)
		return err_set(
		    err, ERR_UNAVAILABLE,
		    "what was accepted is in a store: start the controller with --store");
	if (!j->config.store)
		return err_set(
		    err, ERR_INVALID,
		    "the reducers' state could take %llu characters, a status holds %d: "
		    "large results need a controller with --store, or `kubectl warp run`",
		    (unsigned long long)most, VOTE_MAX_PARTIAL);
	for (size_t i = 0; i < j->spec.n_outputs; i++)
		j->outputs[i].by_digest = j->outputs[i].reduce == VOTE_CONCAT;
	most = largest_state(j);
	j->state_in_store = most > job_max_partial(j->config.max_partial);
	if (most > JOB_MAX_STATE)
		return err_set(err, ERR_INVALID,
			       "the reducers' state could take %llu characters, at most %d: use "
			       "fewer chunks, smaller outputs or `kubectl warp run`",
			       (unsigned long long)most, JOB_MAX_STATE);
	return 0;
}

static bool is_element_wise(enum vote_reducer r)
{
	return r == VOTE_SUM || r == VOTE_PRODUCT || r == VOTE_MIN || r == VOTE_MAX ||
	       r == VOTE_COUNT;
}

/* Not only once such a chunk is accepted: by then other outputs of it are in their results. */
static int check_lengths(const struct job *j, struct err *err)
{
	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		const struct job_extent *e = job_params_extent(j->params, i);
		const struct vote_output *o = &j->outputs[job_params_output(j->params, i)];

		if (is_element_wise(o->reduce) && e->min_scalars != e->max_scalars)
			return err_set(err, ERR_INVALID,
				       "output %s: its chunks have %llu to %llu elements, reduce: "
				       "%s needs the same number in each",
				       o->name, (unsigned long long)e->min_scalars,
				       (unsigned long long)e->max_scalars,
				       vote_reducer_name(o->reduce));
	}
	return 0;
}

static int check_sizes(struct job *j, struct err *err)
{
	size_t object;
	size_t status;

	if (check_lengths(j, err) < 0)
		return err->code;
	j->value_bytes = 0;
	for (size_t i = 0; i < job_params_outputs(j->params); i++)
		if (j->outputs[job_params_output(j->params, i)].reduce != VOTE_DISCARD)
			j->value_bytes += 8 + job_params_extent(j->params, i)->max_bytes;
	if (!j->config.cluster)
		return 0;
	if (j->value_bytes > WIRE_MAX_VALUES)
		return err_set(err, ERR_INVALID,
			       "the outputs of a chunk take up to %llu bytes, on a cluster at most "
			       "%d: use more chunks or `kubectl warp run`",
			       (unsigned long long)j->value_bytes, WIRE_MAX_VALUES);
	if (check_partial(j, err) < 0)
		return err->code;
	object = doc_size(j->doc);
	status = 60000 + VOTE_MAX_PARTIAL + 8 * (size_t)(j->spec.max_failed + 1) +
		 j->spec.n_outputs * (2 * VOTE_MAX_VALUE + 512) + 16384;
	if (object + status > JOB_MAX_OBJECT)
		return err_set(err, ERR_INVALID,
			       "the object has %zu bytes and its status may take %zu, together at "
			       "most %d: put kernel, manifest or inputs into ConfigMaps",
			       object, status, JOB_MAX_OBJECT);
	return 0;
}

/* The reducers' state for what is accepted already. */
static void load_partial(struct job *j)
{
	struct err err = { 0 };
	const char *text = j->first_partial != NULL ? j->first_partial : "";

	if (j->first_state != NULL)
		text = j->first_state;
	if (j->accepted.count == 0) {
		j->reduction = vote_reduce_new(j->outputs, j->spec.n_outputs);
		return;
	}
	if (vote_reduce_load(j->outputs, j->spec.n_outputs, text, strlen(text), &j->reduction,
			     &err) == 0)
		return;
	if (err.code == ERR_UNAVAILABLE) {
		j->left_alone = true;
		snprintf(j->missing, sizeof(j->missing), "%s", err.text);
		return;
	}
	err_wrap(&err, "status.partial");
	job_unhappy(j, "StatusInvalid", err.text);
}

static void replay(struct job *j)
{
	struct early *list = MOVE(j->early);
	size_t n = j->n_early;

	j->n_early = 0;
	j->early_cap = 0;
	for (size_t i = 0; i < n; i++) {
		struct early *e = &list[i];

		if (e->kind == EARLY_RESULT)
			(void)job_take_result(j, e->node, &e->dispatch, &e->result);
		else
			job_take_offered(j, e->node, e->running, e->n_running);
	}
	j->early = list;
	j->n_early = n;
	job_early_done(j);
}

/* The proof of the kernel's order rests on what its chunks do not hold: often a length is too
 * small. */
static void tell_doubt(struct job *j)
{
	AUTO(buf_done) struct buf why = { .max = 400 };

	if (job_params_order_holds(j->params))
		return;
	job_params_order_reason(j->params, &why);
	job_event(j, true, "OrderAssumed", "%s", buf_str(&why));
}

void job_start_run(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	j->phase = PHASE_RUNNING;
	if (j->start_wall_ms == 0) {
		j->start_wall_ms = wall_ms;
		job_event(j, false, "Started", "%lld chunks, replicas %d, agree %d",
			  (long long)j->total, j->rule.replicas, j->rule.agree);
		tell_doubt(j);
	}
	j->run_since_ms = now_ms;
	j->run_since_count = j->counts.accepted;
	j->missing[0] = '\0';
	j->dirty = true;
	j->fleet_seen = 0;
	replay(j);
	job_judge_all(j);
}

/* All chunks are checked: everything else that a start needs. */
static void checked(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	load_partial(j);
	if (j->unhappy_reason != NULL || j->left_alone || j->reduction == NULL)
		return;
	/* What was accepted before was comparable. */
	if (job_probe_wanted(j) && j->counts.accepted == 0)
		j->phase = PHASE_PROBING;
	else
		job_start_run(j, now_ms, wall_ms);
}

/* A job that cannot go on here, but could elsewhere, is left as it is. */
static void refuse_start(struct job *j, const struct err *err)
{
	if (err->code != ERR_UNAVAILABLE) {
		job_unhappy(j, "ManifestInvalid", err->text);
		return;
	}
	j->left_alone = true;
	snprintf(j->missing, sizeof(j->missing), "%s", err->text);
}

static void check_some(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	uint32_t n = (uint32_t)(j->total - (int64_t)j->checked);
	struct err err = { 0 };

	if (n > CHECK_STEP)
		n = CHECK_STEP;
	if (job_params_check(j->params, j->checked, n, j->input_size, &err) < 0 ||
	    (j->checked + n == j->total && check_sizes(j, &err) < 0))
		refuse_start(j, &err);
	j->checked += n;
	if (j->unhappy_reason == NULL && !j->left_alone && j->checked == j->total)
		checked(j, now_ms, wall_ms);
}

void job_start_step(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	if (j->suspended || j->deleted || j->left_alone)
		return;
	if (j->phase == PHASE_PREPARING && j->unhappy_reason == NULL && job_start_needs(j) == 0)
		begin(j);
	if (j->phase == PHASE_CHECKING)
		check_some(j, now_ms, wall_ms);
	if (j->unhappy_reason != NULL && j->phase < PHASE_ENDING)
		job_end(j, true, j->unhappy_reason, "%s", j->unhappy);
}

/* ---- early facts ------------------------------------------------------------------------ */

void job_early_add(struct job *j, const struct early *e)
{
	struct early *to;
	size_t bytes = sizeof(*e) + e->n_running * sizeof(*e->running);

	if (e->kind == EARLY_RESULT && e->result.values != NULL)
		bytes += (size_t)e->result.values_size;
	/* What does not fit is found missing later: its dispatch has no answer. */
	if (j->n_early >= MAX_EARLY || j->early_bytes + bytes > MAX_EARLY_BYTES)
		return;
	j->early_bytes += bytes;
	mem_reserve(&j->early, &j->early_cap, j->n_early, sizeof(*j->early));
	to = &j->early[j->n_early++];
	*to = *e;
	to->node = mem_strdup(e->node);
	to->result.message = "";
	if (e->kind == EARLY_RESULT && e->result.values != NULL)
		to->result.values = mem_dup(e->result.values, (size_t)e->result.values_size);
	if (e->n_running > 0)
		to->running = mem_dup(e->running, e->n_running * sizeof(*e->running));
}

/* What the list owns although its type says const to everyone else. */
static void free_owned(const void *p)
{
	void *owned;

	memcpy(&owned, &p, sizeof(owned));
	mem_free(owned);
}

void job_early_done(struct job *j)
{
	for (size_t i = 0; i < j->n_early; i++) {
		const struct early *e = &j->early[i];

		free_owned(e->node);
		if (e->kind == EARLY_RESULT)
			free_owned(e->result.values);
		if (e->n_running > 0)
			free_owned(e->running);
	}
	mem_free(j->early);
	j->early = NULL;
	j->n_early = 0;
	j->early_cap = 0;
	j->early_bytes = 0;
}
