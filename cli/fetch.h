/*
 * fetch.h - a large result from the data plane, with a ticket (docs/wire.md 10).
 */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include "base/err.h"
#include "cli/cluster.h"
#include "hash/hash.h"

struct doc;
struct sink;

/* All bytes of the blob that the status of this WarpJob names, in order, unchecked. A lost
 * connection, a controller that is away for half a minute and an expired ticket are overcome;
 * an interrupt (cluster_is_interrupted) ends it: ERR_UNAVAILABLE. The ticket is removed afterwards.
 */
MUST_CHECK int fetch_blob(struct cluster *c, const struct doc *job,
			  const struct hash_digest *sha256, struct sink *to, struct err *err);

/* What an answer to a request for the part from `at` means. */
enum fetch_step {
	FETCH_TAKE = 1, /* its body is that part */
	FETCH_DONE,     /* there is nothing more */
	FETCH_AGAIN,    /* later */
	FETCH_RENEW,    /* with another ticket */
	FETCH_GIVE_UP,  /* *err says why */
};
/* status: 0 without an answer (err says why then). range: its content-range, or NULL. size: of the
 * whole blob, UINT64_MAX while unknown; set with FETCH_TAKE. */
enum fetch_step fetch_judge(int status, const char *range, uint64_t at, size_t len, uint64_t *size,
			    struct err *err);

#endif
