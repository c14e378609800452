/* conn.c - moving bytes between a socket, TLS and HTTP/2; see conn.h. */
#include "h2/conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "h2/conn_int.h"

enum {
	READ_SIZE = 16 << 10,
	OUT_SIZE = 64 << 10,
	ROUNDS = 8, /* of reading or writing before others get their turn */
	TICK_MS = 1000,
	KEEP_IDLE_S = 10,
	KEEP_EVERY_S = 5,
	KEEP_COUNT = 3,
};

void h2_conn_enter(struct h2_conn *c)
{
	c->busy++;
}

static void destroy(struct h2_conn *c)
{
	struct h2 *h2 = MOVE(c->h2);

	/* Streams that end here may call h2_conn_free again. */
	c->busy++;
	h2_free(h2);
	list_remove(&c->link);
	resolve_cancel(c->question);
	h2_conn_detach(c);
	timer_free(c->tick);
	tls_free(c->tls);
	buf_done(&c->out);
	mem_free(c->authority);
	mem_free(c);
}

void h2_conn_leave(struct h2_conn *c)
{
	c->busy--;
	if (c->doomed && c->busy == 0)
		destroy(c);
}

void h2_conn_free(struct h2_conn *c)
{
	if (c == NULL || c->doomed)
		return;
	c->doomed = true;
	if (c->busy == 0)
		destroy(c);
}

void h2_conn_over(struct h2_conn *c, const struct err *err)
{
	struct h2 *h2 = MOVE(c->h2);

	if (c->doomed) {
		h2_free(h2);
		return;
	}
	h2_conn_enter(c);
	h2_free(h2);
	if (c->events != NULL && !c->doomed)
		c->events->on_end(c->arg, c, err);
	c->doomed = true;
	h2_conn_leave(c);
}

/* Move waiting bytes into c->out. True if something is there to be written. */
static int fill(struct h2_conn *c, struct err *err)
{
	AUTO(buf_done) struct buf plain = { .max = READ_SIZE };

	if (c->out.len == 0 && !tls_has_output(c->tls) && c->h2 != NULL && tls_is_ready(c->tls)) {
		if (h2_output(c->h2, &plain, err) < 0)
			return err->code;
		if (plain.len > 0 && tls_write(c->tls, plain.data, plain.len, err) < 0)
			return err->code;
	}
	tls_output(c->tls, &c->out);
	return 0;
}

/* 1: all written; 0: the socket is full. */
static int write_out(struct h2_conn *c, struct err *err)
{
	while (c->out.len > 0) {
		ssize_t n = send(c->fd, c->out.data, c->out.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n < 0)
			return err_errno(err, errno, "send");
		buf_drop(&c->out, (size_t)n);
	}
	buf_done(&c->out);
	return 1;
}

static bool wants_write(const struct h2_conn *c)
{
	return c->out.len > 0 || tls_has_output(c->tls) ||
	       (c->h2 != NULL && tls_is_ready(c->tls) && h2_wants_output(c->h2));
}

static int flush(struct h2_conn *c, struct err *err)
{
	for (int i = 0; i < ROUNDS && wants_write(c); i++) {
		int rc;

		if (fill(c, err) < 0)
			return err->code;
		rc = write_out(c, err);
		if (rc < 0)
			return err->code;
		if (rc == 0)
			break;
	}
	fd_watch_set(c->watch, LOOP_READ | (wants_write(c) ? LOOP_WRITE : 0));
	return 0;
}

static int open_session(struct h2_conn *c)
{
	c->open_by_ms = 0;
	c->trust_by_ms = loop_now_ms(c->loop) + H2_TRUST_MS;
	if (c->is_client && !c->doomed)
		c->events->on_open(c->arg, c, c->h2);
	return 0;
}

static int take_plain(struct h2_conn *c, struct err *err)
{
	char text[READ_SIZE];
	size_t n;

	for (;;) {
		if (tls_read(c->tls, text, sizeof(text), &n, err) < 0)
			return err->code;
		if (n == 0)
			return 0;
		if (h2_input(c->h2, text, n, err) < 0)
			return err->code;
		if (c->doomed)
			return 0;
	}
}

/* *ret_more: the socket may hold more. */
static int take_bytes(struct h2_conn *c, bool *ret_more, struct err *err)
{
	char bytes[READ_SIZE];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), 0);
	bool was_ready = tls_is_ready(c->tls);

	*ret_more = n == (ssize_t)sizeof(bytes);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return 0;
	if (n < 0)
		return err_errno(err, errno, "recv");
	if (n == 0)
		return err_set(err, ERR_UNAVAILABLE, "the peer closed the connection");
	if (tls_input(c->tls, bytes, (size_t)n, err) < 0)
		return err->code;
	if (!was_ready && tls_is_ready(c->tls))
		open_session(c);
	if (!tls_is_ready(c->tls) || c->doomed)
		return 0;
	if (take_plain(c, err) < 0)
		return err->code;
	if (tls_is_ended(c->tls))
		return err_set(err, ERR_UNAVAILABLE, "the peer ended the connection");
	return 0;
}

static int take_input(struct h2_conn *c, struct err *err)
{
	bool more = true;

	for (int i = 0; i < ROUNDS && more && !c->doomed; i++) {
		if (take_bytes(c, &more, err) < 0)
			return err->code;
	}
	return 0;
}

/* Try to get an alert or GOAWAY out, then end. */
static void fail(struct h2_conn *c, const struct err *err)
{
	struct err more = { 0 };

	if (c->tls != NULL && c->fd >= 0) {
		tls_output(c->tls, &c->out);
		if (err->code == ERR_PROTOCOL && tls_is_ready(c->tls) && c->h2 != NULL &&
		    fill(c, &more) < 0)
			err_clear(&more);
		(void)(write_out(c, &more) == 0);
	}
	h2_conn_over(c, err);
}

static void on_ready(void *arg, int ready)
{
	struct h2_conn *c = arg;
	struct err err = { 0 };

	h2_conn_enter(c);
	if (c->connecting) {
		h2_conn_connected(c);
	} else if (((ready & (LOOP_READ | LOOP_HANGUP)) != 0 && take_input(c, &err) < 0) ||
		   (!c->doomed && flush(c, &err) < 0)) {
		fail(c, &err);
	} else if (!c->doomed && c->h2 != NULL && h2_is_over(c->h2) && !wants_write(c)) {
		tls_end(c->tls);
		(void)(flush(c, &err) == 0);
		err_clear(&err);
		h2_conn_over(c, &err);
	}
	h2_conn_leave(c);
}

static int check_deadlines(struct h2_conn *c, int64_t now, struct err *err)
{
	if (c->open_by_ms != 0) {
		if (now >= c->open_by_ms)
			return err_set(err, ERR_TIMEOUT, "no connection in %d s",
				       H2_OPEN_MS / 1000);
		return 0;
	}
	if (c->stop_by_ms != 0 && (now >= c->stop_by_ms || h2_is_over(c->h2)))
		return err_set(err, ERR_UNAVAILABLE, "stopped");
	if (h2_stream_count(c->h2) > 0)
		c->idle_ms = 0;
	else if (c->idle_ms == 0)
		c->idle_ms = now;
	if (!c->is_client && !h2_is_trusted(c->h2) && now >= c->trust_by_ms)
		return err_set(err, ERR_TIMEOUT, "no valid request in %d s", H2_TRUST_MS / 1000);
	if (!c->is_client && c->idle_ms != 0 && now - c->idle_ms >= H2_IDLE_MS)
		return err_set(err, ERR_TIMEOUT, "idle");
	return h2_tick(c->h2, now, err);
}

static void on_tick(void *arg)
{
	struct h2_conn *c = arg;
	struct err err = { 0 };

	h2_conn_enter(c);
	timer_start(c->tick, TICK_MS);
	if (check_deadlines(c, loop_now_ms(c->loop), &err) < 0 ||
	    (c->tls != NULL && c->watch != NULL && !c->connecting && flush(c, &err) < 0))
		fail(c, &err);
	h2_conn_leave(c);
}

int h2_conn_new(struct loop *l, int fd, struct h2_conn **ret, struct err *err)
{
	struct h2_conn *c = NEW(struct h2_conn);

	c->loop = l;
	c->fd = -1;
	c->out.max = OUT_SIZE;
	c->open_by_ms = loop_now_ms(l) + H2_OPEN_MS;
	c->tick = timer_new(l, "h2 connection", on_tick, c);
	timer_start(c->tick, TICK_MS);
	if (fd >= 0 && h2_conn_attach(c, fd, LOOP_READ, err) < 0) {
		h2_conn_free(c);
		return err->code;
	}
	*ret = c;
	return 0;
}

static void set_option(int fd, int level, int option, int value)
{
	/* Best effort: these make a dead peer known earlier, nothing depends on them. */
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

int h2_conn_attach(struct h2_conn *c, int fd, int events, struct err *err)
{
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_EVERY_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT);
	if (fd_watch_new(c->loop, "h2 connection", fd, events, on_ready, c, &c->watch, err) < 0)
		return err->code;
	c->fd = fd;
	return 0;
}

void h2_conn_detach(struct h2_conn *c)
{
	fd_watch_free(MOVE(c->watch));
	file_closep(&c->fd);
}

void h2_conn_stop(struct h2_conn *c)
{
	if (c->h2 == NULL || c->stop_by_ms != 0)
		return;
	c->stop_by_ms = loop_now_ms(c->loop) + H2_LINGER_MS;
	h2_stop(c->h2);
}
