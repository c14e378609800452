/* test_reduce.c - reducers: results, any order and any cut, saved states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "vote/reduce.h"

enum { MAX_CHUNKS = 24, WIDTH = 2, ROUNDS = 60 };

static uint64_t seed = 1;

static uint64_t next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

/* A job with one output: the scalars of all chunks, `width` per chunk. */
struct job {
	enum vote_reducer reduce;
	enum vote_type type;
	uint32_t width; /* 0: one scalar in a runtime-sized array */
	uint32_t k;
	size_t chunks;
	double values[MAX_CHUNKS * WIDTH];
	const char *value; /* wanted; NULL: an overflow */
	const char *index; /* wanted, if not NULL */
};

static size_t put(enum vote_type t, double v, unsigned char *out)
{
	float f32 = (float)v;
	uint64_t bits = 0;

	if (t == VOTE_F32)
		memcpy(&bits, &f32, sizeof(f32));
	else if (t == VOTE_F64)
		memcpy(&bits, &v, sizeof(v));
	else if (v < 0)
		bits = (uint64_t)(int64_t)v;
	else
		bits = v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
	if (vote_type_size(t) == 4)
		num_put_u32(out, (uint32_t)bits);
	else
		num_put_u64(out, bits);
	return vote_type_size(t);
}

static uint32_t width_of(const struct job *j)
{
	return j->width > 0 ? j->width : 1;
}

static struct vote_shape *shape_of(const struct job *j)
{
	return vote_shape_plain(j->type, j->width);
}

static struct vote_reduction *reduction_of(const struct job *j)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = shape_of(j);
	struct vote_output o = { .name = "o", .reduce = j->reduce, .k = j->k, .shape = shape };

	return vote_reduce_new(&o, 1);
}

static int add_chunk(struct vote_reduction *r, const struct job *j, size_t chunk, struct err *err)
{
	unsigned char bytes[WIDTH * 8];
	size_t len = 0;

	for (uint32_t i = 0; i < width_of(j); i++)
		len += put(j->type, j->values[chunk * width_of(j) + i], bytes + len);
	return vote_reduce_add(r, 0, chunk, chunk * width_of(j), bytes, len, err);
}

static char *save(const struct vote_reduction *r)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 20 };
	struct err err = { 0 };

	assert_int_equal(vote_reduce_save(r, &b, &err), 0);
	return buf_take(&b);
}

static struct vote_reduction *load(const struct job *j, const char *text)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = shape_of(j);
	struct vote_output o = { .name = "o", .reduce = j->reduce, .k = j->k, .shape = shape };
	struct vote_reduction *r = NULL;
	struct err err = { 0 };

	if (vote_reduce_load(&o, 1, text, strlen(text), &r, &err) < 0)
		fail_msg("%s", err.text);
	return r;
}

/* All chunks in a random order, cut at random into parts that are saved, loaded and merged. */
static struct vote_reduction *reduce_anyhow(const struct job *j)
{
	struct vote_reduction *parts[4] = { NULL };
	size_t order[MAX_CHUNKS];
	struct err err = { 0 };

	for (size_t i = 0; i < 4; i++)
		parts[i] = reduction_of(j);
	for (size_t i = 0; i < j->chunks; i++) {
		size_t at = next_random() % (i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (size_t i = 0; i < j->chunks; i++)
		assert_int_equal(add_chunk(parts[next_random() % 4], j, order[i], &err), 0);
	for (size_t i = 3; i > 0; i--) {
		AUTO(mem_freep) char *text = save(parts[i]);
		AUTO(vote_reduce_freep) struct vote_reduction *again = load(j, text);
		size_t into = next_random() % i;

		if (vote_reduce_merge(parts[into], again, &err) < 0)
			fail_msg("%s", err.text);
		vote_reduce_freep(&parts[i]);
	}
	return parts[0];
}

static void check_result(const struct job *j, const struct vote_reduction *r, const char *what)
{
	AUTO(vote_result_done) struct vote_result got = { 0 };
	struct err err = { 0 };
	const char *index;

	if (vote_reduce_finish(r, 0, &got, &err) < 0) {
		if (j->value != NULL)
			fail_msg("%s: %s", what, err.text);
		assert_int_equal(err.code, ERR_TOO_BIG);
		return;
	}
	if (j->value == NULL)
		fail_msg("%s: should overflow, is %s", what, got.value);
	if (!text_equal(got.value, j->value))
		fail_msg("%s: %s, wanted %s", what, got.value, j->value);
	index = got.index != NULL ? got.index : got.indexes;
	if (j->index != NULL && !text_equal(index, j->index))
		fail_msg("%s: index %s, wanted %s", what, index, j->index);
}

static void check_size(const struct job *j, const char *text)
{
	AUTO(vote_shape_freep) struct vote_shape *shape = shape_of(j);
	struct vote_output o = { .name = "o", .reduce = j->reduce, .k = j->k, .shape = shape };
	uint64_t total = j->chunks * width_of(j);
	struct vote_extent e = { .scalars = width_of(j),
				 .total = total,
				 .bytes = total * vote_type_size(j->type) };

	assert_true(strlen(text) <= vote_reduce_largest(&o, &e, 1, j->chunks));
}

static void check_job(const struct job *j)
{
	AUTO(vote_reduce_freep) struct vote_reduction *straight = reduction_of(j);
	AUTO(mem_freep) char *text = NULL;
	struct err err = { 0 };
	char what[64];

	snprintf(what, sizeof(what), "%s of %s", vote_reducer_name(j->reduce),
		 vote_type_name(j->type));
	for (size_t i = 0; i < j->chunks; i++)
		assert_int_equal(add_chunk(straight, j, i, &err), 0);
	check_result(j, straight, what);
	text = save(straight);
	check_size(j, text);
	for (int round = 0; round < ROUNDS; round++) {
		AUTO(vote_reduce_freep) struct vote_reduction *r = reduce_anyhow(j);
		AUTO(mem_freep) char *other = save(r);

		check_result(j, r, what);
		assert_string_equal(other, text);
	}
}

#define BIG 9223372036854775808.0

static void reduces_as_promised_in_any_order_and_cut(void **state)
{
	static const struct job jobs[] = {
		{ VOTE_SUM, VOTE_I32, 1, 0, 5, { 3, 9, 4, 9, 1 }, "26", NULL },
		{ VOTE_SUM,
		  VOTE_I32,
		  1,
		  0,
		  3,
		  { -2147483648.0, -2147483648.0, 1 },
		  "-4294967295",
		  NULL },
		{ VOTE_SUM,
		  VOTE_U32,
		  2,
		  0,
		  2,
		  { 4294967295.0, 1, 4294967295.0, 2 },
		  "[8589934590,3]",
		  NULL },
		{ VOTE_SUM,
		  VOTE_I64,
		  1,
		  0,
		  3,
		  { BIG - 1024, BIG - 1024, -BIG },
		  "9223372036854773760",
		  NULL },
		{ VOTE_SUM, VOTE_I64, 1, 0, 2, { -BIG, -1 }, NULL, NULL },
		{ VOTE_SUM, VOTE_U64, 1, 0, 2, { BIG, BIG }, NULL, NULL },
		{ VOTE_SUM, VOTE_U64, 1, 0, 2, { BIG, BIG - 1024 }, "18446744073709550592", NULL },
		{ VOTE_SUM, VOTE_F32, 1, 0, 5, { 1e30, 1, -1e30, 1e-30, 0.5 }, "1.5", NULL },
		{ VOTE_SUM, VOTE_F64, 1, 0, 4, { 1e308, 1e308, -1e308, -1e308 }, "0", NULL },
		{ VOTE_SUM, VOTE_F64, 1, 0, 3, { 1e308, 1e308, 1e308 }, "Infinity", NULL },
		{ VOTE_SUM,
		  VOTE_F64,
		  1,
		  0,
		  3,
		  { 1, 0x1p-53, 0x1p-105 },
		  "1.0000000000000002",
		  NULL },
		{ VOTE_SUM, VOTE_F64, 1, 0, 2, { 1, 0x1p-53 }, "1", NULL },
		{ VOTE_SUM, VOTE_F64, 1, 0, 2, { 5e-324, 5e-324 }, "1e-323", NULL },
		{ VOTE_SUM, VOTE_F64, 1, 0, 2, { -0.0, -0.0 }, "0", NULL },
		{ VOTE_SUM,
		  VOTE_F64,
		  2,
		  0,
		  2,
		  { INFINITY, NAN, -INFINITY, 1 },
		  "[\"NaN\",\"NaN\"]",
		  NULL },
		{ VOTE_SUM, VOTE_F32, 1, 0, 2, { -INFINITY, 5 }, "-Infinity", NULL },
		{ VOTE_PRODUCT, VOTE_I32, 1, 0, 5, { 3, 9, 4, 9, 1 }, "972", NULL },
		{ VOTE_PRODUCT,
		  VOTE_I32,
		  1,
		  0,
		  4,
		  { 2147483647, 2147483647, 2147483647, 0 },
		  "0",
		  NULL },
		{ VOTE_PRODUCT, VOTE_I64, 1, 0, 3, { -BIG, -1, -1 }, "-9223372036854775808", NULL },
		{ VOTE_PRODUCT, VOTE_I64, 1, 0, 2, { -BIG, -1 }, NULL, NULL },
		{ VOTE_PRODUCT, VOTE_I64, 1, 0, 3, { -1, 1, -1 }, "1", NULL },
		{ VOTE_PRODUCT, VOTE_U64, 1, 0, 3, { 4294967296.0, 4294967296.0, 1 }, NULL, NULL },
		{ VOTE_PRODUCT,
		  VOTE_F32,
		  1,
		  0,
		  4,
		  { 1e30, 1e30, 1e-30, 2 },
		  "2.0000000665320193e+30",
		  NULL },
		{ VOTE_PRODUCT,
		  VOTE_F64,
		  2,
		  0,
		  3,
		  { 3, 1e300, 0.1, 1e300, 0.7, 1e-300 },
		  "[0.21000000000000002,\"Infinity\"]",
		  NULL },
		{ VOTE_MIN, VOTE_I32, 1, 0, 5, { 3, 9, -4, 9, 1 }, "-4", NULL },
		{ VOTE_MAX, VOTE_U32, 1, 0, 3, { 3, 4294967295.0, 1 }, "4294967295", NULL },
		{ VOTE_MIN,
		  VOTE_F32,
		  2,
		  0,
		  3,
		  { 0.0, 1, -0.0, NAN, 0.0, -5 },
		  "[-0,\"NaN\"]",
		  NULL },
		{ VOTE_MAX, VOTE_F64, 2, 0, 2, { -0.0, -INFINITY, 0.0, -1 }, "[0,-1]", NULL },
		{ VOTE_ARG_MAX, VOTE_I32, 1, 0, 5, { 3, 9, 4, 9, 1 }, "9", "1" },
		{ VOTE_ARG_MIN, VOTE_I32, 2, 0, 2, { 3, -9, 4, -9 }, "-9", "1" },
		{ VOTE_ARG_MIN, VOTE_F32, 1, 0, 4, { NAN, 0.0, -0.0, 5 }, "0", "1" },
		{ VOTE_ARG_MAX, VOTE_F64, 1, 0, 2, { NAN, NAN }, "NaN", "0" },
		{ VOTE_TOP_K, VOTE_I32, 1, 3, 5, { 3, 9, 4, 9, 1 }, "[9,9,4]", "[1,3,2]" },
		{ VOTE_TOP_K,
		  VOTE_F32,
		  2,
		  9,
		  2,
		  { NAN, 1, -INFINITY, 2 },
		  "[2,1,\"-Infinity\",\"NaN\"]",
		  "[3,1,2,0]" },
		{ VOTE_TOP_K, VOTE_U64, 0, 1, 2, { 7, 8 }, "[8]", "[1]" },
		{ VOTE_COUNT, VOTE_I32, 2, 0, 3, { 0, 1, 2, 0, 0, 5 }, "[1,2]", NULL },
		{ VOTE_COUNT, VOTE_F32, 1, 0, 4, { -0.0, NAN, 0.0, 1 }, "2", NULL },
		{ VOTE_CONCAT,
		  VOTE_I32,
		  2,
		  0,
		  5,
		  { 3, -3, 9, -9, 4, -4, 9, -9, 1, -1 },
		  "[3,-3,9,-9,4,-4,9,-9,1,-1]",
		  NULL },
		{ VOTE_CONCAT,
		  VOTE_F32,
		  0,
		  0,
		  6,
		  { 1, 3, 5, 7, 9, 11.5 },
		  "[1,3,5,7,9,11.5]",
		  NULL },
		{ VOTE_CONCAT, VOTE_U64, 1, 0, 1, { 7 }, "[7]", NULL },
		{ VOTE_SUM, VOTE_U32, 0, 0, 0, { 0 }, "[]", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		check_job(&jobs[i]);
}

static __int128 as_wide(double v)
{
	return (__int128)(v * 0x1p60);
}

/* Numbers from 2^-60 to 2^66 with random bits, whose exact sum a 128-bit integer holds. */
static void sums_floats_exactly(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct job j = { VOTE_SUM,   round % 2 ? VOTE_F64 : VOTE_F32,
				 1,          0,
				 MAX_CHUNKS, { 0 },
				 NULL,       NULL };
		AUTO(buf_done) struct buf want = { .max = 64 };
		struct err err = { 0 };
		__int128 sum = 0;
		char text[NUM_TEXT];

		for (size_t i = 0; i < j.chunks; i++) {
			int high = j.type == VOTE_F32 ? 64 : 35;
			int e = (int)(next_random() % (uint64_t)high);
			double m = (double)(next_random() << 22 ^ next_random());

			m = j.type == VOTE_F32 ? (double)((uint64_t)m & 0xffffff) : m;
			m = next_random() % 2 ? -m : m;
			j.values[i] = ldexp(m, e - 60);
			sum += as_wide(j.values[i]);
		}
		assert_int_equal(buf_adds(&want, num_print_f64((double)sum * 0x1p-60, text), &err),
				 0);
		j.value = buf_str(&want);
		check_job(&j);
	}
}

static void keeps_a_long_sum_exact(void **state)
{
	static const struct job j = { VOTE_SUM, VOTE_F32, 1, 0, 0, { 0 }, NULL, NULL };
	AUTO(vote_reduce_freep) struct vote_reduction *r = reduction_of(&j);
	AUTO(vote_result_done) struct vote_result got = { 0 };
	struct err err = { 0 };
	unsigned char bytes[4];

	(void)state;
	put(VOTE_F32, 0.1, bytes);
	for (uint64_t i = 0; i < 1000000; i++)
		assert_int_equal(vote_reduce_add(r, 0, i, i, bytes, 4, &err), 0);
	assert_int_equal(vote_reduce_finish(r, 0, &got, &err), 0);
	assert_string_equal(got.value, "100000.00149011612");
}

static void says_what_overflowed(void **state)
{
	static const struct job j = { VOTE_SUM, VOTE_U64, 2, 0, 2, { 1, BIG, 1, BIG }, NULL, NULL };
	AUTO(vote_reduce_freep) struct vote_reduction *r = reduction_of(&j);
	struct vote_result got = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(add_chunk(r, &j, 0, &err), 0);
	assert_int_equal(add_chunk(r, &j, 1, &err), 0);
	assert_int_equal(vote_reduce_finish(r, 0, &got, &err), ERR_TOO_BIG);
	assert_string_equal(err.text, "output o: element 1: the sum does not fit u64");
}

static void refuses_chunks_that_do_not_fit(void **state)
{
	static const struct job sum = { VOTE_SUM, VOTE_U32, 0, 0, 0, { 0 }, NULL, NULL };
	static const struct job concat = { VOTE_CONCAT, VOTE_U32, 0, 0, 0, { 0 }, NULL, NULL };
	static const struct job fold = { VOTE_PRODUCT, VOTE_F32, 0, 0, 0, { 0 }, NULL, NULL };
	AUTO(vote_reduce_freep) struct vote_reduction *a = reduction_of(&sum);
	AUTO(vote_reduce_freep) struct vote_reduction *b = reduction_of(&concat);
	AUTO(vote_reduce_freep) struct vote_reduction *c = reduction_of(&fold);
	unsigned char bytes[16] = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vote_reduce_add(a, 0, 0, 0, bytes, 8, &err), 0);
	assert_int_equal(vote_reduce_add(a, 0, 1, 2, bytes, 12, &err), ERR_INVALID);
	assert_string_equal(err.text, "output o: chunk 1 has 3 elements, others have 2");
	err_clear(&err);
	assert_int_equal(vote_reduce_add(a, 0, 1, 2, bytes, 7, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(vote_reduce_add(b, 0, 5, 0, bytes, 8, &err), 0);
	assert_int_equal(vote_reduce_add(b, 0, 6, 0, bytes, 12, &err), 0);
	assert_int_equal(vote_reduce_add(b, 0, 5, 0, bytes, 8, &err), ERR_EXISTS);
	err_clear(&err);
	assert_int_equal(vote_reduce_add(c, 0, 0, 0, bytes, 8, &err), 0);
	assert_int_equal(vote_reduce_add(c, 0, 0, 0, bytes, 8, &err), ERR_EXISTS);
	err_clear(&err);
	assert_int_equal(vote_reduce_add(c, 0, 2, 0, bytes, 8, &err), 0);
	assert_int_equal(vote_reduce_add(c, 0, 2, 0, bytes, 8, &err), ERR_EXISTS);
}

/* array<vec3<u32>>: twelve bytes and four of padding per element. */
static void concatenates_padded_elements(void **state)
{
	static const struct vote_lane lane[] = { { 0, 3, 4, VOTE_U32 } };
	static const struct vote_layout layout = { .array_stride = 16,
						   .array_lanes = lane,
						   .n_array_lanes = 1 };
	AUTO(vote_shape_freep) struct vote_shape *shape = NULL;
	AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
	AUTO(vote_result_done) struct vote_result got = { 0 };
	struct vote_output o = { .name = "v", .reduce = VOTE_CONCAT };
	unsigned char bytes[16] = { 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vote_shape_new(&layout, &shape, &err), 0);
	o.shape = shape;
	r = vote_reduce_new(&o, 1);
	assert_int_equal(vote_reduce_add(r, 0, 1, 3, bytes, 16, &err), 0);
	bytes[0] = 9;
	assert_int_equal(vote_reduce_add(r, 0, 0, 0, bytes, 12, &err), 0);
	assert_int_equal(vote_reduce_finish(r, 0, &got, &err), 0);
	assert_string_equal(got.value, "[9,2,3,1,2,3]");
	assert_int_equal(got.length, 6);
	assert_int_equal(got.len, 32);
}

static void checks_what_a_reducer_can_work_on(void **state)
{
	static const struct vote_lane lanes[] = { { 0, 1, 4, VOTE_U32 }, { 4, 1, 4, VOTE_F32 } };
	static const struct vote_layout layout = { .fixed_size = 8, .lanes = lanes, .n_lanes = 2 };
	AUTO(vote_shape_freep) struct vote_shape *shape = NULL;
	struct vote_output o = { .name = "mixed", .reduce = VOTE_SUM };
	enum vote_reducer reducer;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vote_shape_new(&layout, &shape, &err), 0);
	o.shape = shape;
	assert_int_equal(vote_reduce_check(&o, &err), ERR_INVALID);
	err_clear(&err);
	o.reduce = VOTE_CONCAT;
	assert_int_equal(vote_reduce_check(&o, &err), 0);
	o.reduce = VOTE_TOP_K;
	o.k = 1001;
	assert_int_equal(vote_reduce_check(&o, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(vote_reducer_parse("TopK", &reducer, &err), 0);
	assert_int_equal(reducer, VOTE_TOP_K);
	assert_int_equal(vote_reducer_parse("Mean", &reducer, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(vote_reducer_parse("Kernel", &reducer, &err), ERR_INVALID);
}

static void knows_the_largest_state_before_it_starts(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *u32 = vote_shape_plain(VOTE_U32, 1);
	AUTO(vote_shape_freep) struct vote_shape *image = vote_shape_plain(VOTE_U32, 0);
	struct vote_output o[] = { { "hits", VOTE_SUM, 0, u32, false },
				   { "image", VOTE_CONCAT, 0, image, false } };
	struct vote_extent e[] = { { 1, 100, 400 }, { 98304, 786432, 3145728 } };

	(void)state;
	assert_in_range(vote_reduce_largest(o, e, 1, 1000000), 8, 64);
	assert_true(vote_reduce_largest(o, e, 2, 8) > VOTE_MAX_PARTIAL);
	e[1].bytes = UINT64_MAX;
	assert_true(vote_reduce_largest(o, e, 2, 8) == UINT64_MAX);
}

static void refuses_to_save_more_than_fits(void **state)
{
	static const struct job j = { VOTE_CONCAT, VOTE_U32, 0, 0, 0, { 0 }, NULL, NULL };
	AUTO(vote_reduce_freep) struct vote_reduction *r = reduction_of(&j);
	AUTO(buf_done) struct buf b = { .max = VOTE_MAX_PARTIAL };
	AUTO(mem_freep) unsigned char *bytes = mem_alloc(20000);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(vote_reduce_add(r, 0, 0, 0, bytes, 20000, &err), 0);
	assert_int_equal(vote_reduce_save(r, &b, &err), ERR_TOO_BIG);
	assert_int_equal(b.len, 0);
}

static void shows_large_results_by_digest_only(void **state)
{
	static const struct job j = { VOTE_CONCAT, VOTE_U32, 0, 0, 0, { 0 }, NULL, NULL };
	AUTO(vote_reduce_freep) struct vote_reduction *r = reduction_of(&j);
	AUTO(vote_result_done) struct vote_result got = { 0 };
	AUTO(mem_freep) unsigned char *bytes = mem_alloc(4000);
	struct hash_digest want;
	struct err err = { 0 };

	(void)state;
	bytes[7] = 1;
	hash_bytes(bytes, 4000, &want);
	assert_int_equal(vote_reduce_add(r, 0, 0, 0, bytes, 4000, &err), 0);
	assert_int_equal(vote_reduce_finish(r, 0, &got, &err), 0);
	assert_null(got.value);
	assert_int_equal(got.length, 1000);
	assert_true(hash_equal(&got.sha256, &want));
	assert_memory_equal(got.bytes, bytes, 4000);
}

static void tells_a_newer_format_from_a_broken_one(void **state)
{
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{ "AQEBAgABAg==", ERR_INVALID },     /* ends too early */
		{ "AQEBAgACCg==", 0 },               /* one cell: 5 */
		{ "AgEBAgACCg==", ERR_UNAVAILABLE }, /* version 2 */
		{ "AQIBAgACCg==", ERR_INVALID },     /* two outputs */
		{ "AQEDAgACCg==", ERR_INVALID },     /* Min */
		{ "AQEBAQACCg==", ERR_INVALID },     /* i32 */
		{ "AQEBAgECCg==", ERR_INVALID },     /* k */
		{ "AQEBAgACCgA=", ERR_INVALID },     /* a byte too many */
		{ "AQEBAgADCgo=", ERR_INVALID },     /* two cells */
		{ "AQEBAgAC", ERR_INVALID },
		{ "", ERR_INVALID },
		{ "!", ERR_INVALID },
	};
	AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(VOTE_U32, 1);
	struct vote_output o = { .name = "o", .reduce = VOTE_SUM, .shape = shape };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
		struct err err = { 0 };
		int rc = vote_reduce_load(&o, 1, rows[i].text, strlen(rows[i].text), &r, &err);

		if (rc != rows[i].code)
			fail_msg("row %zu: %d %s", i, rc, err.text);
	}
}

static void holds_several_outputs(void **state)
{
	AUTO(vote_shape_freep) struct vote_shape *u32 = vote_shape_plain(VOTE_U32, 1);
	struct vote_output o[] = { { "a", VOTE_SUM, 0, u32, false },
				   { "none", VOTE_NONE, 0, NULL, false },
				   { "b", VOTE_MAX, 0, u32, false },
				   { "gone", VOTE_DISCARD, 0, NULL, false } };
	AUTO(vote_reduce_freep) struct vote_reduction *r = vote_reduce_new(o, ARRAY_LEN(o));
	AUTO(vote_reduce_freep) struct vote_reduction *copy = NULL;
	AUTO(vote_reduce_freep) struct vote_reduction *again = NULL;
	AUTO(mem_freep) char *text = NULL;
	AUTO(mem_freep) char *other = NULL;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(o); i++)
		assert_int_equal(vote_reduce_add(r, i, 0, 0, "\1\0\0\0", 4, &err), 0);
	assert_true(vote_reduce_has_result(r, 0));
	assert_false(vote_reduce_has_result(r, 1));
	assert_false(vote_reduce_has_result(r, 3));
	copy = vote_reduce_copy(r);
	text = save(copy);
	assert_int_equal(vote_reduce_load(o, ARRAY_LEN(o), text, strlen(text), &again, &err), 0);
	other = save(again);
	assert_string_equal(text, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reduces_as_promised_in_any_order_and_cut),
		cmocka_unit_test(sums_floats_exactly),
		cmocka_unit_test(keeps_a_long_sum_exact),
		cmocka_unit_test(says_what_overflowed),
		cmocka_unit_test(refuses_chunks_that_do_not_fit),
		cmocka_unit_test(concatenates_padded_elements),
		cmocka_unit_test(checks_what_a_reducer_can_work_on),
		cmocka_unit_test(knows_the_largest_state_before_it_starts),
		cmocka_unit_test(refuses_to_save_more_than_fits),
		cmocka_unit_test(shows_large_results_by_digest_only),
		cmocka_unit_test(tells_a_newer_format_from_a_broken_one),
		cmocka_unit_test(holds_several_outputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
