/* uses: spirv wgsl */
/*
 * fuzz_kernel.c - the bytes are the choices of test/random: a valid kernel, which must compile to
 * verified IR and to SPIR-V that Khronos' validator accepts; every second one is then changed token
 * by token, and must be compiled or refused, never crash.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "spirv/spirv.h"
#include "test/random/random.h"
#include "test/valid/valid.h"
#include "wgsl/wgsl.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void try_text(const struct buf *text, uint32_t how, bool is_valid)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	const struct spirv_options options = { .rte32 = (how & 1) != 0 };
	struct spirv_layout layout;
	struct wgsl_source src = { .text = buf_str(text),
				   .len = text->len,
				   .strict = how % 4 == 3,
				   .strict_division = how % 8 == 7 };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct err err = { 0 };
	char why[256];

	if (wgsl_compile(&src, &arena, &m, &diags, &err) < 0) {
		AUTO(buf_done) struct buf out = { .max = 1024 * 1024 };

		/* Strict code is long: more instructions than a kernel may have. */
		ASSERT(!is_valid || strstr(err.text, "instructions") != NULL);
		ASSERT(diags.n_errors > 0 || err.code == ERR_TOO_BIG);
		wgsl_diags_print(&diags, &src, &out);
		return;
	}
	ASSERT(wgsl_ir_verify(m, &err) == 0);
	if (spirv_compile(m, &options, &words, &layout, &err) < 0) {
		ASSERT(err.code == ERR_INVALID || err.code == ERR_TOO_BIG);
		return;
	}
	if (!valid_module(words.data, words.len, why, sizeof(why))) {
		fprintf(stderr, "spirv-val: %s\n%s\n", why, buf_str(text));
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* The bytes of changes come first: what follows is the same kernel with and without. */
	struct random_choices c = { .bytes = bytes, .n = size }, changes = c;
	struct random_features f;
	struct random_kernel k = { 0 };
	uint32_t how = size > 0 ? bytes[0] : 0;
	size_t n = size < 48 ? size : 48;

	if (size == 0)
		return 0;
	changes.n = n;
	if ((how & 16) != 0) {
		c.bytes += n;
		c.n -= n;
	} else {
		c.bytes++;
		c.n--;
	}
	random_features(&c, (how & 32) != 0, &f);
	random_make(&c, &f, &k);
	if ((how & 16) != 0)
		random_mutate(&changes, &k.text);
	try_text(&k.text, how, (how & 16) == 0);
	random_kernel_done(&k);
	return 0;
}
