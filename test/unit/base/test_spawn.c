/* test_spawn.c - what a child gets and what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/text.h"

static struct spawn_spec shell(const char **argv, const char *script)
{
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = script;
	argv[3] = NULL;
	return (struct spawn_spec){ .path = "/bin/sh", .argv = argv };
}

static void collects_output_and_status(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 100 };
	const char *argv[4];
	struct spawn_spec spec = shell(argv, "echo out; exit 3");
	struct err err = { 0 };
	int status = -1;

	(void)state;
	assert_int_equal(spawn_run(&spec, &out, 10000, &status, &err), 0);
	assert_string_equal(buf_str(&out), "out\n");
	assert_int_equal(status, 3);
}

static void a_child_has_no_environment_and_no_other_descriptors(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 4000 };
	const char *argv[4];
	struct spawn_spec spec =
	    shell(argv, "echo \"[$HOME]\"; for f in /proc/self/fd/*; do echo \"${f##*/}\"; done");
	struct err err = { 0 };
	int status = -1;
	int extra = dup(STDERR_FILENO); /* not close-on-exec */

	(void)state;
	assert_int_equal(spawn_run(&spec, &out, 10000, &status, &err), 0);
	/* 3 is the folder that the shell itself reads */
	assert_string_equal(buf_str(&out), "[]\n0\n1\n2\n3\n");
	close(extra);
}

static void descriptors_may_swap_numbers(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 100 };
	const char *argv[4];
	struct spawn_spec spec = shell(argv, "read a <&3; read b <&4; echo $a$b");
	struct err err = { 0 };
	int a[2];
	int b[2];
	int status = -1;

	(void)state;
	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(b), 0);
	assert_int_equal(write(a[1], "A\n", 2), 2);
	assert_int_equal(write(b[1], "B\n", 2), 2);
	spec.fds = (struct spawn_fd[]){ { b[0], 3 }, { a[0], 4 } };
	spec.fd_count = 2;
	assert_int_equal(spawn_run(&spec, &out, 10000, &status, &err), 0);
	assert_string_equal(buf_str(&out), "BA\n");
	close(a[0]);
	close(a[1]);
	close(b[0]);
	close(b[1]);
}

static void a_silent_child_is_killed_in_time(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 100 };
	const char *argv[4];
	struct spawn_spec spec = shell(argv, "cat <&3");
	int64_t start_ms = clock_boot_ms();
	struct err err = { 0 };
	int ends[2];
	int status = -1;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	spec.own_group = true;
	spec.fds = (struct spawn_fd[]){ { ends[0], 3 } };
	spec.fd_count = 1;
	assert_int_equal(spawn_run(&spec, &out, 50, &status, &err), ERR_TIMEOUT);
	assert_true(clock_boot_ms() - start_ms < 5000);
	close(ends[0]);
	close(ends[1]);
}

static void too_much_output_is_refused(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 10 };
	const char *argv[4];
	struct spawn_spec spec = shell(argv, "echo 0123456789abcdef");
	struct err err = { 0 };
	int status = -1;

	(void)state;
	assert_int_equal(spawn_run(&spec, &out, 10000, &status, &err), ERR_TOO_BIG);
}

static void a_missing_program_is_named(void **state)
{
	const char *argv[] = { "x", NULL };
	struct spawn_spec spec = { .path = "/no/such/program", .argv = argv };
	struct err err = { 0 };
	pid_t pid;

	(void)state;
	assert_int_equal(spawn_start(&spec, &pid, &err), ERR_NOT_FOUND);
	assert_string_equal(err.text, "start /no/such/program: ENOENT");
}

static void says_which_signal_ended_it(void **state)
{
	AUTO(buf_done) struct buf out = { .max = 10 };
	const char *argv[4];
	struct spawn_spec spec = shell(argv, "kill -9 $$");
	struct err err = { 0 };
	int status = -1;

	(void)state;
	assert_int_equal(spawn_run(&spec, &out, 10000, &status, &err), 0);
	assert_int_equal(status, 128 + 9);
}

static void finds_a_neighbour_of_this_program(void **state)
{
	AUTO(mem_freep) char *path = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(spawn_sibling("other", &path, &err), 0);
	assert_int_equal(path[0], '/');
	assert_true(text_ends(path, "/other"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collects_output_and_status),
		cmocka_unit_test(a_child_has_no_environment_and_no_other_descriptors),
		cmocka_unit_test(descriptors_may_swap_numbers),
		cmocka_unit_test(a_silent_child_is_killed_in_time),
		cmocka_unit_test(too_much_output_is_refused),
		cmocka_unit_test(a_missing_program_is_named),
		cmocka_unit_test(says_which_signal_ended_it),
		cmocka_unit_test(finds_a_neighbour_of_this_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
