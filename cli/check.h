/*
 * check.h - `kubectl warp check`: what the compiler finds out about a kernel.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* A WGSL file, or (job) a manifest with WarpJobs and the ConfigMaps they read. Appends the report;
 * *ret_good is false when a manifest is not valid, a kernel does not compile or a job does not fit
 * its kernel; the report then says what is wrong. */
MUST_CHECK int check_file(const char *path, bool job, struct buf *out, bool *ret_good,
			  struct err *err);

#endif
