/* kernel.c - compiled kernels and the cache of their code; see run_int.h. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/run_int.h"
#include "wire/codec.h"

struct cache_entry {
	struct list_link link;
	struct run_kernel *kernel; /* shared */
	char key[HASH_HEX];
};

static void free_kernel(struct run_kernel *k)
{
	arena_done(&k->arena);
	mem_free(k->text);
	mem_free(k->object[0]);
	mem_free(k->object[1]);
	mem_free(k);
}

struct run_kernel *run_kernel_ref(struct run_kernel *k)
{
	k->refs++;
	return k;
}

void run_kernel_unref(struct run_kernel *k)
{
	if (k != NULL && --k->refs == 0)
		free_kernel(k);
}

void run_kernel_unrefp(struct run_kernel **k)
{
	run_kernel_unref(*k);
}

const struct wire_kernel *run_kernel_reflection(const struct run_kernel *k)
{
	return &k->kernel;
}

int run_kernel_new(const struct hash_digest *key, const struct run_compile_answer *answer,
		   bool code, bool reverse, struct run_kernel **ret, struct err *err)
{
	AUTO(run_kernel_unrefp) struct run_kernel *k = NEW(struct run_kernel);
	const bool wanted[2] = { code, code && reverse };

	k->refs = 1;
	k->key = *key;
	k->text = mem_strdup(answer->text);
	if (wire_kernel_decode(answer->kernel.bytes, answer->kernel.size, &k->arena, &k->kernel,
			       err) < 0)
		return err_wrap(err, "the compiler's reflection");
	for (int i = 0; i < 2; i++) {
		if (wanted[i] != (answer->object[i].size > 0))
			return err_set(err, ERR_PROTOCOL, "the compiler sent no code, or too much");
		if (!wanted[i])
			continue;
		k->object[i] = mem_dup(answer->object[i].bytes, answer->object[i].size);
		k->object_size[i] = answer->object[i].size;
	}
	if (code && answer->n_places != k->kernel.n_bindings)
		return err_set(err, ERR_PROTOCOL, "the compiler named %u places for %u bindings",
			       answer->n_places, k->kernel.n_bindings);
	memcpy(k->places, answer->places, sizeof(k->places));
	k->n_buffers = answer->n_buffers;
	*ret = MOVE(k);
	return 0;
}

static void hash_text(struct hash *h, const char *text, size_t len)
{
	char size[8];

	num_put_u64(size, len);
	hash_add(h, size, sizeof(size));
	hash_add(h, text, len);
}

struct hash_digest run_source_key(const struct run_source *source)
{
	AUTO(hash_freep) struct hash *h = hash_new();
	const char *entry = source->entry_point == NULL ? "" : source->entry_point;
	const char how = (char)((source->reverse ? 1 : 0) | (source->strict ? 2 : 0));
	char target[8];
	struct hash_digest key;

	hash_text(h, source->text, source->len);
	hash_text(h, entry, strlen(entry));
	hash_add(h, &how, 1);
	num_put_u32(target, source->target);
	num_put_u32(target + 4, source->modes);
	hash_add(h, target, sizeof(target));
	for (uint32_t i = 0; i < source->n_constants; i++) {
		const struct wire_constant *c = &source->constants[i];

		hash_text(h, c->key, strlen(c->key));
		hash_add(h, &c->value, sizeof(c->value));
	}
	hash_finish(h, &key);
	return key;
}

/* ---- cache ------------------------------------------------------------------------------ */

static uint64_t kernel_bytes(const struct run_kernel *k)
{
	return sizeof(*k) + arena_used(&k->arena) + k->object_size[0] + k->object_size[1];
}

static void drop_entry(struct run_cache *c, struct cache_entry *e)
{
	c->bytes -= kernel_bytes(e->kernel);
	map_remove(&c->by_key, e->key);
	list_remove(&e->link);
	run_kernel_unref(e->kernel);
	mem_free(e);
}

void run_cache_done(struct run_cache *c)
{
	LIST_EACH (struct cache_entry, e, &c->recent, link)
		drop_entry(c, e);
	map_done(&c->by_key, NULL);
}

struct run_kernel *run_cache_find(struct run_cache *c, const struct hash_digest *key)
{
	char text[HASH_HEX];
	struct cache_entry *e = map_get(&c->by_key, hash_hex(key, text));

	if (e == NULL)
		return NULL;
	list_remove(&e->link);
	list_add_first(&c->recent, &e->link);
	return e->kernel;
}

void run_cache_add(struct run_cache *c, struct run_kernel *k)
{
	struct cache_entry *e;

	if (run_cache_find(c, &k->key) != NULL || kernel_bytes(k) > c->max_bytes)
		return;
	while (c->bytes + kernel_bytes(k) > c->max_bytes)
		drop_entry(c, CONTAINER_OF(c->recent.last, struct cache_entry, link));
	e = NEW(struct cache_entry);
	e->kernel = run_kernel_ref(k);
	hash_hex(&k->key, e->key);
	list_add_first(&c->recent, &e->link);
	map_set(&c->by_key, e->key, e);
	c->bytes += kernel_bytes(k);
}
