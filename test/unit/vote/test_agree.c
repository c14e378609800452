/* test_agree.c - the acceptance rule: a table, and all small cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "vote/agree.h"

enum { MAX = 12 };

/* "H1 L2 F3": results H and L, failure F, under keys 1, 2, 3. */
static size_t read_votes(const char *text, struct vote votes[MAX])
{
	size_t n = 0;

	for (; *text != '\0'; text += text[2] == ' ' ? 3 : 2) {
		votes[n] = (struct vote){ .key = (uint32_t)(text[1] - '0') };
		if (text[0] == 'F' || text[0] == 'G')
			votes[n].failure = text[0];
		else
			votes[n].digest.bytes[0] = (uint8_t)text[0];
		n++;
	}
	return n;
}

static char name_of(const struct vote *v)
{
	return v->failure != 0 ? (char)v->failure : (char)v->digest.bytes[0];
}

static void decides_by_the_table(void **state)
{
	static const struct {
		const char *name;
		struct vote_rule rule;
		const char *votes;
		int outstanding;
		enum vote_verdict verdict;
		int ask;
		char winner;
	} rows[] = {
		{ "asks at first", { 2, 2, 5, false }, "", 0, VOTE_ASK, 2, 0 },
		{ "asks for the rest", { 3, 2, 6, false }, "", 1, VOTE_ASK, 2, 0 },
		{ "waits", { 2, 2, 5, false }, "H1", 1, VOTE_WAIT, 0, 0 },
		{ "accepts two of two", { 2, 2, 5, false }, "H1 H2", 0, VOTE_ACCEPT, 0, 'H' },
		{ "replaces a loss", { 2, 2, 5, false }, "H1", 0, VOTE_ASK, 1, 0 },
		{ "asks one more on dispute", { 2, 2, 5, false }, "H1 L2", 0, VOTE_ASK, 1, 0 },
		{ "accepts two of three", { 2, 2, 5, false }, "H1 L2 H3", 0, VOTE_ACCEPT, 0, 'H' },
		{ "gives up", { 2, 2, 4, false }, "H1 L2 M3 N4", 0, VOTE_NO_AGREEMENT, 0, 0 },
		{ "gives up when asked for too little",
		  { 2, 2, 0, false },
		  "H1 L2",
		  0,
		  VOTE_NO_AGREEMENT,
		  0,
		  0 },
		{ "does not accept early what may lose",
		  { 5, 2, 8, false },
		  "H1 H2",
		  3,
		  VOTE_WAIT,
		  0,
		  0 },
		{ "accepts early what cannot lose",
		  { 5, 2, 8, false },
		  "H1 H2 H3",
		  2,
		  VOTE_ACCEPT,
		  0,
		  'H' },
		{ "takes the larger of two",
		  { 5, 2, 8, false },
		  "L1 L2 H3 H4 H5",
		  0,
		  VOTE_ACCEPT,
		  0,
		  'H' },
		{ "does not decide a tie", { 4, 2, 7, false }, "L1 L2 H3 H4", 0, VOTE_ASK, 1, 0 },
		{ "counts keys, not results", { 2, 2, 5, false }, "H1 H1", 0, VOTE_ASK, 1, 0 },
		{ "ignores a repeated result",
		  { 2, 2, 5, false },
		  "H1 H1 H2",
		  0,
		  VOTE_ACCEPT,
		  0,
		  'H' },
		{ "a key in two classes supports none",
		  { 3, 2, 6, false },
		  "H1 L1 H2 H3",
		  0,
		  VOTE_ACCEPT,
		  0,
		  'H' },
		{ "a key in two classes counts as a rival",
		  { 3, 2, 3, false },
		  "H1 L1 L2 H3 H4",
		  0,
		  VOTE_NO_AGREEMENT,
		  0,
		  0 },
		{ "votes on failures", { 2, 2, 5, false }, "F1 F2", 0, VOTE_FAIL, 0, 'F' },
		{ "tells failures apart", { 2, 2, 5, false }, "F1 G2", 0, VOTE_ASK, 1, 0 },
		{ "a failure is a rival of a result",
		  { 2, 2, 5, false },
		  "H1 F2 H3",
		  0,
		  VOTE_ACCEPT,
		  0,
		  'H' },
		{ "one replica", { 1, 1, 4, false }, "H1", 0, VOTE_ACCEPT, 0, 'H' },
		{ "one of two waits for both", { 2, 1, 5, false }, "H1", 1, VOTE_WAIT, 0, 0 },
		{ "one of two asks for both", { 2, 1, 5, false }, "H1", 0, VOTE_ASK, 1, 0 },
		{ "one of two in dispute", { 2, 1, 5, false }, "H1 L2", 0, VOTE_ASK, 1, 0 },
		{ "settles only at the end", { 3, 2, 3, true }, "H1 H2", 1, VOTE_WAIT, 0, 0 },
		{ "settled", { 3, 2, 3, true }, "H1 H2 L3", 0, VOTE_ACCEPT, 0, 'H' },
		{ "a late opinion counts", { 2, 2, 5, false }, "H1 L2 L3", 1, VOTE_WAIT, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct vote votes[MAX];
		size_t n = read_votes(rows[i].votes, votes);
		struct vote_decision d = vote_agree(&rows[i].rule, votes, n, rows[i].outstanding);

		if (d.verdict != rows[i].verdict || d.ask != rows[i].ask)
			fail_msg("%s: verdict %d, ask %d", rows[i].name, d.verdict, d.ask);
		if (rows[i].winner != 0)
			assert_int_equal(name_of(&votes[d.winner]), rows[i].winner);
	}
}

static int power(int base, int n)
{
	return n == 0 ? 1 : base * power(base, n - 1);
}

/* The code-th sequence of n votes from H, L, F; equivocate: vote 0 and 1 share a key. */
static void make_votes(int code, int n, bool equivocate, struct vote votes[MAX])
{
	static const char names[] = "HLF";

	for (int i = 0; i < n; i++, code /= 3) {
		char c = names[code % 3];

		votes[i] = (struct vote){ .key = equivocate && i == 1 ? 0 : (uint32_t)i };
		if (c == 'F')
			votes[i].failure = 'F';
		else
			votes[i].digest.bytes[0] = (uint8_t)c;
	}
}

/* The class that is accepted first when the votes arrive in this order, or 0. */
static char first_accepted(const struct vote_rule *rule, const struct vote *votes, int n)
{
	for (int i = 1; i <= n; i++) {
		struct vote_decision d = vote_agree(rule, votes, (size_t)i, n - i);

		if (d.verdict == VOTE_ACCEPT || d.verdict == VOTE_FAIL) {
			assert_true(d.support >= rule->agree);
			return name_of(&votes[d.winner]);
		}
	}
	return 0;
}

static void check_order(const struct vote_rule *rule, struct vote *votes, int n, int at, char want)
{
	if (at == n) {
		assert_int_equal(first_accepted(rule, votes, n), want);
		return;
	}
	for (int i = at; i < n; i++) {
		struct vote v = votes[at];

		votes[at] = votes[i];
		votes[i] = v;
		check_order(rule, votes, n, at + 1, want);
		v = votes[at];
		votes[at] = votes[i];
		votes[i] = v;
	}
}

static void check_all_orders(const struct vote_rule *rule, int n, bool equivocate)
{
	for (int code = 0; code < power(3, n); code++) {
		struct vote votes[MAX];

		make_votes(code, n, equivocate, votes);
		check_order(rule, votes, n, 0, first_accepted(rule, votes, n));
	}
}

static void gives_the_same_answer_in_every_order_of_arrival(void **state)
{
	(void)state;
	for (int n = 1; n <= 5; n++) {
		for (int agree = 1; agree <= n; agree++) {
			struct vote_rule rule = { n, agree, n + 3, false };

			check_all_orders(&rule, n, false);
			/* Who answers twice is seen through only once both answers are there. */
			rule.settle = true;
			rule.replicas = n - 1;
			if (agree < n)
				check_all_orders(&rule, n, true);
		}
	}
}

static void losses_do_not_choose_the_answer(void **state)
{
	struct vote votes[MAX];
	struct vote_rule rule = { 5, 2, 8, false };
	size_t n = read_votes("H1 H2", votes);
	struct vote_decision d = vote_agree(&rule, votes, n, 0);

	(void)state;
	assert_int_equal(d.verdict, VOTE_ASK);
	assert_int_equal(d.ask, 3);
}

static void never_lets_a_minority_of_keys_win(void **state)
{
	/* Colluding keys 7, 8 send wrong results twice over; four honest ones answer. */
	struct vote votes[MAX];
	struct vote_rule rule = { 5, 2, 9, false };
	size_t n = read_votes("L7 L7 L8 L8 H1 H2 H3", votes);
	struct vote_decision d;

	(void)state;
	d = vote_agree(&rule, votes, n, 0);
	assert_int_equal(d.verdict, VOTE_ACCEPT);
	assert_int_equal(name_of(&votes[d.winner]), 'H');
	assert_int_equal(d.support, 3);
	assert_int_equal(d.voters, 5);
	assert_true(d.disputed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decides_by_the_table),
		cmocka_unit_test(gives_the_same_answer_in_every_order_of_arrival),
		cmocka_unit_test(losses_do_not_choose_the_answer),
		cmocka_unit_test(never_lets_a_minority_of_keys_win),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
