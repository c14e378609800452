/* stmt.c - statements. */
#include <stdio.h>

#include "base/mem.h"
#include "test/random/random_int.h"

enum { MAX_DEPTH = 4 };

struct random_scope scope_enter(struct maker *m)
{
	put(m, " {\n");
	m->depth++;
	return (struct random_scope){ m->n_vars };
}

void scope_leave(struct maker *m, struct random_scope s)
{
	m->depth--;
	m->n_vars = s.n_vars;
	put(m, "}\n");
}

struct random_var *new_var(struct maker *m, const char *prefix, const struct random_type *t)
{
	struct random_var *v = &m->vars[m->n_vars];

	if (m->n_vars == MAX_VARS)
		return NULL;
	m->n_vars++;
	*v = (struct random_var){ .type = t };
	(void)snprintf(v->name, sizeof(v->name), "%s%u", prefix, m->n_names++);
	return v;
}

static void block(struct maker *m)
{
	struct random_scope s = scope_enter(m);

	statements(m);
	scope_leave(m, s);
}

/* ---- declarations -------------------------------------------------------------------------- */

static void declare(struct maker *m)
{
	bool is_let = once_in(m, 3);
	const struct random_type *t = any_type(m);
	uint32_t k = pick(m, 5);
	struct random_var *v;

	if (m->n_vars == MAX_VARS)
		return;
	buf_note(m->out, "%s%u", is_let ? "let c" : "var v", m->n_names);
	if (k < 2 || (k == 4 && !is_let)) {
		put(m, ": ");
		put_type(m, t);
	}
	if (k != 4 || is_let) {
		put(m, " = ");
		expr(m, t, 3);
	}
	put(m, ";\n");
	v = new_var(m, is_let ? "c" : "v", t);
	v->is_writable = v->is_function = !is_let;
}

/* let p = &v.m[i]; */
static void declare_pointer(struct maker *m)
{
	const struct random_type *t = any_type(m);
	size_t before = m->out->len;
	uint32_t name = m->n_names++;
	struct random_var *v;

	if (m->n_vars == MAX_VARS)
		return;
	buf_note(m->out, "let p%u = ", name);
	if (!put_pointer(m, t, 2)) {
		m->out->len = before;
		m->out->data[before] = '\0';
		return;
	}
	put(m, ";\n");
	v = new_var(m, "(*p", t);
	(void)snprintf(v->name, sizeof(v->name), "(*p%u)", name);
	v->is_writable = v->is_function = true;
}

/* ---- effects ------------------------------------------------------------------------------- */

static void assign(struct maker *m)
{
	static const char *const ops[] = { "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=" };
	const struct random_type *t = any_type(m);
	bool is_number = t->kind == KIND_SCALAR && t->base != BASE_BOOL;
	uint32_t k = pick(m, 6);

	if (!put_place(m, t, 2, true)) {
		put(m, "_ = ");
		expr(m, t, 2);
	} else if (k == 5 && is_number && is_integer(t->base)) {
		put(m, pick(m, 2) == 0 ? "++" : "--");
	} else if (k >= 3 && is_number) {
		k = pick(m, is_integer(t->base) ? 9 : m->has.math ? 5 : 3);
		buf_note(m->out, " %s ", ops[k]);
		expr(m, k == 8 ? scalar(m, BASE_U32) : t, 3);
	} else {
		put(m, " = ");
		expr(m, t, 3);
	}
	put(m, ";\n");
}

static void add_to_sums(struct maker *m)
{
	static const char *const ops[] = { "Add", "Max", "Min", "And", "Or", "Xor", "Sub" };
	uint32_t k = pick(m, (uint32_t)ARRAY_LEN(ops));

	buf_note(m->out, "atomic%s(&sums[%u], ", ops[k], k == 6 ? 0 : k);
	expr(m, scalar(m, BASE_U32), 2);
	put(m, ");\n");
}

/* Nobody else has this element, so that what it held is the same everywhere. */
static void own_atomic(struct maker *m)
{
	static const char *const ops[] = { "Exchange", "Add", "Sub", "Max",
					   "Min",      "And", "Or",  "Xor" };
	uint32_t k = pick(m, 10);
	struct random_var *v = NULL;

	if (m->n_vars == MAX_VARS)
		return;
	buf_note(m->out, "let c%u = ", m->n_names);
	if (k < 8) {
		buf_note(m->out, "atomic%s(&own[gi], ", ops[k]);
		expr(m, scalar(m, BASE_I32), 2);
		put(m, ");\n");
	} else if (k == 8) {
		put(m, "atomicLoad(&own[gi]);\n");
	} else {
		put(m, "atomicCompareExchangeWeak(&own[gi], ");
		expr(m, scalar(m, BASE_I32), 1);
		put(m, ", ");
		expr(m, scalar(m, BASE_I32), 1);
		put(m, pick(m, 2) == 0 ? ").old_value;\n" : ").exchanged;\n");
	}
	v = new_var(m, "c", scalar(m, BASE_I32));
	if (k == 9 && m->out->data[m->out->len - 3] == 'd')
		v->type = scalar(m, BASE_BOOL);
	if (m->out->data[m->out->len - 3] == 'e')
		v->type = scalar(m, BASE_I32);
}

static void effect(struct maker *m)
{
	uint32_t k = pick(m, 6);

	if (k == 5 && m->result == NULL) {
		put(m, "atomicStore(&own[gi], ");
		expr(m, scalar(m, BASE_I32), 2);
		put(m, ");\n");
	} else if (k < 2 || (m->result != NULL && k < 4)) {
		add_to_sums(m);
	} else if (k < 4) {
		own_atomic(m);
	} else {
		assign(m);
	}
}

/* ---- control ------------------------------------------------------------------------------- */

static void branch(struct maker *m)
{
	put(m, "if ");
	condition(m, 2);
	block(m);
	while (once_in(m, 4)) {
		put(m, "else if ");
		condition(m, 2);
		block(m);
	}
	if (once_in(m, 2)) {
		put(m, "else");
		block(m);
	}
}

static void choose(struct maker *m)
{
	bool before = m->has_break, is_signed = once_in(m, 2);
	uint32_t n = 1 + pick(m, 3), at = pick(m, n + 1);
	const char *suffix = once_in(m, 2) ? is_signed ? "i" : "u" : "";
	struct random_scope s;

	put(m, "switch ");
	expr(m, scalar(m, is_signed ? BASE_I32 : BASE_U32), 2);
	put(m, is_signed ? " % 4" : " & 3");
	m->has_break = true;
	s = scope_enter(m);
	for (uint32_t i = 0; i <= n; i++) {
		if (i == at)
			put(m, i == n ? "case default, 9:" : "default");
		else if (is_signed && once_in(m, 3))
			buf_note(m->out, "case -%u%s", i + 1, suffix);
		else
			buf_note(m->out, "case %u%s, %u%s", i, suffix, 100 + i, suffix);
		block(m);
	}
	scope_leave(m, s);
	m->has_break = before;
}

static void loop_with_continuing(struct maker *m, uint32_t name)
{
	struct random_scope s;

	buf_note(m->out, "var k%u = 0u;\nloop", name);
	s = scope_enter(m);
	buf_note(m->out, "if k%u >= 4u { break; }\n", name);
	statements(m);
	buf_note(m->out, "continuing { k%u++; ", name);
	if (once_in(m, 2))
		buf_note(m->out, "break if k%u > (u.x & 7u); ", name);
	put(m, "}\n");
	scope_leave(m, s);
}

/* A counter that only they know bounds them. */
static void repeat(struct maker *m)
{
	bool had_break = m->has_break, had_continue = m->has_continue;
	uint32_t name = m->n_names++, k = pick(m, 4);

	m->has_break = true;
	m->has_continue = true;
	m->loops++;
	if (k == 0) {
		buf_note(m->out, "for (var k%u = 0u; k%u < %uu; k%u += 1u)", name, name, pick(m, 5),
			 name);
		block(m);
	} else if (k == 1) {
		buf_note(m->out, "for (var k%u = 0i; k%u < i32((", name, name);
		expr(m, scalar(m, BASE_U32), 2);
		buf_note(m->out, ") %% 5u); k%u++)", name);
		block(m);
	} else if (k == 2) {
		buf_note(m->out, "var k%u = 3u;\nwhile k%u > 0u && ", name, name);
		condition(m, 1);
		struct random_scope s = scope_enter(m);

		buf_note(m->out, "k%u--;\n", name);
		statements(m);
		scope_leave(m, s);
	} else {
		loop_with_continuing(m, name);
	}
	m->loops--;
	m->has_break = had_break;
	m->has_continue = had_continue;
}

static void jump(struct maker *m)
{
	struct random_scope s;

	put(m, "if ");
	condition(m, 2);
	if (m->has_continue && pick(m, 3) == 0) {
		put(m, " { continue; }\n");
	} else if (m->has_break && pick(m, 2) == 0) {
		put(m, " { break; }\n");
	} else if (m->result != NULL) {
		put(m, " { return ");
		expr(m, m->result, 1);
		put(m, "; }\n");
	} else if (!m->has_barriers && once_in(m, 4)) {
		put(m, " { return; }\n");
	} else {
		s = scope_enter(m);
		effect(m);
		scope_leave(m, s);
	}
}

void statement(struct maker *m)
{
	uint32_t k = pick(m, m->depth < MAX_DEPTH ? 14 : 8);

	m->budget--;
	if (k < 3)
		declare(m);
	else if (k < 5)
		assign(m);
	else if (k == 5)
		declare_pointer(m);
	else if (k == 6)
		effect(m);
	else if (k == 7)
		jump(m);
	else if (k < 10)
		branch(m);
	else if (k == 10)
		choose(m);
	else if (k < 13 && m->loops < 2)
		repeat(m);
	else
		block(m);
}

void statements(struct maker *m)
{
	uint32_t n = 1 + pick(m, 4);

	for (uint32_t i = 0; i < n && m->budget > 0; i++)
		statement(m);
}
