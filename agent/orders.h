/*
 * orders.h - the orders that the agent has: queued, being prepared, running on slots.
 *
 * Pure: what it wants done goes out through struct orders_ops, what happened comes in by
 * orders_on_*. Every chunk of an order gets exactly one result: by running it, or because the
 * order was cancelled, refused or its kernel does not compile here.
 *
 * Each order is prepared once (kernel text, inputs, code) and then runs, chunk by chunk in
 * order, on the first free slot that it fits.
 */
#ifndef AGENT_ORDERS_H
#define AGENT_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/list.h"
#include "wire/order.h"

struct orders;

enum { ORDERS_MAX_QUEUED = 256, ORDERS_MAX_SLOTS = 256 };

struct order_item {
	struct wire_order order;
	struct arena *arena; /* owned: what order points to */
	struct list_link link;
	enum { ORDER_PREPARING = 1, ORDER_READY, ORDER_RUNNING } state;
	uint32_t slot;  /* while running */
	uint32_t chunk; /* index into order.chunks of the next result */
	void *prepared; /* of the engine */
};

struct orders_ops {
	/* Fetch and load what the order needs; orders_on_prepared says how it went, later or from
	 * within. */
	void (*prepare)(void *arg, struct order_item *o);
	/* The order goes: forget its preparation and what was prepared. */
	void (*drop)(void *arg, struct order_item *o);
	/* The slot can run the (ready) order. NULL: every slot can. Some slot must. */
	bool (*fits)(void *arg, uint32_t slot, const struct order_item *o);
	/* Run o->order.chunks[o->chunk] on the slot; orders_on_result says how it went, later or
	 * from within. */
	void (*run)(void *arg, uint32_t slot, struct order_item *o);
	/* Stop what runs on the slot: no orders_on_result for it. */
	void (*stop)(void *arg, uint32_t slot);
	/* A chunk has its result. Must not call orders_*. */
	void (*result)(void *arg, const struct wire_order *o, const struct wire_result *r);
};

struct orders *orders_new(uint32_t slots, const struct orders_ops *ops, void *arg);
/* Stops and drops everything; no results. Accepts NULL. */
void orders_free(struct orders *l);

/* Take an order; arena holds what it points to and is taken too. A repeated one is ignored. With
 * too many queued it is answered REFUSED. */
void orders_add(struct orders *l, const struct wire_order *order, struct arena *arena);
/* Answer an order without taking it. */
void orders_refuse(struct orders *l, const struct wire_order *o, enum wire_outcome outcome,
		   const char *why);
/* Unfinished chunks of the dispatch are CANCELLED. No-op if it is not here. */
void orders_cancel(struct orders *l, const struct wire_dispatch *d);
void orders_cancel_all(struct orders *l, const char *why);

/* outcome WIRE_OK: it may run. Else every chunk gets that outcome. */
void orders_on_prepared(struct orders *l, struct order_item *o, enum wire_outcome outcome,
			const char *why);
/* r->chunk need not be set. */
void orders_on_result(struct orders *l, struct order_item *o, const struct wire_result *r);

/* All that are here, in the arena. */
const struct wire_dispatch *orders_list(const struct orders *l, struct arena *a, uint32_t *ret_n);
uint32_t orders_count(const struct orders *l);

#endif
