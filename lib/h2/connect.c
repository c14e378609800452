/* connect.c - a client's connection: resolve, connect, hand over to TLS; see conn.h. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "h2/conn_int.h"

static void wake(void *arg)
{
	struct h2_conn *c = arg;

	if (c->watch != NULL && !c->connecting)
		fd_watch_set(c->watch, LOOP_READ | LOOP_WRITE);
}

/* Begin with the next address. An attempt that fails at once goes on to the one after it. */
static int try_next(struct h2_conn *c, struct err *err)
{
	int error = 0;

	h2_conn_detach(c);
	while (c->next_address < c->n_addresses) {
		const struct resolve_address *a = &c->addresses[c->next_address++];
		int fd = socket(a->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		error = errno;
		if (fd < 0)
			continue;
		if (connect(fd, (const struct sockaddr *)&a->addr, a->len) < 0 &&
		    errno != EINPROGRESS) {
			error = errno;
			file_closep(&fd);
			continue;
		}
		if (h2_conn_attach(c, fd, LOOP_WRITE, err) < 0) {
			file_closep(&fd);
			return err->code;
		}
		c->connecting = true;
		return 0;
	}
	return err_errno(err, error != 0 ? error : ECONNREFUSED, "connect %s", c->authority);
}

void h2_conn_connected(struct h2_conn *c)
{
	struct err err = { 0 };
	socklen_t len = sizeof(int);
	int error = 0;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error != 0 && c->next_address < c->n_addresses) {
		if (try_next(c, &err) == 0)
			return;
	} else if (error != 0) {
		err_errno(&err, error, "connect %s", c->authority);
	} else if (tls_new(c->config, c->host, &c->tls, &err) == 0) {
		c->connecting = false;
		c->h2 = h2_client_new(c->authority);
		h2_on_wake(c->h2, wake, c);
		fd_watch_set(c->watch, LOOP_READ | LOOP_WRITE);
		return;
	}
	h2_conn_over(c, &err);
}

static void on_addresses(void *arg, const struct resolve_address *list, size_t n,
			 const struct err *why)
{
	struct h2_conn *c = arg;
	struct err err = *why;

	c->question = NULL;
	h2_conn_enter(c);
	if (n > 0) {
		memcpy(c->addresses, list, n * sizeof(*list));
		c->n_addresses = n;
	}
	if (err.code < 0 || try_next(c, &err) < 0)
		h2_conn_over(c, &err);
	h2_conn_leave(c);
}

int h2_connect(const struct h2_target *target, const struct h2_conn_events *events, void *arg,
	       struct h2_conn **ret, struct err *err)
{
	struct h2_conn *c = NULL;
	int port;

	if (h2_conn_new(target->loop, -1, &c, err) < 0)
		return err->code;
	c->is_client = true;
	c->config = target->config;
	c->authority = mem_strdup(target->address);
	c->arg = arg;
	if (resolve_split(target->address, c->host, &port, err) < 0 ||
	    resolve_start(target->resolver, target->address, on_addresses, c, &c->question, err) <
		0) {
		h2_conn_free(c);
		return err->code;
	}
	c->events = events;
	*ret = c;
	return 0;
}
