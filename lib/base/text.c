/* text.c - see text.h. */
#include "base/text.h"

#include <string.h>
#include <strings.h>

static const char hex_digits[] = "0123456789abcdef";
static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool text_equal(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

bool text_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s);
	size_t m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

char *text_hex(const void *bytes, size_t n, char *out)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = hex_digits[b[i] >> 4];
		out[2 * i + 1] = hex_digits[b[i] & 15];
	}
	out[2 * n] = '\0';
	return out;
}

int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int text_unhex(const char *s, size_t len, void *out, size_t n, struct err *err)
{
	unsigned char *b = out;

	if (len != 2 * n)
		return err_set(err, ERR_INVALID, "%zu hexadecimal digits where %zu were expected",
			       len, 2 * n);
	for (size_t i = 0; i < n; i++) {
		int high = text_hex_digit(s[2 * i]);
		int low = text_hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return err_set(err, ERR_INVALID, "not a hexadecimal digit at %zu", 2 * i);
		b[i] = (unsigned char)(high << 4 | low);
	}
	return 0;
}

int text_base64(const void *bytes, size_t n, struct buf *out, struct err *err)
{
	const unsigned char *b = bytes;
	size_t len = (n + 2) / 3 * 4;
	char *to;

	if (buf_space(out, len, &to, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)b[i] << 16;

		v |= i + 1 < n ? (uint32_t)b[i + 1] << 8 : 0;
		v |= i + 2 < n ? (uint32_t)b[i + 2] : 0;
		to[0] = base64_digits[v >> 18];
		to[1] = base64_digits[v >> 12 & 63];
		to[2] = base64_digits[v >> 6 & 63];
		to[3] = base64_digits[v & 63];
		if (i + 1 >= n)
			to[2] = '=';
		if (i + 2 >= n)
			to[3] = '=';
		to += 4;
	}
	buf_commit(out, len);
	return 0;
}

static int base64_value(char c)
{
	const char *at = c != '\0' ? strchr(base64_digits, c) : NULL;

	return at != NULL ? (int)(at - base64_digits) : -1;
}

/* Decode to `to` (room for len bytes); the number of bytes, or -1 - position of the fault. */
static long unbase64(const char *s, size_t len, char *to)
{
	uint32_t bits = 0;
	size_t digits = 0;
	size_t padding = 0;
	long n = 0;

	for (size_t i = 0; i < len; i++) {
		int v = base64_value(s[i]);

		if (s[i] == '\n' || s[i] == '\r' || s[i] == ' ' || s[i] == '\t')
			continue;
		if (s[i] == '=' && digits % 4 >= 2 && padding < 4 - digits % 4) {
			padding++;
			continue;
		}
		if (v < 0 || padding > 0)
			return -1 - (long)i;
		bits = bits << 6 | (uint32_t)v;
		if (digits++ % 4 > 0)
			to[n++] = (char)(bits >> (6 - 2 * ((digits - 1) % 4)));
	}
	if (digits % 4 == 1 || (digits % 4 > 0 && padding != 4 - digits % 4))
		return -1 - (long)len;
	if (digits % 4 == 2 && (bits & 15) != 0)
		return -1 - (long)len;
	if (digits % 4 == 3 && (bits & 3) != 0)
		return -1 - (long)len;
	return n;
}

int text_unbase64(const char *s, size_t len, struct buf *out, struct err *err)
{
	size_t most = len / 4 * 3 + 3;
	char *to;
	long n;

	/* Blanks are skipped, so the true size is known only afterwards: measure by decoding. */
	struct buf bytes = { .max = most };

	if (buf_space(&bytes, most, &to, err) < 0)
		return err->code;
	n = unbase64(s, len, to);
	if (n < 0) {
		buf_done(&bytes);
		return err_set(err, ERR_INVALID, "not base64 at character %ld", -1 - n);
	}
	int rc = buf_add(out, to, (size_t)n, err);
	buf_done(&bytes);
	return rc;
}

/* Length of the well-formed sequence at s, 0 if there is none (Unicode table 3-7). */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	unsigned char low = 0x80;
	unsigned char high = 0xbf;
	size_t n;

	if (s[0] < 0x80)
		return s[0] != 0;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (left < n)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	if (s[0] == 0xed)
		high = 0x9f;
	if (s[0] == 0xf0)
		low = 0x90;
	if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return n;
}

bool text_is_utf8(const char *s, size_t len)
{
	const unsigned char *b = (const unsigned char *)s;
	size_t i = 0;

	while (i < len) {
		size_t n = utf8_len(b + i, len - i);

		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

static bool is_label(const char *s, size_t len)
{
	if (len == 0 || len > 63 || s[0] == '-' || s[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-", s[i]) == NULL)
			return false;
	return true;
}

bool text_is_dns_label(const char *s)
{
	return is_label(s, strlen(s));
}

bool text_is_dns_name(const char *s)
{
	if (strlen(s) > 253)
		return false;
	for (;;) {
		size_t n = strcspn(s, ".");

		if (!is_label(s, n))
			return false;
		if (s[n] == '\0')
			return true;
		s += n + 1;
	}
}

/* Names that differ in one place, from there on. */
static bool is_one_edit(const char *x, const char *y)
{
	size_t nx = strlen(x);
	size_t ny = strlen(y);

	if (nx == ny + 1)
		return strcmp(x + 1, y) == 0;
	if (ny == nx + 1)
		return strcmp(x, y + 1) == 0;
	if (nx != ny || nx == 0)
		return false;
	if (strcmp(x + 1, y + 1) == 0)
		return true;
	return nx > 1 && x[1] == y[0] && x[0] == y[1] && strcmp(x + 2, y + 2) == 0;
}

bool text_is_near(const char *a, const char *b)
{
	size_t same = 0;

	if (strcmp(a, b) == 0)
		return false;
	if (strcasecmp(a, b) == 0)
		return true;
	/* Of names this short, everything is near. */
	if (strlen(a) < 2 || strlen(b) < 2 || strlen(a) + strlen(b) < 5)
		return false;
	while (a[same] != '\0' && a[same] == b[same])
		same++;
	return is_one_edit(a + same, b + same);
}

void text_defuse(char *s)
{
	for (unsigned char *c = (unsigned char *)s; *c != '\0'; c++) {
		if ((*c < ' ' && *c != '\t' && *c != '\n') || *c == 0x7f)
			*c = '?';
		if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
			c[0] = c[1] = '?';
	}
}

bool text_same_secret(const void *a, const void *b, size_t n)
{
	const volatile unsigned char *x = a;
	const volatile unsigned char *y = b;
	unsigned char diff = 0;

	for (size_t i = 0; i < n; i++)
		diff = (unsigned char)(diff | (x[i] ^ y[i]));
	return diff == 0;
}
