/* wait.c - the same calls for programs that do one thing at a time; see run.h. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "run/run_int.h"

enum { MAX_DEVICES_ANSWER = 64 << 10 };

struct wait {
	struct buf *text;
	struct run_kernel *kernel;
	struct arena *arena;
	struct wire_result result;
	struct err err;
	bool done;
};

static void on_kernel(void *arg, struct run_kernel *kernel, const char *text, const struct err *err)
{
	struct wait *w = arg;

	w->kernel = kernel == NULL ? NULL : run_kernel_ref(kernel);
	if (w->text != NULL)
		buf_note(w->text, "%s", text);
	w->err = *err;
	w->done = true;
}

int run_wait_load(struct run_host *h, const struct run_source *source, bool code, struct buf *text,
		  struct run_kernel **ret, struct err *err)
{
	struct wait w = { .text = text };

	if (code)
		run_load(h, source, on_kernel, &w);
	else
		run_compile(h, source, on_kernel, &w);
	while (!w.done)
		loop_turn(run_host_loop(h), -1);
	if (w.kernel == NULL)
		return err_set(err, (enum err_code)w.err.code, "%s", w.err.text);
	*ret = w.kernel;
	return 0;
}

/* ---- devices ------------------------------------------------------------------------------ */

struct listing {
	struct arena *arena;
	struct run_device *list;
	uint32_t n;
	struct err err;
	bool done;
};

static int on_devices(void *arg, uint32_t type, struct run_bytes body, struct err *err)
{
	struct listing *l = arg;
	struct run_devices m;

	if (type != RUN_DEVICES || l->done)
		return err_set(err, ERR_PROTOCOL, "the runner sent message %u unasked", type);
	if (run_get_devices(body, &m, err) < 0)
		return err->code;
	l->done = true;
	if (m.code != 0) {
		(void)err_set(&l->err, (enum err_code)m.code, "%s", m.message);
		return 0;
	}
	l->list = arena_new_array(l->arena, struct run_device, m.n);
	for (l->n = 0; l->n < m.n; l->n++) {
		struct run_device *d = &l->list[l->n];

		*d = m.list[l->n];
		d->id = arena_strdup(l->arena, d->id);
		d->vendor = arena_strdup(l->arena, d->vendor);
		d->name = arena_strdup(l->arena, d->name);
		d->driver = arena_strdup(l->arena, d->driver);
	}
	return 0;
}

static void on_listing_end(void *arg, const char *how, int signal)
{
	struct listing *l = arg;

	(void)signal;
	if (l->done)
		return;
	l->done = true;
	(void)err_set(&l->err, ERR_UNAVAILABLE, "the runner that lists devices %s", how);
}

int run_wait_devices(struct run_host *h, struct arena *a, const struct run_device **ret,
		     uint32_t *ret_n, struct err *err)
{
	AUTO(run_child_freep) struct run_child *child = NULL;
	struct listing l = { .arena = a };
	const struct run_child_spec spec = {
		.loop = run_host_loop(h),
		.program = run_host_program(h),
		.arguments = (const char *const[]){ "devices", NULL },
		.loads_drivers = true,
		.max_answer = MAX_DEVICES_ANSWER,
		.in_fd = -1,
		.out_fd = -1,
		.on_frame = on_devices,
		.on_end = on_listing_end,
		.arg = &l,
	};

	if (run_child_new(&spec, &child, err) < 0)
		return err->code;
	while (!l.done)
		loop_turn(run_host_loop(h), -1);
	if (l.err.code != 0)
		return err_set(err, (enum err_code)l.err.code, "%s", l.err.text);
	*ret = l.list;
	*ret_n = l.n;
	return 0;
}

const struct run_device *run_find_device(const struct run_device *list, uint32_t n,
					 const char *which)
{
	for (uint32_t i = 0; i < n; i++) {
		char index[NUM_TEXT];

		if (which[0] == '\0' || text_equal(which, list[i].id) ||
		    text_equal(which, num_print_f64(i, index)))
			return &list[i];
	}
	return NULL;
}

/* ---- chunks ------------------------------------------------------------------------------- */

static void on_result(void *arg, const struct wire_result *result)
{
	struct wait *w = arg;

	w->result = *result;
	w->result.message = arena_strdup(w->arena, result->message);
	if (result->values != NULL)
		w->result.values = arena_dup(w->arena, result->values, result->values_size);
	w->done = true;
}

int run_wait_chunk(struct run_slot *s, const struct run_work *work, struct arena *arena,
		   struct wire_result *ret, struct err *err)
{
	struct wait w = { .arena = arena };

	if (run_chunk(s, work, on_result, &w, err) < 0)
		return err->code;
	while (!w.done)
		loop_turn(run_slot_loop(s), -1);
	*ret = w.result;
	return 0;
}
