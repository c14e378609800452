/*
 * arena.h - memory for one unit of work, freed all at once.
 *
 *     AUTO(arena_done) struct arena a = { 0 };
 *     struct node *n = arena_new(&a, struct node);
 *
 * One arena per decision, per message, per compilation. It never owns descriptors or
 * references. max_bytes (0 = none) is a ceiling: what a peer can make us hold is bounded by
 * checking arena_used against it; passing it aborts, so callers check before they ask.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* owned */
	size_t used_bytes;          /* handed out so far, with alignment */
};

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_array(a, type, n) ((type *)arena_alloc_array((a), (n), sizeof(type)))

/* Zeroed, aligned to 16, never NULL, valid until arena_reset or arena_done. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
void *arena_alloc_array(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));

char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void *arena_dup(struct arena *a, const void *p, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Grow *array so that index n fits, inside the arena (the old array stays until the end). */
void arena_reserve(struct arena *a, void *array, size_t *cap, size_t n, size_t size);

size_t arena_used(const struct arena *a);

/* Free everything; the arena can be used again. */
void arena_reset(struct arena *a);
void arena_done(struct arena *a);

#endif
