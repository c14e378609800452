/*
 * ir_walk.h - the blocks of a construct, for code that treats all constructs alike.
 */
#ifndef WGSL_IR_WALK_H
#define WGSL_IR_WALK_H

#include <stdint.h>

#include "wgsl/ir.h"

/* Blocks that the instruction owns: 0 if it is no construct. */
uint32_t wgsl_n_blocks(const struct wgsl_inst *i);

/* Block n of them: a SWITCH's cases, an IF's sides, a LOOP's body and continuing part. */
const struct wgsl_block *wgsl_block_at(const struct wgsl_inst *i, uint32_t n);

#endif
