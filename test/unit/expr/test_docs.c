/* test_docs.c - the examples of docs/expressions.md and docs/predicates.md are true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "expr/expr.h"
#include "expr/predicate.h"

/* The lines of the block ```examples, each cut in two at the first pair of blanks. */
static size_t for_each_example(const char *path, void (*fn)(const char *text, const char *says))
{
	AUTO(buf_done) struct buf file = { .max = 64 * 1024 };
	struct err err = { 0 };
	size_t n = 0;
	char *line;
	char *save = NULL;

	if (file_read(path, &file, &err) < 0)
		fail_msg("%s", err.text);
	line = strstr(file.data, "```examples\n");
	assert_non_null(line);
	for (line = strtok_r(line + 12, "\n", &save); strcmp(line, "```") != 0; n++) {
		char *gap = strstr(line, "  ");

		assert_non_null(gap);
		*gap = '\0';
		fn(line, gap + 1 + strspn(gap + 1, " "));
		line = strtok_r(NULL, "\n", &save);
		assert_non_null(line);
	}
	return n;
}

static int resolve(void *arg, const char *name)
{
	(void)arg;
	if (strcmp(name, "chunk") == 0)
		return 0;
	return strcmp(name, "n") == 0 ? 1 : -1;
}

static int evaluate(const char *text, enum expr_type type, struct expr_value *ret, struct err *err)
{
	static const struct expr_scope scope = { .resolve = resolve,
						 .expected = "chunk or a param" };
	static const struct expr_value values[] = { { .type = EXPR_INT, .i = 5 },
						    { .type = EXPR_INT, .i = 100 } };
	AUTO(expr_freep) struct expr *e = NULL;

	if (expr_compile(text, strlen(text), type, &scope, &e, err) < 0)
		return err->code;
	return expr_eval(e, values, ret, err);
}

static void try_expression(const char *text, const char *says)
{
	struct expr_value i = { 0 };
	struct expr_value f = { 0 };
	struct err err = { 0 };
	char number[NUM_TEXT];
	char got[128];

	if (strncmp(says, "error ", 6) == 0) {
		assert_int_equal(evaluate(text, EXPR_INT, &i, &err), ERR_INVALID);
		if (strncmp(err.text, says + 6, strlen(says + 6)) != 0)
			fail_msg("%s: %s", text, err.text);
		return;
	}
	if (evaluate(text, EXPR_INT, &i, &err) < 0 || evaluate(text, EXPR_FLOAT, &f, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	snprintf(got, sizeof(got), "int %-12lld float %s", (long long)i.i,
		 num_print_f64(f.f, number));
	if (strcmp(got, says) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", text, got, says);
}

static bool has(const void *node, const char *token)
{
	return strcmp(node, token) == 0;
}

static const char *attr(const void *node, const char *key)
{
	return has(node, "gpu") && strcmp(key, "region") == 0 ? "us-east" : NULL;
}

static bool num(const void *node, const char *key, double *ret)
{
	*ret = 24564;
	return has(node, "gpu") && strcmp(key, "memoryMiB") == 0;
}

static void try_predicate(const char *text, const char *says)
{
	static const struct expr_caps caps = { .has = has, .attr = attr, .num = num };
	AUTO(expr_predicate_freep) struct expr_predicate *p = NULL;
	struct err err = { 0 };
	char got[64];

	if (expr_predicate_compile(text, strlen(text), &p, &err) < 0) {
		if (strncmp(says, "error ", 6) != 0 ||
		    strncmp(err.text, says + 6, strlen(says + 6)) != 0)
			fail_msg("%s: %s", text, err.text);
		return;
	}
	snprintf(got, sizeof(got), "gpu %-6s cpu %s",
		 expr_predicate_match(p, &caps, "gpu") ? "yes" : "no",
		 expr_predicate_match(p, &caps, "cpu") ? "yes" : "no");
	if (strcmp(got, says) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", text, got, says);
}

static void examples_of_expressions_hold(void **state)
{
	(void)state;
	assert_true(for_each_example("docs/expressions.md", try_expression) >= 15);
}

static void examples_of_predicates_hold(void **state)
{
	(void)state;
	assert_true(for_each_example("docs/predicates.md", try_predicate) >= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_expressions_hold),
		cmocka_unit_test(examples_of_predicates_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
