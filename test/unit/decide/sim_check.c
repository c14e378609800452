/* sim_check.c - what must hold in every history. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "sim_int.h"
#include "vote/reduce.h"

uint32_t sim_truth(uint32_t chunk)
{
	return chunk * 2654435761u % 100003u + 1;
}

/* Who said what: only this can ever be in a result. */
void sim_check_answer(struct sim *s, int node, const struct wire_result *r,
		      const unsigned char *values)
{
	uint32_t value;

	if (r->outcome != WIRE_OK)
		return;
	value = num_get_u32(values + 8);
	for (size_t i = 0; i < SIM_VALUES; i++) {
		if (s->answers[r->chunk][i].nodes != 0 && s->answers[r->chunk][i].value != value)
			continue;
		s->answers[r->chunk][i].value = value;
		s->answers[r->chunk][i].nodes |= 1u << node;
		return;
	}
}

static int supporters(const struct sim *s, uint32_t chunk, uint32_t value)
{
	for (size_t i = 0; i < SIM_VALUES; i++)
		if (s->answers[chunk][i].nodes != 0 && s->answers[chunk][i].value == value)
			return __builtin_popcount(s->answers[chunk][i].nodes);
	return 0;
}

static struct vote_shape *shape(void)
{
	return vote_shape_plain(VOTE_U32, 1);
}

/* The values of the accepted chunks, in chunk order, from what the status holds. */
static void check_values(struct sim *s, const struct ranges *accepted, const unsigned char *values,
			 size_t len, const char *total)
{
	uint64_t sum = 0;
	size_t at = 0;
	char text[32];

	RANGES_EACH(accepted, r)
	{
		for (uint64_t c = r->first; c <= r->last; c++) {
			uint32_t value;

			if (at + 4 > len) {
				sim_fail(s, "chunk %d is accepted but has no value", (int)c);
				return;
			}
			value = num_get_u32(values + at);
			at += 4;
			sum += value;
			if (supporters(s, (uint32_t)c, value) < s->agree)
				sim_fail(s, "chunk %d: %u is accepted, %d nodes said so", (int)c,
					 value, supporters(s, (uint32_t)c, value));
			if (!s->any_liar && value != sim_truth((uint32_t)c))
				sim_fail(s, "chunk %d: %u is accepted, the truth is %u", (int)c,
					 value, sim_truth((uint32_t)c));
		}
	}
	if (at != len)
		sim_fail(s, "%zu bytes of values belong to no accepted chunk", len - at);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)sum);
	if (accepted->count > 0 && strcmp(text, total) != 0)
		sim_fail(s, "the sum is %s, of the accepted values it is %s", total, text);
}

/* The state that a status.partial holds or names. */
static const char *state_of(struct sim *s, const char *partial, size_t *ret_len)
{
	struct hash_digest digest;
	struct err err = { 0 };
	const struct buf *b;

	*ret_len = strlen(partial);
	if ((s->store == 2) != (strncmp(partial, "sha256:", 7) == 0))
		sim_fail(s, "partial: %.80s", partial);
	if (s->store != 2 || hash_parse(partial, strlen(partial), &digest, &err) < 0)
		return partial;
	b = shelf_get(&s->shelf, &digest);
	if (b == NULL) {
		sim_fail(s, "the status names a state that is not in the store");
		return partial;
	}
	*ret_len = b->len;
	return b->data;
}

/* The values of Concat, from the store if the state has digests only. */
static size_t each_of(struct sim *s, const struct vote_reduction *r, unsigned char *bytes)
{
	struct vote_result each = { 0 };
	struct err err = { 0 };
	size_t n = 0;
	const struct vote_part *parts = vote_reduce_parts(r, 1, &n);
	size_t len = 0;

	if (vote_reduce_finish(r, 1, &each, &err) < 0)
		sim_fail(s, "partial: %s", err.text);
	if (s->store == 0 && each.len <= 4 * (size_t)SIM_CHUNKS)
		memcpy(bytes, each.bytes, len = each.len);
	vote_result_done(&each);
	for (size_t i = 0; i < n; i++) {
		const struct buf *b = shelf_get(&s->shelf, &parts[i].sha256);

		if (b == NULL || b->len != 4 || parts[i].len != 4) {
			sim_fail(s, "chunk %d is accepted, its bytes are not in the store",
				 (int)parts[i].chunk);
			return 0;
		}
		memcpy(bytes + len, b->data, 4);
		len += 4;
	}
	return len;
}

static void check_reduction(struct sim *s, const struct ranges *accepted, const char *partial)
{
	struct vote_shape *u32 = shape();
	const struct vote_output outputs[] = {
		{ .name = "total", .reduce = VOTE_SUM, .shape = u32 },
		{ .name = "each", .reduce = VOTE_CONCAT, .shape = u32, .by_digest = s->store > 0 },
	};
	struct vote_reduction *r = NULL;
	struct vote_result total = { 0 };
	unsigned char each[4 * SIM_CHUNKS];
	struct err err = { 0 };
	size_t len;
	const char *state = state_of(s, partial, &len);

	if (vote_reduce_load(outputs, 2, state, len, &r, &err) < 0 ||
	    vote_reduce_finish(r, 0, &total, &err) < 0)
		sim_fail(s, "partial: %s", err.text);
	else
		check_values(s, accepted, each, each_of(s, r, each), total.value);
	vote_result_done(&total);
	vote_reduce_free(r);
	vote_shape_free(u32);
}

/* "[1,2,3]" as bytes. */
static size_t parse_list(const char *text, unsigned char *bytes)
{
	size_t n = 0;
	uint32_t v = 0;

	for (const char *c = text + 1; *text == '[' && *c != '\0' && n < SIM_CHUNKS; c++) {
		if (*c >= '0' && *c <= '9') {
			v = v * 10 + (uint32_t)(*c - '0');
			continue;
		}
		num_put_u32(bytes + 4 * n++, v);
		v = 0;
	}
	return 4 * n;
}

/* A result that stands in the status by its digest. */
static size_t from_store(struct sim *s, const struct doc *result, unsigned char *bytes)
{
	const char *hex = doc_str(result, "sha256", "");
	struct hash_digest digest;
	struct err err = { 0 };
	const struct buf *b = NULL;

	if (hash_parse(hex, strlen(hex), &digest, &err) == 0)
		b = shelf_get(&s->shelf, &digest);
	if (b == NULL || b->len > 4 * (size_t)SIM_CHUNKS) {
		sim_fail(s, "a result is not in the store: %s", hex);
		return 0;
	}
	memcpy(bytes, b->data, b->len);
	return b->len;
}

static void check_results(struct sim *s, const struct ranges *accepted, const struct doc *status)
{
	unsigned char bytes[4 * SIM_CHUNKS];
	const char *total = "";
	size_t len = 0;

	DOC_EACH(doc_get(status, "results"), r)
	{
		if (strcmp(doc_str(r, "name", ""), "total") == 0)
			total = doc_str(r, "value", "");
		else if (s->store > 0)
			len = from_store(s, r, bytes);
		else
			len = parse_list(doc_str(r, "value", ""), bytes);
	}
	check_values(s, accepted, bytes, len, total);
}

static bool contains(const struct ranges *set, const struct ranges *part)
{
	RANGES_EACH(part, r)
	{
		if (ranges_gap(set, r->first, r->last + 1) <= r->last)
			return false;
	}
	return true;
}

void sim_check_write(struct sim *s, const struct doc *status)
{
	const char *accepted_text = doc_str(status, "acceptedIndexes", "");
	const char *failed_text = doc_str(status, "failedIndexes", "");
	const char *state = doc_str(status, "state", "");
	struct ranges accepted = { 0 };
	struct ranges failed = { 0 };
	struct err err = { 0 };

	if (ranges_parse(accepted_text, strlen(accepted_text), (uint64_t)s->n_chunks, RANGES_MAX,
			 &accepted, &err) < 0 ||
	    ranges_parse(failed_text, strlen(failed_text), (uint64_t)s->n_chunks, RANGES_MAX,
			 &failed, &err) < 0)
		sim_fail(s, "indexes: %s", err.text);
	if (!contains(&accepted, &s->accepted))
		sim_fail(s, "accepted was lost: %s", accepted_text);
	if (!contains(&failed, &s->failed))
		sim_fail(s, "failed was lost: %s", failed_text);
	RANGES_EACH(&failed, r)
	{
		if (ranges_next(&accepted, r->first, r->last + 1) <= r->last)
			sim_fail(s, "a chunk is accepted and failed");
	}
	if (strcmp(state, "Complete") == 0 || strcmp(state, "Failed") == 0)
		check_results(s, &accepted, status);
	else if (accepted.count > 0)
		check_reduction(s, &accepted, doc_str(status, "partial", ""));
	if (strcmp(state, "Complete") == 0 && ranges_total(&accepted) != (uint64_t)s->n_chunks)
		sim_fail(s, "Complete with %s of %d chunks", accepted_text, s->n_chunks);
	ranges_done(&s->accepted);
	ranges_done(&s->failed);
	s->accepted = accepted;
	s->failed = failed;
}

/* An agent may drop a result only if its chunk is in the status, or nobody will ever ask. What is
 * offered while the job is suspended, as a controller believes, is lost work, not a fault. */
void sim_check_drop(struct sim *s, uint32_t chunk)
{
	const char *state = doc_str(s->job, "status.state", "");

	if (ranges_has(&s->accepted, chunk) || ranges_has(&s->failed, chunk) ||
	    strcmp(state, "Complete") == 0 || strcmp(state, "Failed") == 0 || s->was_suspended)
		return;
	sim_fail(s, "a result of chunk %u was dropped, the status does not have it", chunk);
}

static const char *end_reason(const struct sim *s)
{
	const struct doc *c = doc_get(s->job, "status.conditions");

	if (doc_condition_true(c, "Complete"))
		return "Complete";
	if (doc_condition_true(c, "Failed"))
		return doc_str(doc_condition(c, "Failed"), "reason", "");
	return "";
}

void sim_check_end(struct sim *s)
{
	const char *end = end_reason(s);
	bool excused;

	snprintf(s->result.end, sizeof(s->result.end), "%s", end);
	if (s->result.failure[0] != '\0')
		return;
	/* Liars can leave a chunk without a node that was not asked yet; then it says so. */
	if (*end == '\0' && s->any_liar &&
	    strstr(doc_str(s->job, "status.why", ""), "were asked") != NULL)
		return;
	if (*end == '\0') {
		sim_fail(s, "stuck: state %s, progress %s, why \"%s\"",
			 doc_str(s->job, "status.state", ""),
			 doc_str(s->job, "status.progress", ""), doc_str(s->job, "status.why", ""));
		return;
	}
	excused = strcmp(end, "Complete") == 0 ||
		  (strcmp(end, "NoAgreement") == 0 && s->any_liar) ||
		  strcmp(end, "ChunkFailed") == 0;
	if (!excused)
		sim_fail(s, "ended as %s: %s", end, doc_str(s->job, "status.why", ""));
}
