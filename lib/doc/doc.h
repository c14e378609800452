/*
 * doc.h - a JSON/YAML value: parse, look inside, build, compare, print.
 *
 *     AUTO(doc_unrefp) struct doc *job = NULL;
 *     if (doc_parse_json(text, len, NULL, &job, err) < 0)
 *             return err_wrap(err, "job");
 *     if (doc_opt_int(job, "spec.verify.replicas", 1, 9, &replicas, err) < 0)
 *             return err->code;           "spec.verify.replicas: 12 is not within 1 to 9"
 *
 * A struct doc is one value (null, bool, int, real, string, list, map) and owns a reference to
 * each value inside it. Values are reference-counted: doc_ref and doc_unref, one thread only.
 * A document that enters a store is frozen first (doc_freeze): from then on it may be shared by
 * everyone and changing it asserts; who wants another one makes a doc_copy or a patch.
 *
 * Ownership words: "taken" parameters belong to the callee afterwards, also when the caller
 * still has a pointer; "borrowed" results live as long as the value they came from and are not
 * changed by doc_freeze. All reading functions accept NULL and treat it as "missing".
 *
 * Paths: "spec.chunks.count", "status.conditions[0].type", and for keys with dots or slashes
 * "metadata.labels['kwarp.dev/job']". The empty path is the value itself.
 */
#ifndef DOC_DOC_H
#define DOC_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct doc;

enum doc_type { DOC_NULL, DOC_BOOL, DOC_INT, DOC_REAL, DOC_STR, DOC_LIST, DOC_MAP };

/* What a text may hold. 0 = the default in brackets. */
struct doc_limits {
	size_t bytes; /* of the text [64 MiB; YAML 4 MiB] */
	size_t
	    nodes;   /* values, those that YAML aliases repeat included [1,000,000; YAML 200,000] */
	int depth;   /* lists and maps inside each other [128, at most 1,000] */
	int aliases; /* uses of YAML anchors [256] */
};

/*
 * Parsing. On failure nothing is returned and the error says "line L column C: what".
 * Texts above a limit are ERR_TOO_BIG, everything else that is wrong is ERR_INVALID.
 */

/* One JSON value (RFC 8259), nothing behind it. Strings must be UTF-8 and may hold \u0000;
 * integers must fit int64; repeated keys are refused. *ret is owned by the caller. */
MUST_CHECK int doc_parse_json(const char *text, size_t len, const struct doc_limits *limits,
			      struct doc **ret, struct err *err);

/*
 * One YAML document, read as kubectl reads it: plain true/false (also yes/no/on/off/y/n, as
 * YAML 1.1 says and Kubernetes does) are booleans, null ~ and nothing are null, decimal, 0x, 0o, 0b
 * and 0-octal numbers are integers, so are reals without a fraction (5.0, 1e3), other numbers are
 * reals, everything else strings; quoted and block scalars are always strings. Numbers as keys
 * become strings. Anchors, aliases and merge keys (<<) work within the limits. Refused: repeated
 * keys, plain yes/no/on/off/y/n as keys (kubectl would make them "true" and "false"; quote them),
 * unknown tags, integers above int64, .inf and .nan. An empty text is null.
 */
MUST_CHECK int doc_parse_yaml(const char *text, size_t len, const struct doc_limits *limits,
			      struct doc **ret, struct err *err);

/* All documents of a YAML stream as one list; empty documents are left out. A text that starts
 * with '{' and is JSON is read as JSON. */
MUST_CHECK int doc_parse_files(const char *text, size_t len, const struct doc_limits *limits,
			       struct doc **ret_list, struct err *err);

/*
 * Life.
 */
/* One more reference, for the caller to doc_unref. Accepts and returns NULL. */
struct doc *doc_ref(const struct doc *d);
void doc_unref(struct doc *d); /* accepts NULL */
void doc_unrefp(struct doc **d);

/* From now on changing d or anything inside asserts. Returns d. Freezing twice is fine. */
struct doc *doc_freeze(struct doc *d);
bool doc_is_frozen(const struct doc *d);

/* A deep copy that may be changed; owned by the caller. Never NULL for a value. */
struct doc *doc_copy(const struct doc *d);

/*
 * Looking inside. Results are borrowed.
 */
enum doc_type doc_type(const struct doc *d);          /* DOC_NULL for NULL */
const char *doc_type_name(enum doc_type type);        /* "null", "boolean", "integer", ..., "map" */
bool doc_is(const struct doc *d, enum doc_type type); /* false for NULL */

/* The value at path, or NULL. */
const struct doc *doc_get(const struct doc *d, const char *path);
/* The value of exactly this key of a map, or NULL; the key is not a path. */
const struct doc *doc_member(const struct doc *map, const char *key);
bool doc_has(const struct doc *d, const char *path); /* present and not null */

/* Elements of a list or members of a map; 0 for everything else. */
size_t doc_count(const struct doc *d);
/* Element or member i < doc_count. Members are in the order of the text. */
const struct doc *doc_at(const struct doc *d, size_t i);
const char *doc_key_at(const struct doc *map, size_t i);

/* NOLINTBEGIN(bugprone-macro-parentheses): a declared name takes none */
/* DOC_EACH(doc_get(job, "spec.outputs"), output) { use(output); } for lists and maps */
#define DOC_EACH(list, item)                                                                       \
	for (size_t item##_at = 0, item##_on = 1; item##_on; item##_on = 0)                        \
		for (const struct doc *item##_of = (list), *item = NULL;                           \
		     item##_at < doc_count(item##_of) && (item = doc_at(item##_of, item##_at));    \
		     item##_at++)

/* DOC_EACH_MEMBER(labels, m) { use(m.key, m.value); } */
struct doc_entry {
	const char *key;
	const struct doc *value;
};
struct doc_entry doc_entry_at(const struct doc *map, size_t i); /* { NULL } at the end */
#define DOC_EACH_MEMBER(map, m)                                                                    \
	for (size_t m##_at = 0, m##_on = 1; m##_on; m##_on = 0)                                    \
		for (struct doc_entry m = doc_entry_at((map), m##_at); m.key != NULL;              \
		     m = doc_entry_at((map), ++m##_at))
/* NOLINTEND(bugprone-macro-parentheses) */

/* The value at path if it is there and of this type, else fallback. For what the API server has
 * checked already. Strings are NUL-terminated; one that holds a NUL counts as another type. */
const char *doc_str(const struct doc *d, const char *path, const char *fallback);
int64_t doc_int(const struct doc *d, const char *path, int64_t fallback);
bool doc_bool(const struct doc *d, const char *path, bool fallback);
/* Accepts integers as well. */
double doc_real(const struct doc *d, const char *path, double fallback);
/* A string's bytes with their number (NULs possible), or NULL. */
const char *doc_bytes(const struct doc *d, const char *path, size_t *ret_len);

/*
 * Checked reading. doc_read_*: the value must be there (ERR_NOT_FOUND: "PATH: missing, expected
 * a string"). doc_opt_*: if it is missing or null, *ret stays as it is. Both: another type or out
 * of range is ERR_INVALID, longer than the limit ERR_TOO_BIG; the text names path, what was
 * expected, what was found, and the limit.
 */
MUST_CHECK int doc_read_str(const struct doc *d, const char *path, size_t max_len, const char **ret,
			    struct err *err);
MUST_CHECK int doc_read_int(const struct doc *d, const char *path, int64_t min, int64_t max,
			    int64_t *ret, struct err *err);
MUST_CHECK int doc_read_bool(const struct doc *d, const char *path, bool *ret, struct err *err);
MUST_CHECK int doc_read_list(const struct doc *d, const char *path, size_t max_count,
			     const struct doc **ret, struct err *err);
MUST_CHECK int doc_read_map(const struct doc *d, const char *path, size_t max_count,
			    const struct doc **ret, struct err *err);
MUST_CHECK int doc_opt_str(const struct doc *d, const char *path, size_t max_len, const char **ret,
			   struct err *err);
MUST_CHECK int doc_opt_int(const struct doc *d, const char *path, int64_t min, int64_t max,
			   int64_t *ret, struct err *err);
MUST_CHECK int doc_opt_bool(const struct doc *d, const char *path, bool *ret, struct err *err);
MUST_CHECK int doc_opt_list(const struct doc *d, const char *path, size_t max_count,
			    const struct doc **ret, struct err *err);
MUST_CHECK int doc_opt_map(const struct doc *d, const char *path, size_t max_count,
			   const struct doc **ret, struct err *err);

/*
 * Building. New values are owned by the caller until a setter takes them.
 */
struct doc *doc_new_null(void);
struct doc *doc_new_bool(bool v);
struct doc *doc_new_int(int64_t v);
struct doc *doc_new_real(double v); /* must be finite */
/* Copies. Bytes that are not UTF-8 become U+FFFD. */
struct doc *doc_new_str(const char *s);
struct doc *doc_new_strn(const char *s, size_t len);
/* A printed string, for short texts. */
struct doc *doc_new_strf(const char *fmt, ...) PRINTF_LIKE(1, 2);
struct doc *doc_new_list(void);
struct doc *doc_new_map(void);

/* Set a member; value is taken, an old one is released. The key is not a path. */
void doc_set(struct doc *map, const char *key, struct doc *value);
void doc_set_str(struct doc *map, const char *key, const char *s); /* NULL: does nothing */
void doc_set_int(struct doc *map, const char *key, int64_t v);
void doc_set_bool(struct doc *map, const char *key, bool v);
/* Set at a path of member names, making maps on the way (a value of another type on the way is
 * replaced). value is taken. */
void doc_set_path(struct doc *map, const char *path, struct doc *value);
/* Append; value is taken. */
void doc_add(struct doc *list, struct doc *value);
void doc_add_str(struct doc *list, const char *s);
/* True if it was there. */
bool doc_remove(struct doc *map, const char *key);
bool doc_remove_at(struct doc *list, size_t i);
/* The value at path for changing it, or NULL; borrowed. */
struct doc *doc_edit(struct doc *d, const char *path);

/*
 * Whole values.
 */
/* Same type and value; the order of members does not matter, 1 and 1.0 differ. NULL equals only
 * NULL. */
bool doc_equal(const struct doc *a, const struct doc *b);

enum doc_style {
	DOC_COMPACT = 0,
	DOC_SORTED = 1, /* members by the bytes of their keys: equal values, equal texts */
	DOC_PRETTY = 2, /* two blanks per level, for people */
};
/* Append as JSON; styles may be or-ed. ERR_TOO_BIG leaves b as it was. */
MUST_CHECK int doc_print(const struct doc *d, int style, struct buf *b, struct err *err);
/* The same as an owned string (mem_free), without a limit: for values we made ourselves. */
char *doc_print_text(const struct doc *d, int style);
/* Bytes of the compact text. */
size_t doc_size(const struct doc *d);

/* RFC 7386: target changed by patch. Neither is changed; the result is owned, not frozen, and
 * shares nothing. */
struct doc *doc_merge_patch(const struct doc *target, const struct doc *patch);
/* The patch that turns `from` into `to`, an empty map if they are equal; both maps, no nulls in
 * `to`. Owned. */
struct doc *doc_merge_diff(const struct doc *from, const struct doc *to);

/*
 * Kubernetes conditions: a list of maps with type, status ("True", "False", "Unknown"), reason,
 * message, lastTransitionTime, observedGeneration.
 */
/* The condition of this type in the list, or NULL. Borrowed. */
const struct doc *doc_condition(const struct doc *conditions, const char *type);
/* True if it is there with status "True". */
bool doc_condition_true(const struct doc *conditions, const char *type);

struct doc_condition {
	const char *type;
	const char *status;
	const char *reason;  /* CamelCase, not empty */
	const char *message; /* NULL = ""; cut to 1,024 bytes at a character */
	int64_t observed_generation;
	int64_t now_ms; /* wall clock */
};
/* Set or add. lastTransitionTime changes only when status does. True if anything changed. */
bool doc_condition_set(struct doc *conditions, const struct doc_condition *c);

#endif
