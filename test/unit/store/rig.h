/* rig.h - a store in a directory of the test's own, and what its callbacks were told. */
#ifndef TEST_UNIT_STORE_RIG_H
#define TEST_UNIT_STORE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"
#include "store/store.h"

extern const char JOB[];
extern const char OTHER[];

enum { BIG = (1 << 20) + 4321 }; /* more than a block of a join */

struct rig {
	char root[32];
	char dir[64]; /* the store's: in root */
	struct loop *loop;
	struct store *s;
	int answers;
};

/* What a callback was told. */
struct answer {
	struct rig *rig;
	int came; /* its place among all answers, 0: none */
	int calls;
	struct err err;
	char *bytes;
	size_t len;
	uint64_t size;
	struct store_part whole;
	char names[4][40];
	size_t name_count;
	struct store_op *cancel; /* what the callback cancels */
	bool free;               /* it frees the store */
};

/* Open the store: setup has done it the first time. */
void rig_open(struct rig *r);
/* For cmocka: *state is the rig. */
int rig_setup(void **state);
int rig_teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

/* ---- answers ---- */

/* arg: a struct answer. */
void on_done(void *arg, const struct err *err);
void on_joined(void *arg, const struct store_part *whole, const struct err *err);
void on_read(void *arg, const void *bytes, size_t len, uint64_t size, const struct err *err);
void on_list(void *arg, const char *const *uids, size_t n, const struct err *err);
/* Until it came; once. */
void wait_for(const struct answer *a);

/* ---- blobs ---- */

/* text: borrowed. */
struct store_blob blob_of(const char *text, size_t len);
struct store_blob text_blob(const char *text);
struct store_part part_of(const struct store_blob *b);

/* ---- operations, to their end ---- */

void put_err(struct rig *r, const char *uid, const struct store_blob *b, struct err *ret);
/* Succeeds. */
void put(struct rig *r, const char *uid, const struct store_blob *b);
/* The code of the error; without one the bytes were those of b. */
int get_code(struct rig *r, const char *uid, const struct store_blob *b);
/* Of JOB. */
void join(struct rig *r, const struct store_part *parts, size_t n, struct answer *ret);
/* After this every change that was asked before is done; OTHER has a folder. */
void settle(struct rig *r);

/* ---- files ---- */

/* The path of a blob, or of the folder (b NULL). Returns path. */
const char *path_of(const struct rig *r, const char *uid, const struct store_blob *b,
		    char path[256]);
void write_text(const char *path, const char *text);
bool exists(const char *path);
/* All that are in the store, temporary ones included. */
int count_files(const struct rig *r);

#endif
