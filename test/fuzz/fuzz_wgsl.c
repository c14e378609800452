/* uses: spirv wgsl */
/*
 * fuzz_wgsl.c - any text as a kernel, then as the body of an entry point: never a crash, and
 * whatever compiles is well-formed, prints, and becomes SPIR-V or is refused.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "spirv/spirv.h"
#include "wgsl/wgsl.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void try_text(const char *text, size_t len)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf out = { .max = 1024 * 1024 };
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	const struct spirv_options options = { .rte32 = true, .int64 = true, .float64 = true };
	struct spirv_layout layout;
	struct wgsl_source src = { .text = text, .len = len };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct err err = { 0 };

	if (wgsl_compile(&src, &arena, &m, &diags, &err) < 0) {
		ASSERT(diags.n_errors > 0 || err.code == ERR_TOO_BIG);
		wgsl_diags_print(&diags, &src, &out);
		return;
	}
	ASSERT(wgsl_ir_verify(m, &err) == 0);
	wgsl_ir_print(m, &out);
	if (spirv_compile(m, &options, &words, &layout, &err) < 0)
		ASSERT(err.code == ERR_INVALID || err.code == ERR_TOO_BIG);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char before[] =
	    "@group(0)@binding(0)var<uniform>u:vec4u;"
	    "@group(0)@binding(1)var<storage>in:array<f32>;"
	    "@group(0)@binding(2)var<storage,read_write>o:array<u32>;"
	    "@group(0)@binding(3)var<storage,read_write>at:atomic<u32>;"
	    "struct S{a:i32,b:vec3f,c:array<u32,5>,m:mat2x3f}"
	    "var<workgroup>w:array<f32,8>;var<private>p:S;"
	    "fn f(x:u32)->u32{if x>3u{return 1u;}return x;}"
	    "fn g(q:ptr<function,S>)->S{(*q).a+=1;return *q;}"
	    "@compute @workgroup_size(8)fn main(@builtin(global_invocation_id)id:vec3u,"
	    "@builtin(local_invocation_index)lane:u32){var s:S;var i=0i;var x=1.0f;";
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	struct err err = { 0 };

	try_text((const char *)bytes, size);
	if (buf_adds(&text, before, &err) == 0 && buf_add(&text, bytes, size, &err) == 0 &&
	    buf_addc(&text, '}', &err) == 0)
		try_text(buf_str(&text), text.len);
	return 0;
}
