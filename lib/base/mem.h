/*
 * mem.h - allocation that cannot fail, scoped ownership, assertions.
 *
 *     AUTO(mem_freep) char *text = mem_strdup("x");   freed when it leaves scope
 *     *ret = MOVE(text);                              handed over instead
 *
 * Out of memory aborts: sizes that a peer controls are bounded before they get here, so
 * what is left is a machine without memory, and no code path could be tested for that.
 * All memory is zeroed ("zero is empty").
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Run fn(&variable) when the variable leaves its scope. fn must accept an empty value. */
#define AUTO(fn) __attribute__((cleanup(fn)))

/* The value of an owned pointer, which is NULL afterwards. */
#define MOVE(p)                                                                                    \
	({                                                                                         \
		__typeof__(p) moved_ = (p);                                                        \
		(p) = NULL;                                                                        \
		moved_;                                                                            \
	})

#define NEW(type) ((type *)mem_alloc(sizeof(type)))
#define NEW_ARRAY(type, n) ((type *)mem_alloc_array((n), sizeof(type)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* What callers must guarantee. Stays on in release builds: a wrong answer is worse than none. */
#define ASSERT(cond) ((cond) ? (void)0 : assert_failed(#cond, __FILE__, __LINE__))
_Noreturn void assert_failed(const char *cond, const char *file, int line);

/* Zeroed memory, never NULL (size 0 gives a unique pointer). Owned by the caller: mem_free. */
void *mem_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *mem_alloc_array(size_t n, size_t size) __attribute__((malloc, returns_nonnull));

/* Grow or shrink to n elements; new elements are zero. old_n says how many were there. */
void *mem_resize_array(void *p, size_t old_n, size_t n, size_t size)
    __attribute__((returns_nonnull));

/* Owned copies. mem_dup of 0 bytes gives a unique pointer. */
char *mem_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *mem_strndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *mem_dup(const void *p, size_t n) __attribute__((malloc, returns_nonnull));

void mem_free(void *p); /* accepts NULL */

/* For AUTO: p points to the pointer to free. */
void mem_freep(void *p);

/* Grow *array (elements of `size` bytes) so that index n fits; *cap is its capacity. Doubles. */
void mem_reserve(void *array, size_t *cap, size_t n, size_t size);

#endif
