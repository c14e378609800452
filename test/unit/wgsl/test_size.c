/*
 * test_size.c - how large a kernel may be, and the memory that it takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compile.h"

/* 64 bytes for each of the source, which a large ordinary kernel stays below. */
static void a_large_kernel_takes_little_memory(void **state)
{
	AUTO(buf_done) struct buf text = { .max = WGSL_MAX_SOURCE };
	AUTO(compiled_done) struct compiled c;
	struct wgsl_source src = { 0 };
	clock_t before;

	(void)state;
	buf_note(&text, "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n");
	for (int f = 0; f < 100; f++) {
		buf_note(&text,
			 "/* One of the steps of a longer computation. */\n"
			 "fn step_%d(state: u32, x: f32) -> f32 {\n    var hash = state ^ %du;\n"
			 "    var total = 0.0;\n",
			 f, f);
		for (int i = 0; i < 3; i++)
			buf_note(&text,
				 "    hash = hash * 747796405u + 2891336453u;\n"
				 "    if (hash & %du) == 0u {\n        total += x * %d.25;\n"
				 "    } else {\n        total -= f32(hash >> 16u);\n    }\n",
				 1 << i, i);
		buf_note(&text, "    return total;\n}\n\n");
	}
	buf_note(&text,
		 "@compute @workgroup_size(64)\n"
		 "fn main(@builtin(global_invocation_id) id: vec3u) {\n    var sum = 0.0;\n");
	for (int f = 0; f < 100; f++)
		buf_note(&text, "    sum += step_%d(id.x + %du, f32(id.y));\n", f, f);
	buf_note(&text, "    o[id.x] = u32(sum);\n}\n");
	src.text = buf_str(&text);
	src.len = text.len;
	before = clock();
	compile_source(&c, &src);
	assert_non_null(c.m);
	if (getenv("KWARP_SLOW") != NULL)
		print_message("%zu bytes: %zu KiB, %ld us\n", text.len, arena_used(&c.arena) / 1024,
			      (long)((clock() - before) * 1000000 / CLOCKS_PER_SEC));
	assert_true(arena_used(&c.arena) <= 64 * text.len);
}

/* What a statement needs for itself is not there any more behind it. */
static void statements_share_the_memory_of_their_temporaries(void **state)
{
	AUTO(buf_done) struct buf text = { .max = WGSL_MAX_SOURCE };
	AUTO(compiled_done) struct compiled c;

	(void)state;
	buf_note(&text, "struct S { a: array<vec4u, 24> }\n"
			"@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
			"fn make(i: u32) -> S { var s: S; s.a[i].x = i; return s; }\n"
			"@compute @workgroup_size(1) fn main() {\n    var x: array<S, 3>;\n");
	for (int i = 0; i < 100; i++)
		buf_note(&text, "    x[o[%d] %% 3] = x[%d];\n    x[1] = make(%du);\n", i, i % 3,
			 i % 24);
	buf_note(&text, "    _ = make(1);\n    o[0] = x[0].a[3].x;\n}\n");
	compile(&c, buf_str(&text));
	assert_string_equal(first_error(&c), "");
	assert_non_null(c.m);
}

static void a_source_above_the_limit_is_refused_unread(void **state)
{
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	AUTO(compiled_done) struct compiled c;
	struct wgsl_source src = { 0 };

	(void)state;
	for (int i = 0; i <= WGSL_MAX_SOURCE; i++)
		buf_note(&text, " ");
	src.text = buf_str(&text);
	src.len = text.len;
	compile_source(&c, &src);
	assert_int_equal(c.err.code, ERR_TOO_BIG);
	assert_string_equal(c.err.text, "the kernel has 262145 bytes, the limit is 262144");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_kernel_takes_little_memory),
		cmocka_unit_test(statements_share_the_memory_of_their_temporaries),
		cmocka_unit_test(a_source_above_the_limit_is_refused_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
