/*
 * ticket.h - WarpTickets: which person may read a job's results on the data plane, until when.
 *
 * Documents that are returned belong to the caller.
 */
#ifndef DECIDE_TICKET_H
#define DECIDE_TICKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "hash/hash.h"

struct doc;

enum {
	TICKET_KEEP_MS = 60000, /* an expired ticket is deleted so much later */
	TICKET_MIN_S = 10,
	TICKET_MAX_S = 3600,
};

/* What a WarpTicket says. */
struct ticket {
	const char *job; /* borrowed: name of a WarpJob in its namespace */
	struct hash_digest token_sha256;
	int64_t expires_ms; /* wall clock of the API server */
	bool is_decided;    /* its status says whether it is Ready: for good */
	bool is_ready;
	bool is_used;
};

/* ERR_INVALID: it is not what the CRD allows. */
MUST_CHECK int ticket_read(const struct doc *object, struct ticket *ret, struct err *err);

/* What becomes of a ticket: the condition Ready and, unless it is TICKET_READY, why not. */
enum ticket_verdict {
	TICKET_READY = 1,
	TICKET_NO_STORE,
	TICKET_NO_JOB,
	TICKET_TAKEN,
	TICKET_TOO_MANY,
};

struct ticket_facts {
	enum ticket_verdict verdict; /* ignored once the ticket is decided */
	bool is_used;
	const char *address; /* of the data plane */
	const char *ca;      /* PEM */
	int64_t wall_ms;
};

/* A merge patch of the status subresource, for this version of the object only. NULL: it says all
 * of it already. */
struct doc *ticket_patch(const struct doc *object, const struct ticket_facts *f);

/* A ticket to create for this WarpJob, which owns it. seconds: TICKET_MIN_S to TICKET_MAX_S. */
struct doc *ticket_build(const struct doc *job, const char *name,
			 const struct hash_digest *token_sha256, int64_t seconds);

#endif
