/* act.c - life, lists and watches; see act.h. */
#include "controller/act/act.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "controller/act/act_int.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* In the order of act.reflectors. */
static const struct kube_resource *const followed[] = {
	&kube_warpnodes, &kube_namespaces, &kube_nodes, &kube_pods, &kube_warpjobs,
};

void act_depose(struct act *a, const char *why)
{
	if (a->is_deposed)
		return;
	a->is_deposed = true;
	log_error("deposed", kv_str("why", why));
	a->options.on_deposed(a->options.owner_arg, why);
}

void act_store_put(struct kube_store *s, const struct doc *object)
{
	/* A copy: the store leaves out what nobody reads. */
	kube_store_put(s, doc_copy(object));
}

void act_job_event(struct act_job *j, bool warning, const char *reason, const char *message)
{
	const struct doc *object = kube_store_get(j->act->jobs, j->key);

	log_info(warning ? "warning" : "event", kv_str("job", j->key), kv_str("reason", reason),
		 kv_str("message", message));
	if (object != NULL && strcmp(kube_uid(object), j->uid) == 0)
		kube_event(j->act->events, &kube_warpjobs, object, warning, reason, message);
}

struct doc *act_with_status(const struct kube_resource *r, const struct doc *seen,
			    struct doc *status)
{
	const char *ns = kube_namespace(seen);
	struct doc *body = kube_new_object(r, *ns != '\0' ? ns : NULL, kube_name(seen));

	doc_set_path(body, "metadata.uid", doc_new_str(kube_uid(seen)));
	doc_set_path(body, "metadata.resourceVersion", doc_new_str(kube_rv(seen)));
	doc_set(body, "status", status);
	return body;
}

/* ---- what the stores keep --------------------------------------------------------------- */

static void trim_job(struct doc *job)
{
	struct doc *notes = doc_edit(job, "metadata.annotations");

	if (notes != NULL)
		doc_remove(notes, LAST_APPLIED);
}

/* Of a pod only what pod.h reads: a job may keep a thousand of them. */
static void trim_pod(struct doc *pod)
{
	struct doc *containers = doc_new_list();
	struct doc *spec = doc_new_map();
	struct doc *status;

	trim_job(pod);
	DOC_EACH(doc_get(pod, "spec.containers"), c)
	{
		struct doc *kept = doc_new_map();

		doc_set_str(kept, "name", doc_str(c, "name", ""));
		doc_set_str(kept, "image", doc_str(c, "image", ""));
		doc_add(containers, kept);
	}
	doc_set_str(spec, "nodeName", doc_str(pod, "spec.nodeName", NULL));
	doc_set(spec, "containers", containers);
	doc_set(pod, "spec", spec);
	status = doc_edit(pod, "status");
	if (status != NULL)
		doc_remove(status, "containerStatuses");
}

static void trim_namespace(struct doc *ns)
{
	doc_remove(ns, "spec");
	doc_remove(ns, "status");
	trim_job(ns);
}

static const char *job_uid_of(const struct doc *pod)
{
	return kube_label(pod, POD_LABEL_UID);
}

/* ---- changes ---------------------------------------------------------------------------- */

static void on_pod(void *arg, const struct kube_change *change)
{
	struct act *a = arg;

	if (a->is_started)
		act_job_on_pod(a, change->old, change->new);
}

/* ---- start ------------------------------------------------------------------------------ */

static bool is_synced(const struct act *a)
{
	return kube_store_is_synced(a->jobs) && kube_store_is_synced(a->pods) &&
	       kube_store_is_synced(a->warpnodes) && kube_store_is_synced(a->namespaces) &&
	       kube_store_is_synced(a->node);
}

static uint64_t highest_epoch(const struct act *a)
{
	int64_t highest = 0;

	KUBE_STORE_EACH(a->jobs, job)
	{
		int64_t epoch = doc_int(job, "status.controllerEpoch", 0);

		highest = epoch > highest ? epoch : highest;
	}
	return (uint64_t)highest;
}

/* Pods on the virtual node that are no job's, and those that a NotReady node left unready. */
static void look_at_pods(struct act *a)
{
	KUBE_STORE_EACH(a->pods, pod)
	act_job_on_pod(a, pod, pod);
}

static void on_synced(void *arg)
{
	struct act *a = arg;

	if (a->is_started || a->is_deposed || !is_synced(a))
		return;
	if (highest_epoch(a) >= a->options.epoch) {
		a->is_deposed = true;
		a->options.on_low_epoch(a->options.owner_arg, highest_epoch(a));
		return;
	}
	a->is_started = true;
	log_info("lists complete", kv_int("jobs", (int64_t)kube_store_count(a->jobs)),
		 kv_int("pods", (int64_t)kube_store_count(a->pods)),
		 kv_int("nodes", (int64_t)kube_store_count(a->warpnodes)));
	act_vnode_start(a->vnode);
	act_jobs_start(a);
	look_at_pods(a);
	KUBE_STORE_EACH(a->warpnodes, node)
	act_node_touch(a, kube_name(node));
	a->options.plane->open(a->options.plane_arg);
}

/* A CRD that is missing, a right that is not given, a server that is away: said now and then. */
static void tell_trouble(void *arg)
{
	struct act *a = arg;

	for (size_t i = 0; i < ARRAY_LEN(a->reflectors); i++) {
		const struct err *trouble =
		    kube_watch_trouble(kube_reflector_watch(a->reflectors[i]));

		if (trouble->code == 0)
			continue;
		log_warn(a->is_started ? "watch behind" : "start: waiting for a list",
			 kv_str("kind", followed[i]->plural), kv_err(trouble));
	}
	timer_start(a->trouble, ACT_TROUBLE_MS);
}

/* Each reflector has its own list; the jobs start when all of them are complete. */
static void follow(struct act *a, size_t i, struct kube_store *store, const char *name)
{
	struct err err = { 0 };
	struct kube_reflector_spec spec = {
		.client = a->kube,
		.resource = followed[i],
		.name = name,
		.watch = { .field_selector = NULL },
		.store = store,
		.on_synced = on_synced,
		.arg = a,
	};

	if (followed[i] == &kube_pods)
		spec.watch.field_selector = "spec.nodeName=" POD_NODE;
	/* Only a name that cannot be one is refused; these are ours. */
	if (kube_reflector_start(&spec, &a->reflectors[i], &err) < 0)
		log_error("watch not started", kv_err(&err));
	ASSERT(a->reflectors[i] != NULL);
}

static struct kube_store *store_new(struct act *a, kube_change_fn fn, void (*trim)(struct doc *),
				    const char *(*index)(const struct doc *))
{
	return kube_store_new(
	    &(struct kube_store_spec){ .on_change = fn, .arg = a, .trim = trim, .index = index });
}

struct act *act_new(const struct act_options *options)
{
	struct act *a = NEW(struct act);

	a->options = *options;
	a->loop = options->loop;
	a->kube = options->kube;
	a->host = options->host;
	snprintf(a->image, sizeof(a->image), "kwarp/agent:%s", KWARP_VERSION);
	a->fleet = fleet_new();
	a->blobs = act_blobs_new();
	a->events = kube_recorder_new(a->kube, "kwarp-controller", options->identity);
	a->nodes = act_nodes_new(a);
	a->vnode = act_vnode_new(a);
	a->pod_writes = act_pods_new(a);
	a->statuses = act_statuses_new(a);
	a->jobs = store_new(a, act_jobs_on_change, trim_job, NULL);
	a->pods = store_new(a, on_pod, trim_pod, job_uid_of);
	a->warpnodes = store_new(a, act_nodes_on_change, trim_job, NULL);
	a->namespaces = store_new(a, act_jobs_on_namespace, trim_namespace, NULL);
	a->node = store_new(a, act_vnode_on_change, trim_job, NULL);
	follow(a, 0, a->warpnodes, NULL);
	follow(a, 1, a->namespaces, NULL);
	follow(a, 2, a->node, POD_NODE);
	follow(a, 3, a->pods, NULL);
	follow(a, 4, a->jobs, NULL);
	a->trouble = timer_new(a->loop, "trouble with watches", tell_trouble, a);
	timer_start(a->trouble, ACT_TROUBLE_MS);
	return a;
}

void act_free(struct act *a)
{
	if (a == NULL)
		return;
	timer_free(a->trouble);
	for (size_t i = 0; i < ARRAY_LEN(a->reflectors); i++)
		kube_reflector_free(a->reflectors[i]);
	act_jobs_done(a);
	act_keep_done(a);
	act_nodes_free(a->nodes);
	act_vnode_free(a->vnode);
	act_pods_free(a->pod_writes);
	act_statuses_free(a->statuses);
	kube_recorder_free(a->events);
	kube_store_free(a->jobs);
	kube_store_free(a->pods);
	kube_store_free(a->warpnodes);
	kube_store_free(a->namespaces);
	kube_store_free(a->node);
	fleet_free(a->fleet);
	act_blobs_free(a->blobs);
	arena_done(&a->arena);
	mem_free(a);
}
