/*
 * check.h - `kubectl warp check`: what the compiler finds out about a kernel.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* A WGSL file, or (job) a manifest with a WarpJob. Appends the report; *ret_good is false when the
 * kernel does not compile, the report then holds the diagnostics. */
MUST_CHECK int check_file(const char *path, bool job, struct buf *out, bool *ret_good,
			  struct err *err);

#endif
