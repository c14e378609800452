/* client.c - credentials, pools of connections, requests; see client.h. */
#include "kube/client.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "kube/client_int.h"

enum {
	RELOAD_MS = 50000, /* kubelets replace a token well before it ends */
	RENEW_MS = 1000,
	MAX_HEADER = 8192,
	MAX_HEADERS = 8 + KUBE_MAX_GROUPS,
	MAX_URL = 256 * 1024,
};

/* ---- pools ---- */

static int make_pool(struct kube_client *c, struct http_pool **ret, struct err *err)
{
	struct http_tls tls = { .server_name = c->config.server_name,
				.insecure = c->config.insecure,
				.proxy = c->config.proxy };

	if (c->creds.ca.len > 0) {
		tls.ca = c->creds.ca.data;
		tls.ca_len = c->creds.ca.len;
	}
	if (c->creds.cert.len > 0) {
		tls.cert = c->creds.cert.data;
		tls.cert_len = c->creds.cert.len;
		tls.key = buf_str(&c->creds.key);
		tls.key_len = c->creds.key.len;
	}
	if (http_pool_new(c->http, &tls, ret, err) < 0)
		return err_wrap(err, "connection to the API server");
	return 0;
}

static int make_pools(struct kube_client *c, struct http_pool *ret[KUBE_LANES], struct err *err)
{
	for (int i = 0; i < KUBE_LANES; i++) {
		if (make_pool(c, &ret[i], err) == 0)
			continue;
		while (--i >= 0)
			http_pool_free(ret[i]);
		return err->code;
	}
	return 0;
}

void kube_client_renew(struct kube_client *c, enum kube_lane lane)
{
	int64_t now_ms = loop_now_ms(c->loop);
	struct http_pool *pool;
	struct err err = { 0 };

	/* Not for each of many requests that one dead connection takes with it. */
	if (c->renewed_ms[lane] != 0 && now_ms - c->renewed_ms[lane] < RENEW_MS)
		return;
	if (make_pool(c, &pool, &err) < 0)
		return;
	http_pool_free(c->pools[lane]);
	c->pools[lane] = pool;
	c->renewed_ms[lane] = now_ms;
}

static void free_pools(struct kube_client *c)
{
	for (int i = 0; i < KUBE_LANES; i++)
		http_pool_free(MOVE(c->pools[i]));
}

/* ---- credentials that change ---- */

struct reload {
	struct kube_client *client; /* borrowed: freed after its workers */
	struct kube_creds creds;
	struct err err;
	bool ran;
};

static void run_reload(void *item)
{
	struct reload *r = item;

	r->ran = true;
	/* The config does not change, so reading it here is safe. */
	if (kube_creds_read(&r->client->config, &r->creds, &r->err) < 0)
		return;
}

static bool is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void take_creds(struct kube_client *c, struct kube_creds *fresh)
{
	struct http_pool *pools[KUBE_LANES];
	struct err err = { 0 };
	bool same_tls = is_same(&fresh->ca, &c->creds.ca) &&
			is_same(&fresh->cert, &c->creds.cert) &&
			is_same(&fresh->key, &c->creds.key);
	struct kube_creds old = c->creds;

	c->creds = *fresh;
	*fresh = (struct kube_creds){ 0 };
	if (!same_tls && make_pools(c, pools, &err) < 0) {
		log_debug("new certificates not taken", kv_err(&err));
		kube_creds_done(&c->creds);
		c->creds = old;
		return;
	}
	kube_creds_done(&old);
	if (same_tls)
		return;
	/* Requests going on keep their pool alive; new ones connect anew. */
	free_pools(c);
	memcpy(c->pools, pools, sizeof(pools));
}

static void done_reload(void *item)
{
	struct reload *r = item;
	struct kube_client *c = r->client;

	c->reloading = false;
	if (r->ran && r->err.code == 0)
		take_creds(c, &r->creds);
	else if (r->ran)
		log_debug("credentials not read again", kv_err(&r->err));
	kube_creds_done(&r->creds);
	if (r->ran) {
		timer_start(c->reload_timer, RELOAD_MS);
		kube_calls_after_reload(c);
	}
	mem_free(r);
}

bool kube_client_reload(struct kube_client *c)
{
	struct reload *r;
	struct err err = { 0 };

	if (c->workers == NULL)
		return false;
	if (c->reloading)
		return true;
	r = NEW(struct reload);
	r->client = c;
	c->reloading = true;
	if (work_submit(c->workers, run_reload, done_reload, r, &err) < 0)
		ASSERT(!"one item at a time fits");
	return true;
}

static void on_reload_timer(void *arg)
{
	kube_client_reload(arg);
}

/* ---- life ---- */

static int init(struct kube_client *c, const char *field_manager, struct err *err)
{
	AUTO(buf_done) struct buf escaped = { .max = 1024 };

	if (http_escape(field_manager, &escaped, err) < 0)
		return err->code;
	c->field_manager = buf_take(&escaped);
	if (kube_creds_read(&c->config, &c->creds, err) < 0 || make_pools(c, c->pools, err) < 0)
		return err->code;
	if (!kube_config_has_files(&c->config))
		return 0;
	if (work_pool_new(c->loop, 1, &c->workers, err) < 0)
		return err->code;
	timer_start(c->reload_timer, RELOAD_MS);
	return 0;
}

int kube_client_new(const struct kube_client_spec *spec, struct kube_client **ret, struct err *err)
{
	AUTO(kube_client_freep) struct kube_client *c = NEW(struct kube_client);

	c->loop = spec->loop;
	c->http = spec->http;
	c->config = *spec->config;
	*spec->config = (struct kube_config){ 0 };
	c->reload_timer = timer_new(c->loop, "kube credentials", on_reload_timer, c);
	c->pump_timer = timer_new(c->loop, "kube calls", kube_calls_pump, c);
	if (init(c, spec->field_manager != NULL ? spec->field_manager : "kwarp", err) < 0)
		return err->code;
	*ret = MOVE(c);
	return 0;
}

void kube_client_free(struct kube_client *c)
{
	if (c == NULL)
		return;
	ASSERT(c->calls == 0 && c->reflectors == 0);
	work_pool_free(c->workers);
	timer_free(c->reload_timer);
	timer_free(c->pump_timer);
	free_pools(c);
	kube_creds_done(&c->creds);
	kube_config_done(&c->config);
	mem_free(c->field_manager);
	mem_free(c);
}

void kube_client_freep(struct kube_client **c)
{
	kube_client_free(*c);
	*c = NULL;
}

const struct kube_config *kube_client_config(const struct kube_client *c)
{
	return &c->config;
}

struct loop *kube_client_loop(const struct kube_client *c)
{
	return c->loop;
}

void kube_client_set_gate(struct kube_client *c, kube_gate_fn left_ms, void *arg)
{
	c->gate = left_ms;
	c->gate_arg = arg;
}

size_t kube_client_in_flight(const struct kube_client *c)
{
	return c->calls;
}

/* ---- the server's clock ---- */

void kube_client_heard(struct kube_client *c, const struct http_answer *a)
{
	if (a->date_ms < 0)
		return;
	c->server_ms = a->date_ms;
	c->server_at_ms = loop_now_ms(c->loop);
}

bool kube_client_server_now_ms(const struct kube_client *c, int64_t *ret_wall_ms)
{
	if (c->server_at_ms == 0)
		return false;
	*ret_wall_ms = c->server_ms + loop_now_ms(c->loop) - c->server_at_ms;
	return true;
}

/* ---- requests ---- */

struct header_lines {
	struct buf texts[MAX_HEADERS];
	const char *lines[MAX_HEADERS + 1];
	size_t count;
};

static void header_lines_done(struct header_lines *h)
{
	for (size_t i = 0; i < h->count; i++)
		buf_done(&h->texts[i]);
}

static int add_header(struct header_lines *h, const char *name, const char *value, struct err *err)
{
	struct buf *b = &h->texts[h->count];

	if (value == NULL)
		return 0;
	ASSERT(h->count < MAX_HEADERS);
	b->max = MAX_HEADER;
	if (buf_addfe(b, err, "%s: %s", name, value) < 0)
		return err_wrap(err, "header %s", name);
	h->lines[h->count++] = buf_str(b);
	return 0;
}

static int add_headers(const struct kube_client *c, const struct kube_request *r,
		       struct header_lines *h, struct err *err)
{
	if (add_header(h, "Accept", r->accept != NULL ? r->accept : "application/json", err) < 0 ||
	    add_header(h, "Content-Type", r->content_type, err) < 0 ||
	    add_header(h, "Impersonate-User", c->config.impersonate, err) < 0)
		return err->code;
	for (size_t i = 0; c->config.impersonate_groups[i] != NULL; i++)
		if (add_header(h, "Impersonate-Group", c->config.impersonate_groups[i], err) < 0)
			return err->code;
	return 0;
}

int kube_request_start(struct kube_client *c, const struct kube_request *r,
		       struct http_request **ret, struct err *err)
{
	AUTO(header_lines_done) struct header_lines headers = { 0 };
	AUTO(buf_done) struct buf url = { .max = MAX_URL };
	bool has_query = r->query != NULL && r->query[0] != '\0';

	if (add_headers(c, r, &headers, err) < 0)
		return err->code;
	if (buf_addfe(&url, err, "%s%s%s%s", c->config.server, r->path, has_query ? "?" : "",
		      has_query ? r->query : "") < 0)
		return err_wrap(err, "URL");
	return http_start(c->pools[r->lane],
			  &(struct http_spec){
			      .method = r->method,
			      .url = buf_str(&url),
			      .headers = headers.lines,
			      .bearer = c->creds.token.len > 0 ? buf_str(&c->creds.token) : NULL,
			      .body = r->body,
			      .body_len = r->len,
			      .timeout_ms = r->timeout_ms,
			      .max_body = r->max_body,
			      .gzip = r->gzip,
			      .on_body = r->on_body,
			      .on_done = r->on_done,
			      .arg = r->arg,
			  },
			  ret, err);
}
