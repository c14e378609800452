/* test_doc.c - looking inside, building, comparing, patches, conditions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

static struct doc *json(const char *text)
{
	struct err err = { 0 };
	struct doc *d = NULL;

	if (doc_parse_json(text, strlen(text), NULL, &d, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return d;
}

static void assert_json(const struct doc *d, const char *text)
{
	AUTO(mem_freep) char *got = doc_print_text(d, DOC_SORTED);

	assert_string_equal(got, text);
}

static const char sample[] = "{\"spec\":{\"n\":7,\"list\":[{\"type\":\"A\"},{\"type\":\"B\",\"r\":"
			     "1.5}],\"nul\":\"a\\u0000b\"},"
			     "\"labels\":{\"kwarp.dev/job\":\"pi\"},\"no\":null,\"yes\":true}";

static void finds_values_by_path(void **state)
{
	AUTO(doc_unrefp) struct doc *d = json(sample);
	size_t len = 0;

	(void)state;
	assert_int_equal(doc_int(d, "spec.n", 0), 7);
	assert_string_equal(doc_str(d, "spec.list[1].type", ""), "B");
	assert_string_equal(doc_str(d, "labels['kwarp.dev/job']", ""), "pi");
	assert_string_equal(doc_str(d, "labels[\"kwarp.dev/job\"]", ""), "pi");
	assert_true(doc_real(d, "spec.list[1].r", 0) == 1.5);
	assert_true(doc_real(d, "spec.n", 0) == 7);
	assert_true(doc_bool(d, "yes", false));
	assert_ptr_equal(doc_get(d, ""), d);
	assert_null(doc_get(d, "spec.list[2]"));
	assert_null(doc_get(d, "spec.list[x]"));
	assert_null(doc_get(d, "spec.n.m"));
	assert_null(doc_get(d, "spec..n"));
	assert_null(doc_get(NULL, "a"));
	assert_true(doc_get(d, "no") != NULL);
	assert_false(doc_has(d, "no"));
	assert_string_equal(doc_str(d, "spec.nul", "other"), "other");
	assert_memory_equal(doc_bytes(d, "spec.nul", &len), "a\0b", 3);
	assert_int_equal(len, 3);
}

static void says_what_was_expected_where(void **state)
{
	AUTO(doc_unrefp) struct doc *d = json(sample);
	struct err err = { 0 };
	const struct doc *v;
	const char *s;
	int64_t n = 5;

	(void)state;
	assert_int_equal(doc_read_int(d, "spec.n", 1, 6, &n, &err), ERR_INVALID);
	assert_string_equal(err.text, "spec.n: 7 is not within 1 to 6");
	err_clear(&err);
	assert_int_equal(doc_read_str(d, "spec.n", 9, &s, &err), ERR_INVALID);
	assert_string_equal(err.text, "spec.n: expected a string, got an integer");
	err_clear(&err);
	assert_int_equal(doc_read_str(d, "spec.m", 9, &s, &err), ERR_NOT_FOUND);
	assert_string_equal(err.text, "spec.m: missing, expected a string");
	err_clear(&err);
	assert_int_equal(doc_read_str(d, "labels['kwarp.dev/job']", 1, &s, &err), ERR_TOO_BIG);
	err_clear(&err);
	assert_int_equal(doc_read_str(d, "spec.nul", 9, &s, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(doc_read_list(d, "spec.list", 1, &v, &err), ERR_TOO_BIG);
	assert_string_equal(err.text, "spec.list: 2 entries, at most 1");
	err_clear(&err);
	assert_int_equal(doc_opt_int(d, "no", 1, 6, &n, &err), 0);
	assert_int_equal(doc_opt_int(d, "missing", 1, 6, &n, &err), 0);
	assert_int_equal(n, 5);
	assert_int_equal(doc_opt_int(d, "yes", 1, 6, &n, &err), ERR_INVALID);
}

static void builds_and_changes_values(void **state)
{
	AUTO(doc_unrefp) struct doc *d = doc_new_map();

	(void)state;
	doc_set_path(d, "spec.a.b", doc_new_int(1));
	doc_set_path(d, "spec.a.c", doc_new_strf("%d-%s", 5, "x"));
	doc_set_path(d, "spec.a.b.d", doc_new_real(2));
	doc_set(d, "list", doc_new_list());
	doc_add_str(doc_edit(d, "list"), "x");
	doc_add(doc_edit(d, "list"), doc_new_null());
	doc_set_str(d, "none", NULL);
	assert_json(d,
		    "{\"list\":[\"x\",null],\"spec\":{\"a\":{\"b\":{\"d\":2.0},\"c\":\"5-x\"}}}");
	assert_true(doc_remove(doc_edit(d, "spec.a"), "b"));
	assert_false(doc_remove(doc_edit(d, "spec.a"), "b"));
	assert_true(doc_remove_at(doc_edit(d, "list"), 0));
	assert_json(d, "{\"list\":[null],\"spec\":{\"a\":{\"c\":\"5-x\"}}}");
}

static void repairs_text_that_is_not_utf8(void **state)
{
	AUTO(doc_unrefp) struct doc *d = doc_new_str("a\xff\xc3\xa4\xe2\x82z\xed\xa0\x80");
	AUTO(doc_unrefp) struct doc *nul = doc_new_strn("a\0b", 3);

	(void)state;
	assert_json(d, "\"a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbdz"
		       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	assert_json(nul, "\"a\\u0000b\"");
}

static void finds_members_of_large_maps(void **state)
{
	AUTO(doc_unrefp) struct doc *d = doc_new_map();
	char key[32];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		doc_set_int(d, key, i);
	}
	for (int i = 0; i < 1000; i += 2) {
		snprintf(key, sizeof(key), "key-%d", i);
		assert_true(doc_remove(d, key));
	}
	doc_set_int(d, "key-501", -1);
	assert_int_equal(doc_count(d), 500);
	assert_int_equal(doc_int(d, "key-999", 0), 999);
	assert_int_equal(doc_int(d, "key-501", 0), -1);
	assert_null(doc_member(d, "key-500"));
}

static void shares_frozen_values(void **state)
{
	AUTO(doc_unrefp) struct doc *d = doc_freeze(json(sample));
	AUTO(doc_unrefp) struct doc *other = doc_new_map();
	AUTO(doc_unrefp) struct doc *copy = NULL;

	(void)state;
	doc_set(other, "spec", doc_ref(doc_get(d, "spec")));
	assert_true(doc_is_frozen(doc_get(other, "spec.list[0]")));
	assert_false(doc_is_frozen(other));
	copy = doc_copy(d);
	assert_true(doc_equal(copy, d));
	assert_false(doc_is_frozen(doc_get(copy, "spec")));
	doc_set_int(doc_edit(copy, "spec"), "n", 8);
	assert_false(doc_equal(copy, d));
	assert_int_equal(doc_int(d, "spec.n", 0), 7);
}

static void compares_without_regard_to_member_order(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		bool equal;
	} rows[] = {
		{ "{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2],\"a\":1}", true },
		{ "[1,2]", "[2,1]", false },
		{ "1", "1.0", false },
		{ "{\"a\":null}", "{}", false },
		{ "{\"a\":null}", "{\"b\":null}", false },
		{ "\"a\"", "\"ab\"", false },
		{ "true", "false", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp) struct doc *a = json(rows[i].a);
		AUTO(doc_unrefp) struct doc *b = json(rows[i].b);

		assert_int_equal(doc_equal(a, b), rows[i].equal);
	}
	assert_true(doc_equal(NULL, NULL));
}

/* The table of RFC 7386, appendix A. */
static void applies_merge_patches(void **state)
{
	static const struct {
		const char *target;
		const char *patch;
		const char *result;
	} rows[] = {
		{ "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
		{ "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
		{ "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
		{ "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
		  "{\"a\":{\"b\":\"d\"}}" },
		{ "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
		{ "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
		{ "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
		{ "{\"a\":\"foo\"}", "null", "null" },
		{ "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
		{ "{\"e\":null}", "{\"a\":1}", "{\"a\":1,\"e\":null}" },
		{ "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
		{ "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp) struct doc *target = json(rows[i].target);
		AUTO(doc_unrefp) struct doc *patch = json(rows[i].patch);
		AUTO(doc_unrefp) struct doc *result = doc_merge_patch(target, patch);

		assert_json(result, rows[i].result);
	}
}

static void finds_the_patch_between_two_maps(void **state)
{
	static const char *const rows[][3] = {
		{ "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}", "{\"a\":1,\"b\":{\"c\":4},\"e\":{}}",
		  "{\"b\":{\"c\":4,\"d\":null},\"e\":{}}" },
		{ "{\"a\":[1]}", "{\"a\":[1]}", "{}" },
		{ "{\"a\":{\"b\":1}}", "{\"a\":{}}", "{\"a\":{\"b\":null}}" },
		{ "{\"a\":1}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp) struct doc *from = json(rows[i][0]);
		AUTO(doc_unrefp) struct doc *to = json(rows[i][1]);
		AUTO(doc_unrefp) struct doc *patch = doc_merge_diff(from, to);
		AUTO(doc_unrefp) struct doc *back = doc_merge_patch(from, patch);

		assert_json(patch, rows[i][2]);
		assert_true(doc_equal(back, to));
	}
}

static void keeps_the_transition_time_while_the_status_stays(void **state)
{
	AUTO(doc_unrefp) struct doc *list = doc_new_list();
	struct doc_condition c = { .type = "Complete",
				   .status = "False",
				   .reason = "Running",
				   .message = "3 of 9",
				   .observed_generation = 1,
				   .now_ms = 0 };

	(void)state;
	assert_true(doc_condition_set(list, &c));
	assert_false(doc_condition_set(list, &c));
	c.now_ms = 5000;
	c.message = "4 of 9";
	assert_true(doc_condition_set(list, &c));
	assert_string_equal(doc_str(list, "[0].lastTransitionTime", ""), "1970-01-01T00:00:00Z");
	assert_false(doc_condition_true(list, "Complete"));
	c.status = "True";
	assert_true(doc_condition_set(list, &c));
	assert_string_equal(doc_str(list, "[0].lastTransitionTime", ""), "1970-01-01T00:00:05Z");
	assert_true(doc_condition_true(list, "Complete"));
	assert_int_equal(doc_count(list), 1);
	assert_false(doc_condition_true(list, "Failed"));
}

static void cuts_long_messages_between_characters(void **state)
{
	AUTO(doc_unrefp) struct doc *list = doc_new_list();
	char text[3001] = { 0 };
	struct doc_condition c = { .type = "A", .status = "True", .reason = "B", .message = text };

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	assert_true(doc_condition_set(list, &c));
	assert_int_equal(strlen(doc_str(list, "[0].message", "")), 1023);
}

static void prints_for_people_and_counts_bytes(void **state)
{
	AUTO(doc_unrefp) struct doc *d = json("{\"b\":[1,{}],\"a\":\"\\u0001\\n\\\"\",\"c\":[]}");
	AUTO(mem_freep) char *pretty = doc_print_text(d, DOC_PRETTY);
	AUTO(mem_freep) char *compact = doc_print_text(d, DOC_COMPACT);
	AUTO(buf_done) struct buf small = { .max = 10 };
	struct err err = { 0 };

	(void)state;
	assert_string_equal(pretty, "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": "
				    "\"\\u0001\\n\\\"\",\n  \"c\": []\n}");
	assert_string_equal(compact, "{\"b\":[1,{}],\"a\":\"\\u0001\\n\\\"\",\"c\":[]}");
	assert_int_equal(doc_size(d), strlen(compact));
	assert_int_equal(doc_print(d, DOC_COMPACT, &small, &err), ERR_TOO_BIG);
	assert_int_equal(small.len, 0);
}

static void shares_the_words_of_the_api_as_keys(void **state)
{
	static const char *const shared[] = { "acceptedIndexes", "metadata", "waiting", "kind" };
	static const char *const own[] = { "", "a", "metadat", "metadata2", "zzz" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		char *a = doc_key_new(shared[i], strlen(shared[i]));
		char *b = doc_key_new(shared[i], strlen(shared[i]));

		assert_string_equal(a, shared[i]);
		assert_ptr_equal(a, b);
		doc_key_free(a);
	}
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		char *a = doc_key_new(own[i], strlen(own[i]));
		char *b = doc_key_new(own[i], strlen(own[i]));

		assert_string_equal(a, own[i]);
		assert_ptr_not_equal(a, b);
		doc_key_free(a);
		doc_key_free(b);
	}
}

static void walks_lists_and_maps(void **state)
{
	AUTO(doc_unrefp) struct doc *d = json("{\"a\":1,\"b\":2}");
	int64_t sum = 0;

	(void)state;
	DOC_EACH(d, v)
	{
		sum += doc_int(v, "", 0);
	}
	DOC_EACH_MEMBER(d, m)
	{
		sum += (m.key[0] - 'a' + 1) * 10 * doc_int(m.value, "", 0);
	}
	DOC_EACH(NULL, v)
	{
		sum += doc_int(v, "", 1000);
	}
	assert_int_equal(sum, 3 + 10 + 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_values_by_path),
		cmocka_unit_test(says_what_was_expected_where),
		cmocka_unit_test(builds_and_changes_values),
		cmocka_unit_test(repairs_text_that_is_not_utf8),
		cmocka_unit_test(finds_members_of_large_maps),
		cmocka_unit_test(shares_frozen_values),
		cmocka_unit_test(compares_without_regard_to_member_order),
		cmocka_unit_test(applies_merge_patches),
		cmocka_unit_test(finds_the_patch_between_two_maps),
		cmocka_unit_test(keeps_the_transition_time_while_the_status_stays),
		cmocka_unit_test(cuts_long_messages_between_characters),
		cmocka_unit_test(prints_for_people_and_counts_bytes),
		cmocka_unit_test(shares_the_words_of_the_api_as_keys),
		cmocka_unit_test(walks_lists_and_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
