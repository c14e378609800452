/* test_check.c - `kubectl warp check -f` finds what a job's start would find, all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/check.h"

#define JOB                                                                                        \
	"apiVersion: kwarp.dev/v1alpha1\nkind: WarpJob\nmetadata: {name: j}\nspec:\n"              \
	"  kernel:\n    wgsl: |\n"                                                                 \
	"      struct P { seed: u32, num: u32 }\n"                                                 \
	"      override scale: u32 = 1;\n"                                                         \
	"      @group(0) @binding(0) var<uniform> p: P;\n"                                         \
	"      @group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;\n"                \
	"      @compute @workgroup_size(1) fn main() { atomicAdd(&hits, p.seed * p.num * scale); " \
	"}\n"

#define CHUNKS "  chunks: {count: 3, params: {seed: chunk, num: 1}, invocations: '1'}\n"
#define OUTPUTS "  outputs: [{name: hits, reduce: Sum}]\n"

/* Uniforms that are no structs. */
#define VECTORS(params)                                                                            \
	"apiVersion: kwarp.dev/v1alpha1\nkind: WarpJob\nmetadata: {name: j}\nspec:\n"              \
	"  kernel:\n    wgsl: |\n"                                                                 \
	"      @group(0) @binding(0) var<uniform> grid: vec2f;\n"                                  \
	"      @group(0) @binding(1) var<uniform> origin: array<vec2f, 1>;\n"                      \
	"      @group(0) @binding(2) var<storage, read_write> o: f32;\n"                           \
	"      @compute @workgroup_size(1) fn main() { o = grid.x * origin[0].y; }\n"              \
	"  chunks: {count: 1, " params ", invocations: '1'}\n"                                     \
	"  outputs: [{name: o, reduce: Sum}]\n"

/* Copies an input of four words. */
#define COPY(input, invocations, length)                                                           \
	"apiVersion: kwarp.dev/v1alpha1\nkind: WarpJob\nmetadata: {name: j}\nspec:\n"              \
	"  kernel:\n    wgsl: |\n"                                                                 \
	"      @group(0) @binding(0) var<uniform> width: u32;\n"                                   \
	"      @group(0) @binding(1) var<storage> a: array<u32>;\n"                                \
	"      @group(0) @binding(2) var<storage, read_write> o: array<u32>;\n"                    \
	"      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) {\n"   \
	"        o[i.y * width + i.x] = a[i.x];\n"                                                 \
	"      }\n"                                                                                \
	"  chunks: {count: 2, params: {width: 4}, invocations: '" invocations "'}\n"               \
	"  inputs: [{name: a, from: {inline: AAAAAAEAAAACAAAAAwAAAA==}" input "}]\n"               \
	"  outputs: [{name: o, length: '" length "', reduce: Concat}]\n"

/* Two uniforms with these fields. */
#define UNIFORMS(p_fields, q_fields)                                                               \
	"apiVersion: kwarp.dev/v1alpha1\nkind: WarpJob\nmetadata: {name: j}\nspec:\n"              \
	"  kernel:\n    wgsl: |\n"                                                                 \
	"      struct P " p_fields "\n      struct Q " q_fields "\n"                               \
	"      @group(0) @binding(0) var<uniform> p: P;\n"                                         \
	"      @group(0) @binding(1) var<uniform> q: Q;\n"                                         \
	"      @group(0) @binding(2) var<storage, read_write> o: u32;\n"                           \
	"      @compute @workgroup_size(1) fn main() { let a = p; let b = q; o = 1; }\n"           \
	"  chunks: {count: 1, params: {seed: 1, chunk: 1}, invocations: '1'}\n"                    \
	"  outputs: [{name: o, reduce: Sum}]\n"

/* A uniform whose fields are named by path. */
#define PATHS(params)                                                                              \
	"apiVersion: kwarp.dev/v1alpha1\nkind: WarpJob\nmetadata: {name: j}\nspec:\n"              \
	"  kernel:\n    wgsl: |\n"                                                                 \
	"      struct P { m: mat2x2f, origin: vec2f, num: f32 }\n"                                 \
	"      @group(0) @binding(0) var<uniform> p: P;\n"                                         \
	"      @group(0) @binding(1) var<storage, read_write> o: f32;\n"                           \
	"      @compute @workgroup_size(1) fn main() { o = p.num * p.m[1][0] * p.origin.y; }\n"    \
	"  chunks: {count: 1, " params ", invocations: '1'}\n"                                     \
	"  outputs: [{name: o, reduce: Sum}]\n"

static const struct {
	const char *yaml;
	bool good;
	const char *says; /* the end of the report */
} rows[] = {
	{ JOB CHUNKS OUTPUTS, true, "result unused\n" },
	{ JOB "  chunks: {count: 3, params: {sead: chunk, num: 1, q: 2}, invocations: '1 + m'}\n"
	      "  outputs: [{name: hist, reduce: Sum}]\n",
	  false,
	  "\nspec.outputs[0]: the kernel has no output hist; did you mean \"hits\"?\n"
	  "spec.chunks.params.sead: the kernel has no such field; did you mean \"seed\"?\n"
	  "spec.chunks.params.q: the kernel has no such field\n"
	  "spec.outputs: the kernel's output hits is missing (reduce: Discard for scratch)\n"
	  "spec.chunks.invocations: column 5: unknown name m, expected chunk or a param\n" },
	{ JOB
	  "  chunks: {count: 3, params: {seed: '1 - chunk', num: 1}, invocations: '1'}\n" OUTPUTS,
	  false, "\nManifestInvalid: chunk 2: param seed: -1 does not fit u32\n" },
	{ JOB CHUNKS OUTPUTS "  where: 'has('\n", false, "PredicateInvalid: spec.where: column 5" },
	{ JOB "    constants: {scael: 3}\n" CHUNKS OUTPUTS, false,
	  "kernel.constants names 'scael', but there is no such override; did you mean 'scale'?" },
	{ JOB "  chunks: {manifestFrom: {configMapKeyRef: {name: m, key: k}}, invocations: "
	      "'1'}\n" OUTPUTS,
	  true, "\nnot checked: spec.chunks.manifestFrom: ConfigMap m is in none of the files\n" },
	{ JOB "  chunks: {manifestFrom: {configMapKeyRef: {name: m, key: k}}, invocations: "
	      "'1'}\n" OUTPUTS "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: "
	      "{k: '{\"chunks\":[{\"seed\":1,\"num\":2},{\"seed\":1}]}'}}\n",
	  false, "\nManifestInvalid: chunk 1: field num is missing\n" },
	{ PATHS("params: {p.m.1.0: 1, origin: 1, p.origin.y: 1, num: 1, m: 1, q.num: 1}"), false,
	  "spec.chunks.params.p.m.1.0: the kernel has no such field; did you mean \"m[1][0]\"?\n"
	  "spec.chunks.params.origin: the kernel has no such field; did you mean "
	  "\"origin.x\"?\n"
	  "spec.chunks.params.p.origin.y: the kernel has no such field; did you mean "
	  "\"origin.y\"?\n"
	  "spec.chunks.params.m: the kernel has no such field; did you mean \"m[0][0]\"?\n"
	  "spec.chunks.params.q.num: the kernel has no such field\n"
	  "chunk 0: field m[0][0] is missing in spec.chunks.params\n" },
	{ UNIFORMS("{ seed: u32 }", "{ seed: u32 }"), false,
	  "\ntwo fields of the kernel's uniforms are called seed: rename one\n" },
	{ UNIFORMS("{ seed: u32 }", "{ chunk: u32 }"), false,
	  "\na field of the kernel's uniform is called chunk, as the variable that expressions "
	  "have: rename the field\n" },
	{ VECTORS("params: {grid.x: 1, 'grid.y': 2, 'origin[0].x': 3, 'origin[0].y': 4}"), true,
	  "    origin[0].y: f32 at 4\n" },
	{ VECTORS("params: {grid.x: 1, 'y': 2, 'origin[0].x': 3, 'origin[0].y': 4}"), false,
	  "spec.chunks.params.y: the kernel has no such field; did you mean \"grid.y\"?\n" },
	{ COPY("", "4", "4"), true, "all indices lie inside of o\n" },
	{ COPY("", "4", "chunk + 3"), true,
	  "\nnote: chunk 0: its invocations reach beyond the 3 elements of output o; what the "
	  "kernel does not skip there goes to the last one\n" },
	{ COPY("", "5, 2", "16"), true,
	  "\nnote: chunk 0: not invocations in x <= width: several may write the same element of "
	  "output o\n" },
	{ COPY(", offset: 'chunk * 4', length: '4'", "4", "4"), false,
	  "\nManifestInvalid: chunk 1: offset of input a: it has 4 elements, none is left behind "
	  "4\n" },
	{ COPY("", "4", "4") "  limits: {iterations: 5, memoryMiB: 1}\n", false,
	  "\nunknown field \"spec.limits.iterations\", expected chunkTimeoutSeconds or "
	  "iterationsPerInvocation or deviceMemoryMiB\n" },
	{ COPY("", "4", "4") "  limits: {iterationsPerInvocation: 5}\n", false,
	  "\nspec.limits.iterationsPerInvocation: expected a string, not an integer: quote it\n" },
	{ JOB CHUNKS OUTPUTS "  verfiy: {}\n", false,
	  "\nunknown field \"spec.verfiy\"; did you mean \"verify\"?\n" },
};

static void make_file(const char *text, char *path)
{
	struct err err = { 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(file_write(path, text, strlen(text), false, &err), 0);
}

static bool check(const char *text, bool is_job, char *path, struct buf *out)
{
	struct err err = { 0 };
	bool good = false;

	make_file(text, path);
	if ((is_job ? check_jobs((const char *const[]){ path }, 1, out, &good, &err)
		    : check_kernel(path, out, &good, &err)) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(file_remove(path, &err), 0);
	return good;
}

static void says_what_a_start_would_say(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf out = { .max = 1 << 20 };
		char path[] = "/tmp/kwarp-check.XXXXXX";
		bool good = check(rows[i].yaml, true, path, &out);

		if (good == rows[i].good && strstr(buf_str(&out), rows[i].says) != NULL)
			continue;
		fprintf(stderr, "row %zu: expected %d and\n%s\ngot\n%s\n", i, rows[i].good,
			rows[i].says, buf_str(&out));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void a_config_map_may_be_in_another_file(void **state)
{
	static const char job[] = JOB "  chunks: {manifestFrom: {configMapKeyRef: {name: m, key: "
				      "k}}, invocations: '1'}\n" OUTPUTS;
	static const char map[] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: "
				  "{k: '{\"chunks\":[{\"seed\":1}]}'}}\n";
	AUTO(buf_done) struct buf out = { .max = 1 << 20 };
	char paths[2][32] = { "/tmp/kwarp-check.XXXXXX", "/tmp/kwarp-check.XXXXXX" };
	struct err err = { 0 };
	bool good = true;

	(void)state;
	make_file(job, paths[0]);
	make_file(map, paths[1]);
	assert_int_equal(
	    check_jobs((const char *const[]){ paths[0], paths[1] }, 2, &out, &good, &err), 0);
	assert_false(good);
	assert_non_null(
	    strstr(buf_str(&out), "\nManifestInvalid: chunk 0: field num is missing\n"));
	assert_int_equal(file_remove(paths[0], &err), 0);
	assert_int_equal(file_remove(paths[1], &err), 0);
}

static void an_error_in_a_kernel_file_names_the_file(void **state)
{
	static const char text[] = "fn f(a: u32) {}\nfn g() { f(1.0f); } /* kernel.wgsl: */\n";
	AUTO(buf_done) struct buf out = { .max = 1 << 20 };
	AUTO(buf_done) struct buf want = { .max = 1 << 20 };
	char path[] = "/tmp/kwarp-check.XXXXXX";

	(void)state;
	assert_false(check(text, false, path, &out));
	buf_note(&want,
		 "%s:2:12: error: argument 1 ('a') is f32, but must be u32\n"
		 "  fn g() { f(1.0f); } /* kernel.wgsl: */\n"
		 "             ^~~~\n"
		 "%s:1:6: note: declared here\n"
		 "  fn f(a: u32) {}\n"
		 "       ^\n",
		 path, path);
	assert_string_equal(buf_str(&out), buf_str(&want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_a_start_would_say),
		cmocka_unit_test(a_config_map_may_be_in_another_file),
		cmocka_unit_test(an_error_in_a_kernel_file_names_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
