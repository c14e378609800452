/*
 * main.c - the compilers' oracle tool.
 *
 *     oracle expand KERNELS OUT       write each kernel as OUT/NAME.wgsl and all as OUT/list.json
 *     oracle show KERNELS NAME        one kernel: text, our verdict, class, order, words
 *     oracle check KERNELS GOLDEN DIFFERENCES    compare ours with the recorded answers
 *     oracle device KERNELS NAME DIFFERENCES     compare our SPIR-V on the Vulkan device with our
 *                                     native code; NAME: what differences.txt calls the device
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "compare.h"
#include "device.h"
#include "kernels.h"
#include "native/native.h"
#include "ours.h"

static void json_kernel(const struct kernel *k, struct buf *out)
{
	buf_note(out, "{\"name\":\"%s\",\"null\":%s,\"groups\":[%u,%u,%u],\"constants\":{", k->name,
		 k->is_null ? "true" : "false", k->groups[0], k->groups[1], k->groups[2]);
	for (uint32_t i = 0; i < k->n_sets; i++)
		buf_note(out, "%s\"%s\":%.17g", i ? "," : "", k->sets[i].name, k->sets[i].value);
	buf_note(out, "},\"binds\":[");
	for (uint32_t b = 0; b < k->n_binds; b++) {
		buf_note(out, "%s{\"group\":%u,\"binding\":%u,\"access\":\"%c\",\"words\":[",
			 b ? "," : "", k->binds[b].group, k->binds[b].binding, k->binds[b].access);
		for (uint32_t i = 0; i < k->binds[b].n; i++)
			buf_note(out, "%s%u", i ? "," : "", k->binds[b].words[i]);
		buf_note(out, "]}");
	}
	buf_note(out, "]}");
}

static int expand(const struct kernels *all, const char *out, struct err *err)
{
	AUTO(buf_done) struct buf list = { .max = 64 * 1024 * 1024 };

	buf_note(&list, "[");
	for (size_t i = 0; i < all->n; i++) {
		AUTO(buf_done) struct buf path = { .max = 4096 };

		buf_note(&path, "%s/%s.wgsl", out, all->list[i].name);
		if (file_write(buf_str(&path), all->list[i].text, strlen(all->list[i].text), false,
			       err) < 0)
			return err->code;
		buf_note(&list, "%s", i ? ",\n" : "");
		json_kernel(&all->list[i], &list);
	}
	buf_note(&list, "]\n");
	AUTO(buf_done) struct buf path = { .max = 4096 };

	buf_note(&path, "%s/list.json", out);
	return file_write(buf_str(&path), list.data, list.len, false, err);
}

static void show_words(const struct kernel *k, const struct ours *o)
{
	for (uint32_t b = 0; b < k->n_binds; b++) {
		if (o->words[b] == NULL)
			continue;
		printf("%u.%u", k->binds[b].group, k->binds[b].binding);
		for (uint32_t i = 0; i < k->binds[b].n; i++)
			printf(" %x", o->words[b][i]);
		printf("\n");
	}
}

static int show_one(const struct kernel *k, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf text = { .max = 1024 * 1024 };
	struct wgsl_source src = { .text = k->text, .len = strlen(k->text) };
	struct ours o;

	if (ours_compile(k, &arena, &o, err) < 0)
		return err->code;
	wgsl_diags_print(&o.diags, &src, &text);
	printf("# %s\n%s%s%s\n", k->name, k->text, buf_str(&text), o.m ? "accept" : "reject");
	if (o.m == NULL)
		return 0;
	for (uint32_t i = 0; i < o.m->n_bindings; i++)
		if (o.m->bindings[i].is_output)
			printf("%s: %s, %s\n", o.m->bindings[i].name,
			       wgsl_class_name(o.m->bindings[i].numeric_class),
			       wgsl_order_name(o.m->bindings[i].order));
	if (ours_run(k, &o, &arena, err) < 0)
		return err->code;
	show_words(k, &o);
	return 0;
}

static int show(const struct kernels *all, const char *name, struct err *err)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->list[i].name, name) == 0)
			return show_one(&all->list[i], err);
	return err_set(err, ERR_NOT_FOUND, "no kernel %s", name);
}

struct counts {
	size_t accepted, rejected, ran, wrong;
	size_t of_class[3];
	size_t same[3]; /* of these, with equal bits */
};

static bool has_same_bits(const struct kernel *k, const struct answer *a, const struct ours *o)
{
	for (uint32_t b = 0; b < k->n_binds; b++)
		if (a->words[b] != NULL && o->words[b] != NULL &&
		    memcmp(a->words[b], o->words[b], (size_t)k->binds[b].n * 4) != 0)
			return false;
	return true;
}

static int check_one(const struct kernel *k, const struct answer *a, struct differences *d,
		     struct counts *c, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct ours o;

	if (a == NULL)
		return err_set(err, ERR_NOT_FOUND, "%s: no recorded answer", k->name);
	if (ours_compile(k, &arena, &o, err) < 0)
		return err_wrap(err, "%s", k->name);
	if (compare_verdicts(k, a, &o, d, err) < 0)
		return err->code;
	c->accepted += !k->is_reject;
	c->rejected += k->is_reject;
	if (o.m == NULL || k->is_reject)
		return 0;
	if (ours_run(k, &o, &arena, err) < 0) {
		if (!compare_is_refused(k, d))
			return err_wrap(err, "%s", k->name);
		err_clear(err);
		return 0;
	}
	c->of_class[o.m->numeric_class]++;
	c->ran++;
	c->same[o.m->numeric_class] += has_same_bits(k, a, &o);
	return compare_words(k, "dawn", a->words, &o, d, err);
}

static bool is_of_device(const struct difference *d)
{
	return strcmp(d->who, "lavapipe") == 0 || strcmp(d->who, "swiftshader") == 0;
}

/* who: a device; NULL: all but devices. */
static void print_needless(const struct differences *d, const char *who, struct counts *c)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct difference *one = &d->list[i];

		if (one->is_needed ||
		    (who == NULL ? is_of_device(one) : strcmp(one->who, who) != 0))
			continue;
		printf("differences.txt:%u: %s %s %s is not needed any more\n", one->line, one->who,
		       one->glob, difference_name(one->kind));
		c->wrong++;
	}
}

static int check(const struct kernels *all, const char *golden, const char *differences,
		 struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct map answers = { 0 };
	struct differences d;
	struct counts c = { 0 };

	if (golden_load(golden, all, &arena, &answers, err) < 0 ||
	    differences_load(differences, &arena, &d, err) < 0)
		return err->code;
	for (size_t i = 0; i < all->n; i++) {
		struct err one = { 0 };

		if (check_one(&all->list[i], map_get(&answers, all->list[i].name), &d, &c, &one) <
		    0) {
			printf("%s\n", one.text);
			c.wrong++;
		}
	}
	map_done(&answers, NULL);
	print_needless(&d, NULL, &c);
	printf(
	    "%zu kernels: %zu accept, %zu reject, %zu differences listed\n"
	    "words equal to Dawn's: Exact %zu of %zu, Deterministic %zu of %zu, Tolerance %zu of "
	    "%zu\n",
	    all->n, c.accepted, c.rejected, d.n, c.same[0], c.of_class[0], c.same[1], c.of_class[1],
	    c.same[2], c.of_class[2]);
	printf("oracle: %zu passed, %zu failed\n", all->n - c.wrong, c.wrong);
	return c.wrong == 0 ? 0 : err_set(err, ERR_CONFLICT, "%zu differ", c.wrong);
}

static int device_one(const struct kernel *k, const char *who, struct differences *d,
		      struct counts *c, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct ours o, there;

	if (ours_compile(k, &arena, &o, err) < 0)
		return err_wrap(err, "%s", k->name);
	if (o.m == NULL || compare_is_refused(k, d) || !device_takes(o.m))
		return 0;
	there = o;
	if (ours_run(k, &o, &arena, err) < 0 || device_run(k, &there, &arena, err) < 0)
		return err_wrap(err, "%s", k->name);
	c->ran++;
	return compare_words(k, who, there.words, &o, d, err);
}

static int device(const struct kernels *all, const char *who, const char *differences,
		  struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct differences d;
	struct counts c = { 0 };
	const char *name = device_name();

	if (name == NULL)
		return err_set(err, ERR_UNAVAILABLE, "there is no Vulkan device");
	if (differences_load(differences, &arena, &d, err) < 0)
		return err->code;
	for (size_t i = 0; i < all->n; i++) {
		struct err one = { 0 };

		if (!all->list[i].is_reject && device_one(&all->list[i], who, &d, &c, &one) < 0) {
			printf("%s\n", one.text);
			c.wrong++;
		}
	}
	print_needless(&d, who, &c);
	printf("%s (%s): %zu kernels compared with native code\n", who, name, c.ran);
	printf("oracle: %zu passed, %zu failed\n", c.ran, c.wrong);
	return c.wrong == 0 ? 0 : err_set(err, ERR_CONFLICT, "%zu differ", c.wrong);
}

static int run(int argc, char **argv, struct err *err)
{
	AUTO(arena_done) struct arena arena = { 0 };
	struct kernels all;

	if (argc < 4)
		return err_set(err, ERR_INVALID, "usage: oracle expand|show|check KERNELS ...");
	if (kernels_load(argv[2], &arena, &all, err) < 0)
		return err->code;
	if (strcmp(argv[1], "expand") == 0)
		return expand(&all, argv[3], err);
	if (strcmp(argv[1], "show") == 0)
		return show(&all, argv[3], err);
	if (strcmp(argv[1], "check") == 0 && argc == 5)
		return check(&all, argv[3], argv[4], err);
	if (strcmp(argv[1], "device") == 0 && argc == 5)
		return device(&all, argv[3], argv[4], err);
	return err_set(err, ERR_INVALID, "unknown command %s", argv[1]);
}

int main(int argc, char **argv)
{
	struct err err = { 0 };

	if (run(argc, argv, &err) == 0)
		return 0;
	fprintf(stderr, "oracle: %s\n", err.text);
	return 1;
}
