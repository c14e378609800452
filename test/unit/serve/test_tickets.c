/* test_tickets.c - people read results with tickets (docs/wire.md 10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "controller/serve/serve_int.h"
#include "test/unit/serve/link.h"

static const char JOB[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
static const char PATH[] =
    "/v1/blobs/0707070707070707070707070707070707070707070707070707070707070707";
static const char OTHER[] =
    "/v1/blobs/0707070707070707070707070707070707070707070707070707070707070708";

enum { SIZE = 7 * SERVE_BLOCK / 2, MAX_READS = 16 };

/* The n-th byte of the blob. */
static unsigned char byte_at(uint64_t n)
{
	return (unsigned char)(n * 31 + (n >> 10));
}

struct read {
	struct serve_part part;
	serve_read_fn fn;
	void *arg;
	bool is_open;
};

struct plane {
	struct serve *serve;
	struct link a;
	uint64_t size; /* of the blob */
	struct read reads[MAX_READS];
	size_t n_reads; /* begun */
	size_t delivered;
	int cancelled;
	int used;
};

static void on_node(void *arg, const char *node)
{
	(void)arg;
	fail_msg("heard of %s", node);
}

static void on_register(void *arg, const char *node, const struct wire_register *said)
{
	(void)said;
	on_node(arg, node);
}

static void on_offered(void *arg, const char *node, const struct wire_dispatch *running, size_t n)
{
	(void)running;
	(void)n;
	on_node(arg, node);
}

static enum serve_take on_result(void *arg, const char *node, const struct wire_dispatch *d,
				 const struct wire_result *r, const char **why)
{
	(void)d;
	(void)r;
	(void)why;
	on_node(arg, node);
	return SERVE_KEEP;
}

static void on_state(void *arg, const char *node, bool full, bool draining)
{
	(void)full;
	(void)draining;
	on_node(arg, node);
}

static bool open_blob(void *arg, const struct hash_digest *digest, struct serve_blob *ret)
{
	(void)arg;
	(void)digest;
	(void)ret;
	fail_msg("a blob of orders was asked for");
	return false;
}

static void *read_result(void *arg, const struct serve_part *part, serve_read_fn fn, void *fn_arg)
{
	struct plane *p = arg;
	struct read *r;

	if (strcmp(part->job_uid, JOB) != 0 || part->digest.bytes[31] != 7)
		return NULL;
	assert_true(part->len > 0 && part->len <= SERVE_BLOCK);
	assert_true(p->n_reads < MAX_READS);
	r = &p->reads[p->n_reads++];
	*r = (struct read){ *part, fn, fn_arg, true };
	return r;
}

static void cancel_read(void *arg, void *read)
{
	struct plane *p = arg;

	assert_true(((struct read *)read)->is_open);
	((struct read *)read)->is_open = false;
	p->cancelled++;
}

static void on_ticket_used(void *arg, const struct hash_digest *token_sha256)
{
	struct plane *p = arg;
	struct hash_digest d;

	hash_bytes("token", 5, &d);
	p->used += hash_equal(&d, token_sha256) ? 1 : 100;
}

static const struct serve_owner OWNER = {
	on_register, on_offered, on_result,   on_state,    on_node,
	on_node,     open_blob,  read_result, cancel_read, on_ticket_used,
};

static int add_ticket(struct plane *p, const char *token, const char *uid, int64_t expires_ms)
{
	struct hash_digest d;
	struct err err = { 0 };

	hash_bytes(token, strlen(token), &d);
	return serve_add_ticket(p->serve, &d, uid, expires_ms, &err);
}

static void remove_ticket(struct plane *p, const char *token)
{
	struct hash_digest d;

	hash_bytes(token, strlen(token), &d);
	serve_remove_ticket(p->serve, &d);
}

static void plane_make(struct plane *p)
{
	struct serve_options options = { .epoch = 1, .owner = &OWNER, .owner_arg = p };

	*p = (struct plane){ .size = SIZE };
	p->serve = serve_new(&options);
	serve_set_open(p->serve, true);
	serve_tick(p->serve, 1000);
	assert_int_equal(add_ticket(p, "token", JOB, 5000), 0);
	link_make(&p->a, p->serve, "token");
}

static void plane_done(struct plane *p)
{
	link_done(&p->a);
	serve_free(p->serve);
	for (size_t i = p->delivered; i < p->n_reads; i++)
		assert_false(p->reads[i].is_open);
}

/* The answer to the oldest read; false if there is none. */
static bool deliver(struct plane *p)
{
	static char bytes[SERVE_BLOCK];
	const struct err fine = { 0 };
	struct read *r;
	size_t len = 0;

	while (p->delivered < p->n_reads && !p->reads[p->delivered].is_open)
		p->delivered++;
	if (p->delivered == p->n_reads)
		return false;
	r = &p->reads[p->delivered++];
	r->is_open = false;
	while (len < r->part.len && r->part.first + len < p->size) {
		bytes[len] = (char)byte_at(r->part.first + len);
		len++;
	}
	r->fn(r->arg, bytes, len, p->size, &fine);
	return true;
}

static void deliver_err(struct plane *p, enum err_code code)
{
	struct err err = { 0 };
	struct read *r = &p->reads[p->delivered++];

	err_set(&err, code, "no");
	r->is_open = false;
	r->fn(r->arg, NULL, 0, 0, &err);
	link_pump(&p->a);
}

/* Ask and let everything happen. */
static void get(struct plane *p, const char *path, const char *range)
{
	p->a.range = range;
	p->n_reads = p->delivered = 0;
	link_ask(&p->a, "GET", path, NULL, &link_client);
	while (deliver(p))
		link_pump(&p->a);
}

static void expect_body(const struct plane *p, uint64_t first, uint64_t len)
{
	assert_int_equal(p->a.body.len, len);
	for (uint64_t i = 0; i < len; i++)
		if ((unsigned char)p->a.body.data[i] != byte_at(first + i))
			fail_msg("byte %llu is wrong", (unsigned long long)i);
}

static void a_ticket_reads_a_result_of_its_job(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	get(&p, PATH, NULL);
	assert_int_equal(p.a.status, 200);
	assert_false(p.a.broken);
	expect_body(&p, 0, SIZE);
	assert_int_equal(p.n_reads, 4);
	p.size = 0;
	get(&p, PATH, NULL);
	assert_int_equal(p.a.status, 200);
	assert_int_equal(p.a.body.len, 0);
}

/* wire 10.4 */
static void ranges_give_that_part(void **state)
{
	static const struct {
		const char *range;
		int status;
		uint64_t first, len;
	} rows[] = {
		{ "bytes=0-0", 206, 0, 1 },
		{ "bytes=5-9", 206, 5, 5 },
		{ "bytes=3670015-", 206, SIZE - 1, 1 },
		{ "bytes=3670015-3670015", 206, SIZE - 1, 1 },
		{ "bytes=3670000-9999999", 206, 3670000, 16 },
		{ "bytes=1048570-2100000", 206, 1048570, 1051431 },
		{ "bytes=0-", 206, 0, SIZE },
		{ "bytes=3670016-", 416, 0, 0 },
		{ "bytes=9999999999-99999999999", 416, 0, 0 },
		/* Not understood, so ignored. */
		{ "bytes=9-5", 200, 0, SIZE },
		{ "bytes=-5", 200, 0, SIZE },
		{ "bytes=0-18446744073709551615", 200, 0, SIZE },
		{ "bytes=0-1,3-4", 200, 0, SIZE },
		{ "lines=0-1", 200, 0, SIZE },
	};
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		get(&p, PATH, rows[i].range);
		assert_int_equal(p.a.status, rows[i].status);
		expect_body(&p, rows[i].first, rows[i].len);
	}
}

static void two_blocks_wait_for_a_slow_reader_and_no_more(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	assert_true(deliver(&p));
	assert_true(deliver(&p));
	assert_int_equal(p.n_reads, 2);
	assert_false(deliver(&p));
	link_pump(&p.a);
	assert_int_equal(p.n_reads, 3);
	while (deliver(&p))
		link_pump(&p.a);
	expect_body(&p, 0, SIZE);
}

/* wire 10.1, 10.2, 10.3 */
static void a_ticket_is_good_for_nothing_else(void **state)
{
	static const struct {
		const char *token, *method, *path;
		int status;
	} rows[] = {
		{ "token", "GET", OTHER, 404 },
		{ "token", "GET", "/v1/blobs/07", 404 },
		{ "token", "GET", "/v1/blobs/", 404 },
		{ "token", "GET", "/", 404 },
		{ "token", "POST", PATH, 405 },
		{ "token", "HEAD", PATH, 405 },
		{ "token", "PUT", PATH, 405 },
		{ "token", "POST", "/v1/register", 404 },
		{ "token", "POST", "/v1/results", 404 },
		{ "another", "GET", PATH, 404 }, /* of another job */
		{ "old", "GET", PATH, 401 },
		{ "tokens", "GET", PATH, 401 },
		{ NULL, "GET", PATH, 401 },
	};
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	assert_int_equal(add_ticket(&p, "another", "another-job", 5000), 0);
	assert_int_equal(add_ticket(&p, "old", JOB, 1000), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		p.a.credential = rows[i].token;
		link_ask(&p.a, rows[i].method, rows[i].path, NULL, &link_client);
		assert_int_equal(p.a.status, rows[i].status);
		assert_int_equal(p.n_reads, 0);
	}
}

static void a_ticket_ends_when_it_expires_or_is_removed(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	serve_tick(p.serve, 4999);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	assert_true(deliver(&p));
	serve_tick(p.serve, 5000);
	link_pump(&p.a);
	assert_int_equal(p.cancelled, 1);
	assert_true(p.a.broken);
	get(&p, PATH, NULL);
	assert_int_equal(p.a.status, 401);
	assert_int_equal(add_ticket(&p, "token", JOB, 9000), 0);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	remove_ticket(&p, "token");
	remove_ticket(&p, "token");
	link_pump(&p.a);
	assert_int_equal(p.cancelled, 2);
	assert_true(p.a.broken);
	get(&p, PATH, NULL);
	assert_int_equal(p.a.status, 401);
}

static void a_token_has_one_ticket(void **state)
{
	AUTO(plane_done) struct plane p;
	char token[16];

	(void)state;
	plane_make(&p);
	assert_int_equal(add_ticket(&p, "token", "another-job", 5000), ERR_EXISTS);
	get(&p, PATH, "bytes=0-0");
	assert_int_equal(p.a.status, 206);
	for (int i = 1; i < SERVE_MAX_TICKETS; i++) {
		snprintf(token, sizeof(token), "t%d", i);
		assert_int_equal(add_ticket(&p, token, JOB, 4000), 0);
	}
	assert_int_equal(add_ticket(&p, "more", JOB, 5000), ERR_UNAVAILABLE);
	serve_tick(p.serve, 4000);
	assert_int_equal(add_ticket(&p, "more", JOB, 5000), 0);
}

static void who_goes_away_stops_the_read(void **state)
{
	AUTO(plane_done) struct plane p;
	struct h2_stream *s;

	(void)state;
	plane_make(&p);
	s = link_ask(&p.a, "GET", PATH, NULL, &link_client);
	h2_reset(s);
	link_pump(&p.a);
	assert_int_equal(p.cancelled, 1);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	link_done(&p.a);
	assert_int_equal(p.cancelled, 2);
	link_make(&p.a, p.serve, "token");
	get(&p, PATH, "bytes=0-9");
	assert_int_equal(p.a.status, 206);
	/* Each place was given back. */
	for (int i = 0; i < SERVE_TICKET_READS; i++)
		link_ask(&p.a, "GET", PATH, NULL, &link_client);
	assert_int_equal(p.a.ends, 1);
}

/* wire 10.5 */
static void a_ticket_has_eight_reads_at_a_time(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	for (int i = 0; i < SERVE_TICKET_READS; i++)
		link_ask(&p.a, "GET", PATH, NULL, &link_client);
	assert_int_equal(p.a.ends, 0);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	assert_int_equal(p.a.status, 503);
	assert_int_equal(p.n_reads, SERVE_TICKET_READS);
	link_done(&p.a);
	link_make(&p.a, p.serve, "token");
	get(&p, PATH, "bytes=0-9");
	assert_int_equal(p.a.status, 206);
}

static void what_cannot_be_read_is_said_or_cut_off(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	deliver_err(&p, ERR_NOT_FOUND);
	assert_int_equal(p.a.status, 404);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	deliver_err(&p, ERR_INVALID);
	assert_int_equal(p.a.status, 500);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	deliver_err(&p, ERR_UNAVAILABLE);
	assert_int_equal(p.a.status, 503);
	link_ask(&p.a, "GET", PATH, NULL, &link_client);
	assert_true(deliver(&p));
	deliver_err(&p, ERR_NOT_FOUND);
	assert_true(p.a.broken);
}

static void first_uses_are_told_and_make_a_connection_trusted(void **state)
{
	AUTO(plane_done) struct plane p;

	(void)state;
	plane_make(&p);
	p.a.credential = "wrong";
	get(&p, PATH, NULL);
	assert_false(h2_is_trusted(p.a.server));
	assert_int_equal(p.used, 0);
	p.a.credential = "token";
	get(&p, PATH, "bytes=0-9");
	assert_true(h2_is_trusted(p.a.server));
	get(&p, PATH, "bytes=0-9");
	assert_int_equal(p.used, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ticket_reads_a_result_of_its_job),
		cmocka_unit_test(ranges_give_that_part),
		cmocka_unit_test(two_blocks_wait_for_a_slow_reader_and_no_more),
		cmocka_unit_test(a_ticket_is_good_for_nothing_else),
		cmocka_unit_test(a_ticket_ends_when_it_expires_or_is_removed),
		cmocka_unit_test(a_token_has_one_ticket),
		cmocka_unit_test(who_goes_away_stops_the_read),
		cmocka_unit_test(a_ticket_has_eight_reads_at_a_time),
		cmocka_unit_test(what_cannot_be_read_is_said_or_cut_off),
		cmocka_unit_test(first_uses_are_told_and_make_a_connection_trusted),
	};

	log_setup(LOG_ERROR, LOG_TEXT, "test");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
