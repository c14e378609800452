/*
 * test_subgroup.c - what is said about kernels with subgroups: errors, classes, orders, needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

struct row {
	const char *body; /* compile_subgroup_body */
	const char *want;
};

static const struct row errors[] = {
	{ "let x = subgroupSuffle(1u, 1);",
	  "2:9: unknown name 'subgroupSuffle'; did you mean 'subgroupShuffle'?" },
	{ "let x = subgroupAdd(true);",
	  "2:21: subgroupAdd needs a number or a vector of numbers here, not bool" },
	{ "let x = subgroupXor(1.5);",
	  "2:21: subgroupXor needs an integer or a vector of integers here, not f32" },
	{ "let x = subgroupAll(1u);", "2:21: the argument is u32, but must be bool" },
	{ "let x = subgroupBroadcast(1u, n);",
	  "2:31: subgroupBroadcast needs a constant here; subgroupShuffle takes any number" },
	{ "let x = subgroupBroadcast(1u, 128);",
	  "2:31: subgroupBroadcast needs a number from 0 to 127 here" },
	{ "let x = quadBroadcast(1u, s);", "2:27: quadBroadcast needs a constant here" },
	{ "let x = quadBroadcast(1u, 4);", "2:27: quadBroadcast needs a number from 0 to 3 here" },
	{ "let x = subgroupShuffle(1u, 1.5);",
	  "2:29: subgroupShuffle needs an i32 or u32 here, not f32" },
	{ "let x = subgroupShuffleUp(1u, 1i);", "2:31: the delta is i32, but must be u32" },
	{ "let x = subgroupShuffleXor(1u, 1i);", "2:32: the mask is i32, but must be u32" },
	{ "let x = subgroupShuffleDown(1u, 128);",
	  "2:33: subgroupShuffleDown needs a number from 0 to 127 here" },
	{ "subgroupElect();", "2:1: the result of subgroupElect must be used" },
	{ "if s == 0u { o[0] = subgroupAdd(1u); }",
	  "2:21: subgroupAdd must be reached by all invocations of a subgroup, but control flow "
	  "here may differ between them" },
	{ "let x = subgroupShuffleUp(1u, s);",
	  "2:9: subgroupShuffleUp needs the same delta for all invocations of a subgroup, but it "
	  "depends on subgroup_invocation_id" },
	{ "let x = subgroupShuffleXor(1u, subgroupShuffle(s, 1));",
	  "2:9: subgroupShuffleXor needs the same mask for all invocations of a subgroup, but it "
	  "depends on subgroupShuffle" },
};

static void errors_say_what_was_expected(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		AUTO(compiled_done) struct compiled c;

		compile_subgroup_body(&c, errors[i].body);
		if (strcmp(first_error(&c), errors[i].want) != 0)
			fail_msg("%s\n got  %s\n want %s", errors[i].body, first_error(&c),
				 errors[i].want);
	}
}

static void wide_values_are_refused_by_name(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile(&c, "enable subgroups; enable kwarp_i64;\n"
		    "@compute @workgroup_size(1) fn main() { let x = subgroupAdd(1li); }");
	assert_string_equal(first_error(&c), "2:61: subgroupAdd of i64 is not supported");
}

static void a_warning_is_no_error(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile_subgroup_body(&c, "@diagnostic(warning, subgroup_uniformity)\n"
				  "if s == 0u { o[0] = subgroupAdd(1u) + subgroupMul(2u); }");
	assert_non_null(c.m);
	assert_int_equal(c.diags.n_errors, 0);
	assert_true(c.diags.n > 0);
	assert_int_equal(c.diags.list[0].severity, WGSL_WARNING);
	assert_string_equal(c.diags.list[0].message,
			    "subgroupAdd must be reached by all invocations of a subgroup, but "
			    "control flow here may differ between them");
}

/* of the output o, or f where that is written */
static const struct row verdicts[] = {
	{ "o[id.x] = subgroupAdd(id.x);",
	  "Exact Assumed: subgroupAdd depends on the subgroup size, which devices choose "
	  "(line 2)" },
	{ "o[id.x] = id.x / n;",
	  "Exact Assumed: subgroup_size is used, and devices choose how large subgroups are "
	  "(line 1)" },
	{ "if subgroupElect() { atomicAdd(&at, 1u); } o[id.x] = 1u;",
	  "Exact Proved: each element is written by at most one invocation" },
	{ "f[id.x] = subgroupAdd(in[id.x]);",
	  "Tolerance Assumed: subgroupAdd depends on the subgroup size, which devices choose "
	  "(line 2)" },
	{ "f[id.x] = subgroupMax(in[id.x]);",
	  "Tolerance Assumed: subgroupMax depends on the subgroup size, which devices choose "
	  "(line 2)" },
	{ "f[id.x] = subgroupShuffleXor(in[id.x], 1);",
	  "Deterministic Assumed: subgroupShuffleXor depends on the subgroup size, which devices "
	  "choose (line 2)" },
	{ "o[id.x] = u32(subgroupAny(in[id.x] > 0.5));",
	  "Deterministic Assumed: subgroupAny depends on the subgroup size, which devices choose "
	  "(line 2)" },
};

static void outputs_that_subgroups_reach_depend_on_the_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_binding *b;

		compile_subgroup_body(&c, verdicts[i].body);
		if (c.m == NULL)
			fail_msg("%s\n %s", verdicts[i].body, first_error(&c));
		assert_true(c.m->needs.subgroup);
		b = wgsl_find_binding(c.m, verdicts[i].body[0] == 'f' ? "f" : "o");
		buf_note(&c.text, "%s %s: %s", wgsl_class_name(b->numeric_class),
			 wgsl_order_name(b->order), b->order_reason);
		if (strcmp(buf_str(&c.text), verdicts[i].want) != 0)
			fail_msg("%s\n got  %s\n want %s", verdicts[i].body, buf_str(&c.text),
				 verdicts[i].want);
	}
}

/* Then size and number are known, but not yet who is in which. */
static void a_size_that_is_asked_for_is_needed(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile(&c, "enable subgroups, subgroup_size_control;\n"
		    "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
		    "@group(0) @binding(1) var<storage, read_write> p: array<u32>;\n"
		    "override k = 16;\n"
		    "@compute @workgroup_size(2 * k, 3) @subgroup_size(k)\n"
		    "fn main(@builtin(global_invocation_id) id: vec3u,\n"
		    "        @builtin(local_invocation_index) l: u32,\n"
		    "        @builtin(subgroup_size) n: u32, @builtin(num_subgroups) many: u32) {\n"
		    "  o[id.x] = n * 100u + many;\n"
		    "  p[id.x] = subgroupAdd(l);\n"
		    "}\n");
	assert_non_null(c.m);
	assert_int_equal(c.m->subgroup_size, 16);
	assert_int_equal(c.m->needs.subgroup_size, 16);
	assert_true(c.m->needs.subgroup);
	wgsl_ir_print(c.m, &c.text);
	assert_non_null(strstr(buf_str(&c.text), "entry main workgroup 32 3 1 subgroup 16\n"));
	assert_null(strstr(buf_str(&c.text), "subgroup_size"));
	assert_null(strstr(buf_str(&c.text), "num_subgroups"));
	assert_string_equal(wgsl_find_binding(c.m, "p")->order_reason,
			    "subgroupAdd depends on who is in a subgroup, which devices choose "
			    "(line 10)");
}

static void no_size_is_needed_where_none_is_asked_for(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile_subgroup_body(&c, "o[id.x] = subgroupAdd(1u);");
	assert_non_null(c.m);
	assert_int_equal(c.m->needs.subgroup_size, 0);
}

static void the_class_names_the_fold(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile_subgroup_body(&c, "f[id.x] = subgroupInclusiveAdd(in[id.x]);");
	assert_non_null(c.m);
	assert_string_equal(wgsl_find_binding(c.m, "f")->class_reason,
			    "computed with subgroupInclusiveAdd of floats (line 2), which has no "
			    "fixed bits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_say_what_was_expected),
		cmocka_unit_test(wide_values_are_refused_by_name),
		cmocka_unit_test(a_warning_is_no_error),
		cmocka_unit_test(outputs_that_subgroups_reach_depend_on_the_order),
		cmocka_unit_test(a_size_that_is_asked_for_is_needed),
		cmocka_unit_test(no_size_is_needed_where_none_is_asked_for),
		cmocka_unit_test(the_class_names_the_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
