/*
 * watchdog.h - ends the process when a deadline passes, whatever the other threads do.
 *
 *     watchdog_new("leadership not renewed in time", &w, err);
 *     watchdog_set(w, renewed_ms + 10000);       again after each success
 *
 * A thread of its own waits on CLOCK_BOOTTIME, so that it also fires at once after the machine was
 * suspended or the process was stopped. It writes its last words to standard error and calls
 * _exit(1): no cleanup, no other thread takes another step.
 */
#ifndef BASE_WATCHDOG_H
#define BASE_WATCHDOG_H

#include <stdint.h>

#include "base/err.h"

struct watchdog;

/* last_words: copied. Not armed. */
MUST_CHECK int watchdog_new(const char *last_words, struct watchdog **ret, struct err *err);
void watchdog_free(struct watchdog *w); /* disarms; accepts NULL */

/* End the process at this CLOCK_BOOTTIME millisecond, or, with INT64_MAX, never. From any
 * thread. */
void watchdog_set(struct watchdog *w, int64_t deadline_boot_ms);

#endif
