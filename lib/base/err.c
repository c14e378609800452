/* err.c - recording and wrapping errors; see err.h. */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Mark a text that did not fit, so that nobody takes a cut message for a whole one. */
static void mark_cut(char *text, size_t size, int wanted)
{
	if (wanted >= 0 && (size_t)wanted < size)
		return;
	memcpy(text + size - 4, "...", 4);
}

int err_setv(struct err *err, enum err_code code, const char *fmt, va_list args)
{
	ASSERT(err != NULL && err->code == 0);
	err->code = code;
	mark_cut(err->text, sizeof(err->text), vsnprintf(err->text, sizeof(err->text), fmt, args));
	return code;
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err_setv(err, code, fmt, args);
	va_end(args);
	return code;
}

static enum err_code from_errno(int n)
{
	switch (n) {
	case ENOENT:
	case ESRCH:
		return ERR_NOT_FOUND;
	case EEXIST:
		return ERR_EXISTS;
	case EACCES:
	case EPERM:
		return ERR_DENIED;
	case ETIMEDOUT:
		return ERR_TIMEOUT;
	case EAGAIN:
	case EINTR:
	case ECONNREFUSED:
	case ECONNRESET:
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EPIPE:
		return ERR_UNAVAILABLE;
	default:
		return ERR_SYSTEM;
	}
}

int err_errno(struct err *err, int error_number, const char *fmt, ...)
{
	char what[sizeof(err->text)];
	const char *name = strerrorname_np(error_number);
	va_list args;

	va_start(args, fmt);
	mark_cut(what, sizeof(what), vsnprintf(what, sizeof(what), fmt, args));
	va_end(args);
	return err_set(err, from_errno(error_number), "%s: %s", what,
		       name ? name : "unknown errno");
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char inner[sizeof(err->text)];
	va_list args;
	int n;

	ASSERT(err != NULL && err->code != 0);
	memcpy(inner, err->text, sizeof(inner));
	va_start(args, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(err->text)) {
		size_t used = (size_t)n;
		int more = snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner);

		n = more < 0 ? more : n + more;
	}
	mark_cut(err->text, sizeof(err->text), n);
	return err->code;
}

void err_clear(struct err *err)
{
	err->code = 0;
	err->text[0] = '\0';
}

const char *err_code_name(int code)
{
	static const char *const names[] = {
		"OK",      "NOT_FOUND", "EXISTS",      "CONFLICT", "GONE",    "DENIED",
		"TOO_BIG", "TIMEOUT",   "UNAVAILABLE", "PROTOCOL", "INVALID", "SYSTEM",
	};

	if (code > 0 || code < ERR_SYSTEM)
		return "UNKNOWN";
	return names[-code];
}

bool err_retryable(int code)
{
	return code == ERR_CONFLICT || code == ERR_GONE || code == ERR_TIMEOUT ||
	       code == ERR_UNAVAILABLE || code == ERR_SYSTEM;
}
