/* server.c - see server.h. */
#include "server.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"

struct server_conn {
	struct server *server;
	int fd;
	struct fd_watch *watch;
	struct buf in;
	struct buf out;
	struct list_link link;
};

struct server {
	struct loop *loop;
	int fd;
	struct fd_watch *watch;
	server_fn on_request;
	void *arg;
	struct list conns;
	size_t accepted;
	struct server_conn *busy; /* its request is being handled */
	bool busy_closed;
};

void server_close(struct server_conn *c)
{
	if (c == c->server->busy)
		c->server->busy_closed = true;
	fd_watch_free(c->watch);
	file_closep(&c->fd);
	list_remove(&c->link);
	buf_done(&c->in);
	buf_done(&c->out);
	mem_free(c);
}

static void push(struct server_conn *c)
{
	while (c->out.len > 0) {
		ssize_t n = send(c->fd, c->out.data, c->out.len, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		buf_drop(&c->out, (size_t)n);
	}
	fd_watch_set(c->watch, c->out.len > 0 ? LOOP_READ | LOOP_WRITE : LOOP_READ);
}

void server_sendn(struct server_conn *c, const char *bytes, size_t len)
{
	struct err err = { 0 };

	ASSERT(buf_add(&c->out, bytes, len, &err) == 0);
	push(c);
}

void server_send(struct server_conn *c, const char *bytes)
{
	server_sendn(c, bytes, strlen(bytes));
}

/* Bytes of the whole first request, 0 if it has not all come. */
static size_t whole_request(const struct buf *in)
{
	const char *end = strstr(buf_str(in), "\r\n\r\n");
	const char *length = strcasestr(buf_str(in), "\r\nContent-Length:");
	size_t head;
	size_t body = 0;

	if (end == NULL)
		return 0;
	head = (size_t)(end - buf_str(in)) + 4;
	if (length != NULL && length < end)
		body = (size_t)atoi(length + 17);
	return in->len >= head + body ? head + body : 0;
}

static void on_conn(void *arg, int ready)
{
	struct server_conn *c = arg;
	struct server *s = c->server;
	char bytes[65536];
	struct err err = { 0 };
	ssize_t n;
	size_t len;

	if (ready & LOOP_WRITE)
		push(c);
	n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (n == 0) {
		server_close(c);
		return;
	}
	if (n > 0)
		ASSERT(buf_add(&c->in, bytes, (size_t)n, &err) == 0);
	while ((len = whole_request(&c->in)) > 0) {
		AUTO(mem_freep) char *request = mem_strndup(c->in.data, len);

		buf_drop(&c->in, len);
		s->busy = c;
		s->busy_closed = false;
		s->on_request(s->arg, c, request);
		s->busy = NULL;
		if (s->busy_closed)
			return;
	}
}

static void on_accept(void *arg, int ready)
{
	struct server *s = arg;
	struct server_conn *c = NEW(struct server_conn);
	struct err err = { 0 };

	(void)ready;
	c->server = s;
	c->in.max = 16 << 20;
	c->out.max = 128 << 20;
	c->fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	ASSERT(c->fd >= 0);
	ASSERT(fd_watch_new(s->loop, "conn", c->fd, LOOP_READ, on_conn, c, &c->watch, &err) == 0);
	list_add(&s->conns, &c->link);
	s->accepted++;
}

struct server *server_new(struct loop *l, server_fn on_request, void *arg)
{
	struct server *s = NEW(struct server);
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct err err = { 0 };

	s->loop = l;
	s->on_request = on_request;
	s->arg = arg;
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ASSERT(s->fd >= 0);
	ASSERT(bind(s->fd, (struct sockaddr *)&a, sizeof(a)) == 0);
	ASSERT(listen(s->fd, 64) == 0);
	ASSERT(fd_watch_new(l, "accept", s->fd, LOOP_READ, on_accept, s, &s->watch, &err) == 0);
	return s;
}

void server_free(struct server *s)
{
	if (s == NULL)
		return;
	while (s->conns.first != NULL)
		server_close(LIST_FIRST(&s->conns, struct server_conn, link));
	fd_watch_free(s->watch);
	file_closep(&s->fd);
	mem_free(s);
}

int server_port(const struct server *s)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	ASSERT(getsockname(s->fd, (struct sockaddr *)&a, &len) == 0);
	return ntohs(a.sin_port);
}

size_t server_accepted(const struct server *s)
{
	return s->accepted;
}
