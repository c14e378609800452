/* file.c - see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

void file_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int file_set_nonblocking(int fd, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_errno(err, errno, "set non-blocking");
	return 0;
}

static int read_all(int fd, const char *path, struct buf *b, struct err *err)
{
	char block[16384];

	for (;;) {
		ssize_t n = read(fd, block, sizeof(block));

		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "read %s", path);
		if (buf_add(b, block, (size_t)n, err) < 0)
			return err_wrap(err, "read %s", path);
	}
}

int file_read(const char *path, struct buf *b, struct err *err)
{
	AUTO(file_closep) int fd = -1;

	if (text_equal(path, "-"))
		return read_all(STDIN_FILENO, "standard input", b, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "open %s", path);
	return read_all(fd, path, b, err);
}

static int write_all(int fd, const char *bytes, size_t len, const char *path, struct err *err)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "write %s", path);
		bytes += n;
		len -= (size_t)n;
	}
	if (fsync(fd) < 0)
		return err_errno(err, errno, "sync %s", path);
	return 0;
}

int file_write(const char *path, const void *bytes, size_t len, bool secret, struct err *err)
{
	AUTO(file_closep) int fd = -1;
	char temporary[PATH_MAX];

	if (snprintf(temporary, sizeof(temporary), "%s.new.%d", path, (int)getpid()) >=
	    (int)sizeof(temporary))
		return err_set(err, ERR_INVALID, "path too long: %.60s...", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, secret ? 0600 : 0644);
	if (fd < 0)
		return err_errno(err, errno, "create %s", temporary);
	if (write_all(fd, bytes, len, temporary, err) < 0) {
		unlink(temporary);
		return err->code;
	}
	if (rename(temporary, path) < 0) {
		int error_number = errno;

		unlink(temporary);
		return err_errno(err, error_number, "rename %s", path);
	}
	return 0;
}

int file_make_dir(const char *path, struct err *err)
{
	AUTO(mem_freep) char *copy = mem_strdup(path);

	for (char *p = copy + 1; *copy != '\0'; p++) {
		char end = *p;

		if (end != '/' && end != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			return err_errno(err, errno, "create %s", copy);
		if (end == '\0')
			return 0;
		*p = '/';
	}
	return err_set(err, ERR_INVALID, "empty path");
}

int file_remove(const char *path, struct err *err)
{
	if (unlink(path) < 0 && errno != ENOENT)
		return err_errno(err, errno, "remove %s", path);
	return 0;
}
