/* test_sim.c - thousands of random histories, and some calm ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* Sanitizers make a history ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HISTORIES = 1000 };
#else
enum { HISTORIES = 20000 };
#endif

/* SIM_SEED=n runs one history and prints its steps; SIM_HISTORIES=n changes how many run. */
static uint64_t from_environment(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);
	uint64_t n = 0;

	if (text == NULL)
		return fallback;
	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (uint64_t)(*text - '0');
	return n;
}

static unsigned run_many(uint64_t first, uint64_t count, bool calm)
{
	unsigned failed = 0;
	uint64_t steps = 0;

	for (uint64_t seed = first; seed < first + count && failed < 10; seed++) {
		struct sim_result r = sim_run(&(struct sim_options){ .seed = seed, .calm = calm });

		steps += r.steps;
		if (r.failure[0] == '\0')
			continue;
		fprintf(stderr, "seed %llu: %s (end %s, %u steps, %u lives, %u writes)\n",
			(unsigned long long)seed, r.failure, r.end, r.steps, r.lives, r.writes);
		failed++;
	}
	fprintf(stderr, "%llu histories, %llu steps\n", (unsigned long long)count,
		(unsigned long long)steps);
	return failed;
}

static void completes_every_calm_history_exactly(void **state)
{
	(void)state;
	assert_int_equal(run_many(1, from_environment("SIM_HISTORIES", HISTORIES) / 20, true), 0);
}

static void never_miscounts_accepts_wrongly_or_gets_stuck(void **state)
{
	uint64_t seed = from_environment("SIM_SEED", 0);

	(void)state;
	if (seed > 0) {
		struct sim_result r =
		    sim_run(&(struct sim_options){ .seed = seed, .verbose = true });

		fprintf(stderr, "seed %llu: %s%s\n", (unsigned long long)seed, r.failure, r.end);
		assert_string_equal(r.failure, "");
		return;
	}
	assert_int_equal(run_many(1, from_environment("SIM_HISTORIES", HISTORIES), false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completes_every_calm_history_exactly),
		cmocka_unit_test(never_miscounts_accepts_wrongly_or_gets_stuck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
