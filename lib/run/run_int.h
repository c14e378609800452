/*
 * run_int.h - what the files of lib/run share: the child process, kernels, the cache.
 */
#ifndef RUN_RUN_INT_H
#define RUN_RUN_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/map.h"
#include "hash/hash.h"
#include "run/protocol.h"
#include "run/run.h"

/* ---- child: one kwarp-runner process (child.c) ------------------------------------------- */

struct run_child;

struct run_child_spec {
	struct loop *loop;            /* borrowed */
	const char *program;          /* borrowed during the call */
	const char *const *arguments; /* after the fixed ones; NULL-terminated */
	bool loads_drivers;           /* of GPUs: gets the variables that they look at */
	uint32_t max_answer;          /* bytes of a frame's body that it may send */
	int in_fd, out_fd;            /* borrowed during the call; -1: none */
	/* A whole frame arrived; READY is checked and kept back. Negative: kill the child. */
	int (*on_frame)(void *arg, uint32_t type, struct run_bytes body, struct err *err);
	/* It is ready for frames. May be NULL. */
	void (*on_ready)(void *arg);
	/* It is gone: how says why, in words; signal: what killed it, 0 if it exited or broke the
	 * protocol. The child must be freed, by this callback or later. */
	void (*on_end)(void *arg, const char *how, int signal);
	void *arg;
};

MUST_CHECK int run_child_new(const struct run_child_spec *spec, struct run_child **ret,
			     struct err *err);
/* Kills it if it lives and waits until it is gone. Accepts NULL. No callback afterwards. */
void run_child_free(struct run_child *c);
void run_child_freep(struct run_child **c);

/* SIGKILL; on_end follows with this reason. */
void run_child_kill(struct run_child *c, const char *reason);

/* Append a frame here, then run_child_flush. */
struct buf *run_child_out(struct run_child *c);
void run_child_flush(struct run_child *c);

bool run_child_is_ready(const struct run_child *c);
pid_t run_child_pid(const struct run_child *c);

/* True if a child that died by this signal (0: it did not) was killed by someone else: people, or a
 * machine without memory. Crashes and limits have signals of their own. */
bool run_is_foreign_signal(int signal_number);

/* ---- kernels and the cache (kernel.c) ----------------------------------------------------- */

struct run_kernel {
	uint32_t refs;
	struct hash_digest key;
	struct arena arena;        /* of the reflection */
	struct wire_kernel kernel; /* in the arena */
	char *text;                /* owned: printed diagnostics */
	enum run_target target;    /* of the objects */
	void *object[2];           /* owned: forward, reverse; NULL: none */
	uint32_t object_size[2];
	uint32_t places[WIRE_MAX_BINDINGS];
	uint32_t n_buffers;
};

/* ERR_PROTOCOL: the answer is malformed or contradicts the request. */
MUST_CHECK int run_kernel_new(const struct hash_digest *key,
			      const struct run_compile_answer *answer, bool code, bool reverse,
			      struct run_kernel **ret, struct err *err);

/* What a kernel's code depends on, besides the machine and the version of the runner. */
struct hash_digest run_source_key(const struct run_source *source);

/* Kernels with code, by key; the least recently used leave when their bytes pass the limit. */
struct run_cache {
	uint64_t max_bytes;
	uint64_t bytes;
	struct map by_key;  /* hexadecimal key -> struct cache_entry */
	struct list recent; /* most recently used first */
};

void run_cache_done(struct run_cache *c);
/* Borrowed until the next run_cache_add; NULL if there is none. */
struct run_kernel *run_cache_find(struct run_cache *c, const struct hash_digest *key);
void run_cache_add(struct run_cache *c, struct run_kernel *k);

/* ---- host (host.c) ------------------------------------------------------------------------ */

struct loop *run_host_loop(const struct run_host *h);
const char *run_host_program(const struct run_host *h);
struct loop *run_slot_loop(const struct run_slot *s);

#endif
