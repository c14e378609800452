/*
 * fit.h - whether a WarpJob fits its kernel: the checks of a job's start, without running it.
 */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct doc;
struct files;
struct wire_kernel;

/* Appends a line for each problem found, as the controller would say it, and for what could not be
 * checked because a ConfigMap is in none of the files. *ret_good is false after a problem. The job
 * is complete (files.h). */
MUST_CHECK int fit_check(const struct files *files, const struct doc *job,
			 const struct wire_kernel *kernel, struct buf *out, bool *ret_good,
			 struct err *err);

#endif
