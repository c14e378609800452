/* show.c - see show.h. */
#include "cli/show.h"

#include <string.h>

#include "base/mem.h"
#include "doc/doc.h"

/* Several conditions, and why, may say the same: it is shown once. */
static void show_conditions(const struct doc *list, const char *why, struct buf *out)
{
	DOC_EACH(list, c)
	{
		const char *message = doc_str(c, "message", "");
		bool shown = *message == '\0' || strstr(why, message) != NULL;

		buf_note(out, "  %s=%s %s%s%s\n", doc_str(c, "type", ""), doc_str(c, "status", ""),
			 doc_str(c, "reason", ""), shown ? "" : ": ", shown ? "" : message);
	}
}

static void show_results(const struct doc *list, struct buf *out)
{
	DOC_EACH(list, r)
	{
		const char *index = doc_str(r, "index", doc_str(r, "indexes", ""));

		buf_note(out, "  %s (%s, %s): %s", doc_str(r, "name", ""),
			 doc_str(r, "type", "mixed"), doc_str(r, "class", ""),
			 doc_str(r, "value", "by digest"));
		if (*index != '\0')
			buf_note(out, " at %s", index);
		if (doc_has(r, "sha256"))
			buf_note(out, ", sha256 %s", doc_str(r, "sha256", ""));
		buf_note(out, "\n");
	}
}

static void show_counts(const struct doc *status, struct buf *out)
{
	buf_note(out,
		 "chunks: %lld accepted of %lld, %lld running, %lld disputed, %lld failed, "
		 "%lld unverified\n",
		 (long long)doc_int(status, "chunks.accepted", 0),
		 (long long)doc_int(status, "chunks.total", 0),
		 (long long)doc_int(status, "chunks.running", 0),
		 (long long)doc_int(status, "chunks.disputed", 0),
		 (long long)doc_int(status, "chunks.failed", 0),
		 (long long)doc_int(status, "chunks.unverified", 0));
	buf_note(out,
		 "verify: %lld of %lld must agree, at most %lld are asked; "
		 "asked %lld, agreed %lld, mismatched %lld, lost %lld\n",
		 (long long)doc_int(status, "verify.agree", 0),
		 (long long)doc_int(status, "verify.replicas", 0),
		 (long long)doc_int(status, "verify.maxReplicas", 0),
		 (long long)doc_int(status, "replicas.asked", 0),
		 (long long)doc_int(status, "replicas.agreed", 0),
		 (long long)doc_int(status, "replicas.mismatched", 0),
		 (long long)doc_int(status, "replicas.lost", 0));
}

static void show_times(const struct doc *status, struct buf *out)
{
	if (doc_has(status, "startTime"))
		buf_note(out, "started %s\n", doc_str(status, "startTime", ""));
	if (doc_has(status, "completionTime"))
		buf_note(out, "ended %s\n", doc_str(status, "completionTime", ""));
	else if (doc_has(status, "estimatedSeconds"))
		buf_note(out, "about %lld s left\n",
			 (long long)doc_int(status, "estimatedSeconds", 0));
}

void show_job(const struct doc *job, struct buf *out)
{
	const struct doc *status = doc_get(job, "status");
	const char *why = doc_str(status, "why", "");

	buf_note(out, "%s/%s: %s", doc_str(job, "metadata.namespace", ""),
		 doc_str(job, "metadata.name", ""), doc_str(status, "state", "Pending"));
	if (*why != '\0')
		buf_note(out, ": %s", why);
	buf_note(out, "\n");
	if (status == NULL) {
		buf_note(out, "no controller has looked at it yet\n");
		return;
	}
	show_counts(status, out);
	if (doc_has(status, "kernel"))
		buf_note(out, "kernel: class %s, order %s, sha256 %s\n",
			 doc_str(status, "kernel.numericClass", ""),
			 doc_str(status, "kernel.order", ""), doc_str(status, "kernel.sha256", ""));
	show_times(status, out);
	if (doc_count(doc_get(status, "results")) > 0)
		buf_note(out, "results:\n");
	show_results(doc_get(status, "results"), out);
	if (doc_count(doc_get(status, "conditions")) > 0)
		buf_note(out, "conditions:\n");
	show_conditions(doc_get(status, "conditions"), why, out);
}

void show_line(const struct doc *job, struct buf *out)
{
	const struct doc *status = doc_get(job, "status");

	buf_note(out, "%-10s %-14s %s%s%s\n", doc_str(status, "state", "Pending"),
		 doc_str(status, "progress", ""), doc_str(status, "resultSummary", ""),
		 *doc_str(status, "why", "") != '\0' ? "  " : "", doc_str(status, "why", ""));
}

bool show_is_finished(const struct doc *job, bool *ret_complete)
{
	const struct doc *conditions = doc_get(job, "status.conditions");

	*ret_complete = doc_condition_true(conditions, "Complete");
	return *ret_complete || doc_condition_true(conditions, "Failed");
}

static void show_node(const struct doc *n, struct buf *out)
{
	const struct doc *conditions = doc_get(n, "status.conditions");
	const struct doc *ready = doc_condition(conditions, "Ready");
	const char *failed = strcmp(doc_str(ready, "reason", ""), "SelfTestFailed") == 0
				 ? doc_str(ready, "message", "")
				 : "";

	buf_note(out, "%-24s %-6s %-10s %7lld/%-5lld %-6s %s%s%s%s\n",
		 doc_str(n, "metadata.name", ""),
		 doc_condition_true(conditions, "Ready") ? "True" : "False",
		 doc_str(n, "spec.pool", "default"), (long long)doc_int(n, "status.running", 0),
		 (long long)doc_int(n, "status.slots", 0), doc_str(n, "status.trust.rank", ""),
		 doc_bool(n, "spec.paused", false) ? "(cordoned) " : "",
		 doc_str(n, "status.deviceSummary", ""), *failed != '\0' ? ": " : "", failed);
}

void show_nodes(const struct doc *list, struct buf *out)
{
	buf_note(out, "%-24s %-6s %-10s %13s %-6s %s\n", "NAME", "READY", "POOL", "RUNNING/SLOTS",
		 "RANK", "DEVICES");
	DOC_EACH(doc_get(list, "items"), n)
	{
		show_node(n, out);
	}
}
