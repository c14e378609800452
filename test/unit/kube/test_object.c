/* test_object.c - paths, keys, order of versions, Status objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "kube/lines.h"
#include "kube/object.h"
#include "kube/status.h"

static const struct {
	const struct kube_resource *resource;
	const char *ns;
	const char *name;
	const char *subresource;
	const char *path; /* NULL = refused */
} paths[] = {
	{ &kube_pods, "a", "b", NULL, "/api/v1/namespaces/a/pods/b" },
	{ &kube_pods, NULL, NULL, NULL, "/api/v1/pods" },
	{ &kube_warpjobs, "a", "b", "status",
	  "/apis/kwarp.dev/v1alpha1/namespaces/a/warpjobs/b/status" },
	{ &kube_nodes, NULL, "system:x", NULL, "/api/v1/nodes/system%3Ax" },
	{ &kube_pods, "a", "", NULL, NULL },
	{ &kube_pods, "a", "../b", NULL, NULL },
	{ &kube_pods, "..", "b", NULL, NULL },
	{ &kube_pods, "a", "b%2f", NULL, NULL },
};

static void builds_paths_and_refuses_what_is_no_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		AUTO(buf_done) struct buf b = { .max = 1000 };
		struct err err = { 0 };
		int rc = kube_path(paths[i].resource, paths[i].ns, paths[i].name,
				   paths[i].subresource, &b, &err);

		assert_int_equal(rc, paths[i].path != NULL ? 0 : ERR_INVALID);
		if (rc == 0)
			assert_string_equal(buf_str(&b), paths[i].path);
	}
}

static const struct {
	const char *a;
	const char *b;
	bool known;
	int order;
} versions[] = {
	{ "9", "10", true, -1 },
	{ "10", "9", true, 1 },
	{ "123", "123", true, 0 },
	{ "340282366920938463463374607431768211455", "340282366920938463463374607431768211454",
	  true, 1 },
	{ "0", "1", false, 0 },
	{ "01", "1", false, 0 },
	{ "", "1", false, 0 },
	{ "x", "x", true, 0 },
	{ "x", "y", false, 0 },
	{ "1111111111111111111111111111111111111111", "2", false, 0 },
};

static void orders_versions_only_where_they_have_an_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		int order = 7;
		bool known = kube_rv_compare(versions[i].a, versions[i].b, &order);

		assert_int_equal(known, versions[i].known);
		if (known)
			assert_int_equal((order > 0) - (order < 0), versions[i].order);
	}
}

static void keys_have_namespace_and_name(void **state)
{
	AUTO(doc_unrefp) struct doc *pod = kube_new_object(&kube_pods, "a", "b");
	AUTO(doc_unrefp) struct doc *node = kube_new_object(&kube_nodes, NULL, "n");
	char key[KUBE_KEY];
	char ns[KUBE_KEY];
	char name[KUBE_KEY];

	(void)state;
	assert_true(kube_key(pod, key));
	assert_string_equal(key, "a/b");
	kube_key_split(key, ns, name);
	assert_string_equal(ns, "a");
	assert_string_equal(name, "b");
	assert_true(kube_key(node, key));
	assert_string_equal(key, "n");
	kube_key_split(key, ns, name);
	assert_string_equal(ns, "");
	assert_string_equal(name, "n");
	assert_false(kube_key_of("a", "", key));
	assert_string_equal(doc_str(pod, "apiVersion", ""), "v1");
}

static const struct {
	int status;
	const char *body;
	int code;
	const char *reason;
	const char *text;
} answers[] = {
	{ 409,
	  "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\",\"message\":\"pods \\\"a\\\" already "
	  "exists\"}",
	  ERR_EXISTS, "AlreadyExists", "pods \"a\" already exists" },
	{ 409, "{\"kind\":\"Status\",\"reason\":\"Conflict\",\"message\":\"m\"}", ERR_CONFLICT,
	  "Conflict", "m" },
	{ 404, "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"m\"}", ERR_NOT_FOUND,
	  "NotFound", "m" },
	{ 403, "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"exceeded quota\"}",
	  ERR_DENIED, "Forbidden", "exceeded quota" },
	{ 410, "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"m\"}", ERR_GONE,
	  "Expired", "m" },
	{ 504,
	  "{\"kind\":\"Status\",\"reason\":\"Timeout\",\"message\":\"m\",\"details\":{\"causes\":"
	  "[{\"reason\":\"ResourceVersionTooLarge\"}]}}",
	  ERR_GONE, "Timeout", "m" },
	{ 504, "{\"kind\":\"Status\",\"reason\":\"Timeout\",\"message\":\"m\"}", ERR_TIMEOUT,
	  "Timeout", "m" },
	{ 503, "upstream is down\nmore", ERR_UNAVAILABLE, "", "HTTP 503: upstream is down" },
	{ 500, "", ERR_TIMEOUT, "", "HTTP 500" },
	{ 422, "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":\"spec.x: bad\"}",
	  ERR_INVALID, "Invalid", "spec.x: bad" },
	{ 429, "{\"kind\":\"Status\"}", ERR_UNAVAILABLE, "", "HTTP 429 " },
};

static void keeps_the_servers_text_and_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		char reason[KUBE_REASON];
		struct err err = { 0 };

		assert_int_equal(kube_status_err(answers[i].status, answers[i].body,
						 strlen(answers[i].body), reason, &err),
				 answers[i].code);
		assert_string_equal(err.text, answers[i].text);
		assert_string_equal(reason, answers[i].reason);
	}
}

static void cuts_lines_at_every_split_position(void **state)
{
	static const char text[] = "one\n\ntwo\r\nthree\nrest";
	size_t len = strlen(text);

	(void)state;
	for (size_t a = 0; a <= len; a++) {
		for (size_t b = a; b <= len; b++) {
			const size_t cuts[] = { 0, a, b, len };
			struct kube_lines l = { .max = 5 };
			AUTO(buf_done) struct buf got = { .max = 100 };
			struct err err = { 0 };
			const char *line;
			size_t line_len;

			for (int i = 0; i < 3; i++) {
				/* A copy of exact size, so that reading past it is seen. */
				AUTO(mem_freep)
				char *piece = mem_dup(text + cuts[i], cuts[i + 1] - cuts[i]);

				kube_lines_feed(&l, piece, cuts[i + 1] - cuts[i]);
				while (kube_lines_next(&l, &line, &line_len, &err) > 0)
					buf_note(&got, "%.*s|", (int)line_len, line);
			}
			assert_string_equal(buf_str(&got), "one|two|three|");
			assert_int_equal(err.code, 0);
			kube_lines_done(&l);
		}
	}
}

static void a_line_above_the_limit_is_refused_wherever_it_is_cut(void **state)
{
	static const char text[] = "ab\nabcdef\n";
	size_t len = strlen(text);

	(void)state;
	for (size_t a = 0; a <= len; a++) {
		struct kube_lines l = { .max = 5 };
		struct err err = { 0 };
		const char *line;
		size_t line_len;
		int rc;

		kube_lines_feed(&l, text, a);
		while ((rc = kube_lines_next(&l, &line, &line_len, &err)) > 0)
			;
		if (rc == 0) {
			kube_lines_feed(&l, text + a, len - a);
			while ((rc = kube_lines_next(&l, &line, &line_len, &err)) > 0)
				;
		}
		assert_int_equal(rc, ERR_TOO_BIG);
		kube_lines_done(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_paths_and_refuses_what_is_no_name),
		cmocka_unit_test(orders_versions_only_where_they_have_an_order),
		cmocka_unit_test(keys_have_namespace_and_name),
		cmocka_unit_test(keeps_the_servers_text_and_reason),
		cmocka_unit_test(cuts_lines_at_every_split_position),
		cmocka_unit_test(a_line_above_the_limit_is_refused_wherever_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
