/* test_predicate.c - placement predicates and why nodes do not match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "expr/predicate.h"

struct node {
	const char *tokens; /* " gpu vulkan " */
	const char *region; /* NULL: none */
	double memory;      /* 0: none */
};

static bool has(const void *node, const char *token)
{
	const struct node *n = node;
	char text[64];

	snprintf(text, sizeof(text), " %s ", token);
	return strstr(n->tokens, text) != NULL;
}

static const char *attr(const void *node, const char *key)
{
	return strcmp(key, "region") == 0 ? ((const struct node *)node)->region : NULL;
}

static bool num(const void *node, const char *key, double *ret)
{
	const struct node *n = node;

	*ret = n->memory;
	return strcmp(key, "memoryMiB") == 0 && n->memory > 0;
}

static const struct expr_caps caps = { .has = has, .attr = attr, .num = num };

static struct expr_predicate *compile(const char *text)
{
	struct expr_predicate *p = NULL;
	struct err err = { 0 };

	if (expr_predicate_compile(text, strlen(text), &p, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return p;
}

static const struct node big = { " gpu vulkan ", "us-east", 24564 };
static const struct node small = { " cpu ", NULL, 0 };

static void matches_nodes(void **state)
{
	static const struct {
		const char *text;
		bool big;
		bool small;
	} rows[] = {
		{ "", true, true },
		{ "any", true, true },
		{ "not any", false, false },
		{ "has(\"gpu\")", true, false },
		{ "not has(\"gpu\")", false, true },
		{ "!has(\"gpu\")", false, true },
		{ "not not has(\"gpu\")", true, false },
		{ "has(\"gpu\") and attr(\"region\", \"us-east\") and num(\"memoryMiB\") >= 8192",
		  true, false },
		{ "has(\"cpu\") or has(\"gpu\") and has(\"none\")", false, true },
		{ "(has(\"cpu\") or has(\"gpu\")) and not has(\"none\")", true, true },
		{ "has(\"cpu\") || has(\"gpu\") && !has(\"none\")", true, true },
		{ "attr(\"region\",\"eu\")", false, false },
		{ "num(\"memoryMiB\") < 99999", true, false },
		{ "num(\"memoryMiB\") > -1.5e3", true, false },
		{ "num(\"memoryMiB\") == 24564", true, false },
		{ "num(\"memoryMiB\") != 1", true, false },
		{ "num(\"memoryMiB\") <= 24564 and num(\"memoryMiB\") >= 24564", true, false },
		{ "has(\"a\\\"b\\\\\")", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(expr_predicate_freep) struct expr_predicate *p = compile(rows[i].text);

		if (expr_predicate_match(p, &caps, &big) != rows[i].big ||
		    expr_predicate_match(p, &caps, &small) != rows[i].small)
			fail_msg("%s", rows[i].text);
	}
}

static void says_where_a_predicate_is_wrong(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "gpu",
		  "column 1: expected has(...), attr(...), num(...), any, not or '(', got gpu" },
		{ "has(gpu)", "column 5: expected a string in double quotes, got gpu" },
		{ "has(\"gpu\"", "column 10: expected ')', got the end" },
		{ "has \"gpu\"", "column 5: expected '(', got \"gpu\"" },
		{ "attr(\"a\")", "column 9: expected ',', got )" },
		{ "num(\"a\")", "column 9: expected ==, !=, <, <=, > or >=, got the end" },
		{ "num(\"a\") >= x", "column 13: expected a number, got x" },
		{ "num(\"a\") >= 1e999", "column 13: the number does not fit f64" },
		{ "any and", "column 8: expected has(...)" },
		{ "any any", "column 5: expected and, or or the end, got any" },
		{ "(any", "column 5: expected ')', got the end" },
		{ "has(\"a\\n\")", "column 7: unknown escape" },
		{ "has(\"a)", "column 5: the string does not end" },
		{ "any = any", "column 5: unexpected character '='" },
		{ "any & any", "column 5: expected and, or or the end, got &" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct expr_predicate *p = NULL;
		AUTO(mem_freep) char *copy = mem_dup(rows[i].text, strlen(rows[i].text));
		struct err err = { 0 };

		assert_int_equal(expr_predicate_compile(copy, strlen(rows[i].text), &p, &err),
				 ERR_INVALID);
		assert_null(p);
		if (strncmp(err.text, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("%s: %s", rows[i].text, err.text);
	}
}

static void bounds_length_and_depth(void **state)
{
	char text[EXPR_MAX_PREDICATE + 2];
	struct expr_predicate *p = NULL;
	struct err err = { 0 };

	(void)state;
	memset(text, '(', sizeof(text));
	assert_int_equal(expr_predicate_compile(text, sizeof(text), &p, &err), ERR_INVALID);
	assert_non_null(strstr(err.text, "at most 4096"));
	err_clear(&err);
	assert_int_equal(expr_predicate_compile(text, 4000, &p, &err), ERR_INVALID);
	assert_non_null(strstr(err.text, "nested deeper than 64"));
	err_clear(&err);
	memset(text, '!', 4000);
	memcpy(text + 4000, "any", 3);
	assert_int_equal(expr_predicate_compile(text, 4003, &p, &err), 0);
	assert_true(expr_predicate_match(p, &caps, &small));
	expr_predicate_free(p);
}

static void explains_each_test(void **state)
{
	static const struct {
		const char *text;
		const struct node *node;
		const char *want;
	} rows[] = {
		{ "has(\"vulkan\")", &small, "0/1 nodes: 1 lacks vulkan" },
		{ "not has(\"gpu\")", &big, "0/1 nodes: 1 has gpu" },
		{ "attr(\"region\",\"eu\")", &big, "0/1 nodes: 1 has region!=eu" },
		{ "attr(\"region\",\"eu\")", &small, "0/1 nodes: 1 has no region" },
		{ "not attr(\"region\",\"us-east\")", &big, "0/1 nodes: 1 has region=us-east" },
		{ "num(\"memoryMiB\") >= 30000", &big, "0/1 nodes: 1 has memoryMiB<30000" },
		{ "num(\"memoryMiB\") == -5", &big, "0/1 nodes: 1 has memoryMiB!=-5" },
		{ "num(\"memoryMiB\") >= 30000", &small, "0/1 nodes: 1 has no memoryMiB" },
		{ "not num(\"memoryMiB\") >= 8", &big, "0/1 nodes: 1 has memoryMiB>=8" },
		{ "has(\"gpu\") and has(\"x\") and has(\"y\")", &big, "0/1 nodes: 1 lacks x" },
		{ "has(\"x\") or has(\"y\")", &big, "0/1 nodes: 1 lacks x and lacks y" },
		{ "not (has(\"gpu\") and has(\"vulkan\"))", &big,
		  "0/1 nodes: 1 has gpu and has vulkan" },
		{ "not (has(\"cpu\") or has(\"gpu\"))", &big, "0/1 nodes: 1 has gpu" },
		{ "not any", &big, "0/1 nodes: 1 is excluded" },
		{ "any", &big, "1/1 nodes" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(expr_predicate_freep) struct expr_predicate *p = compile(rows[i].text);
		AUTO(expr_tally_done) struct expr_tally t = { 0 };
		AUTO(buf_done) struct buf why = { .max = 200 };

		expr_tally_match(&t, p, &caps, rows[i].node);
		expr_tally_print(&t, &why);
		assert_string_equal(buf_str(&why), rows[i].want);
	}
}

static void counts_reasons_over_nodes(void **state)
{
	AUTO(expr_predicate_freep)
	struct expr_predicate *p = compile("has(\"vulkan\") and attr(\"region\", \"us-east\")");
	AUTO(expr_tally_done) struct expr_tally t = { 0 };
	AUTO(buf_done) struct buf why = { .max = 200 };
	static const struct node west = { " vulkan ", "us-west", 0 };

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_false(expr_tally_match(&t, p, &caps, &west));
	for (int i = 0; i < 7; i++)
		assert_false(expr_tally_match(&t, p, &caps, &small));
	expr_tally_print(&t, &why);
	assert_string_equal(buf_str(&why), "0/12 nodes: 7 lack vulkan, 5 have region!=us-east");
	buf_reset(&why);
	assert_true(expr_tally_match(&t, p, &caps, &big));
	expr_tally_note(&t, "is paused", "are paused");
	expr_tally_print(&t, &why);
	assert_string_equal(buf_str(&why),
			    "1/14 nodes: 7 lack vulkan, 5 have region!=us-east, 1 is paused");
}

static void keeps_a_bounded_number_of_reasons(void **state)
{
	AUTO(expr_tally_done) struct expr_tally t = { 0 };
	AUTO(buf_done) struct buf why = { .max = 60 };
	char text[32];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "reason %d", i);
		expr_tally_note(&t, text, text);
	}
	assert_int_equal(t.n_reasons, EXPR_MAX_REASONS);
	assert_int_equal(t.other, 100 - EXPR_MAX_REASONS);
	expr_tally_print(&t, &why);
	assert_int_equal(why.len, 60);
	assert_string_equal(buf_str(&why) + 57, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_nodes),
		cmocka_unit_test(says_where_a_predicate_is_wrong),
		cmocka_unit_test(bounds_length_and_depth),
		cmocka_unit_test(explains_each_test),
		cmocka_unit_test(counts_reasons_over_nodes),
		cmocka_unit_test(keeps_a_bounded_number_of_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
