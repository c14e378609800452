/*
 * h2_int.h - what the files of lib/h2 share: sessions and streams as they are.
 */
#ifndef H2_H2_INT_H
#define H2_H2_INT_H

#include <nghttp2/nghttp2.h>

#include "base/arena.h"
#include "base/list.h"
#include "h2/h2.h"

struct h2 {
	nghttp2_session *session;         /* owned */
	const struct h2_handler *handler; /* borrowed; server only */
	void *handler_arg;
	bool is_server;
	bool stopping;
	bool trusted;
	bool freeing;
	int noise;
	int64_t ping_ms;  /* when the last ping was sent */
	int64_t heard_ms; /* the last tick that found new bytes; both 0 before the first tick */
	bool heard;       /* bytes came since the last tick */
	const uint8_t *pending; /* borrowed from nghttp2 until its next output */
	size_t pending_len;
	char *authority; /* owned; client */
	int inside;      /* calls of h2_input and h2_output in progress */
	void (*wake)(void *arg);
	void *wake_arg;
	struct list streams; /* of struct h2_stream */
	size_t with_head;    /* of them */
};

struct h2_stream {
	struct h2 *h; /* borrowed */
	struct list_link link;
	int32_t id;
	void *arg;

	/* What the peer sent. */
	struct arena arena;
	char *method;
	char *path;
	struct h2_header headers[H2_MAX_FIELDS];
	size_t n_headers;
	size_t header_bytes;
	struct h2_request request;
	struct buf body;
	int status; /* client */
	bool head_done;

	/* What we send. */
	struct buf out;
	size_t out_at;     /* of out: bytes sent already */
	const char *given; /* borrowed until release; instead of out */
	size_t given_len;
	void (*release)(void *arg);
	void *release_arg;
	bool answered;
	bool ended;    /* nothing follows what waits */
	bool deferred; /* nghttp2 waits for more */
	bool was_full;
	size_t discarded; /* bytes of a body that nobody wants */

	const struct h2_client *client; /* borrowed; client only */
	void *client_arg;
	uint32_t error_code;
	const char *why; /* static; why we reset it */
};

/* Build the fields that nghttp2 takes; borrowed from headers. */
void h2_put_header(nghttp2_nv *nv, const char *name, const char *value);

/* Something is to be sent. */
void h2_wake(struct h2 *h);

void h2_stream_free(struct h2_stream *s);
struct h2_stream *h2_stream_new(struct h2 *h, int32_t id);
/* Reads from what waits: what nghttp2 calls for DATA frames. */
ssize_t h2_provide(nghttp2_session *session, int32_t id, uint8_t *to, size_t len, uint32_t *flags,
		   nghttp2_data_source *source, void *arg);

#endif
