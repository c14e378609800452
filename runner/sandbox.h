/*
 * sandbox.h - what a runner gives up before it reads the first byte that a stranger wrote.
 *
 * Three steps, in this order, because each needs something that the next one takes away:
 *
 *     sandbox_begin(parent)   session, signals, identity
 *     sandbox_drivers()       GPUs only: files that drivers need, nothing else (Landlock)
 *     sandbox_files()         no file can be opened any more (Landlock, where the kernel has it)
 *     sandbox_close(spec)     limits; only a short list of system calls is left (seccomp)
 *
 * Threads must exist before sandbox_close and after sandbox_files. Works as root and as any user,
 * needs no namespace. What is left: memory, time, threads that exist, one socket.
 */
#ifndef RUNNER_SANDBOX_H
#define RUNNER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct sandbox_spec {
	uint64_t memory_bytes; /* of address space in all, shared memory included */
	bool executes;         /* may make its own memory executable (never writable as well) */
	/* May grow memory files that it has and map descriptors privately, not executable:
	 * SwiftShader's code begins there. */
	bool maps_private;
	/* Talks to the driver of a real GPU: its device nodes, memory mapped from them, threads. */
	bool drives;
};

/* for_devices: who was root stays in the groups of the GPUs' device nodes. */
MUST_CHECK int sandbox_begin(pid_t parent, bool for_devices, struct err *err);
/* Libraries, drivers' configuration and the GPUs' device nodes stay; sandbox_files may follow. */
MUST_CHECK int sandbox_drivers(struct err *err);
MUST_CHECK int sandbox_files(struct err *err);
MUST_CHECK int sandbox_close(const struct sandbox_spec *spec, struct err *err);

/* CPU time that may be used from now on, in whole seconds, rounded up; 0: no limit. Works inside.
 */
void sandbox_limit_cpu(uint64_t ms);

#endif
