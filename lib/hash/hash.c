/* hash.c - see hash.h. */
#include "hash/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/text.h"

enum { HMAC_BLOCK = 64 };

struct hash {
	EVP_MD_CTX *md; /* owned */
};

static void start(struct hash *h)
{
	int ok = EVP_DigestInit_ex(h->md, EVP_sha256(), NULL);

	ASSERT(ok == 1);
}

struct hash *hash_new(void)
{
	struct hash *h = NEW(struct hash);

	h->md = EVP_MD_CTX_new();
	ASSERT(h->md != NULL);
	start(h);
	return h;
}

void hash_free(struct hash *h)
{
	if (h == NULL)
		return;
	EVP_MD_CTX_free(h->md);
	mem_free(h);
}

void hash_freep(struct hash **h)
{
	hash_free(MOVE(*h));
}

void hash_add(struct hash *h, const void *bytes, size_t len)
{
	int ok = EVP_DigestUpdate(h->md, bytes, len);

	ASSERT(ok == 1);
}

void hash_finish(struct hash *h, struct hash_digest *ret)
{
	unsigned int len = 0;
	int ok = EVP_DigestFinal_ex(h->md, ret->bytes, &len);

	ASSERT(ok == 1 && len == HASH_SIZE);
	start(h);
}

void hash_bytes(const void *bytes, size_t len, struct hash_digest *ret)
{
	unsigned int n = 0;
	int ok = EVP_Digest(bytes, len, ret->bytes, &n, EVP_sha256(), NULL);

	ASSERT(ok == 1 && n == HASH_SIZE);
}

/* RFC 2104 over two hashes. */
void hash_hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	       struct hash_digest *ret)
{
	AUTO(hash_freep) struct hash *h = hash_new();
	unsigned char block[HMAC_BLOCK] = { 0 };
	unsigned char pad[HMAC_BLOCK];
	struct hash_digest inner;

	if (key_len > HMAC_BLOCK) {
		hash_bytes(key, key_len, &inner);
		memcpy(block, inner.bytes, HASH_SIZE);
	} else if (key_len > 0) {
		memcpy(block, key, key_len);
	}
	for (size_t i = 0; i < HMAC_BLOCK; i++)
		pad[i] = block[i] ^ 0x36;
	hash_add(h, pad, HMAC_BLOCK);
	hash_add(h, bytes, len);
	hash_finish(h, &inner);
	for (size_t i = 0; i < HMAC_BLOCK; i++)
		pad[i] = block[i] ^ 0x5c;
	hash_add(h, pad, HMAC_BLOCK);
	hash_add(h, inner.bytes, HASH_SIZE);
	hash_finish(h, ret);
	explicit_bzero(block, sizeof(block));
	explicit_bzero(pad, sizeof(pad));
}

bool hash_equal(const struct hash_digest *a, const struct hash_digest *b)
{
	return text_same_secret(a->bytes, b->bytes, HASH_SIZE);
}

bool hash_is_zero(const struct hash_digest *d)
{
	static const struct hash_digest zero;

	return memcmp(d, &zero, sizeof(zero)) == 0;
}

int hash_compare(const struct hash_digest *a, const struct hash_digest *b)
{
	return memcmp(a->bytes, b->bytes, HASH_SIZE);
}

const char *hash_hex(const struct hash_digest *d, char text[HASH_HEX])
{
	return text_hex(d->bytes, HASH_SIZE, text);
}

int hash_parse(const char *text, size_t len, struct hash_digest *ret, struct err *err)
{
	static const char prefix[] = "sha256:";
	size_t n = sizeof(prefix) - 1;
	struct hash_digest d = { 0 };

	if (len > n && memcmp(text, prefix, n) == 0) {
		text += n;
		len -= n;
	}
	if (text_unhex(text, len, d.bytes, HASH_SIZE, err) < 0)
		return err_wrap(err, "digest");
	*ret = d;
	return 0;
}

void hash_random(void *bytes, size_t len)
{
	unsigned char *to = bytes;

	while (len > 0) {
		ssize_t n = getrandom(to, len, 0);

		ASSERT(n > 0 || errno == EINTR);
		if (n < 0)
			continue;
		to += n;
		len -= (size_t)n;
	}
}
