/*
 * kernel.h - what the compiler found out about a kernel (reflection), as a value that travels
 * from the runner to the controller, the agent and the CLI.
 *
 * A decoded value lives in the arena it was decoded into. All sizes and offsets are bytes unless
 * they say elements. A *scalar* is one number; vectors, arrays and structs are seen as scalars at
 * ascending offsets, which is the order of the elements of a result.
 */
#ifndef WIRE_KERNEL_H
#define WIRE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_scalar {
	WIRE_I32 = 1,
	WIRE_U32 = 2,
	WIRE_F32 = 3,
	WIRE_I64 = 4,
	WIRE_U64 = 5,
	WIRE_F64 = 6,
	WIRE_F16 = 7, /* not in outputs */
};

enum wire_role {
	WIRE_UNIFORM = 1, /* filled from spec.chunks.params */
	WIRE_INPUT = 2,   /* read-only storage: spec.inputs */
	WIRE_OUTPUT = 3,  /* read_write storage: spec.outputs */
};

/* As API.md writes them; ordered from strong to weak. */
enum wire_class { WIRE_EXACT = 1, WIRE_DETERMINISTIC = 2, WIRE_TOLERANCE = 3 };
enum wire_order_proof { WIRE_PROVED = 1, WIRE_ASSUMED = 2 };

/* What a device must be able to do so that digests agree (bits of needs and abilities). */
enum wire_need {
	WIRE_NEED_RTE = 1,        /* f32 rounds to nearest even */
	WIRE_NEED_DENORM = 2,     /* subnormals are kept */
	WIRE_NEED_INFNAN = 4,     /* infinities, NaN, signed zeros are kept */
	WIRE_NEED_NOCONTRACT = 8, /* no fusing, no reassociation */
	WIRE_NEED_LOOPS64K = 16,  /* more than 65,535 iterations of one invocation */
	/* Without these a kernel does not run at all. */
	WIRE_NEED_F16 = 32,       /* loads and stores of 16 bits */
	WIRE_NEED_I64 = 64,       /* values of i64 and u64 */
	WIRE_NEED_F64 = 128,      /* values of f64, with the other needs for them too */
	WIRE_NEED_SUBGROUP = 256, /* subgroup operations */
	/* Subgroups of a size that the kernel chooses (wire_need_of_size). */
	WIRE_NEED_SUBGROUP_4 = 512,
	WIRE_NEED_SUBGROUP_8 = 1024,
	WIRE_NEED_SUBGROUP_16 = 2048,
	WIRE_NEED_SUBGROUP_32 = 4096,
	WIRE_NEED_SUBGROUP_64 = 8192,
	WIRE_NEED_SUBGROUP_128 = 16384,
	WIRE_NEEDS_SIZES = 32256, /* all of these */
	WIRE_NEEDS_TO_RUN =
	    WIRE_NEED_F16 | WIRE_NEED_I64 | WIRE_NEED_F64 | WIRE_NEED_SUBGROUP | WIRE_NEEDS_SIZES,
	WIRE_NEEDS_ALL = 32767,
};

enum {
	WIRE_MAX_BINDINGS = 64,
	WIRE_MAX_LEAVES = 16384, /* scalars of all uniforms */
	WIRE_MAX_LANES = 4096,   /* of one binding */
	WIRE_MAX_NAME = 256,
	WIRE_MAX_PATH = 512,
	WIRE_MAX_REASON = 1024,
	WIRE_MAX_CONDITIONS = 4,
	WIRE_SHORT_LOOPS = 60000, /* passes that every device makes */
};

/* One scalar of a uniform, by its path within the struct: "num_samples", "origin.x",
 * "weights[3]", "m[2][0]"; of a uniform that is itself a vector, a matrix or an array with its
 * name: "grid.x"; "" for one that is itself a scalar. */
struct wire_leaf {
	const char *path;
	uint32_t offset;
	enum wire_scalar type;
};

/* `count` scalars of one type, `stride` bytes apart, the first at `offset`. */
struct wire_lane {
	uint32_t offset;
	uint32_t count;
	uint32_t stride;
	enum wire_scalar type;
};

/* A number that a chunk decides: factor, times the u32 or i32 at `offset` of the uniform (group,
 * binding) if has_uniform. All zero: 0. */
struct wire_term {
	uint32_t factor;
	bool has_uniform;
	uint32_t group, binding, offset;
};

enum wire_condition_kind {
	WIRE_COND_AT_MOST = 0,
	WIRE_COND_FITS = 1,
};

/*
 * The order proof of an output holds for a chunk if each of its conditions does.
 * WIRE_COND_AT_MOST: the uniform scalar at uniform_offset of binding (group, binding) - or, without
 * has_uniform, the constant at_most - is at least the number of invocations in dimension axis.
 * WIRE_COND_FITS: base[0] + base[1] + the sum over axes of (invocations - 1) * stride, without
 * passing 2^32, is less than the number of elements of the output's runtime-sized array.
 * On an axis with a bit in groups work-groups count instead of invocations: there are no more of
 * them, so a reader that does not know the field is stricter.
 * wire_condition_holds decides.
 */
struct wire_condition {
	bool has_uniform;
	uint32_t group, binding, uniform_offset;
	uint32_t axis;
	uint32_t at_most;
	const char *text;
	enum wire_condition_kind kind;
	struct wire_term base[2];
	struct wire_term stride[3];
	uint32_t groups;
};

struct wire_binding {
	uint32_t group, binding;
	const char *name;
	enum wire_role role;
	uint32_t fixed_size; /* without the trailing runtime-sized array */
	/* The trailing runtime-sized array: where it begins and how far its elements are apart;
	 * stride 0: there is none. Its elements hold array_lanes (offsets within one element). */
	uint32_t array_offset, array_stride;
	const struct wire_lane *lanes; /* of the fixed part */
	const struct wire_lane *array_lanes;
	uint32_t n_lanes;
	uint32_t n_array_lanes;
	const struct wire_leaf *leaves; /* uniforms only */
	uint32_t n_leaves;
	/* outputs only */
	enum wire_class numeric_class;
	const char *class_reason;
	enum wire_order_proof order;
	uint32_t n_conditions;
	const char *order_reason;
	struct wire_condition conditions[WIRE_MAX_CONDITIONS];
};

struct wire_kernel {
	const char *entry_point;
	uint32_t workgroup_size[3];
	bool uses_barriers;
	bool uses_workgroup_memory;
	bool needs_counter; /* a loop is not bounded by construction */
	/* What all loops of an invocation cost on a device that cuts them is at most bounded_passes
	 * + passes_factor * counted passes; saturated. Exact meaning: wgsl.h. */
	uint32_t bounded_passes;
	uint32_t passes_factor;
	uint32_t dimensions;           /* of the ids that the kernel reads: 1, 2 or 3 */
	uint32_t needs;                /* enum wire_need */
	enum wire_class numeric_class; /* the weakest of the outputs */
	enum wire_order_proof order;
	const struct wire_binding *bindings; /* by group, then binding; only those in use */
	uint32_t n_bindings;
	const char *warnings; /* printed diagnostics, "" if none */
};

/* Counted passes that an invocation may make so that all its loops together stay within `most`; 0:
 * not even the loops that are not counted do. */
uint32_t wire_counted_passes(const struct wire_kernel *k, uint32_t most);

/* needs, for orders that allow so many iterations per invocation (0: no limit): without
 * WIRE_NEED_LOOPS64K if they keep the loops short. */
uint32_t wire_kernel_needs(const struct wire_kernel *k, uint64_t iterations);

/* By variable name; NULL if there is none. */
const struct wire_binding *wire_find_binding(const struct wire_kernel *k, const char *name);

/* Scalars in the binding when its runtime-sized array has n elements (0 if it has none). */
uint64_t wire_binding_scalars(const struct wire_binding *b, uint64_t n);

/* Bytes of the binding when its runtime-sized array has n elements. */
uint64_t wire_binding_bytes(const struct wire_binding *b, uint64_t n);

/* True if condition c of the output holds for a chunk with this logical grid, these uniforms (all
 * uniform bindings, concatenated in binding order) and this many elements in the output. */
bool wire_condition_holds(const struct wire_kernel *k, const struct wire_condition *c,
			  const uint64_t grid[3], const void *uniforms, size_t uniforms_size,
			  uint64_t elements);

/* The type that all scalars of the binding share; 0 if they differ. */
enum wire_scalar wire_binding_type(const struct wire_binding *b);

uint32_t wire_scalar_size(enum wire_scalar t);
const char *wire_scalar_name(enum wire_scalar t); /* "u32" */
/* For subgroups of this size, a power of two from 4 to 128. */
enum wire_need wire_need_of_size(uint32_t size);
/* Of one bit, as numericProfile has it: "rte32", "f16", "subgroup32". */
const char *wire_need_name(enum wire_need need);
const char *wire_class_name(enum wire_class c); /* "Deterministic" */
const char *wire_order_name(enum wire_order_proof o);

#endif
