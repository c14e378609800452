/*
 * encode.h - the bytes of a result whose value stands in the status.
 */
#ifndef CLI_ENCODE_H
#define CLI_ENCODE_H

#include "base/buf.h"
#include "base/err.h"

struct doc;

/* Append the scalars of an entry of status.results, little-endian: the bytes that `run --save`
 * writes. ERR_INVALID: the value is not what `type` and `length` say, or (if it has one) its
 * SHA-256 is another. */
MUST_CHECK int encode_result(const struct doc *result, struct buf *out, struct err *err);

#endif
