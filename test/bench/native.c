/* uses: gpu native spirv wgsl base */
/*
 * native.c - kernels through lib/wgsl and lib/native next to hand-written C, in turns.
 *
 *     native C_GCC.so C_CLANG.so [THREADS [ROUNDS [NAME]]]
 *
 * Prints "native_NAME MS", "gcc_NAME MS", "clang_NAME MS" for each round (best of three runs each),
 * and for pi also without counters and clamps; with BENCH_LAVAPIPE=1 also "vulkan_NAME MS", the
 * same text as SPIR-V on the first Vulkan device. Outputs are compared bit by bit (bodies: to a
 * relative 1e-4, as inverseSqrt has no fixed bits); exits 1 on a difference.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "native/native.h"
#include "test/bench/c_kernels.h"
#include "test/bench/lava.h"
#include "wgsl/wgsl.h"

enum { MAX_THREADS = 8, RUNS = 3, MAX_BUFFERS = 3, PARTS = 32 };

static uint32_t threads = 2;

struct kernel {
	const char *name;
	const char *text;
	uint32_t invocations[3];
	uint64_t sizes[MAX_BUFFERS]; /* bytes; the last one is the output */
	uint32_t c_work, c_step;     /* the C function's units, and how many belong together */
	bool is_float_input;
	bool is_close; /* compared within a tolerance */
};

static const struct kernel kernels[] = {
	{ .name = "pi",
	  .text = "@group(0) @binding(0) var<storage, read_write> hits: atomic<u32>;\n"
		  "override samples = 256u;\n"
		  "fn pcg(v: u32) -> u32 {\n"
		  "  let s = v * 747796405u + 2891336453u;\n"
		  "  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;\n"
		  "  return (w >> 22u) ^ w;\n"
		  "}\n"
		  "@compute @workgroup_size(256)\n"
		  "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
		  "  var state = pcg(pcg(id.x));\n"
		  "  var inside = 0u;\n"
		  "  for (var i = 0u; i < samples; i++) {\n"
		  "    state = pcg(state);\n"
		  "    let x = f32(state) / 4294967296.0;\n"
		  "    state = pcg(state);\n"
		  "    let y = f32(state) / 4294967296.0;\n"
		  "    if (x * x + y * y < 1.0) { inside++; }\n"
		  "  }\n"
		  "  atomicAdd(&hits, inside);\n"
		  "}\n",
	  .invocations = { PI_INVOCATIONS, 1, 1 },
	  .sizes = { 4 },
	  .c_work = PI_INVOCATIONS,
	  .c_step = 64 },
	{ .name = "saxpy",
	  .text = "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
		  "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
		  "@compute @workgroup_size(256)\n"
		  "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
		  "  y[id.x] = 1.5 * x[id.x] + y[id.x];\n"
		  "}\n",
	  .invocations = { SAXPY_N, 1, 1 },
	  .sizes = { 4ULL * SAXPY_N, 4ULL * SAXPY_N },
	  .c_work = SAXPY_N,
	  .c_step = 1024,
	  .is_float_input = true },
	{ .name = "matrix",
	  .text = "const n = 512u;\n"
		  "@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
		  "@group(0) @binding(1) var<storage, read> b: array<f32>;\n"
		  "@group(0) @binding(2) var<storage, read_write> c: array<f32>;\n"
		  "@compute @workgroup_size(8, 8)\n"
		  "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
		  "  var sum = 0.0;\n"
		  "  for (var k = 0u; k < n; k++) { sum += a[id.y * n + k] * b[k * n + id.x]; }\n"
		  "  c[id.y * n + id.x] = sum;\n"
		  "}\n",
	  .invocations = { MATRIX_N, MATRIX_N, 1 },
	  .sizes = { 4ULL * MATRIX_N * MATRIX_N, 4ULL * MATRIX_N *MATRIX_N,
		     4ULL * MATRIX_N *MATRIX_N },
	  .c_work = MATRIX_N,
	  .c_step = 1,
	  .is_float_input = true },
	{ .name = "matrix_tiled",
	  .text = "const n = 512u;\n"
		  "@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
		  "@group(0) @binding(1) var<storage, read> b: array<f32>;\n"
		  "@group(0) @binding(2) var<storage, read_write> c: array<f32>;\n"
		  "var<workgroup> ta: array<array<f32, 16>, 16>;\n"
		  "var<workgroup> tb: array<array<f32, 16>, 16>;\n"
		  "@compute @workgroup_size(16, 16)\n"
		  "fn main(@builtin(global_invocation_id) id: vec3u,\n"
		  "        @builtin(local_invocation_id) l: vec3u) {\n"
		  "  var sum = 0.0;\n"
		  "  for (var t = 0u; t < n / 16u; t++) {\n"
		  "    ta[l.y][l.x] = a[id.y * n + t * 16u + l.x];\n"
		  "    tb[l.y][l.x] = b[(t * 16u + l.y) * n + id.x];\n"
		  "    workgroupBarrier();\n"
		  "    for (var k = 0u; k < 16u; k++) { sum += ta[l.y][k] * tb[k][l.x]; }\n"
		  "    workgroupBarrier();\n"
		  "  }\n"
		  "  c[id.y * n + id.x] = sum;\n"
		  "}\n",
	  .invocations = { MATRIX_N, MATRIX_N, 1 },
	  .sizes = { 4ULL * MATRIX_N * MATRIX_N, 4ULL * MATRIX_N *MATRIX_N,
		     4ULL * MATRIX_N *MATRIX_N },
	  .c_work = MATRIX_N,
	  .c_step = 1,
	  .is_float_input = true },
	{ .name = "histogram",
	  .text = "@group(0) @binding(0) var<storage, read> values: array<u32>;\n"
		  "@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;\n"
		  "var<workgroup> local_bins: array<atomic<u32>, 256>;\n"
		  "@compute @workgroup_size(256)\n"
		  "fn main(@builtin(workgroup_id) group: vec3u,\n"
		  "        @builtin(local_invocation_id) l: vec3u) {\n"
		  "  for (var i = 0u; i < 64u; i++) {\n"
		  "    let v = values[group.x * 16384u + i * 256u + l.x];\n"
		  "    atomicAdd(&local_bins[v & 255u], 1u);\n"
		  "  }\n"
		  "  workgroupBarrier();\n"
		  "  atomicAdd(&bins[l.x], atomicLoad(&local_bins[l.x]));\n"
		  "}\n",
	  .invocations = { HISTOGRAM_N / HISTOGRAM_PER_THREAD, 1, 1 },
	  .sizes = { 4ULL * HISTOGRAM_N, 4ULL * BINS },
	  .c_work = HISTOGRAM_N,
	  .c_step = 16384 },
	{ .name = "mandelbrot",
	  .text = "@group(0) @binding(0) var<storage, read_write> image: array<u32>;\n"
		  "@compute @workgroup_size(16, 16)\n"
		  "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
		  "  let cx = (f32(id.x) - 768.0) * 0.0026041667;\n"
		  "  let cy = (f32(id.y) - 384.0) * 0.0026041667;\n"
		  "  var x = 0.0;\n"
		  "  var y = 0.0;\n"
		  "  var n = 0u;\n"
		  "  while (n < 500u) {\n"
		  "    let xx = x * x;\n"
		  "    let yy = y * y;\n"
		  "    if (xx + yy > 4.0) { break; }\n"
		  "    y = 2.0 * x * y + cy;\n"
		  "    x = xx - yy + cx;\n"
		  "    n += 1u;\n"
		  "  }\n"
		  "  image[id.y * 1024u + id.x] = n;\n"
		  "}\n",
	  .invocations = { PICTURE_WIDTH, PICTURE_HEIGHT, 1 },
	  .sizes = { 4ULL * PICTURE_WIDTH * PICTURE_HEIGHT },
	  .c_work = PICTURE_HEIGHT,
	  .c_step = 1 },
	{ .name = "bodies",
	  .text = "@group(0) @binding(0) var<storage, read> p: array<vec4f>;\n"
		  "@group(0) @binding(1) var<storage, read_write> acc: array<vec4f>;\n"
		  "@compute @workgroup_size(64)\n"
		  "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
		  "  let me = p[id.x].xyz;\n"
		  "  var a = vec3f();\n"
		  "  for (var j = 0u; j < 4096u; j++) {\n"
		  "    let q = p[j];\n"
		  "    let d = q.xyz - me;\n"
		  "    let inv = inverseSqrt(dot(d, d) + 0.01);\n"
		  "    a += d * (q.w * inv * inv * inv);\n"
		  "  }\n"
		  "  acc[id.x] = vec4f(a, 0.0);\n"
		  "}\n",
	  .invocations = { BODIES, 1, 1 },
	  .sizes = { 16ULL * BODIES, 16ULL * BODIES },
	  .c_work = BODIES,
	  .c_step = 64,
	  .is_float_input = true,
	  .is_close = true },
};

/* ---- memory --------------------------------------------------------------------------------- */

struct memory {
	void *at[MAX_BUFFERS];
	uint32_t n;
};

static void fill(const struct kernel *k, void *at, uint64_t size, uint32_t seed)
{
	uint32_t *words = at;
	float *floats = at;

	for (uint64_t i = 0; i < size / 4; i++) {
		seed = seed * 747796405U + 2891336453U;
		if (k->is_float_input)
			floats[i] = (float)(seed >> 20) / 4096.0F;
		else
			words[i] = seed >> 12;
	}
}

static uint32_t n_buffers(const struct kernel *k)
{
	uint32_t n = 0;

	while (n < MAX_BUFFERS && k->sizes[n] > 0)
		n++;
	return n;
}

static void memory_init(struct memory *m, const struct kernel *k)
{
	m->n = n_buffers(k);
	for (uint32_t b = 0; b < m->n; b++)
		if (posix_memalign(&m->at[b], 4096, k->sizes[b]) != 0)
			exit(1);
}

/* Everything to its start: inputs, and outputs zero but for saxpy's, which is also read. */
static void memory_reset(struct memory *m, const struct kernel *k)
{
	bool is_read = strcmp(k->name, "saxpy") == 0;

	for (uint32_t b = 0; b < m->n; b++)
		if (b + 1 < m->n || is_read)
			fill(k, m->at[b], k->sizes[b], b + 1);
		else
			memset(m->at[b], 0, k->sizes[b]);
}

static void memory_done(struct memory *m)
{
	for (uint32_t b = 0; b < m->n; b++)
		free(m->at[b]);
}

static bool is_same(const struct kernel *k, const void *x, const void *y, uint64_t size)
{
	const float *a = x, *b = y;

	if (!k->is_close)
		return memcmp(a, b, size) == 0;
	for (uint64_t i = 0; i < size / 4; i++)
		if (fabsf(a[i] - b[i]) > 1e-4F * fmaxf(1, fabsf(b[i])))
			return false;
	return true;
}

/* ---- running -------------------------------------------------------------------------------- */

struct job {
	/* One of the two. */
	const struct native_run *run;
	c_kernel_fn *c;
	void *const *buffers;
	uint64_t units, step;
	_Atomic uint64_t next;
	size_t scratch_bytes;
};

static void *work(void *arg)
{
	struct job *j = arg;
	void *scratch = NULL;
	uint64_t used = 0;

	if (j->scratch_bytes > 0 && posix_memalign(&scratch, 64, j->scratch_bytes) != 0)
		exit(1);
	for (;;) {
		uint64_t first = atomic_fetch_add(&j->next, j->step);
		uint64_t end = first + j->step < j->units ? first + j->step : j->units;

		if (first >= j->units)
			break;
		if (j->c != NULL)
			j->c(j->buffers, (uint32_t)first, (uint32_t)end);
		else if (native_run_part(j->run, first, end - first, scratch, &used) != NATIVE_DONE)
			exit(1);
	}
	free(scratch);
	return NULL;
}

static double run_job(struct job *j)
{
	pthread_t other[MAX_THREADS];
	int64_t start_us = clock_boot_us();

	atomic_store(&j->next, 0);
	for (uint32_t t = 1; t < threads; t++)
		if (pthread_create(&other[t], NULL, work, j) != 0)
			exit(1);
	work(j);
	for (uint32_t t = 1; t < threads; t++)
		pthread_join(other[t], NULL);
	return (double)(clock_boot_us() - start_us) / 1000;
}

static double best_of(struct job *j, const struct kernel *k, struct memory *m)
{
	double best = 1e30;

	for (int i = 0; i < RUNS; i++) {
		double ms;

		memory_reset(m, k);
		ms = run_job(j);
		best = ms < best ? ms : best;
	}
	return best;
}

static double once(struct job *j, const struct kernel *k, struct memory *m)
{
	(void)k;
	(void)m;
	return run_job(j);
}

static double run_c(const struct kernel *k, struct memory *m, c_kernel_fn *fn)
{
	struct job j = { .c = fn, .buffers = m->at, .units = k->c_work };

	j.step = k->c_work / (threads * PARTS);
	j.step = j.step < k->c_step ? k->c_step : j.step / k->c_step * k->c_step;
	return best_of(&j, k, m);
}

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "%s: %s\n", what, err->text);
	exit(1);
}

static struct native_code *compile(const struct kernel *k, const struct native_options *o)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf object = { .max = NATIVE_MAX_OBJECT };
	const struct wgsl_source src = { .text = k->text, .len = strlen(k->text) };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct native_code *code = NULL;
	struct err err = { 0 };

	if (wgsl_compile(&src, &arena, &m, &diags, &err) < 0 ||
	    native_compile(m, o, &object, &err) < 0 ||
	    native_load(object.data, object.len, &code, &err) < 0)
		fail(k->name, &err);
	return code;
}

static double time_native(const struct kernel *k, struct memory *m, const struct native_code *code,
			  double (*timed)(struct job *, const struct kernel *, struct memory *))
{
	AUTO(native_run_freep) struct native_run *run = NULL;
	struct native_buffer buffers[MAX_BUFFERS];
	const struct native_chunk chunk = { .buffers = buffers,
					    .n_buffers = m->n,
					    .invocations = { k->invocations[0], k->invocations[1],
							     k->invocations[2] } };
	struct job j = { .scratch_bytes = native_scratch_bytes(code) };
	struct err err = { 0 };

	for (uint32_t b = 0; b < m->n; b++)
		buffers[b] = (struct native_buffer){ .data = m->at[b], .size = k->sizes[b] };
	if (native_run_new(code, &chunk, &run, &err) < 0)
		fail(k->name, &err);
	j.run = run;
	j.units = native_run_units(run);
	j.step = j.units / (threads * PARTS) + 1;
	return timed(&j, k, m);
}

static double run_native(const struct kernel *k, struct memory *m, const struct native_code *code)
{
	return time_native(k, m, code, best_of);
}

static c_kernel_fn *find(void *library, const char *name)
{
	char symbol[64];
	c_kernel_fn *fn;
	void *at;

	snprintf(symbol, sizeof(symbol), "c_%s", name);
	at = dlsym(library, symbol);
	if (at == NULL)
		exit(1);
	memcpy(&fn, &at, sizeof(fn));
	return fn;
}

/* Vulkan next to native code, whose output is the one to have. */
static void round_vulkan(const struct kernel *k, struct lava *l, const struct native_code *code,
			 struct memory *m)
{
	uint64_t size = k->sizes[m->n - 1];
	double best = 1e30;

	memory_reset(m, k);
	for (int i = 0; i < RUNS; i++) {
		double ms = lava_run(l, m->at, k->invocations);

		best = ms < best ? ms : best;
	}
	printf("vulkan_%s %.3f\n", k->name, best);
	memset(m->at[m->n - 1], 0, size);
	(void)time_native(k, m, code, once);
	if (!is_same(k, m->at[m->n - 1], lava_output(l), size)) {
		fprintf(stderr, "%s: not what Vulkan computes\n", k->name);
		exit(1);
	}
}

static void round_of(const struct kernel *k, const struct native_code *code,
		     const struct native_code *unchecked, void *const libraries[2],
		     struct lava *vulkan)
{
	static const char *const names[] = { "gcc", "clang" };
	struct memory m = { 0 }, want = { 0 };

	memory_init(&m, k);
	memory_init(&want, k);
	printf("native_%s %.3f\n", k->name, run_native(k, &m, code));
	for (int l = 0; l < 2; l++) {
		printf("%s_%s %.3f\n", names[l], k->name,
		       run_c(k, &want, find(libraries[l], k->name)));
		if (!is_same(k, m.at[m.n - 1], want.at[m.n - 1], k->sizes[m.n - 1])) {
			fprintf(stderr, "%s: not what %s computes\n", k->name, names[l]);
			exit(1);
		}
	}
	if (unchecked != NULL)
		printf("unchecked_%s %.3f\n", k->name, run_native(k, &m, unchecked));
	if (vulkan != NULL)
		round_vulkan(k, vulkan, code, &m);
	fflush(stdout);
	memory_done(&m);
	memory_done(&want);
}

int main(int argc, char **argv)
{
	static const struct native_options none = { 0 };
	static const struct native_options off = { .no_counters = true, .no_clamps = true };
	int rounds = argc > 4 ? atoi(argv[4]) : 3;
	void *libraries[2];

	if (argc < 3)
		return 2;
	for (int l = 0; l < 2; l++)
		if ((libraries[l] = dlopen(argv[1 + l], RTLD_NOW | RTLD_LOCAL)) == NULL)
			return 1;
	if (argc > 3)
		threads = (uint32_t)atoi(argv[3]);
	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
		const struct kernel *k = &kernels[i];
		AUTO(native_code_freep) struct native_code *code = NULL;
		AUTO(native_code_freep) struct native_code *unchecked = NULL;
		struct lava *l = NULL;

		if (argc > 5 && strcmp(argv[5], k->name) != 0)
			continue;
		code = compile(k, &none);
		unchecked = compile(k, &off);
		if (getenv("BENCH_LAVAPIPE") != NULL)
			l = lava_new(k->text, k->sizes, n_buffers(k));
		for (int r = 0; r < rounds; r++)
			round_of(k, code, unchecked, libraries, l);
		if (l != NULL)
			lava_free(l);
	}
	return 0;
}
