/* job_keep.c - what goes into the store: what a status refers to, and results at the end. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "controller/decide/job_int.h"
#include "doc/doc.h"

#define BLOB_PREFIX "sha256:" /* base64 has no colon */

/* Blobs and joins of one plan; bytes stay where they are. */
struct keeping {
	struct job *j;
	struct arena *arena;
	struct job_plan *plan;
	struct job_blob *blobs;
	size_t blobs_cap;
	struct job_join *joins;
	size_t joins_cap;
	uint64_t bytes;
};

size_t job_max_partial(size_t configured)
{
	return configured > 0 ? configured : (size_t)VOTE_MAX_PARTIAL;
}

/* ---- the state of the reducers ---------------------------------------------------------- */

void job_first_partial(struct job *j, const char *partial)
{
	struct err err = { 0 };

	mem_free(j->first_partial);
	mem_free(j->first_state);
	j->first_partial = mem_strdup(partial);
	j->first_state = NULL;
	j->first_is_blob = job_partial_is_blob(partial) &&
			   hash_parse(partial, strlen(partial), &j->first_digest, &err) >= 0;
}

const char *job_partial(const struct job *j)
{
	return doc_str(j->base, "partial", "");
}

bool job_partial_is_blob(const char *partial)
{
	return text_starts(partial, BLOB_PREFIX);
}

const struct hash_digest *job_partial_needed(const struct job *j)
{
	if (j->phase != PHASE_PREPARING || j->accepted.count == 0 || !j->first_is_blob ||
	    j->first_state != NULL)
		return NULL;
	return &j->first_digest;
}

void job_on_partial(struct job *j, const struct hash_digest *digest, const char *text, size_t len)
{
	const struct hash_digest *needed = job_partial_needed(j);

	if (needed != NULL && hash_equal(needed, digest))
		j->first_state = mem_strndup(text, len);
}

void job_keep_state(struct job *j, struct doc *status)
{
	AUTO(buf_done)
	struct buf b = { .max = j->state_in_store ? (size_t)JOB_MAX_STATE : VOTE_MAX_PARTIAL };
	struct hash_digest digest;
	struct err err = { 0 };
	char hex[HASH_HEX];

	/* The start has refused every job whose state could be larger. */
	ASSERT(vote_reduce_save(j->reduction, &b, &err) == 0);
	mem_free(j->state_text);
	j->state_text = NULL;
	if (!j->state_in_store) {
		doc_set_str(status, "partial", buf_str(&b));
		return;
	}
	hash_bytes(b.data, b.len, &digest);
	doc_set(status, "partial", doc_new_strf(BLOB_PREFIX "%s", hash_hex(&digest, hex)));
	j->state_text = buf_take(&b);
}

/* ---- blobs ------------------------------------------------------------------------------ */

static void add_blob(struct keeping *k, const struct hash_digest *digest, const void *bytes,
		     uint64_t len)
{
	arena_reserve(k->arena, &k->blobs, &k->blobs_cap, k->plan->n_blobs, sizeof(*k->blobs));
	k->blobs[k->plan->n_blobs++] =
	    (struct job_blob){ .digest = *digest, .bytes = bytes, .len = len };
	k->plan->blobs = k->blobs;
	k->bytes += len;
}

static const struct vote_part *find_part(const struct job *j, size_t entry, uint32_t chunk)
{
	size_t n;
	const struct vote_part *parts = vote_reduce_parts(j->reduction, entry, &n);
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (parts[mid].chunk == chunk)
			return &parts[mid];
		if (parts[mid].chunk < chunk)
			low = mid + 1;
		else
			n = mid;
	}
	return NULL;
}

/* A chunk that was accepted and is not in the status: what its reducers know by digest only. */
static void add_chunk(struct keeping *k, const struct open *o)
{
	const struct job *j = k->j;
	const struct ballot *b = &o->ballots[o->winner];
	size_t at = 0;

	for (size_t i = 0; i < job_params_outputs(j->params); i++) {
		size_t entry = job_params_output(j->params, i);
		const struct vote_part *part;
		uint64_t len;

		if (j->outputs[entry].reduce == VOTE_DISCARD)
			continue;
		len = num_get_u64(b->values + at);
		if (j->outputs[entry].by_digest) {
			part = find_part(j, entry, o->chunk);
			ASSERT(part != NULL && part->len == len);
			add_blob(k, &part->sha256, b->values + at + 8, len);
		}
		at += 8 + (size_t)len;
	}
}

uint64_t job_keep_write(struct job *j, struct arena *arena, struct job_plan *plan)
{
	struct keeping k = { .j = j, .arena = arena, .plan = plan };
	const char *partial = doc_str(j->writing, "partial", "");
	struct hash_digest digest;
	struct err err = { 0 };

	if (!j->config.store || j->reduction == NULL)
		return 0;
	LIST_EACH (struct open, o, &j->unwritten, link) {
		if (o->writing && j->states[o->chunk] == CHUNK_READY)
			add_chunk(&k, o);
	}
	if (j->state_text != NULL && job_partial_is_blob(partial) &&
	    hash_parse(partial, strlen(partial), &digest, &err) >= 0)
		add_blob(&k, &digest, j->state_text, strlen(j->state_text));
	return k.bytes;
}

/* ---- the end ---------------------------------------------------------------------------- */

static void add_join(struct keeping *k, size_t entry)
{
	struct job_join *to;

	arena_reserve(k->arena, &k->joins, &k->joins_cap, k->plan->n_joins, sizeof(*k->joins));
	to = &k->joins[k->plan->n_joins++];
	to->output = entry;
	to->parts = vote_reduce_parts(k->j->reduction, entry, &to->n_parts);
	k->plan->joins = k->joins;
}

/* A result that does not stand in the status itself. */
static void add_large(struct keeping *k, size_t entry)
{
	struct vote_result r = { 0 };
	struct err err = { 0 };

	if (k->j->outputs[entry].by_digest) {
		add_join(k, entry);
		return;
	}
	/* One that does not fit its type is not in the status either. */
	if (vote_reduce_finish(k->j->reduction, entry, &r, &err) < 0)
		return;
	if (r.value == NULL)
		add_blob(k, &r.sha256, arena_dup(k->arena, r.bytes, r.len), r.len);
	vote_result_done(&r);
}

bool job_keep_results(struct job *j, int64_t now_ms, struct arena *arena, struct job_plan *plan)
{
	struct keeping k = { .j = j, .arena = arena, .plan = plan };

	if (!j->config.store || j->kept || j->reduction == NULL || j->counts.accepted == 0)
		return false;
	if (j->keeping)
		return true;
	if (now_ms < j->keep_not_before_ms) {
		if (j->keep_not_before_ms < plan->look_again_ms)
			plan->look_again_ms = j->keep_not_before_ms;
		return true;
	}
	LIST_EACH (struct open, o, &j->unwritten, link) {
		if (j->states[o->chunk] == CHUNK_READY)
			add_chunk(&k, o);
	}
	for (size_t i = 0; i < j->spec.n_outputs; i++)
		if (vote_reduce_has_result(j->reduction, i))
			add_large(&k, i);
	j->keeping = plan->n_blobs > 0 || plan->n_joins > 0;
	j->kept = !j->keeping;
	plan->keep = j->keeping;
	return j->keeping;
}

void job_on_kept(struct job *j, const struct job_blob *joined, size_t n, int64_t now_ms)
{
	size_t at = 0;

	j->now_ms = now_ms;
	if (!j->keeping)
		return;
	for (size_t i = 0; i < j->spec.n_outputs; i++) {
		if (!j->outputs[i].by_digest)
			continue;
		ASSERT(at < n);
		j->wholes[i] = joined[at++].digest;
	}
	j->keeping = false;
	j->kept = true;
	j->dirty = true;
}

void job_on_keep_failed(struct job *j, int64_t retry_ms)
{
	j->keeping = false;
	j->keep_not_before_ms = retry_ms;
}

/* ---- afterwards ------------------------------------------------------------------------- */

static bool has_blobs(const struct doc *status)
{
	DOC_EACH(doc_get(status, "results"), r)
	{
		if (doc_has(r, "sha256") && !doc_has(r, "value"))
			return true;
	}
	return false;
}

void job_keep_forget(struct job *j, int64_t now_ms, int64_t wall_ms, struct job_plan *plan)
{
	int64_t at = j->end_wall_ms + j->spec.blob_ttl_s * 1000;

	if (!j->config.store || j->phase != PHASE_ENDED || j->forgotten || j->end_wall_ms == 0 ||
	    !has_blobs(j->base))
		return;
	if (wall_ms >= at) {
		j->forgotten = true;
		plan->forget = true;
	} else if (now_ms + at - wall_ms < plan->look_again_ms) {
		plan->look_again_ms = now_ms + at - wall_ms;
	}
}
