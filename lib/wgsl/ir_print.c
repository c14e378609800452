/*
 * ir_print.c - the IR as text.
 */
#include "wgsl/ir.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "wgsl/wgsl.h"

static const char *const op_names[WGSL_OP_COUNT_] = {
	[WGSL_OP_CONST] = "const",
	[WGSL_OP_BUILTIN] = "builtin",
	[WGSL_OP_NEG] = "neg",
	[WGSL_OP_NOT] = "not",
	[WGSL_OP_ADD] = "add",
	[WGSL_OP_SUB] = "sub",
	[WGSL_OP_MUL] = "mul",
	[WGSL_OP_DIV] = "div",
	[WGSL_OP_REM] = "rem",
	[WGSL_OP_AND] = "and",
	[WGSL_OP_OR] = "or",
	[WGSL_OP_XOR] = "xor",
	[WGSL_OP_SHL] = "shl",
	[WGSL_OP_SHR] = "shr",
	[WGSL_OP_EQ] = "eq",
	[WGSL_OP_NE] = "ne",
	[WGSL_OP_LT] = "lt",
	[WGSL_OP_LE] = "le",
	[WGSL_OP_GT] = "gt",
	[WGSL_OP_GE] = "ge",
	[WGSL_OP_MIN] = "min",
	[WGSL_OP_MAX] = "max",
	[WGSL_OP_ABS] = "abs",
	[WGSL_OP_POPCOUNT] = "popcount",
	[WGSL_OP_CLZ] = "clz",
	[WGSL_OP_CTZ] = "ctz",
	[WGSL_OP_REVERSE] = "reverse",
	[WGSL_OP_FLOOR] = "floor",
	[WGSL_OP_CEIL] = "ceil",
	[WGSL_OP_TRUNC] = "trunc",
	[WGSL_OP_ROUND] = "round",
	[WGSL_OP_SQRT] = "sqrt",
	[WGSL_OP_MATH] = "math",
	[WGSL_OP_CANON] = "canon",
	[WGSL_OP_CONVERT] = "convert",
	[WGSL_OP_BITCAST] = "bitcast",
	[WGSL_OP_SELECT] = "select",
	[WGSL_OP_SPLAT] = "splat",
	[WGSL_OP_COMPOSE] = "compose",
	[WGSL_OP_EXTRACT] = "extract",
	[WGSL_OP_EXTRACT_DYN] = "extract_dyn",
	[WGSL_OP_SWIZZLE] = "swizzle",
	[WGSL_OP_LOAD] = "load",
	[WGSL_OP_STORE] = "store",
	[WGSL_OP_ZERO] = "zero",
	[WGSL_OP_ARRAY_LENGTH] = "array_length",
	[WGSL_OP_ATOMIC] = "atomic",
	[WGSL_OP_BARRIER] = "barrier",
	[WGSL_OP_SUBGROUP] = "subgroup",
	[WGSL_OP_IF] = "if",
	[WGSL_OP_SWITCH] = "switch",
	[WGSL_OP_LOOP] = "loop",
	[WGSL_OP_SCOPE] = "scope",
	[WGSL_OP_BREAK] = "break",
	[WGSL_OP_CONTINUE] = "continue",
	[WGSL_OP_RETURN] = "return",
};

static const char *const math_names[WGSL_MATH_COUNT_] = {
	"inverseSqrt", "exp",  "exp2", "log",  "log2",  "sin",   "cos",   "tan", "asin",  "acos",
	"atan",        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "atan2",
};

static const char *const atomic_names[WGSL_ATOMIC_COUNT_] = {
	"load",
	"store",
	"add",
	"sub",
	"max",
	"min",
	"and",
	"or",
	"xor",
	"exchange",
	"compare_exchange",
};

static const char *const subgroup_names[WGSL_SUBGROUP_COUNT_] = {
	[WGSL_SUBGROUP_ELECT] = "subgroupElect",
	[WGSL_SUBGROUP_ALL] = "subgroupAll",
	[WGSL_SUBGROUP_ANY] = "subgroupAny",
	[WGSL_SUBGROUP_BALLOT] = "subgroupBallot",
	[WGSL_SUBGROUP_BROADCAST] = "subgroupBroadcast",
	[WGSL_SUBGROUP_BROADCAST_FIRST] = "subgroupBroadcastFirst",
	[WGSL_SUBGROUP_SHUFFLE] = "subgroupShuffle",
	[WGSL_SUBGROUP_SHUFFLE_DOWN] = "subgroupShuffleDown",
	[WGSL_SUBGROUP_SHUFFLE_UP] = "subgroupShuffleUp",
	[WGSL_SUBGROUP_SHUFFLE_XOR] = "subgroupShuffleXor",
	[WGSL_SUBGROUP_ADD] = "subgroupAdd",
	[WGSL_SUBGROUP_EXCLUSIVE_ADD] = "subgroupExclusiveAdd",
	[WGSL_SUBGROUP_INCLUSIVE_ADD] = "subgroupInclusiveAdd",
	[WGSL_SUBGROUP_MUL] = "subgroupMul",
	[WGSL_SUBGROUP_EXCLUSIVE_MUL] = "subgroupExclusiveMul",
	[WGSL_SUBGROUP_INCLUSIVE_MUL] = "subgroupInclusiveMul",
	[WGSL_SUBGROUP_MIN] = "subgroupMin",
	[WGSL_SUBGROUP_MAX] = "subgroupMax",
	[WGSL_SUBGROUP_AND] = "subgroupAnd",
	[WGSL_SUBGROUP_OR] = "subgroupOr",
	[WGSL_SUBGROUP_XOR] = "subgroupXor",
	[WGSL_SUBGROUP_QUAD_BROADCAST] = "quadBroadcast",
	[WGSL_SUBGROUP_QUAD_SWAP_DIAGONAL] = "quadSwapDiagonal",
	[WGSL_SUBGROUP_QUAD_SWAP_X] = "quadSwapX",
	[WGSL_SUBGROUP_QUAD_SWAP_Y] = "quadSwapY",
};

static const char *const builtin_names[WGSL_BUILTIN_COUNT_] = {
	"global_invocation_id", "local_invocation_id", "local_invocation_index",
	"workgroup_id",         "num_workgroups",      "subgroup_invocation_id",
	"subgroup_size",        "subgroup_id",         "num_subgroups",
};

static const char *const class_names[] = { "Exact", "Deterministic", "Tolerance" };
static const char *const order_names[] = { "Proved", "Assumed" };

const char *wgsl_op_name(enum wgsl_op op)
{
	return op_names[op];
}

const char *wgsl_math_name(enum wgsl_math fn)
{
	return math_names[fn];
}

const char *wgsl_atomic_name(enum wgsl_atomic op)
{
	return atomic_names[op];
}

const char *wgsl_subgroup_name(enum wgsl_subgroup op)
{
	return subgroup_names[op];
}

const char *wgsl_builtin_name(enum wgsl_builtin b)
{
	return builtin_names[b];
}

const char *wgsl_class_name(enum wgsl_class c)
{
	return class_names[c];
}

const char *wgsl_order_name(enum wgsl_order o)
{
	return order_names[o];
}

/* ---- instructions ------------------------------------------------------------------------ */

static void print_block(const struct wgsl_block *b, int indent, struct buf *out);

static void pad(int indent, struct buf *out)
{
	for (int i = 0; i < indent; i++)
		buf_note(out, "  ");
}

static void print_bits(enum wgsl_kind kind, uint64_t bits, struct buf *out)
{
	uint32_t b = (uint32_t)bits;
	char text[NUM_TEXT];
	double d;
	float f;

	memcpy(&f, &b, sizeof(f));
	memcpy(&d, &bits, sizeof(d));
	if (kind == WGSL_BOOL)
		buf_note(out, "%s", b != 0 ? "true" : "false");
	else if (kind == WGSL_I32)
		buf_note(out, "%d", (int32_t)b);
	else if (kind == WGSL_F32)
		buf_note(out, "%s", num_print_f32(f, text));
	else if (kind == WGSL_F64)
		buf_note(out, "%s", num_print_f64(d, text));
	else if (kind == WGSL_I64)
		buf_note(out, "%lld", (long long)bits);
	else if (kind == WGSL_U64)
		buf_note(out, "%llu", (unsigned long long)bits);
	else
		buf_note(out, "%u", b);
}

static void print_path(const struct wgsl_path *p, struct buf *out)
{
	buf_note(out, " @%s", p->var->name);
	if (p->var->space == WGSL_SPACE_FUNCTION)
		buf_note(out, ".%u", p->var->id);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		const struct wgsl_step *s = &p->steps[i];

		if (s->kind == WGSL_STEP_MEMBER)
			buf_note(out, ".m%u", s->index);
		else if (s->kind == WGSL_STEP_CONST)
			buf_note(out, "[%u%s]", s->index, s->in_range ? "" : " clamped");
		else
			buf_note(out, "[%%%u%s]", s->value->id, s->in_range ? "" : " clamped");
	}
}

static void print_detail(const struct wgsl_inst *i, struct buf *out)
{
	if (i->op == WGSL_OP_CONST)
		for (uint32_t k = 0; k < wgsl_type_width(i->type); k++) {
			buf_note(out, k == 0 ? " " : ", ");
			print_bits(wgsl_type_base(i->type), i->u.bits[k], out);
		}
	if (i->op == WGSL_OP_BUILTIN)
		buf_note(out, " %s", builtin_names[i->u.builtin]);
	if (i->op == WGSL_OP_MATH)
		buf_note(out, " %s", math_names[i->u.math]);
	if (i->op == WGSL_OP_ATOMIC)
		buf_note(out, " %s", atomic_names[i->u.atomic]);
	if (i->op == WGSL_OP_SUBGROUP)
		buf_note(out, " %s", subgroup_names[i->u.subgroup]);
	if (i->op == WGSL_OP_BARRIER)
		buf_note(out, "%s%s", i->barrier_workgroup ? " workgroup" : "",
			 i->barrier_storage ? " storage" : "");
	if (i->path != NULL)
		print_path(i->path, out);
	for (uint32_t k = 0; k < i->n_args; k++)
		buf_note(out, " %%%u", i->args[k]->id);
	if (i->op == WGSL_OP_EXTRACT)
		buf_note(out, " .%c", "xyzw"[i->lanes[0]]);
	if (i->op == WGSL_OP_SWIZZLE) {
		buf_note(out, " .");
		for (uint32_t k = 0; k < wgsl_type_width(i->type); k++)
			buf_note(out, "%c", "xyzw"[i->lanes[k]]);
	}
	if (i->target != NULL)
		buf_note(out, " #%u", i->target->id);
}

static void print_flags(const struct wgsl_inst *i, struct buf *out)
{
	if (i->is_strict)
		buf_note(out, " strict");
	if (i->is_init)
		buf_note(out, " init");
	if (i->op == WGSL_OP_ATOMIC && i->is_used)
		buf_note(out, " used");
	if (i->op == WGSL_OP_LOOP && i->needs_counter)
		buf_note(out, " counted");
	if (i->op == WGSL_OP_LOOP && i->u.max_passes > 0)
		buf_note(out, " max=%llu", (unsigned long long)i->u.max_passes);
	if (i->is_uniform && i->op != WGSL_OP_CONST &&
	    (i->type->kind != WGSL_VOID || i->op >= WGSL_OP_IF))
		buf_note(out, " uniform");
}

static void print_switch(const struct wgsl_inst *i, int indent, struct buf *out)
{
	for (uint32_t k = 0; k < i->n_cases; k++) {
		const struct wgsl_case *c = &i->cases[k];

		pad(indent, out);
		buf_note(out, "case");
		for (uint32_t n = 0; n < c->n_values; n++)
			buf_note(out, " %d", (int32_t)c->values[n]);
		buf_note(out, c->is_default ? " default {\n" : " {\n");
		print_block(&c->block, indent + 1, out);
		pad(indent, out);
		buf_note(out, "}\n");
	}
}

static void print_nested(const struct wgsl_inst *i, int indent, struct buf *out)
{
	const char *second = i->op == WGSL_OP_IF ? "else" : "continuing";

	buf_note(out, " {\n");
	if (i->op == WGSL_OP_SWITCH)
		print_switch(i, indent + 1, out);
	else
		print_block(&i->blocks[0], indent + 1, out);
	if (i->blocks[1].first != NULL) {
		pad(indent, out);
		buf_note(out, "} %s {\n", second);
		print_block(&i->blocks[1], indent + 1, out);
	}
	pad(indent, out);
	buf_note(out, "}\n");
}

static void print_inst(const struct wgsl_inst *i, int indent, struct buf *out)
{
	bool is_control = i->op >= WGSL_OP_IF && i->op <= WGSL_OP_SCOPE;

	pad(indent, out);
	if (is_control && i->op != WGSL_OP_IF)
		buf_note(out, "#%u ", i->id);
	if (i->type->kind != WGSL_VOID) {
		buf_note(out, "%%%u: ", i->id);
		wgsl_type_print(i->type, out);
		buf_note(out, " = ");
	}
	buf_note(out, "%s", op_names[i->op]);
	print_detail(i, out);
	print_flags(i, out);
	if (is_control)
		print_nested(i, indent, out);
	else
		buf_note(out, "\n");
}

static void print_block(const struct wgsl_block *b, int indent, struct buf *out)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		print_inst(i, indent, out);
}

static void print_var(const struct wgsl_var *v, struct buf *out)
{
	buf_note(out, "var %u %s %s: ", v->id, wgsl_space_name(v->space), v->name);
	wgsl_type_print(v->type, out);
	if (v->space == WGSL_SPACE_UNIFORM || v->space == WGSL_SPACE_STORAGE)
		buf_note(out, " group=%u binding=%u", v->group, v->binding);
	if (v->is_uniform)
		buf_note(out, " uniform");
	buf_note(out, "%s%s\n", v->is_read ? " read" : "", v->is_written ? " written" : "");
}

void wgsl_ir_print(const struct wgsl_module *m, struct buf *out)
{
	buf_note(out, "entry %s workgroup %u %u %u", m->entry_point, m->workgroup_size[0],
		 m->workgroup_size[1], m->workgroup_size[2]);
	if (m->subgroup_size > 0)
		buf_note(out, " subgroup %u", m->subgroup_size);
	buf_note(out, "\n");
	for (uint32_t i = 0; i < m->n_vars; i++)
		print_var(m->vars[i], out);
	print_block(&m->fn.values, 0, out);
	buf_note(out, "{\n");
	print_block(&m->fn.body, 1, out);
	buf_note(out, "}\n");
}
