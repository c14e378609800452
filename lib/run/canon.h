/*
 * canon.h - canonical bytes of an output: padding is zero, NaN has one form.
 *
 * Two nodes agree when the SHA-256 of the canonical bytes of their outputs agrees. Pure.
 */
#ifndef RUN_CANON_H
#define RUN_CANON_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/kernel.h"

enum {
	RUN_NAN_F32 = 0x7fc00000,
	RUN_FRAME_LENGTH = 8, /* bytes in front of each output of a framed result */
};

/* Make `size` bytes of the output canonical, in place; its runtime-sized array has `elements`
 * elements. ERR_INVALID, with nothing changed: the binding's lanes do not lie within these bytes.
 */
MUST_CHECK int run_canon(const struct wire_binding *b, uint64_t elements, void *bytes,
			 uint64_t size, struct err *err);

/* The bytes from framing: every output's length (u64, little-endian), then its bytes. */
uint64_t run_framed_size(const uint64_t *sizes, uint32_t n);

#endif
