/*
 * unit.c - the entry function: a loop over units of work and what each unit starts from; see
 * gen_int.h.
 */
#include "native/gen_int.h"

#include <stddef.h>

#include "base/arena.h"
#include "base/mem.h"

/* ---- the frame ----------------------------------------------------------------------------- */

static LLVMValueRef frame_load(struct gen *g, LLVMTypeRef t, size_t offset)
{
	LLVMValueRef at = gen_at(g, g->frame_arg, gen_i64(g, offset));
	LLVMValueRef v = LLVMBuildLoad2(g->b, t, at, "");

	LLVMSetAlignment(v, 4);
	return v;
}

static void load_frame(struct gen *g)
{
	struct frame_values *f = &g->f;
	uint32_t n = g->m->n_bindings;

	f->limit = frame_load(g, g->i64, offsetof(struct native_frame, limit));
	f->stop = frame_load(g, g->ptr, offsetof(struct native_frame, stop));
	f->scratch = frame_load(g, g->ptr, offsetof(struct native_frame, scratch));
	f->blocks_x = frame_load(g, g->i32, offsetof(struct native_frame, blocks_x));
	for (uint32_t d = 0; d < 3; d++) {
		f->grid[d] = frame_load(g, g->i32, offsetof(struct native_frame, grid) + 4 * d);
		f->groups[d] = frame_load(g, g->i32, offsetof(struct native_frame, groups) + 4 * d);
	}
	f->data = arena_new_array(g->arena, LLVMValueRef, n + 1);
	f->length = arena_new_array(g->arena, LLVMValueRef, n + 1);
	for (uint32_t b = 0; b < n; b++) {
		size_t at = offsetof(struct native_frame, slots) + b * sizeof(struct native_slot);

		f->data[b] = frame_load(g, g->ptr, at + offsetof(struct native_slot, data));
		f->length[b] = frame_load(g, g->i32, at + offsetof(struct native_slot, length));
	}
}

/* ---- built-in values ----------------------------------------------------------------------- */

static struct comp rem_const(struct gen *g, struct comp x, uint32_t by)
{
	struct comp d = comp_uniform(gen_i32(g, by));

	if (by == 1)
		return comp_uniform(gen_i32(g, 0));
	comp_pair(g, &x, &d);
	return comp_like(LLVMBuildURem(g->b, x.v, d.v, ""));
}

static struct comp div_const(struct gen *g, struct comp x, uint32_t by)
{
	struct comp d = comp_uniform(gen_i32(g, by));

	if (by == 1)
		return x;
	comp_pair(g, &x, &d);
	return comp_like(LLVMBuildUDiv(g->b, x.v, d.v, ""));
}

/* base + lane, lanes counted backwards where asked for. */
static struct comp lanes_from(struct gen *g, LLVMValueRef base)
{
	if (!g->o->reverse_lanes)
		return comp_affine(base, 1);
	return comp_affine(LLVMBuildAdd(g->b, base, gen_i32(g, g->L - 1), ""), -1);
}

static void set_builtin(struct gen *g, enum wgsl_builtin b, uint32_t c, struct comp v)
{
	g->builtins[b].n = c + 1 > g->builtins[b].n ? c + 1 : g->builtins[b].n;
	g->builtins[b].c[c] = v;
}

static void flat_lanes(struct gen *g)
{
	const uint32_t *size = g->m->workgroup_size;
	LLVMValueRef x0 = LLVMBuildMul(g->b, g->block, gen_i32(g, g->L), "");
	LLVMValueRef left = LLVMBuildSub(g->b, g->f.grid[0], x0, "");
	struct comp at[3] = { lanes_from(g, x0), comp_uniform(g->group[1]),
			      comp_uniform(g->group[2]) };
	struct comp index = comp_uniform(gen_i32(g, 0));
	uint32_t step = 1;

	for (uint32_t d = 0; d < 3; d++) {
		struct comp local = rem_const(g, at[d], size[d]);

		set_builtin(g, WGSL_BUILTIN_GLOBAL_ID, d, at[d]);
		set_builtin(g, WGSL_BUILTIN_LOCAL_ID, d, local);
		index = comp_add(g, index, comp_mul(g, local, comp_uniform(gen_i32(g, step))));
		step *= size[d];
	}
	set_builtin(g, WGSL_BUILTIN_LOCAL_INDEX, 0, index);
	g->entry_all = LLVMBuildICmp(g->b, LLVMIntUGE, left, gen_i32(g, g->L), "all");
	g->entry_mask.v =
	    mask_part(g, LLVMBuildICmp(g->b, LLVMIntULT, comp_vec(g, lanes_from(g, gen_i32(g, 0))),
				       gen_splat(g, left), ""));
}

/* Row blocks: local y and z are uniform. */
static void local_rows(struct gen *g, struct comp local[3])
{
	const uint32_t *size = g->m->workgroup_size;
	uint32_t per_row = size[0] / g->L;
	LLVMValueRef row = LLVMBuildUDiv(g->b, g->block, gen_i32(g, per_row), "");
	LLVMValueRef in = LLVMBuildURem(g->b, g->block, gen_i32(g, per_row), "");

	local[0] = lanes_from(g, LLVMBuildMul(g->b, in, gen_i32(g, g->L), ""));
	local[1] = rem_const(g, comp_uniform(row), size[1]);
	local[2] = div_const(g, comp_uniform(row), size[1]);
}

static void local_any(struct gen *g, struct comp index, struct comp local[3])
{
	const uint32_t *size = g->m->workgroup_size;
	struct comp row = div_const(g, index, size[0]);

	local[0] = size[1] * size[2] == 1 ? index : rem_const(g, index, size[0]);
	local[1] = rem_const(g, row, size[1]);
	local[2] = div_const(g, row, size[1]);
}

/* Active: inside the work-group and inside the grid. */
static void group_mask(struct gen *g, struct comp index)
{
	const uint32_t *size = g->m->workgroup_size;
	bool whole = g->m->uses_barriers || g->m->uses_workgroup_memory;
	LLVMValueRef all = LLVMConstAllOnes(gen_vec_type(g, g->i1)), in;
	struct mask m;

	g->entry_mask.v = NULL;
	g->entry_all = NULL;
	if (g->plan->last_partial) {
		in = gen_const(gen_vec_type(g, g->i32), size[0] * size[1] * size[2]);
		all = LLVMBuildICmp(g->b, LLVMIntULT, comp_vec(g, index), in, "");
	} else if (whole) {
		return;
	}
	for (uint32_t d = 0; d < 3 && !whole; d++) {
		in = gen_splat(g, g->f.grid[d]);
		in = LLVMBuildICmp(g->b, LLVMIntULT,
				   comp_vec(g, g->builtins[WGSL_BUILTIN_GLOBAL_ID].c[d]), in, "");
		all = LLVMBuildAnd(g->b, all, in, "");
	}
	g->entry_mask.v = mask_part(g, all);
	m = g->entry_mask;
	m.id = UINT32_MAX;
	g->entry_all = mask_all(g, m);
}

static void group_lanes(struct gen *g)
{
	const uint32_t *size = g->m->workgroup_size;
	LLVMValueRef first = LLVMBuildMul(g->b, g->block, gen_i32(g, g->L), "");
	struct comp index = lanes_from(g, first), local[3];

	if (g->plan->is_rows)
		local_rows(g, local);
	else
		local_any(g, index, local);
	for (uint32_t d = 0; d < 3; d++) {
		struct comp at =
		    comp_uniform(LLVMBuildMul(g->b, g->group[d], gen_i32(g, size[d]), ""));

		set_builtin(g, WGSL_BUILTIN_LOCAL_ID, d, local[d]);
		set_builtin(g, WGSL_BUILTIN_GLOBAL_ID, d, comp_add(g, at, local[d]));
		set_builtin(g, WGSL_BUILTIN_WORKGROUP_ID, d, comp_uniform(g->group[d]));
	}
	set_builtin(g, WGSL_BUILTIN_LOCAL_INDEX, 0, index);
	if (g->plan->subgroup > 0)
		subgroup_builtins(g);
	group_mask(g, index);
}

void unit_lanes(struct gen *g)
{
	for (uint32_t d = 0; d < 3; d++)
		set_builtin(g, WGSL_BUILTIN_NUM_WORKGROUPS, d, comp_uniform(g->f.groups[d]));
	if (g->plan->mode == NATIVE_FLAT)
		flat_lanes(g);
	else
		group_lanes(g);
	g->mask = g->entry_mask;
}

/* ---- units --------------------------------------------------------------------------------- */

/* Where the next unit is; counts up like an odometer. */
struct position {
	LLVMValueRef digit[3]; /* memory: i32 */
	LLVMValueRef size[3];  /* i32 */
	LLVMValueRef left;     /* memory: i64 */
};

static void position_start(struct gen *g, struct position *p, LLVMValueRef first,
			   LLVMValueRef count)
{
	LLVMValueRef size, rest = first;

	for (uint32_t d = 0; d < 3; d++) {
		p->size[d] = g->plan->mode == NATIVE_GROUP ? g->f.groups[d]
			     : d == 0                      ? g->f.blocks_x
							   : g->f.grid[d];
		p->digit[d] = gen_alloca(g, g->i32, "unit");
		size = LLVMBuildZExt(g->b, p->size[d], g->i64, "");
		gen_store(g, LLVMBuildTrunc(g->b, LLVMBuildURem(g->b, rest, size, ""), g->i32, ""),
			  p->digit[d]);
		rest = LLVMBuildUDiv(g->b, rest, size, "");
	}
	p->left = gen_alloca(g, g->i64, "left");
	gen_store(g, count, p->left);
}

static void position_next(struct gen *g, struct position *p)
{
	LLVMValueRef carry = gen_i32(g, 1), n, wraps;

	for (uint32_t d = 0; d < 3; d++) {
		n = LLVMBuildAdd(g->b, gen_load(g, g->i32, p->digit[d]), carry, "");
		wraps = LLVMBuildICmp(g->b, LLVMIntEQ, n, p->size[d], "");
		gen_store(g, LLVMBuildSelect(g->b, wraps, gen_i32(g, 0), n, ""), p->digit[d]);
		carry = LLVMBuildZExt(g->b, wraps, g->i32, "");
	}
	n = LLVMBuildSub(g->b, gen_load(g, g->i64, p->left), gen_i64(g, 1), "");
	gen_store(g, n, p->left);
}

static void zero_workgroup(struct gen *g)
{
	for (uint32_t n = 0; n < g->m->n_vars; n++) {
		const struct wgsl_var *v = g->m->vars[n];

		if (v->space != WGSL_SPACE_WORKGROUP)
			continue;
		LLVMBuildMemSet(g->b, gen_at(g, g->f.scratch, g->workgroup[n]),
				LLVMConstInt(g->i8, 0, false), gen_i64(g, v->type->size), 4);
	}
}

static void build_unit(struct gen *g, const struct position *p)
{
	for (uint32_t d = 0; d < 3; d++)
		g->group[d] = gen_load(g, g->i32, p->digit[d]);
	g->end = gen_block(g, "unit.end");
	if (g->plan->mode == NATIVE_GROUP) {
		zero_workgroup(g);
		region_body(g);
		return;
	}
	g->block = g->group[0];
	unit_lanes(g);
	counter_start(g);
	var_start(g);
	control_range(g, g->m->fn.body.first, NULL);
	gen_br(g, g->end);
	gen_at_end(g, g->end);
	counter_end(g);
}

static void finish(struct gen *g, uint32_t status)
{
	LLVMValueRef at = gen_at(g, g->frame_arg, gen_i64(g, offsetof(struct native_frame, used)));

	gen_store(g, gen_load(g, g->i64, g->most), at);
	LLVMBuildRet(g->b, gen_i32(g, status));
}

static void function_new(struct gen *g)
{
	LLVMTypeRef params[3] = { g->ptr, g->i64, g->i64 };

	g->fn =
	    LLVMAddFunction(g->mod, NATIVE_ENTRY,
			    LLVMFunctionType(g->i32, params, (unsigned)ARRAY_LEN(params), false));
	g->frame_arg = LLVMGetParam(g->fn, 0);
}

static void constants(struct gen *g)
{
	for (const struct wgsl_inst *i = g->m->fn.values.first; i != NULL; i = i->next)
		gen_inst(g, i);
}

void unit_build(struct gen *g)
{
	LLVMBasicBlockRef allocas, start, head, look, body, done, stopped;
	struct position p;
	LLVMValueRef v;

	function_new(g);
	allocas = gen_block(g, "allocas");
	start = gen_block(g, "start");
	LLVMPositionBuilderAtEnd(g->entry, allocas);
	gen_at_end(g, start);
	load_frame(g);
	g->most = gen_alloca(g, g->i64, "most");
	gen_store(g, frame_load(g, g->i64, offsetof(struct native_frame, used)), g->most);
	var_homes(g);
	constants(g);
	position_start(g, &p, LLVMGetParam(g->fn, 1), LLVMGetParam(g->fn, 2));
	head = gen_block(g, "units");
	look = gen_block(g, "look");
	body = gen_block(g, "unit");
	done = gen_block(g, "done");
	stopped = gen_block(g, "stopped");
	g->out_of_passes = gen_block(g, "limit");
	gen_br(g, head);
	gen_at_end(g, head);
	v = LLVMBuildICmp(g->b, LLVMIntEQ, gen_load(g, g->i64, p.left), gen_i64(g, 0), "");
	gen_if(g, v, done, look);
	gen_at_end(g, look);
	v = gen_load(g, g->i32, g->f.stop);
	LLVMSetOrdering(v, LLVMAtomicOrderingMonotonic);
	v = LLVMBuildICmp(g->b, LLVMIntEQ, v, gen_i32(g, 0), "");
	gen_if(g, v, body, stopped);
	gen_at_end(g, body);
	build_unit(g, &p);
	position_next(g, &p);
	gen_br(g, head);
	gen_at_end(g, done);
	finish(g, NATIVE_DONE);
	gen_at_end(g, stopped);
	finish(g, NATIVE_STOPPED);
	gen_at_end(g, g->out_of_passes);
	finish(g, NATIVE_ITERATION_LIMIT);
	LLVMPositionBuilderAtEnd(g->b, allocas);
	LLVMBuildBr(g->b, start);
}
