/* run.c - see run.h. */
#include "cli/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/probe.h"
#include "cli/save.h"
#include "controller/decide/decide.h"
#include "doc/doc.h"
#include "hash/hash.h"
#include "run/run.h"
#include "run/selftest.h"

enum { PROGRESS_MS = 200, MAX_LOCAL_SLOTS = 256, MAX_INPUT = 64 << 20 };

#define LOCAL "local"

/* The arena of a plan, kept until the orders in it are done. */
struct batch {
	struct arena arena;
	size_t refs;
};

struct order {
	const struct wire_order *order; /* borrowed: from the batch */
	struct batch *batch;            /* shared */
	struct list_link link;
};

struct runner;

/* A device slot and the order that it works on. */
struct slot {
	struct runner *runner; /* borrowed */
	struct run_slot *run;  /* owned */
	struct order *order;   /* owned; NULL: idle */
	uint32_t at;           /* chunk of the order in flight */
};

struct runner {
	const struct run_request *request;
	const struct doc *doc; /* borrowed: as given */
	struct doc *local;     /* owned: without what places it on a cluster */
	struct loop *loop;
	struct timer *timer;
	struct timer *ticker;
	struct run_host *host;
	struct arena texts;              /* of device */
	const struct run_device *device; /* NULL: the CPU with native code */
	struct run_self_test test;       /* of device */
	struct run_call *call;           /* borrowed: compilation in flight */
	struct run_kernel *kernel;
	struct fleet *fleet;
	struct job *job;
	struct slot *slots; /* owned */
	uint32_t n_slots;
	struct list waiting; /* orders without a slot; never more than plans make */
	struct buf inputs[JOB_MAX_INPUTS];
	struct order *probed; /* owned; NULL: no probe */
	struct probe *probe;  /* owned */
	bool probe_over;      /* both can be freed */
	bool planning;
	bool again;
	struct err broken; /* what ends the program, not the job */
};

static void plan(struct runner *r);

static void batch_unref(struct batch *b)
{
	if (--b->refs > 0)
		return;
	arena_done(&b->arena);
	mem_free(b);
}

static void order_free(struct order *o)
{
	if (o == NULL)
		return;
	list_remove(&o->link);
	batch_unref(o->batch);
	mem_free(o);
}

/* ---- chunks ----------------------------------------------------------------------------- */

static void give_up(struct runner *r, const struct err *err)
{
	if (r->broken.code == 0)
		r->broken = *err;
	loop_stop(r->loop);
}

static void start_chunk(struct slot *s);

static void finish_chunk(struct slot *s, const struct wire_result *result)
{
	struct runner *r = s->runner;

	(void)job_on_result(r->job, LOCAL, &s->order->order->dispatch, result,
			    loop_now_ms(r->loop));
	s->at++;
	if (s->at < s->order->order->n_chunks && !job_is_finished(r->job)) {
		start_chunk(s);
	} else {
		order_free(s->order);
		s->order = NULL;
	}
	plan(r);
}

/* Large outputs stay with the runner until they are read. */
static int whole_values(struct slot *s, const struct wire_result *result, struct buf *values,
			struct err *err)
{
	char *to;

	if (buf_space(values, (size_t)result->values_size, &to, err) < 0 ||
	    run_slot_read(s->run, 0, to, (size_t)result->values_size, err) < 0)
		return err->code;
	buf_commit(values, (size_t)result->values_size);
	return 0;
}

static void on_chunk(void *arg, const struct wire_result *result)
{
	struct slot *s = arg;
	struct wire_result r = *result;
	AUTO(buf_done) struct buf values = { .max = (size_t)result->values_size };
	struct err err = { 0 };

	if (r.outcome == WIRE_REFUSED && s->runner->device != NULL) {
		/* There is no other device that could be asked. */
		(void)err_set(&err, ERR_UNAVAILABLE, "%s: %s", s->runner->device->name, r.message);
		give_up(s->runner, &err);
		return;
	}
	if (r.outcome == WIRE_OK && r.values_size > WIRE_MAX_VALUES) {
		if (whole_values(s, result, &values, &err) < 0) {
			give_up(s->runner, &err);
			return;
		}
		r.values = buf_str(&values);
	}
	finish_chunk(s, &r);
}

static void find_inputs(const struct runner *r, const struct wire_order *o, struct run_input *ret)
{
	for (uint32_t i = 0; i < o->n_inputs; i++) {
		const struct buf *b = &r->inputs[job_kernel_input(r->job, i)];

		ret[i] = (struct run_input){ .bytes = buf_str(b),
					     .size = b->len,
					     .digest = o->inputs[i].digest };
	}
}

static void start_chunk(struct slot *s)
{
	struct runner *r = s->runner;
	const struct wire_order *o = s->order->order;
	struct run_input inputs[JOB_MAX_INPUTS];
	struct err err = { 0 };

	find_inputs(r, o, inputs);
	if (run_chunk(s->run,
		      &(struct run_work){
			  .kernel = r->kernel,
			  .chunk = &o->chunks[s->at],
			  .inputs = inputs,
			  .n_inputs = o->n_inputs,
			  .discard = o->discard,
			  .iterations = o->iterations,
			  .timeout_ms = o->chunk_timeout_ms,
			  .memory_mib = o->memory_mib,
		      },
		      on_chunk, s, &err) < 0) {
		err_wrap(&err, "chunk %u", o->chunks[s->at].index);
		give_up(r, &err);
	}
}

static void feed_slots(struct runner *r)
{
	for (uint32_t i = 0; i < r->n_slots && r->waiting.count > 0; i++) {
		struct slot *s = &r->slots[i];

		if (s->order != NULL)
			continue;
		s->order = LIST_FIRST(&r->waiting, struct order, link);
		list_remove(&s->order->link);
		s->at = 0;
		start_chunk(s);
	}
}

static bool same_dispatch(const struct wire_dispatch *a, const struct wire_dispatch *b)
{
	return a->slice == b->slice && a->replica == b->replica && a->attempt == b->attempt;
}

static void cancel(struct runner *r, const struct wire_dispatch *d)
{
	for (uint32_t i = 0; i < r->n_slots; i++) {
		struct slot *s = &r->slots[i];

		if (s->order == NULL || !same_dispatch(&s->order->order->dispatch, d))
			continue;
		run_slot_cancel(s->run);
		order_free(s->order);
		s->order = NULL;
	}
	LIST_EACH (struct order, o, &r->waiting, link) {
		if (same_dispatch(&o->order->dispatch, d))
			order_free(o);
	}
}

/* ---- what a start needs ----------------------------------------------------------------- */

/* What a kernel cannot do without and the device, the only one here, has not. */
static bool is_refused(const struct runner *r, struct run_kernel *kernel, struct err *err)
{
	uint32_t lacks = run_kernel_reflection(kernel)->needs & WIRE_NEEDS_TO_RUN;

	if (r->device == NULL)
		return false;
	lacks &= ~r->test.abilities;
	if (lacks == 0)
		return false;
	(void)err_set(err, ERR_UNAVAILABLE, "--device %s: %s has no %s, which the kernel needs",
		      r->request->device, r->device->name,
		      wire_need_name((enum wire_need)(lacks & -lacks)));
	return true;
}

static void on_kernel(void *arg, struct run_kernel *kernel, const char *text, const struct err *err)
{
	struct runner *r = arg;
	const struct job_spec *spec = job_spec(r->job);
	struct hash_digest digest;
	struct err refusal = { 0 };

	r->call = NULL;
	if (kernel != NULL && is_refused(r, kernel, &refusal)) {
		give_up(r, &refusal);
	} else if (kernel != NULL) {
		r->kernel = run_kernel_ref(kernel);
		hash_bytes(spec->kernel, spec->kernel_len, &digest);
		job_on_kernel(r->job, run_kernel_reflection(kernel), &digest);
	} else if (err->code == ERR_INVALID) {
		job_on_kernel_failed(r->job, "KernelInvalid", *text != '\0' ? text : err->text);
	} else if (err->code == ERR_TOO_BIG) {
		job_on_kernel_failed(r->job, "KernelTooBig", err->text);
	} else {
		give_up(r, err);
	}
	plan(r);
}

static struct run_source source_of(const struct runner *r)
{
	const struct job_spec *spec = job_spec(r->job);

	return (struct run_source){
		.text = spec->kernel,
		.len = spec->kernel_len,
		.entry_point = spec->entry_point,
		.constants = spec->constants,
		.n_constants = (uint32_t)spec->n_constants,
		.strict = spec->strict,
		.target = r->device == NULL ? RUN_NATIVE : RUN_VULKAN,
		.modes = r->device == NULL ? 0 : r->device->modes,
	};
}

static void compile(struct runner *r)
{
	const struct run_source source = source_of(r);

	if (r->call == NULL)
		r->call = run_load(r->host, &source, on_kernel, r);
}

static void read_manifest(struct runner *r)
{
	const struct job_spec *spec = job_spec(r->job);
	AUTO(buf_done) struct buf text = { .max = MAX_INPUT };
	struct err err = { 0 };

	if (files_config_map(r->request->files, spec->manifest_map, spec->manifest_key, &text,
			     &err) < 0)
		job_on_refused(r->job, "ManifestInvalid", err.text);
	else
		job_on_manifest(r->job, buf_str(&text), text.len);
}

static void read_inputs(struct runner *r)
{
	const struct job_spec *spec = job_spec(r->job);

	for (size_t i = 0; i < spec->n_inputs; i++) {
		struct hash_digest digest;
		struct err err = { 0 };

		if (!job_input_needed(r->job, i))
			continue;
		buf_reset(&r->inputs[i]);
		if (files_config_map(r->request->files, spec->inputs[i].ref_name,
				     spec->inputs[i].ref_key, &r->inputs[i], &err) < 0) {
			err_wrap(&err, "input %s", spec->inputs[i].name);
			job_on_refused(r->job, "InputMissing", err.text);
			return;
		}
		hash_bytes(buf_str(&r->inputs[i]), r->inputs[i].len, &digest);
		job_on_input(r->job, i, &digest, r->inputs[i].len);
	}
}

/* decide has digested these already and refuses what is no base64. */
static void decode_inline(struct runner *r)
{
	const struct job_spec *spec = job_spec(r->job);

	for (size_t i = 0; i < spec->n_inputs; i++) {
		struct err err = { 0 };

		r->inputs[i].max = MAX_INPUT;
		if (spec->inputs[i].source == JOB_INLINE &&
		    text_unbase64(spec->inputs[i].inline_text, spec->inputs[i].inline_len,
				  &r->inputs[i], &err) < 0)
			buf_reset(&r->inputs[i]);
	}
}

static void answer_needs(struct runner *r, uint32_t needs)
{
	if (needs & JOB_NEED_MANIFEST)
		read_manifest(r);
	if (needs & JOB_NEED_INPUTS)
		read_inputs(r);
	if (needs & JOB_NEED_KERNEL)
		compile(r);
}

/* ---- does the order matter? --------------------------------------------------------------- */

static void end_probe(struct runner *r)
{
	probe_free(MOVE(r->probe));
	order_free(MOVE(r->probed));
}

static void on_probe(void *arg, const struct wire_result *result)
{
	struct runner *r = arg;

	(void)job_on_result(r->job, LOCAL, &r->probed->order->dispatch, result,
			    loop_now_ms(r->loop));
	plan(r);
	r->probe_over = true;
	timer_start(r->timer, 0);
}

static void probe(struct runner *r, struct order *o)
{
	struct run_input inputs[JOB_MAX_INPUTS];

	ASSERT(r->probe == NULL);
	find_inputs(r, o->order, inputs);
	r->probed = o;
	r->probe = probe_new(
	    &(struct probe_request){
		.host = r->host, .source = source_of(r), .order = o->order, .inputs = inputs },
	    on_probe, r);
}

/* ---- plans ------------------------------------------------------------------------------ */

static void carry_out(struct runner *r, const struct job_plan *p, struct batch *batch)
{
	int64_t now = loop_now_ms(r->loop);

	for (size_t i = 0; i < p->n_actions; i++) {
		const struct job_action *a = &p->actions[i];
		struct order *o;

		if (a->kind == JOB_CANCEL)
			cancel(r, &a->dispatch->key);
		if (a->kind != JOB_SEND)
			continue;
		o = NEW(struct order);
		o->order = a->order;
		o->batch = batch;
		batch->refs++;
		if (o->order->kind == WIRE_ORDER_PROBE)
			probe(r, o);
		else
			list_add(&r->waiting, &o->link);
		job_on_sent(r->job, &a->order->dispatch, true, now, clock_wall_ms());
	}
}

static void one_plan(struct runner *r)
{
	struct batch *batch = NEW(struct batch);
	struct job_plan p;
	int64_t now = loop_now_ms(r->loop);

	batch->refs = 1;
	r->again = false;
	job_decide(r->job, now, clock_wall_ms(), &batch->arena, &p);
	carry_out(r, &p, batch);
	if (p.needs != 0) {
		answer_needs(r, p.needs);
		r->again = true;
	}
	if (p.look_again_ms != INT64_MAX)
		timer_start_at(r->timer, p.look_again_ms);
	batch_unref(batch);
	if (job_is_finished(r->job))
		loop_stop(r->loop);
	else
		feed_slots(r);
}

/* Facts that come while a plan is carried out are looked at after it. */
static void plan(struct runner *r)
{
	r->again = true;
	if (r->planning)
		return;
	r->planning = true;
	while (r->again && r->broken.code == 0 && !job_is_finished(r->job))
		one_plan(r);
	r->planning = false;
}

static void on_timer(void *arg)
{
	struct runner *r = arg;

	if (r->probe_over)
		end_probe(r);
	plan(r);
}

static void on_tick(void *arg)
{
	struct runner *r = arg;
	struct job_counts c = job_counts(r->job);
	char line[256];

	snprintf(line, sizeof(line), "%s %lld/%lld %s", job_spec(r->job)->name,
		 (long long)c.accepted, (long long)c.total, job_why(r->job));
	r->request->progress(r->request->arg, line);
	timer_start(r->ticker, PROGRESS_MS);
}

/* ---- all of it -------------------------------------------------------------------------- */

static int join_fleet(struct runner *r, struct err *err)
{
	static const char *const tokens[] = { "cpu", "native", "wgsl" };
	AUTO(doc_unrefp) struct doc *node = node_warp_build(LOCAL, NULL, NULL, "default");
	const struct fleet_device device = {
		.id = LOCAL,
		.backend = r->device == NULL ? "Native" : "Vulkan",
		.vendor = r->device == NULL ? "cpu" : r->device->vendor,
		.name = r->device == NULL ? "this machine" : r->device->name,
		.driver = r->device == NULL ? KWARP_VERSION : r->device->driver,
		.message = "",
		/* Loops that turn out to be too long are refused when they run. */
		.abilities =
		    r->device == NULL ? UINT32_MAX : r->test.abilities | WIRE_NEED_LOOPS64K,
		.self_test_passed = true,
	};

	if (fleet_on_warpnode(r->fleet, node, err) < 0)
		return err->code;
	return fleet_on_registered(r->fleet, LOCAL,
				   &(struct fleet_claims){
				       .version = KWARP_VERSION,
				       .slots = r->n_slots,
				       .tokens = tokens,
				       .n_tokens = ARRAY_LEN(tokens),
				       .devices = &device,
				       .n_devices = 1,
				   },
				   clock_wall_ms(), err);
}

static int choose_device(struct runner *r, struct err *err)
{
	const char *name = r->request->device;
	const struct run_device *list;
	uint32_t n;

	if (name == NULL || text_equal(name, "native"))
		return 0;
	if (run_wait_devices(r->host, &r->texts, &list, &n, err) < 0)
		return err->code;
	r->device = run_find_device(list, n, text_starts(name, "vulkan:") ? name + 7 : "");
	if (r->device == NULL)
		return err_set(err, ERR_NOT_FOUND, "--device %s: there are %u Vulkan devices", name,
			       n);
	run_wait_self_test(r->host, r->device, &r->test);
	if (!r->test.passed)
		return err_set(err, ERR_UNAVAILABLE, "--device %s: self-test: %s", name,
			       r->test.reason);
	return 0;
}

static int open_slots(struct runner *r, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t threads = 0;

	r->slots = NEW_ARRAY(struct slot, r->n_slots);
	if (r->n_slots > 1)
		threads = cpus > (long)r->n_slots ? (uint32_t)cpus / r->n_slots : 1;
	for (uint32_t i = 0; i < r->n_slots; i++) {
		r->slots[i].runner = r;
		if (run_slot_new(r->host,
				 &(struct run_slot_options){
				     .device = r->device == NULL ? NULL : r->device->id,
				     .max_passes = r->device == NULL ? 0 : r->test.max_passes,
				     .threads = threads,
				 },
				 &r->slots[i].run, err) < 0)
			return err->code;
	}
	return 0;
}

static void runner_done(struct runner *r)
{
	for (uint32_t i = 0; r->slots != NULL && i < r->n_slots; i++) {
		run_slot_free(r->slots[i].run);
		order_free(r->slots[i].order);
	}
	LIST_EACH (struct order, o, &r->waiting, link) {
		order_free(o);
	}
	mem_free(r->slots);
	end_probe(r);
	job_free(r->job);
	fleet_free(r->fleet);
	run_kernel_unref(r->kernel);
	run_host_free(r->host);
	arena_done(&r->texts);
	timer_free(r->timer);
	timer_free(r->ticker);
	loop_free(r->loop);
	for (size_t i = 0; i < JOB_MAX_INPUTS; i++)
		buf_done(&r->inputs[i]);
	doc_unref(r->local);
}

static int open_runner(struct runner *r, struct err *err)
{
	r->n_slots = r->request->slots > 0 ? r->request->slots : 1;
	r->doc = r->request->files->jobs[r->request->job];
	/* Where it would run on a cluster does not matter here. */
	r->local = doc_copy(r->doc);
	doc_remove(doc_edit(r->local, "spec"), "where");
	doc_remove(doc_edit(r->local, "spec"), "nodeName");
	doc_remove(doc_edit(r->local, "spec"), "managedBy");
	doc_remove(doc_edit(r->local, "spec"), "suspend");
	if (loop_new(&r->loop, err) < 0 ||
	    run_host_new(r->loop, &(struct run_options){ 0 }, &r->host, err) < 0)
		return err->code;
	r->timer = timer_new(r->loop, "plan", on_timer, r);
	r->ticker = timer_new(r->loop, "progress", on_tick, r);
	r->fleet = fleet_new();
	if (choose_device(r, err) < 0 || open_slots(r, err) < 0 || join_fleet(r, err) < 0)
		return err->code;
	return job_new(r->local, r->fleet,
		       &(struct job_config){ .epoch = 1, .cluster = false, .replicas = 1 },
		       loop_now_ms(r->loop), &r->job, err);
}

int run_job(const struct run_request *request, struct run_answer *ret, struct err *err)
{
	AUTO(runner_done) struct runner r = { .request = request };
	struct doc *finished;

	if (request->slots > MAX_LOCAL_SLOTS)
		return err_set(err, ERR_INVALID, "at most %d slots", MAX_LOCAL_SLOTS);
	if (!doc_is(doc_get(request->files->jobs[request->job], "spec"), DOC_MAP))
		return err_set(err, ERR_INVALID, "spec: missing, expected a map");
	if (open_runner(&r, err) < 0)
		return err->code;
	decode_inline(&r);
	if (request->progress != NULL)
		timer_start(r.ticker, PROGRESS_MS);
	plan(&r);
	if (r.broken.code == 0 && !job_is_finished(r.job))
		loop_run(r.loop);
	if (r.broken.code != 0)
		return err_set(err, (enum err_code)r.broken.code, "%s", r.broken.text);
	if (request->save != NULL && job_state(r.job) == JOB_COMPLETE &&
	    save_results(r.job, request->save, err) < 0)
		return err_wrap(err, "--save");
	finished = doc_copy(r.doc);
	doc_set(finished, "status", job_status(r.job, loop_now_ms(r.loop), clock_wall_ms()));
	ret->job = finished;
	ret->complete = job_state(r.job) == JOB_COMPLETE;
	return 0;
}

void run_answer_done(struct run_answer *a)
{
	doc_unref(a->job);
	a->job = NULL;
}

void run_print_result(const struct doc *result, struct buf *out)
{
	const struct doc *r = result;
	const char *name = doc_str(r, "name", "");
	const char *value = doc_str(r, "value", NULL);
	const char *index = doc_str(r, "index", doc_str(r, "indexes", NULL));

	if (value == NULL)
		buf_note(out, "%s: %lld elements of %s, sha256 %s", name,
			 (long long)doc_int(r, "length", 0), doc_str(r, "type", "mixed types"),
			 doc_str(r, "sha256", ""));
	else
		buf_note(out, "%s=%s", name, value);
	if (index != NULL)
		buf_note(out, " at %s", index);
	buf_note(out, "\n");
}

void run_print(const struct doc *job, struct buf *out)
{
	DOC_EACH(doc_get(job, "status.results"), r)
	{
		run_print_result(r, out);
	}
}
