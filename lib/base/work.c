/* work.c - the worker pool and the fork-join team; see work.h. */
#include "base/work.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "base/mem.h"

enum { MAX_WAITING = 1024 };

struct piece {
	void (*run)(void *item);
	void (*done)(void *item);
	void *item; /* borrowed: its submitter's */
	struct list_link link;
};

struct work_pool {
	int event_fd;
	struct fd_watch *watch; /* owned */
	pthread_t *threads;     /* owned */
	size_t thread_count;
	bool *freed; /* borrowed: set when done() frees the pool; NULL outside of done() */

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct list waiting; /* pieces, owned */
	struct list finished;
	bool stopping;
};

static struct piece *next_piece(struct work_pool *p)
{
	struct piece *w;

	while (p->waiting.count == 0 && !p->stopping)
		pthread_cond_wait(&p->more, &p->lock);
	if (p->stopping)
		return NULL;
	w = LIST_FIRST(&p->waiting, struct piece, link);
	list_remove(&w->link);
	return w;
}

static void *worker(void *arg)
{
	struct work_pool *p = arg;
	uint64_t one = 1;
	struct piece *w;

	pthread_mutex_lock(&p->lock);
	while ((w = next_piece(p)) != NULL) {
		pthread_mutex_unlock(&p->lock);
		w->run(w->item);
		pthread_mutex_lock(&p->lock);
		list_add(&p->finished, &w->link);
		if (write(p->event_fd, &one, sizeof(one)) < 0)
			ASSERT(errno == EAGAIN);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static struct piece *take_finished(struct work_pool *p)
{
	struct piece *w;

	pthread_mutex_lock(&p->lock);
	w = LIST_FIRST(&p->finished, struct piece, link);
	if (w != NULL)
		list_remove(&w->link);
	pthread_mutex_unlock(&p->lock);
	return w;
}

static void finish(struct piece *w)
{
	w->done(w->item);
	mem_free(w);
}

static void on_finished(void *arg, int ready)
{
	struct work_pool *p = arg;
	bool freed = false;
	uint64_t count;
	struct piece *w;

	(void)ready;
	if (read(p->event_fd, &count, sizeof(count)) < 0)
		ASSERT(errno == EAGAIN);
	p->freed = &freed;
	while (!freed && (w = take_finished(p)) != NULL)
		finish(w);
	if (!freed)
		p->freed = NULL;
}

int work_pool_new(struct loop *l, int threads, struct work_pool **ret, struct err *err)
{
	struct work_pool *p = NEW(struct work_pool);

	ASSERT(threads > 0);
	ASSERT(pthread_mutex_init(&p->lock, NULL) == 0);
	ASSERT(pthread_cond_init(&p->more, NULL) == 0);
	p->threads = NEW_ARRAY(pthread_t, (size_t)threads);
	p->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->event_fd < 0) {
		err_errno(err, errno, "eventfd");
		work_pool_free(p);
		return err_wrap(err, "worker pool");
	}
	if (fd_watch_new(l, "work", p->event_fd, LOOP_READ, on_finished, p, &p->watch, err) < 0) {
		work_pool_free(p);
		return err_wrap(err, "worker pool");
	}
	for (int i = 0; i < threads; i++) {
		int rc = pthread_create(&p->threads[i], NULL, worker, p);

		if (rc != 0) {
			work_pool_free(p);
			return err_errno(err, rc, "worker pool: start a thread");
		}
		p->thread_count++;
	}
	*ret = p;
	return 0;
}

static void drain(struct list *pieces)
{
	while (pieces->first != NULL) {
		struct piece *w = LIST_FIRST(pieces, struct piece, link);

		list_remove(&w->link);
		finish(w);
	}
}

void work_pool_free(struct work_pool *p)
{
	if (p == NULL)
		return;
	if (p->freed != NULL)
		*p->freed = true;
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->more);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->thread_count; i++)
		ASSERT(pthread_join(p->threads[i], NULL) == 0);
	fd_watch_free(p->watch);
	file_closep(&p->event_fd);
	drain(&p->finished);
	drain(&p->waiting);
	pthread_cond_destroy(&p->more);
	pthread_mutex_destroy(&p->lock);
	mem_free(p->threads);
	mem_free(p);
}

int work_submit(struct work_pool *p, void (*run)(void *item), void (*done)(void *item), void *item,
		struct err *err)
{
	struct piece *w;
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	if (p->waiting.count >= MAX_WAITING || p->stopping) {
		rc = err_set(err, ERR_UNAVAILABLE, "%zu items of work wait already",
			     p->waiting.count);
	} else {
		w = NEW(struct piece);
		*w = (struct piece){ .run = run, .done = done, .item = item };
		list_add(&p->waiting, &w->link);
		pthread_cond_signal(&p->more);
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* ---- the team ----
 *
 * A run is open while `run` is odd. A helper announces itself in `joined` before it looks at
 * `run`, the caller closes the run before it looks at `joined`: so either the helper sees that the
 * run is closed, or the caller waits for it. A helper that wakes too late costs nobody anything.
 */

/* About 20 to 50 us: runs of a kernel with barriers follow each other faster than a futex wakes. */
enum { SPINS = 1000 };

struct work_team {
	pthread_t *threads; /* owned */
	size_t thread_count;

	void (*fn)(void *arg, uint64_t part); /* of the open run */
	void *arg;                            /* borrowed */
	uint64_t parts;

	atomic_uint run; /* futex; odd = open */
	atomic_uint sleepers;
	char apart_1[64]; /* keeps what each part changes out of the line that all read */
	atomic_ullong next_part;
	char apart_2[64];
	atomic_uint joined; /* futex; helpers inside the run */
	atomic_bool caller_sleeps;
	atomic_bool stopping;
};

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void futex_wait(atomic_uint *word, unsigned int seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void do_parts(struct work_team *t)
{
	for (;;) {
		uint64_t part = atomic_fetch_add_explicit(&t->next_part, 1, memory_order_relaxed);

		if (part >= t->parts)
			return;
		t->fn(t->arg, part);
	}
}

static void join_run(struct work_team *t)
{
	atomic_fetch_add(&t->joined, 1);
	if (atomic_load(&t->run) & 1)
		do_parts(t);
	if (atomic_fetch_sub(&t->joined, 1) == 1 && atomic_load(&t->caller_sleeps))
		futex_wake(&t->joined, 1);
}

/* Until `run` is no longer `seen`; returns its value. */
static unsigned int wait_for_run(struct work_team *t, unsigned int seen)
{
	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&t->run, memory_order_relaxed) != seen)
			return atomic_load(&t->run);
		pause_cpu();
	}
	while (atomic_load(&t->run) == seen) {
		atomic_fetch_add(&t->sleepers, 1);
		futex_wait(&t->run, seen);
		atomic_fetch_sub(&t->sleepers, 1);
	}
	return atomic_load(&t->run);
}

static void *helper(void *arg)
{
	struct work_team *t = arg;
	unsigned int seen = 0;

	for (;;) {
		seen = wait_for_run(t, seen);
		if (atomic_load(&t->stopping))
			return NULL;
		if (seen & 1)
			join_run(t);
	}
}

static void wait_for_helpers(struct work_team *t)
{
	unsigned int n;

	for (int i = 0; i < SPINS; i++) {
		if (atomic_load(&t->joined) == 0)
			return;
		pause_cpu();
	}
	atomic_store(&t->caller_sleeps, true);
	while ((n = atomic_load(&t->joined)) != 0)
		futex_wait(&t->joined, n);
	atomic_store(&t->caller_sleeps, false);
}

int work_team_new(int threads, struct work_team **ret, struct err *err)
{
	struct work_team *t = NEW(struct work_team);

	ASSERT(threads > 0);
	t->threads = NEW_ARRAY(pthread_t, (size_t)threads);
	for (int i = 0; i + 1 < threads; i++) {
		int rc = pthread_create(&t->threads[i], NULL, helper, t);

		if (rc != 0) {
			work_team_free(t);
			return err_errno(err, rc, "start a thread");
		}
		t->thread_count++;
	}
	*ret = t;
	return 0;
}

void work_team_free(struct work_team *t)
{
	if (t == NULL)
		return;
	atomic_store(&t->stopping, true);
	atomic_fetch_add(&t->run, 2);
	futex_wake(&t->run, INT_MAX);
	for (size_t i = 0; i < t->thread_count; i++)
		ASSERT(pthread_join(t->threads[i], NULL) == 0);
	mem_free(t->threads);
	mem_free(t);
}

void work_team_run(struct work_team *t, void (*fn)(void *arg, uint64_t part), void *arg,
		   uint64_t parts)
{
	uint64_t wake = parts - 1 < t->thread_count ? parts - 1 : t->thread_count;

	if (parts == 0)
		return;
	t->fn = fn;
	t->arg = arg;
	t->parts = parts;
	atomic_store_explicit(&t->next_part, 0, memory_order_relaxed);
	if (wake == 0) {
		do_parts(t);
		return;
	}
	atomic_fetch_add(&t->run, 1);
	if (atomic_load(&t->sleepers) > 0)
		futex_wake(&t->run, (int)wake);
	do_parts(t);
	atomic_fetch_add(&t->run, 1);
	wait_for_helpers(t);
}
