/* watch.c - the reflector's rules; see watch.h. "R3" and the like are its numbers in client-go's
 * order of duties, as our notes on Kubernetes list them. */
#include "kube/watch.h"

#include <string.h>

#include "base/mem.h"
#include "http/http.h"
#include "kube/lines.h"
#include "kube/object.h"
#include "kube/status.h"

enum {
	PAGE = 500,
	LIST_TIMEOUT_MS = 60000,
	STREAM_MIN_S = 300,
	STREAM_SLACK_MS = 30000,
	SILENCE_MS = 150000, /* bookmarks come about once a minute */
	INITIAL_SILENCE_MS = 10000,
	INITIAL_LIMIT_MS = 120000,
	SHORT_STREAM_MS = 1000,
	BACKOFF_MS = 800,
	BACKOFF_MAX_MS = 30000,
	HEALTHY_MS = 120000,
	STREAM_TRIES = 3,
	MAX_LINE = 8 * 1024 * 1024,
	MAX_QUERY = 64 * 1024,
};

enum phase {
	NEED_LIST,
	LISTING,
	NEED_STREAM,
	INITIAL, /* a WatchList before its end mark */
	STREAMING,
};

struct kube_watch {
	struct kube_watch_spec spec; /* its strings are owned */
	struct kube_store *store;    /* borrowed */
	enum phase phase;
	struct kube_lines lines;
	struct buf query;
	uint64_t random;

	char *token;       /* owned: of the next page; NULL = first page */
	char *list_rv;     /* owned: of the list being paged */
	bool asked_rv;     /* the request going on names a version */
	bool version_gone; /* ask without one */
	int expired_pages;
	bool watchlist_known_bad;
	bool list_now; /* no WatchList this time */

	int failures;
	int64_t failed_ms;
	int64_t wait_until_ms;
	int stream_failures;
	int gone_in_a_row;

	int64_t started_ms;
	int64_t heard_ms;
	bool heard_in_stream;
	struct err trouble;
	struct kube_watch_counts counts;
};

static char *copy_or_null(const char *s)
{
	return s != NULL ? mem_strdup(s) : NULL;
}

struct kube_watch *kube_watch_new(const struct kube_watch_spec *spec, struct kube_store *store)
{
	struct kube_watch *w = NEW(struct kube_watch);

	w->spec = *spec;
	w->spec.kind = copy_or_null(spec->kind);
	w->spec.label_selector = copy_or_null(spec->label_selector);
	w->spec.field_selector = copy_or_null(spec->field_selector);
	w->store = store;
	w->random = spec->seed * 2 + 1;
	w->lines.max = spec->max_line > 0 ? spec->max_line : MAX_LINE;
	w->query.max = MAX_QUERY;
	return w;
}

void kube_watch_free(struct kube_watch *w)
{
	if (w == NULL)
		return;
	mem_freep(&w->spec.kind);
	mem_freep(&w->spec.label_selector);
	mem_freep(&w->spec.field_selector);
	kube_lines_done(&w->lines);
	buf_done(&w->query);
	mem_free(w->token);
	mem_free(w->list_rv);
	mem_free(w);
}

/* ---- waiting ---- */

static uint64_t next_random(struct kube_watch *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

/* Count a failure and wait: 0.8 s, doubling to 30 s, up to as much again by chance. */
static void back_off(struct kube_watch *w, int64_t at_least_ms, int64_t now_ms)
{
	int64_t ms;

	if (now_ms - w->failed_ms >= HEALTHY_MS)
		w->failures = 0;
	ms = w->failures < 6 ? (int64_t)BACKOFF_MS << w->failures : BACKOFF_MAX_MS;
	ms = ms < BACKOFF_MAX_MS ? ms : BACKOFF_MAX_MS;
	ms += (int64_t)(next_random(w) % (uint64_t)ms);
	w->failures++;
	w->failed_ms = now_ms;
	w->wait_until_ms = now_ms + (ms > at_least_ms ? ms : at_least_ms);
}

static void note_trouble(struct kube_watch *w, const struct err *err)
{
	w->trouble = *err;
}

static void restart_list(struct kube_watch *w)
{
	mem_free(MOVE(w->token));
	mem_free(MOVE(w->list_rv));
	w->phase = NEED_LIST;
}

/* ---- what to ask ---- */

static bool wants_watchlist(const struct kube_watch *w)
{
	return !w->spec.no_watchlist && !w->watchlist_known_bad && !w->list_now && w->token == NULL;
}

static void add_query(struct kube_watch *w, const char *name, const char *value)
{
	struct err err = { 0 };

	if (value == NULL)
		return;
	if (buf_addfe(&w->query, &err, "%s%s=", w->query.len > 0 ? "&" : "", name) < 0 ||
	    http_escape(value, &w->query, &err) < 0)
		ASSERT(!"selectors and tokens are bounded");
}

static void begin_query(struct kube_watch *w)
{
	buf_reset(&w->query);
	add_query(w, "labelSelector", w->spec.label_selector);
	add_query(w, "fieldSelector", w->spec.field_selector);
}

/* The version from which to list, or NULL for a quorum read (R1, R2). */
static const char *list_version(const struct kube_watch *w)
{
	const char *rv = kube_store_rv(w->store);

	if (w->version_gone)
		return NULL;
	if (rv[0] != '\0')
		return rv;
	return w->spec.any_version ? "0" : NULL;
}

static struct kube_watch_step list_step(struct kube_watch *w)
{
	const char *rv = w->token == NULL ? list_version(w) : NULL;

	begin_query(w);
	add_query(w, "resourceVersion", rv);
	/* R4: a limit beside a version bypasses the server's cache. A list whose pages expired
	 * twice is asked for in one piece. */
	if (rv == NULL && w->expired_pages < 2)
		add_query(w, "limit", "500");
	add_query(w, "continue", w->token);
	w->asked_rv = rv != NULL;
	w->phase = LISTING;
	return (struct kube_watch_step){ .op = KUBE_WATCH_LIST,
					 .query = buf_str(&w->query),
					 .timeout_ms = LIST_TIMEOUT_MS };
}

static struct kube_watch_step stream_step(struct kube_watch *w, bool initial, int64_t now_ms)
{
	const char *rv = initial ? list_version(w) : kube_store_rv(w->store);
	int64_t seconds = STREAM_MIN_S + (int64_t)(next_random(w) % STREAM_MIN_S);
	struct err err = { 0 };

	begin_query(w);
	add_query(w, "watch", "true");
	add_query(w, "allowWatchBookmarks", "true");
	if (initial) {
		add_query(w, "sendInitialEvents", "true");
		add_query(w, "resourceVersionMatch", "NotOlderThan");
		kube_store_list_begin(w->store);
	}
	add_query(w, "resourceVersion", rv);
	if (buf_addfe(&w->query, &err, "&timeoutSeconds=%lld", (long long)seconds) < 0)
		ASSERT(!"the query is bounded");
	w->asked_rv = rv != NULL;
	w->phase = initial ? INITIAL : STREAMING;
	w->started_ms = now_ms;
	w->heard_in_stream = false;
	w->counts.streams++;
	kube_lines_reset(&w->lines);
	return (struct kube_watch_step){ .op = KUBE_WATCH_STREAM,
					 .query = buf_str(&w->query),
					 .timeout_ms = seconds * 1000 + STREAM_SLACK_MS };
}

struct kube_watch_step kube_watch_next(struct kube_watch *w, int64_t now_ms)
{
	ASSERT(w->phase == NEED_LIST || w->phase == NEED_STREAM);
	if (now_ms < w->wait_until_ms)
		return (struct kube_watch_step){ .op = KUBE_WATCH_WAIT, .at_ms = w->wait_until_ms };
	if (w->phase == NEED_STREAM)
		return stream_step(w, false, now_ms);
	if (wants_watchlist(w))
		return stream_step(w, true, now_ms);
	return list_step(w);
}

/* ---- whole lists ---- */

static void list_complete(struct kube_watch *w, const char *rv)
{
	kube_store_list_end(w->store, rv);
	w->version_gone = false;
	w->list_now = false;
	w->expired_pages = 0;
	w->stream_failures = 0;
	w->counts.lists++;
	err_clear(&w->trouble);
}

static int check_list(const struct kube_watch *w, const struct doc *list, struct err *err)
{
	const char *kind = doc_str(list, "kind", "");
	size_t len = strlen(kind);

	if (len < 4 || strcmp(kind + len - 4, "List") != 0 ||
	    (w->spec.kind != NULL &&
	     (strlen(w->spec.kind) != len - 4 || strncmp(kind, w->spec.kind, len - 4) != 0)))
		return err_set(err, ERR_PROTOCOL, "asked for a list of %s, got \"%.60s\"",
			       w->spec.kind != NULL ? w->spec.kind : "objects", kind);
	if (kube_rv(list)[0] == '\0')
		return err_set(err, ERR_PROTOCOL, "a list without resourceVersion");
	return 0;
}

static int take_page(struct kube_watch *w, const char *body, size_t len, struct err *err)
{
	/* Bounded by what HTTP lets through; a list in one piece may be long. */
	static const struct doc_limits limits = { .bytes = 512u << 20, .nodes = 40000000 };
	AUTO(doc_unrefp) struct doc *list = NULL;
	const char *token;

	if (doc_parse_json(body, len, &limits, &list, err) < 0 || check_list(w, list, err) < 0)
		return err->code;
	if (w->token == NULL) {
		kube_store_list_begin(w->store);
		mem_free(w->list_rv);
		w->list_rv = mem_strdup(kube_rv(list));
	}
	DOC_EACH(doc_get(list, "items"), item)
	{
		kube_store_list_add(w->store, doc_ref(item));
	}
	token = doc_str(list, "metadata.continue", "");
	mem_free(MOVE(w->token));
	if (token[0] != '\0' && strlen(token) < MAX_QUERY / 8) {
		w->token = mem_strdup(token);
		w->phase = NEED_LIST;
		return 0;
	}
	if (token[0] != '\0')
		return err_set(err, ERR_PROTOCOL, "a continue token of %zu bytes", strlen(token));
	list_complete(w, w->list_rv);
	w->phase = NEED_STREAM;
	return 0;
}

static void list_gone(struct kube_watch *w, int64_t now_ms)
{
	bool in_pages = w->token != NULL;

	w->counts.gone++;
	restart_list(w);
	if (in_pages)
		w->expired_pages++;
	/* R2: at once, once; then with patience. */
	if (!in_pages && (w->version_gone || !w->asked_rv))
		back_off(w, 0, now_ms);
	w->version_gone = true;
}

void kube_watch_on_list(struct kube_watch *w, const struct kube_watch_answer *a, int64_t now_ms)
{
	struct err err = { 0 };

	ASSERT(w->phase == LISTING);
	w->heard_ms = now_ms;
	if (a->status / 100 == 2 && take_page(w, a->body, a->len, &err) == 0)
		return;
	if (a->status / 100 != 2)
		kube_status_err(a->status, a->body, a->len, NULL, &err);
	note_trouble(w, &err);
	if (err.code == ERR_GONE) {
		list_gone(w, now_ms);
		return;
	}
	restart_list(w);
	back_off(w, a->retry_after_ms, now_ms);
}

/* ---- streams ---- */

/* R3: list again at the last version first; if that is gone as well, list_gone asks without. */
static void stream_gone(struct kube_watch *w, int64_t now_ms)
{
	w->counts.gone++;
	if (w->phase == INITIAL) {
		if (w->version_gone || !w->asked_rv)
			back_off(w, 0, now_ms);
		w->version_gone = true;
	} else if (w->gone_in_a_row++ > 0) {
		back_off(w, 0, now_ms);
	}
	restart_list(w);
}

/* The stream cannot go on for a reason that is not about versions. */
static void stream_failed(struct kube_watch *w, int64_t at_least_ms, int64_t now_ms)
{
	back_off(w, at_least_ms, now_ms);
	if (w->phase == INITIAL) {
		w->list_now = true;
		restart_list(w);
		return;
	}
	w->phase = NEED_STREAM;
	if (++w->stream_failures >= STREAM_TRIES) {
		w->stream_failures = 0;
		restart_list(w);
	}
}

static bool on_error_event(struct kube_watch *w, const struct doc *status, int64_t now_ms)
{
	struct err err = { 0 };

	kube_status_err_of((int)doc_int(status, "code", 500), status, NULL, &err);
	note_trouble(w, &err);
	if (err.code == ERR_GONE)
		stream_gone(w, now_ms);
	else
		stream_failed(w, doc_int(status, "details.retryAfterSeconds", 0) * 1000, now_ms);
	return false;
}

static void on_bookmark(struct kube_watch *w, const struct doc *object)
{
	const char *end_mark = kube_annotation(object, "k8s.io/initial-events-end");

	if (w->phase == STREAMING) {
		kube_store_set_rv(w->store, kube_rv(object));
		return;
	}
	/* R8: before the end mark, versions say nothing about progress. */
	if (end_mark == NULL || strcmp(end_mark, "true") != 0 || kube_rv(object)[0] == '\0')
		return;
	list_complete(w, kube_rv(object));
	w->phase = STREAMING;
}

static void on_initial(struct kube_watch *w, const char *type, const struct doc *object)
{
	if (strcmp(type, "DELETED") == 0)
		kube_store_list_remove(w->store, doc_ref(object));
	else
		kube_store_list_add(w->store, doc_ref(object));
}

static void on_change(struct kube_watch *w, const char *type, const struct doc *object)
{
	if (strcmp(type, "DELETED") == 0)
		kube_store_remove(w->store, doc_ref(object));
	else
		kube_store_set(w->store, doc_ref(object));
	kube_store_set_rv(w->store, kube_rv(object));
}

static bool is_change(const struct kube_watch *w, const char *type, const struct doc *object)
{
	if (strcmp(type, "ADDED") != 0 && strcmp(type, "MODIFIED") != 0 &&
	    strcmp(type, "DELETED") != 0)
		return false;
	return w->spec.kind == NULL || strcmp(doc_str(object, "kind", ""), w->spec.kind) == 0;
}

static bool on_event(struct kube_watch *w, const struct doc *event, int64_t now_ms)
{
	const char *type = doc_str(event, "type", "");
	const struct doc *object = doc_get(event, "object");

	if (strcmp(type, "ERROR") == 0)
		return on_error_event(w, object, now_ms);
	w->counts.events++;
	w->stream_failures = 0;
	w->gone_in_a_row = 0;
	err_clear(&w->trouble);
	if (strcmp(type, "BOOKMARK") == 0)
		on_bookmark(w, object);
	else if (!is_change(w, type, object))
		w->counts.unknown++;
	else if (w->phase == INITIAL)
		on_initial(w, type, object);
	else
		on_change(w, type, object);
	return true;
}

static bool on_line(struct kube_watch *w, const char *line, size_t len, int64_t now_ms)
{
	AUTO(doc_unrefp) struct doc *event = NULL;
	struct err err = { 0 };

	if (doc_parse_json(line, len, NULL, &event, &err) < 0) {
		err_wrap(&err, "watch event");
		note_trouble(w, &err);
		stream_failed(w, 0, now_ms);
		return false;
	}
	return on_event(w, event, now_ms);
}

bool kube_watch_on_bytes(struct kube_watch *w, const char *bytes, size_t len, int64_t now_ms)
{
	struct err err = { 0 };
	const char *line;
	size_t line_len;
	int rc;

	ASSERT(w->phase == INITIAL || w->phase == STREAMING);
	w->heard_ms = now_ms;
	w->heard_in_stream = true;
	kube_lines_feed(&w->lines, bytes, len);
	while ((rc = kube_lines_next(&w->lines, &line, &line_len, &err)) > 0) {
		if (on_line(w, line, line_len, now_ms))
			continue;
		kube_lines_reset(&w->lines);
		return false;
	}
	if (rc == 0)
		return true;
	note_trouble(w, &err);
	stream_failed(w, 0, now_ms);
	return false;
}

/* The stream is over, by the server's will or by accident: that is normal unless it was short. */
static void stream_over(struct kube_watch *w, int64_t now_ms)
{
	bool was_short = now_ms - w->started_ms < SHORT_STREAM_MS && !w->heard_in_stream;

	if (was_short || w->phase == INITIAL) {
		stream_failed(w, 0, now_ms);
		return;
	}
	w->phase = NEED_STREAM;
}

void kube_watch_on_end(struct kube_watch *w, const struct kube_watch_answer *a, int64_t now_ms)
{
	struct err err = { 0 };

	ASSERT(w->phase == INITIAL || w->phase == STREAMING);
	if (a->status / 100 == 2) {
		stream_over(w, now_ms);
		return;
	}
	kube_status_err(a->status, a->body, a->len, NULL, &err);
	note_trouble(w, &err);
	if (err.code == ERR_GONE) {
		stream_gone(w, now_ms);
	} else if (err.code == ERR_UNAVAILABLE) { /* R10: the same again, later */
		back_off(w, a->retry_after_ms, now_ms);
		w->phase = w->phase == INITIAL ? NEED_LIST : NEED_STREAM;
	} else if (w->phase == INITIAL && err.code == ERR_INVALID) {
		w->watchlist_known_bad = true; /* it does not know the parameters */
		restart_list(w);
	} else {
		stream_failed(w, a->retry_after_ms, now_ms);
	}
}

void kube_watch_on_failure(struct kube_watch *w, const struct err *err, int64_t now_ms)
{
	ASSERT(w->phase != NEED_LIST && w->phase != NEED_STREAM);
	note_trouble(w, err);
	if (w->phase == LISTING) {
		restart_list(w);
		back_off(w, 0, now_ms);
	} else if (err->code == ERR_UNAVAILABLE) {
		back_off(w, 0, now_ms);
		w->phase = w->phase == INITIAL ? NEED_LIST : NEED_STREAM;
	} else {
		stream_over(w, now_ms);
	}
}

int64_t kube_watch_deadline_ms(const struct kube_watch *w)
{
	int64_t silence_ms = w->spec.silence_ms > 0 ? w->spec.silence_ms : SILENCE_MS;
	int64_t last_ms = w->heard_ms > w->started_ms ? w->heard_ms : w->started_ms;

	if (w->phase != INITIAL)
		return last_ms + silence_ms;
	if (last_ms + INITIAL_SILENCE_MS < w->started_ms + INITIAL_LIMIT_MS)
		return last_ms + INITIAL_SILENCE_MS;
	return w->started_ms + INITIAL_LIMIT_MS;
}

bool kube_watch_on_deadline(struct kube_watch *w, int64_t now_ms)
{
	struct err err = { 0 };

	ASSERT(w->phase == INITIAL || w->phase == STREAMING);
	if (now_ms < kube_watch_deadline_ms(w))
		return true;
	w->counts.silent++;
	err_set(&err, ERR_TIMEOUT, "the watch was silent for too long");
	note_trouble(w, &err);
	if (w->phase == STREAMING) {
		w->phase = NEED_STREAM;
		return false;
	}
	/* It answers, but never ends the list: it does not know what it was asked for. */
	w->watchlist_known_bad = w->heard_in_stream;
	w->list_now = true;
	restart_list(w);
	return false;
}

const struct err *kube_watch_trouble(const struct kube_watch *w)
{
	return &w->trouble;
}

int64_t kube_watch_heard_ms(const struct kube_watch *w)
{
	return w->heard_ms;
}

const struct kube_watch_counts *kube_watch_counts(const struct kube_watch *w)
{
	return &w->counts;
}
