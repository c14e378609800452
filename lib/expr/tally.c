/* tally.c - why nodes do not match, counted; see predicate.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expr/predicate.h"
#include "expr/predicate_int.h"

enum { MAX_PHRASE = 200 };

/* A reason as said of one node and of several. */
struct phrase {
	struct buf one;
	struct buf many;
};

static void phrase_done(struct phrase *p)
{
	buf_done(&p->one);
	buf_done(&p->many);
}

struct node {
	const struct expr_caps *caps;
	const void *node;
};

/* "lacks vulkan" / "lack vulkan": the verb, then key, middle and value. */
static void say(struct phrase *p, const char *one, const char *many, const char *rest)
{
	const char *join = p->many.len > 0 ? " and " : "";

	buf_note(&p->one, "%s%s %s", join, one, rest);
	buf_note(&p->many, "%s%s %s", join, many, rest);
}

static void say_has(struct phrase *p, const char *key, const char *middle, const char *value)
{
	AUTO(buf_done) struct buf rest = { .max = MAX_PHRASE };

	buf_note(&rest, "%s%s%s", key, middle, value);
	say(p, "has", "have", buf_str(&rest));
}

static void explain_num(const struct expr_test *t, const struct node *n, bool want,
			struct phrase *p)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
	static const char *const opposite[] = { "!=", "==", ">=", ">", "<=", "<" };
	double number;

	if (!n->caps->num(n->node, t->key, &number))
		say_has(p, "no ", t->key, "");
	else
		say_has(p, t->key, want ? opposite[t->compare] : ops[t->compare], t->value);
}

static void explain(const struct expr_test *t, const struct node *n, bool want, struct phrase *p);

/* Only the first part that is to blame, or all of them. */
static void explain_parts(const struct expr_test *t, const struct node *n, bool want, bool all,
			  struct phrase *p)
{
	for (size_t i = 0; i < t->n_parts; i++) {
		if (expr_test_match(t->parts[i], n->caps, n->node) == want)
			continue;
		explain(t->parts[i], n, want, p);
		if (!all)
			return;
	}
}

/* Why t is not `want` for this node. */
static void explain(const struct expr_test *t, const struct node *n, bool want, struct phrase *p)
{
	switch (t->kind) {
	case TEST_ANY:
		say(p, "is", "are", "excluded");
		break;
	case TEST_HAS:
		say(p, want ? "lacks" : "has", want ? "lack" : "have", t->key);
		break;
	case TEST_ATTR:
		if (n->caps->attr(n->node, t->key) == NULL)
			say_has(p, "no ", t->key, "");
		else
			say_has(p, t->key, want ? "!=" : "=", t->value);
		break;
	case TEST_NUM:
		explain_num(t, n, want, p);
		break;
	case TEST_NOT:
		explain(t->parts[0], n, !want, p);
		break;
	case TEST_AND:
		explain_parts(t, n, want, !want, p);
		break;
	case TEST_OR:
		explain_parts(t, n, want, want, p);
		break;
	}
}

static void count_reason(struct expr_tally *t, const char *one, const char *many)
{
	for (size_t i = 0; i < t->n_reasons; i++) {
		if (strcmp(t->reasons[i].many, many) == 0) {
			t->reasons[i].count++;
			return;
		}
	}
	if (t->n_reasons == EXPR_MAX_REASONS) {
		t->other++;
		return;
	}
	mem_reserve(&t->reasons, &t->cap, t->n_reasons, sizeof(*t->reasons));
	t->reasons[t->n_reasons++] =
	    (struct expr_reason){ .one = mem_strdup(one), .many = mem_strdup(many), .count = 1 };
}

void expr_tally_note(struct expr_tally *t, const char *one, const char *many)
{
	t->nodes++;
	count_reason(t, one, many);
}

bool expr_tally_match(struct expr_tally *t, const struct expr_predicate *p,
		      const struct expr_caps *caps, const void *node)
{
	struct node n = { .caps = caps, .node = node };
	AUTO(phrase_done)
	struct phrase why = { .one = { .max = MAX_PHRASE }, .many = { .max = MAX_PHRASE } };

	if (expr_predicate_match(p, caps, node)) {
		t->nodes++;
		t->matching++;
		return true;
	}
	explain(p->root, &n, true, &why);
	expr_tally_note(t, buf_str(&why.one), buf_str(&why.many));
	return false;
}

static int compare_reasons(const void *a, const void *b)
{
	const struct expr_reason *const *x = a;
	const struct expr_reason *const *y = b;

	if ((*x)->count != (*y)->count)
		return (*x)->count > (*y)->count ? -1 : 1;
	return strcmp((*x)->many, (*y)->many);
}

void expr_tally_print(const struct expr_tally *t, struct buf *b)
{
	const struct expr_reason *order[EXPR_MAX_REASONS];

	for (size_t i = 0; i < t->n_reasons; i++)
		order[i] = &t->reasons[i];
	if (t->n_reasons > 0)
		qsort(order, t->n_reasons, sizeof(const struct expr_reason *), compare_reasons);
	buf_note(b, "%llu/%llu nodes", (unsigned long long)t->matching,
		 (unsigned long long)t->nodes);
	for (size_t i = 0; i < t->n_reasons; i++)
		buf_note(b, "%s %llu %s", i == 0 ? ":" : ",", (unsigned long long)order[i]->count,
			 order[i]->count == 1 ? order[i]->one : order[i]->many);
	if (t->other > 0)
		buf_note(b, ", %llu for other reasons", (unsigned long long)t->other);
}

void expr_tally_done(struct expr_tally *t)
{
	for (size_t i = 0; i < t->n_reasons; i++) {
		mem_free(t->reasons[i].one);
		mem_free(t->reasons[i].many);
	}
	mem_free(t->reasons);
	*t = (struct expr_tally){ 0 };
}
