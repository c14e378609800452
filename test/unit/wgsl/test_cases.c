/*
 * test_cases.c - the kernels of the example jobs: interface, class, order, and the IR of pi.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

struct want {
	const char *const *kernel;
	const char *output;
	enum wgsl_class numeric_class;
	enum wgsl_order order;
};

static const struct want wants[] = {
	{ &kernel_pi, "hits", WGSL_CLASS_DETERMINISTIC, WGSL_ORDER_PROVED },
	{ &kernel_primes, "count", WGSL_CLASS_EXACT, WGSL_ORDER_PROVED },
	{ &kernel_primes, "largest", WGSL_CLASS_EXACT, WGSL_ORDER_PROVED },
	{ &kernel_scale_add, "result", WGSL_CLASS_DETERMINISTIC, WGSL_ORDER_PROVED },
	{ &kernel_mandelbrot, "image", WGSL_CLASS_DETERMINISTIC, WGSL_ORDER_PROVED },
	{ &kernel_matmul, "c", WGSL_CLASS_DETERMINISTIC, WGSL_ORDER_PROVED },
	{ &kernel_reducers, "total", WGSL_CLASS_EXACT, WGSL_ORDER_PROVED },
	{ &kernel_reducers, "pair", WGSL_CLASS_EXACT, WGSL_ORDER_PROVED },
	{ &kernel_reducers, "times", WGSL_CLASS_EXACT, WGSL_ORDER_PROVED },
};

static void every_output_has_its_class_and_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		AUTO(compiled_done) struct compiled c;
		const struct wgsl_binding *b;

		compile(&c, *wants[i].kernel);
		assert_string_equal(first_error(&c), "");
		b = wgsl_find_binding(c.m, wants[i].output);
		assert_non_null(b);
		if (b->numeric_class != wants[i].numeric_class || b->order != wants[i].order)
			fail_msg("%s: %s (%s), %s (%s)", b->name, wgsl_class_name(b->numeric_class),
				 b->class_reason, wgsl_order_name(b->order), b->order_reason);
	}
}

static void pi_has_its_interface(void **state)
{
	AUTO(compiled_done) struct compiled c;
	const struct wgsl_binding *b;

	(void)state;
	compile(&c, kernel_pi);
	assert_int_equal(c.m->n_bindings, 2);
	assert_string_equal(c.m->entry_point, "main");
	assert_int_equal(c.m->workgroup_size[0], 256);
	assert_int_equal(c.m->workgroup_size[1], 1);
	b = &c.m->bindings[0];
	assert_string_equal(b->name, "params");
	assert_int_equal(b->space, WGSL_SPACE_UNIFORM);
	assert_int_equal(b->type->size, 12);
	assert_string_equal(b->type->members[2].name, "samples_per_thread");
	assert_int_equal(b->type->members[2].offset, 8);
	assert_false(b->is_output);
	b = &c.m->bindings[1];
	assert_true(b->is_output && b->is_used);
	assert_int_equal(b->type->kind, WGSL_ATOMIC);
	assert_int_equal(b->array_stride, 0);
	assert_false(c.m->uses_barriers);
	assert_true(c.m->needs_counter);
	assert_true(c.m->needs.rte && c.m->needs.nocontract);
	assert_string_equal(b->class_reason,
			    "decided by f32 values (line 17), only operations with fixed bits");
	assert_string_equal(b->order_reason, "atomic add, result unused");
}

static void runtime_sized_outputs_say_their_stride(void **state)
{
	AUTO(compiled_done) struct compiled c;
	const struct wgsl_binding *b;

	(void)state;
	compile(&c, kernel_mandelbrot);
	b = wgsl_find_binding(c.m, "image");
	assert_int_equal(b->array_stride, 4);
	assert_int_equal(b->array_offset, 0);
	assert_int_equal(b->min_size, 4);
	assert_int_equal(b->n_conditions, 3);
	assert_string_equal(b->conditions[1].text, "invocations in x <= params.width");
	assert_true(b->conditions[1].has_uniform);
	assert_int_equal(b->conditions[1].uniform_offset, 8);
	assert_int_equal(b->conditions[1].axis, 0);
	assert_true(b->conditions[2].is_fit);
	assert_int_equal(b->conditions[2].stride[1].offset, 8);
}

static void matmul_uses_workgroup_memory(void **state)
{
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile(&c, kernel_matmul);
	assert_true(c.m->uses_barriers);
	assert_true(c.m->uses_workgroup_memory);
	assert_int_equal(c.m->workgroup_bytes, 512);
}

/* Short enough to read, long enough to see calls inlined, loops and uniformity. */
static void the_ir_prints_as_before(void **state)
{
	static const char text[] =
	    "struct P { n: u32, k: f32 }\n"
	    "@group(0) @binding(0) var<uniform> p: P;\n"
	    "@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;\n"
	    "fn half(x: u32) -> f32 { return f32(x) / 2.0; }\n"
	    "@compute @workgroup_size(4) fn main("
	    "@builtin(global_invocation_id) id: vec3u) {\n"
	    "  for (var i = 0u; i < p.n; i++) {\n"
	    "    if (half(id.x + i) < p.k) { atomicAdd(&sum, 1u); }\n"
	    "  }\n"
	    "}\n";
	static const char want[] = "entry main workgroup 4 1 1\n"
				   "var 0 function i: u32 uniform read written\n"
				   "var 1 uniform p: P group=0 binding=0 read\n"
				   "var 2 storage sum: atomic<u32> group=0 binding=1 written\n"
				   "%0: vec3<u32> = builtin global_invocation_id\n"
				   "%1: u32 = const 0\n"
				   "%2: f32 = const 2\n"
				   "%3: f32 = const 0.5\n"
				   "%4: u32 = const 1\n"
				   "{\n"
				   "  store @i.0 %1 init\n"
				   "  #6 loop counted uniform {\n"
				   "    %7: u32 = load @i.0 uniform\n"
				   "    %8: u32 = load @p.m0 uniform\n"
				   "    %9: bool = lt %7 %8 uniform\n"
				   "    %10: bool = not %9 uniform\n"
				   "    if %10 uniform {\n"
				   "      break #6 uniform\n"
				   "    }\n"
				   "    %13: u32 = extract %0 .x\n"
				   "    %14: u32 = load @i.0 uniform\n"
				   "    %15: u32 = add %13 %14\n"
				   "    %16: f32 = convert %15\n"
				   "    %17: f32 = mul %16 %3\n"
				   "    %18: f32 = load @p.m1 uniform\n"
				   "    %19: bool = lt %17 %18\n"
				   "    if %19 {\n"
				   "      %21: u32 = atomic add @sum %4\n"
				   "    }\n"
				   "  } continuing {\n"
				   "    %22: u32 = load @i.0 uniform\n"
				   "    %23: u32 = add %22 %4 uniform\n"
				   "    store @i.0 %23\n"
				   "  }\n"
				   "}\n";
	AUTO(compiled_done) struct compiled c;

	(void)state;
	compile(&c, text);
	assert_string_equal(first_error(&c), "");
	wgsl_ir_print(c.m, &c.text);
	assert_string_equal(buf_str(&c.text), want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_output_has_its_class_and_order),
		cmocka_unit_test(pi_has_its_interface),
		cmocka_unit_test(runtime_sized_outputs_say_their_stride),
		cmocka_unit_test(matmul_uses_workgroup_memory),
		cmocka_unit_test(the_ir_prints_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
