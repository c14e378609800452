/* boot.c - see boot.h. */
#include "controller/boot.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/options.h"
#include "doc/doc.h"
#include "kube/client.h"
#include "kube/object.h"

#define CA_SECRET "kwarp-ca"
#define KEY_SECRET "kwarp-ticket-key"
#define PLANE_MAP "kwarp-data-plane"

enum {
	CERT_DAYS = 3650,
	CALL_MS = 10000,
	MAX_SECRET = 64 * 1024,
};

void boot_done(struct boot *b)
{
	tls_pair_done(&b->server);
	mem_free(b->ca_pem);
	b->ca_pem = NULL;
}

/* ---- objects ---------------------------------------------------------------------------- */

static int get(struct kube_client *kube, const struct kube_resource *r, const char *ns,
	       const char *name, struct doc **ret, struct err *err)
{
	return kube_call_wait(
	    kube,
	    &(struct kube_spec){
		.verb = KUBE_GET, .resource = r, .ns = ns, .name = name, .timeout_ms = CALL_MS },
	    ret, err);
}

/* Create it; if someone was faster, read theirs. */
static int create(struct kube_client *kube, const struct kube_resource *r, const struct doc *object,
		  struct doc **ret, struct err *err)
{
	const char *ns = r->namespaced ? kube_namespace(object) : NULL;
	const struct kube_spec spec = {
		.verb = KUBE_CREATE, .resource = r, .ns = ns, .body = object, .timeout_ms = CALL_MS
	};

	if (kube_call_wait(kube, &spec, ret, err) >= 0) {
		log_info("made", kv_str("kind", r->kind), kv_str("name", kube_name(object)));
		return 0;
	}
	if (err->code != ERR_EXISTS && err->code != ERR_TIMEOUT)
		return err->code;
	err_clear(err);
	return get(kube, r, ns, kube_name(object), ret, err);
}

static void set_secret(struct doc *secret, const char *key, const void *bytes, size_t len)
{
	AUTO(buf_done) struct buf b = { .max = 2 * MAX_SECRET };
	struct err err = { 0 };

	if (text_base64(bytes, len, &b, &err) < 0)
		ASSERT(false); /* keys of ours are short */
	doc_set_path(secret, key, doc_new_strn(buf_str(&b), b.len));
}

static int read_secret(const struct doc *secret, const char *key, struct buf *b, struct err *err)
{
	size_t len;
	const char *text = doc_bytes(doc_member(doc_get(secret, "data"), key), "", &len);

	if (text == NULL || len == 0)
		return err_set(err, ERR_INVALID, "Secret %s: no data.%s", kube_name(secret), key);
	if (text_unbase64(text, len, b, err) < 0)
		return err_wrap(err, "Secret %s: data.%s", kube_name(secret), key);
	return 0;
}

/* ---- steps ------------------------------------------------------------------------------ */

static int ensure_namespace(struct kube_client *kube, const char *ns, struct err *err)
{
	AUTO(doc_unrefp) struct doc *object = NULL;
	AUTO(doc_unrefp) struct doc *wanted = NULL;

	if (get(kube, &kube_namespaces, NULL, ns, &object, err) >= 0)
		return 0;
	if (err->code != ERR_NOT_FOUND)
		return err->code;
	err_clear(err);
	wanted = kube_new_object(&kube_namespaces, NULL, ns);
	return create(kube, &kube_namespaces, wanted, &object, err);
}

static int make_ca(struct kube_client *kube, const char *ns, struct doc **ret, struct err *err)
{
	AUTO(doc_unrefp) struct doc *wanted = kube_new_object(&kube_secrets, ns, CA_SECRET);
	AUTO(tls_pair_done) struct tls_pair fresh = { 0 };

	tls_make_ca("kwarp", clock_wall_ms(), CERT_DAYS, &fresh);
	doc_set_str(wanted, "type", "kubernetes.io/tls");
	set_secret(wanted, "data['tls.crt']", fresh.cert, strlen(fresh.cert));
	set_secret(wanted, "data['tls.key']", fresh.key, strlen(fresh.key));
	return create(kube, &kube_secrets, wanted, ret, err);
}

static int ensure_ca(struct kube_client *kube, const char *ns, struct tls_pair *ret,
		     struct err *err)
{
	AUTO(doc_unrefp) struct doc *secret = NULL;
	AUTO(buf_done) struct buf cert = { .max = MAX_SECRET };
	AUTO(buf_done) struct buf key = { .max = MAX_SECRET };

	if (get(kube, &kube_secrets, ns, CA_SECRET, &secret, err) < 0) {
		if (err->code != ERR_NOT_FOUND)
			return err->code;
		err_clear(err);
		if (make_ca(kube, ns, &secret, err) < 0)
			return err->code;
	}
	if (read_secret(secret, "tls.crt", &cert, err) < 0 ||
	    read_secret(secret, "tls.key", &key, err) < 0)
		return err->code;
	ret->cert = buf_take(&cert);
	ret->key = buf_take(&key);
	return 0;
}

static int make_key(struct kube_client *kube, const char *ns, struct doc **ret, struct err *err)
{
	AUTO(doc_unrefp) struct doc *wanted = kube_new_object(&kube_secrets, ns, KEY_SECRET);
	uint8_t fresh[HASH_SIZE];

	hash_random(fresh, sizeof(fresh));
	set_secret(wanted, "data.key", fresh, sizeof(fresh));
	return create(kube, &kube_secrets, wanted, ret, err);
}

static int ensure_ticket_key(struct kube_client *kube, const char *ns, uint8_t key[HASH_SIZE],
			     struct err *err)
{
	AUTO(doc_unrefp) struct doc *secret = NULL;
	AUTO(buf_done) struct buf b = { .max = MAX_SECRET };

	if (get(kube, &kube_secrets, ns, KEY_SECRET, &secret, err) < 0) {
		if (err->code != ERR_NOT_FOUND)
			return err->code;
		err_clear(err);
		if (make_key(kube, ns, &secret, err) < 0)
			return err->code;
	}
	if (read_secret(secret, "key", &b, err) < 0)
		return err->code;
	if (b.len != HASH_SIZE)
		return err_set(err, ERR_INVALID, "Secret %s: data.key: %zu bytes, expected %d",
			       KEY_SECRET, b.len, HASH_SIZE);
	memcpy(key, b.data, HASH_SIZE);
	return 0;
}

/* What agents are told follows the command line. */
static int ensure_map(struct kube_client *kube, const char *ns, const char *address, const char *ca,
		      struct err *err)
{
	AUTO(doc_unrefp) struct doc *map = NULL;
	AUTO(doc_unrefp) struct doc *wanted = kube_new_object(&kube_configmaps, ns, PLANE_MAP);
	AUTO(doc_unrefp) struct doc *changed = NULL;

	doc_set_path(wanted, "data.address", doc_new_str(address));
	doc_set_path(wanted, "data['ca.crt']", doc_new_str(ca));
	if (get(kube, &kube_configmaps, ns, PLANE_MAP, &map, err) < 0) {
		if (err->code != ERR_NOT_FOUND)
			return err->code;
		err_clear(err);
		if (create(kube, &kube_configmaps, wanted, &map, err) < 0)
			return err->code;
	}
	if (doc_equal(doc_get(map, "data"), doc_get(wanted, "data")))
		return 0;
	log_info("data plane's address changed", kv_str("address", address));
	return kube_call_wait(kube,
			      &(struct kube_spec){ .verb = KUBE_PATCH_MERGE,
						   .resource = &kube_configmaps,
						   .ns = ns,
						   .name = PLANE_MAP,
						   .body = wanted,
						   .timeout_ms = CALL_MS },
			      &changed, err);
}

/* For the name that agents dial and for the Service's names. */
static int make_certificate(const struct tls_pair *ca, const char *ns, const char *address,
			    struct tls_pair *ret, struct err *err)
{
	char host[OPTIONS_HOST];
	char service[2][OPTIONS_HOST];
	const char *names[] = { host, service[0], service[1], NULL };
	int port;

	if (options_split(address, host, &port, err) < 0)
		return err->code;
	snprintf(service[0], sizeof(service[0]), "kwarp-controller.%s.svc", ns);
	snprintf(service[1], sizeof(service[1]), "kwarp-controller.%s.svc.cluster.local", ns);
	if (tls_make_server(ca, names, clock_wall_ms(), CERT_DAYS, ret, err) < 0)
		return err_wrap(err, "certificate for %s", host);
	return 0;
}

int boot_run(struct kube_client *kube, const char *ns, const char *public_address, struct boot *ret,
	     struct err *err)
{
	AUTO(tls_pair_done) struct tls_pair ca = { 0 };
	AUTO(tls_pair_done) struct tls_pair server = { 0 };
	uint8_t key[HASH_SIZE];

	if (ensure_namespace(kube, ns, err) < 0 || ensure_ca(kube, ns, &ca, err) < 0 ||
	    ensure_ticket_key(kube, ns, key, err) < 0 ||
	    make_certificate(&ca, ns, public_address, &server, err) < 0 ||
	    ensure_map(kube, ns, public_address, ca.cert, err) < 0)
		return err->code;
	memcpy(ret->ticket_key, key, sizeof(key));
	ret->server.cert = MOVE(server.cert);
	ret->server.key = MOVE(server.key);
	ret->ca_pem = MOVE(ca.cert);
	return 0;
}
