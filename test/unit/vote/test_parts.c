/* test_parts.c - Concat by digest: what is kept of a chunk, any order and any cut, saved states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vote/reduce.h"

enum { CHUNKS = 60, LARGEST = 40, ROUNDS = 60 };

static uint64_t seed = 1;

static uint64_t next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

static struct vote_output output_of(const struct vote_shape *shape, bool by_digest)
{
	return (struct vote_output){
		.name = "o", .reduce = VOTE_CONCAT, .shape = shape, .by_digest = by_digest
	};
}

/* Bytes of a chunk: 0 to 9 scalars that follow from its number. */
static size_t bytes_of(uint64_t chunk, unsigned char bytes[LARGEST])
{
	size_t len = chunk * 7 % 10 * 4;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)(chunk * 31 + i);
	return len;
}

static int add(struct vote_reduction *r, uint64_t chunk, struct err *err)
{
	unsigned char bytes[LARGEST];
	size_t len = bytes_of(chunk, bytes);

	return vote_reduce_add(r, 0, chunk, 0, bytes, len, err);
}

static void must_add(struct vote_reduction *r, uint64_t chunk)
{
	struct err err = { 0 };

	if (add(r, chunk, &err) < 0)
		fail_msg("%s", err.text);
}

static char *save(const struct vote_reduction *r)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 24 };
	struct err err = { 0 };

	assert_int_equal(vote_reduce_save(r, &b, &err), 0);
	return buf_take(&b);
}

static struct vote_reduction *load(const struct vote_output *o, const char *text)
{
	struct vote_reduction *r = NULL;
	struct err err = { 0 };

	if (vote_reduce_load(o, 1, text, strlen(text), &r, &err) < 0)
		fail_msg("%s", err.text);
	return r;
}

/* Exactly the chunks 0 to n - 1, each as it was added. */
static void check_parts(const struct vote_reduction *r, size_t n)
{
	unsigned char bytes[LARGEST];
	struct hash_digest want;
	size_t got;
	const struct vote_part *p = vote_reduce_parts(r, 0, &got);

	assert_int_equal(got, n);
	for (size_t i = 0; i < n; i++) {
		size_t len = bytes_of(i, bytes);

		hash_bytes(bytes, len, &want);
		assert_int_equal(p[i].chunk, i);
		assert_int_equal(p[i].len, len);
		assert_true(hash_equal(&p[i].sha256, &want));
	}
}

/* All chunks in a random order, cut at random into states that are saved, loaded and merged. */
static struct vote_reduction *reduce_anyhow(const struct vote_output *o)
{
	struct vote_reduction *cuts[4] = { NULL };
	size_t order[CHUNKS];

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
		cuts[i] = vote_reduce_new(o, 1);
	for (size_t i = 0; i < CHUNKS; i++) {
		size_t at = next_random() % (i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (size_t i = 0; i < CHUNKS; i++)
		must_add(cuts[next_random() % ARRAY_LEN(cuts)], order[i]);
	for (size_t i = ARRAY_LEN(cuts) - 1; i > 0; i--) {
		AUTO(mem_freep) char *text = save(cuts[i]);
		AUTO(vote_reduce_freep) struct vote_reduction *again = load(o, text);
		struct err err = { 0 };

		assert_int_equal(vote_reduce_merge(cuts[next_random() % i], again, &err), 0);
		vote_reduce_freep(&cuts[i]);
	}
	return cuts[0];
}

static void keeps_the_same_parts_in_any_order_and_cut(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	AUTO(vote_reduce_freep) struct vote_reduction *straight = vote_reduce_new(&o, 1);
	AUTO(mem_freep) char *text = NULL;

	(void)state;
	for (uint64_t i = 0; i < CHUNKS; i++)
		must_add(straight, i);
	check_parts(straight, CHUNKS);
	text = save(straight);
	for (int round = 0; round < ROUNDS; round++) {
		AUTO(vote_reduce_freep) struct vote_reduction *r = reduce_anyhow(&o);
		AUTO(vote_reduce_freep) struct vote_reduction *copy = vote_reduce_copy(r);
		AUTO(mem_freep) char *other = save(r);

		assert_string_equal(other, text);
		check_parts(r, CHUNKS);
		check_parts(copy, CHUNKS);
	}
}

static void finishes_as_the_whole_would_but_for_its_bytes(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	struct vote_output plain = output_of(shape, false);
	AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(&o, 1);
	AUTO(vote_reduce_freep) struct vote_reduction *whole = vote_reduce_new(&plain, 1);
	AUTO(vote_result_done) struct vote_result got = { 0 };
	AUTO(vote_result_done) struct vote_result want = { 0 };
	AUTO(hash_freep) struct hash *joined = hash_new();
	unsigned char bytes[LARGEST];
	struct hash_digest digest;
	struct err err = { 0 };

	(void)state;
	for (uint64_t i = CHUNKS; i > 0; i--) {
		must_add(r, i - 1);
		must_add(whole, i - 1);
	}
	assert_int_equal(vote_reduce_finish(r, 0, &got, &err), 0);
	assert_int_equal(vote_reduce_finish(whole, 0, &want, &err), 0);
	assert_true(vote_reduce_has_result(r, 0));
	assert_int_equal(got.type, want.type);
	assert_int_equal(got.length, want.length);
	assert_int_equal(got.len, want.len);
	assert_null(got.value);
	assert_null(got.bytes);
	assert_true(hash_is_zero(&got.sha256));
	for (uint64_t i = 0; i < CHUNKS; i++)
		hash_add(joined, bytes, bytes_of(i, bytes));
	hash_finish(joined, &digest);
	assert_true(hash_equal(&digest, &want.sha256));
}

static void counts_the_elements_of_a_loaded_state(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(&o, 1);
	AUTO(vote_reduce_freep) struct vote_reduction *again = NULL;
	AUTO(vote_result_done) struct vote_result got = { 0 };
	AUTO(mem_freep) char *text = NULL;
	struct err err = { 0 };

	(void)state;
	must_add(r, 7); /* 9 scalars */
	must_add(r, 1); /* 7 */
	must_add(r, 0); /* none */
	text = save(r);
	again = load(&o, text);
	assert_int_equal(vote_reduce_finish(again, 0, &got, &err), 0);
	assert_int_equal(got.length, 16);
	assert_int_equal(got.len, 64);
}

static void refuses_chunks_that_are_there_or_do_not_fit(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(&o, 1);
	AUTO(vote_reduce_freep) struct vote_reduction *other = vote_reduce_new(&o, 1);
	AUTO(mem_freep) char *before = NULL;
	AUTO(mem_freep) char *after = NULL;
	struct err err = { 0 };

	(void)state;
	must_add(r, 5);
	must_add(r, 6);
	must_add(r, 3);
	must_add(other, 3);
	/* 3 came late and stands in the short list, 5 in the long one. */
	assert_int_equal(add(r, 3, &err), ERR_EXISTS);
	err_clear(&err);
	assert_int_equal(add(r, 5, &err), ERR_EXISTS);
	assert_string_equal(err.text, "output o: chunk 5 was added before");
	err_clear(&err);
	before = save(r);
	assert_int_equal(add(r, 3, &err), ERR_EXISTS);
	err_clear(&err);
	assert_int_equal(vote_reduce_add(r, 0, 9, 0, "12345", 5, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(vote_reduce_add(r, 0, UINT64_MAX, 0, "1234", 4, &err), ERR_INVALID);
	assert_string_equal(err.text, "output o: chunk 18446744073709551615 is out of range");
	err_clear(&err);
	after = save(r);
	assert_string_equal(before, after);
	assert_int_equal(vote_reduce_merge(r, other, &err), ERR_EXISTS);
}

/* array<vec3<u32>>: Concat pads what it keeps, the caller who keeps the bytes cannot know. */
static void refuses_elements_without_their_padding(void **state)
{
	static const struct vote_lane lane[] = { { 0, 3, 4, VOTE_U32 } };
	static const struct vote_layout layout = { .array_stride = 16,
						   .array_lanes = lane,
						   .n_array_lanes = 1 };
	AUTO(vote_shape_freep) struct vote_shape *shape = NULL;
	AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
	AUTO(vote_result_done) struct vote_result got = { 0 };
	struct vote_output o = { .name = "v", .reduce = VOTE_CONCAT, .by_digest = true };
	unsigned char bytes[32] = { 1 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vote_shape_new(&layout, &shape, &err), 0);
	o.shape = shape;
	r = vote_reduce_new(&o, 1);
	assert_int_equal(vote_reduce_add(r, 0, 0, 0, bytes, 28, &err), ERR_INVALID);
	assert_string_equal(err.text, "output v: chunk 0: 28 bytes end without their padding");
	err_clear(&err);
	assert_int_equal(vote_reduce_add(r, 0, 0, 0, bytes, 32, &err), 0);
	assert_int_equal(vote_reduce_finish(r, 0, &got, &err), 0);
	assert_int_equal(got.length, 6);
}

static void gives_parts_of_outputs_by_digest_only(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output plain = output_of(shape, false);
	struct vote_output o[] = { plain, plain, { .name = "none", .reduce = VOTE_NONE } };
	AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
	size_t n = 9;
	struct err err = { 0 };

	(void)state;
	o[1].by_digest = true;
	r = vote_reduce_new(o, ARRAY_LEN(o));
	assert_null(vote_reduce_parts(r, 1, &n));
	assert_int_equal(n, 0);
	for (size_t i = 0; i < ARRAY_LEN(o); i++)
		assert_int_equal(vote_reduce_add(r, i, 3, 0, "1234", 4, &err), 0);
	assert_non_null(vote_reduce_parts(r, 1, &n));
	assert_int_equal(n, 1);
	assert_null(vote_reduce_parts(r, 0, &n));
	assert_int_equal(n, 0);
	n = 9;
	assert_null(vote_reduce_parts(r, 2, &n));
	assert_int_equal(n, 0);
}

static void refuses_a_state_of_the_other_kind(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output digests = output_of(shape, true);
	struct vote_output plain = output_of(shape, false);
	const struct vote_output *rows[2][2] = { { &digests, &plain }, { &plain, &digests } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(rows[i][0], 1);
		AUTO(mem_freep) char *text = save(r);
		struct vote_reduction *again = NULL;
		struct err err = { 0 };

		assert_int_equal(vote_reduce_load(rows[i][1], 1, text, strlen(text), &again, &err),
				 ERR_INVALID);
		assert_string_equal(err.text, "output o: partial: of another reducer or type");
	}
}

enum { D = -1, END = -2 }; /* 32 bytes of a digest; the end of a row */

static char *text_of(const int *body)
{
	AUTO(buf_done) struct buf raw = { .max = 1000 };
	AUTO(buf_done) struct buf text = { .max = 2000 };
	static const char head[] = { 1, 1, (char)(0x80 | VOTE_CONCAT), VOTE_U32, 0 };
	static const char digest[HASH_SIZE] = { 0 };
	struct err err = { 0 };

	assert_int_equal(buf_add(&raw, head, sizeof(head), &err), 0);
	for (; *body != END; body++) {
		if (*body == D)
			assert_int_equal(buf_add(&raw, digest, sizeof(digest), &err), 0);
		else
			assert_int_equal(buf_addc(&raw, (char)*body, &err), 0);
	}
	assert_int_equal(text_base64(raw.data, raw.len, &text, &err), 0);
	return buf_take(&text);
}

static void survives_hostile_states(void **state)
{
	static const struct {
		int code;
		int body[24];
	} rows[] = {
		{ 0, { 0, END } },
		{ 0, { 1, 0, 0, 8, D, END } },
		{ 0, { 2, 0, 1, 8, D, 8, D, 5, 0, 8, D, END } },
		{ ERR_INVALID, { END } },
		{ ERR_INVALID, { 1, 0, 0, 8, END } },
		{ ERR_INVALID, { 1, 0, 0, 4, D, END } },          /* one scalar where two must be */
		{ ERR_INVALID, { 1, 0, 0, 7, D, END } },          /* no whole scalar */
		{ ERR_INVALID, { 1, 0, 0, 8, D, 0, END } },       /* a byte too many */
		{ ERR_INVALID, { 2, 0, 0, 8, D, END } },          /* a run too few */
		{ ERR_INVALID, { 1, 0, 1, 8, D, END } },          /* a chunk too few */
		{ ERR_INVALID, { 0x80, 0x80, 0x80, 1, D, END } }, /* many runs */
		{ ERR_INVALID,
		  { 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 8, D, END } },
		{ ERR_INVALID, /* gap of 2^41 */
		  { 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0, 8, D, END } },
		{ ERR_INVALID, /* the second of two chunks is 2^40 + 1 */
		  { 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 8, D, 8, D, END } },
		{ ERR_INVALID, /* the second run begins above 2^40 */
		  { 2, 0, 0, 8, D, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 8, D, END } },
		{ ERR_INVALID, { 1, 0, 0, 0x88, 0x80, 0x80, 0x80, 0x80, 1, D, END } }, /* size */
		{ ERR_INVALID, { 1, 0, 0, 0x88, 0, D, END } }, /* not minimal */
	};
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 2);
	struct vote_output o = output_of(shape, true);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
		AUTO(mem_freep) char *text = text_of(rows[i].body);
		struct err err = { 0 };
		int rc = vote_reduce_load(&o, 1, text, strlen(text), &r, &err);

		if (rc != rows[i].code)
			fail_msg("row %zu: %d %s", i, rc, err.text);
		if (rc == 0) {
			AUTO(mem_freep) char *again = save(r);

			assert_string_equal(again, text);
		}
	}
}

/* Every `step`-th chunk of `chunks`: one run, or as many as there can be. */
static void check_largest(uint64_t chunks, uint64_t step)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(&o, 1);
	AUTO(mem_freep) char *text = NULL;
	unsigned char bytes[LARGEST];
	struct vote_extent e = { .scalars = 9 };
	uint64_t largest;

	for (uint64_t i = 0; i < chunks; i++)
		e.bytes += bytes_of(i, bytes);
	e.total = e.bytes / 4;
	for (uint64_t i = 0; i < chunks; i += step)
		must_add(r, i);
	text = save(r);
	largest = vote_reduce_largest(&o, &e, 1, chunks);
	assert_true(strlen(text) <= largest);
	/* Not far off where all chunks are there: a size takes one byte here, five are assumed. */
	if (step == 1)
		assert_true(largest <= strlen(text) + chunks * 4 * 4 / 3 + 32);
}

static void knows_the_largest_state_before_it_starts(void **state)
{
	static const uint64_t chunks[] = { 0, 1, 2, 3, 10, 127, 128, 129, 1000, 20000 };
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	struct vote_extent e = { 32768, 786432, 3145728 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(chunks); i++)
		for (uint64_t step = 1; step <= 3; step++)
			check_largest(chunks[i], step);
	/* An image of 3 MiB in 24 chunks stands in a status. */
	assert_in_range(vote_reduce_largest(&o, &e, 1, 24), 24 * 33, 1400);
	assert_true(vote_reduce_largest(&o, &e, 1, UINT64_MAX) == UINT64_MAX);
}

/* More than the short list holds: ascending, descending, scattered, and as ten agents would that
 * work on ten ranges at once. */
static void takes_many_chunks_in_any_order(void **state)
{
	enum { MANY = 20000, STRIDE = 7919 /* coprime to MANY */, AGENTS = 10, ORDERS = 4 };
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o = output_of(shape, true);
	AUTO(mem_freep) char *want = NULL;

	(void)state;
	for (int order = 0; order < ORDERS; order++) {
		AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(&o, 1);
		AUTO(mem_freep) char *text = NULL;

		for (uint64_t i = 0; i < MANY; i++) {
			const uint64_t chunk[ORDERS] = { i, MANY - 1 - i, i * STRIDE % MANY,
							 i % AGENTS * (MANY / AGENTS) +
							     i / AGENTS };

			must_add(r, chunk[order]);
		}
		check_parts(r, MANY);
		text = save(r);
		if (want == NULL)
			want = MOVE(text);
		else
			assert_string_equal(text, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_same_parts_in_any_order_and_cut),
		cmocka_unit_test(finishes_as_the_whole_would_but_for_its_bytes),
		cmocka_unit_test(counts_the_elements_of_a_loaded_state),
		cmocka_unit_test(refuses_chunks_that_are_there_or_do_not_fit),
		cmocka_unit_test(refuses_elements_without_their_padding),
		cmocka_unit_test(gives_parts_of_outputs_by_digest_only),
		cmocka_unit_test(refuses_a_state_of_the_other_kind),
		cmocka_unit_test(survives_hostile_states),
		cmocka_unit_test(knows_the_largest_state_before_it_starts),
		cmocka_unit_test(takes_many_chunks_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
