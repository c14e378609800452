/* cluster.c - see cluster.h. */
#include "cli/cluster.h"

#include <signal.h>

#include "base/loop.h"
#include "base/mem.h"
#include "doc/doc.h"
#include "http/http.h"
#include "kube/config.h"
#include "kube/object.h"

struct cluster {
	struct loop *loop;        /* owned */
	struct http *http;        /* owned */
	struct kube_client *kube; /* owned */
	char *ns;                 /* owned */
	bool is_interrupted;
};

static void on_signal(void *arg, int sig)
{
	struct cluster *c = arg;

	(void)sig;
	c->is_interrupted = true;
}

static int catch_signals(struct cluster *c, struct err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, 0 };

	/* A reader that has enough is an error like others: what was begun is cleared away. */
	signal(SIGPIPE, SIG_IGN);
	return loop_on_signals(c->loop, signals, on_signal, c, err);
}

int cluster_open(const struct cluster_options *o, struct cluster **ret, struct err *err)
{
	AUTO(cluster_closep) struct cluster *c = NEW(struct cluster);
	AUTO(kube_config_done) struct kube_config config = { 0 };
	struct kube_config_where where = { 0 };

	kube_config_where_env(&where);
	where.kubeconfig = o->kubeconfig;
	where.context = o->context;
	if (kube_config_load(&where, &config, err) < 0)
		return err->code;
	c->ns = mem_strdup(o->ns != NULL ? o->ns : config.ns);
	/* Signals first: threads that start later block them as well. */
	if (loop_new(&c->loop, err) < 0 || (o->catch_signals && catch_signals(c, err) < 0) ||
	    http_new(c->loop, "kubectl-warp/" KWARP_VERSION, &c->http, err) < 0 ||
	    kube_client_new(&(struct kube_client_spec){ .loop = c->loop,
							.http = c->http,
							.config = &config,
							.field_manager = "kubectl-warp" },
			    &c->kube, err) < 0)
		return err->code;
	*ret = MOVE(c);
	return 0;
}

void cluster_close(struct cluster *c)
{
	if (c == NULL)
		return;
	kube_client_free(c->kube);
	http_free(c->http);
	loop_free(c->loop);
	mem_free(c->ns);
	mem_free(c);
}

void cluster_closep(struct cluster **c)
{
	cluster_close(*c);
}

const char *cluster_namespace(const struct cluster *c)
{
	return c->ns;
}

int cluster_get(struct cluster *c, const struct kube_resource *r, const char *ns, const char *name,
		struct doc **ret, struct err *err)
{
	return kube_call_wait(
	    c->kube, &(struct kube_spec){ .verb = KUBE_GET, .resource = r, .ns = ns, .name = name },
	    ret, err);
}

int cluster_list(struct cluster *c, const struct kube_resource *r, const char *ns, struct doc **ret,
		 struct err *err)
{
	return kube_call_wait(
	    c->kube, &(struct kube_spec){ .verb = KUBE_LIST, .resource = r, .ns = ns }, ret, err);
}

int cluster_patch(struct cluster *c, const struct kube_resource *r, const char *ns,
		  const char *name, const struct doc *patch, struct err *err)
{
	return kube_call_wait(
	    c->kube,
	    &(struct kube_spec){
		.verb = KUBE_PATCH_MERGE, .resource = r, .ns = ns, .name = name, .body = patch },
	    NULL, err);
}

int cluster_create(struct cluster *c, const struct kube_resource *r, const char *ns,
		   const struct doc *object, struct err *err)
{
	return kube_call_wait(
	    c->kube,
	    &(struct kube_spec){ .verb = KUBE_CREATE, .resource = r, .ns = ns, .body = object },
	    NULL, err);
}

int cluster_delete(struct cluster *c, const struct kube_resource *r, const char *ns,
		   const char *name, struct err *err)
{
	return kube_call_wait(
	    c->kube,
	    &(struct kube_spec){ .verb = KUBE_DELETE, .resource = r, .ns = ns, .name = name }, NULL,
	    err);
}

struct loop *cluster_loop(const struct cluster *c)
{
	return c->loop;
}

struct http *cluster_http(const struct cluster *c)
{
	return c->http;
}

int cluster_put(struct cluster *c, const struct kube_resource *r, const char *ns,
		const struct doc *object, struct err *err)
{
	const char *name = doc_str(object, "metadata.name", "");

	if (cluster_create(c, r, ns, object, err) == 0)
		return 0;
	if (err->code != ERR_EXISTS)
		return err->code;
	err_clear(err);
	return cluster_patch(c, r, ns, name, object, err);
}

static void on_time(void *arg)
{
	*(bool *)arg = true;
}

void cluster_wait(struct cluster *c, int64_t ms)
{
	bool over = false;
	struct timer *t = timer_new(c->loop, "wait", on_time, &over);

	timer_start(t, ms);
	while (!over && !c->is_interrupted)
		loop_turn(c->loop, ms);
	timer_free(t);
}

bool cluster_is_interrupted(const struct cluster *c)
{
	return c->is_interrupted;
}
