/*
 * random.h - random kernels that are valid WGSL, from a seed or from the bytes of a fuzzer.
 *
 *     struct random_choices c = { .state = seed };
 *     struct random_kernel k = { 0 };
 *
 *     random_features(&c, &f);
 *     random_make(&c, &f, &k);         k.text, k.invocations, k.sizes: what to run
 *     random_kernel_done(&k);
 *
 * They use the whole language: all scalars, vectors and matrices, arrays and structures, functions
 * with pointers as parameters, all statements, workgroup memory between barriers, atomics and all
 * built-in functions. No result depends on the order of invocations: each writes only its own
 * elements, adds to what all share, or waits at a barrier. All loops end.
 *
 * A kernel that does not compile is a fault of the compiler (or of this generator).
 */
#ifndef TEST_RANDOM_RANDOM_H
#define TEST_RANDOM_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Where choices come from: the bytes, if there are any, and then always 0, which ends everything
 * soon; otherwise the generator of pseudo-random numbers in `state`. */
struct random_choices {
	const uint8_t *bytes; /* borrowed; NULL: from state */
	size_t n;
	uint32_t state;
};

/* A number below n (1 to 65536). */
uint32_t random_choose(struct random_choices *c, uint32_t n);

struct random_features {
	bool floats; /* f32, also in conditions */
	bool math;   /* operations without fixed bits: class Tolerance, but for strict */
	bool f16, i64, f64;
	uint32_t length; /* statements of the entry point, about */
};

/* Some features, each with its share; wide types only where they are allowed. */
void random_features(struct random_choices *c, bool wide, struct random_features *ret);

/* @binding(n) of group 0; some kernels leave some out. */
enum random_binding {
	RANDOM_UNIFORM, /* vec4<u32> */
	RANDOM_WORDS,   /* array<u32>, read */
	RANDOM_REALS,   /* array<f32>, read */
	RANDOM_OUT,     /* array<u32>: one for each invocation, as all below */
	RANDOM_OUT_REALS,
	RANDOM_OUT_RECORDS, /* array of a structure */
	RANDOM_OWN,         /* array<atomic<i32>> */
	RANDOM_SUMS,        /* array<atomic<u32>, 6>: of all invocations */
	RANDOM_BINDINGS,
};

struct random_kernel {
	struct buf text;
	uint32_t invocations[3];
	uint32_t sizes[RANDOM_BINDINGS]; /* bytes */
	uint32_t uniform[4];
};

void random_make(struct random_choices *c, const struct random_features *f,
		 struct random_kernel *ret);
void random_kernel_done(struct random_kernel *k);

/* Change a text here and there, in whole tokens: repeat, remove, exchange, replace by others. */
void random_mutate(struct random_choices *c, struct buf *text);

#endif
