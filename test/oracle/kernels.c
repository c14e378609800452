/* kernels.c - see kernels.h. */
#include "kernels.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "fill.h"

struct prelude {
	const char *name;
	const char *before, *after; /* around "//! here" */
	struct kernel binds;        /* only its bindings and groups */
};

enum { MAX_PRELUDES = 64, MAX_ITEM = 256 * 1024 };

/* One area file while it is read. */
struct reader {
	struct arena *arena;
	const char *area;
	uint32_t line;
	struct prelude *preludes;
	size_t n_preludes;
	size_t *cap;
	struct kernels *ret;
	/* The item that is open. */
	bool is_prelude, is_kernel;
	const struct prelude *in;
	struct kernel item;
	struct buf before; /* text before "//! here" or "//! main" */
	struct buf text;
	bool is_split;
};

static int bad(const struct reader *r, struct err *err, const char *what, const char *word)
{
	return err_set(err, ERR_INVALID, "%s.wgsl:%u: %s: %s", r->area, r->line, what, word);
}

static int parse_u32(const struct reader *r, const char *s, uint32_t *ret, struct err *err)
{
	uint64_t v;

	if (num_parse_u64(s, strlen(s), UINT32_MAX, &v, err) < 0)
		return err_wrap(err, "%s.wgsl:%u", r->area, r->line);
	*ret = (uint32_t)v;
	return 0;
}

static const struct prelude *prelude_find(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n_preludes; i++)
		if (text_equal(r->preludes[i].name, name))
			return &r->preludes[i];
	return NULL;
}

static char *joined(struct reader *r, const char *a, const char *b, const char *c, const char *d)
{
	return arena_printf(r->arena, "%s%s%s%s", a, b, c, d);
}

static void close_prelude(struct reader *r)
{
	struct prelude *p = &r->preludes[r->n_preludes++];

	*p = (struct prelude){
		.name = r->item.name,
		.before = arena_strdup(r->arena, buf_str(r->is_split ? &r->before : &r->text)),
		.after = arena_strdup(r->arena, r->is_split ? buf_str(&r->text) : ""),
		.binds = r->item,
	};
}

static void close_kernel(struct reader *r)
{
	struct kernel *k;
	const struct prelude *p = r->in;

	arena_reserve(r->arena, &r->ret->list, r->cap, r->ret->n, sizeof(*k));
	k = &r->ret->list[r->ret->n++];
	*k = r->item;
	k->name = arena_printf(r->arena, "%s.%s", r->area, r->item.name);
	if (p != NULL)
		k->text = joined(r, p->before, buf_str(&r->text), p->after,
				 r->is_split ? buf_str(&r->before) : "");
	else
		k->text = arena_strdup(r->arena, buf_str(&r->text));
}

static void close_item(struct reader *r)
{
	if (r->is_prelude)
		close_prelude(r);
	else if (r->is_kernel)
		close_kernel(r);
	r->is_prelude = r->is_kernel = r->is_split = false;
	r->in = NULL;
	r->item = (struct kernel){ 0 };
	buf_reset(&r->before);
	buf_reset(&r->text);
}

static int parse_groups(struct reader *r, char *value, struct err *err)
{
	char *save = NULL;
	int d = 0;

	for (char *w = strtok_r(value, ",", &save); w != NULL && d < 3;
	     w = strtok_r(NULL, ",", &save))
		if (parse_u32(r, w, &r->item.groups[d++], err) < 0)
			return err->code;
	return 0;
}

static int parse_set(struct reader *r, char *value, struct err *err)
{
	char *colon = strchr(value, ':');
	struct wgsl_constant *c = &r->item.sets[r->item.n_sets];

	if (colon == NULL || r->item.n_sets == KERNEL_MAX_SETS)
		return bad(r, err, "set=NAME:VALUE was expected", value);
	*colon = '\0';
	c->name = arena_strdup(r->arena, value);
	r->item.n_sets++;
	return num_parse_f64(colon + 1, strlen(colon + 1), &c->value, err);
}

static int parse_prelude_name(struct reader *r, const char *name, struct err *err)
{
	r->in = prelude_find(r, name);
	if (r->in == NULL)
		return bad(r, err, "no such prelude", name);
	memcpy(r->item.binds, r->in->binds.binds, sizeof(r->item.binds));
	r->item.n_binds = r->in->binds.n_binds;
	memcpy(r->item.groups, r->in->binds.groups, sizeof(r->item.groups));
	return 0;
}

static int parse_option(struct reader *r, char *word, struct err *err)
{
	char *value = strchr(word, '=');

	if (strcmp(word, "null") == 0) {
		r->item.is_null = true;
		return 0;
	}
	if (value == NULL)
		return bad(r, err, "unknown option", word);
	*value++ = '\0';
	if (strcmp(word, "in") == 0)
		return parse_prelude_name(r, value, err);
	if (strcmp(word, "groups") == 0)
		return parse_groups(r, value, err);
	if (strcmp(word, "set") == 0)
		return parse_set(r, value, err);
	if (strcmp(word, "ulp") == 0)
		return num_parse_f64(value, strlen(value), &r->item.ulp, err);
	if (strcmp(word, "abs") == 0)
		return num_parse_f64(value, strlen(value), &r->item.abs, err);
	return bad(r, err, "unknown option", word);
}

static int open_kernel(struct reader *r, char **save, struct err *err)
{
	const char *name = strtok_r(NULL, " ", save), *verdict = strtok_r(NULL, " ", save);

	r->is_kernel = true;
	r->item.groups[0] = r->item.groups[1] = r->item.groups[2] = 1;
	if (name == NULL || verdict == NULL)
		return bad(r, err, "kernel NAME accept|reject was expected", name ? name : "");
	r->item.name = arena_strdup(r->arena, name);
	r->item.is_reject = strcmp(verdict, "reject") == 0;
	if (!r->item.is_reject && strcmp(verdict, "accept") != 0)
		return bad(r, err, "neither accept nor reject", verdict);
	for (char *w = strtok_r(NULL, " ", save); w != NULL; w = strtok_r(NULL, " ", save))
		if (parse_option(r, w, err) < 0)
			return err->code;
	return 0;
}

static int open_prelude(struct reader *r, char **save, struct err *err)
{
	const char *name = strtok_r(NULL, " ", save);

	if (name == NULL || r->n_preludes == MAX_PRELUDES)
		return bad(r, err, "a name was expected", "prelude");
	r->is_prelude = true;
	r->item.groups[0] = r->item.groups[1] = r->item.groups[2] = 1;
	r->item.name = arena_strdup(r->arena, name);
	for (char *w = strtok_r(NULL, " ", save); w != NULL; w = strtok_r(NULL, " ", save))
		if (parse_option(r, w, err) < 0)
			return err->code;
	return 0;
}

static int add_bind(struct reader *r, char **save, struct err *err)
{
	char *where = strtok_r(NULL, " ", save), *access = strtok_r(NULL, " ", save);
	char *kind = strtok_r(NULL, " ", save), *words = strtok_r(NULL, " ", save);
	char *dot = where ? strchr(where, '.') : NULL;
	struct kernel_bind *b = &r->item.binds[r->item.n_binds];

	if (access == NULL || kind == NULL || strchr("urw", access[0]) == NULL ||
	    r->item.n_binds == KERNEL_MAX_BINDS)
		return bad(r, err, "bind BINDING u|r|w FILL [WORDS] was expected",
			   where ? where : "");
	*b = (struct kernel_bind){ .access = access[0], .n = 96 };
	if (dot != NULL) {
		*dot = '\0';
		if (parse_u32(r, where, &b->group, err) < 0)
			return err->code;
		where = dot + 1;
	}
	if (parse_u32(r, where, &b->binding, err) < 0 ||
	    (words != NULL && parse_u32(r, words, &b->n, err) < 0))
		return err->code;
	if (fill_words(kind, b->binding, r->arena, &b->words, &b->n, err) < 0)
		return err_wrap(err, "%s.wgsl:%u", r->area, r->line);
	r->item.n_binds++;
	return 0;
}

static int split_item(struct reader *r, struct err *err)
{
	if (r->is_split)
		return bad(r, err, "a second one", "//! here or main");
	r->is_split = true;
	if (buf_add(&r->before, buf_str(&r->text), r->text.len, err) < 0)
		return err->code;
	buf_reset(&r->text);
	return 0;
}

static int take_header(struct reader *r, char *line, struct err *err)
{
	char *save = NULL, *word = strtok_r(line, " ", &save);

	if (word == NULL)
		return bad(r, err, "a word was expected", "//!");
	if (strcmp(word, "prelude") == 0 || strcmp(word, "kernel") == 0)
		close_item(r);
	if (strcmp(word, "prelude") == 0)
		return open_prelude(r, &save, err);
	if (strcmp(word, "kernel") == 0)
		return open_kernel(r, &save, err);
	if (strcmp(word, "bind") == 0)
		return add_bind(r, &save, err);
	if (strcmp(word, "here") == 0 || strcmp(word, "main") == 0)
		return split_item(r, err);
	return bad(r, err, "unknown header", word);
}

static int read_lines(struct reader *r, char *text, struct err *err)
{
	while (*text != '\0') {
		char *end = strchr(text, '\n');

		r->line++;
		if (end == NULL)
			return bad(r, err, "the last line does not end", text);
		*end = '\0';
		if (text_starts(text, "//! ")) {
			if (take_header(r, text + 4, err) < 0)
				return err->code;
		} else if (buf_addfe(&r->text, err, "%s\n", text) < 0) {
			return err->code;
		}
		text = end + 1;
	}
	close_item(r);
	return 0;
}

static int load_file(const char *dir, const char *file, struct reader *r, struct err *err)
{
	AUTO(buf_done) struct buf path = { .max = 4096 }, all = { .max = MAX_ITEM };

	if (buf_addfe(&path, err, "%s/%s", dir, file) < 0 ||
	    file_read(buf_str(&path), &all, err) < 0)
		return err->code;
	if (all.len == 0)
		return 0;
	r->area = arena_strndup(r->arena, file, strlen(file) - strlen(".wgsl"));
	r->line = 0;
	r->before = (struct buf){ .max = MAX_ITEM };
	r->text = (struct buf){ .max = MAX_ITEM };
	int rc = read_lines(r, all.data, err);

	buf_done(&r->before);
	buf_done(&r->text);
	return rc;
}

static int is_area(const struct dirent *e)
{
	return text_ends(e->d_name, ".wgsl");
}

int kernels_load(const char *dir, struct arena *arena, struct kernels *ret, struct err *err)
{
	struct dirent **files = NULL;
	size_t cap = 0;
	struct kernels all = { 0 };
	struct reader r = { .arena = arena, .cap = &cap, .ret = &all };
	int n = scandir(dir, &files, is_area, alphasort), rc = 0;

	if (n < 0)
		return err_set(err, ERR_NOT_FOUND, "no folder %s", dir);
	r.preludes = arena_new_array(arena, struct prelude, MAX_PRELUDES);
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = load_file(dir, files[i]->d_name, &r, err);
		mem_free(files[i]);
	}
	mem_free(files);
	*ret = all;
	return rc;
}
