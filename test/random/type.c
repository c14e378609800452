/* type.c - the types of a random kernel. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "test/random/random_int.h"

static const char *const base_names[] = { "bool", "i32", "u32", "f32", "f16", "i64", "u64", "f64" };

bool is_integer(enum random_base base)
{
	return base == BASE_I32 || base == BASE_U32 || base == BASE_I64 || base == BASE_U64;
}

bool is_float(enum random_base base)
{
	return base == BASE_F32 || base == BASE_F16 || base == BASE_F64;
}

static void scalar_init(struct maker *m, enum random_base b)
{
	static const char letters[] = { [BASE_I32] = 'i',
					[BASE_U32] = 'u',
					[BASE_F32] = 'f',
					[BASE_F16] = 'h',
					[BASE_F64] = '\0' };
	char letter = letters[b];
	struct random_type *s = &m->scalars[b];

	*s = (struct random_type){ .kind = KIND_SCALAR,
				   .base = b,
				   .n = 1,
				   .words = 1,
				   .is_shared = b != BASE_BOOL && b != BASE_F16 };
	(void)snprintf(s->name, sizeof(s->name), "%s", base_names[b]);
	for (uint32_t n = 2; n <= 4; n++) {
		struct random_type *v = &m->vectors[b][n];

		*v = (struct random_type){ .kind = KIND_VECTOR,
					   .base = b,
					   .n = n,
					   .words = n,
					   .elem = s,
					   .is_shared = s->is_shared };
		(void)snprintf(v->name, sizeof(v->name), "vec%u<%s>", n, base_names[b]);
		if (letter != '\0')
			(void)snprintf(v->alias, sizeof(v->alias), "vec%u%c", n, letter);
	}
	for (uint32_t k = 0; k < 9 && is_float(b); k++) {
		uint32_t n = k / 3 + 2, rows = k % 3 + 2;
		struct random_type *t = &m->matrices[b][n][rows];

		*t = (struct random_type){ .kind = KIND_MATRIX,
					   .base = b,
					   .n = n,
					   .rows = rows,
					   .words = n * rows,
					   .elem = &m->vectors[b][rows],
					   .is_shared = s->is_shared };
		(void)snprintf(t->name, sizeof(t->name), "mat%ux%u<%s>", n, rows, base_names[b]);
		if (letter != '\0')
			(void)snprintf(t->alias, sizeof(t->alias), "mat%ux%u%c", n, rows, letter);
	}
}

const struct random_type *scalar(struct maker *m, enum random_base base)
{
	return &m->scalars[base];
}

const struct random_type *vector(struct maker *m, enum random_base base, uint32_t n)
{
	return n < 2 ? &m->scalars[base] : &m->vectors[base][n];
}

enum random_base any_base(struct maker *m, bool with_bool)
{
	static const enum random_base order[] = { BASE_U32, BASE_I32, BASE_F32, BASE_BOOL,
						  BASE_F16, BASE_I64, BASE_U64, BASE_F64 };
	enum random_base b = order[pick(m, (uint32_t)ARRAY_LEN(order))];

	return m->bases[b] && (with_bool || b != BASE_BOOL) ? b : BASE_U32;
}

const struct random_type *any_plain(struct maker *m)
{
	enum random_base b = any_base(m, true);
	uint32_t n = pick(m, 5);

	return vector(m, b, n < 2 ? 1 : n);
}

const struct random_type *any_type(struct maker *m)
{
	uint32_t k = pick(m, 8), n, rows;
	enum random_base b;

	if (k == 7 && m->n_user > 0)
		return &m->user[pick(m, m->n_user)];
	b = any_base(m, false);
	if (k != 6 || !is_float(b))
		return any_plain(m);
	n = 2 + pick(m, 3);
	rows = 2 + pick(m, 3);
	return &m->matrices[b][n][rows];
}

static void array_init(struct maker *m, struct random_type *t)
{
	const struct random_type *elem = any_type(m);

	while (elem->words > 24)
		elem = any_plain(m);
	*t = (struct random_type){ .kind = KIND_ARRAY,
				   .n = 1 + pick(m, elem->words > 4 ? 3 : 7),
				   .elem = elem,
				   .is_shared = elem->is_shared };
	t->words = t->n * elem->words;
}

static void struct_init(struct maker *m, struct random_type *t, uint32_t id, bool is_shared)
{
	*t = (struct random_type){ .kind = KIND_STRUCT,
				   .n = 1 + pick(m, MAX_MEMBERS),
				   .is_shared = true };
	for (uint32_t i = 0; i < t->n; i++) {
		const struct random_type *member = any_type(m);

		if (member->words > 24 || (is_shared && !member->is_shared))
			member = scalar(m, BASE_U32);
		t->members[i] = member;
		t->words += member->words;
		t->is_shared = t->is_shared && member->is_shared;
	}
	(void)snprintf(t->name, sizeof(t->name), is_shared ? "R" : "S%u", id);
}

void types_init(struct maker *m)
{
	for (int b = 0; b < BASE_COUNT; b++)
		scalar_init(m, (enum random_base)b);
	m->bases[BASE_BOOL] = m->bases[BASE_I32] = m->bases[BASE_U32] = true;
	m->bases[BASE_F32] = m->has.floats;
	m->bases[BASE_F16] = m->has.f16;
	m->bases[BASE_I64] = m->bases[BASE_U64] = m->has.i64;
	m->bases[BASE_F64] = m->has.f64;
	for (uint32_t n = pick(m, MAX_USER_TYPES); m->n_user < n; m->n_user++)
		if (pick(m, 2) == 0)
			array_init(m, &m->user[m->n_user]);
		else
			struct_init(m, &m->user[m->n_user], m->n_user, false);
	struct_init(m, &m->record, 0, true);
}

static void declare(struct maker *m, const struct random_type *t)
{
	buf_note(m->out, "struct %s {", t->name);
	for (uint32_t i = 0; i < t->n; i++) {
		buf_note(m->out, " m%u: ", i);
		put_type(m, t->members[i]);
		put(m, ",");
	}
	put(m, " }\n");
}

void types_declare(struct maker *m)
{
	for (uint32_t i = 0; i < m->n_user; i++)
		if (m->user[i].kind == KIND_STRUCT)
			declare(m, &m->user[i]);
	declare(m, &m->record);
}

/* At most four of them nest: arrays of arrays of structures. */
void put_type(struct maker *m, const struct random_type *t)
{
	if (t->kind == KIND_ARRAY) {
		put(m, "array<");
		put_type(m, t->elem);
		buf_note(m->out, ", %u>", t->n);
	} else {
		put(m, t->alias[0] != '\0' && pick(m, 2) == 0 ? t->alias : t->name);
	}
}

bool holds(const struct random_type *t, const struct random_type *want, bool in_vectors)
{
	if (t == want)
		return true;
	if (t->kind == KIND_SCALAR || (t->kind == KIND_VECTOR && !in_vectors))
		return false;
	if (t->kind != KIND_STRUCT)
		return holds(t->elem, want, in_vectors);
	for (uint32_t i = 0; i < t->n; i++)
		if (holds(t->members[i], want, in_vectors))
			return true;
	return false;
}
