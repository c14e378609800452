/*
 * text.h - hexadecimal, base64, UTF-8 and small questions about strings.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

bool text_equal(const char *a, const char *b); /* NULL equals only NULL */
bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/* Lower-case hexadecimal of n bytes; `out` has room for 2 n + 1 characters. Returns out. */
char *text_hex(const void *bytes, size_t n, char *out);
/* Exactly n bytes from exactly 2 n hexadecimal digits. */
MUST_CHECK int text_unhex(const char *s, size_t len, void *out, size_t n, struct err *err);

/* Standard base64 with padding, without line breaks (RFC 4648 section 4). */
MUST_CHECK int text_base64(const void *bytes, size_t n, struct buf *out, struct err *err);
/* Appends the bytes. Padding is required, blanks and line breaks are skipped, other characters and
 * non-zero padding bits are ERR_INVALID. */
MUST_CHECK int text_unbase64(const char *s, size_t len, struct buf *out, struct err *err);

/* True for well-formed UTF-8 without NUL. */
bool text_is_utf8(const char *s, size_t len);

/* True for a Kubernetes DNS label (RFC 1123): 1 to 63 of a-z 0-9 and '-', not at the ends. */
bool text_is_dns_label(const char *s);
/* DNS subdomain: labels joined by '.', at most 253 characters. */
bool text_is_dns_name(const char *s);

/* For "did you mean": true if two names differ only in case, or by one insertion, deletion or
 * replacement of a character or a swap of two neighbours; false for names that are the same. */
bool text_is_near(const char *a, const char *b);

/* Make a text of others safe for a terminal: control characters but tab and newline, in UTF-8 also
 * those from U+0080 to U+009F, become '?'. */
void text_defuse(char *s);

/* The value of a hexadecimal digit, or -1. */
int text_hex_digit(char c);

/* Comparison in time that depends on n alone. */
bool text_same_secret(const void *a, const void *b, size_t n);

#endif
