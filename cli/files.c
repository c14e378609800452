/* files.c - see files.h. */
#include "cli/files.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/schema.h"
#include "doc/doc.h"

void files_done(struct files *f)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		doc_unref(f->jobs[i]);
	for (size_t i = 0; i < f->n_maps; i++)
		doc_unref(f->maps[i]);
	buf_done(&f->problems);
	*f = (struct files){ 0 };
}

/* What the API server would have filled in. */
static struct doc *complete(const struct doc *job, size_t n)
{
	struct doc *copy = doc_copy(job);

	if (!doc_has(copy, "metadata.namespace"))
		doc_set_path(copy, "metadata.namespace", doc_new_str("default"));
	doc_set_path(copy, "metadata.uid", doc_new_strf("00000000-0000-4000-8000-%012zx", n + 1));
	doc_set_path(copy, "metadata.generation", doc_new_int(1));
	doc_remove(copy, "status");
	return copy;
}

static int add_job(struct files *f, const struct doc *d, struct err *err)
{
	const char *name = doc_str(d, "metadata.name", "");

	if (!text_is_dns_name(name) || strlen(name) > 63)
		return err_set(
		    err, ERR_INVALID,
		    "WarpJob: metadata.name must be a DNS name of at most 63 characters");
	f->problems.max = FILES_MAX_PROBLEMS;
	if (schema_check(d, &f->problems) > 0)
		return err_set(err, ERR_INVALID, "WarpJob %s: %.*s", name,
			       (int)strcspn(buf_str(&f->problems), "\n"), buf_str(&f->problems));
	f->jobs[f->n_jobs] = complete(d, f->n_jobs);
	f->n_jobs++;
	return 0;
}

static int add_document(struct files *f, const struct doc *d, struct err *err)
{
	const char *kind = doc_str(d, "kind", "");
	const char *version = doc_str(d, "apiVersion", "");

	if (f->n_jobs == FILES_MAX || f->n_maps == FILES_MAX)
		return err_set(err, ERR_TOO_BIG, "more than %d objects", FILES_MAX);
	if (strcmp(kind, "WarpJob") == 0 && strcmp(version, "kwarp.dev/v1alpha1") == 0)
		return add_job(f, d, err);
	if (strcmp(kind, "ConfigMap") == 0 && strcmp(version, "v1") == 0) {
		f->maps[f->n_maps++] = doc_copy(d);
		return 0;
	}
	return err_set(
	    err, ERR_INVALID,
	    "%s %s: only WarpJobs (kwarp.dev/v1alpha1) and ConfigMaps (v1) are read here",
	    *version != '\0' ? version : "(no apiVersion)", *kind != '\0' ? kind : "(no kind)");
}

static int add_list(struct files *f, const struct doc *items, struct err *err)
{
	DOC_EACH(items, item)
	{
		if (add_document(f, item, err) < 0)
			return err->code;
	}
	return 0;
}

static int add_documents(struct files *f, const struct doc *list, struct err *err)
{
	for (size_t i = 0; i < doc_count(list); i++) {
		const struct doc *d = doc_at(list, i);
		int rc = strcmp(doc_str(d, "kind", ""), "List") == 0
			     ? add_list(f, doc_get(d, "items"), err)
			     : add_document(f, d, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

int files_add(struct files *f, const char *path, struct err *err)
{
	AUTO(buf_done) struct buf text = { .max = FILES_MAX_BYTES };
	AUTO(doc_unrefp) struct doc *list = NULL;

	if (file_read(path, &text, err) < 0)
		return err->code;
	if (doc_parse_files(buf_str(&text), text.len, NULL, &list, err) < 0)
		return err_wrap(err, "%s", path);
	if (add_documents(f, list, err) < 0)
		return err_wrap(err, "%s", path);
	return 0;
}

int files_config_map(const struct files *f, const char *name, const char *key, struct buf *out,
		     struct err *err)
{
	for (size_t i = 0; i < f->n_maps; i++) {
		const struct doc *map = f->maps[i];
		const struct doc *value;
		const char *bytes;
		size_t len;

		if (strcmp(doc_str(map, "metadata.name", ""), name) != 0)
			continue;
		value = doc_member(doc_get(map, "data"), key);
		bytes = doc_bytes(value, "", &len);
		if (bytes != NULL)
			return buf_add(out, bytes, len, err);
		value = doc_member(doc_get(map, "binaryData"), key);
		bytes = doc_bytes(value, "", &len);
		if (bytes == NULL)
			return err_set(err, ERR_NOT_FOUND, "ConfigMap %s has no key %s", name, key);
		if (text_unbase64(bytes, len, out, err) < 0)
			return err_wrap(err, "ConfigMap %s: %s", name, key);
		return 0;
	}
	return err_set(err, ERR_NOT_FOUND, "ConfigMap %s is in none of the files", name);
}
