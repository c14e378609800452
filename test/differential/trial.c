/* trial.c - see trial.h. */
#include "test/differential/trial.h"

#include <string.h>

#include "base/mem.h"
#include "test/unit/native/interp.h"
#include "test/unit/native/kernel.h"

static struct wgsl_module *compile(struct trial *t, bool expand_division)
{
	struct wgsl_source src = { .text = buf_str(&t->k.text),
				   .len = t->k.text.len,
				   .strict = t->is_strict,
				   .strict_division = t->is_strict && expand_division };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;

	t->error = (struct err){ 0 };
	if (wgsl_compile(&src, &t->arena, &m, &diags, &t->error) == 0 &&
	    wgsl_ir_verify(m, &t->error) == 0)
		return m;
	t->is_long = strstr(t->error.text, "instructions") != NULL;
	return NULL;
}

struct trial *trial_new(uint32_t seed, bool wide, struct buf *text)
{
	struct trial *t = NEW(struct trial);
	struct random_choices c = { .state = seed * 2654435761U };
	struct random_features f;

	t->seed = seed;
	t->is_strict = random_choose(&c, 4) == 3;
	t->limit = random_choose(&c, 16) == 15 ? 5 : 0;
	random_features(&c, wide, &f);
	f.math = f.math || (f.floats && t->is_strict);
	random_make(&c, &f, &t->k);
	if (text != NULL) {
		buf_done(&t->k.text);
		t->k.text = *text;
		*text = (struct buf){ 0 };
	}
	t->m = compile(t, false);
	return t;
}

void trial_free(struct trial *t)
{
	random_kernel_done(&t->k);
	arena_done(&t->arena);
	mem_free(t);
}

struct wgsl_module *trial_expanded(struct trial *t)
{
	return t->is_strict ? compile(t, true) : t->m;
}

void trial_memory_init(struct trial *t, struct trial_memory *mem)
{
	uint32_t state = t->seed;

	*mem = (struct trial_memory){ .chunk = { .buffers = mem->buffers,
						 .n_buffers = t->m->n_bindings,
						 .iteration_limit = t->limit } };
	memcpy(mem->chunk.invocations, t->k.invocations, sizeof(mem->chunk.invocations));
	for (uint32_t b = 0; b < t->m->n_bindings; b++) {
		uint32_t n = t->m->bindings[b].binding, size = t->k.sizes[n];
		char *raw = arena_alloc(&t->arena, size + 64);
		uint32_t *at = (uint32_t *)(void *)(raw + (64 - (uintptr_t)raw % 64) % 64);

		for (uint32_t w = 0; w < size / 4; w++)
			at[w] = n == RANDOM_UNIFORM ? t->k.uniform[w] : kernel_word(&state);
		mem->buffers[b] = (struct native_buffer){ .data = at, .size = size };
	}
}

int trial_run_native(struct trial *t, const struct native_options *o, struct trial_memory *mem,
		     struct err *err)
{
	AUTO(buf_done) struct buf object = { .max = NATIVE_MAX_OBJECT };
	AUTO(native_code_freep) struct native_code *code = NULL;
	AUTO(native_run_freep) struct native_run *run = NULL;
	size_t bytes;
	char *scratch;

	trial_memory_init(t, mem);
	if (native_compile(t->m, o, &object, err) < 0 ||
	    native_load(object.data, object.len, &code, err) < 0 ||
	    native_run_new(code, &mem->chunk, &run, err) < 0)
		return err->code;
	bytes = native_scratch_bytes(code);
	scratch = arena_alloc(&t->arena, bytes + 64);
	memset(scratch, 0xa5, bytes + 64);
	mem->status = native_run_part(run, 0, native_run_units(run),
				      scratch + (64 - (uintptr_t)scratch % 64) % 64, &mem->used);
	return 0;
}

void trial_run_interp(struct trial *t, struct trial_memory *mem)
{
	trial_memory_init(t, mem);
	mem->status = interp_run(t->m, &mem->chunk, NATIVE_SUBGROUP, &mem->used);
}

MUST_CHECK static int compare_words(const char *name, const struct native_buffer *a,
				    const struct native_buffer *b, struct err *err)
{
	const uint32_t *x = a->data, *y = b->data;
	uint64_t first = 0, n = 0;

	for (uint64_t w = a->size / 4; w-- > 0;) {
		if (x[w] != y[w]) {
			first = w;
			n++;
		}
	}
	if (n == 0)
		return 0;
	return err_set(err, ERR_CONFLICT, "%s word %llu: %08x and %08x; %llu words differ", name,
		       (unsigned long long)first, x[first], y[first], (unsigned long long)n);
}

int trial_compare(const struct trial *t, const struct trial_memory *a, const struct trial_memory *b,
		  enum wgsl_class worst, uint64_t *words, struct err *err)
{
	/* Floats without fixed bits may decide how often a loop is passed. */
	bool is_fixed = t->m->numeric_class <= worst;

	if (is_fixed &&
	    (a->status != b->status || (a->status == NATIVE_DONE && a->used != b->used)))
		return err_set(err, ERR_CONFLICT, "status %d after %llu passes and %d after %llu",
			       (int)a->status, (unsigned long long)a->used, (int)b->status,
			       (unsigned long long)b->used);
	if (a->status != NATIVE_DONE || b->status != NATIVE_DONE)
		return 0;
	for (uint32_t n = 0; n < t->m->n_bindings; n++) {
		if (t->m->bindings[n].is_output && t->m->bindings[n].numeric_class > worst)
			continue;
		if (compare_words(t->m->bindings[n].name, &a->buffers[n], &b->buffers[n], err) < 0)
			return err->code;
		*words += a->buffers[n].size / 4;
	}
	return 0;
}
