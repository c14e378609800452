/*
 * selftest_types.c - f16, i64 and f64 for the self-test; see selftest_int.h.
 *
 * Every pair of operands goes through all operations, whose results are folded into one word per
 * pair. The right words are computed here, by C: f16 by way of f64 (which holds sums and products
 * of f16 exactly), f64 by the machine's own.
 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "run/selftest_int.h"
#include "wire/kernel.h"

/* Each step can be undone, so one wrong result makes a wrong word. */
static uint32_t fold(uint32_t h, uint32_t x)
{
	return (((h << 5) | (h >> 27)) ^ x) * 0x9e3779b1U;
}

static uint32_t fold_u64(uint32_t h, uint64_t x)
{
	return fold(fold(h, (uint32_t)x), (uint32_t)(x >> 32));
}

#define FOLD                                                                                       \
	"var<private> h: u32;\n"                                                                   \
	"fn put(x: u32) { h = (((h << 5u) | (h >> 27u)) ^ x) * 0x9e3779b1u; }\n"

#define MAIN                                                                                       \
	"@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"                          \
	"@compute @workgroup_size(64)\n"                                                           \
	"fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"                                \
	"  let n = arrayLength(&a); let x = a[id.x / n]; let y = a[id.x % n];\n"

/* ---- f16 ---------------------------------------------------------------------------------- */

static const char HALF[] =
    "enable f16;\n" FOLD "@group(0) @binding(0) var<storage, read> a: array<f16>;\n" MAIN
    "  put(bitcast<u32>(f32(x)));\n"
    "  put(bitcast<u32>(vec2(x + y, x - y)));\n"
    "  put(bitcast<u32>(vec2(x * y, f16(f32(x) * 1.0009765625 + f32(y)))));\n"
    "  r[id.x] = h; }\n";

static const double HALVES[SELFTEST_HALVES] = {
	0,       -0.0,           1,         -1,          0.5,      3,         1023.5,  -1024,
	1025,    2047,           65504,     -65504,      32768,    0x1p-14,   0x1p-24, -0x1.ff8p-15,
	0x3p-24, 0.333251953125, -3.140625, 0x1.004p+11, HUGE_VAL, -HUGE_VAL, NAN,     0x1.ffcp-1,
};

static void half_input(void *to)
{
	for (uint32_t i = 0; i < SELFTEST_HALVES; i += 2)
		num_put_u32((char *)to + 2 * (size_t)i,
			    num_f16_bits(HALVES[i]) | num_f16_bits(HALVES[i + 1]) << 16);
}

static uint32_t float_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return isnan(x) ? 0x7fc00000 : bits;
}

static uint32_t half_result(uint32_t i, uint32_t j)
{
	double x = HALVES[i], y = HALVES[j];
	float z = (float)x * 1.0009765625F;
	uint32_t h = fold(0, float_bits((float)x));

	z = z + (float)y;
	h = fold(h, num_f16_bits(x + y) | num_f16_bits(x - y) << 16);
	return fold(h, num_f16_bits(x * y) | num_f16_bits(z) << 16);
}

/* ---- i64, u64 ----------------------------------------------------------------------------- */

static const char WIDE[] =
    "enable kwarp_i64;\n" FOLD "@group(0) @binding(0) var<storage, read> a: array<u64>;\n"
    "fn u(x: u64) { put(u32(x)); put(u32(x >> 32u)); }\n"
    "fn s(x: i64) { u(u64(x)); }\n" MAIN "  let p = i64(x); let q = i64(y); let by = u32(y);\n"
    "  u(x + y); u(x - y); u(x * y); u(x ^ (y & x)); u(x / y); u(x % y);\n"
    "  s(p / q); s(p % q); s(-p); s(abs(p)); s(min(p, q)); u(max(x, y));\n"
    "  u(x << by); u(x >> by); s(p >> by);\n"
    "  u(countOneBits(x)); u(countLeadingZeros(x)); u(reverseBits(x));\n"
    "  put(u32(x < y) + 2u * u32(p < q) + 4u * u32(x == y));\n"
    "  put(bitcast<u32>(f32(x))); put(bitcast<u32>(f32(p)));\n"
    "  u(u64(bitcast<f32>(by))); s(i64(bitcast<f32>(by))); s(i64(i32(p)));\n"
    "  r[id.x] = h; }\n";

static const uint64_t WIDES[SELFTEST_WIDES] = {
	0,
	1,
	7,
	63,
	64,
	0x7fffffff,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
	0xfffffffffffffff6,
	/* Their low words are floats: 2^32, just below 2^64, -2^40, 1.5. */
	0x0123456a4f800000,
	0xfedcba985f7fffff,
	0x00000004d3800000,
	0x800000003fc00000,
	/* To f32: just above a tie, and a tie. */
	0x0000010000010001,
	0x4000004000000000,
	0x9e3779b97f4a7c15,
	0x00000000deadbeef,
};

static void wide_input(void *to)
{
	for (uint32_t i = 0; i < SELFTEST_WIDES; i++)
		num_put_u64((char *)to + 8 * (size_t)i, WIDES[i]);
}

static uint64_t reverse_bits(uint64_t x)
{
	uint64_t r = 0;

	for (int n = 0; n < 64; n++)
		r |= ((x >> n) & 1) << (63 - n);
	return r;
}

/* Clamped; NaN gives 0. */
static uint64_t to_u64(double x, double high)
{
	if (!(x > 0))
		return 0;
	return (uint64_t)(x < high ? x : high);
}

static uint64_t to_i64(double x, double high)
{
	if (isnan(x))
		return 0;
	x = x > -0x1p63 ? x : -0x1p63;
	return (uint64_t)(int64_t)(x < high ? x : high);
}

static uint32_t wide_arithmetic(uint32_t h, uint64_t x, uint64_t y)
{
	int64_t p = (int64_t)x, q = (int64_t)y;
	bool wraps = p == INT64_MIN && q == -1;

	h = fold_u64(h, x + y);
	h = fold_u64(h, x - y);
	h = fold_u64(h, x * y);
	h = fold_u64(h, x ^ (y & x));
	h = fold_u64(h, y == 0 ? x : x / y);
	h = fold_u64(h, y == 0 ? 0 : x % y);
	h = fold_u64(h, q == 0 || wraps ? x : (uint64_t)(p / q));
	h = fold_u64(h, q == 0 || wraps ? 0 : (uint64_t)(p % q));
	h = fold_u64(h, -x);
	h = fold_u64(h, p < 0 ? -x : x);
	h = fold_u64(h, p < q ? x : y);
	return fold_u64(h, x > y ? x : y);
}

static uint32_t wide_result(uint32_t i, uint32_t j)
{
	uint64_t x = WIDES[i], y = WIDES[j];
	int64_t p = (int64_t)x, q = (int64_t)y;
	uint32_t h = wide_arithmetic(0, x, y), word = (uint32_t)y;
	float f;

	memcpy(&f, &word, sizeof(f));
	h = fold_u64(h, x << (y & 63));
	h = fold_u64(h, x >> (y & 63));
	h = fold_u64(h, (uint64_t)(p >> (y & 63)));
	h = fold_u64(h, (uint64_t)__builtin_popcountll(x));
	h = fold_u64(h, x == 0 ? 64 : (uint64_t)__builtin_clzll(x));
	h = fold_u64(h, reverse_bits(x));
	h = fold(h, (x < y ? 1U : 0U) + (p < q ? 2U : 0U) + (x == y ? 4U : 0U));
	h = fold(h, float_bits((float)x));
	h = fold(h, float_bits((float)p));
	h = fold_u64(h, to_u64((double)f, 0x1.fffffep63));
	h = fold_u64(h, to_i64((double)f, 0x1.fffffep62));
	return fold_u64(h, (uint64_t)(int64_t)(int32_t)x);
}

/* ---- f64 ---------------------------------------------------------------------------------- */

static const char DOUBLE[] =
    "enable kwarp_f64, kwarp_i64;\n" FOLD
    "@group(0) @binding(0) var<storage, read> a: array<f64>;\n"
    "fn f(x: f64) { let b = bitcast<vec2<u32>>(x); put(b.x); put(b.y); }\n"
    "fn u(x: u64) { put(u32(x)); put(u32(x >> 32u)); }\n" MAIN
    "  f(x + y); f(x - y); f(x * y); f(x / y); f(x * y + x); f(x * x - y * y);\n"
    "  f(sqrt(abs(x / y))); f(sqrt(x)); f(1lf / x);\n"
    "  f(min(x, y)); f(max(x, y)); f(floor(x)); f(ceil(x)); f(trunc(x)); f(round(x)); f(-x);\n"
    "  put(u32(x < y) + 2u * u32(x == y) + 4u * u32(x != y) + 8u * u32(bool(x)));\n"
    "  put(bitcast<u32>(f32(x))); put(bitcast<u32>(i32(x))); put(u32(x));\n"
    "  u(u64(x)); u(u64(i64(x))); f(f64(bitcast<u64>(x))); f(f64(bitcast<i64>(x)));\n"
    "  r[id.x] = h; }\n";

static const uint64_t DOUBLES[SELFTEST_DOUBLES / 2] = {
	0,
	0x8000000000000000,
	1, /* the smallest number */
	0x800fffffffffffff,
	0x0010000000000000, /* the smallest normal number */
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x3ff0000000000000, /* 1 */
	0xbff0000000000001,
	0x3ca0000000000000, /* 2^-53 */
	0x3fe0000000000000, /* 0.5, 2.5 */
	0x4004000000000000,
	0x43dfffffffffffff, /* below 2^63 */
	0x41efffffffe00000, /* 2^32 - 1 */
	0xc1e0000000000001, /* below -2^31 */
	0x433fffffffffffff, /* 2^53 - 1 */
	0x3ff0000010000000, /* to f32: a tie, and just above one */
	0x3ff0000030000001,
};

/* The first half, then numbers with any mantissa around 1: what is off by one unit now and then
 * shows in their quotients and roots. */
static uint64_t double_bits(uint32_t i)
{
	uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15;

	if (i < SELFTEST_DOUBLES / 2)
		return DOUBLES[i];
	return 0x3f80000000000000 + ((x ^ x >> 29) & 0x007fffffffffffff) +
	       (i % 2 == 0 ? 0x8000000000000000 : 0);
}

static void double_input(void *to)
{
	for (uint32_t i = 0; i < SELFTEST_DOUBLES; i++)
		num_put_u64((char *)to + 8 * (size_t)i, double_bits(i));
}

static double double_of(uint32_t i)
{
	uint64_t bits = double_bits(i);
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static uint32_t fold_f64(uint32_t h, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return fold_u64(h, isnan(x) ? 0x7ff8000000000000 : bits);
}

static uint32_t double_conversions(uint32_t h, double x)
{
	uint64_t bits;
	double low = x > -0x1p31 ? x : -0x1p31;

	memcpy(&bits, &x, sizeof(bits));
	if (isnan(x))
		bits = 0x7ff8000000000000;
	h = fold(h, float_bits((float)x));
	h = fold(h, isnan(x) ? 0 : (uint32_t)(int32_t)(low < 2147483647.0 ? low : 2147483647.0));
	h = fold(h, (uint32_t)to_u64(x, 4294967295.0));
	h = fold_u64(h, to_u64(x, 0x1.fffffffffffffp63));
	h = fold_u64(h, to_i64(x, 0x1.fffffffffffffp62));
	h = fold_f64(h, (double)bits);
	return fold_f64(h, (double)(int64_t)bits);
}

static uint32_t double_result(uint32_t i, uint32_t j)
{
	double x = double_of(i), y = double_of(j), product = x * y, squares = x * x, square = y * y;
	uint32_t h = 0;

	h = fold_f64(h, x + y);
	h = fold_f64(h, x - y);
	h = fold_f64(h, product);
	h = fold_f64(h, x / y);
	h = fold_f64(h, product + x);
	h = fold_f64(h, squares - square);
	h = fold_f64(h, sqrt(fabs(x / y)));
	h = fold_f64(h, sqrt(x));
	h = fold_f64(h, 1 / x);
	h = fold_f64(h, y < x ? y : x);
	h = fold_f64(h, x < y ? y : x);
	h = fold_f64(h, floor(x));
	h = fold_f64(h, ceil(x));
	h = fold_f64(h, trunc(x));
	h = fold_f64(h, rint(x));
	h = fold_f64(h, -x);
	h = fold(h,
		 (x < y ? 1U : 0U) + (x == y ? 2U : 0U) + (x != y ? 4U : 0U) + (x != 0 ? 8U : 0U));
	return double_conversions(h, x);
}

/* ---- all ---------------------------------------------------------------------------------- */

#define SUBGROUP(suffix)                                                                           \
	{                                                                                          \
		WIRE_NEED_SUBGROUP##suffix, SELFTEST_SUBGROUP##suffix, SELFTEST_SUBGROUPS, 4,      \
		    selftest_subgroup_input, selftest_subgroup_result                              \
	}

const struct selftest_type selftest_types[SELFTEST_TYPES] = {
	{ WIRE_NEED_F16, HALF, SELFTEST_HALVES, 2, half_input, half_result },
	{ WIRE_NEED_I64, WIDE, SELFTEST_WIDES, 8, wide_input, wide_result },
	{ WIRE_NEED_F64, DOUBLE, SELFTEST_DOUBLES, 8, double_input, double_result },
	SUBGROUP(),
	SUBGROUP(_4),
	SUBGROUP(_8),
	SUBGROUP(_16),
	SUBGROUP(_32),
	SUBGROUP(_64),
	SUBGROUP(_128),
};
