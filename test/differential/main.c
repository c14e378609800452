/*
 * main.c - random kernels (random.h) in native code, in the interpreter and as SPIR-V on every
 * Vulkan device of this machine: the same bits wherever the class of an output promises them.
 * Every module must also be valid (test/valid).
 *
 * usage: differential COUNT SEED    COUNT kernels from this seed on; the last line counts
 *        differential show SEED     the text of one
 *        differential text FILE SEED   this text in the place of one, for reduce.py
 *
 * A difference is printed with its seed; the exit status is then 1. A device that flushes
 * subnormals is compared in outputs of class Exact only, as in jobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "spirv/spirv.h"
#include "test/differential/trial.h"
#include "test/unit/spirv/vulkan.h"
#include "test/valid/valid.h"

enum { MAX_DEVICES = 4 };

static struct {
	uint64_t kernels, interpreted, words, refused, longer, limits, differences;
	uint64_t classes[3];
} counts;

static struct device {
	const char *name;
	bool keeps_subnormals;
	uint64_t runs, unsupported;
} devices[MAX_DEVICES];
static uint32_t n_devices;

static void different(const struct trial *t, const char *what, const struct err *err)
{
	counts.differences++;
	printf("seed %u: %s: %s\n", t->seed, what, err->text);
	(void)fflush(stdout);
}

/* ---- devices ------------------------------------------------------------------------------- */

/* false: the back end refuses the module. */
static bool run_device(struct trial *t, const struct wgsl_module *m, struct trial_memory *mem)
{
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	struct spirv_options options = { 0 };
	struct spirv_layout layout;
	struct err err = { 0 };
	char why[256];

	(void)vulkan_device(&options);
	if (spirv_compile(m, &options, &words, &layout, &err) < 0) {
		if (strstr(err.text, "supported") == NULL &&
		    strstr(err.text, "the device has no") == NULL)
			different(t, "SPIR-V", &err);
		return false;
	}
	if (!valid_module(words.data, words.len, why, sizeof(why))) {
		(void)err_set(&err, ERR_INVALID, "%s", why);
		different(t, "spirv-val", &err);
		return false;
	}
	trial_memory_init(t, mem);
	mem->status = vulkan_run(words.data, words.len, &layout, &mem->chunk, &mem->used);
	return true;
}

/* 2^-127 * 1 */
static bool keeps_subnormals(void)
{
	static const char text[] = "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
				   "@group(0) @binding(3) var<storage, read_write> o: array<u32>;\n"
				   "@compute @workgroup_size(1) fn main() {\n"
				   "  o[0] = bitcast<u32>(bitcast<f32>(u.x) * bitcast<f32>(u.y));\n"
				   "}\n";
	struct trial t = { .k = { .invocations = { 1, 1, 1 },
				  .sizes = { [RANDOM_UNIFORM] = 16, [RANDOM_OUT] = 4 },
				  .uniform = { 0x00400000, 0x3f800000 } } };
	struct wgsl_source src = { .text = text, .len = sizeof(text) - 1 };
	struct wgsl_diags diags = { 0 };
	struct trial_memory mem;
	struct err err = { 0 };
	bool keeps;

	if (wgsl_compile(&src, &t.arena, &t.m, &diags, &err) < 0)
		return false;
	keeps = run_device(&t, t.m, &mem) && *(uint32_t *)mem.buffers[1].data == 0x00400000;
	arena_done(&t.arena);
	return keeps;
}

static void find_devices(void)
{
	struct spirv_options options;

	n_devices = vulkan_devices() < MAX_DEVICES ? vulkan_devices() : MAX_DEVICES;
	for (uint32_t d = 0; d < n_devices; d++) {
		vulkan_use(d);
		devices[d].name = mem_strdup(vulkan_device(&options));
		devices[d].keeps_subnormals = keeps_subnormals();
		printf("%s %s subnormals\n", devices[d].name,
		       devices[d].keeps_subnormals ? "keeps" : "flushes");
	}
}

static void try_devices(struct trial *t, const struct trial_memory *want)
{
	struct wgsl_module *m = n_devices > 0 ? trial_expanded(t) : NULL;

	if (m == NULL)
		return;
	for (uint32_t d = 0; d < n_devices; d++) {
		struct trial_memory got;
		struct err err = { 0 };

		vulkan_use(d);
		if (!run_device(t, m, &got)) {
			devices[d].unsupported++;
			continue;
		}
		devices[d].runs++;
		if (trial_compare(t, want, &got,
				  devices[d].keeps_subnormals ? WGSL_CLASS_DETERMINISTIC
							      : WGSL_CLASS_EXACT,
				  &counts.words, &err) < 0)
			different(t, devices[d].name, &err);
	}
}

/* ---- all ----------------------------------------------------------------------------------- */

static void try_kernel(struct trial *t)
{
	static const struct native_options options[] = {
		{ 0 }, { .lanes = 4 }, { .lanes = 16, .reverse_lanes = true }, { .lanes = 64 }
	};
	struct trial_memory native, plain;
	struct err err = { 0 };

	counts.kernels++;
	if (t->m == NULL) {
		counts.longer += t->is_long;
		counts.refused += !t->is_long;
		if (!t->is_long)
			different(t, "does not compile", &t->error);
		return;
	}
	counts.classes[t->m->numeric_class]++;
	if (trial_run_native(t, &options[t->seed % ARRAY_LEN(options)], &native, &err) < 0) {
		different(t, "native", &err);
		return;
	}
	counts.limits += native.status == NATIVE_ITERATION_LIMIT;
	if (t->m->numeric_class < WGSL_CLASS_TOLERANCE) {
		counts.interpreted++;
		trial_run_interp(t, &plain);
		if (trial_compare(t, &native, &plain, WGSL_CLASS_DETERMINISTIC, &counts.words,
				  &err) < 0)
			different(t, "interpreter", &err);
	}
	try_devices(t, &native);
}

static void summary(uint64_t seed)
{
	printf("differential: %llu kernels from seed %llu (%llu Exact, %llu Deterministic, %llu "
	       "Tolerance; %llu too long, %llu at their limit), %llu in the interpreter",
	       (unsigned long long)counts.kernels, (unsigned long long)seed,
	       (unsigned long long)counts.classes[0], (unsigned long long)counts.classes[1],
	       (unsigned long long)counts.classes[2], (unsigned long long)counts.longer,
	       (unsigned long long)counts.limits, (unsigned long long)counts.interpreted);
	for (uint32_t d = 0; d < n_devices; d++)
		printf(", %llu on %s", (unsigned long long)devices[d].runs, devices[d].name);
	printf(", %llu words compared, %llu differences\n", (unsigned long long)counts.words,
	       (unsigned long long)counts.differences);
	(void)fflush(stdout);
}

/* Wide types are in every second kernel: devices without them compare the others. */
static bool is_wide(uint64_t seed)
{
	return seed % 2 == 1;
}

static struct trial *trial_of(uint64_t seed, struct buf *text)
{
	return trial_new((uint32_t)seed, is_wide(seed), text);
}

static int show(uint64_t seed)
{
	struct trial *t = trial_of(seed, NULL);

	printf("%s", buf_str(&t->k.text));
	trial_free(t);
	return 0;
}

static int try_text(const char *path, uint64_t seed)
{
	AUTO(buf_done) struct buf text = { .max = WGSL_MAX_SOURCE };
	struct err err = { 0 };
	struct trial *t;

	if (file_read(path, &text, &err) < 0) {
		printf("%s\n", err.text);
		return 2;
	}
	t = trial_of(seed, &text);
	if (t->m != NULL)
		find_devices();
	try_kernel(t);
	trial_free(t);
	return counts.differences > 0;
}

int main(int argc, char **argv)
{
	uint64_t count = 0, seed = 0;
	struct err err = { 0 };
	bool is_show = argc == 3 && strcmp(argv[1], "show") == 0;
	bool is_text = argc == 4 && strcmp(argv[1], "text") == 0;

	if ((argc != 3 && !is_text) ||
	    num_parse_u64(argv[argc - 1], strlen(argv[argc - 1]), UINT32_MAX, &seed, &err) < 0 ||
	    (!is_show && !is_text &&
	     num_parse_u64(argv[1], strlen(argv[1]), UINT32_MAX, &count, &err) < 0)) {
		printf("usage: differential COUNT SEED, differential show SEED, "
		       "differential text FILE SEED\n");
		return 2;
	}
	if (is_show)
		return show(seed);
	if (is_text)
		return try_text(argv[2], seed);
	find_devices();
	for (uint64_t i = 0; i < count; i++) {
		struct trial *t = trial_of(seed + i, NULL);

		try_kernel(t);
		trial_free(t);
		if (i % 1000 == 999)
			summary(seed);
	}
	summary(seed);
	return counts.differences > 0;
}
