/*
 * near.h - agreement of results that are equal only within a tolerance.
 *
 * "Within tolerance" is not transitive, so there are no classes as in agree.h. Instead: a clique
 * is a set of votes that are pairwise near. Vote m is accepted when every largest clique contains
 * it, these have at least `agree` keys, and more than any clique without m. Votes of a key that
 * contradicts itself support nothing and count as rivals of what they are not near. Among such
 * votes the one in the middle is taken (the least sum of distances to the others, then the least
 * digest). Decided only when nothing is outstanding. Pure; the order of votes does not matter.
 */
#ifndef VOTE_NEAR_H
#define VOTE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "vote/agree.h"
#include "vote/value.h"

enum { VOTE_MAX_NEAR = 16 }; /* votes of a chunk under this rule */

/* spec.verify in force. All are finite and not negative; 0 < fraction <= 1. */
struct vote_tolerance {
	double absolute;
	double relative;       /* of the larger magnitude */
	double fraction;       /* of the scalars that must be within absolute + relative */
	double outlier_factor; /* no scalar may be further apart than this times that */
};

/*
 * Compare two canonical results of the same shape. Integers must be equal; NaN is near NaN,
 * an infinity near itself. False if they are too far apart or differ in size. *ret_distance is
 * the mean of difference / tolerance over the scalars (each at most outlier_factor).
 */
bool vote_is_near(const struct vote_tolerance *t, const struct vote_shape *shape, const void *a,
		  const void *b, size_t len, double *ret_distance);

/* What vote_is_near said about each pair of votes; symmetric, the diagonal is not read. */
struct vote_pairs {
	bool near[VOTE_MAX_NEAR][VOTE_MAX_NEAR];
	double distance[VOTE_MAX_NEAR][VOTE_MAX_NEAR];
};

/* As vote_agree; failures of one kind are near each other and to nothing else, whatever `pairs`
 * says. n <= VOTE_MAX_NEAR. */
struct vote_decision vote_agree_near(const struct vote_rule *rule, const struct vote *votes,
				     size_t n, const struct vote_pairs *pairs, int outstanding);

#endif
