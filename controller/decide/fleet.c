/* fleet.c - see fleet.h. */
#include "controller/decide/fleet.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "doc/doc.h"

/* What the fleet owns of a node; `seen` points into it. */
struct member {
	struct fleet_node seen;
	char *name; /* owned, like all of these */
	char *pool;
	char *owner;
	char *zone;
	char *vendor;
	char *device;
	char *kinds;
	struct fleet_claims claims; /* its lists are owned */
	struct fleet_pair *overrides;
	size_t n_overrides;
};

struct fleet {
	struct map by_name;      /* name -> struct member */
	struct member **members; /* owned, by id */
	size_t count;
	size_t cap;
	uint64_t version;
	bool paused;
	uint64_t held_bytes;
};

/* The lists of the claims are ours although their type says const to everyone else. */
static void free_str(const char *s)
{
	char *owned;

	memcpy(&owned, &s, sizeof(owned));
	mem_free(owned);
}

static void free_list(const void *list)
{
	void *owned;

	memcpy(&owned, &list, sizeof(owned));
	mem_free(owned);
}

static void claims_done(struct fleet_claims *c)
{
	for (size_t i = 0; i < c->n_tokens; i++)
		free_str(c->tokens[i]);
	for (size_t i = 0; i < c->n_attributes; i++) {
		free_str(c->attributes[i].key);
		free_str(c->attributes[i].value);
	}
	for (size_t i = 0; i < c->n_numbers; i++)
		free_str(c->numbers[i].key);
	for (size_t i = 0; i < c->n_devices; i++) {
		free_str(c->devices[i].id);
		free_str(c->devices[i].backend);
		free_str(c->devices[i].vendor);
		free_str(c->devices[i].name);
		free_str(c->devices[i].driver);
		free_str(c->devices[i].message);
	}
	free_list(c->tokens);
	free_list(c->attributes);
	free_list(c->numbers);
	free_list(c->devices);
	free_str(c->version);
	*c = (struct fleet_claims){ 0 };
}

/* People read what an agent says about itself. */
static char *copy(const char *s)
{
	char *ret = mem_strdup(s != NULL ? s : "");

	text_defuse(ret);
	return ret;
}

static void claims_copy(struct fleet_claims *to, const struct fleet_claims *from)
{
	const char **tokens = NEW_ARRAY(const char *, from->n_tokens);
	struct fleet_pair *pairs = NEW_ARRAY(struct fleet_pair, from->n_attributes);
	struct fleet_number *numbers = NEW_ARRAY(struct fleet_number, from->n_numbers);
	struct fleet_device *devices = NEW_ARRAY(struct fleet_device, from->n_devices);

	for (size_t i = 0; i < from->n_tokens; i++)
		tokens[i] = copy(from->tokens[i]);
	for (size_t i = 0; i < from->n_attributes; i++) {
		pairs[i].key = copy(from->attributes[i].key);
		pairs[i].value = copy(from->attributes[i].value);
	}
	for (size_t i = 0; i < from->n_numbers; i++) {
		numbers[i].key = copy(from->numbers[i].key);
		numbers[i].value = from->numbers[i].value;
	}
	for (size_t i = 0; i < from->n_devices; i++) {
		const struct fleet_device *d = &from->devices[i];

		devices[i] = *d;
		devices[i].id = copy(d->id);
		devices[i].backend = copy(d->backend);
		devices[i].vendor = copy(d->vendor);
		devices[i].name = copy(d->name);
		devices[i].driver = copy(d->driver);
		devices[i].message = copy(d->message);
	}
	*to = *from;
	to->version = copy(from->version);
	to->tokens = tokens;
	to->attributes = pairs;
	to->numbers = numbers;
	to->devices = devices;
	if (to->slots > FLEET_MAX_SLOTS)
		to->slots = FLEET_MAX_SLOTS;
}

static void overrides_done(struct member *m)
{
	for (size_t i = 0; i < m->n_overrides; i++) {
		free_str(m->overrides[i].key);
		free_str(m->overrides[i].value);
	}
	mem_free(m->overrides);
	m->overrides = NULL;
	m->n_overrides = 0;
}

static void member_free(struct member *m)
{
	claims_done(&m->claims);
	overrides_done(m);
	mem_free(m->name);
	mem_free(m->pool);
	mem_free(m->owner);
	mem_free(m->zone);
	mem_free(m->vendor);
	mem_free(m->device);
	mem_free(m->kinds);
	mem_free(m);
}

struct fleet *fleet_new(void)
{
	struct fleet *f = NEW(struct fleet);

	f->version = 1;
	return f;
}

void fleet_free(struct fleet *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->count; i++)
		member_free(f->members[i]);
	map_done(&f->by_name, NULL);
	mem_free(f->members);
	mem_free(f);
}

void fleet_freep(struct fleet **f)
{
	fleet_free(*f);
}

/* Point everything that is looked at to what is owned now. */
static void refresh(struct fleet *f, struct member *m)
{
	struct fleet_node *n = &m->seen;

	n->name = m->name;
	n->pool = m->pool;
	n->owner = m->owner;
	n->zone = m->zone;
	n->vendor = m->vendor;
	n->device = m->device;
	n->kinds = m->kinds;
	n->overrides = m->overrides;
	n->n_overrides = m->n_overrides;
	n->version = ++f->version;
}

static struct member *member_get(struct fleet *f, const char *name, struct err *err)
{
	struct member *m = map_get(&f->by_name, name);

	if (m != NULL)
		return m;
	if (f->count >= FLEET_MAX_NODES) {
		err_set(err, ERR_TOO_BIG, "node %s: there are %d nodes already", name,
			FLEET_MAX_NODES);
		return NULL;
	}
	m = NEW(struct member);
	m->name = mem_strdup(name);
	m->pool = mem_strdup("default");
	m->owner = mem_strdup("");
	m->zone = mem_strdup("");
	m->vendor = mem_strdup("");
	m->device = mem_strdup(name);
	m->kinds = mem_strdup("");
	mem_reserve(&f->members, &f->cap, f->count, sizeof(struct member *));
	m->seen.id = (uint32_t)f->count;
	f->members[f->count++] = m;
	map_set(&f->by_name, name, m);
	refresh(f, m);
	return m;
}

static void replace(char **owned, const char *value)
{
	mem_free(*owned);
	*owned = mem_strdup(value);
}

int fleet_on_warpnode(struct fleet *f, const struct doc *warpnode, struct err *err)
{
	const struct doc *attributes = NULL;
	const char *name = NULL;
	const char *pool = "default";
	const char *owner = "";
	const char *zone = "";
	bool paused = false;
	struct member *m;

	if (doc_read_str(warpnode, "metadata.name", 63, &name, err) < 0 ||
	    doc_opt_bool(warpnode, "spec.paused", &paused, err) < 0 ||
	    doc_opt_str(warpnode, "spec.pool", 63, &pool, err) < 0 ||
	    doc_opt_str(warpnode, "spec.owner", 253, &owner, err) < 0 ||
	    doc_opt_str(warpnode, "spec.zone", 253, &zone, err) < 0 ||
	    doc_opt_map(warpnode, "spec.attributes", 64, &attributes, err) < 0)
		return err->code;
	m = member_get(f, name, err);
	if (m == NULL)
		return err->code;
	replace(&m->pool, pool);
	replace(&m->owner, owner);
	replace(&m->zone, zone);
	overrides_done(m);
	m->overrides = NEW_ARRAY(struct fleet_pair, doc_count(attributes));
	DOC_EACH_MEMBER(attributes, a)
	{
		m->overrides[m->n_overrides].key = mem_strdup(a.key);
		m->overrides[m->n_overrides++].value = mem_strdup(doc_str(a.value, "", ""));
	}
	m->seen.exists = true;
	m->seen.paused = paused;
	refresh(f, m);
	return 0;
}

void fleet_on_warpnode_deleted(struct fleet *f, const char *name)
{
	struct member *m = map_get(&f->by_name, name);

	if (m == NULL)
		return;
	m->seen.exists = false;
	refresh(f, m);
}

/* Add word to the list "a,b" unless it is there. */
static void add_word(char **list, const char *word)
{
	struct buf b = { .max = 64 * 1024 };
	size_t len = strlen(word);

	for (const char *at = *list; len > 0 && (at = strstr(at, word)) != NULL; at += len)
		if ((at == *list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return;
	if (len == 0)
		return;
	buf_note(&b, "%s%s%s", *list, **list != '\0' ? "," : "", word);
	mem_free(*list);
	*list = buf_take(&b);
}

static int check_claims(const char *name, const struct fleet_claims *c, struct err *err)
{
	if (c->n_tokens > FLEET_MAX_TOKENS || c->n_attributes > FLEET_MAX_PAIRS ||
	    c->n_numbers > FLEET_MAX_PAIRS || c->n_devices > FLEET_MAX_DEVICES)
		return err_set(err, ERR_TOO_BIG, "node %s claims more than a node may have", name);
	return 0;
}

int fleet_on_registered(struct fleet *f, const char *name, const struct fleet_claims *claims,
			int64_t wall_ms, struct err *err)
{
	struct member *m;

	if (check_claims(name, claims, err) < 0)
		return err->code;
	m = member_get(f, name, err);
	if (m == NULL)
		return err->code;
	claims_done(&m->claims);
	claims_copy(&m->claims, claims);
	replace(&m->vendor, "");
	replace(&m->device, "");
	replace(&m->kinds, "");
	m->seen.abilities = claims->n_devices > 0 ? UINT32_MAX : 0;
	m->seen.unfit = claims->n_devices > 0;
	for (size_t i = 0; i < claims->n_devices; i++) {
		const struct fleet_device *d = &m->claims.devices[i];

		add_word(&m->vendor, d->vendor);
		add_word(&m->device, d->id);
		add_word(&m->kinds, d->backend);
		add_word(&m->kinds, d->vendor);
		add_word(&m->kinds, d->driver);
		m->seen.abilities &= d->self_test_passed ? d->abilities : 0;
		m->seen.unfit = m->seen.unfit && !d->self_test_passed;
	}
	if (*m->device == '\0')
		replace(&m->device, name);
	m->seen.claims = &m->claims;
	m->seen.slots = m->claims.slots;
	m->seen.connected = true;
	m->seen.held_back = false;
	m->seen.connected_wall_ms = wall_ms;
	refresh(f, m);
	return 0;
}

void fleet_on_disconnected(struct fleet *f, const char *name)
{
	struct member *m = map_get(&f->by_name, name);

	if (m == NULL || !m->seen.connected)
		return;
	m->seen.connected = false;
	refresh(f, m);
}

void fleet_on_load(struct fleet *f, const char *name, bool full, bool draining)
{
	struct member *m = map_get(&f->by_name, name);

	if (m == NULL || m->seen.held_back == (full || draining))
		return;
	m->seen.held_back = full || draining;
	refresh(f, m);
}

void fleet_set_paused(struct fleet *f, bool paused)
{
	if (f->paused != paused)
		f->version++;
	f->paused = paused;
}

void fleet_hold(struct fleet *f, uint64_t bytes)
{
	f->held_bytes += bytes;
}

void fleet_drop(struct fleet *f, uint64_t bytes)
{
	ASSERT(bytes <= f->held_bytes);
	f->held_bytes -= bytes;
}

uint64_t fleet_held(const struct fleet *f)
{
	return f->held_bytes;
}

bool fleet_is_paused(const struct fleet *f)
{
	return f->paused;
}

void fleet_on_trust(struct fleet *f, const char *name, int64_t agreed, int64_t mismatched,
		    int64_t lost)
{
	struct member *m = map_get(&f->by_name, name);
	struct fleet_trust *t;

	if (m == NULL)
		return;
	t = &m->seen.trust;
	t->accepted_in_a_row = mismatched > 0 ? 0 : t->accepted_in_a_row + agreed;
	t->mismatched += mismatched;
	t->lost += lost;
}

void fleet_set_trust(struct fleet *f, const char *name, const struct fleet_trust *t)
{
	struct member *m = map_get(&f->by_name, name);

	if (m != NULL)
		m->seen.trust = *t;
}

const struct fleet_node *fleet_get(const struct fleet *f, const char *name)
{
	const struct member *m = map_get(&f->by_name, name);

	return m != NULL ? &m->seen : NULL;
}

size_t fleet_count(const struct fleet *f)
{
	return f->count;
}

const struct fleet_node *fleet_at(const struct fleet *f, size_t i)
{
	ASSERT(i < f->count);
	return &f->members[i]->seen;
}

uint64_t fleet_version(const struct fleet *f)
{
	return f->version;
}

uint32_t fleet_node_lacks(const struct fleet_node *n, uint32_t needs)
{
	uint32_t least = needs & ~n->abilities;

	for (size_t i = 0; n->claims != NULL && i < n->claims->n_devices; i++) {
		const struct fleet_device *d = &n->claims->devices[i];
		uint32_t lacks = d->self_test_passed ? needs & ~d->abilities : needs;

		if (__builtin_popcount(lacks) < __builtin_popcount(least))
			least = lacks;
	}
	return least;
}

bool fleet_is_usable(const struct fleet_node *n)
{
	return n->exists && n->connected && !n->paused && !n->held_back && !n->unfit &&
	       n->slots > 0;
}

void fleet_take(struct fleet *f, uint32_t id)
{
	ASSERT(id < f->count);
	f->members[id]->seen.running++;
}

void fleet_give(struct fleet *f, uint32_t id)
{
	ASSERT(id < f->count && f->members[id]->seen.running > 0);
	f->members[id]->seen.running--;
}

static bool caps_has(const void *node, const char *token)
{
	const struct fleet_node *n = node;

	for (size_t i = 0; n->claims != NULL && i < n->claims->n_tokens; i++)
		if (strcmp(n->claims->tokens[i], token) == 0)
			return true;
	return false;
}

static const char *caps_attr(const void *node, const char *key)
{
	const struct fleet_node *n = node;

	for (size_t i = 0; i < n->n_overrides; i++)
		if (strcmp(n->overrides[i].key, key) == 0)
			return n->overrides[i].value;
	for (size_t i = 0; n->claims != NULL && i < n->claims->n_attributes; i++)
		if (strcmp(n->claims->attributes[i].key, key) == 0)
			return n->claims->attributes[i].value;
	return NULL;
}

static bool caps_num(const void *node, const char *key, double *ret)
{
	const struct fleet_node *n = node;

	for (size_t i = 0; n->claims != NULL && i < n->claims->n_numbers; i++) {
		if (strcmp(n->claims->numbers[i].key, key) != 0)
			continue;
		*ret = (double)n->claims->numbers[i].value;
		return true;
	}
	return false;
}

const struct expr_caps fleet_caps = { .has = caps_has, .attr = caps_attr, .num = caps_num };
