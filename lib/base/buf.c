/* buf.c - see buf.h. */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void buf_done(struct buf *b)
{
	mem_free(b->data);
	*b = (struct buf){ .max = b->max };
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data != NULL)
		b->data[0] = '\0';
}

static bool has_room(const struct buf *b, size_t len)
{
	return b->len <= b->max && len <= b->max - b->len;
}

static void reserve(struct buf *b, size_t len)
{
	size_t need = b->len + len + 1;
	size_t cap = b->cap ? b->cap : 64;

	if (need <= b->cap)
		return;
	while (cap < need)
		cap *= 2;
	b->data = mem_resize_array(b->data, b->cap, cap, 1);
	b->cap = cap;
}

int buf_space(struct buf *b, size_t len, char **ret, struct err *err)
{
	if (!has_room(b, len))
		return err_set(err, ERR_TOO_BIG, "more than %zu bytes", b->max);
	reserve(b, len);
	ASSERT(b->data != NULL);
	*ret = b->data + b->len;
	return 0;
}

void buf_commit(struct buf *b, size_t len)
{
	ASSERT(b->data != NULL && b->len + len < b->cap);
	b->len += len;
	b->data[b->len] = '\0';
}

int buf_add(struct buf *b, const void *bytes, size_t len, struct err *err)
{
	char *to = NULL;

	if (buf_space(b, len, &to, err) < 0)
		return err->code;
	ASSERT(to != NULL);
	if (len > 0)
		memcpy(to, bytes, len);
	buf_commit(b, len);
	return 0;
}

int buf_adds(struct buf *b, const char *s, struct err *err)
{
	return buf_add(b, s, strlen(s), err);
}

int buf_addc(struct buf *b, char c, struct err *err)
{
	return buf_add(b, &c, 1, err);
}

PRINTF_LIKE(2, 0) static int addv(struct buf *b, const char *fmt, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	ASSERT(n >= 0);
	if (!has_room(b, (size_t)n))
		return ERR_TOO_BIG;
	reserve(b, (size_t)n);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, args);
	b->len += (size_t)n;
	return 0;
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = addv(b, fmt, args);
	va_end(args);
	return rc;
}

int buf_addfe(struct buf *b, struct err *err, const char *fmt, ...)
{
	va_list args;
	int rc;

	va_start(args, fmt);
	rc = addv(b, fmt, args);
	va_end(args);
	if (rc < 0)
		return err_set(err, ERR_TOO_BIG, "more than %zu bytes", b->max);
	return 0;
}

void buf_note(struct buf *b, const char *fmt, ...)
{
	struct err err = { 0 };
	char text[1024];
	va_list args;
	size_t room;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ASSERT(n >= 0);
	room = b->max > b->len ? b->max - b->len : 0;
	if ((size_t)n < sizeof(text) && (size_t)n <= room) {
		ASSERT(buf_adds(b, text, &err) == 0);
		return;
	}
	if (b->len >= 3 && strcmp(b->data + b->len - 3, "...") == 0)
		return;
	if (room < 3) {
		if (b->len >= 3)
			memcpy(b->data + b->len - 3, "...", 3);
		return;
	}
	n = (int)(room < sizeof(text) ? room : sizeof(text) - 1);
	memcpy(text + n - 3, "...", 3);
	ASSERT(buf_add(b, text, (size_t)n, &err) == 0);
}

void buf_drop(struct buf *b, size_t n)
{
	ASSERT(n <= b->len);
	if (n == 0)
		return;
	memmove(b->data, b->data + n, b->len - n + 1);
	b->len -= n;
}

char *buf_take(struct buf *b)
{
	char *data = MOVE(b->data);

	b->len = 0;
	b->cap = 0;
	return data != NULL ? data : mem_strdup("");
}

const char *buf_str(const struct buf *b)
{
	return b->data != NULL ? b->data : "";
}
