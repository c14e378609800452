/*
 * test_uniform.c - random kernels with barriers anywhere: what the front end accepts is uniform.
 *
 * Most of these texts are refused, since some invocations would miss a barrier. The interpreter
 * runs the others one invocation at a time, looks at no analysis, and fails if not all of a
 * work-group stop at the same barrier; machine code, cut into regions there, must give the same
 * memory.
 *
 * usage: test_uniform [COUNT [SEED]]; KWARP_SLOW=1: 3,000 of them, KWARP_TEST_KEEP=1: prints the
 * kernels that are run
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "kernel.h"
#include "seeds.h"
#include "wgsl/wgsl.h"

enum { N_VARS = 4, MAX_DEPTH = 4, N_FUNCTIONS = 2 };

static uint32_t count = 60;

struct maker {
	struct buf out;
	uint32_t state;
	uint32_t names; /* given so far */
	int depth;
	int loops;    /* around, in this function */
	int function; /* being written; N_FUNCTIONS: main */
	int budget;   /* of statements */
};

static uint32_t pick(struct maker *m, uint32_t n)
{
	m->state = m->state * 747796405u + 2891336453u;
	return (((m->state >> ((m->state >> 28) + 4)) ^ m->state) * 277803737u >> 8) % n;
}

static void leaf(struct maker *m)
{
	static const char *const uniform[] = { "u.x", "u.y", "u.z", "u.w" };

	switch (pick(m, 10)) {
	case 0:
		buf_note(&m->out, "lane");
		break;
	case 1:
	case 2:
		buf_note(&m->out, "%s", uniform[pick(m, 4)]);
		break;
	case 3:
		buf_note(&m->out, "%uu", pick(m, 4));
		break;
	case 4:
		buf_note(&m->out, "a[%s & 1u]", uniform[pick(m, 4)]);
		break;
	default:
		buf_note(&m->out, "v%u", pick(m, N_VARS));
		break;
	}
}

static void number(struct maker *m)
{
	static const char *const ops[] = { "+", "-", "*", "^", "&", "|" };

	if (pick(m, 3) == 0) {
		leaf(m);
		return;
	}
	buf_note(&m->out, "(");
	leaf(m);
	buf_note(&m->out, " %s ", ops[pick(m, ARRAY_LEN(ops))]);
	leaf(m);
	buf_note(&m->out, ")");
}

static void condition(struct maker *m)
{
	static const char *const ops[] = { "<", ">", "==", "!=" };

	buf_note(&m->out, "(");
	number(m);
	buf_note(&m->out, " & 3u) %s %uu", ops[pick(m, ARRAY_LEN(ops))], pick(m, 4));
}

static void statements(struct maker *m);

static void block(struct maker *m)
{
	m->depth++;
	buf_note(&m->out, "{\n");
	statements(m);
	buf_note(&m->out, "}\n");
	m->depth--;
}

static void assign(struct maker *m)
{
	switch (pick(m, 6)) {
	case 0:
		buf_note(&m->out, "a = array(");
		number(m);
		buf_note(&m->out, ", ");
		number(m);
		buf_note(&m->out, ");\n");
		break;
	case 1:
		buf_note(&m->out, "a[");
		number(m);
		buf_note(&m->out, " & 1u] = ");
		number(m);
		buf_note(&m->out, ";\n");
		break;
	default:
		buf_note(&m->out, "v%u = ", pick(m, N_VARS));
		number(m);
		buf_note(&m->out, ";\n");
		break;
	}
}

static void branch(struct maker *m)
{
	buf_note(&m->out, "if (");
	condition(m);
	buf_note(&m->out, ") ");
	block(m);
	if (pick(m, 2) == 0)
		return;
	buf_note(&m->out, "else ");
	block(m);
}

static void loop(struct maker *m)
{
	uint32_t name = m->names++;

	m->loops++;
	buf_note(&m->out, "for (var k%u = 0u; k%u < ", name, name);
	if (pick(m, 2) == 0)
		buf_note(&m->out, "3u");
	else
		number(m);
	buf_note(&m->out, " && k%u < 4u; k%u++) ", name, name);
	block(m);
	m->loops--;
}

/* Ended by a break at its end: a single pass, or until then. */
static void bare_loop(struct maker *m)
{
	uint32_t name = m->names++;

	m->loops++;
	buf_note(&m->out, "var k%u = 0u; loop {\nk%u++; if (k%u > 3u) { break; }\n", name, name,
		 name);
	m->depth++;
	statements(m);
	if (pick(m, 2) == 0) {
		buf_note(&m->out, "continuing {\n");
		assign(m);
		buf_note(&m->out, "break if ");
		condition(m);
		buf_note(&m->out, ";\n}\n");
	} else {
		buf_note(&m->out, "break;\n");
	}
	buf_note(&m->out, "}\n");
	m->depth--;
	m->loops--;
}

static void selection(struct maker *m)
{
	buf_note(&m->out, "switch (");
	number(m);
	buf_note(&m->out, " & 3u) {\ncase 1u: ");
	block(m);
	buf_note(&m->out, "case 0u, 2u: ");
	block(m);
	buf_note(&m->out, "default: ");
	block(m);
	buf_note(&m->out, "}\n");
}

/* if (...) { break; } */
static void leave(struct maker *m)
{
	uint32_t k = pick(m, m->loops > 0 ? 4 : 1);

	buf_note(&m->out, "if (");
	condition(m);
	buf_note(&m->out, ") { ");
	if (k == 0 && m->function < N_FUNCTIONS) {
		buf_note(&m->out, "return ");
		number(m);
		buf_note(&m->out, "; }\n");
	} else if (k == 0) {
		buf_note(&m->out, "out[gi] = trace; return; }\n");
	} else {
		buf_note(&m->out, "%s; }\n", k == 1 ? "continue" : "break");
	}
}

static void call(struct maker *m)
{
	if (m->function == 0) {
		assign(m);
		return;
	}
	buf_note(&m->out, "v%u = f%u(", pick(m, N_VARS), pick(m, (uint32_t)m->function));
	number(m);
	buf_note(&m->out, ", &a, lane);\n");
}

static void statement(struct maker *m)
{
	static void (*const nested[])(struct maker *) = { branch, loop, bare_loop, selection };

	m->budget--;
	buf_note(&m->out, "trace = trace * 31u + %uu;\n", m->names++);
	switch (pick(m, 12)) {
	case 0:
	case 1:
	case 2:
		buf_note(&m->out, "workgroupBarrier();\n");
		break;
	case 3:
		leave(m);
		break;
	case 4:
		call(m);
		break;
	case 5:
	case 6:
	case 7:
		if (m->depth < MAX_DEPTH) {
			nested[pick(m, ARRAY_LEN(nested))](m);
			break;
		}
		assign(m);
		break;
	default:
		assign(m);
		break;
	}
}

static void statements(struct maker *m)
{
	uint32_t n = 1 + pick(m, 4);

	while (n-- > 0 && m->budget > 0)
		statement(m);
}

static void declare_vars(struct maker *m, const char *first)
{
	buf_note(&m->out, "var v0 = %s; var v1 = u.y; var v2 = 7u; var v3 = u.z;\n", first);
}

static void make(struct maker *m, uint32_t size)
{
	buf_note(&m->out, "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
			  "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
			  "var<private> trace: u32;\n");
	for (m->function = 0; m->function < N_FUNCTIONS; m->function++) {
		m->budget = 6;
		buf_note(&m->out,
			 "fn f%d(x: u32, p: ptr<function, array<u32, 2>>, lane: u32) -> u32 {\n"
			 "var a = *p;\n",
			 m->function);
		declare_vars(m, "x");
		statements(m);
		buf_note(&m->out, "*p = a;\nreturn v1;\n}\n");
	}
	m->budget = 16;
	buf_note(&m->out,
		 "@compute @workgroup_size(%u)\nfn main(@builtin(global_invocation_id) id: "
		 "vec3<u32>, @builtin(local_invocation_index) lane: u32) {\n"
		 "let gi = id.x; var a = array(u.x, lane);\n",
		 size);
	declare_vars(m, "lane");
	for (int i = 0; i < 4; i++)
		statements(m);
	buf_note(&m->out,
		 "out[gi] = trace + v0 + v1 * 3u + v2 * 5u + v3 * 7u + a[0] * 11u + a[1] * "
		 "13u;\n}\n");
}

/* Is it accepted? Refused for anything but a barrier: the test is wrong. */
static bool is_accepted(const char *text)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct wgsl_source src = { .text = text, .len = strlen(text) };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *m = NULL;
	struct err err = { 0 };

	if (wgsl_compile(&src, &arena, &m, &diags, &err) == 0)
		return m->uses_barriers;
	if (strstr(err.text, "a barrier must be reached") == NULL)
		fail_msg("%s\n%s", err.text, text);
	return false;
}

/* 1 if it was run. */
static uint32_t check(uint32_t seed)
{
	static const struct native_options options[] = {
		{ 0 }, { .lanes = 4 }, { .lanes = 8, .reverse_lanes = true }, { .lanes = 16 }
	};
	static const uint32_t sizes[] = { 1, 6, 16, 32, 64 };
	AUTO(buf_done) struct buf text = { 0 };
	struct maker m = { .out = { .max = 64 * 1024 }, .state = seed * 2654435761u };
	uint32_t words[4] = { pick(&m, 4), pick(&m, 4), pick(&m, 9), 1 };
	uint32_t size = sizes[pick(&m, ARRAY_LEN(sizes))];
	struct kernel k = { .invocations = { 2 * size },
			    .sizes = { 16, 8 * size },
			    .words = { words },
			    .seed = seed };

	make(&m, size);
	text = m.out;
	k.text = buf_str(&text);
	last_seed = seed;
	if (!is_accepted(k.text))
		return 0;
	for (const char *at = k.text; getenv("KWARP_TEST_KEEP") != NULL && *at != '\0';
	     at += strcspn(at, "\n") + 1)
		print_message("%.*s\n", (int)strcspn(at, "\n"), at);
	kernel_check(&k, &options[seed % ARRAY_LEN(options)]);
	return 1;
}

static void accepted_barriers_are_reached_by_all(void **state)
{
	uint32_t ran = 0;
	uint32_t tried = 0;

	(void)state;
	while (ran < count && tried < 40 * count)
		ran += check(first_seed + tried++);
	print_message("%u of %u kernels accepted\n", ran, tried);
	assert_int_equal(ran, count);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest test = cmocka_unit_test(accepted_barriers_are_reached_by_all);

	return seeds_main(argc, argv, 3000, &count, &test);
}
