/* memory.c - memory shared between a slot and its child; see slot_int.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/slot_int.h"

/* A second descriptor of the same memory that cannot be mapped writable, whatever the child does.
 */
static int open_read_only(int fd, struct err *err)
{
	AUTO(buf_done) struct buf path = { .max = 64 };
	int read_only;

	buf_note(&path, "/proc/self/fd/%d", fd);
	read_only = open(buf_str(&path), O_RDONLY | O_CLOEXEC);
	if (read_only < 0)
		return err_errno(err, errno, "open %s", buf_str(&path));
	return read_only;
}

static int fill_memory(const char *name, uint64_t size, bool child_writes, struct run_memory *m,
		       struct err *err)
{
	void *at;

	m->fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (m->fd < 0)
		return err_errno(err, errno, "memfd_create");
	/* Sealed in size: a shrunk file would kill who reads its mapping. */
	if (ftruncate(m->fd, (off_t)size) < 0 ||
	    fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return err_errno(err, errno, "memory of %llu bytes", (unsigned long long)size);
	m->child_fd = child_writes ? fcntl(m->fd, F_DUPFD_CLOEXEC, 0) : open_read_only(m->fd, err);
	if (m->child_fd < 0)
		return err->code != 0 ? err->code : err_errno(err, errno, "duplicate memory");
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->fd, 0);
	if (at == MAP_FAILED)
		return err_errno(err, errno, "map %llu bytes", (unsigned long long)size);
	m->bytes = at;
	m->size = size;
	return 0;
}

int run_memory_new(const char *name, uint64_t size, bool child_writes, struct run_memory *ret,
		   struct err *err)
{
	struct run_memory m = { .fd = -1, .child_fd = -1 };

	if (fill_memory(name, size, child_writes, &m, err) < 0) {
		run_memory_done(&m);
		return err->code;
	}
	*ret = m;
	return 0;
}

void run_memory_done(struct run_memory *m)
{
	if (m->bytes != NULL)
		munmap(m->bytes, m->size);
	if (m->size > 0 || m->fd > 0)
		file_closep(&m->fd);
	if (m->size > 0 || m->child_fd > 0)
		file_closep(&m->child_fd);
	*m = (struct run_memory){ 0 };
}

void run_memory_clear(struct run_memory *m)
{
	if (m->used == 0)
		return;
	/* Cannot fail on such a file; were it to, the child still zeroes outputs before use. */
	(void)!fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)m->size);
	m->used = 0;
}
