/* test_conn.c - a listener and a client on loopback, both on one loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/work.h"
#include "h2/conn.h"
#include "tls/cert.h"
#include "tls/tls.h"

struct net {
	struct loop *loop;
	struct work_pool *pool;
	struct tls_config *server_config, *client_config;
	struct h2_listener *listener;
	struct h2_conn *conn;
	struct h2 *h2;
	int opened, ended, answers, status, closes;
	size_t body_len;
	bool free_on_body;
	struct h2_stream *stream; /* at the server */
	struct err err;
};

static char BIG[3 << 20];

static void on_head(void *arg, struct h2_stream *s, const struct h2_request *r, size_t *ret_max)
{
	(void)arg;
	(void)s;
	(void)r;
	*ret_max = sizeof(BIG);
}

static void on_request(void *arg, struct h2_stream *s, const struct h2_request *r, const void *body,
		       size_t len)
{
	struct net *n = arg;

	if (strcmp(r->path, "/stream") == 0) {
		n->stream = s;
		h2_respond_stream(s, 200, NULL, 0, 8 << 20);
	} else if (strcmp(r->path, "/echo") == 0) {
		h2_respond(s, 200, NULL, 0, body, len);
	} else {
		h2_respond_with(s, 200, NULL, 0, &(struct h2_body){ BIG, sizeof(BIG), NULL, NULL });
	}
}

static void on_close(void *arg, struct h2_stream *s)
{
	struct net *n = arg;

	n->closes++;
	if (n->stream == s)
		n->stream = NULL;
}

static const struct h2_handler HANDLER = { .on_head = on_head,
					   .on_request = on_request,
					   .on_close = on_close };

static void on_open(void *arg, struct h2_conn *c, struct h2 *h)
{
	struct net *n = arg;

	assert_ptr_equal(c, n->conn);
	n->h2 = h;
	n->opened++;
}

static void on_end(void *arg, struct h2_conn *c, const struct err *err)
{
	struct net *n = arg;

	(void)c;
	n->conn = NULL;
	n->h2 = NULL;
	n->ended++;
	n->err = *err;
}

static const struct h2_conn_events EVENTS = { on_open, on_end };

static void on_body(void *arg, struct h2_stream *s, const void *bytes, size_t len)
{
	struct net *n = arg;

	(void)s;
	(void)bytes;
	n->body_len += len;
	if (n->free_on_body) {
		n->free_on_body = false;
		h2_conn_free(MOVE(n->conn));
	}
}

static void on_answer(void *arg, struct h2_stream *s, int status, const struct err *err)
{
	struct net *n = arg;

	(void)s;
	(void)err;
	n->status = status;
	n->answers++;
}

static const struct h2_client CLIENT = { NULL, on_body, on_answer };

static void net_done(struct net *n)
{
	h2_conn_free(n->conn);
	h2_listener_free(n->listener);
	work_pool_free(n->pool);
	tls_config_free(n->client_config);
	tls_config_free(n->server_config);
	loop_free(n->loop);
}

static void connect_to(struct net *n, const char *host, int port)
{
	struct err err = { 0 };
	char address[64];

	snprintf(address, sizeof(address), "%s:%d", host, port);
	assert_int_equal(
	    h2_connect(&(struct h2_target){ n->loop, n->pool, address, n->client_config }, &EVENTS,
		       n, &n->conn, &err),
	    0);
}

static void net_make(struct net *n)
{
	AUTO(tls_pair_done) struct tls_pair ca = { 0 };
	AUTO(tls_pair_done) struct tls_pair cert = { 0 };
	static const char *const names[] = { "127.0.0.1", NULL };
	struct err err = { 0 };

	*n = (struct net){ 0 };
	tls_make_ca("kwarp", clock_wall_ms(), 30, &ca);
	assert_int_equal(tls_make_server(&ca, names, clock_wall_ms(), 30, &cert, &err), 0);
	assert_int_equal(tls_server_new(cert.cert, cert.key, &n->server_config, &err), 0);
	assert_int_equal(tls_client_new(ca.cert, &n->client_config, &err), 0);
	assert_int_equal(loop_new(&n->loop, &err), 0);
	assert_int_equal(work_pool_new(n->loop, 1, &n->pool, &err), 0);
	assert_int_equal(h2_listen(n->loop, "127.0.0.1:0",
				   &(struct h2_service){ n->server_config, &HANDLER, n },
				   &n->listener, &err),
			 0);
}

static void turn_until(struct net *n, const int *counter, int value)
{
	int64_t end = clock_boot_ms() + 20000;

	while (*counter < value && clock_boot_ms() < end)
		loop_turn(n->loop, 100);
	assert_true(*counter >= value);
}

static void ask(struct net *n, const char *path, const void *body, size_t len)
{
	struct h2_request r = { .method = "POST", .path = path };

	assert_non_null(h2_request(n->h2, &r, body, len, &CLIENT, n));
}

static void large_bodies_pass_both_ways(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.1", h2_listener_port(n.listener));
	turn_until(&n, &n.opened, 1);
	ask(&n, "/big", NULL, 0);
	turn_until(&n, &n.answers, 1);
	assert_int_equal(n.body_len, sizeof(BIG));
	ask(&n, "/echo", BIG, sizeof(BIG));
	turn_until(&n, &n.answers, 2);
	assert_int_equal(n.status, 200);
	assert_int_equal(n.body_len, 2 * sizeof(BIG));
}

static void what_the_server_writes_later_arrives(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.1", h2_listener_port(n.listener));
	turn_until(&n, &n.opened, 1);
	ask(&n, "/stream", NULL, 0);
	while (n.stream == NULL)
		loop_turn(n.loop, 100);
	loop_turn(n.loop, 0);
	assert_true(h2_write(n.stream, BIG, sizeof(BIG)));
	while (n.body_len < sizeof(BIG))
		loop_turn(n.loop, 100);
	h2_end(n.stream);
	turn_until(&n, &n.answers, 1);
	turn_until(&n, &n.closes, 1);
}

static void a_connection_may_be_freed_from_its_callback(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.1", h2_listener_port(n.listener));
	turn_until(&n, &n.opened, 1);
	n.free_on_body = true;
	ask(&n, "/big", NULL, 0);
	turn_until(&n, &n.answers, 1);
	turn_until(&n, &n.closes, 1);
	assert_int_equal(n.ended, 0);
}

static void the_end_of_the_server_is_heard(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.1", h2_listener_port(n.listener));
	turn_until(&n, &n.opened, 1);
	ask(&n, "/stream", NULL, 0);
	while (n.stream == NULL)
		loop_turn(n.loop, 100);
	h2_listener_free(MOVE(n.listener));
	turn_until(&n, &n.ended, 1);
	assert_int_equal(n.answers, 1);
	assert_int_equal(n.closes, 1);
	assert_int_equal(n.err.code, ERR_UNAVAILABLE);
}

static void a_stopped_connection_ends_in_order(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.1", h2_listener_port(n.listener));
	turn_until(&n, &n.opened, 1);
	ask(&n, "/big", NULL, 0);
	h2_conn_stop(n.conn);
	turn_until(&n, &n.ended, 1);
	assert_int_equal(n.body_len, sizeof(BIG));
}

static void nobody_there_is_said(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.1", 1);
	turn_until(&n, &n.ended, 1);
	assert_int_equal(n.err.code, ERR_UNAVAILABLE);
	assert_string_equal(n.err.text, "connect 127.0.0.1:1: ECONNREFUSED");
}

static void a_host_without_certificate_is_denied(void **state)
{
	AUTO(net_done) struct net n;

	(void)state;
	net_make(&n);
	connect_to(&n, "127.0.0.2", h2_listener_port(n.listener));
	turn_until(&n, &n.ended, 1);
	assert_int_equal(n.opened, 0);
	/* 127.0.0.2 is not listened on, or has no certificate: never a session. */
	assert_true(n.err.code == ERR_DENIED || n.err.code == ERR_UNAVAILABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_bodies_pass_both_ways),
		cmocka_unit_test(what_the_server_writes_later_arrives),
		cmocka_unit_test(a_connection_may_be_freed_from_its_callback),
		cmocka_unit_test(the_end_of_the_server_is_heard),
		cmocka_unit_test(a_stopped_connection_ends_in_order),
		cmocka_unit_test(nobody_there_is_said),
		cmocka_unit_test(a_host_without_certificate_is_denied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
