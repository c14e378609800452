/* job_why.c - one line that says why a job waits. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "controller/decide/job_int.h"

enum { EVERY_MS = 1000 };

/* The first of what it cannot run the kernel without. */
static void tally_type(struct expr_tally *t, uint32_t lacks)
{
	const char *name = wire_need_name((enum wire_need)(lacks & -lacks));
	char one[32], many[32];

	snprintf(one, sizeof(one), "lacks %s", name);
	snprintf(many, sizeof(many), "lack %s", name);
	expr_tally_note(t, one, many);
}

/* What a node must have, then why this one has not. */
static void tally_node(const struct job *j, const struct fleet_node *n, struct expr_tally *t)
{
	const struct seat *s = j->seats[n->id];

	if (!n->connected)
		expr_tally_note(t, "is not connected", "are not connected");
	else if (n->paused)
		expr_tally_note(t, "is cordoned", "are cordoned");
	else if (n->unfit)
		expr_tally_note(t, "failed its self-test", "failed their self-tests");
	else if (n->held_back)
		expr_tally_note(t, "takes nothing new", "take nothing new");
	else if (j->spec.node_name != NULL && strcmp(j->spec.node_name, n->name) != 0)
		expr_tally_note(t, "is not the one that spec.nodeName names",
				"are not the one that spec.nodeName names");
	else if (j->where != NULL && !expr_predicate_match(j->where, &fleet_caps, n))
		(void)expr_tally_match(t, j->where, &fleet_caps, n);
	else if ((job_lacks(j, n) & WIRE_NEED_LOOPS64K) != 0)
		expr_tally_note(t, "cuts long loops", "cut long loops");
	else if ((job_lacks(j, n) & WIRE_NEEDS_TO_RUN) != 0)
		tally_type(t, job_lacks(j, n) & WIRE_NEEDS_TO_RUN);
	else if (job_lacks(j, n) != 0)
		expr_tally_note(t, "rounds differently", "round differently");
	else if (!s->eligible)
		expr_tally_note(t, "is in another pool", "are in another pool");
	else {
		t->nodes++;
		t->matching++;
	}
}

static void tally_all(const struct job *j, struct expr_tally *t)
{
	for (size_t i = 0; i < j->n_seats; i++)
		if (j->seats[i]->node->exists)
			tally_node(j, j->seats[i]->node, t);
}

static void explain_none(struct job *j, struct buf *why)
{
	struct expr_tally t = { 0 };

	tally_all(j, &t);
	if (t.nodes == 0)
		buf_note(why, "0/0 nodes: no node has joined (kubectl warp node add)");
	else
		expr_tally_print(&t, why);
	expr_tally_done(&t);
}

/* What the nodes lack that do not match, if there are such. */
static void explain_others(const struct job *j, struct buf *why)
{
	struct expr_tally t = { 0 };

	tally_all(j, &t);
	if (t.matching < t.nodes) {
		buf_note(why, "; ");
		expr_tally_print(&t, why);
	}
	expr_tally_done(&t);
}

/* How a spread key is called, one and several. */
static const char *spread_name(const struct job *j, bool many)
{
	static const char *const names[][2] = {
		{ "node", "nodes" },     { "device", "devices" }, { "owner", "owners" },
		{ "vendor", "vendors" }, { "zone", "zones" },
	};

	return names[j->spec.spread][many];
}

static void explain_few(const struct job *j, struct buf *why)
{
	int need = j->rule.replicas;

	buf_note(why, "needs %d %s, %u %s; add %s %s or set verify.replicas: %u", need,
		 spread_name(j, need != 1), j->n_eligible_keys,
		 j->n_eligible_keys == 1 ? "matches" : "match",
		 j->spec.spread == JOB_OWNER ? "an" : "a", spread_name(j, false),
		 j->n_eligible_keys);
	explain_others(j, why);
}

static void explain_stuck(const struct job *j, const struct open *o, struct buf *why)
{
	buf_note(why, "chunk %u%s needs one more %s; all %u that match were asked", o->chunk,
		 o->disputed ? " is disputed and" : "", spread_name(j, false), j->n_eligible_keys);
	if (o->disputed)
		job_probe_doubt(j, why);
	if (j->refuser != NULL)
		buf_note(why, "; %s could not run it: %s", j->refuser->name, j->refusal);
	explain_others(j, why);
}

/* A disputed or lost chunk that no node is left for. */
static const struct open *stuck(const struct job *j)
{
	for (size_t i = 0; i < j->n_asks && i < 64; i++) {
		const struct open *o = j->opens[j->asks[(j->asks_first + i) % j->asks_cap]];

		if (o != NULL && o->queued && o->want > 0)
			return o;
	}
	return NULL;
}

static void explain_running(struct job *j, struct buf *why)
{
	const struct open *o = stuck(j);

	if (fleet_is_paused(j->fleet))
		buf_note(why, "the virtual node is cordoned: nothing new starts");
	else if (j->pod_refusal[0] != '\0')
		buf_note(why, "pods are refused: %s", j->pod_refusal);
	else if (j->n_eligible == 0)
		explain_none(j, why);
	else if (j->n_eligible_keys < (uint32_t)j->rule.replicas)
		explain_few(j, why);
	else if (o != NULL && j->dispatches.count == 0)
		explain_stuck(j, o, why);
	else if (j->held.count > 0)
		buf_note(why, "%zu accepted chunks wait until a gap between ranges closes",
			 j->held.count);
	else if (j->open_runs >= JOB_OPEN_RUNS)
		buf_note(why, "%d runs of chunks are open; the first of them must close",
			 JOB_OPEN_RUNS);
	else if (j->n_open >= JOB_OPEN_CHUNKS)
		buf_note(why, "%d chunks are open; the first of them must be accepted",
			 JOB_OPEN_CHUNKS);
	else if (j->phase == PHASE_RUNNING && !job_has_room(j))
		buf_note(why,
			 "%u chunks with large results are open; the first of them must be "
			 "accepted",
			 j->n_open);
	else if (j->phase == PHASE_PROBING)
		buf_note(why, "whether the order of execution matters is being probed");
	else if (j->dispatches.count == 0 && j->unwritten.count == 0)
		buf_note(why, "all slots are taken by other jobs");
}

static const char *schedulable(const struct job *j)
{
	if (fleet_is_paused(j->fleet))
		return "Cordoned";
	if (j->pod_refusal[0] != '\0')
		return "PodsRefused";
	if (j->n_eligible == 0)
		return "NoNodeMatches";
	if (j->n_eligible_keys < (uint32_t)j->rule.replicas)
		return "TooFewNodes";
	return NULL;
}

void job_explain(struct job *j, int64_t now_ms)
{
	AUTO(buf_done) struct buf why = { .max = sizeof(j->why) - 1 };
	bool fresh = j->explained_fleet == fleet_version(j->fleet) &&
		     now_ms - j->explained_ms < EVERY_MS && j->explained_ms > 0;

	if ((j->phase == PHASE_RUNNING || j->phase == PHASE_PROBING) && !j->suspended) {
		if (fresh)
			return;
		job_seats_refresh(j);
		j->explained_fleet = fleet_version(j->fleet);
		j->explained_ms = now_ms;
		j->schedulable = schedulable(j);
		explain_running(j, &why);
	} else if (j->phase >= PHASE_ENDING) {
		if (j->end_message == NULL)
			return;
		if (j->end_failed)
			buf_note(&why, "%s: %s", j->end_reason, j->end_message);
	} else if (!j->suspended) {
		buf_note(&why, "%s", j->missing);
		if (why.len == 0 && j->kernel == NULL && j->asked_needs_ms > 0 &&
		    now_ms - j->created_ms >= EVERY_MS)
			buf_note(&why, "the kernel is being compiled");
	}
	if (why.data != NULL)
		text_defuse(why.data);
	if (strcmp(buf_str(&why), j->why) == 0)
		return;
	snprintf(j->why, sizeof(j->why), "%s", buf_str(&why));
	j->dirty = true;
}
