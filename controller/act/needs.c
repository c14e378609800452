/* needs.c - what the start of a job needs: its kernel's reflection, its manifest, its inputs. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/act_int.h"
#include "run/run.h"

/* One ConfigMap that is being read for a job. */
struct need {
	struct list_link link; /* in act_job.reads */
	struct act_job *job;   /* borrowed */
	size_t input;          /* SIZE_MAX: the manifest */
	struct act_call *call; /* owned */
};

/* ---- kernel ----------------------------------------------------------------------------- */

/* The text is what agents fetch. */
static int keep_bytes(struct act_job *j, const void *bytes, size_t len, struct hash_digest *ret)
{
	struct err err = { 0 };

	if (act_blobs_add(j->act->blobs, j->uid, bytes, len, ret, &err) < 0) {
		job_on_missing(j->job, err.text);
		return err.code;
	}
	j->uses_blobs = true;
	return 0;
}

/* Inputs that stand in the job itself: decide knows their digests, agents fetch their bytes. */
static int keep_inline(struct act_job *j)
{
	const struct job_spec *spec = job_spec(j->job);

	for (size_t i = 0; i < spec->n_inputs; i++) {
		const struct job_input *in = &spec->inputs[i];
		AUTO(buf_done) struct buf b = { .max = ACT_MAX_INPUT };
		struct hash_digest digest;
		struct err err = { 0 };

		if (in->source != JOB_INLINE)
			continue;
		if (text_unbase64(in->inline_text, in->inline_len, &b, &err) < 0) {
			job_on_refused(j->job, "ManifestInvalid", err.text);
			return err.code;
		}
		if (keep_bytes(j, buf_str(&b), b.len, &digest) < 0)
			return ERR_TOO_BIG;
	}
	return 0;
}

static void on_compiled(void *arg, struct run_kernel *kernel, const char *text,
			const struct err *err)
{
	struct act_job *j = arg;
	const struct job_spec *spec = job_spec(j->job);
	struct hash_digest digest;

	j->compile = NULL;
	if (err->code == 0) {
		if (keep_bytes(j, spec->kernel, spec->kernel_len, &digest) < 0 ||
		    keep_inline(j) < 0)
			return;
		j->kernel = run_kernel_ref(kernel);
		job_on_kernel(j->job, run_kernel_reflection(kernel), &digest);
	} else if (err->code == ERR_INVALID) {
		job_on_kernel_failed(j->job, "KernelInvalid", *text != '\0' ? text : err->text);
	} else if (err->code == ERR_TOO_BIG) {
		job_on_kernel_failed(j->job, "KernelTooBig", err->text);
	} else {
		log_error("kernel not compiled", kv_str("job", j->key), kv_err(err));
		job_on_missing(j->job, err->text);
	}
	act_touch(j);
}

static void compile(struct act_job *j)
{
	const struct job_spec *spec = job_spec(j->job);
	struct run_source source = {
		.text = spec->kernel,
		.len = spec->kernel_len,
		.entry_point = spec->entry_point,
		.constants = spec->constants,
		.n_constants = (uint32_t)spec->n_constants,
		.strict = spec->strict,
	};

	if (j->compile == NULL && j->kernel == NULL)
		j->compile = run_compile(j->act->host, &source, on_compiled, j);
}

/* ---- ConfigMaps ------------------------------------------------------------------------- */

static void need_free(struct need *n)
{
	list_remove(&n->link);
	act_call_free(n->call);
	mem_free(n);
}

static void say_missing(struct act_job *j, const char *what, const char *name, const char *key)
{
	struct buf b = { .max = 1024 };

	buf_note(&b, "ConfigMap %s%s%s: %s", name, key != NULL ? ", key " : "",
		 key != NULL ? key : "", what);
	job_on_missing(j->job, buf_str(&b));
	buf_done(&b);
}

/* A key of data or (base64) binaryData. False: it is not there, or is not base64. */
static bool map_bytes(const struct doc *map, const char *key, struct buf *b)
{
	struct err err = { 0 };
	size_t len;
	const char *text = doc_bytes(doc_member(doc_get(map, "data"), key), "", &len);

	if (text != NULL)
		return buf_add(b, text, len, &err) >= 0;
	text = doc_bytes(doc_member(doc_get(map, "binaryData"), key), "", &len);
	return text != NULL && text_unbase64(text, len, b, &err) >= 0;
}

static void take_input(struct act_job *j, size_t input, const struct buf *b)
{
	struct hash_digest digest;

	if (keep_bytes(j, buf_str(b), b->len, &digest) < 0)
		return;
	job_on_input(j->job, input, &digest, b->len);
}

static void on_map(void *arg, const struct act_answer *answer)
{
	struct need *n = arg;
	struct act_job *j = n->job;
	const struct job_spec *spec = job_spec(j->job);
	bool is_input = n->input != SIZE_MAX;
	const char *name = is_input ? spec->inputs[n->input].ref_name : spec->manifest_map;
	const char *key = is_input ? spec->inputs[n->input].ref_key : spec->manifest_key;
	AUTO(buf_done) struct buf b = { .max = ACT_MAX_INPUT };

	if (answer->err != NULL && answer->err->code == ERR_NOT_FOUND)
		say_missing(j, "does not exist", name, NULL);
	else if (answer->err != NULL)
		say_missing(j, answer->err->text, name, NULL);
	else if (!map_bytes(answer->object, key, &b))
		say_missing(j, "is not there", name, key);
	else if (is_input)
		take_input(j, n->input, &b);
	else
		job_on_manifest(j->job, buf_str(&b), b.len);
	need_free(n);
	act_touch(j);
}

static void read_map(struct act_job *j, size_t input, const char *name)
{
	struct need *n;

	LIST_EACH (struct need, other, &j->reads, link)
		if (other->input == input)
			return;
	n = NEW(struct need);
	n->job = j;
	n->input = input;
	list_add(&j->reads, &n->link);
	n->call =
	    act_call(j->act,
		     &(struct act_request){
			 .verb = ACT_GET, .resource = &kube_configmaps, .ns = j->ns, .name = name },
		     on_map, n);
}

/* ---- inputs ----------------------------------------------------------------------------- */

static void ask_input(struct act_job *j, size_t i, const struct job_input *in)
{
	if (in->source == JOB_CONFIG_MAP)
		read_map(j, i, in->ref_name);
	else
		job_on_refused(j->job, "NotSupported",
			       "spec.inputs: only inline and configMapKeyRef are supported yet");
}

void act_needs_ask(struct act_job *j, uint32_t needs)
{
	const struct job_spec *spec = job_spec(j->job);

	if ((needs & JOB_NEED_KERNEL) != 0)
		compile(j);
	if ((needs & JOB_NEED_MANIFEST) != 0)
		read_map(j, SIZE_MAX, spec->manifest_map);
	if ((needs & JOB_NEED_PARTIAL) != 0)
		act_keep_read_state(j);
	for (size_t i = 0; (needs & JOB_NEED_INPUTS) != 0 && i < spec->n_inputs; i++)
		if (job_input_needed(j->job, i))
			ask_input(j, i, &spec->inputs[i]);
	act_touch(j);
}

void act_needs_drop(struct act_job *j)
{
	if (j->compile != NULL)
		run_call_cancel(MOVE(j->compile));
	LIST_EACH (struct need, n, &j->reads, link)
		need_free(n);
}
