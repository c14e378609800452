/* canon.c - canonical bytes of an output; see canon.h. */
#include "run/canon.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* A piece that repeats: the fixed part (once) or an element of the runtime-sized array. */
struct piece {
	const struct wire_lane *lanes; /* borrowed */
	uint32_t n_lanes;
	uint64_t size;
};

static bool lane_fits(const struct wire_lane *l, uint64_t size)
{
	uint64_t scalar = wire_scalar_size(l->type);

	if (l->count == 0)
		return true;
	if (scalar == 0 || (l->count > 1 && l->stride < scalar))
		return false;
	return l->offset + (uint64_t)(l->count - 1) * l->stride + scalar <= size;
}

static int check_piece(const struct wire_binding *b, const struct piece *p, struct err *err)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		if (!lane_fits(&p->lanes[i], p->size))
			return err_set(err, ERR_INVALID,
				       "output %s: its reflection has a scalar outside of it",
				       b->name);
	return 0;
}

/* Most outputs: scalars without a byte between them. */
static bool is_dense(const struct piece *p)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct wire_lane *l = &p->lanes[i];
		uint64_t scalar = wire_scalar_size(l->type);

		if (l->offset != end || (l->count > 1 && l->stride != scalar))
			return false;
		end += l->count * scalar;
	}
	return end == p->size;
}

/* mask[i] = 0xff where byte i belongs to a scalar. Owned. */
static uint8_t *piece_mask(const struct piece *p)
{
	uint8_t *mask = NEW_ARRAY(uint8_t, p->size);

	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct wire_lane *l = &p->lanes[i];

		for (uint32_t k = 0; k < l->count; k++)
			memset(mask + l->offset + (uint64_t)k * l->stride, 0xff,
			       wire_scalar_size(l->type));
	}
	return mask;
}

static void canon_f32(uint8_t *at, uint32_t count, uint32_t stride)
{
	for (uint32_t k = 0; k < count; k++, at += stride) {
		uint32_t v = num_get_u32(at);

		if ((v & 0x7fffffff) > 0x7f800000)
			num_put_u32(at, RUN_NAN_F32);
	}
}

static void canon_f64(uint8_t *at, uint32_t count, uint32_t stride)
{
	const uint64_t infinity = (uint64_t)0x7ff << 52;

	for (uint32_t k = 0; k < count; k++, at += stride) {
		uint64_t v = num_get_u64(at);

		if ((v & ~((uint64_t)1 << 63)) > infinity)
			num_put_u64(at, infinity | (uint64_t)1 << 51);
	}
}

static bool has_floats(const struct piece *p)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		if (p->lanes[i].type == WIRE_F32 || p->lanes[i].type == WIRE_F64)
			return true;
	return false;
}

static void canon_floats(const struct piece *p, uint8_t *at)
{
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		const struct wire_lane *l = &p->lanes[i];

		if (l->type == WIRE_F32)
			canon_f32(at + l->offset, l->count, l->stride);
		else if (l->type == WIRE_F64)
			canon_f64(at + l->offset, l->count, l->stride);
	}
}

static void canon_pieces(const struct piece *p, uint8_t *at, uint64_t n)
{
	AUTO(mem_freep) uint8_t *mask = is_dense(p) ? NULL : piece_mask(p);
	bool floats = has_floats(p);

	if (mask == NULL && !floats)
		return;
	/* array<f32>, the common case, in one go. */
	if (mask == NULL && p->n_lanes == 1 && n * p->lanes[0].count <= UINT32_MAX) {
		struct wire_lane all = p->lanes[0];

		all.count *= (uint32_t)n;
		all.stride = wire_scalar_size(all.type);
		canon_floats(&(struct piece){ &all, 1, n * p->size }, at);
		return;
	}
	for (uint64_t i = 0; i < n; i++, at += p->size) {
		for (uint64_t k = 0; mask != NULL && k < p->size; k++)
			at[k] &= mask[k];
		if (floats)
			canon_floats(p, at);
	}
}

int run_canon(const struct wire_binding *b, uint64_t elements, void *bytes, uint64_t size,
	      struct err *err)
{
	bool has_array = b->array_stride > 0;
	uint64_t array_bytes;
	uint8_t *at = bytes;
	/* What is between the fixed part and the array is padding. */
	struct piece fixed = { b->lanes, b->n_lanes, has_array ? b->array_offset : size };
	struct piece item = { b->array_lanes, b->n_array_lanes, b->array_stride };

	if (!num_mul_u64(elements, b->array_stride, &array_bytes) || fixed.size > size ||
	    (has_array && array_bytes > size - fixed.size))
		return err_set(err, ERR_INVALID, "output %s: %llu elements are not in %llu bytes",
			       b->name, (unsigned long long)elements, (unsigned long long)size);
	if (check_piece(b, &fixed, err) < 0 || (has_array && check_piece(b, &item, err) < 0))
		return err->code;
	canon_pieces(&fixed, at, 1);
	if (!has_array)
		return 0;
	canon_pieces(&item, at + fixed.size, elements);
	memset(at + fixed.size + array_bytes, 0, size - fixed.size - array_bytes);
	return 0;
}

uint64_t run_framed_size(const uint64_t *sizes, uint32_t n)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < n; i++)
		size += RUN_FRAME_LENGTH + sizes[i];
	return size;
}
