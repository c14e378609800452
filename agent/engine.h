/*
 * engine.h - runs orders by lib/run: what struct orders asks for, done for real.
 *
 * One runner per slot, started when the slot first has something to do. Each device has slots of
 * its own; an order runs on a free slot of a device that is able to do what the kernel needs.
 */
#ifndef AGENT_ENGINE_H
#define AGENT_ENGINE_H

#include <stdint.h>

#include "agent/orders.h"
#include "base/err.h"

struct blobs;
struct device;
struct engine;
struct loop;
struct run_host;

struct engine_options {
	struct loop *loop; /* borrowed, like all of these */
	struct run_host *host;
	struct blobs *blobs;
	const struct device *devices;
	uint32_t n_devices; /* at least 1 */
	uint32_t slots;     /* of each device */
	uint32_t threads;   /* of each slot */
	/* A chunk has its result; see orders_ops.result. */
	void (*on_result)(void *arg, const struct wire_order *o, const struct wire_result *r);
	void *arg;
};

struct engine *engine_new(const struct engine_options *options);
/* Stops everything, without results. Accepts NULL. */
void engine_free(struct engine *e);

/* The orders that it runs. Borrowed. */
struct orders *engine_orders(struct engine *e);

#endif
