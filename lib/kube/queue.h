/*
 * queue.h - which keys need work: each once, never two workers on one key, with back-off.
 *
 *     kube_queue_add(q, key, KUBE_QUEUE_LIVE);
 *     while ((key = kube_queue_take(q, now_ms)) != NULL) {
 *             ... work on key ...
 *             kube_queue_forget(q, key);                 it went well
 *             kube_queue_add_failed(q, key, now_ms);     or: again, later each time
 *             kube_queue_add_after(q, key, now_ms + 500); or: look again then
 *             kube_queue_done(q, key);
 *     }
 *
 * A key that is added while it is worked on comes again after kube_queue_done. A key is never
 * dropped, however often it fails. Pure: time comes in.
 */
#ifndef KUBE_QUEUE_H
#define KUBE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kube_queue;

/* Live changes go before what listing found and periodic looks; the latter still get every eighth
 * turn. A key that waits with low priority and is added with high moves up. */
enum kube_queue_priority { KUBE_QUEUE_LIVE, KUBE_QUEUE_IDLE, KUBE_QUEUE_PRIORITIES };

/* Failed keys wait 5 ms, 10 ms, ... up to max_backoff_ms (0 = 1,000 s), and all together come back
 * at most 10 times a second after a burst of 100. */
struct kube_queue *kube_queue_new(int64_t max_backoff_ms);
void kube_queue_free(struct kube_queue *q); /* accepts NULL */

void kube_queue_add(struct kube_queue *q, const char *key, enum kube_queue_priority priority);
/* Not before at_ms; of several times the earliest counts. An add before that does not cancel it. */
void kube_queue_add_after(struct kube_queue *q, const char *key, int64_t at_ms);
void kube_queue_add_failed(struct kube_queue *q, const char *key, int64_t now_ms);
/* Not before at_ms, and count a failure: for errors that carry their own time to wait. */
void kube_queue_add_failed_until(struct kube_queue *q, const char *key, int64_t at_ms);

/* The next key to work on, or NULL. Borrowed until kube_queue_done. */
const char *kube_queue_take(struct kube_queue *q, int64_t now_ms);
void kube_queue_done(struct kube_queue *q, const char *key);
/* The next failure starts at 5 ms again. */
void kube_queue_forget(struct kube_queue *q, const char *key);
int kube_queue_failures(const struct kube_queue *q, const char *key);

/* When kube_queue_take may return something: now_ms or earlier = now, INT64_MAX = not until
 * something is added or done. */
int64_t kube_queue_due_ms(const struct kube_queue *q);
size_t kube_queue_depth(const struct kube_queue *q);  /* waiting now, without delayed ones */
size_t kube_queue_active(const struct kube_queue *q); /* being worked on */

#endif
