/* test_client.c - calls and reflectors against a small server on the same loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../http/server.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "kube/kube.h"

enum { MANY = 100 };

struct fix {
	struct loop *loop;
	struct server *server;
	struct http *http;
	struct kube_client *client;
	char token_file[64];

	server_fn handler;
	struct buf last; /* the last request */
	int requests;
	struct server_conn *conns[MANY + 20];

	struct kube_call *calls[MANY + 20];
	size_t call_count;
	int done;
	struct err err;
	int status;
	char reason[64];
	struct doc *object;

	struct kube_store *store;
	struct kube_reflector *reflector;
	struct buf notes;
	int synced;
};

static void on_request(void *arg, struct server_conn *c, const char *request)
{
	struct fix *f = arg;
	struct err err = { 0 };

	buf_reset(&f->last);
	assert_int_equal(buf_adds(&f->last, request, &err), 0);
	if (f->requests < MANY + 20)
		f->conns[f->requests] = c;
	f->requests++;
	f->handler(f, c, request);
}

static void write_token(struct fix *f, const char *token)
{
	struct err err = { 0 };

	assert_int_equal(file_write(f->token_file, token, strlen(token), true, &err), 0);
}

static int start(void **state)
{
	struct fix *f = NEW(struct fix);
	struct kube_config config = { 0 };
	char server[64];
	struct err err = { 0 };
	int fd;

	f->last.max = 1 << 20;
	f->notes.max = 1 << 16;
	assert_int_equal(loop_new(&f->loop, &err), 0);
	f->server = server_new(f->loop, on_request, f);
	assert_int_equal(http_new(f->loop, "test/1", &f->http, &err), 0);
	snprintf(f->token_file, sizeof(f->token_file), "/tmp/kube-token-XXXXXX");
	fd = mkstemp(f->token_file);
	assert_true(fd >= 0);
	close(fd);
	write_token(f, "first\n");
	snprintf(server, sizeof(server), "http://127.0.0.1:%d", server_port(f->server));
	config.server = mem_strdup(server);
	config.token_file = mem_strdup(f->token_file);
	assert_int_equal(kube_client_new(&(struct kube_client_spec){ .loop = f->loop,
								     .http = f->http,
								     .config = &config,
								     .field_manager = "me" },
					 &f->client, &err),
			 0);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fix *f = *state;

	for (size_t i = 0; i < f->call_count; i++)
		kube_call_free(f->calls[i]);
	kube_reflector_free(f->reflector);
	kube_store_free(f->store);
	kube_client_free(f->client);
	http_free(f->http);
	server_free(f->server);
	loop_free(f->loop);
	doc_unref(f->object);
	buf_done(&f->last);
	buf_done(&f->notes);
	unlink(f->token_file);
	mem_free(f);
	return 0;
}

static void on_done(void *arg, const struct kube_answer *a)
{
	struct fix *f = arg;

	f->done++;
	f->err = *a->err;
	f->status = a->status;
	snprintf(f->reason, sizeof(f->reason), "%s", a->reason);
	doc_unref(f->object);
	f->object = doc_ref(a->object);
}

static void begin(struct fix *f, struct kube_spec spec)
{
	struct err err = { 0 };

	spec.on_done = on_done;
	spec.arg = f;
	assert_int_equal(kube_call_start(f->client, &spec, &f->calls[f->call_count++], &err), 0);
}

static void run_until(struct fix *f, const int *count, int at_least)
{
	int64_t end_ms = clock_boot_ms() + 20000;

	while (*count < at_least && clock_boot_ms() < end_ms)
		loop_turn(f->loop, 1000);
	assert_true(*count >= at_least);
}

static void answer(struct server_conn *c, const char *status, const char *headers, const char *body)
{
	char text[2000];

	snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%s\r\n%s", status,
		 strlen(body), headers, body);
	server_send(c, text);
}

static void answer_object(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)request;
	answer(c, "201 Created", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
	       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"7\"}}");
}

static void creates_an_object_and_gives_it_back(void **state)
{
	AUTO(doc_unrefp) struct doc *pod = kube_new_object(&kube_pods, "ns", "a");
	struct fix *f = *state;
	int64_t server_now;

	f->handler = answer_object;
	assert_false(kube_client_server_now_ms(f->client, &server_now));
	begin(f, (struct kube_spec){
		     .verb = KUBE_CREATE, .resource = &kube_pods, .ns = "ns", .body = pod });
	run_until(f, &f->done, 1);
	assert_int_equal(f->err.code, 0);
	assert_string_equal(kube_rv(f->object), "7");
	assert_true(doc_is_frozen(f->object));
	assert_non_null(strstr(buf_str(&f->last),
			       "POST /api/v1/namespaces/ns/pods?fieldManager=me HTTP/1.1\r\n"));
	assert_non_null(strstr(buf_str(&f->last), "Content-Type: application/json\r\n"));
	assert_non_null(strstr(buf_str(&f->last), "Authorization: Bearer first\r\n"));
	assert_non_null(
	    strstr(buf_str(&f->last), "\r\n\r\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\""));
	assert_true(kube_client_server_now_ms(f->client, &server_now));
	assert_in_range(server_now, 784111777000, 784111777000 + 20000);
}

static const struct {
	struct kube_spec spec;
	const char *line;
	const char *type;
} verbs[] = {
	{ { .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" },
	  "GET /api/v1/nodes/n HTTP",
	  NULL },
	{ { .verb = KUBE_LIST, .resource = &kube_pods, .query = "limit=1" },
	  "GET /api/v1/pods?limit=1 HTTP",
	  NULL },
	{ { .verb = KUBE_UPDATE,
	    .resource = &kube_warpjobs,
	    .ns = "x",
	    .name = "n",
	    .subresource = "status" },
	  "PUT /apis/kwarp.dev/v1alpha1/namespaces/x/warpjobs/n/status?fieldManager=me HTTP",
	  "Content-Type: application/json\r\n" },
	{ { .verb = KUBE_PATCH_MERGE, .resource = &kube_nodes, .name = "n" },
	  "PATCH /api/v1/nodes/n?fieldManager=me HTTP",
	  "Content-Type: application/merge-patch+json\r\n" },
	{ { .verb = KUBE_PATCH_JSON, .resource = &kube_nodes, .name = "n" },
	  "PATCH /api/v1/nodes/n?fieldManager=me HTTP",
	  "Content-Type: application/json-patch+json\r\n" },
	{ { .verb = KUBE_APPLY, .resource = &kube_nodes, .name = "n" },
	  "PATCH /api/v1/nodes/n?fieldManager=me&force=true HTTP",
	  "Content-Type: application/apply-patch+yaml\r\n" },
	{ { .verb = KUBE_DELETE, .resource = &kube_nodes, .name = "n" },
	  "DELETE /api/v1/nodes/n HTTP",
	  "Content-Type: application/json\r\n" },
	{ { .verb = KUBE_GET, .path = "/version" }, "GET /version HTTP", NULL },
};

static void each_verb_has_its_method_path_and_type(void **state)
{
	AUTO(doc_unrefp) struct doc *body = kube_delete_options("u", "5", 0);
	struct fix *f = *state;

	f->handler = answer_object;
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		struct kube_spec spec = verbs[i].spec;

		if (verbs[i].type != NULL)
			spec.body = body;
		begin(f, spec);
		run_until(f, &f->done, (int)i + 1);
		if (strncmp(buf_str(&f->last), verbs[i].line, strlen(verbs[i].line)) != 0)
			fail_msg("%s is not %s", buf_str(&f->last), verbs[i].line);
		if (verbs[i].type != NULL)
			assert_non_null(strstr(buf_str(&f->last), verbs[i].type));
	}
	assert_string_equal(doc_str(body, "preconditions.uid", ""), "u");
	assert_string_equal(doc_str(body, "preconditions.resourceVersion", ""), "5");
	assert_int_equal(doc_int(body, "gracePeriodSeconds", -1), 0);
}

static void answer_exists(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)request;
	answer(c, "409 Conflict", "",
	       "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\",\"message\":\"pods \\\"a\\\" "
	       "already exists\"}");
}

static void a_refusal_keeps_the_servers_words(void **state)
{
	struct fix *f = *state;

	f->handler = answer_exists;
	begin(f, (struct kube_spec){ .verb = KUBE_CREATE, .resource = &kube_pods, .ns = "ns" });
	run_until(f, &f->done, 1);
	assert_int_equal(f->err.code, ERR_EXISTS);
	assert_string_equal(f->reason, "AlreadyExists");
	assert_string_equal(f->err.text,
			    "create /api/v1/namespaces/ns/pods: pods \"a\" already exists");
	assert_int_equal(f->requests, 1);
}

static void answer_429_then_object(void *arg, struct server_conn *c, const char *request)
{
	struct fix *f = arg;

	if (f->requests == 1)
		answer(c, "429 Too Many Requests", "Retry-After: 0\r\n", "slow");
	else
		answer_object(arg, c, request);
}

static void retries_what_carries_retry_after(void **state)
{
	struct fix *f = *state;
	int64_t start_ms = clock_boot_ms();

	f->handler = answer_429_then_object;
	begin(f, (struct kube_spec){ .verb = KUBE_CREATE, .resource = &kube_pods, .ns = "ns" });
	run_until(f, &f->done, 1);
	assert_int_equal(f->err.code, 0);
	assert_int_equal(f->requests, 2);
	assert_true(clock_boot_ms() - start_ms >= 500);
}

static void answer_500(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)request;
	answer(c, "500 Internal Server Error", "", "etcdserver: request timed out");
}

static void does_not_retry_an_unknown_outcome(void **state)
{
	struct fix *f = *state;

	f->handler = answer_500;
	begin(f, (struct kube_spec){ .verb = KUBE_CREATE, .resource = &kube_pods, .ns = "ns" });
	run_until(f, &f->done, 1);
	assert_int_equal(f->err.code, ERR_TIMEOUT);
	assert_int_equal(f->requests, 1);
}

static void answer_only_second(void *arg, struct server_conn *c, const char *request)
{
	if (strstr(request, "Bearer second") == NULL)
		answer(c, "401 Unauthorized", "", "{\"kind\":\"Status\",\"message\":\"no\"}");
	else
		answer_object(arg, c, request);
}

static void reads_the_token_again_when_it_is_refused(void **state)
{
	struct fix *f = *state;

	f->handler = answer_only_second;
	write_token(f, "second");
	begin(f, (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" });
	begin(f, (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "m" });
	run_until(f, &f->done, 2);
	assert_int_equal(f->err.code, 0);
	assert_int_equal(f->requests, 4);
}

static void a_token_that_stays_wrong_is_refused_once(void **state)
{
	struct fix *f = *state;

	f->handler = answer_only_second;
	begin(f, (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" });
	run_until(f, &f->done, 1);
	assert_int_equal(f->err.code, ERR_DENIED);
	assert_int_equal(f->requests, 2);
}

static void say_nothing(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	(void)c;
	(void)request;
}

static void limits_the_calls_on_the_way_but_not_the_lease(void **state)
{
	struct fix *f = *state;

	f->handler = say_nothing;
	for (int i = 0; i < MANY; i++)
		begin(f,
		      (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" });
	run_until(f, &f->requests, 80);
	for (int i = 0; i < 10; i++)
		loop_turn(f->loop, 1);
	assert_int_equal(f->requests, 80);
	begin(f, (struct kube_spec){
		     .verb = KUBE_GET, .lane = KUBE_LEASE, .resource = &kube_nodes, .name = "n" });
	run_until(f, &f->requests, 81);
	assert_int_equal(kube_client_in_flight(f->client), MANY + 1);
	for (int i = 0; i < 5; i++)
		answer_object(f, f->conns[i], "");
	run_until(f, &f->requests, 86);
	assert_int_equal(f->done, 5);
	kube_call_free(MOVE(f->calls[50])); /* room for one more */
	run_until(f, &f->requests, 87);
}

static void a_freed_call_does_not_call_back(void **state)
{
	struct fix *f = *state;

	f->handler = answer_object;
	begin(f, (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" });
	kube_call_free(MOVE(f->calls[0]));
	begin(f, (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" });
	run_until(f, &f->requests, 1);
	kube_call_free(MOVE(f->calls[1]));
	for (int i = 0; i < 10; i++)
		loop_turn(f->loop, 1);
	assert_int_equal(f->done, 0);
}

static int64_t gate(void *arg, int64_t now_ms)
{
	assert_true(now_ms > 0);
	return *(int64_t *)arg;
}

static void writes_pass_the_gate_of_leadership(void **state)
{
	struct fix *f = *state;
	int64_t left_ms = 999;
	struct kube_spec spec = { .verb = KUBE_DELETE, .resource = &kube_nodes, .name = "n" };

	f->handler = answer_object;
	kube_client_set_gate(f->client, gate, &left_ms);
	begin(f, spec);
	run_until(f, &f->done, 1);
	assert_int_equal(f->err.code, ERR_DENIED);
	assert_string_equal(f->reason, "NotLeading");
	assert_int_equal(f->requests, 0);
	begin(f, (struct kube_spec){ .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" });
	run_until(f, &f->done, 2);
	assert_int_equal(f->err.code, 0);
	left_ms = 10000;
	begin(f, spec);
	run_until(f, &f->done, 3);
	assert_int_equal(f->err.code, 0);
	f->handler = say_nothing;
	left_ms = 1000; /* the request ends before leadership does */
	begin(f, spec);
	run_until(f, &f->done, 4);
	assert_int_equal(f->err.code, ERR_TIMEOUT);
}

static void programs_can_wait_for_one_call(void **state)
{
	AUTO(doc_unrefp) struct doc *object = NULL;
	struct fix *f = *state;
	struct kube_spec spec = { .verb = KUBE_GET, .resource = &kube_nodes, .name = "n" };
	struct err err = { 0 };

	f->handler = answer_object;
	assert_int_equal(kube_call_wait(f->client, &spec, &object, &err), 0);
	assert_string_equal(kube_name(object), "a");
	f->handler = answer_exists;
	assert_int_equal(kube_call_wait(f->client, &spec, NULL, &err), ERR_EXISTS);
	err_clear(&err);
	spec.name = "a/b";
	assert_int_equal(kube_call_wait(f->client, &spec, NULL, &err), ERR_INVALID);
}

/* ---- events ---- */

static void answer_events(void *arg, struct server_conn *c, const char *request)
{
	struct fix *f = arg;

	if (strstr(request, "PATCH ") == request && f->requests == 2)
		answer(c, "404 Not Found", "", "{\"kind\":\"Status\",\"reason\":\"NotFound\"}");
	else
		answer(c, "200 OK", "", "{\"kind\":\"Event\"}");
}

static void events_are_posted_patched_and_posted_again_when_they_expired(void **state)
{
	AUTO(doc_unrefp) struct doc *job = kube_new_object(&kube_warpjobs, "ns", "pi");
	struct fix *f = *state;
	struct kube_recorder *r = kube_recorder_new(f->client, "kwarp-controller", "one");

	f->handler = answer_events;
	kube_event(r, &kube_warpjobs, job, true, "ChunkFailed", "chunk 7");
	run_until(f, &f->requests, 1);
	assert_non_null(strstr(buf_str(&f->last), "POST /api/v1/namespaces/ns/events"));
	assert_non_null(strstr(buf_str(&f->last), "\"message\":\"chunk 7\""));
	assert_non_null(
	    strstr(buf_str(&f->last), "\"involvedObject\":{\"apiVersion\":\"kwarp.dev/"));
	kube_event(r, &kube_warpjobs, job, true, "ChunkFailed", "chunk 7");
	run_until(f, &f->requests, 2);
	assert_non_null(strstr(buf_str(&f->last), "PATCH /api/v1/namespaces/ns/events/pi."));
	assert_non_null(strstr(buf_str(&f->last), "{\"count\":2,"));
	run_until(f, &f->requests, 3);
	assert_non_null(strstr(buf_str(&f->last), "POST /api/v1/namespaces/ns/events"));
	kube_recorder_free(r);
}

/* ---- reflector ---- */

static void on_change(void *arg, const struct kube_change *c)
{
	struct fix *f = arg;

	buf_note(&f->notes, "%s:%s>%s ", c->key, c->old ? kube_rv(c->old) : "",
		 c->new ? kube_rv(c->new) : "");
}

static void on_synced(void *arg)
{
	struct fix *f = arg;

	f->synced++;
}

static void list_then_stream(void *arg, struct server_conn *c, const char *request)
{
	(void)arg;
	if (strstr(request, "sendInitialEvents") != NULL)
		answer(c, "400 Bad Request", "", "unknown");
	else if (strstr(request, "watch=true") == NULL)
		answer(c, "200 OK", "",
		       "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"10\"},"
		       "\"items\":[{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"5\"}}]}");
	else
		server_send(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

static void a_reflector_lists_watches_and_goes_on_after_the_stream_broke(void **state)
{
	static const char event[] =
	    "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Node\",\"metadata\":"
	    "{\"name\":\"n\",\"resourceVersion\":\"12\"}}}\n";
	struct fix *f = *state;
	struct err err = { 0 };
	char chunk[300];

	f->handler = list_then_stream;
	f->store = kube_store_new(&(struct kube_store_spec){ .on_change = on_change, .arg = f });
	assert_int_equal(
	    kube_reflector_start(&(struct kube_reflector_spec){ .client = f->client,
								.resource = &kube_nodes,
								.name = "n",
								.store = f->store,
								.on_synced = on_synced,
								.arg = f },
				 &f->reflector, &err),
	    0);
	run_until(f, &f->synced, 1);
	assert_string_equal(buf_str(&f->notes), "n:>5 ");
	run_until(f, &f->requests, 3);
	assert_non_null(strstr(buf_str(&f->last), "fieldSelector=metadata.name%3Dn"));
	assert_non_null(strstr(buf_str(&f->last), "resourceVersion=10"));
	snprintf(chunk, sizeof(chunk), "%zx\r\n%s\r\n", strlen(event), event);
	server_send(f->conns[2], chunk);
	while (strcmp(kube_store_rv(f->store), "12") != 0)
		loop_turn(f->loop, 1000);
	assert_string_equal(buf_str(&f->notes), "n:>5 n:5>12 ");
	server_close(f->conns[2]);
	run_until(f, &f->requests, 4);
	assert_non_null(strstr(buf_str(&f->last), "resourceVersion=12"));
	assert_int_equal(f->synced, 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(creates_an_object_and_gives_it_back),
		T(each_verb_has_its_method_path_and_type),
		T(a_refusal_keeps_the_servers_words),
		T(retries_what_carries_retry_after),
		T(does_not_retry_an_unknown_outcome),
		T(reads_the_token_again_when_it_is_refused),
		T(a_token_that_stays_wrong_is_refused_once),
		T(limits_the_calls_on_the_way_but_not_the_lease),
		T(a_freed_call_does_not_call_back),
		T(writes_pass_the_gate_of_leadership),
		T(programs_can_wait_for_one_call),
		T(events_are_posted_patched_and_posted_again_when_they_expired),
		T(a_reflector_lists_watches_and_goes_on_after_the_stream_broke),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
