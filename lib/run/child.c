/* child.c - one kwarp-runner process: start, frames, end; see run_int.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/text.h"
#include "run/run_int.h"

enum {
	START_MS = 10000, /* from start to READY, on a machine that is very busy */
	READ_BYTES = 64 * 1024,
	HOW_TEXT = 200,
};

struct run_child {
	struct run_child_spec spec;
	pid_t pid;                     /* 0 once it was reaped */
	int pid_fd;                    /* owned */
	int socket;                    /* owned */
	struct fd_watch *pid_watch;    /* owned */
	struct fd_watch *socket_watch; /* owned */
	struct timer *start_timer;     /* owned */
	struct buf in;
	struct buf out;
	bool is_ready;
	bool was_killed;
	struct buf how; /* why we killed it */
	/* While on_frame runs, free keeps the memory that it reads. */
	bool in_callback;
	bool is_freed;
};

void run_child_freep(struct run_child **c)
{
	run_child_free(*c);
}

static void reap(struct run_child *c, siginfo_t *ret)
{
	while (waitid(P_PID, (id_t)c->pid, ret, WEXITED) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

void run_child_free(struct run_child *c)
{
	siginfo_t end = { 0 };

	if (c == NULL)
		return;
	fd_watch_free(MOVE(c->pid_watch));
	fd_watch_free(MOVE(c->socket_watch));
	timer_free(MOVE(c->start_timer));
	file_closep(&c->socket);
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		reap(c, &end);
	}
	file_closep(&c->pid_fd);
	c->is_freed = true;
	if (c->in_callback)
		return;
	buf_done(&c->in);
	buf_done(&c->out);
	buf_done(&c->how);
	mem_free(c);
}

void run_child_kill(struct run_child *c, const char *reason)
{
	if (c->was_killed || c->pid == 0)
		return;
	c->was_killed = true;
	buf_note(&c->how, "%s", reason);
	kill(c->pid, SIGKILL);
}

/* Words for how a process ended. */
static void describe_end(struct run_child *c, const siginfo_t *end, struct buf *how)
{
	if (c->was_killed)
		buf_note(how, "%s", buf_str(&c->how));
	else if (end->si_code == CLD_EXITED)
		buf_note(how, "exited with status %d", end->si_status);
	else if (end->si_status == SIGSYS)
		buf_note(how, "used a forbidden system call");
	else if (end->si_status == SIGXCPU)
		buf_note(how, "used too much CPU time");
	else
		buf_note(how, "died by signal %d (SIG%s)", end->si_status,
			 sigabbrev_np(end->si_status) ? sigabbrev_np(end->si_status) : "?");
}

static void on_process_end(void *arg, int ready)
{
	struct run_child *c = arg;
	AUTO(buf_done) struct buf how = { .max = HOW_TEXT };
	siginfo_t end = { 0 };
	int signal_number;

	(void)ready;
	reap(c, &end);
	fd_watch_free(MOVE(c->pid_watch));
	fd_watch_free(MOVE(c->socket_watch));
	timer_stop(c->start_timer);
	describe_end(c, &end, &how);
	signal_number = c->was_killed || end.si_code == CLD_EXITED ? 0 : end.si_status;
	c->spec.on_end(c->spec.arg, buf_str(&how), signal_number);
}

bool run_is_foreign_signal(int signal_number)
{
	static const int own[] = { SIGABRT, SIGBUS,  SIGFPE,  SIGILL, SIGSEGV,
				   SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ };

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (own[i] == signal_number)
			return false;
	return signal_number != 0;
}

static int take_ready(struct run_child *c, uint32_t type, struct run_bytes body, struct err *err)
{
	struct run_ready m;

	if (type != RUN_READY)
		return err_set(err, ERR_PROTOCOL, "message %u before READY", type);
	if (run_get_ready(body, &m, err) < 0)
		return err->code;
	if (!text_equal(m.version, KWARP_VERSION))
		return err_set(err, ERR_PROTOCOL,
			       "it is version %s, this program is " KWARP_VERSION, m.version);
	timer_stop(c->start_timer);
	c->is_ready = true;
	if (c->spec.on_ready != NULL)
		c->spec.on_ready(c->spec.arg);
	return 0;
}

/* Hand out every whole frame. Returns false if the child was freed. */
static bool take_frames(struct run_child *c)
{
	struct err err = { 0 };

	while (!c->was_killed) {
		struct run_bytes body;
		uint32_t type;
		int n = run_frame(&c->in, &type, &body, &err);

		if (n == 0)
			return true;
		c->in_callback = true;
		if (n > 0)
			n = c->is_ready ? c->spec.on_frame(c->spec.arg, type, body, &err)
					: take_ready(c, type, body, &err);
		c->in_callback = false;
		if (c->is_freed) {
			run_child_free(c);
			return false;
		}
		if (n < 0)
			run_child_kill(c, err.text);
		else
			buf_drop(&c->in, RUN_FRAME_HEAD + body.size);
	}
	return true;
}

/* Returns false if the child was freed. */
static bool read_some(struct run_child *c)
{
	struct err err = { 0 };
	char *at;
	ssize_t n;

	if (buf_space(&c->in, READ_BYTES, &at, &err) < 0) {
		run_child_kill(c, err.text);
		return true;
	}
	n = read(c->socket, at, READ_BYTES);
	if (n > 0) {
		buf_commit(&c->in, (size_t)n);
		return take_frames(c);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	/* It closed its end: it is ending (then this changes nothing), or up to something. */
	fd_watch_free(MOVE(c->socket_watch));
	kill(c->pid, SIGKILL);
	return true;
}

void run_child_flush(struct run_child *c)
{
	while (c->out.len > 0) {
		ssize_t n = send(c->socket, c->out.data, c->out.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		/* Anything but a full socket shows as the end of the process. */
		if (n < 0)
			break;
		buf_drop(&c->out, (size_t)n);
	}
	if (c->socket_watch != NULL)
		fd_watch_set(c->socket_watch, LOOP_READ | (c->out.len > 0 ? LOOP_WRITE : 0));
}

static void on_socket(void *arg, int ready)
{
	struct run_child *c = arg;

	if ((ready & (LOOP_READ | LOOP_HANGUP)) && !read_some(c))
		return;
	if ((ready & LOOP_WRITE) && c->socket_watch != NULL)
		run_child_flush(c);
}

static void on_start_time_over(void *arg)
{
	run_child_kill(arg, "did not start in time");
}

static void pass_fd(struct spawn_fd *fds, size_t *n, int parent, int child)
{
	if (parent < 0)
		return;
	fds[*n].parent = parent;
	fds[*n].child = child;
	++*n;
}

/* What the Vulkan loader and drivers look at: which drivers there are is the machine's business, no
 * files are written, nothing is looked for in a user's folders. */
static void add_driver_variables(const char **env, size_t *n, struct buf *drivers, struct buf *old)
{
	const char *files = secure_getenv("VK_DRIVER_FILES");
	const char *icd = secure_getenv("VK_ICD_FILENAMES");

	if (files != NULL && buf_addf(drivers, "VK_DRIVER_FILES=%s", files) == 0)
		env[(*n)++] = buf_str(drivers);
	/* The name that loaders before 1.3.207 know. */
	if (icd == NULL)
		icd = files;
	if (icd != NULL && buf_addf(old, "VK_ICD_FILENAMES=%s", icd) == 0)
		env[(*n)++] = buf_str(old);
	env[(*n)++] = "MESA_SHADER_CACHE_DISABLE=true";
	env[(*n)++] = "MESA_GLSL_CACHE_DISABLE=true";
	env[(*n)++] = "XDG_RUNTIME_DIR=/nonexistent";
	env[(*n)++] = "VK_LOADER_LAYERS_DISABLE=~all~";
}

/* argv: program, parent's pid, then the arguments. */
static int start_process(struct run_child *c, int child_socket, struct err *err)
{
	struct spawn_fd fds[4] = { 0 };
	const char *argv[16] = { c->spec.program };
	const char *hostile = secure_getenv("KWARP_RUNNER_HOSTILE");
	AUTO(buf_done) struct buf pid = { .max = 16 };
	AUTO(buf_done) struct buf env = { .max = 256 };
	AUTO(buf_done) struct buf drivers = { .max = 8192 };
	AUTO(buf_done) struct buf old = { .max = 8192 };
	const char *variables[16] = { NULL };
	size_t n_variables = 0;
	struct spawn_spec spec = { .path = c->spec.program, .argv = argv, .fds = fds };
	size_t n = 2;

	buf_note(&pid, "%d", (int)getpid());
	argv[1] = buf_str(&pid);
	for (size_t i = 0; c->spec.arguments[i] != NULL; i++, n++) {
		ASSERT(n < ARRAY_LEN(argv) - 1);
		argv[n] = c->spec.arguments[i];
	}
	pass_fd(fds, &spec.fd_count, STDERR_FILENO, STDERR_FILENO);
	pass_fd(fds, &spec.fd_count, child_socket, RUN_FD_SOCKET);
	pass_fd(fds, &spec.fd_count, c->spec.in_fd, RUN_FD_IN);
	pass_fd(fds, &spec.fd_count, c->spec.out_fd, RUN_FD_OUT);
	if (hostile != NULL) /* only tests set it: what to try from inside */
		buf_note(&env, "KWARP_RUNNER_HOSTILE=%s", hostile);
	if (env.len > 0)
		variables[n_variables++] = buf_str(&env);
	if (c->spec.loads_drivers)
		add_driver_variables(variables, &n_variables, &drivers, &old);
	spec.env = variables;
	return spawn_start(&spec, &c->pid, err);
}

static int watch_process(struct run_child *c, struct err *err)
{
	c->pid_fd = pidfd_open(c->pid, 0);
	if (c->pid_fd < 0)
		return err_errno(err, errno, "watch process %d", (int)c->pid);
	if (fd_watch_new(c->spec.loop, "runner ended", c->pid_fd, LOOP_READ, on_process_end, c,
			 &c->pid_watch, err) < 0 ||
	    fd_watch_new(c->spec.loop, "runner socket", c->socket, LOOP_READ, on_socket, c,
			 &c->socket_watch, err) < 0)
		return err->code;
	c->start_timer = timer_new(c->spec.loop, "runner start", on_start_time_over, c);
	timer_start(c->start_timer, START_MS);
	return 0;
}

int run_child_new(const struct run_child_spec *spec, struct run_child **ret, struct err *err)
{
	AUTO(run_child_freep) struct run_child *c = NEW(struct run_child);
	AUTO(file_closep) int child_socket = -1;
	int pair[2];

	c->spec = *spec;
	c->pid_fd = -1;
	c->socket = -1;
	c->how.max = HOW_TEXT;
	c->in.max = RUN_FRAME_HEAD + (size_t)spec->max_answer + READ_BYTES;
	c->out.max = RUN_FRAME_HEAD + (size_t)RUN_MAX_BODY;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, errno, "socketpair");
	c->socket = pair[0];
	child_socket = pair[1];
	if (file_set_nonblocking(c->socket, err) < 0 || start_process(c, child_socket, err) < 0 ||
	    watch_process(c, err) < 0)
		return err->code;
	c->spec.program = NULL;
	c->spec.arguments = NULL;
	*ret = MOVE(c);
	return 0;
}

struct buf *run_child_out(struct run_child *c)
{
	return &c->out;
}

bool run_child_is_ready(const struct run_child *c)
{
	return c->is_ready;
}

pid_t run_child_pid(const struct run_child *c)
{
	return c->pid;
}
