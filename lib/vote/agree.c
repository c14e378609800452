/* agree.c - see agree.h. */
#include "vote/agree.h"

#include "base/mem.h"

bool vote_same(const struct vote *a, const struct vote *b)
{
	if (a->failure != b->failure)
		return false;
	return a->failure != 0 || hash_equal(&a->digest, &b->digest);
}

/* The first vote of the same class: its name. */
static size_t class_of(const struct vote *votes, size_t i)
{
	size_t j = 0;

	while (!vote_same(&votes[j], &votes[i]))
		j++;
	return j;
}

/* True if an earlier vote has the same key and class: it says nothing new. */
static bool is_repeated(const struct vote *votes, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (votes[j].key == votes[i].key && vote_same(&votes[j], &votes[i]))
			return true;
	return false;
}

static bool has_two_classes(const struct vote *votes, size_t n, uint32_t key)
{
	const struct vote *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (votes[i].key != key)
			continue;
		if (first != NULL && !vote_same(first, &votes[i]))
			return true;
		first = &votes[i];
	}
	return false;
}

static int count_voters(const struct vote *votes, size_t n)
{
	int voters = 0;

	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (votes[j].key != votes[i].key)
			j++;
		voters += j == i;
	}
	return voters;
}

/* Distinct keys per class, at the index of its first vote. */
struct count {
	int support; /* keys in no other class */
	int rival;   /* all keys */
};

/* The class that no other one can reach, or n. */
static size_t find_winner(const struct count *counts, size_t n, int agree, int open)
{
	for (size_t a = 0; a < n; a++) {
		bool wins = counts[a].support >= agree;

		for (size_t b = 0; b < n && wins; b++)
			if (b != a && counts[b].rival + open >= counts[a].support)
				wins = false;
		/* Also a class that nobody has voted for yet could get all that is open. */
		if (wins && counts[a].support > open)
			return a;
	}
	return n;
}

static void count_classes(const struct vote *votes, size_t n, struct count *counts)
{
	for (size_t i = 0; i < n; i++) {
		struct count *c = &counts[class_of(votes, i)];

		if (is_repeated(votes, i))
			continue;
		c->rival++;
		c->support += !has_two_classes(votes, n, votes[i].key);
	}
}

static void describe(const struct count *counts, size_t n, struct vote_decision *d)
{
	int classes = 0;

	for (size_t i = 0; i < n; i++) {
		classes += counts[i].rival > 0;
		d->support = counts[i].support > d->support ? counts[i].support : d->support;
	}
	d->disputed = classes > 1;
}

struct vote_decision vote_agree(const struct vote_rule *rule, const struct vote *votes, size_t n,
				int outstanding)
{
	AUTO(mem_freep) struct count *counts = NEW_ARRAY(struct count, n);
	struct vote_decision d = { .verdict = VOTE_WAIT, .voters = count_voters(votes, n) };
	int max = rule->max_replicas > rule->replicas ? rule->max_replicas : rule->replicas;
	int missing = rule->replicas - d.voters - outstanding;
	int open = outstanding + (missing > 0 ? missing : 0);
	size_t winner;

	ASSERT(n <= VOTE_MAX_VOTES && outstanding >= 0);
	ASSERT(rule->agree >= 1 && rule->agree <= rule->replicas);
	count_classes(votes, n, counts);
	describe(counts, n, &d);
	winner = find_winner(counts, n, rule->agree, open);
	if (winner < n && (!rule->settle || open == 0)) {
		d.verdict = votes[winner].failure != 0 ? VOTE_FAIL : VOTE_ACCEPT;
		d.winner = winner;
		d.failure = votes[winner].failure;
		d.support = counts[winner].support;
	} else if (missing > 0) {
		d.verdict = VOTE_ASK;
		d.ask = missing;
	} else if (outstanding == 0 && d.voters < max) {
		d.verdict = VOTE_ASK;
		d.ask = 1;
	} else if (outstanding == 0) {
		d.verdict = VOTE_NO_AGREEMENT;
	}
	return d;
}
