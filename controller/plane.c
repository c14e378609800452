/* plane.c - see plane.h. */
#include "controller/plane.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/blob.h"
#include "controller/serve/serve.h"
#include "controller/tickets.h"
#include "doc/doc.h"
#include "kube/client.h"
#include "kube/object.h"
#include "kube/reflector.h"
#include "kube/store.h"

#define SECRET_PREFIX "kwarp-node-"

struct plane {
	struct serve *serve;              /* owned */
	struct act *act;                  /* borrowed; NULL until plane_set_act */
	struct kube_store *secrets;       /* owned */
	struct kube_reflector *reflector; /* owned */
	struct tickets *tickets;          /* owned */
	bool is_wanted;                   /* act is ready */
};

/* ---- credentials ------------------------------------------------------------------------ */

/* The node that a Secret is for, or NULL. */
static const char *node_of(const struct doc *secret)
{
	const char *name = kube_name(secret);

	return text_starts(name, SECRET_PREFIX) ? name + strlen(SECRET_PREFIX) : NULL;
}

MUST_CHECK static int digest_of(const struct doc *secret, struct hash_digest *ret, struct err *err)
{
	AUTO(buf_done) struct buf hex = { .max = 256 };
	size_t len;
	const char *text = doc_bytes(doc_member(doc_get(secret, "data"), "sha256"), "", &len);

	if (text == NULL)
		return err_set(err, ERR_INVALID, "data.sha256: missing");
	if (text_unbase64(text, len, &hex, err) < 0 ||
	    hash_parse(buf_str(&hex), hex.len, ret, err) < 0)
		return err_wrap(err, "data.sha256");
	return 0;
}

static void on_secret(void *arg, const struct kube_change *change)
{
	struct plane *p = arg;
	const char *node = node_of(change->new != NULL ? change->new : change->old);
	struct hash_digest digest;
	struct err err = { 0 };

	if (node == NULL)
		return;
	if (change->new == NULL) {
		serve_remove_node(p->serve, node);
	} else if (digest_of(change->new, &digest, &err) < 0) {
		log_warn("credential of a node cannot be read", kv_str("node", node), kv_err(&err));
		serve_remove_node(p->serve, node);
	} else {
		serve_set_credential(p->serve, node, &digest);
	}
}

static void open_if_ready(void *arg)
{
	struct plane *p = arg;

	if (p->is_wanted && kube_store_is_synced(p->secrets))
		serve_set_open(p->serve, true);
}

/* ---- what agents say -------------------------------------------------------------------- */

static void on_register(void *arg, const char *node, const struct wire_register *said)
{
	struct plane *p = arg;

	act_on_register(p->act, node, said);
}

static void on_offered(void *arg, const char *node, const struct wire_dispatch *running, size_t n)
{
	struct plane *p = arg;

	act_on_offered(p->act, node, running, n);
}

static enum serve_take on_result(void *arg, const char *node, const struct wire_dispatch *d,
				 const struct wire_result *r, const char **why)
{
	struct plane *p = arg;

	switch (act_on_result(p->act, node, d, r, why)) {
	case JOB_TAKE_DECIDED:
		return SERVE_DECIDED;
	case JOB_TAKE_WRONG:
		return SERVE_WRONG;
	case JOB_TAKE_KEEP:
		break;
	}
	return SERVE_KEEP;
}

static void on_state(void *arg, const char *node, bool full, bool draining)
{
	struct plane *p = arg;

	act_on_state(p->act, node, full, draining);
}

/* act is gone already when serve ends its sessions at the very end. */
static void on_disconnect(void *arg, const char *node)
{
	struct plane *p = arg;

	if (p->act != NULL)
		act_on_disconnect(p->act, node);
}

static void on_lost(void *arg, const char *node)
{
	struct plane *p = arg;

	act_on_lost(p->act, node);
}

static bool open_blob(void *arg, const struct hash_digest *digest, struct serve_blob *ret)
{
	struct plane *p = arg;
	struct act_blob *blob = act_open_blob(p->act, digest, &ret->bytes, &ret->size);

	if (blob == NULL)
		return false;
	ret->release = act_blob_release;
	ret->release_arg = blob;
	return true;
}

static void *read_result(void *arg, const struct serve_part *part, serve_read_fn fn, void *fn_arg)
{
	struct plane *p = arg;
	const struct act_part wanted = { part->job_uid, part->digest, part->first, part->len };

	return act_read_result(p->act, &wanted, fn, fn_arg);
}

static void cancel_read(void *arg, void *read)
{
	(void)arg;
	act_cancel_read(read);
}

static void on_ticket_used(void *arg, const struct hash_digest *token_sha256)
{
	struct plane *p = arg;

	tickets_on_used(p->tickets, token_sha256);
}

static const struct serve_owner owner = {
	.on_register = on_register,
	.on_offered = on_offered,
	.on_result = on_result,
	.on_state = on_state,
	.on_disconnect = on_disconnect,
	.on_lost = on_lost,
	.open_blob = open_blob,
	.read_result = read_result,
	.cancel_read = cancel_read,
	.on_ticket_used = on_ticket_used,
};

/* ---- what act wants --------------------------------------------------------------------- */

static void open_plane(void *arg)
{
	struct plane *p = arg;

	p->is_wanted = true;
	tickets_start(p->tickets, p->act);
	open_if_ready(p);
}

static int send_order(void *arg, const char *node, struct wire_order *order, struct err *err)
{
	struct plane *p = arg;

	return serve_send(p->serve, node, order, err);
}

static void cancel(void *arg, const char *node, const struct wire_dispatch *d, size_t n)
{
	struct plane *p = arg;

	serve_cancel(p->serve, node, d, n);
}

static void decided(void *arg, const char *uid, const struct range *ranges, size_t n, bool all)
{
	struct plane *p = arg;

	serve_decided(p->serve, uid, ranges, n, all);
}

const struct act_plane plane_for_act = {
	.open = open_plane,
	.send = send_order,
	.cancel = cancel,
	.decided = decided,
};

/* ---- life ------------------------------------------------------------------------------- */

/* Nothing but the digest is needed. */
static void trim_secret(struct doc *secret)
{
	if (node_of(secret) == NULL)
		doc_remove(secret, "data");
}

int plane_new(const struct plane_options *o, struct plane **ret, struct err *err)
{
	AUTO(plane_freep) struct plane *p = NEW(struct plane);
	struct serve_options options = { .epoch = o->epoch, .owner = &owner, .owner_arg = p };

	memcpy(options.ticket_key, o->ticket_key, sizeof(options.ticket_key));
	p->serve = serve_new(&options);
	if (serve_start(p->serve, o->loop, o->address, o->cert_pem, o->key_pem, err) < 0)
		return err_wrap(err, "data plane");
	p->secrets = kube_store_new(
	    &(struct kube_store_spec){ .on_change = on_secret, .arg = p, .trim = trim_secret });
	if (kube_reflector_start(&(struct kube_reflector_spec){ .client = o->kube,
								.resource = &kube_secrets,
								.ns = o->ns,
								.store = p->secrets,
								.on_synced = open_if_ready,
								.arg = p },
				 &p->reflector, err) < 0)
		return err_wrap(err, "Secrets of %s", o->ns);
	if (tickets_new(&(struct tickets_options){ .loop = o->loop,
						   .kube = o->kube,
						   .serve = p->serve,
						   .address = o->public_address,
						   .ca_pem = o->ca_pem },
			&p->tickets, err) < 0)
		return err->code;
	*ret = MOVE(p);
	return 0;
}

void plane_set_act(struct plane *p, struct act *act)
{
	p->act = act;
}

void plane_free(struct plane *p)
{
	if (p == NULL)
		return;
	kube_reflector_free(p->reflector);
	tickets_free(p->tickets);
	serve_free(p->serve);
	kube_store_free(p->secrets);
	mem_free(p);
}

void plane_freep(struct plane **p)
{
	plane_free(*p);
}
