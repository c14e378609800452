/* type.c - types, pointers and constants of the module; see gen_int.h. */
#include "base/arena.h"
#include "base/mem.h"
#include "spirv/gen_int.h"

/* ---- values --------------------------------------------------------------------------------- */

static uint32_t declare(struct gen *g, enum spirv_op op, const uint32_t *args, uint32_t n)
{
	uint32_t all[8] = { spirv_id(g) };

	ASSERT(n < ARRAY_LEN(all));
	for (uint32_t k = 0; k < n; k++)
		all[k + 1] = args[k];
	spirv_put(g, SECTION_TYPES, op, all, n + 1);
	return all[0];
}

static uint32_t declare_scalar(struct gen *g, enum wgsl_kind kind)
{
	if (kind == WGSL_BOOL)
		return declare(g, OP_TYPE_BOOL, NULL, 0);
	if (kind == WGSL_F32)
		return declare(g, OP_TYPE_FLOAT, ARGS(32));
	if (!spirv_type_is_wide(kind))
		return declare(g, OP_TYPE_INT, ARGS(32, kind == WGSL_I32));
	if (kind == WGSL_F64)
		return declare(g, OP_TYPE_FLOAT, ARGS(64));
	return declare(g, OP_TYPE_INT, ARGS(64, kind == WGSL_I64));
}

bool spirv_type_is_wide(enum wgsl_kind kind)
{
	return kind == WGSL_I64 || kind == WGSL_U64 || kind == WGSL_F64;
}

enum wgsl_kind spirv_type_bits(enum wgsl_kind kind)
{
	return spirv_type_is_wide(kind) ? WGSL_U64 : WGSL_U32;
}

uint32_t spirv_type_of(struct gen *g, enum wgsl_kind kind, uint32_t width)
{
	if (kind < WGSL_BOOL || kind > WGSL_F64 || kind == WGSL_F16 || width == 0 ||
	    width >= WIDTHS) {
		spirv_fail(g, ERR_INVALID, "a value of a type that has none");
		return 1;
	}
	if (g->values[kind][width] != 0)
		return g->values[kind][width];
	if (width == 1) {
		g->values[kind][1] = declare_scalar(g, kind);
	} else {
		uint32_t elem = spirv_type_of(g, kind, 1);

		g->values[kind][width] = declare(g, OP_TYPE_VECTOR, ARGS(elem, width));
	}
	return g->values[kind][width];
}

uint32_t spirv_type_value(struct gen *g, const struct wgsl_type *t)
{
	return spirv_type_of(g, wgsl_type_base(t), wgsl_type_width(t));
}

uint32_t spirv_type_pointer_to(struct gen *g, enum spirv_class in, uint32_t type)
{
	return declare(g, OP_TYPE_POINTER, ARGS(in, type));
}

uint32_t spirv_type_pointer(struct gen *g, enum spirv_class in, enum wgsl_kind kind, uint32_t width)
{
	uint32_t type = spirv_type_of(g, kind, width);

	if (g->err->code != 0)
		return 1;
	if (g->pointers[in][kind][width] == 0)
		g->pointers[in][kind][width] = spirv_type_pointer_to(g, in, type);
	return g->pointers[in][kind][width];
}

/* ---- memory --------------------------------------------------------------------------------- */

static void decorate(struct gen *g, uint32_t type, uint32_t what, uint32_t value)
{
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(type, what, value));
}

static void decorate_member(struct gen *g, uint32_t type, uint32_t n, uint32_t offset,
			    const struct wgsl_type *t)
{
	const enum spirv_op op = OP_MEMBER_DECORATE;

	spirv_put(g, SECTION_DECORATIONS, op, ARGS(type, n, DECORATION_OFFSET, offset));
	while (t->kind == WGSL_ARRAY)
		t = t->elem;
	if (t->kind != WGSL_MAT)
		return;
	spirv_put(g, SECTION_DECORATIONS, op, ARGS(type, n, DECORATION_COL_MAJOR));
	spirv_put(g, SECTION_DECORATIONS, op, ARGS(type, n, DECORATION_MATRIX_STRIDE, t->stride));
}

static uint32_t declare_matrix(struct gen *g, const struct wgsl_type *t)
{
	uint32_t rows = wgsl_type_width(t->elem), column = spirv_type_value(g, t->elem);
	uint32_t *id = &g->matrices[wgsl_type_base(t->elem) == WGSL_F64][t->count][rows];

	if (*id == 0)
		*id = declare(g, OP_TYPE_MATRIX, ARGS(column, t->count));
	return *id;
}

static uint32_t declare_array(struct gen *g, const struct wgsl_type *t, bool has_layout)
{
	uint32_t elem = spirv_type_memory(g, t->elem, has_layout), id;

	if (t->count == 0)
		id = declare(g, OP_TYPE_RUNTIME_ARRAY, ARGS(elem));
	else
		id = declare(g, OP_TYPE_ARRAY, ARGS(elem, spirv_const_u32(g, t->count)));
	if (has_layout)
		decorate(g, id, DECORATION_ARRAY_STRIDE, t->stride);
	return id;
}

static uint32_t declare_struct(struct gen *g, const struct wgsl_type *t, bool has_layout)
{
	uint32_t *all = arena_new_array(g->arena, uint32_t, (size_t)t->n_members + 1);

	for (uint32_t n = 0; n < t->n_members; n++)
		all[n + 1] = spirv_type_memory(g, t->members[n].type, has_layout);
	all[0] = spirv_id(g);
	spirv_put(g, SECTION_TYPES, OP_TYPE_STRUCT, all, t->n_members + 1);
	for (uint32_t n = 0; n < t->n_members && has_layout; n++)
		decorate_member(g, all[0], n, t->members[n].offset, t->members[n].type);
	return all[0];
}

uint32_t spirv_type_memory(struct gen *g, const struct wgsl_type *t, bool has_layout)
{
	uint32_t id;

	if (t->kind == WGSL_ATOMIC)
		return spirv_type_value(g, t->elem);
	if (has_layout && wgsl_type_base(t) == WGSL_BOOL)
		spirv_fail(g, ERR_INVALID, "bool in a buffer");
	if (t->kind == WGSL_MAT)
		return declare_matrix(g, t);
	if (t->kind != WGSL_ARRAY && t->kind != WGSL_STRUCT)
		return spirv_type_value(g, t);
	arena_reserve(g->arena, &g->types[has_layout], &g->cap_types[has_layout], t->id,
		      sizeof(uint32_t));
	if (g->types[has_layout][t->id] != 0)
		return g->types[has_layout][t->id];
	id = t->kind == WGSL_ARRAY ? declare_array(g, t, has_layout)
				   : declare_struct(g, t, has_layout);
	g->types[has_layout][t->id] = id;
	return id;
}

uint32_t spirv_type_block(struct gen *g, const struct wgsl_type *t)
{
	uint32_t id;

	if (t->kind == WGSL_STRUCT) {
		id = declare_struct(g, t, true);
	} else {
		id = declare(g, OP_TYPE_STRUCT, ARGS(spirv_type_memory(g, t, true)));
		decorate_member(g, id, 0, 0, t);
	}
	spirv_put(g, SECTION_DECORATIONS, OP_DECORATE, ARGS(id, DECORATION_BLOCK));
	return id;
}

static bool is_narrow_matrix(const struct wgsl_type *t)
{
	return t->kind == WGSL_MAT && wgsl_type_width(t->elem) == 2 &&
	       wgsl_type_base(t->elem) == WGSL_F32;
}

static bool is_half(const struct wgsl_type *t)
{
	return wgsl_type_base(t->kind == WGSL_MAT ? t->elem : t) == WGSL_F16;
}

/*
 * In Vulkan's uniform buffers, as in WGSL's without uniform_buffer_standard_layout, elements of
 * arrays are a multiple of 16 bytes apart, structs and arrays begin at one, and what follows a
 * struct does not use the padding up to one. Is something denser than that?
 */
static bool is_dense(const struct wgsl_type *t)
{
	if (t->kind == WGSL_ARRAY)
		return t->stride % 16 != 0;
	for (uint32_t n = 0; t->kind == WGSL_STRUCT && n < t->n_members; n++) {
		const struct wgsl_member *m = &t->members[n], *before = n > 0 ? m - 1 : NULL;
		bool is_composite = m->type->kind == WGSL_STRUCT || m->type->kind == WGSL_ARRAY;

		if (is_composite && m->offset % 16 != 0)
			return true;
		if (before != NULL && before->type->kind == WGSL_STRUCT &&
		    m->offset - before->offset < (before->type->size + 15) / 16 * 16)
			return true;
	}
	return false;
}

struct search {
	bool (*is)(const struct wgsl_type *t);
	bool (*is_composite)(const struct wgsl_type *t); /* of arrays and structs; may be NULL */
	struct arena *arena;
	bool *seen;
	size_t cap;
};

/* Types are a graph: each struct is looked at once. */
static bool has(struct search *s, const struct wgsl_type *t)
{
	for (; t->kind == WGSL_ARRAY; t = t->elem)
		if (s->is_composite != NULL && s->is_composite(t))
			return true;
	if (t->kind != WGSL_STRUCT)
		return s->is(t);
	if (s->is_composite != NULL && s->is_composite(t))
		return true;
	arena_reserve(s->arena, &s->seen, &s->cap, t->id, sizeof(bool));
	if (s->seen[t->id])
		return false;
	s->seen[t->id] = true;
	for (uint32_t n = 0; n < t->n_members; n++)
		if (has(s, t->members[n].type))
			return true;
	return false;
}

bool spirv_type_fits_uniform(const struct wgsl_type *t, struct arena *arena)
{
	struct search s = { .is = is_narrow_matrix, .is_composite = is_dense, .arena = arena };

	return !has(&s, t);
}

bool spirv_type_has_half(const struct wgsl_type *t, struct arena *arena)
{
	return has(&(struct search){ .is = is_half, .arena = arena }, t);
}

/* ---- constants ------------------------------------------------------------------------------ */

static size_t hash_of(const uint32_t key[6])
{
	uint32_t h = 2166136261U;

	for (int k = 0; k < 6; k++)
		h = ((h ^ key[k]) * 16777619U) ^ (h >> 15);
	return h;
}

static struct const_entry *find(struct const_entry *table, size_t cap, const uint32_t key[6])
{
	size_t at = hash_of(key) & (cap - 1);
	for (;; at = (at + 1) & (cap - 1)) {
		struct const_entry *e = &table[at];
		bool is_equal = e->id != 0;

		for (int k = 0; k < 6 && is_equal; k++)
			is_equal = e->key[k] == key[k];
		if (e->id == 0 || is_equal)
			return e;
	}
}

static void grow(struct gen *g)
{
	size_t cap = g->cap_consts ? 2 * g->cap_consts : 64;
	struct const_entry *table = arena_new_array(g->arena, struct const_entry, cap);

	for (size_t n = 0; n < g->cap_consts; n++)
		if (g->consts[n].id != 0)
			*find(table, cap, g->consts[n].key) = g->consts[n];
	g->consts = table;
	g->cap_consts = cap;
}

/* op, type, operands: the constant that is so, declared once. */
static uint32_t constant(struct gen *g, enum spirv_op op, uint32_t type, const uint32_t *args,
			 uint32_t n)
{
	uint32_t key[6] = { op, type }, all[6] = { type };
	struct const_entry *e;

	if (2 * g->n_consts >= g->cap_consts)
		grow(g);
	for (uint32_t k = 0; k < n; k++)
		key[k + 2] = all[k + 2] = args[k];
	e = find(g->consts, g->cap_consts, key);
	if (e->id != 0)
		return e->id;
	all[1] = spirv_id(g);
	*e = (struct const_entry){ .id = all[1] };
	for (int k = 0; k < 6; k++)
		e->key[k] = key[k];
	g->n_consts++;
	spirv_put(g, SECTION_TYPES, op, all, n + 2);
	return all[1];
}

uint32_t spirv_const_of(struct gen *g, enum wgsl_kind kind, uint64_t bits)
{
	uint32_t type = spirv_type_of(g, kind, 1);

	if (kind == WGSL_BOOL)
		return constant(g, bits ? OP_CONSTANT_TRUE : OP_CONSTANT_FALSE, type, NULL, 0);
	if (spirv_type_is_wide(kind))
		return constant(g, OP_CONSTANT, type, ARGS((uint32_t)bits, (uint32_t)(bits >> 32)));
	return constant(g, OP_CONSTANT, type, ARGS((uint32_t)bits));
}

uint32_t spirv_const_u32(struct gen *g, uint32_t v)
{
	return spirv_const_of(g, WGSL_U32, v);
}

static uint32_t const_vector(struct gen *g, enum wgsl_kind kind, uint32_t width,
			     const uint64_t bits[4])
{
	uint32_t ids[4];

	if (width == 1)
		return spirv_const_of(g, kind, bits[0]);
	for (uint32_t c = 0; c < width; c++)
		ids[c] = spirv_const_of(g, kind, bits[c]);
	return constant(g, OP_CONSTANT_COMPOSITE, spirv_type_of(g, kind, width), ids, width);
}

uint32_t spirv_const_splat(struct gen *g, enum wgsl_kind kind, uint32_t width, uint64_t bits)
{
	const uint64_t all[4] = { bits, bits, bits, bits };

	return const_vector(g, kind, width, all);
}

/* Does Mesa take it for another constant, or forget its sign? See spirv_const_inst. */
static bool is_mistaken(const struct wgsl_inst *i)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);
	uint64_t minus_one = kind == WGSL_F64 ? 0xbff0000000000000 : 0xbf800000;
	uint64_t no_sign = kind == WGSL_F64 ? INT64_MAX : INT32_MAX;
	bool any = false;

	for (uint32_t c = 0; c < wgsl_type_width(i->type); c++)
		any = any || i->u.bits[c] == minus_one ||
		      (wgsl_type_is_float(i->type) && (i->u.bits[c] & no_sign) == 0);
	return any;
}

uint32_t spirv_const_unknown(struct gen *g, enum wgsl_kind unsign, uint32_t width, uint32_t x)
{
	uint32_t type = spirv_type_of(g, unsign, width), zero = g->zero;

	if (unsign == WGSL_U64)
		zero = spirv_value(g, OP_U_CONVERT, spirv_type_of(g, unsign, 1), ARGS(zero));
	if (width > 1)
		zero = spirv_value(g, OP_COMPOSITE_CONSTRUCT, type,
				   (uint32_t[]){ zero, zero, zero, zero }, width);
	return spirv_value(g, OP_BITWISE_XOR, type, ARGS(x, zero));
}

static uint32_t const_hidden(struct gen *g, enum wgsl_kind kind, uint32_t width,
			     const uint64_t bits[4])
{
	enum wgsl_kind unsign = spirv_type_bits(kind);
	uint32_t id = const_vector(g, unsign, width, bits);

	id = spirv_const_unknown(g, unsign, width, id);
	return kind == unsign ? id
			      : spirv_value(g, OP_BITCAST, spirv_type_of(g, kind, width), ARGS(id));
}

/*
 * Mesa compares constants with those of its rules as floats, where -0 equals 0: it takes c ? -1 : 0
 * for -float(c), and c ? 1 : -0 for float(c), which have a zero of the other sign; its software
 * driver takes x + 0, 0 - x and x * 0 for x, -x and 0. So these constants are made from a word of
 * the push constants that is 0.
 */
uint32_t spirv_const_inst(struct gen *g, const struct wgsl_inst *i)
{
	enum wgsl_kind kind = wgsl_type_base(i->type);

	if (is_mistaken(i))
		return const_hidden(g, kind, wgsl_type_width(i->type), i->u.bits);
	return const_vector(g, kind, wgsl_type_width(i->type), i->u.bits);
}

uint32_t spirv_const_zero(struct gen *g, const struct wgsl_type *t)
{
	static const uint64_t bits[4];
	enum wgsl_kind kind = wgsl_type_base(t);

	if (t->kind != WGSL_VEC && !wgsl_type_is_scalar(t))
		return spirv_const_null(g, spirv_type_memory(g, t, false));
	if (wgsl_type_is_float(t))
		return const_hidden(g, kind, wgsl_type_width(t), bits);
	return const_vector(g, kind, wgsl_type_width(t), bits);
}

uint32_t spirv_const_initial(struct gen *g, const struct wgsl_var *v)
{
	return const_vector(g, wgsl_type_base(v->type), wgsl_type_width(v->type), v->init);
}

uint32_t spirv_const_null(struct gen *g, uint32_t type)
{
	return constant(g, OP_CONSTANT_NULL, type, NULL, 0);
}
