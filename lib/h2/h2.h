/*
 * h2.h - HTTP/2 sessions, server and client: bytes in, bytes out, no I/O and no clock inside.
 *
 *     h = h2_server_new(&handler, arg)            or h2_client_new("host:port")
 *     h2_input(h, bytes, len, err);               callbacks come from here
 *     h2_output(h, &out, err);                    call whenever h2_wants_output
 *     h2_tick(h, now_ms, err);                    at least once a second: pings
 *
 * A *stream* is one request with its answer. On the server, a request's body is collected up to
 * a limit that on_head chooses; answers may be streamed. On the client, the body is given whole
 * and the answer is streamed.
 *
 * Callbacks come from h2_input, h2_output and h2_free only. They may call everything here except
 * h2_input, h2_output and h2_free. A stream is valid until its on_close (server) or on_end
 * (client) returns: these come exactly once.
 *
 * A peer that floods (resets, settings, pings, empty frames), that sends more headers or body than
 * allowed or breaks the protocol ends the session: h2_input says ERR_PROTOCOL.
 */
#ifndef H2_H2_H
#define H2_H2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct h2;
struct h2_stream;

enum {
	H2_MAX_STREAMS = 64,       /* that a peer may have open */
	H2_MAX_HEADERS = 16 << 10, /* bytes of names and values of one message */
	H2_MAX_FIELDS = 64,
	H2_MAX_NOISE = 2000, /* frames without use between two ticks of a second */
	H2_PING_MS = 5000,
	H2_LOST_MS = 15000, /* without a byte, although pings were sent */
};

struct h2_header {
	const char *name; /* lower case */
	const char *value;
};

/* ---- server ----------------------------------------------------------------------------- */

/* Borrowed for the life of the stream. */
struct h2_request {
	const char *method;
	const char *path;
	const struct h2_header *headers;
	size_t n_headers;
};

/* The value of a header, NULL if there is none. */
const char *h2_find_header(const struct h2_header *headers, size_t n, const char *name);

struct h2_handler {
	/* The headers are complete. Answer at once (h2_respond...), or set *ret_max_body to the
	 * largest body that is acceptable (0 = none) and wait for on_request. */
	void (*on_head)(void *arg, struct h2_stream *s, const struct h2_request *r,
			size_t *ret_max_body);
	/* The request is complete. body is borrowed for the call. Not called for a stream that
	 * was answered in on_head. */
	void (*on_request)(void *arg, struct h2_stream *s, const struct h2_request *r,
			   const void *body, size_t len);
	/* At most half of `limit` waits in a stream that h2_write refused. Optional. */
	void (*on_drained)(void *arg, struct h2_stream *s);
	/* The stream is over, finished or not. */
	void (*on_close)(void *arg, struct h2_stream *s);
};

/* handler and arg are borrowed. */
struct h2 *h2_server_new(const struct h2_handler *handler, void *arg);

/* A complete answer. The body is copied; headers borrowed. */
void h2_respond(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		const void *body, size_t len);
/* Bytes that are read from where they are; release(arg) (if not NULL) is called once when they are
 * no longer needed, also if they cannot be sent. */
struct h2_body {
	const void *bytes;
	size_t len;
	void (*release)(void *arg);
	void *arg;
};
void h2_respond_with(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		     const struct h2_body *body);
/* The head of an answer whose body follows by h2_write and ends with h2_end. At most `limit`
 * bytes wait in it. */
void h2_respond_stream(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		       size_t limit);
/* False, and nothing written: more than the limit would wait. */
MUST_CHECK bool h2_write(struct h2_stream *s, const void *bytes, size_t len);
size_t h2_waiting(const struct h2_stream *s);
/* on_drained comes as if h2_write had been refused just now: for who makes the next bytes only
 * then. Only while more than half of the limit waits (asserted). */
void h2_ask_drained(struct h2_stream *s);
void h2_end(struct h2_stream *s);

/* ---- client ----------------------------------------------------------------------------- */

struct h2_client {
	/* The status arrived. Optional. */
	void (*on_status)(void *arg, struct h2_stream *s, int status);
	/* Bytes of the answer's body. */
	void (*on_body)(void *arg, struct h2_stream *s, const void *bytes, size_t len);
	/* The answer is complete (err->code 0) or will not come. status: 0 if none arrived. */
	void (*on_end)(void *arg, struct h2_stream *s, int status, const struct err *err);
};

/* authority: HOST:PORT of the server, copied. */
struct h2 *h2_client_new(const char *authority);

/* Send a request; the body is copied, headers borrowed for the call. client is borrowed for the
 * life of the stream. NULL: the session takes no new requests (it is ending). */
struct h2_stream *h2_request(struct h2 *h, const struct h2_request *r, const void *body, size_t len,
			     const struct h2_client *client, void *arg);

/* ---- both ------------------------------------------------------------------------------- */

/* Give a stream up: the peer is told, on_close or on_end comes later. */
void h2_reset(struct h2_stream *s);

/* What a user of the stream wants to find again. */
void h2_set_stream_arg(struct h2_stream *s, void *arg);
void *h2_stream_arg(const struct h2_stream *s);
struct h2 *h2_of(const struct h2_stream *s);

/* Ends all streams (their callbacks come from here). Accepts NULL. */
void h2_free(struct h2 *h);
void h2_freep(struct h2 **h);

MUST_CHECK int h2_input(struct h2 *h, const void *bytes, size_t len, struct err *err);
/* Append what is to be sent until out is full (out->max) or nothing is left. */
MUST_CHECK int h2_output(struct h2 *h, struct buf *out, struct err *err);
bool h2_wants_output(struct h2 *h);

/* The peer has shown that it may be here: its connection may stay (see conn.h). */
void h2_trust(struct h2 *h);
bool h2_is_trusted(const struct h2 *h);

/* fn(arg) is called when h2_write and its like, called from outside of h2_input and h2_output, made
 * something to send. It must not call h2_input or h2_output itself. */
void h2_on_wake(struct h2 *h, void (*fn)(void *arg), void *arg);

/* Send a ping every H2_PING_MS; ERR_TIMEOUT when nothing was heard for H2_LOST_MS. */
MUST_CHECK int h2_tick(struct h2 *h, int64_t now_ms, struct err *err);

/* No new streams; the session is over (h2_is_over) when those that are open have ended. */
void h2_stop(struct h2 *h);
bool h2_is_over(struct h2 *h);
/* Open streams; on a server those whose request has begun for real (complete headers). */
size_t h2_stream_count(const struct h2 *h);

#endif
