/* test_options.c - the command line of kwarp-controller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "controller/options.h"

enum { MAX_ARGS = 8 };

static int parse(const char *const *words, struct options *o, struct err *err)
{
	static char texts[MAX_ARGS + 1][128];
	char *argv[MAX_ARGS + 1] = { texts[0] };
	int argc = 1;

	for (; words[argc - 1] != NULL; argc++) {
		argv[argc] = texts[argc];
		snprintf(texts[argc], sizeof(texts[argc]), "%s", words[argc - 1]);
	}
	return options_parse(argc, argv, o, err);
}

static void without_arguments_the_service_is_what_agents_dial(void **state)
{
	struct options o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parse((const char *[]){ NULL }, &o, &err), 0);
	assert_string_equal(o.ns, "kwarp-system");
	assert_string_equal(o.public_address, "kwarp-controller.kwarp-system.svc:8443");
	assert_true(o.leader_elect);
}

static void an_address_that_can_be_dialled_is_the_public_one(void **state)
{
	struct options o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
	    parse((const char *[]){ "--data-address", "127.0.0.1:9", "--leader-elect=false", NULL },
		  &o, &err),
	    0);
	assert_string_equal(o.public_address, "127.0.0.1:9");
	assert_false(o.leader_elect);
}

static void wrong_usage_is_named(void **state)
{
	static const struct {
		const char *args[MAX_ARGS];
		const char *says;
	} rows[] = {
		{ { "--store", "s3://x" }, "--store" },
		{ { "--stor" }, "--stor needs a value" },
		{ { "--stor", "x" }, "unknown option --stor" },
		{ { "x" }, "unexpected argument x" },
		{ { "--namespace" }, "--namespace needs a value" },
		{ { "--namespace", "A_b" }, "--namespace A_b" },
		{ { "--leader-elect=maybe" }, "true or false" },
		{ { "--data-address", "8443" }, "must be HOST:PORT" },
		{ { "--data-address", "::1:8443" }, "brackets" },
		{ { "--data-address", "127.0.0.1:70000" }, "65535" },
		{ { "--public-address", "h:0" }, "port 0" },
		{ { "--log-level", "loud" }, "log level loud" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct options o;
		struct err err = { 0 };

		assert_int_equal(parse(rows[i].args, &o, &err), ERR_INVALID);
		if (strstr(err.text, rows[i].says) == NULL)
			fail_msg("row %zu says: %s", i, err.text);
	}
}

static void addresses_are_cut_at_the_last_colon(void **state)
{
	char host[OPTIONS_HOST];
	struct err err = { 0 };
	int port;

	(void)state;
	assert_int_equal(options_split("[::1]:8443", host, &port, &err), 0);
	assert_string_equal(host, "::1");
	assert_int_equal(port, 8443);
	assert_int_equal(options_split("gpu.example:1", host, &port, &err), 0);
	assert_string_equal(host, "gpu.example");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_arguments_the_service_is_what_agents_dial),
		cmocka_unit_test(an_address_that_can_be_dialled_is_the_public_one),
		cmocka_unit_test(wrong_usage_is_named),
		cmocka_unit_test(addresses_are_cut_at_the_last_colon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
