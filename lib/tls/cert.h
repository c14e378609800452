/*
 * cert.h - a certificate authority of our own and server certificates that it signs.
 *
 * P-256 keys, SHA-256 signatures. Times are milliseconds since 1970 (clock_wall_ms).
 */
#ifndef TLS_CERT_H
#define TLS_CERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* PEM texts of a certificate and its private key. Zero is empty. */
struct tls_pair {
	char *cert; /* owned */
	char *key;  /* owned */
};
void tls_pair_done(struct tls_pair *p);

/* A self-signed CA named `name`, valid for `days` from one hour before wall_ms. */
void tls_make_ca(const char *name, int64_t wall_ms, int days, struct tls_pair *ret);

/* A server certificate for these DNS names and numeric addresses (NULL-terminated, at least one),
 * signed by ca. ERR_INVALID: ca is not a pair that can sign, or a name is not acceptable. */
MUST_CHECK int tls_make_server(const struct tls_pair *ca, const char *const *names, int64_t wall_ms,
			       int days, struct tls_pair *ret, struct err *err);

/* When the first certificate of the text ends. */
MUST_CHECK int tls_cert_end(const char *cert_pem, int64_t *ret_wall_ms, struct err *err);

/* True if the certificate is good for this DNS name or numeric address. */
bool tls_cert_covers(const char *cert_pem, const char *name);

#endif
