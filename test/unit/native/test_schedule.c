/*
 * test_schedule.c - outputs whose order is Proved are the same however invocations take turns.
 *
 * Random small kernels with the shapes that the proof knows (own elements, one invocation, trees
 * of sums, atomics of one kind) and with mistakes in them. The interpreter, which looks at no
 * analysis, runs each several times, work-groups and invocations mixed at every access of what
 * they share. Outputs that are Proved for the chunk must have the same words each time; others
 * show that the turns do make a difference.
 *
 * usage: test_schedule [COUNT [SEED]]; KWARP_SLOW=1: 20,000 of them, KWARP_TEST_KEEP=1: prints
 * each kernel with what is said of its outputs
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
#include "interp.h"
#include "seeds.h"
#include "wgsl/wgsl.h"

enum { N_OUTPUTS = 3, MAX_WORDS = 64, TURNS = 6, MAX_DEPTH = 3, N_IDS = 12, N_POOL = 2 };

static uint32_t count = 400;

static struct {
	uint32_t ran;
	uint32_t proved; /* outputs that are written */
	uint32_t differed;
} seen;

struct maker {
	struct buf out;
	uint32_t state;
	uint32_t size[3]; /* of the work-group */
	uint32_t n;       /* invocations of it */
	/* Indices that this kernel likes, so that accesses often agree. */
	char pool[N_POOL][64];
	int depth;
	int budget;
	bool is_uniform; /* a barrier may stand here */
};

static uint32_t pick(struct maker *m, uint32_t n)
{
	m->state = m->state * 747796405u + 2891336453u;
	return (((m->state >> ((m->state >> 28) + 4)) ^ m->state) * 277803737u >> 8) % n;
}

static bool once_in(struct maker *m, uint32_t n)
{
	return pick(m, n) == 0;
}

static void put(struct maker *m, const char *s)
{
	buf_note(&m->out, "%s", s);
}

/* ---- expressions --------------------------------------------------------------------------- */

static const char *id(struct maker *m)
{
	static const char *const ids[N_IDS] = { "g.x", "g.x", "g.y", "w.x", "w.x", "w.y",
						"l.x", "l.y", "i",   "i",   "i",   "t" };

	return ids[pick(m, N_IDS)];
}

static void make_index(struct maker *m, char *ret, size_t size)
{
	const char *a = id(m);
	const char *b = id(m);
	uint32_t k = pick(m, 4);

	switch (pick(m, 14)) {
	case 0:
		snprintf(ret, size, "%s + %uu", a, k);
		break;
	case 1:
		snprintf(ret, size, "%s * %uu", a, 1 + k);
		break;
	case 2:
		snprintf(ret, size, "%s * 2u + %uu", a, k & 1);
		break;
	case 3:
		snprintf(ret, size, "%s * %uu + %s", a, m->size[0], b);
		break;
	case 4:
		snprintf(ret, size, "g.y * %s + g.x", once_in(m, 2) ? "u.x" : "8u");
		break;
	case 5:
		snprintf(ret, size, "w.x * %uu + l.x", m->size[0] + (k == 0));
		break;
	case 6:
		snprintf(ret, size, "%s ^ 1u", a);
		break;
	case 7:
		snprintf(ret, size, "%uu", k);
		break;
	case 8:
		snprintf(ret, size, "w.y * 2u + w.x");
		break;
	case 9:
		snprintf(ret, size, "u.y");
		break;
	default:
		snprintf(ret, size, "%s", a);
		break;
	}
}

static void put_index(struct maker *m)
{
	char own[64];

	if (!once_in(m, 5)) {
		put(m, m->pool[pick(m, N_POOL)]);
		return;
	}
	make_index(m, own, sizeof(own));
	put(m, own);
}

static void value(struct maker *m)
{
	switch (pick(m, 12)) {
	case 0:
		put(m, "m[");
		put_index(m);
		put(m, "]");
		break;
	case 1:
		put(m, once_in(m, 2) ? "o[" : "q[");
		put_index(m);
		put(m, "]");
		break;
	case 2:
		put(m, "s");
		break;
	case 3:
		put(m, once_in(m, 3) ? "atomicAdd(&a, 1u)" : "atomicLoad(&a)");
		break;
	case 4:
	case 5:
		buf_note(&m->out, "%uu", pick(m, 100));
		break;
	case 6:
		buf_note(&m->out, "%s * %uu", id(m), 1 + pick(m, 9));
		break;
	default:
		put(m, id(m));
		break;
	}
}

static void comparison(struct maker *m)
{
	static const char *const ops[] = { "==", "==", "==", "<", ">", "!=", "<=", ">=" };

	buf_note(&m->out, "%s %s ", once_in(m, 8) ? "u.z" : id(m), ops[pick(m, 8)]);
	if (once_in(m, 6))
		put(m, once_in(m, 2) ? "u.y" : id(m));
	else
		buf_note(&m->out, "%uu", once_in(m, 3) ? pick(m, 5) : 0);
}

static void condition(struct maker *m)
{
	uint32_t k = pick(m, 8);

	if (k == 0)
		put(m, "!(");
	if (once_in(m, 6))
		put(m, "all(l == vec3u(0))");
	else
		comparison(m);
	if (k == 1 || k == 2) {
		put(m, k == 1 ? " && " : " || ");
		comparison(m);
	}
	if (k == 0)
		put(m, ")");
}

/* ---- statements ---------------------------------------------------------------------------- */

static void statements(struct maker *m);

static void barrier(struct maker *m)
{
	if (m->is_uniform)
		put(m, once_in(m, 6) ? "storageBarrier(); workgroupBarrier();\n"
				     : "workgroupBarrier();\n");
}

static void store(struct maker *m)
{
	static const char *const places[] = { "o", "o", "o", "q", "m", "m" };

	buf_note(&m->out, "%s[", places[pick(m, 6)]);
	put_index(m);
	put(m, once_in(m, 4) ? "] += " : "] = ");
	value(m);
	put(m, ";\n");
}

static void change(struct maker *m)
{
	static const char *const kinds[] = { "Add", "Add", "Add", "Sub", "Max", "Xor", "Store" };
	const char *kind = kinds[pick(m, once_in(m, 3) ? 7 : 4)];

	if (once_in(m, 6) && strcmp(kind, "Store") != 0)
		put(m, "t = ");
	buf_note(&m->out, "atomic%s(&", kind);
	if (once_in(m, 2)) {
		put(m, "a");
	} else {
		put(m, "p[");
		put_index(m);
		put(m, "]");
	}
	put(m, ", ");
	value(m);
	put(m, ");\n");
}

static void nested(struct maker *m, bool is_uniform)
{
	bool before = m->is_uniform;

	m->is_uniform = before && is_uniform;
	m->depth++;
	put(m, " {\n");
	statements(m);
	put(m, "}\n");
	m->depth--;
	m->is_uniform = before;
}

static void branch(struct maker *m)
{
	bool is_uniform = once_in(m, 6);

	put(m, "if ");
	if (is_uniform)
		put(m, once_in(m, 2) ? "u.z == 1u" : "w.x == 0u");
	else
		condition(m);
	if (once_in(m, 5) && !is_uniform) {
		put(m, " { return; }\n");
		m->is_uniform = false;
		return;
	}
	nested(m, is_uniform);
	if (!once_in(m, 3))
		return;
	put(m, "else");
	nested(m, is_uniform);
}

/* A tree of sums, often with something wrong. */
static void tree(struct maker *m)
{
	static const char *const more[] = { "", "", "", "", " + 1u", " * 2u" };
	uint32_t k = pick(m, 12);
	bool is_uniform = m->is_uniform;

	put(m, "for (var h = ");
	buf_note(&m->out, "%uu%s", m->n / 2, more[pick(m, 6)]);
	put(m, once_in(m, 2) ? "; h > 0u; h >>= 1u) {\n" : "; h > 0u; h /= 2u) {\n");
	if (once_in(m, 8))
		statements(m);
	buf_note(&m->out, "if %s %s h { ", k == 0 ? "l.x" : "i", k == 1 ? "<=" : "<");
	if (once_in(m, 10))
		put(m, "h -= 0u; ");
	buf_note(&m->out, "m[%s] += m[i + h%s]; }\n", k == 2 ? "i + 1u" : "i",
		 k == 3   ? " - 1u"
		 : k == 4 ? " + 1u"
			  : "");
	if (is_uniform && k != 5)
		put(m, "workgroupBarrier();\n");
	if (once_in(m, 8))
		statements(m);
	put(m, "}\n");
}

static void loop(struct maker *m)
{
	bool before = m->is_uniform;
	bool is_uniform = once_in(m, 2);

	if (m->depth > 1) {
		store(m);
		return;
	}
	buf_note(&m->out, "for (var k%d = 0u; k%d < (%s & 3u); k%d++)", m->depth, m->depth,
		 is_uniform ? "u.w" : "i", m->depth);
	m->is_uniform = before && is_uniform;
	m->depth++;
	put(m, " {\n");
	statements(m);
	if (once_in(m, 3)) {
		put(m, "if ");
		condition(m);
		put(m, once_in(m, 2) ? " { break; }\n" : " { continue; }\n");
		m->is_uniform = false;
		statements(m);
	}
	put(m, "}\n");
	m->depth--;
	m->is_uniform = before;
}

static void statement(struct maker *m)
{
	uint32_t k = pick(m, 16);

	m->budget--;
	if (k < 6) {
		store(m);
	} else if (k < 8) {
		change(m);
	} else if (k < 10) {
		barrier(m);
	} else if (k == 10) {
		put(m, once_in(m, 2) ? "s = " : "t = ");
		value(m);
		put(m, ";\n");
	} else if (k < 14 && m->depth < MAX_DEPTH) {
		branch(m);
	} else if (k == 14 && m->depth < MAX_DEPTH) {
		tree(m);
	} else if (k == 15 && m->depth < MAX_DEPTH) {
		loop(m);
	}
}

static void statements(struct maker *m)
{
	uint32_t n = 1 + pick(m, 3);

	while (n-- > 0 && m->budget > 0)
		statement(m);
}

/* ---- work-group memory step by step ---------------------------------------------------------- */

/* What a work-group does between two barriers; few have a mistake. */
static void one_phase(struct maker *m)
{
	static const char *const others[] = { "i", "i ^ 1u", "i + 1u", "0u", "l.x" };
	uint32_t k = pick(m, 5);

	switch (pick(m, 9)) {
	case 0:
		buf_note(&m->out, "t += m[%s];\n", others[k]);
		break;
	case 1:
		buf_note(&m->out, "if i == %uu { m[%u] += t; }\n", k / 3, pick(m, 2));
		break;
	case 2:
		buf_note(&m->out, "if l.x == %uu { s = m[%s]; }\n", k / 4, others[pick(m, 5)]);
		break;
	case 3:
		put(m, k == 0 ? "t = s; s = 3u;\n" : "t = t * 3u + s;\n");
		break;
	case 4:
		put(m, k == 0 ? "atomicMax(&a, t);\n" : "atomicAdd(&a, t);\n");
		break;
	case 5:
		put(m, "t += atomicLoad(&a);\n");
		break;
	case 6:
		buf_note(&m->out, "if i < %uu { m[i] += m[i + %uu]; }\n", m->n / 2 >> k / 3,
			 (m->n / 2 >> k / 3) - (k == 0));
		break;
	default:
		buf_note(&m->out, "m[%s] = t + %uu;\n", k == 0 ? others[pick(m, 5)] : "i", k);
		break;
	}
}

static void phases(struct maker *m, uint32_t n)
{
	while (n-- > 0) {
		uint32_t k = pick(m, 10);

		if (k == 0) {
			tree(m);
		} else if (k < 4 && m->depth == 0) {
			put(m, k == 1   ? "if u.z == 1u {\n"
			       : k == 2 ? "for (var k = 0u; k < (u.w & 3u); k++) {\n"
					: "if i < 2u {\n");
			m->is_uniform = k < 3;
			m->depth++;
			phases(m, 1 + pick(m, 3));
			if (k == 3 && once_in(m, 2)) {
				put(m, "} else {\n");
				phases(m, 1);
			}
			m->depth--;
			m->is_uniform = true;
			put(m, "}\n");
		} else {
			one_phase(m);
		}
		if (!once_in(m, 5))
			barrier(m);
	}
}

static void finish(struct maker *m)
{
	static const char *const ends[] = {
		"if i == 0u { o[w.x] = m[0]; }\n",
		"if i == 0u { o[w.x] = s + atomicLoad(&a); }\n",
		"o[g.x] = m[i ^ 1u] + t;\n",
		"o[g.x] = m[0] * m[1] + s + t;\n",
	};

	put(m, ends[pick(m, ARRAY_LEN(ends))]);
}

static void make(struct maker *m)
{
	static const uint32_t sizes[][3] = { { 1, 1, 1 }, { 4, 1, 1 }, { 8, 1, 1 }, { 8, 1, 1 },
					     { 2, 2, 1 }, { 4, 2, 1 }, { 2, 2, 2 }, { 1, 4, 1 } };

	memcpy(m->size, sizes[pick(m, ARRAY_LEN(sizes))], sizeof(m->size));
	m->n = m->size[0] * m->size[1] * m->size[2];
	for (int k = 0; k < N_POOL; k++)
		make_index(m, m->pool[k], sizeof(m->pool[k]));
	buf_note(&m->out,
		 "@group(0) @binding(0) var<uniform> u: vec4u;\n"
		 "@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n"
		 "@group(0) @binding(2) var<storage, read_write> p: array<atomic<u32>>;\n"
		 "@group(0) @binding(3) var<storage, read_write> q: array<u32>;\n"
		 "var<workgroup> m: array<u32, %u>;\nvar<workgroup> s: u32;\n"
		 "var<workgroup> a: atomic<u32>;\n@compute @workgroup_size(%u, %u, %u)\n"
		 "fn main(@builtin(global_invocation_id) g: vec3u, @builtin(workgroup_id) w: "
		 "vec3u, @builtin(local_invocation_id) l: vec3u, "
		 "@builtin(local_invocation_index) i: u32) {\nvar t = %s;\n",
		 m->n + (once_in(m, 2) ? 0 : pick(m, m->n + 1)), m->size[0], m->size[1], m->size[2],
		 id(m)[0] == 't' ? "i"
		 : once_in(m, 2) ? "i"
				 : "u.y");
	m->is_uniform = true;
	m->budget = 14;
	if (once_in(m, 2)) {
		put(m, "t = g.x * 7u + g.y;\nm[i] = t;\nworkgroupBarrier();\n");
		m->budget = (int)pick(m, 2);
		phases(m, 1 + pick(m, 4));
		finish(m);
	}
	for (int k = 0; k < 5; k++)
		statements(m);
	put(m, "_ = &o; _ = &p; _ = &q;\n}\n");
}

/* ---- runs ---------------------------------------------------------------------------------- */

struct trial {
	const struct wgsl_module *m;
	uint32_t invocations[3];
	uint32_t uniform[4];
	uint32_t words[N_OUTPUTS]; /* elements of each output */
	uint32_t memory[N_OUTPUTS][MAX_WORDS];
};

static enum native_status run(struct trial *t, uint32_t seed)
{
	struct native_buffer buffers[1 + N_OUTPUTS] = { { .data = t->uniform, .size = 16 } };
	struct native_chunk chunk = { .buffers = buffers, .n_buffers = 1 + N_OUTPUTS };
	uint64_t used = 0;

	memcpy(chunk.invocations, t->invocations, sizeof(chunk.invocations));
	for (uint32_t n = 0; n < N_OUTPUTS; n++) {
		buffers[1 + n] =
		    (struct native_buffer){ .data = t->memory[n], .size = 4ull * t->words[n] };
		for (uint32_t w = 0; w < MAX_WORDS; w++)
			t->memory[n][w] = 1000 * (n + 1) + w;
	}
	return interp_run_mixed(t->m, &chunk, 32, seed, &used);
}

static uint64_t term(const struct trial *t, const struct wgsl_term *k)
{
	return k->has_uniform ? (uint64_t)k->factor * t->uniform[k->offset / 4] : k->factor;
}

static bool holds(const struct trial *t, const struct wgsl_condition *c, uint32_t elements)
{
	uint64_t bound = c->has_uniform ? t->uniform[c->uniform_offset / 4] : c->at_most;
	uint64_t n[3], sum = term(t, &c->base[0]) + term(t, &c->base[1]);

	for (int k = 0; k < 3; k++) {
		uint32_t unit = (c->groups >> k & 1) != 0 ? t->m->workgroup_size[k] : 1;

		n[k] = (t->invocations[k] + unit - 1) / unit;
		sum += (n[k] - 1) * term(t, &c->stride[k]);
	}
	return c->is_fit ? sum < elements : n[c->axis] <= bound;
}

static bool is_proved(const struct trial *t, uint32_t output)
{
	const struct wgsl_binding *b = &t->m->bindings[1 + output];
	bool ret = b->order == WGSL_ORDER_PROVED;

	for (uint32_t k = 0; k < b->n_conditions; k++)
		ret = ret && holds(t, &b->conditions[k], t->words[output]);
	return ret;
}

static void run_all(struct trial *t, const char *text)
{
	static uint32_t first[N_OUTPUTS][MAX_WORDS];
	enum native_status status = run(t, 1);
	bool all_proved = true;

	memcpy(first, t->memory, sizeof(first));
	for (uint32_t n = 0; n < N_OUTPUTS; n++) {
		seen.proved += is_proved(t, n) && t->memory[n][0] != 1000 * (n + 1);
		all_proved = all_proved && is_proved(t, n);
	}
	for (uint32_t k = 2; k <= TURNS; k++) {
		bool differs = run(t, k * 77) != status;

		for (uint32_t n = 0; n < N_OUTPUTS; n++) {
			bool same = memcmp(first[n], t->memory[n], sizeof(first[n])) == 0;

			differs = differs || !same;
			if (!same && is_proved(t, n))
				fail_msg("output %c is Proved and differs\n%s", "opq"[n], text);
		}
		seen.differed += differs;
		if (differs)
			return;
	}
}

static void keep(const struct trial *t, const char *text)
{
	if (getenv("KWARP_TEST_KEEP") == NULL)
		return;
	for (const char *at = text; *at != '\0'; at += strcspn(at, "\n") + 1)
		print_message("%.*s\n", (int)strcspn(at, "\n"), at);
	for (uint32_t n = 0; n < N_OUTPUTS; n++) {
		const struct wgsl_binding *b = &t->m->bindings[1 + n];

		print_message("%s: %s (%s), here %s\n", b->name,
			      b->order == WGSL_ORDER_PROVED ? "Proved" : "Assumed", b->order_reason,
			      is_proved(t, n) ? "proved" : "not");
	}
}

static void check(uint32_t seed)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct maker m = { .out = { .max = 64 * 1024 }, .state = seed * 2654435761u };
	struct trial t = { .uniform = { 8, pick(&m, 3), pick(&m, 3), pick(&m, 4) } };
	struct wgsl_diags diags = { 0 };
	struct wgsl_module *module = NULL;
	struct wgsl_source src;
	struct err err = { 0 };

	make(&m);
	text = m.out;
	last_seed = seed;
	src = (struct wgsl_source){ .text = buf_str(&text), .len = text.len };
	if (wgsl_compile(&src, &arena, &module, &diags, &err) < 0) {
		if (strstr(err.text, "barrier must be reached") == NULL &&
		    strstr(err.text, "is outside of array") == NULL)
			fail_msg("%s\n%s", err.text, src.text);
		return;
	}
	t.m = module;
	assert_int_equal(module->n_bindings, 1 + N_OUTPUTS);
	t.invocations[0] = 1 + pick(&m, 2 * m.size[0] + 1);
	t.invocations[1] = once_in(&m, 2) ? 1 : 1 + pick(&m, 2 * m.size[1]);
	t.invocations[2] = once_in(&m, 2) ? 1 : m.size[2];
	for (uint32_t n = 0; n < N_OUTPUTS; n++)
		t.words[n] = once_in(&m, 5) ? 8 : MAX_WORDS;
	keep(&t, src.text);
	seen.ran++;
	run_all(&t, src.text);
}

static void proved_outputs_do_not_depend_on_turns(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < count; k++)
		check(first_seed + k);
	print_message("%u kernels, %u outputs proved, %u kernels differed in others\n", seen.ran,
		      seen.proved, seen.differed);
	/* Otherwise this says nothing. */
	assert_true(seen.ran > count / 2);
	assert_true(seen.proved > seen.ran / 10);
	assert_true(seen.differed > seen.ran / 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest test = cmocka_unit_test(proved_outputs_do_not_depend_on_turns);

	return seeds_main(argc, argv, 20000, &count, &test);
}
