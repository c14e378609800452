/* test_work.c - the pool hands results to the loop thread; the team runs each part once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/mem.h"
#include "base/work.h"

struct item {
	struct loop *loop;
	struct work_pool *pool;
	int value;
	bool ran;
	int *done_count;
	int stop_at;
};

static void run_item(void *arg)
{
	struct item *i = arg;

	i->value *= 2;
	i->ran = true;
}

static void done_item(void *arg)
{
	struct item *i = arg;

	if (++*i->done_count == i->stop_at)
		loop_stop(i->loop);
}

static void work_runs_elsewhere_and_is_done_on_the_loop(void **state)
{
	AUTO(loop_freep) struct loop *l = NULL;
	struct work_pool *pool = NULL;
	struct item items[100];
	struct err err = { 0 };
	int count = 0;

	(void)state;
	assert_int_equal(loop_new(&l, &err), 0);
	assert_int_equal(work_pool_new(l, 3, &pool, &err), 0);
	for (int i = 0; i < 100; i++) {
		items[i] =
		    (struct item){ .loop = l, .value = i, .done_count = &count, .stop_at = 100 };
		assert_int_equal(work_submit(pool, run_item, done_item, &items[i], &err), 0);
	}
	loop_run(l);
	for (int i = 0; i < 100; i++)
		assert_int_equal(items[i].value, 2 * i);
	work_pool_free(pool);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void run_behind_gate(void *arg)
{
	pthread_mutex_lock(&gate);
	run_item(arg);
	pthread_mutex_unlock(&gate);
}

static void freeing_the_pool_finishes_everything(void **state)
{
	AUTO(loop_freep) struct loop *l = NULL;
	struct work_pool *pool = NULL;
	struct item items[10];
	struct err err = { 0 };
	int count = 0;

	(void)state;
	assert_int_equal(loop_new(&l, &err), 0);
	assert_int_equal(work_pool_new(l, 1, &pool, &err), 0);
	for (int i = 0; i < 10; i++) {
		items[i] = (struct item){ .loop = l, .value = i, .done_count = &count };
		assert_int_equal(work_submit(pool, run_behind_gate, done_item, &items[i], &err), 0);
	}
	work_pool_free(pool);
	assert_int_equal(count, 10);
}

static void refuses_more_than_it_may_hold(void **state)
{
	AUTO(loop_freep) struct loop *l = NULL;
	struct work_pool *pool = NULL;
	struct item item = { 0 };
	struct err err = { 0 };
	int count = 0;
	int rc = 0;
	int submitted = 0;

	(void)state;
	assert_int_equal(loop_new(&l, &err), 0);
	assert_int_equal(work_pool_new(l, 1, &pool, &err), 0);
	item = (struct item){ .loop = l, .done_count = &count };
	pthread_mutex_lock(&gate);
	while (rc == 0 && submitted < 2000) {
		rc = work_submit(pool, run_behind_gate, done_item, &item, &err);
		submitted += rc == 0;
	}
	assert_int_equal(rc, ERR_UNAVAILABLE);
	pthread_mutex_unlock(&gate);
	work_pool_free(pool);
	assert_int_equal(count, submitted);
}

static void done_free_pool(void *arg)
{
	struct item *i = arg;

	++*i->done_count;
	if (i->pool != NULL) {
		work_pool_free(i->pool);
		loop_stop(i->loop);
	}
}

static void a_done_callback_may_free_the_pool(void **state)
{
	AUTO(loop_freep) struct loop *l = NULL;
	struct work_pool *pool = NULL;
	struct item items[3];
	struct err err = { 0 };
	int count = 0;

	(void)state;
	assert_int_equal(loop_new(&l, &err), 0);
	assert_int_equal(work_pool_new(l, 1, &pool, &err), 0);
	for (int i = 0; i < 3; i++) {
		items[i] =
		    (struct item){ .loop = l, .pool = i == 0 ? pool : NULL, .done_count = &count };
		assert_int_equal(work_submit(pool, run_item, done_free_pool, &items[i], &err), 0);
	}
	loop_run(l);
	assert_int_equal(count, 3);
}

enum { PARTS = 1000 };
static atomic_int part_counts[PARTS];

static void count_part(void *arg, uint64_t part)
{
	atomic_fetch_add(&part_counts[part], *(int *)arg);
}

static void a_team_runs_each_part_once_however_often(void **state)
{
	static const uint64_t sizes[] = { 0, 1, 2, 3, 7, PARTS };
	struct work_team *t = NULL;
	struct err err = { 0 };

	(void)state;
	for (int threads = 1; threads <= 4; threads++) {
		assert_int_equal(work_team_new(threads, &t, &err), 0);
		for (int round = 1; round <= 600; round++) {
			uint64_t parts = sizes[(size_t)round % ARRAY_LEN(sizes)];

			work_team_run(t, count_part, &round, parts);
			for (uint64_t i = 0; i < PARTS; i++)
				assert_int_equal(atomic_exchange(&part_counts[i], 0),
						 i < parts ? round : 0);
		}
		work_team_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_runs_elsewhere_and_is_done_on_the_loop),
		cmocka_unit_test(freeing_the_pool_finishes_everything),
		cmocka_unit_test(refuses_more_than_it_may_hold),
		cmocka_unit_test(a_done_callback_may_free_the_pool),
		cmocka_unit_test(a_team_runs_each_part_once_however_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
