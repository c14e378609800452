/*
 * files.h - the manifests given with -f: WarpJobs and the ConfigMaps they read.
 */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct doc;

enum { FILES_MAX = 256, FILES_MAX_BYTES = 64 << 20, FILES_MAX_PROBLEMS = 16 * 1024 };

struct files {
	struct doc *jobs[FILES_MAX]; /* owned; made complete: namespace, uid, generation */
	size_t n_jobs;
	struct doc *maps[FILES_MAX]; /* owned */
	size_t n_maps;
	struct buf problems; /* lines: what the CRD's schema does not allow */
};
void files_done(struct files *f);

/* Add the documents of a file ("-" is standard input). Kinds other than WarpJob and ConfigMap (and
 * lists of them) are refused by name. A WarpJob that does not fit its CRD is ERR_INVALID: the error
 * is the first problem, f->problems holds all of them. */
MUST_CHECK int files_add(struct files *f, const char *path, struct err *err);

/* Append the bytes of a ConfigMap's key (data or binaryData). ERR_NOT_FOUND: no such map or key. */
MUST_CHECK int files_config_map(const struct files *f, const char *name, const char *key,
				struct buf *out, struct err *err);

#endif
