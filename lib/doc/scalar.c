/* scalar.c - what a plain YAML scalar is: the rules of the Go library that kubectl uses. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

enum { MAX_NUMBER = 400 };

enum word { WORD_NULL, WORD_TRUE, WORD_FALSE, WORD_NOT_FINITE };

static const struct {
	const char *text;
	enum word word;
} words[] = {
	{ "", WORD_NULL },
	{ "~", WORD_NULL },
	{ "null", WORD_NULL },
	{ "Null", WORD_NULL },
	{ "NULL", WORD_NULL },
	{ "true", WORD_TRUE },
	{ "True", WORD_TRUE },
	{ "TRUE", WORD_TRUE },
	{ "yes", WORD_TRUE },
	{ "Yes", WORD_TRUE },
	{ "YES", WORD_TRUE },
	{ "on", WORD_TRUE },
	{ "On", WORD_TRUE },
	{ "ON", WORD_TRUE },
	{ "y", WORD_TRUE },
	{ "Y", WORD_TRUE },
	{ "false", WORD_FALSE },
	{ "False", WORD_FALSE },
	{ "FALSE", WORD_FALSE },
	{ "no", WORD_FALSE },
	{ "No", WORD_FALSE },
	{ "NO", WORD_FALSE },
	{ "off", WORD_FALSE },
	{ "Off", WORD_FALSE },
	{ "OFF", WORD_FALSE },
	{ "n", WORD_FALSE },
	{ "N", WORD_FALSE },
	{ ".nan", WORD_NOT_FINITE },
	{ ".NaN", WORD_NOT_FINITE },
	{ ".NAN", WORD_NOT_FINITE },
	{ ".inf", WORD_NOT_FINITE },
	{ ".Inf", WORD_NOT_FINITE },
	{ ".INF", WORD_NOT_FINITE },
	{ "+.inf", WORD_NOT_FINITE },
	{ "+.Inf", WORD_NOT_FINITE },
	{ "+.INF", WORD_NOT_FINITE },
	{ "-.inf", WORD_NOT_FINITE },
	{ "-.Inf", WORD_NOT_FINITE },
	{ "-.INF", WORD_NOT_FINITE },
};

static struct doc *word_value(enum word w, struct err *err)
{
	if (w == WORD_NOT_FINITE) {
		err_set(err, ERR_INVALID, "infinity and NaN are not supported");
		return NULL;
	}
	return w == WORD_NULL ? doc_new_null() : doc_new_bool(w == WORD_TRUE);
}

static size_t skip_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* [0-9]+(.[0-9]*)? or .[0-9]+, then an exponent or not. */
static bool is_float(const char *s)
{
	size_t whole = skip_digits(s);
	size_t fraction = 0;

	s += whole;
	if (*s == '.') {
		fraction = skip_digits(s + 1);
		s += 1 + fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (*s == 'e' || *s == 'E') {
		s += s[1] == '+' || s[1] == '-' ? 2 : 1;
		if (skip_digits(s) == 0)
			return false;
		s += skip_digits(s);
	}
	return *s == '\0';
}

/* Unsigned, with Go's prefixes 0x, 0o, 0b and 0. */
static bool parse_whole(const char *s, uint64_t *ret)
{
	struct err err = { 0 };
	int base = 10;

	if (s[0] == '0' && s[1] != '\0') {
		char p = s[1];

		base = p == 'x' || p == 'X' ? 16 : p == 'b' || p == 'B' ? 2 : 8;
		s += base != 8 || p == 'o' || p == 'O' ? 2 : 1;
	}
	return num_parse_base(s, strlen(s), base, UINT64_MAX, ret, &err) == 0;
}

static struct doc *number_value(const char *plain, struct err *err)
{
	bool negative = plain[0] == '-';
	const char *s = plain + (plain[0] == '-' || plain[0] == '+');
	struct err bad = { 0 };
	uint64_t u;
	double f;

	if (parse_whole(s, &u)) {
		if (u <= (uint64_t)INT64_MAX + negative)
			return doc_new_int(negative ? (int64_t)(0 - u) : (int64_t)u);
		if (!negative) {
			err_set(err, ERR_INVALID, "the number does not fit 64 bits with sign");
			return NULL;
		}
	}
	if (!is_float(s) || num_parse_f64(s, strlen(s), &f, &bad) < 0)
		return NULL;
	f = negative ? -f : f;
	if (f == floor(f) && fabs(f) < 0x1p63)
		return doc_new_int((int64_t)f);
	return doc_new_real(f);
}

/* Without '_', which Go drops from numbers; false if it is too long or cannot be a number. */
static bool plain_number(const char *s, size_t len, char text[MAX_NUMBER + 1])
{
	size_t n = 0;

	if (len == 0 || len > MAX_NUMBER || strchr("+-.0123456789", s[0]) == NULL)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (strchr("0123456789abcdefABCDEFoOxX+-._", s[i]) == NULL || s[i] == '\0')
			return false;
		if (s[i] != '_')
			text[n++] = s[i];
	}
	text[n] = '\0';
	return true;
}

struct doc *doc_resolve_plain(const char *s, size_t len, struct err *err)
{
	char text[MAX_NUMBER + 1];
	struct doc *d = NULL;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i].text) == len && memcmp(words[i].text, s, len) == 0)
			return word_value(words[i].word, err);
	if (plain_number(s, len, text))
		d = number_value(text, err);
	if (d == NULL && err->code == 0)
		d = doc_new_strn(s, len);
	return d;
}
