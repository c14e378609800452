/* lease.c - see lease.h. */
#include "kube/lease.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/metric.h"
#include "base/text.h"
#include "base/watchdog.h"
#include "kube/elector.h"

enum { RELEASE_TIMEOUT_MS = 5000, RENEW_MS = 10000 };

static struct metric leading_gauge = { .name = "kwarp_leader",
				       .help = "1 while this process leads.",
				       .type = METRIC_GAUGE };

struct kube_lease {
	struct kube_lease_spec spec;  /* ns and name are owned */
	struct kube_elector *elector; /* owned */
	struct watchdog *watchdog;    /* owned */
	struct timer *timer;          /* owned: the next step */
	struct kube_call *call;       /* owned */
	enum kube_elector_op op;      /* of the call */
	int64_t attempt_ms;           /* time-out of one request */
	char identity[160];
	bool leading;
	bool lost;
	int64_t told_epoch;

	loop_fn on_released; /* NULL = not being released */
	void *released_arg;  /* borrowed */
	bool *gone;          /* borrowed: set when a callback frees the lease */
};

static void step(struct kube_lease *l);

static int64_t now_of(const struct kube_lease *l)
{
	return loop_now_ms(kube_client_loop(l->spec.client));
}

/* ---- telling ---- */

static void lose(struct kube_lease *l)
{
	if (l->lost)
		return;
	l->lost = true;
	l->leading = false;
	watchdog_set(l->watchdog, INT64_MAX);
	metric_set(&leading_gauge, NULL, 0);
	l->spec.on_lost(l->spec.arg, kube_elector_why(l->elector));
}

/* What has become true since the last call. True if the lease was freed by a callback. */
static bool tell(struct kube_lease *l)
{
	int64_t epoch = kube_elector_epoch(l->elector);
	bool gone = false;

	l->gone = &gone; /* cppcheck-suppress autoVariables; taken back below */
	if (!l->leading && kube_elector_may_act(l->elector, now_of(l))) {
		l->leading = true;
		l->told_epoch = epoch;
		metric_set(&leading_gauge, NULL, 1);
		l->spec.on_leading(l->spec.arg, epoch);
	} else if (l->leading && epoch > l->told_epoch) {
		l->told_epoch = epoch;
		if (l->spec.on_epoch != NULL)
			l->spec.on_epoch(l->spec.arg, epoch);
	}
	if (!gone)
		l->gone = NULL;
	return gone;
}

static void arm_watchdog(struct kube_lease *l)
{
	if (kube_elector_is_holder(l->elector))
		watchdog_set(l->watchdog, kube_elector_deadline_ms(l->elector));
}

/* ---- requests ---- */

static void on_answer(void *arg, const struct kube_answer *a)
{
	struct kube_lease *l = arg;
	int64_t now_ms = now_of(l);

	if (a->err->code != 0) {
		log_debug("lease", kv_err(a->err));
		kube_elector_on_error(l->elector, a->err->code, now_ms);
	} else if (a->object == NULL) {
		kube_elector_on_error(l->elector, ERR_PROTOCOL, now_ms);
	} else if (l->op == KUBE_ELECTOR_READ) {
		kube_elector_on_read(l->elector, doc_copy(a->object), now_ms);
	} else {
		kube_elector_on_written(l->elector, doc_copy(a->object), now_ms);
	}
	kube_call_free(MOVE(l->call));
	arm_watchdog(l);
	if (!tell(l))
		step(l);
}

static struct kube_spec lease_request(const struct kube_lease *l, enum kube_elector_op op)
{
	static const enum kube_verb verbs[] = { [KUBE_ELECTOR_READ] = KUBE_GET,
						[KUBE_ELECTOR_CREATE] = KUBE_CREATE,
						[KUBE_ELECTOR_UPDATE] = KUBE_UPDATE };

	return (struct kube_spec){
		.verb = verbs[op],
		.resource = &kube_leases,
		.ns = l->spec.ns,
		.name = op == KUBE_ELECTOR_CREATE ? NULL : l->spec.name,
		.lane = KUBE_LEASE,
		.once = true,
	};
}

static void ask(struct kube_lease *l, const struct kube_elector_step *s)
{
	struct kube_spec request = lease_request(l, s->op);
	struct err err = { 0 };

	request.body = s->body;
	request.timeout_ms = l->attempt_ms;
	request.on_done = on_answer;
	request.arg = l;
	l->op = s->op;
	if (kube_call_start(l->spec.client, &request, &l->call, &err) == 0)
		return;
	log_debug("lease", kv_err(&err));
	kube_elector_on_error(l->elector, err.code, now_of(l));
	timer_start(l->timer, l->attempt_ms);
}

static void step(struct kube_lease *l)
{
	struct kube_elector_now now = { .boot_ms = clock_boot_ms(),
					.wall_ms = clock_wall_ms(),
					.server_wall_ms = -1 };
	struct kube_elector_step s;
	int64_t acts_ms = kube_elector_acts_from_ms(l->elector);

	/* The clock is read here, not taken from the turn: it counts from when the request goes. */
	if (!kube_client_server_now_ms(l->spec.client, &now.server_wall_ms))
		now.server_wall_ms = -1;
	if (l->spec.epoch_floor != NULL && !kube_elector_is_holder(l->elector))
		now.epoch_floor = l->spec.epoch_floor(l->spec.arg);
	s = kube_elector_next(l->elector, &now);
	if (s.op == KUBE_ELECTOR_OVER) {
		lose(l);
	} else if (s.op != KUBE_ELECTOR_WAIT) {
		ask(l, &s);
	} else if (kube_elector_is_holder(l->elector) && !l->leading && acts_ms < s.at_ms) {
		timer_start_at(l->timer, acts_ms);
	} else {
		timer_start_at(l->timer, s.at_ms);
	}
}

static void on_timer(void *arg)
{
	struct kube_lease *l = arg;

	if (l->call == NULL && !tell(l))
		step(l);
}

/* ---- release ---- */

static void end_release(struct kube_lease *l)
{
	loop_fn fn = l->on_released;

	kube_call_free(MOVE(l->call));
	l->on_released = NULL;
	fn(l->released_arg);
}

static void on_released(void *arg, const struct kube_answer *a)
{
	if (a->err->code != 0)
		log_debug("lease not released", kv_err(a->err));
	end_release(arg);
}

/* The record is ours still: only its version was not the one that we knew. */
static void on_release_read(void *arg, const struct kube_answer *a)
{
	struct kube_lease *l = arg;
	struct kube_spec request = lease_request(l, KUBE_ELECTOR_UPDATE);
	AUTO(doc_unrefp) struct doc *body = NULL;
	struct err err = { 0 };

	if (a->err->code != 0 ||
	    strcmp(doc_str(a->object, "spec.holderIdentity", ""), l->identity) != 0) {
		end_release(l);
		return;
	}
	body = doc_copy(a->object);
	doc_set_path(body, "spec.holderIdentity", doc_new_str(""));
	doc_set_path(body, "spec.leaseDurationSeconds", doc_new_int(1));
	kube_call_free(MOVE(l->call));
	request.body = body;
	request.timeout_ms = RELEASE_TIMEOUT_MS / 2;
	request.on_done = on_released;
	request.arg = l;
	if (kube_call_start(l->spec.client, &request, &l->call, &err) < 0)
		timer_start(l->timer, 0);
}

/* A renewal that was under way may have been carried out before: then this is a conflict. */
static void on_release_tried(void *arg, const struct kube_answer *a)
{
	struct kube_lease *l = arg;
	struct kube_spec request = lease_request(l, KUBE_ELECTOR_READ);
	struct err err = { 0 };

	if (a->err->code != ERR_CONFLICT) {
		on_released(l, a);
		return;
	}
	kube_call_free(MOVE(l->call));
	request.timeout_ms = RELEASE_TIMEOUT_MS / 2;
	request.on_done = on_release_read;
	request.arg = l;
	if (kube_call_start(l->spec.client, &request, &l->call, &err) < 0)
		timer_start(l->timer, 0);
}

static void on_release_timer(void *arg)
{
	end_release(arg);
}

void kube_lease_release(struct kube_lease *l, loop_fn on_done, void *arg)
{
	AUTO(doc_unrefp) struct doc *body = kube_elector_release(l->elector, clock_wall_ms());
	struct kube_spec request = lease_request(l, KUBE_ELECTOR_UPDATE);
	struct err err = { 0 };

	ASSERT(l->on_released == NULL && on_done != NULL);
	l->on_released = on_done;
	l->released_arg = arg;
	l->lost = true;
	l->leading = false;
	watchdog_set(l->watchdog, INT64_MAX);
	metric_set(&leading_gauge, NULL, 0);
	kube_call_free(MOVE(l->call));
	timer_free(l->timer);
	l->timer =
	    timer_new(kube_client_loop(l->spec.client), "lease release", on_release_timer, l);
	request.body = body;
	request.timeout_ms = RELEASE_TIMEOUT_MS;
	request.on_done = on_release_tried;
	request.arg = l;
	if (body == NULL || kube_call_start(l->spec.client, &request, &l->call, &err) < 0)
		timer_start(l->timer, 0);
}

/* ---- life ---- */

static int init(struct kube_lease *l, const struct kube_lease_spec *spec, struct err *err)
{
	struct kube_elector_spec e = { .lease_ms = spec->lease_ms,
				       .renew_ms = spec->renew_ms,
				       .retry_ms = spec->retry_ms };
	unsigned char random[24];
	char host[80] = "";
	char hex[33];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set(err, ERR_SYSTEM, "lease: no random numbers");
	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	snprintf(l->identity, sizeof(l->identity), "%s_%s", host, text_hex(random, 16, hex));
	memcpy(&e.seed, random + 16, sizeof(e.seed));
	e.ns = spec->ns;
	e.name = spec->name;
	e.identity = l->identity;
	l->elector = kube_elector_new(&e);
	l->attempt_ms = (spec->renew_ms > 0 ? spec->renew_ms : RENEW_MS) / 2;
	return watchdog_new("kwarp: leadership was not renewed in time: ending", &l->watchdog, err);
}

int kube_lease_start(const struct kube_lease_spec *spec, struct kube_lease **ret, struct err *err)
{
	AUTO(kube_lease_freep) struct kube_lease *l = NEW(struct kube_lease);

	l->spec = *spec;
	l->spec.ns = mem_strdup(spec->ns);
	l->spec.name = mem_strdup(spec->name);
	l->timer = timer_new(kube_client_loop(spec->client), "lease", on_timer, l);
	if (init(l, spec, err) < 0)
		return err->code;
	metric_set(&leading_gauge, NULL, 0);
	timer_start(l->timer, 0);
	*ret = MOVE(l);
	return 0;
}

void kube_lease_free(struct kube_lease *l)
{
	if (l == NULL)
		return;
	if (l->gone != NULL)
		*l->gone = true;
	kube_call_free(l->call);
	timer_free(l->timer);
	watchdog_free(l->watchdog);
	kube_elector_free(l->elector);
	mem_freep(&l->spec.ns);
	mem_freep(&l->spec.name);
	mem_free(l);
}

void kube_lease_freep(struct kube_lease **l)
{
	kube_lease_free(*l);
	*l = NULL;
}

bool kube_lease_is_leading(const struct kube_lease *l)
{
	return l->leading;
}

int64_t kube_lease_epoch(const struct kube_lease *l)
{
	return l->leading ? kube_elector_epoch(l->elector) : 0;
}

void kube_lease_raise_epoch(struct kube_lease *l, int64_t at_least)
{
	kube_elector_raise_epoch(l->elector, at_least);
	if (l->call == NULL && !l->lost)
		timer_start(l->timer, 0);
}

int64_t kube_lease_left_ms(void *lease, int64_t now_boot_ms)
{
	const struct kube_lease *l = lease;

	if (!l->leading || !kube_elector_may_act(l->elector, now_boot_ms))
		return 0;
	return kube_elector_deadline_ms(l->elector) - now_boot_ms;
}
