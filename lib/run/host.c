/* host.c - the compiler child, its queue of calls, the code cache; see run.h. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/spawn.h"
#include "base/text.h"
#include "run/run_int.h"

enum {
	MAX_TRIES = 2,    /* of a call whose child died under it */
	IDLE_MS = 300000, /* then the compiler's memory (64 MiB) is given back */
};

struct run_call {
	struct list_link link;
	struct run_host *host; /* borrowed */
	struct hash_digest key;
	bool code;
	bool reverse;
	enum run_target target;
	struct buf request; /* the frame */
	int tries;
	run_kernel_fn fn;
	void *arg;
	bool is_canceled; /* while the compiler works on it */
	/* Once it is finished. */
	struct run_kernel *kernel; /* shared; NULL: failed */
	struct err err;
	char *text; /* owned; NULL: the kernel's or none */
};

struct run_host {
	struct loop *loop; /* borrowed */
	char *program;     /* owned */
	bool front_end_only;
	struct run_cache cache;
	struct run_child *compiler; /* owned; NULL while there is none */
	struct run_call *current;   /* owned: what the compiler works on */
	struct list queue;          /* owned: calls that wait for the compiler */
	struct list finished;       /* owned: calls whose callback is due */
	struct timer *deliver;      /* owned */
	struct timer *deadline;     /* owned: of current */
	struct timer *idle;         /* owned */
};

struct loop *run_host_loop(const struct run_host *h)
{
	return h->loop;
}

const char *run_host_program(const struct run_host *h)
{
	return h->program;
}

static void call_free(struct run_call *c)
{
	if (c == NULL)
		return;
	list_remove(&c->link);
	buf_done(&c->request);
	run_kernel_unref(c->kernel);
	mem_free(c->text);
	mem_free(c);
}

static void call_freep(struct run_call **c)
{
	call_free(*c);
}

/* ---- delivering --------------------------------------------------------------------------- */

static void finish(struct run_host *h, struct run_call *c)
{
	if (c->is_canceled) {
		call_free(c);
		return;
	}
	list_add(&h->finished, &c->link);
	timer_start(h->deliver, 0);
}

static void fail(struct run_host *h, struct run_call *c, const struct err *err)
{
	c->err = *err;
	finish(h, c);
}

/* One per turn: the callback may free the host. */
static void on_deliver(void *arg)
{
	struct run_host *h = arg;
	AUTO(call_freep) struct run_call *c = LIST_FIRST(&h->finished, struct run_call, link);
	const char *text;

	if (c == NULL)
		return;
	list_remove(&c->link);
	if (h->finished.count > 0)
		timer_start(h->deliver, 0);
	text = c->text != NULL ? c->text : c->kernel != NULL ? c->kernel->text : "";
	c->fn(c->arg, c->kernel, text, &c->err);
}

/* ---- the compiler child ------------------------------------------------------------------- */

static void pump(struct run_host *h);

static void take_answer(struct run_call *c, const struct run_compile_answer *answer,
			struct err *err)
{
	if (answer->code == 0) {
		struct run_cache *cache = &c->host->cache;

		if (run_kernel_new(&c->key, answer, c->code, c->reverse, &c->kernel, err) < 0)
			return;
		c->kernel->target = c->target;
		if (c->code)
			run_cache_add(cache, c->kernel);
		return;
	}
	err_set(err, (enum err_code)answer->code, "%s", answer->message);
	c->text = mem_strdup(answer->text);
}

static int on_compiler_frame(void *arg, uint32_t type, struct run_bytes body, struct err *err)
{
	struct run_host *h = arg;
	AUTO(call_freep) struct run_call *c = NULL;
	struct run_compile_answer answer;

	if (type != RUN_COMPILED || h->current == NULL)
		return err_set(err, ERR_PROTOCOL, "the compiler sent message %u unasked", type);
	if (run_get_compiled(body, &answer, err) < 0)
		return err->code;
	timer_stop(h->deadline);
	timer_start(h->idle, IDLE_MS);
	c = MOVE(h->current);
	take_answer(c, &answer, &c->err);
	finish(h, MOVE(c));
	pump(h);
	return 0;
}

/* A text that kills the compiler must not be tried for ever; a child that ended by itself or that
 * someone else killed says nothing about the text. */
static void blame(struct run_host *h, struct run_call *c, const char *how, int signal_number)
{
	struct err err = { 0 };
	enum err_code code = signal_number == 0 || run_is_foreign_signal(signal_number)
				 ? ERR_UNAVAILABLE
				 : ERR_TOO_BIG;

	err_set(&err, code, "the compiler %s", how);
	fail(h, c, &err);
}

static void on_compiler_end(void *arg, const char *how, int signal_number)
{
	struct run_host *h = arg;
	struct run_call *c = MOVE(h->current);
	bool was_ready = run_child_is_ready(h->compiler);

	timer_stop(h->deadline);
	if (c == NULL)
		c = was_ready ? NULL : LIST_FIRST(&h->queue, struct run_call, link);
	if (c != NULL && c->is_canceled) {
		call_free(c);
	} else if (c != NULL) {
		list_remove(&c->link);
		if (signal_number == SIGXCPU || ++c->tries >= MAX_TRIES)
			blame(h, c, how, signal_number);
		else
			list_add_first(&h->queue, &c->link);
	}
	run_child_free(MOVE(h->compiler));
	pump(h);
}

static void on_compiler_ready(void *arg)
{
	pump(arg);
}

static void on_deadline(void *arg)
{
	struct run_host *h = arg;

	h->current->tries = MAX_TRIES;
	run_child_kill(h->compiler, "took too long");
}

static void on_idle(void *arg)
{
	struct run_host *h = arg;

	if (h->current == NULL && h->queue.count == 0)
		run_child_free(MOVE(h->compiler));
}

int run_host_warm(struct run_host *h, struct err *err)
{
	const struct run_child_spec spec = {
		.loop = h->loop,
		.program = h->program,
		.arguments = (const char *const[]){ h->front_end_only ? "check" : "compile", NULL },
		.max_answer = RUN_MAX_BODY,
		.in_fd = -1,
		.out_fd = -1,
		.on_frame = on_compiler_frame,
		.on_ready = on_compiler_ready,
		.on_end = on_compiler_end,
		.arg = h,
	};

	if (h->compiler != NULL)
		return 0;
	timer_start(h->idle, IDLE_MS);
	return run_child_new(&spec, &h->compiler, err);
}

static void start_call(struct run_host *h, struct run_call *c)
{
	struct buf *out = run_child_out(h->compiler);
	struct err err = { 0 };

	/* Nothing else is in flight, so a frame always fits. */
	ASSERT(buf_add(out, c->request.data, c->request.len, &err) == 0);
	h->current = c;
	timer_stop(h->idle);
	timer_start(h->deadline, RUN_COMPILE_WAIT_MS);
	run_child_flush(h->compiler);
}

/* Start what waits, if the compiler is free. */
static void pump(struct run_host *h)
{
	while (h->current == NULL && h->queue.count > 0) {
		struct run_call *c = LIST_FIRST(&h->queue, struct run_call, link);
		struct err err = { 0 };

		if (c->code) /* another call may have compiled it meanwhile */
			c->kernel = run_cache_find(&h->cache, &c->key);
		if (c->kernel != NULL) {
			run_kernel_ref(c->kernel);
			list_remove(&c->link);
			finish(h, c);
			continue;
		}
		if (run_host_warm(h, &err) < 0) {
			list_remove(&c->link);
			err.code = ERR_UNAVAILABLE;
			fail(h, c, &err);
			continue;
		}
		if (!run_child_is_ready(h->compiler))
			return;
		list_remove(&c->link);
		start_call(h, c);
	}
}

/* ---- calls -------------------------------------------------------------------------------- */

static int encode_request(struct run_call *c, const struct run_source *source, struct err *err)
{
	struct run_compile_request m = {
		.code = c->code,
		.reverse = c->reverse,
		.strict = source->strict,
		.target = source->target,
		.modes = source->modes,
		.entry_point = source->entry_point,
		.n_constants = source->n_constants,
		.text = source->text,
		.len = (uint32_t)source->len,
	};

	if (source->len > RUN_MAX_SOURCE)
		return err_set(err, ERR_INVALID, "the kernel has %zu bytes, at most %d",
			       source->len, RUN_MAX_SOURCE);
	if (source->n_constants > WIRE_MAX_CONSTANTS)
		return err_set(err, ERR_INVALID, "%u constants, at most %d", source->n_constants,
			       WIRE_MAX_CONSTANTS);
	for (uint32_t i = 0; i < source->n_constants; i++) {
		if (strlen(source->constants[i].key) > WIRE_MAX_NAME)
			return err_set(err, ERR_INVALID, "a constant's name is too long");
		m.constants[i] = source->constants[i];
	}
	if (source->entry_point != NULL && strlen(source->entry_point) > WIRE_MAX_NAME)
		return err_set(err, ERR_INVALID, "the entry point's name is too long");
	c->request.max = RUN_FRAME_HEAD + (size_t)RUN_MAX_BODY;
	return run_put_compile(&c->request, &m, err);
}

static struct run_call *call_new(struct run_host *h, const struct run_source *source, bool code,
				 run_kernel_fn fn, void *arg)
{
	struct run_call *c = NEW(struct run_call);
	struct err err = { 0 };

	c->host = h;
	c->code = code;
	c->reverse = source->reverse;
	c->target = source->target;
	c->fn = fn;
	c->arg = arg;
	if (encode_request(c, source, &err) < 0) {
		fail(h, c, &err);
		return c;
	}
	c->key = run_source_key(source);
	list_add(&h->queue, &c->link);
	pump(h);
	return c;
}

struct run_call *run_compile(struct run_host *h, const struct run_source *source, run_kernel_fn fn,
			     void *arg)
{
	return call_new(h, source, false, fn, arg);
}

struct run_call *run_load(struct run_host *h, const struct run_source *source, run_kernel_fn fn,
			  void *arg)
{
	ASSERT(!h->front_end_only);
	return call_new(h, source, true, fn, arg);
}

void run_call_cancel(struct run_call *c)
{
	if (c == NULL)
		return;
	if (c == c->host->current)
		c->is_canceled = true;
	else
		call_free(c);
}

int run_host_pid(const struct run_host *h)
{
	return h->compiler != NULL ? run_child_pid(h->compiler) : 0;
}

/* ---- life --------------------------------------------------------------------------------- */

static int find_program(const struct run_options *options, char **ret, struct err *err)
{
	const char *program =
	    options->runner != NULL ? options->runner : secure_getenv("KWARP_RUNNER");

	if (program == NULL)
		return spawn_sibling("kwarp-runner", ret, err);
	*ret = mem_strdup(program);
	return 0;
}

int run_host_new(struct loop *l, const struct run_options *options, struct run_host **ret,
		 struct err *err)
{
	AUTO(run_host_freep) struct run_host *h = NEW(struct run_host);
	uint64_t mib = options->cache_mib > 0 ? options->cache_mib : RUN_DEFAULT_CACHE_MIB;

	h->loop = l;
	h->front_end_only = options->front_end_only;
	h->cache.max_bytes = mib << 20;
	if (find_program(options, &h->program, err) < 0)
		return err_wrap(err, "find kwarp-runner");
	h->deliver = timer_new(l, "kernel compiled", on_deliver, h);
	h->deadline = timer_new(l, "compiler deadline", on_deadline, h);
	h->idle = timer_new(l, "compiler idle", on_idle, h);
	*ret = MOVE(h);
	return 0;
}

static void free_calls(struct list *calls)
{
	LIST_EACH (struct run_call, c, calls, link)
		call_free(c);
}

void run_host_free(struct run_host *h)
{
	if (h == NULL)
		return;
	run_child_free(h->compiler);
	call_free(h->current);
	free_calls(&h->queue);
	free_calls(&h->finished);
	timer_free(h->deliver);
	timer_free(h->deadline);
	timer_free(h->idle);
	run_cache_done(&h->cache);
	mem_free(h->program);
	mem_free(h);
}

void run_host_freep(struct run_host **h)
{
	run_host_free(*h);
}
