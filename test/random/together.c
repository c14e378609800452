/* together.c - what a work-group does together: workgroup memory and barriers. */
#include "base/mem.h"
#include "test/random/random_int.h"

static void wait(struct maker *m)
{
	put(m, once_in(m, 4) ? "workgroupBarrier(); storageBarrier();\n" : "workgroupBarrier();\n");
}

/* All write, all wait, all read what others wrote, all wait. */
static void phase(struct maker *m)
{
	bool is_atomic = once_in(m, 3);
	const struct random_type *t = is_atomic ? scalar(m, BASE_U32) : m->slot;
	struct random_var *v;

	if (m->n_vars == MAX_VARS)
		return;
	put(m, is_atomic ? "atomicAdd(&sum, " : "shared_[lane] = ");
	expr(m, t, 2);
	put(m, is_atomic ? ");\n" : ";\n");
	wait(m);
	v = new_var(m, "v", t);
	buf_note(m->out, "var %s = ", v->name);
	v->is_writable = v->is_function = true;
	m->n_vars--;
	if (is_atomic) {
		put(m, "atomicLoad(&sum)");
	} else {
		put(m, "shared_[");
		expr(m, scalar(m, BASE_U32), 2);
		put(m, "]");
	}
	m->n_vars++;
	put(m, ";\n");
	wait(m);
}

/* The same for the whole work-group. */
static void shared_condition(struct maker *m)
{
	static const char *const conditions[] = { "(u.x & 1u) == 0u", "wg.x == 1u",
						  "(wg.x + wg.y) % 2u == 0u",
						  "workgroupUniformLoad(&flag) % 3u > 0u",
						  "workgroupUniformLoad(&sum) > 5u" };

	put(m, conditions[pick(m, (uint32_t)ARRAY_LEN(conditions))]);
}

static void shared_loop(struct maker *m, int depth)
{
	uint32_t name = m->n_names++;
	struct random_scope s;

	buf_note(m->out, "for (var k%u = 0u; k%u < (u.y & 3u) + wg.x %% 2u; k%u++)", name, name,
		 name);
	s = scope_enter(m);
	if (once_in(m, 3)) {
		put(m, "if ");
		shared_condition(m);
		put(m, pick(m, 2) == 0 ? " { break; }\n" : " { continue; }\n");
	}
	together(m, depth - 1);
	scope_leave(m, s);
}

/* One invocation says what all go by. */
static void flag(struct maker *m)
{
	put(m, "if lane == 0u { flag = ");
	expr(m, scalar(m, BASE_U32), 2);
	put(m, "; }\n");
	wait(m);
}

void together(struct maker *m, int depth)
{
	uint32_t k = depth > 0 ? pick(m, 6) : 0;
	struct random_scope s;

	if (k < 2) {
		phase(m);
	} else if (k == 2) {
		flag(m);
	} else if (k < 5) {
		put(m, "if ");
		shared_condition(m);
		s = scope_enter(m);
		together(m, depth - 1);
		statements(m);
		scope_leave(m, s);
	} else {
		shared_loop(m, depth);
	}
}
