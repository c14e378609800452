/* ir_walk.c - see ir_walk.h. */
#include "wgsl/ir_walk.h"

uint32_t wgsl_n_blocks(const struct wgsl_inst *i)
{
	if (i->op == WGSL_OP_SWITCH)
		return i->n_cases;
	if (i->op == WGSL_OP_IF || i->op == WGSL_OP_LOOP)
		return 2;
	return i->op == WGSL_OP_SCOPE ? 1 : 0;
}

const struct wgsl_block *wgsl_block_at(const struct wgsl_inst *i, uint32_t n)
{
	return i->op == WGSL_OP_SWITCH ? &i->cases[n].block : &i->blocks[n];
}
