/* test_ranges.c - sets of numbers as ranges, against a plain bitmap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "base/ranges.h"

enum { N = 64 };

static uint64_t next_random(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33;
}

static void assert_like_bitmap(const struct ranges *s, const bool map[N])
{
	uint64_t total = 0;
	size_t runs = 0;

	for (uint64_t i = 0; i < N; i++) {
		uint64_t gap = i;
		uint64_t next = i;

		assert_int_equal(ranges_has(s, i), map[i]);
		total += map[i];
		runs += map[i] && (i == 0 || !map[i - 1]);
		while (gap < N && map[gap])
			gap++;
		while (next < N && !map[next])
			next++;
		assert_int_equal(ranges_gap(s, i, N), gap);
		assert_int_equal(ranges_next(s, i, N), next);
	}
	assert_int_equal(ranges_total(s), total);
	assert_int_equal(s->count, runs);
}

static void assert_reads_back(const struct ranges *s)
{
	AUTO(buf_done) struct buf b = { .max = 4096 };
	AUTO(ranges_done) struct ranges back = { 0 };
	struct err err = { 0 };

	assert_int_equal(ranges_print(s, &b, &err), 0);
	assert_int_equal(ranges_parse(buf_str(&b), b.len, N, N, &back, &err), 0);
	assert_true(ranges_equal(s, &back));
}

static void behaves_like_a_bitmap(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		AUTO(ranges_done) struct ranges s = { 0 };
		bool map[N] = { 0 };

		for (int step = 0; step < 30; step++) {
			uint64_t first = next_random(&seed) % N;
			uint64_t last = first + next_random(&seed) % 6;
			bool add = next_random(&seed) % 3 > 0;
			size_t with;

			last = last < N ? last : N - 1;
			with = ranges_count_with(&s, first);
			if (add && first == last) {
				ranges_add_one(&s, first);
				assert_int_equal(s.count, with);
			} else if (add) {
				ranges_add(&s, first, last);
			} else {
				ranges_remove(&s, first, last);
			}
			for (uint64_t i = first; i <= last; i++)
				map[i] = add;
		}
		assert_like_bitmap(&s, map);
		assert_reads_back(&s);
	}
}

static void refuses_texts_that_are_not_ranges(void **state)
{
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{ "", 0 },
		{ "0-9,11", 0 },
		{ "0-10,11", 0 },
		{ "5-4", ERR_INVALID },
		{ "3,3", ERR_INVALID },
		{ "5,3", ERR_INVALID },
		{ "1,", ERR_INVALID },
		{ ",1", ERR_INVALID },
		{ "1-", ERR_INVALID },
		{ "-1", ERR_INVALID },
		{ "1-2-3", ERR_INVALID },
		{ "1 ,2", ERR_INVALID },
		{ "0x1", ERR_INVALID },
		{ "100", ERR_INVALID },
		{ "99999999999999999999999", ERR_INVALID },
		{ "1,3,5,7", ERR_TOO_BIG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(ranges_done) struct ranges s = { 0 };
		struct err err = { 0 };

		assert_int_equal(ranges_parse(rows[i].text, strlen(rows[i].text), 100, 3, &s, &err),
				 rows[i].code);
	}
}

static void holds_the_largest_number(void **state)
{
	AUTO(ranges_done) struct ranges s = { 0 };

	(void)state;
	ranges_add(&s, UINT64_MAX - 1, UINT64_MAX);
	ranges_add(&s, 0, UINT64_MAX - 2);
	assert_int_equal(s.count, 1);
	assert_true(ranges_has(&s, UINT64_MAX));
}

static void takes_a_million_numbers_in_mostly_ascending_order(void **state)
{
	AUTO(ranges_done) struct ranges s = { 0 };
	uint64_t seed = 7;
	enum { COUNT = 1000000, BLOCK = 1000 };

	(void)state;
	for (uint64_t from = 0; from < COUNT; from += BLOCK) {
		uint64_t order[BLOCK];

		for (uint64_t i = 0; i < BLOCK; i++) {
			uint64_t j = next_random(&seed) % (i + 1);

			order[i] = order[j];
			order[j] = from + i;
		}
		for (size_t i = 0; i < BLOCK; i++)
			ranges_add_one(&s, order[i]);
	}
	assert_int_equal(s.count, 1);
	assert_int_equal(ranges_total(&s), COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behaves_like_a_bitmap),
		cmocka_unit_test(refuses_texts_that_are_not_ranges),
		cmocka_unit_test(holds_the_largest_number),
		cmocka_unit_test(takes_a_million_numbers_in_mostly_ascending_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
