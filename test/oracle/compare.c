/* compare.c - see compare.h. */
#include "compare.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { MAX_FILE = 4 * 1024 * 1024, MAX_DIFFERENCES = 256 };

/* ---- reading ---------------------------------------------------------------------------- */

static const struct kernel *find_kernel(const struct kernels *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->list[i].name, name) == 0)
			return &all->list[i];
	return NULL;
}

static const char *after(const char *word, const char *prefix, struct arena *arena)
{
	return word != NULL && text_starts(word, prefix)
		   ? arena_strdup(arena, word + strlen(prefix))
		   : "none";
}

static int read_words(const struct kernel *k, char *line, struct arena *arena, struct answer *a,
		      struct err *err)
{
	char *save = NULL;
	const char *where = strtok_r(line, " ", &save);

	for (uint32_t b = 0; b < k->n_binds; b++) {
		uint32_t n = 0;
		uint64_t v;

		if (!text_equal(where, arena_printf(arena, "%u.%u", k->binds[b].group,
						    k->binds[b].binding)))
			continue;
		a->words[b] = arena_new_array(arena, uint32_t, k->binds[b].n + 4);
		for (char *w = strtok_r(NULL, " ", &save); w != NULL;
		     w = strtok_r(NULL, " ", &save)) {
			if (n == k->binds[b].n)
				return err_set(err, ERR_INVALID, "%s: too many words", k->name);
			if (num_parse_base(w, strlen(w), 16, UINT32_MAX, &v, err) < 0)
				return err_wrap(err, "%s", k->name);
			a->words[b][n++] = (uint32_t)v;
		}
		if (n == k->binds[b].n)
			return 0;
		return err_set(err, ERR_INVALID, "%s: %u words, not %u", k->name, n, k->binds[b].n);
	}
	return err_set(err, ERR_INVALID, "%s has no binding %s", k->name, where ? where : "");
}

int golden_load(const char *path, const struct kernels *all, struct arena *arena, struct map *ret,
		struct err *err)
{
	AUTO(buf_done) struct buf text = { .max = MAX_FILE };
	struct answer *a = NULL;
	const struct kernel *k = NULL;
	char *save = NULL;

	if (file_read(path, &text, err) < 0 || buf_addc(&text, '\n', err) < 0)
		return err->code;
	for (char *line = strtok_r(text.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *words = NULL;
		const char *name;

		if (line[0] == '#')
			continue;
		if (!text_starts(line, "kernel ")) {
			if (k != NULL && read_words(k, line, arena, a, err) < 0)
				return err->code;
			continue;
		}
		strtok_r(line, " ", &words);
		name = strtok_r(NULL, " ", &words);
		k = find_kernel(all, name ? name : "");
		a = arena_new(arena, struct answer);
		a->naga = after(strtok_r(NULL, " ", &words), "naga=", arena);
		a->dawn = after(strtok_r(NULL, " ", &words), "dawn=", arena);
		if (k != NULL)
			map_set(ret, k->name, a);
	}
	return 0;
}

static const char *const kinds[] = {
	[DIFFERENCE_VERDICT] = "verdict", [DIFFERENCE_FLUSH] = "flush", [DIFFERENCE_ZERO] = "zero",
	[DIFFERENCE_NAN] = "nan",         [DIFFERENCE_ANY] = "any",     [DIFFERENCE_ULP] = "ulp",
	[DIFFERENCE_ABS] = "abs",
};

static int read_difference(char *line, struct arena *arena, struct difference *ret, struct err *err)
{
	char *save = NULL;
	const char *who = strtok_r(line, " ", &save), *glob = strtok_r(NULL, " ", &save);
	const char *kind = strtok_r(NULL, " ", &save), *amount = strtok_r(NULL, " ", &save);

	if (kind == NULL)
		return err_set(err, ERR_INVALID, "WHO GLOB KIND was expected");
	ret->who = arena_strdup(arena, who);
	ret->glob = arena_strdup(arena, glob);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kind, kinds[i]) == 0) {
			ret->kind = (enum difference_kind)i;
			return amount == NULL
				   ? 0
				   : num_parse_f64(amount, strlen(amount), &ret->amount, err);
		}
	return err_set(err, ERR_INVALID, "unknown kind %s", kind);
}

int differences_load(const char *path, struct arena *arena, struct differences *ret,
		     struct err *err)
{
	AUTO(buf_done) struct buf text = { .max = MAX_FILE };
	uint32_t line_number = 0;
	char *line, *next;

	if (file_read(path, &text, err) < 0 || buf_addc(&text, '\n', err) < 0)
		return err->code;
	*ret = (struct differences){ .list = arena_new_array(arena, struct difference,
							     MAX_DIFFERENCES) };
	for (line = text.data; *line != '\0'; line = next) {
		struct difference *d = &ret->list[ret->n];

		next = line + strcspn(line, "\n") + 1;
		next[-1] = '\0';
		line_number++;
		if (strchr("#|", line[0]) != NULL)
			continue;
		if (ret->n == MAX_DIFFERENCES)
			return err_set(err, ERR_TOO_BIG, "%s: too many lines", path);
		d->line = line_number;
		if (read_difference(line, arena, d, err) < 0)
			return err_wrap(err, "%s:%u", path, line_number);
		ret->n++;
	}
	return 0;
}

/* ---- verdicts --------------------------------------------------------------------------- */

/* Does a difference of this kind apply? It is needed then. */
static bool excused(struct differences *d, enum difference_kind kind, const char *who,
		    const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->list[i].kind == kind && strcmp(d->list[i].who, who) == 0 &&
		    fnmatch(d->list[i].glob, name, 0) == 0) {
			d->list[i].is_needed = true;
			return true;
		}
	return false;
}

static int compare_verdict(const struct kernel *k, const char *who, const char *verdict,
			   struct differences *d, struct err *err)
{
	const char *want = k->is_reject ? "reject" : "accept";

	if (strcmp(verdict, "none") == 0 || strcmp(verdict, want) == 0 ||
	    excused(d, DIFFERENCE_VERDICT, who, k->name))
		return 0;
	return err_set(err, ERR_CONFLICT, "%s: the specification says %s, %s says %s", k->name,
		       want, who, verdict);
}

int compare_verdicts(const struct kernel *k, const struct answer *a, const struct ours *o,
		     struct differences *d, struct err *err)
{
	if (compare_verdict(k, "ours", o->m ? "accept" : "reject", d, err) < 0)
		return o->error ? err_wrap(err, "%s", o->error) : err->code;
	if (compare_verdict(k, "naga", a->naga, d, err) < 0)
		return err->code;
	return compare_verdict(k, "dawn", a->dawn, d, err);
}

/* ---- words ------------------------------------------------------------------------------ */

static bool is_special(uint32_t w)
{
	return (w & 0x7f800000) == 0x7f800000;
}

static bool is_tiny(uint32_t w)
{
	return (w & 0x7f800000) == 0;
}

static float float_of(uint32_t w)
{
	float f;

	memcpy(&f, &w, 4);
	return f;
}

/* Floats in order as integers. */
static int64_t rank(uint32_t w)
{
	return (w & 0x80000000) != 0 ? -(int64_t)(w & 0x7fffffff) : (int64_t)w;
}

static bool word_may(const struct difference *d, uint32_t x, uint32_t y)
{
	switch (d->kind) {
	case DIFFERENCE_FLUSH:
		return is_tiny(x) && is_tiny(y);
	case DIFFERENCE_ZERO:
		return (x & 0x7fffffff) == 0 && (y & 0x7fffffff) == 0;
	case DIFFERENCE_NAN:
		return is_special(x) || is_special(y);
	case DIFFERENCE_ANY:
		return true;
	case DIFFERENCE_ULP:
		return !is_special(x) && !is_special(y) &&
		       fabs((double)(rank(x) - rank(y))) <= d->amount;
	case DIFFERENCE_ABS:
		return !is_special(x) && !is_special(y) &&
		       fabs((double)float_of(x) - (double)float_of(y)) <= d->amount;
	case DIFFERENCE_VERDICT:
		break;
	}
	return false;
}

/* The kernel's own bound: both sides may be off by it. */
static bool within(const struct kernel *k, uint32_t x, uint32_t y)
{
	const struct difference ulp = { .kind = DIFFERENCE_ULP, .amount = 2 * k->ulp };
	const struct difference abs = { .kind = DIFFERENCE_ABS, .amount = 2 * k->abs };

	return (k->ulp > 0 && word_may(&ulp, x, y)) || (k->abs > 0 && word_may(&abs, x, y));
}

static bool word_equal(const struct kernel *k, const char *who, struct differences *d, uint32_t x,
		       uint32_t y)
{
	if (x == y || within(k, x, y))
		return true;
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->list[i].who, who) == 0 && fnmatch(d->list[i].glob, k->name, 0) == 0 &&
		    word_may(&d->list[i], x, y)) {
			d->list[i].is_needed = true;
			return true;
		}
	return false;
}

int compare_words(const struct kernel *k, const char *who, uint32_t *const *words,
		  const struct ours *o, struct differences *d, struct err *err)
{
	for (uint32_t b = 0; b < k->n_binds; b++)
		for (uint32_t i = 0; words[b] != NULL && o->words[b] != NULL && i < k->binds[b].n;
		     i++)
			if (!word_equal(k, who, d, o->words[b][i], words[b][i]))
				return err_set(
				    err, ERR_CONFLICT,
				    "%s: binding %u, word %u: ours %08x (%g), %s %08x (%g)",
				    k->name, k->binds[b].binding, i, o->words[b][i],
				    (double)float_of(o->words[b][i]), who, words[b][i],
				    (double)float_of(words[b][i]));
	return 0;
}

bool compare_is_refused(const struct kernel *k, struct differences *d)
{
	return excused(d, DIFFERENCE_ANY, "ours", k->name);
}

const char *difference_name(enum difference_kind kind)
{
	return kinds[kind];
}
