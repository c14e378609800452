/* zero.c - what it takes to make a variable zero in loops; see wgsl.h. */
#include "base/mem.h"
#include "wgsl/wgsl.h"

/* Of a type: parts (at most WGSL_ZERO_PARTS + 1 are counted) and what its loops cost. */
struct sum {
	uint32_t parts;
	uint64_t cost;
};

static uint64_t capped(uint64_t v)
{
	return v < UINT32_MAX ? v : UINT32_MAX;
}

static uint32_t step(uint32_t parts)
{
	ASSERT(parts > 0); /* structs have members, arrays elements */
	return parts > WGSL_ZERO_PARTS ? 1 : WGSL_ZERO_PARTS / parts;
}

/* Once over the type: it is asked for each time that a variable becomes zero. */
static struct sum sum(const struct wgsl_type *t)
{
	struct sum all = { 0 };

	if (t->kind == WGSL_ARRAY || t->kind == WGSL_MAT) {
		struct sum one = sum(t->elem);

		if ((uint64_t)one.parts * t->count <= WGSL_ZERO_PARTS)
			return (struct sum){ .parts = one.parts * t->count };
		/* Where a pass makes several elements zero, these have no loops. */
		all.parts = WGSL_ZERO_PARTS + 1;
		all.cost = capped(1 + t->count / step(one.parts) * (1 + one.cost));
		return all;
	}
	if (t->kind != WGSL_STRUCT)
		return (struct sum){ .parts = 1 };
	for (uint32_t k = 0; k < t->n_members; k++) {
		struct sum one = sum(t->members[k].type);

		all.parts += one.parts;
		if (all.parts > WGSL_ZERO_PARTS)
			all.parts = WGSL_ZERO_PARTS + 1;
		all.cost = capped(all.cost + one.cost);
	}
	return all;
}

bool wgsl_zero_is_large(const struct wgsl_type *t)
{
	return sum(t).parts > WGSL_ZERO_PARTS;
}

uint32_t wgsl_zero_step(const struct wgsl_type *t)
{
	return step(sum(t->elem).parts);
}

uint64_t wgsl_zero_cost(const struct wgsl_type *t)
{
	return sum(t).cost;
}

static uint64_t shared_cost(const struct wgsl_type *t, uint64_t total, uint32_t invocations)
{
	uint64_t cost = 0;

	if (t->kind == WGSL_ARRAY)
		return shared_cost(t->elem, capped(total * t->count), invocations);
	if (t->kind != WGSL_STRUCT)
		return total > 1 ? 1 + (total + invocations - 1) / invocations : 0;
	for (uint32_t k = 0; k < t->n_members; k++)
		cost += shared_cost(t->members[k].type, total, invocations);
	return capped(cost);
}

uint64_t wgsl_zero_shared_cost(const struct wgsl_type *t, uint32_t invocations)
{
	return shared_cost(t, 1, invocations);
}
