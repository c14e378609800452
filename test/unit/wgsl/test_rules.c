/*
 * test_rules.c - the rules of rules/ (one text a line): each is accepted or refused as it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "compile.h"

static const char *const files[] = { "text",      "types",       "variables",
				     "constants", "expressions", "statements",
				     "functions", "builtins",    "subgroups" };

/* \n, \r, \f, \xNN */
static void unescape(const char *s, size_t len, struct buf *out)
{
	struct err err = { 0 };

	for (size_t i = 0; i < len; i++) {
		uint64_t byte = (unsigned char)s[i];

		if (s[i] == '\\' && i + 1 < len) {
			i++;
			byte = s[i] == 'n' ? '\n' : s[i] == 'r' ? '\r' : s[i] == 'f' ? '\f' : 0;
			if (s[i] == 'x') {
				assert_int_equal(num_parse_base(s + i + 1, 2, 16, 255, &byte, &err),
						 0);
				i += 2;
			}
		}
		buf_note(out, "%c", (int)byte);
	}
}

static bool check_rule(const char *file, const char *line, size_t len)
{
	AUTO(buf_done) struct buf text = { .max = 65536 };
	AUTO(compiled_done) struct compiled c;
	bool accept = line[1] == '+';

	unescape(line + 3, len - 3, &text);
	if (line[0] == 'm') {
		if (strstr(buf_str(&text), "@compute") == NULL)
			buf_note(&text, "\n@compute @workgroup_size(1) fn main_() {}");
		compile(&c, buf_str(&text));
	} else if (line[0] == 's') {
		compile_subgroup_body(&c, buf_str(&text));
	} else {
		compile_body(&c, buf_str(&text));
	}
	if ((c.m != NULL) == accept)
		return true;
	print_message("%s: %.*s\n  %s\n", file, (int)len, line,
		      c.m != NULL ? "was accepted" : first_error(&c));
	return false;
}

/* The number of rules of a file; *wrong counts those that failed. */
static int check_file(const char *name, int *wrong)
{
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	struct err err = { 0 };
	char path[100];
	const char *at;
	int n = 0;

	snprintf(path, sizeof(path), "test/unit/wgsl/rules/%s.txt", name);
	if (file_read(path, &text, &err) < 0)
		fail_msg("%s", err.text);
	for (at = buf_str(&text); *at != '\0'; at += strcspn(at, "\n") + 1) {
		size_t len = strcspn(at, "\n");

		if (len == 0 || at[0] == '#')
			continue;
		assert_true(len > 3 && strchr("bms", at[0]) != NULL);
		assert_true(at[1] == '+' || at[1] == '-');
		n++;
		*wrong += !check_rule(name, at, len);
	}
	return n;
}

static void every_rule_is_followed(void **state)
{
	int wrong = 0;
	int n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		n += check_file(files[i], &wrong);
	print_message("%d rules\n", n);
	if (wrong > 0)
		fail_msg("%d of %d rules are not followed", wrong, n);
	assert_true(n > 1200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
