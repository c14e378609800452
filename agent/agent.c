/* agent.c - see agent.h. */
#include "agent/agent.h"

#include <string.h>
#include <sys/utsname.h>

#include "agent/blobs.h"
#include "agent/device.h"
#include "agent/engine.h"
#include "agent/held.h"
#include "agent/journal.h"
#include "agent/link.h"
#include "agent/orders.h"
#include "agent/session.h"
#include "base/file.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "hash/hash.h"
#include "run/run.h"

enum {
	DRAIN_MS = 2000,
	WORKERS = 1,
	PAGE_MS = 5, /* between pages: results of short chunks travel together */
};

struct agent {
	struct loop *loop;             /* borrowed */
	const struct options *options; /* borrowed */
	struct work_pool *pool;        /* owned, like the following */
	struct run_host *host;
	struct link *link;
	struct held *held;
	struct journal *journal; /* NULL without --state */
	struct blobs *blobs;
	struct engine *engine;
	struct timer *retry;
	struct timer *drain;
	struct timer *next_page;
	int64_t posted_ms; /* when the last page went out */
	struct session session;
	struct arena texts;     /* of devices */
	struct device *devices; /* in texts */
	uint32_t n_devices;
	struct device *usable; /* in texts: those with slots */
	uint32_t n_usable;
	bool draining;
	/* What this session has been told. */
	bool told_full;
	bool told_draining;
	bool told_offered;
};

/* ---- out: registration and pages --------------------------------------------------------- */

static bool has_attribute(const struct options *o, const char *key)
{
	for (uint32_t i = 0; i < o->n_attributes; i++) {
		if (text_equal(o->attributes[i].key, key))
			return true;
	}
	return false;
}

/* What the machine is, unless the command line says otherwise. */
static void list_attributes(const struct agent *a, struct arena *arena, struct wire_register *r)
{
	const struct options *o = a->options;
	struct wire_attribute *list =
	    arena_new_array(arena, struct wire_attribute, o->n_attributes + 2);
	struct utsname u = { 0 };
	uint32_t n = 0;

	for (; n < o->n_attributes; n++)
		list[n] = o->attributes[n];
	if (!has_attribute(o, "vendor") && a->devices[0].wire.vendor[0] != '\0' &&
	    n < WIRE_MAX_ATTRIBUTES)
		list[n++] = (struct wire_attribute){ "vendor", a->devices[0].wire.vendor };
	if (!has_attribute(o, "arch") && uname(&u) == 0 && n < WIRE_MAX_ATTRIBUTES)
		list[n++] = (struct wire_attribute){ "arch", arena_strdup(arena, u.machine) };
	r->attributes = list;
	r->n_attributes = n;
}

static void list_tokens(const struct agent *a, struct arena *arena, struct wire_register *r)
{
	const char **list = arena_new_array(arena, const char *, WIRE_MAX_TOKENS);
	bool native = false;
	bool vulkan = false;
	bool gpu = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_devices; i++) {
		const struct run_device *d = a->devices[i].gpu;

		native |= d == NULL;
		vulkan |= d != NULL;
		gpu |= d != NULL && !d->is_software;
	}
	list[n++] = "wgsl";
	if (native)
		list[n++] = "native";
	if (!gpu || native)
		list[n++] = "cpu";
	if (vulkan)
		list[n++] = "vulkan";
	if (gpu)
		list[n++] = "gpu";
	for (uint32_t i = 0; i < a->options->n_tokens; i++)
		list[n++] = a->options->tokens[i];
	r->tokens = list;
	r->n_tokens = n;
}

/* Their descriptions as a list, what all of them are able to do, and slots. */
static void list_devices(const struct agent *a, struct arena *arena, struct wire_register *r)
{
	struct wire_device *list = arena_new_array(arena, struct wire_device, a->n_devices);

	r->abilities = UINT32_MAX;
	for (uint32_t i = 0; i < a->n_devices; i++) {
		list[i] = a->devices[i].wire;
		r->abilities &= list[i].abilities;
	}
	r->devices = list;
	r->n_devices = a->n_devices;
	r->slots = a->options->slots * a->n_usable;
}

static bool on_open(void *arg, struct buf *out)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct agent *a = arg;
	struct wire_number numbers[] = { { "memoryMiB", a->devices[0].wire.memory_mib },
					 { "cpus", device_cpus() } };
	struct wire_register r = { .version = WIRE_VERSION,
				   .oldest = WIRE_OLDEST,
				   .agent_version = KWARP_VERSION,
				   .numbers = numbers,
				   .n_numbers = ARRAY_LEN(numbers),
				   .full = held_is_full(a->held),
				   .draining = a->draining };
	struct err err = { 0 };

	list_devices(a, &arena, &r);
	list_tokens(a, &arena, &r);
	list_attributes(a, &arena, &r);
	r.running = orders_list(engine_orders(a->engine), &arena, &r.n_running);
	r.held = held_dispatches(a->held, &arena, &r.n_held);
	r.highest_epoch = session_highest_epoch(&a->session, loop_now_ms(a->loop));
	if (wire_register_encode(&r, out, &err) < 0) {
		log_error("registration cannot be encoded", kv_err(&err),
			  kv_int("running", r.n_running), kv_int("held", r.n_held));
		session_on_mute(&a->session);
		return false;
	}
	held_offer_all(a->held);
	a->told_full = r.full;
	a->told_draining = r.draining;
	a->told_offered = false;
	return true;
}

static void post_page(struct agent *a)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf bytes = { .max = WIRE_MAX_PAGE };
	struct wire_page page = { .session = a->session.id,
				  .full = held_is_full(a->held),
				  .draining = a->draining };
	struct err err = { 0 };

	held_take_page(a->held, &arena, &page.parts, &page.n_parts);
	page.offered = held_is_offered(a->held);
	if (wire_page_encode(&page, &bytes, &err) < 0) {
		log_error("results cannot be encoded", kv_err(&err),
			  kv_int("held", (int64_t)held_count(a->held)));
		session_on_mute(&a->session);
		link_end(a->link, &err);
		return;
	}
	a->told_full = page.full;
	a->told_draining = page.draining;
	a->told_offered = a->told_offered || page.offered;
	a->posted_ms = loop_now_ms(a->loop);
	link_post(a->link, &bytes);
}

static bool has_news(const struct agent *a)
{
	return held_has_new(a->held) || a->told_full != held_is_full(a->held) ||
	       a->told_draining != a->draining || !a->told_offered;
}

/* Send what is to be sent; the end of a drain. */
static void pump(struct agent *a)
{
	int64_t next_ms = a->posted_ms + PAGE_MS;

	if (a->session.id == 0 || !link_is_up(a->link) || link_is_posting(a->link))
		return;
	if (!has_news(a)) {
		if (a->draining)
			loop_stop(a->loop);
	} else if (loop_now_ms(a->loop) >= next_ms || a->draining) {
		post_page(a);
	} else if (!timer_is_running(a->next_page)) {
		timer_start_at(a->next_page, next_ms);
	}
}

static void on_next_page(void *arg)
{
	pump(arg);
}

/* ---- in: frames and answers -------------------------------------------------------------- */

static void drop_results(struct agent *a, const struct wire_job_runs *jobs, uint32_t n)
{
	held_drop(a->held, jobs, n);
	if (a->journal != NULL)
		journal_drop(a->journal, jobs, n);
}

static void on_welcome(struct agent *a, const struct wire_welcome *w)
{
	struct err err = { 0 };

	switch (session_on_welcome(&a->session, w, loop_now_ms(a->loop))) {
	case SESSION_REFUSE:
		err_set(&err, ERR_UNAVAILABLE, "a controller of an earlier epoch (%llu) answers",
			(unsigned long long)w->epoch);
		link_end(a->link, &err);
		return;
	case SESSION_ACCEPT_LOWER:
		log_warn("controller has a lower epoch than before",
			 kv_int("epoch", (int64_t)w->epoch));
		break;
	case SESSION_ACCEPT:
		break;
	}
	log_info("connected", kv_str("agent", w->node), kv_int("epoch", (int64_t)w->epoch),
		 kv_int("held", (int64_t)held_count(a->held)),
		 kv_int("running", orders_count(engine_orders(a->engine))));
	blobs_on_up(a->blobs);
}

static void on_order(struct agent *a, const struct wire_order *o, struct arena **arena)
{
	struct orders *orders = engine_orders(a->engine);

	if (a->draining)
		orders_refuse(orders, o, WIRE_CANCELLED, "the agent stops");
	else if (o->dispatch.epoch != a->session.epoch) /* wire 7.3 */
		orders_refuse(orders, o, WIRE_REFUSED, "an order of another epoch");
	else if (held_is_full(a->held)) /* wire 5.6 */
		orders_refuse(orders, o, WIRE_REFUSED, "too many undecided results are held");
	else
		orders_add(orders, o, MOVE(*arena));
}

static void on_frame(void *arg, const struct wire_frame *f, struct arena **arena)
{
	struct agent *a = arg;
	struct err err = { 0 };

	if ((a->session.id == 0) != (f->type == WIRE_FRAME_WELCOME) &&
	    f->type != WIRE_FRAME_CLOSE) { /* wire 4.2 */
		err_set(&err, ERR_PROTOCOL, "frame %d out of turn", (int)f->type);
		link_end(a->link, &err);
		return;
	}
	session_on_heard(&a->session, loop_now_ms(a->loop));
	switch (f->type) {
	case WIRE_FRAME_WELCOME:
		on_welcome(a, &f->welcome);
		break;
	case WIRE_FRAME_ORDER:
		on_order(a, &f->order, arena);
		break;
	case WIRE_FRAME_CANCEL:
		for (uint32_t i = 0; i < f->cancel.n_dispatches; i++)
			orders_cancel(engine_orders(a->engine), &f->cancel.dispatches[i]);
		break;
	case WIRE_FRAME_DECIDED:
		drop_results(a, f->decided.jobs, f->decided.n_jobs);
		break;
	case WIRE_FRAME_CLOSE:
		log_warn("the controller ends the session", kv_str("reason", f->close.text));
		session_on_close(&a->session, &f->close);
		break;
	}
	pump(a);
}

static void on_answer(void *arg, const struct wire_answer *x)
{
	struct agent *a = arg;
	size_t refused;

	session_on_heard(&a->session, loop_now_ms(a->loop));
	refused = held_on_answer(a->held, x);
	if (refused > 0)
		log_warn("results refused", kv_int("results", (int64_t)refused),
			 kv_str("reason", x->reason));
	if (a->journal != NULL) {
		journal_drop(a->journal, x->decided, x->n_decided);
		journal_drop(a->journal, x->refused, x->n_refused);
	}
	pump(a);
}

static void on_down(void *arg, const struct err *err)
{
	struct agent *a = arg;
	uint32_t random;

	/* It was alive until now: its pings were answered. */
	session_on_heard(&a->session, loop_now_ms(a->loop));
	hash_random(&random, sizeof(random));
	timer_start(a->retry, session_on_end(&a->session, random));
	if (a->draining)
		loop_stop(a->loop);
	else
		log_warn("not connected, trying again", kv_str("controller", a->options->address),
			 kv_err(err));
}

static const struct link_ops link_ops = { on_open, on_frame, on_answer, on_down };

static void on_result(void *arg, const struct wire_order *o, const struct wire_result *r)
{
	struct agent *a = arg;

	if (held_add(a->held, &o->dispatch, o->ticket, r) && a->journal != NULL)
		journal_add(a->journal, &o->dispatch, o->ticket, r);
	pump(a);
}

static void on_retry(void *arg)
{
	struct agent *a = arg;

	link_connect(a->link);
}

static void on_drained(void *arg)
{
	struct agent *a = arg;

	loop_stop(a->loop);
}

/* ---- life -------------------------------------------------------------------------------- */

static int open_state(struct agent *a, struct err *err)
{
	AUTO(buf_done) struct buf path = { .max = 4096 };

	if (a->options->state == NULL)
		return 0;
	if (file_make_dir(a->options->state, err) < 0 ||
	    buf_addfe(&path, err, "%s/results", a->options->state) < 0 ||
	    journal_open(path.data, a->held, &a->journal, err) < 0)
		return err_wrap(err, "state");
	if (held_count(a->held) > 0)
		log_info("undecided results found",
			 kv_int("results", (int64_t)held_count(a->held)));
	return 0;
}

static int open_parts(struct agent *a, struct err *err)
{
	const struct options *o = a->options;
	const struct link_options link = { .loop = a->loop,
					   .address = o->address,
					   .ca_pem = o->ca_pem,
					   .credential = o->credential };
	struct link_options with_pool = link;

	if (open_state(a, err) < 0 || work_pool_new(a->loop, WORKERS, &a->pool, err) < 0)
		return err->code;
	if (a->journal != NULL)
		journal_start(a->journal, a->loop, a->pool);
	with_pool.pool = a->pool;
	if (run_host_new(a->loop, &(struct run_options){ 0 }, &a->host, err) < 0 ||
	    link_new(&with_pool, &link_ops, a, &a->link, err) < 0)
		return err->code;
	a->blobs = blobs_new(a->link);
	return 0;
}

static void open_engine(struct agent *a)
{
	const uint32_t slots = a->options->slots;
	struct engine_options engine = { .loop = a->loop,
					 .host = a->host,
					 .blobs = a->blobs,
					 .devices = a->usable,
					 .n_devices = a->n_usable,
					 .slots = slots,
					 .threads = device_cpus() / slots,
					 .on_result = on_result,
					 .arg = a };

	if (engine.threads == 0)
		engine.threads = 1;
	a->engine = engine_new(&engine);
}

int agent_new(struct loop *loop, const struct options *options, struct agent **ret, struct err *err)
{
	struct agent *a = NEW(struct agent);

	a->loop = loop;
	a->options = options;
	a->held = held_new();
	a->retry = timer_new(loop, "connect", on_retry, a);
	a->drain = timer_new(loop, "drain", on_drained, a);
	a->next_page = timer_new(loop, "page", on_next_page, a);
	if (open_parts(a, err) < 0) {
		agent_free(a);
		return err->code;
	}
	*ret = a;
	return 0;
}

void agent_free(struct agent *a)
{
	if (a == NULL)
		return;
	engine_free(a->engine);
	blobs_free(a->blobs);
	link_free(a->link);
	run_host_free(a->host);
	if (a->journal != NULL)
		journal_stop(a->journal);
	work_pool_free(a->pool);
	journal_close(a->journal);
	timer_free(a->retry);
	timer_free(a->drain);
	timer_free(a->next_page);
	held_free(a->held);
	arena_done(&a->texts);
	mem_free(a);
}

static void test_devices(struct agent *a)
{
	for (uint32_t i = 0; i < a->n_devices; i++) {
		struct device *d = &a->devices[i];

		device_test(a->host, &a->texts, d);
		if (d->test.passed)
			log_info("self-test passed", kv_str("device", d->wire.name),
				 kv_str("backend", d->wire.backend));
		else
			log_error("self-test failed", kv_str("device", d->wire.name),
				  kv_str("backend", d->wire.backend),
				  kv_str("reason", d->wire.self_test_reason));
	}
}

/* One that computes wrongly is told of, but has no slots, unless it is all that there is. */
static void choose_usable(struct agent *a)
{
	a->usable = arena_new_array(&a->texts, struct device, a->n_devices);
	for (uint32_t i = 0; i < a->n_devices; i++)
		if (a->devices[i].test.passed)
			a->usable[a->n_usable++] = a->devices[i];
	if (a->n_usable > 0)
		return;
	a->usable = a->devices;
	a->n_usable = a->n_devices;
}

int agent_probe(struct agent *a, struct err *err)
{
	const struct options *o = a->options;
	struct device_list found;

	if (device_find(a->host, o->devices, o->n_devices, &a->texts, &found, err) < 0)
		return err->code;
	a->devices = found.list;
	a->n_devices = found.n;
	if (o->slots * a->n_devices > WIRE_MAX_SLOTS)
		return err_set(err, ERR_INVALID, "--slots %u: %u devices can have %d in all",
			       o->slots, a->n_devices, WIRE_MAX_SLOTS);
	test_devices(a);
	choose_usable(a);
	open_engine(a);
	return 0;
}

void agent_start(struct agent *a)
{
	link_connect(a->link);
}

void agent_stop(struct agent *a)
{
	if (a->draining) {
		loop_stop(a->loop);
		return;
	}
	a->draining = true;
	if (a->engine == NULL) { /* still finding out what it is */
		loop_stop(a->loop);
		return;
	}
	log_info("stopping", kv_int("running", orders_count(engine_orders(a->engine))),
		 kv_int("held", (int64_t)held_count(a->held)));
	orders_cancel_all(engine_orders(a->engine), "the agent stops");
	timer_start(a->drain, DRAIN_MS);
	if (a->session.id == 0)
		loop_stop(a->loop);
	pump(a);
}
