/* test_dir.c - what is on the disk: tidying it, errors of it, and what others put there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "test/unit/store/rig.h"

static void join_names_a_part_that_is_missing_or_damaged(void **state)
{
	struct rig *r = *state;
	struct store_blob good = text_blob("good");
	struct store_blob bad = text_blob("bad!");
	struct store_part parts[] = { part_of(&good), part_of(&bad) };
	struct answer done;
	char path[256];
	char hex[HASH_HEX];

	hash_hex(&bad.digest, hex);
	put(r, JOB, &good);
	join(r, parts, 2, &done);
	assert_int_equal(done.err.code, ERR_NOT_FOUND);
	assert_non_null(strstr(done.err.text, hex));
	write_text(path_of(r, JOB, &bad, path), "bad?"); /* the same size */
	join(r, parts, 2, &done);
	assert_int_equal(done.err.code, ERR_INVALID);
	assert_non_null(strstr(done.err.text, hex));
	write_text(path, "bad!!");
	join(r, parts, 2, &done);
	assert_int_equal(done.err.code, ERR_INVALID);
	write_text(path, "bad!");
	parts[1].len++;
	join(r, parts, 2, &done);
	assert_int_equal(done.err.code, ERR_INVALID);
	assert_int_equal(count_files(r), 2);
}

static void keep_removes_all_else(void **state)
{
	struct rig *r = *state;
	struct store_blob blobs[] = { text_blob("a"), text_blob("b"), text_blob("c") };
	struct answer a = { .rig = r };
	char path[256];
	char file[300];

	store_put(r->s, JOB, blobs, 3, on_done, &a);
	wait_for(&a);
	snprintf(file, sizeof(file), "%s/.left.new", path_of(r, JOB, NULL, path));
	write_text(file, "of a crash");
	put(r, OTHER, &blobs[0]);
	store_keep(r->s, JOB, (struct hash_digest[]){ blobs[2].digest, blobs[0].digest }, 2);
	settle(r);
	assert_int_equal(get_code(r, JOB, &blobs[0]), 0);
	assert_int_equal(get_code(r, JOB, &blobs[1]), ERR_NOT_FOUND);
	assert_int_equal(get_code(r, JOB, &blobs[2]), 0);
	assert_int_equal(count_files(r), 3);
	store_keep(r->s, JOB, NULL, 0);
	store_keep(r->s, JOB, NULL, 0); /* of a job that has no folder */
	settle(r);
	assert_false(exists(path));
	assert_int_equal(get_code(r, OTHER, &blobs[0]), 0);
}

static void remove_takes_one_blob(void **state)
{
	struct rig *r = *state;
	struct store_blob blobs[] = { text_blob("a"), text_blob("b") };
	struct answer a = { .rig = r };

	store_put(r->s, JOB, blobs, 2, on_done, &a);
	wait_for(&a);
	store_remove(r->s, JOB, &blobs[0].digest);
	store_remove(r->s, JOB, &blobs[0].digest); /* gone already */
	store_remove(r->s, OTHER, &blobs[1].digest);
	settle(r);
	assert_int_equal(get_code(r, JOB, &blobs[0]), ERR_NOT_FOUND);
	assert_int_equal(get_code(r, JOB, &blobs[1]), 0);
}

static int lines_logged;

static void count_line(const char *line, void *arg)
{
	(void)line;
	(void)arg;
	lines_logged++;
}

static void keep_logs_what_it_cannot_remove(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("fine");
	char outside[64];
	char path[256];
	char entry[300];

	put(r, JOB, &b);
	path_of(r, JOB, NULL, path);
	snprintf(outside, sizeof(outside), "%s/outside", r->root);
	write_text(outside, "not the store's");
	snprintf(entry, sizeof(entry), "%s/link", path);
	assert_int_equal(symlink(outside, entry), 0);
	snprintf(entry, sizeof(entry), "%s/folder", path);
	assert_int_equal(mkdir(entry, 0700), 0);
	lines_logged = 0;
	log_capture(count_line, NULL);
	store_keep(r->s, JOB, NULL, 0);
	settle(r);
	log_capture(NULL, NULL);
	assert_int_equal(lines_logged, 1);
	assert_int_equal(get_code(r, JOB, &b), ERR_NOT_FOUND);
	assert_true(exists(entry));
	assert_true(exists(outside));
}

static void keep_does_not_follow_a_link_in_the_place_of_a_folder(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("of another place");
	struct err err;
	char outside[64];
	char inside[80];
	char path[256];

	snprintf(outside, sizeof(outside), "%s/outside", r->root);
	snprintf(inside, sizeof(inside), "%s/file", outside);
	assert_int_equal(mkdir(outside, 0700), 0);
	write_text(inside, "not the store's");
	assert_int_equal(symlink(outside, path_of(r, JOB, NULL, path)), 0);
	log_capture(count_line, NULL);
	store_keep(r->s, JOB, NULL, 0);
	settle(r);
	log_capture(NULL, NULL);
	assert_true(exists(inside));
	put_err(r, JOB, &b, &err);
	assert_int_equal(err.code, ERR_INVALID);
	assert_int_equal(get_code(r, JOB, &b), ERR_INVALID);
}

static void list_names_the_jobs(void **state)
{
	struct rig *r = *state;
	struct answer a = { .rig = r };
	struct answer b = { .rig = r };
	struct store_blob blob = text_blob("x");
	char path[256];

	store_list(r->s, on_list, &a);
	wait_for(&a);
	assert_int_equal(a.err.code, 0);
	assert_int_equal(a.name_count, 0);
	put(r, OTHER, &blob);
	put(r, JOB, &blob);
	assert_int_equal(mkdir(path_of(r, "lost+found", NULL, path), 0700), 0);
	assert_int_equal(
	    mkdir(path_of(r, "0123456789012345678901234567890123456", NULL, path), 0700),
	    0); /* 37 characters */
	assert_int_equal(mkdir(path_of(r, "photos", NULL, path), 0700), 0);
	assert_int_equal(
	    mkdir(path_of(r, "0a7b0f4e-2f2e-4d6b-9a55-0123456789xy", NULL, path), 0700), 0);
	assert_int_equal(
	    mkdir(path_of(r, "0a7b0f4e02f2e-4d6b-9a55-0123456789ab", NULL, path), 0700), 0);
	write_text(path_of(r, "a-file", NULL, path), "");
	store_list(r->s, on_list, &b);
	wait_for(&b);
	assert_int_equal(b.name_count, 2);
	assert_string_equal(b.names[0], JOB);
	assert_string_equal(b.names[1], OTHER);
}

static void a_damaged_blob_is_an_error(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("whole");
	char path[256];

	put(r, JOB, &b);
	write_text(path_of(r, JOB, &b, path), "whola");
	assert_int_equal(get_code(r, JOB, &b), ERR_INVALID);
	assert_int_equal(truncate(path, 2), 0);
	assert_int_equal(get_code(r, JOB, &b), ERR_INVALID);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(get_code(r, JOB, &b), ERR_INVALID);
}

/* Get, read and join of what is not a regular file. */
static void refuses(struct rig *r, const struct store_blob *b)
{
	struct store_part part = part_of(b);
	struct answer a = { .rig = r };

	assert_int_equal(get_code(r, JOB, b), ERR_INVALID);
	store_read(r->s, JOB, &b->digest, 0, 100, on_read, &a);
	wait_for(&a);
	assert_int_equal(a.err.code, ERR_INVALID);
	join(r, &part, 1, &a);
	assert_int_equal(a.err.code, ERR_INVALID);
}

static void what_is_not_a_file_is_refused_and_stops_nothing(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("expected");
	struct err err;
	char outside[64];
	char path[256];

	settle(r);
	snprintf(outside, sizeof(outside), "%s/outside", r->root);
	write_text(outside, "expected");
	put(r, JOB, &b);
	assert_int_equal(unlink(path_of(r, JOB, &b, path)), 0);
	assert_int_equal(symlink(outside, path), 0);
	refuses(r, &b);
	put(r, JOB, &b); /* in the place of the link */
	assert_int_equal(get_code(r, JOB, &b), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	refuses(r, &b);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	refuses(r, &b);
	put_err(r, JOB, &b, &err);
	assert_int_not_equal(err.code, 0);
}

static void a_write_that_fails_says_where_and_leaves_nothing(void **state)
{
	struct rig *r = *state;
	AUTO(mem_freep) char *text = mem_alloc(BIG);
	struct store_blob big = blob_of(text, BIG);
	struct store_blob half = blob_of(text, BIG / 2);
	struct store_part parts[] = { part_of(&half), part_of(&half), part_of(&half) };
	struct rlimit old;
	struct rlimit small;
	struct answer done;
	struct err err;
	char expected[200];
	char hex[HASH_HEX];

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = BIG - 1; /* the last write is short, the next one fails */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	put_err(r, JOB, &big, &err);
	put(r, JOB, &half);
	join(r, parts, 3, &done);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	snprintf(expected, sizeof(expected), "write %s/%s: EFBIG", JOB, hash_hex(&big.digest, hex));
	assert_string_equal(err.text, expected);
	assert_int_equal(done.err.code, ERR_SYSTEM);
	snprintf(expected, sizeof(expected), "write %s: EFBIG", JOB);
	assert_string_equal(done.err.text, expected);
	assert_int_equal(count_files(r), 1);
	put(r, JOB, &big);
	assert_int_equal(get_code(r, JOB, &big), 0);
}

static void a_file_in_the_place_of_a_folder_is_an_error(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("no room");
	struct answer done;
	struct err err;
	char path[256];

	write_text(path_of(r, JOB, NULL, path), "");
	put_err(r, JOB, &b, &err);
	assert_int_equal(err.code, ERR_INVALID);
	assert_non_null(strstr(err.text, JOB));
	join(r, NULL, 0, &done);
	assert_int_equal(done.err.code, ERR_INVALID);
	assert_int_equal(get_code(r, JOB, &b), ERR_INVALID);
}

static void a_directory_that_was_removed_is_found_again(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("back");
	struct err err;

	assert_int_equal(rmdir(r->dir), 0);
	put_err(r, JOB, &b, &err);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_non_null(strstr(err.text, r->dir));
	assert_int_equal(get_code(r, JOB, &b), ERR_NOT_FOUND);
	store_keep(r->s, JOB, NULL, 0);
	assert_false(exists(r->dir));
	assert_int_equal(mkdir(r->dir, 0700), 0);
	put(r, JOB, &b);
	assert_int_equal(get_code(r, JOB, &b), 0);
}

static void open_creates_what_is_missing(void **state)
{
	struct rig *r = *state;
	struct store_blob b = text_blob("deep");
	char path[256];

	store_free(r->s);
	snprintf(r->dir, sizeof(r->dir), "%s/not/yet/", r->root);
	rig_open(r);
	put(r, JOB, &b);
	assert_true(exists(path_of(r, JOB, &b, path)));
}

static void open_says_why_it_cannot_write(void **state)
{
	struct rig *r = *state;
	struct store *s = NULL;
	struct err err = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "%s/file", r->root);
	write_text(path, "");
	assert_int_not_equal(store_open(path, r->loop, &s, &err), 0);
	assert_non_null(strstr(err.text, path));
	err_clear(&err);
	assert_int_not_equal(store_open("/proc/kwarp", r->loop, &s, &err), 0);
	assert_non_null(strstr(err.text, "/proc/kwarp"));
	err_clear(&err);
	assert_int_not_equal(store_open("/proc", r->loop, &s, &err), 0);
	assert_non_null(strstr(err.text, "cannot write in /proc"));
	assert_null(s);
	assert_int_equal(count_files(r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(join_names_a_part_that_is_missing_or_damaged),
		TEST(keep_removes_all_else),
		TEST(remove_takes_one_blob),
		TEST(keep_logs_what_it_cannot_remove),
		TEST(keep_does_not_follow_a_link_in_the_place_of_a_folder),
		TEST(list_names_the_jobs),
		TEST(a_damaged_blob_is_an_error),
		TEST(what_is_not_a_file_is_refused_and_stops_nothing),
		TEST(a_write_that_fails_says_where_and_leaves_nothing),
		TEST(a_file_in_the_place_of_a_folder_is_an_error),
		TEST(a_directory_that_was_removed_is_found_again),
		TEST(open_creates_what_is_missing),
		TEST(open_says_why_it_cannot_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
