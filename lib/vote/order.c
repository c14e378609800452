/* order.c - scalars as bits, their order, and the encoding of numbers in saved states. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "vote/vote_int.h"

uint64_t vote_bits(enum vote_type t, const unsigned char *scalar)
{
	return vote_type_size(t) == 4 ? num_get_u32(scalar) : num_get_u64(scalar);
}

void vote_put_bits(enum vote_type t, uint64_t bits, unsigned char *out)
{
	if (vote_type_size(t) == 4)
		num_put_u32(out, (uint32_t)bits);
	else
		num_put_u64(out, bits);
}

bool vote_is_nan(enum vote_type t, uint64_t bits)
{
	if (t == VOTE_F32)
		return (bits & 0x7fffffffu) > 0x7f800000u;
	return t == VOTE_F64 && (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

uint64_t vote_order(enum vote_type t, uint64_t bits)
{
	uint64_t top = vote_type_size(t) == 4 ? 0x80000000u : 0x8000000000000000u;

	if (t == VOTE_U32 || t == VOTE_U64)
		return bits;
	if (!vote_type_is_float(t) || (bits & top) == 0)
		return bits ^ top;
	return ~bits & (top | (top - 1));
}

double vote_double(enum vote_type t, uint64_t bits)
{
	double f64;
	float f32;
	uint32_t low = (uint32_t)bits;

	if (t == VOTE_F32) {
		memcpy(&f32, &low, sizeof(f32));
		return (double)f32;
	}
	ASSERT(t == VOTE_F64);
	memcpy(&f64, &bits, sizeof(f64));
	return f64;
}

int vote_put_varint(struct buf *b, unsigned __int128 v, struct err *err)
{
	do {
		unsigned char byte = (unsigned char)(v & 127);

		v >>= 7;
		byte = (unsigned char)(byte | (v != 0 ? 128 : 0));
		if (buf_add(b, &byte, 1, err) < 0)
			return err->code;
	} while (v != 0);
	return 0;
}

int vote_get_wide(struct vote_reader *r, unsigned __int128 *ret, struct err *err)
{
	unsigned __int128 v = 0;

	for (int shift = 0; r->left > 0; shift += 7) {
		unsigned __int128 part = *r->at & 127;
		bool last = *r->at < 128;

		r->at++;
		r->left--;
		if (shift > 126 || (part << shift) >> shift != part)
			return err_set(err, ERR_INVALID, "partial: a number is too long");
		if (last && part == 0 && shift > 0)
			return err_set(err, ERR_INVALID, "partial: a number is not minimal");
		v |= part << shift;
		if (last) {
			*ret = v;
			return 0;
		}
	}
	return err_set(err, ERR_INVALID, "partial: ends too early");
}

int vote_get_varint(struct vote_reader *r, uint64_t max, uint64_t *ret, struct err *err)
{
	unsigned __int128 v = 0;

	if (vote_get_wide(r, &v, err) < 0)
		return err->code;
	if (v > max)
		return err_set(err, ERR_INVALID, "partial: a number is out of range");
	*ret = (uint64_t)v;
	return 0;
}

int vote_get_bytes(struct vote_reader *r, size_t n, const unsigned char **ret, struct err *err)
{
	if (n > r->left)
		return err_set(err, ERR_INVALID, "partial: ends too early");
	*ret = r->at;
	r->at += n;
	r->left -= n;
	return 0;
}

int vote_bits_needed(uint64_t v)
{
	int n = 0;

	while (n < 64 && v >> n != 0)
		n++;
	return n;
}

uint64_t vote_varint_size(uint64_t v)
{
	int bits = vote_bits_needed(v);

	return bits == 0 ? 1 : (uint64_t)(bits + 6) / 7;
}

uint64_t vote_sat_add(uint64_t a, uint64_t b)
{
	uint64_t v;

	return num_add_u64(a, b, &v) ? v : UINT64_MAX;
}

uint64_t vote_sat_mul(uint64_t a, uint64_t b)
{
	uint64_t v;

	return num_mul_u64(a, b, &v) ? v : UINT64_MAX;
}
