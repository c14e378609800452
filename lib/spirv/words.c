/* words.c - sections of words and instructions; see gen_int.h. */
#include <string.h>

#include "base/arena.h"
#include "spirv/gen_int.h"

void spirv_fail(struct gen *g, enum err_code code, const char *what)
{
	if (g->err->code == 0)
		(void)err_set(g->err, code, "spirv: %s", what);
}

uint32_t spirv_id(struct gen *g)
{
	if (g->next_id > SPIRV_MAX_ID)
		spirv_fail(g, ERR_TOO_BIG, "the kernel needs too many ids");
	return g->next_id++;
}

/* Room for n words; NULL where there is none. */
static uint32_t *room(struct gen *g, enum section s, size_t n)
{
	struct words *w = &g->sections[s];

	if (n > SPIRV_MAX_OP_WORDS || n > g->max_words || w->n > g->max_words - n) {
		spirv_fail(g, ERR_TOO_BIG, "the kernel makes too much code");
		return NULL;
	}
	if (w->n + n > w->cap)
		arena_reserve(g->arena, &w->at, &w->cap, w->n + n, sizeof(w->at[0]));
	w->n += n;
	return &w->at[w->n - n];
}

static void copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		to[k] = from[k];
}

void spirv_put(struct gen *g, enum section s, enum spirv_op op, const uint32_t *args, uint32_t n)
{
	uint32_t *at = room(g, s, (size_t)n + 1);

	if (at == NULL)
		return;
	at[0] = (n + 1) << 16 | op;
	copy(at + 1, args, n);
}

uint32_t spirv_text(const char *text, uint32_t *to)
{
	uint32_t n = (uint32_t)strlen(text) / 4 + 1;

	/* The first byte is the lowest of its word, on any machine. */
	for (uint32_t k = 0; k < n; k++)
		to[k] = 0;
	for (uint32_t k = 0; text[k] != '\0'; k++)
		to[k / 4] |= (uint32_t)(unsigned char)text[k] << (k % 4 * 8);
	return n;
}

uint32_t spirv_value(struct gen *g, enum spirv_op op, uint32_t type, const uint32_t *args,
		     uint32_t n)
{
	uint32_t *at = room(g, SECTION_BODY, (size_t)n + 3);
	uint32_t id = spirv_id(g);

	if (at == NULL)
		return id;
	at[0] = (n + 3) << 16 | op;
	at[1] = type;
	at[2] = id;
	copy(at + 3, args, n);
	return id;
}

uint32_t spirv_glsl(struct gen *g, enum spirv_glsl fn, uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t args[] = { g->glsl, fn, a, b };

	return spirv_value(g, OP_EXT_INST, type, args, b == 0 ? 3 : 4);
}

void spirv_branch(struct gen *g, uint32_t label)
{
	if (!g->is_dead)
		spirv_put(g, SECTION_BODY, OP_BRANCH, ARGS(label));
	g->is_dead = true;
}

void spirv_return(struct gen *g)
{
	if (!g->is_dead)
		spirv_put(g, SECTION_BODY, OP_RETURN, NULL, 0);
	g->is_dead = true;
}

void spirv_label(struct gen *g, uint32_t label)
{
	spirv_put(g, SECTION_BODY, OP_LABEL, ARGS(label));
	g->is_dead = false;
}

uint32_t spirv_if(struct gen *g, uint32_t cond)
{
	uint32_t yes = spirv_id(g), merge = spirv_id(g);

	spirv_put(g, SECTION_BODY, OP_SELECTION_MERGE, ARGS(merge, 0));
	spirv_put(g, SECTION_BODY, OP_BRANCH_CONDITIONAL, ARGS(cond, yes, merge));
	spirv_label(g, yes);
	return merge;
}

void spirv_if_end(struct gen *g, uint32_t merge)
{
	spirv_branch(g, merge);
	spirv_label(g, merge);
}
