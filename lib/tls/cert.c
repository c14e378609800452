/* cert.c - see cert.h. */
#include "tls/cert.h"

#include <arpa/inet.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/buf.h"
#include "base/mem.h"

enum { HOUR = 3600, DAY = 24 * HOUR, MAX_NAME = 253, MAX_NAMES_TEXT = 64 << 10 };

void tls_pair_done(struct tls_pair *p)
{
	mem_free(p->cert);
	if (p->key != NULL)
		OPENSSL_cleanse(p->key, strlen(p->key));
	mem_free(p->key);
	*p = (struct tls_pair){ 0 };
}

static EVP_PKEY *new_key(void)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");

	ASSERT(key != NULL);
	return key;
}

/* Everything written so far as a text that mem_free frees. */
static char *take_text(BIO *b)
{
	char *bytes;
	long len = BIO_get_mem_data(b, &bytes);
	char *text = mem_strndup(bytes, (size_t)len);

	OPENSSL_cleanse(bytes, (size_t)len);
	BIO_free(b);
	return text;
}

static char *print_cert(X509 *x)
{
	BIO *b = BIO_new(BIO_s_mem());

	ASSERT(b != NULL && PEM_write_bio_X509(b, x) == 1);
	return take_text(b);
}

static char *print_key(EVP_PKEY *key)
{
	BIO *b = BIO_new(BIO_s_mem());

	ASSERT(b != NULL && PEM_write_bio_PrivateKey(b, key, NULL, NULL, 0, NULL, NULL) == 1);
	return take_text(b);
}

static void set_serial(X509 *x)
{
	unsigned char bytes[16];
	BIGNUM *n;

	ASSERT(RAND_bytes(bytes, sizeof(bytes)) == 1);
	bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40); /* positive, full length */
	n = BN_bin2bn(bytes, sizeof(bytes), NULL);
	ASSERT(n != NULL && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x)) != NULL);
	BN_free(n);
}

static void set_times(X509 *x, int64_t wall_ms, int days)
{
	time_t from = (time_t)(wall_ms / 1000 - HOUR);
	time_t to = (time_t)(wall_ms / 1000 + (int64_t)days * DAY);

	ASSERT(X509_time_adj_ex(X509_getm_notBefore(x), 0, 0, &from) != NULL);
	ASSERT(X509_time_adj_ex(X509_getm_notAfter(x), 0, 0, &to) != NULL);
}

static void set_subject(X509 *x, const char *name)
{
	X509_NAME *subject = X509_get_subject_name(x);
	int len = (int)strnlen(name, 64); /* the longest that X.509 allows */

	ASSERT(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name,
					  len, -1, 0) == 1);
}

static bool add_extension(X509 *x, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *e;
	bool ok;

	X509V3_set_ctx_nodb(&ctx);
	X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	ok = e != NULL && X509_add_ext(x, e, -1) == 1;
	X509_EXTENSION_free(e);
	return ok;
}

static X509 *new_cert(const char *name, EVP_PKEY *key, int64_t wall_ms, int days)
{
	X509 *x = X509_new();

	ASSERT(x != NULL && X509_set_version(x, X509_VERSION_3) == 1);
	set_serial(x);
	set_times(x, wall_ms, days);
	set_subject(x, name);
	ASSERT(X509_set_pubkey(x, key) == 1);
	return x;
}

void tls_make_ca(const char *name, int64_t wall_ms, int days, struct tls_pair *ret)
{
	EVP_PKEY *key = new_key();
	X509 *x = new_cert(name, key, wall_ms, days);

	ASSERT(X509_set_issuer_name(x, X509_get_subject_name(x)) == 1);
	ASSERT(add_extension(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0"));
	ASSERT(add_extension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign"));
	ASSERT(add_extension(x, x, NID_subject_key_identifier, "hash"));
	ASSERT(X509_sign(x, key, EVP_sha256()) > 0);
	*ret = (struct tls_pair){ print_cert(x), print_key(key) };
	X509_free(x);
	EVP_PKEY_free(key);
}

static X509 *read_cert(const char *pem)
{
	BIO *b = BIO_new_mem_buf(pem, (int)strnlen(pem, INT_MAX));
	X509 *x;

	ASSERT(b != NULL);
	x = PEM_read_bio_X509(b, NULL, NULL, NULL);
	BIO_free(b);
	ERR_clear_error();
	return x;
}

static EVP_PKEY *read_key(const char *pem)
{
	BIO *b = BIO_new_mem_buf(pem, (int)strnlen(pem, INT_MAX));
	EVP_PKEY *key;

	ASSERT(b != NULL);
	key = PEM_read_bio_PrivateKey(b, NULL, NULL, NULL);
	BIO_free(b);
	ERR_clear_error();
	return key;
}

static bool is_address(const char *name)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/* Only what cannot be taken for syntax of the extension's text. */
static bool is_host_name(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > MAX_NAME)
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._*") ==
	       n;
}

static int list_names(const char *const *names, struct buf *out, struct err *err)
{
	for (size_t i = 0; names[i] != NULL; i++) {
		bool address = is_address(names[i]);

		if (!address && !is_host_name(names[i]))
			return err_set(err, ERR_INVALID, "\"%s\" is no host name or address",
				       names[i]);
		if (buf_addfe(out, err, "%s%s:%s", i > 0 ? "," : "", address ? "IP" : "DNS",
			      names[i]) < 0)
			return err->code;
	}
	return 0;
}

static int sign_server(X509 *x, X509 *ca, EVP_PKEY *ca_key, const char *names, struct err *err)
{
	if (X509_set_issuer_name(x, X509_get_subject_name(ca)) != 1 ||
	    !add_extension(x, ca, NID_basic_constraints, "critical,CA:FALSE") ||
	    !add_extension(x, ca, NID_key_usage, "critical,digitalSignature") ||
	    !add_extension(x, ca, NID_ext_key_usage, "serverAuth") ||
	    !add_extension(x, ca, NID_authority_key_identifier, "keyid") ||
	    !add_extension(x, ca, NID_subject_alt_name, names) ||
	    X509_sign(x, ca_key, EVP_sha256()) <= 0) {
		ERR_clear_error();
		return err_set(err, ERR_INVALID, "cannot sign a certificate for %s", names);
	}
	return 0;
}

int tls_make_server(const struct tls_pair *ca, const char *const *names, int64_t wall_ms, int days,
		    struct tls_pair *ret, struct err *err)
{
	AUTO(buf_done) struct buf list = { .max = MAX_NAMES_TEXT };
	X509 *ca_cert;
	EVP_PKEY *ca_key;
	EVP_PKEY *key;
	X509 *x;

	ASSERT(names[0] != NULL);
	if (list_names(names, &list, err) < 0)
		return err->code;
	ca_cert = read_cert(ca->cert);
	ca_key = read_key(ca->key);
	key = new_key();
	x = new_cert(names[0], key, wall_ms, days);
	if (ca_cert == NULL || ca_key == NULL || X509_check_ca(ca_cert) != 1 ||
	    X509_check_private_key(ca_cert, ca_key) != 1)
		err_set(err, ERR_INVALID, "the CA is not a certificate and its key");
	else if (sign_server(x, ca_cert, ca_key, buf_str(&list), err) == 0)
		*ret = (struct tls_pair){ print_cert(x), print_key(key) };
	ERR_clear_error();
	X509_free(x);
	X509_free(ca_cert);
	EVP_PKEY_free(key);
	EVP_PKEY_free(ca_key);
	return err->code;
}

int tls_cert_end(const char *cert_pem, int64_t *ret_wall_ms, struct err *err)
{
	X509 *x = read_cert(cert_pem);
	struct tm end = { 0 };
	bool ok;

	if (x == NULL)
		return err_set(err, ERR_INVALID, "no PEM certificate in the text");
	ok = ASN1_TIME_to_tm(X509_get0_notAfter(x), &end) == 1;
	X509_free(x);
	if (!ok)
		return err_set(err, ERR_INVALID, "a certificate without an end");
	*ret_wall_ms = (int64_t)timegm(&end) * 1000;
	return 0;
}

bool tls_cert_covers(const char *cert_pem, const char *name)
{
	X509 *x = read_cert(cert_pem);
	bool covers;

	if (x == NULL)
		return false;
	covers = is_address(name) ? X509_check_ip_asc(x, name, 0) == 1
				  : X509_check_host(x, name, 0, 0, NULL) == 1;
	X509_free(x);
	return covers;
}
