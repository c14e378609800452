/*
 * conn.h - where sockets, TLS and HTTP/2 sessions meet on the loop.
 *
 * Everything belongs to the loop's thread. Callbacks (those of h2.h included) come from the loop
 * and from the frees here; they may free any connection and listener.
 */
#ifndef H2_CONN_H
#define H2_CONN_H

#include <stdint.h>

#include "base/err.h"
#include "h2/h2.h"

struct h2_conn;
struct h2_listener;
struct loop;
struct tls_config;
struct work_pool;

enum {
	H2_MAX_CONNS = 4096, /* of a listener */
	H2_OPEN_MS = 10000,  /* to connect and to finish the handshake */
	H2_TRUST_MS = 10000, /* until a server\'s peer must be trusted (h2_trust) */
	H2_IDLE_MS = 60000,  /* a server's connection without a stream */
	H2_LINGER_MS = 2000, /* after h2_conn_stop, for what is under way */
};

/* ---- server ----------------------------------------------------------------------------- */

struct h2_service {
	struct tls_config *config;        /* borrowed, like the following */
	const struct h2_handler *handler; /* what h2_server_new gets */
	void *arg;
};

/* Listen on a numeric HOST:PORT (port 0: any). */
MUST_CHECK int h2_listen(struct loop *l, const char *address, const struct h2_service *service,
			 struct h2_listener **ret, struct err *err);
int h2_listener_port(const struct h2_listener *l);
/* Ends all its connections. Accepts NULL. */
void h2_listener_free(struct h2_listener *l);

/* ---- client ----------------------------------------------------------------------------- */

struct h2_conn_events {
	/* Requests can be made. */
	void (*on_open)(void *arg, struct h2_conn *c, struct h2 *h);
	/* It is over, and freed when this returns. Its streams have ended before. Not called by
	 * h2_conn_free. */
	void (*on_end)(void *arg, struct h2_conn *c, const struct err *err);
};

struct h2_target {
	struct loop *loop;          /* borrowed */
	struct work_pool *resolver; /* borrowed; asked for host names */
	const char *address;        /* HOST:PORT, copied */
	struct tls_config *config;  /* borrowed until the connection ends */
};

/* Connect; the outcome comes by events. ERR_INVALID: not HOST:PORT. */
MUST_CHECK int h2_connect(const struct h2_target *target, const struct h2_conn_events *events,
			  void *arg, struct h2_conn **ret, struct err *err);

/* No new streams; ends when those that are open have ended, or after H2_LINGER_MS. */
void h2_conn_stop(struct h2_conn *c);
/* At once. Its streams end, on_end is not called. Accepts NULL. */
void h2_conn_free(struct h2_conn *c);

#endif
