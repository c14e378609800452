/* status.c - see status.h. */
#include "kube/status.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static enum err_code to_code(int http_status, const char *reason)
{
	switch (http_status) {
	case 401:
	case 403:
		return ERR_DENIED;
	case 404:
		return ERR_NOT_FOUND;
	case 409:
		return strcmp(reason, "AlreadyExists") == 0 ? ERR_EXISTS : ERR_CONFLICT;
	case 410:
		return ERR_GONE;
	case 413:
		return ERR_TOO_BIG;
	case 429:
	case 503:
		return ERR_UNAVAILABLE;
	case 500:
	case 502:
	case 504:
		return ERR_TIMEOUT;
	default:
		return ERR_INVALID;
	}
}

bool kube_status_is_too_large(const struct doc *status)
{
	DOC_EACH(doc_get(status, "details.causes"), cause)
	{
		if (strcmp(doc_str(cause, "reason", ""), "ResourceVersionTooLarge") == 0)
			return true;
	}
	return strstr(doc_str(status, "message", ""), "Too large resource version") != NULL;
}

int kube_status_err_of(int http_status, const struct doc *status, char reason[KUBE_REASON],
		       struct err *err)
{
	const char *why = doc_str(status, "reason", "");
	const char *message = doc_str(status, "message", "");
	enum err_code code = to_code(http_status, why);

	if (kube_status_is_too_large(status))
		code = ERR_GONE;
	if (reason != NULL)
		snprintf(reason, KUBE_REASON, "%s", why);
	if (message[0] != '\0')
		return err_set(err, code, "%s", message);
	return err_set(err, code, "HTTP %d %s", http_status, why);
}

/* What a proxy or an aggregated API writes instead of a Status: its first line. */
static int plain_err(int http_status, const char *body, size_t len, struct err *err)
{
	size_t line = 0;

	while (line < len && line < 120 && (unsigned char)body[line] >= ' ')
		line++;
	if (line == 0 || !text_is_utf8(body, line))
		return err_set(err, to_code(http_status, ""), "HTTP %d", http_status);
	return err_set(err, to_code(http_status, ""), "HTTP %d: %.*s", http_status, (int)line,
		       body);
}

int kube_status_err(int http_status, const char *body, size_t len, char reason[KUBE_REASON],
		    struct err *err)
{
	AUTO(doc_unrefp) struct doc *status = NULL;
	struct err ignored = { 0 };

	if (reason != NULL)
		reason[0] = '\0';
	if (len == 0 || doc_parse_json(body, len, NULL, &status, &ignored) < 0 ||
	    strcmp(doc_str(status, "kind", ""), "Status") != 0)
		return plain_err(http_status, body, len, err);
	return kube_status_err_of(http_status, status, reason, err);
}
