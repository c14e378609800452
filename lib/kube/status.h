/*
 * status.h - what a Kubernetes API server says when it refuses: a Status object, as struct err.
 *
 * Codes: 404 NOT_FOUND; 409 EXISTS for AlreadyExists, else CONFLICT; 410 and a version that is too
 * large GONE; 401, 403 DENIED; 413 TOO_BIG; 429, 503 UNAVAILABLE; 500, 502, 504 TIMEOUT (the
 * outcome is unknown); everything else INVALID. The text is the server's message.
 */
#ifndef KUBE_STATUS_H
#define KUBE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "doc/doc.h"

enum { KUBE_REASON = 64 };

/* Records the error of an answer that is not 2xx, returns its code. reason (may be NULL) gets the
 * Status' reason ("AlreadyExists", "Forbidden", ...), "" if the body is no Status. */
int kube_status_err(int http_status, const char *body, size_t len, char reason[KUBE_REASON],
		    struct err *err);
/* The same from a Status in hand, as an ERROR event carries it. */
int kube_status_err_of(int http_status, const struct doc *status, char reason[KUBE_REASON],
		       struct err *err);

/* True for "the version you ask for is newer than what I have". */
bool kube_status_is_too_large(const struct doc *status);

#endif
