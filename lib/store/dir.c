/*
 * dir.c - see dir_int.h: writing and reading blobs.
 *
 * A blob gets its name only when its bytes are on disk: written to a temporary file (its name
 * begins with '.'), synced, renamed; then the folder is synced. All goes through descriptors of
 * folders and never follows a link.
 */
#include "store/dir_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum {
	BLOCK = 1 << 20, /* what a join holds in memory */
	RANDOM = 16,     /* bytes in the name of a temporary file */
};

/* A path in DIR, for errors. */
struct path {
	char text[STORE_UID + HASH_HEX];
	const char *name; /* borrowed from text: without the folder */
};

static void path_make(struct path *p, const char *uid, const struct hash_digest *digest)
{
	char hex[HASH_HEX];

	snprintf(p->text, sizeof(p->text), "%s/%s", uid, hash_hex(digest, hex));
	p->name = p->text + strlen(uid) + 1;
}

/* What another than the store put there cannot become right by trying again. */
static int open_failed(struct err *err, int error_number, const char *path)
{
	bool foreign = error_number == ELOOP || error_number == ENOTDIR || error_number == ENXIO;

	if (foreign)
		return err_set(err, ERR_INVALID, "open %s: %s", path,
			       strerrorname_np(error_number));
	return err_errno(err, error_number, "open %s", path);
}

/* MOVE for a descriptor. */
static int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static int sync_fd(int fd, const char *path, struct err *err)
{
	if (fsync(fd) < 0)
		return err_errno(err, errno, "sync %s", path);
	return 0;
}

/* path: what it is for. */
MUST_CHECK static int folder_open(int dir, const char *uid, const char *path, int *ret,
				  struct err *err)
{
	int fd = openat(dir, uid, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return open_failed(err, errno, path);
	*ret = fd;
	return 0;
}

/* DIR is synced although the folder is there: who made it may have ended before its sync. */
MUST_CHECK static int folder_make(int dir, const char *uid, int *ret, struct err *err)
{
	AUTO(file_closep) int fd = -1;

	if (mkdirat(dir, uid, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "create %s", uid);
	if (folder_open(dir, uid, uid, &fd, err) < 0)
		return err->code;
	if (sync_fd(dir, "the store's directory", err) < 0)
		return err->code;
	*ret = fd_take(&fd);
	return 0;
}

/* ---- temporary files ---- */

struct temporary {
	int folder;                                           /* borrowed */
	int fd;                                               /* owned */
	char name[2 * RANDOM + sizeof(".") + sizeof(".new")]; /* "" once it has its own */
};

static void temporary_done(struct temporary *t)
{
	if (t->name[0] == '\0')
		return;
	file_closep(&t->fd);
	unlinkat(t->folder, t->name, 0);
	t->name[0] = '\0';
}

/* path: what it is for. */
MUST_CHECK static int temporary_make(int folder, const char *path, struct temporary *ret,
				     struct err *err)
{
	struct temporary t = { .folder = folder };
	unsigned char random[RANDOM];
	char hex[2 * RANDOM + 1];

	hash_random(random, sizeof(random));
	snprintf(t.name, sizeof(t.name), ".%s.new", text_hex(random, sizeof(random), hex));
	t.fd = openat(folder, t.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (t.fd < 0)
		return err_errno(err, errno, "create %s", path);
	*ret = t;
	return 0;
}

MUST_CHECK static int temporary_add(struct temporary *t, const void *bytes, size_t len,
				    const char *path, struct err *err)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t n = write(t->fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "write %s", path);
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Give it the name of the blob. */
MUST_CHECK static int temporary_finish(struct temporary *t, const struct path *p, struct err *err)
{
	if (sync_fd(t->fd, p->text, err) < 0)
		return err->code;
	if (renameat(t->folder, t->name, t->folder, p->name) < 0)
		return err_errno(err, errno, "rename to %s", p->text);
	file_closep(&t->fd);
	t->name[0] = '\0';
	return 0;
}

/* ---- opening ---- */

int store_dir_open(const char *path, int *ret, struct err *err)
{
	AUTO(file_closep) int fd = -1; /* outlives t */
	AUTO(temporary_done) struct temporary t = { .fd = -1 };
	bool is_new = access(path, F_OK) < 0;

	if (file_make_dir(path, err) < 0)
		return err_wrap(err, "store");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "store: open %s", path);
	if (temporary_make(fd, "a file", &t, err) < 0 ||
	    temporary_add(&t, "kwarp\n", 6, "a file", err) < 0 ||
	    sync_fd(t.fd, "a file", err) < 0 || sync_fd(fd, "it", err) < 0)
		return err_wrap(err, "store: cannot write in %s", path);
	if (is_new && syncfs(fd) < 0) /* the folders above it as well */
		return err_errno(err, errno, "store: sync %s", path);
	temporary_done(&t);
	*ret = fd_take(&fd);
	return 0;
}

static bool is_gone(int dir)
{
	struct stat st;

	return dir < 0 || fstat(dir, &st) < 0 || st.st_nlink == 0;
}

int store_dir_again(const char *path, int *dir, struct err *err)
{
	if (!is_gone(*dir))
		return 0;
	file_closep(dir);
	*dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return err_errno(err, errno, "open %s", path);
	return 0;
}

/* ---- reading ---- */

/* O_NONBLOCK: a FIFO in the place of a blob must not stop the worker. */
MUST_CHECK static int blob_open(int folder, const struct path *p, int *ret, uint64_t *ret_size,
				struct err *err)
{
	AUTO(file_closep) int fd = -1;
	struct stat st;

	fd = openat(folder, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return open_failed(err, errno, p->text);
	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "stat %s", p->text);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a regular file", p->text);
	*ret = fd_take(&fd);
	*ret_size = (uint64_t)st.st_size;
	return 0;
}

/* len bytes from `first` on: fewer are an error, since a blob does not change. */
MUST_CHECK static int read_full(int fd, uint64_t first, char *to, size_t len, const char *path,
				struct err *err)
{
	while (len > 0) {
		ssize_t n = pread(fd, to, len, (off_t)first);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, errno, "read %s", path);
		if (n == 0)
			return err_set(err, ERR_INVALID, "%s became shorter while it was read",
				       path);
		to += n;
		first += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

MUST_CHECK static int check(const struct hash_digest *is, const struct hash_digest *wanted,
			    const char *path, struct err *err)
{
	char hex[HASH_HEX];

	if (hash_equal(is, wanted))
		return 0;
	return err_set(err, ERR_INVALID, "%s is damaged: its SHA-256 is %s", path,
		       hash_hex(is, hex));
}

/* ---- writing ---- */

/* Read again: what a crash or a disk has spoilt is written anew. */
static bool has_blob(int folder, const struct path *p, const struct store_blob *b)
{
	AUTO(file_closep) int fd = -1;
	AUTO(mem_freep) char *bytes = NULL;
	struct err err = { 0 };
	uint64_t size = 0;

	if (blob_open(folder, p, &fd, &size, &err) < 0 || size != b->len)
		return false;
	bytes = mem_alloc(b->len);
	return read_full(fd, 0, bytes, b->len, p->text, &err) == 0 &&
	       (b->len == 0 || memcmp(bytes, b->bytes, b->len) == 0);
}

MUST_CHECK static int put_one(int folder, const char *uid, const struct store_blob *b,
			      struct err *err)
{
	AUTO(temporary_done) struct temporary t = { .fd = -1 };
	struct path p = { 0 };

	path_make(&p, uid, &b->digest);
	if (has_blob(folder, &p, b))
		return 0;
	if (temporary_make(folder, p.text, &t, err) < 0)
		return err->code;
	if (temporary_add(&t, b->bytes, b->len, p.text, err) < 0)
		return err->code;
	return temporary_finish(&t, &p, err);
}

int store_dir_put(int dir, const char *uid, const struct store_blob *blobs, size_t n,
		  struct err *err)
{
	AUTO(file_closep) int folder = -1;

	if (folder_make(dir, uid, &folder, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		if (put_one(folder, uid, &blobs[i], err) < 0)
			return err->code;
	return sync_fd(folder, uid, err);
}

/* ---- reading whole blobs and parts ---- */

/* A blob open for reading. */
struct blob {
	int fd; /* owned */
	uint64_t size;
	struct path path;
};

static void blob_done(struct blob *b)
{
	file_closep(&b->fd);
}

MUST_CHECK static int blob_find(int dir, const char *uid, const struct hash_digest *digest,
				struct blob *b, struct err *err)
{
	AUTO(file_closep) int folder = -1;

	path_make(&b->path, uid, digest);
	if (folder_open(dir, uid, b->path.text, &folder, err) < 0)
		return err->code;
	return blob_open(folder, &b->path, &b->fd, &b->size, err);
}

/* The bytes that range asks for and that there are. */
MUST_CHECK static int blob_read(const struct blob *b, uint64_t first, size_t len,
				struct store_bytes *ret, struct err *err)
{
	AUTO(mem_freep) char *bytes = NULL;
	uint64_t rest = first < b->size ? b->size - first : 0;

	if (len > rest)
		len = (size_t)rest;
	bytes = mem_alloc(len);
	if (read_full(b->fd, first, bytes, len, b->path.text, err) < 0)
		return err->code;
	*ret = (struct store_bytes){ .bytes = MOVE(bytes), .len = len, .size = b->size };
	return 0;
}

int store_dir_get(int dir, const char *uid, const struct store_range *range,
		  struct store_bytes *ret, struct err *err)
{
	AUTO(blob_done) struct blob b = { .fd = -1 };
	struct store_bytes got = { 0 };
	struct hash_digest is;

	if (blob_find(dir, uid, &range->digest, &b, err) < 0)
		return err->code;
	if (b.size > range->len)
		return err_set(err, ERR_TOO_BIG, "%s has %llu bytes, at most %zu", b.path.text,
			       (unsigned long long)b.size, range->len);
	if (blob_read(&b, 0, (size_t)b.size, &got, err) < 0)
		return err->code;
	hash_bytes(got.bytes, got.len, &is);
	if (check(&is, &range->digest, b.path.text, err) < 0) {
		mem_free(got.bytes);
		return err->code;
	}
	*ret = got;
	return 0;
}

int store_dir_read(int dir, const char *uid, const struct store_range *range,
		   struct store_bytes *ret, struct err *err)
{
	AUTO(blob_done) struct blob b = { .fd = -1 };

	if (blob_find(dir, uid, &range->digest, &b, err) < 0)
		return err->code;
	return blob_read(&b, range->first, range->len, ret, err);
}

/* ---- joining ---- */

struct join {
	int folder; /* borrowed */
	const char *uid;
	char *block;        /* owned */
	struct hash *part;  /* owned */
	struct hash *whole; /* owned */
	uint64_t len;
};

static void join_done(struct join *j)
{
	mem_free(j->block);
	hash_free(j->part);
	hash_free(j->whole);
}

MUST_CHECK static int join_part(struct join *j, const struct store_part *part, struct temporary *to,
				struct err *err)
{
	AUTO(blob_done) struct blob b = { .fd = -1 };
	const char *path = b.path.text;
	struct hash_digest is;

	path_make(&b.path, j->uid, &part->digest);
	if (blob_open(j->folder, &b.path, &b.fd, &b.size, err) < 0)
		return err->code;
	if (b.size != part->len)
		return err_set(err, ERR_INVALID, "%s is damaged: %llu bytes, not %llu", path,
			       (unsigned long long)b.size, (unsigned long long)part->len);
	for (uint64_t at = 0; at < b.size;) {
		size_t n = b.size - at < BLOCK ? (size_t)(b.size - at) : BLOCK;

		if (read_full(b.fd, at, j->block, n, path, err) < 0)
			return err->code;
		hash_add(j->part, j->block, n);
		hash_add(j->whole, j->block, n);
		if (temporary_add(to, j->block, n, j->uid, err) < 0)
			return err->code;
		at += n;
	}
	hash_finish(j->part, &is);
	if (check(&is, &part->digest, path, err) < 0)
		return err->code;
	j->len += b.size;
	return 0;
}

/* Name what was joined. A blob of that name is replaced: nobody has looked at its bytes. */
MUST_CHECK static int join_finish(struct join *j, struct temporary *t, struct store_part *ret,
				  struct err *err)
{
	struct store_part whole = { .len = j->len };
	struct path p = { 0 };

	hash_finish(j->whole, &whole.digest);
	path_make(&p, j->uid, &whole.digest);
	if (temporary_finish(t, &p, err) < 0)
		return err->code;
	if (sync_fd(j->folder, j->uid, err) < 0)
		return err->code;
	*ret = whole;
	return 0;
}

int store_dir_join(int dir, const char *uid, const struct store_part *parts, size_t n,
		   struct store_part *ret, struct err *err)
{
	AUTO(file_closep) int folder = -1; /* outlives t */
	AUTO(temporary_done) struct temporary t = { .fd = -1 };
	AUTO(join_done) struct join j = { .uid = uid };

	if (folder_make(dir, uid, &folder, err) < 0)
		return err->code;
	if (temporary_make(folder, uid, &t, err) < 0)
		return err->code;
	j.folder = folder;
	j.block = mem_alloc(BLOCK);
	j.part = hash_new();
	j.whole = hash_new();
	for (size_t i = 0; i < n; i++)
		if (join_part(&j, &parts[i], &t, err) < 0)
			return err->code;
	return join_finish(&j, &t, ret, err);
}
