/* interp_subgroup.c - see interp_subgroup.h. */
#include "interp_subgroup.h"

#include <string.h>

#include "interp_value.h"

static enum wgsl_op fold_op(enum wgsl_subgroup op)
{
	switch ((int)op) {
	case WGSL_SUBGROUP_ADD:
	case WGSL_SUBGROUP_EXCLUSIVE_ADD:
	case WGSL_SUBGROUP_INCLUSIVE_ADD:
		return WGSL_OP_ADD;
	case WGSL_SUBGROUP_MUL:
	case WGSL_SUBGROUP_EXCLUSIVE_MUL:
	case WGSL_SUBGROUP_INCLUSIVE_MUL:
		return WGSL_OP_MUL;
	case WGSL_SUBGROUP_MIN:
		return WGSL_OP_MIN;
	case WGSL_SUBGROUP_MAX:
		return WGSL_OP_MAX;
	case WGSL_SUBGROUP_AND:
		return WGSL_OP_AND;
	case WGSL_SUBGROUP_OR:
		return WGSL_OP_OR;
	default:
		return WGSL_OP_XOR;
	}
}

static uint64_t neutral(enum wgsl_op op, enum wgsl_kind kind)
{
	switch ((int)op) {
	case WGSL_OP_MUL:
		return kind == WGSL_F32 ? 0x3f800000 : 1;
	case WGSL_OP_AND:
		return 0xffffffff;
	case WGSL_OP_MIN:
		return kind == WGSL_F32 ? 0x7f800000 : kind == WGSL_I32 ? 0x7fffffff : 0xffffffff;
	case WGSL_OP_MAX:
		return kind == WGSL_F32 ? 0xff800000 : kind == WGSL_I32 ? 0x80000000 : 0;
	default:
		return 0;
	}
}

static uint64_t combine(const struct wgsl_inst *i, uint64_t a, uint64_t b)
{
	const struct wgsl_type *scalar = wgsl_type_scalar(i->type);
	struct wgsl_inst operand = { .type = scalar };
	const struct wgsl_inst op = { .op = fold_op(i->u.subgroup),
				      .type = scalar,
				      .args = { &operand, &operand },
				      .n_args = 2 };

	return interp_value(&op, a, b);
}

static bool is_scan(enum wgsl_subgroup op)
{
	return op == WGSL_SUBGROUP_EXCLUSIVE_ADD || op == WGSL_SUBGROUP_INCLUSIVE_ADD ||
	       op == WGSL_SUBGROUP_EXCLUSIVE_MUL || op == WGSL_SUBGROUP_INCLUSIVE_MUL;
}

static bool is_exclusive(enum wgsl_subgroup op)
{
	return op == WGSL_SUBGROUP_EXCLUSIVE_ADD || op == WGSL_SUBGROUP_EXCLUSIVE_MUL;
}

/* Component c: neighbours first, then pairs, then fours. */
static void fold(const struct wgsl_inst *i, struct interp_lane *lanes, uint32_t n, uint32_t c)
{
	uint64_t v[INTERP_MAX_SUBGROUP], next[INTERP_MAX_SUBGROUP];
	uint64_t none = neutral(fold_op(i->u.subgroup), wgsl_type_base(i->type));
	bool scans = is_scan(i->u.subgroup);

	for (uint32_t l = 0; l < n; l++)
		v[l] = lanes[l].is_active ? lanes[l].a[c] : none;
	if (is_exclusive(i->u.subgroup)) {
		memmove(&v[1], &v[0], (n - 1) * sizeof(v[0]));
		v[0] = none;
	}
	for (uint32_t k = 1; k < n; k *= 2) {
		for (uint32_t l = 0; l < n; l++)
			next[l] = scans ? combine(i, l < k ? none : v[l - k], v[l])
					: combine(i, v[l], v[l ^ k]);
		memcpy(v, next, sizeof(v));
	}
	for (uint32_t l = 0; l < n; l++)
		lanes[l].ret[c] = scans ? v[l] : v[0];
}

static void vote(const struct wgsl_inst *i, struct interp_lane *lanes, uint32_t n)
{
	uint32_t bits[4] = { 0 };
	bool all = true, any = false;
	uint32_t first = n;

	for (uint32_t l = n; l-- > 0;) {
		if (!lanes[l].is_active)
			continue;
		first = l;
		all = all && lanes[l].a[0] != 0;
		any = any || lanes[l].a[0] != 0;
		bits[l / 32] |= lanes[l].a[0] != 0 ? 1U << l % 32 : 0;
	}
	for (uint32_t l = 0; l < n; l++) {
		if (i->u.subgroup == WGSL_SUBGROUP_ELECT)
			lanes[l].ret[0] = l == first;
		else if (i->u.subgroup == WGSL_SUBGROUP_ALL)
			lanes[l].ret[0] = all;
		else if (i->u.subgroup == WGSL_SUBGROUP_ANY)
			lanes[l].ret[0] = any;
		for (int w = 0; w < 4 && i->u.subgroup == WGSL_SUBGROUP_BALLOT; w++)
			lanes[l].ret[w] = bits[w];
	}
}

static uint32_t source(enum wgsl_subgroup op, uint32_t l, uint32_t k, uint32_t first)
{
	switch ((int)op) {
	case WGSL_SUBGROUP_BROADCAST_FIRST:
		return first;
	case WGSL_SUBGROUP_SHUFFLE_DOWN:
		return l + k;
	case WGSL_SUBGROUP_SHUFFLE_UP:
		return l - k;
	case WGSL_SUBGROUP_SHUFFLE_XOR:
		return l ^ k;
	case WGSL_SUBGROUP_QUAD_BROADCAST:
		return l / 4 * 4 + k;
	case WGSL_SUBGROUP_QUAD_SWAP_X:
		return l ^ 1;
	case WGSL_SUBGROUP_QUAD_SWAP_Y:
		return l ^ 2;
	case WGSL_SUBGROUP_QUAD_SWAP_DIAGONAL:
		return l ^ 3;
	default:
		return k;
	}
}

static void exchange(const struct wgsl_inst *i, struct interp_lane *lanes, uint32_t n)
{
	uint32_t first = 0;

	while (first < n && !lanes[first].is_active)
		first++;
	for (uint32_t l = 0; l < n; l++) {
		const struct interp_lane *from =
		    &lanes[source(i->u.subgroup, l, lanes[l].k, first) % n];

		for (uint32_t c = 0; c < wgsl_type_width(i->type); c++)
			lanes[l].ret[c] = from->is_active ? from->a[c] : 0;
	}
}

void interp_subgroup(const struct wgsl_inst *i, struct interp_lane *lanes, uint32_t n)
{
	if (i->u.subgroup <= WGSL_SUBGROUP_BALLOT) {
		vote(i, lanes, n);
	} else if (i->u.subgroup >= WGSL_SUBGROUP_ADD && i->u.subgroup <= WGSL_SUBGROUP_XOR) {
		for (uint32_t c = 0; c < wgsl_type_width(i->type); c++)
			fold(i, lanes, n, c);
	} else {
		exchange(i, lanes, n);
	}
}
