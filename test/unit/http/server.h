/*
 * server.h - an HTTP/1.1 server on 127.0.0.1 and the test's own loop: no threads.
 *
 * It hands each whole request to on_request, which answers with server_send and server_close, now
 * or later.
 */
#ifndef TEST_HTTP_SERVER_H
#define TEST_HTTP_SERVER_H

#include <stddef.h>

#include "base/loop.h"

struct server;
struct server_conn;

typedef void (*server_fn)(void *arg, struct server_conn *c, const char *request);

struct server *server_new(struct loop *l, server_fn on_request, void *arg);
void server_free(struct server *s);
int server_port(const struct server *s);
size_t server_accepted(const struct server *s); /* connections so far */

void server_send(struct server_conn *c, const char *bytes);
void server_sendn(struct server_conn *c, const char *bytes, size_t len);
void server_close(struct server_conn *c);

#endif
