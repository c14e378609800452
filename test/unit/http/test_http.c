/* test_http.c - the client against a small server on the same loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "http/http.h"
#include "server.h"

struct fix {
	struct loop *loop;
	struct server *server;
	struct http *http;
	struct http_pool *pool;
	char url[64];

	server_fn handler;
	struct buf last_request;
	struct server_conn *last_conn;
	struct timer *timer;

	struct http_request *r;
	struct http_request *other;
	struct buf body;
	struct buf streamed;
	size_t stream_calls;
	int status;
	int64_t retry_after_ms;
	int64_t date_ms;
	int done;
	struct err err;
};

static void on_request(void *arg, struct server_conn *c, const char *request)
{
	struct fix *f = arg;

	buf_reset(&f->last_request);
	assert_int_equal(buf_adds(&f->last_request, request, &f->err), 0);
	f->last_conn = c;
	f->handler(f, c, request);
}

static int start(void **state)
{
	struct fix *f = NEW(struct fix);
	struct err err = { 0 };

	f->last_request.max = 1 << 20;
	f->body.max = 100 << 20;
	f->streamed.max = 100 << 20;
	assert_int_equal(loop_new(&f->loop, &err), 0);
	f->server = server_new(f->loop, on_request, f);
	assert_int_equal(http_new(f->loop, "test/1", &f->http, &err), 0);
	assert_int_equal(http_pool_new(f->http, &(struct http_tls){ 0 }, &f->pool, &err), 0);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d/a/b?c=d", server_port(f->server));
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fix *f = *state;

	timer_free(f->timer);
	http_request_free(f->r);
	http_request_free(f->other);
	http_pool_free(f->pool);
	http_free(f->http);
	server_free(f->server);
	loop_free(f->loop);
	buf_done(&f->last_request);
	buf_done(&f->body);
	buf_done(&f->streamed);
	mem_free(f);
	return 0;
}

static void on_done(void *arg, const struct http_answer *a, const struct err *err)
{
	struct fix *f = arg;

	f->done++;
	if (a == NULL) {
		f->err = *err;
		return;
	}
	f->status = a->status;
	f->retry_after_ms = a->retry_after_ms;
	f->date_ms = a->date_ms;
	if (a->body.len > 0)
		assert_int_equal(buf_add(&f->body, a->body.data, a->body.len, &f->err), 0);
}

static void on_body(void *arg, const char *bytes, size_t len)
{
	struct fix *f = arg;

	f->stream_calls++;
	assert_int_equal(buf_add(&f->streamed, bytes, len, &f->err), 0);
}

static struct http_spec spec_of(struct fix *f)
{
	return (
	    struct http_spec){ .url = f->url, .on_done = on_done, .arg = f, .timeout_ms = 20000 };
}

static void run_until_done(struct fix *f, int count)
{
	int64_t end_ms = clock_boot_ms() + 20000;

	while (f->done < count && clock_boot_ms() < end_ms)
		loop_turn(f->loop, 1000);
	assert_int_equal(f->done, count);
}

static void answer_hello(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)request;
	server_send(
	    c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
	       "X-Two: a\r\nX-Two: b\r\n\r\nhello");
}

static void gets_an_answer(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = answer_hello;
	spec.bearer = "secret";
	spec.headers = (const char *const[]){ "Accept: application/json", NULL };
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	assert_int_equal(f->done, 0);
	run_until_done(f, 1);
	assert_int_equal(f->status, 200);
	assert_string_equal(buf_str(&f->body), "hello");
	assert_int_equal(f->date_ms, 784111777000);
	assert_int_equal(f->retry_after_ms, -1);
	assert_non_null(strstr(buf_str(&f->last_request), "GET /a/b?c=d HTTP/1.1\r\n"));
	assert_non_null(strstr(buf_str(&f->last_request), "Authorization: Bearer secret\r\n"));
	assert_non_null(strstr(buf_str(&f->last_request), "Accept: application/json\r\n"));
	assert_non_null(strstr(buf_str(&f->last_request), "User-Agent: test/1\r\n"));
}

static void sends_a_body_with_any_method(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = answer_hello;
	spec.method = "DELETE";
	spec.body = "{\"a\":1}";
	spec.body_len = 7;
	spec.headers = (const char *const[]){ "Content-Type: application/json", NULL };
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	run_until_done(f, 1);
	assert_non_null(strstr(buf_str(&f->last_request), "DELETE /a/b?c=d HTTP/1.1\r\n"));
	assert_non_null(strstr(buf_str(&f->last_request), "Content-Type: application/json\r\n"));
	assert_non_null(strstr(buf_str(&f->last_request), "\r\n\r\n{\"a\":1}"));
	assert_null(strstr(buf_str(&f->last_request), "Expect:"));
}

static void answer_429(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)request;
	server_send(c, "HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nslow");
}

static void an_error_status_is_an_answer_with_its_body_and_retry_time(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = answer_429;
	spec.on_body = on_body;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	run_until_done(f, 1);
	assert_int_equal(f->status, 429);
	assert_int_equal(f->retry_after_ms, 7000);
	assert_string_equal(buf_str(&f->body), "slow");
	assert_int_equal(f->stream_calls, 0);
}

static void reuses_connections_within_a_pool_and_not_between_pools(void **state)
{
	struct fix *f = *state;
	struct http_pool *second = NULL;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = answer_hello;
	assert_int_equal(http_pool_new(f->http, &(struct http_tls){ 0 }, &second, &err), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
		run_until_done(f, i + 1);
		http_request_free(f->r);
		f->r = NULL;
	}
	assert_int_equal(server_accepted(f->server), 1);
	assert_int_equal(http_start(second, &spec, &f->r, &err), 0);
	run_until_done(f, 4);
	assert_int_equal(server_accepted(f->server), 2);
	http_request_free(f->r);
	f->r = NULL;
	http_pool_free(second);
}

static void begin_stream(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)request;
	server_send(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
}

static void streams_bytes_as_they_come(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = begin_stream;
	spec.on_body = on_body;
	spec.timeout_ms = 0;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	while (f->streamed.len < 4)
		loop_turn(f->loop, 1000);
	assert_string_equal(buf_str(&f->streamed), "one\n");
	server_send(f->last_conn, "4\r\ntwo\n\r\n");
	while (f->streamed.len < 8)
		loop_turn(f->loop, 1000);
	assert_string_equal(buf_str(&f->streamed), "one\ntwo\n");
	assert_int_equal(f->done, 0);
	server_send(f->last_conn, "0\r\n\r\n");
	run_until_done(f, 1);
	assert_int_equal(f->status, 200);
	assert_int_equal(f->body.len, 0);
}

static void a_stream_that_is_cut_ends_with_an_unknown_outcome(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = begin_stream;
	spec.on_body = on_body;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	while (f->streamed.len < 4)
		loop_turn(f->loop, 1000);
	server_close(f->last_conn);
	run_until_done(f, 1);
	assert_int_equal(f->err.code, ERR_TIMEOUT);
	assert_non_null(strstr(f->err.text, "GET /a/b: "));
}

static void say_nothing(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)c;
	(void)request;
}

static void no_answer_in_time_is_a_timeout(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = say_nothing;
	spec.timeout_ms = 30;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	run_until_done(f, 1);
	assert_int_equal(f->err.code, ERR_TIMEOUT);
}

static void a_server_that_is_not_there_is_unavailable(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	server_free(f->server);
	f->server = NULL;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	run_until_done(f, 1);
	assert_int_equal(f->err.code, ERR_UNAVAILABLE);
}

static void answer_big(void *arg, struct server_conn *c, const char *request)
{
	AUTO(mem_freep) char *zeros = mem_alloc(100000);

	(void)arg;
	(void)request;
	memset(zeros, 'z', 100000);
	server_send(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
	server_sendn(c, zeros, 100000);
}

static void an_answer_above_the_limit_is_refused(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = answer_big;
	spec.max_body = 99999;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	run_until_done(f, 1);
	assert_int_equal(f->err.code, ERR_TOO_BIG);
	assert_string_equal(f->err.text, "GET /a/b: answer longer than 99999 bytes");
	f->err = (struct err){ 0 };
	http_request_free(f->r);
	spec.max_body = 100000;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	run_until_done(f, 2);
	assert_int_equal(f->body.len, 100000);
}

static void free_both(void *arg, const char *bytes, size_t len)
{
	struct fix *f = arg;

	(void)bytes;
	(void)len;
	f->stream_calls++;
	http_request_free(f->r);
	http_request_free(f->other);
	f->r = NULL;
	f->other = NULL;
}

static void a_callback_may_free_its_request_and_others(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	f->handler = begin_stream;
	spec.on_body = free_both;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	assert_int_equal(http_start(f->pool, &spec, &f->other, &err), 0);
	while (f->stream_calls == 0)
		loop_turn(f->loop, 1000);
	for (int i = 0; i < 10; i++)
		loop_turn(f->loop, 0);
	assert_int_equal(f->stream_calls, 1);
	assert_int_equal(f->done, 0);
}

static void refuses_lines_that_would_split_a_header(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };

	spec.bearer = "a\r\nX: y";
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), ERR_INVALID);
	err_clear(&err);
	spec.bearer = NULL;
	spec.headers = (const char *const[]){ "A: b\nC: d", NULL };
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), ERR_INVALID);
	err_clear(&err);
	spec.headers = NULL;
	spec.url = "no url";
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), ERR_INVALID);
}

static void on_post(void *arg)
{
	++*(int *)arg;
}

static void posted_functions_and_timers_run_while_it_waits(void **state)
{
	struct fix *f = *state;
	struct http_spec spec = spec_of(f);
	struct err err = { 0 };
	int count = 0;

	f->handler = say_nothing;
	assert_int_equal(http_start(f->pool, &spec, &f->r, &err), 0);
	for (int i = 0; i < 5; i++)
		loop_turn(f->loop, 1);
	loop_post(f->loop, on_post, &count);
	loop_turn(f->loop, -1);
	assert_int_equal(count, 1);
	f->timer = timer_new(f->loop, "t", on_post, &count);
	timer_start(f->timer, 1);
	while (count < 2)
		loop_turn(f->loop, -1);
}

static void escapes_query_values(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 100 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(http_escape("a=b,c/d e\xc3\xa4~", &b, &err), 0);
	assert_string_equal(buf_str(&b), "a%3Db%2Cc%2Fd%20e%C3%A4~");
}

#define T(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(gets_an_answer),
		T(sends_a_body_with_any_method),
		T(an_error_status_is_an_answer_with_its_body_and_retry_time),
		T(reuses_connections_within_a_pool_and_not_between_pools),
		T(streams_bytes_as_they_come),
		T(a_stream_that_is_cut_ends_with_an_unknown_outcome),
		T(no_answer_in_time_is_a_timeout),
		T(a_server_that_is_not_there_is_unavailable),
		T(an_answer_above_the_limit_is_refused),
		T(a_callback_may_free_its_request_and_others),
		T(refuses_lines_that_would_split_a_header),
		T(posted_functions_and_timers_run_while_it_waits),
		cmocka_unit_test(escapes_query_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
