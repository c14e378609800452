/*
 * agent.h - the agent as a whole: one session after the other, orders in, results out.
 *
 * What it decides is in pure parts (session.h, orders.h, held.h); here they are joined with the
 * connection (link.h), the runners (engine.h), the cache of blobs and the journal.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/options.h"
#include "base/err.h"

struct agent;
struct loop;

/* options: loaded; borrowed for the agent's life, like the loop. Opens the state. */
MUST_CHECK int agent_new(struct loop *loop, const struct options *options, struct agent **ret,
			 struct err *err);
/* Stops runners and connection; what is undecided stays in the state. Accepts NULL. */
void agent_free(struct agent *a);

/* Find the devices that the options name and what they can do: before agent_start. Drives the
 * loop; not from callbacks. */
MUST_CHECK int agent_probe(struct agent *a, struct err *err);
/* Begin to connect. */
void agent_start(struct agent *a);
/* Cancel what runs, tell the controller, stop the loop: at the latest after 2 s. A second call
 * stops it at once. */
void agent_stop(struct agent *a);

#endif
