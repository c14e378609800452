/* test_tls.c - a client and a server joined by memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tls/cert.h"
#include "tls/tls.h"

struct pair {
	struct tls_config *server_config;
	struct tls_config *client_config;
	struct tls *server;
	struct tls *client;
	size_t step; /* bytes per delivery */
};

static const char *const NAMES[] = { "kwarp.example", "127.0.0.1", "::1", NULL };

static void pair_done(struct pair *p)
{
	tls_free(p->client);
	tls_free(p->server);
	tls_config_free(p->client_config);
	tls_config_free(p->server_config);
}

static void pair_make(const char *host, bool other_ca, struct pair *p)
{
	AUTO(tls_pair_done) struct tls_pair ca = { 0 };
	AUTO(tls_pair_done) struct tls_pair ca2 = { 0 };
	AUTO(tls_pair_done) struct tls_pair cert = { 0 };
	struct err err = { 0 };
	int64_t now = clock_wall_ms();

	*p = (struct pair){ .step = 1 << 20 };
	tls_make_ca("kwarp", now, 30, &ca);
	tls_make_ca("kwarp", now, 30, &ca2);
	assert_int_equal(tls_make_server(&ca, NAMES, now, 30, &cert, &err), 0);
	assert_int_equal(tls_server_new(cert.cert, cert.key, &p->server_config, &err), 0);
	assert_int_equal(tls_client_new(other_ca ? ca2.cert : ca.cert, &p->client_config, &err), 0);
	assert_int_equal(tls_new(p->server_config, NULL, &p->server, &err), 0);
	assert_int_equal(tls_new(p->client_config, host, &p->client, &err), 0);
}

static int deliver(struct tls *from, struct tls *to, size_t step, struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = 1 << 20 };

	tls_output(from, &b);
	for (size_t at = 0; at < b.len; at += step) {
		size_t n = b.len - at < step ? b.len - at : step;

		if (tls_input(to, b.data + at, n, err) < 0)
			return err->code;
	}
	return 0;
}

static int handshake(struct pair *p, struct err *err)
{
	for (int i = 0; i < 4; i++) {
		if (deliver(p->client, p->server, p->step, err) < 0 ||
		    deliver(p->server, p->client, p->step, err) < 0)
			return err->code;
	}
	return 0;
}

static void assert_talk(struct tls *from, struct tls *to)
{
	struct err err = { 0 };
	char text[16];
	size_t n;

	assert_int_equal(tls_write(from, "hello", 5, &err), 0);
	assert_int_equal(deliver(from, to, 1, &err), 0);
	assert_int_equal(tls_read(to, text, sizeof(text), &n, &err), 0);
	assert_int_equal(n, 5);
	assert_memory_equal(text, "hello", 5);
	assert_int_equal(tls_read(to, text, sizeof(text), &n, &err), 0);
	assert_int_equal(n, 0);
}

static void a_name_and_addresses_of_the_certificate_are_accepted(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		AUTO(pair_done) struct pair p;
		struct err err = { 0 };

		pair_make(NAMES[i], false, &p);
		p.step = i == 0 ? 1 : 1 << 20;
		assert_int_equal(handshake(&p, &err), 0);
		assert_true(tls_is_ready(p.client) && tls_is_ready(p.server));
		assert_talk(p.client, p.server);
		assert_talk(p.server, p.client);
	}
}

static void another_host_is_denied(void **state)
{
	AUTO(pair_done) struct pair p;
	struct err err = { 0 };

	(void)state;
	pair_make("evil.example", false, &p);
	assert_int_equal(handshake(&p, &err), ERR_DENIED);
	assert_non_null(strstr(err.text, "hostname mismatch"));
	assert_false(tls_is_ready(p.client));
}

static void another_ca_is_denied(void **state)
{
	AUTO(pair_done) struct pair p;
	struct err err = { 0 };

	(void)state;
	pair_make("127.0.0.1", true, &p);
	assert_int_equal(handshake(&p, &err), ERR_DENIED);
	assert_false(tls_is_ready(p.client));
}

static void the_end_of_the_peer_is_seen(void **state)
{
	AUTO(pair_done) struct pair p;
	struct err err = { 0 };
	char text[16];
	size_t n;

	(void)state;
	pair_make("127.0.0.1", false, &p);
	assert_int_equal(handshake(&p, &err), 0);
	tls_end(p.client);
	assert_int_equal(deliver(p.client, p.server, 1, &err), 0);
	assert_int_equal(tls_read(p.server, text, sizeof(text), &n, &err), 0);
	assert_int_equal(n, 0);
	assert_true(tls_is_ended(p.server));
}

static void rubbish_is_refused(void **state)
{
	AUTO(pair_done) struct pair p;
	struct err err = { 0 };

	(void)state;
	pair_make("127.0.0.1", false, &p);
	assert_int_equal(tls_input(p.server, "GET / HTTP/1.1\r\n\r\n", 18, &err), ERR_PROTOCOL);
}

static void output_respects_the_room_that_there_is(void **state)
{
	AUTO(pair_done) struct pair p;
	AUTO(buf_done) struct buf b = { .max = 10 };

	(void)state;
	pair_make("127.0.0.1", false, &p);
	tls_output(p.client, &b);
	assert_int_equal(b.len, 10);
	assert_true(tls_has_output(p.client));
}

static void certificates_tell_their_end_and_names(void **state)
{
	AUTO(tls_pair_done) struct tls_pair ca = { 0 };
	AUTO(tls_pair_done) struct tls_pair cert = { 0 };
	AUTO(tls_pair_done) struct tls_pair none = { 0 };
	static const char *const bad[] = { "a,DNS:b", NULL };
	struct err err = { 0 };
	int64_t end = 0;

	(void)state;
	tls_make_ca("kwarp", 1700000000000, 10, &ca);
	assert_int_equal(tls_make_server(&ca, NAMES, 1700000000000, 10, &cert, &err), 0);
	assert_int_equal(tls_cert_end(cert.cert, &end, &err), 0);
	assert_true(end == 1700000000000 + 10LL * 24 * 3600 * 1000);
	assert_true(tls_cert_covers(cert.cert, "kwarp.example"));
	assert_true(tls_cert_covers(cert.cert, "127.0.0.1"));
	assert_false(tls_cert_covers(cert.cert, "127.0.0.2"));
	assert_false(tls_cert_covers("rubbish", "127.0.0.1"));
	assert_int_equal(tls_make_server(&ca, bad, 0, 10, &none, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(tls_make_server(&cert, NAMES, 0, 10, &none, &err), ERR_INVALID);
	err_clear(&err);
	assert_int_equal(tls_cert_end("rubbish", &end, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_and_addresses_of_the_certificate_are_accepted),
		cmocka_unit_test(another_host_is_denied),
		cmocka_unit_test(another_ca_is_denied),
		cmocka_unit_test(the_end_of_the_peer_is_seen),
		cmocka_unit_test(rubbish_is_refused),
		cmocka_unit_test(output_respects_the_room_that_there_is),
		cmocka_unit_test(certificates_tell_their_end_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
