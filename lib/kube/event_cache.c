/* event_cache.c - see event_cache.h. */
#include "kube/event_cache.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"

enum {
	SIMILAR = 10,
	SIMILAR_MS = 600 * 1000,
	BURST = 25,
	REFILL_MS = 300 * 1000,
	MAX_KEY = 4096,
};

/* Different messages of one (object, type, reason). */
struct group {
	uint64_t messages[SIMILAR]; /* hashes */
	size_t count;
	int64_t last_ms;
};

struct known {
	char *name; /* owned */
	int64_t count;
};

struct bucket {
	int64_t full_ms; /* when it would be full again */
};

struct kube_event_cache {
	struct map groups;  /* object, type, reason -> group */
	struct map known;   /* the same and message -> known */
	struct map buckets; /* object -> bucket */
	char *last_name;    /* owned: what the last decision lent */
};

struct kube_event_cache *kube_event_cache_new(void)
{
	return NEW(struct kube_event_cache);
}

static void free_known(void *value)
{
	struct known *k = value;

	mem_free(k->name);
	mem_free(k);
}

void kube_event_cache_free(struct kube_event_cache *c)
{
	if (c == NULL)
		return;
	map_done(&c->groups, mem_free);
	map_done(&c->known, free_known);
	map_done(&c->buckets, mem_free);
	mem_free(c->last_name);
	mem_free(c);
}

/* The value of key, made if it is not there; last in the map's order afterwards. */
static void *touch(struct map *m, const char *key, size_t size, void (*free_value)(void *))
{
	void *value = map_remove(m, key);

	if (value == NULL)
		value = mem_alloc(size);
	if (m->count >= KUBE_EVENT_CACHE) {
		size_t at = 0;
		const struct map_entry *oldest = map_next(m, &at);

		free_value(map_remove(m, oldest->key));
	}
	map_set(m, key, value);
	return value;
}

/* FNV-1a: equal messages are equal; a collision combines two messages, which harms nobody. */
static uint64_t hash_of(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

/* True if the message is one too many of its kind. */
static bool is_similar(struct kube_event_cache *c, const char *key, const char *message,
		       int64_t now_ms)
{
	struct group *g = touch(&c->groups, key, sizeof(*g), mem_free);
	uint64_t hash = hash_of(message);

	if (now_ms - g->last_ms > SIMILAR_MS)
		g->count = 0;
	g->last_ms = now_ms;
	for (size_t i = 0; i < g->count; i++)
		if (g->messages[i] == hash)
			return g->count >= SIMILAR;
	if (g->count < SIMILAR)
		g->messages[g->count++] = hash;
	return g->count >= SIMILAR;
}

static bool has_token(struct kube_event_cache *c, const char *object, int64_t now_ms)
{
	struct bucket *b = touch(&c->buckets, object, sizeof(*b), mem_free);
	int64_t full_ms = b->full_ms > now_ms ? b->full_ms : now_ms;

	if (full_ms + REFILL_MS > now_ms + (int64_t)BURST * REFILL_MS)
		return false;
	b->full_ms = full_ms + REFILL_MS;
	return true;
}

/* At most max bytes, cut before a character that does not fit whole. */
static void copy_text(char *to, size_t max, const char *prefix, const char *text)
{
	size_t used = strlen(prefix);
	size_t len = strlen(text);

	memcpy(to, prefix, used);
	if (len > max - used) {
		len = max - used;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(to + used, text, len);
	to[used + len] = '\0';
}

static char *join(const struct kube_event_fact *f, const char *message)
{
	struct buf b = { .max = MAX_KEY };

	/* What is longer than the limit is cut alike for equal facts. */
	buf_note(&b, "%.600s\n", f->object);
	buf_note(&b, "%.20s\n%.150s\n", f->type, f->reason);
	buf_note(&b, "%.1000s", message);
	return buf_take(&b);
}

struct kube_event_decision kube_event_decide(struct kube_event_cache *c,
					     const struct kube_event_fact *fact,
					     const char *new_name, int64_t now_ms)
{
	AUTO(mem_freep) char *group_key = join(fact, "");
	bool similar = is_similar(c, group_key, fact->message, now_ms);
	AUTO(mem_freep) char *key = join(fact, similar ? "" : fact->message);
	struct kube_event_decision d = { 0 };
	struct known *k;

	copy_text(d.message, KUBE_EVENT_MESSAGE, similar ? "(combined from similar events): " : "",
		  fact->message);
	if (!has_token(c, fact->object, now_ms))
		return d;
	k = touch(&c->known, key, sizeof(*k), free_known);
	d.op = k->name != NULL ? KUBE_EVENT_PATCH : KUBE_EVENT_POST;
	if (k->name == NULL)
		k->name = mem_strdup(new_name);
	d.count = ++k->count;
	mem_free(c->last_name);
	c->last_name = mem_strdup(k->name);
	d.name = c->last_name;
	return d;
}

void kube_event_forget(struct kube_event_cache *c, const char *name)
{
	MAP_EACH (&c->known, e) {
		const struct known *k = e->value;

		if (strcmp(k->name, name) == 0) {
			free_known(map_remove(&c->known, e->key));
			return;
		}
	}
}
