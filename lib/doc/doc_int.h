/* doc_int.h - what a struct doc is made of; for lib/doc only. */
#ifndef DOC_DOC_INT_H
#define DOC_DOC_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "doc/doc.h"

/* The head of every value; the type says which of the structs below it is. */
struct doc {
	uint32_t refs;
	uint8_t type; /* enum doc_type */
	bool frozen;
};

struct doc_number { /* bool, int, real */
	struct doc head;
	union {
		bool b;
		int64_t i;
		double f;
	};
};

struct doc_text {
	struct doc head;
	uint32_t len;
	char text[]; /* NUL-terminated */
};

struct doc_list {
	struct doc head;
	uint32_t count;
	uint32_t cap;
	struct doc **items; /* owned, with a reference to each */
};

struct doc_pair {
	char *key; /* from doc_key_new */
	struct doc *value;
};

struct doc_map {
	struct doc head;
	uint32_t count;
	uint32_t cap;
	struct doc_pair *pairs; /* owned, in order of insertion */
	struct map *index;      /* owned: key -> value once there are many, else NULL */
};

/* Keys: owned copies, except that the words of the Kubernetes API are shared constants. */
char *doc_key_new(const char *s, size_t len);
void doc_key_free(char *key);

/* Only for parsers: values without the check for UTF-8, sized exactly. */
struct doc *doc_new_checked(const char *s, size_t len);
void doc_reserve(struct doc *d, size_t count);
/* As doc_member for a key that is not NUL-terminated. */
struct doc *doc_member_n(const struct doc *map, const char *key, size_t len);

/* The writable view of a value that the caller may change or count references of. */
static inline struct doc *doc_unconst(const struct doc *d)
{
	union {
		const struct doc *c;
		struct doc *m;
	} u = { .c = d };

	return u.m;
}

#define DOC_AS(type_, d) ((struct doc_##type_ *)(void *)doc_unconst(d))

struct doc_limits doc_limits_of(const struct doc_limits *limits, size_t bytes, size_t nodes);

/* yaml.c: what a plain scalar is. NULL with an error if it is refused. Owned. */
struct doc *doc_resolve_plain(const char *s, size_t len, struct err *err);

#endif
