/*
 * diag.c - diagnostics: where, what, and the source line with a caret.
 */
#include "wgsl/wgsl_int.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* Bytes of the line break at i, 0: there is none (WGSL 3.2: CR LF is one; next line, line separator
 * and paragraph separator as UTF-8). */
static uint32_t break_at(const struct wgsl_source *src, size_t i)
{
	const char *s = src->text + i;
	size_t left = src->len - i;

	if (s[0] >= '\n' && s[0] <= '\r')
		return s[0] == '\r' && left > 1 && s[1] == '\n' ? 2 : 1;
	if (left > 1 && memcmp(s, "\xc2\x85", 2) == 0)
		return 2;
	if (left > 2 && (memcmp(s, "\xe2\x80\xa8", 3) == 0 || memcmp(s, "\xe2\x80\xa9", 3) == 0))
		return 3;
	return 0;
}

/* Where lines begin goes to `lines`, if it is not NULL; how many there are. */
static uint32_t find_lines(const struct wgsl_source *src, uint32_t *lines)
{
	uint32_t n = 1;

	for (size_t i = 0; i < src->len;) {
		uint32_t width = break_at(src, i);

		i += width > 0 ? width : 1;
		if (width > 0 && lines != NULL)
			lines[n] = (uint32_t)i;
		n += width > 0;
	}
	return n;
}

void wgsl_find_lines(struct wgsl_comp *c)
{
	c->n_lines = find_lines(c->src, NULL);
	c->lines = arena_new_array(c->arena, uint32_t, c->n_lines);
	(void)find_lines(c->src, c->lines);
}

static bool is_continuation(char ch)
{
	return ((unsigned char)ch & 0xc0) == 0x80;
}

uint32_t wgsl_line_of(const struct wgsl_comp *c, uint32_t offset, uint32_t *column)
{
	uint32_t low = 0;
	uint32_t high = c->n_lines;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (c->lines[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	*column = offset - c->lines[low] + 1;
	return low + 1;
}

void wgsl_locate(const struct wgsl_comp *c, uint32_t offset, uint32_t *line, uint32_t *column)
{
	uint32_t col = 1;

	*line = wgsl_line_of(c, offset, column);
	for (uint32_t i = c->lines[*line - 1]; i < offset && i < c->src->len; i++)
		col += !is_continuation(c->src->text[i]);
	*column = col;
}

struct wgsl_span wgsl_span_join(struct wgsl_span a, struct wgsl_span b)
{
	uint32_t end = b.offset + b.len;

	if (b.offset < a.offset)
		return wgsl_span_join(b, a);
	if (a.offset + a.len > end)
		end = a.offset + a.len;
	return (struct wgsl_span){ .offset = a.offset, .len = end - a.offset };
}

const char *wgsl_type_text(struct wgsl_comp *c, const struct wgsl_type *t)
{
	AUTO(buf_done) struct buf b = { .max = 400 };

	wgsl_type_print(t, &b);
	return arena_strndup(c->arena, buf_str(&b), b.len);
}

static void add(struct wgsl_comp *c, enum wgsl_severity severity, struct wgsl_span at,
		const char *text)
{
	struct wgsl_diags *d = c->diags;
	struct wgsl_diag *diag;

	if (severity == WGSL_ERROR)
		d->n_errors++;
	if (d->n >= 2 * (size_t)WGSL_MAX_ERRORS ||
	    (severity == WGSL_ERROR && d->n_errors > WGSL_MAX_ERRORS) ||
	    (severity == WGSL_NOTE && d->n_errors > WGSL_MAX_ERRORS))
		return;
	arena_reserve(c->arena, &d->list, &c->cap_diags, d->n, sizeof(*d->list));
	diag = &d->list[d->n++];
	*diag = (struct wgsl_diag){
		.severity = severity, .offset = at.offset, .length = at.len, .message = text
	};
	wgsl_locate(c, at.offset, &diag->line, &diag->column);
}

static const char *format(struct wgsl_comp *c, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
static const char *format(struct wgsl_comp *c, const char *fmt, va_list args)
{
	char text[512];
	int n = vsnprintf(text, sizeof(text), fmt, args);

	if (n >= (int)sizeof(text))
		memcpy(text + sizeof(text) - 4, "...", 4);
	return arena_strdup(c->arena, text);
}

void wgsl_error(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...)
{
	va_list args;

	/* What is beyond the limit is only counted: formatting it could cost more than compiling.
	 */
	if (c->diags->n_errors >= WGSL_MAX_ERRORS) {
		c->diags->n_errors++;
		return;
	}
	va_start(args, fmt);
	add(c, WGSL_ERROR, at, format(c, fmt, args));
	va_end(args);
}

void wgsl_warn(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...)
{
	va_list args;

	if (c->diags->n >= 2 * (size_t)WGSL_MAX_ERRORS)
		return;
	va_start(args, fmt);
	add(c, WGSL_WARNING, at, format(c, fmt, args));
	va_end(args);
}

void wgsl_note(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...)
{
	va_list args;

	if (c->diags->n_errors > WGSL_MAX_ERRORS)
		return;
	va_start(args, fmt);
	add(c, WGSL_NOTE, at, format(c, fmt, args));
	va_end(args);
}

void wgsl_note_decl(struct wgsl_comp *c, const struct wgsl_decl *d)
{
	if (d->at.len > 0)
		wgsl_note(c, d->at, "declared here");
}

/* At most this much of a source line is shown. */
enum { SHOWN = 160 };

static uint32_t line_start(const struct wgsl_source *src, uint32_t offset)
{
	for (uint32_t i = offset; i > 0; i--) {
		uint32_t width = break_at(src, i - 1);

		if (width > 0 && i - 1 + width <= offset)
			return i - 1 + width;
	}
	return 0;
}

static uint32_t line_end(const struct wgsl_source *src, uint32_t offset)
{
	while (offset < src->len && break_at(src, offset) == 0)
		offset++;
	return offset;
}

static char shown_char(char ch)
{
	if ((unsigned char)ch < 0x20 || ch == 0x7f)
		return ' ';
	return ch;
}

/* The part of the line around `at`, tabs as blanks, then carets under what is meant. */
static void print_line(const struct wgsl_source *src, const struct wgsl_diag *d, struct buf *out)
{
	uint32_t offset = d->offset < src->len ? d->offset : (uint32_t)src->len;
	uint32_t start = line_start(src, offset);
	uint32_t end = line_end(src, offset);
	uint32_t stop = offset + (d->length > 0 ? d->length : 1);

	if (offset - start > SHOWN / 2)
		start = offset - SHOWN / 2;
	while (start < offset && is_continuation(src->text[start]))
		start++;
	if (end - start > SHOWN)
		end = start + SHOWN;
	while (end < src->len && is_continuation(src->text[end]))
		end++;
	buf_note(out, "  ");
	for (uint32_t i = start; i < end; i++)
		buf_note(out, "%c", shown_char(src->text[i]));
	buf_note(out, "\n  ");
	for (uint32_t i = start; i < offset; i++)
		if (!is_continuation(src->text[i]))
			buf_note(out, " ");
	buf_note(out, "^");
	for (uint32_t i = offset + 1; i < stop && i < end; i++)
		if (!is_continuation(src->text[i]))
			buf_note(out, "~");
	buf_note(out, "\n");
}

void wgsl_diags_print(const struct wgsl_diags *d, const struct wgsl_source *src, struct buf *out)
{
	static const char *const names[] = { "error", "warning", "note" };
	const char *file = src->file != NULL ? src->file : "kernel.wgsl";

	for (size_t i = 0; i < d->n; i++) {
		const struct wgsl_diag *g = &d->list[i];

		buf_note(out, "%s:%u:%u: %s: %s\n", file, g->line, g->column, names[g->severity],
			 g->message);
		print_line(src, g, out);
	}
	if (d->n_errors > WGSL_MAX_ERRORS)
		buf_note(out, "%s: %zu more errors\n", file, d->n_errors - WGSL_MAX_ERRORS);
}
