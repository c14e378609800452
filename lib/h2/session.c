/* session.c - sessions over nghttp2; see h2.h. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "h2/h2_int.h"

enum {
	STREAM_WINDOW = 1 << 20,
	SESSION_WINDOW = 4 << 20,
	MAX_ACKS = 64, /* unsent answers to pings and settings */
	RESET_BURST = 200,
	RESET_PER_SECOND = 33,
	MAX_DISCARDED = 1 << 20,
};

void h2_on_wake(struct h2 *h, void (*fn)(void *arg), void *arg)
{
	h->wake = fn;
	h->wake_arg = arg;
}

void h2_trust(struct h2 *h)
{
	h->trusted = true;
}

bool h2_is_trusted(const struct h2 *h)
{
	return h->trusted;
}

void h2_wake(struct h2 *h)
{
	if (h->inside == 0 && !h->freeing && h->wake != NULL)
		h->wake(h->wake_arg);
}

static struct h2_stream *stream_of(nghttp2_session *session, int32_t id)
{
	return nghttp2_session_get_stream_user_data(session, id);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct h2 *h = arg;
	struct h2_stream *s;

	if (!h->is_server || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	s = h2_stream_new(h, frame->hd.stream_id);
	nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, s);
	return 0;
}

static int read_status(struct h2_stream *s, const char *value, size_t len)
{
	struct err err = { 0 };
	uint64_t status;

	if (num_parse_u64(value, len, 999, &status, &err) < 0)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	s->status = (int)status;
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2 chooses the parameters */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
		     void *arg)
{
	struct h2 *h = arg;
	struct h2_stream *s = stream_of(session, frame->hd.stream_id);
	const char *n = (const char *)name;
	const char *v = (const char *)value;

	(void)flags;
	if (s == NULL)
		return 0;
	s->header_bytes += name_len + value_len + 32; /* as RFC 9113 counts them */
	if (s->header_bytes > H2_MAX_HEADERS) {
		s->why = "headers too large";
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	}
	if (!h->is_server)
		return name_len == 7 && memcmp(n, ":status", 7) == 0 ? read_status(s, v, value_len)
								     : 0;
	if (s->head_done) /* trailers */
		return 0;
	if (name_len == 7 && memcmp(n, ":method", 7) == 0) {
		s->method = arena_strndup(&s->arena, v, value_len);
	} else if (name_len == 5 && memcmp(n, ":path", 5) == 0) {
		s->path = arena_strndup(&s->arena, v, value_len);
	} else if (name_len > 0 && n[0] != ':') {
		if (s->n_headers == H2_MAX_FIELDS)
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
		s->headers[s->n_headers].name = arena_strndup(&s->arena, n, name_len);
		s->headers[s->n_headers++].value = arena_strndup(&s->arena, v, value_len);
	}
	return 0;
}

static void request_head(struct h2_stream *s)
{
	struct h2 *h = s->h;
	size_t max_body = 0;

	s->head_done = true;
	h->with_head++;
	s->request = (struct h2_request){ .method = s->method != NULL ? s->method : "",
					  .path = s->path != NULL ? s->path : "",
					  .headers = s->headers,
					  .n_headers = s->n_headers };
	h->handler->on_head(h->handler_arg, s, &s->request, &max_body);
	s->body.max = max_body;
}

static void request_complete(struct h2_stream *s)
{
	struct h2 *h = s->h;

	if (!s->answered)
		h->handler->on_request(h->handler_arg, s, &s->request, s->body.data, s->body.len);
	buf_done(&s->body);
}

static void answer_head(struct h2_stream *s)
{
	if (s->status >= 200 && !s->head_done) {
		s->head_done = true;
		if (s->client->on_status != NULL)
			s->client->on_status(s->client_arg, s, s->status);
	} else {
		s->header_bytes = 0; /* an interim answer */
	}
}

/* Frames that cost us work and bring nothing. */
static bool is_noise(const nghttp2_frame *frame)
{
	switch (frame->hd.type) {
	case NGHTTP2_PRIORITY:
		return true;
	case NGHTTP2_SETTINGS:
	case NGHTTP2_PING:
		return (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0;
	case NGHTTP2_DATA:
		return frame->hd.length == 0 && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0;
	default:
		return false;
	}
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct h2 *h = arg;
	struct h2_stream *s;

	if (is_noise(frame))
		h->noise++;
	if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
		return 0;
	s = stream_of(session, frame->hd.stream_id);
	if (s == NULL)
		return 0;
	if (frame->hd.type == NGHTTP2_HEADERS && !h->is_server)
		answer_head(s);
	else if (frame->hd.type == NGHTTP2_HEADERS && !s->head_done)
		request_head(s);
	if (h->is_server && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
		request_complete(s);
	return 0;
}

static void too_large(struct h2_stream *s)
{
	static const char text[] = "body too large\n";

	buf_done(&s->body);
	h2_respond(s, 413, NULL, 0, text, sizeof(text) - 1);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
		   size_t len, void *arg)
{
	struct h2 *h = arg;
	struct h2_stream *s = stream_of(session, id);
	struct err err = { 0 };

	(void)flags;
	if (s == NULL)
		return 0;
	if (!h->is_server) {
		s->client->on_body(s->client_arg, s, bytes, len);
	} else if (s->answered) {
		s->discarded += len;
		if (s->discarded > MAX_DISCARDED)
			nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
	} else if (buf_add(&s->body, bytes, len, &err) < 0) {
		too_large(s);
	}
	return 0;
}

static void end_stream(struct h2_stream *s)
{
	struct h2 *h = s->h;
	struct err err = { 0 };

	if (h->is_server && s->head_done) {
		h->with_head--;
		h->handler->on_close(h->handler_arg, s);
	} else if (!h->is_server) {
		if (s->error_code != NGHTTP2_NO_ERROR)
			err_set(&err, ERR_UNAVAILABLE, "stream ended: %s",
				s->why != NULL ? s->why : nghttp2_http2_strerror(s->error_code));
		else if (!s->head_done)
			err_set(&err, ERR_PROTOCOL, "stream ended without an answer");
		s->client->on_end(s->client_arg, s, s->status, &err);
	}
	h2_stream_free(s);
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error_code, void *arg)
{
	struct h2_stream *s = stream_of(session, id);

	(void)arg;
	if (s == NULL)
		return 0;
	s->error_code = error_code;
	nghttp2_session_set_stream_user_data(session, id, NULL);
	end_stream(s);
	return 0;
}

/* An answer that is complete before the request is: the rest of the request is of no use. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct h2 *h = arg;
	int32_t id = frame->hd.stream_id;

	if (h->is_server && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
	    (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
	    nghttp2_session_get_stream_remote_close(session, id) == 0)
		nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
	return 0;
}

/* A request that cannot be sent any more: its stream was never opened. */
static int on_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int why, void *arg)
{
	struct h2 *h = arg;
	int32_t id = frame->hd.stream_id;

	(void)why;
	if (h->is_server || frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	LIST_EACH (struct h2_stream, s, &h->streams, link) {
		if (s->id != id)
			continue;
		nghttp2_session_set_stream_user_data(session, id, NULL);
		s->error_code = NGHTTP2_REFUSED_STREAM;
		end_stream(s);
		return 0;
	}
	return 0;
}

static void set_callbacks(nghttp2_session_callbacks *c)
{
	nghttp2_session_callbacks_set_on_begin_headers_callback(c, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(c, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(c, on_close);
	nghttp2_session_callbacks_set_on_frame_send_callback(c, on_sent);
	nghttp2_session_callbacks_set_on_frame_not_send_callback(c, on_not_sent);
}

static struct h2 *new_session(bool is_server)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, is_server ? H2_MAX_STREAMS : 0 },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, H2_MAX_HEADERS },
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
	};
	struct h2 *h = NEW(struct h2);
	nghttp2_session_callbacks *callbacks;
	nghttp2_option *option;

	h->is_server = is_server;
	ASSERT(nghttp2_session_callbacks_new(&callbacks) == 0);
	ASSERT(nghttp2_option_new(&option) == 0);
	set_callbacks(callbacks);
	nghttp2_option_set_no_closed_streams(option, 1);
	nghttp2_option_set_max_outbound_ack(option, MAX_ACKS);
	nghttp2_option_set_stream_reset_rate_limit(option, RESET_BURST, RESET_PER_SECOND);
	if (is_server)
		ASSERT(nghttp2_session_server_new2(&h->session, callbacks, h, option) == 0);
	else
		ASSERT(nghttp2_session_client_new2(&h->session, callbacks, h, option) == 0);
	nghttp2_option_del(option);
	nghttp2_session_callbacks_del(callbacks);
	/* A server must not send ENABLE_PUSH, a client has no use for the limit of streams. */
	ASSERT(nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE,
				       is_server ? settings : settings + 1, 3) == 0);
	ASSERT(nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0,
						     SESSION_WINDOW) == 0);
	return h;
}

struct h2 *h2_server_new(const struct h2_handler *handler, void *arg)
{
	struct h2 *h = new_session(true);

	h->handler = handler;
	h->handler_arg = arg;
	return h;
}

struct h2 *h2_client_new(const char *authority)
{
	struct h2 *h = new_session(false);

	h->authority = mem_strdup(authority);
	return h;
}

struct h2_stream *h2_request(struct h2 *h, const struct h2_request *r, const void *body, size_t len,
			     const struct h2_client *client, void *arg)
{
	nghttp2_nv nv[H2_MAX_FIELDS + 4];
	nghttp2_data_provider provider = { .read_callback = h2_provide };
	struct err err = { 0 };
	struct h2_stream *s;

	ASSERT(!h->is_server && r->n_headers <= H2_MAX_FIELDS);
	if (h->stopping || h->freeing || !nghttp2_session_check_request_allowed(h->session))
		return NULL;
	s = h2_stream_new(h, 0);
	s->client = client;
	s->client_arg = arg;
	if (buf_add(&s->out, body, len, &err) < 0) {
		h2_stream_free(s);
		return NULL;
	}
	s->ended = true;
	provider.source.ptr = s;
	h2_put_header(&nv[0], ":method", r->method);
	h2_put_header(&nv[1], ":scheme", "https");
	h2_put_header(&nv[2], ":authority", h->authority);
	h2_put_header(&nv[3], ":path", r->path);
	for (size_t i = 0; i < r->n_headers; i++)
		h2_put_header(&nv[4 + i], r->headers[i].name, r->headers[i].value);
	s->id = nghttp2_submit_request(h->session, NULL, nv, 4 + r->n_headers,
				       len > 0 ? &provider : NULL, s);
	if (s->id < 0) {
		h2_stream_free(s);
		return NULL;
	}
	h2_wake(h);
	return s;
}

void h2_free(struct h2 *h)
{
	if (h == NULL)
		return;
	h->freeing = true;
	LIST_EACH (struct h2_stream, s, &h->streams, link) {
		s->error_code = NGHTTP2_CANCEL;
		s->why = "session ended";
		end_stream(s);
	}
	nghttp2_session_del(h->session);
	mem_free(h->authority);
	mem_free(h);
}

void h2_freep(struct h2 **h)
{
	h2_free(*h);
}

int h2_input(struct h2 *h, const void *bytes, size_t len, struct err *err)
{
	ssize_t n;

	h->inside++;
	n = nghttp2_session_mem_recv(h->session, bytes, len);
	h->inside--;
	if (n < 0)
		return err_set(err, ERR_PROTOCOL, "HTTP/2: %s", nghttp2_strerror((int)n));
	h->heard = h->heard || len > 0;
	if (h->noise > H2_MAX_NOISE) {
		nghttp2_session_terminate_session(h->session, NGHTTP2_ENHANCE_YOUR_CALM);
		return err_set(err, ERR_PROTOCOL, "HTTP/2: flooded with useless frames");
	}
	return 0;
}

int h2_output(struct h2 *h, struct buf *out, struct err *err)
{
	while (out->len < out->max) {
		size_t n;

		if (h->pending_len == 0) {
			ssize_t got;

			h->inside++;
			got = nghttp2_session_mem_send(h->session, &h->pending);
			h->inside--;
			if (got < 0)
				return err_set(err, ERR_PROTOCOL, "HTTP/2: %s",
					       nghttp2_strerror((int)got));
			h->pending_len = (size_t)got;
		}
		if (h->pending_len == 0)
			return 0;
		n = out->max - out->len;
		if (n > h->pending_len)
			n = h->pending_len;
		if (buf_add(out, h->pending, n, err) < 0)
			return err->code;
		h->pending += n;
		h->pending_len -= n;
	}
	return 0;
}

bool h2_wants_output(struct h2 *h)
{
	return h->pending_len > 0 || nghttp2_session_want_write(h->session) != 0;
}

int h2_tick(struct h2 *h, int64_t now_ms, struct err *err)
{
	h->noise = 0;
	if (h->heard || h->heard_ms == 0)
		h->heard_ms = now_ms;
	h->heard = false;
	if (now_ms - h->heard_ms >= H2_LOST_MS)
		return err_set(err, ERR_TIMEOUT, "no sign of life for %d s", H2_LOST_MS / 1000);
	if (now_ms - h->ping_ms >= H2_PING_MS) {
		h->ping_ms = now_ms;
		nghttp2_submit_ping(h->session, NGHTTP2_FLAG_NONE, NULL);
		h2_wake(h);
	}
	return 0;
}

void h2_stop(struct h2 *h)
{
	if (h->stopping)
		return;
	h->stopping = true;
	nghttp2_submit_goaway(h->session, NGHTTP2_FLAG_NONE,
			      nghttp2_session_get_last_proc_stream_id(h->session), NGHTTP2_NO_ERROR,
			      NULL, 0);
}

bool h2_is_over(struct h2 *h)
{
	return !h2_wants_output(h) && (nghttp2_session_want_read(h->session) == 0 ||
				       (h->stopping && h->streams.count == 0));
}

size_t h2_stream_count(const struct h2 *h)
{
	return h->is_server ? h->with_head : h->streams.count;
}
