/*
 * request.c - one request: options for curl, collecting what comes, calling back; see http.h.
 *
 * curl's own callbacks only collect. Whatever they collected is delivered after curl has returned,
 * so the user's callbacks may do anything, free the request included.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "http/http_int.h"

enum {
	CONNECT_TIMEOUT_MS = 10000,
	USER_TIMEOUT_MS = 30000, /* unacknowledged bytes: the connection is dead */
	KEEPALIVE_IDLE_S = 30,
	KEEPALIVE_INTERVAL_S = 10,
	KEEPALIVE_COUNT = 3,
	RECEIVE_BYTES = 64 * 1024,
	/* What curl may hand over in one go before a callback could run. */
	MAX_UNDELIVERED = 64 * 1024 * 1024,
};

struct http_request {
	struct http_pool *pool;        /* borrowed */
	CURL *easy;                    /* owned */
	struct curl_slist *headers;    /* owned */
	struct curl_slist *connect_to; /* owned */
	char *label;                   /* owned: "GET /path", for errors */
	char *body;                    /* owned */
	char error_text[CURL_ERROR_SIZE];
	size_t max_body;
	http_body_fn on_body;
	http_done_fn on_done;
	void *arg; /* borrowed */

	struct http_answer answer; /* its body is owned */
	struct buf stream;         /* bytes for on_body */
	bool too_big;
	bool ended;
	CURLcode code;
	bool in_multi;
	bool *gone; /* borrowed: set when a callback frees the request */
	struct list_link event_link;
};

struct http_request *http_request_of_link(struct list_link *link)
{
	return CONTAINER_OF(link, struct http_request, event_link);
}

/* ---- curl's callbacks ---- */

static void note_event(struct http_request *r)
{
	if (!list_has(&r->event_link))
		list_add(&r->pool->http->events, &r->event_link);
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *arg)
{
	struct http_request *r = arg;
	size_t len = size * count;
	struct err err = { 0 };
	long status = 0;

	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status / 100 != 2) {
		size_t room = HTTP_MAX_ERROR_BODY - r->answer.body.len;

		r->answer.body.max = HTTP_MAX_ERROR_BODY;
		if (buf_add(&r->answer.body, bytes, len < room ? len : room, &err) < 0)
			return 0;
		return len;
	}
	if (r->on_body == NULL) {
		r->answer.body.max = r->max_body;
		r->too_big = buf_add(&r->answer.body, bytes, len, &err) < 0;
		return r->too_big ? 0 : len;
	}
	note_event(r);
	r->too_big = buf_add(&r->stream, bytes, len, &err) < 0;
	return r->too_big ? 0 : len;
}

static int on_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	int count = KEEPALIVE_COUNT;
	int timeout_ms = USER_TIMEOUT_MS;

	(void)arg;
	(void)purpose;
	/* Both only speed up finding a dead peer; without them the deadlines still do. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
	return CURL_SOCKOPT_OK;
}

void http_request_ended(struct http_request *r, CURLcode code)
{
	curl_multi_remove_handle(r->pool->http->multi, r->easy);
	r->in_multi = false;
	r->ended = true;
	r->code = code;
	note_event(r);
}

/* ---- the answer ---- */

const char *http_answer_header(const struct http_answer *a, const char *name, size_t index)
{
	struct curl_header *h;

	if (curl_easy_header(a->request->easy, name, index, CURLH_HEADER, -1, &h) != CURLHE_OK)
		return NULL;
	return h->value;
}

/* An HTTP date; -1 if it is none. */
static int64_t parse_date(const char *s)
{
	time_t t = s != NULL ? curl_getdate(s, NULL) : -1;

	return t < 0 ? -1 : (int64_t)t * 1000;
}

static int64_t parse_retry_after(const char *s, int64_t server_now_ms)
{
	enum { LONGEST_S = 3600 };
	struct err err = { 0 };
	int64_t at_ms;
	int64_t seconds;

	if (s == NULL)
		return -1;
	if (num_parse_i64(s, strlen(s), 0, INT64_MAX / 1000, &seconds, &err) == 0)
		return (seconds < LONGEST_S ? seconds : LONGEST_S) * 1000;
	at_ms = parse_date(s);
	if (at_ms < 0 || server_now_ms < 0)
		return -1;
	at_ms -= server_now_ms;
	at_ms = at_ms < 0 ? 0 : at_ms;
	return at_ms < LONGEST_S * 1000 ? at_ms : LONGEST_S * 1000;
}

static enum err_code to_err_code(const struct http_request *r)
{
	switch ((int)r->code) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PROXY:
		return ERR_UNAVAILABLE;
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return ERR_TIMEOUT;
	case CURLE_PEER_FAILED_VERIFICATION:
		return ERR_DENIED;
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
		return ERR_INVALID;
	case CURLE_WRITE_ERROR:
		return ERR_TOO_BIG;
	default:
		return ERR_PROTOCOL;
	}
}

/* True if not a byte of the request can have reached the server: while connecting, or because the
 * server had just said that the connection takes no more requests (GOAWAY). */
static bool was_not_sent(const struct http_request *r)
{
	long sent_bytes = 0;

	curl_easy_getinfo(r->easy, CURLINFO_REQUEST_SIZE, &sent_bytes);
	return sent_bytes == 0;
}

static void fill_error(const struct http_request *r, struct err *err)
{
	if (r->too_big) {
		err_set(err, ERR_TOO_BIG, "%s: answer longer than %zu bytes", r->label,
			r->on_body != NULL ? (size_t)MAX_UNDELIVERED : r->max_body);
		return;
	}
	err_set(err, to_err_code(r), "%s: %s", r->label,
		r->error_text[0] != '\0' ? r->error_text : curl_easy_strerror(r->code));
	if (err->code == ERR_TIMEOUT && was_not_sent(r))
		err->code = ERR_UNAVAILABLE;
}

static void deliver_end(struct http_request *r)
{
	struct http_answer *a = &r->answer;
	struct err err = { 0 };
	long status = 0;

	if (r->code != CURLE_OK) {
		fill_error(r, &err);
		r->on_done(r->arg, NULL, &err);
		return;
	}
	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	a->status = (int)status;
	a->request = r;
	a->date_ms = parse_date(http_answer_header(a, "Date", 0));
	a->retry_after_ms = parse_retry_after(http_answer_header(a, "Retry-After", 0), a->date_ms);
	r->on_done(r->arg, a, NULL);
}

void http_request_deliver(struct http_request *r)
{
	bool gone = false;

	r->gone = &gone; /* cppcheck-suppress autoVariables; taken back below */
	if (r->stream.len > 0) {
		AUTO(buf_done) struct buf bytes = r->stream;

		r->stream = (struct buf){ .max = MAX_UNDELIVERED };
		r->on_body(r->arg, buf_str(&bytes), bytes.len);
	}
	if (gone)
		return;
	if (r->ended)
		deliver_end(r);
	if (!gone) /* cppcheck-suppress knownConditionTrueFalse */
		r->gone = NULL;
}

/* ---- start ---- */

static struct curl_blob blob(char *bytes, size_t len)
{
	return (struct curl_blob){ .data = bytes, .len = len, .flags = CURL_BLOB_NOCOPY };
}

static void set_tls(struct http_request *r)
{
	struct http_pool *p = r->pool;
	struct curl_blob ca = blob(p->ca, p->ca_len);
	struct curl_blob cert = blob(p->cert, p->cert_len);
	struct curl_blob key = blob(p->key, p->key_len);

	curl_easy_setopt(r->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (p->ca != NULL)
		curl_easy_setopt(r->easy, CURLOPT_CAINFO_BLOB, &ca);
	if (p->cert != NULL) {
		curl_easy_setopt(r->easy, CURLOPT_SSLCERT_BLOB, &cert);
		curl_easy_setopt(r->easy, CURLOPT_SSLKEY_BLOB, &key);
	}
	if (p->insecure) {
		curl_easy_setopt(r->easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(r->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (p->proxy != NULL)
		curl_easy_setopt(r->easy, CURLOPT_PROXY, p->proxy);
}

static void set_socket(struct http_request *r)
{
	curl_easy_setopt(r->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(r->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
	curl_easy_setopt(r->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(r->easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
	curl_easy_setopt(r->easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_INTERVAL_S);
	curl_easy_setopt(r->easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
	curl_easy_setopt(r->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(r->easy, CURLOPT_SHARE, r->pool->share);
	curl_easy_setopt(r->easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
}

static void add_header(struct http_request *r, const char *line)
{
	struct curl_slist *more = curl_slist_append(r->headers, line);

	ASSERT(more != NULL);
	r->headers = more;
}

static bool is_clean(const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	return true;
}

static int set_headers(struct http_request *r, const struct http_spec *spec, struct err *err)
{
	AUTO(buf_done) struct buf line = { .max = 64 * 1024 };

	for (const char *const *h = spec->headers; h != NULL && *h != NULL; h++) {
		if (!is_clean(*h))
			return err_set(err, ERR_INVALID, "a header with control characters");
		add_header(r, *h);
	}
	if (spec->bearer != NULL) {
		if (!is_clean(spec->bearer))
			return err_set(err, ERR_INVALID, "a token with control characters");
		if (buf_addfe(&line, err, "Authorization: Bearer %s", spec->bearer) < 0)
			return err_wrap(err, "token");
		add_header(r, buf_str(&line));
		explicit_bzero(line.data, line.len);
	}
	/* No waiting for "100 Continue". */
	add_header(r, "Expect:");
	curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
	return 0;
}

static void set_body(struct http_request *r, const struct http_spec *spec)
{
	if (spec->body != NULL) {
		r->body = mem_dup(spec->body, spec->body_len);
		curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)spec->body_len);
		curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, r->body);
	} else {
		curl_easy_setopt(r->easy, CURLOPT_HTTPGET, 1L);
	}
	if (spec->method != NULL)
		curl_easy_setopt(r->easy, CURLOPT_CUSTOMREQUEST, spec->method);
}

/* host and port of the URL, as a Host header needs them. */
static int get_authority(CURLU *u, char **ret_host, char **ret_port, struct err *err)
{
	if (curl_url_get(u, CURLUPART_HOST, ret_host, 0) != CURLUE_OK ||
	    curl_url_get(u, CURLUPART_PORT, ret_port, CURLU_DEFAULT_PORT) != CURLUE_OK)
		return err_set(err, ERR_INVALID, "URL without a host");
	return 0;
}

/* Ask for the server under another name: the URL gets that name, the connection goes to the old
 * one, and so does the Host header. */
static int rename_server(struct http_request *r, CURLU *u, const char *host, const char *port,
			 struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = 4096 };

	if (buf_addfe(&b, err, "%s:%s:%s:%s", r->pool->server_name, port, host, port) < 0)
		return err->code;
	r->connect_to = curl_slist_append(NULL, buf_str(&b));
	ASSERT(r->connect_to != NULL);
	curl_easy_setopt(r->easy, CURLOPT_CONNECT_TO, r->connect_to);
	buf_reset(&b);
	if (buf_addfe(&b, err, "Host: %s:%s", host, port) < 0)
		return err->code;
	add_header(r, buf_str(&b));
	if (curl_url_set(u, CURLUPART_HOST, r->pool->server_name, 0) != CURLUE_OK)
		return err_set(err, ERR_INVALID, "bad TLS server name %.80s", r->pool->server_name);
	return 0;
}

static void set_label(struct http_request *r, CURLU *u, const char *method)
{
	AUTO(buf_done) struct buf b = { .max = 200 };
	char *path = NULL;

	curl_url_get(u, CURLUPART_PATH, &path, 0);
	buf_note(&b, "%s %s", method != NULL ? method : "GET", path != NULL ? path : "");
	curl_free(path);
	r->label = buf_take(&b);
}

/* Programs on the same machine are never reached through the environment's proxy. */
static bool is_local(const char *host)
{
	return strcmp(host, "localhost") == 0 || text_starts(host, "127.") ||
	       strcmp(host, "[::1]") == 0;
}

static int check_url(struct http_request *r, CURLU *u, const char *url, struct err *err)
{
	char *host = NULL;
	char *port = NULL;
	int rc;

	if (curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK)
		return err_set(err, ERR_INVALID, "bad URL %.150s", url);
	rc = get_authority(u, &host, &port, err);
	if (rc == 0 && r->pool->proxy == NULL && is_local(host))
		curl_easy_setopt(r->easy, CURLOPT_NOPROXY, "*");
	if (rc == 0 && r->pool->server_name != NULL)
		rc = rename_server(r, u, host, port, err);
	curl_free(host);
	curl_free(port);
	return rc;
}

static int set_url(struct http_request *r, const struct http_spec *spec, struct err *err)
{
	CURLU *u = curl_url();
	char *url = NULL;
	int rc;

	ASSERT(u != NULL);
	rc = check_url(r, u, spec->url, err);
	if (rc == 0) {
		set_label(r, u, spec->method);
		/* TLS says early whether the connection can be shared; plain HTTP only in its first
		 * answer, and that may never come. */
		curl_easy_setopt(r->easy, CURLOPT_PIPEWAIT, (long)text_starts(spec->url, "https:"));
		ASSERT(curl_url_get(u, CURLUPART_URL, &url, 0) == CURLUE_OK);
		curl_easy_setopt(r->easy, CURLOPT_URL, url);
	}
	curl_free(url);
	curl_url_cleanup(u);
	return rc;
}

static void set_callbacks(struct http_request *r, const struct http_spec *spec)
{
	r->max_body = spec->max_body > 0 ? spec->max_body : HTTP_MAX_BODY;
	r->on_body = spec->on_body;
	r->on_done = spec->on_done;
	r->arg = spec->arg;
	curl_easy_setopt(r->easy, CURLOPT_PRIVATE, r);
	curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
	curl_easy_setopt(r->easy, CURLOPT_ERRORBUFFER, r->error_text);
	curl_easy_setopt(r->easy, CURLOPT_USERAGENT, r->pool->http->user_agent);
	curl_easy_setopt(r->easy, CURLOPT_TIMEOUT_MS, (long)spec->timeout_ms);
	if (spec->gzip)
		curl_easy_setopt(r->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
}

int http_start(struct http_pool *p, const struct http_spec *spec, struct http_request **ret,
	       struct err *err)
{
	AUTO(http_request_freep) struct http_request *r = NEW(struct http_request);

	ASSERT(spec->on_done != NULL);
	r->pool = p;
	http_pool_ref(p);
	p->http->request_count++;
	r->stream.max = MAX_UNDELIVERED;
	r->easy = curl_easy_init();
	ASSERT(r->easy != NULL);
	if (set_url(r, spec, err) < 0 || set_headers(r, spec, err) < 0)
		return err->code;
	set_body(r, spec);
	set_socket(r);
	set_tls(r);
	set_callbacks(r, spec);
	ASSERT(curl_multi_add_handle(p->http->multi, r->easy) == CURLM_OK);
	r->in_multi = true;
	p->http->due = true;
	*ret = MOVE(r);
	return 0;
}

void http_request_free(struct http_request *r)
{
	if (r == NULL)
		return;
	if (r->gone != NULL)
		*r->gone = true;
	list_remove(&r->event_link);
	if (r->in_multi)
		curl_multi_remove_handle(r->pool->http->multi, r->easy);
	curl_easy_cleanup(r->easy);
	curl_slist_free_all(r->headers);
	curl_slist_free_all(r->connect_to);
	r->pool->http->request_count--;
	http_pool_free(r->pool);
	buf_done(&r->answer.body);
	buf_done(&r->stream);
	mem_free(r->label);
	mem_free(r->body);
	mem_free(r);
}

void http_request_freep(struct http_request **r)
{
	http_request_free(*r);
	*r = NULL;
}

int http_escape(const char *s, struct buf *out, struct err *err)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

	for (; *s != '\0'; s++) {
		int rc = strchr(plain, *s) != NULL
			     ? buf_addc(out, *s, err)
			     : buf_addfe(out, err, "%%%02X", (unsigned int)(unsigned char)*s);

		if (rc < 0)
			return rc;
	}
	return 0;
}
