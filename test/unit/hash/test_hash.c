/* test_hash.c - published vectors (FIPS 180-4, RFC 4231). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "hash/hash.h"

static void assert_hex(const struct hash_digest *d, const char *hex)
{
	char text[HASH_HEX];

	assert_string_equal(hash_hex(d, text), hex);
}

static void hashes_the_published_messages(void **state)
{
	struct hash_digest d;

	(void)state;
	hash_bytes("abc", 3, &d);
	assert_hex(&d, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_bytes(NULL, 0, &d);
	assert_hex(&d, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void hashes_pieces_like_the_whole(void **state)
{
	AUTO(hash_freep) struct hash *h = hash_new();
	struct hash_digest whole;
	struct hash_digest d;
	char text[1000];

	(void)state;
	memset(text, 'q', sizeof(text));
	hash_bytes(text, sizeof(text), &whole);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(text); i += 100)
			hash_add(h, text + i, 100);
		hash_finish(h, &d);
		assert_true(hash_equal(&d, &whole));
	}
	d.bytes[31] ^= 1;
	assert_false(hash_equal(&d, &whole));
	assert_false(hash_is_zero(&d));
	assert_true(hash_is_zero(&(struct hash_digest){ 0 }));
}

static void authenticates_the_published_messages(void **state)
{
	struct hash_digest d;
	char key[131];

	(void)state;
	hash_hmac("Jefe", 4, "what do ya want for nothing?", 28, &d);
	assert_hex(&d, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	hash_hmac(key, sizeof(key), "Test Using Larger Than Block-Size Key - Hash Key First", 54,
		  &d);
	assert_hex(&d, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void reads_digests(void **state)
{
	static const char hex[] =
	    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	struct hash_digest d = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(hash_parse(hex, strlen(hex), &d, &err), 0);
	assert_hex(&d, hex + 7);
	assert_int_equal(hash_parse(hex + 7, strlen(hex + 7), &d, &err), 0);
	assert_int_equal(hash_parse(hex, strlen(hex) - 1, &d, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(hash_parse("sha256:", 7, &d, &err), ERR_INVALID);
}

static void gives_different_random_bytes(void **state)
{
	unsigned char a[32] = { 0 };
	unsigned char b[32] = { 0 };

	(void)state;
	hash_random(a, sizeof(a));
	hash_random(b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_the_published_messages),
		cmocka_unit_test(hashes_pieces_like_the_whole),
		cmocka_unit_test(authenticates_the_published_messages),
		cmocka_unit_test(reads_digests),
		cmocka_unit_test(gives_different_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
