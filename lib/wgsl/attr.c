/*
 * attr.c - attributes: which exist, where each may stand, how many values it takes; diagnostic
 * filters.
 */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "wgsl/check_int.h"

struct known {
	const char *name;
	uint32_t min, max; /* values */
	unsigned where;    /* WGSL_ON_... */
};

enum { IO = WGSL_ON_PARAM | WGSL_ON_RETURN | WGSL_ON_MEMBER };

static const struct known known[] = {
	{ "align", 1, 1, WGSL_ON_MEMBER },
	{ "binding", 1, 1, WGSL_ON_VAR },
	{ "builtin", 1, 1, IO },
	{ "compute", 0, 0, WGSL_ON_FN },
	{ "diagnostic", 2, 2, WGSL_ON_FN | WGSL_ON_STMT },
	{ "group", 1, 1, WGSL_ON_VAR },
	{ "id", 1, 1, WGSL_ON_OVERRIDE },
	{ "must_use", 0, 0, WGSL_ON_FN },
	{ "size", 1, 1, WGSL_ON_MEMBER },
	{ "subgroup_size", 1, 1, WGSL_ON_FN },
	{ "workgroup_size", 1, 3, WGSL_ON_FN },
};

/* Of vertex and fragment shaders. */
static const char *const render[] = { "vertex",      "fragment",  "blend_src",
				      "interpolate", "invariant", "location" };

static const struct known *find_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

static bool is_render(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(render); i++)
		if (strcmp(render[i], name) == 0)
			return true;
	return false;
}

static void misplaced(struct wgsl_comp *c, const struct wgsl_attr *a, const char *what)
{
	const char *near = NULL;

	if (is_render(a->name->text)) {
		wgsl_error(c, a->at, "@%s: only compute shaders run here", a->name->text);
		return;
	}
	if (find_known(a->name->text) != NULL) {
		wgsl_error(c, a->at, "@%s does not apply to %s", a->name->text, what);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (text_is_near(a->name->text, known[i].name) ||
		    (strlen(a->name->text) > 2 && text_starts(known[i].name, a->name->text)))
			near = known[i].name;
	if (strcmp(a->name->text, "stage") == 0)
		near = "compute";
	if (near != NULL)
		wgsl_error(c, a->at, "there is no attribute @%s; did you mean @%s?", a->name->text,
			   near);
	else
		wgsl_error(c, a->at, "there is no attribute @%s", a->name->text);
}

static bool check_values(struct wgsl_comp *c, const struct wgsl_attr *a, const struct known *k)
{
	if (a->args.n >= k->min && a->args.n <= k->max && a->has_args == (k->max > 0))
		return true;
	if (k->max == 0)
		wgsl_error(c, a->at, "@%s takes no values", k->name);
	else if (k->min == k->max)
		wgsl_error(c, a->at, "@%s takes %s", k->name,
			   k->max == 1 ? "one constant" : "a severity and a rule");
	else
		wgsl_error(c, a->at, "@%s takes %u to %u numbers", k->name, k->min, k->max);
	return false;
}

/* Attributes stand in short lists: comparing all pairs of known ones is bounded by their number. */
bool wgsl_check_attrs(struct wgsl_comp *c, const struct wgsl_attr *list, unsigned where,
		      const char *what)
{
	bool seen[ARRAY_LEN(known)] = { false };

	for (const struct wgsl_attr *a = list; a != NULL; a = a->next) {
		const struct known *k = find_known(a->name->text);

		if (k == NULL || (k->where & where) == 0) {
			misplaced(c, a, what);
			return false;
		}
		if (!check_values(c, a, k))
			return false;
		if (seen[k - known] && strcmp(k->name, "diagnostic") != 0) {
			wgsl_error(c, a->at, "@%s stands twice", k->name);
			return false;
		}
		seen[k - known] = true;
	}
	return wgsl_check_filters(c, list, false);
}

/* ---- diagnostic filters ------------------------------------------------------------------ */

/* By enum wgsl_filter. */
static const char *const severities[] = { "error", "warning", "info", "off" };
static const char *const rules[] = { "derivative_uniformity", "subgroup_uniformity" };

static int find_text(const char *const *list, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], text) == 0)
			return (int)i;
	return -1;
}

static bool is_filter(const struct wgsl_attr *a)
{
	return strcmp(a->name->text, "diagnostic") == 0;
}

/* A rule is a name, or two with a dot between them: those of tools, unknown here. */
static bool is_rule(const struct wgsl_expr *e)
{
	if (e->kind == EX_MEMBER)
		return e->a->kind == EX_IDENT && !e->a->has_targs && !e->a->is_parenthesised;
	return e->kind == EX_IDENT && !e->has_targs;
}

static const char *rule_text(struct wgsl_comp *c, const struct wgsl_expr *rule)
{
	return rule->kind == EX_MEMBER
		   ? arena_printf(c->arena, "%s.%s", rule->a->name->text, rule->name->text)
		   : rule->name->text;
}

/* A range has one severity for a rule, whose filter stands here again; a directive may be repeated,
 * an attribute may not. was: the severity before. */
static bool check_again(struct wgsl_comp *c, const struct wgsl_attr *a, const char *rule,
			const struct wgsl_name *was, bool is_directive)
{
	const struct wgsl_name *now = a->args.list[0]->name;

	if (was != now)
		wgsl_error(c, a->at, "'%s' is set to %s and to %s for the same range", rule,
			   was->text, now->text);
	else if (!is_directive)
		wgsl_error(c, a->at, "@diagnostic stands twice for '%s'", rule);
	return was == now && is_directive;
}

static bool check_filter(struct wgsl_comp *c, const struct wgsl_attr *a)
{
	const struct wgsl_expr *severity = a->args.list[0];
	const struct wgsl_expr *rule = a->args.list[1];
	int s = severity->kind == EX_IDENT
		    ? find_text(severities, ARRAY_LEN(severities), severity->name->text)
		    : -1;
	int r = rule->kind == EX_IDENT ? find_text(rules, ARRAY_LEN(rules), rule->name->text) : -1;

	if (s < 0) {
		wgsl_error(c, severity->whole, "a severity is error, warning, info or off");
		return false;
	}
	if (!is_rule(rule) || rule->is_parenthesised || severity->is_parenthesised) {
		wgsl_error(c, rule->whole, "expected the name of a rule");
		return false;
	}
	if (rule->kind == EX_IDENT && r < 0)
		wgsl_warn(c, rule->whole, "unknown diagnostic rule '%s'", rule->name->text);
	return true;
}

enum wgsl_filter wgsl_find_filter(const struct wgsl_attr *list, enum wgsl_filter outer)
{
	for (const struct wgsl_attr *a = list; a != NULL; a = a->next) {
		const struct wgsl_expr *rule = a->args.n == 2 ? a->args.list[1] : NULL;
		const struct wgsl_expr *severity = rule != NULL ? a->args.list[0] : NULL;
		int found;

		if (rule == NULL || !is_filter(a) || rule->kind != EX_IDENT ||
		    strcmp(rule->name->text, "subgroup_uniformity") != 0 ||
		    severity->kind != EX_IDENT)
			continue;
		found = find_text(severities, ARRAY_LEN(severities), severity->name->text);
		if (found >= 0)
			return (enum wgsl_filter)found;
	}
	return outer;
}

static void severities_done(struct map *m)
{
	map_done(m, NULL);
}

bool wgsl_check_filters(struct wgsl_comp *c, const struct wgsl_attr *list, bool is_directive)
{
	AUTO(severities_done) struct map by_rule = { 0 }; /* -> struct wgsl_name, borrowed */

	for (const struct wgsl_attr *a = list; a != NULL; a = a->next) {
		const struct wgsl_name *was;
		const char *rule;

		if (!is_filter(a))
			continue;
		if (!check_filter(c, a))
			return false;
		rule = rule_text(c, a->args.list[1]);
		was = map_set(&by_rule, rule, a->args.list[0]->name);
		if (was != NULL && !check_again(c, a, rule, was, is_directive))
			return false;
	}
	return true;
}
