/*
 * schema.h - a WarpJob against crds/warpjobs.yaml, as the API server does with strict validation.
 *
 * The CRD itself is compiled in, so that `kubectl warp` and `kubectl apply` refuse the same fields,
 * types, bounds, enums and patterns. CEL rules are not evaluated here: job_view says the same.
 */
#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include <stddef.h>

#include "base/buf.h"

struct doc;

enum { SCHEMA_MAX_PROBLEMS = 20 };

/* Appends one line per problem, with the path of the field, and returns their number (at most
 * SCHEMA_MAX_PROBLEMS). Values below `status` are not looked at: the API server drops them. */
size_t schema_check(const struct doc *warpjob, struct buf *out);

#endif
