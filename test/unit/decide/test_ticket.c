/* test_ticket.c - what a ticket's status says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "controller/decide/ticket.h"
#include "doc/doc.h"

static const char FRESH[] =
    "{\"metadata\": {\"name\": \"t\", \"namespace\": \"default\", \"uid\": \"u-1\","
    " \"resourceVersion\": \"7\", \"generation\": 1,"
    " \"creationTimestamp\": \"2026-01-01T00:00:00Z\"},"
    " \"spec\": {\"jobRef\": {\"name\": \"pi\"}, \"expirationSeconds\": 90, \"tokenSha256\":"
    " \"0707070707070707070707070707070707070707070707070707070707070707\"}}";

enum { CREATED_S = 1767225600 };

static const struct ticket_facts READY = { .verdict = TICKET_READY,
					   .address = "host:8443",
					   .ca = "PEM",
					   .wall_ms = CREATED_S * 1000LL + 5000 };

static struct doc *parse(const char *text)
{
	struct doc *d = NULL;
	struct err err = { 0 };

	assert_int_equal(doc_parse_json(text, strlen(text), NULL, &d, &err), 0);
	return d;
}

/* As the server does with a patch of the status. */
static struct doc *patched(const struct doc *object, const struct doc *patch)
{
	struct doc *next = doc_copy(object);

	DOC_EACH_MEMBER(doc_get(patch, "status"), m)
	{
		if (!doc_has(next, "status"))
			doc_set(next, "status", doc_new_map());
		doc_set(doc_edit(next, "status"), m.key, doc_copy(m.value));
	}
	return next;
}

static void a_ticket_expires_so_long_after_its_creation(void **state)
{
	AUTO(doc_unrefp) struct doc *d = parse(FRESH);
	struct ticket t;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ticket_read(d, &t, &err), 0);
	assert_string_equal(t.job, "pi");
	assert_int_equal(t.token_sha256.bytes[31], 7);
	assert_int_equal(t.expires_ms, (CREATED_S + 90) * 1000LL);
	assert_false(t.is_decided || t.is_ready || t.is_used);
	doc_remove(doc_edit(d, "spec"), "expirationSeconds");
	assert_int_equal(ticket_read(d, &t, &err), 0);
	assert_int_equal(t.expires_ms, (CREATED_S + 600) * 1000LL);
}

static void what_the_crd_does_not_allow_is_refused(void **state)
{
	static const struct {
		const char *path, *json;
	} rows[] = {
		{ "spec.jobRef", "{}" },
		{ "spec.tokenSha256", "\"07\"" },
		{ "spec.expirationSeconds", "9" },
		{ "spec.expirationSeconds", "3601" },
		{ "metadata.creationTimestamp", "\"yesterday\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp) struct doc *d = parse(FRESH);
		struct ticket t;
		struct err err = { 0 };

		doc_set_path(d, rows[i].path, parse(rows[i].json));
		assert_true(ticket_read(d, &t, &err) < 0);
		assert_null(ticket_patch(d, &READY));
	}
}

static void a_ready_ticket_says_where_to_go_and_until_when(void **state)
{
	AUTO(doc_unrefp) struct doc *d = parse(FRESH);
	AUTO(doc_unrefp) struct doc *patch = ticket_patch(d, &READY);
	AUTO(doc_unrefp) struct doc *next = NULL;
	struct ticket t;
	struct err err = { 0 };

	(void)state;
	assert_string_equal(doc_str(patch, "metadata.uid", ""), "u-1");
	assert_string_equal(doc_str(patch, "metadata.resourceVersion", ""), "7");
	assert_string_equal(doc_str(patch, "status.expirationTime", ""), "2026-01-01T00:01:30Z");
	assert_string_equal(doc_str(patch, "status.dataPlane.address", ""), "host:8443");
	assert_string_equal(doc_str(patch, "status.dataPlane.ca", ""), "PEM");
	assert_false(doc_has(patch, "status.usedTime"));
	next = patched(d, patch);
	assert_int_equal(ticket_read(next, &t, &err), 0);
	assert_true(t.is_decided && t.is_ready && !t.is_used);
	assert_null(ticket_patch(next, &READY));
}

static void a_refused_ticket_says_why_and_stays_so(void **state)
{
	static const struct {
		enum ticket_verdict verdict;
		const char *reason;
	} rows[] = {
		{ TICKET_NO_STORE, "NoStore" },
		{ TICKET_NO_JOB, "JobNotFound" },
		{ TICKET_TAKEN, "TokenInUse" },
		{ TICKET_TOO_MANY, "TooManyTickets" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(doc_unrefp) struct doc *d = parse(FRESH);
		struct ticket_facts f = READY;
		AUTO(doc_unrefp) struct doc *patch = NULL;
		AUTO(doc_unrefp) struct doc *next = NULL;

		f.verdict = rows[i].verdict;
		patch = ticket_patch(d, &f);
		assert_string_equal(doc_str(patch, "status.conditions[0].status", ""), "False");
		assert_string_equal(doc_str(patch, "status.conditions[0].reason", ""),
				    rows[i].reason);
		assert_true(strlen(doc_str(patch, "status.conditions[0].message", "")) > 10);
		assert_false(doc_has(patch, "status.dataPlane"));
		next = patched(d, patch);
		f.verdict = TICKET_READY;
		f.is_used = true;
		assert_null(ticket_patch(next, &f));
	}
}

static void the_first_use_is_recorded_once(void **state)
{
	AUTO(doc_unrefp) struct doc *d = parse(FRESH);
	AUTO(doc_unrefp) struct doc *first = ticket_patch(d, &READY);
	AUTO(doc_unrefp) struct doc *ready = patched(d, first);
	AUTO(doc_unrefp) struct doc *patch = NULL;
	AUTO(doc_unrefp) struct doc *used = NULL;
	struct ticket_facts f = READY;

	(void)state;
	f.is_used = true;
	f.wall_ms += 2000;
	patch = ticket_patch(ready, &f);
	assert_string_equal(doc_str(patch, "status.usedTime", ""), "2026-01-01T00:00:07Z");
	assert_int_equal(doc_count(doc_get(patch, "status.conditions")), 2);
	assert_false(doc_has(patch, "status.dataPlane"));
	used = patched(ready, patch);
	f.wall_ms += 2000;
	assert_null(ticket_patch(used, &f));
}

static void a_built_ticket_can_be_read(void **state)
{
	AUTO(doc_unrefp)
	struct doc *job =
	    parse("{\"apiVersion\": \"kwarp.dev/v1alpha1\", \"kind\": \"WarpJob\", \"metadata\": "
		  "{\"name\": \"pi\", \"namespace\": \"default\", \"uid\": \"u-2\"}}");
	AUTO(doc_unrefp) struct doc *d = NULL;
	struct hash_digest token = { { 1, 2, 3 } };
	struct ticket t;
	struct err err = { 0 };

	(void)state;
	d = ticket_build(job, "result-1", &token, 90);
	assert_string_equal(doc_str(d, "metadata.namespace", ""), "default");
	assert_string_equal(doc_str(d, "metadata.ownerReferences[0].uid", ""), "u-2");
	doc_set_path(d, "metadata.creationTimestamp", doc_new_str("2026-01-01T00:00:00Z"));
	assert_int_equal(ticket_read(d, &t, &err), 0);
	assert_string_equal(t.job, "pi");
	assert_true(hash_equal(&t.token_sha256, &token));
	assert_int_equal(t.expires_ms, (CREATED_S + 90) * 1000LL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ticket_expires_so_long_after_its_creation),
		cmocka_unit_test(what_the_crd_does_not_allow_is_refused),
		cmocka_unit_test(a_ready_ticket_says_where_to_go_and_until_when),
		cmocka_unit_test(a_refused_ticket_says_why_and_stays_so),
		cmocka_unit_test(the_first_use_is_recorded_once),
		cmocka_unit_test(a_built_ticket_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
