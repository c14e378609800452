/*
 * lower_half.c - f16, and bits across components of different sizes.
 *
 * A value of f16 is an f32 that f16 can hold; each operation is done in f32 and rounded (for
 * + - * / that is the correctly rounded f16 result, because 24 >= 2 * 11 + 2). Only uniform and
 * storage memory has 16 bits: other variables hold f32, in types of the same shape.
 */
#include <string.h>

#include "base/mem.h"
#include "wgsl/lower_int.h"

static struct wgsl_inst *with(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			      uint64_t bits)
{
	ASSERT(a != NULL);
	return wgsl_binary(l, op, a, wgsl_const_bits(l, a->type, bits));
}

static struct wgsl_inst *with_float(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
				    double f)
{
	return wgsl_binary(l, op, a, wgsl_const_float(l, a->type, f));
}

static struct wgsl_inst *cast(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			      enum wgsl_kind kind)
{
	ASSERT(a != NULL);
	return wgsl_emit1(l, op, wgsl_with_base(l->c, a->type, l->c->basic[kind]), a);
}

static struct wgsl_inst *shift(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			       uint32_t n)
{
	const struct wgsl_type *u32 = wgsl_with_base(l->c, a->type, l->c->basic[WGSL_U32]);

	return wgsl_emit2(l, op, a->type, a, wgsl_const_bits(l, u32, n));
}

static struct wgsl_inst *canon_bits(struct wgsl_lower *l, struct wgsl_inst *x, enum wgsl_kind kind)
{
	x = wgsl_emit1(l, WGSL_OP_CANON, x->type, x);
	return cast(l, WGSL_OP_BITCAST, x, kind);
}

/* ---- types ------------------------------------------------------------------------------- */

const struct wgsl_type *wgsl_value_type(struct wgsl_comp *c, const struct wgsl_type *t)
{
	if ((c->features & FEATURE_F16) == 0 || wgsl_type_base(t) != WGSL_F16)
		return t;
	return wgsl_with_base(c, t, c->basic[WGSL_F32]);
}

static uint32_t round_up(uint32_t n, uint32_t align)
{
	return (n + align - 1) / align * align;
}

static const struct wgsl_type *shadow_struct(struct wgsl_lower *l, const struct wgsl_type *t)
{
	struct wgsl_member *m = arena_new_array(l->c->arena, struct wgsl_member, t->n_members);
	struct wgsl_type *s;
	bool differs = false;
	uint32_t end = 0;
	uint32_t align = 1;

	for (uint32_t i = 0; i < t->n_members; i++) {
		m[i] = t->members[i];
		m[i].type = wgsl_shadow_type(l, m[i].type);
		m[i].size = m[i].type->size;
		m[i].align = m[i].type->align;
		m[i].offset = round_up(end, m[i].align);
		end = m[i].offset + m[i].size;
		align = m[i].align > align ? m[i].align : align;
		differs = differs || m[i].type != t->members[i].type;
	}
	if (!differs)
		return t;
	s = wgsl_struct_type(l->c, t->name);
	s->members = m;
	s->n_members = t->n_members;
	s->align = align;
	s->size = round_up(end, align);
	s->is_constructible = t->is_constructible;
	s->has_atomic = t->has_atomic;
	s->depth = t->depth;
	return s;
}

static const struct wgsl_type *make_shadow(struct wgsl_lower *l, const struct wgsl_type *t)
{
	const struct wgsl_type *elem;

	if (t->kind == WGSL_STRUCT)
		return shadow_struct(l, t);
	if (t->kind != WGSL_ARRAY && t->kind != WGSL_MAT)
		return wgsl_value_type(l->c, t);
	elem = wgsl_shadow_type(l, t->elem);
	if (elem == t->elem)
		return t;
	if (t->kind == WGSL_MAT)
		return wgsl_mat(l->c, elem, t->count);
	/* Types are at most 2 GiB, and this one may be twice as large. */
	if ((uint64_t)t->count * round_up(elem->size, elem->align) > INT32_MAX) {
		wgsl_lower_fail(l, "the array is larger than 2 GiB");
		return t;
	}
	return wgsl_array(l->c, elem, t->count, round_up(elem->size, elem->align));
}

const struct wgsl_type *wgsl_shadow_type(struct wgsl_lower *l, const struct wgsl_type *t)
{
	const struct wgsl_type *s;

	if ((l->c->features & FEATURE_F16) == 0)
		return t;
	if (t->id < l->n_shadows && l->shadows[t->id] != NULL)
		return l->shadows[t->id];
	s = make_shadow(l, t);
	if (t->id < l->n_shadows)
		l->shadows[t->id] = s;
	return s;
}

/* ---- values ------------------------------------------------------------------------------ */

/*
 * x + m - m, where m is so large that the sum has 11 bits of x left: 3/2 * 2^13 times the power of
 * two in x, at least that of the smallest normal number.
 */
struct wgsl_inst *wgsl_round_half(struct wgsl_lower *l, struct wgsl_inst *x)
{
	struct wgsl_inst *bits = canon_bits(l, x, WGSL_U32);
	struct wgsl_inst *m = with(l, WGSL_OP_AND, bits, 0x7f800000);
	struct wgsl_inst *r = wgsl_emit1(l, WGSL_OP_ABS, x->type, x);

	m = with(l, WGSL_OP_MIN, with(l, WGSL_OP_MAX, m, 0x38800000), 0x47800000);
	m = cast(l, WGSL_OP_BITCAST, with(l, WGSL_OP_ADD, m, (13 << 23) + 0x400000), WGSL_F32);
	r = wgsl_binary(l, WGSL_OP_SUB, wgsl_binary(l, WGSL_OP_ADD, r, m), m);
	r = wgsl_select(l, r, wgsl_const_bits(l, r->type, 0x7f800000),
			with_float(l, WGSL_OP_GE, r, 65536.0));
	r = wgsl_binary(l, WGSL_OP_OR, canon_bits(l, r, WGSL_U32),
			with(l, WGSL_OP_AND, bits, 0x80000000u));
	return cast(l, WGSL_OP_BITCAST, r, WGSL_F32);
}

/* The bits of f32 x rounded to f16, as u32. */
struct wgsl_inst *wgsl_to_half(struct wgsl_lower *l, struct wgsl_inst *x)
{
	struct wgsl_inst *bits = canon_bits(l, x, WGSL_U32);
	struct wgsl_inst *sign = with(l, WGSL_OP_AND, shift(l, WGSL_OP_SHR, bits, 16), 0x8000);
	struct wgsl_inst *a = with(l, WGSL_OP_AND, bits, 0x7fffffff);
	struct wgsl_inst *small =
	    with_float(l, WGSL_OP_MUL, wgsl_emit1(l, WGSL_OP_ABS, x->type, x), 16777216.0);
	struct wgsl_inst *odd = with(l, WGSL_OP_AND, shift(l, WGSL_OP_SHR, a, 13), 1);
	struct wgsl_inst *h = wgsl_binary(l, WGSL_OP_ADD, with(l, WGSL_OP_ADD, a, 0xfff), odd);

	h = shift(l, WGSL_OP_SHR, with(l, WGSL_OP_SUB, h, 0x38000000), 13);
	small = wgsl_emit1(l, WGSL_OP_ROUND, small->type, small);
	small = cast(l, WGSL_OP_CONVERT, small, WGSL_U32);
	h = wgsl_select(l, h, small, with(l, WGSL_OP_LT, a, 0x38800000));
	h = wgsl_select(l, h, wgsl_const_bits(l, h->type, 0x7c00),
			with(l, WGSL_OP_GE, a, 0x477ff000));
	h = wgsl_select(l, h, wgsl_const_bits(l, h->type, 0x7e00),
			with(l, WGSL_OP_GT, a, 0x7f800000));
	return wgsl_binary(l, WGSL_OP_OR, sign, h);
}

/* The f32 of the f16 in the low bits of u32 h. */
struct wgsl_inst *wgsl_from_half(struct wgsl_lower *l, struct wgsl_inst *h)
{
	struct wgsl_inst *sign = shift(l, WGSL_OP_SHL, with(l, WGSL_OP_AND, h, 0x8000), 16);
	struct wgsl_inst *e = with(l, WGSL_OP_AND, shift(l, WGSL_OP_SHR, h, 10), 31);
	struct wgsl_inst *m = with(l, WGSL_OP_AND, h, 0x3ff);
	struct wgsl_inst *top = shift(l, WGSL_OP_SHL, m, 13);
	struct wgsl_inst *v = shift(l, WGSL_OP_SHL, with(l, WGSL_OP_ADD, e, 112), 23);
	struct wgsl_inst *small =
	    with_float(l, WGSL_OP_MUL, cast(l, WGSL_OP_CONVERT, m, WGSL_F32), 1.0 / 16777216.0);

	v = wgsl_select(l, v, wgsl_const_bits(l, v->type, 0x7f800000), with(l, WGSL_OP_EQ, e, 31));
	v = wgsl_binary(l, WGSL_OP_OR, v, top);
	v = wgsl_select(l, v, cast(l, WGSL_OP_BITCAST, small, WGSL_U32), with(l, WGSL_OP_EQ, e, 0));
	return cast(l, WGSL_OP_BITCAST, wgsl_binary(l, WGSL_OP_OR, v, sign), WGSL_F32);
}

/* ---- bitcast ----------------------------------------------------------------------------- */

/* Bytes of a component in the language, whatever it is here. */
static uint32_t component_size(const struct wgsl_type *t)
{
	return wgsl_type_scalar(t)->size;
}

/* The value as words of 32 bits, the lowest first. */
static void split_words(struct wgsl_lower *l, struct wgsl_inst *v, const struct wgsl_type *t,
			struct wgsl_inst *words[4])
{
	uint32_t width = wgsl_type_width(t);
	uint32_t size = component_size(t);
	uint32_t n = 0;

	if (size == 2)
		v = wgsl_to_half(l, v);
	else if (wgsl_type_is_float(v->type))
		v = canon_bits(l, v, size == 8 ? WGSL_U64 : WGSL_U32);
	else
		v = cast(l, WGSL_OP_BITCAST, v, size == 8 ? WGSL_U64 : WGSL_U32);
	for (uint32_t i = 0; i < width && n < 4; i++) {
		struct wgsl_inst *part = wgsl_extract(l, v, i);

		if (size == 2) {
			struct wgsl_inst *high = wgsl_extract(l, v, ++i);

			words[n++] =
			    wgsl_binary(l, WGSL_OP_OR, part, shift(l, WGSL_OP_SHL, high, 16));
			continue;
		}
		words[n++] = size == 4 ? part : cast(l, WGSL_OP_CONVERT, part, WGSL_U32);
		if (size == 8 && n < 4)
			words[n++] =
			    cast(l, WGSL_OP_CONVERT, shift(l, WGSL_OP_SHR, part, 32), WGSL_U32);
	}
}

/* Component i of the target, as unsigned bits. */
static struct wgsl_inst *join_words(struct wgsl_lower *l, struct wgsl_inst *const words[4],
				    uint32_t size, uint32_t i)
{
	struct wgsl_inst *low;
	struct wgsl_inst *high;

	if (size == 4)
		return words[i];
	if (size == 2)
		return i % 2 == 0 ? with(l, WGSL_OP_AND, words[i / 2], 0xffff)
				  : shift(l, WGSL_OP_SHR, words[i / 2], 16);
	low = cast(l, WGSL_OP_CONVERT, words[2 * i], WGSL_U64);
	high = cast(l, WGSL_OP_CONVERT, words[2 * i + 1], WGSL_U64);
	return wgsl_binary(l, WGSL_OP_OR, low, shift(l, WGSL_OP_SHL, high, 32));
}

struct wgsl_inst *wgsl_lower_bitcast(struct wgsl_lower *l, struct wgsl_inst *v,
				     const struct wgsl_type *from, const struct wgsl_type *to)
{
	struct wgsl_inst *words[4] = { NULL };
	struct wgsl_inst *parts[4] = { NULL };
	uint32_t size = component_size(to);
	uint32_t width = wgsl_type_width(to);

	if (from == to)
		return v;
	if (component_size(from) == size) {
		if (wgsl_type_is_float(v->type))
			v = wgsl_emit1(l, WGSL_OP_CANON, v->type, v);
		return wgsl_emit1(l, WGSL_OP_BITCAST, to, v);
	}
	split_words(l, v, from, words);
	for (uint32_t i = 0; i < width; i++)
		parts[i] = join_words(l, words, size, i);
	v = parts[0];
	ASSERT(v != NULL);
	if (width > 1) {
		v = wgsl_emit(l, WGSL_OP_COMPOSE, wgsl_vec(l->c, v->type, width));
		memcpy(v->args, parts, sizeof(parts));
		v->n_args = width;
	}
	if (size == 2)
		return wgsl_from_half(l, v);
	return v->type == to ? v : wgsl_emit1(l, WGSL_OP_BITCAST, to, v);
}
