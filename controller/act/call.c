/* call.c - see call.h. */
#include "controller/act/call.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "controller/act/act_int.h"
#include "hash/hash.h"

struct act_call {
	struct act *act;        /* borrowed */
	struct kube_call *call; /* owned; NULL: it could not start */
	struct timer *failed;   /* owned: tells that it could not */
	struct err err;
	act_call_fn fn;
	void *arg; /* borrowed */
};

static void on_done(void *arg, const struct kube_answer *answer)
{
	struct act_call *c = arg;
	struct act_answer mine = { .retry_after_ms = answer->retry_after_ms };

	if (strcmp(answer->reason, "NotLeading") == 0)
		return;
	if (answer->err->code != 0)
		mine.err = answer->err;
	else
		mine.object = answer->object;
	c->fn(c->arg, &mine);
}

static void on_failed(void *arg)
{
	struct act_call *c = arg;
	const struct act_answer answer = { .err = &c->err, .retry_after_ms = -1 };

	c->fn(c->arg, &answer);
}

struct act_call *act_call(struct act *a, const struct act_request *r, act_call_fn fn, void *arg)
{
	static const enum kube_verb verbs[] = {
		[ACT_GET] = KUBE_GET,        [ACT_CREATE] = KUBE_CREATE,
		[ACT_REPLACE] = KUBE_UPDATE, [ACT_MERGE] = KUBE_PATCH_MERGE,
		[ACT_DELETE] = KUBE_DELETE,
	};
	struct act_call *c = NEW(struct act_call);
	const struct kube_spec spec = {
		.verb = verbs[r->verb],
		.resource = r->resource,
		.ns = r->ns,
		.name = r->name,
		.subresource = r->sub,
		.body = r->body,
		.timeout_ms = ACT_CALL_MS,
		.on_done = on_done,
		.arg = c,
	};

	c->act = a;
	c->fn = fn;
	c->arg = arg;
	if (kube_call_start(a->kube, &spec, &c->call, &c->err) < 0) {
		c->failed = timer_new(a->loop, "call failed", on_failed, c);
		timer_start(c->failed, 0);
	}
	return c;
}

void act_call_free(struct act_call *c)
{
	if (c == NULL)
		return;
	kube_call_free(c->call);
	timer_free(c->failed);
	mem_free(c);
}

struct doc *act_delete_options(const char *uid, const char *rv, const char *propagation,
			       int64_t grace_s)
{
	struct doc *options = kube_delete_options(uid, rv, grace_s);

	doc_set_str(options, "propagationPolicy", propagation);
	return options;
}

int64_t act_backoff_ms(int tries, int64_t first_ms, int64_t most_ms)
{
	int64_t wait_ms = first_ms;
	uint16_t dice;

	for (int i = 0; i < tries && wait_ms < most_ms; i++)
		wait_ms *= 2;
	if (wait_ms > most_ms)
		wait_ms = most_ms;
	hash_random(&dice, sizeof(dice));
	return wait_ms / 2 + wait_ms / 2 * dice / UINT16_MAX;
}
