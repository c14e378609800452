/* compile.c - see compile.h. */
#include "compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

void compile_source(struct compiled *c, const struct wgsl_source *src)
{
	struct err err = { 0 };

	*c = (struct compiled){ .text = { .max = 4 * 1024 * 1024 } };
	if (wgsl_compile(src, &c->arena, &c->m, &c->diags, &c->err) < 0) {
		c->m = NULL;
		return;
	}
	if (wgsl_ir_verify(c->m, &err) < 0)
		fail_msg("the IR is not well-formed: %s", err.text);
}

void compile(struct compiled *c, const char *text)
{
	struct wgsl_source src = { .text = text, .len = strlen(text) };

	compile_source(c, &src);
}

void compiled_done(struct compiled *c)
{
	arena_done(&c->arena);
	buf_done(&c->text);
}

const char *first_error(struct compiled *c)
{
	for (size_t i = 0; i < c->diags.n; i++) {
		const struct wgsl_diag *d = &c->diags.list[i];

		if (d->severity == WGSL_ERROR)
			return arena_printf(&c->arena, "%u:%u: %s", d->line, d->column, d->message);
	}
	return c->err.code != 0 ? c->err.text : "";
}

void check_first_errors(void (*by)(struct compiled *c, const char *text),
			const struct compiled_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		AUTO(compiled_done) struct compiled c;

		by(&c, rows[i].text);
		if (strcmp(first_error(&c), rows[i].want) != 0)
			fail_msg("%s\n got  %s\n want %s", rows[i].text, first_error(&c),
				 rows[i].want);
	}
}

static void compile_within(struct compiled *c, const char *enable, const char *inputs,
			   const char *body)
{
	static const char before[] =
	    "@group(0) @binding(0) var<uniform> u: vec4<u32>;"
	    "@group(0) @binding(1) var<storage> in: array<f32>;"
	    "@group(0) @binding(2) var<storage> words: array<u32>;"
	    "@group(0) @binding(3) var<storage, read_write> o: array<u32>;"
	    "@group(0) @binding(4) var<storage, read_write> f: array<f32>;"
	    "@group(0) @binding(5) var<storage, read_write> at: atomic<u32>;"
	    "var<workgroup> w: array<u32, 64>;"
	    "@compute @workgroup_size(64) fn main("
	    "@builtin(global_invocation_id) id: vec3<u32>, "
	    "@builtin(local_invocation_index) lane: u32";
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	struct wgsl_source src = { 0 };

	buf_note(&text, "%s%s%s) {\n%s\n}\n", enable, before, inputs, body);
	src.text = buf_str(&text);
	src.len = text.len;
	compile_source(c, &src);
}

void compile_body(struct compiled *c, const char *body)
{
	compile_within(c, "", "", body);
}

void compile_subgroup_body(struct compiled *c, const char *body)
{
	compile_within(c, "enable f16; enable subgroups;",
		       ", @builtin(subgroup_size) n: u32, @builtin(subgroup_invocation_id) s: u32, "
		       "@builtin(subgroup_id) g: u32, @builtin(num_subgroups) many: u32",
		       body);
}
