/*
 * test_random.c - random kernels: machine code and the interpreter give the same memory.
 *
 * The interpreter runs one invocation at a time and looks at no analysis, so a value wrongly
 * taken for uniform, an index wrongly taken for in range, or a mask gone wrong shows here.
 *
 * usage: test_random [COUNT [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "kernel.h"

enum { MAX_NAMES = 24, MAX_DEPTH = 4 };

static uint32_t count = 24;
static uint32_t first_seed = 1;

struct maker {
	struct buf out;
	uint32_t state;
	int n_vars; /* v0 .. : u32 variables in scope */
	int n_lets; /* c0 .. : u32 values */
	int names;  /* names given so far */
	int vars[MAX_NAMES];
	int lets[MAX_NAMES];
	int depth;
	int loops; /* around, in this function */
	bool in_function;
	bool has_break; /* break may stand here */
	bool has_continue;
	int budget;
};

static uint32_t pick(struct maker *m, uint32_t n)
{
	m->state = m->state * 747796405u + 2891336453u;
	return (((m->state >> ((m->state >> 28) + 4)) ^ m->state) * 277803737u >> 8) % n;
}

static void put(struct maker *m, const char *text)
{
	buf_note(&m->out, "%s", text);
}

/* ---- expressions -------------------------------------------------------------------------- */

static void number(struct maker *m, int depth);

static void leaf(struct maker *m)
{
	/* Nothing constant: constants are checked, not clamped or wrapped. */
	static const char *const fixed[] = { "id.x", "u.x", "u.y", "lane", "u.z", "wg.x" };
	uint32_t k = pick(m, 4);

	if (k == 0 && m->n_vars > 0)
		buf_note(&m->out, "v%d", m->vars[pick(m, (uint32_t)m->n_vars)]);
	else if (k == 1 && m->n_lets > 0)
		buf_note(&m->out, "c%d", m->lets[pick(m, (uint32_t)m->n_lets)]);
	else if (m->in_function)
		put(m, pick(m, 2) == 0 ? "a" : "b");
	else
		put(m, fixed[pick(m, ARRAY_LEN(fixed))]);
}

static void condition(struct maker *m, int depth)
{
	static const char *const ops[] = { "<", "<=", "==", "!=", ">", ">=" };

	if (depth > 0 && pick(m, 4) == 0) {
		put(m, "(");
		condition(m, depth - 1);
		put(m, pick(m, 2) == 0 ? " && " : " || ");
		condition(m, depth - 1);
		put(m, ")");
		return;
	}
	if (pick(m, 8) == 0) {
		put(m, "(f32(");
		number(m, depth - 1);
		buf_note(&m->out, " & 1023u) * 0.37 %s 50.5)", ops[pick(m, 2)]);
		return;
	}
	put(m, "((");
	number(m, depth - 1);
	buf_note(&m->out, ") %s (", ops[pick(m, ARRAY_LEN(ops))]);
	number(m, depth - 1);
	put(m, "))");
}

static void binary(struct maker *m, int depth)
{
	static const char *const ops[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>" };
	const char *op = ops[pick(m, ARRAY_LEN(ops))];
	bool is_shift = op[0] == '<' || op[0] == '>';

	put(m, "(");
	number(m, depth - 1);
	buf_note(&m->out, " %s ", op);
	if (pick(m, 4) == 0) {
		buf_note(&m->out, "%uu)", 1 + pick(m, is_shift ? 31 : 100));
		return;
	}
	if (op[0] == '/' || op[0] == '%' || is_shift) {
		put(m, "(");
		number(m, depth - 1);
		put(m, is_shift ? " & 31u)" : " + 1u)");
	} else {
		number(m, depth - 1);
	}
	put(m, ")");
}

static void call(struct maker *m, int depth)
{
	static const char *const fns[] = { "f0", "f1", "min", "max" };
	uint32_t k = m->in_function ? 2 + pick(m, 2) : pick(m, 4);

	buf_note(&m->out, "%s(", fns[k]);
	number(m, depth - 1);
	put(m, ", ");
	number(m, depth - 1);
	put(m, ")");
}

static void number(struct maker *m, int depth)
{
	uint32_t k = depth <= 0 ? 0 : pick(m, 9);

	if (k < 2) {
		leaf(m);
	} else if (k < 5) {
		binary(m, depth);
	} else if (k == 5) {
		call(m, depth);
	} else if (k == 6) {
		put(m, "select(");
		number(m, depth - 1);
		put(m, ", ");
		number(m, depth - 1);
		put(m, ", ");
		condition(m, depth - 1);
		put(m, ")");
	} else if (k == 7 && !m->in_function) {
		put(m, pick(m, 2) == 0 ? "words[" : "arr[");
		number(m, depth - 1);
		put(m, "]");
	} else {
		put(m, "countOneBits(");
		number(m, depth - 1);
		put(m, ")");
	}
}

/* ---- statements --------------------------------------------------------------------------- */

static void statements(struct maker *m);

struct scope {
	int n_vars, n_lets;
};

static struct scope enter(struct maker *m)
{
	put(m, " {\n");
	m->depth++;
	return (struct scope){ m->n_vars, m->n_lets };
}

static void leave(struct maker *m, struct scope s)
{
	m->depth--;
	m->n_vars = s.n_vars;
	m->n_lets = s.n_lets;
	put(m, "}\n");
}

static void block(struct maker *m)
{
	struct scope s = enter(m);

	statements(m);
	leave(m, s);
}

static void declare(struct maker *m)
{
	bool is_var = pick(m, 3) > 0;
	int name = m->names++;

	if ((is_var ? m->n_vars : m->n_lets) == MAX_NAMES)
		return;
	buf_note(&m->out, is_var ? "var v%d" : "let c%d", name);
	if (is_var && pick(m, 5) == 0) {
		put(m, ": u32;\n");
	} else {
		put(m, " = ");
		number(m, 3);
		put(m, ";\n");
	}
	if (is_var)
		m->vars[m->n_vars++] = name;
	else
		m->lets[m->n_lets++] = name;
}

static void assign(struct maker *m)
{
	static const char *const ops[] = { "=", "+=", "^=", "-=", "=" };

	if (m->n_vars == 0 || (!m->in_function && pick(m, 5) == 0)) {
		put(m, m->in_function ? "p[" : "arr[");
		number(m, 2);
		put(m, "]");
	} else {
		buf_note(&m->out, "v%d", m->vars[pick(m, (uint32_t)m->n_vars)]);
	}
	buf_note(&m->out, " %s ", ops[pick(m, ARRAY_LEN(ops))]);
	number(m, 3);
	put(m, ";\n");
}

static void branch(struct maker *m)
{
	put(m, "if ");
	condition(m, 2);
	block(m);
	if (pick(m, 2) == 0) {
		put(m, "else");
		block(m);
	}
}

static void choose(struct maker *m)
{
	bool before = m->has_break;
	struct scope s;

	put(m, "switch ");
	number(m, 2);
	put(m, " & 3u");
	m->has_break = true;
	s = enter(m);
	put(m, "case 0u, 2u");
	block(m);
	put(m, pick(m, 2) == 0 ? "case 1u" : "case 3u");
	block(m);
	put(m, "default");
	block(m);
	leave(m, s);
	m->has_break = before;
}

/* Loops end: a counter that only they know bounds them. */
static void repeat(struct maker *m)
{
	bool had_break = m->has_break;
	bool had_continue = m->has_continue;
	int name = m->names++;
	uint32_t kind = pick(m, 3);
	struct scope s;

	m->has_break = true;
	m->has_continue = true;
	m->loops++;
	if (kind == 0) {
		buf_note(&m->out, "for (var k%d = 0u; k%d < (", name, name);
		number(m, 2);
		buf_note(&m->out, ") %% 5u; k%d++)", name);
		block(m);
	} else if (kind == 1) {
		buf_note(&m->out, "for (var k%d = 0u; k%d < %uu; k%d += 1u)", name, name,
			 pick(m, 5), name);
		block(m);
	} else {
		buf_note(&m->out, "var k%d = 0u;\nloop", name);
		s = enter(m);
		buf_note(&m->out, "if k%d >= 4u", name);
		put(m, " { break; }\n");
		statements(m);
		buf_note(&m->out, "continuing { k%d++; break if k%d > (u.x & 7u); }\n", name, name);
		leave(m, s);
	}
	m->loops--;
	m->has_break = had_break;
	m->has_continue = had_continue;
}

static void jump(struct maker *m)
{
	put(m, "if ");
	condition(m, 2);
	if (m->has_continue && pick(m, 3) == 0)
		put(m, " { continue; }\n");
	else if (m->has_break && pick(m, 2) == 0)
		put(m, " { break; }\n");
	else if (m->in_function)
		put(m, " { return a ^ b; }\n");
	else if (pick(m, 4) == 0)
		put(m, " { return; }\n");
	else
		put(m, " { o[id.x] += 3u; }\n");
}

static void statement(struct maker *m)
{
	uint32_t k = pick(m, m->depth < MAX_DEPTH ? 11 : 5);

	m->budget--;
	if (k < 2)
		declare(m);
	else if (k < 4)
		assign(m);
	else if (k == 4)
		jump(m);
	else if (k < 8)
		branch(m);
	else if (k == 8)
		choose(m);
	else if (m->loops < 2)
		repeat(m);
	else
		put(m, m->in_function ? "_ = a;\n" : "atomicAdd(&at, 1u);\n");
}

static void statements(struct maker *m)
{
	uint32_t n = 1 + pick(m, 4);

	for (uint32_t i = 0; i < n && m->budget > 0; i++)
		statement(m);
}

static void function(struct maker *m, const char *name)
{
	m->in_function = true;
	m->n_vars = 0;
	m->n_lets = 0;
	m->budget = 12;
	buf_note(&m->out, "fn %s(a: u32, b: u32) -> u32 {\nvar p: array<u32, 3>;\n", name);
	for (int i = 0; i < 3; i++)
		statements(m);
	put(m, "return ");
	number(m, 2);
	put(m, " + p[b];\n}\n");
	m->in_function = false;
	m->n_vars = 0;
	m->n_lets = 0;
}

static void make(struct maker *m)
{
	put(m, "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
	       "@group(0) @binding(1) var<storage> words: array<u32>;\n"
	       "@group(0) @binding(2) var<storage, read_write> o: array<u32>;\n"
	       "@group(0) @binding(3) var<storage, read_write> at: atomic<u32>;\n");
	function(m, "f0");
	function(m, "f1");
	put(m, "@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u, "
	       "@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) wg: vec3u) {\n"
	       "var arr: array<u32, 5>;\n");
	m->budget = 40;
	while (m->budget > 0)
		statement(m);
	put(m, "o[id.x] += arr[0] + arr[4]");
	for (int i = 0; i < m->n_vars; i++)
		buf_note(&m->out, " * 3u + v%d", m->vars[i]);
	put(m, ";\natomicAdd(&at, o[id.x] & 15u);\n}\n");
}

static void check(uint32_t seed)
{
	static const struct native_options options[] = { { .lanes = 4 },
							 { .lanes = 16, .reverse_lanes = true },
							 { 0 } };
	AUTO(buf_done) struct buf text = { .max = 256 * 1024 };
	struct maker m = { .out = { .max = 256 * 1024 }, .state = seed * 2654435761u };
	uint32_t words[4] = { pick(&m, 9), pick(&m, 100), 3, 4 };
	struct kernel k = { .invocations = { 45, 1, 1 },
			    .sizes = { 16, 64, 192, 4 },
			    .words = { words },
			    .seed = seed };

	make(&m);
	text = m.out;
	k.text = buf_str(&text);
	print_message("seed %u\n", seed);
	kernel_check(&k, &options[seed % ARRAY_LEN(options)]);
}

static void random_kernels_do_what_the_interpreter_does(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < count; i++)
		check(first_seed + i);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels_do_what_the_interpreter_does),
	};
	struct err err = { 0 };
	uint64_t n = count;
	uint64_t seed = first_seed;

	if ((argc > 1 && num_parse_u64(argv[1], strlen(argv[1]), 100000000, &n, &err) < 0) ||
	    (argc > 2 && num_parse_u64(argv[2], strlen(argv[2]), UINT32_MAX, &seed, &err) < 0))
		return 2;
	count = (uint32_t)n;
	first_seed = (uint32_t)seed;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
