/*
 * work.h - a pool of worker threads for blocking or heavy pieces of work.
 *
 *     work_submit(pool, compress_run, compress_done, item);
 *
 * run(item) runs on a worker and may touch only its item; done(item) runs afterwards on the loop
 * thread, in submission order per worker. Work that was submitted is always done; work_pool_free
 * waits for running items, then calls done for finished ones and drops (with done) what had not
 * started: done must accept an item that was not run.
 */
#ifndef BASE_WORK_H
#define BASE_WORK_H

#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"

struct work_pool;

MUST_CHECK int work_pool_new(struct loop *l, int threads, struct work_pool **ret, struct err *err);
void work_pool_free(struct work_pool *p); /* accepts NULL */

/* ERR_UNAVAILABLE when 1024 items wait already. */
MUST_CHECK int work_submit(struct work_pool *p, void (*run)(void *item), void (*done)(void *item),
			   void *item, struct err *err);

/* A plain fork-join for programs without a loop (the runner): a team of threads that execute
 * fn(arg, part) for part = 0 .. parts-1, each part once. Returns when all are done. */
struct work_team;
MUST_CHECK int work_team_new(int threads, struct work_team **ret, struct err *err);
void work_team_free(struct work_team *t); /* accepts NULL */
void work_team_run(struct work_team *t, void (*fn)(void *arg, uint64_t part), void *arg,
		   uint64_t parts);

#endif
