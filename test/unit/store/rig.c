/* rig.c - see rig.h. */
#include "test/unit/store/rig.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

const char JOB[] = "0a7b0f4e-2f2e-4d6b-9a55-0123456789ab";
const char OTHER[] = "ffffffff-2f2e-4d6b-9a55-0123456789ab";

void rig_open(struct rig *r)
{
	struct err err = { 0 };

	assert_int_equal(store_open(r->dir, r->loop, &r->s, &err), 0);
}

int rig_setup(void **state)
{
	struct rig *r = NEW(struct rig);
	struct err err = { 0 };

	strcpy(r->root, "/tmp/store-XXXXXX");
	assert_non_null(mkdtemp(r->root));
	snprintf(r->dir, sizeof(r->dir), "%s/store", r->root);
	assert_int_equal(mkdir(r->dir, 0700), 0);
	assert_int_equal(loop_new(&r->loop, &err), 0);
	rig_open(r);
	*state = r;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

int rig_teardown(void **state)
{
	struct rig *r = *state;

	store_free(r->s);
	loop_free(r->loop);
	nftw(r->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	mem_free(r);
	return 0;
}

static void note(struct answer *a, const struct err *err)
{
	a->came = ++a->rig->answers;
	a->calls++;
	a->err = *err;
	store_op_cancel(MOVE(a->cancel));
	if (a->free)
		store_free(MOVE(a->rig->s));
}

void on_done(void *arg, const struct err *err)
{
	note(arg, err);
}

void on_joined(void *arg, const struct store_part *whole, const struct err *err)
{
	struct answer *a = arg;

	assert_true((whole == NULL) == (err->code != 0));
	if (whole != NULL)
		a->whole = *whole;
	note(a, err);
}

void on_read(void *arg, const void *bytes, size_t len, uint64_t size, const struct err *err)
{
	struct answer *a = arg;

	assert_true((bytes == NULL) == (err->code != 0));
	a->bytes = bytes != NULL ? mem_dup(bytes, len) : NULL;
	a->len = len;
	a->size = size;
	note(a, err);
}

void on_list(void *arg, const char *const *uids, size_t n, const struct err *err)
{
	struct answer *a = arg;

	a->name_count = n;
	for (size_t i = 0; i < n && i < ARRAY_LEN(a->names); i++)
		snprintf(a->names[i], sizeof(a->names[i]), "%s", uids[i]);
	note(a, err);
}

void wait_for(const struct answer *a)
{
	for (int i = 0; i < 10000 && a->came == 0; i++)
		loop_turn(a->rig->loop, 100);
	assert_int_equal(a->calls, 1);
}

struct store_blob blob_of(const char *text, size_t len)
{
	struct store_blob b = { .bytes = text, .len = len };

	hash_bytes(text, len, &b.digest);
	return b;
}

struct store_blob text_blob(const char *text)
{
	return blob_of(text, strlen(text));
}

struct store_part part_of(const struct store_blob *b)
{
	return (struct store_part){ .digest = b->digest, .len = b->len };
}

void put_err(struct rig *r, const char *uid, const struct store_blob *b, struct err *ret)
{
	struct answer a = { .rig = r };

	store_put(r->s, uid, b, 1, on_done, &a);
	wait_for(&a);
	*ret = a.err;
}

void put(struct rig *r, const char *uid, const struct store_blob *b)
{
	struct err err;

	put_err(r, uid, b, &err);
	assert_string_equal(err.text, "");
}

int get_code(struct rig *r, const char *uid, const struct store_blob *b)
{
	struct answer a = { .rig = r };

	store_get(r->s, uid, &b->digest, 4 << 20, on_read, &a);
	wait_for(&a);
	if (a.err.code == 0) {
		assert_int_equal(a.size, b->len);
		assert_int_equal(a.len, b->len);
		assert_memory_equal(a.bytes, b->bytes, b->len);
	}
	mem_free(a.bytes);
	return a.err.code;
}

void join(struct rig *r, const struct store_part *parts, size_t n, struct answer *ret)
{
	*ret = (struct answer){ .rig = r };
	store_join(r->s, JOB, parts, n, on_joined, ret);
	wait_for(ret);
}

const char *path_of(const struct rig *r, const char *uid, const struct store_blob *b,
		    char path[256])
{
	char hex[HASH_HEX];

	if (b == NULL)
		snprintf(path, 256, "%s/%s", r->dir, uid);
	else
		snprintf(path, 256, "%s/%s/%s", r->dir, uid, hash_hex(&b->digest, hex));
	return path;
}

void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int files_seen;

static int count_file(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)ftw;
	files_seen += flag != FTW_D;
	return 0;
}

int count_files(const struct rig *r)
{
	files_seen = 0;
	nftw(r->dir, count_file, 8, FTW_PHYS);
	return files_seen;
}

void settle(struct rig *r)
{
	struct answer a = { .rig = r };

	store_put(r->s, OTHER, NULL, 0, on_done, &a);
	wait_for(&a);
	assert_int_equal(a.err.code, 0);
}
