/*
 * hostile.h - what an attacker would try who took over a runner; for tests of the sandbox.
 *
 * When KWARP_RUNNER_HOSTILE is set (only tests do that), a runner does this instead of the first
 * chunk it is given. It gains nothing: it runs inside the closed sandbox.
 */
#ifndef RUNNER_HOSTILE_H
#define RUNNER_HOSTILE_H

#include <sys/types.h>

#include "runner/exec.h"

/* Try `name`; "" and unknown names do nothing. Returns what happened, static; may not return. */
const char *hostile_try(const char *name, const struct exec_memory *memory, pid_t parent);

#endif
