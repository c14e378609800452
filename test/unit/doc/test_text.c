/* test_text.c - JSON and YAML texts, right and wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "doc/doc.h"

struct row {
	const char *text;
	const char *want; /* JSON, or what the error must hold, after a '!' */
};

typedef int (*parse_fn)(const char *, size_t, const struct doc_limits *, struct doc **,
			struct err *);

static void check_row(parse_fn parse, const struct row *r, const struct doc_limits *limits)
{
	AUTO(doc_unrefp) struct doc *d = NULL;
	AUTO(mem_freep) char *got = NULL;
	struct err err = { 0 };
	/* Without a NUL behind it, so that a sanitizer sees reading too far. */
	AUTO(mem_freep) char *copy = mem_dup(r->text, strlen(r->text));
	int rc = parse(copy, strlen(r->text), limits, &d, &err);

	if (r->want[0] != '!') {
		if (rc < 0)
			fail_msg("%s: %s", r->text, err.text);
		got = doc_print_text(d, DOC_SORTED);
		assert_string_equal(got, r->want);
		return;
	}
	if (rc == 0)
		fail_msg("%s: should fail with %s", r->text, r->want + 1);
	assert_null(d);
	if (strstr(err.text, r->want + 1) == NULL)
		fail_msg("%s: \"%s\" lacks \"%s\"", r->text, err.text, r->want + 1);
}

static void reads_json(void **state)
{
	static const struct row rows[] = {
		{ " {\"b\":1,\"a\":[true,false,null]} \n", "{\"a\":[true,false,null],\"b\":1}" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "9223372036854775808", "!line 1 column" },
		{ "1e400", "!" },
		{ "1.5e3", "1500.0" },
		{ "\"\\u00e4\\ud83d\\ude00\\u0000\"", "\"\xc3\xa4\xf0\x9f\x98\x80\\u0000\"" },
		{ "\"\\ud800\"", "!" },
		{ "\"\xff\"", "!" },
		{ "\"a\nb\"", "!" },
		{ "{\"a\":1,\"a\":2}", "!duplicate" },
		{ "{\"a\\u0000\":1}", "!" },
		{ "[1,]", "!line 1" },
		{ "[1] x", "!" },
		{ "", "!line 1" },
		{ "{\n\"a\":\n}", "!line 3 column 1" },
		{ "\"a\\\\\"", "\"a\\\\\"" },
		{ "01", "!" },
		{ "NaN", "!" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(doc_parse_json, &rows[i], NULL);
}

static void bounds_json(void **state)
{
	static const struct doc_limits small = { .bytes = 40, .nodes = 8, .depth = 3 };
	static const struct row rows[] = {
		{ "[[[1]]]", "[[[1]]]" },
		{ "[[[[1]]]]", "!nested deeper than 3 at byte 4" },
		{ "[\"[[[[[[[[[,,,,,,,,,\\\"[\"]", "[\"[[[[[[[[[,,,,,,,,,\\\"[\"]" },
		{ "[1,2,3,4,5,6,7]", "[1,2,3,4,5,6,7]" },
		{ "[1,2,3,4,5,6,7,8,9]", "!more than 8 values" },
		{ "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", "!at most 40" },
	};
	char deep[5000];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(doc_parse_json, &rows[i], &small);
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	check_row(doc_parse_json, &(struct row){ deep, "!nested deeper than 128" }, NULL);
}

/* The same answers as kubectl's library (go.yaml.in/yaml/v2 behind sigs.k8s.io/yaml). */
static void reads_plain_scalars_as_kubectl_does(void **state)
{
	static const struct row rows[] = {
		{ "true", "true" },
		{ "False", "false" },
		{ "yes", "true" },
		{ "no", "false" },
		{ "on", "true" },
		{ "y", "true" },
		{ "tRue", "\"tRue\"" },
		{ "\"yes\"", "\"yes\"" },
		{ "'5'", "\"5\"" },
		{ "~", "null" },
		{ "null", "null" },
		{ "", "null" },
		{ "# nothing", "null" },
		{ "0", "0" },
		{ "-7", "-7" },
		{ "+7", "7" },
		{ "1_000", "1000" },
		{ "0x1F", "31" },
		{ "-0x10", "-16" },
		{ "0o17", "15" },
		{ "017", "15" },
		{ "08", "8" },
		{ "0b101", "5" },
		{ "1.5", "1.5" },
		{ "5.0", "5" },
		{ "1e3", "1000" },
		{ ".5", "0.5" },
		{ "-.5", "-0.5" },
		{ "1.", "1" },
		{ "1e", "\"1e\"" },
		{ "1e400", "\"1e400\"" },
		{ "1.2.3", "\"1.2.3\"" },
		{ "2026-11-30", "\"2026-11-30\"" },
		{ "12:30:00", "\"12:30:00\"" },
		{ "-", "[null]" },
		{ ".", "\".\"" },
		{ "0x", "\"0x\"" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "9223372036854775808", "!line 1 column 1: the number does not fit 64 bits" },
		{ "99999999999999999999", "100000000000000000000.0" },
		{ ".inf", "!infinity" },
		{ "-.INF", "!infinity" },
		{ ".nan", "!infinity" },
		{ "!!str 5", "\"5\"" },
		{ "! 5", "\"5\"" },
		{ "!!int \"5\"", "5" },
		{ "!!float 5", "5" },
		{ "!!int x", "!does not have the type of its tag" },
		{ "!mine x", "!unsupported tag" },
		{ "!!binary aGk=", "!unsupported tag" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(doc_parse_yaml, &rows[i], NULL);
}

static void reads_yaml_structures(void **state)
{
	static const struct row rows[] = {
		{ "a: 1\nb:\n- x\n- {c: d, e: [1, 2]}\n",
		  "{\"a\":1,\"b\":[\"x\",{\"c\":\"d\",\"e\":[1,2]}]}" },
		{ "t: |\n  one\n   two\n\n  three\n", "{\"t\":\"one\\n two\\n\\nthree\\n\"}" },
		{ "t: >-\n  one\n  two\n", "{\"t\":\"one two\"}" },
		{ "t: \"a\\tb\\u00e4\"\n", "{\"t\":\"a\\tb\xc3\xa4\"}" },
		{ "1: a\n2.5: b\ntrue: c\n", "{\"1\":\"a\",\"2.5\":\"b\",\"true\":\"c\"}" },
		{ "a:\nb: ''\n", "{\"a\":null,\"b\":\"\"}" },
		{ "[]", "[]" },
		{ "--- \na: 1\n...\n", "{\"a\":1}" },
		{ "{\"a\": [1, 2], \"b\": null}", "{\"a\":[1,2],\"b\":null}" },
		{ "x: &a {p: 1}\nw: *a\nz: [*a]\n",
		  "{\"w\":{\"p\":1},\"x\":{\"p\":1},\"z\":[{\"p\":1}]}" },
		{ "b: &b {p: 1, q: 2}\nc:\n  <<: *b\n  p: 3\n",
		  "{\"b\":{\"p\":1,\"q\":2},\"c\":{\"p\":3,\"q\":2}}" },
		{ "c:\n  p: 3\n  <<: [{p: 1, q: 4}, {q: 5, r: 6}]\n",
		  "{\"c\":{\"p\":3,\"q\":4,\"r\":6}}" },
		{ "a: 1\na: 2\n", "!line 2 column 1: repeated key" },
		{ "p: {x: 1, y: 2}\n", "!line 1 column 11: this key means true or false" },
		{ "p: {x: 1, \"y\": 2}\n", "{\"p\":{\"x\":1,\"y\":2}}" },
		{ "a: [1\nb: 2\n", "!line " },
		{ "a: b: c\n", "!line 1 column 5" },
		{ "\ta: 1\n", "!line 1" },
		{ "a: \"x\n", "!line " },
		{ "? [a]\n: b\n", "!expected a plain key" },
		{ "~: 1\n", "!null as a key" },
		{ "a: *x\n", "!line 1 column 4: unknown alias" },
		{ "a: &a [*a]\n", "!an alias inside of what it stands for" },
		{ "<<: 5\n", "!expected a map to merge" },
		{ "a: \xff\n", "!byte 3" },
		{ "a: 1\n---\nb: 2\n", "!2 documents where one was expected" },
		{ "\"a\\0b\": 1\n", "!a key with a NUL" },
		{ "\"a\": \"x\\0y\"\n", "{\"a\":\"x\\u0000y\"}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(doc_parse_yaml, &rows[i], NULL);
}

static void bounds_yaml(void **state)
{
	static const struct doc_limits small = { .nodes = 30, .depth = 4, .aliases = 3 };
	static const struct row rows[] = {
		{ "[[[[1]]]]", "[[[[1]]]]" },
		{ "[[[[[1]]]]]", "!nested too deep" },
		{ "[&a 1, *a, *a, *a]", "[1,1,1,1]" },
		{ "[&a 1, *a, *a, *a, *a]", "!too many aliases" },
		{ "[&a [1,1,1,1,1,1,1,1,1], &b [*a,*a], *b]", "!too many values" },
	};
	static const char laughs[] =
	    "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
	    "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
	    "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
	    "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n";
	char deep[100000];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(doc_parse_yaml, &rows[i], &small);
	check_row(doc_parse_yaml, &(struct row){ laughs, "!too many values" }, NULL);
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	check_row(doc_parse_yaml, &(struct row){ deep, "!nested too deep" }, NULL);
}

static void reads_all_documents_of_a_file(void **state)
{
	static const struct row rows[] = {
		{ "---\na: 1\n---\n# empty\n---\nb: 2\n", "[{\"a\":1},{\"b\":2}]" },
		{ "", "[]" },
		{ " {\"y\": 1}", "[{\"y\":1}]" },
		{ "{a: 1}", "[{\"a\":1}]" },
		{ "a: &a 1\n---\nb: *a\n", "!line 3 column 4: unknown alias" },
		{ "a: 1\n---\nb: [\n", "!line " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(doc_parse_files, &rows[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_json),
		cmocka_unit_test(bounds_json),
		cmocka_unit_test(reads_plain_scalars_as_kubectl_does),
		cmocka_unit_test(reads_yaml_structures),
		cmocka_unit_test(bounds_yaml),
		cmocka_unit_test(reads_all_documents_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
