/*
 * journal.h - the file in --state that lets a restarted agent find its undecided results.
 *
 * An append-only log of "this result is held" and "these chunks are decided", each record with a
 * length and a checksum; a record cut off by a crash ends the log. Writing happens on a worker, in
 * batches, without sync: what a crash of the machine loses is computed again, never counted twice.
 * When most of the file is of no use any more, it is written anew beside and renamed.
 *
 *     journal_open(path, held, &j, err);     at start: replays into held
 *     journal_start(j, loop, pool);          from now on writes go out, every few milliseconds
 */
#ifndef AGENT_JOURNAL_H
#define AGENT_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "agent/held.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/work.h"

struct journal;

/* Read the file (created if missing; locked: ERR_CONFLICT if another agent has it) and add what it
 * holds to `held` (borrowed until journal_close). A damaged end is cut off. */
MUST_CHECK int journal_open(const char *path, struct held *held, struct journal **ret,
			    struct err *err);
/* loop and pool: borrowed until journal_stop. */
void journal_start(struct journal *j, struct loop *loop, struct work_pool *pool);
/* No more work for the pool, which may be freed now (and has to be before journal_close). */
void journal_stop(struct journal *j);
/* Write what is left, and close. Accepts NULL. */
void journal_close(struct journal *j);

void journal_add(struct journal *j, const struct wire_dispatch *d, const uint8_t *ticket,
		 const struct wire_result *r);
void journal_drop(struct journal *j, const struct wire_job_runs *jobs, size_t n);

/* Bytes in the file and on their way to it. */
uint64_t journal_size(const struct journal *j);

#endif
