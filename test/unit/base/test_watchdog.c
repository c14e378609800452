/* test_watchdog.c - in a child process, because it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/watchdog.h"

/* Standard error of the child goes to the pipe. Returns its exit status. */
static int in_child(void (*fn)(void), char text[256])
{
	int ends[2];
	int status = -1;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(ends[1]);
	n = read(ends[0], text, 255);
	text[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void miss_deadline(void)
{
	struct watchdog *w = NULL;
	struct err err = { 0 };

	if (watchdog_new("last words", &w, &err) < 0)
		_exit(9);
	watchdog_set(w, clock_boot_ms() + 60000);
	watchdog_set(w, clock_boot_ms() + 20);
	poll(NULL, 0, 10000);
}

static void ends_the_process_at_the_deadline_with_its_last_words(void **state)
{
	int64_t start_ms = clock_boot_ms();
	char text[256];

	(void)state;
	assert_int_equal(in_child(miss_deadline, text), 1);
	assert_string_equal(text, "last words\n");
	assert_true(clock_boot_ms() - start_ms < 5000);
}

static void pass_deadline_already(void)
{
	struct watchdog *w = NULL;
	struct err err = { 0 };

	if (watchdog_new("late", &w, &err) < 0)
		_exit(9);
	watchdog_set(w, -5);
	poll(NULL, 0, 10000);
}

static void a_deadline_that_has_passed_ends_it_at_once(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(in_child(pass_deadline_already, text), 1);
	assert_string_equal(text, "late\n");
}

static void renew_and_disarm(void)
{
	struct watchdog *w = NULL;
	struct err err = { 0 };

	if (watchdog_new("wrong", &w, &err) < 0)
		_exit(9);
	for (int i = 0; i < 5; i++) {
		watchdog_set(w, clock_boot_ms() + 30);
		poll(NULL, 0, 5);
	}
	watchdog_set(w, INT64_MAX);
	poll(NULL, 0, 50);
	watchdog_free(w);
}

static void lives_on_while_it_is_renewed_or_disarmed(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(in_child(renew_and_disarm, text), 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_the_process_at_the_deadline_with_its_last_words),
		cmocka_unit_test(a_deadline_that_has_passed_ends_it_at_once),
		cmocka_unit_test(lives_on_while_it_is_renewed_or_disarmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
