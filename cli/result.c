/* result.c - see result.h. */
#include "cli/result.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/encode.h"
#include "cli/fetch.h"
#include "cli/run.h"
#include "cli/sink.h"
#include "doc/doc.h"
#include "kube/object.h"

enum { MAX_INLINE = 64 * 1024, MAX_NAMES = 160 };

static int check_complete(const struct doc *job, struct err *err)
{
	const struct doc *status = doc_get(job, "status");
	const char *name = doc_str(job, "metadata.name", "");
	const char *why = doc_str(status, "why", "");

	if (doc_condition_true(doc_get(status, "conditions"), "Complete"))
		return 0;
	if (doc_condition_true(doc_get(status, "conditions"), "Failed"))
		/* Its first line: a diagnostic goes on with the lines that it is about. */
		return err_set(err, ERR_UNAVAILABLE, "%s has failed, so it has no result: %.*s",
			       name, (int)strcspn(why, "\n"), why);
	return err_set(err, ERR_UNAVAILABLE, "%s is not finished: %s, %s chunks accepted%s%s", name,
		       doc_str(status, "state", "Pending"), doc_str(status, "progress", "0"),
		       *why != '\0' ? ": " : "", why);
}

static void list_names(const struct doc *results, struct buf *names)
{
	DOC_EACH(results, r)
	{
		buf_note(names, "%s%s", names->len > 0 ? ", " : "", doc_str(r, "name", ""));
	}
}

/* Why an output has no result. */
static int no_result(const struct doc *job, const char *output, struct err *err)
{
	AUTO(buf_done) struct buf names = { .max = MAX_NAMES };
	const struct doc *results = doc_get(job, "status.results");
	const char *near = "";

	DOC_EACH(doc_get(job, "spec.outputs"), o)
	{
		const char *reduce = doc_str(o, "reduce", "");

		if (text_equal(doc_str(o, "name", NULL), output))
			return err_set(err, ERR_NOT_FOUND,
				       "output %s has no result (reduce: %s keeps none)", output,
				       reduce);
	}
	DOC_EACH(results, r)
	{
		if (text_is_near(output, doc_str(r, "name", "")))
			near = doc_str(r, "name", "");
	}
	if (*near != '\0')
		return err_set(err, ERR_NOT_FOUND, "no output %.63s; did you mean %s?", output,
			       near);
	list_names(results, &names);
	return err_set(err, ERR_NOT_FOUND, "no output %.63s; there are: %s", output,
		       buf_str(&names));
}

int result_pick(const struct doc *job, const char *output, const struct doc **ret, struct err *err)
{
	AUTO(buf_done) struct buf names = { .max = MAX_NAMES };
	const struct doc *results = doc_get(job, "status.results");

	if (check_complete(job, err) < 0)
		return err->code;
	if (doc_count(results) == 0)
		return err_set(err, ERR_NOT_FOUND, "%s has no results",
			       doc_str(job, "metadata.name", ""));
	if (output == NULL && doc_count(results) == 1) {
		*ret = doc_at(results, 0);
		return 0;
	}
	if (output == NULL) {
		list_names(results, &names);
		return err_set(err, ERR_INVALID, "say which output: %s", buf_str(&names));
	}
	DOC_EACH(results, r)
	{
		if (strcmp(doc_str(r, "name", ""), output) != 0)
			continue;
		*ret = r;
		return 0;
	}
	return no_result(job, output, err);
}

/* Into the sink: from the status, or (large) from the data plane. */
static int give(struct cluster *c, const struct doc *job, const struct doc *result,
		struct sink *sink, struct err *err)
{
	AUTO(buf_done) struct buf bytes = { .max = MAX_INLINE };
	const char *hex = doc_str(result, "sha256", "");
	struct hash_digest wanted;
	struct hash_digest got;

	if (doc_has(result, "value")) {
		if (encode_result(result, &bytes, err) < 0)
			return err->code;
		return sink_add(sink, buf_str(&bytes), bytes.len, err);
	}
	if (hash_parse(hex, strlen(hex), &wanted, err) < 0)
		return err_wrap(err, "status.results: sha256");
	if (fetch_blob(c, job, &wanted, sink, err) < 0)
		return err->code;
	sink_digest(sink, &got);
	if (!hash_equal(&wanted, &got))
		return err_set(err, ERR_INVALID,
			       "what came is not what the status names: another SHA-256");
	return 0;
}

static int save(struct cluster *c, const struct doc *job, const struct result_request *r,
		struct err *err)
{
	AUTO(sink_freep) struct sink *sink = NULL;
	const struct doc *result = NULL;

	if (result_pick(job, r->output, &result, err) < 0 || sink_open(r->file, &sink, err) < 0 ||
	    give(c, job, result, sink, err) < 0)
		return err->code;
	return sink_commit(sink, err);
}

int result_get(struct cluster *c, const struct result_request *r, struct buf *out, struct err *err)
{
	AUTO(doc_unrefp) struct doc *job = NULL;
	const struct doc *result = NULL;

	if (cluster_get(c, &kube_warpjobs, cluster_namespace(c), r->job, &job, err) < 0)
		return err->code;
	if (r->file != NULL)
		return save(c, job, r, err);
	if (r->output == NULL) {
		if (check_complete(job, err) < 0)
			return err->code;
		run_print(job, out);
		return 0;
	}
	if (result_pick(job, r->output, &result, err) < 0)
		return err->code;
	run_print_result(result, out);
	return 0;
}
