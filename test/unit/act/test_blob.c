/* test_blob.c - kernel texts and inputs in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "controller/act/blob.h"

static void add(struct act_blobs *b, const char *use, const char *text, struct hash_digest *digest)
{
	struct err err = { 0 };

	assert_int_equal(act_blobs_add(b, use, text, strlen(text), digest, &err), 0);
}

static bool has(struct act_blobs *b, const struct hash_digest *digest)
{
	const void *bytes;
	size_t len;
	struct act_blob *blob = act_blobs_hold(b, digest, &bytes, &len);

	if (blob != NULL)
		act_blob_release(blob);
	return blob != NULL;
}

static void the_same_bytes_are_kept_once_until_their_last_use_ends(void **state)
{
	struct act_blobs *b = act_blobs_new();
	struct hash_digest one;
	struct hash_digest two;

	(void)state;
	add(b, "job-1", "text", &one);
	add(b, "job-2", "text", &two);
	assert_true(hash_equal(&one, &two));
	act_blobs_end_use(b, "job-1");
	assert_true(has(b, &one));
	act_blobs_end_use(b, "job-2");
	assert_false(has(b, &one));
	act_blobs_free(b);
}

static void the_end_of_a_use_leaves_the_blobs_of_others(void **state)
{
	struct act_blobs *b = act_blobs_new();
	struct hash_digest mine;
	struct hash_digest other;

	(void)state;
	add(b, "job-1", "mine", &mine);
	add(b, "job-2", "other", &other);
	act_blobs_end_use(b, "job-1");
	act_blobs_end_use(b, "nobody");
	assert_false(has(b, &mine));
	assert_true(has(b, &other));
	act_blobs_free(b);
}

static void who_holds_a_blob_can_read_it_after_its_uses_and_the_store_are_gone(void **state)
{
	struct act_blobs *b = act_blobs_new();
	struct hash_digest digest;
	const void *bytes = NULL;
	size_t len = 0;
	struct act_blob *blob;

	(void)state;
	add(b, "job", "text", &digest);
	blob = act_blobs_hold(b, &digest, &bytes, &len);
	assert_non_null(blob);
	act_blobs_end_use(b, "job");
	act_blobs_free(b);
	assert_int_equal(len, 4);
	assert_memory_equal(bytes, "text", 4);
	act_blob_release(blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_bytes_are_kept_once_until_their_last_use_ends),
		cmocka_unit_test(the_end_of_a_use_leaves_the_blobs_of_others),
		cmocka_unit_test(
		    who_holds_a_blob_can_read_it_after_its_uses_and_the_store_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
