/* wait.c - the same calls for programs that do one thing at a time; see run.h. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "run/run_int.h"

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
