/*
 * conn_int.h - a connection as its two makers (listen.c, connect.c) see it.
 */
#ifndef H2_CONN_INT_H
#define H2_CONN_INT_H

#include "base/list.h"
#include "base/loop.h"
#include "base/resolve.h"
#include "h2/conn.h"
#include "tls/tls.h"

struct h2_conn {
	struct loop *loop;      /* borrowed */
	int fd;                 /* owned; -1 while there is none */
	struct fd_watch *watch; /* owned */
	struct timer *tick;     /* owned */
	struct tls *tls;        /* owned */
	struct h2 *h2;          /* owned */
	struct buf out;         /* cipher text on its way to the socket */
	int64_t open_by_ms;     /* deadline of the handshake; 0 once it is done */
	int64_t trust_by_ms;    /* server */
	int64_t idle_ms;        /* since when there is no stream; 0: there is one */
	int64_t stop_by_ms;     /* 0: not stopping */
	int busy;               /* depth of calls that still use this struct */
	bool doomed;            /* free it when busy is 0 */
	bool is_client;

	struct list_link link; /* server: in listener */

	/* client */
	const struct h2_conn_events *events; /* borrowed */
	void *arg;
	struct tls_config *config; /* borrowed */
	char *authority;           /* owned */
	char host[RESOLVE_HOST];
	struct resolve *question; /* until its answer */
	struct resolve_address addresses[RESOLVE_MAX];
	size_t n_addresses;
	size_t next_address;
	bool connecting;
};

/* A connection whose socket is there (fd is taken on success), or not yet (fd -1). */
MUST_CHECK int h2_conn_new(struct loop *l, int fd, struct h2_conn **ret, struct err *err);
/* Take the socket: watch it. */
MUST_CHECK int h2_conn_attach(struct h2_conn *c, int fd, int events, struct err *err);
void h2_conn_detach(struct h2_conn *c);

/* It is over: streams end, the owner hears of it, it is freed (or doomed). */
void h2_conn_over(struct h2_conn *c, const struct err *err);

/* Client: the socket is writable, or the connection attempt failed. connect.c */
void h2_conn_connected(struct h2_conn *c);

/* Bracket what calls out: nothing is freed in between. */
void h2_conn_enter(struct h2_conn *c);
void h2_conn_leave(struct h2_conn *c);

#endif
