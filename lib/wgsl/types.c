/*
 * types.c - interning, layout, conversion and printing of types.
 */
#include "wgsl/type.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "wgsl/wgsl_int.h"

static const char *const basic_names[] = {
	[WGSL_VOID] = "void",
	[WGSL_BOOL] = "bool",
	[WGSL_I32] = "i32",
	[WGSL_U32] = "u32",
	[WGSL_F32] = "f32",
	[WGSL_F16] = "f16",
	[WGSL_I64] = "i64",
	[WGSL_U64] = "u64",
	[WGSL_F64] = "f64",
	[WGSL_ABSTRACT_INT] = "abstract int",
	[WGSL_ABSTRACT_FLOAT] = "abstract float",
};

static const char *const space_names[] = { "function", "private", "workgroup", "uniform",
					   "storage" };

const char *wgsl_space_name(enum wgsl_space space)
{
	return space_names[space];
}

/* ---- questions --------------------------------------------------------------------------- */

const struct wgsl_type *wgsl_type_scalar(const struct wgsl_type *t)
{
	return t->kind == WGSL_VEC ? t->elem : t;
}

uint32_t wgsl_type_width(const struct wgsl_type *t)
{
	return t->kind == WGSL_VEC ? t->count : 1;
}

enum wgsl_kind wgsl_type_base(const struct wgsl_type *t)
{
	return wgsl_type_scalar(t)->kind;
}

bool wgsl_type_is_scalar(const struct wgsl_type *t)
{
	return t->kind >= WGSL_BOOL && t->kind <= WGSL_ABSTRACT_FLOAT;
}

bool wgsl_type_is_float(const struct wgsl_type *t)
{
	enum wgsl_kind k = wgsl_type_base(t);

	return k == WGSL_F32 || k == WGSL_F16 || k == WGSL_F64 || k == WGSL_ABSTRACT_FLOAT;
}

bool wgsl_type_is_integer(const struct wgsl_type *t)
{
	enum wgsl_kind k = wgsl_type_base(t);

	return k == WGSL_I32 || k == WGSL_U32 || k == WGSL_I64 || k == WGSL_U64 ||
	       k == WGSL_ABSTRACT_INT;
}

bool wgsl_is_vec(const struct wgsl_type *t)
{
	return t->kind == WGSL_VEC;
}

bool wgsl_is_word(const struct wgsl_type *t)
{
	return t->kind == WGSL_I32 || t->kind == WGSL_U32;
}

bool wgsl_is_wide(const struct wgsl_type *t)
{
	enum wgsl_kind k = wgsl_type_base(t);

	return k == WGSL_I64 || k == WGSL_U64 || k == WGSL_F64;
}

uint32_t wgsl_feature_of(enum wgsl_kind kind)
{
	if (kind == WGSL_F16)
		return FEATURE_F16;
	if (kind == WGSL_F64)
		return FEATURE_F64;
	return kind == WGSL_I64 || kind == WGSL_U64 ? FEATURE_I64 : 0;
}

bool wgsl_is_numeric(const struct wgsl_type *t)
{
	return wgsl_type_is_float(t) || wgsl_type_is_integer(t);
}

bool wgsl_is_abstract(const struct wgsl_type *t)
{
	while (t->kind == WGSL_VEC || t->kind == WGSL_ARRAY || t->kind == WGSL_MAT)
		t = t->elem;
	/* No structure but the results of modf and frexp holds abstract numbers. */
	if (t->kind == WGSL_STRUCT)
		return t->is_abstract;
	return t->kind == WGSL_ABSTRACT_INT || t->kind == WGSL_ABSTRACT_FLOAT;
}

/* ---- interning --------------------------------------------------------------------------- */

static bool same_type(const struct wgsl_type *a, const struct wgsl_type *b)
{
	return a->kind == b->kind && a->elem == b->elem && a->count == b->count &&
	       a->stride == b->stride && a->space == b->space && a->access == b->access &&
	       a->sized_by == b->sized_by;
}

static uint32_t hash_type(const struct wgsl_type *t)
{
	uint32_t h = (uint32_t)t->kind * 31 + t->count;

	h = h * 2654435761u + (t->elem != NULL ? t->elem->id : 0);
	h = h * 2654435761u + (uint32_t)t->space * 4 + (uint32_t)t->access + t->stride * 16;
	return h >> 7;
}

static const struct wgsl_type *intern(struct wgsl_comp *c, const struct wgsl_type *want)
{
	uint32_t slot = hash_type(want) % WGSL_TYPE_BUCKETS;
	struct wgsl_type_link *l;

	for (l = c->types[slot]; l != NULL; l = l->next)
		if (same_type(l->type, want))
			return l->type;
	l = arena_new(c->arena, struct wgsl_type_link);
	l->type = arena_new(c->arena, struct wgsl_type);
	*l->type = *want;
	l->type->id = c->n_types++;
	l->next = c->types[slot];
	c->types[slot] = l;
	return l->type;
}

void wgsl_types_init(struct wgsl_comp *c)
{
	for (int k = WGSL_VOID; k <= WGSL_ABSTRACT_FLOAT; k++) {
		struct wgsl_type t = { .kind = (enum wgsl_kind)k };

		/* Abstract ones at least as large as what they are converted to: limits hold
		 * afterwards too. */
		if (k >= WGSL_BOOL)
			t.size = k == WGSL_F16 ? 2 : k >= WGSL_I64 ? 8 : 4;
		t.align = t.size;
		t.is_constructible = k != WGSL_VOID;
		t.is_host_shareable = k >= WGSL_I32 && k <= WGSL_F64;
		c->basic[k] = intern(c, &t);
	}
}

const struct wgsl_type *wgsl_vec(struct wgsl_comp *c, const struct wgsl_type *elem, uint32_t n)
{
	struct wgsl_type t = { .kind = WGSL_VEC, .elem = elem, .count = n };

	t.size = n * elem->size;
	t.align = (n == 3 ? 4 : n) * elem->align;
	t.is_constructible = true;
	t.is_host_shareable = elem->is_host_shareable;
	return intern(c, &t);
}

/* The caller has checked that the size fits. */
const struct wgsl_type *wgsl_array(struct wgsl_comp *c, const struct wgsl_type *elem,
				   uint32_t count, uint32_t stride)
{
	struct wgsl_type t = { .kind = WGSL_ARRAY, .elem = elem, .count = count };

	t.stride = stride;
	t.align = elem->align;
	t.size = (count > 0 ? count : 1) * stride;
	t.has_atomic = elem->has_atomic;
	t.has_runtime_array = count == 0;
	t.is_constructible = count > 0 && elem->is_constructible;
	t.is_host_shareable = elem->is_host_shareable;
	t.depth = elem->depth + 1;
	return intern(c, &t);
}

const struct wgsl_type *wgsl_override_array(struct wgsl_comp *c, const struct wgsl_type *array,
					    const void *sized_by)
{
	struct wgsl_type t = *array;

	t.sized_by = sized_by;
	t.is_constructible = false;
	return intern(c, &t);
}

const struct wgsl_type *wgsl_mat(struct wgsl_comp *c, const struct wgsl_type *column,
				 uint32_t columns)
{
	struct wgsl_type t = { .kind = WGSL_MAT, .elem = column, .count = columns };

	t.align = column->align;
	t.stride = column->count == 3 ? column->align : column->size;
	t.size = columns * t.stride;
	t.is_constructible = true;
	t.is_host_shareable = column->is_host_shareable;
	return intern(c, &t);
}

const struct wgsl_type *wgsl_atomic_type(struct wgsl_comp *c, const struct wgsl_type *elem)
{
	struct wgsl_type t = { .kind = WGSL_ATOMIC, .elem = elem, .size = 4, .align = 4 };

	t.has_atomic = true;
	t.is_host_shareable = true;
	return intern(c, &t);
}

const struct wgsl_type *wgsl_ptr(struct wgsl_comp *c, enum wgsl_space space,
				 const struct wgsl_type *store, enum wgsl_access access)
{
	struct wgsl_type t = { .kind = WGSL_PTR, .elem = store };

	t.space = space;
	t.access = access;
	return intern(c, &t);
}

struct wgsl_type *wgsl_struct_type(struct wgsl_comp *c, const char *name)
{
	struct wgsl_type *t = arena_new(c->arena, struct wgsl_type);

	t->kind = WGSL_STRUCT;
	t->name = name;
	t->id = c->n_types++;
	return t;
}

const struct wgsl_type *wgsl_with_base(struct wgsl_comp *c, const struct wgsl_type *t,
				       const struct wgsl_type *base)
{
	return t->kind == WGSL_VEC ? wgsl_vec(c, base, t->count) : base;
}

/* ---- conversions ------------------------------------------------------------------------- */

const struct wgsl_type *wgsl_concrete(struct wgsl_comp *c, const struct wgsl_type *t)
{
	const struct wgsl_type *elem;

	if (!wgsl_is_abstract(t))
		return t;
	if (t->kind == WGSL_ABSTRACT_INT)
		return c->basic[WGSL_I32];
	if (t->kind == WGSL_ABSTRACT_FLOAT)
		return c->basic[WGSL_F32];
	if (t->kind == WGSL_STRUCT)
		return wgsl_parts_type(c, wgsl_concrete(c, t->members[0].type),
				       t->members[1].type != t->members[0].type);
	elem = wgsl_concrete(c, t->elem);
	if (t->kind == WGSL_VEC)
		return wgsl_vec(c, elem, t->count);
	if (t->kind == WGSL_MAT)
		return wgsl_mat(c, elem, t->count);
	return wgsl_array(c, elem, t->count,
			  (elem->size + elem->align - 1) / elem->align * elem->align);
}

/* What modf or frexp gives; no other structure has such a name and such members. */
static bool can_convert_parts(const struct wgsl_type *from, const struct wgsl_type *to)
{
	return from->is_abstract && to->kind == WGSL_STRUCT && strncmp(to->name, "__", 2) == 0 &&
	       strcmp(from->members[1].name, to->members[1].name) == 0 &&
	       wgsl_can_convert(from->members[0].type, to->members[0].type);
}

bool wgsl_can_convert(const struct wgsl_type *from, const struct wgsl_type *to)
{
	while (from != to) {
		if (from->kind == WGSL_ABSTRACT_INT)
			return (to->kind >= WGSL_I32 && to->kind <= WGSL_F64) ||
			       to->kind == WGSL_ABSTRACT_FLOAT;
		if (from->kind == WGSL_ABSTRACT_FLOAT)
			return to->kind == WGSL_F32 || to->kind == WGSL_F16 || to->kind == WGSL_F64;
		if (from->kind == WGSL_STRUCT)
			return can_convert_parts(from, to);
		if ((from->kind != WGSL_VEC && from->kind != WGSL_ARRAY &&
		     from->kind != WGSL_MAT) ||
		    from->kind != to->kind || from->count != to->count)
			return false;
		from = from->elem;
		to = to->elem;
	}
	return true;
}

const struct wgsl_type *wgsl_common(struct wgsl_comp *c, const struct wgsl_type *a,
				    const struct wgsl_type *b)
{
	(void)c;
	if (wgsl_can_convert(a, b))
		return b;
	if (wgsl_can_convert(b, a))
		return a;
	return NULL;
}

/* ---- printing ---------------------------------------------------------------------------- */

static void print_ptr(const struct wgsl_type *t, struct buf *out)
{
	static const char *const access[] = { "read", "write", "read_write" };

	buf_note(out, "ptr<%s, ", space_names[t->space]);
	wgsl_type_print(t->elem, out);
	if (t->space == WGSL_SPACE_STORAGE)
		buf_note(out, ", %s", access[t->access]);
	buf_note(out, ">");
}

void wgsl_type_print(const struct wgsl_type *t, struct buf *out)
{
	if (t->kind <= WGSL_ABSTRACT_FLOAT) {
		buf_note(out, "%s", basic_names[t->kind]);
	} else if (t->kind == WGSL_STRUCT) {
		buf_note(out, "%s", t->name);
	} else if (t->kind == WGSL_PTR) {
		print_ptr(t, out);
	} else if (t->kind == WGSL_VEC) {
		buf_note(out, "vec%u<", t->count);
		wgsl_type_print(t->elem, out);
		buf_note(out, ">");
	} else if (t->kind == WGSL_MAT) {
		buf_note(out, "mat%ux%u<", t->count, t->elem->count);
		wgsl_type_print(t->elem->elem, out);
		buf_note(out, ">");
	} else if (t->kind == WGSL_ARRAY) {
		buf_note(out, "array<");
		wgsl_type_print(t->elem, out);
		if (t->count > 0)
			buf_note(out, ", %u", t->count);
		buf_note(out, ">");
	} else {
		buf_note(out, "atomic<");
		wgsl_type_print(t->elem, out);
		buf_note(out, ">");
	}
}

const struct wgsl_type *wgsl_exchange_type(struct wgsl_comp *c, const struct wgsl_type *t)
{
	struct wgsl_type **slot = &c->exchange_types[t->kind == WGSL_U32];
	struct wgsl_member *m;
	struct wgsl_type *s;

	if (*slot != NULL)
		return *slot;
	s = wgsl_struct_type(c, t->kind == WGSL_U32 ? "__atomic_compare_exchange_result<u32>"
						    : "__atomic_compare_exchange_result<i32>");
	m = arena_new_array(c->arena, struct wgsl_member, 2);
	m[0] = (struct wgsl_member){ .name = "old_value", .type = t, .size = 4, .align = 4 };
	m[1] = (struct wgsl_member){
		.name = "exchanged", .type = c->basic[WGSL_BOOL], .offset = 4, .size = 4, .align = 4
	};
	s->members = m;
	s->n_members = 2;
	s->size = 8;
	s->align = 4;
	s->is_constructible = true;
	s->depth = 1;
	*slot = s;
	return s;
}

const struct wgsl_type *wgsl_parts_type(struct wgsl_comp *c, const struct wgsl_type *t,
					bool is_frexp)
{
	enum wgsl_kind k = wgsl_type_base(t);
	bool is_abstract = k == WGSL_ABSTRACT_FLOAT;
	int base = is_abstract ? 3 : k == WGSL_F64 ? 2 : k == WGSL_F16;
	struct wgsl_type **slot = &c->parts_types[is_frexp][base][wgsl_type_width(t) - 1];
	const struct wgsl_type *i = c->basic[is_abstract ? WGSL_ABSTRACT_INT : WGSL_I32];
	const struct wgsl_type *second = is_frexp ? wgsl_with_base(c, t, i) : t;
	struct wgsl_member *m;
	struct wgsl_type *s;

	if (*slot != NULL)
		return *slot;
	s = wgsl_struct_type(c, arena_printf(c->arena, "__%s_result_%s",
					     is_frexp ? "frexp" : "modf", wgsl_type_text(c, t)));
	m = arena_new_array(c->arena, struct wgsl_member, 2);
	m[0] =
	    (struct wgsl_member){ .name = "fract", .type = t, .size = t->size, .align = t->align };
	m[1] = (struct wgsl_member){ .name = is_frexp ? "exp" : "whole", .type = second };
	m[1].size = second->size;
	m[1].align = second->align;
	m[1].offset = (t->size + second->align - 1) / second->align * second->align;
	s->members = m;
	s->n_members = 2;
	s->align = t->align > second->align ? t->align : second->align;
	s->size = (m[1].offset + second->size + s->align - 1) / s->align * s->align;
	s->is_constructible = true;
	s->is_abstract = is_abstract;
	s->depth = 1;
	*slot = s;
	return s;
}
