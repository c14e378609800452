/* store.c - see store.h. */
#include "kube/store.h"

#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "kube/object.h"

struct kube_entry {
	char key[KUBE_KEY];
	struct doc *object; /* shared, frozen */
	struct list_link index_link;
};

struct kube_store {
	struct kube_store_spec spec;
	struct map entries; /* key -> entry, owned */
	struct map indexes; /* value -> struct list, owned */
	struct map list;    /* key -> object of a list not yet ended, owned */
	char *rv;           /* owned; NULL = nothing known */
	bool synced;
};

static void free_entry(void *value)
{
	struct kube_entry *e = value;

	list_remove(&e->index_link);
	doc_unref(e->object);
	mem_free(e);
}

static void free_object(void *value)
{
	doc_unref(value);
}

struct kube_store *kube_store_new(const struct kube_store_spec *spec)
{
	struct kube_store *s = NEW(struct kube_store);

	s->spec = *spec;
	return s;
}

void kube_store_free(struct kube_store *s)
{
	if (s == NULL)
		return;
	map_done(&s->entries, free_entry);
	map_done(&s->indexes, mem_free);
	map_done(&s->list, free_object);
	mem_free(s->rv);
	mem_free(s);
}

/* ---- reading ---- */

bool kube_store_is_synced(const struct kube_store *s)
{
	return s->synced;
}

size_t kube_store_count(const struct kube_store *s)
{
	return s->entries.count;
}

const struct doc *kube_store_get(const struct kube_store *s, const char *key)
{
	const struct kube_entry *e = map_get(&s->entries, key);

	return e != NULL ? e->object : NULL;
}

const char *kube_store_rv(const struct kube_store *s)
{
	return s->rv != NULL ? s->rv : "";
}

bool kube_store_has_reached(const struct kube_store *s, const char *rv)
{
	int order;

	return !kube_rv_compare(kube_store_rv(s), rv, &order) ? s->rv != NULL : order >= 0;
}

const struct doc *kube_store_next(const struct kube_store *s, size_t *at)
{
	struct map_entry *e = map_next(&s->entries, at);

	return e != NULL ? ((struct kube_entry *)e->value)->object : NULL;
}

size_t kube_store_count_in(const struct kube_store *s, const char *value)
{
	const struct list *l = map_get(&s->indexes, value);

	return l != NULL ? l->count : 0;
}

struct kube_entry *kube_store_first_in(const struct kube_store *s, const char *value)
{
	const struct list *l = map_get(&s->indexes, value);

	return l != NULL ? LIST_FIRST(l, struct kube_entry, index_link) : NULL;
}

struct kube_entry *kube_store_next_in(const struct kube_entry *e)
{
	return LIST_ITEM(e->index_link.next, struct kube_entry, index_link);
}

const struct doc *kube_store_object(const struct kube_entry *e)
{
	return e->object;
}

/* ---- changing ---- */

static void tell(const struct kube_store *s, const struct kube_change *c)
{
	if (s->spec.on_change != NULL)
		s->spec.on_change(s->spec.arg, c);
}

static void index_remove(struct kube_store *s, struct kube_entry *e)
{
	struct list *l = e->index_link.list;
	const char *value = l != NULL ? s->spec.index(e->object) : NULL;

	list_remove(&e->index_link);
	if (l != NULL && l->count == 0 && map_get(&s->indexes, value) == l)
		mem_free(map_remove(&s->indexes, value));
}

static void index_add(struct kube_store *s, struct kube_entry *e)
{
	const char *value = s->spec.index != NULL ? s->spec.index(e->object) : NULL;
	struct list *l;

	if (value == NULL)
		return;
	l = map_get(&s->indexes, value);
	if (l == NULL) {
		l = NEW(struct list);
		map_set(&s->indexes, value, l);
	}
	list_add(l, &e->index_link);
}

static void drop(struct kube_store *s, struct kube_entry *e, bool from_list)
{
	AUTO(doc_unrefp) struct doc *old = doc_ref(e->object);
	char key[KUBE_KEY];

	memcpy(key, e->key, sizeof(key));
	index_remove(s, e);
	map_remove(&s->entries, key);
	free_entry(e);
	tell(s, &(struct kube_change){ .key = key, .old = old, .from_list = from_list });
}

static void insert(struct kube_store *s, const char *key, struct doc *object, bool from_list)
{
	struct kube_entry *e = NEW(struct kube_entry);

	memcpy(e->key, key, strlen(key) + 1);
	e->object = object;
	map_set(&s->entries, key, e);
	index_add(s, e);
	tell(s, &(struct kube_change){ .key = e->key, .new = object, .from_list = from_list });
}

static void replace(struct kube_store *s, struct kube_entry *e, struct doc *object, bool from_list)
{
	AUTO(doc_unrefp) struct doc *old = doc_ref(e->object);
	char key[KUBE_KEY];

	if (strcmp(kube_uid(old), kube_uid(object)) != 0) {
		memcpy(key, e->key, sizeof(key));
		drop(s, e, from_list);
		insert(s, key, object, from_list);
		return;
	}
	index_remove(s, e);
	doc_unref(e->object);
	e->object = object;
	index_add(s, e);
	tell(s, &(struct kube_change){
		    .key = e->key, .old = old, .new = object, .from_list = from_list });
}

/* Make it what the store keeps. NULL if it cannot be kept. */
static struct doc *prepare(const struct kube_store *s, struct doc *object, char key[KUBE_KEY])
{
	struct doc *metadata = doc_is_frozen(object) ? NULL : doc_edit(object, "metadata");

	if (!kube_key(object, key)) {
		doc_unref(object);
		return NULL;
	}
	if (metadata != NULL)
		doc_remove(metadata, "managedFields");
	if (metadata != NULL && s->spec.trim != NULL)
		s->spec.trim(object);
	return doc_freeze(object);
}

/* True if the store has this version of the object or a later one. */
static bool is_known(const struct kube_entry *e, const struct doc *object)
{
	int order;

	return e != NULL && kube_rv_compare(kube_rv(object), kube_rv(e->object), &order) &&
	       order <= 0;
}

/* object is taken; frozen */
static void take(struct kube_store *s, const char *key, struct doc *object, bool from_list)
{
	struct kube_entry *e = map_get(&s->entries, key);

	if (is_known(e, object))
		doc_unref(object);
	else if (e != NULL)
		replace(s, e, object, from_list);
	else
		insert(s, key, object, from_list);
}

void kube_store_set(struct kube_store *s, struct doc *object)
{
	char key[KUBE_KEY];

	object = prepare(s, object, key);
	if (object != NULL)
		take(s, key, object, false);
}

void kube_store_remove(struct kube_store *s, struct doc *object)
{
	AUTO(doc_unrefp) struct doc *taken = object;
	struct kube_entry *e;
	char key[KUBE_KEY];
	int order;

	if (!kube_key(taken, key))
		return;
	e = map_get(&s->entries, key);
	if (e == NULL)
		return;
	/* A late DELETED of an object whose name lives again. */
	if (strcmp(kube_uid(e->object), kube_uid(taken)) != 0 &&
	    kube_rv_compare(kube_rv(taken), kube_rv(e->object), &order) && order < 0)
		return;
	drop(s, e, false);
}

void kube_store_put(struct kube_store *s, struct doc *object)
{
	char key[KUBE_KEY];
	int order;

	object = prepare(s, object, key);
	if (object == NULL)
		return;
	/* The watch has passed this version: if the object is not there, it was deleted since. */
	if (!map_has(&s->entries, key) && s->rv != NULL &&
	    kube_rv_compare(kube_rv(object), s->rv, &order) && order <= 0) {
		doc_unref(object);
		return;
	}
	take(s, key, object, false);
}

void kube_store_forget(struct kube_store *s, const char *key, const char *uid)
{
	struct kube_entry *e = map_get(&s->entries, key);

	if (e != NULL && strcmp(kube_uid(e->object), uid) == 0)
		drop(s, e, false);
}

void kube_store_set_rv(struct kube_store *s, const char *rv)
{
	int order;

	if (rv[0] == '\0' || (s->rv != NULL && kube_rv_compare(rv, s->rv, &order) && order <= 0))
		return;
	mem_free(s->rv);
	s->rv = mem_strdup(rv);
}

/* ---- lists ---- */

void kube_store_list_begin(struct kube_store *s)
{
	map_done(&s->list, free_object);
}

void kube_store_list_add(struct kube_store *s, struct doc *object)
{
	char key[KUBE_KEY];

	object = prepare(s, object, key);
	if (object != NULL)
		doc_unref(map_set(&s->list, key, object));
}

void kube_store_list_remove(struct kube_store *s, struct doc *object)
{
	AUTO(doc_unrefp) struct doc *taken = object;
	char key[KUBE_KEY];

	if (kube_key(taken, key))
		doc_unref(map_remove(&s->list, key));
}

static bool is_newer_than(const struct doc *object, const char *rv)
{
	int order;

	return kube_rv_compare(kube_rv(object), rv, &order) && order > 0;
}

void kube_store_list_end(struct kube_store *s, const char *rv)
{
	struct map list = s->list;
	int order;
	/* History went back: the cluster was restored from a copy. What we knew never happened. */
	bool restored = s->rv != NULL && kube_rv_compare(rv, s->rv, &order) && order < 0;

	s->list = (struct map){ 0 };
	MAP_EACH (&s->entries, m) {
		struct kube_entry *e = m->value;

		/* Newer than the list: one's own write; the watch from rv on tells what became of
		 * it. */
		if (restored || (!map_has(&list, e->key) && !is_newer_than(e->object, rv)))
			drop(s, e, true);
	}
	MAP_EACH (&list, m) {
		take(s, m->key, m->value, true);
	}
	map_done(&list, NULL);
	mem_free(s->rv);
	s->rv = mem_strdup(rv);
	s->synced = true;
}
