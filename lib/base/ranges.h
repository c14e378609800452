/*
 * ranges.h - a set of whole numbers as ranges: "0-35,38".
 *
 *     struct ranges done = { 0 };                zero is an empty set
 *     ranges_add(&done, 7, 9);
 *     RANGES_EACH(&done, r) { use(r->first, r->last); }
 *     ranges_done(&done);
 *
 * Kept sorted, disjoint and not touching. Adding at or near the end is O(1) amortised, elsewhere
 * O(log n) plus the moving of what lies behind.
 */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { RANGES_MAX = 4096 }; /* what a status may hold; ranges_parse and ranges_print take a max */

struct range {
	uint64_t first;
	uint64_t last; /* included */
};

struct ranges {
	struct range *list; /* owned, ascending */
	size_t count;
	size_t cap;
};

/* NOLINTBEGIN(bugprone-macro-parentheses): a declared name takes none */
#define RANGES_EACH(s, r) for (const struct range *r = (s)->list; r < (s)->list + (s)->count; r++)
/* NOLINTEND(bugprone-macro-parentheses) */

void ranges_done(struct ranges *s);

/* Add first to last, both included; what is there already stays. first <= last. */
void ranges_add(struct ranges *s, uint64_t first, uint64_t last);
void ranges_add_one(struct ranges *s, uint64_t n);
void ranges_remove(struct ranges *s, uint64_t first, uint64_t last);
void ranges_copy(struct ranges *to, const struct ranges *from); /* `to` is replaced */

bool ranges_has(const struct ranges *s, uint64_t n);
bool ranges_equal(const struct ranges *a, const struct ranges *b);
/* How many numbers; ranges are s->count. */
uint64_t ranges_total(const struct ranges *s);
/* How many ranges there would be after adding n. */
size_t ranges_count_with(const struct ranges *s, uint64_t n);

/* The first number >= from and < end that is not in the set; end if there is none. */
uint64_t ranges_gap(const struct ranges *s, uint64_t from, uint64_t end);
/* The first number >= from and < end that is in the set; end if there is none. */
uint64_t ranges_next(const struct ranges *s, uint64_t from, uint64_t end);

/* "0-35,38"; nothing for the empty set. */
MUST_CHECK int ranges_print(const struct ranges *s, struct buf *b, struct err *err);
/* Back from text: ascending, not overlapping, numbers below `end`, at most `max` ranges
 * (ERR_TOO_BIG). The empty text is the empty set. *ret is replaced, by nothing on failure. */
MUST_CHECK int ranges_parse(const char *text, size_t len, uint64_t end, size_t max,
			    struct ranges *ret, struct err *err);

#endif
