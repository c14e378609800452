/*
 * loop.h - the event loop: timers, descriptors, posted functions, one thread.
 *
 * One turn, in this order:
 *   1. wait (at most until the next timer; replaceable, see loop_set_wait)
 *   2. read the clock once: loop_now_ms
 *   3. due timers, oldest deadline first (a timer started by a callback waits for the next turn)
 *   4. ready descriptors
 *   5. functions posted by other threads or by loop_defer before step 3
 * At most LOOP_BUDGET callbacks of each kind run in a turn; the rest run in the next one without
 * waiting. A callback above 50 ms is logged with its name.
 *
 * All functions except loop_post belong to the thread that created the loop (asserted).
 * A callback may free any object, the one being called included: timer_free and fd_watch_free are
 * synchronous, after them no callback comes. A callback must not call loop_run.
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct loop;
struct timer;
struct fd_watch;

typedef void (*loop_fn)(void *arg);

enum { LOOP_BUDGET = 256 };
enum loop_events { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_HANGUP = 4 };

MUST_CHECK int loop_new(struct loop **ret, struct err *err);
void loop_free(struct loop *l); /* accepts NULL; timers and watches must be freed before */
void loop_freep(struct loop **l);

/* Run turns until loop_stop; one that came before ends it at once. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);
/* Run one turn, waiting at most max_wait_ms (0 = do not wait, -1 = no limit of its own). For tests
 * and simple programs. */
void loop_turn(struct loop *l, int64_t max_wait_ms);

/* CLOCK_BOOTTIME milliseconds as read at the start of this turn. */
int64_t loop_now_ms(const struct loop *l);

/* Run fn(arg) on the loop thread, in a later turn. loop_post: from any thread, wakes the loop.
 * loop_defer: from the loop thread. Both run each call exactly once unless the loop is freed. */
void loop_post(struct loop *l, loop_fn fn, void *arg);
void loop_defer(struct loop *l, loop_fn fn, void *arg);

/* A timer that is not running. name: static, for logs. */
struct timer *timer_new(struct loop *l, const char *name, loop_fn fn, void *arg);
void timer_free(struct timer *t);                    /* accepts NULL */
void timer_start(struct timer *t, int64_t delay_ms); /* restarts a running one; one shot */
void timer_start_at(struct timer *t, int64_t at_boot_ms);
void timer_stop(struct timer *t);
bool timer_is_running(const struct timer *t);

/* Watch a descriptor (borrowed; the caller closes it after fd_watch_free). events: enum loop_events
 * to wait for; the callback gets those that are ready. LOOP_HANGUP is always reported. */
typedef void (*fd_watch_fn)(void *arg, int ready);
MUST_CHECK int fd_watch_new(struct loop *l, const char *name, int fd, int events, fd_watch_fn fn,
			    void *arg, struct fd_watch **ret, struct err *err);
void fd_watch_set(struct fd_watch *w, int events);
void fd_watch_free(struct fd_watch *w); /* accepts NULL */

/* Call fn(arg, signal) on the loop thread for each of the signals (0-terminated list), by signalfd.
 * Blocks them for the process. Once per loop; freed with it. */
MUST_CHECK int loop_on_signals(struct loop *l, const int *signals, void (*fn)(void *arg, int sig),
			       void *arg, struct err *err);

/* Replace step 1. wait(arg, epoll_fd, timeout_ms) must return when epoll_fd is readable, the time
 * is over, or anything of its own is ready; after it returns the loop polls epoll_fd without
 * waiting. wake(arg) is called from any thread to end a wait early. ready(arg) runs in each turn
 * between steps 3 and 4: the place for callbacks. NULLs restore. Used by lib/http (curl). */
typedef void (*loop_wait_fn)(void *arg, int epoll_fd, int timeout_ms);
void loop_set_wait(struct loop *l, loop_wait_fn wait, loop_fn wake, loop_fn ready, void *arg);

#endif
