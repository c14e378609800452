/* test_show.c - what people read about a job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "cli/show.h"
#include "doc/doc.h"

static void explain_shows_a_message_once(void **state)
{
	static const char text[] =
	    "{\"metadata\": {\"namespace\": \"default\", \"name\": \"j\"}, \"status\": {"
	    "\"state\": \"Failed\", \"why\": \"KernelInvalid: 1:1: error: no\", \"conditions\": ["
	    "{\"type\": \"Schedulable\", \"status\": \"True\", \"reason\": \"Ready\", "
	    "\"message\": \"2 nodes\"}, "
	    "{\"type\": \"FailureTarget\", \"status\": \"True\", \"reason\": \"KernelInvalid\", "
	    "\"message\": \"1:1: error: no\"}, "
	    "{\"type\": \"Failed\", \"status\": \"True\", \"reason\": \"KernelInvalid\", "
	    "\"message\": \"1:1: error: no\"}]}}";
	static const char end[] = "conditions:\n"
				  "  Schedulable=True Ready: 2 nodes\n"
				  "  FailureTarget=True KernelInvalid\n"
				  "  Failed=True KernelInvalid\n";
	AUTO(doc_unrefp) struct doc *job = NULL;
	AUTO(buf_done) struct buf out = { .max = 65536 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(doc_parse_json(text, strlen(text), NULL, &job, &err), 0);
	show_job(job, &out);
	assert_non_null(strstr(buf_str(&out), "Failed: KernelInvalid: 1:1: error: no\n"));
	assert_non_null(strstr(buf_str(&out), end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explain_shows_a_message_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
