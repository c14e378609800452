/*
 * interp_value.h - what operations of the IR give for one component, written down plainly.
 */
#ifndef TEST_NATIVE_INTERP_VALUE_H
#define TEST_NATIVE_INTERP_VALUE_H

#include "wgsl/ir.h"

/* The result of a unary or binary operation, a conversion or a bitcast. Values are bits, those of
 * 32 in the low half. */
uint64_t interp_value(const struct wgsl_inst *i, uint64_t a, uint64_t b);

/* MIN, MAX and all other binary operations on integers of a kind. */
uint64_t interp_integer(enum wgsl_op op, enum wgsl_kind kind, uint64_t a, uint64_t b);

#endif
