/* test_files.c - manifests given with -f, and what is printed about jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/files.h"
#include "cli/run.h"
#include "cli/show.h"
#include "doc/doc.h"

#define SPEC " spec: {chunks: {count: 1}, outputs: [{name: o, reduce: Sum}]}"

static char path[64];

/* A file with this text, removed by `gone`. */
static const char *file(const char *text)
{
	struct err err = { 0 };
	int fd;

	snprintf(path, sizeof(path), "/tmp/kwarp-files.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(file_write(path, text, strlen(text), false, &err), 0);
	return path;
}

static void gone(void)
{
	struct err err = { 0 };

	assert_int_equal(file_remove(path, &err), 0);
}

static void reads_jobs_and_config_maps_of_one_file(void **state)
{
	AUTO(files_done) struct files f = { 0 };
	AUTO(buf_done) struct buf b = { .max = 100 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(files_add(&f,
				   file("{apiVersion: kwarp.dev/v1alpha1, kind: WarpJob,"
					" metadata: {name: j}, status: {state: Old}," SPEC "}\n"
					"---\n"
					"{apiVersion: v1, kind: ConfigMap, metadata: {name: m},"
					" data: {a: text}, binaryData: {b: AAEC}}\n"),
				   &err),
			 0);
	gone();
	assert_int_equal(f.n_jobs, 1);
	assert_int_equal(f.n_maps, 1);
	assert_string_equal(doc_str(f.jobs[0], "metadata.namespace", ""), "default");
	assert_false(doc_has(f.jobs[0], "status"));
	assert_int_equal(files_config_map(&f, "m", "a", &b, &err), 0);
	assert_string_equal(buf_str(&b), "text");
	buf_reset(&b);
	assert_int_equal(files_config_map(&f, "m", "b", &b, &err), 0);
	assert_int_equal(b.len, 3);
	assert_int_equal(files_config_map(&f, "m", "c", &b, &err), ERR_NOT_FOUND);
	assert_string_equal(err.text, "ConfigMap m has no key c");
}

static void refuses_other_kinds_by_name(void **state)
{
	AUTO(files_done) struct files f = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(files_add(&f, file("{apiVersion: v1, kind: Pod}"), &err), ERR_INVALID);
	gone();
	assert_non_null(strstr(err.text, "v1 Pod: only WarpJobs"));
}

static void prints_results_one_a_line(void **state)
{
	AUTO(buf_done) struct buf b = { .max = 1000 };
	AUTO(doc_unrefp) struct doc *job = NULL;
	static const char text[] =
	    "{\"status\":{\"state\":\"Complete\",\"progress\":\"2/2\",\"results\":["
	    "{\"name\":\"hits\",\"value\":\"7\"},"
	    "{\"name\":\"top\",\"value\":\"[9,4]\",\"indexes\":\"[1,3]\"},"
	    "{\"name\":\"image\",\"type\":\"u32\",\"length\":9,\"sha256\":\"ab\"}]}}";
	struct err err = { 0 };

	(void)state;
	assert_int_equal(doc_parse_json(text, sizeof(text) - 1, NULL, &job, &err), 0);
	run_print(job, &b);
	assert_string_equal(buf_str(&b), "hits=7\n"
					 "top=[9,4] at [1,3]\n"
					 "image: 9 elements of u32, sha256 ab\n");
	buf_reset(&b);
	show_line(job, &b);
	assert_string_equal(buf_str(&b), "Complete   2/2            \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_jobs_and_config_maps_of_one_file),
		cmocka_unit_test(refuses_other_kinds_by_name),
		cmocka_unit_test(prints_results_one_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
