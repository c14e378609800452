/*
 * map.h - a hash map from strings to pointers, in insertion order.
 *
 *     struct map pods = { 0 };
 *     map_set(&pods, name, pod);
 *     MAP_EACH(&pods, e) { use(e->key, e->value); }
 *
 * Keys are copied; values belong to the caller. Hashing is keyed with a random number per map
 * (SipHash-1-3), so a peer cannot choose keys that collide.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	char *key;   /* owned by the map; NULL marks a removed entry */
	void *value; /* borrowed */
	uint64_t hash;
};

struct map {
	struct map_entry *entries; /* owned, in insertion order with holes */
	uint32_t *slots;           /* owned; entry index + 1, 0 = free, UINT32_MAX = removed */
	size_t slot_count;         /* power of two */
	size_t used;               /* entries in use, holes included */
	size_t cap;
	size_t count; /* live entries */
	uint64_t seed[2];
};

/* The value, or NULL. Borrowed. */
void *map_get(const struct map *m, const char *key);
bool map_has(const struct map *m, const char *key);

/* Set and return the value that was there before (NULL if none), so that the caller can free it. */
void *map_set(struct map *m, const char *key, void *value);

/* Remove and return the value, NULL if there was none. */
void *map_remove(struct map *m, const char *key);

/* Free the map; with free_value != NULL every value is passed to it first. */
void map_done(struct map *m, void (*free_value)(void *value));

/* The next live entry at or after *at, NULL at the end; *at moves behind it. */
struct map_entry *map_next(const struct map *m, size_t *at);

/* The body may remove the entry it is at and set existing keys; it must not add keys. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a declared name takes none */
#define MAP_EACH(m, e)                                                                             \
	for (size_t e##_at = 0, e##_on = 1; e##_on; e##_on = 0)                                    \
		for (struct map_entry *e = map_next((m), &e##_at); e != NULL;                      \
		     e = map_next((m), &e##_at))
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
