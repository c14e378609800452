/*
 * test_random.c - random kernels: machine code and the interpreter give the same memory.
 *
 * The interpreter runs one invocation at a time and looks at no analysis, so a value wrongly
 * taken for uniform, an index wrongly taken for in range, or a mask gone wrong shows here.
 *
 * Work-groups have 1 to 256 invocations in one to three dimensions, so that a lane block holds
 * parts of one or several of them. Some kernels share workgroup memory between barriers, which
 * stand in control flow that the work-group takes together.
 *
 * usage: test_random [COUNT [SEED]]; KWARP_SLOW=1: 2,000 of them, KWARP_TEST_KEEP=1:
 * prints the kernels
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kernel.h"
#include "seeds.h"

enum { MAX_NAMES = 24, MAX_DEPTH = 4 };

static uint32_t count = 12;

struct maker {
	struct buf out;
	uint32_t state;
	uint32_t more; /* what came later draws from this, so that old seeds stay what they were */
	int n_vars;    /* v0 .. : u32 variables in scope */
	int n_lets;    /* c0 .. : u32 values */
	int names;     /* names given so far */
	int vars[MAX_NAMES];
	int lets[MAX_NAMES];
	int depth;
	int loops; /* around, in this function */
	bool in_function;
	bool has_break; /* break may stand here */
	bool has_continue;
	bool has_barriers; /* of main: it must not return early */
	/* Without work-group state: lane blocks go along x over work-groups, cut anywhere. */
	bool is_flat;
	int budget;
	uint32_t size[3];   /* of a work-group */
	uint32_t groups[3]; /* number of them */
};

static uint32_t pick(struct maker *m, uint32_t n)
{
	m->state = m->state * 747796405u + 2891336453u;
	return (((m->state >> ((m->state >> 28) + 4)) ^ m->state) * 277803737u >> 8) % n;
}

static uint32_t pick_more(struct maker *m, uint32_t n)
{
	m->more = m->more * 747796405u + 2891336453u;
	return (m->more >> 9) % n;
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
	static const char *const fixed[] = { "id.x", "u.x",  "u.y",  "u.z",     "gi",   "id.y",
					     "id.z", "lane", "wg.x", "local.x", "wg.y", "local.y" };
	uint32_t n = m->is_flat ? 7 : ARRAY_LEN(fixed);
	uint32_t k = pick(m, 4);

	if (k == 0 && m->n_vars > 0)
		buf_note(&m->out, "v%d", m->vars[pick(m, (uint32_t)m->n_vars)]);
	else if (k == 1 && m->n_lets > 0)
		buf_note(&m->out, "c%d", m->lets[pick(m, (uint32_t)m->n_lets)]);
	else if (m->in_function)
		put(m, pick(m, 2) == 0 ? "a" : "b");
	else
		put(m, fixed[pick(m, n)]);
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

/* What a loop's counter holds when its invocations have left. */
static void keep_counter(struct maker *m, int counter)
{
	int name = m->names;

	if (m->n_lets == MAX_NAMES || pick_more(m, 2) == 0)
		return;
	m->names++;
	buf_note(&m->out, "let c%d = k%d;\n", name, counter);
	m->lets[m->n_lets++] = name;
}

/* The body of a loop over k; its step is at the end of the body or in the continuing part. */
static void counted_body(struct maker *m, int k)
{
	bool in_body = pick_more(m, 3) == 0;
	struct scope s = enter(m);

	buf_note(&m->out, "if k%d >= 4u", k);
	put(m, " { break; }\n");
	m->has_continue = m->has_continue && !in_body;
	statements(m);
	if (in_body)
		buf_note(&m->out, "k%d = %uu + k%d;\n", k, 1 + pick_more(m, 2), k);
	else
		buf_note(&m->out, "continuing { k%d++; break if k%d > (u.x & 7u); }\n", k, k);
	leave(m, s);
}

/* Loops end: a counter that only they know bounds them. */
static void repeat(struct maker *m)
{
	bool had_break = m->has_break;
	bool had_continue = m->has_continue;
	int name = m->names++;
	uint32_t kind = pick(m, 3);

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
		counted_body(m, name);
		keep_counter(m, name);
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
	else if (!m->has_barriers && pick(m, 4) == 0)
		put(m, " { return; }\n");
	else
		put(m, " { o[gi] += 3u; }\n");
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

/* ---- what a work-group does together ------------------------------------------------------- */

static void together(struct maker *m, int depth);

/* All write, all wait, all read what others wrote, all wait. */
static void phase(struct maker *m)
{
	int name = m->names++;
	bool is_atomic = pick(m, 3) == 0;

	if (m->n_vars == MAX_NAMES)
		return;
	buf_note(&m->out, "var v%d = ", name);
	number(m, 2);
	put(m, is_atomic ? ";\natomicAdd(&sum, " : ";\nshared_[lane] = ");
	number(m, 2);
	put(m, is_atomic ? ");\n" : ";\n");
	put(m, "workgroupBarrier();\n");
	if (pick(m, 2) == 0) {
		put(m, "if ");
		condition(m, 1);
		put(m, " ");
	}
	put(m, "{ ");
	buf_note(&m->out, "v%d ^= ", name);
	if (is_atomic) {
		put(m, "atomicLoad(&sum)");
	} else {
		put(m, "shared_[");
		number(m, 2);
		put(m, "]");
	}
	put(m, "; }\nworkgroupBarrier();\n");
	m->vars[m->n_vars++] = name;
}

/* Conditions that are the same for the whole work-group. */
static void shared_condition(struct maker *m)
{
	static const char *const conditions[] = { "(u.x & 1u) == 0u", "wg.x == 1u",
						  "(wg.x + wg.y) % 2u == 0u",
						  "workgroupUniformLoad(&shared_[0]) % 3u > 0u",
						  "workgroupUniformLoad(&sum) > 5u" };

	put(m, conditions[pick(m, ARRAY_LEN(conditions))]);
}

static void shared_loop(struct maker *m, int depth)
{
	int name = m->names++;
	struct scope s;

	buf_note(&m->out, "for (var k%d = 0u; k%d < (u.y & 3u) + wg.x %% 2u; k%d++)", name, name,
		 name);
	s = enter(m);
	if (pick(m, 3) == 0) {
		put(m, "if ");
		shared_condition(m);
		put(m, pick(m, 2) == 0 ? " { break; }\n" : " { continue; }\n");
	}
	together(m, depth - 1);
	leave(m, s);
}

static void together(struct maker *m, int depth)
{
	uint32_t k = depth > 0 ? pick(m, 4) : 0;
	struct scope s;

	if (k < 2) {
		phase(m);
	} else if (k == 2) {
		put(m, "if ");
		shared_condition(m);
		s = enter(m);
		together(m, depth - 1);
		statements(m);
		leave(m, s);
	} else {
		shared_loop(m, depth);
	}
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
	if (!m->is_flat)
		buf_note(&m->out,
			 "var<workgroup> shared_: array<u32, %u>;\n"
			 "var<workgroup> sum: atomic<u32>;\n",
			 m->size[0] * m->size[1] * m->size[2]);
	function(m, "f0");
	function(m, "f1");
	buf_note(&m->out,
		 "@compute @workgroup_size(%u, %u, %u) fn main(@builtin(global_invocation_id) id: "
		 "vec3u%s) {\nvar arr: array<u32, 5>;\nlet gi = id.x + id.y * %uu + id.z * %uu;\n",
		 m->size[0], m->size[1], m->size[2],
		 m->is_flat
		     ? ""
		     : ", @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) "
		       "wg: vec3u, @builtin(local_invocation_id) local: vec3u",
		 m->size[0] * m->groups[0], m->size[0] * m->groups[0] * m->size[1] * m->groups[1]);
	m->budget = 40;
	while (m->budget > 0) {
		if (m->has_barriers && pick(m, 3) == 0) {
			m->budget -= 4;
			together(m, 2);
		} else {
			statement(m);
		}
	}
	put(m, "o[gi] += arr[0] + arr[4]");
	for (int i = 0; i < m->n_vars; i++)
		buf_note(&m->out, " * 3u + v%d", m->vars[i]);
	put(m, ";\natomicAdd(&at, o[gi] & 15u);\n}\n");
}

/* At most 256 invocations in a work-group, about 600 in all; one in five has groups of one. */
static void shape(struct maker *m)
{
	uint32_t left = 256;
	uint32_t all = 1;

	for (int d = 0; d < 3; d++) {
		static const uint32_t sizes[] = { 1, 1, 2, 3, 4, 5, 8, 16, 31, 32, 64, 100, 256 };

		m->size[d] = d == 2 && pick(m, 2) == 0 ? 1 : sizes[pick(m, ARRAY_LEN(sizes))];
		if (m->size[d] > left)
			m->size[d] = 1;
		left /= m->size[d];
	}
	if (pick(m, 5) == 0)
		m->size[0] = m->size[1] = m->size[2] = 1;
	all = m->size[0] * m->size[1] * m->size[2];
	for (int d = 0; d < 3; d++) {
		m->groups[d] = 1 + pick(m, d == 0 ? 40 : 4);
		while (m->groups[d] > 1 && all * m->groups[d] > 600)
			m->groups[d] /= 2;
		all *= m->groups[d];
	}
}

static void check(uint32_t seed)
{
	static const struct native_options options[] = {
		{ .lanes = 4 }, { .lanes = 16, .reverse_lanes = true }, { 0 }, { .lanes = 64 }
	};
	AUTO(buf_done) struct buf text = { .max = 256 * 1024 };
	struct maker m = { .out = { .max = 256 * 1024 },
			   .state = seed * 2654435761u,
			   .more = seed };
	uint32_t words[4] = { pick(&m, 9), pick(&m, 100), 3, 4 };
	struct kernel k = { .sizes = { 16, 64, 0, 4 }, .words = { words }, .seed = seed };

	shape(&m);
	m.is_flat = pick(&m, 2) == 0;
	m.has_barriers = !m.is_flat && pick(&m, 3) > 0;
	k.sizes[2] = 4;
	for (int d = 0; d < 3; d++) {
		k.invocations[d] = m.size[d] * m.groups[d];
		if (m.is_flat)
			k.invocations[d] -= pick(&m, m.size[d]);
		k.sizes[2] *= m.size[d] * m.groups[d];
	}
	make(&m);
	text = m.out;
	k.text = buf_str(&text);
	last_seed = seed;
	if (seed % 256 == 0)
		print_message("seed %u\n", seed);
	for (const char *at = k.text; getenv("KWARP_TEST_KEEP") != NULL && *at != '\0';
	     at += strcspn(at, "\n") + 1)
		print_message("%.*s\n", (int)strcspn(at, "\n"), at);
	kernel_check(&k, &options[seed % ARRAY_LEN(options)]);
}

static void random_kernels_do_what_the_interpreter_does(void **state)
{
	/* 15: all branches on the global id were taken, in work-groups of one. 1012: a value was
	 * lost that a loop leaves in lanes which left it before. */
	static const uint32_t failed_once[] = { 15, 1012 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(failed_once); i++)
		check(failed_once[i]);
	for (uint32_t i = 0; i < count; i++)
		check(first_seed + i);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest test =
	    cmocka_unit_test(random_kernels_do_what_the_interpreter_does);

	return seeds_main(argc, argv, 2000, &count, &test);
}
