/* http.c - the client on its loop, and pools of connections; see http.h. */
#include "http/http.h"

#include <string.h>

#include "base/mem.h"
#include "http/http_int.h"

/* While transfers are going on, curl is asked at least this often: a missed wake-up costs a second
 * at most. */
enum { LONGEST_WAIT_MS = 1000 };

static void wait_for_curl(void *arg, int epoll_fd, int timeout_ms)
{
	struct http *h = arg;
	struct curl_waitfd extra = { .fd = epoll_fd, .events = CURL_WAIT_POLLIN };
	long curl_ms = -1;
	int active = 0;

	if (h->due || h->events.count > 0)
		timeout_ms = 0;
	if (h->request_count > 0 && timeout_ms > LONGEST_WAIT_MS) {
		timeout_ms = LONGEST_WAIT_MS;
		h->due = true;
	}
	ASSERT(curl_multi_poll(h->multi, &extra, 1, timeout_ms, &active) == CURLM_OK);
	if (active > (extra.revents != 0))
		h->due = true;
	ASSERT(curl_multi_timeout(h->multi, &curl_ms) == CURLM_OK);
	if (curl_ms == 0)
		h->due = true;
}

static void wake_curl(void *arg)
{
	struct http *h = arg;

	(void)curl_multi_wakeup(h->multi);
}

static void take_ended(struct http *h)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left)) != NULL) {
		struct http_request *r = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&r);
		http_request_ended(r, m->data.result);
	}
}

static void on_turn(void *arg)
{
	struct http *h = arg;
	int running;

	if (h->due) {
		h->due = false;
		ASSERT(curl_multi_perform(h->multi, &running) == CURLM_OK);
		take_ended(h);
	}
	while (h->events.first != NULL) {
		struct list_link *link = h->events.first;

		list_remove(link);
		http_request_deliver(http_request_of_link(link));
	}
}

int http_new(struct loop *l, const char *user_agent, struct http **ret, struct err *err)
{
	struct http *h;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(err, ERR_SYSTEM, "HTTP client: TLS library does not start");
	h = NEW(struct http);
	h->loop = l;
	h->user_agent = mem_strdup(user_agent);
	h->multi = curl_multi_init();
	ASSERT(h->multi != NULL);
	curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	/* A server cuts a connection with more; kube-apiserver allows 100. */
	curl_multi_setopt(h->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 80L);
	loop_set_wait(l, wait_for_curl, wake_curl, on_turn, h);
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	if (h == NULL)
		return;
	ASSERT(h->request_count == 0 && h->pool_count == 0);
	loop_set_wait(h->loop, NULL, NULL, NULL, NULL);
	ASSERT(curl_multi_cleanup(h->multi) == CURLM_OK);
	mem_free(h->user_agent);
	mem_free(h);
	curl_global_cleanup();
}

void http_freep(struct http **h)
{
	http_free(*h);
	*h = NULL;
}

static char *copy(const char *bytes, size_t len, size_t *ret_len)
{
	if (bytes == NULL)
		return NULL;
	*ret_len = len;
	return mem_dup(bytes, len);
}

int http_pool_new(struct http *h, const struct http_tls *tls, struct http_pool **ret,
		  struct err *err)
{
	struct http_pool *p;

	if ((tls->cert != NULL) != (tls->key != NULL))
		return err_set(err, ERR_INVALID, "a client certificate needs its key");
	if ((tls->ca != NULL && tls->ca_len == 0) || (tls->cert != NULL && tls->cert_len == 0) ||
	    (tls->key != NULL && tls->key_len == 0))
		return err_set(err, ERR_INVALID, "an empty certificate or key");
	p = NEW(struct http_pool);
	p->http = h;
	p->refs = 1;
	h->pool_count++;
	p->ca = copy(tls->ca, tls->ca_len, &p->ca_len);
	p->cert = copy(tls->cert, tls->cert_len, &p->cert_len);
	p->key = copy(tls->key, tls->key_len, &p->key_len);
	p->server_name = tls->server_name != NULL ? mem_strdup(tls->server_name) : NULL;
	p->proxy = tls->proxy != NULL ? mem_strdup(tls->proxy) : NULL;
	p->insecure = tls->insecure;
	p->share = curl_share_init();
	ASSERT(p->share != NULL);
	curl_share_setopt(p->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	curl_share_setopt(p->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	*ret = p;
	return 0;
}

void http_pool_ref(struct http_pool *p)
{
	p->refs++;
}

void http_pool_free(struct http_pool *p)
{
	if (p == NULL)
		return;
	if (--p->refs > 0)
		return;
	ASSERT(curl_share_cleanup(p->share) == CURLSHE_OK);
	p->http->pool_count--;
	if (p->key != NULL)
		explicit_bzero(p->key, p->key_len);
	mem_free(p->ca);
	mem_free(p->cert);
	mem_free(p->key);
	mem_free(p->server_name);
	mem_free(p->proxy);
	mem_free(p);
}

void http_pool_freep(struct http_pool **p)
{
	http_pool_free(*p);
	*p = NULL;
}
