/* test_resolve.c - addresses from text; names are not asked for here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/mem.h"
#include "base/resolve.h"

static void host_and_port_are_cut_apart(void **state)
{
	static const struct {
		const char *text;
		const char *host; /* NULL: refused */
		int port;
	} rows[] = {
		{ "example.org:8443", "example.org", 8443 },
		{ "127.0.0.1:0", "127.0.0.1", 0 },
		{ "[::1]:443", "::1", 443 },
		{ "::1:443", NULL, 0 },
		{ "example.org", NULL, 0 },
		{ ":443", NULL, 0 },
		{ "[]:443", NULL, 0 },
		{ "a:65536", NULL, 0 },
		{ "a:", NULL, 0 },
		{ "a:x", NULL, 0 },
		{ "", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		char host[RESOLVE_HOST];
		int port = -1;
		int rc = resolve_split(rows[i].text, host, &port, &err);

		assert_int_equal(rc, rows[i].host != NULL ? 0 : ERR_INVALID);
		if (rc < 0)
			continue;
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
}

static void on_answer(void *arg, const struct resolve_address *list, size_t n,
		      const struct err *err)
{
	int *port = arg;
	struct sockaddr_in v4;

	assert_int_equal(err->code, 0);
	assert_int_equal(n, 1);
	memcpy(&v4, &list[0].addr, sizeof(v4));
	*port = ntohs(v4.sin_port);
}

static void a_numeric_address_needs_no_name_server(void **state)
{
	struct loop *loop = NULL;
	struct work_pool *pool = NULL;
	struct resolve *r = NULL;
	struct resolve *dropped = NULL;
	struct err err = { 0 };
	int port = 0;
	int none = 0;

	(void)state;
	assert_int_equal(loop_new(&loop, &err), 0);
	assert_int_equal(work_pool_new(loop, 1, &pool, &err), 0);
	assert_int_equal(resolve_start(pool, "127.0.0.1:7", on_answer, &none, &dropped, &err), 0);
	resolve_cancel(dropped);
	assert_int_equal(resolve_start(pool, "127.0.0.1:8", on_answer, &port, &r, &err), 0);
	while (port == 0)
		loop_turn(loop, 1000);
	assert_int_equal(port, 8);
	assert_int_equal(none, 0);
	work_pool_free(pool);
	loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_and_port_are_cut_apart),
		cmocka_unit_test(a_numeric_address_needs_no_name_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
