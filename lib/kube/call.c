/* call.c - one call: its attempts, what is retried, its answer; see client.h. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/metric.h"
#include "kube/client_int.h"

enum {
	MAX_SENT = 80, /* kube-apiserver cuts connections above 100 streams */
	MAX_TRIES = 10,
	TIMEOUT_MS = 32000,
	LIST_TIMEOUT_MS = 60000,
	MIN_RETRY_AFTER_MS = 500, /* "0" must not make a hot loop */
	NO_ANSWER_RETRY_MS = 1000,
	NOT_SENT_RETRY_MS = 100,
	/* A read that got no answer for longer is not tried again: its caller waits already. */
	NO_ANSWER_PATIENCE_MS = 5000,
	MIN_WRITE_MS = 1000,
	MAX_ANSWER = 256 * 1024 * 1024,
	MAX_PATH = 4096,
	MAX_QUERY = 64 * 1024,
};

static const struct {
	const char *name;
	const char *method;
	const char *content_type;
	bool writes;
} verbs[KUBE_VERBS] = {
	[KUBE_GET] = { "get", "GET", NULL, false },
	[KUBE_LIST] = { "list", "GET", NULL, false },
	[KUBE_CREATE] = { "create", "POST", "application/json", true },
	[KUBE_UPDATE] = { "update", "PUT", "application/json", true },
	[KUBE_PATCH_MERGE] = { "patch", "PATCH", "application/merge-patch+json", true },
	[KUBE_PATCH_JSON] = { "patch", "PATCH", "application/json-patch+json", true },
	[KUBE_APPLY] = { "apply", "PATCH", "application/apply-patch+yaml", true },
	[KUBE_DELETE] = { "delete", "DELETE", "application/json", true },
};

static struct metric requests_total = { .name = "kwarp_api_requests_total",
					.help =
					    "Requests sent to the API server, retries included.",
					.type = METRIC_COUNTER,
					.label = "verb" };
static struct metric written_bytes_total = { .name = "kwarp_api_written_bytes_total",
					     .help = "Bytes of bodies sent to the API server.",
					     .type = METRIC_COUNTER };
static struct metric failures_total = { .name = "kwarp_api_request_failures_total",
					.help = "Requests that did not succeed, by error code.",
					.type = METRIC_COUNTER,
					.label = "code" };

struct kube_call {
	struct kube_client *client; /* borrowed */
	enum kube_verb verb;
	enum kube_lane lane;
	struct buf path;
	struct buf query;
	char *body; /* owned; NULL = none */
	size_t len;
	bool raw;
	bool metadata_only;
	bool once;
	int64_t timeout_ms;
	kube_done_fn on_done;
	void *arg; /* borrowed */

	int tries;
	bool tried_creds;
	bool tried_again; /* after no answer */
	int64_t first_sent_ms;
	struct http_request *request; /* owned; NULL = not sent */
	bool counted;                 /* in the client's `sent` */
	struct timer *delay;          /* owned; NULL = never delayed */
	struct list_link link;        /* client's waiting or need_creds */
};

/* ---- ends ---- */

static void tell(struct kube_call *call, const struct kube_answer *a)
{
	if (a->err->code != 0)
		metric_add(&failures_total, err_code_name(a->err->code), 1);
	call->on_done(call->arg, a);
}

static void end_with_error(struct kube_call *call, const struct err *err, const char *reason)
{
	tell(call, &(struct kube_answer){
		       .err = err, .reason = reason, .retry_after_ms = -1, .date_ms = -1 });
}

static void wrap_with_path(const struct kube_call *call, struct err *err)
{
	err_wrap(err, "%s %s", verbs[call->verb].name, buf_str(&call->path));
}

/* The object or Status of an answer, frozen; NULL if it is none. */
static struct doc *parse_answer(const struct kube_call *call, const struct http_answer *a,
				struct err *err)
{
	static const struct doc_limits limits = { .bytes = MAX_ANSWER, .nodes = 40000000 };
	struct doc *object = NULL;

	if (call->raw)
		return NULL;
	if (doc_parse_json(buf_str(&a->body), a->body.len, &limits, &object, err) < 0) {
		err->code = ERR_PROTOCOL;
		err_wrap(err, "answer");
		return NULL;
	}
	return doc_freeze(object);
}

static void end_with_answer(struct kube_call *call, const struct http_answer *a)
{
	AUTO(doc_unrefp) struct doc *object = NULL;
	char reason[KUBE_REASON] = "";
	struct err err = { 0 };

	if (a->status / 100 == 2)
		object = parse_answer(call, a, &err);
	else
		kube_status_err(a->status, buf_str(&a->body), a->body.len, reason, &err);
	if (err.code != 0)
		wrap_with_path(call, &err);
	tell(call, &(struct kube_answer){ .err = &err,
					  .status = a->status,
					  .reason = reason,
					  .object = object,
					  .body = buf_str(&a->body),
					  .len = a->body.len,
					  .retry_after_ms = a->retry_after_ms,
					  .date_ms = a->date_ms });
}

/* ---- again ---- */

static void queue(struct kube_call *call)
{
	struct kube_client *c = call->client;

	list_add(&c->waiting, &call->link);
	if (!timer_is_running(c->pump_timer))
		timer_start(c->pump_timer, 0);
}

static void on_delay(void *arg)
{
	queue(arg);
}

static void again_after(struct kube_call *call, int64_t delay_ms)
{
	if (call->delay == NULL)
		call->delay = timer_new(call->client->loop, "kube retry", on_delay, call);
	timer_start(call->delay, delay_ms);
}

static bool again_for_answer(struct kube_call *call, const struct http_answer *a)
{
	int64_t delay_ms = a->retry_after_ms;

	if (a->status == 401 && !call->tried_creds) {
		call->tried_creds = true;
		if (!kube_client_reload(call->client))
			return false;
		list_add(&call->client->need_creds, &call->link);
		return true;
	}
	if (call->once || (a->status != 429 && a->status < 500) || delay_ms < 0 ||
	    call->tries >= MAX_TRIES)
		return false;
	again_after(call, delay_ms > MIN_RETRY_AFTER_MS ? delay_ms : MIN_RETRY_AFTER_MS);
	return true;
}

static bool again_without_answer(struct kube_call *call, const struct err *err)
{
	int64_t waited_ms = loop_now_ms(call->client->loop) - call->first_sent_ms;
	bool not_sent = err->code == ERR_UNAVAILABLE;

	if (call->once || call->tried_again || waited_ms > NO_ANSWER_PATIENCE_MS)
		return false;
	if (!not_sent && (err->code != ERR_TIMEOUT || verbs[call->verb].writes))
		return false;
	call->tried_again = true;
	again_after(call, not_sent ? NOT_SENT_RETRY_MS : NO_ANSWER_RETRY_MS);
	return true;
}

/* It is not on the way any more: there is room for another. */
static void uncount(struct kube_call *call)
{
	struct kube_client *c = call->client;

	if (!call->counted)
		return;
	call->counted = false;
	c->sent--;
	if (c->waiting.count > 0 && !timer_is_running(c->pump_timer))
		timer_start(c->pump_timer, 0);
}

static void free_request(struct kube_call *call)
{
	uncount(call);
	http_request_free(MOVE(call->request));
}

static void on_http_done(void *arg, const struct http_answer *a, const struct err *err)
{
	struct kube_call *call = arg;

	uncount(call);
	if (a != NULL) {
		kube_client_heard(call->client, a);
		if (again_for_answer(call, a))
			free_request(call);
		else
			end_with_answer(call, a);
		return;
	}
	if (err->code == ERR_TIMEOUT)
		kube_client_renew(call->client, call->lane);
	if (again_without_answer(call, err))
		free_request(call);
	else
		end_with_error(call, err, "");
}

/* ---- sending ---- */

/* For how long this attempt may be on the way; 0 = not at all. */
static int64_t allowed_ms(const struct kube_call *call)
{
	const struct kube_client *c = call->client;
	int64_t left_ms;

	if (c->gate == NULL || !verbs[call->verb].writes || call->lane == KUBE_LEASE)
		return call->timeout_ms;
	/* Not the turn's clock: the turn may have lasted. */
	left_ms = c->gate(c->gate_arg, clock_boot_ms());
	if (left_ms < MIN_WRITE_MS)
		return 0;
	return left_ms < call->timeout_ms ? left_ms : call->timeout_ms;
}

static void refuse(struct kube_call *call)
{
	struct err err = { 0 };

	err_set(&err, ERR_DENIED, "not leading for long enough to write");
	wrap_with_path(call, &err);
	end_with_error(call, &err, "NotLeading");
}

static void send(struct kube_call *call)
{
	struct kube_client *c = call->client;
	struct err err = { 0 };
	struct kube_request r = {
		.lane = call->lane,
		.method = verbs[call->verb].method,
		.path = buf_str(&call->path),
		.query = buf_str(&call->query),
		.content_type = call->body != NULL ? verbs[call->verb].content_type : NULL,
		.accept = call->raw ? "*/*" : NULL,
		.body = call->body,
		.len = call->len,
		.timeout_ms = allowed_ms(call),
		.max_body = MAX_ANSWER,
		.gzip = call->verb == KUBE_LIST,
		.on_done = on_http_done,
		.arg = call,
	};

	if (call->metadata_only)
		r.accept = call->verb == KUBE_LIST
			       ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
			       : "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
	if (r.timeout_ms <= 0) {
		refuse(call);
		return;
	}
	if (call->tries++ == 0)
		call->first_sent_ms = loop_now_ms(c->loop);
	metric_add(&requests_total, verbs[call->verb].name, 1);
	metric_add(&written_bytes_total, NULL, (double)call->len);
	if (kube_request_start(c, &r, &call->request, &err) < 0) {
		end_with_error(call, &err, "");
		return;
	}
	call->counted = call->lane != KUBE_LEASE;
	c->sent += call->counted;
}

static struct kube_call *next_call(struct kube_client *c)
{
	LIST_EACH (struct kube_call, call, &c->waiting, link) {
		if (c->sent < MAX_SENT || call->lane == KUBE_LEASE)
			return call;
	}
	return NULL;
}

void kube_calls_pump(void *client)
{
	struct kube_client *c = client;
	struct kube_call *call;

	/* One by one, and again from the timer: a callback may free the client's other calls. */
	while ((call = next_call(c)) != NULL) {
		list_remove(&call->link);
		send(call);
	}
}

void kube_calls_after_reload(struct kube_client *c)
{
	while (c->need_creds.first != NULL) {
		struct kube_call *call = LIST_FIRST(&c->need_creds, struct kube_call, link);

		list_remove(&call->link);
		queue(call);
	}
}

/* ---- start ---- */

static int set_path(struct kube_call *call, const struct kube_spec *spec, struct err *err)
{
	call->path.max = MAX_PATH;
	if (spec->path != NULL)
		return buf_adds(&call->path, spec->path, err);
	return kube_path(spec->resource, spec->ns, spec->name, spec->subresource, &call->path, err);
}

static int set_query(struct kube_call *call, const struct kube_spec *spec, struct err *err)
{
	call->query.max = MAX_QUERY;
	if (spec->query != NULL && buf_adds(&call->query, spec->query, err) < 0)
		return err->code;
	if (!verbs[spec->verb].writes || spec->verb == KUBE_DELETE)
		return 0;
	return buf_addfe(&call->query, err, "%sfieldManager=%s%s", call->query.len > 0 ? "&" : "",
			 call->client->field_manager,
			 spec->verb == KUBE_APPLY ? "&force=true" : "");
}

int kube_call_start(struct kube_client *c, const struct kube_spec *spec, struct kube_call **ret,
		    struct err *err)
{
	AUTO(kube_call_freep) struct kube_call *call = NEW(struct kube_call);

	ASSERT(spec->on_done != NULL && (spec->path != NULL || spec->resource != NULL));
	call->client = c;
	c->calls++;
	call->verb = spec->verb;
	call->lane = spec->lane;
	call->raw = spec->raw;
	call->metadata_only = spec->metadata_only;
	call->once = spec->once;
	call->timeout_ms = spec->timeout_ms;
	if (call->timeout_ms <= 0)
		call->timeout_ms = spec->verb == KUBE_LIST ? LIST_TIMEOUT_MS : TIMEOUT_MS;
	call->on_done = spec->on_done;
	call->arg = spec->arg;
	if (set_path(call, spec, err) < 0 || set_query(call, spec, err) < 0)
		return err_wrap(err, "%s", verbs[spec->verb].name);
	if (spec->body != NULL) {
		call->body = doc_print_text(spec->body, DOC_COMPACT);
		call->len = strlen(call->body);
	}
	queue(call);
	*ret = MOVE(call);
	return 0;
}

void kube_call_free(struct kube_call *call)
{
	if (call == NULL)
		return;
	free_request(call);
	timer_free(call->delay);
	list_remove(&call->link);
	call->client->calls--;
	buf_done(&call->path);
	buf_done(&call->query);
	mem_free(call->body);
	mem_free(call);
}

void kube_call_freep(struct kube_call **call)
{
	kube_call_free(*call);
	*call = NULL;
}

/* ---- for command-line programs ---- */

struct waited {
	bool done;
	struct err err;
	struct doc *object; /* owned */
};

static void on_waited(void *arg, const struct kube_answer *a)
{
	struct waited *w = arg;

	w->done = true;
	w->err = *a->err;
	if (a->object != NULL)
		w->object = doc_ref(a->object);
}

int kube_call_wait(struct kube_client *c, const struct kube_spec *spec, struct doc **ret,
		   struct err *err)
{
	AUTO(kube_call_freep) struct kube_call *call = NULL;
	struct kube_spec waited_spec = *spec;
	struct waited w = { 0 };

	waited_spec.on_done = on_waited;
	waited_spec.arg = &w;
	if (kube_call_start(c, &waited_spec, &call, err) < 0)
		return err->code;
	while (!w.done)
		loop_turn(c->loop, -1);
	if (w.err.code != 0) {
		doc_unref(w.object);
		return err_set(err, (enum err_code)w.err.code, "%s", w.err.text);
	}
	if (ret != NULL)
		*ret = w.object;
	else
		doc_unref(w.object);
	return 0;
}

struct doc *kube_delete_options(const char *uid, const char *rv, int64_t grace_s)
{
	struct doc *options = doc_new_map();

	doc_set_str(options, "kind", "DeleteOptions");
	doc_set_str(options, "apiVersion", "v1");
	if (grace_s >= 0)
		doc_set_int(options, "gracePeriodSeconds", grace_s);
	if (uid == NULL && rv == NULL)
		return options;
	doc_set(options, "preconditions", doc_new_map());
	doc_set_str(doc_edit(options, "preconditions"), "uid", uid);
	doc_set_str(doc_edit(options, "preconditions"), "resourceVersion", rv);
	return options;
}
