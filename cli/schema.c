/* schema.c - see schema.h. */
#include "cli/schema.h"

#include <regex.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/schema_int.h"
#include "doc/doc.h"

/* A value that is to be checked; above it, for its path, where it stands. */
struct visit {
	const struct visit *parent;
	const char *key; /* NULL: element `at` of a list */
	size_t at;
	const struct doc *value;
	const struct doc *schema; /* NULL: metadata, whose members are Kubernetes' own */
	struct visit *next;       /* of those still to be made */
};

enum { FEW = 8 }; /* so many known fields are listed for one that is not */

struct checker {
	struct arena arena;
	struct visit *todo;
	struct visit **to; /* where the next visit goes: members keep their order */
	struct buf *out;
	size_t n_problems;
};

/* ---- saying it -------------------------------------------------------------------------- */

static void note_path(const struct visit *v, struct buf *out)
{
	const struct visit *way[64];
	size_t n = 0;

	/* The CRD is not as deep as that. */
	for (; v->parent != NULL && n < ARRAY_LEN(way); v = v->parent)
		way[n++] = v;
	for (size_t i = n; i-- > 0;)
		if (way[i]->key == NULL)
			buf_note(out, "[%zu]", way[i]->at);
		else
			buf_note(out, "%s%.200s", i + 1 < n ? "." : "", way[i]->key);
}

/* Begins a line; the caller ends it. False once there are enough. */
static bool problem(struct checker *c, const struct visit *v)
{
	if (c->n_problems == SCHEMA_MAX_PROBLEMS)
		return false;
	c->n_problems++;
	note_path(v, c->out);
	if (v->parent != NULL)
		buf_note(c->out, ": ");
	return true;
}

static const char *type_name(const struct doc *schema)
{
	const char *type = doc_str(schema, "type", "string");

	if (strcmp(type, "object") == 0)
		return "a map";
	if (strcmp(type, "array") == 0)
		return "a list";
	if (strcmp(type, "integer") == 0)
		return "an integer";
	return strcmp(type, "boolean") == 0 ? "a boolean" : "a string";
}

static void note_near(struct checker *c, const char *key, const char *known)
{
	if (text_is_near(key, known))
		buf_note(c->out, "; did you mean \"%s\"?", known);
}

static void note_fields(struct checker *c, const struct doc *properties)
{
	const char *sep = ", expected ";

	DOC_EACH_MEMBER(properties, p)
	{
		buf_note(c->out, "%s%s", sep, p.key);
		sep = " or ";
	}
}

static void unknown_field(struct checker *c, const struct visit *v, const char *key,
			  const struct doc *properties, const char *const *names)
{
	bool near = false;

	if (c->n_problems == SCHEMA_MAX_PROBLEMS)
		return;
	c->n_problems++;
	buf_note(c->out, "unknown field \"");
	note_path(v, c->out);
	buf_note(c->out, "%s%.200s\"", v->parent != NULL ? "." : "", key);
	for (; names != NULL && *names != NULL; names++)
		note_near(c, key, *names);
	DOC_EACH_MEMBER(properties, p)
	{
		near = near || text_is_near(key, p.key);
		note_near(c, key, p.key);
	}
	if (!near && names == NULL && doc_count(properties) <= FEW)
		note_fields(c, properties);
	buf_note(c->out, "\n");
}

/* ---- values ----------------------------------------------------------------------------- */

static void plan(struct checker *c, const struct visit *parent, struct visit v)
{
	struct visit *new = arena_new(&c->arena, struct visit);

	*new = v;
	new->parent = parent;
	new->next = *c->to;
	*c->to = new;
	c->to = &new->next;
}

static bool within(struct checker *c, const struct visit *v, const char *unit, size_t n,
		   const char *least, const char *most)
{
	int64_t min = doc_int(v->schema, least, 0);
	int64_t max = doc_int(v->schema, most, INT64_MAX);

	if ((int64_t)n >= min && (int64_t)n <= max)
		return true;
	if (!problem(c, v))
		return false;
	if ((int64_t)n < min)
		buf_note(c->out, "%zu %s, expected at least %lld\n", n, unit, (long long)min);
	else
		buf_note(c->out, "%zu %s, expected at most %lld\n", n, unit, (long long)max);
	return false;
}

static void check_integer(struct checker *c, const struct visit *v)
{
	int64_t n = doc_int(v->value, "", 0);
	int64_t min = doc_int(v->schema, "minimum", INT64_MIN);
	int64_t max = doc_int(v->schema, "maximum", INT64_MAX);

	if ((n < min || n > max) && problem(c, v))
		buf_note(c->out, "%lld is not within %lld to %lld\n", (long long)n, (long long)min,
			 (long long)max);
}

static void check_enum(struct checker *c, const struct visit *v, const char *s)
{
	const struct doc *words = doc_get(v->schema, "enum");
	const char *sep = " is none of ";

	DOC_EACH(words, w)
	{
		if (strcmp(doc_str(w, "", ""), s) == 0)
			return;
	}
	if (words == NULL || !problem(c, v))
		return;
	buf_note(c->out, "\"%.64s\"", s);
	DOC_EACH(words, w)
	{
		buf_note(c->out, "%s%s", sep, doc_str(w, "", ""));
		sep = ", ";
	}
	DOC_EACH(words, w)
	{
		note_near(c, s, doc_str(w, "", ""));
	}
	buf_note(c->out, "\n");
}

static void check_pattern(struct checker *c, const struct visit *v, const char *s)
{
	const char *pattern = doc_str(v->schema, "pattern", NULL);
	regex_t re;
	bool good;
	int rc;

	if (pattern == NULL)
		return;
	rc = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
	ASSERT(rc == 0); /* the patterns are the CRD's: a unit test tries each */
	good = regexec(&re, s, 0, NULL, 0) == 0;
	regfree(&re);
	if (!good && problem(c, v))
		buf_note(c->out, "\"%.64s\" does not have the form %s\n", s, pattern);
}

/* The CRD's pattern of base64, of which it says less than text_unbase64. */
static bool is_base64(const struct doc *schema)
{
	return strcmp(doc_str(schema, "pattern", ""), "^[A-Za-z0-9+/=\\s]*$") == 0;
}

static void check_base64(struct checker *c, const struct visit *v, const char *s, size_t len)
{
	AUTO(buf_done) struct buf bytes = { .max = len };
	struct err err = { 0 };

	if (text_unbase64(s, len, &bytes, &err) < 0 && problem(c, v))
		buf_note(c->out, "%s\n", err.text);
}

/* Characters as the API server counts them: code points. */
static size_t characters(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void check_string(struct checker *c, const struct visit *v)
{
	size_t len = 0;
	const char *s = doc_bytes(v->value, "", &len);

	if (!within(c, v, "characters", characters(s, len), "minLength", "maxLength"))
		return;
	if (strlen(s) != len) {
		if (problem(c, v))
			buf_note(c->out, "holds a NUL character\n");
		return;
	}
	check_enum(c, v, s);
	if (is_base64(v->schema))
		check_base64(c, v, s, len);
	else
		check_pattern(c, v, s);
}

static void check_required(struct checker *c, const struct visit *v)
{
	DOC_EACH(doc_get(v->schema, "required"), r)
	{
		const char *key = doc_str(r, "", "");

		if (doc_member(v->value, key) == NULL &&
		    problem(c, &(struct visit){ .parent = v, .key = key }))
			buf_note(c->out, "missing, expected %s\n",
				 type_name(doc_member(doc_get(v->schema, "properties"), key)));
	}
}

static void check_members(struct checker *c, const struct visit *v)
{
	const struct doc *properties = doc_get(v->schema, "properties");
	const struct doc *any = doc_get(v->schema, "additionalProperties");

	if (!within(c, v, "members", doc_count(v->value), "minProperties", "maxProperties"))
		return;
	DOC_EACH_MEMBER(v->value, m)
	{
		const struct doc *schema = any != NULL ? any : doc_member(properties, m.key);

		if (schema == NULL)
			unknown_field(c, v, m.key, properties, NULL);
		else if (v->parent == NULL && strcmp(m.key, "metadata") == 0)
			plan(c, v, (struct visit){ .key = m.key, .value = m.value });
		else if (v->parent != NULL || strcmp(m.key, "status") != 0)
			plan(c, v,
			     (struct visit){ .key = m.key, .value = m.value, .schema = schema });
	}
	check_required(c, v);
}

/* Kubernetes' ObjectMeta: a typing error in it would be dropped without a word as well. */
static void check_metadata(struct checker *c, const struct visit *v)
{
	static const char *const names[] = { "name",
					     "generateName",
					     "namespace",
					     "labels",
					     "annotations",
					     "finalizers",
					     "ownerReferences",
					     "uid",
					     "resourceVersion",
					     "generation",
					     "creationTimestamp",
					     "deletionTimestamp",
					     "deletionGracePeriodSeconds",
					     "managedFields",
					     "selfLink",
					     NULL };

	DOC_EACH_MEMBER(v->value, m)
	{
		bool known = false;

		for (size_t i = 0; names[i] != NULL && !known; i++)
			known = strcmp(names[i], m.key) == 0;
		if (!known)
			unknown_field(c, v, m.key, NULL, names);
	}
}

/* In a list-map two elements must not have the same key; the CRD's maps have one key, `name`. */
static void check_keys(struct checker *c, const struct visit *v)
{
	const char *key = doc_str(v->schema, "x-kubernetes-list-map-keys[0]", NULL);

	for (size_t i = 1; key != NULL && i < doc_count(v->value); i++)
		for (size_t k = 0; k < i; k++) {
			const char *name = doc_str(doc_at(v->value, i), key, NULL);

			if (name == NULL ||
			    !text_equal(name, doc_str(doc_at(v->value, k), key, NULL)))
				continue;
			if (problem(c, v))
				buf_note(c->out, "%s \"%.64s\" is there twice\n", key, name);
			return;
		}
}

static void check_elements(struct checker *c, const struct visit *v)
{
	if (!within(c, v, "elements", doc_count(v->value), "minItems", "maxItems"))
		return;
	for (size_t i = 0; i < doc_count(v->value); i++)
		plan(c, v,
		     (struct visit){ .at = i,
				     .value = doc_at(v->value, i),
				     .schema = doc_get(v->schema, "items") });
	check_keys(c, v);
}

static void wrong_type(struct checker *c, const struct visit *v, const char *expected)
{
	enum doc_type found = doc_type(v->value);

	/* The API server drops a null where there is a default. */
	if (found == DOC_NULL && doc_has(v->schema, "default"))
		return;
	if (problem(c, v))
		buf_note(c->out, "expected %s, not %s %s%s\n", expected,
			 found == DOC_INT ? "an" : "a", doc_type_name(found),
			 found >= DOC_BOOL && found <= DOC_REAL && strcmp(expected, "a string") == 0
			     ? ": quote it"
			     : "");
}

static const char *expected(const struct visit *v)
{
	if (v->schema == NULL)
		return "a map";
	if (doc_bool(v->schema, "x-kubernetes-int-or-string", false))
		return "an integer or a text (quote decimals)";
	return type_name(v->schema);
}

/* True if the schema has this type, or either of the two that it allows. */
static bool allows(const struct visit *v, enum doc_type type)
{
	static const char *const names[] = {
		[DOC_BOOL] = "boolean", [DOC_INT] = "integer", [DOC_STR] = "string",
		[DOC_LIST] = "array",   [DOC_MAP] = "object",  [DOC_NULL] = "",
		[DOC_REAL] = "number"
	};

	if (doc_bool(v->schema, "x-kubernetes-int-or-string", false))
		return type == DOC_INT || type == DOC_STR;
	return strcmp(doc_str(v->schema, "type", "object"), names[type]) == 0;
}

static void check_value(struct checker *c, const struct visit *v)
{
	enum doc_type type = doc_type(v->value);

	if (!allows(v, type))
		wrong_type(c, v, expected(v));
	else if (type == DOC_MAP && v->schema == NULL)
		check_metadata(c, v);
	else if (type == DOC_MAP)
		check_members(c, v);
	else if (type == DOC_LIST)
		check_elements(c, v);
	else if (type == DOC_STR)
		check_string(c, v);
	else if (type == DOC_INT)
		check_integer(c, v);
}

size_t schema_check(const struct doc *warpjob, struct buf *out)
{
	AUTO(doc_unrefp) struct doc *crd = NULL;
	struct checker c = { .out = out };
	struct err err = { 0 };
	struct visit root = { .value = warpjob };
	int rc = doc_parse_yaml(schema_crd, schema_crd_size, NULL, &crd, &err);

	ASSERT(rc == 0);
	root.schema = doc_get(crd, "spec.versions[0].schema.openAPIV3Schema");
	c.todo = &root;
	while (c.todo != NULL && c.n_problems < SCHEMA_MAX_PROBLEMS) {
		const struct visit *v = c.todo;

		c.todo = v->next;
		c.to = &c.todo;
		check_value(&c, v);
	}
	arena_done(&c.arena);
	return c.n_problems;
}
