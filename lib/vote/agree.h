/*
 * agree.h - when results of one chunk are accepted, and what to do while they are not.
 *
 * Each vote is a result (by digest) or a deterministic failure (by kind) under the spread key of
 * the node that sent it. Losses (crash, time-out, lost node) are no votes. Pure: the same votes in
 * any order give the same decision.
 *
 * The rule. Votes with equal digest, or equal failure, form a class. A class is supported by the
 * distinct keys that are in no other class; a key in two classes supports neither but counts for
 * each of them as a rival. With o attempts outstanding, class A is accepted when
 *
 *     support(A) >= agree  and  support(A) > rival(B) + o  for every other class B.
 *
 * Counting o means that nothing which is still under way can change the answer. An attempt that
 * is missing up to `replicas` (not asked yet, or lost and not replaced yet) counts as
 * outstanding, so that the order of arrival and losses never choose the answer.
 */
#ifndef VOTE_AGREE_H
#define VOTE_AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/hash.h"

enum { VOTE_MAX_VOTES = 4096 };

struct vote {
	uint32_t key;              /* spread key, numbered by the caller: equal = not independent */
	int failure;               /* 0 = a result; else the kind of the deterministic failure */
	struct hash_digest digest; /* of the canonical result(s); ignored for failures */
};

/* spec.verify in force: 1 <= agree <= replicas; max_replicas below replicas counts as replicas. */
struct vote_rule {
	int replicas;
	int agree;
	int max_replicas;
	bool settle; /* decide only when nothing is outstanding (everyDevice, checks of Adaptive) */
};

enum vote_verdict {
	VOTE_WAIT,         /* attempts are outstanding */
	VOTE_ACCEPT,       /* winner is a vote of the accepted class */
	VOTE_FAIL,         /* a failure was accepted: winner and failure say which */
	VOTE_ASK,          /* ask `ask` more nodes with new keys */
	VOTE_NO_AGREEMENT, /* max_replicas votes and none accepted */
};

struct vote_decision {
	enum vote_verdict verdict;
	int ask;       /* VOTE_ASK only; at least 1 */
	size_t winner; /* VOTE_ACCEPT, VOTE_FAIL: the first vote of the class */
	int failure;   /* VOTE_FAIL: its kind */
	int support;   /* keys that support the largest class */
	int voters;    /* distinct keys that voted; what replicas and max_replicas count */
	bool disputed; /* votes in more than one class */
};

/* outstanding: attempts asked that have neither result nor loss. n <= VOTE_MAX_VOTES. */
struct vote_decision vote_agree(const struct vote_rule *rule, const struct vote *votes, size_t n,
				int outstanding);

/* True if vote i stands in the same class as vote j. */
bool vote_same(const struct vote *a, const struct vote *b);

#endif
