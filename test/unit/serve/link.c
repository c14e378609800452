/* link.c - see link.h. */
#include "test/unit/serve/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "controller/serve/serve_int.h"

void link_make(struct link *l, struct serve *s, const char *credential)
{
	*l = (struct link){ .credential = credential, .stream.max = 1 << 20, .body.max = 16 << 20 };
	l->server = h2_server_new(&serve_handler, s);
	l->client = h2_client_new("localhost:1");
}

void link_done(struct link *l)
{
	h2_free(MOVE(l->client));
	h2_free(MOVE(l->server));
	buf_done(&l->stream);
	buf_done(&l->body);
}

void link_pass(struct h2 *from, struct h2 *to)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 20 };
	struct err err = { 0 };

	assert_int_equal(h2_output(from, &b, &err), 0);
	assert_int_equal(h2_input(to, b.data, b.len, &err), 0);
}

void link_pump(struct link *l)
{
	while (h2_wants_output(l->client) || h2_wants_output(l->server)) {
		link_pass(l->client, l->server);
		link_pass(l->server, l->client);
	}
}

static void on_stream_status(void *arg, struct h2_stream *s, int status)
{
	struct link *l = arg;

	(void)s;
	l->stream_status = status;
}

static void on_stream_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct link *l = arg;
	struct err err = { 0 };

	(void)s;
	assert_int_equal(buf_add(&l->stream, bytes, len, &err), 0);
}

static void on_stream_end(void *arg, struct h2_stream *s, int status, const struct err *err)
{
	struct link *l = arg;

	(void)s;
	(void)status;
	(void)err;
	l->stream_ended = true;
}

static void on_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct link *l = arg;
	struct err err = { 0 };

	(void)s;
	assert_int_equal(buf_add(&l->body, bytes, len, &err), 0);
}

static void on_end(void *arg, struct h2_stream *s, int status, const struct err *err)
{
	struct link *l = arg;

	(void)s;
	l->status = status;
	l->broken = err->code != 0;
	l->ends++;
}

const struct h2_client link_stream = { on_stream_status, on_stream_body, on_stream_end };
const struct h2_client link_client = { NULL, on_body, on_end };

struct h2_stream *link_ask(struct link *l, const char *method, const char *path,
			   const struct buf *body, const struct h2_client *client)
{
	char bearer[80];
	struct h2_header headers[2];
	struct h2_request r = { .method = method, .path = path, .headers = headers };
	struct h2_stream *s;

	if (l->credential != NULL)
		headers[r.n_headers++] = (struct h2_header){ "authorization", bearer };
	if (l->range != NULL && strcmp(method, "GET") == 0)
		headers[r.n_headers++] = (struct h2_header){ "range", l->range };
	snprintf(bearer, sizeof(bearer), "Bearer %s", l->credential != NULL ? l->credential : "");
	buf_reset(&l->body);
	l->status = 0;
	s = h2_request(l->client, &r, body != NULL ? body->data : NULL,
		       body != NULL ? body->len : 0, client, l);
	assert_non_null(s);
	link_pump(l);
	return s;
}
