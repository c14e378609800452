/*
 * result.h - `kubectl warp result`: what a job has computed.
 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/cluster.h"

struct doc;

struct result_request {
	const char *job;
	const char *output; /* NULL: all, or the only one */
	const char *file;   /* NULL: print what they are; else the bytes go there ("-": stdout) */
};

/* Append a line for each result, or write the bytes of one. The job must be Complete. */
MUST_CHECK int result_get(struct cluster *c, const struct result_request *r, struct buf *out,
			  struct err *err);

/* The entry of status.results for an output (NULL: the only one). ERR_UNAVAILABLE: the job is not
 * Complete, and how it stands; ERR_NOT_FOUND: what there is instead. Borrowed from job. */
MUST_CHECK int result_pick(const struct doc *job, const char *output, const struct doc **ret,
			   struct err *err);

#endif
