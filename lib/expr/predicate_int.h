/* predicate_int.h - the tree of a predicate; for lib/expr only. */
#ifndef EXPR_PREDICATE_INT_H
#define EXPR_PREDICATE_INT_H

#include "expr/predicate.h"

enum expr_test_kind { TEST_ANY, TEST_HAS, TEST_ATTR, TEST_NUM, TEST_NOT, TEST_AND, TEST_OR };

enum expr_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

struct expr_test {
	enum expr_test_kind kind;
	char *key;   /* owned: HAS, ATTR, NUM */
	char *value; /* owned: ATTR; NUM: the number as it was written */
	enum expr_compare compare;
	double number;
	struct expr_test **parts; /* owned: NOT (one), AND, OR (one or more) */
	size_t n_parts;
	size_t cap;
};

struct expr_predicate {
	struct expr_test *root; /* owned */
};

bool expr_test_match(const struct expr_test *t, const struct expr_caps *caps, const void *node);

#endif
