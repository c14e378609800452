/*
 * type.h - the types of WGSL values and memory, with their layout.
 *
 * Types are interned by the compiler of one module: two equal types are the
 * same pointer (structs are equal only to themselves). Everything lives in the
 * arena that wgsl_compile() was given and never changes afterwards.
 *
 * Layouts are those of the specification ("Memory layout"): size, align and
 * stride in bytes, for every type that may be stored. bool has a layout of four
 * bytes here although it is never shared with the host.
 */
#ifndef WGSL_TYPE_H
#define WGSL_TYPE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

enum wgsl_kind {
	WGSL_VOID,
	WGSL_BOOL,
	WGSL_I32,
	WGSL_U32,
	WGSL_F32,
	WGSL_F16, /* in the IR in storage and uniform memory only */
	WGSL_I64,
	WGSL_U64,
	WGSL_F64,
	WGSL_ABSTRACT_INT,   /* front end only, never in the IR */
	WGSL_ABSTRACT_FLOAT, /* front end only, never in the IR */
	WGSL_VEC,
	WGSL_MAT, /* in memory only: IR values are its columns */
	WGSL_ARRAY,
	WGSL_STRUCT,
	WGSL_ATOMIC,
	WGSL_PTR, /* front end only, never in the IR */
};

/* Address spaces. */
enum wgsl_space {
	WGSL_SPACE_FUNCTION,
	WGSL_SPACE_PRIVATE,
	WGSL_SPACE_WORKGROUP,
	WGSL_SPACE_UNIFORM,
	WGSL_SPACE_STORAGE,
};

enum wgsl_access {
	WGSL_ACCESS_READ,
	WGSL_ACCESS_WRITE,
	WGSL_ACCESS_READ_WRITE,
};

struct wgsl_member {
	const char *name;
	const struct wgsl_type *type;
	uint32_t offset; /* bytes from the start of the struct */
	uint32_t size;   /* bytes it occupies, with @size; without trailing padding otherwise */
	uint32_t align;
	uint32_t line; /* of the declaration, from 1 */
	uint32_t column;
};

struct wgsl_type {
	enum wgsl_kind kind;
	uint32_t id;   /* dense within the module */
	uint32_t size; /* bytes; of one element for a runtime-sized array, 0 for void */
	uint32_t align;
	/* VEC: component; MAT: column vector; ARRAY: element; ATOMIC: I32 or U32; PTR: store */
	const struct wgsl_type *elem;
	uint32_t count;   /* VEC: 2..4; MAT: columns; ARRAY: elements, 0 = runtime-sized */
	uint32_t stride;  /* ARRAY, MAT: bytes from one element to the next */
	const char *name; /* STRUCT */
	const struct wgsl_member *members; /* STRUCT */
	uint32_t n_members;
	enum wgsl_space space;   /* PTR */
	enum wgsl_access access; /* PTR */
	/* ARRAY: the override that gives its count, NULL if constants do. Two such types are equal
	 * only if the same override alone is their count. */
	const void *sized_by;
	bool has_atomic;        /* an atomic somewhere inside */
	bool has_runtime_array; /* is one, or a struct that ends in one */
	bool is_abstract;       /* STRUCT: of abstract numbers: modf and frexp of constants */
	bool is_host_shareable;
	bool is_constructible;
	uint32_t depth; /* of nested arrays and structs; at most 64 */
};

/* Component type of a vector, the type itself for a scalar. */
const struct wgsl_type *wgsl_type_scalar(const struct wgsl_type *t);

/* Number of components: 2..4 for a vector, 1 for a scalar. */
uint32_t wgsl_type_width(const struct wgsl_type *t);

/* Kind of the component: of vectors too. */
enum wgsl_kind wgsl_type_base(const struct wgsl_type *t);

bool wgsl_type_is_scalar(const struct wgsl_type *t);
bool wgsl_type_is_float(const struct wgsl_type *t);   /* scalar or vector of floats */
bool wgsl_type_is_integer(const struct wgsl_type *t); /* scalar or vector of integers */

/* Append the type as WGSL text ("vec3<u32>", "array<f32, 8>"). */
void wgsl_type_print(const struct wgsl_type *t, struct buf *out);

const char *wgsl_space_name(enum wgsl_space space);

#endif
