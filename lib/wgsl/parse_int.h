/*
 * parse_int.h - what the files of the parser share: a cursor over the tokens.
 *
 * Recursive descent with counted depth: expressions (WGSL_MAX_EXPR_DEPTH) and
 * statements (WGSL_MAX_NESTING). The first syntax error ends parsing.
 */
#ifndef WGSL_PARSE_INT_H
#define WGSL_PARSE_INT_H

#include "wgsl/wgsl_int.h"

struct wgsl_tok *wgsl_peek(struct wgsl_comp *c);
enum wgsl_tok_kind wgsl_peek_kind(struct wgsl_comp *c);
/* The operator at the cursor with adjacent '>' and '=' joined; *n: how many tokens it is. */
enum wgsl_tok_kind wgsl_peek_op(struct wgsl_comp *c, size_t *n);
struct wgsl_tok *wgsl_next(struct wgsl_comp *c);
bool wgsl_accept(struct wgsl_comp *c, enum wgsl_tok_kind kind);
/* Take a token of this kind, or report what was expected ("after the struct's name"). */
bool wgsl_expect(struct wgsl_comp *c, enum wgsl_tok_kind kind, const char *where);
struct wgsl_name *wgsl_expect_name(struct wgsl_comp *c, const char *what, struct wgsl_span *at);
struct wgsl_span wgsl_tok_span(const struct wgsl_tok *t);
/* How a token is called in a message. */
const char *wgsl_tok_shown(struct wgsl_comp *c, const struct wgsl_tok *t);
/* Report a syntax error and stop parsing. */
void wgsl_syntax(struct wgsl_comp *c, struct wgsl_span at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Growing list of expressions while it is being parsed. */
void wgsl_push_expr(struct wgsl_comp *c, struct wgsl_exprs *list, size_t *cap, struct wgsl_expr *e);

struct wgsl_expr *wgsl_parse_expr(struct wgsl_comp *c);
/* What may stand left of '=' and before '(': names, members, indices, derefs. */
struct wgsl_expr *wgsl_parse_unary(struct wgsl_comp *c);
struct wgsl_expr *wgsl_parse_type(struct wgsl_comp *c);
struct wgsl_attr *wgsl_parse_attrs(struct wgsl_comp *c);
/* const, let, var, override without the final ';' and attributes. */
struct wgsl_decl *wgsl_parse_variable(struct wgsl_comp *c, struct wgsl_attr *attrs);
struct wgsl_stmt *wgsl_parse_block(struct wgsl_comp *c, const char *where);
struct wgsl_decl *wgsl_new_decl(struct wgsl_comp *c, enum wgsl_decl_kind kind,
				struct wgsl_name *name, struct wgsl_span at);

#endif
