/* queue.c - see queue.h. */
#include "kube/queue.h"

#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"

enum {
	FIRST_BACKOFF_MS = 5,
	MAX_BACKOFF_MS = 1000 * 1000,
	RETRY_INTERVAL_MS = 100, /* all keys together: 10 in a second */
	RETRY_BURST = 100,
	LIVE_IN_A_ROW = 7,
};

/* A key that is waiting, delayed, worked on, or has failures to remember. */
struct item {
	char *key; /* owned */
	enum kube_queue_priority priority;
	bool active;
	bool dirty; /* to be queued again by done */
	int failures;
	int64_t at_ms;         /* while delayed */
	size_t heap_at;        /* index + 1; 0 = not delayed */
	struct list_link link; /* while waiting */
};

struct kube_queue {
	struct map items; /* key -> item, owned */
	struct list waiting[KUBE_QUEUE_PRIORITIES];
	struct item **heap; /* owned array of borrowed items, by at_ms */
	size_t heap_len;
	size_t heap_cap;
	size_t active;
	int live_in_a_row;
	int64_t max_backoff_ms;
	int64_t next_retry_ms; /* the bucket: when it would be full is next_retry + burst */
};

struct kube_queue *kube_queue_new(int64_t max_backoff_ms)
{
	struct kube_queue *q = NEW(struct kube_queue);

	q->max_backoff_ms = max_backoff_ms > 0 ? max_backoff_ms : MAX_BACKOFF_MS;
	return q;
}

static void free_item(void *value)
{
	struct item *i = value;

	mem_free(i->key);
	mem_free(i);
}

void kube_queue_free(struct kube_queue *q)
{
	if (q == NULL)
		return;
	map_done(&q->items, free_item);
	mem_free(q->heap);
	mem_free(q);
}

static struct item *item_of(struct kube_queue *q, const char *key)
{
	struct item *i = map_get(&q->items, key);

	if (i != NULL)
		return i;
	i = NEW(struct item);
	i->key = mem_strdup(key);
	i->priority = KUBE_QUEUE_IDLE;
	map_set(&q->items, key, i);
	return i;
}

static void drop_if_unused(struct kube_queue *q, struct item *i)
{
	if (i->active || i->heap_at > 0 || i->failures > 0 || list_has(&i->link))
		return;
	map_remove(&q->items, i->key);
	free_item(i);
}

/* ---- delayed keys: a binary heap by time ---- */

static void heap_put(struct kube_queue *q, size_t at, struct item *i)
{
	q->heap[at] = i;
	i->heap_at = at + 1;
}

static void heap_up(struct kube_queue *q, size_t at, struct item *i)
{
	while (at > 0 && i->at_ms < q->heap[(at - 1) / 2]->at_ms) {
		heap_put(q, at, q->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(q, at, i);
}

static void heap_down(struct kube_queue *q, size_t at, struct item *i)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= q->heap_len)
			break;
		if (child + 1 < q->heap_len && q->heap[child + 1]->at_ms < q->heap[child]->at_ms)
			child++;
		if (i->at_ms <= q->heap[child]->at_ms)
			break;
		heap_put(q, at, q->heap[child]);
		at = child;
	}
	heap_put(q, at, i);
}

static struct item *heap_pop(struct kube_queue *q)
{
	struct item *first = q->heap[0];
	struct item *last = q->heap[--q->heap_len];

	first->heap_at = 0;
	if (last != first)
		heap_down(q, 0, last);
	return first;
}

static void delay(struct kube_queue *q, struct item *i, int64_t at_ms)
{
	if (i->heap_at > 0 && i->at_ms <= at_ms)
		return;
	i->at_ms = at_ms;
	if (i->heap_at > 0) {
		heap_up(q, i->heap_at - 1, i);
		return;
	}
	mem_reserve(&q->heap, &q->heap_cap, q->heap_len, sizeof(struct item *));
	heap_up(q, q->heap_len++, i);
}

/* ---- adding ---- */

static void add(struct kube_queue *q, struct item *i, enum kube_queue_priority priority)
{
	if (i->active) {
		i->priority = i->dirty && i->priority < priority ? i->priority : priority;
		i->dirty = true;
		return;
	}
	if (list_has(&i->link)) {
		if (priority >= i->priority)
			return;
		list_remove(&i->link);
	}
	i->priority = priority;
	list_add(&q->waiting[priority], &i->link);
}

void kube_queue_add(struct kube_queue *q, const char *key, enum kube_queue_priority priority)
{
	add(q, item_of(q, key), priority);
}

void kube_queue_add_after(struct kube_queue *q, const char *key, int64_t at_ms)
{
	delay(q, item_of(q, key), at_ms);
}

/* When the next retry of any key may come. */
static int64_t take_token(struct kube_queue *q, int64_t now_ms)
{
	int64_t full_ms = now_ms - (int64_t)RETRY_BURST * RETRY_INTERVAL_MS;

	if (q->next_retry_ms < full_ms)
		q->next_retry_ms = full_ms;
	q->next_retry_ms += RETRY_INTERVAL_MS;
	return q->next_retry_ms;
}

static int64_t backoff_ms(const struct kube_queue *q, int failures)
{
	int64_t ms = failures < 40 ? (int64_t)FIRST_BACKOFF_MS << failures : q->max_backoff_ms;

	return ms < q->max_backoff_ms ? ms : q->max_backoff_ms;
}

void kube_queue_add_failed(struct kube_queue *q, const char *key, int64_t now_ms)
{
	struct item *i = item_of(q, key);
	int64_t own_ms = now_ms + backoff_ms(q, i->failures++);
	int64_t shared_ms = take_token(q, now_ms);

	delay(q, i, own_ms > shared_ms ? own_ms : shared_ms);
}

void kube_queue_add_failed_until(struct kube_queue *q, const char *key, int64_t at_ms)
{
	struct item *i = item_of(q, key);

	i->failures++;
	delay(q, i, at_ms);
}

/* ---- taking ---- */

static struct item *pick(struct kube_queue *q)
{
	bool live = q->waiting[KUBE_QUEUE_LIVE].count > 0;
	bool idle = q->waiting[KUBE_QUEUE_IDLE].count > 0;
	bool take_idle = idle && (!live || q->live_in_a_row >= LIVE_IN_A_ROW);

	if (!live && !idle)
		return NULL;
	q->live_in_a_row = take_idle ? 0 : q->live_in_a_row + 1;
	return LIST_FIRST(&q->waiting[take_idle ? KUBE_QUEUE_IDLE : KUBE_QUEUE_LIVE], struct item,
			  link);
}

const char *kube_queue_take(struct kube_queue *q, int64_t now_ms)
{
	struct item *i;

	while (q->heap_len > 0 && q->heap[0]->at_ms <= now_ms)
		add(q, heap_pop(q), KUBE_QUEUE_LIVE);
	i = pick(q);
	if (i == NULL)
		return NULL;
	list_remove(&i->link);
	i->active = true;
	i->dirty = false;
	q->active++;
	return i->key;
}

void kube_queue_done(struct kube_queue *q, const char *key)
{
	struct item *i = map_get(&q->items, key);

	ASSERT(i != NULL && i->active);
	i->active = false;
	q->active--;
	if (i->dirty)
		add(q, i, i->priority);
	i->dirty = false;
	drop_if_unused(q, i);
}

void kube_queue_forget(struct kube_queue *q, const char *key)
{
	struct item *i = map_get(&q->items, key);

	if (i == NULL)
		return;
	i->failures = 0;
	drop_if_unused(q, i);
}

int kube_queue_failures(const struct kube_queue *q, const char *key)
{
	const struct item *i = map_get(&q->items, key);

	return i != NULL ? i->failures : 0;
}

int64_t kube_queue_due_ms(const struct kube_queue *q)
{
	if (kube_queue_depth(q) > 0)
		return INT64_MIN;
	return q->heap_len > 0 ? q->heap[0]->at_ms : INT64_MAX;
}

size_t kube_queue_depth(const struct kube_queue *q)
{
	return q->waiting[KUBE_QUEUE_LIVE].count + q->waiting[KUBE_QUEUE_IDLE].count;
}

size_t kube_queue_active(const struct kube_queue *q)
{
	return q->active;
}
