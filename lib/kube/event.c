/* event.c - see event.h. */
#include "kube/event.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/metric.h"
#include "kube/event_cache.h"

enum { MAX_WAITING = 1000, TRIES = 12, RETRY_MS = 10000, NAME_CUT = 200 };

static struct metric dropped_total = { .name = "kwarp_events_dropped_total",
				       .help = "Events that were not written, by reason.",
				       .type = METRIC_COUNTER,
				       .label = "reason" };

/* One write that waits. */
struct pending {
	bool patch;
	struct doc *event; /* owned: the whole Event, also for a patch that finds none */
	int tries;
	struct list_link link;
};

struct kube_recorder {
	struct kube_client *client;     /* borrowed */
	char *component;                /* owned */
	char *instance;                 /* owned */
	struct kube_event_cache *cache; /* owned */
	struct list waiting;            /* pendings, owned */
	struct kube_call *call;         /* owned: of the first one */
	struct timer *timer;            /* owned */
	uint64_t serial;
};

static void send_first(struct kube_recorder *e);

static void drop_first(struct kube_recorder *e)
{
	struct pending *p = LIST_FIRST(&e->waiting, struct pending, link);

	list_remove(&p->link);
	doc_unref(p->event);
	mem_free(p);
}

static void on_timer(void *arg)
{
	send_first(arg);
}

/* ---- writing ---- */

static struct doc *patch_of(const struct doc *event)
{
	static const char *const members[] = { "count", "lastTimestamp", "message" };
	struct doc *patch = doc_new_map();

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		doc_set(patch, members[i], doc_ref(doc_member(event, members[i])));
	return patch;
}

static int64_t retry_ms(const struct pending *p)
{
	uint16_t random = 0;

	/* The first time anything up to the whole: many controllers lose one server at a time. */
	if (p->tries > 1 || getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		return RETRY_MS;
	return random % RETRY_MS;
}

static void on_done(void *arg, const struct kube_answer *a)
{
	struct kube_recorder *e = arg;
	struct pending *p = LIST_FIRST(&e->waiting, struct pending, link);
	int code = a->err->code;

	if (code != 0)
		log_debug("event", kv_err(a->err));
	if (code != 0 && a->status == 0 && ++p->tries < TRIES &&
	    (code == ERR_UNAVAILABLE || code == ERR_TIMEOUT)) {
		kube_call_free(MOVE(e->call));
		timer_start(e->timer, retry_ms(p));
		return;
	}
	if (code == ERR_NOT_FOUND && p->patch) { /* it has expired: write it anew */
		p->patch = false;
	} else {
		if (code != 0) {
			metric_add(&dropped_total, "refused", 1);
			kube_event_forget(e->cache, kube_name(p->event));
		}
		drop_first(e);
	}
	kube_call_free(MOVE(e->call));
	send_first(e);
}

static void send_first(struct kube_recorder *e)
{
	struct pending *p = LIST_FIRST(&e->waiting, struct pending, link);
	AUTO(doc_unrefp) struct doc *patch = NULL;
	struct err err = { 0 };
	struct kube_spec spec;

	if (p == NULL || e->call != NULL || timer_is_running(e->timer))
		return;
	if (p->patch)
		patch = patch_of(p->event);
	spec = (struct kube_spec){ .verb = p->patch ? KUBE_PATCH_MERGE : KUBE_CREATE,
				   .resource = &kube_events,
				   .ns = kube_namespace(p->event),
				   .name = p->patch ? kube_name(p->event) : NULL,
				   .body = p->patch ? patch : p->event,
				   .once = true,
				   .on_done = on_done,
				   .arg = e };
	if (kube_call_start(e->client, &spec, &e->call, &err) == 0)
		return;
	log_debug("event", kv_err(&err));
	metric_add(&dropped_total, "refused", 1);
	drop_first(e);
	timer_start(e->timer, 0);
}

/* ---- making ---- */

static struct doc *involved(const struct kube_resource *r, const struct doc *object)
{
	struct doc *d = doc_new_map();
	char version[KUBE_API_VERSION];

	doc_set_str(d, "apiVersion", kube_api_version(r, version));
	doc_set_str(d, "kind", r->kind);
	doc_set_str(d, "name", kube_name(object));
	doc_set_str(d, "uid", kube_uid(object));
	doc_set_str(d, "resourceVersion", kube_rv(object));
	if (kube_namespace(object)[0] != '\0')
		doc_set_str(d, "namespace", kube_namespace(object));
	return d;
}

static struct doc *make_event(const struct kube_recorder *e, const struct kube_event_fact *fact,
			      const struct kube_event_decision *d, struct doc *involved_object)
{
	const char *ns = doc_str(involved_object, "namespace", "default");
	struct doc *event = kube_new_object(&kube_events, ns, d->name);
	struct doc *source = doc_new_map();
	char now[CLOCK_TEXT];

	clock_print(clock_wall_ms(), now);
	doc_set(event, "involvedObject", involved_object);
	doc_set_str(event, "type", fact->type);
	doc_set_str(event, "reason", fact->reason);
	doc_set_str(event, "message", d->message);
	doc_set_int(event, "count", d->count);
	doc_set_str(event, "firstTimestamp", now);
	doc_set_str(event, "lastTimestamp", now);
	doc_set_str(source, "component", e->component);
	doc_set(event, "source", source);
	doc_set_str(event, "reportingComponent", e->component);
	doc_set_str(event, "reportingInstance", e->instance);
	return event;
}

static void put(struct kube_recorder *e, const struct kube_event_decision *d, struct doc *event)
{
	struct pending *p;

	if (e->waiting.count >= MAX_WAITING) {
		metric_add(&dropped_total, "queue", 1);
		doc_unref(event);
		return;
	}
	p = NEW(struct pending);
	p->patch = d->op == KUBE_EVENT_PATCH;
	p->event = event;
	list_add(&e->waiting, &p->link);
	send_first(e);
}

void kube_event(struct kube_recorder *e, const struct kube_resource *resource,
		const struct doc *object, bool warning, const char *reason, const char *message)
{
	char about[KUBE_KEY + 256];
	char name[NAME_CUT + 40];
	char short_reason[KUBE_EVENT_REASON + 1];
	struct kube_event_fact fact = { .object = about,
					.type = warning ? "Warning" : "Normal",
					.reason = short_reason,
					.message = message };
	struct kube_event_decision d;

	snprintf(about, sizeof(about), "%s %s/%s %s", resource->kind, kube_namespace(object),
		 kube_name(object), kube_uid(object));
	snprintf(short_reason, sizeof(short_reason), "%s", reason);
	snprintf(name, sizeof(name), "%.*s.%llx%04llx", NAME_CUT, kube_name(object),
		 (unsigned long long)clock_wall_ms(), (unsigned long long)(e->serial++ & 0xffff));
	d = kube_event_decide(e->cache, &fact, name, loop_now_ms(kube_client_loop(e->client)));
	if (d.op == KUBE_EVENT_DROP) {
		metric_add(&dropped_total, "limit", 1);
		return;
	}
	put(e, &d, make_event(e, &fact, &d, involved(resource, object)));
}

/* ---- life ---- */

struct kube_recorder *kube_recorder_new(struct kube_client *c, const char *component,
					const char *instance)
{
	struct kube_recorder *e = NEW(struct kube_recorder);

	e->client = c;
	e->component = mem_strdup(component);
	e->instance = mem_strdup(instance);
	e->cache = kube_event_cache_new();
	e->timer = timer_new(kube_client_loop(c), "kube events", on_timer, e);
	return e;
}

void kube_recorder_free(struct kube_recorder *e)
{
	if (e == NULL)
		return;
	kube_call_free(e->call);
	while (e->waiting.first != NULL)
		drop_first(e);
	timer_free(e->timer);
	kube_event_cache_free(e->cache);
	mem_free(e->component);
	mem_free(e->instance);
	mem_free(e);
}
