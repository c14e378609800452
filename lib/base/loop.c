/* loop.c - timers in a heap, descriptors in epoll, posted functions in a list; see loop.h. */
#include "base/loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	SLOW_CALLBACK_MS = 50,
	/* epoll counts CLOCK_MONOTONIC, which stands still while the machine is suspended. */
	LONGEST_WAIT_MS = 10000,
};

struct post {
	struct post *next; /* owned by the loop */
	loop_fn fn;
	void *arg; /* borrowed: its caller's business */
};

struct loop {
	pthread_t owner;
	int epoll_fd;
	int event_fd;
	int64_t now_ms;
	bool stopping;
	bool in_turn;

	struct timer **heap; /* owned array of borrowed timers */
	size_t heap_len;
	size_t heap_cap;
	uint64_t next_seq;
	struct list due;
	size_t timer_count;

	struct list ready;
	size_t watch_count;
	struct signal_watch *signals; /* owned; NULL = none */

	pthread_mutex_t lock;  /* guards what follows: other threads post */
	struct post *first;    /* owned */
	struct post **last_at; /* borrowed: where to hang the next one */
	size_t post_count;
	loop_wait_fn wait; /* NULL = epoll_wait */
	loop_fn wake;
	loop_fn wait_ready;
	void *wait_arg; /* borrowed */
};

struct timer {
	struct loop *loop; /* borrowed */
	const char *name;  /* static */
	loop_fn fn;
	void *arg; /* borrowed */
	int64_t at_ms;
	uint64_t seq;
	size_t heap_at; /* index + 1; 0 = not in the heap */
	struct list_link due_link;
};

struct fd_watch {
	struct loop *loop; /* borrowed */
	const char *name;  /* static */
	int fd;
	int events;
	int ready;
	fd_watch_fn fn;
	void *arg; /* borrowed */
	struct list_link ready_link;
};

struct signal_watch {
	int fd;
	struct fd_watch *watch; /* owned */
	void (*fn)(void *arg, int sig);
	void *arg; /* borrowed */
};

static void assert_owner(const struct loop *l)
{
	ASSERT(pthread_equal(l->owner, pthread_self()));
}

/* ---- life ---- */

static int open_descriptors(struct loop *l, struct err *err)
{
	struct epoll_event ev = { .events = EPOLLIN };

	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd < 0)
		return err_errno(err, errno, "epoll_create");
	l->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->event_fd < 0)
		return err_errno(err, errno, "eventfd");
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->event_fd, &ev) < 0)
		return err_errno(err, errno, "epoll_ctl");
	return 0;
}

int loop_new(struct loop **ret, struct err *err)
{
	AUTO(loop_freep) struct loop *l = NEW(struct loop);

	l->owner = pthread_self();
	l->epoll_fd = -1;
	l->event_fd = -1;
	l->last_at = &l->first;
	l->now_ms = clock_boot_ms();
	ASSERT(pthread_mutex_init(&l->lock, NULL) == 0);
	if (open_descriptors(l, err) < 0)
		return err_wrap(err, "event loop");
	*ret = MOVE(l);
	return 0;
}

static void free_signals(struct loop *l)
{
	if (l->signals == NULL)
		return;
	fd_watch_free(l->signals->watch);
	file_closep(&l->signals->fd);
	mem_free(l->signals);
	l->signals = NULL;
}

void loop_free(struct loop *l)
{
	if (l == NULL)
		return;
	assert_owner(l);
	ASSERT(!l->in_turn);
	free_signals(l);
	ASSERT(l->timer_count == 0);
	ASSERT(l->watch_count == 0);
	while (l->first != NULL) {
		struct post *p = l->first;

		l->first = p->next;
		mem_free(p);
	}
	file_closep(&l->event_fd);
	file_closep(&l->epoll_fd);
	mem_free(l->heap);
	pthread_mutex_destroy(&l->lock);
	mem_free(l);
}

void loop_freep(struct loop **l)
{
	loop_free(*l);
	*l = NULL;
}

int64_t loop_now_ms(const struct loop *l)
{
	assert_owner(l);
	return l->now_ms;
}

/* ---- timers: a binary heap by (deadline, order of start) ---- */

static bool is_before(const struct timer *a, const struct timer *b)
{
	return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->seq < b->seq;
}

static void heap_put(struct loop *l, size_t i, struct timer *t)
{
	l->heap[i] = t;
	t->heap_at = i + 1;
}

static void heap_up(struct loop *l, size_t i, struct timer *t)
{
	while (i > 0 && is_before(t, l->heap[(i - 1) / 2])) {
		heap_put(l, i, l->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_put(l, i, t);
}

static void heap_down(struct loop *l, size_t i, struct timer *t)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= l->heap_len)
			break;
		if (child + 1 < l->heap_len && is_before(l->heap[child + 1], l->heap[child]))
			child++;
		if (!is_before(l->heap[child], t))
			break;
		heap_put(l, i, l->heap[child]);
		i = child;
	}
	heap_put(l, i, t);
}

static void heap_remove(struct loop *l, struct timer *t)
{
	size_t i = t->heap_at - 1;
	struct timer *moved = l->heap[--l->heap_len];

	t->heap_at = 0;
	if (moved == t)
		return;
	if (is_before(moved, t))
		heap_up(l, i, moved);
	else
		heap_down(l, i, moved);
}

struct timer *timer_new(struct loop *l, const char *name, loop_fn fn, void *arg)
{
	struct timer *t = NEW(struct timer);

	assert_owner(l);
	t->loop = l;
	t->name = name;
	t->fn = fn;
	t->arg = arg;
	l->timer_count++;
	return t;
}

void timer_free(struct timer *t)
{
	if (t == NULL)
		return;
	timer_stop(t);
	t->loop->timer_count--;
	mem_free(t);
}

void timer_start(struct timer *t, int64_t delay_ms)
{
	timer_start_at(t, t->loop->now_ms + (delay_ms > 0 ? delay_ms : 0));
}

void timer_start_at(struct timer *t, int64_t at_boot_ms)
{
	struct loop *l = t->loop;

	timer_stop(t);
	t->at_ms = at_boot_ms;
	t->seq = l->next_seq++;
	mem_reserve(&l->heap, &l->heap_cap, l->heap_len, sizeof(struct timer *));
	heap_up(l, l->heap_len++, t);
}

void timer_stop(struct timer *t)
{
	assert_owner(t->loop);
	if (t->heap_at > 0)
		heap_remove(t->loop, t);
	list_remove(&t->due_link);
}

bool timer_is_running(const struct timer *t)
{
	return t->heap_at > 0 || list_has(&t->due_link);
}

/* ---- descriptors ---- */

static uint32_t to_epoll(int events)
{
	return ((events & LOOP_READ) ? EPOLLIN : 0u) | ((events & LOOP_WRITE) ? EPOLLOUT : 0u);
}

static int from_epoll(uint32_t events)
{
	return ((events & EPOLLIN) ? LOOP_READ : 0) | ((events & EPOLLOUT) ? LOOP_WRITE : 0) |
	       ((events & (EPOLLHUP | EPOLLERR)) ? LOOP_HANGUP : 0);
}

/* Eight parameters: a struct for them would only hide that all are needed. */
/* NOLINTNEXTLINE(readability-function-size) */
int fd_watch_new(struct loop *l, const char *name, int fd, int events, fd_watch_fn fn, void *arg,
		 struct fd_watch **ret, struct err *err)
{
	struct fd_watch *w = NEW(struct fd_watch);
	struct epoll_event ev = { .events = to_epoll(events), .data.ptr = w };

	assert_owner(l);
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0) {
		mem_free(w);
		return err_errno(err, errno, "watch %s", name);
	}
	w->loop = l;
	w->name = name;
	w->fd = fd;
	w->events = events;
	w->fn = fn;
	w->arg = arg;
	l->watch_count++;
	*ret = w;
	return 0;
}

void fd_watch_set(struct fd_watch *w, int events)
{
	struct epoll_event ev = { .events = to_epoll(events), .data.ptr = w };

	assert_owner(w->loop);
	if (events == w->events)
		return;
	w->events = events;
	ASSERT(epoll_ctl(w->loop->epoll_fd, EPOLL_CTL_MOD, w->fd, &ev) == 0);
}

void fd_watch_free(struct fd_watch *w)
{
	struct epoll_event ev = { 0 };

	if (w == NULL)
		return;
	assert_owner(w->loop);
	/* Fails only if the caller closed the descriptor too early, which removed it as well. */
	(void)epoll_ctl(w->loop->epoll_fd, EPOLL_CTL_DEL, w->fd, &ev);
	list_remove(&w->ready_link);
	w->loop->watch_count--;
	mem_free(w);
}

/* ---- signals ---- */

static void on_signal_fd(void *arg, int ready)
{
	struct signal_watch *s = arg;
	struct signalfd_siginfo si;

	(void)ready;
	if (read(s->fd, &si, sizeof(si)) == (ssize_t)sizeof(si))
		s->fn(s->arg, (int)si.ssi_signo);
}

int loop_on_signals(struct loop *l, const int *signals, void (*fn)(void *arg, int sig), void *arg,
		    struct err *err)
{
	struct signal_watch *s = NEW(struct signal_watch);
	sigset_t set;

	ASSERT(l->signals == NULL);
	sigemptyset(&set);
	for (size_t i = 0; signals[i] != 0; i++)
		sigaddset(&set, signals[i]);
	*s = (struct signal_watch){ .fn = fn, .arg = arg, .fd = -1 };
	l->signals = s;
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0) {
		free_signals(l);
		return err_errno(err, errno, "signalfd");
	}
	if (fd_watch_new(l, "signals", s->fd, LOOP_READ, on_signal_fd, s, &s->watch, err) < 0) {
		free_signals(l);
		return err->code;
	}
	ASSERT(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	return 0;
}

/* ---- posted functions ---- */

static void wake_locked(struct loop *l)
{
	uint64_t one = 1;

	if (l->wake != NULL)
		l->wake(l->wait_arg);
	/* Full is as good as written: it wakes either way. */
	else if (write(l->event_fd, &one, sizeof(one)) < 0)
		ASSERT(errno == EAGAIN);
}

void loop_post(struct loop *l, loop_fn fn, void *arg)
{
	struct post *p = NEW(struct post);

	*p = (struct post){ .fn = fn, .arg = arg };
	pthread_mutex_lock(&l->lock);
	if (l->first == NULL)
		wake_locked(l);
	*l->last_at = p;
	l->last_at = &p->next;
	l->post_count++;
	pthread_mutex_unlock(&l->lock);
}

void loop_defer(struct loop *l, loop_fn fn, void *arg)
{
	assert_owner(l);
	loop_post(l, fn, arg);
}

static size_t posted(struct loop *l)
{
	size_t n;

	pthread_mutex_lock(&l->lock);
	n = l->post_count;
	pthread_mutex_unlock(&l->lock);
	return n;
}

static struct post *take_post(struct loop *l)
{
	struct post *p;

	pthread_mutex_lock(&l->lock);
	p = l->first;
	l->first = p->next;
	if (l->first == NULL)
		l->last_at = &l->first;
	l->post_count--;
	pthread_mutex_unlock(&l->lock);
	return p;
}

void loop_set_wait(struct loop *l, loop_wait_fn wait, loop_fn wake, loop_fn ready, void *arg)
{
	assert_owner(l);
	pthread_mutex_lock(&l->lock);
	l->wait = wait;
	l->wake = wake;
	l->wait_ready = ready;
	l->wait_arg = arg;
	pthread_mutex_unlock(&l->lock);
}

/* ---- one turn ---- */

static void note_slow(const char *name, int64_t start_ms)
{
	int64_t took_ms = clock_boot_ms() - start_ms;

	if (took_ms > SLOW_CALLBACK_MS)
		log_warn("slow callback", kv_str("name", name), kv_int("ms", took_ms));
}

static int wait_ms(struct loop *l, int64_t max_wait_ms)
{
	int64_t ms = LONGEST_WAIT_MS;

	if (posted(l) > 0 || l->stopping)
		return 0;
	if (max_wait_ms >= 0 && max_wait_ms < ms)
		ms = max_wait_ms;
	if (l->heap_len > 0) {
		int64_t left_ms = l->heap[0]->at_ms - clock_boot_ms();

		ms = left_ms < ms ? left_ms : ms;
	}
	return ms > 0 ? (int)ms : 0;
}

static void take_event(struct loop *l, const struct epoll_event *ev)
{
	struct fd_watch *w = ev->data.ptr;
	uint64_t count;

	if (w == NULL) {
		/* Only empties the eventfd; what was posted is in the list. */
		if (read(l->event_fd, &count, sizeof(count)) < 0)
			ASSERT(errno == EAGAIN);
		return;
	}
	w->ready = from_epoll(ev->events);
	if (!list_has(&w->ready_link))
		list_add(&l->ready, &w->ready_link);
}

static void wait_for_events(struct loop *l, int timeout_ms)
{
	struct epoll_event events[LOOP_BUDGET];
	int n;

	if (l->wait != NULL) {
		l->wait(l->wait_arg, l->epoll_fd, timeout_ms);
		timeout_ms = 0;
	}
	n = epoll_wait(l->epoll_fd, events, LOOP_BUDGET, timeout_ms);
	ASSERT(n >= 0 || errno == EINTR);
	for (int i = 0; i < n; i++)
		take_event(l, &events[i]);
}

static void run_timers(struct loop *l)
{
	while (l->heap_len > 0 && l->heap[0]->at_ms <= l->now_ms && l->due.count < LOOP_BUDGET) {
		struct timer *t = l->heap[0];

		heap_remove(l, t);
		list_add(&l->due, &t->due_link);
	}
	while (l->due.first != NULL) {
		struct timer *t = LIST_FIRST(&l->due, struct timer, due_link);
		const char *name = t->name;
		int64_t start_ms = clock_boot_ms();

		list_remove(&t->due_link);
		t->fn(t->arg);
		note_slow(name, start_ms);
	}
}

static void run_ready(struct loop *l)
{
	while (l->ready.first != NULL) {
		struct fd_watch *w = LIST_FIRST(&l->ready, struct fd_watch, ready_link);
		const char *name = w->name;
		int64_t start_ms = clock_boot_ms();
		int ready = w->ready & (w->events | LOOP_HANGUP);

		list_remove(&w->ready_link);
		if (ready == 0)
			continue;
		w->fn(w->arg, ready);
		note_slow(name, start_ms);
	}
}

static void run_posted(struct loop *l, size_t count)
{
	for (size_t i = 0; i < count && i < LOOP_BUDGET; i++) {
		struct post *p = take_post(l);
		int64_t start_ms = clock_boot_ms();

		p->fn(p->arg);
		mem_free(p);
		note_slow("posted", start_ms);
	}
}

void loop_turn(struct loop *l, int64_t max_wait_ms)
{
	size_t count;

	assert_owner(l);
	ASSERT(!l->in_turn);
	l->in_turn = true;
	wait_for_events(l, wait_ms(l, max_wait_ms));
	l->now_ms = clock_boot_ms();
	count = posted(l);
	run_timers(l);
	if (l->wait_ready != NULL)
		l->wait_ready(l->wait_arg);
	run_ready(l);
	run_posted(l, count);
	l->in_turn = false;
}

void loop_run(struct loop *l)
{
	while (!l->stopping)
		loop_turn(l, -1);
	l->stopping = false;
}

void loop_stop(struct loop *l)
{
	assert_owner(l);
	l->stopping = true;
}
