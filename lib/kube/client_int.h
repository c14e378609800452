/* client_int.h - what client, calls and reflectors share. */
#ifndef KUBE_CLIENT_INT_H
#define KUBE_CLIENT_INT_H

#include "base/list.h"
#include "base/work.h"
#include "kube/client.h"

struct kube_client {
	struct loop *loop; /* borrowed */
	struct http *http; /* borrowed */
	struct kube_config config;
	struct kube_creds creds;
	char *field_manager;                 /* owned, escaped for a query */
	struct http_pool *pools[KUBE_LANES]; /* owned */
	int64_t renewed_ms[KUBE_LANES];

	struct work_pool *workers; /* owned; NULL if nothing comes from files */
	struct timer *reload_timer;
	bool reloading;

	struct timer *pump_timer; /* owned */
	struct list waiting;      /* calls to be sent */
	struct list need_creds;   /* calls that wait for credentials to be read again */
	size_t sent;
	size_t calls;
	size_t reflectors;

	kube_gate_fn gate;
	void *gate_arg;       /* borrowed */
	int64_t server_ms;    /* Date of the last answer ... */
	int64_t server_at_ms; /* ... and when that was, boot clock; 0 = none yet */
};

/* One request as it goes out. */
struct kube_request {
	enum kube_lane lane;
	const char *method;
	const char *path;  /* "/api/v1/pods" */
	const char *query; /* NULL or "" = none */
	const char *content_type;
	const char *accept;
	const char *body; /* NULL = none */
	size_t len;
	int64_t timeout_ms;
	size_t max_body;
	bool gzip;
	http_body_fn on_body;
	http_done_fn on_done;
	void *arg; /* borrowed */
};

MUST_CHECK int kube_request_start(struct kube_client *c, const struct kube_request *r,
				  struct http_request **ret, struct err *err);

/* Note the server's clock. */
void kube_client_heard(struct kube_client *c, const struct http_answer *a);

/* New requests get new connections: the old ones may be dead without saying so (HTTP/2 would put
 * the next stream on the same one). Requests that are going on keep theirs. */
void kube_client_renew(struct kube_client *c, enum kube_lane lane);

/* Read the credentials again, now. False if nothing comes from files. */
bool kube_client_reload(struct kube_client *c);

/* They were read (or that failed): send what waits for them. */
void kube_calls_after_reload(struct kube_client *c);
/* Send waiting calls while there is room. */
void kube_calls_pump(void *client);

#endif
