/* mem.c - the only file that allocates; see mem.h. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void assert_failed(const char *cond, const char *file, int line)
{
	fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, cond);
	abort();
}

static _Noreturn void out_of_memory(size_t n, size_t size)
{
	fprintf(stderr, "out of memory: %zu x %zu bytes\n", n, size);
	abort();
}

void *mem_alloc_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (p == NULL)
		out_of_memory(n, size);
	return p;
}

void *mem_alloc(size_t size)
{
	return mem_alloc_array(1, size);
}

void *mem_resize_array(void *p, size_t old_n, size_t n, size_t size)
{
	char *q = reallocarray(p, n ? n : 1, size);

	if (q == NULL)
		out_of_memory(n, size);
	if (n > old_n)
		memset(q + old_n * size, 0, (n - old_n) * size);
	return q;
}

void *mem_dup(const void *p, size_t n)
{
	void *copy = mem_alloc(n);

	if (n > 0)
		memcpy(copy, p, n);
	return copy;
}

char *mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = mem_alloc(len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, SIZE_MAX - 1);
}

void mem_free(void *p)
{
	free(p);
}

void mem_freep(void *p)
{
	void *q;

	memcpy(&q, p, sizeof(q)); /* the pointer's own type is unknown here */
	free(q);
}

void mem_reserve(void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap : 8;
	void *p;

	if (n < *cap)
		return;
	while (want <= n) {
		ASSERT(want <= SIZE_MAX / 2);
		want *= 2;
	}
	memcpy(&p, array, sizeof(p));
	p = mem_resize_array(p, *cap, want, size);
	memcpy(array, &p, sizeof(p));
	*cap = want;
}
