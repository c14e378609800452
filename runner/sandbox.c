/* sandbox.c - Landlock, seccomp, limits; see sandbox.h. */
#include "runner/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/protocol.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum {
	NOBODY = 65534,
	PATH_BYTES = 4096,
	MAX_GROUPS = 8,
	MAX_NODES = 16,
	DRIVER_FILES = 1024,
	DRIVER_FILE_BYTES = 64 << 20
};

/* ---- identity ------------------------------------------------------------------------------- */

static bool has_capability(const struct __user_cap_data_struct caps[2], unsigned int cap)
{
	return (caps[cap / 32].effective & 1u << cap % 32) != 0;
}

/* Of the nodes that drivers open; those of NVIDIA are for everybody. */
static size_t device_groups(gid_t groups[MAX_GROUPS])
{
	char path[] = "/dev/dri/renderD128";
	struct stat st;
	size_t n = 0;

	for (int i = 0; i <= MAX_NODES && n < MAX_GROUPS; i++) {
		path[sizeof(path) - 3] = (char)('2' + (8 + i) / 10);
		path[sizeof(path) - 2] = (char)('0' + (8 + i) % 10);
		if (stat(i == MAX_NODES ? "/dev/kfd" : path, &st) == 0 && st.st_gid != 0 &&
		    (n == 0 || groups[n - 1] != st.st_gid))
			groups[n++] = st.st_gid;
	}
	return n;
}

/* Root becomes nobody, if the parent can still kill nobody's processes. Then nobody has no
 * capabilities; a user had none to begin with. */
static int drop_identity(bool for_devices, struct err *err)
{
	gid_t groups[MAX_GROUPS] = { 0 };
	size_t n_groups = for_devices ? device_groups(groups) : 0;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	if (syscall(SYS_capget, &head, caps) < 0)
		return err_errno(err, errno, "capget");
	if (geteuid() == 0 && has_capability(caps, CAP_SETUID) &&
	    has_capability(caps, CAP_SETGID) && has_capability(caps, CAP_KILL)) {
		if (setgroups(n_groups, groups) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		    setresuid(NOBODY, NOBODY, NOBODY) < 0)
			return err_errno(err, errno, "become nobody");
	}
	caps[0] = caps[1] = (struct __user_cap_data_struct){ 0 };
	if (syscall(SYS_capset, &head, caps) < 0)
		return err_errno(err, errno, "drop capabilities");
	return 0;
}

int sandbox_begin(pid_t parent, bool for_devices, struct err *err)
{
	setsid();
	if (drop_identity(for_devices, err) < 0)
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
	LANDLOCK_PATH_BENEATH = 1,
	LANDLOCK_WRITE_FILE = 1 << 1, /* rights on files and folders */
	LANDLOCK_READ_FILE = 1 << 2,
	LANDLOCK_READ_DIR = 1 << 3,
	LANDLOCK_IOCTL_DEV = 1 << 15,
	LANDLOCK_CREATE_NR = 444,
	LANDLOCK_ADD_NR = 445,
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

struct landlock_path {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

/* Paths that are not there are left out. */
static int allow(int ruleset, const char *path, uint64_t rights, struct err *err)
{
	struct landlock_path rule = { rights, open(path, O_PATH | O_CLOEXEC) };
	struct stat st;
	long rc;

	if (rule.fd < 0)
		return 0;
	if (fstat(rule.fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed &= ~(uint64_t)LANDLOCK_READ_DIR;
	rc = syscall(LANDLOCK_ADD_NR, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0);
	close(rule.fd);
	return rc < 0 ? err_errno(err, errno, "landlock %s", path) : 0;
}

/* The folders of the drivers that the loader was told to use. */
static int allow_named_drivers(int ruleset, const char *files, struct err *err)
{
	char path[PATH_BYTES];

	while (files != NULL && *files != '\0') {
		size_t len = strcspn(files, ":");
		const char *slash = memrchr(files, '/', len);
		size_t folder = slash != NULL ? (size_t)(slash - files) : 0;

		if (folder > 0 && folder < sizeof(path)) {
			memcpy(path, files, folder);
			path[folder] = '\0';
			if (allow(ruleset, path, LANDLOCK_READ_FILE | LANDLOCK_READ_DIR, err) < 0)
				return err->code;
		}
		files += len + (files[len] == ':');
	}
	return 0;
}

static int allow_drivers(int ruleset, uint64_t known, struct err *err)
{
	static const char *const readable[] = {
		"/usr/lib",
		"/usr/lib64",
		"/lib",
		"/lib64",
		"/usr/local/lib",
		"/etc/ld.so.cache",
		"/usr/share/vulkan",
		"/usr/local/share/vulkan",
		"/etc/vulkan",
		"/usr/share/drirc.d",
		"/etc/drirc",
		"/usr/share/nvidia",
		"/usr/share/libdrm",
		"/sys/devices",
		"/sys/dev",
		"/sys/class/drm",
		"/sys/bus/pci",
		"/sys/module/nvidia",
		"/proc/cpuinfo",
		"/proc/meminfo",
		"/proc/driver/nvidia",
		"/proc/self",
		"/dev/urandom",
	};
	static const char *const nodes[] = {
		"/dev/dri",        "/dev/kfd",         "/dev/nvidiactl", "/dev/nvidia-modeset",
		"/dev/nvidia-uvm", "/dev/nvidia-caps", "/dev/null",      "/dev/nvidia0",
		"/dev/nvidia1",    "/dev/nvidia2",     "/dev/nvidia3",   "/dev/nvidia4",
		"/dev/nvidia5",    "/dev/nvidia6",     "/dev/nvidia7",   "/dev/nvidia8",
		"/dev/nvidia9",    "/dev/nvidia10",    "/dev/nvidia11",  "/dev/nvidia12",
		"/dev/nvidia13",   "/dev/nvidia14",    "/dev/nvidia15",
	};
	const uint64_t look = LANDLOCK_READ_FILE | LANDLOCK_READ_DIR;

	for (size_t i = 0; i < ARRAY_LEN(readable); i++)
		if (allow(ruleset, readable[i], look, err) < 0)
			return err->code;
	for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
		if (allow(ruleset, nodes[i],
			  (look | LANDLOCK_WRITE_FILE | LANDLOCK_IOCTL_DEV) & known, err) < 0)
			return err->code;
	if (allow_named_drivers(ruleset, secure_getenv("VK_DRIVER_FILES"), err) < 0)
		return err->code;
	return allow_named_drivers(ruleset, secure_getenv("VK_ICD_FILENAMES"), err);
}

static int close_files(bool but_drivers, struct err *err)
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
	if (but_drivers && allow_drivers(fd, rules.fs, err) < 0) {
		close(fd);
		return err->code;
	}
	if (syscall(LANDLOCK_RESTRICT_NR, fd, 0) < 0) {
		close(fd);
		return err_errno(err, errno, "landlock");
	}
	close(fd);
	return 0;
}

int sandbox_drivers(struct err *err)
{
	return close_files(true, err);
}

int sandbox_files(struct err *err)
{
	return close_files(false, err);
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
	rlim_t file = spec->maps_private || spec->drives ? DRIVER_FILE_BYTES : 0;

	if (limit(RLIMIT_CORE, 0, "core", err) < 0 || limit(RLIMIT_FSIZE, file, "fsize", err) < 0)
		return err->code;
	/* Drivers of GPUs pin memory, reserve terabytes of addresses and start threads. */
	if (spec->drives)
		return limit(RLIMIT_NOFILE, DRIVER_FILES, "nofile", err);
	if (limit(RLIMIT_NPROC, 0, "nproc", err) < 0 ||
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

/* What the driver of a real GPU needs beside: which files it may open, Landlock decides; no process
 * can be started, no socket made. Memory that comes from a file is never executable. */
static const struct rule DRIVING[] = {
	ANY(ioctl),
	ANY(openat),
	ANY(open),
	ANY(close),
	ANY(fstat),
	ANY(newfstatat),
	ANY(statx),
	ANY(lseek),
	ANY(readlink),
	ANY(readlinkat),
	ANY(getdents64),
	ANY(read),
	ANY(pread64),
	ANY(poll),
	ANY(ppoll),
	ANY(eventfd2),
	ANY(memfd_create),
	ANY(ftruncate),
	ANY(dup),
	ANY(fcntl),
	ANY(uname),
	ANY(sysinfo),
	ANY(sched_setaffinity),
	ANY(sched_getparam),
	ANY(sched_getscheduler),
	ANY(clock_nanosleep),
	ANY(nanosleep),
	ANY(mlock),
	ANY(munlock),
	ANY(mincore),
	{ SCMP_SYS(mmap), 1, { ARG(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) } },
	/* Threads, not processes. clone3 hides its flags: it is not there. */
	{ SCMP_SYS(clone), 1, { ARG(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD) } },
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

	const struct rule map_private = { SCMP_SYS(mmap),
					  2,
					  { ARG(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
					    ARG(3, SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_PRIVATE,
						MAP_PRIVATE) } };

	/* The parent's memory is sealed in size anyway. */
	const struct rule grow_own = { SCMP_SYS(ftruncate),
				       1,
				       { ARG(0, SCMP_CMP_GT, RUN_FD_OUT, 0) } };

	if (add_allowed(ctx, &own_signal, err) < 0) /* abort */
		return err->code;
	if (spec->maps_private && !spec->drives &&
	    (add_allowed(ctx, &map_private, err) < 0 || add_allowed(ctx, &grow_own, err) < 0))
		return err->code;
	for (size_t i = 0; spec->drives && i < ARRAY_LEN(DRIVING); i++)
		if (add_allowed(ctx, &DRIVING[i], err) < 0)
			return err->code;
	if (spec->drives && seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) < 0)
		return err_set(err, ERR_SYSTEM, "refuse clone3");
	return spec->executes ? add_allowed(ctx, &run_code, err) : 0;
}

static bool is_driving(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(DRIVING); i++)
		if (DRIVING[i].syscall == number)
			return true;
	return false;
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
		if (spec->drives && is_driving(REFUSED[i]))
			continue;
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
