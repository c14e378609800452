/*
 * test_oracle.c - our verdicts and words against what naga and Dawn answered when they were asked
 * last (test/oracle/golden.txt); `make oracle` asks them again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "test/oracle/compare.h"
#include "test/oracle/kernels.h"
#include "test/oracle/ours.h"

/* Each run compiles to machine code; the others are compared with KWARP_SLOW=1 and `make oracle`.
 */
enum { RUN_EVERY = 2 };

struct loaded {
	struct arena arena;
	struct kernels all;
	struct map answers;
	struct differences differences;
};

static int load(void **state)
{
	struct loaded *l = NEW(struct loaded);
	struct err err = { 0 };

	if (kernels_load("test/oracle/kernels", &l->arena, &l->all, &err) < 0 ||
	    golden_load("test/oracle/golden.txt", &l->all, &l->arena, &l->answers, &err) < 0 ||
	    differences_load("test/oracle/differences.txt", &l->arena, &l->differences, &err) < 0)
		fail_msg("%s", err.text);
	*state = l;
	return 0;
}

static int unload(void **state)
{
	struct loaded *l = *state;

	map_done(&l->answers, NULL);
	arena_done(&l->arena);
	mem_free(l);
	return 0;
}

static void every_kernel_is_judged_as_by_the_others(void **state)
{
	struct loaded *l = *state;
	size_t wrong = 0;

	for (size_t i = 0; i < l->all.n; i++) {
		AUTO(arena_done) struct arena arena = { 0 };
		const struct kernel *k = &l->all.list[i];
		const struct answer *a = map_get(&l->answers, k->name);
		struct err err = { 0 };
		struct ours o;

		if (a == NULL)
			fail_msg("%s: no recorded answer, run make oracle-record", k->name);
		if (ours_compile(k, &arena, &o, &err) < 0 ||
		    compare_verdicts(k, a, &o, &l->differences, &err) < 0) {
			print_error("%s\n", err.text);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static bool same_words(struct loaded *l, const struct kernel *k)
{
	AUTO(arena_done) struct arena arena = { 0 };
	const struct answer *a = map_get(&l->answers, k->name);
	struct err err = { 0 };
	struct ours o;

	if (ours_compile(k, &arena, &o, &err) < 0)
		fail_msg("%s", err.text);
	if (o.m == NULL || a == NULL || compare_is_refused(k, &l->differences))
		return true;
	if (ours_run(k, &o, &arena, &err) < 0 ||
	    compare_words(k, "dawn", a->words, &o, &l->differences, &err) < 0)
		print_error("%s: %s\n", k->name, err.text);
	return err.code == 0;
}

static void accepted_kernels_leave_the_words_that_dawn_left(void **state)
{
	struct loaded *l = *state;
	size_t wrong = 0, step = getenv("KWARP_SLOW") != NULL ? 1 : RUN_EVERY;

	for (size_t i = 0; i < l->all.n; i += step)
		if (!l->all.list[i].is_reject && !same_words(l, &l->all.list[i]))
			wrong++;
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_is_judged_as_by_the_others),
		cmocka_unit_test(accepted_kernels_leave_the_words_that_dawn_left),
	};

	return cmocka_run_group_tests_name("oracle", tests, load, unload);
}
