/*
 * node.h - the virtual Node and the status of WarpNodes, as documents that the caller owns.
 */
#ifndef DECIDE_NODE_H
#define DECIDE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "controller/decide/fleet.h"

struct doc;

enum { NODE_LEASE_S = 40, NODE_RENEW_MS = 10000 };

/* The virtual Node to create: labels, taint, no hostname, os, zone or providerID (DESIGN 3). */
struct doc *node_build(void);
/* A merge patch that restores what of metadata and spec someone changed (label type, taint;
 * unschedulable is theirs). NULL: nothing to do. */
struct doc *node_repair(const struct doc *node);
/* A merge patch of the status subresource: conditions (Ready, MemoryPressure, ...), capacity
 * slots, node info. NULL: `node` (may be NULL) says so already and is younger than 5 minutes. */
struct doc *node_status(const struct doc *node, uint32_t slots, int64_t wall_ms);
/* The Lease of the node in kube-node-lease, as to be created or (old != NULL) replaced. */
struct doc *node_lease(const struct doc *old, const struct doc *node, int64_t wall_ms);
/* spec.unschedulable: pauses all new dispatches. */
bool node_is_cordoned(const struct doc *node);

/* The WarpNode's complete status (API.md 3), the value of `status`. `old`: the WarpNode as last
 * seen, for transition times. NULL: it says the same already (what changes all the time is written
 * every ten seconds at most). A node that is gone for good is written when it disconnects. */
struct doc *node_warp_status(const struct fleet_node *n, const struct doc *old, uint64_t epoch,
			     int64_t wall_ms);
/* Trust counters that an earlier leader wrote, for fleet_set_trust. */
struct fleet_trust node_read_trust(const struct doc *warpnode);

/* A WarpNode to create, for `kubectl warp node add`. NULL values are left out. */
struct doc *node_warp_build(const char *name, const char *owner, const char *zone,
			    const char *pool);

#endif
