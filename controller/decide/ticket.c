/* ticket.c - see ticket.h. */
#include "controller/decide/ticket.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "doc/doc.h"

int ticket_read(const struct doc *object, struct ticket *ret, struct err *err)
{
	const struct doc *conditions = doc_get(object, "status.conditions");
	struct ticket t = { 0 };
	const char *token;
	const char *created;
	int64_t created_ms;
	int64_t seconds = 600;

	if (doc_read_str(object, "spec.jobRef.name", 63, &t.job, err) < 0 ||
	    doc_read_str(object, "spec.tokenSha256", 64, &token, err) < 0 ||
	    doc_opt_int(object, "spec.expirationSeconds", TICKET_MIN_S, TICKET_MAX_S, &seconds,
			err) < 0 ||
	    doc_read_str(object, "metadata.creationTimestamp", 64, &created, err) < 0)
		return err->code;
	if (hash_parse(token, strlen(token), &t.token_sha256, err) < 0)
		return err_wrap(err, "spec.tokenSha256");
	if (clock_parse(created, &created_ms, err) < 0)
		return err_wrap(err, "metadata.creationTimestamp");
	t.expires_ms = created_ms + seconds * 1000;
	t.is_decided = doc_condition(conditions, "Ready") != NULL;
	t.is_ready = doc_condition_true(conditions, "Ready");
	t.is_used = doc_condition_true(conditions, "Used");
	*ret = t;
	return 0;
}

static const struct {
	const char *reason;
	const char *message;
} verdicts[] = {
	[TICKET_READY] = { "Ready", "" },
	[TICKET_NO_STORE] = { "NoStore", "the controller keeps no large results: it was started "
					 "without --store" },
	[TICKET_NO_JOB] = { "JobNotFound", "there is no such WarpJob in this namespace" },
	[TICKET_TAKEN] = { "TokenInUse", "another ticket has the same token: make a new one" },
	[TICKET_TOO_MANY] = { "TooManyTickets", "too many tickets are in use: try again later" },
};

static void set_condition(struct doc *conditions, const struct doc *object,
			  const struct ticket_facts *f, struct doc_condition c)
{
	c.observed_generation = doc_int(object, "metadata.generation", 0);
	c.now_ms = f->wall_ms;
	(void)doc_condition_set(conditions, &c);
}

/* Ready, and where to go. */
static void decide(const struct doc *object, const struct ticket *t, const struct ticket_facts *f,
		   struct doc *conditions, struct doc *status)
{
	bool ready = f->verdict == TICKET_READY;
	char text[CLOCK_TEXT];

	set_condition(conditions, object, f,
		      (struct doc_condition){ .type = "Ready",
					      .status = ready ? "True" : "False",
					      .reason = verdicts[f->verdict].reason,
					      .message = verdicts[f->verdict].message });
	doc_set_int(status, "observedGeneration", doc_int(object, "metadata.generation", 0));
	doc_set_str(status, "expirationTime", clock_print(t->expires_ms, text));
	if (!ready)
		return;
	doc_set_path(status, "dataPlane.address", doc_new_str(f->address));
	doc_set_path(status, "dataPlane.ca", doc_new_str(f->ca));
}

struct doc *ticket_patch(const struct doc *object, const struct ticket_facts *f)
{
	const struct doc *old = doc_get(object, "status.conditions");
	struct ticket t = { 0 };
	struct err err = { 0 };
	struct doc *patch;
	struct doc *status;
	struct doc *conditions;

	if (ticket_read(object, &t, &err) < 0 ||
	    (t.is_decided && (t.is_used || !f->is_used || !t.is_ready)))
		return NULL;
	status = doc_new_map();
	conditions = old != NULL ? doc_copy(old) : doc_new_list();
	if (!t.is_decided)
		decide(object, &t, f, conditions, status);
	if (f->is_used && !t.is_used) {
		char text[CLOCK_TEXT];

		set_condition(
		    conditions, object, f,
		    (struct doc_condition){ .type = "Used", .status = "True", .reason = "Read" });
		doc_set_str(status, "usedTime", clock_print(f->wall_ms, text));
	}
	doc_set(status, "conditions", conditions);
	patch = doc_new_map();
	doc_set_path(patch, "metadata.uid", doc_new_str(doc_str(object, "metadata.uid", "")));
	doc_set_path(patch, "metadata.resourceVersion",
		     doc_new_str(doc_str(object, "metadata.resourceVersion", "")));
	doc_set(patch, "status", status);
	return patch;
}

/* It goes with its job. */
static struct doc *owner_of(const struct doc *job)
{
	struct doc *list = doc_new_list();
	struct doc *owner = doc_new_map();

	doc_set_str(owner, "apiVersion", doc_str(job, "apiVersion", ""));
	doc_set_str(owner, "kind", doc_str(job, "kind", ""));
	doc_set_str(owner, "name", doc_str(job, "metadata.name", ""));
	doc_set_str(owner, "uid", doc_str(job, "metadata.uid", ""));
	doc_add(list, owner);
	return list;
}

struct doc *ticket_build(const struct doc *job, const char *name,
			 const struct hash_digest *token_sha256, int64_t seconds)
{
	struct doc *d = doc_new_map();
	char hex[HASH_HEX];

	ASSERT(seconds >= TICKET_MIN_S && seconds <= TICKET_MAX_S);
	doc_set_str(d, "apiVersion", "kwarp.dev/v1alpha1");
	doc_set_str(d, "kind", "WarpTicket");
	doc_set_path(d, "metadata.name", doc_new_str(name));
	doc_set_path(d, "metadata.namespace", doc_new_str(doc_str(job, "metadata.namespace", "")));
	doc_set_path(d, "metadata.ownerReferences", owner_of(job));
	doc_set_path(d, "spec.jobRef.name", doc_new_str(doc_str(job, "metadata.name", "")));
	doc_set_path(d, "spec.tokenSha256", doc_new_str(hash_hex(token_sha256, hex)));
	doc_set_path(d, "spec.expirationSeconds", doc_new_int(seconds));
	return d;
}
