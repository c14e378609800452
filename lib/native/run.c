/* run.c - load compiled code, check a chunk against it, run it; see native.h. No LLVM here. */
#include "native/native.h"

#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "base/mem.h"
#include "native/object_int.h"

/* Offsets in buffers are 32-bit counts of 4-byte words. */
static const uint64_t MAX_BUFFER = (uint64_t)16 << 30;
static const uint64_t MAX_LIMIT = (uint64_t)1 << 32;

struct native_code {
	struct native_image image;
	struct native_header header;
	struct native_binding *bindings; /* owned */
};

struct native_run {
	const struct native_code *code; /* borrowed */
	uint64_t units;
	size_t frame_bytes;
	struct native_frame *frame; /* owned: copied for each part */
};

static const uint32_t never_stop;

#ifdef __x86_64__
/* FNV-1a. */
static uint64_t mix(uint64_t h, uint32_t v)
{
	for (int n = 0; n < 4; n++)
		h = (h ^ ((v >> (8 * n)) & 255)) * 0x100000001b3ULL;
	return h;
}

static uint64_t cpu_hash(void)
{
	static const uint32_t leaves[][2] = { { 0, 0 },  { 1, 0 },  { 7, 0 },          { 7, 1 },
					      { 13, 0 }, { 13, 1 }, { 0x80000001U, 0 } };
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t n = 0; n < ARRAY_LEN(leaves); n++) {
		uint32_t a = 0, b = 0, c = 0, d = 0;

		if (!__get_cpuid_count(leaves[n][0], leaves[n][1], &a, &b, &c, &d))
			continue;
		if (leaves[n][0] == 1)
			b = 0; /* which core this is */
		if (leaves[n][0] == 13)
			b = c = d = 0; /* sizes that depend on what is switched on */
		h = mix(mix(mix(mix(h, a), b), c), d);
	}
	return h;
}
#else
static uint64_t cpu_hash(void)
{
	return 0;
}
#endif

const char *native_cpu_key(char key[NATIVE_KEY])
{
	(void)snprintf(key, NATIVE_KEY, "native-%u-%016llx", (unsigned)NATIVE_VERSION,
		       (unsigned long long)cpu_hash());
	return key;
}

/* ---- code ---------------------------------------------------------------------------------- */

#ifdef __x86_64__
static bool cpu_has(const char *fixed)
{
	__builtin_cpu_init();
	if (strcmp(fixed, "x86-64-v4") == 0)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	if (strcmp(fixed, "x86-64-v3") == 0)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi2");
	if (strcmp(fixed, "x86-64-v2") == 0)
		return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
	return strcmp(fixed, "x86-64") == 0;
}
#else
static bool cpu_has(const char *fixed)
{
	(void)fixed;
	return false;
}
#endif

MUST_CHECK static int check_header(const struct native_header *h, size_t len, struct err *err)
{
	char key[NATIVE_KEY];
	size_t fixed = strlen(NATIVE_KEY_FIXED);
	uint64_t table = (uint64_t)h->n_buffers * sizeof(struct native_binding);

	if (memcmp(h->magic, NATIVE_MAGIC, sizeof(h->magic)) != 0)
		return err_set(err, ERR_INVALID, "native: not an object");
	if (h->version != NATIVE_VERSION)
		return err_set(err, ERR_CONFLICT, "native: object of version %u",
			       (unsigned)h->version);
	if (h->cpu_key[NATIVE_KEY - 1] != '\0' || h->n_buffers > NATIVE_MAX_BUFFERS ||
	    h->scratch_bytes > NATIVE_MAX_SCRATCH || h->lanes < 4 || h->lanes > NATIVE_MAX_LANES ||
	    h->mode > NATIVE_GROUP || h->elf_len > len || sizeof(*h) + table + h->elf_len != len)
		return err_set(err, ERR_INVALID, "native: object is cut or damaged");
	if (strncmp(h->cpu_key, NATIVE_KEY_FIXED, fixed) == 0) {
		if (!cpu_has(h->cpu_key + fixed))
			return err_set(err, ERR_CONFLICT, "native: this CPU is no %s",
				       h->cpu_key + fixed);
	} else if (strcmp(h->cpu_key, native_cpu_key(key)) != 0) {
		return err_set(err, ERR_CONFLICT, "native: object was made for another CPU");
	}
	for (int d = 0; d < 3; d++)
		if (h->workgroup_size[d] == 0 || h->workgroup_size[d] > 1024)
			return err_set(err, ERR_INVALID, "native: object has no work-groups");
	return 0;
}

int native_load(const void *object, size_t len, struct native_code **ret, struct err *err)
{
	AUTO(native_code_freep) struct native_code *c = NEW(struct native_code);
	const uint8_t *at = object;
	size_t table;

	if (len < sizeof(c->header))
		return err_set(err, ERR_INVALID, "native: not an object");
	memcpy(&c->header, at, sizeof(c->header));
	if (check_header(&c->header, len, err) < 0)
		return err->code;
	table = c->header.n_buffers * sizeof(struct native_binding);
	c->bindings = mem_dup(at + sizeof(c->header), table);
	at += sizeof(c->header) + table;
	if (native_image_load(at, c->header.elf_len, &c->image, err) < 0)
		return err->code;
	*ret = MOVE(c);
	return 0;
}

void native_code_free(struct native_code *c)
{
	if (c == NULL)
		return;
	native_image_done(&c->image);
	mem_free(c->bindings);
	mem_free(c);
}

void native_code_freep(struct native_code **c)
{
	native_code_free(*c);
}

size_t native_scratch_bytes(const struct native_code *c)
{
	return c->header.scratch_bytes;
}

uint32_t native_lanes(const struct native_code *c)
{
	return c->header.lanes;
}

/* ---- runs ---------------------------------------------------------------------------------- */

MUST_CHECK static int check_buffer(const struct native_binding *b, const struct native_buffer *buf,
				   uint32_t n, struct err *err)
{
	if (!b->is_used && buf->data == NULL)
		return 0;
	if (buf->data == NULL || buf->size < b->min_size)
		return err_set(err, ERR_INVALID, "native: buffer %u has %llu bytes, needs %u",
			       (unsigned)n, (unsigned long long)buf->size, (unsigned)b->min_size);
	if ((uintptr_t)buf->data % 16 != 0)
		return err_set(err, ERR_INVALID, "native: buffer %u is misaligned", (unsigned)n);
	if (buf->size > MAX_BUFFER)
		return err_set(err, ERR_TOO_BIG, "native: buffer %u is above 16 GiB", (unsigned)n);
	return 0;
}

static void fill_slot(const struct native_binding *b, const struct native_buffer *buf,
		      struct native_slot *slot)
{
	uint64_t n = 0;

	slot->data = buf->data;
	if (b->array_stride > 0 && buf->size > b->array_offset)
		n = (buf->size - b->array_offset) / b->array_stride;
	slot->length = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

MUST_CHECK static int fill_grid(const struct native_header *h, const struct native_chunk *chunk,
				struct native_run *r, struct err *err)
{
	struct native_frame *f = r->frame;
	uint64_t units = 1, rows;

	for (int d = 0; d < 3; d++) {
		uint32_t size = h->workgroup_size[d], n = chunk->invocations[d];

		if (h->whole_groups && n % size != 0)
			return err_set(err, ERR_INVALID,
				       "native: %u invocations in %c are no multiple of the "
				       "work-group size %u",
				       (unsigned)n, "xyz"[d], (unsigned)size);
		f->grid[d] = n;
		f->groups[d] = n / size + (n % size != 0);
	}
	f->blocks_x = f->grid[0] / h->lanes + (f->grid[0] % h->lanes != 0);
	rows = (uint64_t)f->grid[1] * f->grid[2];
	units = h->mode == NATIVE_FLAT ? f->blocks_x : f->groups[0];
	rows = h->mode == NATIVE_FLAT ? rows : (uint64_t)f->groups[1] * f->groups[2];
	if (rows != 0 && units > UINT64_MAX / rows)
		return err_set(err, ERR_TOO_BIG, "native: too many invocations");
	r->units = units * rows;
	return 0;
}

int native_run_new(const struct native_code *c, const struct native_chunk *chunk,
		   struct native_run **ret, struct err *err)
{
	AUTO(native_run_freep) struct native_run *r = NEW(struct native_run);
	uint32_t n = c->header.n_buffers;

	if (chunk->n_buffers != n)
		return err_set(err, ERR_INVALID, "native: %u buffers, the kernel has %u",
			       (unsigned)chunk->n_buffers, (unsigned)n);
	if (chunk->iteration_limit > MAX_LIMIT)
		return err_set(err, ERR_INVALID, "native: iteration limit above 2^32");
	r->code = c;
	r->frame_bytes = sizeof(struct native_frame) + n * sizeof(struct native_slot);
	r->frame = mem_alloc(r->frame_bytes);
	r->frame->limit = chunk->iteration_limit ? chunk->iteration_limit : MAX_LIMIT;
	r->frame->stop = chunk->stop ? chunk->stop : &never_stop;
	for (uint32_t b = 0; b < n; b++) {
		if (check_buffer(&c->bindings[b], &chunk->buffers[b], b, err) < 0)
			return err->code;
		fill_slot(&c->bindings[b], &chunk->buffers[b], &r->frame->slots[b]);
	}
	if (fill_grid(&c->header, chunk, r, err) < 0)
		return err->code;
	*ret = MOVE(r);
	return 0;
}

void native_run_free(struct native_run *r)
{
	if (r == NULL)
		return;
	mem_free(r->frame);
	mem_free(r);
}

void native_run_freep(struct native_run **r)
{
	native_run_free(*r);
}

uint64_t native_run_units(const struct native_run *r)
{
	return r->units;
}

enum native_status native_run_part(const struct native_run *r, uint64_t first, uint64_t count,
				   void *scratch, uint64_t *used)
{
	struct native_frame *f;
	enum native_status status;

	if (first >= r->units)
		return NATIVE_DONE;
	if (count > r->units - first)
		count = r->units - first;
	ASSERT((uintptr_t)scratch % 64 == 0);
	f = mem_dup(r->frame, r->frame_bytes);
	f->scratch = scratch;
	f->used = *used;
	status = (enum native_status)r->code->image.entry(f, first, count);
	*used = f->used;
	mem_free(f);
	return status;
}
