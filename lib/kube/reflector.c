/* reflector.c - see reflector.h. */
#include "kube/reflector.h"

#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/metric.h"
#include "kube/client_int.h"

enum { MAX_LIST = 512 * 1024 * 1024 };

static struct metric restarts_total = { .name = "kwarp_watch_restarts_total",
					.help = "Lists and watches begun, by what was asked.",
					.type = METRIC_COUNTER,
					.label = "request" };

struct kube_reflector {
	struct kube_client *client; /* borrowed */
	const struct kube_resource *resource;
	struct kube_store *store; /* borrowed */
	struct kube_watch *watch; /* owned */
	struct buf path;
	struct timer *timer;          /* owned: the next step, or the deadline of a stream */
	struct http_request *request; /* owned */
	bool streaming;
	bool was_synced;
	void (*on_synced)(void *arg);
	void *arg; /* borrowed */
};

static void step(struct kube_reflector *r);

static int64_t now_of(const struct kube_reflector *r)
{
	return loop_now_ms(r->client->loop);
}

static void log_trouble(const struct kube_reflector *r)
{
	const struct err *err = kube_watch_trouble(r->watch);

	if (err->code != 0)
		log_debug("watch interrupted", kv_str("path", buf_str(&r->path)), kv_err(err));
}

/* The request is over: drop it and go on. */
static void go_on(struct kube_reflector *r)
{
	http_request_free(MOVE(r->request));
	r->streaming = false;
	log_trouble(r);
	step(r);
}

/* Last in each callback: on_synced may free the reflector. */
static void tell_synced(struct kube_reflector *r)
{
	if (r->was_synced || !kube_store_is_synced(r->store))
		return;
	r->was_synced = true;
	if (r->on_synced != NULL)
		r->on_synced(r->arg);
}

static void on_body(void *arg, const char *bytes, size_t len)
{
	struct kube_reflector *r = arg;

	if (!kube_watch_on_bytes(r->watch, bytes, len, now_of(r)))
		go_on(r);
	tell_synced(r);
}

static void on_done(void *arg, const struct http_answer *a, const struct err *err)
{
	struct kube_reflector *r = arg;
	int64_t now_ms = now_of(r);

	if (a == NULL) {
		if (err->code == ERR_TIMEOUT)
			kube_client_renew(r->client, KUBE_WATCH);
		kube_watch_on_failure(r->watch, err, now_ms);
	} else {
		struct kube_watch_answer answer = { a->status, buf_str(&a->body), a->body.len,
						    a->retry_after_ms };

		kube_client_heard(r->client, a);
		if (a->status == 401)
			kube_client_reload(r->client);
		if (r->streaming)
			kube_watch_on_end(r->watch, &answer, now_ms);
		else
			kube_watch_on_list(r->watch, &answer, now_ms);
	}
	go_on(r);
	tell_synced(r);
}

static void on_timer(void *arg)
{
	struct kube_reflector *r = arg;

	if (!r->streaming) {
		step(r);
	} else if (kube_watch_on_deadline(r->watch, now_of(r))) {
		timer_start_at(r->timer, kube_watch_deadline_ms(r->watch));
	} else {
		kube_client_renew(r->client, KUBE_WATCH);
		go_on(r);
	}
}

static void ask(struct kube_reflector *r, const struct kube_watch_step *s)
{
	bool stream = s->op == KUBE_WATCH_STREAM;
	struct err err = { 0 };
	struct kube_request request = {
		.lane = KUBE_WATCH,
		.method = "GET",
		.path = buf_str(&r->path),
		.query = s->query,
		.timeout_ms = s->timeout_ms,
		.max_body = MAX_LIST,
		.gzip = !stream,
		.on_body = stream ? on_body : NULL,
		.on_done = on_done,
		.arg = r,
	};

	r->streaming = stream;
	metric_add(&restarts_total, stream ? "watch" : "list", 1);
	if (kube_request_start(r->client, &request, &r->request, &err) < 0) {
		kube_watch_on_failure(r->watch, &err, now_of(r));
		r->streaming = false;
		timer_start(r->timer, 0);
		return;
	}
	if (stream)
		timer_start_at(r->timer, kube_watch_deadline_ms(r->watch));
}

static void step(struct kube_reflector *r)
{
	struct kube_watch_step s = kube_watch_next(r->watch, now_of(r));

	timer_stop(r->timer);
	if (s.op == KUBE_WATCH_WAIT)
		timer_start_at(r->timer, s.at_ms);
	else
		ask(r, &s);
}

static int init(struct kube_reflector *r, const struct kube_reflector_spec *spec, struct err *err)
{
	AUTO(buf_done) struct buf by_name = { .max = 512 };
	struct kube_watch_spec watch = spec->watch;

	r->path.max = 4096;
	if (kube_path(spec->resource, spec->ns, NULL, NULL, &r->path, err) < 0)
		return err_wrap(err, "watch");
	if (spec->name != NULL) {
		if (buf_addfe(&by_name, err, "metadata.name=%s", spec->name) < 0)
			return err_wrap(err, "watch");
		watch.field_selector = buf_str(&by_name);
	}
	watch.kind = spec->resource->kind;
	/* A failure leaves the clock's bits: only jitter depends on it. */
	if (getrandom(&watch.seed, sizeof(watch.seed), GRND_NONBLOCK) < 0)
		watch.seed = (uint64_t)now_of(r);
	r->watch = kube_watch_new(&watch, r->store);
	return 0;
}

int kube_reflector_start(const struct kube_reflector_spec *spec, struct kube_reflector **ret,
			 struct err *err)
{
	AUTO(kube_reflector_freep) struct kube_reflector *r = NEW(struct kube_reflector);

	r->client = spec->client;
	r->client->reflectors++;
	r->resource = spec->resource;
	r->store = spec->store;
	r->on_synced = spec->on_synced;
	r->arg = spec->arg;
	r->timer = timer_new(r->client->loop, "kube watch", on_timer, r);
	if (init(r, spec, err) < 0)
		return err->code;
	timer_start(r->timer, 0);
	*ret = MOVE(r);
	return 0;
}

void kube_reflector_free(struct kube_reflector *r)
{
	if (r == NULL)
		return;
	http_request_free(r->request);
	timer_free(r->timer);
	kube_watch_free(r->watch);
	buf_done(&r->path);
	r->client->reflectors--;
	mem_free(r);
}

void kube_reflector_freep(struct kube_reflector **r)
{
	kube_reflector_free(*r);
	*r = NULL;
}

const struct kube_watch *kube_reflector_watch(const struct kube_reflector *r)
{
	return r->watch;
}
