/*
 * lower_fn.c - predeclared functions, built from operations with fixed meaning.
 *
 * Everything that is more than one operation is expanded here, left to right, so that all
 * back ends compute it in the same steps.
 */
#include "base/mem.h"
#include "wgsl/fn_int.h"
#include "wgsl/lower_int.h"

/* Values of the arguments of a call. */
struct call {
	struct wgsl_lower *l;
	struct wgsl_expr *e;
	struct wgsl_inst *v[4];
	const struct wgsl_type *type; /* of the first argument */
};

static struct wgsl_inst *un(struct call *k, enum wgsl_op op, struct wgsl_inst *a)
{
	return wgsl_emit1(k->l, op, a->type, a);
}

static struct wgsl_inst *bin(struct call *k, enum wgsl_op op, struct wgsl_inst *a,
			     struct wgsl_inst *b)
{
	return wgsl_binary(k->l, op, a, b);
}

static struct wgsl_inst *flt(struct call *k, double f)
{
	return wgsl_const_float(k->l, k->v[0]->type, f);
}

static struct wgsl_inst *num(struct call *k, const struct wgsl_type *t, uint64_t n)
{
	return wgsl_const_bits(k->l, t, n);
}

/* Bits of an integer. */
static uint32_t width_of(const struct wgsl_type *t)
{
	return wgsl_is_wide(t) ? 64 : 32;
}

/* ---- floats ------------------------------------------------------------------------------ */

static struct wgsl_inst *clamp(struct call *k, struct wgsl_inst *x, struct wgsl_inst *low,
			       struct wgsl_inst *high)
{
	return bin(k, WGSL_OP_MIN, bin(k, WGSL_OP_MAX, x, low), high);
}

static struct wgsl_inst *dot(struct call *k, struct wgsl_inst *a, struct wgsl_inst *b)
{
	struct wgsl_inst *p;
	struct wgsl_inst *sum;

	ASSERT(a != NULL && b != NULL);
	p = bin(k, WGSL_OP_MUL, a, b);
	sum = wgsl_extract(k->l, p, 0);
	for (uint32_t i = 1; i < wgsl_type_width(a->type); i++)
		sum = bin(k, WGSL_OP_ADD, sum, wgsl_extract(k->l, p, i));
	return sum;
}

static struct wgsl_inst *math(struct call *k, enum wgsl_math fn, struct wgsl_inst *a,
			      struct wgsl_inst *b)
{
	struct wgsl_inst *i;

	if (k->l->c->src->strict && wgsl_type_base(a->type) == WGSL_F32)
		return wgsl_strict_math(k->l, fn, a, b);
	i = b != NULL ? wgsl_emit2(k->l, WGSL_OP_MATH, a->type, a, b)
		      : wgsl_emit1(k->l, WGSL_OP_MATH, a->type, a);
	i->u.math = fn;
	return i;
}

static struct wgsl_inst *length(struct call *k, struct wgsl_inst *v)
{
	if (v->type->kind != WGSL_VEC)
		return un(k, WGSL_OP_ABS, v);
	return wgsl_sqrt(k->l, dot(k, v, v));
}

static struct wgsl_inst *sign(struct call *k)
{
	const struct wgsl_type *t = k->type;
	bool is_float = wgsl_type_is_float(t);
	struct wgsl_inst *zero = num(k, t, 0);
	struct wgsl_inst *one = is_float ? flt(k, 1.0) : num(k, t, 1);
	struct wgsl_inst *minus = is_float ? flt(k, -1.0) : num(k, t, UINT64_MAX);
	struct wgsl_inst *below = wgsl_select(k->l, zero, minus, bin(k, WGSL_OP_LT, k->v[0], zero));

	return wgsl_select(k->l, below, one, bin(k, WGSL_OP_GT, k->v[0], zero));
}

static struct wgsl_inst *mix(struct call *k)
{
	struct wgsl_inst *w = wgsl_spread(k->l, k->v[2], k->type);
	struct wgsl_inst *rest = bin(k, WGSL_OP_SUB, flt(k, 1.0), w);

	return bin(k, WGSL_OP_ADD, bin(k, WGSL_OP_MUL, k->v[0], rest),
		   bin(k, WGSL_OP_MUL, k->v[1], w));
}

static struct wgsl_inst *smoothstep(struct call *k)
{
	struct wgsl_inst *t = bin(k, WGSL_OP_DIV, bin(k, WGSL_OP_SUB, k->v[2], k->v[0]),
				  bin(k, WGSL_OP_SUB, k->v[1], k->v[0]));
	struct wgsl_inst *rest;

	t = clamp(k, t, flt(k, 0.0), flt(k, 1.0));
	rest = bin(k, WGSL_OP_SUB, flt(k, 3.0), bin(k, WGSL_OP_MUL, flt(k, 2.0), t));
	return bin(k, WGSL_OP_MUL, bin(k, WGSL_OP_MUL, t, t), rest);
}

static struct wgsl_inst *compose(struct call *k, const struct wgsl_type *t,
				 struct wgsl_inst *const parts[4])
{
	struct wgsl_inst *v = wgsl_emit(k->l, WGSL_OP_COMPOSE, t);

	for (uint32_t i = 0; i < t->count; i++)
		v->args[i] = parts[i];
	v->n_args = t->count;
	return v;
}

static struct wgsl_inst *cross(struct call *k)
{
	struct wgsl_inst *parts[4] = { NULL };

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t j = (i + 1) % 3;
		uint32_t m = (i + 2) % 3;
		struct wgsl_inst *p = bin(k, WGSL_OP_MUL, wgsl_extract(k->l, k->v[0], j),
					  wgsl_extract(k->l, k->v[1], m));
		struct wgsl_inst *q = bin(k, WGSL_OP_MUL, wgsl_extract(k->l, k->v[0], m),
					  wgsl_extract(k->l, k->v[1], j));

		parts[i] = bin(k, WGSL_OP_SUB, p, q);
	}
	return compose(k, k->type, parts);
}

static struct wgsl_inst *reflect(struct call *k)
{
	struct wgsl_inst *d = dot(k, k->v[1], k->v[0]);
	struct wgsl_inst *two = wgsl_const_float(k->l, d->type, 2.0);
	struct wgsl_inst *s = wgsl_spread(k->l, bin(k, WGSL_OP_MUL, two, d), k->type);

	return bin(k, WGSL_OP_SUB, k->v[0], bin(k, WGSL_OP_MUL, s, k->v[1]));
}

static struct wgsl_inst *refract(struct call *k)
{
	struct wgsl_inst *ratio = k->v[2];
	struct wgsl_inst *d = dot(k, k->v[1], k->v[0]);
	struct wgsl_inst *one = wgsl_const_float(k->l, d->type, 1.0);
	struct wgsl_inst *zero = wgsl_const_float(k->l, d->type, 0.0);
	struct wgsl_inst *q = bin(k, WGSL_OP_SUB, one, bin(k, WGSL_OP_MUL, d, d));
	struct wgsl_inst *part;
	struct wgsl_inst *v;

	q = bin(k, WGSL_OP_SUB, one, bin(k, WGSL_OP_MUL, bin(k, WGSL_OP_MUL, ratio, ratio), q));
	part = bin(k, WGSL_OP_ADD, bin(k, WGSL_OP_MUL, ratio, d), wgsl_sqrt(k->l, q));
	v = bin(k, WGSL_OP_SUB, bin(k, WGSL_OP_MUL, wgsl_spread(k->l, ratio, k->type), k->v[0]),
		bin(k, WGSL_OP_MUL, wgsl_spread(k->l, part, k->type), k->v[1]));
	return wgsl_select(k->l, v, flt(k, 0.0), bin(k, WGSL_OP_LT, q, zero));
}

static struct wgsl_inst *face_forward(struct call *k)
{
	struct wgsl_inst *d = dot(k, k->v[1], k->v[2]);
	struct wgsl_inst *is_front = bin(k, WGSL_OP_LT, d, wgsl_const_float(k->l, d->type, 0.0));

	return wgsl_select(k->l, un(k, WGSL_OP_NEG, k->v[0]), k->v[0], is_front);
}

static struct wgsl_inst *normalize(struct call *k)
{
	struct wgsl_inst *n = wgsl_spread(k->l, length(k, k->v[0]), k->type);

	return bin(k, WGSL_OP_DIV, k->v[0], n);
}

static struct wgsl_inst *lower_fixed(struct call *k)
{
	struct wgsl_inst *a = k->v[0];

	switch (k->e->builtin) {
	case FN_CEIL:
		return un(k, WGSL_OP_CEIL, a);
	case FN_FLOOR:
		return un(k, WGSL_OP_FLOOR, a);
	case FN_TRUNC:
		return un(k, WGSL_OP_TRUNC, a);
	case FN_ROUND:
		return un(k, WGSL_OP_ROUND, a);
	case FN_FRACT:
		return bin(k, WGSL_OP_SUB, a, un(k, WGSL_OP_FLOOR, a));
	case FN_CROSS:
		return cross(k);
	case FN_FACE_FORWARD:
		return face_forward(k);
	case FN_REFLECT:
		return reflect(k);
	case FN_FMA: /* WGSL allows both; unfused is what every device can do */
		return bin(k, WGSL_OP_ADD, bin(k, WGSL_OP_MUL, a, k->v[1]), k->v[2]);
	case FN_MIX:
		return mix(k);
	case FN_SATURATE:
		return clamp(k, a, flt(k, 0.0), flt(k, 1.0));
	case FN_STEP:
		return wgsl_select(k->l, flt(k, 0.0), flt(k, 1.0), bin(k, WGSL_OP_LE, a, k->v[1]));
	case FN_DEGREES:
		return bin(k, WGSL_OP_MUL, a, flt(k, 57.295779513082322865));
	default:
		return bin(k, WGSL_OP_MUL, a, flt(k, 0.017453292519943295474));
	}
}

static struct wgsl_inst *lower_float(struct call *k)
{
	static const enum wgsl_math fns[FN_COUNT_] = {
		[FN_ACOS] = WGSL_MATH_ACOS, [FN_ACOSH] = WGSL_MATH_ACOSH,
		[FN_ASIN] = WGSL_MATH_ASIN, [FN_ASINH] = WGSL_MATH_ASINH,
		[FN_ATAN] = WGSL_MATH_ATAN, [FN_ATANH] = WGSL_MATH_ATANH,
		[FN_COS] = WGSL_MATH_COS,   [FN_COSH] = WGSL_MATH_COSH,
		[FN_EXP] = WGSL_MATH_EXP,   [FN_EXP2] = WGSL_MATH_EXP2,
		[FN_LOG] = WGSL_MATH_LOG,   [FN_LOG2] = WGSL_MATH_LOG2,
		[FN_SIN] = WGSL_MATH_SIN,   [FN_SINH] = WGSL_MATH_SINH,
		[FN_TAN] = WGSL_MATH_TAN,   [FN_TANH] = WGSL_MATH_TANH,
	};

	switch (k->e->builtin) {
	case FN_INVERSE_SQRT:
		if (!wgsl_is_wide(k->type))
			return math(k, WGSL_MATH_INVERSE_SQRT, k->v[0], NULL);
		return bin(k, WGSL_OP_DIV, flt(k, 1.0), un(k, WGSL_OP_SQRT, k->v[0]));
	case FN_ATAN2:
		return math(k, WGSL_MATH_ATAN2, k->v[0], k->v[1]);
	case FN_POW:
		return math(k, WGSL_MATH_POW, k->v[0], k->v[1]);
	case FN_REFRACT:
		return refract(k);
	case FN_SQRT:
		return wgsl_sqrt(k->l, k->v[0]);
	case FN_LENGTH:
		return length(k, k->v[0]);
	case FN_DISTANCE:
		return length(k, bin(k, WGSL_OP_SUB, k->v[0], k->v[1]));
	case FN_NORMALIZE:
		return normalize(k);
	case FN_SMOOTHSTEP:
		return smoothstep(k);
	default:
		return math(k, fns[k->e->builtin], k->v[0], NULL);
	}
}

/* ---- integers ---------------------------------------------------------------------------- */

static struct wgsl_inst *first_leading(struct call *k)
{
	struct wgsl_inst *x = k->v[0];

	/* Of a negative number the first bit that is 0. */
	if (wgsl_type_base(k->type) == WGSL_I32 || wgsl_type_base(k->type) == WGSL_I64) {
		const struct wgsl_type *amount =
		    wgsl_with_base(k->l->c, k->type, k->l->c->basic[WGSL_U32]);

		x = bin(k, WGSL_OP_XOR, x,
			wgsl_emit2(k->l, WGSL_OP_SHR, k->type, x,
				   num(k, amount, width_of(k->type) - 1)));
	}
	return bin(k, WGSL_OP_SUB, num(k, k->type, width_of(k->type) - 1), un(k, WGSL_OP_CLZ, x));
}

static struct wgsl_inst *first_trailing(struct call *k)
{
	struct wgsl_inst *zero = bin(k, WGSL_OP_EQ, k->v[0], num(k, k->type, 0));

	return wgsl_select(k->l, un(k, WGSL_OP_CTZ, k->v[0]), num(k, k->type, UINT64_MAX), zero);
}

static struct wgsl_inst *shift(struct call *k, enum wgsl_op op, struct wgsl_inst *x,
			       struct wgsl_inst *amount)
{
	return wgsl_emit2(k->l, op, x->type, x, wgsl_spread(k->l, amount, x->type));
}

/* offset and count, cut so that offset + count is at most the width. */
static void bit_range(struct call *k, uint32_t first, struct wgsl_inst **offset,
		      struct wgsl_inst **count)
{
	struct wgsl_inst *width;

	ASSERT(k->v[first] != NULL && k->v[first + 1] != NULL);
	width = num(k, k->v[first]->type, width_of(k->type));
	*offset = bin(k, WGSL_OP_MIN, k->v[first], width);
	*count = bin(k, WGSL_OP_MIN, k->v[first + 1], bin(k, WGSL_OP_SUB, width, *offset));
}

static struct wgsl_inst *extract_bits(struct call *k)
{
	struct wgsl_inst *offset;
	struct wgsl_inst *count;
	struct wgsl_inst *left;
	struct wgsl_inst *v;
	struct wgsl_inst *none;

	bit_range(k, 1, &offset, &count);
	left = bin(k, WGSL_OP_SUB, num(k, offset->type, width_of(k->type)), count);
	v = shift(k, WGSL_OP_SHL, k->v[0], bin(k, WGSL_OP_SUB, left, offset));
	v = shift(k, WGSL_OP_SHR, v, left);
	none = bin(k, WGSL_OP_EQ, count, num(k, count->type, 0));
	return wgsl_select(k->l, v, num(k, k->type, 0), none);
}

static struct wgsl_inst *insert_bits(struct call *k)
{
	struct wgsl_inst *offset;
	struct wgsl_inst *count;
	struct wgsl_inst *left;
	struct wgsl_inst *mask;
	struct wgsl_inst *v;
	struct wgsl_inst *none;

	bit_range(k, 2, &offset, &count);
	left = bin(k, WGSL_OP_SUB, num(k, offset->type, width_of(k->type)), count);
	mask = num(k, k->l->c->basic[wgsl_is_wide(k->type) ? WGSL_U64 : WGSL_U32], UINT64_MAX);
	mask = shift(k, WGSL_OP_SHL, shift(k, WGSL_OP_SHR, mask, left), offset);
	mask = wgsl_spread(k->l, mask, k->type);
	if (mask->type != k->type)
		mask = wgsl_emit1(k->l, WGSL_OP_BITCAST, k->type, mask);
	v = bin(k, WGSL_OP_AND, shift(k, WGSL_OP_SHL, k->v[1], offset), mask);
	v = bin(k, WGSL_OP_OR, bin(k, WGSL_OP_AND, k->v[0], un(k, WGSL_OP_NOT, mask)), v);
	none = bin(k, WGSL_OP_EQ, count, num(k, count->type, 0));
	return wgsl_select(k->l, v, k->v[0], none);
}

/* Byte i of a word, as `t`. */
static struct wgsl_inst *byte_of(struct call *k, struct wgsl_inst *word, uint32_t i,
				 const struct wgsl_type *t)
{
	const struct wgsl_type *u32 = k->l->c->basic[WGSL_U32];
	struct wgsl_inst *v = word;

	ASSERT(v != NULL);
	if (v->type != t)
		v = wgsl_emit1(k->l, WGSL_OP_BITCAST, t, v);
	v = wgsl_emit2(k->l, WGSL_OP_SHL, t, v, num(k, u32, 24 - 8 * i));
	return wgsl_emit2(k->l, WGSL_OP_SHR, t, v, num(k, u32, 24));
}

static struct wgsl_inst *unpack(struct call *k)
{
	struct wgsl_inst *parts[4];

	for (uint32_t i = 0; i < 4; i++)
		parts[i] = byte_of(k, k->v[0], i, k->e->type->elem);
	return compose(k, k->e->type, parts);
}

static struct wgsl_inst *dot4(struct call *k)
{
	struct wgsl_inst *sum = NULL;

	for (uint32_t i = 0; i < 4; i++) {
		struct wgsl_inst *p = bin(k, WGSL_OP_MUL, byte_of(k, k->v[0], i, k->e->type),
					  byte_of(k, k->v[1], i, k->e->type));

		sum = sum == NULL ? p : bin(k, WGSL_OP_ADD, sum, p);
	}
	return sum;
}

static struct wgsl_inst *pack(struct call *k)
{
	const struct wgsl_type *u32 = k->l->c->basic[WGSL_U32];
	struct wgsl_inst *v = k->v[0];
	struct wgsl_inst *word = NULL;

	if (k->e->builtin == FN_PACK4X_I8_CLAMP)
		v = clamp(k, v, num(k, k->type, (uint32_t)-128), num(k, k->type, 127));
	if (k->e->builtin == FN_PACK4X_U8_CLAMP)
		v = bin(k, WGSL_OP_MIN, v, num(k, k->type, 255));
	for (uint32_t i = 0; i < 4; i++) {
		struct wgsl_inst *b = wgsl_extract(k->l, v, i);

		if (b->type != u32)
			b = wgsl_emit1(k->l, WGSL_OP_BITCAST, u32, b);
		b = bin(k, WGSL_OP_AND, b, num(k, u32, 255));
		b = bin(k, WGSL_OP_SHL, b, num(k, u32, 8 * i));
		word = word == NULL ? b : bin(k, WGSL_OP_OR, word, b);
	}
	return word;
}

static struct wgsl_inst *lower_integer(struct call *k)
{
	switch (k->e->builtin) {
	case FN_COUNT_LEADING_ZEROS:
		return un(k, WGSL_OP_CLZ, k->v[0]);
	case FN_COUNT_ONE_BITS:
		return un(k, WGSL_OP_POPCOUNT, k->v[0]);
	case FN_COUNT_TRAILING_ZEROS:
		return un(k, WGSL_OP_CTZ, k->v[0]);
	case FN_EXTRACT_BITS:
		return extract_bits(k);
	case FN_FIRST_LEADING_BIT:
		return first_leading(k);
	case FN_FIRST_TRAILING_BIT:
		return first_trailing(k);
	case FN_INSERT_BITS:
		return insert_bits(k);
	case FN_REVERSE_BITS:
		return un(k, WGSL_OP_REVERSE, k->v[0]);
	default:
		return dot4(k);
	}
}

/* ---- all kinds of numbers ---------------------------------------------------------------- */

static struct wgsl_inst *reduce(struct call *k)
{
	enum wgsl_op op = k->e->builtin == FN_ALL ? WGSL_OP_AND : WGSL_OP_OR;
	struct wgsl_inst *v = wgsl_extract(k->l, k->v[0], 0);

	for (uint32_t i = 1; i < wgsl_type_width(k->type); i++)
		v = bin(k, op, v, wgsl_extract(k->l, k->v[0], i));
	return v;
}

static struct wgsl_inst *lower_number(struct call *k)
{
	switch (k->e->builtin) {
	case FN_BITCAST:
		return wgsl_lower_bitcast(k->l, k->v[0], k->e->args.list[0]->type, k->e->type);
	case FN_ALL:
	case FN_ANY:
		return reduce(k);
	case FN_SELECT:
		return wgsl_select(k->l, k->v[0], k->v[1], k->v[2]);
	case FN_ABS:
		if (wgsl_type_base(k->type) == WGSL_U32 || wgsl_type_base(k->type) == WGSL_U64)
			return k->v[0];
		return un(k, WGSL_OP_ABS, k->v[0]);
	case FN_CLAMP:
		return clamp(k, k->v[0], k->v[1], k->v[2]);
	case FN_MAX:
		return bin(k, WGSL_OP_MAX, k->v[0], k->v[1]);
	case FN_MIN:
		return bin(k, WGSL_OP_MIN, k->v[0], k->v[1]);
	case FN_SIGN:
		return sign(k);
	default:
		return dot(k, k->v[0], k->v[1]);
	}
}

/* ---- memory ------------------------------------------------------------------------------ */

static struct wgsl_inst *emit_atomic(struct wgsl_lower *l, struct wgsl_expr *e, struct wgsl_path *p)
{
	bool is_store = e->builtin == FN_ATOMIC_STORE;
	struct wgsl_inst *v[2] = { NULL };
	struct wgsl_inst *i;

	for (uint32_t k = 1; k < e->args.n; k++)
		v[k - 1] = wgsl_lower_value(l, e->args.list[k]);
	wgsl_lower_at(l, e->at);
	i = wgsl_emit(l, WGSL_OP_ATOMIC, is_store ? l->c->basic[WGSL_VOID] : p->type->elem);
	i->u.atomic = (enum wgsl_atomic)(e->builtin - FN_ATOMIC_LOAD + WGSL_ATOMIC_LOAD);
	i->args[0] = v[0];
	i->args[1] = v[1];
	i->n_args = e->args.n - 1;
	i->path = p;
	return i;
}

static struct wgsl_inst *lower_atomic(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_path *p = wgsl_lower_place(l, e->args.list[0]);

	if (l->failed)
		return NULL;
	return emit_atomic(l, e, p);
}

static void barrier(struct wgsl_lower *l, bool workgroup, bool storage)
{
	struct wgsl_inst *i = wgsl_emit(l, WGSL_OP_BARRIER, l->c->basic[WGSL_VOID]);

	i->barrier_workgroup = workgroup;
	i->barrier_storage = storage;
}

/* Everyone has written, everyone reads, then it may be written again. */
static struct wgsl_inst *uniform_load(struct wgsl_lower *l, struct wgsl_expr *e,
				      struct wgsl_path *to)
{
	struct wgsl_path *from = wgsl_lower_place(l, e->args.list[0]);
	struct wgsl_inst *v = NULL;

	if (l->failed)
		return NULL;
	barrier(l, true, false);
	l->uniform_loads = true;
	if (to != NULL) {
		wgsl_copy(l, to, from, true);
	} else if (from->type->kind == WGSL_ATOMIC) {
		v = wgsl_emit(l, WGSL_OP_ATOMIC, e->type);
		v->u.atomic = WGSL_ATOMIC_LOAD;
		v->path = from;
		v->is_uniform = true;
	} else {
		v = wgsl_load(l, from);
	}
	l->uniform_loads = false;
	barrier(l, true, false);
	return v;
}

/* {old_value, exchanged} */
static void exchange_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e)
{
	struct wgsl_inst *old = lower_atomic(l, e);

	if (old == NULL)
		return;
	wgsl_store(l, wgsl_step_const(l, to, 0), old, true);
	wgsl_store(l, wgsl_step_const(l, to, 1), wgsl_binary(l, WGSL_OP_EQ, old, old->args[0]),
		   true);
}

void wgsl_lower_builtin_into(struct wgsl_lower *l, struct wgsl_path *to, struct wgsl_expr *e)
{
	wgsl_lower_at(l, e->at);
	if (e->builtin == FN_ATOMIC_COMPARE_EXCHANGE)
		exchange_into(l, to, e);
	else if (e->builtin == FN_MODF || e->builtin == FN_FREXP)
		wgsl_lower_parts_into(l, to, e);
	else
		(void)uniform_load(l, e, to);
}

static struct wgsl_inst *array_length(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_path *p = wgsl_lower_place(l, e->args.list[0]);
	struct wgsl_inst *i = wgsl_emit(l, WGSL_OP_ARRAY_LENGTH, e->type);

	i->path = p;
	return i;
}

static struct wgsl_inst *lower_memory(struct wgsl_lower *l, struct wgsl_expr *e)
{
	switch (e->builtin) {
	case FN_STORAGE_BARRIER:
		barrier(l, false, true);
		return NULL;
	case FN_WORKGROUP_BARRIER:
		barrier(l, true, false);
		return NULL;
	case FN_WORKGROUP_UNIFORM_LOAD:
		return uniform_load(l, e, NULL);
	case FN_ARRAY_LENGTH:
		return array_length(l, e);
	default:
		return lower_atomic(l, e);
	}
}

static struct wgsl_inst *lower_values(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct call k = { .l = l, .e = e };
	int f = e->builtin;

	for (uint32_t i = 0; i < e->args.n; i++)
		k.v[i] = wgsl_lower_value(l, e->args.list[i]);
	if (l->failed || k.v[0] == NULL)
		return NULL;
	wgsl_lower_at(l, e->at);
	k.type = k.v[0]->type;
	if (f == FN_UNPACK4X_I8 || f == FN_UNPACK4X_U8)
		return unpack(&k);
	if (f >= FN_PACK4X_I8)
		return pack(&k);
	if (f >= FN_ACOS)
		return lower_float(&k);
	if (f >= FN_CEIL)
		return lower_fixed(&k);
	if (f >= FN_COUNT_LEADING_ZEROS)
		return lower_integer(&k);
	return lower_number(&k);
}

/* Floats of f16 are folded as f32 and rounded once: any order is allowed. */
static struct wgsl_inst *lower_subgroup(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *v[2] = { NULL };
	struct wgsl_inst *i;
	int f = e->builtin - FN_SUBGROUP;

	for (uint32_t n = 0; n < e->args.n; n++)
		v[n] = wgsl_lower_value(l, e->args.list[n]);
	if (l->failed)
		return NULL;
	wgsl_lower_at(l, e->at);
	if (v[1] != NULL && v[1]->type->kind == WGSL_I32 && v[1]->op == WGSL_OP_CONST)
		v[1] = num(&(struct call){ .l = l }, l->c->basic[WGSL_U32], v[1]->u.bits[0]);
	else if (v[1] != NULL && v[1]->type->kind == WGSL_I32)
		v[1] = wgsl_emit1(l, WGSL_OP_BITCAST, l->c->basic[WGSL_U32], v[1]);
	i = wgsl_emit(l, WGSL_OP_SUBGROUP, e->type);
	for (uint32_t n = 0; n < e->args.n; n++)
		i->args[n] = v[n];
	i->n_args = e->args.n;
	i->u.subgroup = (enum wgsl_subgroup)f;
	i->filter = (uint8_t)e->filter;
	if (wgsl_type_base(e->type) == WGSL_F16 && f >= WGSL_SUBGROUP_ADD &&
	    f <= WGSL_SUBGROUP_INCLUSIVE_MUL)
		return wgsl_round_half(l, i);
	return i;
}

/* The f32 function gives a value of f16 where its operands are values of f16. */
static bool is_half_exact(int f)
{
	switch (f) {
	case FN_BITCAST:
	case FN_SELECT:
	case FN_ABS:
	case FN_CLAMP:
	case FN_MAX:
	case FN_MIN:
	case FN_SIGN:
	case FN_CEIL:
	case FN_FACE_FORWARD:
	case FN_FLOOR:
	case FN_ROUND:
	case FN_SATURATE:
	case FN_STEP:
	case FN_TRUNC:
		return true;
	default:
		return false;
	}
}

struct wgsl_inst *wgsl_lower_builtin(struct wgsl_lower *l, struct wgsl_expr *e)
{
	struct wgsl_inst *v;
	int f = e->builtin;

	wgsl_lower_at(l, e->at);
	if (f >= FN_SUBGROUP)
		return lower_subgroup(l, e);
	if (f >= FN_ATOMIC_LOAD || f == FN_ARRAY_LENGTH)
		return lower_memory(l, e);
	if (f >= FN_MODF)
		return wgsl_lower_pack(l, e);
	v = lower_values(l, e);
	if (v != NULL && wgsl_type_base(e->type) == WGSL_F16 && !is_half_exact(f))
		v = wgsl_round_half(l, v);
	return v;
}
