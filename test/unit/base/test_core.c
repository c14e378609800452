/* test_core.c - err, buf, arena, num, text, list, map, clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static void wraps_context_in_front(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err_set(&err, ERR_INVALID, "bad %d", 7), ERR_INVALID);
	assert_int_equal(err_wrap(&err, "load"), ERR_INVALID);
	assert_string_equal(err.text, "load: bad 7");
}

static void marks_a_text_that_was_cut(void **state)
{
	struct err err = { 0 };
	char text[400];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, ERR_INVALID, "%s", text);
	assert_string_equal(err.text + strlen(err.text) - 4, "x...");
	err_wrap(&err, "more");
	assert_memory_equal(err.text, "more: x", 7);
	assert_string_equal(err.text + strlen(err.text) - 3, "...");
}

static void refuses_what_is_above_the_ceiling_and_keeps_the_rest(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 5 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(buf_adds(&b, "abc", &err), 0);
	assert_int_equal(buf_adds(&b, "def", &err), ERR_TOO_BIG);
	assert_string_equal(buf_str(&b), "abc");
	b.max = 8;
	buf_note(&b, "defghij");
	assert_string_equal(buf_str(&b), "abcde...");
	buf_note(&b, "more");
	assert_string_equal(buf_str(&b), "abcde...");
}

static void takes_whole_numbers_only(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", ERR_INVALID, 0 },
		{ "", ERR_INVALID, 0 },
		{ "-", ERR_INVALID, 0 },
		{ " 1", ERR_INVALID, 0 },
		{ "1 ", ERR_INVALID, 0 },
		{ "+1", ERR_INVALID, 0 },
		{ "0x10", ERR_INVALID, 0 },
		{ "1.0", ERR_INVALID, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		int64_t v = 0;

		assert_int_equal(num_parse_i64(rows[i].text, strlen(rows[i].text), INT64_MIN,
					       INT64_MAX, &v, &err),
				 rows[i].rc);
		assert_true(v == rows[i].value);
	}
}

static void prints_the_shortest_decimal_that_reads_back(void **state)
{
	char text[NUM_TEXT];

	(void)state;
	assert_string_equal(num_print_f64(0.1, text), "0.1");
	assert_string_equal(num_print_f64(1.0 / 3, text), "0.3333333333333333");
	assert_string_equal(num_print_f32(16777216.0f, text), "16777216");
	assert_string_equal(num_print_f32(0.1f, text), "0.1");
	assert_string_equal(num_print_f64(1500, text), "1500");
	assert_string_equal(num_print_f64(-0.00123, text), "-0.00123");
	assert_string_equal(num_print_f64(123.456, text), "123.456");
	assert_string_equal(num_print_f64(1e20, text), "100000000000000000000");
	assert_string_equal(num_print_f64(1.5e21, text), "1.5e+21");
	assert_string_equal(num_print_f64(1e-7, text), "1e-7");
	assert_string_equal(num_print_f64(5e-324, text), "5e-324");
	assert_string_equal(num_print_f64(0x1.fffffffffffffp1023, text), "1.7976931348623157e+308");
	assert_string_equal(num_print_f32(10, text), "10");
	assert_string_equal(num_print_f64((double)NAN, text), "NaN");
	assert_string_equal(num_print_f64(-(double)INFINITY, text), "-Infinity");
}

static void base64_reads_what_it_wrote_and_nothing_else(void **state)
{
	static const char *const bad[] = {
		"A", "AA", "AAA", "A===", "AAAA=", "AB==", "A$AA", "AA=A"
	};

	(void)state;
	for (size_t n = 0; n < 20; n++) {
		AUTO(buf_done) struct buf text = { .max = 100 };
		AUTO(buf_done) struct buf bytes = { .max = 100 };
		struct err err = { 0 };

		assert_int_equal(text_base64("0123456789abcdefghij", n, &text, &err), 0);
		assert_int_equal(text_unbase64(buf_str(&text), text.len, &bytes, &err), 0);
		assert_int_equal(bytes.len, n);
		assert_memory_equal(buf_str(&bytes), "0123456789abcdefghij", n);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTO(buf_done) struct buf bytes = { .max = 100 };
		struct err err = { 0 };

		assert_int_equal(text_unbase64(bad[i], strlen(bad[i]), &bytes, &err), ERR_INVALID);
	}
}

static void knows_well_formed_utf8(void **state)
{
	(void)state;
	assert_true(text_is_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10));
	assert_false(text_is_utf8("\xc0\x80", 2));
	assert_false(text_is_utf8("\xed\xa0\x80", 3));
	assert_false(text_is_utf8("\xf4\x90\x80\x80", 4));
	assert_false(text_is_utf8("\xe2\x82", 2));
	assert_false(text_is_utf8("a\0b", 3));
}

static void finds_names_that_are_one_slip_apart(void **state)
{
	(void)state;
	assert_true(text_is_near("verfiy", "verify"));
	assert_true(text_is_near("replica", "replicas"));
	assert_true(text_is_near("seeed", "seed"));
	assert_true(text_is_near("sead", "seed"));
	assert_true(text_is_near("chunksperslice", "chunksPerSlice"));
	assert_false(text_is_near("verify", "verify"));
	assert_false(text_is_near("a", "b"));
	assert_false(text_is_near("ab", "cb"));
	assert_false(text_is_near("", "a"));
	assert_false(text_is_near("where", "verify"));
	assert_false(text_is_near("vreifi", "verify"));
}

static void takes_what_a_terminal_obeys_out_of_a_text(void **state)
{
	char text[] = "a\tb\n\033[2J\r\x7f \xc2\x9b\x31\x6d \xc3\xa9\xc2\xa0\xc2";

	(void)state;
	text_defuse(text);
	assert_string_equal(text, "a\tb\n?[2J?? ??1m \xc3\xa9\xc2\xa0\xc2");
}

struct thing {
	int n;
	struct list_link link;
};

static void removes_items_while_walking_a_list(void **state)
{
	struct thing things[4] = { { .n = 0 }, { .n = 1 }, { .n = 2 }, { .n = 3 } };
	struct list l = { 0 };
	int sum = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		list_add(&l, &things[i].link);
	LIST_EACH (struct thing, t, &l, link)
		if (t->n % 2 == 0)
			list_remove(&t->link);
	LIST_EACH (struct thing, t, &l, link)
		sum = sum * 10 + t->n;
	assert_int_equal(sum, 13);
	assert_int_equal(l.count, 2);
}

static void keeps_insertion_order_through_many_changes(void **state)
{
	struct map m = { 0 };
	int values[1000];
	char key[16];
	int expected = 1;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		values[i] = i;
		snprintf(key, sizeof(key), "k%d", i);
		assert_null(map_set(&m, key, &values[i]));
	}
	for (int i = 0; i < 1000; i += 2) {
		snprintf(key, sizeof(key), "k%d", i);
		assert_ptr_equal(map_remove(&m, key), &values[i]);
		assert_null(map_get(&m, key));
	}
	assert_int_equal(m.count, 500);
	MAP_EACH (&m, e) {
		assert_int_equal(*(int *)e->value, expected);
		expected += 2;
	}
	assert_ptr_equal(map_set(&m, "k1", &values[0]), &values[1]);
	map_done(&m, NULL);
}

static void arenas_hand_out_zeroed_aligned_memory(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	for (size_t n = 1; n < 3000; n += 7) {
		char *p = arena_alloc(&a, n);

		assert_int_equal((uintptr_t)p % 16, 0);
		assert_int_equal(p[0], 0);
		memset(p, 0xff, n);
	}
	assert_string_equal(arena_printf(&a, "%d-%s", 5, "x"), "5-x");
}

static void times_read_back(void **state)
{
	char text[CLOCK_TEXT];
	struct err err = { 0 };
	int64_t ms;

	(void)state;
	assert_string_equal(clock_print(1790000000123, text), "2026-09-21T14:13:20Z");
	assert_string_equal(clock_print_micro(1790000000123, text), "2026-09-21T14:13:20.123000Z");
	assert_int_equal(clock_parse(text, &ms, &err), 0);
	assert_true(ms == 1790000000123);
	assert_int_equal(clock_parse("2026-09-21T16:13:20+02:00", &ms, &err), 0);
	assert_true(ms == 1790000000000);
	assert_int_equal(clock_parse("2026-09-21", &ms, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_context_in_front),
		cmocka_unit_test(marks_a_text_that_was_cut),
		cmocka_unit_test(refuses_what_is_above_the_ceiling_and_keeps_the_rest),
		cmocka_unit_test(takes_whole_numbers_only),
		cmocka_unit_test(prints_the_shortest_decimal_that_reads_back),
		cmocka_unit_test(base64_reads_what_it_wrote_and_nothing_else),
		cmocka_unit_test(knows_well_formed_utf8),
		cmocka_unit_test(finds_names_that_are_one_slip_apart),
		cmocka_unit_test(takes_what_a_terminal_obeys_out_of_a_text),
		cmocka_unit_test(removes_items_while_walking_a_list),
		cmocka_unit_test(keeps_insertion_order_through_many_changes),
		cmocka_unit_test(arenas_hand_out_zeroed_aligned_memory),
		cmocka_unit_test(times_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
