/* job_place.c - which node gets what: eligible nodes, slices, replicas, replacements. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "controller/decide/job_int.h"
#include "controller/decide/pod.h"
#include "doc/doc.h"

enum { FAIR_SLICES = 2, FLOOR_US = 250000, GROWTH = 64, MAX_ORDER_BYTES = 8 << 20, SCAN = 4096 };

/* ---- seats ------------------------------------------------------------------------------ */

static const char *key_of(const struct job *j, const struct fleet_node *n)
{
	switch (j->spec.spread) {
	case JOB_DEVICE:
		return n->device;
	case JOB_OWNER:
		return n->owner;
	case JOB_VENDOR:
		return n->vendor;
	case JOB_ZONE:
		return n->zone;
	case JOB_NODE:
		break;
	}
	return n->name;
}

static uint32_t key_number(struct job *j, const char *key)
{
	uint32_t *number = map_get(&j->keys, key);

	if (number == NULL) {
		number = NEW(uint32_t);
		*number = (uint32_t)j->keys.count + 1;
		map_set(&j->keys, key, number);
	}
	return *number;
}

struct seat *job_seat(struct job *j, uint32_t node)
{
	while (node >= j->n_seats) {
		struct seat *s = NEW(struct seat);

		s->node = fleet_at(j->fleet, j->n_seats);
		s->key = key_number(j, key_of(j, s->node));
		mem_reserve(&j->seats, &j->seats_cap, j->n_seats, sizeof(struct seat *));
		j->seats[j->n_seats++] = s;
	}
	return j->seats[node];
}

struct seat *job_seat_of(struct job *j, const char *node)
{
	const struct fleet_node *n = fleet_get(j->fleet, node);

	return n != NULL ? job_seat(j, n->id) : NULL;
}

/* True if the list holds the word. It is a label's value, which has no commas; no pool's name has
 * what stands for them. */
static bool in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, "._");

		if (n == len && strncmp(at, word, n) == 0)
			return true;
		at += n + (at[n] != '\0');
	}
	return false;
}

uint32_t job_lacks(const struct job *j, const struct fleet_node *n)
{
	uint32_t needs;

	if (j->kernel == NULL)
		return 0;
	needs = wire_kernel_needs(j->kernel, j->spec.iterations);
	/* Without a vote numbers may differ. */
	if (j->rule.agree <= 1)
		needs &= WIRE_NEED_LOOPS64K | WIRE_NEEDS_TO_RUN;
	return fleet_node_lacks(n, needs);
}

static bool is_eligible(const struct job *j, const struct fleet_node *n)
{
	if (!fleet_is_usable(n) || !in_list(j->pools, n->pool))
		return false;
	if (j->spec.node_name != NULL && strcmp(j->spec.node_name, n->name) != 0)
		return false;
	if (job_lacks(j, n) != 0)
		return false;
	return j->where == NULL || expr_predicate_match(j->where, &fleet_caps, n);
}

void job_seats_refresh(struct job *j)
{
	AUTO(mem_freep) uint8_t *seen = NULL;

	if (j->fleet_seen == fleet_version(j->fleet))
		return;
	j->fleet_seen = fleet_version(j->fleet);
	j->n_eligible = 0;
	j->n_eligible_keys = 0;
	for (size_t i = 0; i < fleet_count(j->fleet); i++) {
		struct seat *s = job_seat(j, (uint32_t)i);
		uint32_t key = key_number(j, key_of(j, s->node));

		if (key != s->key)
			s->cursor = 0;
		s->key = key;
		s->eligible = is_eligible(j, s->node);
		j->n_eligible += s->eligible;
	}
	seen = NEW_ARRAY(uint8_t, j->keys.count + 1);
	for (size_t i = 0; i < j->n_seats; i++) {
		if (!j->seats[i]->eligible || seen[j->seats[i]->key])
			continue;
		seen[j->seats[i]->key] = 1;
		j->n_eligible_keys++;
	}
}

/* ---- one round -------------------------------------------------------------------------- */

struct round {
	struct job *j;
	int64_t now_ms;
	int64_t wall_ms;
	struct seat **free; /* owned: seats with a free slot */
	size_t n_free;
	int64_t budget; /* dispatches that may still be made */
};

static bool has_slot(const struct seat *s)
{
	return s->node->running < s->node->slots;
}

/* Take seats without a free slot out of the list; the order stays. */
static void sweep(struct round *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_free; i++)
		if (has_slot(r->free[i]))
			r->free[n++] = r->free[i];
	r->n_free = n;
}

static void find_free(struct round *r)
{
	struct job *j = r->j;

	r->free = NEW_ARRAY(struct seat *, j->n_seats);
	for (size_t i = 0; i < j->n_seats; i++) {
		struct seat *s = j->seats[i];

		if (s->eligible && has_slot(s) && r->now_ms >= s->avoid_ms)
			r->free[r->n_free++] = s;
	}
}

/* The chunks of an order at a node. Chunks that are decided already need no answer. */
static void ask_node(struct job *j, struct dispatch *d, struct slice *s, const struct seat *seat)
{
	for (uint32_t i = 0; i < d->pub.key.n_chunks; i++) {
		uint32_t c = d->pub.key.first_chunk + i;
		struct open *o;

		if (j->states[c] > CHUNK_OPEN) {
			d->done[i / 8] |= (uint8_t)(1 << (i % 8));
			d->left--;
			continue;
		}
		o = job_open(j, c);
		if (o->slice == NULL) {
			o->slice = s;
			s->refs++;
		}
		job_open_try(j, o, seat->node->id, seat->key);
	}
	ASSERT(d->left > 0);
}

/* `at` names slice, replica, attempt and chunks. */
static void dispatch(struct round *r, struct slice *s, struct wire_dispatch at, struct seat *seat)
{
	struct job *j = r->j;
	struct dispatch *d;

	at.slice = s->number;
	at.epoch = j->config.epoch;
	snprintf(at.job_uid, sizeof(at.job_uid), "%s", j->spec.uid);
	d = job_dispatch_new(j, &at, seat->node->id);
	d->slice = s;
	s->refs++;
	fleet_take(j->fleet, seat->node->id);
	d->has_slot = true;
	d->pub.created_wall_ms = r->wall_ms;
	ask_node(j, d, s, seat);
	if (j->config.cluster && j->spec.pods) {
		pod_name(&j->spec, &at, d->pub.pod);
		map_set(&j->by_pod, d->pub.pod, d);
		d->pub.state = JOB_WANTED;
		job_todo(j, d, TODO_CREATE);
	} else {
		d->pub.state = JOB_READY;
		job_todo(j, d, TODO_SEND);
	}
	r->budget--;
	j->dirty = true;
	sweep(r);
}

/* ---- further opinions and replacements -------------------------------------------------- */

enum fitness { NOT_FIT, AGAIN, FRESH };

/* FRESH: neither the node nor its key was asked. AGAIN: only in vain. */
static enum fitness fits_open(const struct open *o, const struct seat *s)
{
	enum fitness fit = FRESH;

	for (size_t i = 0; i < o->n_tries; i++) {
		const struct try *t = &o->tries[i];

		if (t->node != s->node->id && t->key != s->key)
			continue;
		if (t->state == TRY_OUT || t->state == TRY_VOTED)
			return NOT_FIT;
		if (t->state == TRY_LOST)
			fit = AGAIN;
	}
	return fit;
}

/* A node that lost the chunk gets it again only when no other could have it. */
static bool any_fresh(const struct job *j, const struct open *o)
{
	for (size_t i = 0; i < j->n_seats; i++)
		if (j->seats[i]->eligible && fits_open(o, j->seats[i]) == FRESH)
			return true;
	return false;
}

/* How much the seat differs from the nodes that were asked; the more free slots, the better. */
static int64_t worth(const struct round *r, const struct seat *s, const uint32_t *nodes, size_t n)
{
	int64_t v = (int64_t)(s->node->slots - s->node->running);

	for (size_t i = 0; i < n; i++)
		if (strcmp(r->j->seats[nodes[i]]->node->kinds, s->node->kinds) != 0)
			v += 1 << 16;
	return v;
}

static struct seat *pick_for_open(const struct round *r, const struct open *o)
{
	struct seat *best = NULL;
	int64_t best_worth = -1;
	enum fitness need = FRESH;

	for (int round = 0; round < 2 && best == NULL; round++) {
		for (size_t i = 0; i < r->n_free; i++) {
			int64_t v = worth(r, r->free[i], NULL, 0);

			if (fits_open(o, r->free[i]) < need || v <= best_worth)
				continue;
			best = r->free[i];
			best_worth = v;
		}
		need = AGAIN;
		if (best == NULL && any_fresh(r->j, o))
			return NULL;
	}
	return best;
}

static struct open *ask_at(struct job *j, size_t i)
{
	uint32_t chunk = j->asks[(j->asks_first + i) % j->asks_cap];
	struct open *o = j->opens[chunk];

	if (o == NULL || !o->queued || j->states[chunk] != CHUNK_OPEN)
		return NULL;
	return o;
}

static void pop_ask(struct job *j)
{
	uint32_t chunk = j->asks[j->asks_first];

	if (j->opens[chunk] != NULL)
		j->opens[chunk]->queued = false;
	j->asks_first = (j->asks_first + 1) % j->asks_cap;
	j->n_asks--;
}

/* A lost chunk takes its lost neighbours along; a disputed one goes alone. */
static uint32_t ask_run(struct job *j, const struct open *o, const struct seat *s)
{
	enum fitness fit = fits_open(o, s);
	uint32_t n = 1;

	while (!o->disputed && n < j->n_asks && n < WIRE_MAX_SLICE) {
		const struct open *next = ask_at(j, n);

		if (next == NULL || next->chunk != o->chunk + n || next->slice != o->slice ||
		    next->disputed || next->want == 0 || fits_open(next, s) != fit)
			break;
		n++;
	}
	return n;
}

static void answer_ask(struct round *r, struct open *o, struct seat *seat)
{
	struct job *j = r->j;
	uint32_t n = ask_run(j, o, seat);
	struct slice *s = o->slice;
	uint32_t first = o->chunk;

	if (s == NULL)
		s = job_slice_new(j, first, n);
	else
		s->refs++;
	s->next_attempt++;
	dispatch(r, s,
		 (struct wire_dispatch){ .replica = (uint32_t)o->n_tries,
					 .attempt = s->next_attempt,
					 .first_chunk = first,
					 .n_chunks = n },
		 seat);
	job_slice_unref(j, s);
	for (uint32_t i = 0; i < n; i++) {
		struct open *asked = j->opens[first + i];

		pop_ask(j);
		asked->want--;
		if (asked->want > 0)
			job_ask_push(j, asked);
	}
}

static void place_asks(struct round *r)
{
	struct job *j = r->j;
	size_t left = j->n_asks < SCAN ? j->n_asks : SCAN;

	while (left-- > 0 && j->n_asks > 0 && r->n_free > 0 && r->budget > 0) {
		struct open *o = ask_at(j, 0);
		struct seat *seat;

		if (o == NULL || o->want == 0) {
			pop_ask(j);
			continue;
		}
		seat = pick_for_open(r, o);
		if (seat != NULL) {
			answer_ask(r, o, seat);
			continue;
		}
		pop_ask(j);
		job_ask_push(j, o);
	}
}

/* ---- first replicas --------------------------------------------------------------------- */

static bool has_slice(const struct slice *s, const struct seat *seat)
{
	for (uint32_t i = 0; i < s->given; i++)
		if (s->keys[i] == seat->key)
			return true;
	return false;
}

static struct seat *pick_for_slice(const struct round *r, const struct slice *s)
{
	struct seat *best = NULL;
	int64_t best_worth = -1;

	for (size_t i = 0; i < r->n_free; i++) {
		struct seat *seat = r->free[i];
		int64_t v;

		if (seat->cursor > s->number || has_slice(s, seat))
			continue;
		v = worth(r, seat, s->nodes, s->given);
		if (v <= best_worth)
			continue;
		best = seat;
		best_worth = v;
	}
	return best;
}

/* The first replicas have attempt 0, all later ones of the slice others. */
static void give(struct round *r, struct slice *s, struct seat *seat)
{
	const struct job *j = r->j;
	uint32_t replica = s->given;
	uint32_t first = s->first;
	uint32_t end = s->first + s->n;

	s->keys[s->given] = seat->key;
	s->nodes[s->given++] = seat->node->id;
	s->replicas_left--;
	if (s->replicas_left == 0)
		list_remove(&s->needy);
	while (first < end && j->states[first] > CHUNK_OPEN)
		first++;
	while (end > first && j->states[end - 1] > CHUNK_OPEN)
		end--;
	if (first == end)
		return;
	dispatch(r, s,
		 (struct wire_dispatch){
		     .replica = replica, .first_chunk = first, .n_chunks = end - first },
		 seat);
}

static void give_all(struct round *r, struct slice *s)
{
	while (s->replicas_left > 0 && r->n_free > 0 && r->budget > 0) {
		struct seat *seat = pick_for_slice(r, s);

		if (seat == NULL)
			return;
		give(r, s, seat);
	}
}

/* Slices that still need first replicas, in order. Each seat remembers up to which slice there is
 * nothing for it, so that a fast node that runs ahead does not look at all of them again. */
static void place_needy(struct round *r)
{
	struct job *j = r->j;
	struct list_link *start = NULL;
	uint32_t from = UINT32_MAX;

	for (size_t i = 0; i < r->n_free; i++)
		if (r->free[i]->cursor < from)
			from = r->free[i]->cursor;
	for (struct list_link *l = j->needy.last; l != NULL; l = l->prev) {
		if (CONTAINER_OF(l, struct slice, needy)->number < from)
			break;
		start = l;
	}
	while (start != NULL) {
		struct slice *s = CONTAINER_OF(start, struct slice, needy);

		start = start->next;
		give_all(r, s);
		if (r->n_free == 0 || r->budget == 0)
			return;
	}
	/* Whoever is still free has been offered everything. */
	for (size_t i = 0; i < r->n_free; i++)
		r->free[i]->cursor = j->next_slice;
}

static int64_t slots_of_eligible(const struct job *j)
{
	int64_t n = 0;

	for (size_t i = 0; i < j->n_seats; i++)
		n += j->seats[i]->eligible ? j->seats[i]->node->slots : 0;
	return n > 0 ? n : 1;
}

/* Chunks of the next slice: as many as take JOB_SLICE_MS by what was measured, but so that what is
 * left is spread over the slots, unless it is too little to be worth it. */
static uint32_t auto_size(const struct job *j)
{
	double left = (double)(job_undecided(j) - (int64_t)j->n_open) * j->rule.replicas;
	double most = (double)j->most_measured * GROWTH;
	double n;
	double fair;

	if (j->chunk_us <= 0)
		return 1;
	n = JOB_SLICE_MS * 1000.0 / j->chunk_us;
	fair = left / (double)(slots_of_eligible(j) * FAIR_SLICES);
	if (fair < FLOOR_US / j->chunk_us)
		fair = FLOOR_US / j->chunk_us;
	n = n < fair ? n : fair;
	n = n < most ? n : most;
	return n < 1 ? 1 : n > WIRE_MAX_SLICE ? WIRE_MAX_SLICE : (uint32_t)n;
}

static uint32_t slice_size(const struct job *j)
{
	int64_t n = j->spec.chunks_per_slice > 0 ? j->spec.chunks_per_slice : auto_size(j);
	int64_t most = (int64_t)(MAX_ORDER_BYTES / job_params_order_bytes(j->params));

	n = n < most ? n : most;
	n = n < WIRE_MAX_SLICE ? n : WIRE_MAX_SLICE;
	if (j->config.cluster && j->value_bytes > 0) {
		most = (int64_t)(JOB_SLICE_BYTES / j->value_bytes);
		n = n < most ? n : most;
	}
	most = JOB_OPEN_CHUNKS - (int64_t)j->n_open;
	n = n < most ? n : most;
	return n < 1 ? 1 : (uint32_t)n;
}

bool job_has_room(const struct job *j)
{
	uint64_t bytes = ((uint64_t)j->n_open + 1) * j->value_bytes;

	if (!j->config.cluster || bytes <= JOB_SLICE_BYTES)
		return true;
	return bytes < JOB_OPEN_BYTES && fleet_held(j->fleet) < FLEET_HELD_BYTES;
}

static bool may_open(const struct job *j)
{
	return j->open_runs < JOB_OPEN_RUNS && j->n_open < JOB_OPEN_CHUNKS && job_has_room(j);
}

static struct slice *cut(struct job *j)
{
	uint32_t most = slice_size(j);
	uint32_t n = 1;
	struct slice *s;

	while (j->cut_from < j->total && j->states[j->cut_from] != CHUNK_NEW)
		j->cut_from++;
	if (j->cut_from >= j->total)
		return NULL;
	while (n < most && j->cut_from + n < j->total && j->states[j->cut_from + n] == CHUNK_NEW)
		n++;
	s = job_slice_new(j, j->cut_from, n);
	s->replicas_left = (uint32_t)j->rule.replicas;
	list_add(&j->needy, &s->needy);
	j->cut_from += n;
	return s;
}

static void place_new(struct round *r)
{
	struct job *j = r->j;

	while (r->n_free > 0 && r->budget > 0 && may_open(j)) {
		struct slice *s = cut(j);

		if (s == NULL)
			return;
		give_all(r, s);
		ASSERT(s->given > 0);
		/* The chunks hold it now. */
		job_slice_unref(j, s);
	}
}

/* Pods that wait to be created or are being created. */
static int64_t pods_waiting(const struct job *j)
{
	int64_t n = (int64_t)j->pods_creating;

	LIST_EACH (const struct dispatch, d, &j->todo, in_todo) {
		n += (d->todo & TODO_CREATE) != 0;
	}
	return n;
}

/* How many dispatches may be made now. */
static int64_t budget_of(const struct job *j, int64_t now_ms)
{
	int64_t budget = INT64_MAX;

	if (j->spec.parallelism > 0)
		budget = j->spec.parallelism - (int64_t)j->dispatches.count;
	if (!j->config.cluster || !j->spec.pods)
		return budget;
	if (now_ms < j->pod_wait_ms)
		return 0;
	if (budget > (int64_t)j->pod_window - pods_waiting(j))
		budget = (int64_t)j->pod_window - pods_waiting(j);
	return budget;
}

void job_place(struct job *j, int64_t now_ms, int64_t wall_ms)
{
	struct round r = { .j = j, .now_ms = now_ms, .wall_ms = wall_ms };

	job_seats_refresh(j);
	if (fleet_is_paused(j->fleet) || j->n_eligible == 0)
		return;
	/* Nothing goes out before the start is on record: from then on the spec is fixed, and a
	 * successor knows what the pods that it finds are about. */
	if (j->config.cluster && !doc_has(j->base, "startTime"))
		return;
	r.budget = budget_of(j, now_ms);
	if (r.budget <= 0)
		return;
	find_free(&r);
	if (r.n_free > 0)
		place_asks(&r);
	if (r.n_free > 0 && r.budget > 0)
		place_needy(&r);
	if (r.n_free > 0 && r.budget > 0)
		place_new(&r);
	mem_free(r.free);
}
