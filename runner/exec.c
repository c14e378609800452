/* exec.c - one loaded kernel, one chunk at a time, over a team of threads; see exec.h. */
#include "runner/exec.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/work.h"
#include "native/native.h"
#include "runner/sandbox.h"

enum {
	PARTS_PER_THREAD = 16, /* for balance; each costs one atomic addition */
	PAGE = 4096,
	ZERO_ALONE = 1 << 20, /* bytes of outputs that one thread zeroes */
	UNIFORM_BYTES = WIRE_MAX_UNIFORM + WIRE_MAX_BINDINGS * RUN_ALIGN,
};

struct exec {
	struct exec_memory memory;
	uint32_t threads;
	struct work_team *team;      /* owned */
	struct native_code *code[2]; /* owned: forward, reverse; NULL: not loaded */
	uint8_t *scratch;            /* owned: scratch_bytes for each thread */
	size_t scratch_bytes;
	uint8_t *uniforms; /* owned: UNIFORM_BYTES, aligned */
};

static int map_pages(size_t size, uint8_t **ret, struct err *err)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return err_errno(err, errno, "%zu bytes of memory", size);
	*ret = at;
	return 0;
}

int exec_new(uint32_t threads, const struct exec_memory *memory, struct exec **ret, struct err *err)
{
	struct exec *e = NEW(struct exec); /* lives as long as the process */

	e->memory = *memory;
	e->threads = threads;
	if (map_pages(UNIFORM_BYTES, &e->uniforms, err) < 0 ||
	    work_team_new((int)threads, &e->team, err) < 0)
		return err->code;
	*ret = e;
	return 0;
}

/* ---- loading -------------------------------------------------------------------------------- */

static int make_scratch(struct exec *e, struct err *err)
{
	size_t need = 0;

	for (int i = 0; i < 2; i++)
		if (e->code[i] != NULL && native_scratch_bytes(e->code[i]) > need)
			need = native_scratch_bytes(e->code[i]);
	need = (need + PAGE - 1) & ~(size_t)(PAGE - 1);
	if (need <= e->scratch_bytes)
		return 0;
	if (e->scratch != NULL)
		munmap(e->scratch, e->scratch_bytes * e->threads);
	e->scratch = NULL;
	e->scratch_bytes = 0;
	if (map_pages(need * e->threads, &e->scratch, err) < 0)
		return err->code;
	e->scratch_bytes = need;
	return 0;
}

static void unload(struct exec *e)
{
	for (int i = 0; i < 2; i++)
		native_code_free(MOVE(e->code[i]));
}

int exec_load(struct exec *e, const struct run_load_request *request, struct err *err)
{
	unload(e);
	for (int i = 0; i < 2; i++) {
		const struct run_bytes *o = &request->object[i];

		if (o->size > 0 && native_load(o->bytes, o->size, &e->code[i], err) < 0)
			break;
	}
	if (err->code == 0 && make_scratch(e, err) == 0)
		return 0;
	unload(e);
	return err->code;
}

/* ---- running -------------------------------------------------------------------------------- */

struct chunk_run {
	struct exec *exec;
	struct native_run *run; /* owned */
	uint64_t units;
	uint64_t step;
	_Atomic uint64_t next;
	uint32_t stop;
	_Atomic int status; /* enum native_status; the first that is not DONE */
	_Atomic uint64_t used;
};

static void note_used(struct chunk_run *r, uint64_t used)
{
	uint64_t seen = atomic_load(&r->used);

	while (used > seen && !atomic_compare_exchange_weak(&r->used, &seen, used))
		;
}

static void note_status(struct chunk_run *r, enum native_status status)
{
	int done = NATIVE_DONE;

	if (status == NATIVE_DONE || status == NATIVE_STOPPED)
		return;
	atomic_compare_exchange_strong(&r->status, &done, (int)status);
	__atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
}

static void *scratch_of(const struct exec *e, uint64_t thread)
{
	return e->scratch == NULL ? NULL : e->scratch + thread * e->scratch_bytes;
}

static void run_some(void *arg, uint64_t thread)
{
	struct chunk_run *r = arg;
	uint64_t used = 0;
	enum native_status status = NATIVE_DONE;

	while (status == NATIVE_DONE) {
		uint64_t first = atomic_fetch_add(&r->next, r->step);
		uint64_t count = first < r->units ? r->units - first : 0;

		if (count == 0)
			break;
		status = native_run_part(r->run, first, count < r->step ? count : r->step,
					 scratch_of(r->exec, thread), &used);
	}
	note_used(r, used);
	note_status(r, status);
}

/* For the order probe: one thread, from the last unit to the first. */
static void run_backwards(struct chunk_run *r)
{
	uint64_t used = 0;
	enum native_status status = NATIVE_DONE;

	for (uint64_t i = r->units; i > 0 && status == NATIVE_DONE; i--)
		status = native_run_part(r->run, i - 1, 1, scratch_of(r->exec, 0), &used);
	note_used(r, used);
	note_status(r, status);
}

static void run_all(struct chunk_run *r, const struct run_chunk_request *m)
{
	struct exec *e = r->exec;
	uint64_t threads = m->alone || m->reverse ? 1 : e->threads;

	r->units = native_run_units(r->run);
	r->step = r->units / (threads * PARTS_PER_THREAD) + 1;
	if (threads > r->units)
		threads = r->units;
	if (m->reverse)
		run_backwards(r);
	else if (threads <= 1)
		run_some(r, 0);
	else
		work_team_run(e->team, run_some, r, threads);
}

/* ---- buffers -------------------------------------------------------------------------------- */

static bool lies_within(const struct run_buffer *b, uint64_t size)
{
	return b->offset <= size && b->size <= size - b->offset;
}

/* Uniforms follow each other without gaps in the message: each gets an aligned place of its own. */
static void *place_uniform(struct exec *e, const struct run_buffer *b, const struct run_bytes *from,
			   size_t *used)
{
	uint8_t *at = e->uniforms + *used;

	if (!lies_within(b, from->size))
		return NULL;
	memcpy(at, (const uint8_t *)from->bytes + b->offset, b->size);
	*used += (b->size + RUN_ALIGN - 1) & ~(size_t)(RUN_ALIGN - 1);
	ASSERT(*used <= UNIFORM_BYTES);
	return at;
}

/* NULL: it lies outside of what was shared. */
static void *find_buffer(struct exec *e, const struct run_buffer *b,
			 const struct run_chunk_request *m, size_t *uniforms_used)
{
	switch (b->where) {
	case RUN_IN_MESSAGE:
		return place_uniform(e, b, &m->uniforms, uniforms_used);
	case RUN_IN_INPUTS:
		return lies_within(b, e->memory.in_size) ? e->memory.in + b->offset : NULL;
	case RUN_IN_OUTPUTS:
		return lies_within(b, e->memory.out_size) ? e->memory.out + b->offset : NULL;
	}
	return NULL;
}

struct zeroing {
	uint8_t *at;
	uint64_t size;
	uint64_t part_size;
};

static void zero_part(void *arg, uint64_t part)
{
	const struct zeroing *z = arg;
	uint64_t offset = part * z->part_size;

	if (offset < z->size)
		memset(z->at + offset, 0,
		       z->size - offset < z->part_size ? z->size - offset : z->part_size);
}

static void zero(struct exec *e, void *at, uint64_t size)
{
	struct zeroing z = { at, size, size / e->threads + PAGE };

	if (size <= ZERO_ALONE || e->threads == 1)
		memset(at, 0, size);
	else
		work_team_run(e->team, zero_part, &z, e->threads);
}

static int make_buffers(struct exec *e, const struct run_chunk_request *m,
			struct native_buffer *buffers, struct err *err)
{
	size_t uniforms_used = 0;

	for (uint32_t i = 0; i < m->n_buffers; i++) {
		const struct run_buffer *b = &m->buffers[i];
		void *at = find_buffer(e, b, m, &uniforms_used);

		if (at == NULL)
			return err_set(err, ERR_PROTOCOL, "buffer %u is outside of its memory", i);
		if (b->where == RUN_IN_OUTPUTS)
			zero(e, at, b->size);
		buffers[b->place] = (struct native_buffer){ .data = at, .size = b->size };
	}
	return 0;
}

static int execute(struct exec *e, const struct run_chunk_request *m, struct chunk_run *r,
		   struct err *err)
{
	const struct native_code *code = e->code[m->reverse ? 1 : 0];
	struct native_buffer buffers[WIRE_MAX_BINDINGS] = { 0 };
	const struct native_chunk chunk = {
		.buffers = buffers,
		.n_buffers = m->n_code_buffers,
		.invocations = { m->grid[0], m->grid[1], m->grid[2] },
		.iteration_limit = m->iterations,
		.stop = &r->stop,
	};

	if (code == NULL)
		return err_set(err, ERR_UNAVAILABLE, "the code cannot be loaded here");
	if (make_buffers(e, m, buffers, err) < 0 || native_run_new(code, &chunk, &r->run, err) < 0)
		return err->code;
	run_all(r, m);
	native_run_free(MOVE(r->run));
	return 0;
}

struct run_chunk_answer exec_chunk(struct exec *e, const struct run_chunk_request *request,
				   struct err *text)
{
	struct chunk_run r = { .exec = e };
	int64_t start_us = clock_boot_us();
	struct run_chunk_answer a = { .outcome = WIRE_OK, .message = "" };

	sandbox_limit_cpu(request->cpu_ms);
	if (execute(e, request, &r, text) < 0) {
		a.outcome = text->code == ERR_INVALID ? WIRE_BAD_KERNEL : WIRE_REFUSED;
		a.message = text->text;
	} else if (atomic_load(&r.status) == NATIVE_ITERATION_LIMIT) {
		a.outcome = WIRE_ITERATION_LIMIT;
		a.message = "an invocation used up its iterations";
	}
	a.iterations = atomic_load(&r.used);
	a.elapsed_us = (uint64_t)(clock_boot_us() - start_us);
	return a;
}
