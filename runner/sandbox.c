/* sandbox.c - Landlock, seccomp, limits; see sandbox.h. */
#include "runner/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/protocol.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum { NOBODY = 65534 };

/* ---- identity ------------------------------------------------------------------------------- */

static bool has_capability(const struct __user_cap_data_struct caps[2], unsigned int cap)
{
	return (caps[cap / 32].effective & 1u << cap % 32) != 0;
}

/* Root becomes nobody, if the parent can still kill nobody's processes. Then nobody has no
 * capabilities; a user had none to begin with. */
static int drop_identity(struct err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	if (syscall(SYS_capget, &head, caps) < 0)
		return err_errno(err, errno, "capget");
	if (geteuid() == 0 && has_capability(caps, CAP_SETUID) &&
	    has_capability(caps, CAP_SETGID) && has_capability(caps, CAP_KILL)) {
		if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		    setresuid(NOBODY, NOBODY, NOBODY) < 0)
			return err_errno(err, errno, "become nobody");
	}
	caps[0] = caps[1] = (struct __user_cap_data_struct){ 0 };
	if (syscall(SYS_capset, &head, caps) < 0)
		return err_errno(err, errno, "drop capabilities");
	return 0;
}

int sandbox_begin(pid_t parent, struct err *err)
{
	setsid();
	if (drop_identity(err) < 0)
		return err->code;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, errno, "no_new_privs");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, errno, "dumpable");
	/* After the change of identity, which clears it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_errno(err, errno, "parent death signal");
	if (getppid() != parent)
		return err_set(err, ERR_GONE, "the parent is gone");
	return 0;
}

/* ---- files: Landlock ------------------------------------------------------------------------ */

/* Debian 12's header knows ABI 2 only. */
struct landlock_rules {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

enum {
	LANDLOCK_VERSION = 1, /* flag of landlock_create_ruleset */
	LANDLOCK_CREATE_NR = 444,
	LANDLOCK_RESTRICT_NR = 446,
};

/* Everything that this kernel's version of Landlock can forbid. */
static struct landlock_rules all_rules(long abi, size_t *ret_size)
{
	static const uint64_t fs[] = { 0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff };
	struct landlock_rules r;

	*ret_size = abi < 4 ? 8 : abi < 6 ? 16 : 24;
	r.fs = fs[abi < 5 ? abi : 5];
	r.net = abi >= 4 ? 3 : 0;
	r.scoped = abi >= 6 ? 3 : 0;
	return r;
}

int sandbox_files(struct err *err)
{
	long abi = syscall(LANDLOCK_CREATE_NR, NULL, 0, LANDLOCK_VERSION);
	struct landlock_rules rules;
	size_t size;
	int fd;

	/* An old kernel or a container's filter: the list of system calls has to do. */
	if (abi < 1)
		return 0;
	rules = all_rules(abi, &size);
	fd = (int)syscall(LANDLOCK_CREATE_NR, &rules, size, 0);
	if (fd < 0)
		return err_errno(err, errno, "landlock ruleset");
	if (syscall(LANDLOCK_RESTRICT_NR, fd, 0) < 0) {
		close(fd);
		return err_errno(err, errno, "landlock");
	}
	close(fd);
	return 0;
}

/* ---- limits --------------------------------------------------------------------------------- */

static int limit(int resource, rlim_t value, const char *name, struct err *err)
{
	struct rlimit now;
	struct rlimit l = { .rlim_cur = value, .rlim_max = value };

	if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
		return err_errno(err, errno, "limit %s", name);
	if (now.rlim_max < value) /* it is below what we want already */
		return 0;
	if (setrlimit((__rlimit_resource_t)resource, &l) < 0)
		return err_errno(err, errno, "limit %s", name);
	return 0;
}

static int set_limits(const struct sandbox_spec *spec, struct err *err)
{
	if (limit(RLIMIT_CORE, 0, "core", err) < 0 || limit(RLIMIT_FSIZE, 0, "fsize", err) < 0 ||
	    limit(RLIMIT_NPROC, 0, "nproc", err) < 0 ||
	    limit(RLIMIT_MEMLOCK, 0, "memlock", err) < 0)
		return err->code;
	if (IS_SANITIZED) /* a shadow of 20 TiB, reports from files */
		return 0;
	if (limit(RLIMIT_NOFILE, 0, "nofile", err) < 0 ||
	    limit(RLIMIT_AS, spec->memory_bytes, "as", err) < 0)
		return err->code;
	return 0;
}

void sandbox_limit_cpu(uint64_t ms)
{
	struct rlimit l = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
	struct rusage used;

	if (getrlimit(RLIMIT_CPU, &l) < 0 || getrusage(RUSAGE_SELF, &used) < 0)
		return;
	l.rlim_cur = l.rlim_max;
	if (ms > 0)
		l.rlim_cur =
		    (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) + (ms + 999) / 1000;
	if (l.rlim_cur > l.rlim_max)
		l.rlim_cur = l.rlim_max;
	(void)!setrlimit(RLIMIT_CPU, &l);
}

/* ---- system calls ---------------------------------------------------------------------------- */

struct rule {
	int syscall;
	unsigned int n_args;
	struct scmp_arg_cmp args[3];
};

#define ARG(n, op, ...)                                                                            \
	{                                                                                          \
		(n), (op), __VA_ARGS__                                                             \
	}
#define ANY(name)                                                                                  \
	{                                                                                          \
		.syscall = SCMP_SYS(name)                                                          \
	}

static const struct rule ALLOWED[] = {
	{ SCMP_SYS(read), 1, { ARG(0, SCMP_CMP_EQ, RUN_FD_SOCKET, 0) } },
	{ SCMP_SYS(write), 1, { ARG(0, SCMP_CMP_EQ, RUN_FD_SOCKET, 0) } },
	/* Standard error is /dev/null by now: last words of abort. */
	{ SCMP_SYS(write), 1, { ARG(0, SCMP_CMP_EQ, STDERR_FILENO, 0) } },
	{ SCMP_SYS(writev), 1, { ARG(0, SCMP_CMP_EQ, STDERR_FILENO, 0) } },
	ANY(futex),
	/* Anonymous memory only, never executable from the start. */
	{ SCMP_SYS(mmap),
	  2,
	  { ARG(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
	    ARG(3, SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS) } },
	{ SCMP_SYS(mprotect), 1, { ARG(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
	ANY(munmap),
	ANY(mremap),
	ANY(madvise),
	ANY(brk),
	ANY(clock_gettime),
	ANY(gettimeofday),
	ANY(sched_yield),
	ANY(sched_getaffinity),
	ANY(restart_syscall),
	ANY(rt_sigreturn),
	ANY(rt_sigprocmask),
	ANY(rt_sigaction),
	ANY(sigaltstack),
	ANY(getpid),
	ANY(gettid),
	ANY(getrandom),
	ANY(getrusage),
	/* What a thread that was just created begins with. */
	ANY(set_robust_list),
	ANY(rseq),
	ANY(exit),
	ANY(exit_group),
	/* sandbox_limit_cpu: of this process, that limit alone; reading any of its own. */
	{ SCMP_SYS(prlimit64),
	  2,
	  { ARG(0, SCMP_CMP_EQ, 0, 0), ARG(1, SCMP_CMP_EQ, RLIMIT_CPU, 0) } },
	{ SCMP_SYS(prlimit64), 2, { ARG(0, SCMP_CMP_EQ, 0, 0), ARG(2, SCMP_CMP_EQ, 0, 0) } },
};

/* Libraries ask for these and get on without: refused instead of killed. */
static const int REFUSED[] = {
	SCMP_SYS(open),      SCMP_SYS(openat),     SCMP_SYS(stat),       SCMP_SYS(fstat),
	SCMP_SYS(lstat),     SCMP_SYS(newfstatat), SCMP_SYS(statx),      SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(readlink),   SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
	SCMP_SYS(ioctl),     SCMP_SYS(fcntl),      SCMP_SYS(prctl),      SCMP_SYS(uname),
	SCMP_SYS(sysinfo),   SCMP_SYS(close),      SCMP_SYS(lseek),
};

static int add_allowed(scmp_filter_ctx ctx, const struct rule *r, struct err *err)
{
	int rc = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, r->syscall, r->n_args, r->args);

	if (rc < 0)
		return err_errno(err, -rc, "allow system call %d", r->syscall);
	return 0;
}

/* Rules whose argument is only known now. */
static int add_own(scmp_filter_ctx ctx, const struct sandbox_spec *spec, struct err *err)
{
	const struct rule own_signal = { SCMP_SYS(tgkill),
					 1,
					 { ARG(0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0) } };
	const struct rule run_code = { SCMP_SYS(mprotect),
				       1,
				       { ARG(2, SCMP_CMP_EQ, PROT_READ | PROT_EXEC, 0) } };

	if (add_allowed(ctx, &own_signal, err) < 0) /* abort */
		return err->code;
	return spec->executes ? add_allowed(ctx, &run_code, err) : 0;
}

static int fill_filter(scmp_filter_ctx ctx, const struct sandbox_spec *spec, struct err *err)
{
	int rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (rc < 0)
		return err_errno(err, -rc, "seccomp");
	for (size_t i = 0; i < ARRAY_LEN(ALLOWED); i++)
		if (add_allowed(ctx, &ALLOWED[i], err) < 0)
			return err->code;
	for (size_t i = 0; i < ARRAY_LEN(REFUSED) && !IS_SANITIZED; i++) {
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), REFUSED[i], 0);
		if (rc < 0)
			return err_errno(err, -rc, "refuse system call %d", REFUSED[i]);
	}
	if (add_own(ctx, spec, err) < 0)
		return err->code;
	rc = seccomp_load(ctx);
	return rc < 0 ? err_errno(err, -rc, "load the seccomp filter") : 0;
}

static void release_filter(scmp_filter_ctx *ctx)
{
	seccomp_release(*ctx);
}

int sandbox_close(const struct sandbox_spec *spec, struct err *err)
{
	/* Sanitizers ask for more than is worth listing: refused, so that their reports work. */
	AUTO(release_filter)
	scmp_filter_ctx ctx =
	    seccomp_init(IS_SANITIZED ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS);

	if (ctx == NULL)
		return err_set(err, ERR_SYSTEM, "no memory for the seccomp filter");
	if (set_limits(spec, err) < 0)
		return err->code;
	return fill_filter(ctx, spec, err);
}
