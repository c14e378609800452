/* result.c - which job a name stands for; its results for people, from the blob store. */
#include <string.h>

#include "base/mem.h"
#include "controller/act/act_int.h"
#include "store/store.h"

const char *act_job_uid(const struct act *a, const char *ns, const char *name)
{
	char key[KUBE_KEY];
	const char *uid;

	if (!kube_key_of(ns, name, key))
		return NULL;
	uid = kube_uid(kube_store_get(a->jobs, key));
	return act_job_by_uid(a, uid) != NULL ? uid : NULL;
}

bool act_has_store(const struct act *a)
{
	return a->options.store != NULL;
}

/* What the job has published by digest, while it stands in its status. */
static bool has_result(const struct doc *job, const struct hash_digest *digest)
{
	char hex[HASH_HEX];

	hash_hex(digest, hex);
	DOC_EACH(doc_get(job, "status.results"), r)
	{
		if (strcmp(doc_str(r, "sha256", ""), hex) == 0)
			return true;
	}
	return false;
}

struct store_op *act_read_result(const struct act *a, const struct act_part *part, act_read_fn fn,
				 void *arg)
{
	const struct act_job *j = act_job_by_uid(a, part->job_uid);
	const struct doc *job = j != NULL ? kube_store_get(a->jobs, j->key) : NULL;

	if (!act_has_store(a) || job == NULL || strcmp(kube_uid(job), j->uid) != 0 ||
	    !has_result(job, &part->digest))
		return NULL;
	return store_read(a->options.store, j->uid, &part->digest, part->first, part->len, fn, arg);
}

void act_cancel_read(struct store_op *read)
{
	store_op_cancel(read);
}
