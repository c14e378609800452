/*
 * ours.h - what our own compiler and native back end say of a kernel.
 */
#ifndef TEST_ORACLE_OURS_H
#define TEST_ORACLE_OURS_H

#include "kernels.h"
#include "wgsl/wgsl.h"

struct ours {
	struct wgsl_module *m; /* NULL: refused */
	const char *error;     /* first error as "line:column: message" */
	struct wgsl_diags diags;
	/* After ours_run, by the kernel's bindings: the words afterwards, NULL for inputs. */
	uint32_t *words[KERNEL_MAX_BINDS];
};

/* Compile and verify. Everything lives in the arena. ERR_INVALID: a broken module, never a
 * refusal. */
MUST_CHECK int ours_compile(const struct kernel *k, struct arena *arena, struct ours *ret,
			    struct err *err);

/* Run natively from the kernel's words. ERR_INVALID: no run (said why). */
MUST_CHECK int ours_run(const struct kernel *k, struct ours *o, struct arena *arena,
			struct err *err);

/* What a run needs: buffers in place (o->words and copies of inputs) and the grid. buffers: one for
 * each binding of o->m. */
struct native_buffer;
struct native_chunk;
MUST_CHECK int ours_chunk(const struct kernel *k, struct ours *o, struct arena *arena,
			  struct native_buffer *buffers, struct native_chunk *chunk,
			  struct err *err);

#endif
