/*
 * seeds.h - main() of tests that try kernels made from seeds: PROGRAM [COUNT [SEED]].
 *
 *     for (uint32_t k = 0; k < count; k++)
 *             check(first_seed + k);          which sets last_seed
 *     ...
 *     return seeds_main(argc, argv, 2000, &count, &test);
 */
#ifndef TEST_NATIVE_SEEDS_H
#define TEST_NATIVE_SEEDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/num.h"

static uint32_t first_seed = 1;
static uint32_t last_seed;

/* Runs the test and, if it fails, says with which seed. *count: what to try, `slow` of them with
 * KWARP_SLOW=1. Returns what main does. */
static int seeds_main(int argc, char **argv, uint64_t slow, uint32_t *count,
		      const struct CMUnitTest *test)
{
	struct err err = { 0 };
	uint64_t n = getenv("KWARP_SLOW") != NULL ? slow : *count;
	uint64_t seed = first_seed;
	int failed;

	if ((argc > 1 && num_parse_u64(argv[1], strlen(argv[1]), 100000000, &n, &err) < 0) ||
	    (argc > 2 && num_parse_u64(argv[2], strlen(argv[2]), UINT32_MAX, &seed, &err) < 0))
		return 2;
	*count = (uint32_t)n;
	first_seed = (uint32_t)seed;
	failed = _cmocka_run_group_tests(test->name, test, 1, NULL, NULL);
	if (failed > 0)
		print_message("it was seed %u\n", last_seed);
	return failed;
}

#endif
