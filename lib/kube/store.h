/*
 * store.h - the newest known version of each object of one kind, as frozen documents.
 *
 *     store = kube_store_new(&(struct kube_store_spec){ .on_change = on_pod, .arg = me,
 *                                                       .index = job_uid_of });
 *     const struct doc *pod = kube_store_get(store, "default/pi-0");
 *     KUBE_STORE_EACH_IN(store, uid, e) { use(kube_store_object(e)); }
 *
 * Filled by a reflector (watch.h) and by answers of one's own writes (kube_store_put, "read your
 * writes"). Whatever the order in which both arrive, an object never goes back in time, and what
 * was deleted does not come back: versions are compared by kube_rv_compare; where that has no
 * answer the later arrival wins. Pure: no I/O.
 */
#ifndef KUBE_STORE_H
#define KUBE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "doc/doc.h"

struct kube_store;
struct kube_entry; /* one object in the store */

struct kube_change {
	const char *key;       /* namespace/name */
	const struct doc *old; /* NULL = new to us */
	const struct doc *new; /* NULL = gone; then old may be older than what was deleted */
	bool from_list;        /* found by (re)listing: not urgent */
};

/* Called after the store has changed. A re-created object (another uid) is two calls: gone, new.
 * The documents are borrowed (doc_ref to keep). May read the store, must not change it. */
typedef void (*kube_change_fn)(void *arg, const struct kube_change *change);

struct kube_store_spec {
	kube_change_fn on_change; /* NULL = none */
	void *arg;                /* borrowed */
	/* Remove what nobody reads, before the object is frozen: memory. managedFields always go.
	 */
	void (*trim)(struct doc *object);
	/* The value by which objects are found besides their key, or NULL for none. It must depend
	 * on the object alone. */
	const char *(*index)(const struct doc *object);
};

struct kube_store *kube_store_new(const struct kube_store_spec *spec);
void kube_store_free(struct kube_store *s); /* accepts NULL; calls nothing */

/* ---- reading; everything is borrowed until the store changes ---- */

/* True after the first whole list: until then absence means nothing. */
bool kube_store_is_synced(const struct kube_store *s);
size_t kube_store_count(const struct kube_store *s);
/* NULL if it is not there. */
const struct doc *kube_store_get(const struct kube_store *s, const char *key);
/* How far the watch has come: everything up to this version is in the store. "" before. */
const char *kube_store_rv(const struct kube_store *s);
/* True if the watch has come as far as rv, or if that cannot be said: with what one wrote last, the
 * answer to "does the store know already?". */
bool kube_store_has_reached(const struct kube_store *s, const char *rv);

/* All objects in the order in which they came; *at starts at 0. NULL at the end. */
const struct doc *kube_store_next(const struct kube_store *s, size_t *at);
/* NOLINTBEGIN(bugprone-macro-parentheses): a declared name takes none */
#define KUBE_STORE_EACH(s, object)                                                                 \
	for (size_t object##_at = 0, object##_on = 1; object##_on; object##_on = 0)                \
		for (const struct doc *object = kube_store_next((s), &object##_at);                \
		     object != NULL; object = kube_store_next((s), &object##_at))

/* Objects whose index has this value. */
size_t kube_store_count_in(const struct kube_store *s, const char *value);
struct kube_entry *kube_store_first_in(const struct kube_store *s, const char *value);
struct kube_entry *kube_store_next_in(const struct kube_entry *e);
const struct doc *kube_store_object(const struct kube_entry *e);
#define KUBE_STORE_EACH_IN(s, value, e)                                                            \
	for (struct kube_entry *e = kube_store_first_in((s), (value)); e != NULL;                  \
	     e = kube_store_next_in(e))
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- one's own writes ---- */

/* The object as an answer carries it; taken. Ignored unless it is newer than what is known. */
void kube_store_put(struct kube_store *s, struct doc *object);
/* A DELETE was confirmed. Ignored if the store has another uid by now. */
void kube_store_forget(struct kube_store *s, const char *key, const char *uid);

/* ---- for the reflector ---- */

/* A watch event; object is taken. rv moves on only with kube_store_set_rv. */
void kube_store_set(struct kube_store *s, struct doc *object);
void kube_store_remove(struct kube_store *s, struct doc *object);
void kube_store_set_rv(struct kube_store *s, const char *rv);

/* A whole list: begin, add each object (taken), end: what was not added is gone, unless it is newer
 * than the list. Begin again drops a list that was not ended. Readers see no half list. */
void kube_store_list_begin(struct kube_store *s);
void kube_store_list_add(struct kube_store *s, struct doc *object);
void kube_store_list_remove(struct kube_store *s, struct doc *object);
void kube_store_list_end(struct kube_store *s, const char *rv);

#endif
