/* sink.c - see sink.h. */
#include "cli/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

struct sink {
	int fd;            /* owned unless it is standard output */
	char *path;        /* owned */
	char *temporary;   /* owned; NULL: what is written is there at once */
	struct hash *hash; /* owned */
};

static char *temporary_of(const char *path)
{
	struct buf b = { .max = 8192 };

	buf_note(&b, "%s.new.%d", path, (int)getpid());
	return buf_take(&b);
}

int sink_open(const char *path, struct sink **ret, struct err *err)
{
	AUTO(sink_freep) struct sink *s = NEW(struct sink);
	struct stat st;

	s->fd = -1;
	s->path = mem_strdup(path);
	s->hash = hash_new();
	if (strcmp(path, "-") == 0) {
		s->fd = STDOUT_FILENO;
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		s->temporary = temporary_of(path);
		s->fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	}
	if (s->fd < 0) {
		int error_number = errno;

		mem_free(MOVE(s->temporary)); /* not ours */
		return err_errno(err, error_number, "create %s", path);
	}
	*ret = MOVE(s);
	return 0;
}

int sink_add(struct sink *s, const void *bytes, size_t len, struct err *err)
{
	const char *at = bytes;

	hash_add(s->hash, bytes, len);
	while (len > 0) {
		ssize_t n = write(s->fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "write %s", s->path);
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

void sink_digest(struct sink *s, struct hash_digest *ret)
{
	hash_finish(s->hash, ret);
}

int sink_commit(struct sink *s, struct err *err)
{
	if (s->temporary == NULL)
		return 0;
	if (fsync(s->fd) < 0)
		return err_errno(err, errno, "sync %s", s->temporary);
	if (rename(s->temporary, s->path) < 0)
		return err_errno(err, errno, "rename to %s", s->path);
	mem_free(MOVE(s->temporary));
	return 0;
}

void sink_free(struct sink *s)
{
	if (s == NULL)
		return;
	if (s->fd != STDOUT_FILENO)
		file_closep(&s->fd);
	if (s->temporary != NULL)
		unlink(s->temporary);
	mem_free(s->temporary);
	mem_free(s->path);
	hash_free(s->hash);
	mem_free(s);
}

void sink_freep(struct sink **s)
{
	sink_free(*s);
}
