/* tickets.c - see tickets.h. */
#include "controller/tickets.h"

#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/map.h"
#include "base/mem.h"
#include "controller/act/act.h"
#include "controller/act/call.h"
#include "controller/decide/ticket.h"
#include "controller/serve/serve.h"
#include "doc/doc.h"
#include "kube/client.h"
#include "kube/object.h"
#include "kube/reflector.h"
#include "kube/store.h"

enum {
	SWEEP_MS = 5000, /* all tickets are looked at so often */
	AGAIN_MS = 500,  /* after a write that failed, doubling ... */
	AGAIN_MAX_MS = 60000,
	MAX_CALLS = 8, /* writes in flight */
	TROUBLE_MS = 60000,
};

struct entry {
	struct tickets *tickets; /* borrowed */
	char *key;               /* owned: namespace/name */
	char *uid;               /* owned */
	struct hash_digest token_sha256;
	bool is_registered; /* with serve */
	bool is_used;
	struct list_link link;  /* in tickets.due */
	struct kube_call *call; /* owned: a write in flight */
	int64_t not_before_ms;  /* of the next write */
	int tries;
};

struct tickets {
	struct loop *loop;        /* borrowed */
	struct kube_client *kube; /* borrowed */
	struct serve *serve;      /* borrowed */
	const struct act *act;    /* borrowed; NULL before the start */
	char *address;            /* owned, as all that follow */
	char *ca_pem;
	struct kube_store *store;
	struct kube_reflector *reflector;
	struct map by_uid;  /* -> struct entry, owned */
	struct list due;    /* of struct entry, borrowed: to be looked at */
	struct timer *work; /* through due */
	struct timer *sweep;
	size_t n_calls;
	int64_t told_ms; /* when trouble with the watch was last told */
};

static void entry_free(void *value)
{
	struct entry *e = value;

	list_remove(&e->link);
	kube_call_free(e->call);
	mem_free(e->key);
	mem_free(e->uid);
	mem_free(e);
}

/* Creation times are the server's: so is the clock that they are compared with. */
static int64_t wall_ms(const struct tickets *t)
{
	int64_t now_ms;

	return kube_client_server_now_ms(t->kube, &now_ms) ? now_ms : clock_wall_ms();
}

static void touch(struct entry *e)
{
	if (!list_has(&e->link))
		list_add(&e->tickets->due, &e->link);
	timer_start(e->tickets->work, 0);
}

/* ---- writes ----------------------------------------------------------------------------- */

static void on_written(void *arg, const struct kube_answer *answer)
{
	struct entry *e = arg;
	struct tickets *t = e->tickets;
	int code = answer->err->code;
	struct doc *object = NULL;

	/* A deletion is answered with a Status. */
	if (code == 0 && *kube_uid(answer->object) != '\0')
		object = doc_copy(answer->object);
	if (code != 0 && code != ERR_NOT_FOUND && code != ERR_CONFLICT && !err_retryable(code))
		log_warn("ticket not written", kv_str("ticket", e->key), kv_err(answer->err));
	kube_call_free(MOVE(e->call));
	t->n_calls--;
	if (code == 0)
		e->tries = 0;
	else
		e->not_before_ms =
		    loop_now_ms(t->loop) + act_backoff_ms(e->tries++, AGAIN_MS, AGAIN_MAX_MS);
	touch(e);
	if (object != NULL)
		kube_store_put(t->store, object);
}

static void write_ticket(struct entry *e, enum kube_verb verb, const struct doc *body)
{
	struct tickets *t = e->tickets;
	char ns[KUBE_KEY];
	char name[KUBE_KEY];
	struct err err = { 0 };
	const struct kube_spec spec = {
		.verb = verb,
		.resource = &kube_warptickets,
		.ns = ns,
		.name = name,
		.subresource = verb == KUBE_PATCH_MERGE ? "status" : NULL,
		.body = body,
		.on_done = on_written,
		.arg = e,
	};

	kube_key_split(e->key, ns, name);
	if (kube_call_start(t->kube, &spec, &e->call, &err) < 0)
		log_warn("ticket not written", kv_str("ticket", e->key), kv_err(&err));
	else
		t->n_calls++;
}

/* ---- what becomes of a ticket ------------------------------------------------------------ */

static void forget(struct entry *e)
{
	if (e->is_registered)
		serve_remove_ticket(e->tickets->serve, &e->token_sha256);
	e->is_registered = false;
}

static enum ticket_verdict enter(struct entry *e, const struct doc *object, const struct ticket *t)
{
	struct tickets *all = e->tickets;
	const char *uid = act_job_uid(all->act, kube_namespace(object), t->job);
	int64_t left_ms = t->expires_ms - wall_ms(all);
	struct err err = { 0 };

	if (e->is_registered)
		return TICKET_READY;
	if (!act_has_store(all->act))
		return TICKET_NO_STORE;
	if (uid == NULL)
		return TICKET_NO_JOB;
	if (serve_add_ticket(all->serve, &t->token_sha256, uid, loop_now_ms(all->loop) + left_ms,
			     &err) < 0)
		return err.code == ERR_EXISTS ? TICKET_TAKEN : TICKET_TOO_MANY;
	e->token_sha256 = t->token_sha256;
	e->is_registered = true;
	return TICKET_READY;
}

static void look(struct entry *e)
{
	struct tickets *all = e->tickets;
	const struct doc *object = kube_store_get(all->store, e->key);
	struct ticket_facts facts = { .is_used = e->is_used,
				      .address = all->address,
				      .ca = all->ca_pem,
				      .wall_ms = wall_ms(all) };
	AUTO(doc_unrefp) struct doc *body = NULL;
	struct ticket t;
	struct err err = { 0 };

	if (object == NULL || ticket_read(object, &t, &err) < 0)
		return;
	if (kube_is_deleting(object) || facts.wall_ms >= t.expires_ms)
		forget(e);
	if (e->call != NULL || loop_now_ms(all->loop) < e->not_before_ms)
		return;
	if (facts.wall_ms >= t.expires_ms + TICKET_KEEP_MS) {
		body = kube_delete_options(e->uid, NULL, -1);
		write_ticket(e, KUBE_DELETE, body);
		return;
	}
	if (kube_is_deleting(object) || facts.wall_ms >= t.expires_ms)
		return;
	if (!t.is_decided || t.is_ready)
		facts.verdict = enter(e, object, &t);
	body = ticket_patch(object, &facts);
	if (body != NULL)
		write_ticket(e, KUBE_PATCH_MERGE, body);
}

static void on_ticket(void *arg, const struct kube_change *change)
{
	struct tickets *t = arg;
	const char *uid = kube_uid(change->new != NULL ? change->new : change->old);
	struct entry *e = map_get(&t->by_uid, uid);

	if (change->new == NULL) {
		if (e == NULL)
			return;
		forget(e);
		if (e->call != NULL)
			t->n_calls--;
		timer_start(t->work, 0);
		entry_free(map_remove(&t->by_uid, uid));
		return;
	}
	if (e == NULL) {
		e = NEW(struct entry);
		e->tickets = t;
		e->key = mem_strdup(change->key);
		e->uid = mem_strdup(uid);
		map_set(&t->by_uid, uid, e);
	}
	/* The store must not change while it tells of a change: what is to do comes next. */
	touch(e);
}

static void work(void *arg)
{
	struct tickets *t = arg;

	if (t->act == NULL)
		return;
	LIST_EACH (struct entry, e, &t->due, link) {
		if (t->n_calls >= MAX_CALLS)
			return; /* the next answer goes on */
		list_remove(&e->link);
		look(e);
	}
}

static void tell_trouble(struct tickets *t)
{
	const struct err *trouble = kube_watch_trouble(kube_reflector_watch(t->reflector));
	int64_t now_ms = loop_now_ms(t->loop);

	if (trouble->code == 0 || !act_has_store(t->act) ||
	    (t->told_ms != 0 && now_ms < t->told_ms + TROUBLE_MS))
		return;
	t->told_ms = now_ms;
	log_warn("watch behind", kv_str("kind", kube_warptickets.plural), kv_err(trouble));
}

static void sweep(void *arg)
{
	struct tickets *t = arg;

	timer_start(t->sweep, SWEEP_MS);
	if (t->act == NULL)
		return;
	tell_trouble(t);
	MAP_EACH (&t->by_uid, e)
		touch(e->value);
}

void tickets_on_used(struct tickets *t, const struct hash_digest *token_sha256)
{
	MAP_EACH (&t->by_uid, m) {
		struct entry *e = m->value;

		if (!e->is_registered || !hash_equal(&e->token_sha256, token_sha256))
			continue;
		e->is_used = true;
		touch(e);
	}
}

/* ---- life ------------------------------------------------------------------------------- */

static void trim(struct doc *ticket)
{
	struct doc *meta = doc_edit(ticket, "metadata");

	doc_remove(meta, "annotations");
	doc_remove(meta, "labels");
	doc_remove(meta, "ownerReferences");
}

static void tickets_freep(struct tickets **t)
{
	tickets_free(*t);
}

int tickets_new(const struct tickets_options *options, struct tickets **ret, struct err *err)
{
	AUTO(tickets_freep) struct tickets *t = NEW(struct tickets);

	t->loop = options->loop;
	t->kube = options->kube;
	t->serve = options->serve;
	t->address = mem_strdup(options->address);
	t->ca_pem = mem_strdup(options->ca_pem);
	t->work = timer_new(t->loop, "tickets of people, due", work, t);
	t->sweep = timer_new(t->loop, "tickets of people", sweep, t);
	t->store = kube_store_new(
	    &(struct kube_store_spec){ .on_change = on_ticket, .arg = t, .trim = trim });
	if (kube_reflector_start(&(struct kube_reflector_spec){ .client = t->kube,
								.resource = &kube_warptickets,
								.store = t->store },
				 &t->reflector, err) < 0)
		return err_wrap(err, "WarpTickets");
	*ret = MOVE(t);
	return 0;
}

void tickets_start(struct tickets *t, const struct act *act)
{
	t->act = act;
	timer_start(t->sweep, 0);
}

void tickets_free(struct tickets *t)
{
	if (t == NULL)
		return;
	kube_reflector_free(t->reflector);
	map_done(&t->by_uid, entry_free);
	timer_free(t->work);
	timer_free(t->sweep);
	kube_store_free(t->store);
	mem_free(t->address);
	mem_free(t->ca_pem);
	mem_free(t);
}
