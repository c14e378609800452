/* tls.c - see tls.h: OpenSSL with memory BIOs. */
#include "tls/tls.h"

#include <arpa/inet.h>
#include <limits.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/mem.h"

static const unsigned char ALPN_H2[] = { 2, 'h', '2' };

struct tls_config {
	SSL_CTX *ctx; /* owned */
	bool is_server;
};

struct tls {
	SSL *ssl; /* owned, with its BIOs */
	BIO *in;  /* borrowed from ssl: what the network gave */
	BIO *out; /* borrowed from ssl: what the network gets */
	bool ready;
	bool ended;
	bool failed;
};

static const char *reason(void)
{
	unsigned long e = ERR_peek_last_error();
	const char *text = e != 0 ? ERR_reason_error_string(e) : NULL;

	return text != NULL ? text : "unknown";
}

static int refuse(struct err *err, enum err_code code, const char *what)
{
	err_set(err, code, "%s: %s", what, reason());
	ERR_clear_error();
	return code;
}

void tls_config_free(struct tls_config *c)
{
	if (c == NULL)
		return;
	SSL_CTX_free(c->ctx);
	mem_free(c);
}

void tls_config_freep(struct tls_config **c)
{
	tls_config_free(*c);
}

static struct tls_config *new_config(bool is_server)
{
	struct tls_config *c = NEW(struct tls_config);

	c->is_server = is_server;
	c->ctx = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
	ASSERT(c->ctx != NULL);
	ASSERT(SSL_CTX_set_min_proto_version(c->ctx, TLS1_2_VERSION) == 1);
	SSL_CTX_set_options(c->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
					SSL_OP_NO_TICKET | SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_mode(c->ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
				     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_session_cache_mode(c->ctx, SSL_SESS_CACHE_OFF);
	return c;
}

static BIO *bio_of(const char *text)
{
	BIO *b = BIO_new_mem_buf(text, (int)strnlen(text, INT_MAX));

	ASSERT(b != NULL);
	return b;
}

/* The first certificate is ours, the others are the chain. */
static int use_certificates(SSL_CTX *ctx, const char *pem, struct err *err)
{
	BIO *b = bio_of(pem);
	X509 *x;
	int n = 0;

	while ((x = PEM_read_bio_X509(b, NULL, NULL, NULL)) != NULL) {
		int ok =
		    n == 0 ? SSL_CTX_use_certificate(ctx, x) : (int)SSL_CTX_add1_chain_cert(ctx, x);

		X509_free(x);
		if (ok != 1) {
			BIO_free(b);
			return refuse(err, ERR_INVALID, "certificate");
		}
		n++;
	}
	BIO_free(b);
	ERR_clear_error(); /* "no start line": the end of the text */
	return n > 0 ? 0 : err_set(err, ERR_INVALID, "certificate: no PEM certificate in the text");
}

static int use_key(SSL_CTX *ctx, const char *pem, struct err *err)
{
	BIO *b = bio_of(pem);
	EVP_PKEY *key = PEM_read_bio_PrivateKey(b, NULL, NULL, NULL);
	int ok = key != NULL && SSL_CTX_use_PrivateKey(ctx, key) == 1 &&
		 SSL_CTX_check_private_key(ctx) == 1;

	BIO_free(b);
	EVP_PKEY_free(key);
	return ok ? 0 : refuse(err, ERR_INVALID, "private key");
}

static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
		       const unsigned char *in, unsigned int in_len, void *arg)
{
	unsigned char *chosen;

	(void)ssl;
	(void)arg;
	if (SSL_select_next_proto(&chosen, out_len, ALPN_H2, sizeof(ALPN_H2), in, in_len) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

int tls_server_new(const char *cert_pem, const char *key_pem, struct tls_config **ret,
		   struct err *err)
{
	AUTO(tls_config_freep) struct tls_config *c = new_config(true);

	if (use_certificates(c->ctx, cert_pem, err) < 0 || use_key(c->ctx, key_pem, err) < 0)
		return err->code;
	SSL_CTX_set_alpn_select_cb(c->ctx, choose_alpn, NULL);
	*ret = MOVE(c);
	return 0;
}

static int trust(SSL_CTX *ctx, const char *pem, struct err *err)
{
	BIO *b = bio_of(pem);
	X509 *x;
	int n = 0;

	while ((x = PEM_read_bio_X509(b, NULL, NULL, NULL)) != NULL) {
		n += X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), x) == 1;
		X509_free(x);
	}
	BIO_free(b);
	ERR_clear_error();
	return n > 0 ? 0 : err_set(err, ERR_INVALID, "CA: no PEM certificate in the text");
}

int tls_client_new(const char *ca_pem, struct tls_config **ret, struct err *err)
{
	AUTO(tls_config_freep) struct tls_config *c = new_config(false);

	if (trust(c->ctx, ca_pem, err) < 0)
		return err->code;
	SSL_CTX_set_verify(c->ctx, SSL_VERIFY_PEER, NULL);
	ASSERT(SSL_CTX_set_alpn_protos(c->ctx, ALPN_H2, sizeof(ALPN_H2)) == 0);
	*ret = MOVE(c);
	return 0;
}

static bool is_address(const char *host)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

static int expect_host(SSL *ssl, const char *host, struct err *err)
{
	int ok;

	if (is_address(host)) {
		ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
	} else {
		SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
		ok = SSL_set1_host(ssl, host) && SSL_set_tlsext_host_name(ssl, host) == 1;
	}
	return ok ? 0 : refuse(err, ERR_INVALID, host);
}

int tls_new(struct tls_config *c, const char *host, struct tls **ret, struct err *err)
{
	AUTO(tls_freep) struct tls *t = NEW(struct tls);

	ASSERT(c->is_server == (host == NULL));
	t->ssl = SSL_new(c->ctx);
	t->in = BIO_new(BIO_s_mem());
	t->out = BIO_new(BIO_s_mem());
	ASSERT(t->ssl != NULL && t->in != NULL && t->out != NULL);
	/* An empty BIO means "more later", not the end. */
	BIO_set_mem_eof_return(t->in, -1);
	BIO_set_mem_eof_return(t->out, -1);
	SSL_set_bio(t->ssl, t->in, t->out);
	if (host == NULL) {
		SSL_set_accept_state(t->ssl);
	} else {
		SSL_set_connect_state(t->ssl);
		if (expect_host(t->ssl, host, err) < 0)
			return err->code;
		SSL_do_handshake(t->ssl); /* writes the first flight */
		ERR_clear_error();
	}
	*ret = MOVE(t);
	return 0;
}

void tls_free(struct tls *t)
{
	if (t == NULL)
		return;
	SSL_free(t->ssl);
	mem_free(t);
}

void tls_freep(struct tls **t)
{
	tls_free(*t);
}

static int failed(struct tls *t, struct err *err)
{
	long verify = SSL_get_verify_result(t->ssl);

	t->failed = true;
	if (verify != X509_V_OK) {
		ERR_clear_error();
		return err_set(err, ERR_DENIED, "TLS: peer's certificate: %s",
			       X509_verify_cert_error_string(verify));
	}
	return refuse(err, ERR_PROTOCOL, "TLS");
}

static int finish_handshake(struct tls *t, struct err *err)
{
	const unsigned char *alpn;
	unsigned int len;

	SSL_get0_alpn_selected(t->ssl, &alpn, &len);
	if (len != 2 || memcmp(alpn, "h2", 2) != 0) {
		t->failed = true;
		return err_set(err, ERR_PROTOCOL, "TLS: the peer does not speak HTTP/2");
	}
	t->ready = true;
	return 0;
}

int tls_input(struct tls *t, const void *bytes, size_t len, struct err *err)
{
	size_t n = 0;
	int rc;

	ASSERT(!t->failed);
	ERR_clear_error();
	if (len > 0)
		ASSERT(BIO_write_ex(t->in, bytes, len, &n) == 1 && n == len);
	if (t->ready)
		return 0;
	rc = SSL_do_handshake(t->ssl);
	if (rc == 1)
		return finish_handshake(t, err);
	if (SSL_get_error(t->ssl, rc) != SSL_ERROR_WANT_READ)
		return failed(t, err);
	return 0;
}

bool tls_is_ready(const struct tls *t)
{
	return t->ready;
}

bool tls_is_ended(const struct tls *t)
{
	return t->ended;
}

int tls_read(struct tls *t, void *to, size_t size, size_t *ret_len, struct err *err)
{
	size_t n = 0;
	int rc;

	ASSERT(t->ready && !t->failed);
	*ret_len = 0;
	if (t->ended)
		return 0;
	ERR_clear_error();
	rc = SSL_read_ex(t->ssl, to, size, &n);
	if (rc == 1) {
		*ret_len = n;
		return 0;
	}
	switch (SSL_get_error(t->ssl, rc)) {
	case SSL_ERROR_WANT_READ:
		return 0;
	case SSL_ERROR_ZERO_RETURN:
		t->ended = true;
		return 0;
	default:
		return failed(t, err);
	}
}

int tls_write(struct tls *t, const void *plain, size_t len, struct err *err)
{
	const char *at = plain;

	ASSERT(t->ready && !t->failed && len > 0);
	ERR_clear_error();
	while (len > 0) {
		size_t n = 0;

		if (SSL_write_ex(t->ssl, at, len, &n) != 1)
			return failed(t, err);
		at += n;
		len -= n;
	}
	return 0;
}

void tls_end(struct tls *t)
{
	if (t->ready && !t->failed)
		SSL_shutdown(t->ssl);
	ERR_clear_error();
}

bool tls_has_output(const struct tls *t)
{
	return BIO_pending(t->out) > 0;
}

void tls_output(struct tls *t, struct buf *out)
{
	struct err err = { 0 };

	while (BIO_pending(t->out) > 0 && out->len < out->max) {
		size_t want = (size_t)BIO_pending(t->out);
		size_t n = 0;
		char *to;

		if (want > out->max - out->len)
			want = out->max - out->len;
		if (buf_space(out, want, &to, &err) < 0 || BIO_read_ex(t->out, to, want, &n) != 1)
			return;
		buf_commit(out, n);
	}
}
