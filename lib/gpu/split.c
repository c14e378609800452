/* split.c - see split.h. */
#include "gpu/split.h"

#include "base/mem.h"

enum { GROWTH = 8 };

static uint32_t least(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t m = a < b ? a : b;

	return (uint32_t)(m < c ? m : c);
}

/* Step over the box: along x, at the end of a row along y, then z. */
static void advance(struct split *s, const uint32_t count[3])
{
	s->done += (uint64_t)count[0] * count[1] * count[2];
	s->at[0] += count[0];
	if (s->at[0] < s->groups[0])
		return;
	s->at[0] = 0;
	s->at[1] += count[1];
	if (s->at[1] < s->groups[1])
		return;
	s->at[1] = 0;
	s->at[2] += count[2];
}

bool split_next(struct split *s, uint64_t budget, uint32_t base[3], uint32_t count[3])
{
	ASSERT(budget > 0);
	if (s->groups[0] == 0 || s->groups[1] == 0 || s->at[2] >= s->groups[2])
		return false;
	for (int i = 0; i < 3; i++)
		base[i] = s->at[i];
	count[0] = least(budget, s->most[0], s->groups[0] - s->at[0]);
	count[1] = count[2] = 1;
	/* Several rows only as whole rows, several planes only as whole planes: boxes tile. */
	if (count[0] == s->groups[0]) {
		budget /= count[0];
		count[1] = least(budget, s->most[1], s->groups[1] - s->at[1]);
	}
	if (count[0] == s->groups[0] && count[1] == s->groups[1]) {
		budget /= count[1];
		count[2] = least(budget, s->most[2], s->groups[2] - s->at[2]);
	}
	advance(s, count);
	return true;
}

uint64_t split_budget(double us_per_group, uint64_t last, double target_us)
{
	uint64_t most = last > UINT64_MAX / GROWTH ? UINT64_MAX : last * GROWTH;
	double wanted;

	if (us_per_group <= 0)
		return last > 0 ? most : 1;
	wanted = target_us / us_per_group;
	/* The chunk before is no measure of this one. */
	if (last == 0)
		wanted /= GROWTH;
	if (wanted < 1)
		return 1;
	if (last > 0 && wanted > (double)most)
		return most;
	return wanted < 1e15 ? (uint64_t)wanted : (uint64_t)1e15;
}
