/*
 * watch.h - list and watch as a state machine: says what to ask, is fed what came, fills a store.
 *
 * No I/O inside; reflector.h drives it over HTTP, tests drive it with bytes. The driver's duty:
 *
 *     struct kube_watch_step step = kube_watch_next(w, now_ms);
 *     KUBE_WATCH_WAIT    call kube_watch_next again at step.at_ms
 *     KUBE_WATCH_LIST    GET the collection with step.query, whole answer to kube_watch_on_list
 *     KUBE_WATCH_STREAM  GET with step.query, bytes of a 2xx body to kube_watch_on_bytes, its end
 * to kube_watch_on_end; at kube_watch_deadline_ms call kube_watch_on_deadline no answer at all
 * kube_watch_on_failure
 *
 * After on_list, on_end, on_failure, and when on_bytes or on_deadline return false (then the
 * driver ends the request first), kube_watch_next says how to go on.
 *
 * Rules (of client-go's reflector): the first list is a quorum read unless spec.any_version; later
 * lists are at least as new as what was seen; 410 (as status of a list, of a watch, or as ERROR
 * event in a stream) lists again, a second one asks without a version; bookmarks move the version
 * on; WatchList (sendInitialEvents) is tried first and given up for a plain list when the server
 * does not know it, breaks it, or goes silent; a silent watch is closed; failures wait 0.8 s
 * doubling to 30 s, with jitter, and start small again after 2 minutes of health; broken streams
 * are tried again from the last version, the third time by listing.
 */
#ifndef KUBE_WATCH_H
#define KUBE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "kube/store.h"

struct kube_watch;

struct kube_watch_spec {
	const char *kind;           /* of the objects; others are dropped. NULL = any */
	const char *label_selector; /* NULL = none */
	const char *field_selector;
	bool any_version;   /* the first list may be old (cheaper for the server) */
	bool no_watchlist;  /* always list */
	int64_t silence_ms; /* close a watch without a byte for this long; 0 = 150 s */
	size_t max_line;    /* bytes of one event; 0 = 8 MiB */
	uint64_t seed;      /* for jitter */
};

enum kube_watch_op { KUBE_WATCH_WAIT, KUBE_WATCH_LIST, KUBE_WATCH_STREAM };

struct kube_watch_step {
	enum kube_watch_op op;
	int64_t at_ms;      /* WAIT */
	const char *query;  /* LIST, STREAM: without '?'; borrowed until the next call */
	int64_t timeout_ms; /* LIST, STREAM: hard limit for the whole request */
};

/* The store is borrowed and filled. spec is copied. */
struct kube_watch *kube_watch_new(const struct kube_watch_spec *spec, struct kube_store *store);
void kube_watch_free(struct kube_watch *w); /* accepts NULL */

struct kube_watch_step kube_watch_next(struct kube_watch *w, int64_t now_ms);

/* retry_after_ms: -1 = not said. For statuses other than 2xx, body is a Status or anything. */
struct kube_watch_answer {
	int status;
	const char *body;
	size_t len;
	int64_t retry_after_ms;
};
void kube_watch_on_list(struct kube_watch *w, const struct kube_watch_answer *a, int64_t now_ms);
void kube_watch_on_end(struct kube_watch *w, const struct kube_watch_answer *a, int64_t now_ms);
/* No answer: refused, timed out, or a stream broke. err is kept for kube_watch_trouble. */
void kube_watch_on_failure(struct kube_watch *w, const struct err *err, int64_t now_ms);

/* False: end the request now. */
bool kube_watch_on_bytes(struct kube_watch *w, const char *bytes, size_t len, int64_t now_ms);

/* When kube_watch_on_deadline is due while a stream is open. */
int64_t kube_watch_deadline_ms(const struct kube_watch *w);
/* False: nothing came for too long, end the request now. */
bool kube_watch_on_deadline(struct kube_watch *w, int64_t now_ms);

/* Why it does not follow the server at the moment; code 0 while all is well. */
const struct err *kube_watch_trouble(const struct kube_watch *w);
/* The last time anything came from the server; 0 = never. */
int64_t kube_watch_heard_ms(const struct kube_watch *w);

struct kube_watch_counts {
	uint64_t lists;   /* whole lists taken over, WatchLists included */
	uint64_t streams; /* watches opened */
	uint64_t events;
	uint64_t unknown; /* events of unknown type or kind, dropped */
	uint64_t gone;    /* 410s */
	uint64_t silent;  /* closed for silence */
};
const struct kube_watch_counts *kube_watch_counts(const struct kube_watch *w);

#endif
