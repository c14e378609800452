/* sim_api.c - the API server: one WarpJob with a resourceVersion, and pods. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sim_int.h"

static const char template[] =
    "apiVersion: kwarp.dev/v1alpha1\n"
    "kind: WarpJob\n"
    "metadata: {name: job, namespace: default, uid: 11111111-2222-4333-8444-555555555555,"
    " generation: 1}\n"
    "spec:\n"
    "  kernel: {wgsl: 'x'}\n"
    "  chunks: {count: 1, invocations: '1'}\n"
    "  outputs: [{name: total, reduce: Sum}, {name: each, reduce: Concat}]\n"
    "  maxFailedChunks: 0\n";

static void replace_job(struct sim *s, struct doc *job)
{
	s->version++;
	doc_set_path(job, "metadata.resourceVersion",
		     doc_new_strf("%llu", (unsigned long long)s->version));
	doc_unref(s->job);
	s->job = doc_freeze(job);
}

void sim_api_start(struct sim *s)
{
	struct err err = { 0 };
	struct doc *job = NULL;
	int replicas = 1 + (int)sim_random(s, 3);
	int agree = replicas / 2 + 1;

	ASSERT(doc_parse_yaml(template, sizeof(template) - 1, NULL, &job, &err) == 0);
	/* A job that needs more nodes than there are would wait for ever, and rightly so. */
	if (replicas > s->n_nodes)
		replicas = s->n_nodes;
	if (agree > replicas)
		agree = replicas;
	s->n_chunks = 1 + (int)sim_random(s, SIM_CHUNKS);
	s->agree = agree;
	doc_set_path(job, "spec.chunks.count", doc_new_int(s->n_chunks));
	doc_set_path(job, "spec.verify.replicas", doc_new_int(replicas));
	doc_set_path(job, "spec.verify.agree", doc_new_int(agree));
	doc_set_path(job, "spec.verify.maxReplicas", doc_new_int(replicas + 3));
	doc_set_path(job, "spec.podPolicy", doc_new_str(sim_random(s, 3) ? "PerSlice" : "None"));
	doc_set_path(job, "spec.podHistoryLimit", doc_new_int(sim_random(s, 4)));
	doc_set_path(job, "spec.backoffLimitPerChunk", doc_new_int(3));
	if (sim_random(s, 2))
		doc_set_path(job, "spec.chunksPerSlice", doc_new_int(1 + sim_random(s, 6)));
	replace_job(s, job);
}

static void free_pod(void *pod)
{
	doc_unref(pod);
}

void sim_api_done(struct sim *s)
{
	doc_unref(s->job);
	map_done(&s->pods, free_pod);
}

int sim_api_write(struct sim *s, const struct doc *status, uint64_t version, uint64_t epoch)
{
	struct doc *job;

	if (version != s->version)
		return ERR_CONFLICT;
	if ((int64_t)epoch < doc_int(s->job, "status.controllerEpoch", 0))
		return ERR_DENIED;
	sim_check_write(s, status);
	job = doc_copy(s->job);
	doc_set(job, "status", doc_copy(status));
	replace_job(s, job);
	s->result.writes++;
	sim_say(s, "status %s %s accepted %s", doc_str(status, "state", ""),
		doc_str(status, "progress", ""), doc_str(status, "acceptedIndexes", ""));
	return 0;
}

const char *sim_api_create(struct sim *s, const struct doc *pod)
{
	const char *name = doc_str(pod, "metadata.name", "");
	const struct doc *old = map_get(&s->pods, name);
	struct doc *copy;

	if (old != NULL)
		return doc_equal(doc_get(old, "metadata.annotations"),
				 doc_get(pod, "metadata.annotations")) &&
			       doc_equal(doc_get(old, "metadata.labels"),
					 doc_get(pod, "metadata.labels"))
			   ? doc_str(old, "metadata.uid", "")
			   : "";
	copy = doc_copy(pod);
	doc_set_path(copy, "metadata.uid", doc_new_strf("pod-%llu", (unsigned long long)++s->uids));
	doc_set_path(copy, "metadata.creationTimestamp", doc_new_str("2026-01-01T00:00:00Z"));
	doc_set_path(copy, "status.phase", doc_new_str("Pending"));
	map_set(&s->pods, name, copy);
	sim_control_pod_added(s, copy);
	return doc_str(copy, "metadata.uid", "");
}

void sim_api_delete(struct sim *s, const char *name)
{
	struct doc *pod = map_remove(&s->pods, name);

	if (pod == NULL)
		return;
	sim_control_pod_gone(s, name, doc_str(pod, "metadata.uid", ""));
	doc_unref(pod);
}

void sim_api_patch_pod(struct sim *s, const char *name, const struct doc *patch)
{
	struct doc *old = map_get(&s->pods, name);

	if (old == NULL)
		return;
	map_set(&s->pods, name, doc_merge_patch(old, patch));
	doc_unref(old);
}

void sim_api_edit_spec(struct sim *s, const char *path, struct doc *value)
{
	struct doc *job = doc_copy(s->job);

	doc_set_path(job, path, value);
	doc_set_path(job, "metadata.generation",
		     doc_new_int(doc_int(job, "metadata.generation", 0) + 1));
	replace_job(s, job);
	sim_control_edited(s);
}
