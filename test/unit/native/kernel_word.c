/* kernel_word.c - see kernel.h. */
#include "kernel.h"

#include "base/mem.h"

static uint32_t next(uint32_t *state)
{
	*state = *state * 747796405U + 2891336453U;
	return ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737U;
}

uint32_t kernel_word(uint32_t *state)
{
	static const uint32_t edges[] = {
		0,          1,          2,          3,          31,         32,
		33,         0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x3f800000,
		0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345,
		0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4f7fffff, 0x4f800000,
		0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x3f000000, 0x3fc00000,
		0x40200000, 0xbf000000, 0x4b000001, 0x4a800001, 0x33800000, 0x40490fdb,
	};
	uint32_t v = next(state), what = next(state) >> 28;

	if (what < 7)
		return edges[v % ARRAY_LEN(edges)];
	if (what < 9)
		return v & 255;
	if (what < 12)
		return 0x3f800000 + (v >> 9) - (v & 1) * 0x02000000;
	return v;
}
