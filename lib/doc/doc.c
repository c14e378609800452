/* doc.c - life, building and whole values; see doc.h. */
#include "doc/doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "doc/doc_int.h"

/* Maps with more members than this are searched through an index. */
enum { INDEX_FROM = 24 };

static struct doc *new_value(enum doc_type type, size_t size)
{
	struct doc *d = mem_alloc(size);

	d->refs = 1;
	d->type = (uint8_t)type;
	return d;
}

struct doc *doc_new_null(void)
{
	return new_value(DOC_NULL, sizeof(struct doc));
}

struct doc *doc_new_bool(bool v)
{
	struct doc *d = new_value(DOC_BOOL, sizeof(struct doc_number));

	DOC_AS(number, d)->b = v;
	return d;
}

struct doc *doc_new_int(int64_t v)
{
	struct doc *d = new_value(DOC_INT, sizeof(struct doc_number));

	DOC_AS(number, d)->i = v;
	return d;
}

struct doc *doc_new_real(double v)
{
	struct doc *d = new_value(DOC_REAL, sizeof(struct doc_number));

	ASSERT(isfinite(v));
	DOC_AS(number, d)->f = v;
	return d;
}

struct doc *doc_new_checked(const char *s, size_t len)
{
	struct doc *d = new_value(DOC_STR, offsetof(struct doc_text, text) + len + 1);

	ASSERT(len < UINT32_MAX);
	DOC_AS(text, d)->len = (uint32_t)len;
	if (len > 0)
		memcpy(DOC_AS(text, d)->text, s, len);
	return d;
}

static size_t utf8_size(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c < 0xe0)
		return 2;
	return c < 0xf0 ? 3 : 4;
}

struct doc *doc_new_strn(const char *s, size_t len)
{
	AUTO(buf_done) struct buf clean = { .max = 3 * len };
	struct err err = { 0 };

	if (text_is_utf8(s, len))
		return doc_new_checked(s, len);
	for (size_t i = 0; i < len;) {
		size_t n = utf8_size((unsigned char)s[i]);
		bool good = s[i] == '\0' || (n <= len - i && text_is_utf8(s + i, n));
		const char *from = good ? s + i : "\xef\xbf\xbd";

		if (buf_add(&clean, from, good ? n : 3, &err) < 0)
			ASSERT(!"three bytes for one fit");
		i += good ? n : 1;
	}
	return doc_new_checked(buf_str(&clean), clean.len);
}

struct doc *doc_new_str(const char *s)
{
	return doc_new_strn(s, strlen(s));
}

struct doc *doc_new_strf(const char *fmt, ...)
{
	char text[2048];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ASSERT(n >= 0);
	return doc_new_str(text);
}

struct doc *doc_new_list(void)
{
	return new_value(DOC_LIST, sizeof(struct doc_list));
}

struct doc *doc_new_map(void)
{
	return new_value(DOC_MAP, sizeof(struct doc_map));
}

struct doc *doc_ref(const struct doc *d)
{
	struct doc *own = doc_unconst(d);

	if (own == NULL)
		return NULL;
	ASSERT(own->refs < UINT32_MAX);
	own->refs++;
	return own;
}

static void free_index(struct doc_map *m)
{
	if (m->index != NULL)
		map_done(m->index, NULL);
	mem_free(MOVE(m->index));
}

static void free_inside(struct doc *d)
{
	if (d->type == DOC_LIST) {
		struct doc_list *l = DOC_AS(list, d);

		for (uint32_t i = 0; i < l->count; i++)
			doc_unref(l->items[i]);
		mem_free(l->items);
	}
	if (d->type == DOC_MAP) {
		struct doc_map *m = DOC_AS(map, d);

		free_index(m);
		for (uint32_t i = 0; i < m->count; i++) {
			doc_key_free(m->pairs[i].key);
			doc_unref(m->pairs[i].value);
		}
		mem_free(m->pairs);
	}
}

void doc_unref(struct doc *d)
{
	if (d == NULL || --d->refs > 0)
		return;
	free_inside(d);
	mem_free(d);
}

void doc_unrefp(struct doc **d)
{
	doc_unref(MOVE(*d));
}

struct doc *doc_freeze(struct doc *d)
{
	if (d == NULL || d->frozen)
		return d;
	d->frozen = true;
	for (size_t i = 0; i < doc_count(d); i++)
		doc_freeze(doc_unconst(doc_at(d, i)));
	return d;
}

bool doc_is_frozen(const struct doc *d)
{
	return d != NULL && d->frozen;
}

void doc_reserve(struct doc *d, size_t count)
{
	ASSERT(count < UINT32_MAX);
	if (d->type == DOC_LIST && count > DOC_AS(list, d)->cap) {
		struct doc_list *l = DOC_AS(list, d);

		l->items = mem_resize_array(l->items, l->cap, count, sizeof(struct doc *));
		l->cap = (uint32_t)count;
	}
	if (d->type == DOC_MAP && count > DOC_AS(map, d)->cap) {
		struct doc_map *m = DOC_AS(map, d);

		m->pairs = mem_resize_array(m->pairs, m->cap, count, sizeof(*m->pairs));
		m->cap = (uint32_t)count;
	}
}

struct doc *doc_member_n(const struct doc *map, const char *key, size_t len)
{
	const struct doc_map *m = DOC_AS(map, map);

	if (!doc_is(map, DOC_MAP))
		return NULL;
	if (m->index != NULL && key[len] == '\0')
		return map_get(m->index, key);
	for (uint32_t i = 0; i < m->count; i++)
		if (strncmp(m->pairs[i].key, key, len) == 0 && m->pairs[i].key[len] == '\0')
			return m->pairs[i].value;
	return NULL;
}

static void build_index(struct doc_map *m)
{
	m->index = NEW(struct map);
	for (uint32_t i = 0; i < m->count; i++)
		map_set(m->index, m->pairs[i].key, m->pairs[i].value);
}

static struct doc_pair *find_pair(const struct doc_map *m, const char *key)
{
	if (m->index != NULL && !map_has(m->index, key))
		return NULL;
	for (uint32_t i = 0; i < m->count; i++)
		if (strcmp(m->pairs[i].key, key) == 0)
			return &m->pairs[i];
	return NULL;
}

static size_t grown(size_t count)
{
	return count < 4 ? 4 : count * 2;
}

void doc_set(struct doc *map, const char *key, struct doc *value)
{
	struct doc_map *m = DOC_AS(map, map);
	struct doc_pair *at;

	ASSERT(doc_is(map, DOC_MAP) && !map->frozen);
	ASSERT(value != NULL && value != map);
	at = find_pair(m, key);
	if (m->index != NULL)
		map_set(m->index, key, value);
	if (at != NULL) {
		doc_unref(at->value);
		at->value = value;
		return;
	}
	if (m->count == m->cap)
		doc_reserve(map, grown(m->count));
	m->pairs[m->count++] =
	    (struct doc_pair){ .key = doc_key_new(key, strlen(key)), .value = value };
	if (m->count == INDEX_FROM && m->index == NULL)
		build_index(m);
}

void doc_set_str(struct doc *map, const char *key, const char *s)
{
	if (s != NULL)
		doc_set(map, key, doc_new_str(s));
}

void doc_set_int(struct doc *map, const char *key, int64_t v)
{
	doc_set(map, key, doc_new_int(v));
}

void doc_set_bool(struct doc *map, const char *key, bool v)
{
	doc_set(map, key, doc_new_bool(v));
}

void doc_add(struct doc *list, struct doc *value)
{
	struct doc_list *l = DOC_AS(list, list);

	ASSERT(doc_is(list, DOC_LIST) && !list->frozen);
	ASSERT(value != NULL && value != list);
	if (l->count == l->cap)
		doc_reserve(list, grown(l->count));
	l->items[l->count++] = value;
}

void doc_add_str(struct doc *list, const char *s)
{
	doc_add(list, doc_new_str(s));
}

bool doc_remove(struct doc *map, const char *key)
{
	struct doc_map *m = DOC_AS(map, map);
	struct doc_pair *at;
	size_t i;

	ASSERT(doc_is(map, DOC_MAP) && !map->frozen);
	at = find_pair(m, key);
	if (at == NULL)
		return false;
	if (m->index != NULL)
		map_remove(m->index, key);
	i = (size_t)(at - m->pairs);
	doc_key_free(at->key);
	doc_unref(at->value);
	memmove(at, at + 1, (m->count - i - 1) * sizeof(*at));
	m->count--;
	return true;
}

bool doc_remove_at(struct doc *list, size_t i)
{
	struct doc_list *l = DOC_AS(list, list);

	ASSERT(doc_is(list, DOC_LIST) && !list->frozen);
	if (i >= l->count)
		return false;
	doc_unref(l->items[i]);
	memmove(&l->items[i], &l->items[i + 1], (l->count - i - 1) * sizeof(struct doc *));
	l->count--;
	return true;
}

static struct doc *copy_container(const struct doc *d)
{
	struct doc *to = d->type == DOC_LIST ? doc_new_list() : doc_new_map();

	doc_reserve(to, doc_count(d));
	for (size_t i = 0; i < doc_count(d); i++) {
		if (d->type == DOC_LIST)
			doc_add(to, doc_copy(doc_at(d, i)));
		else
			doc_set(to, doc_key_at(d, i), doc_copy(doc_at(d, i)));
	}
	return to;
}

struct doc *doc_copy(const struct doc *d)
{
	switch (doc_type(d)) {
	case DOC_BOOL:
		return doc_new_bool(DOC_AS(number, d)->b);
	case DOC_INT:
		return doc_new_int(DOC_AS(number, d)->i);
	case DOC_REAL:
		return doc_new_real(DOC_AS(number, d)->f);
	case DOC_STR:
		return doc_new_checked(DOC_AS(text, d)->text, DOC_AS(text, d)->len);
	case DOC_LIST:
	case DOC_MAP:
		return copy_container(d);
	case DOC_NULL:
		break;
	}
	return doc_new_null();
}

static bool equal_inside(const struct doc *a, const struct doc *b)
{
	if (doc_count(a) != doc_count(b))
		return false;
	for (size_t i = 0; i < doc_count(a); i++) {
		const struct doc *other =
		    a->type == DOC_LIST ? doc_at(b, i) : doc_member(b, doc_key_at(a, i));

		if (other == NULL || !doc_equal(doc_at(a, i), other))
			return false;
	}
	return true;
}

bool doc_equal(const struct doc *a, const struct doc *b)
{
	if (a == b)
		return true;
	if (a == NULL || b == NULL || a->type != b->type)
		return false;
	switch ((enum doc_type)a->type) {
	case DOC_BOOL:
		return DOC_AS(number, a)->b == DOC_AS(number, b)->b;
	case DOC_INT:
		return DOC_AS(number, a)->i == DOC_AS(number, b)->i;
	case DOC_REAL:
		return DOC_AS(number, a)->f == DOC_AS(number, b)->f;
	case DOC_STR:
		return DOC_AS(text, a)->len == DOC_AS(text, b)->len &&
		       memcmp(DOC_AS(text, a)->text, DOC_AS(text, b)->text, DOC_AS(text, a)->len) ==
			   0;
	case DOC_LIST:
	case DOC_MAP:
		return equal_inside(a, b);
	case DOC_NULL:
		break;
	}
	return true;
}

struct doc *doc_merge_patch(const struct doc *target, const struct doc *patch)
{
	struct doc *result;

	if (!doc_is(patch, DOC_MAP))
		return doc_copy(patch);
	result = doc_is(target, DOC_MAP) ? doc_copy(target) : doc_new_map();
	DOC_EACH_MEMBER(patch, m)
	{
		if (doc_is(m.value, DOC_NULL))
			doc_remove(result, m.key);
		else
			doc_set(result, m.key, doc_merge_patch(doc_member(result, m.key), m.value));
	}
	return result;
}

struct doc *doc_merge_diff(const struct doc *from, const struct doc *to)
{
	struct doc *patch = doc_new_map();

	DOC_EACH_MEMBER(to, m)
	{
		const struct doc *old = doc_member(from, m.key);

		if (doc_equal(old, m.value))
			continue;
		if (doc_is(old, DOC_MAP) && doc_is(m.value, DOC_MAP))
			doc_set(patch, m.key, doc_merge_diff(old, m.value));
		else
			doc_set(patch, m.key, doc_copy(m.value));
	}
	DOC_EACH_MEMBER(from, m)
	{
		if (doc_member(to, m.key) == NULL)
			doc_set(patch, m.key, doc_new_null());
	}
	return patch;
}
