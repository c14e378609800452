/*
 * split.h - cut a grid of work-groups into boxes of at most so many, each within a device's limits.
 * Pure.
 */
#ifndef GPU_SPLIT_H
#define GPU_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

struct split {
	uint32_t groups[3]; /* of the whole grid */
	uint32_t most[3];   /* of one box, by dimension; each at least 1 */
	uint64_t done;      /* groups of the boxes so far */
	uint32_t at[3];     /* where the next box begins */
};

/* The next box: [base, base + count), at most `budget` (at least 1) groups. False: none is left. */
bool split_next(struct split *s, uint64_t budget, uint32_t base[3], uint32_t count[3]);

/*
 * How many groups the next dispatch may have, so that it takes about target_us: from the time per
 * group of what ran so far (0: nothing ran yet: one) and the groups of the last dispatch of this
 * chunk (0: it is the first: an eighth, because chunks differ). Never more than 8 times `last`.
 */
uint64_t split_budget(double us_per_group, uint64_t last, double target_us);

#endif
