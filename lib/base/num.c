/* num.c - see num.h. */
#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static int shown(size_t len)
{
	return len < 40 ? (int)len : 40;
}

int num_parse_base(const char *s, size_t len, int base, uint64_t max, uint64_t *ret,
		   struct err *err)
{
	uint64_t v = 0;

	if (len == 0)
		return err_set(err, ERR_INVALID, "empty text where a number was expected");
	for (size_t i = 0; i < len; i++) {
		int d = text_hex_digit(s[i]);

		if (d < 0 || d >= base)
			return err_set(err, ERR_INVALID, "\"%.*s\" is not a number", shown(len), s);
		if (!num_mul_u64(v, (uint64_t)base, &v) || !num_add_u64(v, (uint64_t)d, &v) ||
		    v > max)
			return err_set(err, ERR_INVALID, "\"%.*s\" is more than %llu", shown(len),
				       s, (unsigned long long)max);
	}
	*ret = v;
	return 0;
}

int num_parse_u64(const char *s, size_t len, uint64_t max, uint64_t *ret, struct err *err)
{
	return num_parse_base(s, len, 10, max, ret, err);
}

int num_parse_i64(const char *s, size_t len, int64_t min, int64_t max, int64_t *ret,
		  struct err *err)
{
	bool negative = len > 0 && s[0] == '-';
	uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
	uint64_t u = 0;
	int64_t v;

	if (num_parse_u64(s + negative, len - negative, limit, &u, err) < 0)
		return err->code;
	v = negative ? (int64_t)(0 - u) : (int64_t)u;
	if (v < min || v > max)
		return err_set(err, ERR_INVALID, "%lld is not within %lld to %lld", (long long)v,
			       (long long)min, (long long)max);
	*ret = v;
	return 0;
}

int num_parse_f64(const char *s, size_t len, double *ret, struct err *err)
{
	char text[513];
	char *end;
	double v;

	if (len == 0 || len >= sizeof(text))
		return err_set(err, ERR_INVALID, "not a number: %zu characters", len);
	memcpy(text, s, len);
	text[len] = '\0';
	/* strtod would take blanks, words and a '+'. */
	for (size_t i = 0; i < len; i++)
		if (strchr("0123456789abcdefABCDEFxXpP.+-", text[i]) == NULL)
			return err_set(err, ERR_INVALID, "\"%.*s\" is not a number", shown(len), s);
	if (text[0] == '+')
		return err_set(err, ERR_INVALID, "\"%.*s\" is not a number", shown(len), s);
	errno = 0;
	v = strtod(text, &end);
	if (end != text + len)
		return err_set(err, ERR_INVALID, "\"%.*s\" is not a number", shown(len), s);
	if (isinf(v))
		return err_set(err, ERR_INVALID, "\"%.*s\" is too large", shown(len), s);
	*ret = v;
	return 0;
}

static const char *print_special(double v, char text[NUM_TEXT])
{
	if (isnan(v))
		memcpy(text, "NaN", 4);
	else if (v > 0)
		memcpy(text, "Infinity", 9);
	else
		memcpy(text, "-Infinity", 10);
	return text;
}

/*
 * Lay out digits d1.d2d3... times 10^exponent as ECMAScript does: plain from 1e-6 to below 1e21,
 * else with an exponent. `e` is what "%.*e" printed; text has room for the plain form.
 */
static const char *lay_out(const char *e, char text[NUM_TEXT])
{
	char digits[24] = "";
	int n = 0;
	int exponent = (int)strtol(strchr(e, 'e') + 1, NULL, 10);
	const char *sign = *e == '-' ? "-" : "";

	for (const char *p = e; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	if (exponent < -6 || exponent > 20)
		snprintf(text, NUM_TEXT, "%s%c%s%se%+d", sign, digits[0], n > 1 ? "." : "",
			 digits + 1, exponent);
	else if (exponent < 0)
		snprintf(text, NUM_TEXT, "%s0.%.*s%s", sign, -exponent - 1, "00000", digits);
	else if (exponent >= n - 1)
		snprintf(text, NUM_TEXT, "%s%s%.*s", sign, digits, exponent - n + 1,
			 "00000000000000000000");
	else
		snprintf(text, NUM_TEXT, "%s%.*s.%s", sign, exponent + 1, digits,
			 digits + exponent + 1);
	return text;
}

const char *num_print_f64(double v, char text[NUM_TEXT])
{
	char e[NUM_TEXT];

	if (!isfinite(v))
		return print_special(v, text);
	for (int digits = 0; digits <= 16; digits++) {
		snprintf(e, sizeof(e), "%.*e", digits, v);
		if (strtod(e, NULL) == v)
			break;
	}
	return lay_out(e, text);
}

const char *num_print_f32(float v, char text[NUM_TEXT])
{
	char e[NUM_TEXT];

	if (!isfinite(v))
		return print_special((double)v, text);
	for (int digits = 0; digits <= 8; digits++) {
		snprintf(e, sizeof(e), "%.*e", digits, (double)v);
		if (strtof(e, NULL) == v)
			break;
	}
	return lay_out(e, text);
}

bool num_add_i64(int64_t a, int64_t b, int64_t *ret)
{
	int64_t v;

	if (__builtin_add_overflow(a, b, &v))
		return false;
	*ret = v;
	return true;
}

bool num_sub_i64(int64_t a, int64_t b, int64_t *ret)
{
	int64_t v;

	if (__builtin_sub_overflow(a, b, &v))
		return false;
	*ret = v;
	return true;
}

bool num_mul_i64(int64_t a, int64_t b, int64_t *ret)
{
	int64_t v;

	if (__builtin_mul_overflow(a, b, &v))
		return false;
	*ret = v;
	return true;
}

bool num_add_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t v;

	if (__builtin_add_overflow(a, b, &v))
		return false;
	*ret = v;
	return true;
}

bool num_mul_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t v;

	if (__builtin_mul_overflow(a, b, &v))
		return false;
	*ret = v;
	return true;
}

uint32_t num_get_u32(const void *p)
{
	const unsigned char *b = p;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

uint64_t num_get_u64(const void *p)
{
	return num_get_u32(p) | (uint64_t)num_get_u32((const char *)p + 4) << 32;
}

static void num_put_u16(void *p, uint16_t v)
{
	unsigned char *b = p;

	b[0] = (unsigned char)v;
	b[1] = (unsigned char)(v >> 8);
}

uint32_t num_f16_bits(double x)
{
	uint32_t sign = signbit(x) ? 0x8000 : 0;
	double a = fabs(x);
	int e = 0;

	if (isnan(x))
		return 0x7e00;
	if (a < 0x1p-14)
		return sign | (uint32_t)rint(a * 0x1p24);
	if (a >= 65520.0)
		return sign | 0x7c00;
	(void)frexp(a, &e);
	/* 11 bits: rounding up to the next power of two carries into the exponent. */
	return sign | (((uint32_t)(e + 13) << 10) + (uint32_t)rint(ldexp(a, 11 - e)));
}

void num_put_u32(void *p, uint32_t v)
{
	num_put_u16(p, (uint16_t)v);
	num_put_u16((char *)p + 2, (uint16_t)(v >> 16));
}

void num_put_u64(void *p, uint64_t v)
{
	num_put_u32(p, (uint32_t)v);
	num_put_u32((char *)p + 4, (uint32_t)(v >> 32));
}
