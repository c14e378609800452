/* listen.c - a server's socket and its connections; see conn.h. */
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "h2/conn_int.h"

enum { BACKLOG = 256, ACCEPTS = 32, PAUSE_MS = 100 };

struct h2_listener {
	struct loop *loop; /* borrowed */
	int fd;            /* owned */
	int port;
	struct fd_watch *watch; /* owned */
	struct timer *pause;    /* owned; after running out of descriptors */
	struct h2_service service;
	struct list conns;
};

static void wake(void *arg)
{
	struct h2_conn *c = arg;

	if (c->watch != NULL)
		fd_watch_set(c->watch, LOOP_READ | LOOP_WRITE);
}

static int welcome(struct h2_listener *l, int fd, struct err *err)
{
	struct h2_conn *c = NULL;

	if (h2_conn_new(l->loop, fd, &c, err) < 0)
		return err->code;
	if (tls_new(l->service.config, NULL, &c->tls, err) < 0) {
		h2_conn_free(c); /* closes fd */
		return 0;
	}
	c->h2 = h2_server_new(l->service.handler, l->service.arg);
	h2_on_wake(c->h2, wake, c);
	list_add(&l->conns, &c->link);
	return 0;
}

static void on_ready(void *arg, int ready)
{
	struct h2_listener *l = arg;

	(void)ready;
	for (int i = 0; i < ACCEPTS; i++) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct err err = { 0 };

		if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
			fd_watch_set(l->watch, 0);
			timer_start(l->pause, PAUSE_MS);
			return;
		}
		if (fd < 0)
			continue;
		if (l->conns.count >= H2_MAX_CONNS || welcome(l, fd, &err) < 0)
			file_closep(&fd);
	}
}

static void on_pause_over(void *arg)
{
	struct h2_listener *l = arg;

	fd_watch_set(l->watch, LOOP_READ);
}

static int bind_socket(struct h2_listener *l, const char *address, struct err *err)
{
	struct resolve_address a = { 0 };
	struct sockaddr_storage got = { 0 };
	socklen_t len = sizeof(got);
	char host[RESOLVE_HOST] = "";
	in_port_t port_bytes = 0;
	int one = 1;
	int port = 0;

	if (resolve_split(address, host, &port, err) < 0)
		return err->code;
	if (!resolve_numeric(host, port, &a))
		return err_set(err, ERR_INVALID, "\"%s\" is not a numeric address", host);
	l->fd = socket(a.addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return err_errno(err, errno, "socket");
	if (setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
	    bind(l->fd, (struct sockaddr *)&a.addr, a.len) < 0)
		return err_errno(err, errno, "bind %s", address);
	if (listen(l->fd, BACKLOG) < 0)
		return err_errno(err, errno, "listen %s", address);
	if (getsockname(l->fd, (struct sockaddr *)&got, &len) < 0)
		return err_errno(err, errno, "getsockname");
	/* The port lies at the same place for both families. */
	memcpy(&port_bytes, (char *)&got + offsetof(struct sockaddr_in, sin_port),
	       sizeof(port_bytes));
	l->port = ntohs(port_bytes);
	return 0;
}

int h2_listen(struct loop *loop, const char *address, const struct h2_service *service,
	      struct h2_listener **ret, struct err *err)
{
	struct h2_listener *l = NEW(struct h2_listener);

	l->loop = loop;
	l->fd = -1;
	l->service = *service;
	l->pause = timer_new(loop, "accept", on_pause_over, l);
	if (bind_socket(l, address, err) < 0 ||
	    fd_watch_new(loop, "accept", l->fd, LOOP_READ, on_ready, l, &l->watch, err) < 0) {
		h2_listener_free(l);
		return err->code;
	}
	*ret = l;
	return 0;
}

int h2_listener_port(const struct h2_listener *l)
{
	return l->port;
}

void h2_listener_free(struct h2_listener *l)
{
	if (l == NULL)
		return;
	fd_watch_free(l->watch);
	timer_free(l->pause);
	file_closep(&l->fd);
	while (l->conns.first != NULL) {
		struct h2_conn *c = LIST_FIRST(&l->conns, struct h2_conn, link);

		list_remove(&c->link);
		h2_conn_free(c);
	}
	mem_free(l);
}
