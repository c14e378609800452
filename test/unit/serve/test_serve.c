/* test_serve.c - the data plane with agents that are joined to it by memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/serve/serve_int.h"
#include "test/unit/serve/link.h"

static const char UID[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
static const char KERNEL[] = "a kernel's text";

struct plane {
	struct serve *serve;
	char log[2000]; /* what the owner heard */
	enum serve_take take;
	struct link a, b;
};

static void heard(struct plane *p, const char *what, const char *node, uint64_t n)
{
	size_t at = strlen(p->log);

	snprintf(p->log + at, sizeof(p->log) - at, "%s %s %llu;", what, node,
		 (unsigned long long)n);
}

static void on_register(void *arg, const char *node, const struct wire_register *said)
{
	heard(arg, "register", node, said->slots);
}

static void on_offered(void *arg, const char *node, const struct wire_dispatch *running, size_t n)
{
	(void)running;
	heard(arg, "offered", node, n);
}

static enum serve_take on_result(void *arg, const char *node, const struct wire_dispatch *d,
				 const struct wire_result *r, const char **why)
{
	struct plane *p = arg;

	assert_string_equal(d->job_uid, UID);
	heard(p, "result", node, r->chunk);
	*why = "wrong";
	return p->take;
}

static void on_state(void *arg, const char *node, bool full, bool draining)
{
	heard(arg, "state", node, (full ? 10u : 0u) + draining);
}

static void on_disconnect(void *arg, const char *node)
{
	heard(arg, "disconnect", node, 0);
}

static void on_lost(void *arg, const char *node)
{
	heard(arg, "lost", node, 0);
}

static bool open_blob(void *arg, const struct hash_digest *digest, struct serve_blob *ret)
{
	(void)arg;
	(void)digest;
	*ret = (struct serve_blob){ .bytes = KERNEL, .size = sizeof(KERNEL) - 1 };
	return true;
}

static void *read_result(void *arg, const struct serve_part *part, serve_read_fn fn, void *fn_arg)
{
	(void)arg;
	(void)part;
	(void)fn;
	(void)fn_arg;
	return NULL;
}

static void cancel_read(void *arg, void *read)
{
	(void)arg;
	(void)read;
}

static void on_ticket_used(void *arg, const struct hash_digest *token_sha256)
{
	(void)token_sha256;
	heard(arg, "ticket", "", 0);
}

static const struct serve_owner OWNER = {
	on_register, on_offered, on_result,   on_state,    on_disconnect,
	on_lost,     open_blob,  read_result, cancel_read, on_ticket_used,
};

static void plane_make(struct plane *p)
{
	struct serve_options options = {
		.epoch = 1700000000, .ticket_key = { 1, 2, 3 }, .owner = &OWNER, .owner_arg = p
	};
	struct hash_digest d;

	*p = (struct plane){ .take = SERVE_KEEP };
	p->serve = serve_new(&options);
	hash_bytes("secret-a", 8, &d);
	serve_set_credential(p->serve, "node-a", &d);
	hash_bytes("secret-b", 8, &d);
	serve_set_credential(p->serve, "node-b", &d);
	serve_set_open(p->serve, true);
	link_make(&p->a, p->serve, "secret-a");
	link_make(&p->b, p->serve, "secret-b");
}

static void plane_done(struct plane *p)
{
	link_done(&p->a);
	link_done(&p->b);
	serve_free(p->serve);
}

static void connect_agent(struct link *l)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 20 };
	struct wire_dispatch running = { .slice = 9, .n_chunks = 1 };
	struct wire_register r = { .version = 1,
				   .oldest = 1,
				   .agent_version = "0.1.0",
				   .slots = 2,
				   .running = &running,
				   .n_running = 1 };
	struct err err = { 0 };

	memcpy(running.job_uid, UID, sizeof(UID));
	assert_int_equal(wire_register_encode(&r, &b, &err), 0);
	link_ask(l, "POST", "/v1/register", &b, &link_stream);
}

/* The next frame of the stream, in the arena. */
static bool next_frame(struct link *l, struct arena *a, struct wire_frame *ret)
{
	struct err err = { 0 };
	size_t size = 0;

	assert_int_equal(wire_frame_size(l->stream.data, l->stream.len, &size, &err), 0);
	if (size == 0 || size > l->stream.len)
		return false;
	assert_int_equal(wire_frame_decode(l->stream.data, size, a, ret, &err), 0);
	buf_drop(&l->stream, size);
	return true;
}

static uint64_t expect_welcome(struct link *l, const char *node)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_frame f;

	assert_true(next_frame(l, &a, &f));
	assert_int_equal(f.type, WIRE_FRAME_WELCOME);
	assert_string_equal(f.welcome.node, node);
	assert_int_equal(f.welcome.epoch, 1700000000);
	return f.welcome.session;
}

static void make_order(struct wire_order *o, struct wire_chunk chunks[4])
{
	memset(chunks, 0, 4 * sizeof(*chunks));
	for (uint32_t i = 0; i < 4; i++)
		chunks[i] = (struct wire_chunk){ .index = 8 + i, .grid = { 1, 1, 1 } };
	*o = (struct wire_order){ .kind = WIRE_ORDER_RUN,
				  .job = "default/pi",
				  .kernel_size = 15,
				  .entry_point = "",
				  .iterations = 1,
				  .chunk_timeout_ms = 1,
				  .chunks = chunks,
				  .n_chunks = 4 };
	memset(o->kernel, 7, sizeof(o->kernel));
	memcpy(o->dispatch.job_uid, UID, sizeof(UID));
	o->dispatch.first_chunk = 8;
	o->dispatch.n_chunks = 4;
}

static void get_order(struct plane *p, struct link *l, const char *node, struct arena *a,
		      struct wire_order *ret)
{
	struct wire_order o;
	struct wire_chunk chunks[4];
	struct wire_frame f;
	struct err err = { 0 };

	make_order(&o, chunks);
	assert_int_equal(serve_send(p->serve, node, &o, &err), 0);
	link_pump(l);
	assert_true(next_frame(l, a, &f));
	assert_int_equal(f.type, WIRE_FRAME_ORDER);
	*ret = f.order;
}

/* Offers results of the chunks first .. first + n - 1. */
static void offer(struct link *l, uint64_t session, const struct wire_order *o, uint32_t first,
		  uint32_t n)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 20 };
	struct wire_result results[4] = { 0 };
	struct wire_results part = { .dispatch = o->dispatch, .results = results, .n_results = n };
	struct wire_page page = {
		.session = session, .parts = &part, .n_parts = 1, .offered = true
	};
	struct err err = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		results[i] =
		    (struct wire_result){ .chunk = first + i, .outcome = WIRE_OK, .message = "" };
		memset(results[i].digest, 5, WIRE_DIGEST);
	}
	memcpy(part.ticket, o->ticket, WIRE_DIGEST);
	assert_int_equal(wire_page_encode(&page, &b, &err), 0);
	link_ask(l, "POST", "/v1/results", &b, &link_client);
}

static void get_answer(struct link *l, struct arena *a, struct wire_answer *ret)
{
	struct err err = { 0 };

	assert_int_equal(l->status, 200);
	assert_int_equal(wire_answer_decode(l->body.data, l->body.len, a, ret, &err), 0);
}

static void a_credential_that_is_wrong_or_missing_gets_nothing(void **state)
{
	AUTO(plane_done) struct plane p;
	static const char *const wrong[] = {
		NULL, "x", "secret", "secret-c", "node-a", "secret-aa"
	};
	static const char *const paths[] = {
		"/v1/register", "/v1/results",
		"/v1/blobs/0707070707070707070707070707070707070707070707070707070707070707", "/"
	};
	AUTO(buf_done) struct buf body = { .max = 100 };
	struct err err = { 0 };

	(void)state;
	plane_make(&p);
	assert_int_equal(buf_adds(&body, "x", &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		for (size_t j = 0; j < ARRAY_LEN(paths); j++) {
			p.a.credential = wrong[i];
			link_ask(&p.a, "POST", paths[j], &body, &link_client);
			assert_int_equal(p.a.status, 401);
			link_ask(&p.a, "GET", paths[j], NULL, &link_client);
			assert_int_equal(p.a.status, 401);
		}
	}
	assert_string_equal(p.log, "");
}

static void an_agent_registers_gets_an_order_and_answers(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_order o;
	struct wire_answer x;
	uint64_t session;

	(void)state;
	plane_make(&p);
	assert_false(serve_is_ready(p.serve, "node-a"));
	connect_agent(&p.a);
	assert_int_equal(p.a.stream_status, 200);
	session = expect_welcome(&p.a, "node-a");
	assert_true(serve_is_ready(p.serve, "node-a"));
	get_order(&p, &p.a, "node-a", &a, &o);
	assert_int_equal(o.dispatch.epoch, 1700000000);
	offer(&p.a, session, &o, 8, 2);
	get_answer(&p.a, &a, &x);
	assert_int_equal(x.n_decided, 0);
	assert_int_equal(x.n_refused, 0);
	assert_string_equal(p.log, "register node-a 2;result node-a 8;result node-a 9;"
				   "offered node-a 2;");
}

static void decided_chunks_are_told_to_those_who_keep_them(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	const struct range ranges[] = { { 0, 8 }, { 10, 100 } };
	struct wire_order o;
	struct wire_frame f;
	uint64_t session;

	(void)state;
	plane_make(&p);
	connect_agent(&p.a);
	session = expect_welcome(&p.a, "node-a");
	connect_agent(&p.b);
	expect_welcome(&p.b, "node-b");
	get_order(&p, &p.a, "node-a", &a, &o);
	offer(&p.a, session, &o, 8, 4);
	serve_decided(p.serve, UID, ranges, 2, false);
	serve_decided(p.serve, "other", NULL, 0, true);
	link_pump(&p.a);
	link_pump(&p.b);
	assert_true(next_frame(&p.a, &a, &f));
	assert_int_equal(f.type, WIRE_FRAME_DECIDED);
	assert_int_equal(f.decided.n_jobs, 1);
	assert_string_equal(f.decided.jobs[0].job_uid, UID);
	assert_int_equal(f.decided.jobs[0].n_runs, 2);
	assert_int_equal(f.decided.jobs[0].runs[0].first, 8);
	assert_int_equal(f.decided.jobs[0].runs[0].count, 1);
	assert_int_equal(f.decided.jobs[0].runs[1].first, 10);
	assert_int_equal(f.decided.jobs[0].runs[1].count, 2);
	assert_false(next_frame(&p.b, &a, &f));
	serve_decided(p.serve, UID, NULL, 0, true);
	serve_decided(p.serve, UID, NULL, 0, true);
	link_pump(&p.a);
	assert_true(next_frame(&p.a, &a, &f));
	assert_int_equal(f.decided.jobs[0].runs[0].first, 9);
	assert_false(next_frame(&p.a, &a, &f));
}

static void a_result_needs_a_ticket_for_exactly_this_node_and_dispatch(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_order o;
	struct wire_answer x;
	uint64_t session_a;
	uint64_t session_b;

	(void)state;
	plane_make(&p);
	connect_agent(&p.a);
	session_a = expect_welcome(&p.a, "node-a");
	connect_agent(&p.b);
	session_b = expect_welcome(&p.b, "node-b");
	get_order(&p, &p.a, "node-a", &a, &o);
	p.log[0] = '\0';
	/* Another node's ticket, and one for other chunks, attempts, epochs. */
	offer(&p.b, session_b, &o, 8, 4);
	get_answer(&p.b, &a, &x);
	assert_int_equal(x.n_refused, 1);
	assert_int_equal(x.refused[0].runs[0].count, 4);
	assert_string_equal(x.reason, "no valid ticket");
	for (int i = 0; i < 5; i++) {
		struct wire_order changed = o;

		changed.dispatch.first_chunk -= i == 0;
		changed.dispatch.attempt += i == 1;
		changed.dispatch.epoch += i == 2;
		changed.dispatch.replica += i == 3;
		changed.ticket[31] ^= i == 4;
		offer(&p.a, session_a, &changed, 8, 1);
		get_answer(&p.a, &a, &x);
		assert_int_equal(x.n_refused, 1);
	}
	assert_null(strstr(p.log, "result"));
	offer(&p.a, session_a, &o, 8, 1);
	assert_non_null(strstr(p.log, "result node-a 8;"));
}

static void the_owner_decides_what_becomes_of_a_result(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_order o;
	struct wire_answer x;
	uint64_t session;

	(void)state;
	plane_make(&p);
	connect_agent(&p.a);
	session = expect_welcome(&p.a, "node-a");
	get_order(&p, &p.a, "node-a", &a, &o);
	p.take = SERVE_DECIDED;
	offer(&p.a, session, &o, 8, 2);
	get_answer(&p.a, &a, &x);
	assert_int_equal(x.decided[0].runs[0].first, 8);
	assert_int_equal(x.decided[0].runs[0].count, 2);
	p.take = SERVE_WRONG;
	offer(&p.a, session, &o, 9, 1);
	get_answer(&p.a, &a, &x);
	assert_int_equal(x.n_decided, 0);
	assert_int_equal(x.refused[0].runs[0].first, 9);
	assert_string_equal(x.reason, "wrong");
}

static void a_second_session_closes_the_first(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct link second;
	struct wire_frame f;
	uint64_t first_session;
	struct wire_order o;

	(void)state;
	plane_make(&p);
	link_make(&second, p.serve, "secret-a");
	connect_agent(&p.a);
	first_session = expect_welcome(&p.a, "node-a");
	get_order(&p, &p.a, "node-a", &a, &o);
	connect_agent(&second);
	assert_true(expect_welcome(&second, "node-a") != first_session);
	link_pump(&p.a);
	assert_true(next_frame(&p.a, &a, &f));
	assert_int_equal(f.type, WIRE_FRAME_CLOSE);
	assert_int_equal(f.close.reason, WIRE_CLOSE_REPLACED);
	assert_true(p.a.stream_ended);
	offer(&p.a, first_session, &o, 8, 1);
	assert_int_equal(p.a.status, 409);
	assert_string_equal(p.log, "register node-a 2;disconnect node-a 0;register node-a 2;");
	/* The end of the old connection does not touch the new session. */
	link_done(&p.a);
	assert_true(serve_is_ready(p.serve, "node-a"));
	link_done(&second);
	assert_false(serve_is_ready(p.serve, "node-a"));
}

static void a_node_is_lost_fifteen_seconds_after_its_session(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	serve_tick(p.serve, 1000);
	connect_agent(&p.a);
	link_done(&p.a);
	serve_tick(p.serve, 15999);
	assert_string_equal(p.log, "register node-a 2;disconnect node-a 0;");
	serve_tick(p.serve, 16000);
	assert_string_equal(p.log, "register node-a 2;disconnect node-a 0;lost node-a 0;");
	serve_tick(p.serve, 99000);
	link_make(&p.a, p.serve, "secret-a");
	connect_agent(&p.a);
	link_done(&p.a);
	link_make(&p.a, p.serve, "secret-a");
	connect_agent(&p.a);
	p.log[0] = '\0';
	serve_tick(p.serve, 200000);
	assert_string_equal(p.log, "");
}

static void a_new_or_removed_credential_ends_the_session(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_frame f;
	struct hash_digest d;

	(void)state;
	plane_make(&p);
	connect_agent(&p.a);
	expect_welcome(&p.a, "node-a");
	hash_bytes("new", 3, &d);
	serve_set_credential(p.serve, "node-a", &d);
	link_pump(&p.a);
	assert_true(next_frame(&p.a, &a, &f));
	assert_int_equal(f.close.reason, WIRE_CLOSE_DENIED);
	link_ask(&p.a, "GET", "/v1/blobs/00", NULL, &link_client);
	assert_int_equal(p.a.status, 401);
	p.a.credential = "new";
	connect_agent(&p.a);
	expect_welcome(&p.a, "node-a");
	serve_remove_node(p.serve, "node-a");
	connect_agent(&p.a);
	assert_int_equal(p.a.stream_status, 401);
}

static void blobs_go_to_those_whose_orders_name_them(void **state)
{
	static const char path[] =
	    "/v1/blobs/0707070707070707070707070707070707070707070707070707070707070707";
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_order o;

	(void)state;
	plane_make(&p);
	connect_agent(&p.a);
	expect_welcome(&p.a, "node-a");
	link_ask(&p.a, "GET", path, NULL, &link_client);
	assert_int_equal(p.a.status, 404);
	get_order(&p, &p.a, "node-a", &a, &o);
	p.a.range = "bytes=2-5";
	link_ask(&p.a, "GET", path, NULL, &link_client);
	assert_int_equal(p.a.status, 206);
	assert_string_equal(buf_str(&p.a.body), "kern");
	link_ask(&p.b, "GET", path, NULL, &link_client);
	assert_int_equal(p.b.status, 404);
	link_ask(&p.a, "GET", "/v1/blobs/xyz", NULL, &link_client);
	assert_int_equal(p.a.status, 404);
}

static void a_closed_plane_serves_nobody(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(arena_done) struct arena a = { 0 };
	struct wire_frame f;
	struct wire_order o;
	struct wire_chunk chunks[4];
	struct err err = { 0 };

	(void)state;
	plane_make(&p);
	connect_agent(&p.a);
	expect_welcome(&p.a, "node-a");
	serve_set_open(p.serve, false);
	link_pump(&p.a);
	assert_true(next_frame(&p.a, &a, &f));
	assert_int_equal(f.close.reason, WIRE_CLOSE_LEAVING);
	connect_agent(&p.a);
	assert_int_equal(p.a.stream_status, 503);
	make_order(&o, chunks);
	assert_int_equal(serve_send(p.serve, "node-a", &o, &err), ERR_UNAVAILABLE);
}

static void a_node_cannot_open_many_requests_at_once(void **state)
{
	AUTO(plane_done) struct plane p;
	struct h2_header header = { "authorization", "Bearer secret-a" };
	struct h2_request r = {
		.method = "POST", .path = "/v1/results", .headers = &header, .n_headers = 1
	};
	static const char body[1 << 20];
	struct h2_stream *streams[SERVE_MAX_CALLS];

	(void)state;
	plane_make(&p);
	/* More than the windows let through at once: these stay unfinished. */
	for (int i = 0; i < SERVE_MAX_CALLS; i++) {
		streams[i] = h2_request(p.a.client, &r, body, sizeof(body), &link_client, &p.a);
		assert_non_null(streams[i]);
	}
	link_pass(p.a.client, p.a.server);
	link_pass(p.a.client, p.a.server);
	link_ask(&p.b, "POST", "/v1/results", NULL, &link_client);
	assert_int_equal(p.b.status, 400);
	p.b.credential = "secret-a";
	link_ask(&p.b, "POST", "/v1/results", NULL, &link_client);
	assert_int_equal(p.b.status, 503);
	link_done(&p.a);
	link_ask(&p.b, "POST", "/v1/results", NULL, &link_client);
	assert_int_equal(p.b.status, 400);
}

static void rubbish_is_answered_with_a_reason(void **state)
{
	AUTO(plane_done) struct plane p;
	AUTO(buf_done) struct buf body = { .max = 100 };
	struct err err = { 0 };

	(void)state;
	plane_make(&p);
	assert_int_equal(buf_adds(&body, "\x08\x01", &err), 0);
	link_ask(&p.a, "POST", "/v1/register", &body, &link_client);
	assert_int_equal(p.a.status, 400);
	assert_string_equal(buf_str(&p.a.body), "decode register: oldest: missing");
	link_ask(&p.a, "POST", "/v1/results", &body, &link_client);
	assert_int_equal(p.a.status, 409);
	link_ask(&p.a, "DELETE", "/v1/register", &body, &link_client);
	assert_int_equal(p.a.status, 405);
	link_ask(&p.a, "GET", "/v2", NULL, &link_client);
	assert_int_equal(p.a.status, 404);
	assert_string_equal(p.log, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_credential_that_is_wrong_or_missing_gets_nothing),
		cmocka_unit_test(an_agent_registers_gets_an_order_and_answers),
		cmocka_unit_test(decided_chunks_are_told_to_those_who_keep_them),
		cmocka_unit_test(a_result_needs_a_ticket_for_exactly_this_node_and_dispatch),
		cmocka_unit_test(the_owner_decides_what_becomes_of_a_result),
		cmocka_unit_test(a_second_session_closes_the_first),
		cmocka_unit_test(a_node_is_lost_fifteen_seconds_after_its_session),
		cmocka_unit_test(a_new_or_removed_credential_ends_the_session),
		cmocka_unit_test(blobs_go_to_those_whose_orders_name_them),
		cmocka_unit_test(a_closed_plane_serves_nobody),
		cmocka_unit_test(a_node_cannot_open_many_requests_at_once),
		cmocka_unit_test(rubbish_is_answered_with_a_reason),
	};

	log_setup(LOG_ERROR, LOG_TEXT, "test");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
