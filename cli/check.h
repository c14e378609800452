/*
 * check.h - `kubectl warp check`: what the compiler finds out about a kernel.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* A WGSL file. Appends the report; *ret_good is false when the kernel does not compile: the report
 * then says why. */
MUST_CHECK int check_kernel(const char *path, struct buf *out, bool *ret_good, struct err *err);
/* The same for manifests with WarpJobs and the ConfigMaps they read: also whether they are valid
 * and the jobs fit their kernels. */
MUST_CHECK int check_jobs(const char *const *paths, size_t n, struct buf *out, bool *ret_good,
			  struct err *err);

#endif
