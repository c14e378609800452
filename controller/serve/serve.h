/*
 * serve.h - the data plane: sessions with agents, orders out, results in, blobs; results for
 * people.
 *
 * It knows who is who (credentials), who was asked what (tickets of orders), and who is there
 * (sessions). It knows nothing of jobs: what it hears it tells its owner through struct
 * serve_owner, what the owner wants it does by the functions below. docs/wire.md is the protocol.
 *
 *     serve_new(&options, &s, err);
 *     serve_set_credential(s, "gpu-7", &sha256_of_the_secret);
 *     serve_start(s, loop, "0.0.0.0:8443", cert_pem, key_pem, err);
 *     serve_set_open(s, true);           once the first list is complete
 *
 * Everything belongs to the loop's thread. Callbacks of struct serve_owner come from the loop (and
 * from serve_set_credential, serve_remove_node, serve_set_open and serve_free: on_disconnect; from
 * serve_remove_ticket and serve_free: cancel_read), may call everything here except
 * serve_set_credential, serve_remove_ticket and serve_free, and borrow their arguments only for
 * the call.
 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ranges.h"
#include "hash/hash.h"
#include "wire/agent.h"

struct loop;
struct serve;

/* What becomes of a result that came with a valid ticket. */
enum serve_take {
	SERVE_KEEP = 1, /* it is not decided yet: the agent keeps it */
	SERVE_DECIDED,  /* the agent may drop it */
	SERVE_WRONG,    /* it never counts: the agent drops it and logs why */
};

/* Bytes of a blob. release(release_arg) is called once when they are no longer read. */
struct serve_blob {
	const void *bytes; /* borrowed until release */
	size_t size;
	void (*release)(void *arg); /* may be NULL */
	void *release_arg;
};

/* What a person's ticket is to read: up to len bytes from `first` of the blob with this digest. */
struct serve_part {
	const char *job_uid; /* of its ticket */
	struct hash_digest digest;
	uint64_t first;
	size_t len;
};

/* The bytes, fewer at the end and none behind it; size: of the whole blob. err->code 0 on success;
 * ERR_NOT_FOUND: it is no longer kept. Borrowed by the callee. */
typedef void (*serve_read_fn)(void *arg, const void *bytes, size_t len, uint64_t size,
			      const struct err *err);

struct serve_owner {
	/* A node has a session: what it says of itself, which orders it runs and of which it holds
	 * results. Offers of these follow. */
	void (*on_register)(void *arg, const char *node, const struct wire_register *said);
	/* Every result that it held has been offered. running: the orders of its registration, and
	 * those sent to it since. What else is without a result is lost. */
	void (*on_offered)(void *arg, const char *node, const struct wire_dispatch *running,
			   size_t n);
	/* One result whose ticket is valid for exactly this node and dispatch. *why (static text):
	 * set for SERVE_WRONG. */
	enum serve_take (*on_result)(void *arg, const char *node, const struct wire_dispatch *d,
				     const struct wire_result *r, const char **why);
	/* It takes no new orders (or does so again). */
	void (*on_state)(void *arg, const char *node, bool full, bool draining);
	/* The session ended. Nothing is lost yet: the node may come back. */
	void (*on_disconnect)(void *arg, const char *node);
	/* WIRE_NODE_LOST_MS later it has not come back: its attempts are lost. */
	void (*on_lost)(void *arg, const char *node);
	/* The bytes with this digest, which an order sent to the node named; false if unknown. */
	bool (*open_blob)(void *arg, const struct hash_digest *digest, struct serve_blob *ret);
	/* Begin to read: fn(fn_arg, ...) comes later, once, never from inside. Returns what
	 * cancel_read takes until then; NULL: this job has no such result. */
	void *(*read_result)(void *arg, const struct serve_part *part, serve_read_fn fn,
			     void *fn_arg);
	void (*cancel_read)(void *arg, void *read);
	/* A person's ticket reads something for the first time. */
	void (*on_ticket_used)(void *arg, const struct hash_digest *token_sha256);
};

enum {
	SERVE_MAX_TICKETS = 4096, /* of people, at the same time */
	SERVE_TICKET_READS = 8,   /* of one ticket at the same time */
	SERVE_MAX_READS = 64,     /* of all: bounds what waits in memory */
};

struct serve_options {
	uint64_t epoch;
	uint8_t ticket_key[HASH_SIZE];   /* shared by all controllers */
	const struct serve_owner *owner; /* borrowed; every member is required */
	void *owner_arg;
};

struct serve *serve_new(const struct serve_options *options); /* owned by the caller */
/* Ends all sessions. To let agents know, serve_set_open(s, false) and run the loop for a moment
 * before. Accepts NULL. */
void serve_free(struct serve *s);
void serve_freep(struct serve **s);

/* Listen on HOST:PORT, HOST a numeric address. The key and certificate are PEM texts. Once. */
MUST_CHECK int serve_start(struct serve *s, struct loop *loop, const char *address,
			   const char *cert_pem, const char *key_pem, struct err *err);
/* The port that it listens on (for address ":0"); 0 before serve_start. */
int serve_port(const struct serve *s);

/* While closed (as at first) everything is answered 503: try again. Closing ends all sessions. */
void serve_set_open(struct serve *s, bool open);

/* The credential of a node: SHA-256 of the text that its agent sends as `Bearer`. Replaces the one
 * before; a session that began with another one is closed. */
void serve_set_credential(struct serve *s, const char *node, const struct hash_digest *sha256);
/* The node has no credential any more; its session is closed. No-op if unknown. */
void serve_remove_node(struct serve *s, const char *node);

/* A person's ticket (wire 10): who sends the token with this SHA-256 as `Bearer` may read results
 * of this job until then, on the loop's clock. ERR_EXISTS: there is one with this token;
 * ERR_UNAVAILABLE: there are SERVE_MAX_TICKETS. */
MUST_CHECK int serve_add_ticket(struct serve *s, const struct hash_digest *token_sha256,
				const char *job_uid, int64_t expires_ms, struct err *err);
/* Ends its reads as well. No-op if unknown. */
void serve_remove_ticket(struct serve *s, const struct hash_digest *token_sha256);

/* True while the node has a session and takes orders. */
bool serve_is_ready(const struct serve *s, const char *node);

/* Send an order: fills in its ticket and dispatch.epoch. ERR_UNAVAILABLE: the node has no session,
 * or too much waits for it already; ERR_INVALID, ERR_PROTOCOL, ERR_TOO_BIG: not an order. */
MUST_CHECK int serve_send(struct serve *s, const char *node, struct wire_order *order,
			  struct err *err);

/* Stop these dispatches. No-op without a session: what it still runs then it says again. */
void serve_cancel(struct serve *s, const char *node, const struct wire_dispatch *d, size_t n);

/* Chunks of a job that the status holds for sure: told to each node that keeps results of them.
 * ranges: n of them; n = 0 and all: everything of this job. */
void serve_decided(struct serve *s, const char *job_uid, const struct range *ranges, size_t n,
		   bool all);

/* Deadlines that are due; serve_start calls it by a timer, tests by hand. */
void serve_tick(struct serve *s, int64_t now_ms);

#endif
