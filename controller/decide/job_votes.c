/* job_votes.c - open chunks: who was asked, who said what, and what that decides. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "controller/decide/job_int.h"

static void ballot_done(struct job *j, struct ballot *b)
{
	fleet_drop(j->fleet, b->len);
	mem_free(b->values);
	b->values = NULL;
	b->len = 0;
}

static bool runs_on(const struct job *j, int64_t chunk)
{
	return chunk >= 0 && chunk < j->total && j->states[chunk] >= CHUNK_OPEN &&
	       j->states[chunk] <= CHUNK_BAD;
}

/* The number of runs of open chunks follows from the neighbours of the one that changes. */
static void count_open(struct job *j, uint32_t chunk, int by)
{
	int joins = runs_on(j, (int64_t)chunk - 1) + runs_on(j, (int64_t)chunk + 1);

	j->n_open = (uint32_t)((int)j->n_open + by);
	j->open_runs = (uint32_t)((int)j->open_runs + by * (1 - joins));
}

struct open *job_open(struct job *j, uint32_t chunk)
{
	struct open *o = j->opens[chunk];

	if (o != NULL)
		return o;
	ASSERT(j->states[chunk] == CHUNK_NEW);
	o = NEW(struct open);
	o->chunk = chunk;
	j->opens[chunk] = o;
	count_open(j, chunk, 1);
	j->states[chunk] = CHUNK_OPEN;
	return o;
}

void job_open_free(struct job *j, struct open *o)
{
	uint32_t chunk = o->chunk;

	list_remove(&o->link);
	for (size_t i = 0; i < o->n_votes; i++)
		ballot_done(j, &o->ballots[i]);
	if (o->disputed && j->states[chunk] == CHUNK_OPEN)
		j->n_disputed--;
	job_slice_unref(j, o->slice);
	mem_free(o->votes);
	mem_free(o->ballots);
	mem_free(o->tries);
	mem_free(o);
	j->opens[chunk] = NULL;
}

/* Forget an undecided chunk: it is as new. */
static void drop(struct job *j, struct open *o)
{
	uint32_t chunk = o->chunk;

	job_open_free(j, o);
	j->states[chunk] = CHUNK_NEW;
	count_open(j, chunk, -1);
	if (chunk < j->cut_from)
		j->cut_from = chunk;
}

void job_open_drop_all(struct job *j)
{
	if (j->states == NULL)
		return;
	for (int64_t c = 0; c < j->total; c++)
		if (j->states[c] == CHUNK_OPEN)
			drop(j, j->opens[c]);
}

static struct try *find_try(struct open *o, uint32_t node, enum try_state state)
{
	for (size_t i = 0; i < o->n_tries; i++)
		if (o->tries[i].node == node && (state == 0 || o->tries[i].state == state))
			return &o->tries[i];
	return NULL;
}

void job_open_try(struct job *j, struct open *o, uint32_t node, uint32_t key)
{
	struct try *t = find_try(o, node, TRY_LOST);

	if (t == NULL)
		t = find_try(o, node, TRY_STOPPED);
	if (t == NULL) {
		mem_reserve(&o->tries, &o->tries_cap, o->n_tries, sizeof(*o->tries));
		t = &o->tries[o->n_tries++];
	}
	*t = (struct try){ .node = node, .key = key, .state = TRY_OUT };
	o->outstanding++;
	j->counts.asked++;
}

void job_ask_push(struct job *j, struct open *o)
{
	if (o->queued)
		return;
	if (j->n_asks == j->asks_cap) {
		size_t cap = j->asks_cap > 0 ? j->asks_cap * 2 : 64;
		uint32_t *ring = NEW_ARRAY(uint32_t, cap);

		for (size_t i = 0; i < j->n_asks; i++)
			ring[i] = j->asks[(j->asks_first + i) % j->asks_cap];
		mem_free(j->asks);
		j->asks = ring;
		j->asks_cap = cap;
		j->asks_first = 0;
	}
	j->asks[(j->asks_first + j->n_asks++) % j->asks_cap] = o->chunk;
	o->queued = true;
}

/* ---- decisions -------------------------------------------------------------------------- */

/* Supporters and rivals of the winner, as counts of the job and of their nodes. */
static void count_votes(struct job *j, const struct open *o)
{
	for (size_t i = 0; i < o->n_votes; i++) {
		struct seat *seat = job_seat(j, o->ballots[i].node);

		if (vote_same(&o->votes[i], &o->votes[o->winner])) {
			j->counts.agreed++;
			seat->agreed++;
		} else {
			j->counts.mismatched++;
			seat->mismatched++;
		}
	}
}

/* Decided: out of the way of everything that looks for undecided chunks. */
static void settle(struct job *j, struct open *o, enum chunk_state state)
{
	if (o->disputed)
		j->n_disputed--;
	if (o->held)
		list_remove(&o->link);
	o->held = false;
	o->want = 0;
	j->states[o->chunk] = (uint8_t)state;
	list_add(&j->unwritten, &o->link);
	j->dirty = true;
}

static void fail_chunk(struct job *j, struct open *o, const char *reason, const char *fmt, ...)
    PRINTF_LIKE(4, 5);

static void fail_chunk(struct job *j, struct open *o, const char *reason, const char *fmt, ...)
{
	struct buf text = { .max = 500 };
	char message[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	buf_note(&text, "chunk %u: %s", o->chunk, message);
	o->reason = reason;
	settle(j, o, CHUNK_BAD);
	ranges_add_one(&j->failed, o->chunk);
	j->counts.failed++;
	job_event(j, true, reason, "%s", buf_str(&text));
	if (j->counts.failed > j->spec.max_failed)
		job_end(j, true, reason, "%s", buf_str(&text));
	buf_done(&text);
}

/* The bytes of one output within the framed values: u64 length, bytes, in binding order. */
int job_fold(struct job *j, const struct open *o, struct err *err)
{
	const struct ballot *b = &o->ballots[o->winner];
	size_t at = 0;

	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		size_t entry = job_params_output(j->params, i);
		uint64_t len;

		if (j->outputs[entry].reduce == VOTE_DISCARD)
			continue;
		ASSERT(at + 8 <= b->len);
		len = num_get_u64(b->values + at);
		ASSERT(len <= b->len - at - 8);
		if (j->outputs[entry].reduce != VOTE_NONE &&
		    vote_reduce_add(j->reduction, entry, o->chunk,
				    job_params_first(j->params, o->chunk, i), b->values + at + 8,
				    (size_t)len, err) < 0)
			return err_wrap(err, "chunk %u: output %s", o->chunk,
					j->outputs[entry].name);
		at += 8 + (size_t)len;
	}
	return 0;
}

static void accept(struct job *j, struct open *o)
{
	struct err err = { 0 };

	if (job_fold(j, o, &err) < 0) {
		job_end(j, true, "ManifestInvalid", "%s", err.text);
		return;
	}
	settle(j, o, CHUNK_READY);
	ranges_add_one(&j->accepted, o->chunk);
	j->counts.accepted++;
	if (j->rule.agree <= 1)
		j->counts.unverified++;
	count_votes(j, o);
	for (size_t i = 0; i < o->n_votes; i++)
		if (i != o->winner)
			ballot_done(j, &o->ballots[i]);
}

/* A decision that would make one range too many waits for a gap to close. */
static void accept_held(struct job *j)
{
	bool again = true;

	while (again) {
		again = false;
		LIST_EACH (struct open, o, &j->held, link) {
			if (ranges_count_with(&j->accepted, o->chunk) > RANGES_MAX)
				continue;
			accept(j, o);
			again = j->phase == PHASE_RUNNING;
		}
	}
}

static void accept_or_hold(struct job *j, struct open *o, size_t winner)
{
	o->winner = winner;
	if (ranges_count_with(&j->accepted, o->chunk) > RANGES_MAX) {
		if (!o->held)
			list_add(&j->held, &o->link);
		o->held = true;
		return;
	}
	accept(j, o);
	if (j->held.count > 0)
		accept_held(j);
}

static const char *failure_reason(int outcome)
{
	return outcome == WIRE_ITERATION_LIMIT ? "IterationLimit" : "KernelInvalid";
}

static void fail_by_vote(struct job *j, struct open *o, const struct vote_decision *d)
{
	o->winner = d->winner;
	count_votes(j, o);
	if (d->failure == WIRE_ITERATION_LIMIT)
		fail_chunk(j, o, failure_reason(d->failure),
			   "a loop ran longer than limits.iterationsPerInvocation (%llu) allows",
			   (unsigned long long)j->spec.iterations);
	else
		fail_chunk(j, o, failure_reason(d->failure),
			   "the kernel does not compile on the nodes, although the controller's "
			   "front end took it");
}

/* The slice's own first dispatches that are still to come are not asked for twice. */
static void ask(struct job *j, struct open *o, int n)
{
	uint32_t coming = o->slice != NULL ? o->slice->replicas_left : 0;

	o->want = n > (int)coming ? (uint32_t)n - coming : 0;
	if (o->want > 0)
		job_ask_push(j, o);
}

void job_judge(struct job *j, struct open *o)
{
	struct vote_decision d;
	int outstanding = (int)o->outstanding;

	if (j->phase != PHASE_RUNNING || j->states[o->chunk] != CHUNK_OPEN)
		return;
	/* Without pods nobody knows which old attempts there were: any may still come. */
	if (j->recovering && o->offered)
		outstanding++;
	d = vote_agree(&j->rule, o->votes, o->n_votes, outstanding);
	if (d.disputed && !o->disputed) {
		o->disputed = true;
		j->n_disputed++;
		j->dirty = true;
	}
	switch (d.verdict) {
	case VOTE_WAIT:
		o->want = 0;
		break;
	case VOTE_ACCEPT:
		accept_or_hold(j, o, d.winner);
		break;
	case VOTE_FAIL:
		fail_by_vote(j, o, &d);
		break;
	case VOTE_ASK:
		ask(j, o, d.ask);
		break;
	case VOTE_NO_AGREEMENT:
		j->counts.mismatched += (int64_t)o->n_votes;
		fail_chunk(j, o, "NoAgreement",
			   "%zu results and no %d of them agree (verify.maxReplicas: %d)",
			   o->n_votes, j->rule.agree, j->rule.max_replicas);
		break;
	}
}

void job_judge_all(struct job *j)
{
	if (j->n_open == 0)
		return;
	for (int64_t c = 0; c < j->total && j->phase == PHASE_RUNNING; c++)
		if (j->states[c] == CHUNK_OPEN)
			job_judge(j, j->opens[c]);
}

/* ---- what comes in ---------------------------------------------------------------------- */

/* The attempt of this node is over; a chunk that is in the status is forgotten with its last. */
static void end_try(struct job *j, struct open *o, uint32_t node, enum try_state how)
{
	struct try *t = find_try(o, node, TRY_OUT);

	if (t == NULL)
		return;
	t->state = how;
	ASSERT(o->outstanding > 0);
	o->outstanding--;
	if (o->outstanding == 0 && j->states[o->chunk] >= CHUNK_ACCEPTED)
		job_open_free(j, o);
}

void job_open_lose(struct job *j, struct open *o, uint32_t node, enum try_state how)
{
	uint32_t chunk = o->chunk;

	if (how == TRY_LOST) {
		j->counts.lost++;
		job_seat(j, node)->lost++;
		j->dirty = true;
	}
	end_try(j, o, node, how);
	if (j->states[chunk] == CHUNK_OPEN)
		job_judge(j, o);
}

void job_open_crash(struct job *j, struct open *o, uint32_t n, const char *what)
{
	if (j->states[o->chunk] != CHUNK_OPEN || j->phase != PHASE_RUNNING)
		return;
	o->crashes += n;
	if (o->crashes > (uint32_t)j->spec.backoff_limit)
		fail_chunk(j, o, "ChunkFailed", "%s %u times (backoffLimitPerChunk: %lld)", what,
			   o->crashes, (long long)j->spec.backoff_limit);
}

void job_open_vanish(struct job *j, struct open *o, uint32_t node)
{
	for (uint32_t i = 0; i < o->n_vanished && i < MAX_VANISHED; i++)
		if (o->vanished[i] == node)
			return;
	if (o->n_vanished < MAX_VANISHED)
		o->vanished[o->n_vanished] = node;
	o->n_vanished++;
	/* With the third node all three count, from then on each one more. */
	if (o->n_vanished == MAX_VANISHED)
		job_open_crash(j, o, MAX_VANISHED, "its node vanished while it ran");
	else if (o->n_vanished > MAX_VANISHED)
		job_open_crash(j, o, 1, "its node vanished while it ran");
}

/* A result for a chunk that is decided already says something about its node only. */
static void count_late(struct job *j, const struct open *o, uint32_t node, const struct vote *v)
{
	struct seat *seat = job_seat(j, node);

	if (o->n_votes == 0 || o->reason != NULL)
		return;
	if (vote_same(v, &o->votes[o->winner])) {
		j->counts.agreed++;
		seat->agreed++;
	} else {
		j->counts.mismatched++;
		seat->mismatched++;
	}
	j->dirty = true;
}

static void add_vote(struct job *j, struct open *o, uint32_t node, const struct vote *v,
		     const struct wire_result *r)
{
	bool known = false;
	size_t mine = 0;
	struct ballot *b;

	for (size_t i = 0; i < o->n_votes; i++) {
		bool same = vote_same(&o->votes[i], v);

		mine += o->ballots[i].node == node;
		if (same && o->ballots[i].node == node)
			return;
		known = known || same;
	}
	if (mine >= MAX_PER_NODE || o->n_votes >= VOTE_MAX_VOTES)
		return;
	mem_reserve(&o->votes, &o->votes_cap, o->n_votes, sizeof(*o->votes));
	mem_reserve(&o->ballots, &o->ballots_cap, o->n_votes, sizeof(*o->ballots));
	b = &o->ballots[o->n_votes];
	*b = (struct ballot){ .node = node };
	if (!known && r->outcome == WIRE_OK) {
		b->values = mem_dup(r->values, (size_t)r->values_size);
		b->len = (size_t)r->values_size;
		fleet_hold(j->fleet, b->len);
	}
	o->votes[o->n_votes++] = *v;
}

/* Who has voted is not asked again. */
static void note_voter(struct open *o, uint32_t node, uint32_t key)
{
	struct try *t = find_try(o, node, 0);

	if (t == NULL) {
		mem_reserve(&o->tries, &o->tries_cap, o->n_tries, sizeof(*o->tries));
		t = &o->tries[o->n_tries++];
		*t = (struct try){ .node = node, .key = key, .state = TRY_VOTED };
	}
	if (t->state != TRY_OUT)
		t->state = TRY_VOTED;
}

void job_open_vote(struct job *j, struct open *o, uint32_t node, bool answers,
		   const struct wire_result *r)
{
	uint32_t key = job_seat(j, node)->key;
	struct vote v = { .key = key };
	bool undecided = j->states[o->chunk] == CHUNK_OPEN;

	if (r->outcome == WIRE_OK)
		memcpy(v.digest.bytes, r->digest, sizeof(v.digest.bytes));
	else
		v.failure = (int)r->outcome;
	if (undecided) {
		add_vote(j, o, node, &v, r);
		note_voter(o, node, key);
	} else if (answers) {
		count_late(j, o, node, &v);
	}
	if (answers)
		end_try(j, o, node, TRY_VOTED);
	if (undecided)
		job_judge(j, o);
}

void job_open_close(struct job *j, struct open *o, enum chunk_state state)
{
	uint32_t chunk = o->chunk;

	ASSERT(j->states[chunk] >= CHUNK_OPEN && j->states[chunk] <= CHUNK_BAD);
	if (o->disputed && j->states[chunk] == CHUNK_OPEN)
		j->n_disputed--;
	list_remove(&o->link);
	o->writing = false;
	o->held = false;
	o->want = 0;
	ranges_add_one(&j->decided, chunk);
	j->states[chunk] = (uint8_t)state;
	count_open(j, chunk, -1);
	for (size_t i = 0; i < o->n_votes; i++)
		ballot_done(j, &o->ballots[i]);
	job_slice_unref(j, o->slice);
	o->slice = NULL;
	if (o->outstanding == 0)
		job_open_free(j, o);
	else
		list_add(&j->late, &o->link);
}
