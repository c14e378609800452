/* test_docs.c - the examples of docs/reducers.md are true. */
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
#include "vote/reduce.h"

/* One i32 per chunk, from "3 9 4". */
static void add_chunks(struct vote_reduction *r, const char *values)
{
	uint64_t chunk = 0;

	for (const char *at = values; *at != '\0'; chunk++) {
		size_t len = strcspn(at, " ");
		unsigned char bytes[4];
		struct err err = { 0 };
		int64_t v;

		assert_int_equal(num_parse_i64(at, len, INT32_MIN, INT32_MAX, &v, &err), 0);
		num_put_u32(bytes, (uint32_t)(int32_t)v);
		assert_int_equal(vote_reduce_add(r, 0, chunk, chunk, bytes, sizeof(bytes), &err),
				 0);
		at += len + strspn(at + len, " ");
	}
}

static void try_example(char *name, const char *values, const char *says)
{
	/* Concat: in an array whose length the chunk decides, as a job would have it. */
	AUTO(vote_shape_freep)
	struct vote_shape *shape = vote_shape_plain(VOTE_I32, strcmp(name, "Concat") == 0 ? 0 : 1);
	AUTO(vote_result_done) struct vote_result result = { 0 };
	AUTO(vote_reduce_freep) struct vote_reduction *r = NULL;
	struct vote_output o = { .name = "o", .shape = shape };
	char *k = strstr(name, " k=");
	struct err err = { 0 };
	char got[256];

	if (k != NULL) {
		o.k = (uint32_t)(k[3] - '0');
		*k = '\0';
	}
	assert_int_equal(vote_reducer_parse(name, &o.reduce, &err), 0);
	r = vote_reduce_new(&o, 1);
	add_chunks(r, values);
	if (vote_reduce_finish(r, 0, &result, &err) < 0) {
		if (strncmp(says, "error ", 6) != 0 || strstr(err.text, says + 6) == NULL)
			fail_msg("%s %s: %s", name, values, err.text);
		return;
	}
	k = result.index != NULL ? result.index : result.indexes;
	snprintf(got, sizeof(got), "%s%s%s", result.value, k != NULL ? " at " : "",
		 k != NULL ? k : "");
	if (strcmp(got, says) != 0)
		fail_msg("%s %s: \"%s\", not \"%s\"", name, values, got, says);
}

/* Ends the text at the next pair of blanks; returns what follows them. */
static char *cut(char *text)
{
	char *gap = strstr(text, "  ");

	assert_non_null(gap);
	*gap = '\0';
	return gap + 1 + strspn(gap + 1, " ");
}

static void examples_of_reducers_hold(void **state)
{
	AUTO(buf_done) struct buf file = { .max = 64 * 1024 };
	struct err err = { 0 };
	size_t n = 0;
	char *save = NULL;
	char *line;

	(void)state;
	assert_int_equal(file_read("docs/reducers.md", &file, &err), 0);
	line = strstr(file.data, "```examples\n");
	assert_non_null(line);
	for (line = strtok_r(line + 12, "\n", &save); strcmp(line, "```") != 0; n++) {
		char *values = cut(line);
		const char *says = cut(values);

		try_example(line, values, says);
		line = strtok_r(NULL, "\n", &save);
		assert_non_null(line);
	}
	assert_true(n >= 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_reducers_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
