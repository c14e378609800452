/*
 * test_cut.c - the connection between agent and controller is cut after every few bytes, in both
 * directions: whatever was lost, every chunk gets its one right answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "test/unit/fleet/plane.h"

enum { STEP = 230, LAST = 6000 };

/* Passes bytes on between one client and the server, until `budget` of them have passed. */
struct proxy {
	struct loop *loop;
	int listen_fd, port, to_port;
	struct fd_watch *accepting;
	int fd[2]; /* client, server; -1 */
	struct fd_watch *watch[2];
	size_t budget; /* of the next connection; SIZE_MAX: never cut */
	size_t left;   /* of this one */
	int cuts;
};

static void drop(struct proxy *p)
{
	for (int i = 0; i < 2; i++) {
		fd_watch_free(MOVE(p->watch[i]));
		file_closep(&p->fd[i]);
	}
}

static void cut(struct proxy *p)
{
	drop(p);
	p->cuts++;
	p->budget = SIZE_MAX;
}

static void pass(struct proxy *p, int from)
{
	char bytes[4096];
	size_t room = p->left < sizeof(bytes) ? p->left : sizeof(bytes);
	ssize_t n = recv(p->fd[from], bytes, room, 0);

	if (n <= 0) {
		drop(p);
		return;
	}
	for (ssize_t at = 0; at < n;) {
		ssize_t sent = send(p->fd[!from], bytes + at, (size_t)(n - at), MSG_NOSIGNAL);

		if (sent < 0) {
			drop(p);
			return;
		}
		at += sent;
	}
	if (p->left != SIZE_MAX)
		p->left -= (size_t)n;
	if (p->left == 0)
		cut(p);
}

static void on_client(void *arg, int ready)
{
	(void)ready;
	pass(arg, 0);
}

static void on_server(void *arg, int ready)
{
	(void)ready;
	pass(arg, 1);
}

static void on_accept(void *arg, int ready)
{
	struct proxy *p = arg;
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)p->to_port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct err err = { 0 };

	(void)ready;
	drop(p);
	p->fd[0] = accept4(p->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	p->fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(p->fd[0] >= 0 && p->fd[1] >= 0);
	p->left = p->budget;
	assert_int_equal(connect(p->fd[1], (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(
	    fd_watch_new(p->loop, "client", p->fd[0], LOOP_READ, on_client, p, &p->watch[0], &err),
	    0);
	assert_int_equal(
	    fd_watch_new(p->loop, "server", p->fd[1], LOOP_READ, on_server, p, &p->watch[1], &err),
	    0);
}

static void proxy_start(struct proxy *p, struct loop *loop, int to_port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	struct err err = { 0 };

	*p = (struct proxy){
		.loop = loop, .to_port = to_port, .fd = { -1, -1 }, .budget = SIZE_MAX
	};
	p->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(p->listen_fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(p->listen_fd, 8), 0);
	assert_int_equal(getsockname(p->listen_fd, (struct sockaddr *)&at, &len), 0);
	p->port = ntohs(at.sin_port);
	assert_int_equal(
	    fd_watch_new(loop, "proxy", p->listen_fd, LOOP_READ, on_accept, p, &p->accepting, &err),
	    0);
}

static void proxy_done(struct proxy *p)
{
	drop(p);
	fd_watch_free(p->accepting);
	file_closep(&p->listen_fd);
}

/* Each chunk of this order has been answered, and only rightly. */
static bool is_answered(const struct fleet *f, uint32_t first, uint32_t n)
{
	uint32_t seen = 0;

	for (int i = 0; i < f->n_results; i++) {
		if (f->results[i].chunk < first)
			continue;
		assert_int_equal(f->results[i].outcome, WIRE_OK);
		assert_int_equal(f->results[i].value, 10 * (1 + f->results[i].chunk));
		seen |= 1u << (f->results[i].chunk - first);
	}
	return seen == (1u << n) - 1;
}

static bool is_alive(const struct fleet *f, uint32_t first)
{
	for (int i = 0; i < f->n_alive; i++) {
		if (f->alive[i] == first)
			return true;
	}
	return false;
}

static void a_connection_cut_anywhere_loses_nothing(void **state)
{
	AUTO(fleet_done) struct fleet f;
	struct proxy p;
	char address[32];
	uint32_t first = 0;

	(void)state;
	fleet_make(&f);
	f.take = SERVE_DECIDED;
	proxy_start(&p, f.loop, serve_port(f.serve));
	snprintf(address, sizeof(address), "127.0.0.1:%d", p.port);
	fleet_start_agent(&f, address, "secret");
	fleet_until(&f, &f.offered, 1);
	for (size_t budget = 1; budget < LAST; budget += STEP, first += 3) {
		int registered = f.registered;
		int tries = 0;

		/* The next connection will be cut. Ask as soon as there is a session, and again
		 * (as the controller would) when the node has lost the order. */
		p.budget = budget;
		drop(&p);
		fleet_until(&f, &f.registered, registered + 1);
		f.n_results = 0;
		fleet_send_order(&f, first, 3, 1, 20000);
		while (!is_answered(&f, first, 3)) {
			int offered = f.offered;

			loop_turn(f.loop, 100);
			if (f.offered > offered && !is_alive(&f, first) &&
			    !is_answered(&f, first, 3)) {
				fleet_send_order(&f, first, 3, 1, 20000);
				tries++;
			}
			assert_true(tries < 10);
		}
	}
	assert_true(p.cuts > 15);
	proxy_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection_cut_anywhere_loses_nothing),
	};

	fleet_setup();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
