/*
 * object.h - names of resources and what every Kubernetes object has.
 *
 *     char key[KUBE_KEY];
 *     kube_key(pod, key);                             "default/pi-0"
 *     kube_rv_compare(kube_rv(a), kube_rv(b), &order)
 */
#ifndef KUBE_OBJECT_H
#define KUBE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "doc/doc.h"

struct kube_resource {
	const char *group; /* "" = core */
	const char *version;
	const char *plural;
	const char *kind;
	bool namespaced;
};

extern const struct kube_resource kube_pods;
extern const struct kube_resource kube_nodes;
extern const struct kube_resource kube_namespaces;
extern const struct kube_resource kube_secrets;
extern const struct kube_resource kube_configmaps;
extern const struct kube_resource kube_events;
extern const struct kube_resource kube_leases;
extern const struct kube_resource kube_warpjobs;
extern const struct kube_resource kube_warpnodes;
extern const struct kube_resource kube_warptickets;

/* "v1" or "group/version". Returns text. */
enum { KUBE_API_VERSION = 128 };
const char *kube_api_version(const struct kube_resource *r, char text[KUBE_API_VERSION]);

/* Append "/api/v1/namespaces/NS/pods/NAME/SUBRESOURCE". ns NULL = cluster-scoped or all namespaces;
 * name NULL = the collection; subresource NULL = none. ERR_INVALID for a name that no object can
 * have (empty, or with '/' or '%', or "." or ".."). */
MUST_CHECK int kube_path(const struct kube_resource *r, const char *ns, const char *name,
			 const char *subresource, struct buf *out, struct err *err);

/* From metadata; "" if missing. Borrowed from the object. */
const char *kube_name(const struct doc *object);
const char *kube_namespace(const struct doc *object);
const char *kube_uid(const struct doc *object);
const char *kube_rv(const struct doc *object);   /* resourceVersion */
bool kube_is_deleting(const struct doc *object); /* has a deletionTimestamp */
/* The value of a label or annotation, or NULL. */
const char *kube_label(const struct doc *object, const char *name);
const char *kube_annotation(const struct doc *object, const char *name);
/* uid of the owner reference with controller: true, or NULL. */
const char *kube_controller_uid(const struct doc *object);

/* "namespace/name", or "name" for cluster-scoped objects: how stores and queues name objects.
 * False if the object has no name or the parts are longer than Kubernetes allows. */
enum { KUBE_KEY = 320 };
bool kube_key(const struct doc *object, char key[KUBE_KEY]);
bool kube_key_of(const char *ns, const char *name, char key[KUBE_KEY]);
/* Cut a key into its parts; ns is "" for a cluster-scoped one. */
void kube_key_split(const char *key, char ns[KUBE_KEY], char name[KUBE_KEY]);

/*
 * Which of two resource versions of one resource type is newer: < 0, 0, > 0 in *ret_order. False if
 * that cannot be said: only decimal numbers without leading zeros, up to 39 digits, have an order;
 * others can only be equal (true, 0) or not (false).
 */
bool kube_rv_compare(const char *a, const char *b, int *ret_order);

/* A new object with apiVersion, kind, metadata.name and, unless NULL, metadata.namespace. Owned. */
struct doc *kube_new_object(const struct kube_resource *r, const char *ns, const char *name);

#endif
