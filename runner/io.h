/*
 * io.h - frames on the runner's one descriptor; blocking.
 */
#ifndef RUNNER_IO_H
#define RUNNER_IO_H

#include "base/buf.h"
#include "base/err.h"
#include "run/protocol.h"

/* Read until a whole frame stands at the front of in (see run_frame). ERR_GONE: the parent closed
 * its end. */
MUST_CHECK int io_read_frame(struct buf *in, uint32_t *ret_type, struct run_bytes *ret_body,
			     struct err *err);

/* Write everything and empty out. */
MUST_CHECK int io_write(struct buf *out, struct err *err);

#endif
