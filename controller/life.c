/* life.c - see life.h. */
#include "controller/life.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "controller/act/act.h"
#include "controller/boot.h"
#include "controller/plane.h"
#include "http/http.h"
#include "kube/client.h"
#include "kube/lease.h"
#include "run/run.h"
#include "store/store.h"

#define LEASE_NAME "kwarp-controller"

enum { BOOT_RETRY_MS = 1000, IDENTITY = 128 };

struct life {
	const struct options *options; /* borrowed */
	struct loop *loop;             /* owned, as all that follow */
	struct http *http;
	struct kube_client *kube;
	struct run_host *host;
	struct store *store; /* NULL without --store */
	struct boot boot;
	struct kube_lease *lease; /* NULL without --leader-elect */
	struct plane *plane;      /* NULL while not leading */
	struct act *act;
	char identity[IDENTITY];
	uint64_t epoch;
	bool is_stopping;
	bool is_released;
	struct err err; /* why it cannot go on */
};

static void on_signal(void *arg, int sig)
{
	struct life *l = arg;

	log_info("stopping", kv_int("signal", sig));
	l->is_stopping = true;
	loop_stop(l->loop);
}

static void give_up(struct life *l, int code, const char *why)
{
	if (l->err.code == 0)
		err_set(&l->err, code, "%s", why);
	l->is_stopping = true;
	loop_stop(l->loop);
}

/* ---- leading ---------------------------------------------------------------------------- */

static void stop_serving(struct life *l)
{
	/* The sessions end first, so that act hears of it. */
	plane_free(MOVE(l->plane));
	act_free(MOVE(l->act));
}

static void on_deposed(void *arg, const char *why)
{
	give_up(arg, ERR_CONFLICT, why);
}

static void serve(struct life *l);

/* With a Lease the higher epoch is written there first: on_epoch goes on. */
static void serve_again(void *arg)
{
	struct life *l = arg;

	stop_serving(l);
	if (l->is_stopping)
		return;
	if (l->lease != NULL)
		kube_lease_raise_epoch(l->lease, (int64_t)l->epoch);
	else
		serve(l);
}

/* A WarpJob carries a higher epoch: the clock went back, or the Lease was removed. */
static void on_low_epoch(void *arg, uint64_t highest)
{
	struct life *l = arg;

	log_warn("a higher epoch is in use", kv_int("epoch", (int64_t)l->epoch),
		 kv_int("highest", (int64_t)highest));
	l->epoch = highest + 1;
	loop_defer(l->loop, serve_again, l);
}

static void serve(struct life *l)
{
	struct plane_options plane = {
		.loop = l->loop,
		.kube = l->kube,
		.ns = l->options->ns,
		.address = l->options->data_address,
		.public_address = l->options->public_address,
		.ca_pem = l->boot.ca_pem,
		.cert_pem = l->boot.server.cert,
		.key_pem = l->boot.server.key,
		.epoch = l->epoch,
	};
	struct act_options act = {
		.loop = l->loop,
		.kube = l->kube,
		.host = l->host,
		.store = l->store,
		.identity = l->identity,
		.epoch = l->epoch,
		.on_deposed = on_deposed,
		.on_low_epoch = on_low_epoch,
		.owner_arg = l,
		.plane = &plane_for_act,
	};
	struct err err = { 0 };

	memcpy(plane.ticket_key, l->boot.ticket_key, sizeof(plane.ticket_key));
	if (plane_new(&plane, &l->plane, &err) < 0) {
		give_up(l, err.code, err.text);
		return;
	}
	act.plane_arg = l->plane;
	l->act = act_new(&act);
	plane_set_act(l->plane, l->act);
	log_info("leading", kv_int("epoch", (int64_t)l->epoch),
		 kv_str("data_address", l->options->data_address));
}

/* Without a Lease: the server's clock, as it was when the controller's own objects were read. */
static void lead_alone(struct life *l)
{
	int64_t wall_ms;

	if (!kube_client_server_now_ms(l->kube, &wall_ms))
		wall_ms = clock_wall_ms();
	l->epoch = (uint64_t)(wall_ms / 1000);
	serve(l);
}

static void on_leading(void *arg, int64_t epoch)
{
	struct life *l = arg;

	l->epoch = (uint64_t)epoch;
	if (!l->is_stopping)
		serve(l);
}

static void on_lost(void *arg, const char *why)
{
	give_up(arg, ERR_CONFLICT, why);
}

static int lead(struct life *l, struct err *err)
{
	const struct kube_lease_spec spec = {
		.client = l->kube,
		.ns = l->options->ns,
		.name = LEASE_NAME,
		.on_leading = on_leading,
		.on_epoch = on_leading,
		.on_lost = on_lost,
		.arg = l,
	};

	if (!l->options->leader_elect) {
		lead_alone(l);
		return 0;
	}
	if (kube_lease_start(&spec, &l->lease, err) < 0)
		return err->code;
	kube_client_set_gate(l->kube, kube_lease_left_ms, l->lease);
	return 0;
}

static void on_released(void *arg)
{
	struct life *l = arg;

	l->is_released = true;
	loop_stop(l->loop);
}

/* All work has stopped: another controller may lead at once. */
static void release(struct life *l)
{
	if (l->lease == NULL)
		return;
	kube_lease_release(l->lease, on_released, l);
	while (!l->is_released)
		loop_run(l->loop);
	kube_client_set_gate(l->kube, NULL, NULL);
	kube_lease_free(MOVE(l->lease));
}

/* ---- start and stop --------------------------------------------------------------------- */

static void make_identity(struct life *l)
{
	char host[64] = "";
	uint8_t dice[4];
	char hex[2 * sizeof(dice) + 1];

	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	hash_random(dice, sizeof(dice));
	snprintf(l->identity, sizeof(l->identity), "%s_%s", host,
		 text_hex(dice, sizeof(dice), hex));
}

static int set_up(struct life *l, struct err *err)
{
	static const int signals[] = { SIGTERM, SIGINT, 0 };
	AUTO(kube_config_done) struct kube_config config = { 0 };
	struct kube_config_where where = { 0 };
	struct kube_client_spec client = { .config = &config, .field_manager = "kwarp-controller" };

	make_identity(l);
	kube_config_where_env(&where);
	where.kubeconfig = l->options->kubeconfig;
	if (loop_new(&l->loop, err) < 0 ||
	    loop_on_signals(l->loop, signals, on_signal, l, err) < 0 ||
	    (l->options->store != NULL &&
	     store_open(l->options->store, l->loop, &l->store, err) < 0) ||
	    http_new(l->loop, "kwarp-controller/" KWARP_VERSION, &l->http, err) < 0 ||
	    kube_config_load(&where, &config, err) < 0)
		return err->code;
	client.loop = l->loop;
	client.http = l->http;
	if (kube_client_new(&client, &l->kube, err) < 0 ||
	    run_host_new(l->loop, &(struct run_options){ .front_end_only = true }, &l->host, err) <
		0)
		return err->code;
	return run_host_warm(l->host, err);
}

/* The API server may not be there yet, or not let us: that is said, and tried again. */
static void boot(struct life *l)
{
	while (!l->is_stopping) {
		struct err err = { 0 };
		int64_t again_ms = clock_boot_ms() + BOOT_RETRY_MS;

		if (boot_run(l->kube, l->options->ns, l->options->public_address, &l->boot, &err) >=
		    0)
			return;
		log_warn("start: not yet", kv_err(&err));
		while (!l->is_stopping && clock_boot_ms() < again_ms)
			loop_turn(l->loop, 50);
	}
}

static void tear_down(struct life *l)
{
	stop_serving(l);
	release(l);
	boot_done(&l->boot);
	run_host_free(l->host);
	store_free(l->store);
	kube_client_free(l->kube);
	http_free(l->http);
	loop_free(l->loop);
}

int life_run(const struct options *o, struct err *err)
{
	struct life l = { .options = o };
	int rc = set_up(&l, err);

	if (rc >= 0)
		boot(&l);
	if (rc >= 0 && !l.is_stopping)
		rc = lead(&l, err);
	while (rc >= 0 && !l.is_stopping)
		loop_run(l.loop);
	tear_down(&l);
	if (rc >= 0 && l.err.code != 0) {
		*err = l.err;
		rc = err->code;
	}
	return rc;
}
