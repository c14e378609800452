/* test_near.c - agreement within a tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "vote/near.h"

enum { FAILED = -1000 };

/* One number per vote; two are near when they differ by at most 1. FAILED - k: failure k. */
struct case_ {
	const char *name;
	struct vote_rule rule;
	size_t n;
	double values[9];
	uint32_t keys[9];
	int outstanding;
	enum vote_verdict verdict;
	int ask;
	double winner;
};

static void fill(const struct case_ *c, const size_t *order, struct vote *votes,
		 struct vote_pairs *pairs)
{
	for (size_t i = 0; i < c->n; i++) {
		double v = c->values[order[i]];

		votes[i] =
		    (struct vote){ .key = c->keys[order[i]] != 0 ? c->keys[order[i]]
								 : (uint32_t)order[i] + 100 };
		if (v <= FAILED)
			votes[i].failure = (int)(FAILED - v) + 1;
		else
			votes[i].digest.bytes[0] = (uint8_t)(v * 10);
	}
	for (size_t i = 0; i < c->n; i++) {
		for (size_t j = 0; j < c->n; j++) {
			double apart = fabs(c->values[order[i]] - c->values[order[j]]);

			pairs->near[i][j] = apart <= 1;
			pairs->distance[i][j] = apart;
		}
	}
}

static const struct case_ cases[] = {
	{ "asks at first", { 2, 2, 5, 0 }, 0, { 0 }, { 0 }, 0, VOTE_ASK, 2, 0 },
	{ "waits while something is under way",
	  { 3, 2, 5, 0 },
	  2,
	  { 1, 1 },
	  { 0 },
	  1,
	  VOTE_WAIT,
	  0,
	  0 },
	{ "two near ones", { 2, 2, 5, 0 }, 2, { 1, 1.5 }, { 0 }, 0, VOTE_ACCEPT, 0, 1 },
	{ "two far ones", { 2, 2, 5, 0 }, 2, { 1, 5 }, { 0 }, 0, VOTE_ASK, 1, 0 },
	{ "the middle of three", { 3, 2, 5, 0 }, 3, { 1, 1.4, 2 }, { 0 }, 0, VOTE_ACCEPT, 0, 1.4 },
	{ "a chain agrees on its middle",
	  { 3, 2, 5, 0 },
	  3,
	  { 1, 2, 3 },
	  { 0 },
	  0,
	  VOTE_ACCEPT,
	  0,
	  2 },
	{ "a longer chain with a common part",
	  { 4, 2, 6, 0 },
	  4,
	  { 1, 1.9, 2, 2.9 },
	  { 0 },
	  0,
	  VOTE_ACCEPT,
	  0,
	  1.9 },
	{ "an outlier loses", { 3, 2, 5, 0 }, 3, { 1, 1, 9 }, { 0 }, 0, VOTE_ACCEPT, 0, 1 },
	{ "a tie of two pairs", { 4, 2, 5, 0 }, 4, { 1, 1, 9, 9 }, { 0 }, 0, VOTE_ASK, 1, 0 },
	{ "gives up", { 4, 2, 4, 0 }, 4, { 1, 1, 9, 9 }, { 0 }, 0, VOTE_NO_AGREEMENT, 0, 0 },
	{ "counts keys", { 2, 2, 5, 0 }, 2, { 1, 1 }, { 7, 7 }, 0, VOTE_ASK, 1, 0 },
	{ "one vote of a key that repeats itself counts",
	  { 2, 2, 5, 0 },
	  3,
	  { 1.6, 1.2, 2 },
	  { 7, 7 },
	  0,
	  VOTE_ACCEPT,
	  0,
	  1.2 },
	{ "a key that contradicts itself supports none",
	  { 3, 2, 3, 0 },
	  4,
	  { 1, 9, 1, 1 },
	  { 7, 7 },
	  0,
	  VOTE_ACCEPT,
	  0,
	  1 },
	{ "but counts as a rival",
	  { 3, 2, 3, 0 },
	  5,
	  { 1, 9, 9, 1, 1 },
	  { 7, 7 },
	  0,
	  VOTE_NO_AGREEMENT,
	  0,
	  0 },
	{ "failures of one kind",
	  { 2, 2, 5, 0 },
	  2,
	  { FAILED, FAILED },
	  { 0 },
	  0,
	  VOTE_FAIL,
	  0,
	  FAILED },
	{ "failures of two kinds",
	  { 2, 2, 5, 0 },
	  2,
	  { FAILED, FAILED - 1 },
	  { 0 },
	  0,
	  VOTE_ASK,
	  1,
	  0 },
};

static void check(const struct case_ *c, const size_t *order)
{
	struct vote votes[9];
	struct vote_pairs pairs = { 0 };
	struct vote_decision d;

	fill(c, order, votes, &pairs);
	d = vote_agree_near(&c->rule, votes, c->n, &pairs, c->outstanding);
	if (d.verdict != c->verdict || d.ask != c->ask)
		fail_msg("%s: verdict %d ask %d", c->name, d.verdict, d.ask);
	if (d.verdict == VOTE_ACCEPT && c->values[order[d.winner]] != c->winner)
		fail_msg("%s: %g", c->name, c->values[order[d.winner]]);
}

static void check_orders(const struct case_ *c, size_t *order, size_t at)
{
	if (at == c->n) {
		check(c, order);
		return;
	}
	for (size_t i = at; i < c->n; i++) {
		size_t v = order[at];

		order[at] = order[i];
		order[i] = v;
		check_orders(c, order, at + 1);
		order[i] = order[at];
		order[at] = v;
	}
}

static void decides_by_the_table_in_every_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t order[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

		check_orders(&cases[i], order, 0);
	}
}

static void compares_within_a_tolerance(void **state)
{
	static const struct {
		struct vote_tolerance t;
		float a[4];
		float b[4];
		bool near;
	} rows[] = {
		{ { 0, 0, 1, 100 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, true },
		{ { 0, 0, 1, 100 }, { 1, 2, 3, 4 }, { 1, 2, 3, 5 }, false },
		{ { 0.5, 0, 1, 100 }, { 1, 2, 3, 4 }, { 1.5f, 2, 3, 4 }, true },
		{ { 0.5, 0, 1, 100 }, { 1, 2, 3, 4 }, { 1.6f, 2, 3, 4 }, false },
		{ { 0, 0.1, 1, 100 }, { 100, 2, 3, 4 }, { 109, 2, 3, 4 }, true },
		{ { 0.5, 0, 0.75, 3 }, { 1, 2, 3, 4 }, { 2, 2, 3, 4 }, true },
		{ { 0.5, 0, 0.75, 3 }, { 1, 2, 3, 4 }, { 4, 2, 3, 4 }, false },
		{ { 0.5, 0, 0.75, 3 }, { 1, 2, 3, 4 }, { 2, 3, 3, 4 }, false },
		{ { 1, 1, 1, 100 }, { NAN, INFINITY, 3, 4 }, { NAN, INFINITY, 3, 4 }, true },
		{ { 1, 1, 1, 100 }, { 1, INFINITY, 3, 4 }, { 1, -INFINITY, 3, 4 }, false },
		{ { 1, 1, 1, 100 }, { 1, NAN, 3, 4 }, { 1, 2, 3, 4 }, false },
		{ { 0, 0, 1, 100 }, { 0, 0, 0, 0 }, { -0.0f, 0, 0, 0 }, true },
	};
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_F32, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double forth;
		double back;

		if (vote_is_near(&rows[i].t, shape, rows[i].a, rows[i].b, 16, &forth) !=
			rows[i].near ||
		    vote_is_near(&rows[i].t, shape, rows[i].b, rows[i].a, 16, &back) !=
			rows[i].near)
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decides_by_the_table_in_every_order),
		cmocka_unit_test(compares_within_a_tolerance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
