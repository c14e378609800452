/*
 * client.h - requests to the API server.
 *
 *     kube_client_new(&(struct kube_client_spec){ .loop = loop, .http = http, .config = &config,
 *                                                 .field_manager = "kwarp-controller" }, &c, err);
 *     kube_call_start(c, &(struct kube_spec){ .verb = KUBE_CREATE, .resource = &kube_pods,
 *                                             .ns = "default", .body = pod, .on_done = on_created,
 *                                             .arg = me }, &call, err);
 *
 *     static void on_created(void *arg, const struct kube_answer *a)
 *     {
 *             if (a->err->code == ERR_EXISTS) ...           our own create whose answer was lost?
 *             if (a->err->code == 0)
 *                     kube_store_put(pods, doc_ref(a->object));   read your writes
 *     }
 *
 * Every call ends with exactly one on_done, on the loop thread, never from inside kube_call_start,
 * unless it is freed before. The caller owns the call: kube_call_free, from anywhere, on_done
 * included; nothing comes afterwards (the server may still carry out what was sent).
 *
 * Retried here, with the same body: an answer 429 or 5xx that carries Retry-After (at most 10
 * times); 401 once, after the credentials were read again; what was not sent (no connection, or
 * one that was just being closed), once, after 100 ms; a GET or LIST that got no answer, once,
 * after 1 s. Everything else is for the caller's work queue; its err says what happened:
 *   ERR_UNAVAILABLE  not carried out; later
 *   ERR_TIMEOUT      the outcome is unknown: read, then decide again
 *   ERR_CONFLICT     read, then decide again
 *   and the others of status.h
 * At most 80 calls are on the way at a time, the rest waits in order; KUBE_LEASE calls do not wait.
 * Tokens and certificates from files are read again every 50 s on a worker; when a certificate or
 * authority changes, connections are renewed.
 *
 * A GET or LIST without "resourceVersion" in its query is a quorum read: never older than what was
 * written before.
 */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"
#include "doc/doc.h"
#include "http/http.h"
#include "kube/config.h"
#include "kube/object.h"
#include "kube/status.h"

struct kube_client;
struct kube_call;

/* ---- client ---- */

struct kube_client_spec {
	struct loop *loop;          /* borrowed */
	struct http *http;          /* borrowed: of that loop */
	struct kube_config *config; /* taken (empty afterwards), also on failure */
	const char *field_manager;  /* who writes; NULL = "kwarp" */
};

/* Reads the credentials' files: at start only. */
MUST_CHECK int kube_client_new(const struct kube_client_spec *spec, struct kube_client **ret,
			       struct err *err);
/* All calls and reflectors must be freed before (asserted). Not from a call's on_done. Accepts
 * NULL. */
void kube_client_free(struct kube_client *c);
void kube_client_freep(struct kube_client **c);

const struct kube_config *kube_client_config(const struct kube_client *c); /* borrowed */
struct loop *kube_client_loop(const struct kube_client *c);

/* The server's wall clock, from the Date of its last answer; false before the first one. */
bool kube_client_server_now_ms(const struct kube_client *c, int64_t *ret_wall_ms);

/* Ask before each attempt of a write (not of the lease's) for how many milliseconds it may be on
 * the way: kube_lease_left_ms. The attempt's time-out is cut to that; with less than 1 s left it
 * is not sent and ends with ERR_DENIED, reason "NotLeading". NULL: no gate. */
typedef int64_t (*kube_gate_fn)(void *arg, int64_t now_boot_ms);
void kube_client_set_gate(struct kube_client *c, kube_gate_fn left_ms, void *arg);

size_t kube_client_in_flight(const struct kube_client *c); /* on the way or waiting */

/* ---- calls ---- */

enum kube_verb {
	KUBE_GET,
	KUBE_LIST,
	KUBE_CREATE,      /* POST to the collection, or to a subresource if name is given */
	KUBE_UPDATE,      /* PUT: with the object's resourceVersion 409 if it changed */
	KUBE_PATCH_MERGE, /* RFC 7386 */
	KUBE_PATCH_JSON,  /* RFC 6902 */
	KUBE_APPLY,       /* server-side, force */
	KUBE_DELETE,      /* body: kube_delete_options or NULL */
	KUBE_VERBS,
};

enum kube_lane {
	KUBE_BULK,
	KUBE_WATCH, /* connections of their own */
	KUBE_LEASE, /* connection of its own, no limit, no gate */
	KUBE_LANES,
};

struct kube_answer {
	const struct err *err;    /* code 0 = success */
	int status;               /* HTTP status, 0 = no answer */
	const char *reason;       /* of a Status: "AlreadyExists"; "" = none. Quota: see the text */
	const struct doc *object; /* frozen; NULL if the answer is no JSON. doc_ref to keep */
	const char *body;         /* the bytes, if spec.raw */
	size_t len;
	int64_t retry_after_ms; /* -1 = not said */
	int64_t date_ms;        /* the server's wall clock; -1 = not said */
};

/* Everything is borrowed until it returns. */
typedef void (*kube_done_fn)(void *arg, const struct kube_answer *answer);

struct kube_spec {
	enum kube_verb verb;
	const struct kube_resource *resource;
	const char *ns;          /* NULL = cluster-scoped, or all namespaces */
	const char *name;        /* NULL = the collection */
	const char *subresource; /* "status"; NULL = none */
	const char *path;        /* instead of the four above: "/version" */
	const char *query;       /* "limit=1&labelSelector=a%3Db", escaped; NULL = none */
	const struct doc *body;  /* copied as text at once */
	bool raw;                /* do not parse the answer */
	bool metadata_only;      /* GET, LIST: PartialObjectMetadata */
	bool once;               /* no retries but after 401 */
	enum kube_lane lane;
	int64_t timeout_ms; /* of one attempt; 0 = 32 s, LIST 60 s */
	kube_done_fn on_done;
	void *arg; /* borrowed */
};

/* ERR_INVALID: a name that cannot be one. */
MUST_CHECK int kube_call_start(struct kube_client *c, const struct kube_spec *spec,
			       struct kube_call **ret, struct err *err);
void kube_call_free(struct kube_call *call); /* accepts NULL */
void kube_call_freep(struct kube_call **call);

/* Run the loop until one call is done: for command-line programs, outside of callbacks. spec's
 * on_done and arg are not used. *ret (may be NULL) gets the object, owned and frozen; NULL if the
 * answer has none. On failure err has the server's words. */
MUST_CHECK int kube_call_wait(struct kube_client *c, const struct kube_spec *spec, struct doc **ret,
			      struct err *err);

/* DeleteOptions with preconditions: NULL = none. grace_s < 0: the object's own. Owned. */
struct doc *kube_delete_options(const char *uid, const char *rv, int64_t grace_s);

#endif
