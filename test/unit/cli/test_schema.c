/* test_schema.c - `kubectl warp` refuses what the CRD refuses, with the path of the field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/schema.h"
#include "doc/doc.h"

#define HEAD "apiVersion: kwarp.dev/v1alpha1\nkind: WarpJob\n"
#define REST "  chunks: {count: 1}\n  outputs: [{name: o, reduce: Sum}]\n  kernel: {wgsl: x}\n"

/* A job and the lines that are said about it. */
static const struct {
	const char *yaml;
	const char *says;
} rows[] = {
	{ HEAD "metadata: {name: a, labels: {x/y: z}}\nspec:\n" REST, "" },
	{ HEAD "metadata: {name: a}\nstatus: {state: Anything}\nspec:\n" REST, "" },
	{ HEAD "spec:\n  verfiy: {replicas: 2}\n" REST,
	  "unknown field \"spec.verfiy\"; did you mean \"verify\"?\n" },
	{ HEAD "spec:\n  foo: 1\n" REST, "unknown field \"spec.foo\"\n" },
	{ HEAD "sepc: {}\nspec:\n" REST, "unknown field \"sepc\"; did you mean \"spec\"?\n" },
	{ HEAD "metadata: {nmae: a}\nspec:\n" REST,
	  "unknown field \"metadata.nmae\"; did you mean \"name\"?\n" },
	{ HEAD "spec:\n  verify: {replica: 2, agree: 0}\n" REST,
	  "unknown field \"spec.verify.replica\"; did you mean \"replicas\"?\n"
	  "spec.verify.agree: 0 is not within 1 to 9\n" },
	{ HEAD "spec:\n  verify: {replicas: '2'}\n" REST,
	  "spec.verify.replicas: expected an integer, not a string\n" },
	{ HEAD "spec:\n  verify: {spread: node, everyDevice: 1}\n" REST,
	  "spec.verify.spread: \"node\" is none of Node, Device, Owner, Vendor, Zone; did you mean "
	  "\"Node\"?\n"
	  "spec.verify.everyDevice: expected a boolean, not an integer\n" },
	{ HEAD "spec:\n  verify: null\n  where: null\n" REST,
	  "spec.where: expected a string, not a null\n" },
	{ HEAD "spec:\n  where: ''\n" REST, "spec.where: 0 characters, expected at least 1\n" },
	{ HEAD "spec:\n  queueName: Gold\n" REST,
	  "spec.queueName: \"Gold\" does not have the form ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$\n" },
	{ HEAD "spec: {chunks: {count: 1, params: {a: 1, b: 'x', c: 1.5}}}\n",
	  "spec.outputs: missing, expected a list\n"
	  "spec.chunks.params.c: expected an integer or a text (quote decimals), not a real\n" },
	{ HEAD "spec:\n  outputs: [{name: a, reduce: Sum, length: 3}, {reduce: Avg}]\n"
	       "  chunks: {manifest: [{a: 1}, {a: {}}]}\n",
	  "spec.outputs[0].length: expected a string, not an integer: quote it\n"
	  "spec.outputs[1].name: missing, expected a string\n"
	  "spec.outputs[1].reduce: \"Avg\" is none of Sum, Product, Min, Max, ArgMin, ArgMax, "
	  "TopK, "
	  "Count, Concat, Kernel, None, Discard\n"
	  "spec.chunks.manifest[1].a: expected an integer or a text (quote decimals), not a "
	  "map\n" },
	{ HEAD "spec:\n  outputs: [{name: a, reduce: Sum}, {name: a, reduce: Max}]\n"
	       "  chunks: {count: 1}\n",
	  "spec.outputs: name \"a\" is there twice\n" },
	{ HEAD "spec:\n  inputs: [{name: i, from: {inline: '?'}}]\n" REST,
	  "spec.inputs[0].from.inline: not base64 at character 0\n" },
	{ HEAD "spec: 7\n", "spec: expected a map, not an integer\n" },
	{ HEAD, "spec: missing, expected a map\n" },
};

static void says_what_the_crd_does_not_allow(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf out = { .max = 16 * 1024 };
		AUTO(doc_unrefp) struct doc *job = NULL;
		struct err err = { 0 };
		size_t n;
		size_t lines = 0;

		assert_int_equal(
		    doc_parse_yaml(rows[i].yaml, strlen(rows[i].yaml), NULL, &job, &err), 0);
		n = schema_check(job, &out);
		for (const char *s = rows[i].says; *s != '\0'; s++)
			lines += *s == '\n';
		if (n == lines && strcmp(buf_str(&out), rows[i].says) == 0)
			continue;
		fprintf(stderr, "%s\nexpected:\n%s\ngot:\n%s\n", rows[i].yaml, rows[i].says,
			buf_str(&out));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void stops_after_so_many_problems(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 16 * 1024 };
	AUTO(doc_unrefp) struct doc *job = doc_new_map();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char key[16];

		snprintf(key, sizeof(key), "key-%d", i);
		doc_set(job, key, doc_new_null());
	}
	assert_int_equal(schema_check(job, &out), SCHEMA_MAX_PROBLEMS);
}

/* Words that schema.c knows; another one in the CRD would be ignored silently. */
static bool is_known_word(const char *key)
{
	static const char *const words[] = { "type",
					     "description",
					     "properties",
					     "additionalProperties",
					     "required",
					     "items",
					     "default",
					     "enum",
					     "format",
					     "pattern",
					     "minimum",
					     "maximum",
					     "minLength",
					     "maxLength",
					     "minItems",
					     "maxItems",
					     "minProperties",
					     "maxProperties",
					     "x-kubernetes-int-or-string",
					     "x-kubernetes-list-type",
					     "x-kubernetes-list-map-keys",
					     "x-kubernetes-validations" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(words[i], key) == 0)
			return true;
	return false;
}

/* One schema; those inside it are put on the stack. */
static size_t look(const struct doc *schema, const struct doc **stack, size_t n)
{
	DOC_EACH_MEMBER(schema, m)
	{
		regex_t re;

		if (!is_known_word(m.key))
			fail_msg("schema.c does not know %s", m.key);
		if (strcmp(m.key, "pattern") != 0)
			continue;
		assert_int_equal(regcomp(&re, doc_str(m.value, "", ""), REG_EXTENDED), 0);
		regfree(&re);
	}
	DOC_EACH(doc_get(schema, "properties"), p)
	{
		assert_true(n < 400);
		stack[n++] = p;
	}
	if (doc_has(schema, "items"))
		stack[n++] = doc_get(schema, "items");
	if (doc_has(schema, "additionalProperties"))
		stack[n++] = doc_get(schema, "additionalProperties");
	return n;
}

static void knows_every_word_of_the_crd(void **state)
{
	AUTO(buf_done) struct buf text = { .max = 1 << 20 };
	AUTO(doc_unrefp) struct doc *crd = NULL;
	const struct doc *stack[404];
	struct err err = { 0 };
	size_t n = 0;

	(void)state;
	assert_int_equal(file_read("crds/warpjobs.yaml", &text, &err), 0);
	assert_int_equal(doc_parse_yaml(buf_str(&text), text.len, NULL, &crd, &err), 0);
	stack[n++] = doc_get(crd, "spec.versions[0].schema.openAPIV3Schema");
	while (n > 0) {
		const struct doc *schema = stack[--n];

		n = look(schema, stack, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_the_crd_does_not_allow),
		cmocka_unit_test(stops_after_so_many_problems),
		cmocka_unit_test(knows_every_word_of_the_crd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
