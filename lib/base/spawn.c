/* spawn.c - posix_spawn with an exact set of descriptors; see spawn.h. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

enum {
	MAX_FDS = 32,
	MAX_CHILD_FD = 255,
	READ_BYTES = 16384,
};

struct prepared {
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int copies[MAX_FDS]; /* owned: duplicates above every child number */
	size_t copy_count;
};

static void prepared_done(struct prepared *p)
{
	posix_spawn_file_actions_destroy(&p->actions);
	posix_spawnattr_destroy(&p->attr);
	for (size_t i = 0; i < p->copy_count; i++)
		file_closep(&p->copies[i]);
}

static bool is_mapped(const struct spawn_spec *spec, int child)
{
	for (size_t i = 0; i < spec->fd_count; i++)
		if (spec->fds[i].child == child)
			return true;
	return false;
}

static void close_others(struct prepared *p, const struct spawn_spec *spec, int highest)
{
	for (int fd = 0; fd <= highest; fd++) {
		if (is_mapped(spec, fd))
			continue;
		if (fd <= STDERR_FILENO)
			ASSERT(posix_spawn_file_actions_addopen(&p->actions, fd, "/dev/null",
								O_RDWR, 0) == 0);
		else
			ASSERT(posix_spawn_file_actions_addclose(&p->actions, fd) == 0);
	}
	ASSERT(posix_spawn_file_actions_addclosefrom_np(&p->actions, highest + 1) == 0);
}

/* Copies first, so that no dup2 in the child overwrites a descriptor that a later one needs. */
static int add_fds(struct prepared *p, const struct spawn_spec *spec, struct err *err)
{
	int highest = STDERR_FILENO;

	ASSERT(spec->fd_count <= MAX_FDS);
	for (size_t i = 0; i < spec->fd_count; i++) {
		const struct spawn_fd *f = &spec->fds[i];
		int copy = fcntl(f->parent, F_DUPFD_CLOEXEC, MAX_CHILD_FD + 1);

		ASSERT(f->child >= 0 && f->child <= MAX_CHILD_FD);
		if (copy < 0)
			return err_errno(err, errno, "descriptor %d", f->parent);
		p->copies[p->copy_count++] = copy;
		ASSERT(posix_spawn_file_actions_adddup2(&p->actions, copy, f->child) == 0);
		highest = f->child > highest ? f->child : highest;
	}
	close_others(p, spec, highest);
	return 0;
}

/* The loop blocks the signals that it reads from a signalfd; a child starts with none blocked. */
static void add_attributes(struct prepared *p, const struct spawn_spec *spec)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none;
	sigset_t all;

	sigemptyset(&none);
	sigfillset(&all);
	ASSERT(posix_spawnattr_setsigmask(&p->attr, &none) == 0);
	ASSERT(posix_spawnattr_setsigdefault(&p->attr, &all) == 0);
	if (spec->own_group) {
		flags |= POSIX_SPAWN_SETPGROUP;
		ASSERT(posix_spawnattr_setpgroup(&p->attr, 0) == 0);
	}
	ASSERT(posix_spawnattr_setflags(&p->attr, flags) == 0);
}

int spawn_start(const struct spawn_spec *spec, pid_t *ret_pid, struct err *err)
{
	static char *const no_env[] = { NULL };
	AUTO(prepared_done) struct prepared p = { 0 };
	char *const *argv;
	char *const *env;
	pid_t pid;
	int rc;

	ASSERT(posix_spawn_file_actions_init(&p.actions) == 0);
	ASSERT(posix_spawnattr_init(&p.attr) == 0);
	if (add_fds(&p, spec, err) < 0)
		return err_wrap(err, "start %s", spec->path);
	add_attributes(&p, spec);
	/* posix_spawn takes pointers to char for historical reasons and does not write. */
	memcpy(&argv, &spec->argv, sizeof(argv));
	memcpy(&env, &spec->env, sizeof(env));
	rc = posix_spawn(&pid, spec->path, &p.actions, &p.attr, argv, env ? env : no_env);
	if (rc != 0)
		return err_errno(err, rc, "start %s", spec->path);
	*ret_pid = pid;
	return 0;
}

struct running {
	pid_t pid;
	bool own_group;
	int pid_fd;
	int out_fd;
	int64_t deadline_ms;
};

static void running_done(struct running *r)
{
	file_closep(&r->pid_fd);
	file_closep(&r->out_fd);
}

static void kill_and_reap(const struct running *r)
{
	int status;

	kill(r->own_group ? -r->pid : r->pid, SIGKILL);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
}

/* 1 = readable, 0 = time over */
static int wait_readable(int fd, int64_t deadline_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left_ms = deadline_ms - clock_boot_ms();
		int n = left_ms > 0 ? poll(&p, 1, (int)left_ms) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		return n > 0;
	}
}

static int collect(struct running *r, struct buf *out, struct err *err)
{
	for (;;) {
		char bytes[READ_BYTES];
		ssize_t n;

		if (!wait_readable(r->out_fd, r->deadline_ms))
			return err_set(err, ERR_TIMEOUT, "no end in time");
		n = read(r->out_fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "read output");
		if (n == 0)
			return 0;
		if (buf_add(out, bytes, (size_t)n, err) < 0)
			return err_wrap(err, "output");
	}
}

static int finish(struct running *r, struct buf *out, int *ret_status, struct err *err)
{
	int status;

	if (collect(r, out, err) < 0)
		return err->code;
	if (!wait_readable(r->pid_fd, r->deadline_ms))
		return err_set(err, ERR_TIMEOUT, "no end in time");
	while (waitpid(r->pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_errno(err, errno, "wait");
	*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}

static int start_with_pipe(const struct spawn_spec *spec, struct running *r, struct err *err)
{
	struct spawn_fd fds[MAX_FDS];
	struct spawn_spec with_out = *spec;
	int ends[2];
	int rc;

	ASSERT(spec->fd_count < MAX_FDS && !is_mapped(spec, STDOUT_FILENO));
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	r->out_fd = ends[0];
	if (spec->fd_count > 0)
		memcpy(fds, spec->fds, spec->fd_count * sizeof(fds[0]));
	fds[with_out.fd_count++] = (struct spawn_fd){ .parent = ends[1], .child = STDOUT_FILENO };
	with_out.fds = fds;
	rc = spawn_start(&with_out, &r->pid, err);
	close(ends[1]);
	return rc;
}

int spawn_run(const struct spawn_spec *spec, struct buf *out, int timeout_ms, int *ret_status,
	      struct err *err)
{
	AUTO(running_done)
	struct running r = { .own_group = spec->own_group,
			     .pid_fd = -1,
			     .out_fd = -1,
			     .deadline_ms = clock_boot_ms() + timeout_ms };

	if (start_with_pipe(spec, &r, err) < 0)
		return err->code;
	r.pid_fd = pidfd_open(r.pid, 0);
	if (r.pid_fd < 0) {
		err_errno(err, errno, "pidfd_open");
		kill_and_reap(&r);
		return err->code;
	}
	if (finish(&r, out, ret_status, err) < 0) {
		kill_and_reap(&r);
		return err_wrap(err, "%s", spec->path);
	}
	return 0;
}

int spawn_sibling(const char *name, char **ret_path, struct err *err)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	AUTO(buf_done) struct buf b = { .max = 2 * sizeof(self) };
	size_t folder;

	if (n < 0)
		return err_errno(err, errno, "readlink /proc/self/exe");
	folder = (size_t)n;
	while (folder > 0 && self[folder - 1] != '/')
		folder--;
	if (buf_add(&b, self, folder, err) < 0 || buf_adds(&b, name, err) < 0)
		return err->code;
	*ret_path = buf_take(&b);
	return 0;
}
