/* json.c - JSON text to values, through jansson. */
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

enum { MAX_DEPTH = 1000 };

struct doc_limits doc_limits_of(const struct doc_limits *limits, size_t bytes, size_t nodes)
{
	struct doc_limits l = limits != NULL ? *limits : (struct doc_limits){ 0 };

	l.bytes = l.bytes != 0 ? l.bytes : bytes;
	l.nodes = l.nodes != 0 ? l.nodes : nodes;
	l.depth = l.depth != 0 ? l.depth : 128;
	l.aliases = l.aliases != 0 ? l.aliases : 256;
	ASSERT(l.depth > 0 && l.depth <= MAX_DEPTH);
	return l;
}

/* jansson knows no limits but its own depth, so depth and values are counted before it starts:
 * brackets and commas outside of strings. */
static int prescan(const char *text, size_t len, const struct doc_limits *l, struct err *err)
{
	size_t nodes = 1;
	int depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\\' && in_string)
			i++;
		else if (c == '"')
			in_string = !in_string;
		if (in_string || c == '\\')
			continue;
		if (c == '[' || c == '{')
			depth++;
		if ((c == ']' || c == '}') && depth > 0)
			depth--;
		nodes += c == '[' || c == '{' || c == ',';
		if (depth > l->depth)
			return err_set(err, ERR_TOO_BIG, "nested deeper than %d at byte %zu",
				       l->depth, i + 1);
		if (nodes > l->nodes)
			return err_set(err, ERR_TOO_BIG, "more than %zu values", l->nodes);
	}
	return 0;
}

static struct doc *convert(json_t *j);

static struct doc *convert_list(json_t *j)
{
	struct doc *d = doc_new_list();
	size_t n = json_array_size(j);

	doc_reserve(d, n);
	for (size_t i = 0; i < n; i++)
		doc_add(d, convert(json_array_get(j, i)));
	return d;
}

static struct doc *convert_map(json_t *j)
{
	struct doc *d = doc_new_map();

	doc_reserve(d, json_object_size(j));
	for (void *at = json_object_iter(j); at != NULL; at = json_object_iter_next(j, at))
		doc_set(d, json_object_iter_key(at), convert(json_object_iter_value(at)));
	return d;
}

static struct doc *convert(json_t *j)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return convert_map(j);
	case JSON_ARRAY:
		return convert_list(j);
	case JSON_STRING:
		return doc_new_checked(json_string_value(j), json_string_length(j));
	case JSON_INTEGER:
		return doc_new_int(json_integer_value(j));
	case JSON_REAL:
		return doc_new_real(json_real_value(j));
	case JSON_TRUE:
	case JSON_FALSE:
		return doc_new_bool(json_is_true(j));
	case JSON_NULL:
		break;
	}
	return doc_new_null();
}

int doc_parse_json(const char *text, size_t len, const struct doc_limits *limits, struct doc **ret,
		   struct err *err)
{
	struct doc_limits l = doc_limits_of(limits, 64u << 20, 1000000);
	json_error_t e;
	json_t *j;

	if (len > l.bytes)
		return err_set(err, ERR_TOO_BIG, "%zu bytes, at most %zu", len, l.bytes);
	if (prescan(text, len, &l, err) < 0)
		return err->code;
	j = json_loadb(len > 0 ? text : "", len,
		       JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &e);
	if (j == NULL) {
		ASSERT(json_error_code(&e) != json_error_out_of_memory);
		return err_set(err, ERR_INVALID, "line %d column %d: %s", e.line, e.column, e.text);
	}
	*ret = convert(j);
	json_decref(j);
	return 0;
}
