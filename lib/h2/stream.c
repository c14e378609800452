/* stream.c - one request with its answer: what waits to be sent, and who gets it; see h2.h. */
#include <string.h>

#include "base/mem.h"
#include "h2/h2_int.h"

enum { MAX_BODY = 64 << 20 };

struct h2_stream *h2_stream_new(struct h2 *h, int32_t id)
{
	struct h2_stream *s = NEW(struct h2_stream);

	s->h = h;
	s->id = id;
	s->out.max = MAX_BODY;
	list_add(&h->streams, &s->link);
	return s;
}

static void release(struct h2_stream *s)
{
	void (*fn)(void *) = MOVE(s->release);

	s->given = NULL;
	s->given_len = 0;
	if (fn != NULL)
		fn(s->release_arg);
}

void h2_stream_free(struct h2_stream *s)
{
	list_remove(&s->link);
	release(s);
	buf_done(&s->out);
	buf_done(&s->body);
	arena_done(&s->arena);
	mem_free(s);
}

const char *h2_find_header(const struct h2_header *headers, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(headers[i].name, name) == 0)
			return headers[i].value;
	}
	return NULL;
}

size_t h2_waiting(const struct h2_stream *s)
{
	return s->given != NULL ? s->given_len - s->out_at : s->out.len - s->out_at;
}

static void tell_drained(struct h2_stream *s)
{
	if (!s->was_full || h2_waiting(s) > s->out.max / 2)
		return;
	s->was_full = false;
	if (s->h->is_server && s->h->handler->on_drained != NULL && !s->h->freeing)
		s->h->handler->on_drained(s->h->handler_arg, s);
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2 chooses the parameters */
ssize_t h2_provide(nghttp2_session *session, int32_t id, uint8_t *to, size_t len, uint32_t *flags,
		   nghttp2_data_source *source, void *arg)
{
	struct h2_stream *s = source->ptr;
	size_t n = h2_waiting(s);

	(void)session;
	(void)id;
	(void)arg;
	if (n == 0 && !s->ended) {
		s->deferred = true;
		return NGHTTP2_ERR_DEFERRED;
	}
	if (n > len)
		n = len;
	if (n > 0)
		memcpy(to, (s->given != NULL ? s->given : s->out.data) + s->out_at, n);
	s->out_at += n;
	if (h2_waiting(s) == 0) {
		release(s);
		buf_reset(&s->out);
		s->out_at = 0;
		if (s->ended)
			*flags |= NGHTTP2_DATA_FLAG_EOF;
	}
	tell_drained(s);
	return (ssize_t)n;
}

void h2_put_header(nghttp2_nv *nv, const char *name, const char *value)
{
	*nv = (nghttp2_nv){ .namelen = strlen(name), .valuelen = strlen(value) };
	/* nghttp2 copies them; its struct lacks the const. */
	memcpy(&nv->name, &name, sizeof(name));
	memcpy(&nv->value, &value, sizeof(value));
}

/* has_body: DATA frames follow. */
static void submit(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		   bool has_body)
{
	nghttp2_data_provider body = { .source.ptr = s, .read_callback = h2_provide };
	nghttp2_nv nv[H2_MAX_FIELDS];
	char text[4] = { (char)('0' + status / 100), (char)('0' + status / 10 % 10),
			 (char)('0' + status % 10), '\0' };

	ASSERT(s->h->is_server && !s->answered && n < H2_MAX_FIELDS);
	ASSERT(status >= 200 && status <= 599);
	s->answered = true;
	h2_put_header(&nv[0], ":status", text);
	for (size_t i = 0; i < n; i++)
		h2_put_header(&nv[i + 1], headers[i].name, headers[i].value);
	/* Fails only for a stream that is about to close. */
	nghttp2_submit_response(s->h->session, s->id, nv, n + 1, has_body ? &body : NULL);
	h2_wake(s->h);
}

void h2_respond(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		const void *body, size_t len)
{
	struct err err = { 0 };

	ASSERT(len <= MAX_BODY);
	if (buf_add(&s->out, body, len, &err) < 0)
		ASSERT(false);
	s->ended = true;
	submit(s, status, headers, n, len > 0);
}

void h2_respond_with(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		     const struct h2_body *body)
{
	s->given = body->bytes;
	s->given_len = body->len;
	s->release = body->release;
	s->release_arg = body->arg;
	s->ended = true;
	submit(s, status, headers, n, body->len > 0);
	if (body->len == 0)
		release(s);
}

void h2_respond_stream(struct h2_stream *s, int status, const struct h2_header *headers, size_t n,
		       size_t limit)
{
	s->out.max = limit;
	submit(s, status, headers, n, true);
}

static void resume(struct h2_stream *s)
{
	if (!s->deferred)
		return;
	s->deferred = false;
	nghttp2_session_resume_data(s->h->session, s->id);
	h2_wake(s->h);
}

bool h2_write(struct h2_stream *s, const void *bytes, size_t len)
{
	struct err err = { 0 };

	ASSERT(s->answered && !s->ended && s->given == NULL);
	if (len > s->out.max || h2_waiting(s) > s->out.max - len) {
		s->was_full = true;
		return false;
	}
	/* What was sent is dropped only when it is the larger part: each byte moves O(1) times. */
	if (s->out_at > s->out.len / 2 || s->out.len + len > s->out.max) {
		buf_drop(&s->out, s->out_at);
		s->out_at = 0;
	}
	if (buf_add(&s->out, bytes, len, &err) < 0)
		ASSERT(false);
	resume(s);
	return true;
}

void h2_ask_drained(struct h2_stream *s)
{
	ASSERT(h2_waiting(s) > s->out.max / 2);
	s->was_full = true;
}

void h2_end(struct h2_stream *s)
{
	s->ended = true;
	resume(s);
}

void h2_reset(struct h2_stream *s)
{
	nghttp2_submit_rst_stream(s->h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_CANCEL);
	h2_wake(s->h);
}

void h2_set_stream_arg(struct h2_stream *s, void *arg)
{
	s->arg = arg;
}

void *h2_stream_arg(const struct h2_stream *s)
{
	return s->arg;
}

struct h2 *h2_of(const struct h2_stream *s)
{
	return s->h;
}
