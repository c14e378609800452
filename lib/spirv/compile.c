/* compile.c - the entry point, its interface, and the module as a whole; see spirv.h. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "spirv/gen_int.h"

enum { HEADER_WORDS = 5 };

_Static_assert(sizeof(struct spirv_push) == 128, "what every device offers");
_Static_assert((int)SPIRV_MAX_BINDINGS == (int)WGSL_MAX_BINDINGS, "one table");

/* ---- layout --------------------------------------------------------------------------------- */

static void layout_make(const struct wgsl_module *m, const struct plan *plan, struct arena *arena,
			struct spirv_layout *l)
{
	uint32_t beyond, pushed;

	l->n_bindings = m->n_bindings;
	for (uint32_t n = 0; n < m->n_bindings; n++) {
		const struct wgsl_binding *b = &m->bindings[n];
		struct spirv_binding *to = &l->bindings[n];

		to->binding = n;
		to->is_used = b->is_used;
		to->is_read_only = b->space == WGSL_SPACE_UNIFORM || b->access == WGSL_ACCESS_READ;
		to->is_uniform_buffer = b->space == WGSL_SPACE_UNIFORM &&
					spirv_type_fits_uniform(b->type, arena) &&
					!spirv_type_has_half(b->type, arena);
		to->array_offset = b->array_offset;
		to->array_stride = b->array_stride;
		if (b->array_stride > 0)
			to->length_slot = l->n_lengths++;
	}
	pushed = l->n_lengths < SPIRV_PUSH_LENGTHS ? l->n_lengths : SPIRV_PUSH_LENGTHS;
	beyond = l->n_lengths - pushed;
	l->control_binding = m->n_bindings;
	l->control_bytes = (SPIRV_CONTROL_LENGTHS + beyond) * 4;
	l->has_control = plan->has_counter || beyond > 0;
	l->push_bytes = (uint32_t)offsetof(struct spirv_push, lengths) + 4 * pushed;
	for (int d = 0; d < 3; d++)
		l->workgroup_size[d] = m->workgroup_size[d];
	l->workgroup_bytes = m->workgroup_bytes;
	l->whole_groups = m->uses_barriers || m->uses_workgroup_memory;
	l->subgroup_size = m->subgroup_size;
}

void spirv_set_length(const struct spirv_layout *l, uint32_t n, uint64_t size,
		      struct spirv_push *push, uint32_t *control)
{
	const struct spirv_binding *b = &l->bindings[n];
	uint64_t length = 0;
	uint32_t *to;

	ASSERT(n < l->n_bindings);
	if (b->array_stride == 0)
		return;
	if (size > b->array_offset)
		length = (size - b->array_offset) / b->array_stride;
	if (b->length_slot < SPIRV_PUSH_LENGTHS)
		to = &push->lengths[b->length_slot];
	else
		to = &control[SPIRV_CONTROL_LENGTHS + b->length_slot - SPIRV_PUSH_LENGTHS];
	*to = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
}

/* ---- the start of the body ------------------------------------------------------------------ */

/*
 * Mesa's lavapipe computes 8 (or 4) neighbours in x together, also those that a work-group of
 * another size does not have. What these load is 0, and a loop goes on until they leave it as well:
 * then the others wait at barriers that the rest of the work-group never reaches and their results
 * are lost, or no passes are left for the loops that follow. So they end before the first loop, by
 * their id (leave_padding). Where x is 1, compilers take the id for 0 instead. There another
 * dimension becomes Vulkan's x, which no index shows; and one invocation gets a second one.
 */
static void plan_work_group(struct gen *g)
{
	const uint32_t *size = g->m->workgroup_size;
	uint32_t along = 0;

	while (g->plan.has_loop && along < 3 && size[along] == 1)
		along++;
	g->is_single = along == 3;
	g->along = along % 3;
	for (int d = 0; d < 3; d++)
		g->local_size[d] = size[d];
	g->local_size[g->along] = size[0];
	g->local_size[0] = g->is_single ? 2 : size[g->along];
}

static uint32_t input(struct gen *g, uint32_t built_in, uint32_t width)
{
	uint32_t pointer = spirv_type_pointer(g, CLASS_INPUT, WGSL_U32, width), id = spirv_id(g);

	spirv_put(g, SECTION_TYPES, OP_VARIABLE, ARGS(pointer, id, CLASS_INPUT));
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(id, DECORATION_BUILT_IN, built_in));
	g->inputs[g->n_inputs++] = id;
	return spirv_value(g, OP_LOAD, spirv_type_of(g, WGSL_U32, width), ARGS(id));
}

static uint32_t local_id(struct gen *g)
{
	uint32_t id = input(g, BUILT_IN_LOCAL_ID, 3), from[3] = { 0, 1, 2 };

	from[0] = g->along;
	from[g->along] = 0;
	if (g->along > 0)
		id = spirv_value(g, OP_VECTOR_SHUFFLE, spirv_type_of(g, WGSL_U32, 3),
				 ARGS(id, id, from[0], from[1], from[2]));
	return id;
}

/* Shuffles use the first two. */
static void load_subgroup(struct gen *g, const bool uses[WGSL_BUILTIN_COUNT_])
{
	static const uint32_t from[] = {
		[0] = BUILT_IN_SUBGROUP_INVOCATION_ID,
		[1] = BUILT_IN_SUBGROUP_SIZE,
		[2] = BUILT_IN_SUBGROUP_ID,
		[3] = BUILT_IN_NUM_SUBGROUPS,
	};

	if (!g->o->subgroups)
		spirv_fail(g, ERR_INVALID, "subgroups, which the device does not have");
	else if ((g->m->subgroup_size & ~g->o->subgroup_sizes) != 0)
		spirv_fail(g, ERR_INVALID,
			   "subgroups of a size that the device cannot be asked for");
	g->subgroup_uses = 1;
	for (uint32_t k = 0; k < ARRAY_LEN(from); k++)
		if (k < 2 || uses[WGSL_BUILTIN_SUBGROUP_INVOCATION_ID + k])
			g->builtins[WGSL_BUILTIN_SUBGROUP_INVOCATION_ID + k] = input(g, from[k], 1);
}

/* Logical ids: those of the dispatch plus where it begins. */
static void load_builtins(struct gen *g, const bool uses[WGSL_BUILTIN_COUNT_])
{
	uint32_t three = spirv_type_of(g, WGSL_U32, 3), *b = g->builtins, size[3];
	bool global = uses[WGSL_BUILTIN_GLOBAL_ID];

	if (uses[WGSL_BUILTIN_LOCAL_ID] || global)
		b[WGSL_BUILTIN_LOCAL_ID] = local_id(g);
	if (uses[WGSL_BUILTIN_LOCAL_INDEX])
		b[WGSL_BUILTIN_LOCAL_INDEX] = input(g, BUILT_IN_LOCAL_INDEX, 1);
	if (uses[WGSL_BUILTIN_NUM_WORKGROUPS])
		b[WGSL_BUILTIN_NUM_WORKGROUPS] = spirv_memory_push(g, PUSH_GROUPS, 3);
	if (uses[WGSL_BUILTIN_WORKGROUP_ID] || global) {
		b[WGSL_BUILTIN_WORKGROUP_ID] = input(g, BUILT_IN_WORKGROUP_ID, 3);
		b[WGSL_BUILTIN_WORKGROUP_ID] = spirv_value(
		    g, OP_I_ADD, three,
		    ARGS(b[WGSL_BUILTIN_WORKGROUP_ID], spirv_memory_push(g, PUSH_BASE, 3)));
	}
	if (!global)
		return;
	for (int d = 0; d < 3; d++)
		size[d] = spirv_const_u32(g, g->m->workgroup_size[d]);
	b[WGSL_BUILTIN_GLOBAL_ID] = spirv_value(g, OP_COMPOSITE_CONSTRUCT, three, size, 3);
	b[WGSL_BUILTIN_GLOBAL_ID] = spirv_value(
	    g, OP_I_MUL, three, ARGS(b[WGSL_BUILTIN_WORKGROUP_ID], b[WGSL_BUILTIN_GLOBAL_ID]));
	b[WGSL_BUILTIN_GLOBAL_ID] = spirv_value(
	    g, OP_I_ADD, three, ARGS(b[WGSL_BUILTIN_GLOBAL_ID], b[WGSL_BUILTIN_LOCAL_ID]));
}

/* Invocations outside of the grid end. A kernel with whole work-groups has none. */
static void leave_outside(struct gen *g)
{
	uint32_t bools = spirv_type_of(g, WGSL_BOOL, 3), one = spirv_type_of(g, WGSL_BOOL, 1), in,
		 merge;

	if (g->layout->whole_groups)
		return;
	in = spirv_memory_push(g, PUSH_INVOCATIONS, 3);
	in = spirv_value(g, OP_U_LESS, bools, ARGS(g->builtins[WGSL_BUILTIN_GLOBAL_ID], in));
	in = spirv_value(g, OP_ALL, one, ARGS(in));
	merge = spirv_if(g, spirv_value(g, OP_LOGICAL_NOT, one, ARGS(in)));
	spirv_return(g);
	spirv_if_end(g, merge);
}

static bool has_padding(const struct gen *g)
{
	return g->plan.has_loop && g->local_size[0] % 8 != 0;
}

/* See plan_work_group. */
static void leave_padding(struct gen *g)
{
	uint32_t u = spirv_type_of(g, WGSL_U32, 1), at = g->builtins[WGSL_BUILTIN_LOCAL_ID], size,
		 merge;

	if (!has_padding(g))
		return;
	at = spirv_value(g, OP_COMPOSITE_EXTRACT, u, ARGS(at, g->along));
	size = spirv_const_u32(g, g->m->workgroup_size[g->along]);
	merge = spirv_if(
	    g, spirv_value(g, OP_U_GREATER_EQUAL, spirv_type_of(g, WGSL_BOOL, 1), ARGS(at, size)));
	spirv_return(g);
	spirv_if_end(g, merge);
}

static void free_values(struct gen *g)
{
	bool uses[WGSL_BUILTIN_COUNT_] = { [WGSL_BUILTIN_LOCAL_INDEX] = g->layout->whole_groups,
					   [WGSL_BUILTIN_GLOBAL_ID] = !g->layout->whole_groups,
					   [WGSL_BUILTIN_LOCAL_ID] = has_padding(g) };

	for (const struct wgsl_inst *i = g->m->fn.values.first; i != NULL; i = i->next)
		if (i->op == WGSL_OP_BUILTIN)
			uses[i->u.builtin] = true;
	load_builtins(g, uses);
	if (g->m->uses_subgroups)
		load_subgroup(g, uses);
	for (const struct wgsl_inst *i = g->m->fn.values.first; i != NULL; i = i->next)
		g->ids[i->id] =
		    i->op == WGSL_OP_BUILTIN ? g->builtins[i->u.builtin] : spirv_const_inst(g, i);
}

/* ---- functions ------------------------------------------------------------------------------ */

static void function_start(struct gen *g, enum section s, uint32_t id)
{
	spirv_put(g, s, OP_FUNCTION, ARGS(g->void_type, id, 0, g->void_fn));
	spirv_put(g, s, OP_LABEL, ARGS(spirv_id(g)));
	g->is_dead = false;
}

static void function_end(struct gen *g)
{
	spirv_return(g);
	spirv_put(g, SECTION_BODY, OP_FUNCTION_END, NULL, 0);
}

static void build_body(struct gen *g, uint32_t id)
{
	function_start(g, SECTION_LOCALS, id);
	g->zero = spirv_memory_push(g, PUSH_ZERO, 1);
	spirv_memory_lengths(g);
	spirv_counter_start(g);
	free_values(g);
	leave_outside(g);
	leave_padding(g);
	if (g->m->uses_workgroup_memory || g->ended != 0)
		spirv_zero_workgroup(g);
	spirv_zero_start(g);
	spirv_control_block(g, &g->m->fn.body);
	function_end(g);
}

static uint32_t build_functions(struct gen *g)
{
	uint32_t main = spirv_id(g), body = spirv_id(g);
	struct words none = { 0 };

	g->void_type = spirv_id(g);
	g->void_fn = spirv_id(g);
	spirv_put(g, SECTION_TYPES, OP_TYPE_VOID, ARGS(g->void_type));
	spirv_put(g, SECTION_TYPES, OP_TYPE_FUNCTION, ARGS(g->void_fn, g->void_type));
	if (!g->plan.has_counter) {
		build_body(g, main);
		return main;
	}
	function_start(g, SECTION_BODY, main);
	spirv_counter_wrapper(g, body);
	function_end(g);
	g->sections[SECTION_MAIN] = g->sections[SECTION_BODY];
	g->sections[SECTION_BODY] = none;
	build_body(g, body);
	return main;
}

/* ---- the module ----------------------------------------------------------------------------- */

static void subgroup_capabilities(struct gen *g)
{
	for (uint32_t k = 0; k < 32; k++)
		if ((g->subgroup_uses & 1U << k) != 0)
			spirv_put(g, SECTION_HEAD, OP_CAPABILITY, ARGS(CAPABILITY_SUBGROUP + k));
}

static void build_head(struct gen *g, uint32_t main)
{
	const struct spirv_options *o = g->o;
	const uint32_t *size = g->local_size;
	bool has_f64 = g->values[WGSL_F64][1] != 0;
	const struct {
		uint32_t capability, mode;
		bool on_f32, on_f64;
	} floats[] = {
		{ CAPABILITY_ROUNDING_RTE, MODE_ROUNDING_RTE, o->rte32, has_f64 && o->rte64 },
		{ CAPABILITY_DENORM_PRESERVE, MODE_DENORM_PRESERVE, o->denorm_preserve32,
		  has_f64 && o->denorm_preserve64 },
		{ CAPABILITY_SIGNED_ZERO_INF_NAN, MODE_SIGNED_ZERO_INF_NAN,
		  o->signed_zero_inf_nan32, has_f64 && o->signed_zero_inf_nan64 },
	};
	uint32_t all[16], n;
	bool any = false;

	spirv_put(g, SECTION_HEAD, OP_CAPABILITY, ARGS(CAPABILITY_SHADER));
	if (g->values[WGSL_I64][1] != 0 || g->values[WGSL_U64][1] != 0)
		spirv_put(g, SECTION_HEAD, OP_CAPABILITY, ARGS(CAPABILITY_INT64));
	if (has_f64)
		spirv_put(g, SECTION_HEAD, OP_CAPABILITY, ARGS(CAPABILITY_FLOAT64));
	subgroup_capabilities(g);
	for (n = 0; n < ARRAY_LEN(floats); n++) {
		if (!floats[n].on_f32 && !floats[n].on_f64)
			continue;
		any = true;
		spirv_put(g, SECTION_HEAD, OP_CAPABILITY, ARGS(floats[n].capability));
	}
	if (any)
		spirv_put(g, SECTION_HEAD, OP_EXTENSION, all,
			  spirv_text("SPV_KHR_float_controls", all));
	all[0] = g->glsl;
	spirv_put(g, SECTION_HEAD, OP_EXT_INST_IMPORT, all,
		  1 + spirv_text("GLSL.std.450", &all[1]));
	spirv_put(g, SECTION_HEAD, OP_MEMORY_MODEL, ARGS(0, MEMORY_GLSL450));
	all[0] = MODEL_GL_COMPUTE;
	all[1] = main;
	n = 2 + spirv_text("main", &all[2]);
	for (uint32_t k = 0; k < g->n_inputs; k++)
		all[n++] = g->inputs[k];
	spirv_put(g, SECTION_HEAD, OP_ENTRY_POINT, all, n);
	spirv_put(g, SECTION_HEAD, OP_EXECUTION_MODE,
		  ARGS(main, MODE_LOCAL_SIZE, size[0], size[1], size[2]));
	for (n = 0; n < ARRAY_LEN(floats); n++) {
		if (floats[n].on_f32)
			spirv_put(g, SECTION_HEAD, OP_EXECUTION_MODE,
				  ARGS(main, floats[n].mode, 32));
		if (floats[n].on_f64)
			spirv_put(g, SECTION_HEAD, OP_EXECUTION_MODE,
				  ARGS(main, floats[n].mode, 64));
	}
}

MUST_CHECK static int assemble(struct gen *g, struct buf *words, struct err *err)
{
	const uint32_t header[HEADER_WORDS] = { SPIRV_MAGIC, SPIRV_VERSION_1_3, 0, g->next_id, 0 };
	size_t n = HEADER_WORDS;
	char *at;

	for (int s = 0; s < SECTION_COUNT_; s++)
		n += g->sections[s].n;
	if (buf_space(words, 4 * n, &at, err) < 0)
		return err_wrap(err, "spirv");
	memcpy(at, header, sizeof(header));
	at += sizeof(header);
	for (int s = 0; s < SECTION_COUNT_; s++) {
		if (g->sections[s].n > 0)
			memcpy(at, g->sections[s].at, 4 * g->sections[s].n);
		at += 4 * g->sections[s].n;
	}
	buf_commit(words, 4 * n);
	return 0;
}

MUST_CHECK static int check_types(const struct wgsl_needs *n, const struct spirv_options *o,
				  struct err *err)
{
	if (n->f64 && !(o->float64 && o->int64))
		return err_set(err, ERR_INVALID, "spirv: the device has no f64");
	if (n->i64 && !o->int64)
		return err_set(err, ERR_INVALID, "spirv: the device has no i64");
	return 0;
}

int spirv_compile(const struct wgsl_module *m, const struct spirv_options *o, struct buf *words,
		  struct spirv_layout *ret, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct spirv_layout layout = { 0 };
	struct gen g = { .m = m, .o = o, .arena = &arena, .err = err, .layout = &layout };
	uint32_t main;

	if (check_types(&m->needs, o, err) < 0)
		return err->code;
	spirv_plan_make(m, o, &arena, &g.plan);
	plan_work_group(&g);
	layout_make(m, &g.plan, &arena, &layout);
	g.max_words = SPIRV_MAX_BYTES / 4;
	g.next_id = 1;
	g.ids = arena_new_array(&arena, uint32_t, (size_t)m->fn.n_insts + 1);
	g.vars = arena_new_array(&arena, struct var_home, (size_t)m->n_vars + 1);
	g.glsl = spirv_id(&g);
	main = build_functions(&g);
	build_head(&g, main);
	if (err->code != 0 || assemble(&g, words, err) < 0)
		return err->code;
	*ret = layout;
	return 0;
}
