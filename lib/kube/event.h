/*
 * event.h - events that `kubectl describe` shows.
 *
 *     kube_event(recorder, &kube_warpjobs, job, false, "Completed", "all 100 chunks are accepted");
 *
 * Best effort: combined, counted and limited as event_cache.h says, written one after the other,
 * at most 1,000 waiting; what is more is dropped. Answers that refuse are not retried, missing ones
 * 12 times every 10 s. Never one event per chunk. What users must act on is a condition as well:
 * events are gone after an hour.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include <stdbool.h>

#include "kube/client.h"

struct kube_recorder;

/* component: "kwarp-controller"; instance: of this process. Copied. */
struct kube_recorder *kube_recorder_new(struct kube_client *c, const char *component,
					const char *instance);
void kube_recorder_free(struct kube_recorder *e); /* what waits is lost; accepts NULL */

/* reason: CamelCase, at most 128 characters; message: cut to 1,024 bytes. */
void kube_event(struct kube_recorder *e, const struct kube_resource *resource,
		const struct doc *object, bool warning, const char *reason, const char *message);

#endif
