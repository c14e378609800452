/* kernel.c - the whole kernel: see random.h. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "test/random/random_int.h"

enum { MAX_TEXT = 256 * 1024, MAX_RUN = 128 };

void random_kernel_done(struct random_kernel *k)
{
	buf_done(&k->text);
}

/* ---- functions ----------------------------------------------------------------------------- */

static const struct random_type *small_type(struct maker *m)
{
	const struct random_type *t = any_type(m);

	return t->words <= 24 ? t : scalar(m, BASE_U32);
}

static void parameters(struct maker *m, struct random_fn *f)
{
	static const char *const spaces[] = { "", "ptr<function, ", "ptr<private, " };
	struct random_var *v;

	f->n_params = 1 + pick(m, MAX_PARAMS);
	f->pointer = f->n_params > 1 ? pick(m, 3) : POINTER_NONE;
	for (uint32_t i = 0; i < f->n_params; i++) {
		bool is_pointer = f->pointer != POINTER_NONE && i + 1 == f->n_params;

		f->params[i] = i == 0 ? scalar(m, BASE_U32) : small_type(m);
		buf_note(m->out, "%sa%u: %s", i > 0 ? ", " : "", i,
			 is_pointer ? spaces[f->pointer] : "");
		put_type(m, f->params[i]);
		put(m, is_pointer ? ">" : "");
		v = new_var(m, "", f->params[i]);
		(void)snprintf(v->name, sizeof(v->name), is_pointer ? "(*a%u)" : "a%u", i);
		v->is_writable = is_pointer;
		v->is_function = is_pointer && f->pointer == POINTER_FUNCTION;
	}
}

static void function(struct maker *m)
{
	struct random_fn *f = &m->fns[m->n_fns];

	*f = (struct random_fn){ .result = small_type(m) };
	(void)snprintf(f->name, sizeof(f->name), "f%u", m->n_fns);
	m->n_vars = 0;
	m->result = f->result;
	m->budget = 2 + (int)pick(m, 8);
	m->calls = 2;
	buf_note(m->out, "fn %s(", f->name);
	parameters(m, f);
	put(m, ") -> ");
	put_type(m, f->result);
	put(m, " {\n");
	while (m->budget > 0)
		statement(m);
	put(m, "return ");
	expr(m, f->result, 3);
	put(m, ";\n}\n");
	if (f->pointer == POINTER_PRIVATE) {
		buf_note(m->out, "var<private> q_%s: ", f->name);
		put_type(m, f->params[f->n_params - 1]);
		put(m, ";\n");
	}
	m->result = NULL;
	m->n_vars = 0;
	m->n_fns++;
}

/* ---- the entry point ----------------------------------------------------------------------- */

/* At most MAX_RUN invocations in all; one in five has groups of one. */
static void shape(struct maker *m)
{
	static const uint32_t sizes[] = { 1, 4, 2, 3, 1, 5, 8, 16, 31, 32, 64, 100, 256 };
	uint32_t left = 256, all;

	for (int d = 0; d < 3; d++) {
		m->size[d] =
		    d == 2 && pick(m, 2) == 0 ? 1 : sizes[pick(m, (uint32_t)ARRAY_LEN(sizes))];
		if (m->size[d] > left)
			m->size[d] = 1;
		left /= m->size[d];
	}
	if (once_in(m, 5))
		m->size[0] = m->size[1] = m->size[2] = 1;
	all = m->size[0] * m->size[1] * m->size[2];
	for (int d = 0; d < 3; d++) {
		m->groups[d] = 1 + pick(m, d == 0 ? 40 : 4);
		while (m->groups[d] > 1 && all * m->groups[d] > MAX_RUN)
			m->groups[d] /= 2;
		all *= m->groups[d];
	}
	m->is_flat = pick(m, 2) == 0;
	m->has_barriers = !m->is_flat && pick(m, 3) > 0;
}

static void variables(struct maker *m)
{
	put(m, "@group(0) @binding(0) var<uniform> u: vec4<u32>;\n"
	       "@group(0) @binding(1) var<storage> words: array<u32>;\n"
	       "@group(0) @binding(2) var<storage> reals: array<f32>;\n"
	       "@group(0) @binding(3) var<storage, read_write> o: array<u32>;\n"
	       "@group(0) @binding(4) var<storage, read_write> r: array<f32>;\n"
	       "@group(0) @binding(5) var<storage, read_write> rec: array<R>;\n"
	       "@group(0) @binding(6) var<storage, read_write> own: array<atomic<i32>>;\n"
	       "@group(0) @binding(7) var<storage, read_write> sums: array<atomic<u32>, 6>;\n"
	       "const k0 = 77u;\nconst table = array<u32, 4>(1, 0xffffffff, 3, 100);\n"
	       "override ov0: u32 = 3;\n"
	       "var<private> pv0: i32 = -5;\nvar<private> pv1: ");
	put_type(m, &m->record);
	put(m, ";\n");
	if (m->is_flat)
		return;
	m->slot = any_type(m);
	while (m->slot->words > 8)
		m->slot = any_plain(m);
	put(m, "var<workgroup> shared_: array<");
	put_type(m, m->slot);
	buf_note(m->out, ", %u>;\nvar<workgroup> sum: atomic<u32>;\nvar<workgroup> flag: u32;\n",
		 m->size[0] * m->size[1] * m->size[2]);
}

static void add_global(struct maker *m, const char *name, const struct random_type *t)
{
	struct random_var *v = new_var(m, "", t);

	(void)snprintf(v->name, sizeof(v->name), "%s", name);
	v->is_writable = true;
}

static void globals(struct maker *m)
{
	add_global(m, "o[gi]", scalar(m, BASE_U32));
	if (m->has.floats)
		add_global(m, "r[gi]", scalar(m, BASE_F32));
	add_global(m, "rec[gi]", &m->record);
	add_global(m, "pv0", scalar(m, BASE_I32));
	add_global(m, "pv1", &m->record);
	for (uint32_t i = 0; i < m->n_fns; i++) {
		char name[16];

		if (m->fns[i].pointer != POINTER_PRIVATE)
			continue;
		(void)snprintf(name, sizeof(name), "q_%s", m->fns[i].name);
		add_global(m, name, m->fns[i].params[m->fns[i].n_params - 1]);
	}
}

/* Some scalar of a variable, as u32. */
static void word_of(struct maker *m, const struct random_var *v)
{
	static const char *const forms[] = {
		[BASE_BOOL] = "select(1u, 2u, %s)",
		[BASE_I32] = "u32(%s)",
		[BASE_U32] = "%s",
		[BASE_F32] = "bitcast<u32>(%s)",
		[BASE_F16] = "bitcast<u32>(f32(%s))",
		[BASE_I64] = "u32(%s >> 7u)",
		[BASE_U64] = "u32(%s >> 9u)",
		[BASE_F64] = "bitcast<vec2<u32>>(%s).y",
	};
	AUTO(buf_done) struct buf path = { .max = 256 };
	const struct random_type *t = v->type;
	const char *form, *at;

	buf_note(&path, "%s", v->name);
	while (t->kind != KIND_SCALAR) {
		uint32_t i = pick(m, t->n);

		buf_note(&path, t->kind == KIND_STRUCT ? ".m%u" : "[%u]", i);
		t = t->kind == KIND_STRUCT ? t->members[i] : t->elem;
	}
	form = forms[t->base];
	at = strstr(form, "%s");
	buf_note(m->out, "%.*s%s%s", (int)(at - form), form, buf_str(&path), at + 2);
}

static void body(struct maker *m)
{
	m->budget = (int)m->has.length;
	m->calls = 5;
	globals(m);
	while (m->budget > 0) {
		if (m->has_barriers && once_in(m, 3)) {
			m->budget -= 4;
			together(m, 2);
		} else {
			statement(m);
		}
	}
	put(m, "var h = o[gi];\n");
	for (uint32_t i = 0; i < m->n_vars; i++)
		for (uint32_t w = 0; w < m->vars[i].type->words && w < 3; w++) {
			put(m, "h = h * 31u + ");
			word_of(m, &m->vars[i]);
			put(m, ";\n");
		}
	put(m, "o[gi] = h;\n");
}

static void entry(struct maker *m)
{
	buf_note(m->out,
		 "@compute @workgroup_size(%u, %u, %u) fn main(@builtin(global_invocation_id) id: "
		 "vec3u%s) {\nlet gi = id.x + id.y * %uu + id.z * %uu;\n",
		 m->size[0], m->size[1], m->size[2],
		 m->is_flat ? ""
			    : ", @builtin(local_invocation_index) lane: u32, "
			      "@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_id) "
			      "local: vec3u, @builtin(num_workgroups) nw: vec3u",
		 m->size[0] * m->groups[0], m->size[0] * m->groups[0] * m->size[1] * m->groups[1]);
	body(m);
	put(m, "}\n");
}

/* A structure in storage: at most this many bytes for each of its scalars. */
static uint32_t record_bytes(const struct random_type *t)
{
	return 32 * t->words + 64;
}

static void sizes(struct maker *m, struct random_kernel *k)
{
	uint32_t all = 1;

	for (int d = 0; d < 3; d++) {
		k->invocations[d] = m->size[d] * m->groups[d];
		all *= k->invocations[d];
		if (m->is_flat)
			k->invocations[d] -= pick(m, m->size[d]);
	}
	k->sizes[RANDOM_UNIFORM] = 16;
	k->sizes[RANDOM_WORDS] = 64;
	k->sizes[RANDOM_REALS] = 128;
	k->sizes[RANDOM_OUT] = 4 * all;
	k->sizes[RANDOM_OUT_REALS] = 4 * all;
	k->sizes[RANDOM_OUT_RECORDS] = record_bytes(&m->record) * all;
	k->sizes[RANDOM_OWN] = 4 * all;
	k->sizes[RANDOM_SUMS] = 24;
}

void random_make(struct random_choices *c, const struct random_features *f,
		 struct random_kernel *ret)
{
	struct maker *m = NEW(struct maker);

	*ret = (struct random_kernel){ .text = { .max = MAX_TEXT } };
	m->c = c;
	m->out = &ret->text;
	m->has = *f;
	ret->uniform[0] = pick(m, 9);
	ret->uniform[1] = pick(m, 100);
	ret->uniform[2] = pick(m, 65536);
	ret->uniform[3] = 4;
	shape(m);
	types_init(m);
	put(m, f->f16 ? "enable f16;\n" : "");
	put(m, f->i64 ? "enable kwarp_i64;\n" : "");
	put(m, f->f64 ? "enable kwarp_f64;\n" : "");
	types_declare(m);
	variables(m);
	for (uint32_t n = pick(m, MAX_FNS + 1); m->n_fns < n;)
		function(m);
	entry(m);
	sizes(m, ret);
	mem_free(m);
}
