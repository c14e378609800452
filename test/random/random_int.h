/* random_int.h - what the parts of the generator share. */
#ifndef TEST_RANDOM_RANDOM_INT_H
#define TEST_RANDOM_RANDOM_INT_H

#include "test/random/random.h"

enum random_base {
	BASE_BOOL,
	BASE_I32,
	BASE_U32,
	BASE_F32,
	BASE_F16,
	BASE_I64,
	BASE_U64,
	BASE_F64,
	BASE_COUNT,
};

enum random_kind { KIND_SCALAR, KIND_VECTOR, KIND_MATRIX, KIND_ARRAY, KIND_STRUCT };

enum { MAX_MEMBERS = 4, MAX_USER_TYPES = 6, MAX_VARS = 40, MAX_FNS = 3, MAX_PARAMS = 4 };

struct random_type {
	enum random_kind kind;
	enum random_base base;          /* of scalars, vectors, matrices */
	uint32_t n;                     /* components, columns, elements, members */
	uint32_t rows;                  /* of matrices */
	uint32_t words;                 /* scalars in all */
	const struct random_type *elem; /* of all but scalars and structures */
	const struct random_type *members[MAX_MEMBERS];
	bool is_shared; /* may lie in an output: no bool, no f16 */
	char name[24];
	char alias[8]; /* "vec2f"; empty: none */
};

/* A name that a value of its type can be read from, also through its parts. */
struct random_var {
	char name[24];
	const struct random_type *type;
	bool is_writable;
	bool is_private;  /* in that address space */
	bool is_function; /* a variable (or what a pointer names) of the function space */
};

enum random_pointer { POINTER_NONE, POINTER_FUNCTION, POINTER_PRIVATE };

struct random_fn {
	char name[8];
	const struct random_type *result;
	const struct random_type *params[MAX_PARAMS];
	uint32_t n_params;
	uint32_t pointer; /* enum random_pointer: of the last parameter */
};

struct maker {
	struct random_choices *c;
	struct buf *out;
	struct random_features has;
	bool bases[BASE_COUNT]; /* that may be used */
	struct random_type scalars[BASE_COUNT];
	struct random_type vectors[BASE_COUNT][5];
	struct random_type matrices[BASE_COUNT][5][5];
	struct random_type user[MAX_USER_TYPES];
	uint32_t n_user;
	struct random_type record; /* of RANDOM_OUT_RECORDS */
	struct random_fn fns[MAX_FNS];
	uint32_t n_fns;
	struct random_var vars[MAX_VARS]; /* in scope */
	uint32_t n_vars;
	uint32_t n_names;                 /* given so far */
	uint32_t depth;                   /* of blocks */
	uint32_t loops;                   /* around, in this function */
	uint32_t calls;                   /* that this function may still make */
	int budget;                       /* statements */
	const struct random_type *result; /* of the function; NULL: main */
	bool has_break, has_continue;     /* they may stand here */
	bool has_barriers;                /* so main must not return early */
	bool is_flat;                     /* no state of work-groups */
	uint32_t size[3];                 /* of a work-group */
	uint32_t groups[3];
	const struct random_type *slot; /* of the elements of the workgroup variable */
};

/* ---- choices and text ---- */
uint32_t pick(struct maker *m, uint32_t n);
/* Once in n; never when choices have run out. */
bool once_in(struct maker *m, uint32_t n);
void put(struct maker *m, const char *text);

/* ---- types (type.c) ---- */
void types_init(struct maker *m);
void types_declare(struct maker *m);
const struct random_type *scalar(struct maker *m, enum random_base base);
const struct random_type *vector(struct maker *m, enum random_base base, uint32_t n);
enum random_base any_base(struct maker *m, bool with_bool);
const struct random_type *any_type(struct maker *m);  /* of values */
const struct random_type *any_plain(struct maker *m); /* scalars and vectors */
bool is_integer(enum random_base base);
bool is_float(enum random_base base);
void put_type(struct maker *m, const struct random_type *t);
/* Has t a part of type want (or is it that)? in_vectors: components count. */
bool holds(const struct random_type *t, const struct random_type *want, bool in_vectors);

/* ---- expressions (expr.c, call.c) ---- */
void expr(struct maker *m, const struct random_type *t, int depth);
void condition(struct maker *m, int depth);
/* A literal: at most max where it is a number (small; 0: anything that is not zero). */
void literal(struct maker *m, enum random_base base, uint32_t max);
/* A variable that holds t, one that can be written if asked, with the way to that part. */
bool put_place(struct maker *m, const struct random_type *t, int depth, bool is_write);
/* The address of a place of the function space. */
bool put_pointer(struct maker *m, const struct random_type *t, int depth);
/* A call that gives t; false: nothing was written. */
bool builtin_call(struct maker *m, const struct random_type *t, int depth);
bool user_call(struct maker *m, const struct random_type *t, int depth);

/* ---- statements (stmt.c, together.c) ---- */
struct random_scope {
	uint32_t n_vars;
};
struct random_scope scope_enter(struct maker *m);
void scope_leave(struct maker *m, struct random_scope s);
void statement(struct maker *m);
void statements(struct maker *m);
struct random_var *new_var(struct maker *m, const char *prefix, const struct random_type *t);
/* What all invocations of a work-group do, with barriers. */
void together(struct maker *m, int depth);

#endif
