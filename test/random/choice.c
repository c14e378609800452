/* choice.c - see random.h: choices. */
#include "test/random/random_int.h"

#include "base/mem.h"

/* The permuted congruential generator of 32 bits (PCG RXS M XS). */
static uint32_t next_word(uint32_t *state)
{
	*state = *state * 747796405U + 2891336453U;
	uint32_t w = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737U;

	return (w >> 22) ^ w;
}

uint32_t random_choose(struct random_choices *c, uint32_t n)
{
	uint32_t v;

	ASSERT(n > 0 && n <= 65536);
	if (c->bytes == NULL)
		return (uint32_t)(((uint64_t)next_word(&c->state) * n) >> 32);
	if (n == 1 || c->n == 0)
		return 0;
	v = *c->bytes++;
	c->n--;
	if (n > 256 && c->n > 0) {
		v |= (uint32_t)*c->bytes++ << 8;
		c->n--;
	}
	return v % n;
}

uint32_t pick(struct maker *m, uint32_t n)
{
	return random_choose(m->c, n);
}

bool once_in(struct maker *m, uint32_t n)
{
	return pick(m, n) == n - 1;
}

void put(struct maker *m, const char *text)
{
	buf_note(m->out, "%s", text);
}

void random_features(struct random_choices *c, bool wide, struct random_features *ret)
{
	static const uint32_t lengths[] = { 6, 4, 12, 8, 20, 40 };

	*ret = (struct random_features){ .floats = random_choose(c, 4) < 3 };
	ret->length = lengths[random_choose(c, (uint32_t)ARRAY_LEN(lengths))];
	ret->math = ret->floats && random_choose(c, 4) == 3;
	if (!wide)
		return;
	ret->f16 = ret->floats && random_choose(c, 3) == 2;
	ret->i64 = random_choose(c, 3) == 2;
	ret->f64 = ret->floats && random_choose(c, 3) == 2;
}
