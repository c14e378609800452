/*
 * tls.h - TLS sessions: bytes in, bytes out, no I/O inside.
 *
 *     tls_client_new(ca_pem, &config, err);
 *     tls_new(config, "controller.example", &t, err);
 *     loop:  tls_output -> network;  network -> tls_input;  tls_read -> plain text
 *
 * TLS 1.2 and newer, ALPN "h2" on both sides (a peer without it is refused), no renegotiation, no
 * compression, no session tickets. A client trusts exactly the given CA and demands the given
 * host name or address.
 */
#ifndef TLS_TLS_H
#define TLS_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct tls;
struct tls_config;

/* PEM texts: the certificate with its chain, and its key. ERR_INVALID. Owned by the caller;
 * sessions made from it may live longer. */
MUST_CHECK int tls_server_new(const char *cert_pem, const char *key_pem, struct tls_config **ret,
			      struct err *err);
MUST_CHECK int tls_client_new(const char *ca_pem, struct tls_config **ret, struct err *err);
void tls_config_free(struct tls_config *c); /* accepts NULL */
void tls_config_freep(struct tls_config **c);

/* A session. host: the server's name or numeric address, for clients; NULL for servers. */
MUST_CHECK int tls_new(struct tls_config *c, const char *host, struct tls **ret, struct err *err);
void tls_free(struct tls *t); /* accepts NULL */
void tls_freep(struct tls **t);

/* Take bytes from the network and go on with the handshake. ERR_DENIED: the peer's certificate is
 * not accepted; ERR_PROTOCOL: anything else. The session is over then, but tls_output may still
 * hold an alert for the peer. */
MUST_CHECK int tls_input(struct tls *t, const void *bytes, size_t len, struct err *err);

/* The handshake is done: plain text flows. */
bool tls_is_ready(const struct tls *t);
/* The peer said that it will send no more (only known after tls_read). */
bool tls_is_ended(const struct tls *t);

/* Up to `size` bytes of plain text; *ret_len = 0: none now. Only when ready. */
MUST_CHECK int tls_read(struct tls *t, void *to, size_t size, size_t *ret_len, struct err *err);
/* Encrypt len bytes (at least 1). Only when ready. */
MUST_CHECK int tls_write(struct tls *t, const void *plain, size_t len, struct err *err);
/* Say that we will write no more. */
void tls_end(struct tls *t);

/* Append what waits for the network to out, as much as fits there. */
void tls_output(struct tls *t, struct buf *out);
bool tls_has_output(const struct tls *t);

#endif
