/*
 * exact.c - Sum of floats without rounding: a fixed-point number wide enough for every f32 or f64
 * and 2^63 addends, rounded once at the end. So any order and any cut gives the same bits.
 *
 * limb[i] weighs 2^(32 i + lowest), where 2^lowest is the smallest subnormal. Between carries limbs
 * hold more than 32 bits; after one all but the top limb are within 0 to 2^32 - 1 and the top one
 * has the sign.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "vote/vote_int.h"

enum {
	F32_LIMBS = 11, /* 277 bits from 2^-149 to 2^127, and 63 more */
	F64_LIMBS = 68, /* 2098 bits from 2^-1074 to 2^1023, and 63 more */
	F32_LOWEST = -149,
	F64_LOWEST = -1074,
	CARRY_EVERY = 1 << 30, /* a limb takes 2^31 addends of 32 bits */
};

enum { EXACT_NAN = 1, EXACT_PLUS_INF = 2, EXACT_MINUS_INF = 4, EXACT_NEGATIVE = 8 };

struct exact {
	uint32_t pending; /* addends since the last carry */
	uint8_t flags;    /* NaN and infinities seen */
	int64_t limb[];
};

static size_t limbs_of(enum vote_type t)
{
	return t == VOTE_F32 ? F32_LIMBS : F64_LIMBS;
}

static size_t exact_size(enum vote_type t)
{
	return sizeof(struct exact) + limbs_of(t) * sizeof(int64_t);
}

static enum vote_type exact_result(enum vote_type t)
{
	(void)t;
	return VOTE_F64;
}

static void carry(struct exact *e, size_t limbs)
{
	for (size_t i = 0; i + 1 < limbs; i++) {
		/* Rounds down, so that the rest is not negative. */
		int64_t over = e->limb[i] >> 32;

		e->limb[i] &= 0xffffffff;
		e->limb[i + 1] += over;
	}
	e->pending = 0;
}

/* Add sign * mantissa * 2^(place + lowest). */
static void add_at(struct exact *e, uint64_t mantissa, int place, bool negative)
{
	unsigned __int128 v = (unsigned __int128)mantissa << place % 32;
	int64_t *limb = &e->limb[place / 32];

	for (int i = 0; v != 0; i++, v >>= 32) {
		int64_t part = (int64_t)(v & 0xffffffffu);

		limb[i] += negative ? -part : part;
	}
}

static void add_finite(enum vote_type t, struct exact *e, uint64_t bits)
{
	int fraction = t == VOTE_F32 ? 23 : 52;
	int top = t == VOTE_F32 ? 31 : 63;
	int exponent = (int)(bits >> fraction & (t == VOTE_F32 ? 0xffu : 0x7ffu));
	uint64_t mantissa = bits & (((uint64_t)1 << fraction) - 1);

	if (exponent > 0)
		mantissa |= (uint64_t)1 << fraction;
	add_at(e, mantissa, exponent > 0 ? exponent - 1 : 0, bits >> top & 1);
	if (++e->pending >= CARRY_EVERY)
		carry(e, limbs_of(t));
}

static int exact_add(enum vote_type t, void *cell, const unsigned char *scalar, struct err *err)
{
	struct exact *e = cell;
	uint64_t bits = vote_bits(t, scalar);
	double v = vote_double(t, bits);

	(void)err;
	if (isnan(v))
		e->flags |= EXACT_NAN;
	else if (isinf(v))
		e->flags |= v > 0 ? EXACT_PLUS_INF : EXACT_MINUS_INF;
	else
		add_finite(t, e, bits);
	return 0;
}

static int exact_merge(enum vote_type t, void *cell, const void *from, struct err *err)
{
	const struct exact *f = from;
	struct exact *e = cell;

	(void)err;
	carry(e, limbs_of(t));
	for (size_t i = 0; i < limbs_of(t); i++)
		e->limb[i] += f->limb[i];
	e->flags |= f->flags;
	carry(e, limbs_of(t));
	return 0;
}

/* The absolute value as 32-bit limbs; true if it is negative. */
static bool magnitude(enum vote_type t, const struct exact *e, uint32_t out[F64_LIMBS])
{
	size_t n = limbs_of(t);
	unsigned char copy[sizeof(struct exact) + F64_LIMBS * sizeof(int64_t)]
	    __attribute__((aligned(8))) = { 0 };
	struct exact *x = (struct exact *)(void *)copy;
	bool negative;

	memcpy(copy, e, exact_size(t));
	carry(x, n);
	negative = x->limb[n - 1] < 0;
	if (negative) {
		for (size_t i = 0; i < n; i++)
			x->limb[i] = -x->limb[i];
		carry(x, n);
	}
	/* What the top limb holds fits: 2^63 addends do not fill it. */
	for (size_t i = 0; i < n; i++)
		out[i] = (uint32_t)x->limb[i];
	return negative;
}

/* Flags, then the bytes of the magnitude without zero bytes at both ends: where they begin, how
 * many they are, they themselves. */
static int exact_save(enum vote_type t, const void *cell, struct buf *b, struct err *err)
{
	const struct exact *e = cell;
	uint32_t limbs[F64_LIMBS];
	unsigned char bytes[F64_LIMBS * 4] = { 0 };
	size_t to = limbs_of(t) * 4;
	size_t from = 0;
	uint8_t flags = e->flags;

	if (magnitude(t, e, limbs))
		flags |= EXACT_NEGATIVE;
	for (size_t i = 0; i < limbs_of(t); i++)
		num_put_u32(bytes + 4 * i, limbs[i]);
	while (to > 0 && bytes[to - 1] == 0)
		to--;
	while (from < to && bytes[from] == 0)
		from++;
	if (buf_add(b, &flags, 1, err) < 0 || vote_put_varint(b, from, err) < 0 ||
	    vote_put_varint(b, to - from, err) < 0)
		return err->code;
	return buf_add(b, bytes + from, to - from, err);
}

static int exact_load(enum vote_type t, void *cell, struct vote_reader *r, struct err *err)
{
	struct exact *e = cell;
	unsigned char bytes[F64_LIMBS * 4] = { 0 };
	size_t room = limbs_of(t) * 4 - 1; /* the top bit stays free */
	const unsigned char *flags;
	const unsigned char *at;
	uint64_t from;
	uint64_t len;

	if (vote_get_bytes(r, 1, &flags, err) < 0 || vote_get_varint(r, room, &from, err) < 0 ||
	    vote_get_varint(r, room - from, &len, err) < 0 || vote_get_bytes(r, len, &at, err) < 0)
		return err->code;
	if (*flags > 15 || (len == 0 && (from > 0 || *flags > 7)) ||
	    (len > 0 && (at[0] == 0 || at[len - 1] == 0)))
		return err_set(err, ERR_INVALID, "partial: not a sum");
	memcpy(bytes + from, at, len);
	for (size_t i = 0; i < limbs_of(t); i++) {
		int64_t limb = num_get_u32(bytes + 4 * i);

		e->limb[i] = *flags & EXACT_NEGATIVE ? -limb : limb;
	}
	e->flags = *flags & 7;
	carry(e, limbs_of(t));
	return 0;
}

static int top_bit(const uint32_t *limbs, size_t n)
{
	for (size_t i = n; i > 0; i--)
		if (limbs[i - 1] != 0)
			return (int)(i - 1) * 32 + vote_bits_needed(limbs[i - 1]) - 1;
	return -1;
}

static uint64_t bit_at(const uint32_t *limbs, int i)
{
	return limbs[i / 32] >> i % 32 & 1;
}

/* limbs * 2^lowest, rounded to nearest, ties to even. */
static double round_once(const uint32_t *limbs, size_t n, int lowest)
{
	int top = top_bit(limbs, n);
	int low = top > 52 ? top - 52 : 0;
	uint64_t mantissa = 0;
	bool half;
	bool more = false;

	for (int i = top; i >= low; i--)
		mantissa = mantissa << 1 | bit_at(limbs, i);
	half = low > 0 && bit_at(limbs, low - 1) != 0;
	for (int i = 0; i < low - 1 && !more; i++)
		more = bit_at(limbs, i) != 0;
	if (half && (more || (mantissa & 1) != 0))
		mantissa++;
	return ldexp((double)mantissa, low + lowest);
}

static int exact_value(enum vote_type t, const void *cell, unsigned char *out, struct err *err)
{
	const struct exact *e = cell;
	uint32_t limbs[F64_LIMBS];
	bool negative = magnitude(t, e, limbs);
	double v = round_once(limbs, limbs_of(t), t == VOTE_F32 ? F32_LOWEST : F64_LOWEST);
	uint64_t bits;

	(void)err;
	v = negative ? -v : v;
	if (e->flags & EXACT_PLUS_INF)
		v = INFINITY;
	if (e->flags & EXACT_MINUS_INF)
		v = -INFINITY;
	memcpy(&bits, &v, sizeof(bits));
	if (e->flags & EXACT_NAN || (e->flags & 6) == 6)
		bits = 0x7ff8000000000000u;
	num_put_u64(out, bits);
	return 0;
}

static uint64_t exact_largest(enum vote_type t, uint64_t chunks)
{
	int bits = (t == VOTE_F32 ? 277 : 2098) + vote_bits_needed(chunks);

	return 1 + 2 + 2 + (uint64_t)(bits + 7) / 8;
}

const struct vote_cell_kind vote_cell_exact = {
	.size = exact_size,
	.result = exact_result,
	.add = exact_add,
	.merge = exact_merge,
	.save = exact_save,
	.load = exact_load,
	.value = exact_value,
	.largest = exact_largest,
};
