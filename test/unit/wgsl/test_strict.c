/*
 * test_strict.c - numerics: Strict in the front end: what becomes of loose operations, and how
 * much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "compile.h"

/* Everything of docs/numerics.md 3. */
static const char *const loose[] = {
	"a / b",
	"a % b",
	"sqrt(a)",
	"inverseSqrt(a)",
	"exp(a)",
	"exp2(a)",
	"log(a)",
	"log2(a)",
	"pow(a, b)",
	"sin(a)",
	"cos(a)",
	"tan(a)",
	"asin(a)",
	"acos(a)",
	"atan(a)",
	"atan2(a, b)",
	"sinh(a)",
	"cosh(a)",
	"tanh(a)",
	"asinh(a)",
	"acosh(a)",
	"atanh(a)",
	"length(v)",
	"distance(v, v.yx)",
	"normalize(v).x",
	"smoothstep(a, b, 0.5)",
	"unpack2x16unorm(u).x",
	"refract(v, v.yx, a).x",
	"unpack4x8snorm(u).y",
};

static void compile_expr(struct compiled *c, const char *expr, bool strict, bool division)
{
	char text[512];
	struct wgsl_source src = { .text = text, .strict = strict, .strict_division = division };

	snprintf(
	    text, sizeof(text),
	    "@group(0) @binding(0) var<storage> in: array<f32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> o: array<f32>;\n"
	    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
	    "  let a = in[id.x]; let b = in[id.x + 1]; let v = vec2f(a, b); let u = id.x;\n"
	    "  o[id.x] = %s;\n"
	    "}\n",
	    expr);
	src.len = strlen(text);
	compile_source(c, &src);
	assert_string_equal(first_error(c), "");
}

static bool holds(const struct wgsl_block *b, enum wgsl_op op, bool strict)
{
	for (const struct wgsl_inst *i = b->first; i != NULL; i = i->next)
		if ((i->op == op && i->is_strict == strict &&
		     (op == WGSL_OP_MATH || wgsl_type_is_float(i->type))) ||
		    holds(&i->blocks[0], op, strict))
			return true;
	return false;
}

static void loose_operations_get_fixed_bits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loose) * 3; i++) {
		AUTO(compiled_done) struct compiled c;
		int how = (int)(i % 3);

		compile_expr(&c, loose[i / 3], how > 0, how == 2);
		if (c.m->numeric_class !=
		    (how == 0 ? WGSL_CLASS_TOLERANCE : WGSL_CLASS_DETERMINISTIC))
			fail_msg("%s: class %s", loose[i / 3], wgsl_class_name(c.m->numeric_class));
		assert_true(how == 0 || !holds(&c.m->fn.body, WGSL_OP_MATH, false));
		assert_true(how == 0 || !holds(&c.m->fn.body, WGSL_OP_DIV, false));
		assert_true(how == 0 || !holds(&c.m->fn.body, WGSL_OP_SQRT, false));
		assert_true(how != 2 || !holds(&c.m->fn.body, WGSL_OP_DIV, true));
		assert_true(how != 2 || !holds(&c.m->fn.body, WGSL_OP_SQRT, true));
		assert_true(c.m->needs.rte && c.m->needs.denorm && c.m->needs.infnan);
		if (how > 0)
			assert_non_null(strstr(wgsl_find_binding(c.m, "o")->class_reason,
					       "only operations with fixed bits"));
	}
}

static void functions_stay_small(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loose); i++) {
		AUTO(compiled_done) struct compiled c;
		AUTO(compiled_done) struct compiled d;

		compile_expr(&c, loose[i], true, false);
		compile_expr(&d, loose[i], true, true);
		print_message("%-24s %4u instructions, %4u without division\n", loose[i],
			      c.m->fn.n_insts, d.m->fn.n_insts);
		assert_in_range(c.m->fn.n_insts, 1, 400);
		assert_in_range(d.m->fn.n_insts, 1, 900);
	}
}

/* A kernel may have some hundred of the largest. */
static void many_calls_fit(void **state)
{
	AUTO(buf_done) struct buf text = { .max = 1 << 16 };
	AUTO(compiled_done) struct compiled c;
	struct wgsl_source src = { .strict = true };

	(void)state;
	buf_note(&text, "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n"
			"@compute @workgroup_size(1) fn main() {\n");
	for (int i = 0; i < 500; i++)
		buf_note(&text, "  o[%d] = sin(o[%d]) + pow(o[1], o[2]);\n", i, i);
	buf_note(&text, "}\n");
	src.text = buf_str(&text);
	src.len = text.len;
	compile_source(&c, &src);
	assert_string_equal(first_error(&c), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loose_operations_get_fixed_bits),
		cmocka_unit_test(functions_stay_small),
		cmocka_unit_test(many_calls_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
