/* test_store.c - blobs are kept, joined and read; operations wait, end, are cancelled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "test/unit/store/rig.h"

static void what_was_put_is_read_again(void **state)
{
	struct rig *r = *state;
	struct store_blob blobs[] = { text_blob("one"), text_blob(""), text_blob("three") };
	struct answer a = { .rig = r };
	struct stat st;
	char path[256];

	store_put(r->s, JOB, blobs, 3, on_done, &a);
	assert_int_equal(a.calls, 0);
	wait_for(&a);
	assert_int_equal(a.err.code, 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(get_code(r, JOB, &blobs[i]), 0);
	assert_int_equal(count_files(r), 3);
	assert_int_equal(stat(path_of(r, JOB, NULL, path), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(path_of(r, JOB, &blobs[0], path), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void the_bytes_are_copied(void **state)
{
	struct rig *r = *state;
	char text[] = "mine";
	struct store_blob b = blob_of(text, 4);
	struct answer a = { .rig = r };

	store_put(r->s, JOB, &b, 1, on_done, &a);
	memset(text, 'x', 4);
	wait_for(&a);
	b = text_blob("mine");
	assert_int_equal(get_code(r, JOB, &b), 0);
}

static void a_blob_that_is_there_is_left_as_it_is(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("steady");
	struct stat before;
	struct stat after;
	char path[256];

	put(r, JOB, &b);
	assert_int_equal(stat(path_of(r, JOB, &b, path), &before), 0);
	put(r, JOB, &b);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(truncate(path, 3), 0); /* another size: written anew */
	put(r, JOB, &b);
	assert_int_equal(get_code(r, JOB, &b), 0);
}

static void a_damaged_blob_is_written_anew(void **state)
{
	struct rig *r = *state;
	struct store_blob whole = text_blob("good");
	struct store_blob parts[] = { text_blob("go"), text_blob("od") };
	struct answer done = { .rig = r };
	char path[256];

	put(r, JOB, &parts[0]);
	put(r, JOB, &parts[1]);
	write_text(path_of(r, JOB, &parts[1], path), "OD"); /* the same size */
	put(r, JOB, &parts[1]);
	assert_int_equal(get_code(r, JOB, &parts[1]), 0);
	write_text(path_of(r, JOB, &whole, path), "GOOD");
	join(r, (struct store_part[]){ part_of(&parts[0]), part_of(&parts[1]) }, 2, &done);
	assert_int_equal(done.err.code, 0);
	assert_int_equal(get_code(r, JOB, &whole), 0);
	assert_int_equal(count_files(r), 3);
}

static void jobs_do_not_see_each_others_blobs(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("of one job");

	put(r, JOB, &b);
	assert_int_equal(get_code(r, OTHER, &b), ERR_NOT_FOUND);
	settle(r); /* now it has a folder */
	assert_int_equal(get_code(r, OTHER, &b), ERR_NOT_FOUND);
}

static void a_new_store_finds_what_the_last_one_kept(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("survives");

	put(r, JOB, &b);
	store_free(r->s);
	rig_open(r);
	assert_int_equal(get_code(r, JOB, &b), 0);
}

static void get_refuses_more_than_max(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("12345");
	struct answer a = { .rig = r };
	struct answer exact = { .rig = r };

	put(r, JOB, &b);
	store_get(r->s, JOB, &b.digest, 4, on_read, &a);
	store_get(r->s, JOB, &b.digest, 5, on_read, &exact);
	wait_for(&exact);
	assert_int_equal(a.err.code, ERR_TOO_BIG);
	assert_int_equal(exact.err.code, 0);
	mem_free(exact.bytes);
}

static void read_gives_the_part_that_there_is(void **state)
{
	static const struct {
		uint64_t first;
		size_t len;
		const char *expected;
	} rows[] = {
		{ 0, 3, "012" },
		{ 3, 4, "3456" },
		{ 7, 100, "789" },
		{ 10, 5, "" },
		{ UINT64_MAX, 1 << 20, "" },
		{ 4, 0, "" },
	};
	struct rig *r = *state;
	struct store_blob b = text_blob("0123456789");

	put(r, JOB, &b);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct answer a = { .rig = r };

		store_read(r->s, JOB, &b.digest, rows[i].first, rows[i].len, on_read, &a);
		wait_for(&a);
		assert_int_equal(a.err.code, 0);
		assert_int_equal(a.size, 10);
		assert_int_equal(a.len, strlen(rows[i].expected));
		assert_memory_equal(a.bytes, rows[i].expected, a.len);
		mem_free(a.bytes);
	}
}

static void join_puts_the_parts_one_behind_the_other(void **state)
{
	struct rig *r = *state;
	AUTO(mem_freep) char *text = mem_alloc(BIG + 6);
	struct store_blob a;
	struct store_blob b;
	struct store_blob whole;
	struct answer done;

	memset(text, 'a', BIG);
	memcpy(text + BIG, "middle", 6);
	a = blob_of(text, BIG);
	b = blob_of(text + BIG, 6);
	whole = blob_of(text, BIG + 6);
	put(r, JOB, &a);
	put(r, JOB, &b);
	join(r, (struct store_part[]){ part_of(&a), part_of(&b) }, 2, &done);
	assert_int_equal(done.err.code, 0);
	assert_true(hash_equal(&done.whole.digest, &whole.digest));
	assert_int_equal(done.whole.len, BIG + 6);
	assert_int_equal(get_code(r, JOB, &whole), 0);
	join(r, (struct store_part[]){ part_of(&a), part_of(&b) }, 2, &done); /* again */
	assert_int_equal(done.err.code, 0);
	assert_int_equal(count_files(r), 3);
}

static void join_of_nothing_is_the_empty_blob(void **state)
{
	struct rig *r = *state;
	struct store_blob empty = text_blob("");
	struct answer done;

	join(r, NULL, 0, &done);
	assert_int_equal(done.err.code, 0);
	assert_true(hash_equal(&done.whole.digest, &empty.digest));
	assert_int_equal(done.whole.len, 0);
	assert_int_equal(get_code(r, JOB, &empty), 0);
}

static void changes_happen_in_the_order_of_the_calls(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("first");
	struct store_blob c = text_blob("second");
	struct store_part parts[] = { part_of(&b), part_of(&c) };
	struct answer a[4] = { { .rig = r }, { .rig = r }, { .rig = r }, { .rig = r } };

	store_put(r->s, JOB, &b, 1, on_done, &a[0]);
	store_join(r->s, JOB, parts, 2, on_joined, &a[1]);
	store_put(r->s, JOB, &c, 1, on_done, &a[2]);
	store_keep(r->s, JOB, &c.digest, 1);
	store_join(r->s, JOB, parts, 2, on_joined, &a[3]);
	wait_for(&a[3]);
	for (int i = 0; i < 4; i++)
		assert_int_equal(a[i].came, i + 1);
	assert_int_equal(a[1].err.code, ERR_NOT_FOUND); /* c was not there yet */
	assert_int_equal(a[3].err.code, ERR_NOT_FOUND); /* b no longer */
	assert_int_equal(get_code(r, JOB, &b), ERR_NOT_FOUND);
	assert_int_equal(get_code(r, JOB, &c), 0);
}

static void any_number_may_wait(void **state)
{
	enum { MANY = 1500 }; /* a pool of workers refuses above 1,024 */
	struct rig *r = *state;
	struct store_blob b = text_blob("one of many");
	struct answer *a = NEW_ARRAY(struct answer, MANY);

	put(r, JOB, &b);
	r->answers = 0;
	for (int i = 0; i < MANY; i++) {
		a[i].rig = r;
		store_get(r->s, JOB, &b.digest, 100, on_read, &a[i]);
	}
	wait_for(&a[MANY - 1]);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(a[i].came, i + 1);
		assert_int_equal(a[i].err.code, 0);
		mem_free(a[i].bytes);
	}
	mem_free(a);
}

static void a_cancelled_operation_is_not_answered(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("goes on");
	struct store_blob c = text_blob("waits");
	struct store_part part = part_of(&b);
	struct answer a = { .rig = r };
	struct answer last = { .rig = r };

	store_op_cancel(NULL);
	store_op_cancel(store_put(r->s, JOB, &b, 1, on_done, &a)); /* runs */
	store_op_cancel(store_put(r->s, JOB, &c, 1, on_done, &a)); /* waits */
	store_op_cancel(store_join(r->s, JOB, &part, 1, on_joined, &a));
	store_op_cancel(store_get(r->s, JOB, &b.digest, 100, on_read, &a)); /* runs */
	store_op_cancel(store_get(r->s, JOB, &b.digest, 100, on_read, &a)); /* waits */
	store_op_cancel(store_list(r->s, on_list, &a));
	settle(r);
	store_list(r->s, on_list, &last);
	wait_for(&last);
	assert_int_equal(a.calls, 0);
	assert_int_equal(get_code(r, JOB, &b), 0);
	assert_int_equal(get_code(r, JOB, &c), 0);
}

static void a_callback_may_cancel_another_operation(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("x");
	struct answer first = { .rig = r };
	struct answer third = { .rig = r };
	struct answer never = { .rig = r };
	struct answer last = { .rig = r };

	put(r, JOB, &b);
	store_get(r->s, JOB, &b.digest, 100, on_read, &first);
	first.cancel = store_get(r->s, JOB, &b.digest, 100, on_read, &never); /* runs then */
	store_get(r->s, JOB, &b.digest, 100, on_read, &third);
	store_list(r->s, on_list, &last);
	third.cancel = store_read(r->s, JOB, &b.digest, 0, 9, on_read, &never);
	wait_for(&third);
	wait_for(&last);
	settle(r);
	assert_int_equal(never.calls, 0);
	mem_free(first.bytes);
	mem_free(third.bytes);
}

static void freeing_the_store_answers_nothing(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("pending");
	struct answer a = { .rig = r };

	for (int i = 0; i < 20; i++) {
		store_put(r->s, JOB, &b, 1, on_done, &a);
		store_join(r->s, JOB, NULL, 0, on_joined, &a);
		store_keep(r->s, JOB, &b.digest, 1);
		store_get(r->s, JOB, &b.digest, 100, on_read, &a);
		store_list(r->s, on_list, &a);
	}
	store_free(MOVE(r->s));
	for (int i = 0; i < 3; i++)
		loop_turn(r->loop, 0);
	assert_int_equal(a.calls, 0);
}

static void a_callback_may_free_the_store(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("the end");
	struct answer a = { .rig = r, .free = true };
	struct answer never = { .rig = r };

	store_put(r->s, JOB, &b, 1, on_done, &a);
	for (int i = 0; i < 5; i++)
		store_put(r->s, JOB, &b, 1, on_done, &never);
	wait_for(&a);
	assert_null(r->s);
	loop_turn(r->loop, 0);
	assert_int_equal(never.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_put_is_read_again),
		TEST(the_bytes_are_copied),
		TEST(a_blob_that_is_there_is_left_as_it_is),
		TEST(a_damaged_blob_is_written_anew),
		TEST(jobs_do_not_see_each_others_blobs),
		TEST(a_new_store_finds_what_the_last_one_kept),
		TEST(get_refuses_more_than_max),
		TEST(read_gives_the_part_that_there_is),
		TEST(join_puts_the_parts_one_behind_the_other),
		TEST(join_of_nothing_is_the_empty_blob),
		TEST(changes_happen_in_the_order_of_the_calls),
		TEST(any_number_may_wait),
		TEST(a_cancelled_operation_is_not_answered),
		TEST(a_callback_may_cancel_another_operation),
		TEST(freeing_the_store_answers_nothing),
		TEST(a_callback_may_free_the_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
