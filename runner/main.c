/*
 * main.c - kwarp-runner: the sandboxed child that compiles and executes kernels.
 *
 *     kwarp-runner PARENT_PID compile      text to reflection and code
 *     kwarp-runner PARENT_PID check        text to reflection
 *     kwarp-runner PARENT_PID run THREADS IN_BYTES OUT_BYTES
 *     kwarp-runner PARENT_PID gpu THREADS IN_BYTES OUT_BYTES DEVICE
 *     kwarp-runner PARENT_PID devices      which Vulkan devices there are
 *
 * Started by lib/run only (run/protocol.h): descriptor 3 is the parent, 4 and 5 are the memory of
 * inputs and outputs. Everything that needs files happens before the sandbox closes, everything
 * that a stranger wrote is read after.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "run/protocol.h"
#include "run/run.h"
#include "runner/compile.h"
#include "runner/device.h"
#include "runner/exec.h"
#include "runner/hostile.h"
#include "runner/io.h"
#include "runner/sandbox.h"

enum {
	MAX_THREADS = 1024,
	OWN_BYTES = 256 << 20, /* of address space: programs, libraries, code, scratch */
	THREAD_BYTES = 16 << 20,
	DRIVER_BYTES = 1 << 30, /* of address space: what a GPU's driver is and keeps */
};

struct runner {
	pid_t parent;
	bool compiles;
	bool checks_only;
	bool lists;
	const char *device_id; /* borrowed from argv; NULL: native */
	uint32_t threads;
	struct exec_memory memory;
	struct exec *exec;     /* owned; NULL but in native executing children */
	struct device *device; /* owned; NULL but in those of a Vulkan device */
	const char *hostile;   /* borrowed; NULL: normal */
	struct buf in;
	struct buf out;
};

/* ---- start ------------------------------------------------------------------------------------
 */

static int parse_number(const char *s, uint64_t max, uint64_t *ret, struct err *err)
{
	return num_parse_u64(s, strlen(s), max, ret, err);
}

static int parse(int argc, char **argv, struct runner *r, struct err *err)
{
	uint64_t parent;
	uint64_t threads;

	if (argc < 3 || parse_number(argv[1], INT32_MAX, &parent, err) < 0)
		return err->code != 0 ? err->code
				      : err_set(err, ERR_INVALID, "only other programs start this");
	r->parent = (pid_t)parent;
	r->checks_only = text_equal(argv[2], "check");
	r->compiles = r->checks_only || text_equal(argv[2], "compile");
	r->lists = text_equal(argv[2], "devices");
	if ((r->compiles || r->lists) && argc == 3)
		return 0;
	if (text_equal(argv[2], "gpu") && argc == 7)
		r->device_id = argv[6];
	else if (!text_equal(argv[2], "run") || argc != 6)
		return err_set(err, ERR_INVALID, "unknown arguments");
	if (parse_number(argv[3], MAX_THREADS, &threads, err) < 0 ||
	    parse_number(argv[4], UINT64_MAX, &r->memory.in_size, err) < 0 ||
	    parse_number(argv[5], UINT64_MAX, &r->memory.out_size, err) < 0)
		return err->code;
	r->threads = threads > 0 ? (uint32_t)threads : 1;
	return 0;
}

static int map_shared(int fd, uint64_t size, int protection, void **ret, struct err *err)
{
	*ret = mmap(NULL, size, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);
	return *ret == MAP_FAILED ? err_errno(err, errno, "map shared memory") : 0;
}

static int map_memory(struct runner *r, struct err *err)
{
	void *in;
	void *out;

	if (map_shared(RUN_FD_IN, r->memory.in_size, PROT_READ, &in, err) < 0 ||
	    map_shared(RUN_FD_OUT, r->memory.out_size, PROT_READ | PROT_WRITE, &out, err) < 0)
		return err->code;
	r->memory.in = in;
	r->memory.out = out;
	return 0;
}

/* From here on nothing may be said but through the socket. */
static int silence(struct err *err)
{
	return dup2(STDIN_FILENO, STDERR_FILENO) < 0 ? err_errno(err, errno, "silence") : 0;
}

static int close_sandbox(const struct runner *r, struct err *err)
{
	struct sandbox_spec spec = {
		.memory_bytes = (uint64_t)RUN_COMPILE_MEMORY_MIB << 20,
		.executes = !r->compiles,
		.drives = r->device != NULL && !device_is_software(r->device),
	};

	if (!r->compiles)
		spec.memory_bytes = r->memory.in_size + r->memory.out_size + OWN_BYTES +
				    r->threads * (uint64_t)THREAD_BYTES;
	spec.maps_private = r->device != NULL;
	if (r->device != NULL)
		spec.memory_bytes += DRIVER_BYTES;
	return sandbox_close(&spec, err);
}

/* The driver's threads get what this thread has given up so far, so the files that it needs are all
 * that can be opened before it is there. */
static int open_device(struct runner *r, struct err *err)
{
	char threads[NUM_TEXT];

	/* Mesa's software driver looks there. There is one thread. */
	setenv("LP_NUM_THREADS", num_print_f64(r->threads, threads), 1); /* NOLINT */
	if (sandbox_drivers(err) < 0 || device_new(r->device_id, &r->memory, &r->device, err) < 0)
		return err->code;
	return device_is_software(r->device) ? sandbox_files(err) : 0;
}

static int start(struct runner *r, struct err *err)
{
	/* An arena per thread would eat the address space. */
	mallopt(M_ARENA_MAX, 1); /* NOLINT(concurrency-mt-unsafe): there is one thread */
	if (sandbox_begin(r->parent, r->device_id != NULL, err) < 0)
		return err->code;
	if (r->compiles && !r->checks_only)
		compile_warm();
	if (!r->compiles && map_memory(r, err) < 0)
		return err->code;
	if (r->device_id != NULL) {
		if (open_device(r, err) < 0)
			return err->code;
	} else if (sandbox_files(err) < 0) {
		return err->code;
	}
	if (!r->compiles && r->device == NULL &&
	    exec_new(r->threads, &r->memory, &r->exec, err) < 0)
		return err->code;
	if (silence(err) < 0)
		return err->code;
	return close_sandbox(r, err);
}

/* ---- serve ------------------------------------------------------------------------------------
 */

static int serve_compile(struct runner *r, struct run_bytes body, struct err *err)
{
	struct run_compile_request m;

	if (run_get_compile(body, &m, err) < 0)
		return err->code;
	sandbox_limit_cpu(RUN_COMPILE_CPU_MS);
	if (compile_answer(&m, &r->out, err) < 0)
		return err->code;
	sandbox_limit_cpu(0);
	return 0;
}

static int serve_load(struct runner *r, struct run_bytes body, struct err *err)
{
	struct run_load_answer answer = { .message = "" };
	struct err failure = { 0 };
	struct run_load_request m;

	if (run_get_load(body, &m, err) < 0)
		return err->code;
	answer.code = r->device != NULL ? device_load(r->device, &m, &failure)
					: exec_load(r->exec, &m, &failure);
	answer.message = failure.text;
	return run_put_loaded(&r->out, &answer, err);
}

static int serve_chunk(struct runner *r, struct run_bytes body, struct err *err)
{
	struct run_chunk_answer answer = { .outcome = WIRE_REFUSED };
	struct err failure = { 0 };
	struct run_chunk_request m;

	if (run_get_chunk(body, &m, err) < 0)
		return err->code;
	if (hostile_is_lost(r->hostile))
		answer = (struct run_chunk_answer){ .outcome = WIRE_DEVICE_LOST, .message = "" };
	else if (r->hostile != NULL && !hostile_is_liar(r->hostile))
		answer.message = hostile_try(MOVE(r->hostile), &r->memory, r->parent);
	else if (r->device != NULL)
		answer = device_chunk(r->device, &m, &failure);
	else
		answer = exec_chunk(r->exec, &m, &failure);
	if (hostile_is_liar(r->hostile))
		hostile_lie(&m, &r->memory);
	return run_put_ran(&r->out, &answer, err);
}

static int serve_frame(struct runner *r, uint32_t type, struct run_bytes body, struct err *err)
{
	if (r->compiles && type == RUN_COMPILE)
		return serve_compile(r, body, err);
	if (!r->compiles && type == RUN_LOAD)
		return serve_load(r, body, err);
	if (!r->compiles && type == RUN_CHUNK)
		return serve_chunk(r, body, err);
	return err_set(err, ERR_PROTOCOL, "message %u is not for this runner", type);
}

static int serve(struct runner *r, struct err *err)
{
	const struct run_ready ready = { .version = KWARP_VERSION };

	r->in.max = r->out.max = 2 * (RUN_FRAME_HEAD + (size_t)RUN_MAX_BODY);
	if (run_put_ready(&r->out, &ready, err) < 0)
		return err->code;
	for (;;) {
		struct run_bytes body;
		uint32_t type;

		if (io_write(&r->out, err) < 0 || io_read_frame(&r->in, &type, &body, err) < 0 ||
		    serve_frame(r, type, body, err) < 0)
			return err->code;
		buf_drop(&r->in, RUN_FRAME_HEAD + body.size);
	}
}

/* No stranger's bytes are read here, but drivers are big: without rights all the same. */
static int list_devices(struct runner *r, struct err *err)
{
	const struct run_ready ready = { .version = KWARP_VERSION };
	struct run_bytes body;
	uint32_t type;

	r->in.max = r->out.max = RUN_FRAME_HEAD + (size_t)RUN_MAX_BODY;
	if (sandbox_begin(r->parent, true, err) < 0 || sandbox_drivers(err) < 0 ||
	    run_put_ready(&r->out, &ready, err) < 0 || device_list(&r->out, err) < 0 ||
	    io_write(&r->out, err) < 0)
		return err->code;
	/* Until it was read: an end is seen before what was written. */
	return io_read_frame(&r->in, &type, &body, err) == ERR_GONE ? 0 : ERR_PROTOCOL;
}

int main(int argc, char **argv)
{
	struct runner r = { .hostile = secure_getenv("KWARP_RUNNER_HOSTILE") };
	struct err err = { 0 };

	if (parse(argc, argv, &r, &err) < 0 ||
	    (r.lists ? list_devices(&r, &err) : start(&r, &err)) < 0) {
		fprintf(stderr, "kwarp-runner: %s\n", err.text);
		_exit(1);
	}
	if (r.lists)
		_exit(0);
	/* The usual end: the parent is gone. Exit handlers would need what the sandbox forbids. */
	_exit(serve(&r, &err) == ERR_GONE ? 0 : 1);
}
