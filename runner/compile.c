/* compile.c - the compiler child: WGSL text to a reflection and code; see compile.h. */
#include "runner/compile.h"

#include "base/arena.h"
#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/object.h"
#include "native/native.h"
#include "runner/reflect.h"
#include "wgsl/wgsl.h"
#include "wire/codec.h"

struct compilation {
	struct arena arena;
	struct buf text;      /* printed diagnostics */
	struct buf kernel;    /* encoded reflection */
	struct buf object[2]; /* forward, reverse */
	struct run_compile_answer answer;
};

static void compilation_done(struct compilation *c)
{
	arena_done(&c->arena);
	buf_done(&c->text);
	buf_done(&c->kernel);
	buf_done(&c->object[0]);
	buf_done(&c->object[1]);
}

void compile_warm(void)
{
	struct err err = { 0 };

	/* Without LLVM the front end still works; whoever asks for code is told. */
	(void)!native_start(&err);
}

static int front_end(struct compilation *c, const struct run_compile_request *request,
		     struct wgsl_module **ret, struct err *err)
{
	struct wgsl_constant constants[WIRE_MAX_CONSTANTS];
	struct wgsl_diags diags = { 0 };
	struct wgsl_source source = {
		.text = request->text,
		.len = request->len,
		.entry_point = request->entry_point[0] == '\0' ? NULL : request->entry_point,
		.n_constants = request->n_constants,
		.strict = request->strict,
		.strict_division = request->strict && request->target == RUN_VULKAN,
	};
	int rc;

	for (uint32_t i = 0; i < request->n_constants; i++) {
		constants[i].name = request->constants[i].key;
		constants[i].value = request->constants[i].value;
	}
	source.constants = constants;
	rc = wgsl_compile(&source, &c->arena, ret, &diags, err);
	wgsl_diags_print(&diags, &source, &c->text);
	return rc;
}

static int vulkan(struct compilation *c, const struct wgsl_module *m, uint32_t modes,
		  struct err *err)
{
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	const struct spirv_options options = gpu_object_options(modes);
	struct spirv_layout layout;

	if (spirv_compile(m, &options, &words, &layout, err) < 0 ||
	    gpu_object_encode(&layout, words.data, words.len, &c->object[0], err) < 0) {
		/* The kernel is good, other devices can run it. */
		err->code = ERR_UNAVAILABLE;
		return err->code;
	}
	c->answer.object[0] = (struct run_bytes){ c->object[0].data, (uint32_t)c->object[0].len };
	return 0;
}

static int native(struct compilation *c, const struct wgsl_module *m, bool reverse, struct err *err)
{
	for (int i = 0; i < (reverse ? 2 : 1); i++) {
		const struct native_options options = { .reverse_lanes = i == 1 };

		if (native_compile(m, &options, &c->object[i], err) < 0)
			return err->code;
		c->answer.object[i] =
		    (struct run_bytes){ c->object[i].data, (uint32_t)c->object[i].len };
	}
	return 0;
}

static int compile(struct compilation *c, const struct run_compile_request *request,
		   struct err *err)
{
	struct wgsl_module *m;
	struct wire_kernel kernel;

	if (front_end(c, request, &m, err) < 0 ||
	    reflect_module(m, buf_str(&c->text), &c->arena, &kernel, c->answer.places, err) < 0 ||
	    wire_kernel_encode(&kernel, &c->kernel, err) < 0)
		return err->code;
	c->answer.kernel = (struct run_bytes){ c->kernel.data, (uint32_t)c->kernel.len };
	c->answer.n_places = kernel.n_bindings;
	c->answer.n_buffers = m->n_bindings;
	if (!request->code)
		return 0;
	return request->target == RUN_VULKAN ? vulkan(c, m, request->modes, err)
					     : native(c, m, request->reverse, err);
}

int compile_answer(const struct run_compile_request *request, struct buf *out, struct err *err)
{
	AUTO(compilation_done)
	struct compilation c = {
		.text = { .max = RUN_MAX_TEXT },
		.kernel = { .max = RUN_MAX_REFLECTION },
		.object = { { .max = RUN_MAX_OBJECT }, { .max = RUN_MAX_OBJECT } },
	};
	struct err failure = { 0 };

	if (compile(&c, request, &failure) < 0) {
		struct run_compile_answer failed = { .code = failure.code };

		failed.message = failure.text;
		failed.text = buf_str(&c.text);
		return run_put_compiled(out, &failed, err);
	}
	c.answer.text = buf_str(&c.text);
	return run_put_compiled(out, &c.answer, err);
}
