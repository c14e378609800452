/* uses: vote */
/*
 * fuzz_partial.c - any saved state: no crash, and what was loaded saves and loads to the same.
 * The first byte chooses the outputs, the rest is the state before base64.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vote/reduce.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* In chunk order, and together as large as the result. */
static void check_parts(const struct vote_reduction *r, const struct vote_result *result)
{
	size_t n;
	const struct vote_part *p = vote_reduce_parts(r, 0, &n);
	uint64_t len = 0;

	for (size_t i = 0; i < n; i++) {
		ASSERT(i == 0 || p[i].chunk > p[i - 1].chunk);
		len += p[i].len;
	}
	ASSERT(len == result->len);
}

static void check(const struct vote_output *o, const char *text, size_t len)
{
	AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
	AUTO(vote_reduce_freep) struct vote_reduction *again = NULL;
	AUTO(buf_done) struct buf saved = { .max = 1 << 24 };
	struct vote_result result = { 0 };
	struct err err = { 0 };

	if (vote_reduce_load(o, 1, text, len, &r, &err) < 0)
		return;
	if (vote_reduce_save(r, &saved, &err) < 0)
		ASSERT(!"saves what it loaded");
	if (vote_reduce_load(o, 1, buf_str(&saved), saved.len, &again, &err) < 0)
		ASSERT(!"loads what it saved");
	if (vote_reduce_finish(r, 0, &result, &err) < 0)
		ASSERT(err.code == ERR_TOO_BIG);
	if (o->by_digest)
		check_parts(r, &result);
	vote_result_done(&result);
	err_clear(&err);
	if (vote_reduce_merge(r, again, &err) < 0)
		ASSERT(err.code == ERR_EXISTS || err.code == ERR_INVALID);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	AUTO(buf_done) struct buf text = { .max = 1 << 20 };
	AUTO(vote_shape_freep) struct vote_shape *shape = NULL;
	struct vote_output o = { .name = "o" };
	struct err err = { 0 };

	if (size < 1 || size > 4096)
		return 0;
	o.by_digest = bytes[0] % 10 == 9;
	o.reduce = o.by_digest ? VOTE_CONCAT : (enum vote_reducer)(VOTE_SUM + bytes[0] % 10);
	o.k = o.reduce == VOTE_TOP_K ? 5 : 0;
	shape = vote_shape_plain((enum vote_type)(VOTE_I32 + bytes[0] / 10 % 6),
				 bytes[0] >= 128 ? 2 : 0);
	o.shape = shape;
	if (text_base64(bytes + 1, size - 1, &text, &err) < 0)
		ASSERT(!"fits");
	check(&o, buf_str(&text), text.len);
	return 0;
}
