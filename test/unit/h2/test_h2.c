/* test_h2.c - a server and a client session joined by memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "h2/h2.h"

struct case_ {
	struct h2 *server;
	struct h2 *client;
	size_t step;
	size_t max_body;
	/* seen by the server */
	struct buf got;
	struct h2_stream *stream; /* that waits for more of its answer */
	int heads, requests, closes, drained;
	/* seen by the client */
	struct buf body;
	int status, ends;
	struct err err;
};

static void on_head(void *arg, struct h2_stream *s, const struct h2_request *r, size_t *ret_max)
{
	struct case_ *c = arg;

	c->heads++;
	*ret_max = c->max_body;
	if (strcmp(r->path, "/denied") == 0)
		h2_respond(s, 401, NULL, 0, "no\n", 3);
}

static const char BIG[200000];

static void count_release(void *arg)
{
	int *n = arg;

	*n += 1;
}

static int released;

static void on_request(void *arg, struct h2_stream *s, const struct h2_request *r, const void *body,
		       size_t len)
{
	struct case_ *c = arg;
	const struct h2_header type = { "content-type", "text/plain" };
	struct err err = { 0 };

	c->requests++;
	assert_int_equal(buf_add(&c->got, body, len, &err), 0);
	if (strcmp(r->path, "/stream") == 0) {
		c->stream = s;
		h2_respond_stream(s, 200, &type, 1, 100000);
	} else if (strcmp(r->path, "/big") == 0) {
		h2_respond_with(s, 200, NULL, 0,
				&(struct h2_body){ BIG, sizeof(BIG), count_release, &released });
	} else {
		const char *name = h2_find_header(r->headers, r->n_headers, "x-name");

		h2_respond(s, 200, &type, 1, name != NULL ? name : "-",
			   name != NULL ? strlen(name) : 1);
	}
}

static void on_drained(void *arg, struct h2_stream *s)
{
	struct case_ *c = arg;

	assert_ptr_equal(s, c->stream);
	c->drained++;
}

static void on_close(void *arg, struct h2_stream *s)
{
	struct case_ *c = arg;

	c->closes++;
	if (c->stream == s)
		c->stream = NULL;
}

static const struct h2_handler HANDLER = { on_head, on_request, on_drained, on_close };

static void on_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct case_ *c = arg;
	struct err err = { 0 };

	(void)s;
	assert_int_equal(buf_add(&c->body, bytes, len, &err), 0);
}

static void on_end(void *arg, struct h2_stream *s, int status, const struct err *err)
{
	struct case_ *c = arg;

	(void)s;
	c->status = status;
	c->err = *err;
	c->ends++;
}

static const struct h2_client CLIENT = { NULL, on_body, on_end };

static void make(struct case_ *c)
{
	*c = (struct case_){
		.step = 1 << 20, .max_body = 1000, .got.max = 1 << 20, .body.max = 1 << 20
	};
	c->server = h2_server_new(&HANDLER, c);
	c->client = h2_client_new("localhost:1");
	released = 0;
}

static void done(struct case_ *c)
{
	h2_free(c->client);
	h2_free(c->server);
	buf_done(&c->got);
	buf_done(&c->body);
}

static int deliver(struct h2 *from, struct h2 *to, size_t step, struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = 10000 };

	if (h2_output(from, &b, err) < 0)
		return err->code;
	for (size_t at = 0; at < b.len; at += step) {
		size_t n = b.len - at < step ? b.len - at : step;

		if (h2_input(to, b.data + at, n, err) < 0)
			return err->code;
	}
	return 0;
}

static void pump(struct case_ *c)
{
	struct err err = { 0 };

	for (int i = 0; i < 200 && (h2_wants_output(c->client) || h2_wants_output(c->server));
	     i++) {
		assert_int_equal(deliver(c->client, c->server, c->step, &err), 0);
		assert_int_equal(deliver(c->server, c->client, c->step, &err), 0);
	}
}

static struct h2_stream *ask(struct case_ *c, const char *path, const char *name, const void *body,
			     size_t len)
{
	struct h2_header header = { "x-name", name };
	struct h2_request r = { .method = len > 0 ? "POST" : "GET",
				.path = path,
				.headers = &header,
				.n_headers = name != NULL ? 1 : 0 };

	return h2_request(c->client, &r, body, len, &CLIENT, c);
}

static void a_request_gets_its_answer_at_every_split(void **state)
{
	(void)state;
	for (size_t step = 1; step < 40; step += 3) {
		AUTO(done) struct case_ c;

		make(&c);
		c.step = step;
		assert_non_null(ask(&c, "/", "gpu-7", "body", 4));
		pump(&c);
		assert_int_equal(c.ends, 1);
		assert_int_equal(c.err.code, 0);
		assert_int_equal(c.status, 200);
		assert_string_equal(buf_str(&c.body), "gpu-7");
		assert_string_equal(buf_str(&c.got), "body");
		assert_int_equal(c.closes, 1);
		assert_int_equal(h2_stream_count(c.server), 0);
		assert_int_equal(h2_stream_count(c.client), 0);
	}
}

static void an_answer_may_come_before_the_body(void **state)
{
	static const char body[100000];
	AUTO(done) struct case_ c;

	(void)state;
	make(&c);
	assert_non_null(ask(&c, "/denied", NULL, body, sizeof(body)));
	pump(&c);
	assert_int_equal(c.status, 401);
	assert_int_equal(c.requests, 0);
	assert_int_equal(c.closes, 1);
	assert_string_equal(buf_str(&c.body), "no\n");
}

static void a_body_above_its_limit_is_refused(void **state)
{
	static const char body[1001];
	AUTO(done) struct case_ c;

	(void)state;
	make(&c);
	assert_non_null(ask(&c, "/", NULL, body, sizeof(body)));
	pump(&c);
	assert_int_equal(c.status, 413);
	assert_int_equal(c.requests, 0);
	assert_non_null(ask(&c, "/", NULL, body, 1000));
	pump(&c);
	assert_int_equal(c.status, 200);
	assert_int_equal(c.requests, 1);
}

static void a_stream_is_written_with_back_pressure(void **state)
{
	static const char piece[60000];
	AUTO(done) struct case_ c;

	(void)state;
	make(&c);
	assert_non_null(ask(&c, "/stream", NULL, NULL, 0));
	pump(&c);
	assert_non_null(c.stream);
	assert_true(h2_write(c.stream, piece, sizeof(piece)));
	assert_false(h2_write(c.stream, piece, sizeof(piece)));
	assert_int_equal(h2_waiting(c.stream), sizeof(piece));
	pump(&c);
	assert_int_equal(c.drained, 1);
	assert_int_equal(c.body.len, sizeof(piece));
	assert_true(h2_write(c.stream, "end", 3));
	h2_end(c.stream);
	pump(&c);
	assert_int_equal(c.ends, 1);
	assert_int_equal(c.body.len, sizeof(piece) + 3);
	assert_null(c.stream);
}

static void a_large_body_is_sent_from_where_it_is(void **state)
{
	AUTO(done) struct case_ c;

	(void)state;
	make(&c);
	assert_non_null(ask(&c, "/big", NULL, NULL, 0));
	pump(&c);
	assert_int_equal(c.body.len, sizeof(BIG));
	assert_int_equal(released, 1);
}

static void a_reset_stream_ends_on_both_sides(void **state)
{
	AUTO(done) struct case_ c;
	struct h2_stream *s;

	(void)state;
	make(&c);
	s = ask(&c, "/stream", NULL, NULL, 0);
	pump(&c);
	h2_reset(s);
	pump(&c);
	assert_int_equal(c.ends, 1);
	assert_int_equal(c.err.code, ERR_UNAVAILABLE);
	assert_int_equal(c.closes, 1);
	assert_null(c.stream);
}

static void freeing_a_session_ends_its_streams(void **state)
{
	AUTO(done) struct case_ c;

	(void)state;
	make(&c);
	assert_non_null(ask(&c, "/stream", NULL, NULL, 0));
	pump(&c);
	h2_free(MOVE(c.client));
	assert_int_equal(c.ends, 1);
	h2_free(MOVE(c.server));
	assert_int_equal(c.closes, 1);
}

static void headers_above_the_limit_are_refused(void **state)
{
	AUTO(done) struct case_ c;
	char name[20000];

	(void)state;
	make(&c);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_non_null(ask(&c, "/", name, NULL, 0));
	pump(&c);
	assert_int_equal(c.heads, 0);
	assert_int_equal(c.ends, 1);
	assert_int_equal(c.err.code, ERR_UNAVAILABLE);
}

static void a_stopped_session_finishes_what_is_open(void **state)
{
	AUTO(done) struct case_ c;

	(void)state;
	make(&c);
	assert_non_null(ask(&c, "/stream", NULL, NULL, 0));
	pump(&c);
	h2_stop(c.server);
	pump(&c);
	assert_false(h2_is_over(c.server));
	assert_null(ask(&c, "/", NULL, NULL, 0));
	h2_end(c.stream);
	pump(&c);
	assert_int_equal(c.ends, 1);
	assert_int_equal(c.err.code, 0);
	assert_true(h2_is_over(c.server));
}

static void silence_is_noticed_after_fifteen_seconds(void **state)
{
	AUTO(done) struct case_ c;
	struct err err = { 0 };
	int64_t now = 1000;

	(void)state;
	make(&c);
	for (; now < 60000; now += 1000) {
		assert_int_equal(h2_tick(c.client, now, &err), 0);
		assert_int_equal(h2_tick(c.server, now, &err), 0);
		pump(&c);
	}
	/* The last ping was answered at 55 s, which the tick at 56 s saw. */
	for (; now < 71000; now += 1000)
		assert_int_equal(h2_tick(c.client, now, &err), 0);
	assert_int_equal(h2_tick(c.client, now, &err), ERR_TIMEOUT);
}

static void a_flood_of_useless_frames_ends_the_session(void **state)
{
	static const unsigned char ping[17] = { 0, 0, 8, 6, 0, 0, 0, 0, 0 };
	AUTO(done) struct case_ c;
	struct err err = { 0 };
	int n = 0;

	(void)state;
	make(&c);
	pump(&c);
	while (n < 10000 && h2_input(c.server, ping, sizeof(ping), &err) == 0)
		n++;
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_true(n < 200);
}

static void rapid_resets_end_the_session(void **state)
{
	AUTO(done) struct case_ c;
	struct err err = { 0 };
	int n = 0;

	(void)state;
	make(&c);
	pump(&c);
	for (; n < 2000 && err.code == 0; n++) {
		struct h2_stream *s = ask(&c, "/stream", NULL, NULL, 0);

		if (s == NULL || deliver(c.client, c.server, 1 << 20, &err) < 0)
			break;
		h2_reset(s);
		if (deliver(c.client, c.server, 1 << 20, &err) == 0)
			(void)(deliver(c.server, c.client, 1 << 20, &err) == 0);
	}
	assert_true(n < 400);
}

static void a_request_without_its_end_does_not_count(void **state)
{
	/* HEADERS without END_HEADERS on stream 1: more would have to come. */
	static const unsigned char begun[] = { 0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82 };
	AUTO(done) struct case_ c;
	struct err err = { 0 };

	(void)state;
	make(&c);
	pump(&c);
	assert_int_equal(h2_input(c.server, begun, sizeof(begun), &err), 0);
	assert_int_equal(h2_stream_count(c.server), 0);
	assert_int_equal(c.heads, 0);
}

static void rubbish_is_refused(void **state)
{
	AUTO(done) struct case_ c;
	struct err err = { 0 };

	(void)state;
	make(&c);
	assert_int_equal(h2_input(c.server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, &err),
			 ERR_PROTOCOL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_gets_its_answer_at_every_split),
		cmocka_unit_test(an_answer_may_come_before_the_body),
		cmocka_unit_test(a_body_above_its_limit_is_refused),
		cmocka_unit_test(a_stream_is_written_with_back_pressure),
		cmocka_unit_test(a_large_body_is_sent_from_where_it_is),
		cmocka_unit_test(a_reset_stream_ends_on_both_sides),
		cmocka_unit_test(freeing_a_session_ends_its_streams),
		cmocka_unit_test(headers_above_the_limit_are_refused),
		cmocka_unit_test(a_stopped_session_finishes_what_is_open),
		cmocka_unit_test(silence_is_noticed_after_fifteen_seconds),
		cmocka_unit_test(a_flood_of_useless_frames_ends_the_session),
		cmocka_unit_test(rapid_resets_end_the_session),
		cmocka_unit_test(a_request_without_its_end_does_not_count),
		cmocka_unit_test(rubbish_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
