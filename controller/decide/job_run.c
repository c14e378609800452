/* job_run.c - dispatches: from the first pod to the last result. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "controller/decide/job_int.h"
#include "controller/decide/pod.h"

enum { KEY_TEXT = 64 };

static const char *key_text(const struct wire_dispatch *d, char text[KEY_TEXT])
{
	snprintf(text, KEY_TEXT, "%llx.%x.%x.%x", (unsigned long long)d->epoch, d->slice,
		 d->replica, d->attempt);
	return text;
}

/* ---- slices ----------------------------------------------------------------------------- */

struct slice *job_slice_new(struct job *j, uint32_t first, uint32_t n)
{
	struct slice *s = NEW(struct slice);

	s->number = j->next_slice++;
	s->first = first;
	s->n = n;
	s->refs = 1;
	return s;
}

void job_slice_unref(struct job *j, struct slice *s)
{
	(void)j;
	if (s == NULL)
		return;
	ASSERT(s->refs > 0);
	s->refs--;
	if (s->refs > 0)
		return;
	list_remove(&s->needy);
	mem_free(s);
}

void job_purge(struct job *j)
{
	LIST_EACH (struct slice, s, &j->needy, needy) {
		s->replicas_left = 0;
		list_remove(&s->needy);
	}
	job_open_drop_all(j);
	j->n_asks = 0;
}

/* ---- dispatches ------------------------------------------------------------------------- */

struct dispatch *job_dispatch_find(struct job *j, const struct wire_dispatch *key)
{
	char text[KEY_TEXT];
	struct dispatch *d = map_get(&j->by_key, key_text(key, text));

	if (d == NULL || d->pub.key.first_chunk != key->first_chunk ||
	    d->pub.key.n_chunks != key->n_chunks)
		return NULL;
	return d;
}

struct dispatch *job_dispatch_new(struct job *j, const struct wire_dispatch *key, uint32_t node)
{
	struct dispatch *d = NEW(struct dispatch);
	struct seat *seat = job_seat(j, node);
	char text[KEY_TEXT];

	d->pub.key = *key;
	d->pub.node = mem_strdup(seat->node->name);
	d->pub.pod_uid = mem_strdup("");
	d->pub.reason = "";
	d->node = node;
	d->key = seat->key;
	d->left = key->n_chunks;
	d->done = NEW_ARRAY(uint8_t, key->n_chunks / 8 + 1);
	ASSERT(map_set(&j->by_key, key_text(key, text), d) == NULL);
	list_add(&j->dispatches, &d->in_all);
	list_add(&seat->dispatches, &d->in_seat);
	return d;
}

static void free_text(const char *s)
{
	char *owned;

	memcpy(&owned, &s, sizeof(owned));
	mem_free(owned);
}

void job_dispatch_uid(struct dispatch *d, const char *uid)
{
	free_text(d->pub.pod_uid);
	d->pub.pod_uid = mem_strdup(uid);
}

void job_dispatch_free(struct job *j, struct dispatch *d)
{
	char text[KEY_TEXT];

	if (map_get(&j->by_key, key_text(&d->pub.key, text)) == d)
		map_remove(&j->by_key, text);
	if (d->pub.pod[0] != '\0' && map_get(&j->by_pod, d->pub.pod) == d)
		map_remove(&j->by_pod, d->pub.pod);
	list_remove(&d->in_todo);
	list_remove(&d->in_all);
	list_remove(&d->in_seat);
	list_remove(&d->in_short);
	if (d->has_slot)
		fleet_give(j->fleet, d->node);
	job_slice_unref(j, d->slice);
	free_text(d->pub.node);
	free_text(d->pub.pod_uid);
	mem_free(d->done);
	mem_free(d);
}

/* Not looked for any more; freed when no plan can point to it. */
void job_bury(struct job *j, struct dispatch *d)
{
	char text[KEY_TEXT];

	if (map_get(&j->by_key, key_text(&d->pub.key, text)) == d)
		map_remove(&j->by_key, text);
	if (d->pub.pod[0] != '\0' && map_get(&j->by_pod, d->pub.pod) == d)
		map_remove(&j->by_pod, d->pub.pod);
	list_remove(&d->in_all);
	list_add(&j->grave, &d->in_all);
}

void job_todo(struct job *j, struct dispatch *d, unsigned what)
{
	d->todo |= what;
	if (!list_has(&d->in_todo))
		list_add(&j->todo, &d->in_todo);
}

static bool is_done(const struct dispatch *d, uint32_t at)
{
	return (d->done[at / 8] >> (at % 8) & 1) != 0;
}

void job_dispatch_finish(struct job *j, struct dispatch *d, bool failed, const char *reason)
{
	ASSERT(d->pub.state != JOB_FINISHED);
	if (d->has_slot)
		fleet_give(j->fleet, d->node);
	d->has_slot = false;
	d->pub.state = JOB_FINISHED;
	d->pub.failed = failed;
	d->pub.reason = reason;
	j->tend_soon = true;
	d->finished_ms = j->now_ms;
	d->pub.finished_wall_ms = j->now_ms + j->wall_offset_ms;
	d->todo &= ~(unsigned)(TODO_CREATE | TODO_SEND | TODO_RUNNING);
	list_remove(&d->in_all);
	list_remove(&d->in_seat);
	list_remove(&d->in_short);
	if (d->pod_exists || d->pod_creating)
		list_add(&j->history, &d->in_all);
	else
		job_bury(j, d);
}

void job_dispatch_stop(struct job *j, struct dispatch *d, bool lost, const char *reason)
{
	bool first = true;

	if (d->pub.state == JOB_SENT || d->pub.state == JOB_RECOVERED)
		job_todo(j, d, TODO_CANCEL);
	for (uint32_t i = 0; i < d->pub.key.n_chunks; i++) {
		struct open *o = j->opens[d->pub.key.first_chunk + i];

		if (is_done(d, i))
			continue;
		d->done[i / 8] |= (uint8_t)(1 << (i % 8));
		d->left--;
		if (o == NULL)
			continue;
		/* An agent runs chunks in order: the first without a result was running. */
		if (lost && first && d->pub.state == JOB_SENT)
			job_open_vanish(j, o, d->node);
		first = false;
		job_open_lose(j, o, d->node, lost ? TRY_LOST : TRY_STOPPED);
	}
	job_dispatch_finish(j, d, true, reason);
	if (!lost && (d->pod_exists || d->pod_creating))
		job_todo(j, d, TODO_DELETE);
}

void job_stop_all(struct job *j, const char *reason)
{
	LIST_EACH (struct dispatch, d, &j->dispatches, in_all) {
		job_dispatch_stop(j, d, false, reason);
	}
}

bool job_late_check(struct job *j, int64_t now_ms)
{
	bool any = false;

	if (now_ms < j->next_late_ms)
		return false;
	j->next_late_ms = INT64_MAX;
	LIST_EACH (struct dispatch, d, &j->dispatches, in_all) {
		if (d->late_ms == 0)
			continue;
		if (now_ms >= d->late_ms) {
			job_dispatch_stop(j, d, true,
					  d->pub.state == JOB_RECOVERED ? "NodeLost" : "Late");
			any = true;
		} else if (d->late_ms < j->next_late_ms) {
			j->next_late_ms = d->late_ms;
		}
	}
	return any;
}

void job_late_at(struct job *j, struct dispatch *d, int64_t at_ms)
{
	d->late_ms = at_ms;
	if (at_ms < j->next_late_ms)
		j->next_late_ms = at_ms;
}

static int64_t limit_ms(const struct job *j, const struct dispatch *d)
{
	return (int64_t)d->pub.key.n_chunks * j->spec.chunk_timeout_ms + JOB_LATE_MS;
}

/* A job read from its status that has chunks in this pod that are undecided. */
void job_recover(struct job *j, struct dispatch *d, const struct pod_record *r)
{
	const struct wire_dispatch *k = &r->dispatch;

	d->pub.state = JOB_RECOVERED;
	d->pub.sent_wall_ms = r->created_wall_ms;
	for (uint32_t i = 0; i < k->n_chunks; i++) {
		uint32_t c = k->first_chunk + i;

		if (j->states[c] > CHUNK_OPEN) {
			d->done[i / 8] |= (uint8_t)(1 << (i % 8));
			d->left--;
			continue;
		}
		job_open_try(j, job_open(j, c), d->node, d->key);
		j->counts.asked--;
	}
	if (!r->finished && fleet_get(j->fleet, r->node) != NULL) {
		fleet_take(j->fleet, d->node);
		d->has_slot = true;
	}
	job_late_at(j, d, j->recover_until_ms);
}

void job_on_sent(struct job *j, const struct wire_dispatch *key, bool sent, int64_t now_ms,
		 int64_t wall_ms)
{
	struct dispatch *d = job_dispatch_find(j, key);

	j->now_ms = now_ms;
	if (job_is_probe(key))
		job_probe_sent(j, key, sent);
	if (d == NULL || d->pub.state != JOB_READY)
		return;
	if (!sent) {
		job_dispatch_stop(j, d, false, "NoSession");
		return;
	}
	d->pub.state = JOB_SENT;
	d->pub.sent_wall_ms = wall_ms;
	job_late_at(j, d, now_ms + limit_ms(j, d));
	if (d->pod_exists)
		list_add(&j->short_runs, &d->in_short);
	j->tend_soon = true;
	j->dirty = true;
}

/* ---- results ---------------------------------------------------------------------------- */

/* The framed values have the sizes that this chunk's outputs must have, are canonical, and are
 * what the digest says. */
static bool values_fit(struct job *j, const struct wire_result *r)
{
	const unsigned char *bytes = r->values;
	struct hash_digest digest;
	struct err err = { 0 };
	uint64_t at = 0;

	if (bytes == NULL && r->values_size > 0)
		return false;
	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		size_t entry = job_params_output(j->params, i);
		uint64_t n;
		uint64_t size;

		if (j->outputs[entry].reduce == VOTE_DISCARD)
			continue;
		if (job_params_elements(j->params, r->chunk, i, &n, &err) < 0)
			return false;
		size = vote_shape_bytes(j->shapes[entry], n);
		if (r->values_size - at < 8 || num_get_u64(bytes + at) != size ||
		    r->values_size - at - 8 < size)
			return false;
		if (!vote_is_canonical(j->shapes[entry], bytes + at + 8, (size_t)size))
			return false;
		at += 8 + size;
	}
	if (at != r->values_size)
		return false;
	hash_bytes(bytes, (size_t)at, &digest);
	return memcmp(digest.bytes, r->digest, sizeof(digest.bytes)) == 0;
}

static void measure(struct job *j, const struct dispatch *d, const struct wire_result *r)
{
	double us = (double)r->elapsed_us;

	if (r->outcome != WIRE_OK)
		return;
	if (us < 1)
		us = 1;
	j->chunk_us = j->chunk_us > 0 ? j->chunk_us * 0.9 + us * 0.1 : us;
	if (d->pub.key.n_chunks > j->most_measured)
		j->most_measured = d->pub.key.n_chunks;
}

/* A node that cannot run it is left alone for a while, twice as long each time. */
static void avoid(struct job *j, struct seat *seat)
{
	seat->avoid_for_ms = seat->avoid_for_ms > 0 ? seat->avoid_for_ms * 2 : 1000;
	if (seat->avoid_for_ms > 60000)
		seat->avoid_for_ms = 60000;
	seat->avoid_ms = j->now_ms + seat->avoid_for_ms;
}

/* It has run a chunk. */
static void forgive(struct job *j, struct seat *seat)
{
	seat->avoid_for_ms = 0;
	if (j->refuser == seat->node)
		j->refuser = NULL;
}

static void note_refusal(struct job *j, const struct seat *seat, const struct wire_result *r)
{
	if (r->message == NULL || r->message[0] == '\0')
		return;
	j->refuser = seat->node;
	snprintf(j->refusal, sizeof(j->refusal), "%s", r->message);
	text_defuse(j->refusal);
}

static void take_loss(struct job *j, struct open *o, struct seat *seat, const struct wire_result *r)
{
	uint32_t chunk = o->chunk;

	if (r->outcome == WIRE_CRASHED || r->outcome == WIRE_TIMED_OUT)
		job_open_crash(j, o, 1,
			       r->outcome == WIRE_CRASHED ? "the runner crashed"
							  : "it ran out of time");
	if (r->outcome == WIRE_REFUSED || r->outcome == WIRE_DEVICE_LOST) {
		avoid(j, seat);
		note_refusal(j, seat, r);
	}
	if (j->opens[chunk] == o)
		job_open_lose(j, o, seat->node->id,
			      r->outcome == WIRE_CANCELLED ? TRY_STOPPED : TRY_LOST);
}

static const char *ending_of(const struct dispatch *d, enum wire_outcome last)
{
	if (!d->pub.failed)
		return "Completed";
	return last == WIRE_OK ? "Incomplete" : wire_outcome_name(last);
}

/* Mark the chunk as answered. False: it was already, or nobody waits for it. */
static bool tick(struct job *j, struct dispatch *d, const struct wire_result *r)
{
	uint32_t at;

	if (d == NULL || d->pub.state == JOB_FINISHED)
		return false;
	at = r->chunk - d->pub.key.first_chunk;
	if (is_done(d, at))
		return false;
	d->done[at / 8] |= (uint8_t)(1 << (at % 8));
	d->left--;
	if (!wire_outcome_is_vote(r->outcome)) {
		d->pub.failed = true;
		snprintf(d->pub.message, sizeof(d->pub.message), "chunk %u: %s", r->chunk,
			 r->message != NULL ? r->message : "");
		text_defuse(d->pub.message);
	}
	measure(j, d, r);
	return true;
}

static enum job_take take(struct job *j, struct seat *seat, struct dispatch *d, bool answers,
			  const struct wire_result *r)
{
	struct open *o = j->opens[r->chunk];
	bool vote = wire_outcome_is_vote(r->outcome);

	if (j->states[r->chunk] == CHUNK_NEW && vote) {
		o = job_open(j, r->chunk);
		o->offered = true;
	}
	if (!vote && o != NULL && answers)
		take_loss(j, o, seat, r);
	/* A loss is kept like a vote: a successor has to hear of it. */
	if (!vote || o == NULL)
		return j->states[r->chunk] >= CHUNK_ACCEPTED ? JOB_TAKE_DECIDED : JOB_TAKE_KEEP;
	if (r->outcome == WIRE_OK && j->states[r->chunk] == CHUNK_OPEN && !values_fit(j, r)) {
		j->counts.mismatched++;
		seat->mismatched++;
		avoid(j, seat);
		if (d != NULL)
			d->pub.failed = true;
		if (answers)
			job_open_lose(j, o, seat->node->id, TRY_LOST);
		else
			job_judge(j, o);
		return JOB_TAKE_WRONG;
	}
	if (d == NULL || d->pub.key.epoch != j->config.epoch)
		o->offered = true;
	forgive(j, seat);
	job_open_vote(j, o, seat->node->id, answers, r);
	if (d != NULL && j->opens[r->chunk] != NULL && j->opens[r->chunk]->disputed)
		d->pub.disputed = true;
	return j->states[r->chunk] >= CHUNK_ACCEPTED ? JOB_TAKE_DECIDED : JOB_TAKE_KEEP;
}

enum job_take job_take_result(struct job *j, const char *node, const struct wire_dispatch *key,
			      const struct wire_result *r)
{
	struct seat *seat = job_seat_of(j, node);
	struct dispatch *d = job_dispatch_find(j, key);
	enum job_take ret = JOB_TAKE_DECIDED;
	bool answers;

	if (seat == NULL || r->chunk < key->first_chunk ||
	    r->chunk - key->first_chunk >= key->n_chunks || r->chunk >= j->total ||
	    (d != NULL && d->node != seat->node->id))
		return JOB_TAKE_WRONG;
	answers = tick(j, d, r);
	if (j->phase == PHASE_RUNNING && !j->suspended)
		ret = take(j, seat, d, answers, r);
	else if (j->phase < PHASE_ENDED && !j->suspended)
		ret = j->states[r->chunk] >= CHUNK_ACCEPTED ? JOB_TAKE_DECIDED : JOB_TAKE_KEEP;
	if (d != NULL && d->pub.state != JOB_FINISHED && d->left == 0)
		job_dispatch_finish(j, d, d->pub.failed, ending_of(d, r->outcome));
	return ret;
}

/* ---- sessions --------------------------------------------------------------------------- */

static bool is_listed(const struct wire_dispatch *key, const struct wire_dispatch *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].epoch == key->epoch && list[i].slice == key->slice &&
		    list[i].replica == key->replica && list[i].attempt == key->attempt &&
		    strcmp(list[i].job_uid, key->job_uid) == 0)
			return true;
	return false;
}

/* It has something of ours that no pod told of: it was asked, so it counts; or it is to stop. */
static void adopt(struct job *j, struct seat *seat, const struct wire_dispatch *key)
{
	struct dispatch *d;

	if (job_is_probe(key) || key->n_chunks == 0 ||
	    (int64_t)key->first_chunk + key->n_chunks > j->total)
		return;
	d = job_dispatch_new(j, key, seat->node->id);
	if (j->suspended || j->deleted || j->phase >= PHASE_ENDING) {
		d->pub.state = JOB_SENT;
		job_dispatch_stop(j, d, false, "Stopped");
		return;
	}
	job_recover(j, d, &(struct pod_record){ .dispatch = *key, .node = seat->node->name });
	d->pub.state = JOB_SENT;
	d->listed = true;
	job_late_at(j, d, j->now_ms + limit_ms(j, d));
	if (d->left == 0)
		job_dispatch_stop(j, d, false, "Completed");
}

void job_on_node_listed(struct job *j, const char *node, const struct wire_dispatch *alive,
			size_t n, int64_t now_ms)
{
	struct seat *seat = job_seat_of(j, node);

	j->now_ms = now_ms;
	if (seat == NULL || j->states == NULL)
		return;
	seat->listed = true;
	seat->offered = false;
	LIST_EACH (struct dispatch, d, &seat->dispatches, in_seat) {
		bool here = is_listed(&d->pub.key, alive, n);

		d->listed = here;
		if (here && d->pub.state == JOB_RECOVERED) {
			d->pub.state = JOB_SENT;
			job_late_at(j, d, now_ms + limit_ms(j, d));
		} else if (!here && (d->pub.state == JOB_SENT || d->pub.state == JOB_RECOVERED)) {
			job_dispatch_stop(j, d, true, "NodeRestarted");
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (strcmp(alive[i].job_uid, j->spec.uid) != 0 ||
		    job_dispatch_find(j, &alive[i]) != NULL)
			continue;
		adopt(j, seat, &alive[i]);
	}
}

void job_take_offered(struct job *j, const char *node, const struct wire_dispatch *running,
		      size_t n)
{
	struct seat *seat = job_seat_of(j, node);

	if (seat == NULL || j->states == NULL)
		return;
	seat->offered = true;
	LIST_EACH (struct dispatch, d, &seat->dispatches, in_seat) {
		bool old = d->pub.state == JOB_RECOVERED || d->pub.state == JOB_SENT;

		/* What was sent in this session stood in no list and runs. */
		if (old && d->listed && !is_listed(&d->pub.key, running, n))
			job_dispatch_stop(j, d, true, "NodeRestarted");
	}
}

void job_on_node_lost(struct job *j, const char *node, int64_t now_ms)
{
	struct seat *seat = job_seat_of(j, node);

	j->now_ms = now_ms;
	if (seat == NULL || j->states == NULL)
		return;
	seat->listed = false;
	seat->offered = false;
	LIST_EACH (struct dispatch, d, &seat->dispatches, in_seat) {
		if (d->pub.state == JOB_RECOVERED && now_ms < j->recover_until_ms)
			continue;
		job_dispatch_stop(j, d, d->pub.state != JOB_WANTED && d->pub.state != JOB_READY,
				  "NodeLost");
	}
}
