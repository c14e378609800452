/* map.c - open addressing over an array of entries in insertion order; see map.h. */
#include "base/map.h"

#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/num.h"

enum { REMOVED = 0xffffffff };

static uint64_t rotl(uint64_t x, int b)
{
	return x << b | x >> (64 - b);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

/* SipHash-1-3 (Aumasson, Bernstein 2012, with reduced rounds). */
static uint64_t hash_of(const uint64_t seed[2], const char *key, size_t len)
{
	uint64_t v[4] = { seed[0] ^ 0x736f6d6570736575u, seed[1] ^ 0x646f72616e646f6du,
			  seed[0] ^ 0x6c7967656e657261u, seed[1] ^ 0x7465646279746573u };
	unsigned char tail[8] = { 0 };
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		uint64_t m = num_get_u64(key + i);

		v[3] ^= m;
		sip_round(v);
		v[0] ^= m;
	}
	memcpy(tail, key + i, len - i);
	tail[7] = (unsigned char)len;
	v[3] ^= num_get_u64(tail);
	sip_round(v);
	v[0] ^= num_get_u64(tail);
	v[2] ^= 0xff;
	for (int n = 0; n < 3; n++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The slot of key, or NULL. */
static uint32_t *find_slot(const struct map *m, const char *key, uint64_t hash)
{
	size_t mask = m->slot_count - 1;

	if (m->slot_count == 0)
		return NULL;
	for (size_t i = hash & mask; m->slots[i] != 0; i = (i + 1) & mask) {
		const struct map_entry *e;

		if (m->slots[i] == REMOVED)
			continue;
		e = &m->entries[m->slots[i] - 1];
		if (e->hash == hash && strcmp(e->key, key) == 0)
			return &m->slots[i];
	}
	return NULL;
}

static void place(struct map *m, uint64_t hash, size_t entry)
{
	size_t mask = m->slot_count - 1;
	size_t i = hash & mask;

	while (m->slots[i] != 0 && m->slots[i] != REMOVED)
		i = (i + 1) & mask;
	m->slots[i] = (uint32_t)entry + 1;
}

/* Close the holes and size both arrays for one more entry. */
static void rebuild(struct map *m)
{
	size_t live = 0;
	size_t slots = 8;

	for (size_t i = 0; i < m->used; i++)
		if (m->entries[i].key != NULL)
			m->entries[live++] = m->entries[i];
	m->used = live;
	while (slots < (live + 1) * 2)
		slots *= 2;
	ASSERT(slots < REMOVED);
	mem_free(m->slots);
	m->slots = NEW_ARRAY(uint32_t, slots);
	m->slot_count = slots;
	for (size_t i = 0; i < live; i++)
		place(m, m->entries[i].hash, i);
}

static uint64_t seeded_hash(struct map *m, const char *key)
{
	if (m->slot_count == 0) {
		/* A failure leaves a fixed seed: a slow map at worst, never a wrong one. */
		if (getrandom(m->seed, sizeof(m->seed), GRND_NONBLOCK) < 0)
			m->seed[0] = 1;
		rebuild(m);
	}
	return hash_of(m->seed, key, strlen(key));
}

void *map_get(const struct map *m, const char *key)
{
	const uint32_t *slot;

	if (m->count == 0)
		return NULL;
	slot = find_slot(m, key, hash_of(m->seed, key, strlen(key)));
	return slot != NULL ? m->entries[*slot - 1].value : NULL;
}

bool map_has(const struct map *m, const char *key)
{
	return m->count > 0 && find_slot(m, key, hash_of(m->seed, key, strlen(key))) != NULL;
}

void *map_set(struct map *m, const char *key, void *value)
{
	uint64_t hash = seeded_hash(m, key);
	const uint32_t *slot = find_slot(m, key, hash);

	if (slot != NULL) {
		void *old = m->entries[*slot - 1].value;

		m->entries[*slot - 1].value = value;
		return old;
	}
	if ((m->used + 1) * 2 > m->slot_count)
		rebuild(m);
	mem_reserve(&m->entries, &m->cap, m->used, sizeof(*m->entries));
	m->entries[m->used] =
	    (struct map_entry){ .key = mem_strdup(key), .value = value, .hash = hash };
	place(m, hash, m->used++);
	m->count++;
	return NULL;
}

void *map_remove(struct map *m, const char *key)
{
	struct map_entry *e;
	uint32_t *slot;
	void *value;

	if (m->count == 0)
		return NULL;
	slot = find_slot(m, key, hash_of(m->seed, key, strlen(key)));
	if (slot == NULL)
		return NULL;
	e = &m->entries[*slot - 1];
	value = e->value;
	mem_free(e->key);
	*e = (struct map_entry){ 0 };
	*slot = REMOVED;
	m->count--;
	return value;
}

void map_done(struct map *m, void (*free_value)(void *value))
{
	for (size_t i = 0; i < m->used; i++) {
		if (m->entries[i].key != NULL && free_value != NULL)
			free_value(m->entries[i].value);
		mem_free(m->entries[i].key);
	}
	mem_free(m->entries);
	mem_free(m->slots);
	*m = (struct map){ 0 };
}

struct map_entry *map_next(const struct map *m, size_t *at)
{
	while (*at < m->used) {
		struct map_entry *e = &m->entries[(*at)++];

		if (e->key != NULL)
			return e;
	}
	return NULL;
}
