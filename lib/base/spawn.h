/*
 * spawn.h - child processes by posix_spawn, without a shell.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct spawn_fd {
	int parent; /* borrowed: the descriptor here */
	int child;  /* its number in the child */
};

struct spawn_spec {
	const char *path;           /* executable, no PATH search */
	const char *const *argv;    /* NULL-terminated, argv[0] included */
	const char *const *env;     /* NULL-terminated; NULL = empty environment */
	const struct spawn_fd *fds; /* everything else is closed in the child, but 0, 1 and 2, when
				     * not listed, are /dev/null; at most 32, child numbers < 256 */
	size_t fd_count;
	bool own_group; /* a process group of its own, so that all of it can be killed */
};

/* Start it, with default signal handling and no signal blocked. *ret_pid is killed when this
 * process dies only if the child asks for it (PR_SET_PDEATHSIG). */
MUST_CHECK int spawn_start(const struct spawn_spec *spec, pid_t *ret_pid, struct err *err);

/* Run to the end and collect standard output (bounded by out->max; more is ERR_TOO_BIG) and the
 * exit status (128 + signal if killed); spec must not list descriptor 1. Blocking, with a time
 * limit: ERR_TIMEOUT after SIGKILL. */
MUST_CHECK int spawn_run(const struct spawn_spec *spec, struct buf *out, int timeout_ms,
			 int *ret_status, struct err *err);

/* The folder of the running executable plus name: where kwarp's programs find each other. Owned. */
MUST_CHECK int spawn_sibling(const char *name, char **ret_path, struct err *err);

#endif
