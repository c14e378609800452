/* test_options.c - the command line and the join file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/options.h"
#include "base/mem.h"

enum { MAX_WORDS = 12 };

static int parse(const char *const words[MAX_WORDS], struct options *o, struct err *err)
{
	char *argv[MAX_WORDS + 1] = { 0 };
	int argc = 0;
	int rc;

	for (; argc < MAX_WORDS && words[argc] != NULL; argc++)
		argv[argc] = mem_strdup(words[argc]);
	rc = options_parse(argc, argv, o, err);
	/* Tokens are borrowed from argv: they are not looked at afterwards. */
	for (int i = 0; i < argc; i++)
		mem_free(argv[i]);
	return rc;
}

static void wrong_usage_is_said(void **state)
{
	static const struct {
		const char *words[MAX_WORDS];
		const char *why;
	} rows[] = {
		{ { "a" }, "--join, or --controller, --controller-ca and --token-file needed" },
		{ { "a", "x" }, "unexpected x" },
		{ { "a", "--what", "x" }, "unknown option --what" },
		{ { "a", "--join" }, "--join needs a value" },
		{ { "a", "--join", "f", "--join", "g" }, "--join is given twice" },
		{ { "a", "--join", "f", "--controller", "h:1" },
		  "--join holds what --controller, --controller-ca and --token-file say: give one "
		  "or the others" },
		{ { "a", "--controller", "h:1", "--token-file", "t" },
		  "--join, or --controller, --controller-ca and --token-file needed" },
		{ { "a", "--join", "f", "--slots", "0" }, "--slots: \"0\" is not within 1 to 256" },
		{ { "a", "--join", "f", "--device", "cuda" },
		  "--device cuda: not in this version" },
		{ { "a", "--join", "f", "--device", "x" },
		  "--device x: auto, native, vulkan or vulkan:DEVICE expected" },
		{ { "a", "--join", "f", "--attribute", "region" },
		  "--attribute region: KEY=VALUE expected" },
		{ { "a", "--join", "f", "--token=" }, "--token: empty, too long or not UTF-8" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct options o = { 0 };
		struct err err = { 0 };

		assert_int_equal(parse(rows[i].words, &o, &err), ERR_INVALID);
		if (strncmp(rows[i].why, "--slots", 7) == 0)
			assert_memory_equal(err.text, "--slots: ", 9);
		else
			assert_string_equal(err.text, rows[i].why);
		options_done(&o);
	}
}

static void options_are_taken_in_both_spellings(void **state)
{
	static const char *const words[MAX_WORDS] = {
		"a",      "--join=f",    "--slots",        "3",          "--device",
		"native", "--attribute", "region=us=east", "--state=dir"
	};
	AUTO(options_done) struct options o = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse(words, &o, &err), 0);
	assert_string_equal(o.join_file, "f");
	assert_int_equal(o.slots, 3);
	assert_string_equal(o.attributes[0].key, "region");
	assert_string_equal(o.attributes[0].value, "us=east");
	assert_string_equal(o.state, "dir");
	assert_false(o.help);
}

static void help_and_version_need_nothing_else(void **state)
{
	static const char *const words[MAX_WORDS] = { "a", "--version" };
	AUTO(options_done) struct options o = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse(words, &o, &err), 0);
	assert_true(o.version);
}

static void a_join_file_has_address_credential_and_ca(void **state)
{
	static const char good[] = "address: controller.example:8443\n"
				   "name: gpu-7\n"
				   "credential: \"0123456789\"\n"
				   "ca: |\n"
				   "  -----BEGIN CERTIFICATE-----\n"
				   "  MIIB\n"
				   "  -----END CERTIFICATE-----\n";
	static const char json[] = "{\"address\": \"h:1\", \"credential\": \"x\", \"ca\": \"y\"}";
	static const char bad[] = "address: h:1\ncredential: x\n";
	AUTO(options_done) struct options o = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(options_read_join(good, sizeof(good) - 1, &o, &err), 0);
	assert_string_equal(o.address, "controller.example:8443");
	assert_string_equal(o.credential, "0123456789");
	assert_string_equal(o.name, "gpu-7");
	assert_string_equal(o.ca_pem, "-----BEGIN CERTIFICATE-----\nMIIB\n"
				      "-----END CERTIFICATE-----\n");
	assert_int_equal(options_read_join(json, sizeof(json) - 1, &o, &err), 0);
	assert_string_equal(o.address, "h:1");
	assert_int_equal(options_read_join(bad, sizeof(bad) - 1, &o, &err), ERR_INVALID);
	assert_string_equal(err.text, "join file: no ca");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_is_said),
		cmocka_unit_test(options_are_taken_in_both_spellings),
		cmocka_unit_test(help_and_version_need_nothing_else),
		cmocka_unit_test(a_join_file_has_address_credential_and_ca),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
