/* test_expr.c - expressions and params. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "expr/expr.h"
#include "expr/params.h"

/* chunk = 5, n = 100, f = 2.75 (a float), o.x[1] = -3 */
static int resolve(void *arg, const char *name)
{
	static const char *const names[] = { "chunk", "n", "f", "o.x[1]" };

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

static const struct expr_scope scope = { .resolve = resolve, .expected = "chunk or a param" };

static const struct expr_value values[] = {
	{ .type = EXPR_INT, .i = 5 },
	{ .type = EXPR_INT, .i = 100 },
	{ .type = EXPR_FLOAT, .f = 2.75 },
	{ .type = EXPR_INT, .i = -3 },
};

static int evaluate(const char *text, enum expr_type type, struct expr_value *ret, struct err *err)
{
	AUTO(expr_freep) struct expr *e = NULL;
	/* Without a NUL behind it, so that a sanitizer sees reading too far. */
	AUTO(mem_freep) char *copy = mem_dup(text, strlen(text));

	if (expr_compile(copy, strlen(text), type, &scope, &e, err) < 0)
		return err->code;
	return expr_eval(e, values, ret, err);
}

static void evaluates_integers(void **state)
{
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = {
		{ "1", 1 },
		{ " 1 + 2 * 3 ", 7 },
		{ "(1 + 2) * 3", 9 },
		{ "10 - 4 - 3", 3 },
		{ "chunk * 16777216", 83886080 },
		{ "n / 3", 33 },
		{ "-n / 3", -33 },
		{ "-7 / 2", -3 },
		{ "-7 % 3", -1 },
		{ "7 % -3", 1 },
		{ "7 / 0", 0 },
		{ "7 % 0", 0 },
		{ "2.9", 2 },
		{ "-2.9", -2 },
		{ "2.9 + 2.9", 4 },
		{ "1e3", 1000 },
		{ ".5e1", 5 },
		{ "f", 2 },
		{ "f * 2", 4 },
		{ "o.x[1]", -3 },
		{ "abs(o.x[1])", 3 },
		{ "min(3, 2) + max(3, 2)", 5 },
		{ "min(1, max(2, abs(-3)))", 1 },
		{ "1 < 2", 1 },
		{ "2 <= 1", 0 },
		{ "1 == 1", 1 },
		{ "1 != 1", 0 },
		{ "chunk > 4 & n == 100", 1 },
		{ "0 | 7", 1 },
		{ "3 & 4", 1 },
		{ "1 | 0 & 0", 0 }, /* same level, left to right */
		{ "0 & 1 | 1", 1 },
		{ "1 + 1 == 2", 1 },
		{ "chunk == 5 ? 10 : 20", 10 },
		{ "0 ? 1 : 0 ? 2 : 3", 3 },
		{ "1 ? 0 ? 1 : 2 : 3", 2 },
		{ "0 | 1 ? 4 : 5", 4 },
		{ "(1 ? 2 : 3) * 4", 8 },
		{ "- - 5", 5 },
		{ "--5", 5 },
		{ "2 - -2", 4 },
		{ "-(3)", -3 },
		{ "-chunk", -5 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "-9223372036854775807 - 1", INT64_MIN },
		{ "-9223372036854775808 % -1", 0 },
		{ "1 ? 2 : 9223372036854775807 + 1", 2 }, /* not evaluated */
		{ "0 & 9223372036854775807 + 1", 0 },
		{ "1 | 9223372036854775807 + 1", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct expr_value v = { 0 };
		struct err err = { 0 };

		if (evaluate(rows[i].text, EXPR_INT, &v, &err) < 0)
			fail_msg("%s: %s", rows[i].text, err.text);
		if (v.i != rows[i].want || v.type != EXPR_INT)
			fail_msg("%s: %lld", rows[i].text, (long long)v.i);
	}
}

static void evaluates_floats(void **state)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {
		{ "1 / 4", 0.25 },
		{ "7 % 2.5", 2 },
		{ "-7 % 2.5", -2 },
		{ "1 / 0", 0 },
		{ "1 % 0", 0 },
		{ "chunk / 2", 2.5 },
		{ "f + 0.25", 3 },
		{ "1e-3", 0.001 },
		{ "min(f, 2.5)", 2.5 },
		{ "abs(-f)", 2.75 },
		{ "f > 2 ? 0.5 : 1", 0.5 },
		{ "1.5 < 1.6", 1 },
		{ "0.1 + 0.2", 0.1 + 0.2 },
		{ "0.5 & 0.5", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct expr_value v = { 0 };
		struct err err = { 0 };

		if (evaluate(rows[i].text, EXPR_FLOAT, &v, &err) < 0)
			fail_msg("%s: %s", rows[i].text, err.text);
		if (v.f != rows[i].want || v.type != EXPR_FLOAT)
			fail_msg("%s: %g", rows[i].text, v.f);
	}
}

static void says_where_and_what_was_expected(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "column 1: expected an expression, got the end" },
		{ "  ", "column 3: expected an expression, got the end" },
		{ "1 +", "column 4: expected a number, a name, '-' or '(', got the end" },
		{ "1 + * 2", "column 5: expected a number, a name, '-' or '(', got *" },
		{ "(1", "column 3: expected ')', got the end" },
		{ "1)", "column 2: expected an operator or the end, got )" },
		{ "1 2", "column 3: expected an operator or the end, got 2" },
		{ "foo + 1", "column 1: unknown name foo, expected chunk or a param" },
		{ "1 + x", "column 5: unknown name x, expected chunk or a param" },
		{ "o.x[2]", "column 1: unknown name o.x[2], expected" },
		{ "pow(2, 3)", "column 1: unknown function pow, expected min, max or abs" },
		{ "min(2)", "column 6: expected ',', got )" },
		{ "abs(2, 3)", "column 6: expected ')', got ," },
		{ "1 < 2 < 3", "column 7: comparisons cannot be chained" },
		{ "1 ? 2", "column 6: expected ':', got the end" },
		{ "1 && 2", "column 3: expected a single '&', got &&" },
		{ "1 || 2", "column 3: expected a single '|', got ||" },
		{ "1 = 2", "column 3: unexpected character '='" },
		{ "1 $ 2", "column 3: unexpected character '$'" },
		{ "1 \xc3\xa4", "column 3: unexpected character 0xc3" },
		{ "!1", "column 1: expected a number, a name, '-' or '(', got !" },
		{ "\"a\"", "column 1: expected a number" },
		{ "\"a", "column 1: the string does not end" },
		{ "1.2.3", "column 4: expected an operator or the end, got .3" },
		{ "0x10", "column 2: expected an operator or the end, got x10" },
		{ "9223372036854775808", "column 1: the number does not fit 64 bits" },
		{ "1e19", "column 1: the number does not fit 64 bits" },
		{ "9223372036854775807 + 1", "column 21: overflow" },
		{ "2 - -9223372036854775808", "column 3: overflow" },
		{ "n * 9223372036854775807", "column 3: overflow" },
		{ "- -9223372036854775808", "column 1: overflow" },
		{ "abs(-9223372036854775808)", "column 1: overflow" },
		{ "-9223372036854775808 / -1", "column 22: overflow" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct expr_value v = { 0 };
		struct err err = { 0 };

		if (evaluate(rows[i].text, EXPR_INT, &v, &err) != ERR_INVALID)
			fail_msg("%s: %lld, %s", rows[i].text, (long long)v.i, err.text);
		if (strncmp(err.text, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("%s: %s", rows[i].text, err.text);
	}
}

static void refuses_floats_that_overflow(void **state)
{
	static const char *const rows[] = { "1e308 * 10", "1e400", "1e308 + 1e308",
					    "-1e308 - 1e308", "1e308 / 1e-10" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct expr_value v = { 0 };
		struct err err = { 0 };

		assert_int_equal(evaluate(rows[i], EXPR_FLOAT, &v, &err), ERR_INVALID);
	}
}

static void bounds_length_and_depth(void **state)
{
	char text[EXPR_MAX_TEXT + 2];
	struct expr_value v = { 0 };

	(void)state;
	for (int pass = 0; pass < 4; pass++) {
		struct err err = { 0 };
		static const char openers[] = "(-";

		memset(text, pass < 2 ? openers[pass] : ' ', sizeof(text));
		text[EXPR_MAX_TEXT + (pass == 2)] = '\0';
		if (pass == 3)
			for (size_t i = 0; i + 4 < EXPR_MAX_TEXT; i += 4)
				memcpy(text + i, "1?1:", 4);
		assert_int_equal(evaluate(text, EXPR_INT, &v, &err), ERR_INVALID);
		assert_non_null(strstr(err.text, pass == 2 ? "at most 4096" : "nested deeper"));
	}
}

static void takes_long_flat_expressions(void **state)
{
	char text[EXPR_MAX_TEXT + 1] = "1";
	struct expr_value v = { 0 };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 1; i + 2 <= EXPR_MAX_TEXT; i += 2)
		memcpy(text + i, "+1", 3);
	assert_int_equal(evaluate(text, EXPR_INT, &v, &err), 0);
	assert_int_equal(v.i, 2048);
}

static void takes_the_deepest_nesting(void **state)
{
	char text[EXPR_MAX_TEXT] = "";
	struct expr_value v = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < EXPR_MAX_DEPTH - 1; i++)
		strncat(text, "0|1==1+1*(", sizeof(text) - strlen(text) - 1);
	strncat(text, "2", 2);
	for (int i = 0; i < EXPR_MAX_DEPTH - 1; i++)
		strncat(text, ")", 2);
	assert_int_equal(evaluate(text, EXPR_INT, &v, &err), 0);
}

static void lists_the_names_in_use(void **state)
{
	AUTO(expr_freep) struct expr *e = NULL;
	struct err err = { 0 };
	int64_t v;

	(void)state;
	assert_int_equal(expr_compile("n + chunk + n", 13, EXPR_INT, &scope, &e, &err), 0);
	assert_int_equal(expr_slot_count(e), 2);
	assert_int_equal(expr_slot_at(e, 0), 1);
	assert_int_equal(expr_slot_at(e, 1), 0);
	assert_false(expr_is_constant(e));
	assert_int_equal(expr_eval_int(e, values, 0, 205, &v, &err), 0);
	assert_int_equal(v, 205);
	assert_int_equal(expr_eval_int(e, values, 1, 204, &v, &err), ERR_INVALID);
	assert_string_equal(err.text, "205 is not within 1 to 204");
}

static void add(struct expr_params *p, const char *name, const char *text, enum expr_type type)
{
	struct err err = { 0 };

	if (expr_params_add(p, name, text, text != NULL ? strlen(text) : 0, type, &err) < 0)
		fail_msg("%s: %s", name, err.text);
}

static void evaluates_params_that_use_each_other(void **state)
{
	AUTO(expr_params_freep)
	struct expr_params *p = expr_params_new(EXPR_VAR_CHUNK | EXPR_VAR_RANGE);
	AUTO(expr_freep) struct expr *invocations = NULL;
	AUTO(mem_freep) struct expr_value *v = NULL;
	struct expr_vars vars = { .chunk = 3, .lo = 10, .hi = 20 };
	struct err err = { 0 };
	int64_t n;

	(void)state;
	add(p, "d", "c + 1", EXPR_INT);
	add(p, "c", "b.x[0] * 2", EXPR_INT);
	add(p, "b.x[0]", "chunk + hi - lo", EXPR_INT);
	add(p, "ratio", "c / 4", EXPR_FLOAT);
	add(p, "given", NULL, EXPR_INT);
	assert_int_equal(expr_params_link(p, &err), 0);
	v = NEW_ARRAY(struct expr_value, expr_params_slots(p));
	v[expr_params_slot(p, 4)] = (struct expr_value){ .type = EXPR_INT, .i = 7 };
	assert_int_equal(expr_params_eval(p, &vars, v, &err), 0);
	assert_int_equal(v[expr_params_slot(p, 0)].i, 27);
	assert_true(v[expr_params_slot(p, 3)].f == 6.5);
	assert_int_equal(expr_compile("d * given + ratio", 17, EXPR_INT, expr_params_scope(p),
				      &invocations, &err),
			 0);
	assert_int_equal(expr_eval_int(invocations, v, 0, 1000, &n, &err), 0);
	assert_int_equal(n, 27 * 7 + 6);
}

static void names_the_cycle(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		const char *c;
		const char *want;
	} rows[] = {
		{ "b", "c", "a", "param a: cycle a -> b -> c -> a" },
		{ "a + 1", "1", "1", "param a: cycle a -> a" },
		{ "b", "c", "b", "param b: cycle b -> c -> b" },
		{ "1", "d", "1", "param b: column 1: unknown name d, expected chunk or a param" },
		{ "lo", "1", "1", "param a: column 1: unknown name lo" },
		{ "", "1", "1", "param a: column 1: expected an expression" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(expr_params_freep) struct expr_params *p = expr_params_new(EXPR_VAR_CHUNK);
		struct err err = { 0 };

		add(p, "a", rows[i].a, EXPR_INT);
		add(p, "b", rows[i].b, EXPR_INT);
		add(p, "c", rows[i].c, EXPR_INT);
		assert_int_equal(expr_params_link(p, &err), ERR_INVALID);
		if (strncmp(err.text, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("%s", err.text);
	}
}

static void refuses_names_that_are_taken_or_no_names(void **state)
{
	static const struct {
		const char *name;
		int code;
	} rows[] = {
		{ "chunk", ERR_EXISTS }, { "a", ERR_EXISTS },     { "lo", 0 },
		{ "1a", ERR_INVALID },   { "a b", ERR_INVALID },  { "", ERR_INVALID },
		{ "a.", ERR_INVALID },   { "a[x]", ERR_INVALID }, { "m[2][0].y", 0 },
		{ "a-b", ERR_INVALID },
	};
	AUTO(expr_params_freep) struct expr_params *p = expr_params_new(EXPR_VAR_CHUNK);

	(void)state;
	add(p, "a", "1", EXPR_INT);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };

		assert_int_equal(expr_params_add(p, rows[i].name, "1", 1, EXPR_INT, &err),
				 rows[i].code);
	}
}

static void says_which_param_overflowed(void **state)
{
	AUTO(expr_params_freep) struct expr_params *p = expr_params_new(EXPR_VAR_CHUNK);
	struct expr_value v[8] = { { 0 } };
	struct err err = { 0 };

	(void)state;
	add(p, "big", "chunk * 9223372036854775807", EXPR_INT);
	assert_int_equal(expr_params_link(p, &err), 0);
	assert_int_equal(expr_params_eval(p, &(struct expr_vars){ .chunk = 1 }, v, &err), 0);
	assert_int_equal(expr_params_eval(p, &(struct expr_vars){ .chunk = 2 }, v, &err),
			 ERR_INVALID);
	assert_string_equal(err.text, "param big: column 7: overflow");
}

static void orders_a_long_chain_without_recursion(void **state)
{
	AUTO(expr_params_freep) struct expr_params *p = expr_params_new(EXPR_VAR_CHUNK);
	AUTO(mem_freep) struct expr_value *v = NULL;
	struct err err = { 0 };
	char name[32];
	char text[32];
	enum { CHAIN = EXPR_MAX_PARAMS };

	(void)state;
	for (int i = 0; i < CHAIN; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		snprintf(text, sizeof(text), "p%d + 1", i + 1);
		add(p, name, i + 1 < CHAIN ? text : "chunk", EXPR_INT);
	}
	assert_int_equal(expr_params_add(p, "more", "1", 1, EXPR_INT, &err), ERR_TOO_BIG);
	err_clear(&err);
	assert_int_equal(expr_params_link(p, &err), 0);
	v = NEW_ARRAY(struct expr_value, expr_params_slots(p));
	assert_int_equal(expr_params_eval(p, &(struct expr_vars){ 0 }, v, &err), 0);
	assert_int_equal(v[expr_params_slot(p, 0)].i, CHAIN - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evaluates_integers),
		cmocka_unit_test(evaluates_floats),
		cmocka_unit_test(says_where_and_what_was_expected),
		cmocka_unit_test(refuses_floats_that_overflow),
		cmocka_unit_test(bounds_length_and_depth),
		cmocka_unit_test(takes_long_flat_expressions),
		cmocka_unit_test(takes_the_deepest_nesting),
		cmocka_unit_test(lists_the_names_in_use),
		cmocka_unit_test(evaluates_params_that_use_each_other),
		cmocka_unit_test(names_the_cycle),
		cmocka_unit_test(refuses_names_that_are_taken_or_no_names),
		cmocka_unit_test(says_which_param_overflowed),
		cmocka_unit_test(orders_a_long_chain_without_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
