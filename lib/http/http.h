/*
 * http.h - an HTTP client on the event loop (HTTP/2 where the server offers it).
 *
 *     struct http *h;                  one per loop; it takes over the loop's waiting
 *     struct http_pool *bulk;          connections that share TLS options
 *     struct http_request *r;
 *
 *     http_new(loop, "kubectl-warp/0.1.0", &h, err);
 *     http_pool_new(h, &(struct http_tls){ .ca = pem, .ca_len = n }, &bulk, err);
 *     http_start(bulk, &(struct http_spec){ .method = "GET", .url = url, .on_done = on_done,
 *                                           .arg = me, .timeout_ms = 30000 }, &r, err);
 *
 * Each pool keeps its own connections: what must not be held up by bulk traffic (watches, the
 * lease) gets a pool of its own. Options are copied everywhere; nothing needs to outlive a call.
 *
 * A request lives until http_request_free, which is synchronous: it ends the transfer if one is
 * going on, and no callback comes afterwards. It may be called from any callback, that of the
 * request itself included. Callbacks run on the loop thread in the loop's turn, never from inside
 * http_start. Redirects are not followed.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"

struct http;
struct http_pool;
struct http_request;

/* ---- client ---- */

/* user_agent: "name/version". */
MUST_CHECK int http_new(struct loop *l, const char *user_agent, struct http **ret, struct err *err);
/* All pools and requests must be freed before (asserted). Not from a request's callback. Accepts
 * NULL. */
void http_free(struct http *h);
void http_freep(struct http **h);

/* ---- pools ---- */

struct http_tls {
	const char *ca; /* PEM; NULL = the system's authorities */
	size_t ca_len;
	const char *cert; /* PEM client certificate chain; NULL = none */
	size_t cert_len;
	const char *key; /* PEM; may be an EC, RSA or PKCS#8 key */
	size_t key_len;
	const char *server_name; /* name to ask for and verify instead of the URL's host */
	bool insecure;           /* verify nothing */
	const char *proxy;       /* http://, https:// or socks5:// URL; NULL = HTTPS_PROXY and
				  * NO_PROXY, never for this machine */
};

MUST_CHECK int http_pool_new(struct http *h, const struct http_tls *tls, struct http_pool **ret,
			     struct err *err);
/* Its connections close when the last of its requests is freed. Accepts NULL. */
void http_pool_free(struct http_pool *p);
void http_pool_freep(struct http_pool **p);

/* ---- requests ---- */

struct http_answer {
	int status;                         /* 200, 404, ... */
	struct buf body;                    /* collected bytes; empty for a streamed 2xx body */
	int64_t retry_after_ms;             /* from Retry-After; -1 = not said */
	int64_t date_ms;                    /* the server's wall clock from Date; -1 = not said */
	const struct http_request *request; /* borrowed, for http_answer_header */
};

/* A header of the answer, or NULL; borrowed until the callback returns. If it was sent several
 * times, index says which (0 = first). */
const char *http_answer_header(const struct http_answer *a, const char *name, size_t index);

/* Some bytes of a 2xx body, in order. */
typedef void (*http_body_fn)(void *arg, const char *bytes, size_t len);

/*
 * The end, exactly once: an answer with any status and err == NULL, or no answer (NULL) and err:
 *   ERR_UNAVAILABLE  the request was not sent: the server was not reached
 *   ERR_TIMEOUT      no whole answer (time over, connection lost): the outcome is unknown
 *   ERR_TOO_BIG      the answer is longer than max_body
 *   ERR_DENIED       the server's certificate is not trusted
 *   ERR_INVALID      bad URL, certificate or key
 *   ERR_PROTOCOL     what came is not HTTP
 * For a stream whose answer had begun, what ended it is the err. Both are borrowed until the
 * callback returns.
 */
typedef void (*http_done_fn)(void *arg, const struct http_answer *answer, const struct err *err);

enum { HTTP_MAX_BODY = 64 * 1024 * 1024, HTTP_MAX_ERROR_BODY = 64 * 1024 };

struct http_spec {
	const char *method; /* NULL = GET */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated; NULL = none */
	const char *bearer;         /* token; NULL = none */
	const void *body;           /* NULL = none */
	size_t body_len;
	int64_t timeout_ms;   /* for the whole request; 0 = none: only for streams */
	size_t max_body;      /* of a 2xx answer; 0 = HTTP_MAX_BODY */
	bool gzip;            /* accept a compressed answer; max_body counts the unpacked bytes */
	http_body_fn on_body; /* NULL = collect. Bodies of other statuses are always collected,
			       * at most HTTP_MAX_ERROR_BODY, the rest is dropped */
	http_done_fn on_done;
	void *arg; /* borrowed */
};

/* ERR_INVALID for a token or header that would break the request's lines. */
MUST_CHECK int http_start(struct http_pool *p, const struct http_spec *spec,
			  struct http_request **ret, struct err *err);
void http_request_free(struct http_request *r); /* accepts NULL */
void http_request_freep(struct http_request **r);

/* ---- texts ---- */

/* Append s with everything but A-Z a-z 0-9 - . _ ~ percent-encoded: for path segments and query
 * values. */
MUST_CHECK int http_escape(const char *s, struct buf *out, struct err *err);

#endif
