/*
 * compile.h - compile WGSL text in a test and look at what came out.
 */
#ifndef TEST_UNIT_WGSL_COMPILE_H
#define TEST_UNIT_WGSL_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "wgsl/wgsl.h"

struct compiled {
	struct arena arena;
	struct wgsl_module *m; /* NULL: it was refused */
	struct wgsl_diags diags;
	struct err err;
	struct buf text; /* for printing */
};

/* Compile and, on success, verify the IR. */
void compile(struct compiled *c, const char *text);
void compile_source(struct compiled *c, const struct wgsl_source *src);
void compiled_done(struct compiled *c);

/* The first error as "line:column: message", "" if there is none. Borrowed. */
const char *first_error(struct compiled *c);

/* A text, and what is said first about it ("line:column: message"): a golden of a diagnostic, which
 * hack/check-goldens.py looks for. */
struct compiled_row {
	const char *text;
	const char *want;
};

/* Fail if the first error of a row's text, compiled by `by`, is another one. */
void check_first_errors(void (*by)(struct compiled *c, const char *text),
			const struct compiled_row *rows, size_t n);

/* `body` as the body of an entry point of 64 invocations with global id `id`, an input
 * in: array<f32>, words: array<u32>, a uniform u: vec4<u32>, workgroup w: array<u32, 64>, and
 * outputs o: array<u32>, f: array<f32>, at: atomic<u32>. */
void compile_body(struct compiled *c, const char *body);
/* The same with f16 and subgroups, and n: subgroup_size, s: subgroup_invocation_id, g: subgroup_id,
 * many: num_subgroups. */
void compile_subgroup_body(struct compiled *c, const char *body);

/* The kernels of the example jobs. */
extern const char *const kernel_pi;
extern const char *const kernel_primes;
extern const char *const kernel_mandelbrot;
extern const char *const kernel_matmul;
extern const char *const kernel_scale_add;
extern const char *const kernel_reducers;

#endif
