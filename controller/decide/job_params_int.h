/* job_params_int.h - what job_params.c (evaluating) and job_fit.c (compiling) share. */
#ifndef DECIDE_JOB_PARAMS_INT_H
#define DECIDE_JOB_PARAMS_INT_H

#include "controller/decide/job_params.h"
#include "expr/expr.h"
#include "expr/params.h"

/* A scalar of a uniform and where its value comes from. */
struct field {
	const char *name; /* borrowed: from the kernel */
	const struct wire_leaf *leaf;
	enum expr_type type;
	int slot;
	size_t offset; /* in the concatenated uniforms */
};

struct input {
	const struct wire_binding *binding;
	size_t spec; /* entry of spec.inputs */
	struct expr *offset;
	struct expr *length;
	uint64_t unit; /* bytes of an element */
};

struct output {
	const struct wire_binding *binding;
	size_t spec;         /* entry of spec.outputs */
	struct expr *length; /* NULL: no runtime-sized array */
	struct job_extent extent;
	uint64_t *first; /* owned: per chunk; NULL if nobody asks */
};

struct job_params {
	const struct job_spec *spec;
	const struct wire_kernel *kernel;
	struct doc *manifest; /* a reference, or NULL */
	int64_t count;
	struct expr_params *params;
	struct field *fields;
	size_t n_fields;
	size_t uniform_size;
	struct expr *grid[3];
	size_t grid_output; /* its elements are the invocations; SIZE_MAX: none */
	bool whole_groups;
	struct input inputs[WIRE_MAX_BINDINGS];
	size_t n_inputs;
	struct output outputs[WIRE_MAX_BINDINGS];
	size_t n_outputs;
	/* Scratch for one evaluation: everything belongs to one thread. */
	struct expr_value *values;
	/* The first condition of an order proof that does not hold, of which output and in which
	 * chunk; NULL: all hold. */
	const struct wire_condition *broken;
	size_t broken_output;
	uint32_t broken_chunk;
	uint64_t broken_elements;
	/* While it is made: what does not fit, one line each. */
	struct buf problems;
	size_t n_problems;
};

MUST_CHECK int job_params_values(const struct job_params *p, uint32_t chunk, struct err *err);

#endif
