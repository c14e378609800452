/* plane.c - see plane.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/num.h"
#include "test/unit/fleet/plane.h"

const char fleet_uid[] = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

const char fleet_kernel[] =
    "struct P { x: u32, n: u32 }\n"
    "@group(0) @binding(0) var<uniform> p: P;\n"
    "@group(0) @binding(1) var<storage, read_write> r: atomic<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  var i = 0u;\n"
    "  while (p.x == 99u && i < 4000000000u) { i = i + 1u; if (i == 3999999999u) { i = 0u; } }\n"
    "  atomicAdd(&r, p.x + p.n + (i & 0u));\n"
    "}\n";

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
	f->n_alive = 0;
	for (uint32_t i = 0; i < said->n_held && i < MAX_HEARD / 2; i++)
		f->alive[f->n_alive++] = said->held[i].first_chunk;
	for (uint32_t i = 0; i < said->n_running && i < MAX_HEARD / 2; i++)
		f->alive[f->n_alive++] = said->running[i].first_chunk;
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
	assert_string_equal(d->job_uid, fleet_uid);
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
	(void)arg;
	(void)token_sha256;
}

static const struct serve_owner OWNER = {
	on_register, on_offered, on_result,   on_state,    on_disconnect,
	on_lost,     open_blob,  read_result, cancel_read, on_ticket_used,
};

void fleet_start_plane(struct fleet *f, const char *address, uint64_t epoch)
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

void fleet_start_agent(struct fleet *f, const char *address, const char *credential)
{
	struct err err = { 0 };

	f->options = (struct options){ .address = mem_strdup(address),
				       .ca_pem = mem_strdup(f->ca.cert),
				       .credential = mem_strdup(credential),
				       .slots = 1,
				       .state = mem_strdup(f->dir) };
	assert_int_equal(agent_new(f->loop, &f->options, &f->agent, &err), 0);
	assert_int_equal(agent_probe(f->agent, &err), 0);
	agent_start(f->agent);
}

void fleet_end_agent(struct fleet *f)
{
	agent_free(MOVE(f->agent));
	options_done(&f->options);
}

void fleet_make(struct fleet *f)
{
	static const char *const names[] = { "127.0.0.1", NULL };
	struct err err = { 0 };

	*f = (struct fleet){ .kernel = fleet_kernel, .take = SERVE_KEEP };
	memcpy(f->dir, "/tmp/plane-XXXXXX", 18);
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(loop_new(&f->loop, &err), 0);
	tls_make_ca("kwarp", clock_wall_ms(), 30, &f->ca);
	assert_int_equal(tls_make_server(&f->ca, names, clock_wall_ms(), 30, &f->cert, &err), 0);
	fleet_start_plane(f, "127.0.0.1:0", 1000);
}

void fleet_done(struct fleet *f)
{
	char path[64];

	fleet_end_agent(f);
	serve_free(f->serve);
	loop_free(f->loop);
	tls_pair_done(&f->ca);
	tls_pair_done(&f->cert);
	snprintf(path, sizeof(path), "%s/results", f->dir);
	unlink(path);
	rmdir(f->dir);
}

void fleet_until(struct fleet *f, const int *counter, int value)
{
	int64_t end = clock_boot_ms() + 30000;

	while (*counter < value && clock_boot_ms() < end)
		loop_turn(f->loop, 100);
	assert_true(*counter >= value);
}

void fleet_for(struct fleet *f, int64_t ms)
{
	int64_t end = clock_boot_ms() + ms;

	while (clock_boot_ms() < end)
		loop_turn(f->loop, 10);
}

void fleet_send_order(struct fleet *f, uint32_t first, uint32_t n, uint32_t x, uint32_t timeout_ms)
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
	o.kernel_size = strlen(f->kernel != NULL ? f->kernel : fleet_kernel);
	hash_bytes(f->kernel != NULL ? f->kernel : fleet_kernel, o.kernel_size, &d);
	memcpy(o.kernel, d.bytes, WIRE_DIGEST);
	memcpy(o.dispatch.job_uid, fleet_uid, WIRE_UID);
	o.dispatch.first_chunk = first;
	o.dispatch.n_chunks = n;
	assert_int_equal(serve_send(f->serve, "node-a", &o, &err), 0);
}

void fleet_setup(void)
{
	char self[4096];
	char path[4200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	log_setup(getenv("VERBOSE") != NULL ? LOG_DEBUG : LOG_ERROR, LOG_TEXT, "test");
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
