/* test_result.c - which result is meant, its bytes from its text, parts of large ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/encode.h"
#include "cli/fetch.h"
#include "cli/result.h"
#include "cli/sink.h"
#include "doc/doc.h"
#include "vote/value.h"

static struct doc *parse(const char *text)
{
	struct doc *d = NULL;
	struct err err = { 0 };

	if (doc_parse_yaml(text, strlen(text), NULL, &d, &err) < 0)
		fail_msg("%s", err.text);
	return d;
}

/* ---- which ------------------------------------------------------------------------------- */

#define OUTPUTS                                                                                    \
	"metadata: {name: j}\n"                                                                    \
	"spec: {outputs: [{name: hits, reduce: Sum}, {name: image, reduce: Concat}, "              \
	"{name: each, reduce: None}]}\n"
#define RESULTS "results: [{name: hits, value: '1'}, {name: image, sha256: '0'}]"
#define COMPLETE "conditions: [{type: Complete, status: 'True'}], "

static void says_which_result_is_meant_or_why_none(void **state)
{
	static const struct {
		const char *job, *output, *name;
		int code;
		const char *says;
	} rows[] = {
		{ OUTPUTS "status: {" COMPLETE RESULTS "}", "hits", "hits", 0, NULL },
		{ OUTPUTS "status: {" COMPLETE RESULTS "}", "image", "image", 0, NULL },
		{ OUTPUTS "status: {" COMPLETE "results: [{name: hits}]}", NULL, "hits", 0, NULL },
		{ OUTPUTS "status: {" COMPLETE RESULTS "}", NULL, NULL, ERR_INVALID,
		  "say which output: hits, image" },
		{ OUTPUTS "status: {" COMPLETE RESULTS "}", "hit", NULL, ERR_NOT_FOUND,
		  "no output hit; did you mean hits?" },
		{ OUTPUTS "status: {" COMPLETE RESULTS "}", "picture", NULL, ERR_NOT_FOUND,
		  "no output picture; there are: hits, image" },
		{ OUTPUTS "status: {" COMPLETE RESULTS "}", "each", NULL, ERR_NOT_FOUND,
		  "output each has no result (reduce: None keeps none)" },
		{ OUTPUTS "status: {" COMPLETE "results: []}", NULL, NULL, ERR_NOT_FOUND,
		  "j has no results" },
		{ OUTPUTS, "hits", NULL, ERR_UNAVAILABLE,
		  "j is not finished: Pending, 0 chunks accepted" },
		{ OUTPUTS "status: {state: Running, progress: 3/9, why: slow, " RESULTS "}", "hits",
		  NULL, ERR_UNAVAILABLE, "j is not finished: Running, 3/9 chunks accepted: slow" },
		{ OUTPUTS
		  "status: {why: Overflow, conditions: [{type: Failed, status: 'True'}], " RESULTS
		  "}",
		  "hits", NULL, ERR_UNAVAILABLE, "j has failed, so it has no result: Overflow" },
		{ OUTPUTS "status: {why: \"KernelInvalid: 1:2: error\\n  fn\\n  ^\\n\", "
			  "conditions: [{type: Failed, status: 'True'}]}",
		  "hits", NULL, ERR_UNAVAILABLE,
		  "j has failed, so it has no result: KernelInvalid: 1:2: error" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp) struct doc *job = parse(rows[i].job);
		const struct doc *result = NULL;
		struct err err = { 0 };

		assert_int_equal(result_pick(job, rows[i].output, &result, &err), rows[i].code);
		if (rows[i].code == 0)
			assert_string_equal(doc_str(result, "name", ""), rows[i].name);
		else
			assert_string_equal(err.text, rows[i].says);
	}
}

/* ---- bytes ------------------------------------------------------------------------------- */

static struct doc *result_of(const char *type, int64_t length, const char *value)
{
	struct doc *r = doc_new_map();

	doc_set_str(r, "name", "x");
	doc_set_str(r, "type", type);
	doc_set_int(r, "length", length);
	doc_set_str(r, "value", value);
	return r;
}

static void a_value_gives_its_bytes(void **state)
{
	static const struct {
		const char *type;
		int64_t length;
		const char *value, *hex;
	} rows[] = {
		{ "u32", 1, "4294967295", "ffffffff" },
		{ "i32", 1, "-2147483648", "00000080" },
		{ "u64", 1, "18446744073709551615", "ffffffffffffffff" },
		{ "i64", 1, "-1", "ffffffffffffffff" },
		{ "i32", 3, "[1,-1,0]", "01000000ffffffff00000000" },
		{ "u32", 0, "[]", "" },
		{ "u32", 1, "[7]", "07000000" },
		{ "f32", 1, "1.5", "0000c03f" },
		{ "f32", 1, "-0", "00000080" },
		{ "f32", 1, "NaN", "0000c07f" },
		{ "f32", 3, "[\"NaN\",\"Infinity\",\"-Infinity\"]", "0000c07f0000807f000080ff" },
		{ "f32", 1, "1e-45", "01000000" },
		{ "f32", 1, "3.4028235e+38", "ffff7f7f" },
		{ "f64", 1, "0.1", "9a9999999999b93f" },
		{ "f64", 1, "5e-324", "0100000000000000" },
		{ "f64", 2, "[\"NaN\",-2]", "000000000000f87f00000000000000c0" },
		{ "u32,f32", 4, "[2,1.5,3,-0]", "020000000000c03f0300000000000080" },
		{ "i32,i32,f64", 3, "[1,-1,2]", "01000000ffffffff0000000000000040" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp)
		struct doc *r = result_of(rows[i].type, rows[i].length, rows[i].value);
		AUTO(buf_done) struct buf out = { .max = 100 };
		char hex[201];
		struct err err = { 0 };

		if (encode_result(r, &out, &err) < 0)
			fail_msg("%s: %s", rows[i].value, err.text);
		assert_string_equal(text_hex(buf_str(&out), out.len, hex), rows[i].hex);
	}
}

static void a_value_that_is_none_is_refused(void **state)
{
	static const struct {
		const char *type;
		int64_t length;
		const char *value;
	} rows[] = {
		{ "u32", 1, "4294967296" }, { "u32", 1, "-1" },      { "u32", 1, "1.5" },
		{ "i32", 1, "2147483648" }, { "i32", 2, "[1]" },     { "i32", 1, "[1,2]" },
		{ "i32", 1, "[1" },         { "i32", 1, "[1,]" },    { "i32", 1, "[,1]" },
		{ "i32", 1, "[1]x" },       { "i32", 1, "" },        { "i32", 1, "[" },
		{ "i32", 1, "[\"1]" },      { "i32", 1, "NaN" },     { "f32", 1, "1e39" },
		{ "f64", 1, "inf" },        { "f64", 1, "[1],[2]" }, { "f32", 1, "0.10000000001" },
		{ "f16", 1, "1" },          { "u32", 1, "[[1]]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp)
		struct doc *r = result_of(rows[i].type, rows[i].length, rows[i].value);
		AUTO(buf_done) struct buf out = { .max = 100 };
		struct err err = { 0 };

		if (encode_result(r, &out, &err) != ERR_INVALID)
			fail_msg("%s %s was taken", rows[i].type, rows[i].value);
	}
}

static uint64_t dice(uint64_t *seed)
{
	*seed += 0x9e3779b97f4a7c15u;
	return (*seed ^ (*seed >> 29)) * 0xbf58476d1ce4e5b9u;
}

/* Whatever lib/vote prints comes back, bit by bit. */
static void random_bits_come_back(void **state)
{
	static const enum vote_type types[] = { VOTE_I32, VOTE_U32, VOTE_F32,
						VOTE_I64, VOTE_U64, VOTE_F64 };
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		enum vote_type t = types[i % 6];
		AUTO(vote_shape_freep) struct vote_shape *shape = vote_shape_plain(t, 1);
		AUTO(buf_done) struct buf text = { .max = 100 };
		AUTO(buf_done) struct buf out = { .max = 100 };
		AUTO(doc_unrefp) struct doc *r = NULL;
		unsigned char bytes[8];
		struct err err = { 0 };

		num_put_u64(bytes, dice(&seed) >> (i % 7));
		vote_canonical(shape, bytes, vote_type_size(t));
		assert_int_equal(vote_print_scalar(t, bytes, false, &text, &err), 0);
		r = result_of(vote_type_name(t), 1, buf_str(&text));
		if (encode_result(r, &out, &err) < 0)
			fail_msg("%s: %s", buf_str(&text), err.text);
		assert_memory_equal(out.data, bytes, vote_type_size(t));
	}
}

static void a_value_is_checked_against_its_digest(void **state)
{
	AUTO(doc_unrefp) struct doc *r = result_of("u32", 1, "1");
	AUTO(buf_done) struct buf out = { .max = 100 };
	struct hash_digest d;
	char hex[HASH_HEX];
	struct err err = { 0 };

	(void)state;
	hash_bytes("\1\0\0\0", 4, &d);
	doc_set_str(r, "sha256", hash_hex(&d, hex));
	assert_int_equal(encode_result(r, &out, &err), 0);
	doc_set_str(r, "value", "2");
	assert_int_equal(encode_result(r, &out, &err), ERR_INVALID);
	assert_string_equal(err.text, "result x: value and sha256 of the status do not agree");
}

/* ---- parts ------------------------------------------------------------------------------- */

static void answers_are_judged_by_status_and_range(void **state)
{
	static const struct {
		int status;
		const char *range;
		uint64_t at, size;
		size_t len;
		enum fetch_step step;
	} rows[] = {
		{ 206, "bytes 0-3/10", 0, UINT64_MAX, 4, FETCH_TAKE },
		{ 206, "bytes 8-9/10", 8, 10, 2, FETCH_TAKE },
		{ 416, "bytes */0", 0, UINT64_MAX, 0, FETCH_DONE },
		{ 401, NULL, 4, 10, 0, FETCH_RENEW },
		{ 503, NULL, 4, 10, 0, FETCH_AGAIN },
		{ 500, NULL, 4, 10, 0, FETCH_AGAIN },
		{ 404, NULL, 0, UINT64_MAX, 0, FETCH_GIVE_UP },
		{ 405, NULL, 0, UINT64_MAX, 0, FETCH_GIVE_UP },
		{ 416, "bytes */10", 4, UINT64_MAX, 0, FETCH_GIVE_UP },
		{ 416, NULL, 0, UINT64_MAX, 0, FETCH_GIVE_UP },
		{ 200, NULL, 0, UINT64_MAX, 10, FETCH_GIVE_UP },
		{ 206, NULL, 0, UINT64_MAX, 4, FETCH_GIVE_UP },
		{ 206, "bytes 0-3/11", 0, 10, 4, FETCH_GIVE_UP },  /* another size */
		{ 206, "bytes 4-7/10", 0, 10, 4, FETCH_GIVE_UP },  /* another part */
		{ 206, "bytes 0-3/10", 0, 10, 3, FETCH_GIVE_UP },  /* shorter than it says */
		{ 206, "bytes 8-10/10", 8, 10, 3, FETCH_GIVE_UP }, /* behind the end */
		{ 206, "bytes 3-0/10", 3, 10, 0, FETCH_GIVE_UP },
		{ 206, "bytes */10", 0, 10, 10, FETCH_GIVE_UP },
		{ 206, "bytes 0-3", 0, 10, 4, FETCH_GIVE_UP },
		{ 206, "bytes 0/3-4", 0, 10, 4, FETCH_GIVE_UP },
		{ 206, "lines 0-3/10", 0, 10, 4, FETCH_GIVE_UP },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t size = rows[i].size;
		struct err err = { 0 };
		enum fetch_step step = fetch_judge(rows[i].status, rows[i].range, rows[i].at,
						   rows[i].len, &size, &err);

		if (step != rows[i].step)
			fail_msg("row %zu: %d", i, (int)step);
		assert_int_equal(err.code != 0, step == FETCH_AGAIN || step == FETCH_GIVE_UP);
		if (step == FETCH_TAKE)
			assert_int_equal(size, 10);
	}
}

static void without_an_answer_it_depends_on_why(void **state)
{
	uint64_t size = UINT64_MAX;
	struct err err = { 0 };

	(void)state;
	err_set(&err, ERR_UNAVAILABLE, "refused");
	assert_int_equal(fetch_judge(0, NULL, 0, 0, &size, &err), FETCH_AGAIN);
	err_clear(&err);
	err_set(&err, ERR_TIMEOUT, "lost");
	assert_int_equal(fetch_judge(0, NULL, 0, 0, &size, &err), FETCH_AGAIN);
	err_clear(&err);
	err_set(&err, ERR_DENIED, "certificate");
	assert_int_equal(fetch_judge(0, NULL, 0, 0, &size, &err), FETCH_GIVE_UP);
	assert_string_equal(err.text, "certificate");
}

/* ---- files ------------------------------------------------------------------------------- */

static void a_file_appears_when_it_is_committed(void **state)
{
	char dir[] = "/tmp/kwarp-sink.XXXXXX";
	AUTO(buf_done) struct buf path = { .max = 200 };
	AUTO(buf_done) struct buf got = { .max = 100 };
	struct sink *s = NULL;
	struct hash_digest d;
	struct hash_digest want;
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	buf_note(&path, "%s/out", dir);
	assert_int_equal(sink_open(buf_str(&path), &s, &err), 0);
	assert_int_equal(sink_add(s, "ab", 2, &err), 0);
	sink_free(s);
	assert_int_equal(rmdir(dir), 0); /* nothing is left */
	assert_int_equal(sink_open(buf_str(&path), &s, &err), ERR_NOT_FOUND);
	err_clear(&err);
	assert_int_equal(file_make_dir(dir, &err), 0);
	assert_int_equal(sink_open(buf_str(&path), &s, &err), 0);
	assert_int_equal(sink_add(s, "ab", 2, &err), 0);
	assert_int_equal(sink_add(s, "c", 1, &err), 0);
	sink_digest(s, &d);
	hash_bytes("abc", 3, &want);
	assert_true(hash_equal(&d, &want));
	assert_int_equal(file_read(buf_str(&path), &got, &err), ERR_NOT_FOUND);
	err_clear(&err);
	assert_int_equal(sink_commit(s, &err), 0);
	sink_free(s);
	assert_int_equal(file_read(buf_str(&path), &got, &err), 0);
	assert_string_equal(buf_str(&got), "abc");
	assert_int_equal(unlink(buf_str(&path)), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void what_is_no_file_stays_what_it_is(void **state)
{
	struct sink *s = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(sink_open("/dev/null", &s, &err), 0);
	assert_int_equal(sink_add(s, "ab", 2, &err), 0);
	assert_int_equal(sink_commit(s, &err), 0);
	sink_free(s);
	assert_true(sink_open("/", &s, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_which_result_is_meant_or_why_none),
		cmocka_unit_test(a_value_gives_its_bytes),
		cmocka_unit_test(a_value_that_is_none_is_refused),
		cmocka_unit_test(random_bits_come_back),
		cmocka_unit_test(a_value_is_checked_against_its_digest),
		cmocka_unit_test(answers_are_judged_by_status_and_range),
		cmocka_unit_test(without_an_answer_it_depends_on_why),
		cmocka_unit_test(a_file_appears_when_it_is_committed),
		cmocka_unit_test(what_is_no_file_stays_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
