/*
 * const.c - values at compile time: conversions and operators.
 *
 * f32 and f16 operations are done in double and rounded once: for + - * / that is exactly the
 * f32 result, because 53 >= 2 * 24 + 2.
 */
#include "wgsl/const_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

void wgsl_eval_error(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...)
{
	char text[300];
	va_list args;

	if (c->no_eval > 0)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	wgsl_error(c, at, "%s", text);
}

struct wgsl_value *wgsl_new_value(struct wgsl_comp *c, const struct wgsl_type *t)
{
	struct wgsl_value *v = arena_new(c->arena, struct wgsl_value);

	v->type = t;
	return v;
}

const struct wgsl_value *wgsl_zero(struct wgsl_comp *c, const struct wgsl_type *t)
{
	return wgsl_new_value(c, t);
}

const struct wgsl_value *wgsl_bool_value(struct wgsl_comp *c, bool b)
{
	struct wgsl_value *v = wgsl_new_value(c, c->basic[WGSL_BOOL]);

	v->v[0].i = b;
	return v;
}

union wgsl_scalar wgsl_comp_of(const struct wgsl_value *v, uint32_t i)
{
	return v->type->kind == WGSL_VEC ? v->v[i] : v->v[0];
}

const struct wgsl_value *wgsl_elem_of(struct wgsl_comp *c, const struct wgsl_value *v, uint32_t i)
{
	const struct wgsl_type *t = v->type;
	struct wgsl_value *e;

	if (t->kind == WGSL_STRUCT || t->kind == WGSL_ARRAY || t->kind == WGSL_MAT) {
		if (v->elems != NULL)
			return v->elems[i];
		return wgsl_zero(c, t->kind == WGSL_STRUCT ? t->members[i].type : t->elem);
	}
	e = wgsl_new_value(c, t->elem);
	e->v[0] = v->v[i];
	return e;
}

static bool is_float_kind(enum wgsl_kind k)
{
	return k == WGSL_F32 || k == WGSL_F16 || k == WGSL_F64 || k == WGSL_ABSTRACT_FLOAT;
}

static bool is_wide_int(enum wgsl_kind k)
{
	return k == WGSL_I64 || k == WGSL_U64 || k == WGSL_ABSTRACT_INT;
}

static bool is_unsigned(enum wgsl_kind k)
{
	return k == WGSL_U32 || k == WGSL_U64;
}

double wgsl_half_of(uint32_t bits)
{
	double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
	int e = (int)(bits >> 10 & 31);
	double m = bits & 0x3ff;

	if (e == 31)
		return m != 0 ? (double)NAN : sign * INFINITY;
	return sign * (e == 0 ? ldexp(m, -24) : ldexp(1024.0 + m, e - 25));
}

double wgsl_half(double x)
{
	return wgsl_half_of(num_f16_bits(x));
}

bool wgsl_round(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_kind kind, double *x)
{
	if (kind == WGSL_F32)
		*x = (double)(float)*x;
	if (kind == WGSL_F16)
		*x = wgsl_half(*x);
	if (isfinite(*x))
		return true;
	wgsl_eval_error(c, at, "the constant does not fit into %s",
			kind == WGSL_F32   ? "f32"
			: kind == WGSL_F16 ? "f16"
					   : "f64");
	return false;
}

bool wgsl_fits(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_kind kind, int64_t x)
{
	if (kind == WGSL_I32 && x >= INT32_MIN && x <= INT32_MAX)
		return true;
	if (kind == WGSL_U32 && x >= 0 && x <= UINT32_MAX)
		return true;
	if (kind != WGSL_I32 && kind != WGSL_U32)
		return true;
	wgsl_eval_error(c, at, "the value %lld does not fit into %s", (long long)x,
			kind == WGSL_I32 ? "i32" : "u32");
	return false;
}

static const struct wgsl_value *failed(struct wgsl_comp *c, const struct wgsl_type *t)
{
	return c->no_eval > 0 ? wgsl_zero(c, t) : NULL;
}

/* ---- conversions ------------------------------------------------------------------------- */

static bool convert_scalar(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_kind from,
			   enum wgsl_kind to, union wgsl_scalar *s)
{
	int64_t n;

	if (from == to)
		return true;
	if (is_float_kind(from))
		return wgsl_round(c, at, to, &s->f);
	if (to == WGSL_U64 && s->i < 0) {
		wgsl_eval_error(c, at, "the value %lld does not fit into u64", (long long)s->i);
		return false;
	}
	if (!is_float_kind(to))
		return wgsl_fits(c, at, to, s->i);
	n = s->i;
	s->f = to == WGSL_F32 ? (double)(float)n : (double)n;
	return to != WGSL_F16 || wgsl_round(c, at, to, &s->f);
}

static const struct wgsl_value *convert_array(struct wgsl_comp *c, struct wgsl_span at,
					      const struct wgsl_value *v,
					      const struct wgsl_type *to)
{
	struct wgsl_value *n = wgsl_new_value(c, to);

	if (v->elems == NULL)
		return n;
	c->n_converted += to->count;
	if (c->n_converted > WGSL_MAX_CONVERTED) {
		wgsl_error(c, at, "constant arrays of abstract numbers become too large (limit %d)",
			   WGSL_MAX_CONVERTED);
		return NULL;
	}
	n->elems = arena_new_array(c->arena, const struct wgsl_value *, to->count);
	for (uint32_t i = 0; i < to->count; i++) {
		n->elems[i] = wgsl_convert_value(c, at, v->elems[i], to->elem);
		if (n->elems[i] == NULL)
			return NULL;
	}
	return n;
}

/* A table that is indexed at many places is converted for the first of them. The oldest one makes
 * room: which that is must not depend on addresses, or a kernel near the limit may be refused by
 * chance. */
static const struct wgsl_value *convert_once(struct wgsl_comp *c, struct wgsl_span at,
					     const struct wgsl_value *v, const struct wgsl_type *to)
{
	struct wgsl_converted *slot = c->converted;
	const struct wgsl_value *n;

	for (; slot < c->converted + WGSL_CONVERTED_SLOTS; slot++)
		if (slot->from == v && slot->to == to)
			return slot->value;
	n = convert_array(c, at, v, to);
	if (n == NULL)
		return NULL;
	slot = &c->converted[c->next_converted++ % WGSL_CONVERTED_SLOTS];
	*slot = (struct wgsl_converted){ .from = v, .to = to, .value = n };
	return n;
}

/* The result of modf or frexp. */
static const struct wgsl_value *convert_parts(struct wgsl_comp *c, struct wgsl_span at,
					      const struct wgsl_value *v,
					      const struct wgsl_type *to)
{
	struct wgsl_value *n = wgsl_new_value(c, to);

	if (v->elems == NULL)
		return n;
	n->elems = arena_new_array(c->arena, const struct wgsl_value *, to->n_members);
	for (uint32_t i = 0; i < to->n_members; i++) {
		n->elems[i] = wgsl_convert_value(c, at, v->elems[i], to->members[i].type);
		if (n->elems[i] == NULL)
			return NULL;
	}
	return n;
}

const struct wgsl_value *wgsl_convert_value(struct wgsl_comp *c, struct wgsl_span at,
					    const struct wgsl_value *v, const struct wgsl_type *to)
{
	struct wgsl_value *n;

	if (v->type == to)
		return v;
	if (to->kind == WGSL_ARRAY || to->kind == WGSL_MAT)
		return convert_once(c, at, v, to);
	if (to->kind == WGSL_STRUCT)
		return convert_parts(c, at, v, to);
	n = wgsl_new_value(c, to);
	for (uint32_t i = 0; i < wgsl_type_width(to); i++) {
		n->v[i] = v->v[i];
		if (!convert_scalar(c, at, wgsl_type_base(v->type), wgsl_type_base(to), &n->v[i]))
			return failed(c, to);
	}
	return n;
}

static int64_t wrap(enum wgsl_kind kind, int64_t x)
{
	if (kind == WGSL_I32)
		return (int32_t)(uint32_t)(uint64_t)x;
	return kind == WGSL_U32 ? (int64_t)(uint32_t)(uint64_t)x : x;
}

/* The largest number of both types; f16 is f32 here. */
static double highest(enum wgsl_kind from, enum wgsl_kind to)
{
	bool is_f64 = from == WGSL_F64 || from == WGSL_ABSTRACT_FLOAT;

	if (to == WGSL_I32)
		return is_f64 ? 2147483647.0 : 2147483520.0;
	if (to == WGSL_U32)
		return is_f64 ? 4294967295.0 : 4294967040.0;
	if (to == WGSL_U64)
		return is_f64 ? 0x1.fffffffffffffp63 : 0x1.fffffep63;
	return is_f64 ? 0x1.fffffffffffffp62 : 0x1.fffffep62;
}

/* Truncated and clamped. */
static int64_t float_to_int(enum wgsl_kind from, enum wgsl_kind to, double x)
{
	double low = is_unsigned(to) ? 0.0 : is_wide_int(to) ? -0x1p63 : -0x1p31;
	double high = highest(from, to);

	if (isnan(x))
		return 0;
	x = x < low ? low : x > high ? high : trunc(x);
	return to == WGSL_U64 ? (int64_t)(uint64_t)x : (int64_t)x;
}

/* Integers to f32 are rounded once, also those that f64 cannot hold. */
static double int_to_float(enum wgsl_kind from, enum wgsl_kind to, int64_t x)
{
	if (from == WGSL_U64)
		return to == WGSL_F64 ? (double)(uint64_t)x : (double)(float)(uint64_t)x;
	return to == WGSL_F64 ? (double)x : (double)(float)x;
}

static union wgsl_scalar cast_scalar(enum wgsl_kind from, enum wgsl_kind to, union wgsl_scalar s)
{
	union wgsl_scalar r = { 0 };

	if (to == WGSL_BOOL)
		r.i = is_float_kind(from) ? s.f != 0.0 : s.i != 0;
	else if (is_float_kind(to))
		r.f = is_float_kind(from) ? s.f : int_to_float(from, to, s.i);
	else
		r.i = is_float_kind(from) ? float_to_int(from, to, s.f) : wrap(to, s.i);
	/* f64 becomes f16 by way of f32, as at run time. */
	if (from == WGSL_F64 && to == WGSL_F16)
		r.f = (double)(float)r.f;
	return r;
}

static const struct wgsl_value *cast_matrix(struct wgsl_comp *c, struct wgsl_span at,
					    const struct wgsl_value *v, const struct wgsl_type *to)
{
	struct wgsl_value *n = wgsl_new_value(c, to);

	if (v->elems == NULL)
		return n;
	n->elems = arena_new_array(c->arena, const struct wgsl_value *, to->count);
	for (uint32_t i = 0; i < to->count; i++) {
		n->elems[i] = wgsl_cast_value(c, at, v->elems[i], to->elem);
		if (n->elems[i] == NULL)
			return NULL;
	}
	return n;
}

const struct wgsl_value *wgsl_cast_value(struct wgsl_comp *c, struct wgsl_span at,
					 const struct wgsl_value *v, const struct wgsl_type *to)
{
	enum wgsl_kind kind = wgsl_type_base(to);
	struct wgsl_value *n;

	if (v->type == to)
		return v;
	if (wgsl_is_abstract(v->type) && wgsl_can_convert(v->type, to))
		return wgsl_convert_value(c, at, v, to);
	if (to->kind == WGSL_MAT)
		return cast_matrix(c, at, v, to);
	n = wgsl_new_value(c, to);
	for (uint32_t i = 0; i < wgsl_type_width(to); i++) {
		n->v[i] = cast_scalar(wgsl_type_base(v->type), kind, v->v[i]);
		if (is_float_kind(kind) && !wgsl_round(c, at, kind, &n->v[i].f))
			return failed(c, to);
	}
	return n;
}

static uint32_t f32_bits(double x)
{
	float f = (float)x;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static uint64_t f64_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static uint64_t scalar_bits(enum wgsl_kind kind, union wgsl_scalar s)
{
	if (kind == WGSL_F64)
		return f64_bits(s.f);
	if (is_float_kind(kind))
		return f32_bits(s.f);
	return is_wide_int(kind) ? (uint64_t)s.i : (uint32_t)(uint64_t)s.i;
}

void wgsl_value_bits(const struct wgsl_value *v, uint64_t bits[4])
{
	for (uint32_t i = 0; i < wgsl_type_width(v->type); i++)
		bits[i] = scalar_bits(wgsl_type_base(v->type), v->v[i]);
}

/* Bits of the component of a bitcast. */
static uint32_t component_bits(enum wgsl_kind kind)
{
	return kind == WGSL_F16 ? 16 : kind >= WGSL_I64 ? 64 : 32;
}

static bool from_bits(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_kind kind, uint64_t bits,
		      union wgsl_scalar *ret)
{
	uint32_t word = (uint32_t)bits;
	float f;

	if (!is_float_kind(kind)) {
		ret->i = wrap(kind, (int64_t)bits);
		return true;
	}
	memcpy(&f, &word, sizeof(f));
	memcpy(&ret->f, &bits, sizeof(ret->f));
	if (kind != WGSL_F64)
		ret->f = kind == WGSL_F16 ? wgsl_half_of(word & 0xffff) : (double)f;
	if (isfinite(ret->f))
		return true;
	wgsl_eval_error(c, at, "the bits are no finite %s", wgsl_type_text(c, c->basic[kind]));
	return false;
}

const struct wgsl_value *wgsl_bitcast_value(struct wgsl_comp *c, struct wgsl_span at,
					    const struct wgsl_value *v, const struct wgsl_type *to)
{
	struct wgsl_value *n = wgsl_new_value(c, to);
	enum wgsl_kind from = wgsl_type_base(v->type);
	uint32_t size = component_bits(from);
	uint32_t step = component_bits(wgsl_type_base(to));
	uint64_t words[4] = { 0 }; /* 64 bits each */

	for (uint32_t i = 0; i < wgsl_type_width(v->type); i++) {
		uint64_t bits =
		    from == WGSL_F16 ? num_f16_bits(v->v[i].f) : scalar_bits(from, v->v[i]);

		words[i * size / 64] |= bits << (i * size % 64);
	}
	for (uint32_t i = 0; i < wgsl_type_width(to); i++)
		if (!from_bits(c, at, wgsl_type_base(to), words[i * step / 64] >> (i * step % 64),
			       &n->v[i]))
			return failed(c, to);
	return n;
}

/* ---- operators --------------------------------------------------------------------------- */

static void unary_scalar(enum wgsl_tok_kind op, enum wgsl_kind kind, union wgsl_scalar *s)
{
	if (op == TOK_NOT) {
		s->i = !s->i;
	} else if (op == TOK_TILDE) {
		s->i = wrap(kind, ~s->i);
	} else if (is_float_kind(kind)) {
		s->f = -s->f;
	} else { /* the lowest number stays as it is */
		s->i = wrap(kind, (int64_t)(0 - (uint64_t)s->i));
	}
}

const struct wgsl_value *wgsl_eval_unary(struct wgsl_comp *c, enum wgsl_tok_kind op,
					 const struct wgsl_value *v)
{
	struct wgsl_value *n = wgsl_new_value(c, v->type);

	for (uint32_t i = 0; i < wgsl_type_width(v->type); i++) {
		n->v[i] = v->v[i];
		unary_scalar(op, wgsl_type_base(v->type), &n->v[i]);
	}
	return n;
}

bool wgsl_less(enum wgsl_kind kind, int64_t a, int64_t b)
{
	return kind == WGSL_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static bool compare(enum wgsl_tok_kind op, bool less, bool equal)
{
	switch ((int)op) {
	case TOK_LT:
		return less;
	case TOK_LE:
		return less || equal;
	case TOK_GT:
		return !less && !equal;
	case TOK_GE:
		return !less;
	case TOK_EQ:
		return equal;
	default:
		return !equal;
	}
}

static bool float_op(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_tok_kind op,
		     enum wgsl_kind kind, union wgsl_scalar *pair)
{
	double a = pair[0].f;
	double b = pair[1].f;
	double r = 0;

	if ((op == TOK_SLASH || op == TOK_PERCENT) && b == 0.0) {
		wgsl_eval_error(c, at, "division by the constant zero");
		return false;
	}
	if (op == TOK_PLUS)
		r = a + b;
	else if (op == TOK_MINUS)
		r = a - b;
	else if (op == TOK_STAR)
		r = a * b;
	else if (op == TOK_SLASH)
		r = a / b;
	else
		r = fmod(a, b);
	if (!wgsl_round(c, at, kind, &r))
		return false;
	pair[0].f = r;
	return true;
}

/* Products of i32 and u32 fit into 64 bits; abstract ones may not. */
static bool int_arith(enum wgsl_tok_kind op, int64_t a, int64_t b, int64_t *r)
{
	if (op == TOK_PLUS)
		return num_add_i64(a, b, r);
	if (op == TOK_MINUS)
		return num_sub_i64(a, b, r);
	if (op == TOK_STAR)
		return num_mul_i64(a, b, r);
	if (b == -1) {
		*r = 0;
		return op == TOK_PERCENT ? a != INT64_MIN : num_sub_i64(0, a, r);
	}
	*r = op == TOK_SLASH ? a / b : a % b;
	return true;
}

static int64_t bit_op(enum wgsl_tok_kind op, int64_t a, int64_t b)
{
	if (op == TOK_AND)
		return a & b;
	return op == TOK_OR ? a | b : a ^ b;
}

/* u64: wraps; i64 too, except where abstract numbers would not fit. */
static int64_t wide_arith(enum wgsl_tok_kind op, enum wgsl_kind kind, int64_t x, int64_t y)
{
	uint64_t a = (uint64_t)x;
	uint64_t b = (uint64_t)y;

	if (op == TOK_PLUS)
		return (int64_t)(a + b);
	if (op == TOK_MINUS)
		return (int64_t)(a - b);
	if (op == TOK_STAR)
		return (int64_t)(a * b);
	if (kind == WGSL_U64)
		return (int64_t)(op == TOK_SLASH ? a / b : a % b);
	return op == TOK_SLASH ? x / y : x % y;
}

static bool int_op(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_tok_kind op,
		   enum wgsl_kind kind, union wgsl_scalar *pair)
{
	int64_t a = pair[0].i;
	int64_t b = pair[1].i;
	bool is_division = op == TOK_SLASH || op == TOK_PERCENT;
	int64_t r = 0;

	if (is_division && b == 0) {
		wgsl_eval_error(c, at, "division by the constant zero");
		return false;
	}
	if (kind == WGSL_U64 || (kind == WGSL_I64 && !(is_division && b == -1))) {
		pair[0].i = wide_arith(op, kind, a, b);
		return true;
	}
	if (!int_arith(op, a, b, &r)) {
		if (kind == WGSL_U32) {
			pair[0].i = wrap(kind, (int64_t)((uint64_t)a * (uint64_t)b));
			return true;
		}
		wgsl_eval_error(c, at, "the constant overflows 64 bits");
		return false;
	}
	/* Concrete integers wrap; only MIN / -1 and MIN % -1 are errors. */
	if ((op == TOK_SLASH || (op == TOK_PERCENT && b == -1)) &&
	    !wgsl_fits(c, at, kind, op == TOK_SLASH ? r : -a))
		return false;
	pair[0].i = wrap(kind, r);
	return true;
}

/* a << n lost nothing, for signed numbers not even the sign. */
static bool is_kept(enum wgsl_kind kind, int64_t a, int64_t r, int64_t n)
{
	if (kind == WGSL_U64)
		return (uint64_t)r >> n == (uint64_t)a;
	if (is_wide_int(kind))
		return r >> n == a;
	return kind == WGSL_I32 ? r >= INT32_MIN && r <= INT32_MAX : r <= UINT32_MAX;
}

static bool shift_op(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_tok_kind op,
		     enum wgsl_kind kind, union wgsl_scalar *pair)
{
	int64_t a = pair[0].i;
	int64_t n = pair[1].i;
	int64_t r;

	if (n >= (is_wide_int(kind) ? 64 : 32)) {
		if (op == TOK_SHR && kind == WGSL_ABSTRACT_INT) {
			pair[0].i = a < 0 ? -1 : 0;
			return true;
		}
		wgsl_eval_error(c, at, "a shift by %lld is at least the width of the value",
				(long long)n);
		return false;
	}
	if (op == TOK_SHR) {
		pair[0].i = kind == WGSL_U64 ? (int64_t)((uint64_t)a >> n) : a >> n;
		return true;
	}
	r = (int64_t)((uint64_t)a << n);
	if (!is_kept(kind, a, r, n)) {
		wgsl_eval_error(c, at, "the shift loses bits of the constant");
		return false;
	}
	pair[0].i = r;
	return true;
}

static bool binary_scalar(struct wgsl_comp *c, struct wgsl_span at, enum wgsl_tok_kind op,
			  enum wgsl_kind kind, union wgsl_scalar *pair)
{
	if (op >= TOK_LT && op <= TOK_NE) {
		bool less = is_float_kind(kind) ? pair[0].f < pair[1].f
						: wgsl_less(kind, pair[0].i, pair[1].i);
		bool equal = is_float_kind(kind) ? pair[0].f == pair[1].f : pair[0].i == pair[1].i;

		pair[0].i = compare(op, less, equal);
		return true;
	}
	if (op == TOK_SHL || op == TOK_SHR)
		return shift_op(c, at, op, kind, pair);
	if (op == TOK_ANDAND)
		op = TOK_AND;
	if (op == TOK_OROR)
		op = TOK_OR;
	if (is_float_kind(kind))
		return float_op(c, at, op, kind, pair);
	if (op == TOK_AND || op == TOK_OR || op == TOK_XOR) {
		pair[0].i = bit_op(op, pair[0].i, pair[1].i);
		return true;
	}
	return int_op(c, at, op, kind, pair);
}

const struct wgsl_value *wgsl_eval_binary(struct wgsl_comp *c, struct wgsl_span at,
					  enum wgsl_tok_kind op, const struct wgsl_value *a,
					  const struct wgsl_value *b, const struct wgsl_type *type)
{
	struct wgsl_value *n = wgsl_new_value(c, type);

	for (uint32_t i = 0; i < wgsl_type_width(type); i++) {
		union wgsl_scalar pair[2] = { wgsl_comp_of(a, i), wgsl_comp_of(b, i) };

		if (!binary_scalar(c, at, op, wgsl_type_base(a->type), pair))
			return failed(c, type);
		n->v[i] = pair[0];
	}
	return n;
}

const char *wgsl_value_text(struct wgsl_comp *c, const struct wgsl_value *v)
{
	enum wgsl_kind kind = v->type->kind;

	if (kind == WGSL_BOOL)
		return v->v[0].i != 0 ? "true" : "false";
	if (is_float_kind(kind)) {
		char text[NUM_TEXT];

		return arena_strdup(c->arena, num_print_f64(v->v[0].f, text));
	}
	if (kind == WGSL_U64)
		return arena_printf(c->arena, "%llu", (unsigned long long)v->v[0].i);
	return arena_printf(c->arena, "%lld", (long long)v->v[0].i);
}
