/* watchdog.c - see watchdog.h. */
#include "base/watchdog.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

struct watchdog {
	int timer_fd;
	int stop_fd;
	_Atomic int64_t deadline_ms;
	char *last_words; /* owned, with a newline */
	bool has_thread;
	pthread_t thread;
};

static void bark(const struct watchdog *w)
{
	/* If it cannot be written, the exit status still says it. */
	if (write(STDERR_FILENO, w->last_words, strlen(w->last_words)) < 0)
		_exit(1);
	_exit(1);
}

static void *watch(void *arg)
{
	struct watchdog *w = arg;
	struct pollfd fds[] = { { .fd = w->timer_fd, .events = POLLIN },
				{ .fd = w->stop_fd, .events = POLLIN } };

	for (;;) {
		uint64_t count;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			bark(w);
		if (fds[1].revents != 0)
			return NULL;
		if (clock_boot_ms() >= atomic_load(&w->deadline_ms))
			bark(w);
		/* It was set anew between the timer's end and now. */
		if (read(w->timer_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
			bark(w);
	}
}

static int start(struct watchdog *w, struct err *err)
{
	int rc;

	w->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->timer_fd < 0)
		return err_errno(err, errno, "timerfd");
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (w->stop_fd < 0)
		return err_errno(err, errno, "eventfd");
	rc = pthread_create(&w->thread, NULL, watch, w);
	if (rc != 0)
		return err_errno(err, rc, "start a thread");
	w->has_thread = true;
	return 0;
}

int watchdog_new(const char *last_words, struct watchdog **ret, struct err *err)
{
	struct watchdog *w = NEW(struct watchdog);
	AUTO(buf_done) struct buf words = { .max = 1024 };

	buf_note(&words, "%s\n", last_words);
	w->last_words = buf_take(&words);
	w->timer_fd = -1;
	w->stop_fd = -1;
	atomic_store(&w->deadline_ms, INT64_MAX);
	if (start(w, err) < 0) {
		watchdog_free(w);
		return err_wrap(err, "watchdog");
	}
	*ret = w;
	return 0;
}

void watchdog_free(struct watchdog *w)
{
	uint64_t one = 1;

	if (w == NULL)
		return;
	watchdog_set(w, INT64_MAX);
	if (w->has_thread) {
		ASSERT(write(w->stop_fd, &one, sizeof(one)) == (ssize_t)sizeof(one));
		ASSERT(pthread_join(w->thread, NULL) == 0);
	}
	file_closep(&w->timer_fd);
	file_closep(&w->stop_fd);
	mem_free(w->last_words);
	mem_free(w);
}

void watchdog_set(struct watchdog *w, int64_t deadline_boot_ms)
{
	struct itimerspec at = { 0 };

	atomic_store(&w->deadline_ms, deadline_boot_ms);
	if (w->timer_fd < 0)
		return;
	if (deadline_boot_ms != INT64_MAX) {
		int64_t ms = deadline_boot_ms > 0 ? deadline_boot_ms : 1; /* 0 would disarm */

		at.it_value.tv_sec = ms / 1000;
		at.it_value.tv_nsec = ms % 1000 * 1000000;
	}
	ASSERT(timerfd_settime(w->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0);
}
