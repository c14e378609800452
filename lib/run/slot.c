/* slot.c - one executing child: chunks in, results out; see run.h. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/metric.h"
#include "base/num.h"
#include "base/text.h"
#include "run/canon.h"
#include "run/slot_int.h"

enum {
	OWN_TEXT = WIRE_MAX_MESSAGE - 1,
	MAX_ANSWER = 4096,
	MAX_WITNESS_BYTES = 64 << 20, /* of outputs: above, a probe names no element */
	CPU_SLACK_MS = 10000,         /* of the CPU backstop over the wall clock's limit */
	MAX_UNBUILT = 8,
	UNBUILT_MS = 600000, /* then a device may try again: the machine may have been busy */
};

/* A kernel that the device's driver did not build in time. */
struct unbuilt {
	struct hash_digest key;
	int64_t until_ms; /* 0: none */
};

/* An input that lies in the shared memory already. */
struct known_input {
	bool is_known;
	struct hash_digest digest;
	struct wire_range range;
	uint64_t offset;
};

struct run_slot {
	struct run_host *host; /* borrowed */
	uint32_t threads;
	char *device; /* owned; NULL: the CPU */
	uint32_t max_passes;
	uint32_t build_ms;
	struct unbuilt unbuilt[MAX_UNBUILT];
	char not_built[64]; /* words for it */
	char too_long[96];  /* words for loops beyond max_passes */
	struct run_memory in;
	struct run_memory out;
	struct run_child *child;   /* owned; NULL: none could be started */
	struct run_kernel *loaded; /* shared: what the child holds; NULL: nothing */
	struct run_kernel *kernel; /* shared: of the last chunk */
	struct known_input known[WIRE_MAX_BINDINGS];
	struct timer *deadline; /* owned */
	struct timer *deliver;  /* owned: for outcomes known before the child was asked */

	/* The chunk in flight, and afterwards where its outputs are. */
	bool is_busy;
	run_result_fn fn;
	void *arg;
	struct run_layout layout;
	struct wire_result result;
	struct buf message;
	struct buf values;
	struct buf uniforms; /* a copy: a chunk may be sent twice */
	uint32_t timeout_ms;
	bool is_loading; /* the child has not answered yet that it holds the kernel */
	bool timed_out;
	bool is_second_try;
	bool is_limit_ours; /* the limit of iterations is the device's, not the order's */
	bool is_probe;
	bool is_second_pass;
	uint8_t *first_pass; /* owned: outputs of a probe's first pass; NULL: none, or too large */
	bool has_outputs;
};

static const char *const NO_RUNNER = "the runner cannot be started";

/* ---- ends of a chunk ------------------------------------------------------------------------ */

static void say(struct run_slot *s, const char *text)
{
	buf_reset(&s->message);
	if (text_is_utf8(text, strlen(text))) /* it may come from the child */
		buf_note(&s->message, "%s", text);
	s->result.message = buf_str(&s->message);
}

static void finish(struct run_slot *s, enum wire_outcome outcome)
{
	struct wire_result result = s->result;

	timer_stop(s->deadline);
	timer_stop(s->deliver);
	result.outcome = outcome;
	/* Only a result has a digest (wire/order.h), also when the first pass of a probe had one.
	 */
	if (outcome != WIRE_OK) {
		memset(result.digest, 0, sizeof(result.digest));
		result.values = NULL;
		result.values_size = 0;
	}
	s->is_busy = false;
	s->has_outputs = outcome == WIRE_OK;
	s->fn(s->arg, &result);
}

static void on_deliver(void *arg)
{
	struct run_slot *s = arg;

	finish(s, WIRE_REFUSED);
}

/* Callbacks never come from within run_chunk. */
static void refuse_later(struct run_slot *s, const char *why)
{
	say(s, why);
	timer_start(s->deliver, 0);
}

/* The digest and, if they are small, the values of the outputs. */
static int make_canonical(struct run_slot *s, struct hash_digest *ret, struct err *err)
{
	AUTO(hash_freep) struct hash *h = hash_new();
	uint64_t framed = 0;

	buf_reset(&s->values);
	for (uint32_t i = 0; i < s->layout.n_outputs; i++)
		if (!s->layout.outputs[i].is_scratch)
			framed += RUN_FRAME_LENGTH + s->layout.outputs[i].size;
	for (uint32_t i = 0; i < s->layout.n_outputs; i++) {
		const struct run_output *o = &s->layout.outputs[i];
		uint8_t *bytes = s->out.bytes + o->offset;
		char length[RUN_FRAME_LENGTH];

		if (o->is_scratch)
			continue;
		if (run_canon(o->binding, o->elements, bytes, o->size, err) < 0)
			return err->code;
		num_put_u64(length, o->size);
		hash_add(h, length, sizeof(length));
		hash_add(h, bytes, o->size);
		if (framed <= WIRE_MAX_VALUES &&
		    (buf_add(&s->values, length, sizeof(length), err) < 0 ||
		     buf_add(&s->values, bytes, o->size, err) < 0))
			return err->code;
	}
	hash_finish(h, ret);
	s->result.values = s->values.len > 0 ? s->values.data : NULL;
	s->result.values_size = framed;
	return 0;
}

/* Where the two passes of a probe differ first. */
static void say_witness(struct run_slot *s)
{
	for (uint32_t i = 0; s->first_pass != NULL && i < s->layout.n_outputs; i++) {
		const struct run_output *o = &s->layout.outputs[i];
		const uint8_t *a = s->first_pass + o->offset;
		const uint8_t *b = s->out.bytes + o->offset;
		uint64_t at = 0;

		while (at < o->size && a[at] == b[at])
			at++;
		if (o->is_scratch || at == o->size)
			continue;
		buf_reset(&s->message);
		if (o->binding->array_stride > 0 && at >= o->binding->array_offset)
			buf_note(&s->message, "output %s, element %llu, depends on the order",
				 o->binding->name,
				 (unsigned long long)((at - o->binding->array_offset) /
						      o->binding->array_stride));
		else
			buf_note(&s->message, "output %s, byte %llu, depends on the order",
				 o->binding->name, (unsigned long long)at);
		s->result.message = buf_str(&s->message);
		return;
	}
}

static void send_chunk(struct run_slot *s);

static void begin_second_pass(struct run_slot *s)
{
	s->is_second_pass = true;
	if (s->layout.out_bytes <= MAX_WITNESS_BYTES)
		s->first_pass = mem_dup(s->out.bytes, s->layout.out_bytes);
	send_chunk(s);
}

static void end_probe(struct run_slot *s, bool equal)
{
	if (!equal)
		say_witness(s);
	finish(s, equal ? WIRE_OK : WIRE_ORDER_SEEN);
}

/* A pass of the chunk ended well. */
static int take_outputs(struct run_slot *s, struct err *err)
{
	struct hash_digest digest;
	bool equal;

	if (make_canonical(s, &digest, err) < 0)
		return err->code;
	equal = memcmp(s->result.digest, digest.bytes, sizeof(s->result.digest)) == 0;
	if (s->is_second_pass) {
		end_probe(s, equal);
		return 0;
	}
	memcpy(s->result.digest, digest.bytes, sizeof(s->result.digest));
	if (s->is_probe)
		begin_second_pass(s);
	else
		finish(s, WIRE_OK);
	return 0;
}

/* ---- the child ------------------------------------------------------------------------------ */

/* A kernel's loading, where drivers compile, has a time of its own; that of the chunk begins when
 * the child can work on it. */
static void start_clock(struct run_slot *s)
{
	uint32_t ms = s->is_loading ? s->build_ms : s->timeout_ms;

	timer_stop(s->deadline);
	if (ms > 0 && run_child_is_ready(s->child))
		timer_start(s->deadline, ms);
}

static int take_loaded(struct run_slot *s, struct run_bytes body, struct err *err)
{
	struct run_load_answer m;

	if (run_get_loaded(body, &m, err) < 0)
		return err->code;
	if (!s->is_loading)
		return err_set(err, ERR_PROTOCOL, "the runner loaded what it holds already");
	if (m.code != 0) /* the chunk behind it will be refused with the reason */
		run_kernel_unref(MOVE(s->loaded));
	s->is_loading = false;
	start_clock(s);
	return 0;
}

static int take_ran(struct run_slot *s, struct run_bytes body, struct err *err)
{
	struct run_chunk_answer m;

	if (run_get_ran(body, &m, err) < 0)
		return err->code;
	timer_stop(s->deadline);
	s->result.iterations =
	    m.iterations > s->result.iterations ? m.iterations : s->result.iterations;
	s->result.elapsed_us += m.elapsed_us;
	if (m.outcome == WIRE_OK)
		return take_outputs(s, err);
	say(s, m.message);
	if (m.outcome == WIRE_ITERATION_LIMIT && s->is_limit_ours) {
		say(s, s->too_long);
		m.outcome = WIRE_REFUSED;
	}
	if (m.outcome == WIRE_DEVICE_LOST) { /* the next chunk gets a new child */
		run_kernel_unref(MOVE(s->loaded));
		run_child_free(MOVE(s->child));
	}
	finish(s, m.outcome);
	return 0;
}

static int on_frame(void *arg, uint32_t type, struct run_bytes body, struct err *err)
{
	struct run_slot *s = arg;

	if (type == RUN_LOADED && s->is_busy && !s->timed_out)
		return take_loaded(s, body, err);
	if (type == RUN_RAN && s->is_busy && !s->timed_out)
		return take_ran(s, body, err);
	return err_set(err, ERR_PROTOCOL, "the runner sent message %u unasked", type);
}

static void on_ready(void *arg)
{
	struct run_slot *s = arg;

	if (s->is_busy && !timer_is_running(s->deliver))
		start_clock(s);
}

/* The entry to use next: the kernel's own, else the oldest. */
static struct unbuilt *find_unbuilt(struct run_slot *s, const struct run_kernel *k)
{
	struct unbuilt *oldest = &s->unbuilt[0];

	for (size_t i = 0; i < MAX_UNBUILT; i++) {
		if (memcmp(&s->unbuilt[i].key, &k->key, sizeof(k->key)) == 0)
			return &s->unbuilt[i];
		if (s->unbuilt[i].until_ms < oldest->until_ms)
			oldest = &s->unbuilt[i];
	}
	return oldest;
}

static void on_deadline(void *arg)
{
	struct run_slot *s = arg;

	s->timed_out = true;
	if (s->is_loading && s->device != NULL)
		*find_unbuilt(s, s->kernel) =
		    (struct unbuilt){ s->kernel->key,
				      loop_now_ms(run_host_loop(s->host)) + UNBUILT_MS };
	run_child_kill(s->child, s->is_loading ? "the kernel's code took too long to load"
					       : "the chunk took too long");
}

static int start_child(struct run_slot *s, struct err *err);

static void send_all(struct run_slot *s);

static struct metric killed_total = { .name = "kwarp_runner_killed_total",
				      .help = "Runners that someone else killed under a chunk, by "
					      "what became of the chunk.",
				      .type = METRIC_COUNTER,
				      .label = "chunk" };

/* A signal that is not ours comes from people or from a machine without memory, seldom from what
 * the kernel did: once per chunk, it is tried again. */
static bool try_again(struct run_slot *s, int signal_number, const char *why)
{
	bool again = !s->is_second_try && s->child != NULL;

	if (!run_is_foreign_signal(signal_number) || s->timed_out)
		return false;
	log_warn(again ? "a runner was killed, its chunk is tried again"
		       : "a runner was killed, its chunk is lost",
		 kv_int("chunk", s->result.chunk), kv_str("reason", why));
	metric_add(&killed_total, again ? "retried" : "lost", 1);
	if (!again)
		return false;
	s->is_second_try = true;
	s->is_second_pass = false;
	mem_free(MOVE(s->first_pass));
	timer_stop(s->deadline);
	s->result = (struct wire_result){ .chunk = s->result.chunk, .message = "" };
	send_all(s);
	return true;
}

static void on_end(void *arg, const char *how, int signal_number)
{
	struct run_slot *s = arg;
	AUTO(buf_done) struct buf why = { .max = OWN_TEXT };
	bool was_ready = run_child_is_ready(s->child);
	struct err err = { 0 };

	buf_note(&why, "the runner %s", how);
	run_child_free(MOVE(s->child));
	run_kernel_unref(MOVE(s->loaded));
	/* One that dies idle or at its start is replaced with the next chunk. */
	if (s->is_busy && (was_ready || run_is_foreign_signal(signal_number)) &&
	    start_child(s, &err) < 0)
		s->child = NULL;
	if (!s->is_busy || timer_is_running(s->deliver) ||
	    try_again(s, signal_number, buf_str(&why)))
		return;
	if (s->timed_out) {
		say(s, s->is_loading ? s->not_built : "");
		finish(s, s->is_loading ? WIRE_REFUSED : WIRE_TIMED_OUT);
		return;
	}
	say(s, was_ready ? buf_str(&why) : NO_RUNNER);
	finish(s, was_ready ? WIRE_CRASHED : WIRE_REFUSED);
}

static int start_child(struct run_slot *s, struct err *err)
{
	AUTO(buf_done) struct buf in = { .max = 32 };
	AUTO(buf_done) struct buf out = { .max = 32 };
	AUTO(buf_done) struct buf threads = { .max = 32 };
	struct run_child_spec spec = {
		.loop = run_host_loop(s->host),
		.program = run_host_program(s->host),
		.max_answer = MAX_ANSWER,
		.in_fd = s->in.child_fd,
		.out_fd = s->out.child_fd,
		.on_frame = on_frame,
		.on_ready = on_ready,
		.on_end = on_end,
		.arg = s,
	};

	buf_note(&in, "%llu", (unsigned long long)s->in.size);
	buf_note(&out, "%llu", (unsigned long long)s->out.size);
	buf_note(&threads, "%u", s->threads);
	spec.loads_drivers = s->device != NULL;
	spec.arguments = (const char *const[]){ s->device != NULL ? "gpu" : "run",
						buf_str(&threads),
						buf_str(&in),
						buf_str(&out),
						s->device,
						NULL };
	return run_child_new(&spec, &s->child, err);
}

/* ---- starting a chunk ------------------------------------------------------------------------ */

static void send_load(struct run_slot *s)
{
	const struct run_kernel *k = s->kernel;
	struct run_load_request m = { 0 };
	struct err err = { 0 };

	for (int i = 0; i < 2; i++)
		m.object[i] = (struct run_bytes){ k->object[i], k->object_size[i] };
	/* The child answered everything before, so both frames fit. */
	ASSERT(run_put_load(run_child_out(s->child), &m, &err) == 0);
	run_kernel_unref(s->loaded);
	s->loaded = run_kernel_ref(s->kernel);
	s->is_loading = true;
}

static void send_chunk(struct run_slot *s)
{
	struct run_chunk_request m = s->layout.request;
	struct err err = { 0 };

	m.reverse = s->is_second_pass;
	m.alone = s->is_probe;
	if (s->timeout_ms > 0)
		m.cpu_ms = (uint64_t)s->timeout_ms * s->threads + CPU_SLACK_MS;
	ASSERT(run_put_chunk(run_child_out(s->child), &m, &err) == 0);
	run_child_flush(s->child);
	start_clock(s);
}

static bool is_in_place(const struct known_input *known, const struct run_placed *p)
{
	return known->is_known && p->input->digest != NULL && known->offset == p->offset &&
	       known->range.offset == p->range.offset && known->range.length == p->range.length &&
	       memcmp(known->digest.bytes, p->input->digest, HASH_SIZE) == 0;
}

static void copy_inputs(struct run_slot *s)
{
	for (uint32_t i = 0; i < s->layout.n_inputs; i++) {
		const struct run_placed *p = &s->layout.inputs[i];
		struct known_input *known = &s->known[i];

		if (is_in_place(known, p))
			continue;
		memcpy(s->in.bytes + p->offset, (const char *)p->input->bytes + p->range.offset,
		       p->range.length);
		*known = (struct known_input){ .is_known = p->input->digest != NULL,
					       .range = p->range,
					       .offset = p->offset };
		if (known->is_known)
			memcpy(known->digest.bytes, p->input->digest, HASH_SIZE);
	}
	for (uint32_t i = s->layout.n_inputs; i < WIRE_MAX_BINDINGS; i++)
		s->known[i].is_known = false;
	s->in.used = s->in.used > s->layout.in_bytes ? s->in.used : s->layout.in_bytes;
	s->out.used = s->out.used > s->layout.out_bytes ? s->out.used : s->layout.out_bytes;
}

/* Another kernel may belong to another job: nothing of the last one stays in shared memory. */
static void take_kernel(struct run_slot *s, struct run_kernel *k)
{
	if (s->kernel == k)
		return;
	run_memory_clear(&s->in);
	run_memory_clear(&s->out);
	memset(s->known, 0, sizeof(s->known));
	run_kernel_unref(s->kernel);
	s->kernel = run_kernel_ref(k);
}

/* NULL: it fits. */
static const char *memory_refusal(const struct run_slot *s, const struct run_work *work)
{
	uint64_t all = s->layout.in_bytes + s->layout.out_bytes;

	if (s->layout.in_bytes > s->in.size)
		return "the inputs need more memory than the device slot has";
	if (s->layout.out_bytes > s->out.size)
		return "the outputs need more memory than the device slot has";
	if (work->memory_mib > 0 && all > (uint64_t)work->memory_mib << 20)
		return "the chunk needs more memory than limits.deviceMemoryMiB";
	return NULL;
}

/* Passes that a device ends in silence must not be asked of it. NULL: they fit, or running out of
 * them will be seen. */
static const char *passes_refusal(struct run_slot *s, const struct wire_kernel *k)
{
	struct run_chunk_request *m = &s->layout.request;
	uint32_t counted;

	s->is_limit_ours = false;
	if (s->max_passes == 0)
		return NULL;
	counted = wire_counted_passes(k, s->max_passes);
	if (counted == 0)
		return s->too_long;
	if (k->needs_counter && (m->iterations == 0 || m->iterations > counted)) {
		m->iterations = counted;
		s->is_limit_ours = true;
	}
	return NULL;
}

bool run_slot_has_failed(const struct run_slot *s, const struct run_kernel *k)
{
	int64_t now_ms = loop_now_ms(run_host_loop(s->host));

	for (size_t i = 0; i < MAX_UNBUILT; i++)
		if (s->unbuilt[i].until_ms > now_ms &&
		    memcmp(&s->unbuilt[i].key, &k->key, sizeof(k->key)) == 0)
			return true;
	return false;
}

static void begin(struct run_slot *s, const struct run_work *work, run_result_fn fn, void *arg)
{
	s->is_busy = true;
	s->has_outputs = false;
	s->timed_out = false;
	s->is_loading = false;
	s->is_second_try = false;
	s->fn = fn;
	s->arg = arg;
	s->result = (struct wire_result){ .chunk = work->chunk->index, .message = "" };
	s->timeout_ms = work->timeout_ms;
	s->is_probe = work->probe;
	s->is_second_pass = false;
	mem_free(MOVE(s->first_pass));
	buf_reset(&s->values);
}

static void send_all(struct run_slot *s)
{
	if (s->loaded != s->kernel)
		send_load(s);
	send_chunk(s);
}

static int lay_out(struct run_slot *s, const struct run_work *work, struct err *err)
{
	struct run_chunk_request *m = &s->layout.request;

	s->has_outputs = false;
	if (run_layout_chunk(work, &s->layout, err) < 0)
		return err->code;
	buf_reset(&s->uniforms);
	if (buf_add(&s->uniforms, m->uniforms.bytes, m->uniforms.size, err) < 0)
		return err->code;
	m->uniforms.bytes = s->uniforms.data;
	if (work->probe)
		run_probe_grid(work->kernel->kernel.workgroup_size, m->grid);
	return 0;
}

int run_chunk(struct run_slot *s, const struct run_work *work, run_result_fn fn, void *arg,
	      struct err *err)
{
	struct err start = { 0 };
	const char *refusal;

	if (s->is_busy)
		return err_set(err, ERR_CONFLICT, "the slot is busy");
	ASSERT(work->kernel->object[work->probe ? 1 : 0] != NULL);
	ASSERT(work->kernel->target == (s->device != NULL ? RUN_VULKAN : RUN_NATIVE));
	if (lay_out(s, work, err) < 0)
		return err_wrap(err, "chunk %u", work->chunk->index);
	begin(s, work, fn, arg);
	refusal = memory_refusal(s, work);
	if (refusal == NULL)
		refusal = passes_refusal(s, &work->kernel->kernel);
	if (refusal == NULL && run_slot_has_failed(s, work->kernel))
		refusal = s->not_built;
	if (refusal == NULL && s->child == NULL && start_child(s, &start) < 0)
		refusal = start.text;
	if (refusal != NULL) {
		refuse_later(s, refusal);
		return 0;
	}
	take_kernel(s, work->kernel);
	copy_inputs(s);
	send_all(s);
	return 0;
}

struct loop *run_slot_loop(const struct run_slot *s)
{
	return run_host_loop(s->host);
}

bool run_slot_is_busy(const struct run_slot *s)
{
	return s->is_busy;
}

void run_slot_cancel(struct run_slot *s)
{
	struct err err = { 0 };

	if (!s->is_busy)
		return;
	s->is_busy = false;
	timer_stop(s->deadline);
	timer_stop(s->deliver);
	run_child_free(MOVE(s->child));
	run_kernel_unref(MOVE(s->loaded));
	if (start_child(s, &err) < 0)
		s->child = NULL; /* tried again with the next chunk */
}

/* ---- outputs --------------------------------------------------------------------------------- */

static const struct run_output *find_output(const struct run_slot *s, uint32_t i)
{
	for (uint32_t k = 0; s->has_outputs && k < s->layout.n_outputs; k++)
		if (!s->layout.outputs[k].is_scratch && i-- == 0)
			return &s->layout.outputs[k];
	return NULL;
}

const void *run_slot_output(const struct run_slot *s, uint32_t i, uint64_t *ret_size)
{
	const struct run_output *o = find_output(s, i);

	if (o == NULL)
		return NULL;
	*ret_size = o->size;
	return s->out.bytes + o->offset;
}

/* The part of [offset, offset + n) that lies in [start, start + size) of the framed bytes. */
static void copy_overlap(const void *from, uint64_t start, uint64_t size, uint64_t offset,
			 uint8_t *to, size_t n)
{
	uint64_t a = start > offset ? start : offset;
	uint64_t b = start + size < offset + n ? start + size : offset + n;

	if (a < b)
		memcpy(to + (a - offset), (const uint8_t *)from + (a - start), b - a);
}

int run_slot_read(const struct run_slot *s, uint64_t offset, void *to, size_t n, struct err *err)
{
	const struct run_output *o;
	uint64_t start = 0;

	if (!s->has_outputs || offset > s->result.values_size || n > s->result.values_size - offset)
		return err_set(err, ERR_INVALID, "there are no such output bytes");
	for (uint32_t i = 0; (o = find_output(s, i)) != NULL; i++) {
		char length[RUN_FRAME_LENGTH];

		num_put_u64(length, o->size);
		copy_overlap(length, start, sizeof(length), offset, to, n);
		start += sizeof(length);
		copy_overlap(s->out.bytes + o->offset, start, o->size, offset, to, n);
		start += o->size;
	}
	return 0;
}

int run_slot_pid(const struct run_slot *s)
{
	return s->child == NULL ? 0 : (int)run_child_pid(s->child);
}

/* ---- life ------------------------------------------------------------------------------------ */

int run_slot_new(struct run_host *h, const struct run_slot_options *options, struct run_slot **ret,
		 struct err *err)
{
	AUTO(run_slot_freep) struct run_slot *s = NEW(struct run_slot);
	uint64_t mib = options->memory_mib > 0 ? options->memory_mib : RUN_DEFAULT_MEMORY_MIB;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	s->host = h;
	s->device = options->device == NULL ? NULL : mem_strdup(options->device);
	s->max_passes = options->max_passes;
	s->build_ms = options->build_ms > 0 ? options->build_ms : RUN_BUILD_WAIT_MS;
	snprintf(s->too_long, sizeof(s->too_long),
		 "the kernel's loops are too long for this device, which runs at most %u passes",
		 s->max_passes);
	snprintf(s->not_built, sizeof(s->not_built), "the driver did not build the kernel in %u ms",
		 s->build_ms);
	s->threads = options->threads > 0 ? options->threads : cpus > 0 ? (uint32_t)cpus : 1;
	s->values.max = WIRE_MAX_VALUES;
	s->message.max = OWN_TEXT;
	s->uniforms.max = WIRE_MAX_UNIFORM;
	s->deadline = timer_new(run_host_loop(h), "chunk deadline", on_deadline, s);
	s->deliver = timer_new(run_host_loop(h), "chunk refused", on_deliver, s);
	if (run_memory_new("kwarp-inputs", mib << 20, false, &s->in, err) < 0 ||
	    run_memory_new("kwarp-outputs", mib << 20, true, &s->out, err) < 0 ||
	    start_child(s, err) < 0)
		return err_wrap(err, "start a runner");
	*ret = MOVE(s);
	return 0;
}

void run_slot_free(struct run_slot *s)
{
	if (s == NULL)
		return;
	timer_free(s->deadline);
	timer_free(s->deliver);
	run_child_free(s->child);
	run_kernel_unref(s->loaded);
	run_kernel_unref(s->kernel);
	run_memory_done(&s->in);
	run_memory_done(&s->out);
	buf_done(&s->values);
	buf_done(&s->uniforms);
	mem_free(s->first_pass);
	mem_free(s->device);
	buf_done(&s->message);
	mem_free(s);
}

void run_slot_freep(struct run_slot **s)
{
	run_slot_free(*s);
}
