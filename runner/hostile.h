/*
 * hostile.h - what an attacker would try who took over a runner; for tests of the sandbox.
 *
 * When KWARP_RUNNER_HOSTILE is set (only tests do that), a runner does this instead of the first
 * chunk it is given, or lies about every one. It gains nothing: it runs inside the closed sandbox.
 */
#ifndef RUNNER_HOSTILE_H
#define RUNNER_HOSTILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "runner/exec.h"

/* Try `name`; "" and unknown names do nothing. Returns what happened, static; may not return. */
const char *hostile_try(const char *name, const struct exec_memory *memory, pid_t parent);

/* A device that computes wrongly in silence: "lie" runs every chunk and changes the outputs of
 * those without inputs, so that it passes the agent's self-test, which has some. */
bool hostile_is_liar(const char *name);
/* "lose": every chunk finds the device lost. */
bool hostile_is_lost(const char *name);
void hostile_lie(const struct run_chunk_request *m, const struct exec_memory *memory);

#endif
