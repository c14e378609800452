/*
 * counter.c - the iterations of an invocation; see gen_int.h and plan.c.
 *
 * A variable of the module holds how many passes are left. The entry point is a wrapper then: it
 * calls the body, which may return anywhere, and tells the host the largest number of passes.
 */
#include "spirv/gen_int.h"

static uint32_t word_type(struct gen *g)
{
	return spirv_type_of(g, WGSL_U32, 1);
}

static uint32_t is_equal(struct gen *g, uint32_t a, uint32_t v)
{
	return spirv_value(g, OP_I_EQUAL, spirv_type_of(g, WGSL_BOOL, 1),
			   ARGS(a, spirv_const_u32(g, v)));
}

void spirv_counter_wrapper(struct gen *g, uint32_t body)
{
	uint32_t u = word_type(g), device = spirv_const_u32(g, SCOPE_DEVICE), more, merge;
	uint32_t relaxed = spirv_const_u32(g, SEMANTICS_RELAXED), limit, used, most, at, pointer;

	pointer = spirv_type_pointer(g, CLASS_PRIVATE, WGSL_U32, 1);
	g->left = spirv_id(g);
	spirv_put(g, SECTION_TYPES, OP_VARIABLE, ARGS(pointer, g->left, CLASS_PRIVATE));
	limit = spirv_memory_push(g, PUSH_LIMIT, 1);
	limit =
	    spirv_value_select(g, u, is_equal(g, limit, 0), spirv_const_u32(g, UINT32_MAX), limit);
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(g->left, limit));
	(void)spirv_value(g, OP_FUNCTION_CALL, g->void_type, ARGS(body));
	used = spirv_value(g, OP_LOAD, u, ARGS(g->left));
	used = spirv_value(g, OP_I_SUB, u, ARGS(limit, used));
	/* Most invocations only look: all would have to wait for each other's writes. */
	at = spirv_memory_control(g, SPIRV_CONTROL_USED);
	most = spirv_value(g, OP_ATOMIC_LOAD, u, ARGS(at, device, relaxed));
	more = spirv_value(g, OP_U_GREATER, spirv_type_of(g, WGSL_BOOL, 1), ARGS(used, most));
	merge = spirv_if(g, more);
	(void)spirv_value(g, OP_ATOMIC_U_MAX, u, ARGS(at, device, relaxed, used));
	spirv_if_end(g, merge);
}

void spirv_counter_start(struct gen *g)
{
	uint32_t pointer, two;

	if (g->plan.is_together)
		return;
	two = spirv_type_of(g, WGSL_U32, 2);
	pointer = spirv_type_pointer(g, CLASS_WORKGROUP, WGSL_U32, 2);
	g->ended = spirv_id(g);
	spirv_put(g, SECTION_TYPES, OP_VARIABLE, ARGS(pointer, g->ended, CLASS_WORKGROUP));
	g->layout->workgroup_bytes += two != 0 ? 8 : 0;
	g->epoch = spirv_memory_local(g, spirv_type_pointer(g, CLASS_FUNCTION, WGSL_U32, 1),
				      spirv_const_u32(g, 0));
}

static uint32_t ended_at(struct gen *g, uint32_t epoch)
{
	uint32_t pointer = spirv_type_pointer(g, CLASS_WORKGROUP, WGSL_U32, 1);

	return spirv_value(g, OP_ACCESS_CHAIN, pointer, ARGS(g->ended, epoch));
}

/* This invocation has no iterations left. */
static void run_out(struct gen *g, const struct wgsl_inst *loop)
{
	uint32_t u = word_type(g), relaxed = spirv_const_u32(g, SEMANTICS_RELAXED), at, epoch;
	bool ends = g->plan.is_together || (g->guard == GUARD_RETURN && !loop->has_barrier);

	at = spirv_memory_control(g, SPIRV_CONTROL_LIMIT);
	spirv_put(g, SECTION_BODY, OP_ATOMIC_STORE,
		  ARGS(at, spirv_const_u32(g, SCOPE_DEVICE), relaxed, spirv_const_u32(g, 1)));
	if (ends) {
		spirv_return(g);
		return;
	}
	epoch = spirv_value(g, OP_LOAD, u, ARGS(g->epoch));
	spirv_put(g, SECTION_BODY, OP_ATOMIC_STORE,
		  ARGS(ended_at(g, epoch), spirv_const_u32(g, SCOPE_WORKGROUP), relaxed,
		       spirv_const_u32(g, 1)));
	if (!loop->has_barrier)
		spirv_control_exit(g, g->guarded, FRAME_GUARD);
}

void spirv_counter_pass(struct gen *g, const struct wgsl_inst *loop)
{
	uint32_t u = word_type(g), left, merge;

	if (!loop->needs_counter || !g->plan.has_counter)
		return;
	left = spirv_value(g, OP_LOAD, u, ARGS(g->left));
	merge = spirv_if(g, is_equal(g, left, 0));
	run_out(g, loop);
	spirv_if_end(g, merge);
	if (loop->has_barrier && !g->plan.is_together)
		spirv_counter_meet(g);
	left = spirv_value(g, OP_I_SUB, u, ARGS(left, spirv_const_u32(g, 1)));
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(g->left, left));
}

/*
 * Who runs out between two meetings writes to the word of the second one. The first one's is not
 * written before all have looked at it, so one barrier is enough.
 */
void spirv_counter_meet(struct gen *g)
{
	uint32_t u = word_type(g), epoch, ended, merge;

	epoch = spirv_value(g, OP_LOAD, u, ARGS(g->epoch));
	spirv_memory_barrier(g, true, false);
	ended = spirv_value(g, OP_LOAD, u, ARGS(ended_at(g, epoch)));
	epoch = spirv_value(g, OP_BITWISE_XOR, u, ARGS(epoch, spirv_const_u32(g, 1)));
	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(g->epoch, epoch));
	merge = spirv_if(g, spirv_value(g, OP_I_NOT_EQUAL, spirv_type_of(g, WGSL_BOOL, 1),
					ARGS(ended, spirv_const_u32(g, 0))));
	spirv_return(g);
	spirv_if_end(g, merge);
}
