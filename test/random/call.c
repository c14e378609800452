/* call.c - calls of built-in functions and of the kernel's own. */
#include <string.h>

#include "base/mem.h"
#include "test/random/random_int.h"

enum { INT32 = 1, INT64 = 2, FLOAT = 4, NO_F64 = 8, SIGNED = 16, INT = INT32 | INT64 };

/* Result and arguments of one type; "t" that type, "s" its scalar, "U" u32, "i" i32 of as many
 * components, "2", "3", "4": only vectors of that many, "v": only vectors. */
static const struct {
	const char *name, *args;
	int bases;
	bool is_math; /* no fixed bits */
} same[] = {
	{ "abs", "t", INT | FLOAT, false },
	{ "min", "tt", INT | FLOAT, false },
	{ "max", "tt", INT | FLOAT, false },
	{ "clamp", "ttt", INT | FLOAT, false },
	{ "sign", "t", INT | FLOAT | SIGNED, false },
	{ "countOneBits", "t", INT, false },
	{ "countLeadingZeros", "t", INT, false },
	{ "countTrailingZeros", "t", INT, false },
	{ "firstLeadingBit", "t", INT, false },
	{ "firstTrailingBit", "t", INT, false },
	{ "reverseBits", "t", INT, false },
	{ "extractBits", "tUU", INT, false },
	{ "insertBits", "ttUU", INT, false },
	{ "floor", "t", FLOAT, false },
	{ "ceil", "t", FLOAT, false },
	{ "round", "t", FLOAT, false },
	{ "trunc", "t", FLOAT, false },
	{ "fract", "t", FLOAT, false },
	{ "saturate", "t", FLOAT, false },
	{ "fma", "ttt", FLOAT, false },
	{ "mix", "ttt", FLOAT, false },
	{ "mix", "tts", FLOAT, false },
	{ "step", "tt", FLOAT, false },
	{ "degrees", "t", FLOAT, false },
	{ "radians", "t", FLOAT, false },
	{ "ldexp", "ti", FLOAT | NO_F64, false },
	{ "cross", "3tt", FLOAT, false },
	{ "reflect", "vtt", FLOAT, false },
	{ "faceForward", "vttt", FLOAT, false },
	{ "acos", "t", FLOAT | NO_F64, true },
	{ "acosh", "t", FLOAT | NO_F64, true },
	{ "asin", "t", FLOAT | NO_F64, true },
	{ "asinh", "t", FLOAT | NO_F64, true },
	{ "atan", "t", FLOAT | NO_F64, true },
	{ "atanh", "t", FLOAT | NO_F64, true },
	{ "atan2", "tt", FLOAT | NO_F64, true },
	{ "cos", "t", FLOAT | NO_F64, true },
	{ "cosh", "t", FLOAT | NO_F64, true },
	{ "exp", "t", FLOAT | NO_F64, true },
	{ "exp2", "t", FLOAT | NO_F64, true },
	{ "inverseSqrt", "t", FLOAT, true },
	{ "log", "t", FLOAT | NO_F64, true },
	{ "log2", "t", FLOAT | NO_F64, true },
	{ "pow", "tt", FLOAT | NO_F64, true },
	{ "sin", "t", FLOAT | NO_F64, true },
	{ "sinh", "t", FLOAT | NO_F64, true },
	{ "smoothstep", "ttt", FLOAT, true },
	{ "sqrt", "t", FLOAT, true },
	{ "tan", "t", FLOAT | NO_F64, true },
	{ "tanh", "t", FLOAT | NO_F64, true },
	{ "normalize", "vt", FLOAT, true },
	{ "refract", "vtts", FLOAT | NO_F64, true },
};

/* Scalars of vectors: of the same base, "v" vectors, "m" square matrices. */
static const struct {
	const char *name, *args;
	int bases;
	bool is_math;
} narrow[] = {
	{ "dot", "vv", INT | FLOAT, false },
	{ "determinant", "m", FLOAT, false },
	{ "length", "v", FLOAT, true },
	{ "distance", "vv", FLOAT, true },
};

/* Fixed types: result, then arguments: base letter and number of components. */
static const struct {
	const char *name, *types;
	bool is_math;
} fixed[] = {
	{ "dot4U8Packed", "u1u1u1", false },     { "dot4I8Packed", "i1u1u1", false },
	{ "pack4xU8", "u1u4", false },           { "pack4xI8", "u1i4", false },
	{ "pack4xU8Clamp", "u1u4", false },      { "pack4xI8Clamp", "u1i4", false },
	{ "unpack4xU8", "u4u1", false },         { "unpack4xI8", "i4u1", false },
	{ "pack4x8snorm", "u1f4", false },       { "pack4x8unorm", "u1f4", false },
	{ "pack2x16snorm", "u1f2", false },      { "pack2x16unorm", "u1f2", false },
	{ "pack2x16float", "u1f2", false },      { "unpack4x8snorm", "f4u1", true },
	{ "unpack4x8unorm", "f4u1", true },      { "unpack2x16snorm", "f2u1", true },
	{ "unpack2x16unorm", "f2u1", true },     { "unpack2x16float", "f2u1", false },
	{ "quantizeToF16", "f1f1", false },      { "quantizeToF16", "f3f3", false },
	{ "bitcast<f32>", "f1u1", false },       { "bitcast<f32>", "f1i1", false },
	{ "bitcast<u32>", "u1f1", false },       { "bitcast<i32>", "i1u1", false },
	{ "bitcast<i32>", "i1f1", false },       { "bitcast<vec2<u32>>", "u2f2", false },
	{ "bitcast<vec3<f32>>", "f3i3", false }, { "bitcast<vec4<i32>>", "i4u4", false },
	{ "bitcast<u32>", "u1h2", false },       { "bitcast<vec2<f16>>", "h2u1", false },
	{ "bitcast<vec4<f16>>", "h4u2", false }, { "bitcast<vec2<u32>>", "u2h4", false },
	{ "bitcast<u64>", "U1D1", false },       { "bitcast<f64>", "D1I1", false },
	{ "bitcast<i64>", "I1u2", false },       { "bitcast<vec2<u32>>", "u2U1", false },
	{ "bitcast<vec4<u32>>", "u4D2", false },
};

/* Members of results of their own. */
static const struct {
	const char *before, *after;
	char of, base; /* argument and result */
} parts[] = {
	{ "modf(", ").fract", 'f', 'f' },  { "modf(", ").whole", 'f', 'f' },
	{ "frexp(", ").fract", 'f', 'f' }, { "frexp(", ").exp", 'f', 'i' },
	{ "modf(", ").whole", 'h', 'h' },  { "frexp(", ").exp", 'h', 'i' },
	{ "modf(", ").fract", 'D', 'D' },
};

static enum random_base base_of(char letter)
{
	static const char letters[] = "?iufhIUD";

	return (enum random_base)(strchr(letters, letter) - letters);
}

static bool allows(int bases, enum random_base b)
{
	bool is_unsigned = b == BASE_U32 || b == BASE_U64;

	if (is_float(b))
		return (bases & FLOAT) != 0 && !(b == BASE_F64 && (bases & NO_F64) != 0);
	if ((bases & SIGNED) != 0 && is_unsigned)
		return false;
	return (bases & (b == BASE_I32 || b == BASE_U32 ? INT32 : INT64)) != 0 && b != BASE_BOOL;
}

static void arguments(struct maker *m, const struct random_type *t, const char *args, int depth)
{
	for (const char *a = args; *a != '\0'; a++) {
		const struct random_type *of = *a == 's'   ? scalar(m, t->base)
					       : *a == 'U' ? scalar(m, BASE_U32)
					       : *a == 'i' ? vector(m, BASE_I32, t->n)
							   : t;

		if (a != args)
			put(m, ", ");
		if (*a == 'U' && a[1] == '\0' && a[-1] == 'U' && once_in(m, 3))
			put(m, "7u");
		else
			expr(m, of, depth - 1);
	}
}

static bool call_same(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = pick(m, (uint32_t)ARRAY_LEN(same));
	const char *args = same[k].args;

	if (!allows(same[k].bases, t->base) || (same[k].is_math && !m->has.math))
		return false;
	if (args[0] == 'v' || args[0] == '3') {
		if (t->kind != KIND_VECTOR || (args[0] == '3' && t->n != 3))
			return false;
		args++;
	}
	if (t->kind == KIND_SCALAR && strcmp(args, "tts") == 0)
		return false;
	buf_note(m->out, "%s(", same[k].name);
	arguments(m, t, args, depth);
	put(m, ")");
	return true;
}

static bool call_narrow(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = pick(m, (uint32_t)ARRAY_LEN(narrow)), n = 2 + pick(m, 3);

	if (t->kind != KIND_SCALAR || !allows(narrow[k].bases, t->base) ||
	    (narrow[k].is_math && !m->has.math))
		return false;
	buf_note(m->out, "%s(", narrow[k].name);
	for (const char *a = narrow[k].args; *a != '\0'; a++) {
		if (a != narrow[k].args)
			put(m, ", ");
		expr(m, *a == 'm' ? &m->matrices[t->base][n][n] : vector(m, t->base, n), depth - 1);
	}
	put(m, ")");
	return true;
}

static const struct random_type *type_of(struct maker *m, const char *spec)
{
	return vector(m, base_of(spec[0]), (uint32_t)(spec[1] - '0'));
}

static bool is_usable(struct maker *m, const char *types)
{
	for (; *types != '\0'; types += 2)
		if (!m->bases[base_of(types[0])])
			return false;
	return true;
}

static bool call_fixed(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t n = (uint32_t)ARRAY_LEN(fixed), k = pick(m, n);

	for (uint32_t i = 0; i < n; i++, k = (k + 1) % n) {
		const char *types = fixed[k].types;

		if (type_of(m, types) != t || !is_usable(m, types) ||
		    (fixed[k].is_math && !m->has.math))
			continue;
		buf_note(m->out, "%s(", fixed[k].name);
		for (types += 2; *types != '\0'; types += 2) {
			expr(m, type_of(m, types), depth - 1);
			put(m, types[2] != '\0' ? ", " : ")");
		}
		return true;
	}
	return false;
}

static bool call_part(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = pick(m, (uint32_t)ARRAY_LEN(parts));

	if (base_of(parts[k].base) != t->base || !m->bases[base_of(parts[k].of)])
		return false;
	put(m, parts[k].before);
	expr(m, vector(m, base_of(parts[k].of), t->n), depth - 1);
	put(m, parts[k].after);
	return true;
}

/* A matrix times a vector, or the other way round. */
static bool product(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t n = 2 + pick(m, 3);
	bool is_left = pick(m, 2) == 0;

	if (t->kind != KIND_VECTOR || !is_float(t->base))
		return false;
	put(m, "(");
	expr(m, is_left ? &m->matrices[t->base][n][t->n] : vector(m, t->base, n), depth - 1);
	put(m, " * ");
	expr(m, is_left ? vector(m, t->base, n) : &m->matrices[t->base][t->n][n], depth - 1);
	put(m, ")");
	return true;
}

bool builtin_call(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = pick(m, 8);

	if (t->base == BASE_BOOL)
		return false;
	if (k < 4 && call_same(m, t, depth))
		return true;
	if (k == 4 && call_narrow(m, t, depth))
		return true;
	if (k == 5 && call_part(m, t, depth))
		return true;
	if (k == 6 && product(m, t, depth))
		return true;
	return call_fixed(m, t, depth) || call_same(m, t, depth);
}

/* ---- the kernel's own functions ------------------------------------------------------------ */

static bool has_pointer(const struct maker *m, const struct random_fn *f)
{
	for (uint32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].is_function &&
		    holds(m->vars[i].type, f->params[f->n_params - 1], false))
			return true;
	return false;
}

bool user_call(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t first = m->n_fns > 0 ? pick(m, m->n_fns) : 0;

	for (uint32_t i = 0; i < m->n_fns && m->calls > 0; i++) {
		const struct random_fn *f = &m->fns[(first + i) % m->n_fns];
		const struct random_type *last = f->params[f->n_params - 1];

		/* Private variables are named by main only: functions have them as parameters. */
		if (f->result != t || (f->pointer == POINTER_PRIVATE && m->result != NULL) ||
		    (f->pointer == POINTER_FUNCTION && !has_pointer(m, f)))
			continue;
		m->calls--;
		buf_note(m->out, "%s(", f->name);
		for (uint32_t k = 0; k + 1 < f->n_params; k++) {
			expr(m, f->params[k], depth - 1);
			put(m, ", ");
		}
		if (f->pointer == POINTER_PRIVATE)
			buf_note(m->out, "&q_%s", f->name);
		else if (f->pointer == POINTER_FUNCTION)
			(void)put_pointer(m, last, depth - 1);
		else
			expr(m, last, depth - 1);
		put(m, ")");
		return true;
	}
	return false;
}
