/* fit.c - see fit.h. */
#include "cli/fit.h"

#include "base/arena.h"
#include "base/mem.h"
#include "cli/files.h"
#include "controller/decide/decide.h"
#include "controller/decide/job_params.h"
#include "doc/doc.h"
#include "hash/hash.h"

enum {
	MAX_INPUT = 64 << 20,
	STEP_MS = 1000, /* a job asks for what it needs once in this time */
	MAX_STEPS = 200 /* more than the checks of the most chunks take */
};

/* All of these depend on names alone, so that each is found. */
static bool check_names(const struct job_spec *spec, const struct wire_kernel *kernel,
			struct buf *out)
{
	AUTO(doc_unrefp) struct doc *elsewhere = doc_new_list();
	const struct doc *manifest = spec->manifest;

	if (manifest == NULL && spec->manifest_map != NULL)
		manifest = elsewhere;
	return job_params_problems(spec, kernel, manifest, 1, out) == 0;
}

static bool give_manifest(struct job *j, const struct files *files, struct buf *out)
{
	const struct job_spec *spec = job_spec(j);
	AUTO(buf_done) struct buf text = { .max = MAX_INPUT };
	struct err err = { 0 };

	if (files_config_map(files, spec->manifest_map, spec->manifest_key, &text, &err) < 0) {
		buf_note(out, "not checked: spec.chunks.manifestFrom: %s\n", err.text);
		return false;
	}
	job_on_manifest(j, buf_str(&text), text.len);
	return true;
}

static bool give_inputs(struct job *j, const struct files *files, struct buf *out)
{
	const struct job_spec *spec = job_spec(j);
	bool all = true;

	for (size_t i = 0; i < spec->n_inputs; i++) {
		AUTO(buf_done) struct buf bytes = { .max = MAX_INPUT };
		struct hash_digest digest;
		struct err err = { 0 };

		if (!job_input_needed(j, i))
			continue;
		if (files_config_map(files, spec->inputs[i].ref_name, spec->inputs[i].ref_key,
				     &bytes, &err) < 0) {
			buf_note(out, "not checked: input %s: %s\n", spec->inputs[i].name,
				 err.text);
			all = false;
			continue;
		}
		hash_bytes(buf_str(&bytes), bytes.len, &digest);
		job_on_input(j, i, &digest, bytes.len);
	}
	return all;
}

static bool give(struct job *j, uint32_t needs, const struct files *files,
		 const struct wire_kernel *kernel, struct buf *out)
{
	const struct job_spec *spec = job_spec(j);
	struct hash_digest digest;
	bool all = true;

	hash_bytes(spec->kernel, spec->kernel_len, &digest);
	if (needs & JOB_NEED_KERNEL)
		job_on_kernel(j, kernel, &digest);
	if (needs & JOB_NEED_MANIFEST)
		all = give_manifest(j, files, out);
	if (needs & JOB_NEED_INPUTS)
		all = give_inputs(j, files, out) && all;
	return all;
}

/* The job's own steps up to its first dispatch, in a fleet without nodes. */
static bool take_steps(struct job *j, const struct files *files, const struct wire_kernel *kernel,
		       struct buf *out)
{
	for (int64_t now = STEP_MS; now < MAX_STEPS * (int64_t)STEP_MS; now += STEP_MS) {
		AUTO(arena_done) struct arena arena = { 0 };
		const struct doc *failed = NULL;
		struct job_plan p;

		job_decide(j, now, now, &arena, &p);
		failed = doc_condition(doc_get(p.status, "conditions"), "Failed");
		if (failed != NULL) {
			buf_note(out, "%s: %s\n", doc_str(failed, "reason", ""),
				 doc_str(failed, "message", ""));
			return false;
		}
		if (p.needs != 0 && !give(j, p.needs, files, kernel, out))
			return true;
		if (p.status != NULL)
			job_on_status_written(j, now);
		if (job_counts(j).total > 0 && p.needs == 0 && p.look_again_ms > now)
			return true;
	}
	return true;
}

int fit_check(const struct files *files, const struct doc *job, const struct wire_kernel *kernel,
	      struct buf *out, bool *ret_good, struct err *err)
{
	AUTO(fleet_freep) struct fleet *fleet = fleet_new();
	AUTO(doc_unrefp) struct doc *active = doc_copy(job);
	AUTO(job_freep) struct job *j = NULL;

	/* Whether and by whom it will be run does not matter here. */
	doc_remove(doc_edit(active, "spec"), "managedBy");
	doc_remove(doc_edit(active, "spec"), "suspend");
	if (job_new(active, fleet,
		    &(struct job_config){ .epoch = 1, .cluster = true, .store = true }, 0, &j,
		    err) < 0)
		return err->code;
	*ret_good = check_names(job_spec(j), kernel, out) && take_steps(j, files, kernel, out);
	if (*ret_good)
		job_note(j, out);
	return 0;
}
