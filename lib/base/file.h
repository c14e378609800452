/*
 * file.h - whole files and descriptors. Blocking: for start-up, tools and workers, never for
 * the loop thread while it serves.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

/* Append the whole file to b (bounded by b->max). "-" is standard input. */
MUST_CHECK int file_read(const char *path, struct buf *b, struct err *err);

/* Replace the file as one step: write a temporary file beside it, sync, rename. Mode 0600 if
 * `secret`, else 0644. */
MUST_CHECK int file_write(const char *path, const void *bytes, size_t len, bool secret,
			  struct err *err);

/* Create a directory and its parents, mode 0700. An existing one is success. */
MUST_CHECK int file_make_dir(const char *path, struct err *err);

/* Remove a file; a missing one is success. */
MUST_CHECK int file_remove(const char *path, struct err *err);

/* Close *fd if it is >= 0 and set it to -1. For AUTO: a local starts as -1. */
void file_closep(int *fd);

/* Set O_NONBLOCK. */
MUST_CHECK int file_set_nonblocking(int fd, struct err *err);

#endif
