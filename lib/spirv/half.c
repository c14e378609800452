/*
 * half.c - buffers that hold f16, as 32-bit words; see gen_int.h.
 *
 * So no device needs 16-bit storage. A buffer with f16 anywhere in it is an array of words, and
 * places in it are offsets in bytes. Other invocations may write the other half of a word at the
 * same time: a half is cleared and set by atomics, which leave the other one alone. Vectors begin
 * at whole words.
 */
#include "base/mem.h"
#include "spirv/gen_int.h"

static uint32_t word_type(struct gen *g)
{
	return spirv_type_of(g, WGSL_U32, 1);
}

static uint32_t calc(struct gen *g, enum spirv_op op, uint32_t a, uint32_t b)
{
	return spirv_value(g, op, word_type(g), ARGS(a, b));
}

static uint32_t calc_const(struct gen *g, enum spirv_op op, uint32_t a, uint32_t b)
{
	return calc(g, op, a, spirv_const_u32(g, b));
}

uint32_t spirv_half_block(struct gen *g)
{
	uint32_t array;

	if (g->words_block != 0)
		return g->words_block;
	array = spirv_id(g);
	g->words_block = spirv_id(g);
	spirv_put(g, SECTION_TYPES, OP_TYPE_RUNTIME_ARRAY, ARGS(array, word_type(g)));
	spirv_put(g, SECTION_TYPES, OP_TYPE_STRUCT, ARGS(g->words_block, array));
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(array, DECORATION_ARRAY_STRIDE, 4));
	spirv_put(g, SECTION_DECORATIONS, OP_MEMBER_DECORATE,
		  ARGS(g->words_block, 0, DECORATION_OFFSET, 0));
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(g->words_block, DECORATION_BLOCK));
	return g->words_block;
}

/* ---- places --------------------------------------------------------------------------------- */

/* In bytes. */
static uint32_t offset_of(struct gen *g, const struct wgsl_path *p)
{
	const struct wgsl_type *in = p->var->type;
	uint32_t fixed = 0, moving = 0;

	for (uint32_t k = 0; k < p->n_steps; k++) {
		const struct wgsl_step *s = &p->steps[k];
		uint32_t stride = in->kind == WGSL_VEC ? in->elem->size : in->stride, at;

		if (s->kind == WGSL_STEP_MEMBER) {
			fixed += in->members[s->index].offset;
		} else if (s->kind == WGSL_STEP_CONST && in->count > 0) {
			fixed += s->index * stride;
		} else {
			at = spirv_memory_index(g, p->var, in, s);
			at = calc_const(g, OP_I_MUL, at, stride);
			moving = moving == 0 ? at : calc(g, OP_I_ADD, moving, at);
		}
		in = s->type;
	}
	return moving == 0 ? spirv_const_u32(g, fixed) : calc_const(g, OP_I_ADD, moving, fixed);
}

/* Pointer to the n-th word from an offset on. */
static uint32_t word_at(struct gen *g, const struct wgsl_path *p, uint32_t offset, uint32_t n)
{
	uint32_t home = spirv_memory_home(g, p->var)->id;
	uint32_t pointer = spirv_type_pointer(g, CLASS_STORAGE_BUFFER, WGSL_U32, 1);
	uint32_t at = calc_const(g, OP_SHIFT_RIGHT_LOGICAL, offset, 2);

	if (n > 0)
		at = calc_const(g, OP_I_ADD, at, n);
	return spirv_value(g, OP_ACCESS_CHAIN, pointer, ARGS(home, spirv_const_u32(g, 0), at));
}

uint32_t spirv_half_place(struct gen *g, const struct wgsl_path *p)
{
	return word_at(g, p, offset_of(g, p), 0);
}

static uint32_t load_word(struct gen *g, const struct wgsl_path *p, uint32_t offset, uint32_t n)
{
	uint32_t at = word_at(g, p, offset, n);

	return spirv_value(g, OP_LOAD, word_type(g), ARGS(at));
}

static void store_word(struct gen *g, const struct wgsl_path *p, uint32_t offset, uint32_t n,
		       uint32_t v)
{
	uint32_t at = word_at(g, p, offset, n);

	spirv_put(g, SECTION_BODY, OP_STORE, ARGS(at, v));
}

/* How far the half at an offset is from the low end of its word. */
static uint32_t shift_of(struct gen *g, uint32_t offset)
{
	offset = calc_const(g, OP_BITWISE_AND, offset, 2);
	return calc_const(g, OP_SHIFT_LEFT_LOGICAL, offset, 3);
}

static void store_half(struct gen *g, const struct wgsl_path *p, uint32_t offset, uint32_t n,
		       uint32_t v)
{
	uint32_t device = spirv_const_u32(g, SCOPE_DEVICE), at = word_at(g, p, offset, n);
	uint32_t relaxed = spirv_const_u32(g, SEMANTICS_RELAXED), shift = shift_of(g, offset);
	uint32_t mask = spirv_const_u32(g, 0xffff);

	v = calc(g, OP_SHIFT_LEFT_LOGICAL, calc(g, OP_BITWISE_AND, v, mask), shift);
	mask = calc(g, OP_SHIFT_LEFT_LOGICAL, mask, shift);
	mask = spirv_value(g, OP_NOT, word_type(g), ARGS(mask));
	(void)spirv_value(g, OP_ATOMIC_AND, word_type(g), ARGS(at, device, relaxed, mask));
	(void)spirv_value(g, OP_ATOMIC_OR, word_type(g), ARGS(at, device, relaxed, v));
}

/* ---- loads and stores ----------------------------------------------------------------------- */

static uint32_t component(struct gen *g, const struct wgsl_type *t, uint32_t v, uint32_t c)
{
	uint32_t type = spirv_type_of(g, wgsl_type_base(t), 1);

	return t->kind == WGSL_VEC ? spirv_value(g, OP_COMPOSITE_EXTRACT, type, ARGS(v, c)) : v;
}

static uint32_t load_part(struct gen *g, const struct wgsl_path *p, uint32_t offset, uint32_t c)
{
	enum wgsl_kind kind = wgsl_type_base(p->type);
	uint32_t parts[2], two, v;

	if (kind == WGSL_F16) {
		v = load_word(g, p, offset, c / 2);
		if (p->type->kind != WGSL_VEC)
			v = calc(g, OP_SHIFT_RIGHT_LOGICAL, v, shift_of(g, offset));
		else if (c % 2 == 1)
			return calc_const(g, OP_SHIFT_RIGHT_LOGICAL, v, 16);
		return calc_const(g, OP_BITWISE_AND, v, 0xffff);
	}
	if (!spirv_type_is_wide(kind)) {
		v = load_word(g, p, offset, c);
		return kind == WGSL_U32
			   ? v
			   : spirv_value(g, OP_BITCAST, spirv_type_of(g, kind, 1), ARGS(v));
	}
	parts[0] = load_word(g, p, offset, 2 * c);
	parts[1] = load_word(g, p, offset, 2 * c + 1);
	two = spirv_value(g, OP_COMPOSITE_CONSTRUCT, spirv_type_of(g, WGSL_U32, 2), parts, 2);
	return spirv_value(g, OP_BITCAST, spirv_type_of(g, kind, 1), ARGS(two));
}

uint32_t spirv_half_load(struct gen *g, const struct wgsl_inst *i)
{
	uint32_t offset = offset_of(g, i->path), width = wgsl_type_width(i->type), parts[4];

	for (uint32_t c = 0; c < width; c++)
		parts[c] = load_part(g, i->path, offset, c);
	if (width == 1)
		return parts[0];
	return spirv_value(g, OP_COMPOSITE_CONSTRUCT, spirv_type_value(g, i->type), parts, width);
}

/* Components of a vector of f16, or of none; two at a time. */
static void store_halves(struct gen *g, const struct wgsl_inst *i, uint32_t offset, uint32_t v)
{
	const struct wgsl_type *t = i->args[0]->type;
	uint32_t width = wgsl_type_width(t);

	for (uint32_t c = 0; c < width; c += 2) {
		uint32_t low = component(g, t, v, c), high;

		if (c + 1 == width) {
			store_half(g, i->path, offset, c / 2, low);
			return;
		}
		low = calc_const(g, OP_BITWISE_AND, low, 0xffff);
		high = calc_const(g, OP_SHIFT_LEFT_LOGICAL, component(g, t, v, c + 1), 16);
		store_word(g, i->path, offset, c / 2, calc(g, OP_BITWISE_OR, low, high));
	}
}

void spirv_half_store(struct gen *g, const struct wgsl_inst *i)
{
	const struct wgsl_type *t = i->args[0]->type;
	uint32_t offset = offset_of(g, i->path), v = spirv_value_arg(g, i, 0);
	enum wgsl_kind kind = wgsl_type_base(i->path->type);
	uint32_t u = word_type(g), two;

	if (kind == WGSL_F16) {
		store_halves(g, i, offset, v);
		return;
	}
	for (uint32_t c = 0; c < wgsl_type_width(t); c++) {
		uint32_t x = component(g, t, v, c);

		if (!spirv_type_is_wide(kind)) {
			x = spirv_value_unsigned(g, wgsl_type_scalar(t), x);
			store_word(g, i->path, offset, c, x);
			continue;
		}
		two = spirv_value(g, OP_BITCAST, spirv_type_of(g, WGSL_U32, 2), ARGS(x));
		for (uint32_t n = 0; n < 2; n++) {
			x = spirv_value(g, OP_COMPOSITE_EXTRACT, u, ARGS(two, n));
			store_word(g, i->path, offset, 2 * c + n, x);
		}
	}
}
