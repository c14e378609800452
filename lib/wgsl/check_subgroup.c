/*
 * check_subgroup.c - typing of the functions of subgroups and quads.
 */
#include "wgsl/check_int.h"
#include "wgsl/fn_int.h"

enum { MAX_SUBGROUP = 128, QUAD = 4 };

static struct wgsl_expr *arg(const struct wgsl_expr *e, uint32_t i)
{
	return e->args.list[i];
}

static const char *name_of(const struct wgsl_expr *e)
{
	return wgsl_fns[e->builtin].name;
}

/* The value that is exchanged: a scalar or vector of numbers, of 32 bits or f16. */
static bool check_value(struct wgsl_comp *c, struct wgsl_expr *e, bool is_bits)
{
	const struct wgsl_type *t;

	if (!wgsl_coerce_concrete(c, arg(e, 0)))
		return false;
	t = arg(e, 0)->type;
	if (!wgsl_is_numeric(t) || (is_bits && !wgsl_type_is_integer(t))) {
		wgsl_error(c, arg(e, 0)->whole, "%s needs %s here, not %s", name_of(e),
			   is_bits ? "an integer or a vector of integers"
				   : "a number or a vector of numbers",
			   wgsl_type_text(c, t));
		return false;
	}
	if (wgsl_is_wide(t)) {
		wgsl_error(c, arg(e, 0)->whole, "%s of %s is not supported", name_of(e),
			   wgsl_type_text(c, t));
		return false;
	}
	e->type = t;
	return true;
}

static bool check_range(struct wgsl_comp *c, const struct wgsl_expr *e, int64_t end)
{
	const struct wgsl_value *v = arg(e, 1)->value;

	if (v == NULL || (v->v[0].i >= 0 && v->v[0].i < end))
		return true;
	wgsl_error(c, arg(e, 1)->whole, "%s needs a number from 0 to %lld here", name_of(e),
		   (long long)(end - 1));
	return false;
}

/* Who is asked: an i32 or u32; must it be constant? */
static bool check_id(struct wgsl_comp *c, struct wgsl_expr *e, int64_t end, bool is_const)
{
	const struct wgsl_type *t;

	if (!wgsl_coerce_concrete(c, arg(e, 1)))
		return false;
	t = arg(e, 1)->type;
	if (!wgsl_is_word(t)) {
		wgsl_error(c, arg(e, 1)->whole, "%s needs an i32 or u32 here, not %s", name_of(e),
			   wgsl_type_text(c, t));
		return false;
	}
	if (is_const && arg(e, 1)->stage != STAGE_CONST) {
		wgsl_error(c, arg(e, 1)->whole, "%s needs a constant here%s", name_of(e),
			   e->builtin == FN_SUBGROUP + WGSL_SUBGROUP_BROADCAST
			       ? "; subgroupShuffle takes any number"
			       : "");
		return false;
	}
	return check_range(c, e, end);
}

static bool check_delta(struct wgsl_comp *c, struct wgsl_expr *e, const char *what)
{
	return wgsl_coerce(c, arg(e, 1), c->basic[WGSL_U32], what) &&
	       check_range(c, e, MAX_SUBGROUP);
}

/* elect, all, any, ballot */
static bool check_vote(struct wgsl_comp *c, struct wgsl_expr *e, bool is_ballot)
{
	e->type = is_ballot ? wgsl_vec(c, c->basic[WGSL_U32], 4) : c->basic[WGSL_BOOL];
	return e->args.n == 0 || wgsl_coerce(c, arg(e, 0), c->basic[WGSL_BOOL], "the argument");
}

bool wgsl_check_subgroup(struct wgsl_comp *c, struct wgsl_expr *e)
{
	int f = e->builtin - FN_SUBGROUP;

	if (f <= WGSL_SUBGROUP_BALLOT)
		return check_vote(c, e, f == WGSL_SUBGROUP_BALLOT);
	if (!check_value(c, e, f >= WGSL_SUBGROUP_AND && f <= WGSL_SUBGROUP_XOR))
		return false;
	switch (f) {
	case WGSL_SUBGROUP_BROADCAST:
		return check_id(c, e, MAX_SUBGROUP, true);
	case WGSL_SUBGROUP_QUAD_BROADCAST:
		return check_id(c, e, QUAD, true);
	case WGSL_SUBGROUP_SHUFFLE:
		return check_id(c, e, MAX_SUBGROUP, false);
	case WGSL_SUBGROUP_SHUFFLE_DOWN:
	case WGSL_SUBGROUP_SHUFFLE_UP:
		return check_delta(c, e, "the delta");
	case WGSL_SUBGROUP_SHUFFLE_XOR:
		return check_delta(c, e, "the mask");
	default:
		return true;
	}
}
