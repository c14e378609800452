/* params.c - see params.h. */
#include "expr/params.h"

#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "expr/lex_int.h"

enum { SLOT_CHUNK, SLOT_LO, SLOT_HI, FIRST_PARAM };

enum state { STATE_NEW, STATE_OPEN, STATE_ORDERED };

struct param {
	char *name; /* owned */
	char *text; /* owned; NULL: given by the caller */
	size_t len;
	enum expr_type type;
	struct expr *e; /* owned, after link; NULL if given */
	int slot;
	enum state state; /* of the sort in link */
	size_t next_dep;
};

struct expr_params {
	int vars;
	struct param **list; /* owned, and what it points to */
	size_t count;
	size_t cap;
	struct map by_name;   /* -> struct param */
	struct param **order; /* owned; borrowed params: each after those that it uses */
	size_t n_order;
	struct expr_scope scope;
};

static int resolve(void *arg, const char *name)
{
	const struct expr_params *p = arg;
	const struct param *param;

	if (strcmp(name, "chunk") == 0 && (p->vars & EXPR_VAR_CHUNK) != 0)
		return SLOT_CHUNK;
	if (strcmp(name, "lo") == 0 && (p->vars & EXPR_VAR_RANGE) != 0)
		return SLOT_LO;
	if (strcmp(name, "hi") == 0 && (p->vars & EXPR_VAR_RANGE) != 0)
		return SLOT_HI;
	param = map_get(&p->by_name, name);
	return param != NULL ? param->slot : -1;
}

struct expr_params *expr_params_new(int vars)
{
	static const char *const expected[] = { "a param", "chunk or a param", "lo, hi or a param",
						"chunk, lo, hi or a param" };
	struct expr_params *p = NEW(struct expr_params);

	p->vars = vars;
	p->scope =
	    (struct expr_scope){ .resolve = resolve, .arg = p, .expected = expected[vars & 3] };
	return p;
}

static void param_free(struct param *p)
{
	mem_free(p->name);
	mem_free(p->text);
	expr_free(p->e);
	mem_free(p);
}

void expr_params_free(struct expr_params *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->count; i++)
		param_free(p->list[i]);
	mem_free(p->list);
	mem_free(p->order);
	map_done(&p->by_name, NULL);
	mem_free(p);
}

void expr_params_freep(struct expr_params **p)
{
	expr_params_free(MOVE(*p));
}

static bool is_name(const char *name)
{
	struct expr_lexer l;
	struct err err = { 0 };
	size_t len = strlen(name);

	return len <= EXPR_MAX_NAME && expr_lex_start(&l, name, len, &err) == 0 &&
	       l.token.kind == TOKEN_NAME && l.token.len == len;
}

int expr_params_add(struct expr_params *p, const char *name, const char *text, size_t len,
		    enum expr_type type, struct err *err)
{
	struct param *param;

	ASSERT(p->order == NULL);
	if (!is_name(name))
		return err_set(err, ERR_INVALID, "\"%.60s\" is not a name of a param", name);
	if (resolve(p, name) >= 0)
		return err_set(err, ERR_EXISTS, "param %s: the name is taken", name);
	if (p->count == EXPR_MAX_PARAMS)
		return err_set(err, ERR_TOO_BIG, "more than %d params", EXPR_MAX_PARAMS);
	if (text != NULL && len > EXPR_MAX_TEXT)
		return err_set(err, ERR_INVALID, "param %s: %zu bytes, at most %d", name, len,
			       EXPR_MAX_TEXT);
	param = NEW(struct param);
	param->name = mem_strdup(name);
	param->text = text != NULL ? mem_strndup(text, len) : NULL;
	param->len = len;
	param->type = type;
	param->slot = FIRST_PARAM + (int)p->count;
	mem_reserve(&p->list, &p->cap, p->count, sizeof(struct param *));
	p->list[p->count++] = param;
	map_set(&p->by_name, name, param);
	return 0;
}

static int compile_all(struct expr_params *p, struct err *err)
{
	for (size_t i = 0; i < p->count; i++) {
		struct param *param = p->list[i];

		if (param->text == NULL)
			continue;
		if (expr_compile(param->text, param->len, param->type, &p->scope, &param->e, err) <
		    0)
			return err_wrap(err, "param %s", param->name);
	}
	return 0;
}

/* The next param that `param` uses and that was not looked at; NULL if there is none. */
static struct param *next_dep(const struct expr_params *p, struct param *param)
{
	size_t n = param->e != NULL ? expr_slot_count(param->e) : 0;

	while (param->next_dep < n) {
		int slot = expr_slot_at(param->e, param->next_dep++);

		if (slot >= FIRST_PARAM)
			return p->list[slot - FIRST_PARAM];
	}
	return NULL;
}

/* stack[0..n-1] use each other in this order; `back` is one of them and is used by the last. */
static int fail_cycle(struct param *const *stack, size_t n, const struct param *back,
		      struct err *err)
{
	AUTO(buf_done) struct buf b = { .max = 160 };
	size_t i = 0;

	while (stack[i] != back)
		i++;
	for (; i < n; i++)
		buf_note(&b, "%s -> ", stack[i]->name);
	buf_note(&b, "%s", back->name);
	return err_set(err, ERR_INVALID, "param %.60s: cycle %s", back->name, buf_str(&b));
}

/* Depth-first: what a param uses is ordered before it. */
static int order_from(struct expr_params *p, struct param *start, struct param **stack,
		      struct err *err)
{
	size_t n = 0;

	if (start->state != STATE_NEW)
		return 0;
	start->state = STATE_OPEN;
	stack[n++] = start;
	while (n > 0) {
		struct param *top = stack[n - 1];
		struct param *dep = next_dep(p, top);

		if (dep == NULL) {
			top->state = STATE_ORDERED;
			p->order[p->n_order++] = top;
			n--;
		} else if (dep->state == STATE_OPEN) {
			return fail_cycle(stack, n, dep, err);
		} else if (dep->state == STATE_NEW) {
			dep->state = STATE_OPEN;
			stack[n++] = dep;
		}
	}
	return 0;
}

int expr_params_link(struct expr_params *p, struct err *err)
{
	AUTO(mem_freep) struct param **stack = NEW_ARRAY(struct param *, p->count);

	ASSERT(p->order == NULL);
	p->order = NEW_ARRAY(struct param *, p->count);
	if (compile_all(p, err) < 0)
		return err->code;
	for (size_t i = 0; i < p->count; i++)
		if (order_from(p, p->list[i], stack, err) < 0)
			return err->code;
	return 0;
}

size_t expr_params_count(const struct expr_params *p)
{
	return p->count;
}

const char *expr_params_name(const struct expr_params *p, size_t i)
{
	ASSERT(i < p->count);
	return p->list[i]->name;
}

size_t expr_params_slots(const struct expr_params *p)
{
	return FIRST_PARAM + p->count;
}

int expr_params_slot(const struct expr_params *p, size_t i)
{
	ASSERT(i < p->count);
	return p->list[i]->slot;
}

const struct expr_scope *expr_params_scope(const struct expr_params *p)
{
	return &p->scope;
}

int expr_params_eval(const struct expr_params *p, const struct expr_vars *vars,
		     struct expr_value *values, struct err *err)
{
	ASSERT(p->n_order == p->count);
	values[SLOT_CHUNK] = (struct expr_value){ .type = EXPR_INT, .i = vars->chunk };
	values[SLOT_LO] = (struct expr_value){ .type = EXPR_INT, .i = vars->lo };
	values[SLOT_HI] = (struct expr_value){ .type = EXPR_INT, .i = vars->hi };
	for (size_t i = 0; i < p->n_order; i++) {
		const struct param *param = p->order[i];

		if (param->e != NULL && expr_eval(param->e, values, &values[param->slot], err) < 0)
			return err_wrap(err, "param %s", param->name);
	}
	return 0;
}
