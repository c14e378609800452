/* object.c - see object.h. */
#include "gpu/object.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "gpu/gpu.h"

enum {
	MAGIC = 0x4f47574b, /* "KWGO" */
	VERSION = 2,
	SPIRV_MAGIC = 0x07230203,
	MAX_CONTROL = 4096,
	MAX_PUSH = 128,
	MAX_SIZE = 65536, /* of a work-group in one dimension, and of its memory */
};

struct spirv_options gpu_object_options(uint32_t modes)
{
	return (struct spirv_options){
		.rte32 = (modes & GPU_MODE_RTE) != 0,
		.denorm_preserve32 = (modes & GPU_MODE_DENORM) != 0,
		.signed_zero_inf_nan32 = (modes & GPU_MODE_INFNAN) != 0,
		.rte64 = (modes & GPU_MODE_RTE64) != 0,
		.denorm_preserve64 = (modes & GPU_MODE_DENORM64) != 0,
		.signed_zero_inf_nan64 = (modes & GPU_MODE_INFNAN64) != 0,
		.int64 = (modes & GPU_MODE_INT64) != 0,
		.float64 = (modes & GPU_MODE_FLOAT64) != 0,
		.subgroups = (modes & GPU_MODE_SUBGROUPS) != 0,
		.subgroup_sizes = gpu_subgroup_sizes(modes),
	};
}

/* ---- writing ----------------------------------------------------------------------------- */

struct writer {
	struct buf *out; /* borrowed */
	struct err *err; /* borrowed */
	int rc;
};

static void put(struct writer *w, uint32_t v)
{
	char raw[4];

	num_put_u32(raw, v);
	if (w->rc == 0)
		w->rc = buf_add(w->out, raw, sizeof(raw), w->err);
}

static void put_binding(struct writer *w, const struct spirv_binding *b)
{
	put(w, b->binding);
	put(w, (b->is_uniform_buffer ? 1u : 0u) | (b->is_used ? 2u : 0u) |
		   (b->is_read_only ? 4u : 0u));
	put(w, b->array_offset);
	put(w, b->array_stride);
	put(w, b->length_slot);
}

int gpu_object_encode(const struct spirv_layout *l, const void *words, size_t words_bytes,
		      struct buf *out, struct err *err)
{
	struct writer w = { out, err, 0 };

	ASSERT(l->n_bindings <= SPIRV_MAX_BINDINGS && words_bytes <= SPIRV_MAX_BYTES);
	put(&w, MAGIC);
	put(&w, VERSION);
	put(&w, l->n_bindings);
	put(&w, l->control_binding);
	put(&w, l->control_bytes);
	put(&w, (l->has_control ? 1u : 0u) | (l->whole_groups ? 2u : 0u));
	put(&w, l->push_bytes);
	put(&w, l->n_lengths);
	put(&w, l->workgroup_bytes);
	put(&w, l->subgroup_size);
	for (int i = 0; i < 3; i++)
		put(&w, l->workgroup_size[i]);
	for (uint32_t i = 0; i < l->n_bindings; i++)
		put_binding(&w, &l->bindings[i]);
	put(&w, (uint32_t)words_bytes);
	return w.rc < 0 ? w.rc : buf_add(out, words, words_bytes, err);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct reader {
	const uint8_t *at; /* borrowed */
	size_t left;
	bool bad;
};

static uint32_t get(struct reader *r, uint32_t max)
{
	uint32_t v;

	if (r->left < 4) {
		r->bad = true;
		return 0;
	}
	v = num_get_u32(r->at);
	r->at += 4;
	r->left -= 4;
	if (v <= max)
		return v;
	r->bad = true;
	return 0;
}

static void get_binding(struct reader *r, const struct spirv_layout *l, struct spirv_binding *b)
{
	uint32_t flags;

	b->binding = get(r, SPIRV_MAX_BINDINGS);
	flags = get(r, 7);
	b->is_uniform_buffer = (flags & 1) != 0;
	b->is_used = (flags & 2) != 0;
	b->is_read_only = (flags & 4) != 0;
	b->array_offset = get(r, UINT32_MAX);
	b->array_stride = get(r, UINT32_MAX);
	b->length_slot = get(r, SPIRV_MAX_BINDINGS);
	/* The host writes a length there. */
	if (b->array_stride > 0 && b->length_slot >= l->n_lengths)
		r->bad = true;
}

static void get_layout(struct reader *r, struct spirv_layout *l)
{
	uint32_t flags;

	l->n_bindings = get(r, SPIRV_MAX_BINDINGS);
	l->control_binding = get(r, SPIRV_MAX_BINDINGS);
	l->control_bytes = get(r, MAX_CONTROL);
	flags = get(r, 3);
	l->has_control = (flags & 1) != 0;
	l->whole_groups = (flags & 2) != 0;
	l->push_bytes = get(r, MAX_PUSH);
	l->n_lengths = get(r, SPIRV_MAX_BINDINGS);
	l->workgroup_bytes = get(r, MAX_SIZE);
	l->subgroup_size = get(r, GPU_MAX_SUBGROUP);
	for (int i = 0; i < 3; i++) {
		l->workgroup_size[i] = get(r, MAX_SIZE);
		r->bad = r->bad || l->workgroup_size[i] == 0;
	}
	if ((l->subgroup_size & (l->subgroup_size - 1)) != 0)
		r->bad = true;
	if (l->push_bytes > sizeof(struct spirv_push) || l->push_bytes % 4 != 0 ||
	    l->control_bytes % 4 != 0 || l->control_bytes < SPIRV_CONTROL_LENGTHS * 4)
		r->bad = true;
	if (l->n_lengths > SPIRV_PUSH_LENGTHS &&
	    l->control_bytes / 4 - SPIRV_CONTROL_LENGTHS < l->n_lengths - SPIRV_PUSH_LENGTHS)
		r->bad = true;
	for (uint32_t i = 0; i < l->n_bindings; i++)
		get_binding(r, l, &l->bindings[i]);
}

int gpu_object_decode(const void *bytes, size_t size, struct gpu_object *ret, struct err *err)
{
	struct reader r = { bytes, size, false };
	struct gpu_object o = { 0 };

	ASSERT((uintptr_t)bytes % 4 == 0);
	if (get(&r, UINT32_MAX) != MAGIC || get(&r, VERSION) != VERSION)
		return err_set(err, ERR_INVALID, "the code is not for GPUs");
	get_layout(&r, &o.layout);
	o.words_bytes = get(&r, SPIRV_MAX_BYTES);
	if (r.bad || r.left != o.words_bytes || o.words_bytes < 20 || o.words_bytes % 4 != 0 ||
	    num_get_u32(r.at) != SPIRV_MAGIC)
		return err_set(err, ERR_INVALID, "the code for the GPU is malformed");
	o.words = (const uint32_t *)(const void *)r.at;
	*ret = o;
	return 0;
}
