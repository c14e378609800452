/*
 * field_int.h - what encoding and decoding share: access to members by offset, checks.
 */
#ifndef WIRE_FIELD_INT_H
#define WIRE_FIELD_INT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/codec_int.h"

/* Protocol Buffers' wire types (docs/wire.md 1.2). */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

uint32_t wire_get_u32(const void *value, size_t offset);
uint64_t wire_get_u64(const void *value, size_t offset);
const void *wire_get_ptr(const void *value, size_t offset);

MUST_CHECK int wire_check_number(const struct wire_field *f, uint64_t v, struct err *err);
MUST_CHECK int wire_check_length(const struct wire_field *f, uint64_t len, struct err *err);
MUST_CHECK int wire_check_text(const struct wire_field *f, const char *s, size_t len,
			       struct err *err);
/* Required fields and the rules between fields. */
MUST_CHECK int wire_check_message(const struct wire_type *t, const void *value, struct err *err);

#endif
