/* job_view.c - see job_view.h. */
#include "controller/decide/job_view.h"

#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "doc/doc.h"

#define FIELD(member) offsetof(struct job_spec, member)

const struct job_view_field job_view_fields[] = {
	{ "kernel.wgsl", "string", 1, JOB_MAX_KERNEL, FIELD(kernel) },
	{ "kernel.entryPoint", "string", 1, 256, FIELD(entry_point) },
	{ "chunks.count", "integer", 1, JOB_MAX_CHUNKS, FIELD(count) },
	{ "chunks.manifestFrom.configMapKeyRef.name", "string", 1, 253, FIELD(manifest_map) },
	{ "chunks.manifestFrom.configMapKeyRef.key", "string", 1, 253, FIELD(manifest_key) },
	{ "chunks.invocations", "string", 1, 1024, FIELD(invocations) },
	{ "verify.replicas", "integer", 1, JOB_MAX_REPLICAS, FIELD(replicas) },
	{ "verify.agree", "integer", 1, JOB_MAX_REPLICAS, FIELD(agree) },
	{ "verify.maxReplicas", "integer", 1, 32, FIELD(max_replicas) },
	{ "where", "string", 1, 4096, FIELD(where) },
	{ "nodeName", "string", 1, 253, FIELD(node_name) },
	{ "parallelism", "integer", 1, 1000000, FIELD(parallelism) },
	{ "chunksPerSlice", "integer", 1, 1000000, FIELD(chunks_per_slice) },
	{ "limits.deviceMemoryMiB", "integer", 1, 16777216, FIELD(memory_mib) },
	{ "backoffLimitPerChunk", "integer", 0, 1000, FIELD(backoff_limit) },
	{ "maxFailedChunks", "integer", 0, 10000, FIELD(max_failed) },
	{ "activeDeadlineSeconds", "integer", 1, 315360000, FIELD(deadline_s) },
	{ "success.acceptedChunks", "integer", 1, JOB_MAX_CHUNKS, FIELD(success) },
	{ "suspend", "boolean", 0, 0, FIELD(suspend) },
	{ "ttlSecondsAfterFinished", "integer", 0, 315360000, FIELD(ttl_s) },
	{ "blobTTLSecondsAfterFinished", "integer", 0, 315360000, FIELD(blob_ttl_s) },
	{ "podHistoryLimit", "integer", 0, 1000, FIELD(pod_history) },
	{ "priority", "integer", -1000000, 1000000, FIELD(priority) },
	{ "managedBy", "string", 1, 63, FIELD(managed_by) },
	{ 0 },
};

static int read_field(const struct doc *doc, const struct job_view_field *f, struct job_spec *ret,
		      struct err *err)
{
	void *at = (char *)ret + f->offset;
	char path[96] = "spec.";
	const char *str;

	memcpy(path + 5, f->path, strlen(f->path) + 1);
	if (strcmp(f->type, "integer") == 0)
		return doc_opt_int(doc, path, f->min, f->max, at, err);
	if (strcmp(f->type, "boolean") == 0)
		return doc_opt_bool(doc, path, at, err);
	memcpy(&str, at, sizeof(str));
	if (doc_opt_str(doc, path, (size_t)f->max, &str, err) < 0)
		return err->code;
	if (doc_has(doc, path) && strlen(str) < (size_t)f->min)
		return err_set(err, ERR_INVALID, "%s: must not be empty", path);
	memcpy(at, &str, sizeof(str));
	return 0;
}

static int read_fields(const struct doc *doc, struct job_spec *ret, struct err *err)
{
	for (const struct job_view_field *f = job_view_fields; f->path != NULL; f++)
		if (read_field(doc, f, ret, err) < 0)
			return err->code;
	return 0;
}

/* One of the words in `words` ("A B C"): its number. */
static int read_word(const struct doc *doc, const char *path, const char *words, int *ret,
		     struct err *err)
{
	const char *word = NULL;
	size_t len;
	int n = 0;

	if (doc_opt_str(doc, path, 64, &word, err) < 0)
		return err->code;
	if (word == NULL)
		return 0;
	len = strlen(word);
	for (const char *at = words; *at != '\0'; n++) {
		size_t end = strcspn(at, " ");

		if (end == len && strncmp(at, word, len) == 0) {
			*ret = n;
			return 0;
		}
		at += end + strspn(at + end, " ");
	}
	return err_set(err, ERR_INVALID, "%s: \"%s\" is none of %s", path, word, words);
}

/* A number or a text, as text. */
static int read_text(const struct doc *v, struct arena *arena, const char **ret)
{
	if (doc_is(v, DOC_INT))
		*ret = arena_printf(arena, "%lld", (long long)doc_int(v, "", 0));
	else if (doc_is(v, DOC_STR))
		*ret = doc_str(v, "", "");
	else
		return -1;
	return 0;
}

static int read_constants(const struct doc *doc, struct arena *arena, struct job_spec *ret,
			  struct err *err)
{
	const struct doc *map = NULL;

	if (doc_opt_map(doc, "spec.kernel.constants", WIRE_MAX_CONSTANTS, &map, err) < 0)
		return err->code;
	DOC_EACH_MEMBER(map, m)
	{
		struct wire_constant *c = &ret->constants[ret->n_constants++];
		const char *text;

		if (read_text(m.value, arena, &text) < 0)
			return err_set(err, ERR_INVALID,
				       "spec.kernel.constants.%s: expected an integer or a quoted "
				       "number",
				       m.key);
		c->key = m.key;
		if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
			c->value = *text == 't';
		else if (num_parse_f64(text, strlen(text), &c->value, err) < 0)
			return err_wrap(err, "spec.kernel.constants.%s", m.key);
	}
	return 0;
}

static int read_kernel(const struct doc *doc, struct arena *arena, struct job_spec *ret,
		       struct err *err)
{
	static const char *const languages[] = { "wgsl", "cuda", "expr", "wasm" };
	const struct doc *kernel = doc_get(doc, "spec.kernel");
	const char *given = NULL;
	int count = 0;

	for (size_t i = 0; i < ARRAY_LEN(languages); i++) {
		if (!doc_has(kernel, languages[i]))
			continue;
		given = languages[i];
		count++;
	}
	if (count + (int)doc_has(doc, "spec.kernelRef") != 1)
		return err_set(err, ERR_INVALID,
			       "spec.kernel: exactly one of wgsl, cuda, expr, wasm and "
			       "spec.kernelRef is needed");
	if (given == NULL || strcmp(given, "wgsl") != 0) {
		ret->refused_reason = "KernelLanguageUnavailable";
		ret->refused =
		    given != NULL
			? arena_printf(arena, "spec.kernel.%s: this version runs wgsl only", given)
			: "spec.kernelRef: this version runs spec.kernel.wgsl only";
		return 0;
	}
	if (strcmp(doc_str(kernel, "form", "Grid"), "Grid") != 0)
		return err_set(err, ERR_INVALID,
			       "spec.kernel.form: a wgsl kernel has the form Grid");
	ret->kernel_len = strlen(ret->kernel);
	return read_constants(doc, arena, ret, err);
}

static int read_range(const struct doc *doc, struct job_spec *ret, struct err *err)
{
	const char *lo = NULL;
	const char *hi = NULL;

	if (!doc_has(doc, "spec.chunks.range"))
		return 0;
	if (doc_read_str(doc, "spec.chunks.range.lo", 20, &lo, err) < 0 ||
	    doc_read_str(doc, "spec.chunks.range.hi", 20, &hi, err) < 0)
		return err->code;
	if (num_parse_i64(lo, strlen(lo), INT64_MIN, INT64_MAX, &ret->range_lo, err) < 0)
		return err_wrap(err, "spec.chunks.range.lo");
	if (num_parse_i64(hi, strlen(hi), INT64_MIN, INT64_MAX, &ret->range_hi, err) < 0)
		return err_wrap(err, "spec.chunks.range.hi");
	if (ret->range_lo >= ret->range_hi)
		return err_set(err, ERR_INVALID, "spec.chunks.range: lo must be less than hi");
	ret->has_range = true;
	return 0;
}

static int read_params(const struct doc *doc, struct arena *arena, struct job_spec *ret,
		       struct err *err)
{
	const struct doc *map = NULL;
	struct job_param *params;

	if (doc_opt_map(doc, "spec.chunks.params", 256, &map, err) < 0)
		return err->code;
	params = arena_new_array(arena, struct job_param, doc_count(map));
	ret->params = params;
	DOC_EACH_MEMBER(map, m)
	{
		params[ret->n_params].field = m.key;
		if (read_text(m.value, arena, &params[ret->n_params].text) < 0)
			return err_set(err, ERR_INVALID,
				       "spec.chunks.params.%s: expected an integer or a text; "
				       "quote decimals and expressions",
				       m.key);
		ret->n_params++;
	}
	return 0;
}

static int read_chunks(const struct doc *doc, struct arena *arena, struct job_spec *ret,
		       struct err *err)
{
	int ways;

	if (read_range(doc, ret, err) < 0 || read_params(doc, arena, ret, err) < 0 ||
	    doc_opt_list(doc, "spec.chunks.manifest", JOB_MAX_MANIFEST, &ret->manifest, err) < 0)
		return err->code;
	ways = (ret->count > 0 && !ret->has_range) + (ret->manifest != NULL) +
	       (ret->manifest_map != NULL && ret->manifest_key != NULL) + ret->has_range;
	if (ways != 1)
		return err_set(err, ERR_INVALID,
			       "spec.chunks: exactly one of count, manifest, manifestFrom and "
			       "range is needed (range may have a count)");
	if (ret->manifest != NULL || ret->manifest_map != NULL) {
		if (ret->n_params > 0)
			return err_set(err, ERR_INVALID,
				       "spec.chunks.params: a manifest names every field itself");
		ret->count = (int64_t)doc_count(ret->manifest);
		if (ret->manifest != NULL && ret->count == 0)
			return err_set(err, ERR_INVALID, "spec.chunks.manifest: has no chunks");
	}
	return 0;
}

static int read_input(const struct doc *d, size_t i, struct arena *arena, struct job_spec *ret,
		      struct err *err)
{
	struct job_input *in = &ret->inputs[i];
	int given = 0;

	if (doc_read_str(d, "name", 256, &in->name, err) < 0 ||
	    doc_opt_str(d, "offset", 1024, &in->offset, err) < 0 ||
	    doc_opt_str(d, "length", 1024, &in->length, err) < 0 ||
	    doc_opt_str(d, "from.inline", 1398104, &in->inline_text, err) < 0 ||
	    doc_opt_str(d, "from.configMapKeyRef.name", 253, &in->ref_name, err) < 0 ||
	    doc_opt_str(d, "from.configMapKeyRef.key", 253, &in->ref_key, err) < 0)
		return err_wrap(err, "spec.inputs[%zu]", i);
	given = (in->inline_text != NULL) + (in->ref_name != NULL && in->ref_key != NULL) +
		doc_has(d, "from.datasetRef") + doc_has(d, "from.http");
	if (given != 1)
		return err_set(err, ERR_INVALID,
			       "spec.inputs[%zu].from: exactly one of inline, configMapKeyRef, "
			       "datasetRef and http is needed",
			       i);
	in->inline_len = in->inline_text != NULL ? strlen(in->inline_text) : 0;
	in->source = in->inline_text != NULL ? JOB_INLINE : JOB_CONFIG_MAP;
	if (doc_has(d, "from.http"))
		in->source = JOB_HTTP;
	if (doc_has(d, "from.datasetRef"))
		in->source = JOB_DATASET;
	if (in->source >= JOB_DATASET && ret->refused == NULL) {
		ret->refused_reason = "NotSupported";
		ret->refused = arena_printf(
		    arena,
		    "spec.inputs[%zu].from.%s: this version reads inline and configMapKeyRef only",
		    i, in->source == JOB_HTTP ? "http" : "datasetRef");
	}
	for (size_t k = 0; k < i; k++)
		if (strcmp(ret->inputs[k].name, in->name) == 0)
			return err_set(err, ERR_INVALID,
				       "spec.inputs[%zu].name: \"%s\" is there twice", i, in->name);
	return 0;
}

static int read_output(const struct doc *d, size_t i, struct arena *arena, struct job_spec *ret,
		       struct err *err)
{
	struct job_output *out = &ret->outputs[i];
	const char *reduce = NULL;
	int64_t k = 0;

	if (doc_read_str(d, "name", 256, &out->name, err) < 0 ||
	    doc_opt_str(d, "length", 1024, &out->length, err) < 0 ||
	    doc_read_str(d, "reduce", 32, &reduce, err) < 0 ||
	    doc_opt_int(d, "k", 1, VOTE_MAX_K, &k, err) < 0)
		return err_wrap(err, "spec.outputs[%zu]", i);
	out->k = (uint32_t)k;
	for (size_t n = 0; n < i; n++)
		if (strcmp(ret->outputs[n].name, out->name) == 0)
			return err_set(err, ERR_INVALID,
				       "spec.outputs[%zu].name: \"%s\" is there twice", i,
				       out->name);
	if (strcmp(reduce, "Kernel") == 0) {
		out->reduce = VOTE_DISCARD;
		if (ret->refused == NULL) {
			ret->refused_reason = "NotSupported";
			ret->refused = arena_printf(
			    arena,
			    "spec.outputs[%zu].reduce: Kernel is not available in this version", i);
		}
		return 0;
	}
	if (vote_reducer_parse(reduce, &out->reduce, err) < 0)
		return err_wrap(err, "spec.outputs[%zu].reduce", i);
	if ((out->reduce == VOTE_TOP_K) != (k > 0))
		return err_set(err, ERR_INVALID,
			       "spec.outputs[%zu].k: needed by reduce: TopK and by nothing else",
			       i);
	return 0;
}

static int read_lists(const struct doc *doc, struct arena *arena, struct job_spec *ret,
		      struct err *err)
{
	const struct doc *inputs = NULL;
	const struct doc *outputs = NULL;

	if (doc_opt_list(doc, "spec.inputs", JOB_MAX_INPUTS, &inputs, err) < 0 ||
	    doc_read_list(doc, "spec.outputs", JOB_MAX_OUTPUTS, &outputs, err) < 0)
		return err->code;
	for (; ret->n_inputs < doc_count(inputs); ret->n_inputs++)
		if (read_input(doc_at(inputs, ret->n_inputs), ret->n_inputs, arena, ret, err) < 0)
			return err->code;
	for (; ret->n_outputs < doc_count(outputs); ret->n_outputs++)
		if (read_output(doc_at(outputs, ret->n_outputs), ret->n_outputs, arena, ret, err) <
		    0)
			return err->code;
	if (ret->n_outputs == 0)
		return err_set(err, ERR_INVALID, "spec.outputs: must name at least one output");
	return 0;
}

/* What the contract has but this version does not do yet is refused by name. */
static int read_verify(const struct doc *doc, struct job_spec *ret, struct err *err)
{
	int spread = JOB_NODE;
	int compare = 0;
	int trust = 0;
	int numerics = 0;
	int64_t canaries = 0;
	bool every_device = false;
	const char *what = NULL;

	if (read_word(doc, "spec.verify.spread", "Node Device Owner Vendor Zone", &spread, err) <
		0 ||
	    read_word(doc, "spec.verify.compare", "Auto Exact Tolerance", &compare, err) < 0 ||
	    read_word(doc, "spec.verify.trust", "Never Adaptive", &trust, err) < 0 ||
	    read_word(doc, "spec.verify.numerics", "Native Strict", &numerics, err) < 0 ||
	    doc_opt_int(doc, "spec.verify.canaryPercent", 0, 100, &canaries, err) < 0 ||
	    doc_opt_bool(doc, "spec.verify.everyDevice", &every_device, err) < 0)
		return err->code;
	ret->spread = (enum job_spread)spread;
	ret->exact = compare == 1;
	ret->strict = numerics == 1;
	if (ret->agree == 0)
		ret->agree = ret->replicas / 2 + 1;
	if (ret->max_replicas == 0)
		ret->max_replicas = ret->replicas + 3;
	if (ret->agree > ret->replicas)
		return err_set(err, ERR_INVALID,
			       "spec.verify.agree: %lld must not exceed verify.replicas (%lld)",
			       (long long)ret->agree, (long long)ret->replicas);
	if (ret->max_replicas < ret->replicas)
		return err_set(err, ERR_INVALID,
			       "spec.verify.maxReplicas: %lld must not be less than "
			       "verify.replicas (%lld)",
			       (long long)ret->max_replicas, (long long)ret->replicas);
	if (compare == 2 && ret->replicas > 1)
		what = "spec.verify.compare: Tolerance is not available in this version; use "
		       "replicas: 1";
	if (trust == 1)
		what = "spec.verify.trust: Adaptive is not available in this version";
	if (canaries > 0)
		what = "spec.verify.canaryPercent: canaries are not available in this version";
	if (every_device)
		what = "spec.verify.everyDevice: not available in this version";
	if (what != NULL && ret->refused == NULL) {
		ret->refused_reason = "NotSupported";
		ret->refused = what;
	}
	return 0;
}

static int read_policies(const struct doc *doc, struct job_spec *ret, struct err *err)
{
	const char *iterations = NULL;
	int64_t timeout_s = 60;
	int pod_policy = 0;
	int execution = 0;

	if (read_word(doc, "spec.podPolicy", "PerSlice None", &pod_policy, err) < 0 ||
	    read_word(doc, "spec.execution", "Agents Pods", &execution, err) < 0 ||
	    doc_opt_int(doc, "spec.limits.chunkTimeoutSeconds", 1, 86400, &timeout_s, err) < 0 ||
	    doc_opt_str(doc, "spec.limits.iterationsPerInvocation", 19, &iterations, err) < 0)
		return err->code;
	ret->pods = pod_policy == 0;
	ret->chunk_timeout_ms = timeout_s * 1000;
	ret->iterations = 4294967296;
	if (iterations != NULL && num_parse_u64(iterations, strlen(iterations), 999999999999999999,
						&ret->iterations, err) < 0)
		return err_wrap(err, "spec.limits.iterationsPerInvocation");
	if (ret->iterations == 0)
		return err_set(err, ERR_INVALID,
			       "spec.limits.iterationsPerInvocation: must be at least 1");
	if (execution == 1 && ret->refused == NULL) {
		ret->refused_reason = "NotSupported";
		ret->refused = "spec.execution: Pods is not available in this version; use Agents";
	}
	if (ret->node_name != NULL && ret->replicas != 1)
		return err_set(err, ERR_INVALID,
			       "spec.nodeName: needs verify.replicas: 1, since one node cannot "
			       "confirm itself");
	if (ret->success > 0 && ret->count > 0 && ret->success > ret->count)
		return err_set(err, ERR_INVALID,
			       "spec.success.acceptedChunks: %lld exceeds the number of chunks, "
			       "%lld",
			       (long long)ret->success, (long long)ret->count);
	return 0;
}

int job_view(const struct doc *warpjob, struct arena *arena, struct job_spec *ret, struct err *err)
{
	*ret = (struct job_spec){
		.ns = doc_str(warpjob, "metadata.namespace", ""),
		.name = doc_str(warpjob, "metadata.name", ""),
		.uid = doc_str(warpjob, "metadata.uid", ""),
		.generation = doc_int(warpjob, "metadata.generation", 0),
		.entry_point = "",
		.replicas = 2,
		.backoff_limit = 3,
		.pod_history = 20,
		.ttl_s = -1,
		.blob_ttl_s = 604800,
		.pods = true,
	};
	if (read_fields(warpjob, ret, err) < 0 || read_kernel(warpjob, arena, ret, err) < 0 ||
	    read_chunks(warpjob, arena, ret, err) < 0 || read_lists(warpjob, arena, ret, err) < 0 ||
	    read_verify(warpjob, ret, err) < 0)
		return err->code;
	return read_policies(warpjob, ret, err);
}

/* ---- status ----------------------------------------------------------------------------- */

void job_record_done(struct job_record *r)
{
	ranges_done(&r->accepted);
	ranges_done(&r->failed);
}

static int read_ranges(const struct doc *doc, const char *path, size_t max_len, size_t max,
		       struct ranges *ret, struct err *err)
{
	const char *text = "";

	if (doc_opt_str(doc, path, max_len, &text, err) < 0)
		return err->code;
	if (ranges_parse(text, strlen(text), JOB_MAX_CHUNKS, max, ret, err) < 0)
		return err_wrap(err, "%s", path);
	return 0;
}

static int read_time(const struct doc *doc, const char *path, int64_t *ret, struct err *err)
{
	const char *text = NULL;

	if (doc_opt_str(doc, path, 64, &text, err) < 0)
		return err->code;
	if (text != NULL && clock_parse(text, ret, err) < 0)
		return err_wrap(err, "%s", path);
	return 0;
}

static int read_counts(const struct doc *doc, struct job_record *r, struct err *err)
{
	int64_t epoch = 0;

	if (doc_opt_int(doc, "status.chunks.total", 0, JOB_MAX_CHUNKS, &r->total, err) < 0 ||
	    doc_opt_int(doc, "status.chunks.unverified", 0, JOB_MAX_CHUNKS, &r->unverified, err) <
		0 ||
	    doc_opt_int(doc, "status.replicas.asked", 0, INT64_MAX, &r->asked, err) < 0 ||
	    doc_opt_int(doc, "status.replicas.agreed", 0, INT64_MAX, &r->agreed, err) < 0 ||
	    doc_opt_int(doc, "status.replicas.mismatched", 0, INT64_MAX, &r->mismatched, err) < 0 ||
	    doc_opt_int(doc, "status.replicas.lost", 0, INT64_MAX, &r->lost, err) < 0 ||
	    doc_opt_int(doc, "status.controllerEpoch", 0, INT64_MAX, &epoch, err) < 0)
		return err->code;
	r->epoch = (uint64_t)epoch;
	return 0;
}

int job_view_status(const struct doc *warpjob, struct job_record *ret, struct err *err)
{
	AUTO(job_record_done) struct job_record r = { .state = "", .partial = "" };
	const struct doc *conditions = doc_get(warpjob, "status.conditions");

	r.kernel_sha256 = doc_str(warpjob, "status.kernel.sha256", "");
	r.inputs = doc_get(warpjob, "status.inputs");
	r.failed_job = doc_condition_true(conditions, "Failed");
	r.complete = r.failed_job || doc_condition_true(conditions, "Complete");
	r.suspended = doc_condition_true(conditions, "Suspended");
	if (doc_opt_str(warpjob, "status.state", 32, &r.state, err) < 0 ||
	    doc_opt_str(warpjob, "status.partial", 16512, &r.partial, err) < 0 ||
	    read_ranges(warpjob, "status.acceptedIndexes", 65536, RANGES_MAX, &r.accepted, err) <
		0 ||
	    read_ranges(warpjob, "status.failedIndexes", 81920, 10001, &r.failed, err) < 0 ||
	    read_time(warpjob, "status.startTime", &r.start_wall_ms, err) < 0 ||
	    read_time(warpjob, "status.completionTime", &r.end_wall_ms, err) < 0 ||
	    read_counts(warpjob, &r, err) < 0)
		return err->code;
	RANGES_EACH(&r.failed, f)
	{
		if (ranges_next(&r.accepted, f->first, f->last + 1) <= f->last)
			return err_set(err, ERR_INVALID,
				       "status: chunk %llu is accepted and failed",
				       (unsigned long long)f->first);
	}
	*ret = r;
	r = (struct job_record){ 0 }; /* cppcheck-suppress unreadVariable ; handed over */
	return 0;
}
