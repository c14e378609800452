/*
 * test_functions.c - every operator and predeclared function with fixed bits gives the same at
 * compile time (the front end's evaluator) and at run time (expansion and native code).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kernel.h"

struct values {
	const char *type;
	const char *list[8];
};

static const struct values floats = {
	"f32",
	{ "0.0", "1.5", "-2.5", "0.5", "1e15", "1e-40", "-7.25", "100.75" },
};

static const struct values ints = {
	"i32",
	{ "0", "1", "-1", "i32(-2147483648)", "2147483647", "12345", "-77", "65536" },
};

static const struct values words = {
	"u32",
	{ "0", "1", "7", "0x80000000", "0xffffffff", "12345", "0x00ff00ff", "65536" },
};

/* In the text A, B and C stand for operands. */
static const char *const float_exprs[] = {
	"A + B",
	"A - B",
	"-A",
	"A * (B * 0.125)",
	"A / 8.0",
	"abs(A)",
	"ceil(A)",
	"floor(A)",
	"trunc(A)",
	"round(A)",
	"fract(A)",
	"sign(A)",
	"saturate(A)",
	"min(A, B)",
	"max(A, B)",
	"clamp(A, -1.0, 3.0)",
	"step(A, B)",
	"mix(A, B, 0.25)",
	"fma(A, 0.125, B)",
	"degrees(A)",
	"radians(A)",
	"select(A, B, A < B)",
	"f32(A < B) + f32(A <= B) + f32(A > B) + f32(A >= B) + f32(A == B) + f32(A != B)",
	"f32(i32(A))",
	"f32(u32(A))",
	"f32(bool(A))",
	"dot(vec3f(A, B, 1.0), vec3f(0.5, 0.25, A * 0.0001))",
	"cross(vec3f(A, B, 1.0), vec3f(0.5, 2.0, 3.0)).x",
	"cross(vec3f(A, B, 1.0), vec3f(0.5, 2.0, 3.0)).z",
	"reflect(vec2f(A * 1e-5, B * 1e-5), vec2f(0.5, 0.25)).y",
	"faceForward(vec2f(A, B), vec2f(0.5, 0.25), vec2f(1.0, -1.0)).x",
	"vec4f(A, B, 1.0, 2.0).wzyx.y",
	"f32(all(vec2<bool>((A < B), A > 0.0))) + f32(any(vec2<bool>((A < B), A > 0.0)))",
};

static const char *const int_exprs[] = {
	"A + B",
	"A - B",
	"A * B",
	"-A",
	"~A",
	"A & B",
	"A | B",
	"A ^ B",
	"A / 7",
	"A % 7",
	"A / -3",
	"A % -3",
	"(A & 255) << (u32(B) & 15u)",
	"A >> (u32(B) & 31u)",
	"abs(A)",
	"sign(A)",
	"min(A, B)",
	"max(A, B)",
	"clamp(A, -5, 500)",
	"countLeadingZeros(A)",
	"countOneBits(A)",
	"countTrailingZeros(A)",
	"firstLeadingBit(A)",
	"firstTrailingBit(A)",
	"reverseBits(A)",
	"extractBits(A, 3u, 7u)",
	"extractBits(A, 0u, 32u)",
	"extractBits(A, 31u, 1u)",
	"extractBits(A, 5u, 0u)",
	"insertBits(A, B, 3u, 7u)",
	"insertBits(A, B, 0u, 32u)",
	"insertBits(A, B, 32u, 0u)",
	"select(A, B, A < B)",
	"i32(f32(A))",
	"i32(u32(A))",
	"i32(A < B) + 2 * i32(A == B)",
	"dot(vec3i(A, B, 3), vec3i(5, A, B))",
	"bitcast<i32>(f32(A))",
	"i32(pack4xI8(vec4i(A, B, 1, 2)))",
	"i32(pack4xI8Clamp(vec4i(A, B, 1, 2)))",
	"dot4I8Packed(u32(A), u32(B))",
	"unpack4xI8(u32(A)).y",
};

static const char *const word_exprs[] = {
	"A + B",
	"A - B",
	"A * B",
	"~A",
	"A & B",
	"A | B",
	"A ^ B",
	"A / 7",
	"A % 7",
	"A / 0x80000001",
	"(A & 255) << (B & 15)",
	"A >> (B & 31)",
	"abs(A)",
	"min(A, B)",
	"max(A, B)",
	"clamp(A, 5, 500)",
	"countLeadingZeros(A)",
	"countOneBits(A)",
	"countTrailingZeros(A)",
	"firstLeadingBit(A)",
	"firstTrailingBit(A)",
	"reverseBits(A)",
	"extractBits(A, 3, 7)",
	"extractBits(A, 0, 32)",
	"extractBits(A, 5, 0)",
	"insertBits(A, B, 3, 7)",
	"insertBits(A, B, 0, 32)",
	"select(A, B, A < B)",
	"u32(f32(A))",
	"u32(i32(A))",
	"dot(vec2u(A, B), vec2u(5, A))",
	"bitcast<u32>(f32(A))",
	"pack4xU8(vec4u(A, B, 1, 2))",
	"pack4xU8Clamp(vec4u(A, B, 1, 2))",
	"dot4U8Packed(A, B)",
	"unpack4xU8(A).z",
	"u32(bool(A)) + u32(!bool(B))",
};

/* f32 functions without fixed bits: within a relative 1e-5 of each other. */
static const char *const loose_exprs[] = {
	"sqrt(abs(A))",
	"inverseSqrt(abs(A) + 1.0)",
	"exp(A * 0.01)",
	"exp2(A * 0.01)",
	"log(abs(A) + 1.0)",
	"log2(abs(A) + 1.0)",
	"sin(A)",
	"cos(A)",
	"tan(A)",
	"asin(A * 0.001)",
	"acos(A * 0.001)",
	"atan(A)",
	"sinh(A * 0.01)",
	"cosh(A * 0.01)",
	"tanh(A)",
	"asinh(A)",
	"acosh(abs(A) + 1.0)",
	"atanh(A * 0.001)",
	"pow(abs(A) + 0.5, B * 0.01)",
	"atan2(A, B + 0.125)",
	"A / (B + 0.125)",
	"A % 3.5",
	"length(vec3f(A, B, 1.0))",
	"distance(vec2f(A, B), vec2f(1.0, 2.0))",
	"normalize(vec2f(A, 1.0)).x",
	"smoothstep(-3.0, 9.0, A)",
	"unpack4x8unorm(bitcast<u32>(A)).z",
	"unpack4x8snorm(bitcast<u32>(A)).w",
	"unpack2x16unorm(bitcast<u32>(B)).y",
	"unpack2x16snorm(bitcast<u32>(B)).x",
};

static const char *const part_exprs[] = {
	"modf(A).fract + modf(A).whole * 0.001",
	"modf(vec2f(B, A)).fract.y",
	"frexp(A).fract",
	"f32(frexp(vec2f(B, A)).exp.y)",
	"ldexp(A, i32(B) & 63)",
	"ldexp(A, -140)",
	"quantizeToF16(A * 0.37)",
	"quantizeToF16(vec2f(A * 1e-8, B)).x",
	"f32(pack2x16float(vec2f(A * 0.03, B)) >> 3)",
	"unpack2x16float(pack2x16float(vec2f(A * 0.03, B * 1e-7))).y",
	"f32(pack4x8unorm(vec4f(A, 0.3, B * 0.1, 0.7)))",
	"f32(pack4x8snorm(vec4f(A, 0.3, B * 0.1, -0.7)) >> 8)",
	"f32(pack2x16unorm(vec2f(A * 0.01, B * 0.1)))",
	"f32(pack2x16snorm(vec2f(A * 0.01, B * 0.1)))",
	"quantizeToF16(A * 1e-40)",
	"frexp(A * 1e-40).fract",
	"f32(frexp(A * 1e-40).exp)",
};

static const char *const matrix_exprs[] = {
	"(mat2x2f(A, B, 1.0, 2.0) * vec2f(0.5, A)).y",
	"(vec2f(0.5, A) * mat2x2f(A, B, 1.0, 2.0)).x",
	"(vec3f(0.5, A, B) * mat2x3f(A, B, 1.0, 2.0, 3.0, 4.0)).y",
	"(mat2x3f(A, 1.0, B, 2.0, 3.0, 4.0) * mat3x2f(1.0, 2.0, A, 3.0, 4.0, B))[2].y",
	"(mat2x2f(A, B, 1.0, 2.0) + mat2x2f(vec2f(B, A), vec2f(A, 7.0)))[1].x",
	"(mat2x2f(A, B, 1.0, 2.0) - mat2x2f(vec2f(B, A), vec2f(A, 7.0)))[0].y",
	"(2.5 * mat2x2f(A, B, 1.0, 2.0) * B)[0].y",
	"transpose(mat2x3f(A, 1.0, B, 2.0, 3.0, 4.0))[2].x",
	"determinant(mat2x2f(A, B, 1.0, 2.0))",
	"determinant(mat3x3f(A, B, 1.0, 2.0, B, A, 5.0, 0.25, A))",
	"determinant(mat4x4f(A, B, 1.0, 2.0, B, A, 5.0, 0.25, A, 1.0, 3.0, B, 0.5, 2.0, A, 9.0))",
	"determinant(mat2x2f(mat2x2f(A, B, 1.0, 2.0)) * mat2x2f())",
};

static const struct values small_floats = {
	"f32",
	{ "0.0", "1.5", "-2.5", "0.5", "3.25", "-0.75", "-7.25", "100.75" },
};

static void put(struct buf *b, const char *expr, const char *a, const char *second)
{
	for (; *expr != '\0'; expr++) {
		bool is_word =
		    (expr[0] == 'A' || expr[0] == 'B') && !(expr[1] >= 'a' && expr[1] <= 'z');

		if (is_word)
			buf_note(b, "%s", expr[0] == 'A' ? a : second);
		else
			buf_note(b, "%c", *expr);
	}
}

/* o[0] counts differences, o[1] says where the last one is. */
static void make(struct buf *b, const struct values *v, const char *expr, bool is_loose)
{
	buf_note(b,
		 "@group(0) @binding(0) var<storage, read_write> o: array<u32, 2>;\n"
		 "@compute @workgroup_size(1) fn main() {\n"
		 "var x: %s; var y: %s;\n",
		 v->type, v->type);
	for (int i = 0; i < 64; i++) {
		AUTO(buf_done) struct buf a = { .max = 64 };
		AUTO(buf_done) struct buf c = { .max = 64 };

		buf_note(&a, "%s(%s)", v->type, v->list[i % 8]);
		buf_note(&c, "%s(%s)", v->type, v->list[i / 8]);
		buf_note(b, "{ x = %s; y = %s; const want = %s(", buf_str(&a), buf_str(&c),
			 v->type);
		put(b, expr, buf_str(&a), buf_str(&c));
		buf_note(b, "); let got = %s(", v->type);
		put(b, expr, "x", "y");
		if (is_loose)
			buf_note(b, "); if !(abs(got - want) <= 1e-5 * abs(want) + 1e-7)");
		else
			buf_note(b, "); if bitcast<u32>(want) != bitcast<u32>(got)");
		buf_note(b, " { o[0]++; o[1] = %du; } }\n", i);
	}
	buf_note(b, "}\n");
}

static void check(const struct values *v, const char *expr, bool is_loose)
{
	AUTO(buf_done) struct buf text = { .max = 256 * 1024 };
	uint32_t out[4] __attribute__((aligned(16))) = { 0 };
	struct native_buffer buffer = { .data = out, .size = 8 };
	struct native_chunk chunk = { .buffers = &buffer, .n_buffers = 1 };
	struct native_options options = { 0 };
	uint64_t used = 0;

	chunk.invocations[0] = chunk.invocations[1] = chunk.invocations[2] = 1;
	make(&text, v, expr, is_loose);
	assert_int_equal(kernel_run(buf_str(&text), &options, &chunk, &used), NATIVE_DONE);
	if (out[0] != 0)
		fail_msg("%s for %s: %u differences, at A = %s, B = %s", expr, v->type, out[0],
			 v->list[out[1] % 8], v->list[out[1] / 8]);
}

static void f32_operations_give_the_bits_of_the_evaluator(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(float_exprs); i++)
		check(&floats, float_exprs[i], false);
	for (size_t i = 0; i < ARRAY_LEN(part_exprs); i++)
		check(&small_floats, part_exprs[i], false);
}

static void i32_operations_give_the_bits_of_the_evaluator(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(int_exprs); i++)
		check(&ints, int_exprs[i], false);
}

static void u32_operations_give_the_bits_of_the_evaluator(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(word_exprs); i++)
		check(&words, word_exprs[i], false);
}

static void matrices_give_the_bits_of_the_evaluator(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(matrix_exprs); i++)
		check(&small_floats, matrix_exprs[i], false);
}

static void loose_functions_are_close_to_the_evaluator(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(loose_exprs); i++)
		check(&small_floats, loose_exprs[i], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_operations_give_the_bits_of_the_evaluator),
		cmocka_unit_test(i32_operations_give_the_bits_of_the_evaluator),
		cmocka_unit_test(u32_operations_give_the_bits_of_the_evaluator),
		cmocka_unit_test(matrices_give_the_bits_of_the_evaluator),
		cmocka_unit_test(loose_functions_are_close_to_the_evaluator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
