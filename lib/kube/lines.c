/* lines.c - see lines.h. */
#include "kube/lines.h"

#include <string.h>

#include "base/mem.h"

void kube_lines_done(struct kube_lines *l)
{
	buf_done(&l->pending);
	l->len = 0;
}

void kube_lines_reset(struct kube_lines *l)
{
	buf_reset(&l->pending);
	l->len = 0;
}

void kube_lines_feed(struct kube_lines *l, const char *bytes, size_t len)
{
	ASSERT(l->len == 0);
	l->bytes = bytes;
	l->len = len;
}

static size_t trimmed(const char *line, size_t len)
{
	return len > 0 && line[len - 1] == '\r' ? len - 1 : len;
}

static int too_long(struct kube_lines *l, struct err *err)
{
	kube_lines_reset(l);
	return err_set(err, ERR_TOO_BIG, "a line of more than %zu bytes", l->max);
}

/* Add the next piece, up to and with a newline, to the pending line. 1: that ends it. */
static int extend(struct kube_lines *l, struct err *err)
{
	const char *end = memchr(l->bytes, '\n', l->len);
	size_t n = end != NULL ? (size_t)(end - l->bytes) + 1 : l->len;

	l->pending.max = l->max + 1;
	if (buf_add(&l->pending, l->bytes, n, err) < 0 ||
	    (end == NULL && l->pending.len > l->max)) {
		err_clear(err);
		return too_long(l, err);
	}
	l->bytes += n;
	l->len -= n;
	return end != NULL;
}

int kube_lines_next(struct kube_lines *l, const char **ret_line, size_t *ret_len, struct err *err)
{
	/* What ends with a newline was handed out by the call before. */
	if (l->pending.len > 0 && l->pending.data[l->pending.len - 1] == '\n')
		buf_reset(&l->pending);
	while (l->len > 0) {
		const char *end = l->pending.len == 0 ? memchr(l->bytes, '\n', l->len) : NULL;
		size_t n = end != NULL ? (size_t)(end - l->bytes) : 0;

		if (end != NULL && n > l->max)
			return too_long(l, err);
		if (end != NULL) { /* the common case: no copy */
			*ret_line = l->bytes;
			*ret_len = trimmed(l->bytes, n);
			l->bytes += n + 1;
			l->len -= n + 1;
		} else {
			int rc = extend(l, err);

			if (rc <= 0)
				return rc;
			*ret_line = l->pending.data;
			*ret_len = trimmed(l->pending.data, l->pending.len - 1);
		}
		if (*ret_len > 0)
			return 1;
		buf_reset(&l->pending);
	}
	return 0;
}
