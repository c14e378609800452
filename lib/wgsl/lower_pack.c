/*
 * lower_pack.c - modf, frexp, ldexp, f16 quantisation and packing of floats, from integer
 * operations and float operations with fixed bits.
 */
#include "base/mem.h"
#include "wgsl/fn_int.h"
#include "wgsl/lower_int.h"

static struct wgsl_inst *bin(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			     struct wgsl_inst *b)
{
	ASSERT(a != NULL && b != NULL);
	return wgsl_binary(l, op, a, b);
}

/* op with a constant of the same type. */
static struct wgsl_inst *with(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			      uint32_t bits)
{
	ASSERT(a != NULL);
	return wgsl_binary(l, op, a, wgsl_const_bits(l, a->type, bits));
}

static struct wgsl_inst *with_f32(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
				  float f)
{
	ASSERT(a != NULL);
	return wgsl_binary(l, op, a, wgsl_const_float(l, a->type, (double)f));
}

/* i32 shifted by a constant. */
static struct wgsl_inst *shift(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			       uint32_t n)
{
	const struct wgsl_type *u32 = wgsl_with_base(l->c, a->type, l->c->basic[WGSL_U32]);

	return wgsl_emit2(l, op, a->type, a, wgsl_const_bits(l, u32, n));
}

static struct wgsl_inst *cast(struct wgsl_lower *l, enum wgsl_op op, struct wgsl_inst *a,
			      enum wgsl_kind kind)
{
	return wgsl_emit1(l, op, wgsl_with_base(l->c, a->type, l->c->basic[kind]), a);
}

static struct wgsl_inst *bits_of(struct wgsl_lower *l, struct wgsl_inst *x)
{
	x = wgsl_emit1(l, WGSL_OP_CANON, x->type, x);
	return cast(l, WGSL_OP_BITCAST, x, WGSL_U32);
}

/* ---- packing ----------------------------------------------------------------------------- */

static float scale_of(int f)
{
	switch (f) {
	case FN_PACK4X8_SNORM:
	case FN_UNPACK4X8_SNORM:
		return 127.0f;
	case FN_PACK4X8_UNORM:
	case FN_UNPACK4X8_UNORM:
		return 255.0f;
	case FN_PACK2X16_SNORM:
	case FN_UNPACK2X16_SNORM:
		return 32767.0f;
	default:
		return 65535.0f;
	}
}

static bool is_signed(int f)
{
	return f == FN_PACK4X8_SNORM || f == FN_PACK2X16_SNORM || f == FN_UNPACK4X8_SNORM ||
	       f == FN_UNPACK2X16_SNORM;
}

/* floor(0.5 + scale * clamp(x)), as bits of the field's width or more. */
static struct wgsl_inst *fields(struct wgsl_lower *l, int f, struct wgsl_inst *x)
{
	if (f == FN_PACK2X16_FLOAT)
		return wgsl_to_half(l, x);
	x = with_f32(l, WGSL_OP_MAX, x, is_signed(f) ? -1.0f : 0.0f);
	x = with_f32(l, WGSL_OP_MIN, x, 1.0f);
	x = with_f32(l, WGSL_OP_ADD, with_f32(l, WGSL_OP_MUL, x, scale_of(f)), 0.5f);
	x = wgsl_emit1(l, WGSL_OP_FLOOR, x->type, x);
	if (!is_signed(f))
		return cast(l, WGSL_OP_CONVERT, x, WGSL_U32);
	return cast(l, WGSL_OP_BITCAST, cast(l, WGSL_OP_CONVERT, x, WGSL_I32), WGSL_U32);
}

static struct wgsl_inst *pack(struct wgsl_lower *l, int f, struct wgsl_inst *x)
{
	struct wgsl_inst *v = fields(l, f, x);
	uint32_t n = x->type->count;
	struct wgsl_inst *word = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct wgsl_inst *part = wgsl_extract(l, v, i);

		part = with(l, WGSL_OP_AND, part, n == 4 ? 0xff : 0xffff);
		part = with(l, WGSL_OP_SHL, part, i * (32 / n));
		word = word == NULL ? part : bin(l, WGSL_OP_OR, word, part);
	}
	return word;
}

static struct wgsl_inst *compose(struct wgsl_lower *l, const struct wgsl_type *t,
				 struct wgsl_inst *const parts[4])
{
	struct wgsl_inst *v = wgsl_emit(l, WGSL_OP_COMPOSE, t);

	for (uint32_t i = 0; i < t->count; i++)
		v->args[i] = parts[i];
	v->n_args = t->count;
	return v;
}

static struct wgsl_inst *unpack(struct wgsl_lower *l, struct wgsl_expr *e, struct wgsl_inst *word)
{
	enum wgsl_kind kind = is_signed(e->builtin) ? WGSL_I32 : WGSL_U32;
	struct wgsl_inst *parts[4] = { NULL };
	uint32_t n = e->type->count;
	struct wgsl_inst *v;

	if (kind == WGSL_I32)
		word = cast(l, WGSL_OP_BITCAST, word, kind);
	for (uint32_t i = 0; i < n; i++) {
		/* Up to the top, then down again: that extends the sign. */
		parts[i] = shift(l, WGSL_OP_SHL, word, 32 - 32 / n * (i + 1));
		parts[i] = shift(l, WGSL_OP_SHR, parts[i], 32 - 32 / n);
	}
	v = compose(l, wgsl_vec(l->c, l->c->basic[kind], n), parts);
	if (e->builtin == FN_UNPACK2X16_FLOAT)
		return wgsl_from_half(l, v);
	v = cast(l, WGSL_OP_CONVERT, v, WGSL_F32);
	v = with_f32(l, WGSL_OP_DIV, v, scale_of(e->builtin));
	return kind == WGSL_I32 ? with_f32(l, WGSL_OP_MAX, v, -1.0f) : v;
}

/* ---- parts ------------------------------------------------------------------------------- */

static struct wgsl_inst *power_of_two(struct wgsl_lower *l, struct wgsl_inst *e)
{
	struct wgsl_inst *v = with(l, WGSL_OP_ADD, e, 127);

	return cast(l, WGSL_OP_BITCAST, shift(l, WGSL_OP_SHL, v, 23), WGSL_F32);
}

/* In two steps, so that both powers are normal numbers. */
static struct wgsl_inst *scaled(struct wgsl_lower *l, struct wgsl_inst *x, struct wgsl_inst *e)
{
	struct wgsl_inst *half;

	e = with(l, WGSL_OP_MIN, with(l, WGSL_OP_MAX, e, (uint32_t)-252), 254);
	half = shift(l, WGSL_OP_SHR, e, 1);
	x = bin(l, WGSL_OP_MUL, x, power_of_two(l, half));
	return bin(l, WGSL_OP_MUL, x, power_of_two(l, bin(l, WGSL_OP_SUB, e, half)));
}

/* Fraction in [0.5, 1) and exponent; zero, infinities and NaN are their own fraction. */
static void split(struct wgsl_lower *l, struct wgsl_inst *x, struct wgsl_inst *parts[2])
{
	struct wgsl_inst *bits = bits_of(l, x);
	struct wgsl_inst *is_small =
	    with(l, WGSL_OP_LT, with(l, WGSL_OP_AND, bits, 0x7fffffff), 0x00800000);
	struct wgsl_inst *big = bits_of(l, with_f32(l, WGSL_OP_MUL, x, 16777216.0f));
	struct wgsl_inst *e;
	struct wgsl_inst *is_odd;
	struct wgsl_inst *f;

	bits = wgsl_select(l, bits, big, is_small);
	e = with(l, WGSL_OP_AND, with(l, WGSL_OP_SHR, bits, 23), 255);
	is_odd = bin(l, WGSL_OP_OR, with(l, WGSL_OP_EQ, e, 255), with(l, WGSL_OP_EQ, e, 0));
	e = cast(l, WGSL_OP_BITCAST, e, WGSL_I32);
	e = wgsl_select(l, with(l, WGSL_OP_SUB, e, 126), with(l, WGSL_OP_SUB, e, 150), is_small);
	f = with(l, WGSL_OP_OR, with(l, WGSL_OP_AND, bits, 0x807fffff), 0x3f000000);
	parts[0] = wgsl_select(l, cast(l, WGSL_OP_BITCAST, f, WGSL_F32), x, is_odd);
	parts[1] = wgsl_select(l, e, wgsl_const_bits(l, e->type, 0), is_odd);
}

void wgsl_lower_parts_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e)
{
	struct wgsl_inst *x = wgsl_lower_value(l, e->args.list[0]);
	struct wgsl_inst *parts[2];

	if (l->failed)
		return;
	wgsl_lower_at(l, e->at);
	if (e->builtin == FN_FREXP) {
		split(l, x, parts);
	} else {
		parts[1] = wgsl_emit1(l, WGSL_OP_TRUNC, x->type, x);
		parts[0] = bin(l, WGSL_OP_SUB, x, parts[1]);
	}
	wgsl_store(l, wgsl_step_const(l, to, 0), parts[0], true);
	wgsl_store(l, wgsl_step_const(l, to, 1), parts[1], true);
}

struct wgsl_inst *wgsl_lower_pack(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *x = wgsl_lower_value(l, e->args.list[0]);

	if (l->failed)
		return NULL;
	if (e->builtin == FN_LDEXP) {
		x = scaled(l, x, wgsl_lower_value(l, e->args.list[1]));
		return wgsl_type_base(e->type) == WGSL_F16 ? wgsl_round_half(l, x) : x;
	}
	wgsl_lower_at(l, e->at);
	if (e->builtin == FN_QUANTIZE_F16)
		return wgsl_round_half(l, x);
	if (e->builtin >= FN_UNPACK4X8_SNORM)
		return unpack(l, e, x);
	return pack(l, e->builtin, x);
}
