/*
 * cluster.h - the API server, for commands that do one thing after the other.
 */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kube/client.h"

struct doc;
struct cluster;
struct http;
struct loop;

/* Options that every command that needs a cluster takes (borrowed from argv), and what it wants. */
struct cluster_options {
	const char *kubeconfig; /* --kubeconfig; NULL = as kubectl finds it */
	const char *context;    /* --context */
	const char *ns;         /* -n, --namespace; NULL = the command's default */
	bool catch_signals;     /* SIGINT and SIGTERM end waits, SIGPIPE a write, not the program */
};

MUST_CHECK int cluster_open(const struct cluster_options *o, struct cluster **ret, struct err *err);
void cluster_close(struct cluster *c); /* accepts NULL */
void cluster_closep(struct cluster **c);

/* The namespace asked for, else that of the kubeconfig's context. Borrowed. */
const char *cluster_namespace(const struct cluster *c);

/* *ret (may be NULL) is owned. */
MUST_CHECK int cluster_get(struct cluster *c, const struct kube_resource *r, const char *ns,
			   const char *name, struct doc **ret, struct err *err);
MUST_CHECK int cluster_list(struct cluster *c, const struct kube_resource *r, const char *ns,
			    struct doc **ret, struct err *err);
/* Create it, or (it exists) merge it into what is there. */
MUST_CHECK int cluster_put(struct cluster *c, const struct kube_resource *r, const char *ns,
			   const struct doc *object, struct err *err);
MUST_CHECK int cluster_patch(struct cluster *c, const struct kube_resource *r, const char *ns,
			     const char *name, const struct doc *patch, struct err *err);
/* ERR_EXISTS, ERR_DENIED, ... */
MUST_CHECK int cluster_create(struct cluster *c, const struct kube_resource *r, const char *ns,
			      const struct doc *object, struct err *err);
MUST_CHECK int cluster_delete(struct cluster *c, const struct kube_resource *r, const char *ns,
			      const char *name, struct err *err);
/* Ends early when interrupted. */
void cluster_wait(struct cluster *c, int64_t ms);
bool cluster_is_interrupted(const struct cluster *c);

/* For what is no call to the API server. Borrowed. */
struct loop *cluster_loop(const struct cluster *c);
struct http *cluster_http(const struct cluster *c);

#endif
