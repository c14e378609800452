/* engine.c - see engine.h. */
#include "agent/engine.h"

#include <string.h>

#include "agent/blobs.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "run/run.h"

struct slot {
	struct engine *engine;    /* borrowed */
	struct run_slot *run;     /* owned; NULL before it is first used */
	struct order_item *order; /* borrowed: what runs on it */
	struct timer *again;      /* owned: tells `failed` a moment later */
	struct wire_result failed;
	char message[sizeof(((struct err *)0)->text)];
};

/* What an order needs before it can run. */
struct prepared {
	struct engine *engine;        /* borrowed */
	struct order_item *item;      /* borrowed */
	struct blob_want *text;       /* owned */
	struct blob_want **inputs;    /* owned, order.n_inputs of them */
	struct run_input *run_inputs; /* owned: the same for lib/run */
	uint32_t missing;             /* blobs that are not there yet */
	struct err err;               /* the first that failed */
	struct run_call *call;        /* while loading */
	struct run_kernel *kernel;    /* reference */
};

struct engine {
	struct engine_options options;
	struct orders *orders; /* owned */
	struct slot *slots;    /* owned */
};

static enum wire_outcome outcome_of(const struct err *err)
{
	switch (err->code) {
	case 0:
		return WIRE_OK;
	case ERR_INVALID:
		return WIRE_BAD_KERNEL;
	case ERR_TOO_BIG:
		return WIRE_CRASHED; /* the compiler: not the same everywhere, so no vote */
	default:
		return WIRE_REFUSED;
	}
}

/* ---- preparing --------------------------------------------------------------------------- */

static void on_loaded(void *arg, struct run_kernel *kernel, const char *text, const struct err *err)
{
	struct prepared *p = arg;
	char why[WIRE_MAX_MESSAGE / 2];
	struct buf b = { .data = why, .cap = sizeof(why), .max = sizeof(why) - 1 };

	p->call = NULL;
	why[0] = '\0';
	if (kernel != NULL)
		p->kernel = run_kernel_ref(kernel);
	else
		buf_note(&b, "%s", text[0] != '\0' ? text : err->text);
	orders_on_prepared(p->engine->orders, p->item, outcome_of(err), why);
}

static void load(struct prepared *p)
{
	const struct wire_order *o = &p->item->order;
	struct run_source source = { .entry_point = o->entry_point,
				     .constants = o->constants,
				     .n_constants = o->n_constants,
				     .strict = o->strict,
				     .reverse = o->kind == WIRE_ORDER_PROBE };

	source.text = blobs_bytes(p->text, &source.len);
	for (uint32_t i = 0; i < o->n_inputs; i++) {
		size_t len;

		p->run_inputs[i].bytes = blobs_bytes(p->inputs[i], &len);
		p->run_inputs[i].size = len;
		p->run_inputs[i].digest = o->inputs[i].digest;
	}
	p->call = run_load(p->engine->options.host, &source, on_loaded, p);
}

static void on_blob(void *arg, const struct err *err)
{
	struct prepared *p = arg;

	if (err->code < 0 && p->err.code == 0)
		p->err = *err;
	if (--p->missing > 0)
		return;
	if (p->err.code == 0)
		load(p);
	else
		orders_on_prepared(p->engine->orders, p->item, WIRE_REFUSED, p->err.text);
}

static void prepare(void *arg, struct order_item *item)
{
	struct engine *e = arg;
	const struct wire_order *o = &item->order;
	struct prepared *p = NEW(struct prepared);
	struct err none = { 0 };

	item->prepared = p;
	p->engine = e;
	p->item = item;
	p->inputs = NEW_ARRAY(struct blob_want *, o->n_inputs);
	p->run_inputs = NEW_ARRAY(struct run_input, o->n_inputs);
	/* One more than there are: what is here already must not finish this before its end. */
	p->missing = o->n_inputs + 2;
	p->text = blobs_want(e->options.blobs, o->kernel, o->kernel_size, on_blob, p);
	for (uint32_t i = 0; i < o->n_inputs; i++)
		p->inputs[i] = blobs_want(e->options.blobs, o->inputs[i].digest, o->inputs[i].size,
					  on_blob, p);
	on_blob(p, &none);
}

static void drop(void *arg, struct order_item *item)
{
	struct prepared *p = MOVE(item->prepared);

	(void)arg;
	if (p->call != NULL)
		run_call_cancel(p->call);
	run_kernel_unref(p->kernel);
	blobs_drop(p->text);
	for (uint32_t i = 0; i < item->order.n_inputs; i++)
		blobs_drop(p->inputs[i]);
	mem_free(p->inputs);
	mem_free(p->run_inputs);
	mem_free(p);
}

/* ---- running ----------------------------------------------------------------------------- */

static void on_result(void *arg, const struct wire_result *r)
{
	struct slot *s = arg;
	struct order_item *o = MOVE(s->order);

	orders_on_result(s->engine->orders, o, r);
}

static void on_again(void *arg)
{
	struct slot *s = arg;

	on_result(s, &s->failed);
}

/* Not started: told a moment later, so that answers do not nest. */
static void fail_later(struct slot *s, enum wire_outcome outcome, const struct err *err)
{
	memcpy(s->message, err->text, sizeof(s->message));
	s->failed = (struct wire_result){ .outcome = outcome, .message = s->message };
	timer_start(s->again, 0);
}

static int start_slot(struct slot *s, struct err *err)
{
	const struct run_slot_options options = { .threads = s->engine->options.threads };

	if (s->run != NULL)
		return 0;
	return run_slot_new(s->engine->options.host, &options, &s->run, err);
}

static void run(void *arg, uint32_t slot, struct order_item *item)
{
	struct engine *e = arg;
	struct slot *s = &e->slots[slot];
	const struct wire_order *o = &item->order;
	const struct prepared *p = item->prepared;
	struct run_work work = { .kernel = p->kernel,
				 .chunk = &o->chunks[item->chunk],
				 .inputs = p->run_inputs,
				 .n_inputs = o->n_inputs,
				 .discard = o->discard,
				 .iterations = o->iterations,
				 .timeout_ms = o->chunk_timeout_ms,
				 .memory_mib = o->memory_mib,
				 .probe = o->kind == WIRE_ORDER_PROBE };
	struct err err = { 0 };

	s->order = item;
	if (start_slot(s, &err) < 0) {
		log_error("runner not started", kv_err(&err));
		fail_later(s, WIRE_REFUSED, &err);
	} else if (run_chunk(s->run, &work, on_result, s, &err) < 0) {
		fail_later(s, outcome_of(&err), &err);
	}
}

static void stop(void *arg, uint32_t slot)
{
	struct engine *e = arg;
	struct slot *s = &e->slots[slot];

	timer_stop(s->again);
	s->order = NULL;
	if (s->run != NULL)
		run_slot_cancel(s->run);
}

static void result(void *arg, const struct wire_order *o, const struct wire_result *r)
{
	struct engine *e = arg;

	e->options.on_result(e->options.arg, o, r);
}

static const struct orders_ops ops = { prepare, drop, run, stop, result };

struct engine *engine_new(const struct engine_options *options)
{
	struct engine *e = NEW(struct engine);

	e->options = *options;
	e->slots = NEW_ARRAY(struct slot, options->slots);
	for (uint32_t i = 0; i < options->slots; i++) {
		e->slots[i].engine = e;
		e->slots[i].again =
		    timer_new(options->loop, "chunk failed", on_again, &e->slots[i]);
	}
	e->orders = orders_new(options->slots, &ops, e);
	return e;
}

void engine_free(struct engine *e)
{
	if (e == NULL)
		return;
	orders_free(e->orders);
	for (uint32_t i = 0; i < e->options.slots; i++) {
		timer_free(e->slots[i].again);
		run_slot_free(e->slots[i].run);
	}
	mem_free(e->slots);
	mem_free(e);
}

struct orders *engine_orders(struct engine *e)
{
	return e->orders;
}
