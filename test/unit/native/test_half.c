/* f16: against the machine's own conversions, and every operation against the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel.h"

static const struct native_options options = { 0 };

/* The bits of f rounded to f16; any NaN is 7e00. */
static uint16_t half_bits(float f)
{
	_Float16 h = (_Float16)f;
	uint16_t bits;

	memcpy(&bits, &h, sizeof(bits));
	return f != f ? 0x7e00 : bits;
}

static float half_value(uint16_t bits)
{
	_Float16 h;

	memcpy(&h, &bits, sizeof(h));
	return (float)h;
}

static void run(const char *text, struct native_buffer *buffers, uint32_t n, uint32_t invocations)
{
	struct native_chunk chunk = { .invocations = { invocations, 1, 1 },
				      .buffers = buffers,
				      .n_buffers = n };
	uint64_t used = 0;

	assert_int_equal(kernel_run(text, &options, &chunk, &used), NATIVE_DONE);
}

/* in: f32; out: f16. */
static void check_rounding(const uint32_t *in, uint32_t n)
{
	static const char text[] =
	    "enable f16;\n"
	    "@group(0) @binding(0) var<storage, read> p: array<f32>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<f16>;\n"
	    "@compute @workgroup_size(64)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  if (id.x < arrayLength(&p)) { out[id.x] = f16(p[id.x]); }\n"
	    "}\n";
	uint16_t *out = NEW_ARRAY(uint16_t, n);
	struct native_buffer buffers[2] = { { .data = NULL, .size = n * 4ULL },
					    { .data = out, .size = n * 2ULL } };
	uint8_t *copy = mem_alloc(n * 4ULL);

	memcpy(copy, in, n * 4ULL);
	buffers[0].data = copy;
	run(text, buffers, 2, n);
	for (uint32_t i = 0; i < n; i++) {
		float f;

		memcpy(&f, &in[i], sizeof(f));
		if (out[i] != half_bits(f))
			fail_msg("%08x: got %04x, want %04x", in[i], out[i], half_bits(f));
	}
	mem_free(copy);
	mem_free(out);
}

/* Every f16, every middle between two, and their neighbours. */
static void f32_is_rounded_to_the_nearest_f16(void **state)
{
	enum { N = 0x8000 * 6 };
	uint32_t *in = NEW_ARRAY(uint32_t, 2 * N);
	uint32_t seed = 5;

	(void)state;
	for (uint32_t h = 0; h < 0x8000; h++) {
		float a = half_value((uint16_t)h), b = half_value((uint16_t)(h + 1));
		float middle = (a + b) / 2;
		uint32_t at[2];

		memcpy(&at[0], &a, 4);
		memcpy(&at[1], &middle, 4);
		for (uint32_t k = 0; k < 6; k++) {
			uint32_t word = at[k / 3] + k % 3 - 1;

			in[h * 6 + k] = h % 2 ? word : word ^ 0x80000000U;
		}
	}
	for (uint32_t k = N; k < 2 * N; k++)
		in[k] = kernel_word(&seed);
	check_rounding(in, 2 * N);
	mem_free(in);
}

static void each_f32_is_rounded_to_the_nearest_f16(void **state)
{
	enum { N = 1 << 20 };
	uint32_t *in = NEW_ARRAY(uint32_t, N);

	(void)state;
	if (getenv("KWARP_SLOW") == NULL) {
		mem_free(in);
		skip();
	}
	for (uint64_t first = 0; first < (uint64_t)1 << 32; first += N) {
		for (uint32_t k = 0; k < N; k++)
			in[k] = (uint32_t)first + k;
		check_rounding(in, N);
	}
	mem_free(in);
}

static void operators_are_correctly_rounded(void **state)
{
	static const char text[] =
	    "enable f16;\n"
	    "@group(0) @binding(0) var<storage, read> p: array<vec2<f16>>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<array<f16, 4>>;\n"
	    "@compute @workgroup_size(64)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  if (id.x >= arrayLength(&p)) { return; }\n"
	    "  let a = p[id.x].x; let b = p[id.x].y;\n"
	    "  out[id.x] = array(a + b, a - b, a * b, a / b);\n"
	    "}\n";
	enum { N = 100000 };
	uint32_t *in = NEW_ARRAY(uint32_t, N);
	uint16_t *out = NEW_ARRAY(uint16_t, 4 * N);
	struct native_buffer buffers[2] = { { .data = in, .size = N * 4ULL },
					    { .data = out, .size = N * 8ULL } };
	uint32_t seed = 9;

	(void)state;
	for (uint32_t k = 0; k < N; k++)
		in[k] = kernel_word(&seed);
	run(text, buffers, 2, N);
	for (uint32_t k = 0; k < N; k++) {
		double a = half_value((uint16_t)in[k]), b = half_value((uint16_t)(in[k] >> 16));
		/* In double and rounded once: exact, because 53 >= 2 * 11 + 2. */
		_Float16 want[4] = { (_Float16)(a + b), (_Float16)(a - b), (_Float16)(a * b),
				     (_Float16)(a / b) };

		for (int n = 0; n < 4; n++) {
			uint16_t bits;

			memcpy(&bits, &want[n], sizeof(bits));
			if (want[n] != want[n])
				bits = 0x7e00;
			if (out[4 * k + (uint32_t)n] != bits)
				fail_msg("%08x, operator %d: got %04x, want %04x", in[k], n,
					 out[4 * k + (uint32_t)n], bits);
		}
	}
	mem_free(in);
	mem_free(out);
}

/* Some lane counts and CPUs. */
static void check(const struct kernel *k)
{
	static const struct native_options some[] = { { 0 },
						      { .lanes = 4, .cpu = "x86-64" },
						      { .lanes = 32, .reverse_lanes = true } };

	for (size_t n = 0; n < ARRAY_LEN(some); n++)
		kernel_check(k, &some[n]);
}

static void check_each(const char *type, const char *result, const char *const *exprs, size_t n)
{
	enum { N = 150 };
	static const char head[] =
	    "enable f16;\n"
	    "@group(0) @binding(0) var<storage, read> pa: array<%s>;\n"
	    "@group(0) @binding(1) var<storage, read> pb: array<%s>;\n"
	    "@group(0) @binding(2) var<storage, read_write> out: array<%s>;\n"
	    "@compute @workgroup_size(64)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let i = id.x; let a = pa[i]; let b = pb[i];\n";
	char text[16384];
	size_t len = (size_t)snprintf(text, sizeof(text), head, type, type, result);

	for (size_t e = 0; e < n; e++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"  out[i * %zuu + %zuu] = %s;\n", n, e, exprs[e]);
	(void)snprintf(text + len, sizeof(text) - len, "}\n");
	check(&(struct kernel){ .text = text,
				.invocations = { N },
				.sizes = { N * 8, N * 8, (uint32_t)n * N * 8 },
				.seed = 7 });
}

#define CHECK(type, result, ...)                                                                   \
	do {                                                                                       \
		static const char *const e_[] = { __VA_ARGS__ };                                   \
		check_each(type, result, e_, ARRAY_LEN(e_));                                       \
	} while (0)

static void functions_are_those_of_f32_rounded(void **state)
{
	(void)state;
	CHECK("f16", "f16", "a + b", "a % b", "-a", "abs(a)", "min(a, b)", "max(a, b)",
	      "clamp(a, -1h, 1h)", "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "fract(a)",
	      "sign(a)", "step(a, b)", "mix(a, b, 0.25h)", "fma(a, b, a)", "sqrt(a)", "saturate(a)",
	      "select(a, b, a < b)", "a / 4h", "degrees(a)", "ldexp(a, i32(i % 40u) - 20)",
	      "modf(a).fract", "modf(a).whole", "frexp(a).fract", "f16(frexp(a).exp)",
	      "smoothstep(0h, 2h, a)");
	CHECK("vec4<f16>", "f16", "dot(a, b)", "length(a)", "distance(a, b)", "a[i & 3u]",
	      "cross(a.xyz, b.xyz).y", "reflect(a, b).x", "normalize(a).w", "(a * b.x).z",
	      "determinant(mat2x2(a.xy, b.xy))", "(mat2x2(a.xy, b.xy) * a.zw).y",
	      "(a.xyz * mat2x3(a.xyz, b.xyz)).x",
	      "(mat2x2h(a.xy, b.xy) + mat2x2h(b.zw, a.zw))[1].x", "faceForward(a, b, a).x",
	      "bitcast<vec2<f16>>(bitcast<u32>(a.xy)).y");
}

static void conversions_and_bits(void **state)
{
	(void)state;
	CHECK("f16", "u32", "u32(a)", "u32(i32(a))", "u32(a < b)", "u32(a == b)", "u32(bool(a))",
	      "bitcast<u32>(vec2(a, b))", "pack2x16float(vec2<f32>(vec2(a, b)))", "u32(a != b)",
	      "bitcast<vec2<u32>>(vec4(a, b, b, a)).y", "bitcast<u32>(f32(a))");
	CHECK("u32", "f16", "f16(a)", "f16(i32(a))", "f16(bitcast<f32>(a))", "f16(a < b)",
	      "bitcast<vec2<f16>>(a).x", "bitcast<vec2<f16>>(a).y",
	      "bitcast<vec4<f16>>(vec2(a, b)).z", "bitcast<vec2<f16>>(bitcast<f32>(b)).x");
}

/* Members of 2 bytes at their places, and private copies of whole structs. */
/* As vectors are, at run time, as a constant, and back. */
static void matrices_are_converted_to_other_components(void **state)
{
	static const char text[] =
	    "enable f16;\n"
	    "@group(0) @binding(0) var<storage, read> p: array<vec4f>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;\n"
	    "const k = mat2x2h(mat2x2f(0.1, 1.0001, 3.14159, -0.3));\n"
	    "@compute @workgroup_size(1) fn main() {\n"
	    "  let m = mat2x2f(p[0].xy, p[0].zw);\n"
	    "  var h = mat2x2<f16>(m);\n"
	    "  let back = mat2x2f(h);\n"
	    "  h = transpose(mat2x2h(m) * k);\n"
	    "  out[0] = vec4f(back[0], back[1]);\n"
	    "  out[1] = vec4f(vec4h(p[0]));\n"
	    "  out[2] = vec4f(vec2f(k[0]), vec2f(k[1]));\n"
	    "}\n";
	float in[4] = { 0.1f, 1.0001f, 3.14159f, -0.3f };
	float out[12] = { 0 };
	struct native_buffer buffers[2] = { { .data = in, .size = sizeof(in) },
					    { .data = out, .size = sizeof(out) } };

	(void)state;
	run(text, buffers, 2, 1);
	for (int i = 0; i < 12; i++)
		assert_float_equal(out[i], half_value(half_bits(in[i % 4])), 0.0f);
}

static void memory_has_16_bits_where_it_is_shared(void **state)
{
	static const char text[] =
	    "enable f16;\n"
	    "struct T { a: f16, b: vec3<f16>, c: array<f16, 3>, m: mat3x3<f16>, d: u32 }\n"
	    "@group(0) @binding(0) var<storage, read> p: array<T>;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<T>;\n"
	    "@group(0) @binding(2) var<uniform> u: T2;\n"
	    "struct T2 { a: f16, b: vec2<f16>, c: f32, d: vec4<f16> }\n"
	    "var<workgroup> w: array<vec2<f16>, 32>;\n"
	    "var<private> q: array<T, 2>;\n"
	    "fn swap(t: T, k: u32) -> T {\n"
	    "  var r = t; r.a = t.c[k % 3u]; r.b = t.m[k % 3u]; r.b[k & 1u] += u.b.y;\n"
	    "  r.c[2] = u.a; r.m[1].z = u.d.w * f16(u.c); r.d += 1u;\n"
	    "  return r;\n"
	    "}\n"
	    "@compute @workgroup_size(32)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>,\n"
	    "        @builtin(local_invocation_index) l: u32) {\n"
	    "  w[l] = vec2(p[id.x].a, p[id.x].c[1]);\n"
	    "  workgroupBarrier();\n"
	    "  q[id.x & 1u] = swap(p[id.x], id.x);\n"
	    "  q[id.x & 1u].b.x = w[31u - l].y;\n"
	    "  out[id.x] = q[id.x & 1u];\n"
	    "  out[id.x].m[0][id.x % 3u] = w[l ^ 1u].x;\n"
	    "}\n";

	(void)state;
	check(&(struct kernel){
	    .text = text, .invocations = { 96 }, .sizes = { 96 * 56, 96 * 56, 32 }, .seed = 3 });
}

/* Halves of one word are written by different invocations; the rest is of any size. */
static void buffers_mix_halves_with_other_types(void **state)
{
	static const char text[] =
	    "enable f16; enable kwarp_i64, kwarp_f64;\n"
	    "struct T { h: array<f16, 3>, n: atomic<i32>, w: vec2<u64>, d: f64, v: vec3<f16>, t: "
	    "f16,\n"
	    "  f: vec3<f32>, b: i32, m: mat2x2<f32> }\n"
	    "struct P { h: f16, n: i32, d: vec3<f64>, m: mat3x2<f16>, k: array<i64> }\n"
	    "@group(0) @binding(0) var<storage, read> p: P;\n"
	    "@group(0) @binding(1) var<storage, read_write> out: array<T>;\n"
	    "@compute @workgroup_size(4)\n"
	    "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
	    "  let i = id.x; let j = i / 4u; let l = i % 4u;\n"
	    "  atomicAdd(&out[j].n, p.n + i32(i)); atomicMin(&out[j + 30u].n, -5 - i32(l));\n"
	    "  if (l < 3u) { out[j].h[l] = f16(i) + p.h; out[j].v[l] = p.m[l].y; }\n"
	    "  else { out[j].t = p.m[j % 3u][1] - f16(l); out[j].d = p.d[j % 3u] + f64(i); }\n"
	    "  if (l < 2u) { out[j].w[l] = u64(p.k[i]) + u64(i); out[j].m[l] = vec2(f32(i), -1f); "
	    "}\n"
	    "  if (l == 2u) { out[j].f = vec3(f32(out[j].b), f32(p.k[j]), f32(arrayLength(&p.k))); "
	    "}\n"
	    "  if (i == 0u) { out[21].v = p.m[2].xyy; out[22].w = vec2(u64(p.n), u64(p.k[7])); }\n"
	    "  if (i == 1u) { out[10000].b = p.n; }\n"
	    "}\n";

	(void)state;
	check(&(struct kernel){
	    .text = text, .invocations = { 80 }, .sizes = { 64 + 40 * 8, 64 * 80 }, .seed = 5 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_is_rounded_to_the_nearest_f16),
		cmocka_unit_test(each_f32_is_rounded_to_the_nearest_f16),
		cmocka_unit_test(operators_are_correctly_rounded),
		cmocka_unit_test(functions_are_those_of_f32_rounded),
		cmocka_unit_test(conversions_and_bits),
		cmocka_unit_test(matrices_are_converted_to_other_components),
		cmocka_unit_test(memory_has_16_bits_where_it_is_shared),
		cmocka_unit_test(buffers_mix_halves_with_other_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
