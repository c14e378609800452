/*
 * trial.h - one random kernel with its memory: compile, run in several ways, compare.
 *
 *     struct trial *t = trial_new(seed, wide, NULL);
 *
 *     if (t->m != NULL) ...            it compiled; t->error says why it did not
 *     trial_run_native(t, &a, err); trial_run_interp(t, &b); trial_compare(t, &a, &b, ...)
 */
#ifndef TEST_DIFFERENTIAL_TRIAL_H
#define TEST_DIFFERENTIAL_TRIAL_H

#include "base/arena.h"
#include "native/native.h"
#include "test/random/random.h"
#include "wgsl/wgsl.h"

struct trial {
	uint32_t seed;
	bool is_strict;
	uint64_t limit;
	struct random_kernel k;
	struct wgsl_module *m;
	struct err error;
	bool is_long; /* Strict code is long: some kernels have more instructions than they may */
	struct arena arena; /* of everything below and of memories */
};

/* What a run starts from and leaves, by wgsl_module.bindings. */
struct trial_memory {
	struct native_buffer buffers[WGSL_MAX_BINDINGS];
	struct native_chunk chunk;
	enum native_status status;
	uint64_t used; /* passes of counted loops */
};

/* The kernel of a seed; wide: may use f16, i64, u64, f64. A text is taken instead of the seed's. */
struct trial *trial_new(uint32_t seed, bool wide, struct buf *text);
void trial_free(struct trial *t);

/* The module for back ends that cannot divide exactly; NULL: as t->m, t->is_long. */
struct wgsl_module *trial_expanded(struct trial *t);

/* Fresh memory, the same for every run of a trial. */
void trial_memory_init(struct trial *t, struct trial_memory *mem);

MUST_CHECK int trial_run_native(struct trial *t, const struct native_options *o,
				struct trial_memory *mem, struct err *err);
void trial_run_interp(struct trial *t, struct trial_memory *mem);

/* Equal in all outputs of class worst or better? ERR_CONFLICT says where not. Adds the number of
 * words compared to *words. */
MUST_CHECK int trial_compare(const struct trial *t, const struct trial_memory *a,
			     const struct trial_memory *b, enum wgsl_class worst, uint64_t *words,
			     struct err *err);

#endif
