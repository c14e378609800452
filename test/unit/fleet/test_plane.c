/* test_plane.c - a data plane and an agent with a real runner, joined by TLS on loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/num.h"
#include "controller/serve/serve.h"
#include "tls/cert.h"

static const char UID[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

/* r[0] = x + the chunk's number; an endless loop for x = 99. */
static const char KERNEL[] =
    "struct P { x: u32, n: u32 }\n"
    "@group(0) @binding(0) var<uniform> p: P;\n"
    "@group(0) @binding(1) var<storage, read_write> r: atomic<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  var i = 0u;\n"
    "  while (p.x == 99u && i < 4000000000u) { i = i + 1u; if (i == 3999999999u) { i = 0u; } }\n"
    "  atomicAdd(&r, p.x + p.n + (i & 0u));\n"
    "}\n";

enum { MAX_HEARD = 64 };

struct fleet {
	struct loop *loop;
	struct tls_pair ca, cert;
	struct serve *serve;
	char address[64];
	struct options options;
	struct agent *agent;
	char dir[32];
	const char *kernel; /* what the owner serves as the kernel's text */
	enum serve_take take;
	/* heard by the owner */
	int registered, offered, disconnected, n_results, n_held, n_running;
	struct {
		uint32_t chunk;
		enum wire_outcome outcome;
		uint32_t value;
	} results[MAX_HEARD];
};

static void on_register(void *arg, const char *node, const struct wire_register *said)
{
	struct fleet *f = arg;

	assert_string_equal(node, "node-a");
	assert_int_equal(said->n_devices, 1);
	assert_string_equal(said->devices[0].self_test_reason, "");
	assert_int_equal(said->devices[0].self_test, WIRE_TEST_PASSED);
	f->registered++;
	f->n_held = (int)said->n_held;
	f->n_running = (int)said->n_running;
}

static void on_offered(void *arg, const char *node, const struct wire_dispatch *d, size_t n)
{
	struct fleet *f = arg;

	(void)node;
	(void)d;
	(void)n;
	f->offered++;
}

static enum serve_take on_result(void *arg, const char *node, const struct wire_dispatch *d,
				 const struct wire_result *r, const char **why)
{
	struct fleet *f = arg;

	(void)node;
	(void)why;
	assert_string_equal(d->job_uid, UID);
	if (r->outcome != WIRE_OK)
		log_info("result", kv_str("message", r->message));
	assert_true(f->n_results < MAX_HEARD);
	f->results[f->n_results].chunk = r->chunk;
	f->results[f->n_results].outcome = r->outcome;
	if (r->values_size == 12)
		f->results[f->n_results].value = num_get_u32((const char *)r->values + 8);
	f->n_results++;
	return f->take;
}

static void on_state(void *arg, const char *node, bool full, bool draining)
{
	(void)arg;
	(void)node;
	(void)full;
	(void)draining;
}

static void on_disconnect(void *arg, const char *node)
{
	struct fleet *f = arg;

	(void)node;
	f->disconnected++;
}

static void on_lost(void *arg, const char *node)
{
	(void)arg;
	(void)node;
}

static bool open_blob(void *arg, const struct hash_digest *digest, struct serve_blob *ret)
{
	struct fleet *f = arg;

	(void)digest;
	if (f->kernel == NULL)
		return false;
	*ret = (struct serve_blob){ .bytes = f->kernel, .size = strlen(f->kernel) };
	return true;
}

static const struct serve_owner OWNER = { on_register,   on_offered, on_result, on_state,
					  on_disconnect, on_lost,    open_blob };

static void start_plane(struct fleet *f, const char *address, uint64_t epoch)
{
	struct serve_options options = {
		.epoch = epoch, .ticket_key = { 1 }, .owner = &OWNER, .owner_arg = f
	};
	struct hash_digest d;
	struct err err = { 0 };

	f->serve = serve_new(&options);
	hash_bytes("secret", 6, &d);
	serve_set_credential(f->serve, "node-a", &d);
	assert_int_equal(serve_start(f->serve, f->loop, address, f->cert.cert, f->cert.key, &err),
			 0);
	snprintf(f->address, sizeof(f->address), "127.0.0.1:%d", serve_port(f->serve));
	serve_set_open(f->serve, true);
}

static void start_agent(struct fleet *f, const char *credential)
{
	struct err err = { 0 };

	f->options = (struct options){ .address = mem_strdup(f->address),
				       .ca_pem = mem_strdup(f->ca.cert),
				       .credential = mem_strdup(credential),
				       .slots = 1,
				       .state = mem_strdup(f->dir) };
	assert_int_equal(agent_new(f->loop, &f->options, &f->agent, &err), 0);
	agent_probe(f->agent);
	agent_start(f->agent);
}

static void end_agent(struct fleet *f)
{
	agent_free(MOVE(f->agent));
	options_done(&f->options);
}

static void fleet_make(struct fleet *f)
{
	static const char *const names[] = { "127.0.0.1", NULL };
	struct err err = { 0 };

	*f = (struct fleet){ .kernel = KERNEL, .take = SERVE_KEEP };
	memcpy(f->dir, "/tmp/plane-XXXXXX", 18);
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(loop_new(&f->loop, &err), 0);
	tls_make_ca("kwarp", clock_wall_ms(), 30, &f->ca);
	assert_int_equal(tls_make_server(&f->ca, names, clock_wall_ms(), 30, &f->cert, &err), 0);
	start_plane(f, "127.0.0.1:0", 1000);
}

static void fleet_done(struct fleet *f)
{
	char path[64];

	end_agent(f);
	serve_free(f->serve);
	loop_free(f->loop);
	tls_pair_done(&f->ca);
	tls_pair_done(&f->cert);
	snprintf(path, sizeof(path), "%s/results", f->dir);
	unlink(path);
	rmdir(f->dir);
}

static void until(struct fleet *f, const int *counter, int value)
{
	int64_t end = clock_boot_ms() + 30000;

	while (*counter < value && clock_boot_ms() < end)
		loop_turn(f->loop, 100);
	assert_true(*counter >= value);
}

static void for_a_while(struct fleet *f, int64_t ms)
{
	int64_t end = clock_boot_ms() + ms;

	while (clock_boot_ms() < end)
		loop_turn(f->loop, 10);
}

static void send_order(struct fleet *f, uint32_t first, uint32_t n, uint32_t x, uint32_t timeout_ms)
{
	struct wire_chunk chunks[8] = { 0 };
	uint8_t uniforms[8][8];
	const uint64_t elements = 0;
	struct wire_order o = { .kind = WIRE_ORDER_RUN,
				.job = "default/test",
				.entry_point = "",
				.iterations = 4294967296,
				.chunk_timeout_ms = timeout_ms,
				.chunks = chunks,
				.n_chunks = n };
	struct hash_digest d;
	struct err err = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		num_put_u32(uniforms[i], x);
		num_put_u32(uniforms[i] + 4, first + i);
		chunks[i] = (struct wire_chunk){ .index = first + i,
						 .grid = { 10, 1, 1 },
						 .uniforms = uniforms[i],
						 .uniforms_size = 8,
						 .output_elements = &elements,
						 .n_outputs = 1 };
	}
	o.kernel_size = strlen(f->kernel != NULL ? f->kernel : KERNEL);
	hash_bytes(f->kernel != NULL ? f->kernel : KERNEL, o.kernel_size, &d);
	memcpy(o.kernel, d.bytes, WIRE_DIGEST);
	memcpy(o.dispatch.job_uid, UID, sizeof(UID));
	o.dispatch.first_chunk = first;
	o.dispatch.n_chunks = n;
	assert_int_equal(serve_send(f->serve, "node-a", &o, &err), 0);
}

static void chunks_are_computed_and_answered(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	send_order(&f, 5, 3, 1000, 10000);
	until(&f, &f.n_results, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(f.results[i].chunk, 5 + i);
		assert_int_equal(f.results[i].outcome, WIRE_OK);
		assert_int_equal(f.results[i].value, 10 * (1000 + 5 + i));
	}
}

static void undecided_results_are_offered_to_the_next_controller(void **state)
{
	AUTO(fleet_done) struct fleet f;
	const struct range decided = { 6, 6 };

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	assert_int_equal(f.n_held, 0);
	send_order(&f, 5, 3, 1, 10000);
	until(&f, &f.n_results, 3);
	serve_decided(f.serve, UID, &decided, 1, false);
	for_a_while(&f, 50);
	serve_free(f.serve);
	f.n_results = 0;
	start_plane(&f, f.address, 1001);
	until(&f, &f.offered, 2);
	assert_int_equal(f.n_held, 1);
	assert_int_equal(f.n_results, 2);
	assert_int_equal(f.results[0].chunk, 5);
	assert_int_equal(f.results[1].chunk, 7);
	assert_int_equal(f.results[1].value, 80);
}

static void a_restarted_agent_finds_its_undecided_results(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	send_order(&f, 5, 3, 1, 10000);
	until(&f, &f.n_results, 3);
	for_a_while(&f, 50);
	end_agent(&f);
	f.n_results = 0;
	f.take = SERVE_DECIDED;
	start_agent(&f, "secret");
	until(&f, &f.offered, 2);
	assert_int_equal(f.n_held, 1);
	assert_int_equal(f.n_results, 3);
	for_a_while(&f, 50);
	end_agent(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 3);
	assert_int_equal(f.n_held, 0);
}

static void a_wrong_credential_gets_nothing(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "wrong");
	for_a_while(&f, 700);
	assert_int_equal(f.registered, 0);
	assert_false(serve_is_ready(f.serve, "node-a"));
}

static void a_controller_of_an_earlier_epoch_is_refused(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	serve_free(f.serve);
	start_plane(&f, f.address, 999);
	until(&f, &f.registered, 3);
	assert_int_equal(f.offered, 1);
}

static void every_way_to_fail_has_its_outcome(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	send_order(&f, 1, 1, 99, 300);
	until(&f, &f.n_results, 1);
	assert_int_equal(f.results[0].outcome, WIRE_TIMED_OUT);
	f.kernel = "no kernel at all";
	send_order(&f, 2, 2, 1, 10000);
	until(&f, &f.n_results, 3);
	assert_int_equal(f.results[1].outcome, WIRE_BAD_KERNEL);
	assert_int_equal(f.results[2].chunk, 3);
	f.kernel = "another text";
	send_order(&f, 4, 1, 1, 10000);
	f.kernel = NULL;
	until(&f, &f.n_results, 4);
	assert_int_equal(f.results[3].outcome, WIRE_REFUSED);
	f.kernel = KERNEL;
	send_order(&f, 5, 1, 7, 10000);
	until(&f, &f.n_results, 5);
	assert_int_equal(f.results[4].value, 120);
}

static void a_cancelled_order_stops_at_once(void **state)
{
	AUTO(fleet_done) struct fleet f;
	struct wire_dispatch d = { .first_chunk = 1, .n_chunks = 2, .epoch = 1000 };

	(void)state;
	fleet_make(&f);
	memcpy(d.job_uid, UID, sizeof(UID));
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	send_order(&f, 1, 2, 99, 60000);
	for_a_while(&f, 300);
	assert_int_equal(f.n_results, 0);
	serve_cancel(f.serve, "node-a", &d, 1);
	until(&f, &f.n_results, 2);
	assert_int_equal(f.results[0].outcome, WIRE_CANCELLED);
	assert_int_equal(f.results[1].outcome, WIRE_CANCELLED);
	send_order(&f, 5, 1, 7, 10000);
	until(&f, &f.n_results, 3);
	assert_int_equal(f.results[2].value, 120);
}

static void a_running_order_survives_a_new_controller(void **state)
{
	AUTO(fleet_done) struct fleet f;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	send_order(&f, 1, 2, 99, 1500);
	for_a_while(&f, 300);
	serve_free(f.serve);
	start_plane(&f, f.address, 1001);
	until(&f, &f.offered, 2);
	assert_int_equal(f.n_running, 1);
	until(&f, &f.n_results, 2);
	assert_int_equal(f.results[0].outcome, WIRE_TIMED_OUT);
}

static void a_stopped_agent_cancels_what_runs(void **state)
{
	AUTO(fleet_done) struct fleet f;
	int64_t before;

	(void)state;
	fleet_make(&f);
	start_agent(&f, "secret");
	until(&f, &f.offered, 1);
	send_order(&f, 1, 2, 99, 60000);
	for_a_while(&f, 200);
	before = clock_boot_ms();
	agent_stop(f.agent);
	loop_run(f.loop);
	assert_true(clock_boot_ms() - before < 2000);
	assert_int_equal(f.n_results, 2);
	assert_int_equal(f.results[0].outcome, WIRE_CANCELLED);
}

/* kwarp-runner lies beside the programs of this build. */
static void find_runner(void)
{
	char self[4096];
	char path[4200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (getenv("KWARP_RUNNER") != NULL || n < 0)
		return;
	self[n] = '\0';
	for (int up = 0; up < 4; up++)
		*strrchr(self, '/') = '\0';
	snprintf(path, sizeof(path), "%s/bin/kwarp-runner", self);
	if (access(path, X_OK) < 0)
		snprintf(path, sizeof(path), "bin/kwarp-runner");
	setenv("KWARP_RUNNER", path, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_computed_and_answered),
		cmocka_unit_test(undecided_results_are_offered_to_the_next_controller),
		cmocka_unit_test(a_restarted_agent_finds_its_undecided_results),
		cmocka_unit_test(a_wrong_credential_gets_nothing),
		cmocka_unit_test(a_controller_of_an_earlier_epoch_is_refused),
		cmocka_unit_test(every_way_to_fail_has_its_outcome),
		cmocka_unit_test(a_cancelled_order_stops_at_once),
		cmocka_unit_test(a_running_order_survives_a_new_controller),
		cmocka_unit_test(a_stopped_agent_cancels_what_runs),
	};

	find_runner();
	log_setup(getenv("VERBOSE") != NULL ? LOG_DEBUG : LOG_ERROR, LOG_TEXT, "test");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
