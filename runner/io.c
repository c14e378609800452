/* io.c - frames on the runner's one descriptor; see io.h. */
#include "runner/io.h"

#include <errno.h>
#include <unistd.h>

enum { READ_BYTES = 64 * 1024 };

int io_read_frame(struct buf *in, uint32_t *ret_type, struct run_bytes *ret_body, struct err *err)
{
	for (;;) {
		int whole = run_frame(in, ret_type, ret_body, err);
		char *at;
		ssize_t n;

		if (whole != 0)
			return whole < 0 ? whole : 0;
		if (buf_space(in, READ_BYTES, &at, err) < 0)
			return err->code;
		n = read(RUN_FD_SOCKET, at, READ_BYTES);
		if (n == 0)
			return err_set(err, ERR_GONE, "the parent closed its end");
		if (n < 0 && errno != EINTR)
			return err_errno(err, errno, "read");
		if (n > 0)
			buf_commit(in, (size_t)n);
	}
}

int io_write(struct buf *out, struct err *err)
{
	while (out->len > 0) {
		ssize_t n = write(RUN_FD_SOCKET, out->data, out->len);

		if (n < 0 && errno != EINTR)
			return err_errno(err, errno, "write");
		if (n > 0)
			buf_drop(out, (size_t)n);
	}
	return 0;
}
