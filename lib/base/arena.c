/* arena.c - a list of blocks that double in size up to 1 MiB; see arena.h. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_BLOCK = 4096, LAST_BLOCK = 1024 * 1024, ALIGNMENT = 16 };

struct arena_block {
	struct arena_block *next; /* owned */
	size_t used;
	size_t size;
	_Alignas(ALIGNMENT) char bytes[];
};

static struct arena_block *add_block(struct arena *a, size_t at_least)
{
	size_t size = a->blocks != NULL ? a->blocks->size * 2 : FIRST_BLOCK;
	struct arena_block *b;

	if (size > LAST_BLOCK)
		size = LAST_BLOCK;
	if (size < at_least)
		size = at_least;
	b = mem_alloc(sizeof(*b) + size);
	b->size = size;
	b->next = a->blocks;
	a->blocks = b;
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	size_t need;
	void *p;

	ASSERT(size <= SIZE_MAX / 2);
	need = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (need == 0)
		need = ALIGNMENT;
	if (b == NULL || b->size - b->used < need)
		b = add_block(a, need);
	p = b->bytes + b->used;
	b->used += need;
	a->used_bytes += need;
	return p;
}

void *arena_alloc_array(struct arena *a, size_t n, size_t size)
{
	ASSERT(size == 0 || n <= SIZE_MAX / 2 / size);
	return arena_alloc(a, n * size);
}

void *arena_dup(struct arena *a, const void *p, size_t n)
{
	void *copy = arena_alloc(a, n);

	if (n > 0)
		memcpy(copy, p, n);
	return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, SIZE_MAX / 4);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	ASSERT(n >= 0);
	text = arena_alloc(a, (size_t)n + 1);
	va_start(args, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	return text;
}

void arena_reserve(struct arena *a, void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap : 8;
	char *grown;
	void *old;

	if (n < *cap)
		return;
	while (want <= n) {
		ASSERT(want <= SIZE_MAX / 4);
		want *= 2;
	}
	grown = arena_alloc_array(a, want, size);
	memcpy(&old, array, sizeof(old));
	if (*cap > 0)
		memcpy(grown, old, *cap * size);
	memcpy(array, &grown, sizeof(grown));
	*cap = want;
}

size_t arena_used(const struct arena *a)
{
	return a->used_bytes;
}

void arena_reset(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		mem_free(b);
	}
	a->used_bytes = 0;
}

void arena_done(struct arena *a)
{
	arena_reset(a);
}
