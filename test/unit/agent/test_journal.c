/* test_journal.c - a restarted agent finds what it held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/journal.h"
#include "base/file.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"

static const uint8_t TICKET[WIRE_DIGEST] = { 1 };

struct place {
	char dir[32];
	char path[64];
};

static void place_make(struct place *p)
{
	memcpy(p->dir, "/tmp/journal-XXXXXX", 20);
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->path, sizeof(p->path), "%s/results", p->dir);
}

static void place_done(struct place *p)
{
	unlink(p->path);
	rmdir(p->dir);
}

static void add(struct held *h, struct journal *j, uint32_t chunk, enum wire_outcome outcome)
{
	struct wire_dispatch d = { .job_uid = "a", .first_chunk = chunk, .n_chunks = 1 };
	struct wire_result r = { .chunk = chunk, .outcome = outcome, .message = "why" };

	if (outcome == WIRE_OK) {
		memset(r.digest, 7, WIRE_DIGEST);
		r.values = "1234";
		r.values_size = 4;
	}
	held_add(h, &d, TICKET, &r);
	journal_add(j, &d, TICKET, &r);
}

static void drop(struct held *h, struct journal *j, uint32_t first, uint32_t count)
{
	struct wire_run run = { first, count };
	struct wire_job_runs jobs = { .job_uid = "a", .runs = &run, .n_runs = 1 };

	held_drop(h, &jobs, 1);
	journal_drop(j, &jobs, 1);
}

static size_t count_after_restart(const char *path)
{
	AUTO(held_freep) struct held *h = held_new();
	struct journal *j = NULL;
	struct err err = { 0 };

	assert_int_equal(journal_open(path, h, &j, &err), 0);
	journal_close(j);
	return held_count(h);
}

static void what_is_undecided_is_found_again(void **state)
{
	AUTO(place_done) struct place p;
	AUTO(held_freep) struct held *h = held_new();
	struct journal *j = NULL;
	struct err err = { 0 };

	(void)state;
	place_make(&p);
	assert_int_equal(journal_open(p.path, h, &j, &err), 0);
	for (uint32_t i = 0; i < 10; i++)
		add(h, j, i, i == 4 ? WIRE_TIMED_OUT : WIRE_OK);
	add(h, j, 10, WIRE_CANCELLED);
	add(h, j, 11, WIRE_REFUSED);
	drop(h, j, 2, 2);
	journal_close(j);
	assert_int_equal(count_after_restart(p.path), 8);
}

static void a_file_cut_anywhere_gives_what_is_whole(void **state)
{
	AUTO(place_done) struct place p;
	AUTO(held_freep) struct held *h = held_new();
	AUTO(buf_done) struct buf file = { .max = 1 << 20 };
	struct journal *j = NULL;
	struct err err = { 0 };
	size_t last = 0;

	(void)state;
	place_make(&p);
	assert_int_equal(journal_open(p.path, h, &j, &err), 0);
	for (uint32_t i = 0; i < 3; i++)
		add(h, j, i, WIRE_OK);
	journal_close(j);
	assert_int_equal(file_read(p.path, &file, &err), 0);
	for (size_t n = 0; n <= file.len; n++) {
		size_t count;

		assert_int_equal(file_write(p.path, file.data, n, true, &err), 0);
		count = count_after_restart(p.path);
		assert_true(count >= last && count <= 3);
		last = count;
	}
	assert_int_equal(last, 3);
	file.data[20] = (char)(file.data[20] ^ 1);
	assert_int_equal(file_write(p.path, file.data, file.len, true, &err), 0);
	assert_int_equal(count_after_restart(p.path), 0);
}

static void a_second_agent_is_refused(void **state)
{
	AUTO(place_done) struct place p;
	AUTO(held_freep) struct held *h = held_new();
	struct journal *j = NULL;
	struct journal *second = NULL;
	struct err err = { 0 };

	(void)state;
	place_make(&p);
	assert_int_equal(journal_open(p.path, h, &j, &err), 0);
	assert_int_equal(journal_open(p.path, h, &second, &err), ERR_CONFLICT);
	journal_close(j);
}

static void the_file_stays_small(void **state)
{
	AUTO(place_done) struct place p;
	AUTO(held_freep) struct held *h = held_new();
	struct work_pool *pool = NULL;
	struct journal *j = NULL;
	struct loop *loop = NULL;
	struct err err = { 0 };

	(void)state;
	place_make(&p);
	assert_int_equal(loop_new(&loop, &err), 0);
	assert_int_equal(work_pool_new(loop, 1, &pool, &err), 0);
	assert_int_equal(journal_open(p.path, h, &j, &err), 0);
	journal_start(j, loop, pool);
	for (uint32_t i = 0; i < 60000; i++) {
		add(h, j, i, WIRE_OK);
		if (i % 1000 == 999) {
			drop(h, j, i - 999, 990);
			loop_turn(loop, 6); /* what came together goes out */
		}
	}
	assert_true(journal_size(j) < 10 << 20);
	journal_stop(j);
	work_pool_free(pool);
	journal_close(j);
	loop_free(loop);
	assert_int_equal(count_after_restart(p.path), 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_undecided_is_found_again),
		cmocka_unit_test(a_file_cut_anywhere_gives_what_is_whole),
		cmocka_unit_test(a_second_agent_is_refused),
		cmocka_unit_test(the_file_stays_small),
	};

	log_setup(LOG_ERROR + 1, LOG_TEXT, "test");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
