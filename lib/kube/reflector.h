/*
 * reflector.h - keeps a store like the server: watch.h driven over HTTP.
 *
 *     kube_reflector_start(&(struct kube_reflector_spec){
 *             .client = c, .resource = &kube_pods, .ns = NULL,
 *             .watch = { .label_selector = "kwarp.dev/job" }, .store = pods,
 *             .on_synced = on_synced, .arg = me }, &r, err);
 *
 * It starts in the next turn of the loop and goes on until it is freed; there is no failure that
 * ends it. Watches have connections of their own.
 */
#ifndef KUBE_REFLECTOR_H
#define KUBE_REFLECTOR_H

#include "kube/client.h"
#include "kube/store.h"
#include "kube/watch.h"

struct kube_reflector;

struct kube_reflector_spec {
	struct kube_client *client;           /* borrowed */
	const struct kube_resource *resource; /* static */
	const char *ns;                       /* NULL = all, or cluster-scoped */
	const char *name;                     /* only this object; NULL = all */
	struct kube_watch_spec watch;         /* kind and seed are filled in; field_selector must be
					       * NULL if name is given */
	struct kube_store *store;             /* borrowed: must live longer */
	void (*on_synced)(void *arg);         /* once, after the first whole list; NULL = none */
	void *arg;                            /* borrowed */
};

MUST_CHECK int kube_reflector_start(const struct kube_reflector_spec *spec,
				    struct kube_reflector **ret, struct err *err);
/* Synchronous: the store does not change any more. Accepts NULL; not from within on_change. */
void kube_reflector_free(struct kube_reflector *r);
void kube_reflector_freep(struct kube_reflector **r);

/* Its state, for readiness and logs. */
const struct kube_watch *kube_reflector_watch(const struct kube_reflector *r);

#endif
