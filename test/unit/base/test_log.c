/* test_log.c - the two formats, escapes, levels, the rate limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

static struct buf lines;

static void on_line(const char *line, void *arg)
{
	(void)arg;
	assert_int_equal(buf_addf(&lines, "%s\n", line), 0);
}

static int start(void **state)
{
	(void)state;
	lines = (struct buf){ .max = 100000 };
	log_capture(on_line, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	log_capture(NULL, NULL);
	buf_done(&lines);
	return 0;
}

static void writes_text_with_quotes_only_where_needed(void **state)
{
	struct err err = { 0 };

	(void)state;
	log_setup(LOG_INFO, LOG_TEXT, "test");
	err_set(&err, ERR_INVALID, "bad \"x\"");
	log_info("job started", kv_str("job", "a/b"), kv_int("attempt", -3), kv_err(&err),
		 kv_str("none", NULL));
	assert_non_null(strstr(buf_str(&lines), "Z info job started job=a/b attempt=-3 "
						"err=\"bad \\\"x\\\"\" none=\"\"\n"));
}

static void writes_json_and_escapes_what_is_not_text(void **state)
{
	(void)state;
	log_setup(LOG_INFO, LOG_JSON, "test");
	log_warn("odd", kv_str("s", "a\nb\x01\xff"), kv_str("u", "\xc3\xa4"));
	assert_non_null(strstr(buf_str(&lines), "\"level\":\"warn\",\"msg\":\"odd\",\"program\":"
						"\"test\",\"s\":\"a\\nb\\u0001\\u00ff\","
						"\"u\":\"\xc3\xa4\"}\n"));
}

static void drops_what_is_below_the_level(void **state)
{
	(void)state;
	log_setup(LOG_WARN, LOG_TEXT, "test");
	log_info("quiet");
	assert_string_equal(buf_str(&lines), "");
	assert_false(log_enabled(LOG_INFO));
	assert_true(log_enabled(LOG_ERROR));
}

static void limits_lines_per_message(void **state)
{
	size_t count = 0;

	(void)state;
	log_setup(LOG_INFO, LOG_TEXT, "test");
	for (int i = 0; i < 100; i++)
		log_info("the same again");
	log_info("another");
	for (const char *s = buf_str(&lines); (s = strchr(s, '\n')) != NULL; s++)
		count++;
	assert_int_equal(count, 21);
}

static void cuts_a_long_value(void **state)
{
	AUTO(buf_done) struct buf big = { .max = 20000 };

	(void)state;
	log_setup(LOG_INFO, LOG_JSON, "test");
	for (int i = 0; i < 100; i++)
		buf_note(&big, "%0100d", i);
	log_info("big", kv_str("v", buf_str(&big)));
	assert_true(lines.len < 3000);
	assert_string_equal(buf_str(&lines) + lines.len - 3, "\"}\n");
}

static void reads_levels_and_formats(void **state)
{
	struct err err = { 0 };
	enum log_level level;
	enum log_format format;

	(void)state;
	assert_int_equal(log_parse_level("debug", &level, &err), 0);
	assert_int_equal(level, LOG_DEBUG);
	assert_int_equal(log_parse_level("loud", &level, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(log_parse_format("json", &format, &err), 0);
	assert_int_equal(format, LOG_JSON);
	assert_int_equal(log_parse_format("xml", &format, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writes_text_with_quotes_only_where_needed, start,
						end),
		cmocka_unit_test_setup_teardown(writes_json_and_escapes_what_is_not_text, start,
						end),
		cmocka_unit_test_setup_teardown(drops_what_is_below_the_level, start, end),
		cmocka_unit_test_setup_teardown(limits_lines_per_message, start, end),
		cmocka_unit_test_setup_teardown(cuts_a_long_value, start, end),
		cmocka_unit_test(reads_levels_and_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
