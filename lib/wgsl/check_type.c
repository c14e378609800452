/*
 * check_type.c - types in the text: generators, structs and their layout, the rules of the
 * uniform address space.
 */
#include <string.h>

#include "wgsl/check_int.h"

enum { MAX_TYPE_BYTES = 0x7fffffff };

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return align > 0 ? (n + align - 1) / align * align : n;
}

bool wgsl_attr_int(struct wgsl_comp *c, const struct wgsl_attr *a, int64_t min, int64_t max,
		   int64_t *ret)
{
	if (a->args.n != 1) {
		wgsl_error(c, a->at, "@%s takes one constant", a->name->text);
		return false;
	}
	if (!wgsl_check_const_int(c, a->args.list[0], false, ret))
		return false;
	if (*ret < min || *ret > max) {
		wgsl_error(c, a->args.list[0]->whole, "@%s must be %lld to %lld", a->name->text,
			   (long long)min, (long long)max);
		return false;
	}
	return true;
}

/* ---- generators -------------------------------------------------------------------------- */

static bool is_element(const struct wgsl_type *t)
{
	return t->kind != WGSL_PTR && t->kind != WGSL_VOID && !t->has_runtime_array &&
	       t->sized_by == NULL;
}

const struct wgsl_type *wgsl_make_array(struct wgsl_comp *c, struct wgsl_span at,
					const struct wgsl_type *elem, int64_t count)
{
	uint64_t stride = round_up(elem->size, elem->align);

	if (!is_element(elem)) {
		wgsl_error(c, at, "%s%s cannot be the element of an array", wgsl_type_text(c, elem),
			   elem->sized_by != NULL ? " is sized by an override and" : "");
		return NULL;
	}
	if (elem->depth + 1 > WGSL_MAX_TYPE_DEPTH) {
		wgsl_error(c, at, "the type nests too deeply (limit %d)", WGSL_MAX_TYPE_DEPTH);
		return NULL;
	}
	if (count > MAX_TYPE_BYTES || (uint64_t)count * stride > MAX_TYPE_BYTES) {
		wgsl_error(c, at, "the array is larger than 2 GiB");
		return NULL;
	}
	return wgsl_array(c, elem, (uint32_t)count, (uint32_t)stride);
}

static const struct wgsl_type *make_array(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *elem;
	const struct wgsl_type *t;
	struct wgsl_expr *size;
	int64_t count;

	if (e->targs.n < 1 || e->targs.n > 2) {
		wgsl_error(c, e->at, "write array<type, count> or array<type>");
		return NULL;
	}
	elem = wgsl_check_type(c, e->targs.list[0]);
	if (elem == NULL)
		return NULL;
	if (e->targs.n == 1)
		return wgsl_make_array(c, e->targs.list[0]->whole, elem, 0);
	size = e->targs.list[1];
	if (!wgsl_check_const_int(c, size, true, &count))
		return NULL;
	if (count < 1) {
		wgsl_error(c, size->whole, "an array has at least one element");
		return NULL;
	}
	t = wgsl_make_array(c, is_element(elem) ? size->whole : e->targs.list[0]->whole, elem,
			    count);
	if (t == NULL || size->stage == STAGE_CONST)
		return t;
	return wgsl_override_array(c, t, size->kind == EX_IDENT ? (void *)size->decl : size);
}

static const struct wgsl_type *make_vec(struct wgsl_comp *c, struct wgsl_expr *e, uint32_t n)
{
	const struct wgsl_type *elem;

	if (e->targs.n != 1) {
		wgsl_error(c, e->at, "write vec%u<type>", n);
		return NULL;
	}
	elem = wgsl_check_type(c, e->targs.list[0]);
	if (elem == NULL)
		return NULL;
	if (!wgsl_type_is_scalar(elem)) {
		wgsl_error(c, e->targs.list[0]->whole, "%s cannot be the component of a vector",
			   wgsl_type_text(c, elem));
		return NULL;
	}
	return wgsl_vec(c, elem, n);
}

static const struct wgsl_type *make_mat(struct wgsl_comp *c, const struct wgsl_decl *d,
					struct wgsl_expr *e)
{
	uint32_t shape = (uint32_t)(d->builtin - GEN_MAT);
	const struct wgsl_type *elem;

	if (e->targs.n != 1) {
		wgsl_error(c, e->at, "write %s<f32>", d->name->text);
		return NULL;
	}
	elem = wgsl_check_type(c, e->targs.list[0]);
	if (elem == NULL)
		return NULL;
	if (elem->kind != WGSL_F32 && elem->kind != WGSL_F16 && elem->kind != WGSL_F64) {
		wgsl_error(c, e->targs.list[0]->whole, "%s cannot be the component of a matrix",
			   wgsl_type_text(c, elem));
		return NULL;
	}
	return wgsl_mat(c, wgsl_vec(c, elem, shape % 3 + 2), shape / 3 + 2);
}

static const struct wgsl_type *make_atomic(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *elem;

	if (e->targs.n != 1) {
		wgsl_error(c, e->at, "write atomic<u32> or atomic<i32>");
		return NULL;
	}
	elem = wgsl_check_type(c, e->targs.list[0]);
	if (elem == NULL)
		return NULL;
	if (elem->kind != WGSL_I32 && elem->kind != WGSL_U32) {
		wgsl_error(c, e->targs.list[0]->whole,
			   "only atomic<u32> and atomic<i32> exist, not atomic<%s>",
			   wgsl_type_text(c, elem));
		return NULL;
	}
	return wgsl_atomic_type(c, elem);
}

bool wgsl_is_enumerant(struct wgsl_comp *c, struct wgsl_span at, const char *text)
{
	const struct wgsl_decl *d = wgsl_intern(c, text, strlen(text))->decl;

	if (d == NULL || d->kind == DECL_ENUMERANT)
		return true;
	wgsl_error(c, at, "'%s' was declared as something else", text);
	wgsl_note_decl(c, d);
	return false;
}

static bool space_of(struct wgsl_comp *c, const struct wgsl_expr *e, enum wgsl_space *ret)
{
	for (int s = WGSL_SPACE_FUNCTION; s <= WGSL_SPACE_STORAGE; s++) {
		if (e->kind == EX_IDENT &&
		    strcmp(e->name->text, wgsl_space_name((enum wgsl_space)s)) == 0 &&
		    wgsl_is_enumerant(c, e->at, e->name->text)) {
			*ret = (enum wgsl_space)s;
			return true;
		}
	}
	wgsl_error(c, e->whole,
		   "expected an address space: function, private, workgroup, uniform or storage");
	return false;
}

static enum wgsl_access default_access(enum wgsl_space s)
{
	return s == WGSL_SPACE_UNIFORM || s == WGSL_SPACE_STORAGE ? WGSL_ACCESS_READ
								  : WGSL_ACCESS_READ_WRITE;
}

/* What a variable of that space could hold. */
static bool check_pointee(struct wgsl_comp *c, const struct wgsl_expr *e, enum wgsl_space space,
			  const struct wgsl_type *t, enum wgsl_access access)
{
	bool is_shared = space == WGSL_SPACE_UNIFORM || space == WGSL_SPACE_STORAGE;
	bool ok = t->kind != WGSL_PTR && t->kind != WGSL_VOID;

	if (is_shared)
		ok = ok && t->is_host_shareable && t->sized_by == NULL;
	if (space != WGSL_SPACE_STORAGE)
		ok = ok && !t->has_runtime_array;
	if (space == WGSL_SPACE_FUNCTION || space == WGSL_SPACE_PRIVATE ||
	    space == WGSL_SPACE_UNIFORM)
		ok = ok && t->is_constructible;
	if (space == WGSL_SPACE_STORAGE)
		ok = ok && !(t->has_atomic && access == WGSL_ACCESS_READ);
	if (!ok)
		wgsl_error(c, e->targs.list[1]->whole, "%s cannot be in %s", wgsl_type_text(c, t),
			   wgsl_space_name(space));
	return ok;
}

static const struct wgsl_type *make_ptr(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *store;
	enum wgsl_space space;
	enum wgsl_access access;

	if (e->targs.n < 2 || e->targs.n > 3) {
		wgsl_error(c, e->at, "write ptr<address space, type>");
		return NULL;
	}
	if (!space_of(c, e->targs.list[0], &space))
		return NULL;
	store = wgsl_check_type(c, e->targs.list[1]);
	if (store == NULL)
		return NULL;
	access = default_access(space);
	if (e->targs.n == 3) {
		const char *text =
		    e->targs.list[2]->kind == EX_IDENT ? e->targs.list[2]->name->text : "";

		if (space != WGSL_SPACE_STORAGE ||
		    (strcmp(text, "read") != 0 && strcmp(text, "read_write") != 0)) {
			wgsl_error(c, e->targs.list[2]->whole,
				   "only storage pointers take an access mode: read or read_write");
			return NULL;
		}
		access = text[4] == '\0' ? WGSL_ACCESS_READ : WGSL_ACCESS_READ_WRITE;
	}
	return check_pointee(c, e, space, store, access) ? wgsl_ptr(c, space, store, access) : NULL;
}

const struct wgsl_type *wgsl_make_type(struct wgsl_comp *c, struct wgsl_decl *d,
				       struct wgsl_expr *e)
{
	if (d->kind == DECL_TYPE) {
		if (e->has_targs) {
			wgsl_error(c, e->at, "%s takes no template list", d->name->text);
			return NULL;
		}
		if (d->state != DECL_DONE && !wgsl_resolve(c, d))
			return NULL;
		return d->type;
	}
	switch (d->builtin) {
	case GEN_ARRAY:
		return make_array(c, e);
	case GEN_ATOMIC:
		return make_atomic(c, e);
	case GEN_PTR:
		return make_ptr(c, e);
	case GEN_VEC2:
	case GEN_VEC3:
	case GEN_VEC4:
		return make_vec(c, e, (uint32_t)(d->builtin - GEN_VEC2) + 2);
	default:
		return make_mat(c, d, e);
	}
}

const struct wgsl_type *wgsl_check_type(struct wgsl_comp *c, struct wgsl_expr *e)
{
	const struct wgsl_type *t;
	struct wgsl_decl *d;

	if (e->kind != EX_IDENT) {
		int len = e->whole.len > 40 ? 40 : (int)e->whole.len;

		wgsl_error(c, e->whole, "expected a type, found '%.*s'", len,
			   c->src->text + e->whole.offset);
		return NULL;
	}
	d = wgsl_lookup(c, e->name, e->at);
	if (d == NULL)
		return NULL;
	if (d->kind != DECL_TYPE && d->kind != DECL_TYPEGEN) {
		wgsl_error(c, e->at, "'%s' is not a type", e->name->text);
		wgsl_note_decl(c, d);
		return NULL;
	}
	if (++c->depth > WGSL_MAX_RECURSION) {
		wgsl_error(c, e->at, "declarations depend on each other too deeply");
		c->depth--;
		return NULL;
	}
	t = wgsl_make_type(c, d, e);
	c->depth--;
	return t;
}

/* ---- structs ----------------------------------------------------------------------------- */

static bool align_attr(struct wgsl_comp *c, const struct wgsl_attr *a, struct wgsl_member *m)
{
	int64_t n;

	if (!wgsl_attr_int(c, a, 1, 1 << 30, &n))
		return false;
	if ((n & (n - 1)) != 0 || n % m->type->align != 0) {
		wgsl_error(c, a->at,
			   "@align(%lld): must be a power of two and a multiple of %u, the "
			   "alignment of %s",
			   (long long)n, m->type->align, wgsl_type_text(c, m->type));
		return false;
	}
	m->align = (uint32_t)n;
	return true;
}

static bool size_attr(struct wgsl_comp *c, const struct wgsl_attr *a, struct wgsl_member *m)
{
	int64_t n;

	if (!wgsl_attr_int(c, a, 1, MAX_TYPE_BYTES, &n))
		return false;
	if (n < m->type->size || m->type->has_runtime_array) {
		wgsl_error(c, a->at, "@size(%lld) is less than the %u bytes of %s", (long long)n,
			   m->type->size, wgsl_type_text(c, m->type));
		return false;
	}
	m->size = (uint32_t)n;
	return true;
}

static bool member_attrs(struct wgsl_comp *c, const struct wgsl_field *f, struct wgsl_member *m)
{
	bool ok = wgsl_check_attrs(c, f->attrs, WGSL_ON_MEMBER, "a struct member");

	for (const struct wgsl_attr *a = f->attrs; a != NULL && ok; a = a->next) {
		if (strcmp(a->name->text, "align") == 0)
			ok = align_attr(c, a, m);
		else if (strcmp(a->name->text, "size") == 0)
			ok = size_attr(c, a, m);
		else if (strcmp(a->name->text, "builtin") == 0)
			ok = wgsl_check_builtin_name(c, a);
	}
	return ok;
}

static bool check_member_type(struct wgsl_comp *c, const struct wgsl_field *f,
			      const struct wgsl_type *t)
{
	if (t->kind == WGSL_PTR) {
		wgsl_error(c, f->type_expr->whole, "a struct member cannot be a pointer");
		return false;
	}
	if (t->sized_by != NULL) {
		wgsl_error(c, f->type_expr->whole,
			   "an array sized by an override can only be a workgroup variable");
		return false;
	}
	if (t->has_runtime_array && f->next != NULL) {
		wgsl_error(c, f->at, "only the last member can be a runtime-sized array");
		return false;
	}
	if (t->has_runtime_array && t->kind == WGSL_STRUCT) {
		wgsl_error(c, f->at,
			   "a struct with a runtime-sized array cannot be a member of a struct");
		return false;
	}
	if (t->depth + 1 > WGSL_MAX_TYPE_DEPTH) {
		wgsl_error(c, f->at, "the type nests too deeply (limit %d)", WGSL_MAX_TYPE_DEPTH);
		return false;
	}
	return true;
}

static bool add_member(struct wgsl_comp *c, const struct wgsl_field *f, struct wgsl_type *s,
		       struct wgsl_member *m)
{
	uint64_t end = s->n_members > 0 ? m[-1].offset + (uint64_t)m[-1].size : 0;
	uint64_t offset;

	m->name = f->name->text;
	m->type = wgsl_check_type(c, f->type_expr);
	if (m->type == NULL || !check_member_type(c, f, m->type))
		return false;
	m->align = m->type->align;
	m->size = m->type->size;
	m->line = wgsl_line_of(c, f->at.offset, &m->column);
	if (!member_attrs(c, f, m))
		return false;
	offset = round_up(end, m->align);
	if (offset + m->size > MAX_TYPE_BYTES) {
		wgsl_error(c, f->at, "the struct is larger than 2 GiB");
		return false;
	}
	m->offset = (uint32_t)offset;
	s->n_members++;
	if (m->align > s->align)
		s->align = m->align;
	s->has_atomic = s->has_atomic || m->type->has_atomic;
	s->has_runtime_array = s->has_runtime_array || m->type->has_runtime_array;
	s->is_host_shareable = s->is_host_shareable && m->type->is_host_shareable;
	s->is_constructible = s->is_constructible && m->type->is_constructible;
	if (m->type->depth + 1 > s->depth)
		s->depth = m->type->depth + 1;
	return true;
}

/* Equal names are found by marking each name with the struct that uses it. */
static bool check_member_names(struct wgsl_comp *c, struct wgsl_decl *d)
{
	bool ok = true;

	for (const struct wgsl_field *f = d->fields; f != NULL; f = f->next) {
		if (f->name->member_of == d) {
			wgsl_error(c, f->at, "struct '%s' has two members '%s'", d->name->text,
				   f->name->text);
			ok = false;
		}
		f->name->member_of = d;
	}
	return ok;
}

bool wgsl_check_struct(struct wgsl_comp *c, struct wgsl_decl *d)
{
	struct wgsl_type *s = wgsl_struct_type(c, d->name->text);
	struct wgsl_member *members;
	uint32_t n = 0;

	if (!check_member_names(c, d))
		return false;
	for (const struct wgsl_field *f = d->fields; f != NULL; f = f->next)
		n++;
	members = arena_new_array(c->arena, struct wgsl_member, n);
	s->members = members;
	s->is_host_shareable = true;
	s->is_constructible = true;
	s->align = 1;
	for (const struct wgsl_field *f = d->fields; f != NULL; f = f->next)
		if (!add_member(c, f, s, &members[s->n_members]))
			return false;
	s->size =
	    (uint32_t)round_up(members[n - 1].offset + (uint64_t)members[n - 1].size, s->align);
	d->type = s;
	return true;
}
