/* ours.c - see ours.h. */
#include "ours.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "native/native.h"

static const char *first_error(const struct wgsl_diags *d, const struct err *why,
			       struct arena *arena)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->list[i].severity == WGSL_ERROR)
			return arena_printf(arena, "%u:%u: %s", d->list[i].line, d->list[i].column,
					    d->list[i].message);
	return arena_strdup(arena, why->text);
}

int ours_compile(const struct kernel *k, struct arena *arena, struct ours *ret, struct err *err)
{
	struct wgsl_source src = {
		.text = k->text,
		.len = strlen(k->text),
		.entry_point = "main",
		.constants = k->sets,
		.n_constants = k->n_sets,
	};
	struct err why = { 0 };

	*ret = (struct ours){ 0 };
	if (wgsl_compile(&src, arena, &ret->m, &ret->diags, &why) < 0) {
		ret->m = NULL;
		ret->error = first_error(&ret->diags, &why, arena);
		return 0;
	}
	return wgsl_ir_verify(ret->m, err);
}

static int find_bind(const struct kernel *k, const struct wgsl_binding *b, uint32_t *ret,
		     struct err *err)
{
	for (uint32_t i = 0; i < k->n_binds; i++)
		if (k->binds[i].group == b->group && k->binds[i].binding == b->binding) {
			*ret = i;
			return 0;
		}
	return err_set(err, ERR_INVALID, "no words for @group(%u) @binding(%u)", b->group,
		       b->binding);
}

static int run_all(struct native_code *code, const struct native_chunk *chunk, struct err *err)
{
	AUTO(native_run_freep) struct native_run *run = NULL;
	size_t bytes = native_scratch_bytes(code);
	char *memory;
	uint64_t used = 0;
	enum native_status status;

	if (native_run_new(code, chunk, &run, err) < 0)
		return err->code;
	memory = mem_alloc(bytes + 64);
	memset(memory, 0xa5, bytes + 64);
	status = native_run_part(run, 0, native_run_units(run),
				 memory + (64 - (uintptr_t)memory % 64), &used);
	mem_free(memory);
	if (status != NATIVE_DONE)
		return err_set(err, ERR_INVALID, "the run ended with status %d", (int)status);
	return 0;
}

int ours_chunk(const struct kernel *k, struct ours *o, struct arena *arena,
	       struct native_buffer *buffers, struct native_chunk *chunk, struct err *err)
{
	for (uint32_t i = 0; i < o->m->n_bindings; i++) {
		uint32_t at = 0;
		const struct kernel_bind *b;
		uint32_t *words;

		if (find_bind(k, &o->m->bindings[i], &at, err) < 0)
			return err->code;
		b = &k->binds[at];
		words = arena_dup(arena, b->words, (size_t)b->n * 4);
		o->words[at] = b->access == 'w' ? words : NULL;
		buffers[i] = (struct native_buffer){ .data = words, .size = (uint64_t)b->n * 4 };
	}
	for (int d = 0; d < 3; d++)
		chunk->invocations[d] = k->groups[d] * o->m->workgroup_size[d];
	return 0;
}

int ours_run(const struct kernel *k, struct ours *o, struct arena *arena, struct err *err)
{
	AUTO(buf_done) struct buf object = { .max = NATIVE_MAX_OBJECT };
	AUTO(native_code_freep) struct native_code *code = NULL;
	struct native_options options = { .lanes = 8 };
	struct native_buffer buffers[WGSL_MAX_BINDINGS] = { 0 };
	struct native_chunk chunk = { .buffers = buffers, .n_buffers = o->m->n_bindings };

	if (ours_chunk(k, o, arena, buffers, &chunk, err) < 0 ||
	    native_compile(o->m, &options, &object, err) < 0 ||
	    native_load(object.data, object.len, &code, err) < 0)
		return err->code;
	return run_all(code, &chunk, err);
}
