/*
 * test_kernels.c - random kernels of test/random, which use the whole language: machine code and
 * the interpreter give the same memory. `make differential` runs many more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kernel.h"
#include "test/random/random.h"
#include "wgsl/fn_int.h"

static uint32_t n_kernels = 12;
static bool has_wide = true;

static void check(uint32_t seed)
{
	static const struct native_options options[] = {
		{ .lanes = 4 }, { .lanes = 16, .reverse_lanes = true }, { 0 }, { .lanes = 64 }
	};
	struct random_choices c = { .state = seed * 2654435761U };
	struct random_features f;
	struct random_kernel r;
	struct kernel k = { .numerics = seed % 4 == 3 ? KERNEL_STRICT : KERNEL_NATIVE,
			    .seed = seed };

	random_features(&c, has_wide, &f);
	/* f16 and f64 functions keep their class. */
	f.math = f.floats && k.numerics == KERNEL_STRICT && !f.f16 && !f.f64;
	random_make(&c, &f, &r);
	k.text = buf_str(&r.text);
	memcpy(k.invocations, r.invocations, sizeof(k.invocations));
	memcpy(k.sizes, r.sizes, sizeof(k.sizes));
	k.words[RANDOM_UNIFORM] = r.uniform;
	print_message("seed %u\n", seed);
	kernel_check(&k, &options[seed % ARRAY_LEN(options)]);
	random_kernel_done(&r);
}

static void random_kernels_do_what_the_interpreter_does(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= n_kernels; seed++)
		check(seed);
}

static void note_all(struct buf *out)
{
	for (uint32_t seed = 1; seed <= 600; seed++) {
		struct random_choices c = { .state = seed * 2654435761U };
		struct random_features f = { .floats = true,
					     .math = true,
					     .f16 = true,
					     .i64 = true,
					     .f64 = true,
					     .length = 40 };
		struct random_kernel r;
		struct err err = { 0 };

		random_make(&c, &f, &r);
		assert_int_equal(buf_adds(out, buf_str(&r.text), &err), 0);
		random_kernel_done(&r);
	}
}

/* Of builtin functions all; of the rest what each needs code of its own for. */
static void random_kernels_use_the_whole_language(void **state)
{
	static const char *const words[] = {
		"enable f16;",
		"enable kwarp_i64;",
		"enable kwarp_f64;",
		"override ",
		"const ",
		"var<private>",
		"var<workgroup>",
		"ptr<function, ",
		"ptr<private, ",
		"let p",
		"(*p",
		"mat4x3<f64>",
		"mat2x3h",
		"vec4h",
		"array<S",
		"vec3<bool>",
		"vec2<i64>",
		"u64",
		"5li",
		"switch ",
		"case default",
		"case -",
		"loop {",
		"continuing",
		"break if",
		"break; }",
		"continue; }",
		"return; }",
		"while ",
		"for (var",
		"else if",
		"_ = ",
		"++;",
		"--;",
		"<<=",
		"%=",
		" && ",
		" || ",
		"~",
		"atomicAdd(&s",
		".old_value",
		".exchanged",
		".whole",
		".exp",
		"arrayLength(&",
		"storageBarrier",
		"workgroupUniform",
		"table[",
		".rgb",
	};
	AUTO(buf_done) struct buf all = { .max = 16 * 1024 * 1024 };
	AUTO(buf_done) struct buf call = { .max = 64 };

	(void)state;
	note_all(&all);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strstr(buf_str(&all), words[i]) == NULL)
			fail_msg("no random kernel has \"%s\"", words[i]);
	for (size_t i = 0; i < FN_COUNT_; i++) {
		buf_reset(&call);
		buf_note(&call, i == FN_BITCAST ? "%s<" : "%s(", wgsl_fns[i].name);
		if (strncmp(wgsl_fns[i].name, "subgroup", 8) != 0 &&
		    strncmp(wgsl_fns[i].name, "quad", 4) != 0 &&
		    strstr(buf_str(&all), buf_str(&call)) == NULL)
			fail_msg("no random kernel calls %s", wgsl_fns[i].name);
	}
}

static void bytes_that_run_out_end_a_kernel(void **state)
{
	static const uint8_t bytes[] = { 3, 200, 17, 99, 4, 250, 31, 8, 5, 0, 77, 13, 255, 6 };

	(void)state;
	for (size_t n = 1; n <= sizeof(bytes); n++) {
		struct random_choices c = { .bytes = bytes, .n = n };
		struct random_features f;
		struct random_kernel r;

		random_features(&c, true, &f);
		random_make(&c, &f, &r);
		assert_true(r.text.len < 16 * 1024);
		random_kernel_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels_do_what_the_interpreter_does),
		cmocka_unit_test(random_kernels_use_the_whole_language),
		cmocka_unit_test(bytes_that_run_out_end_a_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
