/*
 * test_strict.c - numerics: Strict against functions of more bits: how far off is each function?
 *
 * Plainly run it looks at a sample of inputs in every exponent. With KWARP_STRICT_STRIDE=n it
 * looks at every n-th of all 2^32 inputs (pairs: 2^32 / n of them) and prints what it found; 1 is
 * all
 * (`make strict-all`). KWARP_STRICT_ONLY=name restricts it to one function.
 *
 * The references are double functions of the C library with errors far below 1e-8 units in the
 * last place of f32; division and square root are the CPU's.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "kernel.h"
#include "wgsl/wgsl.h"

enum { BATCH = 1 << 18, SAMPLES = 120000, FEW = 20000 };

struct function {
	const char *name;
	const char *expr; /* of a and b */
	double (*one)(double);
	double (*two)(double, double);
	bool is_exact; /* correctly rounded */
	bool is_long;  /* with strict_division */
	bool divides;  /* uses division or square root inside */
};

static double inverse_sqrt(double a)
{
	return 1.0 / sqrt(a);
}
static double divide(double a, double b)
{
	return a / b;
}

static const struct function functions[] = {
	{ "div", "a / b", NULL, divide, true, false, false },
	{ "div, long", "a / b", NULL, divide, true, true, false },
	{ "sqrt", "sqrt(a)", sqrt, NULL, true, false, false },
	{ "sqrt, long", "sqrt(a)", sqrt, NULL, true, true, false },
	{ "inverseSqrt", "inverseSqrt(a)", inverse_sqrt, NULL, false, false, false },
	{ "exp", "exp(a)", exp, NULL, false, false, false },
	{ "exp2", "exp2(a)", exp2, NULL, false, false, false },
	{ "log", "log(a)", log, NULL, false, false, false },
	{ "log2", "log2(a)", log2, NULL, false, false, false },
	{ "sin", "sin(a)", sin, NULL, false, false, false },
	{ "cos", "cos(a)", cos, NULL, false, false, false },
	{ "tan", "tan(a)", tan, NULL, false, false, true },
	{ "asin", "asin(a)", asin, NULL, false, false, true },
	{ "acos", "acos(a)", acos, NULL, false, false, true },
	{ "atan", "atan(a)", atan, NULL, false, false, true },
	{ "sinh", "sinh(a)", sinh, NULL, false, false, false },
	{ "cosh", "cosh(a)", cosh, NULL, false, false, false },
	{ "tanh", "tanh(a)", tanh, NULL, false, false, true },
	{ "asinh", "asinh(a)", asinh, NULL, false, false, true },
	{ "acosh", "acosh(a)", acosh, NULL, false, false, true },
	{ "atanh", "atanh(a)", atanh, NULL, false, false, true },
	{ "pow", "pow(a, b)", NULL, pow, false, false, true },
	{ "atan2", "atan2(a, b)", NULL, atan2, false, false, true },
};

struct found {
	double worst;
	uint32_t at[2];
	uint64_t not_nearest;
	uint64_t n;
	double kernel_s;
};

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return isnan(f) ? 0x7fc00000 : bits;
}

/* In units in the last place of f32; 1e30 where no rounding makes one of the other. */
static double distance(float got, double want)
{
	int e;

	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want) ? 0.0 : 1e30;
	if (want == 0.0 || isinf(want))
		return bits_of(got) == bits_of((float)want) ? 0.0 : 1e30;
	if (isinf(got) && isinf((float)want))
		return 0.0;
	/* Infinity is where the next number would be. */
	if (isinf(got))
		got = copysignf(0x1p127f, got), want /= 2.0;
	e = ilogb(want);
	return fabs((double)got - want) / ldexp(1.0, (e < -126 ? -126 : e) - 23);
}

static void compare(const struct function *f, const uint32_t in[2], float got, struct found *found)
{
	double a = (double)float_of(in[0]);
	double want = f->one != NULL ? f->one(a) : f->two(a, (double)float_of(in[1]));
	double d;

	found->n++;
	if (bits_of(got) == bits_of((float)want)) {
		if (found->worst >= 0.5)
			return; /* the nearest number is at most half a unit away */
	} else {
		found->not_nearest++;
	}
	d = distance(got, want);
	if (d > found->worst) {
		found->worst = d;
		memcpy(found->at, in, sizeof(found->at));
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run(const struct native_code *code, const struct native_buffer *buffers, uint64_t n,
		struct found *found)
{
	const struct native_chunk chunk = { .buffers = buffers,
					    .n_buffers = 2,
					    .invocations = { (uint32_t)n, 1, 1 } };
	AUTO(native_run_freep) struct native_run *r = NULL;
	struct err err = { 0 };
	uint64_t used = 0;
	double start;

	if (native_run_new(code, &chunk, &r, &err) < 0)
		fail_msg("%s", err.text);
	start = now();
	assert_int_equal(native_run_part(r, 0, native_run_units(r), NULL, &used), NATIVE_DONE);
	found->kernel_s += now() - start;
}

static struct native_code *code_of(const struct function *f)
{
	char text[600];
	const struct wgsl_source src = { .text = text,
					 .len = (size_t)snprintf(
					     text, sizeof(text),
					     "@group(0) @binding(0) var<storage> v: array<vec2u>;\n"
					     "@group(0) @binding(1) var<storage, read_write> "
					     "o: array<f32>;\n"
					     "@compute @workgroup_size(64)\n"
					     "fn main(@builtin(global_invocation_id) i: vec3u) {\n"
					     "  let a = bitcast<f32>(v[i.x].x);\n"
					     "  let b = bitcast<f32>(v[i.x].y);\n"
					     "  o[i.x] = %s;\n"
					     "}\n",
					     f->expr),
					 .strict = true,
					 .strict_division = f->is_long };

	return kernel_code(&src);
}

static uint32_t mix(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 32);
}

/* Pairs: now and then edges, equal and near exponents, and what pow is hard on. */
static void fill_pair(uint64_t *state, uint32_t v[2])
{
	uint32_t how = mix(state) & 15;

	v[0] = mix(state);
	v[1] = mix(state);
	if (how < 2) {
		v[how] = kernel_word((uint32_t[]){ mix(state) });
	} else if (how < 6) { /* like exponents */
		v[1] = (v[0] & 0x7f800000) ^ (v[1] & 0x80ffffff);
	} else if (how < 9) { /* base near 1, large exponent */
		v[0] = 0x3f800000 + (mix(state) >> (8 + how)) - (mix(state) >> (9 + how));
		v[1] = (v[1] & 0x87ffffff) + 0x45000000;
	} else if (how < 12) { /* results inside the range */
		v[0] &= 0x7fffffff;
		v[1] = (v[1] & 0x83ffffff) + 0x3e000000;
	} else if (how == 12) { /* small whole numbers */
		v[1] = bits_of((float)(int)(v[1] % 41) - 20.0f);
	}
}

struct inputs {
	uint32_t (*v)[2]; /* owned: BATCH pairs */
	float *out;       /* owned: BATCH results */
	struct native_buffer buffers[2];
	uint64_t state;
};

static struct inputs inputs_new(void)
{
	struct inputs in = { .state = 1 };

	in.v = mem_alloc(BATCH * sizeof(*in.v));
	in.out = mem_alloc(BATCH * sizeof(*in.out));
	in.buffers[0] = (struct native_buffer){ in.v, BATCH * sizeof(*in.v) };
	in.buffers[1] = (struct native_buffer){ in.out, BATCH * sizeof(*in.out) };
	return in;
}

static void inputs_done(struct inputs *in)
{
	mem_free(in->v);
	mem_free(in->out);
}

/* Zeros, limits of ranges, NaN, the numbers nearest to multiples of pi / 2 (to 1e-9 of one), and
 * where functions once were worst. */
static const uint32_t edges[] = {
	0,          0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
	0x80800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0xbf7fffff, 0x3f800001, 0x3f000000,
	0xbf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
	0x7f800001, 0xff812345, 0x40490fdb, 0xbfc90fdb, 0x44c80000, 0x44c80001, 0x3fc00000,
	0x42b17218, 0xc2cff1b5, 0x43000000, 0xc3150000, 0x6f79be45, 0x50a3e87f, 0x6ff9be45,
	0x6a1976f1, 0x53b146a6, 0xe5898498, 0x77584625, 0x4c2332e9, 0xfbe9b541, 0x7bee6bc0,
	0x3f7af08c, 0x3f772b42, 0x5fe2bb6c, 0x3f4b859a, 0x6c6203e0, 0x5bf5ca0f, 0xc00e23db,
};

/* n inputs, the first of which is number `first` of those with the stride. */
static void fill(const struct function *f, struct inputs *in, uint64_t first, uint64_t n,
		 uint64_t stride)
{
	for (uint64_t i = 0; i < n; i++) {
		in->v[i][0] = in->v[i][1] = (uint32_t)((first + i) * stride);
		if (f->two != NULL)
			fill_pair(&in->state, in->v[i]);
		if (stride > 1 && first + i < ARRAY_LEN(edges) * ARRAY_LEN(edges)) {
			in->v[i][0] = edges[(first + i) % ARRAY_LEN(edges)];
			in->v[i][1] = edges[(first + i) / ARRAY_LEN(edges)];
		}
	}
}

/* One function: every stride-th of its inputs. */
static struct found check(const struct function *f, uint64_t stride)
{
	AUTO(native_code_freep) struct native_code *code = code_of(f);
	AUTO(inputs_done) struct inputs in = inputs_new();
	struct found found = { 0 };
	uint64_t all = (((uint64_t)1 << 32) + stride - 1) / stride;

	for (uint64_t first = 0; first < all; first += BATCH) {
		uint64_t n = all - first < BATCH ? all - first : BATCH;

		fill(f, &in, first, n, stride);
		run(code, in.buffers, n, &found);
		for (uint64_t i = 0; i < n; i++)
			compare(f, in.v[i], in.out[i], &found);
	}
	return found;
}

static void judge(const struct function *f, uint64_t stride, bool print)
{
	struct found r = check(f, stride);

	if (print)
		printf(
		    "%-12s %11llu inputs, worst %.4f ulp at %08x %08x, %llu (%.4f %%) not nearest, "
		    "%.2f ns\n",
		    f->name, (unsigned long long)r.n, r.worst, r.at[0], r.at[1],
		    (unsigned long long)r.not_nearest, 100.0 * (double)r.not_nearest / (double)r.n,
		    r.kernel_s * 1e9 / (double)r.n);
	fflush(stdout);
	if (r.worst > (f->is_exact ? 0.5 : 1.0) || (f->is_exact && r.not_nearest > 0))
		fail_msg("%s(%08x, %08x) is %.4f units off, %llu not nearest", f->name, r.at[0],
			 r.at[1], r.worst, (unsigned long long)r.not_nearest);
}

static void is_within_a_unit(void **state)
{
	const char *given = getenv("KWARP_STRICT_STRIDE");
	const char *only = getenv("KWARP_STRICT_ONLY");
	uint64_t stride = ((uint64_t)1 << 32) / SAMPLES | 1;
	struct err err = { 0 };

	(void)state;
	if (given != NULL)
		assert_int_equal(num_parse_u64(given, strlen(given), UINT32_MAX, &stride, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (only == NULL || strcmp(only, functions[i].name) == 0)
			judge(&functions[i], stride, given != NULL);
}

static void run_once(const struct function *f, struct inputs *in)
{
	AUTO(native_code_freep) struct native_code *code = code_of(f);
	struct found found = { 0 };

	in->state = 7;
	fill(f, in, 0, FEW, ((uint64_t)1 << 32) / FEW | 1);
	run(code, in->buffers, FEW, &found);
}

/* Where division and square root are expanded, all functions that use them keep their bits. */
static void does_not_need_division(void **state)
{
	struct function f;
	AUTO(inputs_done) struct inputs in = inputs_new();
	float *first = mem_alloc(FEW * sizeof(*first));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		if (functions[i].is_exact || !functions[i].divides)
			continue;
		f = functions[i];
		run_once(&f, &in);
		memcpy(first, in.out, FEW * sizeof(*first));
		f.is_long = true;
		run_once(&f, &in);
		for (size_t k = 0; k < FEW; k++)
			if (bits_of(first[k]) != bits_of(in.out[k]))
				fail_msg("%s(%08x, %08x): %a and without division %a", f.name,
					 in.v[k][0], in.v[k][1], (double)first[k],
					 (double)in.out[k]);
	}
	mem_free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_within_a_unit),
		cmocka_unit_test(does_not_need_division),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
