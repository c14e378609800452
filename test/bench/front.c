/* uses: spirv wgsl base */
/*
 * front.c - how long WGSL text takes to become SPIR-V, without files, processes and drivers.
 *
 * Prints "spirv_pi MS" for the pi kernel, "spirv_large MS" for a generated one and
 * "spirv_large_lines N", the best of many runs each. The generated kernel is what a long
 * hand-written one looks like: a hundred functions of twenty lines with loops, branches, switches,
 * vectors, structs and arrays, called by the entry point, which all become one function.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "spirv/spirv.h"
#include "test/bench/pi_kernel.h"
#include "wgsl/wgsl.h"

enum { FUNCTIONS = 100, RUNS_PI = 400, RUNS_LARGE = 40 };

static void fail(const char *text)
{
	fprintf(stderr, "front: %s\n", text);
	exit(1);
}

static double compile_ms(const char *text, size_t len)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf words = { .max = SPIRV_MAX_BYTES };
	const struct wgsl_source source = { .text = text, .len = len };
	const struct spirv_options options = { .rte32 = true, .denorm_preserve32 = true };
	int64_t start_us = clock_boot_us();
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m;
	struct spirv_layout layout;
	struct err err = { 0 };

	if (wgsl_compile(&source, &arena, &m, &diags, &err) < 0 ||
	    spirv_compile(m, &options, &words, &layout, &err) < 0)
		fail(err.text);
	return (double)(clock_boot_us() - start_us) / 1000;
}

static double best_ms(const char *text, size_t len, int runs)
{
	double best = 1e30;

	for (int i = 0; i < runs; i++) {
		double ms = compile_ms(text, len);

		best = ms < best ? ms : best;
	}
	return best;
}

static void add_function(struct buf *t, int n)
{
	buf_note(t,
		 "/* Stage %d: mixes its inputs and walks some of the table. */\n"
		 "fn stage_%d(seed: u32, at: vec3f) -> u32 {\n"
		 "  var state = seed * 747796405u + %uu;\n"
		 "  var best = Sample(at, 0.0, 0u);\n"
		 "  var window: array<f32, 4>;\n"
		 "  for (var i = 0u; i < params.rounds; i++) {\n"
		 "    state = (state ^ (state >> %du)) * 277803737u;\n"
		 "    let v = table[(state + i) %% arrayLength(&table)];\n"
		 "    window[i & 3u] = dot(v.xyz, at) + 0.5 * v.w;\n"
		 "    if (window[i & 3u] > best.weight) {\n",
		 n, n, 2654435761U * (uint32_t)n, 3 + n % 20);
	buf_note(t,
		 "      best.weight = window[i & 3u]; // the largest so far\n"
		 "      best.place = clamp(v.xyz * 0.25, vec3f(-1.0), vec3f(1.0));\n"
		 "      best.count += 1u;\n"
		 "    } else if (best.count > %du && state %% 3u == 0u) { break; }\n"
		 "  }\n"
		 "  switch (state & 3u) {\n"
		 "    case 0u: { return best.count + u32(abs(best.place.x) * 255.0); }\n"
		 "    case 1u, 2u: { state += u32(max(window[0], window[3])); }\n"
		 "    default: { %s }\n"
		 "  }\n  return state ^ best.count;\n}\n",
		 5 + n % 7, n % 4 == 0 ? "state ^= best.count;" : "");
}

static void make_large(struct buf *t)
{
	buf_note(t, "struct Params { rounds: u32, scale: f32, size: vec2u }\n"
		    "struct Sample { place: vec3f, weight: f32, count: u32 }\n"
		    "@group(0) @binding(0) var<uniform> params: Params;\n"
		    "@group(0) @binding(1) var<storage, read> table: array<vec4f>;\n"
		    "@group(0) @binding(2) var<storage, read_write> out: array<u32>;\n");
	for (int n = 0; n < FUNCTIONS; n++)
		add_function(t, n);
	buf_note(t, "@compute @workgroup_size(64)\n"
		    "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
		    "  let at = vec3f(id) * params.scale;\n"
		    "  var sum = id.x;\n");
	for (int n = 0; n < FUNCTIONS; n++)
		buf_note(t, "  sum += stage_%d(sum, at);\n", n);
	buf_note(t, "  out[id.x] = sum;\n}\n");
}

static unsigned lines_of(const struct buf *t)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->len; i++)
		n += t->data[i] == '\n';
	return n;
}

int main(void)
{
	AUTO(buf_done) struct buf large = { .max = 1 << 20 };

	make_large(&large);
	printf("spirv_pi %.3f\n", best_ms(PI_KERNEL, sizeof(PI_KERNEL) - 1, RUNS_PI));
	printf("spirv_large %.3f\n", best_ms(large.data, large.len, RUNS_LARGE));
	printf("spirv_large_lines %u\n", lines_of(&large));
	return 0;
}
