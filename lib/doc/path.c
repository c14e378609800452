/* path.c - looking inside by path, with fallbacks and with errors. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

/* One step of a path. */
struct step {
	const char *key; /* not NUL-terminated; NULL: an index */
	size_t len;
	size_t index;
};

/* Read a step and move *path behind it; false at the end or where the path is malformed. */
static bool next_step(const char **path, struct step *ret)
{
	const char *p = **path == '.' ? *path + 1 : *path;
	const char *end;
	struct err err = { 0 };
	uint64_t n;

	if (*p == '\0')
		return false;
	if (*p != '[') {
		ret->key = p;
		ret->len = strcspn(p, ".[");
		*path = p + ret->len;
		return ret->len > 0;
	}
	if (p[1] == '\'' || p[1] == '"') {
		end = strchr(p + 2, p[1]);
		if (end == NULL || end[1] != ']')
			return false;
		ret->key = p + 2;
		ret->len = (size_t)(end - p) - 2;
		*path = end + 2;
		return true;
	}
	end = strchr(p, ']');
	if (end == NULL || num_parse_u64(p + 1, (size_t)(end - p) - 1, UINT32_MAX, &n, &err) < 0)
		return false;
	*ret = (struct step){ .index = (size_t)n };
	*path = end + 1;
	return true;
}

const struct doc *doc_get(const struct doc *d, const char *path)
{
	struct step s = { 0 };

	while (d != NULL && *path != '\0') {
		if (!next_step(&path, &s))
			return NULL;
		if (s.key != NULL)
			d = doc_member_n(d, s.key, s.len);
		else
			d = doc_is(d, DOC_LIST) ? doc_at(d, s.index) : NULL;
	}
	return d;
}

struct doc *doc_edit(struct doc *d, const char *path)
{
	return doc_unconst(doc_get(d, path));
}

void doc_set_path(struct doc *map, const char *path, struct doc *value)
{
	struct step s = { 0 };

	ASSERT(*path != '\0');
	while (*path != '\0') {
		AUTO(mem_freep) char *key = NULL;
		struct doc *next;
		bool known = next_step(&path, &s);

		ASSERT(known && s.key != NULL);
		key = mem_strndup(s.key, s.len);
		if (*path == '\0') {
			doc_set(map, key, value);
			return;
		}
		next = doc_unconst(doc_member(map, key));
		if (!doc_is(next, DOC_MAP)) {
			next = doc_new_map();
			doc_set(map, key, next);
		}
		map = next;
	}
}

enum doc_type doc_type(const struct doc *d)
{
	return d != NULL ? (enum doc_type)d->type : DOC_NULL;
}

const char *doc_type_name(enum doc_type type)
{
	static const char *const names[] = { "null",   "boolean", "integer", "real",
					     "string", "list",    "map" };

	return names[type];
}

bool doc_is(const struct doc *d, enum doc_type type)
{
	return d != NULL && d->type == type;
}

const struct doc *doc_member(const struct doc *map, const char *key)
{
	return doc_member_n(map, key, strlen(key));
}

bool doc_has(const struct doc *d, const char *path)
{
	const struct doc *v = doc_get(d, path);

	return v != NULL && v->type != DOC_NULL;
}

size_t doc_count(const struct doc *d)
{
	if (doc_is(d, DOC_LIST))
		return DOC_AS(list, d)->count;
	return doc_is(d, DOC_MAP) ? DOC_AS(map, d)->count : 0;
}

const struct doc *doc_at(const struct doc *d, size_t i)
{
	if (i >= doc_count(d))
		return NULL;
	return d->type == DOC_LIST ? DOC_AS(list, d)->items[i] : DOC_AS(map, d)->pairs[i].value;
}

const char *doc_key_at(const struct doc *map, size_t i)
{
	if (!doc_is(map, DOC_MAP) || i >= doc_count(map))
		return NULL;
	return DOC_AS(map, map)->pairs[i].key;
}

struct doc_entry doc_entry_at(const struct doc *map, size_t i)
{
	return (struct doc_entry){ .key = doc_key_at(map, i), .value = doc_at(map, i) };
}

/* Without NULs inside, so that it can be used as a C string. */
static bool is_plain_str(const struct doc *v)
{
	return doc_is(v, DOC_STR) && strlen(DOC_AS(text, v)->text) == DOC_AS(text, v)->len;
}

const char *doc_str(const struct doc *d, const char *path, const char *fallback)
{
	const struct doc *v = doc_get(d, path);

	return is_plain_str(v) ? DOC_AS(text, v)->text : fallback;
}

const char *doc_bytes(const struct doc *d, const char *path, size_t *ret_len)
{
	const struct doc *v = doc_get(d, path);

	if (!doc_is(v, DOC_STR))
		return NULL;
	*ret_len = DOC_AS(text, v)->len;
	return DOC_AS(text, v)->text;
}

int64_t doc_int(const struct doc *d, const char *path, int64_t fallback)
{
	const struct doc *v = doc_get(d, path);

	return doc_is(v, DOC_INT) ? DOC_AS(number, v)->i : fallback;
}

bool doc_bool(const struct doc *d, const char *path, bool fallback)
{
	const struct doc *v = doc_get(d, path);

	return doc_is(v, DOC_BOOL) ? DOC_AS(number, v)->b : fallback;
}

double doc_real(const struct doc *d, const char *path, double fallback)
{
	const struct doc *v = doc_get(d, path);

	if (doc_is(v, DOC_INT))
		return (double)DOC_AS(number, v)->i;
	return doc_is(v, DOC_REAL) ? DOC_AS(number, v)->f : fallback;
}

static const char *article(enum doc_type type)
{
	if (type == DOC_NULL)
		return "";
	return type == DOC_INT ? "an " : "a ";
}

/* The value at path if it has this type, else the error. */
static int read_value(const struct doc *d, const char *path, enum doc_type type,
		      const struct doc **ret, struct err *err)
{
	const struct doc *v = doc_get(d, path);
	const char *name = *path != '\0' ? path : "value";

	if (v == NULL)
		return err_set(err, ERR_NOT_FOUND, "%s: missing, expected %s%s", name,
			       article(type), doc_type_name(type));
	if (v->type != type)
		return err_set(err, ERR_INVALID, "%s: expected %s%s, got %s%s", name, article(type),
			       doc_type_name(type), article((enum doc_type)v->type),
			       doc_type_name((enum doc_type)v->type));
	*ret = v;
	return 0;
}

int doc_read_str(const struct doc *d, const char *path, size_t max_len, const char **ret,
		 struct err *err)
{
	const struct doc *v = NULL;

	if (read_value(d, path, DOC_STR, &v, err) < 0)
		return err->code;
	if (!is_plain_str(v))
		return err_set(err, ERR_INVALID, "%s: holds a NUL character", path);
	if (DOC_AS(text, v)->len > max_len)
		return err_set(err, ERR_TOO_BIG, "%s: %u bytes, at most %zu", path,
			       DOC_AS(text, v)->len, max_len);
	*ret = DOC_AS(text, v)->text;
	return 0;
}

int doc_read_int(const struct doc *d, const char *path, int64_t min, int64_t max, int64_t *ret,
		 struct err *err)
{
	const struct doc *v = NULL;
	int64_t i;

	if (read_value(d, path, DOC_INT, &v, err) < 0)
		return err->code;
	i = DOC_AS(number, v)->i;
	if (i < min || i > max)
		return err_set(err, ERR_INVALID, "%s: %lld is not within %lld to %lld", path,
			       (long long)i, (long long)min, (long long)max);
	*ret = i;
	return 0;
}

int doc_read_bool(const struct doc *d, const char *path, bool *ret, struct err *err)
{
	const struct doc *v = NULL;

	if (read_value(d, path, DOC_BOOL, &v, err) < 0)
		return err->code;
	*ret = DOC_AS(number, v)->b;
	return 0;
}

static int read_container(const struct doc *d, const char *path, size_t max_count,
			  enum doc_type type, const struct doc **ret, struct err *err)
{
	const struct doc *v = NULL;

	if (read_value(d, path, type, &v, err) < 0)
		return err->code;
	if (doc_count(v) > max_count)
		return err_set(err, ERR_TOO_BIG, "%s: %zu entries, at most %zu", path, doc_count(v),
			       max_count);
	*ret = v;
	return 0;
}

int doc_read_list(const struct doc *d, const char *path, size_t max_count, const struct doc **ret,
		  struct err *err)
{
	return read_container(d, path, max_count, DOC_LIST, ret, err);
}

int doc_read_map(const struct doc *d, const char *path, size_t max_count, const struct doc **ret,
		 struct err *err)
{
	return read_container(d, path, max_count, DOC_MAP, ret, err);
}

int doc_opt_str(const struct doc *d, const char *path, size_t max_len, const char **ret,
		struct err *err)
{
	return doc_has(d, path) ? doc_read_str(d, path, max_len, ret, err) : 0;
}

int doc_opt_int(const struct doc *d, const char *path, int64_t min, int64_t max, int64_t *ret,
		struct err *err)
{
	return doc_has(d, path) ? doc_read_int(d, path, min, max, ret, err) : 0;
}

int doc_opt_bool(const struct doc *d, const char *path, bool *ret, struct err *err)
{
	return doc_has(d, path) ? doc_read_bool(d, path, ret, err) : 0;
}

int doc_opt_list(const struct doc *d, const char *path, size_t max_count, const struct doc **ret,
		 struct err *err)
{
	return doc_has(d, path) ? doc_read_list(d, path, max_count, ret, err) : 0;
}

int doc_opt_map(const struct doc *d, const char *path, size_t max_count, const struct doc **ret,
		struct err *err)
{
	return doc_has(d, path) ? doc_read_map(d, path, max_count, ret, err) : 0;
}
