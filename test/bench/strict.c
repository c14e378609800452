/*
 * strict.c - functions of numerics: Strict beside the C library's on one core; part of `make
 * bench`.
 *
 *     strict [ROUNDS]
 *
 * Each line: "NAME ours_ns libm_ns": the best time per value of ROUNDS [5] rounds, in turns. Both
 * walk over the same arguments in the range where functions are used; ours is the kernel as an
 * agent would run it, loads and stores included; the C library's is a loop over its scalar
 * function.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "native/native.h"
#include "wgsl/wgsl.h"

enum { N = 1 << 16, TURNS = 8 };

struct function {
	const char *name;
	const char *expr;
	float (*one)(float);
	float (*two)(float, float);
	float low, high; /* of the arguments */
};

static const struct function functions[] = {
	{ "exp", "exp(a)", expf, NULL, -80.0f, 80.0f },
	{ "log", "log(a)", logf, NULL, 0.0f, 1000.0f },
	{ "sin", "sin(a)", sinf, NULL, -100.0f, 100.0f },
	{ "cos", "cos(a)", cosf, NULL, -100.0f, 100.0f },
	{ "pow", "pow(a, a * 0.01)", NULL, powf, 0.0f, 1000.0f },
};

static void give_up(const struct err *err)
{
	fprintf(stderr, "strict: %s\n", err->text);
	exit(1);
}

static struct native_code *compile(const struct function *f)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf object = { .max = NATIVE_MAX_OBJECT };
	AUTO(buf_done) struct buf text = { .max = 4096 };
	struct wgsl_source src = { .strict = true };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct native_code *code = NULL;
	struct err err = { 0 };

	buf_note(&text,
		 "@group(0) @binding(0) var<storage> v: array<f32>;\n"
		 "@group(0) @binding(1) var<storage, read_write> o: array<f32>;\n"
		 "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
		 "  let a = v[i.x];\n  o[i.x] = %s;\n}\n",
		 f->expr);
	src.text = buf_str(&text);
	src.len = text.len;
	if (wgsl_compile(&src, &arena, &m, &diags, &err) < 0 ||
	    native_compile(m, &(struct native_options){ 0 }, &object, &err) < 0 ||
	    native_load(object.data, object.len, &code, &err) < 0)
		give_up(&err);
	return code;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double ours(const struct native_run *r)
{
	double start = now_ns();
	uint64_t used = 0;

	for (int i = 0; i < TURNS; i++)
		if (native_run_part(r, 0, native_run_units(r), NULL, &used) != NATIVE_DONE)
			exit(1);
	return (now_ns() - start) / (N * (double)TURNS);
}

static double theirs(const struct function *f, const float *in, float *out)
{
	double start = now_ns();

	for (int i = 0; i < TURNS; i++)
		for (int k = 0; k < N; k++)
			out[k] = f->one != NULL ? f->one(in[k]) : f->two(in[k], in[k] * 0.01f);
	return (now_ns() - start) / (N * (double)TURNS);
}

static void measure(const struct function *f, float *in, float *out, int rounds)
{
	const struct native_buffer buffers[2] = { { in, N * sizeof(*in) },
						  { out, N * sizeof(*out) } };
	const struct native_chunk chunk = { .buffers = buffers,
					    .n_buffers = 2,
					    .invocations = { N, 1, 1 } };
	AUTO(native_code_freep) struct native_code *code = compile(f);
	AUTO(native_run_freep) struct native_run *run = NULL;
	double best[2] = { INFINITY, INFINITY };
	struct err err = { 0 };

	for (int i = 0; i < N; i++)
		in[i] =
		    f->low + (f->high - f->low) * ((float)((uint32_t)i * 40503u % N) + 0.5f) / N;
	if (native_run_new(code, &chunk, &run, &err) < 0)
		give_up(&err);
	for (int i = 0; i < rounds; i++) {
		best[0] = fmin(best[0], ours(run));
		best[1] = fmin(best[1], theirs(f, in, out));
	}
	printf("%s %.3f %.3f\n", f->name, best[0], best[1]);
}

int main(int argc, char **argv)
{
	float *in = mem_alloc(N * sizeof(*in));
	float *out = mem_alloc(N * sizeof(*out));
	int rounds = argc > 1 ? atoi(argv[1]) : 5;

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		measure(&functions[i], in, out, rounds);
	mem_free(in);
	mem_free(out);
	return 0;
}
