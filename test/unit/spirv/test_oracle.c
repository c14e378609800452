/*
 * test_oracle.c - spirv-val takes our code of every kernel that other compilers are compared on
 * (test/oracle/kernels).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "check.h"
#include "spirv/spirv.h"
#include "test/oracle/kernels.h"
#include "test/valid/valid.h"
#include "wgsl/wgsl.h"

/* A device that has everything, and one that has what Vulkan promises. */
static const struct spirv_options ALL = {
	.rte32 = true,
	.denorm_preserve32 = true,
	.signed_zero_inf_nan32 = true,
	.int64 = true,
	.float64 = true,
	.subgroups = true,
	.subgroup_sizes = 252,
};
static const struct spirv_options LEAST = { .int64 = false };

static void validate(const struct kernel *k, const struct spirv_options *options, bool strict)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	const struct wgsl_source src = { .text = k->text,
					 .len = strlen(k->text),
					 .constants = k->sets,
					 .n_constants = k->n_sets,
					 .strict = strict,
					 .strict_division = strict };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct spirv_layout layout;
	struct err err = { 0 };

	/* A difference to the specification that test/oracle/differences.txt argues. */
	if (wgsl_compile(&src, &arena, &m, &diags, &err) < 0)
		return;
	if (m->uses_subgroups && !options->subgroups)
		return;
	if (spirv_compile(m, options, &words, &layout, &err) < 0)
		fail_msg("%s: %s", k->name, err.text);
	check_valid(words.data, words.len, k->text);
}

static void every_kernel_of_the_oracles_is_valid(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct kernels all;
	struct err err = { 0 };
	size_t n = 0;

	(void)state;
	if (kernels_load("test/oracle/kernels", &arena, &all, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < all.n; i++) {
		const struct kernel *k = &all.list[i];

		if (k->is_reject)
			continue;
		validate(k, n % 2 == 0 ? &ALL : &LEAST, n % 3 == 0);
		n++;
	}
	print_message("# %zu kernels\n", n);
	assert_true(n > 400);
}

/* Else a validator that takes everything would go unnoticed. */
static void the_validator_refuses_a_module_without_instructions(void **state)
{
	static const uint32_t header[] = { 0x07230203, 0x00010300, 0, 1, 0 };
	char why[128] = "";

	(void)state;
	assert_false(valid_module(header, sizeof(header), why, sizeof(why)));
	assert_non_null(strstr(why, "OpMemoryModel"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_validator_refuses_a_module_without_instructions),
		cmocka_unit_test(every_kernel_of_the_oracles_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
