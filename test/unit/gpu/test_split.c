/* test_split.c - grids of work-groups are cut into boxes without gaps or overlaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "gpu/split.h"

enum { MAX_CELLS = 4096 };

/* Every group lies in exactly one box, no box is larger than allowed. Returns the boxes. */
static uint32_t check(const struct split *grid, uint64_t budget)
{
	uint8_t seen[MAX_CELLS] = { 0 };
	struct split s = *grid;
	uint32_t boxes = 0;
	uint32_t base[3];
	uint32_t count[3];

	for (; split_next(&s, budget, base, count); boxes++) {
		assert_true((uint64_t)count[0] * count[1] * count[2] <= budget);
		for (int i = 0; i < 3; i++) {
			assert_in_range(count[i], 1, grid->most[i]);
			assert_in_range(base[i] + count[i], 1, grid->groups[i]);
		}
		for (uint32_t z = base[2]; z < base[2] + count[2]; z++)
			for (uint32_t y = base[1]; y < base[1] + count[1]; y++)
				for (uint32_t x = base[0]; x < base[0] + count[0]; x++)
					seen[(z * grid->groups[1] + y) * grid->groups[0] + x]++;
	}
	for (uint32_t i = 0; i < grid->groups[0] * grid->groups[1] * grid->groups[2]; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(s.done, grid->groups[0] * grid->groups[1] * grid->groups[2]);
	return boxes;
}

static void test_boxes_tile_the_grid(void **state)
{
	static const uint64_t budgets[] = { 1, 2, 3, 7, 16, 35, 64, 1000, UINT64_MAX };
	static const struct split grids[] = {
		{ .groups = { 1, 1, 1 }, .most = { 1, 1, 1 } },
		{ .groups = { 100, 1, 1 }, .most = { 7, 7, 7 } },
		{ .groups = { 5, 7, 3 }, .most = { 65535, 65535, 65535 } },
		{ .groups = { 5, 7, 3 }, .most = { 2, 3, 1 } },
		{ .groups = { 5, 7, 3 }, .most = { 5, 2, 2 } },
		{ .groups = { 1, 1, 50 }, .most = { 1, 1, 4 } },
		{ .groups = { 16, 16, 16 }, .most = { 16, 16, 16 } },
	};

	(void)state;
	for (size_t g = 0; g < ARRAY_LEN(grids); g++)
		for (size_t b = 0; b < ARRAY_LEN(budgets); b++)
			assert_in_range(check(&grids[g], budgets[b]), 1, MAX_CELLS);
}

static void test_one_box_is_enough_when_it_fits(void **state)
{
	const struct split s = { .groups = { 16, 16, 16 }, .most = { 65535, 65535, 65535 } };

	(void)state;
	assert_int_equal(check(&s, 4096), 1);
	assert_int_equal(check(&s, 2048), 2);
	assert_int_equal(check(&s, 256), 16);
	assert_int_equal(check(&s, 16), 256);
}

static void test_an_empty_grid_has_no_boxes(void **state)
{
	struct split s = { .groups = { 4, 0, 1 }, .most = { 8, 8, 8 } };
	uint32_t base[3];
	uint32_t count[3];

	(void)state;
	assert_false(split_next(&s, 8, base, count));
}

static void test_budgets_follow_the_measured_time(void **state)
{
	(void)state;
	assert_int_equal(split_budget(0, 0, 1e5), 1);            /* nothing is known */
	assert_int_equal(split_budget(0, 64, 1e5), 512);         /* it was too short to tell */
	assert_int_equal(split_budget(1, 0, 1e5), 12500);        /* known from the chunk before */
	assert_int_equal(split_budget(1, 64, 1e5), 512);         /* growing slowly */
	assert_int_equal(split_budget(1000, 512, 1e5), 100);     /* shrinking at once */
	assert_int_equal(split_budget(1e9, 64, 1e5), 1);         /* one is the least */
	assert_true(split_budget(1e-12, UINT64_MAX, 1e5) > 1e9); /* no overflow */
}

/* The longest dispatch of a chunk whose groups take us_per_group, in a row from the left, after
 * what was known of them; what is known afterwards. */
static double longest(double *known, double us_per_group)
{
	struct split s = { .groups = { 65535, 64, 1 }, .most = { 65535, 65535, 65535 } };
	uint32_t base[3];
	uint32_t count[3];
	uint64_t last = 0;
	double most = 0;

	for (int i = 0; i < 200 && split_next(&s, split_budget(*known, last, 1e5), base, count);
	     i++) {
		double us;

		last = (uint64_t)count[0] * count[1] * count[2];
		us = us_per_group * (double)last;
		most = us > most ? us : most;
		*known = *known > 0 ? (*known + us_per_group) / 2 : us_per_group;
	}
	return most;
}

static void test_dispatches_stay_below_200_ms(void **state)
{
	(void)state;
	for (double us = 0.001; us < 2e5; us *= 3) {
		double known = 0;

		assert_true(longest(&known, us) < 2e5);
		/* The next chunk's groups take fifteen times as long, or a thousandth. */
		assert_true(us * 15 > 2e5 || longest(&known, us * 15) < 2e5);
		assert_true(longest(&known, us / 1000) < 2e5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes_tile_the_grid),
		cmocka_unit_test(test_one_box_is_enough_when_it_fits),
		cmocka_unit_test(test_an_empty_grid_has_no_boxes),
		cmocka_unit_test(test_budgets_follow_the_measured_time),
		cmocka_unit_test(test_dispatches_stay_below_200_ms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
