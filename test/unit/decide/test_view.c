/* test_view.c - the view of a WarpJob agrees with its CRD, and wrong jobs fail with a clear text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "rig.h"

/* "spec.chunks.count" in a structural schema. */
static const struct doc *schema_of(const struct doc *root, const char *path)
{
	const struct doc *at = doc_get(root, "properties.spec");

	for (const char *c = path; *c != '\0';) {
		size_t len = strcspn(c, ".");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)len, c);
		at = doc_member(doc_get(at, "properties"), name);
		c += len + (c[len] == '.');
	}
	return at;
}

static void reads_each_field_as_the_crd_has_it(void **state)
{
	AUTO(buf_done) struct buf text = { .max = 1 << 20 };
	AUTO(doc_unrefp) struct doc *crd = NULL;
	const struct doc *root;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(file_read("crds/warpjobs.yaml", &text, &err), 0);
	assert_int_equal(doc_parse_yaml(buf_str(&text), text.len, NULL, &crd, &err), 0);
	root = doc_get(crd, "spec.versions[0].schema.openAPIV3Schema");
	for (const struct job_view_field *f = job_view_fields; f->path != NULL; f++) {
		const struct doc *s = schema_of(root, f->path);
		bool is_string = strcmp(f->type, "string") == 0;

		if (s == NULL || strcmp(doc_str(s, "type", ""), f->type) != 0)
			fail_msg("%s: the CRD has type %s", f->path, doc_str(s, "type", "none"));
		if (strcmp(f->type, "boolean") == 0)
			continue;
		if (doc_int(s, is_string ? "maxLength" : "maximum", -1) != f->max)
			fail_msg("%s: the CRD's largest is %lld", f->path,
				 (long long)doc_int(s, is_string ? "maxLength" : "maximum", -1));
		if (!is_string && doc_int(s, "minimum", -1) != f->min)
			fail_msg("%s: the CRD's least is %lld", f->path,
				 (long long)doc_int(s, "minimum", -1));
	}
}

static void has_the_defaults_of_the_crd(void **state)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(doc_unrefp) struct doc *job = rig_job("spec: {chunks: {count: 3}}");
	struct job_spec spec;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(job_view(job, &arena, &spec, &err), 0);
	assert_int_equal(spec.replicas, 2);
	assert_int_equal(spec.agree, 2);
	assert_int_equal(spec.max_replicas, 5);
	assert_int_equal(spec.chunk_timeout_ms, 60000);
	assert_int_equal(spec.iterations, 4294967296);
	assert_int_equal(spec.backoff_limit, 3);
	assert_int_equal(spec.pod_history, 20);
	assert_int_equal(spec.ttl_s, -1);
	assert_true(spec.pods);
}

/* How a job that cannot start fails: reason and message. */
static const struct {
	const char *name;
	const char *yaml;
	const char *expected;
} rows[] = {
	{ "missing field", "spec: {chunks: {count: 2, params: {a: 1}}}",
	  "ManifestInvalid: chunk 0: field b is missing in spec.chunks.params" },
	{ "extra field", "spec: {chunks: {count: 2, params: {a: 1, b: 1, c: 1}}}",
	  "ManifestInvalid: spec.chunks.params.c: the kernel has no such field" },
	{ "misspelt field", "spec: {chunks: {count: 2, params: {a: 1, B: 1}}}",
	  "ManifestInvalid: spec.chunks.params.B: the kernel has no such field; did you mean "
	  "\"b\"?" },
	{ "misspelt output", "spec: {chunks: {count: 1}, outputs: [{name: totl, reduce: Sum}]}",
	  "ManifestInvalid: spec.outputs[0]: the kernel has no output totl; did you mean "
	  "\"total\"? (and 1 more; `kubectl warp check -f` lists them)" },
	{ "output that the entry point does not use",
	  "spec: {kernel: {wgsl: 'var<storage, read_write> spare: u32;'}, chunks: {count: 1},"
	  " outputs: [{name: total, reduce: Sum}, {name: spare, reduce: Sum}]}",
	  "ManifestInvalid: spec.outputs[1]: the kernel declares spare, but the entry point does "
	  "not use it: use it there, or remove it from spec.outputs" },
	{ "name that begins like one that is declared",
	  "spec: {kernel: {wgsl: 'var<storage, read_write> spares: u32;'}, chunks: {count: 1},"
	  " outputs: [{name: total, reduce: Sum}, {name: spare, reduce: Sum}]}",
	  "ManifestInvalid: spec.outputs[1]: the kernel has no output spare" },
	{ "control characters in a name",
	  "spec: {chunks: {count: 2, params: {a: 1, b: 1, \"c\\e[2J\": 1}}}",
	  "ManifestInvalid: spec.chunks.params.c?[2J: the kernel has no such field" },
	{ "unknown name", "spec: {chunks: {count: 2, params: {a: 'chunky', b: 1}}}",
	  "ManifestInvalid: spec.chunks.params: param a: column 1: " },
	{ "cycle", "spec: {chunks: {count: 2, params: {a: 'b + 1', b: 'a'}}}",
	  "ManifestInvalid: spec.chunks.params: param " },
	{ "out of range", "spec: {chunks: {count: 9, params: {a: '4294967290 + chunk', b: 1}}}",
	  "ManifestInvalid: chunk 6: param a: 4294967296 does not fit u32" },
	{ "negative", "spec: {chunks: {count: 9, params: {a: '3 - chunk', b: 1}}}",
	  "ManifestInvalid: chunk 4: param a: -1 does not fit u32" },
	{ "overflow",
	  "spec: {chunks: {count: 9, params: {a: 'min(1, 9223372036854775807 * (chunk + 1))', b: "
	  "1}}}",
	  "ManifestInvalid: chunk 1: param a: " },
	{ "float too large", "spec: {chunks: {count: 1, params: {a: 1, b: '1e39'}}}",
	  "ManifestInvalid: " },
	{ "no invocations", "spec: {chunks: {count: 1, invocations: 'chunk'}}",
	  "ManifestInvalid: chunk 0: invocations x: " },
	{ "four dimensions", "spec: {chunks: {count: 1, invocations: '1, 1, 1, 1'}}",
	  "ManifestInvalid: spec.chunks.invocations: at most three expressions: x, y, z" },
	{ "comma inside a call", "spec: {chunks: {count: 1, invocations: 'min(0, 1)'}}",
	  "ManifestInvalid: chunk 0: invocations x: " },
	{ "manifest without a field", "spec: {chunks: {manifest: [{a: 1, b: 1}, {a: 2}]}}",
	  "ManifestInvalid: chunk 1: field b is missing" },
	{ "manifest with a field too many",
	  "spec: {chunks: {manifest: [{a: 1, b: 1}, {a: 2, b: 2, c: 3}]}}",
	  "ManifestInvalid: chunk 1: the kernel has no field c" },
	{ "manifest and params", "spec: {chunks: {manifest: [{a: 1, b: 1}], params: {a: 1}}}",
	  "ManifestInvalid: spec.chunks.params: a manifest names every field itself" },
	{ "count and manifest", "spec: {chunks: {count: 1, manifest: [{a: 1, b: 1}]}}",
	  "ManifestInvalid: spec.chunks: exactly one of count, manifest, manifestFrom and range" },
	{ "output that is not there",
	  "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: Sum}, {name: x, reduce: "
	  "Sum}]}",
	  "ManifestInvalid: spec.outputs[1]: the kernel has no output x" },
	{ "output that is not named",
	  "spec: {chunks: {count: 1}, outputs: [{name: a, reduce: Sum}]}",
	  "ManifestInvalid: spec.outputs[0]: the kernel has no output a" },
	{ "output twice",
	  "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: Sum},"
	  " {name: total, reduce: Max}]}",
	  "ManifestInvalid: spec.outputs[1].name: \"total\" is there twice" },
	{ "length of a fixed output",
	  "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: Sum, length: '1'}]}",
	  "ManifestInvalid: length of output total: the kernel fixes it" },
	{ "unknown reducer", "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: Avg}]}",
	  "ManifestInvalid: spec.outputs[0].reduce: " },
	{ "TopK without k", "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: TopK}]}",
	  "ManifestInvalid: spec.outputs[0].k: needed by reduce: TopK and by nothing else" },
	{ "kernel reducer",
	  "spec: {chunks: {count: 1}, outputs: [{name: total, reduce: Kernel, kernel: {wgsl: x}}]}",
	  "NotSupported: spec.outputs[0].reduce: Kernel is not available in this version" },
	{ "input that is not there",
	  "spec: {chunks: {count: 1}, inputs: [{name: i, from: {inline: AAAA}}]}",
	  "ManifestInvalid: spec.inputs[0]: the kernel has no input i" },
	{ "input that is no base64",
	  "spec: {chunks: {count: 1}, inputs: [{name: i, from: {inline: '?'}}]}",
	  "ManifestInvalid: spec.inputs[0].from.inline: not base64" },
	{ "http input",
	  "spec: {chunks: {count: 1}, inputs: [{name: i, from: {http: {url: 'http://x/'}}}]}",
	  "NotSupported: spec.inputs[0].from.http: this version reads inline and configMapKeyRef" },
	{ "dataset input",
	  "spec: {chunks: {count: 1}, inputs: [{name: i, from: {datasetRef: {name: x}}}]}",
	  "NotSupported: spec.inputs[0].from.datasetRef: " },
	{ "no source", "spec: {chunks: {count: 1}, inputs: [{name: i, from: {}}]}",
	  "ManifestInvalid: spec.inputs[0].from: exactly one of " },
	{ "cuda", "spec: {kernel: {cuda: x}, chunks: {count: 1}}",
	  "KernelLanguageUnavailable: spec.kernel.cuda: this version runs wgsl only" },
	{ "wasm", "spec: {kernel: {wasm: x}, chunks: {count: 1}}",
	  "KernelLanguageUnavailable: spec.kernel.wasm: this version runs wgsl only" },
	{ "two languages", "spec: {kernel: {wgsl: x, expr: x}, chunks: {count: 1}}",
	  "ManifestInvalid: spec.kernel: exactly one of wgsl, cuda, expr, wasm" },
	{ "map form", "spec: {kernel: {wgsl: x, form: Map}, chunks: {count: 1}}",
	  "ManifestInvalid: spec.kernel.form: a wgsl kernel has the form Grid" },
	{ "constant without quotes",
	  "spec: {kernel: {wgsl: x, constants: {size: 1.5}}, chunks: {count: 1}}",
	  "ManifestInvalid: spec.kernel.constants.size: expected an integer or a quoted number" },
	{ "execution", "spec: {chunks: {count: 1}, execution: Pods}",
	  "NotSupported: spec.execution: Pods is not available in this version; use Agents" },
	{ "adaptive trust", "spec: {chunks: {count: 1}, verify: {trust: Adaptive}}",
	  "NotSupported: spec.verify.trust: Adaptive is not available in this version" },
	{ "every device", "spec: {chunks: {count: 1}, verify: {everyDevice: true}}",
	  "NotSupported: spec.verify.everyDevice: not available in this version" },
	{ "canaries", "spec: {chunks: {count: 1}, verify: {canaryPercent: 5}}",
	  "NotSupported: spec.verify.canaryPercent: canaries are not available" },
	{ "tolerance", "spec: {chunks: {count: 1}, verify: {compare: Tolerance}}",
	  "NotSupported: spec.verify.compare: Tolerance is not available in this version" },
	{ "agree above replicas", "spec: {chunks: {count: 1}, verify: {replicas: 2, agree: 3}}",
	  "ManifestInvalid: spec.verify.agree: 3 must not exceed verify.replicas (2)" },
	{ "maxReplicas below replicas",
	  "spec: {chunks: {count: 1}, verify: {replicas: 3, maxReplicas: 2}}",
	  "ManifestInvalid: spec.verify.maxReplicas: 2 must not be less than verify.replicas (3)" },
	{ "too many replicas", "spec: {chunks: {count: 1}, verify: {replicas: 12}}",
	  "ManifestInvalid: spec.verify.replicas: 12 is not within 1 to 9" },
	{ "unknown spread", "spec: {chunks: {count: 1}, verify: {spread: Rack}}",
	  "ManifestInvalid: spec.verify.spread: \"Rack\" is none of Node Device Owner Vendor "
	  "Zone" },
	{ "nodeName with replicas", "spec: {chunks: {count: 1}, nodeName: n0}",
	  "ManifestInvalid: spec.nodeName: needs verify.replicas: 1" },
	{ "too many chunks", "spec: {chunks: {count: 1000001}}",
	  "ManifestInvalid: spec.chunks.count: 1000001 is not within 1 to 1000000" },
	{ "success above count", "spec: {chunks: {count: 2}, success: {acceptedChunks: 3}}",
	  "ManifestInvalid: spec.success.acceptedChunks: 3 exceeds the number of chunks, 2" },
	{ "bad predicate", "spec: {chunks: {count: 1}, where: 'has('}",
	  "PredicateInvalid: spec.where: column " },
	{ "empty range", "spec: {chunks: {range: {lo: '5', hi: '5'}}}",
	  "ManifestInvalid: spec.chunks.range: lo must be less than hi" },
	{ "iterations", "spec: {chunks: {count: 1}, limits: {iterationsPerInvocation: '0'}}",
	  "ManifestInvalid: spec.limits.iterationsPerInvocation: must be at least 1" },
};

static void fails_a_wrong_job_with_reason_and_place(void **state)
{
	static struct rig r;
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[600];

		rig_start(&r, rows[i].yaml, 2);
		rig_reason(&r, "Failed", text, sizeof(text));
		if (strncmp(text, "True ", 5) != 0 ||
		    strncmp(text + 5, rows[i].expected, strlen(rows[i].expected)) != 0) {
			fprintf(stderr, "%s:\n  expected %s\n  got      %s\n", rows[i].name,
				rows[i].expected, text);
			wrong++;
		}
		rig_done(&r);
	}
	assert_int_equal(wrong, 0);
}

static void cuts_a_range_into_pieces_that_differ_by_at_most_one(void **state)
{
	static struct rig r;
	struct wire_chunk chunk;
	struct err err = { 0 };

	(void)state;
	rig_start(&r,
		  "spec: {chunks: {range: {lo: '-5', hi: '6'}, count: 3,"
		  " params: {a: 'lo + 5', b: 'hi'}}}",
		  2);
	for (uint32_t c = 0; c < 3; c++) {
		static const uint32_t lo[] = { 0, 4, 8 };

		assert_int_equal(job_chunk(r.job, c, &r.arena, &chunk, &err), 0);
		assert_int_equal(*(const uint32_t *)chunk.uniforms, lo[c]);
	}
	rig_done(&r);
}

static void has_no_size_limit_of_the_api_without_a_cluster(void **state)
{
	static struct rig r;
	char text[600];

	(void)state;
	rig_start(&r, "spec: {chunks: {count: 100000}, outputs: [{name: total, reduce: Concat}]}",
		  2);
	rig_reason(&r, "Failed", text, sizeof(text));
	assert_memory_equal(text, "True ManifestInvalid: the reducers' state could take", 52);
	rig_done(&r);
	rig_new(&r, "spec: {chunks: {count: 100000}, outputs: [{name: total, reduce: Concat}]}", 2,
		false);
	rig_run(&r, 10);
	assert_int_equal(job_state(r.job), JOB_RUNNING);
	rig_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_field_as_the_crd_has_it),
		cmocka_unit_test(has_the_defaults_of_the_crd),
		cmocka_unit_test(fails_a_wrong_job_with_reason_and_place),
		cmocka_unit_test(cuts_a_range_into_pieces_that_differ_by_at_most_one),
		cmocka_unit_test(has_no_size_limit_of_the_api_without_a_cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
