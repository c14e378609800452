/*
 * wgsl.h - compile WGSL text to a verified, typed module with its interface and analysis.
 *
 *     struct wgsl_diags diags = { 0 };
 *     AUTO(arena_done) struct arena arena = { 0 };
 *     struct wgsl_module *m;
 *
 *     if (wgsl_compile(&src, &arena, &m, &diags, err) < 0)
 *             wgsl_diags_print(&diags, &src, &out);
 *
 * Text is hostile: everything is bounded (see the limits below), nothing
 * recurses on input, no input crashes or hangs. The module, its names and the diagnostics live
 * in the arena. Pure: no I/O, no globals; several threads may compile at once.
 */
#ifndef WGSL_WGSL_H
#define WGSL_WGSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wgsl/ir.h"
#include "wgsl/type.h"

struct arena;
struct buf;

enum {
	WGSL_MAX_SOURCE = 256 * 1024, /* bytes */
	WGSL_MAX_NESTING = 128,       /* statements and types */
	WGSL_MAX_EXPR_DEPTH = 512,
	WGSL_MAX_INSTRUCTIONS = 65536, /* of the inlined call tree */
	WGSL_MAX_CALL_DEPTH = 64,
	WGSL_MAX_WORKGROUP_BYTES = 32 * 1024,
	WGSL_MAX_PRIVATE_BYTES = 8 * 1024, /* private variables of an invocation */
	/* Those and the structs, arrays and matrices of functions, with all calls expanded; what
	 * does not live at the same time shares memory. */
	WGSL_MAX_EXPANDED_BYTES = 32 * 1024,
	WGSL_MAX_INVOCATIONS = 1024, /* of a work-group */
	WGSL_MAX_BINDINGS = 64,
	WGSL_MAX_ERRORS = 20, /* diagnostics kept */
};

/* ---- source and diagnostics ------------------------------------------------------------- */

/* The value of an override: the key is its decimal @id, or its name if it has none. */
struct wgsl_constant {
	const char *name;
	double value; /* exact for every i32, u32, f32, bool */
};

struct wgsl_source {
	const char *text; /* need not end in NUL */
	size_t len;
	const char *file;        /* shown in diagnostics; NULL: "kernel.wgsl" */
	const char *entry_point; /* NULL: the only one */
	const struct wgsl_constant *constants;
	size_t n_constants;
	/* Strict numerics: every f32 operation gets fixed bits (docs/numerics.md 6). Functions are
	 * expanded into operations that have them; DIV and SQRT stay instructions that the back
	 * end must round correctly (wgsl_inst.is_strict) unless strict_division says that it
	 * cannot: then they are expanded as well, to the same bits. */
	bool strict;
	bool strict_division; /* only with strict */
};

enum wgsl_severity {
	WGSL_ERROR,
	WGSL_WARNING,
	WGSL_NOTE, /* belongs to the error or warning before it */
};

struct wgsl_diag {
	enum wgsl_severity severity;
	uint32_t line;       /* from 1 */
	uint32_t column;     /* from 1, in code points */
	uint32_t offset;     /* bytes */
	uint32_t length;     /* bytes, at least 1 except at the end of the text */
	const char *message; /* owned by the arena */
};

struct wgsl_diags {
	struct wgsl_diag *list; /* owned by the arena */
	size_t n;
	size_t n_errors; /* also those that were not kept */
};

/* Append "kernel.wgsl:3:7: error: message", the source line and a caret line, for each. */
void wgsl_diags_print(const struct wgsl_diags *d, const struct wgsl_source *src, struct buf *out);

/* ---- the interface of a compiled module ------------------------------------------------- */

/* How far equal bits can be expected of an output. */
enum wgsl_class {
	WGSL_CLASS_EXACT,         /* no float reaches it, by data or control */
	WGSL_CLASS_DETERMINISTIC, /* floats, but only operations with fixed bits */
	WGSL_CLASS_TOLERANCE,
};

enum wgsl_order {
	WGSL_ORDER_PROVED,  /* the order of invocations cannot be seen in it */
	WGSL_ORDER_ASSUMED, /* not proved */
};

/* What a device must be able to do so that digests of the outputs agree. */
struct wgsl_needs {
	bool rte;        /* f32 rounds to nearest even */
	bool denorm;     /* subnormals are kept */
	bool infnan;     /* infinities, NaN and signed zeros are kept */
	bool nocontract; /* no fusing, no reassociation */
	/* These are needed to run at all. */
	bool f16;               /* loads or stores of 16 bits */
	bool i64;               /* values of i64 or u64 */
	bool f64;               /* values of f64; rte, denorm ... then hold for f64 too */
	bool subgroup;          /* subgroup operations */
	uint32_t subgroup_size; /* and of this size; 0: of any */
};

/* A number that a chunk decides: `factor`, times the u32 or i32 at `offset` of the uniform variable
 * (group, binding) if has_uniform. */
struct wgsl_term {
	uint32_t factor;
	bool has_uniform;
	uint32_t group, binding, offset;
};

/*
 * WGSL_ORDER_PROVED may depend on the chunk: it holds where all conditions do. The number of
 * invocations in dimension `axis` (0 x, 1 y, 2 z) must be at most the uniform field at
 * `uniform_offset` of (group, binding) or, without has_uniform, at most `at_most`.
 *
 * is_fit says that indices stay inside of the output instead (at_most is then UINT32_MAX):
 * base[0] + base[1] + sum over axes of (invocations - 1) * stride, without wrapping, is less than
 * its number of elements. Indices beyond it would all be clamped to the last element.
 *
 * On an axis with a bit in `groups` not invocations are counted but work-groups, of which one
 * invocation each gets to the output.
 */
struct wgsl_condition {
	bool has_uniform;
	uint32_t group, binding, uniform_offset;
	uint32_t axis;
	uint32_t at_most;
	bool is_fit;
	struct wgsl_term base[2];
	struct wgsl_term stride[3];
	uint32_t groups;  /* bit k: axis k */
	const char *text; /* "invocations in x <= params.width" */
};

enum { WGSL_MAX_CONDITIONS = 4 };

/* A resource variable. Outputs are those with space STORAGE and access READ_WRITE. */
struct wgsl_binding {
	uint32_t group, binding;
	const char *name;
	enum wgsl_space space; /* UNIFORM or STORAGE */
	enum wgsl_access access;
	const struct wgsl_type *type; /* store type */
	uint32_t min_size;            /* bytes, with one element of a runtime-sized array */
	/* Where a trailing runtime-sized array begins and how far its elements are apart;
	 * stride 0: there is none. */
	uint32_t array_offset, array_stride;
	bool is_used; /* statically used by the entry point */
	/* Outputs only. */
	bool is_output;
	enum wgsl_class numeric_class;
	const char *class_reason; /* for people, never NULL for outputs */
	enum wgsl_order order;
	const char *order_reason;
	struct wgsl_condition conditions[WGSL_MAX_CONDITIONS]; /* Proved holds if all do */
	uint32_t n_conditions;
};

struct wgsl_override {
	const char *name;
	const struct wgsl_type *type; /* bool, i32, u32, f16, f32, f64 */
	bool has_id;
	uint32_t id;
	bool has_default;
	double value; /* in force; 0 where nothing gives one (then nothing uses it) */
};

struct wgsl_module {
	const char *entry_point;
	uint32_t workgroup_size[3];
	uint32_t subgroup_size; /* @subgroup_size: a power of two, 4 to 128; 0: the device's */
	struct wgsl_fn fn;
	struct wgsl_var **vars; /* every variable of the inlined function, by id */
	uint32_t n_vars;
	struct wgsl_binding *bindings; /* of the entry point, by group and binding */
	uint32_t n_bindings;
	struct wgsl_override *overrides;
	uint32_t n_overrides;
	uint32_t workgroup_bytes; /* of workgroup variables */
	uint32_t private_bytes;   /* of private and function variables, per invocation */
	bool uses_barriers;
	bool uses_workgroup_memory;
	bool uses_subgroups; /* functions or built-in values of subgroups, or their size */
	bool needs_counter;  /* some loop does */
	/*
	 * For devices that cut loops: what all loops of an invocation may cost together is at most
	 *     bounded_passes + passes_factor * counted passes
	 * where a pass costs 1, leaving a loop 1, and lanes that go on in lockstep pay for each
	 * other. Saturated. bounded_passes is what is known without counting.
	 */
	uint32_t bounded_passes;
	uint32_t passes_factor; /* at least 1 */
	/* Reads only x (or x and y) of the built-in ids: 1, 2 or 3 dimensions. */
	uint32_t dimensions;
	enum wgsl_class numeric_class; /* the weakest of the outputs */
	enum wgsl_order order;
	struct wgsl_needs needs;
};

/*
 * Compile one entry point. ERR_INVALID: the text is wrong, diags says where and why and err has
 * the first error as one line; ERR_TOO_BIG: the source is above WGSL_MAX_SOURCE. *ret
 * lives in the arena. Warnings may be in diags on success.
 */
MUST_CHECK int wgsl_compile(const struct wgsl_source *src, struct arena *arena,
			    struct wgsl_module **ret, struct wgsl_diags *diags, struct err *err);

/* Binding by variable name; NULL if there is none. */
const struct wgsl_binding *wgsl_find_binding(const struct wgsl_module *m, const char *name);

/*
 * How SPIR-V makes variables zero, for which it counts as above. What has more parts (scalars,
 * vectors, columns) than WGSL_ZERO_PARTS is large: its arrays and matrices that are large become
 * zero in loops over their elements, as many in a pass as have so many parts, the rest after it.
 */
enum { WGSL_ZERO_PARTS = 32 };
bool wgsl_zero_is_large(const struct wgsl_type *t);
/* Of a large array or matrix: elements in a pass. */
uint32_t wgsl_zero_step(const struct wgsl_type *t);
uint64_t wgsl_zero_cost(const struct wgsl_type *t);
/* Of a work-group's variable, each of whose arrays its invocations share. */
uint64_t wgsl_zero_shared_cost(const struct wgsl_type *t, uint32_t invocations);

const char *wgsl_class_name(enum wgsl_class c); /* "Exact" ... as in API.md */
const char *wgsl_order_name(enum wgsl_order o);

#endif
