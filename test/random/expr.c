/*
 * expr.c - expressions of a given type.
 *
 * Nothing constant stands alone: constants are checked, not wrapped or clamped. A literal is only
 * the right operand of what cannot fail with it, and what is left of it is a value of the run.
 */
#include "base/mem.h"
#include "test/random/random_int.h"

/* ---- places -------------------------------------------------------------------------------- */

static void index_of(struct maker *m, uint32_t n, int depth)
{
	if (depth <= 0 || once_in(m, 3)) {
		buf_note(m->out, "%u", pick(m, n));
		return;
	}
	expr(m, scalar(m, pick(m, 4) == 3 ? BASE_I32 : BASE_U32), depth - 1);
}

static const struct random_type *step_into(struct maker *m, const struct random_type *t,
					   const struct random_type *want, bool in_vectors,
					   int depth)
{
	uint32_t at;

	if (t->kind == KIND_STRUCT) {
		at = pick(m, t->n);
		while (!holds(t->members[at], want, in_vectors))
			at = (at + 1) % t->n;
		buf_note(m->out, ".m%u", at);
		return t->members[at];
	}
	if (t->kind == KIND_VECTOR && pick(m, 2) == 0) {
		at = pick(m, t->n);
		buf_note(m->out, ".%c", (pick(m, 4) == 3 ? "rgba" : "xyzw")[at]);
		return t->elem;
	}
	put(m, "[");
	index_of(m, t->n, depth);
	put(m, "]");
	return t->elem;
}

static bool put_part(struct maker *m, const struct random_var *v, const struct random_type *want,
		     bool in_vectors, int depth)
{
	const struct random_type *t = v->type;
	struct random_var copy = *v;

	put(m, copy.name);
	while (t != want)
		t = step_into(m, t, want, in_vectors, depth);
	return true;
}

bool put_place(struct maker *m, const struct random_type *t, int depth, bool is_write)
{
	uint32_t first = m->n_vars > 0 ? pick(m, m->n_vars) : 0;

	for (uint32_t i = 0; i < m->n_vars; i++) {
		const struct random_var *v = &m->vars[(first + i) % m->n_vars];

		if ((!is_write || v->is_writable) && holds(v->type, t, true))
			return put_part(m, v, t, true, depth);
	}
	return false;
}

bool put_pointer(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t first = m->n_vars > 0 ? pick(m, m->n_vars) : 0;

	for (uint32_t i = 0; i < m->n_vars; i++) {
		const struct random_var *v = &m->vars[(first + i) % m->n_vars];

		if (v->is_function && holds(v->type, t, false)) {
			put(m, "&");
			return put_part(m, v, t, false, depth);
		}
	}
	return false;
}

/* ---- leaves -------------------------------------------------------------------------------- */

/* A u32 that the run decides. */
static void raw_word(struct maker *m, int depth)
{
	static const char *const anywhere[] = {
		"u.x", "u.z", "(u.y ^ k0)", "(u.x + ov0)", "table[u.x]", "arrayLength(&words)"
	};
	static const char *const inputs[] = { "id.x", "gi",   "id.y",    "id.z",    "lane", "wg.x",
					      "wg.y", "nw.x", "local.x", "local.y", "nw.y" };
	bool is_product = depth > 0 && once_in(m, 8);

	if (is_product)
		put(m, "(");
	if (once_in(m, 3))
		put(m, anywhere[pick(m, (uint32_t)ARRAY_LEN(anywhere))]);
	else if (m->result != NULL)
		put(m, "a0");
	else
		put(m, inputs[pick(m, m->is_flat ? 4 : (uint32_t)ARRAY_LEN(inputs))]);
	if (is_product)
		put(m, " * 3u)");
}

static void load_word(struct maker *m, int depth)
{
	put(m, "words[");
	raw_word(m, depth);
	put(m, "]");
}

static void leaf(struct maker *m, const struct random_type *t, int depth);

static void leaf_scalar(struct maker *m, const struct random_type *t)
{
	if (t->base == BASE_F32 && pick(m, 2) == 0) {
		put(m, "reals[");
		raw_word(m, 1);
		put(m, "]");
	} else if (t->base == BASE_U32) {
		put(m, "(");
		pick(m, 3) == 2 ? load_word(m, 1) : raw_word(m, 1);
		put(m, ")");
	} else if (t->base == BASE_BOOL) {
		put(m, "((");
		raw_word(m, 1);
		put(m, pick(m, 2) == 0 ? " & 1u) == 0u)" : " & 2u) != 0u)");
	} else {
		buf_note(m->out, "%s(", t->name);
		pick(m, 2) == 0 ? raw_word(m, 1) : load_word(m, 1);
		put(m, t->base == BASE_F16 ? " & 1023u)" : ")");
	}
}

static void leaf_composed(struct maker *m, const struct random_type *t)
{
	put_type(m, t);
	put(m, "(");
	if (t->words > 12) {
		put(m, ")");
		return;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		if (i > 0)
			put(m, ", ");
		leaf(m, t->kind == KIND_STRUCT ? t->members[i] : t->elem, 0);
		if (i == 0 && t->kind == KIND_VECTOR && pick(m, 2) == 0)
			break;
	}
	put(m, ")");
}

static void leaf(struct maker *m, const struct random_type *t, int depth)
{
	if (pick(m, 4) < 3 && put_place(m, t, depth, false))
		return;
	if (t->kind == KIND_SCALAR)
		leaf_scalar(m, t);
	else
		leaf_composed(m, t);
}

static const char *suffix_of(struct maker *m, enum random_base base)
{
	static const char *const suffixes[] = { "", "i", "u", "f", "h", "li", "lu", "lf" };

	/* A number without one takes the type of what is beside it. */
	return pick(m, 3) == 2 ? "" : suffixes[base];
}

void literal(struct maker *m, enum random_base base, uint32_t max)
{
	static const char *const reals[] = { "0.5", "1.0", "2.0", "0.25", "3.5", "10.0", "0.1" };
	static const char *const words[] = { "1", "7", "0x7fffffff", "255", "0x10001", "13" };

	if (base == BASE_BOOL)
		put(m, pick(m, 2) == 0 ? "true" : "false");
	else if (is_float(base))
		buf_note(m->out, "%s%s", reals[pick(m, (uint32_t)ARRAY_LEN(reals))],
			 suffix_of(m, base));
	else if (max == 0)
		buf_note(m->out, "%s%s", words[pick(m, (uint32_t)ARRAY_LEN(words))],
			 suffix_of(m, base));
	else
		buf_note(m->out, "%u%s", pick(m, max + 1), suffix_of(m, base));
}

/* ---- operators ----------------------------------------------------------------------------- */

static void pair(struct maker *m, const struct random_type *a, const char *op,
		 const struct random_type *b, int depth)
{
	put(m, "(");
	expr(m, a, depth - 1);
	buf_note(m->out, " %s ", op);
	expr(m, b, depth - 1);
	put(m, ")");
}

static void compare(struct maker *m, const struct random_type *t, int depth)
{
	static const char *const ops[] = { "<", "==", "!=", ">", "<=", ">=" };
	const char *op = ops[pick(m, (uint32_t)ARRAY_LEN(ops))];
	enum random_base b = any_base(m, op[1] == '=' && (op[0] == '=' || op[0] == '!'));
	const struct random_type *of = vector(m, b, t->n);

	if (of->kind == KIND_SCALAR && b != BASE_BOOL && once_in(m, 3)) {
		put(m, "(");
		expr(m, of, depth - 1);
		buf_note(m->out, " %s ", op);
		literal(m, b, 0);
		put(m, ")");
		return;
	}
	pair(m, of, op, of, depth);
}

static void logic(struct maker *m, const struct random_type *t, int depth)
{
	static const char *const ops[] = { "&&", "||", "&", "|", "==", "!=" };
	uint32_t k = pick(m, t->kind == KIND_SCALAR ? 9 : 6);

	if (k < 3) {
		compare(m, t, depth);
	} else if (k == 3) {
		put(m, "!");
		expr(m, t, depth - 1);
	} else if (k == 4 || k == 5) {
		pair(m, t, ops[2 + pick(m, 4)], t, depth);
	} else if (k == 6) {
		put(m, pick(m, 2) == 0 ? "any(" : "all(");
		expr(m, vector(m, BASE_BOOL, 2 + pick(m, 3)), depth - 1);
		put(m, ")");
	} else {
		pair(m, t, ops[pick(m, 2)], t, depth);
	}
}

static void shift(struct maker *m, const struct random_type *t, int depth)
{
	put(m, "(");
	expr(m, t, depth - 1);
	put(m, pick(m, 2) == 0 ? " << " : " >> ");
	if (t->kind == KIND_SCALAR && pick(m, 2) == 0)
		literal(m, BASE_U32, 31);
	else
		expr(m, vector(m, BASE_U32, t->n), depth - 1);
	put(m, ")");
}

static void arithmetic(struct maker *m, const struct random_type *t, int depth)
{
	static const char *const ops[] = { "+", "-", "*", "/", "%", "&", "|", "^" };
	bool is_int = is_integer(t->base);
	uint32_t k = pick(m, is_int ? 9 : m->has.math ? 5 : 3);
	const struct random_type *s = scalar(m, t->base);

	if (k == 8) {
		shift(m, t, depth);
	} else if ((t->kind == KIND_SCALAR || k < 5) && once_in(m, 4)) {
		put(m, "(");
		expr(m, t, depth - 1);
		buf_note(m->out, " %s ", ops[k]);
		literal(m, t->base, 0);
		put(m, ")");
	} else if (t->kind == KIND_VECTOR && k < 5 && once_in(m, 3)) {
		pair(m, pick(m, 2) == 0 ? s : t, ops[k], t, depth);
	} else if (t->kind == KIND_VECTOR && k < 5 && once_in(m, 3)) {
		pair(m, t, ops[k], s, depth);
	} else {
		pair(m, t, ops[k], t, depth);
	}
}

static void unary(struct maker *m, const struct random_type *t, int depth)
{
	bool is_unsigned = t->base == BASE_U32 || t->base == BASE_U64;

	put(m, "(");
	put(m, is_unsigned || (is_integer(t->base) && pick(m, 2) == 0) ? "~" : "-");
	expr(m, t, depth - 1);
	put(m, ")");
}

/* T(x) of another base. */
static void convert(struct maker *m, const struct random_type *t, int depth)
{
	put_type(m, t);
	put(m, "(");
	expr(m, vector(m, any_base(m, true), t->n), depth - 1);
	put(m, ")");
}

static void choose(struct maker *m, const struct random_type *t, int depth)
{
	put(m, "select(");
	expr(m, t, depth - 1);
	put(m, ", ");
	expr(m, t, depth - 1);
	put(m, ", ");
	expr(m,
	     t->kind == KIND_VECTOR && pick(m, 2) == 0 ? vector(m, BASE_BOOL, t->n)
						       : scalar(m, BASE_BOOL),
	     depth - 1);
	put(m, ")");
}

static void swizzle(struct maker *m, const struct random_type *t, int depth)
{
	const char *letters = once_in(m, 4) ? "rgba" : "xyzw";
	uint32_t n = 2 + pick(m, 3);

	expr(m, vector(m, t->base, n), depth - 1);
	put(m, ".");
	for (uint32_t i = 0; i < t->n; i++)
		buf_note(m->out, "%c", letters[pick(m, n)]);
}

/* ---- by kind ------------------------------------------------------------------------------- */

static void composed(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t done = 0;

	put_type(m, t);
	put(m, "(");
	while (done < t->n) {
		bool is_pair = t->kind == KIND_VECTOR && t->n - done >= 2 && once_in(m, 3);

		if (done > 0)
			put(m, ", ");
		if (is_pair && t->n > 2)
			expr(m, vector(m, t->base, 2), depth - 2);
		else
			expr(m, t->kind == KIND_STRUCT ? t->members[done] : t->elem, depth - 2);
		done += is_pair && t->n > 2 ? 2 : 1;
	}
	put(m, ")");
}

static void number(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = pick(m, t->kind == KIND_VECTOR ? 12 : 10);

	if (k < 3)
		arithmetic(m, t, depth);
	else if (k == 3)
		unary(m, t, depth);
	else if (k == 4)
		convert(m, t, depth);
	else if (k == 5)
		choose(m, t, depth);
	else if (k < 10)
		builtin_call(m, t, depth) ? (void)0 : arithmetic(m, t, depth);
	else if (k == 10)
		swizzle(m, t, depth);
	else
		composed(m, t, depth);
}

static void matrix(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = pick(m, 7), n = 2 + pick(m, 3);

	if (k < 2) {
		pair(m, t, k == 0 ? "+" : "-", t, depth);
	} else if (k == 2) {
		pair(m, &m->matrices[t->base][n][t->rows], "*", &m->matrices[t->base][t->n][n],
		     depth);
	} else if (k == 3) {
		put(m, "transpose(");
		expr(m, &m->matrices[t->base][t->rows][t->n], depth - 1);
		put(m, ")");
	} else if (k == 4) {
		pair(m, t, "*", scalar(m, t->base), depth);
	} else {
		composed(m, t, depth);
	}
}

void expr(struct maker *m, const struct random_type *t, int depth)
{
	uint32_t k = depth <= 0 || m->out->len > 200 * 1024 ? 0 : pick(m, 8);

	if (k < 2 || (k == 7 && user_call(m, t, depth))) {
		if (k < 2)
			leaf(m, t, depth);
	} else if (t->kind == KIND_MATRIX) {
		matrix(m, t, depth);
	} else if (t->kind == KIND_ARRAY || t->kind == KIND_STRUCT) {
		pick(m, 2) == 0 ? leaf(m, t, depth) : composed(m, t, depth);
	} else if (t->base == BASE_BOOL) {
		logic(m, t, depth);
	} else {
		number(m, t, depth);
	}
}

void condition(struct maker *m, int depth)
{
	put(m, "(");
	expr(m, scalar(m, BASE_BOOL), depth);
	put(m, ")");
}
