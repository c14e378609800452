/*
 * link.h - the agent's connection: registration, its stream of frames, pages, blobs.
 *
 * It carries bytes and says what came; it decides nothing. One connection at a time: link_connect
 * leads to on_frame (any number of times) and in the end, exactly once, to on_down. Callbacks come
 * from the loop and may call everything here except link_free.
 */
#ifndef AGENT_LINK_H
#define AGENT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "wire/agent.h"

struct link;
struct link_get;
struct loop;
struct work_pool;

struct link_options {
	struct loop *loop;      /* borrowed */
	struct work_pool *pool; /* borrowed: resolves names */
	const char *address;    /* HOST:PORT; copied */
	const char *ca_pem;
	const char *credential; /* copied */
};

struct link_ops {
	/* The connection is open: append the encoded registration to out. False: give up. */
	bool (*on_open)(void *arg, struct buf *out);
	/* *arena holds what f points to; take it by setting it to NULL. */
	void (*on_frame)(void *arg, const struct wire_frame *f, struct arena **arena);
	/* The page was answered. */
	void (*on_answer)(void *arg, const struct wire_answer *x);
	/* The session is over, or did not come about. Gets end too, now or within this turn of the
	 * loop; do not connect again before that. */
	void (*on_down)(void *arg, const struct err *err);
};

MUST_CHECK int link_new(const struct link_options *options, const struct link_ops *ops, void *arg,
			struct link **ret, struct err *err);
/* Closes at once; nothing is called. Accepts NULL. */
void link_free(struct link *l);

/* Not while connected. Fails only later, by on_down. */
void link_connect(struct link *l);
/* End the connection; on_down comes before this returns, with this error. No-op when down. */
void link_end(struct link *l, const struct err *err);
bool link_is_up(const struct link *l); /* the registration was sent */

/* Post a page; on_answer comes, or on_down. One at a time. */
void link_post(struct link *l, const struct buf *page);
bool link_is_posting(const struct link *l);

/* Fetch a blob of at most max bytes. bytes: borrowed for the call, may be taken with buf_take;
 * err->code: 0; ERR_NOT_FOUND, ERR_TOO_BIG: final; anything else: the connection ended. Only while
 * up. The result names the call until fn is called; NULL: the connection is ending. */
typedef void (*link_blob_fn)(void *arg, struct buf *bytes, const struct err *err);
struct link_get *link_get(struct link *l, const uint8_t digest[WIRE_DIGEST], size_t max,
			  link_blob_fn fn, void *arg);
/* fn will not come. */
void link_get_cancel(struct link_get *g);

#endif
