/*
 * resolve.h - host names to addresses, without blocking the loop's thread.
 *
 * The only place that calls getaddrinfo, on a worker.
 */
#ifndef BASE_RESOLVE_H
#define BASE_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/work.h"

struct resolve;

enum { RESOLVE_MAX = 16, RESOLVE_HOST = 256 };

struct resolve_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* "HOST:PORT", "[V6]:PORT": cut into host (RESOLVE_HOST bytes) and port. ERR_INVALID. */
MUST_CHECK int resolve_split(const char *text, char host[RESOLVE_HOST], int *ret_port,
			     struct err *err);

/* A numeric address; false if host is a name. */
bool resolve_numeric(const char *host, int port, struct resolve_address *ret);

/* n addresses (at least 1), or err->code < 0 (ERR_NOT_FOUND: no such name; ERR_UNAVAILABLE: no
 * answer). Borrowed for the call. */
typedef void (*resolve_fn)(void *arg, const struct resolve_address *list, size_t n,
			   const struct err *err);

/* Ask for the addresses of HOST:PORT; fn comes later from the loop, also for numeric addresses.
 * *ret names the question until fn is called. ERR_INVALID: not HOST:PORT; ERR_UNAVAILABLE: too many
 * wait. */
MUST_CHECK int resolve_start(struct work_pool *pool, const char *address, resolve_fn fn, void *arg,
			     struct resolve **ret, struct err *err);
/* Forget it: fn will not come. Accepts NULL. */
void resolve_cancel(struct resolve *r);

#endif
