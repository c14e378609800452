/*
 * node_add.h - `kubectl warp node add`: a node's place and credential (DESIGN 6, docs/wire.md 9).
 */
#ifndef CLI_NODE_ADD_H
#define CLI_NODE_ADD_H

#include "base/buf.h"
#include "base/err.h"
#include "cli/cluster.h"

struct node_add {
	const char *name;
	const char *owner; /* NULL: left as it is */
	const char *zone;
	const char *pool;
	const char *ns; /* of the controller */
};

/* Creates the WarpNode and the Secret with the digest of a new credential, and appends the join
 * file, the only place where the credential stands. Run again it replaces the credential. */
MUST_CHECK int node_add(struct cluster *c, const struct node_add *n, struct buf *out,
			struct err *err);

#endif
