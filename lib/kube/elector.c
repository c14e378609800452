/* elector.c - see elector.h. */
#include "kube/elector.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "kube/object.h"

enum { LEASE_MS = 15000, RENEW_MS = 10000, RETRY_MS = 2000 };

static const char epoch_key[] = "kwarp.dev/controller-epoch";

enum phase {
	IDLE,
	READING,
	CREATING,
	UPDATING,
	OVER,
};

struct kube_elector {
	struct kube_elector_spec spec; /* its strings are owned */
	enum phase phase;
	uint64_t random;

	struct doc *record;  /* owned; as last seen; NULL = not seen */
	int64_t observed_ms; /* when it last changed */
	bool missing;        /* there is none: create */
	bool must_read;
	bool read_again; /* a write failed and nothing was tried since */
	int64_t next_ms;

	struct doc *body; /* owned: what is being written */
	int64_t sent_ms;
	int64_t asked_ms; /* when the last request of any kind went out */
	int64_t body_epoch;
	bool unknown_create; /* the outcome of a create is not known */

	bool holder;
	bool created;
	int64_t acts_from_ms;
	int64_t renewed_ms; /* sending time of the last success */
	int64_t epoch;
	int64_t wanted_epoch;
	const char *why;
};

struct kube_elector *kube_elector_new(const struct kube_elector_spec *spec)
{
	struct kube_elector *e = NEW(struct kube_elector);

	e->spec = *spec;
	e->spec.ns = mem_strdup(spec->ns);
	e->spec.name = mem_strdup(spec->name);
	e->spec.identity = mem_strdup(spec->identity);
	e->spec.lease_ms = spec->lease_ms > 0 ? spec->lease_ms : LEASE_MS;
	e->spec.renew_ms = spec->renew_ms > 0 ? spec->renew_ms : RENEW_MS;
	e->spec.retry_ms = spec->retry_ms > 0 ? spec->retry_ms : RETRY_MS;
	ASSERT(spec->identity[0] != '\0' && e->spec.lease_ms > e->spec.renew_ms);
	ASSERT(e->spec.renew_ms * 10 > e->spec.retry_ms * 12);
	e->random = spec->seed * 2 + 1;
	e->must_read = true;
	return e;
}

void kube_elector_free(struct kube_elector *e)
{
	if (e == NULL)
		return;
	mem_freep(&e->spec.ns);
	mem_freep(&e->spec.name);
	mem_freep(&e->spec.identity);
	doc_unref(e->record);
	doc_unref(e->body);
	mem_free(e);
}

/* ---- questions ---- */

bool kube_elector_is_holder(const struct kube_elector *e)
{
	return e->holder && e->phase != OVER;
}

int64_t kube_elector_deadline_ms(const struct kube_elector *e)
{
	return kube_elector_is_holder(e) ? e->renewed_ms + e->spec.renew_ms : INT64_MIN;
}

int64_t kube_elector_acts_from_ms(const struct kube_elector *e)
{
	return e->acts_from_ms;
}

bool kube_elector_may_act(const struct kube_elector *e, int64_t now_ms)
{
	return kube_elector_is_holder(e) && now_ms >= e->acts_from_ms &&
	       now_ms < kube_elector_deadline_ms(e);
}

int64_t kube_elector_epoch(const struct kube_elector *e)
{
	return kube_elector_is_holder(e) ? e->epoch : 0;
}

void kube_elector_raise_epoch(struct kube_elector *e, int64_t at_least)
{
	if (at_least <= e->wanted_epoch)
		return;
	e->wanted_epoch = at_least;
	if (e->holder)
		e->next_ms = 0;
}

static const char *holder_of(const struct doc *lease)
{
	return doc_str(lease, "spec.holderIdentity", "");
}

const char *kube_elector_holder(const struct kube_elector *e)
{
	return holder_of(e->record);
}

const char *kube_elector_why(const struct kube_elector *e)
{
	return e->why != NULL ? e->why : "";
}

/* ---- the record ---- */

static int64_t epoch_of(const struct doc *lease)
{
	const char *text = kube_annotation(lease, epoch_key);
	int64_t epoch = 0;
	struct err err = { 0 };

	if (text != NULL && num_parse_i64(text, strlen(text), 0, INT64_MAX / 2, &epoch, &err) < 0)
		return 0;
	return epoch;
}

static bool is_ours(const struct kube_elector *e, const struct doc *lease)
{
	return strcmp(holder_of(lease), e->spec.identity) == 0;
}

static bool is_alive(const struct kube_elector *e, int64_t now_ms)
{
	int64_t duration_ms =
	    doc_int(e->record, "spec.leaseDurationSeconds", e->spec.lease_ms / 1000) * 1000;

	return holder_of(e->record)[0] != '\0' && now_ms < e->observed_ms + duration_ms;
}

static int64_t highest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void set_epoch(struct kube_elector *e, struct doc *lease, int64_t epoch)
{
	struct doc *metadata = doc_edit(lease, "metadata");
	char text[24];

	e->body_epoch = epoch;
	if (!doc_is(doc_member(metadata, "annotations"), DOC_MAP))
		doc_set(metadata, "annotations", doc_new_map());
	snprintf(text, sizeof(text), "%lld", (long long)epoch);
	doc_set_str(doc_edit(metadata, "annotations"), epoch_key, text);
}

static void set_times(struct kube_elector *e, struct doc *spec, int64_t wall_ms, bool acquire)
{
	char text[CLOCK_TEXT];

	clock_print_micro(wall_ms, text);
	doc_set_str(spec, "renewTime", text);
	if (acquire)
		doc_set_str(spec, "acquireTime", text);
	doc_set_str(spec, "holderIdentity", e->spec.identity);
	doc_set_int(spec, "leaseDurationSeconds", e->spec.lease_ms / 1000);
}

static struct doc *record_to_write(struct kube_elector *e, const struct kube_elector_now *now)
{
	struct doc *lease = e->missing ? kube_new_object(&kube_leases, e->spec.ns, e->spec.name)
				       : doc_copy(e->record);
	bool acquire = e->missing || !is_ours(e, lease);
	struct doc *spec;
	int64_t epoch = highest(highest(e->epoch, e->wanted_epoch), epoch_of(lease));

	if (!doc_is(doc_member(lease, "spec"), DOC_MAP))
		doc_set(lease, "spec", doc_new_map());
	spec = doc_edit(lease, "spec");
	if (acquire) {
		epoch = highest(epoch_of(lease) + 1, now->epoch_floor);
		epoch = highest(epoch, highest(now->server_wall_ms / 1000, e->wanted_epoch));
		doc_set_int(spec, "leaseTransitions",
			    e->missing ? 0 : doc_int(spec, "leaseTransitions", 0) + 1);
	}
	set_times(e, spec, now->wall_ms, acquire);
	set_epoch(e, lease, highest(epoch, 1));
	return lease;
}

/* ---- next ---- */

static int64_t jitter(struct kube_elector *e)
{
	e->random ^= e->random << 13;
	e->random ^= e->random >> 7;
	e->random ^= e->random << 17;
	return (int64_t)(e->random % (uint64_t)(e->spec.retry_ms * 12 / 10 + 1));
}

static void over(struct kube_elector *e, const char *why)
{
	e->phase = OVER;
	e->why = why;
}

static struct kube_elector_step wait_step(const struct kube_elector *e)
{
	int64_t at_ms = e->next_ms;

	if (e->holder && e->renewed_ms + e->spec.renew_ms < at_ms)
		at_ms = e->renewed_ms + e->spec.renew_ms;
	return (struct kube_elector_step){ .op = KUBE_ELECTOR_WAIT, .at_ms = at_ms };
}

static struct kube_elector_step write_step(struct kube_elector *e,
					   const struct kube_elector_now *now)
{
	doc_unref(e->body);
	e->body = record_to_write(e, now);
	e->sent_ms = now->boot_ms;
	e->phase = e->missing ? CREATING : UPDATING;
	return (struct kube_elector_step){ .op = e->missing ? KUBE_ELECTOR_CREATE
							    : KUBE_ELECTOR_UPDATE,
					   .body = e->body };
}

struct kube_elector_step kube_elector_next(struct kube_elector *e,
					   const struct kube_elector_now *now)
{
	ASSERT(e->phase == IDLE || e->phase == OVER);
	if (e->phase == IDLE && e->holder && now->boot_ms >= e->renewed_ms + e->spec.renew_ms)
		over(e, "the lease was not renewed in time");
	if (e->phase == OVER)
		return (struct kube_elector_step){ .op = KUBE_ELECTOR_OVER };
	if (now->boot_ms < e->next_ms)
		return wait_step(e);
	e->asked_ms = now->boot_ms;
	if (e->must_read) {
		e->phase = READING;
		return (struct kube_elector_step){ .op = KUBE_ELECTOR_READ };
	}
	if (e->missing || is_ours(e, e->record) || !is_alive(e, now->boot_ms))
		return write_step(e, now);
	e->must_read = true;
	e->next_ms = now->boot_ms + e->spec.retry_ms + jitter(e);
	return wait_step(e);
}

/* ---- what came of it ---- */

static void observe(struct kube_elector *e, struct doc *lease, int64_t now_ms)
{
	if (e->record == NULL ||
	    !doc_equal(doc_member(lease, "spec"), doc_member(e->record, "spec")))
		e->observed_ms = now_ms;
	doc_unref(e->record);
	e->record = lease;
	e->missing = false;
	e->must_read = false;
}

/* What we sent at sent_ms is in force. */
static void succeeded(struct kube_elector *e)
{
	if (!e->holder) {
		e->holder = true;
		e->acts_from_ms = e->created ? e->sent_ms + e->spec.lease_ms : e->sent_ms;
	}
	e->renewed_ms = e->sent_ms;
	e->epoch = e->body_epoch;
	e->next_ms = e->sent_ms + e->spec.retry_ms;
	e->read_again = false;
	if (e->wanted_epoch > e->epoch)
		e->next_ms = 0;
}

/* True if the record is the one that we sent and whose answer was lost. */
static bool is_what_we_sent(const struct kube_elector *e, const struct doc *lease)
{
	return e->body != NULL &&
	       strcmp(doc_str(lease, "spec.renewTime", ""),
		      doc_str(e->body, "spec.renewTime", "-")) == 0 &&
	       epoch_of(lease) == e->body_epoch;
}

void kube_elector_on_read(struct kube_elector *e, struct doc *lease, int64_t now_ms)
{
	ASSERT(e->phase == READING);
	e->phase = IDLE;
	observe(e, lease, now_ms);
	if (is_ours(e, lease)) {
		e->created = e->created || (!e->holder && e->unknown_create);
		if (is_what_we_sent(e, lease))
			succeeded(e);
		else
			e->next_ms = 0;
	} else if (e->holder) {
		over(e, "the lease has another holder");
	} else if (is_alive(e, now_ms)) {
		e->must_read = true;
		e->next_ms = now_ms + e->spec.retry_ms + jitter(e);
	}
}

void kube_elector_on_written(struct kube_elector *e, struct doc *lease, int64_t now_ms)
{
	ASSERT(e->phase == CREATING || e->phase == UPDATING);
	e->created = e->created || e->phase == CREATING;
	e->phase = IDLE;
	observe(e, lease, now_ms);
	succeeded(e);
}

/* A holder paces its attempts by when they began: one that ran into its time-out has waited. */
static int64_t retry_at(struct kube_elector *e, int64_t now_ms)
{
	if (e->holder)
		return e->asked_ms + e->spec.retry_ms;
	return now_ms + e->spec.retry_ms + jitter(e);
}

static void read_failed(struct kube_elector *e, int err_code, int64_t now_ms)
{
	e->next_ms = retry_at(e, now_ms);
	if (err_code != ERR_NOT_FOUND)
		return;
	if (e->holder) {
		over(e, "the lease is gone");
		return;
	}
	e->missing = true;
	e->must_read = false;
	e->next_ms = now_ms;
}

static void write_failed(struct kube_elector *e, int err_code, int64_t now_ms)
{
	bool conflict = err_code == ERR_CONFLICT || err_code == ERR_EXISTS;

	if (e->holder && err_code == ERR_NOT_FOUND) {
		over(e, "the lease is gone");
		return;
	}
	e->must_read = true;
	e->missing = false;
	/* A holder looks at once why it could not write, but only once in a row. */
	e->next_ms = retry_at(e, now_ms);
	if (e->holder && conflict && !e->read_again)
		e->next_ms = now_ms;
	e->read_again = true;
}

void kube_elector_on_error(struct kube_elector *e, int err_code, int64_t now_ms)
{
	enum phase was = e->phase;

	ASSERT(was == READING || was == CREATING || was == UPDATING);
	e->phase = IDLE;
	if (was == READING) {
		read_failed(e, err_code, now_ms);
		return;
	}
	if (was == CREATING && err_code != ERR_EXISTS)
		e->unknown_create = true;
	write_failed(e, err_code, now_ms);
}

struct doc *kube_elector_release(struct kube_elector *e, int64_t wall_ms)
{
	struct doc *lease;
	struct doc *spec;

	if (!kube_elector_is_holder(e) || e->record == NULL)
		return NULL;
	lease = doc_copy(e->record);
	spec = doc_edit(lease, "spec");
	set_times(e, spec, wall_ms, false);
	doc_set_str(spec, "holderIdentity", "");
	doc_set_int(spec, "leaseDurationSeconds", 1);
	over(e, "released");
	return lease;
}
