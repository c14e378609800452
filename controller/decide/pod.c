/* pod.c - see pod.h. */
#include "controller/decide/pod.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "doc/doc.h"

#define CONTAINER "chunk"

void pod_name(const struct job_spec *spec, const struct wire_dispatch *d, char name[POD_NAME])
{
	char job[31];
	char uid[9];
	size_t n;

	snprintf(job, sizeof(job), "%s", spec->name);
	/* A cut may end in what a name must not have before the next '-'. */
	for (n = strlen(job); n > 0 && (job[n - 1] == '-' || job[n - 1] == '.'); n--)
		job[n - 1] = '\0';
	snprintf(uid, sizeof(uid), "%s", spec->uid);
	for (char *c = uid; *c != '\0'; c++)
		if (*c == '-')
			*c = '0';
	snprintf(name, POD_NAME, "%s-%s-s%u-r%u-%u", job, uid, d->slice, d->replica, d->attempt);
}

static void set_uint(struct doc *map, const char *key, uint64_t v)
{
	doc_set(map, key, doc_new_strf("%llu", (unsigned long long)v));
}

static struct doc *labels_of(const struct job_spec *spec, const struct job_dispatch *d)
{
	struct doc *labels = doc_new_map();

	doc_set_str(labels, POD_LABEL_JOB, spec->name);
	doc_set_str(labels, POD_LABEL_UID, spec->uid);
	set_uint(labels, POD_LABEL_SLICE, d->key.slice);
	set_uint(labels, POD_LABEL_REPLICA, d->key.replica);
	doc_set_str(labels, POD_LABEL_NODE, d->node);
	return labels;
}

static struct doc *notes_of(const struct job_dispatch *d)
{
	struct doc *notes = doc_new_map();
	const struct wire_dispatch *k = &d->key;

	if (k->n_chunks == 1)
		set_uint(notes, POD_NOTE_CHUNKS, k->first_chunk);
	else
		doc_set(notes, POD_NOTE_CHUNKS,
			doc_new_strf("%u-%u", k->first_chunk, k->first_chunk + k->n_chunks - 1));
	set_uint(notes, POD_NOTE_ATTEMPT, k->attempt);
	set_uint(notes, POD_NOTE_EPOCH, k->epoch);
	return notes;
}

static struct doc *owners_of(const struct job_spec *spec)
{
	struct doc *owner = doc_new_map();
	struct doc *list = doc_new_list();

	doc_set_str(owner, "apiVersion", "kwarp.dev/v1alpha1");
	doc_set_str(owner, "kind", "WarpJob");
	doc_set_str(owner, "name", spec->name);
	doc_set_str(owner, "uid", spec->uid);
	doc_set_bool(owner, "controller", true);
	doc_add(list, owner);
	return list;
}

static struct doc *resources(void)
{
	struct doc *r = doc_new_map();

	doc_set_path(r, "requests.cpu", doc_new_str("1m"));
	doc_set_path(r, "requests.memory", doc_new_str("1Mi"));
	doc_set_path(r, "limits.cpu", doc_new_str("1m"));
	doc_set_path(r, "limits.memory", doc_new_str("1Mi"));
	return r;
}

static struct doc *container(const char *image)
{
	struct doc *c = doc_new_map();
	struct doc *drop = doc_new_list();

	doc_set_str(c, "name", CONTAINER);
	doc_set_str(c, "image", image);
	doc_set(c, "resources", resources());
	doc_add_str(drop, "ALL");
	doc_set_path(c, "securityContext.allowPrivilegeEscalation", doc_new_bool(false));
	doc_set_path(c, "securityContext.capabilities.drop", drop);
	doc_set_path(c, "securityContext.readOnlyRootFilesystem", doc_new_bool(true));
	return c;
}

static struct doc *spec_of(const char *image)
{
	struct doc *s = doc_new_map();
	struct doc *containers = doc_new_list();
	struct doc *tolerations = doc_new_list();
	struct doc *all = doc_new_map();

	doc_set_str(s, "nodeName", POD_NODE);
	doc_set_str(s, "restartPolicy", "Never");
	doc_set_int(s, "terminationGracePeriodSeconds", 0);
	doc_set_bool(s, "automountServiceAccountToken", false);
	doc_set_bool(s, "enableServiceLinks", false);
	doc_set_path(s, "securityContext.runAsNonRoot", doc_new_bool(true));
	doc_set_path(s, "securityContext.runAsUser", doc_new_int(65532));
	doc_set_path(s, "securityContext.seccompProfile.type", doc_new_str("RuntimeDefault"));
	doc_set_str(all, "operator", "Exists");
	doc_add(tolerations, all);
	doc_set(s, "tolerations", tolerations);
	doc_add(containers, container(image));
	doc_set(s, "containers", containers);
	return s;
}

struct doc *pod_build(const struct job *j, const struct job_dispatch *d, const char *image)
{
	const struct job_spec *spec = job_spec(j);
	struct doc *pod = doc_new_map();
	struct doc *meta = doc_new_map();

	doc_set_str(pod, "apiVersion", "v1");
	doc_set_str(pod, "kind", "Pod");
	doc_set_str(meta, "name", d->pod);
	doc_set_str(meta, "namespace", spec->ns);
	doc_set(meta, "labels", labels_of(spec, d));
	doc_set(meta, "annotations", notes_of(d));
	doc_set(meta, "ownerReferences", owners_of(spec));
	doc_set(pod, "metadata", meta);
	doc_set(pod, "spec", spec_of(image));
	return pod;
}

/* ---- status ----------------------------------------------------------------------------- */

static void set_time(struct doc *map, const char *key, int64_t wall_ms)
{
	char text[CLOCK_TEXT];

	doc_set_str(map, key, clock_print(wall_ms, text));
}

/* When the condition got this status first. */
static int64_t since(const struct doc *pod, const char *type, const char *status, int64_t wall_ms)
{
	const struct doc *old = doc_condition(doc_get(pod, "status.conditions"), type);
	struct err err = { 0 };
	int64_t ms = wall_ms;

	if (old == NULL || strcmp(doc_str(old, "status", ""), status) != 0)
		return wall_ms;
	if (clock_parse(doc_str(old, "lastTransitionTime", ""), &ms, &err) < 0)
		return wall_ms;
	return ms;
}

static void add_condition(struct doc *list, const struct doc *pod, const char *type,
			  const char *reason, int64_t wall_ms)
{
	const char *status = reason == NULL ? "True" : "False";
	struct doc *c = doc_new_map();

	doc_set_str(c, "type", type);
	doc_set_str(c, "status", status);
	set_time(c, "lastTransitionTime", since(pod, type, status, wall_ms));
	doc_set_str(c, "reason", reason);
	doc_add(list, c);
}

/* not_ready: why containers are not ready, NULL if they are. */
static struct doc *conditions_of(const struct doc *pod, const char *not_ready, int64_t wall_ms)
{
	struct doc *list = doc_new_list();

	add_condition(list, pod, "PodScheduled", NULL, wall_ms);
	add_condition(list, pod, "Initialized", NULL, wall_ms);
	add_condition(list, pod, "ContainersReady", not_ready, wall_ms);
	add_condition(list, pod, "Ready", not_ready, wall_ms);
	return list;
}

static struct doc *terminated(const struct job_dispatch *d, const char *id)
{
	int64_t start = d->sent_wall_ms > 0 ? d->sent_wall_ms : d->created_wall_ms;
	int64_t end = d->finished_wall_ms > start ? d->finished_wall_ms : start;
	struct doc *t = doc_new_map();

	doc_set_int(t, "exitCode", d->failed ? 1 : 0);
	doc_set_str(t, "reason", d->failed ? "Error" : "Completed");
	if (d->failed)
		doc_set(t, "message",
			doc_new_strf("%s%s%s", d->reason, d->message[0] != '\0' ? ": " : "",
				     d->message));
	else
		doc_set(t, "message", doc_new_strf("%u chunks on %s", d->key.n_chunks, d->node));
	set_time(t, "startedAt", start);
	set_time(t, "finishedAt", end);
	doc_set_str(t, "containerID", id);
	return t;
}

static struct doc *container_status(const struct job_dispatch *d, const char *image)
{
	struct doc *c = doc_new_map();
	struct doc *state = doc_new_map();
	char id[128];

	snprintf(id, sizeof(id), "kwarp://%s/%u-%u-%u", d->node, d->key.slice, d->key.replica,
		 d->key.attempt);
	doc_set_str(c, "name", CONTAINER);
	doc_set_str(c, "image", image);
	doc_set_str(c, "imageID", image);
	doc_set_str(c, "containerID", id);
	doc_set_bool(c, "ready", d->state != JOB_FINISHED);
	doc_set_bool(c, "started", d->state != JOB_FINISHED);
	doc_set_int(c, "restartCount", 0);
	if (d->state == JOB_FINISHED) {
		doc_set(state, "terminated", terminated(d, id));
	} else {
		struct doc *running = doc_new_map();

		set_time(running, "startedAt", d->sent_wall_ms);
		doc_set(state, "running", running);
	}
	doc_set(c, "state", state);
	return c;
}

struct doc *pod_status(const struct job_dispatch *d, const struct doc *pod, const char *image,
		       int64_t wall_ms)
{
	bool finished = d->state == JOB_FINISHED;
	struct doc *patch = doc_new_map();
	struct doc *s = doc_new_map();
	struct doc *list = doc_new_list();

	doc_set_str(s, "phase", !finished ? "Running" : d->failed ? "Failed" : "Succeeded");
	set_time(s, "startTime", d->created_wall_ms);
	doc_set(s, "conditions",
		conditions_of(pod,
			      !finished   ? NULL
			      : d->failed ? "PodFailed"
					  : "PodCompleted",
			      wall_ms));
	doc_add(list, container_status(d, image));
	doc_set(s, "containerStatuses", list);
	doc_set(patch, "status", s);
	return patch;
}

/* ---- reading ---------------------------------------------------------------------------- */

static int read_number(const struct doc *pod, const char *path, uint64_t max, uint64_t *ret,
		       struct err *err)
{
	const char *text;

	if (doc_read_str(pod, path, 32, &text, err) < 0)
		return err->code;
	if (num_parse_u64(text, strlen(text), max, ret, err) < 0)
		return err_wrap(err, "%s", path);
	return 0;
}

static int read_chunks(const struct doc *pod, struct wire_dispatch *d, struct err *err)
{
	static const char path[] = "metadata.annotations['" POD_NOTE_CHUNKS "']";
	const char *text;
	const char *dash;
	uint64_t first;
	uint64_t last;

	if (doc_read_str(pod, path, 32, &text, err) < 0)
		return err->code;
	dash = strchr(text, '-');
	if (num_parse_u64(text, dash != NULL ? (size_t)(dash - text) : strlen(text),
			  JOB_MAX_CHUNKS - 1, &first, err) < 0)
		return err_wrap(err, "%s", path);
	last = first;
	if (dash != NULL &&
	    num_parse_u64(dash + 1, strlen(dash + 1), JOB_MAX_CHUNKS - 1, &last, err) < 0)
		return err_wrap(err, "%s", path);
	if (last < first || last - first >= WIRE_MAX_SLICE)
		return err_set(err, ERR_INVALID, "%s: \"%s\" is no range of chunks", path, text);
	d->first_chunk = (uint32_t)first;
	d->n_chunks = (uint32_t)(last - first + 1);
	return 0;
}

int pod_read(const struct doc *pod, struct pod_record *ret, struct err *err)
{
	struct pod_record r = { .phase = doc_str(pod, "status.phase", "Pending") };
	struct err ignored = { 0 };
	const char *uid = NULL;
	uint64_t slice = 0;
	uint64_t replica = 0;
	uint64_t attempt = 0;

	if (doc_read_str(pod, "metadata.name", 253, &r.name, err) < 0 ||
	    doc_read_str(pod, "metadata.labels['" POD_LABEL_UID "']", WIRE_UID - 1, &uid, err) <
		0 ||
	    doc_read_str(pod, "metadata.labels['" POD_LABEL_NODE "']", 63, &r.node, err) < 0 ||
	    read_number(pod, "metadata.labels['" POD_LABEL_SLICE "']", UINT32_MAX - 1, &slice,
			err) < 0 ||
	    read_number(pod, "metadata.labels['" POD_LABEL_REPLICA "']", UINT32_MAX, &replica,
			err) < 0 ||
	    read_number(pod, "metadata.annotations['" POD_NOTE_ATTEMPT "']", UINT32_MAX, &attempt,
			err) < 0 ||
	    read_number(pod, "metadata.annotations['" POD_NOTE_EPOCH "']", INT64_MAX,
			&r.dispatch.epoch, err) < 0 ||
	    read_chunks(pod, &r.dispatch, err) < 0)
		return err->code < 0 ? err_wrap(err, "pod %s", r.name != NULL ? r.name : "")
				     : ERR_INVALID;
	snprintf(r.dispatch.job_uid, sizeof(r.dispatch.job_uid), "%s", uid);
	r.dispatch.slice = (uint32_t)slice;
	r.dispatch.replica = (uint32_t)replica;
	r.dispatch.attempt = (uint32_t)attempt;
	r.uid = doc_str(pod, "metadata.uid", "");
	r.failed = strcmp(r.phase, "Failed") == 0;
	r.finished = r.failed || strcmp(r.phase, "Succeeded") == 0;
	r.deleting = doc_has(pod, "metadata.deletionTimestamp");
	if (clock_parse(doc_str(pod, "metadata.creationTimestamp", ""), &r.created_wall_ms,
			&ignored) < 0)
		r.created_wall_ms = 0;
	*ret = r;
	return 0;
}

/* ---- others ----------------------------------------------------------------------------- */

static const struct doc *controller_of(const struct doc *pod)
{
	DOC_EACH(doc_get(pod, "metadata.ownerReferences"), owner)
	{
		if (doc_bool(owner, "controller", false))
			return owner;
	}
	return NULL;
}

enum pod_kind pod_kind(const struct doc *pod)
{
	const struct doc *owner = controller_of(pod);
	const char *kind = doc_str(owner, "kind", "");

	if (doc_has(pod, "metadata.labels['" POD_LABEL_UID "']")) {
		if (strcmp(kind, "WarpJob") == 0)
			return POD_OURS;
		return POD_ORPHAN;
	}
	return strcmp(kind, "DaemonSet") == 0 ? POD_DAEMON : POD_FOREIGN;
}

/* The statuses that a pod's containers would have, all alike. */
static struct doc *foreign_containers(const struct doc *pod, bool running, int64_t wall_ms)
{
	struct doc *list = doc_new_list();

	DOC_EACH(doc_get(pod, "spec.containers"), c)
	{
		struct doc *s = doc_new_map();

		doc_set_str(s, "name", doc_str(c, "name", ""));
		doc_set_str(s, "image", doc_str(c, "image", ""));
		doc_set_str(s, "imageID", "");
		doc_set_bool(s, "ready", running);
		doc_set_bool(s, "started", running);
		doc_set_int(s, "restartCount", 0);
		if (running) {
			struct doc *at = doc_new_map();

			set_time(at, "startedAt", wall_ms);
			doc_set_path(s, "state.running", at);
		} else {
			doc_set_path(s, "state.waiting.reason", doc_new_str("VirtualNode"));
		}
		doc_add(list, s);
	}
	return list;
}

struct doc *pod_status_foreign(const struct doc *pod, int64_t wall_ms)
{
	bool daemon = pod_kind(pod) == POD_DAEMON;
	struct doc *patch;
	struct doc *s;

	if (strcmp(doc_str(pod, "status.reason", ""), "VirtualNode") == 0 &&
	    (!daemon || doc_condition_true(doc_get(pod, "status.conditions"), "Ready")))
		return NULL;
	patch = doc_new_map();
	s = doc_new_map();
	doc_set_str(s, "phase", daemon ? "Running" : "Pending");
	doc_set_str(s, "reason", "VirtualNode");
	doc_set_str(s, "message",
		    daemon ? "not run here: kwarp is a virtual node"
			   : "kwarp is a virtual node that runs chunks of WarpJobs only");
	set_time(s, "startTime", wall_ms);
	doc_set(s, "conditions", conditions_of(pod, daemon ? NULL : "VirtualNode", wall_ms));
	doc_set(s, "containerStatuses", foreign_containers(pod, daemon, wall_ms));
	doc_set(patch, "status", s);
	return patch;
}

struct doc *pod_status_orphan(const struct doc *pod, int64_t wall_ms)
{
	const char *phase = doc_str(pod, "status.phase", "Pending");
	struct doc *patch;
	struct doc *s;

	if (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0)
		return NULL;
	patch = doc_new_map();
	s = doc_new_map();
	doc_set_str(s, "phase", "Failed");
	doc_set_str(s, "reason", "JobGone");
	doc_set_str(s, "message", "the WarpJob of this pod does not exist any more");
	doc_set(s, "conditions", conditions_of(pod, "JobGone", wall_ms));
	doc_set(patch, "status", s);
	return patch;
}

struct doc *pod_status_ready(const struct doc *pod, int64_t wall_ms)
{
	struct doc *patch;
	struct doc *s;

	if (strcmp(doc_str(pod, "status.phase", ""), "Running") != 0 ||
	    doc_condition_true(doc_get(pod, "status.conditions"), "Ready"))
		return NULL;
	patch = doc_new_map();
	s = doc_new_map();
	doc_set(s, "conditions", conditions_of(pod, NULL, wall_ms));
	doc_set(patch, "status", s);
	return patch;
}
