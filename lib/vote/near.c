/* near.c - see near.h. At most 2^16 sets of votes are looked at. */
#include "vote/near.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "vote/vote_int.h"

/* Difference over tolerance of two floats; INFINITY if no tolerance covers it. */
static double ratio(const struct vote_tolerance *t, double a, double b)
{
	double allowed;
	double apart;

	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	if (!isfinite(a) || !isfinite(b))
		return INFINITY;
	allowed = t->absolute + t->relative * fmax(fabs(a), fabs(b));
	apart = fabs(a - b);
	return allowed > 0 ? apart / allowed : INFINITY;
}

/* One packed scalar of each. */
static double scalar_ratio(const struct vote_tolerance *t, enum vote_type type,
			   const unsigned char *a, const unsigned char *b)
{
	uint64_t x = vote_bits(type, a);
	uint64_t y = vote_bits(type, b);

	if (!vote_type_is_float(type))
		return x == y ? 0 : INFINITY;
	return ratio(t, vote_double(type, x), vote_double(type, y));
}

bool vote_is_near(const struct vote_tolerance *t, const struct vote_shape *shape, const void *a,
		  const void *b, size_t len, double *ret_distance)
{
	enum vote_type type = vote_shape_type(shape);
	AUTO(mem_freep) unsigned char *x = mem_alloc(len);
	AUTO(mem_freep) unsigned char *y = mem_alloc(len);
	size_t packed = vote_pack(shape, a, len, x);
	size_t size;
	size_t count;
	size_t within = 0;
	double sum = 0;

	*ret_distance = 0;
	vote_pack(shape, b, len, y);
	/* Several types in one output: floats and integers side by side are only equal or not. */
	if (type == 0 || packed == 0)
		return memcmp(x, y, packed) == 0;
	size = vote_type_size(type);
	count = packed / size;
	for (size_t i = 0; i < packed; i += size) {
		double r = scalar_ratio(t, type, x + i, y + i);

		if (!(r <= fmax(t->outlier_factor, 1)))
			return false;
		within += r <= 1;
		sum += r;
	}
	*ret_distance = sum / (double)count;
	return (double)within >= t->fraction * (double)count;
}

struct graph {
	size_t n;
	unsigned near[VOTE_MAX_NEAR]; /* bit j: votes i and j are near, i itself included */
	unsigned single;              /* one vote of each key whose votes are all near each other */
	unsigned doubled;             /* votes of keys that contradict themselves */
};

static bool is_near_pair(const struct vote *votes, const struct vote_pairs *pairs, size_t i,
			 size_t j)
{
	if (votes[i].failure != 0 || votes[j].failure != 0)
		return votes[i].failure == votes[j].failure;
	return vote_same(&votes[i], &votes[j]) || (pairs->near[i][j] && pairs->near[j][i]);
}

static unsigned bit(size_t i)
{
	return 1u << i;
}

/* True if not all votes of the key are near each other. */
static bool contradicts_itself(const struct graph *g, const struct vote *votes, uint32_t key)
{
	unsigned own = 0;

	for (size_t i = 0; i < g->n; i++)
		own |= votes[i].key == key ? bit(i) : 0;
	for (size_t i = 0; i < g->n; i++)
		if ((own & bit(i)) != 0 && (own & ~g->near[i]) != 0)
			return true;
	return false;
}

/* Of several votes of one key the one with the least digest counts. */
static bool speaks_for_its_key(const struct vote *votes, size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		int order = hash_compare(&votes[j].digest, &votes[i].digest);

		if (votes[j].key == votes[i].key && (order < 0 || (order == 0 && j < i)))
			return false;
	}
	return true;
}

static struct graph make_graph(const struct vote *votes, size_t n, const struct vote_pairs *pairs)
{
	struct graph g = { .n = n };

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (i == j || is_near_pair(votes, pairs, i, j))
				g.near[i] |= bit(j);
	for (size_t i = 0; i < n; i++) {
		if (contradicts_itself(&g, votes, votes[i].key))
			g.doubled |= bit(i);
		else if (speaks_for_its_key(votes, n, i))
			g.single |= bit(i);
	}
	return g;
}

static bool is_clique(const struct graph *g, unsigned set)
{
	for (size_t i = 0; i < g->n; i++)
		if ((set & bit(i)) != 0 && (set & ~g->near[i]) != 0)
			return false;
	return true;
}

static int keys_in(const struct vote *votes, size_t n, unsigned set)
{
	int keys = 0;

	for (size_t i = 0; i < n; i++) {
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen = seen || ((set & bit(j)) != 0 && votes[j].key == votes[i].key);
		keys += (set & bit(i)) != 0 && !seen;
	}
	return keys;
}

struct cliques {
	int largest;                /* keys in the largest clique of single votes */
	unsigned common;            /* votes that all largest ones contain */
	int without[VOTE_MAX_NEAR]; /* keys in the largest rival clique of vote i */
};

/* A clique without vote i. Votes of a key that contradicts itself are rivals only where they stand
 * against it. */
static bool is_rival(const struct graph *g, unsigned set, size_t i)
{
	if ((set & bit(i)) != 0)
		return false;
	return (set & g->doubled) == 0 || (set & ~g->near[i]) != 0;
}

static struct cliques find_cliques(const struct graph *g, const struct vote *votes)
{
	struct cliques c = { .common = 0 };

	for (unsigned set = 1; set < bit(g->n); set++) {
		int keys;

		if ((set & ~(g->single | g->doubled)) != 0 || !is_clique(g, set))
			continue;
		keys = keys_in(votes, g->n, set);
		for (size_t i = 0; i < g->n; i++)
			if (is_rival(g, set, i) && keys > c.without[i])
				c.without[i] = keys;
		if ((set & ~g->single) != 0 || keys < c.largest)
			continue;
		c.common = keys > c.largest ? set : c.common & set;
		c.largest = keys;
	}
	return c;
}

/* The sum of the distances to the other votes of the set. */
static double remoteness(const struct graph *g, const struct vote_pairs *pairs, unsigned set,
			 size_t i)
{
	double sum = 0;

	for (size_t j = 0; j < g->n; j++)
		if (j != i && (set & bit(j)) != 0)
			sum += fmax(pairs->distance[i][j], pairs->distance[j][i]);
	return sum;
}

/* The vote in the middle of `set`, or n if none of them is accepted. */
static size_t find_middle(const struct graph *g, const struct cliques *c, const struct vote *votes,
			  const struct vote_pairs *pairs)
{
	size_t best = g->n;
	double least = 0;

	for (size_t i = 0; i < g->n; i++) {
		double sum;

		if ((c->common & bit(i)) == 0 || c->largest <= c->without[i])
			continue;
		sum = votes[i].failure != 0 ? 0 : remoteness(g, pairs, c->common, i);
		if (best == g->n || sum < least ||
		    (sum == least && hash_compare(&votes[i].digest, &votes[best].digest) < 0)) {
			best = i;
			least = sum;
		}
	}
	return best;
}

static int count_keys(const struct vote *votes, size_t n)
{
	return n > 0 ? keys_in(votes, n, bit(n) - 1) : 0;
}

struct vote_decision vote_agree_near(const struct vote_rule *rule, const struct vote *votes,
				     size_t n, const struct vote_pairs *pairs, int outstanding)
{
	struct vote_decision d = { .verdict = VOTE_WAIT, .voters = 0 };
	int max = rule->max_replicas > rule->replicas ? rule->max_replicas : rule->replicas;
	struct graph g;
	struct cliques c;
	size_t winner;

	ASSERT(n <= VOTE_MAX_NEAR && outstanding >= 0);
	ASSERT(rule->agree >= 1 && rule->agree <= rule->replicas);
	d.voters = count_keys(votes, n);
	if (rule->replicas > d.voters + outstanding) {
		d.verdict = VOTE_ASK;
		d.ask = rule->replicas - d.voters - outstanding;
		return d;
	}
	if (outstanding > 0)
		return d;
	g = make_graph(votes, n, pairs);
	c = find_cliques(&g, votes);
	winner = find_middle(&g, &c, votes, pairs);
	d.support = c.largest;
	d.disputed = n > 0 && !is_clique(&g, bit(n) - 1);
	if (winner < n && c.largest >= rule->agree) {
		d.verdict = votes[winner].failure != 0 ? VOTE_FAIL : VOTE_ACCEPT;
		d.winner = winner;
		d.failure = votes[winner].failure;
	} else if (d.voters < max) {
		d.verdict = VOTE_ASK;
		d.ask = 1;
	} else {
		d.verdict = VOTE_NO_AGREEMENT;
	}
	return d;
}
