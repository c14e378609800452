/* print.c - values to JSON text. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "doc/doc.h"
#include "doc/doc_int.h"

struct out {
	struct buf *b; /* borrowed; NULL: only count */
	size_t count;
	int style;
	struct err *err;
};

static int put(struct out *o, const char *bytes, size_t len)
{
	o->count += len;
	return o->b != NULL ? buf_add(o->b, bytes, len, o->err) : 0;
}

static int puts_(struct out *o, const char *s)
{
	return put(o, s, strlen(s));
}

static const char *escape(unsigned char c, char text[8])
{
	static const char digits[] = "0123456789abcdef";

	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	default:
		break;
	}
	if (c >= 0x20)
		return NULL;
	memcpy(text, "\\u00", 4);
	text[4] = digits[c >> 4];
	text[5] = digits[c & 15];
	text[6] = '\0';
	return text;
}

static int print_text(struct out *o, const char *s, size_t len)
{
	size_t from = 0;
	char text[8];

	if (puts_(o, "\"") < 0)
		return o->err->code;
	for (size_t i = 0; i < len; i++) {
		const char *e = escape((unsigned char)s[i], text);

		if (e == NULL)
			continue;
		if (put(o, s + from, i - from) < 0 || puts_(o, e) < 0)
			return o->err->code;
		from = i + 1;
	}
	if (put(o, s + from, len - from) < 0)
		return o->err->code;
	return puts_(o, "\"");
}

static int print_int(struct out *o, int64_t v)
{
	char text[24];
	char *at = text + sizeof(text) - 1;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	*at = '\0';
	do {
		*--at = (char)('0' + u % 10);
		u /= 10;
	} while (u > 0);
	if (v < 0)
		*--at = '-';
	return puts_(o, at);
}

static int print_real(struct out *o, double v)
{
	char text[NUM_TEXT];

	if (puts_(o, num_print_f64(v, text)) < 0)
		return o->err->code;
	/* So that it reads back as a real. */
	return strpbrk(text, ".eE") != NULL ? 0 : puts_(o, ".0");
}

static int print_break(struct out *o, int level)
{
	if ((o->style & DOC_PRETTY) == 0)
		return 0;
	if (puts_(o, "\n") < 0)
		return o->err->code;
	for (int i = 0; i < level; i++)
		if (puts_(o, "  ") < 0)
			return o->err->code;
	return 0;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct doc_pair *const *x = a;
	const struct doc_pair *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

static int print_value(struct out *o, const struct doc *d, int level);

static int print_member(struct out *o, const struct doc_pair *p, int level)
{
	if (print_text(o, p->key, strlen(p->key)) < 0 ||
	    puts_(o, o->style & DOC_PRETTY ? ": " : ":") < 0)
		return o->err->code;
	return print_value(o, p->value, level);
}

static int print_list(struct out *o, const struct doc *d, int level)
{
	size_t n = doc_count(d);

	if (puts_(o, "[") < 0)
		return o->err->code;
	for (size_t i = 0; i < n; i++)
		if ((i > 0 && puts_(o, ",") < 0) || print_break(o, level + 1) < 0 ||
		    print_value(o, doc_at(d, i), level + 1) < 0)
			return o->err->code;
	if (n > 0 && print_break(o, level) < 0)
		return o->err->code;
	return puts_(o, "]");
}

static int print_map(struct out *o, const struct doc *d, int level)
{
	const struct doc_map *m = DOC_AS(map, d);
	AUTO(mem_freep) const struct doc_pair **order = NULL;

	if (o->style & DOC_SORTED) {
		order = NEW_ARRAY(const struct doc_pair *, m->count);
		for (uint32_t i = 0; i < m->count; i++)
			order[i] = &m->pairs[i];
		qsort(order, m->count, sizeof(const struct doc_pair *), compare_pairs);
	}
	if (puts_(o, "{") < 0)
		return o->err->code;
	for (uint32_t i = 0; i < m->count; i++)
		if ((i > 0 && puts_(o, ",") < 0) || print_break(o, level + 1) < 0 ||
		    print_member(o, order != NULL ? order[i] : &m->pairs[i], level + 1) < 0)
			return o->err->code;
	if (m->count > 0 && print_break(o, level) < 0)
		return o->err->code;
	return puts_(o, "}");
}

static int print_value(struct out *o, const struct doc *d, int level)
{
	switch (doc_type(d)) {
	case DOC_BOOL:
		return puts_(o, DOC_AS(number, d)->b ? "true" : "false");
	case DOC_INT:
		return print_int(o, DOC_AS(number, d)->i);
	case DOC_REAL:
		return print_real(o, DOC_AS(number, d)->f);
	case DOC_STR:
		return print_text(o, DOC_AS(text, d)->text, DOC_AS(text, d)->len);
	case DOC_LIST:
		return print_list(o, d, level);
	case DOC_MAP:
		return print_map(o, d, level);
	case DOC_NULL:
		break;
	}
	return puts_(o, "null");
}

int doc_print(const struct doc *d, int style, struct buf *b, struct err *err)
{
	struct out o = { .b = b, .style = style, .err = err };
	size_t len = b->len;

	if (print_value(&o, d, 0) == 0)
		return 0;
	b->len = len;
	if (b->data != NULL)
		b->data[len] = '\0';
	return err->code;
}

char *doc_print_text(const struct doc *d, int style)
{
	AUTO(buf_done) struct buf b = { .max = SIZE_MAX / 2 };
	struct err err = { 0 };

	if (doc_print(d, style, &b, &err) < 0)
		ASSERT(!"no limit to reach");
	return buf_take(&b);
}

size_t doc_size(const struct doc *d)
{
	struct err err = { 0 };
	struct out o = { .err = &err };

	if (print_value(&o, d, 0) < 0)
		ASSERT(!"counting cannot fail");
	return o.count;
}
