/*
 * err.h - what went wrong, as a code and a text, on the caller's stack.
 *
 *     struct err err = { 0 };
 *     if (file_read(path, &raw, &err) < 0)
 *             return err_wrap(&err, "load token");
 *
 * A fallible function returns 0 or a negative ERR_* code and takes `struct err *`
 * as its last parameter, never NULL. It writes the error exactly once, at the place
 * that knows most; callers add context in front with err_wrap. A failed call has no
 * effect that the caller must undo, and writes its `ret` parameters only on success.
 *
 * No allocation, no ownership: copy it, drop it, reuse it after err_clear.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* Chosen by what the caller does next, not by where the failure came from. */
enum err_code {
	ERR_NOT_FOUND = -1,   /* the thing does not exist */
	ERR_EXISTS = -2,      /* it exists already */
	ERR_CONFLICT = -3,    /* someone changed it: read again, decide again */
	ERR_GONE = -4,        /* too old to continue from: start over */
	ERR_DENIED = -5,      /* not allowed; retrying alone does not help */
	ERR_TOO_BIG = -6,     /* a limit was reached */
	ERR_TIMEOUT = -7,     /* no answer in time; the outcome is unknown */
	ERR_UNAVAILABLE = -8, /* not now; retry later */
	ERR_PROTOCOL = -9,    /* the peer broke the rules */
	ERR_INVALID = -10,    /* the input is wrong */
	ERR_SYSTEM = -11,     /* the operating system refused */
};

struct err {
	int code; /* 0 = nothing recorded */
	char text[252];
};

/* Record an error and return its code. Asserts that nothing was recorded before.
 * Longer texts are cut and end in "...". */
int err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
int err_setv(struct err *err, enum err_code code, const char *fmt, va_list args) PRINTF_LIKE(3, 0);

/* Record a failed system call: "open /x: No such file or directory"; the code follows from
 * errno (ENOENT: ERR_NOT_FOUND, EACCES: ERR_DENIED, ...; else ERR_SYSTEM). */
int err_errno(struct err *err, int error_number, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Put "context: " in front of a recorded error; returns its code. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Forget what was recorded. */
void err_clear(struct err *err);

/* "NOT_FOUND", ...; "OK" for 0. Static storage. */
const char *err_code_name(int code);

/* True if the same call may succeed later without anyone changing the input. The only place
 * that knows. */
bool err_retryable(int code);

#endif
