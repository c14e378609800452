/*
 * tickets.h - follows WarpTickets: registers them with the data plane, writes their status,
 * deletes those that are over.
 *
 *     tickets_new(&options, &t, err);
 *     tickets_start(t, act);            once the jobs are known
 *
 * A ticket is decided once, and a refusal is for good; a Ready one is registered again by each
 * controller. It is found in a job by name when it is registered, not by later names.
 */
#ifndef CONTROLLER_TICKETS_H
#define CONTROLLER_TICKETS_H

#include "base/err.h"
#include "hash/hash.h"

struct act;
struct kube_client;
struct loop;
struct serve;
struct tickets;

struct tickets_options {
	struct loop *loop;        /* borrowed */
	struct kube_client *kube; /* borrowed */
	struct serve *serve;      /* borrowed */
	const char *address;      /* HOST:PORT that people dial; copied */
	const char *ca_pem;       /* copied */
};

MUST_CHECK int tickets_new(const struct tickets_options *options, struct tickets **ret,
			   struct err *err);
void tickets_free(struct tickets *t); /* accepts NULL; before the serve is freed */
/* act is borrowed. */
void tickets_start(struct tickets *t, const struct act *act);
void tickets_on_used(struct tickets *t, const struct hash_digest *token_sha256);

#endif
