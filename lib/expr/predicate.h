/*
 * predicate.h - placement predicates (spec.where) and why nodes do not match.
 *
 *     or      = and { ( "or" | "||" ) and }
 *     and     = not { ( "and" | "&&" ) not }
 *     not     = ( "not" | "!" ) not | "(" or ")" | "any" | test
 *     test    = "has" "(" string ")" | "attr" "(" string "," string ")"
 *             | "num" "(" string ")" ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) number
 *
 * Strings stand in double quotes; \" and \\ are the only escapes. A number the node does not have
 * makes its test false, whatever the comparison. The empty text matches every node, like `any`.
 */
#ifndef EXPR_PREDICATE_H
#define EXPR_PREDICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { EXPR_MAX_PREDICATE = 4096 /* bytes */, EXPR_MAX_REASONS = 64 };

/* What a node can do. All three functions are required. */
struct expr_caps {
	bool (*has)(const void *node, const char *token);
	/* The value, NULL if the node has no such attribute. */
	const char *(*attr)(const void *node, const char *key);
	/* False if the node has no such number. */
	bool (*num)(const void *node, const char *key, double *ret);
};

struct expr_predicate;

/* ERR_INVALID: "column N: ..., expected ..."; *ret is owned. */
MUST_CHECK int expr_predicate_compile(const char *text, size_t len, struct expr_predicate **ret,
				      struct err *err);
void expr_predicate_free(struct expr_predicate *p); /* accepts NULL */
void expr_predicate_freep(struct expr_predicate **p);

bool expr_predicate_match(const struct expr_predicate *p, const struct expr_caps *caps,
			  const void *node);

/*
 * Why so few nodes match: a count of reasons over many nodes. Zero is empty.
 *
 *     struct expr_tally t = { 0 };
 *     for each node:
 *             if (node->paused)
 *                     expr_tally_note(&t, "is paused", "are paused");
 *             else
 *                     expr_tally_match(&t, predicate, &caps, node);
 *     expr_tally_print(&t, &why);            "0/12 nodes: 7 lack vulkan, 5 have region!=us-east"
 *     expr_tally_done(&t);
 */
struct expr_reason {
	char *one;  /* owned: "lacks vulkan" */
	char *many; /* owned: "lack vulkan" */
	uint64_t count;
};

struct expr_tally {
	uint64_t nodes;
	uint64_t matching;
	struct expr_reason
	    *reasons; /* owned; at most EXPR_MAX_REASONS, the rest is counted in other */
	size_t n_reasons;
	size_t cap;
	uint64_t other;
};

/* Count a node; true if it matches. */
bool expr_tally_match(struct expr_tally *t, const struct expr_predicate *p,
		      const struct expr_caps *caps, const void *node);
/* Count a node that does not match for another reason, as said of one node and of several. */
void expr_tally_note(struct expr_tally *t, const char *one, const char *many);
/* "MATCHING/NODES nodes: N reason, ...", most frequent first; cut to what fits into b. */
void expr_tally_print(const struct expr_tally *t, struct buf *b);
void expr_tally_done(struct expr_tally *t);

#endif
