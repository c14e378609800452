/*
 * wgsl_int.h - what the parts of the WGSL front end share: names, tokens, syntax tree, values
 * and the state of one compilation.
 *
 * Text goes through lex.c (tokens, template lists), parse*.c (syntax tree), check*.c (names,
 * types, constant values, written into the tree), lower*.c (the tree walked once
 * per inlined call, into IR) and the analyses (uniform.c, loops.c, class.c, order.c).
 *
 * An error is recorded with wgsl_error() where it is found; functions then return NULL or
 * false, and an expression without a type stays silent in everything built from it.
 */
#ifndef WGSL_WGSL_INT_H
#define WGSL_WGSL_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "wgsl/wgsl.h"

struct wgsl_decl;
struct wgsl_expr;
struct wgsl_stmt;

/* ---- names and tokens ------------------------------------------------------------------- */

enum wgsl_tok_kind {
	TOK_END,
	TOK_IDENT,
	TOK_NUMBER,
	/* punctuation */
	TOK_LPAREN,
	TOK_RPAREN,
	TOK_LBRACKET,
	TOK_RBRACKET,
	TOK_LBRACE,
	TOK_RBRACE,
	TOK_SEMI,
	TOK_COMMA,
	TOK_COLON,
	TOK_DOT,
	TOK_AT,
	TOK_ARROW,
	TOK_TEMPLATE_START, /* '<' of a template list */
	TOK_TEMPLATE_END,
	TOK_UNDERSCORE,
	/* operators; TOK_GT may begin >=, >>, >>= : the parser joins adjacent tokens */
	TOK_PLUS,
	TOK_MINUS,
	TOK_STAR,
	TOK_SLASH,
	TOK_PERCENT,
	TOK_AND,
	TOK_OR,
	TOK_XOR,
	TOK_TILDE,
	TOK_NOT,
	TOK_ANDAND,
	TOK_OROR,
	TOK_LT,
	TOK_GT,
	TOK_LE,
	TOK_GE,
	TOK_EQ,
	TOK_NE,
	TOK_SHL,
	TOK_SHR,
	TOK_PLUSPLUS,
	TOK_MINUSMINUS,
	/* assignments */
	TOK_ASSIGN,
	TOK_PLUS_ASSIGN,
	TOK_MINUS_ASSIGN,
	TOK_STAR_ASSIGN,
	TOK_SLASH_ASSIGN,
	TOK_PERCENT_ASSIGN,
	TOK_AND_ASSIGN,
	TOK_OR_ASSIGN,
	TOK_XOR_ASSIGN,
	TOK_SHL_ASSIGN,
	TOK_SHR_ASSIGN,
	/* keywords */
	TOK_ALIAS,
	TOK_BREAK,
	TOK_CASE,
	TOK_CONST,
	TOK_CONST_ASSERT,
	TOK_CONTINUE,
	TOK_CONTINUING,
	TOK_DEFAULT,
	TOK_DIAGNOSTIC,
	TOK_DISCARD,
	TOK_ELSE,
	TOK_ENABLE,
	TOK_FALSE,
	TOK_FN,
	TOK_FOR,
	TOK_IF,
	TOK_LET,
	TOK_LOOP,
	TOK_OVERRIDE,
	TOK_REQUIRES,
	TOK_RETURN,
	TOK_STRUCT,
	TOK_SWITCH,
	TOK_TRUE,
	TOK_VAR,
	TOK_WHILE,
	TOK_COUNT_,
};

/* An interned name; what it means at the current point of the text is `decl`. */
struct wgsl_name {
	const char *text; /* NUL-terminated */
	uint32_t len;
	uint32_t hash;
	struct wgsl_name *next;  /* in its hash chain */
	struct wgsl_decl *decl;  /* innermost declaration in scope, NULL if none */
	enum wgsl_tok_kind word; /* TOK_IDENT, or the keyword's token */
	bool is_reserved;
	const struct wgsl_decl *member_of; /* struct seen last with a member of this name */
};

struct wgsl_tok {
	uint32_t offset;
	uint32_t len;
	enum wgsl_tok_kind kind;
	struct wgsl_name *name; /* identifiers */
};

/* A stretch of the source text. */
struct wgsl_span {
	uint32_t offset;
	uint32_t len;
};

/* ---- constant values -------------------------------------------------------------------- */

union wgsl_scalar {
	int64_t i; /* bool (0, 1), i32, u32, i64, u64 (as its bits), abstract int */
	double f;  /* f16, f32 (always a value of the type), f64, abstract float */
};

/* A value known at compile time. Immutable, in the arena. */
struct wgsl_value {
	const struct wgsl_type *type;
	union wgsl_scalar v[4]; /* scalars and vectors */
	/* Arrays and structs: elements or members; NULL: all zero. */
	const struct wgsl_value **elems;
};

/* ---- syntax tree ------------------------------------------------------------------------ */

enum wgsl_expr_kind {
	EX_IDENT,
	EX_LITERAL,
	EX_UNARY, /* op: TOK_MINUS TOK_NOT TOK_TILDE */
	EX_BINARY,
	EX_INDEX,   /* a[b] */
	EX_MEMBER,  /* a.name */
	EX_CALL,    /* a = the callee's EX_IDENT */
	EX_ADDRESS, /* &a */
	EX_DEREF,   /* *a */
};

enum wgsl_call_kind {
	CALL_NONE,
	CALL_CONSTRUCT, /* type(...) with the components or members */
	CALL_CONVERT,   /* scalar or vector conversion of the one argument */
	CALL_ZERO,      /* type() */
	CALL_BUILTIN,
	CALL_USER,
};

/* What an enable directive allows. */
enum wgsl_feature {
	FEATURE_F16 = 1,
	FEATURE_I64 = 2,
	FEATURE_F64 = 4,
	FEATURE_SUBGROUPS = 8,
	FEATURE_SUBGROUP_SIZE = 16,
};

/* Severities of diagnostic filters, as attr.c names them. */
enum wgsl_filter {
	FILTER_ERROR, /* where there is no filter */
	FILTER_WARNING,
	FILTER_INFO,
	FILTER_OFF,
};

/* When the value of an expression is known. */
enum wgsl_stage {
	STAGE_CONST,
	STAGE_OVERRIDE,
	STAGE_RUNTIME,
};

struct wgsl_exprs {
	struct wgsl_expr **list;
	uint32_t n;
};

/* Most of what a compilation keeps are these: small fields are packed. */
struct wgsl_expr {
	enum wgsl_expr_kind kind : 8;
	enum wgsl_tok_kind op : 8;
	bool has_targs : 1;
	bool is_parenthesised : 1;
	/* Filled in by the checker. */
	bool is_checked : 1;
	bool is_ref : 1;             /* names a place in memory of `type` */
	enum wgsl_filter filter : 2; /* CALL: of subgroup_uniformity there */
	enum wgsl_space space : 8;   /* references */
	enum wgsl_access access : 8;
	enum wgsl_stage stage : 8;
	enum wgsl_call_kind call : 8;
	uint8_t n_lanes;
	uint32_t depth; /* height of the tree below */
	union {
		int builtin;      /* CALL_BUILTIN: enum wgsl_fn_id */
		uint8_t lanes[4]; /* MEMBER of a vector */
		uint32_t member;  /* MEMBER of a struct: its index; n_lanes is 0 */
	};
	struct wgsl_span at;    /* what a caret should point at */
	struct wgsl_span whole; /* from its first to its last token */
	struct wgsl_name *name; /* IDENT, MEMBER */
	struct wgsl_expr *a, *b;
	union {
		struct wgsl_exprs args;  /* CALL */
		struct wgsl_exprs targs; /* IDENT: template list */
	};
	const struct wgsl_type *type;   /* NULL: wrong, already reported */
	const struct wgsl_value *value; /* const and override stages; also literals */
	struct wgsl_decl *decl;         /* IDENT: what it names; CALL_USER: the function */
	struct wgsl_decl *root; /* references and pointers: the variable or parameter behind it */
};

struct wgsl_attr {
	struct wgsl_attr *next;
	struct wgsl_name *name;
	struct wgsl_span at;
	struct wgsl_exprs args;
	bool has_args;
};

enum wgsl_decl_kind {
	DECL_TYPE,      /* predeclared or alias or struct: `type` */
	DECL_TYPEGEN,   /* predeclared type generator: vec2, array, atomic, ptr */
	DECL_BUILTIN,   /* predeclared function */
	DECL_REFUSED,   /* predeclared, but not supported: `note` says what */
	DECL_ENUMERANT, /* address space, access mode */
	DECL_CONST,
	DECL_OVERRIDE,
	DECL_LET,
	DECL_VAR,
	DECL_PARAM,
	DECL_FN,
	DECL_ASSERT, /* const_assert, without a name */
};

enum wgsl_decl_state {
	DECL_NEW,
	DECL_ACTIVE, /* being resolved: meeting it again is a cycle */
	DECL_DONE,
};

enum wgsl_typegen {
	GEN_VEC2,
	GEN_VEC3,
	GEN_VEC4,
	GEN_ARRAY,
	GEN_ATOMIC,
	GEN_PTR,
	GEN_MAT, /* + 3 * (columns - 2) + rows - 2 */
};

/* A struct member as written. */
struct wgsl_field {
	struct wgsl_field *next;
	struct wgsl_name *name;
	struct wgsl_span at;
	struct wgsl_attr *attrs;
	struct wgsl_expr *type_expr;
};

struct wgsl_call {
	struct wgsl_call *next;
	struct wgsl_decl *callee;
	struct wgsl_span at;
	struct wgsl_expr *expr; /* the call; NULL in `callers` */
};

struct wgsl_func {
	struct wgsl_decl **params;
	uint32_t n_params;
	struct wgsl_attr *return_attrs;
	struct wgsl_expr *return_expr; /* NULL: nothing */
	const struct wgsl_type *return_type;
	struct wgsl_stmt *body;
	struct wgsl_call *calls;   /* user functions called, found while checking */
	struct wgsl_call *callers; /* functions that call it */
	bool is_must_use;
	bool is_entry;
	bool is_signature_done;
	bool has_nonfinal_return; /* some return is not the last statement of the body */
	uint32_t n_returns;
	/* Bits of the module variables that it and its callees read, then those written; NULL:
	 * none, or nobody asks. */
	uint64_t *accesses;
	uint64_t own_cost;   /* nodes of its tree */
	uint64_t cost;       /* with everything it calls, saturated */
	uint32_t call_depth; /* of the deepest chain below */
	uint32_t pending;    /* callers or callees not yet ordered */
	struct wgsl_expr *workgroup_size[3];
	uint32_t n_workgroup_size;
	struct wgsl_expr *subgroup_size; /* NULL: none is asked for */
	/* The first use of an override without a value in the body: wrong if the entry point gets
	 * here. NULL: none. */
	const struct wgsl_expr *unset;
	bool is_reached;                /* the entry point or called from it, also through others */
	struct wgsl_decl *next_reached; /* list of them */
};

struct wgsl_decl {
	enum wgsl_decl_kind kind;
	enum wgsl_decl_state state;
	struct wgsl_name *name;
	struct wgsl_span at;     /* of the name */
	struct wgsl_decl *outer; /* what the name meant before */
	struct wgsl_decl *next;  /* module scope: in text order */
	struct wgsl_attr *attrs;
	struct wgsl_expr *type_expr;
	struct wgsl_expr *init;
	const struct wgsl_type *type; /* value, store type or the type itself */
	const struct wgsl_value *value;
	enum wgsl_stage stage;
	bool is_struct;
	bool is_module;    /* module scope */
	bool is_stored_to; /* LET never; VAR: assigned or address taken */
	bool is_used;
	bool is_read_through, is_written_through; /* PARAM: pointers; see alias.c */
	struct wgsl_decl *origin;                 /* LET of a pointer: the variable or parameter */
	struct wgsl_field *fields;                /* structs */
	struct wgsl_func *fn;                     /* FN */
	int builtin;      /* BUILTIN: enum wgsl_fn_id; TYPEGEN: enum wgsl_typegen */
	const char *note; /* REFUSED: what is not supported */
	uint32_t feature; /* predeclared: enum wgsl_feature that must be enabled, or 0 */
	/* VAR */
	bool has_space, has_access;
	enum wgsl_space space;
	enum wgsl_access access;
	bool has_binding;
	uint32_t group, binding;
	/* OVERRIDE */
	bool has_id;
	uint32_t id;
	/* PARAM of an entry point */
	int input;          /* enum wgsl_builtin or WGSL_INPUT_..., -1: none */
	int *member_inputs; /* the same for the members of a struct parameter */
	uint32_t scope;     /* depth of the block that declares it */
	uint32_t order;     /* place among the open declarations; module: among its variables */
	/* Filled in while lowering: what it is in the call being inlined now. */
	struct wgsl_var *var;
	struct wgsl_inst *inst;
	struct wgsl_path *path;
};

enum wgsl_stmt_kind {
	ST_BLOCK,
	ST_IF,
	ST_SWITCH,
	ST_LOOP,
	ST_FOR,
	ST_WHILE,
	ST_BREAK,
	ST_BREAK_IF,
	ST_CONTINUE,
	ST_RETURN,
	ST_DECL,
	ST_ASSIGN,    /* a op= b; op TOK_ASSIGN .. TOK_SHR_ASSIGN */
	ST_INCREMENT, /* op TOK_PLUSPLUS, TOK_MINUSMINUS */
	ST_PHONY,     /* _ = a */
	ST_CALL,
	ST_ASSERT,
};

struct wgsl_clause {
	struct wgsl_clause *next;
	struct wgsl_exprs selectors;
	bool is_default;
	struct wgsl_span at;
	struct wgsl_stmt *body;
};

struct wgsl_stmt {
	enum wgsl_stmt_kind kind;
	enum wgsl_tok_kind op;
	struct wgsl_span at;
	struct wgsl_stmt *next;
	struct wgsl_expr *a, *b; /* condition, selector, value; target and value */
	struct wgsl_decl *decl;
	struct wgsl_stmt *body;  /* BLOCK: first statement; others: a BLOCK */
	struct wgsl_stmt *other; /* IF: else (BLOCK or IF); LOOP: continuing (BLOCK); FOR: update */
	struct wgsl_stmt *init;  /* FOR */
	struct wgsl_clause *clauses; /* SWITCH */
	struct wgsl_expr *break_if;  /* LOOP */
};

/* Inputs that are computed from others ("linear_indexing"); above every enum wgsl_builtin. */
enum { WGSL_INPUT_GLOBAL_INDEX = 100, WGSL_INPUT_WORKGROUP_INDEX };

/* ---- the compilation -------------------------------------------------------------------- */

enum { WGSL_NAME_BUCKETS = 4096, WGSL_TYPE_BUCKETS = 1024 };

struct wgsl_type_link {
	struct wgsl_type_link *next;
	struct wgsl_type *type;
};

/* A constant array and what it was converted to. */
struct wgsl_converted {
	const struct wgsl_value *from;
	const struct wgsl_type *to;
	const struct wgsl_value *value;
};

enum { WGSL_CONVERTED_SLOTS = 64, WGSL_MAX_CONVERTED = 1000000 /* elements, over everything */ };

struct wgsl_comp {
	const struct wgsl_source *src;
	struct arena *arena;      /* borrowed */
	struct wgsl_diags *diags; /* borrowed */
	size_t cap_diags;
	uint32_t *lines; /* offsets of line starts */
	uint32_t n_lines;
	struct wgsl_name *names[WGSL_NAME_BUCKETS];
	/* lexer and parser */
	struct wgsl_tok *toks;
	size_t n_toks, cap_toks;
	size_t pos;
	uint32_t nesting;
	uint32_t expr_nesting;
	bool has_failed;         /* parser: stop */
	bool is_loop_body;       /* parser: the next block is that of `loop` */
	enum wgsl_filter filter; /* parser: of subgroup_uniformity here */
	/* types */
	struct wgsl_type_link *types[WGSL_TYPE_BUCKETS];
	uint32_t n_types;
	const struct wgsl_type *basic[WGSL_PTR + 1];
	struct wgsl_type *parts_types[2][4][4]; /* of modf and frexp, by float and width */
	uint32_t features;                      /* enum wgsl_feature, enabled */
	bool allows_unset;                      /* an override without a value is no error here */
	struct wgsl_span size_control;          /* where subgroup_size_control is enabled */
	struct wgsl_type *exchange_types[2];    /* of atomicCompareExchangeWeak: i32, u32 */
	/* declarations of the module in text order */
	struct wgsl_decl *decls, *last_decl;
	/* checker */
	uint32_t depth;           /* of recursion, over everything */
	uint32_t no_eval;         /* > 0: inside a short-circuited constant operand */
	struct wgsl_decl *fn;     /* whose body is being checked */
	struct wgsl_decl **scope; /* declarations of open scopes */
	size_t n_scope, cap_scope;
	uint32_t scope_depth;
	struct wgsl_flow *flow; /* innermost loop or switch */
	struct wgsl_decl *entry;
	struct wgsl_module *module;
	struct wgsl_attr *filters;             /* diagnostic directives */
	const struct wgsl_decl **override_ids; /* by id; NULL until there is one */
	bool has_pointer_params;               /* of some function */
	uint32_t access_words;                 /* of 64 module variables each */
	struct wgsl_converted converted[WGSL_CONVERTED_SLOTS];
	uint32_t next_converted; /* slot, modulo their number */
	uint64_t n_converted;
};

/* ---- diag.c ------------------------------------------------------------------------------ */

void wgsl_error(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void wgsl_warn(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void wgsl_note(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A note at the declaration, none for what is predeclared. */
void wgsl_note_decl(struct wgsl_comp *c, const struct wgsl_decl *d);
/* Line and column in bytes, from 1; cheap. */
uint32_t wgsl_line_of(const struct wgsl_comp *c, uint32_t offset, uint32_t *column);
/* Line and column in code points, from 1: walks the line. */
void wgsl_locate(const struct wgsl_comp *c, uint32_t offset, uint32_t *line, uint32_t *column);
void wgsl_find_lines(struct wgsl_comp *c);
struct wgsl_span wgsl_span_join(struct wgsl_span a, struct wgsl_span b);
/* A type's text, in the arena: for messages. */
const char *wgsl_type_text(struct wgsl_comp *c, const struct wgsl_type *t);

/* ---- lex.c, parse.c ---------------------------------------------------------------------- */

struct wgsl_name *wgsl_intern(struct wgsl_comp *c, const char *text, size_t len);
/* How the directive that allows the feature is written: "enable f16;". */
const char *wgsl_feature_text(uint32_t feature);
/* Is the checked expression several components of a variable's vector, which can be assigned? */
bool wgsl_is_swizzle_place(const struct wgsl_expr *e);
/* The feature that enables a kind of scalars, 0 if none is needed. */
uint32_t wgsl_feature_of(enum wgsl_kind kind);
bool wgsl_lex(struct wgsl_comp *c);
const char *wgsl_tok_text(enum wgsl_tok_kind kind);
/* May this code point begin a name, may it follow (xid.c)? */
bool wgsl_is_name_start(uint32_t cp);
bool wgsl_is_name_part(uint32_t cp);
bool wgsl_parse(struct wgsl_comp *c);

/* ---- types.c ------------------------------------------------------------------------------ */

void wgsl_types_init(struct wgsl_comp *c);
const struct wgsl_type *wgsl_vec(struct wgsl_comp *c, const struct wgsl_type *elem, uint32_t n);
const struct wgsl_type *wgsl_array(struct wgsl_comp *c, const struct wgsl_type *elem,
				   uint32_t count, uint32_t stride);
/* The same type with a count that an override gives: for workgroup variables only. */
const struct wgsl_type *wgsl_override_array(struct wgsl_comp *c, const struct wgsl_type *array,
					    const void *sized_by);
/* A matrix of `columns` vectors of type `column`. */
const struct wgsl_type *wgsl_mat(struct wgsl_comp *c, const struct wgsl_type *column,
				 uint32_t columns);
const struct wgsl_type *wgsl_atomic_type(struct wgsl_comp *c, const struct wgsl_type *elem);
const struct wgsl_type *wgsl_ptr(struct wgsl_comp *c, enum wgsl_space space,
				 const struct wgsl_type *store, enum wgsl_access access);
struct wgsl_type *wgsl_struct_type(struct wgsl_comp *c, const char *name);
/* The result type of modf or frexp on t: f32 or a vector of it. */
const struct wgsl_type *wgsl_parts_type(struct wgsl_comp *c, const struct wgsl_type *t,
					bool is_frexp);
/* The result type of atomicCompareExchangeWeak on atomic<t>. */
const struct wgsl_type *wgsl_exchange_type(struct wgsl_comp *c, const struct wgsl_type *t);
/* The type of `t`'s shape with another component. */
const struct wgsl_type *wgsl_with_base(struct wgsl_comp *c, const struct wgsl_type *t,
				       const struct wgsl_type *base);
bool wgsl_is_abstract(const struct wgsl_type *t);
bool wgsl_is_numeric(const struct wgsl_type *t); /* scalar or vector of numbers */
bool wgsl_is_vec(const struct wgsl_type *t);
bool wgsl_is_word(const struct wgsl_type *t); /* i32 or u32 */
bool wgsl_is_wide(const struct wgsl_type *t); /* i64, u64, f64 or a vector of them */
/* i32 for abstract int, f32 for abstract float, also inside vectors and arrays. */
const struct wgsl_type *wgsl_concrete(struct wgsl_comp *c, const struct wgsl_type *t);
/* Feasible automatic conversion? (equal counts) */
bool wgsl_can_convert(const struct wgsl_type *from, const struct wgsl_type *to);
/* The type both convert to, NULL if none. */
const struct wgsl_type *wgsl_common(struct wgsl_comp *c, const struct wgsl_type *a,
				    const struct wgsl_type *b);

/* ---- predeclared.c ----------------------------------------------------------------------- */

void wgsl_predeclare(struct wgsl_comp *c);

#endif
