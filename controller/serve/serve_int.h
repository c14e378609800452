/*
 * serve_int.h - nodes and sessions as the files of controller/serve see them.
 */
#ifndef SERVE_SERVE_INT_H
#define SERVE_SERVE_INT_H

#include "base/list.h"
#include "base/map.h"
#include "controller/serve/serve.h"
#include "h2/h2.h"

struct h2_listener;
struct timer;
struct tls_config;

enum {
	SERVE_STREAM_BYTES = 32 << 20, /* that wait for one agent */
	SERVE_MAX_CALLS = 8,    /* POSTs of a node at the same time: bounds what bodies take */
	SERVE_MAX_BLOBS = 4096, /* digests that a node may ask for: those named last */
	SERVE_BLOCK = 1 << 20,  /* of a result, read at a time; twice that waits for one reader */
};

/* Chunks of one job. */
struct serve_kept {
	char uid[WIRE_UID];
	struct ranges chunks;
};

/* What a stream's arg points to: a POST of a node, or a person's read. */
struct serve_call {
	struct serve_node *node;       /* borrowed: it stays while it has calls; NULL: a read */
	struct serve_session *session; /* borrowed: which it carries, or NULL */
	struct serve_fetch *fetch;     /* owned; NULL: a POST */
};

struct serve_session {
	uint64_t id;
	struct serve_node *node;  /* borrowed */
	struct h2_stream *stream; /* borrowed until its on_close */
	bool full;
	bool draining;
	bool offered;
	/* Until everything was offered: the orders of its registration, and those sent since. */
	struct wire_dispatch *running; /* owned */
	size_t n_running;
	size_t running_cap;
	struct map kept; /* uid -> struct serve_kept, owned: what it holds and we did not decide */
};

struct serve_node {
	char *name; /* owned */
	struct hash_digest credential;
	bool has_credential;
	struct serve_session *session; /* owned; NULL if there is none */
	int n_calls;
	int64_t lost_at_ms; /* 0: not waiting for it */
	struct map blobs;   /* hexadecimal digest -> node, those in blob_names */
	char **blob_names;  /* owned; a ring of SERVE_MAX_BLOBS, oldest at blob_at */
	size_t n_blobs;
	size_t blob_at;
};

/* A person's ticket. */
struct serve_ticket {
	struct hash_digest token_sha256;
	char job_uid[WIRE_UID];
	int64_t expires_ms;
	bool is_used;
	struct list fetches; /* of struct serve_fetch, borrowed: their streams own them */
};

struct serve {
	struct serve_options options;
	bool open;
	uint64_t last_session;
	int64_t now_ms;         /* of the last tick, without a loop */
	struct map nodes;       /* name -> struct serve_node, owned */
	struct map credentials; /* hexadecimal SHA-256 -> struct serve_node */
	struct map tickets;     /* hexadecimal SHA-256 -> struct serve_ticket, owned */
	size_t n_fetches;
	struct loop *loop;            /* borrowed; NULL before serve_start */
	struct timer *timer;          /* owned */
	struct tls_config *tls;       /* owned */
	struct h2_listener *listener; /* owned */
};

/* What HTTP/2 sessions call; arg is the struct serve. */
extern const struct h2_handler serve_handler;

int64_t serve_now(const struct serve *s);

/* SHA-256 of what follows `Bearer` in an `authorization` header; false if there is none. */
bool serve_read_bearer(const char *authorization, struct hash_digest *ret);
/* Whose credential this is; NULL if nobody's. */
struct serve_node *serve_find_node(const struct serve *s, const struct hash_digest *credential);
bool serve_may_read(const struct serve_node *n, const struct hash_digest *digest);

/* Begin a session on a stream that was answered; replaces the node's session. */
struct serve_session *serve_begin(struct serve *s, struct serve_node *n, struct h2_stream *stream);
/* End it: CLOSE with the reason (0: the stream is gone already); the owner hears of it. */
void serve_end(struct serve *s, struct serve_session *x, enum wire_close_reason reason,
	       const char *text);
/* False: too much waits; the session has been ended. */
bool serve_tell(struct serve *s, struct serve_session *x, const struct wire_frame *frame);
void serve_note_running(struct serve_session *x, const struct wire_dispatch *d);

/* session.c: a page of results from a session; the answer lives in the arena. */
struct arena;
void serve_take_page(struct serve *s, struct serve_session *x, const struct wire_page *page,
		     struct arena *a, struct wire_answer *ret);

/* ---- ticket.c */
void serve_refuse(struct h2_stream *s, int status, const char *text); /* of http.c */
/* The ticket whose token this is, unless it has expired. */
struct serve_ticket *serve_find_ticket(const struct serve *s,
				       const struct hash_digest *token_sha256);
/* Answer with the bytes from first to before end (UINT64_MAX: all). */
struct serve_span {
	uint64_t first;
	uint64_t end;
	bool is_part; /* it was asked for with Range */
};
void serve_fetch_begin(struct serve *s, struct serve_ticket *t, struct h2_stream *stream,
		       const struct hash_digest *digest, const struct serve_span *span);
void serve_fetch_more(struct serve_fetch *f); /* its stream has drained */
void serve_fetch_free(struct serve_fetch *f); /* its stream is over */
void serve_expire_tickets(struct serve *s, int64_t now_ms);
void serve_free_tickets(struct serve *s);

/* The set of chunks for a uid in map, made if missing. */
struct serve_kept *serve_kept_of(struct map *m, const char *uid);
void serve_kept_free(void *kept);

#endif
