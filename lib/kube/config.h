/*
 * config.h - where the API server is and how to prove who we are.
 *
 *     AUTO(kube_config_done) struct kube_config config = { 0 };
 *     struct kube_config_where where = { 0 };
 *     kube_config_where_env(&where);
 *     where.kubeconfig = option;               "--kubeconfig FILE", NULL if not given
 *     if (kube_config_load(&where, &config, err) < 0) ...
 *
 * Order: the file of --kubeconfig; else in-cluster credentials; else the files of KUBECONFIG,
 * merged (the first one that says something wins); else ~/.kube/config. Relative paths in a
 * kubeconfig are relative to it; inline *-data beats files; tokenFile beats token. Exec plugins,
 * auth providers and passwords are refused by name.
 *
 * A loaded config does not change; files may: kube_creds_read reads them again.
 */
#ifndef KUBE_CONFIG_H
#define KUBE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct kube_config_where {
	const char *kubeconfig;     /* borrowed, like all: --kubeconfig; NULL = not given */
	const char *context;        /* instead of current-context; NULL = that one */
	const char *env_kubeconfig; /* KUBECONFIG */
	const char *home;           /* HOME */
	const char *service_host;   /* KUBERNETES_SERVICE_HOST */
	const char *service_port;   /* KUBERNETES_SERVICE_PORT; NULL = 443 */
	const char *service_dir;    /* NULL = /var/run/secrets/kubernetes.io/serviceaccount */
};

/* Fill from the environment. Only at start, while there is one thread. */
void kube_config_where_env(struct kube_config_where *where);

enum { KUBE_MAX_GROUPS = 16 };

struct kube_config {
	char *server;      /* owned, like all: "https://host:port", no '/' at the end */
	char *ns;          /* of the context; "default" if it says none */
	char *context;     /* its name; "in-cluster" */
	char *server_name; /* tls-server-name; NULL = none */
	char *proxy;       /* proxy-url; NULL = the environment's */
	bool insecure;
	char *impersonate;                             /* user; NULL = none */
	char *impersonate_groups[KUBE_MAX_GROUPS + 1]; /* NULL-terminated */
	/* Of each of these the file or the bytes, or neither. */
	char *ca_file;
	char *cert_file;
	char *key_file;
	char *token_file;
	struct buf ca; /* PEM */
	struct buf cert;
	struct buf key;
	char *token;
};

MUST_CHECK int kube_config_load(const struct kube_config_where *where, struct kube_config *ret,
				struct err *err);
void kube_config_done(struct kube_config *c);

/* The bytes in force: from the config or, read now, from its files. */
struct kube_creds {
	struct buf ca;   /* len 0 = the system's authorities */
	struct buf cert; /* len 0 = none */
	struct buf key;
	struct buf token; /* len 0 = none; without blanks at its ends */
};

/* Reads files: at start, or on a worker. Files that are missing, empty or no PEM are an error: the
 * caller keeps what it had. */
MUST_CHECK int kube_creds_read(const struct kube_config *c, struct kube_creds *ret,
			       struct err *err);
void kube_creds_done(struct kube_creds *c);
/* True if anything comes from files, so that reading again makes sense. */
bool kube_config_has_files(const struct kube_config *c);

#endif
