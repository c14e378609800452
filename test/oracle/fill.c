/* fill.c - see fill.h. */
#include "fill.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

static uint32_t random_word(uint32_t *state)
{
	*state = *state * 747796405U + 2891336453U;
	uint32_t w = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737U;

	return (w >> 22) ^ w;
}

static uint32_t bits_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	return bits;
}

/* A float in [-1, 1) with 23 random bits. */
static float unit_float(uint32_t *state)
{
	return (float)(random_word(state) >> 8) / 8388608.0F - 1.0F;
}

static const uint32_t int_edges[8] = {
	0, 1, 2, 31, 0x7fffffff, 0x80000000, 0xffffffff, 0xdeadbeef,
};

/* 0, 1, -1.5, 0.1, 1e10, -3e-5, 7.5, -2^24 - 2. */
static const uint32_t float_edges[8] = {
	0, 0x3f800000, 0xbfc00000, 0x3dcccccd, 0x501502f9, 0xb7fba882, 0x40f00000, 0xcb800001,
};

/* NaN, infinities, zeros, subnormals, the largest and smallest, limits of conversions. */
static const uint32_t specials[] = {
	0x7fc00000, 0xffc00000, 0x7f800001, 0x7f800000, 0xff800000, 0x00000000, 0x80000000,
	0x00000001, 0x807fffff, 0x00400000, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
	0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000,
	0x4f000000, 0xcf000000, 0xcf000001, 0x4effffff, 0x4f800000, 0x4f7fffff, 0x4b000001,
	0x477fe000, 0x477ff000, 0x387fc000, 0x33800000,
};

static float finite_float(uint32_t *state)
{
	/* Powers of two from 2^-12 to 2^12 times something in [-1, 1). */
	float scale = (float)(1U << (random_word(state) % 25)) / 4096.0F;

	return unit_float(state) * scale;
}

static uint32_t edge(const uint32_t edges[8], char axis, uint32_t i)
{
	return axis == 'x' ? edges[i / 8] : edges[i % 8];
}

static bool one_word(const char *kind, uint32_t i, uint32_t *state, uint32_t *ret)
{
	if (strcmp(kind, "zero") == 0)
		*ret = 0;
	else if (strcmp(kind, "iota") == 0)
		*ret = i;
	else if (strcmp(kind, "small") == 0)
		*ret = random_word(state) & 15;
	else if (strcmp(kind, "word") == 0)
		*ret = random_word(state);
	else if (strcmp(kind, "i32x") == 0 || strcmp(kind, "i32y") == 0)
		*ret = i < 64 ? edge(int_edges, kind[3], i) : random_word(state);
	else if (strcmp(kind, "f32x") == 0 || strcmp(kind, "f32y") == 0)
		*ret = i < 64 ? edge(float_edges, kind[3], i) : bits_of(finite_float(state));
	else if (strcmp(kind, "unit") == 0)
		*ret = bits_of(unit_float(state));
	else if (strcmp(kind, "pos") == 0)
		*ret = bits_of((unit_float(state) + 1.0F) * 8.0F + 0.0625F);
	else if (strcmp(kind, "special") == 0)
		*ret = specials[i % ARRAY_LEN(specials)];
	else
		return false;
	return true;
}

static int parse_word(const char *s, size_t len, uint32_t *ret, struct err *err)
{
	uint64_t u;
	int64_t i;
	double d;

	if (len > 1 && s[len - 1] == 'f' && s[1] != 'x') {
		if (num_parse_f64(s, len - 1, &d, err) < 0)
			return err->code;
		*ret = bits_of((float)d);
		return 0;
	}
	if (len > 2 && s[1] == 'x') {
		if (num_parse_base(s + 2, len - 2, 16, UINT32_MAX, &u, err) < 0)
			return err->code;
		*ret = (uint32_t)u;
		return 0;
	}
	if (num_parse_i64(s, len, INT32_MIN, UINT32_MAX, &i, err) < 0)
		return err->code;
	*ret = (uint32_t)i;
	return 0;
}

static int parse_list(const char *s, uint32_t *words, uint32_t *n, struct err *err)
{
	*n = 0;
	for (;;) {
		size_t len = strcspn(s, ",");

		if (parse_word(s, len, &words[(*n)++], err) < 0)
			return err->code;
		if (s[len] == '\0')
			return 0;
		s += len + 1;
	}
}

int fill_words(const char *kind, uint32_t seed, struct arena *arena, uint32_t **ret, uint32_t *n,
	       struct err *err)
{
	uint32_t state = seed * 7919 + 17;

	if (kind[0] == '=') {
		*ret = arena_new_array(arena, uint32_t, strlen(kind));
		return parse_list(kind + 1, *ret, n, err);
	}
	*ret = arena_new_array(arena, uint32_t, *n + 4);
	for (uint32_t i = 0; i < *n; i++)
		if (!one_word(kind, i, &state, &(*ret)[i]))
			return err_set(err, ERR_INVALID, "unknown fill %s", kind);
	return 0;
}
