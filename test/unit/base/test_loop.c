/* test_loop.c - turn order, synchronous free, posting from threads, signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"

struct note {
	struct buf *to;
	const char *text;
	struct loop *loop;
};

static void on_note(void *arg)
{
	struct note *n = arg;

	buf_note(n->to, "%s ", n->text);
}

static void on_fd_note(void *arg, int ready)
{
	struct note *n = arg;

	buf_note(n->to, "%s%s ", n->text, ready & LOOP_READ ? "R" : "");
}

static struct loop *new_loop(void)
{
	struct err err = { 0 };
	struct loop *l = NULL;

	assert_int_equal(loop_new(&l, &err), 0);
	return l;
}

static void runs_timers_then_descriptors_then_posted_functions(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 1000 };
	struct note t1 = { &b, "late", l };
	struct note t2 = { &b, "early", l };
	struct note f = { &b, "fd", l };
	struct note p = { &b, "posted", l };
	struct timer *late = timer_new(l, "late", on_note, &t1);
	struct timer *early = timer_new(l, "early", on_note, &t2);
	struct fd_watch *w = NULL;
	struct err err = { 0 };
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	loop_post(l, on_note, &p);
	assert_int_equal(fd_watch_new(l, "fd", ends[0], LOOP_READ, on_fd_note, &f, &w, &err), 0);
	timer_start_at(late, loop_now_ms(l) - 1);
	timer_start_at(early, loop_now_ms(l) - 2);
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "early late fdR posted ");
	assert_false(timer_is_running(late));
	timer_free(late);
	timer_free(early);
	fd_watch_free(w);
	close(ends[0]);
	close(ends[1]);
}

static struct timer *again;

static void on_start_again(void *arg)
{
	on_note(arg);
	timer_start(again, -5);
}

static void a_timer_started_by_a_callback_waits_for_the_next_turn(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 1000 };
	struct note n = { &b, "t", l };

	(void)state;
	again = timer_new(l, "again", on_start_again, &n);
	timer_start(again, 0);
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "t ");
	assert_true(timer_is_running(again));
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "t t ");
	timer_free(again);
}

static struct timer *victims[2];

static void on_free_both(void *arg)
{
	on_note(arg);
	timer_free(victims[0]);
	timer_free(victims[1]);
}

static void a_callback_may_free_itself_and_a_due_neighbour(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 1000 };
	struct note n = { &b, "once", l };

	(void)state;
	for (int i = 0; i < 2; i++) {
		victims[i] = timer_new(l, "victim", on_free_both, &n);
		timer_start(victims[i], 0);
	}
	loop_turn(l, 0);
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "once ");
}

static struct fd_watch *watches[2];

static void on_free_watches(void *arg, int ready)
{
	on_fd_note(arg, ready);
	fd_watch_free(watches[0]);
	fd_watch_free(watches[1]);
}

static void no_callback_comes_after_a_watch_was_freed(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 1000 };
	struct note n = { &b, "w", l };
	struct err err = { 0 };
	int fds[2][2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(fds[i]), 0);
		assert_int_equal(write(fds[i][1], "x", 1), 1);
		assert_int_equal(fd_watch_new(l, "w", fds[i][0], LOOP_READ, on_free_watches, &n,
					      &watches[i], &err),
				 0);
	}
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "wR ");
	for (int i = 0; i < 4; i++)
		close(fds[i / 2][i % 2]);
}

static void orders_many_timers_by_deadline(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 4000 };
	struct note notes[100];
	struct timer *timers[100];
	char names[100][8];
	char want[1000] = "";

	(void)state;
	for (int i = 0; i < 100; i++) {
		int at = (i * 37) % 100;

		names[i][0] = (char)('A' + at / 10);
		names[i][1] = (char)('0' + at % 10);
		names[i][2] = '\0';
		notes[i] = (struct note){ &b, names[i], l };
		timers[i] = timer_new(l, "t", on_note, &notes[i]);
		timer_start_at(timers[i], loop_now_ms(l) - 1000 + at);
	}
	for (int i = 0; i < 100; i += 2) /* every second one is taken out again */
		timer_stop(timers[i]);
	for (int at = 0; at < 100; at++) {
		int i = 0;

		while ((i * 37) % 100 != at)
			i++;
		if (i % 2 == 1) {
			size_t n = strlen(want);

			memcpy(want + n, names[i], 2);
			memcpy(want + n + 2, " ", 2);
		}
	}
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), want);
	for (int i = 0; i < 100; i++)
		timer_free(timers[i]);
}

static void on_count(void *arg)
{
	++*(int *)arg;
}

static void runs_at_most_the_budget_in_one_turn(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	int count = 0;

	(void)state;
	for (int i = 0; i < LOOP_BUDGET + 10; i++)
		loop_post(l, on_count, &count);
	loop_turn(l, 0);
	assert_int_equal(count, LOOP_BUDGET);
	loop_turn(l, -1);
	assert_int_equal(count, LOOP_BUDGET + 10);
}

static void on_stop(void *arg)
{
	loop_stop(arg);
}

static void *post_from_thread(void *arg)
{
	loop_post(arg, on_stop, arg);
	return NULL;
}

static void a_post_from_another_thread_ends_the_wait(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	int64_t start_ms = clock_boot_ms();
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, post_from_thread, l), 0);
	loop_run(l);
	assert_true(clock_boot_ms() - start_ms < 5000);
	pthread_join(thread, NULL);
}

static void own_wait(void *arg, int epoll_fd, int timeout_ms)
{
	struct epoll_event ev;

	++((int *)arg)[0];
	(void)epoll_wait(epoll_fd, &ev, 1, timeout_ms);
}

static void own_wake(void *arg)
{
	++((int *)arg)[1];
}

static void own_ready(void *arg)
{
	++((int *)arg)[2];
}

static void the_wait_can_be_replaced(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 100 };
	struct note p = { &b, "posted", l };
	int counts[3] = { 0 };

	(void)state;
	loop_set_wait(l, own_wait, own_wake, own_ready, counts);
	loop_post(l, on_note, &p);
	loop_post(l, on_note, &p);
	loop_turn(l, 1000);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], 1);
	assert_int_equal(counts[2], 1);
	assert_string_equal(buf_str(&b), "posted posted ");
	loop_set_wait(l, NULL, NULL, NULL, NULL);
}

static void on_signal(void *arg, int sig)
{
	*(int *)arg = sig;
}

static void signals_come_as_callbacks(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	struct err err = { 0 };
	int seen = 0;

	(void)state;
	assert_int_equal(loop_on_signals(l, (int[]){ SIGUSR1, 0 }, on_signal, &seen, &err), 0);
	kill(getpid(), SIGUSR1);
	for (int i = 0; i < 100 && seen == 0; i++)
		loop_turn(l, 100);
	assert_int_equal(seen, SIGUSR1);
}

static void reports_a_hangup_even_if_nothing_was_asked(void **state)
{
	AUTO(loop_freep) struct loop *l = new_loop();
	AUTO(buf_done) struct buf b = { .max = 100 };
	struct note n = { &b, "hup", l };
	struct fd_watch *w = NULL;
	struct err err = { 0 };
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fd_watch_new(l, "w", ends[0], 0, on_fd_note, &n, &w, &err), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "");
	close(ends[1]);
	loop_turn(l, 0);
	assert_string_equal(buf_str(&b), "hup ");
	fd_watch_free(w);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_timers_then_descriptors_then_posted_functions),
		cmocka_unit_test(a_timer_started_by_a_callback_waits_for_the_next_turn),
		cmocka_unit_test(a_callback_may_free_itself_and_a_due_neighbour),
		cmocka_unit_test(no_callback_comes_after_a_watch_was_freed),
		cmocka_unit_test(orders_many_timers_by_deadline),
		cmocka_unit_test(runs_at_most_the_budget_in_one_turn),
		cmocka_unit_test(a_post_from_another_thread_ends_the_wait),
		cmocka_unit_test(the_wait_can_be_replaced),
		cmocka_unit_test(signals_come_as_callbacks),
		cmocka_unit_test(reports_a_hangup_even_if_nothing_was_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
