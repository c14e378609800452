/* resolve.c - see resolve.h. */
#include "base/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

struct resolve {
	char host[RESOLVE_HOST];
	int port;
	resolve_fn fn; /* NULL: cancelled. Touched by the loop's thread only */
	void *arg;
	/* written by the worker */
	struct resolve_address list[RESOLVE_MAX];
	size_t count;
	struct err err;
	bool asked;
};

int resolve_split(const char *text, char host[RESOLVE_HOST], int *ret_port, struct err *err)
{
	const char *colon = strrchr(text, ':');
	const char *from = text;
	const char *to = colon;
	uint64_t port;

	if (colon == NULL)
		return err_set(err, ERR_INVALID, "\"%s\": HOST:PORT expected", text);
	if (text[0] == '[' && to > text && to[-1] == ']') {
		from++;
		to--;
	} else if (memchr(text, ':', (size_t)(colon - text)) != NULL) {
		return err_set(err, ERR_INVALID, "\"%s\": write [ADDRESS]:PORT", text);
	}
	if (to <= from || to - from >= RESOLVE_HOST)
		return err_set(err, ERR_INVALID, "\"%s\": HOST:PORT expected", text);
	if (num_parse_u64(colon + 1, strlen(colon + 1), 65535, &port, err) < 0)
		return err_wrap(err, "port");
	memcpy(host, from, (size_t)(to - from));
	host[to - from] = '\0';
	*ret_port = (int)port;
	return 0;
}

bool resolve_numeric(const char *host, int port, struct resolve_address *ret)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	*ret = (struct resolve_address){ 0 };
	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
		memcpy(&ret->addr, &v4, sizeof(v4));
		ret->len = sizeof(v4);
		return true;
	}
	if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
		memcpy(&ret->addr, &v6, sizeof(v6));
		ret->len = sizeof(v6);
		return true;
	}
	return false;
}

static void take_answer(struct resolve *r, const struct addrinfo *found)
{
	const in_port_t port = htons((uint16_t)r->port);

	for (; found != NULL && r->count < RESOLVE_MAX; found = found->ai_next) {
		struct resolve_address *a = &r->list[r->count];

		if (found->ai_addrlen > sizeof(a->addr))
			continue;
		memcpy(&a->addr, found->ai_addr, found->ai_addrlen);
		a->len = found->ai_addrlen;
		/* The port lies at the same place for both families. */
		memcpy((char *)&a->addr + offsetof(struct sockaddr_in, sin_port), &port,
		       sizeof(port));
		r->count++;
	}
}

static void run(void *item)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
	struct resolve *r = item;
	struct addrinfo *found = NULL;
	int rc;

	r->asked = true;
	if (resolve_numeric(r->host, r->port, &r->list[0])) {
		r->count = 1;
		return;
	}
	rc = getaddrinfo(r->host, NULL, &hints, &found);
	if (rc == 0)
		take_answer(r, found);
	if (found != NULL)
		freeaddrinfo(found);
	if (r->count == 0)
		err_set(&r->err, rc == EAI_NONAME ? ERR_NOT_FOUND : ERR_UNAVAILABLE,
			"resolve %s: %s", r->host, rc == 0 ? "no address" : gai_strerror(rc));
}

static void done(void *item)
{
	struct resolve *r = item;

	if (r->fn != NULL) {
		if (!r->asked)
			err_set(&r->err, ERR_UNAVAILABLE, "resolve %s: stopping", r->host);
		r->fn(r->arg, r->list, r->count, &r->err);
	}
	mem_free(r);
}

int resolve_start(struct work_pool *pool, const char *address, resolve_fn fn, void *arg,
		  struct resolve **ret, struct err *err)
{
	struct resolve *r = NEW(struct resolve);

	r->fn = fn;
	r->arg = arg;
	if (resolve_split(address, r->host, &r->port, err) < 0 ||
	    work_submit(pool, run, done, r, err) < 0) {
		mem_free(r);
		return err->code;
	}
	*ret = r;
	return 0;
}

void resolve_cancel(struct resolve *r)
{
	if (r != NULL)
		r->fn = NULL;
}
