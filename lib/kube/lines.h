/*
 * lines.h - cuts a stream of bytes into lines, however it was split on the way.
 *
 *     kube_lines_feed(&lines, bytes, len);
 *     while ((rc = kube_lines_next(&lines, &line, &line_len)) > 0) use(line, line_len);
 *     rc < 0: a line above the limit
 */
#ifndef KUBE_LINES_H
#define KUBE_LINES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct kube_lines {
	size_t max;         /* bytes of one line without its end */
	struct buf pending; /* owned: the begun line */
	const char *bytes;  /* borrowed: what kube_lines_feed got and is not consumed */
	size_t len;
};

void kube_lines_done(struct kube_lines *l);
/* Forget a begun line. */
void kube_lines_reset(struct kube_lines *l);
/* bytes must stay valid until kube_lines_next returned 0 or less. */
void kube_lines_feed(struct kube_lines *l, const char *bytes, size_t len);
/* 1: *ret_line is a whole line without its end, borrowed until the next call; empty lines are left
 * out. 0: none is whole. ERR_TOO_BIG: the line is longer than the limit; everything
 * fed is dropped. */
MUST_CHECK int kube_lines_next(struct kube_lines *l, const char **ret_line, size_t *ret_len,
			       struct err *err);

#endif
