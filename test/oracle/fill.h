/*
 * fill.h - the words that buffers start with; see kernels.h for the kinds.
 */
#ifndef TEST_ORACLE_FILL_H
#define TEST_ORACLE_FILL_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* *n words of this kind, always the same for a seed. A list ("=1,2") sets *n. */
MUST_CHECK int fill_words(const char *kind, uint32_t seed, struct arena *arena, uint32_t **ret,
			  uint32_t *n, struct err *err);

#endif
