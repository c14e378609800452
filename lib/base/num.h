/*
 * num.h - numbers from text and arithmetic that cannot wrap.
 *
 * Parsers take exactly the whole text: no blanks, no signs where none belong, no trailing
 * bytes. Nothing else in kwarp calls strtol and its relatives.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Decimal, within [min, max]. ERR_INVALID names the text and the range. */
MUST_CHECK int num_parse_i64(const char *s, size_t len, int64_t min, int64_t max, int64_t *ret,
			     struct err *err);
MUST_CHECK int num_parse_u64(const char *s, size_t len, uint64_t max, uint64_t *ret,
			     struct err *err);
/* Digits of `base` (2 to 16) without a prefix. */
MUST_CHECK int num_parse_base(const char *s, size_t len, int base, uint64_t max, uint64_t *ret,
			      struct err *err);
/* A decimal or hexadecimal (0x1p3) floating point number, C locale, at most 512 characters,
 * correctly rounded. Infinity and NaN are refused; an overflow is ERR_INVALID. */
MUST_CHECK int num_parse_f64(const char *s, size_t len, double *ret, struct err *err);

/* Room for any printed number with its NUL. */
enum { NUM_TEXT = 48 };

/* The shortest decimal that reads back exactly as the same f64 or f32; "NaN", "Infinity",
 * "-Infinity". Without an exponent from 1e-6 to below 1e21 ("1500", "0.001"), else "1.5e+21",
 * "1e-7". Writes at most NUM_TEXT bytes and returns `text`. */
const char *num_print_f64(double v, char text[NUM_TEXT]);
const char *num_print_f32(float v, char text[NUM_TEXT]);

/* False if the exact result does not fit; *ret is then unchanged. */
bool num_add_i64(int64_t a, int64_t b, int64_t *ret);
bool num_sub_i64(int64_t a, int64_t b, int64_t *ret);
bool num_mul_i64(int64_t a, int64_t b, int64_t *ret);
bool num_add_u64(uint64_t a, uint64_t b, uint64_t *ret);
bool num_mul_u64(uint64_t a, uint64_t b, uint64_t *ret);

/* The bits of x rounded to f16, ties to even; beyond its range infinity; 7e00 for NaN. */
uint32_t num_f16_bits(double x);

/* Little-endian bytes, whatever the machine and the alignment. */
uint32_t num_get_u32(const void *p);
uint64_t num_get_u64(const void *p);
void num_put_u32(void *p, uint32_t v);
void num_put_u64(void *p, uint64_t v);

#endif
