/* hostile.c - what an attacker would try from inside; see hostile.h. */
#include "runner/hostile.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

struct stage {
	const struct exec_memory *memory;
	pid_t parent;
};

/* Each returns a negative number if it was refused, anything else if it worked. */

static long try_open(const struct stage *s)
{
	(void)s;
	return open("/etc/hostname", O_RDONLY);
}

static long try_create(const struct stage *s)
{
	(void)s;
	return open("/tmp/kwarp-hostile", O_RDWR | O_CREAT, 0600);
}

static long try_socket(const struct stage *s)
{
	(void)s;
	return socket(AF_INET, SOCK_STREAM, 0);
}

static long try_fork(const struct stage *s)
{
	pid_t pid;

	(void)s;
	pid = fork();
	if (pid == 0)
		_exit(0);
	return pid;
}

static long try_thread(const struct stage *s)
{
	(void)s;
	return syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, NULL, NULL, NULL, 0);
}

static long try_exec(const struct stage *s)
{
	char name[] = "/bin/true";
	char *const argv[] = { name, NULL };
	char *const none[] = { NULL };

	(void)s;
	return execve(name, argv, none);
}

static long try_ptrace(const struct stage *s)
{
	return ptrace(PTRACE_ATTACH, s->parent, NULL, NULL);
}

static long try_kill(const struct stage *s)
{
	return kill(s->parent, SIGTERM);
}

static long try_peek(const struct stage *s)
{
	(void)s;
	return syscall(SYS_process_vm_readv, s->parent, NULL, 0, NULL, 0, 0);
}

static long try_uring(const struct stage *s)
{
	(void)s;
	return syscall(SYS_io_uring_setup, 1, NULL);
}

static long try_bpf(const struct stage *s)
{
	(void)s;
	return syscall(SYS_bpf, 0, NULL, 0);
}

static long try_map_file(const struct stage *s)
{
	(void)s;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, RUN_FD_IN, 0) == MAP_FAILED ? -1
												: 0;
}

static long try_executable(const struct stage *s)
{
	(void)s;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) == MAP_FAILED
		   ? -1
		   : 0;
}

static long try_write_and_execute(const struct stage *s)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)s;
	return mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
}

static long try_other_fd(const struct stage *s)
{
	(void)s;
	return write(RUN_FD_OUT, "x", 1);
}

static long try_dump(const struct stage *s)
{
	(void)s;
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static long try_shrink(const struct stage *s)
{
	(void)s;
	return ftruncate(RUN_FD_OUT, 0);
}

/* The rest must end in a signal. */

static long try_write_past_end(const struct stage *s)
{
	memset(s->memory->out + s->memory->out_size, 1, 4096);
	return 0;
}

static long try_write_input(const struct stage *s)
{
	*(volatile uint8_t *)s->memory->in = 1;
	return 0;
}

static long try_memory(const struct stage *s)
{
	(void)s;
	return mmap(NULL, (size_t)64 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) == MAP_FAILED
		   ? -1
		   : 0;
}

static long try_crash(const struct stage *s)
{
	(void)s;
	return raise(SIGSEGV);
}

static long try_loop(const struct stage *s)
{
	(void)s;
	for (volatile int go = 1; go;)
		;
	return 0;
}

static long try_garbage(const struct stage *s)
{
	char garbage[64];

	(void)s;
	memset(garbage, 0xee, sizeof(garbage));
	return write(RUN_FD_SOCKET, garbage, sizeof(garbage));
}

static long try_exit(const struct stage *s)
{
	(void)s;
	_exit(0);
}

static const struct attempt {
	const char *name;
	long (*fn)(const struct stage *s);
} ATTEMPTS[] = {
	{ "open", try_open },
	{ "create", try_create },
	{ "socket", try_socket },
	{ "fork", try_fork },
	{ "thread", try_thread },
	{ "exec", try_exec },
	{ "ptrace", try_ptrace },
	{ "kill", try_kill },
	{ "peek", try_peek },
	{ "uring", try_uring },
	{ "bpf", try_bpf },
	{ "map-file", try_map_file },
	{ "executable", try_executable },
	{ "write-and-execute", try_write_and_execute },
	{ "other-descriptor", try_other_fd },
	{ "dump", try_dump },
	{ "shrink", try_shrink },
	{ "write-past-end", try_write_past_end },
	{ "write-input", try_write_input },
	{ "memory", try_memory },
	{ "crash", try_crash },
	{ "loop", try_loop },
	{ "garbage", try_garbage },
	{ "exit", try_exit },
};

const char *hostile_try(const char *name, const struct exec_memory *memory, pid_t parent)
{
	const struct stage stage = { memory, parent };

	for (size_t i = 0; i < ARRAY_LEN(ATTEMPTS); i++)
		if (text_equal(name, ATTEMPTS[i].name))
			return ATTEMPTS[i].fn(&stage) < 0 ? "refused" : "worked";
	return "unknown";
}

bool hostile_is_lost(const char *name)
{
	return name != NULL && text_equal(name, "lose");
}

bool hostile_is_liar(const char *name)
{
	return name != NULL && text_equal(name, "lie");
}

void hostile_lie(const struct run_chunk_request *m, const struct exec_memory *memory)
{
	for (uint32_t i = 0; i < m->n_buffers; i++)
		if (m->buffers[i].where == RUN_IN_INPUTS)
			return;
	for (uint32_t i = 0; i < m->n_buffers; i++) {
		const struct run_buffer *b = &m->buffers[i];

		if (b->where == RUN_IN_OUTPUTS && b->size > 0)
			memory->out[b->offset] ^= 1;
	}
}
