/*
 * check_int.h - what the files of the checker share.
 *
 * Checking fills in the tree: types, references, stages, constant values, resolved names. An
 * expression with an error has type NULL and was reported; what uses it stays silent.
 */
#ifndef WGSL_CHECK_INT_H
#define WGSL_CHECK_INT_H

#include "wgsl/const_int.h"
#include "wgsl/wgsl_int.h"

/* Most expressions and declarations entered at a time, over everything. */
enum { WGSL_MAX_RECURSION = 2000, WGSL_MAX_TYPE_DEPTH = 64 };

/* The loop or switch around a statement. */
struct wgsl_flow {
	struct wgsl_flow *outer;
	bool is_switch;
	bool is_continuing; /* inside a continuing block */
	bool has_continue;
	uint32_t first_continue; /* declarations open at the first continue */
	uint32_t body_end;       /* and at the start of the continuing block */
};

/* ---- expressions (check_expr.c) ---------------------------------------------------------- */

/* Any expression; e->type is NULL afterwards if something was wrong. */
void wgsl_check_expr(struct wgsl_comp *c, struct wgsl_expr *e);
/* Used as a value: a reference is loaded. The type, or NULL. */
const struct wgsl_type *wgsl_check_value(struct wgsl_comp *c, struct wgsl_expr *e);
/* The load rule for an expression that is checked already. */
const struct wgsl_type *wgsl_load_rule(struct wgsl_comp *c, struct wgsl_expr *e);
/* Convert automatically to `type`; reports what does not fit ("the argument"). */
bool wgsl_coerce(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *type,
		 const char *what);
/* Give an abstract expression its concrete type. */
bool wgsl_coerce_concrete(struct wgsl_comp *c, struct wgsl_expr *e);
/* A constant integer: const-stage, or override too. */
bool wgsl_check_const_int(struct wgsl_comp *c, struct wgsl_expr *e, bool allow_override,
			  int64_t *ret);
/* Resolve a module-scope declaration; false after an error. */
bool wgsl_resolve(struct wgsl_comp *c, struct wgsl_decl *d);
/* The declaration a name means here; reports unknown names. */
struct wgsl_decl *wgsl_lookup(struct wgsl_comp *c, struct wgsl_name *name, struct wgsl_span at);
enum wgsl_stage wgsl_later(enum wgsl_stage a, enum wgsl_stage b);
/* At the name of a value that got a template list, which its author hardly meant. */
void wgsl_note_comparison(struct wgsl_comp *c, const struct wgsl_expr *e);

/* ---- types (check_type.c) ----------------------------------------------------------------- */

/* The type that an expression in type position names; NULL after an error. */
const struct wgsl_type *wgsl_check_type(struct wgsl_comp *c, struct wgsl_expr *e);
/* From a type declaration or generator with the template list of `e`. */
const struct wgsl_type *wgsl_make_type(struct wgsl_comp *c, struct wgsl_decl *d,
				       struct wgsl_expr *e);
/* array<T, N> with all limits checked; NULL after an error. */
const struct wgsl_type *wgsl_make_array(struct wgsl_comp *c, struct wgsl_span at,
					const struct wgsl_type *elem, int64_t count);
bool wgsl_check_struct(struct wgsl_comp *c, struct wgsl_decl *d);
/* Does this address space or access mode still mean that? Reports what hides it. */
bool wgsl_is_enumerant(struct wgsl_comp *c, struct wgsl_span at, const char *text);
/* The one constant argument of an attribute; reports. */
bool wgsl_attr_int(struct wgsl_comp *c, const struct wgsl_attr *a, int64_t min, int64_t max,
		   int64_t *ret);

/* ---- attributes (attr.c) ------------------------------------------------------------------- */

/* Where an attribute stands. */
enum {
	WGSL_ON_FN = 1,
	WGSL_ON_PARAM = 2,
	WGSL_ON_RETURN = 4,
	WGSL_ON_MEMBER = 8,
	WGSL_ON_VAR = 16,
	WGSL_ON_OVERRIDE = 32,
	WGSL_ON_STMT = 64,
};

/* Names, places ("a function"), numbers of values, doubles; not the values. Needs the tree only. */
bool wgsl_check_attrs(struct wgsl_comp *c, const struct wgsl_attr *list, unsigned where,
		      const char *what);
/* The diagnostic filters of one range: well-formed, without conflict; attributes once. */
bool wgsl_check_filters(struct wgsl_comp *c, const struct wgsl_attr *list, bool is_directive);
/* That of subgroup_uniformity in the range of these attributes, `outer` where they say nothing.
 * They may not have been checked yet. */
enum wgsl_filter wgsl_find_filter(const struct wgsl_attr *list, enum wgsl_filter outer);

/* ---- calls (check_call.c) ------------------------------------------------------------------ */

void wgsl_check_call(struct wgsl_comp *c, struct wgsl_expr *e);

/* ---- aliases (alias.c) --------------------------------------------------------------------- */

/* The function whose body is being checked reads or writes the memory that `e` names. */
void wgsl_note_access(struct wgsl_comp *c, const struct wgsl_expr *e, bool read, bool write);
/* All calls in a function whose callees were looked at before. */
bool wgsl_check_aliases(struct wgsl_comp *c, struct wgsl_func *fn);

/* ---- matrices (check_matrix.c) ------------------------------------------------------------- */

bool wgsl_is_matrix(const struct wgsl_type *t);
/* Bring the operands of + - * with a matrix to one component type; false: they do not fit. */
bool wgsl_unify_matrix(struct wgsl_comp *c, struct wgsl_expr *e);
/* Type and value of such an operation. */
void wgsl_check_matrix(struct wgsl_comp *c, struct wgsl_expr *e);
/* mat(...) from columns or components; `t` says the shape, an abstract one takes its component
 * type from the arguments. */
bool wgsl_construct_matrix(struct wgsl_comp *c, struct wgsl_expr *e, const struct wgsl_type *t);
/* transpose, determinant */
bool wgsl_check_matrix_fn(struct wgsl_comp *c, struct wgsl_expr *e);

/* ---- statements (check_stmt.c) ------------------------------------------------------------- */

void wgsl_check_body(struct wgsl_comp *c, struct wgsl_decl *d);
/* A local or module variable, constant or override: type, initial value. */
bool wgsl_check_variable(struct wgsl_comp *c, struct wgsl_decl *d);

/* ---- the module (check.c) ------------------------------------------------------------------ */

bool wgsl_check_module(struct wgsl_comp *c);
/* Does @builtin(...) name a value of any stage? Reports. */
bool wgsl_check_builtin_name(struct wgsl_comp *c, const struct wgsl_attr *a);

/* ---- entry points (check_entry.c) ---------------------------------------------------------- */

/* An override is used (EX_IDENT) that has no value. */
void wgsl_error_unset(struct wgsl_comp *c, const struct wgsl_expr *use);
/* Find the one that is compiled, and check the sizes of all. */
bool wgsl_check_entry(struct wgsl_comp *c);

#endif
