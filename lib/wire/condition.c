/* condition.c - does an order proof hold for a chunk; see kernel.h. */
#include "base/num.h"
#include "wire/kernel.h"

/* Where the uniform's bytes begin among all of them; false if there is no such uniform. */
static bool find_uniform(const struct wire_kernel *k, uint32_t group, uint32_t binding,
			 uint64_t *ret)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < k->n_bindings; i++) {
		const struct wire_binding *b = &k->bindings[i];

		if (b->role != WIRE_UNIFORM)
			continue;
		if (b->group == group && b->binding == binding) {
			*ret = at;
			return true;
		}
		at += b->fixed_size;
	}
	return false;
}

struct chunk_bytes {
	const struct wire_kernel *kernel;
	const uint8_t *bytes;
	size_t size;
};

static bool read_uniform(const struct chunk_bytes *u, uint32_t group, uint32_t binding,
			 uint32_t offset, uint64_t *ret)
{
	uint64_t at;

	if (!find_uniform(u->kernel, group, binding, &at) || at + offset + 4 > u->size)
		return false;
	*ret = num_get_u32(u->bytes + at + offset);
	return true;
}

static bool read_term(const struct chunk_bytes *u, const struct wire_term *t, uint64_t *ret)
{
	uint64_t v = 1;

	if (t->has_uniform && !read_uniform(u, t->group, t->binding, t->offset, &v))
		return false;
	*ret = v * t->factor;
	return *ret <= UINT32_MAX;
}

static bool fits(const struct chunk_bytes *u, const struct wire_condition *c,
		 const uint64_t grid[3], uint64_t elements)
{
	uint64_t sum = 0;
	uint64_t v;

	for (int i = 0; i < 2; i++) {
		if (!read_term(u, &c->base[i], &v))
			return false;
		sum += v;
	}
	for (int i = 0; i < 3; i++) {
		if (!read_term(u, &c->stride[i], &v) || grid[i] == 0 || grid[i] > UINT32_MAX)
			return false;
		/* Below 2^64: both factors are below 2^32. */
		v *= grid[i] - 1;
		if (v > UINT32_MAX)
			return false;
		sum += v;
	}
	return sum <= UINT32_MAX && sum < elements;
}

bool wire_condition_holds(const struct wire_kernel *k, const struct wire_condition *c,
			  const uint64_t grid[3], const void *uniforms, size_t uniforms_size,
			  uint64_t elements)
{
	const struct chunk_bytes u = { .kernel = k, .bytes = uniforms, .size = uniforms_size };
	uint64_t bound = c->at_most;
	uint64_t count[3];

	for (int i = 0; i < 3; i++) {
		uint64_t unit = (c->groups >> i & 1) != 0 ? k->workgroup_size[i] : 1;

		if (unit == 0)
			return false;
		count[i] = grid[i] / unit + (grid[i] % unit != 0);
	}
	if (c->kind == WIRE_COND_FITS)
		return fits(&u, c, count, elements);
	if (c->has_uniform && !read_uniform(&u, c->group, c->binding, c->uniform_offset, &bound))
		return false;
	return c->axis < 3 && count[c->axis] <= bound;
}
