/* held.c - see held.h. */
#include "agent/held.h"

#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"

enum { ENTRY_BYTES = 160, KEY = 160 }; /* what an entry costs beside its values and message */

/* All results of one dispatch. */
struct group {
	struct wire_dispatch dispatch;
	uint8_t ticket[WIRE_DIGEST];
	struct list entries;
	struct list_link of_job;
	struct job *job; /* borrowed */
};

/* All groups of one job uid. */
struct job {
	struct list groups;
};

struct entry {
	struct wire_result result; /* values and message point to: */
	void *values;              /* owned; NULL if there are none */
	char *message;             /* owned */
	struct group *group;       /* borrowed */
	struct list_link of_group;
	struct list_link state; /* in fresh, sent or taken */
	bool offering;
	size_t bytes;
};

struct held {
	struct map groups; /* key of the dispatch -> struct group, owned */
	struct map jobs;   /* uid -> struct job, owned */
	struct list fresh;
	struct list sent;
	struct list taken;
	size_t count;
	size_t bytes;
	size_t offering; /* of fresh */
};

struct held *held_new(void)
{
	return NEW(struct held);
}

bool held_is_kept(enum wire_outcome o)
{
	return o != WIRE_CANCELLED && o != WIRE_REFUSED;
}

struct key {
	char text[KEY];
};

static struct key make_key(const struct wire_dispatch *d)
{
	struct key key = { 0 };
	struct buf b = { .data = key.text, .cap = KEY, .max = KEY - 1 };

	if (buf_addf(&b, "%s/%u/%u/%u/%u+%u/%llu", d->job_uid, d->slice, d->replica, d->attempt,
		     d->first_chunk, d->n_chunks, (unsigned long long)d->epoch) < 0)
		ASSERT(!"the key is bounded");
	return key;
}

static struct job *need_job(struct held *h, const char *uid)
{
	struct job *j = map_get(&h->jobs, uid);

	if (j == NULL) {
		j = NEW(struct job);
		map_set(&h->jobs, uid, j);
	}
	return j;
}

static struct group *need_group(struct held *h, const struct wire_dispatch *d,
				const uint8_t ticket[WIRE_DIGEST])
{
	const struct key key = make_key(d);
	struct group *g = map_get(&h->groups, key.text);

	if (g != NULL)
		return g;
	g = NEW(struct group);
	g->dispatch = *d;
	memcpy(g->ticket, ticket, WIRE_DIGEST);
	g->job = need_job(h, d->job_uid);
	list_add(&g->job->groups, &g->of_job);
	map_set(&h->groups, key.text, g);
	return g;
}

static void drop_group(struct held *h, struct group *g)
{
	const struct key key = make_key(&g->dispatch);
	struct job *j = g->job;

	map_remove(&h->groups, key.text);
	list_remove(&g->of_job);
	if (j->groups.count == 0) {
		map_remove(&h->jobs, g->dispatch.job_uid);
		mem_free(j);
	}
	mem_free(g);
}

static void set_state(struct held *h, struct entry *e, struct list *to)
{
	if (e->state.list == &h->fresh && e->offering)
		h->offering--;
	list_remove(&e->state);
	if (to != NULL)
		list_add(to, &e->state);
	if (to == &h->fresh && e->offering)
		h->offering++;
}

static void drop_entry(struct held *h, struct entry *e)
{
	struct group *g = e->group;

	set_state(h, e, NULL);
	list_remove(&e->of_group);
	h->count--;
	h->bytes -= e->bytes;
	mem_free(e->values);
	mem_free(e->message);
	mem_free(e);
	if (g->entries.count == 0)
		drop_group(h, g);
}

static struct entry *find_entry(const struct group *g, uint32_t chunk)
{
	/* The newest ones are at the end: a repeated result is one of the last. */
	for (struct list_link *l = g->entries.last; l != NULL; l = l->prev) {
		struct entry *e = CONTAINER_OF(l, struct entry, of_group);

		if (e->result.chunk == chunk)
			return e;
		if (e->result.chunk < chunk)
			return NULL; /* an agent answers the chunks of an order in order */
	}
	return NULL;
}

/* At most WIRE_MAX_MESSAGE bytes of UTF-8, so that no text can make a result unsendable. */
static char *copy_message(const char *text)
{
	size_t len = strnlen(text, WIRE_MAX_MESSAGE);
	char *copy = mem_strndup(text, len);

	while (len > 0 && (copy[len - 1] & 0x80) != 0 && !text_is_utf8(copy, len))
		copy[--len] = '\0'; /* a character that was cut */
	for (size_t i = 0; i < len && !text_is_utf8(copy, len); i++) {
		if ((copy[i] & 0x80) != 0)
			copy[i] = '?';
	}
	return copy;
}

bool held_add(struct held *h, const struct wire_dispatch *d, const uint8_t ticket[WIRE_DIGEST],
	      const struct wire_result *r)
{
	struct group *g = need_group(h, d, ticket);
	struct entry *e;

	if (find_entry(g, r->chunk) != NULL)
		return false;
	e = NEW(struct entry);
	e->group = g;
	e->result = *r;
	e->message = copy_message(r->message);
	e->result.message = e->message;
	e->bytes = ENTRY_BYTES + strlen(e->message);
	if (r->values != NULL) {
		e->values = mem_dup(r->values, r->values_size);
		e->result.values = e->values;
		e->bytes += r->values_size;
	}
	list_add(&g->entries, &e->of_group);
	list_add(&h->fresh, &e->state);
	h->count++;
	h->bytes += e->bytes;
	return true;
}

size_t held_count(const struct held *h)
{
	return h->count;
}

size_t held_bytes(const struct held *h)
{
	return h->bytes;
}

bool held_is_full(const struct held *h)
{
	return h->count >= HELD_MAX_RESULTS || h->bytes >= HELD_MAX_BYTES;
}

void held_offer_all(struct held *h)
{
	struct list *const lists[] = { &h->sent, &h->taken };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		LIST_EACH (struct entry, e, lists[i], state) {
			set_state(h, e, &h->fresh);
		}
	}
	LIST_EACH (struct entry, e, &h->fresh, state) {
		e->offering = true;
	}
	h->offering = h->fresh.count;
}

bool held_has_new(const struct held *h)
{
	return h->fresh.count > 0;
}

bool held_is_offered(const struct held *h)
{
	return h->offering == 0;
}

void held_take_page(struct held *h, struct arena *a, const struct wire_results **ret,
		    uint32_t *ret_n)
{
	struct wire_results *parts = NULL;
	struct wire_result *results = NULL;
	const struct group *group = NULL;
	size_t parts_cap = 0;
	size_t results_cap = 0;
	size_t bytes = 0;
	uint32_t n = 0;

	ASSERT(h->sent.count == 0);
	while (h->fresh.count > 0 && bytes < HELD_PAGE_BYTES) {
		struct entry *e = LIST_FIRST(&h->fresh, struct entry, state);

		if (e->group != group) {
			if (n == HELD_PAGE_PARTS)
				break;
			group = e->group;
			arena_reserve(a, &parts, &parts_cap, n, sizeof(*parts));
			parts[n] = (struct wire_results){ .dispatch = group->dispatch };
			memcpy(parts[n++].ticket, group->ticket, WIRE_DIGEST);
			results = NULL;
			results_cap = 0;
			bytes += ENTRY_BYTES;
		}
		ASSERT(parts != NULL);
		arena_reserve(a, &results, &results_cap, parts[n - 1].n_results, sizeof(*results));
		results[parts[n - 1].n_results++] = e->result;
		parts[n - 1].results = results;
		bytes += e->bytes;
		set_state(h, e, &h->sent);
	}
	*ret = parts;
	*ret_n = n;
}

static bool is_in(const struct wire_job_runs *job, uint32_t chunk)
{
	for (uint32_t i = 0; i < job->n_runs; i++) {
		if (chunk >= job->runs[i].first && chunk - job->runs[i].first < job->runs[i].count)
			return true;
	}
	return false;
}

static bool touches(const struct wire_job_runs *job, const struct wire_dispatch *d)
{
	for (uint32_t i = 0; i < job->n_runs; i++) {
		const struct wire_run *r = &job->runs[i];

		if (r->first < d->first_chunk + d->n_chunks && d->first_chunk < r->first + r->count)
			return true;
	}
	return false;
}

/* Dropping the last entry frees the group: its list is not looked at again then.
 * only_sent: those of the page that was answered. */
static size_t drop_in_group(struct held *h, struct group *g, const struct wire_job_runs *job,
			    bool only_sent)
{
	size_t dropped = 0;

	LIST_EACH (struct entry, e, &g->entries, of_group) {
		bool meant = !only_sent || e->state.list == &h->sent;

		if (meant && is_in(job, e->result.chunk)) {
			drop_entry(h, e);
			dropped++;
		}
	}
	return dropped;
}

/* In the same way the last group takes the job with it. */
static size_t drop_job(struct held *h, const struct wire_job_runs *job, bool only_sent)
{
	struct job *j = map_get(&h->jobs, job->job_uid);
	size_t dropped = 0;

	if (j == NULL)
		return 0;
	LIST_EACH (struct group, g, &j->groups, of_job) {
		if (touches(job, &g->dispatch))
			dropped += drop_in_group(h, g, job, only_sent);
	}
	return dropped;
}

size_t held_drop(struct held *h, const struct wire_job_runs *jobs, size_t n)
{
	size_t dropped = 0;

	for (size_t i = 0; i < n; i++)
		dropped += drop_job(h, &jobs[i], false);
	return dropped;
}

size_t held_on_answer(struct held *h, const struct wire_answer *x)
{
	size_t refused = 0;

	for (uint32_t i = 0; i < x->n_refused; i++)
		refused += drop_job(h, &x->refused[i], true);
	held_drop(h, x->decided, x->n_decided);
	LIST_EACH (struct entry, e, &h->sent, state) {
		e->offering = false;
		if (held_is_kept(e->result.outcome))
			set_state(h, e, &h->taken);
		else
			drop_entry(h, e);
	}
	return refused;
}

const struct wire_dispatch *held_dispatches(const struct held *h, struct arena *a, uint32_t *ret_n)
{
	struct wire_dispatch *list = arena_new_array(a, struct wire_dispatch, h->groups.count);
	uint32_t n = 0;

	MAP_EACH (&h->groups, e) {
		const struct group *g = e->value;

		if (n < WIRE_MAX_HELD)
			list[n++] = g->dispatch;
	}
	*ret_n = n;
	return list;
}

static void tell_group(const struct group *g, held_fn fn, void *arg)
{
	LIST_EACH (struct entry, e, &g->entries, of_group) {
		if (held_is_kept(e->result.outcome))
			fn(arg, &g->dispatch, g->ticket, &e->result);
	}
}

void held_each(const struct held *h, held_fn fn, void *arg)
{
	MAP_EACH (&h->groups, m) {
		tell_group(m->value, fn, arg);
	}
}

void held_free(struct held *h)
{
	struct list *const lists[] = { &h->fresh, &h->sent, &h->taken };

	if (h == NULL)
		return;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		LIST_EACH (struct entry, e, lists[i], state) {
			drop_entry(h, e);
		}
	}
	map_done(&h->groups, NULL);
	map_done(&h->jobs, NULL);
	mem_free(h);
}

void held_freep(struct held **h)
{
	held_free(*h);
}
