/* yaml.c - YAML text to values, through the events of libyaml. */
#include <string.h>
#include <yaml.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

/* A list or map that is being read. */
struct frame {
	struct doc *d;     /* owned */
	char *key;         /* owned: the key whose value comes next */
	struct doc *merge; /* owned: the value of "<<" */
	bool merging;      /* the value of "<<" comes next */
	char *anchor;      /* owned */
	size_t nodes;      /* read before it began */
};

struct anchor {
	struct doc *d; /* shared; NULL while it is being read */
	size_t nodes;  /* values in it */
};

struct reader {
	yaml_parser_t yaml;
	struct doc_limits limits;
	struct frame *stack; /* owned: limits.depth frames */
	int depth;
	size_t nodes;
	int aliases;
	struct map anchors; /* name -> struct anchor, owned */
	struct doc *root;   /* owned: the finished document */
	struct err *err;    /* borrowed */
};

static void anchor_free(void *value)
{
	struct anchor *a = value;

	doc_unref(a->d);
	mem_free(a);
}

static void frame_done(struct frame *f)
{
	doc_unref(f->d);
	doc_unref(f->merge);
	mem_free(f->key);
	mem_free(f->anchor);
	*f = (struct frame){ 0 };
}

static void reader_done(struct reader *r)
{
	while (r->depth > 0)
		frame_done(&r->stack[--r->depth]);
	mem_free(r->stack);
	map_done(&r->anchors, anchor_free);
	doc_unref(r->root);
	yaml_parser_delete(&r->yaml);
}

static void reader_init(struct reader *r, const char *text, size_t len)
{
	int ok = yaml_parser_initialize(&r->yaml);

	ASSERT(ok);
	yaml_parser_set_encoding(&r->yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->yaml, (const unsigned char *)(len > 0 ? text : ""), len);
	r->stack = NEW_ARRAY(struct frame, (size_t)r->limits.depth);
}

static int fail(struct reader *r, const yaml_event_t *e, enum err_code code, const char *what)
{
	return err_set(r->err, code, "line %zu column %zu: %s", e->start_mark.line + 1,
		       e->start_mark.column + 1, what);
}

static int fail_parser(struct reader *r)
{
	const yaml_parser_t *y = &r->yaml;

	ASSERT(y->error != YAML_MEMORY_ERROR);
	if (y->error == YAML_READER_ERROR)
		return err_set(r->err, ERR_INVALID, "byte %zu: %s", y->problem_offset, y->problem);
	return err_set(r->err, ERR_INVALID, "line %zu column %zu: %s%s%s", y->problem_mark.line + 1,
		       y->problem_mark.column + 1, y->problem, y->context != NULL ? " " : "",
		       y->context != NULL ? y->context : "");
}

static const char *str(const yaml_char_t *s)
{
	return (const char *)s;
}

static void set_anchor(struct reader *r, const char *name, struct doc *d, size_t nodes)
{
	struct anchor *a = NEW(struct anchor);
	struct anchor *old;

	a->d = doc_ref(d);
	a->nodes = nodes;
	old = map_set(&r->anchors, name, a);
	if (old != NULL)
		anchor_free(old);
}

static int count_node(struct reader *r, const yaml_event_t *e, size_t n)
{
	r->nodes += n;
	if (r->nodes > r->limits.nodes)
		return fail(r, e, ERR_TOO_BIG, "too many values");
	return 0;
}

static bool is_merge_value(const struct doc *d)
{
	if (doc_is(d, DOC_LIST)) {
		DOC_EACH(d, item)
		{
			if (!doc_is(item, DOC_MAP))
				return false;
		}
		return true;
	}
	return doc_is(d, DOC_MAP);
}

/* Put a finished value where it belongs; it is taken, also on failure. */
static int place(struct reader *r, const yaml_event_t *e, struct doc *value)
{
	AUTO(doc_unrefp) struct doc *d = value;
	struct frame *top = r->depth > 0 ? &r->stack[r->depth - 1] : NULL;

	if (top == NULL) {
		r->root = MOVE(d);
		return 0;
	}
	if (doc_is(top->d, DOC_LIST)) {
		doc_add(top->d, MOVE(d));
		return 0;
	}
	if (top->merging) {
		if (!is_merge_value(d))
			return fail(r, e, ERR_INVALID, "expected a map to merge (<<)");
		top->merging = false;
		top->merge = MOVE(d);
		return 0;
	}
	if (top->key == NULL)
		return fail(r, e, ERR_INVALID, "expected a plain key, got a list or map");
	doc_set(top->d, top->key, MOVE(d));
	mem_free(MOVE(top->key));
	return 0;
}

static bool wants_key(const struct reader *r)
{
	const struct frame *top = r->depth > 0 ? &r->stack[r->depth - 1] : NULL;

	return top != NULL && doc_is(top->d, DOC_MAP) && top->key == NULL && !top->merging;
}

/* The value of a scalar by its style and tag. Owned, NULL on failure. */
static struct doc *scalar_value(struct reader *r, const yaml_event_t *e)
{
	static const struct {
		const char *tag;
		enum doc_type type;
	} tags[] = { { YAML_NULL_TAG, DOC_NULL },
		     { YAML_BOOL_TAG, DOC_BOOL },
		     { YAML_INT_TAG, DOC_INT },
		     { YAML_FLOAT_TAG, DOC_REAL } };
	const char *s = str(e->data.scalar.value);
	const char *tag = str(e->data.scalar.tag);
	size_t len = e->data.scalar.length;
	struct err why = { 0 };
	AUTO(doc_unrefp) struct doc *d = NULL;

	if (tag == NULL && e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return doc_new_strn(s, len);
	if (tag != NULL && (strcmp(tag, "!") == 0 || strcmp(tag, YAML_STR_TAG) == 0))
		return doc_new_strn(s, len);
	d = doc_resolve_plain(s, len, &why);
	if (d == NULL) {
		fail(r, e, ERR_INVALID, why.text);
		return NULL;
	}
	if (tag == NULL)
		return MOVE(d);
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (strcmp(tag, tags[i].tag) != 0)
			continue;
		if (doc_is(d, tags[i].type) || (doc_is(d, DOC_INT) && tags[i].type == DOC_REAL))
			return MOVE(d);
		fail(r, e, ERR_INVALID, "the scalar does not have the type of its tag");
		return NULL;
	}
	fail(r, e, ERR_INVALID, "unsupported tag");
	return NULL;
}

static int read_key(struct reader *r, const yaml_event_t *e)
{
	struct frame *top = &r->stack[r->depth - 1];
	const char *s = str(e->data.scalar.value);
	AUTO(doc_unrefp) struct doc *d = NULL;

	if (e->data.scalar.plain_implicit && text_equal(s, "<<")) {
		if (top->merge != NULL)
			return fail(r, e, ERR_INVALID, "a second merge key (<<) in one map");
		top->merging = true;
		return 0;
	}
	d = scalar_value(r, e);
	if (d == NULL)
		return r->err->code;
	if (doc_is(d, DOC_NULL))
		return fail(r, e, ERR_INVALID, "null as a key");
	if (doc_is(d, DOC_BOOL) && !text_equal(s, "true") && !text_equal(s, "false"))
		return fail(r, e, ERR_INVALID,
			    "this key means true or false in YAML 1.1 and to kubectl; quote it");
	if (strlen(s) != e->data.scalar.length)
		return fail(r, e, ERR_INVALID, "a key with a NUL character");
	if (doc_is(d, DOC_INT))
		top->key = doc_print_text(d, DOC_COMPACT);
	else
		top->key = mem_strdup(doc_is(d, DOC_STR) ? DOC_AS(text, d)->text : s);
	if (doc_member(top->d, top->key) != NULL)
		return fail(r, e, ERR_INVALID, "repeated key");
	return 0;
}

static int on_scalar(struct reader *r, const yaml_event_t *e)
{
	AUTO(doc_unrefp) struct doc *d = NULL;

	if (count_node(r, e, 1) < 0)
		return r->err->code;
	if (wants_key(r)) {
		if (e->data.scalar.anchor != NULL)
			return fail(r, e, ERR_INVALID, "an anchor on a key is not supported");
		return read_key(r, e);
	}
	d = scalar_value(r, e);
	if (d == NULL)
		return r->err->code;
	if (e->data.scalar.anchor != NULL)
		set_anchor(r, str(e->data.scalar.anchor), d, 1);
	return place(r, e, MOVE(d));
}

static int on_alias(struct reader *r, const yaml_event_t *e)
{
	const struct anchor *a = map_get(&r->anchors, str(e->data.alias.anchor));

	if (wants_key(r))
		return fail(r, e, ERR_INVALID, "an alias as a key is not supported");
	if (a == NULL)
		return fail(r, e, ERR_INVALID, "unknown alias");
	if (a->d == NULL)
		return fail(r, e, ERR_INVALID, "an alias inside of what it stands for");
	if (++r->aliases > r->limits.aliases)
		return fail(r, e, ERR_TOO_BIG, "too many aliases");
	if (count_node(r, e, a->nodes) < 0)
		return r->err->code;
	return place(r, e, doc_copy(a->d));
}

static int on_start(struct reader *r, const yaml_event_t *e, struct doc *container)
{
	AUTO(doc_unrefp) struct doc *d = container;
	bool is_list = doc_is(d, DOC_LIST);
	const char *tag = str(is_list ? e->data.sequence_start.tag : e->data.mapping_start.tag);
	const char *anchor =
	    str(is_list ? e->data.sequence_start.anchor : e->data.mapping_start.anchor);
	struct frame *f;

	if (tag != NULL && strcmp(tag, "!") != 0 &&
	    strcmp(tag, is_list ? YAML_SEQ_TAG : YAML_MAP_TAG) != 0)
		return fail(r, e, ERR_INVALID, "unsupported tag");
	if (wants_key(r))
		return fail(r, e, ERR_INVALID, "expected a plain key, got a list or map");
	if (r->depth == r->limits.depth)
		return fail(r, e, ERR_TOO_BIG, "nested too deep");
	if (count_node(r, e, 1) < 0)
		return r->err->code;
	f = &r->stack[r->depth++];
	*f = (struct frame){ .d = MOVE(d), .nodes = r->nodes - 1 };
	if (anchor != NULL) {
		f->anchor = mem_strdup(anchor);
		set_anchor(r, anchor, NULL, 0);
	}
	return 0;
}

/* Keys of the map itself win over merged ones, earlier maps of a list over later ones. */
static void merge_map(struct doc *into, const struct doc *from)
{
	DOC_EACH_MEMBER(from, m)
	{
		if (doc_member(into, m.key) == NULL)
			doc_set(into, m.key, doc_copy(m.value));
	}
}

static int on_end(struct reader *r, const yaml_event_t *e)
{
	struct frame *f = &r->stack[--r->depth];
	AUTO(doc_unrefp) struct doc *d = MOVE(f->d);

	if (doc_is(f->merge, DOC_MAP))
		merge_map(d, f->merge);
	DOC_EACH(doc_is(f->merge, DOC_LIST) ? f->merge : NULL, m)
	{
		merge_map(d, m);
	}
	if (f->anchor != NULL)
		set_anchor(r, f->anchor, d, r->nodes - f->nodes);
	frame_done(f);
	return place(r, e, MOVE(d));
}

static int on_event(struct reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return on_scalar(r, e);
	case YAML_ALIAS_EVENT:
		return on_alias(r, e);
	case YAML_SEQUENCE_START_EVENT:
		return on_start(r, e, doc_new_list());
	case YAML_MAPPING_START_EVENT:
		return on_start(r, e, doc_new_map());
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return on_end(r, e);
	case YAML_DOCUMENT_START_EVENT:
		map_done(&r->anchors, anchor_free);
		return 0;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
	return 0;
}

/* Read to the end of the next document (true in *ret_more, r->root set) or of the stream. */
static int next_document(struct reader *r, bool *ret_more)
{
	for (;;) {
		yaml_event_t e;
		yaml_event_type_t type;
		int rc;

		if (!yaml_parser_parse(&r->yaml, &e))
			return fail_parser(r);
		type = e.type;
		rc = on_event(r, &e);
		yaml_event_delete(&e);
		if (rc < 0)
			return rc;
		if (type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) {
			*ret_more = type == YAML_DOCUMENT_END_EVENT;
			return 0;
		}
	}
}

/* All documents of the stream that are not null. */
static int read_stream(struct reader *r, struct doc *list)
{
	bool more = true;

	while (more) {
		if (next_document(r, &more) < 0)
			return r->err->code;
		if (r->root != NULL && !doc_is(r->root, DOC_NULL))
			doc_add(list, MOVE(r->root));
		doc_unrefp(&r->root);
	}
	return 0;
}

static int parse_yaml(const char *text, size_t len, const struct doc_limits *limits,
		      struct doc **ret_list, struct err *err)
{
	struct doc_limits l = doc_limits_of(limits, 4u << 20, 200000);
	AUTO(doc_unrefp) struct doc *list = NULL;
	AUTO(reader_done) struct reader r = { .limits = l, .err = err };

	reader_init(&r, text, len);
	if (len > l.bytes)
		return err_set(err, ERR_TOO_BIG, "%zu bytes, at most %zu", len, l.bytes);
	list = doc_new_list();
	if (read_stream(&r, list) < 0)
		return err->code;
	*ret_list = MOVE(list);
	return 0;
}

int doc_parse_yaml(const char *text, size_t len, const struct doc_limits *limits, struct doc **ret,
		   struct err *err)
{
	AUTO(doc_unrefp) struct doc *list = NULL;

	if (parse_yaml(text, len, limits, &list, err) < 0)
		return err->code;
	if (doc_count(list) > 1)
		return err_set(err, ERR_INVALID, "%zu documents where one was expected",
			       doc_count(list));
	*ret = doc_count(list) == 1 ? doc_ref(doc_at(list, 0)) : doc_new_null();
	return 0;
}

int doc_parse_files(const char *text, size_t len, const struct doc_limits *limits,
		    struct doc **ret_list, struct err *err)
{
	struct err not_json = { 0 };
	struct doc *d = NULL;
	size_t blank = 0;

	while (blank < len && strchr(" \t\r\n", text[blank]) != NULL && text[blank] != '\0')
		blank++;
	if (blank == len || text[blank] != '{' ||
	    doc_parse_json(text, len, limits, &d, &not_json) < 0)
		return parse_yaml(text, len, limits, ret_list, err);
	*ret_list = doc_new_list();
	doc_add(*ret_list, d);
	return 0;
}
