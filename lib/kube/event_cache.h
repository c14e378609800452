/*
 * event_cache.h - which events are worth a write: similar ones are combined, equal ones counted,
 * too many of one object dropped. Pure: time comes in; event.h acts on it.
 *
 * As client-go does it: from the 10th different message of one (object, type, reason) within 600 s
 * on, messages go into one event that begins "(combined from similar events): "; an event that was
 * written before is patched (count, lastTimestamp); each object has 25 writes, refilled by one per
 * 300 s. Remembers at most KUBE_EVENT_CACHE of each, the least recently used goes first.
 */
#ifndef KUBE_EVENT_CACHE_H
#define KUBE_EVENT_CACHE_H

#include <stdint.h>

struct kube_event_cache;

enum { KUBE_EVENT_CACHE = 4096, KUBE_EVENT_MESSAGE = 1024, KUBE_EVENT_REASON = 128 };

enum kube_event_op { KUBE_EVENT_DROP, KUBE_EVENT_POST, KUBE_EVENT_PATCH };

struct kube_event_fact {
	const char *object; /* kind, key and uid: what it is about */
	const char *type;   /* "Normal", "Warning" */
	const char *reason;
	const char *message;
};

struct kube_event_decision {
	enum kube_event_op op;
	const char *name; /* of the Event object; borrowed until the next call */
	int64_t count;
	char message[KUBE_EVENT_MESSAGE + 1]; /* cut at a character */
};

struct kube_event_cache *kube_event_cache_new(void);
void kube_event_cache_free(struct kube_event_cache *c); /* accepts NULL */

/* new_name: for the Event object, if it becomes a new one. */
struct kube_event_decision kube_event_decide(struct kube_event_cache *c,
					     const struct kube_event_fact *fact,
					     const char *new_name, int64_t now_ms);

/* The event of that name does not exist (any more): the next equal one is a new one. */
void kube_event_forget(struct kube_event_cache *c, const char *name);

#endif
