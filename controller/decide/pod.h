/*
 * pod.h - chunk pods as documents (API.md 2, DESIGN 3), and what they record.
 *
 * Builders return documents that the caller owns. They are what a kubelet would have written: a
 * pod of this template passes Pod Security "restricted".
 */
#ifndef DECIDE_POD_H
#define DECIDE_POD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "controller/decide/job.h"

struct doc;

#define POD_NODE "kwarp" /* the virtual node's name */
#define POD_LABEL_JOB "kwarp.dev/job"
#define POD_LABEL_UID "kwarp.dev/job-uid"
#define POD_LABEL_SLICE "kwarp.dev/slice"
#define POD_LABEL_REPLICA "kwarp.dev/replica"
#define POD_LABEL_NODE "kwarp.dev/node"
#define POD_NOTE_CHUNKS "kwarp.dev/chunks"
#define POD_NOTE_ATTEMPT "kwarp.dev/attempt"
#define POD_NOTE_EPOCH "kwarp.dev/epoch"

enum { POD_NAME = 64 };

/* "<job cut to 30>-<8 hex of uid>-s<slice>-r<replica>-<attempt>" */
void pod_name(const struct job_spec *spec, const struct wire_dispatch *d, char name[POD_NAME]);

/* The pod to create for a dispatch. `image` names what it stands for, e.g. "kwarp/agent:0.1.0". */
struct doc *pod_build(const struct job *j, const struct job_dispatch *d, const char *image);

/* A merge patch of the status subresource: Running from sent_wall_ms, or (finished) Succeeded or
 * Failed. `pod` is the pod as last seen (NULL: unknown). */
struct doc *pod_status(const struct job_dispatch *d, const struct doc *pod, const char *image,
		       int64_t wall_ms);

/* What a pod records. Strings are borrowed from the document. */
struct pod_record {
	struct wire_dispatch dispatch;
	const char *name;
	const char *uid;
	const char *node; /* WarpNode */
	const char *phase;
	int64_t created_wall_ms;
	bool finished; /* Succeeded or Failed */
	bool failed;
	bool deleting;
};
/* ERR_INVALID names what is missing or wrong: not a pod of ours. */
MUST_CHECK int pod_read(const struct doc *pod, struct pod_record *ret, struct err *err);

/* ---- other pods on the virtual node ----------------------------------------------------- */

enum pod_kind {
	POD_OURS = 1,
	POD_ORPHAN,  /* ours, without a WarpJob owner (or its uid does not exist) */
	POD_DAEMON,  /* of a DaemonSet: reported Running and Ready, "not run here" */
	POD_FOREIGN, /* anything else: stays Pending */
};
enum pod_kind pod_kind(const struct doc *pod);

/* Merge patches of the status subresource for them. NULL: it says so already. */
struct doc *pod_status_foreign(const struct doc *pod, int64_t wall_ms);
struct doc *pod_status_orphan(const struct doc *pod, int64_t wall_ms);

/* Restores condition Ready of a running pod after the node was NotReady. NULL: nothing to do. */
struct doc *pod_status_ready(const struct doc *pod, int64_t wall_ms);

#endif
