/* tidy.c - see dir_int.h: what is in a folder, and removing what is not wanted there. */
#include "store/dir_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

bool store_dir_is_uid(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefghijklmnopqrstuvwxyz-");

	return n > 0 && n < STORE_UID && s[n] == '\0';
}

static void close_dirp(DIR **d)
{
	if (*d != NULL)
		closedir(*d);
}

/* name under dir, itself not a link; NULL with errno. */
static DIR *open_listing(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d == NULL && fd >= 0)
		close(fd);
	return d;
}

/* The next entry but "." and ".."; NULL at the end, with errno if it is not the end. */
static const char *next_name(DIR *d)
{
	struct dirent *e;

	do {
		errno = 0;
		e = readdir(d); /* NOLINT(concurrency-mt-unsafe): d belongs to this call alone */
	} while (e != NULL && (text_equal(e->d_name, ".") || text_equal(e->d_name, "..")));
	return e == NULL ? NULL : e->d_name;
}

/* ---- keep ---- */

enum { PASSES = 16 };

struct keep {
	int folder;                        /* borrowed */
	const struct hash_digest *digests; /* borrowed, ascending */
	size_t n;
	size_t removed; /* in this pass */
	size_t left;    /* what should have been */
	struct err why; /* of the first */
};

static int compare(const void *a, const void *b)
{
	return hash_compare(a, b);
}

static bool is_kept(const struct keep *k, const char *name)
{
	struct err none = { 0 };
	struct hash_digest d;
	char hex[HASH_HEX];

	if (hash_parse(name, strlen(name), &d, &none) < 0 || !text_equal(hash_hex(&d, hex), name))
		return false;
	return bsearch(&d, k->digests, k->n, sizeof(d), compare) != NULL;
}

static int remove_file(int folder, const char *name, struct err *err)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_errno(err, errno, "stat %s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a regular file", name);
	if (unlinkat(folder, name, 0) < 0)
		return err_errno(err, errno, "remove %s", name);
	return 0;
}

static void note(struct keep *k, const struct err *why)
{
	if (k->left++ == 0)
		k->why = *why;
}

static void keep_pass(struct keep *k, DIR *d)
{
	const char *name;

	k->removed = 0;
	k->left = 0;
	while ((name = next_name(d)) != NULL) {
		struct err err = { 0 };

		if (is_kept(k, name))
			continue;
		if (remove_file(k->folder, name, &err) == 0)
			k->removed++;
		else if (err.code != ERR_NOT_FOUND)
			note(k, &err);
	}
	if (errno != 0) {
		struct err err = { 0 };

		err_errno(&err, errno, "list");
		note(k, &err);
	}
}

/* Again while files go: some file systems skip entries when others are removed meanwhile. */
static void keep_in(struct keep *k, DIR *d)
{
	k->folder = dirfd(d);
	k->removed = 1;
	for (int pass = 0; pass < PASSES && k->removed > 0; pass++) {
		rewinddir(d);
		keep_pass(k, d);
	}
}

void store_dir_keep(int dir, const char *uid, struct hash_digest *digests, size_t n)
{
	AUTO(close_dirp) DIR *d = open_listing(dir, uid);
	struct keep k = { .digests = digests, .n = n };
	struct err err = { 0 };

	if (d == NULL && errno == ENOENT)
		return;
	if (d == NULL) {
		err_errno(&err, errno, "open");
		note(&k, &err);
	} else {
		qsort(digests, n, sizeof(digests[0]), compare);
		keep_in(&k, d);
	}
	if (n == 0 && k.left == 0 && unlinkat(dir, uid, AT_REMOVEDIR) < 0 && errno != ENOENT) {
		err_errno(&err, errno, "remove");
		note(&k, &err);
	}
	if (k.left > 0)
		log_warn("blobs of a job cannot be removed", kv_str("job", uid),
			 kv_int("files", (int64_t)k.left), kv_err(&k.why));
}

void store_dir_remove(int dir, const char *uid, const struct hash_digest *digest)
{
	AUTO(close_dirp) DIR *d = open_listing(dir, uid);
	struct err err = { 0 };
	char hex[HASH_HEX];

	if (d == NULL || remove_file(dirfd(d), hash_hex(digest, hex), &err) == 0 ||
	    err.code == ERR_NOT_FOUND)
		return;
	log_warn("a blob cannot be removed", kv_str("job", uid), kv_err(&err));
}

/* ---- list ---- */

void store_names_done(struct store_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		mem_free(n->list[i]);
	mem_free(n->list);
	*n = (struct store_names){ 0 };
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* 8-4-4-4-12 hexadecimal digits, as the API server makes uids: others' folders do not look so. */
static bool is_uuid(const char *name)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (strlen(name) != strlen(shape))
		return false;
	for (size_t i = 0; name[i] != '\0'; i++)
		if (shape[i] == '-' ? name[i] != '-' : strchr("0123456789abcdef", name[i]) == NULL)
			return false;
	return true;
}

static bool is_folder(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

int store_dir_list(int dir, struct store_names *ret, struct err *err)
{
	struct store_names names = { 0 };
	AUTO(close_dirp) DIR *d = open_listing(dir, ".");
	const char *name;

	if (d == NULL)
		return err_errno(err, errno, "open the store's directory");
	while ((name = next_name(d)) != NULL) {
		if (!is_uuid(name) || !is_folder(dir, name))
			continue;
		mem_reserve(&names.list, &names.cap, names.count, sizeof(names.list[0]));
		names.list[names.count++] = mem_strdup(name);
	}
	if (errno != 0) {
		err_errno(err, errno, "list the store's directory");
		store_names_done(&names);
		return err->code;
	}
	if (names.count > 0)
		qsort(names.list, names.count, sizeof(names.list[0]), compare_names);
	*ret = names;
	return 0;
}
