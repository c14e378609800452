/*
 * compare.h - recorded answers of the other compilers, and how ours may differ from them.
 *
 * golden.txt, written by oracles.mjs:
 *
 *     kernel NAME naga=accept dawn=accept      accept, reject, none (cannot tell), crash
 *     GROUP.BINDING WORD ...                   what Dawn left in a read-write buffer, hexadecimal
 *
 * differences.txt, written by us; "|" lines quote the specification or give the reason:
 *
 *     naga|dawn GLOB verdict                   it is wrong, or an extension
 *     dawn GLOB flush|zero|nan|any|ulp N|abs N its words may differ so:
 *     ours GLOB verdict                        not supported by us (yet): refused by name
 *     ours GLOB any                            our native code refuses to run it
 *     lavapipe|swiftshader GLOB KIND           our SPIR-V on that device against our native code
 *
 * flush: subnormal equals zero; zero: the sign of zero; nan: where either is NaN or infinite; any:
 * not compared.
 */
#ifndef TEST_ORACLE_COMPARE_H
#define TEST_ORACLE_COMPARE_H

#include "base/map.h"
#include "kernels.h"
#include "ours.h"

struct answer {
	const char *naga, *dawn;
	uint32_t *words[KERNEL_MAX_BINDS]; /* by the kernel's bindings; NULL: none recorded */
};

enum difference_kind {
	DIFFERENCE_VERDICT,
	DIFFERENCE_FLUSH,
	DIFFERENCE_ZERO,
	DIFFERENCE_NAN,
	DIFFERENCE_ANY,
	DIFFERENCE_ULP,
	DIFFERENCE_ABS,
};

struct difference {
	const char *who, *glob;
	enum difference_kind kind;
	double amount;
	uint32_t line;
	bool is_needed; /* some comparison fails without it */
};

struct differences {
	struct difference *list;
	size_t n;
};

/* *ret: from kernel name to struct answer; free it with map_done(ret, NULL). */
MUST_CHECK int golden_load(const char *path, const struct kernels *all, struct arena *arena,
			   struct map *ret, struct err *err);
MUST_CHECK int differences_load(const char *path, struct arena *arena, struct differences *ret,
				struct err *err);

/* Are the specification's verdict, Dawn's, naga's and ours the same, but for differences? Sets
 * is_needed. ERR_CONFLICT says what differs. */
MUST_CHECK int compare_verdicts(const struct kernel *k, const struct answer *a,
				const struct ours *o, struct differences *d, struct err *err);

/* The words that `who` left (by the kernel's bindings, NULL: not known) against ours. */
MUST_CHECK int compare_words(const struct kernel *k, const char *who, uint32_t *const *words,
			     const struct ours *o, struct differences *d, struct err *err);

/* Is it listed that our native code refuses the kernel? */
bool compare_is_refused(const struct kernel *k, struct differences *d);

/* "verdict", "flush", ... */
const char *difference_name(enum difference_kind kind);

#endif
