/*
 * held.h - the results that the agent keeps until the controller has decided them.
 *
 * Pure: no I/O, no clock. A result is *new* until a page with it was made, then *under way*, then
 * *taken* once that page was answered; a new session makes all of them new again. Copies of what
 * goes in; what comes out is borrowed until the next change.
 */
#ifndef AGENT_HELD_H
#define AGENT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "wire/agent.h"

struct held;

enum {
	HELD_MAX_RESULTS = 65536,
	HELD_MAX_BYTES = 64 << 20,
	HELD_PAGE_BYTES = 512 << 10, /* about; a page is well below WIRE_MAX_PAGE */
	HELD_PAGE_PARTS = 4096,
};

struct held *held_new(void); /* owned by the caller */
void held_free(struct held *h);
void held_freep(struct held **h);

/* False if there is a result of this chunk and dispatch already; it stays. */
bool held_add(struct held *h, const struct wire_dispatch *d, const uint8_t ticket[WIRE_DIGEST],
	      const struct wire_result *r);

size_t held_count(const struct held *h);
size_t held_bytes(const struct held *h);
/* Too many to take new orders (wire 5.6). */
bool held_is_full(const struct held *h);

/* A session begins: everything is new again and has to be offered. */
void held_offer_all(struct held *h);
bool held_has_new(const struct held *h);
/* Everything that was there at held_offer_all has been in a page, or is gone. */
bool held_is_offered(const struct held *h);

/* Make a page of new results, oldest first; parts live in the arena and borrow from h until its
 * next change. They are under way then. Only one page at a time (wire 5.2). */
void held_take_page(struct held *h, struct arena *a, const struct wire_results **ret,
		    uint32_t *ret_n);
/* The page was answered: what the answer says decided or refused goes, like what is not kept
 * (wire 5.4); the rest is taken. Returns how many were refused. */
size_t held_on_answer(struct held *h, const struct wire_answer *x);
/* Drop all results of these chunks, wherever they are. Returns how many. */
size_t held_drop(struct held *h, const struct wire_job_runs *jobs, size_t n);

/* Each dispatch of which there is a result, in the arena. */
const struct wire_dispatch *held_dispatches(const struct held *h, struct arena *a, uint32_t *ret_n);

/* Every result that a restart must find again, in any order. */
typedef void (*held_fn)(void *arg, const struct wire_dispatch *d, const uint8_t *ticket,
			const struct wire_result *r);
void held_each(const struct held *h, held_fn fn, void *arg);

/* CANCELLED and REFUSED are only told, not kept. */
bool held_is_kept(enum wire_outcome o);

#endif
