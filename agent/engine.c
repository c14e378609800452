/* engine.c - see engine.h. */
#include "agent/engine.h"

#include <string.h>

#include "agent/blobs.h"
#include "agent/device.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "run/run.h"

struct slot {
	struct engine *engine;       /* borrowed */
	const struct device *device; /* borrowed */
	struct run_slot *run;        /* owned; NULL before it is first used */
	struct run_slot *probe; /* owned: native, for probes, if the device is not; NULL: unused */
	struct order_item *order; /* borrowed: what runs on it */
	struct timer *again;      /* owned: tells `failed` a moment later */
	struct wire_result failed;
	char message[sizeof(((struct err *)0)->text)];
};

/* The kernel as code for one device; devices that run the same code share the first one's. */
struct load {
	struct prepared *prepared; /* borrowed */
	struct run_call *call;     /* while loading */
	struct run_kernel *kernel; /* reference; NULL: not wanted, or failed */
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
	struct load *loads;           /* owned, one per device; of a probe the first: native */
	uint32_t n_loads;
	uint32_t loading; /* that are not done yet */
	char why[WIRE_MAX_MESSAGE / 2];
};

struct engine {
	struct engine_options options;
	struct orders *orders; /* owned */
	struct slot *slots;    /* owned */
	uint32_t n_slots;
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

static enum run_target target_of(const struct device *d)
{
	return d->gpu == NULL ? RUN_NATIVE : RUN_VULKAN;
}

/* The first device that runs the same code. */
static uint32_t code_of(const struct engine *e, uint32_t device)
{
	const struct device *list = e->options.devices;
	uint32_t i = 0;

	while (i < device &&
	       (target_of(&list[i]) != target_of(&list[device]) ||
		(list[i].gpu != NULL && list[i].gpu->modes != list[device].gpu->modes)))
		i++;
	return i;
}

static bool is_probe(const struct prepared *p)
{
	return p->item->order.kind == WIRE_ORDER_PROBE;
}

/* What runs on the slot's device for this order; NULL: nothing can. */
static struct run_kernel *kernel_for(const struct prepared *p, const struct slot *s)
{
	if (is_probe(p))
		return p->loads[0].kernel;
	return p->loads[code_of(p->engine, (uint32_t)(s->device - p->engine->options.devices))]
	    .kernel;
}

static void finish_loading(struct prepared *p)
{
	bool is_loaded = false;

	if (--p->loading > 0)
		return;
	for (uint32_t i = 0; i < p->n_loads; i++)
		is_loaded |= p->loads[i].kernel != NULL;
	if (is_loaded)
		orders_on_prepared(p->engine->orders, p->item, WIRE_OK, "");
	else
		orders_on_prepared(p->engine->orders, p->item, outcome_of(&p->err), p->why);
}

static void on_loaded(void *arg, struct run_kernel *kernel, const char *text, const struct err *err)
{
	struct load *l = arg;
	struct prepared *p = l->prepared;
	struct buf b = { .data = p->why, .cap = sizeof(p->why), .max = sizeof(p->why) - 1 };

	l->call = NULL;
	if (kernel != NULL) {
		l->kernel = run_kernel_ref(kernel);
	} else if (p->err.code == 0) {
		p->err = *err;
		buf_note(&b, "%s", text[0] != '\0' ? text : err->text);
	}
	finish_loading(p);
}

static void load_one(struct prepared *p, uint32_t i, struct run_source *source)
{
	const struct device *d = &p->engine->options.devices[i];

	p->loading++;
	source->target = is_probe(p) ? RUN_NATIVE : target_of(d);
	source->modes = source->target == RUN_VULKAN ? d->gpu->modes : 0;
	p->loads[i].call = run_load(p->engine->options.host, source, on_loaded, &p->loads[i]);
}

static void load(struct prepared *p)
{
	const struct wire_order *o = &p->item->order;
	struct run_source source = { .entry_point = o->entry_point,
				     .constants = o->constants,
				     .n_constants = o->n_constants,
				     .strict = o->strict,
				     .reverse = is_probe(p) };

	source.text = blobs_bytes(p->text, &source.len);
	for (uint32_t i = 0; i < o->n_inputs; i++) {
		size_t len;

		p->run_inputs[i].bytes = blobs_bytes(p->inputs[i], &len);
		p->run_inputs[i].size = len;
		p->run_inputs[i].digest = o->inputs[i].digest;
	}
	for (uint32_t i = 0; i < p->n_loads; i++)
		if (is_probe(p) || code_of(p->engine, i) == i)
			load_one(p, i, &source);
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
	p->n_loads = is_probe(p) ? 1 : e->options.n_devices;
	p->loads = NEW_ARRAY(struct load, p->n_loads);
	for (uint32_t i = 0; i < p->n_loads; i++)
		p->loads[i].prepared = p;
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
	for (uint32_t i = 0; i < p->n_loads; i++) {
		if (p->loads[i].call != NULL)
			run_call_cancel(p->loads[i].call);
		run_kernel_unref(p->loads[i].kernel);
	}
	mem_free(p->loads);
	blobs_drop(p->text);
	for (uint32_t i = 0; i < item->order.n_inputs; i++)
		blobs_drop(p->inputs[i]);
	mem_free(p->inputs);
	mem_free(p->run_inputs);
	mem_free(p);
}

/* ---- choosing a device --------------------------------------------------------------------- */

/* One of the device's slots has tried in vain to build it. */
static bool has_failed(const struct engine *e, const struct device *d, const struct run_kernel *k)
{
	for (uint32_t i = 0; i < e->n_slots; i++)
		if (e->slots[i].device == d && e->slots[i].run != NULL &&
		    run_slot_has_failed(e->slots[i].run, k))
			return true;
	return false;
}

static bool is_able(const struct prepared *p, const struct slot *s)
{
	const struct run_kernel *k = kernel_for(p, s);
	uint32_t needs;

	if (k == NULL || has_failed(p->engine, s->device, k))
		return false;
	needs = wire_kernel_needs(run_kernel_reflection(k), p->item->order.iterations);
	return (needs & ~s->device->test.abilities) == 0;
}

/* A device that can do what the kernel needs; if none can, the controller knows why it asks: then
 * any that has code. */
static bool fits(void *arg, uint32_t slot, const struct order_item *item)
{
	struct engine *e = arg;
	const struct prepared *p = item->prepared;

	if (is_probe(p) || is_able(p, &e->slots[slot]))
		return true;
	for (uint32_t i = 0; i < e->n_slots; i += e->options.slots)
		if (is_able(p, &e->slots[i]))
			return false;
	return kernel_for(p, &e->slots[slot]) != NULL;
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

/* The runner for the order: of the device, or native for probes. */
static int start_slot(struct slot *s, bool probe, struct run_slot **ret, struct err *err)
{
	bool is_native = probe || s->device->gpu == NULL;
	struct run_slot **at = is_native && s->device->gpu != NULL ? &s->probe : &s->run;
	const struct run_slot_options options = {
		.device = is_native ? NULL : s->device->gpu->id,
		.max_passes = is_native ? 0 : s->device->test.max_passes,
		.threads = s->engine->options.threads,
	};

	if (*at == NULL && run_slot_new(s->engine->options.host, &options, at, err) < 0)
		return err->code;
	*ret = *at;
	return 0;
}

static void run(void *arg, uint32_t slot, struct order_item *item)
{
	struct engine *e = arg;
	struct slot *s = &e->slots[slot];
	const struct wire_order *o = &item->order;
	const struct prepared *p = item->prepared;
	struct run_slot *runner = NULL;
	struct run_work work = { .kernel = kernel_for(p, s),
				 .chunk = &o->chunks[item->chunk],
				 .inputs = p->run_inputs,
				 .n_inputs = o->n_inputs,
				 .discard = o->discard,
				 .iterations = o->iterations,
				 .timeout_ms = o->chunk_timeout_ms,
				 .memory_mib = o->memory_mib,
				 .probe = is_probe(p) };
	struct err err = { 0 };

	s->order = item;
	if (start_slot(s, work.probe, &runner, &err) < 0) {
		log_error("runner not started", kv_err(&err));
		fail_later(s, WIRE_REFUSED, &err);
	} else if (run_chunk(runner, &work, on_result, s, &err) < 0) {
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
	if (s->probe != NULL)
		run_slot_cancel(s->probe);
}

static void result(void *arg, const struct wire_order *o, const struct wire_result *r)
{
	struct engine *e = arg;

	e->options.on_result(e->options.arg, o, r);
}

static const struct orders_ops ops = { prepare, drop, fits, run, stop, result };

struct engine *engine_new(const struct engine_options *options)
{
	struct engine *e = NEW(struct engine);

	e->options = *options;
	e->n_slots = options->slots * options->n_devices;
	e->slots = NEW_ARRAY(struct slot, e->n_slots);
	for (uint32_t i = 0; i < e->n_slots; i++) {
		e->slots[i].engine = e;
		e->slots[i].device = &options->devices[i / options->slots];
		e->slots[i].again =
		    timer_new(options->loop, "chunk failed", on_again, &e->slots[i]);
	}
	e->orders = orders_new(e->n_slots, &ops, e);
	return e;
}

void engine_free(struct engine *e)
{
	if (e == NULL)
		return;
	orders_free(e->orders);
	for (uint32_t i = 0; i < e->n_slots; i++) {
		timer_free(e->slots[i].again);
		run_slot_free(e->slots[i].run);
		run_slot_free(e->slots[i].probe);
	}
	mem_free(e->slots);
	mem_free(e);
}

struct orders *engine_orders(struct engine *e)
{
	return e->orders;
}
